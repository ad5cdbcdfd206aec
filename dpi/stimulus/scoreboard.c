// SPDX-License-Identifier: Apache-2.0
// Stimulus of the scoreboard. The spec forbids nothing (muon-issue §3). More than the generic
// driver: most profiles drive what the stage drives (take away what is pending, admit what has no
// hazard, idle ports at 0), or counts would neither drain nor meet their maximum.
#include <string.h>

#include "common.h"
#include "warplock/scoreboard.h"

enum { PROBES = 16 };

// What a profile sets; chances are out of 256.
typedef struct weights {
    stim_operands operands;             // of an admission
    uint8_t admit, collect, write_back; // the port is used
    uint8_t hazards;                    // an admission ignores WAW and WAR
    uint8_t loose;                      // anything on the three update ports
    uint8_t quiet;                      // a used port keeps its enable low
    uint8_t both;                       // an admission names a register that is collected
    uint8_t read;                       // each read port is enabled
    uint8_t follow;                     // a read names a register that changes in this cycle
    uint8_t reset;                      // out of 4096
} weights;

static const weights profiles[] = {
    /* mixed */ {{4, 12, 32, 160, 160, 16}, 154, 140, 140, 24, 0, 0, 16, 160, 64, 4},
    /* saturate */ {{1, 0, 128, 16, 255, 16}, 255, 4, 64, 64, 0, 0, 64, 128, 128, 0},
    /* both */ {{2, 4, 48, 128, 200, 16}, 230, 200, 128, 64, 0, 24, 200, 160, 128, 4},
    /* hazards */ {{3, 8, 32, 224, 128, 16}, 224, 96, 72, 255, 8, 8, 32, 192, 96, 4},
    /* quirks */ {{3, 16, 48, 160, 160, 16}, 128, 160, 160, 64, 32, 160, 48, 160, 192, 4},
    /* anything */ {{2, 24, 64, 128, 128, 16}, 128, 128, 128, 128, 255, 128, 0, 128, 96, 4},
    /* repeats */ {{4, 48, 192, 128, 240, 16}, 200, 160, 96, 48, 32, 16, 48, 128, 96, 4},
    /* drained */ {{6, 8, 16, 128, 128, 16}, 40, 230, 230, 16, 0, 16, 32, 96, 160, 8},
    /* resets */ {{3, 16, 32, 160, 160, 16}, 200, 96, 96, 48, 16, 16, 48, 160, 64, 160},
};

STIM_PROFILE_NAMES(WLK_SCOREBOARD_PROFILES, STIM_PHASE_CYCLES);

// One update port as it is driven; reads side by side, index 0 lowest.
typedef struct port {
    bool enable;
    uint32_t write_preg, write_incr, write_decr;
    uint32_t reads_preg, reads_incr, reads_decr;
} port;

typedef struct cycle {
    const wlk_scoreboard_cfg *cfg;
    const wlk_scoreboard_state *st;
    const weights *w;
    wlk_stimulus_state *stim;
    uint64_t *random;
    port coll, wb, rs;
} cycle;

static uint32_t pending_write(const cycle *c, uint32_t preg) {
    return (uint32_t)(c->st->pendingWrites[preg / 64u] >> preg % 64u) & 1u;
}

// A register with a pending read (or write), looked for from a random one on; 0 when none is near.
// While draining, none is missed.
static uint32_t pick_pending(const cycle *c, bool write) {
    const uint32_t probes = c->stim->drain != 0 ? c->cfg->num_pregs : (uint32_t)PROBES;
    const uint32_t start = stim_preg(&c->w->operands, c->cfg->num_pregs, c->random);
    for (uint32_t i = 0; i < probes; i++) {
        const uint32_t preg = (start + i) & (c->cfg->num_pregs - 1u);
        if (write ? pending_write(c, preg) != 0 : c->st->pendingReads[preg] != 0) {
            return preg;
        }
    }
    return 0;
}

// ---- what the stage drives --------------------------------------------------------------------

// §5: the operands of a response; a count is never taken below 0.
static void make_collect(cycle *c) {
    port *p = &c->coll;
    p->enable = true;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t preg = stim_chance(c->random, 192) ? pick_pending(c, false) : 0u;
        uint32_t taken = 0;
        for (uint32_t k = 0; k < i; k++) {
            taken += wlk_preg_at(p->reads_preg, k) == preg;
        }
        if (preg != 0 && c->st->pendingReads[preg] > taken) {
            p->reads_preg |= preg << (i * WLK_PREG_BITS);
            p->reads_decr |= 1u << i;
        }
    }
}

static void make_write_back(cycle *c) {
    const uint32_t preg = pick_pending(c, true);
    c->wb = (port){.enable = preg != 0, .write_preg = preg, .write_decr = preg != 0};
}

// §4: would the hazard check hold the admission back?
static bool has_hazard(const cycle *c, uint32_t rd) {
    const bool cleared = c->wb.write_decr != 0 && c->wb.write_preg == rd;
    return rd != 0 && (c->st->pendingReads[rd] != 0 || (pending_write(c, rd) && !cleared));
}

// §4: registers are not gated by hasX.
static void make_admission(cycle *c) {
    const stim_operands *o = &c->w->operands;
    const uint32_t pregs = c->cfg->num_pregs;
    const uint32_t rd = stim_preg(o, pregs, c->random);
    const uint32_t has_rd = stim_chance(c->random, o->has_rd);
    port p = {.write_preg = rd, .write_incr = has_rd};
    for (uint32_t i = 0; i < 3; i++) {
        const bool first = i > 0 && stim_chance(c->random, o->repeat);
        const uint32_t rs = first ? wlk_preg_at(p.reads_preg, 0) : stim_preg(o, pregs, c->random);
        p.reads_preg |= rs << (i * WLK_PREG_BITS);
        p.reads_incr |= (uint32_t)stim_chance(c->random, o->has_rs) << i;
    }
    p.enable = has_rd != 0 || p.reads_incr != 0;
    if (has_rd == 0 || !has_hazard(c, rd) || stim_chance(c->random, c->w->hazards)) {
        c->rs = p;
    }
}

// A count goes down and up in one cycle, by preference one that is saturated.
static void make_both(cycle *c) {
    const uint32_t start = stim_preg(&c->w->operands, c->cfg->num_pregs, c->random);
    uint32_t preg = wlk_preg_at(c->coll.reads_preg, 0);
    for (uint32_t i = 0; i < (uint32_t)PROBES; i++) {
        const uint32_t other = (start + i) & (c->cfg->num_pregs - 1u);
        if (c->st->pendingReads[other] == c->cfg->max_pending_reads) {
            preg = other;
            break;
        }
    }
    c->coll.reads_preg = preg;
    c->coll.reads_decr = preg != 0;
    c->coll.enable = true;
    c->rs.reads_preg = (c->rs.reads_preg & ~(uint32_t)WLK_PREG_MASK) | preg;
    c->rs.reads_incr |= 1u;
    c->rs.enable = true;
}

// ---- anything ---------------------------------------------------------------------------------

static port make_any(const cycle *c) {
    const uint64_t r = wlk_random(c->random);
    port p = {
        .enable = r & 1u,
        .write_preg = stim_preg(&c->w->operands, c->cfg->num_pregs, c->random),
        .write_incr = r >> 1 & 1u,
        .write_decr = r >> 2 & 1u,
        .reads_incr = r >> 3 & 7u,
        .reads_decr = r >> 6 & 7u,
    };
    for (uint32_t i = 0; i < 3; i++) {
        p.reads_preg |= stim_preg(&c->w->operands, c->cfg->num_pregs, c->random)
                        << (i * WLK_PREG_BITS);
    }
    return p;
}

static void make_updates(cycle *c) {
    const bool draining = c->stim->drain != 0;
    if (!draining && stim_chance(c->random, c->w->loose)) {
        c->coll = make_any(c);
        c->wb = make_any(c);
        c->rs = make_any(c);
        return;
    }
    if (draining || stim_chance(c->random, c->w->collect)) {
        make_collect(c);
    }
    if (draining || stim_chance(c->random, c->w->write_back)) {
        make_write_back(c);
    }
    if (draining) {
        return;
    }
    if (stim_chance(c->random, c->w->admit)) {
        make_admission(c);
    }
    if (stim_chance(c->random, c->w->both)) {
        make_both(c);
    }
    // The quirk of §3.4: deltas count whatever their enable is.
    c->coll.enable = c->coll.enable && !stim_chance(c->random, c->w->quiet);
    c->wb.enable = c->wb.enable && !stim_chance(c->random, c->w->quiet);
    c->rs.enable = c->rs.enable && !stim_chance(c->random, c->w->quiet);
}

// ---- the record -------------------------------------------------------------------------------

#define PUT(field, words, value) wlk_scoreboard_in_put_##field(words, value)
#define PUT_PORT(name, words, p)                                                                   \
    do {                                                                                           \
        PUT(name##_enable, words, (p)->enable);                                                    \
        PUT(name##_write_pReg, words, (p)->write_preg);                                            \
        PUT(name##_write_incr, words, (p)->write_incr);                                            \
        PUT(name##_write_decr, words, (p)->write_decr);                                            \
        PUT(name##_reads_pReg, words, (p)->reads_preg);                                            \
        PUT(name##_reads_incr, words, (p)->reads_incr);                                            \
        PUT(name##_reads_decr, words, (p)->reads_decr);                                            \
    } while (0)

// A register that one of the ports names.
static uint32_t pick_named(const cycle *c) {
    const uint64_t r = wlk_random(c->random);
    const uint32_t operand = stim_below(r, 3);
    switch (r & 3u) {
    case 0:
        return c->wb.write_preg;
    case 1:
        return wlk_preg_at(c->coll.reads_preg, operand);
    case 2:
        return wlk_preg_at(c->rs.reads_preg, operand);
    default:
        return c->rs.write_preg;
    }
}

static void put_reads(const cycle *c, uint64_t *in) {
    const uint32_t warps = c->cfg->num_warps, all = (uint32_t)wlk_mask(warps);
    const uint32_t followed =
        stim_chance(c->random, c->w->follow) ? stim_below(wlk_random(c->random), warps) : warps;
    PUT(hazard_warps_readRs1_enable, in, (uint64_t)(stim_set(c->random, c->w->read) & all));
    PUT(hazard_warps_readRs2_enable, in, (uint64_t)(stim_set(c->random, c->w->read) & all));
    PUT(hazard_warps_readRs3_enable, in, (uint64_t)(stim_set(c->random, c->w->read) & all));
    PUT(hazard_warps_readRd_enable, in, (uint64_t)(stim_set(c->random, c->w->read) & all));
    for (uint32_t w = 0; w < warps; w++) {
        const uint64_t r = wlk_random(c->random);
        const uint64_t hot = (r >> 60) != 0 ? wlk_mask(c->w->operands.hot_bits) : ~UINT64_C(0);
        const uint64_t mask = (c->cfg->num_pregs - 1u) & hot;
        uint64_t *e = wlk_scoreboard_in_element_mut(in, w);
        PUT(hazard_warps_readRs1_pReg, e, r & mask);
        PUT(hazard_warps_readRs2_pReg, e, r >> 10 & mask);
        PUT(hazard_warps_readRs3_pReg, e, w == followed ? pick_named(c) : r >> 20 & mask);
        PUT(hazard_warps_readRd_pReg, e, w == followed ? pick_named(c) : r >> 30 & mask);
    }
}

static void next(const uint32_t *words, const void *model_state, wlk_stimulus_state *stim,
                 uint64_t *in) {
    cycle c = {.cfg = (const wlk_scoreboard_cfg *)words,
               .st = (const wlk_scoreboard_state *)model_state,
               .stim = stim,
               .random = &stim->random};
    c.w = &profiles[wlk_stim_begin(stim, PROFILES)];
    memset(in, 0,
           (WLK_SCOREBOARD_IN_GROUP + c.cfg->num_warps * WLK_SCOREBOARD_IN_STRIDE) * sizeof *in);
    PUT(reset, in, wlk_stim_reset(stim, c.w->reset));
    if (c.cfg->debug) {
        PUT(debug_cycle, in, stim->cycle);
    }
    make_updates(&c);
    PUT_PORT(updateColl, in, &c.coll);
    PUT_PORT(updateWB, in, &c.wb);
    PUT_PORT(hazard_updateRS, in, &c.rs);
    put_reads(&c, in);
    stim->cycle++;
}

const wlk_stimulus wlk_scoreboard_stimulus = {
    .block = "scoreboard", .profiles = profile_names, .next = next};

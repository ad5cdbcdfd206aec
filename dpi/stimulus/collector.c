// SPDX-License-Identifier: Apache-2.0
// Stimulus of the collector. More than the generic driver: readData.req names an allocated entry
// (muon-issue §2, protocol rules). Everything else may happen in any cycle.
#include <string.h>

#include "common.h"
#include "warplock/collector.h"

// What a profile sets; chances are out of 256.
typedef struct weights {
    uint8_t request, write, read; // valid high
    uint8_t enable;               // an operand is wanted
    uint8_t hot_bits;             // registers used: 2^n
    uint8_t partial;              // a write with some lanes
    uint8_t x0;                   // a register is 0
    uint8_t repeat;               // an operand repeats the first one
    uint8_t collide;              // the write hits a register that is being read
    uint8_t follow;               // the write hits a register whose read lands
    uint8_t reset;                // out of 4096
    uint8_t hold;                 // cycles in which a full table is left alone
} weights;

static const weights profiles[] = {
    /* mixed */ {154, 154, 154, 154, 4, 128, 8, 24, 16, 16, 4, 0},
    /* saturate */ {255, 255, 255, 255, 8, 0, 0, 0, 0, 0, 0, 0},
    /* withheld */ {224, 96, 255, 192, 5, 64, 8, 16, 16, 16, 4, 24},
    /* alloc_free */ {250, 64, 250, 200, 4, 32, 8, 16, 16, 16, 4, 0},
    /* write_heavy */ {64, 250, 96, 128, 6, 230, 16, 16, 32, 32, 4, 0},
    /* x0_repeat */ {200, 200, 160, 200, 3, 64, 96, 160, 32, 32, 4, 0},
    /* sparse */ {20, 20, 28, 128, 5, 96, 16, 24, 48, 48, 8, 0},
    /* resets */ {160, 160, 140, 160, 4, 64, 16, 16, 32, 32, 160, 0},
    /* collide */ {220, 230, 180, 200, 3, 96, 8, 16, 160, 120, 4, 0},
    /* few_enables */ {200, 128, 180, 48, 5, 64, 16, 16, 16, 16, 4, 0},
};

STIM_PROFILE_NAMES(WLK_COLLECTOR_PROFILES, STIM_PHASE_CYCLES);

// What the generator keeps: how long the table has been full.
enum { MEMORY_HELD = STIM_FIRST + 1 };

static const weights *weights_now(wlk_stimulus_state *stim) {
    if (stim->profile >= PROFILES && stim->cycle % STIM_PHASE_CYCLES == 0) {
        (void)wlk_random(&stim->random); // unused; without it every seed had other records
    }
    return &profiles[wlk_stim_profile(stim, PROFILES, stim->memory[STIM_FIRST] & 15u)];
}

static uint16_t pick_preg(const wlk_collector_cfg *cfg, const weights *w, uint64_t *random) {
    const uint64_t r = wlk_random(random);
    const uint32_t mask = (cfg->num_pregs - 1u) & (uint32_t)wlk_mask(w->hot_bits);
    if ((r >> 32 & 255u) < w->x0) {
        return 0;
    }
    if ((r >> 40 & 31u) == 0) { // now and then any register, so that all banks are met
        return (uint16_t)(r & (cfg->num_pregs - 1u));
    }
    return (uint16_t)(r & mask);
}

static void make_request(const wlk_collector_cfg *cfg, const weights *w, wlk_stimulus_state *stim,
                         wlk_collector_in *in) {
    uint64_t *random = &stim->random;
    in->readReq.valid = !stim->drain && stim_chance(random, w->request);
    in->readReq.bits.rsEntryId = (uint8_t)(wlk_random(random) & wlk_mask(wlk_idw(cfg->rs_entries)));
    for (uint32_t i = 0; i < 3; i++) {
        in->readReq.bits.regs[i].enable = stim_chance(random, w->enable);
        in->readReq.bits.regs[i].pReg = pick_preg(cfg, w, random);
    }
    for (uint32_t i = 1; i < 3; i++) {
        if (stim_chance(random, w->repeat)) {
            in->readReq.bits.regs[i].pReg = in->readReq.bits.regs[0].pReg;
        }
    }
}

static uint64_t pick_mask(const wlk_collector_cfg *cfg, const weights *w, uint64_t *random) {
    const uint64_t all = wlk_mask(cfg->num_lanes);
    const uint64_t r = wlk_random(random);
    if (!stim_chance(random, w->partial)) {
        return all;
    }
    // One lane, all but one, or any.
    switch (r >> 60 & 3u) {
    case 0:
        return UINT64_C(1) << (r % cfg->num_lanes);
    case 1:
        return all & ~(UINT64_C(1) << (r % cfg->num_lanes));
    default:
        return r & all;
    }
}

static void make_write(const wlk_collector_cfg *cfg, const wlk_collector_state *st,
                       const weights *w, wlk_stimulus_state *stim, wlk_collector_in *in) {
    uint64_t *random = &stim->random;
    const uint32_t operand = (uint32_t)(wlk_random(random) % 3u);
    in->writeReq.valid = !stim->drain && stim_chance(random, w->write);
    in->writeReq.bits.regs[0].enable = stim_chance(random, 244) || w->write == 255;
    in->writeReq.bits.regs[0].pReg = pick_preg(cfg, w, random);
    if (stim_chance(random, w->collide)) {
        in->writeReq.bits.regs[0].pReg = in->readReq.bits.regs[operand].pReg;
    } else if (stim_chance(random, w->follow)) {
        in->writeReq.bits.regs[0].pReg = st->nextPReg[operand];
    }
    in->writeReq.bits.regs[0].tmask = pick_mask(cfg, w, random);
    in->writeReq.bits.rsEntryId =
        (uint8_t)(wlk_random(random) & wlk_mask(wlk_idw(cfg->rs_entries)));
}

// An allocated entry, or any index when there is none.
static uint32_t pick_entry(const wlk_collector_cfg *cfg, uint32_t alloc, uint64_t r) {
    const uint32_t taken = (uint32_t)__builtin_popcount(alloc);
    return taken != 0 ? stim_nth(alloc, (uint32_t)((r >> 8) % taken))
                      : (uint32_t)(r & wlk_mask(wlk_idw(cfg->coll_entries)));
}

static void make_read(const wlk_collector_cfg *cfg, const wlk_collector_state *st, const weights *w,
                      wlk_stimulus_state *stim, wlk_collector_in *in) {
    uint64_t *random = &stim->random;
    const uint64_t r = wlk_random(random);
    const uint32_t taken = ~st->free_entries & (uint32_t)wlk_mask(cfg->coll_entries);
    const bool full = st->free_entries == 0;
    uint64_t *held = &stim->memory[MEMORY_HELD];
    *held = full && w->hold != 0 && *held < w->hold ? *held + 1u : 0u;
    in->readData.req.valid = st->reset_seen && taken != 0 &&
                             (stim->drain || (*held == 0 && stim_chance(random, w->read)));
    if (w->hold != 0 && !full && !stim->drain) {
        in->readData.req.valid = 0; // fill the table first
    }
    in->readData.req.bits.collEntry =
        (uint8_t)(in->readData.req.valid ? pick_entry(cfg, taken, r)
                                         : r & wlk_mask(wlk_idw(cfg->coll_entries)));
    for (uint32_t i = 0; i < 3; i++) {
        in->readData.req.bits.regs[i].enable = stim->drain || stim_chance(random, w->enable);
    }
}

// In a reset cycle anything may be on the ports.
static void make_reset(const weights *w, wlk_stimulus_state *stim, wlk_collector_in *in) {
    const bool start = stim->cycle < STIM_RESET_CYCLES;
    in->reset = start || (!stim->drain && (wlk_random(&stim->random) & 4095u) < w->reset);
    if (in->reset && (wlk_random(&stim->random) & 1u)) {
        in->readData.req.valid = wlk_random(&stim->random) & 1u;
    }
}

static void next(const uint32_t *words, const void *model_state, wlk_stimulus_state *stim,
                 uint64_t *in_words) {
    const wlk_collector_cfg *cfg = (const wlk_collector_cfg *)words;
    const wlk_collector_state *st = (const wlk_collector_state *)model_state;
    wlk_collector_in in;
    if (stim->cycle == 0) {
        stim->memory[STIM_FIRST] = wlk_random(&stim->random);
    }
    const weights *w = weights_now(stim);
    memset(&in, 0, sizeof in);
    make_request(cfg, w, stim, &in);
    make_write(cfg, st, w, stim, &in);
    make_read(cfg, st, w, stim, &in);
    make_reset(w, stim, &in);
    in.writeReq.bits.pc = 0;
    if (cfg->debug) {
        in.debug_cycle = stim->cycle;
        in.readReq.bits.pc = wlk_random(&stim->random) & wlk_mask(cfg->lane_bits);
        in.writeReq.bits.pc = wlk_random(&stim->random) & wlk_mask(cfg->lane_bits);
    }
    wlk_collector_in_pack(cfg, &in, in_words);
    wlk_stim_row(stim, cfg->num_lanes * cfg->lane_bits, in_words + WLK_COLLECTOR_IN_CONTROL);
    stim->cycle++;
}

const wlk_stimulus wlk_collector_stimulus = {
    .block = "collector", .profiles = profile_names, .next = next};

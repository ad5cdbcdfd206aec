// SPDX-License-Identifier: Apache-2.0
// Stimulus of the hazard check. The spec forbids nothing (muon-issue §4). More than the generic
// driver: most profiles answer as the scoreboard does, sources repeat, and few cycles could go
// several ways while the arbiter's `last` is unknown.
#include <string.h>

#include "common.h"
#include "warplock/hazard.h"

enum {
    MAX_WARPS = WLK_HAZARD_MAX_NUM_WARPS,
    PROFILE_MASK = 15,
    EMPTY_LEAVES = 24,
    OPEN_CYCLES = 64
};

// What the generator keeps. A head is kept as the seed that it is made from.
enum {
    MEMORY_SEEDS = STIM_FIRST + 1, // of each head; the low bits are the profile it was made in
    MEMORY_HEADS = MEMORY_SEEDS + MAX_WARPS, // warps that have one
    MEMORY_EMPTY, // heads without an operand, which are never taken (§4)
    MEMORY_WAW,   // heads whose destination has a pending write
    MEMORY_WAR,   // heads whose destination has pending reads
    MEMORY_FULL,  // cycles in which the reservation station stays full
    MEMORY_DENY,  // cycles in which the scoreboard stays unwilling
    MEMORY_BITS,  // of an instruction in this configuration
};

// What a profile sets; chances are out of 256.
typedef struct weights {
    stim_operands operands;
    uint8_t arrive;     // each warp without a head gets one
    uint8_t trickle;    // one warp gets a head
    uint8_t vanish;     // a head goes without being taken
    uint8_t waw, war;   // a new head has the hazard
    uint8_t clear;      // a hazard ends
    uint8_t busy;       // a source has a pending write
    uint8_t full, deny; // such a time begins
    uint8_t longest;    // cycles of it
    uint8_t loose;      // answers that no scoreboard gives
    uint8_t soft_reset; // out of 4096
    uint8_t reset;      // out of 4096
} weights;

static const weights profiles[] = {
    /* mixed */ {{4, 12, 32, 160, 160, 16}, 96, 0, 0, 64, 64, 64, 80, 24, 24, 4, 0, 16, 4},
    /* saturate */ {{6, 4, 16, 200, 200, 16}, 255, 0, 0, 8, 8, 160, 32, 0, 0, 1, 0, 8, 4},
    /* hazards */ {{3, 8, 32, 255, 160, 16}, 200, 0, 0, 160, 160, 40, 160, 8, 16, 4, 0, 8, 4},
    /* refused */ {{4, 8, 64, 160, 160, 8}, 48, 0, 0, 16, 16, 96, 64, 8, 96, 12, 0, 8, 4},
    /* full */ {{4, 8, 32, 160, 160, 16}, 128, 0, 0, 32, 32, 64, 64, 96, 8, 48, 0, 8, 4},
    /* sparse */ {{4, 24, 48, 128, 96, 32}, 0, 64, 0, 32, 32, 64, 64, 16, 64, 4, 0, 8, 4},
    /* operands */ {{2, 64, 128, 96, 80, 128}, 128, 0, 8, 24, 24, 96, 128, 8, 16, 4, 0, 8, 4},
    /* impatient */ {{4, 16, 32, 160, 160, 16}, 96, 0, 64, 64, 64, 64, 96, 24, 48, 6, 32, 16, 8},
    /* anything */ {{4, 24, 48, 128, 128, 64}, 128, 0, 64, 96, 96, 96, 128, 64, 64, 2, 255, 48, 16},
    /* resets */ {{4, 16, 32, 160, 160, 16}, 160, 0, 0, 48, 48, 96, 96, 16, 16, 4, 16, 200, 200},
};

STIM_PROFILE_NAMES(WLK_HAZARD_PROFILES, STIM_PHASE_CYCLES);
_Static_assert((int)PROFILES <= (int)PROFILE_MASK, "a seed names its profile");
_Static_assert(MEMORY_BITS + WLK_ENTRY_WORDS <= WLK_STIMULUS_WORDS, "room to remember");

#define PUT(field, words, value) wlk_hazard_in_put_##field(words, value)

typedef struct cycle {
    const wlk_hazard_cfg *cfg;
    const wlk_hazard_state *st;
    const weights *w;
    wlk_stimulus_state *stim;
    uint64_t *random;
    uint32_t profile;
    bool loose;                 // answers as they come
    uint32_t all, valid;        // warps, and those with a head
    uint32_t has_rd, has_rs[3]; // heads by what they have
    uint32_t has_any;
    uint32_t candidates; // of the arbiter, §1
} cycle;

static void remember_bits(const wlk_hazard_cfg *cfg, uint64_t *bits) {
    uint64_t mask[WLK_HAZARD_OUT_GROUP + MAX_WARPS * WLK_HAZARD_OUT_STRIDE];
    wlk_hazard_out_mask(cfg, mask);
    memcpy(bits, mask + WLK_HAZARD_OUT_RSADMIT_BITS_IBUFENTRY, WLK_ENTRY_WORDS * sizeof *bits);
}

// While the arbiter's `last` is unknown a checker must follow each value that is possible, and the
// generator cannot know which heads are taken. One of two seeds starts that way; then, and in the
// others, only one warp has a head until one grant makes `last` known.
static uint32_t shown_heads(const cycle *c) {
    const uint32_t heads = (uint32_t)c->stim->memory[MEMORY_HEADS];
    const uint64_t first = c->stim->memory[STIM_FIRST];
    const bool known = (c->st->last & (c->st->last - 1u)) == 0;
    const bool open = (first >> 16 & 1u) == 0 && c->stim->cycle < OPEN_CYCLES;
    if (known || open || heads == 0) {
        return heads;
    }
    return 1u << stim_member(heads, first);
}

static uint32_t leaving_heads(const cycle *c) {
    const uint32_t empty = (uint32_t)c->stim->memory[MEMORY_EMPTY];
    return stim_set(c->random, c->w->vanish) | (empty & stim_set(c->random, EMPTY_LEAVES));
}

static uint32_t coming_heads(const cycle *c, uint32_t without) {
    const uint64_t r = wlk_random(c->random);
    const uint32_t come = stim_set(c->random, c->w->arrive);
    const bool one = stim_chance(c->random, c->w->trickle);
    return (come | (uint32_t)one << stim_below(r, c->cfg->num_warps)) & without;
}

static void change_heads(cycle *c) {
    uint64_t *memory = c->stim->memory;
    const uint32_t before = (uint32_t)memory[MEMORY_HEADS] & ~leaving_heads(c);
    const uint32_t come = coming_heads(c, c->all & ~before);
    const uint32_t stay = ~stim_set(c->random, c->w->clear) & ~come;
    for (uint32_t rest = come; rest != 0; rest &= rest - 1u) {
        const uint64_t r = wlk_random(c->random) & ~(uint64_t)PROFILE_MASK;
        memory[MEMORY_SEEDS + (uint32_t)__builtin_ctz(rest)] = r | c->profile;
    }
    memory[MEMORY_HEADS] = before | come;
    memory[MEMORY_WAW] = (memory[MEMORY_WAW] & stay) | (come & stim_set(c->random, c->w->waw));
    memory[MEMORY_WAR] = (memory[MEMORY_WAR] & stay) | (come & stim_set(c->random, c->w->war));
}

// A warp without a valid head shows the one it had.
static void put_heads(cycle *c, uint64_t *in) {
    c->valid = shown_heads(c);
    PUT(ibuf_valid, in, c->valid);
    for (uint32_t w = 0; w < c->cfg->num_warps; w++) {
        uint64_t *entry = wlk_hazard_in_element_mut(in, w) + WLK_HAZARD_IN_IBUF_BITS;
        uint64_t seed = c->stim->memory[MEMORY_SEEDS + w];
        const stim_operands *operands = &profiles[seed & PROFILE_MASK].operands;
        wlk_stim_entry(operands, c->cfg->num_pregs, w, c->stim->memory + MEMORY_BITS, &seed, entry);
        c->has_rd |= wlk_entry_get_hasRd(entry) << w;
        for (uint32_t i = 0; i < 3; i++) {
            c->has_rs[i] |= (wlk_entry_has_rs(entry) >> i & 1u) << w;
        }
    }
    c->has_any = c->has_rd | c->has_rs[0] | c->has_rs[1] | c->has_rs[2];
    c->stim->memory[MEMORY_EMPTY] = ~c->has_any & c->all;
}

// Counts of a warp's registers; 0 where its bit is not in `asked`.
static void put_counts(const cycle *c, const uint32_t asked[4], uint32_t warp, uint64_t *e) {
    const uint64_t r = wlk_random(c->random);
    const uint32_t max = c->cfg->max_pending_reads;
    uint64_t count[4];
    for (uint32_t port = 0; port < 4; port++) {
        const uint64_t some = stim_below(r << (port * 8u), max + (port < 3)) + (port == 3);
        count[port] = (asked[port] >> warp & 1u) != 0 ? some : 0u;
    }
    PUT(scb_warps_readRs1_pendingReads, e, count[0]);
    PUT(scb_warps_readRs2_pendingReads, e, count[1]);
    PUT(scb_warps_readRs3_pendingReads, e, count[2]);
    PUT(scb_warps_readRd_pendingReads, e, count[3]);
}

// §3.5: a read whose enable is low is answered with 0.
static void put_reads(cycle *c, uint64_t *in) {
    const uint64_t *memory = c->stim->memory;
    const uint32_t loose = c->loose ? c->all : 0u;
    const uint32_t asks = (c->valid & c->has_rd) | loose;
    const uint32_t waw = (uint32_t)memory[MEMORY_WAW] & asks;
    const uint32_t war = (uint32_t)memory[MEMORY_WAR] & asks;
    const uint32_t asked[4] = {(c->valid & c->has_rs[0]) | loose, (c->valid & c->has_rs[1]) | loose,
                               (c->valid & c->has_rs[2]) | loose, war};
    PUT(scb_warps_readRs1_pendingWrites, in,
        (uint64_t)(stim_set(c->random, c->w->busy) & asked[0]));
    PUT(scb_warps_readRs2_pendingWrites, in,
        (uint64_t)(stim_set(c->random, c->w->busy) & asked[1]));
    PUT(scb_warps_readRs3_pendingWrites, in,
        (uint64_t)(stim_set(c->random, c->w->busy) & asked[2]));
    PUT(scb_warps_readRd_pendingWrites, in, (uint64_t)waw);
    for (uint32_t w = 0; w < c->cfg->num_warps; w++) {
        put_counts(c, asked, w, wlk_hazard_in_element_mut(in, w));
    }
    c->candidates = c->valid & ~(c->has_rd & (waw | war));
}

// The warp that the arbiter chooses among the candidates (§1).
static uint32_t choice(const cycle *c) {
    const uint32_t last = (uint32_t)__builtin_ctz(c->st->last);
    const uint32_t later = c->candidates & (uint32_t)(~UINT64_C(0) << (last + 1u));
    return (uint32_t)__builtin_ctz(later != 0 ? later : c->candidates);
}

// A scoreboard succeeds only where it is asked (§3.3), and nothing is asked without room (§4).
static void put_success(cycle *c, uint64_t *in) {
    uint64_t *memory = c->stim->memory;
    const bool full = wlk_stim_lasts(c->stim, &memory[MEMORY_FULL], c->w->full, c->w->longest);
    const bool deny = wlk_stim_lasts(c->stim, &memory[MEMORY_DENY], c->w->deny, c->w->longest);
    const bool chosen = c->candidates != 0;
    const uint32_t warp = chosen ? choice(c) : 0u;
    const bool asked = chosen && !full && (c->has_any >> warp & 1u) != 0;
    const bool success = c->loose ? (wlk_random(c->random) & 1u) != 0 : asked && !deny;
    PUT(rsAdmit_ready, in, !full);
    PUT(scb_updateRS_success, in, success);
    if (chosen && !full && success) {
        memory[MEMORY_HEADS] &= ~(UINT64_C(1) << warp);
    }
}

static void next(const uint32_t *words, const void *model_state, wlk_stimulus_state *stim,
                 uint64_t *in) {
    cycle c = {.cfg = (const wlk_hazard_cfg *)words,
               .st = (const wlk_hazard_state *)model_state,
               .stim = stim,
               .random = &stim->random};
    if (stim->cycle == 0) {
        remember_bits(c.cfg, stim->memory + MEMORY_BITS);
    }
    c.profile = wlk_stim_begin(stim, PROFILES);
    c.w = &profiles[c.profile];
    c.all = (uint32_t)wlk_mask(c.cfg->num_warps);
    c.loose = stim_chance(c.random, c.w->loose);
    memset(in, 0, (WLK_HAZARD_IN_GROUP + c.cfg->num_warps * WLK_HAZARD_IN_STRIDE) * sizeof *in);
    PUT(reset, in, wlk_stim_reset(stim, c.w->reset));
    PUT(softReset, in, (wlk_random(c.random) & 4095u) < c.w->soft_reset);
    if (c.cfg->debug) {
        PUT(debug_cycle, in, stim->cycle);
    }
    change_heads(&c);
    put_heads(&c, in);
    put_reads(&c, in);
    put_success(&c, in);
    stim->cycle++;
}

const wlk_stimulus wlk_hazard_stimulus = {
    .block = "hazard", .profiles = profile_names, .next = next};

// SPDX-License-Identifier: Apache-2.0
// Stimulus of the hazard check: the generic driver, with a hook because most counts that are
// random would stall every head, and few cycles may go several ways while the arbiter's `last` is
// unknown. The spec forbids nothing (muon-issue §4).
#include "common.h"
#include "warplock/hazard.h"

enum { OPEN_CYCLES = 64 };

enum {
    FREED,      // nothing is pending of a head's destination
    SOFT_RESET, // share of the cycles with softReset that keep it
};

static const stim_weights profiles[] = {
    // hold, valid, ready, stuck, full, edge, fresh, corner, few, few_bits, repeat, bit, reset, own
    /* mixed */ {STIM_HELD, 160, 128, 24, 64, 32, 16, 64, 96, 3, 64, 160, 4, {176, 16}},
    /* saturate */ {STIM_HELD, 255, 240, 0, 224, 0, 16, 32, 64, 6, 32, 192, 0, {240, 8}},
    /* hazards */ {STIM_HELD, 224, 128, 8, 96, 32, 16, 64, 96, 3, 64, 192, 4, {64, 8}},
    /* refused */ {STIM_HELD, 160, 64, 32, 64, 16, 16, 64, 96, 4, 64, 160, 4, {208, 8}},
    /* full */ {STIM_HELD, 192, 128, 64, 64, 16, 16, 64, 96, 4, 64, 160, 4, {192, 8}},
    /* sparse */ {STIM_HELD, 32, 128, 24, 64, 64, 16, 64, 96, 4, 64, 128, 4, {192, 8}},
    /* operands */ {STIM_FREE, 192, 192, 8, 128, 16, 32, 96, 96, 2, 160, 96, 4, {208, 8}},
    /* impatient */ {STIM_FREE, 160, 96, 24, 64, 48, 16, 64, 96, 4, 64, 160, 8, {176, 16}},
    /* anything */ {STIM_FREE, 128, 96, 24, 64, 64, 32, 64, 96, 4, 64, 128, 16, {96, 48}},
    /* resets */ {STIM_HELD, 192, 192, 8, 128, 16, 16, 64, 96, 4, 64, 160, 200, {208, 200}},
};

STIM_PROFILE_NAMES(WLK_HAZARD_PROFILES, STIM_PHASE_CYCLES);

#define GET(field, words)        wlk_hazard_in_get_##field(words)
#define SET(field, words, value) wlk_hazard_in_set_##field(words, value)

// While the arbiter's `last` is unknown a checker must follow each value that is possible. One of
// two seeds starts that way. Then, and in the others, only one warp has a head in a cycle that
// would go several ways.
static bool may_branch(const stim_cycle *c, const uint64_t *in) {
    const bool open = (c->stim->memory[STIM_FIRST] >> 16 & 1u) == 0;
    return (open && c->stim->cycle < OPEN_CYCLES) ||
           wlk_hazard_block.outcomes(c->cfg, c->state, in) == 1;
}

static void hook(const stim_cycle *c, uint64_t *in) {
    const wlk_hazard_cfg *cfg = (const wlk_hazard_cfg *)c->cfg;
    const uint32_t heads = GET(ibuf_valid, in);
    const uint32_t freed = stim_set(&c->stim->random, c->w->own[FREED]);
    SET(scb_warps_readRd_pendingWrites, in, GET(scb_warps_readRd_pendingWrites, in) & ~freed);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        if ((freed >> w & 1u) != 0) {
            SET(scb_warps_readRd_pendingReads, wlk_hazard_in_element_mut(in, w), 0);
        }
    }
    if (!stim_chance(&c->stim->random, c->w->own[SOFT_RESET])) {
        SET(softReset, in, 0);
    }
    if (!may_branch(c, in)) {
        SET(ibuf_valid, in, heads & ~(heads - 1u));
    }
}

STIM_GENERATOR(hazard, hook);

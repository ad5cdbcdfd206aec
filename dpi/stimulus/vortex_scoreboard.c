// SPDX-License-Identifier: Apache-2.0
// Stimulus of Vortex's scoreboard: the generic driver, with a hook because a final write-back names
// a register in use (an assertion of the RTL, vortex-issue §12), and nothing else frees registers.
#include "warplock/vortex_scoreboard.h"
#include "common.h"

enum {
    WITHHOLD, // no register becomes free
};

static const stim_weights profiles[] = {
    // hold, valid, ready, stuck, full, edge, fresh, corner, few, few_bits, repeat, bit, reset, own
    /* mixed */ {STIM_HELD, 160, 160, 16, 64, 48, 96, 16, 160, 4, 32, 128, 4, {64}},
    /* dense */ {STIM_HELD, 240, 224, 0, 160, 16, 96, 16, 96, 5, 16, 96, 2, {16}},
    /* sparse */ {STIM_HELD, 64, 192, 48, 8, 32, 128, 16, 96, 4, 32, 128, 8, {64}},
    /* dependent */ {STIM_HELD, 224, 224, 0, 96, 48, 64, 0, 248, 2, 64, 192, 2, {32}},
    /* blocked */ {STIM_HELD, 224, 64, 64, 96, 48, 64, 16, 192, 3, 32, 128, 4, {96}},
    /* free_running */ {STIM_FREE, 176, 192, 16, 64, 48, 255, 32, 128, 4, 32, 128, 4, {32}},
    /* starved */ {STIM_HELD, 240, 240, 0, 0, 224, 64, 0, 64, 5, 0, 32, 0, {0}},
    /* corners */ {STIM_HELD, 176, 160, 16, 64, 48, 128, 160, 32, 2, 32, 224, 4, {48}},
    /* resets */ {STIM_HELD, 176, 160, 16, 64, 48, 96, 32, 128, 3, 32, 128, 160, {64}},
};

STIM_PROFILE_NAMES(WLK_VORTEX_SCOREBOARD_PROFILES, STIM_PHASE_CYCLES);

#define GET(field, words)        wlk_vortex_scoreboard_in_get_##field(words)
#define SET(field, words, value) wlk_vortex_scoreboard_in_set_##field(words, value)

// The warp with a register in use, looked for from one on; that one when there is none.
static uint32_t find_warp(const wlk_vortex_scoreboard_state *st, uint32_t first, uint32_t warps) {
    for (uint32_t i = 0; i < warps; i++) {
        const uint32_t w = (first + i) % warps;
        if (st->inuse[w] != 0) {
            return w;
        }
    }
    return first;
}

static void hook(const stim_cycle *c, uint64_t *in) {
    const wlk_vortex_scoreboard_cfg *cfg = (const wlk_vortex_scoreboard_cfg *)c->cfg;
    const wlk_vortex_scoreboard_state *st = (const wlk_vortex_scoreboard_state *)c->state;
    const uint32_t warps = cfg->num_warps / cfg->issue_width;
    const uint32_t warp = find_warp(st, (uint32_t)GET(wb_data_wis, in) % warps, warps);
    const uint64_t above = st->inuse[warp] >> GET(wb_data_rd, in) << GET(wb_data_rd, in);
    const uint64_t from = above != 0 ? above : st->inuse[warp];
    const bool known = st->reset_seen != 0 && from != 0;
    const bool drains = c->stim->drain != 0;
    SET(wb_data_wis, in, warp);
    if (drains || stim_hits(wlk_random(&c->stim->random), c->w->own[WITHHOLD])) {
        SET(wb_data_eop, in, drains);
    }
    if (drains) {
        SET(wb_valid, in, known);
    }
    if (GET(wb_data_eop, in) != 0) {
        SET(wb_data_eop, in, known);
        SET(wb_data_rd, in, known ? (uint32_t)__builtin_ctzll(from) : 0u);
    }
}

STIM_GENERATOR(vortex_scoreboard, hook);

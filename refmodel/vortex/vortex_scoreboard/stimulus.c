// SPDX-License-Identifier: Apache-2.0
// Stimulus of Vortex's scoreboard: the generic driver, with a hook for its protocol rules: a final
// write-back names a register in use, and no staged instruction waits for too long (vortex-issue
// §12). Nothing but final write-backs frees registers.
#include "common.h"
#include "warplock/vortex_scoreboard.h"

enum {
    WITHHOLD, // no register becomes free
    AIM,      // an instruction names a register in use
};

static const stim_weights profiles[] = {
    // hold, valid, ready, stuck, full, edge, fresh, corner, few, few_bits, repeat, bit, reset, own
    /* mixed */ {STIM_HELD, 160, 160, 16, 64, 48, 96, 16, 224, 3, 16, 128, 4, {144, 192}},
    /* dense */ {STIM_HELD, 240, 224, 0, 160, 16, 96, 16, 160, 3, 16, 96, 2, {32, 192}},
    /* sparse */ {STIM_HELD, 64, 192, 48, 8, 32, 128, 16, 192, 3, 16, 128, 8, {64, 192}},
    /* dependent */ {STIM_HELD, 224, 224, 0, 96, 48, 64, 0, 248, 3, 32, 192, 2, {144, 192}},
    /* blocked */ {STIM_HELD, 224, 64, 64, 96, 48, 64, 16, 224, 3, 16, 128, 4, {96, 192}},
    /* free_running */ {STIM_FREE, 176, 192, 16, 64, 48, 255, 16, 224, 3, 16, 128, 4, {32, 192}},
    /* starved */ {STIM_HELD, 240, 240, 0, 0, 224, 64, 0, 64, 5, 0, 32, 0, {64, 192}},
    /* crowded */ {STIM_HELD, 250, 250, 0, 224, 0, 64, 0, 0, 0, 0, 160, 0, {176, 0}},
    /* corners */ {STIM_HELD, 176, 160, 16, 64, 48, 128, 160, 32, 2, 32, 224, 4, {112, 192}},
    /* resets */ {STIM_HELD, 176, 160, 16, 64, 48, 96, 32, 192, 3, 32, 128, 160, {64, 192}},
};

STIM_PROFILE_NAMES(WLK_VORTEX_SCOREBOARD_PROFILES, STIM_PHASE_CYCLES);

#define GET(field, words)        wlk_vortex_scoreboard_in_get_##field(words)
#define SET(field, words, value) wlk_vortex_scoreboard_in_set_##field(words, value)

// The warp with a register in use, looked for from one on; that one when there is none.
static uint32_t find_warp(const wlk_vortex_scoreboard_state *st, uint32_t first, uint32_t warps) {
    for (uint32_t i = 0; i < warps; i++) {
        const uint32_t w = (first + i) % warps;
        if (st->warp[w].inuse != 0) {
            return w;
        }
    }
    return first;
}

enum { TRIES = 4 };

// What the registers of an instruction are XORed with, so that one of them is in use (whatever
// register is in use is waited for too), or none: it must not wait for another one's sake.
static uint64_t aim(const uint64_t *instr, uint64_t inuse, uint64_t registers, uint32_t chance,
                    uint64_t random) {
    const uint64_t fields[] = {wlk_instr_get_rd(instr), wlk_instr_get_rs1(instr),
                               wlk_instr_get_rs2(instr), wlk_instr_get_rs3(instr)};
    if (inuse != 0 && stim_hits(random >> 24, chance)) {
        const uint64_t from = inuse >> (random >> 16 & 63u) << (random >> 16 & 63u);
        const uint64_t reg = (uint64_t)__builtin_ctzll(from != 0 ? from : inuse);
        return (fields[random >> 2 & 3u] ^ reg) & (registers - 1u);
    }
    uint64_t mask = 0, hits = 1;
    for (uint32_t i = 0; i < TRIES && hits != 0; i++) {
        mask = random >> (8u + 6u * i) & (registers - 1u);
        hits = 0;
        for (uint32_t f = 0; f < 4; f++) {
            hits |= inuse >> ((fields[f] ^ mask) & (registers - 1u)) & 1u;
        }
    }
    return mask;
}

// What waits stays as it is: the choice is made once for an instruction, and kept.
static void move_registers(const stim_cycle *c, uint32_t warps, uint64_t registers, uint64_t *in) {
    const wlk_vortex_scoreboard_state *st = (const wlk_vortex_scoreboard_state *)c->state;
    for (uint32_t w = 0; w < warps; w++) {
        uint64_t *last = &c->stim->memory[STIM_OWN + w];
        uint64_t *instr =
            wlk_vortex_scoreboard_in_element_mut(in, w) + WLK_VORTEX_SCOREBOARD_IN_IB_DATA;
        uint64_t random = wlk_instr_get_uuid(instr) ^ wlk_instr_get_op_args(instr) << 9 ^
                          wlk_instr_get_rd(instr) << 3;
        random = wlk_random(&random);
        if ((random ^ *last) >> 6 != 0) { // another instruction
            const uint64_t chosen =
                aim(instr, st->warp[w].inuse, registers, c->w->own[AIM], random);
            *last = (random & ~UINT64_C(63)) | chosen;
        }
        const uint64_t mask = *last & 63u;
        wlk_instr_set_rd(instr, wlk_instr_get_rd(instr) ^ mask);
        wlk_instr_set_rs1(instr, wlk_instr_get_rs1(instr) ^ mask);
        wlk_instr_set_rs2(instr, wlk_instr_get_rs2(instr) ^ mask);
        wlk_instr_set_rs3(instr, wlk_instr_get_rs3(instr) ^ mask);
    }
}

enum { PATIENCE = WLK_VXSB_STALLS / 2 };

// Has an instruction waited for so long that everything else should wait for it?
static bool lags(const wlk_vortex_scoreboard_state *st, uint64_t cycle, uint32_t warps) {
    bool found = false;
    for (uint32_t w = 0; w < warps && cycle > PATIENCE; w++) {
        found |= st->warp[w].waited > PATIENCE;
    }
    return found;
}

static void hook(const stim_cycle *c, uint64_t *in) {
    const wlk_vortex_scoreboard_cfg *cfg = (const wlk_vortex_scoreboard_cfg *)c->cfg;
    const wlk_vortex_scoreboard_state *st = (const wlk_vortex_scoreboard_state *)c->state;
    const uint32_t warps = cfg->num_warps / cfg->issue_width;
    const uint32_t warp = find_warp(st, (uint32_t)GET(wb_data_wis, in) % warps, warps);
    const uint64_t above = st->warp[warp].inuse >> GET(wb_data_rd, in) << GET(wb_data_rd, in);
    const uint64_t from = above != 0 ? above : st->warp[warp].inuse;
    const bool known = from != 0;
    const bool late = lags(st, c->stim->cycle, warps), drains = c->stim->drain != 0 || late;
    move_registers(c, warps, 32u << cfg->ext_f_enable, in);
    SET(wb_data_wis, in, warp);
    if (drains || stim_hits(wlk_random(&c->stim->random), c->w->own[WITHHOLD])) {
        SET(wb_data_eop, in, drains);
    }
    if (drains) {
        SET(wb_valid, in, known);
    }
    if (late) {
        SET(ib_valid, in, 0);
        SET(sb_ready, in, 1);
    }
    if (GET(wb_data_eop, in) != 0) {
        SET(wb_data_eop, in, known);
        SET(wb_data_rd, in, known ? (uint32_t)__builtin_ctzll(from) : 0u);
    }
}

STIM_GENERATOR(vortex_scoreboard, hook);

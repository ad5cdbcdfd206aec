// SPDX-License-Identifier: Apache-2.0
// Stimulus of Vortex's collectors: the generic driver, with a hook because an instruction without
// threads never ends where a warp has several packets, a warp beyond the last one has no registers
// (vortex-issue Q6, Q12), what comes behind an instruction that was dropped must end all the same,
// and what is written should be what is read.
#include "common.h"
#include "warplock/vortex_opc_unit.h"
#include "warplock/vortex_operands.h"
#include "warplock/vortex_scoreboard_ports.h"

enum {
    AIM, // the write-back is to a register that the instruction names
};

static const stim_weights profiles[] = {
    // hold, valid, ready, stuck, full, edge, fresh, corner, few, few_bits, repeat, bit, reset, own
    /* mixed */ {STIM_HELD, 160, 160, 16, 64, 0, 96, 32, 96, 4, 48, 128, 16, {96}},
    /* dense */ {STIM_HELD, 250, 240, 0, 224, 0, 96, 16, 32, 4, 32, 128, 2, {64}},
    /* sparse */ {STIM_HELD, 48, 192, 48, 8, 0, 128, 32, 96, 4, 48, 128, 8, {128}},
    /* conflicts */ {STIM_HELD, 224, 224, 0, 128, 0, 96, 0, 64, 3, 160, 224, 32, {96}},
    /* pressed */ {STIM_HELD, 224, 64, 64, 96, 0, 64, 32, 96, 4, 48, 128, 4, {96}},
    /* free_running */ {STIM_FREE, 176, 176, 16, 64, 0, 255, 32, 96, 4, 48, 128, 4, {96}},
    /* collide */ {STIM_HELD, 224, 224, 0, 160, 0, 96, 0, 128, 2, 96, 160, 32, {240}},
    /* few_packets */ {STIM_HELD, 192, 192, 16, 96, 0, 96, 16, 96, 4, 48, 128, 16, {96}},
    /* corners */ {STIM_HELD, 176, 160, 16, 64, 0, 128, 160, 32, 2, 32, 192, 16, {96}},
    /* resets */ {STIM_HELD, 176, 160, 16, 64, 0, 96, 32, 96, 3, 48, 128, 160, {96}},
};

STIM_PROFILE_NAMES(WLK_VORTEX_OPC_UNIT_PROFILES, STIM_PHASE_CYCLES);

_Static_assert(WLK_VORTEX_OPC_UNIT_IN_SB_DATA == WLK_VORTEX_OPERANDS_IN_SB_DATA &&
                   WLK_VORTEX_OPC_UNIT_IN_CONTROL == WLK_VORTEX_OPERANDS_IN_CONTROL,
               "both blocks have the same inputs");

#define GET(field, words)        wlk_vortex_opc_unit_in_get_##field(words)
#define SET(field, words, value) wlk_vortex_opc_unit_in_set_##field(words, value)

// What both blocks have.
typedef struct shape {
    uint32_t warps, threads, simd, registers, collectors;
    const wlk_vx_collector *opc;
} shape;

#define SHAPE(cfg, n, opc)                                                                         \
    {                                                                                              \
        (cfg)->num_warps / (cfg)->issue_width, (cfg)->num_threads, (cfg)->simd_width,              \
            32u << (cfg)->ext_f_enable, n, opc                                                     \
    }

// Empty packets, but never all of them.
static uint64_t thin(const shape *s, uint64_t tmask, uint64_t random) {
    const uint64_t lanes = wlk_mask(s->simd), all = wlk_mask(s->threads);
    const uint64_t empty = random >> 60; // of sixteen
    uint64_t left = tmask & all;
    for (uint32_t p = 0; p < s->threads / s->simd; p++, random = random >> 4 | random << 60) {
        if ((random & 15u) < empty) {
            left &= ~(lanes << (p * s->simd));
        }
    }
    return left != 0 ? left : UINT64_C(1) << stim_below(random, s->threads);
}

// With the last packet too, where one was dropped that had passed the last one of this instruction.
static uint64_t ending(const shape *s, uint32_t wis, uint64_t tmask) {
    const uint32_t i = wis & (uint32_t)wlk_mask(wlk_clog2(s->collectors));
    const uint32_t last = (63u - (uint32_t)__builtin_clzll(tmask)) / s->simd;
    const bool passed = i < s->collectors && (s->opc[i].sent >> last & 1u) != 0;
    return passed ? tmask | UINT64_C(1) << (s->threads - 1u) : tmask;
}

// By the instruction and by what was dropped before it: it stays as it is while it waits.
static void make_legal(const shape *s, uint64_t *in) {
    uint64_t *instr = in + WLK_VORTEX_OPC_UNIT_IN_SB_DATA;
    uint64_t random = wlk_instr_get_uuid(instr) ^ wlk_instr_get_PC(instr) << 20 ^
                      wlk_instr_get_op_args(instr) << 7;
    random = wlk_random(&random);
    SET(sb_data_wis, in, GET(sb_data_wis, in) % s->warps);
    SET(wb_data_wis, in, GET(wb_data_wis, in) % s->warps);
    SET(wb_data_sid, in, GET(wb_data_sid, in) % (s->threads / s->simd));
    if (s->threads > s->simd) {
        const uint64_t tmask = thin(s, wlk_instr_get_tmask(instr), random);
        wlk_instr_set_tmask(instr, ending(s, GET(sb_data_wis, in), tmask));
    }
    if ((random >> 16 & 7u) == 0) { // x0, or f0
        wlk_instr_set_rs1(instr, random >> 19 & 32u & (s->registers - 1u));
    }
}

static void drive(const stim_cycle *c, const shape *s, uint64_t *in) {
    const uint64_t *instr = in + WLK_VORTEX_OPC_UNIT_IN_SB_DATA;
    const uint64_t random = wlk_random(&c->stim->random);
    make_legal(s, in);
    if (stim_hits(random, c->w->own[AIM])) {
        const uint64_t rs[] = {wlk_instr_get_rs1(instr), wlk_instr_get_rs2(instr),
                               wlk_instr_get_rs3(instr)};
        SET(wb_data_rd, in, rs[stim_below(random, 3)] & (s->registers - 1u));
        SET(wb_data_wis, in, GET(sb_data_wis, in));
    }
}

static void hook_opc_unit(const stim_cycle *c, uint64_t *in) {
    const wlk_vortex_opc_unit_cfg *cfg = (const wlk_vortex_opc_unit_cfg *)c->cfg;
    const shape s = SHAPE(cfg, 1, ((const wlk_vortex_opc_unit_state *)c->state)->opc);
    drive(c, &s, in);
}

static void hook_operands(const stim_cycle *c, uint64_t *in) {
    const wlk_vortex_operands_cfg *cfg = (const wlk_vortex_operands_cfg *)c->cfg;
    const wlk_vx_collector *opc = ((const wlk_vortex_operands_state *)c->state)->opc;
    const shape s = SHAPE(cfg, cfg->num_opcs, opc);
    drive(c, &s, in);
}

STIM_GENERATOR(vortex_opc_unit, hook_opc_unit);
STIM_GENERATOR(vortex_operands, hook_operands);

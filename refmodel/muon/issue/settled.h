/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step of a stage all of whose flip-flops are known: compare and clock edge, which look at what
 * is known of the operands alone. Part of model.c, which wires the models. Spec: muon-issue §6.
 */
#ifndef WLK_ISSUE_SETTLED_H
#define WLK_ISSUE_SETTLED_H

#include "muon/stage_counters.h"

INLINE uint32_t is_settled(const state_t *st) {
    return st->hazard.reset_seen & st->reservStation.stage_known & set_is_single(st->hazard.last) &
           set_is_single(st->reservStation.last) & bit_not(st->collector.late);
}

/* All ones when the ports show an operand, else 0: which they do cannot be foretold. */
INLINE uint64_t enabled(const cycle_t *c, uint32_t operand) {
    return 0u - (uint64_t)(c->rs.data_enables >> operand & 1u);
}

/* Nonzero when an operand that the ports show is unknown. */
INLINE uint64_t unknown(const state_t *st, const cycle_t *c, uint64_t lanes) {
    uint64_t missing = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        missing |= ~st->collector.bank_known[coll_bank_row(i, c->coll.read_entry)] & enabled(c, i);
    }
    return missing & lanes;
}

INLINE uint64_t operands_differ(const state_t *st, const cycle_t *c, const wlk_view *got,
                                uint32_t words) {
    const uint32_t stride = prf_stride_of(words);
    prf_vec diff = {0};
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const uint64_t *row = coll_bank_at(&st->collector, i, c->coll.read_entry, stride);
        diff |= prf_differ_shown(row, enabled(c, i), got->payload[i], words);
    }
    return prf_any(diff);
}

/* Nonzero where an output is not that of the cycle, or may not be. */
INLINE uint64_t outputs_differ(const cfg_t *cfg, const state_t *st, const cycle_t *c,
                               const wlk_view *got, uint32_t words) {
    uint64_t out[PLAIN];
    plain_outputs(st, c, out);
    return words_differ(out, got->control, PLAIN) |
           stage_counters_differ(&st->reservStation, &st->hazard,
                                 wlk_issue_out_element(got->control, 0), COUNTERS, cfg->num_warps) |
           operands_differ(st, c, got, words) | unknown(st, c, wlk_mask(cfg->num_lanes));
}

/* The clock edge, of which the updates of collector and write-back to the scoreboard are done. */
INLINE void edge_settled(const cfg_t *cfg, state_t *st, const cycle_t *c, const void *data,
                         uint32_t words) {
    coll_commit(&c->coll_cfg, &st->collector, &c->coll, data, words, cfg->lane_bits);
    rs_commit(&c->shape, &st->reservStation, &c->rs_in, &c->admission, c->coll.request, &c->rs);
    hz_commit(&st->hazard, &c->hz, cfg->num_warps);
    if (c->rs_in.reset) {
        sb_reset(&st->scoreboard);
    } else {
        sb_commit_early(&st->scoreboard, &c->sb);
    }
}

INLINE int step_shape(const cfg_t *cfg, state_t *st, const wlk_view *in, const wlk_view *got) {
    const uint32_t words = prf_words_of(cfg->num_lanes, cfg->lane_bits);
    cycle_t c;
    c.in = in->control;
    reservation_station(cfg, st, c.in, &c);
    collector(cfg, st, c.in, &c);
    update(cfg, st, &c);
    sb_put_early(&st->scoreboard, &c.sb);
    choose(cfg, st, c.in, &c);
    admit(cfg, st, c.in, &c);
    if (outputs_differ(cfg, st, &c, got, words) != 0) {
        sb_take_back(&st->scoreboard, &c.sb);
        return 1;
    }
    edge_settled(cfg, st, &c, in->payload[0], words);
    return 0;
}

/* Rows of the usual shape are whole vectors, and of the usual warps no loop is left. */
static __attribute__((noinline, flatten)) int
step_8x16x32(const cfg_t *cfg, state_t *st, const wlk_view *in, const wlk_view *got) {
    cfg_t known = *cfg;
    known.num_warps = 8;
    known.num_lanes = 16;
    known.lane_bits = 32;
    return step_shape(&known, st, in, got);
}

static __attribute__((noinline, flatten)) int step_16x32(const cfg_t *cfg, state_t *st,
                                                         const wlk_view *in, const wlk_view *got) {
    cfg_t known = *cfg;
    known.num_lanes = 16;
    known.lane_bits = 32;
    return step_shape(&known, st, in, got);
}

static __attribute__((noinline, flatten)) int step_any(const cfg_t *cfg, state_t *st,
                                                       const wlk_view *in, const wlk_view *got) {
    return step_shape(cfg, st, in, got);
}

static int step(const uint32_t *params, void *state, const wlk_view *in, const wlk_view *got,
                wlk_step_info *info) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    if (!is_settled(st) || got->mask != NULL) {
        return 1;
    }
    info->violated = 0;
    if (cfg->num_lanes != 16 || cfg->lane_bits != 32) {
        return step_any(cfg, st, in, got);
    }
    return cfg->num_warps == 8 ? step_8x16x32(cfg, st, in, got) : step_16x32(cfg, st, in, got);
}

#endif

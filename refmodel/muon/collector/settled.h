/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step of a collector: part of model.c. Where the registers of the control are known it is
 * compiled for the usual shape, and where all rows are, looks at no lanes that are known; what is
 * illegal is left to the step that looks at all. The rules are those of rules.h.
 */
#ifndef WLK_COLLECTOR_SETTLED_H
#define WLK_COLLECTOR_SETTLED_H

/* Of the usual shape: what is known, the registers of the control or all rows too. */
enum { UNSETTLED, SETTLED_CONTROL, SETTLED_ROWS };

/* ---- which states ------------------------------------------------------------------------- */

static bool entries_are_known(const coll_cfg *cfg, const coll_state *st, uint64_t all) {
    uint64_t unknown = 0;
    for (uint32_t e = 0; e < cfg->coll_entries; e++) {
        unknown |= coll_unknown(st, e, all);
    }
    return unknown == 0;
}

/* Each register is looked at once, as long as none is forgotten. */
static bool rows_are_known(const coll_cfg *cfg, coll_state *st) {
    const uint64_t all = wlk_mask(cfg->num_lanes);
    while (st->known_below < cfg->num_pregs && (~st->rf_known[st->known_below] & all) == 0) {
        st->known_below++;
    }
    return st->known_below == cfg->num_pregs && entries_are_known(cfg, st, all);
}

static bool control_is_known(const coll_state *st) {
    return (st->reset_seen & st->writeResp_known & bit_not(st->late)) != 0;
}

/* After an edge. */
static void settle(const coll_cfg *cfg, coll_state *st) {
    st->settled = UNSETTLED;
    if (is_usual(cfg) && control_is_known(st) && st->nextAllocId < cfg->coll_entries) {
        const bool writes_first = cfg->read_during_write == WLK_COLLECTOR_READ_DURING_WRITE_NEW;
        st->settled = writes_first && rows_are_known(cfg, st) ? SETTLED_ROWS : SETTLED_CONTROL;
    }
}

/* Lanes of a register are forgotten. */
static void unsettle(const coll_cfg *cfg, coll_state *st, uint32_t preg) {
    st->known_below = wlk_min(st->known_below, preg);
    settle(cfg, st);
}

/* May all rows be known from this edge on? The next register is, or all are. */
PRF_INLINE bool may_settle(const coll_cfg *cfg, const coll_state *st, uint64_t all) {
    return cfg->read_during_write == WLK_COLLECTOR_READ_DURING_WRITE_NEW &&
           (st->known_below == cfg->num_pregs || (~st->rf_known[st->known_below] & all) == 0);
}

/* ---- the step ----------------------------------------------------------------------------- */

/* Nonzero when an output is unknown or another one. */
PRF_INLINE uint64_t differs(const coll_state *st, const coll_comb *c, const wlk_view *got,
                            uint32_t lanes, uint32_t lane_bits, bool settled) {
    const uint32_t words = prf_words_of(lanes, lane_bits), stride = prf_stride_of(words);
    const uint64_t *shown = coll_bank_at(st, 0, c->read_entry, stride);
    prf_vec rows = prf_differ(shown, got->payload[0], words);
    rows |= prf_differ(shown + stride, got->payload[1], words);
    rows |= prf_differ(shown + 2 * stride, got->payload[2], words);
    return (c->control[0] ^ got->control[0]) | prf_any(rows) |
           (settled ? 0u : coll_unknown(st, c->read_entry, wlk_mask(lanes)));
}

/* Any shape, what is illegal included. */
static __attribute__((noinline)) int step_looking(const coll_cfg *cfg, coll_state *st,
                                                  const wlk_view *in, const wlk_view *got,
                                                  wlk_step_info *info) {
    const uint32_t lanes = cfg->num_lanes, lane_bits = cfg->lane_bits;
    coll_comb c;
    if (!control_is_known(st) || got->mask != NULL) {
        return 1;
    }
    coll_cycle(cfg, st, in->control, &c);
    if (differs(st, &c, got, lanes, lane_bits, false) != 0) {
        return 1;
    }
    info->violated = violations(st, &c);
    coll_commit(cfg, st, &c, in->payload[0], prf_words_of(lanes, lane_bits), lane_bits);
    settle(cfg, st);
    return 0;
}

/* Each part of the edge is derived where it is stored, so that few values are kept meanwhile. */
PRF_INLINE int step_settled(const coll_cfg *cfg, coll_state *st, const wlk_view *in,
                            const wlk_view *got, wlk_step_info *info, bool settled) {
    enum { LANES = 16, LANE_BITS = 32, WORDS = LANES * LANE_BITS / 64 };
    const uint64_t *control = in->control;
    coll_comb c;
    coll_observe(cfg, st, control, &c);
    if (!c.in_range || (c.read_valid & bit_not(c.allocated)) != 0) {
        return step_looking(cfg, st, in, got, info);
    }
    info->violated = 0;
    if (differs(st, &c, got, LANES, LANE_BITS, settled) != 0) {
        return 1;
    }
    coll_land(st, st->nextAllocId, WORDS, settled);
    coll_request(st, control, &c);
    coll_take(st, &c);
    coll_write(control, &c);
    coll_store(cfg, st, &c, in->payload[0], WORDS, LANE_BITS, settled);
    if (COLL_GET(reset, control)) {
        coll_reset(cfg, st, WORDS);
    }
    if (!settled && may_settle(cfg, st, wlk_mask(LANES))) {
        settle(cfg, st);
    }
    return 0;
}

static __attribute__((noinline)) int step_rows(const coll_cfg *cfg, coll_state *st,
                                               const wlk_view *in, const wlk_view *got,
                                               wlk_step_info *info) {
    return step_settled(cfg, st, in, got, info, true);
}

static __attribute__((noinline)) int step_control(const coll_cfg *cfg, coll_state *st,
                                                  const wlk_view *in, const wlk_view *got,
                                                  wlk_step_info *info) {
    return step_settled(cfg, st, in, got, info, false);
}

static int step(const uint32_t *params, void *state, const wlk_view *in, const wlk_view *got,
                wlk_step_info *info) {
    const coll_cfg *cfg = (const coll_cfg *)params;
    coll_state *st = (coll_state *)state;
    switch (got->mask != NULL ? (uint8_t)UNSETTLED : st->settled) {
    case SETTLED_ROWS:
        return step_rows(cfg, st, in, got, info);
    case SETTLED_CONTROL:
        return step_control(cfg, st, in, got, info);
    default:
        return step_looking(cfg, st, in, got, info);
    }
}

#endif

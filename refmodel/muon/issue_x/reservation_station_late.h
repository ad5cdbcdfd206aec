/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Muon's reservation station from a start without its reset (muon-issue §5). The counters of
 * occupancy tell when it is empty; from there on all of its rows are known.
 */
#ifndef WLK_ISSUE_X_RESERVATION_STATION_LATE_H
#define WLK_ISSUE_X_RESERVATION_STATION_LATE_H

#include "frame/counters.h"
#include "reservation_station_rules.h"

/* The counters of the station: bits of perf_known, and where a block has their words. */
enum { RS_DISPATCHED, RS_ELIGIBLE, RS_OCCUPANCY, RS_PERF, RS_ALL_PERF = (1 << RS_PERF) - 1 };

static inline void rs_late(rs_state *st, uint32_t rows) {
    memset(st, 0, sizeof *st);
    st->late = 1;
    st->last = arbiter_unknown(rows);
}

/* Empty before this edge, but for a stage that is full or not; what only shows when it is empty
 * stays unknown. */
static inline void rs_start(rs_state *st, uint32_t stage_full) {
    st->valid = 0;
    memset(st->warp_rows, 0, sizeof st->warp_rows);
    st->stage_full = (uint8_t)stage_full;
    st->rows_known = 1;
    st->idle_known = 0;
}

static inline bool rs_stood_still(const wlk_sight *seen, uint32_t word) {
    return (seen->out_known[word] & seen->next_known[word]) == ~UINT64_C(0) &&
           seen->out[word] == seen->next[word];
}

/* A counter stood still, which was not cleared: nothing was valid. @p words: of the counters. */
static inline bool rs_was_empty(const wlk_sight *seen, const uint32_t words[RS_PERF]) {
    return rs_stood_still(seen, words[RS_OCCUPANCY]) || rs_stood_still(seen, words[RS_DISPATCHED]);
}

/* The clock edge, after rs_commit; @p clear: of the counters. */
static inline void rs_commit_late(rs_state *st, uint32_t clear) {
    if (clear) {
        st->perf_known = RS_ALL_PERF;
        memset(st->warp_known, RS_ALL_PERF, sizeof st->warp_known);
    } else if (!st->rows_known) {
        st->perf_known = 0;
        memset(st->warp_known, 0, sizeof st->warp_known);
    }
}

static inline void rs_learn_counters(rs_state *st, const wlk_sight *seen,
                                     const uint32_t words[RS_PERF]) {
    uint64_t *const counters[RS_PERF] = {
        [RS_DISPATCHED] = &st->cyclesDispatched,
        [RS_ELIGIBLE] = &st->cyclesEligible,
        [RS_OCCUPANCY] = &st->accRsOccupancy,
    };
    for (uint32_t n = 0; n < RS_PERF; n++) {
        counter_learn(counters[n], &st->perf_known, n, seen->out[words[n]],
                      seen->out_known[words[n]]);
    }
}

static inline void rs_hide_counters(const rs_state *st, const uint32_t words[RS_PERF],
                                    uint64_t *care) {
    for (uint32_t n = 0; n < RS_PERF; n++) {
        care[words[n]] = set_has(st->perf_known, n) ? care[words[n]] : 0u;
    }
}

static inline void rs_learn_warp(rs_state *st, uint32_t warp, const uint64_t *shown,
                                 const uint64_t *known) {
    counters_learn(st->perWarp[warp], &st->warp_known[warp], WLK_ISSUE_X_RS_COUNTERS, shown, known);
}

static inline void rs_hide_warp(const rs_state *st, uint32_t warp, uint64_t *care) {
    counters_hide(st->warp_known[warp], WLK_ISSUE_X_RS_COUNTERS, care);
}

static inline bool rs_counters_known(const rs_state *st, uint32_t num_warps) {
    bool known = st->perf_known == RS_ALL_PERF;
    for (uint32_t w = 0; w < num_warps; w++) {
        known = known && st->warp_known[w] == RS_ALL_PERF;
    }
    return known;
}

#endif

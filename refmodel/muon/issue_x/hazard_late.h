/* SPDX-License-Identifier: Apache-2.0 */
/* Muon's hazard check from a start without its reset: which counters are known (muon-issue §4). */
#ifndef WLK_ISSUE_X_HAZARD_LATE_H
#define WLK_ISSUE_X_HAZARD_LATE_H

#include "frame/counters.h"
#include "hazard_rules.h"

enum { HZ_ALL_COUNTERS = (1 << WLK_ISSUE_X_HAZARD_COUNTERS) - 1 };

static inline void hz_late(hz_state *st, uint32_t num_warps) {
    memset(st, 0, sizeof *st);
    st->late = 1;
    st->last = arbiter_unknown(num_warps);
}

/* The clock edge, after hz_commit. */
static inline void hz_commit_late(hz_state *st, const hz_cycle *c) {
    if (st->late && c->clear) {
        memset(st->perf_known, HZ_ALL_COUNTERS, sizeof st->perf_known);
    }
}

static inline void hz_hide_counters(const hz_state *st, uint32_t warp, uint64_t *care) {
    counters_hide(st->perf_known[warp], WLK_ISSUE_X_HAZARD_COUNTERS, care);
}

static inline void hz_learn_counters(hz_state *st, uint32_t warp, const uint64_t *shown,
                                     const uint64_t *known) {
    counters_learn(st->perf[warp], &st->perf_known[warp], WLK_ISSUE_X_HAZARD_COUNTERS, shown,
                   known);
}

static inline bool hz_is_known(const hz_state *st, uint32_t num_warps) {
    bool known = true;
    for (uint32_t w = 0; w < num_warps; w++) {
        known = known && st->perf_known[w] == HZ_ALL_COUNTERS;
    }
    return known;
}

#endif

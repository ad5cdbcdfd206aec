/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of the warps of a stage as a record has them: of each warp those of the reservation
 * station, then those of Hazard (muon-issue §6). Four words are compared at once.
 */
#ifndef WLK_STAGE_COUNTERS_H
#define WLK_STAGE_COUNTERS_H

#include "frame/differ.h"
#include "warplock/issue_x.h"

enum { RS_COUNTERS = WLK_ISSUE_X_RS_COUNTERS, HZ_COUNTERS = WLK_ISSUE_X_HAZARD_COUNTERS };
_Static_assert(RS_COUNTERS == FOUR - 1 && HZ_COUNTERS == FOUR - 1, "three of four words count");

/** Nonzero where they differ; @p got: the counters of warp 0, those of the next @p stride on. */
FOUR_INLINE uint64_t stage_counters_differ(const wlk_issue_x_reservation_station *rs,
                                           const wlk_issue_x_hazard *hz, const uint64_t *got,
                                           uint32_t stride, uint32_t num_warps) {
    const uint32_t last = num_warps - 1u;
    four differs = {0};
    for (uint32_t w = 0; w < last; w++, got += stride) { /* the fourth word is of the next warp */
        differs |= four_of(rs->perWarp[w]) ^ four_of(got);
        differs |= four_of(hz->perf[w]) ^ four_of(got + RS_COUNTERS);
    }
    return differs[0] | differs[1] | differs[2] |
           words_differ(rs->perWarp[last], got, RS_COUNTERS) |
           words_differ(hz->perf[last], got + RS_COUNTERS, HZ_COUNTERS);
}

#endif

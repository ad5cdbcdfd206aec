/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file hazard.h
 * Muon's hazard check: admission into the reservation station. Spec: muon-issue §4, arbiter §1;
 * table: refmodel/muon/hazard/block.toml. The functions are generated (warplock/hazard_ports.h).
 */
#ifndef WARPLOCK_HAZARD_H
#define WARPLOCK_HAZARD_H

#include "warplock/block.h"
#include "warplock/hazard_ports.h"

WLK_BEGIN_DECLS

/** Counters of a warp, in the order of the ports; in the state a spare word, always 0, makes four.
 */
enum { WLK_HAZARD_WAW, WLK_HAZARD_WAR, WLK_HAZARD_SCOREBOARD, WLK_HAZARD_COUNTERS };

/** State: the performance counters, and what is known of the arbiter's `last`. */
struct wlk_hazard_state {
    uint64_t perf[WLK_HAZARD_MAX_NUM_WARPS][WLK_HAZARD_COUNTERS + 1];
    uint32_t last;    /**< bit i: the arbiter's `last` may be i; one bit from the first grant on */
    uint32_t refused; /**< the head that was chosen and refused in the cycle before (coverage) */
    uint8_t reset_seen;                           /**< an edge in reset has defined the counters */
    uint8_t late;                                 /**< one before the start has */
    uint8_t perf_known[WLK_HAZARD_MAX_NUM_WARPS]; /**< then: bit n, counter n of the warp */
};

WLK_END_DECLS
#endif

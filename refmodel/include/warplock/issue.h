/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file issue.h
 * Muon's issue stage: hazard, scoreboard, reservation station and collector composed. Spec:
 * muon-issue §6; table: refmodel/muon/issue/block.toml. The functions are generated
 * (warplock/issue_ports.h).
 */
#ifndef WARPLOCK_ISSUE_H
#define WARPLOCK_ISSUE_H

#include "warplock/block.h"
#include "warplock/collector.h"
#include "warplock/issue_ports.h"
#include "warplock/reservation_station.h"

WLK_BEGIN_DECLS

/** Counters of a warp, in the order of the ports; in the state a spare word, always 0, makes four.
 */
enum {
    WLK_ISSUE_HAZARD_WAW,
    WLK_ISSUE_HAZARD_WAR,
    WLK_ISSUE_HAZARD_SCOREBOARD,
    WLK_ISSUE_HAZARD_COUNTERS
};

/** State of the hazard check: its counters, and what is known of the arbiter's `last`. */
typedef struct wlk_issue_hazard {
    uint64_t perf[WLK_ISSUE_MAX_NUM_WARPS][WLK_ISSUE_HAZARD_COUNTERS + 1];
    uint32_t last;      /**< bit i: the arbiter's `last` may be i; one bit after the first grant */
    uint32_t refused;   /**< the head that was chosen and refused in the cycle before (coverage) */
    uint8_t reset_seen; /**< an edge in reset has defined the counters */
    uint8_t late;       /**< one before the start has */
    uint8_t perf_known[WLK_ISSUE_MAX_NUM_WARPS]; /**< then: bit n, counter n of the warp */
} wlk_issue_hazard;

/** State of the scoreboard: the RTL's counters by their names, then facts about them. */
typedef struct wlk_issue_scoreboard {
    uint8_t pendingReads[WLK_ISSUE_MAX_NUM_PREGS];  /**< 0..max_pending_reads */
    uint8_t pendingWrites[WLK_ISSUE_MAX_NUM_PREGS]; /**< 0..max_pending_writes */
    uint8_t reset_seen; /**< an edge in reset has defined the counters */
    uint8_t late;       /**< one before the start has; what is known of them is below */
    uint8_t granted;    /**< of a state that is late: whether the admission is done, as seen */
    /** Of which registers: bit r % 64 of word r / 64. */
    uint64_t reads_known[WLK_ISSUE_MAX_NUM_PREGS / 64], writes_known[WLK_ISSUE_MAX_NUM_PREGS / 64];
} wlk_issue_scoreboard;

/** State: those of the four models, by the names of the RTL's instances. */
struct wlk_issue_state {
    wlk_issue_hazard hazard;
    wlk_issue_scoreboard scoreboard;
    wlk_reservation_station_state reservStation;
    wlk_collector_state collector; /**< last: its rows are as many as the configuration needs */
};

WLK_END_DECLS
#endif

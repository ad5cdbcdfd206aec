/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file issue_x.h
 * The issue stage of the Muon document, by configuration. Spec: muon-designs; table:
 * refmodel/muon/issue_x/block.toml. The functions are generated (warplock/issue_x_ports.h).
 */
#ifndef WARPLOCK_ISSUE_X_H
#define WARPLOCK_ISSUE_X_H

#include "warplock/block.h"
#include "warplock/collector_x.h"
#include "warplock/issue_x_ports.h"
#include "warplock/muon.h"

WLK_BEGIN_DECLS

#define WLK_ISSUE_X_ROWS   WLK_ISSUE_X_MAX_RS_ENTRIES
#define WLK_ISSUE_X_EPOCHS 2u

/** Counters of a warp, in the order of the ports; in the state a spare word, always 0, makes four.
 */
enum {
    WLK_ISSUE_X_HAZARD_WAW,
    WLK_ISSUE_X_HAZARD_WAR,
    WLK_ISSUE_X_HAZARD_SCOREBOARD,
    WLK_ISSUE_X_HAZARD_COUNTERS
};

/** State of the hazard check: its counters, and what is known of the arbiter's `last`. */
typedef struct wlk_issue_x_hazard {
    uint64_t perf[WLK_ISSUE_X_MAX_NUM_WARPS][WLK_ISSUE_X_HAZARD_COUNTERS + 1];
    uint32_t last;      /**< bit i: the arbiter's `last` may be i; one bit after the first grant */
    uint32_t refused;   /**< the head that was chosen and refused in the cycle before (coverage) */
    uint8_t reset_seen; /**< an edge in reset has defined the counters */
    uint8_t late;       /**< one before the start has */
    uint8_t perf_known[WLK_ISSUE_X_MAX_NUM_WARPS]; /**< then: bit n, counter n of the warp */
} wlk_issue_x_hazard;

/** Counters of a warp, in the order of the ports. */
enum {
    WLK_ISSUE_X_RS_DISPATCHED,
    WLK_ISSUE_X_RS_ELIGIBLE,
    WLK_ISSUE_X_RS_FULL,
    WLK_ISSUE_X_RS_COUNTERS
};

/**
 * State of the reservation station: the RTL's registers by their names, rows as bit r of a word,
 * operands as index 0..2; then the output stage, the counters, and facts about them.
 */
typedef struct wlk_issue_x_reservation_station {
    uint32_t valid;
    uint32_t opReady[3], busy[3], collFired[3];
    uint32_t has_rs[3]; /**< of the row's instruction, as are the next three */
    uint16_t rs[3][WLK_ISSUE_X_MAX_RS_ENTRIES];
    uint8_t warp[WLK_ISSUE_X_MAX_RS_ENTRIES];
    uint64_t entry[WLK_ISSUE_X_MAX_RS_ENTRIES][WLK_ENTRY_WORDS];
    uint8_t collPtr[WLK_ISSUE_X_MAX_RS_ENTRIES];
    /** Valid rows of the row's warp that are older than it, as sequence numbers order them. */
    uint32_t older[WLK_ISSUE_X_MAX_RS_ENTRIES];
    uint32_t warp_rows[WLK_ISSUE_X_MAX_NUM_WARPS]; /**< valid rows of each warp */
    uint8_t sequence[WLK_ISSUE_X_MAX_RS_ENTRIES];  /**< of each row (coverage) */
    uint8_t nextSequence[WLK_ISSUE_X_MAX_NUM_WARPS];
    /* output stage */
    uint8_t stage_full, stage_collFired, stage_collEntry;
    uint64_t stage[WLK_ENTRY_WORDS];
    /* counters */
    uint64_t cyclesDispatched, cyclesEligible, accRsOccupancy;
    uint64_t perWarp[WLK_ISSUE_X_MAX_NUM_WARPS][WLK_ISSUE_X_RS_COUNTERS];
    /* facts */
    uint32_t last; /**< bit i: the arbiter's `last` may be i; one bit from the first grant on */
    uint8_t stage_known; /**< a dispatch has loaded the output stage, which no reset reaches */
    uint8_t reset_seen;  /**< an edge in reset has defined what reset reaches */
    /* of a start without the reset: */
    uint8_t late;
    uint8_t rows_known;  /**< which rows are valid and their contents, and `stage_full` */
    uint8_t fired_known; /**< stage_collFired */
    uint8_t idle_known;  /**< what the last row shows without a request */
    uint8_t perf_known;  /**< bits: cyclesDispatched, cyclesEligible, accRsOccupancy */
    uint8_t warp_known[WLK_ISSUE_X_MAX_NUM_WARPS]; /**< bits of perWarp */
} wlk_issue_x_reservation_station;

/** Counters, in the order of the ports (muon-designs §11). */
enum {
    WLK_ISSUE_X_PRF_READS,
    WLK_ISSUE_X_PRF_CONFLICTS,
    WLK_ISSUE_X_LANE_CONFLICTS,
    WLK_ISSUE_X_NO_ENTRY,
    WLK_ISSUE_X_LOST_READS,
    WLK_ISSUE_X_FORWARDS,
    WLK_ISSUE_X_CACHE_LOOKUPS,
    WLK_ISSUE_X_CACHE_HITS,
    WLK_ISSUE_X_STALLS_WAR,
    WLK_ISSUE_X_STALLS_FWD,
    WLK_ISSUE_X_ENTRY_OCCUPANCY,
    WLK_ISSUE_X_COUNTERS
};

/** Of a warp. */
enum { WLK_ISSUE_X_HOLD, WLK_ISSUE_X_ROOM, WLK_ISSUE_X_WARP_COUNTERS };

/** Counts of pending reads, those of epoch 0 first, and what one bit a register tells. */
typedef struct wlk_issue_x_scoreboard {
    uint8_t pendingReads[WLK_ISSUE_X_EPOCHS * WLK_ISSUE_X_MAX_NUM_PREGS];
    uint8_t pendingWrites[WLK_ISSUE_X_MAX_NUM_PREGS];
    uint64_t epoch[WLK_ISSUE_X_MAX_NUM_PREGS / 64u]; /**< bit r % 64 of word r / 64 */
} wlk_issue_x_scoreboard;

/** Of the rows, beside what the RTL's station has. Sets have a bit a row. */
typedef struct wlk_issue_x_rows {
    uint32_t placed;                      /**< has its entry, or slots */
    uint32_t epoch[3];                    /**< in which an operand was counted */
    uint32_t unit[WLK_COLLECTOR_X_LANES]; /**< rows of each unit (inst_banked) */
    uint16_t entry[WLK_ISSUE_X_ROWS];     /**< its entry */
    uint8_t slot[3][WLK_ISSUE_X_ROWS];    /**< caching: its slots */
    uint8_t by_age[WLK_ISSUE_X_ROWS];     /**< valid rows, the oldest first */
    uint8_t n_by_age;
} wlk_issue_x_rows;

/** An issue port's output stage. */
typedef struct wlk_issue_x_stage {
    uint8_t full;
    uint8_t placed; /**< has an entry, or slots */
    uint8_t unit;
    uint8_t slot[3];
    uint16_t entry;
    uint64_t words[WLK_ENTRY_WORDS];
    uint32_t last; /**< bit i: its arbiter's `last` may be i */
    uint8_t known; /**< a dispatch has loaded it; no reset reaches its contents */
} wlk_issue_x_stage;

/** A write that is stored; its data is a row behind the collector's. */
typedef struct wlk_issue_x_write {
    uint64_t mask;
    uint16_t rd;
    uint8_t row;
} wlk_issue_x_write;

/** Of a start without the reset: what is known of the state (muon/issue_x/late.h). */
typedef struct wlk_issue_x_late {
    uint8_t on;            /**< there was one; lanes of registers may be unknown ever since */
    uint8_t stored;        /**< before the rows are known: stored writes, at most */
    uint8_t slots;         /**< caching: which registers are cached is not known */
    uint8_t bind[3];       /**< then: where an operand of this cycle finds its register */
    uint8_t counters[2];   /**< bits: eight of the counters, the others */
    uint32_t barred;       /**< warps that are seen not to be chosen in this cycle */
    uint32_t open_heads;   /**< warps whose head may wait for a write in this cycle, or not */
    uint32_t open_refused; /**< warps that may have been refused in this cycle */
    uint8_t stalls[WLK_ISSUE_X_MAX_NUM_WARPS];              /**< bits of a warp's counters */
    uint64_t writes_known[WLK_ISSUE_X_MAX_NUM_PREGS / 64u]; /**< bits of pendingWrites */
    uint64_t cached[3][WLK_ISSUE_X_MAX_NUM_PREGS / 64u];    /**< may be in a slot that is unused */
} wlk_issue_x_late;

/** State. `reservStation` has rows and counters; its output stage is not used. */
struct wlk_issue_x_state {
    wlk_issue_x_hazard hazard;
    uint64_t counters[WLK_ISSUE_X_COUNTERS];
    uint64_t stalls[WLK_ISSUE_X_MAX_NUM_WARPS][WLK_ISSUE_X_WARP_COUNTERS];
    wlk_issue_x_scoreboard scoreboard;
    wlk_issue_x_reservation_station reservStation;
    wlk_issue_x_rows rows;
    wlk_issue_x_stage stage[WLK_COLLECTOR_X_PORTS]; /**< of each issue port */
    uint8_t merged;                                 /**< the old value is kept (§5.3) */
    uint8_t n_writes, serving; /**< stored writes; 1 + the one that stays in service, or 0 */
    uint64_t rows_free[2];     /**< rows for stored writes */
    wlk_issue_x_write writes[WLK_ISSUE_X_MAX_WB_BUFFER]; /**< the oldest first */
    /** Rows that the last edge wrote from the payload (for unknown bits in it). */
    uint16_t from_payload[WLK_COLLECTOR_X_LANES + 1u];
    uint8_t n_from_payload;
    wlk_issue_x_late late;
    wlk_collector_x_state collector; /**< last: its rows are as many as the configuration needs */
};

WLK_END_DECLS
#endif

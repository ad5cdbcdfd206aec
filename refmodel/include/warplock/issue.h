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
#include "warplock/collector_ports.h"
#include "warplock/issue_ports.h"
#include "warplock/muon.h"

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

/** Counters of a warp, in the order of the ports. */
enum { WLK_ISSUE_RS_DISPATCHED, WLK_ISSUE_RS_ELIGIBLE, WLK_ISSUE_RS_FULL, WLK_ISSUE_RS_COUNTERS };

/**
 * State of the reservation station: the RTL's registers by their names, rows as bit r of a word,
 * operands as index 0..2; then the output stage, the counters, and facts about them.
 */
typedef struct wlk_issue_reservation_station {
    uint32_t valid;
    uint32_t opReady[3], busy[3], collFired[3];
    uint32_t has_rs[3]; /**< of the row's instruction, as are the next three */
    uint16_t rs[3][WLK_ISSUE_MAX_RS_ENTRIES];
    uint8_t warp[WLK_ISSUE_MAX_RS_ENTRIES];
    uint64_t entry[WLK_ISSUE_MAX_RS_ENTRIES][WLK_ENTRY_WORDS];
    uint8_t collPtr[WLK_ISSUE_MAX_RS_ENTRIES];
    /** Valid rows of the row's warp that are older than it, as sequence numbers order them. */
    uint32_t older[WLK_ISSUE_MAX_RS_ENTRIES];
    uint32_t warp_rows[WLK_ISSUE_MAX_NUM_WARPS]; /**< valid rows of each warp */
    uint8_t sequence[WLK_ISSUE_MAX_RS_ENTRIES];  /**< of each row (coverage) */
    uint8_t nextSequence[WLK_ISSUE_MAX_NUM_WARPS];
    /* output stage */
    uint8_t stage_full, stage_collFired, stage_collEntry;
    uint64_t stage[WLK_ENTRY_WORDS];
    /* counters */
    uint64_t cyclesDispatched, cyclesEligible, accRsOccupancy;
    uint64_t perWarp[WLK_ISSUE_MAX_NUM_WARPS][WLK_ISSUE_RS_COUNTERS];
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
    uint8_t warp_known[WLK_ISSUE_MAX_NUM_WARPS]; /**< bits of perWarp */
} wlk_issue_reservation_station;

/** Rows kept: three banks of 32 entries and a sink each, 1,024 registers and a sink; the widest. */
enum { WLK_ISSUE_COLL_ROWS = 3 * 33 + 1025, WLK_ISSUE_COLL_ROW_WORDS = 64 };

/**
 * State of the collector: the RTL's registers by their names, then facts about them. Rows of banks
 * and registers lie in `rows`, whole chunks apart; only as many are used as the configuration
 * needs.
 */
typedef struct wlk_issue_collector {
    uint32_t free_entries; /**< bit e: alloc_valid[e] is 0; no bits beyond coll_entries */
    uint8_t nextAllocId;   /**< entry of the request in flight */
    uint8_t nextEn; /**< bit i: operand i lands at the coming edge; is readResp's enable too */
    uint8_t readRespValid;
    uint8_t writeRespValid;
    uint16_t nextPReg[3];
    /* facts */
    uint8_t reset_seen;          /**< an edge in reset has defined the registers reset reaches */
    uint8_t writeResp_known;     /**< an edge has defined writeRespValid, which no reset reaches */
    uint8_t landing_saved;       /**< bit i: `saved` holds what lands, not the register file */
    uint8_t occupant_enable[33]; /**< operands the occupant of an entry asked for (coverage) */
    uint64_t bank_known[99]; /**< lanes known of each bank row, three an entry; the last: sinks */
    uint64_t rf_known[1025]; /**< lanes known of each register; [num_pregs] is a sink */
    uint64_t saved_known[3];
    uint8_t late;          /**< started without the reset: outputs tell what rows hold */
    uint8_t late_flops;    /**< then, without reset_seen: which registers are known */
    uint32_t late_entries; /**< and of which entries alloc_valid is */
    /** Then: the register that a bank row was loaded from, and the lanes that it still holds. */
    uint16_t bank_preg[3][33];
    uint64_t bank_same[3][33];
    /** And the lanes of a register, not in rf_known, that a copy of it was seen to hold. */
    uint64_t copy_known[3][1025];
    /** Rows read before the write of the same cycle (read_during_write old, undefined). */
    uint64_t saved[3][WLK_ISSUE_COLL_ROW_WORDS] WLK_ALIGN64;
    uint64_t rows[WLK_ISSUE_COLL_ROWS * WLK_ISSUE_COLL_ROW_WORDS] WLK_ALIGN64;
} wlk_issue_collector;

/** State: those of the four models, by the names of the RTL's instances. */
struct wlk_issue_state {
    wlk_issue_hazard hazard;
    wlk_issue_scoreboard scoreboard;
    wlk_issue_reservation_station reservStation;
    wlk_issue_collector collector; /**< last: its rows are as many as the configuration needs */
};

WLK_END_DECLS
#endif

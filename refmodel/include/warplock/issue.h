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
#include "warplock/issue_x.h"
#include "warplock/muon.h"

WLK_BEGIN_DECLS

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
    wlk_issue_x_hazard hazard;
    wlk_issue_scoreboard scoreboard;
    wlk_issue_x_reservation_station reservStation;
    wlk_issue_collector collector; /**< last: its rows are as many as the configuration needs */
};

WLK_END_DECLS
#endif

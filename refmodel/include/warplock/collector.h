/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file collector.h
 * Muon's operand collector with duplicated register files. Spec: muon-issue §2; table:
 * refmodel/muon/collector/block.toml; what stays unknown: docs/quirks.md.
 *
 * A model is a value: configuration, state, inputs and outputs are plain structs, a snapshot is
 * a copy of wlk_collector_state_size() bytes. Its functions are generated beside the ports
 * (warplock/collector_ports.h): only wlk_collector_check can fail, everything else expects a
 * checked configuration.
 */
#ifndef WARPLOCK_COLLECTOR_H
#define WARPLOCK_COLLECTOR_H

#include "warplock/block.h"
#include "warplock/collector_ports.h"

WLK_BEGIN_DECLS

#define WLK_COLLECTOR_OPERANDS  3u
#define WLK_COLLECTOR_ROW_WORDS 64u /**< widest row: 64 lanes of 64 bits */
/** Rows kept: three banks of 32 entries and a sink each, 1,024 registers and a sink. */
#define WLK_COLLECTOR_ROWS (3u * 33u + 1025u)

/**
 * State: the RTL's registers by their names, then facts about them. Rows of banks and registers
 * lie in `rows`, `stride` words apart; only the first wlk_collector_state_size() bytes are used.
 */
struct wlk_collector_state {
    uint32_t free_entries; /**< bit e: alloc_valid[e] is 0; no bits beyond coll_entries */
    uint8_t nextAllocId;   /**< entry of the request in flight */
    uint8_t nextEn; /**< bit i: operand i lands at the coming edge; is readResp's enable too */
    uint8_t readRespValid;
    uint8_t writeRespValid;
    uint16_t nextPReg[3];
    /* facts */
    uint8_t reset_seen;          /**< an edge in reset has defined the registers reset reaches */
    uint8_t settled;             /**< what a step need not look at: muon/collector/settled.h */
    uint8_t writeResp_known;     /**< an edge has defined writeRespValid, which no reset reaches */
    uint8_t landing_saved;       /**< bit i: `saved` holds what lands, not the register file */
    uint8_t occupant_enable[33]; /**< operands the occupant of an entry asked for (coverage) */
    uint64_t bank_known[99]; /**< lanes known of each bank row, three an entry; the last: sinks */
    uint64_t rf_known[1025]; /**< lanes known of each register; [num_pregs] is a sink */
    uint64_t saved_known[3];
    uint32_t known_below;  /**< registers below it were found to be known */
    uint8_t late;          /**< started without the reset: outputs tell what rows hold */
    uint8_t late_flops;    /**< then, without reset_seen: which registers are known */
    uint32_t late_entries; /**< and of which entries alloc_valid is */
    /** Then: the register that a bank row was loaded from, and the lanes that it still holds. */
    uint16_t bank_preg[3][33];
    uint64_t bank_same[3][33];
    /** And the lanes of a register, not in rf_known, that a copy of it was seen to hold. */
    uint64_t copy_known[3][1025];
    /** Rows read before the write of the same cycle (read_during_write old, undefined). */
    uint64_t saved[3][WLK_COLLECTOR_ROW_WORDS] WLK_ALIGN64;
    uint64_t rows[WLK_COLLECTOR_ROWS * WLK_COLLECTOR_ROW_WORDS] WLK_ALIGN64;
};

WLK_END_DECLS
#endif

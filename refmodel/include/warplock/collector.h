/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file collector.h
 * Muon's operand collector with duplicated register files. Spec: muon-issue §2; table:
 * refmodel/blocks/collector.toml; what stays unknown: docs/quirks.md.
 *
 * A model is a value: configuration, state, inputs and outputs are plain structs, a snapshot is
 * a copy of wlk_collector_state_size() bytes. Only wlk_collector_check can fail; everything else
 * expects a checked configuration.
 */
#ifndef WARPLOCK_COLLECTOR_H
#define WARPLOCK_COLLECTOR_H

#include "warplock/block.h"
#include "warplock/collector_ports.h"
#include "warplock/prf.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WLK_COLLECTOR_OPERANDS  3u
#define WLK_COLLECTOR_ROW_WORDS 64u /**< widest row: 64 lanes of 64 bits */
/** Rows kept: three banks of 32 entries and a sink each, 1,024 registers and a sink. */
#define WLK_COLLECTOR_ROWS (3u * 33u + 1025u)

/** Protocol rules, bits of what tick returns (table: [[rule]]). */
enum {
    WLK_COLLECTOR_READDATA_UNALLOCATED = 1 << 0,
    WLK_COLLECTOR_READDATA_OUT_OF_RANGE = 1 << 1,
};

/**
 * State: the RTL's registers by their names, then facts about them. Rows of banks and registers
 * lie in `rows`, `stride` words apart; only the first wlk_collector_state_size() bytes are used.
 */
typedef struct wlk_collector_state {
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
    uint64_t bank_known[3][33];  /**< lanes known of each bank row; [..][32] is a sink */
    uint64_t rf_known[1025];     /**< lanes known of each register; [num_pregs] is a sink */
    uint64_t saved_known[3];
    /** Rows read before the write of the same cycle (read_during_write old, undefined). */
    uint64_t saved[3][WLK_COLLECTOR_ROW_WORDS] WLK_ALIGN64;
    uint64_t rows[WLK_COLLECTOR_ROWS * WLK_COLLECTOR_ROW_WORDS] WLK_ALIGN64;
} wlk_collector_state;

/** Legal alone and together? On failure @p err names the parameter and the remedy. */
wlk_status wlk_collector_check(const wlk_collector_cfg *cfg, wlk_error *err);

/** Bytes of the state that this configuration uses; the rest is never touched. */
size_t wlk_collector_state_size(const wlk_collector_cfg *cfg);

/** Power-up: everything unknown, or every bit zero and known. */
void wlk_collector_init(const wlk_collector_cfg *cfg, wlk_collector_state *state,
                        wlk_power_up power_up);

/** Outputs of this cycle, and care (all ones = must match, per bit); pure. */
void wlk_collector_eval(const wlk_collector_cfg *cfg, const wlk_collector_state *state,
                        const wlk_collector_in *in, wlk_collector_out *out,
                        wlk_collector_out *care);

/** The clock edge. Returns the protocol rules broken; the state stays defined. */
uint32_t wlk_collector_tick(const wlk_collector_cfg *cfg, wlk_collector_state *state,
                            const wlk_collector_in *in);

/** The block as the shared parts see it. */
extern const wlk_block wlk_collector_block;

#ifdef __cplusplus
}
#endif
#endif

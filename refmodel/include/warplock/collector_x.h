/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file collector_x.h
 * The operand collectors of the Muon document, by configuration. Spec: muon-designs §2 to §5;
 * table: refmodel/blocks/collector_x.toml. The functions are generated
 * (warplock/collector_x_ports.h).
 */
#ifndef WARPLOCK_COLLECTOR_X_H
#define WARPLOCK_COLLECTOR_X_H

#include "warplock/block.h"
#include "warplock/collector_x_ports.h"

WLK_BEGIN_DECLS

#define WLK_COLLECTOR_X_LANES     16u  /**< most write ports of the collector's storage */
#define WLK_COLLECTOR_X_PORTS     4u   /**< most issue ports */
#define WLK_COLLECTOR_X_ENTRIES   512u /**< most entries: 16 banks of 32 */
#define WLK_COLLECTOR_X_SLOTS     32u  /**< most slots of a caching collector's bank */
#define WLK_COLLECTOR_X_ROW_WORDS 64u  /**< widest row: 64 lanes of 64 bits */
#define WLK_COLLECTOR_X_MORE      127u /**< rows for the stage around one: stored writes */
/** Rows: three operands of each entry, a sink, an old value, 1,024 registers, those of a stage. */
#define WLK_COLLECTOR_X_ROWS (3u * WLK_COLLECTOR_X_ENTRIES + 2u + 1024u + WLK_COLLECTOR_X_MORE)

/** Reads of one cycle, by lane; a lane that reads nothing is 0 in all. */
typedef struct wlk_collector_x_reads {
    uint32_t lanes; /**< bit c: lane c reads */
    uint16_t preg[WLK_COLLECTOR_X_LANES];
    uint16_t entry[WLK_COLLECTOR_X_LANES]; /**< entry or slot that it is stored in */
    uint8_t row[WLK_COLLECTOR_X_LANES];    /**< reservation-station row that asks */
    uint8_t operand[WLK_COLLECTOR_X_LANES];
} wlk_collector_x_reads;

/**
 * State. Rows lie in `rows`, in the order of WLK_COLLECTOR_X_ROWS, a configuration's stride apart;
 * only the first wlk_collector_x_state_size() bytes are used.
 */
struct wlk_collector_x_state {
    uint64_t taken[WLK_COLLECTOR_X_ENTRIES / 64u]; /**< bit e: entry e is allocated */
    wlk_collector_x_reads reads;                   /**< those that land at the coming edge */
    uint8_t writeRespValid;
    /* caching, by operand */
    uint8_t victim[3];
    uint32_t tagValid[3]; /**< bit s: slot s holds a register */
    uint16_t tag[3][WLK_COLLECTOR_X_SLOTS];
    uint8_t refs[3][WLK_COLLECTOR_X_SLOTS]; /**< rows that use a slot */
    /* facts */
    uint8_t reset_seen;      /**< an edge in reset has defined what reset reaches */
    uint8_t writeResp_known; /**< an edge has defined writeRespValid, which no reset reaches */
    uint64_t known[WLK_COLLECTOR_X_ROWS]; /**< lanes known of each row */
    uint64_t rows[WLK_COLLECTOR_X_ROWS * WLK_COLLECTOR_X_ROW_WORDS] WLK_ALIGN64;
};

WLK_END_DECLS
#endif

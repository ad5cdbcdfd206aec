/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file collector_x.h
 * The operand collectors of the Muon document, by configuration. Spec: muon-designs §2 to §5;
 * table: refmodel/muon/collector_x/block.toml. The functions are generated
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

/** Rows that hold an operand, one that takes what has no place, and the old value. */
#define WLK_COLLECTOR_X_PLACES (3u * WLK_COLLECTOR_X_ENTRIES + 2u)

/** Of a start without the reset: what is known. What is not holds a value that it may have. */
typedef struct wlk_collector_x_late {
    uint8_t late;        /**< the start was without the reset; else nothing here counts */
    uint8_t reads_known; /**< an edge has defined what is under way */
    uint64_t entries[WLK_COLLECTOR_X_ENTRIES / 64u]; /**< bit e: whether entry e is taken */
    /* caching, by operand */
    uint32_t tags[3];    /**< bit s: tag and tagValid of slot s are known */
    uint32_t refs[3];    /**< bit s: refs of slot s are known; else they are as many at least */
    uint32_t victims[3]; /**< bit s: the victim may be slot s */
    uint64_t absent[3][1024u / 64u]; /**< registers that no slot of unknown tag holds */
    /* what bind shows in this cycle; 2 and 255: not */
    uint8_t seen_ready, seen_hit[3], seen_slot[3];
    /* rows: the register that each was loaded from, its lanes that still are the register's */
    uint16_t origin[WLK_COLLECTOR_X_PLACES];
    uint64_t same[WLK_COLLECTOR_X_PLACES];
    uint64_t copies[3][1024]; /**< duplicated: lanes of a register known in each copy */
} wlk_collector_x_late;

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
    wlk_collector_x_late late;
    uint64_t known[WLK_COLLECTOR_X_ROWS]; /**< lanes known of each row */
    uint64_t rows[WLK_COLLECTOR_X_ROWS * WLK_COLLECTOR_X_ROW_WORDS] WLK_ALIGN64;
};

WLK_END_DECLS
#endif

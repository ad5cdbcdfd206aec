/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file reservation_station.h
 * Muon's reservation station: admit, search, dispatch, wake-up. Spec: muon-issue §5, arbiter §1;
 * table: refmodel/muon/reservation_station/block.toml. The functions are generated
 * (warplock/reservation_station_ports.h).
 */
#ifndef WARPLOCK_RESERVATION_STATION_H
#define WARPLOCK_RESERVATION_STATION_H

#include "warplock/block.h"
#include "warplock/reservation_station_ports.h"

WLK_BEGIN_DECLS

#define WLK_RESERVATION_STATION_ROWS 32u

/** Counters of a warp, in the order of the ports. */
enum {
    WLK_RESERVATION_STATION_DISPATCHED,
    WLK_RESERVATION_STATION_ELIGIBLE,
    WLK_RESERVATION_STATION_FULL,
    WLK_RESERVATION_STATION_COUNTERS
};

/**
 * State: the RTL's registers by their names, rows as bit r of a word, operands as index 0..2; then
 * the output stage, the counters, and facts about them.
 */
struct wlk_reservation_station_state {
    uint32_t valid;
    uint32_t opReady[3], busy[3], collFired[3];
    uint32_t has_rs[3]; /**< of the row's instruction, as are the next three */
    uint16_t rs[3][WLK_RESERVATION_STATION_ROWS];
    uint8_t warp[WLK_RESERVATION_STATION_ROWS];
    uint64_t entry[WLK_RESERVATION_STATION_ROWS][WLK_ENTRY_WORDS];
    uint8_t collPtr[WLK_RESERVATION_STATION_ROWS];
    /** Valid rows of the row's warp that are older than it, as sequence numbers order them. */
    uint32_t older[WLK_RESERVATION_STATION_ROWS];
    uint32_t warp_rows[WLK_RESERVATION_STATION_ROWS]; /**< valid rows of each warp */
    uint8_t sequence[WLK_RESERVATION_STATION_ROWS];   /**< of each row (coverage) */
    uint8_t nextSequence[WLK_RESERVATION_STATION_ROWS];
    /* output stage */
    uint8_t stage_full, stage_collFired, stage_collEntry;
    uint64_t stage[WLK_ENTRY_WORDS];
    /* counters */
    uint64_t cyclesDispatched, cyclesEligible, accRsOccupancy;
    uint64_t perWarp[WLK_RESERVATION_STATION_ROWS][WLK_RESERVATION_STATION_COUNTERS];
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
    uint8_t warp_known[WLK_RESERVATION_STATION_ROWS]; /**< bits of perWarp */
};

WLK_END_DECLS
#endif

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
#include "warplock/muon.h"
#include "warplock/reservation_station_ports.h"

WLK_BEGIN_DECLS

enum { WLK_RESERVATION_STATION_ROWS = WLK_RESERVATION_STATION_MAX_RS_ENTRIES };

/** Counters; perWarp: of each warp. */
typedef struct wlk_reservation_station_perf {
    uint64_t cyclesDispatched, cyclesEligible, accRsOccupancy;
    struct {
        uint64_t cyclesDispatched[WLK_RESERVATION_STATION_MAX_NUM_WARPS];
        uint64_t cyclesEligible[WLK_RESERVATION_STATION_MAX_NUM_WARPS];
        uint64_t stallsRSFull[WLK_RESERVATION_STATION_MAX_NUM_WARPS];
    } perWarp;
} wlk_reservation_station_perf;

/** State: the RTL's registers by their names; those of one bit a row are sets, bit r is row r. */
struct wlk_reservation_station_state {
    uint32_t valid;                             /**< a set of rows */
    uint32_t opReady[3], busy[3], collFired[3]; /**< sets of rows, of each operand */
    uint64_t entry[WLK_RESERVATION_STATION_ROWS][WLK_ENTRY_WORDS]; /**< instructions */
    uint8_t collPtr[WLK_RESERVATION_STATION_ROWS];
    uint8_t sequence[WLK_RESERVATION_STATION_ROWS];              /**< program order (§5.12) */
    uint8_t nextSequence[WLK_RESERVATION_STATION_MAX_NUM_WARPS]; /**< of each warp */
    uint8_t last; /**< the row that the arbiter granted last */
    struct {
        bool full;
        bool collected; /**< any of the instruction's collFired */
        uint8_t collEntry;
        uint64_t entry[WLK_ENTRY_WORDS];
    } stage; /**< the output stage */
    wlk_reservation_station_perf perf;
};

WLK_END_DECLS
#endif

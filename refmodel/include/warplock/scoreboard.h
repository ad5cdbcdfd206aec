/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file scoreboard.h
 * Muon's scoreboard: pending reads and writes of each physical register. Spec: muon-issue §3;
 * table: refmodel/muon/scoreboard/block.toml. The functions are generated
 * (warplock/scoreboard_ports.h).
 */
#ifndef WARPLOCK_SCOREBOARD_H
#define WARPLOCK_SCOREBOARD_H

#include "warplock/block.h"
#include "warplock/scoreboard_ports.h"

WLK_BEGIN_DECLS

/** State: the RTL's counters by their names. */
struct wlk_scoreboard_state {
    uint8_t pendingReads[WLK_SCOREBOARD_MAX_NUM_PREGS];  /**< 0..max_pending_reads */
    uint8_t pendingWrites[WLK_SCOREBOARD_MAX_NUM_PREGS]; /**< 0..max_pending_writes */
};

WLK_END_DECLS
#endif

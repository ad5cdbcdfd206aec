/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file hazard.h
 * Muon's hazard check: admission into the reservation station. Spec: muon-issue §4, arbiter §1;
 * table: refmodel/muon/hazard/block.toml. The functions are generated (warplock/hazard_ports.h).
 */
#ifndef WARPLOCK_HAZARD_H
#define WARPLOCK_HAZARD_H

#include "warplock/block.h"
#include "warplock/hazard_ports.h"

WLK_BEGIN_DECLS

/** State: the arbiter's `last`, which no reset reaches, and the performance counters. */
struct wlk_hazard_state {
    uint8_t last;     /**< the warp that was admitted last */
    uint32_t refused; /**< coverage: the set of the warp refused in the cycle before */
    struct {
        uint64_t stallsWAW[WLK_HAZARD_MAX_NUM_WARPS], stallsWAR[WLK_HAZARD_MAX_NUM_WARPS];
        uint64_t stallsScoreboard[WLK_HAZARD_MAX_NUM_WARPS];
    } perf;
};

WLK_END_DECLS
#endif

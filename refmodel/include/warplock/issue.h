/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file issue.h
 * Muon's issue stage: hazard, scoreboard, reservation station and collector composed. Spec:
 * muon-issue §6; table: refmodel/muon/issue/block.toml. The functions are generated
 * (warplock/issue_ports.h).
 */
#ifndef WARPLOCK_ISSUE_H
#define WARPLOCK_ISSUE_H

#include "warplock/collector.h"
#include "warplock/hazard.h"
#include "warplock/issue_ports.h"
#include "warplock/reservation_station.h"
#include "warplock/scoreboard.h"

WLK_BEGIN_DECLS

/** State: that of each block, under the name of the RTL's instance. */
struct wlk_issue_state {
    struct wlk_hazard_state hazard;
    struct wlk_scoreboard_state scoreboard;
    struct wlk_reservation_station_state reservStation;
    struct wlk_collector_state collector;
};

WLK_END_DECLS
#endif

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
#include "warplock/collector.h"
#include "warplock/hazard.h"
#include "warplock/issue_ports.h"
#include "warplock/reservation_station.h"
#include "warplock/scoreboard.h"

WLK_BEGIN_DECLS

/** State: those of the four models, by the names of the RTL's instances. */
struct wlk_issue_state {
    wlk_hazard_state hazard;
    wlk_scoreboard_state scoreboard;
    wlk_reservation_station_state reservStation;
    wlk_collector_state collector; /**< last: its rows are as many as the configuration needs */
};

WLK_END_DECLS
#endif

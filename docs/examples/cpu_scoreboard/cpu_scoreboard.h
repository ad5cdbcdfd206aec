/* SPDX-License-Identifier: Apache-2.0 */
#include "warplock/cpu_scoreboard_ports.h"

#define MODEL      cpu_scoreboard
#define MODEL_CAPS CPU_SCOREBOARD
#include "frame/model.h"

struct wlk_cpu_scoreboard_state {
    uint32_t used; /* bit t: tag t is on its way */
    uint8_t rd[WLK_CPU_SCOREBOARD_MAX_NUM_TAGS];
};

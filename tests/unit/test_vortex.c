// SPDX-License-Identifier: Apache-2.0
// The rule of Vortex's scoreboard that no row of a directed case is long enough for: a staged
// instruction waits for fewer than 100,000 cycles (vortex-issue §12).
#include "check.h"
#include "rig.h"
#include "warplock/vortex_scoreboard.h"

enum { LONGEST = 100000, OVERDUE = WLK_VORTEX_SCOREBOARD_STALLED_TOO_LONG };

static rig r;

static wlk_vortex_scoreboard_state *state(void) {
    return (wlk_vortex_scoreboard_state *)r.state;
}

// A cycle by step, and by the other calls on another state, which must break the same rules.
static uint32_t cycle(void *other, const char *inputs) {
    wlk_step_info info = {0, 0};
    rig_idle(&r);
    rig_put(&r, "%s", inputs);
    const wlk_view in = rig_view(&r, r.in, false), out = rig_view(&r, r.out, true);
    r.block->record(r.cfg, other, r.in, r.out, r.care, &r.info);
    if (r.block->step(r.cfg, r.state, &in, &out, &info) != 0) { // nothing was changed
        r.block->tick(r.cfg, r.state, r.in, &info);
    }
    CHECK(info.violated == r.info.violated);
    return info.violated;
}

// Two instructions are in the output buffer, the third one waits: from the fourth cycle on.
CASE(vortex_scoreboard_no_instruction_waits_for_100000_cycles) {
    static const char *const settings[] = {"", "num_warps=12", "num_warps=13"};
    static const uint32_t taken[] = {3, 3, 5}; // a tree of arbiters has a buffer more
    for (size_t i = 0; i < COUNT(settings); i++) {
        uint32_t broken = 0;
        rig_open(&r, "vortex_scoreboard", settings[i], WLK_POWER_ZERO);
        void *other = rig_state(&r, r.block, WLK_POWER_ZERO);
        (void)cycle(other, "reset");
        for (uint32_t c = 0; c < taken[i]; c++) {
            CHECK(cycle(other, "ib_0_valid") == 0);
            CHECK(rig_get(&r, "ib_0_ready") == 1);
        }
        for (uint32_t c = 0; c < LONGEST; c++) {
            broken |= cycle(other, "");
        }
        CHECK(broken == 0);
        CHECK(cycle(other, "") == OVERDUE);
        CHECK(cycle(other, "reset") == 0);
        CHECK(cycle(other, "") == 0);
        rig_close(&r);
    }
}

CASE(vortex_scoreboard_a_late_instruction_leaves_before_anything_else) {
    uint32_t seen = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        rig_open(&r, "vortex_scoreboard", "num_warps=8", WLK_POWER_ZERO);
        rig_stimulus(&r, seed, seed % 2 != 0 ? "starved" : "blocked");
        r.stim.cycle = LONGEST; // before that none can be late
        for (uint32_t c = 0; c < 2000; c++) {
            rig_next(&r, r.state);
            rig_record(&r);
            CHECK(r.info.violated == 0);
            if (state()->warp[7].waited > 20 && state()->warp[7].waited < LONGEST / 2) {
                state()->warp[7].waited = LONGEST - 100;
                seen++;
            }
        }
        rig_close(&r);
    }
    CHECK(seen >= 20);
}

int main(void) {
    return check_cases();
}

// SPDX-License-Identifier: Apache-2.0
// What the rows in cases/ cannot say of Muon's blocks: counters near their end, and a long run in
// program order. Spec: muon-issue §4, §5.
#include "check.h"
#include "warplock/hazard.h"
#include "warplock/issue.h"
#include "warplock/reservation_station.h"

#include <string.h>

/* ---- counters ---- */

CASE(hazard_counters_have_64_bits) {
    static wlk_hazard_in in;
    static wlk_hazard_out out, care;
    wlk_hazard_cfg cfg;
    wlk_hazard_state st;
    wlk_config_defaults(&wlk_hazard_table, (uint32_t *)&cfg);
    wlk_hazard_init(&cfg, &st, WLK_POWER_ZERO);
    st.last = 1;
    for (uint32_t n = 0; n < WLK_HAZARD_COUNTERS; n++) {
        st.perf[1][n] = UINT32_MAX;
        st.perf[2][n] = UINT64_MAX;
    }
    for (uint32_t w = 1; w < 3; w++) {
        in.ibuf[w].valid = 1;
        in.ibuf[w].bits.uop.inst.essentials_22 = 1;
        in.scb.warps[w].readRd.pendingWrites = 1;
        in.scb.warps[w].readRd.pendingReads = 1;
    }
    (void)wlk_hazard_tick(&cfg, &st, &in);
    in.ibuf[2].valid = 0;
    memset(&in.scb, 0, sizeof in.scb);
    (void)wlk_hazard_tick(&cfg, &st, &in);
    wlk_hazard_eval(&cfg, &st, &in, &out, &care);
    CHECK(out.perf[1].stallsWAW == UINT64_C(1) << 32 && out.perf[2].stallsWAW == 0);
    CHECK(out.perf[1].stallsWAR == UINT64_C(1) << 32 && out.perf[2].stallsWAR == 0);
    CHECK(out.perf[1].stallsScoreboard == UINT64_C(1) << 32);
    CHECK(out.perf[2].stallsScoreboard == UINT64_MAX);
}

static wlk_reservation_station_cfg cfg;
static wlk_reservation_station_state st;
static wlk_reservation_station_in in;
static wlk_reservation_station_out out, care;

static void start(uint32_t rows, uint32_t warps, uint32_t in_order) {
    wlk_error err;
    wlk_config_defaults(&wlk_reservation_station_table, (uint32_t *)&cfg);
    cfg.rs_entries = rows;
    cfg.num_warps = warps;
    cfg.in_order_per_warp = in_order;
    CHECK(wlk_reservation_station_check(&cfg, &err) == WLK_OK);
    wlk_reservation_station_init(&cfg, &st, WLK_POWER_ZERO);
    memset(&in, 0, sizeof in);
    in.reset = 1;
    (void)wlk_reservation_station_tick(&cfg, &st, &in);
    in.reset = 0;
}

// An instruction whose rs1, if it has one, waits for a write-back.
static void admit(uint32_t warp, uint32_t pc, bool waits) {
    in.admit.valid = 1;
    in.admit.bits.ibufEntry.uop.pc = pc;
    in.admit.bits.ibufEntry.uop.wid = (uint8_t)warp;
    in.admit.bits.ibufEntry.uop.inst.essentials_4 = waits ? 30 : 0;
    in.admit.bits.ibufEntry.uop.inst.essentials_23 = waits;
    in.admit.bits.valid[0] = !waits;
    in.admit.bits.valid[1] = in.admit.bits.valid[2] = 1;
    in.admit.bits.busy[0] = waits;
}

CASE(reservation_station_counters_have_64_bits) {
    start(1, 2, 0);
    st.cyclesDispatched = UINT32_MAX;
    st.cyclesEligible = UINT32_MAX;
    st.accRsOccupancy = UINT64_MAX;
    for (uint32_t n = 0; n < WLK_RESERVATION_STATION_COUNTERS; n++) {
        st.perWarp[1][n] = UINT32_MAX;
    }
    for (uint32_t i = 0; i < 2; i++) {
        admit(1, 0x10 + 4 * i, false);
        (void)wlk_reservation_station_tick(&cfg, &st, &in);
    }
    wlk_reservation_station_eval(&cfg, &st, &in, &out, &care);
    CHECK(out.perf.cyclesDispatched == UINT64_C(1) << 32);
    CHECK(out.perf.cyclesEligible == UINT64_C(1) << 32);
    CHECK(out.perf.accRsOccupancy == 0);
    CHECK(out.perf.perWarp[1].cyclesDispatched == UINT64_C(1) << 32);
    CHECK(out.perf.perWarp[1].cyclesEligible == UINT64_C(1) << 32);
    CHECK(out.perf.perWarp[1].stallsRSFull == UINT64_C(1) << 32);
}

CASE(issue_counters_have_64_bits) {
    static wlk_issue_cfg issue;
    static wlk_issue_state state;
    static wlk_issue_in heads;
    static wlk_issue_out shown, known;
    wlk_config_defaults(&wlk_issue_table, (uint32_t *)&issue);
    wlk_issue_init(&issue, &state, WLK_POWER_ZERO);
    state.reservStation.accRsOccupancy = UINT32_MAX;
    state.reservStation.perWarp[0][WLK_RESERVATION_STATION_ELIGIBLE] = UINT32_MAX;
    state.hazard.perf[1][WLK_HAZARD_WAW] = UINT32_MAX;
    for (uint32_t w = 0; w < 2; w++) { // both write register 20
        memset(&heads, 0, sizeof heads);
        heads.ibuf[w].valid = 1;
        heads.ibuf[w].bits.uop.inst.essentials_3 = 20;
        heads.ibuf[w].bits.uop.inst.essentials_22 = 1;
        (void)wlk_issue_tick(&issue, &state, &heads);
    }
    wlk_issue_eval(&issue, &state, &heads, &shown, &known);
    CHECK(shown.perfRS.accRsOccupancy == UINT64_C(1) << 32);
    CHECK(shown.perfRS.perWarp[0].cyclesEligible == UINT64_C(1) << 32);
    CHECK(shown.perfHazard[1].stallsWAW == UINT64_C(1) << 32);
}

/* ---- a warp's order ---- */

// One warp; every third instruction waits for a write-back that comes now and then, so that younger
// ones are complete before it. Answers each request. Instructions issued; *wrong: out of order.
static uint32_t run_one_warp(uint32_t cycles, uint32_t *wrong) {
    uint32_t next = 0, issued = 0;
    *wrong = 0;
    for (uint32_t c = 0; c < cycles; c++) {
        admit(0, 0x1000 + next, next % 3u == 0);
        in.issue.ready = c % 5u != 0;
        in.collector.readReq.ready = 1;
        in.writeback.valid = c % 11u == 0;
        in.writeback.bits.rd = 30;
        wlk_reservation_station_eval(&cfg, &st, &in, &out, &care);
        next += out.admit.ready;
        if (out.issue.valid && in.issue.ready) {
            *wrong += out.issue.bits.uop.pc != 0x1000 + issued++;
        }
        (void)wlk_reservation_station_tick(&cfg, &st, &in);
        in.collector.readResp.valid = out.collector.readReq.valid;
        in.collector.readResp.bits.collEntry = 1;
        in.collector.readResp.bits.regs[0].enable = out.collector.readReq.bits.regs[0].enable;
    }
    return issued;
}

// Numbers of ceil(log2 rows)+1 bits wrap; the order of a warp's rows must not.
CASE(reservation_station_in_order_survives_the_wrap_of_sequence_numbers) {
    static const uint32_t sizes[] = {1, 2, 4, 5, 8, 32};
    for (size_t s = 0; s < COUNT(sizes); s++) {
        const uint32_t rows = sizes[s];
        uint32_t wrong;
        for (uint32_t in_order = 0; in_order < 2; in_order++) {
            start(rows, wlk_min(rows, 4), in_order);
            const uint32_t issued = run_one_warp(400 + 20 * rows, &wrong);
            CHECK_MSG(issued > 4 * rows, "%u rows: %u", rows, issued);
            CHECK_MSG((wrong == 0) == (in_order || rows == 1), "%u rows: %u out of order", rows,
                      wrong);
        }
    }
}

int main(void) {
    return check_cases();
}

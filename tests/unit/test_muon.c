// SPDX-License-Identifier: Apache-2.0
// What the rows in cases.txt cannot say of Muon's blocks: counters near their end, and a long run
// in program order. Spec: muon-issue §4, §5.
#include "check.h"
#include "rig.h"
#include "warplock/hazard.h"
#include "warplock/issue.h"
#include "warplock/reservation_station.h"

#define CARRY (UINT64_C(1) << 32) /* what follows UINT32_MAX in 64 bits */

static rig r;

// Each of these outputs, in the cycle shown last.
static void expect(uint64_t value, const char *names) {
    char text[RIG_TEXT], *rest = text;
    (void)snprintf(text, sizeof text, "%s", names);
    for (char *name = strtok_r(text, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
        const uint64_t got = rig_get(&r, name);
        CHECK_MSG(got == value, "%s is %llu", name, (unsigned long long)got);
    }
}

CASE(hazard_counters_have_64_bits) {
    rig_open(&r, "hazard", "", WLK_POWER_ZERO);
    wlk_hazard_state *st = r.state;
    st->last = 1;
    for (uint32_t w = 1; w < 3; w++) {
        const uint64_t most = w == 1 ? UINT32_MAX : UINT64_MAX;
        st->perf.stallsWAW[w] = st->perf.stallsWAR[w] = st->perf.stallsScoreboard[w] = most;
    }
    for (uint32_t w = 1; w < 3; w++) {
        rig_put(&r, "ibuf_%u_valid ibuf_%u_bits_uop_inst_essentials_22", w, w);
        rig_put(&r, "scb_warps_%u_readRd_pendingWrites scb_warps_%u_readRd_pendingReads", w, w);
    }
    rig_record(&r);
    for (uint32_t i = 0; i < 2; i++) {
        rig_idle(&r);
        rig_put(&r, "ibuf_1_valid ibuf_1_bits_uop_inst_essentials_22");
        rig_record(&r);
    }
    expect(CARRY, "perf_1_stallsWAW perf_1_stallsWAR perf_1_stallsScoreboard");
    expect(0, "perf_2_stallsWAW perf_2_stallsWAR");
    expect(UINT64_MAX, "perf_2_stallsScoreboard");
    rig_close(&r);
}

// An instruction whose rs1, if it has one, waits for a write-back.
static void put_admit(uint32_t warp, uint32_t pc, bool waits) {
    rig_put(&r, "admit_valid admit_bits_ibufEntry_uop_pc=%u admit_bits_ibufEntry_uop_wid=%u", pc,
            warp);
    rig_put(&r, "admit_bits_valid_0=%d admit_bits_valid_1 admit_bits_valid_2", !waits);
    if (waits) {
        rig_put(&r, "admit_bits_busy_0 admit_bits_ibufEntry_uop_inst_essentials_4=30 "
                    "admit_bits_ibufEntry_uop_inst_essentials_23");
    }
}

CASE(reservation_station_counters_have_64_bits) {
    rig_open(&r, "reservation_station", "rs_entries=1 num_warps=2", WLK_POWER_ZERO);
    rig_put(&r, "reset");
    rig_record(&r);
    wlk_reservation_station_perf *perf = &((wlk_reservation_station_state *)r.state)->perf;
    perf->cyclesDispatched = UINT32_MAX;
    perf->cyclesEligible = UINT32_MAX;
    perf->accRsOccupancy = UINT64_MAX;
    perf->perWarp.cyclesDispatched[1] = UINT32_MAX;
    perf->perWarp.cyclesEligible[1] = UINT32_MAX;
    perf->perWarp.stallsRSFull[1] = UINT32_MAX;
    for (uint32_t i = 0; i < 3; i++) {
        rig_idle(&r);
        put_admit(1, 0x10 + 4 * i, false);
        rig_record(&r);
    }
    expect(CARRY, "perf_cyclesDispatched perf_cyclesEligible perf_perWarp_1_cyclesDispatched "
                  "perf_perWarp_1_cyclesEligible perf_perWarp_1_stallsRSFull");
    expect(0, "perf_accRsOccupancy");
    rig_close(&r);
}

CASE(issue_counters_have_64_bits) {
    rig_open(&r, "issue", "", WLK_POWER_ZERO);
    wlk_issue_state *st = r.state;
    st->reservStation.perf.accRsOccupancy = UINT32_MAX;
    st->reservStation.perf.perWarp.cyclesEligible[0] = UINT32_MAX;
    st->hazard.perf.stallsWAW[1] = UINT32_MAX;
    for (uint32_t w = 0; w < 3; w++) { // all write register 20
        rig_idle(&r);
        rig_put(&r, "ibuf_%u_valid ibuf_%u_bits_uop_inst_essentials_22", w, w);
        rig_put(&r, "ibuf_%u_bits_uop_inst_essentials_3=20", w);
        rig_record(&r);
    }
    expect(CARRY, "perfRS_accRsOccupancy perfRS_perWarp_0_cyclesEligible perfHazard_1_stallsWAW");
    rig_close(&r);
}

/* ---- a warp's order ---- */

// One warp; every third instruction waits for a write-back that comes now and then, so that younger
// ones are complete before it. Answers each request. Instructions issued; *wrong: out of order.
static uint32_t run_one_warp(uint32_t cycles, uint32_t *wrong) {
    uint32_t next = 0, issued = 0;
    bool asked = false, asked_rs1 = false;
    *wrong = 0;
    for (uint32_t c = 0; c < cycles; c++) {
        rig_idle(&r);
        put_admit(0, 0x1000 + next, next % 3u == 0);
        rig_put(&r,
                "collector_readReq_ready issue_ready=%d writeback_valid=%d writeback_bits_rd=30",
                c % 5u != 0, c % 11u == 0);
        rig_put(&r, "collector_readResp_valid=%d collector_readResp_bits_collEntry=1", asked);
        rig_put(&r, "collector_readResp_bits_regs_0_enable=%d", asked_rs1);
        rig_record(&r);
        asked = rig_get(&r, "collector_readReq_valid") != 0;
        asked_rs1 = rig_get(&r, "collector_readReq_bits_regs_0_enable") != 0;
        next += rig_get(&r, "admit_ready") != 0;
        if (rig_get(&r, "issue_valid") != 0 && rig_get(&r, "issue_ready") != 0) {
            *wrong += rig_get(&r, "issue_bits_uop_pc") != 0x1000u + issued++;
        }
    }
    return issued;
}

// Numbers of ceil(log2 rows)+1 bits wrap; the order of a warp's rows must not.
CASE(reservation_station_in_order_survives_the_wrap_of_sequence_numbers) {
    static const uint32_t sizes[] = {1, 2, 4, 5, 8, 32};
    for (size_t s = 0; s < COUNT(sizes); s++) {
        const uint32_t rows = sizes[s];
        for (uint32_t in_order = 0; in_order < 2; in_order++) {
            char settings[128];
            uint32_t wrong;
            (void)snprintf(settings, sizeof settings,
                           "rs_entries=%u num_warps=%u in_order_per_warp=%u", rows,
                           wlk_min(rows, 4), in_order);
            rig_open(&r, "reservation_station", settings, WLK_POWER_ZERO);
            rig_put(&r, "reset");
            rig_record(&r);
            const uint32_t issued = run_one_warp(400 + 20 * rows, &wrong);
            CHECK_MSG(issued > 4 * rows, "%u rows: %u", rows, issued);
            CHECK_MSG((wrong == 0) == (in_order || rows == 1), "%u rows: %u out of order", rows,
                      wrong);
            rig_close(&r);
        }
    }
}

int main(void) {
    return check_cases();
}

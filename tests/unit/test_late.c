// SPDX-License-Identifier: Apache-2.0
// A checker that starts without the reset: what is compared when, and what makes it start anew.
#include "check.h"
#include "rig.h"
#include "warplock/checker.h"

static struct {
    rig rtl; // a model that plays it
    wlk_checker *checker;
    uint64_t *x; // of inputs, then of outputs
} s;

#define put(...) rig_put(&s.rtl, __VA_ARGS__)

static void open_late(const char *block, const char *settings) {
    const wlk_checker_options options = {.scope = "dut", .late = true};
    wlk_error err;
    memset(&s, 0, sizeof s);
    rig_open(&s.rtl, block, settings, WLK_POWER_ZERO);
    s.x = rig_words(&s.rtl, s.rtl.layout.in_words + s.rtl.layout.out_words);
    REQUIRE(wlk_checker_open(&s.checker, s.rtl.block, s.rtl.cfg, &options, &err) == WLK_OK, "%s",
            err.text);
}

static void close_late(void) {
    wlk_checker_close(s.checker);
    rig_close(&s.rtl);
}

// One cycle of the inputs at hand; @p flip: an output of one bit that shows the other value.
static int step(const char *flip) {
    rig_record(&s.rtl);
    if (flip != NULL) {
        rig_set(&s.rtl, flip, rig_get(&s.rtl, flip) ^ 1u);
    }
    const int first = wlk_checker_step_late(s.checker, s.rtl.in, s.x, s.rtl.out,
                                            s.x + s.rtl.layout.in_words, NULL, NULL);
    rig_idle(&s.rtl);
    return first;
}

static uint64_t compared(const char *port) {
    const wlk_port *p = rig_port(&s.rtl, port);
    return wlk_checker_compared(s.checker, (uint32_t)(p - s.rtl.ports));
}

#define WRITES "hazard_warps_0_readRd_pendingWrites"

static int read_rd(const char *flip) {
    put("hazard_warps_0_readRd_enable hazard_warps_0_readRd_pReg=5");
    return step(flip);
}

CASE(count_is_compared_once_it_was_shown) {
    open_late("scoreboard", "num_warps=1");
    CHECK(read_rd(NULL) == 0);
    CHECK(compared(WRITES) == 0); // it was learned
    CHECK(read_rd(NULL) == 0);
    CHECK(compared(WRITES) == 1);
    CHECK(read_rd(WRITES) == 1);
    CHECK(wlk_checker_result_get(s.checker, false).verdict == WLK_FUNCTIONAL_MISMATCH);
    CHECK(wlk_checker_result_get(s.checker, false).first_cycle == 2);
    close_late();
}

CASE(write_back_makes_a_count_known) {
    open_late("scoreboard", "num_warps=1");
    put("updateWB_enable updateWB_write_pReg=5 updateWB_write_decr");
    CHECK(step("updateWB_success") == 0); // whether there was one is unknown
    CHECK(read_rd(NULL) == 0);
    CHECK(compared(WRITES) == 2); // 0 without a read, too
    CHECK(read_rd(WRITES) == 1);
    close_late();
}

CASE(gap_starts_anew) {
    open_late("scoreboard", "num_warps=1");
    CHECK(read_rd(NULL) == 0);
    wlk_checker_gap(s.checker);
    CHECK(read_rd(WRITES) == 0);
    CHECK(read_rd(NULL) == 1); // another value than it showed behind the gap
    CHECK(wlk_checker_result_get(s.checker, false).forgotten == 1);
    close_late();
}

CASE(x_before_anything_is_known_starts_anew) {
    open_late("reservation_station", "");
    wlk_port_set(rig_port(&s.rtl, "issue_ready"), s.x, 1u);
    CHECK(step(NULL) == 0);
    memset(s.x, 0, s.rtl.layout.in_words * sizeof *s.x);
    CHECK(step(NULL) == 0);
    const wlk_checker_result r = wlk_checker_result_get(s.checker, false);
    CHECK(r.skipped == 1);
    CHECK(r.verdict == WLK_VACUOUS);
    close_late();
}

CASE(reset_in_the_record_makes_all_known) {
    open_late("reservation_station", "");
    put("reset");
    CHECK(step(NULL) == 0);
    CHECK(compared("perf_cyclesDispatched") == 0);
    CHECK(step(NULL) == 0);
    CHECK(compared("perf_cyclesDispatched") == 64);
    close_late();
}

CASE(block_that_cannot_waits_for_a_reset) {
    open_late("opndcoll", "");
    CHECK(step(NULL) == 0);
    CHECK(!wlk_checker_result_get(s.checker, false).late);
    CHECK(wlk_checker_result_get(s.checker, false).verdict == WLK_NO_RESET);
    close_late();
}

int main(void) {
    return check_cases();
}

// SPDX-License-Identifier: Apache-2.0
// The DPI entry points as a simulation calls them, and as a host does that keeps cycles: what they
// print of waivers, when a failure counts. A second model plays the RTL.
#define _GNU_SOURCE
#define SCOPE "tb.u_dut.u_checker"
#include "warplock/dpi.h"

#include <inttypes.h>

#include "check.h"
#include "rig.h"
#include "scope.h"

static struct {
    rig rtl;
    void *handle;
    char *printed;
    size_t size;
    FILE *console;
} s;

static void open_handle(void) {
    memset(&s, 0, sizeof s);
    rig_open(&s.rtl, "collector", "num_lanes=1 coll_entries=2 num_pregs=16", WLK_POWER_UNKNOWN);
    s.console = stderr;
    stderr = open_memstream(&s.printed, &s.size);
    REQUIRE(stderr != NULL, "no memory");
    s.handle = wlk_dpi_open(WLK_ABI_VERSION, s.rtl.block->table->schema_hash);
    for (uint32_t i = 0; i < s.rtl.block->table->n_params; i++) {
        wlk_dpi_param(s.handle, i, s.rtl.cfg[i]);
    }
}

static void put_back(void) {
    if (s.console != NULL) {
        (void)fclose(stderr);
        stderr = s.console;
        s.console = NULL;
    }
}

static void close_handle(void) {
    put_back();
    free(s.printed);
    rig_close(&s.rtl);
}

// One cycle with these inputs and outputs: 1 = the simulation is to stop.
static int step(const char *inputs, const char *outputs) {
    rig_idle(&s.rtl);
    rig_put(&s.rtl, "%s", inputs);
    rig_record(&s.rtl);
    rig_put(&s.rtl, "%s", outputs);
    const wlk_view in = rig_view(&s.rtl, s.rtl.in, false), out = rig_view(&s.rtl, s.rtl.out, true);
    return wlk_dpi_step(s.handle, &in, &out);
}

static bool is_printed(const char *line) {
    put_back();
    return strstr(s.printed, line) != NULL;
}

CASE(waivers_are_named_at_the_end) {
    wlk_dpi_waiver(s.handle, "(a:1) ready", "collector 0 io_writeReq_ready 1 io_readReq_valid");
    wlk_dpi_waiver(s.handle, "(a:1) ready", "collector 0 io_readReq_ready 1 io_readReq_valid");
    wlk_dpi_waiver(s.handle, "(a:9) data", "collector 4 io_writeResp_valid 1");
    CHECK(wlk_dpi_start(s.handle) == WLK_OK);
    CHECK(step("reset", "") == 0);
    CHECK(step("writeReq_valid", "") == 0);
    CHECK(step("readReq_valid", "writeReq_ready=0") == 0);
    CHECK(step("readReq_valid", "readReq_ready=0") == 0);
    CHECK(wlk_dpi_close(s.handle) == WLK_OK);
    CHECK(
        is_printed("collector tb.u_dut: waived (a:1) ready: 2 cycles, from cycle 2 to cycle 3\n"));
    CHECK(is_printed("collector tb.u_dut: waived (a:9) data: no difference\n"));
}

CASE(difference_beside_a_waiver_stops_the_simulation) {
    wlk_dpi_waiver(s.handle, "(a:1) ready", "collector 0 io_writeReq_ready 1 io_readReq_valid");
    CHECK(wlk_dpi_start(s.handle) == WLK_OK);
    CHECK(step("reset", "") == 0);
    CHECK(step("", "writeReq_ready=0") == 1);
    CHECK(wlk_dpi_close(s.handle) == WLK_FUNCTIONAL_MISMATCH);
    CHECK(is_printed("waived (a:1) ready: no difference\n"));
}

CASE(waiver_that_does_not_fit_is_refused_at_the_start) {
    wlk_dpi_waiver(s.handle, "(a:1) none", "collector 0 io_none 1");
    CHECK(wlk_dpi_start(s.handle) == WLK_BAD_PARAMS);
    (void)wlk_dpi_close(s.handle);
    CHECK(is_printed("tb.u_dut: the waiver 'collector 0 io_none 1' does not fit the ports"));
}

CASE(without_waivers_nothing_is_said_of_them) {
    CHECK(wlk_dpi_start(s.handle) == WLK_OK);
    CHECK(step("reset", "") == 0 && step("writeReq_valid", "") == 0);
    CHECK(wlk_dpi_close(s.handle) == WLK_OK);
    CHECK(is_printed("collector tb.u_dut: PASS, 2 cycles") && !is_printed("waived"));
}

// A host that writes records: they are kept, and stepped over together.
static void defer(void) {
    wlk_dpi_configure(WLK_DPI_HOST, WLK_POWER_UNKNOWN);
    wlk_dpi_defer(true);
    CHECK(wlk_dpi_start(s.handle) == WLK_OK);
}

static wlk_checker_result result(void) {
    return wlk_checker_result_get(wlk_dpi_checker(0), false);
}

static void undefer(void) {
    (void)wlk_dpi_close(s.handle);
    wlk_dpi_configure(WLK_DPI_SIMULATOR, WLK_POWER_UNKNOWN);
}

// One cycle with these inputs, and these bits of the first outputs inverted.
static void record(const char *inputs, uint64_t inverted) {
    wlk_layout layout;
    s.rtl.block->table->layout(s.rtl.cfg, &layout);
    uint64_t *words = wlk_dpi_next(s.handle);
    rig_idle(&s.rtl);
    rig_put(&s.rtl, "%s", inputs);
    rig_record(&s.rtl);
    memcpy(words, s.rtl.in, layout.in_words * sizeof *words);
    memcpy(words + layout.in_words, s.rtl.out, layout.out_words * sizeof *words);
    words[layout.in_words] ^= inverted;
    wlk_dpi_took(s.handle);
}

CASE(deferred_cycles_are_seen_at_the_flush) {
    defer();
    record("reset", 0);
    record("readReq_valid", 1);
    CHECK(result().cycles == 0 && wlk_dpi_failures == 0);
    wlk_dpi_flush();
    CHECK(result().cycles == 2 && result().first_cycle == 1 && wlk_dpi_failures != 0);
    undefer();
}

CASE(deferred_cycles_are_stepped_over_when_there_are_many) {
    defer();
    record("reset", 0);
    for (uint32_t i = 1; i < 1000; i++) {
        record(i % 3 == 0 ? "writeReq_valid writeReq_bits_regs_0_enable" : "", 0);
    }
    CHECK(result().cycles > 900 && result().cycles < 1000);
    wlk_dpi_flush();
    CHECK(result().cycles == 1000 && result().verdict == WLK_OK);
    wlk_dpi_flush();
    CHECK(result().cycles == 1000);
    undefer();
}

// A cycle in which the RTL is as the model, or not ready.
static void cycle(bool deferred, const char *inputs, bool wrong) {
    if (deferred) {
        record(inputs, wrong);
    } else {
        CHECK(step(inputs, wrong ? "readReq_ready=0" : "") == 0);
    }
}

// What a run says whose cycle @p bad differs, or has inputs that break a rule: owned.
static char *report_of(bool deferred, uint32_t bad, const char *illegal) {
    char *text = NULL;
    size_t size = 0;
    wlk_dpi_configure(WLK_DPI_HOST, WLK_POWER_RESET);
    wlk_dpi_defer(deferred);
    CHECK(wlk_dpi_start(s.handle) == WLK_OK);
    for (uint32_t i = 0; i < bad + 9u; i++) {
        const char *quiet = i == 0 ? "reset" : i % 3u == 0 ? "writeReq_valid" : "";
        cycle(deferred, i == bad && illegal ? illegal : quiet, i == bad && !illegal);
    }
    wlk_dpi_flush();
    FILE *to = open_memstream(&text, &size);
    wlk_checker_report(wlk_dpi_checker(0), to);
    fprintf(to, "%" PRIu64 " bits, %u failures", result().compared_bits, wlk_dpi_failures);
    (void)fclose(to);
    undefer();
    close_handle();
    open_handle();
    return text;
}

CASE(deferred_cycles_leave_the_same_report) {
    const uint32_t bad[] = {1, 2, 15, 16, 17, 30, 63, 64, 65, 79, 80, 127, 128, 140, 1000};
    const char *illegal[] = {NULL, "readData_req_valid readData_req_bits_regs_0_enable"};
    for (size_t i = 0; i < COUNT(bad) * COUNT(illegal); i++) {
        char *at_once = report_of(false, bad[i / 2], illegal[i % 2]);
        char *deferred = report_of(true, bad[i / 2], illegal[i % 2]);
        CHECK_MSG(strcmp(deferred, at_once) == 0, "%s\ninstead of %s", deferred, at_once);
        CHECK(strstr(deferred, i % 2 ? "PROTOCOL" : "MISMATCH") != NULL);
        free(at_once);
        free(deferred);
    }
    undefer();
}

CASE(what_is_called_by_dpi_is_stepped_at_once) {
    defer();
    CHECK(step("reset", "") == 0 && step("readReq_valid", "readReq_ready=0") == 0);
    CHECK(result().cycles == 2 && wlk_dpi_failures != 0);
    undefer();
}

CASE(records_are_compared_at_once_unless_they_are_deferred) {
    wlk_dpi_configure(WLK_DPI_HOST, WLK_POWER_UNKNOWN);
    CHECK(wlk_dpi_start(s.handle) == WLK_OK);
    record("reset", 0);
    CHECK(result().cycles == 1 && wlk_dpi_failures == 0);
    record("", 1);
    CHECK(result().cycles == 2 && wlk_dpi_failures != 0);
    undefer();
}

CASE(handle_that_was_refused_takes_no_record) {
    CHECK(wlk_dpi_next(s.handle) == NULL); // not started
    CHECK(wlk_dpi_next(NULL) == NULL);
    (void)wlk_dpi_close(s.handle);
}

int main(void) {
    return check_cases_in(open_handle, close_handle);
}

// SPDX-License-Identifier: Apache-2.0
// The checker: what it counts, and what it calls a difference. A second model plays the RTL.
#define _GNU_SOURCE
#include "check.h"
#include "warplock/checker.h"
#include "warplock/collector.h"
#include "warplock/stimulus.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORDS = WLK_COLLECTOR_OUT_CONTROL + 3 * WLK_COLLECTOR_ROW_WORDS,
    IN_WORDS = WLK_COLLECTOR_IN_CONTROL + WLK_COLLECTOR_ROW_WORDS
};

/* ---- a checker beside the RTL it looks at ---- */

static struct {
    wlk_collector_state rtl;
    wlk_checker *checker;
    const wlk_port *ports;
    wlk_stimulus_state stim;
    uint64_t in[IN_WORDS], out[WORDS], care[WORDS], in_x[IN_WORDS], out_x[WORDS];
    uint64_t compared, masked; // bits, counted here
    wlk_layout layout;
    wlk_collector_cfg cfg;
    uint32_t n_ports;
    uint32_t violated;
    bool known_x; // give the X words
} s;

static const uint32_t *cfg_words(void) {
    return (const uint32_t *)&s.cfg;
}

static void open_with(const wlk_checker_options *options, uint32_t lanes, uint32_t entries) {
    wlk_error err;
    memset(&s, 0, sizeof s);
    wlk_config_defaults(&wlk_collector_table, (uint32_t *)&s.cfg);
    s.cfg.num_lanes = lanes;
    s.cfg.coll_entries = entries;
    s.cfg.num_pregs = 16;
    const wlk_block *block = wlk_block_find("collector");
    CHECK(wlk_checker_open(&s.checker, block, cfg_words(), options, &err) == WLK_OK);
    wlk_collector_init(&s.cfg, &s.rtl, options->power_up);
    wlk_stimulus_init(&s.stim, 1, wlk_stimulus_profiles(wlk_stimulus_find("collector")));
    s.layout = *wlk_checker_layout(s.checker);
    s.ports = wlk_checker_ports(s.checker, &s.n_ports);
}

static void open_plain(void) {
    const wlk_checker_options options = {.scope = "top.dut"};
    open_with(&options, 4, 2);
}

static void close_checker(void) {
    wlk_checker_close(s.checker);
}

static const wlk_port *port(const char *name) {
    for (uint32_t i = 0; i < s.n_ports; i++) {
        if (strcmp(s.ports[i].name, name) == 0) {
            return &s.ports[i];
        }
    }
    CHECK_MSG(false, "no port %s", name);
    return &s.ports[0];
}

static uint64_t value(const char *name) {
    const wlk_port *p = port(name);
    return wlk_port_get(p, p->is_out ? s.out : s.in);
}

static void set(const char *name, uint64_t to) {
    const wlk_port *p = port(name);
    wlk_port_set(p, p->is_out ? s.out : s.in, to);
}

static void set_x(const char *name, uint64_t bits) {
    const wlk_port *p = port(name);
    wlk_port_set(p, p->is_out ? s.out_x : s.in_x, bits);
    s.known_x = true;
}

// The outputs of the RTL for the inputs at hand; it moves on.
static void rtl_cycle(void) {
    wlk_step_info info;
    wlk_collector_block.record(cfg_words(), &s.rtl, s.in, s.out, s.care, &info);
    s.violated = info.violated;
    for (uint32_t i = 0; i < s.n_ports; i++) {
        const wlk_port *p = &s.ports[i];
        if (p->is_out && p->present) {
            const uint64_t known = (uint64_t)__builtin_popcountll(wlk_port_get(p, s.care));
            s.compared += known;
            s.masked += p->width - known;
        }
    }
}

// The next inputs of the stimulus.
static void stimulate(void) {
    const wlk_stimulus *gen = wlk_stimulus_find("collector");
    gen->next(cfg_words(), &s.rtl, &s.stim, s.in);
    rtl_cycle();
}

// Nothing asked, no reset.
static void idle(void) {
    memset(s.in, 0, sizeof s.in);
}

static int give(void) {
    const int first = wlk_checker_step_x(s.checker, s.in, s.known_x ? s.in_x : NULL, s.out,
                                         s.known_x ? s.out_x : NULL);
    memset(s.in_x, 0, sizeof s.in_x);
    memset(s.out_x, 0, sizeof s.out_x);
    s.known_x = false;
    return first;
}

static void run_clean(uint64_t cycles) {
    for (uint64_t c = 0; c < cycles; c++) {
        stimulate();
        CHECK(give() == 0);
    }
}

static void reset_now(void) {
    idle();
    set("reset", 1);
    rtl_cycle();
    (void)give();
    idle();
}

static wlk_checker_result result(bool strict) {
    return wlk_checker_result_get(s.checker, strict);
}

/* ---- verdicts without a difference ---- */

static void clean_run_passes(void) {
    open_plain();
    stimulate();
    (void)give();
    s.compared = s.masked = 0; // the first cycle is skipped
    run_clean(4999);
    const wlk_checker_result r = result(true);
    CHECK(r.verdict == WLK_OK && r.cycles == 5000 && r.skipped == 1 && r.mismatches == 0);
    CHECK_MSG(r.compared_bits == s.compared, "%llu", (unsigned long long)r.compared_bits);
    CHECK_MSG(r.masked_bits == s.masked, "%llu", (unsigned long long)r.masked_bits);
    CHECK(r.masked_bits > 0 && r.reset_seen && r.transfer_seen && r.violated == 0);
    close_checker();
}

static void counting_events_changes_no_number(void) {
    wlk_checker_result r[2];
    uint64_t hits[2];
    for (int count = 0; count < 2; count++) {
        const wlk_checker_options options = {.scope = "x", .count_events = count};
        open_with(&options, 4, 2);
        run_clean(3000);
        r[count] = result(false);
        hits[count] = wlk_checker_events(s.checker, 0);
        close_checker();
    }
    CHECK(r[0].compared_bits == r[1].compared_bits && r[0].masked_bits == r[1].masked_bits);
    CHECK(r[0].verdict == WLK_OK && r[1].verdict == WLK_OK);
    CHECK(hits[0] == 0 && hits[1] > 100);
}

static void cycles_before_reset_are_skipped(void) {
    open_plain();
    for (int i = 0; i < 5; i++) {
        idle();
        rtl_cycle();
        set("io_readReq_ready", 1); // what it shows is not compared
        CHECK(give() == 0);
    }
    CHECK(result(false).skipped == 5 && !result(false).reset_seen);
    CHECK(result(false).verdict == WLK_NO_RESET);
    run_clean(500); // begins with a reset
    CHECK(result(false).skipped == 6 && result(false).verdict == WLK_OK);
    close_checker();
}

static void power_up_zero_compares_from_the_start(void) {
    const wlk_checker_options options = {.scope = "x", .power_up = WLK_POWER_ZERO};
    open_with(&options, 4, 2);
    idle();
    rtl_cycle();
    set("io_writeResp_valid", 1);
    CHECK(give() == 1);
    CHECK(result(false).skipped == 0 && result(false).first_cycle == 0);
    close_checker();
}

static void nothing_compared_is_vacuous(void) {
    open_plain();
    CHECK(result(false).verdict == WLK_VACUOUS);
    for (int i = 0; i < 3; i++) {
        idle();
        rtl_cycle();
        (void)give();
    }
    CHECK(result(false).verdict == WLK_NO_RESET);
    reset_now();
    CHECK(result(false).verdict == WLK_VACUOUS);
    close_checker();
}

static void no_transfer_is_vacuous(void) {
    open_plain();
    reset_now();
    for (int i = 0; i < 100; i++) {
        idle();
        rtl_cycle();
        CHECK(give() == 0);
    }
    CHECK(!result(false).transfer_seen && result(false).verdict == WLK_VACUOUS);
    set("io_writeReq_valid", 1);
    rtl_cycle();
    (void)give();
    CHECK(result(false).transfer_seen && result(false).verdict == WLK_OK);
    close_checker();
}

// Bank data of never written registers: nothing of the payload is compared.
static void output_never_compared_is_vacuous_when_strict(void) {
    open_plain();
    reset_now();
    for (int i = 0; i < 300; i++) {
        idle();
        set("io_readReq_valid", i == 0);
        set("io_readReq_bits_regs_0_enable", 1);
        set("io_readReq_bits_regs_0_pReg", 5);
        rtl_cycle();
        CHECK(give() == 0);
    }
    CHECK(result(false).verdict == WLK_OK);
    CHECK(result(true).verdict == WLK_VACUOUS);
    close_checker();
}

static void output_that_the_rtl_lacks_is_not_compared(void) {
    uint64_t compare[WORDS];
    open_plain();
    memset(compare, 0xff, sizeof compare);
    wlk_port_set(port("io_readReq_ready"), compare, 0);
    close_checker();
    const wlk_checker_options options = {.scope = "x", .compare = compare};
    open_with(&options, 4, 2);
    for (int i = 0; i < 1000; i++) {
        stimulate();
        set("io_readReq_ready", !value("io_readReq_ready"));
        CHECK(give() == 0);
    }
    CHECK(result(true).verdict == WLK_OK);
    stimulate();
    set("io_readReq_ready", !value("io_readReq_ready"));
    set("io_writeReq_ready", 0);
    CHECK(give() == 1);
    uint32_t n = 0;
    const wlk_difference *d = wlk_checker_differences(s.checker, &n);
    CHECK(n == 1 && strcmp(s.ports[d[0].port].name, "io_writeReq_ready") == 0);
    close_checker();
}

/* ---- differences ---- */

static char *text_of(void (*print)(const wlk_checker *, FILE *)) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (to == NULL) {
        abort();
    }
    print(s.checker, to);
    (void)fclose(to);
    return text;
}

static void print_json(const wlk_checker *c, FILE *to) {
    wlk_json j = {to, false};
    wlk_json_open(&j, NULL, '{');
    wlk_checker_json(c, false, &j);
    wlk_json_number(&j, "extra", 1);
    wlk_json_close(&j, '}');
}

static void expect_text(void (*print)(const wlk_checker *, FILE *), const char *part) {
    char *text = text_of(print);
    CHECK_MSG(strstr(text, part) != NULL, "no '%s' in:\n%s", part, text);
    free(text);
}

static void flipped_bit_is_reported(void) {
    open_plain();
    run_clean(777);
    do { // a cycle in which lane 2 is known
        stimulate();
    } while (wlk_port_get(port("io_readData_resp_bits_1_data_2"), s.care) == 0 && give() == 0);
    const uint64_t at = result(false).cycles;
    const uint64_t right = value("io_readData_resp_bits_1_data_2");
    set("io_readData_resp_bits_1_data_2", right ^ 0x40);
    CHECK(give() == 1);
    uint32_t n = 0;
    const wlk_difference *d = wlk_checker_differences(s.checker, &n);
    if (CHECK(n == 1)) {
        CHECK(strcmp(s.ports[d[0].port].name, "io_readData_resp_bits_1_data_2") == 0);
        CHECK(d[0].expected == right && d[0].got == (right ^ 0x40));
        CHECK(d[0].care == UINT32_MAX && d[0].x == 0);
    }
    for (int i = 0; !wlk_checker_done(s.checker); i++) {
        stimulate();
        CHECK(give() == 0 && i < 2000);
    }
    const wlk_checker_result r = result(true);
    CHECK(r.verdict == WLK_FUNCTIONAL_MISMATCH && r.first_cycle == at && r.mismatches == 1);
    CHECK(r.cycles == at + WLK_AFTERMATH);
    close_checker();
}

static void differences_come_in_table_order(void) {
    open_plain();
    run_clean(100);
    stimulate();
    set("io_readData_resp_valid", !value("io_readData_resp_valid"));
    set("io_readReq_ready", !value("io_readReq_ready"));
    set("io_writeReq_ready", 0);
    CHECK(give() == 1);
    static const char *const names[] = {"io_readReq_ready", "io_writeReq_ready",
                                        "io_readData_resp_valid"};
    uint32_t n = 0;
    const wlk_difference *d = wlk_checker_differences(s.checker, &n);
    if (CHECK(n == 3)) {
        for (uint32_t i = 0; i < 3; i++) {
            CHECK(strcmp(s.ports[d[i].port].name, names[i]) == 0);
        }
    }
    stimulate();
    set("io_writeReq_ready", 0);
    CHECK(give() == 0); // only the first one is reported
    CHECK(result(false).mismatches == 2 && result(false).first_cycle == 100);
    CHECK(wlk_checker_differences(s.checker, &n) == d && n == 3);
    close_checker();
}

static void every_output_bit_counts(void) {
    open_plain();
    const uint32_t ports = s.n_ports;
    close_checker();
    for (uint32_t i = 0; i < ports; i++) {
        open_plain();
        run_clean(300);
        stimulate();
        while (s.ports[i].is_out && wlk_port_get(&s.ports[i], s.care) == 0 && give() == 0) {
            stimulate();
        }
        if (s.ports[i].is_out && s.ports[i].present) {
            const uint64_t bit = UINT64_C(1) << (i % s.ports[i].width);
            wlk_port_set(&s.ports[i], s.out, wlk_port_get(&s.ports[i], s.out) ^ bit);
            CHECK_MSG(give() == 1, "%s", s.ports[i].name);
        }
        close_checker();
    }
}

// A bit that is not there in a cycle is masked in it, whatever it shows; one that is there counts.
static void missing_bit_may_differ(void) {
    const uint64_t cycles = 1000, missing = 3;
    uint64_t mask[WORDS], hidden = 0;
    for (int there = 0; there < 2; there++) {
        open_plain();
        run_clean(cycles);
        const uint64_t before = result(false).masked_bits;
        const wlk_port *p = port("io_readReq_ready");
        memset(mask, 0xff, sizeof mask);
        if (there == 0) {
            wlk_port_set(p, mask, 0);
        }
        s.masked = 0;
        for (uint64_t c = 0; c < missing; c++) {
            stimulate();
            hidden = s.masked + (c + 1u) * (there == 0 ? 1u : 0u);
            set("io_readReq_ready", !value("io_readReq_ready"));
            const int first = wlk_checker_step_masked(s.checker, s.in, NULL, s.out, NULL, mask);
            CHECK_MSG(first == (there != 0 && c == 0), "cycle %u", (unsigned)c);
        }
        CHECK(result(false).masked_bits - before == hidden);
        CHECK((result(true).verdict == WLK_OK) == (there == 0));
        run_clean(there == 0 ? cycles : 0); // and all of it is compared again
        stimulate();
        set("io_readReq_ready", !value("io_readReq_ready"));
        CHECK(give() == (there == 0));
        close_checker();
    }
}

static void nothing_there_is_vacuous(void) {
    const uint64_t mask[WORDS] = {0};
    open_plain();
    for (uint64_t c = 0; c < 500; c++) {
        stimulate();
        CHECK(wlk_checker_step_masked(s.checker, s.in, NULL, s.out, NULL, mask) == 0);
    }
    CHECK(result(false).compared_bits == 0 && result(false).masked_bits > 0);
    CHECK(result(false).verdict == WLK_VACUOUS);
    close_checker();
}

static void masked_bit_may_differ(void) {
    open_plain();
    reset_now();
    set("io_readReq_valid", 1);
    set("io_readReq_bits_regs_0_enable", 1);
    set("io_readReq_bits_regs_0_pReg", 9);
    rtl_cycle();
    CHECK(give() == 0);
    idle();
    rtl_cycle();
    CHECK(give() == 0);
    rtl_cycle();
    CHECK(wlk_port_get(port("io_readData_resp_bits_0_data_3"), s.care) == 0);
    set("io_readData_resp_bits_0_data_3", 0x1234);
    CHECK(give() == 0);
    CHECK(result(false).verdict == WLK_OK);
    CHECK(result(false).masked_bits == 4 * 32);
    close_checker();
}

static void report_has_all_parts(void) {
    open_plain();
    run_clean(700);
    stimulate();
    set("io_writeReq_ready", 0);
    (void)give();
    expect_text(wlk_checker_report, "collector top.dut: FUNCTIONAL_MISMATCH in cycle 700");
    expect_text(wlk_checker_report, "num_lanes=4");
    expect_text(wlk_checker_report, "io_writeReq_ready");
    expect_text(wlk_checker_report, "\n       700:");
    expect_text(wlk_checker_report, "\n       685:");
    expect_text(wlk_checker_report, "alloc_valid = 0x");
    expect_text(print_json, "\"verdict\": \"FUNCTIONAL_MISMATCH\", \"first\": {\"cycle\": 700, "
                            "\"port\": \"io_writeReq_ready\", \"expected\": \"0x1\", "
                            "\"got\": \"0x0\", \"care\": \"0x1\"}");
    expect_text(print_json, ", \"extra\": 1}");
    char *text = text_of(wlk_checker_report);
    CHECK_MSG(strstr(text, "\n       684:") == NULL, "more than the history");
    free(text);
    close_checker();
}

// Registers and entries in decimal, masks in hexadecimal, in handshakes, differences and state.
static void report_has_one_notation(void) {
    open_plain();
    reset_now();
    set("io_readReq_valid", 1);
    set("io_readReq_bits_regs_0_enable", 1);
    set("io_readReq_bits_regs_0_pReg", 11);
    set("io_writeReq_valid", 1);
    set("io_writeReq_bits_regs_0_enable", 1);
    set("io_writeReq_bits_regs_0_pReg", 12);
    set("io_writeReq_bits_regs_0_tmask", 0xa);
    rtl_cycle();
    (void)give();
    idle();
    rtl_cycle();
    set("io_readResp_bits_collEntry", !value("io_readResp_bits_collEntry"));
    CHECK(give() == 1);
    expect_text(wlk_checker_report, "readReq regs_0_enable=1 regs_0_pReg=11 ");
    expect_text(wlk_checker_report, "writeReq regs_0_enable=1 regs_0_pReg=12 regs_0_tmask=0xa;");
    expect_text(wlk_checker_report, "  1                  0                  0x1\n");
    expect_text(wlk_checker_report, "nextPReg[0] = 11\n");
    expect_text(wlk_checker_report, "alloc_valid = 0x1\n");
    close_checker();
}

/* ---- late, not wrong ---- */

// The readResp port of the RTL one cycle late, from a cycle without a response on.
static void late_response(uint64_t from, uint64_t spoil, wlk_status verdict) {
    static const char *const names[] = {
        "io_readResp_valid", "io_readResp_bits_collEntry", "io_readResp_bits_regs_0_enable",
        "io_readResp_bits_regs_1_enable", "io_readResp_bits_regs_2_enable"};
    uint64_t last[5] = {0};
    bool delays = false;
    open_plain();
    for (uint64_t c = 0; !wlk_checker_done(s.checker) && c < 4000; c++) {
        stimulate();
        const uint64_t answered = last[0];
        delays = delays || (c >= from && !answered);
        for (int i = 0; i < 5; i++) {
            const uint64_t now = value(names[i]);
            if (delays) {
                set(names[i], i == 1 && answered ? last[i] ^ spoil : last[i]);
            }
            last[i] = now;
        }
        (void)give();
    }
    CHECK_MSG(result(false).verdict == verdict, "%s", wlk_status_name(result(false).verdict));
    CHECK(wlk_checker_done(s.checker));
    close_checker();
}

static void late_response_is_a_divergence_in_time(void) {
    late_response(1000, 0, WLK_TIMING_DIVERGENCE);
}

static void late_response_with_another_id_is_functional(void) {
    late_response(1000, 1, WLK_FUNCTIONAL_MISMATCH);
}

static void lost_response_is_functional(void) {
    open_plain();
    for (uint64_t c = 0; !wlk_checker_done(s.checker) && c < 4000; c++) {
        stimulate();
        if (c > 1000) { // no response any more
            set("io_readResp_valid", 0);
        }
        (void)give();
    }
    CHECK(result(false).verdict == WLK_FUNCTIONAL_MISMATCH);
    close_checker();
}

/* ---- broken rules ---- */

static void read_idle_entry(void) {
    set("io_readData_req_valid", 1);
    set("io_readData_req_bits_regs_0_enable", 1);
}

static void broken_rule_is_a_violation(void) {
    open_plain();
    run_clean(200);
    reset_now();
    read_idle_entry();
    rtl_cycle();
    CHECK(s.violated == WLK_COLLECTOR_READDATA_UNALLOCATED);
    CHECK(give() == 1);
    const wlk_checker_result r = result(false);
    CHECK(r.verdict == WLK_PROTOCOL_VIOLATION && r.first_cycle == 201);
    CHECK(r.violated == WLK_COLLECTOR_READDATA_UNALLOCATED);
    expect_text(wlk_checker_report, "PROTOCOL_VIOLATION in cycle 201");
    expect_text(wlk_checker_report, "rule: readData.req.valid needs an allocated collEntry");
    expect_text(print_json, "\"first\": {\"cycle\": 201, \"rule\": \"readData.req.valid");
    close_checker();
}

// What differs after the inputs broke a rule is not the RTL's fault.
static void broken_rule_outranks_a_later_mismatch(void) {
    open_plain();
    run_clean(200);
    reset_now();
    read_idle_entry();
    rtl_cycle();
    (void)give();
    idle();
    rtl_cycle();
    set("io_writeReq_ready", 0);
    CHECK(give() == 1);
    CHECK(result(false).verdict == WLK_PROTOCOL_VIOLATION);
    close_checker();
}

static void mismatch_outranks_a_later_broken_rule(void) {
    open_plain();
    run_clean(200);
    reset_now();
    rtl_cycle();
    set("io_writeReq_ready", 0);
    CHECK(give() == 1);
    read_idle_entry();
    rtl_cycle();
    (void)give();
    CHECK(result(false).verdict == WLK_FUNCTIONAL_MISMATCH);
    CHECK(result(false).first_cycle == 201);
    close_checker();
}

/* ---- X ---- */

static void x_output_with_care_is_a_mismatch(void) {
    open_plain();
    run_clean(50);
    stimulate();
    set_x("io_writeReq_ready", 1);
    CHECK(give() == 1);
    uint32_t n = 0;
    const wlk_difference *d = wlk_checker_differences(s.checker, &n);
    CHECK(n == 1 && d[0].x == 1 && d[0].expected == 1);
    CHECK(result(false).verdict == WLK_FUNCTIONAL_MISMATCH);
    expect_text(print_json, "\"x\": \"0x1\"");
    expect_text(wlk_checker_report, "(X)");
    close_checker();
}

static void x_output_without_care_is_not(void) {
    open_plain();
    reset_now();
    set("io_readReq_valid", 1);
    set("io_readReq_bits_regs_0_enable", 1);
    set("io_readReq_bits_regs_0_pReg", 9);
    for (int i = 0; i < 3; i++) {
        rtl_cycle();
        if (i == 2) {
            set_x("io_readData_resp_bits_0_data_0", UINT32_MAX);
        }
        CHECK(give() == 0);
        idle();
    }
    CHECK(result(false).verdict == WLK_OK && result(false).masked_bits == 4 * 32);
    close_checker();
}

// Data written from X is unknown; the lane beside it is not.
static void x_payload_is_forgotten(void) {
    open_plain();
    reset_now();
    set("io_writeReq_valid", 1);
    set("io_writeReq_bits_regs_0_enable", 1);
    set("io_writeReq_bits_regs_0_pReg", 9);
    set("io_writeReq_bits_regs_0_tmask", 3);
    rtl_cycle();
    set_x("io_writeReq_bits_regs_0_data_1", 0x10);
    CHECK(give() == 0);
    idle();
    set("io_readReq_valid", 1);
    set("io_readReq_bits_regs_0_enable", 1);
    set("io_readReq_bits_regs_0_pReg", 9);
    rtl_cycle();
    CHECK(give() == 0);
    idle();
    rtl_cycle();
    CHECK(give() == 0);
    rtl_cycle();
    set("io_readData_resp_bits_0_data_1", 0x77);
    CHECK(give() == 0);
    rtl_cycle();
    set("io_readData_resp_bits_0_data_0", 0x77);
    CHECK(give() == 1);
    close_checker();
}

static void x_control_that_a_rule_reads_is_a_violation(void) {
    static const struct {
        const char *port;
        const char *valid; // high in this cycle, or NULL
        int violations;
    } cases[] = {
        {"io_readReq_valid", NULL, 1},
        {"reset", NULL, 1},
        {"io_readData_req_bits_collEntry", NULL, 0},
        {"io_readData_req_bits_collEntry", "io_readData_req_valid", 1},
        {"io_readReq_bits_regs_1_pReg", NULL, 0},
        {"io_readReq_bits_regs_1_pReg", "io_readReq_valid", 1},
        {"io_readReq_bits_rsEntryId", "io_readReq_valid", 0},
        {"io_writeReq_bits_regs_0_tmask", NULL, 0},
        {"io_writeReq_bits_regs_0_tmask", "io_writeReq_valid", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        open_plain();
        run_clean(20);
        reset_now();
        if (cases[i].valid != NULL) {
            set(cases[i].valid, 1);
        }
        rtl_cycle();
        set_x(cases[i].port, 1);
        CHECK_MSG(give() == cases[i].violations, "case %zu", i);
        if (cases[i].violations) {
            CHECK(result(false).verdict == WLK_PROTOCOL_VIOLATION);
            expect_text(wlk_checker_report, cases[i].port);
        }
        close_checker();
    }
}

// The entry is shown although nobody reads it: unknown, and so not compared.
static void x_entry_hides_what_it_shows(void) {
    open_plain();
    run_clean(20);
    reset_now();
    rtl_cycle();
    CHECK(give() == 0);
    const uint64_t masked = result(false).masked_bits;
    rtl_cycle();
    set("io_readData_resp_valid", 1);
    set("io_readData_resp_bits_2_data_3", 1);
    set_x("io_readData_req_bits_collEntry", 1);
    CHECK(give() == 0);
    CHECK(result(false).masked_bits == masked + 1 + 3 * 4 * 32);
    rtl_cycle();
    set("io_readReq_ready", 0);
    set_x("io_readData_req_bits_collEntry", 1);
    CHECK(give() == 1); // it does not hide this one
    close_checker();
}

/* ---- opening ---- */

static void open_refuses_a_bad_configuration(void) {
    const wlk_checker_options options = {.scope = "x"};
    wlk_collector_cfg cfg;
    wlk_checker *checker = NULL;
    wlk_error err;
    wlk_config_defaults(&wlk_collector_table, (uint32_t *)&cfg);
    cfg.num_pregs = 3;
    CHECK(wlk_checker_open(&checker, wlk_block_find("collector"), (const uint32_t *)&cfg, &options,
                           &err) == WLK_BAD_CONFIG);
    CHECK(checker == NULL && strstr(err.text, "num_pregs=3") != NULL);
    wlk_checker_close(NULL);
}

int main(void) {
    clean_run_passes();
    counting_events_changes_no_number();
    cycles_before_reset_are_skipped();
    power_up_zero_compares_from_the_start();
    nothing_compared_is_vacuous();
    no_transfer_is_vacuous();
    output_never_compared_is_vacuous_when_strict();
    output_that_the_rtl_lacks_is_not_compared();
    flipped_bit_is_reported();
    differences_come_in_table_order();
    every_output_bit_counts();
    masked_bit_may_differ();
    missing_bit_may_differ();
    nothing_there_is_vacuous();
    report_has_all_parts();
    report_has_one_notation();
    late_response_is_a_divergence_in_time();
    late_response_with_another_id_is_functional();
    lost_response_is_functional();
    broken_rule_is_a_violation();
    broken_rule_outranks_a_later_mismatch();
    mismatch_outranks_a_later_broken_rule();
    x_output_with_care_is_a_mismatch();
    x_output_without_care_is_not();
    x_payload_is_forgotten();
    x_control_that_a_rule_reads_is_a_violation();
    x_entry_hides_what_it_shows();
    open_refuses_a_bad_configuration();
    return check_done();
}

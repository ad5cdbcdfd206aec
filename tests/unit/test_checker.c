// SPDX-License-Identifier: Apache-2.0
// The checker: what it counts, and what it calls a difference. A second model plays the RTL. Each
// test begins with a new checker of a collector of 4 lanes, 2 entries and 16 registers.
#define _GNU_SOURCE
#include "check.h"
#include "rig.h"
#include "warplock/checker.h"
#include "warplock/collector.h"

enum { MAX_WORDS = 64 };

/* ---- a checker beside the RTL it looks at ---- */

static struct {
    rig rtl;
    wlk_checker *checker;
    uint64_t in_x[MAX_WORDS], out_x[MAX_WORDS];
    bool known_x;              // give the X words
    bool is_apart;             // payloads lie apart from the control words
    uint64_t compared, masked; // bits, counted here
} s;

static void open_checker_of(const wlk_block *block, wlk_checker_options options) {
    wlk_error err;
    options.scope = "top.dut";
    wlk_checker_close(s.checker);
    CHECK(wlk_checker_open(&s.checker, block, s.rtl.cfg, &options, &err) == WLK_OK);
}

static void open_with(wlk_checker_options options) {
    wlk_checker_close(s.checker);
    rig_close(&s.rtl);
    memset(&s, 0, sizeof s);
    rig_open(&s.rtl, "collector", "num_lanes=4 coll_entries=2 num_pregs=16", options.power_up);
    rig_stimulus(&s.rtl, 1, "mix");
    REQUIRE(s.rtl.layout.in_words <= MAX_WORDS && s.rtl.layout.out_words <= MAX_WORDS, "words");
    open_checker_of(s.rtl.block, options);
}

static void open_checker(void) {
    open_with((wlk_checker_options){.power_up = WLK_POWER_UNKNOWN});
}

static void close_checker(void) {
    wlk_checker_close(s.checker);
    s.checker = NULL;
    rig_close(&s.rtl);
}

#define put(...) rig_put(&s.rtl, __VA_ARGS__)

static void set_x(const char *name, uint64_t bits) {
    const wlk_port *p = rig_port(&s.rtl, name);
    wlk_port_set(p, p->is_out ? s.out_x : s.in_x, bits);
    s.known_x = true;
}

static uint64_t care_of(const char *name) {
    return wlk_port_get(rig_port(&s.rtl, name), s.rtl.care);
}

// The port shows something else.
static void flip(const char *name, uint64_t bits) {
    rig_set(&s.rtl, name, rig_get(&s.rtl, name) ^ bits);
}

// The outputs of the RTL for the inputs at hand; it moves on.
static void rtl_cycle(void) {
    rig_record(&s.rtl);
    for (uint32_t w = 0; w < s.rtl.layout.out_words; w++) {
        s.compared += (uint64_t)__builtin_popcountll(s.rtl.care[w] & s.rtl.all[w]);
        s.masked += (uint64_t)__builtin_popcountll(~s.rtl.care[w] & s.rtl.all[w]);
    }
}

// The next inputs of the stimulus.
static void stimulate(void) {
    rig_next(&s.rtl, s.rtl.state);
    rtl_cycle();
}

// These inputs and no others.
static void drive(const char *inputs) {
    rig_idle(&s.rtl);
    put("%s", inputs);
    rtl_cycle();
}

// One side as it crosses DPI: a payload is an array of 32-bit words, and lies anywhere.
static void lay_apart(const uint64_t *words, uint32_t control, const wlk_payload *payloads,
                      uint32_t n, uint64_t *copy, uint32_t *room, wlk_view *view) {
    memset(copy, 0x5a, MAX_WORDS * sizeof *copy);
    view->control = memcpy(copy, words, control * sizeof *copy);
    view->mask = NULL;
    for (uint32_t i = 0; i < n; i++, room += 2u * MAX_WORDS + 1u) {
        view->payload[i] =
            memcpy(room, words + payloads[i].word, payloads[i].words * sizeof *words);
    }
}

static int give_apart(void) {
    static uint64_t in[MAX_WORDS], got[MAX_WORDS];
    static uint32_t room[2][WLK_MAX_PAYLOADS * (2u * MAX_WORDS + 1u)];
    const wlk_layout *l = &s.rtl.layout;
    wlk_view vi, vg;
    lay_apart(s.rtl.in, l->in_control, l->in_payload, l->n_in_payloads, in, room[0], &vi);
    lay_apart(s.rtl.out, l->out_control, l->out_payload, l->n_out_payloads, got, room[1], &vg);
    return wlk_checker_step(s.checker, &vi, &vg);
}

// The checker's cycle: 1 = the first that differs.
static int give(void) {
    if (s.is_apart) {
        return give_apart();
    }
    const int first = wlk_checker_step_x(s.checker, s.rtl.in, s.known_x ? s.in_x : NULL, s.rtl.out,
                                         s.known_x ? s.out_x : NULL);
    memset(s.in_x, 0, sizeof s.in_x);
    memset(s.out_x, 0, sizeof s.out_x);
    s.known_x = false;
    return first;
}

static int play(const char *inputs) {
    drive(inputs);
    return give();
}

static void run_clean(uint64_t cycles) {
    for (uint64_t c = 0; c < cycles; c++) {
        stimulate();
        CHECK(give() == 0);
    }
}

static wlk_checker_result result(bool strict) {
    return wlk_checker_result_get(s.checker, strict);
}

static wlk_status verdict(void) {
    return result(false).verdict;
}

// The first differing cycle differs at these ports, in this order. The first difference.
static wlk_difference expect_differences(const char *names) {
    char text[256] = "";
    const wlk_checker_facts f = wlk_checker_facts_get(s.checker);
    for (uint32_t i = 0; i < f.n_differences; i++) {
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i != 0 ? " " : "",
                       f.ports[f.differences[i].port].name);
    }
    REQUIRE(strcmp(text, names) == 0, "%s", text);
    return f.differences[0];
}

/* ---- verdicts without a difference ---- */

CASE(clean_run_passes) {
    stimulate();
    (void)give();
    s.compared = s.masked = 0; // the first cycle is skipped
    run_clean(4999);
    const wlk_checker_result r = result(true);
    CHECK(r.verdict == WLK_OK && r.cycles == 5000 && r.skipped == 1 && r.mismatches == 0);
    CHECK_MSG(r.compared_bits == s.compared, "%llu", (unsigned long long)r.compared_bits);
    CHECK_MSG(r.masked_bits == s.masked, "%llu", (unsigned long long)r.masked_bits);
    CHECK(r.masked_bits > 0 && r.reset_seen && r.transfer_seen && r.violated == 0);
}

CASE(counting_events_changes_no_number) {
    wlk_checker_result r[2];
    uint64_t hits[2];
    for (int count = 0; count < 2; count++) {
        open_with((wlk_checker_options){.count_events = count});
        run_clean(3000);
        r[count] = result(false);
        hits[count] = wlk_checker_events(s.checker, 0);
    }
    CHECK(r[0].compared_bits == r[1].compared_bits && r[0].masked_bits == r[1].masked_bits);
    CHECK(r[0].verdict == WLK_OK && r[1].verdict == WLK_OK);
    CHECK(hits[0] == 0 && hits[1] > 100);
}

CASE(cycles_before_reset_are_skipped) {
    for (int i = 0; i < 5; i++) {
        drive("");
        put("readReq_ready=1"); // what it shows is not compared
        CHECK(give() == 0);
    }
    CHECK(result(false).skipped == 5 && !result(false).reset_seen);
    CHECK(verdict() == WLK_NO_RESET);
    run_clean(500); // begins with a reset
    CHECK(result(false).skipped == 6 && verdict() == WLK_OK);
}

CASE(power_up_zero_compares_from_the_start) {
    open_with((wlk_checker_options){.power_up = WLK_POWER_ZERO});
    drive("");
    put("writeResp_valid=1");
    CHECK(give() == 1);
    CHECK(result(false).skipped == 0 && result(false).first_cycle == 0);
}

CASE(power_up_reset_compares_behind_it) {
    open_with((wlk_checker_options){.power_up = WLK_POWER_RESET});
    drive("");
    put("writeResp_valid=1");
    CHECK(give() == 0);
    CHECK(play("reset") == 0 && result(false).skipped == 2);
    drive("");
    put("writeResp_valid=1");
    CHECK(give() == 1);
    CHECK(result(false).first_cycle == 2);
}

CASE(nothing_compared_is_vacuous) {
    CHECK(verdict() == WLK_VACUOUS);
    for (int i = 0; i < 3; i++) {
        (void)play("");
    }
    CHECK(verdict() == WLK_NO_RESET);
    (void)play("reset");
    CHECK(verdict() == WLK_VACUOUS);
}

CASE(no_transfer_is_vacuous) {
    (void)play("reset");
    for (int i = 0; i < 100; i++) {
        CHECK(play("") == 0);
    }
    CHECK(!result(false).transfer_seen && verdict() == WLK_VACUOUS);
    (void)play("writeReq_valid");
    CHECK(result(false).transfer_seen && verdict() == WLK_OK);
}

#define READ  "readReq_valid readReq_bits_regs_0_enable readReq_bits_regs_0_pReg"
#define WRITE "writeReq_valid writeReq_bits_regs_0_enable writeReq_bits_regs_0_pReg"

// Bank data of never written registers: nothing of the payload is compared.
CASE(output_never_compared_is_vacuous_when_strict) {
    (void)play("reset");
    CHECK(play(READ "=5") == 0);
    for (int i = 0; i < 299; i++) {
        CHECK(play("readReq_bits_regs_0_enable readReq_bits_regs_0_pReg=5") == 0);
    }
    CHECK(verdict() == WLK_OK);
    CHECK(result(true).verdict == WLK_VACUOUS);
}

CASE(output_that_the_rtl_lacks_is_not_compared) {
    uint64_t compare[MAX_WORDS];
    memset(compare, 0xff, sizeof compare);
    wlk_port_set(rig_port(&s.rtl, "readReq_ready"), compare, 0);
    open_with((wlk_checker_options){.compare = compare});
    for (int i = 0; i < 1000; i++) {
        stimulate();
        flip("readReq_ready", 1);
        CHECK(give() == 0);
    }
    CHECK(result(true).verdict == WLK_OK);
    stimulate();
    flip("readReq_ready", 1);
    put("writeReq_ready=0");
    CHECK(give() == 1);
    (void)expect_differences("io_writeReq_ready");
}

/* ---- differences ---- */

static char *text_of(void (*print)(const wlk_checker *, FILE *)) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    REQUIRE(to != NULL, "no memory");
    print(s.checker, to);
    (void)fclose(to);
    return text;
}

static void print_outputs(const wlk_checker *c, FILE *to) {
    wlk_json j = {to, false};
    wlk_checker_json_shares(c, &j);
}

// An entry shows what was read from a register that was never written, in one cycle of four.
CASE(share_of_each_output_is_that_of_the_cycles_behind_the_first_reset) {
    for (int i = 0; i < 3; i++) {
        CHECK(play("") == 0);
    }
    char *before = text_of(wlk_checker_report_outputs), *none = text_of(print_outputs);
    CHECK_MSG(strstr(before, "  compared in part of the cycles: io_readReq_ready 0 %, ") == before,
              "%s", before);
    CHECK_MSG(strstr(before, " 0 %, and 20 more in less than 99 %\n"), "%s", before);
    CHECK_MSG(strstr(none, "\"io_readReq_ready\": 0.000000"), "%s", none);
    (void)play("reset");
    CHECK(play("") == 0 && play(READ "=5") == 0 && play("") == 0 && play("") == 0);
    char *text = text_of(wlk_checker_report_outputs), *json = text_of(print_outputs);
    CHECK_MSG(
        strcmp(text,
               "  compared in part of the cycles: "
               "io_readData_resp_bits_0_data_0 75 %, io_readData_resp_bits_0_data_1 75 %, "
               "io_readData_resp_bits_0_data_2 75 %, io_readData_resp_bits_0_data_3 75 %\n") == 0,
        "%s", text);
    CHECK_MSG(strstr(json, "\"io_readReq_ready\": 1"), "%s", json);
    CHECK_MSG(strstr(json, "\"io_readData_resp_bits_0_data_3\": 0.750000"), "%s", json);
    free(before);
    free(none);
    free(text);
    free(json);
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

static void print_texts(const wlk_checker *c, FILE *to) {
    (void)c;
    static const char *const texts[] = {"\xc2\xa7 1", "\xe2\x89\xa0\xf0\x9f\x98\x80",
                                        "\xe0\x80\x80", "a\xff", "\"\\\n"};
    wlk_json j = {to, false};
    wlk_json_open(&j, NULL, '[');
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        wlk_json_text(&j, NULL, texts[i]);
    }
    wlk_json_close(&j, ']');
}

static void expect_report(const char *part) {
    expect_text(wlk_checker_report, part);
}

CASE(json_keeps_utf8_and_escapes_other_bytes) {
    expect_text(print_texts, "\"\xc2\xa7 1\", \"\xe2\x89\xa0\xf0\x9f\x98\x80\"");
    expect_text(print_texts, "\"\\u00e0\\u0080\\u0080\", \"a\\u00ff\"");
    expect_text(print_texts, "\"\\\"\\\\\\u000a\"");
}

CASE(flipped_bit_is_reported) {
    static const char lane[] = "io_readData_resp_bits_1_data_2";
    run_clean(777);
    do { // a cycle in which the lane is known
        stimulate();
    } while (care_of(lane) == 0 && give() == 0);
    const uint64_t at = result(false).cycles, right = rig_get(&s.rtl, lane);
    flip(lane, 0x40);
    CHECK(give() == 1);
    const wlk_difference d = expect_differences(lane);
    CHECK(d.expected == right && d.got == (right ^ 0x40) && d.care == UINT32_MAX && d.x == 0);
    for (int i = 0; !wlk_checker_done(s.checker); i++) {
        stimulate();
        CHECK(give() == 0 && i < 2000);
    }
    const wlk_checker_result r = result(true);
    CHECK(r.verdict == WLK_FUNCTIONAL_MISMATCH && r.first_cycle == at && r.mismatches == 1);
    CHECK(r.cycles == at + WLK_AFTERMATH);
}

CASE(differences_come_in_table_order) {
    static const char names[] = "io_readReq_ready io_writeReq_ready io_readData_resp_valid";
    run_clean(100);
    stimulate();
    flip("readData_resp_valid", 1);
    flip("readReq_ready", 1);
    put("writeReq_ready=0");
    CHECK(give() == 1);
    (void)expect_differences(names);
    stimulate();
    put("writeReq_ready=0");
    CHECK(give() == 0); // only the first one is reported
    CHECK(result(false).mismatches == 2 && result(false).first_cycle == 100);
    (void)expect_differences(names);
}

static void count_output_bits(bool is_apart) {
    for (uint32_t i = 0; i < s.rtl.layout.n_ports; i++) {
        open_checker();
        s.is_apart = is_apart;
        run_clean(300);
        stimulate();
        const wlk_port *port = &s.rtl.ports[i];
        while (port->is_out && wlk_port_get(port, s.rtl.care) == 0 && give() == 0) {
            stimulate();
        }
        if (port->is_out && port->present) {
            flip(port->name, UINT64_C(1) << (i % port->width));
            CHECK_MSG(give() == 1, "%s", port->name);
        }
    }
}

CASE(every_output_bit_counts) {
    count_output_bits(false);
}

CASE(every_output_bit_counts_where_payloads_lie_apart) {
    count_output_bits(true);
}

static int give_masked(const uint64_t *mask) {
    return wlk_checker_step_masked(s.checker, s.rtl.in, NULL, s.rtl.out, NULL, mask);
}

// The RTL gives another entry in 4 cycles, and a response in @p valid of them. Those that differ.
static uint64_t wrong_entries(const wlk_block *block, uint32_t valid) {
    open_checker();
    open_checker_of(block, (wlk_checker_options){.power_up = WLK_POWER_UNKNOWN});
    (void)play("reset");
    for (uint32_t i = 0; i < 5; i++) {
        drive(i < valid ? READ "=5" : "");
        if (i > 0) {
            flip("readResp_bits_collEntry", 1);
        }
        (void)give();
    }
    return result(false).mismatches;
}

// An output that means nothing is compared only where the table calls it exact. No block has one
// that is not, so the collector gets one.
CASE(output_that_is_not_exact_is_compared_where_it_is_valid) {
    const wlk_block *exact = s.rtl.block;
    static wlk_field fields[128];
    wlk_table table = *exact->table;
    wlk_block inexact = *exact;
    REQUIRE(table.n_fields <= COUNT(fields), "%u fields", table.n_fields);
    memcpy(fields, table.fields, table.n_fields * sizeof *fields);
    fields[rig_port(&s.rtl, "readResp_bits_collEntry")->field].exact = false;
    table.fields = fields;
    inexact.table = &table;
    CHECK(wrong_entries(exact, 0) == 4 && wrong_entries(exact, 2) == 4);
    CHECK(wrong_entries(&inexact, 0) == 0 && wrong_entries(&inexact, 2) == 2);
    open_checker();
}

// A bit that is not there in a cycle is masked in it, whatever it shows; one that is there counts.
CASE(missing_bit_may_differ) {
    const uint64_t cycles = 1000, missing = 3;
    uint64_t mask[MAX_WORDS], hidden = 0;
    for (int there = 0; there < 2; there++) {
        open_checker();
        run_clean(cycles);
        const uint64_t before = result(false).masked_bits;
        memset(mask, 0xff, sizeof mask);
        if (there == 0) {
            wlk_port_set(rig_port(&s.rtl, "readReq_ready"), mask, 0);
        }
        s.masked = 0;
        for (uint64_t c = 0; c < missing; c++) {
            stimulate();
            hidden = s.masked + (c + 1u) * (there == 0 ? 1u : 0u);
            flip("readReq_ready", 1);
            CHECK_MSG(give_masked(mask) == (there != 0 && c == 0), "cycle %u", (unsigned)c);
        }
        CHECK(result(false).masked_bits - before == hidden);
        CHECK((result(true).verdict == WLK_OK) == (there == 0));
        run_clean(there == 0 ? cycles : 0); // and all of it is compared again
        stimulate();
        flip("readReq_ready", 1);
        CHECK(give() == (there == 0));
    }
}

CASE(nothing_there_is_vacuous) {
    const uint64_t mask[MAX_WORDS] = {0};
    for (uint64_t c = 0; c < 500; c++) {
        stimulate();
        CHECK(give_masked(mask) == 0);
    }
    CHECK(result(false).compared_bits == 0 && result(false).masked_bits > 0);
    CHECK(verdict() == WLK_VACUOUS);
}

// A read of a register that was never written: its data is in the third cycle.
static void read_unknown(void) {
    (void)play("reset");
    CHECK(play(READ "=9") == 0);
    CHECK(play("") == 0);
    drive("");
}

CASE(masked_bit_may_differ) {
    read_unknown();
    CHECK(care_of("readData_resp_bits_0_data_3") == 0);
    put("readData_resp_bits_0_data_3=0x1234");
    CHECK(give() == 0);
    CHECK(verdict() == WLK_OK);
    CHECK(result(false).masked_bits == 4 * 32);
}

CASE(report_has_all_parts) {
    static const char *const parts[] = {"collector top.dut: FUNCTIONAL_MISMATCH in cycle 700",
                                        "num_lanes=4",
                                        "io_writeReq_ready",
                                        "\n  rule (muon-issue §2): writeReq.ready: constant 1",
                                        "\n       700*",
                                        "\n       685 ",
                                        "alloc_valid = 0x"};
    run_clean(700);
    stimulate();
    put("writeReq_ready=0");
    (void)give();
    for (size_t i = 0; i < COUNT(parts); i++) {
        expect_report(parts[i]);
    }
    expect_text(print_json, "\"verdict\": \"FUNCTIONAL_MISMATCH\", \"first\": {\"cycle\": 700, "
                            "\"port\": \"io_writeReq_ready\", \"expected\": \"0x1\", "
                            "\"got\": \"0x0\", \"care\": \"0x1\"}");
    expect_text(print_json, ", \"extra\": 1}");
    char *text = text_of(wlk_checker_report);
    CHECK_MSG(strstr(text, "\n       684 ") == NULL, "more than the history");
    free(text);
}

// Registers and entries in decimal, masks in hexadecimal, in handshakes, differences and state.
CASE(report_has_one_notation) {
    (void)play("reset");
    (void)play(READ "=11 " WRITE "=12 writeReq_bits_regs_0_tmask=0xa");
    drive("");
    flip("readResp_bits_collEntry", 1);
    CHECK(give() == 1);
    expect_report(" regs.enable regs.pReg regs.tmask   regs.enable\n");
    expect_report("         1          1,0,0       11,0,0 ");
    expect_report(" 1           12        0xa\n");
    expect_report("  1    0      0x1\n");
    expect_report("nextPReg[0] = 11\n");
    expect_report("alloc_valid = 0x1\n");
}

/* ---- late, not wrong ---- */

// The readResp port of the RTL one cycle late, from a cycle without a response on.
static void late_response(uint64_t from, uint64_t spoil, wlk_status expected) {
    static const char *const names[] = {
        "readResp_valid", "readResp_bits_collEntry", "readResp_bits_regs_0_enable",
        "readResp_bits_regs_1_enable", "readResp_bits_regs_2_enable"};
    uint64_t last[COUNT(names)] = {0};
    bool delays = false;
    for (uint64_t c = 0; !wlk_checker_done(s.checker) && c < 4000; c++) {
        stimulate();
        const uint64_t answered = last[0];
        delays = delays || (c >= from && !answered);
        for (size_t i = 0; i < COUNT(names); i++) {
            const uint64_t now = rig_get(&s.rtl, names[i]);
            if (delays) {
                rig_set(&s.rtl, names[i], i == 1 && answered ? last[i] ^ spoil : last[i]);
            }
            last[i] = now;
        }
        (void)give();
    }
    CHECK_MSG(verdict() == expected, "%s", wlk_status_name(verdict()));
    CHECK(wlk_checker_done(s.checker));
}

CASE(late_response_is_a_divergence_in_time) {
    late_response(1000, 0, WLK_TIMING_DIVERGENCE);
}

CASE(late_response_with_another_id_is_functional) {
    late_response(1000, 1, WLK_FUNCTIONAL_MISMATCH);
}

// A side that has not answered yet is late by no known number of cycles.
CASE(response_that_is_still_due_has_no_delay) {
    (void)play("reset");
    (void)play(WRITE "=3");
    drive("");
    put("writeResp_valid=0");
    CHECK(give() == 1);
    drive(READ "=3");
    put("writeResp_valid=1"); // a cycle late
    (void)give();
    drive("");
    put("readResp_valid=0");
    (void)give();
    for (int i = 0; i < 20; i++) {
        (void)play("");
    }
    CHECK_MSG(verdict() == WLK_TIMING_DIVERGENCE, "%s", wlk_status_name(verdict()));
    expect_report("  timing: writeResp of the RTL comes 1 cycle late");
    char *text = text_of(wlk_checker_report);
    CHECK_MSG(strstr(text, "timing: readResp") == NULL, "%s", text);
    free(text);
}

CASE(lost_response_is_functional) {
    for (uint64_t c = 0; !wlk_checker_done(s.checker) && c < 4000; c++) {
        stimulate();
        if (c > 1000) { // no response any more
            put("readResp_valid=0");
        }
        (void)give();
    }
    CHECK(verdict() == WLK_FUNCTIONAL_MISMATCH);
}

/* ---- broken rules ---- */

static const char *const read_idle_entry = "readData_req_valid readData_req_bits_regs_0_enable";

static void run_and_reset(uint64_t cycles) {
    run_clean(cycles);
    (void)play("reset");
}

CASE(broken_rule_is_a_violation) {
    run_and_reset(200);
    CHECK(play(read_idle_entry) == 1);
    CHECK(s.rtl.info.violated == WLK_COLLECTOR_READDATA_UNALLOCATED);
    const wlk_checker_result r = result(false);
    CHECK(r.verdict == WLK_PROTOCOL_VIOLATION && r.first_cycle == 201);
    CHECK(r.violated == WLK_COLLECTOR_READDATA_UNALLOCATED);
    expect_report("PROTOCOL_VIOLATION in cycle 201");
    expect_report("rule: readData.req.valid needs an allocated collEntry");
    expect_text(print_json, "\"first\": {\"cycle\": 201, \"rule\": \"readData.req.valid");
}

// What differs after the inputs broke a rule is not the RTL's fault.
CASE(broken_rule_outranks_a_later_mismatch) {
    run_and_reset(200);
    (void)play(read_idle_entry);
    drive("");
    put("writeReq_ready=0");
    CHECK(give() == 1);
    CHECK(verdict() == WLK_PROTOCOL_VIOLATION);
}

CASE(mismatch_outranks_a_later_broken_rule) {
    run_and_reset(200);
    drive("");
    put("writeReq_ready=0");
    CHECK(give() == 1);
    (void)play(read_idle_entry);
    CHECK(verdict() == WLK_FUNCTIONAL_MISMATCH);
    CHECK(result(false).first_cycle == 201);
}

/* ---- X ---- */

CASE(x_output_with_care_is_a_mismatch) {
    run_clean(50);
    stimulate();
    set_x("writeReq_ready", 1);
    CHECK(give() == 1);
    const wlk_difference d = expect_differences("io_writeReq_ready");
    CHECK(d.x == 1 && d.expected == 1);
    CHECK(verdict() == WLK_FUNCTIONAL_MISMATCH);
    expect_text(print_json, "\"x\": \"0x1\"");
    expect_report("(X)");
}

CASE(x_output_without_care_is_not) {
    read_unknown();
    set_x("readData_resp_bits_0_data_0", UINT32_MAX);
    CHECK(give() == 0);
    CHECK(verdict() == WLK_OK && result(false).masked_bits == 4 * 32);
}

// A bit written from X is unknown; the one beside it is not.
CASE(x_payload_is_forgotten) {
    (void)play("reset");
    drive(WRITE "=9 writeReq_bits_regs_0_tmask=3");
    set_x("writeReq_bits_regs_0_data_1", 0x10);
    CHECK(give() == 0);
    CHECK(play(READ "=9") == 0);
    CHECK(play("") == 0);
    drive("");
    flip("readData_resp_bits_0_data_1", 0x10);
    CHECK(give() == 0);
    drive("");
    flip("readData_resp_bits_0_data_1", 0x20);
    CHECK(give() == 1);
}

CASE(x_control_that_a_rule_reads_is_a_violation) {
    static const struct {
        const char *port;
        const char *inputs;
        int violations;
    } cases[] = {
        {"io_readReq_valid", "", 1},
        {"reset", "", 1},
        {"io_readData_req_bits_collEntry", "", 0},
        {"io_readData_req_bits_collEntry", "readData_req_valid", 1},
        {"io_readReq_bits_regs_1_pReg", "", 0},
        {"io_readReq_bits_regs_1_pReg", "readReq_valid", 1},
        {"io_readReq_bits_rsEntryId", "readReq_valid", 0},
        {"io_writeReq_bits_regs_0_tmask", "", 0},
        {"io_writeReq_bits_regs_0_tmask", "writeReq_valid", 1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        open_checker();
        run_and_reset(20);
        drive(cases[i].inputs);
        set_x(cases[i].port, 1);
        CHECK_MSG(give() == cases[i].violations, "case %zu", i);
        if (cases[i].violations) {
            CHECK(verdict() == WLK_PROTOCOL_VIOLATION);
            expect_report(cases[i].port);
        }
    }
}

// The entry is shown although nobody reads it: unknown, and so not compared.
CASE(x_entry_hides_what_it_shows) {
    run_and_reset(20);
    CHECK(play("") == 0);
    const uint64_t masked = result(false).masked_bits;
    drive("");
    put("readData_resp_valid=1 readData_resp_bits_2_data_3=1");
    set_x("readData_req_bits_collEntry", 1);
    CHECK(give() == 0);
    CHECK(result(false).masked_bits == masked + 1 + 3 * 4 * 32);
    drive("");
    put("readReq_ready=0");
    set_x("readData_req_bits_collEntry", 1);
    CHECK(give() == 1); // it does not hide this one
}

/* ---- waivers ---- */

static wlk_status waive(const char *text) {
    wlk_error err;
    return wlk_checker_waive(s.checker, text, &err);
}

static wlk_waiver_hits hits_of(uint32_t at) {
    uint32_t n = 0;
    const wlk_waiver_hits *hits = wlk_checker_waived(s.checker, &n);
    REQUIRE(at < n, "%u numbers", n);
    return hits[at];
}

CASE(waived_difference_is_a_hit) {
    for (int count = 0; count < 2; count++) { // the fast path, and the other one
        open_with((wlk_checker_options){.count_events = count});
        CHECK(waive("collector 7 io_writeReq_ready 0x1 io_readReq_valid") == WLK_OK);
        run_clean(1000);
        uint64_t hits = 0, last = 0;
        const uint64_t masked = result(false).masked_bits;
        s.masked = 0;
        for (uint64_t c = 1000; c < 1500; c++) {
            stimulate();
            if (rig_get(&s.rtl, "readReq_valid") != 0) {
                flip("writeReq_ready", 1);
                hits++;
                last = c;
            }
            CHECK(give() == 0);
        }
        CHECK(hits > 50 && hits < 450 && verdict() == WLK_OK && result(false).mismatches == 0);
        CHECK(hits_of(0).waiver == 7 && hits_of(0).cycles == hits && hits_of(0).last == last);
        CHECK(hits_of(0).first >= 1000 && hits_of(0).first < 1100);
        CHECK(result(false).masked_bits == masked + s.masked + hits);
        stimulate();
        rig_set(&s.rtl, "readReq_valid", 0);
        flip("writeReq_ready", 1);
        CHECK(give() == 1);
        (void)expect_differences("io_writeReq_ready");
        expect_text(print_json, "\"waived\": [{\"waiver\": 7, ");
    }
}

CASE(waived_are_some_bits_of_some_ports) {
    CHECK(waive("collector 0 io_readData_resp_bits_0_data_1 0xf0") == WLK_OK);
    CHECK(waive("collector 0 io_readData_resp_bits_1_data_1 0xf0") == WLK_OK);
    CHECK(waive("collector 1 io_writeReq_ready 0x1") == WLK_OK);
    (void)play("reset");
    CHECK(play(WRITE "=9 writeReq_bits_regs_0_tmask=15") == 0);
    CHECK(play("readReq_valid readReq_bits_regs_0_enable readReq_bits_regs_0_pReg=9 "
               "readReq_bits_regs_1_enable readReq_bits_regs_1_pReg=9") == 0);
    CHECK(play("") == 0);
    drive("readData_req_valid");
    put("readData_resp_bits_0_data_1=0x50 readData_resp_bits_1_data_1=0x80 writeReq_ready=0");
    CHECK(give() == 0);
    CHECK(hits_of(0).cycles == 1 && hits_of(1).cycles == 1); // a cycle, and not a port
    drive("readData_req_valid");
    put("readData_resp_bits_0_data_1=0x51");
    CHECK(give() == 1);
    const wlk_difference d = expect_differences("io_readData_resp_bits_0_data_1");
    CHECK((d.care & 0x51) == 1 && d.got == 0x51);
    CHECK(hits_of(0).cycles == 2);
    drive("");
    put("writeReq_ready=0"); // behind a failure
    CHECK(give() == 0 && hits_of(1).cycles == 1);
}

typedef struct condition_case {
    const char *condition, *inputs;
    bool holds;
} condition_case;

// Each in a checker of its own; with an X in @p unknown if it is not NULL.
static void check_conditions(const condition_case *cases, size_t n, const char *unknown) {
    for (size_t i = 0; i < n; i++) {
        char text[256];
        (void)snprintf(text, sizeof text, "collector 0 io_writeReq_ready 1 %s", cases[i].condition);
        open_checker();
        REQUIRE(waive(text) == WLK_OK, "%s", text);
        run_and_reset(20);
        drive(cases[i].inputs);
        put("writeReq_ready=0");
        if (unknown != NULL) {
            set_x(unknown, 1);
        }
        CHECK_MSG((give() == 0) == cases[i].holds, "%s with %s", text, cases[i].inputs);
    }
}

CASE(waiver_holds_where_its_condition_does) {
    static const condition_case cases[] = {
        {"", "", true},
        {"reset !", "", true},
        {"io_readReq_valid", "", false},
        {"io_readReq_valid", "readReq_valid", true},
        {"io_readReq_valid io_writeReq_valid &&", "readReq_valid", false},
        {"io_readReq_valid io_writeReq_valid ||", "readReq_valid", true},
        {"io_readReq_bits_regs_0_pReg 0x5 ==", "readReq_bits_regs_0_pReg=5", true},
        {"io_readReq_bits_regs_0_pReg 0x5 !=", "readReq_bits_regs_0_pReg=5", false},
        {"io_readReq_bits_regs_0_pReg 0x5 <", "readReq_bits_regs_0_pReg=4", true},
        {"io_readReq_bits_regs_0_pReg 0x5 <", "readReq_bits_regs_0_pReg=5", false},
        {"io_readReq_bits_regs_0_pReg 0x5 <=", "readReq_bits_regs_0_pReg=5", true},
        {"io_readReq_bits_regs_0_pReg 0x5 <=", "readReq_bits_regs_0_pReg=6", false},
        {"io_readReq_bits_regs_0_pReg 0x5 >", "readReq_bits_regs_0_pReg=6", true},
        {"io_readReq_bits_regs_0_pReg 0x5 >", "readReq_bits_regs_0_pReg=5", false},
        {"io_readReq_bits_regs_0_pReg 0x5 >=", "readReq_bits_regs_0_pReg=5", true},
        {"io_readReq_bits_regs_0_pReg 0x5 >=", "readReq_bits_regs_0_pReg=4", false},
        {"io_readReq_bits_regs_0_pReg@1:2 0x3 ==", "readReq_bits_regs_0_pReg=6", true},
        {"io_readReq_bits_regs_0_pReg@1:2 0x3 ==", "readReq_bits_regs_0_pReg=3", false},
        {"io_readReq_bits_regs_0_pReg 0x6 & 0x2 ==", "readReq_bits_regs_0_pReg=3", true},
        {"io_readReq_bits_regs_0_pReg 0x8 | 0xb ==", "readReq_bits_regs_0_pReg=3", true},
        {"io_readReq_bits_regs_0_pReg 0x6 ^ 0x5 ==", "readReq_bits_regs_0_pReg=3", true},
        {"io_readReq_bits_regs_0_pReg ~4 0xc ==", "readReq_bits_regs_0_pReg=3", true},
        {"io_readReq_ready", "", true}, // an output
        {"io_readReq_ready !", "", false},
    };
    check_conditions(cases, COUNT(cases), NULL);
}

// What the RTL shows counts, and not what the model expects.
CASE(waiver_reads_outputs_of_the_rtl) {
    CHECK(waive("collector 0 io_readReq_ready 0x1 io_writeReq_ready !") == WLK_OK);
    CHECK(waive("collector 1 io_writeReq_ready 0x1 io_readReq_ready !") == WLK_OK);
    run_and_reset(20);
    drive("");
    put("readReq_ready=0 writeReq_ready=0");
    CHECK(give() == 0 && hits_of(0).cycles == 1 && hits_of(1).cycles == 1);
    drive("");
    put("readReq_ready=0");
    CHECK(give() == 1);
}

CASE(waiver_whose_condition_is_unknown_does_not_hold) {
    static const condition_case cases[] = {
        {"io_readReq_bits_rsEntryId 0x0 ==", "", false},
        {"io_readReq_bits_rsEntryId 0x9 ==", "", false},
        {"io_readReq_bits_rsEntryId@1:2 0x0 ==", "", true},
        {"io_readReq_bits_rsEntryId 0x0 == !", "", false},
        {"io_readReq_bits_rsEntryId io_writeReq_valid &&", "writeReq_valid", false},
        {"io_readReq_bits_rsEntryId io_writeReq_valid && !", "", true},
        {"io_readReq_bits_rsEntryId io_writeReq_valid ||", "writeReq_valid", true},
        {"io_writeReq_valid io_readReq_bits_rsEntryId ||", "writeReq_valid", true},
        {"io_readReq_bits_rsEntryId io_writeReq_valid ||", "", false},
    };
    check_conditions(cases, COUNT(cases), "readReq_bits_rsEntryId");
}

CASE(waiver_reads_no_output_that_the_rtl_lacks) {
    uint64_t compare[MAX_WORDS];
    memset(compare, 0xff, sizeof compare);
    wlk_port_set(rig_port(&s.rtl, "readReq_ready"), compare, 0);
    open_with((wlk_checker_options){.compare = compare});
    CHECK(waive("collector 0 io_writeReq_ready 0x1 io_readReq_ready") == WLK_OK);
    run_and_reset(20);
    drive("");
    put("writeReq_ready=0");
    CHECK(give() == 1);
}

CASE(waived_x_is_no_difference) {
    CHECK(waive("collector 0 io_writeReq_ready 0x1") == WLK_OK);
    run_and_reset(20);
    drive("");
    set_x("writeReq_ready", 1);
    CHECK(give() == 0 && hits_of(0).cycles == 1);
}

// Behind a failure, too, what is waived of a response is no difference of its value.
CASE(waived_value_is_no_other_transfer) {
    CHECK(waive("collector 0 io_readResp_bits_regs_0_enable 1") == WLK_OK);
    run_and_reset(20);
    CHECK(play(WRITE "=3") == 0);
    drive("");
    put("writeResp_valid=0"); // it comes a cycle late
    CHECK(give() == 1);
    drive(READ "=3");
    put("writeResp_valid=1");
    CHECK(give() == 0);
    drive("");
    CHECK(rig_get(&s.rtl, "readResp_valid") == 1);
    flip("readResp_bits_regs_0_enable", 1);
    CHECK(give() == 0);
    for (int i = 0; i < 600; i++) {
        (void)play("");
    }
    CHECK_MSG(verdict() == WLK_TIMING_DIVERGENCE, "%s", wlk_status_name(verdict()));
}

CASE(waiver_that_does_not_fit_is_refused) {
    static const char *const bad[] = {
        "",
        "collector",
        "collector 0 io_writeReq_ready",
        "collector x io_writeReq_ready 1",
        "collector 0 io_none 1",
        "collector 0 io_readReq_valid 1", // an input
        "collector 0 io_writeReq_ready 1 io_none",
        "collector 0 io_writeReq_ready 1 io_readReq_valid io_writeReq_valid",
        "collector 0 io_writeReq_ready 1 &&",
        "collector 0 io_writeReq_ready 1 io_readReq_valid &&",
        "collector 0 io_writeReq_ready 1 io_readReq_valid@1:1",
        "collector 0 io_writeReq_ready 1 io_readReq_valid@0",
        "collector 0 io_writeReq_ready 1 io_readReq_valid ~x",
        "collector 0 io_writeReq_ready 1 io_readReq_valid 0x1 +",
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        CHECK_MSG(waive(bad[i]) == WLK_BAD_PARAMS, "%s", bad[i]);
    }
    CHECK(waive("hazard 0 io_none 1") == WLK_OK); // of another block
    run_and_reset(20);
    drive("");
    put("writeReq_ready=0");
    CHECK(give() == 1);
}

/* ---- opening ---- */

CASE(open_refuses_a_bad_configuration) {
    const wlk_checker_options options = {.scope = "x"};
    wlk_collector_cfg cfg;
    wlk_checker *checker = NULL;
    wlk_error err;
    wlk_config_defaults(&wlk_collector_table, (uint32_t *)&cfg);
    cfg.num_pregs = 3;
    CHECK(wlk_checker_open(&checker, s.rtl.block, (const uint32_t *)&cfg, &options, &err) ==
          WLK_BAD_CONFIG);
    CHECK(checker == NULL && strstr(err.text, "num_pregs=3") != NULL);
    wlk_checker_close(NULL);
}

int main(void) {
    return check_cases_in(open_checker, close_checker);
}

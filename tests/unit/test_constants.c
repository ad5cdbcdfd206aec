// SPDX-License-Identifier: Apache-2.0
// Output bits that never change, against a plain count: of random records, and as a checker counts
// them in each of its ways. There the model plays the RTL; what has no care is anything.
#define _GNU_SOURCE
#define SCOPE "top.u_checker"
#include "check.h"
#include "constants.h"
#include "rig.h"
#include "scope.h"
#include "warplock/dpi.h"

enum { CYCLES = 3000, MAX_PORTS = 4096, ODD = 1777 };

// How a cycle is given: as a simulator does, as a waveform with X, as the harness does.
typedef enum way { BY_VIEW, BY_WAVE, BY_BATCH, WAYS } way;

static const char *const blocks[] = {"collector", "scoreboard", "hazard", "issue_x"};

static struct {
    rig rtl;
    wlk_checker *checker;
    void *handle; // BY_BATCH: that of the checker
    uint64_t ones[MAX_PORTS], zeros[MAX_PORTS];
    uint64_t *out_x;
} s;

static void open_for(const char *block, way how) {
    wlk_error err;
    memset(&s, 0, sizeof s);
    rig_open(&s.rtl, block, "", WLK_POWER_UNKNOWN);
    rig_stimulus(&s.rtl, 1, "mix");
    s.out_x = rig_words(&s.rtl, s.rtl.layout.out_words);
    REQUIRE(s.rtl.layout.n_ports <= MAX_PORTS, "ports");
    if (how != BY_BATCH) {
        const wlk_checker_options options = {.scope = "top"};
        CHECK(!wlk_checker_open(&s.checker, s.rtl.block, s.rtl.cfg, &options, &err));
        return;
    }
    wlk_dpi_configure(WLK_DPI_HOST, WLK_POWER_UNKNOWN);
    wlk_dpi_defer(true);
    s.handle = wlk_dpi_open_at("top", WLK_ABI_VERSION, s.rtl.block->table->schema_hash);
    for (uint32_t i = 0; i < s.rtl.block->table->n_params; i++) {
        wlk_dpi_param(s.handle, i, s.rtl.cfg[i]);
    }
    REQUIRE(wlk_dpi_start(s.handle) == 0, "start");
    s.checker = wlk_dpi_checker(0);
}

static void close_it(void) {
    if (s.handle != NULL) {
        (void)wlk_dpi_close(s.handle);
    } else {
        wlk_checker_close(s.checker);
    }
    rig_close(&s.rtl);
}

static void give(way how) {
    const rig *r = &s.rtl;
    if (how == BY_WAVE) {
        CHECK(wlk_checker_step_x(s.checker, r->in, NULL, r->out, s.out_x) == 0);
    } else if (how == BY_VIEW) {
        const wlk_view in = rig_view(r, r->in, false), got = rig_view(r, r->out, true);
        CHECK(wlk_checker_step(s.checker, &in, &got) == 0);
    } else {
        uint64_t *to = wlk_dpi_next(s.handle);
        memcpy(to, r->in, r->layout.in_words * sizeof *to);
        memcpy(to + r->layout.in_words, r->out, r->layout.out_words * sizeof *to);
        wlk_dpi_took(s.handle);
    }
}

// What the RTL shows without care: 0, but for one cycle; in a waveform it is mostly X.
static void make_odd(way how, uint64_t cycle) {
    for (uint32_t w = 0; w < s.rtl.layout.out_words; w++) {
        const uint64_t free = s.rtl.all[w] & ~s.rtl.care[w];
        s.rtl.out[w] |= cycle == ODD ? free & UINT64_C(0x1111111111111111) : 0u;
        s.out_x[w] = how == BY_WAVE && cycle % 5u != 0 && cycle != ODD ? free : 0u;
    }
}

static void count(void) {
    for (uint32_t i = 0; i < s.rtl.layout.n_ports; i++) {
        const wlk_port *port = &s.rtl.ports[i];
        if (port->is_out && port->present) {
            const uint64_t known = wlk_mask(port->width) & ~wlk_port_get(port, s.out_x);
            s.ones[i] |= wlk_port_get(port, s.rtl.out) & known;
            s.zeros[i] |= ~wlk_port_get(port, s.rtl.out) & known;
        }
    }
}

static void run(way how) {
    for (uint64_t cycle = 0; cycle < CYCLES; cycle++) {
        rig_next(&s.rtl, s.rtl.state);
        rig_record(&s.rtl);
        make_odd(how, cycle);
        give(how);
        if (cycle != 0) { // the first one is before the edge in reset
            count();
        }
    }
    wlk_dpi_flush();
}

// Returns how many bits are constant.
static uint32_t compare(const char *block, way how) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < s.rtl.layout.n_ports; i++) {
        uint64_t value;
        const uint64_t found = wlk_checker_constant(s.checker, i, &value);
        CHECK_MSG(found == (s.ones[i] ^ s.zeros[i]) && value == (s.ones[i] & found),
                  "%s way %d %s: 0x%llx", block, (int)how, s.rtl.ports[i].name,
                  (unsigned long long)found);
        bits += (uint32_t)__builtin_popcountll(found);
    }
    return bits;
}

CASE(bits_that_never_change_are_counted) {
    for (way how = BY_VIEW; how < WAYS; how++) {
        uint32_t bits = 0;
        for (size_t b = 0; b < COUNT(blocks); b++) {
            open_for(blocks[b], how);
            run(how);
            bits += compare(blocks[b], how);
            close_it();
        }
        CHECK(bits > 0);
    }
}

/* ---- records without a block ---- */

enum { WORDS = 60, CONTROL = 23, LENGTH = 700, BATCH = 64 };

static uint64_t dice = 88172645463325252u;

static uint64_t roll(void) {
    dice ^= dice << 13;
    dice ^= dice >> 7;
    return dice ^= dice << 17;
}

// A quarter of the bits are 1.
static uint64_t few(void) {
    const uint64_t one = roll();
    return one & roll();
}

// Each bit has its value in all cycles, or another in one, or is random.
static void make_records(uint64_t (*records)[WORDS]) {
    for (uint32_t w = 0; w < WORDS; w++) {
        const uint64_t value = roll(), noise = w % 3u == 0 ? few() : 0u;
        for (uint32_t cycle = 0; cycle < LENGTH; cycle++) {
            records[cycle][w] = value ^ (roll() & noise);
        }
        for (uint32_t bit = 0; bit < 64; bit += 1u + (uint32_t)(roll() % 20u)) {
            records[1 + roll() % (LENGTH - 1u)][w] ^= UINT64_C(1) << bit;
        }
    }
}

// Cycles from @p cycle on, in one of the ways; returns how many.
static uint32_t give_some(constants *k, const wlk_layout *layout, uint64_t (*records)[WORDS],
                          uint32_t cycle) {
    static const uint64_t none[WORDS];
    static uint64_t elsewhere[2 * WORDS]; // the parts of a view are not side by side
    uint64_t *got = records[cycle];
    wlk_view view = {.control = memcpy(elsewhere, got, CONTROL * sizeof *got)};
    uint32_t n = 1;
    switch (cycle == 0 ? 0u : roll() % 3u) {
    case 0:
        wlk_constants_note(k, got, none, k->compare);
        break;
    case 1:
        for (uint32_t i = 0, at = 2 * WORDS; i < layout->n_out_payloads; i++) {
            const wlk_payload *payload = &layout->out_payload[i];
            at -= payload->words;
            memcpy(&elsewhere[at], &got[payload->word], payload->words * sizeof *got);
            view.payload[i] = &elsewhere[at];
        }
        wlk_constants_view(k, &view);
        break;
    default:
        n = LENGTH - cycle < BATCH ? LENGTH - cycle : BATCH;
        wlk_constants_run(k, got, WORDS, n);
    }
    return n;
}

CASE(bits_that_never_change_are_those_of_a_plain_count) {
    static uint64_t records[LENGTH][WORDS];
    wlk_layout layout = {.out_control = CONTROL, .out_words = WORDS, .n_out_payloads = 4};
    const wlk_payload payloads[] = {{CONTROL, 5}, {CONTROL + 5, 20}, {CONTROL + 25, 1}, {49, 11}};
    memcpy(layout.out_payload, payloads, sizeof payloads);
    for (int turn = 0; turn < 200; turn++) {
        uint64_t compare[WORDS], ones[WORDS] = {0}, zeros[WORDS] = {0};
        constants k = {0};
        make_records(records);
        for (uint32_t w = 0; w < WORDS; w++) {
            compare[w] = roll() % 5u == 0 ? 0u : ~few();
            for (uint32_t cycle = 0; cycle < LENGTH; cycle++) {
                ones[w] |= records[cycle][w];
                zeros[w] |= ~records[cycle][w];
            }
        }
        REQUIRE(wlk_constants_open(&k, &layout, compare), "memory");
        for (uint32_t cycle = 0; cycle < LENGTH;) {
            cycle += give_some(&k, &layout, records, cycle);
        }
        for (uint32_t w = 0; w < WORDS; w++) {
            const uint64_t found = k.seen[w] & ~k.moved[w];
            CHECK_MSG(found == (compare[w] & (ones[w] ^ zeros[w])), "turn %d word %u", turn, w);
        }
        wlk_constants_free(&k);
    }
}

CASE(bits_that_are_unknown_have_no_value) {
    const uint64_t compare = 0xff, got[] = {0x0f, 0x4d, 0x5d}, x[] = {0xf0, 0x02, 0x30};
    const wlk_layout layout = {.out_control = 1, .out_words = 1};
    constants k = {0};
    REQUIRE(wlk_constants_open(&k, &layout, &compare), "memory");
    for (size_t i = 0; i < COUNT(got); i++) {
        const uint64_t value = got[i] & ~x[i];
        wlk_constants_note(&k, &value, &x[i], &compare);
    }
    // Bits 4 and 5 were X, 0, X; bit 6 was X, 1, 1; bit 1 was 1, X, 0.
    CHECK((k.seen[0] & ~k.moved[0]) == 0xfd && k.first[0] == 0x4f);
    wlk_constants_free(&k);
}

/* ---- what is printed ---- */

static char *text_of(void (*print)(FILE *)) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    REQUIRE(to != NULL, "no memory");
    print(to);
    (void)fclose(to);
    return text;
}

static void print_lines(FILE *to) {
    wlk_checker_report_constants(s.checker, "# ", to);
}

static void print_json(FILE *to) {
    wlk_json j = {to, false};
    wlk_json_open(&j, NULL, '{');
    wlk_checker_json_shares(s.checker, &j);
    wlk_json_close(&j, '}');
}

CASE(bits_that_never_change_are_listed) {
    static const char ready[] = "# 1 of 1 bits of io_writeReq_ready were 1 in all 2999 cycles\n";
    static const char json[] = "\"io_writeReq_ready\": {\"width\": 1, \"constant_bits\": 1, "
                               "\"constant_mask\": \"0x1\", \"constant_value\": \"0x1\"}";
    open_for("collector", BY_VIEW);
    run(BY_VIEW);
    char *lines = text_of(print_lines), *object = text_of(print_json);
    CHECK_MSG(strstr(lines, ready) != NULL, "%s", lines);
    CHECK_MSG(strstr(object, json) != NULL, "%s", object);
    free(lines);
    free(object);
    close_it();
}

CASE(runs_add_up_to_what_is_constant_in_all) {
    wlk_share sum = {.name = "q", .width = 4};
    const wlk_share seeds[] = {
        {"q", 4, 8, 8, 0xf, 0x5}, {"q", 4, 0, 8, 0, 0}, {"q", 4, 8, 8, 0x7, 0x4}};
    for (size_t i = 0; i < COUNT(seeds); i++) { // nothing is compared in the second
        wlk_share_add(&sum, &seeds[i]);
    }
    CHECK(sum.compared == 16 && sum.all == 24 && sum.constant == 0x6 && sum.value == 0x4);
}

CASE(nothing_is_constant_before_two_cycles_are_compared) {
    uint64_t value;
    open_for("collector", BY_VIEW);
    for (int i = 0; i < 2; i++) { // of which the first one is not compared
        rig_next(&s.rtl, s.rtl.state);
        rig_record(&s.rtl);
        give(BY_VIEW);
    }
    for (uint32_t i = 0; i < s.rtl.layout.n_ports; i++) {
        CHECK(wlk_checker_constant(s.checker, i, &value) == 0);
    }
    close_it();
}

int main(void) {
    return check_cases();
}

// SPDX-License-Identifier: Apache-2.0
// The operand collector's statistics as a C caller has them. What is counted is tested against
// recordings, by replay/test_opndcoll_summary.py.
#include "check.h"
#include "gpgpusim_configs.h"
#include "warplock/opndcoll_summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1024, WARPS = 8 };

static wlk_opndcoll_cfg cfg;
static wlk_opndcoll *model;
static wlk_opndcoll_summary *whole, *part; // part: NULL, or opened while the model was in use
static uint32_t uid, state;

static void start(void) {
    wlk_error err;
    cfg = qv100(V40);
    cfg.operand_collector_num_out_ports_gen = 1;
    model = wlk_opndcoll_init(&cfg, malloc(wlk_opndcoll_state_size(&cfg)));
    REQUIRE(wlk_opndcoll_summary_open(&whole, &cfg, model, &err) == WLK_OK, "%s", err.text);
    part = NULL;
    uid = 0;
    state = 1;
}

static void stop(void) {
    wlk_opndcoll_summary_close(whole);
    wlk_opndcoll_summary_close(part);
    free(model);
}

static uint32_t below(uint32_t bound) {
    state ^= state << 13; // xorshift
    state ^= state >> 17;
    state ^= state << 5;
    return state % bound;
}

// What is done to the model is told to each summary there is.
#define TELL(call, ...)                                                                            \
    do {                                                                                           \
        wlk_opndcoll_summary_##call(whole __VA_ARGS__);                                            \
        if (part != NULL) {                                                                        \
            wlk_opndcoll_summary_##call(part __VA_ARGS__);                                         \
        }                                                                                          \
    } while (0)
#define AND ,

static void issue(uint32_t kind, uint32_t wid, uint32_t n, const int32_t *src) {
    const wlk_opndcoll_inst inst = {.uid = uid + 1u,
                                    .wid = wid,
                                    .sched = wid % 4u,
                                    .lanes = UINT32_MAX,
                                    .n_src = n,
                                    .src = src};
    const bool accepted = wlk_opndcoll_issue(model, kind, &inst) >= 0;
    uid += accepted;
    TELL(issue, AND kind AND accepted);
}

static void step(void) {
    static wlk_opndcoll_event at[ROOM];
    wlk_opndcoll_events events = {at, ROOM, 0};
    wlk_opndcoll_step(model, &events);
    TELL(step, AND & events);
}

static void write_back(uint32_t wid, int32_t reg) {
    wlk_opndcoll_event at[WLK_OPNDCOLL_OPERANDS];
    wlk_opndcoll_events events = {at, WLK_OPNDCOLL_OPERANDS, 0};
    (void)wlk_opndcoll_writeback(model, &reg, 1, wid, wid % 4u, UINT32_MAX, &events);
    TELL(writeback, AND & events);
}

static void random_cycles(uint32_t cycles) {
    for (uint32_t i = 0; i < cycles; i++) {
        TELL(cycle, );
        for (uint32_t kind = 0; kind < WLK_OPNDCOLL_SPEC1; kind++) {
            if (below(8) != 0 && wlk_opndcoll_take(model, kind, NULL) >= 0) {
                TELL(take, AND kind);
            }
        }
        write_back(below(WARPS), (int32_t)below(8));
        write_back(below(WARPS), (int32_t)below(8));
        step();
        step();
        for (uint32_t n = below(8); n != 0; n--) {
            const int32_t src[] = {(int32_t)below(8), (int32_t)below(8), (int32_t)below(8)};
            issue(below(WLK_OPNDCOLL_SPEC1), below(WARPS), below(4), src);
        }
    }
}

/* ---- what is printed ---- */

// Inlined, its stream would make gcc -O3 warn of the text.
static __attribute__((noinline)) char *printed(wlk_opndcoll_summary *s) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    REQUIRE(to != NULL, "no memory");
    wlk_opndcoll_summary_print(s, to);
    (void)fclose(to);
    return text;
}

// The first number of that name: a total has its name first.
static uint64_t number(const char *text, const char *name) {
    char key[64];
    (void)snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(text, key);
    REQUIRE(at != NULL, "no %s in %s", name, text);
    return strtoull(at + strlen(key), NULL, 10);
}

static const char *const names[] = {
    "steps",         "cycles",       "reads",        "writes",         "issued",
    "issue_refused", "allocated",    "dispatched",   "taken",          "waiting",
    "starved_other", "starved_unit", "starved_port", "starved_cycles", "stalled_ex_full",
    "stalled_no_du", "busy",         "granted",      "written",        "write_refused",
    "waited_read",   "waited_write", "waited_unit",  "conflicts",      "queued",
};

CASE(opndcoll_summary_counts_one_instruction) {
    start();
    const int32_t src[] = {1, 2, 3};
    TELL(cycle, );
    issue(WLK_OPNDCOLL_SP, 5, 3, src);
    step();
    step();
    step();
    TELL(cycle, );
    CHECK(wlk_opndcoll_take(model, WLK_OPNDCOLL_SP, NULL) == 0);
    TELL(take, AND WLK_OPNDCOLL_SP);
    write_back(5, 4);
    char *text = printed(whole);
    CHECK(number(text, "steps") == 3 && number(text, "cycles") == 2);
    CHECK(number(text, "issued") == 1 && number(text, "taken") == 1);
    CHECK(number(text, "reads") == 96 && number(text, "writes") == 32);
    CHECK(number(text, "granted") == 3 && number(text, "written") == 1);
    CHECK(number(text, "busy") == 2 && number(text, "queued") == 3);
    free(text);
    stop();
}

// Between two core cycles a second summary begins: what it counts is what the first one adds.
// Only V32 reads a unit from one bank a step; here every kind has a port.
static bool never(const char *name) {
    return strcmp(name, "waited_unit") == 0 || strcmp(name, "starved_port") == 0;
}

CASE(opndcoll_summary_of_a_model_in_use_counts_the_rest) {
    start();
    random_cycles(200);
    char *first = printed(whole); // ends the core cycle
    wlk_error err;
    REQUIRE(wlk_opndcoll_summary_open(&part, &cfg, model, &err) == WLK_OK, "%s", err.text);
    random_cycles(200);
    char *all = printed(whole), *rest = printed(part);
    for (uint32_t i = 0; i < COUNT(names); i++) {
        const uint64_t a = number(first, names[i]), b = number(rest, names[i]);
        CHECK_MSG(a + b == number(all, names[i]), "%s: %" PRIu64 " and %" PRIu64, names[i], a, b);
        CHECK_MSG((b != 0) != never(names[i]), "%s: %" PRIu64, names[i], b);
    }
    free(first);
    free(all);
    free(rest);
    stop();
}

CASE(opndcoll_summary_windows_are_merged) {
    start();
    wlk_error err;
    REQUIRE(wlk_opndcoll_summary_windows(whole, 4, &err) == WLK_OK, "%s", err.text);
    const int32_t src[] = {1, 2, 3};
    issue(WLK_OPNDCOLL_SP, 5, 3, src);
    for (uint32_t i = 0; i < 9; i++) {
        step();
    }
    // 1, 2 and 4 steps a window: at step 8 there are two, and the ninth is in a third one.
    char *text = printed(whole);
    CHECK(strstr(text, "\"windows\": {\"width\": 4, \"last\": 1,") != NULL);
    CHECK(strstr(text, "\"reads\": [96, 0, 0]") != NULL);
    char *again = printed(whole); // changes nothing
    CHECK(strcmp(text, again) == 0);
    free(text);
    free(again);
    stop();
}

int main(void) {
    return check_cases();
}

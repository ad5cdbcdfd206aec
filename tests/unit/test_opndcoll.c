// SPDX-License-Identifier: Apache-2.0
// The operand collector's calls: what is refused (gpgpusim-opndcoll §10) and what no command of a
// replay shows. Its rules: tests/prop/opndcoll_calls.txt.
#include "check.h"
#include "gpgpusim_configs.h"
#include "warplock/opndcoll.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    SP = WLK_OPNDCOLL_SP,
    SFU = WLK_OPNDCOLL_SFU,
    MEM = WLK_OPNDCOLL_MEM,
    TENSOR = WLK_OPNDCOLL_TENSOR,
    INT = WLK_OPNDCOLL_INT,
    SPEC1 = WLK_OPNDCOLL_SPEC1,
    ROOM = 1024, // events
};
#define ALL_LANES UINT32_MAX

static wlk_opndcoll_cfg cfg;
static wlk_opndcoll *model;
static uint32_t uid; // of the instruction issued last

static void start(void) {
    wlk_error err;
    err.text[0] = '\0';
    CHECK_MSG(wlk_opndcoll_check(&cfg, NULL, &err) == WLK_OK, "%s", err.text);
    free(model);
    model = wlk_opndcoll_init(&cfg, malloc(wlk_opndcoll_state_size(&cfg)));
    uid = 0;
}

static void start_qv100(void) {
    cfg = qv100(V40);
    start();
}

/* ---- driving ---- */

static int32_t issue_n(uint32_t kind, uint32_t sched, uint32_t wid, uint32_t n,
                       const int32_t *src) {
    const wlk_opndcoll_inst inst = {.user = 1000u + uid,
                                    .uid = uid + 1u,
                                    .wid = wid,
                                    .sched = sched,
                                    .lanes = ALL_LANES,
                                    .non_rf = 1,
                                    .n_src = n,
                                    .src = src};
    const int32_t slot = wlk_opndcoll_issue(model, kind, &inst);
    uid += slot >= 0 ? 1u : 0u;
    return slot;
}

// #1, #2, ... with sources; issue_none() has none.
#define ISSUE(kind, sched, wid, ...)                                                               \
    issue_n(kind, sched, wid, (uint32_t)(sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)),      \
            (int32_t[]){__VA_ARGS__})

static int32_t issue_none(uint32_t kind, uint32_t sched) {
    return issue_n(kind, sched, sched, 0, NULL);
}

static wlk_opndcoll_event reported[ROOM];

// One step; its events are in `reported`.
static uint32_t step(void) {
    wlk_opndcoll_events events = {reported, ROOM, 0};
    wlk_opndcoll_step(model, &events);
    CHECK(events.count <= wlk_opndcoll_max_events(&cfg));
    return events.count;
}

static bool granted(uint32_t event, uint32_t bank, uint32_t unit, uint32_t slot) {
    const wlk_opndcoll_event *e = &reported[event];
    return e->what == WLK_OPNDCOLL_GRANT && e->at == bank && e->unit == unit && e->slot == slot;
}

static uint32_t take(uint32_t kind) {
    wlk_opndcoll_held held;
    return wlk_opndcoll_take(model, kind, &held) >= 0 ? held.uid : 0u;
}

static int32_t write_n(int32_t *dst, uint32_t n, uint32_t wid, uint32_t sched) {
    return wlk_opndcoll_writeback(model, dst, n, wid, sched, ALL_LANES, NULL);
}

static int32_t write_one(int32_t reg, uint32_t wid, uint32_t sched) {
    return write_n(&reg, 1, wid, sched);
}

static wlk_opndcoll_counters counters(void) {
    wlk_opndcoll_counters c;
    wlk_opndcoll_counted(model, &c);
    return c;
}

/* ---- age (§5) ---- */

CASE(opndcoll_equal_uids_give_the_higher_slot) {
    start_qv100();
    for (uint32_t sched = 0; sched < 3; sched++) {
        uid = 6;
        issue_none(SP, sched);
    }
    CHECK(step() == 3 && reported[0].slot == 2 && reported[1].slot == 1 && reported[2].slot == 0);
    CHECK(reported[0].what == WLK_OPNDCOLL_ALLOCATE && reported[0].user == 1006);
}

CASE(opndcoll_age_inverts_when_the_counter_wraps) {
    start_qv100();
    uid = UINT32_MAX - 1u;
    issue_none(SP, 0);
    uid = 0;
    issue_none(SP, 1);
    CHECK(step() == 2 && reported[0].uid == 1 && reported[1].uid == UINT32_MAX);
}

// Instructions that need no read, with these uids, dispatched in this order.
static void dispatch_uids(const uint32_t *uids, uint32_t n) {
    start_qv100();
    for (uint32_t i = 0; i < n; i++) {
        uid = uids[i] - 1u;
        issue_none(SP, i);
        (void)step();
    }
    (void)step();
}

CASE(opndcoll_takes_the_oldest_of_several) {
    dispatch_uids((const uint32_t[]){9, 3, 7}, 3);
    CHECK(take(SP) == 3);
    CHECK(take(SP) == 7);
    CHECK(take(SP) == 9);
    CHECK(take(SP) == 0);
}

CASE(opndcoll_takes_the_higher_slot_on_equal_uids) {
    dispatch_uids((const uint32_t[]){5, 5}, 2);
    CHECK(wlk_opndcoll_take(model, SP, NULL) == 1);
    CHECK(wlk_opndcoll_take(model, SP, NULL) == 0);
    CHECK(wlk_opndcoll_take_oldest(model, SP, NULL) == WLK_OPNDCOLL_FULL);
}

CASE(opndcoll_q12_steps_of_a_core_cycle) {
    wlk_opndcoll_shape shape;
    cfg = qv100(V40);
    wlk_opndcoll_shape_of(&cfg, &shape);
    CHECK(shape.steps_per_cycle == 2);
    cfg.mem_unit_ports = 0;
    cfg.shmem_warp_parts = 3;
    wlk_opndcoll_shape_of(&cfg, &shape);
    CHECK(shape.steps_per_cycle == 6);
    cfg.revision = V42;
    wlk_opndcoll_shape_of(&cfg, &shape);
    CHECK(shape.steps_per_cycle == 2);
    cfg = gtx480(V32);
    wlk_opndcoll_shape_of(&cfg, &shape);
    CHECK(shape.steps_per_cycle == 2);
}

CASE(opndcoll_ports_tell_their_kinds) {
    cfg = gtx480(V40);
    start();
    static const uint32_t kinds[] = {1u << SP, 1u << SP, 1u << SFU, 1u << TENSOR, 1u << MEM, 0};
    for (uint32_t port = 0; port < 6; port++) {
        CHECK(wlk_opndcoll_port_kinds(model, port) == kinds[port]);
    }
    start_qv100();
    CHECK(wlk_opndcoll_port_kinds(model, 7) == 0x3fu && wlk_opndcoll_port_kinds(model, 8) == 0);
}

CASE(opndcoll_first_kind_is_state_only_where_kinds_rotate) {
    start_qv100();
    CHECK(wlk_opndcoll_first_kind(model, 7) == SP && !wlk_opndcoll_set_first_kind(model, 7, SP));
    cfg.rotate_kinds = 1;
    start();
    CHECK(wlk_opndcoll_first_kind(model, 7) == SP);
    CHECK(wlk_opndcoll_set_first_kind(model, 7, INT));
    CHECK(wlk_opndcoll_first_kind(model, 7) == INT && wlk_opndcoll_first_kind(model, 6) == SP);
    CHECK(!wlk_opndcoll_set_first_kind(model, 7, SPEC1)); // no port has it
    CHECK(!wlk_opndcoll_set_first_kind(model, 7, WLK_OPNDCOLL_KINDS));
    CHECK(!wlk_opndcoll_set_first_kind(model, 8, SP) && wlk_opndcoll_first_kind(model, 7) == INT);
    CHECK(wlk_opndcoll_first_kind(model, 8) == WLK_OPNDCOLL_KINDS);
    cfg = gtx480(V32);
    cfg.rotate_kinds = 1;
    start();
    CHECK(wlk_opndcoll_first_kind(model, 2) == SFU && !wlk_opndcoll_set_first_kind(model, 2, SP));
}

// INT stands last in the list of a port, and port 0 comes before the others.
CASE(opndcoll_first_kind_is_tried_first) {
    cfg = qv100(V40);
    cfg.rotate_kinds = 1;
    start();
    CHECK(wlk_opndcoll_set_first_kind(model, 0, INT));
    issue_none(SP, 0);
    issue_none(INT, 1);
    CHECK(step() == 2 && reported[0].kind == INT && reported[1].kind == SP);
    CHECK(wlk_opndcoll_first_kind(model, 0) == SP && wlk_opndcoll_first_kind(model, 1) == SFU);
}

// By a step that reports its events, or by one that does not.
static void count(bool quick) {
    start_qv100();
    ISSUE(SP, 0, 0, 0, 4);
    static const struct { uint64_t reads, non_rf; } after[] = {{0, 0}, {32, 0}, {64, 0}, {64, 32}};
    for (uint32_t i = 0; i < 4; i++) {
        if (quick) {
            wlk_opndcoll_step(model, NULL);
        } else {
            (void)step();
        }
        CHECK(counters().reads == after[i].reads && counters().non_rf == after[i].non_rf);
    }
    int32_t dst[] = {0, 4};
    CHECK(write_n(dst, 2, 0, 0) == 0 && counters().writes == 0);
    (void)step();
    CHECK(write_n(dst, 2, 0, 0) == 1 && counters().writes == 32);
}

CASE(opndcoll_q17_counters) {
    count(false);
    count(true);
}

CASE(opndcoll_clock_gating_counts_groups_of_lanes) {
    cfg = qv100(V40);
    cfg.clock_gated_reg_file = 1;
    start();
    const int32_t src[] = {0, 1};
    const wlk_opndcoll_inst inst = {
        .uid = 1, .lanes = 0x80000011u, .non_rf = 3, .n_src = 2, .src = src};
    CHECK(wlk_opndcoll_issue(model, SP, &inst) == 0);
    (void)step();
    (void)step();
    (void)step();
    CHECK(counters().reads == 2u * 12u && counters().non_rf == 3u * 12u);
    int32_t dst[] = {0};
    CHECK(wlk_opndcoll_writeback(model, dst, 1, 0, 0, 1u << 5, NULL) == 1);
    CHECK(counters().writes == 4);
}

CASE(opndcoll_sets_and_ports_stand_in_their_orders) {
    wlk_opndcoll_set set;
    wlk_opndcoll_port port;
    cfg = gtx480(V40);
    CHECK(wlk_opndcoll_set_of(&cfg, 0, &set) && set.kind == WLK_OPNDCOLL_KINDS && set.units == 0);
    CHECK(wlk_opndcoll_set_of(&cfg, 4, &set) && set.kind == SFU && set.first_unit == 10 &&
          set.units == 8 && set.first_dispatch_unit == 3 && set.dispatch_units == 1);
    CHECK(wlk_opndcoll_set_of(&cfg, 6, &set) && set.kind == INT);
    CHECK(!wlk_opndcoll_set_of(&cfg, 7, &set));
    CHECK(wlk_opndcoll_port_of(&cfg, 2, &port) && port.kinds == 1u << SFU && port.n_sets == 2 &&
          port.sets[0] == 4 && port.sets[1] == 0);
    CHECK(wlk_opndcoll_port_of(&cfg, 4, &port) && port.kinds == 1u << MEM);
    CHECK(!wlk_opndcoll_port_of(&cfg, 5, &port));
    cfg = gtx480(V32);
    cfg.operand_collector_num_in_ports_gen = 1;
    CHECK(wlk_opndcoll_port_of(&cfg, 2, &port) && port.sets[0] == 1 && port.sets[1] == 3);
    CHECK(wlk_opndcoll_port_of(&cfg, 4, &port) && port.kinds == 7 && port.n_sets == 1 &&
          port.sets[0] == 3);
    CHECK(!wlk_opndcoll_set_of(&cfg, 4, &set));
}

// More units than bits in a word.
CASE(opndcoll_dispatch_scans_many_units_around_the_end) {
    cfg = gtx480(V40);
    cfg.operand_collector_num_units_sp = 130;
    cfg.operand_collector_num_in_ports_sp = 130;
    cfg.operand_collector_num_out_ports_sp = 1;
    cfg.pipeline_widths[0] = 64;
    cfg.pipeline_widths[5] = 1;
    start();
    for (uint32_t i = 0; i < 3; i++) {
        while (issue_none(SP, 0) >= 0) {
        }
        (void)step(); // the second one dispatches unit 1, which then fills OC_EX
    }
    for (uint32_t i = 2; i < 132; i++) {
        CHECK(take(SP) != 0);
        (void)step();
        CHECK(reported[0].what == WLK_OPNDCOLL_DISPATCH && reported[0].unit == i % 130u);
        CHECK(wlk_opndcoll_last(model, 0) == i % 130u);
    }
}

/* ---- register sets (§5) ---- */

CASE(opndcoll_put_and_take_by_slot) {
    start_qv100();
    const wlk_opndcoll_inst inst = {.user = 77, .uid = 9, .wid = 3, .sched = 1};
    CHECK(wlk_opndcoll_put(model, SP, 3, &inst) == 3);
    CHECK(wlk_opndcoll_put(model, SP, 3, &inst) == WLK_OPNDCOLL_FULL);
    CHECK(wlk_opndcoll_put(model, SP, 4, &inst) == WLK_OPNDCOLL_BAD);
    CHECK(wlk_opndcoll_id_free(model, SP) == 0x7u);
    wlk_opndcoll_held held;
    CHECK(wlk_opndcoll_id_slot(model, SP, 3, &held) && held.uid == 9 && held.wid == 3);
    CHECK(!wlk_opndcoll_id_slot(model, SP, 2, &held) && !wlk_opndcoll_id_slot(model, SP, 4, NULL));
    (void)step();
    (void)step();
    CHECK(wlk_opndcoll_ex_filled(model) == 1u << SP);
    CHECK(wlk_opndcoll_ex_slot(model, SP, 0, &held) && held.user == 77 && held.kind == SP);
    CHECK(wlk_opndcoll_take_slot(model, SP, 1, &held) == WLK_OPNDCOLL_FULL);
    CHECK(wlk_opndcoll_take_slot(model, SP, 4, &held) == WLK_OPNDCOLL_BAD);
    CHECK(wlk_opndcoll_take_slot(model, SP, 0, &held) == 0 && held.user == 77);
    CHECK(wlk_opndcoll_take(model, SP, NULL) == WLK_OPNDCOLL_FULL);
    CHECK(wlk_opndcoll_ex_filled(model) == 0);
}

CASE(opndcoll_views_of_what_waits) {
    cfg = gtx480(V40);
    start();
    CHECK(issue_none(SP, 0) == 0 && (wlk_opndcoll_id_open(model) >> SP & 1u) == 1);
    CHECK(issue_none(SP, 0) == 1 && (wlk_opndcoll_id_open(model) >> SP & 1u) == 0);
    CHECK(write_one(0, 0, 0) == 1 && wlk_opndcoll_written(model, 0));
    (void)step();
    CHECK((wlk_opndcoll_id_open(model) >> SP & 1u) == 1 && !wlk_opndcoll_written(model, 0));
}

CASE(opndcoll_callers_mistakes_change_nothing) {
    start_qv100();
    int32_t src[33] = {0};
    CHECK(issue_n(SP, 0, 0, 33, src) == WLK_OPNDCOLL_BAD);
    CHECK(issue_none(SP, 4) == WLK_OPNDCOLL_BAD);
    CHECK(issue_none(99, 0) == WLK_OPNDCOLL_BAD);
    CHECK(wlk_opndcoll_take(model, 99, NULL) == WLK_OPNDCOLL_BAD);
    CHECK(write_n(src, 33, 0, 0) == WLK_OPNDCOLL_BAD && write_one(0, 0, 4) == WLK_OPNDCOLL_BAD);
    CHECK(issue_none(SPEC1, 0) == WLK_OPNDCOLL_BAD); // there is none
    CHECK(step() == 0);
    CHECK(!wlk_opndcoll_unit(model, 99, NULL) && wlk_opndcoll_queue(model, 99, NULL, 0) == 0);
    CHECK(!wlk_opndcoll_written(model, 99) && wlk_opndcoll_last(model, 99) == 0);
    CHECK(wlk_opndcoll_id_free(model, 99) == 0 && wlk_opndcoll_kind_name(99) == NULL);
    cfg = gtx480(V32);
    start();
    CHECK(issue_n(SP, 0, 0, 9, src) == WLK_OPNDCOLL_BAD);
}

/* ---- what is refused (§2, §10) ---- */

typedef struct row {
    const char *option, *message; // NULL: it is legal
    wlk_opndcoll_cfg (*base)(uint32_t revision);
    uint32_t revision;
    struct {
        size_t at;
        uint32_t value;
    } changes[4]; // those without an `at` are none, but for the first
} row;

#define AT(field)    offsetof(wlk_opndcoll_cfg, field)
#define OF_SET(what) AT(operand_collector_num_##what)
#define GROUP        AT(n_regfile_gating_group)
#define ALL_SETS     AT(enable_specialized_operand_collector)
#define NO_GENERIC_UNITS                                                                           \
    {OF_SET(units_gen), 0}, {                                                                      \
        OF_SET(out_ports_gen), 0                                                                   \
    }
#define GATING   "-gpgpu_n_regfile_gating_group"
#define TENSORS  "-gpgpu_operand_collector_num_units_tensor_core"
#define UNITS    "-gpgpu_operand_collector_num_units_gen"
#define WIDTHS   "-gpgpu_pipeline_widths"
#define PASSING  "-warplock_pass_full_sub_core"
#define PIPELINE "-gpgpu_shader_core_pipeline"

static const row rows[] = {
    {"-gpgpu_num_reg_banks", "1..256", gtx480, V40, {{AT(num_reg_banks), 0}}},
    {"-gpgpu_num_reg_banks", "1..256", gtx480, V40, {{AT(num_reg_banks), 257}}},
    {"-gpgpu_num_reg_banks", "multiple", qv100, V40, {{AT(num_reg_banks), 18}}},
    {"-gpgpu_num_reg_banks", "at least as many", gtx480, V32, {{AT(num_reg_banks), 17}}},
    {"-gpgpu_num_sched_per_core", "1..64", gtx480, V40, {{AT(num_sched_per_core), 0}}},
    {"-gpgpu_sub_core_model", "0..1", gtx480, V40, {{AT(sub_core_model), 2}}},
    {"-gpgpu_reg_file_port_throughput", "1..", qv100, V40, {{AT(reg_file_port_throughput), 0}}},
    {UNITS, "no collector unit", qv100, V40, {{OF_SET(units_gen), 0}}},
    {UNITS, "at most 256 units", qv100, V40, {{OF_SET(units_gen), UINT32_MAX}}},
    {UNITS, "in_ports", qv100, V40, {{OF_SET(in_ports_gen), 257}}},
    {UNITS, "multiple", qv100, V42, {{OF_SET(units_gen), 6}}},
    {WIDTHS, "ID_OC of SP has 3", qv100, V40, {{AT(pipeline_widths[0]), 3}}},
    {WIDTHS, "ID_OC of TENSOR", qv100, V40, {{AT(pipeline_widths[11]), 3}}},
    {WIDTHS, "number 6 is 65", gtx480, V40, {{AT(pipeline_widths[5]), 65}}},
    {WIDTHS, "OC_EX of SP has 3", qv100, V42, {{AT(pipeline_widths[5]), 3}}},
    {PIPELINE, "1..32", gtx480, V40, {{AT(shader_core_pipeline[1]), 33}}},
    {PIPELINE, "1..32", gtx480, V40, {{AT(shader_core_pipeline[1]), 0}}},
    {"-gpgpu_shmem_warp_parts", "never step", gtx480, V32, {{AT(shmem_warp_parts), 0}}},
    {"-specialized_unit_1", "slot of ID_OC", qv100, V40, {{AT(specialized_unit[0]), 1}}},
    {"-specialized_unit_2", "the one before", gtx480, V40, {{AT(specialized_unit[1]), 1}}},
    {"revision", "V40, V42 or V32", gtx480, V40, {{AT(revision), 3}}},
    {PASSING, "0..1", qv100, V42, {{AT(pass_full_sub_core), 2}}},
    {PASSING, "take revision V42", qv100, V40, {{AT(pass_full_sub_core), 1}}},
    {PASSING, "-gpgpu_sub_core_model 1", gtx480, V42, {{AT(pass_full_sub_core), 1}}},
    {NULL, NULL, qv100, V42, {{AT(pass_full_sub_core), 1}}},
    {"-warplock_rotate_kinds", "0..1", qv100, V40, {{AT(rotate_kinds), 2}}},
    {"-warplock_read_duplicates_once", "0..1", qv100, V40, {{AT(read_duplicates_once), 2}}},
    // A group is looked at with clock gating only.
    {NULL, NULL, qv100, V40, {{GROUP, 5}}},
    {GATING, "32 lanes", qv100, V40, {{GROUP, 5}, {AT(clock_gated_reg_file), 1}}},
    {GATING, "32 lanes", qv100, V40, {{GROUP, 0}, {AT(clock_gated_reg_file), 1}}},
    // V42's sets are shared out among the schedulers, GEN too: every port turns to it.
    {TENSORS, "multiple", qv100, V42, {{ALL_SETS, 1}, {OF_SET(units_tensor_core), 6}}},
    {NULL, NULL, qv100, V42, {{ALL_SETS, 1}, {OF_SET(units_mem), 4}}},
    {UNITS, "multiple", qv100, V42, {{ALL_SETS, 1}, {OF_SET(units_mem), 4}, NO_GENERIC_UNITS}},
};

CASE(opndcoll_check_names_the_option) {
    for (const row *r = rows; r < rows + COUNT(rows); r++) {
        const char *option = NULL;
        wlk_error err = {WLK_OK, ""};
        cfg = r->base(r->revision);
        for (uint32_t i = 0; i < 4 && (i == 0 || r->changes[i].at != 0); i++) {
            memcpy((char *)&cfg + r->changes[i].at, &r->changes[i].value, sizeof(uint32_t));
        }
        const wlk_status status = wlk_opndcoll_check(&cfg, &option, &err);
        if (r->option == NULL) {
            CHECK_MSG(status == WLK_OK && option == NULL, "%s", err.text);
            continue;
        }
        CHECK_MSG(status == WLK_BAD_CONFIG, "%s: %s", r->option, r->message);
        CHECK_MSG(option != NULL && strcmp(option, r->option) == 0, "%s", err.text);
        CHECK_MSG(strstr(err.text, r->message) != NULL, "%s", err.text);
        CHECK_MSG(strncmp(err.text, r->option, strlen(r->option)) == 0, "%s", err.text);
    }
}

/* ---- snapshots and events ---- */

CASE(opndcoll_snapshot_goes_on_the_same_way) {
    start_qv100();
    ISSUE(SP, 0, 0, 0, 4);
    (void)step();
    const size_t size = wlk_opndcoll_state_size(&cfg);
    void *copy = malloc(size);
    memcpy(copy, model, size);
    CHECK(step() == 1 && granted(0, 0, 0, 0));
    memcpy(model, copy, size);
    CHECK(step() == 1 && granted(0, 0, 0, 0));
    CHECK(step() == 1 && granted(0, 0, 0, 1));
    free(copy);
}

// Issue a few instructions that compete, and make eight steps of them; the events as numbers.
static uint32_t run_burst(uint32_t *seen) {
    uint32_t n = 0;
    uid = 0;
    ISSUE(SP, 0, 0, 1, 2, 3);
    ISSUE(SP, 0, 1, 4, 5, 1);
    ISSUE(SFU, 0, 2, 3, 2, 1);
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t count = step();
        for (uint32_t k = 0; k < count && n + 4u <= ROOM; k++) {
            seen[n++] = reported[k].what;
            seen[n++] = reported[k].at;
            seen[n++] = reported[k].unit;
            seen[n++] = reported[k].slot;
        }
    }
    while (wlk_opndcoll_take(model, SP, NULL) >= 0 || wlk_opndcoll_take(model, SFU, NULL) >= 0) {
    }
    return n;
}

// A model whose arbiters point where another one's do goes on as that one: V32 looks at all of it.
CASE(opndcoll_resume_goes_on_as_the_other_run) {
    static uint32_t fresh[ROOM], wanted[ROOM], got[ROOM];
    uint32_t last[8];
    cfg = gtx480(V32);
    start();
    const uint32_t n_fresh = run_burst(fresh);
    for (uint32_t du = 0; du < 4; du++) {
        last[du] = wlk_opndcoll_last(model, du);
    }
    const uint32_t pri = wlk_opndcoll_pri(model), n = run_burst(wanted);
    start();
    CHECK(wlk_opndcoll_resume(model, pri, last, 4));
    CHECK(wlk_opndcoll_pri(model) == pri && wlk_opndcoll_last(model, 0) == last[0]);
    CHECK(run_burst(got) == n && memcmp(got, wanted, n * sizeof got[0]) == 0);
    CHECK(n != n_fresh || memcmp(fresh, wanted, n * sizeof got[0]) != 0); // it makes a difference
}

CASE(opndcoll_resume_refuses_what_is_out_of_range) {
    uint32_t last[8] = {1, 0, 0, 0, 0, 0, 0, 0};
    cfg = gtx480(V40); // DUs of GEN: none; SP, SP, TENSOR, SFU, MEM
    start();
    CHECK(!wlk_opndcoll_resume(model, 20, last, 5));
    CHECK(!wlk_opndcoll_resume(model, 0, last, 4));
    CHECK(!wlk_opndcoll_resume(model, 0, last, 6));
    last[1] = 6; // SP has six units
    CHECK(!wlk_opndcoll_resume(model, 3, last, 5));
    CHECK(wlk_opndcoll_pri(model) == 0 && wlk_opndcoll_last(model, 0) == 0);
    last[1] = 5;
    CHECK(wlk_opndcoll_resume(model, 19, last, 5));
    CHECK(wlk_opndcoll_pri(model) == 19 && wlk_opndcoll_last(model, 1) == 5);
}

CASE(opndcoll_events_beyond_the_room_are_counted) {
    start_qv100();
    ISSUE(SP, 0, 0, 0, 1);
    ISSUE(SP, 1, 1, 0, 1);
    wlk_opndcoll_event only;
    wlk_opndcoll_events events = {&only, 1, 0};
    wlk_opndcoll_step(model, &events);
    CHECK(events.count == 2 && only.uid == 1);
}

int main(void) {
    const int code = check_cases();
    free(model);
    return code;
}

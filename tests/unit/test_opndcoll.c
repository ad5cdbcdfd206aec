// SPDX-License-Identifier: Apache-2.0
// The operand collector: the worked examples of gpgpusim-opndcoll §13, the facts of §11 (Q1..Q21),
// the revisions' differences (§12), what is refused (§10), and that all ways to step are one.
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
    DP = WLK_OPNDCOLL_DP,
    INT = WLK_OPNDCOLL_INT,
    SPEC1 = WLK_OPNDCOLL_SPEC1,
    ROOM = 1024, // events
    TEXT = 1 << 15,
};
#define ALL_LANES UINT32_MAX

static wlk_opndcoll_cfg cfg;
static wlk_opndcoll *model;
static uint32_t uid; // of the instruction issued last

/* ---- configurations (§2) ---- */

static void configure_qv100(void) {
    cfg = qv100_of(WLK_OPNDCOLL_V40, 16, 8);
}

static void configure_gtx480(wlk_opndcoll_revision revision) {
    cfg = gtx480(revision);
}

static void start(void) {
    wlk_error err;
    err.text[0] = '\0';
    CHECK_MSG(wlk_opndcoll_check(&cfg, NULL, &err) == WLK_OK, "%s", err.text);
    free(model);
    model = wlk_opndcoll_init(&cfg, malloc(wlk_opndcoll_state_size(&cfg)));
    uid = 0;
}

static void start_qv100(void) {
    configure_qv100();
    start();
}

static void start_v32(void) {
    configure_gtx480(WLK_OPNDCOLL_V32);
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

static void append(char *text, size_t *used, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void append(char *text, size_t *used, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text + *used, (size_t)TEXT - *used, format, args);
    va_end(args);
    *used += n > 0 ? (size_t)n : 0u;
}

static void event_text(char *text, size_t *used, const wlk_opndcoll_event *e) {
    const char *kind = wlk_opndcoll_kind_name(e->kind);
    append(text, used, *used != 0 ? "; " : "");
    switch (e->what) {
    case WLK_OPNDCOLL_DISPATCH:
        append(text, used, "D %u %u %s[%u] #%u", e->at, e->unit, kind, e->slot, e->uid);
        break;
    case WLK_OPNDCOLL_GRANT:
        append(text, used, "G %u %u.%u", e->at, e->unit, e->slot);
        break;
    case WLK_OPNDCOLL_ALLOCATE:
        append(text, used, "A %u %s %u #%u", e->at, kind, e->unit, e->uid);
        break;
    default:
        append(text, used, "w %u R%u b%u %s", e->slot, e->reg, e->at,
               e->what == WLK_OPNDCOLL_WRITE ? "+" : "-");
    }
}

static wlk_opndcoll_event reported[ROOM];

static const char *events_text(const wlk_opndcoll_events *events) {
    static char text[TEXT];
    size_t used = 0;
    text[0] = '\0';
    CHECK(events->count <= events->room);
    for (uint32_t i = 0; i < events->count; i++) {
        event_text(text, &used, &events->at[i]);
    }
    return text;
}

// One step, written in the notation of §13.
static const char *step(void) {
    wlk_opndcoll_events events = {reported, ROOM, 0};
    wlk_opndcoll_step(model, &events);
    CHECK(events.count <= wlk_opndcoll_max_events(&cfg));
    return events_text(&events);
}

static void expect(const char *got, const char *wanted, int line) {
    CHECK_MSG(strcmp(got, wanted) == 0, "line %d: '%s', not '%s'", line, got, wanted);
}
#define EXPECT(got, wanted) expect(got, wanted, __LINE__)

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

static uint32_t pending(uint32_t unit) {
    wlk_opndcoll_held held;
    return wlk_opndcoll_unit(model, unit, &held) ? held.pending : UINT32_MAX;
}

static wlk_opndcoll_counters counters(void) {
    wlk_opndcoll_counters c;
    wlk_opndcoll_counted(model, &c);
    return c;
}

// A queue as "0.0 0.1".
static const char *queue(uint32_t bank) {
    static char text[TEXT];
    wlk_opndcoll_request requests[ROOM];
    size_t used = 0;
    text[0] = '\0';
    const uint32_t n = wlk_opndcoll_queue(model, bank, requests, ROOM);
    for (uint32_t i = 0; i < n; i++) {
        append(text, &used, "%s%u.%u", i != 0 ? " " : "", requests[i].unit, requests[i].slot);
    }
    return text;
}

/* ---- worked examples (§13) ---- */

static void opndcoll_example_1_one_instruction(void) {
    start_qv100();
    EXPECT(step(), "");
    EXPECT(step(), "");
    CHECK(ISSUE(SP, 1, 5, 1, 2, 3) == 1);
    EXPECT(step(), "A 0 SP 0 #1");
    CHECK(pending(0) == 7);
    EXPECT(queue(4), "0.2");
    EXPECT(queue(6), "0.0");
    EXPECT(queue(7), "0.1");
    EXPECT(step(), "G 4 0.2; G 6 0.0; G 7 0.1");
    CHECK(pending(0) == 0);
    EXPECT(step(), "D 0 0 SP[0] #1");
    CHECK(pending(0) == UINT32_MAX && wlk_opndcoll_last(model, 0) == 0);
    CHECK(take(SP) == 1);
    CHECK(take(SP) == 0);
    CHECK(wlk_opndcoll_bank(model, 4, 5, 1) == 5 && write_one(4, 5, 1) == 1);
}

static void opndcoll_example_2_queue_order(void) {
    start_qv100();
    ISSUE(SP, 0, 0, 0, 4, 8);
    EXPECT(step(), "A 0 SP 0 #1");
    EXPECT(queue(0), "0.0 0.1 0.2");
    EXPECT(step(), "G 0 0.0");
    ISSUE(SP, 0, 0, 1, 12);
    EXPECT(step(), "G 0 0.1; A 0 SP 1 #2");
    CHECK(pending(0) == 4 && pending(1) == 3);
    EXPECT(queue(0), "0.2 1.1");
    EXPECT(step(), "G 0 0.2; G 1 1.0");
    EXPECT(step(), "D 0 0 SP[0] #1; G 0 1.1");
    EXPECT(step(), "D 0 1 SP[1] #2");
}

static void opndcoll_example_3_writes(void) {
    start_qv100();
    ISSUE(SP, 0, 0, 0, 1);
    EXPECT(step(), "A 0 SP 0 #1");
    int32_t load[] = {0, 1, 4}, other[] = {5};
    CHECK(write_n(load, 3, 0, 0) == 0);
    CHECK(load[0] == -1 && load[1] == -1 && load[2] == 4);
    CHECK(write_n(other, 1, 0, 0) == 0 && other[0] == 5);
    CHECK(counters().writes == 0);
    EXPECT(step(), "");
    EXPECT(step(), "G 0 0.0; G 1 0.1");
    CHECK(write_n(load, 3, 0, 0) == 1 && load[2] == -1);
    CHECK(counters().writes == 32);
    EXPECT(step(), "D 0 0 SP[0] #1");
}

static void opndcoll_example_4_dispatch_order(void) {
    configure_qv100();
    cfg.operand_collector_num_units_gen = 4;
    cfg.operand_collector_num_out_ports_gen = 2;
    cfg.pipeline_widths[5] = 1; // OC_EX of SP
    start();
    for (uint32_t sched = 0; sched < 4; sched++) {
        issue_none(SP, sched);
    }
    EXPECT(step(), "A 0 SP 0 #1; A 1 SP 1 #2; A 2 SP 2 #3; A 3 SP 3 #4");
    EXPECT(step(), "D 0 1 SP[0] #2");
    CHECK(wlk_opndcoll_last(model, 0) == 1 && wlk_opndcoll_last(model, 1) == 0);
    CHECK(take(SP) == 2);
    EXPECT(step(), "D 0 2 SP[0] #3");
    CHECK(take(SP) == 3);
    EXPECT(step(), "D 0 3 SP[0] #4");
    CHECK(take(SP) == 4);
    issue_none(SP, 0);
    EXPECT(step(), "D 0 0 SP[0] #1; A 0 SP 0 #5");
    CHECK(take(SP) == 1);
    EXPECT(step(), "D 0 0 SP[0] #5");
}

static void opndcoll_example_5_priority_and_age(void) {
    configure_qv100();
    cfg.operand_collector_num_units_gen = 3;
    cfg.operand_collector_num_in_ports_gen = 2;
    start();
    ISSUE(INT, 0, 0, 1);
    ISSUE(MEM, 1, 1, 2);
    ISSUE(SP, 3, 3, 3);
    ISSUE(SP, 2, 2, 4);
    EXPECT(step(), "A 0 SP 0 #3; A 1 SP 1 #4");
    ISSUE(SP, 0, 4, 5);
    EXPECT(step(), "G 10 1.0; G 14 0.0; A 0 SP 2 #5");
    EXPECT(step(), "D 0 1 SP[0] #4; D 1 0 SP[1] #3; G 1 2.0; A 0 MEM 0 #2; A 1 INT 1 #1");
    CHECK(wlk_opndcoll_last(model, 0) == 1 && wlk_opndcoll_last(model, 1) == 0);
    CHECK(take(SP) == 3);
    CHECK(take(SP) == 4);
    EXPECT(step(), "D 0 2 SP[0] #5; G 1 1.0; G 7 0.0");
    CHECK(wlk_opndcoll_last(model, 0) == 2);
    CHECK(take(SP) == 5);
    EXPECT(step(), "D 0 0 MEM[0] #2; D 1 1 INT[0] #1");
    CHECK(wlk_opndcoll_last(model, 0) == 0 && wlk_opndcoll_last(model, 1) == 1);
}

static void opndcoll_example_6_v32_one_grant_a_unit(void) {
    start_v32();
    ISSUE(SP, 0, 0, 1, 2, 3);
    ISSUE(SP, 0, 1, 4, 5);
    EXPECT(step(), "A 0 SP 0 #1; A 1 SP 1 #2");
    EXPECT(step(), "G 3 0.2; G 6 1.1");
    EXPECT(step(), "G 2 0.1; G 5 1.0");
    EXPECT(step(), "D 0 1 SP[0] #2; G 1 0.0");
    EXPECT(step(), "D 0 0 SP[1] #1");
}

/* ---- facts that are easy to get wrong (§11) ---- */

static void opndcoll_q1_a_unit_gets_as_many_operands_as_banks(void) {
    start_qv100();
    ISSUE(SP, 0, 0, 0, 1, 2, 3);
    (void)step();
    EXPECT(step(), "G 0 0.0; G 1 0.1; G 2 0.2; G 3 0.3");
}

static void opndcoll_q2_rotating_priority_changes_nothing(void) {
    for (uint32_t idle = 0; idle < 8; idle++) {
        start_qv100();
        for (uint32_t i = 0; i < idle; i++) {
            EXPECT(step(), "");
        }
        CHECK(wlk_opndcoll_pri(model) == idle);
        ISSUE(SP, 0, 0, 0, 1);
        ISSUE(SP, 1, 1, 0, 1);
        EXPECT(step(), "A 0 SP 0 #1; A 1 SP 1 #2");
        EXPECT(step(), "G 0 0.0; G 1 0.1; G 5 1.0; G 6 1.1");
    }
}

static void opndcoll_q3_queues_keep_allocation_order(void) {
    start_qv100();
    ISSUE(SP, 0, 0, 0, 4);
    ISSUE(SFU, 0, 0, 8, 1);
    EXPECT(step(), "A 0 SP 0 #1; A 1 SFU 1 #2");
    EXPECT(queue(0), "0.0 0.1 1.0");
    EXPECT(step(), "G 0 0.0; G 1 1.1");
    EXPECT(step(), "G 0 0.1");
    EXPECT(step(), "D 0 0 SP[0] #1; G 0 1.0");
}

static void opndcoll_q4_granted_operand_counts_in_the_next_step(void) {
    start_qv100();
    ISSUE(SP, 0, 0, 0);
    EXPECT(step(), "A 0 SP 0 #1");
    EXPECT(step(), "G 0 0.0");
    EXPECT(step(), "D 0 0 SP[0] #1");
}

static void opndcoll_q5_unit_0_loses_the_first_round(void) {
    start_qv100();
    issue_none(SP, 0);
    issue_none(SP, 1);
    (void)step();
    EXPECT(step(), "D 0 1 SP[0] #2; D 1 0 SP[1] #1");
}

static void opndcoll_q6_each_dispatch_unit_moves_alone(void) {
    start_qv100();
    issue_none(SP, 0);
    issue_none(SP, 1);
    issue_none(SP, 2);
    (void)step();
    EXPECT(step(), "D 0 1 SP[0] #2; D 1 2 SP[1] #3; D 2 0 SP[2] #1");
    CHECK(wlk_opndcoll_last(model, 0) == 1 && wlk_opndcoll_last(model, 1) == 2);
    CHECK(wlk_opndcoll_last(model, 2) == 0 && wlk_opndcoll_last(model, 3) == 0);
}

static void opndcoll_q7_full_pipe_is_skipped_for_another(void) {
    configure_qv100();
    cfg.pipeline_widths[5] = 1; // OC_EX of SP
    start();
    issue_none(SP, 0);
    issue_none(SP, 1);
    issue_none(INT, 2);
    (void)step();
    EXPECT(step(), "D 0 1 SP[0] #2; D 1 2 INT[0] #3");
    EXPECT(step(), "");
    CHECK(take(SP) == 2);
    EXPECT(step(), "D 0 0 SP[0] #1");
}

static void opndcoll_q8_kinds_in_fixed_order_without_fallback(void) {
    configure_qv100();
    cfg.operand_collector_num_in_ports_gen = 1;
    start();
    issue_none(INT, 0);
    issue_none(DP, 0);
    issue_none(TENSOR, 0);
    issue_none(MEM, 0);
    issue_none(SFU, 0);
    issue_none(SP, 0);
    const char *wanted[] = {"A 0 SP 0 #6",
                            "D 0 0 SP[0] #6; A 0 SFU 0 #5",
                            "D 0 0 SFU[0] #5; A 0 MEM 0 #4",
                            "D 0 0 MEM[0] #4; A 0 TENSOR 0 #3",
                            "D 0 0 TENSOR[0] #3; A 0 DP 0 #2",
                            "D 0 0 DP[0] #2; A 0 INT 0 #1"};
    for (uint32_t i = 0; i < 6; i++) {
        EXPECT(step(), wanted[i]);
    }
}

static void opndcoll_q9_oldest_is_by_uid_not_by_slot(void) {
    start_qv100();
    ISSUE(SP, 3, 3, 0);
    ISSUE(SP, 0, 0, 0);
    EXPECT(step(), "A 0 SP 0 #1; A 1 SP 1 #2");
}

static void opndcoll_equal_uids_give_the_higher_slot(void) {
    start_qv100();
    for (uint32_t sched = 0; sched < 3; sched++) {
        uid = 6;
        issue_none(SP, sched);
    }
    wlk_opndcoll_events events = {reported, ROOM, 0};
    wlk_opndcoll_step(model, &events);
    CHECK(events.count == 3 && reported[0].slot == 2 && reported[1].slot == 1 &&
          reported[2].slot == 0);
    CHECK(reported[0].what == WLK_OPNDCOLL_ALLOCATE && reported[0].user == 1006);
}

static void opndcoll_age_inverts_when_the_counter_wraps(void) {
    start_qv100();
    uid = UINT32_MAX - 1u;
    issue_none(SP, 0);
    uid = 0;
    issue_none(SP, 1);
    EXPECT(step(), "A 0 SP 0 #1; A 1 SP 1 #4294967295");
}

static void opndcoll_q10_v40_sub_core_shares_units_and_oc_ex(void) {
    start_qv100();
    for (uint32_t i = 0; i < 4; i++) {
        issue_none(SP, 3);
        (void)step();
    }
    // All of scheduler 3, in the lowest slots of OC_EX.
    CHECK(wlk_opndcoll_ex_occupied(model, SP) == 7);
}

static void opndcoll_q11_warp_is_always_hashed(void) {
    configure_gtx480(WLK_OPNDCOLL_V40);
    cfg.reg_bank_use_warp_id = 0;
    start();
    CHECK(wlk_opndcoll_bank(model, 1, 5, 0) == 6);
    cfg.shader_core_pipeline[1] = 1;
    start();
    CHECK(wlk_opndcoll_bank(model, 1, 5, 0) == 1);
    cfg.revision = WLK_OPNDCOLL_V42;
    start();
    CHECK(wlk_opndcoll_bank(model, 1, 5, 0) == 6);
}

static void opndcoll_q12_steps_of_a_core_cycle(void) {
    wlk_opndcoll_shape shape;
    configure_qv100();
    wlk_opndcoll_shape_of(&cfg, &shape);
    CHECK(shape.steps_per_cycle == 2);
    cfg.mem_unit_ports = 0;
    cfg.shmem_warp_parts = 3;
    wlk_opndcoll_shape_of(&cfg, &shape);
    CHECK(shape.steps_per_cycle == 6);
    cfg.revision = WLK_OPNDCOLL_V42;
    wlk_opndcoll_shape_of(&cfg, &shape);
    CHECK(shape.steps_per_cycle == 2);
    configure_gtx480(WLK_OPNDCOLL_V32);
    wlk_opndcoll_shape_of(&cfg, &shape);
    CHECK(shape.steps_per_cycle == 2);
}

static void opndcoll_q12_write_blocks_one_step(void) {
    start_qv100();
    ISSUE(SP, 0, 0, 0);
    (void)step();
    CHECK(write_one(0, 0, 0) == 1 && wlk_opndcoll_written(model, 0));
    EXPECT(step(), "");
    CHECK(!wlk_opndcoll_written(model, 0));
    EXPECT(step(), "G 0 0.0");
}

static void opndcoll_q13_only_writes_refuse_writes(void) {
    start_qv100();
    ISSUE(SP, 0, 0, 0);
    (void)step();
    EXPECT(step(), "G 0 0.0");
    CHECK(write_one(0, 0, 0) == 1);
    CHECK(write_one(4, 0, 0) == 0);
}

static void opndcoll_q14_refused_write_resumes_where_it_stopped(void) {
    start_qv100();
    int32_t dst[] = {-1, 0, 4, 8};
    wlk_opndcoll_events events = {reported, ROOM, 0};
    CHECK(wlk_opndcoll_writeback(model, dst, 4, 0, 0, ALL_LANES, &events) == 0);
    EXPECT(events_text(&events), "w 1 R0 b0 +; w 2 R4 b0 -");
    (void)step();
    events.count = 0;
    CHECK(wlk_opndcoll_writeback(model, dst, 4, 0, 0, ALL_LANES, &events) == 0);
    EXPECT(events_text(&events), "w 2 R4 b0 +; w 3 R8 b0 -");
    (void)step();
    CHECK(write_n(dst, 4, 0, 0) == 1 && write_n(dst, 4, 0, 0) == 1);
}

static void opndcoll_q15_default_tensor_units_shift_numbers(void) {
    configure_gtx480(WLK_OPNDCOLL_V40); // 6 sp, 4 tensor, 8 sfu, 2 mem
    start();
    issue_none(SFU, 0);
    issue_none(MEM, 0);
    EXPECT(step(), "A 2 SFU 10 #1; A 4 MEM 18 #2");
    EXPECT(step(), "D 3 10 SFU[0] #1; D 4 18 MEM[0] #2");
}

static void opndcoll_q16_tensor_and_sfu_swap_between_sets_and_ports(void) {
    configure_gtx480(WLK_OPNDCOLL_V40);
    cfg.tensor_core_avail = 1;
    start();
    issue_none(SFU, 0);
    issue_none(TENSOR, 0);
    EXPECT(step(), "A 2 SFU 10 #1; A 3 TENSOR 6 #2");
    EXPECT(step(), "D 2 6 TENSOR[0] #2; D 3 10 SFU[0] #1");
}

static void opndcoll_ports_tell_their_kinds(void) {
    configure_gtx480(WLK_OPNDCOLL_V40);
    start();
    static const uint32_t kinds[] = {1u << SP, 1u << SP, 1u << SFU, 1u << TENSOR, 1u << MEM, 0};
    for (uint32_t port = 0; port < 6; port++) {
        CHECK(wlk_opndcoll_port_kinds(model, port) == kinds[port]);
    }
    start_qv100();
    CHECK(wlk_opndcoll_port_kinds(model, 7) == 0x3fu && wlk_opndcoll_port_kinds(model, 8) == 0);
}

static void opndcoll_q17_counters(void) {
    start_qv100();
    ISSUE(SP, 0, 0, 0, 4);
    (void)step();
    CHECK(counters().reads == 0);
    (void)step();
    CHECK(counters().reads == 32);
    (void)step();
    CHECK(counters().reads == 64 && counters().non_rf == 0);
    (void)step();
    CHECK(counters().non_rf == 32);
    int32_t dst[] = {0, 4};
    CHECK(write_n(dst, 2, 0, 0) == 0 && counters().writes == 0);
    (void)step();
    CHECK(write_n(dst, 2, 0, 0) == 1 && counters().writes == 32);
}

static void opndcoll_clock_gating_counts_groups_of_lanes(void) {
    configure_qv100();
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

static void opndcoll_q20_no_sources_still_take_a_unit_for_a_step(void) {
    start_qv100();
    issue_none(SP, 0);
    EXPECT(step(), "A 0 SP 0 #1");
    CHECK(pending(0) == 0);
    EXPECT(step(), "D 0 0 SP[0] #1");
}

static void opndcoll_q21_duplicates_are_read_twice_but_in_v42(void) {
    start_qv100();
    ISSUE(SP, 0, 0, 5, -1, 5);
    (void)step();
    EXPECT(queue(1), "0.0 0.2");
    cfg.revision = WLK_OPNDCOLL_V42;
    start();
    ISSUE(SP, 0, 0, 5, -1, 5);
    (void)step();
    EXPECT(queue(1), "0.0");
    CHECK(pending(0) == 1);
}

/* ---- construction (§3) and banks (§4) ---- */

static void opndcoll_kind_port_turns_to_generic_units(void) {
    configure_gtx480(WLK_OPNDCOLL_V40);
    cfg.operand_collector_num_units_gen = 1;
    cfg.operand_collector_num_out_ports_gen = 1;
    cfg.operand_collector_num_units_mem = 1;
    cfg.pipeline_widths[4] = 2;
    start();
    issue_none(MEM, 0);
    issue_none(MEM, 0);
    issue_none(SP, 0);
    EXPECT(step(), "A 0 SP 1 #3; A 4 MEM 19 #1");
    EXPECT(step(), "D 1 1 SP[0] #3; D 5 19 MEM[0] #1; A 4 MEM 19 #2");
    issue_none(MEM, 0); // OC_EX of MEM is full: the unit stays busy, so that GEN's is taken
    EXPECT(step(), "A 4 MEM 0 #4");
}

static void opndcoll_sets_and_ports_stand_in_their_orders(void) {
    wlk_opndcoll_set set;
    wlk_opndcoll_port port;
    configure_gtx480(WLK_OPNDCOLL_V40);
    CHECK(wlk_opndcoll_set_of(&cfg, 0, &set) && set.kind == WLK_OPNDCOLL_KINDS && set.units == 0);
    CHECK(wlk_opndcoll_set_of(&cfg, 4, &set) && set.kind == SFU && set.first_unit == 10 &&
          set.units == 8 && set.first_dispatch_unit == 3 && set.dispatch_units == 1);
    CHECK(wlk_opndcoll_set_of(&cfg, 6, &set) && set.kind == INT);
    CHECK(!wlk_opndcoll_set_of(&cfg, 7, &set));
    CHECK(wlk_opndcoll_port_of(&cfg, 2, &port) && port.kinds == 1u << SFU && port.n_sets == 2 &&
          port.sets[0] == 4 && port.sets[1] == 0);
    CHECK(wlk_opndcoll_port_of(&cfg, 4, &port) && port.kinds == 1u << MEM);
    CHECK(!wlk_opndcoll_port_of(&cfg, 5, &port));
    configure_gtx480(WLK_OPNDCOLL_V32);
    cfg.operand_collector_num_in_ports_gen = 1;
    CHECK(wlk_opndcoll_port_of(&cfg, 2, &port) && port.sets[0] == 1 && port.sets[1] == 3);
    CHECK(wlk_opndcoll_port_of(&cfg, 4, &port) && port.kinds == 7 && port.n_sets == 1 &&
          port.sets[0] == 3);
    CHECK(!wlk_opndcoll_set_of(&cfg, 4, &set));
}

static void opndcoll_specialized_pipes_are_the_last_kinds(void) {
    configure_qv100();
    cfg.operand_collector_num_in_ports_gen = 1;
    cfg.specialized_unit[0] = (wlk_opndcoll_specialized){1, 4, 4, 4, 2, "BRA"};
    cfg.specialized_unit[1] = (wlk_opndcoll_specialized){1, 4, 4, 5, 1, "TEX"};
    start();
    issue_none(SPEC1 + 1, 0);
    issue_none(SPEC1, 3);
    issue_none(INT, 0);
    EXPECT(step(), "A 0 INT 0 #3");
    EXPECT(step(), "D 0 0 INT[0] #3; A 0 SPEC1 0 #2");
    EXPECT(step(), "D 0 0 SPEC1[0] #2; A 0 SPEC2 0 #1");
    CHECK(issue_none(SPEC1 + 2, 0) == WLK_OPNDCOLL_BAD);
}

static void opndcoll_banks_of_the_shipped_configurations(void) {
    start_qv100();
    CHECK(wlk_opndcoll_bank(model, 1, 5, 1) == 6);
    cfg.num_reg_banks = 8;
    start();
    CHECK(wlk_opndcoll_bank(model, 1, 5, 1) == 2);
    cfg.num_reg_banks = 12; // three a scheduler: no power of two
    start();
    CHECK(wlk_opndcoll_bank(model, 7, 5, 3) == 9);
}

// More units than bits in a word.
static void opndcoll_dispatch_scans_many_units_around_the_end(void) {
    configure_gtx480(WLK_OPNDCOLL_V40);
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

static void opndcoll_issue_takes_the_lowest_or_the_schedulers_slot(void) {
    start_qv100();
    CHECK(issue_none(SP, 2) == 2);
    CHECK(issue_none(SP, 2) == WLK_OPNDCOLL_FULL);
    CHECK(wlk_opndcoll_id_free(model, SP) == 0xbu);
    configure_gtx480(WLK_OPNDCOLL_V40);
    start();
    CHECK(issue_none(SP, 7) == 0);
    CHECK(issue_none(SP, 7) == 1);
    CHECK(issue_none(SP, 0) == WLK_OPNDCOLL_FULL);
    CHECK((wlk_opndcoll_id_open(model) >> SP & 1u) == 0);
    (void)step();
    CHECK((wlk_opndcoll_id_open(model) >> SP & 1u) == 1);
    CHECK(issue_none(SP, 0) == 0);
    CHECK(issue_none(DP, 0) == WLK_OPNDCOLL_FULL); // no slot at all
}

static void opndcoll_put_and_take_by_slot(void) {
    start_qv100();
    const wlk_opndcoll_inst inst = {.user = 77, .uid = 9, .wid = 3, .sched = 1};
    CHECK(wlk_opndcoll_put(model, SP, 3, &inst) == 3);
    CHECK(wlk_opndcoll_put(model, SP, 3, &inst) == WLK_OPNDCOLL_FULL);
    CHECK(wlk_opndcoll_put(model, SP, 4, &inst) == WLK_OPNDCOLL_BAD);
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

static void opndcoll_callers_mistakes_change_nothing(void) {
    start_qv100();
    int32_t src[33] = {0};
    CHECK(issue_n(SP, 0, 0, 33, src) == WLK_OPNDCOLL_BAD);
    CHECK(issue_none(SP, 4) == WLK_OPNDCOLL_BAD);
    CHECK(issue_none(99, 0) == WLK_OPNDCOLL_BAD);
    CHECK(wlk_opndcoll_take(model, 99, NULL) == WLK_OPNDCOLL_BAD);
    CHECK(write_n(src, 33, 0, 0) == WLK_OPNDCOLL_BAD && write_one(0, 0, 4) == WLK_OPNDCOLL_BAD);
    EXPECT(step(), "");
    CHECK(!wlk_opndcoll_unit(model, 99, NULL) && wlk_opndcoll_queue(model, 99, NULL, 0) == 0);
    CHECK(!wlk_opndcoll_written(model, 99) && wlk_opndcoll_last(model, 99) == 0);
    CHECK(wlk_opndcoll_id_free(model, 99) == 0 && wlk_opndcoll_kind_name(99) == NULL);
    start_v32();
    CHECK(issue_n(SP, 0, 0, 9, src) == WLK_OPNDCOLL_BAD);
}

/* ---- revisions (§12) ---- */

static void opndcoll_v32_write_starts_again_after_a_refusal(void) {
    start_v32();
    int32_t dst[] = {-1, 0, 16};
    wlk_opndcoll_events events = {reported, ROOM, 0};
    for (uint32_t i = 0; i < 3; i++) {
        events.count = 0;
        CHECK(wlk_opndcoll_writeback(model, dst, 3, 0, 0, ALL_LANES, &events) == 0);
        EXPECT(events_text(&events), "w 0 R0 b0 +; w 1 R16 b0 -");
        CHECK(dst[1] == 0 && dst[2] == 16);
        (void)step();
    }
    CHECK(counters().writes == 0 && write_n(dst, 2, 0, 0) == 1 && counters().writes == 32);
}

static void opndcoll_v32_written_bank_leaves_the_scan(void) {
    start_v32();
    ISSUE(SP, 0, 0, 1, 2, 3);
    (void)step();
    CHECK(write_one(3, 0, 0) == 1);
    EXPECT(step(), "G 2 0.1"); // 3 would be first
}

static void opndcoll_v32_scan_goes_around_the_end(void) {
    start_v32();
    (void)step();
    (void)step();
    ISSUE(SP, 0, 0, 1, 14, 15);
    EXPECT(step(), "A 0 SP 0 #1");
    EXPECT(step(), "G 1 0.0"); // pri 3: unit 0 meets bank 13 first, then 12 ... 0, 15, 14
    EXPECT(step(), "G 15 0.2");
    EXPECT(step(), "G 14 0.1");
}

static void opndcoll_v42_port_serves_every_kind_in_a_step(void) {
    configure_qv100();
    cfg.revision = WLK_OPNDCOLL_V42;
    cfg.operand_collector_num_in_ports_gen = 1;
    start();
    issue_none(INT, 0);
    issue_none(SP, 1);
    issue_none(SP, 2);
    EXPECT(step(), "A 0 SP 2 #2; A 0 INT 0 #1");
}

static void opndcoll_v42_failing_kind_does_not_stop_others(void) {
    configure_qv100();
    cfg.revision = WLK_OPNDCOLL_V42;
    start();
    ISSUE(SP, 0, 0, 0, 4);
    ISSUE(MEM, 0, 0, 8);
    (void)step(); // scheduler 0's two units are taken
    issue_none(SP, 0);
    issue_none(SP, 1); // younger, of a scheduler with units: waits behind
    issue_none(INT, 3);
    issue_none(INT, 2);
    EXPECT(step(), "G 0 0.0; A 0 INT 6 #5; A 1 INT 4 #6");
}

static void opndcoll_v42_unit_goes_to_its_schedulers_slot(void) {
    configure_qv100();
    cfg.revision = WLK_OPNDCOLL_V42;
    start();
    issue_none(SP, 2);
    EXPECT(step(), "A 0 SP 4 #1");
    EXPECT(step(), "D 0 4 SP[2] #1");
    issue_none(SP, 2);
    issue_none(SP, 1);
    EXPECT(step(), "A 0 SP 4 #2; A 1 SP 2 #3");
    EXPECT(step(), "D 0 2 SP[1] #3"); // slot 2 is still occupied
    CHECK(wlk_opndcoll_take_slot(model, SP, 2, NULL) == 2);
    EXPECT(step(), "D 0 4 SP[2] #2");
}

// 20 units, 5 a slot: unit 7, the last of the SP set, is of scheduler 3 there and goes to slot 1.
static void opndcoll_v42_place_goes_by_the_number_of_all_units(void) {
    configure_qv100();
    cfg.revision = WLK_OPNDCOLL_V42;
    cfg.enable_specialized_operand_collector = 1;
    cfg.operand_collector_num_units_gen = 4;
    cfg.operand_collector_num_units_mem = 4;
    cfg.operand_collector_num_in_ports_gen = 0;
    start();
    issue_none(SP, 3);
    EXPECT(step(), "A 0 SP 7 #1");
    EXPECT(step(), "D 8 7 SP[1] #1");
}

static void opndcoll_v42_scan_starts_at_the_next_schedulers_units(void) {
    configure_qv100();
    cfg.revision = WLK_OPNDCOLL_V42;
    cfg.operand_collector_num_out_ports_gen = 1;
    start();
    issue_none(SP, 0);
    issue_none(SFU, 0);
    issue_none(MEM, 1);
    EXPECT(step(), "A 0 SP 0 #1; A 0 SFU 1 #2; A 0 MEM 2 #3");
    EXPECT(step(), "D 0 2 MEM[1] #3"); // last 0: begins at 2
    EXPECT(step(), "D 0 0 SP[0] #1");  // last 2: begins at 4, around the end
    EXPECT(step(), "D 0 1 SFU[0] #2");
}

static void opndcoll_v42_flat_is_like_v40_but_for_ports(void) {
    configure_gtx480(WLK_OPNDCOLL_V42);
    start();
    issue_none(SP, 0);
    issue_none(SP, 1);
    EXPECT(step(), "A 0 SP 0 #1; A 1 SP 1 #2");
    EXPECT(step(), "D 0 1 SP[0] #2; D 1 0 SP[1] #1");
}

/* ---- what is refused (§2, §10) ---- */

typedef struct refusal {
    const char *option, *message;
    uint32_t offset, value;
    uint32_t revision;
    bool is_flat; // GTX480, else QV100
} refusal;

#define AT(field) (uint32_t) offsetof(wlk_opndcoll_cfg, field)
static const refusal refusals[] = {
    {"-gpgpu_num_reg_banks", "1..256", AT(num_reg_banks), 0, 0, true},
    {"-gpgpu_num_reg_banks", "1..256", AT(num_reg_banks), 257, 0, true},
    {"-gpgpu_num_reg_banks", "multiple", AT(num_reg_banks), 18, 0, false},
    {"-gpgpu_num_reg_banks", "at least as many", AT(num_reg_banks), 17, WLK_OPNDCOLL_V32, true},
    {"-gpgpu_num_sched_per_core", "1..64", AT(num_sched_per_core), 0, 0, true},
    {"-gpgpu_sub_core_model", "0..1", AT(sub_core_model), 2, 0, true},
    {"-gpgpu_reg_file_port_throughput", "1..", AT(reg_file_port_throughput), 0, 0, false},
    {"-gpgpu_operand_collector_num_units_gen", "no collector unit",
     AT(operand_collector_num_units_gen), 0, 0, false},
    {"-gpgpu_operand_collector_num_units_gen", "at most 256 units",
     AT(operand_collector_num_units_gen), UINT32_MAX, 0, false},
    {"-gpgpu_operand_collector_num_units_gen", "in_ports", AT(operand_collector_num_in_ports_gen),
     257, 0, false},
    {"-gpgpu_pipeline_widths", "ID_OC of SP has 3", AT(pipeline_widths), 3, 0, false},
    {"-gpgpu_pipeline_widths", "ID_OC of TENSOR", AT(pipeline_widths) + 11 * 4, 3, 0, false},
    {"-gpgpu_pipeline_widths", "number 6 is 65", AT(pipeline_widths) + 5 * 4, 65, 0, true},
    {"-gpgpu_pipeline_widths", "OC_EX of SP has 3", AT(pipeline_widths) + 5 * 4, 3,
     WLK_OPNDCOLL_V42, false},
    {"-gpgpu_shader_core_pipeline", "1..32", AT(shader_core_pipeline) + 4, 33, 0, true},
    {"-gpgpu_shader_core_pipeline", "1..32", AT(shader_core_pipeline) + 4, 0, 0, true},
    {"-gpgpu_shmem_warp_parts", "never step", AT(shmem_warp_parts), 0, WLK_OPNDCOLL_V32, true},
    {"-specialized_unit_1", "slot of ID_OC", AT(specialized_unit), 1, 0, false},
    {"-specialized_unit_2", "the one before", AT(specialized_unit[1]), 1, 0, true},
    {"-gpgpu_operand_collector_num_units_gen", "multiple", AT(operand_collector_num_units_gen), 6,
     WLK_OPNDCOLL_V42, false},
    {"revision", "V40, V42 or V32", AT(revision), 3, 3, true},
};

static void opndcoll_check_names_the_option(void) {
    for (uint32_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const refusal *r = &refusals[i];
        const char *option = NULL;
        wlk_error err = {WLK_OK, ""};
        if (r->is_flat) {
            configure_gtx480((wlk_opndcoll_revision)r->revision);
        } else {
            configure_qv100();
            cfg.revision = r->revision;
        }
        memcpy((char *)&cfg + r->offset, &r->value, sizeof r->value);
        CHECK_MSG(wlk_opndcoll_check(&cfg, &option, &err) == WLK_BAD_CONFIG, "%u", i);
        CHECK_MSG(option != NULL && strcmp(option, r->option) == 0, "%u: %s", i, err.text);
        CHECK_MSG(strstr(err.text, r->message) != NULL, "%u: %s", i, err.text);
        CHECK_MSG(strncmp(err.text, r->option, strlen(r->option)) == 0, "%u: %s", i, err.text);
    }
}

static void opndcoll_check_refuses_gating_groups_that_do_not_fit(void) {
    const char *option = NULL;
    configure_qv100();
    cfg.n_regfile_gating_group = 5; // not looked at
    CHECK(wlk_opndcoll_check(&cfg, &option, NULL) == WLK_OK && option == NULL);
    cfg.clock_gated_reg_file = 1;
    CHECK(wlk_opndcoll_check(&cfg, &option, NULL) == WLK_BAD_CONFIG);
    cfg.n_regfile_gating_group = 0;
    CHECK(wlk_opndcoll_check(&cfg, &option, NULL) == WLK_BAD_CONFIG);
    CHECK(option != NULL && strcmp(option, "-gpgpu_n_regfile_gating_group") == 0);
}

static void opndcoll_check_v42_sets_must_be_shared_out(void) {
    const char *option = NULL;
    configure_qv100();
    cfg.revision = WLK_OPNDCOLL_V42;
    cfg.enable_specialized_operand_collector = 1; // its mem has 2 units for 4 schedulers
    cfg.operand_collector_num_units_tensor_core = 6;
    CHECK(wlk_opndcoll_check(&cfg, &option, NULL) == WLK_BAD_CONFIG);
    CHECK(option != NULL && strstr(option, "tensor_core") != NULL);
    cfg.operand_collector_num_units_tensor_core = 4;
    cfg.operand_collector_num_units_mem = 4;
    CHECK(wlk_opndcoll_check(&cfg, &option, NULL) == WLK_OK);
    cfg.operand_collector_num_units_gen = 0; // every port turns to it
    cfg.operand_collector_num_out_ports_gen = 0;
    CHECK(wlk_opndcoll_check(&cfg, &option, NULL) == WLK_BAD_CONFIG);
    CHECK(option != NULL && strstr(option, "units_gen") != NULL);
}

/* ---- all ways to step are one ---- */

static uint64_t random_state;

static uint32_t below(uint32_t n) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 20) % n);
}

static uint32_t one_of(const uint32_t *values, uint32_t n) {
    return values[below(n)];
}

static void random_config(wlk_opndcoll_revision revision) {
    static const uint32_t banks[] = {1, 2, 4, 6, 8, 16, 24, 64, 96, 256};
    static const uint32_t units[] = {1, 3, 4, 8, 16, 40, 68};
    do {
        wlk_opndcoll_defaults(&cfg);
        cfg.revision = revision;
        cfg.num_reg_banks = one_of(banks, 10);
        cfg.num_sched_per_core = 1u << below(3);
        cfg.sub_core_model = below(2);
        cfg.enable_specialized_operand_collector = below(2);
        cfg.operand_collector_num_units_sp = one_of(units, 7);
        cfg.operand_collector_num_units_mem = one_of(units, 7);
        cfg.operand_collector_num_units_gen = one_of(units, 7);
        cfg.operand_collector_num_in_ports_gen = 1u + below(8);
        cfg.operand_collector_num_out_ports_gen = 1u + below(8);
        cfg.operand_collector_num_in_ports_sp = 1u + below(3);
        cfg.tensor_core_avail = below(2);
        cfg.num_int_units = below(2);
        cfg.num_dp_units = below(2);
        cfg.clock_gated_reg_file = below(4) == 0 ? 1u : 0u;
        for (uint32_t i = 0; i < WLK_OPNDCOLL_WIDTHS; i++) {
            cfg.pipeline_widths[i] = cfg.sub_core_model != 0 ? cfg.num_sched_per_core : below(7);
        }
    } while (wlk_opndcoll_check(&cfg, NULL, NULL) != WLK_OK);
}

static void state_of_set(char *text, size_t *used, const wlk_opndcoll *s, uint32_t kind) {
    wlk_opndcoll_held held;
    for (uint32_t slot = 0; slot < WLK_OPNDCOLL_MAX_WIDTH; slot++) {
        if (wlk_opndcoll_id_slot(s, kind, slot, &held)) {
            append(text, used, "i%u.%u#%u ", kind, slot, held.uid);
        }
        if (wlk_opndcoll_ex_slot(s, kind, slot, &held)) {
            append(text, used, "e%u.%u#%u ", kind, slot, held.uid);
        }
    }
}

// Everything that can be seen of a model.
static void state_text(char *text, const wlk_opndcoll *s) {
    wlk_opndcoll_shape shape;
    wlk_opndcoll_counters c;
    wlk_opndcoll_held held;
    wlk_opndcoll_request requests[ROOM];
    size_t used = 0;
    wlk_opndcoll_shape_of(&cfg, &shape);
    wlk_opndcoll_counted(s, &c);
    append(text, &used, "%" PRIu64 " %" PRIu64 " %" PRIu64 " p%u ", c.reads, c.writes, c.non_rf,
           wlk_opndcoll_pri(s));
    append(text, &used, "o%x f%x ", wlk_opndcoll_id_open(s), wlk_opndcoll_ex_filled(s));
    for (uint32_t i = 0; i < shape.units; i++) {
        if (wlk_opndcoll_unit(s, i, &held)) {
            append(text, &used, "c%u#%u:%x ", i, held.uid, held.pending);
        }
    }
    for (uint32_t bank = 0; bank < shape.banks; bank++) {
        const uint32_t n = wlk_opndcoll_queue(s, bank, requests, ROOM);
        for (uint32_t i = 0; i < n && i < ROOM; i++) {
            append(text, &used, "q%u=%u.%u ", bank, requests[i].unit, requests[i].slot);
        }
    }
    for (uint32_t du = 0; du < shape.dispatch_units; du++) {
        append(text, &used, "u%u ", wlk_opndcoll_last(s, du));
    }
    for (uint32_t kind = 0; kind < shape.kinds; kind++) {
        state_of_set(text, &used, s, kind);
    }
    CHECK(used < TEXT);
}

static uint64_t dispatched; // by compare_steps(), which must reach some

// wlk_opndcoll_issue() by way of wlk_opndcoll_put().
static int32_t put_as_issued(wlk_opndcoll *s, const wlk_opndcoll_shape *shape, uint32_t kind,
                             const wlk_opndcoll_inst *inst) {
    const uint64_t open = wlk_opndcoll_id_free(s, kind);
    if (shape->sub_core == 0 && open == 0) {
        return WLK_OPNDCOLL_FULL;
    }
    const uint32_t slot = shape->sub_core != 0 ? inst->sched : (uint32_t)__builtin_ctzll(open);
    return wlk_opndcoll_put(s, kind, slot, inst);
}

// The first of the twins in the ways that are made for everything, the second in the usual ones.
static void random_traffic(wlk_opndcoll *const twins[2], const wlk_opndcoll_shape *shape) {
    int32_t src[8], dst[2][2];
    const uint32_t n = below(5), kind = below(shape->kinds), sched = below(shape->schedulers);
    for (uint32_t i = 0; i < n; i++) {
        src[i] = (int32_t)below(40) - 2;
    }
    const wlk_opndcoll_inst inst = {.uid = ++uid,
                                    .wid = below(16),
                                    .sched = sched,
                                    .lanes = below(256),
                                    .non_rf = below(3),
                                    .n_src = n,
                                    .src = src};
    const uint32_t drained = below(shape->kinds), wid = below(16), mask = below(256);
    dst[0][0] = dst[1][0] = (int32_t)below(40);
    dst[0][1] = dst[1][1] = (int32_t)below(40);
    const bool drains = below(3) == 0, writes = below(2) == 0;
    CHECK(put_as_issued(twins[0], shape, kind, &inst) == wlk_opndcoll_issue(twins[1], kind, &inst));
    for (uint32_t i = 0; i < 2; i++) {
        while (drains && wlk_opndcoll_take(twins[i], drained, NULL) >= 0) {
            dispatched++;
        }
    }
    if (writes) {
        wlk_opndcoll_event of_write[2];
        wlk_opndcoll_events events = {of_write, 2, 0};
        CHECK(wlk_opndcoll_writeback(twins[0], dst[0], 2, wid, sched, mask, &events) ==
              wlk_opndcoll_writeback(twins[1], dst[1], 2, wid, sched, mask, NULL));
    }
    CHECK(memcmp(dst[0], dst[1], sizeof dst[0]) == 0);
}

// A model that reports its events and one that does not, which takes the usual, quick way where
// there is one.
static void compare_steps(uint32_t steps) {
    static char text[2][TEXT];
    wlk_opndcoll_shape shape;
    const size_t size = wlk_opndcoll_state_size(&cfg);
    wlk_opndcoll *const twins[2] = {wlk_opndcoll_init(&cfg, malloc(size)), malloc(size)};
    memcpy(twins[1], twins[0], size); // a snapshot is a copy
    wlk_opndcoll_shape_of(&cfg, &shape);
    for (uint32_t i = 0; i < steps; i++) {
        wlk_opndcoll_events events = {reported, 0, 0};
        for (uint32_t k = below(6); k != 0; k--) {
            random_traffic(twins, &shape);
        }
        wlk_opndcoll_step(twins[0], &events);
        wlk_opndcoll_step(twins[1], NULL);
        CHECK(events.count <= wlk_opndcoll_max_events(&cfg));
        state_text(text[0], twins[0]);
        state_text(text[1], twins[1]);
        if (!CHECK_MSG(strcmp(text[0], text[1]) == 0, "step %u\n%s\n%s", i, text[0], text[1])) {
            break;
        }
    }
    free(twins[0]);
    free(twins[1]);
}

static void opndcoll_quick_step_equals_the_reporting_step(void) {
    for (uint32_t revision = WLK_OPNDCOLL_V40; revision <= WLK_OPNDCOLL_V32; revision++) {
        dispatched = 0;
        for (uint32_t seed = 1; seed <= 30; seed++) {
            random_state = seed * UINT64_C(0x9e3779b97f4a7c15);
            random_config((wlk_opndcoll_revision)revision);
            compare_steps(200);
        }
        CHECK_MSG(dispatched >= 3000, "revision %u: only %" PRIu64, revision, dispatched);
    }
}

static void opndcoll_snapshot_goes_on_the_same_way(void) {
    start_qv100();
    ISSUE(SP, 0, 0, 0, 4);
    (void)step();
    const size_t size = wlk_opndcoll_state_size(&cfg);
    void *copy = malloc(size);
    memcpy(copy, model, size);
    EXPECT(step(), "G 0 0.0");
    memcpy(model, copy, size);
    EXPECT(step(), "G 0 0.0");
    EXPECT(step(), "G 0 0.1");
    free(copy);
}

static void opndcoll_events_beyond_the_room_are_counted(void) {
    start_qv100();
    ISSUE(SP, 0, 0, 0, 1);
    ISSUE(SP, 1, 1, 0, 1);
    wlk_opndcoll_event only;
    wlk_opndcoll_events events = {&only, 1, 0};
    wlk_opndcoll_step(model, &events);
    CHECK(events.count == 2 && only.uid == 1);
}

int main(void) {
    opndcoll_example_1_one_instruction();
    opndcoll_example_2_queue_order();
    opndcoll_example_3_writes();
    opndcoll_example_4_dispatch_order();
    opndcoll_example_5_priority_and_age();
    opndcoll_example_6_v32_one_grant_a_unit();
    opndcoll_q1_a_unit_gets_as_many_operands_as_banks();
    opndcoll_q2_rotating_priority_changes_nothing();
    opndcoll_q3_queues_keep_allocation_order();
    opndcoll_q4_granted_operand_counts_in_the_next_step();
    opndcoll_q5_unit_0_loses_the_first_round();
    opndcoll_q6_each_dispatch_unit_moves_alone();
    opndcoll_q7_full_pipe_is_skipped_for_another();
    opndcoll_q8_kinds_in_fixed_order_without_fallback();
    opndcoll_q9_oldest_is_by_uid_not_by_slot();
    opndcoll_equal_uids_give_the_higher_slot();
    opndcoll_age_inverts_when_the_counter_wraps();
    opndcoll_q10_v40_sub_core_shares_units_and_oc_ex();
    opndcoll_q11_warp_is_always_hashed();
    opndcoll_q12_steps_of_a_core_cycle();
    opndcoll_q12_write_blocks_one_step();
    opndcoll_q13_only_writes_refuse_writes();
    opndcoll_q14_refused_write_resumes_where_it_stopped();
    opndcoll_q15_default_tensor_units_shift_numbers();
    opndcoll_q16_tensor_and_sfu_swap_between_sets_and_ports();
    opndcoll_ports_tell_their_kinds();
    opndcoll_q17_counters();
    opndcoll_clock_gating_counts_groups_of_lanes();
    opndcoll_q20_no_sources_still_take_a_unit_for_a_step();
    opndcoll_q21_duplicates_are_read_twice_but_in_v42();
    opndcoll_kind_port_turns_to_generic_units();
    opndcoll_sets_and_ports_stand_in_their_orders();
    opndcoll_specialized_pipes_are_the_last_kinds();
    opndcoll_banks_of_the_shipped_configurations();
    opndcoll_dispatch_scans_many_units_around_the_end();
    opndcoll_issue_takes_the_lowest_or_the_schedulers_slot();
    opndcoll_put_and_take_by_slot();
    opndcoll_callers_mistakes_change_nothing();
    opndcoll_v32_write_starts_again_after_a_refusal();
    opndcoll_v32_written_bank_leaves_the_scan();
    opndcoll_v32_scan_goes_around_the_end();
    opndcoll_v42_port_serves_every_kind_in_a_step();
    opndcoll_v42_failing_kind_does_not_stop_others();
    opndcoll_v42_unit_goes_to_its_schedulers_slot();
    opndcoll_v42_place_goes_by_the_number_of_all_units();
    opndcoll_v42_scan_starts_at_the_next_schedulers_units();
    opndcoll_v42_flat_is_like_v40_but_for_ports();
    opndcoll_check_names_the_option();
    opndcoll_check_refuses_gating_groups_that_do_not_fit();
    opndcoll_check_v42_sets_must_be_shared_out();
    opndcoll_quick_step_equals_the_reporting_step();
    opndcoll_snapshot_goes_on_the_same_way();
    opndcoll_events_beyond_the_room_are_counted();
    free(model);
    return check_done();
}

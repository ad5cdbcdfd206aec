// SPDX-License-Identifier: Apache-2.0
// The block `opndcoll` through its structs: what a clock is, what RTL shows of it, operands. The
// collector's own rules: test_opndcoll.c. Spec: gpgpusim-opndcoll, §n below.
#include "check.h"
#include "warplock/opndcoll_rtl.h"

#include <stdlib.h>
#include <string.h>

enum { SP, SFU, MEM, STEP_BITS = 8 }; // registers are bytes: num_regs is 256 throughout

static wlk_opndcoll_rtl_cfg cfg;
static wlk_opndcoll_rtl_state *st;
static wlk_opndcoll_rtl_in in; // of the next clock(); idle again after it
static wlk_opndcoll_rtl_out out, care;
static uint32_t violated; // by the last clock()

/* ---- driving ---- */

static void power_up(wlk_power_up how) {
    wlk_error err;
    CHECK(wlk_opndcoll_rtl_check(&cfg, &err) == WLK_OK);
    free(st);
    st = (wlk_opndcoll_rtl_state *)aligned_alloc(64, (wlk_opndcoll_rtl_state_size(&cfg) + 63u) /
                                                         64u * 64u);
    if (st == NULL) {
        abort();
    }
    wlk_opndcoll_rtl_init(&cfg, st, how);
    memset(&in, 0, sizeof in);
}

static void look(void) {
    wlk_opndcoll_rtl_eval(&cfg, st, &in, &out, &care);
}

// Outputs into out and care, then the edge; the next inputs are idle.
static void clock_edge(void) {
    look();
    violated = wlk_opndcoll_rtl_tick(&cfg, st, &in);
    memset(&in, 0, sizeof in);
}

static void reset(void) {
    in.reset = 1;
    clock_edge();
}

static void start(void) {
    power_up(WLK_POWER_UNKNOWN);
    reset();
}

static void defaults(void) {
    wlk_config_defaults(&wlk_opndcoll_rtl_table, (uint32_t *)&cfg);
}

static void start_qv100(void) {
    defaults();
    start();
}

static void start_v32(void) {
    defaults();
    cfg.revision = WLK_OPNDCOLL_RTL_REVISION_V32;
    cfg.sub_core_model = 0;
    cfg.num_reg_banks = 4;
    cfg.num_units = 4;
    cfg.num_kinds = 3;
    cfg.data = 1;
    start();
}

static void start_data(void) {
    defaults();
    cfg.data = 1;
    start();
}

// An instruction with n sources from slot 0 on.
static void issue(uint32_t port, uint32_t kind, uint32_t sched, uint32_t wid, uint32_t n,
                  const uint8_t *regs) {
    in.issue[port].valid = 1;
    in.issue[port].bits.kind = (uint8_t)kind;
    in.issue[port].bits.sched = (uint8_t)sched;
    in.issue[port].bits.wid = (uint8_t)wid;
    for (uint32_t k = 0; k < n; k++) {
        in.issue[port].bits.enable[k] = 1;
        in.issue[port].bits.reg[0] |= (uint64_t)regs[k] << k * STEP_BITS;
    }
}

#define REGS(...) (sizeof((const uint8_t[]){__VA_ARGS__})), ((const uint8_t[]){__VA_ARGS__})
#define NO_REGS   0, NULL

static void write_back(uint32_t call, uint32_t sched, uint32_t wid, uint32_t n,
                       const uint8_t *regs) {
    in.wb[call].valid = 1;
    in.wb[call].bits.sched = (uint8_t)sched;
    in.wb[call].bits.wid = (uint8_t)wid;
    for (uint32_t d = 0; d < n; d++) {
        in.wb[call].bits.enable[d] = 1;
        in.wb[call].bits.reg[0] |= (uint64_t)regs[d] << d * STEP_BITS;
    }
}

// Value of a call's destination; data_bits is 32.
static void value(uint32_t call, uint32_t slot, uint32_t v) {
    in.wb[call].bits.data[slot / 2u] |= (uint64_t)v << slot % 2u * 32u;
}

static uint32_t operand(const wlk_opndcoll_rtl_out *o, uint32_t kind, uint32_t slot) {
    return (uint32_t)(o->take[kind].bits.data[slot / 2u] >> slot % 2u * 32u);
}

static uint32_t lane(const uint64_t *words, uint32_t n, uint32_t step) {
    return (uint32_t)(words[n * step / 64u] >> n * step % 64u & ((UINT64_C(1) << step) - 1u));
}

// Idle clocks until an instruction shows in OC_EX of a kind, which then is looked at.
static void wait_for(uint32_t kind) {
    for (uint32_t n = 0; n < 20u; n++) {
        look();
        if (out.take[kind].valid != 0u) {
            return;
        }
        clock_edge();
    }
    CHECK_MSG(false, "nothing comes out");
}

/* ---- a step a clock ---- */

// Example 1 of §13: the step of each clock is in front of its issues.
static void an_instruction_goes_from_port_to_take(void) {
    start_qv100();
    issue(0, SP, 1, 5, REGS(1, 2, 3));
    clock_edge();
    CHECK(out.issue[0].ready == 1 && out.alloc.valid == 0);
    clock_edge();
    CHECK(out.alloc.valid == 1 && lane(out.alloc.unit, 0, 4) == 0 && out.grant.valid == 0);
    clock_edge();
    CHECK(out.grant.valid == (1u << 4 | 1u << 6 | 1u << 7) && out.busy == 1);
    CHECK(lane(out.grant.slot, 4, 2) == 2 && lane(out.grant.slot, 7, 2) == 1);
    clock_edge();
    CHECK(out.dispatch.valid == 1 && lane(out.dispatch.slot, 0, 2) == 0 && out.busy == 1);
    CHECK(out.take[SP].valid == 0);
    in.take[SP].ready = 1;
    clock_edge();
    CHECK(out.take[SP].valid == 1 && out.take[SP].bits.uid == 1 && out.busy == 0);
    CHECK(out.take[SP].bits.wid == 5 && out.take[SP].bits.sched == 1);
    clock_edge();
    CHECK(out.take[SP].valid == 0 && out.take[SP].bits.uid == 0);
}

// uids grow in port order, not by scheduler (GPGPU-Sim rotates its schedulers).
static void ports_issue_in_their_order(void) {
    start_qv100();
    issue(0, SP, 3, 3, NO_REGS);
    issue(2, SP, 0, 0, NO_REGS);
    clock_edge();
    wait_for(SP);
    in.take[SP].ready = 1;
    clock_edge();
    CHECK(out.take[SP].bits.uid == 1 && out.take[SP].bits.sched == 3);
    look();
    CHECK(out.take[SP].bits.uid == 2 && out.take[SP].bits.sched == 0);
}

/* ---- ready ---- */

static void ready_is_judged_behind_the_step_and_lower_ports(void) {
    start_qv100();
    issue(0, SP, 2, 2, NO_REGS);
    in.issue[1].bits.sched = 2; // not valid, and yet not ready: port 0 takes the slot
    in.issue[2].bits.sched = 1;
    clock_edge();
    CHECK(out.issue[0].ready == 1 && out.issue[1].ready == 0 && out.issue[2].ready == 1);
    issue(0, SP, 2, 2, NO_REGS); // the step frees the slot in this clock
    in.issue[3].bits.kind = 6;   // there is no such kind
    in.issue[1].bits.kind = SFU; // another set
    in.issue[1].bits.sched = 2;
    clock_edge();
    CHECK(out.issue[0].ready == 1 && out.issue[1].ready == 1 && out.issue[3].ready == 0);
}

static void flat_ready_counts_free_slots(void) {
    defaults();
    cfg.sub_core_model = 0;
    cfg.id_width = 2;
    start();
    for (uint32_t port = 0; port < 4u; port++) {
        issue(port, MEM, 0, 0, NO_REGS);
    }
    clock_edge();
    CHECK(out.issue[1].ready == 1 && out.issue[2].ready == 0 && out.issue[3].ready == 0);
}

/* ---- write-back ---- */

// Example 3 of §13.
static void write_back_stops_at_a_written_bank(void) {
    defaults();
    cfg.dst_slots = 3;
    start();
    issue(0, SP, 0, 0, REGS(0, 1));
    clock_edge();
    clock_edge();
    write_back(0, 0, 0, REGS(0, 1, 4));
    write_back(1, 0, 0, REGS(5));
    clock_edge();
    CHECK(out.wb[0].success == 0 && out.wb[0].accepted[0] == 1 && out.wb[0].accepted[1] == 1);
    CHECK(out.wb[0].accepted[2] == 0 && out.wb[1].success == 0 && out.wb[1].accepted[0] == 0);
    CHECK(out.grant.valid == 0); // written banks are not read in this clock
    write_back(0, 0, 0, REGS(4));
    clock_edge();
    CHECK(out.wb[0].success == 1 && out.grant.valid == 2); // bank 1 alone is read
}

static void a_call_without_destination_succeeds(void) {
    start_qv100();
    write_back(1, 0, 0, NO_REGS);
    clock_edge();
    CHECK(out.wb[1].success == 1 && out.wb[0].success == 0);
}

// Marks never outlive a clock, so that even before reset the answer is known.
static void before_reset_only_write_backs_are_known(void) {
    defaults();
    power_up(WLK_POWER_UNKNOWN);
    write_back(0, 0, 0, REGS(0, 4));
    clock_edge();
    CHECK(care.wb[0].success == 1 && care.wb[0].accepted[1] == 1 && out.wb[0].success == 0);
    CHECK(care.busy == 0 && care.issue[0].ready == 0 && care.grant.valid == 0);
    CHECK(care.take[SP].valid == 0 && care.take[SP].bits.uid == 0 && care.alloc.unit[0] == 0);
    reset();
    look();
    CHECK(care.busy == 0xff && care.issue[0].ready == 1 && care.take[SP].bits.uid == UINT32_MAX);
    power_up(WLK_POWER_ZERO);
    look();
    CHECK(care.busy == 0xff);
}

/* ---- V32 ---- */

static void v32_grants_a_unit_one_operand(void) {
    start_v32();
    issue(0, SP, 0, 0, REGS(1, 2, 3));
    clock_edge();
    clock_edge();
    CHECK(out.alloc.valid == 1 && out.pri == 1);
    clock_edge(); // bank b meets unit 0 at diagonal (0 - 2 - b) mod 4: bank 2 first
    CHECK(out.pri == 2 && out.grant.valid == 4);
    clock_edge(); // pri 3: bank 1
    CHECK(out.grant.valid == 2);
    clock_edge(); // pri 0: bank 3 is left
    CHECK(out.pri == 0 && out.grant.valid == 8);
}

static void v32_stores_nothing_of_a_call_that_fails(void) {
    start_v32();
    write_back(0, 0, 0, REGS(1));
    value(0, 0, 11);
    clock_edge();
    write_back(0, 0, 0, REGS(1, 5)); // one bank
    value(0, 0, 22);
    clock_edge();
    CHECK(out.wb[0].success == 0 && out.wb[0].accepted[0] == 1 && out.wb[0].accepted[1] == 0);
    issue(0, SP, 0, 0, REGS(1));
    clock_edge();
    wait_for(SP);
    CHECK(operand(&out, SP, 0) == 11 && operand(&care, SP, 0) == UINT32_MAX);
}

/* ---- operands ---- */

static void operands_show_at_the_take(void) {
    start_data();
    write_back(0, 1, 1, REGS(7, 8));
    value(0, 0, 0x1234);
    value(0, 1, 0x5678);
    clock_edge();
    issue(0, MEM, 1, 1, REGS(8, 9, 7));
    clock_edge();
    wait_for(MEM);
    CHECK(operand(&out, MEM, 0) == 0x5678 && operand(&out, MEM, 2) == 0x1234);
    CHECK(operand(&care, MEM, 0) == UINT32_MAX && operand(&care, MEM, 1) == 0); // never written
    CHECK(operand(&care, MEM, 3) == UINT32_MAX && operand(&out, MEM, 3) == 0);  // no source
    CHECK(operand(&care, SP, 0) == UINT32_MAX && operand(&out, SP, 0) == 0);    // nothing there
}

// A register that is written behind its read shows the value that was read.
static void operands_are_those_of_the_grant(void) {
    start_data();
    write_back(0, 0, 0, REGS(1));
    value(0, 0, 1);
    clock_edge();
    issue(0, SP, 0, 0, REGS(1));
    clock_edge();
    clock_edge();
    clock_edge();
    CHECK(out.grant.valid == 2);
    write_back(0, 0, 0, REGS(1));
    value(0, 0, 2);
    clock_edge();
    look();
    CHECK(operand(&out, SP, 0) == 1);
    in.take[SP].ready = 1;
    issue(0, SP, 0, 0, REGS(1));
    clock_edge();
    wait_for(SP);
    CHECK(operand(&out, SP, 0) == 2);
    in.take[SP].ready = 1;
    issue(0, SP, 0, 0, NO_REGS); // nothing is left of the unit's last instruction
    clock_edge();
    wait_for(SP);
    CHECK(operand(&out, SP, 0) == 0 && operand(&care, SP, 0) == UINT32_MAX);
}

static void reset_leaves_the_register_file(void) {
    start_data();
    write_back(0, 0, 0, REGS(1));
    value(0, 0, 42);
    issue(0, SP, 0, 0, REGS(1));
    clock_edge();
    in.reset = 1;
    write_back(0, 0, 0, REGS(2)); // no reset reaches this either
    value(0, 0, 43);
    clock_edge();
    for (uint32_t n = 0; n < 6u; n++) {
        clock_edge();
        CHECK(out.take[SP].valid == 0 && out.busy == 0);
    }
    issue(0, SP, 0, 0, REGS(1, 2));
    clock_edge();
    wait_for(SP);
    CHECK(out.take[SP].bits.uid == 1); // counts anew
    CHECK(operand(&out, SP, 0) == 42 && operand(&out, SP, 1) == 43);
}

static void unknown_data_is_forgotten(void) {
    uint64_t words[64] = {0}, x[64] = {0};
    wlk_layout l;
    start_data();
    wlk_opndcoll_rtl_table.layout((const uint32_t *)&cfg, &l);
    write_back(0, 0, 0, REGS(1, 2));
    wlk_opndcoll_rtl_in_pack(&cfg, &in, words);
    clock_edge();
    // The first payload of data is behind those of registers: 4 of issues, 2 of calls.
    x[l.in_payload[6].word] = UINT64_C(1) << 63;
    wlk_opndcoll_rtl_block.forget((const uint32_t *)&cfg, st, words, x);
    issue(0, SP, 0, 0, REGS(1, 2));
    clock_edge();
    wait_for(SP);
    CHECK(operand(&care, SP, 0) == UINT32_MAX && operand(&care, SP, 1) == 0);
}

/* ---- rules ---- */

static void each_rule_is_told(void) {
    defaults();
    cfg.num_warps = 24;
    cfg.num_sched_per_core = 3;
    cfg.id_width = 3;
    cfg.num_reg_banks = 9;
    cfg.data = 1;
    start();
    issue(0, SP, 0, 24, NO_REGS);
    clock_edge();
    CHECK(violated == WLK_OPNDCOLL_RTL_ISSUE_WARP_OUT_OF_RANGE);
    issue(0, 7, 0, 0, NO_REGS);
    clock_edge();
    CHECK(violated == WLK_OPNDCOLL_RTL_ISSUE_KIND_OUT_OF_RANGE && out.issue[0].ready == 0);
    issue(0, SP, 3, 0, NO_REGS);
    clock_edge();
    CHECK(violated == (WLK_OPNDCOLL_RTL_ISSUE_SCHED_OUT_OF_RANGE |
                       WLK_OPNDCOLL_RTL_REGISTER_IN_TWO_BANKS) &&
          out.issue[0].ready == 0);
    write_back(1, 0, 27, NO_REGS);
    clock_edge();
    CHECK(violated == WLK_OPNDCOLL_RTL_WB_WARP_OUT_OF_RANGE);
    write_back(1, 3, 0, REGS(0));
    clock_edge();
    CHECK(violated ==
          (WLK_OPNDCOLL_RTL_WB_SCHED_OUT_OF_RANGE | WLK_OPNDCOLL_RTL_REGISTER_IN_TWO_BANKS));
    write_back(1, 1, 0, REGS(0));
    clock_edge();
    CHECK(violated == WLK_OPNDCOLL_RTL_REGISTER_IN_TWO_BANKS);
    write_back(1, 1, 4, REGS(0));
    issue(2, SP, 2, 23, REGS(0));
    clock_edge();
    CHECK(violated == 0);
}

static void drained_is_empty(void) {
    const uint32_t *words = (const uint32_t *)&cfg;
    start_qv100();
    CHECK(wlk_opndcoll_rtl_block.drained(words, st));
    issue(0, SP, 0, 0, NO_REGS);
    clock_edge(); // ID_OC, then a unit, then OC_EX
    for (uint32_t n = 0; n < 3u; n++) {
        CHECK(!wlk_opndcoll_rtl_block.drained(words, st));
        clock_edge();
    }
    in.take[SP].ready = 1;
    clock_edge();
    CHECK(wlk_opndcoll_rtl_block.drained(words, st));
}

// The largest configuration the table allows fits into the block's buffers.
static void largest_configuration_runs(void) {
    defaults();
    cfg.num_reg_banks = 64;
    cfg.num_sched_per_core = cfg.id_width = cfg.ex_width = 8;
    cfg.num_units = 64;
    cfg.in_ports = cfg.out_ports = 16;
    cfg.num_kinds = cfg.src_slots = 8;
    cfg.dst_slots = cfg.num_wb = 4;
    cfg.data = 1;
    cfg.data_bits = 64;
    start();
    for (uint32_t n = 0; n < 40u; n++) {
        for (uint32_t port = 0; port < 8u; port++) {
            issue(port, (n + port) % 8u, port, port, REGS(1, 2, 3, 4, 5, 6, 7, 8));
        }
        clock_edge();
        CHECK(violated == 0);
    }
    CHECK(out.busy == UINT64_MAX);
}

int main(void) {
    an_instruction_goes_from_port_to_take();
    ports_issue_in_their_order();
    ready_is_judged_behind_the_step_and_lower_ports();
    flat_ready_counts_free_slots();
    write_back_stops_at_a_written_bank();
    a_call_without_destination_succeeds();
    before_reset_only_write_backs_are_known();
    v32_grants_a_unit_one_operand();
    v32_stores_nothing_of_a_call_that_fails();
    operands_show_at_the_take();
    operands_are_those_of_the_grant();
    reset_leaves_the_register_file();
    unknown_data_is_forgotten();
    each_rule_is_told();
    drained_is_empty();
    largest_configuration_runs();
    free(st);
    return check_done();
}

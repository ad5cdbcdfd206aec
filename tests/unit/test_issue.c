// SPDX-License-Identifier: Apache-2.0
// The composed stage through its structs: what the four models do together. Spec: muon-issue §6.
#include "check.h"
#include "muon.h"
#include "warplock/issue.h"

#include <stdlib.h>
#include <string.h>

enum { NEVER = 100 };

static wlk_issue_cfg cfg;
static wlk_issue_state st;
static wlk_issue_in in; // of the next cycle(); idle again after it, but issue.ready
static wlk_issue_out out, care;
static uint8_t take; // issue.ready of the cycles to come

/* ---- driving ---- */

static void power_up(wlk_power_up how) {
    wlk_error err;
    wlk_config_defaults(&wlk_issue_table, (uint32_t *)&cfg);
    cfg.num_warps = 4;
    cfg.num_lanes = 2;
    cfg.num_pregs = 64;
    cfg.rs_entries = 4;
    CHECK(wlk_issue_check(&cfg, &err) == WLK_OK);
    wlk_issue_init(&cfg, &st, how);
    memset(&in, 0, sizeof in);
    take = 1;
}

static void look(void) {
    in.issue.ready = take;
    wlk_issue_eval(&cfg, &st, &in, &out, &care);
}

// Outputs into out and care, then the edge; the next inputs are idle.
static void cycle(void) {
    look();
    CHECK(wlk_issue_tick(&cfg, &st, &in) == 0); // no rule can be broken
    memset(&in, 0, sizeof in);
}

static void idle(uint32_t cycles) {
    for (uint32_t i = 0; i < cycles; i++) {
        cycle();
    }
}

static uint64_t value_of(uint16_t preg, uint32_t lane) {
    return 0x1000u * preg + lane + 1u;
}

static void write_back(uint16_t rd, uint64_t tmask) {
    in.writeback.valid = 1;
    in.writeback.bits.rd = rd;
    in.writeback.bits.tmask = tmask;
    in.writeback.bits.data[0] = value_of(rd, 0) | value_of(rd, 1) << 32;
}

// In reset, both arbiters' `last` being the last input; registers 1..15 written, counters cleared.
static void start(void) {
    power_up(WLK_POWER_UNKNOWN);
    in.reset = 1;
    cycle();
    for (uint16_t r = 1; r < 16; r++) {
        write_back(r, 3);
        cycle();
    }
    st.hazard.last = 8;
    st.reservStation.last = UINT32_C(1) << (cfg.rs_entries - 1u);
}

static void head(inst i) {
    in.ibuf[i.warp].valid = 1;
    PUT_INST(in.ibuf[i.warp].bits, i);
}

static uint32_t ready_shown(void) {
    uint32_t set = 0;
    for (uint32_t w = 0; w < cfg.num_warps; w++) {
        set |= (uint32_t)out.ibuf[w].ready << w;
    }
    return set;
}

// Offer a head for one cycle; it must be taken.
static void admit(inst i) {
    head(i);
    cycle();
    CHECK_MSG(ready_shown() == 1u << i.warp, "pc %x is not admitted", i.pc);
}

static bool refused(inst i) {
    head(i);
    cycle();
    return ready_shown() == 0;
}

// Cycles from the next one on until pc is issued; the operands are then in out.
static uint32_t until_issue(uint32_t pc) {
    for (uint32_t i = 0; i < NEVER; i++) {
        cycle();
        if (out.issue.valid && out.issue.bits.uop.pc == pc) {
            return i;
        }
    }
    return NEVER;
}

static bool operand_is(uint32_t operand, uint16_t preg) {
    const uint64_t want = preg == 0u ? 0u : value_of(preg, 0) | value_of(preg, 1) << 32;
    return out.operands[operand][0] == want && care.operands[operand][0] == UINT64_MAX;
}

/* ---- latencies (§6) ---- */

static void issue_shortest_path(void) {
    for (uint32_t forward = 0; forward < 2; forward++) {
        start();
        cfg.forward_coll_issue = forward;
        admit(op(0, 0x10, 20, 4, 0, 6)); // cycle 0
        CHECK(out.issue.valid == 0);
        cycle(); // 1: readReq
        CHECK(st.collector.readRespValid == 1);
        cycle(); // 2: readResp
        CHECK(out.issue.valid == 0);
        cycle();
        CHECK_MSG(out.issue.valid == forward, "forward %u", forward); // 3
        if (!forward) {
            cycle();
            CHECK(out.issue.valid == 1); // 4
        }
        CHECK(out.issue.bits.uop.pc == 0x10);
        CHECK(operand_is(0, 4) && operand_is(1, 0) && operand_is(2, 6));
    }
}

static void issue_without_source_is_valid_2_cycles_after_admission(void) {
    start();
    admit(op(1, 0x10, 20, NONE, NONE, NONE));
    cycle();
    CHECK(out.issue.valid == 0);
    cycle();
    CHECK(out.issue.valid == 1 && out.issue.bits.uop.wid == 1);
}

static void issue_from_write_back_takes_3_cycles(void) {
    for (uint32_t forward = 0; forward < 2; forward++) {
        start();
        cfg.forward_coll_issue = forward;
        admit(op(0, 0x10, 20, NONE, NONE, NONE));
        admit(op(0, 0x14, 21, 20, NONE, NONE)); // waits for 20
        idle(8);
        write_back(20, 3);
        cycle(); // 0
        const uint32_t cycles = until_issue(0x14) + 1;
        CHECK_MSG(cycles == (forward ? 3u : 4u), "forward %u: %u", forward, cycles);
        CHECK(operand_is(0, 20));
    }
}

static void issue_entry_that_is_freed_is_taken_in_the_same_cycle(void) {
    start();
    cfg.coll_entries = 1;
    wlk_issue_init(&cfg, &st, WLK_POWER_ZERO);
    take = 0;
    admit(op(0, 0x10, 20, 4, NONE, NONE));
    admit(op(1, 0x14, 21, 5, NONE, NONE));
    idle(6);
    CHECK(out.issue.valid == 1 && st.collector.readRespValid == 0); // 0x14 finds no entry
    take = 1;
    cycle(); // the issue frees, the request takes
    CHECK(out.issue.bits.uop.pc == 0x10 && st.collector.readRespValid == 1);
    CHECK(until_issue(0x14) == 1);
}

static void issue_entry_is_forwarded_in_the_cycle_of_the_response(void) {
    start();
    cfg.coll_entries = 2;
    take = 0;
    admit(op(0, 0x10, 20, 4, NONE, NONE)); // gets entry 0 and waits in the stage
    idle(4);
    admit(op(1, 0x14, 21, 5, NONE, NONE)); // gets entry 1
    cycle();
    take = 1;
    cycle(); // the response of 0x14; the stage empties, so it enters
    CHECK(out.issue.bits.uop.pc == 0x10 && operand_is(0, 4));
    cycle();
    CHECK(out.issue.valid == 1 && out.issue.bits.uop.pc == 0x14);
    CHECK(operand_is(0, 5)); // of the entry that came with the response
}

/* ---- admission ---- */

static void issue_row_admitted_in_the_cycle_of_the_write_back_it_waits_for_is_not_busy(void) {
    start();
    admit(op(0, 0x10, 20, NONE, NONE, NONE));
    idle(4);
    head(op(0, 0x14, 21, 20, NONE, NONE));
    write_back(20, 3);
    cycle(); // cycle 0
    CHECK(ready_shown() == 1);
    const uint32_t cycles = until_issue(0x14) + 1;
    CHECK_MSG(cycles == 3, "%u", cycles); // as one that waits for nothing
    CHECK(operand_is(0, 20));             // written while it was admitted
}

static void issue_write_of_a_pending_write_waits_for_the_write_back(void) {
    start();
    admit(op(0, 0x10, 20, NONE, NONE, NONE));
    CHECK(refused(op(1, 0x14, 20, NONE, NONE, NONE)));
    idle(3);
    CHECK(refused(op(1, 0x14, 20, NONE, NONE, NONE)));
    head(op(1, 0x14, 20, NONE, NONE, NONE));
    write_back(20, 3);
    cycle();
    CHECK(ready_shown() == 2); // bypassed
    look();
    CHECK(out.perfHazard[1].stallsWAW == 2 && out.perfHazard[1].stallsScoreboard == 0);
}

static void issue_write_of_a_pending_read_waits_for_the_response(void) {
    start();
    admit(op(0, 0x10, NONE, 4, 4, NONE));
    CHECK(refused(op(1, 0x14, 4, NONE, NONE, NONE))); // 1: readReq
    admit(op(1, 0x14, 4, NONE, NONE, NONE));          // 2: readResp, bypassed
    look();
    CHECK(out.perfHazard[1].stallsWAR == 1 && out.perfHazard[1].stallsWAW == 0);
}

static void issue_saturated_register_is_admitted_in_the_cycle_of_its_response(void) {
    start();
    cfg.max_pending_reads = 1;
    admit(op(0, 0x10, NONE, 4, NONE, NONE));
    CHECK(refused(op(1, 0x14, NONE, 4, NONE, NONE))); // 1: readReq
    admit(op(1, 0x14, NONE, 4, NONE, NONE));          // 2: readResp takes one away, this adds one
    CHECK(st.scoreboard.pendingReads[4] == 1);
    CHECK(until_issue(0x14) == 2 && operand_is(0, 4));
    look();
    CHECK(out.perfHazard[1].stallsScoreboard == 1);
}

static void issue_operand_less_instruction_is_never_admitted(void) {
    start();
    for (uint32_t i = 0; i < 50; i++) {
        CHECK(refused(op(1, 0x10, NONE, NONE, NONE, NONE)));
    }
    look();
    CHECK(out.perfHazard[1].stallsScoreboard == 50);
}

static void issue_register_named_more_often_than_max_pending_reads_is_never_admitted(void) {
    static const struct {
        uint32_t max;
        int rs[3];
        bool admitted;
    } cases[] = {
        {1, {4, 4, NONE}, false}, {1, {4, 5, 6}, true}, {1, {NONE, 4, 4}, false},
        {2, {4, 4, 4}, false},    {2, {4, 4, 5}, true}, {3, {4, 4, 4}, true},
        {1, {0, 0, 0}, true}, // register 0 is not counted
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start();
        cfg.max_pending_reads = cases[i].max;
        bool admitted = false;
        for (uint32_t c = 0; c < 50 && !admitted; c++) {
            admitted = !refused(op(2, 0x10, 20, cases[i].rs[0], cases[i].rs[1], cases[i].rs[2]));
        }
        CHECK_MSG(admitted == cases[i].admitted, "case %zu", i);
    }
}

static void issue_head_that_never_succeeds_ends_admission_for_the_whole_core(void) {
    start(); // last = 3
    uint32_t admitted = 0;
    for (uint32_t c = 0; c < 40; c++) {
        head(op(1, 0x10, NONE, NONE, NONE, NONE));
        head(op(0, 0x20, NONE, 4, NONE, NONE)); // between last and warp 1 once
        head(op(2, 0x30, NONE, 5, NONE, NONE));
        head(op(3, 0x40, NONE, 6, NONE, NONE));
        cycle();
        admitted |= ready_shown();
    }
    CHECK_MSG(admitted == 1, "%x", admitted);
    look();
    CHECK(out.perfHazard[1].stallsScoreboard == 39 && out.perfHazard[2].stallsScoreboard == 0);
}

static void issue_full_station_stalls_in_the_scoreboards_counter_only(void) {
    start();
    admit(op(0, 0x10, 20, NONE, NONE, NONE)); // written back never
    for (uint32_t i = 0; i < 4; i++) {
        admit(op(1, 0x20 + i, NONE, 20, NONE, NONE));
        idle(2); // 0x10 has left when the last of these comes
    }
    in.softReset = 1;
    cycle();
    for (uint32_t i = 0; i < 5; i++) {
        CHECK(refused(op(2, 0x30, NONE, 4, NONE, NONE)));
    }
    look();
    CHECK(out.perfHazard[2].stallsScoreboard == 5);
    for (uint32_t w = 0; w < 4; w++) {
        CHECK(out.perfRS.perWarp[w].stallsRSFull == 0);
    }
}

/* ---- operands and write-backs ---- */

static void issue_operands_show_in_the_cycle_of_the_issue_only(void) {
    start();
    take = 0;
    admit(op(0, 0x10, 20, 4, NONE, 6));
    idle(6);
    CHECK(out.issue.valid == 1);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK(out.operands[i][0] == 0 && care.operands[i][0] == UINT64_MAX);
    }
    take = 1;
    cycle();
    CHECK(operand_is(0, 4) && out.operands[1][0] == 0 && operand_is(2, 6));
    CHECK(care.operands[1][0] == UINT64_MAX);
    cycle();
    CHECK(out.issue.valid == 0 && out.operands[0][0] == 0 && out.operands[2][0] == 0);
}

static void issue_operand_stays_while_it_waits_although_its_register_is_written(void) {
    start();
    take = 0;
    admit(op(0, 0x10, NONE, 4, NONE, NONE));
    idle(4);
    admit(op(1, 0x14, 4, NONE, NONE, NONE)); // may write: the value is collected
    in.writeback.valid = 1;
    in.writeback.bits.rd = 4;
    in.writeback.bits.tmask = 3; // writes zeros
    cycle();
    idle(2);
    take = 1;
    cycle();
    CHECK(out.issue.bits.uop.pc == 0x10 && operand_is(0, 4));
}

static void issue_write_back_writes_the_lanes_of_its_mask(void) {
    for (uint64_t mask = 0; mask < 4; mask++) {
        start();
        admit(op(0, 0x10, 4, NONE, NONE, NONE));
        idle(3);
        in.writeback.valid = 1;
        in.writeback.bits.rd = 4;
        in.writeback.bits.tmask = mask;
        in.writeback.bits.data[0] = UINT64_C(0xbbbbbbbbaaaaaaaa);
        cycle();
        admit(op(0, 0x14, NONE, 4, NONE, NONE));
        CHECK(until_issue(0x14) == 2);
        const uint64_t low = mask & 1u ? 0xaaaaaaaau : value_of(4, 0);
        const uint64_t high = mask & 2u ? 0xbbbbbbbbu : value_of(4, 1);
        CHECK_MSG(out.operands[0][0] == (low | high << 32), "mask %x", (unsigned)mask);
    }
}

static void issue_write_back_without_valid_does_nothing(void) {
    start();
    admit(op(0, 0x10, 20, NONE, NONE, NONE));
    admit(op(0, 0x14, NONE, 20, NONE, NONE));
    idle(3);
    write_back(20, 3);
    in.writeback.valid = 0;
    cycle();
    CHECK(until_issue(0x14) == NEVER);
}

static void issue_register_0_reads_zero_and_is_never_pending(void) {
    start();
    admit(op(0, 0x10, 0, NONE, NONE, NONE));
    idle(3);
    admit(op(1, 0x14, 0, 0, NONE, NONE)); // neither WAW nor busy
    CHECK(until_issue(0x14) == 2 && out.operands[0][0] == 0);
    write_back(0, 3);
    cycle();
    admit(op(1, 0x18, NONE, 0, NONE, NONE));
    CHECK(until_issue(0x18) == 2);
    CHECK(out.operands[0][0] == 0 && care.operands[0][0] == UINT64_MAX);
}

static void issue_lanes_never_written_are_unknown(void) {
    start();
    write_back(30, 2);
    cycle();
    admit(op(0, 0x10, NONE, 30, 31, NONE));
    CHECK(until_issue(0x10) == 2);
    CHECK(care.operands[0][0] == UINT64_C(0xffffffff00000000));
    CHECK(out.operands[0][0] == value_of(30, 1) << 32);
    CHECK(care.operands[1][0] == 0 && care.operands[2][0] == UINT64_MAX);
}

/* ---- in order ---- */

static void issue_in_order_holds_a_younger_instruction_of_the_warp(void) {
    for (uint32_t in_order = 0; in_order < 2; in_order++) {
        start();
        cfg.in_order_per_warp = in_order;
        admit(op(0, 0x10, 20, NONE, NONE, NONE));
        admit(op(0, 0x14, NONE, 20, NONE, NONE));
        admit(op(0, 0x18, NONE, 4, NONE, NONE));
        const uint32_t cycles = until_issue(0x18);
        CHECK_MSG((cycles == NEVER) == (in_order != 0), "in_order %u: %u", in_order, cycles);
        write_back(20, 3);
        cycle();
        CHECK(until_issue(0x14) == 2);
        if (in_order) {
            CHECK(until_issue(0x18) == 0);
        }
    }
}

/* ---- reset and power-up ---- */

static void issue_reset_in_mid_run_keeps_registers_only(void) {
    start();
    take = 0;
    admit(op(0, 0x10, 20, 4, NONE, NONE));
    admit(op(1, 0x14, 21, 5, NONE, NONE));
    admit(op(2, 0x18, 22, 20, NONE, NONE));
    idle(3);
    in.reset = 1;
    write_back(7, 3); // lands
    cycle();
    take = 1;
    look();
    CHECK(out.issue.valid == 0 && out.issue.bits.uop.pc == 0x10); // the stage's contents stay
    CHECK(out.perfRS.accRsOccupancy == 0 && out.perfRS.cyclesDispatched == 0);
    CHECK(wlk_issue_block.drained((const uint32_t *)&cfg, &st));
    admit(op(3, 0x20, 20, 4, 7, NONE)); // 20 is not pending any more
    CHECK(until_issue(0x20) == 2);
    CHECK(operand_is(0, 4) && operand_is(1, 7));
}

static void issue_soft_reset_clears_the_counters_of_both_and_nothing_else(void) {
    start();
    admit(op(0, 0x10, 20, NONE, NONE, NONE));
    head(op(1, 0x14, 20, NONE, NONE, NONE));
    cycle();
    look();
    CHECK(out.perfRS.cyclesDispatched == 1 && out.perfHazard[1].stallsWAW == 1);
    CHECK(out.perfRS.perWarp[0].cyclesDispatched == 1 && out.perfRS.perWarp[0].cyclesEligible == 1);
    CHECK(out.perfRS.cyclesEligible == 1 && out.perfRS.accRsOccupancy == 1);
    head(op(1, 0x14, 20, NONE, NONE, NONE));
    in.softReset = 1;
    cycle();
    look();
    CHECK(out.perfRS.cyclesDispatched == 0 && out.perfHazard[1].stallsWAW == 0);
    CHECK(out.perfRS.perWarp[0].cyclesDispatched == 0 && out.perfRS.perWarp[0].cyclesEligible == 0);
    CHECK(out.perfRS.cyclesEligible == 0 && out.perfRS.accRsOccupancy == 0);
    CHECK(refused(op(1, 0x14, 20, NONE, NONE, NONE))); // 20 is pending on
}

static void issue_counters_have_64_bits(void) {
    start();
    st.reservStation.accRsOccupancy = UINT32_MAX;
    st.reservStation.perWarp[0][WLK_RESERVATION_STATION_ELIGIBLE] = UINT32_MAX;
    st.hazard.perf[1][WLK_HAZARD_WAW] = UINT32_MAX;
    admit(op(0, 0x10, 20, NONE, NONE, NONE));
    CHECK(refused(op(1, 0x14, 20, NONE, NONE, NONE)));
    look();
    CHECK(out.perfRS.accRsOccupancy == UINT64_C(1) << 32);
    CHECK(out.perfRS.perWarp[0].cyclesEligible == UINT64_C(1) << 32);
    CHECK(out.perfHazard[1].stallsWAW == UINT64_C(1) << 32);
}

static void issue_power_up_hides_all_until_reset_and_the_stage_until_a_dispatch(void) {
    power_up(WLK_POWER_UNKNOWN);
    look();
    CHECK(care.issue.valid == 0 && care.ibuf[0].ready == 0 && care.perfRS.accRsOccupancy == 0);
    in.reset = 1;
    cycle();
    look();
    CHECK(care.issue.valid == 1 && care.ibuf[0].ready == 1);
    CHECK(care.perfRS.accRsOccupancy == UINT64_MAX && care.operands[0][0] == UINT64_MAX);
    CHECK(care.issue.bits.uop.pc == 0 && care.issue.bits.uop.wid == 0);
    admit(op(0, 0x10, 20, NONE, NONE, NONE));
    look();
    CHECK(care.issue.bits.uop.pc == 0);
    cycle();
    look();
    CHECK(care.issue.bits.uop.pc == UINT32_MAX && out.issue.bits.uop.pc == 0x10);
}

// Counts and rows are unknown before the first edge in reset, so nobody knows what was granted.
static void issue_heads_before_reset_do_not_define_last(void) {
    for (uint32_t in_reset = 0; in_reset < 2; in_reset++) {
        power_up(WLK_POWER_UNKNOWN);
        head(op(2, 0x10, 20, NONE, NONE, NONE));
        in.reset = (uint8_t)in_reset;
        cycle();
        cycle();
        in.reset = 1;
        cycle();
        CHECK_MSG(st.hazard.last == 0xf, "in_reset %u: %x", in_reset, st.hazard.last);
        CHECK_MSG(st.reservStation.last == 0xf, "%x", st.reservStation.last);
        look();
        CHECK(care.issue.bits.uop.pc == 0);
    }
}

// In a later reset cycle all is known: a head that fires moves `last` (§1).
static void issue_head_admitted_in_a_reset_cycle_moves_last(void) {
    start(); // last = 3
    in.reset = 1;
    head(op(0, 0x10, 20, NONE, NONE, NONE));
    head(op(1, 0x14, 21, NONE, NONE, NONE));
    cycle();
    CHECK(ready_shown() == 1);
    head(op(0, 0x10, 20, NONE, NONE, NONE));
    head(op(1, 0x14, 21, NONE, NONE, NONE));
    cycle();
    CHECK(ready_shown() == 2); // nothing is pending: the reset dropped the admission
}

/* ---- the API ---- */

static void issue_check_refuses_what_a_block_inside_refuses(void) {
    wlk_error err;
    power_up(WLK_POWER_ZERO);
    cfg.in_order_per_warp = 1;
    cfg.rs_entries = 3;
    CHECK(wlk_issue_check(&cfg, &err) == WLK_BAD_CONFIG);
    CHECK_MSG(strstr(err.text, "rs_entries=3") != NULL, "%s", err.text);
    cfg.in_order_per_warp = 0;
    CHECK(wlk_issue_check(&cfg, &err) == WLK_OK);
    cfg.reg_banks = 128;
    CHECK(wlk_issue_check(&cfg, &err) == WLK_BAD_CONFIG);
    CHECK_MSG(strstr(err.text, "reg_banks=128") != NULL, "%s", err.text);
}

static void issue_snapshot_is_a_copy(void) {
    start();
    admit(op(0, 0x10, 20, 4, NONE, NONE));
    const size_t bytes = wlk_issue_state_size(&cfg);
    wlk_issue_state *copy = aligned_alloc(64, (sizeof st + 63u) / 64u * 64u);
    if (copy == NULL || !CHECK(bytes <= sizeof st)) {
        abort();
    }
    memcpy(copy, &st, bytes);
    CHECK(until_issue(0x10) == 2 && operand_is(0, 4));
    write_back(4, 0);
    in.reset = 1;
    cycle();
    memcpy(&st, copy, bytes);
    CHECK(until_issue(0x10) == 2 && operand_is(0, 4));
    free(copy);
}

static void issue_is_drained_when_rows_and_stage_and_collector_are_empty(void) {
    const uint32_t *words = (const uint32_t *)&cfg;
    start();
    CHECK(wlk_issue_block.drained(words, &st));
    admit(op(0, 0x10, NONE, 4, NONE, NONE));
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_MSG(!wlk_issue_block.drained(words, &st), "cycle %u", i);
        cycle();
    }
    CHECK(out.issue.valid == 1);
    CHECK(wlk_issue_block.drained(words, &st));
}

int main(void) {
    issue_shortest_path();
    issue_without_source_is_valid_2_cycles_after_admission();
    issue_from_write_back_takes_3_cycles();
    issue_entry_that_is_freed_is_taken_in_the_same_cycle();
    issue_entry_is_forwarded_in_the_cycle_of_the_response();
    issue_row_admitted_in_the_cycle_of_the_write_back_it_waits_for_is_not_busy();
    issue_write_of_a_pending_write_waits_for_the_write_back();
    issue_write_of_a_pending_read_waits_for_the_response();
    issue_saturated_register_is_admitted_in_the_cycle_of_its_response();
    issue_operand_less_instruction_is_never_admitted();
    issue_register_named_more_often_than_max_pending_reads_is_never_admitted();
    issue_head_that_never_succeeds_ends_admission_for_the_whole_core();
    issue_full_station_stalls_in_the_scoreboards_counter_only();
    issue_operands_show_in_the_cycle_of_the_issue_only();
    issue_operand_stays_while_it_waits_although_its_register_is_written();
    issue_write_back_writes_the_lanes_of_its_mask();
    issue_write_back_without_valid_does_nothing();
    issue_register_0_reads_zero_and_is_never_pending();
    issue_lanes_never_written_are_unknown();
    issue_in_order_holds_a_younger_instruction_of_the_warp();
    issue_reset_in_mid_run_keeps_registers_only();
    issue_soft_reset_clears_the_counters_of_both_and_nothing_else();
    issue_counters_have_64_bits();
    issue_power_up_hides_all_until_reset_and_the_stage_until_a_dispatch();
    issue_heads_before_reset_do_not_define_last();
    issue_head_admitted_in_a_reset_cycle_moves_last();
    issue_check_refuses_what_a_block_inside_refuses();
    issue_snapshot_is_a_copy();
    issue_is_drained_when_rows_and_stage_and_collector_are_empty();
    return check_done();
}

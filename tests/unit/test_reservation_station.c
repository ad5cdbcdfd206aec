// SPDX-License-Identifier: Apache-2.0
// The reservation station's rules one by one, through its structs. Spec: muon-issue §5, arbiter §1.
#include "check.h"
#include "muon.h"
#include "warplock/reservation_station.h"

#include <string.h>

enum { IDLE_ROW = 99 }; // no request

static wlk_reservation_station_cfg cfg;
static wlk_reservation_station_state st;
static wlk_reservation_station_in in; // of the next cycle(); idle again after it
static wlk_reservation_station_out out, care;

/* ---- driving ---- */

static void power_up(uint32_t rows, wlk_power_up how) {
    wlk_error err;
    wlk_config_defaults(&wlk_reservation_station_table, (uint32_t *)&cfg);
    cfg.rs_entries = rows;
    cfg.num_warps = wlk_min(rows, 4);
    cfg.coll_entries = 8;
    cfg.num_lanes = 2;
    cfg.debug = 1;
    CHECK(wlk_reservation_station_check(&cfg, &err) == WLK_OK);
    wlk_reservation_station_init(&cfg, &st, how);
    memset(&in, 0, sizeof in);
}

static void look(void) {
    wlk_reservation_station_eval(&cfg, &st, &in, &out, &care);
}

// Outputs into out and care, then the edge; the next inputs are idle.
static uint32_t cycle(void) {
    look();
    const uint32_t violated = wlk_reservation_station_tick(&cfg, &st, &in);
    memset(&in, 0, sizeof in);
    return violated;
}

// In reset, the arbiter's `last` being row 0.
static void start(uint32_t rows) {
    power_up(rows, WLK_POWER_UNKNOWN);
    in.reset = 1;
    (void)cycle();
    st.last = 1;
}

static void admit(inst i, uint32_t busy) {
    in.admit.valid = 1;
    PUT_INST(in.admit.bits.ibufEntry, i);
    for (uint32_t k = 0; k < 3; k++) {
        in.admit.bits.valid[k] = i.rs[k] < 0;
        in.admit.bits.busy[k] = busy >> k & 1u;
    }
}

static void respond(uint32_t entry, uint32_t enables) {
    in.collector.readResp.valid = 1;
    in.collector.readResp.bits.collEntry = (uint8_t)entry;
    for (uint32_t k = 0; k < 3; k++) {
        in.collector.readResp.bits.regs[k].enable = enables >> k & 1u;
    }
}

static void write_back(uint16_t rd) {
    in.writeback.valid = 1;
    in.writeback.bits.rd = rd;
}

static void take_request(void) {
    in.collector.readReq.ready = 1;
}

// The row that asks in a cycle with the inputs as they are, or IDLE_ROW.
static uint32_t asking(void) {
    look();
    return out.collector.readReq.valid ? out.collector.readReq.bits.rsEntryId : IDLE_ROW;
}

static uint32_t enables_shown(void) {
    return (uint32_t)(out.collector.readReq.bits.regs[0].enable |
                      out.collector.readReq.bits.regs[1].enable << 1 |
                      out.collector.readReq.bits.regs[2].enable << 2);
}

// pc on the issue port, 0 when it is not valid.
static uint32_t issuing(void) {
    look();
    return out.issue.valid ? (uint32_t)out.issue.bits.uop.pc : 0;
}

// Admit instructions without sources: each can be dispatched in the next cycle.
static void admit_ready(uint32_t warp, uint32_t pc) {
    admit(op(warp, pc, 9, NONE, NONE, NONE), 0);
}

// One cycle in which the request fires, one in which it is answered.
static void collect(uint32_t entry, uint32_t enables) {
    take_request();
    (void)cycle();
    CHECK(out.collector.readReq.valid == 1);
    respond(entry, enables);
    (void)cycle();
}

/* ---- admission ---- */

static void reservation_station_admits_into_the_lowest_row_that_was_free(void) {
    start(4);
    for (uint32_t r = 0; r < 4; r++) { // all wait for a write-back
        look();
        CHECK(out.admit.ready == 1);
        admit(op(0, 0x10 + r, 9, 30 + (int)r, NONE, NONE), 1);
        (void)cycle();
    }
    look();
    CHECK(out.admit.ready == 0);
    static const uint32_t order[] = {2, 0, 3, 1};
    for (uint32_t k = 0; k < 4; k++) { // the row an instruction is in shows as it asks
        write_back((uint16_t)(30 + order[k]));
        (void)cycle();
        CHECK_MSG(asking() == order[k], "row %u", order[k]);
        CHECK(out.collector.readReq.bits.pc == 0x10 + order[k]);
        take_request();
        (void)cycle();
        respond(0, 1);
        in.issue.ready = 1;
        (void)cycle();
    }
}

static void reservation_station_offers_the_room_of_a_dispatch_one_cycle_later(void) {
    start(1);
    admit_ready(0, 0x10);
    (void)cycle();
    in.issue.ready = 1;
    admit_ready(0, 0x14);
    (void)cycle(); // the row leaves here
    CHECK(out.admit.ready == 0);
    admit_ready(0, 0x14);
    (void)cycle();
    CHECK(out.admit.ready == 1 && out.issue.bits.uop.pc == 0x10);
}

static void reservation_station_takes_opready_and_busy_as_offered(void) {
    start(4);
    admit(op(0, 0x10, 9, 4, 5, NONE), 2); // rs2 is busy
    (void)cycle();
    CHECK(asking() == IDLE_ROW);
    write_back(4); // not awaited
    (void)cycle();
    CHECK(asking() == IDLE_ROW);
    write_back(5);
    (void)cycle();
    CHECK(out.collector.readReq.valid == 0); // seen one cycle later
    CHECK(asking() == 0 && enables_shown() == 3);
}

/* ---- collect request ---- */

static void reservation_station_asks_for_all_operands_of_a_row_at_once(void) {
    for (uint32_t has = 1; has < 8; has++) {
        start(4);
        admit(op(0, 0x10, 9, has & 1u ? 4 : NONE, has & 2u ? 0 : NONE, has & 4u ? 6 : NONE), 0);
        (void)cycle();
        CHECK(asking() == 0 && enables_shown() == has); // register 0 is asked for like others
        CHECK(out.collector.readReq.bits.regs[0].pReg == (has & 1u ? 4 : 0));
        CHECK(out.collector.readReq.bits.regs[1].pReg == 0);
        CHECK(out.collector.readReq.bits.regs[2].pReg == (has & 4u ? 6 : 0));
    }
}

static void reservation_station_request_waits_for_ready_and_is_not_repeated(void) {
    start(4);
    admit(op(0, 0x10, 9, 4, NONE, NONE), 0);
    (void)cycle();
    (void)cycle();
    CHECK(asking() == 0);
    take_request();
    (void)cycle();
    CHECK(asking() == IDLE_ROW);
}

static void reservation_station_lowest_row_asks_first(void) {
    start(4);
    admit(op(0, 0x10, 9, 30, NONE, NONE), 1);
    (void)cycle();
    admit(op(0, 0x14, 9, 31, NONE, NONE), 0);
    (void)cycle();
    admit(op(0, 0x18, 9, 32, NONE, NONE), 0);
    (void)cycle();
    CHECK(asking() == 1);
    write_back(30);
    (void)cycle();
    CHECK(asking() == 0);
    take_request();
    (void)cycle();
    CHECK(asking() == 1);
}

static void reservation_station_ports_show_stale_rows_while_valid_is_low(void) {
    start(2);
    CHECK(asking() == IDLE_ROW && enables_shown() == 0);
    CHECK(out.collector.readReq.bits.rsEntryId == 1);    // the last row, none being all-ready
    CHECK(out.collector.readReq.bits.regs[0].pReg == 0); // reset cleared it
    CHECK(out.collector.readReq.bits.pc == 0);
    admit(op(0, 0x10, 9, 40, NONE, NONE), 1);
    (void)cycle();
    admit(op(0, 0x14, 9, 4, 5, 6), 2); // row 1: rs2 is busy, rs1 and rs3 are needed
    (void)cycle();
    CHECK(asking() == IDLE_ROW && enables_shown() == 0);
    CHECK(out.collector.readReq.bits.rsEntryId == 1);
    CHECK(out.collector.readReq.bits.regs[0].pReg == 4);
    CHECK(out.collector.readReq.bits.regs[1].pReg == 0); // not needed while busy
    CHECK(out.collector.readReq.bits.regs[2].pReg == 6);
    CHECK(out.collector.readReq.bits.pc == 0x14);
    CHECK(care.collector.readReq.bits.regs[0].pReg == 0xff); // and is compared
    write_back(5);
    (void)cycle();
    collect(3, 7);
    (void)cycle();
    CHECK(asking() == IDLE_ROW); // row 1 is freed and keeps its contents
    CHECK(st.valid == 1);
    CHECK(out.collector.readReq.bits.pc == 0x14 && out.collector.readReq.bits.rsEntryId == 1);
    CHECK(out.collector.readReq.bits.regs[0].pReg == 0); // collected: needed no more
}

static void reservation_station_busy_row_does_not_ask_in_parts_unless_allowed(void) {
    for (uint32_t partial = 0; partial < 2; partial++) {
        start(4);
        cfg.allow_partial_collect = partial;
        admit(op(0, 0x10, 9, 4, 5, NONE), 2);
        (void)cycle();
        CHECK_MSG(asking() == (partial ? 0 : IDLE_ROW), "partial %u", partial);
        CHECK(enables_shown() == partial);
    }
}

/* ---- collect response ---- */

static void reservation_station_response_takes_pending_reads_away(void) {
    start(4);
    admit(op(0, 0x10, 9, 4, 0, 4), 0);
    (void)cycle();
    take_request();
    (void)cycle();
    CHECK(out.scb.updateColl.enable == 0);
    respond(5, 7);
    (void)cycle();
    CHECK(out.scb.updateColl.enable == 1);
    CHECK(out.scb.updateColl.reads[0].pReg == 4 && out.scb.updateColl.reads[0].decr == 1);
    CHECK(out.scb.updateColl.reads[1].pReg == 0 && out.scb.updateColl.reads[1].decr == 0); // x0
    CHECK(out.scb.updateColl.reads[2].pReg == 4 && out.scb.updateColl.reads[2].decr == 1);
    CHECK(out.scb.updateColl.reads[0].incr == 0 && out.scb.updateColl.write.decr == 0);
    respond(5, 7); // a second time nobody waits for it
    (void)cycle();
    CHECK(out.scb.updateColl.enable == 1);
    CHECK(out.scb.updateColl.reads[0].pReg == 0 && out.scb.updateColl.reads[0].decr == 0);
}

static void reservation_station_update_of_collector_needs_response_and_enable_only(void) {
    start(4); // no row at all
    respond(1, 4);
    look();
    CHECK(out.scb.updateColl.enable == 1 && out.scb.updateColl.reads[2].decr == 0);
    respond(1, 0);
    look();
    CHECK(out.scb.updateColl.enable == 0);
    respond(1, 7);
    in.collector.readResp.valid = 0;
    look();
    CHECK(out.scb.updateColl.enable == 0);
    memset(&in, 0, sizeof in);
}

static void reservation_station_response_reaches_only_operands_asked_for(void) {
    start(4);
    cfg.forward_coll_issue = 1;
    admit(op(0, 0x10, 9, 4, 5, NONE), 0);
    (void)cycle();
    respond(1, 7); // before the request has fired
    (void)cycle();
    CHECK(out.scb.updateColl.reads[0].decr == 0);
    take_request();
    (void)cycle();
    respond(1, 2); // half of it
    (void)cycle();
    CHECK(out.scb.updateColl.reads[0].decr == 0 && out.scb.updateColl.reads[1].decr == 1);
    CHECK(issuing() == 0);
    respond(1, 1);
    (void)cycle();
    CHECK(issuing() == 0x10);
}

static void reservation_station_entry_is_forwarded_in_the_cycle_of_the_response(void) {
    for (uint32_t forward = 0; forward < 2; forward++) {
        start(4);
        cfg.forward_coll_issue = forward;
        admit(op(0, 0x10, 9, 4, NONE, NONE), 0);
        (void)cycle();
        take_request();
        (void)cycle();
        respond(5, 1);
        (void)cycle();
        CHECK_MSG(issuing() == (forward ? 0x10u : 0u), "forward %u", forward);
        respond(6, 0); // the entry's number moves on
        (void)cycle();
        CHECK(issuing() == 0x10);
        CHECK_MSG(out.collector.readData.req.bits.collEntry == 5, "forward %u", forward);
    }
}

static void reservation_station_keeps_the_entry_of_a_row_that_waits_for_the_stage(void) {
    start(4);
    admit_ready(0, 0x10); // fills the stage
    (void)cycle();
    admit(op(1, 0x14, 9, 4, NONE, NONE), 0);
    (void)cycle();
    collect(5, 1);
    respond(6, 0);
    in.issue.ready = 1;
    (void)cycle();
    CHECK(issuing() == 0x14 && out.collector.readData.req.bits.collEntry == 5);
}

/* ---- dispatch and issue ---- */

static void reservation_station_stage_is_one_deep_and_passes_under_back_pressure(void) {
    start(4);
    admit_ready(0, 0x10);
    (void)cycle();
    CHECK(issuing() == 0);
    admit_ready(1, 0x14);
    (void)cycle();
    admit_ready(2, 0x18);
    (void)cycle();
    for (uint32_t i = 0; i < 3; i++) { // full and not taken: it stays, rows stay
        CHECK(issuing() == 0x10);
        (void)cycle();
    }
    CHECK(st.valid == 3);
    for (uint32_t i = 0; i < 3; i++) { // content leaves and content enters in one cycle
        CHECK_MSG(issuing() == 0x10 + 4 * i, "issue %u: %x", i, issuing());
        in.issue.ready = 1;
        (void)cycle();
    }
    CHECK(issuing() == 0);
}

static void reservation_station_ready_of_issue_does_not_empty_what_is_empty(void) {
    start(4);
    in.issue.ready = 1;
    admit_ready(0, 0x10);
    (void)cycle();
    in.issue.ready = 1;
    (void)cycle();
    CHECK(out.issue.valid == 0);
    CHECK(issuing() == 0x10);
}

static void reservation_station_reads_operands_as_the_instruction_is_issued(void) {
    start(4);
    admit(op(0, 0x10, 9, 4, NONE, 6), 0);
    (void)cycle();
    collect(5, 5);
    CHECK(issuing() == 0x10);
    CHECK(out.collector.readData.req.valid == 0 && out.collector.readData.req.bits.collEntry == 5);
    CHECK(out.collector.readData.req.bits.regs[0].enable == 0);
    in.issue.ready = 1;
    (void)cycle();
    CHECK(out.collector.readData.req.valid == 1 && out.collector.readData.req.bits.collEntry == 5);
    CHECK(out.collector.readData.req.bits.regs[0].enable == 1);
    CHECK(out.collector.readData.req.bits.regs[1].enable == 0);
    CHECK(out.collector.readData.req.bits.regs[2].enable == 1);
    in.issue.ready = 1; // empty: the entry is shown on
    look();
    CHECK(out.collector.readData.req.valid == 0 && out.collector.readData.req.bits.collEntry == 5);
    CHECK(out.collector.readData.req.bits.regs[0].enable == 0);
    memset(&in, 0, sizeof in);
}

static void reservation_station_instruction_without_source_reads_no_operand(void) {
    start(4);
    admit_ready(0, 0x10);
    (void)cycle();
    (void)cycle();
    in.issue.ready = 1;
    (void)cycle();
    CHECK(out.issue.valid == 1 && out.collector.readData.req.valid == 0);
    CHECK(out.collector.readData.req.bits.regs[0].enable == 0);
}

static void reservation_station_dispatch_goes_round(void) {
    start(4);
    for (uint32_t r = 0; r < 4; r++) { // four rows wait for one write-back
        admit(op(r, 0x10 + 4 * r, 9, 30, NONE, NONE), 1);
        (void)cycle();
    }
    write_back(30);
    (void)cycle();
    for (uint32_t r = 0; r < 4; r++) {
        CHECK(asking() == r);
        take_request();
        (void)cycle();
    }
    st.opReady[0] = 0xf; // as if all were answered at once
    static const uint32_t order[] = {1, 2, 3, 0};
    for (uint32_t k = 0; k < 4; k++) {
        in.issue.ready = 1;
        (void)cycle();
        CHECK_MSG(issuing() == 0x10 + 4 * order[k], "dispatch %u: %x", k, issuing());
    }
}

static void reservation_station_last_does_not_move_while_the_stage_is_full(void) {
    start(4);
    for (uint32_t r = 0; r < 4; r++) {
        admit_ready(r, 0x10 + 4 * r);
        (void)cycle(); // 0x10 leaves row 0, which takes 0x18; 0x14 is in row 1, 0x1c in row 2
    }
    CHECK(issuing() == 0x10);
    (void)cycle();
    in.issue.ready = 1;
    (void)cycle();
    CHECK(issuing() == 0x14); // row 1 comes behind row 0, however many cycles that took
}

static void reservation_station_issue_port_shows_the_entry_bit_for_bit(void) {
    uint64_t words[64], shown[256], cared[256];
    static wlk_port ports[1024];
    start(4);
    const uint32_t *params = (const uint32_t *)&cfg;
    const uint32_t n = wlk_reservation_station_table.ports(params, NULL, ports, 1024);
    uint32_t bits = 0;
    if (!CHECK(n <= 1024)) {
        return;
    }
    for (uint32_t p = 0; p < n; p++) {
        static const char prefix[] = "io_admit_bits_ibufEntry_";
        char other[WLK_MAX_NAME + 32];
        wlk_step_info info;
        if (strncmp(ports[p].name, prefix, sizeof prefix - 1) != 0 || !ports[p].present) {
            continue;
        }
        (void)snprintf(other, sizeof other, "io_issue_bits_%s", ports[p].name + sizeof prefix - 1);
        for (uint32_t b = 0; b < ports[p].width; b++) {
            start(4);
            admit_ready(0, 0);
            memset(&in.admit.bits.ibufEntry, 0, sizeof in.admit.bits.ibufEntry);
            wlk_reservation_station_in_pack(&cfg, &in, words);
            wlk_port_set(&ports[p], words, UINT64_C(1) << b);
            wlk_reservation_station_block.tick(params, &st, words, &info);
            memset(&in, 0, sizeof in);
            (void)cycle();
            wlk_reservation_station_in_pack(&cfg, &in, words);
            wlk_reservation_station_block.eval(params, &st, words, shown, cared);
            for (uint32_t k = 0; k < n; k++) {
                if (strncmp(ports[k].name, "io_issue_bits_", 14) == 0) {
                    const bool same = strcmp(ports[k].name, other) == 0;
                    CHECK_MSG(wlk_port_get(&ports[k], shown) == (same ? UINT64_C(1) << b : 0u),
                              "%s to %s", ports[p].name, ports[k].name);
                    CHECK(wlk_port_get(&ports[k], cared) == wlk_mask(ports[k].width));
                    bits += same;
                }
            }
        }
    }
    CHECK_MSG(bits == 113 + 2 + 32 + 2 + 2 + 1 + 1 + 4, "%u bits", bits);
}

/* ---- the stage's contents have no reset ---- */

static bool stage_cared(void) {
    return care.issue.bits.uop.pc == UINT32_MAX && care.issue.bits.uop.wid == 3 &&
           care.collector.readData.req.bits.collEntry == 7;
}

static bool stage_hidden(void) {
    return care.issue.bits.uop.pc == 0 && care.issue.bits.uop.inst.essentials_31 == 0 &&
           care.issue.bits.token.index == 0 && care.collector.readData.req.bits.collEntry == 0;
}

static void reservation_station_stage_contents_have_no_reset(void) {
    start(4);
    look();
    CHECK(stage_hidden()); // unknown until the first dispatch
    CHECK(care.issue.valid == 1 && out.issue.valid == 0);
    CHECK(care.collector.readData.req.valid == 1 && out.collector.readData.req.valid == 0);
    CHECK(care.collector.readData.req.bits.regs[0].enable == 1);
    admit(op(2, 0x10, 9, 4, NONE, NONE), 0);
    (void)cycle();
    collect(5, 1);
    look();
    CHECK(stage_cared() && out.issue.bits.uop.pc == 0x10);
    in.reset = 1;
    (void)cycle();
    look();
    CHECK(out.issue.valid == 0 && stage_cared());
    CHECK(out.issue.bits.uop.pc == 0x10 && out.issue.bits.uop.wid == 2);
    CHECK(out.collector.readData.req.bits.collEntry == 5);
}

static void reservation_station_dispatch_in_a_reset_cycle_loads_the_stage_contents(void) {
    start(4);
    admit_ready(3, 0x10);
    (void)cycle();
    in.reset = 1;
    (void)cycle();
    look();
    CHECK(out.issue.valid == 0 && stage_cared());
    CHECK(out.issue.bits.uop.pc == 0x10 && out.issue.bits.uop.wid == 3);
    admit_ready(0, 0x14); // and `last` has moved to row 0
    (void)cycle();
    CHECK(st.last == 1);
}

// Before the first edge in reset the rows are unknown, and so is what they dispatch.
static void reservation_station_dispatch_before_reset_defines_nothing(void) {
    power_up(4, WLK_POWER_UNKNOWN);
    look();
    CHECK(care.admit.ready == 0 && care.issue.valid == 0 && stage_hidden());
    admit_ready(0, 0x10);
    (void)cycle();
    (void)cycle();
    in.reset = 1;
    (void)cycle();
    look();
    CHECK(stage_hidden() && care.issue.valid == 1 && out.issue.valid == 0);
    admit_ready(0, 0x10);
    (void)cycle();
    look();
    CHECK(stage_hidden());
    CHECK(st.last == 0xf);
}

static void reservation_station_stage_is_known_after_power_up_zero(void) {
    power_up(4, WLK_POWER_ZERO);
    look();
    CHECK(stage_cared() && out.issue.bits.uop.pc == 0 && out.admit.ready == 1);
}

/* ---- write-back ---- */

static void reservation_station_write_back_wakes_every_operand_that_waits(void) {
    start(4);
    admit(op(0, 0x10, 9, 4, 4, NONE), 3);
    (void)cycle();
    admit(op(1, 0x14, 9, NONE, 4, NONE), 2);
    (void)cycle();
    write_back(4);
    (void)cycle();
    CHECK(out.collector.readReq.valid == 0);
    CHECK(asking() == 0 && enables_shown() == 3);
    take_request();
    (void)cycle();
    CHECK(asking() == 1 && enables_shown() == 2);
}

static void reservation_station_write_back_without_valid_wakes_nothing(void) {
    start(4);
    admit(op(0, 0x10, 9, 4, NONE, NONE), 1);
    (void)cycle();
    write_back(4);
    in.writeback.valid = 0;
    (void)cycle();
    CHECK(asking() == IDLE_ROW);
}

static void reservation_station_write_back_of_register_0_wakes_nothing(void) {
    start(4);
    admit(op(0, 0x10, 9, 0, NONE, NONE), 1); // outside the protocol
    (void)cycle();
    write_back(0);
    (void)cycle();
    CHECK(asking() == IDLE_ROW);
}

static void reservation_station_write_back_reaches_rows_in_the_table_only(void) {
    start(4);
    admit(op(0, 0x10, 9, 4, NONE, NONE), 1);
    write_back(4); // of the admission's cycle: what Hazard offers counts
    (void)cycle();
    CHECK(asking() == IDLE_ROW);
    write_back(4);
    (void)cycle();
    CHECK(asking() == 0);
}

static void reservation_station_write_back_goes_to_the_scoreboard(void) {
    start(4);
    write_back(200);
    look();
    CHECK(out.scb.updateWB.enable == 1 && out.scb.updateWB.write.pReg == 200);
    CHECK(out.scb.updateWB.write.decr == 1 && out.scb.updateWB.write.incr == 0);
    in.writeback.valid = 0;
    look();
    CHECK(out.scb.updateWB.enable == 0 && out.scb.updateWB.write.pReg == 0);
    CHECK(out.scb.updateWB.write.decr == 0);
    memset(&in, 0, sizeof in);
}

/* ---- in_order_per_warp ---- */

static void reservation_station_in_order_holds_younger_rows_of_the_warp(void) {
    start(4);
    cfg.in_order_per_warp = 1;
    admit(op(0, 0x10, 9, 30, NONE, NONE), 1);
    (void)cycle();
    admit_ready(0, 0x14); // younger, complete
    (void)cycle();
    admit_ready(1, 0x18); // another warp
    (void)cycle();
    in.issue.ready = 1;
    (void)cycle(); // 0x18 is dispatched here
    CHECK(issuing() == 0x18);
    in.issue.ready = 1;
    (void)cycle();
    CHECK(issuing() == 0);
    write_back(30);
    (void)cycle();
    collect(2, 1);
    CHECK(issuing() == 0x10);
    in.issue.ready = 1;
    (void)cycle();
    CHECK(issuing() == 0x14);
}

static void reservation_station_in_order_request_waits_for_older_rows_to_have_asked(void) {
    start(4);
    cfg.in_order_per_warp = 1;
    admit(op(0, 0x10, 9, 30, NONE, NONE), 1);
    (void)cycle();
    admit(op(0, 0x14, 9, 4, NONE, NONE), 0);
    (void)cycle();
    CHECK(asking() == IDLE_ROW);
    CHECK(out.collector.readReq.bits.rsEntryId == 3);
    write_back(30);
    (void)cycle();
    CHECK(asking() == 0);
    take_request();
    (void)cycle();
    CHECK(asking() == 1); // the older one has asked; its answer is not awaited
}

static void reservation_station_without_in_order_younger_rows_pass(void) {
    start(4);
    admit(op(0, 0x10, 9, 30, NONE, NONE), 1);
    (void)cycle();
    admit(op(0, 0x14, 9, 4, NONE, NONE), 0);
    (void)cycle();
    CHECK(asking() == 1);
    collect(2, 1);
    CHECK(issuing() == 0x14);
}

// One warp; every third instruction waits for a write-back that comes now and then, so that younger
// ones are complete before it. Answers each request. Instructions issued; *wrong: out of order.
static uint32_t run_one_warp(uint32_t cycles, uint32_t *wrong) {
    uint32_t next = 0, issued = 0, answer = 0;
    *wrong = 0;
    for (uint32_t c = 0; c < cycles; c++) {
        const bool waits = next % 3u == 0u;
        admit(op(0, 0x1000 + next, 9, waits ? 30 : NONE, NONE, NONE), waits);
        in.issue.ready = c % 5u != 0u;
        take_request();
        if (answer != 0u) {
            respond(1, answer);
        }
        if (c % 11u == 0u) {
            write_back(30);
        }
        look();
        next += out.admit.ready;
        answer = out.collector.readReq.valid ? enables_shown() : 0u;
        if (out.issue.valid && in.issue.ready) {
            *wrong += out.issue.bits.uop.pc != 0x1000 + issued++;
        }
        (void)cycle();
    }
    return issued;
}

// Numbers of ceil(log2 rows)+1 bits wrap; the order of a warp's rows must not.
static void reservation_station_in_order_survives_the_wrap_of_sequence_numbers(void) {
    static const uint32_t sizes[] = {1, 2, 4, 5, 8, 32};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const uint32_t rows = sizes[s];
        uint32_t wrong;
        for (uint32_t in_order = 0; in_order < 2; in_order++) {
            start(rows);
            cfg.in_order_per_warp = in_order;
            const uint32_t issued = run_one_warp(400 + 20 * rows, &wrong);
            CHECK_MSG(issued > 4 * rows, "%u rows: %u", rows, issued);
            CHECK_MSG((wrong == 0) == (in_order || rows == 1), "%u rows: %u out of order", rows,
                      wrong);
        }
    }
}

/* ---- counters ---- */

static void reservation_station_counts_rows_of_the_state_before_the_edge(void) {
    start(4);
    admit_ready(1, 0x10);
    (void)cycle(); // no row yet
    admit(op(2, 0x14, 9, 30, NONE, NONE), 1);
    (void)cycle(); // one row, a candidate
    (void)cycle(); // one row, waiting
    look();
    CHECK(out.perf.cyclesDispatched == 2 && out.perf.cyclesEligible == 1);
    CHECK(out.perf.accRsOccupancy == 2);
    CHECK(out.perf.perWarp[1].cyclesDispatched == 1 && out.perf.perWarp[1].cyclesEligible == 1);
    CHECK(out.perf.perWarp[2].cyclesDispatched == 1 && out.perf.perWarp[2].cyclesEligible == 0);
    CHECK(out.perf.perWarp[0].cyclesDispatched == 0 && out.perf.perWarp[3].cyclesDispatched == 0);
}

static void reservation_station_counts_a_warp_once_however_many_rows_it_has(void) {
    start(4);
    admit_ready(0, 0x10); // fills the stage
    (void)cycle();
    admit_ready(1, 0x14);
    (void)cycle();
    admit_ready(1, 0x18);
    (void)cycle();
    in.softReset = 1;
    (void)cycle();
    (void)cycle(); // two rows of warp 1, candidates that the stage does not accept
    look();
    CHECK(out.perf.cyclesDispatched == 1 && out.perf.cyclesEligible == 1);
    CHECK(out.perf.accRsOccupancy == 2);
    CHECK(out.perf.perWarp[1].cyclesDispatched == 1 && out.perf.perWarp[1].cyclesEligible == 1);
    CHECK(out.perf.perWarp[0].cyclesDispatched == 0);
}

static void reservation_station_eligible_counts_behind_the_in_order_rule(void) {
    for (uint32_t in_order = 0; in_order < 2; in_order++) {
        start(4);
        cfg.in_order_per_warp = in_order;
        admit(op(0, 0x10, 9, 30, NONE, NONE), 1);
        (void)cycle();
        admit_ready(0, 0x14);
        (void)cycle();
        (void)cycle();
        look();
        CHECK_MSG(out.perf.cyclesEligible == !in_order, "in_order %u", in_order);
        CHECK(out.perf.perWarp[0].cyclesEligible == !in_order);
    }
}

static void reservation_station_eligible_counts_a_forwarded_response(void) {
    for (uint32_t forward = 0; forward < 2; forward++) {
        start(4);
        cfg.forward_coll_issue = forward;
        admit(op(0, 0x10, 9, 4, NONE, NONE), 0);
        (void)cycle();
        collect(1, 1);
        look();
        CHECK_MSG(out.perf.cyclesEligible == forward, "forward %u", forward);
    }
}

static void reservation_station_counts_offers_that_find_no_room(void) {
    start(1);
    admit(op(0, 0x10, 9, 30, NONE, NONE), 1);
    (void)cycle();
    cfg.num_warps = 4;
    for (uint32_t i = 0; i < 3; i++) {
        admit_ready(2, 0x14);
        (void)cycle();
    }
    look();
    CHECK(out.perf.perWarp[2].stallsRSFull == 3 && out.perf.perWarp[0].stallsRSFull == 0);
}

static void reservation_station_counters_have_64_bits(void) {
    start(1);
    cfg.num_warps = 2;
    st.cyclesDispatched = UINT32_MAX;
    st.cyclesEligible = UINT32_MAX;
    st.accRsOccupancy = UINT64_MAX;
    for (uint32_t n = 0; n < WLK_RESERVATION_STATION_COUNTERS; n++) {
        st.perWarp[1][n] = UINT32_MAX;
    }
    admit_ready(1, 0x10);
    (void)cycle();
    admit_ready(1, 0x14);
    (void)cycle();
    look();
    CHECK(out.perf.cyclesDispatched == UINT64_C(1) << 32);
    CHECK(out.perf.cyclesEligible == UINT64_C(1) << 32);
    CHECK(out.perf.accRsOccupancy == 0);
    CHECK(out.perf.perWarp[1].cyclesDispatched == UINT64_C(1) << 32);
    CHECK(out.perf.perWarp[1].cyclesEligible == UINT64_C(1) << 32);
    CHECK(out.perf.perWarp[1].stallsRSFull == UINT64_C(1) << 32);
}

static void reservation_station_soft_reset_clears_counters_and_nothing_else(void) {
    start(1);
    admit(op(0, 0x10, 9, 30, NONE, NONE), 1);
    (void)cycle();
    admit_ready(0, 0x14);
    (void)cycle();
    admit_ready(0, 0x14); // this cycle would count in every counter
    st.opReady[0] = 1;
    st.busy[0] = 0;
    in.softReset = 1;
    (void)cycle();
    look();
    CHECK(out.perf.cyclesDispatched == 0 && out.perf.cyclesEligible == 0);
    CHECK(out.perf.accRsOccupancy == 0 && out.perf.perWarp[0].cyclesDispatched == 0);
    CHECK(out.perf.perWarp[0].cyclesEligible == 0 && out.perf.perWarp[0].stallsRSFull == 0);
    CHECK(issuing() == 0x10); // the dispatch went on
}

/* ---- reset, rules, API ---- */

static void reservation_station_reset_in_mid_run_clears_rows_and_counters(void) {
    start(2);
    admit(op(0, 0x10, 9, 4, 5, NONE), 0);
    (void)cycle();
    take_request();
    admit(op(1, 0x14, 9, 30, NONE, NONE), 1);
    (void)cycle();
    in.reset = 1;
    respond(1, 3);
    admit_ready(0, 0x18);
    (void)cycle();
    look();
    CHECK(out.admit.ready == 1 && out.issue.valid == 0);
    CHECK(asking() == IDLE_ROW && out.collector.readReq.bits.pc == 0); // rows' contents too
    CHECK(out.collector.readReq.bits.regs[0].pReg == 0);
    CHECK(out.perf.accRsOccupancy == 0 && out.perf.cyclesDispatched == 0);
    respond(1, 3); // nobody waits for it any more
    (void)cycle();
    CHECK(out.scb.updateColl.reads[0].decr == 0);
    admit(op(0, 0x20, 9, 6, NONE, NONE), 0); // collFired is clear again
    (void)cycle();
    CHECK(asking() == 0);
}

static void reservation_station_tells_a_collected_operand_that_is_busy(void) {
    start(4);
    admit(op(0, 0x10, 9, NONE, NONE, NONE), 1); // ready and busy at once
    CHECK(cycle() == 0);
    CHECK(cycle() == (uint32_t)WLK_RESERVATION_STATION_COLLECTED_OPERAND_BUSY);
    start(4);
    admit(op(0, 0x10, 9, 4, NONE, NONE), 1);
    CHECK(cycle() == 0);
    CHECK(cycle() == 0);
}

static void reservation_station_check_refuses_in_order_with_fewer_rows_than_warps(void) {
    wlk_error err;
    start(4);
    cfg.num_warps = 5;
    CHECK(wlk_reservation_station_check(&cfg, &err) == WLK_OK);
    cfg.in_order_per_warp = 1;
    CHECK(wlk_reservation_station_check(&cfg, &err) == WLK_BAD_CONFIG);
    CHECK_MSG(strstr(err.text, "rs_entries=4") && strstr(err.text, "num_warps=5"), "%s", err.text);
    cfg.num_warps = 4;
    CHECK(wlk_reservation_station_check(&cfg, &err) == WLK_OK);
}

static void reservation_station_is_drained_when_rows_and_stage_are_empty(void) {
    const uint32_t *words = (const uint32_t *)&cfg;
    start(4);
    CHECK(wlk_reservation_station_block.drained(words, &st));
    admit_ready(0, 0x10);
    (void)cycle();
    CHECK(!wlk_reservation_station_block.drained(words, &st));
    (void)cycle();
    CHECK(st.valid == 0 && !wlk_reservation_station_block.drained(words, &st));
    in.issue.ready = 1;
    (void)cycle();
    CHECK(wlk_reservation_station_block.drained(words, &st));
}

static void reservation_station_snapshot_is_a_copy(void) {
    start(4);
    admit(op(0, 0x10, 9, 4, NONE, NONE), 0);
    (void)cycle();
    const wlk_reservation_station_state copy = st;
    CHECK(wlk_reservation_station_state_size(&cfg) <= sizeof copy);
    collect(3, 1);
    CHECK(issuing() == 0x10);
    st = copy;
    CHECK(issuing() == 0 && asking() == 0);
}

static void reservation_station_eval_changes_nothing(void) {
    start(4);
    admit_ready(0, 0x10);
    (void)cycle();
    admit_ready(0, 0x14);
    const wlk_reservation_station_state before = st;
    look();
    CHECK(memcmp((const void *)&before, (const void *)&st, sizeof st) == 0);
    memset(&in, 0, sizeof in);
}

int main(void) {
    reservation_station_admits_into_the_lowest_row_that_was_free();
    reservation_station_offers_the_room_of_a_dispatch_one_cycle_later();
    reservation_station_takes_opready_and_busy_as_offered();
    reservation_station_asks_for_all_operands_of_a_row_at_once();
    reservation_station_request_waits_for_ready_and_is_not_repeated();
    reservation_station_lowest_row_asks_first();
    reservation_station_ports_show_stale_rows_while_valid_is_low();
    reservation_station_busy_row_does_not_ask_in_parts_unless_allowed();
    reservation_station_response_takes_pending_reads_away();
    reservation_station_update_of_collector_needs_response_and_enable_only();
    reservation_station_response_reaches_only_operands_asked_for();
    reservation_station_entry_is_forwarded_in_the_cycle_of_the_response();
    reservation_station_keeps_the_entry_of_a_row_that_waits_for_the_stage();
    reservation_station_stage_is_one_deep_and_passes_under_back_pressure();
    reservation_station_ready_of_issue_does_not_empty_what_is_empty();
    reservation_station_reads_operands_as_the_instruction_is_issued();
    reservation_station_instruction_without_source_reads_no_operand();
    reservation_station_dispatch_goes_round();
    reservation_station_last_does_not_move_while_the_stage_is_full();
    reservation_station_issue_port_shows_the_entry_bit_for_bit();
    reservation_station_stage_contents_have_no_reset();
    reservation_station_dispatch_in_a_reset_cycle_loads_the_stage_contents();
    reservation_station_dispatch_before_reset_defines_nothing();
    reservation_station_stage_is_known_after_power_up_zero();
    reservation_station_write_back_wakes_every_operand_that_waits();
    reservation_station_write_back_without_valid_wakes_nothing();
    reservation_station_write_back_of_register_0_wakes_nothing();
    reservation_station_write_back_reaches_rows_in_the_table_only();
    reservation_station_write_back_goes_to_the_scoreboard();
    reservation_station_in_order_holds_younger_rows_of_the_warp();
    reservation_station_in_order_request_waits_for_older_rows_to_have_asked();
    reservation_station_without_in_order_younger_rows_pass();
    reservation_station_in_order_survives_the_wrap_of_sequence_numbers();
    reservation_station_counts_rows_of_the_state_before_the_edge();
    reservation_station_counts_a_warp_once_however_many_rows_it_has();
    reservation_station_eligible_counts_behind_the_in_order_rule();
    reservation_station_eligible_counts_a_forwarded_response();
    reservation_station_counts_offers_that_find_no_room();
    reservation_station_counters_have_64_bits();
    reservation_station_soft_reset_clears_counters_and_nothing_else();
    reservation_station_reset_in_mid_run_clears_rows_and_counters();
    reservation_station_tells_a_collected_operand_that_is_busy();
    reservation_station_check_refuses_in_order_with_fewer_rows_than_warps();
    reservation_station_is_drained_when_rows_and_stage_are_empty();
    reservation_station_snapshot_is_a_copy();
    reservation_station_eval_changes_nothing();
    return check_done();
}

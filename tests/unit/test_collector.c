// SPDX-License-Identifier: Apache-2.0
// The collector's rules one by one, through its structs. Spec sections are those of muon-issue.
#include "check.h"
#include "warplock/collector.h"

#include <stdlib.h>
#include <string.h>

static wlk_collector_cfg cfg;
static wlk_collector_state st;
static wlk_collector_in in; // of the next cycle(); idle again after it
static wlk_collector_out out, care;

/* ---- driving ---- */

static void power_up(uint32_t lanes, uint32_t entries, wlk_power_up how) {
    wlk_error err;
    wlk_config_defaults(&wlk_collector_table, (uint32_t *)&cfg);
    cfg.num_lanes = lanes;
    cfg.coll_entries = entries;
    CHECK(wlk_collector_check(&cfg, &err) == WLK_OK);
    wlk_collector_init(&cfg, &st, how);
    memset(&in, 0, sizeof in);
}

static void look(void) {
    wlk_collector_eval(&cfg, &st, &in, &out, &care);
}

// Outputs into out and care, then the edge; the next inputs are idle.
static uint32_t cycle(void) {
    look();
    const uint32_t violated = wlk_collector_tick(&cfg, &st, &in);
    memset(&in, 0, sizeof in);
    return violated;
}

static void reset(void) {
    in.reset = 1;
    (void)cycle();
}

static void start(uint32_t lanes, uint32_t entries) {
    power_up(lanes, entries, WLK_POWER_UNKNOWN);
    reset();
}

static void request(uint32_t enables, uint16_t a, uint16_t b, uint16_t c) {
    const uint16_t pregs[3] = {a, b, c};
    in.readReq.valid = 1;
    for (uint32_t i = 0; i < 3; i++) {
        in.readReq.bits.regs[i].enable = enables >> i & 1u;
        in.readReq.bits.regs[i].pReg = pregs[i];
    }
}

static uint32_t value_of(uint16_t preg, uint32_t lane, uint32_t generation) {
    return generation << 24 | (uint32_t)preg << 8 | (lane + 1u);
}

static void write_lanes(uint16_t preg, uint64_t tmask, uint32_t generation) {
    in.writeReq.valid = 1;
    in.writeReq.bits.regs[0].enable = 1;
    in.writeReq.bits.regs[0].pReg = preg;
    in.writeReq.bits.regs[0].tmask = tmask;
    for (uint32_t lane = 0; lane < cfg.num_lanes; lane++) {
        in.writeReq.bits.regs[0].data[lane / 2u] |= (uint64_t)value_of(preg, lane, generation)
                                                    << (lane % 2u * 32u);
    }
}

static void show(uint32_t entry) {
    in.readData.req.bits.collEntry = (uint8_t)entry;
}

static void read_data(uint32_t entry, uint32_t enables) {
    show(entry);
    in.readData.req.valid = 1;
    for (uint32_t i = 0; i < 3; i++) {
        in.readData.req.bits.regs[i].enable = enables >> i & 1u;
    }
}

static uint32_t lane_of(const uint64_t *data, uint32_t lane) {
    return (uint32_t)(data[lane / 2u] >> (lane % 2u * 32u));
}

static uint32_t lane_shown(uint32_t operand, uint32_t lane) {
    return lane_of(out.readData.resp.bits[operand].data, lane);
}

static uint32_t lane_care(uint32_t operand, uint32_t lane) {
    return lane_of(care.readData.resp.bits[operand].data, lane);
}

// Collect one operand 0 and let it land; the id it got.
static uint32_t collect(uint16_t preg) {
    request(1, preg, 0, 0);
    (void)cycle();
    (void)cycle();
    return out.readResp.bits.collEntry;
}

// What operand 0 of an entry shows in a cycle that changes nothing.
static void peek(uint32_t entry) {
    show(entry);
    look();
    memset(&in, 0, sizeof in);
}

static void fill_table(void) {
    for (uint32_t i = 0; i < cfg.coll_entries; i++) {
        request(7, 1, 2, 3);
        (void)cycle();
    }
}

/* ---- reset and power-up (spec, head) ---- */

static void reset_clears_table(void) {
    start(2, 4);
    fill_table();
    reset();
    look();
    CHECK(out.readReq.ready == 1 && care.readReq.ready == 1);
    CHECK(out.readResp.valid == 0 && out.readResp.bits.collEntry == 0);
    CHECK(out.readResp.bits.regs[0].enable == 0);
    for (uint32_t e = 0; e < 4; e++) {
        peek(e);
        CHECK(out.readData.resp.valid == 0);
    }
}

static void reset_clears_banks(void) {
    start(2, 2);
    write_lanes(5, 3, 1);
    (void)cycle();
    const uint32_t id = collect(5);
    peek(id);
    CHECK(lane_shown(0, 1) == value_of(5, 1, 1));
    reset();
    peek(id);
    CHECK(lane_shown(0, 1) == 0 && lane_care(0, 1) == UINT32_MAX);
    peek(collect(6)); // never written
    CHECK(lane_care(0, 1) == 0);
    reset();
    look();
    CHECK(lane_shown(0, 1) == 0 && lane_care(0, 1) == UINT32_MAX);
}

static void reset_keeps_register_file(void) {
    start(2, 2);
    write_lanes(5, 3, 1);
    (void)cycle();
    reset();
    peek(collect(5));
    CHECK(lane_shown(0, 0) == value_of(5, 0, 1) && lane_care(0, 0) == UINT32_MAX);
}

static void reset_cycle_writes_and_answers(void) {
    start(2, 2);
    write_lanes(9, 3, 2);
    in.reset = 1;
    (void)cycle();
    look();
    CHECK(out.writeResp.valid == 1);
    peek(collect(9));
    CHECK(lane_shown(0, 1) == value_of(9, 1, 2));
}

static void reset_drops_request(void) {
    start(2, 2);
    request(7, 1, 2, 3);
    in.reset = 1;
    (void)cycle();
    CHECK(out.readReq.ready == 1); // it does fire
    look();
    CHECK(out.readResp.valid == 0 && out.readResp.bits.regs[0].enable == 0);
    peek(0);
    CHECK(out.readData.resp.valid == 0);
}

// A request and a write of its register in a reset cycle.
static void reset_drops_collision(void) {
    for (uint32_t mode = 0; mode < 3; mode++) {
        start(2, 2);
        cfg.read_during_write = mode;
        write_lanes(5, 3, 1);
        (void)cycle();
        request(7, 5, 5, 5);
        write_lanes(5, 3, 2);
        in.reset = 1;
        (void)cycle();
        (void)cycle();
        peek(0);
        CHECK_MSG(lane_shown(0, 0) == 0 && lane_care(0, 0) == UINT32_MAX, "mode %u", mode);
        peek(collect(5));
        CHECK(lane_shown(0, 0) == value_of(5, 0, 2));
    }
}

static void reset_stops_landing(void) {
    start(2, 2);
    write_lanes(5, 3, 1);
    (void)cycle();
    request(1, 5, 0, 0);
    (void)cycle();
    reset(); // the edge at which it would land
    peek(0);
    CHECK(lane_shown(0, 0) == 0 && lane_care(0, 0) == UINT32_MAX);
}

static void power_up_hides_what_is_unknown(void) {
    power_up(2, 2, WLK_POWER_UNKNOWN);
    look();
    CHECK(care.readReq.ready == 0 && care.readResp.valid == 0);
    CHECK(care.readResp.bits.collEntry == 0 && care.readResp.bits.regs[2].enable == 0);
    CHECK(care.writeResp.valid == 0 && care.readData.resp.valid == 0);
    CHECK(lane_care(0, 0) == 0 && lane_care(2, 1) == 0);
    // Follow from the inputs alone, or are constant.
    CHECK(care.writeReq.ready == 1 && out.writeReq.ready == 1);
    CHECK(care.writeResp.bits.collEntry == 1 && out.writeResp.bits.collEntry == 0);
    CHECK(care.writeResp.bits.regs[0].enable == 1 && out.writeResp.bits.regs[0].enable == 1);
    CHECK(care.readData.resp.bits[1].enable == 1 && out.readData.resp.bits[1].enable == 0);
}

static void power_up_free_makes_ready_known(void) {
    power_up(2, 2, WLK_POWER_UNKNOWN);
    read_data(0, 2);
    look();
    CHECK(care.readReq.ready == 1 && out.readReq.ready == 1);
}

static void power_up_write_response_needs_one_edge(void) {
    power_up(2, 2, WLK_POWER_UNKNOWN);
    (void)cycle();
    look();
    CHECK(care.writeResp.valid == 1 && out.writeResp.valid == 0);
    CHECK(care.readResp.valid == 0);
}

static void power_up_write_lands_before_reset(void) {
    power_up(2, 2, WLK_POWER_UNKNOWN);
    write_lanes(4, 1, 3);
    (void)cycle();
    reset();
    peek(collect(4));
    CHECK(lane_shown(0, 0) == value_of(4, 0, 3) && lane_care(0, 0) == UINT32_MAX);
    CHECK(lane_care(0, 1) == 0);
}

static void power_up_zero_knows_all(void) {
    power_up(2, 2, WLK_POWER_ZERO);
    look();
    CHECK(care.readReq.ready == 1 && out.readReq.ready == 1);
    CHECK(care.writeResp.valid == 1 && out.writeResp.valid == 0);
    peek(collect(200));
    CHECK(lane_care(0, 0) == UINT32_MAX && lane_shown(0, 0) == 0);
}

/* ---- allocation ---- */

static void allocation_takes_lowest_free(void) {
    static const struct {
        uint32_t freed; // entries freed of a full table of four
        uint32_t id[2]; // what the next two requests get
    } cases[] = {{0x1, {0, 0}}, {0x2, {1, 1}}, {0x8, {3, 3}}, {0x6, {1, 2}},
                 {0x9, {0, 3}}, {0xc, {2, 3}}, {0xf, {0, 1}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start(1, 4);
        fill_table();
        for (uint32_t e = 0; e < 4; e++) {
            if (cases[i].freed >> e & 1u) {
                read_data(e, 1);
                CHECK(cycle() == 0);
            }
        }
        const uint32_t requests = cases[i].id[0] == cases[i].id[1] ? 1 : 2;
        for (uint32_t r = 0; r < requests; r++) {
            request(7, 1, 2, 3);
            (void)cycle();
            CHECK(out.readReq.ready == 1);
            look();
            CHECK_MSG(out.readResp.bits.collEntry == cases[i].id[r], "case %zu got %u", i,
                      out.readResp.bits.collEntry);
        }
    }
}

static void allocation_reuses_freed_id_although_another_is_free(void) {
    start(1, 4);
    for (uint32_t i = 0; i < 3; i++) { // 0, 1, 2 taken
        request(7, 1, 2, 3);
        (void)cycle();
    }
    read_data(0, 1);
    (void)cycle(); // 0 and 3 free
    read_data(2, 4);
    request(7, 1, 2, 3);
    CHECK(cycle() == 0);
    look();
    CHECK(out.readResp.valid == 1 && out.readResp.bits.collEntry == 2);
    static const uint8_t taken[4] = {0, 1, 1, 0};
    for (uint32_t e = 0; e < 4; e++) {
        peek(e);
        CHECK_MSG(out.readData.resp.valid == taken[e], "entry %u", e);
    }
}

static void allocation_waits_while_full(void) {
    start(1, 2);
    fill_table();
    request(7, 1, 2, 3);
    (void)cycle();
    CHECK(out.readReq.ready == 0);
    look();
    CHECK(out.readResp.valid == 0 && out.readResp.bits.collEntry == 1);
    CHECK(out.readResp.bits.regs[0].enable == 0);
    read_data(0, 1);
    request(7, 1, 2, 3);
    (void)cycle();
    CHECK(out.readReq.ready == 1);
    look();
    CHECK(out.readResp.valid == 1 && out.readResp.bits.collEntry == 0);
}

static void allocation_holds_the_last_id(void) {
    start(1, 8);
    for (uint32_t i = 0; i < 3; i++) {
        request(7, 1, 2, 3);
        (void)cycle();
    }
    (void)cycle();
    (void)cycle();
    CHECK(out.readResp.valid == 0 && out.readResp.bits.collEntry == 2);
    read_data(0, 1);
    (void)cycle();
    look();
    CHECK(out.readResp.bits.collEntry == 2);
}

static void allocation_that_waits_lands_nothing(void) {
    start(1, 1);
    write_lanes(5, 1, 1);
    (void)cycle();
    write_lanes(6, 1, 2);
    (void)cycle();
    (void)collect(5);
    request(7, 6, 6, 6);
    (void)cycle();
    (void)cycle();
    peek(0);
    CHECK(lane_shown(0, 0) == value_of(5, 0, 1));
}

static void allocation_needs_no_operand(void) {
    start(1, 2);
    request(0, 1, 2, 3);
    (void)cycle();
    look();
    CHECK(out.readResp.valid == 1);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK(out.readResp.bits.regs[i].enable == 0);
    }
    peek(0);
    CHECK(out.readData.resp.valid == 1);
}

static void free_needs_an_enable(void) {
    start(1, 1);
    fill_table();
    read_data(0, 0);
    CHECK(cycle() == 0);
    CHECK(out.readReq.ready == 0);
    peek(0);
    CHECK(out.readData.resp.valid == 1);
    for (uint32_t enable = 1; enable < 8; enable <<= 1) {
        read_data(0, enable);
        look();
        CHECK(out.readReq.ready == 1);
    }
    (void)cycle();
    peek(0);
    CHECK(out.readData.resp.valid == 0);
}

/* ---- responses and data ---- */

static void response_comes_one_cycle_later(void) {
    start(1, 2);
    request(5, 1, 2, 3);
    (void)cycle();
    CHECK(out.readResp.valid == 0);
    (void)cycle();
    CHECK(out.readResp.valid == 1);
    CHECK(out.readResp.bits.regs[0].enable == 1 && out.readResp.bits.regs[1].enable == 0 &&
          out.readResp.bits.regs[2].enable == 1);
    look();
    CHECK(out.readResp.valid == 0 && out.readResp.bits.regs[0].enable == 0);
}

static void data_shows_two_cycles_later(void) {
    start(1, 2);
    write_lanes(3, 1, 1);
    (void)cycle();
    request(2, 0, 3, 0);
    show(0);
    (void)cycle();
    show(0);
    (void)cycle();
    CHECK(lane_shown(1, 0) == 0);
    peek(0);
    CHECK(lane_shown(1, 0) == value_of(3, 0, 1));
}

static void data_is_shown_without_a_request(void) {
    start(1, 2);
    fill_table();
    peek(1);
    CHECK(out.readData.resp.valid == 1 && out.readData.resp.bits[0].enable == 0);
    in.readData.req.bits.regs[1].enable = 1; // valid is low
    look();
    CHECK(out.readData.resp.bits[1].enable == 0);
    in.readData.req.valid = 1;
    look();
    CHECK(out.readData.resp.bits[1].enable == 1 && out.readData.resp.bits[0].enable == 0);
}

static void data_of_operand_not_enabled_is_stale(void) {
    start(1, 1);
    write_lanes(3, 1, 1);
    (void)cycle();
    request(7, 3, 3, 3);
    (void)cycle();
    (void)cycle();
    read_data(0, 7);
    (void)cycle();
    write_lanes(4, 1, 2);
    (void)cycle();
    request(2, 4, 4, 4);
    (void)cycle();
    (void)cycle();
    peek(0);
    CHECK(lane_shown(0, 0) == value_of(3, 0, 1) && lane_care(0, 0) == UINT32_MAX);
    CHECK(lane_shown(1, 0) == value_of(4, 0, 2));
    CHECK(lane_shown(2, 0) == value_of(3, 0, 1));
}

static void operands_are_independent(void) {
    start(2, 2);
    for (uint16_t r = 1; r < 4; r++) {
        write_lanes(r, 3, 5);
        (void)cycle();
    }
    request(7, 3, 1, 2);
    (void)cycle();
    (void)cycle();
    peek(0);
    CHECK(lane_shown(0, 1) == value_of(3, 1, 5) && lane_shown(1, 1) == value_of(1, 1, 5) &&
          lane_shown(2, 1) == value_of(2, 1, 5));
}

/* ---- writes ---- */

static void write_is_answered_one_cycle_later(void) {
    static const struct {
        uint8_t valid, enable;
        uint16_t preg;
        uint8_t answered;
    } cases[] = {{1, 1, 5, 1}, {1, 1, 0, 1}, {1, 0, 5, 0}, {0, 1, 5, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start(1, 2);
        write_lanes(cases[i].preg, 1, 1);
        in.writeReq.valid = cases[i].valid;
        in.writeReq.bits.regs[0].enable = cases[i].enable;
        (void)cycle();
        CHECK(out.writeResp.valid == 0);
        (void)cycle();
        CHECK_MSG(out.writeResp.valid == cases[i].answered, "case %zu", i);
        look();
        CHECK(out.writeResp.valid == 0);
    }
}

static void write_without_enable_changes_nothing(void) {
    start(1, 2);
    write_lanes(5, 1, 1);
    (void)cycle();
    write_lanes(5, 1, 2);
    in.writeReq.bits.regs[0].enable = 0;
    (void)cycle();
    write_lanes(5, 1, 3);
    in.writeReq.valid = 0;
    (void)cycle();
    peek(collect(5));
    CHECK(lane_shown(0, 0) == value_of(5, 0, 1));
}

static void write_keeps_lanes_without_mask(void) {
    start(4, 2);
    write_lanes(5, 0xf, 1);
    (void)cycle();
    write_lanes(5, 0x6, 2);
    (void)cycle();
    peek(collect(5));
    static const uint32_t generation[4] = {1, 2, 2, 1};
    for (uint32_t lane = 0; lane < 4; lane++) {
        CHECK(lane_shown(0, lane) == value_of(5, lane, generation[lane]));
    }
}

static void write_makes_lanes_known_one_by_one(void) {
    start(4, 2);
    write_lanes(5, 0x2, 1);
    (void)cycle();
    peek(collect(5));
    for (uint32_t lane = 0; lane < 4; lane++) {
        CHECK_MSG(lane_care(0, lane) == (lane == 1 ? UINT32_MAX : 0), "lane %u", lane);
    }
    write_lanes(5, 0xd, 2);
    (void)cycle();
    peek(collect(5));
    for (uint32_t lane = 0; lane < 4; lane++) {
        CHECK(lane_care(0, lane) == UINT32_MAX);
    }
}

static void write_reaches_last_register_and_lane(void) {
    power_up(64, 2, WLK_POWER_UNKNOWN);
    cfg.num_pregs = 1024;
    wlk_collector_init(&cfg, &st, WLK_POWER_UNKNOWN);
    reset();
    write_lanes(1023, ~UINT64_C(0), 1);
    (void)cycle();
    peek(collect(1023));
    CHECK(lane_shown(0, 63) == value_of(1023, 63, 1) && lane_care(0, 63) == UINT32_MAX);
}

static void x0_reads_zero(void) {
    start(2, 2);
    write_lanes(0, 3, 1);
    (void)cycle();
    peek(collect(0));
    CHECK(lane_shown(0, 0) == 0 && lane_care(0, 0) == UINT32_MAX);
    CHECK(lane_shown(0, 1) == 0 && lane_care(0, 1) == UINT32_MAX);
}

static void x0_overwrites_stale_data(void) {
    start(1, 1);
    write_lanes(3, 1, 1);
    (void)cycle();
    const uint32_t id = collect(3);
    read_data(id, 1);
    (void)cycle();
    peek(collect(0));
    CHECK(lane_shown(0, 0) == 0);
}

/* ---- a read and a write of one register ---- */

static void read_during_write(void) {
    static const struct {
        uint32_t mode;
        uint32_t generation; // shown on the lane written
        uint32_t care;
    } cases[] = {{WLK_COLLECTOR_READ_DURING_WRITE_NEW, 2, UINT32_MAX},
                 {WLK_COLLECTOR_READ_DURING_WRITE_OLD, 1, UINT32_MAX},
                 {WLK_COLLECTOR_READ_DURING_WRITE_UNDEFINED, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start(2, 2);
        cfg.read_during_write = cases[i].mode;
        write_lanes(5, 3, 1);
        (void)cycle();
        write_lanes(5, 1, 2);
        request(7, 5, 6, 5);
        (void)cycle();
        (void)cycle();
        peek(0);
        for (uint32_t operand = 0; operand < 3; operand += 2) {
            CHECK_MSG(lane_care(operand, 0) == cases[i].care, "case %zu", i);
            if (cases[i].care != 0) {
                CHECK(lane_shown(operand, 0) == value_of(5, 0, cases[i].generation));
            }
            CHECK(lane_shown(operand, 1) == value_of(5, 1, 1)); // not written
            CHECK(lane_care(operand, 1) == UINT32_MAX);
        }
        peek(collect(5)); // the write itself is done in every mode
        CHECK(lane_shown(0, 0) == value_of(5, 0, 2) && lane_care(0, 0) == UINT32_MAX);
    }
}

static void write_while_landing_is_not_seen(void) {
    for (uint32_t mode = 0; mode < 3; mode++) {
        start(1, 2);
        cfg.read_during_write = mode;
        write_lanes(5, 1, 1);
        (void)cycle();
        request(1, 5, 0, 0);
        (void)cycle();
        write_lanes(5, 1, 2);
        (void)cycle();
        peek(0);
        CHECK_MSG(lane_shown(0, 0) == value_of(5, 0, 1), "mode %u", mode);
        CHECK(lane_care(0, 0) == UINT32_MAX);
    }
}

/* ---- outside the protocol ---- */

static void entry_out_of_range_shows_entry_0(void) {
    start(1, 3);
    write_lanes(5, 1, 1);
    (void)cycle();
    (void)collect(5);
    peek(3);
    CHECK(out.readData.resp.valid == 1 && lane_shown(0, 0) == value_of(5, 0, 1));
}

static void entry_out_of_range_frees_nothing(void) {
    start(1, 3);
    fill_table();
    read_data(3, 1);
    CHECK(cycle() == (WLK_COLLECTOR_READDATA_UNALLOCATED | WLK_COLLECTOR_READDATA_OUT_OF_RANGE));
    CHECK(out.readReq.ready == 1); // freeNow does not look at the entry
    for (uint32_t e = 0; e < 3; e++) {
        peek(e);
        CHECK(out.readData.resp.valid == 1);
    }
}

static void entry_out_of_range_can_be_given(void) {
    start(1, 3);
    write_lanes(5, 1, 1);
    (void)cycle();
    fill_table();
    (void)cycle();
    read_data(3, 1);
    request(7, 5, 5, 5);
    (void)cycle();
    (void)cycle();
    CHECK(out.readResp.valid == 1 && out.readResp.bits.collEntry == 3);
    for (uint32_t e = 0; e < 3; e++) {
        peek(e);
        CHECK(out.readData.resp.valid == 1);
        CHECK(lane_care(0, 0) == 0); // registers 1 to 3, never written: nothing landed here
    }
}

static void violation_is_told_once_live(void) {
    power_up(1, 2, WLK_POWER_UNKNOWN);
    read_data(0, 1);
    CHECK(cycle() == 0); // before the first reset
    read_data(0, 1);
    in.reset = 1;
    CHECK(cycle() == 0); // in the first reset
    read_data(0, 1);
    in.reset = 1;
    CHECK(cycle() == 0); // and in a later one
    read_data(0, 0);
    CHECK(cycle() == WLK_COLLECTOR_READDATA_UNALLOCATED);
    show(1);
    CHECK(cycle() == 0); // valid is low
    request(7, 1, 2, 3);
    CHECK(cycle() == 0);
    read_data(0, 1);
    CHECK(cycle() == 0);
    read_data(0, 1);
    CHECK(cycle() == WLK_COLLECTOR_READDATA_UNALLOCATED); // freed twice
}

/* ---- the model as a value ---- */

static void snapshot_is_a_copy(void) {
    start(4, 2);
    const size_t bytes = (wlk_collector_state_size(&cfg) + 63u) / 64u * 64u;
    write_lanes(5, 0xf, 1);
    (void)cycle();
    request(7, 5, 5, 5);
    (void)cycle();
    wlk_collector_state *copy = aligned_alloc(64, bytes);
    if (copy == NULL) {
        abort();
    }
    memcpy(copy, &st, wlk_collector_state_size(&cfg));
    write_lanes(5, 0xf, 2); // the copy does not see this
    (void)cycle();
    (void)cycle();
    wlk_collector_in idle;
    memset(&idle, 0, sizeof idle);
    (void)wlk_collector_tick(&cfg, copy, &idle);
    wlk_collector_eval(&cfg, copy, &idle, &out, &care);
    CHECK(lane_shown(0, 3) == value_of(5, 3, 1));
    request(1, 5, 0, 0);
    (void)wlk_collector_tick(&cfg, copy, &in);
    memset(&in, 0, sizeof in);
    (void)wlk_collector_tick(&cfg, copy, &idle);
    idle.readData.req.bits.collEntry = 1;
    wlk_collector_eval(&cfg, copy, &idle, &out, &care);
    CHECK(lane_shown(0, 3) == value_of(5, 3, 1));
    free(copy);
}

static void eval_changes_nothing(void) {
    start(4, 2);
    write_lanes(5, 0xf, 1);
    request(7, 5, 5, 5);
    const size_t bytes = wlk_collector_state_size(&cfg);
    unsigned char *before = malloc(bytes);
    if (before == NULL) {
        abort();
    }
    memcpy(before, &st, bytes);
    look();
    CHECK(memcmp(before, &st, bytes) == 0);
    free(before);
    memset(&in, 0, sizeof in);
}

static void drained_needs_an_empty_table(void) {
    const uint32_t *words = (const uint32_t *)&cfg;
    start(1, 2);
    CHECK(wlk_collector_block.drained(words, &st));
    fill_table();
    CHECK(!wlk_collector_block.drained(words, &st));
    for (uint32_t e = 0; e < 2; e++) {
        read_data(e, 1);
        (void)cycle();
    }
    CHECK(wlk_collector_block.drained(words, &st));
}

static void forget_hides_lanes_written_from_x(void) {
    const uint32_t data = WLK_COLLECTOR_IN_CONTROL;
    uint64_t words[WLK_COLLECTOR_IN_CONTROL + 64], x[WLK_COLLECTOR_IN_CONTROL + 64];
    start(4, 2);
    write_lanes(5, 0xf, 1);
    (void)cycle();
    write_lanes(5, 0x3, 2);
    memset(x, 0, sizeof x);
    x[data] = UINT64_C(1) << 40; // a bit of lane 1
    x[data + 1u] = 1;            // lane 2, which is not written
    wlk_collector_in_pack(&cfg, &in, words);
    (void)cycle();
    wlk_collector_block.forget((const uint32_t *)&cfg, &st, words, x);
    peek(collect(5));
    static const uint32_t known[4] = {UINT32_MAX, 0, UINT32_MAX, UINT32_MAX};
    for (uint32_t lane = 0; lane < 4; lane++) {
        CHECK_MSG(lane_care(0, lane) == known[lane], "lane %u", lane);
    }
}

// A bank of one word has an address of one bit all the same, so that registers share it (§0).
static void check_refuses_banks_of_less_than_two_registers(void) {
    wlk_error err;
    power_up(1, 2, WLK_POWER_UNKNOWN);
    cfg.num_pregs = 16;
    cfg.reg_banks = 8;
    CHECK(wlk_collector_check(&cfg, &err) == WLK_OK);
    cfg.reg_banks = 16;
    CHECK(wlk_collector_check(&cfg, &err) == WLK_BAD_CONFIG);
    CHECK_MSG(strstr(err.text, "reg_banks=16 equals num_pregs") != NULL, "%s", err.text);
    CHECK_MSG(strstr(err.text, "share a word") != NULL, "%s", err.text);
    cfg.reg_banks = 32;
    CHECK(wlk_collector_check(&cfg, &err) == WLK_BAD_CONFIG);
    CHECK_MSG(strstr(err.text, "reg_banks=32 is more than") != NULL, "%s", err.text);
}

/* ---- banks of the register file ---- */

static void prf_bank_of_a_register(void) {
    static const struct {
        wlk_prf_select select;
        uint32_t preg, bank, row;
    } cases[] = {{WLK_PRF_UPPER, 0, 0, 0},    {WLK_PRF_UPPER, 63, 0, 63},
                 {WLK_PRF_UPPER, 64, 1, 0},   {WLK_PRF_UPPER, 255, 3, 63},
                 {WLK_PRF_MODULO, 0, 0, 0},   {WLK_PRF_MODULO, 63, 3, 15},
                 {WLK_PRF_MODULO, 64, 0, 16}, {WLK_PRF_MODULO, 255, 3, 63}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const wlk_prf_shape shape = {256, 4, 16, 32, cases[i].select};
        CHECK_MSG(wlk_prf_bank(&shape, cases[i].preg) == cases[i].bank, "case %zu", i);
        CHECK_MSG(wlk_prf_row(&shape, cases[i].preg) == cases[i].row, "case %zu", i);
    }
}

static void prf_conflict_is_of_two_registers_in_a_bank(void) {
    const wlk_prf_shape upper = {256, 4, 16, 32, WLK_PRF_UPPER};
    const wlk_prf_shape modulo = {256, 4, 16, 32, WLK_PRF_MODULO};
    CHECK(wlk_prf_conflict(&upper, 1, 2) && !wlk_prf_conflict(&upper, 1, 65));
    CHECK(!wlk_prf_conflict(&modulo, 1, 2) && wlk_prf_conflict(&modulo, 1, 65));
    CHECK(!wlk_prf_conflict(&upper, 7, 7));
}

int main(void) {
    reset_clears_table();
    reset_clears_banks();
    reset_keeps_register_file();
    reset_cycle_writes_and_answers();
    reset_drops_request();
    reset_drops_collision();
    reset_stops_landing();
    power_up_hides_what_is_unknown();
    power_up_free_makes_ready_known();
    power_up_write_response_needs_one_edge();
    power_up_write_lands_before_reset();
    power_up_zero_knows_all();
    allocation_takes_lowest_free();
    allocation_reuses_freed_id_although_another_is_free();
    allocation_waits_while_full();
    allocation_holds_the_last_id();
    allocation_that_waits_lands_nothing();
    allocation_needs_no_operand();
    free_needs_an_enable();
    response_comes_one_cycle_later();
    data_shows_two_cycles_later();
    data_is_shown_without_a_request();
    data_of_operand_not_enabled_is_stale();
    operands_are_independent();
    write_is_answered_one_cycle_later();
    write_without_enable_changes_nothing();
    write_keeps_lanes_without_mask();
    write_makes_lanes_known_one_by_one();
    write_reaches_last_register_and_lane();
    x0_reads_zero();
    x0_overwrites_stale_data();
    read_during_write();
    write_while_landing_is_not_seen();
    entry_out_of_range_shows_entry_0();
    entry_out_of_range_frees_nothing();
    entry_out_of_range_can_be_given();
    violation_is_told_once_live();
    snapshot_is_a_copy();
    eval_changes_nothing();
    drained_needs_an_empty_table();
    forget_hides_lanes_written_from_x();
    check_refuses_banks_of_less_than_two_registers();
    prf_bank_of_a_register();
    prf_conflict_is_of_two_registers_in_a_bank();
    return check_done();
}

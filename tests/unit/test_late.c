// SPDX-License-Identifier: Apache-2.0
// A checker that starts without the reset: what is compared when, and what makes it start anew.
#include "check.h"
#include "rig.h"
#include "warplock/checker.h"
#include "warplock/opndcoll_rtl.h"

static struct {
    rig rtl; // a model that plays it
    wlk_checker *checker;
    uint64_t *x;    // of inputs, then of outputs
    uint64_t *next; // outputs of the next cycle, or NULL
} s;

#define put(...) rig_put(&s.rtl, __VA_ARGS__)

static void open_late(const char *block, const char *settings) {
    const wlk_checker_options options = {.scope = "dut", .late = true};
    wlk_error err;
    memset(&s, 0, sizeof s);
    rig_open(&s.rtl, block, settings, WLK_POWER_ZERO);
    s.x = rig_words(&s.rtl, s.rtl.layout.in_words + s.rtl.layout.out_words);
    REQUIRE(wlk_checker_open(&s.checker, s.rtl.block, s.rtl.cfg, &options, &err) == WLK_OK, "%s",
            err.text);
}

static void close_late(void) {
    wlk_checker_close(s.checker);
    rig_close(&s.rtl);
}

// One cycle of the inputs at hand; @p flip: an output of one bit that shows the other value.
static int step(const char *flip) {
    rig_record(&s.rtl);
    if (flip != NULL) {
        rig_set(&s.rtl, flip, rig_get(&s.rtl, flip) ^ 1u);
    }
    const uint64_t *out_x = s.x + s.rtl.layout.in_words;
    const int first =
        wlk_checker_step_late(s.checker, s.rtl.in, s.x, s.rtl.out, out_x, s.next, out_x);
    rig_idle(&s.rtl);
    return first;
}

static uint64_t compared(const char *port) {
    const wlk_port *p = rig_port(&s.rtl, port);
    return wlk_checker_compared(s.checker, (uint32_t)(p - s.rtl.ports));
}

#define WRITES "hazard_warps_0_readRd_pendingWrites"

static int read_rd(const char *flip) {
    put("hazard_warps_0_readRd_enable hazard_warps_0_readRd_pReg=5");
    return step(flip);
}

CASE(count_is_compared_once_it_was_shown) {
    open_late("scoreboard", "num_warps=1");
    CHECK(read_rd(NULL) == 0);
    CHECK(compared(WRITES) == 0); // it was learned
    CHECK(read_rd(NULL) == 0);
    CHECK(compared(WRITES) == 1);
    CHECK(read_rd(WRITES) == 1);
    CHECK(wlk_checker_result_get(s.checker, false).verdict == WLK_FUNCTIONAL_MISMATCH);
    CHECK(wlk_checker_result_get(s.checker, false).first_cycle == 2);
    close_late();
}

static uint64_t waived_cycles(void) {
    uint32_t n = 0;
    const wlk_waiver_hits *hits = wlk_checker_waived(s.checker, &n);
    REQUIRE(n == 1, "%u numbers", n);
    return hits[0].cycles;
}

CASE(what_is_waived_teaches_nothing) {
    open_late("scoreboard", "num_warps=1");
    wlk_error err;
    CHECK(wlk_checker_waive(s.checker, "scoreboard 0 io_" WRITES " 1", &err) == WLK_OK);
    CHECK(read_rd(WRITES) == 0); // another value than the register has
    put("hazard_warps_0_readRs1_enable hazard_warps_0_readRs1_pReg=5");
    CHECK(step(NULL) == 0);
    CHECK(waived_cycles() == 0);
    CHECK(read_rd(WRITES) == 0);
    CHECK(waived_cycles() == 1); // the count is known since the cycle before
    close_late();
}

// That the read takes the second entry would mean that the first one is taken.
CASE(what_is_waived_in_the_next_cycle_teaches_nothing) {
    open_late("collector", "num_lanes=1 num_pregs=16 coll_entries=2");
    wlk_error err;
    CHECK(wlk_checker_waive(s.checker, "collector 0 io_readResp_bits_collEntry 1", &err) == WLK_OK);
    s.next = rig_words(&s.rtl, s.rtl.layout.out_words);
    wlk_port_set(rig_port(&s.rtl, "readResp_valid"), s.next, 1);
    wlk_port_set(rig_port(&s.rtl, "readResp_bits_collEntry"), s.next, 1);
    put("readReq_valid readReq_bits_regs_0_enable readReq_bits_regs_0_pReg=3");
    put("readData_req_bits_collEntry"); // shows that the second entry is free
    CHECK(step(NULL) == 0);
    s.next = NULL;
    CHECK(step("readResp_bits_collEntry") == 0);
    CHECK(step(NULL) == 0);
    close_late();
}

// Whether it was pending is unknown, so its end is taken both ways.
CASE(count_is_known_when_it_is_seen_after_a_write_back) {
    open_late("scoreboard", "num_warps=1");
    put("updateWB_enable updateWB_write_pReg=5 updateWB_write_decr");
    CHECK(step("updateWB_success") == 0); // whether there was one is unknown
    CHECK(read_rd(NULL) == 0);
    CHECK(compared(WRITES) == 1); // 0 without a read
    CHECK(read_rd(WRITES) == 1);
    close_late();
}

CASE(gap_starts_anew) {
    open_late("scoreboard", "num_warps=1");
    CHECK(read_rd(NULL) == 0);
    wlk_checker_gap(s.checker);
    CHECK(read_rd(WRITES) == 0);
    CHECK(read_rd(NULL) == 1); // another value than it showed behind the gap
    CHECK(wlk_checker_result_get(s.checker, false).forgotten == 1);
    close_late();
}

CASE(x_before_anything_is_known_starts_anew) {
    open_late("reservation_station", "");
    wlk_port_set(rig_port(&s.rtl, "issue_ready"), s.x, 1u);
    CHECK(step(NULL) == 0);
    memset(s.x, 0, s.rtl.layout.in_words * sizeof *s.x);
    CHECK(step(NULL) == 0);
    const wlk_checker_result r = wlk_checker_result_get(s.checker, false);
    CHECK(r.skipped == 1);
    CHECK(r.verdict == WLK_VACUOUS);
    close_late();
}

CASE(reset_in_the_record_makes_all_known) {
    open_late("reservation_station", "");
    put("reset");
    CHECK(step(NULL) == 0);
    CHECK(compared("perf_cyclesDispatched") == 0);
    CHECK(step(NULL) == 0);
    CHECK(compared("perf_cyclesDispatched") == 64);
    close_late();
}

CASE(block_that_cannot_waits_for_a_reset) {
    open_late("reservation_station", "");
    wlk_block simple = *s.rtl.block; // as a user's block may be
    simple.late = NULL;
    const wlk_checker_options options = {.scope = "dut", .late = true};
    wlk_error err;
    wlk_checker_close(s.checker);
    REQUIRE(wlk_checker_open(&s.checker, &simple, s.rtl.cfg, &options, &err) == WLK_OK, "%s",
            err.text);
    CHECK(step(NULL) == 0);
    CHECK(!wlk_checker_result_get(s.checker, false).late);
    CHECK(wlk_checker_result_get(s.checker, false).verdict == WLK_NO_RESET);
    close_late();
}

// ---- the document's collectors ----------------------------------------------------------------

#define BANKED "num_lanes=1 collector=src_banked "
#define DATA_1 "readData_resp_1_data_0"

// A cycle before the dump begins.
static void unseen(void) {
    rig_record(&s.rtl);
    rig_idle(&s.rtl);
}

static void read_register(uint32_t lane, uint32_t entry, uint32_t preg) {
    put("readReq_regs_%u_enable readReq_regs_%u_opIdx=%u readReq_regs_%u_collEntry=%u", lane, lane,
        lane, lane, entry);
    put("readReq_regs_%u_pReg=%u", lane, preg);
}

// An operand is read and lands.
static void load(uint32_t lane, uint32_t entry, uint32_t preg) {
    read_register(lane, entry, preg);
    CHECK(step(NULL) == 0);
    CHECK(step(NULL) == 0);
}

static int show(uint32_t entry, const char *flip) {
    put("readData_req_collEntry=%u", entry);
    return step(flip);
}

CASE(row_that_is_shown_tells_its_register) {
    open_late("collector_x", BANKED);
    CHECK(step(NULL) == 0);
    load(0, 0, 7);
    CHECK(show(0, NULL) == 0); // register 7, as operand 0
    load(1, 1, 7);
    const uint64_t before = compared(DATA_1);
    CHECK(show(1, NULL) == 0);
    CHECK(compared(DATA_1) == before + 32);
    CHECK(show(1, DATA_1) == 1);
    close_late();
}

CASE(row_written_since_tells_nothing_of_its_register) {
    open_late("collector_x", BANKED);
    CHECK(step(NULL) == 0);
    load(0, 1, 7);
    put("writeReq_valid writeReq_commit writeReq_regs_0_pReg=7 writeReq_regs_0_tmask=1 "
        "writeReq_regs_0_data_0=5");
    wlk_port_set(rig_port(&s.rtl, "writeReq_regs_0_data_0"), s.x, 4u);
    CHECK(step(NULL) == 0);
    memset(s.x, 0, s.rtl.layout.in_words * sizeof *s.x);
    CHECK(show(1, NULL) == 0); // the old value
    load(1, 1, 7);
    CHECK(show(1, NULL) == 0);
    CHECK(show(1, DATA_1) == 1);
    close_late();
}

CASE(copies_may_hold_what_they_held) {
    open_late("collector_x", "num_lanes=1");
    CHECK(step(NULL) == 0);
    load(0, 0, 7);
    CHECK(show(0, NULL) == 0);
    load(1, 1, 7); // from the copy of operand 1
    const uint64_t before = compared(DATA_1);
    CHECK(show(1, DATA_1) == 0);
    CHECK(compared(DATA_1) == before);
    close_late();
}

CASE(room_shows_which_entries_are_taken) {
    open_late("collector_x", BANKED "coll_depth=3");
    for (uint32_t i = 0; i < 2; i++) {
        put("alloc_valid");
        unseen();
    }
    CHECK(step(NULL) == 0);
    CHECK(compared("room_0_collEntry") == 0);
    CHECK(step(NULL) == 0);
    CHECK(compared("room_0_collEntry") == 2);
    put("alloc_valid"); // the last one
    CHECK(step(NULL) == 0);
    CHECK(compared("room_0_collEntry") == 4);
    put("readData_req_valid readData_req_regs_0_enable readData_req_collEntry=1");
    CHECK(step(NULL) == 0);
    CHECK(step("room_0_collEntry") == 1);
    close_late();
}

CASE(room_that_cannot_be_is_a_difference) {
    open_late("collector_x", BANKED);
    CHECK(step(NULL) == 0); // entry 0 is free
    put("alloc_valid");
    CHECK(step(NULL) == 0);
    CHECK(step("room_0_collEntry") == 1); // entry 0, and none is known to be free
    close_late();
}

#define HIT "bind_regs_0_hit"

static int bind(uint32_t preg, const char *flip) {
    put("bind_valid bind_regs_0_enable bind_regs_0_pReg=%u", preg);
    return step(flip);
}

CASE(hit_tells_what_a_slot_holds) {
    open_late("collector_x", "num_lanes=1 collector=caching coll_depth=3");
    put("bind_valid bind_regs_0_enable bind_regs_0_pReg=3");
    unseen();
    read_register(0, 0, 3);
    unseen();
    unseen();
    CHECK(step(NULL) == 0);
    const uint64_t before = compared(HIT); // without bind it is 0
    CHECK(bind(3, NULL) == 0);
    CHECK(compared(HIT) == before);
    CHECK(bind(3, NULL) == 0);
    CHECK(compared(HIT) == before + 1);
    CHECK(bind(3, HIT) == 1);
    close_late();
}

CASE(written_register_misses) {
    open_late("collector_x", "num_lanes=1 collector=caching coll_depth=3");
    CHECK(step(NULL) == 0);
    put("writeReq_valid writeReq_commit writeReq_regs_0_pReg=3");
    CHECK(step(NULL) == 0);
    const uint64_t before = compared(HIT);
    CHECK(bind(3, NULL) == 0);
    CHECK(compared(HIT) == before + 1);
    CHECK(bind(3, HIT) == 1); // whether slot 0 is used follows, too
    close_late();
}

CASE(slot_of_a_miss_is_used) {
    open_late("collector_x", "num_lanes=1 collector=caching coll_depth=1");
    CHECK(step(NULL) == 0);
    CHECK(bind(3, NULL) == 0); // slot 0
    const uint64_t before = compared("bind_ready");
    CHECK(bind(4, NULL) == 0); // none left
    CHECK(compared("bind_ready") == before + 1);
    CHECK(bind(4, "bind_ready") == 1);
    close_late();
}

CASE(nothing_is_learned_beside_an_x) {
    open_late("collector_x", BANKED);
    put("writeReq_valid writeReq_commit writeReq_regs_0_pReg=7 writeReq_regs_0_tmask=1 "
        "writeReq_regs_0_data_0=5");
    unseen();
    read_register(0, 1, 7);
    unseen();
    unseen();
    CHECK(step(NULL) == 0);
    wlk_port_set(rig_port(&s.rtl, "readData_req_collEntry"), s.x, 1u);
    put("readData_req_collEntry"); // and shows entry 1
    rig_record(&s.rtl);
    rig_idle(&s.rtl); // in the dump an X is 0
    CHECK(wlk_checker_step_late(s.checker, s.rtl.in, s.x, s.rtl.out, s.x + s.rtl.layout.in_words,
                                NULL, NULL) == 0);
    memset(s.x, 0, s.rtl.layout.in_words * sizeof *s.x);
    CHECK(show(0, NULL) == 0);
    close_late();
}

// ---- the document's issue stage ---------------------------------------------------------------

#define OCCUPANCY "perfRS_accRsOccupancy"
#define HITS      "perfDesign_cacheHits"
#define CACHING                                                                                    \
    "num_warps=1 num_lanes=1 num_pregs=8 collector=caching coll_alloc=eager alloc_order=age"

// A cycle of which the next one is seen too.
static int step_seen(const char *flip) {
    const uint32_t in_words = s.rtl.layout.in_words, out_words = s.rtl.layout.out_words;
    uint64_t *idle = calloc(in_words + 2u * out_words, sizeof *idle), *next = idle + in_words;
    REQUIRE(idle != NULL, "no memory");
    rig_record(&s.rtl);
    s.rtl.block->eval(s.rtl.cfg, s.rtl.state, idle, next, next + out_words);
    if (flip != NULL) {
        rig_set(&s.rtl, flip, rig_get(&s.rtl, flip) ^ 1u);
    }
    const int first = wlk_checker_step_late(s.checker, s.rtl.in, s.x, s.rtl.out, s.x + in_words,
                                            next, s.x + in_words);
    rig_idle(&s.rtl);
    free(idle);
    return first;
}

static void offer_reader(uint32_t preg) {
    put("ibuf_0_valid ibuf_0_bits_uop_inst_essentials_23 ibuf_0_bits_uop_inst_essentials_4=%u",
        preg);
}

static void run_seen(uint32_t cycles) {
    for (uint32_t n = 0; n < cycles; n++) {
        put("issue_ready");
        CHECK(step_seen(NULL) == 0);
    }
}

CASE(stage_without_rows_is_known) {
    open_late("issue_x", "num_warps=1");
    run_seen(1);
    CHECK(compared(OCCUPANCY) == 0);
    run_seen(1);
    CHECK(compared(OCCUPANCY) == 64);
    CHECK(step_seen("issue_valid") == 1);
    close_late();
}

CASE(stage_waits_until_no_write_can_be_stored) {
    open_late("issue_x", "num_warps=1 war=epoch wb_buffer=2");
    run_seen(3); // one goes in each of the first two
    CHECK(compared(OCCUPANCY) == 0);
    run_seen(1);
    CHECK(compared(OCCUPANCY) == 64);
    close_late();
}

CASE(stage_with_a_row_waits) {
    open_late("issue_x", "num_warps=1");
    offer_reader(5);
    unseen();
    for (uint32_t n = 0; n < 3; n++) { // it leaves for the output stage in the second
        CHECK(step_seen(NULL) == 0);
        CHECK(compared(OCCUPANCY) == 0);
    }
    CHECK(step_seen(NULL) == 0);
    CHECK(compared(OCCUPANCY) == 64);
    put("issue_ready");
    CHECK(step_seen("issue_valid") == 1);
    close_late();
}

// A register that is cached when the dump begins, or is not: both may be, until it is counted.
static void read_cached(bool is_cached) {
    open_late("issue_x", CACHING);
    offer_reader(is_cached ? 5 : 6);
    unseen();
    for (uint32_t n = 0; n < 6; n++) {
        put("issue_ready");
        unseen();
    }
    run_seen(2);
    offer_reader(5);
    run_seen(4);
    CHECK(rig_get(&s.rtl, HITS) == is_cached);
    CHECK(compared(HITS) >= 64);
    CHECK(step_seen(HITS) == 1);
    close_late();
}

CASE(cached_register_is_found) {
    read_cached(true);
}

CASE(register_that_is_not_cached_is_read) {
    read_cached(false);
}

CASE(stage_reports_broken_rules_once_all_is_known) {
    open_late("issue_x", "num_warps=1 num_lanes=1 num_pregs=2 collector=inst_banked coll_banks=3");
    run_seen(2);
    put("ibuf_0_bits_uop_fuSel=3");
    offer_reader(1); // whether it waits for a write is not known
    CHECK(step_seen(NULL) == 0);
    run_seen(6);
    CHECK(wlk_checker_result_get(s.checker, false).violated == 0);
    put("ibuf_0_bits_uop_fuSel=3");
    offer_reader(1);
    CHECK(step_seen(NULL) == 1);
    CHECK(wlk_checker_result_get(s.checker, false).verdict == WLK_PROTOCOL_VIOLATION);
    close_late();
}

// ---- GPGPU-Sim's operand collector --------------------------------------------------------------

#define FLAT                                                                                       \
    "sub_core_model=0 num_sched_per_core=3 num_reg_banks=4 num_units=4 in_ports=3 out_ports=2 "    \
    "num_kinds=1 id_width=3 ex_width=4 src_slots=1 num_warps=4 num_regs=16"

// Cycles before the dump, or of it, without an issue; what is in OC_EX is taken.
static void before_the_dump(uint32_t cycles) {
    for (uint32_t i = 0; i < cycles; i++) {
        put("io_take_0_ready");
        rig_record(&s.rtl);
        rig_idle(&s.rtl);
    }
}

static void let_it_drain(uint32_t cycles) {
    for (uint32_t i = 0; i < cycles; i++) {
        put("io_take_0_ready");
        CHECK(step(NULL) == 0);
    }
}

// Each of some ports issues an instruction of the warp of its number.
static void put_issues(uint32_t ports) {
    for (uint32_t i = 0; i < ports; i++) {
        put("io_issue_%u_valid io_issue_%u_bits_wid=%u", i, i, i);
    }
}

// One goes through, which tells the numbers of all later ones.
static void show_one(void) {
    CHECK(step(NULL) == 0);
    put_issues(1);
    CHECK(step(NULL) == 0);
    let_it_drain(4);
}

CASE(opndcoll_is_followed_from_an_empty_cycle_on) {
    open_late("opndcoll", FLAT);
    CHECK(step(NULL) == 0);
    CHECK(compared("io_busy") == 0);
    put_issues(1);
    CHECK(step(NULL) == 0);
    CHECK(compared("io_busy") == 4);
    CHECK(step(NULL) == 0);
    CHECK(step("io_busy") == 1);
    close_late();
}

CASE(opndcoll_is_not_followed_while_something_is_in_it) {
    open_late("opndcoll", FLAT);
    put_issues(1);
    rig_record(&s.rtl);
    rig_idle(&s.rtl);
    for (uint32_t i = 0; i < 10; i++) {
        CHECK(step(NULL) == 0); // in ID_OC, in a unit, in OC_EX
    }
    CHECK(compared("io_busy") == 0);
    let_it_drain(2);
    CHECK(step(NULL) == 0);
    CHECK(compared("io_busy") == 4);
    close_late();
}

CASE(opndcoll_number_is_learned_at_the_first_take) {
    open_late("opndcoll", FLAT);
    put_issues(2);
    rig_record(&s.rtl);
    rig_idle(&s.rtl);
    before_the_dump(6);
    CHECK(step(NULL) == 0);
    put_issues(1);
    CHECK(step(NULL) == 0);
    CHECK(step(NULL) == 0);
    CHECK(step(NULL) == 0);
    CHECK(compared("io_take_0_bits_uid") == 3 * 32);
    CHECK(step(NULL) == 0);
    CHECK(rig_get(&s.rtl, "io_take_0_bits_uid") == 3);
    CHECK(compared("io_take_0_bits_uid") == 3 * 32); // it was learned
    CHECK(step("io_take_0_bits_uid") == 1);
    close_late();
}

CASE(opndcoll_numbers_may_wrap) {
    open_late("opndcoll", FLAT);
    ((wlk_opndcoll_rtl_state *)s.rtl.state)->uid = UINT32_MAX - 1u;
    CHECK(step(NULL) == 0);
    put_issues(2); // the second one has number 0 and is the older one
    for (uint32_t i = 0; i < 5; i++) {
        CHECK(step(NULL) == 0);
    }
    CHECK(rig_get(&s.rtl, "io_take_0_bits_uid") == 0);
    CHECK(rig_get(&s.rtl, "io_take_0_bits_wid") == 1);
    put("io_take_0_ready");
    CHECK(step(NULL) == 0);
    CHECK(rig_get(&s.rtl, "io_take_0_bits_uid") == 0);
    CHECK(step("io_take_0_bits_uid") == 1);
    close_late();
}

CASE(opndcoll_numbers_are_followed_from_0_on) {
    open_late("opndcoll", FLAT);
    CHECK(step(NULL) == 0);
    for (uint32_t i = 0; i < 4; i++) {
        put_issues(3);
        CHECK(step(NULL) == 0);
    }
    CHECK(rig_get(&s.rtl, "io_take_0_bits_uid") == 2); // unit 0 is the last one
    CHECK(step("io_take_0_bits_uid") == 1);
    close_late();
}

CASE(opndcoll_last_is_learned_at_a_dispatch) {
    open_late("opndcoll", FLAT);
    put_issues(3); // dispatch unit 1 leaves its last at unit 2
    rig_record(&s.rtl);
    rig_idle(&s.rtl);
    before_the_dump(8);
    show_one();
    put_issues(3);
    CHECK(step(NULL) == 0);
    CHECK(step(NULL) == 0);
    const uint64_t before = compared("io_dispatch_unit_1");
    put("io_take_0_ready");
    CHECK(step(NULL) == 0);
    CHECK(rig_get(&s.rtl, "io_dispatch_unit_1") == 0); // and not 2, as behind a reset
    CHECK(compared("io_dispatch_unit_1") == before);
    let_it_drain(5);
    put_issues(3);
    let_it_drain(2);
    CHECK(step("io_dispatch_unit_1") == 1);
    close_late();
}

#define BY_SLOT                                                                                    \
    "revision=v42 num_reg_banks=4 num_sched_per_core=2 id_width=2 num_units=4 in_ports=2 "         \
    "out_ports=2 num_kinds=1 ex_width=3 src_slots=1 num_warps=4 num_regs=16"

CASE(opndcoll_slots_are_empty_once_named) {
    open_late("opndcoll", BY_SLOT);
    for (uint32_t i = 0; i < 5; i++) {
        put("io_take_0_by_slot io_take_0_slot=0");
        CHECK(step(NULL) == 0);
    }
    CHECK(compared("io_busy") == 0);
    put("io_take_0_by_slot io_take_0_slot=1");
    CHECK(step(NULL) == 0);
    CHECK(compared("io_busy") == 0);
    CHECK(step(NULL) == 0);
    CHECK(compared("io_busy") == 4);
    close_late();
}

CASE(opndcoll_slots_are_empty_once_taken) {
    open_late("opndcoll", BY_SLOT);
    for (uint32_t i = 0; i < 2; i++) {
        put("io_issue_%u_valid io_issue_%u_bits_wid=%u io_issue_%u_bits_sched=%u", i, i, i, i, i);
    }
    for (uint32_t i = 0; i < 3; i++) {
        rig_record(&s.rtl);
        rig_idle(&s.rtl);
    }
    put("io_take_0_ready"); // the oldest, which is in slot 0
    CHECK(step(NULL) == 0);
    CHECK(rig_get(&s.rtl, "io_take_0_bits_sched") == 0);
    put("io_take_0_by_slot io_take_0_slot=0");
    CHECK(step(NULL) == 0);
    put("io_take_0_ready io_take_0_by_slot io_take_0_slot=1");
    CHECK(step(NULL) == 0);
    CHECK(rig_get(&s.rtl, "io_take_0_bits_sched") == 1);
    put("io_take_0_by_slot io_take_0_slot=2"); // no scheduler's
    CHECK(step(NULL) == 0);
    CHECK(compared("io_busy") == 0);
    CHECK(step(NULL) == 0);
    CHECK(compared("io_busy") == 4);
    close_late();
}

#define WRITE3 "io_wb_0_valid io_wb_0_bits_enable_0 io_wb_0_bits_reg_0=3 io_wb_0_bits_data_0=%u"
#define READ3  "io_issue_0_valid io_issue_0_bits_enable_0 io_issue_0_bits_reg_0=3"

// Register 3 is @p value before the dump; an instruction that reads it is @p cycles old.
static void issue_reader(uint32_t value, uint32_t cycles) {
    open_late("opndcoll", FLAT " data=on");
    put(WRITE3, value);
    rig_record(&s.rtl);
    rig_idle(&s.rtl);
    show_one();
    put(READ3);
    for (uint32_t i = 0; i < cycles; i++) {
        CHECK(step(NULL) == 0);
    }
}

CASE(opndcoll_register_is_learned_from_an_operand) {
    issue_reader(77, 4);
    const uint64_t before = compared("io_take_0_bits_data_0");
    CHECK(step(NULL) == 0);
    CHECK(rig_get(&s.rtl, "io_take_0_bits_data_0") == 77);
    CHECK(compared("io_take_0_bits_data_0") == before);
    let_it_drain(2);
    put(READ3);
    for (uint32_t i = 0; i < 4; i++) {
        CHECK(step(NULL) == 0);
    }
    CHECK(step("io_take_0_bits_data_0") == 1);
    close_late();
}

CASE(opndcoll_operand_is_no_register_that_was_written_since) {
    issue_reader(77, 3); // it has read it, and is not shown yet
    put(WRITE3, 78);
    CHECK(step(NULL) == 0);
    CHECK(step(NULL) == 0);
    CHECK(rig_get(&s.rtl, "io_take_0_bits_data_0") == 77);
    let_it_drain(2);
    put(READ3);
    for (uint32_t i = 0; i < 5; i++) {
        CHECK(step(NULL) == 0);
    }
    CHECK(rig_get(&s.rtl, "io_take_0_bits_data_0") == 78);
    CHECK(step("io_take_0_bits_data_0") == 1);
    close_late();
}

int main(void) {
    return check_cases();
}

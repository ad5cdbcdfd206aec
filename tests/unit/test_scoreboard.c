// SPDX-License-Identifier: Apache-2.0
// The scoreboard's rules one by one, through its structs. Spec: muon-issue §3.
#include "check.h"
#include "warplock/scoreboard.h"

#include <string.h>

static wlk_scoreboard_cfg cfg;
static wlk_scoreboard_state st;
static wlk_scoreboard_in in; // of the next cycle(); idle again after it
static wlk_scoreboard_out out, care;

/* ---- driving ---- */

static void power_up(uint32_t max_reads, wlk_power_up how) {
    wlk_error err;
    wlk_config_defaults(&wlk_scoreboard_table, (uint32_t *)&cfg);
    cfg.max_pending_reads = max_reads;
    CHECK(wlk_scoreboard_check(&cfg, &err) == WLK_OK);
    wlk_scoreboard_init(&cfg, &st, how);
    memset(&in, 0, sizeof in);
}

static void look(void) {
    wlk_scoreboard_eval(&cfg, &st, &in, &out, &care);
}

// Outputs into out and care, then the edge; the next inputs are idle.
static void cycle(void) {
    look();
    CHECK(wlk_scoreboard_tick(&cfg, &st, &in) == 0); // no rule can be broken
    memset(&in, 0, sizeof in);
}

static void reset(void) {
    in.reset = 1;
    cycle();
}

static void start(uint32_t max_reads) {
    power_up(max_reads, WLK_POWER_UNKNOWN);
    reset();
}

// An admission: +1 pending write of rd, +1 pending read of each source; 0 = none.
static void admit(uint16_t rd, uint16_t a, uint16_t b, uint16_t c) {
    const uint16_t rs[3] = {a, b, c};
    in.hazard.updateRS.enable = 1;
    in.hazard.updateRS.write.pReg = rd;
    in.hazard.updateRS.write.incr = rd != 0u;
    for (uint32_t i = 0; i < 3; i++) {
        in.hazard.updateRS.reads[i].pReg = rs[i];
        in.hazard.updateRS.reads[i].incr = rs[i] != 0u;
    }
}

// The collector takes a pending read of each register away; 0 = none.
static void collect(uint16_t a, uint16_t b, uint16_t c) {
    const uint16_t rs[3] = {a, b, c};
    in.updateColl.enable = 1;
    for (uint32_t i = 0; i < 3; i++) {
        in.updateColl.reads[i].pReg = rs[i];
        in.updateColl.reads[i].decr = rs[i] != 0u;
    }
}

static void write_back(uint16_t rd) {
    in.updateWB.enable = 1;
    in.updateWB.write.pReg = rd;
    in.updateWB.write.decr = 1;
}

// Ask for a register on rd's port of warp 0.
static void ask(uint16_t preg) {
    in.hazard.warps[0].readRd.enable = 1;
    in.hazard.warps[0].readRd.pReg = preg;
}

static uint32_t reads_shown(void) {
    return out.hazard.warps[0].readRd.pendingReads;
}

static uint32_t writes_shown(void) {
    return out.hazard.warps[0].readRd.pendingWrites;
}

// Counts of a register in a cycle that changes nothing.
static uint32_t reads_of(uint16_t preg) {
    memset(&in, 0, sizeof in);
    ask(preg);
    look();
    memset(&in, 0, sizeof in);
    return reads_shown();
}

static uint32_t writes_of(uint16_t preg) {
    (void)reads_of(preg);
    return writes_shown();
}

static void admit_n(uint16_t preg, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        admit(0, preg, 0, 0);
        cycle();
    }
}

/* ---- reset and power-up ---- */

static void scoreboard_power_up_is_unknown_until_reset(void) {
    power_up(7, WLK_POWER_UNKNOWN);
    ask(5);
    look();
    CHECK(care.hazard.warps[0].readRd.pendingReads == 0);
    CHECK(care.hazard.warps[0].readRd.pendingWrites == 0);
    CHECK(care.updateColl.success == 0 && care.hazard.updateRS.success == 0);
    admit(5, 6, 0, 0); // counts from what nobody knows
    cycle();
    ask(5);
    look();
    CHECK(care.hazard.warps[0].readRd.pendingWrites == 0);
    reset();
    ask(5);
    look();
    CHECK(care.hazard.warps[0].readRd.pendingReads == 7 && reads_shown() == 0);
    CHECK(care.hazard.warps[0].readRd.pendingWrites == 1 && writes_shown() == 0);
}

static void scoreboard_power_up_zero_knows_all(void) {
    power_up(7, WLK_POWER_ZERO);
    ask(5);
    look();
    CHECK(care.hazard.warps[0].readRd.pendingReads == 7 && reads_shown() == 0);
    CHECK(care.updateWB.success == 1 && out.updateWB.success == 1);
}

static void scoreboard_reset_clears_counts_and_beats_updates(void) {
    start(7);
    admit(5, 6, 6, 7);
    cycle();
    admit(8, 9, 0, 0);
    in.reset = 1;
    cycle();
    CHECK(out.hazard.updateRS.success == 1); // comb. outputs of a reset cycle are the usual ones
    for (uint16_t r = 0; r < 10; r++) {
        CHECK_MSG(reads_of(r) == 0 && writes_of(r) == 0, "register %u", r);
    }
}

/* ---- single updates ---- */

static void scoreboard_admission_counts_reads_and_write(void) {
    start(7);
    admit(5, 6, 7, 6);
    cycle();
    CHECK(out.hazard.updateRS.success == 1);
    CHECK(reads_of(6) == 2 && reads_of(7) == 1 && reads_of(5) == 0);
    CHECK(writes_of(5) == 1 && writes_of(6) == 0 && writes_of(7) == 0);
}

static void scoreboard_collector_and_writeback_decrement(void) {
    start(7);
    admit(5, 6, 7, 6);
    cycle();
    collect(6, 7, 0);
    cycle();
    CHECK(out.updateColl.success == 1);
    CHECK(reads_of(6) == 1 && reads_of(7) == 0 && writes_of(5) == 1);
    write_back(5);
    cycle();
    CHECK(out.updateWB.success == 1);
    CHECK(writes_of(5) == 0 && reads_of(6) == 1);
}

static void scoreboard_unused_halves_are_ignored(void) {
    start(7);
    admit(5, 6, 0, 0);
    cycle();
    in.updateColl.enable = 1;
    in.updateColl.write.pReg = 5; // would clear it
    in.updateColl.write.decr = 1;
    in.updateWB.enable = 1;
    in.updateWB.reads[1].pReg = 6; // would clear it
    in.updateWB.reads[1].decr = 1;
    ask(5);
    cycle();
    CHECK(writes_shown() == 1);
    CHECK(reads_of(6) == 1 && writes_of(5) == 1);
    in.updateColl.write.pReg = 9; // would underflow
    in.updateColl.write.decr = 1;
    in.updateWB.reads[0].pReg = 9;
    in.updateWB.reads[0].decr = 1;
    look();
    CHECK(out.updateColl.success == 1 && out.updateWB.success == 1);
}

static void scoreboard_register_0_never_changes_and_always_succeeds(void) {
    start(1);
    in.hazard.updateRS.enable = 1;
    in.hazard.updateRS.write.incr = 1;
    for (uint32_t i = 0; i < 3; i++) {
        in.hazard.updateRS.reads[i].incr = 1; // 3 > max
        in.updateColl.reads[i].decr = 1;      // 0 - 3
    }
    in.updateColl.enable = 1;
    write_back(0);
    ask(0);
    cycle();
    CHECK(out.hazard.updateRS.success == 1 && out.updateColl.success == 1);
    CHECK(out.updateWB.success == 1);
    CHECK(reads_shown() == 0 && writes_shown() == 0);
    CHECK(reads_of(0) == 0 && writes_of(0) == 0);
}

static void scoreboard_reaches_last_register_and_every_read_port(void) {
    start(7);
    admit(255, 254, 254, 0);
    cycle();
    for (uint32_t w = 0; w < cfg.num_warps; w++) {
        memset(&in, 0, sizeof in);
        in.hazard.warps[w].readRs1.enable = 1;
        in.hazard.warps[w].readRs1.pReg = 254;
        in.hazard.warps[w].readRs2.enable = 1;
        in.hazard.warps[w].readRs2.pReg = 255;
        in.hazard.warps[w].readRs3.pReg = 254; // not enabled
        in.hazard.warps[w].readRd.enable = 1;
        in.hazard.warps[w].readRd.pReg = 254;
        look();
        for (uint32_t v = 0; v < cfg.num_warps; v++) {
            const uint32_t here = v == w;
            CHECK_MSG(out.hazard.warps[v].readRs1.pendingReads == 2 * here, "warp %u of %u", v, w);
            CHECK(out.hazard.warps[v].readRs1.pendingWrites == 0);
            CHECK(out.hazard.warps[v].readRs2.pendingReads == 0);
            CHECK(out.hazard.warps[v].readRs2.pendingWrites == here);
            CHECK(out.hazard.warps[v].readRs3.pendingReads == 0);
            CHECK(out.hazard.warps[v].readRd.pendingReads == 2 * here);
        }
    }
    memset(&in, 0, sizeof in);
}

/* ---- consolidation (step 1) and range (step 2) ---- */

static void scoreboard_group_sums_updates_of_one_register(void) {
    static const struct {
        uint16_t preg[3];
        uint8_t incr[3], decr[3];
        uint32_t before, after; // count of register 6
        uint32_t success;
    } cases[] = {
        {{6, 6, 6}, {0, 0, 0}, {1, 1, 1}, 3, 0, 1}, // all three
        {{6, 6, 6}, {0, 0, 0}, {1, 1, 1}, 2, 2, 0}, // or nothing
        {{6, 6, 9}, {0, 0, 0}, {1, 1, 0}, 2, 0, 1}, // first and second
        {{6, 9, 6}, {0, 0, 0}, {1, 0, 1}, 2, 0, 1}, // first and third
        {{9, 6, 6}, {0, 0, 0}, {0, 1, 1}, 2, 0, 1}, // second and third
        {{9, 6, 6}, {0, 0, 0}, {0, 1, 1}, 1, 1, 0},
        {{6, 6, 6}, {1, 0, 0}, {0, 1, 0}, 0, 0, 1}, // they cancel, at the bottom
        {{6, 6, 6}, {1, 0, 0}, {0, 1, 0}, 7, 7, 1}, // and at the top
        {{6, 6, 6}, {1, 1, 0}, {0, 0, 1}, 6, 7, 1},
        {{6, 6, 6}, {1, 1, 0}, {0, 0, 1}, 7, 7, 0},
        {{6, 6, 6}, {1, 1, 1}, {1, 1, 1}, 7, 7, 1},
        {{6, 6, 6}, {1, 1, 1}, {0, 0, 0}, 5, 5, 0}, // three do not fit, and two do not count
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start(7);
        admit_n(6, cases[i].before);
        CHECK(reads_of(6) == cases[i].before);
        for (uint32_t k = 0; k < 3; k++) {
            in.updateColl.reads[k].pReg = cases[i].preg[k];
            in.updateColl.reads[k].incr = cases[i].incr[k];
            in.updateColl.reads[k].decr = cases[i].decr[k];
        }
        in.updateColl.enable = 1;
        cycle();
        CHECK_MSG(out.updateColl.success == cases[i].success, "case %zu", i);
        CHECK_MSG(reads_of(6) == cases[i].after, "case %zu: %u", i, reads_of(6));
        CHECK(reads_of(9) == 0);
    }
}

static void scoreboard_three_increments_of_one_register_add_3_or_nothing(void) {
    static const struct {
        uint32_t max, before, after;
    } cases[] = {{7, 0, 3}, {7, 4, 7}, {7, 5, 5}, {7, 7, 7}, {3, 0, 3},    {3, 1, 1},
                 {5, 2, 5}, {5, 3, 3}, {2, 0, 0}, {1, 0, 0}, {15, 12, 15}, {15, 13, 13}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start(cases[i].max);
        admit_n(6, cases[i].before);
        admit(5, 6, 6, 6);
        cycle();
        const uint32_t added = cases[i].after != cases[i].before;
        CHECK_MSG(out.hazard.updateRS.success == added, "case %zu", i);
        CHECK_MSG(reads_of(6) == cases[i].after, "case %zu: %u", i, reads_of(6));
        CHECK_MSG(writes_of(5) == added, "case %zu", i);
    }
}

static void scoreboard_reads_saturate_at_max_pending_reads(void) {
    static const uint32_t maxima[] = {1, 2, 3, 5, 7, 15, 255};
    for (size_t i = 0; i < sizeof maxima / sizeof maxima[0]; i++) {
        start(maxima[i]);
        admit_n(6, maxima[i]);
        CHECK(out.hazard.updateRS.success == 1);
        admit(0, 6, 0, 0);
        cycle();
        CHECK_MSG(out.hazard.updateRS.success == 0, "max %u", maxima[i]);
        CHECK_MSG(reads_of(6) == maxima[i], "max %u", maxima[i]);
    }
}

static void scoreboard_writeback_of_a_write_that_is_not_pending_fails(void) {
    start(7);
    write_back(5);
    cycle();
    CHECK(out.updateWB.success == 0);
    CHECK(writes_of(5) == 0);
    in.updateWB.enable = 1; // incr is looked at too
    in.updateWB.write.pReg = 5;
    in.updateWB.write.incr = 1;
    cycle();
    CHECK(out.updateWB.success == 1 && writes_of(5) == 1);
    in.updateWB.enable = 1;
    in.updateWB.write.pReg = 5;
    in.updateWB.write.incr = 1;
    cycle();
    CHECK(out.updateWB.success == 0 && writes_of(5) == 1);
}

static void scoreboard_saturated_counter_takes_increment_and_decrement_of_one_cycle(void) {
    static const uint32_t maxima[] = {1, 3, 7};
    for (size_t i = 0; i < sizeof maxima / sizeof maxima[0]; i++) {
        start(maxima[i]);
        admit_n(6, maxima[i]);
        admit(0, 6, 0, 0); // on top of what the collector leaves
        collect(6, 0, 0);
        cycle();
        CHECK(out.hazard.updateRS.success == 1 && out.updateColl.success == 1);
        CHECK_MSG(reads_of(6) == maxima[i], "max %u", maxima[i]);
        admit(0, 6, 0, 0); // both on one port
        in.hazard.updateRS.reads[0].decr = 1;
        cycle();
        CHECK(out.hazard.updateRS.success == 1);
        CHECK_MSG(reads_of(6) == maxima[i], "max %u", maxima[i]);
    }
    start(7);
    admit(5, 0, 0, 0);
    cycle();
    admit(5, 0, 0, 0); // the pending write that ends and the one that begins
    write_back(5);
    cycle();
    CHECK(out.hazard.updateRS.success == 1 && out.updateWB.success == 1);
    CHECK(writes_of(5) == 1);
}

static void scoreboard_increment_does_not_save_an_underflow_of_the_collector(void) {
    start(7);
    admit(0, 6, 0, 0);
    collect(6, 0, 0); // applied first, to 0
    cycle();
    CHECK(out.updateColl.success == 0 && out.hazard.updateRS.success == 1);
    CHECK(reads_of(6) == 1);
}

static void scoreboard_failing_update_leaves_others_of_its_group(void) {
    start(7);
    admit(0, 6, 8, 0);
    cycle();
    collect(6, 7, 8); // 7 underflows
    cycle();
    CHECK(out.updateColl.success == 0);
    CHECK(reads_of(6) == 0 && reads_of(7) == 0 && reads_of(8) == 0);
}

/* ---- admission, all or nothing (steps 3, 4) ---- */

static void scoreboard_write_overflow_rolls_reads_back(void) {
    start(7);
    admit(5, 0, 0, 0);
    cycle();
    admit(5, 6, 7, 8);
    cycle();
    CHECK(out.hazard.updateRS.success == 0);
    CHECK(reads_of(6) == 0 && reads_of(7) == 0 && reads_of(8) == 0 && writes_of(5) == 1);
}

static void scoreboard_read_overflow_rolls_write_and_other_reads_back(void) {
    for (uint32_t place = 0; place < 3; place++) {
        start(3);
        admit_n(6, 3);
        admit(5, 7, 8, 9);
        in.hazard.updateRS.reads[place].pReg = 6;
        cycle();
        CHECK_MSG(out.hazard.updateRS.success == 0, "place %u", place);
        CHECK(writes_of(5) == 0 && reads_of(6) == 3);
        CHECK(reads_of(7) == 0 && reads_of(8) == 0 && reads_of(9) == 0);
    }
}

static void scoreboard_rollback_keeps_collector_and_writeback_of_the_cycle(void) {
    start(7);
    admit(5, 6, 0, 0);
    cycle();
    admit(4, 0, 0, 0);
    cycle();
    admit(4, 7, 8, 0); // 4 is pending
    collect(6, 0, 0);
    write_back(5);
    cycle();
    CHECK(out.hazard.updateRS.success == 0);
    CHECK(out.updateColl.success == 1 && out.updateWB.success == 1);
    CHECK(reads_of(6) == 0 && writes_of(5) == 0);
    CHECK(reads_of(7) == 0 && reads_of(8) == 0 && writes_of(4) == 1);
}

static void scoreboard_failing_collector_or_writeback_does_not_refuse_admission(void) {
    start(7);
    admit(5, 6, 0, 0);
    collect(9, 0, 0); // underflows
    write_back(10);   // underflows
    cycle();
    CHECK(out.updateColl.success == 0 && out.updateWB.success == 0);
    CHECK(out.hazard.updateRS.success == 1);
    CHECK(reads_of(6) == 1 && writes_of(5) == 1);
}

/* ---- enables ---- */

static void scoreboard_success_of_collector_and_writeback_is_told_without_enable(void) {
    start(7);
    look();
    CHECK(out.updateColl.success == 1 && out.updateWB.success == 1);
    collect(6, 0, 0);
    write_back(5);
    in.updateColl.enable = 0;
    in.updateWB.enable = 0;
    look();
    CHECK(out.updateColl.success == 0 && out.updateWB.success == 0);
    memset(&in, 0, sizeof in);
}

static void scoreboard_success_of_admission_needs_its_enable(void) {
    start(7);
    look();
    CHECK(out.hazard.updateRS.success == 0);
    admit(5, 6, 0, 0);
    look();
    CHECK(out.hazard.updateRS.success == 1);
    in.hazard.updateRS.enable = 0;
    cycle();
    CHECK(out.hazard.updateRS.success == 0);
    CHECK(reads_of(6) == 0 && writes_of(5) == 0);
}

// Quirk: an enable of any port commits the deltas of collector and write-back.
static void scoreboard_enables_do_not_gate_their_port(void) {
    static const struct {
        uint8_t coll, wb, rs, rs_fails; // enables
        uint32_t committed;
    } cases[] = {{0, 0, 0, 0, 0}, {1, 0, 0, 0, 1}, {0, 1, 0, 0, 1},
                 {0, 0, 1, 0, 1}, {0, 0, 1, 1, 1}, {1, 1, 1, 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start(7);
        admit(5, 6, 0, 0);
        cycle();
        admit(4, 0, 0, 0);
        cycle();
        admit(cases[i].rs_fails ? 4 : 3, 7, 0, 0);
        collect(6, 0, 0);
        write_back(5);
        in.updateColl.enable = cases[i].coll;
        in.updateWB.enable = cases[i].wb;
        in.hazard.updateRS.enable = cases[i].rs;
        cycle();
        const uint32_t left = cases[i].committed ? 0 : 1;
        CHECK_MSG(reads_of(6) == left && writes_of(5) == left, "case %zu", i);
        // The admission alone is gated by its own.
        const uint32_t admitted = cases[i].rs && !cases[i].rs_fails;
        CHECK_MSG(reads_of(7) == admitted && writes_of(3) == admitted, "case %zu", i);
    }
}

static void scoreboard_deltas_without_any_enable_show_but_are_not_kept(void) {
    start(1);
    admit(5, 6, 0, 0);
    cycle();
    in.updateColl.reads[1].pReg = 6;
    in.updateColl.reads[1].decr = 1;
    in.updateWB.write.pReg = 5;
    in.updateWB.write.decr = 1;
    ask(6);
    look();
    CHECK(reads_shown() == 0);
    ask(5);
    cycle();
    CHECK(writes_shown() == 0);
    CHECK(reads_of(6) == 1 && writes_of(5) == 1);
}

static void scoreboard_deltas_without_their_enable_let_an_admission_succeed(void) {
    start(1);
    admit(5, 6, 0, 0);
    cycle();
    admit(5, 6, 0, 0);
    look();
    CHECK(out.hazard.updateRS.success == 0);
    collect(6, 0, 0);
    write_back(5);
    in.updateColl.enable = 0;
    in.updateWB.enable = 0;
    cycle();
    CHECK(out.hazard.updateRS.success == 1);
    CHECK(reads_of(6) == 1 && writes_of(5) == 1);
}

/* ---- reads (step 5) ---- */

static void scoreboard_reads_are_bypassed_past_collector_and_writeback(void) {
    start(7);
    admit(5, 6, 6, 6);
    cycle();
    collect(6, 0, 6);
    write_back(5);
    ask(6);
    look();
    CHECK(reads_shown() == 1);
    ask(5);
    look();
    CHECK(writes_shown() == 0);
    memset(&in, 0, sizeof in);
}

static void scoreboard_bypass_shows_a_failed_update_as_no_change(void) {
    start(7);
    admit(0, 6, 0, 0);
    cycle();
    collect(6, 6, 0); // 1 - 2
    ask(6);
    cycle();
    CHECK(reads_shown() == 1 && out.updateColl.success == 0);
}

static void scoreboard_reads_are_not_bypassed_past_admission(void) {
    start(7);
    admit(5, 6, 7, 0);
    ask(5);
    look();
    CHECK(writes_shown() == 0 && out.hazard.updateRS.success == 1);
    ask(6);
    cycle();
    CHECK(reads_shown() == 0);
    CHECK(reads_of(6) == 1 && writes_of(5) == 1);
}

static void scoreboard_read_without_enable_shows_0(void) {
    start(7);
    admit(5, 5, 0, 0);
    cycle();
    ask(5);
    in.hazard.warps[0].readRd.enable = 0;
    look();
    CHECK(reads_shown() == 0 && writes_shown() == 0);
    in.hazard.warps[0].readRd.enable = 1;
    look();
    CHECK(reads_shown() == 1 && writes_shown() == 1);
    memset(&in, 0, sizeof in);
}

/* ---- the struct API ---- */

static void scoreboard_snapshot_is_a_copy(void) {
    start(7);
    admit(5, 6, 0, 0);
    cycle();
    wlk_scoreboard_state copy = st;
    CHECK(wlk_scoreboard_state_size(&cfg) <= sizeof copy);
    collect(6, 0, 0);
    write_back(5);
    cycle();
    CHECK(reads_of(6) == 0 && writes_of(5) == 0);
    st = copy;
    CHECK(reads_of(6) == 1 && writes_of(5) == 1);
}

static void scoreboard_eval_changes_nothing(void) {
    start(7);
    admit(5, 6, 7, 0);
    const wlk_scoreboard_state before = st;
    look();
    CHECK(memcmp((const void *)&before, (const void *)&st, sizeof st) == 0);
    memset(&in, 0, sizeof in);
}

static void scoreboard_is_drained_when_nothing_is_pending(void) {
    const uint32_t *words = (const uint32_t *)&cfg;
    start(7);
    CHECK(wlk_scoreboard_block.drained(words, &st));
    admit(5, 0, 0, 0);
    cycle();
    CHECK(!wlk_scoreboard_block.drained(words, &st));
    admit(0, 6, 0, 0);
    write_back(5);
    cycle();
    CHECK(!wlk_scoreboard_block.drained(words, &st));
    collect(6, 0, 0);
    cycle();
    CHECK(wlk_scoreboard_block.drained(words, &st));
}

int main(void) {
    scoreboard_power_up_is_unknown_until_reset();
    scoreboard_power_up_zero_knows_all();
    scoreboard_reset_clears_counts_and_beats_updates();
    scoreboard_admission_counts_reads_and_write();
    scoreboard_collector_and_writeback_decrement();
    scoreboard_unused_halves_are_ignored();
    scoreboard_register_0_never_changes_and_always_succeeds();
    scoreboard_reaches_last_register_and_every_read_port();
    scoreboard_group_sums_updates_of_one_register();
    scoreboard_three_increments_of_one_register_add_3_or_nothing();
    scoreboard_reads_saturate_at_max_pending_reads();
    scoreboard_writeback_of_a_write_that_is_not_pending_fails();
    scoreboard_saturated_counter_takes_increment_and_decrement_of_one_cycle();
    scoreboard_increment_does_not_save_an_underflow_of_the_collector();
    scoreboard_failing_update_leaves_others_of_its_group();
    scoreboard_write_overflow_rolls_reads_back();
    scoreboard_read_overflow_rolls_write_and_other_reads_back();
    scoreboard_rollback_keeps_collector_and_writeback_of_the_cycle();
    scoreboard_failing_collector_or_writeback_does_not_refuse_admission();
    scoreboard_success_of_collector_and_writeback_is_told_without_enable();
    scoreboard_success_of_admission_needs_its_enable();
    scoreboard_enables_do_not_gate_their_port();
    scoreboard_deltas_without_any_enable_show_but_are_not_kept();
    scoreboard_deltas_without_their_enable_let_an_admission_succeed();
    scoreboard_reads_are_bypassed_past_collector_and_writeback();
    scoreboard_bypass_shows_a_failed_update_as_no_change();
    scoreboard_reads_are_not_bypassed_past_admission();
    scoreboard_read_without_enable_shows_0();
    scoreboard_snapshot_is_a_copy();
    scoreboard_eval_changes_nothing();
    scoreboard_is_drained_when_nothing_is_pending();
    return check_done();
}

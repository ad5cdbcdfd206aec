// SPDX-License-Identifier: Apache-2.0
// The hazard check's rules one by one, through its structs. Spec: muon-issue §4, arbiter §1.
#include "check.h"
#include "muon.h"
#include "warplock/hazard.h"

#include <string.h>

static wlk_hazard_cfg cfg;
static wlk_hazard_state st;
static wlk_hazard_in in; // of the next cycle(); idle again after it
static wlk_hazard_out out, care;

/* ---- driving ---- */

static void power_up(uint32_t warps, wlk_power_up how) {
    wlk_error err;
    wlk_config_defaults(&wlk_hazard_table, (uint32_t *)&cfg);
    cfg.num_warps = warps;
    CHECK(wlk_hazard_check(&cfg, &err) == WLK_OK);
    wlk_hazard_init(&cfg, &st, how);
    memset(&in, 0, sizeof in);
}

static void look(void) {
    wlk_hazard_eval(&cfg, &st, &in, &out, &care);
}

// Outputs into out and care, then the edge; the next inputs are idle.
static void cycle(void) {
    look();
    CHECK(wlk_hazard_tick(&cfg, &st, &in) == 0); // no rule can be broken
    memset(&in, 0, sizeof in);
}

// In reset, the arbiter's `last` being `last`.
static void start(uint32_t warps, uint32_t last) {
    power_up(warps, WLK_POWER_UNKNOWN);
    in.reset = 1;
    cycle();
    st.last = UINT32_C(1) << last;
}

// The reservation station has room and the scoreboard agrees.
static void go(void) {
    in.rsAdmit.ready = 1;
    in.scb.updateRS.success = 1;
}

// A head that writes register 10 + warp and reads 20 + warp.
static void head(uint32_t warp) {
    const inst i = op(warp, 0x100 + warp, 10 + (int)warp, 20 + (int)warp, NONE, NONE);
    in.ibuf[warp].valid = 1;
    PUT_INST(in.ibuf[warp].bits, i);
}

static void heads(uint32_t warps) {
    for (uint32_t w = 0; w < cfg.num_warps; w++) {
        if (warps >> w & 1u) {
            head(w);
        }
    }
}

static uint32_t ready_shown(void) {
    uint32_t set = 0;
    for (uint32_t w = 0; w < cfg.num_warps; w++) {
        set |= (uint32_t)out.ibuf[w].ready << w;
    }
    return set;
}

static uint32_t pc_shown(void) {
    return (uint32_t)out.rsAdmit.bits.ibufEntry.uop.pc;
}

static uint32_t busy_shown(void) {
    return (uint32_t)(out.rsAdmit.bits.busy[0] | out.rsAdmit.bits.busy[1] << 1 |
                      out.rsAdmit.bits.busy[2] << 2);
}

static uint32_t op_ready_shown(void) {
    return (uint32_t)(out.rsAdmit.bits.valid[0] | out.rsAdmit.bits.valid[1] << 1 |
                      out.rsAdmit.bits.valid[2] << 2);
}

// Warps offer heads, one is admitted; which.
static uint32_t admitted_of(uint32_t warps) {
    heads(warps);
    go();
    cycle();
    return ready_shown();
}

/* ---- reset and power-up ---- */

static void hazard_power_up_is_unknown_until_reset(void) {
    power_up(4, WLK_POWER_UNKNOWN);
    heads(2);
    go();
    look();
    CHECK(care.perf[0].stallsWAW == 0 && care.perf[3].stallsScoreboard == 0);
    memset(&in, 0, sizeof in);
    in.reset = 1;
    cycle();
    look();
    CHECK(care.perf[0].stallsWAW == UINT64_MAX && out.perf[0].stallsWAW == 0);
    CHECK(care.rsAdmit.valid == 1 && care.ibuf[3].ready == 1);
}

static void hazard_reset_clears_counters(void) {
    start(4, 0);
    head(1);
    in.scb.warps[1].readRd.pendingWrites = 1;
    in.scb.warps[1].readRd.pendingReads = 1;
    cycle();
    head(2);
    cycle();
    look();
    CHECK(out.perf[1].stallsWAW == 1 && out.perf[1].stallsWAR == 1);
    CHECK(out.perf[2].stallsScoreboard == 1);
    in.reset = 1;
    head(2); // a reset cycle does not count
    cycle();
    look();
    CHECK(out.perf[1].stallsWAW == 0 && out.perf[1].stallsWAR == 0);
    CHECK(out.perf[2].stallsScoreboard == 0);
}

/* ---- candidates ---- */

static void hazard_head_with_pending_write_of_rd_waits(void) {
    start(4, 3);
    heads(3);
    in.scb.warps[0].readRd.pendingWrites = 1;
    go();
    cycle();
    CHECK(ready_shown() == 2 && pc_shown() == 0x101);
    look();
    CHECK(out.perf[0].stallsWAW == 1 && out.perf[0].stallsWAR == 0);
    CHECK(out.perf[0].stallsScoreboard == 0 && out.perf[1].stallsWAW == 0);
}

static void hazard_head_with_pending_reads_of_rd_waits(void) {
    start(4, 3);
    heads(3);
    in.scb.warps[0].readRd.pendingReads = 4;
    go();
    cycle();
    CHECK(ready_shown() == 2);
    look();
    CHECK(out.perf[0].stallsWAR == 1 && out.perf[0].stallsWAW == 0);
    CHECK(out.perf[0].stallsScoreboard == 0);
}

static void hazard_counts_of_rd_do_not_matter_without_rd(void) {
    start(4, 3);
    const inst store = op(0, 0x30, NONE, 4, 5, NONE);
    in.ibuf[0].valid = 1;
    PUT_INST(in.ibuf[0].bits, store);
    in.scb.warps[0].readRd.pendingWrites = 1;
    in.scb.warps[0].readRd.pendingReads = 1;
    go();
    cycle();
    CHECK(ready_shown() == 1);
    look();
    CHECK(out.perf[0].stallsWAW == 0 && out.perf[0].stallsWAR == 0);
}

static void hazard_pending_reads_of_sources_do_not_matter(void) {
    start(4, 3);
    head(0);
    in.scb.warps[0].readRs1.pendingReads = 7;
    in.scb.warps[0].readRs2.pendingReads = 7;
    in.scb.warps[0].readRs3.pendingReads = 7;
    go();
    cycle();
    CHECK(ready_shown() == 1 && busy_shown() == 0);
}

static void hazard_waw_and_war_count_both_whatever_the_others_do(void) {
    start(4, 3);
    heads(0xf);
    in.scb.warps[2].readRd.pendingWrites = 1;
    in.scb.warps[2].readRd.pendingReads = 1;
    go(); // another warp is admitted meanwhile
    cycle();
    head(2);
    in.scb.warps[2].readRd.pendingWrites = 1;
    in.scb.warps[2].readRd.pendingReads = 1; // no room, no success
    cycle();
    in.scb.warps[2].readRd.pendingWrites = 1; // no head: nothing to count
    cycle();
    look();
    CHECK(out.perf[2].stallsWAW == 2 && out.perf[2].stallsWAR == 2);
    CHECK(out.perf[2].stallsScoreboard == 0);
}

/* ---- what is admitted ---- */

static void hazard_operand_is_busy_when_used_and_its_write_is_pending(void) {
    for (uint32_t has = 0; has < 8; has++) {
        for (uint32_t pending = 0; pending < 8; pending++) {
            const inst i = op(1, 0x40, 9, has & 1u ? 4 : NONE, has & 2u ? 5 : NONE,
                              has & 4u ? 0 : NONE); // register 0 is not special
            start(4, 0);
            in.ibuf[1].valid = 1;
            PUT_INST(in.ibuf[1].bits, i);
            in.scb.warps[1].readRs1.pendingWrites = pending & 1u;
            in.scb.warps[1].readRs2.pendingWrites = pending >> 1 & 1u;
            in.scb.warps[1].readRs3.pendingWrites = pending >> 2 & 1u;
            in.scb.warps[0].readRs1.pendingWrites = 1; // of other warps
            in.scb.warps[2].readRs2.pendingWrites = 1;
            go();
            cycle();
            CHECK_MSG(busy_shown() == (has & pending), "has %u pending %u", has, pending);
            CHECK_MSG(op_ready_shown() == (~has & 7u), "has %u", has);
        }
    }
}

static void hazard_books_the_chosen_head(void) {
    start(4, 3);
    const inst i = op(0, 0x40, 9, 4, NONE, 4);
    in.ibuf[0].valid = 1;
    PUT_INST(in.ibuf[0].bits, i);
    in.ibuf[0].bits.uop.inst.essentials_5 = 77; // a field, used or not
    heads(2);                                   // comes later
    in.rsAdmit.ready = 1;
    look();
    CHECK(out.scb.updateRS.enable == 1);
    CHECK(out.scb.updateRS.write.pReg == 9 && out.scb.updateRS.write.incr == 1);
    CHECK(out.scb.updateRS.reads[0].pReg == 4 && out.scb.updateRS.reads[0].incr == 1);
    CHECK(out.scb.updateRS.reads[1].pReg == 77 && out.scb.updateRS.reads[1].incr == 0);
    CHECK(out.scb.updateRS.reads[2].pReg == 4 && out.scb.updateRS.reads[2].incr == 1);
    CHECK(out.scb.updateRS.write.decr == 0 && out.scb.updateRS.reads[0].decr == 0);
    CHECK(out.scb.updateRS.reads[1].decr == 0 && out.scb.updateRS.reads[2].decr == 0);
    CHECK(out.rsAdmit.valid == 0); // success is low
    memset(&in, 0, sizeof in);
}

static void hazard_books_register_numbers_of_rd_that_is_not_used(void) {
    start(4, 3);
    const inst i = op(0, 0x40, NONE, 4, NONE, NONE);
    in.ibuf[0].valid = 1;
    PUT_INST(in.ibuf[0].bits, i);
    in.ibuf[0].bits.uop.inst.essentials_3 = 33;
    in.rsAdmit.ready = 1;
    look();
    CHECK(out.scb.updateRS.enable == 1);
    CHECK(out.scb.updateRS.write.pReg == 33 && out.scb.updateRS.write.incr == 0);
    memset(&in, 0, sizeof in);
}

static void check_books_nothing(void) {
    CHECK(out.scb.updateRS.enable == 0);
    CHECK(out.scb.updateRS.write.pReg == 0 && out.scb.updateRS.write.incr == 0);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK(out.scb.updateRS.reads[i].pReg == 0 && out.scb.updateRS.reads[i].incr == 0);
    }
}

static void hazard_books_nothing_without_room_or_candidate(void) {
    start(4, 3);
    head(0); // no room
    look();
    check_books_nothing();
    in.ibuf[0].valid = 0; // no head, its fields still there
    in.rsAdmit.ready = 1;
    look();
    check_books_nothing();
    in.ibuf[0].valid = 1;
    in.scb.warps[0].readRd.pendingWrites = 1; // waits
    look();
    check_books_nothing();
    memset(&in, 0, sizeof in);
}

static void hazard_source_whose_write_is_pending_counts_by_option(void) {
    for (uint32_t option = 0; option < 2; option++) {
        start(4, 3);
        cfg.count_forwarded_reads = option;
        const inst i = op(0, 0x40, 9, 4, 5, NONE);
        in.ibuf[0].valid = 1;
        PUT_INST(in.ibuf[0].bits, i);
        in.scb.warps[0].readRs1.pendingWrites = 1;
        go();
        look();
        CHECK_MSG(out.scb.updateRS.reads[0].incr == option, "option %u", option);
        CHECK(out.scb.updateRS.reads[1].incr == 1 && out.scb.updateRS.enable == 1);
        memset(&in, 0, sizeof in);
    }
}

static void hazard_asks_the_scoreboard_for_each_head(void) {
    start(4, 3);
    const inst i = op(2, 0x40, 9, NONE, 5, 6);
    in.ibuf[2].valid = 1;
    PUT_INST(in.ibuf[2].bits, i);
    in.ibuf[2].bits.uop.inst.essentials_4 = 12;
    PUT_INST(in.ibuf[3].bits, op(3, 0, 1, 2, 3, 4)); // fields of a head that is not valid
    look();
    CHECK(out.scb.warps[2].readRs1.enable == 0 && out.scb.warps[2].readRs1.pReg == 12);
    CHECK(out.scb.warps[2].readRs2.enable == 1 && out.scb.warps[2].readRs2.pReg == 5);
    CHECK(out.scb.warps[2].readRs3.enable == 1 && out.scb.warps[2].readRs3.pReg == 6);
    CHECK(out.scb.warps[2].readRd.enable == 1 && out.scb.warps[2].readRd.pReg == 9);
    CHECK(out.scb.warps[3].readRd.enable == 0 && out.scb.warps[3].readRd.pReg == 1);
    CHECK(out.scb.warps[3].readRs1.enable == 0 && out.scb.warps[3].readRs1.pReg == 2);
    CHECK(out.scb.warps[3].readRs3.enable == 0 && out.scb.warps[3].readRs3.pReg == 4);
    memset(&in, 0, sizeof in);
}

// With pcs of that width.
static void entry_passes_bit_for_bit(uint32_t lane_bits) {
    wlk_layout layout;
    uint64_t words[512] = {0}, shown[512], cared[512];
    start(4, 0);
    cfg.lane_bits = lane_bits;
    const wlk_table *t = &wlk_hazard_table;
    t->layout((const uint32_t *)&cfg, &layout);
    static wlk_port ports[2048];
    const uint32_t n = t->ports((const uint32_t *)&cfg, NULL, ports, 2048);
    uint32_t bits = 0;
    if (!CHECK(n <= 2048 && layout.in_words <= 512 && layout.out_words <= 512)) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) { // one bit of the last warp's head at a time
        if (strncmp(ports[i].name, "io_ibuf_3_bits_", 15) != 0 || !ports[i].present) {
            continue;
        }
        char other[WLK_MAX_NAME + 32];
        (void)snprintf(other, sizeof other, "io_rsAdmit_bits_ibufEntry_%s", ports[i].name + 15);
        for (uint32_t b = 0; b < ports[i].width; b++) {
            memset(words, 0, sizeof words);
            wlk_port_set(&ports[i], words, UINT64_C(1) << b);
            wlk_hazard_block.eval((const uint32_t *)&cfg, &st, words, shown, cared);
            for (uint32_t k = 0; k < n; k++) {
                if (strncmp(ports[k].name, "io_rsAdmit_bits_ibufEntry_", 26) == 0) {
                    const bool same = strcmp(ports[k].name, other) == 0;
                    CHECK_MSG(wlk_port_get(&ports[k], shown) == (same ? UINT64_C(1) << b : 0u),
                              "%s to %s", ports[i].name, ports[k].name);
                    CHECK(wlk_port_get(&ports[k], cared) == wlk_mask(ports[k].width));
                    bits += same;
                }
            }
        }
    }
    // essentials: 9 + 3 + 7 + 4 * 8 + 4 + (21 - 7 + 1) + 3 + 8 + 24 + 8; tmask 16; pc; wid,
    // warpId 2 each; 1; 1; 4
    CHECK_MSG(bits == 113 + 16 + lane_bits + 2 + 2 + 1 + 1 + 4, "%u bits", bits);
}

static void hazard_entry_passes_bit_for_bit(void) {
    entry_passes_bit_for_bit(32);
    entry_passes_bit_for_bit(64);
}

/* ---- the arbiter (§1) ---- */

static void hazard_choice_is_the_next_candidate_after_last(void) {
    static const struct {
        uint32_t last, warps, chosen;
    } cases[] = {{0, 0xf, 1}, {1, 0xf, 2}, {3, 0xf, 0}, {0, 0x1, 0}, {1, 0x3, 0}, {2, 0x3, 0},
                 {2, 0xb, 3}, {3, 0x8, 3}, {1, 0x9, 3}, {0, 0x9, 3}, {3, 0x6, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start(4, cases[i].last);
        CHECK_MSG(admitted_of(cases[i].warps) == 1u << cases[i].chosen, "case %zu", i);
        CHECK_MSG(pc_shown() == 0x100 + cases[i].chosen, "case %zu", i);
        CHECK(out.rsAdmit.valid == 1);
    }
}

static void hazard_grants_go_round(void) {
    start(4, 3);
    static const uint32_t order[] = {0, 1, 2, 3, 0, 1};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        CHECK_MSG(admitted_of(0xf) == 1u << order[i], "grant %zu", i);
    }
}

static void hazard_idle_choice_is_the_last_warp(void) {
    for (uint32_t last = 0; last < 4; last++) {
        start(4, last);
        PUT_INST(in.ibuf[3].bits, op(3, 0x77, 1, 2, NONE, NONE)); // fields, not valid
        PUT_INST(in.ibuf[0].bits, op(0, 0x66, 1, 2, NONE, NONE));
        go();
        cycle();
        CHECK_MSG(pc_shown() == 0x77 && out.rsAdmit.valid == 0, "last %u", last);
        CHECK(op_ready_shown() == 6 && ready_shown() == 0);
        head(1); // waits: no candidate either
        PUT_INST(in.ibuf[3].bits, op(3, 0x78, 1, 2, NONE, NONE));
        in.scb.warps[1].readRd.pendingWrites = 1;
        in.scb.warps[3].readRs1.pendingWrites = 1;
        go();
        cycle();
        CHECK(pc_shown() == 0x78 && out.rsAdmit.valid == 0 && busy_shown() == 1);
    }
}

// The arbiter's ready reaches idle inputs; the ports show it for candidates only.
static void hazard_ready_reaches_no_warp_without_a_candidate(void) {
    start(4, 0);
    go(); // grants every later input, and all when nothing is valid
    cycle();
    CHECK(ready_shown() == 0);
    head(2); // last 0: inputs 1 and 2 are granted
    go();
    cycle();
    CHECK(ready_shown() == 4);
    start(4, 0);
    heads(6);
    in.scb.warps[1].readRd.pendingReads = 1; // granted, but it waits
    go();
    cycle();
    CHECK(ready_shown() == 4);
}

static void hazard_last_does_not_move_without_a_grant(void) {
    start(4, 0);
    for (uint32_t i = 0; i < 3; i++) {
        heads(6);
        in.rsAdmit.ready = i != 0; // no room, then no success
        cycle();
        CHECK(pc_shown() == 0x101 && ready_shown() == 0);
    }
    heads(6);
    in.scb.updateRS.success = 1; // success without room: shown, not taken
    cycle();
    CHECK(out.rsAdmit.valid == 1 && ready_shown() == 0);
    CHECK(admitted_of(6) == 2);
    CHECK(admitted_of(6) == 4);
}

static void hazard_last_moves_in_a_reset_cycle(void) {
    start(4, 3);
    heads(0xf);
    go();
    in.reset = 1;
    cycle();
    CHECK(ready_shown() == 1);
    CHECK(admitted_of(0xf) == 2);
    in.reset = 1; // and a reset alone leaves it
    cycle();
    CHECK(admitted_of(0xf) == 4);
}

static void hazard_soft_reset_leaves_last(void) {
    start(4, 3);
    CHECK(admitted_of(0xf) == 1);
    in.softReset = 1;
    cycle();
    CHECK(admitted_of(0xf) == 2);
}

static void hazard_one_warp_has_no_last(void) {
    power_up(1, WLK_POWER_UNKNOWN);
    in.reset = 1;
    cycle();
    head(0);
    go();
    uint64_t words[64];
    wlk_hazard_in_pack(&cfg, &in, words);
    CHECK(wlk_hazard_block.outcomes((const uint32_t *)&cfg, &st, words) == 1);
    cycle();
    CHECK(ready_shown() == 1 && care.ibuf[0].ready == 1);
    CHECK(admitted_of(1) == 1);
}

// Every value of `last` up to the register's width, beyond n-1 too: it acts like n-1.
static void hazard_unknown_last_leaves_open_what_some_value_explains(void) {
    static const struct {
        uint32_t warps, heads, outcomes;
    } cases[] = {{3, 0x7, 3},  {3, 0x6, 2},  {3, 0x2, 1},  {3, 0, 1},           {4, 0xf, 4},
                 {5, 0x1f, 5}, {5, 0x15, 3}, {8, 0x81, 2}, {32, 0xffffffff, 32}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t words[512];
        power_up(cases[i].warps, WLK_POWER_UNKNOWN);
        in.reset = 1;
        cycle();
        heads(cases[i].heads);
        go();
        wlk_hazard_in_pack(&cfg, &in, words);
        const uint32_t n = wlk_hazard_block.outcomes((const uint32_t *)&cfg, &st, words);
        CHECK_MSG(n == cases[i].outcomes, "case %zu: %u", i, n);
        uint32_t seen = 0;
        for (uint32_t k = 0; k < n; k++) { // each way is another grant
            wlk_hazard_state way = st;
            wlk_hazard_block.assume((const uint32_t *)&cfg, &way, words, k);
            wlk_hazard_eval(&cfg, &way, &in, &out, &care);
            CHECK_MSG((seen & ready_shown()) == 0, "case %zu", i);
            seen |= ready_shown();
        }
        CHECK_MSG(seen == cases[i].heads, "case %zu: %x", i, seen);
        memset(&in, 0, sizeof in);
    }
}

// An input that one candidate alone decides does not tell `last`, its grant does.
static void hazard_grant_defines_last(void) {
    power_up(4, WLK_POWER_UNKNOWN);
    in.reset = 1;
    cycle();
    CHECK(admitted_of(0x4) == 4);
    CHECK(admitted_of(0xf) == 8);
    CHECK(admitted_of(0xf) == 1);
    uint64_t words[64];
    heads(0xf);
    wlk_hazard_in_pack(&cfg, &in, words);
    CHECK(wlk_hazard_block.outcomes((const uint32_t *)&cfg, &st, words) == 1);
    memset(&in, 0, sizeof in);
}

// §1: a grant depends on the inputs alone here, so one before the first reset counts.
static void hazard_grant_before_reset_defines_last(void) {
    power_up(4, WLK_POWER_UNKNOWN);
    (void)admitted_of(0x4);
    in.reset = 1;
    cycle();
    CHECK(admitted_of(0xf) == 8);
}

/* ---- quirk: the arbiter picks before the scoreboard answers ---- */

static void hazard_chosen_head_without_success_holds_back_every_other_warp(void) {
    start(4, 0);
    for (uint32_t i = 0; i < 5; i++) {
        heads(0x6);
        heads(0x1);
        in.rsAdmit.ready = 1; // warp 1's head never gets success
        cycle();
        CHECK(ready_shown() == 0 && out.rsAdmit.valid == 0 && pc_shown() == 0x101);
        CHECK(out.scb.updateRS.write.pReg == 11);
    }
    look();
    CHECK(out.perf[1].stallsScoreboard == 5);
    CHECK(out.perf[0].stallsScoreboard == 0 && out.perf[2].stallsScoreboard == 0);
}

static void hazard_only_a_warp_between_last_and_the_refused_head_passes(void) {
    static const struct {
        uint32_t last, refused, other, passes;
    } cases[] = {{0, 2, 1, 1}, {0, 2, 3, 0}, {0, 2, 0, 0}, {2, 1, 3, 1},
                 {2, 1, 0, 1}, {2, 1, 2, 0}, {3, 3, 0, 1}, {3, 0, 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start(4, cases[i].last);
        head(cases[i].refused);
        in.rsAdmit.ready = 1;
        cycle();
        CHECK(pc_shown() == 0x100 + cases[i].refused && ready_shown() == 0);
        head(cases[i].refused);
        head(cases[i].other);
        in.rsAdmit.ready = 1;
        look();
        in.scb.updateRS.success = pc_shown() != 0x100 + cases[i].refused;
        cycle();
        const uint32_t want = cases[i].passes ? 1u << cases[i].other : 0;
        CHECK_MSG(ready_shown() == want, "case %zu", i);
    }
}

/* ---- counters ---- */

static void hazard_stalls_scoreboard_counts_the_chosen_head_without_success(void) {
    start(4, 0);
    heads(6); // no room, so no success
    cycle();
    heads(6); // room, no success
    in.rsAdmit.ready = 1;
    cycle();
    heads(6);
    go();
    cycle();
    const inst nothing = op(2, 0x50, NONE, NONE, NONE, NONE);
    in.ibuf[2].valid = 1; // operand-less
    PUT_INST(in.ibuf[2].bits, nothing);
    in.rsAdmit.ready = 1;
    cycle();
    CHECK(out.scb.updateRS.enable == 0 && ready_shown() == 0);
    look();
    CHECK(out.perf[1].stallsScoreboard == 2 && out.perf[2].stallsScoreboard == 1);
}

static void hazard_success_without_room_is_no_stall(void) {
    start(4, 0);
    head(1);
    in.scb.updateRS.success = 1;
    cycle();
    CHECK(out.rsAdmit.valid == 1 && ready_shown() == 0);
    look();
    CHECK(out.perf[1].stallsScoreboard == 0);
}

static void hazard_counters_have_64_bits(void) {
    start(4, 0);
    for (uint32_t n = 0; n < WLK_HAZARD_COUNTERS; n++) {
        st.perf[1][n] = UINT32_MAX;
        st.perf[2][n] = UINT64_MAX;
    }
    heads(6);
    in.scb.warps[1].readRd.pendingWrites = 1;
    in.scb.warps[2].readRd.pendingWrites = 1;
    in.scb.warps[1].readRd.pendingReads = 1;
    in.scb.warps[2].readRd.pendingReads = 1;
    cycle();
    head(1);
    cycle();
    look();
    CHECK(out.perf[1].stallsWAW == UINT64_C(1) << 32 && out.perf[2].stallsWAW == 0);
    CHECK(out.perf[1].stallsWAR == UINT64_C(1) << 32 && out.perf[2].stallsWAR == 0);
    CHECK(out.perf[1].stallsScoreboard == UINT64_C(1) << 32);
    CHECK(out.perf[2].stallsScoreboard == UINT64_MAX);
}

static void hazard_soft_reset_clears_counters_and_does_not_count_its_cycle(void) {
    start(4, 0);
    for (uint32_t i = 0; i < 3; i++) {
        heads(6);
        in.scb.warps[1].readRd.pendingWrites = 1;
        in.scb.warps[1].readRd.pendingReads = 1;
        in.softReset = i == 1;
        cycle();
        look();
        const uint64_t want = i == 1 ? 0 : 1;
        CHECK_MSG(out.perf[1].stallsWAW == want, "cycle %u", i);
        CHECK_MSG(out.perf[1].stallsWAR == want, "cycle %u", i);
        CHECK_MSG(out.perf[2].stallsScoreboard == want, "cycle %u", i);
    }
}

/* ---- the struct API ---- */

static void hazard_snapshot_is_a_copy(void) {
    start(4, 3);
    const wlk_hazard_state copy = st;
    CHECK(wlk_hazard_state_size(&cfg) <= sizeof copy);
    CHECK(admitted_of(0xf) == 1);
    CHECK(admitted_of(0xf) == 2);
    st = copy;
    CHECK(admitted_of(0xf) == 1);
}

static void hazard_eval_changes_nothing(void) {
    start(4, 3);
    heads(0xf);
    go();
    const wlk_hazard_state before = st;
    look();
    CHECK(memcmp((const void *)&before, (const void *)&st, sizeof st) == 0);
    memset(&in, 0, sizeof in);
}

int main(void) {
    hazard_power_up_is_unknown_until_reset();
    hazard_reset_clears_counters();
    hazard_head_with_pending_write_of_rd_waits();
    hazard_head_with_pending_reads_of_rd_waits();
    hazard_counts_of_rd_do_not_matter_without_rd();
    hazard_pending_reads_of_sources_do_not_matter();
    hazard_waw_and_war_count_both_whatever_the_others_do();
    hazard_operand_is_busy_when_used_and_its_write_is_pending();
    hazard_books_the_chosen_head();
    hazard_books_register_numbers_of_rd_that_is_not_used();
    hazard_books_nothing_without_room_or_candidate();
    hazard_source_whose_write_is_pending_counts_by_option();
    hazard_asks_the_scoreboard_for_each_head();
    hazard_entry_passes_bit_for_bit();
    hazard_choice_is_the_next_candidate_after_last();
    hazard_grants_go_round();
    hazard_idle_choice_is_the_last_warp();
    hazard_ready_reaches_no_warp_without_a_candidate();
    hazard_last_does_not_move_without_a_grant();
    hazard_last_moves_in_a_reset_cycle();
    hazard_soft_reset_leaves_last();
    hazard_one_warp_has_no_last();
    hazard_unknown_last_leaves_open_what_some_value_explains();
    hazard_grant_defines_last();
    hazard_grant_before_reset_defines_last();
    hazard_chosen_head_without_success_holds_back_every_other_warp();
    hazard_only_a_warp_between_last_and_the_refused_head_passes();
    hazard_stalls_scoreboard_counts_the_chosen_head_without_success();
    hazard_success_without_room_is_no_stall();
    hazard_counters_have_64_bits();
    hazard_soft_reset_clears_counters_and_does_not_count_its_cycle();
    hazard_snapshot_is_a_copy();
    hazard_eval_changes_nothing();
    return check_done();
}

// SPDX-License-Identifier: Apache-2.0
// Power-up state that no reset reaches, as facts: the candidates a checker carries, and what it
// reports of RTL that is explained by one of them, or by none. Spec: muon-issue §1, "Power-up and
// reset".
#include "check.h"
#include "rig.h"
#include "warplock/candidates.h"
#include "warplock/checker.h"
#include "warplock/hazard.h"
#include "warplock/issue.h"
#include "warplock/reservation_station.h"

enum { AFTER_RESET = 40 };

/* ---- a model that plays the RTL, and a checker that knows nothing of its power-up ---- */

static struct {
    rig rtl;
    wlk_checker *checker;
    uint64_t *there; // output bits that are shown in this cycle
    bool partial;    // a random half of them, each cycle another
    uint64_t random; // of what is hidden
    uint64_t open;   // cycles that could go several ways
} s;

#define put(...) rig_put(&s.rtl, __VA_ARGS__)

// Parts of the state that no reset reaches; a block that has none is left as it is.
static void set_hazard_last(uint32_t warp) {
    const char *name = s.rtl.block->table->name;
    if (strcmp(name, "issue") == 0) {
        ((wlk_issue_state *)s.rtl.state)->hazard.last = (uint8_t)warp;
    } else if (strcmp(name, "hazard") == 0) {
        ((wlk_hazard_state *)s.rtl.state)->last = (uint8_t)warp;
    }
}

static void set_station(uint32_t row) {
    const char *name = s.rtl.block->table->name;
    const bool is_stage = strcmp(name, "issue") == 0;
    if (is_stage || strcmp(name, "reservation_station") == 0) {
        wlk_reservation_station_state *st = is_stage
                                                ? &((wlk_issue_state *)s.rtl.state)->reservStation
                                                : (wlk_reservation_station_state *)s.rtl.state;
        st->last = (uint8_t)row;
        memset(st->stage.entry, 0xff, sizeof st->stage.entry);
        st->stage.collEntry = 1;
        st->stage.collected = true;
    }
}

// The RTL powers up with these values of `last` and with rubbish in the output stage.
static void open_rtl(const char *block, const char *settings, uint64_t seed, uint32_t warp,
                     uint32_t row) {
    const wlk_checker_options options = {.scope = "dut"};
    wlk_error err;
    memset(&s, 0, sizeof s);
    s.random = ~seed;
    rig_open(&s.rtl, block, settings, WLK_POWER_ZERO);
    rig_noise(&s.rtl, seed);
    s.rtl.stim.profile = 1; // dense: so short a run must show something
    s.there = rig_words(&s.rtl, s.rtl.layout.out_words);
    set_hazard_last(warp);
    set_station(row);
    CHECK(wlk_checker_open(&s.checker, s.rtl.block, s.rtl.cfg, &options, &err) == WLK_OK);
}

static void close_rtl(void) {
    wlk_checker_close(s.checker);
    rig_close(&s.rtl);
}

// What the RTL shows for the inputs at hand, then its edge.
static void rtl_cycle(void) {
    rig_record(&s.rtl);
    for (uint32_t w = 0; w < s.rtl.layout.out_words; w++) {
        s.there[w] = s.partial ? wlk_random(&s.random) : ~UINT64_C(0);
        s.rtl.out[w] &= s.rtl.all[w];
    }
}

// The checker's cycle: 1 = the first that differs. Bits that are not there hold anything.
static int give(void) {
    const void *state = wlk_checker_state(s.checker);
    s.open += s.rtl.block->outcomes(s.rtl.cfg, state, s.rtl.in) > 1;
    for (uint32_t w = 0; w < s.rtl.layout.out_words; w++) {
        s.rtl.out[w] ^= wlk_random(&s.random) & ~s.there[w];
    }
    return wlk_checker_step_masked(s.checker, s.rtl.in, NULL, s.rtl.out, NULL, s.there);
}

static int play(void) {
    rtl_cycle();
    return give();
}

// A reservation station forbids an operand that is ready and busy.
static void random_inputs(bool reset) {
    rig_next_noise(&s.rtl, s.rtl.state, reset);
    for (uint32_t i = 0; strcmp(s.rtl.block->table->name, "reservation_station") == 0 && i < 3;
         i++) {
        char valid[] = "io_admit_bits_valid_0", busy[] = "io_admit_bits_busy_0";
        valid[sizeof valid - 2u] = busy[sizeof busy - 2u] = (char)('0' + i);
        if (rig_get(&s.rtl, valid) != 0) {
            rig_set(&s.rtl, busy, 0);
        }
    }
}

static wlk_status verdict(void) {
    return wlk_checker_result_get(s.checker, false).verdict;
}

static const struct {
    const char *block, *settings;
    uint32_t warps, rows;
    uint32_t runs;  // of each pair of values of `last`
    uint32_t floor; // cycles of all runs that could go several ways
} designs[] = {
    {"hazard", "num_warps=4 num_lanes=2 num_pregs=16", 4, 1, 20, 80},
    {"hazard", "num_warps=3 num_lanes=2 num_pregs=16", 3, 1, 20, 50},
    {"hazard", "num_warps=32 num_lanes=2 num_pregs=16", 32, 1, 4, 100},
    {"reservation_station", "num_warps=4 num_lanes=2 num_pregs=16 rs_entries=4", 1, 4, 100, 15},
    {"reservation_station", "num_warps=4 num_lanes=2 num_pregs=16 rs_entries=5", 1, 5, 100, 15},
    {"issue", "num_warps=4 num_lanes=2 num_pregs=16 rs_entries=4", 4, 4, 20, 150},
    {"issue", "num_warps=3 num_lanes=2 num_pregs=16 rs_entries=5 coll_entries=3", 3, 5, 20, 100},
};

// One run for each value of `last` and each seed.
static void follow_from_every_power_up(bool partial) {
    for (size_t d = 0; d < COUNT(designs); d++) {
        const uint32_t powers = designs[d].warps * designs[d].rows;
        const uint32_t runs = powers * designs[d].runs;
        uint64_t open = 0, failed = 0;
        for (uint32_t i = 0; i < runs; i++) {
            open_rtl(designs[d].block, designs[d].settings, i / powers, i % designs[d].warps,
                     i % powers / designs[d].warps);
            s.partial = partial;
            for (uint32_t c = 0; c < 2 + AFTER_RESET; c++) {
                random_inputs(c == 1);
                (void)play();
            }
            failed += verdict() != WLK_OK;
            open += s.open;
            close_rtl();
        }
        CHECK_MSG(failed == 0, "%s: %u of %u runs do not pass", designs[d].block, (unsigned)failed,
                  runs);
        CHECK_MSG(open >= designs[d].floor, "%s: only %u open cycles of %u runs",
                  designs[d].settings, (unsigned)open, runs);
    }
}

CASE(checker_follows_rtl_from_every_power_up) {
    follow_from_every_power_up(false);
}

// Output bits that are missing in a cycle are taken from no state.
CASE(checker_follows_half_of_the_outputs_from_every_power_up) {
    follow_from_every_power_up(true);
}

// All outputs are waived in half of the cycles, and show anything then.
static void waive_outputs(void) {
    for (uint32_t i = 0; i < s.rtl.layout.n_ports; i++) {
        const wlk_port *port = &s.rtl.ports[i];
        char text[256];
        wlk_error err;
        (void)snprintf(text, sizeof text, "hazard 0 %s 0x%llx io_ibuf_3_bits_uop_pc@0:1",
                       port->name, (unsigned long long)wlk_mask(port->width));
        CHECK(!port->is_out || wlk_checker_waive(s.checker, text, &err) == WLK_OK);
    }
}

CASE(checker_takes_nothing_from_what_is_waived) {
    uint32_t failed = 0, n = 0;
    uint64_t open = 0, hits = 0;
    for (uint32_t i = 0; i < 80; i++) {
        open_rtl("hazard", designs[0].settings, i / 4, i % 4, 0);
        waive_outputs();
        for (uint32_t c = 0; c < 2 + AFTER_RESET; c++) {
            random_inputs(c == 1);
            rtl_cycle();
            for (uint32_t w = 0; w < s.rtl.layout.out_words; w++) {
                const bool waived = rig_get(&s.rtl, "ibuf_3_bits_uop_pc") & 1u;
                s.rtl.out[w] ^= waived ? wlk_random(&s.random) & s.rtl.all[w] : 0u;
            }
            (void)give();
        }
        failed += verdict() != WLK_OK;
        open += s.open;
        hits += wlk_checker_waived(s.checker, &n)->cycles;
        close_rtl();
    }
    CHECK_MSG(failed == 0, "%u of 80 runs do not pass", (unsigned)failed);
    CHECK_MSG(open >= 40 && hits >= 80 * AFTER_RESET / 4, "only %u open cycles", (unsigned)open);
}

// The same, but one bit of what the RTL shows is wrong in one cycle.
CASE(checker_reports_a_wrong_bit_while_candidates_are_open) {
    for (size_t d = 0; d < COUNT(designs); d++) {
        uint32_t missed = 0;
        for (uint64_t seed = 0; seed < 10; seed++) {
            open_rtl(designs[d].block, designs[d].settings, seed, 0, 0);
            random_inputs(true);
            (void)play();
            random_inputs(false);
            rtl_cycle();
            const uint32_t last = s.rtl.layout.n_ports - 1u; // a counter
            const wlk_port *port = &s.rtl.ports[last];
            CHECK_MSG(port->is_out && port->present, "%s is no output", port->name);
            rig_set(&s.rtl, port->name, rig_get(&s.rtl, port->name) ^ 1u);
            missed += give() != 1;
            const wlk_checker_facts f = wlk_checker_facts_get(s.checker);
            // The candidate that comes nearest is reported: this port and no other.
            missed += f.n_differences != 1 || f.differences[0].port != last;
            close_rtl();
        }
        CHECK_MSG(missed == 0, "%s: %u", designs[d].block, missed);
    }
}

/* ---- RTL that no single `last` explains ---- */

// A head that writes a register of its own.
static void put_head(uint32_t warp) {
    put("ibuf_%u_valid", warp);
    put("ibuf_%u_bits_uop_inst_essentials_22", warp);
    put("ibuf_%u_bits_uop_inst_essentials_3=%u", warp, warp + 1);
}

static void put_heads(uint32_t first, uint32_t last) {
    for (uint32_t w = first; w <= last; w++) {
        put_head(w);
    }
}

// Open a design, and reset it.
static void open_design(size_t d, uint32_t warp, uint32_t row) {
    open_rtl(designs[d].block, designs[d].settings, 1, warp, row);
    rig_idle(&s.rtl);
    put("reset");
    CHECK(play() == 0);
    rig_idle(&s.rtl);
}

// A head is shown as chosen and refused; then, without a grant between, another one.
CASE(checker_reports_hazard_that_changes_its_mind) {
    for (uint32_t first = 0; first < 4; first++) {
        for (uint32_t then = 0; then < 4; then++) {
            open_design(0, first, 0);
            put_heads(0, 3);
            CHECK(play() == 0); // explained by one value
            set_hazard_last(then);
            CHECK_MSG(play() == (first != then), "last %u then %u", first, then);
            CHECK(verdict() == (first != then ? WLK_FUNCTIONAL_MISMATCH : WLK_VACUOUS));
            close_rtl();
        }
    }
}

// Two heads leave three values of `last` together that the first cycle cannot distinguish.
CASE(checker_keeps_values_of_last_not_distinguished) {
    static const struct {
        uint32_t first, then;
        int mismatch;
    } cases[] = {{0, 0, 0}, {0, 3, 0}, {0, 1, 0}, {0, 2, 1}, {2, 2, 0}, {2, 0, 1}, {2, 3, 1}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        open_design(0, cases[i].first, 0);
        put_heads(2, 3);
        CHECK(play() == 0); // last 0, 1, 3 choose warp 2; last 2 chooses warp 3
        set_hazard_last(cases[i].then);
        put_heads(0, 1);
        CHECK_MSG(play() == cases[i].mismatch, "case %zu", i);
        close_rtl();
    }
}

CASE(checker_reports_a_grant_that_no_last_explains) {
    open_design(0, 0, 0);
    put_heads(1, 2);
    put("rsAdmit_ready scb_updateRS_success");
    rtl_cycle();
    CHECK(rig_get(&s.rtl, "ibuf_1_ready") == 1);
    put("ibuf_1_ready=0 ibuf_3_ready=1"); // it offers nothing
    CHECK(give() == 1);
    CHECK(verdict() == WLK_FUNCTIONAL_MISMATCH);
    close_rtl();
}

// In the composed stage the choice shows a cycle later, in a counter.
CASE(checker_reports_issue_that_changes_its_mind) {
    for (uint32_t then = 0; then < 4; then++) {
        open_design(5, 1, 0);
        put("ibuf_0_valid ibuf_1_valid ibuf_2_valid ibuf_3_valid"); // operand-less: never admitted
        for (uint32_t i = 0; i < 3; i++) {
            CHECK_MSG(play() == 0, "cycle %u", i);
        }
        set_hazard_last(then);
        CHECK(play() == 0);
        CHECK_MSG(play() == (then != 1), "then %u", then);
        close_rtl();
    }
}

/* ---- two rows that can be dispatched first ---- */

static void put_admit(uint32_t pc, uint32_t source) {
    put("admit_valid admit_bits_ibufEntry_uop_pc=%u admit_bits_valid_0=%u", pc, !source);
    put("admit_bits_ibufEntry_uop_inst_essentials_23=%u", source);
    put("admit_bits_valid_1 admit_bits_valid_2 collector_readReq_ready");
}

static void put_response(void) {
    put("collector_readResp_valid collector_readResp_bits_regs_0_enable");
}

static int play_once(void) {
    const int first = play();
    rig_idle(&s.rtl);
    return first;
}

// A row completes by its response in the cycle in which another one, without sources, could go:
// the first dispatch there is, and `last` is unknown. `second`: the RTL's mind at the next one.
static bool station_passes(uint32_t last, int second) {
    int differs = 0;
    open_design(3, 0, last);
    put_admit(0x10, 1); // row 0
    differs |= play_once();
    put_admit(0x14, 0); // row 1; row 0 asks
    differs |= play_once();
    put_response(); // both could go
    differs |= play_once();
    CHECK(s.open == 1);
    if (second >= 0) {
        ((wlk_reservation_station_state *)s.rtl.state)->last = (uint8_t)second;
    }
    put_admit(0x18, 0);
    differs |= play_once(); // the stage is full
    for (uint32_t i = 0; i < 4; i++) {
        put("issue_ready");
        differs |= play_once();
    }
    const bool passes = verdict() == WLK_OK;
    CHECK(passes == !differs);
    close_rtl();
    return passes;
}

CASE(checker_follows_first_dispatch_of_two_rows) {
    for (uint32_t last = 0; last < 4; last++) {
        CHECK_MSG(station_passes(last, -1), "last %u", last);
    }
}

// last 3: row 0 goes, 0x18 takes its place, row 1 is next. Had row 1 gone, `last` would be 1, and
// then row 0 is next.
CASE(checker_reports_reservation_station_that_changes_its_mind) {
    CHECK(station_passes(3, 0));
    CHECK(!station_passes(3, 1));
    CHECK(station_passes(0, 1)); // row 1 goes
}

/* ---- candidates alone ---- */

static wlk_candidates w; // beside them RTL and checker stay idle
static uint64_t *scratch;

static void open_candidates(const wlk_block *block) {
    REQUIRE(wlk_candidates_open(&w, block, s.rtl.cfg) == WLK_OK, "no memory");
    wlk_candidates_init(&w, WLK_POWER_UNKNOWN);
}

static void start_candidates(const char *block, const char *settings) {
    wlk_step_info info;
    open_rtl(block, settings, 1, 0, 0);
    open_candidates(s.rtl.block);
    scratch = rig_words(&s.rtl, 2u * s.rtl.layout.out_words);
    rig_idle(&s.rtl);
    put("reset");
    wlk_candidates_tick(&w, s.rtl.in, &info);
    rig_idle(&s.rtl);
}

static void end_candidates(void) {
    wlk_candidates_close(&w);
    close_rtl();
}

// Candidates after the cycle; what they have in common is the rig's record.
static uint32_t play_candidates(void) {
    wlk_step_info info;
    wlk_candidates_record(&w, s.rtl.in, s.rtl.out, s.rtl.care, s.rtl.layout.out_words, scratch,
                          &info);
    rig_idle(&s.rtl);
    return w.n;
}

static bool all_known(void) {
    return memcmp(s.rtl.care, s.rtl.all, s.rtl.layout.out_words * sizeof *s.rtl.all) == 0;
}

static uint64_t care_of(const char *name) {
    return wlk_port_get(rig_port(&s.rtl, name), s.rtl.care);
}

// Two equal instructions, of which either may go first: nothing shows which.
CASE(candidates_of_equal_entries_stay_apart_and_meet_again) {
    start_candidates("reservation_station", designs[3].settings);
    put_admit(0x10, 1);
    CHECK(play_candidates() == 1);
    put_admit(0x10, 1);
    CHECK(play_candidates() == 1); // row 0 asks
    put("collector_readReq_ready");
    CHECK(play_candidates() == 1); // row 1 asks
    put_response();
    CHECK(play_candidates() == 2); // one answer to both: row 0 goes, or row 1
    for (uint32_t i = 0; i < 4; i++) {
        put("issue_ready");
        CHECK_MSG(play_candidates() == 2, "cycle %u", i);
        CHECK(all_known());
    }
    put_admit(0x20, 0);
    CHECK(play_candidates() == 2);
    CHECK(play_candidates() == 1); // one row alone: the same grant in both
    end_candidates();
}

CASE(candidates_record_hides_what_they_disagree_on) {
    start_candidates("hazard", designs[0].settings);
    put_heads(1, 2);
    put("rsAdmit_ready scb_updateRS_success");
    CHECK(play_candidates() == 2);
    CHECK(care_of("ibuf_1_ready") == 0 && care_of("ibuf_2_ready") == 0);
    CHECK(care_of("ibuf_0_ready") == 1 && rig_get(&s.rtl, "ibuf_0_ready") == 0);
    CHECK(care_of("rsAdmit_valid") == 1 && rig_get(&s.rtl, "rsAdmit_valid") == 1);
    put_head(3); // one candidate: its grant shows `last`
    put("rsAdmit_ready scb_updateRS_success");
    CHECK(play_candidates() == 1);
    CHECK(all_known());
    end_candidates();
}

// Lanes of register 5, of the first operand, that are known.
static void find_register(void *ctx, const char *name, int32_t index, const uint64_t *words,
                          uint32_t n_words, uint64_t known, wlk_notation notation) {
    (void)words, (void)n_words, (void)notation;
    if (strcmp(name, "rf[0]") == 0 && index == 5) {
        *(uint64_t *)ctx = known;
    }
}

// Lanes 0 and 1 of it that a candidate knows.
static uint32_t known_lanes(uint32_t candidate) {
    uint64_t known = 0;
    w.block->visit(w.cfg, w.states[candidate], find_register, &known);
    return (uint32_t)known & 3u;
}

CASE(candidates_forget_in_every_candidate) {
    start_candidates("issue", designs[5].settings);
    const size_t words = s.rtl.layout.in_words;
    uint64_t *bits = rig_words(&s.rtl, words), *in = rig_words(&s.rtl, words);
    put("ibuf_0_valid ibuf_2_valid"); // operand-less: refused, and counted in another's counter
    put("writeback_valid writeback_bits_rd=5 writeback_bits_tmask=3");
    wlk_port_set(rig_port(&s.rtl, "writeback_bits_data_0"), bits, 1);
    memcpy(in, s.rtl.in, words * sizeof *in);
    CHECK(play_candidates() == 2);
    CHECK(known_lanes(0) == 3 && known_lanes(1) == 3);
    wlk_candidates_tick_unknown(&w, in, bits, &(wlk_step_info){0, 0});
    CHECK(known_lanes(0) == 2 && known_lanes(1) == 2);
    end_candidates();
}

// As many as two arbiters of 32 inputs leave open at most, and no more.
CASE(candidates_of_the_largest_stage_are_no_more_than_there_is_room_for) {
    start_candidates("hazard", "num_warps=32 num_lanes=1 num_pregs=16");
    put_heads(0, 31);
    CHECK(play_candidates() == 32);
    for (uint32_t i = 0; i < 3; i++) { // each knows its `last` now
        for (uint32_t warp = 0; warp < 32; warp += i + 1) {
            put_head(warp);
        }
        CHECK(play_candidates() == 32);
    }
    CHECK(w.n * 32u <= WLK_MAX_CANDIDATES);
    end_candidates();
}

/* A block whose every cycle goes three ways, for good: its state is the way it went. */

static size_t toy_size(const uint32_t *cfg) {
    (void)cfg;
    return sizeof(uint64_t);
}

static void toy_init(const uint32_t *cfg, void *state, wlk_power_up power_up) {
    (void)cfg;
    (void)power_up;
    *(uint64_t *)state = 0;
}

static uint32_t toy_outcomes(const uint32_t *cfg, const void *state, const uint64_t *in) {
    (void)cfg;
    (void)state;
    return (uint32_t)in[0];
}

static void toy_assume(const uint32_t *cfg, void *state, const uint64_t *in, uint32_t k) {
    (void)cfg;
    *(uint64_t *)state = *(uint64_t *)state * in[0] + k;
}

static void toy_tick(const uint32_t *cfg, void *state, const uint64_t *in, wlk_step_info *info) {
    (void)cfg;
    *(uint64_t *)state /= in[1];
    info->events = 0;
    info->violated = 0;
}

static const wlk_block toy = {.state_size = toy_size,
                              .init = toy_init,
                              .tick = toy_tick,
                              .outcomes = toy_outcomes,
                              .assume = toy_assume};

static uint64_t toy_way(uint32_t i) {
    return *(const uint64_t *)w.states[i];
}

CASE(candidates_never_are_more_than_the_maximum) {
    static const uint32_t want[] = {3, 9, 27, 81, 243, 729, 1024, 1024, 1024};
    const uint64_t in[2] = {3, 1};
    wlk_step_info info;
    open_candidates(&toy);
    for (size_t i = 0; i < COUNT(want); i++) {
        wlk_candidates_fork(&w, in);
        CHECK_MSG(w.n == want[i], "fork %zu: %u", i, w.n);
        CHECK(w.n <= WLK_MAX_CANDIDATES && w.room <= WLK_MAX_CANDIDATES);
        wlk_candidates_tick(&w, in, &info);
        CHECK_MSG(w.n == want[i], "tick %zu: %u", i, w.n); // all different
    }
    wlk_candidates_init(&w, WLK_POWER_UNKNOWN);
    CHECK(w.n == 1 && toy_way(0) == 0);
    wlk_candidates_close(&w);
}

CASE(candidates_that_become_equal_become_one) {
    const uint64_t halves[2] = {6, 2}, ends[2] = {1, 8};
    wlk_step_info info;
    open_candidates(&toy);
    wlk_candidates_fork(&w, halves); // 0..5
    CHECK(w.n == 6);
    wlk_candidates_tick(&w, halves, &info); // 0, 0, 1, 1, 2, 2
    CHECK(w.n == 3);
    uint64_t seen = 0;
    for (uint32_t i = 0; i < w.n; i++) {
        seen |= UINT64_C(1) << toy_way(i);
    }
    CHECK(seen == 7);
    wlk_candidates_tick(&w, ends, &info);
    CHECK(w.n == 1 && toy_way(0) == 0);
    wlk_candidates_close(&w);
}

CASE(candidates_prefer_and_drop) {
    const uint64_t in[2] = {4, 1};
    open_candidates(&toy);
    wlk_candidates_fork(&w, in);
    const uint64_t third = toy_way(2), first = toy_way(0);
    wlk_candidates_prefer(&w, 2);
    CHECK(toy_way(0) == third && w.n == 4);
    wlk_candidates_drop(&w, 0);
    CHECK(w.n == 3);
    bool third_left = false, first_left = false;
    for (uint32_t i = 0; i < w.n; i++) {
        third_left = third_left || toy_way(i) == third;
        first_left = first_left || toy_way(i) == first;
    }
    CHECK(!third_left && first_left);
    wlk_candidates_close(&w);
}

int main(void) {
    return check_cases();
}

// SPDX-License-Identifier: Apache-2.0
// Power-up state that no reset reaches, as facts: the candidates a checker carries, and what it
// reports of RTL that is explained by one of them, or by none. Spec: muon-issue §1, "Power-up and
// reset".
#include "check.h"
#include "muon.h"
#include "noise.h"
#include "warplock/candidates.h"
#include "warplock/checker.h"
#include "warplock/issue.h"

enum { AFTER_RESET = 40 };

/* ---- a model that plays the RTL, and a checker that knows nothing of its power-up ---- */

typedef struct rig {
    noise n;
    void *rtl;
    wlk_checker *checker;
    uint64_t *got, *care;
    uint64_t *there; // output bits that are shown in this cycle
    bool partial;    // a random half of them, each cycle another
    uint64_t random; // of what is hidden
    uint64_t open;   // cycles that could go several ways
    uint64_t cycles;
} rig;

// The n-th arbiter's `last`: of Hazard 0, of the reservation station 1. NULL: the block has none.
static uint32_t *last_of(const rig *r, void *state, uint32_t arbiter) {
    const char *name = r->n.block->table->name;
    wlk_issue_state *stage = strcmp(name, "issue") == 0 ? (wlk_issue_state *)state : NULL;
    if (arbiter == 0) {
        return stage != NULL                 ? &stage->hazard.last
               : strcmp(name, "hazard") == 0 ? &((wlk_hazard_state *)state)->last
                                             : NULL;
    }
    return stage != NULL ? &stage->reservStation.last
           : strcmp(name, "reservation_station") == 0
               ? &((wlk_reservation_station_state *)state)->last
               : NULL;
}

static wlk_reservation_station_state *station_of(const rig *r, void *state) {
    const char *name = r->n.block->table->name;
    return strcmp(name, "issue") == 0                 ? &((wlk_issue_state *)state)->reservStation
           : strcmp(name, "reservation_station") == 0 ? (wlk_reservation_station_state *)state
                                                      : NULL;
}

// The RTL powers up with these values of `last` and with rubbish in the output stage.
static void rig_open(rig *r, const char *block, const char *settings, uint64_t seed, uint32_t warp,
                     uint32_t row) {
    const wlk_checker_options options = {.scope = "dut"};
    const uint32_t value[2] = {warp, row};
    wlk_error err;
    memset(r, 0, sizeof *r);
    r->random = ~seed;
    noise_open(&r->n, block, settings, seed);
    r->n.stim.profile = 0; // so short a run must show something
    r->rtl = noise_state(&r->n, r->n.block, WLK_POWER_ZERO);
    r->got = noise_words(r->n.layout.out_words);
    r->care = noise_words(r->n.layout.out_words);
    r->there = noise_words(r->n.layout.out_words);
    for (uint32_t a = 0; a < 2; a++) {
        uint32_t *last = last_of(r, r->rtl, a);
        if (last != NULL) {
            *last = UINT32_C(1) << value[a];
        }
    }
    wlk_reservation_station_state *station = station_of(r, r->rtl);
    if (station != NULL) {
        memset(station->stage, 0xff, sizeof station->stage);
        station->stage_collEntry = 1;
        station->stage_collFired = 7;
    }
    CHECK(wlk_checker_open(&r->checker, r->n.block, r->n.cfg, &options, &err) == WLK_OK);
}

static void rig_close(rig *r) {
    wlk_checker_close(r->checker);
    free(r->rtl);
    free(r->got);
    free(r->care);
    free(r->there);
    noise_close(&r->n);
}

// What the RTL shows for r->n.in, then its edge.
static void rig_rtl(rig *r) {
    wlk_step_info info;
    r->n.block->record(r->n.cfg, r->rtl, r->n.in, r->got, r->care, &info);
    for (uint32_t w = 0; w < r->n.layout.out_words; w++) {
        r->there[w] = r->partial ? wlk_random(&r->random) : ~UINT64_C(0);
        r->got[w] &= r->n.all[w];
    }
}

// Bits that are not there hold anything.
static void rig_hide(rig *r) {
    for (uint32_t w = 0; w < r->n.layout.out_words; w++) {
        r->got[w] ^= wlk_random(&r->random) & ~r->there[w];
    }
}

// The checker's cycle: 1 = the first that differs.
static int rig_check(rig *r) {
    const void *state = wlk_checker_state(r->checker);
    r->open += r->n.block->outcomes(r->n.cfg, state, r->n.in) > 1;
    r->cycles++;
    rig_hide(r);
    return wlk_checker_step_masked(r->checker, r->n.in, NULL, r->got, NULL, r->there);
}

static void put(rig *r, const char *port, uint64_t value) {
    wlk_port_set(noise_port(&r->n, port), r->n.in, value);
}

// A reservation station forbids an operand that is ready and busy.
static void rig_next(rig *r, bool reset) {
    noise_next(&r->n, r->rtl, reset);
    for (uint32_t i = 0; strcmp(r->n.block->table->name, "reservation_station") == 0 && i < 3;
         i++) {
        char valid[] = "io_admit_bits_valid_0", busy[] = "io_admit_bits_busy_0";
        valid[sizeof valid - 2u] = busy[sizeof busy - 2u] = (char)('0' + i);
        if (wlk_port_get(noise_port(&r->n, valid), r->n.in) != 0) {
            put(r, busy, 0);
        }
    }
}

static int rig_cycle(rig *r, bool reset) {
    rig_next(r, reset);
    rig_rtl(r);
    return rig_check(r);
}

static wlk_status rig_verdict(const rig *r) {
    return wlk_checker_result_get(r->checker, false).verdict;
}

static const struct {
    const char *block, *settings;
    uint32_t warps, rows;
    uint32_t runs;  // of each pair of values of `last`
    uint32_t floor; // cycles of all runs that could go several ways
} designs[] = {
    {"hazard", "num_warps=4 num_lanes=2 num_pregs=16", 4, 1, 20, 80},
    {"hazard", "num_warps=3 num_lanes=2 num_pregs=16", 3, 1, 20, 50},
    {"hazard", "num_warps=32 num_lanes=2 num_pregs=16", 32, 1, 2, 100},
    {"reservation_station", "num_warps=4 num_lanes=2 num_pregs=16 rs_entries=4", 1, 4, 100, 15},
    {"reservation_station", "num_warps=4 num_lanes=2 num_pregs=16 rs_entries=5", 1, 5, 100, 15},
    {"issue", "num_warps=4 num_lanes=2 num_pregs=16 rs_entries=4", 4, 4, 20, 150},
    {"issue", "num_warps=3 num_lanes=2 num_pregs=16 rs_entries=5 coll_entries=3", 3, 5, 20, 100},
};

enum { DESIGNS = sizeof designs / sizeof designs[0] };

typedef struct outcome {
    uint64_t open, failed, runs;
} outcome;

static void run_from(size_t d, uint32_t warp, uint32_t row, bool partial, outcome *o) {
    for (uint64_t seed = 0; seed < designs[d].runs; seed++) {
        rig r;
        rig_open(&r, designs[d].block, designs[d].settings, seed, warp, row);
        r.partial = partial;
        for (uint32_t c = 0; c < 2 + AFTER_RESET; c++) {
            (void)rig_cycle(&r, c == 1);
        }
        o->failed += rig_verdict(&r) != WLK_OK;
        o->open += r.open;
        o->runs++;
        rig_close(&r);
    }
}

static void follow_from_every_power_up(bool partial) {
    for (size_t d = 0; d < DESIGNS; d++) {
        outcome o = {0};
        for (uint32_t warp = 0; warp < designs[d].warps; warp++) {
            for (uint32_t row = 0; row < designs[d].rows; row++) {
                run_from(d, warp, row, partial, &o);
            }
        }
        CHECK_MSG(o.failed == 0, "%s: %u of %u runs do not pass", designs[d].block,
                  (unsigned)o.failed, (unsigned)o.runs);
        CHECK_MSG(o.open >= designs[d].floor, "%s: only %u open cycles of %u runs",
                  designs[d].settings, (unsigned)o.open, (unsigned)o.runs);
    }
}

static void checker_follows_rtl_from_every_power_up(void) {
    follow_from_every_power_up(false);
}

// Output bits that are missing in a cycle are taken from no state.
static void checker_follows_half_of_the_outputs_from_every_power_up(void) {
    follow_from_every_power_up(true);
}

// The same, but one bit of what the RTL shows is wrong in one cycle.
static void checker_reports_a_wrong_bit_while_candidates_are_open(void) {
    for (size_t d = 0; d < DESIGNS; d++) {
        uint32_t missed = 0, tried = 0;
        for (uint64_t seed = 0; seed < 10; seed++) {
            rig r;
            rig_open(&r, designs[d].block, designs[d].settings, seed, 0, 0);
            (void)rig_cycle(&r, true);
            rig_next(&r, false);
            rig_rtl(&r);
            const wlk_port *port = &r.n.ports[r.n.layout.n_ports - 1u]; // a counter
            if (!port->is_out || !port->present) {
                CHECK_MSG(false, "%s is no output", port->name);
            }
            wlk_port_set(port, r.got, wlk_port_get(port, r.got) ^ 1u);
            missed += rig_check(&r) != 1;
            uint32_t n = 0;
            const wlk_difference *differences = wlk_checker_differences(r.checker, &n);
            // The candidate that comes nearest is reported: this port and no other.
            missed += n != 1 || differences[0].port != r.n.layout.n_ports - 1u;
            tried++;
            rig_close(&r);
        }
        CHECK_MSG(missed == 0, "%s: %u of %u", designs[d].block, missed, tried);
    }
}

/* ---- RTL that no single `last` explains ---- */

static void all_idle(rig *r) {
    memset(r->n.in, 0, r->n.layout.in_words * sizeof *r->n.in);
}

// A head that writes a register of its own.
static void put_head(rig *r, const char *prefix, uint32_t warp) {
    char name[WLK_MAX_NAME];
    (void)snprintf(name, sizeof name, "io_ibuf_%u_valid", warp);
    put(r, name, 1);
    (void)snprintf(name, sizeof name, "%s_%u_bits_uop_inst_essentials_22", prefix, warp);
    put(r, name, 1);
    (void)snprintf(name, sizeof name, "%s_%u_bits_uop_inst_essentials_3", prefix, warp);
    put(r, name, warp + 1);
}

static void reset_rig(rig *r) {
    all_idle(r);
    put(r, "reset", 1);
    rig_rtl(r);
    CHECK(rig_check(r) == 0);
    all_idle(r);
}

// A head is shown as chosen and refused; then, without a grant between, another one.
static void checker_reports_hazard_that_changes_its_mind(void) {
    for (uint32_t first = 0; first < 4; first++) {
        for (uint32_t then = 0; then < 4; then++) {
            rig r;
            rig_open(&r, "hazard", designs[0].settings, 1, first, 0);
            reset_rig(&r);
            for (uint32_t w = 0; w < 4; w++) {
                put_head(&r, "io_ibuf", w);
            }
            rig_rtl(&r);
            CHECK(rig_check(&r) == 0); // explained by one value
            *last_of(&r, r.rtl, 0) = UINT32_C(1) << then;
            rig_rtl(&r);
            CHECK_MSG(rig_check(&r) == (first != then), "last %u then %u", first, then);
            CHECK(rig_verdict(&r) == (first != then ? WLK_FUNCTIONAL_MISMATCH : WLK_VACUOUS));
            rig_close(&r);
        }
    }
}

// Two heads leave three values of `last` together that the first cycle cannot distinguish.
static void checker_keeps_values_of_last_not_distinguished(void) {
    static const struct {
        uint32_t first, then;
        int mismatch;
    } cases[] = {{0, 0, 0}, {0, 3, 0}, {0, 1, 0}, {0, 2, 1}, {2, 2, 0}, {2, 0, 1}, {2, 3, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rig r;
        rig_open(&r, "hazard", designs[0].settings, 1, cases[i].first, 0);
        reset_rig(&r);
        put_head(&r, "io_ibuf", 2);
        put_head(&r, "io_ibuf", 3);
        rig_rtl(&r);
        CHECK(rig_check(&r) == 0); // last 0, 1, 3 choose warp 2; last 2 chooses warp 3
        *last_of(&r, r.rtl, 0) = UINT32_C(1) << cases[i].then;
        put_head(&r, "io_ibuf", 0);
        put_head(&r, "io_ibuf", 1);
        rig_rtl(&r);
        CHECK_MSG(rig_check(&r) == cases[i].mismatch, "case %zu", i);
        rig_close(&r);
    }
}

static void checker_reports_a_grant_that_no_last_explains(void) {
    rig r;
    rig_open(&r, "hazard", designs[0].settings, 1, 0, 0);
    reset_rig(&r);
    put_head(&r, "io_ibuf", 1);
    put_head(&r, "io_ibuf", 2);
    put(&r, "io_rsAdmit_ready", 1);
    put(&r, "io_scb_updateRS_success", 1);
    rig_rtl(&r);
    const wlk_port *granted = noise_port(&r.n, "io_ibuf_1_ready");
    CHECK(wlk_port_get(granted, r.got) == 1);
    wlk_port_set(granted, r.got, 0);
    wlk_port_set(noise_port(&r.n, "io_ibuf_3_ready"), r.got, 1); // it offers nothing
    CHECK(rig_check(&r) == 1);
    CHECK(rig_verdict(&r) == WLK_FUNCTIONAL_MISMATCH);
    rig_close(&r);
}

// In the composed stage the choice shows a cycle later, in a counter.
static void checker_reports_issue_that_changes_its_mind(void) {
    for (uint32_t then = 0; then < 4; then++) {
        rig r;
        rig_open(&r, "issue", designs[5].settings, 1, 1, 0);
        reset_rig(&r);
        for (uint32_t w = 0; w < 4; w++) { // operand-less: never admitted
            char name[WLK_MAX_NAME];
            (void)snprintf(name, sizeof name, "io_ibuf_%u_valid", w);
            put(&r, name, 1);
        }
        for (uint32_t i = 0; i < 3; i++) {
            rig_rtl(&r);
            CHECK_MSG(rig_check(&r) == 0, "cycle %u", i);
        }
        *last_of(&r, r.rtl, 0) = UINT32_C(1) << then;
        rig_rtl(&r);
        CHECK(rig_check(&r) == 0);
        rig_rtl(&r);
        CHECK_MSG(rig_check(&r) == (then != 1), "then %u", then);
        rig_close(&r);
    }
}

/* ---- two rows that can be dispatched first ---- */

static void station_admit(rig *r, uint32_t pc, bool source) {
    all_idle(r);
    put(r, "io_admit_valid", 1);
    put(r, "io_admit_bits_ibufEntry_uop_pc", pc);
    put(r, "io_admit_bits_ibufEntry_uop_inst_essentials_23", source);
    put(r, "io_admit_bits_valid_0", !source);
    put(r, "io_admit_bits_valid_1", 1);
    put(r, "io_admit_bits_valid_2", 1);
    put(r, "io_collector_readReq_ready", 1);
}

static void station_respond(rig *r) {
    all_idle(r);
    put(r, "io_collector_readResp_valid", 1);
    put(r, "io_collector_readResp_bits_regs_0_enable", 1);
}

static int rig_play(rig *r) {
    rig_rtl(r);
    const int first = rig_check(r);
    all_idle(r);
    return first;
}

// A row completes by its response in the cycle in which another one, without sources, could go:
// the first dispatch there is, and `last` is unknown. `second`: the RTL's mind at the next one.
static bool station_passes(uint32_t last, int second) {
    rig r;
    rig_open(&r, "reservation_station", designs[3].settings, 1, 0, last);
    reset_rig(&r);
    int differs = 0;
    station_admit(&r, 0x10, true); // row 0
    differs |= rig_play(&r);
    station_admit(&r, 0x14, false); // row 1; row 0 asks
    differs |= rig_play(&r);
    station_respond(&r); // both could go
    differs |= rig_play(&r);
    CHECK(r.open == 1);
    if (second >= 0) {
        *last_of(&r, r.rtl, 1) = UINT32_C(1) << second;
    }
    station_admit(&r, 0x18, false);
    differs |= rig_play(&r); // the stage is full
    put(&r, "io_issue_ready", 1);
    differs |= rig_play(&r);
    for (uint32_t i = 0; i < 3; i++) {
        put(&r, "io_issue_ready", 1);
        differs |= rig_play(&r);
    }
    const bool passes = rig_verdict(&r) == WLK_OK;
    CHECK(passes == !differs);
    rig_close(&r);
    return passes;
}

static void checker_follows_first_dispatch_of_two_rows(void) {
    for (uint32_t last = 0; last < 4; last++) {
        CHECK_MSG(station_passes(last, -1), "last %u", last);
    }
}

// last 3: row 0 goes, 0x18 takes its place, row 1 is next. Had row 1 gone, `last` would be 1, and
// then row 0 is next.
static void checker_reports_reservation_station_that_changes_its_mind(void) {
    CHECK(station_passes(3, 0));
    CHECK(!station_passes(3, 1));
    CHECK(station_passes(0, 1)); // row 1 goes
}

/* ---- candidates alone ---- */

static void candidates_open_or_stop(wlk_candidates *w, const noise *n) {
    if (!CHECK(wlk_candidates_open(w, n->block, n->cfg) == WLK_OK)) {
        abort();
    }
    wlk_candidates_init(w, WLK_POWER_UNKNOWN);
}

typedef struct candidates_rig {
    rig r; // its RTL and checker stay idle
    wlk_candidates w;
    uint64_t *out, *care, *scratch;
} candidates_rig;

static void candidates_start(candidates_rig *x, const char *block, const char *settings) {
    rig_open(&x->r, block, settings, 1, 0, 0);
    candidates_open_or_stop(&x->w, &x->r.n);
    const uint32_t words = x->r.n.layout.out_words;
    x->out = noise_words(words);
    x->care = noise_words(words);
    x->scratch = noise_words(2u * words);
    wlk_step_info info;
    all_idle(&x->r);
    put(&x->r, "reset", 1);
    wlk_candidates_tick(&x->w, x->r.n.in, &info);
    all_idle(&x->r);
}

static void candidates_end(candidates_rig *x) {
    wlk_candidates_close(&x->w);
    rig_close(&x->r);
    free(x->out);
    free(x->care);
    free(x->scratch);
}

static uint32_t candidates_play(candidates_rig *x) {
    wlk_step_info info;
    wlk_candidates_record(&x->w, x->r.n.in, x->out, x->care, x->r.n.layout.out_words, x->scratch,
                          &info);
    all_idle(&x->r);
    return x->w.n;
}

// Two equal instructions, of which either may go first: nothing shows which.
static void candidates_of_equal_entries_stay_apart_and_meet_again(void) {
    candidates_rig x;
    candidates_start(&x, "reservation_station", designs[3].settings);
    station_admit(&x.r, 0x10, true);
    CHECK(candidates_play(&x) == 1);
    station_admit(&x.r, 0x10, true);
    CHECK(candidates_play(&x) == 1); // row 0 asks
    put(&x.r, "io_collector_readReq_ready", 1);
    CHECK(candidates_play(&x) == 1); // row 1 asks
    station_respond(&x.r);
    CHECK(candidates_play(&x) == 2); // one answer to both: row 0 goes, or row 1
    for (uint32_t i = 0; i < 4; i++) {
        put(&x.r, "io_issue_ready", 1);
        CHECK_MSG(candidates_play(&x) == 2, "cycle %u", i);
        CHECK(memcmp(x.care, x.r.n.all, x.r.n.layout.out_words * sizeof *x.care) == 0);
    }
    station_admit(&x.r, 0x20, false);
    CHECK(candidates_play(&x) == 2);
    CHECK(candidates_play(&x) == 1); // one row alone: the same grant in both
    candidates_end(&x);
}

static void candidates_record_hides_what_they_disagree_on(void) {
    candidates_rig x;
    candidates_start(&x, "hazard", designs[0].settings);
    const wlk_port *one = noise_port(&x.r.n, "io_ibuf_1_ready");
    const wlk_port *two = noise_port(&x.r.n, "io_ibuf_2_ready");
    const wlk_port *zero = noise_port(&x.r.n, "io_ibuf_0_ready");
    put_head(&x.r, "io_ibuf", 1);
    put_head(&x.r, "io_ibuf", 2);
    put(&x.r, "io_rsAdmit_ready", 1);
    put(&x.r, "io_scb_updateRS_success", 1);
    CHECK(candidates_play(&x) == 2);
    CHECK(wlk_port_get(one, x.care) == 0 && wlk_port_get(two, x.care) == 0);
    CHECK(wlk_port_get(zero, x.care) == 1 && wlk_port_get(zero, x.out) == 0);
    CHECK(wlk_port_get(noise_port(&x.r.n, "io_rsAdmit_valid"), x.care) == 1);
    CHECK(wlk_port_get(noise_port(&x.r.n, "io_rsAdmit_valid"), x.out) == 1);
    put_head(&x.r, "io_ibuf", 3); // one candidate: its grant shows `last`
    put(&x.r, "io_rsAdmit_ready", 1);
    put(&x.r, "io_scb_updateRS_success", 1);
    CHECK(candidates_play(&x) == 1);
    CHECK(memcmp(x.care, x.r.n.all, x.r.n.layout.out_words * sizeof *x.care) == 0);
    candidates_end(&x);
}

static void candidates_forget_in_every_candidate(void) {
    candidates_rig x;
    candidates_start(&x, "issue", designs[5].settings);
    const wlk_port *data = noise_port(&x.r.n, "io_writeback_bits_data_0");
    uint64_t *bits = noise_words(x.r.n.layout.in_words);
    put(&x.r, "io_ibuf_0_valid", 1); // operand-less: refused, and counted in another warp's counter
    put(&x.r, "io_ibuf_2_valid", 1);
    put(&x.r, "io_writeback_valid", 1);
    put(&x.r, "io_writeback_bits_rd", 5);
    put(&x.r, "io_writeback_bits_tmask", 3);
    wlk_port_set(data, bits, 1);
    uint64_t *in = noise_words(x.r.n.layout.in_words);
    memcpy(in, x.r.n.in, x.r.n.layout.in_words * sizeof *in);
    CHECK(candidates_play(&x) == 2);
    for (uint32_t i = 0; i < 2; i++) {
        const wlk_issue_state *st = (const wlk_issue_state *)x.w.states[i];
        CHECK((st->collector.rf_known[5] & 3u) == 3);
    }
    wlk_candidates_forget(&x.w, in, bits);
    for (uint32_t i = 0; i < 2; i++) {
        const wlk_issue_state *st = (const wlk_issue_state *)x.w.states[i];
        CHECK_MSG((st->collector.rf_known[5] & 3u) == 2, "candidate %u", i);
    }
    free(in);
    free(bits);
    candidates_end(&x);
}

// As many as two arbiters of 32 inputs leave open at most, and no more.
static void candidates_of_the_largest_stage_are_no_more_than_there_is_room_for(void) {
    candidates_rig x;
    candidates_start(&x, "hazard", "num_warps=32 num_lanes=1 num_pregs=16");
    for (uint32_t w = 0; w < 32; w++) {
        put_head(&x.r, "io_ibuf", w);
    }
    CHECK(candidates_play(&x) == 32);
    for (uint32_t i = 0; i < 3; i++) { // each knows its `last` now
        for (uint32_t w = 0; w < 32; w += i + 1) {
            put_head(&x.r, "io_ibuf", w);
        }
        CHECK(candidates_play(&x) == 32);
    }
    CHECK(x.w.n * 32u <= WLK_MAX_CANDIDATES);
    candidates_end(&x);
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

static uint64_t toy_way(const wlk_candidates *w, uint32_t i) {
    return *(const uint64_t *)w->states[i];
}

static void candidates_never_are_more_than_the_maximum(void) {
    const uint32_t cfg[1] = {0};
    const uint64_t in[2] = {3, 1};
    static const uint32_t want[] = {3, 9, 27, 81, 243, 729, 1024, 1024, 1024};
    wlk_candidates w;
    wlk_step_info info;
    CHECK(wlk_candidates_open(&w, &toy, cfg) == WLK_OK);
    wlk_candidates_init(&w, WLK_POWER_UNKNOWN);
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        wlk_candidates_fork(&w, in);
        CHECK_MSG(w.n == want[i], "fork %zu: %u", i, w.n);
        CHECK(w.n <= WLK_MAX_CANDIDATES && w.room <= WLK_MAX_CANDIDATES);
        wlk_candidates_tick(&w, in, &info);
        CHECK_MSG(w.n == want[i], "tick %zu: %u", i, w.n); // all different
    }
    wlk_candidates_init(&w, WLK_POWER_UNKNOWN);
    CHECK(w.n == 1 && toy_way(&w, 0) == 0);
    wlk_candidates_close(&w);
}

static void candidates_that_become_equal_become_one(void) {
    const uint32_t cfg[1] = {0};
    const uint64_t halves[2] = {6, 2}, ends[2] = {1, 8};
    wlk_candidates w;
    wlk_step_info info;
    CHECK(wlk_candidates_open(&w, &toy, cfg) == WLK_OK);
    wlk_candidates_init(&w, WLK_POWER_UNKNOWN);
    wlk_candidates_fork(&w, halves); // 0..5
    CHECK(w.n == 6);
    wlk_candidates_tick(&w, halves, &info); // 0, 0, 1, 1, 2, 2
    CHECK(w.n == 3);
    uint64_t seen = 0;
    for (uint32_t i = 0; i < w.n; i++) {
        seen |= UINT64_C(1) << toy_way(&w, i);
    }
    CHECK(seen == 7);
    wlk_candidates_tick(&w, ends, &info);
    CHECK(w.n == 1 && toy_way(&w, 0) == 0);
    wlk_candidates_close(&w);
}

static void candidates_prefer_and_drop(void) {
    const uint32_t cfg[1] = {0};
    const uint64_t in[2] = {4, 1};
    wlk_candidates w;
    CHECK(wlk_candidates_open(&w, &toy, cfg) == WLK_OK);
    wlk_candidates_init(&w, WLK_POWER_UNKNOWN);
    wlk_candidates_fork(&w, in);
    const uint64_t third = toy_way(&w, 2), first = toy_way(&w, 0);
    wlk_candidates_prefer(&w, 2);
    CHECK(toy_way(&w, 0) == third && w.n == 4);
    wlk_candidates_drop(&w, 0);
    CHECK(w.n == 3);
    bool third_left = false, first_left = false;
    for (uint32_t i = 0; i < w.n; i++) {
        third_left = third_left || toy_way(&w, i) == third;
        first_left = first_left || toy_way(&w, i) == first;
    }
    CHECK(!third_left && first_left);
    wlk_candidates_close(&w);
}

int main(void) {
    checker_follows_rtl_from_every_power_up();
    checker_follows_half_of_the_outputs_from_every_power_up();
    checker_reports_a_wrong_bit_while_candidates_are_open();
    checker_reports_hazard_that_changes_its_mind();
    checker_keeps_values_of_last_not_distinguished();
    checker_reports_a_grant_that_no_last_explains();
    checker_reports_issue_that_changes_its_mind();
    checker_follows_first_dispatch_of_two_rows();
    checker_reports_reservation_station_that_changes_its_mind();
    candidates_of_equal_entries_stay_apart_and_meet_again();
    candidates_record_hides_what_they_disagree_on();
    candidates_forget_in_every_candidate();
    candidates_of_the_largest_stage_are_no_more_than_there_is_room_for();
    candidates_never_are_more_than_the_maximum();
    candidates_that_become_equal_become_one();
    candidates_prefer_and_drop();
    return check_done();
}

// SPDX-License-Identifier: Apache-2.0
// A block of eight bits of state from each of its 256 starts, against what the frame knows of it:
// a state that is possible is never excluded, and what is compared is the same in all of them. The
// model comes from test_every_start.py.
#include "model.c"

#include "check.h"
#include "warplock/candidates.h"

enum { BITS = 8, STARTS = 256, RUNS = 40, CYCLES = 24 };

static uint64_t seed;
static uint32_t cfg[WLK_MAX_PARAMS];
static const wlk_block *block = &NAMED(block);
static wlk_candidates checker;
static state_t possible[STARTS]; // each once
static uint32_t n_possible;

static uint32_t draw(uint32_t below) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 20) % below;
}

static void start(void) {
    for (uint32_t s = 0; s < STARTS; s++) {
        for (uint32_t i = 0; i < BITS; i++) {
            possible[s].m[i] = s >> i & 1u;
        }
    }
    n_possible = STARTS;
}

static void drop_equal(void) {
    bool seen[STARTS] = {false};
    uint32_t n = 0;
    for (uint32_t s = 0; s < n_possible; s++) {
        uint32_t number = 0;
        for (uint32_t i = 0; i < BITS; i++) {
            number |= (uint32_t)possible[s].m[i] << i;
        }
        if (!seen[number]) {
            seen[number] = true;
            possible[n++] = possible[s];
        }
    }
    n_possible = n;
}

static framed known_state(const state_t *st) {
    framed f;
    memset(&f, 0, sizeof f);
    f.st = *st;
    f.live = 1;
    return f;
}

static uint64_t shown_by(const state_t *st, const uint64_t *in) {
    const framed f = known_state(st);
    uint64_t out, care;
    block->eval(cfg, &f, in, &out, &care);
    return out;
}

// May a candidate be in this state?
static bool may_be(const framed *f, const state_t *st) {
    bool agrees = true, listed = true;
    if (!IS_OPEN(f)) {
        return memcmp(&f->st, st, sizeof *st) == 0;
    }
    for (uint32_t i = 0; i < BITS; i++) {
        agrees = agrees && ((f->o.known[i].value ^ st->m[i]) & f->o.known[i].known) == 0;
    }
#ifdef WLK_FOLLOWS
    followed values;
    listed = value_set_is_empty(&f->o.possible);
    follow_values(cfg, !listed, &values);
    for (uint32_t k = 0; k < values.n; k++) {
        bool equal = true;
        for (uint32_t i = 0; i < values.numbers; i++) {
            equal = equal && follow_numbers(&values, k)[i] == st->m[values.at[i]];
        }
        listed = listed || (equal && value_set_has(&f->o.possible, k));
    }
#endif
    return agrees && listed;
}

static void check_states(uint32_t run, uint32_t cycle) {
    for (uint32_t s = 0; s < n_possible; s++) {
        bool found = false;
        for (uint32_t i = 0; i < checker.n; i++) {
            found = found || may_be((const framed *)checker.states[i], &possible[s]);
        }
        CHECK_MSG(found, "run %u, cycle %u: a possible state is excluded", run, cycle);
    }
    for (uint32_t i = 0; i < checker.n; i++) {
        const framed *f = (const framed *)checker.states[i];
        CHECK_MSG(may_be(f, &f->st), "run %u, cycle %u: st is not possible", run, cycle);
    }
}

// What a candidate shows before its outcomes are apart is the same in all states that it may be in.
static void check_joined(const uint64_t *in, uint32_t run, uint32_t cycle) {
    for (uint32_t i = 0; i < checker.n; i++) {
        const framed *f = (const framed *)checker.states[i];
        uint64_t out, care;
        block->eval(cfg, f, in, &out, &care);
        for (uint32_t s = 0; s < n_possible; s++) {
            const uint64_t differs = (out ^ shown_by(&possible[s], in)) & care;
            CHECK_MSG(differs == 0 || !may_be(f, &possible[s]), "run %u, cycle %u: shown as known",
                      run, cycle);
        }
    }
}

static void reset_asynchronously(void) {
    wlk_candidates_clear(&checker);
    for (uint32_t s = 0; s < n_possible; s++) {
        clear((const cfg_t *)cfg, &possible[s]);
    }
    drop_equal();
}

// What differs from what is seen is dropped on both sides.
static void compare(const uint64_t *in, uint64_t seen, uint32_t run, uint32_t cycle) {
    uint64_t out, care;
    uint32_t n = 0;
    wlk_candidates_fork(&checker, in);
    for (uint32_t i = checker.n; i-- > 0;) {
        block->eval(cfg, checker.states[i], in, &out, &care);
        if (((out ^ seen) & care) != 0 && checker.n > 1) {
            wlk_candidates_drop(&checker, i);
        }
    }
    block->eval(cfg, checker.states[0], in, &out, &care);
    CHECK_MSG(((out ^ seen) & care) == 0, "run %u, cycle %u: a false alarm", run, cycle);
    for (uint32_t s = 0; s < n_possible; s++) {
        if (shown_by(&possible[s], in) == seen) {
            possible[n++] = possible[s];
        }
    }
    n_possible = n;
}

// What is recorded without a look at the RTL is the same in all states.
static void record_it(const uint64_t *in, wlk_step_info *info, uint32_t run, uint32_t cycle) {
    uint64_t out, care, other[2];
    wlk_candidates_record(&checker, in, &out, &care, 1, other, info);
    for (uint32_t s = 0; s < n_possible; s++) {
        const uint64_t differs = (out ^ shown_by(&possible[s], in)) & care;
        CHECK_MSG(differs == 0, "run %u, cycle %u: recorded as known", run, cycle);
    }
}

static bool each_breaks(const uint64_t *in) {
    bool all = true;
    in_t given;
    NAMED(in_unpack)((const cfg_t *)cfg, in, &given);
    for (uint32_t s = 0; s < n_possible; s++) {
        all = all && own.broken((const cfg_t *)cfg, &possible[s], &given) != 0;
    }
    return all;
}

static void take_edges(const uint64_t *in) {
    for (uint32_t s = 0; s < n_possible; s++) {
        framed f = known_state(&possible[s]);
        wlk_step_info info;
        block->tick(cfg, &f, in, &info);
        possible[s] = f.st;
    }
    drop_equal();
}

// One of them is the RTL's; `seen` is what it shows.
static void play(uint32_t run) {
    const bool is_late = run % 4 < 2, looks = run % 2 == 0, is_async = run / 4 % 2 != 0;
    wlk_step_info info;
    start();
    if (is_late) {
        wlk_candidates_late(&checker);
    } else {
        wlk_candidates_init(&checker, WLK_POWER_UNKNOWN);
    }
    for (uint32_t edge = 0; !is_late && edge < 3; edge++) { // nothing is compared before a reset
        const uint64_t in = (uint64_t)draw(16) << 1 | (edge == 2);
        wlk_candidates_tick(&checker, &in, &info);
        take_edges(&in);
    }
    state_t rtl = possible[draw(n_possible)];
    for (uint32_t cycle = 0; cycle < CYCLES; cycle++) {
        const uint64_t in = (uint64_t)draw(16) << 1 | (draw(12) == 0), none = 0, all = 7;
        if (is_async && (in & 1u) != 0) {
            reset_asynchronously();
            clear((const cfg_t *)cfg, &rtl);
            check_states(run, cycle);
        }
        const uint64_t seen = shown_by(&rtl, &in);
        const wlk_sight sight = {&in, &seen, &all, &seen, &none};
        check_joined(&in, run, cycle);
        if (looks) {
            compare(&in, seen, run, cycle);
            wlk_candidates_learn(&checker, &sight);
            check_states(run, cycle);
        }
        const bool broken = each_breaks(&in);
        if (looks) {
            wlk_candidates_tick(&checker, &in, &info);
        } else {
            record_it(&in, &info, run, cycle);
        }
        CHECK_MSG(broken || info.violated == 0, "run %u, cycle %u: no rule is broken", run, cycle);
        framed f = known_state(&rtl);
        block->tick(cfg, &f, &in, &info);
        rtl = f.st;
        take_edges(&in);
        check_states(run, cycle);
    }
}

int main(int argc, char **argv) {
    (void)argc;
    seed = strtoull(argv[1], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1u;
    wlk_config_defaults(block->table, cfg);
    REQUIRE(wlk_candidates_open(&checker, block, cfg) == WLK_OK, "no memory");
    for (uint32_t run = 0; run < RUNS; run++) {
        play(run);
    }
    wlk_candidates_close(&checker);
    return check_done();
}

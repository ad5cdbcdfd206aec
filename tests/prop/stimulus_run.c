// SPDX-License-Identifier: Apache-2.0
// What the stimulus of a block does to its model: stimulus_run BLOCK PROFILE FIRST LAST CYCLES
// [KEY=VALUE...] runs each seed as the lockstep harness does, and prints one JSON object: coverage
// hits and floors, and counts of what no stimulus may do. With PROFILE driver/NAME it is the
// generic driver, whatever stimulus the block has. With rows as the last word it does not drain,
// and prints the inputs first, one line a cycle.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "warplock/candidates.h"
#include "warplock/stimulus.h"

typedef struct run {
    tool_block b;
    const wlk_block *block; // b's
    const wlk_stimulus *gen;
    uint32_t profile;
    bool rows;
    wlk_driver *driver;
    uint64_t *in, *mask; // inputs, and the bits that inputs have
    void *state;
    wlk_stimulus_state stim;
    uint64_t events[64], cycles, digest, in_words_beyond, violations, ambiguous, undrained;
} run;

static bool is_input(const wlk_port *port) {
    return !port->is_out && port->present;
}

// The inputs that there are, by name or in this cycle.
static void print_row(const run *r, bool names) {
    for (const wlk_port *p = r->b.ports; p < r->b.ports + r->b.layout.n_ports; p++) {
        if (is_input(p) && names) {
            printf("%s ", p->name);
        } else if (is_input(p)) {
            printf("%" PRIx64 " ", wlk_port_get(p, r->in));
        }
    }
    putchar('\n');
}

// Two runs are the same if their digests of the inputs are.
static void look_at_inputs(run *r) {
    for (uint32_t w = 0; w < r->b.layout.in_words; w++) {
        r->in_words_beyond += (r->in[w] & ~r->mask[w]) != 0;
        r->digest = (r->digest ^ r->in[w]) * UINT64_C(0x100000001b3);
    }
    if (r->block->outcomes != NULL) {
        r->ambiguous += r->block->outcomes(r->b.cfg, r->state, r->in) > 1;
    }
}

static void cycle(run *r) {
    wlk_step_info info;
    // What a generator leaves from the cycle before is no input.
    memset(r->in, 0xff, r->b.layout.in_words * sizeof *r->in);
    wlk_stimulus_next(r->gen, r->b.cfg, r->state, &r->stim, r->in);
    look_at_inputs(r);
    if (r->rows) {
        print_row(r, false);
    }
    r->block->tick(r->b.cfg, r->state, r->in, &info);
    for (uint64_t e = info.events; e != 0; e &= e - 1u) {
        r->events[__builtin_ctzll(e)]++;
    }
    r->violations += info.violated != 0;
    r->cycles++;
}

static bool finished(const run *r) {
    return wlk_stimulus_finished(r->gen, r->block, r->b.cfg, r->state, &r->stim);
}

static void run_seed(run *r, uint64_t seed, uint64_t cycles) {
    r->block->init(r->b.cfg, r->state, WLK_POWER_UNKNOWN);
    wlk_stimulus_init(&r->stim, seed, r->profile);
    r->stim.driver = r->driver;
    for (uint64_t c = 0; c < cycles; c++) {
        cycle(r);
    }
    r->stim.drain = 1;
    for (uint32_t i = 0; !r->rows && i < WLK_STIMULUS_DRAIN && !finished(r); i++) {
        cycle(r);
    }
    r->undrained += !finished(r);
}

static void print(const run *r) {
    const wlk_table *t = r->block->table;
    wlk_json to = wlk_json_line(stdout);
    wlk_json_number(&to, "cycles", r->cycles);
    wlk_json_hex(&to, "digest", r->digest);
    wlk_json_number(&to, "in_words_beyond", r->in_words_beyond);
    wlk_json_number(&to, "violations", r->violations);
    wlk_json_number(&to, "ambiguous", r->ambiguous);
    wlk_json_number(&to, "undrained", r->undrained);
    wlk_json_open(&to, "profiles", '[');
    for (uint32_t i = 0; r->gen->profiles[i] != NULL; i++) {
        wlk_json_text(&to, NULL, r->gen->profiles[i]);
    }
    wlk_json_close(&to, ']');
    wlk_json_open(&to, "coverage", '{');
    for (uint32_t i = 0; i < t->n_covers; i++) {
        wlk_json_open(&to, t->covers[i].name, '{');
        wlk_json_number(&to, "hits", r->events[i]);
        wlk_json_number(&to, "floor", t->cover_floor(r->b.cfg, i));
        wlk_json_close(&to, '}');
    }
    wlk_json_close(&to, '}');
    wlk_json_line_end(&to);
}

static wlk_status open_run(run *r, int n, char **words, wlk_error *err) {
    static const char driver[] = "driver/";
    r->rows = strcmp(words[n - 1], "rows") == 0;
    const wlk_status status = tool_block_open(&r->b, words[0], words + 5, n - 5 - r->rows, err);
    if (status != WLK_OK) {
        return status;
    }
    const bool generic = strncmp(words[1], driver, strlen(driver)) == 0;
    r->block = r->b.block;
    r->gen = generic ? &wlk_driver_stimulus : wlk_stimulus_find(words[0]);
    if (!wlk_stimulus_profile(r->gen, words[1] + (generic ? strlen(driver) : 0u), &r->profile)) {
        return wlk_fail(err, WLK_USAGE, "no profile '%s'", words[1]);
    }
    r->in = calloc(2u * r->b.layout.in_words, sizeof *r->in);
    r->state = wlk_state_new(r->block, r->b.cfg);
    if (r->in == NULL || r->state == NULL) {
        return tool_no_memory(err);
    }
    r->mask = r->in + r->b.layout.in_words;
    for (const wlk_port *p = r->b.ports; p < r->b.ports + r->b.layout.n_ports; p++) {
        if (is_input(p)) {
            wlk_port_set(p, r->mask, UINT64_MAX);
        }
    }
    return wlk_driver_open(&r->driver, r->block, r->b.cfg, err);
}

static void close_run(run *r) {
    tool_block_close(&r->b);
    wlk_driver_close(r->driver);
    free(r->in);
    free(r->state);
}

int main(int argc, char **argv) {
    static run r;
    wlk_error err = {WLK_USAGE, "too few words"};
    wlk_status status = WLK_USAGE;
    if (argc > 5) {
        status = open_run(&r, argc - 1, argv + 1, &err);
    }
    if (status == WLK_OK) {
        const uint64_t last = strtoull(argv[4], NULL, 10), cycles = strtoull(argv[5], NULL, 10);
        if (r.rows) {
            print_row(&r, true);
        }
        for (uint64_t seed = strtoull(argv[3], NULL, 10); seed <= last; seed++) {
            run_seed(&r, seed, cycles);
        }
        print(&r);
    }
    close_run(&r);
    return status == WLK_OK ? 0 : tool_fail("stimulus_run", &err);
}

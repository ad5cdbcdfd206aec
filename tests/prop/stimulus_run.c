// SPDX-License-Identifier: Apache-2.0
// What the stimulus of a block does to its model: stimulus_run BLOCK PROFILE FIRST LAST CYCLES
// [KEY=VALUE...] runs each seed as the lockstep harness does, and prints one JSON object: coverage
// hits and floors, and counts of what no stimulus may do. With PROFILE driver/NAME it is the
// generic driver, whatever stimulus the block has. With rows as the last word it does not drain,
// and prints the inputs first, one line a cycle.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warplock/stimulus.h"

typedef struct run {
    const wlk_block *block;
    const wlk_stimulus *gen;
    uint32_t cfg[WLK_MAX_PARAMS];
    uint32_t profile;
    bool rows;
    wlk_layout layout;
    wlk_member members[WLK_STIMULUS_WORDS];
    wlk_members names; // of the ports in opaque fields; none: their words
    wlk_port *ports;
    uint32_t n_ports;
    wlk_driver *driver;
    uint64_t *in, *mask; // inputs, and the bits that inputs have
    void *state;
    wlk_stimulus_state stim;
    uint64_t events[64], cycles, digest, in_words_beyond, violations, ambiguous, undrained;
} run;

static void *zeros(size_t words) {
    void *memory = calloc(words, sizeof(uint64_t));
    if (memory == NULL) {
        exit(WLK_NO_MEMORY);
    }
    return memory;
}

static bool is_input(const wlk_port *port) {
    return !port->is_out && port->present;
}

static void fill_mask(run *r) {
    for (const wlk_port *p = r->ports; p < r->ports + r->n_ports; p++) {
        if (is_input(p)) {
            r->mask[p->word] |= wlk_mask(p->width) << p->lsb;
        }
    }
}

static void print_names(const run *r) {
    for (const wlk_port *p = r->ports; r->rows && p < r->ports + r->n_ports; p++) {
        if (is_input(p)) {
            printf("%s ", p->name);
        }
    }
}

static void print_row(const run *r) {
    putchar('\n');
    for (const wlk_port *p = r->ports; p < r->ports + r->n_ports; p++) {
        if (is_input(p)) {
            printf("%" PRIx64 " ", wlk_port_get(p, r->in));
        }
    }
}

// Two runs are the same if their digests of the inputs are.
static void look_at_inputs(run *r) {
    for (uint32_t w = 0; w < r->layout.in_words; w++) {
        r->in_words_beyond += (r->in[w] & ~r->mask[w]) != 0;
        r->digest = (r->digest ^ r->in[w]) * UINT64_C(0x100000001b3);
    }
    if (r->block->outcomes != NULL) {
        r->ambiguous += r->block->outcomes(r->cfg, r->state, r->in) > 1;
    }
}

static void cycle(run *r) {
    wlk_step_info info;
    // What a generator leaves from the cycle before is no input.
    memset(r->in, 0xff, r->layout.in_words * sizeof *r->in);
    r->gen->next(r->cfg, r->state, &r->stim, r->in);
    look_at_inputs(r);
    if (r->rows) {
        print_row(r);
    }
    r->block->tick(r->cfg, r->state, r->in, &info);
    for (uint64_t e = info.events; e != 0; e &= e - 1u) {
        r->events[__builtin_ctzll(e)]++;
    }
    r->violations += info.violated != 0;
    r->cycles++;
}

static bool finished(const run *r) {
    return (r->block->drained == NULL || r->block->drained(r->cfg, r->state)) &&
           (r->gen->idle == NULL || r->gen->idle(r->cfg, r->state, &r->stim));
}

static void run_seed(run *r, uint64_t seed, uint64_t cycles) {
    r->block->init(r->cfg, r->state, WLK_POWER_UNKNOWN);
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
    printf("{\"cycles\": %" PRIu64 ", \"digest\": \"%016" PRIx64 "\", \"in_words_beyond\": %" PRIu64
           ", \"violations\": %" PRIu64 ", \"ambiguous\": %" PRIu64 ", \"undrained\": %" PRIu64
           ", \"profiles\": [",
           r->cycles, r->digest, r->in_words_beyond, r->violations, r->ambiguous, r->undrained);
    for (uint32_t i = 0; r->gen->profiles[i] != NULL; i++) {
        printf("%s\"%s\"", i != 0 ? ", " : "", r->gen->profiles[i]);
    }
    fputs("], \"coverage\": {", stdout);
    for (uint32_t i = 0; i < t->n_covers; i++) {
        printf("%s\"%s\": {\"hits\": %" PRIu64 ", \"floor\": %" PRIu32 "}", i != 0 ? ", " : "",
               t->covers[i].name, r->events[i], t->cover_floor(r->cfg, i));
    }
    fputs("}}\n", stdout);
}

static bool find(run *r, const char *block, const char *profile) {
    static const char driver[] = "driver/";
    const bool generic = strncmp(profile, driver, sizeof driver - 1u) == 0;
    r->block = wlk_block_find(block);
    r->gen = generic ? &wlk_driver_stimulus : wlk_stimulus_find(block);
    profile += generic ? sizeof driver - 1u : 0u;
    return r->block != NULL && wlk_stimulus_profile(r->gen, profile, &r->profile);
}

static bool configure(run *r, int argc, char **argv, wlk_error *err) {
    r->rows = strcmp(argv[argc - 1], "rows") == 0;
    argc -= r->rows;
    if (!find(r, argv[1], argv[2])) {
        (void)wlk_fail(err, WLK_USAGE, "no block '%s' with a profile '%s'", argv[1], argv[2]);
        return false;
    }
    wlk_config_defaults(r->block->table, r->cfg);
    for (int i = 6; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        if (value == NULL) {
            (void)wlk_fail(err, WLK_USAGE, "cannot read '%s'", argv[i]);
            return false;
        }
        *value = '\0';
        if (strcmp(argv[i], "members") == 0) {
            if (wlk_members_parse(value + 1, r->members, WLK_STIMULUS_WORDS, &r->names.n, err) !=
                WLK_OK) {
                return false;
            }
            r->names.list = r->members;
        } else if (wlk_config_set(r->block->table, r->cfg, argv[i], value + 1, err) != WLK_OK) {
            return false;
        }
    }
    return r->block->check(r->cfg, err) == WLK_OK;
}

int main(int argc, char **argv) {
    static run r;
    wlk_error err = {WLK_OK, ""};
    if (argc < 6 || !configure(&r, argc, argv, &err)) {
        fprintf(stderr, "stimulus_run: %s\n", argc < 6 ? "too few words" : err.text);
        return (int)WLK_USAGE;
    }
    r.block->table->layout(r.cfg, &r.layout);
    const wlk_members *names = r.names.n != 0 ? &r.names : NULL;
    r.n_ports = r.block->table->ports(r.cfg, names, NULL, 0);
    r.ports = calloc(r.n_ports, sizeof *r.ports);
    r.in = (uint64_t *)zeros(r.layout.in_words);
    r.mask = (uint64_t *)zeros(r.layout.in_words);
    r.state = aligned_alloc(64u, (r.block->state_size(r.cfg) + 63u) / 64u * 64u);
    if (r.state == NULL || r.ports == NULL ||
        wlk_driver_open(&r.driver, r.block, r.cfg, &err) != WLK_OK) {
        return (int)WLK_NO_MEMORY;
    }
    (void)r.block->table->ports(r.cfg, names, r.ports, r.n_ports);
    fill_mask(&r);
    print_names(&r);
    const uint64_t last = strtoull(argv[4], NULL, 10), cycles = strtoull(argv[5], NULL, 10);
    for (uint64_t seed = strtoull(argv[3], NULL, 10); seed <= last; seed++) {
        run_seed(&r, seed, cycles);
    }
    if (r.rows) {
        putchar('\n');
    }
    print(&r);
    wlk_driver_close(r.driver);
    free(r.ports);
    free(r.in);
    free(r.mask);
    free(r.state);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// CPU time of a model on precomputed stimulus:
//   model_bench BLOCK PROFILE CYCLES [isa=NAME] [KEY=VALUE...]   ns a cycle of a whole record
//   model_bench BLOCK PROFILE CYCLES write=FILE ...              ns a cycle of gen: model, record
// A step compares every output and ticks. The loop of stimulus is made as for an RTL whose power-up
// is unknown, so that it fits whatever state it is entered with; it is run once before, so that
// every register is known, as in the long run, and every round starts from the same state. One JSON
// object on stdout.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "warplock/block.h"
#include "warplock/stimulus.h"
#include "warplock/vectors.h"

// Of the loop's records a step sees as many as the second-level cache holds: in lockstep a record
// has just been written.
enum { LOOP = 4096, CACHED_WORDS = 96 << 10 };

typedef struct loop {
    const wlk_block *block;
    uint32_t cfg[WLK_MAX_PARAMS];
    wlk_layout l;
    void *state, *start; // now, and at the start of a round
    size_t state_bytes;
    uint64_t *in, *out, *care;
} loop;

static double cpu_seconds(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t *at(const loop *b, uint64_t *words, uint64_t n, bool out) {
    return words + n * (out ? b->l.out_words : b->l.in_words);
}

static void enter_round(loop *b) {
    memcpy(b->state, b->start, b->state_bytes);
}

static void prepare(loop *b, const wlk_stimulus *gen, uint32_t profile) {
    wlk_driver *driver = NULL;
    wlk_error err;
    wlk_stimulus_state stim;
    wlk_step_info info;
    b->block->init(b->cfg, b->state, WLK_POWER_UNKNOWN);
    wlk_stimulus_init(&stim, 1, profile);
    if (wlk_driver_open(&driver, b->block, b->cfg, &err) != WLK_OK) {
        abort();
    }
    stim.driver = driver;
    for (uint64_t i = 0; i < LOOP; i++) {
        gen->next(b->cfg, b->state, &stim, at(b, b->in, i, false));
        b->block->tick(b->cfg, b->state, at(b, b->in, i, false), &info);
    }
    wlk_driver_close(driver);
    b->block->init(b->cfg, b->state, WLK_POWER_ZERO);
    for (uint64_t i = 0; i < LOOP; i++) {
        b->block->tick(b->cfg, b->state, at(b, b->in, i, false), &info);
    }
    memcpy(b->start, b->state, b->state_bytes);
    for (uint64_t i = 0; i < LOOP; i++) {
        b->block->record(b->cfg, b->state, at(b, b->in, i, false), at(b, b->out, i, true),
                         at(b, b->care, i, true), &info);
    }
    enter_round(b);
}

static void view(wlk_view *v, const uint64_t *words, const wlk_payload *payload, uint32_t n) {
    v->control = words;
    v->mask = NULL;
    for (uint32_t i = 0; i < n; i++) {
        v->payload[i] = words + payload[i].word;
    }
}

// A function of its own: callgrind counts what runs inside it.
static __attribute__((noinline)) uint64_t steps(loop *b, uint64_t cycles) {
    wlk_step_info info;
    uint64_t slow = 0;
    const uint64_t cached = CACHED_WORDS / (b->l.in_words + b->l.out_words);
    const uint64_t n = cached < LOOP ? cached : LOOP;
    for (uint64_t c = 0, i = 0; c < cycles; c++, i = i + 1u == n ? 0 : i + 1u) {
        wlk_view in, got;
        if (i == 0) {
            enter_round(b);
        }
        view(&in, at(b, b->in, i, false), b->l.in_payload, b->l.n_in_payloads);
        view(&got, at(b, b->out, i, true), b->l.out_payload, b->l.n_out_payloads);
        if (b->block->step(b->cfg, b->state, &in, &got, &info) != 0) {
            slow++;
            b->block->tick(b->cfg, b->state, in.control, &info);
        }
    }
    return slow;
}

// gen: stimulus apart, the model makes each record and the container takes it.
static double generate(loop *b, uint64_t cycles, const char *path) {
    wlk_vec_writer *writer = NULL;
    wlk_error err;
    wlk_step_info info;
    const wlk_vec_shape shape = {b->l.in_words, b->l.out_words};
    if (path != NULL && wlk_vec_create(&writer, path, &shape, "{}", true, &err) != WLK_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    const double start = cpu_seconds();
    for (uint64_t c = 0; c < cycles; c++) {
        const uint64_t i = c % LOOP;
        if (i == 0) {
            enter_round(b);
        }
        uint64_t *in = at(b, b->in, i, false), *out = at(b, b->out, i, true);
        uint64_t *care = at(b, b->care, i, true);
        b->block->record(b->cfg, b->state, in, out, care, &info);
        if (writer != NULL) {
            (void)wlk_vec_write(writer, in, out, care, &err);
        }
    }
    if (writer != NULL) {
        (void)wlk_vec_finish(writer, &err);
    }
    return (cpu_seconds() - start) * 1e9 / (double)cycles;
}

int main(int argc, char **argv) {
    static loop b;
    const char *isa = NULL, *path = NULL;
    bool record = false;
    uint32_t profile = 0;
    wlk_error err;
    b.block = argc > 3 ? wlk_block_find(argv[1]) : NULL;
    if (b.block == NULL) {
        fputs("usage: model_bench BLOCK PROFILE CYCLES [isa=NAME] [record=] [write=FILE] ...\n",
              stderr);
        return 2;
    }
    wlk_config_defaults(b.block->table, b.cfg);
    for (int i = 4; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        *value++ = '\0';
        if (strcmp(argv[i], "isa") == 0) {
            isa = value;
        } else if (strcmp(argv[i], "record") == 0) {
            record = true;
        } else if (strcmp(argv[i], "write") == 0) {
            path = value;
        } else if (wlk_config_set(b.block->table, b.cfg, argv[i], value, &err) != WLK_OK) {
            fprintf(stderr, "%s\n", err.text);
            return 2;
        }
    }
    if (isa != NULL && (b.block = wlk_block_find_isa(argv[1], isa)) == NULL) {
        fprintf(stderr, "this processor has no %s\n", isa);
        return 2;
    }
    const wlk_stimulus *gen = wlk_stimulus_find(argv[1]);
    if (!wlk_stimulus_profile(gen, argv[2], &profile)) {
        fprintf(stderr, "no profile %s\n", argv[2]);
        return 2;
    }
    b.block->table->layout(b.cfg, &b.l);
    b.state_bytes = (b.block->state_size(b.cfg) + 63u) / 64u * 64u;
    b.state = aligned_alloc(64u, b.state_bytes);
    b.start = aligned_alloc(64u, b.state_bytes);
    b.in = calloc((size_t)LOOP * b.l.in_words, sizeof(uint64_t));
    b.out = calloc((size_t)LOOP * b.l.out_words, sizeof(uint64_t));
    b.care = calloc((size_t)LOOP * b.l.out_words, sizeof(uint64_t));
    const uint64_t cycles = strtoull(argv[3], NULL, 10);
    prepare(&b, gen, profile);
    if (record || path != NULL) {
        printf("{\"ns_per_cycle\": %.3f}\n", generate(&b, cycles, path));
        return 0;
    }
    (void)steps(&b, LOOP);
    const double start = cpu_seconds();
    const uint64_t slow = steps(&b, cycles);
    printf("{\"ns_per_cycle\": %.3f, \"slow\": %llu}\n",
           (cpu_seconds() - start) * 1e9 / (double)cycles, (unsigned long long)slow);
    return slow != 0;
}

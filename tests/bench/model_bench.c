// SPDX-License-Identifier: Apache-2.0
// CPU time of a model on precomputed stimulus:
//   model_bench BLOCK PROFILE CYCLES [isa=NAME] [KEY=VALUE...]   ns a cycle of a whole record
//   model_bench BLOCK PROFILE CYCLES write=FILE ...              ns a cycle of gen: model, record
//   model_bench BLOCK PROFILE CYCLES compare= ...                ns a cycle of comparing outputs
//   with
//                                                                known ones: what nobody can go
//                                                                below
// A step compares every output and ticks. The loop of stimulus is made as for an RTL whose power-up
// is unknown, so that it fits whatever state it is entered with; it is run once before, so that
// every register is known, as in the long run, and every round starts from the same state. One JSON
// object on stdout.
#include <time.h>

#include "rig.h"
#include "warplock/vectors.h"

// Of the loop's records a step sees as many as the second-level cache holds: in lockstep a record
// has just been written.
enum { LOOP = 4096, CACHED_WORDS = 96 << 10 };

typedef struct loop {
    rig r;
    void *start; // state at the start of a round
    size_t state_bytes;
    uint64_t *in, *out, *care;
} loop;

// CPU time of this process a cycle.
static double ns_each(clock_t start, uint64_t cycles) {
    return (double)(clock() - start) / CLOCKS_PER_SEC * 1e9 / (double)cycles;
}

static uint64_t *at(const loop *b, uint64_t *words, uint64_t n, bool out) {
    return words + n * (out ? b->r.layout.out_words : b->r.layout.in_words);
}

static void enter_round(loop *b) {
    memcpy(b->r.state, b->start, b->state_bytes);
}

static void prepare(loop *b) {
    const wlk_block *block = b->r.block;
    wlk_step_info info;
    for (uint64_t i = 0; i < LOOP; i++) {
        wlk_stimulus_next(b->r.gen, b->r.cfg, b->r.state, &b->r.stim, at(b, b->in, i, false));
        block->tick(b->r.cfg, b->r.state, at(b, b->in, i, false), &info);
    }
    block->init(b->r.cfg, b->r.state, WLK_POWER_ZERO);
    for (uint64_t i = 0; i < LOOP; i++) {
        block->tick(b->r.cfg, b->r.state, at(b, b->in, i, false), &info);
    }
    memcpy(b->start, b->r.state, b->state_bytes);
    for (uint64_t i = 0; i < LOOP; i++) {
        block->record(b->r.cfg, b->r.state, at(b, b->in, i, false), at(b, b->out, i, true),
                      at(b, b->care, i, true), &info);
    }
    enter_round(b);
}

// The view of the next record: as many words on.
static inline void look_on(wlk_view *view, uint32_t words, uint32_t payloads) {
    view->control += words;
    for (uint32_t i = 0; i < payloads; i++) {
        view->payload[i] = (const uint64_t *)view->payload[i] + words;
    }
}

// How many records a loop takes.
static uint64_t cached(const loop *b) {
    const uint64_t n = CACHED_WORDS / (b->r.layout.in_words + b->r.layout.out_words);
    return n < LOOP ? n : LOOP;
}

// A function of its own: callgrind counts what runs inside it.
static __attribute__((noinline)) uint64_t steps(loop *b, uint64_t cycles) {
    wlk_step_info info;
    uint64_t slow = 0;
    const wlk_layout *l = &b->r.layout;
    const wlk_block *block = b->r.block;
    const uint32_t in_words = l->in_words, in_payloads = l->n_in_payloads;
    const uint32_t out_words = l->out_words, out_payloads = l->n_out_payloads;
    const uint64_t n = cached(b);
    // Filled in place, as a checker does: a copy of a view right behind the writes of its pointers
    // waits for each of them, which is not the model's time.
    wlk_view in = {0}, got = {0};
    for (uint64_t c = 0, i = 0; c < cycles; c++, i = i + 1u == n ? 0 : i + 1u) {
        if (i == 0) {
            enter_round(b);
            rig_look(&b->r, b->in, false, &in);
            rig_look(&b->r, b->out, true, &got);
        }
        if (block->step(b->r.cfg, b->r.state, &in, &got, &info) != 0) {
            slow++;
            block->tick(b->r.cfg, b->r.state, in.control, &info);
        }
        look_on(&in, in_words, in_payloads);
        look_on(&got, out_words, out_payloads);
    }
    return slow;
}

// gen: stimulus apart, the model makes each record and the container takes it.
static double generate(loop *b, uint64_t cycles, const char *path) {
    wlk_vec_writer *writer = NULL;
    wlk_error err;
    wlk_step_info info;
    const wlk_vec_shape shape = {b->r.layout.in_words, b->r.layout.out_words};
    if (path != NULL && wlk_vec_create(&writer, path, &shape, "{}", true, &err) != WLK_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    const clock_t start = clock();
    for (uint64_t c = 0; c < cycles; c++) {
        const uint64_t i = c % LOOP;
        if (i == 0) {
            enter_round(b);
        }
        uint64_t *in = at(b, b->in, i, false), *out = at(b, b->out, i, true);
        uint64_t *care = at(b, b->care, i, true);
        b->r.block->record(b->r.cfg, b->r.state, in, out, care, &info);
        if (writer != NULL) {
            (void)wlk_vec_write(writer, in, out, care, &err);
        }
    }
    if (writer != NULL) {
        (void)wlk_vec_finish(writer, &err);
    }
    return ns_each(start, cycles);
}

// Whole outputs with copies of them, both in the cache.
static double compare(loop *b, uint64_t cycles) {
    const size_t bytes = b->r.layout.out_words * sizeof(uint64_t);
    const uint64_t n = cached(b);
    memcpy(b->care, b->out, n * bytes);
    const clock_t start = clock();
    uint64_t differ = 0;
    for (uint64_t c = 0; c < cycles; c++) {
        differ += memcmp(at(b, b->out, c % n, true), at(b, b->care, c % n, true), bytes) != 0;
    }
    const double ns = ns_each(start, cycles);
    return differ == 0 ? ns : -1.0;
}

int main(int argc, char **argv) {
    static loop b;
    const char *isa = NULL, *path = NULL;
    char settings[RIG_TEXT] = "";
    bool record = false, compares = false;
    if (argc < 4) {
        fputs("usage: model_bench BLOCK PROFILE CYCLES [isa=NAME] [record=] [write=FILE] "
              "[compare=] ...\n",
              stderr);
        return 2;
    }
    for (int i = 4; i < argc; i++) {
        const size_t used = strlen(settings);
        if (strncmp(argv[i], "isa=", 4) == 0) {
            isa = argv[i] + 4;
        } else if (strcmp(argv[i], "record=") == 0) {
            record = true;
        } else if (strcmp(argv[i], "compare=") == 0) {
            compares = true;
        } else if (strncmp(argv[i], "write=", 6) == 0) {
            path = argv[i] + 6;
        } else {
            (void)snprintf(settings + used, sizeof settings - used, "%s ", argv[i]);
        }
    }
    rig_open(&b.r, argv[1], settings, WLK_POWER_UNKNOWN);
    rig_stimulus(&b.r, 1, argv[2]);
    if (isa != NULL && (b.r.block = wlk_block_find_isa(argv[1], isa)) == NULL) {
        fprintf(stderr, "this processor has no %s\n", isa);
        return 2;
    }
    b.state_bytes = b.r.block->state_size(b.r.cfg);
    b.start = rig_state(&b.r, b.r.block, WLK_POWER_UNKNOWN);
    b.in = rig_words(&b.r, (size_t)LOOP * b.r.layout.in_words);
    b.out = rig_words(&b.r, (size_t)LOOP * b.r.layout.out_words);
    b.care = rig_words(&b.r, (size_t)LOOP * b.r.layout.out_words);
    const uint64_t cycles = strtoull(argv[3], NULL, 10);
    prepare(&b);
    if (record || path != NULL) {
        printf("{\"ns_per_cycle\": %.3f}\n", generate(&b, cycles, path));
        return 0;
    }
    if (compares) {
        printf("{\"ns_per_cycle\": %.3f}\n", compare(&b, cycles));
        return 0;
    }
    (void)steps(&b, LOOP);
    const clock_t start = clock();
    const uint64_t slow = steps(&b, cycles);
    printf("{\"ns_per_cycle\": %.3f, \"slow\": %llu}\n", ns_each(start, cycles),
           (unsigned long long)slow);
    return slow != 0;
}

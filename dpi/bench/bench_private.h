/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WLK_BENCH_PRIVATE_H
#define WLK_BENCH_PRIVATE_H

#include "bench.h"
#include "pipeline.h"
#include "tool.h"
#include "warplock/dpi.h"
#include "warplock/stimulus.h"
#include "warplock/vectors.h"

enum { STUCK_TEXT = 4096 };

/* A bound checker over all seeds. They open in the same order in each. */
typedef struct watch {
    char *prefix; /* of its ports in lists: its scope and a dot, empty for the bench's block */
    uint32_t n_ports;
    wlk_port *ports;
    uint64_t *bits;  /* compared bits of each port */
    uint32_t *width; /* bits the RTL has of each output */
} watch;

typedef struct bench {
    const wlk_bench_dut *dut;
    const wlk_block *block;
    const wlk_stimulus *gen;
    uint32_t cfg[WLK_MAX_PARAMS];
    wlk_layout layout;
    /* what to do */
    uint64_t first, last, cycles, time, from, to, force;
    uint32_t profile;
    int random;
    const char *waves, *replay, *shrink, *header, *program_file, *pipeline;
    wlk_program *program; /* instead of random work, or NULL */
    /* the run */
    void *dut_handle;
    void *model; /* the generator's own */
    wlk_stimulus_state stim;
    uint64_t *in;
    wlk_pipeline *picture;   /* of this seed, or NULL */
    wlk_error no_picture;    /* why there is none that was asked for */
    wlk_issue_state *before; /* what the picture needs of the state before the edge */
    uint64_t cycle;          /* of this seed */
    uint64_t seed;
    const wlk_checker *failing;
    wlk_status status;
    /* sums */
    uint64_t done, total, ran, seeds_run, compared, masked;
    uint64_t events[WLK_MAX_COVERS];
    watch *watches;
    uint32_t n_watches;
    char stuck[STUCK_TEXT]; /* why a seed hangs */
    const char *assertion;  /* place of the first one that failed in this seed, or NULL */
} bench;

void bench_begin(bench *b, uint64_t seed, const char *waves);
/* One cycle; false when nothing more is to be learnt. */
bool bench_cycle(bench *b, const uint64_t *in);
void bench_end(bench *b);

/* The generator and its model at the start of b->seed. */
void bench_start_stimulus(bench *b);

/* Add up what this seed's checkers have compared; the verdict, and b->failing if one decides it. */
wlk_status bench_verdict(bench *b, bool finished);

/* The answer with its report: floors decide between @p status PASS and VACUOUS. Sets b->status. */
void bench_answer(bench *b, wlk_status status, FILE *to);

void bench_forget(bench *b);

/* Shrink the failing stimulus of b->seed and write it to b->shrink as a record file. */
wlk_status bench_shrink(bench *b, wlk_error *err);

#endif

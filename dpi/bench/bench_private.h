/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WLK_BENCH_PRIVATE_H
#define WLK_BENCH_PRIVATE_H

#include "bench.h"
#include "tool.h"
#include "warplock/dpi.h"
#include "warplock/stimulus.h"
#include "warplock/vectors.h"

typedef struct bench {
    const wlk_bench_dut *dut;
    const wlk_block *block;
    const wlk_stimulus *gen;
    uint32_t cfg[WLK_MAX_PARAMS];
    wlk_layout layout;
    /* what to do */
    uint64_t first, last, cycles, time, from, to;
    uint32_t profile;
    int random;
    const char *report, *waves, *replay, *shrink, *header;
    /* the run */
    void *dut_handle;
    void *model; /* the generator's own */
    wlk_stimulus_state stim;
    uint64_t *in;
    uint64_t cycle; /* of this seed */
    uint64_t seed;
    const wlk_checker *failing;
    wlk_status status;
    /* sums */
    uint64_t done, total, ran, seeds_run, compared, masked;
    uint64_t events[WLK_MAX_COVERS];
    wlk_port *ports;
    uint64_t *port_bits;  /* bits compared of each port */
    uint64_t *port_width; /* bits the RTL has of each output */
} bench;

void bench_begin(bench *b, uint64_t seed, const char *waves);
/* One cycle; false when nothing more is to be learnt. */
bool bench_cycle(bench *b, const uint64_t *in);
void bench_end(bench *b);

/* Shrink the failing stimulus of b->seed and write it to b->shrink as a record file. */
wlk_status bench_shrink(bench *b, wlk_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file bench.h
 * The lockstep bench: many seeds in a process, stimulus from (seed, model state), verdicts from
 * the checkers bound into the module. What touches the Verilated class is in dpi/bench/main.cpp.
 */
#ifndef WLK_BENCH_MAIN_H
#define WLK_BENCH_MAIN_H

#include "warplock/block.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A Verilated module as the bench sees it. */
typedef struct wlk_bench_dut {
    const char *block;
    const uint32_t *cfg;
    /** New instance; power-up random or zero; waves: FST file or NULL. */
    void *(*open)(uint64_t seed, int random, const char *waves);
    /** Clock low, set the inputs, settle. */
    void (*drive)(void *dut, const uint64_t *in);
    /** Rising edge; the bound checkers sample here. */
    void (*edge)(void *dut);
    void (*dump)(void *dut, uint64_t time);
    void (*observe)(void *dut, uint64_t *out);
    void (*close)(void *dut);
} wlk_bench_dut;

/** Run as the words say (see bench.c); the exit code is the verdict. */
int wlk_bench_main(const wlk_bench_dut *dut, int argc, char **argv);

/** An assertion of the RTL failed, after its text was printed; the run ends and is not PASS. */
void wlk_bench_assertion(const char *file, int line);

#ifdef __cplusplus
}
#endif
#endif

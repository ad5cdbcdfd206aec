/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file harness.h
 * The lockstep harness: many seeds in a process, stimulus from (seed, model state), verdicts from
 * the checkers bound into the module. What touches the Verilated class is in dpi/harness/main.cpp.
 */
#ifndef WLK_HARNESS_MAIN_H
#define WLK_HARNESS_MAIN_H

#include "warplock/block.h"

WLK_BEGIN_DECLS

/** A Verilated module as the harness sees it. */
typedef struct wlk_harness_dut {
    const char *block;
    const uint32_t *cfg;
    /** New instance; power-up random or zero; waves: FST file or NULL. */
    void *(*open)(uint64_t seed, int random, const char *waves);
    /** Clock low, set the inputs, settle. */
    void (*drive)(void *dut, const uint64_t *in);
    /** Rising edge; the bound checkers sample here. */
    void (*edge)(void *dut);
    /** Settle once more with nothing changed: only combinational code runs again. */
    void (*settle)(void *dut);
    void (*dump)(void *dut, uint64_t time);
    void (*observe)(void *dut, uint64_t *out);
    void (*close)(void *dut);
    bool async_reset; /**< wlk_checker_options::async_reset */
    /** Counted before and behind each evaluation of the module: odd while one runs. Or NULL. */
    const volatile uint64_t *evaluations;
} wlk_harness_dut;

/** Run with the words of seeds.c; the exit code is the verdict. */
int wlk_harness_main(const wlk_harness_dut *dut, int argc, char **argv);

/**
 * What would end a simulation; here the run goes on. Called after the text was printed: an
 * assertion failed, or $error, $fatal or $stop was called, or, where @p finishes, $finish.
 */
void wlk_harness_end(const char *file, int line, bool finishes);

/**
 * The RTL cannot be simulated on, e.g. it does not settle. Ends the process with one line.
 * @p line is 0 where it is about the file itself.
 */
void wlk_harness_fatal(const char *file, int line, const char *message);

WLK_END_DECLS
#endif

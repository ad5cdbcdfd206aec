/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stimulus of a block with a model by structs whose legal inputs depend on its state: those of
 * the generic driver, changed by a function. The model's source includes this behind
 * frame/structs.h and has WLK_LEGALISE(change) at its end, where
 *   change(cfg, st, in, draining)    makes the inputs legal in that state, and leaves legal ones as
 *                                    they are; `draining`: no new work comes, and the inputs should
 *                                    end what is in flight
 * A shrunk stimulus is made legal by the same function.
 */
#ifndef WLK_STIMULUS_LEGALISE_H
#define WLK_STIMULUS_LEGALISE_H

#include "common.h"
#include "frame/structs.h"

#define WLK_LEGALISE(function)                                                                     \
    static void hook(const stim_cycle *c, uint64_t *words) {                                       \
        const cfg_t *cfg = (const cfg_t *)c->cfg;                                                  \
        in_t in;                                                                                   \
        NAMED(in_unpack)(cfg, words, &in);                                                         \
        function(cfg, (const state_t *)c->state, &in, c->stim->drain != 0);                        \
        NAMED(in_pack)(cfg, &in, words);                                                           \
    }                                                                                              \
    static const char *const profile_names[] = {CAPS(PROFILES), NULL};                             \
    static const wlk_driven driven = {.hook = hook, .legalises = true};                            \
    const wlk_stimulus NAMED(stimulus) = {                                                         \
        .block = NULL, .profiles = profile_names, .driven = &driven}

#endif

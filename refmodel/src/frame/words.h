/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model with a state and without payloads, from what its source defines before including this:
 *   cycle_t, compute, live, commit, events, violations    as in calls.h
 *   OUT_WORDS                   the words of its largest output record
 *   outputs(cfg, st, c, out)    the output words of a cycle
 *   known(st)                   nonzero: every output of the cycle is known
 *   narrow(cfg, st, care)       clears what is unknown in care words that are full
 */
#ifndef WLK_FRAME_WORDS_H
#define WLK_FRAME_WORDS_H

static void fill(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out,
                 uint64_t *care) {
    const uint32_t words = out_words(cfg);
    NAMED(out_mask)(cfg, care);
    narrow(cfg, st, care);
    outputs(cfg, st, c, out);
    for (uint32_t w = 0; w < words; w++) {
        out[w] &= care[w];
    }
}

#include "frame/calls.h"

static size_t state_size(const uint32_t *params) {
    (void)params;
    return sizeof(state_t);
}

static int step(const uint32_t *params, void *state, const wlk_view *in, const wlk_view *got,
                wlk_step_info *info) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    const uint32_t words = out_words(cfg);
    uint64_t out[OUT_WORDS];
    uint64_t differs = 0;
    cycle_t c;
    if (!known(st)) {
        return 1;
    }
    compute(cfg, st, in->control, &c);
    outputs(cfg, st, &c, out);
    if (got->mask != NULL) {
        for (uint32_t w = 0; w < words; w++) {
            differs |= (out[w] ^ got->control[w]) & got->mask[w];
        }
    } else {
        for (uint32_t w = 0; w < words; w++) {
            differs |= out[w] ^ got->control[w];
        }
    }
    if (differs != 0) {
        return 1;
    }
    info->violated = violations(st, &c);
    commit(cfg, st, in->control, &c);
    return 0;
}

#endif

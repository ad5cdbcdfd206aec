/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model with a state and without payloads, from what its source defines before including this:
 *   cycle_t, compute, commit, events, LIVE, VIOLATIONS    as in calls.h
 *   OUT_WORDS                   the words of its largest output record
 *   outputs(cfg, st, c, out)    the output words of a cycle
 * and, where it is not as here, as macros:
 *   KNOWN(st)                   nonzero: every output of the cycle is known
 *   NARROW(cfg, st, care)       clears what is unknown after a reset in care words that are full
 *   HIDE(cfg, st, c, care)      clears what is unknown of a state that is LATE
 *   SETTLED(st)                 nonzero: step_settled(cfg, st, in, got), of which unmasked outputs
 *                               that differ make it return 1, is such a step in less time
 *   STEP_SETTLED(cfg, st, in, got, info)    the same where such a step can break a rule
 */
#ifndef WLK_FRAME_WORDS_H
#define WLK_FRAME_WORDS_H

static void fill(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out,
                 uint64_t *care);

#include "frame/calls.h"

#ifndef KNOWN
#define KNOWN(st) LIVE(st)
#endif
#ifndef NARROW
#define NARROW(cfg, st, care)
#endif
#ifndef HIDE
#define HIDE(cfg, st, c, care)
#endif
#ifndef SETTLED
#define SETTLED(st)                    0
#define step_settled(cfg, st, in, got) 1
#endif
#ifndef STEP_SETTLED
#define STEP_SETTLED(cfg, st, in, got, info) step_settled(cfg, st, in, got)
#endif

static void fill(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out,
                 uint64_t *care) {
    const uint32_t words = out_words(cfg);
    if (!(LIVE(st) | LATE(st))) {
        memset(care, 0, words * sizeof *care);
        memset(out, 0, words * sizeof *out);
        return;
    }
    NAMED(out_mask)(cfg, care);
    NARROW(cfg, st, care);
    if (LATE(st)) {
        HIDE(cfg, st, c, care);
    }
    outputs(cfg, st, c, out);
    for (uint32_t w = 0; w < words; w++) {
        out[w] &= care[w];
    }
}

static size_t state_size(const uint32_t *params) {
    (void)params;
    return sizeof(state_t);
}

/* A function of its own: the settled step, which is a tail call, need not save its registers. */
static __attribute__((noinline)) int step_looking(const cfg_t *cfg, state_t *st, const wlk_view *in,
                                                  const wlk_view *got, wlk_step_info *info) {
    const uint32_t words = out_words(cfg);
    uint64_t out[OUT_WORDS];
    uint64_t differs = 0;
    cycle_t c;
    if (!KNOWN(st)) {
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
    info->violated = VIOLATIONS(st, &c);
    commit(cfg, st, in->control, &c);
    return 0;
}

static int step(const uint32_t *params, void *state, const wlk_view *in, const wlk_view *got,
                wlk_step_info *info) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    if (SETTLED(st) && got->mask == NULL) {
        info->violated = 0;
        return STEP_SETTLED(cfg, st, in, got, info);
    }
    return step_looking(cfg, st, in, got, info);
}

#endif

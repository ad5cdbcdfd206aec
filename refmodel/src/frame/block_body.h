/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of a block without payloads, from what its source defines before including this:
 *   cfg_t, state_t, cycle_t; TABLE; OUT_WORDS, the words of its largest output record
 *   compute(cfg, st, in, c)    one cycle, derived once
 *   outputs(cfg, c, st, out)   its output words
 *   known(st)                  nonzero: every output of the cycle is known
 *   narrow(cfg, st, care)      clears what is unknown in care words that are full
 *   events(cfg, st, in, c), violations(cfg, st, in, c)
 *   commit(cfg, st, in, c)     the clock edge
 *   full_care(cfg, care)       the bits that exist (generated)
 *   out_words(cfg)             words of an output record
 */
#ifndef WLK_BLOCK_BODY_H
#define WLK_BLOCK_BODY_H

#include <string.h>

static wlk_status check(const uint32_t *params, wlk_error *err) {
    return wlk_config_check(&TABLE, params, err);
}

static size_t state_size(const uint32_t *params) {
    (void)params;
    return sizeof(state_t);
}

static void fill(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out,
                 uint64_t *care) {
    const uint32_t words = out_words(cfg);
    full_care(cfg, care);
    narrow(cfg, st, care);
    outputs(cfg, st, c, out);
    for (uint32_t w = 0; w < words; w++) {
        out[w] &= care[w];
    }
}

static void eval(const uint32_t *params, const void *state, const uint64_t *in, uint64_t *out,
                 uint64_t *care) {
    const cfg_t *cfg = (const cfg_t *)params;
    const state_t *st = (const state_t *)state;
    cycle_t c;
    compute(cfg, st, in, &c);
    fill(cfg, st, &c, out, care);
}

static void tick(const uint32_t *params, void *state, const uint64_t *in, wlk_step_info *info) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    cycle_t c;
    compute(cfg, st, in, &c);
    info->events = st->reset_seen ? events(cfg, st, in, &c) : 0u;
    info->violated = st->reset_seen ? violations(cfg, st, in, &c) : 0u;
    commit(cfg, st, in, &c);
}

static void record(const uint32_t *params, void *state, const uint64_t *in, uint64_t *out,
                   uint64_t *care, wlk_step_info *info) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    cycle_t c;
    compute(cfg, st, in, &c);
    info->events = st->reset_seen ? events(cfg, st, in, &c) : 0u;
    info->violated = st->reset_seen ? violations(cfg, st, in, &c) : 0u;
    fill(cfg, st, &c, out, care);
    commit(cfg, st, in, &c);
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
    if (differs != 0u) {
        return 1;
    }
    info->violated = violations(cfg, st, in->control, &c);
    commit(cfg, st, in->control, &c);
    return 0;
}

/* No payload is stored. */
static void forget(const uint32_t *params, void *state, const uint64_t *in, const uint64_t *x) {
    (void)params;
    (void)state;
    (void)in;
    (void)x;
}

#endif

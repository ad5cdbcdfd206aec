/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model without state, from what its source defines before including this:
 *   OUT_WORDS                  the words of its largest output record
 *   outputs(cfg, in, out)      the output words of a cycle
 *   differs(cfg, in, got)      nonzero when these are not they
 *   events(cfg, in)            its coverage points
 * Every input is legal, and every output is known.
 */
#ifndef WLK_FRAME_COMB_H
#define WLK_FRAME_COMB_H

/* One byte that is never read: an allocation of 0 bytes may return NULL. */
static size_t state_size(const uint32_t *params) {
    (void)params;
    return 1;
}

static void init(const uint32_t *params, void *state, wlk_power_up power_up) {
    (void)params;
    (void)state;
    (void)power_up;
}

static void eval(const uint32_t *params, const void *state, const uint64_t *in, uint64_t *out,
                 uint64_t *care) {
    const cfg_t *cfg = (const cfg_t *)params;
    (void)state;
    NAMED(out_mask)(cfg, care);
    outputs(cfg, in, out);
}

static void tick(const uint32_t *params, void *state, const uint64_t *in, wlk_step_info *info) {
    (void)state;
    info->events = events((const cfg_t *)params, in);
    info->violated = 0;
}

static void record(const uint32_t *params, void *state, const uint64_t *in, uint64_t *out,
                   uint64_t *care, wlk_step_info *info) {
    eval(params, state, in, out, care);
    tick(params, state, in, info);
}

/* As `differs`, of the bits that are there. */
static uint64_t differs_masked(const cfg_t *cfg, const uint64_t *in, const wlk_view *got) {
    const uint32_t words = out_words(cfg);
    uint64_t out[OUT_WORDS];
    uint64_t any = 0;
    outputs(cfg, in, out);
    for (uint32_t w = 0; w < words; w++) {
        any |= (out[w] ^ got->control[w]) & got->mask[w];
    }
    return any;
}

static int step(const uint32_t *params, void *state, const wlk_view *in, const wlk_view *got,
                wlk_step_info *info) {
    const cfg_t *cfg = (const cfg_t *)params;
    (void)state;
    info->violated = 0;
    if (got->mask != NULL) {
        return differs_masked(cfg, in->control, got) != 0;
    }
    return differs(cfg, in->control, got->control) != 0;
}

#endif

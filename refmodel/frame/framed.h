/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the calls of by_structs.h and by_views.h have in common: the state as callers see it, the
 * outputs, and the calls that look at nothing else. They define
 *   FENCE                      members of the state after the block's own
 *   TAKE_IN(cfg, in, given)    the inputs of a record; TAKE_OUT outputs
 *   NEW_OUT(cfg, out, shown)   outputs that are 0, of a record that is; WRITE_OUT: into that record
 *   shown_t, show_all          outputs
 */
#ifndef WLK_FRAME_FRAMED_H
#define WLK_FRAME_FRAMED_H

#include "frame/open.h"

/* The configuration: that of a model compiled for one (WLK_FIXED, its numbers) is a constant. */
#ifdef WLK_FIXED
static const cfg_t fixed = {WLK_FIXED};
#define CFG(params) ((void)(params), &fixed)
#else
#define CFG(params) ((const cfg_t *)(params))
#endif

#ifndef HAS_STATE /* no_state.h */
#define HAS_STATE true
#endif

typedef struct framed {
    state_t st;         /* first: a pointer to this is one to the state */
    FENCE uint8_t live; /* compared: a reset edge was seen, or there is none to wait for */
    opened o;
} framed;

#ifdef WLK_UNKNOWNS

#define IS_OPEN(f) ((f)->o.open != 0)

/* A start whose reset is over (wlk_block.late). */
static void late_framed(const uint32_t *params, void *state) {
    framed *f = (framed *)state;
    memset(f, 0, sizeof *f);
    open_start(params, &f->o, &f->st);
    f->live = 1;
}

static void learn_framed(const uint32_t *params, void *state, const wlk_sight *seen) {
    framed *f = (framed *)state;
    if (IS_OPEN(f)) {
        open_learn(params, &f->o, &f->st, seen);
    }
}

#ifdef WLK_FOLLOWS

static uint32_t outcomes_framed(const uint32_t *params, const void *state, const uint64_t *in) {
    const framed *f = (const framed *)state;
    return IS_OPEN(f) && f->live ? follow_count(params, &f->o, in) : 1u;
}

static void assume_framed(const uint32_t *params, void *state, const uint64_t *in, uint32_t k) {
    framed *f = (framed *)state;
    if (IS_OPEN(f) && f->live) {
        follow_assume(params, &f->o, &f->st, in, k);
    }
}

#define OUTCOMES .outcomes = outcomes_framed, .assume = assume_framed, .joins = true
#else
#define OUTCOMES .outcomes = NULL
#endif

#define LATE .late = late_framed, .learn = learn_framed, .always_learns = true, OUTCOMES

#else

#ifdef WLK_FIXED /* it shares the state with the library's model, which can be open */
#define IS_OPEN(f) ((f)->o.open != 0)
#else
#define IS_OPEN(f) false
#endif
#define LATE .late = NULL

#endif

static void init(const uint32_t *params, void *state, wlk_power_up power_up) {
    framed *f = (framed *)state;
    (void)params;
    memset(f, 0, sizeof *f);
    f->live = !HAS_STATE || NAMED(table).reset < 0 || power_up != WLK_POWER_UNKNOWN;
    if (own.unknown_start && power_up == WLK_POWER_UNKNOWN) {
        open_start(params, &f->o, &f->st);
    }
}

static size_t state_size(const uint32_t *params) {
    (void)params;
    return sizeof(framed);
}

static void async_clear(const uint32_t *params, void *state) {
    framed *f = (framed *)state;
    clear(CFG(params), &f->st);
    if (IS_OPEN(f)) {
        open_clear(params, &f->o);
    }
}

static inline uint32_t broken_framed(const cfg_t *cfg, const framed *f, const uint64_t *in,
                                     const in_t *given) {
    if (!f->live || own.broken == NULL) {
        return 0;
    }
    return IS_OPEN(f) ? open_broken((const uint32_t *)cfg, &f->o, in)
                      : own.broken(cfg, &f->st, given);
}

static bool drained_framed(const uint32_t *params, const void *state) {
    return own.drained == NULL || own.drained(CFG(params), &((const framed *)state)->st);
}

static void visit(const uint32_t *params, const void *state, wlk_state_visitor *visitor,
                  void *ctx) {
    const framed *f = (const framed *)state;
    if (own.show == NULL) {
        return;
    }
    if (IS_OPEN(f)) {
        open_show(params, &f->o, visitor, ctx);
    } else {
        own.show(CFG(params), &f->st, visitor, ctx);
    }
}

/* The outputs of a state as words, and which bits are shown; and as callers see them. */
static void show_all(const cfg_t *cfg, const state_t *st, const in_t *given, const cycle_t *c,
                     shown_t *shown, uint64_t *out, uint64_t *care);

/* The same, and which bits there are: those that must match. Of an unknown state `shown` has those
 * of one that is possible. */
static void answer(const cfg_t *cfg, const framed *f, const uint64_t *in, const in_t *given,
                   const cycle_t *c, shown_t *shown, uint64_t *out, uint64_t *care,
                   uint64_t *mask) {
    show_all(cfg, &f->st, given, c, shown, out, care);
    if (IS_OPEN(f) && f->live) {
        open_outputs((const uint32_t *)cfg, &f->o, in, out, care);
    }
    NAMED(out_mask)(cfg, mask);
    for (uint32_t w = 0; w < out_words(cfg); w++) {
        care[w] = f->live ? care[w] & mask[w] : 0u;
        out[w] &= care[w];
    }
}

static void eval(const uint32_t *params, const void *state, const uint64_t *in, uint64_t *out,
                 uint64_t *care) {
    const cfg_t *cfg = CFG(params);
    const framed *f = (const framed *)state;
    uint64_t mask[CAPS(OUT_WORDS)];
    in_t given;
    shown_t shown;
    cycle_t c;
    TAKE_IN(cfg, in, &given);
    SEE(cfg, &f->st, &given, &c);
    answer(cfg, f, in, &given, &c, &shown, out, care, mask);
}

#ifdef WLK_UNKNOWNS

static void plain_outputs(const uint32_t *params, const state_t *st, const uint64_t *in,
                          uint64_t *out, uint64_t *care) {
    const cfg_t *cfg = (const cfg_t *)params;
    in_t given;
    shown_t shown;
    cycle_t c;
    TAKE_IN(cfg, in, &given);
    SEE(cfg, st, &given, &c);
    show_all(cfg, st, &given, &c, &shown, out, care);
}

static void plain_edge(const uint32_t *params, state_t *st, const uint64_t *in, bool reset) {
    const cfg_t *cfg = (const cfg_t *)params;
    in_t given;
    cycle_t c;
    if (in != NULL) {
        TAKE_IN(cfg, in, &given);
        SEE(cfg, st, &given, &c);
        EDGE(cfg, st, &given, &c);
    }
    if (reset) {
        clear(cfg, st);
    }
}

#endif

#endif

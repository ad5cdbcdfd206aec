/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the calls of by_structs.h and by_views.h have in common: the state as callers see it, and
 * the calls that look at nothing else. FENCE: members after the block's own.
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
    uint64_t values[MOST_VALUES];
    return IS_OPEN(f) && f->live ? follow_outcomes(params, &f->o, in, values) : 1u;
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

#endif

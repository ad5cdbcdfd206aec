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

/* Not compiled into a step, which is slower then though it never runs it. */
#define APART __attribute__((noinline))

#ifdef RAMS
#define HAS_RAMS true
#else
#define HAS_RAMS false
#endif

#if defined(WLK_FOLLOWS) || defined(RAMS)
/* Outputs and edge of the model itself; @p in is NULL if there is no edge. `is_blind`: no rows of
 * memories are shown. */
static void plain_outputs(const uint32_t *params, const state_t *st, bool is_blind,
                          const uint64_t *in, uint64_t *out, uint64_t *care);
static void plain_edge(const uint32_t *params, state_t *st, const uint64_t *in, bool reset);
#endif

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
#ifdef RAMS
    uint8_t is_open;  /* that of `opened`, which lies behind the areas */
    uint8_t is_apart; /* bits of memories are unknown: there is an upper state too */
    uint8_t is_late;  /* it began without its reset, and each cycle since has been learned from */
    uint8_t learned;  /* this one has */
    size_t same;      /* a word of memories that differed at the last look */
#else
    opened o;
#endif
} framed;

#ifdef RAMS
#define IS_OPEN(f) ((f)->is_open != 0)
#elif defined(WLK_UNKNOWNS) || defined(WLK_FIXED) /* which shares the state with the library's */
#define IS_OPEN(f) ((f)->o.open != 0)
#else
#define IS_OPEN(f) false
#endif

#include "frame/rails.h"
#include "frame/suppose.h"

#ifdef WLK_UNKNOWNS

/* A start whose reset is over (wlk_block.late). */
static void late_framed(const uint32_t *params, void *state) {
    framed *f = (framed *)state;
    memset(f, 0, state_size(params));
    open_start(params, opened_of(CFG(params), f), &f->st);
    rails_init(CFG(params), f, true);
    rails_start_late(f);
    f->live = 1;
}

static void learn_framed(const uint32_t *params, void *state, const wlk_sight *seen) {
    framed *f = (framed *)state;
    if (IS_OPEN(f)) {
        open_learn(params, opened_of(CFG(params), f), &f->st, seen);
        rails_settle(CFG(params), f);
    } else if (IS_APART(f) && own.learn_rows != NULL) {
        rails_learn(CFG(params), f, seen);
    }
    rails_note(f);
}

#ifdef WLK_FOLLOWS

static uint32_t outcomes_framed(const uint32_t *params, const void *state, const uint64_t *in) {
    const framed *f = (const framed *)state;
    uint32_t n = 1;
    if (IS_OPEN(f) && f->live) {
        const opened *o = opened_of(CFG(params), f);
        n = follow_count(params, o, in);
        n = n > 1 ? n : suppose_count(params, o, in);
    }
    return n;
}

static void assume_framed(const uint32_t *params, void *state, const uint64_t *in, uint32_t k) {
    framed *f = (framed *)state;
    if (IS_OPEN(f) && f->live) {
        opened *o = opened_of(CFG(params), f);
        if (!follow_assume(params, o, &f->st, in, k)) {
            suppose_assume(params, o, &f->st, in, k);
        }
    }
}

#define OUTCOMES .outcomes = outcomes_framed, .assume = assume_framed, .joins = true
#else
#define OUTCOMES .outcomes = NULL
#endif

#define LATE .late = late_framed, .learn = learn_framed, .always_learns = true, OUTCOMES

#else
#define LATE .late = NULL

#endif

static void init(const uint32_t *params, void *state, wlk_power_up power_up) {
    framed *f = (framed *)state;
    const bool is_open = own.unknown_start && power_up == WLK_POWER_UNKNOWN;
    memset(f, 0, state_size(params));
    f->live = !HAS_STATE || NAMED(table).reset < 0 || power_up != WLK_POWER_UNKNOWN;
    if (is_open) {
        open_start(params, opened_of(CFG(params), f), &f->st);
    }
    rails_init(CFG(params), f, is_open);
}

static void async_clear(const uint32_t *params, void *state) {
    framed *f = (framed *)state;
    clear(CFG(params), &f->st);
    if (IS_OPEN(f)) {
        open_clear(params, opened_of(CFG(params), f));
        rails_settle(CFG(params), f);
    } else if (IS_APART(f)) {
        rails_edge(CFG(params), f, NULL, true);
    }
}

static inline uint32_t broken_framed(const cfg_t *cfg, const framed *f, const uint64_t *in,
                                     const in_t *given) {
    if (!f->live || own.broken == NULL) {
        return 0;
    }
    return IS_OPEN(f) ? open_broken((const uint32_t *)cfg, opened_of(cfg, f), in)
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
        open_show(params, opened_of(CFG(params), f), visitor, ctx);
    } else {
        own.show(CFG(params), &f->st, visitor, ctx);
    }
    rails_visit(CFG(params), f, visitor, ctx);
}

/* The outputs of a state as words, and which bits are shown; and as callers see them. `is_blind`:
 * rows of memories are not. */
static void show_all(const cfg_t *cfg, const state_t *st, const in_t *given, const cycle_t *c,
                     bool is_blind, shown_t *shown, uint64_t *out, uint64_t *care);

/* The same, and which bits there are: those that must match. Of an unknown state `shown` has those
 * of one that is possible. */
static void answer(const cfg_t *cfg, const framed *f, const uint64_t *in, const in_t *given,
                   const cycle_t *c, shown_t *shown, uint64_t *out, uint64_t *care,
                   uint64_t *mask) {
    show_all(cfg, &f->st, given, c, false, shown, out, care);
    if (IS_OPEN(f)) {
        open_outputs((const uint32_t *)cfg, opened_of(cfg, f), in, out, care);
    } else if (IS_APART(f)) {
        rails_hide(cfg, f, in, out, care);
    }
    NAMED(out_mask)(cfg, mask);
    for (uint32_t w = 0; w < out_words(cfg); w++) {
        care[w] = f->live || IS_OPEN(f) ? care[w] & mask[w] : 0u;
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

#if defined(WLK_FOLLOWS) || defined(RAMS)

static APART void plain_outputs(const uint32_t *params, const state_t *st, bool is_blind,
                                const uint64_t *in, uint64_t *out, uint64_t *care) {
    const cfg_t *cfg = (const cfg_t *)params;
    in_t given;
    shown_t shown;
    cycle_t c;
    TAKE_IN(cfg, in, &given);
    SEE(cfg, st, &given, &c);
    show_all(cfg, st, &given, &c, is_blind, &shown, out, care);
}

static APART void plain_edge(const uint32_t *params, state_t *st, const uint64_t *in, bool reset) {
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

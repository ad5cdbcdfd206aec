/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a model of structs.h while some bits of its state are unknown: while it is open. The build
 * writes the model again, over numbers of which only some bits are known (unknowns.h); WLK_UNKNOWNS
 * is how many numbers its state has. Where that macro is not defined, nothing here does anything.
 *
 * The frame keeps one possible state too, `st`, which agrees with `known` in each known bit. A
 * cycle:
 *   1. the output bits that follow from `known` are compared
 *   2. learn: the outputs are kept, and what .learn assigns of unknown bits is known
 *      (a start without its reset does this before 1.)
 *   3. the edge of `st`, then that of `known`; in reset clear, else .learn_next if 2. was done
 * 2., 3. and a clear end with: if all is known, *o becomes zeros, and the plain model goes on.
 *
 * Of members that .follow assigns the frame keeps the set of values that are possible (WLK_FOLLOWS:
 * the model has it), and `known` has what these have in common. Each value goes through 1. and 3.
 * alone, and the results are joined. Values that show something else, or lead elsewhere, are other
 * outcomes of the cycle (wlk_block.outcomes).
 */
#ifndef WLK_FRAME_OPEN_H
#define WLK_FRAME_OPEN_H

#ifdef WLK_UNKNOWNS

#include "frame/unknowns.h"

extern const wlk_unknowns NAMED(unknowns);

#define CALLED(call) NAMED(unknowns).call

/* What is known of the state. */
typedef struct opened {
    uint64_t open;     /* Is a bit unknown? First: a specialised model has this alone. */
    uint64_t possible; /* the set of values of .follow; empty: none is followed */
    uint32_t unknown;  /* a number that was not known at the last look: the search starts there */
    uint8_t has_seen;  /* seen and seen_known have the outputs of this cycle and their known bits */
    NAMED(out) seen, seen_known;
    wlk_num known[WLK_UNKNOWNS];
} opened;

/* If everything is known, the plain model goes on: `st` has those values already. */
static void open_settle(opened *o) {
    for (uint32_t i = 0; i < WLK_UNKNOWNS; i++) {
        if (!wlk_is_known(o->known[o->unknown])) {
            return;
        }
        o->unknown = o->unknown + 1u < WLK_UNKNOWNS ? o->unknown + 1u : 0u;
    }
    memset(o, 0, sizeof *o);
}

/* The same of the plain model (by_structs.h, by_views.h); @p in is NULL if there is no edge. */
static void plain_outputs(const uint32_t *params, const state_t *st, const uint64_t *in,
                          uint64_t *out, uint64_t *care);
static void plain_edge(const uint32_t *params, state_t *st, const uint64_t *in, bool reset);

/* A state of which all is known; it is often so of one that has a value of those that are
 * followed, and the plain model is much faster. */
static bool open_is_plain(const wlk_num *st, state_t *plain) {
    for (uint32_t i = 0; i < WLK_UNKNOWNS; i++) {
        if (!wlk_is_known(st[i])) {
            return false;
        }
    }
    CALLED(lower)(st, FILL_ZEROS, plain);
    return true;
}

/* Outputs of one state as words. */
static void open_outputs_of(const uint32_t *params, const wlk_num *st, const uint64_t *in,
                            uint64_t *out, uint64_t *care) {
    const cfg_t *cfg = (const cfg_t *)params;
    NAMED(in) given;
    NAMED(out) shown, known;
    state_t plain;
    if (open_is_plain(st, &plain)) {
        plain_outputs(params, &plain, in, out, care);
        return;
    }
    NAMED(in_unpack)(cfg, in, &given);
    memset(&shown, 0, sizeof shown);
    memset(&known, 0, sizeof known);
    memset(out, 0, out_words(cfg) * sizeof *out);
    memset(care, 0, out_words(cfg) * sizeof *care);
    CALLED(outputs)(params, st, &given, &shown, &known);
    NAMED(out_pack)(cfg, &shown, out);
    NAMED(out_pack)(cfg, &known, care);
}

/* The edge of a state, if there is one (@p in), and what a reset sets. */
static void open_edge_of(const uint32_t *params, wlk_num *st, const uint64_t *in, bool reset) {
    NAMED(in) given;
    state_t plain;
    if (open_is_plain(st, &plain)) {
        plain_edge(params, &plain, in, reset);
        CALLED(raise)(&plain, st);
        return;
    }
    if (in != NULL) {
        NAMED(in_unpack)((const cfg_t *)params, in, &given);
        CALLED(edge)(params, st, &given);
    }
    if (reset) {
        CALLED(clear)(params, st);
    }
}

#include "frame/follow.h"

/* Nothing is known. @p st: any possible state. */
static void open_start(const uint32_t *params, opened *o, state_t *st) {
    CALLED(start)(o->known);
    o->open = 1;
    follow_start(params, o);
    follow_state(params, o, st);
    open_settle(o); /* a state may have no bits */
}

/* The outputs as words; care: bits that are the same for all values of the unknown state. */
static void open_outputs(const uint32_t *params, const opened *o, const uint64_t *in, uint64_t *out,
                         uint64_t *care) {
    follow_outputs(params, o, in, out, care);
}

/* Add what a function assigns of unknown bits; known bits stay. */
static void open_learn_by(wlk_learn *function, const uint32_t *params, opened *o, state_t *st,
                          const NAMED(in) * given) {
    wlk_num learned[WLK_UNKNOWNS];
    if (function == NULL) {
        return;
    }
    memcpy(learned, o->known, sizeof learned);
    function(params, learned, given, &o->seen, &o->seen_known);
    for (uint32_t i = 0; i < WLK_UNKNOWNS; i++) {
        o->known[i] = wlk_num_meet(o->known[i], learned[i]);
    }
    follow_narrow(params, o);
    CALLED(lower)(o->known, FILL_KEEP, st);
    follow_state(params, o, st);
}

static void open_clear(const uint32_t *params, opened *o) {
    follow_edge(params, o, NULL, true);
    open_settle(o);
}

/* The edge of `known`; the caller has done that of `st`. */
static void open_edge(const uint32_t *params, opened *o, state_t *st, const uint64_t *in) {
    const bool reset = CAPS(IN_RESET)(in);
    NAMED(in) given;
    follow_edge(params, o, in, reset);
    if (o->has_seen && !reset) {
        NAMED(in_unpack)((const cfg_t *)params, in, &given);
        open_learn_by(CALLED(learn_next), params, o, st, &given);
    }
    o->has_seen = 0;
    open_settle(o);
}

/* A rule counts as broken only if it is broken in every possible state. */
static uint32_t open_broken(const uint32_t *params, const opened *o, const uint64_t *in) {
    NAMED(in) given;
    NAMED(in_unpack)((const cfg_t *)params, in, &given);
    return CALLED(broken) != NULL ? follow_broken(params, o, &given) : 0u;
}

/* Outputs as structs, and which bits are there; those beyond a port's width are known zeros. */
static void open_see(const cfg_t *cfg, opened *o, const wlk_sight *seen) {
    uint64_t mask[CAPS(OUT_WORDS)];
    NAMED(out) ports;
    NAMED(out_mask)(cfg, mask);
    NAMED(out_unpack)(cfg, mask, &ports);
    NAMED(out_unpack)(cfg, seen->out, &o->seen);
    NAMED(out_unpack)(cfg, seen->out_known, &o->seen_known);
    for (size_t i = 0; i < sizeof ports; i++) {
        ((uint8_t *)&o->seen_known)[i] |= (uint8_t) ~((const uint8_t *)&ports)[i];
    }
    o->has_seen = 1;
}

static void open_learn(const uint32_t *params, opened *o, state_t *st, const wlk_sight *seen) {
    const cfg_t *cfg = (const cfg_t *)params;
    NAMED(in) given;
    NAMED(in_unpack)(cfg, seen->in, &given);
    open_see(cfg, o, seen);
    open_learn_by(CALLED(learn), params, o, st, &given);
    open_settle(o);
}

enum { MOST_SHOWN = 4096 };

/* What `show` visits of a state whose unknown bits are 0, and then of one where they are 1. */
typedef struct shown_twice {
    wlk_state_visitor *visitor;
    void *ctx;
    uint32_t n, at;
    struct {
        const char *name;
        int32_t index;
        uint64_t value;
    } zeros[MOST_SHOWN];
} shown_twice;

static void note_shown(void *ctx, const char *name, int32_t index, const uint64_t *words,
                       uint32_t n_words, uint64_t known, wlk_notation notation) {
    shown_twice *s = (shown_twice *)ctx;
    (void)n_words, (void)known, (void)notation;
    if (s->n < MOST_SHOWN) {
        s->zeros[s->n].name = name;
        s->zeros[s->n].index = index;
        s->zeros[s->n++].value = words[0];
    }
}

/* What the first visit left out is unknown: some models leave out zeros. What only the first one
 * had is passed over. A value has one word. */
static void show_known(void *ctx, const char *name, int32_t index, const uint64_t *words,
                       uint32_t n_words, uint64_t known, wlk_notation notation) {
    shown_twice *s = (shown_twice *)ctx;
    uint32_t i = s->at;
    while (i < s->n && (s->zeros[i].index != index || strcmp(s->zeros[i].name, name) != 0)) {
        i++;
    }
    const bool same = i < s->n && s->zeros[i].value == words[0];
    s->at = i < s->n ? i + 1u : s->at;
    s->visitor(s->ctx, name, index, words, n_words, same ? known : 0u, notation);
}

/* A value that differs between both states is unknown. */
static void open_show(const uint32_t *params, const opened *o, wlk_state_visitor *visitor,
                      void *ctx) {
    const cfg_t *cfg = (const cfg_t *)params;
    shown_twice s = {.visitor = visitor, .ctx = ctx};
    state_t st;
    CALLED(lower)(o->known, FILL_ZEROS, &st);
    own.show(cfg, &st, note_shown, &s);
    CALLED(lower)(o->known, FILL_ONES, &st);
    own.show(cfg, &st, show_known, &s);
}

#else

typedef struct opened {
    uint64_t open;
} opened;

#define open_start(params, o, st)              ((void)(st))
#define open_outputs(params, o, in, out, care) ((void)(in))
#define open_clear(params, o)                  ((void)(o))
#define open_edge(params, o, st, in)           ((void)(in))
#define open_broken(params, o, in)             ((void)(in), 0u)
#define open_show(params, o, visitor, ctx)     ((void)(ctx))

#endif

#endif

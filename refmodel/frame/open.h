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

#include "frame/follow.h"

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

/* Drop values that `known` excludes; it has what the others have in common. */
static void open_narrow(const uint32_t *params, opened *o) {
    followed f;
    open_values(params, o->possible, &f);
    o->possible &= open_may_be_any(o->known, &f);
    if (o->possible == 0) {
        return;
    }
    open_put(o->known, &f, (uint32_t)__builtin_ctzll(o->possible));
    for (uint64_t rest = REST(o->possible); rest != 0; rest = REST(rest)) {
        for (uint32_t i = 0; i < f.numbers; i++) {
            wlk_num *number = &o->known[f.at[i]];
            *number = wlk_num_join(*number, f.value[__builtin_ctzll(rest)][i]);
        }
    }
}

/* The possible state has the first of the possible values. */
static void open_follow(const uint32_t *params, const opened *o, state_t *st) {
    if (o->possible != 0) {
        (void)own.follow((const cfg_t *)params, st, (uint32_t)__builtin_ctzll(o->possible));
    }
}

/* What is known if the members that are followed have the first value of @p possible; of none, what
 * is known already. */
static void open_take(const opened *o, const followed *f, uint64_t possible, wlk_num *st) {
    memcpy(st, o->known, sizeof o->known);
    if (possible != 0) {
        open_put(st, f, (uint32_t)__builtin_ctzll(possible));
    }
}

/* Nothing is known; *st is zeros. */
static void open_start(const uint32_t *params, opened *o, state_t *st) {
    followed f;
    CALLED(start)(o->known);
    o->open = 1;
    open_values(params, CALLED(follow) != NULL, &f);
    o->possible = f.n != 0 ? ~UINT64_C(0) >> (MOST_VALUES - f.n) : 0u;
    open_narrow(params, o);
    open_follow(params, o, st);
    open_settle(o); /* a state may have no bits */
}

/* Outputs of one state as words. */
static void open_outputs_of(const uint32_t *params, const wlk_num *st, const NAMED(in) * given,
                            uint64_t *out, uint64_t *care) {
    const cfg_t *cfg = (const cfg_t *)params;
    NAMED(out) shown, known;
    memset(&shown, 0, sizeof shown);
    memset(&known, 0, sizeof known);
    memset(out, 0, out_words(cfg) * sizeof *out);
    memset(care, 0, out_words(cfg) * sizeof *care);
    CALLED(outputs)(params, st, given, &shown, &known);
    NAMED(out_pack)(cfg, &shown, out);
    NAMED(out_pack)(cfg, &known, care);
}

/* The outputs as words; care: bits that are the same for all values of the unknown state. */
static void open_outputs(const uint32_t *params, const opened *o, const uint64_t *in, uint64_t *out,
                         uint64_t *care) {
    const cfg_t *cfg = (const cfg_t *)params;
    uint64_t other[CAPS(OUT_WORDS)], other_care[CAPS(OUT_WORDS)];
    wlk_num st[WLK_UNKNOWNS];
    NAMED(in) given;
    followed f;
    NAMED(in_unpack)(cfg, in, &given);
    open_values(params, o->possible, &f);
    open_take(o, &f, o->possible, st);
    open_outputs_of(params, st, &given, out, care);
    for (uint64_t rest = REST(o->possible); rest != 0; rest = REST(rest)) {
        open_take(o, &f, rest, st);
        open_outputs_of(params, st, &given, other, other_care);
        for (uint32_t w = 0; w < out_words(cfg); w++) {
            care[w] &= other_care[w] & ~(out[w] ^ other[w]);
        }
    }
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
    open_narrow(params, o);
    CALLED(lower)(o->known, FILL_KEEP, st);
    open_follow(params, o, st);
}

static void open_clear(const uint32_t *params, opened *o) {
    CALLED(clear)(params, o->known);
    open_narrow(params, o);
    open_settle(o);
}

/* The edge of a state, and what a reset sets. */
static void open_edge_of(const uint32_t *params, wlk_num *st, const NAMED(in) * given, bool reset) {
    CALLED(edge)(params, st, given);
    if (reset) {
        CALLED(clear)(params, st);
    }
}

/* That of `known`, for each of the possible values. Should one become none of them, no more are
 * followed. */
static void open_edge_known(const uint32_t *params, opened *o, const NAMED(in) * given,
                            bool reset) {
    wlk_num st[WLK_UNKNOWNS], joined[WLK_UNKNOWNS];
    uint64_t possible = 0, rest = o->possible;
    bool each = true;
    followed f;
    open_values(params, o->possible, &f);
    do {
        open_take(o, &f, rest, st);
        open_edge_of(params, st, given, reset);
        for (uint32_t i = 0; i < WLK_UNKNOWNS; i++) {
            joined[i] = rest == o->possible ? st[i] : wlk_num_join(joined[i], st[i]);
        }
        each = each && open_may_be_any(st, &f) != 0;
        possible |= open_may_be_any(st, &f);
        rest = REST(rest);
    } while (rest != 0);
    memcpy(o->known, joined, sizeof joined);
    o->possible = each ? possible : 0u;
    open_narrow(params, o);
}

/* The edge of `known`; the caller has done that of `st`. */
static void open_edge(const uint32_t *params, opened *o, state_t *st, const uint64_t *in) {
    const bool reset = CAPS(IN_RESET)(in);
    NAMED(in) given;
    NAMED(in_unpack)((const cfg_t *)params, in, &given);
    open_edge_known(params, o, &given, reset);
    if (o->has_seen && !reset) {
        open_learn_by(CALLED(learn_next), params, o, st, &given);
    }
    o->has_seen = 0;
    open_settle(o);
}

/* A rule counts as broken only if it is broken in every possible state. */
static uint32_t open_broken(const uint32_t *params, const opened *o, const uint64_t *in) {
    wlk_num st[WLK_UNKNOWNS];
    NAMED(in) given;
    followed f;
    uint32_t broken;
    if (CALLED(broken) == NULL) {
        return 0;
    }
    NAMED(in_unpack)((const cfg_t *)params, in, &given);
    open_values(params, o->possible, &f);
    open_take(o, &f, o->possible, st);
    broken = CALLED(broken)(params, st, &given);
    for (uint64_t rest = REST(o->possible); rest != 0; rest = REST(rest)) {
        open_take(o, &f, rest, st);
        broken &= CALLED(broken)(params, st, &given);
    }
    return broken;
}

#ifdef WLK_FOLLOWS

static inline uint64_t mixed(uint64_t sum, uint64_t word) {
    const uint64_t product = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return product ^ product >> 29;
}

/* What a cycle shows and leaves, if the members that are followed have a value. Of those that the
 * edge leaves as they were it says nothing. */
static uint64_t open_effect(const uint32_t *params, const opened *o, const followed *f, uint32_t k,
                            const uint64_t *in) {
    const uint32_t words = out_words((const cfg_t *)params);
    uint64_t out[CAPS(OUT_WORDS)], care[CAPS(OUT_WORDS)], sum = 0;
    wlk_num st[WLK_UNKNOWNS];
    NAMED(in) given;
    NAMED(in_unpack)((const cfg_t *)params, in, &given);
    open_take(o, f, UINT64_C(1) << k, st);
    open_outputs_of(params, st, &given, out, care);
    for (uint32_t w = 0; w < words; w++) {
        sum = mixed(mixed(sum, out[w] & care[w]), care[w]);
    }
    open_edge_of(params, st, &given, CAPS(IN_RESET)(in));
    if (open_is(st, f, k)) {
        open_put(st, f, 0);
    } else {
        sum = mixed(sum, 1);
    }
    for (uint32_t i = 0; i < WLK_UNKNOWNS; i++) {
        sum = mixed(mixed(sum, st[i].value), st[i].known);
    }
    return sum;
}

/* How many outcomes the cycle has, and the values that lead to each. */
static uint32_t open_outcomes(const uint32_t *params, const opened *o, const uint64_t *in,
                              uint64_t *values) {
    uint64_t effects[MOST_VALUES];
    uint32_t n = 0;
    followed f;
    open_values(params, o->possible, &f);
    for (uint64_t rest = o->possible; rest != 0; rest = REST(rest)) {
        const uint32_t k = (uint32_t)__builtin_ctzll(rest);
        const uint64_t effect = open_effect(params, o, &f, k, in);
        uint32_t i = 0;
        while (i < n && effects[i] != effect) {
            i++;
        }
        if (i == n) {
            effects[n] = effect;
            values[n++] = 0;
        }
        values[i] |= UINT64_C(1) << k;
    }
    return n > 1 ? n : 1u;
}

/* The cycle has outcome @p k. */
static void open_assume(const uint32_t *params, opened *o, state_t *st, const uint64_t *in,
                        uint32_t k) {
    uint64_t values[MOST_VALUES];
    if (k < open_outcomes(params, o, in, values) && o->possible != 0) {
        o->possible = values[k];
        open_narrow(params, o);
        open_follow(params, o, st);
        open_settle(o);
    }
}

#endif

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

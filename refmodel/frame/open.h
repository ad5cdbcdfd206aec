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
 *      (a start without its reset does this before 1., and learn_by_next)
 *   3. the edge of `st`, then that of `known`; in reset clear, else .learn_next if 2. was done
 * 2., 3. and a clear end with: if all is known, *o becomes zeros, and the plain model goes on.
 *
 * Of members that .follow assigns the frame keeps the set of values that are possible (WLK_FOLLOWS:
 * the model has it), and `known` has what these have in common. Each value goes through 1. and 3.
 * alone, and the results are joined. Values that show something else, or lead elsewhere, are other
 * outcomes of the cycle (wlk_block.outcomes). A value runs without memories; these go through 1.
 * and 3. once, with `known`, and what they show is no outcome. While the values are many and much
 * of the state is unknown, `known` alone goes through 1. and 3., and then each value is possible
 * that it allows: so the cycle has one outcome.
 */
#ifndef WLK_FRAME_OPEN_H
#define WLK_FRAME_OPEN_H

#ifdef WLK_UNKNOWNS

#include "frame/unknowns.h"
#include "frame/value_set.h"

/* A sum with one word more. */
static inline uint64_t mixed(uint64_t sum, uint64_t word) {
    const uint64_t product = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return product ^ product >> 29;
}

extern const wlk_unknowns NAMED(unknowns);

#define CALLED(call) NAMED(unknowns).call

#define OPEN_X(o, unknown) ((o)->x = (unknown))

/* What is known of the state, but of its memories (rams.h). */
typedef struct opened {
    uint64_t open;      /* Is a bit unknown? First: a specialised model has this alone. */
    value_set possible; /* values of .follow; empty: none is followed */
    uint32_t unknown;   /* a number that was not known at the last look: the search starts there */
    uint64_t moved;     /* in an edge, or where rows are learned: has a memory changed? */
    const uint64_t *x;  /* in an edge: bits of payloads that are unknown; else NULL */
    uint8_t has_seen; /* seen and seen_known have the outputs of this cycle and their known bits */
    uint64_t seen[CAPS(OUT_WORDS)], seen_known[CAPS(OUT_WORDS)];
    /* The last edge changed nothing that is known, memories among it: with the same inputs neither
     * will the next one, and these are the outputs. Else zeros. */
    struct {
        uint64_t is_one, in[CAPS(IN_WORDS)], out[CAPS(OUT_WORDS)], care[CAPS(OUT_WORDS)];
    } pause;
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

#ifdef RAMS
/* The memories of a state; of NULL, blind ones. */
static wlk_rams *open_rams(const uint32_t *params, const opened *o, wlk_rams *rams);
#define RAMS_OF(params, o) open_rams(params, o, &(wlk_rams){0})
#else
#define RAMS_OF(params, o) NULL
#endif

/* Outputs of one state as words. */
static void open_outputs_of(const uint32_t *params, const wlk_num *st, wlk_rams *rams,
                            const uint64_t *in, uint64_t *out, uint64_t *care) {
    const cfg_t *cfg = (const cfg_t *)params;
    in_t given;
    out_t shown, known;
    TAKE_IN(cfg, in, &given);
    memset(out, 0, out_words(cfg) * sizeof *out);
    memset(care, 0, out_words(cfg) * sizeof *care);
    NEW_OUT(cfg, out, &shown);
    NEW_OUT(cfg, care, &known);
    CALLED(outputs)(params, st, rams, &given, &shown, &known);
    WRITE_OUT(cfg, &shown, out);
    WRITE_OUT(cfg, &known, care);
}

/* The edge of a state, if there is one (@p in), and what a reset sets. @p x: bits of payloads that
 * are unknown, or NULL. */
static void open_edge_of(const uint32_t *params, wlk_num *st, wlk_rams *rams, const uint64_t *in,
                         const uint64_t *x, bool reset) {
    in_t given, unknown;
    if (in != NULL) {
        TAKE_IN((const cfg_t *)params, in, &given);
        TAKE_IN((const cfg_t *)params, x != NULL ? x : in, &unknown);
        CALLED(edge)(params, st, rams, &given, x != NULL ? &unknown : NULL);
    }
    if (reset) {
        CALLED(clear)(params, st, rams);
    }
}

/* Is this cycle like the one before it? */
static bool open_pauses(const uint32_t *params, const opened *o, const uint64_t *in) {
    const size_t bytes = NAMED(in_words)((const cfg_t *)params) * sizeof *in;
    return o->pause.is_one && o->x == NULL && memcmp(in, o->pause.in, bytes) == 0;
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
static APART void open_outputs(const uint32_t *params, const opened *o, const uint64_t *in,
                               uint64_t *out, uint64_t *care) {
    if (open_pauses(params, o, in)) {
        memcpy(out, o->pause.out, out_words((const cfg_t *)params) * sizeof *out);
        memcpy(care, o->pause.care, out_words((const cfg_t *)params) * sizeof *care);
    } else {
        follow_outputs(params, o, in, out, care);
    }
}

/*
 * The outputs of this cycle, and of the next one where they are given, as the block's structs.
 * A struct that is a view points to the words it was taken from: those of `there` are kept here.
 */
typedef struct sight {
    out_t out, next, known, next_known, there;
    uint64_t mask[CAPS(OUT_WORDS)];
} sight;

static void open_see(const uint32_t *params, const opened *o, const wlk_sight *given, sight *s) {
    const cfg_t *cfg = (const cfg_t *)params;
    NAMED(out_mask)(cfg, s->mask);
    TAKE_OUT(cfg, o->seen, &s->out);
    TAKE_OUT(cfg, o->seen_known, &s->known);
    TAKE_OUT(cfg, s->mask, &s->there);
    if (given != NULL) {
        TAKE_OUT(cfg, given->next, &s->next);
        TAKE_OUT(cfg, given->next_known, &s->next_known);
    }
}

/* More is known: @p known is that and all that was known before. */
static void open_know(const uint32_t *params, opened *o, state_t *st, const wlk_num *known) {
    memcpy(o->known, known, sizeof o->known);
    memset(&o->pause, 0, sizeof o->pause);
    follow_forget(params, o);
    follow_narrow(params, o);
    CALLED(lower)(o->known, FILL_KEEP, st);
    follow_state(params, o, st);
}

/* Add what a function assigns of unknown bits; known bits stay. */
static void open_learn_by(wlk_learn *function, const uint32_t *params, opened *o, state_t *st,
                          const in_t *given, const sight *s) {
    const wlk_seen seen = {&s->out, &s->next, &s->known, &s->next_known, &s->there};
    wlk_num learned[WLK_UNKNOWNS];
    if (function == NULL) {
        return;
    }
    memcpy(learned, o->known, sizeof learned);
    function(params, learned, RAMS_OF(params, o), given, &seen);
    for (uint32_t i = 0; i < WLK_UNKNOWNS; i++) {
        learned[i] = wlk_num_meet(o->known[i], learned[i]);
    }
    if (memcmp(learned, o->known, sizeof learned) != 0) {
        open_know(params, o, st, learned);
    }
}

/* What a function says of memories. */
static void open_learn_rows(const uint32_t *params, opened *o, const in_t *given, const sight *s) {
    const wlk_seen seen = {&s->out, &s->next, &s->known, &s->next_known, &s->there};
    if (CALLED(learn_rows) != NULL) {
        CALLED(learn_rows)(params, o->known, RAMS_OF(params, o), given, &seen);
        if (o->moved) {
            memset(&o->pause, 0, sizeof o->pause);
        }
        o->moved = 0;
    }
}

/* An edge, or with @p in NULL a clear alone: does it leave what is known? If not, a pause ends. */
static bool open_stays(const uint32_t *params, opened *o, const uint64_t *in, bool reset) {
    wlk_num before[WLK_UNKNOWNS];
    const value_set possible = o->possible;
    memcpy(before, o->known, sizeof before);
    follow_edge(params, o, in, reset);
    const bool moved = o->moved != 0;
    o->moved = 0;
    if (!moved && memcmp(&possible, &o->possible, sizeof possible) == 0 &&
        memcmp(before, o->known, sizeof before) == 0) {
        return true;
    }
    memset(&o->pause, 0, sizeof o->pause);
    return false;
}

static void open_clear(const uint32_t *params, opened *o) {
    follow_forget(params, o);
    (void)open_stays(params, o, NULL, true);
    open_settle(o);
}

/* The edge of `known`. */
static void open_change(const uint32_t *params, opened *o, const uint64_t *in, bool reset) {
    memset(&o->pause, 0, sizeof o->pause);
    if (open_stays(params, o, in, reset) && o->x == NULL && follow_count(params, o, in) == 1) {
        memcpy(o->pause.in, in, NAMED(in_words)((const cfg_t *)params) * sizeof *in);
        follow_outputs(params, o, in, o->pause.out, o->pause.care);
        o->pause.is_one = 1;
    }
}

/* The same, and what follows; the caller has done that of `st`. */
static APART void open_edge(const uint32_t *params, opened *o, state_t *st, const uint64_t *in) {
    const bool reset = CAPS(IN_RESET)(in);
    in_t given;
    sight s;
    if (!open_pauses(params, o, in)) {
        open_change(params, o, in, reset);
    }
    follow_forget(params, o);
    follow_wipe(params, st);
    if (o->has_seen && !reset && CALLED(learn_next) != NULL) {
        TAKE_IN((const cfg_t *)params, in, &given);
        open_see(params, o, NULL, &s);
        open_learn_by(CALLED(learn_next), params, o, st, &given, &s);
    }
    o->has_seen = 0;
    open_settle(o);
}

/* A rule counts as broken only if it is broken in every possible state. */
static APART uint32_t open_broken(const uint32_t *params, const opened *o, const uint64_t *in) {
    in_t given;
    TAKE_IN((const cfg_t *)params, in, &given);
    return CALLED(broken) != NULL ? follow_broken(params, o, &given) : 0u;
}

static void open_learn(const uint32_t *params, opened *o, state_t *st, const wlk_sight *seen) {
    const cfg_t *cfg = (const cfg_t *)params;
    in_t given;
    sight s;
    TAKE_IN(cfg, seen->in, &given);
    memcpy(o->seen, seen->out, out_words(cfg) * sizeof *o->seen);
    memcpy(o->seen_known, seen->out_known, out_words(cfg) * sizeof *o->seen_known);
    o->has_seen = 1;
    open_see(params, o, seen, &s);
    open_learn_by(CALLED(learn), params, o, st, &given, &s);
    open_learn_by(CALLED(learn_by_next), params, o, st, &given, &s);
    open_learn_rows(params, o, &given, &s);
    open_settle(o);
}

enum { MOST_SHOWN = 4096 };

/* What `show` visits of a state whose unknown bits are 0, and then of one where they are 1. */
typedef struct shown_twice {
    wlk_state_visitor *visitor;
    void *ctx;
    uint32_t n, at;
    struct {
        uint64_t name;
        int32_t index;
        uint64_t value;
    } zeros[MOST_SHOWN];
} shown_twice;

/* A name is there for one call only: a number in its place. */
static uint64_t number_of(const char *name) {
    uint64_t number = 0;
    for (; *name != '\0'; name++) {
        number = mixed(number, (unsigned char)*name);
    }
    return number;
}

static void note_shown(void *ctx, const char *name, int32_t index, const uint64_t *words,
                       uint32_t n_words, uint64_t known, wlk_notation notation) {
    shown_twice *s = (shown_twice *)ctx;
    (void)n_words, (void)known, (void)notation;
    if (s->n < MOST_SHOWN) {
        s->zeros[s->n].name = number_of(name);
        s->zeros[s->n].index = index;
        s->zeros[s->n++].value = words[0];
    }
}

/* What the first visit left out is unknown: some models leave out zeros. What only the first one
 * had is passed over. A value has one word. */
static void show_known(void *ctx, const char *name, int32_t index, const uint64_t *words,
                       uint32_t n_words, uint64_t known, wlk_notation notation) {
    shown_twice *s = (shown_twice *)ctx;
    const uint64_t number = number_of(name);
    uint32_t i = s->at;
    while (i < s->n && (s->zeros[i].index != index || s->zeros[i].name != number)) {
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

#define OPEN_X(o, unknown)                     ((void)(unknown))
#define open_start(params, o, st)              ((void)(st))
#define open_outputs(params, o, in, out, care) ((void)(in))
#define open_clear(params, o)                  ((void)(o))
#define open_edge(params, o, st, in)           ((void)(in))
#define open_broken(params, o, in)             ((void)(in), 0u)
#define open_show(params, o, visitor, ctx)     ((void)(ctx))

#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of a model of structs.h that is a library of its own: it sees the public structs. What
 * it writes behind them is found.
 *
 * With WLK_UNKNOWNS, the numbers of the state, the model has been written again for state of which
 * only some bits are known (unknowns.h). While there are such bits it runs that one.
 */
#ifndef WLK_FRAME_BY_STRUCTS_H
#define WLK_FRAME_BY_STRUCTS_H

#define PAYLOADS (CAPS(IN_PAYLOADS) + CAPS(OUT_PAYLOADS) != 0)

/* In `outputs`: the value of a port, each bit of which must match. */
#define SHOW(port, value)                                                                          \
    do {                                                                                           \
        out->port = (__typeof__(out->port))(value);                                                \
        memset(&care->port, 0xff, sizeof care->port);                                              \
    } while (0)

/* The same of a payload: @p from has its words. */
#define SHOW_WORDS(port, from)                                                                     \
    do {                                                                                           \
        memcpy(out->port, from, sizeof out->port);                                                 \
        memset(care->port, 0xff, sizeof care->port);                                               \
    } while (0)

#ifdef WLK_UNKNOWNS
extern const wlk_unknowns NAMED(unknowns);
#define OPEN NAMED(unknowns)
#define LATE .late = late_framed, .learn = learn_framed, .always_learns = true
#else
#define WLK_UNKNOWNS 1
static const wlk_unknowns never;
#define OPEN         never
#define LATE         .late = NULL
#endif

enum { BEHIND = 8 }; /* words */

/* Ends the program, in the library of a user's block (plugin.h); there is none elsewhere. */
__attribute__((weak)) void wlk_plugin_damage(const char *what);

/* Are these words, behind what a model may write, still zeros? */
static void require_zeros(const uint64_t *behind, const char *what) {
    uint64_t written = 0;
    for (size_t i = 0; i < BEHIND; i++) {
        written |= behind[i];
    }
    if (written != 0 && wlk_plugin_damage != NULL) {
        wlk_plugin_damage(what);
    }
}

/* A struct of outputs. */
typedef struct fenced {
    out_t side;
    uint64_t behind[BEHIND];
} fenced;

typedef struct framed {
    state_t st; /* first: who is given the state finds it; one of those that are possible */
    uint64_t behind[BEHIND];
    uint8_t live;
    uint8_t open; /* some of the state is unknown: it is what `known` says */
    uint8_t has_seen;
    uint32_t unknown;       /* a number that was not known when it was looked at last */
    out_t seen, seen_known; /* outputs of this cycle, and which of their bits are there */
    wlk_num known[WLK_UNKNOWNS];
} framed;

/* Is anything unknown still? Most often what was at the last edge is. */
static void settle_framed(framed *f) {
    for (uint32_t i = 0; i < WLK_UNKNOWNS; i++) {
        if (!wlk_is_known(f->known[f->unknown])) {
            return;
        }
        f->unknown = f->unknown + 1u < WLK_UNKNOWNS ? f->unknown + 1u : 0u;
    }
    f->open = 0;
}

/* Nothing is known. */
static void open_framed(framed *f) {
    OPEN.start(f->known);
    f->open = 1;
    settle_framed(f); /* a state may have no bits */
}

/* What a function learns is known besides what was. */
static void learn_by(wlk_learn *function, const uint32_t *params, framed *f, const in_t *in) {
    wlk_num learned[WLK_UNKNOWNS];
    if (function == NULL) {
        return;
    }
    memcpy(learned, f->known, sizeof learned);
    function(params, learned, in, &f->seen, &f->seen_known);
    for (uint32_t i = 0; i < WLK_UNKNOWNS; i++) {
        f->known[i] = wlk_num_meet(f->known[i], learned[i]);
    }
    OPEN.lower(f->known, FILL_KEEP, &f->st);
}

static size_t state_size(const uint32_t *params) {
    (void)params;
    return sizeof(framed);
}

static void init(const uint32_t *params, void *state, wlk_power_up power_up) {
    (void)params;
    memset(state, 0, sizeof(framed));
    ((framed *)state)->live = NAMED(table).reset < 0 || power_up != WLK_POWER_UNKNOWN;
    if (own.unknown_start && OPEN.start != NULL && power_up == WLK_POWER_UNKNOWN) {
        open_framed((framed *)state);
    }
}

/* The outputs, as words and in `shown` as a struct; which bits must match, and which there are. */
static void answer(const cfg_t *cfg, const framed *f, const in_t *in, fenced *shown, uint64_t *out,
                   uint64_t *care, uint64_t *mask) {
    fenced known;
    memset(shown, 0, sizeof *shown);
    memset(&known, 0, sizeof known);
    if (f->open) {
        OPEN.outputs((const uint32_t *)cfg, f->known, in, &shown->side, &known.side);
    } else {
        outputs(cfg, &f->st, in, &shown->side, &known.side);
    }
    require_zeros(shown->behind, "writes behind its outputs");
    require_zeros(known.behind, "writes behind its outputs");
    memset(out, 0, out_words(cfg) * sizeof *out);
    memset(care, 0, out_words(cfg) * sizeof *care);
    NAMED(out_mask)(cfg, mask);
    if (f->live) {
        NAMED(out_pack)(cfg, &shown->side, out);
        NAMED(out_pack)(cfg, &known.side, care);
        for (uint32_t w = 0; w < out_words(cfg); w++) {
            care[w] &= mask[w];
            out[w] &= care[w];
        }
    }
}

static void eval(const uint32_t *params, const void *state, const uint64_t *in, uint64_t *out,
                 uint64_t *care) {
    const cfg_t *cfg = (const cfg_t *)params;
    uint64_t mask[CAPS(OUT_WORDS)];
    in_t given;
    fenced shown;
    NAMED(in_unpack)(cfg, in, &given);
    answer(cfg, (const framed *)state, &given, &shown, out, care, mask);
}

static void take_edge(const uint32_t *params, framed *f, const uint64_t *in, const in_t *given) {
    const cfg_t *cfg = (const cfg_t *)params;
    const bool in_reset = CAPS(IN_RESET)(in);
    f->live |= in_reset;
    edge(cfg, &f->st, given);
    if (in_reset) {
        clear(cfg, &f->st);
    }
    require_zeros(f->behind, "writes behind its state");
    if (f->open) {
        OPEN.edge(params, f->known, given);
        if (in_reset) {
            OPEN.clear(params, f->known);
        } else if (f->has_seen) {
            learn_by(OPEN.learn_next, params, f, given);
        }
        f->has_seen = 0;
        settle_framed(f);
    }
}

/* A rule counts as broken only if it is whatever the unknown state is. */
static uint32_t broken_framed(const uint32_t *params, const framed *f, const in_t *given) {
    if (!f->live || own.broken == NULL) {
        return 0;
    }
    return f->open && OPEN.broken != NULL ? OPEN.broken(params, f->known, given)
                                          : own.broken((const cfg_t *)params, &f->st, given);
}

/* Of an unknown state the coverage points are those of one of the states that are possible. */
static uint64_t events_framed(const cfg_t *cfg, const framed *f, const in_t *given,
                              const out_t *shown) {
    out_t out = {0}, care = {0};
    if (!f->live || own.events == NULL) {
        return 0;
    }
    if (f->open) {
        outputs(cfg, &f->st, given, &out, &care);
        shown = &out;
    }
    return own.events(cfg, &f->st, given, shown);
}

static void record(const uint32_t *params, void *state, const uint64_t *in, uint64_t *out,
                   uint64_t *care, wlk_step_info *info) {
    const cfg_t *cfg = (const cfg_t *)params;
    framed *f = (framed *)state;
    uint64_t mask[CAPS(OUT_WORDS)];
    in_t given;
    fenced shown;
    NAMED(in_unpack)(cfg, in, &given);
    answer(cfg, f, &given, &shown, out, care, mask);
    info->violated = broken_framed(params, f, &given);
    info->events = events_framed(cfg, f, &given, &shown.side);
    take_edge(params, f, in, &given);
}

static void tick(const uint32_t *params, void *state, const uint64_t *in, wlk_step_info *info) {
    uint64_t out[CAPS(OUT_WORDS)], care[CAPS(OUT_WORDS)];
    record(params, state, in, out, care, info); /* an event may look at the outputs */
}

static int step(const uint32_t *params, void *state, const wlk_view *in, const wlk_view *got,
                wlk_step_info *info) {
    const cfg_t *cfg = (const cfg_t *)params;
    framed *f = (framed *)state;
    uint64_t out[CAPS(OUT_WORDS)], care[CAPS(OUT_WORDS)], mask[CAPS(OUT_WORDS)];
    uint64_t differs = 0;
    in_t given;
    fenced shown;
    if (PAYLOADS || got->mask != NULL) { /* a closer look */
        return 1;
    }
    NAMED(in_unpack)(cfg, in->control, &given);
    answer(cfg, f, &given, &shown, out, care, mask);
    for (uint32_t w = 0; w < out_words(cfg); w++) {
        differs |= (out[w] ^ got->control[w]) | (care[w] ^ mask[w]);
    }
    if (differs == 0) {
        info->violated = broken_framed(params, f, &given);
        take_edge(params, f, in->control, &given);
    }
    return differs != 0;
}

static void async_clear(const uint32_t *params, void *state) {
    framed *f = (framed *)state;
    clear((const cfg_t *)params, &f->st);
    if (f->open) {
        OPEN.clear(params, f->known);
        settle_framed(f);
    }
}

/* Which of its members an unknown payload has reached is not known: all wait for a reset. */
static void forget(const uint32_t *params, void *state, const uint64_t *in, const uint64_t *x) {
    framed *f = (framed *)state;
    wlk_layout layout;
    uint64_t any = 0;
    (void)in;
    NAMED(table).layout(params, &layout);
    for (uint32_t w = layout.in_control; w < layout.in_words; w++) {
        any |= x[w];
    }
    f->live = any != 0 ? NAMED(table).reset < 0 : f->live;
}

static bool drained(const uint32_t *params, const void *state) {
    return own.drained == NULL || own.drained((const cfg_t *)params, &((const framed *)state)->st);
}

enum { MOST_SHOWN = 4096 };

/* What `show` visits of a state whose unknown bits are 1, and then of one where they are 0. */
typedef struct shown_twice {
    wlk_state_visitor *visitor;
    void *ctx;
    uint32_t n, at;
    uint64_t values[MOST_SHOWN];
} shown_twice;

static void note_shown(void *ctx, const char *name, int32_t index, const uint64_t *words,
                       uint32_t n_words, uint64_t known, wlk_notation notation) {
    shown_twice *s = (shown_twice *)ctx;
    (void)name, (void)index, (void)n_words, (void)known, (void)notation;
    if (s->n < MOST_SHOWN) {
        s->values[s->n++] = words[0];
    }
}

static void show_known(void *ctx, const char *name, int32_t index, const uint64_t *words,
                       uint32_t n_words, uint64_t known, wlk_notation notation) {
    shown_twice *s = (shown_twice *)ctx;
    const bool same = s->at < s->n && s->values[s->at] == words[0];
    s->at++;
    s->visitor(s->ctx, name, index, words, n_words, same ? known : 0u, notation);
}

/* A value that differs between both states is unknown. */
static void show_framed(const uint32_t *params, const framed *f, wlk_state_visitor *visitor,
                        void *ctx) {
    const cfg_t *cfg = (const cfg_t *)params;
    shown_twice s = {.visitor = visitor, .ctx = ctx, .n = 0, .at = 0};
    state_t st;
    OPEN.lower(f->known, FILL_ONES, &st);
    own.show(cfg, &st, note_shown, &s);
    OPEN.lower(f->known, FILL_ZEROS, &st);
    own.show(cfg, &st, show_known, &s);
}

static void visit(const uint32_t *params, const void *state, wlk_state_visitor *visitor,
                  void *ctx) {
    const framed *f = (const framed *)state;
    if (own.show == NULL) {
        return;
    }
    if (f->open) {
        show_framed(params, f, visitor, ctx);
    } else {
        own.show((const cfg_t *)params, &f->st, visitor, ctx);
    }
}

static void late_framed(const uint32_t *params, void *state) {
    framed *f = (framed *)state;
    (void)params;
    memset(f, 0, sizeof *f);
    open_framed(f);
    f->live = 1;
}

/* Outputs as structs, and which bits are there; those beyond a port's width are known zeros. */
static void take_seen(const cfg_t *cfg, framed *f, const wlk_sight *seen) {
    uint64_t mask[CAPS(OUT_WORDS)];
    out_t ports;
    NAMED(out_mask)(cfg, mask);
    NAMED(out_unpack)(cfg, mask, &ports);
    NAMED(out_unpack)(cfg, seen->out, &f->seen);
    NAMED(out_unpack)(cfg, seen->out_known, &f->seen_known);
    for (size_t i = 0; i < sizeof ports; i++) {
        ((uint8_t *)&f->seen_known)[i] |= (uint8_t) ~((const uint8_t *)&ports)[i];
    }
    f->has_seen = 1;
}

static void learn_framed(const uint32_t *params, void *state, const wlk_sight *seen) {
    const cfg_t *cfg = (const cfg_t *)params;
    framed *f = (framed *)state;
    in_t in;
    if (f->open) {
        NAMED(in_unpack)(cfg, seen->in, &in);
        take_seen(cfg, f, seen);
        learn_by(OPEN.learn, params, f, &in);
        settle_framed(f);
    }
}

#define WLK_STRUCTS_MODEL(...)                                                                     \
    static const own_calls own = {__VA_ARGS__};                                                    \
    WLK_MODEL(.clear = async_clear, .forget = forget, .drained = drained, .visit = visit, LATE)

#endif

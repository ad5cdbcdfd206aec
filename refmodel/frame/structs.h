/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model by structs with the RTL's names, for whom clarity goes before speed. Its source defines
 * MODEL and MODEL_CAPS, includes frame/model.h, has its `struct wlk_MODEL_state`, includes this,
 * and then defines
 *   outputs(cfg, st, in, out, care)    SHOW for each output that is modelled
 *   edge(cfg, st, in)                  the clock edge
 *   clear(cfg, st)                     what a reset sets; the rest keeps what edge has made of it
 *   WLK_STRUCTS_MODEL(...)             at its end, with members of own_calls
 *
 * Nothing is compared before the first edge in reset; of a block without a reset all is, from the
 * first cycle on, and its state starts as zeros. An edge in reset is edge, then clear.
 */
#ifndef WLK_FRAME_STRUCTS_H
#define WLK_FRAME_STRUCTS_H

#include "frame/model.h"

#define PAYLOADS (CAPS(IN_PAYLOADS) + CAPS(OUT_PAYLOADS) != 0)

typedef NAMED(in) in_t;
typedef NAMED(out) out_t;

/* What a model may have besides; NULL: nothing. */
typedef struct own_calls {
    /* Bits WLK_MODEL_RULE that the inputs break. */
    uint32_t (*broken)(const cfg_t *cfg, const state_t *st, const in_t *in);
    /* Bits EVENT(POINT) of this cycle. */
    uint64_t (*events)(const cfg_t *cfg, const state_t *st, const in_t *in, const out_t *out);
    /* Is no work in flight? */
    bool (*drained)(const cfg_t *cfg, const state_t *st);
    /* VISIT_FLOPS for reports. */
    void (*show)(const cfg_t *cfg, const state_t *st, wlk_state_visitor *visitor, void *ctx);
} own_calls;

static const own_calls own;
static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, out_t *out, out_t *care);
static void edge(const cfg_t *cfg, state_t *st, const in_t *in);
static void clear(const cfg_t *cfg, state_t *st);

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

typedef struct framed {
    state_t st; /* first: who is given the state finds it */
    uint8_t live;
} framed;

static size_t state_size(const uint32_t *params) {
    (void)params;
    return sizeof(framed);
}

static void init(const uint32_t *params, void *state, wlk_power_up power_up) {
    (void)params;
    memset(state, 0, sizeof(framed));
    ((framed *)state)->live = NAMED(table).reset < 0 || power_up != WLK_POWER_UNKNOWN;
}

/* A struct of outputs, and zeros that no model may write behind it. */
typedef struct fenced {
    out_t side;
    uint64_t behind[8];
} fenced;

/* Ends the program, in the library of a user's block (plugin.h); there is none elsewhere. */
__attribute__((weak)) void wlk_plugin_damage(const char *what);

static void require_whole(const fenced *f) {
    uint64_t written = 0;
    for (size_t i = 0; i < sizeof f->behind / sizeof f->behind[0]; i++) {
        written |= f->behind[i];
    }
    if (written != 0 && wlk_plugin_damage != NULL) {
        wlk_plugin_damage("writes behind its outputs");
    }
}

/* The outputs as words, and in `shown` as a struct. */
static void answer(const cfg_t *cfg, const framed *f, const in_t *in, fenced *shown, uint64_t *out,
                   uint64_t *care) {
    fenced known;
    memset(shown, 0, sizeof *shown);
    memset(&known, 0, sizeof known);
    outputs(cfg, &f->st, in, &shown->side, &known.side);
    require_whole(shown);
    require_whole(&known);
    memset(out, 0, out_words(cfg) * sizeof *out);
    memset(care, 0, out_words(cfg) * sizeof *care);
    if (f->live) {
        uint64_t mask[CAPS(OUT_WORDS)];
        NAMED(out_pack)(cfg, &shown->side, out);
        NAMED(out_pack)(cfg, &known.side, care);
        NAMED(out_mask)(cfg, mask);
        for (uint32_t w = 0; w < out_words(cfg); w++) {
            care[w] &= mask[w];
            out[w] &= care[w];
        }
    }
}

static void eval(const uint32_t *params, const void *state, const uint64_t *in, uint64_t *out,
                 uint64_t *care) {
    const cfg_t *cfg = (const cfg_t *)params;
    in_t given;
    fenced shown;
    NAMED(in_unpack)(cfg, in, &given);
    answer(cfg, (const framed *)state, &given, &shown, out, care);
}

static void take_edge(const cfg_t *cfg, framed *f, const uint64_t *in, const in_t *given) {
    edge(cfg, &f->st, given);
    if (CAPS(IN_RESET)(in)) {
        clear(cfg, &f->st);
        f->live = 1;
    }
}

static void record(const uint32_t *params, void *state, const uint64_t *in, uint64_t *out,
                   uint64_t *care, wlk_step_info *info) {
    const cfg_t *cfg = (const cfg_t *)params;
    framed *f = (framed *)state;
    in_t given;
    fenced shown;
    NAMED(in_unpack)(cfg, in, &given);
    answer(cfg, f, &given, &shown, out, care);
    info->violated = f->live && own.broken != NULL ? own.broken(cfg, &f->st, &given) : 0u;
    info->events =
        f->live && own.events != NULL ? own.events(cfg, &f->st, &given, &shown.side) : 0u;
    take_edge(cfg, f, in, &given);
}

static void tick(const uint32_t *params, void *state, const uint64_t *in, wlk_step_info *info) {
    uint64_t out[CAPS(OUT_WORDS)], care[CAPS(OUT_WORDS)];
    record(params, state, in, out, care, info); /* an event may look at the outputs */
}

static int step(const uint32_t *params, void *state, const wlk_view *in, const wlk_view *got,
                wlk_step_info *info) {
    const cfg_t *cfg = (const cfg_t *)params;
    uint64_t out[CAPS(OUT_WORDS)], care[CAPS(OUT_WORDS)], mask[CAPS(OUT_WORDS)];
    uint64_t differs = 0;
    if (PAYLOADS || got->mask != NULL) { /* a closer look */
        return 1;
    }
    eval(params, state, in->control, out, care);
    NAMED(out_mask)(cfg, mask);
    for (uint32_t w = 0; w < out_words(cfg); w++) {
        differs |= (out[w] ^ got->control[w]) | (care[w] ^ mask[w]);
    }
    if (differs == 0) {
        tick(params, state, in->control, info);
    }
    return differs != 0;
}

static void async_clear(const uint32_t *params, void *state) {
    clear((const cfg_t *)params, &((framed *)state)->st);
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

static void visit(const uint32_t *params, const void *state, wlk_state_visitor *visitor,
                  void *ctx) {
    if (own.show != NULL) {
        own.show((const cfg_t *)params, &((const framed *)state)->st, visitor, ctx);
    }
}

#define WLK_STRUCTS_MODEL(...)                                                                     \
    static const own_calls own = {__VA_ARGS__};                                                    \
    WLK_MODEL(.clear = async_clear, .forget = forget, .drained = drained, .visit = visit)

#endif

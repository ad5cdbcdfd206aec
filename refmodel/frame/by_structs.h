/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of a model of structs.h that is a library of its own: it sees the public structs. What
 * it writes behind them is found.
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

typedef fenced shown_t;
#define TAKE_IN(cfg, in, given)    NAMED(in_unpack)(cfg, in, given)
#define TAKE_OUT(cfg, out, taken)  NAMED(out_unpack)(cfg, out, taken)
#define NEW_OUT(cfg, out, shown)   memset(shown, 0, sizeof *(shown))
#define WRITE_OUT(cfg, shown, out) NAMED(out_pack)(cfg, shown, out)
#define FENCE                      uint64_t behind[BEHIND];
#include "frame/framed.h"

static void show_all(const cfg_t *cfg, const state_t *st, const in_t *given, const cycle_t *c,
                     bool is_blind, shown_t *shown, uint64_t *out, uint64_t *care) {
    fenced known;
    (void)is_blind; /* it has no memories */
    memset(shown, 0, sizeof *shown);
    memset(&known, 0, sizeof known);
    OUTPUTS(cfg, st, given, c, &shown->side, &known.side);
    require_zeros(shown->behind, "writes behind its outputs");
    require_zeros(known.behind, "writes behind its outputs");
    memset(out, 0, out_words(cfg) * sizeof *out);
    memset(care, 0, out_words(cfg) * sizeof *care);
    WRITE_OUT(cfg, &shown->side, out);
    WRITE_OUT(cfg, &known.side, care);
}

static void take_edge(const uint32_t *params, framed *f, const uint64_t *in, const in_t *given,
                      const cycle_t *c) {
    const cfg_t *cfg = (const cfg_t *)params;
    const bool in_reset = CAPS(IN_RESET)(in);
    f->live |= in_reset;
    EDGE(cfg, &f->st, given, c);
    if (in_reset) {
        clear(cfg, &f->st);
    }
    require_zeros(f->behind, "writes behind its state");
    if (IS_OPEN(f)) {
        open_edge(params, &f->o, &f->st, in);
    }
}

static void record(const uint32_t *params, void *state, const uint64_t *in, uint64_t *out,
                   uint64_t *care, wlk_step_info *info) {
    const cfg_t *cfg = (const cfg_t *)params;
    framed *f = (framed *)state;
    uint64_t mask[CAPS(OUT_WORDS)];
    in_t given;
    fenced shown;
    cycle_t c;
    TAKE_IN(cfg, in, &given);
    SEE(cfg, &f->st, &given, &c);
    answer(cfg, f, in, &given, &c, &shown, out, care, mask);
    info->violated = broken_framed(cfg, f, in, &given);
    info->events =
        f->live && own.events != NULL ? own.events(cfg, &f->st, &given, &shown.side) : 0u;
    take_edge(params, f, in, &given, &c);
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
    cycle_t c;
    if (PAYLOADS || IS_OPEN(f) || got->mask != NULL) { /* a closer look */
        return 1;
    }
    TAKE_IN(cfg, in->control, &given);
    SEE(cfg, &f->st, &given, &c);
    answer(cfg, f, in->control, &given, &c, &shown, out, care, mask);
    for (uint32_t w = 0; w < out_words(cfg); w++) {
        differs |= (out[w] ^ got->control[w]) | (care[w] ^ mask[w]);
    }
    if (differs == 0) {
        info->violated = broken_framed(cfg, f, in->control, &given);
        take_edge(params, f, in->control, &given, &c);
    }
    return differs != 0;
}

/* Which of its members an unknown payload has reached is not known: all wait for a reset, and what
 * no reset sets is unknown after it too. */
static void forget(const uint32_t *params, void *state, const uint64_t *in, const uint64_t *x) {
    framed *f = (framed *)state;
    wlk_layout layout;
    uint64_t any = 0;
    (void)in;
    NAMED(table).layout(params, &layout);
    for (uint32_t w = layout.in_control; w < layout.in_words; w++) {
        any |= x[w];
    }
    if (any != 0) {
        f->live = NAMED(table).reset < 0;
        open_start(params, &f->o, &f->st);
    }
}

#define WLK_STRUCTS_MODEL(...)                                                                     \
    static const own_calls own = {__VA_ARGS__};                                                    \
    WLK_MODEL(.clear = async_clear, .forget = forget, .drained = drained_framed, .visit = visit,   \
              LATE)

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of a model of structs.h in this tree. It sees views of the record: its inputs are read
 * where they lie, and in a step what it shows is compared at once with what the RTL has.
 */
#ifndef WLK_FRAME_BY_VIEWS_H
#define WLK_FRAME_BY_VIEWS_H

#include "frame/differ.h"

/* In `outputs`: the value of a port, each bit of which must match. */
#define SHOW(port, value)                                                                          \
    do {                                                                                           \
        out->port = (__typeof__(out->port))(value);                                                \
        if (care->does == RECORD) {                                                                \
            memset(&care->bits->port, 0xff, sizeof out->port);                                     \
        }                                                                                          \
    } while (0)

#define SHOW_N(port, from, n)                                                                      \
    do {                                                                                           \
        if (care->does == COMPARE) {                                                               \
            care->differs |= words_differ(out->port, from, n);                                     \
        }                                                                                          \
        if (care->does == RECORD) {                                                                \
            memcpy(out->port, from, (n) * sizeof *out->port);                                      \
            memset(care->bits->port, 0xff, (n) * sizeof *out->port);                               \
        }                                                                                          \
    } while (0)

/* The same of a payload: @p from has its words. */
#define SHOW_WORDS(port, from) SHOW_N(port, from, out->port##_n)

/* The same of a row of a memory. */
#define SHOW_ROW(port, row)                                                                        \
    do {                                                                                           \
        const ram_row shown_row = row;                                                             \
        if (!care->is_blind) {                                                                     \
            SHOW_N(port, shown_row.at, shown_row.words);                                           \
        }                                                                                          \
    } while (0)

/* The same, or zeros. */
#define SHOW_ROW_IF(port, is_shown, row)                                                           \
    do {                                                                                           \
        static const uint64_t no_row[MOST_ROW_WORDS];                                              \
        const ram_row shown_row = row;                                                             \
        if (!care->is_blind) {                                                                     \
            SHOW_N(port, (is_shown) ? shown_row.at : no_row, shown_row.words);                     \
        }                                                                                          \
    } while (0)

/* The same of an array of bits, by a number: bit i is that of element i. A port's name has _ for
 * each dot of its path. */
#define SHOW_SET(ports, set)                                                                       \
    do {                                                                                           \
        out->sets.ports = (__typeof__(out->sets.ports))(set);                                      \
        if (care->does == RECORD) {                                                                \
            memset(&care->bits->sets.ports, 0xff, sizeof out->sets.ports);                         \
        }                                                                                          \
    } while (0)

/* In a function with `cfg` and `in`: an array of input bits as such a number. */
#define IN_SET(ports) (in->sets.ports)

/* Views point into records that only an output's may be written to. */
static inline uint64_t *words_of(const uint64_t *words) {
    return (uint64_t *)(uintptr_t)words;
}

typedef out_t shown_t;
#define TAKE_IN(cfg, in, given)    NAMED(in_read)(cfg, words_of(in), given)
#define TAKE_OUT(cfg, out, taken)  NAMED(out_read)(cfg, words_of(out), taken)
#define NEW_OUT(cfg, out, shown)   (NAMED(out_clear)(cfg, shown), NAMED(out_point)(cfg, out, shown))
#define WRITE_OUT(cfg, shown, out) NAMED(out_write)(cfg, shown, false, out)
#define FENCE
#include "frame/framed.h"

static void show_all(const cfg_t *cfg, const state_t *st, const in_t *given, const cycle_t *c,
                     bool is_blind, shown_t *shown, uint64_t *out, uint64_t *care) {
    const uint32_t words = out_words(cfg);
    out_t known;
    care_t taken = {.does = RECORD, .is_blind = is_blind, .bits = &known};
    memset(out, 0, words * sizeof *out);
    memset(care, 0, words * sizeof *care);
    NEW_OUT(cfg, out, shown);
    NEW_OUT(cfg, care, &known);
    OUTPUTS(cfg, st, given, c, shown, &taken);
    WRITE_OUT(cfg, shown, out);
    WRITE_OUT(cfg, &known, care);
}

static inline void take_edge(const cfg_t *cfg, framed *f, const uint64_t *in, const in_t *given,
                             const cycle_t *c) {
    EDGE(cfg, &f->st, given, c);
    if (CAPS(IN_RESET)(in)) {
        f->live = 1;
        clear(cfg, &f->st);
    }
    if (IS_OPEN(f)) {
        open_edge((const uint32_t *)cfg, opened_of(cfg, f), &f->st, in);
        rails_pass(f);
        rails_settle(cfg, f);
    } else if (IS_APART(f)) {
        rails_pass(f);
        rails_edge(cfg, f, in, CAPS(IN_RESET)(in));
    }
}

static void record(const uint32_t *params, void *state, const uint64_t *in, uint64_t *out,
                   uint64_t *care, wlk_step_info *info) {
    const cfg_t *cfg = CFG(params);
    framed *f = (framed *)state;
    uint64_t mask[CAPS(OUT_WORDS)];
    in_t given;
    out_t shown;
    cycle_t c;
    TAKE_IN(cfg, in, &given);
    SEE(cfg, &f->st, &given, &c);
    answer(cfg, f, in, &given, &c, &shown, out, care, mask);
    info->violated = broken_framed(cfg, f, in, &given);
    NAMED(out_spread)(cfg, &shown);
    info->events = f->live && own.events != NULL ? own.events(cfg, &f->st, &given, &shown) : 0u;
    take_edge(cfg, f, in, &given, &c);
}

/* All that it calls is compiled into it: a coverage point may look at ports, and nobody at more. */
static __attribute__((flatten)) void tick(const uint32_t *params, void *state, const uint64_t *in,
                                          wlk_step_info *info) {
    const cfg_t *cfg = CFG(params);
    framed *f = (framed *)state;
    care_t seen = {.does = LOOK};
    in_t given;
    out_t shown;
    cycle_t c;
    TAKE_IN(cfg, in, &given);
    SEE(cfg, &f->st, &given, &c);
    info->violated = broken_framed(cfg, f, in, &given);
    info->events = 0;
    if (f->live && own.events != NULL) {
        NAMED(out_clear)(cfg, &shown);
        OUTPUTS(cfg, &f->st, &given, &c, &shown, &seen);
        NAMED(out_spread)(cfg, &shown);
        info->events = own.events(cfg, &f->st, &given, &shown);
    }
    take_edge(cfg, f, in, &given, &c);
}

/* The rest of a step whose outputs are as expected. */
static inline void pass(const cfg_t *cfg, framed *f, const uint64_t *in, const in_t *given,
                        const cycle_t *c, wlk_step_info *info) {
    info->violated = broken_framed(cfg, f, in, given);
    take_edge(cfg, f, in, given, c);
}

/* A step in which some bits are not there. A call of its own: in `step` no pointer to a view or a
 * cycle is taken, so both lie in registers. */
static __attribute__((noinline)) int step_masked(const cfg_t *cfg, framed *f, const uint64_t *in,
                                                 const wlk_view *got, wlk_step_info *info) {
    uint64_t out[CAPS(OUT_WORDS)], care[CAPS(OUT_WORDS)], mask[CAPS(OUT_WORDS)];
    uint64_t differs = 0;
    in_t given;
    out_t shown;
    cycle_t c;
    TAKE_IN(cfg, in, &given);
    SEE(cfg, &f->st, &given, &c);
    answer(cfg, f, in, &given, &c, &shown, out, care, mask);
    for (uint32_t w = 0; w < out_words(cfg); w++) {
        differs |= (out[w] ^ got->control[w]) & care[w] & got->mask[w];
    }
    if (differs == 0) {
        pass(cfg, f, in, &given, &c, info);
    }
    return differs != 0;
}

#ifdef RAMS
/* A step while bits of memories are unknown: none of them may show. */
static __attribute__((noinline)) int step_apart(const cfg_t *cfg, framed *f, const uint64_t *in,
                                                const wlk_view *got, wlk_step_info *info) {
    care_t compared = {.does = COMPARE};
    in_t given;
    out_t shown;
    cycle_t c;
    TAKE_IN(cfg, in, &given);
    for (uint32_t n = 0; n <= UPPER; n++) {
        const state_t *st = &area_of(cfg, f, UPPER - n)->st;
        SEE(cfg, st, &given, &c);
        NEW_OUT(cfg, words_of(got->control), &shown);
        OUTPUTS(cfg, st, &given, &c, &shown, &compared);
        compared.differs |= NAMED(out_differs)(cfg, &shown, got->control);
    }
    if (compared.differs == 0) {
        pass(cfg, f, in, &given, &c, info);
    }
    return compared.differs != 0;
}
#else
#define step_apart(cfg, f, in, got, info) 1
#endif

static int step(const uint32_t *params, void *state, const wlk_view *in, const wlk_view *got,
                wlk_step_info *info);

/* A step of payloads that lie elsewhere, as from DPI. */
static __attribute__((noinline)) int step_gathered(const uint32_t *params, void *state,
                                                   const wlk_view *in, const wlk_view *got,
                                                   wlk_step_info *info) {
    const cfg_t *cfg = CFG(params);
    uint64_t given[CAPS(IN_WORDS)], shown[CAPS(OUT_WORDS)];
    wlk_view in_record, out_record;
    if (!NAMED(in_gather)(cfg, in, given, &in_record) ||
        !NAMED(out_gather)(cfg, got, shown, &out_record)) {
        return 1;
    }
    return step(params, state, &in_record, &out_record, info);
}

/* All that it calls is compiled into it: what the model shows is compared, and nothing else. */
static __attribute__((flatten)) int step(const uint32_t *params, void *state, const wlk_view *in,
                                         const wlk_view *got, wlk_step_info *info) {
    const cfg_t *cfg = CFG(params);
    framed *f = (framed *)state;
    care_t compared = {.does = COMPARE};
    in_t given;
    out_t shown;
    cycle_t c;
    if (!f->live || IS_OPEN(f)) {
        return 1; /* a closer look */
    }
    if (!NAMED(in_is_whole)(cfg, in) || !NAMED(out_is_whole)(cfg, got)) {
        return step_gathered(params, state, in, got, info);
    }
    if (got->mask != NULL) {
        return step_masked(cfg, f, in->control, got, info);
    }
    if (IS_APART(f)) {
        return step_apart(cfg, f, in->control, got, info);
    }
    TAKE_IN(cfg, in->control, &given);
    SEE(cfg, &f->st, &given, &c);
    NEW_OUT(cfg, words_of(got->control), &shown);
    OUTPUTS(cfg, &f->st, &given, &c, &shown, &compared);
    if ((compared.differs | NAMED(out_differs)(cfg, &shown, got->control)) != 0) {
        return 1;
    }
    pass(cfg, f, in->control, &given, &c, info);
    return 0;
}

#ifdef WLK_FIXED /* its `step` and `tick` take the place of the library's */
#define WLK_STRUCTS_MODEL(...) static const own_calls own = {__VA_ARGS__}
#else
#define WLK_STRUCTS_MODEL(...)                                                                     \
    static const own_calls own = {__VA_ARGS__};                                                    \
    WLK_MODEL(.clear = HAS_STATE ? async_clear : NULL, .drained = drained_framed, .visit = visit,  \
              LATE RAMS_CALLS)
#endif

#endif

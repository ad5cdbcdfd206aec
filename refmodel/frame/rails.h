/* SPDX-License-Identifier: Apache-2.0 */
/* The areas of a state that has memories (rams.h), and what is done on both of its rails; part of
 * framed.h. */
#ifndef WLK_FRAME_RAILS_H
#define WLK_FRAME_RAILS_H

#ifdef RAMS

/* Words before the memories of an area. */
enum { HEAD = (sizeof(framed) + 63u) / 64u * RAM_LINE + RAM_LINE, UPPER = 1, LOWER = 2, AREAS = 3 };

static inline uint64_t *ram_area(const whole_t *st) {
    return (uint64_t *)(uintptr_t)st + HEAD;
}

static inline size_t area_words(const cfg_t *cfg) {
    return HEAD + (ram_start(cfg, RAM_COUNT) + RAM_LINE - 1u) / RAM_LINE * RAM_LINE;
}

/* Words of what is known of the state, behind the areas. */
enum { OPENED = (sizeof(opened) + 63u) / 64u * RAM_LINE };

#ifdef WLK_FOLLOWS
enum { SORTED = (sizeof(sorted) + 63u) / 64u * RAM_LINE };
#define SCRATCH(cfg) (area_words(cfg) + SORTED)
#else
#define SCRATCH(cfg) 0u
#endif

/* Area 0 is the state; of the others only `st` and the memories are used. */
static inline framed *area_of(const cfg_t *cfg, const framed *f, uint32_t k) {
    return (framed *)(void *)((uint64_t *)(uintptr_t)f + k * area_words(cfg));
}

static inline opened *opened_of(const cfg_t *cfg, const framed *f) {
    return (opened *)(void *)area_of(cfg, f, AREAS);
}

static size_t state_size(const uint32_t *params) {
    const cfg_t *cfg = (const cfg_t *)params;
    return (AREAS * area_words(cfg) + OPENED + SCRATCH(cfg)) * sizeof(uint64_t);
}

static inline uint64_t *rail(const cfg_t *cfg, const framed *f, uint32_t area) {
    return ram_area(&area_of(cfg, f, area)->st);
}

/* The memories with bits of which nothing is known: zeros in one area, ones in the upper one. */
static void rails_forget(const cfg_t *cfg, framed *f, uint32_t lower) {
    uint64_t *zeros = rail(cfg, f, lower), *ones = rail(cfg, f, UPPER);
    memset(zeros, 0, ram_start(cfg, RAM_COUNT) * sizeof *zeros);
    for (uint32_t ram = 0; ram < RAM_COUNT; ram++) {
        const ram_shape s = ram_shape_of(cfg, ram);
        const uint32_t words = ram_words(&s);
        uint64_t *first = ones + ram_start(cfg, ram);
        for (size_t w = 0; w < (size_t)ram_rows(&s) * words; w++) {
            first[w] = lane_mask(wlk_mask(s.lanes), (uint32_t)(w % words), s.width);
        }
    }
}

/* The upper state begins as the state is. */
static void rails_part(const cfg_t *cfg, framed *f) {
    area_of(cfg, f, UPPER)->st = f->st;
    f->is_apart = 1;
    f->same = 0;
}

/* While both are the same, one is enough. The search begins at the last difference. */
static void rails_join(const cfg_t *cfg, framed *f) {
    const uint64_t *lower = rail(cfg, f, 0), *upper = rail(cfg, f, UPPER);
    const size_t words = ram_start(cfg, RAM_COUNT);
    if (own.forgets != NULL && own.forgets(cfg)) {
        return;
    }
    for (size_t n = 0; n < words; n++) {
        if (lower[f->same] != upper[f->same]) {
            return;
        }
        f->same = f->same + 1u < words ? f->same + 1u : 0u;
    }
    f->is_apart = 0;
    f->is_late = 0;
}

/* After power-up with nothing known, or with all zeros. */
static void rails_init(const cfg_t *cfg, framed *f, bool is_open) {
    rail(cfg, f, UPPER)[-RAM_LINE] = ~UINT64_C(0);
    f->is_open = is_open;
    if (is_open) {
        rails_forget(cfg, f, LOWER);
    } else {
        rails_part(cfg, f);
        rails_join(cfg, f);
    }
}

/* If all but memories is known now, both rails go on by the plain model. */
static void rails_settle(const cfg_t *cfg, framed *f) {
    if (f->is_open && opened_of(cfg, f)->open == 0) {
        f->is_open = 0;
        memcpy(rail(cfg, f, 0), rail(cfg, f, LOWER), ram_start(cfg, RAM_COUNT) * sizeof(uint64_t));
        rails_part(cfg, f);
        rails_join(cfg, f);
    }
}

/* The edge of the upper state. @p in: its inputs, NULL for a clear alone. */
static APART void rails_edge(const cfg_t *cfg, framed *f, const uint64_t *in, bool reset) {
    plain_edge((const uint32_t *)cfg, &area_of(cfg, f, UPPER)->st, in, reset);
    rails_join(cfg, f);
}

/* Clears care where the upper state shows another value. */
static APART void rails_hide(const cfg_t *cfg, const framed *f, const uint64_t *in,
                             const uint64_t *out, uint64_t *care) {
    uint64_t other[CAPS(OUT_WORDS)], other_care[CAPS(OUT_WORDS)];
    plain_outputs((const uint32_t *)cfg, &area_of(cfg, f, UPPER)->st, false, in, other, other_care);
    for (uint32_t w = 0; w < out_words(cfg); w++) {
        care[w] &= ~(out[w] ^ other[w]);
    }
}

/* An edge in which payload bits are unknown. */
static void tick(const uint32_t *params, void *state, const uint64_t *in, wlk_step_info *info);

static void tick_unknown(const uint32_t *params, void *state, const uint64_t *in, const uint64_t *x,
                         wlk_step_info *info) {
    const cfg_t *cfg = CFG(params);
    framed *f = (framed *)state;
    uint64_t zeros[CAPS(IN_WORDS)], ones[CAPS(IN_WORDS)], unknown[CAPS(IN_WORDS)], any = 0;
    wlk_layout layout;
    NAMED(table).layout(params, &layout);
    for (uint32_t w = 0; w < layout.in_words; w++) {
        unknown[w] = w >= layout.in_control ? x[w] : 0u; /* of payloads */
        zeros[w] = in[w] & ~unknown[w];
        ones[w] = in[w] | unknown[w];
        any |= unknown[w];
    }
    if (any == 0) {
        tick(params, state, in, info);
        return;
    }
    if (f->is_open) {
        OPEN_X(opened_of(cfg, f), unknown);
        tick(params, state, zeros, info);
        OPEN_X(opened_of(cfg, f), NULL);
        return;
    }
    if (!f->is_apart) {
        memcpy(rail(cfg, f, UPPER), rail(cfg, f, 0), ram_start(cfg, RAM_COUNT) * sizeof(uint64_t));
        rails_part(cfg, f);
    }
    f->is_apart = 0;
    tick(params, state, zeros, info);
    f->is_apart = 1;
    rails_edge(cfg, f, ones, CAPS(IN_RESET)(in));
}

static inline void rails_start_late(framed *f) {
    f->is_late = 1;
}

/* This cycle has been learned from. */
static inline void rails_note(framed *f) {
    f->learned = 1;
}

/* It is over. */
static inline void rails_pass(framed *f) {
    f->is_late = f->is_late & f->learned;
    f->learned = 0;
}

/* What the outputs of a late start say of rows. */
static void rails_learn(const cfg_t *cfg, framed *f, const wlk_sight *seen) {
    uint64_t shown[2u * CAPS(OUT_WORDS)]; /* and which bits are known */
    const uint32_t words = out_words(cfg);
    in_t given;
    out_t out;
    if (f->is_late) {
        memcpy(shown, seen->out, words * sizeof *shown);
        memcpy(shown + CAPS(OUT_WORDS), seen->out_known, words * sizeof *shown);
        TAKE_IN(cfg, seen->in, &given);
        TAKE_OUT(cfg, shown, &out);
        own.learn_rows(cfg, &f->st, &given, &out);
        if (own.note_rows != NULL) {
            own.note_rows(cfg, &f->st, &given);
        }
        rails_join(cfg, f);
    }
}

/* Lanes of a row that are known. */
static uint64_t rails_known(const ram_shape *s, const uint64_t *lower, const uint64_t *upper) {
    uint64_t lanes = 0;
    for (uint32_t lane = 0; lane < s->lanes; lane++) {
        const uint64_t a = wlk_lane_get(lower, lane, s->width);
        lanes |= (uint64_t)(a == wlk_lane_get(upper, lane, s->width)) << lane;
    }
    return lanes;
}

static void rails_visit(const cfg_t *cfg, const framed *f, wlk_state_visitor *visitor, void *ctx) {
#define RAM_NAMES(name, ...) {#name, #name "[0]", #name "[1]", #name "[2]", #name "[3]"},
    enum { NAMED_COPIES = 4 }; /* rows of more are counted through all copies */
    static const char *const names[][1 + NAMED_COPIES] = {RAMS(RAM_NAMES)};
    const uint64_t *lower = rail(cfg, f, f->is_open ? LOWER : 0u);
    const uint64_t *upper = f->is_open || f->is_apart ? rail(cfg, f, UPPER) : lower;
    for (uint32_t ram = 0; ram < RAM_COUNT; ram++) {
        const ram_shape s = ram_shape_of(cfg, ram);
        const uint32_t words = ram_words(&s), rows = s.end - s.first;
        for (uint32_t n = 0; n < ram_rows(&s); n++) {
            const size_t at = ram_start(cfg, ram) + (size_t)n * words;
            const bool is_named = s.copies > 1 && s.copies <= NAMED_COPIES;
            const char *name = names[ram][is_named ? 1u + n / rows : 0u];
            const uint32_t row = s.first + (is_named ? n % rows : n);
            visitor(ctx, name, (int32_t)row, lower + at, words,
                    rails_known(&s, lower + at, upper + at), WLK_HEX);
        }
    }
}

#ifdef WLK_UNKNOWNS

_Static_assert((int)RAM_COUNT <= (int)WLK_MOST_RAMS, "more memories than wlk_rams has room for");

static wlk_rams *open_rams(const uint32_t *params, const opened *o, wlk_rams *rams) {
    const cfg_t *cfg = (const cfg_t *)params;
    if (o != NULL) {
        const uintptr_t before = AREAS * area_words(cfg) * sizeof(uint64_t);
        const framed *f = (const framed *)((uintptr_t)o - before);
        rams->lower = rail(cfg, f, LOWER);
        rams->upper = rail(cfg, f, UPPER);
        rams->moved = (uint64_t *)(uintptr_t)&o->moved;
    }
    rams->is_blind = o == NULL;
    for (uint32_t ram = 0; ram < RAM_COUNT; ram++) {
        const ram_shape s = ram_shape_of(cfg, ram);
        rams->ram[ram] = (wlk_ram){ram_start(cfg, ram), s.copies, s.first, s.end, s.lanes, s.width};
    }
    return rams;
}

#ifdef WLK_FOLLOWS

static state_t *open_scratch(const opened *o) {
    return (state_t *)(void *)((uint64_t *)(uintptr_t)o + OPENED);
}

static sorted *open_sorted(const uint32_t *params, const opened *o) {
    uint64_t *scratch = (uint64_t *)(uintptr_t)o + OPENED;
    return (sorted *)(void *)(scratch + area_words((const cfg_t *)params));
}

#endif

#endif

#define IS_APART(f) ((f)->is_apart != 0)
#define RAMS_CALLS  , .tick_unknown = tick_unknown

#else

static inline opened *opened_of(const cfg_t *cfg, const framed *f) {
    (void)cfg;
    return (opened *)(uintptr_t)&f->o;
}

static size_t state_size(const uint32_t *params) {
    (void)params;
    return sizeof(framed);
}

#define IS_APART(f) false
#define RAMS_CALLS
#define rails_init(cfg, f, is_open)       ((void)(f))
#define rails_settle(cfg, f)              ((void)(f))
#define rails_edge(cfg, f, in, reset)     ((void)(in))
#define rails_hide(cfg, f, in, out, care) ((void)(care))
#define rails_start_late(f)               ((void)(f))
#define rails_note(f)                     ((void)(f))
#define rails_pass(f)                     ((void)(f))
#define rails_learn(cfg, f, seen)         ((void)(seen))
#define rails_visit(cfg, f, visitor, ctx) ((void)(ctx))

#endif

#endif

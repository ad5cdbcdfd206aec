/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memories in the state of a model of structs.h: rows of lanes, as many as the configuration has.
 * The model lists them before it includes structs.h,
 *   #define RAMS(RAM) RAM(rf, 3, 1, cfg->num_pregs, cfg->num_lanes, cfg->lane_bits) RAM(...)
 * each with its name, how many copies it has, its first row and the one after the last, and the
 * lanes of a row and their width. `ROW(rf, copy, row)` is a row of it, in a function with `cfg` and
 * `st`. The contents are data: they are moved by the functions here, and decide nothing.
 *
 * So while some bits of them are unknown, the same model runs twice: on the state itself, whose
 * unknown bits are 0 in memories, and on an upper one, where they are 1. What is moved alike in
 * both, bit by bit, is known where both are the same.
 *
 * A state has room for three areas, each with the model's own state and its memories: the state
 * itself, the upper one, and a lower one for the time in which something else is unknown too. What
 * is known of that (open.h) lies behind them, and behind it, where the model has .follow, a scratch
 * area: values that are followed run there one by one, on memories that show nothing. The outcomes
 * that this has found last are behind it.
 */
#ifndef WLK_FRAME_RAMS_H
#define WLK_FRAME_RAMS_H

#ifdef RAMS

#include "frame/differ.h"
#include "frame/lanes.h"

enum { RAM_LINE = 8 }; /* words */

typedef struct ram_shape {
    uint32_t copies, first, end, lanes, width;
} ram_shape;

#define RAM_NUMBER(name, ...) RAM_##name,
enum { RAMS(RAM_NUMBER) RAM_COUNT };

static inline ram_shape ram_shape_of(const cfg_t *cfg, uint32_t ram) {
    switch (ram) {
#define RAM_SHAPE(name, ...)                                                                       \
    case RAM_##name:                                                                               \
        return (ram_shape){__VA_ARGS__};
        RAMS(RAM_SHAPE)
    default:
        return (ram_shape){0, 0, 0, 0, 0};
    }
}

static inline uint32_t ram_words(const ram_shape *s) {
    return lane_words(s->lanes, s->width);
}

static inline uint32_t ram_rows(const ram_shape *s) {
    return s->copies * (s->end - s->first);
}

/* Where a memory begins: words of those before it. RAM_COUNT: of all. */
static inline size_t ram_start(const cfg_t *cfg, uint32_t ram) {
    size_t at = 0;
    for (uint32_t i = 0; i < ram; i++) {
        const ram_shape s = ram_shape_of(cfg, i);
        at += (size_t)ram_rows(&s) * ram_words(&s);
    }
    return at;
}

/* A row in the state. */
typedef struct ram_row {
    uint64_t *at;
    uint32_t words, width;
} ram_row;

/* Words of an area. */
static inline size_t area_words(const cfg_t *cfg);

/* The words of the memories of an area, behind `st`; before them RAM_LINE words of which the first
 * has what stands there for an unknown bit. Its caller knows whether the state may be written. */
static inline uint64_t *ram_area(const whole_t *st);

static inline ram_row ram_row_of(const cfg_t *cfg, const whole_t *st, uint32_t ram, uint32_t copy,
                                 uint32_t row) {
    const ram_shape s = ram_shape_of(cfg, ram);
    const uint32_t words = ram_words(&s);
    const size_t number = (size_t)copy * (s.end - s.first) + (row - s.first);
    return (ram_row){ram_area(st) + ram_start(cfg, ram) + number * words, words, s.width};
}

#define ROW(ram, copy, row) ram_row_of(cfg, WHOLE_OF(st), RAM_##ram, copy, row)

static inline void row_copy(ram_row to, ram_row from) {
    memcpy(to.at, from.at, to.words * sizeof *to.at);
}

static inline void row_clear(ram_row to) {
    memset(to.at, 0, to.words * sizeof *to.at);
}

/* All rows of a copy. */
static inline void rows_clear(const cfg_t *cfg, whole_t *st, uint32_t ram, uint32_t copy) {
    const ram_shape s = ram_shape_of(cfg, ram);
    const size_t words = (size_t)(s.end - s.first) * ram_words(&s);
    memset(ram_area(st) + ram_start(cfg, ram) + copy * words, 0, words * sizeof(uint64_t));
}

#define ROWS_CLEAR(ram, copy) rows_clear(cfg, WHOLE_OF(st), RAM_##ram, copy)

/* lane_mask of four words; lanes of 32 or of 64 bits. */
FOUR_INLINE four lane_masks(uint64_t lanes, uint32_t word, bool are_32) {
    typedef uint32_t eight __attribute__((vector_size(32)));
    const eight bit32 = {1, 2, 4, 8, 16, 32, 64, 128};
    const four bit64 = {1, 2, 4, 8};
    if (are_32) {
        return (four)((((eight){0} + (uint32_t)(lanes >> (2u * word))) & bit32) == bit32);
    }
    return (four)((four_all(lanes >> word) & bit64) == bit64);
}

/* The lanes of a set, from a payload. */
static inline void row_write(ram_row to, const uint64_t *from, uint64_t lanes) {
    const bool is_usual = to.words % FOUR == 0 && (to.width == 32 || to.width == 64);
    for (uint32_t w = 0; is_usual && w < to.words; w += FOUR) {
        const four mask = lane_masks(lanes, w, to.width == 32);
        four_put(to.at + w, (four_of(to.at + w) & ~mask) | (four_of(from + w) & mask));
    }
    for (uint32_t w = 0; !is_usual && w < to.words; w++) {
        const uint64_t mask = lane_mask(lanes, w, to.width);
        to.at[w] = (to.at[w] & ~mask) | (from[w] & mask);
    }
}

/* The lanes of a set become unknown. A model that calls it has .forgets. */
static inline void row_forget_in(uint64_t unknown, ram_row to, uint64_t lanes) {
    for (uint32_t w = 0; w < to.words; w++) {
        const uint64_t mask = lane_mask(lanes, w, to.width);
        to.at[w] = (to.at[w] & ~mask) | (unknown & mask);
    }
}

#define row_forget(to, lanes) row_forget_in(ram_area(WHOLE_OF(st))[-RAM_LINE], to, lanes)

/* In .learn_rows: unknown bits of the row are those that a payload shows. @p apart: from a word of
 * that to its bits that are known; @p other: from one of the row to the upper one. */
static inline void row_learn_in(ram_row to, const uint64_t *from, size_t apart, size_t other) {
    for (uint32_t w = 0; w < to.words; w++) {
        uint64_t *lower = &to.at[w], *upper = &to.at[w + other];
        const uint64_t learned = (*lower ^ *upper) & from[w + apart];
        *lower |= from[w] & learned;
        *upper &= from[w] | ~learned;
    }
}

#define row_learn(to, from) row_learn_in(to, from, SHOWN_WORDS, area_words(cfg))

#endif

#endif

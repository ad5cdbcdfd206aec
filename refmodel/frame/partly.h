/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of which only some bits are known, and variables that hold them: what a model that is
 * generated for unknown state computes with. A bit of a result is known where every value that the
 * operands may have gives it the same value; some results that are known are not found to be.
 *
 * Bits beyond the width of a number's type are known to be 0, and unknown bits are 0 in `value`.
 */
#ifndef WLK_FRAME_PARTLY_H
#define WLK_FRAME_PARTLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "frame/lanes.h"

typedef struct wlk_num {
    uint64_t value, known;
} wlk_num;

#define WLK_NO  wlk_num_of(0)
#define WLK_YES wlk_num_of(1)
#define WLK_ALL wlk_num_of(~UINT64_C(0)) /* every lane */

static inline wlk_num wlk_num_of(uint64_t value) {
    return (wlk_num){value, ~UINT64_C(0)};
}

/* Some bits are unknown. */
static inline wlk_num wlk_num_but(uint64_t value, uint64_t unknown) {
    return (wlk_num){value & ~unknown, ~unknown};
}

static inline wlk_num wlk_num_unknown(uint64_t mask) {
    return (wlk_num){0, ~mask};
}

static inline bool wlk_is_known(wlk_num a) {
    return a.known == ~UINT64_C(0);
}

static inline uint64_t wlk_least(wlk_num a) {
    return a.value;
}

static inline uint64_t wlk_most(wlk_num a) {
    return a.value | ~a.known;
}

/* Every bit above the highest one in which the ends of a range differ. */
static inline wlk_num wlk_num_between(uint64_t low, uint64_t high) {
    const uint64_t differ = low ^ high;
    const uint64_t open = differ == 0 ? 0u : ~UINT64_C(0) >> __builtin_clzll(differ);
    return (wlk_num){low & ~open, ~open};
}

/* What is known whichever of both it is. */
static inline wlk_num wlk_num_join(wlk_num a, wlk_num b) {
    const uint64_t known = a.known & b.known & ~(a.value ^ b.value);
    return (wlk_num){a.value & known, known};
}

/* What is known if both are known of one number. */
static inline wlk_num wlk_num_meet(wlk_num a, wlk_num b) {
    return (wlk_num){a.value | (b.value & ~a.known), a.known | b.known};
}

/* As a type of @p mask. */
static inline wlk_num wlk_num_fit(wlk_num a, uint64_t mask) {
    return (wlk_num){a.value & mask, a.known | ~mask};
}

/* An int as a type of 64 bits: its sign is repeated. */
static inline wlk_num wlk_num_extend(wlk_num a) {
    const uint64_t high = ~UINT64_C(0) << 32, sign = UINT64_C(1) << 31;
    if ((a.known & sign) == 0) {
        return (wlk_num){a.value, a.known & ~high};
    }
    return (wlk_num){a.value | ((a.value & sign) != 0 ? high : 0u), a.known};
}

static inline wlk_num wlk_num_truth(wlk_num a) {
    return a.value != 0 ? WLK_YES : wlk_is_known(a) ? WLK_NO : wlk_num_unknown(1);
}

static inline bool wlk_is_yes(wlk_num bit) {
    return bit.value != 0;
}

static inline bool wlk_is_no(wlk_num bit) {
    return bit.value == 0 && wlk_is_known(bit);
}

static inline bool wlk_is_open(wlk_num bit) {
    return bit.value == 0 && !wlk_is_known(bit);
}

static inline wlk_num wlk_num_and(wlk_num a, wlk_num b) {
    const uint64_t zero = (a.known & ~a.value) | (b.known & ~b.value);
    return (wlk_num){a.value & b.value, (a.known & b.known) | zero};
}

static inline wlk_num wlk_num_or(wlk_num a, wlk_num b) {
    return (wlk_num){a.value | b.value, (a.known & b.known) | a.value | b.value};
}

static inline wlk_num wlk_num_xor(wlk_num a, wlk_num b) {
    const uint64_t known = a.known & b.known;
    return (wlk_num){(a.value ^ b.value) & known, known};
}

static inline wlk_num wlk_num_inverse(wlk_num a, uint64_t mask) {
    return (wlk_num){~a.value & a.known & mask, a.known};
}

static inline wlk_num wlk_num_not(wlk_num bit) {
    return wlk_num_inverse(wlk_num_truth(bit), 1u);
}

/* Each carry is known where that of the least and of the greatest sum are equal. */
static inline wlk_num wlk_num_sum(wlk_num a, wlk_num b, uint64_t carry) {
    const uint64_t low = wlk_least(a) + wlk_least(b) + carry,
                   high = wlk_most(a) + wlk_most(b) + carry;
    const uint64_t carries = ~(high ^ wlk_most(a) ^ wlk_most(b)) | (low ^ a.value ^ b.value);
    const uint64_t known = a.known & b.known & carries;
    return (wlk_num){low & known, known};
}

static inline wlk_num wlk_num_add(wlk_num a, wlk_num b, uint64_t mask) {
    return wlk_num_fit(wlk_num_sum(a, b, 0u), mask);
}

static inline wlk_num wlk_num_subtract(wlk_num a, wlk_num b, uint64_t mask) {
    return wlk_num_fit(wlk_num_sum(a, wlk_num_inverse(b, ~UINT64_C(0)), 1u), mask);
}

static inline wlk_num wlk_num_multiply(wlk_num a, wlk_num b, uint64_t mask) {
    if (wlk_is_known(a) && wlk_is_known(b)) {
        return wlk_num_of((a.value * b.value) & mask);
    }
    if ((a.value == 0 && wlk_is_known(a)) || (b.value == 0 && wlk_is_known(b))) {
        return WLK_NO;
    }
    /* The low bits of a product are that of the low bits. */
    const uint64_t open = ~(a.known & b.known), low = (open & (0u - open)) - 1u;
    const wlk_num product = {(a.value * b.value) & low, low};
    uint64_t high;
    if (__builtin_mul_overflow(wlk_most(a), wlk_most(b), &high) || high > mask) {
        return wlk_num_fit(product, mask);
    }
    return wlk_num_meet(product, wlk_num_between(wlk_least(a) * wlk_least(b), high));
}

static inline wlk_num wlk_num_divide(wlk_num a, wlk_num b, uint64_t mask) {
    if (wlk_least(b) == 0) {
        return wlk_num_unknown(mask);
    }
    return wlk_num_between(wlk_least(a) / wlk_most(b), wlk_most(a) / wlk_least(b));
}

static inline wlk_num wlk_num_modulo(wlk_num a, wlk_num b, uint64_t mask) {
    if (wlk_least(b) == 0) {
        return wlk_num_unknown(mask);
    }
    if (wlk_is_known(a) && wlk_is_known(b)) {
        return wlk_num_of(a.value % b.value);
    }
    if (wlk_most(a) < wlk_least(b)) {
        return a;
    }
    if (wlk_is_known(b) && (b.value & (b.value - 1u)) == 0) {
        return wlk_num_fit(a, b.value - 1u);
    }
    return wlk_num_between(0, wlk_most(b) - 1u < wlk_most(a) ? wlk_most(b) - 1u : wlk_most(a));
}

static inline wlk_num wlk_num_equal(wlk_num a, wlk_num b) {
    if (((a.value ^ b.value) & a.known & b.known) != 0) {
        return WLK_NO;
    }
    return wlk_is_known(a) && wlk_is_known(b) ? WLK_YES : wlk_num_unknown(1);
}

static inline wlk_num wlk_num_less(wlk_num a, wlk_num b) {
    return wlk_most(a) < wlk_least(b)    ? WLK_YES
           : wlk_least(a) >= wlk_most(b) ? WLK_NO
                                         : wlk_num_unknown(1);
}

/* An int as a number in whose order it is. */
static inline wlk_num wlk_num_ordered(wlk_num a) {
    return wlk_num_xor(a, wlk_num_of(UINT64_C(1) << 31));
}

static inline wlk_num wlk_num_shift_by(wlk_num a, bool left, uint32_t by, uint64_t mask) {
    if (left) {
        const uint64_t low = (UINT64_C(1) << by) - 1u;
        return wlk_num_fit((wlk_num){a.value << by, (a.known << by) | low}, mask);
    }
    return (wlk_num){a.value >> by, ~(~a.known >> by)};
}

/* By unknown numbers: what all possible results have in common. */
static inline wlk_num wlk_num_shift(wlk_num a, wlk_num by, bool left, uint64_t mask) {
    const uint32_t bits = 64u - (uint32_t)__builtin_clzll(mask);
    wlk_num found = wlk_num_unknown(mask);
    bool any = false;
    for (uint32_t n = (uint32_t)(wlk_least(by) < bits ? wlk_least(by) : bits); n < bits; n++) {
        if (((n ^ by.value) & by.known) == 0) {
            const wlk_num one = wlk_num_shift_by(a, left, n, mask);
            found = any ? wlk_num_join(found, one) : one;
            any = true;
        }
    }
    return found;
}

/* A result that is that of C only if an int is not negative. */
static inline wlk_num wlk_num_unless_negative(wlk_num a, wlk_num result) {
    const uint64_t sign = UINT64_C(1) << 31;
    return (wlk_most(a) & sign) == 0 ? result : wlk_num_unknown(2u * sign - 1u);
}

/* Zeros below the lowest one; @p bits of the type. */
static inline wlk_num wlk_num_trailing(wlk_num a, uint32_t bits) {
    wlk_num found = wlk_num_unknown(127u);
    bool any = false;
    for (uint32_t n = 0; n < bits; n++) {
        if ((wlk_most(a) >> n & 1u) != 0) {
            found = any ? wlk_num_join(found, wlk_num_of(n)) : wlk_num_of(n);
            any = true;
        }
        if ((a.value >> n & 1u) != 0) {
            break;
        }
    }
    return found;
}

/* Zeros above the highest one. */
static inline wlk_num wlk_num_leading(wlk_num a, uint32_t bits) {
    wlk_num found = wlk_num_unknown(127u);
    bool any = false;
    for (uint32_t n = 0; n < bits; n++) {
        const uint32_t at = bits - 1u - n;
        if ((wlk_most(a) >> at & 1u) != 0) {
            found = any ? wlk_num_join(found, wlk_num_of(n)) : wlk_num_of(n);
            any = true;
        }
        if ((a.value >> at & 1u) != 0) {
            break;
        }
    }
    return found;
}

static inline wlk_num wlk_num_ones(wlk_num a) {
    return wlk_num_between((uint64_t)__builtin_popcountll(wlk_least(a)),
                           (uint64_t)__builtin_popcountll(wlk_most(a)));
}

/* ---- variables --------------------------------------------------------------------------- */

enum { WLK_MOST_OPEN = 4 }; /* unknown indices of one variable */

/*
 * A pointer: to one of the first of @p n elements at `at`, behind any number of unknown indices; to
 * nothing where an index lies beyond its array.
 */
typedef struct wlk_place {
    wlk_num *at;
    uint32_t n;
    uint32_t n_open;
    struct {
        wlk_num index;
        uint32_t n, stride;
    } open[WLK_MOST_OPEN];
} wlk_place;

static inline wlk_place wlk_place_of(wlk_num *at, uint32_t n) {
    wlk_place p;
    p.at = at;
    p.n = n;
    p.n_open = 0;
    return p;
}

static inline wlk_place wlk_place_member(wlk_place p, uint32_t offset, uint32_t n) {
    p.at = p.at != NULL ? p.at + offset : NULL;
    p.n = n;
    return p;
}

static inline wlk_place wlk_place_element(wlk_place p, wlk_num index, uint32_t n, uint32_t stride) {
    const uint32_t count = p.n;
    p.n = n;
    if (p.at == NULL || wlk_least(index) >= count) {
        p.at = NULL;
    } else if (wlk_is_known(index)) {
        p.at += index.value * stride;
    } else {
        p.open[p.n_open].index = index;
        p.open[p.n_open].n = count;
        p.open[p.n_open].stride = stride;
        p.n_open++;
    }
    return p;
}

/*
 * The next variable that it may be, of which @p state counts; NULL after the last. `state` begins
 * as zeros.
 */
static inline wlk_num *wlk_place_next(const wlk_place *p, uint32_t *state) {
    if (p->at == NULL) {
        return NULL;
    }
    while (true) {
        wlk_num *at = p->at;
        uint32_t rest = (*state)++;
        bool fits = true;
        for (uint32_t i = 0; i < p->n_open; i++) {
            const uint32_t index = rest % p->open[i].n;
            fits = fits && ((index ^ p->open[i].index.value) & p->open[i].index.known) == 0;
            at += (size_t)index * p->open[i].stride;
            rest /= p->open[i].n;
        }
        if (rest != 0) {
            return NULL;
        }
        if (fits) {
            return at;
        }
    }
}

static inline wlk_num wlk_load_open(const wlk_place *p, uint64_t mask) {
    uint32_t state = 0;
    const wlk_num *at = wlk_place_next(p, &state);
    wlk_num found = at != NULL ? *at : wlk_num_unknown(mask);
    while (at != NULL && (at = wlk_place_next(p, &state)) != NULL) {
        found = wlk_num_join(found, *at);
    }
    return found;
}

static inline wlk_num wlk_load(wlk_place p, uint64_t mask) {
    return p.n_open == 0 && p.at != NULL ? *p.at : wlk_load_open(&p, mask);
}

static inline void wlk_store_open(const wlk_place *p, wlk_num value) {
    uint32_t state = 0;
    wlk_num *first = wlk_place_next(p, &state), *at = first;
    for (uint32_t count = 0; at != NULL; count++) {
        wlk_num *after = wlk_place_next(p, &state);
        *at = count == 0 && after == NULL ? value : wlk_num_join(*at, value);
        at = after;
    }
}

static inline void wlk_store(wlk_place p, wlk_num value) {
    if (p.n_open == 0 && p.at != NULL) {
        *p.at = value;
    } else {
        wlk_store_open(&p, value);
    }
}

static inline void wlk_copy(wlk_place to, wlk_place from, uint32_t size) {
    if (to.at == NULL || from.at == NULL) {
        return;
    }
    for (uint32_t i = 0; i < size; i++, to.at++, from.at++) {
        wlk_store(to, wlk_load(from, ~UINT64_C(0)));
    }
}

/* In `outputs`: an output, whose care lies @p apart from it. */
static inline void wlk_show(wlk_place p, uint32_t apart, wlk_num value, uint64_t mask) {
    wlk_store(p, value);
    wlk_store(wlk_place_member(p, apart, p.n), wlk_num_of(mask));
}

static inline void wlk_show_words(wlk_place to, uint32_t apart, wlk_place from, uint32_t words) {
    for (uint32_t i = 0; i < words; i++) {
        const wlk_num index = wlk_num_of(i);
        wlk_show(wlk_place_element(to, index, 1, 1), apart,
                 wlk_load(wlk_place_element(from, index, 1, 1), ~UINT64_C(0)), ~UINT64_C(0));
    }
}

/* ---- decisions on unknown bits ------------------------------------------------------------ */

/* Variables that a part of a function may change. */
typedef struct wlk_region {
    wlk_num *at;
    size_t size;
} wlk_region;

static inline wlk_region wlk_region_of(wlk_place p, uint32_t size) {
    wlk_region r = {p.at, p.at != NULL ? (size_t)p.n * size : 0u};
    for (uint32_t i = 0; i < p.n_open && p.at != NULL; i++) {
        r.size += (size_t)(p.open[i].n - 1u) * p.open[i].stride;
    }
    return r;
}

static inline size_t wlk_region_sizes(const wlk_region *r, size_t n) {
    size_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += r[i].size;
    }
    return sum;
}

static inline void wlk_keep(const wlk_region *r, size_t n, wlk_num *kept) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < r[i].size; k++) {
            *kept++ = r[i].at[k];
        }
    }
}

static inline void wlk_exchange(const wlk_region *r, size_t n, wlk_num *kept) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < r[i].size; k++, kept++) {
            const wlk_num other = *kept;
            *kept = r[i].at[k];
            r[i].at[k] = other;
        }
    }
}

/* The variables become what they are in either case. */
static inline void wlk_join(const wlk_region *r, size_t n, const wlk_num *kept) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < r[i].size; k++, kept++) {
            r[i].at[k] = wlk_num_join(r[i].at[k], *kept);
        }
    }
}

/* Nothing is known of them. */
static inline void wlk_forget(const wlk_region *r, size_t n) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < r[i].size; k++) {
            r[i].at[k] = (wlk_num){0, 0};
        }
    }
}

/* What is kept becomes that. */
static inline void wlk_join_kept(const wlk_region *r, size_t n, wlk_num *kept) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < r[i].size; k++, kept++) {
            *kept = wlk_num_join(r[i].at[k], *kept);
        }
    }
}

/* ---- memories ----------------------------------------------------------------------------- */

enum { WLK_MOST_RAMS = 4 };

/* Rows [first, end) of each copy, from word `start` on. */
typedef struct wlk_ram {
    size_t start;
    uint32_t copies, first, end, lanes, width;
} wlk_ram;

/*
 * The memories of a state: a bit that is unknown is 0 in `lower` and 1 in `upper`. `open`: how many
 * decisions on unknown bits have led here; if any, what is written now may be written or not.
 * `is_blind`: there are no words, nothing is known of a row, and what is written is dropped.
 * `moved` becomes 1 when a word changes.
 */
typedef struct wlk_rams {
    uint64_t *lower, *upper;
    uint64_t *moved;
    uint32_t open;
    bool is_blind;
    wlk_ram ram[WLK_MOST_RAMS];
} wlk_rams;

/* A row, whose number may be unknown. */
typedef struct wlk_row {
    wlk_rams *rams;
    const wlk_ram *ram;
    wlk_num copy, row;
} wlk_row;

/* What words hold, as in wlk_rams. */
typedef struct wlk_words {
    uint64_t lower[MOST_ROW_WORDS], upper[MOST_ROW_WORDS];
} wlk_words;

static inline wlk_row wlk_row_of(wlk_rams *rams, uint32_t ram, wlk_num copy, wlk_num row) {
    return (wlk_row){rams, &rams->ram[ram], copy, row};
}

static inline uint32_t wlk_row_words(const wlk_ram *ram) {
    return lane_words(ram->lanes, ram->width);
}

/* The next row that it may be, as the place of its first word; false after the last. `n` counts
 * all rows and begins as 0. */
static inline bool wlk_row_next(const wlk_row *r, uint32_t *n, size_t *at) {
    const uint32_t rows = r->ram->end - r->ram->first;
    for (; *n < r->ram->copies * rows; (*n)++) {
        const uint32_t copy = *n / rows, row = r->ram->first + *n % rows;
        if (((copy ^ r->copy.value) & r->copy.known) == 0 &&
            ((row ^ r->row.value) & r->row.known) == 0) {
            *at = r->ram->start + (size_t)(*n)++ * wlk_row_words(r->ram);
            return true;
        }
    }
    return false;
}

/* If it is one row, a walk along all begins there. */
static inline uint32_t wlk_row_begin(const wlk_row *r) {
    const uint64_t row = r->row.value - r->ram->first, rows = r->ram->end - r->ram->first;
    return wlk_is_known(r->copy) && wlk_is_known(r->row) && row < rows
               ? (uint32_t)(r->copy.value * rows + row)
               : 0u;
}

static inline bool wlk_row_is_one(const wlk_row *r) {
    return wlk_is_known(r->copy) && wlk_is_known(r->row);
}

/* What a row holds, or what all have in common that it may be. */
static inline void wlk_row_load(wlk_row r, wlk_words *found) {
    uint32_t n = wlk_row_begin(&r);
    size_t at;
    bool any = false;
    while (!r.rams->is_blind && (!any || !wlk_row_is_one(&r)) && wlk_row_next(&r, &n, &at)) {
        for (uint32_t w = 0; w < wlk_row_words(r.ram); w++) {
            const uint64_t lower = r.rams->lower[at + w], upper = r.rams->upper[at + w];
            found->lower[w] = any ? found->lower[w] & lower : lower;
            found->upper[w] = any ? found->upper[w] | upper : upper;
        }
        any = true;
    }
    for (uint32_t w = 0; !any && w < wlk_row_words(r.ram); w++) {
        found->lower[w] = 0;
        found->upper[w] = ~UINT64_C(0);
    }
}

/* Words that a place has. */
static inline void wlk_words_load(wlk_place p, uint32_t words, wlk_words *found) {
    for (uint32_t w = 0; w < words; w++) {
        const wlk_num number = wlk_load(wlk_place_element(p, wlk_num_of(w), 1, 1), ~UINT64_C(0));
        found->lower[w] = number.value;
        found->upper[w] = wlk_most(number);
    }
}

/* A word of a row becomes another one. */
static inline void wlk_row_change(const wlk_row *r, size_t at, uint64_t lower, uint64_t upper) {
    *r->rams->moved |= (lower != r->rams->lower[at]) | (upper != r->rams->upper[at]);
    r->rams->lower[at] = lower;
    r->rams->upper[at] = upper;
}

/* Lanes of a set into a row, or into each that it may be. */
static inline void wlk_row_put(wlk_row r, const wlk_words *from, wlk_num lanes) {
    const bool is_sure = wlk_row_is_one(&r) && r.rams->open == 0;
    uint32_t n = wlk_row_begin(&r);
    bool more = !r.rams->is_blind;
    for (size_t at; more && wlk_row_next(&r, &n, &at); more = !wlk_row_is_one(&r)) {
        for (uint32_t w = 0; w < wlk_row_words(r.ram); w++) {
            const uint64_t lower = r.rams->lower[at + w], upper = r.rams->upper[at + w];
            const uint64_t may = lane_mask(wlk_most(lanes), w, r.ram->width);
            const uint64_t is = is_sure ? lane_mask(lanes.value, w, r.ram->width) : 0u;
            wlk_row_change(&r, at + w, (lower & ~may) | (from->lower[w] & may & (is | lower)),
                           (upper & ~is) | (from->upper[w] & may));
        }
    }
}

static inline void wlk_row_copy(wlk_row to, wlk_row from) {
    wlk_words words;
    wlk_row_load(from, &words);
    wlk_row_put(to, &words, WLK_ALL);
}

static inline void wlk_row_clear(wlk_row to) {
    const wlk_words zeros = {{0}, {0}};
    wlk_row_put(to, &zeros, WLK_ALL);
}

/* All rows of a copy. */
static inline void wlk_rows_clear(wlk_rams *rams, uint32_t ram, wlk_num copy) {
    for (uint32_t row = rams->ram[ram].first; row < rams->ram[ram].end; row++) {
        wlk_row_clear(wlk_row_of(rams, ram, copy, wlk_num_of(row)));
    }
}

static inline void wlk_row_forget(wlk_row to, wlk_num lanes) {
    wlk_words words;
    memset(words.lower, 0, sizeof words.lower);
    memset(words.upper, 0xff, sizeof words.upper);
    wlk_row_put(to, &words, lanes);
}

static inline void wlk_row_write(wlk_row to, wlk_place from, wlk_num lanes) {
    wlk_words words;
    wlk_words_load(from, wlk_row_words(to.ram), &words);
    wlk_row_put(to, &words, lanes);
}

/* Unknown bits of a row are what a place shows. */
static inline void wlk_row_learn(wlk_row to, wlk_place from) {
    wlk_words words;
    uint32_t n = wlk_row_begin(&to);
    size_t at;
    const bool is_sure = wlk_row_is_one(&to) && to.rams->open == 0 && !to.rams->is_blind;
    if (is_sure && wlk_row_next(&to, &n, &at)) {
        wlk_words_load(from, wlk_row_words(to.ram), &words);
        for (uint32_t w = 0; w < wlk_row_words(to.ram); w++) {
            const uint64_t lower = to.rams->lower[at + w], upper = to.rams->upper[at + w];
            const uint64_t unknown = lower ^ upper;
            wlk_row_change(&to, at + w, lower | (words.lower[w] & unknown),
                           upper & (words.upper[w] | ~unknown));
        }
    }
}

/* In `outputs`: a payload, whose care lies @p apart from it; zeros where it is not shown. */
static inline void wlk_show_row(wlk_place to, uint32_t apart, wlk_row from, wlk_num is_shown) {
    wlk_words words;
    wlk_row_load(from, &words);
    for (uint32_t w = 0; w < wlk_row_words(from.ram); w++) {
        words.lower[w] &= wlk_is_yes(is_shown) ? ~UINT64_C(0) : 0u;
        words.upper[w] &= wlk_is_no(is_shown) ? 0u : ~UINT64_C(0);
        const uint64_t known = ~(words.lower[w] ^ words.upper[w]);
        wlk_show(wlk_place_element(to, wlk_num_of(w), 1, 1), apart,
                 (wlk_num){words.lower[w] & known, known}, ~UINT64_C(0));
    }
}

#endif

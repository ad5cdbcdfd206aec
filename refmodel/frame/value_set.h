/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of the values of .follow (follow.h): bit k is value number k. */
#ifndef WLK_FRAME_VALUE_SET_H
#define WLK_FRAME_VALUE_SET_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_VALUES = 1024, SET_WORDS = MOST_VALUES / 64 };

typedef struct value_set {
    uint64_t word[SET_WORDS];
} value_set;

static inline void value_set_add(value_set *set, uint32_t k) {
    set->word[k / 64u] |= UINT64_C(1) << k % 64u;
}

static inline bool value_set_has(const value_set *set, uint32_t k) {
    return (set->word[k / 64u] >> k % 64u & 1u) != 0;
}

/* The first member from @p k on; MOST_VALUES: there is none. */
static inline uint32_t value_set_next(const value_set *set, uint32_t k) {
    for (uint32_t w = k / 64u; w < SET_WORDS; w++) {
        const uint64_t from = w == k / 64u ? ~UINT64_C(0) << k % 64u : ~UINT64_C(0);
        if ((set->word[w] & from) != 0) {
            return 64u * w + (uint32_t)__builtin_ctzll(set->word[w] & from);
        }
    }
    return MOST_VALUES;
}

static inline uint32_t value_set_first(const value_set *set) {
    return value_set_next(set, 0);
}

static inline bool value_set_is_empty(const value_set *set) {
    return value_set_first(set) == MOST_VALUES;
}

/* Adds the members of another set. */
static inline void value_set_join(value_set *set, const value_set *other) {
    for (uint32_t w = 0; w < SET_WORDS; w++) {
        set->word[w] |= other->word[w];
    }
}

/* How many members it has. */
static inline uint32_t value_set_size(const value_set *set) {
    uint32_t size = 0;
    for (uint32_t w = 0; w < SET_WORDS; w++) {
        size += (uint32_t)__builtin_popcountll(set->word[w]);
    }
    return size;
}

/* Has it more members than one? */
static inline bool value_set_has_more(const value_set *set) {
    const uint32_t first = value_set_first(set);
    return first != MOST_VALUES && value_set_next(set, first + 1u) != MOST_VALUES;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Four words as one vector: what the models of many warps compare and count at once. */
#ifndef WLK_FRAME_FOURS_H
#define WLK_FRAME_FOURS_H

#include <stdint.h>

enum { FOUR = 4 };
typedef uint64_t four __attribute__((vector_size(32)));
typedef uint64_t four_any __attribute__((vector_size(32), aligned(8), may_alias));

#define FOUR_INLINE static inline __attribute__((always_inline))

FOUR_INLINE four four_of(const uint64_t *words) {
    return *(const four_any *)(const void *)words;
}

FOUR_INLINE void four_put(uint64_t *words, four value) {
    *(four_any *)(void *)words = value;
}

FOUR_INLINE four four_all(uint64_t value) {
    return (four){0} + value;
}

/** The bits that are set in some word. */
FOUR_INLINE uint64_t four_union(four words) {
    const four halves = words | __builtin_shufflevector(words, words, 2, 3, 0, 1);
    return halves[0] | halves[1];
}

#endif

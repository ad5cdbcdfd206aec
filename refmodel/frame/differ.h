/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a record against those of the state, compared where they lie. */
#ifndef WLK_FRAME_DIFFER_H
#define WLK_FRAME_DIFFER_H

#include "frame/fours.h"

/** Nonzero where two lists of words differ. */
FOUR_INLINE uint64_t words_differ(const uint64_t *a, const uint64_t *b, uint32_t words) {
    const uint32_t whole = words & ~(FOUR - 1u);
    uint64_t rest = 0;
    four differs = {0};
    for (uint32_t w = 0; w < whole; w += FOUR) {
        differs |= four_of(a + w) ^ four_of(b + w);
    }
    for (uint32_t w = whole; w < words; w++) {
        rest |= a[w] ^ b[w];
    }
    return whole != 0 ? four_union(differs) | rest : rest;
}

#endif

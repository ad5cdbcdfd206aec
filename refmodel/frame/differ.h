/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a record against those of the state, compared where they lie. */
#ifndef WLK_FRAME_DIFFER_H
#define WLK_FRAME_DIFFER_H

#include "frame/fours.h"

/** Nonzero where two lists of words differ. */
FOUR_INLINE uint64_t words_differ(const uint64_t *a, const uint64_t *b, uint32_t words) {
    const uint32_t last = words - FOUR;
    uint64_t few = 0;
    four differs = {0};
    if (words < FOUR) {
        for (uint32_t w = 0; w < words; w++) {
            few |= a[w] ^ b[w];
        }
        return few;
    }
    for (uint32_t w = 0; w < last; w += FOUR) {
        differs |= four_of(a + w) ^ four_of(b + w);
    }
    /* The last row may begin among words that have been compared. */
    return four_union(differs | (four_of(a + last) ^ four_of(b + last)));
}

#endif

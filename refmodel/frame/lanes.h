/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes side by side in the words of a row, as in a payload. */
#ifndef WLK_FRAME_LANES_H
#define WLK_FRAME_LANES_H

#include "warplock/block.h"

enum { MOST_ROW_WORDS = 64 };

/* Words of a row. */
static inline uint32_t lane_words(uint32_t lanes, uint32_t width) {
    return (lanes * wlk_lane_step(width) + 63u) / 64u;
}

/* Ones in the lanes of a set, as far as they lie in word @p word. */
static inline uint64_t lane_mask(uint64_t lanes, uint32_t word, uint32_t width) {
    const uint32_t step = wlk_lane_step(width), each = 64u / step;
    uint64_t mask = 0;
    for (uint32_t lane = 0; lane < each; lane++) {
        const uint64_t is_in = lanes >> (word * each + lane) & 1u;
        mask |= (0u - is_in) >> (64u - width) << lane * step;
    }
    return mask;
}

#endif

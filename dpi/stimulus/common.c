// SPDX-License-Identifier: Apache-2.0
#include "common.h"

uint32_t wlk_stim_profile(const wlk_stimulus_state *stim, uint32_t profiles, uint64_t first) {
    if (stim->profile < profiles) {
        return stim->profile;
    }
    return (uint32_t)((stim->cycle / STIM_PHASE_CYCLES + (first & 0xffffu)) % profiles);
}

uint32_t wlk_stim_begin(wlk_stimulus_state *stim, uint32_t profiles) {
    if (stim->cycle == 0) {
        stim->memory[STIM_FIRST] = wlk_random(&stim->random);
    }
    return wlk_stim_profile(stim, profiles, stim->memory[STIM_FIRST]);
}

bool wlk_stim_reset(wlk_stimulus_state *stim, uint32_t chance) {
    const bool pulse = (wlk_random(&stim->random) & 4095u) < chance;
    return stim->cycle < STIM_RESET_CYCLES || (pulse && stim->drain == 0);
}

bool wlk_stim_lasts(wlk_stimulus_state *stim, uint64_t *left, uint32_t chance, uint32_t longest) {
    const uint64_t r = wlk_random(&stim->random);
    if (stim->drain != 0) {
        return false;
    }
    if (*left == 0 && (r & 255u) < chance) {
        *left = 1u + stim_below(r, longest);
    }
    const bool on = *left != 0;
    *left -= on;
    return on;
}

void wlk_stim_row(wlk_stimulus_state *stim, uint32_t bits, uint64_t *row) {
    const uint32_t words = (bits + 63u) / 64u;
    uint64_t random = wlk_random(&stim->random);
    for (uint32_t w = 0; w < words; w++) {
        row[w] = wlk_random(&random);
    }
    row[words - 1u] &= wlk_mask(bits - (words - 1u) * 64u);
}

// SPDX-License-Identifier: Apache-2.0
// Phases of a mix and resets, as the stimuli of several blocks have them.
#include "common.h"

uint32_t wlk_stim_begin(wlk_stimulus_state *stim, uint32_t profiles) {
    if (stim->cycle == 0) {
        stim->memory[STIM_FIRST] = wlk_random(&stim->random);
    }
    if (stim->profile < profiles) {
        return stim->profile;
    }
    if (stim->drain == 0) { // what drains stays in its phase: another one might drop what waits
        stim->worked = stim->cycle;
    }
    const uint64_t first = stim->memory[STIM_FIRST] & 0xffffu;
    return (uint32_t)((stim->worked / STIM_PHASE_CYCLES + first) % profiles);
}

bool wlk_stim_reset(wlk_stimulus_state *stim, uint32_t chance) {
    const bool pulse = (wlk_random(&stim->random) & 4095u) < chance;
    return stim->cycle < STIM_RESET_CYCLES || (pulse && stim->drain == 0);
}

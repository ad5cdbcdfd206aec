// SPDX-License-Identifier: Apache-2.0
// The in-order interpreter that operands are held against (muon-designs §9.1).
#include "explore.h"

#include "warplock/stimulus.h"

#include <stdlib.h>
#include <string.h>

bool explore_interpreter_open(explore_interpreter *in, const wlk_issue_x_cfg *cfg) {
    const uint32_t words = (cfg->num_lanes * cfg->lane_bits + 63u) / 64u;
    *in = (explore_interpreter){.words = words,
                                .lane_bits = cfg->lane_bits,
                                .lanes = cfg->num_lanes,
                                .registers = calloc((size_t)cfg->num_pregs * words, 8)};
    return in->registers != NULL;
}

void explore_interpreter_close(explore_interpreter *in) {
    free(in->registers);
}

uint64_t explore_value(uint32_t warp, uint64_t number) {
    return (number + 1u) << 5 | warp;
}

void explore_words(const explore_interpreter *in, uint64_t value, uint64_t *to) {
    uint64_t random = value * UINT64_C(0xd1342543de82ef95);
    for (uint32_t k = 0; k < in->words; k++) {
        to[k] = wlk_random(&random);
    }
    to[in->words - 1u] &= wlk_mask(in->lanes * in->lane_bits - 64u * (in->words - 1u));
}

// The bits of word k that belong to the lanes of a mask.
static uint64_t lane_bits(const explore_interpreter *in, uint64_t mask, uint32_t k) {
    const uint32_t per_word = 64u / in->lane_bits;
    uint64_t bits = 0;
    for (uint32_t i = 0; i < per_word; i++) {
        const uint32_t lane = k * per_word + i;
        if (lane < in->lanes && (mask >> lane & 1u) != 0) {
            bits |= wlk_mask(in->lane_bits) << (i * in->lane_bits);
        }
    }
    return bits;
}

static void merge(explore_interpreter *in, uint32_t reg, uint64_t mask) {
    uint64_t *to = in->registers + (size_t)reg * in->words;
    if (mask == wlk_mask(in->lanes)) {
        memcpy(to, in->scratch, in->words * sizeof *to);
        return;
    }
    for (uint32_t k = 0; k < in->words; k++) {
        const uint64_t bits = lane_bits(in, mask, k);
        to[k] = (to[k] & ~bits) | (in->scratch[k] & bits);
    }
}

void explore_interpret(explore_interpreter *in, const wlk_instruction *it, uint64_t value,
                       uint64_t *operands) {
    for (uint32_t i = 0; i < EXPLORE_OPERANDS; i++) {
        const uint32_t reg = it->has_rs[i] ? it->rs[i] : 0;
        memcpy(operands + (size_t)i * in->words, in->registers + (size_t)reg * in->words,
               in->words * sizeof *operands);
    }
    if (it->has_rd && it->rd != 0) {
        explore_words(in, value, in->scratch);
        merge(in, it->rd, it->mask);
    }
}

uint64_t explore_lane(const explore_interpreter *in, const uint64_t *words, uint32_t lane) {
    const uint32_t bit = lane * in->lane_bits;
    return words[bit / 64u] >> (bit % 64u) & wlk_mask(in->lane_bits);
}

int32_t explore_wrong_lane(const explore_interpreter *in, const uint64_t *want,
                           const uint64_t *got) {
    if (memcmp(want, got, in->words * sizeof *want) == 0) {
        return -1;
    }
    uint32_t lane = 0;
    while (lane + 1u < in->lanes && explore_lane(in, want, lane) == explore_lane(in, got, lane)) {
        lane++;
    }
    return (int32_t)lane;
}

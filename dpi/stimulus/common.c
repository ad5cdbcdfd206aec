// SPDX-License-Identifier: Apache-2.0
#include "common.h"

#include <string.h>

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

void wlk_stim_named(uint64_t *entry) {
    static const uint32_t ones[3] = {WLK_PREG_MASK, WLK_PREG_MASK, WLK_PREG_MASK};
    memset(entry, 0, WLK_ENTRY_WORDS * sizeof *entry);
    wlk_entry_put_sources(entry, ones, 7u);
    wlk_entry_put_destination(entry, WLK_PREG_MASK, 1u);
    wlk_entry_put_wid(entry, WLK_HAZARD_MAX_NUM_WARPS - 1u);
}

void wlk_stim_entry(const stim_operands *o, uint32_t pregs, uint32_t warp, const uint64_t *bits,
                    uint64_t *random, uint64_t *entry) {
    uint64_t named[WLK_ENTRY_WORDS]; // these fields are put one by one
    const uint64_t r = wlk_random(random);
    const uint32_t has_rs = (uint32_t)stim_hits(r, o->has_rs) |
                            (uint32_t)stim_hits(r >> 8, o->has_rs) << 1 |
                            (uint32_t)stim_hits(r >> 16, o->has_rs) << 2;
    const bool empty = has_rs == 0 && stim_hits(r >> 24, o->empty);
    const bool must = has_rs == 0 && !empty;
    wlk_stim_named(named);
    for (uint32_t w = 0; w < WLK_ENTRY_WORDS; w++) {
        entry[w] = wlk_random(random) & bits[w] & ~named[w];
    }
    uint32_t rs[3];
    for (uint32_t i = 0; i < 3; i++) {
        rs[i] = stim_preg(o, pregs, random);
    }
    const uint32_t rd = stim_preg(o, pregs, random);
    rs[1] = stim_hits(r >> 32, o->repeat) ? rs[0] : rs[1];
    rs[2] = stim_hits(r >> 40, o->repeat) ? rs[0] : rs[2];
    const bool has_rd = must || (!empty && stim_hits(r >> 48, o->has_rd));
    wlk_entry_put_sources(entry, rs, has_rs);
    wlk_entry_put_destination(entry, rd, has_rd);
    wlk_entry_put_wid(entry, warp);
}

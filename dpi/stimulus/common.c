// SPDX-License-Identifier: Apache-2.0
#include "common.h"

uint32_t wlk_stim_profile(const wlk_stimulus_state *stim, uint32_t profiles, uint64_t first) {
    if (stim->profile < profiles) {
        return stim->profile;
    }
    return (uint32_t)((stim->cycle / STIM_PHASE_CYCLES + (first & 0xffffu)) % profiles);
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

// Fields that rules read: they are put one by one.
static void read_fields(uint64_t *words) {
    const uint64_t preg = wlk_mask(10), warp = wlk_mask(5);
    wlk_entry_put_rd(words, preg);
    wlk_entry_put_rs1(words, preg);
    wlk_entry_put_rs2(words, preg);
    wlk_entry_put_rs3(words, preg);
    wlk_entry_put_hasRd(words, 1u);
    wlk_entry_put_hasRs1(words, 1u);
    wlk_entry_put_hasRs2(words, 1u);
    wlk_entry_put_hasRs3(words, 1u);
    wlk_entry_put_wid(words, warp);
}

// A chance that looks at byte @p n of a random word.
static bool byte_chance(uint64_t r, uint32_t n, uint32_t chance) {
    return (r >> (n * 8u) & 255u) < chance + (chance == 255);
}

void wlk_stim_entry(const stim_operands *o, uint32_t pregs, uint32_t warp, const uint64_t *bits,
                    uint64_t *random, uint64_t *entry) {
    uint64_t read[WLK_ENTRY_WORDS] = {0};
    const uint64_t r = wlk_random(random);
    const bool has[3] = {byte_chance(r, 0, o->has_rs), byte_chance(r, 1, o->has_rs),
                         byte_chance(r, 2, o->has_rs)};
    const bool empty = !has[0] && !has[1] && !has[2] && byte_chance(r, 3, o->empty);
    const bool any = has[0] || has[1] || has[2] || empty;
    read_fields(read);
    for (uint32_t w = 0; w < WLK_ENTRY_WORDS; w++) {
        entry[w] = wlk_random(random) & bits[w] & ~read[w];
    }
    const uint32_t rs1 = stim_preg(o, pregs, random);
    const uint32_t rs2 = stim_preg(o, pregs, random), rs3 = stim_preg(o, pregs, random);
    wlk_entry_put_rd(entry, stim_preg(o, pregs, random));
    wlk_entry_put_rs1(entry, rs1);
    wlk_entry_put_rs2(entry, byte_chance(r, 4, o->repeat) ? rs1 : rs2);
    wlk_entry_put_rs3(entry, byte_chance(r, 5, o->repeat) ? rs1 : rs3);
    wlk_entry_put_hasRd(entry, !empty && (!any || byte_chance(r, 6, o->has_rd)));
    wlk_entry_put_hasRs1(entry, has[0]);
    wlk_entry_put_hasRs2(entry, has[1]);
    wlk_entry_put_hasRs3(entry, has[2]);
    wlk_entry_put_wid(entry, warp);
}

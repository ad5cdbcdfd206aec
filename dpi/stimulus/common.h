/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the stimuli of several blocks share: chances and sets, phases of a mix, resets, and random
 * instructions. Chances are out of 256, and 255 means always.
 */
#ifndef WLK_STIMULUS_COMMON_H
#define WLK_STIMULUS_COMMON_H

#include "warplock/hazard_ports.h"
#include "warplock/stimulus.h"

enum { STIM_RESET_CYCLES = 4 }; /* a run starts with them */
enum { STIM_PHASE_CYCLES = 192, STIM_MAX_PROFILES = (int)WLK_STIMULUS_ROUND / STIM_PHASE_CYCLES };

/* What makes an instruction. */
typedef struct stim_operands {
    uint8_t hot_bits; /* registers mostly used: 2^n */
    uint8_t x0;       /* a register is 0 */
    uint8_t repeat;   /* a source repeats the first one */
    uint8_t has_rd;   /* it has a destination */
    uint8_t has_rs;   /* each source is there */
    uint8_t empty;    /* one without a source has no destination either, else it has one */
} stim_operands;

static inline bool stim_chance(uint64_t *random, uint32_t chance) {
    return (wlk_random(random) & 255u) < chance + (chance == 255);
}

/* A number below n, from a random word. */
static inline uint32_t stim_below(uint64_t random, uint32_t n) {
    return (uint32_t)((random >> 32) * n >> 32);
}

/* A set of 0..31 with each member at that chance. */
static inline uint32_t stim_set(uint64_t *random, uint32_t chance) {
    uint64_t set = 0;
    if (chance == 0 || chance == 255) {
        return chance == 0 ? 0u : ~0u;
    }
    for (uint32_t bit = (uint32_t)__builtin_ctz(chance); bit < 8; bit++) {
        const uint64_t r = wlk_random(random);
        set = (chance >> bit & 1u) != 0 ? set | r : set & r;
    }
    return (uint32_t)set;
}

/* A member of a set that is not empty. */
static inline uint32_t stim_member(uint32_t set, uint64_t random) {
    uint32_t skip = stim_below(random, (uint32_t)__builtin_popcount(set));
    for (; skip > 0; skip--) {
        set &= set - 1u;
    }
    return (uint32_t)__builtin_ctz(set);
}

/* A register: 0 at its chance, now and then any, else one of the hot ones. @p pregs: how many. */
static inline uint32_t stim_preg(const stim_operands *o, uint32_t pregs, uint64_t *random) {
    const uint64_t r = wlk_random(random);
    const bool any = (r >> 40 & 31u) == 0;
    const uint32_t mask = (pregs - 1u) & (uint32_t)(any ? ~UINT64_C(0) : wlk_mask(o->hot_bits));
    return (r >> 32 & 255u) < o->x0 ? 0u : (uint32_t)r & mask;
}

/* The profile of this cycle: the fixed one, or by phases each in turn, starting with @p first. */
uint32_t wlk_stim_profile(const wlk_stimulus_state *stim, uint32_t profiles, uint64_t first);

/* Reset in this cycle: the first cycles, then at a chance out of 4096. */
bool wlk_stim_reset(wlk_stimulus_state *stim, uint32_t chance);

/*
 * Something that lasts: in the drain never, else until *left is 0, which a start (at that chance)
 * sets to up to @p longest cycles.
 */
bool wlk_stim_lasts(wlk_stimulus_state *stim, uint64_t *left, uint32_t chance, uint32_t longest);

/*
 * A random instruction of a warp into @p entry. @p bits: ones in the bits that its fields have.
 */
void wlk_stim_entry(const stim_operands *o, uint32_t pregs, uint32_t warp, const uint64_t *bits,
                    uint64_t *random, uint64_t *entry);

#endif

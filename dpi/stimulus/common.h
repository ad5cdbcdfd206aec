/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the stimuli of several blocks share: the generic driver, chances and sets, phases of a mix,
 * resets. Chances are out of 256, and 255 means always.
 */
#ifndef WLK_STIMULUS_COMMON_H
#define WLK_STIMULUS_COMMON_H

#include "warplock/stimulus.h"

enum { STIM_RESET_CYCLES = 4 }; /* a run starts with them */
enum { STIM_PHASE_CYCLES = 192 };
/* Words of the memory: wlk_stim_begin's, and the first of 64 that are a driver's hook's. */
enum { STIM_FIRST = 0, STIM_OWN = WLK_STIMULUS_WORDS - 64 };

/* The names of a file's `profiles`, from the block's table. In a mix each lasts @p cycles. */
#define STIM_PROFILE_NAMES(names, cycles)                                                          \
    enum { PROFILES = sizeof profiles / sizeof profiles[0] };                                      \
    static const char *const profile_names[] = {names, NULL};                                      \
    _Static_assert(sizeof profile_names / sizeof profile_names[0] == PROFILES + 1,                 \
                   "one name each");                                                               \
    _Static_assert(PROFILES * (cycles) <= WLK_STIMULUS_ROUND, "a round is so long")

/* ---- the generic driver ---- */

/* How values come: all anew; each until it is taken; only those that are taken, up to the first
 * that is not. */
typedef enum stim_hold { STIM_FREE, STIM_HELD, STIM_GATED } stim_hold;

/* What a profile of the driver turns. */
typedef struct stim_weights {
    stim_hold hold;
    uint8_t valid, ready;      /* in a mood in which each element is on its own */
    uint8_t stuck, full, edge; /* for a while: none; all; only the first or the last few */
    uint8_t fresh;             /* what an idle element shows changes */
    uint8_t corner, few;       /* a value is a corner, or one of the lowest 2^few_bits */
    uint8_t few_bits;          /* at most 8 */
    uint8_t repeat;            /* a number is that of the first of the same width in the value */
    uint8_t bit;               /* a value of one bit is 1 */
    uint16_t reset;            /* out of 4096 */
    uint8_t own[4];            /* of the block's hook */
} stim_weights;

/* What a hook knows of the cycle whose inputs it is given. */
typedef struct stim_cycle {
    const uint32_t *cfg;
    const void *state;
    const stim_weights *w;
    wlk_stimulus_state *stim;
    bool reset;
} stim_cycle;

/* The driver with a block's own profiles, and a hook that makes the inputs legal. */
typedef struct wlk_driven {
    const stim_weights *profiles; /* NULL: the driver's */
    uint32_t n_profiles;
    void (*hook)(const stim_cycle *c, uint64_t *in); /* NULL: none */
    /* The hook depends on state and inputs alone and leaves legal inputs as they are, so that it
     * can also be asked about inputs that the driver has not made. */
    bool legalises;
} wlk_driven;

/* The next inputs of it, and: nothing waits to be taken? */
void wlk_stim_drive(const wlk_driven *g, const uint32_t *cfg, const void *state,
                    wlk_stimulus_state *stim, uint64_t *in);
bool wlk_stim_idle(const wlk_stimulus_state *stim);

/* Outputs of a cycle with these inputs, valid until the driver's next use. */
const uint64_t *wlk_stim_outputs(const wlk_driver *d, const uint32_t *cfg, const void *state,
                                 const uint64_t *in);

/* Are all of these known? Of a block with a state some are not after an unknown power-up. */
bool wlk_stim_knows(const wlk_driver *d, const uint32_t *cfg, const void *state,
                    const uint64_t *in);

/* The stimulus of a block from the `profiles`, their names and a hook of its file. */
#define STIM_GENERATOR(name, function)                                                             \
    static const wlk_driven driven_##name = {profiles, PROFILES, function, false};                 \
    const wlk_stimulus wlk_##name##_stimulus = {                                                   \
        .block = #name, .profiles = profile_names, .driven = &driven_##name}

/* ---- chances ---- */

/* By the low byte of a random word. */
static inline bool stim_hits(uint64_t random, uint32_t chance) {
    return (random & 255u) < chance + (chance == 255);
}

static inline bool stim_chance(uint64_t *random, uint32_t chance) {
    return stim_hits(wlk_random(random), chance);
}

/* A number below n, from a random word. */
static inline uint32_t stim_below(uint64_t random, uint32_t n) {
    return (uint32_t)((random >> 32) * n >> 32);
}

/* A set of 0..63 with each member at that chance. */
static inline uint64_t stim_bits(uint64_t *random, uint32_t chance) {
    uint64_t set = 0;
    if (chance == 0 || chance == 255) {
        return chance == 0 ? 0u : ~UINT64_C(0);
    }
    for (uint32_t bit = (uint32_t)__builtin_ctz(chance); bit < 8; bit++) {
        const uint64_t r = wlk_random(random);
        set = (chance >> bit & 1u) != 0 ? set | r : set & r;
    }
    return set;
}

/* The same of 0..31. */
static inline uint32_t stim_set(uint64_t *random, uint32_t chance) {
    return (uint32_t)stim_bits(random, chance);
}

/* Member n of a set, counted from 0; it has more than n. */
static inline uint32_t stim_nth(uint32_t set, uint32_t n) {
    for (; n > 0; n--) {
        set &= set - 1u;
    }
    return (uint32_t)__builtin_ctz(set);
}

/* A member of a set that is not empty. */
static inline uint32_t stim_member(uint32_t set, uint64_t random) {
    return stim_nth(set, stim_below(random, (uint32_t)__builtin_popcount(set)));
}

/*
 * The profile of this cycle: the fixed one, or by phases each in turn, starting with one that is
 * drawn in the first cycle and kept.
 */
uint32_t wlk_stim_begin(wlk_stimulus_state *stim, uint32_t profiles);

/* Reset in this cycle: the first cycles, then at a chance out of 4096. */
bool wlk_stim_reset(wlk_stimulus_state *stim, uint32_t chance);

#endif

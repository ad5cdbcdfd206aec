/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The round-robin arbiter (muon-issue §1). Its register `last` has no reset, so its value is kept
 * as the set of values that are still possible: all of them at power-up, one from the first grant
 * on.
 */
#ifndef WLK_ARBITER_H
#define WLK_ARBITER_H

#include "frame/bits.h"

/** `last` of an arbiter of n inputs at power-up. A value beyond n-1 acts like n-1. */
static inline uint32_t arbiter_unknown(uint32_t n) {
    return set_below(n);
}

/** The choice for one value of `last`: the lowest valid input beyond it, else the lowest one. */
static inline uint32_t arbiter_choice(uint32_t valid, uint32_t last, uint32_t n) {
    const uint32_t later = valid & (uint32_t)(~UINT64_C(0) << (last + 1u));
    return set_prio(later != 0 ? later : valid, n);
}

/** The choice for the lowest value of `last` that is possible. */
static inline uint32_t arbiter_choose(uint32_t valid, uint32_t possible, uint32_t n) {
    return arbiter_choice(valid, set_lowest(possible), n);
}

/** Inputs that some possible `last` chooses; empty when there is no valid one. */
static inline uint32_t arbiter_choices(uint32_t valid, uint32_t possible, uint32_t n) {
    uint32_t choices = 0;
    if (set_is_single(valid)) {
        return valid;
    }
    for (; possible != 0; possible &= possible - 1u) {
        choices |= UINT32_C(1) << arbiter_choice(valid, set_lowest(possible), n);
    }
    return choices;
}

/** How many choices the unknown `last` leaves open. */
static inline uint32_t arbiter_outcomes(uint32_t valid, uint32_t possible, uint32_t n) {
    if (set_is_single(possible) || set_is_single(valid)) {
        return 1u;
    }
    return set_size(arbiter_choices(valid, possible, n));
}

/** The values of `last` that lead to the @p k th of these choices. */
static inline uint32_t arbiter_assume(uint32_t valid, uint32_t possible, uint32_t n, uint32_t k) {
    uint32_t choices = arbiter_choices(valid, possible, n), kept = 0;
    if (set_is_single(possible) || set_is_single(valid)) {
        return possible;
    }
    for (; k > 0; k--) {
        choices &= choices - 1u;
    }
    for (uint32_t rest = possible; rest != 0; rest &= rest - 1u) {
        const uint32_t last = set_lowest(rest);
        kept |= arbiter_choice(valid, last, n) == set_lowest(choices) ? UINT32_C(1) << last : 0u;
    }
    return kept;
}

/** `last` after a grant: known, or where it was not resolved any of the choices. */
static inline uint32_t arbiter_granted(uint32_t valid, uint32_t possible, uint32_t n) {
    return set_is_single(possible) ? UINT32_C(1) << arbiter_choose(valid, possible, n)
                                   : arbiter_choices(valid, possible, n);
}

#endif

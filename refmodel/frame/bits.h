/* SPDX-License-Identifier: Apache-2.0 */
/* Small sets as bit masks: what the models' hot paths are made of. */
#ifndef WLK_BITS_H
#define WLK_BITS_H

#include <stdbool.h>
#include <stdint.h>

/** Of one bit. */
static inline uint32_t bit_not(uint32_t bit) {
    return bit ^ 1u;
}

/** All ones when the bit is set, else 0. */
static inline uint32_t bit_all(uint32_t bit) {
    return 0u - bit;
}

/** The lowest member of a set that is not empty. */
static inline uint32_t set_lowest(uint32_t set) {
    return (uint32_t)__builtin_ctz(set);
}

/** The highest member of a set that is not empty. */
static inline uint32_t set_highest(uint32_t set) {
    return 31u - (uint32_t)__builtin_clz(set);
}

/** Is @p n, 0..31, a member? */
static inline bool set_has(uint32_t set, uint32_t n) {
    return (set >> n & 1u) != 0;
}

/** A member of @p set above the lowest one of @p older? */
static inline bool set_is_behind(uint32_t set, uint32_t older) {
    return older != 0 && (set & ~(older ^ (older - 1u))) != 0;
}

/** prio() of the spec: the lowest member, or n-1 for the empty set. */
static inline uint32_t set_prio(uint32_t set, uint32_t n) {
    return set != 0 ? set_lowest(set) : n - 1u;
}

/** The set of 0..n-1; n 0..32. */
static inline uint32_t set_below(uint32_t n) {
    return (uint32_t)(((uint64_t)1 << n) - 1u);
}

/** Are all bits of words first .. end - 1 known that are ones in @p all? */
static inline bool words_are_known(const uint64_t *all, const uint64_t *known, uint32_t first,
                                   uint32_t end) {
    uint64_t missing = 0;
    for (uint32_t w = first; w < end; w++) {
        missing |= all[w] & ~known[w];
    }
    return missing == 0;
}

static inline uint32_t set_size(uint32_t set) {
    return (uint32_t)__builtin_popcount(set);
}

/** Has it at most one member? */
static inline uint32_t set_is_single(uint32_t set) {
    return (uint32_t)((set & (set - 1u)) == 0);
}

#endif

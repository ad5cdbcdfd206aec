/* SPDX-License-Identifier: Apache-2.0 */
/* What models in model C of Muon's issue stage have in common: the arbiter (muon-issue §1), and
 * sets. In a set of warps or rows bit i is warp or row i, in one of operands bit i is operand i. */
#ifndef WLK_MUON_SETS_H
#define WLK_MUON_SETS_H

#include <stdbool.h>
#include <stdint.h>

enum { OPERANDS = 3 };

/* The lowest and the highest member of a set that has one. */
static inline uint32_t lowest(uint32_t set) {
    return (uint32_t)__builtin_ctz(set);
}

static inline uint32_t highest(uint32_t set) {
    return 31u - (uint32_t)__builtin_clz(set);
}

static inline bool has(uint32_t set, uint32_t i) {
    return (set >> i & 1u) != 0;
}

/* A set, with @p i in it or not. */
static inline uint32_t with(uint32_t set, uint32_t i, bool is_in) {
    return (set & ~(UINT32_C(1) << i)) | (uint32_t)is_in << i;
}

/* §1: the first of the candidates after `last`, else the first one; without any, @p idle. */
static inline uint32_t round_robin(uint32_t candidates, uint32_t last, uint32_t idle) {
    const uint32_t others = (UINT32_C(2) << last) - 1u; /* 0 to `last` */
    const uint32_t later = candidates & ~others;
    const uint32_t among = later != 0 ? later : candidates;
    return among != 0 ? lowest(among) : idle;
}

/* Three sets, one of each operand: the set of those operands whose set has @p i. */
static inline uint8_t operands_with(uint32_t i, uint32_t rs1, uint32_t rs2, uint32_t rs3) {
    return (uint8_t)((rs1 >> i & 1u) | (rs2 >> i & 1u) << 1 | (rs3 >> i & 1u) << 2);
}

static inline uint8_t operands_of(uint32_t i, const uint32_t *sets) {
    return operands_with(i, sets[0], sets[1], sets[2]);
}

/* One more for each warp of a set. `while` and not `for`: where a model is compiled for one
 * configuration each `for` is unrolled, and then the compiler makes no vectors of it. */
static inline void count_warps(uint64_t *counters, uint32_t warps, uint32_t set) {
    uint32_t w = 0;
    while (w < warps) {
        counters[w] += set >> w & 1u;
        w++;
    }
}

#endif

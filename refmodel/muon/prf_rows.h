/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of Muon's register file (muon-issue §2), the lanes of one register each, lane 0 lowest;
 * inlined into the models' hot path. `words` is a constant
 * where it matters, so that a row of whole chunks becomes a few vector instructions; rows in
 * memory are 64-byte aligned, rows of a record are not.
 */
#ifndef WLK_PRF_ROWS_H
#define WLK_PRF_ROWS_H

#include <stdint.h>
#include <string.h>

#include "warplock/block.h"

// A vector as wide as the instruction set has registers.
#if defined(__AVX512F__)
enum { PRF_BYTES = 64 };
#elif defined(__AVX2__)
enum { PRF_BYTES = 32 };
#else
enum { PRF_BYTES = 16 };
#endif
enum { PRF_WORDS = PRF_BYTES / 8, PRF_LANES32 = PRF_BYTES / 4, PRF_CHUNK_WORDS = 8 };

typedef uint64_t prf_vec __attribute__((vector_size(PRF_BYTES)));
typedef uint64_t prf_pair __attribute__((vector_size(16)));
typedef uint64_t prf_vec_any __attribute__((vector_size(PRF_BYTES), aligned(4), may_alias));
typedef uint32_t prf_lanes __attribute__((vector_size(PRF_BYTES)));

#define PRF_INLINE static inline __attribute__((always_inline))

/** Words of a row in a record. */
PRF_INLINE uint32_t prf_words_of(uint32_t lanes, uint32_t lane_bits) {
    return (lanes * lane_bits + 63u) / 64u;
}

/** Words from one row of @p words to the next in memory: whole chunks. */
PRF_INLINE uint32_t prf_stride_of(uint32_t words) {
    return (words + PRF_CHUNK_WORDS - 1u) & ~(PRF_CHUNK_WORDS - 1u);
}

/** Copy a row that lies in the state. */
PRF_INLINE void prf_copy(uint64_t *to, const uint64_t *from, uint32_t stride) {
    for (uint32_t w = 0; w < stride; w += PRF_WORDS) {
        *(prf_vec *)(void *)(to + w) = *(const prf_vec *)(const void *)(from + w);
    }
}

/** All ones in the 32-bit lanes set in the low bits of @p mask. */
PRF_INLINE prf_vec prf_expand32(uint32_t mask) {
    prf_lanes bit;
    for (uint32_t l = 0; l < PRF_LANES32; l++) {
        bit[l] = 1u << l;
    }
    return (prf_vec)((((prf_lanes){0} + mask) & bit) == bit);
}

PRF_INLINE prf_vec prf_expand64(uint32_t mask) {
    prf_vec bit;
    for (uint32_t l = 0; l < PRF_WORDS; l++) {
        bit[l] = UINT64_C(1) << l;
    }
    return (prf_vec)((((prf_vec){0} + mask) & bit) == bit);
}

/** Lanes that start at word @p word of a row, as a vector mask. */
PRF_INLINE prf_vec prf_expand(uint64_t lanes, uint32_t word, uint32_t lane_bits) {
    if (lane_bits == 32) {
        return prf_expand32((uint32_t)(lanes >> (word * 2u)));
    }
    return prf_expand64((uint32_t)(lanes >> word));
}

/** The vector at word @p word of a record's row. */
PRF_INLINE prf_vec prf_load(const void *row, uint32_t word) {
    return *(const prf_vec_any *)(const void *)((const char *)row + (size_t)word * 8u);
}

/** The same of a row that ends before, zero beyond its end. */
PRF_INLINE prf_vec prf_load_end(const void *row, uint32_t word, uint32_t words) {
    prf_vec part = {0};
    memcpy(&part, (const char *)row + (size_t)word * 8u, (size_t)(words - word) * 8u);
    return part;
}

/** Words in whole vectors, of a row of @p words. */
PRF_INLINE uint32_t prf_whole(uint32_t words) {
    return words / PRF_WORDS * PRF_WORDS;
}

PRF_INLINE void prf_merge(uint64_t *to, prf_vec from, prf_vec lanes) {
    prf_vec *row = (prf_vec *)(void *)to;
    *row = (from & lanes) | (*row & ~lanes);
}

/** Write the lanes set in @p mask of a record's row into a row of the state. */
PRF_INLINE void prf_write(uint64_t *row, const void *data, uint64_t mask, uint32_t words,
                          uint32_t lane_bits) {
    const uint32_t whole = prf_whole(words);
    for (uint32_t w = 0; w < whole; w += PRF_WORDS) {
        prf_merge(row + w, prf_load(data, w), prf_expand(mask, w, lane_bits));
    }
    if (whole != words) {
        prf_merge(row + whole, prf_load_end(data, whole, words),
                  prf_expand(mask, whole, lane_bits));
    }
}

/** Bits in which a row of the state, which shows under @p mask, differs from a record's row,
 * gathered in one vector. */
PRF_INLINE prf_vec prf_differ_shown(const uint64_t *row, uint64_t mask, const void *got,
                                    uint32_t words) {
    const uint32_t whole = prf_whole(words);
    prf_vec diff = {0};
    for (uint32_t w = 0; w < whole; w += PRF_WORDS) {
        diff |= (*(const prf_vec *)(const void *)(row + w) & mask) ^ prf_load(got, w);
    }
    if (whole != words) {
        diff |= (*(const prf_vec *)(const void *)(row + whole) & mask) ^
                prf_load_end(got, whole, words);
    }
    return diff;
}

PRF_INLINE prf_vec prf_differ(const uint64_t *row, const void *got, uint32_t words) {
    return prf_differ_shown(row, ~UINT64_C(0), got, words);
}

/** Two words of a vector, counted beyond its end from its start. */
#define PRF_PAIR(v, word)                                                                          \
    __builtin_shufflevector(v, v, (word) % PRF_WORDS, ((word) + 1) % PRF_WORDS)

/** Is any bit of the vector set? */
PRF_INLINE uint64_t prf_any(prf_vec v) {
    const prf_pair any = PRF_PAIR(v, 0) | PRF_PAIR(v, 2) | PRF_PAIR(v, 4) | PRF_PAIR(v, 6);
    return any[0] | any[1];
}

/* ---- what is known of a row ----------------------------------------------------------------- */

static inline uint64_t prf_lane_care(uint64_t known, uint32_t word, uint32_t num_lanes,
                                     uint32_t lane_bits) {
    const uint32_t lanes = lane_bits == 64 ? 1u : 2u;
    const uint64_t lane = wlk_mask(lane_bits);
    uint64_t care = 0;
    for (uint32_t l = 0; l < lanes && word * lanes + l < num_lanes; l++) {
        care |= known >> (word * lanes + l) & 1u ? lane << (l * lane_bits) : 0u;
    }
    return care;
}

/** A row of the state in a record, with the care of its @p known lanes. */
static inline void prf_fill(const uint64_t *row, uint64_t known, uint32_t num_lanes,
                            uint32_t lane_bits, uint64_t *out, uint64_t *care, uint32_t words) {
    const uint64_t all = wlk_mask(num_lanes);
    if ((known & all) == all && num_lanes * lane_bits == words * 64u) {
        memcpy(out, row, words * sizeof *out);
        memset(care, 0xff, words * sizeof *care);
        return;
    }
    for (uint32_t w = 0; w < words; w++) {
        care[w] = prf_lane_care(known, w, num_lanes, lane_bits);
        out[w] = row[w] & care[w];
    }
}

/** Lanes of @p tmask that a record's row, @p x its unknown bits, has unknown. */
static inline uint64_t prf_unknown(const uint64_t *x, uint64_t tmask, uint32_t num_lanes,
                                   uint32_t lane_bits) {
    uint64_t lanes = 0;
    for (uint32_t lane = 0; lane < num_lanes; lane++) {
        const uint32_t bit = lane * lane_bits;
        const uint64_t unknown = x[bit / 64u] >> bit % 64u & wlk_mask(lane_bits);
        lanes |= (uint64_t)(unknown != 0) << lane;
    }
    return lanes & tmask;
}

#endif

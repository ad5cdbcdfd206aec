/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file prf.h
 * Banked physical register file: rows of lanes, per-lane write masks, and which lanes are known.
 * Spec: muon-issue §2 (SRAM, bank select).
 *
 * A *row* is the lanes of one register as record words (lane 0 lowest), padded to whole 64-byte
 * chunks. A row's *known* word has one bit a lane. The file stores registers in order; which bank
 * a register lies in decides nothing but conflicts, so it is computed, not stored.
 */
#ifndef WARPLOCK_PRF_H
#define WARPLOCK_PRF_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WLK_PRF_CHUNK_WORDS 8u /**< words of a chunk */

/** How registers map to banks. */
typedef enum wlk_prf_select {
    WLK_PRF_UPPER = 0, /**< upper bits: preg / (num_pregs / reg_banks); the RTL */
    WLK_PRF_MODULO = 1 /**< preg mod reg_banks; the document */
} wlk_prf_select;

/** Shape of a register file. */
typedef struct wlk_prf_shape {
    uint32_t num_pregs; /**< registers */
    uint32_t reg_banks; /**< banks, a divisor of num_pregs */
    uint32_t num_lanes; /**< lanes, 1..64 */
    uint32_t lane_bits; /**< bits of a lane, 32 or 64 */
    wlk_prf_select bank_select;
} wlk_prf_shape;

/** Words of a row in a record. */
static inline uint32_t wlk_prf_words(const wlk_prf_shape *s) {
    return (s->num_lanes * s->lane_bits + 63u) / 64u;
}

/** Words from one row to the next in memory. */
static inline uint32_t wlk_prf_stride(const wlk_prf_shape *s) {
    const uint32_t chunks = (wlk_prf_words(s) + WLK_PRF_CHUNK_WORDS - 1u) / WLK_PRF_CHUNK_WORDS;
    return chunks * WLK_PRF_CHUNK_WORDS;
}

/** Bank of a register. */
uint32_t wlk_prf_bank(const wlk_prf_shape *shape, uint32_t preg);

/** Row of a register inside its bank. */
uint32_t wlk_prf_row(const wlk_prf_shape *shape, uint32_t preg);

/** Registers that lie in the same bank cannot be read through one port in one cycle. */
bool wlk_prf_conflict(const wlk_prf_shape *shape, uint32_t a, uint32_t b);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Vortex's library in model C: priority encoder, arbiter and stream buffer. Rules: README.md
 * (vortex-issue §1, §4). */
#ifndef WLK_VORTEX_LIBRARY_H
#define WLK_VORTEX_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include "warplock/vortex.h"

/* Performance counters have 44 bits (§8). */
#define PERF_BITS ((UINT64_C(1) << 44) - 1u)

/* An arbiter of more inputs than LARGEST_ARBITER is a tree of arbiters of FANOUT (§4.6). */
enum { FANOUT = 8, FANOUT_BITS = 3, LARGEST_ARBITER = 12 };

static inline bool has(uint64_t set, uint32_t i) {
    return (set >> i & 1u) != 0;
}

/* A set, with @p i in it or not. */
static inline uint64_t with(uint64_t set, uint32_t i, bool is_in) {
    return (set & ~(UINT64_C(1) << i)) | (uint64_t)is_in << i;
}

/* The lowest member of a set that has one. */
static inline uint32_t lowest(uint64_t set) {
    return (uint32_t)__builtin_ctzll(set);
}

static inline void copy_instr(uint64_t *to, const uint64_t *from) {
    for (uint32_t word = 0; word < WLK_INSTR_WORDS; word++) {
        to[word] = from[word];
    }
}

static inline bool is_same_instr(const uint64_t *one, const uint64_t *other) {
    uint64_t differs = 0;
    for (uint32_t word = 0; word < WLK_INSTR_WORDS; word++) {
        differs |= one[word] ^ other[word];
    }
    return differs == 0;
}

/* §1.4 */
static inline uint32_t idx0(uint32_t n) {
    const bool is_power_of_2 = n != 0 && (n & (n - 1u)) == 0;
    return is_power_of_2 ? n - 1u : 0;
}

/* §4.5: the request at the pointer, else the lowest. */
static inline uint32_t cyclic(uint64_t requests, uint32_t pointer, uint32_t n) {
    const uint32_t other = requests != 0 ? lowest(requests) : idx0(n);
    return has(requests, pointer) ? pointer : other;
}

static inline uint8_t cyclic_next(uint32_t granted, uint32_t n) {
    return (uint8_t)(granted + 1u == n ? 0 : granted + 1u);
}

/* §4.6: the slices of a tree of n inputs; 0: one arbiter takes all. */
static inline uint32_t slices_of(uint32_t n) {
    return n > LARGEST_ARBITER ? (n + FANOUT - 1u) / FANOUT : 0;
}

static inline uint32_t slice_inputs(uint32_t n, uint32_t slice) {
    const uint32_t left = n - slice * FANOUT;
    return left < FANOUT ? left : FANOUT;
}

/* §4.2 with an output register: may its contents change? Then they become what comes in or, if it
 * is not ready, the spare entry. */
static inline bool stream_moves(const wlk_vx_stream *s, bool ready_out) {
    return ready_out | !s->valid;
}

/* Its handshake at the edge, outside of reset. */
static inline void stream_edge(wlk_vx_stream *s, bool valid_in, bool moves) {
    const bool is_ready = s->ready;
    s->ready = moves | (is_ready & !valid_in);
    s->valid = moves ? valid_in | !is_ready : s->valid;
}

static inline void stream_clear(wlk_vx_stream *s) {
    s->ready = true;
    s->valid = false;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Vortex's library at the ports: stream buffer, arbiters. Spec: vortex-issue §1, §4. */
#ifndef WLK_VORTEX_STREAM_H
#define WLK_VORTEX_STREAM_H

#include <string.h>

#include "frame/bits.h"
#include "warplock/vortex.h"

#define VX_INLINE static inline __attribute__((always_inline))

/* Words of the widest vector that shifts each word by its own count. */
#if defined(__AVX2__)
enum { VX_VECTOR_WORDS = 4 };
#else
enum { VX_VECTOR_WORDS = 1 };
#endif

/* Performance counters have 44 bits (§8). */
#define VX_COUNTER ((UINT64_C(1) << 44) - 1u)

/* More inputs than these are a tree of arbiters of eight (§4.6). */
enum { VX_FANOUT = 8, VX_FANOUT_BITS = 3, VX_LARGEST_ARBITER = 12 };

/* What an LSB-first priority encoder of n inputs shows when none is set: IDX0 of §1. */
static inline uint32_t vx_idle_index(uint32_t n) {
    const bool pow2 = (n & (n - 1u)) == 0;
    return n > 1 && pow2 ? n - 1u : 0u;
}

/* The arbiters of a tree; none where one arbiter takes all. */
static inline uint32_t vx_slices(uint32_t n) {
    return n > VX_LARGEST_ARBITER ? (n + VX_FANOUT - 1u) / VX_FANOUT : 0u;
}

/* Inputs of one of them. */
static inline uint32_t vx_slice_inputs(uint32_t n, uint32_t slice) {
    return wlk_min(n - slice * VX_FANOUT, VX_FANOUT);
}

/* ---- stream buffer of two entries, SIZE 2 (§4.2) ----------------------------------------------
 */

/* A cycle of it. */
typedef struct vx_flow {
    uint32_t fire; /* takes what comes in */
    uint32_t flow; /* its output may change */
} vx_flow;

static inline vx_flow vx_stream_flow(const wlk_vx_stream *s, uint32_t valid, uint32_t ready_out) {
    const uint32_t flow = ready_out | bit_not(s->valid);
    return (vx_flow){.fire = valid & s->ready, .flow = flow};
}

static inline void vx_stream_edge(wlk_vx_stream *s, uint32_t valid, vx_flow f, uint32_t reset) {
    const uint32_t ready = s->ready;
    const uint32_t shown = f.flow != 0 ? valid | bit_not(ready) : s->valid;
    s->ready = (uint8_t)(f.flow | (ready & bit_not(valid)) | reset);
    s->valid = (uint8_t)(shown & bit_not(reset));
}

/* ---- arbiters (§4.5) --------------------------------------------------------------------------
 */

/* Cyclic: the one at the pointer, else the lowest of all. */
static inline uint32_t vx_cyclic(uint64_t requests, uint32_t pointer, uint32_t n) {
    if ((requests >> pointer & 1u) != 0) {
        return pointer;
    }
    return requests != 0 ? (uint32_t)__builtin_ctzll(requests) : vx_idle_index(n);
}

static inline uint32_t vx_cyclic_next(uint32_t winner, uint32_t n) {
    return winner + 1 == n ? 0u : winner + 1u;
}

/* Priority, sticky: @p owner (one-hot) while it asks, else the lowest. */
static inline uint32_t vx_sticky(uint32_t requests, uint32_t owner, uint32_t n) {
    const uint32_t kept = requests & owner;
    if (requests == 0) {
        return vx_idle_index(n);
    }
    return set_lowest(kept != 0 ? kept : requests);
}

#endif

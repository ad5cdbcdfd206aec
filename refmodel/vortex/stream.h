/* SPDX-License-Identifier: Apache-2.0 */
/* Vortex's library at the ports: stream buffer, arbiters. Spec: vortex-issue §1, §4. */
#ifndef WLK_VORTEX_STREAM_H
#define WLK_VORTEX_STREAM_H

#include <string.h>

#include "frame/bits.h"
#include "vortex/library.h"
#include "warplock/vortex.h"

#define VX_INLINE static inline __attribute__((always_inline))

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

/* Priority, sticky: @p owner (one-hot) while it asks, else the lowest. */
static inline uint32_t vx_sticky(uint32_t requests, uint32_t owner, uint32_t n) {
    const uint32_t kept = requests & owner;
    if (requests == 0) {
        return idx0(n);
    }
    return set_lowest(kept != 0 ? kept : requests);
}

#endif

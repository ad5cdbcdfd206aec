/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file vortex_operands.h
 * The operand collectors of an issue slice of Vortex. Spec: vortex-issue §7; table:
 * refmodel/vortex/vortex_operands/block.toml. The functions are generated
 * (warplock/vortex_operands_ports.h).
 */
#ifndef WARPLOCK_VORTEX_OPERANDS_H
#define WARPLOCK_VORTEX_OPERANDS_H

#include "warplock/vortex.h"
#include "warplock/vortex_operands_ports.h"

WLK_BEGIN_DECLS

#define WLK_VX_COLLECTORS 16u
#define WLK_VX_SLICES     2u /**< arbiters of a tree, of eight collectors each */
#define WLK_VX_PACKETS    (3u * WLK_VX_COLLECTORS + 2u * (WLK_VX_SLICES + 1u))

/** State. The arbiters are those of the slices, then the last one. */
struct wlk_vortex_operands_state {
    wlk_vx_collector opc[WLK_VX_COLLECTORS];
    wlk_vx_buffer out[WLK_VX_SLICES + 1u]; /**< of the arbiters */
    uint32_t prev[WLK_VX_SLICES + 1u];     /**< one-hot: the input of each that was granted last */
    uint64_t stalls; /**< the sum of the collectors' counters (§8), of which only this is seen */
    uint64_t shown_stalls; /**< the same, a cycle later */
    uint32_t in_packet;    /**< not in the RTL: 1 + the collector whose packets are on (coverage) */
    /** Of each collector that there is the one in stage 2 and two in its buffer; then two of each
     * arbiter's. */
    wlk_vx_packet packet[WLK_VX_PACKETS];
};

WLK_END_DECLS
#endif

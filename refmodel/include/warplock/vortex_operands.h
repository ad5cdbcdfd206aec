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

/** State; only the first wlk_vortex_operands_state_size() bytes are used. */
struct wlk_vortex_operands_state {
    wlk_vx_shape shape; /**< kept here, as a step would need divisions for it */
    uint8_t reset_seen;
    uint8_t settled; /**< all of it is known, and stays so: a step need not look */
    wlk_vx_late late;
    uint64_t stalls;                    /**< of all collectors, a cycle later */
    uint32_t owner[WLK_VX_SLICES + 1u]; /**< one-hot, of each arbiter: the last one granted */
    uint32_t in_packet;                 /**< 1 + the collector whose packets are on (coverage) */
    wlk_vx_buffer slice[WLK_VX_SLICES], out;
    wlk_vx_collector opc[WLK_VX_COLLECTORS];
    /** Behind the collectors there are: rows of each one's banks, then lanes known. */
    uint64_t ram[WLK_VX_RAM_WORDS];
};

WLK_END_DECLS
#endif

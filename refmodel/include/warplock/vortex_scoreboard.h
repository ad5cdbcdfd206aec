/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file vortex_scoreboard.h
 * Vortex's scoreboard of an issue slice. Spec: vortex-issue §5, §8; table:
 * refmodel/vortex/vortex_scoreboard/block.toml. The functions are generated
 * (warplock/vortex_scoreboard_ports.h).
 */
#ifndef WARPLOCK_VORTEX_SCOREBOARD_H
#define WARPLOCK_VORTEX_SCOREBOARD_H

#include "warplock/block.h"
#include "warplock/vortex.h"
#include "warplock/vortex_scoreboard_ports.h"

WLK_BEGIN_DECLS

#define WLK_VXSB_WARPS  64u
#define WLK_VXSB_SLICES 8u      /**< arbiters of a tree, of eight warps each */
#define WLK_VXSB_DELAY  8u      /**< registers after the look-up of the unit counters, at most */
#define WLK_VXSB_STALLS 100000u /**< cycles that no staged instruction may wait */
#define WLK_VXSB_UNITS  7u /**< unit counters: ex_type 0 to 4, CSR access, other SFU operation */

/** An instruction and the number of its warp; in a slice's buffer, of the warp in the slice. */
typedef struct wlk_vxsb_entry {
    uint64_t instr[WLK_INSTR_WORDS];
    uint8_t wis;
} wlk_vxsb_entry;

/** A stream buffer with output register (§4.2). */
typedef struct wlk_vxsb_buffer {
    wlk_vx_stream s;
    wlk_vxsb_entry out, spare;
} wlk_vxsb_buffer;

/** A warp. In a set of registers bit r is register r. */
typedef struct wlk_vxsb_warp {
    uint64_t instr[WLK_INSTR_WORDS]; /**< sd: the staged instruction */
    uint64_t inuse;                  /**< registers */
    /** Of integer registers, for the counters: bit i of ex_type of the instruction that writes one
     * (§8), and whether, of the SFU, its operation is no CSR access. */
    uint32_t unit[3], other;
    uint32_t waited; /**< not in the RTL: cycles that the instruction has waited, for the rules */
} wlk_vxsb_warp;

/** State. In a set of warps bit w is warp w. */
struct wlk_vortex_scoreboard_state {
    uint64_t staged; /**< sv: warps with a staged instruction */
    uint64_t ready;  /**< rdy: warps */
    wlk_vxsb_warp warp[WLK_VXSB_WARPS];
    wlk_vxsb_buffer slice[WLK_VXSB_SLICES]; /**< of the tree, in front of the last arbiter */
    wlk_vxsb_buffer out;
    uint8_t pointer[WLK_VXSB_SLICES + 1u]; /**< of the arbiters: those of the slices, the last */
    uint8_t marks[WLK_VXSB_DELAY];         /**< sets of unit counters, on their way to them */
    uint64_t stalls, uses[WLK_VXSB_UNITS]; /**< counters (§8) */
};

WLK_END_DECLS
#endif

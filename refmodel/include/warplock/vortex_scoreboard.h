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
#define WLK_VXSB_DELAY  8u      /**< registers behind the look-up of the counters, at most */
#define WLK_VXSB_STALLS 100000u /**< cycles that no staged instruction may wait */
#define WLK_VXSB_UNITS  7u      /**< counters: ex_type 0..4, then CSR and the rest of the sfu */

/** An instruction, and the warp that its arbiters chose: in a slice's buffer the place in the
 * slice. */
typedef struct wlk_vxsb_entry {
    uint64_t instr[WLK_INSTR_WORDS];
    uint8_t wis;
    uint8_t known;     /**< loaded from something known */
    uint8_t wis_known; /**< the warp is */
} WLK_ALIGN64 wlk_vxsb_entry;

/** A stream buffer with its two entries. */
typedef struct wlk_vxsb_buffer {
    wlk_vx_stream s;
    wlk_vxsb_entry out, spare;
} wlk_vxsb_buffer;

/** State: the RTL's registers, bit w of a mask for warp w, then facts about them. */
struct wlk_vortex_scoreboard_state {
    uint64_t inuse[WLK_VXSB_WARPS] WLK_ALIGN64; /**< bit r: register r is reserved */
    wlk_vxsb_entry staging[WLK_VXSB_WARPS];
    uint64_t need[WLK_VXSB_WARPS];          /**< registers that the staged instruction needs */
    uint64_t dest[WLK_VXSB_WARPS];          /**< the one of them that it writes */
    wlk_vxsb_buffer slice[WLK_VXSB_SLICES]; /**< of the tree, in front of the last arbiter */
    wlk_vxsb_buffer out;
    uint64_t stalled[WLK_VXSB_WARPS]; /**< cycles that the staged instruction has waited (rules) */
    uint64_t overdue;                 /**< it has waited for too long (rules) */
    uint64_t staged;                  /**< an instruction is in the warp's staging register */
    uint64_t ready;                   /**< its registers are free */
    uint64_t stalls, uses[WLK_VXSB_UNITS]; /**< performance counters, 44 bits */
    /* facts: */
    uint64_t
        unit_known[WLK_VXSB_WARPS]; /**< bit r: an instruction has written the entry of `unit` */
    uint64_t staged_known, ready_known;   /**< of a start without the reset: of which warps */
    uint64_t inuse_known[WLK_VXSB_WARPS]; /**< the same: of which registers */
    /* registers: */
    uint8_t
        pointer[WLK_VXSB_SLICES + 1u]; /**< of the arbiters: those of the slices, the last one */
    uint8_t marks[WLK_VXSB_DELAY];     /**< units to count, on their way; bits as in `uses` */
    uint8_t unit[WLK_VXSB_WARPS][64];  /**< bits of `uses` that the writer of a register marks */
    /* facts: */
    uint8_t late;                       /**< a start without the reset */
    uint8_t late_flops;                 /**< which flops are known then */
    uint8_t marks_open[WLK_VXSB_DELAY]; /**< bits of `marks` that may be set */
    uint8_t uses_known;                 /**< bits of the counters that are known */
    uint8_t reset_seen;
    uint8_t settled; /**< all of it is known, and stays so: a step need not look */
};

WLK_END_DECLS
#endif

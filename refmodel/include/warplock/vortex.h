/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file vortex.h
 * Parts of Vortex's blocks that several of them hold. Spec: vortex-issue §4, §6.
 */
#ifndef WARPLOCK_VORTEX_H
#define WARPLOCK_VORTEX_H

#include <stdbool.h>
#include <stdint.h>

#include "warplock/block.h"
#include "warplock/vortex_scoreboard_ports.h"

WLK_BEGIN_DECLS

/** Handshake of a stream buffer of two entries (§4.2); its data lies with the block. */
typedef struct wlk_vx_stream {
    uint8_t ready; /**< it takes an entry: a register */
    uint8_t valid; /**< its output holds one */
} wlk_vx_stream;

/** Handshake of an elastic buffer (§4.4): a stream buffer, and up to two pipe stages after it. */
typedef struct wlk_vx_buffer {
    wlk_vx_stream s;
    bool valid[2]; /**< of the pipe stages */
} wlk_vx_buffer;

/** A packet on its way through a collector, without its operands. */
typedef struct wlk_vx_packet {
    uint64_t instr[WLK_INSTR_WORDS];
    uint32_t tmask; /**< a set of lanes */
    uint8_t wis, sid;
    bool sop, eop;
    /** Not in the RTL: the operands, as a set, that are not what their registers hold now, or may
     * not be. Used after a start without reset. */
    uint8_t stale;
} wlk_vx_packet;

#define WLK_VX_BANKS   32u
#define WLK_VX_ENTRIES 5u /**< packets of a collector: in stage 2 and in its output buffer */

/** A collector (§6); its register file and operands lie behind the state. */
typedef struct wlk_vx_collector {
    uint8_t fetched;     /**< a set of operands */
    bool first;          /**< no packet of the instruction has left the request stage */
    uint32_t sent;       /**< a set of packets: those that have */
    bool v1, coll1, v2;  /**< of the stages */
    wlk_vx_packet one;   /**< in stage 1 */
    uint32_t rdv1, rdv2; /**< sets of banks: those that deliver an operand to the stage */
    uint8_t opd1[WLK_VX_BANKS], opd2[WLK_VX_BANKS]; /**< which */
    wlk_vx_buffer out;
} wlk_vx_collector;

WLK_END_DECLS
#endif

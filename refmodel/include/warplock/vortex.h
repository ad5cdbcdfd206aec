/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file vortex.h
 * Parts of Vortex's blocks that several of them hold. Spec: vortex-issue §4, §6.
 */
#ifndef WARPLOCK_VORTEX_H
#define WARPLOCK_VORTEX_H

#include <stdint.h>

#include "warplock/block.h"

WLK_BEGIN_DECLS

/** What follows from the configuration of a block with collectors (vortex-issue §6). */
typedef struct wlk_vx_shape {
    uint32_t simd, packets, banks, bank_bits, registers;
    uint32_t words;     /**< of an operand's row */
    uint32_t warps;     /**< of a collector */
    uint32_t wis_shift; /**< of the part of wis that is in the address */
    uint32_t rows;      /**< of a bank */
    uint32_t bank_rows; /**< a warp's registers in a bank */
    uint32_t lanes;     /**< all of a packet, as a mask */
    uint32_t cleared;   /**< reset clears the register file */
} wlk_vx_shape;

#define WLK_VX_BANKS        32u
#define WLK_VX_ROW_WORDS    32u /**< widest row: 32 lanes of 64 bits */
#define WLK_VX_PACKET_WORDS 5u  /**< control words of a packet, as a record has them */
/** Register files: 64 registers of 64 warps of 32 threads; and of each row the lanes known. */
#define WLK_VX_RAM_WORDS (64u * 64u * 32u * 3u / 2u)

/** Handshake of a stream buffer of two entries (§4.2); its data lies with the block. */
typedef struct wlk_vx_stream {
    uint8_t ready; /**< it takes an entry: a register */
    uint8_t valid; /**< its output holds one */
} wlk_vx_stream;

/** A packet on its way out. Rows lie one behind the other, as long as the configuration's. */
typedef struct wlk_vx_packet {
    uint64_t meta[WLK_VX_PACKET_WORDS];
    uint32_t lanes[3]; /**< lanes of each operand that are known */
    uint8_t known;     /**< the rest is */
    uint64_t rows[3u * WLK_VX_ROW_WORDS];
} wlk_vx_packet;

/** An elastic buffer (§4.4): a stream buffer, behind it up to two pipe stages. */
typedef struct wlk_vx_buffer {
    wlk_vx_stream s;
    uint8_t valid[2]; /**< of the pipe stages */
    wlk_vx_packet out, spare, pipe[2];
} wlk_vx_buffer;

/** A pipe stage of the collector: which bank delivers which operand. */
typedef struct wlk_vx_stage {
    uint8_t valid;
    uint8_t known;       /**< loaded since reset */
    uint8_t conflict;    /**< more rounds follow (stage 1) */
    uint32_t reads;      /**< bit b: bank b delivers an operand */
    uint32_t operand[2]; /**< which: bit b of the low and of the high bit of its number */
    uint32_t row[3];     /**< of each operand in its bank (stage 1) */
    uint32_t warp_row;   /**< first row of the packet's registers in a bank (stage 1) */
    uint64_t meta[WLK_VX_PACKET_WORDS];
} wlk_vx_stage;

/** A collector (§6) without its register file. */
typedef struct wlk_vx_collector {
    uint8_t fetched; /**< operands of the packet that were asked for */
    uint8_t first;   /**< no packet of the instruction was passed yet */
    uint32_t sent;   /**< packets that were */
    wlk_vx_stage stage[2];
    uint64_t stalls;                          /**< performance counter, 44 bits */
    uint32_t gathered_lanes[3];               /**< lanes that are known */
    uint64_t gathered[3u * WLK_VX_ROW_WORDS]; /**< operands of rounds with a conflict */
    uint32_t read_lanes[WLK_VX_BANKS];
    uint64_t read[WLK_VX_BANKS * WLK_VX_ROW_WORDS]; /**< what each bank delivers */
    wlk_vx_buffer out;
} wlk_vx_collector;

WLK_END_DECLS
#endif

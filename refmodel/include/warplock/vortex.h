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
    uint32_t last_warp; /**< of the slice; where it is the only one no number is beyond it */
    uint32_t wis_shift; /**< of the part of wis that is in the address */
    uint32_t rows;      /**< of a bank */
    uint32_t row_mask;  /**< of a row of any bank, where they are a power of two; else all ones */
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

/** What a packet shows besides its operands, and what is known of it: a line, moved as one. */
typedef struct wlk_vx_head {
    uint64_t meta[WLK_VX_PACKET_WORDS];
    uint32_t lanes[3]; /**< lanes of each operand that are known */
    uint32_t known;    /**< the rest is */
    uint16_t from[3];  /**< where tracked: 1 + the row that an operand was read from; or 0 */
} WLK_ALIGN64 wlk_vx_head;

/** A packet on its way out. Rows lie one behind the other, as long as the configuration's. */
typedef struct wlk_vx_packet {
    wlk_vx_head head;
    uint64_t rows[3u * WLK_VX_ROW_WORDS];
} wlk_vx_packet;

/** An elastic buffer (§4.4): a stream buffer, behind it up to two pipe stages. */
typedef struct wlk_vx_buffer {
    wlk_vx_stream s;
    uint8_t valid[2];       /**< of the pipe stages */
    wlk_vx_packet entry[4]; /**< output register, spare entry, the pipe stages */
} wlk_vx_buffer;

/** Rows of a collector: operands of rounds with a conflict, one for what nothing reads, then what
 * each bank delivers, by default a line. */
#define WLK_VX_BANK_ROW 4u
#define WLK_VX_ROWS     (WLK_VX_BANK_ROW + WLK_VX_BANKS)

/**
 * A pipe stage of the collector: where each operand comes from. Its head is `known` once it was
 * loaded since reset.
 */
typedef struct wlk_vx_stage {
    wlk_vx_head head;
    uint32_t source; /**< byte i: of operand i, twice its place in the collector's rows */
    uint8_t valid;
    uint8_t conflict; /**< more rounds follow (stage 1) */
    /** Rows of the register file (stage 1): the first operand's, but of bank 0; the others'. */
    uint32_t at[3];
} wlk_vx_stage;

/** A collector (§6) without its register file. */
typedef struct wlk_vx_collector {
    uint16_t fetched;            /**< operands of the packet asked for, as bits 2, 8 and 5 */
    uint8_t first;               /**< no packet of the instruction was passed yet */
    uint8_t tracks;              /**< started without reset: rows are learned from operands */
    uint8_t ram_known;           /**< nothing in the register file is unknown */
    uint32_t sent;               /**< packets that were */
    uint64_t stalls;             /**< performance counter, 44 bits */
    uint32_t lanes[WLK_VX_ROWS]; /**< of each row, lanes that are known */
    uint16_t from[WLK_VX_ROWS];  /**< of each row, as of a packet */
    wlk_vx_stage stage[3];       /**< the last: what a stage that stays does not take */
    uint64_t rows[WLK_VX_ROWS * WLK_VX_ROW_WORDS] WLK_ALIGN64;
    wlk_vx_buffer out;
} wlk_vx_collector;

#define WLK_VX_PAST     3u  /**< cycles kept of a start without the reset */
#define WLK_VX_IN_WORDS 16u /**< control words of their inputs, at most */

/** What is seen of a block with collectors whose start was without its reset. */
typedef struct wlk_vx_late {
    uint8_t late;
    uint8_t no_packet;   /**< cycles without one at the output, this one included */
    uint8_t owner_known; /**< a packet was shown, so that the last one granted is known */
    uint32_t owner;      /**< its collector, one-hot */
    uint32_t idle;       /**< collectors that have taken their last instruction whole */
    /** Of the cycles before this one, the last one first: `idle`, and the inputs. */
    uint32_t past_idle[WLK_VX_PAST];
    uint64_t past_in[WLK_VX_PAST][WLK_VX_IN_WORDS];
} wlk_vx_late;

WLK_END_DECLS
#endif

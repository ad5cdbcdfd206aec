/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file opndcoll_rtl.h
 * GPGPU-Sim's operand collector as a block: what RTL shows of it clock by clock, around the calls
 * of opndcoll.h. Spec: gpgpusim-opndcoll; table: refmodel/gpgpusim/opndcoll/block.toml. The
 * functions are generated (warplock/opndcoll_ports.h).
 *
 * A clock is one step (§6). Before it come write-backs in index order (§7) and one take a pipe
 * kind (§5), after it issues in port order (§5).
 */
#ifndef WARPLOCK_OPNDCOLL_RTL_H
#define WARPLOCK_OPNDCOLL_RTL_H

#include "warplock/block.h"
#include "warplock/opndcoll.h"
#include "warplock/opndcoll_ports.h"

WLK_BEGIN_DECLS

enum {
    /** Registers that rotate: `pri`, `last` of each dispatch unit, the first kind of each port. */
    WLK_OPNDCOLL_RTL_POINTERS =
        1 + (int)WLK_OPNDCOLL_RTL_MAX_OUT_PORTS + (int)WLK_OPNDCOLL_RTL_MAX_IN_PORTS
};

/** What is known of a state from a start without the reset (wlk_block.late). */
typedef struct wlk_opndcoll_rtl_late {
    uint8_t stage; /**< 0: there was no such start */
    /** Of `uid`: 0 = it counts from where the model began, 1 = assumed, 2 = shown. */
    uint8_t uid_known;
    uint8_t straight;                              /**< it is assumed not to wrap in this clock */
    uint8_t empty[WLK_OPNDCOLL_RTL_MAX_NUM_KINDS]; /**< slots of OC_EX seen to be empty */
    uint64_t possible[WLK_OPNDCOLL_RTL_POINTERS];  /**< values; the model has the lowest */
} wlk_opndcoll_rtl_late;

/**
 * State: this head, then the model and, with `data`, operands and the register file, found by their
 * distance from the head. A copy of wlk_opndcoll_rtl_state_size() bytes is a snapshot.
 */
struct wlk_opndcoll_rtl_state {
    uint8_t reset_seen; /**< an edge in reset has defined all but the register file */
    uint8_t stored[WLK_OPNDCOLL_RTL_MAX_NUM_WB]; /**< destinations that the last edge stored */
    uint32_t uid;                                /**< of the last instruction issued */
    wlk_layout layout;                           /**< constant: where payloads are */
    uint32_t at_model, model_size;               /**< [bytes] */
    /* With `data`, words: a unit's operands, those of a slot of OC_EX, registers of a warp. */
    uint32_t at_units, at_ex, at_file;
    /* Bytes, 1 = that word is known. */
    uint32_t at_units_known, at_ex_known, at_file_known;
    /* 16 bits: 1 + the register that still holds that operand, 0: none; for a late start. */
    uint32_t at_units_from, at_ex_from;
    wlk_opndcoll_rtl_late late;
};

/** The collector inside, as it is between two clocks. */
static inline const wlk_opndcoll *wlk_opndcoll_rtl_model(const wlk_opndcoll_rtl_state *state) {
    return (const wlk_opndcoll *)(const void *)((const char *)state + state->at_model);
}

WLK_END_DECLS
#endif

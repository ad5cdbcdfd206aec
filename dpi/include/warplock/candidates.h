/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file candidates.h
 * The candidate states of a model. One, until a cycle can go several ways because state that no
 * reset reaches is unknown; then one for each way, until what is seen contradicts all but one of
 * them or they meet again.
 */
#ifndef WARPLOCK_CANDIDATES_H
#define WARPLOCK_CANDIDATES_H

#include "warplock/block.h"

WLK_BEGIN_DECLS

#define WLK_MAX_CANDIDATES 1024u

typedef struct wlk_candidates {
    const wlk_block *block;
    const uint32_t *cfg; /**< the owner's */
    size_t size;         /**< bytes of a state */
    uint32_t n, room;
    bool left_out; /**< ways were, since the owner cleared this */
    void **states; /**< the first n are in use */
} wlk_candidates;

/** Memory for a state of @p block, for free(); NULL: there is none. */
void *wlk_state_new(const wlk_block *block, const uint32_t *cfg);

/** NO_MEMORY leaves nothing behind. */
wlk_status wlk_candidates_open(wlk_candidates *w, const wlk_block *block, const uint32_t *cfg);
void wlk_candidates_close(wlk_candidates *w);

/** Back to one candidate, at power-up. */
void wlk_candidates_init(wlk_candidates *w, wlk_power_up power_up);

/** Back to one candidate, of which nothing is known (wlk_block::late). */
void wlk_candidates_late(wlk_candidates *w);

/** As wlk_block::learn, in every candidate. */
void wlk_candidates_learn(wlk_candidates *w, const wlk_sight *seen);

/**
 * Before a cycle is looked at: one for each way it can go. Without memory, or beyond
 * WLK_MAX_CANDIDATES, some ways are left out: that can only add a mismatch, never hide one. A state
 * of a block that joins its outcomes stays one instead, and then nothing is left out.
 */
void wlk_candidates_fork(wlk_candidates *w, const uint64_t *in);

/** Make candidate @p i the first one. */
void wlk_candidates_prefer(wlk_candidates *w, uint32_t i);

/** Exactly these: @p n states one behind the other. False, and nothing changes: no memory. */
bool wlk_candidates_take(wlk_candidates *w, const void *states, uint32_t n);

/** Drop candidate @p i; another one takes its place. */
void wlk_candidates_drop(wlk_candidates *w, uint32_t i);

/** As wlk_block::clear, in every candidate. Equal candidates become one. */
void wlk_candidates_clear(wlk_candidates *w);

/**
 * The edge in every candidate; @p info has the events of the first, and the rules that are broken
 * in all of them. Equal candidates become one.
 */
void wlk_candidates_tick(wlk_candidates *w, const uint64_t *in, wlk_step_info *info);

/** The same where payload bits in @p x are unknown. NULL: none is. */
void wlk_candidates_tick_unknown(wlk_candidates *w, const uint64_t *in, const uint64_t *x,
                                 wlk_step_info *info);

/**
 * A whole record: fork, outputs and care on which all candidates agree, edge. @p other: scratch of
 * two output records.
 */
void wlk_candidates_record(wlk_candidates *w, const uint64_t *in, uint64_t *out, uint64_t *care,
                           uint32_t out_words, uint64_t *other, wlk_step_info *info);

/**
 * @p n records one behind the other, as wlk_candidates_record each: rows of the layout's words.
 *
 * @param broken the protocol rules that each cycle breaks, or NULL
 */
void wlk_candidates_run(wlk_candidates *w, const wlk_layout *layout, uint64_t n, const uint64_t *in,
                        uint64_t *out, uint64_t *care, uint32_t *broken, uint64_t *other);

WLK_END_DECLS
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file worlds.h
 * The states a model may be in. One, until a cycle can go several ways because state that no reset
 * reaches is unknown; then one for each way, until what is seen contradicts all but one of them or
 * they meet again.
 */
#ifndef WARPLOCK_WORLDS_H
#define WARPLOCK_WORLDS_H

#include "warplock/block.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WLK_MAX_WORLDS 1024u

typedef struct wlk_worlds {
    const wlk_block *block;
    const uint32_t *cfg; /**< the owner's */
    size_t size;         /**< bytes of a state */
    uint32_t n, room;
    void **states; /**< the first n are in use */
} wlk_worlds;

/** NO_MEMORY leaves nothing behind. */
wlk_status wlk_worlds_open(wlk_worlds *w, const wlk_block *block, const uint32_t *cfg);
void wlk_worlds_close(wlk_worlds *w);

/** Back to one world, at power-up. */
void wlk_worlds_init(wlk_worlds *w, wlk_power_up power_up);

/**
 * Before a cycle is looked at: one world for each way it can go. Without memory, or beyond
 * WLK_MAX_WORLDS, some ways are left out: that can only add a mismatch, never hide one.
 */
void wlk_worlds_fork(wlk_worlds *w, const uint64_t *in);

/** Make world @p i the first one. */
void wlk_worlds_prefer(wlk_worlds *w, uint32_t i);

/** Drop world @p i; another one takes its place. */
void wlk_worlds_drop(wlk_worlds *w, uint32_t i);

/** The edge in every world; what it tells is told of the first. Equal worlds become one. */
void wlk_worlds_tick(wlk_worlds *w, const uint64_t *in, wlk_step_info *info);

/**
 * A whole record: fork, outputs and care on which all worlds agree, edge. @p other: scratch of two
 * output records.
 */
void wlk_worlds_record(wlk_worlds *w, const uint64_t *in, uint64_t *out, uint64_t *care,
                       uint32_t out_words, uint64_t *other, wlk_step_info *info);

/** As wlk_block::forget, in every world. */
void wlk_worlds_forget(wlk_worlds *w, const uint64_t *in, const uint64_t *x);

#ifdef __cplusplus
}
#endif
#endif

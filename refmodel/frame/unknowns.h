/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model over state of which only some bits are known: what scripts/wlk/model/open_state.py
 * generates from a model of structs.h.
 */
#ifndef WLK_FRAME_UNKNOWNS_H
#define WLK_FRAME_UNKNOWNS_H

#include "frame/partly.h"

/* What stands in a state for a bit that is unknown: FILL_KEEP, what does already. */
typedef enum wlk_fill { FILL_ZEROS, FILL_ONES, FILL_KEEP } wlk_fill;

/* Outputs, the next cycle's where they are asked for, their bits that are known, and those that
 * there are in any cycle. */
typedef struct wlk_seen {
    const void *out, *next, *known, *next_known, *there;
} wlk_seen;

typedef void wlk_learn(const uint32_t *cfg, wlk_num *st, wlk_rams *rams, const void *in,
                       const wlk_seen *seen);

/* `st`: the numbers of the state; `rams`: its memories, NULL if it has none; other pointers are to
 * the structs that the block's model sees. */
typedef struct wlk_unknowns {
    /* Nothing is known. */
    void (*start)(wlk_num *st);
    /* To a state that it may be. */
    void (*lower)(const wlk_num *st, wlk_fill fill, void *state);
    void (*outputs)(const uint32_t *cfg, const wlk_num *st, wlk_rams *rams, const void *in,
                    void *out, void *care);
    /* @p x: bits of the inputs that are unknown, or NULL. */
    void (*edge)(const uint32_t *cfg, wlk_num *st, wlk_rams *rams, const void *in, const void *x);
    void (*clear)(const uint32_t *cfg, wlk_num *st, wlk_rams *rams);
    /* Rules that are broken whatever is unknown; NULL as in own_calls. */
    uint32_t (*broken)(const uint32_t *cfg, const wlk_num *st, wlk_rams *rams, const void *in);
    wlk_learn *learn, *learn_next, *learn_by_next, *learn_rows;
    /* Value k of the members that .follow assigns: is there one? NULL as in own_calls. */
    bool (*follow)(const uint32_t *cfg, wlk_num *st, wlk_rams *rams, uint32_t k);
    /* Supposition k of a cycle: is there one? NULL as in own_calls. */
    bool (*suppose)(const uint32_t *cfg, wlk_num *st, wlk_rams *rams, const void *in, uint32_t k);
    /* From a state of which all is known. */
    void (*raise)(const void *state, wlk_num *st);
} wlk_unknowns;

#endif

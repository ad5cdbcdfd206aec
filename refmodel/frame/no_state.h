/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model by structs whose block has no state. Its source includes this in place of structs.h, and
 * defines `outputs` alone. Everything is compared from the first cycle on.
 */
#ifndef WLK_FRAME_NO_STATE_H
#define WLK_FRAME_NO_STATE_H

#include "frame/model.h"

struct NAMED(state) {
    char none; /* never read: an allocation of 0 bytes may return NULL */
};

#define HAS_STATE false

#include "frame/structs.h"

static inline void edge(const cfg_t *cfg, state_t *st, const in_t *in) {
    (void)cfg, (void)st, (void)in;
}

static inline void clear(const cfg_t *cfg, state_t *st) {
    (void)cfg, (void)st;
}

#endif

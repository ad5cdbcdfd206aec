/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the block that MODEL and MODEL_CAPS say, and values that reports show. */
#ifndef WLK_FRAME_NAMES_H
#define WLK_FRAME_NAMES_H

#include "warplock/block.h"

#define PASTE3_(a, b, c) a##b##c
#define PASTE3(a, b, c)  PASTE3_(a, b, c)
#define NAMED(rest)      PASTE3(wlk_, MODEL, _##rest)
#define CAPS(rest)       PASTE3(WLK_, MODEL_CAPS, _##rest)
#define EVENT(point)     (UINT64_C(1) << CAPS(EV_##point))

/* A value of the state as `visit` shows it. */
typedef struct flop {
    const char *name;
    uint64_t value, known;
    wlk_notation notation;
} flop;

static inline void visit_flops(const flop *list, size_t n, int32_t index,
                               wlk_state_visitor *visitor, void *ctx) {
    for (const flop *f = list; f < list + n; f++) {
        visitor(ctx, f->name, index, &f->value, 1u, f->known, f->notation);
    }
}

#define VISIT_FLOPS(list, index)                                                                   \
    visit_flops(list, sizeof(list) / sizeof *(list), index, visitor, ctx)

#endif

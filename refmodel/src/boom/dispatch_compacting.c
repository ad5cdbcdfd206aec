// SPDX-License-Identifier: Apache-2.0
// BOOM's CompactingDispatcher as a block. Spec: boom-dispatch, CompactingDispatcher.
#include "warplock/dispatch_compacting_ports.h"

#define MODEL      dispatch_compacting
#define MODEL_CAPS DISPATCH_COMPACTING
#include "frame/model.h"

#include "dispatch_body.h"

// A queue holds up only the uops that it gets, by the place that each has or would have.
static inline void route(const cfg_t *cfg, const uops *u, queue *q) {
    compactor_route(cfg->core_width, q->k, u->valid & q->uses, q->ready, &q->c);
    q->rdy = q->c.in_ready | ~q->uses;
}

static uint64_t own_events(const cfg_t *cfg, const cycle *c) {
    const uint32_t idle = ~c->u.valid & set_below(cfg->core_width);
    const queue *first = &c->q[0];
    uint32_t some = 0, every = ~0u, moved = 0;
    for (uint32_t i = 0; i < c->n_queues; i++) {
        some |= c->q[i].c.in_ready;
        every &= c->q[i].c.in_ready;
    }
    for (uint32_t j = 0; j < first->k; j++) {
        moved |= (first->c.out_valid >> j & 1u) & (uint32_t)(compactor_from(&first->c, j) != j);
    }
    return (set_size(c->u.valid & first->uses) > first->k ? EVENT(FULL) : 0u) |
           (moved ? EVENT(COMPACTED) : 0u) |
           ((idle & some & ~every) != 0 ? EVENT(IDLE_BY_TARGET) : 0u);
}

WLK_MODEL();

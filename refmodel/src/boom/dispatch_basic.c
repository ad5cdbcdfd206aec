// SPDX-License-Identifier: Apache-2.0
// BOOM's BasicDispatcher as a block. Spec: boom-dispatch, BasicDispatcher.
#include "warplock/dispatch_basic_ports.h"

#define MODEL      dispatch_basic
#define MODEL_CAPS DISPATCH_BASIC
#include "frame/model.h"

#include "dispatch_body.h"

// Position by position; a queue holds up also the uops that it does not get.
static inline void route(const cfg_t *cfg, const uops *u, queue *q) {
    (void)cfg;
    q->c.wires = true;
    q->c.out_valid = u->valid & q->uses;
    q->rdy = q->ready;
}

static uint64_t own_events(const cfg_t *cfg, const cycle *c) {
    uint32_t wanted = 0, held_up = 0;
    (void)cfg;
    for (uint32_t i = 0; i < c->n_queues; i++) {
        wanted |= c->q[i].uses;
        held_up |= c->q[i].uses & ~c->q[i].ready;
    }
    const uint32_t stalled = c->u.valid & ~c->ren_ready & ~held_up;
    return ((stalled & wanted) != 0 ? EVENT(UNUSED_QUEUE_STALLS) : 0u) |
           ((stalled & ~wanted) != 0 ? EVENT(NO_QUEUE_STALLS) : 0u);
}

WLK_MODEL();

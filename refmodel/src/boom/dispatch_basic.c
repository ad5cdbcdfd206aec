// SPDX-License-Identifier: Apache-2.0
// BOOM's BasicDispatcher as a block. Spec: boom-dispatch, BasicDispatcher.
#include "frame/isa.h"
#include "warplock/dispatch_basic_ports.h"

typedef wlk_dispatch_basic_cfg cfg_t;

#define TABLE                    wlk_dispatch_basic_table
#define GET(field, words)        wlk_dispatch_basic_in_get_##field(words)
#define PUT(field, words, value) wlk_dispatch_basic_out_put_##field(words, value)
#define EVENT(point)             (UINT64_C(1) << WLK_DISPATCH_BASIC_EV_##point)
#define QUEUES(what)             WLK_DISPATCH_BASIC_QUEUES_##what
#define CONTROL_IN               WLK_DISPATCH_BASIC_IN_CONTROL
#define CONTROL_OUT              WLK_DISPATCH_BASIC_OUT_CONTROL

#include "dispatch_body.h"

static uint32_t out_words(const cfg_t *cfg) {
    return wlk_dispatch_basic_out_words(cfg);
}

static void full_care(const cfg_t *cfg, uint64_t *care) {
    wlk_dispatch_basic_out_mask(cfg, care);
}

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
    return ((stalled & wanted) != 0u ? EVENT(UNUSED_QUEUE_STALLS) : 0u) |
           ((stalled & ~wanted) != 0u ? EVENT(NO_QUEUE_STALLS) : 0u);
}

const wlk_block WLK_ISA(wlk_dispatch_basic_block) = {WLK_COMB_CALLS};

// SPDX-License-Identifier: Apache-2.0
// BOOM's CompactingDispatcher as a block. Spec: boom-dispatch, CompactingDispatcher.
#include "frame/isa.h"
#include "warplock/dispatch_compacting_ports.h"

typedef wlk_dispatch_compacting_cfg cfg_t;

#define TABLE                    wlk_dispatch_compacting_table
#define GET(field, words)        wlk_dispatch_compacting_in_get_##field(words)
#define PUT(field, words, value) wlk_dispatch_compacting_out_put_##field(words, value)
#define EVENT(point)             (UINT64_C(1) << WLK_DISPATCH_COMPACTING_EV_##point)
#define QUEUES(what)             WLK_DISPATCH_COMPACTING_QUEUES_##what
#define CONTROL_IN               WLK_DISPATCH_COMPACTING_IN_CONTROL
#define CONTROL_OUT              WLK_DISPATCH_COMPACTING_OUT_CONTROL

#include "dispatch_body.h"

static uint32_t out_words(const cfg_t *cfg) {
    return wlk_dispatch_compacting_out_words(cfg);
}

static void full_care(const cfg_t *cfg, uint64_t *care) {
    wlk_dispatch_compacting_out_mask(cfg, care);
}

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
           ((idle & some & ~every) != 0u ? EVENT(IDLE_BY_TARGET) : 0u);
}

const wlk_block WLK_ISA(wlk_dispatch_compacting_block) = {WLK_COMB_CALLS};

/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points that only BOOM's CompactingDispatcher has; part of model.c. */
#ifndef WLK_DISPATCH_COMPACTING_COVER_H
#define WLK_DISPATCH_COMPACTING_COVER_H

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

#endif

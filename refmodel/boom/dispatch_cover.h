/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points of BOOM's two dispatchers; part of dispatch_body.h. */
#ifndef WLK_DISPATCH_COVER_H
#define WLK_DISPATCH_COVER_H

/* Positions whose uop leaves for this queue. */
static uint32_t taken(const queue *q) {
    uint32_t set = 0;
    for (uint32_t j = 0; j < q->k; j++) {
        set |= (q->c.out_valid & q->ready) >> j & 1u ? 1u << compactor_from(&q->c, j) : 0u;
    }
    return set;
}

static uint64_t queue_events(const cycle *c) {
    const queue *first = &c->q[0];
    uint32_t stuck = 0, moving = 0, once = 0, twice = 0, leaves = 0;
    for (uint32_t i = 0; i < c->n_queues; i++) {
        const queue *q = &c->q[i];
        const uint32_t takes = q->c.out_valid & q->ready;
        stuck |= (uint32_t)(q->c.out_valid != 0 && takes == 0);
        moving |= (uint32_t)(takes != 0);
        twice |= once & q->uses;
        once |= q->uses;
        leaves |= taken(q);
    }
    const uint32_t nowhere = c->u.valid & ~once;
    return ((c->u.valid & twice) != 0 ? EVENT(BOTH_QUEUES) : 0u) |
           ((leaves & twice & ~c->ren_ready) != 0 ? EVENT(TWO_CYCLES) : 0u) |
           (nowhere != 0 ? EVENT(NO_QUEUE) : 0u) |
           ((nowhere & c->ren_ready) != 0 ? EVENT(NO_QUEUE_READY) : 0u) |
           ((stuck & moving) ? EVENT(QUEUE_STUCK) : 0u) |
           (set_is_behind(first->ready, ~first->ready & set_below(first->k))
                ? EVENT(READY_NOT_CONTIGUOUS)
                : 0u) |
           ((first->c.out_valid & first->ready) != 0 && (first->c.out_valid & ~first->ready) != 0
                ? EVENT(QUEUE_PARTLY)
                : 0u);
}

static uint64_t events(const cfg_t *cfg, const uint64_t *in) {
    cycle c;
    compute(cfg, in, &c);
    const uint32_t valid = c.u.valid, all = set_below(c.u.n), idle = ~valid & all;
    const uint32_t any = c.u.target[0] | c.u.target[1] | c.u.target[2] | c.u.target[3];
    return queue_events(&c) | own_events(cfg, &c) |
           ((idle & any) != 0 ? EVENT(IDLE_WITH_TARGET) : 0u) |
           (set_is_behind(valid, idle) ? EVENT(GAP) : 0u) |
           (set_is_behind(valid & c.ren_ready, valid & ~c.ren_ready) ? EVENT(YOUNGER_READY) : 0u) |
           ((valid & c.ren_ready) == all ? EVENT(ALL_TAKEN) : 0u) | (valid == 0 ? EVENT(NONE) : 0u);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points that only BOOM's BasicDispatcher has; part of model.c. */
#ifndef WLK_DISPATCH_BASIC_COVER_H
#define WLK_DISPATCH_BASIC_COVER_H

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

#endif

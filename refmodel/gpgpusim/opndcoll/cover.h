/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points of a clock of the block `opndcoll`; part of model.c. Those of the step
   are in opndcoll_cover.c. */
#ifndef WLK_OPNDCOLL_RTL_COVER_H
#define WLK_OPNDCOLL_RTL_COVER_H

static uint64_t issue_events(const cfg_t *cfg, const oc_before *b, const cycle_t *c) {
    const uint32_t refused = GET(issue_valid, c->in) & ~c->ready;
    uint64_t e = (c->fired != 0 ? EVENT(ISSUE) : 0u) | (refused != 0 ? EVENT(ISSUE_REFUSED) : 0u) |
                 ((refused & c->room) != 0 ? EVENT(ISSUE_ROOM_USED_UP) : 0u);
    for (uint32_t left = c->fired; left != 0; left &= left - 1u) {
        const uint32_t port = oc_lowest(left);
        const bool freed = (b->id[issue_kind(c, port)] >> c->issued_slot[port] & 1u) != 0;
        const uint32_t owner = issue_wid(c, port) % cfg->num_sched_per_core;
        e |= freed ? EVENT(ISSUE_INTO_FREED_SLOT) : 0u;
        e |= issue_sched(c, port) != owner ? EVENT(ISSUE_BY_ANOTHER_SCHEDULER) : 0u;
    }
    return e;
}

static uint64_t take_events(const oc_before *b, const cycle_t *c) {
    uint64_t e = (c->take_valid & ~GET(take_ready, c->in)) != 0 ? EVENT(TAKE_WAITS) : 0u;
    for (uint32_t left = c->take_valid; left != 0; left &= left - 1u) {
        const uint32_t kind = oc_lowest(left);
        const bool lowest = b->oldest_ex[kind] == (b->untaken[kind] & (0u - b->untaken[kind]));
        const bool oldest = oc_bit(c->shown_slot[kind]) == b->oldest_ex[kind];
        e |= lowest ? 0u : EVENT(TAKE_NOT_LOWEST_SLOT);
        e |= oldest ? 0u : EVENT(TAKE_BY_SLOT_NOT_OLDEST);
    }
    for (uint32_t left = c->by_slot & ~c->take_valid; left != 0; left &= left - 1u) {
        e |= b->untaken[oc_lowest(left)] != 0 ? EVENT(TAKE_EMPTY_SLOT) : 0u;
    }
    return e;
}

static uint64_t wb_events(const cycle_t *c) {
    uint64_t e = c->skipped ? EVENT(WRITE_SLOT_SKIPPED) : 0u;
    for (uint32_t left = GET(wb_valid, c->in); left != 0; left &= left - 1u) {
        const uint32_t call = oc_lowest(left);
        if ((c->success >> call & 1u) != 0) {
            e |= wb_enable(c, call) == 0 ? EVENT(WRITE_WITHOUT_DESTINATION) : 0u;
        } else {
            e |= EVENT(WRITE_REFUSED);
            e |= c->accepted[call] != 0 ? EVENT(WRITE_REFUSED_IN_PART) : 0u;
        }
    }
    return e;
}

// After compute(), before commit().
static uint64_t events(const cfg_t *cfg, const state_t *st, const oc_before *b, const cycle_t *c) {
    if (st->reset_seen == 0) {
        return 0;
    }
    if (c->reset != 0) {
        return c->busy != 0 ? EVENT(RESET_IN_FLIGHT) : 0u;
    }
    return issue_events(cfg, b, c) | take_events(b, c) | wb_events(c) |
           wlk_opndcoll_cover_step(cfg, model_part(st), b, c->event, c->n_events);
}

#endif

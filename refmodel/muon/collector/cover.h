/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points of Muon's operand collector; part of model.c. */
#ifndef WLK_COLLECTOR_COVER_H
#define WLK_COLLECTOR_COVER_H

static uint64_t request_events(const coll_comb *c) {
    const uint32_t e = c->enables;
    const uint32_t *p = c->pregs;
    const uint32_t x0 = e & coll_naming(0, p[0], p[1], p[2]);
    const uint32_t again = (e & e >> 1 & (uint32_t)(p[0] == p[1])) |
                           (e & e >> 2 & (uint32_t)(p[0] == p[2])) |
                           (e >> 1 & e >> 2 & (uint32_t)(p[1] == p[2]));
    const uint32_t hit = e & coll_naming(c->write_preg, p[0], p[1], p[2]);
    return (x0 != 0) * EVENT(COLLECT_X0) | (again & 1u) * EVENT(REPEATED_REGISTER) |
           (c->write & (uint32_t)(hit != 0)) * EVENT(READ_DURING_WRITE);
}

static uint64_t table_events(const coll_cfg *cfg, const coll_state *st, const coll_comb *c) {
    const uint64_t stale =
        c->read_valid & c->allocated & (uint32_t)(st->occupant_enable[c->read_entry] != 7);
    const uint64_t both = c->request & c->free_now;
    const uint64_t spare = bit_not(c->full) & (uint32_t)(cfg->coll_entries > 1);
    return (c->request & bit_not(c->free_now)) * EVENT(ALLOC) |
           (c->free_now & bit_not(c->request)) * EVENT(FREE) | both * EVENT(ALLOC_AND_FREE) |
           (both & spare) * EVENT(REUSE_ALTHOUGH_OTHER_FREE) |
           (c->req_valid & bit_not(c->request)) * EVENT(STALL_FULL) | c->full * EVENT(FULL_TABLE) |
           bit_not(c->allocated) * EVENT(READ_IDLE_ENTRY) | stale * EVENT(READ_STALE_OPERAND) |
           (c->free_now & bit_not(c->req_valid)) * EVENT(FREE_WITHOUT_REQUEST);
}

static uint64_t write_events(const coll_cfg *cfg, const coll_state *st, const coll_comb *c) {
    const uint64_t all = wlk_mask(cfg->num_lanes);
    const uint64_t lanes = c->write_mask & all;
    const uint32_t partial = (uint32_t)(lanes != 0) & (uint32_t)(lanes != all);
    const uint16_t *p = st->nextPReg;
    const uint32_t hit = st->nextEn & coll_naming(c->write_preg, p[0], p[1], p[2]);
    return (c->write & partial) * EVENT(WRITE_PARTIAL) |
           (c->write_fire & bit_not(c->write)) * EVENT(WRITE_X0) |
           (c->write & (uint32_t)(hit != 0)) * EVENT(WRITE_WHILE_LANDING);
}

// Coverage points of the cycle.
static uint64_t events(const coll_cfg *cfg, const coll_state *st, const uint64_t *in,
                       const coll_comb *c) {
    (void)in;
    if (c->reset) {
        return (st->free_entries != coll_all_entries(cfg)) * EVENT(RESET_IN_FLIGHT) |
               c->write * EVENT(WRITE_IN_RESET) | c->request * EVENT(REQUEST_IN_RESET);
    }
    return request_events(c) | table_events(cfg, st, c) | write_events(cfg, st, c);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points of Muon's issue stage; part of model.c. */
#ifndef WLK_ISSUE_COVER_H
#define WLK_ISSUE_COVER_H

static uint64_t admission_events(const cycle_t *c) {
    const uint32_t room = c->rs.room;
    uint32_t waited = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        waited |=
            (c->hz.has_rs >> i & 1u) &
            (uint32_t)(c->rs.wake_rd != 0 && wlk_entry_rs(c->admission.entry, i) == c->rs.wake_rd);
    }
    return (c->hz.fires ? EVENT(ADMIT) : 0u) | (c->hz.waw ? EVENT(STALL_WAW) : 0u) |
           (c->hz.war ? EVENT(STALL_WAR) : 0u) |
           ((c->hz.any & room & bit_not(c->hz.fires)) ? EVENT(REFUSED_BY_COUNT) : 0u) |
           ((c->hz.any & bit_not(room)) ? EVENT(RS_FULL) : 0u) |
           ((c->hz.fires & waited) ? EVENT(ADMIT_ON_WRITEBACK) : 0u) |
           (c->hz.fires && c->hz.busy ? EVENT(ADMIT_BUSY) : 0u) |
           (set_is_single(c->hz.candidates) ? 0u : EVENT(SEVERAL_HEADS));
}

static uint64_t row_events(const state_t *st, const cycle_t *c) {
    const rs_state *rs = &st->reservStation;
    uint32_t woken = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        woken |= rs_woken(rs, i, c->rs.wake_rd);
    }
    return (c->coll.request ? EVENT(REQUEST) : 0u) |
           ((c->rs.req_valid & bit_not(c->coll.request)) ? EVENT(COLLECTOR_FULL) : 0u) |
           ((c->coll.request & c->coll.free_now) ? EVENT(ENTRY_REUSED) : 0u) |
           (c->rs.dispatch && (c->rs.completes >> c->rs.choice & 1u) ? EVENT(FORWARDED) : 0u) |
           (woken ? EVENT(WAKE) : 0u) |
           ((c->rs.eligible & ~c->rs.candidates) ? EVENT(IN_ORDER_HOLDS) : 0u) |
           (set_is_single(c->rs.candidates) ? 0u : EVENT(SEVERAL_ELIGIBLE));
}

static uint64_t issue_events(const state_t *st, const cycle_t *c) {
    const uint64_t *stage = st->reservStation.stage;
    if (!c->rs.issue_fire) {
        return st->reservStation.stage_full ? EVENT(ISSUE_BLOCKED) : 0u;
    }
    return EVENT(ISSUE) | (wlk_entry_has_rs(stage) ? 0u : EVENT(NO_SOURCE)) |
           (wlk_entry_get_hasRd(stage) ? 0u : EVENT(NO_RD)) |
           (wlk_entry_x0(stage) ? EVENT(X0_SOURCE) : 0u) |
           (wlk_entry_repeats(stage) ? EVENT(REPEATED_SOURCE) : 0u);
}

static uint64_t write_events(const cfg_t *cfg, const state_t *st, const cycle_t *c) {
    const uint64_t all = wlk_mask(cfg->num_lanes), lanes = c->coll.write_mask & all;
    const uint16_t *landing = st->collector.nextPReg;
    const uint32_t hit =
        st->collector.nextEn & coll_naming(c->coll.write_preg, landing[0], landing[1], landing[2]);
    return (c->coll.write && hit ? EVENT(WRITE_WHILE_LANDING) : 0u) |
           (c->coll.write && lanes != 0 && lanes != all ? EVENT(PARTIAL_WRITE) : 0u);
}

static uint64_t events(const cfg_t *cfg, const state_t *st, const uint64_t *in, const cycle_t *c) {
    if (c->rs_in.reset) {
        return st->reservStation.valid ? EVENT(RESET_IN_FLIGHT) : 0u;
    }
    return admission_events(c) | row_events(st, c) | issue_events(st, c) |
           write_events(cfg, st, c) | (GET(softReset, in) ? EVENT(SOFT_RESET) : 0u);
}

#endif

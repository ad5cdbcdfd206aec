/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points of Muon's reservation station; part of model.c. */
#ifndef WLK_RESERVATION_STATION_COVER_H
#define WLK_RESERVATION_STATION_COVER_H

static uint64_t request_events(const state_t *st, const cycle_t *c) {
    const rs_cycle *rs = &c->rs;
    const uint64_t *entry = st->entry[rs->coll_row];
    const uint32_t fires = rs->req_valid & c->request_ready;
    return (fires ? EVENT(REQUEST) : 0u) |
           ((rs->req_valid & bit_not(c->request_ready)) ? EVENT(REQUEST_BLOCKED) : 0u) |
           (set_is_single(rs->asks) ? 0u : EVENT(SEVERAL_REQUESTS)) |
           (!rs->req_valid && rs->req_needs != 0 ? EVENT(STALE_REQUEST) : 0u) |
           ((fires & wlk_entry_repeats(entry)) ? EVENT(REPEATED_SOURCE) : 0u) |
           ((rs->all_asks & ~rs->asks) ? EVENT(IN_ORDER_HOLDS_REQUEST) : 0u);
}

static uint64_t response_events(const cycle_t *c) {
    const rs_cycle *rs = &c->rs;
    uint32_t hits = 0;
    for (uint32_t i = 0; i < 3; i++) {
        hits |= (uint32_t)(rs->hit[i] != 0) << i;
    }
    return (rs->completes ? EVENT(RESPONSE) : 0u) |
           (rs->coll_enable && !rs->completes ? EVENT(RESPONSE_UNTAKEN) : 0u) |
           ((hits & ~rs->coll_decr) ? EVENT(X0_COLLECTED) : 0u);
}

static uint64_t dispatch_events(const state_t *st, const cycle_t *c) {
    const rs_cycle *rs = &c->rs;
    const uint32_t bit = UINT32_C(1) << rs->choice;
    uint64_t e = 0;
    if (rs->dispatch) {
        const uint32_t forwarded = rs->completes & bit;
        const uint32_t fired = (st->collFired[0] | st->collFired[1] | st->collFired[2]) & bit;
        e |= forwarded ? EVENT(FORWARDED) : fired ? EVENT(DISPATCH_LATER) : EVENT(NO_SOURCE);
        e |= rs->choice <= set_lowest(st->last) ? EVENT(CHOICE_WRAPS) : 0u;
        e |= rs->issue_fire ? EVENT(STAGE_THROUGH) : 0u;
    }
    return e | (set_is_single(rs->candidates) ? 0u : EVENT(SEVERAL_ELIGIBLE)) |
           (rs->candidates && !rs->dispatch ? EVENT(STAGE_BLOCKED) : 0u) |
           ((rs->eligible & ~rs->candidates) ? EVENT(IN_ORDER_HOLDS_DISPATCH) : 0u);
}

static uint64_t wake_events(const state_t *st, const cycle_t *c) {
    uint32_t woken = 0;
    for (uint32_t i = 0; i < 3; i++) {
        woken += set_size(rs_woken(st, i, c->rs.wake_rd));
    }
    if (!c->in.wb_valid) {
        return 0;
    }
    return woken == 0 ? EVENT(WAKE_STRAY) : EVENT(WAKE) | (woken > 1 ? EVENT(WAKE_SEVERAL) : 0u);
}

// Rows of one warp whose sequence numbers lie on both sides of the wrap.
static uint64_t wrap_events(const state_t *st, const cycle_t *c) {
    const uint32_t mask = 2u * (UINT32_C(1) << wlk_clog2(c->shape.rows)) - 1u;
    for (uint32_t rest = c->shape.in_order ? st->valid : 0u; rest != 0; rest &= rest - 1u) {
        const uint32_t row = set_lowest(rest);
        for (uint32_t old = st->older[row]; old != 0; old &= old - 1u) {
            if ((st->sequence[set_lowest(old)] & mask) > (st->sequence[row] & mask)) {
                return EVENT(SEQUENCE_WRAPS);
            }
        }
    }
    return 0;
}

static uint64_t events(const cfg_t *cfg, const state_t *st, const uint64_t *in, const cycle_t *c) {
    (void)cfg;
    (void)in;
    if (c->in.reset) {
        return (st->valid ? EVENT(RESET_IN_FLIGHT) : 0u) |
               (c->rs.dispatch ? EVENT(DISPATCH_IN_RESET) : 0u);
    }
    return request_events(st, c) | response_events(c) | dispatch_events(st, c) |
           wake_events(st, c) | wrap_events(st, c) |
           ((c->admission.valid & c->rs.room) ? EVENT(ADMIT) : 0u) |
           ((c->admission.valid & bit_not(c->rs.room)) ? EVENT(FULL) : 0u) |
           (c->soft_reset && st->cyclesDispatched != 0 ? EVENT(SOFT_RESET) : 0u);
}

#endif

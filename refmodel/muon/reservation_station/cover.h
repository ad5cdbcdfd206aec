/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points of Muon's reservation station; part of model.c. */
#ifndef WLK_RESERVATION_STATION_COVER_H
#define WLK_RESERVATION_STATION_COVER_H

static bool are_several(uint32_t set) {
    return (set & (set - 1u)) != 0;
}

static uint64_t request_events(const state_t *st, const in_t *in, const cycle *c) {
    const bool any = c->requests != 0, fires = any && in->collector.readReq.ready;
    return (fires ? EVENT(REQUEST) : 0u) | (any && !fires ? EVENT(REQUEST_BLOCKED) : 0u) |
           (are_several(c->requests) ? EVENT(SEVERAL_REQUESTS) : 0u) |
           (!any && c->request_needs != 0 ? EVENT(STALE_REQUEST) : 0u) |
           (fires && wlk_entry_repeats(st->entry[c->request_row]) ? EVENT(REPEATED_SOURCE) : 0u) |
           ((c->may_ask & ~c->requests) != 0 ? EVENT(IN_ORDER_HOLDS_REQUEST) : 0u);
}

static uint64_t response_events(const in_t *in, const cycle *c, const out_t *out) {
    const bool enabled = IN_SET(collector_readResp_bits_regs_enable) != 0;
    bool x0 = false;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        x0 |= c->answered[i] != 0 && !out->scb.updateColl.reads[i].decr;
    }
    return (c->any_answered != 0 ? EVENT(RESPONSE) : 0u) | (x0 ? EVENT(X0_COLLECTED) : 0u) |
           (in->collector.readResp.valid && enabled && c->any_answered == 0
                ? EVENT(RESPONSE_UNTAKEN)
                : 0u);
}

static uint64_t dispatch_events(const state_t *st, const cycle *c) {
    const uint32_t collected = st->collFired[0] | st->collFired[1] | st->collFired[2];
    uint64_t found = 0;
    if (c->dispatches) {
        found |= (c->any_answered >> c->choice & 1u) != 0 ? EVENT(FORWARDED)
                 : (collected >> c->choice & 1u) != 0     ? EVENT(DISPATCH_LATER)
                                                          : EVENT(NO_SOURCE);
        found |= c->choice <= st->last ? EVENT(CHOICE_WRAPS) : 0u;
        found |= c->issues ? EVENT(STAGE_THROUGH) : 0u;
    }
    return found | (are_several(c->candidates) ? EVENT(SEVERAL_ELIGIBLE) : 0u) |
           (c->candidates != 0 && !c->dispatches ? EVENT(STAGE_BLOCKED) : 0u) |
           ((c->all_ready & ~c->candidates) != 0 ? EVENT(IN_ORDER_HOLDS_DISPATCH) : 0u);
}

static uint64_t wake_events(const cfg_t *cfg, const state_t *st, const in_t *in) {
    int wakes = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        wakes += __builtin_popcount(woken(cfg, st, in, i));
    }
    if (!in->writeback.valid) {
        return 0;
    }
    return wakes == 0 ? EVENT(WAKE_STRAY) : EVENT(WAKE) | (wakes > 1 ? EVENT(WAKE_SEVERAL) : 0u);
}

/* Rows of one warp whose numbers lie on both sides of the wrap. */
static bool numbers_wrap(const cfg_t *cfg, const state_t *st) {
    const uint32_t mask = (UINT32_C(2) << wlk_clog2(cfg->rs_entries)) - 1u;
    bool wraps = false;
    for (uint32_t a = 0; a < cfg->rs_entries; a++) {
        for (uint32_t b = 0; b < cfg->rs_entries; b++) {
            wraps |= (st->valid >> a & st->valid >> b & 1u) != 0 && is_older(cfg, st, a, b) &&
                     (st->sequence[a] & mask) > (st->sequence[b] & mask);
        }
    }
    return cfg->in_order_per_warp != 0 && wraps;
}

static uint64_t events(const cfg_t *cfg, const state_t *st, const in_t *in, const out_t *out) {
    cycle c;
    see(cfg, st, in, &c);
    if (in->reset) { /* other points do not count then */
        return (st->valid != 0 ? EVENT(RESET_IN_FLIGHT) : 0u) |
               (c.dispatches ? EVENT(DISPATCH_IN_RESET) : 0u);
    }
    return request_events(st, in, &c) | response_events(in, &c, out) | dispatch_events(st, &c) |
           wake_events(cfg, st, in) | (numbers_wrap(cfg, st) ? EVENT(SEQUENCE_WRAPS) : 0u) |
           (in->admit.valid && c.free_rows != 0 ? EVENT(ADMIT) : 0u) |
           (in->admit.valid && c.free_rows == 0 ? EVENT(FULL) : 0u) |
           (in->softReset && st->perf.cyclesDispatched != 0 ? EVENT(SOFT_RESET) : 0u);
}

#endif

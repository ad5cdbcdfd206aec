/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points of Muon's issue stage; part of model.c. */
#ifndef WLK_ISSUE_COVER_H
#define WLK_ISSUE_COVER_H

static uint64_t admission_events(const in_t *in, const cycle *c) {
    const uint64_t *entry = in->ibuf[c->hazard.choice].bits;
    const bool any = c->hazard.candidates != 0, room = c->to_hazard.rsAdmit.ready;
    bool waited = false;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        waited |= has(c->hazard.has_rs, i) && wlk_entry_rs(entry, i) == in->writeback.bits.rd;
    }
    waited &= in->writeback.valid && in->writeback.bits.rd != 0;
    return (c->hazard.fires ? EVENT(ADMIT) : 0u) | (c->hazard.waw != 0 ? EVENT(STALL_WAW) : 0u) |
           (c->hazard.war != 0 ? EVENT(STALL_WAR) : 0u) |
           (any && room && !c->hazard.fires ? EVENT(REFUSED_BY_COUNT) : 0u) |
           (any && !room ? EVENT(RS_FULL) : 0u) |
           (c->hazard.fires && waited ? EVENT(ADMIT_ON_WRITEBACK) : 0u) |
           (c->hazard.fires && c->hazard.busy != 0 ? EVENT(ADMIT_BUSY) : 0u) |
           (are_several(c->hazard.candidates) ? EVENT(SEVERAL_HEADS) : 0u);
}

static uint64_t row_events(const cfg_t *cfg, const state_t *st, const cycle *c) {
    const bool asks = c->to_collector.readReq.valid, fires = c->collector.fires;
    uint32_t wakes = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        wakes |= woken(cfg, &st->reservStation, &c->to_station, i);
    }
    return (fires ? EVENT(REQUEST) : 0u) | (asks && !fires ? EVENT(COLLECTOR_FULL) : 0u) |
           (fires && c->collector.frees ? EVENT(ENTRY_REUSED) : 0u) |
           (c->station.dispatches && has(c->station.any_answered, c->station.choice)
                ? EVENT(FORWARDED)
                : 0u) |
           (wakes != 0 ? EVENT(WAKE) : 0u) |
           ((c->station.all_ready & ~c->station.candidates) != 0 ? EVENT(IN_ORDER_HOLDS) : 0u) |
           (are_several(c->station.candidates) ? EVENT(SEVERAL_ELIGIBLE) : 0u);
}

static uint64_t issue_events(const state_t *st, const cycle *c) {
    const uint64_t *entry = st->reservStation.stage.entry;
    if (!c->station.issues) {
        return st->reservStation.stage.full ? EVENT(ISSUE_BLOCKED) : 0u;
    }
    return EVENT(ISSUE) | (wlk_entry_has_rs(entry) ? 0u : EVENT(NO_SOURCE)) |
           (wlk_entry_get_hasRd(entry) ? 0u : EVENT(NO_RD)) |
           (wlk_entry_x0(entry) ? EVENT(X0_SOURCE) : 0u) |
           (wlk_entry_repeats(entry) ? EVENT(REPEATED_SOURCE) : 0u);
}

static uint64_t result_events(const cfg_t *cfg, const state_t *st, const in_t *in) {
    const uint64_t all = wlk_mask(cfg->num_lanes), lanes = in->writeback.bits.tmask & all;
    const uint16_t *landing = st->collector.nextPReg;
    const uint32_t rd = in->writeback.bits.rd;
    const uint32_t hit = st->collector.nextEn & naming(rd, landing[0], landing[1], landing[2]);
    const bool writes = in->writeback.valid && rd != 0;
    return (writes && hit != 0 ? EVENT(WRITE_WHILE_LANDING) : 0u) |
           (writes && lanes != 0 && lanes != all ? EVENT(PARTIAL_WRITE) : 0u);
}

static uint64_t events(const cfg_t *cfg, const state_t *st, const in_t *in, const out_t *out) {
    cycle c;
    (void)out;
    see(cfg, st, in, &c);
    if (in->reset) {
        return st->reservStation.valid != 0 ? EVENT(RESET_IN_FLIGHT) : 0u;
    }
    return admission_events(in, &c) | row_events(cfg, st, &c) | issue_events(st, &c) |
           result_events(cfg, st, in) | (in->softReset ? EVENT(SOFT_RESET) : 0u);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of Muon's reservation station (muon-issue §5.13); part of model.c. */
#ifndef WLK_RESERVATION_STATION_PERF_H
#define WLK_RESERVATION_STATION_PERF_H

static void counters(const cfg_t *cfg, const state_t *st, out_t *out, care_t *care) {
    SHOW(perf.cyclesDispatched, st->perf.cyclesDispatched);
    SHOW(perf.cyclesEligible, st->perf.cyclesEligible);
    SHOW(perf.accRsOccupancy, st->perf.accRsOccupancy);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        SHOW(perf.perWarp[w].cyclesDispatched, st->perf.perWarp.cyclesDispatched[w]);
        SHOW(perf.perWarp[w].cyclesEligible, st->perf.perWarp.cyclesEligible[w]);
        SHOW(perf.perWarp[w].stallsRSFull, st->perf.perWarp.stallsRSFull[w]);
    }
}

static void clear_counters(state_t *st) {
    const wlk_reservation_station_perf zeros = {0};
    st->perf = zeros;
}

static void count(const cfg_t *cfg, state_t *st, const in_t *in, const cycle *c) {
    const uint32_t warp = wlk_entry_get_wid(in->admit.bits.ibufEntry);
    const bool stalls = in->admit.valid & (c->free_rows == 0);
    uint32_t with_row = 0, with_candidate = 0; /* sets of warps */
    for (uint32_t row = 0; row < cfg->rs_entries; row++) {
        const uint32_t of_row = wlk_entry_get_wid(st->entry[row]);
        with_row |= (st->valid >> row & 1u) << of_row;
        with_candidate |= (c->candidates >> row & 1u) << of_row;
    }
    st->perf.cyclesDispatched += st->valid != 0;
    st->perf.cyclesEligible += c->candidates != 0;
    st->perf.accRsOccupancy += (uint32_t)__builtin_popcount(st->valid);
    count_warps(st->perf.perWarp.cyclesDispatched, cfg->num_warps, with_row);
    count_warps(st->perf.perWarp.cyclesEligible, cfg->num_warps, with_candidate);
    count_warps(st->perf.perWarp.stallsRSFull, cfg->num_warps, (uint32_t)stalls << warp);
}

#endif

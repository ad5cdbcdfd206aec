/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step of a reservation station all of whose state is known: counters and output stage are
 * compared where they lie. Part of model.c. Spec: muon-issue §5.
 */
#ifndef WLK_RESERVATION_STATION_SETTLED_H
#define WLK_RESERVATION_STATION_SETTLED_H

#include "frame/differ.h"

enum {
    COUNTERS = wlk_reservation_station_out_word_perf_cyclesDispatched, /* behind the ports */
    WARPS = WLK_RESERVATION_STATION_OUT_GROUP,
};
_Static_assert(wlk_reservation_station_out_word_perf_cyclesEligible == COUNTERS + 1, "in a row");
_Static_assert(wlk_reservation_station_out_word_perf_accRsOccupancy == COUNTERS + 2, "in a row");
_Static_assert(STAGE == COUNTERS + 3 && WARPS == STAGE + (int)WLK_ENTRY_WORDS, "all words");
_Static_assert((int)WLK_RESERVATION_STATION_OUT_STRIDE == (int)WLK_RESERVATION_STATION_COUNTERS,
               "the counters of all warps are one list");

FOUR_INLINE uint64_t outputs_differ(const cfg_t *cfg, const state_t *st, const cycle_t *c,
                                    const uint64_t *got) {
    const uint64_t counters[] = {st->cyclesDispatched, st->cyclesEligible, st->accRsOccupancy};
    uint64_t out[COUNTERS] = {0};
    port_outputs(cfg, st, c, out);
    return words_differ(out, got, COUNTERS) | words_differ(counters, got + COUNTERS, 3) |
           words_differ(st->stage, got + STAGE, WLK_ENTRY_WORDS) |
           words_differ(st->perWarp[0], got + WARPS,
                        cfg->num_warps * WLK_RESERVATION_STATION_COUNTERS);
}

static __attribute__((noinline, flatten)) int step_known(const cfg_t *cfg, state_t *st,
                                                         const wlk_view *in, const wlk_view *got,
                                                         wlk_step_info *info) {
    cycle_t c;
    compute(cfg, st, in->control, &c);
    if (outputs_differ(cfg, st, &c, got->control) != 0) {
        return 1;
    }
    info->violated = violations(st, &c);
    rs_commit(&c.shape, st, &c.in, &c.admission, c.rs.req_valid & c.request_ready, &c.rs);
    return 0;
}

#endif

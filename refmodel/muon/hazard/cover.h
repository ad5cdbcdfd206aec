/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points of Muon's hazard check; part of model.c. */
#ifndef WLK_HAZARD_COVER_H
#define WLK_HAZARD_COVER_H

static uint64_t admitted_events(const cycle_t *c) {
    const hz_cycle *hz = &c->hz;
    return EVENT(ADMIT) | (hz->has_rs == 0 ? EVENT(NO_SOURCE) : 0u) |
           (wlk_entry_get_hasRd(c->entry) ? 0u : EVENT(NO_RD)) |
           (hz->busy ? EVENT(BUSY_SOURCE) : 0u) | (wlk_entry_x0(c->entry) ? EVENT(X0_SOURCE) : 0u) |
           (wlk_entry_repeats(c->entry) ? EVENT(REPEATED_SOURCE) : 0u);
}

// Is the first value of `last` that is possible beyond or at the choice?
static uint64_t choice_events(const state_t *st, const cycle_t *c) {
    const hz_cycle *hz = &c->hz;
    const uint32_t last = set_lowest(st->last);
    const uint32_t others = hz->candidates & ~(UINT32_C(1) << hz->choice);
    const uint32_t empty =
        c->hz.any & bit_not((uint32_t)(hz->has_rs != 0)) & bit_not(wlk_entry_get_hasRd(c->entry));
    return (others ? EVENT(SEVERAL_CANDIDATES) : 0u) |
           (hz->any && hz->choice <= last ? EVENT(CHOICE_WRAPS) : 0u) |
           ((hz->refused & bit_all(c->room)) ? EVENT(REFUSED) : 0u) |
           (hz->refused && c->room && others ? EVENT(REFUSED_HOLDS_BACK) : 0u) |
           ((hz->any & bit_not(c->room)) ? EVENT(RS_FULL) : 0u) | (empty ? EVENT(NO_OPERAND) : 0u);
}

static uint32_t any_counted(const cfg_t *cfg, const state_t *st) {
    uint64_t any = 0;
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        any |= st->perf[w][0] | st->perf[w][1] | st->perf[w][2];
    }
    return (uint32_t)(any != 0);
}

// The head refused in the cycle before is passed by another one, which cannot be beyond it.
static uint64_t overtaken(const state_t *st, const cycle_t *c) {
    const uint32_t waiting = st->refused & c->hz.candidates;
    return c->hz.fires && waiting && (waiting & ~(UINT32_C(1) << c->hz.choice)) ? EVENT(OVERTAKEN)
                                                                                : 0u;
}

static uint64_t events(const cfg_t *cfg, const state_t *st, const uint64_t *in, const cycle_t *c) {
    (void)in;
    if (c->reset) {
        return c->hz.fires ? EVENT(GRANT_IN_RESET) : 0u;
    }
    return choice_events(st, c) | (c->hz.fires ? admitted_events(c) : 0u) | overtaken(st, c) |
           (c->hz.any ? 0u : EVENT(NO_CANDIDATE)) | (c->hz.waw ? EVENT(STALL_WAW) : 0u) |
           (c->hz.war ? EVENT(STALL_WAR) : 0u) |
           ((c->hz.waw & c->hz.war) ? EVENT(STALL_WAW_AND_WAR) : 0u) |
           (c->soft_reset && any_counted(cfg, st) ? EVENT(SOFT_RESET) : 0u);
}

#endif

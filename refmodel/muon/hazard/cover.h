/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points of Muon's hazard check; part of model.c. */
#ifndef WLK_HAZARD_COVER_H
#define WLK_HAZARD_COVER_H

static uint64_t admitted_events(const in_t *in, const cycle *c) {
    const uint64_t *entry = in->ibuf[c->choice].bits;
    return EVENT(ADMIT) | (c->has_rs == 0 ? EVENT(NO_SOURCE) : 0u) |
           (wlk_entry_get_hasRd(entry) ? 0u : EVENT(NO_RD)) |
           (c->busy != 0 ? EVENT(BUSY_SOURCE) : 0u) |
           (wlk_entry_x0(entry) != 0 ? EVENT(X0_SOURCE) : 0u) |
           (wlk_entry_repeats(entry) ? EVENT(REPEATED_SOURCE) : 0u);
}

static uint64_t choice_events(const state_t *st, const in_t *in, const cycle *c) {
    const bool others = (c->candidates & ~(UINT32_C(1) << c->choice)) != 0;
    const bool refused = c->books && !in->scb.updateRS.success;
    const bool none = !wlk_entry_get_hasRd(in->ibuf[c->choice].bits) && c->has_rs == 0;
    if (c->candidates == 0) {
        return EVENT(NO_CANDIDATE);
    }
    return (others ? EVENT(SEVERAL_CANDIDATES) : 0u) |
           (c->choice <= st->last ? EVENT(CHOICE_WRAPS) : 0u) | (refused ? EVENT(REFUSED) : 0u) |
           (refused && others ? EVENT(REFUSED_HOLDS_BACK) : 0u) |
           (in->rsAdmit.ready ? 0u : EVENT(RS_FULL)) | (none ? EVENT(NO_OPERAND) : 0u);
}

static bool any_counted(const cfg_t *cfg, const state_t *st) {
    uint64_t any = 0;
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        any |= st->perf.stallsWAW[w] | st->perf.stallsWAR[w] | st->perf.stallsScoreboard[w];
    }
    return any != 0;
}

/* The head refused in the cycle before is passed by another one: in cyclic order its warp lies
 * between `last` and the refused one (§4.8). */
static bool is_overtaken(const state_t *st, const cycle *c) {
    return c->fires && (st->refused & c->candidates & ~(UINT32_C(1) << c->choice)) != 0;
}

static uint64_t events(const cfg_t *cfg, const state_t *st, const in_t *in, const out_t *out) {
    cycle c;
    (void)out;
    see(cfg, st, in, &c);
    if (in->reset) { /* other points do not count then */
        return c.fires ? EVENT(GRANT_IN_RESET) : 0u;
    }
    return choice_events(st, in, &c) | (c.fires ? admitted_events(in, &c) : 0u) |
           (is_overtaken(st, &c) ? EVENT(OVERTAKEN) : 0u) | (c.waw != 0 ? EVENT(STALL_WAW) : 0u) |
           (c.war != 0 ? EVENT(STALL_WAR) : 0u) |
           ((c.waw & c.war) != 0 ? EVENT(STALL_WAW_AND_WAR) : 0u) |
           (in->softReset && any_counted(cfg, st) ? EVENT(SOFT_RESET) : 0u);
}

#endif

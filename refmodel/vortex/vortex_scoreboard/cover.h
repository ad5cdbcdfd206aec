/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points of Vortex's scoreboard; part of model.c. */
#ifndef WLK_VORTEX_SCOREBOARD_COVER_H
#define WLK_VORTEX_SCOREBOARD_COVER_H

// What a staged instruction waits for, and what a write-back does for it.
static uint64_t warp_events(const cfg_t *cfg, const state_t *st, const uint64_t *in,
                            const cycle_t *c, uint32_t w) {
    const uint64_t *instr = st->staging[w].instr;
    const uint64_t rd = destination(cfg, instr), need = st->need[w], inuse = st->inuse[w];
    const uint64_t released = w == c->wb_warp ? c->released : 0u;
    const bool leaves = (c->fire >> w & 1u) != 0, accepts = leaves && (c->ib_valid >> w & 1u) != 0;
    const bool waits = (c->request >> w & 1u) == 0;
    uint64_t found = 0;
    found |= waits && (inuse & need & ~rd) != 0 ? EVENT(BLOCKED_RAW) : 0u;
    found |= waits && (inuse & rd) != 0 ? EVENT(BLOCKED_WAW) : 0u;
    found |= accepts ? EVENT(BACK_TO_BACK) : 0u;
    found |= leaves && rd != 0 && released != 0 ? EVENT(RELEASE_AND_RESERVE) : 0u;
    found |= waits && (inuse & need) != 0 && (inuse & need & ~released) == 0 ? EVENT(WAKES) : 0u;
    found |= accepts && (need_of(cfg, offered(in, w)) & rd) != 0 ? EVENT(CHECKS_NEW) : 0u;
    return found;
}

static uint64_t events(const cfg_t *cfg, const state_t *st, const uint64_t *in, const cycle_t *c) {
    const uint64_t inuse = c->wb_warp < c->warps ? st->inuse[c->wb_warp] : 0u;
    uint64_t any = 0, found = 0;
    for (uint64_t left = st->staged; left != 0;) {
        found |= warp_events(cfg, st, in, c, take_lowest(&left));
    }
    for (uint32_t w = 0; w < c->warps; w++) {
        any |= st->inuse[w];
    }
    const bool several = (c->request & (c->request - 1u)) != 0 && c->slices == 0;
    const bool hit = (c->request >> st->pointer[LAST] & 1u) != 0;
    const bool later = c->request >> st->pointer[LAST] != 0;
    found |= (c->last.valid & c->last.ready) != 0 ? EVENT(ISSUE) : 0u;
    found |= (c->released & inuse) != 0 ? EVENT(RELEASE) : 0u;
    found |= c->wb_valid != 0 && GET(wb_data_eop, in) == 0 ? EVENT(PACKET_IGNORED) : 0u;
    found |= c->request != 0 && st->out.s.ready == 0 ? EVENT(OUTPUT_FULL) : 0u;
    found |= several && hit && c->last.ready != 0 ? EVENT(POINTER_HIT) : 0u;
    found |= several && !hit && later && c->last.ready != 0 ? EVENT(POINTER_MISSED) : 0u;
    found |= st->staged != 0 && c->request == 0 ? EVENT(NOTHING_READY) : 0u;
    found |= c->reset != 0 && any != 0 ? EVENT(RESET_IN_USE) : 0u;
    return found;
}

#endif

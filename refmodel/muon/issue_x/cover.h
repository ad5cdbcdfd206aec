/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points of the Muon document's issue stage; part of model.c. */
#ifndef WLK_ISSUE_X_COVER_H
#define WLK_ISSUE_X_COVER_H

#define WHEN(condition, point) ((condition) ? EVENT(point) : UINT64_C(0))

/* A writer is admitted while reads of the old value are pending. */
static bool flips(const state_t *st, const cycle_t *c) {
    const uint32_t rd = wlk_entry_get_rd(c->admission.entry);
    const uint32_t key = ix_key(ix_bit(st->scoreboard.epoch, rd), rd);
    return c->p.war == IX_EPOCH && c->hz.fires && wlk_entry_get_hasRd(c->admission.entry) &&
           ix_reads(st, c, key) != 0;
}

static uint64_t admission_events(const state_t *st, const cycle_t *c) {
    const bool waited = c->cxi.commit && ix_sources_have(c->admission.entry, c->rd);
    return WHEN(c->hz.fires, ADMIT) | WHEN(c->hz.waw, STALL_WAW) | WHEN(c->hz.war, STALL_WAR) |
           WHEN(c->hz.any & c->rs.room & bit_not(c->hz.fires), REFUSED_BY_COUNT) |
           WHEN(c->hz.any & bit_not(c->rs.room), RS_FULL) |
           WHEN(c->hz.fires && waited, ADMIT_ON_WRITEBACK) |
           WHEN(c->hz.fires && c->hz.busy, ADMIT_BUSY) | WHEN(c->hold, HELD) |
           WHEN(c->roomless, NO_ROOM) | WHEN(flips(st, c), EPOCH_FLIP) |
           WHEN(c->hz.fires && c->pick[c->hz.choice] != 0, PASSED) | WHEN(c->fenced, FENCED) |
           WHEN(!set_is_single(c->hz.candidates), SEVERAL_HEADS);
}

static uint64_t collect_events(const cycle_t *c) {
    const uint32_t lanes = c->cxi.reads.lanes;
    uint32_t frees = 0, registers = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1u) {
        registers += c->cxi.reads.preg[set_lowest(left)] != 0;
    }
    for (uint32_t p = 0; p < c->s.ports; p++) {
        frees |= (uint32_t)(c->cx.taken && (c->cx.freed >> p & 1u) != 0 &&
                            c->cxi.data_entry[p] == c->cx.taken_entry);
    }
    return WHEN(lanes, GRANT) | WHEN(c->granted_rows > 1, GRANT_ROWS) |
           WHEN(c->prf_conflicts, BANK_CONFLICT) | WHEN(c->lane_conflicts, LANE_CONFLICT) |
           WHEN(c->no_entry, NO_ENTRY) | WHEN(frees, ENTRY_REUSED) | WHEN(c->hits, HIT) |
           WHEN(c->cxi.bind_valid & bit_not(c->cx.bind_ready), BIND_REFUSED) |
           WHEN(registers > c->prf_reads, BROADCAST);
}

static uint64_t service_events(const cfg_t *cfg, const cycle_t *c) {
    const uint64_t all = wlk_mask(cfg->num_lanes), lanes = c->cxi.write_mask & all;
    const uint32_t waiting = c->waiters[0] | c->waiters[1] | c->waiters[2];
    return WHEN(waiting && c->cxi.commit, WAKE) | WHEN(c->forwards, FORWARD) |
           WHEN(c->forwards > 1, FORWARD_SEVERAL) | WHEN(c->cx.lost, LOST) |
           WHEN(c->cxi.merge, MERGE) | WHEN(c->refused, WRITE_REFUSED) |
           WHEN(c->p.buffer && c->service && c->stored_at > 0, WRITE_OVERTAKES) |
           WHEN(c->p.buffer && c->offered && !c->wb_ready, BUFFER_FULL) |
           WHEN(c->cx.write && lanes != 0 && lanes != all, PARTIAL_WRITE);
}

static uint64_t issue_events(const state_t *st, const cycle_t *c) {
    uint64_t found = WHEN(c->rs.eligible & ~c->rs.candidates, IN_ORDER_HOLDS) |
                     WHEN(!set_is_single(c->fires), ISSUE_SEVERAL);
    for (uint32_t p = 0; p < c->s.ports; p++) {
        const uint64_t *words = st->stage[p].words;
        const bool completes = (c->done_any >> c->choice[p] & 1u) != 0;
        found |= WHEN(!set_is_single(c->candidates[p]), SEVERAL_ELIGIBLE) |
                 WHEN((c->dispatches >> p & 1u) != 0 && completes, FORWARDED);
        if ((c->fires >> p & 1u) == 0) {
            found |= WHEN(st->stage[p].full, ISSUE_BLOCKED);
            continue;
        }
        found |= EVENT(ISSUE) | WHEN(!wlk_entry_has_rs(words), NO_SOURCE) |
                 WHEN(!wlk_entry_get_hasRd(words), NO_RD) | WHEN(wlk_entry_x0(words), X0_SOURCE) |
                 WHEN(wlk_entry_repeats(words), REPEATED_SOURCE);
    }
    return found;
}

static uint64_t events(const cfg_t *cfg, const state_t *st, const uint64_t *in, const cycle_t *c) {
    if (c->reset) {
        return WHEN(st->reservStation.valid, RESET_IN_FLIGHT);
    }
    return admission_events(st, c) | collect_events(c) | service_events(cfg, c) |
           issue_events(st, c) | WHEN(GET(softReset, in), SOFT_RESET);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points of Muon's scoreboard; part of model.c. */
#ifndef WLK_SCOREBOARD_COVER_H
#define WLK_SCOREBOARD_COVER_H

static bool moves(const update *u) {
    return u->delta != 0 && u->succeeds;
}

static bool any_moves(const update *reads) {
    return moves(&reads[0]) || moves(&reads[1]) || moves(&reads[2]);
}

/* Does an update that changes a count name preg? */
static bool names(const update *reads, uint32_t preg) {
    bool named = false;
    for (uint32_t i = 0; i < READS; i++) {
        named |= moves(&reads[i]) && reads[i].preg == preg;
    }
    return named;
}

/* Do two ports of a group name one register other than 0? */
#define REPEATS(reads, i, k) ((reads)[i].pReg == (reads)[k].pReg && (reads)[i].pReg != 0)
#define IS_REPEATED(reads)   (REPEATS(reads, 0, 1) || REPEATS(reads, 0, 2) || REPEATS(reads, 1, 2))

/* A read of the collector that moves, or one of the admission that increments. */
static bool names_0(const in_t *in) {
    bool found = false;
    for (uint32_t i = 0; i < READS; i++) {
        const bool moved = in->updateColl.reads[i].incr || in->updateColl.reads[i].decr;
        found |= in->updateColl.reads[i].pReg == 0 && moved;
        found |= in->hazard.updateRS.reads[i].pReg == 0 && in->hazard.updateRS.reads[i].incr;
    }
    return found;
}

/* Does the admission increment a full count that the collector decrements? */
static bool meets_at_most(const cfg_t *cfg, const state_t *st, const cycle *c) {
    bool meets = false;
    for (uint32_t i = 0; i < READS * READS; i++) {
        const update *rs = &c->rs[i / READS], *coll = &c->coll[i % READS];
        meets |= rs->preg == coll->preg && rs->delta > 0 && coll->delta < 0 &&
                 st->pendingReads[coll->preg] == cfg->max_pending_reads;
    }
    return meets;
}

static uint64_t read_events(const cfg_t *cfg, const in_t *in, const cycle *c) {
    uint64_t e = 0;
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        const uint32_t preg = in->hazard.warps[w].readRd.pReg;
        if (in->hazard.warps[w].readRd.enable && preg != 0) {
            e |= names(c->coll, preg) ? EVENT(BYPASS_COLLECTOR) : 0u;
            e |= moves(&c->wb) && c->wb.preg == preg ? EVENT(BYPASS_WRITEBACK) : 0u;
            e |= c->admits && names(c->rs, preg) ? EVENT(NO_BYPASS_ADMISSION) : 0u;
        }
    }
    return e;
}

static uint64_t events(const cfg_t *cfg, const state_t *st, const in_t *in, const out_t *out) {
    const bool coll = in->updateColl.enable, wb = in->updateWB.enable;
    const bool rs = in->hazard.updateRS.enable, any = coll || wb || rs;
    cycle c;
    (void)out;
    if (in->reset) { /* other points do not count then */
        return !drained(cfg, st) ? EVENT(RESET_PENDING) : 0u;
    }
    see(cfg, st, in, &c);
    const bool coll_moves = any_moves(c.coll), coll_fails = !all_succeed(c.coll);
    const bool wb_moves = moves(&c.wb), refused = rs && !c.admits;
    const bool loose = (!coll && coll_moves) || (!wb && wb_moves);
    return read_events(cfg, in, &c) |
           (c.admits && (any_moves(c.rs) || moves(&c.rs_write)) ? EVENT(ADMIT) : 0u) |
           (refused ? EVENT(ADMIT_REFUSED) : 0u) |
           (rs && !all_succeed(c.rs) ? EVENT(READ_OVERFLOW) : 0u) |
           (rs && !c.rs_write.succeeds ? EVENT(WRITE_OVERFLOW) : 0u) |
           (refused && (coll_moves || wb_moves) ? EVENT(ROLLBACK_WITH_UPDATES) : 0u) |
           (rs && meets_at_most(cfg, st, &c) ? EVENT(SATURATED_BOTH) : 0u) |
           (coll && coll_moves ? EVENT(COLLECT) : 0u) | (wb && wb_moves ? EVENT(WRITEBACK) : 0u) |
           (coll && wb && rs ? EVENT(ALL_THREE) : 0u) |
           (IS_REPEATED(in->updateColl.reads) || IS_REPEATED(in->hazard.updateRS.reads)
                ? EVENT(REPEATED_REGISTER)
                : 0u) |
           (coll_fails || !c.wb.succeeds ? EVENT(UNDERFLOW) : 0u) |
           (coll_fails && coll_moves ? EVENT(PARTIAL_GROUP) : 0u) |
           (loose && any ? EVENT(DELTA_WITHOUT_ENABLE) : 0u) |
           (loose && !any ? EVENT(DELTA_UNCOMMITTED) : 0u) | (names_0(in) ? EVENT(REGISTER_0) : 0u);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Muon's scoreboard from a start without its reset: which counts are known (muon-issue §3). A count
 * that is not known holds some legal value, so that every rule stays defined.
 */
#ifndef WLK_ISSUE_SCOREBOARD_LATE_H
#define WLK_ISSUE_SCOREBOARD_LATE_H

#include "scoreboard_rules.h"

/* Whether an update is done, or is not known to be. */
enum { SB_NO, SB_YES, SB_OPEN };

static inline uint32_t sb_is_known(const uint64_t *known, uint32_t preg) {
    return (uint32_t)(known[preg / 64u] >> preg % 64u) & 1u;
}

static inline void sb_know(uint64_t *known, uint32_t preg, uint32_t is) {
    const uint64_t bit = UINT64_C(1) << preg % 64u;
    known[preg / 64u] = (known[preg / 64u] & ~bit) | (is != 0 ? bit : 0u);
}

/* Nothing is known but register 0. */
static inline void sb_late(sb_state *st) {
    memset(st, 0, sizeof *st);
    st->late = 1;
    st->granted = SB_OPEN;
    st->reads_known[0] = st->writes_known[0] = 1;
}

/* Of one bit, a move by one leaves the end that it goes to. */
static inline uint32_t sb_left_known(uint32_t from_known, const sb_change *change, int32_t max) {
    return from_known | (uint32_t)(max == 1 && (change->delta == 1 || change->delta == -1));
}

/* Of what sb_reads and sb_writes return. */
static inline uint32_t sb_reads_known(const sb_state *st, const sb_cycle *c, int32_t max,
                                      uint32_t preg) {
    uint32_t known = sb_is_known(st->reads_known, preg);
    for (uint32_t i = 0; i < 3; i++) {
        if (c->coll[i].preg == preg) {
            known = sb_left_known(known, &c->coll[i], max);
        }
    }
    return known;
}

static inline uint32_t sb_writes_known(const sb_state *st, const sb_cycle *c, uint32_t preg) {
    const uint32_t known = sb_is_known(st->writes_known, preg);
    return c->wb.preg == preg ? sb_left_known(known, &c->wb, 1) : known;
}

/* Is an update done whose count is known, or not? */
static inline uint32_t sb_done(const sb_change *change, uint32_t known, int32_t max) {
    if (change->delta == 0) {
        return SB_YES;
    }
    if (change->delta > max || change->delta < -max) {
        return SB_NO;
    }
    return known != 0 ? (uint32_t)(change->to != change->from) : (uint32_t)SB_OPEN;
}

/* Of two that must both be done. */
static inline uint32_t sb_both(uint32_t a, uint32_t b) {
    return a == SB_NO || b == SB_NO ? (uint32_t)SB_NO : wlk_max(a, b);
}

static inline uint32_t sb_coll_done(const sb_state *st, const sb_cycle *c, int32_t max) {
    uint32_t done = SB_YES;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t known = sb_is_known(st->reads_known, c->coll[i].preg);
        done = sb_both(done, sb_done(&c->coll[i], known, max));
    }
    return done;
}

static inline uint32_t sb_wb_done(const sb_state *st, const sb_cycle *c) {
    return sb_done(&c->wb, sb_is_known(st->writes_known, c->wb.preg), 1);
}

/* Whether the admission is, whatever its enable. */
static inline uint32_t sb_rs_done(const sb_state *st, const sb_cycle *c, int32_t max) {
    uint32_t done = sb_done(&c->rs_write, sb_writes_known(st, c, c->rs_write.preg), 1);
    for (uint32_t i = 0; i < 3; i++) {
        done = sb_both(done, sb_done(&c->rs[i], sb_reads_known(st, c, max, c->rs[i].preg), max));
    }
    return done;
}

/*
 * A read port shows @p count, after collector and write-back. @p done: whether all updates of the
 * collector are done, as is seen.
 */
static inline void sb_learn_reads(sb_state *st, const sb_cycle *c, int32_t max, uint32_t preg,
                                  uint32_t count, uint32_t done) {
    int32_t from = (int32_t)count, delta = 0;
    uint32_t others = 0;
    for (uint32_t i = 0; i < 3; i++) {
        delta += c->coll[i].preg == preg ? c->coll[i].delta : 0;
        others |= (uint32_t)(c->coll[i].preg != preg && c->coll[i].delta != 0);
    }
    if (sb_is_known(st->reads_known, preg) || from > max) {
        return;
    }
    /* Either it moved, or it could not. */
    const bool may_move = from - delta >= 0 && from - delta <= max;
    const bool may_stay = from + delta < 0 || from + delta > max;
    const bool moved = delta != 0 && may_move && (done == SB_YES || !may_stay);
    const bool stayed = delta == 0 || (may_stay && (!may_move || (done == SB_NO && !others)));
    if (moved || stayed) {
        st->pendingReads[preg] = (uint8_t)(moved ? from - delta : from);
        sb_know(st->reads_known, preg, 1);
    }
}

static inline void sb_learn_writes(sb_state *st, const sb_cycle *c, uint32_t preg, uint32_t count) {
    const bool moves = c->wb.preg == preg && c->wb.delta != 0;
    if (!moves && !sb_is_known(st->writes_known, preg)) {
        st->pendingWrites[preg] = (uint8_t)count;
        sb_know(st->writes_known, preg, 1);
    }
}

/* What the edge leaves of the admission's registers, where it is done or may be. */
static inline void sb_know_admission(sb_state *st, const sb_cycle *c, uint32_t done,
                                     const uint32_t *known, int32_t max) {
    for (uint32_t i = 0; i < 3; i++) {
        if (c->rs[i].delta == 0) {
            continue;
        }
        const bool whole = c->rs[i].delta == max; /* it was 0 */
        sb_know(st->reads_known, c->rs[i].preg,
                (uint32_t)(done == SB_YES) & (known[i] | (uint32_t)whole));
        if (done == SB_YES && whole) {
            st->pendingReads[c->rs[i].preg] = (uint8_t)max;
        }
    }
    if (c->rs_write.delta != 0) {
        if (done == SB_YES) {
            st->pendingWrites[c->rs_write.preg] = c->rs_write.delta > 0;
        }
        sb_know(st->writes_known, c->rs_write.preg, (uint32_t)(done == SB_YES));
    }
}

/* The clock edge, after sb_admission. */
static inline void sb_commit_late(sb_state *st, const sb_cycle *cycle, int32_t max) {
    sb_cycle c = *cycle;
    uint32_t done = sb_rs_done(st, &c, max), coll[3], rs[3];
    done = done == SB_OPEN ? st->granted : done;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t from = sb_is_known(st->reads_known, c.coll[i].preg);
        coll[i] = sb_left_known(from, &c.coll[i], max);
        rs[i] = sb_reads_known(st, &c, max, c.rs[i].preg);
    }
    const uint32_t wb = sb_writes_known(st, &c, c.wb.preg);
    c.rs_success = done == SB_YES;
    sb_commit(st, &c);
    st->granted = SB_OPEN;
    for (uint32_t i = 0; i < 3 && c.any_enable; i++) {
        sb_know(st->reads_known, c.coll[i].preg, coll[i]);
    }
    if (c.any_enable) {
        sb_know(st->writes_known, c.wb.preg, wb);
    }
    if (c.rs_enable && done != SB_NO) {
        sb_know_admission(st, &c, done, rs, max);
    }
}

/* All counts known: as after a reset. */
static inline void sb_settle(sb_state *st, uint32_t num_pregs) {
    for (uint32_t first = 0; first < num_pregs; first += 64u) {
        const uint64_t all = wlk_mask(wlk_min(num_pregs - first, 64u));
        if ((st->reads_known[first / 64u] & st->writes_known[first / 64u] & all) != all) {
            return;
        }
    }
    st->late = 0;
    st->reset_seen = 1;
}

static inline void sb_visit(const sb_state *st, uint32_t num_pregs, wlk_state_visitor *visitor,
                            void *ctx) {
    for (uint32_t r = 1; r < num_pregs; r++) {
        const uint64_t reads = st->pendingReads[r], writes = st->pendingWrites[r];
        const uint64_t reads_known = st->reset_seen | sb_is_known(st->reads_known, r);
        const uint64_t writes_known = st->reset_seen | sb_is_known(st->writes_known, r);
        if (reads != 0 || !reads_known) {
            visitor(ctx, "pendingReads", (int32_t)r, &reads, 1u, reads_known, WLK_DECIMAL);
        }
        if (writes != 0 || !writes_known) {
            visitor(ctx, "pendingWrites", (int32_t)r, &writes, 1u, writes_known, WLK_DECIMAL);
        }
    }
}

#endif

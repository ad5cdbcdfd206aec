/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of Muon's scoreboard (muon-issue §3) for the stage, inlined into it. A cycle:
 * sb_updates (collector and write-back), any number of sb_reads and sb_writes, then sb_admission
 * (on top of both), sb_commit.
 */
#ifndef WLK_ISSUE_SCOREBOARD_RULES_H
#define WLK_ISSUE_SCOREBOARD_RULES_H

#include <string.h>

#include "frame/bits.h"
#include "warplock/block.h"
#include "warplock/issue.h"
#include "warplock/muon.h"

typedef wlk_issue_scoreboard sb_state;

/* One update port as the ports carry it; reads lie side by side, index 0 lowest. */
typedef struct sb_port {
    uint32_t enable;
    uint32_t write_preg, write_incr, write_decr;
    uint32_t reads_preg, reads_incr, reads_decr;
} sb_port;

/* Changes of the counts of a group: register, its count, the count it gets. */
typedef struct sb_change {
    uint32_t preg;
    int32_t from, delta, to;
} sb_change;

/* A cycle, derived once. */
typedef struct sb_cycle {
    sb_change coll[3], wb, rs[3], rs_write;
    uint32_t coll_success, wb_success, rs_success; /* whatever the enables are */
    uint32_t rs_enable, any_enable;
    /* Bit r % 64: collector or write-back may change register r; a read of another one is quick. */
    uint64_t coll_touches, wb_touches;
} sb_cycle;

static inline int32_t sb_all(bool condition) {
    return -(int32_t)condition;
}

/* The first of two that name a register gets the sum; not by a branch, which random registers make
 * hard to foretell. */
static inline void sb_join(sb_change *first, sb_change *other) {
    const int32_t same = sb_all(first->preg == other->preg);
    first->delta += other->delta & same;
    other->preg &= ~(uint32_t)same;
}

/* §3.1: the first port naming a register carries the sums; register 0 never changes. */
static inline void sb_consolidate(const sb_port *port, sb_change *group) {
    for (uint32_t i = 0; i < 3; i++) {
        group[i].preg = wlk_preg_at(port->reads_preg, i);
        group[i].delta =
            (int32_t)(port->reads_incr >> i & 1u) - (int32_t)(port->reads_decr >> i & 1u);
    }
    sb_join(&group[0], &group[1]);
    sb_join(&group[0], &group[2]);
    sb_join(&group[1], &group[2]);
    for (uint32_t i = 0; i < 3; i++) {
        group[i].delta &= sb_all(group[i].preg != 0);
    }
}

/* §3.2: a count that would leave 0..max stays, and the update fails. */
static inline uint32_t sb_apply(sb_change *change, int32_t max) {
    const int32_t to = change->from + change->delta;
    const bool fits = to >= 0 && to <= max;
    change->to = fits ? to : change->from;
    return (uint32_t)fits;
}

static inline sb_change sb_write_change(const sb_port *port) {
    sb_change change = {port->write_preg, 0, 0, 0};
    change.delta = (int32_t)port->write_incr - (int32_t)port->write_decr;
    change.delta &= sb_all(change.preg != 0);
    return change;
}

/* §3.2: the updates of collector (reads) and write-back (write) on the table's values. */
static inline void sb_updates(const sb_state *st, uint32_t max_reads, const sb_port *coll,
                              const sb_port *wb, sb_cycle *c) {
    sb_consolidate(coll, c->coll);
    c->coll_success = 1;
    c->coll_touches = 0;
    for (uint32_t i = 0; i < 3; i++) {
        c->coll[i].from = st->pendingReads[c->coll[i].preg];
        c->coll_success &= sb_apply(&c->coll[i], (int32_t)max_reads);
        c->coll_touches |= (uint64_t)(c->coll[i].delta != 0) << c->coll[i].preg % 64u;
    }
    c->wb = sb_write_change(wb);
    c->wb.from = st->pendingWrites[c->wb.preg];
    c->wb_success = sb_apply(&c->wb, 1);
    c->wb_touches = (uint64_t)(c->wb.delta != 0) << c->wb.preg % 64u;
    c->any_enable = coll->enable | wb->enable;
}

/* §3.5: the counts that a read shows: after collector and write-back, before the RS. */
static inline uint32_t sb_reads(const sb_state *st, const sb_cycle *c, uint32_t preg) {
    uint32_t count = st->pendingReads[preg];
    if ((c->coll_touches >> preg % 64u & 1u) == 0) {
        return count;
    }
    for (uint32_t i = 0; i < 3; i++) {
        count = c->coll[i].preg == preg ? (uint32_t)c->coll[i].to : count;
    }
    return count;
}

static inline uint32_t sb_writes(const sb_state *st, const sb_cycle *c, uint32_t preg) {
    const bool touched = c->wb_touches >> preg % 64u & 1u;
    return touched && c->wb.preg == preg ? (uint32_t)c->wb.to : st->pendingWrites[preg];
}

/* §3.2, §3.3: the admission on top of the other two. */
static inline void sb_admission(const sb_state *st, uint32_t max_reads, const sb_port *rs,
                                sb_cycle *c) {
    sb_consolidate(rs, c->rs);
    c->rs_success = 1;
    for (uint32_t i = 0; i < 3; i++) {
        c->rs[i].from = (int32_t)sb_reads(st, c, c->rs[i].preg);
        c->rs_success &= sb_apply(&c->rs[i], (int32_t)max_reads);
    }
    c->rs_write = sb_write_change(rs);
    c->rs_write.from = (int32_t)sb_writes(st, c, c->rs_write.preg);
    c->rs_success &= sb_apply(&c->rs_write, 1);
    c->rs_enable = rs->enable;
    c->any_enable |= rs->enable;
}

/* What the updates of collector and write-back leave. */
static inline void sb_put_updates(sb_state *st, const sb_cycle *c) {
    for (uint32_t i = 0; i < 3; i++) {
        st->pendingReads[c->coll[i].preg] = (uint8_t)c->coll[i].to;
    }
    st->pendingWrites[c->wb.preg] = (uint8_t)c->wb.to;
}

/* And what they found. */
static inline void sb_take_back(sb_state *st, const sb_cycle *c) {
    for (uint32_t i = 0; i < 3; i++) {
        st->pendingReads[c->coll[i].preg] = (uint8_t)c->coll[i].from;
    }
    st->pendingWrites[c->wb.preg] = (uint8_t)c->wb.from;
}

static inline uint8_t sb_if(int32_t done, const sb_change *change) {
    return (uint8_t)(change->from ^ ((change->from ^ change->to) & done));
}

/* On top of the updates; all or nothing. */
static inline void sb_put_admission(sb_state *st, const sb_cycle *c) {
    const int32_t done = sb_all((c->rs_enable & c->rs_success) != 0);
    for (uint32_t i = 0; i < 3; i++) {
        st->pendingReads[c->rs[i].preg] = sb_if(done, &c->rs[i]);
    }
    st->pendingWrites[c->rs_write.preg] = sb_if(done, &c->rs_write);
}

/* §3.4: an enable of any port commits collector and write-back. */
static inline void sb_commit(sb_state *st, const sb_cycle *c) {
    if (c->any_enable) {
        sb_put_updates(st, c);
        sb_put_admission(st, c);
    }
}

/*
 * The same where every read would have to ask whether it names a register that is being updated:
 * the updates are put into the table before it is read. After that either the edge or sb_take_back.
 */
static inline void sb_put_early(sb_state *st, sb_cycle *c) {
    sb_put_updates(st, c);
    c->coll_touches = 0;
    c->wb_touches = 0;
}

static inline void sb_commit_early(sb_state *st, const sb_cycle *c) {
    if (c->any_enable) {
        sb_put_admission(st, c);
    } else {
        sb_take_back(st, c);
    }
}

static inline void sb_reset(sb_state *st) {
    memset(st, 0, sizeof *st);
    st->reset_seen = 1;
}

static inline void sb_init(sb_state *st, wlk_power_up power_up) {
    memset(st, 0, sizeof *st);
    st->reset_seen = power_up == WLK_POWER_ZERO;
}

static inline bool sb_drained(const sb_state *st, uint32_t num_pregs) {
    uint32_t any = 0;
    for (uint32_t r = 0; r < num_pregs; r++) {
        any |= (uint32_t)st->pendingReads[r] | st->pendingWrites[r];
    }
    return any == 0;
}

#endif

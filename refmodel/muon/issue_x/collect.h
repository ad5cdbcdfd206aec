/* SPDX-License-Identifier: Apache-2.0 */
/* The issue stage of the Muon document: entries, slots and grants (§4.1, §4.2). */
#ifndef WLK_ISSUE_X_COLLECT_H
#define WLK_ISSUE_X_COLLECT_H

#include "slots_late.h"

/* Operands that rows still have to ask for, and rows that may not ask for any. */
typedef struct ix_needs {
    uint32_t of[IX_OPERANDS]; /* rows */
    uint32_t some, whole;     /* rows with one; rows whose operands are ready or needed, all */
    uint32_t owing;           /* rows with one neither ready nor fired */
} ix_needs;

IX_INLINE ix_needs ix_needs_of(const rs_state *rs) {
    ix_needs n = {.whole = rs->valid};
    for (uint32_t i = 0; i < IX_OPERANDS; i++) {
        n.of[i] = rs->valid & ~(rs->opReady[i] | rs->busy[i] | rs->collFired[i]);
        n.some |= n.of[i];
        n.whole &= rs->opReady[i] | n.of[i];
        n.owing |= rs->valid & ~(rs->opReady[i] | rs->collFired[i]);
    }
    return n;
}

/* in_order_per_warp: rows without an older one of their warp that still has to ask. */
IX_INLINE uint32_t ix_may_collect(const ix_state *st, const ix_policy *p, const ix_needs *n,
                                  uint32_t rows) {
    return p->in_order ? rs_oldest(&st->reservStation, rows, n->owing) : rows;
}

IX_INLINE uint32_t ix_with_source(const rs_state *rs) {
    return rs->valid & (rs->has_rs[0] | rs->has_rs[1] | rs->has_rs[2]);
}

/* The first row, in the order of the walk, whose group has room; eager walks by age. */
IX_INLINE void ix_take_first(const ix_state *st, ix_cycle *c, uint32_t rows) {
    uint32_t without = 0;
    ix_walk walk = {.left = rows};
    while (walk.left != 0) {
        const uint32_t row = ix_next(st, &c->p, &walk);
        const uint32_t group = ix_row_group(st, &c->s, row);
        if ((c->cx.room >> group & 1u) != 0) {
            c->take = 1;
            c->take_row = row;
            c->cxi.alloc_valid = 1;
            c->cxi.alloc_group = group;
            break;
        }
        without |= UINT32_C(1) << group;
        walk.left = c->s.groups == 1 ? 0u : walk.left;
    }
    c->no_entry = set_size(without);
}

IX_INLINE void ix_bind(const ix_state *st, ix_cycle *c, uint32_t rows) {
    const rs_state *rs = &st->reservStation;
    ix_walk walk = {.left = rows};
    c->bind_row = rows != 0 ? ix_next(st, &c->p, &walk) : 0u;
    c->cxi.bind_valid = (uint32_t)(rows != 0);
    c->cxi.bind_enable = rs_operands(rs->has_rs, c->bind_row);
    c->cxi.bind_busy = rs_operands(rs->busy, c->bind_row);
    for (uint32_t i = 0; i < IX_OPERANDS; i++) {
        c->cxi.bind_preg[i] = rs->rs[i][c->bind_row];
    }
    cx_find_slots(&st->collector, &c->s, &c->cxi, &c->cx);
    if (st->late.slots) {
        ix_find_slots_late(st, c);
    }
    c->hits = c->cx.hit & bit_all(c->cx.bind_ready);
    c->no_entry = c->cxi.bind_valid & bit_not(c->cx.bind_ready);
    for (uint32_t left = c->hits; left != 0; left &= left - 1u) {
        const uint32_t i = set_lowest(left);
        ix_decrement(c, ix_row_epoch(st, c->bind_row, i), c->cxi.bind_preg[i]);
    }
}

/* §4.1 */
IX_INLINE void ix_entry(const ix_state *st, ix_cycle *c, const ix_needs *n) {
    const rs_state *rs = &st->reservStation;
    const uint32_t waiting = ix_with_source(rs) & ~st->rows.placed;
    c->take = c->no_entry = c->hits = c->cx.taken = 0;
    c->cx.bind_ready = c->cx.found = c->cx.hit = c->cx.evicts = 0;
    c->cx.freed = c->cx.room = 0;
    if (c->s.collector == CX_CACHING) {
        ix_bind(st, c, waiting);
        return;
    }
    cx_find_room(&st->collector, &c->s, &c->cxi, &c->cx);
    if (c->p.alloc == IX_REQUEST) {
        ix_take_first(st, c, ix_may_collect(st, &c->p, n, waiting & n->some & n->whole));
    } else if (c->p.alloc == IX_EAGER) {
        ix_take_first(st, c, waiting);
    }
    c->cx.taken = c->take;
    c->cx.taken_entry = c->cx.room_entry[c->cxi.alloc_group];
}

/* ---- grants -----------------------------------------------------------------------------------
 */

IX_INLINE void ix_grant(ix_cycle *c, uint32_t row, uint32_t i, uint32_t preg, uint32_t place,
                        uint32_t lane) {
    cx_reads *r = &c->cxi.reads;
    r->lanes |= UINT32_C(1) << lane;
    r->preg[lane] = (uint16_t)preg;
    r->row[lane] = (uint8_t)row;
    r->entry[lane] = (uint16_t)place;
    r->operand[lane] = (uint8_t)i;
    c->granted[i] |= UINT32_C(1) << row;
}

/* Is the register's bank, of the operand's copy, used in this cycle; for the same register? */
IX_INLINE uint32_t ix_bank_used(const ix_cycle *c, uint32_t i, uint32_t preg, uint32_t *same) {
    const cx_reads *r = &c->cxi.reads;
    uint32_t used = 0;
    for (uint32_t left = r->lanes; left != 0; left &= left - 1u) {
        const uint32_t lane = set_lowest(left);
        const bool copy = c->s.collector != CX_DUPLICATED || r->operand[lane] == i;
        if (copy && r->preg[lane] != 0 && cx_bank(&c->s, r->preg[lane]) == cx_bank(&c->s, preg)) {
            used = 1;
            *same = (uint32_t)(r->preg[lane] == preg);
        }
    }
    return used;
}

/* §5.3: the bank of the register whose old value is read for its waiters grants no reads. */
IX_INLINE bool ix_merging(const ix_state *st, const ix_cycle *c, uint32_t preg) {
    return c->p.forwarding == CX_MUST && (c->cxi.merge | st->merged) != 0 && c->service != 0 &&
           cx_bank(&c->s, preg) == cx_bank(&c->s, c->cxi.write_preg);
}

IX_INLINE void ix_ask(const ix_state *st, ix_cycle *c, uint32_t row, uint32_t i, uint32_t place) {
    const uint32_t preg = st->reservStation.rs[i][row], lane = cx_lane(&c->s, place, i);
    uint32_t used = 0, same = 0;
    if (preg != 0) {
        used = ix_bank_used(c, i, preg, &same);
        if (ix_merging(st, c, preg) || (used & bit_not(same & c->p.broadcast)) != 0) {
            c->prf_conflicts++;
            return;
        }
    }
    if ((c->cxi.reads.lanes >> lane & 1u) != 0) {
        c->lane_conflicts++;
        return;
    }
    c->prf_reads += (uint32_t)(preg != 0) & bit_not(used);
    ix_grant(c, row, i, preg, place, lane);
}

/* A row's needs, less the hits of this cycle. */
IX_INLINE uint32_t ix_row_needs(const ix_cycle *c, const ix_needs *n, uint32_t row) {
    const uint32_t hits =
        c->s.collector == CX_CACHING && row == c->bind_row && c->cx.bind_ready ? c->hits : 0u;
    return rs_operands(n->of, row) & ~hits;
}

IX_INLINE void ix_ask_row(const ix_state *st, ix_cycle *c, uint32_t row, uint32_t needs) {
    const bool binds = c->cx.bind_ready != 0 && row == c->bind_row;
    const bool takes = c->take != 0 && row == c->take_row;
    for (; needs != 0; needs &= needs - 1u) {
        const uint32_t i = set_lowest(needs);
        const uint32_t place = binds   ? c->cx.slot[i]
                               : takes ? c->cx.taken_entry
                                       : ix_place(st, &c->s, row, i);
        ix_ask(st, c, row, i, place);
    }
}

/* §4.2 */
IX_INLINE void ix_grants(const ix_state *st, ix_cycle *c, const ix_needs *n) {
    uint32_t rows = st->rows.placed & n->some;
    rows |= c->take != 0 ? (UINT32_C(1) << c->take_row & n->some) : 0u;
    rows |= c->cx.bind_ready != 0 ? (UINT32_C(1) << c->bind_row & n->some) : 0u;
    ix_walk walk = {.left = ix_may_collect(st, &c->p, n, rows)};
    while (walk.left != 0) {
        const uint32_t row = ix_next(st, &c->p, &walk), needs = ix_row_needs(c, n, row);
        const uint32_t before = c->cxi.reads.lanes;
        if (needs == 0) {
            continue;
        }
        if (c->granted_rows == c->p.alloc_rows) {
            return;
        }
        ix_ask_row(st, c, row, needs);
        c->granted_rows += (uint32_t)(c->cxi.reads.lanes != before);
    }
}

/* By default only the row that takes an entry has needs, and each is granted (§1). */
IX_INLINE void ix_grant_all(const ix_state *st, ix_cycle *c, const ix_needs *n) {
    const uint32_t row = c->take_row;
    for (uint32_t i = 0; i < IX_OPERANDS && c->take; i++) {
        const uint32_t preg = st->reservStation.rs[i][row];
        if ((n->of[i] >> row & 1u) != 0) {
            ix_grant(c, row, i, preg, c->cx.taken_entry, i);
            c->prf_reads += (uint32_t)(preg != 0);
        }
    }
}

IX_INLINE void ix_collect(const ix_state *st, ix_cycle *c) {
    const ix_needs n = ix_needs_of(&st->reservStation);
    c->prf_reads = c->prf_conflicts = c->lane_conflicts = c->granted_rows = 0;
    ix_entry(st, c, &n);
    if (c->s.collector == CX_DUPLICATED && c->p.alloc == IX_REQUEST) {
        ix_grant_all(st, c, &n);
    } else {
        ix_grants(st, c, &n);
    }
}

#endif

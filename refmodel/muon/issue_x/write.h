/* SPDX-License-Identifier: Apache-2.0 */
/* The issue stage of the Muon document: the write in service, forwards, what lands (§5, §6). */
#ifndef WLK_ISSUE_X_WRITE_H
#define WLK_ISSUE_X_WRITE_H

#include "cycle.h"

/* §6.2: from the registered counts. */
IX_INLINE uint32_t ix_acceptable(const ix_state *st, const ix_policy *p, uint32_t rd) {
    if (p->war == IX_GATE || rd == 0) {
        return 1u;
    }
    const uint32_t old = p->war == IX_EPOCH ? bit_not(ix_bit(st->scoreboard.epoch, rd)) : 0u;
    return (uint32_t)(st->scoreboard.pendingReads[ix_key(old, rd)] == 0);
}

IX_INLINE void ix_serve_offered(const ix_state *st, ix_cycle *c) {
    const uint32_t ok = ix_acceptable(st, &c->p, c->offered_rd);
    c->service = c->offered & ok;
    c->refused = c->offered & bit_not(ok);
    c->cxi.write_preg = c->offered_rd;
    c->cxi.write_mask = wlk_issue_x_in_get_writeback_bits_tmask(c->in);
}

/* §6.3: the one that stays, else the oldest that is acceptable. */
IX_INLINE void ix_serve_stored(const ix_state *st, ix_cycle *c) {
    c->service = c->cxi.write_preg = 0;
    c->cxi.write_mask = 0;
    for (uint32_t n = st->serving != 0 ? st->serving - 1u : 0u; n < st->n_writes; n++) {
        const wlk_issue_x_write *w = &st->writes[n];
        if (st->serving != 0 || ix_acceptable(st, &c->p, w->rd)) {
            c->service = 1;
            c->stored_at = n;
            c->cxi.write_preg = w->rd;
            c->cxi.write_mask = w->mask;
            break;
        }
    }
    c->refused = bit_not(c->service) & (uint32_t)(st->n_writes != 0);
}

/* §5.1: in the order of the walk each lane takes one waiter whose row has its place. */
IX_INLINE void ix_forward(const ix_state *st, ix_cycle *c, uint32_t rows) {
    ix_walk walk = {.left = rows & st->rows.placed};
    while (walk.left != 0) {
        const uint32_t row = ix_next(st, &c->p, &walk);
        for (uint32_t i = 0; i < IX_OPERANDS; i++) {
            const uint32_t place = ix_place(st, &c->s, row, i);
            const uint32_t lane = cx_lane(&c->s, place, i);
            if ((c->waiters[i] >> row & bit_not(c->cxi.fwd >> lane & 1u) & 1u) != 0) {
                c->cxi.fwd |= UINT32_C(1) << lane;
                c->cxi.fwd_operand[lane] = (uint8_t)i;
                c->cxi.fwd_entry[lane] = (uint16_t)place;
                c->served[i] |= UINT32_C(1) << row;
                c->forwards++;
                if (c->p.counted) {
                    ix_decrement(c, ix_row_epoch(st, row, i), c->rd);
                }
            }
        }
    }
}

/* §5.2, §5.3: whether the write commits, and whom it is forwarded to. */
IX_INLINE void ix_waiters(const ix_state *st, ix_cycle *c) {
    const bool must = c->p.forwarding == CX_MUST;
    const bool whole = (c->cxi.write_mask | ~wlk_mask(c->s.num_lanes)) == ~UINT64_C(0);
    uint32_t rows = 0, left = 0;
    for (uint32_t i = 0; i < IX_OPERANDS; i++) {
        c->waiters[i] = rs_woken(&st->reservStation, i, c->rd);
        rows |= c->waiters[i];
    }
    if (c->p.forwarding == CX_NONE || rows == 0) {
        c->cxi.commit = c->service;
        return;
    }
    c->cxi.merge = (uint32_t)(must && !whole && st->merged == 0);
    if (c->cxi.merge == 0 && (whole || must)) {
        ix_forward(st, c, rows);
    }
    for (uint32_t i = 0; i < IX_OPERANDS; i++) {
        left |= c->waiters[i] & ~c->served[i];
    }
    c->cxi.commit = (uint32_t)(!must || left == 0);
}

/* §6.3 */
IX_INLINE void ix_serve(const ix_state *st, ix_cycle *c) {
    c->offered = wlk_issue_x_in_get_writeback_valid(c->in);
    c->offered_rd = wlk_issue_x_in_get_writeback_bits_rd(c->in);
    if (c->p.buffer != 0) {
        ix_serve_stored(st, c);
    } else {
        ix_serve_offered(st, c);
    }
    c->rd = c->cxi.write_preg & bit_all(c->service);
    c->cxi.write_valid = c->service;
    ix_waiters(st, c);
    c->wb_ready = c->p.buffer != 0 ? (uint32_t)(st->n_writes < c->p.buffer)
                                   : c->cxi.commit | bit_not(c->offered);
}

/* §4.3: what is read and not lost, beside what is forwarded. */
IX_INLINE void ix_land(const ix_state *st, ix_cycle *c) {
    const cx_reads *r = &st->collector.reads;
    c->cx.fwd = c->cxi.fwd;
    c->cx.lost = cx_lost(&st->collector, &c->s, c->cxi.fwd, c->rd);
    for (uint32_t left = r->lanes & ~c->cx.lost; left != 0; left &= left - 1u) {
        const uint32_t lane = set_lowest(left), row = r->row[lane], i = r->operand[lane];
        c->rs.hit[i] |= UINT32_C(1) << row;
        ix_decrement(c, ix_row_epoch(st, row, i), r->preg[lane]);
    }
    for (uint32_t i = 0; i < IX_OPERANDS; i++) {
        c->done[i] = c->rs.hit[i] | c->served[i];
        c->done_any |= c->done[i];
    }
}

#endif

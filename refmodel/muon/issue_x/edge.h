/* SPDX-License-Identifier: Apache-2.0 */
/* The issue stage of the Muon document: the clock edge (§8). */
#ifndef WLK_ISSUE_X_EDGE_H
#define WLK_ISSUE_X_EDGE_H

#include "cycle.h"

/* ---- rows --------------------------------------------------------------------------------------
 */

/* A valid row that is no longer one, in the order of age. */
IX_INLINE void ix_forget_age(wlk_issue_x_rows *rows, uint32_t row) {
    uint32_t at = 0;
    while (rows->by_age[at] != row) {
        at++;
    }
    rows->n_by_age--;
    for (; at < rows->n_by_age; at++) {
        rows->by_age[at] = rows->by_age[at + 1u];
    }
}

/* The chosen row moves to its port's stage. It keeps its contents. */
IX_INLINE void ix_load_stage(ix_state *st, const ix_cycle *c, uint32_t port) {
    rs_state *rs = &st->reservStation;
    wlk_issue_x_stage *stage = &st->stage[port];
    const uint32_t row = c->choice[port], bit = UINT32_C(1) << row;
    memcpy(stage->words, rs->entry[row], WLK_ENTRY_WORDS * sizeof(uint64_t));
    stage->placed = (uint8_t)(st->rows.placed >> row & 1u);
    stage->entry = st->rows.entry[row];
    stage->unit = (uint8_t)ix_row_group(st, &c->s, row);
    for (uint32_t i = 0; i < IX_OPERANDS && c->s.collector == CX_CACHING; i++) {
        stage->slot[i] = st->rows.slot[i][row];
    }
    stage->known = 1;
    stage->last = arbiter_granted(c->candidates[port], stage->last, c->p.rows);
    rs->valid &= ~bit;
    rs->warp_rows[rs->warp[row]] &= ~bit;
    for (uint32_t left = c->p.in_order ? rs->warp_rows[rs->warp[row]] : 0u; left != 0;
         left &= left - 1u) {
        rs->older[set_lowest(left)] &= ~bit;
    }
    st->rows.placed &= ~bit;
    if (c->p.by_age) {
        ix_forget_age(&st->rows, row);
    }
}

IX_INLINE void ix_stages_edge(ix_state *st, const ix_cycle *c) {
    for (uint32_t p = 0; p < c->s.ports; p++) {
        const uint32_t loads = c->dispatches >> p & 1u, leaves = c->fires >> p & 1u;
        st->stage[p].full = (uint8_t)(loads | (st->stage[p].full & bit_not(leaves)));
        if (loads) {
            ix_load_stage(st, c, p);
        }
    }
}

/* Entry, or slots, of the row that gets them. */
IX_INLINE void ix_place_edge(ix_state *st, const ix_cycle *c) {
    if (c->take) {
        st->rows.entry[c->take_row] = (uint16_t)c->cx.taken_entry;
        st->rows.placed |= UINT32_C(1) << c->take_row;
    }
    if (c->cx.bind_ready != 0) {
        st->rows.placed |= UINT32_C(1) << c->bind_row;
        for (uint32_t i = 0; i < IX_OPERANDS; i++) {
            st->rows.slot[i][c->bind_row] = (uint8_t)c->cx.slot[i];
        }
    }
}

/* Flags of the operands; before the rows that leave are gone. */
IX_INLINE void ix_operands_edge(ix_state *st, const ix_cycle *c, const uint32_t *woken) {
    rs_state *rs = &st->reservStation;
    const cx_reads *r = &st->collector.reads;
    for (uint32_t i = 0; i < IX_OPERANDS; i++) {
        const uint32_t hit = (c->hits >> i & 1u) != 0 ? UINT32_C(1) << c->bind_row : 0u;
        rs->opReady[i] |= c->done[i] | hit;
        rs->collFired[i] |= c->granted[i] | c->served[i] | hit;
        rs->busy[i] &= ~(c->served[i] | (woken[i] & bit_all(c->cxi.commit)));
    }
    for (uint32_t left = c->cx.lost; left != 0; left &= left - 1u) {
        const uint32_t lane = set_lowest(left);
        rs->collFired[r->operand[lane]] &= ~(UINT32_C(1) << r->row[lane]);
    }
}

/* What the station does not keep of an instruction that enters a row. */
IX_INLINE void ix_admit_row(ix_state *st, const ix_cycle *c, uint32_t row) {
    const uint32_t bit = UINT32_C(1) << row, group = ix_group(&c->s, c->unit);
    rs_admit(&st->reservStation, row, &c->admission);
    st->rows.placed &= ~bit;
    if (c->p.alloc == IX_ADMIT) {
        st->rows.placed |= bit & bit_all(c->cx.taken);
        st->rows.entry[row] = (uint16_t)c->cx.taken_entry;
    }
    for (uint32_t g = 0; g < c->s.groups && c->s.groups > 1; g++) {
        rs_set(&st->rows.unit[g], bit, (uint32_t)(g == group));
    }
    for (uint32_t i = 0; i < IX_OPERANDS && c->p.war == IX_EPOCH; i++) {
        const uint32_t preg = wlk_entry_rs(c->admission.entry, i);
        rs_set(&st->rows.epoch[i], bit, ix_bit(st->scoreboard.epoch, preg));
    }
    if (c->p.by_age) {
        st->rows.by_age[st->rows.n_by_age++] = (uint8_t)row;
    }
}

/* ---- scoreboard --------------------------------------------------------------------------------
 */

IX_INLINE void ix_counts_edge(ix_state *st, const ix_cycle *c) {
    wlk_issue_x_scoreboard *sb = &st->scoreboard;
    for (uint32_t n = 0; n < c->n_decrements; n++) {
        sb->pendingReads[c->decrement[n]]--;
    }
    if (c->cxi.commit) {
        sb->pendingWrites[c->rd] = 0;
    }
    if (!c->hz.fires) {
        return;
    }
    for (uint32_t n = 0; n < c->n_increments; n++) {
        sb->pendingReads[c->increment[n]]++;
    }
    const uint32_t rd = wlk_entry_get_rd(c->admission.entry);
    if (rd != 0 && wlk_entry_get_hasRd(c->admission.entry)) {
        sb->pendingWrites[rd] = 1;
        if (c->p.war == IX_EPOCH) {
            sb->epoch[rd / 64u] ^= UINT64_C(1) << rd % 64u;
        }
    }
}

/* ---- stored writes (§6.3) ----------------------------------------------------------------------
 */

IX_INLINE uint32_t ix_stored_row(const cx_shape *s, uint32_t row) {
    return cx_rows(s) + row;
}

IX_INLINE void ix_unstore(ix_state *st, uint32_t at) {
    const uint32_t row = st->writes[at].row;
    st->rows_free[row / 64u] |= UINT64_C(1) << row % 64u;
    st->n_writes--;
    for (; at < st->n_writes; at++) {
        st->writes[at] = st->writes[at + 1u];
    }
}

IX_INLINE void ix_store(ix_state *st, const ix_cycle *c, const void *data) {
    const uint32_t half = st->rows_free[0] != 0 ? 0u : 1u;
    const uint32_t row = 64u * half + (uint32_t)__builtin_ctzll(st->rows_free[half]);
    const uint32_t to = ix_stored_row(&c->s, row);
    const uint64_t mask = wlk_issue_x_in_get_writeback_bits_tmask(c->in);
    st->rows_free[half] &= st->rows_free[half] - 1u;
    st->writes[st->n_writes++] = (wlk_issue_x_write){mask, (uint16_t)c->offered_rd, (uint8_t)row};
    prf_write(cx_at(&st->collector, &c->s, to), data, ~UINT64_C(0), c->s.words, c->s.lane_bits);
    st->collector.known[to] = ~UINT64_C(0);
    st->from_payload[st->n_from_payload++] = (uint16_t)to;
}

IX_INLINE void ix_stored_edge(ix_state *st, const ix_cycle *c, const void *data) {
    st->serving = (uint8_t)((c->stored_at + 1u) & bit_all(c->service & bit_not(c->cxi.commit)));
    if (c->cxi.commit) {
        ix_unstore(st, c->stored_at);
    }
    if (c->offered & c->wb_ready) {
        ix_store(st, c, data);
    }
}

/* ---- the collector ------------------------------------------------------------------------------
 */

/* Rows that what is in service is stored in: register, entries. */
IX_INLINE uint32_t ix_targets(const ix_cycle *c, uint16_t *rows) {
    uint32_t n = 0;
    if (c->cx.write) {
        rows[n++] = (uint16_t)cx_register_row(&c->s, c->rd);
    }
    for (uint32_t left = c->cxi.fwd; left != 0; left &= left - 1u) {
        const uint32_t lane = set_lowest(left);
        rows[n++] = (uint16_t)cx_row(&c->s, c->cxi.fwd_entry[lane], c->cxi.fwd_operand[lane]);
    }
    return n;
}

IX_INLINE void ix_collector_edge(ix_state *st, const ix_cycle *c, const void *data) {
    const bool stored = c->p.buffer != 0 && c->service != 0;
    const uint32_t from = stored ? ix_stored_row(&c->s, st->writes[c->stored_at].row) : 0u;
    const void *value = stored ? cx_at(&st->collector, &c->s, from) : data;
    uint16_t rows[CX_LANES + 1u];
    const uint32_t n = ix_targets(c, rows);
    cx_commit(&st->collector, &c->s, &c->cxi, &c->cx, value);
    st->n_from_payload = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (stored) {
            st->collector.known[rows[k]] &= ~c->cxi.write_mask | st->collector.known[from];
        } else {
            st->from_payload[st->n_from_payload++] = rows[k];
        }
    }
    const bool sure = c->p.war == IX_GATE && c->p.forwarding != CX_MUST && c->p.buffer == 0;
    if (!st->hazard.reset_seen && !sure) {
        // Whether the write was done is unknown.
        for (uint32_t k = 0; k < n; k++) {
            st->collector.known[rows[k]] &= ~c->cxi.write_mask;
        }
    }
}

/* ---- counters (§11) -----------------------------------------------------------------------------
 */

IX_INLINE uint64_t ix_occupancy(const ix_state *st, const cx_shape *s) {
    uint64_t n = 0;
    if (s->collector != CX_CACHING) {
        for (uint32_t w = 0; w < (s->entries + 63u) / 64u; w++) {
            n += (uint64_t)__builtin_popcountll(st->collector.taken[w]);
        }
        return n;
    }
    for (uint32_t i = 0; i < IX_OPERANDS; i++) {
        for (uint32_t slot = 0; slot < s->depth; slot++) {
            n += st->collector.refs[i][slot] != 0;
        }
    }
    return n;
}

IX_INLINE void ix_count(ix_state *st, const ix_cycle *c) {
    uint64_t *n = st->counters;
    n[WLK_ISSUE_X_PRF_READS] += c->prf_reads;
    n[WLK_ISSUE_X_NO_ENTRY] += c->no_entry;
    n[WLK_ISSUE_X_ENTRY_OCCUPANCY] += ix_occupancy(st, &c->s);
    n[WLK_ISSUE_X_PRF_CONFLICTS] += c->prf_conflicts;
    n[WLK_ISSUE_X_LANE_CONFLICTS] += c->lane_conflicts;
    n[WLK_ISSUE_X_LOST_READS] += set_size(c->cx.lost);
    n[WLK_ISSUE_X_FORWARDS] += c->forwards;
    n[WLK_ISSUE_X_STALLS_WAR] += c->refused;
    n[WLK_ISSUE_X_STALLS_FWD] += c->service & bit_not(c->cxi.commit);
    if (c->cx.bind_ready != 0) {
        n[WLK_ISSUE_X_CACHE_LOOKUPS] += set_size(c->cxi.bind_enable);
        n[WLK_ISSUE_X_CACHE_HITS] += set_size(c->hits);
    }
    for (uint32_t left = c->hold; left != 0; left &= left - 1u) {
        st->stalls[set_lowest(left)][WLK_ISSUE_X_HOLD]++;
    }
    for (uint32_t left = c->roomless; left != 0; left &= left - 1u) {
        st->stalls[set_lowest(left)][WLK_ISSUE_X_ROOM]++;
    }
}

IX_INLINE void ix_counters_edge(ix_state *st, const ix_cycle *c) {
    if (c->clear) {
        memset(st->counters, 0, sizeof st->counters);
        memset(st->stalls, 0, sizeof st->stalls);
        rs_clear_counters(&st->reservStation);
    } else {
        ix_count(st, c);
        rs_count(&st->reservStation, c->p.warps, &c->admission, &c->rs);
    }
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

IX_INLINE void ix_reset(ix_state *st) {
    memset(&st->scoreboard, 0, sizeof st->scoreboard);
    memset(&st->rows, 0, sizeof st->rows);
    rs_reset(&st->reservStation);
    st->merged = st->n_writes = st->serving = 0;
    memset(st->rows_free, 0xff, sizeof st->rows_free);
    for (uint32_t p = 0; p < IX_PORTS; p++) {
        st->stage[p].full = 0;
    }
}

/* Before the first reset nothing is known that decides what these are. */
IX_INLINE void ix_undefined(ix_state *st, const ix_policy *p) {
    st->hazard.last = arbiter_unknown(p->warps);
    for (uint32_t port = 0; port < IX_PORTS; port++) {
        st->stage[port].known = 0;
        st->stage[port].last = arbiter_unknown(p->rows);
    }
}

/* @p data: the row of the write that is offered. */
IX_INLINE void ix_commit(ix_state *st, const ix_cycle *c, const void *data) {
    const rs_state *rs = &st->reservStation;
    const uint32_t free_row = set_prio(~rs->valid & set_below(c->p.rows), c->p.rows);
    const uint32_t defined = st->hazard.reset_seen;
    ix_counters_edge(st, c);
    ix_operands_edge(st, c, c->waiters);
    ix_collector_edge(st, c, data);
    ix_place_edge(st, c);
    ix_stages_edge(st, c);
    if (c->hz.fires) {
        ix_admit_row(st, c, free_row);
    }
    ix_counts_edge(st, c);
    st->merged = (uint8_t)((st->merged | c->cxi.merge) & bit_not(c->cxi.commit));
    if (c->p.buffer != 0) {
        ix_stored_edge(st, c, data);
    }
    hz_commit(&st->hazard, &c->hz, c->p.warps);
    if (c->reset) {
        ix_reset(st);
        st->hazard.reset_seen = 1;
    }
    if (!defined) {
        ix_undefined(st, &c->p);
    }
}

#endif

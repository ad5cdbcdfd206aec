/* SPDX-License-Identifier: Apache-2.0 */
/* The issue stage of the Muon document: eligible rows, dispatch, issue (§4.4). */
#ifndef WLK_ISSUE_X_DISPATCH_H
#define WLK_ISSUE_X_DISPATCH_H

#include "cycle.h"

/* The stage's content leaves: its operands are read, its entry or slots freed. */
IX_INLINE void ix_issue(const ix_state *st, ix_cycle *c, uint32_t port) {
    const wlk_issue_x_stage *stage = &st->stage[port];
    const uint32_t fire = c->fires >> port & 1u;
    const uint32_t has = wlk_entry_has_rs(stage->words) & bit_all(fire);
    c->data_enables[port] = has;
    c->cxi.data_valid |= (fire & stage->placed) << port;
    c->cxi.data_enable |= has << IX_OPERANDS * port;
    c->cxi.data_entry[port] = stage->entry;
    for (uint32_t i = 0; i < IX_OPERANDS && c->s.collector == CX_CACHING; i++) {
        c->cxi.data_slot[i] = stage->slot[i];
    }
}

IX_INLINE void ix_dispatch_port(const ix_state *st, ix_cycle *c, uint32_t port) {
    const wlk_issue_x_stage *stage = &st->stage[port];
    const uint32_t mine = c->s.ports > 1 ? st->rows.unit[port] : ~UINT32_C(0);
    const uint32_t free_now = bit_not(stage->full) | (c->fires >> port & 1u);
    c->candidates[port] = c->rs.candidates & mine;
    c->choice[port] = arbiter_choose(c->candidates[port], stage->last, c->p.rows);
    c->dispatches |= (free_now & (uint32_t)(c->candidates[port] != 0)) << port;
    ix_issue(st, c, port);
}

IX_INLINE void ix_dispatch(const ix_state *st, ix_cycle *c) {
    const rs_state *rs = &st->reservStation;
    uint32_t full = 0;
    c->rs.room = (uint32_t)(rs->valid != set_below(c->p.rows));
    c->rs.eligible = rs->valid;
    for (uint32_t i = 0; i < IX_OPERANDS; i++) {
        c->rs.eligible &= rs->opReady[i] | (c->p.forward ? c->done[i] : 0u);
    }
    c->rs.candidates = c->p.in_order ? rs_oldest(rs, c->rs.eligible, rs->valid) : c->rs.eligible;
    for (uint32_t p = 0; p < IX_PORTS && p < c->s.ports; p++) {
        full |= (uint32_t)st->stage[p].full << p;
    }
    c->fires = full & (c->s.ports > 1 ? wlk_issue_x_in_get_issuePort_ready(c->in)
                                      : wlk_issue_x_in_get_issue_ready(c->in));
    c->dispatches = 0;
    for (uint32_t p = 0; p < c->s.ports; p++) {
        ix_dispatch_port(st, c, p);
    }
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of Muon's reservation station (muon-issue §5) for the stages, inlined into them.
 * rs_observe derives all that the ports show from state, response, write-back and issue.ready;
 * rs_commit is the edge, when it is known whether an instruction is admitted and a request taken.
 * Sets have a bit a row; operands are index 0..2.
 */
#ifndef WLK_ISSUE_X_RESERVATION_STATION_RULES_H
#define WLK_ISSUE_X_RESERVATION_STATION_RULES_H

#include <string.h>

#include "frame/arbiter.h"
#include "warplock/issue_x.h"
#include "warplock/muon.h"

typedef wlk_issue_x_reservation_station rs_state;

typedef struct rs_shape {
    uint32_t rows, warps;
    uint32_t forward, in_order, partial; /* the options, 0 or 1 */
} rs_shape;

/* What the ports bring. */
typedef struct rs_inputs {
    uint32_t reset, clear; /* clear: reset or softReset */
    uint32_t resp_valid, resp_entry, resp_enables;
    uint32_t wb_valid, wb_rd;
    uint32_t issue_ready;
} rs_inputs;

typedef struct rs_admission {
    uint32_t valid, ready, op_ready, busy; /* op_ready, busy: bit i for operand i */
    const uint64_t *entry;
} rs_admission;

/* A cycle, derived once. */
typedef struct rs_cycle {
    uint32_t room;                     /* a row is free */
    uint32_t hit[3];                   /* operands that the response completes */
    uint32_t completes;                /* rows with such an operand */
    uint32_t coll_enable;              /* updateColl */
    uint32_t coll_pregs, coll_decr;    /* updateColl, operands side by side */
    uint32_t asks;                     /* rows that may ask for operands */
    uint32_t all_asks;                 /* the same without the in-order rule */
    uint32_t coll_row;                 /* the row that asks */
    uint32_t req_valid;                /* readReq */
    uint32_t req_needs, req_pregs;     /* of that row, whether valid or not */
    uint32_t eligible;                 /* complete rows */
    uint32_t candidates;               /* those that may be dispatched */
    uint32_t choice, dispatch;         /* the row, and whether it enters the stage */
    uint32_t issue_fire;               /* the stage's content leaves */
    uint32_t data_valid, data_enables; /* readData.req */
    uint32_t wake_rd;                  /* register that a write-back wakes, or 0 */
} rs_cycle;

/* Of three sets of rows, those that a row is in: bit i for operand i. */
static inline uint32_t rs_operands(const uint32_t *sets, uint32_t row) {
    return (sets[0] >> row & 1u) | (sets[1] >> row & 1u) << 1 | (sets[2] >> row & 1u) << 2;
}

/* Members of a set that have no older row in another. */
static inline uint32_t rs_oldest(const rs_state *st, uint32_t set, uint32_t among) {
    uint32_t kept = set;
    for (uint32_t rest = set; rest != 0; rest &= rest - 1u) {
        const uint32_t row = set_lowest(rest);
        kept &= ~((uint32_t)((st->older[row] & among) != 0) << row);
    }
    return kept;
}

/* §5 "Collect response". */
static inline void rs_response(const rs_state *st, const rs_inputs *in, rs_cycle *c) {
    const uint32_t enables = in->resp_enables & bit_all(in->resp_valid);
    c->coll_enable = (uint32_t)(enables != 0);
    c->coll_pregs = 0;
    c->coll_decr = 0;
    c->completes = 0;
    for (uint32_t i = 0; i < 3; i++) {
        c->hit[i] = st->valid & ~st->opReady[i] & st->collFired[i] & bit_all(enables >> i & 1u);
        c->completes |= c->hit[i];
    }
    for (uint32_t i = 0; c->completes != 0 && i < 3; i++) {
        const uint32_t any = bit_all((uint32_t)(c->hit[i] != 0));
        const uint32_t preg = st->rs[i][set_highest(c->hit[i] | 1u)] & any;
        c->coll_pregs |= preg << (i * WLK_PREG_BITS);
        c->coll_decr |= (uint32_t)(preg != 0) << i;
    }
}

/* Valid rows that have an operand to ask for. */
static inline uint32_t rs_owing(const rs_state *st) {
    uint32_t owing = 0;
    for (uint32_t i = 0; i < 3; i++) {
        owing |= ~(st->opReady[i] | st->collFired[i]);
    }
    return owing & st->valid;
}

/* §5 "Collect request". */
static inline void rs_search(const rs_shape *shape, const rs_state *st, rs_cycle *c) {
    uint32_t whole = st->valid, some = 0, need[3];
    for (uint32_t i = 0; i < 3; i++) {
        need[i] = ~(st->opReady[i] | st->busy[i] | st->collFired[i]);
        whole &= st->opReady[i] | need[i];
        some |= need[i];
    }
    c->all_asks = st->valid & some & (shape->partial ? ~0u : whole);
    c->asks = shape->in_order ? rs_oldest(st, c->all_asks, rs_owing(st)) : c->all_asks;
    c->req_valid = (uint32_t)(c->asks != 0);
    c->coll_row = set_prio(c->asks, shape->rows);
    c->req_needs = 0;
    c->req_pregs = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t needs = need[i] >> c->coll_row & 1u;
        c->req_needs |= needs << i;
        c->req_pregs |= (st->rs[i][c->coll_row] & bit_all(needs)) << (i * WLK_PREG_BITS);
    }
}

/* §5 "Eligible", "Dispatch", in_order_per_warp. */
static inline void rs_dispatch(const rs_shape *shape, const rs_state *st, rs_cycle *c) {
    c->eligible = st->valid;
    for (uint32_t i = 0; i < 3; i++) {
        c->eligible &= st->opReady[i] | (shape->forward ? c->hit[i] : 0u);
    }
    c->candidates = shape->in_order ? rs_oldest(st, c->eligible, st->valid) : c->eligible;
    c->choice = arbiter_choose(c->candidates, st->last, shape->rows);
    c->dispatch = (uint32_t)(c->candidates != 0) & (bit_not(st->stage_full) | c->issue_fire);
}

static inline void rs_observe(const rs_shape *shape, const rs_state *st, const rs_inputs *in,
                              rs_cycle *c) {
    c->room = (uint32_t)(st->valid != set_below(shape->rows));
    c->issue_fire = st->stage_full & in->issue_ready;
    c->data_valid = c->issue_fire & (uint32_t)(st->stage_collFired != 0);
    c->data_enables = wlk_entry_has_rs(st->stage) & bit_all(c->issue_fire);
    c->wake_rd = in->wb_rd & bit_all(in->wb_valid);
    rs_response(st, in, c);
    rs_search(shape, st, c);
    rs_dispatch(shape, st, c);
}

/* Busy operands that the write-back wakes; §5: not those of register 0. */
static inline uint32_t rs_woken(const rs_state *st, uint32_t operand, uint32_t rd) {
    uint32_t woken = 0;
    uint32_t rest = rd != 0 ? st->valid & st->busy[operand] & st->has_rs[operand] : 0u;
    for (; rest != 0; rest &= rest - 1u) {
        const uint32_t row = set_lowest(rest);
        woken |= (uint32_t)(st->rs[operand][row] == rd) << row;
    }
    return woken;
}

/* Without a branch for each row: which warps have one can hardly be foretold. */
static inline void rs_count(rs_state *st, uint32_t num_warps, const rs_admission *a,
                            const rs_cycle *c) {
    st->cyclesDispatched += st->valid != 0;
    st->cyclesEligible += c->candidates != 0;
    st->accRsOccupancy += set_size(st->valid);
    for (uint32_t w = 0; w < num_warps; w++) {
        uint64_t *counters = st->perWarp[w];
        counters[WLK_ISSUE_X_RS_DISPATCHED] += st->warp_rows[w] != 0;
        counters[WLK_ISSUE_X_RS_ELIGIBLE] += (st->warp_rows[w] & c->candidates) != 0;
    }
    if (a->valid & bit_not(c->room)) {
        st->perWarp[wlk_entry_get_wid(a->entry)][WLK_ISSUE_X_RS_FULL]++;
    }
}

static inline void rs_clear_counters(rs_state *st) {
    st->cyclesDispatched = 0;
    st->cyclesEligible = 0;
    st->accRsOccupancy = 0;
    memset(st->perWarp, 0, sizeof st->perWarp);
}

/* The chosen row, with the entry of a response, moves to the stage. It keeps its contents. */
static inline void rs_load_stage(const rs_shape *shape, rs_state *st, const rs_cycle *c) {
    const uint32_t row = c->choice, bit = UINT32_C(1) << row;
    memcpy(st->stage, st->entry[row], WLK_ENTRY_WORDS * sizeof(uint64_t));
    st->stage_collFired = (uint8_t)rs_operands(st->collFired, row);
    st->stage_collEntry = st->collPtr[row];
    st->stage_known = 1;
    st->fired_known = 1;
    st->last = arbiter_granted(c->candidates, st->last, shape->rows);
    st->valid &= ~bit;
    st->warp_rows[st->warp[row]] &= ~bit;
    for (uint32_t rest = shape->in_order ? st->warp_rows[st->warp[row]] : 0u; rest != 0;
         rest &= rest - 1u) {
        st->older[set_lowest(rest)] &= ~bit;
    }
}

static inline void rs_set(uint32_t *set, uint32_t bit, uint32_t value) {
    *set = (*set & ~bit) | (bit & bit_all(value));
}

/* §5 "Admit": into the lowest row that was free before the edge. */
static inline void rs_admit(rs_state *st, uint32_t row, const rs_admission *a) {
    const uint32_t bit = UINT32_C(1) << row, warp = wlk_entry_get_wid(a->entry);
    const uint32_t has = wlk_entry_has_rs(a->entry);
    for (uint32_t i = 0; i < 3; i++) {
        rs_set(&st->opReady[i], bit, a->op_ready >> i & 1u);
        rs_set(&st->busy[i], bit, a->busy >> i & 1u);
        rs_set(&st->has_rs[i], bit, has >> i & 1u);
        st->collFired[i] &= ~bit;
        st->rs[i][row] = (uint16_t)wlk_entry_rs(a->entry, i);
    }
    memcpy(st->entry[row], a->entry, WLK_ENTRY_WORDS * sizeof(uint64_t));
    st->collPtr[row] = 0;
    st->warp[row] = (uint8_t)warp;
    st->older[row] = st->warp_rows[warp];
    st->sequence[row] = st->nextSequence[warp]++;
    st->valid |= bit;
    st->warp_rows[warp] |= bit;
}

/* Everything that reset reaches (§ "Power-up and reset"). */
static inline void rs_reset(rs_state *st) {
    rs_state after = {.stage_collFired = st->stage_collFired,
                      .stage_collEntry = st->stage_collEntry,
                      .stage_known = st->stage_known,
                      .fired_known = st->fired_known,
                      .last = st->last,
                      .reset_seen = 1};
    memcpy(after.stage, st->stage, sizeof after.stage);
    *st = after;
}

/* The clock edge. @p fires: the collector takes the request. */
static inline void rs_commit(const rs_shape *shape, rs_state *st, const rs_inputs *in,
                             const rs_admission *a, uint32_t fires, const rs_cycle *c) {
    const uint32_t free_row = set_prio(~st->valid & set_below(shape->rows), shape->rows);
    const uint32_t defined = st->reset_seen | st->rows_known;
    const uint32_t woken[3] = {rs_woken(st, 0, c->wake_rd), rs_woken(st, 1, c->wake_rd),
                               rs_woken(st, 2, c->wake_rd)};
    if (in->clear) {
        rs_clear_counters(st);
    } else {
        rs_count(st, shape->warps, a, c);
    }
    for (uint32_t rest = c->completes; rest != 0; rest &= rest - 1u) {
        st->collPtr[set_lowest(rest)] = (uint8_t)in->resp_entry;
    }
    st->stage_full = (uint8_t)(c->dispatch | (st->stage_full & bit_not(c->issue_fire)));
    if (c->dispatch) {
        rs_load_stage(shape, st, c);
    }
    for (uint32_t i = 0; i < 3; i++) {
        st->opReady[i] |= c->hit[i];
        st->busy[i] &= ~woken[i];
        st->collFired[i] |= (fires & c->req_needs >> i & 1u) << c->coll_row;
    }
    if (a->valid & a->ready) {
        rs_admit(st, free_row, a);
    }
    if (in->reset) {
        rs_reset(st);
    }
    if (!defined) {
        // Which row was dispatched at this edge, if any, is unknown.
        st->stage_known = 0;
        st->fired_known = 0;
        st->last = arbiter_unknown(shape->rows);
    }
}

static inline void rs_init(rs_state *st, uint32_t rows, wlk_power_up power_up) {
    memset(st, 0, sizeof *st);
    st->reset_seen = power_up == WLK_POWER_ZERO;
    st->stage_known = st->reset_seen;
    st->last = st->reset_seen ? 1u : arbiter_unknown(rows);
}

static inline bool rs_drained(const rs_state *st) {
    return st->valid == 0 && !st->stage_full;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The issue stage of the Muon document (muon-designs): what its rules work on. A cycle runs in the
 * order of §8: write.h, dispatch.h, collect.h, admit.h, and the
 * edge, edge.h. Sets have a bit a row, a warp, a lane or a port. Sections are those of
 * muon-designs.
 */
#ifndef WLK_ISSUE_X_CYCLE_H
#define WLK_ISSUE_X_CYCLE_H

#include "hazard_rules.h"
#include "muon/collector_x/rules.h"
#include "reservation_station_rules.h"
#include "warplock/issue_x.h"

#define IX_INLINE static inline __attribute__((always_inline))

typedef wlk_issue_x_state ix_state;

enum { IX_OPERANDS = CX_OPERANDS, IX_PORTS = CX_PORTS, IX_REGISTERS = 1024 };
enum { IX_REQUEST, IX_EAGER, IX_ADMIT };
enum { IX_GATE, IX_STALL, IX_EPOCH };
/* Most that are decremented in a cycle: landings and forwards of each lane, hits. */
enum { IX_DECREMENTS = 2 * CX_LANES + IX_OPERANDS };

/* What the configuration decides. */
typedef struct ix_policy {
    uint32_t warps, rows, max_reads;
    uint32_t forward, in_order;                        /* muon-issue §5 */
    uint32_t alloc, by_age, alloc_rows, broadcast;     /* §4 */
    uint32_t forwarding, war, counted, window, buffer; /* §5, §6, §7 */
} ix_policy;

typedef struct ix_cycle {
    ix_policy p;
    cx_shape s;
    const uint64_t *in;
    uint32_t reset, clear;
    /* §5, §6: the write in service */
    uint32_t offered, offered_rd, wb_ready;
    uint32_t service, stored_at;            /* stored_at: which stored write it is */
    uint32_t refused;                       /* a write is there, and none is acceptable */
    uint32_t rd;                            /* of the write in service; 0: nobody waits for it */
    uint32_t waiters[IX_OPERANDS];          /* rows */
    uint32_t served[IX_OPERANDS], forwards; /* of them, and how many */
    uint32_t done[IX_OPERANDS], done_any;   /* operands that land or are forwarded */
    /* §4.4, by port */
    uint32_t candidates[IX_PORTS], choice[IX_PORTS], fires, dispatches;
    uint32_t data_enables[IX_PORTS];
    rs_cycle rs; /* room, hit, eligible, candidates */
    /* §4.1, §4.2 */
    uint32_t take, take_row, bind_row; /* take: a row takes an entry */
    uint32_t no_entry;
    uint32_t granted[IX_OPERANDS], hits; /* rows; operands of bind_row */
    uint32_t prf_reads, prf_conflicts, lane_conflicts, granted_rows;
    cx_inputs cxi;
    cx_cycle cx;
    /* §6.1: counts that go down, and bit r % 64 of their registers */
    uint16_t decrement[IX_DECREMENTS];
    uint32_t n_decrements;
    uint64_t touches;
    /* §7 */
    hz_cycle hz;
    uint8_t pick[WLK_ISSUE_X_MAX_NUM_WARPS]; /* candidate's place in its window */
    uint32_t hold, roomless, fenced;         /* heads; warps with one that is fenced */
    uint32_t unit;                           /* of the chosen instruction */
    uint16_t increment[IX_OPERANDS];         /* counts that go up */
    uint32_t n_increments;
    rs_admission admission;
} ix_cycle;

/* Rows of a set in the order of every walk (§1 alloc_order): the first, and the set without it. */
typedef struct ix_walk {
    uint32_t left, at;
} ix_walk;

IX_INLINE uint32_t ix_next(const ix_state *st, const ix_policy *p, ix_walk *w) {
    uint32_t row = set_lowest(w->left);
    if (p->by_age) {
        do {
            row = st->rows.by_age[w->at++];
        } while ((w->left >> row & 1u) == 0);
    }
    w->left &= ~(UINT32_C(1) << row);
    return row;
}

/* Where a row's operand is stored: its entry, or of a caching collector the slot. */
IX_INLINE uint32_t ix_place(const ix_state *st, const cx_shape *s, uint32_t row, uint32_t i) {
    return s->collector == CX_CACHING ? st->rows.slot[i][row] : st->rows.entry[row];
}

IX_INLINE uint32_t ix_group(const cx_shape *s, uint32_t unit) {
    return s->groups > 1 && unit < s->groups ? unit : 0u;
}

/* Group of a row (§1). */
IX_INLINE uint32_t ix_row_group(const ix_state *st, const cx_shape *s, uint32_t row) {
    uint32_t group = 0;
    for (uint32_t g = 1; g < s->groups; g++) {
        group = (st->rows.unit[g] >> row & 1u) != 0 ? g : group;
    }
    return group;
}

/* ---- counts of pending reads, after this cycle's decrements (§8 step 6) --------------------- */

IX_INLINE uint32_t ix_bit(const uint64_t *bits, uint32_t preg) {
    return (uint32_t)(bits[preg / 64u] >> preg % 64u) & 1u;
}

IX_INLINE uint32_t ix_key(uint32_t epoch, uint32_t preg) {
    return epoch * IX_REGISTERS + preg;
}

/* Register 0 is not counted. */
IX_INLINE void ix_decrement(ix_cycle *c, uint32_t epoch, uint32_t preg) {
    if (preg != 0) {
        c->decrement[c->n_decrements++] = (uint16_t)ix_key(epoch, preg);
        c->touches |= UINT64_C(1) << preg % 64u;
    }
}

IX_INLINE uint32_t ix_reads(const ix_state *st, const ix_cycle *c, uint32_t key) {
    uint32_t count = st->scoreboard.pendingReads[key];
    if ((c->touches >> key % 64u & 1u) != 0) {
        for (uint32_t n = 0; n < c->n_decrements; n++) {
            count -= (uint32_t)(c->decrement[n] == key);
        }
    }
    return count;
}

/* Pending write of a register, after the commit of this cycle. */
IX_INLINE uint32_t ix_writes(const ix_state *st, const ix_cycle *c, uint32_t preg) {
    const uint32_t done = c->cxi.commit & (uint32_t)(preg == c->rd);
    return st->scoreboard.pendingWrites[preg] & bit_not(done);
}

/* The epoch that a row's operand was counted in. */
IX_INLINE uint32_t ix_row_epoch(const ix_state *st, uint32_t row, uint32_t i) {
    return st->rows.epoch[i] >> row & 1u;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A caching collector (muon-designs §3.4) from a start without its reset. Nothing shows which slot
 * a register is in, so slots that rows use are numbered as they come, and those that nobody uses
 * are one heap: `cached` has the registers that may be there, which a hit or a miss tells. What is
 * evicted may still be there, as far as is known.
 */
#ifndef WLK_ISSUE_X_SLOTS_LATE_H
#define WLK_ISSUE_X_SLOTS_LATE_H

#include "cycle.h"
#include "muon/collector_x/late.h"

/* Where an operand finds its register, beside the number of a used slot. */
enum { IX_OPEN = 0xff, IX_NOWHERE = 0xfe, IX_HEAP = 0xfd };

IX_INLINE void ix_set_bit(uint64_t *bits, uint32_t preg, uint32_t value) {
    const uint64_t bit = UINT64_C(1) << preg % 64u;
    bits[preg / 64u] = (bits[preg / 64u] & ~bit) | (value != 0 ? bit : 0u);
}

/* The lowest slot that no row uses; none: `depth`. */
static inline uint32_t ix_heap_slot(const ix_state *st, const ix_cycle *c, uint32_t i) {
    uint32_t slot = 0;
    while (slot < c->s.depth && st->collector.refs[i][slot] != 0) {
        slot++;
    }
    return slot;
}

/* Used slots that hold the register. */
static inline uint32_t ix_slots_with(const ix_state *st, uint32_t i, uint32_t preg) {
    uint32_t found = 0;
    for (uint32_t left = st->collector.tagValid[i]; left != 0; left &= left - 1u) {
        const uint32_t slot = set_lowest(left);
        found |= (uint32_t)(st->collector.tag[i][slot] == preg) << slot;
    }
    return found;
}

/* Places where an operand of the row that is bound may find its register. */
typedef struct ix_finds {
    uint32_t slots;         /* used ones */
    uint32_t heap, nowhere; /* 0 or 1 */
} ix_finds;

static inline ix_finds ix_finds_of(const ix_state *st, const ix_cycle *c, uint32_t i) {
    const uint32_t preg = c->cxi.bind_preg[i];
    const bool looks = c->cxi.bind_valid != 0 && (c->cxi.bind_enable & ~c->cxi.bind_busy) >> i & 1u;
    ix_finds f = {0};
    if (looks && st->late.bind[i] == IX_OPEN) {
        f.slots = ix_slots_with(st, i, preg);
        f.heap = ix_bit(st->late.cached[i], preg) & (uint32_t)(ix_heap_slot(st, c, i) < c->s.depth);
        f.nowhere = (uint32_t)(f.slots == 0);
    }
    return f;
}

/* In how many ways the operand can find its register, as far as is known. */
static inline uint32_t ix_finds_count(const ix_finds *f) {
    const uint32_t n = set_size(f->slots) + f->heap + f->nowhere;
    return n != 0 ? n : 1u;
}

static inline uint32_t ix_find_ways(const ix_state *st, const ix_cycle *c) {
    uint32_t ways = 1;
    for (uint32_t i = 0; i < IX_OPERANDS && st->late.slots != 0; i++) {
        const ix_finds f = ix_finds_of(st, c, i);
        ways *= ix_finds_count(&f);
    }
    return ways;
}

/* The @p k th of these ways. */
static inline void ix_assume_finds(ix_state *st, const ix_cycle *c, uint32_t k) {
    for (uint32_t i = 0; i < IX_OPERANDS; i++) {
        ix_finds f = ix_finds_of(st, c, i);
        const uint32_t n = ix_finds_count(&f);
        uint32_t at = k % n;
        k /= n;
        if (n == 1) {
            continue;
        }
        if (at == 0 && f.nowhere) {
            st->late.bind[i] = IX_NOWHERE;
            continue;
        }
        for (at -= f.nowhere; at != 0 && f.slots != 0; at--) {
            f.slots &= f.slots - 1u;
        }
        st->late.bind[i] = f.slots != 0 ? (uint8_t)set_lowest(f.slots) : (uint8_t)IX_HEAP;
    }
}

/* An operand that nothing is decided of finds its register in a used slot, else nowhere. */
static inline void ix_find_slots_late(const ix_state *st, ix_cycle *c) {
    cx_cycle *cx = &c->cx;
    for (uint32_t left = c->cxi.bind_valid != 0 ? c->cxi.bind_enable : 0u; left != 0;
         left &= left - 1u) {
        const uint32_t i = set_lowest(left), where = st->late.bind[i], bit = UINT32_C(1) << i;
        const uint32_t heap = ix_heap_slot(st, c, i);
        if (where < c->s.depth) {
            cx->slot[i] = where;
            cx->hit |= bit;
        } else if (where == IX_HEAP) {
            cx->slot[i] = heap;
            cx->hit |= bit;
        } else if ((cx->hit & bit) == 0 && heap < c->s.depth) {
            cx->slot[i] = heap;
        }
    }
    cx->evicts = 0;
}

/* Before the edge: a slot of the heap is used again. Its data is that of the register, since a
 * write would have cleared its tag. */
static inline void ix_take_from_heap(ix_state *st, const ix_cycle *c) {
    for (uint32_t left = c->hits; left != 0; left &= left - 1u) {
        const uint32_t i = set_lowest(left), slot = c->cx.slot[i], preg = c->cxi.bind_preg[i];
        const uint32_t row = cx_row(&c->s, slot, i);
        if (st->late.bind[i] == IX_HEAP) {
            st->collector.tag[i][slot] = (uint16_t)preg;
            st->collector.tagValid[i] |= UINT32_C(1) << slot;
            cx_copy(&st->collector, &c->s, row, cx_register_row(&c->s, preg));
            st->collector.late.origin[row] = (uint16_t)preg;
            st->collector.late.same[row] = ~UINT64_C(0);
        }
    }
}

/* A slot that nobody uses any more goes to the heap. */
static inline void ix_give_to_heap(ix_state *st, const ix_cycle *c, uint32_t i, uint32_t slot) {
    const uint32_t row = cx_row(&c->s, slot, i);
    if ((st->collector.tagValid[i] >> slot & 1u) != 0) {
        ix_set_bit(st->late.cached[i], st->collector.tag[i][slot], 1);
    }
    st->collector.tagValid[i] &= ~(UINT32_C(1) << slot);
    st->collector.tag[i][slot] = 0;
    st->collector.known[row] = 0;
    st->collector.late.same[row] = st->collector.late.origin[row] = 0;
    memset(cx_at(&st->collector, &c->s, row), 0, c->s.stride * sizeof(uint64_t));
}

/* After the edge. What was written is in no slot of the heap, nor what was not found there. */
static inline void ix_slots_late(ix_state *st, const ix_cycle *c) {
    const uint32_t looks = c->cxi.bind_enable & ~c->cxi.bind_busy;
    for (uint32_t i = 0; i < IX_OPERANDS; i++) {
        if (c->cx.write) {
            ix_set_bit(st->late.cached[i], c->rd, 0);
        }
        if (c->cx.bind_ready != 0 && ((looks & ~c->hits) >> i & 1u) != 0) {
            ix_set_bit(st->late.cached[i], c->cxi.bind_preg[i], 0);
        }
        for (uint32_t slot = 0; slot < c->s.depth; slot++) {
            if (st->collector.refs[i][slot] == 0) {
                ix_give_to_heap(st, c, i, slot);
            }
        }
        st->collector.victim[i] = 0;
        st->late.bind[i] = IX_OPEN;
    }
}

#endif

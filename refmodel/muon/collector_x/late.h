/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operand collectors of the Muon document from a start without their reset (muon-designs §3 to
 * §5): rows and registers, and which entries are taken. A row remembers the register that it was
 * loaded from, so that the data that is shown tells lanes of the register file. What is not known
 * holds a value that it may have: an entry is free, a slot has no register. So where all states
 * that explain what was seen agree, this one does.
 *
 * cx_late_rows(), cx_commit_late(), cx_track(), cx_learn_row() and cx_forget_late() are for every
 * model that contains a collector; they ask for no flag of `late` but `reads_known`.
 */
#ifndef WLK_COLLECTOR_X_LATE_H
#define WLK_COLLECTOR_X_LATE_H

#include "rules.h"

typedef wlk_collector_x_state cx_state;
typedef wlk_collector_x_late cx_facts;

/* ---- rows and registers --------------------------------------------------------------------- */

/* Nothing is known of what rows hold, registers included. @p st: after init. */
static inline void cx_late_rows(cx_state *st, const cx_shape *s) {
    memset(st->known, 0, cx_rows(s) * sizeof *st->known);
    memset(st->late.same, 0, sizeof st->late.same);
    memset(st->late.copies, 0, sizeof st->late.copies);
    st->known[cx_register_row(s, 0)] = ~UINT64_C(0); /* hardwired zero */
}

/* What operands hold is no register's, as after a reset. */
static inline void cx_part_rows(cx_state *st, const cx_shape *s) {
    memset(st->late.same, 0, cx_sink(s) * sizeof *st->late.same);
}

/* What landed is what its register held before this edge's write. */
static inline void cx_track_landed(cx_state *st, const cx_shape *s, const cx_reads *r,
                                   uint32_t lanes) {
    for (; lanes != 0; lanes &= lanes - 1u) {
        const uint32_t lane = set_lowest(lanes), operand = r->operand[lane], preg = r->preg[lane];
        const uint32_t row = cx_row(s, r->entry[lane], operand);
        st->late.origin[row] = (uint16_t)preg;
        st->late.same[row] = ~UINT64_C(0);
        if (s->collector == CX_DUPLICATED && operand < CX_OPERANDS) {
            st->known[row] |= st->late.copies[operand][preg];
        }
    }
}

/* What was forwarded is the register's in the lanes that are not written: kept old ones. */
static inline void cx_track_forwards(cx_state *st, const cx_shape *s, const cx_inputs *in,
                                     uint32_t lanes) {
    const uint32_t old = cx_old_row(s);
    for (; lanes != 0; lanes &= lanes - 1u) {
        const uint32_t lane = set_lowest(lanes);
        const uint32_t row = cx_row(s, in->fwd_entry[lane], in->fwd_operand[lane]);
        const bool same = st->late.origin[old] == in->write_preg;
        st->late.origin[row] = (uint16_t)in->write_preg;
        st->late.same[row] = same ? st->late.same[old] & ~in->write_mask : 0u;
    }
}

/* Behind the clock edge: where rows are from. @p landing: the reads that landed. */
static inline void cx_track(cx_state *st, const cx_shape *s, const cx_inputs *in, const cx_cycle *c,
                            const cx_reads *landing) {
    const uint32_t old = cx_old_row(s);
    cx_track_landed(st, s, landing, landing->lanes & ~c->lost);
    cx_track_forwards(st, s, in, c->fwd);
    if ((in->write_valid & in->merge) != 0) {
        /* Which copy is kept, where there are several, no rule says. */
        st->late.origin[old] = (uint16_t)in->write_preg;
        st->late.same[old] = s->collector == CX_DUPLICATED ? 0u : ~UINT64_C(0);
    }
    if (in->reset != 0) {
        cx_part_rows(st, s);
    } else if (st->late.reads_known == 0) { /* anything may have landed anywhere */
        memset(st->known, 0, cx_sink(s) * sizeof *st->known);
        cx_part_rows(st, s);
    }
    st->late.reads_known = 1;
}

/* The clock edge of a late state; as cx_commit. */
static inline void cx_commit_late(cx_state *st, const cx_shape *s, const cx_inputs *in,
                                  const cx_cycle *c, const void *data) {
    const cx_reads landing = st->reads;
    cx_commit(st, s, in, c, data);
    cx_track(st, s, in, c, &landing);
}

/*
 * Behind cx_commit_late: lanes written to @p preg are not known. So rows that were loaded from it
 * could tell the value before; where a lane is known they tell nothing.
 */
static inline void cx_forget_late(cx_state *st, const cx_shape *s, uint32_t preg, uint64_t lanes) {
    for (uint32_t row = 0; row <= cx_old_row(s); row++) {
        st->late.same[row] &= st->late.origin[row] == preg ? ~lanes : ~UINT64_C(0);
    }
    for (uint32_t i = 0; i < CX_OPERANDS; i++) {
        st->late.copies[i][preg] &= ~lanes;
    }
}

/* Lanes of a record's row that are there whole. */
static inline uint64_t cx_lanes_there(const cx_shape *s, const uint64_t *known) {
    const uint64_t all = wlk_mask(s->lane_bits);
    uint64_t lanes = 0;
    for (uint32_t lane = 0; lane < s->num_lanes; lane++) {
        const uint32_t bit = lane * s->lane_bits;
        lanes |= (uint64_t)((known[bit / 64u] >> bit % 64u & all) == all) << lane;
    }
    return lanes;
}

/* Of @p lanes those in which two rows are equal. */
static inline uint64_t cx_lanes_equal(const cx_shape *s, const uint64_t *a, const uint64_t *b,
                                      uint64_t lanes) {
    for (uint64_t left = lanes; left != 0; left &= left - 1u) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left), bit = lane * s->lane_bits;
        const uint64_t differs = (a[bit / 64u] ^ b[bit / 64u]) >> bit % 64u;
        lanes &= ~((uint64_t)((differs & wlk_mask(s->lane_bits)) != 0) << lane);
    }
    return lanes;
}

/* Lanes of a register, from a row that holds them; of copies that of @p operand. */
static inline void cx_learn_register(cx_state *st, const cx_shape *s, uint32_t preg,
                                     uint32_t operand, const uint64_t *shown, uint64_t lanes) {
    uint64_t *known = &st->known[cx_register_row(s, preg)];
    uint64_t *to = cx_at(st, s, cx_register_row(s, preg));
    lanes &= ~*known;
    if (s->collector != CX_DUPLICATED) {
        prf_write(to, shown, lanes, s->words, s->lane_bits);
        *known |= lanes;
        return;
    }
    /* What was never written is another value in each copy: one of them is followed. */
    uint64_t others = 0, every = ~UINT64_C(0);
    for (uint32_t i = 0; i < CX_OPERANDS; i++) {
        others |= st->late.copies[i][preg];
    }
    prf_write(to, shown, lanes & ~others, s->words, s->lane_bits);
    st->late.copies[operand][preg] |= cx_lanes_equal(s, to, shown, lanes);
    for (uint32_t i = 0; i < CX_OPERANDS; i++) {
        every &= st->late.copies[i][preg];
    }
    *known |= every;
}

/*
 * A row of operands is shown, with the bits of it that are there: so it holds it, and so does the
 * register that it was loaded from.
 */
static inline void cx_learn_row(cx_state *st, const cx_shape *s, uint32_t row,
                                const uint64_t *shown, const uint64_t *there) {
    const uint64_t lanes = cx_lanes_there(s, there), fresh = lanes & ~st->known[row];
    prf_write(cx_at(st, s, row), shown, fresh, s->words, s->lane_bits);
    st->known[row] |= fresh;
    const uint64_t same = cx_lanes_equal(s, cx_at(st, s, row), shown, lanes & st->late.same[row]);
    if (same != 0) {
        cx_learn_register(st, s, st->late.origin[row], row % CX_OPERANDS, shown, same);
    }
}

/* ---- which entries are taken ---------------------------------------------------------------- */

static inline bool cx_has(const uint64_t *set, uint32_t n) {
    return (set[n / 64u] >> n % 64u & 1u) != 0;
}

static inline void cx_put(uint64_t *set, uint32_t n, bool is) {
    const uint64_t bit = UINT64_C(1) << n % 64u;
    set[n / 64u] = is ? set[n / 64u] | bit : set[n / 64u] & ~bit;
}

/* Is some of the state that a reset reaches not known? */
static inline bool cx_is_hiding(const cx_state *st) {
    return (st->late.late & bit_not(st->reset_seen)) != 0;
}

/* The lowest entry of a group that is known to be free, or none: `entries`. */
static inline uint32_t cx_known_free(const cx_state *st, const cx_shape *s, uint32_t group) {
    const uint32_t n = s->entries / s->groups, first = group * n;
    for (uint32_t e = first; e < first + n; e++) {
        if (cx_has(st->late.entries, e) && !cx_has(st->taken, e)) {
            return e;
        }
    }
    return s->entries;
}

/* What of a group's room follows from what is known. */
typedef struct cx_room {
    bool valid, entry;
} cx_room;

static inline cx_room cx_room_known(const cx_state *st, const cx_shape *s, const cx_inputs *in,
                                    const cx_cycle *c, uint32_t group) {
    const uint32_t may = cx_lowest_free(st, s, group), is = cx_known_free(st, s, group);
    const bool freed = cx_freed_in(s, in, c->freed, group) < s->entries;
    return (cx_room){.valid = freed || may == s->entries || is < s->entries,
                     .entry = freed || may == is};
}

static inline void cx_learn_entry(cx_state *st, uint32_t entry, bool taken) {
    if (!cx_has(st->late.entries, entry)) {
        cx_put(st->late.entries, entry, true);
        cx_put(st->taken, entry, taken);
    }
}

/* Can @p lowest be the lowest free entry of a group? `entries`: none is free. */
static inline bool cx_room_may_be(const cx_state *st, const cx_shape *s, uint32_t group,
                                  uint32_t lowest) {
    const uint32_t n = s->entries / s->groups, first = group * n;
    const bool inside = lowest >= first && lowest < first + n;
    const bool taken = inside && cx_has(st->late.entries, lowest) && cx_has(st->taken, lowest);
    return (inside || lowest == s->entries) && !taken && cx_known_free(st, s, group) >= lowest;
}

/*
 * A group in which no entry is freed shows its lowest free one; none: `entries`. What cannot be
 * differs from every state: the one that is held is taken for known.
 */
static inline void cx_learn_room(cx_state *st, const cx_shape *s, uint32_t group, uint32_t lowest) {
    const uint32_t n = s->entries / s->groups, first = group * n;
    const bool may = cx_room_may_be(st, s, group, lowest);
    for (uint32_t e = first; e < first + n; e++) {
        if (!may || e <= lowest) {
            cx_learn_entry(st, e, may && e < lowest);
        }
    }
}

/* Before the edge: what it leaves known of the entries. */
static inline void cx_know_entries(cx_state *st, const cx_shape *s, const cx_inputs *in,
                                   const cx_cycle *c) {
    const uint32_t group = cx_group_of(s, c->taken_entry), is = cx_known_free(st, s, group);
    const bool freed = cx_freed_in(s, in, c->freed, group) < s->entries;
    for (uint32_t left = c->freed; left != 0; left &= left - 1u) {
        cx_put(st->late.entries, in->data_entry[set_lowest(left)], true);
    }
    if (c->taken != 0 && !freed && !cx_has(st->late.entries, c->taken_entry)) {
        /* It was free and is taken now, or it was taken; then the one known to be free may be. */
        cx_put(st->late.entries, c->taken_entry, true);
        if (is < s->entries) {
            cx_put(st->late.entries, is, false);
        }
    }
}

static inline bool cx_knows_entries(const cx_state *st, const cx_shape *s) {
    bool all = true;
    for (uint32_t e = 0; e < s->entries; e++) {
        all = all && cx_has(st->late.entries, e);
    }
    return all;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slots of a caching collector from a start without their reset (muon-designs §3.4). Of a slot
 * it is known or not which register it holds, and how many rows use it: what lands names the one,
 * a slot that a row finds without a hit is used by that row alone. Of all that are not known it is
 * known which registers they do not hold: those that missed, and those that were written.
 */
#ifndef WLK_COLLECTOR_X_SLOTS_LATE_H
#define WLK_COLLECTOR_X_SLOTS_LATE_H

#include "late.h"

enum { CX_NO, CX_YES, CX_OPEN, CX_UNSEEN_SLOT = 255 };

/* What an operand may find: slots that hit, that are unused and empty, that are the victim's. */
typedef struct cx_lookup {
    uint32_t hit, empty, evicted;
    uint32_t none; /* it may find no slot */
} cx_lookup;

static inline void cx_unsee(cx_facts *f) {
    f->seen_ready = CX_OPEN;
    memset(f->seen_hit, CX_OPEN, sizeof f->seen_hit);
    memset(f->seen_slot, CX_UNSEEN_SLOT, sizeof f->seen_slot);
}

static inline void cx_late_slots(cx_state *st, const cx_shape *s) {
    cx_unsee(&st->late);
    for (uint32_t i = 0; i < CX_OPERANDS; i++) {
        st->late.victims[i] = set_below(s->depth);
    }
}

/* Does a slot hold the register? */
static inline uint32_t cx_holds(const cx_state *st, uint32_t i, uint32_t slot, uint32_t preg) {
    if (set_has(st->late.tags[i], slot)) {
        return set_has(st->tagValid[i], slot) && st->tag[i][slot] == preg ? CX_YES : CX_NO;
    }
    return cx_has(st->late.absent[i], preg) ? CX_NO : CX_OPEN;
}

/* Does nobody use it, once it is released? */
static inline uint32_t cx_is_unused(const cx_state *st, const cx_shape *s, const cx_inputs *in,
                                    uint32_t i, uint32_t slot) {
    const uint32_t released = in->data_valid & in->data_enable >> i & 1u;
    if (set_has(st->late.refs[i], slot)) {
        return cx_users(st, s, in, i, slot) == 0 ? CX_YES : CX_NO;
    }
    return st->refs[i][slot] > (released & (uint32_t)(in->data_slot[i] == slot)) ? CX_NO : CX_OPEN;
}

/* Slots that nobody uses for certain, that may be so, and that hold no register, likewise. */
typedef struct cx_slots {
    uint32_t unused, may_be_unused, empty, may_be_empty;
} cx_slots;

static inline cx_slots cx_slots_of(const cx_state *st, const cx_shape *s, const cx_inputs *in,
                                   uint32_t i) {
    cx_slots of = {.empty = st->late.tags[i] & ~st->tagValid[i] & set_below(s->depth)};
    of.may_be_empty = (of.empty | ~st->late.tags[i]) & set_below(s->depth);
    for (uint32_t slot = 0; slot < s->depth; slot++) {
        const uint32_t unused = cx_is_unused(st, s, in, i, slot);
        of.unused |= (uint32_t)(unused == CX_YES) << slot;
        of.may_be_unused |= (uint32_t)(unused != CX_NO) << slot;
    }
    return of;
}

/* Members of @p may from @p first on, going round, to the first one that @p is has for certain. */
static inline uint32_t cx_from(uint32_t may, uint32_t is, uint32_t first, uint32_t depth) {
    uint32_t found = 0;
    for (uint32_t n = 0; n < depth; n++) {
        const uint32_t slot = first + n < depth ? first + n : first + n - depth;
        found |= may & 1u << slot;
        if (set_has(is, slot)) {
            break;
        }
    }
    return found;
}

/* Of a miss. */
static inline void cx_look_for_unused(const cx_state *st, const cx_shape *s, const cx_inputs *in,
                                      uint32_t i, cx_lookup *l) {
    const cx_slots of = cx_slots_of(st, s, in, i);
    const uint32_t sure = of.unused & of.empty;
    l->empty = cx_from(of.may_be_unused & of.may_be_empty, sure, 0, s->depth);
    l->none = of.unused == 0;
    if (sure != 0) {
        return;
    }
    for (uint32_t left = st->late.victims[i]; left != 0; left &= left - 1u) {
        const uint32_t may = of.may_be_unused & ~of.empty;
        l->evicted |= cx_from(may, of.unused, set_lowest(left), s->depth);
    }
}

/* What operand @p i of the row that binds may find, whatever is shown. */
static inline cx_lookup cx_look(const cx_state *st, const cx_shape *s, const cx_inputs *in,
                                uint32_t i) {
    cx_lookup l = {0, 0, 0, 0};
    for (uint32_t slot = 0; slot < s->depth && !set_has(in->bind_busy, i); slot++) {
        const uint32_t holds = cx_holds(st, i, slot, in->bind_preg[i]);
        l.hit |= (uint32_t)(holds != CX_NO) << slot;
        if (holds == CX_YES) {
            return l;
        }
    }
    cx_look_for_unused(st, s, in, i, &l);
    return l;
}

/* Those of it that agree with what is shown. */
static inline cx_lookup cx_look_seen(const cx_state *st, const cx_shape *s, const cx_inputs *in,
                                     uint32_t i) {
    const cx_facts *f = &st->late;
    cx_lookup l = cx_look(st, s, in, i);
    if (f->seen_hit[i] == CX_YES) {
        l.empty = l.evicted = l.none = 0;
    } else if (f->seen_hit[i] == CX_NO) {
        l.hit = 0;
    }
    if (f->seen_slot[i] != CX_UNSEEN_SLOT) {
        const uint32_t slot = UINT32_C(1) << (f->seen_slot[i] & 31u);
        l.hit &= slot;
        l.empty &= slot;
        l.evicted &= slot;
        l.none &= (uint32_t)(f->seen_slot[i] == 0);
    }
    l.none = f->seen_ready == CX_YES ? 0u : l.none;
    return l;
}

static inline uint32_t cx_found(const cx_lookup *l) {
    return l->hit | l->empty | l->evicted;
}

static inline uint32_t cx_wanted(const cx_inputs *in) {
    return in->bind_valid != 0 ? in->bind_enable : 0u;
}

/* Does each operand have a slot? */
static inline uint32_t cx_binds(const cx_inputs *in, const cx_lookup *found) {
    uint32_t all = CX_YES;
    for (uint32_t left = cx_wanted(in); left != 0; left &= left - 1u) {
        const cx_lookup *l = &found[set_lowest(left)];
        if (cx_found(l) == 0) {
            return CX_NO;
        }
        all = l->none != 0 ? (uint32_t)CX_OPEN : all;
    }
    return in->bind_valid != 0 ? all : (uint32_t)CX_NO;
}

/* ---- what is seen --------------------------------------------------------------------------- */

/* An operand's tags, users and victim as they are held: nothing explains what is shown. */
static inline void cx_settle_operand(cx_state *st, const cx_shape *s, uint32_t i) {
    st->late.tags[i] = st->late.refs[i] = set_below(s->depth);
    st->late.victims[i] = UINT32_C(1) << st->victim[i];
}

static inline void cx_know_tag(cx_state *st, uint32_t i, uint32_t slot, uint32_t preg) {
    st->late.tags[i] |= UINT32_C(1) << slot;
    st->tagValid[i] |= UINT32_C(1) << slot;
    st->tag[i][slot] = (uint16_t)preg;
}

/* Behind what was seen of an operand. */
static inline void cx_learn_slot(cx_state *st, const cx_shape *s, const cx_inputs *in, uint32_t i) {
    const cx_lookup l = cx_look_seen(st, s, in, i);
    const uint32_t missed = l.empty | l.evicted, all = cx_found(&l);
    const uint32_t slot = all != 0 ? set_lowest(all) : 0u;
    if (all == 0 && l.none == 0) {
        cx_unsee(&st->late);
        cx_settle_operand(st, s, i);
        return;
    }
    if (l.hit == 0 && !set_has(in->bind_busy, i)) {
        cx_put(st->late.absent[i], in->bind_preg[i], true);
    }
    if (l.none != 0 || !set_is_single(all)) {
        return;
    }
    if (missed == 0 && !set_has(st->late.tags[i], slot)) {
        cx_know_tag(st, i, slot, in->bind_preg[i]);
    }
    if (l.hit == 0 && !set_has(st->late.refs[i], slot)) {
        const uint32_t released = in->data_valid & in->data_enable >> i & 1u;
        st->refs[i][slot] = (uint8_t)(released & (uint32_t)(in->data_slot[i] == slot));
        st->late.refs[i] |= UINT32_C(1) << slot;
    }
}

/* ---- the edge ------------------------------------------------------------------------------- */

/* A slot whose register is known may have lost it. */
static inline void cx_doubt_tag(cx_state *st, uint32_t i, uint32_t slot) {
    const uint32_t bit = UINT32_C(1) << slot;
    if ((st->late.tags[i] & st->tagValid[i] & bit) != 0) {
        cx_put(st->late.absent[i], st->tag[i][slot], false);
        st->late.tags[i] &= ~bit;
        st->tagValid[i] &= ~bit;
    }
}

/* Slot @p slot is found, if it is: `sure`. */
static inline void cx_bind_slot(cx_state *st, const cx_shape *s, uint32_t i, uint32_t slot,
                                const cx_lookup *l, bool sure) {
    const uint32_t bit = UINT32_C(1) << slot;
    const bool missed = ((l->empty | l->evicted) & bit) != 0, hit = (l->hit & bit) != 0;
    if (!sure) {
        st->late.refs[i] &= ~bit;
    } else if (hit) { /* or it is used by nobody, and missed */
        st->refs[i][slot] = (uint8_t)((st->refs[i][slot] + 1u) & s->ref_mask);
    } else {
        st->refs[i][slot] = 1;
        st->late.refs[i] |= bit;
    }
    if (sure && !hit) {
        st->late.tags[i] |= bit;
        st->tagValid[i] &= ~bit;
    } else if (missed) {
        cx_doubt_tag(st, i, slot);
    }
}

/* Slots that may be bound; looked up before the edge, and known after it. */
static inline void cx_bind_late(cx_state *st, const cx_shape *s, uint32_t i, const cx_lookup *l,
                                bool binds) {
    const uint32_t all = cx_found(l);
    const bool sure = binds && set_is_single(all) && l->none == 0;
    uint32_t next = (l->evicted << 1 | l->evicted >> (s->depth - 1u)) & set_below(s->depth);
    for (uint32_t left = all; left != 0; left &= left - 1u) {
        cx_bind_slot(st, s, i, set_lowest(left), l, sure);
    }
    if (!sure || next == 0 || (l->hit | l->empty) != 0) { /* perhaps none was evicted */
        next |= st->late.victims[i];
    }
    st->late.victims[i] = next;
    st->victim[i] = (uint8_t)set_lowest(next);
}

/* Before the edge: of users that are not known those that there are for certain are not less. */
static inline void cx_release_late(cx_state *st, const cx_shape *s, const cx_inputs *in) {
    for (uint32_t i = 0; i < CX_OPERANDS; i++) {
        const uint32_t slot = in->data_slot[i];
        const bool released = (in->data_valid & in->data_enable >> i & 1u) != 0;
        if (released && slot < s->depth && !set_has(st->late.refs[i], slot) &&
            st->refs[i][slot] == 0) {
            st->refs[i][slot] = 1;
        }
    }
}

/* Behind the edge: what landed and was written. */
static inline void cx_know_tags(cx_state *st, const cx_shape *s, const cx_inputs *in,
                                const cx_cycle *c, const cx_reads *landed) {
    for (uint32_t left = landed->lanes & ~c->lost; left != 0; left &= left - 1u) {
        const uint32_t lane = set_lowest(left), i = landed->operand[lane];
        if (i < CX_OPERANDS && landed->entry[lane] < s->depth) {
            st->late.tags[i] |= UINT32_C(1) << landed->entry[lane];
        }
    }
    for (uint32_t left = c->fwd; left != 0; left &= left - 1u) {
        const uint32_t lane = set_lowest(left), i = in->fwd_operand[lane];
        if (i < CX_OPERANDS && in->fwd_entry[lane] < s->depth) {
            st->late.tags[i] |= UINT32_C(1) << in->fwd_entry[lane];
        }
    }
    for (uint32_t i = 0; i < CX_OPERANDS && c->write != 0; i++) {
        cx_put(st->late.absent[i], in->write_preg, true);
    }
}

/* Anything may have landed in any slot. */
static inline void cx_lose_tags(cx_state *st) {
    memset(st->late.tags, 0, sizeof st->late.tags);
    memset(st->late.absent, 0, sizeof st->late.absent);
    memset(st->tagValid, 0, sizeof st->tagValid);
}

/* The clock edge of a caching collector whose slots are not all known; as cx_commit_late. */
static inline void cx_commit_slots_late(cx_state *st, const cx_shape *s, const cx_inputs *in,
                                        const cx_cycle *cycle, const void *data) {
    const cx_reads landed = st->reads;
    const uint32_t knew_reads = st->late.reads_known, seen = st->late.seen_ready;
    cx_lookup found[CX_OPERANDS];
    cx_cycle c = *cycle;
    for (uint32_t i = 0; i < CX_OPERANDS; i++) {
        found[i] = cx_look_seen(st, s, in, i);
    }
    const uint32_t binds = seen != CX_OPEN ? seen : cx_binds(in, found);
    c.bind_ready = 0; /* done behind it */
    cx_unsee(&st->late);
    cx_release_late(st, s, in);
    cx_commit_late(st, s, in, &c, data);
    if (in->reset != 0) {
        return;
    }
    cx_know_tags(st, s, in, &c, &landed);
    if (knew_reads == 0) {
        cx_lose_tags(st);
    }
    for (uint32_t left = binds != CX_NO ? cx_wanted(in) : 0u; left != 0; left &= left - 1u) {
        const uint32_t i = set_lowest(left);
        cx_bind_late(st, s, i, &found[i], binds == CX_YES);
    }
}

static inline bool cx_knows_slots(const cx_state *st, const cx_shape *s) {
    const uint32_t all = set_below(s->depth);
    bool known = true;
    for (uint32_t i = 0; i < CX_OPERANDS; i++) {
        known = known && (st->late.tags[i] & st->late.refs[i]) == all &&
                set_is_single(st->late.victims[i]);
    }
    return known;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// The operand collector's rules. A step is written once and compiled several times: for what is
// usual a revision at a time, where much is constant and masks are single words, with events and
// without; and once for all else. Usual is: at most 64 units and 64 banks, a modulus (§4) that is a
// power of two, no clock gating, and no policy that the original does not have.
#include "opndcoll_private.h"

#include <string.h>

#define OC_INLINE static inline __attribute__((always_inline))
// What is rare stays out of the way of what is not.
#define OC_APART static __attribute__((noinline))

// What a step is compiled for.
typedef struct mode {
    uint32_t revision, by_slot;
    bool is_usual; // then bank_words and unit_words are 1, and there is no policy
    uint32_t bank_words, unit_words;
    bool passes, rotates; // policies
} mode;

// The word of bit n in a mask of so many words.
OC_INLINE uint32_t word_of(uint32_t words, uint32_t n) {
    return words == 1 ? 0u : n / 64u;
}

/* ---- events ---- */

OC_INLINE void emit(wlk_opndcoll_events *to, wlk_opndcoll_event event) {
    if (to->count < to->room) {
        to->at[to->count] = event;
    }
    to->count++;
}

OC_INLINE void emit_unit(const wlk_opndcoll *s, wlk_opndcoll_events *to, uint32_t what, uint32_t at,
                         uint32_t unit, uint32_t slot) {
    if (to != NULL) {
        const uint64_t key = s->held[unit];
        const oc_inst *inst = oc_inst_of(s, key);
        const bool read = what == WLK_OPNDCOLL_GRANT;
        emit(to,
             (wlk_opndcoll_event){inst->user, what, at, unit, s->kind[unit], slot, oc_key_uid(key),
                                  read ? (uint32_t)inst->src[slot] : 0u, inst->wid});
    }
}

/* ---- instructions and register sets ---- */

// What a register of an instruction counts: a whole warp, or with clock gating the lanes of every
// group with an active one (§9).
OC_APART uint32_t weight(const wlk_opndcoll *s, uint32_t lanes) {
    const uint32_t group = s->gating_group;
    if (group == 0) {
        return 1; // times the lanes of a warp, see `scale`
    }
    uint32_t sum = 0;
    for (uint32_t lane = 0; lane < s->shape.lanes; lane += group) {
        const uint32_t mask = UINT32_MAX >> (32u - group);
        sum += (lanes >> lane & mask) != 0 ? group : 0u;
    }
    return sum;
}

// V42, and read_duplicates_once, read a register once, for the lowest slot that names it (§12.2).
OC_APART uint32_t without_duplicates(const int32_t *src, uint32_t reads) {
    uint32_t kept = reads;
    for (uint32_t left = reads; left != 0; left &= left - 1u) {
        const uint32_t slot = oc_lowest(left);
        for (uint32_t later = left & (left - 1u); later != 0; later &= later - 1u) {
            const uint32_t other = oc_lowest(later);
            kept &= ~((uint32_t)(src[other] == src[slot]) << other);
        }
    }
    return kept;
}

// The weight of a unit's instruction.
OC_INLINE uint32_t weight_of(const wlk_opndcoll *s, mode m, uint32_t unit) {
    return m.is_usual ? 1u : weight(s, oc_inst_of(s, s->held[unit])->lanes);
}

// What a register's bank is computed from (§4).
typedef struct hash {
    uint32_t base, wid, top;
} hash;

OC_INLINE hash hash_of(const wlk_opndcoll *s, uint32_t wid, uint32_t sched) {
    return (hash){sched * s->base_step, wid & s->wid_mask, s->top};
}

OC_INLINE uint32_t bank_of(hash h, uint32_t reg, bool is_usual) {
    const uint32_t x = reg + h.wid;
    return h.base + (is_usual ? x & h.top : x % (h.top + 1u));
}

// What is kept of an instruction until it is taken.
OC_INLINE void keep_inst(oc_inst *inst, const wlk_opndcoll_inst *from, hash h, bool is_v42,
                         bool is_usual) {
    const int32_t *src = from->src;
    // Field by field: the caller has just written them so.
    inst->user = from->user;
    inst->wid = from->wid;
    inst->sched = from->sched;
    inst->non_rf = from->non_rf;
    if (!is_usual) {
        inst->lanes = from->lanes;
    }
    uint32_t none = UINT32_MAX; // slots without an operand
    for (uint32_t k = from->n_src; k-- != 0;) {
        const uint32_t reg = (uint32_t)src[k];
        inst->src[k] = (int32_t)reg;
        inst->bank[k] = (uint8_t)bank_of(h, reg, is_usual);
        none = none * 2u + (reg >> 31);
    }
    inst->reads = is_v42 ? without_duplicates(inst->src, ~none) : ~none;
}

// @p key0 is the instruction's key in slot 0.
OC_INLINE void slot_fill(wlk_opndcoll *s, oc_slots *set, uint32_t slot, uint64_t key0) {
    set->occupied |= oc_bit(slot);
    oc_keys(s, set)[slot] = oc_key_at(key0, slot);
}

OC_INLINE void slot_clear(wlk_opndcoll *s, oc_slots *set, uint32_t slot) {
    set->occupied ^= oc_bit(slot);
    oc_keys(s, set)[slot] = OC_EMPTY;
}

// Has a set that is not empty one member? This is known before it is known which one leaves it.
OC_INLINE bool is_single(uint64_t set) {
    return (set & (set - 1u)) == 0;
}

OC_INLINE uint64_t lesser(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

OC_INLINE uint64_t least_of_stride(const uint64_t *keys) {
    return lesser(lesser(keys[0], keys[1]), lesser(keys[2], keys[3]));
}

// The oldest instruction of a set that is not empty, as a key. Empty slots have the highest key, so
// that there is no branch but for the width.
OC_INLINE uint64_t oldest(const wlk_opndcoll *s, const oc_slots *set) {
    const uint64_t *keys = oc_keys(s, set);
    uint64_t least = least_of_stride(keys);
    for (uint32_t at = OC_STRIDE; at < set->width; at += OC_STRIDE) {
        least = lesser(least, least_of_stride(keys + at));
    }
    return least;
}

// @p slot is empty.
OC_INLINE int32_t issue_to(wlk_opndcoll *s, uint32_t kind, uint32_t slot,
                           const wlk_opndcoll_inst *inst, bool is_v42, bool is_usual) {
    oc_slots *id = &s->id[kind];
    s->free--;
    const uint64_t key = oc_key0(inst->uid, *oc_free_end(s));
    slot_fill(s, id, slot, key);
    s->waiting |= 1u << kind;
    s->blocked |= (uint32_t)(id->occupied == id->all) << kind;
    keep_inst(oc_inst_of(s, key), inst, hash_of(s, inst->wid, inst->sched), is_v42, is_usual);
    return (int32_t)slot;
}

OC_APART int32_t issue_to_any(wlk_opndcoll *s, uint32_t kind, uint32_t slot,
                              const wlk_opndcoll_inst *inst) {
    return issue_to(s, kind, slot, inst, s->reads_once, false);
}

OC_APART int32_t issue_to_v42(wlk_opndcoll *s, uint32_t kind, uint32_t slot,
                              const wlk_opndcoll_inst *inst) {
    return issue_to(s, kind, slot, inst, true, true);
}

OC_INLINE int32_t issue_by_path(wlk_opndcoll *s, uint32_t kind, uint32_t slot,
                                const wlk_opndcoll_inst *inst) {
    if (s->path == OC_PATH_ANY) {
        return issue_to_any(s, kind, slot, inst);
    }
    return s->path >= OC_PATH_V42 ? issue_to_v42(s, kind, slot, inst)
                                  : issue_to(s, kind, slot, inst, false, true);
}

static bool is_acceptable(const wlk_opndcoll *s, uint32_t kind, const wlk_opndcoll_inst *inst) {
    return kind < s->shape.kinds && inst->n_src <= s->shape.operands && inst->sched <= s->max_sched;
}

int32_t wlk_opndcoll_put(wlk_opndcoll *s, uint32_t kind, uint32_t slot,
                         const wlk_opndcoll_inst *inst) {
    if (!is_acceptable(s, kind, inst) || slot >= s->id[kind].width) {
        return WLK_OPNDCOLL_BAD;
    }
    const bool is_empty = (s->id[kind].occupied & oc_bit(slot)) == 0;
    return is_empty ? issue_by_path(s, kind, slot, inst) : WLK_OPNDCOLL_FULL;
}

int32_t wlk_opndcoll_issue(wlk_opndcoll *s, uint32_t kind, const wlk_opndcoll_inst *inst) {
    if (!is_acceptable(s, kind, inst)) {
        return WLK_OPNDCOLL_BAD;
    }
    const oc_slots *id = &s->id[kind];
    const bool is_flat = s->shape.sub_core == 0;
    const uint64_t open = id->all & ~id->occupied & (is_flat ? UINT64_MAX : oc_bit(inst->sched));
    if (open == 0) {
        return is_flat || inst->sched < id->width ? WLK_OPNDCOLL_FULL : WLK_OPNDCOLL_BAD;
    }
    const uint32_t slot = is_flat ? oc_lowest(open) : inst->sched;
    return issue_by_path(s, kind, slot, inst);
}

OC_INLINE int32_t take_key(wlk_opndcoll *s, uint32_t kind, uint64_t key, wlk_opndcoll_held *held) {
    const uint32_t slot = oc_key_slot(key), bit = 1u << kind;
    oc_slots *ex = &s->ex[kind];
    s->full &= ~bit;
    s->takable ^= is_single(ex->occupied) ? bit : 0u;
    slot_clear(s, ex, slot);
    if (held != NULL) {
        const oc_inst *inst = oc_inst_of(s, key);
        *held = (wlk_opndcoll_held){inst->user, oc_key_uid(key), inst->wid, inst->sched, kind, 0};
    }
    *oc_free_end(s) = (uint16_t)oc_key_name(key);
    s->free++;
    return (int32_t)slot;
}

extern inline int32_t wlk_opndcoll_take(wlk_opndcoll *s, uint32_t kind, wlk_opndcoll_held *held);

int32_t wlk_opndcoll_take_oldest(wlk_opndcoll *s, uint32_t kind, wlk_opndcoll_held *held) {
    if (kind >= s->shape.kinds) {
        return WLK_OPNDCOLL_BAD;
    }
    const oc_slots *ex = &s->ex[kind];
    if (ex->occupied == 0) {
        return WLK_OPNDCOLL_FULL;
    }
    // Mostly one instruction waits here, which is found without a look at the other slots.
    const uint64_t key =
        is_single(ex->occupied) ? oc_keys(s, ex)[oc_lowest(ex->occupied)] : oldest(s, ex);
    return take_key(s, kind, key, held);
}

int32_t wlk_opndcoll_take_slot(wlk_opndcoll *s, uint32_t kind, uint32_t slot,
                               wlk_opndcoll_held *held) {
    if (kind >= s->shape.kinds || slot >= s->ex[kind].width) {
        return WLK_OPNDCOLL_BAD;
    }
    const uint64_t key = oc_keys(s, &s->ex[kind])[slot];
    return key != OC_EMPTY ? take_key(s, kind, key, held) : WLK_OPNDCOLL_FULL;
}

/* ---- dispatch (§6.1) ---- */

// Units of [first, end) that are in word w.
OC_INLINE uint64_t range_in(uint32_t w, uint32_t first, uint32_t end) {
    const uint32_t from = first > w * 64u ? first - w * 64u : 0u;
    const uint32_t to = end > w * 64u ? end - w * 64u : 0u;
    const uint64_t below = to < 64 ? oc_bit(to) - 1u : UINT64_MAX;
    return from < 64 ? below & UINT64_MAX << from : 0u;
}

// The lowest member of a set in [first, end), which lies within the set; OC_NONE: none.
OC_INLINE uint32_t first_in(const uint64_t *set, uint32_t words, uint32_t first, uint32_t end) {
    if (words == 1) {
        const uint64_t members = set[0] & UINT64_MAX << (first & 63u);
        const uint32_t found = members != 0 ? oc_lowest(members) : (uint32_t)OC_NONE;
        return first < end && found < end ? found : (uint32_t)OC_NONE;
    }
    for (uint32_t w = first / 64u; w * 64u < end; w++) {
        const uint64_t members = set[w] & range_in(w, first, end);
        if (members != 0) {
            return w * 64u + oc_lowest(members);
        }
    }
    return OC_NONE;
}

// Takes the units of a word's `among` out of `open` whose place in OC_EX is occupied: any slot will
// do, but in V42's sub-core model it is one of their own. Only kinds of `kinds` are looked at.
OC_INLINE uint64_t without_closed(const wlk_opndcoll *s, mode m, uint32_t word, uint64_t open,
                                  uint64_t among, uint32_t kinds) {
    for (uint64_t left = open & among; left != 0; left &= left - 1u) {
        const uint32_t unit = word * 64u + oc_lowest(left), kind = s->kind[unit];
        const bool is_taken =
            m.by_slot == 0 || (s->ex[kind].occupied & oc_bit(s->group[unit])) != 0;
        open &= ~((uint64_t)(is_taken && (kinds >> kind & 1u) != 0) << (unit & 63u));
    }
    return open;
}

// Ready units whose place in OC_EX is empty; false: none.
OC_INLINE bool open_units(const wlk_opndcoll *s, mode m, uint64_t *open) {
    uint64_t any = 0;
    for (uint32_t w = 0; w < m.unit_words; w++) {
        open[w] = s->ready[w];
        any |= open[w];
    }
    const uint32_t kinds = m.by_slot != 0 ? oc_leaving(s) : s->full;
    for (uint32_t w = 0; w < m.unit_words && kinds != 0; w++) {
        open[w] = without_closed(s, m, w, open[w], UINT64_MAX, kinds);
    }
    return any != 0;
}

// The unit that a DU dispatches after it dispatched `last`: the next open one of its set, in V42's
// sub-core model the next one after those of last's scheduler, around the end. OC_NONE: none.
OC_INLINE uint32_t next_unit(const wlk_opndcoll *s, const oc_set *set, mode m, const uint64_t *open,
                             uint32_t last) {
    if (m.unit_words == 1) {
        const uint64_t from =
            m.by_slot != 0 ? UINT64_MAX << s->after[last] : (UINT64_MAX - 1u) << (last & 63u);
        const uint64_t all = open[0] & set->mask, behind = all & from;
        return all == 0 ? (uint32_t)OC_NONE : oc_lowest(behind != 0 ? behind : all);
    }
    const uint32_t first = set->first_unit, end = first + set->units, start = s->after[last];
    const uint32_t found = first_in(open, m.unit_words, start, end);
    return found != OC_NONE ? found : first_in(open, m.unit_words, first, start);
}

OC_INLINE void dispatch_unit(wlk_opndcoll *s, mode m, uint64_t *open, uint32_t du, uint32_t unit,
                             wlk_opndcoll_events *events) {
    const uint32_t kind = s->kind[unit], word = word_of(m.unit_words, unit);
    const uint64_t bit = oc_bit(unit), key = s->held[unit];
    oc_slots *ex = &s->ex[kind];
    const uint32_t slot = m.by_slot != 0 ? s->group[unit] : oc_lowest(~ex->occupied);
    const bool fills = (ex->occupied | oc_bit(slot)) == ex->all;
    slot_fill(s, ex, slot, key);
    s->takable |= 1u << kind;
    s->counters.non_rf += (uint64_t)oc_inst_of(s, key)->non_rf * weight_of(s, m, unit);
    emit_unit(s, events, WLK_OPNDCOLL_DISPATCH, du, unit, slot);
    open[word] ^= bit;
    s->ready[word] ^= bit;
    s->idle[word] ^= bit;
    if (m.by_slot != 0 || fills) {
        s->full |= (uint32_t)fills << kind;
        for (uint32_t w = 0; w < m.unit_words; w++) {
            // By slot, no other unit of the scheduler goes to this kind any more.
            const uint64_t among = m.by_slot != 0
                                       ? range_in(w, slot * s->per_slot, (slot + 1u) * s->per_slot)
                                       : UINT64_MAX;
            open[w] = without_closed(s, m, w, open[w], among, 1u << kind);
        }
    }
}

OC_INLINE void dispatch(wlk_opndcoll *s, mode m, wlk_opndcoll_events *events) {
    uint64_t open[OC_UNIT_WORDS];
    if (!open_units(s, m, open)) {
        return;
    }
    for (uint32_t i = 0; i < s->n_sets; i++) {
        const oc_set *set = &s->sets[i];
        const uint32_t end = set->first_du + (m.is_usual || set->units != 0 ? set->dus : 0u);
        for (uint32_t du = set->first_du; du < end; du++) {
            const uint32_t unit = next_unit(s, set, m, open, s->last[du]);
            if (unit == OC_NONE) {
                break; // the dispatch units after it find none either
            }
            s->last[du] = (uint16_t)unit;
            dispatch_unit(s, m, open, du, unit, events);
        }
    }
}

/* ---- read (§6.2) ---- */

// V32: of a unit's banks the one that the diagonals meet first (§12.1). Bank b meets the unit at
// diagonal (unit - pri - b) mod Q: with `meets` = (unit - pri) mod Q the banks up to `meets` come
// first, from there downwards, then those above, from the top downwards. The others leave `banks`.
OC_INLINE void keep_one_a_unit(const wlk_opndcoll *s, mode m, uint64_t *banks) {
    uint64_t seen[OC_UNIT_WORDS];
    uint16_t best[WLK_OPNDCOLL_MAX_UNITS]; // of those seen
    memset(seen, 0, m.unit_words * sizeof seen[0]);
    for (uint32_t w = 0; w < m.bank_words; w++) {
        for (uint64_t left = banks[w]; left != 0; left &= left - 1u) {
            const uint32_t bank = w * 64u + oc_lowest(left);
            const uint32_t unit = oc_request_unit(oc_front(s, bank));
            uint64_t *word = &seen[word_of(m.unit_words, unit)];
            if ((*word & oc_bit(unit)) == 0) {
                *word |= oc_bit(unit);
                best[unit] = (uint16_t)bank;
                continue;
            }
            const uint32_t meets = unit - s->pri + (unit < s->pri ? s->shape.units : 0u);
            const uint32_t other = best[unit];
            const bool wins = bank <= meets || other > meets;
            const uint32_t loser = wins ? other : bank;
            best[unit] = (uint16_t)(wins ? bank : other);
            banks[word_of(m.bank_words, loser)] &= ~oc_bit(loser);
        }
    }
}

// The front request of a bank is granted. What became ready and empty is for the caller to note.
OC_INLINE uint32_t read_bank(wlk_opndcoll *s, mode m, uint32_t bank, uint64_t *emptied,
                             uint64_t *ready, wlk_opndcoll_events *events) {
    const int32_t request = oc_front(s, bank), back = s->back[bank];
    const uint32_t unit = oc_request_unit(request);
    const bool is_last = request == back;
    s->links[bank] = (int16_t)oc_behind(s, request);
    s->back[bank] = (int16_t)(is_last ? oc_bank_member(bank) : back);
    *emptied |= (uint64_t)is_last << (bank & 63u);
    const uint8_t left = (uint8_t)(s->left[unit] - 1u);
    s->left[unit] = left;
    ready[word_of(m.unit_words, unit)] |= (uint64_t)(left == 0) << (unit & 63u);
    emit_unit(s, events, WLK_OPNDCOLL_GRANT, bank, unit, oc_request_slot(request));
    return weight_of(s, m, unit);
}

OC_INLINE void read_banks(wlk_opndcoll *s, mode m, wlk_opndcoll_events *events) {
    uint64_t banks[OC_BANK_WORDS], ready[OC_UNIT_WORDS], reads = 0;
    for (uint32_t w = 0; w < m.bank_words; w++) {
        banks[w] = s->filled[w] & ~s->written[w];
    }
    if (m.revision == WLK_OPNDCOLL_V32) {
        keep_one_a_unit(s, m, banks);
    }
    memcpy(ready, s->ready, m.unit_words * sizeof ready[0]);
    for (uint32_t w = 0; w < m.bank_words; w++) {
        uint64_t emptied = 0;
        for (uint64_t left = banks[w]; left != 0; left &= left - 1u) {
            reads += read_bank(s, m, w * 64u + oc_lowest(left), &emptied, ready, events);
        }
        s->filled[w] ^= emptied;
    }
    memcpy(s->ready, ready, m.unit_words * sizeof ready[0]);
    s->counters.reads += reads;
}

/* ---- allocate (§6.3) ---- */

// Appends the reads of an instruction to their banks' queues; how many they are.
OC_INLINE uint32_t enqueue(wlk_opndcoll *s, mode m, uint32_t unit, const oc_inst *inst) {
    uint32_t n = 0;
    for (uint32_t left = inst->reads; left != 0; left &= left - 1u) {
        const uint32_t slot = oc_lowest(left), bank = inst->bank[slot];
        const int32_t request = oc_request(unit, slot);
        *oc_link(s, s->back[bank]) = (int16_t)request;
        s->back[bank] = (int16_t)request;
        s->filled[word_of(m.bank_words, bank)] |= oc_bit(bank);
        n++;
    }
    return n;
}

// The instruction of a key of ID_OC moves into an idle unit.
OC_INLINE void fill_unit(wlk_opndcoll *s, mode m, uint32_t port, uint32_t kind, uint64_t key,
                         uint32_t unit, wlk_opndcoll_events *events) {
    oc_slots *id = &s->id[kind];
    s->waiting ^= (uint32_t)is_single(id->occupied) << kind;
    s->blocked &= ~(1u << kind);
    slot_clear(s, id, oc_key_slot(key));
    const oc_inst *inst = oc_inst_of(s, key);
    const uint32_t reads = enqueue(s, m, unit, inst), word = word_of(m.unit_words, unit);
    s->held[unit] = oc_key_at0(key);
    s->left[unit] = (uint8_t)reads;
    s->kind[unit] = (uint8_t)kind;
    if (reads == 0) {
        s->ready[word] |= oc_bit(unit);
    }
    emit_unit(s, events, WLK_OPNDCOLL_ALLOCATE, port, unit, oc_key_slot(key));
}

// The first idle unit of a set; OC_NONE: none.
OC_INLINE uint32_t idle_unit(const uint64_t *idle, mode m, const oc_set *set, uint64_t mask) {
    if (m.unit_words == 1) {
        const uint64_t units = idle[0] & mask;
        return units != 0 ? oc_lowest(units) : (uint32_t)OC_NONE;
    }
    return first_in(idle, m.unit_words, set->first_unit, set->first_unit + set->units);
}

// Every port takes the lowest kind that waits. Ports that are alike turn to their second set of
// units when none of the first is idle any more; one that could do nothing is the last that tries.
OC_INLINE void allocate_first_kind(wlk_opndcoll *s, mode m, uint64_t *idle,
                                   wlk_opndcoll_events *events) {
    uint32_t port = 0;
    for (const oc_feed *f = s->feeds, *end = f + s->n_feeds; f < end; f++) {
        port = f->goes_on != 0 ? port : f->first;
        for (; port < f->end; port++) {
            const uint32_t kinds = s->waiting & f->kinds;
            const uint32_t unit = idle_unit(idle, m, &s->sets[f->set], f->mask);
            if (kinds == 0 || unit == OC_NONE) {
                break;
            }
            const uint32_t kind = oc_lowest(kinds);
            idle[word_of(m.unit_words, unit)] ^= oc_bit(unit);
            fill_unit(s, m, port, kind, oldest(s, &s->id[kind]), unit, events);
        }
    }
}

// The idle unit that V42 gives to the instruction of a key: in the sub-core model one of its
// scheduler's part (§12.2). OC_NONE: there is none.
OC_INLINE uint32_t idle_unit_for(const wlk_opndcoll *s, mode m, const uint64_t *idle,
                                 const oc_set *set, uint64_t key) {
    if (m.by_slot == 0) {
        return idle_unit(idle, m, set, set->mask);
    }
    const uint32_t from = set->first_unit + oc_inst_of(s, key)->sched * set->part;
    return first_in(idle, m.unit_words, from, from + set->part);
}

// The same of all sets of a port.
OC_INLINE uint32_t port_unit_for(const wlk_opndcoll *s, mode m, const uint64_t *idle,
                                 const oc_ports *ports, uint64_t key) {
    uint32_t unit = OC_NONE;
    for (uint32_t i = 0; i < ports->n_sets && unit == OC_NONE; i++) {
        unit = idle_unit_for(s, m, idle, &s->sets[ports->sets[i]], key);
    }
    return unit;
}

// pass_full_sub_core: the oldest instruction of a kind for which a unit is idle. OC_EMPTY: none.
OC_APART uint64_t oldest_with_unit(const wlk_opndcoll *s, mode m, const uint64_t *idle,
                                   const oc_ports *ports, uint32_t kind) {
    const oc_slots *id = &s->id[kind];
    uint64_t found = OC_EMPTY;
    for (uint64_t left = id->occupied; left != 0; left &= left - 1u) {
        const uint64_t key = oc_keys(s, id)[oc_lowest(left)];
        if (key < found && port_unit_for(s, m, idle, ports, key) != OC_NONE) {
            found = key;
        }
    }
    return found;
}

// A port's turn for a kind that has an instruction waiting; false: no unit is idle for it.
OC_INLINE bool fill_from(wlk_opndcoll *s, mode m, uint64_t *idle, const oc_ports *ports,
                         uint32_t port, uint32_t kind, wlk_opndcoll_events *events) {
    const uint64_t key =
        m.passes ? oldest_with_unit(s, m, idle, ports, kind) : oldest(s, &s->id[kind]);
    const uint32_t unit =
        m.passes && key == OC_EMPTY ? (uint32_t)OC_NONE : port_unit_for(s, m, idle, ports, key);
    if (unit == OC_NONE) {
        return false;
    }
    idle[word_of(m.unit_words, unit)] ^= oc_bit(unit);
    fill_unit(s, m, port, kind, key, unit, events);
    return true;
}

// V42: every port tries all of its kinds. A kind without a unit finds none in this step any more.
OC_INLINE void allocate_all_kinds(wlk_opndcoll *s, mode m, uint64_t *idle, const oc_ports *ports,
                                  wlk_opndcoll_events *events) {
    uint32_t tried = ports->kinds;
    for (uint32_t i = 0; i < ports->count && (s->waiting & tried) != 0; i++) {
        for (uint32_t kinds = s->waiting & tried; kinds != 0; kinds &= kinds - 1u) {
            const uint32_t kind = oc_lowest(kinds);
            if (!fill_from(s, m, idle, ports, ports->first + i, kind, events)) {
                tried &= ~(1u << kind);
            }
        }
    }
}

// rotate_kinds: the order begins behind the kind that the port took first when it last took one.
// But for V42 a port's turn ends with the first kind that waits.
OC_INLINE void allocate_rotating(wlk_opndcoll *s, mode m, uint64_t *idle, const oc_ports *ports,
                                 uint32_t port, wlk_opndcoll_events *events) {
    const uint32_t begin = *oc_first_kind(s, port);
    bool took = false;
    for (uint32_t left = s->waiting & ports->kinds; left != 0;) {
        const uint32_t kind = oc_kind_from(left, begin);
        left = m.revision == WLK_OPNDCOLL_V42 ? left & ~(1u << kind) : 0u;
        if (fill_from(s, m, idle, ports, port, kind, events) && !took) {
            took = true;
            *oc_first_kind(s, port) = (uint8_t)oc_kind_from(ports->kinds, kind + 1u);
        }
    }
}

OC_INLINE void allocate(wlk_opndcoll *s, mode m, wlk_opndcoll_events *events) {
    uint64_t idle[OC_UNIT_WORDS];
    memcpy(idle, s->idle, m.unit_words * sizeof idle[0]);
    if (m.rotates) {
        for (const oc_ports *p = s->ports, *end = p + s->n_ports; p < end; p++) {
            for (uint32_t i = 0; s->waiting != 0 && i < p->count; i++) {
                allocate_rotating(s, m, idle, p, p->first + i, events);
            }
        }
    } else if (m.revision == WLK_OPNDCOLL_V42) {
        for (uint32_t i = 0; s->waiting != 0 && i < s->n_ports; i++) {
            allocate_all_kinds(s, m, idle, &s->ports[i], events);
        }
    } else if (s->waiting != 0) {
        allocate_first_kind(s, m, idle, events);
    }
    memcpy(s->idle, idle, m.unit_words * sizeof idle[0]);
}

/* ---- a step ---- */

OC_INLINE void step(wlk_opndcoll *s, mode m, wlk_opndcoll_events *events) {
    dispatch(s, m, events);
    read_banks(s, m, events);
    s->pri = s->pri + 1u == s->shape.units ? 0u : s->pri + 1u;
    allocate(s, m, events);
    memset(s->written, 0, m.bank_words * sizeof s->written[0]); // release, §6.4
}

#define OC_STEP(name, revision, by_slot)                                                           \
    static void name(wlk_opndcoll *s, wlk_opndcoll_events *none) {                                 \
        (void)none;                                                                                \
        step(s, (mode){revision, by_slot, true, 1, 1, false, false}, NULL);                        \
    }                                                                                              \
    static void name##_events(wlk_opndcoll *s, wlk_opndcoll_events *events) {                      \
        step(s, (mode){revision, by_slot, true, 1, 1, false, false}, events);                      \
    }
OC_STEP(step_v40, WLK_OPNDCOLL_V40, 0)
OC_STEP(step_v42, WLK_OPNDCOLL_V42, 0)
OC_STEP(step_v42_by_slot, WLK_OPNDCOLL_V42, 1)
OC_STEP(step_v32, WLK_OPNDCOLL_V32, 0)
#undef OC_STEP

static void step_any(wlk_opndcoll *s, wlk_opndcoll_events *events) {
    const mode m = {s->revision,   s->by_slot, false,     s->bank_words,
                    s->unit_words, s->passes,  s->rotates};
    step(s, m, events);
}

void wlk_opndcoll_step(wlk_opndcoll *s, wlk_opndcoll_events *events) {
    typedef void (*path)(wlk_opndcoll *, wlk_opndcoll_events *);
    static const path paths[][2] = {
        // without events, and with them
        [OC_PATH_ANY] = {step_any, step_any},
        [OC_PATH_V32] = {step_v32, step_v32_events},
        [OC_PATH_V40] = {step_v40, step_v40_events},
        [OC_PATH_V42] = {step_v42, step_v42_events},
        [OC_PATH_V42_BY_SLOT] = {step_v42_by_slot, step_v42_by_slot_events},
    };
    paths[s->path][events != NULL](s, events);
}

/* ---- write-back (§7) ---- */

uint32_t wlk_opndcoll_bank(const wlk_opndcoll *s, uint32_t reg, uint32_t wid, uint32_t sched) {
    return bank_of(hash_of(s, wid, sched), reg, false);
}

OC_INLINE int32_t write_all(wlk_opndcoll *s, int32_t *dst, uint32_t n, uint32_t wid, hash h,
                            uint32_t lanes, wlk_opndcoll_events *events, bool is_usual) {
    const bool is_v32 = s->revision == WLK_OPNDCOLL_V32;
    uint32_t done = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (dst[k] < 0) {
            continue;
        }
        const uint32_t reg = (uint32_t)dst[k], bank = bank_of(h, reg, is_usual);
        const bool busy = oc_has(s->written, bank);
        if (events != NULL) {
            emit(events, (wlk_opndcoll_event){
                             .what = busy ? WLK_OPNDCOLL_REFUSE : WLK_OPNDCOLL_WRITE,
                             .at = bank,
                             .slot = is_v32 ? done : k,
                             .reg = reg,
                             .wid = wid,
                         });
        }
        if (busy) {
            return 0;
        }
        s->written[bank / 64u] |= oc_bit(bank);
        done++;
        if (!is_v32) {
            dst[k] = -1;
        }
    }
    s->counters.writes += is_usual ? done : (uint64_t)done * weight(s, lanes);
    return 1;
}

OC_APART int32_t write_any(wlk_opndcoll *s, int32_t *dst, uint32_t n, uint32_t wid, uint32_t sched,
                           uint32_t lanes, wlk_opndcoll_events *events) {
    const hash h = hash_of(s, wid, sched);
    return events == NULL && s->path == OC_PATH_V32
               ? write_all(s, dst, n, wid, h, lanes, NULL, true)
               : write_all(s, dst, n, wid, h, lanes, events, false);
}

// The same for V40 and V42 where all is usual. After a refusal the loop goes on and writes
// nothing, as the branch is unpredictable.
OC_INLINE int32_t write_usual(wlk_opndcoll *s, int32_t *dst, uint32_t n, hash h) {
    uint64_t written = s->written[0], goes_on = 1, done = 0;
    for (uint32_t k = 0; k < n; k++) {
        const int32_t reg = dst[k];
        if (reg >= 0) {
            const uint32_t bank = bank_of(h, (uint32_t)reg, true);
            goes_on &= ~(written >> bank);
            written |= goes_on << bank;
            done += goes_on;
            dst[k] = reg | -(int32_t)goes_on;
        }
    }
    s->written[0] = written;
    s->counters.writes += done & -goes_on;
    return (int32_t)goes_on;
}

int32_t wlk_opndcoll_writeback(wlk_opndcoll *s, int32_t *dst, uint32_t n, uint32_t wid,
                               uint32_t sched, uint32_t lanes, wlk_opndcoll_events *events) {
    if (n > s->shape.operands || sched > s->max_sched) {
        return WLK_OPNDCOLL_BAD;
    }
    return events != NULL || s->path < OC_PATH_V40 ? write_any(s, dst, n, wid, sched, lanes, events)
                                                   : write_usual(s, dst, n, hash_of(s, wid, sched));
}

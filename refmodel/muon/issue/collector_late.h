/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Muon's operand collector from a start without its reset (muon-issue §2): which registers are
 * known, and what the data that is shown tells of the register file. An entry of which it is not
 * known whether it is taken counts as free.
 */
#ifndef WLK_ISSUE_COLLECTOR_LATE_H
#define WLK_ISSUE_COLLECTOR_LATE_H

#include "collector_rules.h"

/* Bits of late_flops. */
enum {
    COLL_KNOWS_ID = 1,       /* nextAllocId */
    COLL_KNOWS_RESPONSE = 2, /* readResp */
    COLL_KNOWS_PREGS = 4,    /* nextPReg, and what was saved */
    COLL_KNOWS_REQUEST = 8,  /* whether a request of this cycle is taken, and by which entry */
    COLL_KNOWS_ALL = COLL_KNOWS_ID | COLL_KNOWS_RESPONSE | COLL_KNOWS_PREGS
};

/* Nothing is known but register 0. @p st: after init. */
static inline void coll_late(const coll_cfg *cfg, coll_state *st) {
    st->late = 1;
    st->reset_seen = 0;
    st->free_entries = coll_all_entries(cfg);
}

static inline bool coll_is_hiding(const coll_state *st) {
    return (st->late & bit_not(st->reset_seen)) != 0;
}

/* Entries known to be free. */
static inline uint32_t coll_known_free(const coll_state *st) {
    return st->free_entries & st->late_entries;
}

static inline uint32_t coll_ready_known(const coll_cfg *cfg, const coll_state *st,
                                        const coll_comb *c) {
    return c->free_now | (uint32_t)(coll_known_free(st) != 0) |
           (uint32_t)(st->late_entries == coll_all_entries(cfg));
}

static inline void coll_learn_entry(coll_state *st, uint32_t entry, uint32_t taken) {
    const uint32_t bit = UINT32_C(1) << entry;
    if ((st->late_entries & bit) == 0) {
        st->late_entries |= bit;
        st->free_entries = taken != 0 ? st->free_entries & ~bit : st->free_entries | bit;
    }
}

/* The lowest free entry is @p entry: those below it are taken. */
static inline void coll_learn_lowest(const coll_cfg *cfg, coll_state *st, uint32_t entry) {
    for (uint32_t e = 0; e < entry && e < cfg->coll_entries; e++) {
        coll_learn_entry(st, e, 1);
    }
    if (entry < cfg->coll_entries) {
        coll_learn_entry(st, entry, 0);
    }
}

static inline uint64_t coll_lane_words_known(const uint64_t *known, uint32_t lane,
                                             uint32_t lane_bits) {
    const uint32_t bit = lane * lane_bits;
    return (uint64_t)((known[bit / 64u] >> bit % 64u & wlk_mask(lane_bits)) == wlk_mask(lane_bits));
}

/* Lanes of @p lanes from a record's row into a row of the state. */
static inline void coll_take_lanes(uint64_t *row, const uint64_t *shown, uint64_t lanes,
                                   uint32_t lane_bits) {
    for (; lanes != 0; lanes &= lanes - 1u) {
        const uint32_t bit = (uint32_t)__builtin_ctzll(lanes) * lane_bits;
        const uint64_t mask = wlk_mask(lane_bits) << bit % 64u;
        row[bit / 64u] = (row[bit / 64u] & ~mask) | (shown[bit / 64u] & mask);
    }
}

/*
 * An entry's data is shown: so the bank row holds it, and so does the operand's copy of the
 * register that it was loaded from. Only what was written is the same in all copies.
 */
static inline void coll_learn_row(const coll_cfg *cfg, coll_state *st, uint32_t operand,
                                  uint32_t entry, const uint64_t *shown, const uint64_t *known) {
    const uint32_t stride = prf_stride_of(coll_words(cfg));
    const uint32_t preg = st->bank_preg[operand][entry];
    uint64_t lanes = 0;
    for (uint32_t lane = 0; lane < cfg->num_lanes; lane++) {
        lanes |= coll_lane_words_known(known, lane, cfg->lane_bits) << lane;
    }
    const uint64_t fresh = lanes & ~st->bank_known[coll_bank_row(operand, entry)];
    coll_take_lanes(coll_bank(st, operand, entry, stride), shown, fresh, cfg->lane_bits);
    st->bank_known[coll_bank_row(operand, entry)] |= fresh;
    uint64_t others = 0, same = lanes & st->bank_same[operand][entry] & ~st->rf_known[preg];
    for (uint32_t i = 0; i < COLL_OPERANDS; i++) {
        others |= st->copy_known[i][preg];
    }
    coll_take_lanes(coll_rf(st, preg, stride), shown, same & ~others, cfg->lane_bits);
    for (uint32_t lane = 0; lane < cfg->num_lanes; lane++) { /* kept if it is the same */
        const uint32_t bit = lane * cfg->lane_bits;
        const uint64_t differs = coll_rf(st, preg, stride)[bit / 64u] ^ shown[bit / 64u];
        const bool other = (differs >> bit % 64u & wlk_mask(cfg->lane_bits)) != 0;
        same &= ~((uint64_t)other << lane & others);
    }
    st->copy_known[operand][preg] |= same;
}

/* Lanes of a register, unknown until now or from now on, are no longer what they were. */
static inline void coll_forget_copies(coll_state *st, uint32_t preg, uint64_t lanes) {
    for (uint32_t i = 0; i < COLL_OPERANDS; i++) {
        st->copy_known[i][preg] &= ~lanes;
    }
}

/* Before coll_commit: what is written is no longer what a bank row was loaded from. */
static inline void coll_before_late(coll_state *st, const coll_comb *c) {
    if (c->write) {
        for (uint32_t i = 0; i < COLL_OPERANDS * COLL_BANK_ROWS; i++) {
            const uint32_t operand = i / COLL_BANK_ROWS, e = i % COLL_BANK_ROWS;
            if (st->bank_preg[operand][e] == c->write_preg) {
                st->bank_same[operand][e] &= ~c->write_mask;
            }
        }
    }
}

/* Lands in this cycle: entry and operands. */
typedef struct coll_landing {
    uint32_t entry, operands, saved;
    uint16_t pregs[COLL_OPERANDS];
} coll_landing;

static inline coll_landing coll_lands(const coll_cfg *cfg, const coll_state *st) {
    coll_landing l = {.entry = st->nextAllocId, .operands = st->nextEn, .saved = st->landing_saved};
    l.operands &= bit_all((uint32_t)(l.entry < cfg->coll_entries));
    memcpy(l.pregs, st->nextPReg, sizeof l.pregs);
    return l;
}

/* The rows that were loaded, from the registers that they were loaded from. */
static inline void coll_landed(coll_state *st, const coll_comb *c, const coll_landing *l,
                               bool known) {
    for (uint32_t i = 0; i < COLL_OPERANDS; i++) {
        if ((l->operands >> i & 1u) == 0) {
            continue;
        }
        /* What was saved is older than the register, or undefined. */
        const bool whole = known && (l->saved >> i & 1u) == 0;
        const bool written = c->write && l->pregs[i] == c->write_preg;
        st->bank_preg[i][l->entry] = l->pregs[i];
        st->bank_same[i][l->entry] = whole ? ~(written ? c->write_mask : 0u) : 0u;
        if (!known) {
            st->bank_known[coll_bank_row(i, l->entry)] = 0;
        } else if (whole) {
            st->bank_known[coll_bank_row(i, l->entry)] |= st->copy_known[i][l->pregs[i]];
        }
    }
}

/* What the edge leaves known of the flops and of the entries. */
static inline void coll_flops_after(const coll_cfg *cfg, coll_state *st, const coll_comb *c,
                                    uint32_t flops) {
    const uint32_t bit = UINT32_C(1) << c->read_entry;
    const bool writes_first = cfg->read_during_write == WLK_COLLECTOR_READ_DURING_WRITE_NEW;
    st->late_flops = writes_first || (flops & COLL_KNOWS_REQUEST) != 0 ? COLL_KNOWS_PREGS : 0;
    if ((flops & COLL_KNOWS_REQUEST) == 0) {
        st->late_entries = 0;
        st->free_entries = coll_all_entries(cfg);
        return;
    }
    st->late_flops |= COLL_KNOWS_RESPONSE;
    st->late_flops |= (uint8_t)(c->request ? (uint32_t)COLL_KNOWS_ID : flops & COLL_KNOWS_ID);
    if (c->free_now && c->in_range && (st->late_entries & bit) == 0) {
        st->late_entries |= bit; /* taken before, and again where there is a request */
        st->free_entries = c->request ? st->free_entries & ~bit : st->free_entries | bit;
    }
    if (st->late_entries == coll_all_entries(cfg) && st->late_flops == COLL_KNOWS_ALL &&
        st->writeResp_known) {
        st->reset_seen = 1;
    }
}

/* After coll_commit. @p l, @p flops: before it. */
static inline void coll_after_late(const coll_cfg *cfg, coll_state *st, const coll_comb *c,
                                   const coll_landing *l, uint32_t flops) {
    if (c->reset) {
        memset(st->bank_same, 0, sizeof st->bank_same);
        return;
    }
    if (st->reset_seen) {
        coll_landed(st, c, l, true);
        return;
    }
    if ((flops & COLL_KNOWS_RESPONSE) == 0) { /* anything may have landed anywhere */
        memset(st->bank_known, 0, sizeof st->bank_known);
        memset(st->bank_same, 0, sizeof st->bank_same);
    } else {
        coll_landed(st, c, l, (flops & COLL_KNOWS_PREGS) != 0);
    }
    coll_flops_after(cfg, st, c, flops);
}

#endif

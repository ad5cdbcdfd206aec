/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operand collectors of the Muon document, in every model that contains one. A cycle: inputs
 * as a cx_inputs, cx_observe() for what depends on them, cx_commit() for the edge. Spec:
 * muon-designs §2 to §5; sections are those.
 *
 * Copies of the register file are one here: all are written alike, and what they held at power-up
 * is unknown in each.
 */
#ifndef WLK_COLLECTOR_X_RULES_H
#define WLK_COLLECTOR_X_RULES_H

#include "frame/bits.h"
#include "muon/prf_rows.h"
#include "warplock/collector_x.h"

enum { CX_OPERANDS = 3, CX_LANES = WLK_COLLECTOR_X_LANES, CX_PORTS = WLK_COLLECTOR_X_PORTS };
enum { CX_DUPLICATED, CX_SRC_BANKED, CX_INST_BANKED, CX_CACHING };
enum { CX_NONE, CX_EGRESS, CX_MUST };

/* What follows from the configuration. */
typedef struct cx_shape {
    uint32_t collector, lanes, groups, entries, depth, ports;
    uint32_t bank_shift, bank_mask; /* of a register's bank in the register file */
    uint32_t ref_mask;              /* of a slot's count of users */
    uint32_t pregs, num_lanes, lane_bits, words, stride;
} cx_shape;

/* Operands read in a cycle, by lane. */
typedef wlk_collector_x_reads cx_reads;

typedef struct cx_inputs {
    uint32_t reset;
    uint32_t alloc_valid, alloc_group;
    uint32_t bind_valid, bind_enable, bind_busy, bind_preg[CX_OPERANDS];
    cx_reads reads;
    uint32_t write_valid, commit, merge, write_preg;
    uint64_t write_mask;
    uint32_t fwd; /* lanes that store what is written */
    uint8_t fwd_operand[CX_LANES];
    uint16_t fwd_entry[CX_LANES];
    /* Issue ports that read, three enables of each, and the entry of each; caching: three slots. */
    uint32_t data_valid, data_enable, data_entry[CX_PORTS], data_slot[CX_OPERANDS];
} cx_inputs;

typedef struct cx_cycle {
    uint32_t freed, taken; /* issue ports that free an entry; an entry is taken */
    uint32_t room;         /* groups with room */
    uint16_t room_entry[CX_LANES];
    uint32_t taken_entry;
    uint32_t bind_ready, hit, found; /* operands that hit; that have a slot */
    uint32_t slot[CX_OPERANDS];
    uint32_t evicts;    /* operands whose slot is the victim's */
    uint32_t fwd, lost; /* lanes that store what is written, and whose read is lost */
    uint32_t write;     /* a register is written at the edge */
    uint32_t row[CX_PORTS * CX_OPERANDS]; /* rows that readData shows */
} cx_cycle;

static inline cx_shape cx_shape_of(const wlk_collector_x_cfg *cfg) {
    const uint32_t words = prf_words_of(cfg->num_lanes, cfg->lane_bits);
    const uint32_t bank_bits = wlk_clog2(cfg->reg_banks);
    cx_shape s = {.collector = cfg->collector, .lanes = cfg->coll_banks, .groups = 1};
    s.ports = cfg->issue_ports;
    s.depth = s.entries = cfg->coll_depth;
    if (cfg->collector == CX_SRC_BANKED) {
        const uint32_t whole = cfg->coll_banks * cfg->coll_depth / CX_OPERANDS;
        s.entries = whole != 0 ? whole : 1u;
    } else if (cfg->collector == CX_INST_BANKED) {
        s.groups = cfg->coll_banks;
        s.entries = cfg->coll_banks * cfg->coll_depth;
    }
    s.bank_shift = cfg->bank_map != 0 ? 0u : wlk_clog2(cfg->num_pregs) - bank_bits;
    s.bank_mask = cfg->reg_banks - 1u;
    s.ref_mask = (uint32_t)wlk_mask(wlk_clog2(cfg->rs_entries + 2u));
    s.pregs = cfg->num_pregs;
    s.num_lanes = cfg->num_lanes;
    s.lane_bits = cfg->lane_bits;
    s.words = words;
    s.stride = prf_stride_of(words);
    return s;
}

static inline uint32_t cx_bank(const cx_shape *s, uint32_t preg) {
    return preg >> s->bank_shift & s->bank_mask;
}

/* The write port that an operand of an entry needs (§3). */
static inline uint32_t cx_lane(const cx_shape *s, uint32_t entry, uint32_t operand) {
    switch (s->collector) {
    case CX_SRC_BANKED:
        return (CX_OPERANDS * entry + operand) % s->lanes;
    case CX_INST_BANKED:
        return entry / s->depth;
    default:
        return operand;
    }
}

/* ---- rows: operands of entries or slots, a sink, kept old values, registers ------------------ */

static inline uint32_t cx_sink(const cx_shape *s) {
    return CX_OPERANDS * s->entries;
}

/* Row of an operand; the sink where there is none. */
static inline uint32_t cx_row(const cx_shape *s, uint32_t entry, uint32_t operand) {
    return operand < CX_OPERANDS && entry < s->entries ? CX_OPERANDS * entry + operand : cx_sink(s);
}

static inline uint32_t cx_old_row(const cx_shape *s) {
    return cx_sink(s) + 1u;
}

static inline uint32_t cx_register_row(const cx_shape *s, uint32_t preg) {
    return cx_sink(s) + 2u + preg;
}

static inline uint32_t cx_rows(const cx_shape *s) {
    return cx_register_row(s, s->pregs);
}

static inline uint64_t *cx_at(wlk_collector_x_state *st, const cx_shape *s, uint32_t row) {
    return st->rows + (size_t)row * s->stride;
}

/* ---- free entries (§4.1) ------------------------------------------------------------------- */

/* The lowest free entry of a group, or none: `entries`. */
static inline uint32_t cx_lowest_free(const wlk_collector_x_state *st, const cx_shape *s,
                                      uint32_t group) {
    const uint32_t n = s->entries / s->groups, first = group * n;
    for (uint32_t at = first; at < first + n;) {
        const uint64_t free_here = ~st->taken[at / 64u] >> at % 64u;
        const uint32_t left = wlk_min(64u - at % 64u, first + n - at);
        const uint64_t found = free_here & wlk_mask(left);
        if (found != 0) {
            return at + (uint32_t)__builtin_ctzll(found);
        }
        at += left;
    }
    return s->entries;
}

static inline uint32_t cx_group_of(const cx_shape *s, uint32_t entry) {
    return s->groups > 1 ? entry / s->depth : 0u;
}

/* Issue ports whose read frees an entry. */
static inline uint32_t cx_frees(const cx_shape *s, const cx_inputs *in) {
    uint32_t frees = 0;
    for (uint32_t left = in->data_valid; left != 0; left &= left - 1u) {
        const uint32_t p = set_lowest(left), enable = in->data_enable >> CX_OPERANDS * p & 7u;
        frees |= (uint32_t)(enable != 0 && in->data_entry[p] < s->entries) << p;
    }
    return frees;
}

/* The entry of a group that the lowest port frees, or none: `entries`. */
static inline uint32_t cx_freed_in(const cx_shape *s, const cx_inputs *in, uint32_t frees,
                                   uint32_t group) {
    for (uint32_t left = frees; left != 0; left &= left - 1u) {
        const uint32_t entry = in->data_entry[set_lowest(left)];
        if (cx_group_of(s, entry) == group) {
            return entry;
        }
    }
    return s->entries;
}

static inline void cx_find_room(const wlk_collector_x_state *st, const cx_shape *s,
                                const cx_inputs *in, cx_cycle *c) {
    c->freed = cx_frees(s, in);
    c->room = 0;
    for (uint32_t g = 0; g < s->groups; g++) {
        const uint32_t freed = cx_freed_in(s, in, c->freed, g);
        const uint32_t entry = freed < s->entries ? freed : cx_lowest_free(st, s, g);
        c->room |= (uint32_t)(entry < s->entries) << g;
        c->room_entry[g] = (uint16_t)(entry < s->entries ? entry : 0u);
    }
    c->taken = in->alloc_valid & (uint32_t)(in->alloc_group < s->groups) &
               c->room >> (in->alloc_group & (CX_LANES - 1u)) & 1u;
    c->taken_entry = c->room_entry[in->alloc_group & (CX_LANES - 1u)];
}

/* ---- slots (§3.4) -------------------------------------------------------------------------- */

/* Users of a slot, less the one that readData releases. */
static inline uint32_t cx_users(const wlk_collector_x_state *st, const cx_shape *s,
                                const cx_inputs *in, uint32_t operand, uint32_t slot) {
    const bool released =
        (in->data_valid & in->data_enable >> operand & 1u) != 0 && in->data_slot[operand] == slot;
    return (st->refs[operand][slot] - released) & s->ref_mask;
}

/* A slot that nobody uses: one without a register, else the victim; none: `depth`. */
static inline uint32_t cx_unused_slot(const wlk_collector_x_state *st, const cx_shape *s,
                                      const cx_inputs *in, uint32_t operand) {
    uint32_t victim = s->depth;
    for (uint32_t slot = 0; slot < s->depth; slot++) {
        const bool unused = cx_users(st, s, in, operand, slot) == 0;
        if (unused && (st->tagValid[operand] >> slot & 1u) == 0) {
            return slot;
        }
    }
    for (uint32_t n = s->depth; n-- > 0;) {
        const uint32_t at = st->victim[operand] + n;
        const uint32_t slot = at < s->depth ? at : at - s->depth;
        victim = cx_users(st, s, in, operand, slot) == 0 ? slot : victim;
    }
    return victim;
}

static inline void cx_find_slots(const wlk_collector_x_state *st, const cx_shape *s,
                                 const cx_inputs *in, cx_cycle *c) {
    const uint32_t wanted = in->bind_valid != 0 ? in->bind_enable : 0u;
    c->hit = c->found = c->evicts = 0;
    for (uint32_t i = 0; i < CX_OPERANDS; i++) {
        uint32_t slot = s->depth;
        c->slot[i] = 0;
        if ((wanted >> i & 1u) == 0) {
            continue;
        }
        for (uint32_t left = (in->bind_busy >> i & 1u) != 0 ? 0u : st->tagValid[i]; left != 0;
             left &= left - 1u) {
            if (st->tag[i][set_lowest(left)] == in->bind_preg[i]) {
                slot = set_lowest(left);
                c->hit |= 1u << i;
                break;
            }
        }
        if (slot == s->depth) {
            slot = cx_unused_slot(st, s, in, i);
            const bool evicts = slot < s->depth && (st->tagValid[i] >> slot & 1u) != 0;
            c->evicts |= (uint32_t)evicts << i;
        }
        c->found |= (uint32_t)(slot < s->depth) << i;
        c->slot[i] = slot < s->depth ? slot : 0u;
    }
    c->bind_ready = in->bind_valid & (uint32_t)(c->found == wanted);
}

/* ---- the cycle ----------------------------------------------------------------------------- */

/* Reads that land and are lost to a forward (§5.2). */
static inline uint32_t cx_lost(const wlk_collector_x_state *st, const cx_shape *s, uint32_t fwd,
                               uint32_t preg) {
    const cx_reads *r = &st->reads;
    uint32_t lost = r->lanes & fwd;
    if (fwd == 0 || s->collector == CX_DUPLICATED) {
        return lost;
    }
    for (uint32_t left = r->lanes & ~fwd; left != 0; left &= left - 1u) {
        const uint32_t lane = set_lowest(left), p = r->preg[lane];
        lost |= (uint32_t)(p != 0 && cx_bank(s, p) == cx_bank(s, preg)) << lane;
    }
    return lost;
}

static inline void cx_observe(const wlk_collector_x_state *st, const cx_shape *s,
                              const cx_inputs *in, cx_cycle *c) {
    c->freed = c->taken = c->room = c->bind_ready = c->hit = c->found = c->evicts = 0;
    if (s->collector == CX_CACHING) {
        cx_find_slots(st, s, in, c);
    } else {
        cx_find_room(st, s, in, c);
    }
    c->fwd = in->write_valid != 0 && in->write_preg != 0 ? in->fwd : 0u;
    c->lost = cx_lost(st, s, c->fwd, in->write_preg);
    c->write = in->write_valid & in->commit & (uint32_t)(in->write_preg != 0);
    for (uint32_t p = 0; p < s->ports; p++) {
        for (uint32_t i = 0; i < CX_OPERANDS; i++) {
            const uint32_t named =
                s->collector == CX_CACHING ? in->data_slot[i] : in->data_entry[p];
            const uint32_t entry = named < s->entries ? named : 0u;
            c->row[CX_OPERANDS * p + i] = CX_OPERANDS * entry + i;
        }
    }
}

/* ---- the clock edge ------------------------------------------------------------------------ */

static inline void cx_copy(wlk_collector_x_state *st, const cx_shape *s, uint32_t to,
                           uint32_t from) {
    prf_copy(cx_at(st, s, to), cx_at(st, s, from), s->stride);
    st->known[to] = st->known[from];
}

/* What lands comes from the registers before this edge's write; a forward comes from the write,
 * and where it has no word from the old value. */
static inline void cx_store(wlk_collector_x_state *st, const cx_shape *s, const cx_inputs *in,
                            const cx_cycle *c, const void *data) {
    const cx_reads *r = &st->reads;
    const uint64_t old = ~in->write_mask;
    for (uint32_t left = r->lanes & ~c->lost; left != 0; left &= left - 1u) {
        const uint32_t lane = set_lowest(left);
        cx_copy(st, s, cx_row(s, r->entry[lane], r->operand[lane]),
                cx_register_row(s, r->preg[lane]));
    }
    for (uint32_t left = c->fwd; left != 0; left &= left - 1u) {
        const uint32_t lane = set_lowest(left);
        const uint32_t to = cx_row(s, in->fwd_entry[lane], in->fwd_operand[lane]);
        cx_copy(st, s, to, cx_old_row(s));
        prf_write(cx_at(st, s, to), data, in->write_mask, s->words, s->lane_bits);
        st->known[to] = (st->known[to] & old) | in->write_mask;
    }
}

/* Tags: of what lands and is forwarded, then those of the register written are gone. */
static inline void cx_tags_edge(wlk_collector_x_state *st, const cx_shape *s, const cx_inputs *in,
                                const cx_cycle *c) {
    const cx_reads *r = &st->reads;
    uint32_t kept[CX_OPERANDS + 1] = {0};
    for (uint32_t left = r->lanes & ~c->lost; left != 0; left &= left - 1u) {
        const uint32_t lane = set_lowest(left), i = r->operand[lane], slot = r->entry[lane];
        if (i < CX_OPERANDS && slot < s->depth) {
            st->tag[i][slot] = r->preg[lane];
            st->tagValid[i] |= 1u << slot;
        }
    }
    for (uint32_t left = c->fwd; left != 0; left &= left - 1u) {
        const uint32_t lane = set_lowest(left), i = in->fwd_operand[lane];
        const uint32_t slot = in->fwd_entry[lane];
        if (i < CX_OPERANDS && slot < s->depth) {
            st->tag[i][slot] = (uint16_t)in->write_preg;
            st->tagValid[i] |= 1u << slot;
            kept[i] |= 1u << slot;
        }
    }
    for (uint32_t i = 0; i < CX_OPERANDS && c->write != 0; i++) {
        for (uint32_t left = st->tagValid[i] & ~kept[i]; left != 0; left &= left - 1u) {
            const uint32_t slot = set_lowest(left);
            st->tagValid[i] &= ~((uint32_t)(st->tag[i][slot] == in->write_preg) << slot);
        }
    }
}

/* Slots that are released, and those that are bound. */
static inline void cx_slots_edge(wlk_collector_x_state *st, const cx_shape *s, const cx_inputs *in,
                                 const cx_cycle *c) {
    for (uint32_t i = 0; i < CX_OPERANDS; i++) {
        const uint32_t slot = in->data_slot[i];
        if ((in->data_valid & in->data_enable >> i & 1u) != 0 && slot < s->depth) {
            st->refs[i][slot] = (uint8_t)((st->refs[i][slot] - 1u) & s->ref_mask);
        }
    }
    for (uint32_t left = c->bind_ready != 0 ? c->found : 0u; left != 0; left &= left - 1u) {
        const uint32_t i = set_lowest(left), slot = c->slot[i];
        st->refs[i][slot] = (uint8_t)((st->refs[i][slot] + 1u) & s->ref_mask);
        if ((c->hit >> i & 1u) == 0) {
            st->tagValid[i] &= ~(1u << slot);
        }
        if ((c->evicts >> i & 1u) != 0) {
            st->victim[i] = (uint8_t)(slot + 1u < s->depth ? slot + 1u : 0u);
        }
    }
}

static inline void cx_entries_edge(wlk_collector_x_state *st, const cx_inputs *in,
                                   const cx_cycle *c) {
    for (uint32_t left = c->freed; left != 0; left &= left - 1u) {
        const uint32_t entry = in->data_entry[set_lowest(left)];
        st->taken[entry / 64u] &= ~(UINT64_C(1) << entry % 64u);
    }
    if (c->taken != 0) {
        st->taken[c->taken_entry / 64u] |= UINT64_C(1) << c->taken_entry % 64u;
    }
}

static inline void cx_reset(wlk_collector_x_state *st, const cx_shape *s) {
    const uint32_t rows = CX_OPERANDS * s->entries;
    memset(st->taken, 0, sizeof st->taken);
    memset(&st->reads, 0, sizeof st->reads);
    memset(st->tagValid, 0, sizeof st->tagValid);
    memset(st->refs, 0, sizeof st->refs);
    memset(st->victim, 0, sizeof st->victim);
    memset(st->rows, 0, (size_t)rows * s->stride * sizeof *st->rows);
    memset(st->known, 0xff, rows * sizeof *st->known);
    st->reset_seen = 1;
}

/* The clock edge. @p data: the row that is written. */
static inline void cx_commit(wlk_collector_x_state *st, const cx_shape *s, const cx_inputs *in,
                             const cx_cycle *c, const void *data) {
    cx_store(st, s, in, c, data);
    if (s->collector == CX_CACHING) {
        cx_tags_edge(st, s, in, c);
        cx_slots_edge(st, s, in, c);
    } else {
        cx_entries_edge(st, in, c);
    }
    if ((in->write_valid & in->merge) != 0) {
        cx_copy(st, s, cx_old_row(s), cx_register_row(s, in->write_preg));
    }
    if (c->write != 0) {
        const uint32_t row = cx_register_row(s, in->write_preg);
        prf_write(cx_at(st, s, row), data, in->write_mask, s->words, s->lane_bits);
        st->known[row] |= in->write_mask;
    }
    st->reads = in->reads;
    /* §2: no reset reaches this flop. */
    st->writeRespValid = (uint8_t)(in->write_valid & in->commit);
    st->writeResp_known = 1;
    if (in->reset != 0) {
        cx_reset(st, s);
    }
}

#endif

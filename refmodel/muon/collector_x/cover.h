/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points of the operand collectors of the Muon document; part of model.c. */
#ifndef WLK_COLLECTOR_X_COVER_H
#define WLK_COLLECTOR_X_COVER_H

static uint64_t entry_events(const cycle_t *c) {
    const uint32_t frees = c->cx.freed, freed = frees != 0, taken = c->cx.taken;
    const uint32_t entry = cx_freed_in(&c->s, &c->in, frees, c->in.alloc_group);
    const uint64_t both = taken & (uint32_t)(c->cx.taken_entry == entry);
    return (taken & bit_not(freed)) * EVENT(ALLOC) | (freed & bit_not(taken)) * EVENT(FREE) |
           both * EVENT(ALLOC_AND_FREE) | (set_is_single(frees) == 0) * EVENT(FREE_SEVERAL) |
           (c->cx.room != set_below(c->s.groups)) * EVENT(GROUP_FULL);
}

/* Operands that are busy, and whose register a slot has. */
static uint32_t passing(const state_t *st, const cycle_t *c) {
    uint32_t passes = 0;
    for (uint32_t i = 0; i < CX_OPERANDS; i++) {
        for (uint32_t left = st->tagValid[i]; left != 0; left &= left - 1u) {
            passes |= (uint32_t)(st->tag[i][set_lowest(left)] == c->in.bind_preg[i]) << i;
        }
    }
    return passes & c->in.bind_enable & c->in.bind_busy;
}

/* Is a slot bound that is released in this cycle? */
static bool rebinds(const state_t *st, const cycle_t *c) {
    bool found = false;
    for (uint32_t i = 0; i < CX_OPERANDS; i++) {
        const uint32_t both = c->in.data_enable & c->cx.found;
        found |= (both >> i & 1u) != 0 && c->in.data_slot[i] == c->cx.slot[i] &&
                 st->refs[i][c->cx.slot[i]] == 1;
    }
    return found && (c->in.data_valid & c->cx.bind_ready) != 0;
}

static uint64_t slot_events(const state_t *st, const cycle_t *c) {
    const uint64_t bound = c->cx.bind_ready;
    return bound * EVENT(BIND) |
           (c->in.bind_valid & bit_not(c->cx.bind_ready)) * EVENT(BIND_REFUSED) |
           (bound & (uint32_t)(c->cx.hit != 0)) * EVENT(HIT) |
           (bound & (uint32_t)(c->cx.hit == 7)) * EVENT(HIT_ALL) |
           (bound & (uint32_t)(passing(st, c) != 0)) * EVENT(BUSY_PASSES_HIT) |
           (bound & (uint32_t)(c->cx.evicts != 0)) * EVENT(EVICT) |
           rebinds(st, c) * EVENT(REBIND_RELEASED);
}

/* What a write does to slots. */
static uint64_t tag_events(const state_t *st, const cycle_t *c) {
    const cx_reads *r = &st->reads;
    bool gone = false, landing = false;
    for (uint32_t i = 0; i < CX_OPERANDS; i++) {
        for (uint32_t left = st->tagValid[i]; left != 0; left &= left - 1u) {
            gone |= st->tag[i][set_lowest(left)] == c->in.write_preg;
        }
    }
    for (uint32_t left = r->lanes & ~c->cx.lost; left != 0; left &= left - 1u) {
        landing |= r->preg[set_lowest(left)] == c->in.write_preg;
    }
    return (c->cx.write & (uint32_t)gone) * EVENT(INVALIDATE) |
           (c->cx.write & (uint32_t)landing) * EVENT(LAND_INVALIDATED) |
           (c->cx.write & (uint32_t)(c->cx.fwd != 0)) * EVENT(FORWARD_KEPT);
}

static uint64_t read_events(const cycle_t *c) {
    const cx_reads *r = &c->in.reads;
    bool same = false, zero = false;
    for (uint32_t left = r->lanes; left != 0; left &= left - 1u) {
        const uint32_t lane = set_lowest(left);
        zero |= r->preg[lane] == 0;
        for (uint32_t more = left & (left - 1u); more != 0; more &= more - 1u) {
            same |= r->preg[set_lowest(more)] == r->preg[lane];
        }
    }
    return (r->lanes != 0) * EVENT(READ) | (set_is_single(r->lanes) == 0) * EVENT(READ_SEVERAL) |
           same * EVENT(READ_SAME) | zero * EVENT(READ_X0);
}

static uint64_t forward_events(const cfg_t *cfg, const state_t *st, const cycle_t *c) {
    const uint32_t landing = st->reads.lanes, fwd = c->cx.fwd;
    const bool partial = c->in.write_mask != wlk_mask(cfg->num_lanes);
    return ((landing & fwd) != 0) * EVENT(LOST_LANE) |
           ((c->cx.lost & ~fwd) != 0) * EVENT(LOST_BANK) |
           (fwd != 0 && (landing & ~c->cx.lost) != 0) * EVENT(KEPT_BESIDE_FORWARD) |
           (fwd != 0) * EVENT(FORWARD) | (set_is_single(fwd) == 0) * EVENT(FORWARD_SEVERAL) |
           (c->in.write_valid & c->in.merge) * EVENT(MERGE) |
           (fwd != 0 && partial) * EVENT(FORWARD_MERGED);
}

static uint64_t write_events(const cfg_t *cfg, const cycle_t *c) {
    const cx_inputs *in = &c->in;
    const bool partial = in->write_mask != 0 && in->write_mask != wlk_mask(cfg->num_lanes);
    return (c->cx.write & (uint32_t)partial) * EVENT(WRITE_PARTIAL) |
           (in->write_valid & in->commit & (uint32_t)(in->write_preg == 0)) * EVENT(WRITE_X0) |
           (in->write_valid & bit_not(in->commit)) * EVENT(WRITE_HELD);
}

static uint64_t events(const cfg_t *cfg, const state_t *st, const uint64_t *in, const cycle_t *c) {
    (void)in;
    if (c->in.reset != 0) {
        return (st->reads.lanes != 0) * EVENT(RESET_IN_FLIGHT) |
               c->cx.write * EVENT(WRITE_IN_RESET);
    }
    const bool caching = c->s.collector == CX_CACHING;
    const uint64_t stored = caching ? slot_events(st, c) | tag_events(st, c) : entry_events(c);
    return stored | read_events(c) | forward_events(cfg, st, c) | write_events(cfg, c);
}

#endif

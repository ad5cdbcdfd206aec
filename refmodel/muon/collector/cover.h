/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points of Muon's operand collector; part of model.c. */
#ifndef WLK_COLLECTOR_COVER_H
#define WLK_COLLECTOR_COVER_H

/* The set of operands that name a register. */
static uint32_t naming(uint32_t preg, uint32_t a, uint32_t b, uint32_t c) {
    return (uint32_t)(a == preg) | (uint32_t)(b == preg) << 1 | (uint32_t)(c == preg) << 2;
}

static uint64_t collect_events(const in_t *in, const cycle *c) {
    const uint32_t asked = c->fires ? IN_SET(readReq_bits_regs_enable) : 0;
    const uint32_t a = in->readReq.bits.regs[0].pReg, b = in->readReq.bits.regs[1].pReg;
    const uint32_t d = in->readReq.bits.regs[2].pReg;
    const uint32_t again = (asked & asked >> 1 & (uint32_t)(a == b)) |
                           (asked & asked >> 2 & (uint32_t)(a == d)) |
                           (asked >> 1 & asked >> 2 & (uint32_t)(b == d));
    const uint32_t preg = in->writeReq.bits.regs[0].pReg;
    const bool is_written = c->writes && preg != 0 && (asked & naming(preg, a, b, d)) != 0;
    return ((asked & naming(0, a, b, d)) != 0) * EVENT(COLLECT_X0) |
           (again & 1u) * EVENT(REPEATED_REGISTER) | is_written * EVENT(READ_DURING_WRITE);
}

static uint64_t table_events(const cfg_t *cfg, const state_t *st, const in_t *in, const cycle *c) {
    const bool is_full = st->alloc_valid == wlk_mask(cfg->coll_entries);
    const bool is_taken = has(st->alloc_valid, c->entry);
    const bool is_stale =
        in->readData.req.valid && is_taken && st->occupant[c->entry] != wlk_mask(OPERANDS);
    const bool both = c->fires && c->frees;
    return (c->fires && !c->frees) * EVENT(ALLOC) | (c->frees && !c->fires) * EVENT(FREE) |
           both * EVENT(ALLOC_AND_FREE) |
           (both && !is_full && cfg->coll_entries > 1) * EVENT(REUSE_ALTHOUGH_OTHER_FREE) |
           (in->readReq.valid && !c->fires) * EVENT(STALL_FULL) | is_full * EVENT(FULL_TABLE) |
           !is_taken * EVENT(READ_IDLE_ENTRY) | is_stale * EVENT(READ_STALE_OPERAND) |
           (c->frees && !in->readReq.valid) * EVENT(FREE_WITHOUT_REQUEST);
}

static uint64_t write_events(const cfg_t *cfg, const state_t *st, const in_t *in, const cycle *c) {
    const uint32_t preg = in->writeReq.bits.regs[0].pReg;
    const uint64_t all = wlk_mask(cfg->num_lanes);
    const uint64_t lanes = in->writeReq.bits.regs[0].tmask & all;
    const uint16_t *landing = st->nextPReg;
    const bool writes = c->writes && preg != 0;
    const uint32_t hit = st->nextEn & naming(preg, landing[0], landing[1], landing[2]);
    return (writes && lanes != 0 && lanes != all) * EVENT(WRITE_PARTIAL) |
           (c->writes && preg == 0) * EVENT(WRITE_X0) |
           (writes && hit != 0) * EVENT(WRITE_WHILE_LANDING);
}

static uint64_t events(const cfg_t *cfg, const state_t *st, const in_t *in, const out_t *out) {
    cycle c;
    (void)out;
    see(cfg, st, in, &c);
    if (in->reset) {
        const bool writes = c.writes && in->writeReq.bits.regs[0].pReg != 0;
        return (st->alloc_valid != 0) * EVENT(RESET_IN_FLIGHT) | writes * EVENT(WRITE_IN_RESET) |
               c.fires * EVENT(REQUEST_IN_RESET);
    }
    return collect_events(in, &c) | table_events(cfg, st, in, &c) | write_events(cfg, st, in, &c);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file muon.h
 * What the blocks of Muon's issue stage share (muon-issue §0): registers side by side in a record,
 * and the fields of an instruction that rules read, beside the accessors that are generated for
 * each field alone (wlk_entry_get_rd). All others are opaque.
 */
#ifndef WARPLOCK_MUON_H
#define WARPLOCK_MUON_H

#include "warplock/hazard_ports.h"

WLK_BEGIN_DECLS

/** In a record the registers of several operands lie side by side, operand 0 lowest. */
enum { WLK_PREG_BITS = 10, WLK_PREG_MASK = (1 << WLK_PREG_BITS) - 1 };

/** Register of operand @p i of these. */
static inline uint32_t wlk_preg_at(uint32_t pregs, uint32_t i) {
    return pregs >> (i * WLK_PREG_BITS) & (uint32_t)WLK_PREG_MASK;
}

/** rs1..rs3 side by side. */
static inline uint32_t wlk_entry_sources(const uint64_t *entry) {
    return wlk_entry_get_rs1(entry) | wlk_entry_get_rs2(entry) << WLK_PREG_BITS |
           wlk_entry_get_rs3(entry) << (2 * WLK_PREG_BITS);
}

/** Register of source 0..2, which is rs1..rs3. */
static inline uint32_t wlk_entry_rs(const uint64_t *entry, uint32_t source) {
    return source == 0   ? wlk_entry_get_rs1(entry)
           : source == 1 ? wlk_entry_get_rs2(entry)
                         : wlk_entry_get_rs3(entry);
}

/** Bit i: source i is used. */
static inline uint32_t wlk_entry_has_rs(const uint64_t *entry) {
    return wlk_entry_get_hasRs1(entry) | wlk_entry_get_hasRs2(entry) << 1 |
           wlk_entry_get_hasRs3(entry) << 2;
}

/** Bit i: source i is used and names register 0. */
static inline uint32_t wlk_entry_x0(const uint64_t *entry) {
    uint32_t set = 0;
    for (uint32_t i = 0; i < 3; i++) {
        set |= (uint32_t)(wlk_entry_rs(entry, i) == 0) << i;
    }
    return set & wlk_entry_has_rs(entry);
}

/** Do two sources in use name one register? */
static inline bool wlk_entry_repeats(const uint64_t *entry) {
    const uint32_t has = wlk_entry_has_rs(entry);
    const uint32_t a = wlk_entry_rs(entry, 0), b = wlk_entry_rs(entry, 1);
    const uint32_t c = wlk_entry_rs(entry, 2);
    return ((has & 3u) == 3 && a == b) || ((has & 5u) == 5 && a == c) ||
           ((has & 6u) == 6 && b == c);
}

/** Registers, and which of them are used, into an entry that has 0 there. */
static inline void wlk_entry_put_sources(uint64_t *entry, const uint32_t *rs, uint32_t has_rs) {
    wlk_entry_put_rs1(entry, rs[0]);
    wlk_entry_put_rs2(entry, rs[1]);
    wlk_entry_put_rs3(entry, rs[2]);
    wlk_entry_put_hasRs1(entry, has_rs & 1u);
    wlk_entry_put_hasRs2(entry, has_rs >> 1 & 1u);
    wlk_entry_put_hasRs3(entry, has_rs >> 2 & 1u);
}

static inline void wlk_entry_put_destination(uint64_t *entry, uint32_t rd, uint32_t has_rd) {
    wlk_entry_put_rd(entry, rd);
    wlk_entry_put_hasRd(entry, has_rd);
}

WLK_END_DECLS
#endif

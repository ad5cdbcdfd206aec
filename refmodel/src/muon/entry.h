/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of an instruction that rules read (muon-issue §0); the others are opaque. */
#ifndef WLK_ENTRY_H
#define WLK_ENTRY_H

#include <string.h>

#include "warplock/hazard_ports.h"

enum { ENTRY_WORDS = WLK_ENTRY_WORDS };

static inline uint32_t entry_rd(const uint64_t *entry) {
    return wlk_entry_get_rd(entry);
}

/** Register of source 0..2, which is rs1..rs3. */
static inline uint32_t entry_rs(const uint64_t *entry, uint32_t source) {
    return source == 0   ? wlk_entry_get_rs1(entry)
           : source == 1 ? wlk_entry_get_rs2(entry)
                         : wlk_entry_get_rs3(entry);
}

/** rs1..rs3 side by side, rs1 lowest, 10 bits each. */
static inline uint32_t entry_sources(const uint64_t *entry) {
    return entry_rs(entry, 0) | entry_rs(entry, 1) << 10 | entry_rs(entry, 2) << 20;
}

static inline uint32_t entry_has_rd(const uint64_t *entry) {
    return wlk_entry_get_hasRd(entry);
}

/** Bit i: source i is used. */
static inline uint32_t entry_has_rs(const uint64_t *entry) {
    return wlk_entry_get_hasRs1(entry) | wlk_entry_get_hasRs2(entry) << 1 |
           wlk_entry_get_hasRs3(entry) << 2;
}

static inline uint32_t entry_warp(const uint64_t *entry) {
    return wlk_entry_get_wid(entry);
}

static inline void entry_copy(uint64_t *to, const uint64_t *from) {
    memcpy(to, from, ENTRY_WORDS * sizeof *to);
}

/** Bit i: source i is used and names register 0. */
static inline uint32_t entry_x0(const uint64_t *entry) {
    uint32_t set = 0;
    for (uint32_t i = 0; i < 3; i++) {
        set |= (uint32_t)(entry_rs(entry, i) == 0) << i;
    }
    return set & entry_has_rs(entry);
}

/** Do two sources in use name one register? */
static inline uint32_t entry_repeats(const uint64_t *entry) {
    const uint32_t has = entry_has_rs(entry);
    const uint32_t a = entry_rs(entry, 0), b = entry_rs(entry, 1), c = entry_rs(entry, 2);
    return ((has & has >> 1 & (uint32_t)(a == b)) | (has & has >> 2 & (uint32_t)(a == c)) |
            (has >> 1 & has >> 2 & (uint32_t)(b == c))) &
           1u;
}

#endif

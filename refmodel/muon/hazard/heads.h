/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the heads of all warps name, four of them side by side: part of model.c. The stage asks
 * its scoreboard for each head alone.
 */
#ifndef WLK_HAZARD_HEADS_H
#define WLK_HAZARD_HEADS_H

#include <string.h>

#include "frame/bits.h"
#include "frame/fours.h"
#include "warplock/hazard.h"
#include "warplock/muon.h"

/* What a head can have: pending reads of its rd, and the others in their order in its first word.
 */
enum { HZ_RS3, HZ_RS2, HZ_RS1, HZ_RD, HZ_READS, HZ_HAS };

typedef struct hz_heads {
    uint32_t has[HZ_HAS];                         /* warps whose head has it, valid or not */
    uint64_t registers[WLK_HAZARD_MAX_NUM_WARPS]; /* as the ports to the scoreboard show them */
} hz_heads;

/* Words 0 and 1 of an instruction, and the pending reads, of four warps. */
typedef struct hz_words {
    four has, registers, reads;
} hz_words;

typedef uint64_t hz_pair __attribute__((vector_size(16)));
typedef uint64_t hz_pair_any __attribute__((vector_size(16), aligned(8), may_alias));

/* Two words of each of two warps. */
FOUR_INLINE four hz_pairs(const uint64_t *a, const uint64_t *b) {
    const hz_pair low = *(const hz_pair_any *)(const void *)a;
    const hz_pair high = *(const hz_pair_any *)(const void *)b;
    return __builtin_shufflevector(low, high, 0, 1, 2, 3);
}

_Static_assert(wlk_entry_word_hasRs3 == 0 && wlk_entry_word_rd == 1, "the first two words");
_Static_assert(wlk_hazard_in_word_scb_warps_readRd_pendingReads == 5, "the second of two words");

FOUR_INLINE hz_words hz_words_of(const uint64_t *e) {
    enum { N = WLK_HAZARD_IN_STRIDE, READS = wlk_hazard_in_word_scb_warps_readRd_pendingReads - 1 };
    const four even = hz_pairs(e, e + 2 * N), odd = hz_pairs(e + N, e + 3 * N);
    const four even_reads = hz_pairs(e + READS, e + 2 * N + READS);
    const four odd_reads = hz_pairs(e + N + READS, e + 3 * N + READS);
    return (hz_words){__builtin_shufflevector(even, odd, 0, 4, 2, 6),
                      __builtin_shufflevector(even, odd, 1, 5, 3, 7),
                      __builtin_shufflevector(even_reads, odd_reads, 1, 5, 3, 7)};
}

/* Registers from their places in an instruction to those on the ports: rs1 and rs3 change them. */
FOUR_INLINE four hz_ports(four registers) {
    const uint64_t one = WLK_PREG_MASK;
    const four stay = registers & (one << WLK_PREG_BITS | one << 3 * WLK_PREG_BITS);
    return stay | (registers >> 2 * WLK_PREG_BITS & one) | (registers & one) << 2 * WLK_PREG_BITS;
}
_Static_assert(wlk_entry_lsb_rs3 == 0 && wlk_hazard_out_lsb_scb_warps_readRs3_pReg == 20, "rs3");
_Static_assert(wlk_entry_lsb_rs2 == 10 && wlk_hazard_out_lsb_scb_warps_readRs2_pReg == 10, "rs2");
_Static_assert(wlk_entry_lsb_rs1 == 20 && wlk_hazard_out_lsb_scb_warps_readRs1_pReg == 0, "rs1");
_Static_assert(wlk_entry_lsb_rd == 30 && wlk_hazard_out_lsb_scb_warps_readRd_pReg == 30, "rd");

/* Of each warp what its head has, in bit 0 of a byte for each. */
FOUR_INLINE four hz_bytes(const hz_words *words) {
    const four flags = words->has >> wlk_entry_lsb_hasRs3 & 15u;
    const four pairs = flags | flags << 14;
    const uint64_t all = UINT64_C(255) << wlk_hazard_in_lsb_scb_warps_readRd_pendingReads;
    const four idle = (four)((words->reads & all) == 0);
    return ((pairs | pairs << 7) & 0x01010101u) | (four_all(UINT64_C(1) << 8 * HZ_READS) & ~idle);
}
_Static_assert(wlk_entry_lsb_hasRs2 == wlk_entry_lsb_hasRs3 + HZ_RS2, "one behind the other");
_Static_assert(wlk_entry_lsb_hasRs1 == wlk_entry_lsb_hasRs3 + HZ_RS1, "one behind the other");
_Static_assert(wlk_entry_lsb_hasRd == wlk_entry_lsb_hasRs3 + HZ_RD, "one behind the other");

/* Four warps from the one at @p e on; bytes of sets of these. */
FOUR_INLINE four hz_look_at(const uint64_t *e, uint64_t *registers) {
    const four warp = {0, 1, 2, 3};
    const hz_words words = hz_words_of(e);
    four_put(registers, hz_ports(words.registers));
    return hz_bytes(&words) << warp;
}

/* The same where there may be fewer of them; those that are not have nothing. */
FOUR_INLINE four hz_look_from(const uint64_t *in, uint32_t num_warps, uint32_t first,
                              uint64_t *registers) {
    uint64_t some[FOUR * WLK_HAZARD_IN_STRIDE] = {0};
    const uint64_t *e = wlk_hazard_in_element(in, first);
    if (first >= num_warps) {
        return four_all(0);
    }
    if (num_warps - first < FOUR) {
        memcpy(some, e, (num_warps - first) * WLK_HAZARD_IN_STRIDE * sizeof *e);
        e = some;
    }
    return hz_look_at(e, registers + first);
}

/* The heads of a record. */
FOUR_INLINE void hz_look(const uint64_t *in, uint32_t num_warps, hz_heads *heads) {
    memset(heads->has, 0, sizeof heads->has);
    for (uint32_t w = 0; w < num_warps; w += 8) {
        const four bytes = hz_look_from(in, num_warps, w, heads->registers) |
                           hz_look_from(in, num_warps, w + FOUR, heads->registers) << FOUR;
        const uint64_t sets = four_union(bytes);
        for (uint32_t i = 0; i < HZ_HAS; i++) {
            heads->has[i] |= (uint32_t)(sets >> 8 * i & 255u) << w;
        }
    }
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step of a scoreboard whose counts are all known. Collector and write-back are put into the
 * table before it is read, so that no read asks whether one of them changes its register; where the
 * outputs differ or nothing commits, they are taken back. Part of model.c. Spec: muon-issue
 * §3.
 */
#ifndef WLK_SCOREBOARD_SETTLED_H
#define WLK_SCOREBOARD_SETTLED_H

#define SETTLED_INLINE static inline __attribute__((always_inline))

/* Read ports of eight warps: byte p is port p, its bit w warp w. */
enum { EIGHT = 8 };

/* Bit 0 of each byte, as all ones of the byte. */
SETTLED_INLINE uint32_t bytes_all(uint32_t bits) {
    return (bits & 0x01010101u) * 0xffu;
}

/* Warps @p first.. of four sets. */
SETTLED_INLINE uint32_t eight_of(const uint32_t *sets, uint32_t first) {
    uint32_t eight = 0;
    for (uint32_t p = 0; p < READ_PORTS; p++) {
        eight |= (sets[p] >> first & 0xffu) << (p * EIGHT);
    }
    return eight;
}

SETTLED_INLINE void eight_put(uint32_t *sets, uint32_t first, uint32_t eight) {
    for (uint32_t p = 0; p < READ_PORTS; p++) {
        sets[p] |= (eight >> (p * EIGHT) & 0xffu) << first;
    }
}

/* What a warp's ports find: reads in bytes 0..3 of a word of their own, writes in bit 0 of them. */
typedef struct found {
    uint32_t reads, writes;
} found;

SETTLED_INLINE found found_of(const state_t *st, const uint64_t *e) {
    const uint32_t preg[READ_PORTS] = {
        GET(hazard_warps_readRs1_pReg, e),
        GET(hazard_warps_readRs2_pReg, e),
        GET(hazard_warps_readRs3_pReg, e),
        GET(hazard_warps_readRd_pReg, e),
    };
    found f = {0, 0};
    for (uint32_t p = 0; p < READ_PORTS; p++) {
        f.reads |= (uint32_t)st->pendingReads[preg[p]] << (p * READ_BITS);
        f.writes |= (uint32_t)st->pendingWrites[preg[p]] << (p * EIGHT);
    }
    return f;
}

_Static_assert(WLK_SCOREBOARD_IN_STRIDE == 1 && WLK_SCOREBOARD_OUT_STRIDE == 1, "a word a warp");

/* Nonzero where the counts of @p count warps differ; their pending writes go to the sets @p writes.
 */
SETTLED_INLINE uint64_t warps_differ(const state_t *st, const uint64_t *in, const uint64_t *got,
                                     const uint32_t *enable, uint32_t first, uint32_t count,
                                     uint32_t *writes) {
    const uint32_t enabled = eight_of(enable, first) & set_below(count) * 0x01010101u;
    uint32_t shown[EIGHT], pending = 0;
    uint64_t differs = 0;
    for (uint32_t w = 0; w < EIGHT; w++) {
        shown[w] = bytes_all(enabled >> w);
    }
    for (uint32_t w = 0; w < count; w++) {
        const found f = found_of(st, wlk_scoreboard_in_element(in + first, w));
        differs |= (f.reads & shown[w]) ^ *wlk_scoreboard_out_element(got + first, w);
        pending |= f.writes << w;
    }
    eight_put(writes, first, pending & enabled);
    return differs;
}

SETTLED_INLINE uint64_t ports_differ(const cfg_t *cfg, const state_t *st, const uint64_t *in,
                                     const uint64_t *got, uint32_t *writes) {
    const uint32_t enable[READ_PORTS] = {
        (uint32_t)GET(hazard_warps_readRs1_enable, in),
        (uint32_t)GET(hazard_warps_readRs2_enable, in),
        (uint32_t)GET(hazard_warps_readRs3_enable, in),
        (uint32_t)GET(hazard_warps_readRd_enable, in),
    };
    const uint32_t whole = cfg->num_warps & ~(EIGHT - 1u), rest = cfg->num_warps - whole;
    uint64_t differs = 0;
    for (uint32_t w = 0; w < whole; w += EIGHT) {
        differs |= warps_differ(st, in, got, enable, w, EIGHT, writes);
    }
    return rest == 0 ? differs : differs | warps_differ(st, in, got, enable, whole, rest, writes);
}

static __attribute__((noinline)) int step_settled(const cfg_t *cfg, state_t *st, const wlk_view *in,
                                                  const wlk_view *got) {
    const sb_port coll = PORT(updateColl, in->control), wb = PORT(updateWB, in->control);
    const sb_port rs = PORT(hazard_updateRS, in->control);
    uint32_t writes[READ_PORTS] = {0, 0, 0, 0};
    uint64_t out[WLK_SCOREBOARD_OUT_GROUP] = {0}, differs;
    sb_cycle c;
    sb_updates(st, cfg->max_pending_reads, &coll, &wb, &c);
    sb_put_early(st, &c);
    sb_admission(st, cfg->max_pending_reads, &rs, &c);
    differs = ports_differ(cfg, st, in->control, got->control, writes);
    put_plain(&c, writes, out);
    for (uint32_t w = 0; w < WLK_SCOREBOARD_OUT_GROUP; w++) {
        differs |= out[w] ^ got->control[w];
    }
    if (differs != 0) {
        sb_take_back(st, &c);
        return 1;
    }
    if (GET(reset, in->control)) {
        sb_reset(st);
    } else {
        sb_commit_early(st, &c);
    }
    return 0;
}

#endif

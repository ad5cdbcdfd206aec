// SPDX-License-Identifier: Apache-2.0
// Muon's hazard check as a block: record words in and out around rules.h.
#include "heads.h"
#include "late.h"

#define MODEL      hazard
#define MODEL_CAPS HAZARD
#include "frame/model.h"

enum { OUT_WORDS = WLK_HAZARD_OUT_GROUP + WLK_HAZARD_MAX_NUM_WARPS * WLK_HAZARD_OUT_STRIDE };

enum {
    ENTRY = WLK_HAZARD_OUT_RSADMIT_BITS_IBUFENTRY,
    REGISTERS = wlk_hazard_out_word_scb_warps_readRs1_pReg, // of the words of a warp
    COUNTERS = wlk_hazard_out_word_perf_stallsWAW,          // of these, too
};
_Static_assert(ENTRY == (uint32_t)FOUR && WLK_ENTRY_WORDS == FOUR + 1, "compared as fours");
_Static_assert(WLK_HAZARD_OUT_STRIDE == FOUR && REGISTERS == 0 && COUNTERS == 1, "these too");

typedef struct cycle {
    hz_cycle hz;
    hz_heads heads;
    uint32_t reset, soft_reset, valid, room;
    const uint64_t *entry; // of the choice
} cycle_t;

// The candidates and the choice.
FOUR_INLINE void choose(const cfg_t *cfg, const state_t *st, const uint64_t *in, cycle_t *c) {
    hz_heads *heads = &c->heads;
    hz_look(in, cfg->num_warps, heads);
    c->valid = (uint32_t)GET(ibuf_valid, in);
    c->hz.waw = 0;
    c->hz.war = 0;
    hz_hazards(&c->hz, 0, heads->has[HZ_RD] & c->valid, heads->has[HZ_READS],
               (uint32_t)GET(scb_warps_readRd_pendingWrites, in));
    hz_choose(st, cfg->num_warps, c->valid, &c->hz);
}

FOUR_INLINE void compute(const cfg_t *cfg, const state_t *st, const uint64_t *in, cycle_t *c) {
    choose(cfg, st, in, c);
    const uint32_t w = c->hz.choice;
    const uint32_t writes = (uint32_t)(GET(scb_warps_readRs1_pendingWrites, in) >> w & 1u) |
                            (uint32_t)(GET(scb_warps_readRs2_pendingWrites, in) >> w & 1u) << 1 |
                            (uint32_t)(GET(scb_warps_readRs3_pendingWrites, in) >> w & 1u) << 2;
    c->entry = wlk_hazard_in_element(in, w) + WLK_HAZARD_IN_IBUF_BITS;
    c->reset = GET(reset, in);
    c->soft_reset = GET(softReset, in);
    c->room = GET(rsAdmit_ready, in);
    c->hz.clear = c->reset | c->soft_reset;
    hz_book(&c->hz, c->entry, writes, c->room, cfg->count_forwarded_reads);
    hz_answer(&c->hz, c->room, GET(scb_updateRS_success, in));
}

// The words before the entry that is admitted; 0 before.
FOUR_INLINE void first_outputs(const cycle_t *c, uint64_t *out) {
    const hz_cycle *hz = &c->hz;
    PUT(ibuf_ready, out, (uint64_t)(hz->fires << hz->choice));
    PUT(scb_updateRS_enable, out, hz->enable);
    PUT(scb_updateRS_write_pReg, out, hz->write_preg);
    PUT(scb_updateRS_write_incr, out, hz->write_incr);
    PUT(scb_updateRS_reads_pReg, out, hz->reads_preg);
    PUT(scb_updateRS_reads_incr, out, hz->reads_incr);
    PUT(scb_warps_readRs1_enable, out, (uint64_t)(c->valid & c->heads.has[HZ_RS1]));
    PUT(scb_warps_readRs2_enable, out, (uint64_t)(c->valid & c->heads.has[HZ_RS2]));
    PUT(scb_warps_readRs3_enable, out, (uint64_t)(c->valid & c->heads.has[HZ_RS3]));
    PUT(scb_warps_readRd_enable, out, (uint64_t)(c->valid & c->heads.has[HZ_RD]));
    PUT(rsAdmit_valid, out, hz->valid);
    PUT(rsAdmit_bits_valid, out, ~hz->has_rs & 7u);
    PUT(rsAdmit_bits_busy, out, hz->busy);
}

static void outputs(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out) {
    memset(out, 0, out_words(cfg) * sizeof *out);
    first_outputs(c, out);
    memcpy(out + ENTRY, c->entry, WLK_ENTRY_WORDS * sizeof(uint64_t));
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        uint64_t *e = wlk_hazard_out_element_mut(out, w);
        e[REGISTERS] = c->heads.registers[w];
        memcpy(e + COUNTERS, st->perf[w], WLK_HAZARD_COUNTERS * sizeof *e);
    }
}

FOUR_INLINE void commit(const cfg_t *cfg, state_t *st, const uint64_t *in, const cycle_t *c) {
    (void)in;
    st->refused = c->hz.refused;
    hz_commit(st, &c->hz, cfg->num_warps);
    hz_commit_late(st, &c->hz);
    st->reset_seen |= (uint8_t)c->reset;
    st->late &= (uint8_t)bit_not(c->reset);
}

// ---- a step of a state that is known ----------------------------------------------------------

// The words of a warp against its counters; the last one is that of the registers as it is.
FOUR_INLINE four warp_differs(const state_t *st, const uint64_t *got, uint32_t warp) {
    const four e = four_of(wlk_hazard_out_element(got, warp));
    return __builtin_shufflevector(e, e, 1, 2, 3, REGISTERS) ^ four_of(st->perf[warp]);
}

FOUR_INLINE uint64_t warps_differ(const cfg_t *cfg, const state_t *st, const cycle_t *c,
                                  const uint64_t *got) {
    const uint64_t *expected = c->heads.registers;
    const uint32_t whole = cfg->num_warps & ~(FOUR - 1u);
    four counters = {0}, registers = {0};
    for (uint32_t w = 0; w < whole; w += FOUR) {
        const four a = warp_differs(st, got, w), b = warp_differs(st, got, w + 1u);
        const four d = warp_differs(st, got, w + 2u), e = warp_differs(st, got, w + 3u);
        const four ab = __builtin_shufflevector(a, b, 1, 5, 3, 7);
        const four de = __builtin_shufflevector(d, e, 1, 5, 3, 7);
        counters |= a | b | d | e;
        registers |= __builtin_shufflevector(ab, de, 2, 3, 6, 7) ^ four_of(expected + w);
    }
    for (uint32_t w = whole; w < cfg->num_warps; w++) {
        const four a = warp_differs(st, got, w);
        counters |= a;
        registers |= four_all(a[3] ^ expected[w]);
    }
    return four_union((counters & (four){~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)}) | registers);
}

FOUR_INLINE uint64_t differs(const cfg_t *cfg, const state_t *st, const cycle_t *c,
                             const uint64_t *got) {
    uint64_t out[ENTRY] = {0};
    first_outputs(c, out);
    const four first = {out[0], out[1], out[2], out[3]};
    const four other = (first ^ four_of(got)) | (four_of(c->entry) ^ four_of(got + ENTRY));
    return warps_differ(cfg, st, c, got) | four_union(other) | (c->entry[FOUR] ^ got[ENTRY + FOUR]);
}

FOUR_INLINE int step_of(const cfg_t *cfg, state_t *st, const wlk_view *in, const wlk_view *got) {
    cycle_t c;
    compute(cfg, st, in->control, &c);
    if (differs(cfg, st, &c, got->control) != 0) {
        return 1;
    }
    commit(cfg, st, in->control, &c);
    return 0;
}

// The usual number of warps is a constant: no loop is left.
static __attribute__((noinline)) int step_8(const cfg_t *cfg, state_t *st, const wlk_view *in,
                                            const wlk_view *got) {
    cfg_t usual = *cfg;
    usual.num_warps = 8;
    return step_of(&usual, st, in, got);
}

static __attribute__((noinline)) int step_any(const cfg_t *cfg, state_t *st, const wlk_view *in,
                                              const wlk_view *got) {
    return step_of(cfg, st, in, got);
}

static inline int step_settled(const cfg_t *cfg, state_t *st, const wlk_view *in,
                               const wlk_view *got) {
    return cfg->num_warps == 8 ? step_8(cfg, st, in, got) : step_any(cfg, st, in, got);
}

// ---- a start without the reset ----------------------------------------------------------------

static void hide(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *care) {
    (void)c;
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        hz_hide_counters(st, w, wlk_hazard_out_element_mut(care, w) + COUNTERS);
    }
}

static void learn(const uint32_t *params, void *state, const wlk_sight *seen) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    for (uint32_t w = 0; w < cfg->num_warps && st->late; w++) {
        hz_learn_counters(st, w, wlk_hazard_out_element(seen->out, w) + COUNTERS,
                          wlk_hazard_out_element(seen->out_known, w) + COUNTERS);
    }
    if (st->late && hz_is_known(st, cfg->num_warps)) {
        st->late = 0;
        st->reset_seen = 1;
    }
}

static void late(const uint32_t *params, void *state) {
    hz_late((state_t *)state, ((const cfg_t *)params)->num_warps);
}

#include "cover.h"

#define LATE(st)  ((st)->late)
#define HIDE      hide
#define KNOWN(st) ((st)->reset_seen & set_is_single((st)->last))
#define SETTLED   KNOWN
#include "frame/words.h"

static uint32_t outcomes(const uint32_t *params, const void *state, const uint64_t *in) {
    const cfg_t *cfg = (const cfg_t *)params;
    const state_t *st = (const state_t *)state;
    cycle_t c;
    choose(cfg, st, in, &c);
    return arbiter_outcomes(c.hz.candidates, st->last, cfg->num_warps);
}

static void assume(const uint32_t *params, void *state, const uint64_t *in, uint32_t k) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    cycle_t c;
    choose(cfg, st, in, &c);
    st->last = arbiter_assume(c.hz.candidates, st->last, cfg->num_warps, k);
}

static void init(const uint32_t *params, void *state, wlk_power_up power_up) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    memset(st, 0, sizeof *st);
    st->reset_seen = power_up == WLK_POWER_ZERO;
    st->last = st->reset_seen ? 1u : arbiter_unknown(cfg->num_warps);
}

static void clear(const uint32_t *params, void *state) {
    (void)params;
    hz_reset((state_t *)state);
}

static void visit(const uint32_t *params, const void *state, wlk_state_visitor *visitor,
                  void *ctx) {
    static const char *const names[] = {"perf.stallsWAW", "perf.stallsWAR",
                                        "perf.stallsScoreboard"};
    const cfg_t *cfg = (const cfg_t *)params;
    const state_t *st = (const state_t *)state;
    const flop last[] = {{"last", set_lowest(st->last), set_is_single(st->last), WLK_DECIMAL}};
    VISIT_FLOPS(last, -1);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        for (uint32_t n = 0; n < WLK_HAZARD_COUNTERS; n++) {
            const uint64_t known = st->reset_seen | (uint32_t)set_has(st->perf_known[w], n);
            visitor(ctx, names[n], (int32_t)w, &st->perf[w][n], 1u, known, WLK_DECIMAL);
        }
    }
}

WLK_MODEL(.outcomes = outcomes, .assume = assume, .clear = clear, .visit = visit, .late = late,
          .learn = learn);

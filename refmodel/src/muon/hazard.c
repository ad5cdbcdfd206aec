// SPDX-License-Identifier: Apache-2.0
// Muon's hazard check as a block: record words in and out around hazard_rules.h.
#include "hazard_late.h"

#define MODEL      hazard
#define MODEL_CAPS HAZARD
#include "frame/model.h"

enum { OUT_WORDS = WLK_HAZARD_OUT_GROUP + 32 * WLK_HAZARD_OUT_STRIDE };

typedef struct cycle {
    hz_cycle hz;
    uint32_t reset, soft_reset, valid, room;
    const uint64_t *in;    // the heads
    const uint64_t *entry; // of the choice
} cycle_t;

static const uint64_t *head(const uint64_t *in, uint32_t warp) {
    return wlk_hazard_in_element(in, warp) + WLK_HAZARD_IN_IBUF_BITS;
}

// The candidates and the choice.
static void choose(const cfg_t *cfg, const state_t *st, const uint64_t *in, cycle_t *c) {
    const uint32_t writes = (uint32_t)GET(scb_warps_readRd_pendingWrites, in);
    c->valid = (uint32_t)GET(ibuf_valid, in);
    c->hz.waw = 0;
    c->hz.war = 0;
    for (uint32_t rest = c->valid; rest != 0; rest &= rest - 1u) {
        const uint32_t w = set_lowest(rest);
        const uint64_t *element = wlk_hazard_in_element(in, w);
        hz_head(&c->hz, w, element + WLK_HAZARD_IN_IBUF_BITS,
                GET(scb_warps_readRd_pendingReads, element), writes >> w & 1u);
    }
    hz_choose(st, cfg->num_warps, c->valid, &c->hz);
}

static void compute(const cfg_t *cfg, const state_t *st, const uint64_t *in, cycle_t *c) {
    choose(cfg, st, in, c);
    const uint32_t w = c->hz.choice;
    const uint32_t writes = (uint32_t)(GET(scb_warps_readRs1_pendingWrites, in) >> w & 1u) |
                            (uint32_t)(GET(scb_warps_readRs2_pendingWrites, in) >> w & 1u) << 1 |
                            (uint32_t)(GET(scb_warps_readRs3_pendingWrites, in) >> w & 1u) << 2;
    c->in = in;
    c->entry = head(in, w);
    c->reset = GET(reset, in);
    c->soft_reset = GET(softReset, in);
    c->room = GET(rsAdmit_ready, in);
    c->hz.clear = c->reset | c->soft_reset;
    hz_book(&c->hz, c->entry, writes, c->room, cfg->count_forwarded_reads);
    hz_answer(&c->hz, c->room, GET(scb_updateRS_success, in));
}

static void admission_outputs(const cycle_t *c, uint64_t *out) {
    const hz_cycle *hz = &c->hz;
    PUT(ibuf_ready, out, (uint64_t)(hz->fires << hz->choice));
    PUT(scb_updateRS_enable, out, hz->enable);
    PUT(scb_updateRS_write_pReg, out, hz->write_preg);
    PUT(scb_updateRS_write_incr, out, hz->write_incr);
    PUT(scb_updateRS_reads_pReg, out, hz->reads_preg);
    PUT(scb_updateRS_reads_incr, out, hz->reads_incr);
    PUT(rsAdmit_valid, out, hz->valid);
    PUT(rsAdmit_bits_valid, out, ~hz->has_rs & 7u);
    PUT(rsAdmit_bits_busy, out, hz->busy);
    memcpy(out + WLK_HAZARD_OUT_RSADMIT_BITS_IBUFENTRY, c->entry,
           WLK_ENTRY_WORDS * sizeof(uint64_t));
}

static void outputs(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out) {
    uint64_t enable[4] = {0, 0, 0, 0};
    memset(out, 0, out_words(cfg) * sizeof *out);
    admission_outputs(c, out);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        const uint64_t *entry = head(c->in, w);
        const uint64_t valid = c->valid >> w & 1u, has_rs = wlk_entry_has_rs(entry);
        uint64_t *e = wlk_hazard_out_element_mut(out, w);
        for (uint32_t i = 0; i < 3; i++) {
            enable[i] |= (valid & has_rs >> i) << w;
        }
        enable[3] |= (valid & wlk_entry_get_hasRd(entry)) << w;
        PUT(scb_warps_readRs1_pReg, e, (uint64_t)wlk_entry_rs(entry, 0));
        PUT(scb_warps_readRs2_pReg, e, (uint64_t)wlk_entry_rs(entry, 1));
        PUT(scb_warps_readRs3_pReg, e, (uint64_t)wlk_entry_rs(entry, 2));
        PUT(scb_warps_readRd_pReg, e, (uint64_t)wlk_entry_get_rd(entry));
        PUT(perf_stallsWAW, e, st->perf[w][WLK_HAZARD_WAW]);
        PUT(perf_stallsWAR, e, st->perf[w][WLK_HAZARD_WAR]);
        PUT(perf_stallsScoreboard, e, st->perf[w][WLK_HAZARD_SCOREBOARD]);
    }
    PUT(scb_warps_readRs1_enable, out, enable[0]);
    PUT(scb_warps_readRs2_enable, out, enable[1]);
    PUT(scb_warps_readRs3_enable, out, enable[2]);
    PUT(scb_warps_readRd_enable, out, enable[3]);
}

static void commit(const cfg_t *cfg, state_t *st, const uint64_t *in, const cycle_t *c) {
    (void)in;
    st->refused = c->hz.refused;
    hz_commit(st, &c->hz, cfg->num_warps);
    hz_commit_late(st, &c->hz);
    st->reset_seen |= (uint8_t)c->reset;
    st->late &= (uint8_t)bit_not(c->reset);
}

// ---- a start without the reset ----------------------------------------------------------------

enum { COUNTERS = wlk_hazard_out_word_perf_stallsWAW }; // of the words of a warp

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

#include "hazard_cover.h"

#define LATE(st)  ((st)->late)
#define HIDE      hide
#define KNOWN(st) ((st)->reset_seen & set_is_single((st)->last))
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

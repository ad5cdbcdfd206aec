// SPDX-License-Identifier: Apache-2.0
// Muon's hazard check. Rules: README.md (muon-issue §4; its arbiter is §1).
#include "muon/sets.h"
#include "warplock/hazard.h"
#include "warplock/hazard_open.h"
#include "warplock/hazard_view.h"
#include "warplock/muon.h"

#define MODEL      hazard
#define MODEL_CAPS HAZARD

enum { WARPS = WLK_HAZARD_MAX_NUM_WARPS };

// Values derived from inputs and state, once a cycle. In a set of warps bit w is warp w; in has_rs
// and busy bit i is source i of the chosen head.
typedef struct cycle {
    uint32_t has_rs1, has_rs2, has_rs3, has_rd; // sets of warps, whose heads are valid or not
    uint32_t waw, war, candidates;              // sets of warps
    uint32_t choice;                            // a warp
    uint8_t has_rs, busy;
    bool books, fires;
} cycle;

#define CYCLE cycle
#include "frame/structs.h"

// What the heads say.
static void see_heads(const cfg_t *cfg, const in_t *in, cycle *c) {
    c->has_rs1 = c->has_rs2 = c->has_rs3 = c->has_rd = 0;
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        c->has_rs1 |= wlk_entry_get_hasRs1(in->ibuf[w].bits) << w;
        c->has_rs2 |= wlk_entry_get_hasRs2(in->ibuf[w].bits) << w;
        c->has_rs3 |= wlk_entry_get_hasRs3(in->ibuf[w].bits) << w;
        c->has_rd |= wlk_entry_get_hasRd(in->ibuf[w].bits) << w;
    }
}

// What the scoreboard's answers decide.
static void see_choice(const cfg_t *cfg, const state_t *st, const in_t *in, cycle *c) {
    uint32_t rd_has_reads = 0; // pending ones
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        rd_has_reads |= (uint32_t)(in->scb.warps[w].readRd.pendingReads != 0) << w;
    }
    // §4.2
    c->waw = IN_SET(ibuf_valid) & c->has_rd & IN_SET(scb_warps_readRd_pendingWrites);
    c->war = IN_SET(ibuf_valid) & c->has_rd & rd_has_reads;
    c->candidates = IN_SET(ibuf_valid) & ~c->waw & ~c->war;
    // §4.4; without a candidate the last warp shows. The remainder is always the number itself: it
    // says that the index is within its arrays.
    c->choice = round_robin(c->candidates, st->last, (cfg->num_warps - 1u) % WARPS);
    c->has_rs = operands_with(c->choice, c->has_rs1, c->has_rs2, c->has_rs3);
    c->busy = c->has_rs & operands_with(c->choice, IN_SET(scb_warps_readRs1_pendingWrites),
                                        IN_SET(scb_warps_readRs2_pendingWrites),
                                        IN_SET(scb_warps_readRs3_pendingWrites)); // §4.3
    c->books = (c->candidates != 0) & in->rsAdmit.ready;                          // §4.5
}

// §4.6
static void see_answer(const in_t *in, cycle *c) {
    c->fires = c->books & in->scb.updateRS.success;
}

static void see(const cfg_t *cfg, const state_t *st, const in_t *in, cycle *c) {
    see_heads(cfg, in, c);
    see_choice(cfg, st, in, c);
    see_answer(in, c);
}

// §4.1
static void questions(const cfg_t *cfg, const in_t *in, const cycle *c, out_t *out, care_t *care) {
    SHOW_SET(scb_warps_readRs1_enable, IN_SET(ibuf_valid) & c->has_rs1);
    SHOW_SET(scb_warps_readRs2_enable, IN_SET(ibuf_valid) & c->has_rs2);
    SHOW_SET(scb_warps_readRs3_enable, IN_SET(ibuf_valid) & c->has_rs3);
    SHOW_SET(scb_warps_readRd_enable, IN_SET(ibuf_valid) & c->has_rd);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        SHOW(scb.warps[w].readRs1.pReg, wlk_entry_get_rs1(in->ibuf[w].bits));
        SHOW(scb.warps[w].readRs2.pReg, wlk_entry_get_rs2(in->ibuf[w].bits));
        SHOW(scb.warps[w].readRs3.pReg, wlk_entry_get_rs3(in->ibuf[w].bits));
        SHOW(scb.warps[w].readRd.pReg, wlk_entry_get_rd(in->ibuf[w].bits));
    }
}

// §4.5
static void booking(const cfg_t *cfg, const in_t *in, const cycle *c, out_t *out, care_t *care) {
    const uint64_t *entry = in->ibuf[c->choice].bits;
    const uint32_t has_rd = wlk_entry_get_hasRd(entry);
    const uint32_t counts = cfg->count_forwarded_reads != 0 ? c->has_rs : c->has_rs & ~c->busy;
    SHOW(scb.updateRS.enable, c->books & ((has_rd | c->has_rs) != 0));
    SHOW(scb.updateRS.write.pReg, c->books ? wlk_entry_get_rd(entry) : 0);
    SHOW(scb.updateRS.write.incr, c->books ? has_rd : 0);
    SHOW(scb.updateRS.write.decr, 0);
    SHOW(scb.updateRS.reads[0].pReg, c->books ? wlk_entry_get_rs1(entry) : 0);
    SHOW(scb.updateRS.reads[1].pReg, c->books ? wlk_entry_get_rs2(entry) : 0);
    SHOW(scb.updateRS.reads[2].pReg, c->books ? wlk_entry_get_rs3(entry) : 0);
    SHOW_SET(scb_updateRS_reads_incr, c->books ? counts : 0);
    SHOW_SET(scb_updateRS_reads_decr, 0);
}

static void admission(const in_t *in, const cycle *c, out_t *out, care_t *care) {
    // §4.6; of the candidates the arbiter is ready for the choice alone (§1)
    SHOW_SET(ibuf_ready, (uint32_t)c->fires << c->choice);
    SHOW(rsAdmit.valid, (c->candidates != 0) & in->scb.updateRS.success); // §4.6
    SHOW_WORDS(rsAdmit.bits.ibufEntry, in->ibuf[c->choice].bits);         // §4.7
    SHOW_SET(rsAdmit_bits_valid, (uint8_t)~c->has_rs);                    // §4.3
    SHOW_SET(rsAdmit_bits_busy, c->busy);
}

static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, const cycle *c, out_t *out,
                    care_t *care) {
    questions(cfg, in, c, out, care);
    booking(cfg, in, c, out, care);
    admission(in, c, out, care);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        SHOW(perf[w].stallsWAW, st->perf.stallsWAW[w]);
        SHOW(perf[w].stallsWAR, st->perf.stallsWAR[w]);
        SHOW(perf[w].stallsScoreboard, st->perf.stallsScoreboard[w]);
    }
}

static void clear(const cfg_t *cfg, state_t *st) {
    (void)cfg;
    for (uint32_t w = 0; w < WARPS; w++) { // warps beyond num_warps too: no state stays unknown
        st->perf.stallsWAW[w] = 0;
        st->perf.stallsWAR[w] = 0;
        st->perf.stallsScoreboard[w] = 0;
    }
}

static void edge(const cfg_t *cfg, state_t *st, const in_t *in, const cycle *c) {
    const bool refuses = (c->candidates != 0) & !in->scb.updateRS.success;
    const uint32_t refused = (uint32_t)refuses << c->choice;
    st->last = c->fires ? (uint8_t)c->choice : st->last;     // §1
    count_warps(st->perf.stallsWAW, cfg->num_warps, c->waw); // §4.10
    count_warps(st->perf.stallsWAR, cfg->num_warps, c->war);
    count_warps(st->perf.stallsScoreboard, cfg->num_warps, refused);
    st->refused = refused;
    if (in->softReset) { // Power-up and reset, rule 4
        clear(cfg, st);
    }
}

static void show(const cfg_t *cfg, const state_t *st, wlk_state_visitor *visitor, void *ctx) {
    const flop last[] = {{"last", st->last, 1, WLK_DECIMAL}};
    VISIT_FLOPS(last, -1);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        const flop perf[] = {
            {"perf.stallsWAW", st->perf.stallsWAW[w], 1, WLK_DECIMAL},
            {"perf.stallsWAR", st->perf.stallsWAR[w], 1, WLK_DECIMAL},
            {"perf.stallsScoreboard", st->perf.stallsScoreboard[w], 1, WLK_DECIMAL},
        };
        VISIT_FLOPS(perf, (int32_t)w);
    }
}

// The counters are outputs: one cycle shows them all.
static void learn(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out) {
    (void)in;
    clear(cfg, st);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        st->perf.stallsWAW[w] = out->perf[w].stallsWAW;
        st->perf.stallsWAR[w] = out->perf[w].stallsWAR;
        st->perf.stallsScoreboard[w] = out->perf[w].stallsScoreboard;
    }
}

// `last` decides which head is admitted: each of its values is followed. One of num_warps or more
// acts as the last one does (§1).
static bool follow(const cfg_t *cfg, state_t *st, uint32_t k) {
    st->last = (uint8_t)k;
    return k < cfg->num_warps;
}

#include "cover.h"

WLK_STRUCTS_MODEL(.events = events, .show = show, .learn = learn, .follow = follow,
                  .unknown_start = true);

/* SPDX-License-Identifier: Apache-2.0 */
/* What reports show of the state of Muon's issue stage, and what outputs tell of it; part of
 * model.c. */
#ifndef WLK_ISSUE_SIGHT_H
#define WLK_ISSUE_SIGHT_H

#include <stdio.h>

/* Puts the instance before a name. */
typedef struct inside {
    const char *instance;
    wlk_state_visitor *visitor;
    void *ctx;
} inside;

static void show_inside(void *ctx, const char *name, int32_t index, const uint64_t *words,
                        uint32_t n_words, uint64_t known, wlk_notation notation) {
    const inside *to = (const inside *)ctx;
    char full[64];
    (void)snprintf(full, sizeof full, "%s.%s", to->instance, name);
    to->visitor(to->ctx, full, index, words, n_words, known, notation);
}

static void show(const cfg_t *cfg, const state_t *st, wlk_state_visitor *visitor, void *ctx) {
    inside to = {"hazard", visitor, ctx};
    hazard_show(cfg, &st->hazard, show_inside, &to);
    to.instance = "scoreboard";
    scoreboard_show(cfg, &st->scoreboard, show_inside, &to);
    to.instance = "reservStation";
    reservStation_show(cfg, &st->reservStation, show_inside, &to);
    to.instance = "collector";
    collector_show(cfg, &st->collector, show_inside, &to);
}

/* What hazard and reservation station show of their counters, and of the output stage. */
static void see_shown(const cfg_t *cfg, const out_t *out, cycle *c) {
    c->of_station.perf.cyclesDispatched = out->perfRS.cyclesDispatched;
    c->of_station.perf.cyclesEligible = out->perfRS.cyclesEligible;
    c->of_station.perf.accRsOccupancy = out->perfRS.accRsOccupancy;
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        c->of_station.perf.perWarp[w].cyclesDispatched = out->perfRS.perWarp[w].cyclesDispatched;
        c->of_station.perf.perWarp[w].cyclesEligible = out->perfRS.perWarp[w].cyclesEligible;
        c->of_station.perf.perWarp[w].stallsRSFull = out->perfRS.perWarp[w].stallsRSFull;
        c->of_hazard.perf[w].stallsWAW = out->perfHazard[w].stallsWAW;
        c->of_hazard.perf[w].stallsWAR = out->perfHazard[w].stallsWAR;
        c->of_hazard.perf[w].stallsScoreboard = out->perfHazard[w].stallsScoreboard;
    }
    c->of_station.collector.readReq.valid = false;
    c->of_station.collector.readReq.bits.pc = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        c->of_station.collector.readReq.bits.regs[i].pReg = 0;
    }
}

/* An empty station waits for nothing: no read is pending, and the collector has an entry for the
 * output stage alone, if for that. With allow_partial_collect an entry may stay taken. */
static void learn_idle(const cfg_t *cfg, state_t *st) {
    const reservStation_state_t *rs = &st->reservStation;
    const uint32_t asked = rs->collFired[0] | rs->collFired[1] | rs->collFired[2];
    if (cfg->allow_partial_collect != 0) {
        return;
    }
    if (rs->valid == 0 && cfg->count_forwarded_reads != 0) {
        for (uint32_t preg = 0; preg < cfg->num_pregs; preg++) {
            st->scoreboard.pendingReads[preg] = 0;
        }
    }
    if ((rs->valid & asked) == 0) {
        st->collector.readResp_valid = false;
        st->collector.nextEn = 0;
        st->collector.nextAllocId = 0;
        if (!rs->stage.full) {
            st->collector.alloc_valid = 0;
        }
    }
}

/* Nothing of the collector shows but operands, and nothing is known of where a row came from. */
static void learn_collector(state_t *st) {
    for (uint32_t e = 0; e < WLK_COLLECTOR_MAX_COLL_ENTRIES; e++) {
        st->collector.occupant[e] = 0;
        for (uint32_t i = 0; i < OPERANDS; i++) {
            st->collector.loaded[i][e] = 0;
        }
    }
}

/* Whether a write of this head's rd is pending after the write-back of this cycle. The register
 * that is written back is left out: its write was pending, and no longer is. */
static void learn_write(state_t *st, const in_t *in, uint32_t w, bool pending) {
    const uint32_t rd = wlk_entry_get_rd(in->ibuf[w].bits);
    if (in->ibuf[w].valid && wlk_entry_get_hasRd(in->ibuf[w].bits) && rd != 0 &&
        !(in->writeback.valid && in->writeback.bits.rd == rd)) {
        st->scoreboard.pendingWrites[rd] = pending;
    }
}

/* The contents of a row that is not valid show nowhere, so any will do. */
static void learn(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out) {
    const uint32_t has_rs = wlk_entry_has_rs(out->issue.bits);
    cycle c;
    see_shown(cfg, out, &c);
    hazard_learn(cfg, &st->hazard, &c.to_hazard, &c.of_hazard);
    learn_counters(cfg, &st->reservStation, &c.of_station);
    learn_collector(st);
    for (uint32_t preg = 0; preg < WLK_ISSUE_MAX_NUM_PREGS; preg++) { /* one write at most */
        st->scoreboard.pendingWrites[preg] &= preg != 0 && preg < cfg->num_pregs ? 1u : 0u;
        st->scoreboard.pendingReads[preg] &= preg != 0 && preg < cfg->num_pregs ? 0xffu : 0u;
    }
    st->reservStation.valid &= (uint32_t)wlk_mask(cfg->rs_entries);
    for (uint32_t row = 0; row < ROWS; row++) {
        learn_free_row(cfg, &st->reservStation, row, &c.of_station);
    }
    st->reservStation.stage.full = out->issue.valid;
    copy_entry(st->reservStation.stage.entry, out->issue.bits);
    if (!out->issue.valid) {
        st->reservStation.stage.collected = false;
        st->reservStation.stage.collEntry = 0;
    } else if (cfg->allow_partial_collect == 0) {
        st->reservStation.stage.collected = has_rs != 0; /* it has all of its sources */
    }
    learn_idle(cfg, st);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        if (out->ibuf[w].ready) {
            learn_write(st, in, w, false);
        }
    }
}

/* A counter of valid rows stood still, so no row was valid. A head that waits for a write is
 * counted. */
static void learn_by_next(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out,
                          const out_t *next) {
    cycle c, later;
    see_shown(cfg, out, &c);
    see_shown(cfg, next, &later);
    c.to_station.reset = in->reset;
    c.to_station.softReset = in->softReset;
    reservStation_learn_by_next(cfg, &st->reservStation, &c.to_station, &c.of_station,
                                &later.of_station);
    learn_idle(cfg, st);
    for (uint32_t w = 0; w < cfg->num_warps && !in->reset && !in->softReset; w++) {
        learn_write(st, in, w, next->perfHazard[w].stallsWAW != out->perfHazard[w].stallsWAW);
    }
}

/* `last` is the warp whose head is admitted. What is written back was pending, and no more, unless
 * such a head writes it too. */
static void learn_next(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out) {
    const uint32_t rd = in->writeback.bits.rd;
    bool again = rd == 0 || !in->writeback.valid;
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        if (in->ibuf[w].valid && out->ibuf[w].ready) {
            st->hazard.last = (uint8_t)w;
            again |=
                wlk_entry_get_hasRd(in->ibuf[w].bits) && wlk_entry_get_rd(in->ibuf[w].bits) == rd;
        }
    }
    if (!again) {
        st->scoreboard.pendingWrites[rd] = 0;
    }
}

/* §6.3: an instruction that is issued shows rows, and so the registers they were loaded from. */
static void learn_rows(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out) {
    cycle c;
    see(cfg, st, in, &c);
    const uint32_t entry = c.collector.entry;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const uint32_t from = st->collector.loaded[i][entry];
        if (has(c.of_collector.sets.readData_resp_bits_enable, i)) {
            row_learn(ROW(bank, i, entry), out->operands[i]);
        }
        if (has(c.of_collector.sets.readData_resp_bits_enable, i) && from != 0) {
            row_learn(ROW(rf, i, from), out->operands[i]);
        }
    }
}

static void note_rows(const cfg_t *cfg, state_t *st, const in_t *in) {
    cycle c;
    see(cfg, st, in, &c);
    collector_note_rows(cfg, &st->collector, &c.to_collector);
}

/* Which sources of the head that is admitted wait for a write decides when it asks. */
static bool suppose(const cfg_t *cfg, state_t *st, const in_t *in, uint32_t k) {
    cycle c;
    see(cfg, st, in, &c);
    const uint64_t *entry = in->ibuf[c.hazard.choice].bits;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const uint32_t preg = wlk_entry_rs(entry, i);
        if (c.hazard.fires && has(c.hazard.has_rs, i) && preg != 0 &&
            !(in->writeback.valid && in->writeback.bits.rd == preg)) {
            st->scoreboard.pendingWrites[preg] = k >> i & 1u;
        }
    }
    return k < UINT32_C(1) << OPERANDS;
}

/* Each warp and each row, as the two arbiters' `last`. */
static bool follow(const cfg_t *cfg, state_t *st, uint32_t k) {
    (void)hazard_follow(cfg, &st->hazard, k % cfg->num_warps);
    return reservStation_follow(cfg, &st->reservStation, k / cfg->num_warps);
}

#endif

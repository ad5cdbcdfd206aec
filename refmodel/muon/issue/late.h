/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Muon's issue stage from a start without its reset; part of model.c. The counters of occupancy
 * tell when the reservation station is empty, and with it the collector and the pending reads.
 * Writes may be pending then: heads that wait are counted, and for the sources of one that is
 * admitted both is tried (outcomes). Not with allow_partial_collect, which can leave an entry
 * taken.
 */
#ifndef WLK_ISSUE_LATE_H
#define WLK_ISSUE_LATE_H

enum { OF_HAZARD = WLK_ISSUE_X_RS_COUNTERS }; // of the words of a warp

static const uint32_t counter_words[RS_PERF] = {
    [RS_DISPATCHED] = wlk_issue_out_word_perfRS_cyclesDispatched,
    [RS_ELIGIBLE] = wlk_issue_out_word_perfRS_cyclesEligible,
    [RS_OCCUPANCY] = wlk_issue_out_word_perfRS_accRsOccupancy,
};

// Heads of which it is not known whether a write of their register is pending.
static uint32_t open_heads(const state_t *st, const cycle_t *c) {
    uint32_t open = 0;
    for (uint32_t rest = c->heads; rest != 0; rest &= rest - 1u) {
        const uint64_t *entry = head(c->in, set_lowest(rest));
        const bool known = !wlk_entry_get_hasRd(entry) ||
                           sb_writes_known(&st->scoreboard, &c->sb, wlk_entry_get_rd(entry));
        open |= known ? 0u : rest & (0u - rest);
    }
    return open;
}

static void hide(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *care) {
    const rs_state *rs = &st->reservStation;
    const uint32_t open =
        open_heads(st, c) | (cfg->count_forwarded_reads ? 0u : open_sources(st, c));
    if (st->scoreboard.late && open != 0) {
        wlk_issue_out_set_ibuf_ready(care, 0);
    }
    rs_hide_counters(rs, counter_words, care);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        uint64_t *element = wlk_issue_out_element_mut(care, w);
        rs_hide_warp(rs, w, element);
        hz_hide_counters(&st->hazard, w, element + OF_HAZARD);
    }
    if (c->rs.issue_fire && !rs->stage_known) { // its instruction says which operands show
        memset(care + control_words(cfg), 0,
               (wlk_issue_out_words(cfg) - control_words(cfg)) * sizeof *care);
    }
}

// The station is empty; with it the collector is, but for what is in the stage, and nothing is to
// be read. Which entry the stage has shows nowhere, and entries are alike.
static void start(const cfg_t *cfg, state_t *st, const wlk_sight *seen) {
    rs_state *rs = &st->reservStation;
    const coll_cfg inner = inner_collector(cfg);
    const uint32_t full = wlk_issue_out_get_issue_valid(seen->out);
    const uint32_t has_rs = wlk_entry_has_rs(seen->out + STAGE);
    rs_start(rs, full);
    rs->fired_known = 1;
    rs->stage_collFired = (uint8_t)has_rs;
    rs->stage_collEntry = 0;
    rs->idle_known = 1; // on no port
    coll_state *coll = &st->collector;
    coll->free_entries = coll_all_entries(&inner) & ~(uint32_t)(full && has_rs != 0);
    coll->readRespValid = coll->nextEn = coll->nextAllocId = coll->landing_saved = 0;
    coll->reset_seen = 1;
    sb_late(&st->scoreboard);
    memset(st->scoreboard.reads_known, 0xff, sizeof st->scoreboard.reads_known);
    hz_late(&st->hazard, cfg->num_warps);
}

static bool stage_is_seen(const cfg_t *cfg, const wlk_sight *seen) {
    uint64_t all[WLK_ISSUE_OUT_GROUP + 32 * WLK_ISSUE_OUT_STRIDE + 3 * WLK_ISSUE_COLL_ROW_WORDS];
    wlk_issue_out_mask(cfg, all);
    return wlk_issue_out_get_issue_valid(seen->out_known) &&
           words_are_known(all, seen->out_known, STAGE, STAGE + WLK_ENTRY_WORDS);
}

static bool is_empty(const uint64_t *in, const wlk_sight *seen) {
    return !(GET(reset, in) | GET(softReset, in)) && rs_was_empty(seen, counter_words);
}

static void learn_counters(const cfg_t *cfg, state_t *st, const wlk_sight *seen) {
    rs_state *rs = &st->reservStation;
    rs_learn_counters(rs, seen, counter_words);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        const uint64_t *shown = wlk_issue_out_element(seen->out, w);
        const uint64_t *known = wlk_issue_out_element(seen->out_known, w);
        rs_learn_warp(rs, w, shown, known);
        hz_learn_counters(&st->hazard, w, shown + OF_HAZARD, known + OF_HAZARD);
    }
}

// A head that waits for a write is counted, one that is admitted does not wait. False: of some head
// neither is seen, so that from here on nothing is known.
static bool learn_heads(const cfg_t *cfg, state_t *st, const wlk_sight *seen) {
    cycle_t c;
    compute(cfg, st, seen->in, &c);
    for (uint32_t rest = open_heads(st, &c); rest != 0; rest &= rest - 1u) {
        const uint32_t w = set_lowest(rest), word = OF_HAZARD + WLK_ISSUE_X_HAZARD_WAW;
        const uint64_t *now = wlk_issue_out_element(seen->out, w) + word;
        const uint64_t *next = wlk_issue_out_element(seen->next, w) + word;
        const uint64_t known = wlk_issue_out_element(seen->out_known, w)[word] &
                               wlk_issue_out_element(seen->next_known, w)[word];
        if (known != ~UINT64_C(0) || c.hz.clear) {
            return false;
        }
        sb_learn_writes(&st->scoreboard, &c.sb, wlk_entry_get_rd(head(seen->in, w)), *next != *now);
    }
    return true;
}

static void learn_operands(const cfg_t *cfg, state_t *st, const wlk_sight *seen) {
    const uint32_t words = prf_words_of(cfg->num_lanes, cfg->lane_bits);
    cycle_t c;
    compute(cfg, st, seen->in, &c);
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const uint32_t at = control_words(cfg) + i * words;
        if (c.rs.data_enables >> i & 1u) {
            coll_learn_row(&c.coll_cfg, &st->collector, i, c.coll.read_entry, seen->out + at,
                           seen->out_known + at);
        }
    }
}

static void late(const uint32_t *params, void *state) {
    const cfg_t *cfg = (const cfg_t *)params;
    const coll_cfg inner = inner_collector(cfg);
    state_t *st = (state_t *)state;
    init(params, state, WLK_POWER_UNKNOWN);
    hz_late(&st->hazard, cfg->num_warps);
    rs_late(&st->reservStation, cfg->rs_entries);
    coll_late(&inner, &st->collector);
}

static void learn(const uint32_t *params, void *state, const wlk_sight *seen) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    rs_state *rs = &st->reservStation;
    if (!st->collector.late) {
        return;
    }
    if (st->hazard.late && !rs->rows_known && !cfg->allow_partial_collect &&
        is_empty(seen->in, seen) && stage_is_seen(cfg, seen)) {
        start(cfg, st, seen);
    }
    if (!(st->hazard.reset_seen | rs->rows_known)) {
        return;
    }
    if (st->hazard.late) {
        learn_counters(cfg, st, seen);
        if (!rs->stage_known && stage_is_seen(cfg, seen)) {
            memcpy(rs->stage, seen->out + STAGE, WLK_ENTRY_WORDS * sizeof *rs->stage);
            rs->stage_known = 1;
        }
    }
    if (st->scoreboard.late && !learn_heads(cfg, st, seen)) {
        late(params, state);
        return;
    }
    learn_operands(cfg, st, seen);
    if (st->scoreboard.late) {
        sb_settle(&st->scoreboard, cfg->num_pregs);
    }
    if (st->hazard.late && !st->scoreboard.late && rs->stage_known &&
        rs_counters_known(rs, cfg->num_warps) && hz_is_known(&st->hazard, cfg->num_warps)) {
        st->hazard.late = rs->late = 0;
        st->hazard.reset_seen = rs->reset_seen = 1;
    }
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Muon document's issue stage from a start without its reset; part of model.c. The counters
 * of occupancy tell when no row is valid; then nothing is to be read, and of entries and slots only
 * those of the output stages are taken. Epochs are alike then, so that of a register is 0. Writes
 * may be pending: heads that wait are counted, an instruction that is admitted did not wait, and
 * for its sources both is tried (outcomes). Where an instruction may wait or not, the warp that is
 * seen to be admitted is the one that was chosen. Sections are those of muon-designs.
 */
#ifndef WLK_ISSUE_X_LATE_H
#define WLK_ISSUE_X_LATE_H

enum {
    WARP = wlk_issue_x_out_word_perfRS_perWarp_cyclesDispatched, // counters of a warp: first word
    WARP_HAZARD = wlk_issue_x_out_word_perfHazard_stallsWAW,
    WARP_DESIGN = wlk_issue_x_out_word_perfDesign_perWarp_stallsHold,
    FEW = 8, // counters of which one byte tells what is known
    ALL_FEW = (1 << FEW) - 1,
    ALL_OTHERS = (1 << (WLK_ISSUE_X_COUNTERS - FEW)) - 1,
    ALL_STALLS = (1 << WLK_ISSUE_X_WARP_COUNTERS) - 1,
};

static const uint32_t counter_words[RS_PERF] = {
    [RS_DISPATCHED] = wlk_issue_x_out_word_perfRS_cyclesDispatched,
    [RS_ELIGIBLE] = wlk_issue_x_out_word_perfRS_cyclesEligible,
    [RS_OCCUPANCY] = wlk_issue_x_out_word_perfRS_accRsOccupancy,
};

// ---- what is open -------------------------------------------------------------------------------

// May a write of the register be pending, or not?
static bool is_open(const state_t *st, const cycle_t *c, uint32_t preg) {
    return !ix_bit(st->late.writes_known, preg) && !(c->cxi.commit && preg == c->rd);
}

static bool may_wait(const state_t *st, const cycle_t *c, const uint64_t *entry) {
    return wlk_entry_get_hasRd(entry) && is_open(st, c, wlk_entry_get_rd(entry));
}

static uint32_t heads_of(const cycle_t *c) {
    return wlk_issue_x_in_get_ibuf_valid(c->in);
}

static uint32_t open_heads(const state_t *st, const cycle_t *c) {
    uint32_t open = 0;
    for (uint32_t left = heads_of(c); left != 0; left &= left - 1u) {
        const uint32_t w = set_lowest(left);
        open |= (uint32_t)may_wait(st, c, ix_instruction(c, w, 0)) << w;
    }
    return open;
}

// Warps that may have another candidate behind their head than the model takes.
static uint32_t open_windows(const state_t *st, const cycle_t *c) {
    uint32_t open = 0;
    for (uint32_t left = heads_of(c) & (c->hz.waw | c->hz.war); left != 0; left &= left - 1u) {
        const uint32_t w = set_lowest(left);
        for (uint32_t at = 1; at < c->p.window && ix_is_there(c, w, at); at++) {
            const uint64_t *entry = ix_instruction(c, w, at);
            if (ix_is_fenced(c, w, at)) {
                continue;
            }
            open |= (uint32_t)may_wait(st, c, entry) << w;
            if ((ix_waw(st, c, entry) | ix_war(st, c, entry)) == 0) {
                break;
            }
        }
    }
    return open;
}

// Sources of the chosen instruction for which a write may be pending or not; of one register the
// first.
static uint32_t open_sources(const state_t *st, const cycle_t *c) {
    const uint64_t *entry = c->admission.entry;
    uint32_t open = 0;
    for (uint32_t i = 0; i < IX_OPERANDS && st->hazard.late && (c->hz.any & c->rs.room); i++) {
        const uint32_t preg = wlk_entry_rs(entry, i);
        bool again = false;
        for (uint32_t k = 0; k < i; k++) {
            again = again || ((open >> k & 1u) != 0 && wlk_entry_rs(entry, k) == preg);
        }
        open |= (uint32_t)((c->hz.has_rs >> i & 1u) != 0 && !again && is_open(st, c, preg)) << i;
    }
    return open;
}

static void know_write(state_t *st, uint32_t preg, uint32_t is_pending) {
    st->scoreboard.pendingWrites[preg] = (uint8_t)(preg != 0 ? is_pending : 0u);
    ix_set_bit(st->late.writes_known, preg, 1);
}

static void assume_sources(state_t *st, const cycle_t *c, uint32_t k) {
    for (uint32_t left = open_sources(st, c); left != 0; left &= left - 1u, k >>= 1) {
        know_write(st, wlk_entry_rs(c->admission.entry, set_lowest(left)), k & 1u);
    }
}

// ---- what is compared ---------------------------------------------------------------------------

static void hide_ready(const cycle_t *c, uint64_t *care) {
    wlk_issue_x_out_set_ibuf_ready(care, 0);
    for (uint32_t e = 0; e < c->p.warps * (c->p.window - 1u); e++) {
        wlk_issue_x_out_set_ibuf_window_ready(wlk_issue_x_out_element_mut(care, e), 0);
    }
}

static void hide_late(const state_t *st, const cycle_t *c, uint64_t *care) {
    const bool counts = !c->p.counted && open_sources(st, c) != 0;
    if ((open_heads(st, c) | open_windows(st, c)) != 0 || counts || ix_find_ways(st, c) > 1) {
        hide_ready(c, care);
    }
    if (!st->hazard.late) {
        return;
    }
    rs_hide_counters(&st->reservStation, counter_words, care);
    counters_hide(st->late.counters[0], FEW, care + COUNTERS);
    counters_hide(st->late.counters[1], WLK_ISSUE_X_COUNTERS - FEW, care + COUNTERS + FEW);
    for (uint32_t w = 0; w < c->p.warps; w++) {
        uint64_t *element = wlk_issue_x_out_element_mut(care, w);
        rs_hide_warp(&st->reservStation, w, element + WARP);
        hz_hide_counters(&st->hazard, w, element + WARP_HAZARD);
        counters_hide(st->late.stalls[w], WLK_ISSUE_X_WARP_COUNTERS, element + WARP_DESIGN);
    }
}

// ---- the start ----------------------------------------------------------------------------------

// What the ports show of an output stage.
typedef struct stage_seen {
    uint32_t full, unit;
    const uint64_t *words;
    bool valid_known, words_known;
} stage_seen;

static stage_seen stage_of(const cfg_t *cfg, const wlk_sight *seen, uint32_t port) {
    uint64_t all[PLAIN + WLK_ISSUE_X_MAX_NUM_WARPS * 15u * WLK_ISSUE_X_OUT_STRIDE +
                 IX_OPERANDS * IX_PORTS * WLK_COLLECTOR_X_ROW_WORDS];
    const bool several = cfg->issue_ports > 1;
    const uint32_t at =
        several ? WLK_ISSUE_X_OUT_GROUP + port * WLK_ISSUE_X_OUT_STRIDE : (uint32_t)STAGE;
    const uint64_t *out = seen->out, *known = seen->out_known;
    stage_seen s = {.words = out + at};
    uint64_t missing;
    wlk_issue_x_out_mask(cfg, all);
    if (several) {
        s.full = wlk_issue_x_out_get_issuePort_valid(out) >> port & 1u;
        s.valid_known = (wlk_issue_x_out_get_issuePort_valid(known) >> port & 1u) != 0;
        s.unit = wlk_issue_x_out_get_issuePort_bits_uop_fuSel(out) >> 4u * port & 15u;
        missing = wlk_issue_x_out_get_issuePort_bits_uop_fuSel(all) &
                  ~wlk_issue_x_out_get_issuePort_bits_uop_fuSel(known) &
                  (UINT64_C(15) << 4u * port);
    } else {
        s.full = wlk_issue_x_out_get_issue_valid(out);
        s.valid_known = wlk_issue_x_out_get_issue_valid(known) != 0;
        s.unit = wlk_issue_x_out_get_issue_bits_uop_fuSel(out);
        missing = wlk_issue_x_out_get_issue_bits_uop_fuSel(all) &
                  ~wlk_issue_x_out_get_issue_bits_uop_fuSel(known);
    }
    s.words_known = missing == 0 && words_are_known(all, known, at, at + WLK_ENTRY_WORDS);
    return s;
}

static void learn_stage(state_t *st, const cx_shape *s, const stage_seen *shown, uint32_t port) {
    wlk_issue_x_stage *stage = &st->stage[port];
    if (!stage->known && shown->words_known) {
        memcpy(stage->words, shown->words, sizeof stage->words);
        stage->unit = (uint8_t)(s->groups > 1 ? shown->unit : 0u);
        stage->known = 1;
    }
}

// Which entry has what is in a stage shows nowhere. No port tells those of a group apart, unless
// its operands lie in other lanes than those of another one (§3.2), or it is slots.
static bool entries_are_alike(const cx_shape *s) {
    return s->collector == CX_DUPLICATED || s->collector == CX_INST_BANKED ||
           (s->collector == CX_SRC_BANKED && (s->lanes == IX_OPERANDS || s->entries == 1));
}

static bool stages_are_seen(const cfg_t *cfg, const cx_shape *s, const wlk_sight *seen) {
    bool all = true;
    for (uint32_t p = 0; p < s->ports; p++) {
        const stage_seen shown = stage_of(cfg, seen, p);
        const bool content = shown.words_known &&
                             (entries_are_alike(s) || wlk_entry_has_rs(shown.words) == 0) &&
                             (s->groups == 1 || shown.unit < s->groups);
        all = all && shown.valid_known && (!shown.full || content);
    }
    return all;
}

static void start_collector(const cx_shape *s, state_t *st) {
    wlk_collector_x_state *cx = &st->collector;
    const uint32_t rows = IX_OPERANDS * s->entries;
    memset(cx->taken, 0, sizeof cx->taken);
    memset(&cx->reads, 0, sizeof cx->reads);
    memset(cx->tagValid, 0, sizeof cx->tagValid);
    memset(cx->tag, 0, sizeof cx->tag);
    memset(cx->refs, 0, sizeof cx->refs);
    memset(cx->victim, 0, sizeof cx->victim);
    memset(cx->known, 0, rows * sizeof *cx->known);
    memset(cx->rows, 0, (size_t)rows * s->stride * sizeof *cx->rows);
    memset(cx->late.same, 0, sizeof cx->late.same);
    memset(cx->late.origin, 0, sizeof cx->late.origin);
    cx->known[cx_old_row(s)] = 0;
    cx->reset_seen = cx->late.reads_known = 1;
}

// No row is valid, and no write is stored.
static void start(const cfg_t *cfg, const cx_shape *s, state_t *st, const wlk_sight *seen) {
    rs_start(&st->reservStation, 0);
    hz_late(&st->hazard, cfg->num_warps);
    memset(&st->scoreboard, 0, sizeof st->scoreboard);
    memset(&st->rows, 0, sizeof st->rows);
    st->merged = st->n_writes = st->serving = 0;
    memset(st->rows_free, 0xff, sizeof st->rows_free);
    memset(st->writes, 0, sizeof st->writes);
    start_collector(s, st);
    st->late.slots = s->collector == CX_CACHING;
    for (uint32_t p = 0; p < s->ports; p++) {
        const stage_seen shown = stage_of(cfg, seen, p);
        wlk_issue_x_stage *stage = &st->stage[p];
        memset(stage, 0, sizeof *stage);
        stage->last = arbiter_unknown(cfg->rs_entries);
        stage->full = (uint8_t)shown.full;
        learn_stage(st, s, &shown, p);
        if (stage->full && wlk_entry_has_rs(stage->words) != 0) {
            stage->placed = 1;
            stage->entry = (uint16_t)(s->groups > 1 ? stage->unit * s->depth : 0u);
            st->collector.taken[stage->entry / 64u] |= UINT64_C(1) << stage->entry % 64u;
        }
    }
}

// At most so many writes are stored in the next cycle: one goes in each cycle (§6.3), unless it is
// counted that none may, or that one waits for its waiters.
static void bound_stored(const cfg_t *cfg, state_t *st, const wlk_sight *seen, bool empty) {
    const uint64_t offered = GET(writeback_valid, seen->in);
    const uint64_t ready = wlk_issue_x_out_get_writeback_ready(seen->out) |
                           (wlk_issue_x_out_get_writeback_ready(seen->out_known) ^ 1u);
    const bool sure = cfg->war == IX_GATE && cfg->forwarding != CX_MUST;
    const bool counted = rs_stood_still(seen, COUNTERS + WLK_ISSUE_X_STALLS_WAR) &&
                         rs_stood_still(seen, COUNTERS + WLK_ISSUE_X_STALLS_FWD) &&
                         !GET(softReset, seen->in);
    uint32_t n = st->late.stored;
    n -= (uint32_t)(n != 0 && (sure || counted || empty));
    st->late.stored = (uint8_t)wlk_min(n + (uint32_t)(offered & ready), cfg->wb_buffer);
}

static bool is_empty(const wlk_sight *seen) {
    return !(GET(reset, seen->in) | GET(softReset, seen->in)) && rs_was_empty(seen, counter_words);
}

static void try_start(const cfg_t *cfg, const cx_shape *s, state_t *st, const wlk_sight *seen) {
    const bool empty = is_empty(seen);
    if (empty && st->late.stored == 0 && stages_are_seen(cfg, s, seen)) {
        start(cfg, s, st, seen);
    } else {
        bound_stored(cfg, st, seen, empty);
    }
}

// ---- what is seen -------------------------------------------------------------------------------

static void learn_counters(const cfg_t *cfg, state_t *st, const wlk_sight *seen) {
    const uint64_t *out = seen->out + COUNTERS, *known = seen->out_known + COUNTERS;
    rs_learn_counters(&st->reservStation, seen, counter_words);
    counters_learn(st->counters, &st->late.counters[0], FEW, out, known);
    counters_learn(st->counters + FEW, &st->late.counters[1], WLK_ISSUE_X_COUNTERS - FEW, out + FEW,
                   known + FEW);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        out = wlk_issue_x_out_element(seen->out, w);
        known = wlk_issue_x_out_element(seen->out_known, w);
        rs_learn_warp(&st->reservStation, w, out + WARP, known + WARP);
        hz_learn_counters(&st->hazard, w, out + WARP_HAZARD, known + WARP_HAZARD);
        counters_learn(st->stalls[w], &st->late.stalls[w], WLK_ISSUE_X_WARP_COUNTERS,
                       out + WARP_DESIGN, known + WARP_DESIGN);
    }
}

// A head that waits for a write is counted.
static void learn_heads(state_t *st, const cycle_t *c, const wlk_sight *seen) {
    for (uint32_t left = c->clear ? 0u : open_heads(st, c); left != 0; left &= left - 1u) {
        const uint32_t w = set_lowest(left), word = WARP_HAZARD + WLK_ISSUE_X_HAZARD_WAW;
        const uint64_t now = wlk_issue_x_out_element(seen->out, w)[word];
        const uint64_t next = wlk_issue_x_out_element(seen->next, w)[word];
        if ((wlk_issue_x_out_element(seen->out_known, w)[word] &
             wlk_issue_x_out_element(seen->next_known, w)[word]) == ~UINT64_C(0)) {
            know_write(st, wlk_entry_get_rd(ix_instruction(c, w, 0)), (uint32_t)(next != now));
        }
    }
}

// An instruction of a window.
typedef struct place {
    uint32_t warp, at;
} place;

// Is it seen whether the instruction is admitted, and is it?
static uint32_t ready_bit(const cycle_t *c, const uint64_t *words, place p) {
    if (p.at == 0) {
        return (uint32_t)(wlk_issue_x_out_get_ibuf_ready(words) >> p.warp & 1u);
    }
    const uint32_t e = p.warp + c->p.warps * (p.at - 1u);
    return (uint32_t)wlk_issue_x_out_get_ibuf_window_ready(wlk_issue_x_out_element(words, e));
}

// The instruction that is seen to be admitted; warp 32: none. False: not all of them are seen.
static bool find_admitted(const cycle_t *c, const wlk_sight *seen, place *admitted) {
    bool all = true;
    admitted->warp = WLK_ISSUE_X_MAX_NUM_WARPS;
    for (uint32_t left = heads_of(c); left != 0; left &= left - 1u) {
        place p = {.warp = set_lowest(left)};
        for (; p.at == 0 || (p.at < c->p.window && ix_is_there(c, p.warp, p.at)); p.at++) {
            all = all && ready_bit(c, seen->out_known, p) != 0;
            if (ready_bit(c, seen->out, p) != 0) {
                *admitted = p;
            }
        }
    }
    return all;
}

// What is admitted did not wait; of those that it passes a write is pending, unless something else
// kept them. False: pending reads did or did not, as what a caching collector finds.
static bool learn_passed(state_t *st, const cycle_t *c, place admitted) {
    const bool sure = ix_find_ways(st, c) == 1;
    for (place p = {.warp = admitted.warp}; p.at <= admitted.at; p.at++) {
        const uint64_t *entry = ix_instruction(c, p.warp, p.at);
        const bool fenced = p.at > 0 && ix_is_fenced(c, p.warp, p.at);
        const bool passed = p.at < admitted.at, war = ix_war(st, c, entry) != 0;
        if (!may_wait(st, c, entry) || (passed && fenced)) {
            continue;
        }
        if (passed && war && !sure) {
            return false;
        }
        if (!passed || !war) {
            know_write(st, wlk_entry_get_rd(entry), passed);
        }
    }
    return true;
}

// What the cycle tells of pending writes. Where it leaves candidates open, the admission follows
// what is seen; false: it is not, so that from here on nothing is known.
static bool learn_admission(const cfg_t *cfg, state_t *st, const wlk_sight *seen) {
    place admitted;
    cycle_t c;
    compute(cfg, st, seen->in, &c);
    learn_heads(st, &c, seen);
    compute(cfg, st, seen->in, &c);
    if ((open_heads(st, &c) | open_windows(st, &c)) == 0) {
        return true;
    }
    if (!find_admitted(&c, seen, &admitted)) {
        return false;
    }
    st->late.barred = ~UINT32_C(0);
    if (admitted.warp == WLK_ISSUE_X_MAX_NUM_WARPS) {
        st->late.open_refused = heads_of(&c);
    } else if (learn_passed(st, &c, admitted)) {
        st->late.barred = ~(UINT32_C(1) << admitted.warp);
    } else {
        return false;
    }
    st->late.open_heads = open_heads(st, &c);
    return true;
}

static void learn_operands(const cfg_t *cfg, state_t *st, const wlk_sight *seen) {
    cycle_t c;
    compute(cfg, st, seen->in, &c);
    uint32_t at = control_words(cfg, &c.s);
    for (uint32_t n = 0; n < IX_OPERANDS * c.s.ports; n++, at += c.s.words) {
        const uint32_t port = n / IX_OPERANDS, i = n % IX_OPERANDS;
        const uint32_t row = shown_row(&c, port, i);
        if ((c.data_enables[port] >> i & 1u) != 0 && row < cx_sink(&c.s)) {
            cx_learn_row(&st->collector, &c.s, row, seen->out + at, seen->out_known + at);
        }
    }
}

// ---- the edge -----------------------------------------------------------------------------------

static void know_counters(state_t *st) {
    st->late.counters[0] = ALL_FEW;
    st->late.counters[1] = ALL_OTHERS;
    memset(st->late.stalls, ALL_STALLS, sizeof st->late.stalls);
}

// What the edge leaves known of pending writes and counters.
static void flops_after(state_t *st, const cycle_t *c) {
    if (c->rd != 0 && c->cxi.commit) {
        ix_set_bit(st->late.writes_known, c->rd, 1);
    }
    if (c->hz.fires && wlk_entry_get_hasRd(c->admission.entry)) {
        ix_set_bit(st->late.writes_known, wlk_entry_get_rd(c->admission.entry), 1);
    }
    for (uint32_t w = 0; w < c->p.warps; w++) {
        const uint32_t head = st->late.open_heads >> w & 1u;
        const uint32_t refused = st->late.open_refused >> w & 1u;
        st->hazard.perf_known[w] &=
            (uint8_t) ~(head << WLK_ISSUE_X_HAZARD_WAW | refused << WLK_ISSUE_X_HAZARD_SCOREBOARD);
        st->late.stalls[w] &= (uint8_t)~bit_all(head);
    }
    hz_commit_late(&st->hazard, &c->hz);
    rs_commit_late(&st->reservStation, c->clear);
    if (c->clear) {
        know_counters(st);
    }
}

// As a reset leaves it; the registers stay as they are known.
static void reset_late(state_t *st) {
    st->late.slots = 0;
    st->late.barred = st->late.open_heads = st->late.open_refused = 0;
    memset(st->late.writes_known, 0xff, sizeof st->late.writes_known);
    st->hazard.late = 0;
}

static __attribute__((noinline)) void commit_late(state_t *st, const cycle_t *c, const void *data) {
    const uint8_t settled = st->hazard.reset_seen;
    const cx_reads landing = st->collector.reads;
    if (st->late.slots) {
        ix_take_from_heap(st, c);
    }
    st->hazard.reset_seen = (uint8_t)is_defined(st); // as far as the edge goes
    ix_commit(st, c, data);
    cx_track(&st->collector, &c->s, &c->cxi, &c->cx, &landing);
    if (c->cx.write) { // what was stored may have unknown lanes
        const uint64_t known = st->collector.known[cx_register_row(&c->s, c->rd)];
        cx_forget_late(&st->collector, &c->s, c->rd, c->cxi.write_mask & ~known);
    }
    if (c->reset) {
        reset_late(st);
        return;
    }
    st->hazard.reset_seen = settled;
    if (!is_defined(st)) {
        return;
    }
    if (st->hazard.late) {
        flops_after(st, c);
    }
    if (st->late.slots) {
        ix_slots_late(st, c);
    }
    st->late.barred = st->late.open_heads = st->late.open_refused = 0;
}

// ---- calls --------------------------------------------------------------------------------------

static void late(const uint32_t *params, void *state) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    init(params, state, WLK_POWER_UNKNOWN);
    hz_late(&st->hazard, cfg->num_warps);
    rs_late(&st->reservStation, cfg->rs_entries);
    st->late.on = st->collector.late.late = 1;
    st->late.stored = (uint8_t)cfg->wb_buffer;
    st->late.writes_known[0] = 1;
    memset(st->late.bind, IX_OPEN, sizeof st->late.bind);
    memset(st->late.cached, 0xff, sizeof st->late.cached);
}

// All flops known: as after a reset, but for registers, and slots that no row uses.
static void settle(const cfg_t *cfg, state_t *st) {
    bool known = rs_counters_known(&st->reservStation, cfg->num_warps) &&
                 hz_is_known(&st->hazard, cfg->num_warps) && st->late.counters[0] == ALL_FEW &&
                 st->late.counters[1] == ALL_OTHERS;
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        known = known && st->late.stalls[w] == ALL_STALLS;
    }
    for (uint32_t p = 0; p < cfg->issue_ports; p++) {
        known = known && st->stage[p].known;
    }
    for (uint32_t r = 0; known && r < cfg->num_pregs; r++) {
        known = ix_bit(st->late.writes_known, r) != 0;
    }
    if (known) {
        st->hazard.late = st->reservStation.late = 0;
        st->hazard.reset_seen = st->reservStation.reset_seen = 1;
    }
}

static void learn_flops(const cfg_t *cfg, const cx_shape *s, state_t *st, const wlk_sight *seen) {
    learn_counters(cfg, st, seen);
    for (uint32_t p = 0; p < cfg->issue_ports; p++) {
        if (!st->stage[p].known) {
            const stage_seen shown = stage_of(cfg, seen, p);
            learn_stage(st, s, &shown, p);
        }
    }
}

static void learn(const uint32_t *params, void *state, const wlk_sight *seen) {
    const cfg_t *cfg = (const cfg_t *)params;
    const wlk_collector_x_cfg inner = inner_collector(cfg);
    const cx_shape s = cx_shape_of(&inner);
    state_t *st = (state_t *)state;
    if (!st->late.on) {
        return;
    }
    if (!is_defined(st)) {
        try_start(cfg, &s, st, seen);
    }
    if (!is_defined(st)) {
        return;
    }
    if (st->hazard.late) {
        learn_flops(cfg, &s, st, seen);
        if (!learn_admission(cfg, st, seen)) {
            late(params, state);
            return;
        }
    }
    learn_operands(cfg, st, seen);
    if (st->hazard.late) {
        settle(cfg, st);
    }
}

#endif

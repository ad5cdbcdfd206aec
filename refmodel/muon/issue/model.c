// SPDX-License-Identifier: Apache-2.0
// Muon's issue stage: wires between the rules of four models (muon-issue §6). No rule is here.
#include <stdio.h>
#include <string.h>

#include "collector_late.h"
#include "muon/issue/scoreboard_late.h"
#include "muon/issue_x/hazard_late.h"
#include "muon/issue_x/reservation_station_late.h"
#include "warplock/issue.h"

#define MODEL      issue
#define MODEL_CAPS ISSUE
#include "frame/model.h"

#define COLL_IN(field, words, value) wlk_collector_in_put_##field(words, value)
#define INLINE                       static inline __attribute__((always_inline))

enum {
    OPERANDS = 3,
    PLAIN = WLK_ISSUE_OUT_GROUP, // control words before the counters of the warps
    STAGE = WLK_ISSUE_OUT_ISSUE_BITS,
    COUNTERS = WLK_ISSUE_OUT_STRIDE, // of a warp: those of the RS, then those of Hazard
};

// One cycle of the four models.
typedef struct cycle {
    rs_shape shape;
    rs_inputs rs_in;
    rs_cycle rs;
    sb_cycle sb;
    hz_cycle hz;
    coll_cfg coll_cfg;
    coll_comb coll;
    rs_admission admission;
    uint32_t heads; // warps that offer one
    const uint64_t *in;
} cycle_t;

INLINE coll_cfg inner_collector(const cfg_t *cfg) {
    const coll_cfg c = {
        .num_warps = cfg->num_warps,
        .num_lanes = cfg->num_lanes,
        .lane_bits = cfg->lane_bits,
        .num_pregs = cfg->num_pregs,
        .rs_entries = cfg->rs_entries,
        .coll_entries = cfg->coll_entries,
        .reg_banks = cfg->reg_banks,
        .bank_select = cfg->bank_select,
        .read_during_write = cfg->read_during_write,
        .debug = cfg->debug,
    };
    return c;
}

INLINE const uint64_t *head(const uint64_t *in, uint32_t warp) {
    return wlk_issue_in_element(in, warp) + WLK_ISSUE_IN_IBUF_BITS;
}

// Response, write-back and issue.ready to the reservation station.
INLINE void reservation_station(const cfg_t *cfg, const state_t *st, const uint64_t *in,
                                cycle_t *c) {
    const uint32_t reset = GET(reset, in);
    c->shape = (rs_shape){cfg->rs_entries, cfg->num_warps, cfg->forward_coll_issue,
                          cfg->in_order_per_warp, cfg->allow_partial_collect};
    c->rs_in = (rs_inputs){
        .reset = reset,
        .clear = reset | GET(softReset, in),
        .resp_valid = st->collector.readRespValid,
        .resp_entry = st->collector.nextAllocId,
        .resp_enables = st->collector.nextEn,
        .wb_valid = GET(writeback_valid, in),
        .wb_rd = GET(writeback_bits_rd, in),
        .issue_ready = GET(issue_ready, in),
    };
    rs_observe(&c->shape, &st->reservStation, &c->rs_in, &c->rs);
}

// Requests, write-back and reads to the collector.
INLINE void collector(const cfg_t *cfg, const state_t *st, const uint64_t *in, cycle_t *c) {
    uint64_t words[WLK_COLLECTOR_IN_CONTROL] = {0};
    c->coll_cfg = inner_collector(cfg);
    COLL_IN(reset, words, c->rs_in.reset);
    COLL_IN(readReq_valid, words, c->rs.req_valid);
    COLL_IN(readReq_bits_regs_enable, words, c->rs.req_needs & bit_all(c->rs.req_valid));
    COLL_IN(readReq_bits_regs_pReg, words, c->rs.req_pregs);
    COLL_IN(writeReq_valid, words, c->rs_in.wb_valid);
    COLL_IN(writeReq_bits_regs_enable, words, c->rs_in.wb_valid);
    COLL_IN(writeReq_bits_regs_pReg, words, c->rs_in.wb_rd);
    COLL_IN(writeReq_bits_regs_tmask, words, GET(writeback_bits_tmask, in));
    COLL_IN(readData_req_valid, words, c->rs.data_valid);
    COLL_IN(readData_req_bits_collEntry, words, st->reservStation.stage_collEntry);
    COLL_IN(readData_req_bits_regs_enable, words, c->rs.data_enables);
    coll_cycle(&c->coll_cfg, &st->collector, words, &c->coll);
}

// Updates of collector and write-back to the scoreboard.
INLINE void update(const cfg_t *cfg, const state_t *st, cycle_t *c) {
    const sb_port coll = {
        .enable = c->rs.coll_enable, .reads_preg = c->rs.coll_pregs, .reads_decr = c->rs.coll_decr};
    const sb_port wb = {
        .enable = c->rs_in.wb_valid, .write_preg = c->rs.wake_rd, .write_decr = c->rs_in.wb_valid};
    sb_updates(&st->scoreboard, cfg->max_pending_reads, &coll, &wb, &c->sb);
}

// The scoreboard's answers to each head, and the choice among them.
INLINE void choose(const cfg_t *cfg, const state_t *st, const uint64_t *in, cycle_t *c) {
    uint32_t has_rd = 0, reads = 0, writes = 0;
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        const uint64_t *entry = head(in, w);
        const uint32_t rd = wlk_entry_get_rd(entry);
        has_rd |= wlk_entry_get_hasRd(entry) << w;
        reads |= (uint32_t)(sb_reads(&st->scoreboard, &c->sb, rd) != 0) << w;
        writes |= sb_writes(&st->scoreboard, &c->sb, rd) << w;
    }
    c->heads = (uint32_t)GET(ibuf_valid, in);
    c->hz.waw = 0;
    c->hz.war = 0;
    hz_hazards(&c->hz, 0, has_rd & c->heads, reads, writes);
    hz_choose(&st->hazard, cfg->num_warps, c->heads, &c->hz);
}

// The chosen head is booked in the scoreboard and offered to the reservation station.
INLINE void admit(const cfg_t *cfg, const state_t *st, const uint64_t *in, cycle_t *c) {
    const uint64_t *entry = head(in, c->hz.choice);
    uint32_t writes = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        writes |= sb_writes(&st->scoreboard, &c->sb, wlk_entry_rs(entry, i)) << i;
    }
    c->hz.clear = c->rs_in.clear;
    hz_book(&c->hz, entry, writes, c->rs.room, cfg->count_forwarded_reads);
    const sb_port rs = {.enable = c->hz.enable,
                        .write_preg = c->hz.write_preg,
                        .write_incr = c->hz.write_incr,
                        .reads_preg = c->hz.reads_preg,
                        .reads_incr = c->hz.reads_incr};
    sb_admission(&st->scoreboard, cfg->max_pending_reads, &rs, &c->sb);
    hz_answer(&c->hz, c->rs.room, c->sb.rs_enable & c->sb.rs_success);
    c->admission = (rs_admission){c->hz.valid, c->rs.room, ~c->hz.has_rs & 7u, c->hz.busy, entry};
}

INLINE void compute(const cfg_t *cfg, const state_t *st, const uint64_t *in, cycle_t *c) {
    c->in = in;
    reservation_station(cfg, st, in, c);
    collector(cfg, st, in, c);
    update(cfg, st, c);
    choose(cfg, st, in, c);
    admit(cfg, st, in, c);
}

INLINE void plain_outputs(const state_t *st, const cycle_t *c, uint64_t *out) {
    memset(out, 0, PLAIN * sizeof *out);
    PUT(ibuf_ready, out, (uint64_t)(c->hz.fires << c->hz.choice));
    PUT(issue_valid, out, st->reservStation.stage_full);
    PUT(perfRS_cyclesDispatched, out, st->reservStation.cyclesDispatched);
    PUT(perfRS_cyclesEligible, out, st->reservStation.cyclesEligible);
    PUT(perfRS_accRsOccupancy, out, st->reservStation.accRsOccupancy);
    memcpy(out + STAGE, st->reservStation.stage, WLK_ENTRY_WORDS * sizeof(uint64_t));
}

// What a start without the reset knows goes along.
static __attribute__((noinline)) void commit_late(const cfg_t *cfg, state_t *st, const cycle_t *c,
                                                  const void *data, uint32_t words,
                                                  uint32_t lane_bits) {
    const coll_landing landing = coll_lands(&c->coll_cfg, &st->collector);
    const uint32_t flops = st->collector.late_flops;
    const uint32_t defined = st->hazard.reset_seen | st->reservStation.rows_known;
    coll_before_late(&st->collector, &c->coll);
    coll_commit(&c->coll_cfg, &st->collector, &c->coll, data, words, lane_bits);
    coll_after_late(&c->coll_cfg, &st->collector, &c->coll, &landing, flops);
    rs_commit(&c->shape, &st->reservStation, &c->rs_in, &c->admission, c->coll.request, &c->rs);
    hz_commit(&st->hazard, &c->hz, cfg->num_warps);
    if (!defined) {
        st->hazard.last = arbiter_unknown(cfg->num_warps);
    }
    if (c->rs_in.reset) {
        sb_reset(&st->scoreboard);
        st->hazard.reset_seen = 1;
        st->hazard.late = 0;
        return;
    }
    if (st->hazard.late) {
        rs_commit_late(&st->reservStation, c->rs_in.clear);
        hz_commit_late(&st->hazard, &c->hz);
    }
    if (st->scoreboard.late) {
        sb_commit_late(&st->scoreboard, &c->sb, (int32_t)cfg->max_pending_reads);
    } else {
        sb_commit(&st->scoreboard, &c->sb);
    }
}

INLINE void commit_words(const cfg_t *cfg, state_t *st, const cycle_t *c, const void *data,
                         uint32_t words, uint32_t lane_bits) {
    if (st->collector.late) {
        commit_late(cfg, st, c, data, words, lane_bits);
        return;
    }
    coll_commit(&c->coll_cfg, &st->collector, &c->coll, data, words, lane_bits);
    rs_commit(&c->shape, &st->reservStation, &c->rs_in, &c->admission, c->coll.request, &c->rs);
    hz_commit(&st->hazard, &c->hz, cfg->num_warps);
    if (!st->hazard.reset_seen) {
        // Room and counts are unknown before this edge, so whether a head was admitted is too.
        st->hazard.last = arbiter_unknown(cfg->num_warps);
    }
    if (c->rs_in.reset) {
        sb_reset(&st->scoreboard);
        st->hazard.reset_seen = 1;
    } else {
        sb_commit(&st->scoreboard, &c->sb);
    }
}

// ---- records ----------------------------------------------------------------------------------

static uint32_t control_words(const cfg_t *cfg) {
    return PLAIN + cfg->num_warps * COUNTERS;
}

static uint32_t in_control(const cfg_t *cfg) {
    return WLK_ISSUE_IN_GROUP + cfg->num_warps * WLK_ISSUE_IN_STRIDE;
}

static void fill_operands(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out,
                          uint64_t *care) {
    const uint32_t words = prf_words_of(cfg->num_lanes, cfg->lane_bits);
    for (uint32_t i = 0; i < OPERANDS; i++, out += words, care += words) {
        if (c->rs.data_enables >> i & 1u) {
            const uint32_t entry = c->coll.read_entry;
            prf_fill(coll_bank_at(&st->collector, i, entry, prf_stride_of(words)),
                     st->collector.bank_known[coll_bank_row(i, entry)], cfg->num_lanes,
                     cfg->lane_bits, out, care, words);
        }
    }
}

static void hide(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *care);

// Whole output record of the cycle. An unknown bit is 0 with care 0.
static void fill(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out,
                 uint64_t *care) {
    const uint32_t words = wlk_issue_out_words(cfg);
    memset(out, 0, words * sizeof *out);
    if (!(st->hazard.reset_seen | st->reservStation.rows_known)) {
        memset(care, 0, words * sizeof *care);
        return;
    }
    wlk_issue_out_mask(cfg, care);
    if (st->hazard.late) {
        hide(cfg, st, c, care);
    }
    plain_outputs(st, c, out);
    if (!st->reservStation.stage_known) {
        memset(care + STAGE, 0, WLK_ENTRY_WORDS * sizeof *care);
        memset(out + STAGE, 0, WLK_ENTRY_WORDS * sizeof *out);
    }
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        uint64_t *element = wlk_issue_out_element_mut(out, w);
        memcpy(element, st->reservStation.perWarp[w], sizeof st->reservStation.perWarp[w]);
        memcpy(element + WLK_ISSUE_X_RS_COUNTERS, st->hazard.perf[w],
               WLK_ISSUE_X_HAZARD_COUNTERS * sizeof *st->hazard.perf[w]);
    }
    fill_operands(cfg, st, c, out + control_words(cfg), care + control_words(cfg));
    for (uint32_t w = 0; w < words && st->hazard.late; w++) {
        out[w] &= care[w];
    }
}

static void commit(const cfg_t *cfg, state_t *st, const uint64_t *in, const cycle_t *c) {
    const uint32_t words = prf_words_of(cfg->num_lanes, cfg->lane_bits);
    commit_words(cfg, st, c, in + in_control(cfg), words, cfg->lane_bits);
}

#include "cover.h"

#define LIVE(st) ((st)->hazard.reset_seen)
#include "frame/calls.h"

#include "settled.h"

// ---- what power-up leaves open ----------------------------------------------------------------

// Open choices of the admission's arbiter, and of the dispatch's.
static void open_choices(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint32_t *heads,
                         uint32_t *rows) {
    *heads = arbiter_outcomes(c->hz.candidates, st->hazard.last, cfg->num_warps);
    *rows = c->rs.dispatch
                ? arbiter_outcomes(c->rs.candidates, st->reservStation.last, cfg->rs_entries)
                : 1u;
}

// Sources of the instruction that is admitted for which a write may be pending or not; of one
// register the first.
static uint32_t open_sources(const state_t *st, const cycle_t *c) {
    const uint64_t *entry = head(c->in, c->hz.choice);
    uint32_t open = 0;
    for (uint32_t i = 0; i < OPERANDS && st->scoreboard.late && (c->hz.any & c->rs.room); i++) {
        const uint32_t preg = wlk_entry_rs(entry, i);
        bool again = false;
        for (uint32_t k = 0; k < i; k++) {
            again = again || ((open >> k & 1u) != 0 && wlk_entry_rs(entry, k) == preg);
        }
        if ((c->hz.has_rs >> i & 1u) != 0 && !again &&
            !sb_writes_known(&st->scoreboard, &c->sb, preg)) {
            open |= 1u << i;
        }
    }
    return open;
}

static void assume_sources(state_t *st, const cycle_t *c, uint32_t k) {
    const uint64_t *entry = head(c->in, c->hz.choice);
    for (uint32_t open = open_sources(st, c); open != 0; open &= open - 1u, k >>= 1) {
        sb_learn_writes(&st->scoreboard, &c->sb, wlk_entry_rs(entry, set_lowest(open)), k & 1u);
    }
}

static uint32_t outcomes(const uint32_t *params, const void *state, const uint64_t *in) {
    const cfg_t *cfg = (const cfg_t *)params;
    const state_t *st = (const state_t *)state;
    uint32_t heads, rows;
    cycle_t c;
    const uint32_t closed = set_is_single(st->hazard.last) & set_is_single(st->reservStation.last) &
                            bit_not(st->scoreboard.late);
    if (!(st->hazard.reset_seen | st->reservStation.rows_known) || closed) {
        return 1u;
    }
    compute(cfg, st, in, &c);
    open_choices(cfg, st, &c, &heads, &rows);
    return heads * rows > 1 ? heads * rows : 1u << set_size(open_sources(st, &c));
}

static void assume(const uint32_t *params, void *state, const uint64_t *in, uint32_t k) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    uint32_t heads, rows;
    cycle_t c;
    compute(cfg, st, in, &c);
    open_choices(cfg, st, &c, &heads, &rows);
    if (heads * rows == 1) {
        assume_sources(st, &c, k);
        return;
    }
    st->hazard.last = arbiter_assume(c.hz.candidates, st->hazard.last, cfg->num_warps, k % heads);
    if (rows > 1) {
        st->reservStation.last =
            arbiter_assume(c.rs.candidates, st->reservStation.last, cfg->rs_entries, k / heads);
    }
}

// ---- the models inside ------------------------------------------------------------------------

static size_t state_size(const uint32_t *params) {
    const coll_cfg inner = inner_collector((const cfg_t *)params);
    return offsetof(state_t, collector) + coll_state_size(&inner);
}

static void init(const uint32_t *params, void *state, wlk_power_up power_up) {
    const cfg_t *cfg = (const cfg_t *)params;
    const coll_cfg inner = inner_collector(cfg);
    state_t *st = (state_t *)state;
    memset(st, 0, offsetof(state_t, collector));
    hz_init(&st->hazard, cfg->num_warps, power_up);
    sb_init(&st->scoreboard, power_up);
    rs_init(&st->reservStation, cfg->rs_entries, power_up);
    coll_init(&inner, &st->collector, power_up);
}

static void clear(const uint32_t *params, void *state) {
    const coll_cfg inner = inner_collector((const cfg_t *)params);
    state_t *st = (state_t *)state;
    hz_reset(&st->hazard);
    sb_reset(&st->scoreboard);
    rs_reset(&st->reservStation);
    coll_reset(&inner, &st->collector, prf_stride_of(coll_words(&inner)));
}

// The write-back's lanes are the only payload that is stored; the collector forgets them.
static void forget(const uint32_t *params, void *state, const uint64_t *in, const uint64_t *x) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    const uint32_t preg = GET(writeback_bits_rd, in);
    if (GET(writeback_valid, in) && preg != 0) {
        const uint64_t lanes = prf_unknown(x + in_control(cfg), GET(writeback_bits_tmask, in),
                                           cfg->num_lanes, cfg->lane_bits);
        st->collector.rf_known[preg] &= ~lanes;
        coll_forget_copies(&st->collector, preg, lanes);
    }
}

static bool drained(const uint32_t *params, const void *state) {
    const cfg_t *cfg = (const cfg_t *)params;
    const coll_cfg inner = inner_collector(cfg);
    const state_t *st = (const state_t *)state;
    return sb_drained(&st->scoreboard, cfg->num_pregs) && rs_drained(&st->reservStation) &&
           coll_drained(&inner, &st->collector);
}

#include "late.h"

// Puts the instance before the name.
typedef struct named {
    wlk_state_visitor *visitor;
    void *ctx;
    const char *instance;
} named;

static void visit_named(void *ctx, const char *name, int32_t index, const uint64_t *words,
                        uint32_t n_words, uint64_t known, wlk_notation notation) {
    const named *n = (const named *)ctx;
    char full[64];
    (void)snprintf(full, sizeof full, "%s.%s", n->instance, name);
    n->visitor(n->ctx, full, index, words, n_words, known, notation);
}

static void visit_row(const rs_state *st, uint32_t row, wlk_state_visitor *visitor, void *ctx) {
    const uint64_t seen = st->reset_seen | st->rows_known;
    const flop flops[] = {
        {"opReady", rs_operands(st->opReady, row), seen, WLK_HEX},
        {"busy", rs_operands(st->busy, row), seen, WLK_HEX},
        {"collFired", rs_operands(st->collFired, row), seen, WLK_HEX},
        {"collPtr", st->collPtr[row], seen, WLK_DECIMAL},
        {"pc", wlk_entry_get_pc(st->entry[row]), seen, WLK_HEX},
    };
    VISIT_FLOPS(flops, (int32_t)row);
}

static void visit_station(const rs_state *st, wlk_state_visitor *visitor, void *ctx) {
    const uint64_t seen = st->reset_seen | st->rows_known;
    const flop flops[] = {
        {"valid", st->valid, seen, WLK_HEX},
        {"last", set_lowest(st->last), set_is_single(st->last), WLK_DECIMAL},
        {"stage full", st->stage_full, seen, WLK_DECIMAL},
        {"stage collFired", st->stage_collFired,
         st->stage_known & (st->fired_known | bit_not(st->late)), WLK_HEX},
        {"stage collEntry", st->stage_collEntry, st->stage_known, WLK_DECIMAL},
    };
    VISIT_FLOPS(flops, -1);
    for (uint32_t rest = st->valid; rest != 0; rest &= rest - 1u) {
        visit_row(st, set_lowest(rest), visitor, ctx);
    }
}

static void coll_visit_rows(const coll_cfg *cfg, const coll_state *st, wlk_state_visitor *visitor,
                            void *ctx) {
    static const char *const bank_names[3] = {"bank[0]", "bank[1]", "bank[2]"};
    const uint32_t words = coll_words(cfg), stride = prf_stride_of(words);
    const uint64_t lanes = wlk_mask(cfg->num_lanes);
    for (uint32_t i = 0; i < COLL_OPERANDS; i++) {
        for (uint32_t e = 0; e < cfg->coll_entries; e++) {
            const bool live = (st->reset_seen | st->late) != 0;
            const uint64_t known = live ? st->bank_known[coll_bank_row(i, e)] & lanes : 0u;
            visitor(ctx, bank_names[i], (int32_t)e, coll_bank_at(st, i, e, stride), words, known,
                    WLK_HEX);
        }
    }
    for (uint32_t r = 1; r < cfg->num_pregs; r++) {
        const uint64_t *row = st->rows + (size_t)(COLL_RF_FIRST + r) * stride;
        visitor(ctx, "rf", (int32_t)r, row, words, st->rf_known[r] & lanes, WLK_HEX);
    }
}

static void coll_visit(const coll_cfg *cfg, const coll_state *st, wlk_state_visitor *visitor,
                       void *ctx) {
    const uint64_t seen = st->reset_seen, known = coll_is_hiding(st) ? st->late_flops : 0u;
    const uint64_t response = seen | (known & COLL_KNOWS_RESPONSE);
    const uint64_t pregs = seen | (known & COLL_KNOWS_PREGS);
    const uint64_t entries = seen | (st->late_entries == coll_all_entries(cfg));
    const flop flops[] = {
        {"alloc_valid", ~st->free_entries & coll_all_entries(cfg), entries, WLK_HEX},
        {"nextAllocId", st->nextAllocId, seen | (known & COLL_KNOWS_ID), WLK_DECIMAL},
        {"nextEn", st->nextEn, response, WLK_HEX},
        {"nextPReg[0]", st->nextPReg[0], pregs, WLK_DECIMAL},
        {"nextPReg[1]", st->nextPReg[1], pregs, WLK_DECIMAL},
        {"nextPReg[2]", st->nextPReg[2], pregs, WLK_DECIMAL},
        {"readResp.valid", st->readRespValid, response, WLK_DECIMAL},
        {"writeResp.valid", st->writeRespValid, st->writeResp_known, WLK_DECIMAL},
    };
    VISIT_FLOPS(flops, -1);
    coll_visit_rows(cfg, st, visitor, ctx);
}

static void visit(const uint32_t *params, const void *state, wlk_state_visitor *visitor,
                  void *ctx) {
    const cfg_t *cfg = (const cfg_t *)params;
    const coll_cfg inner = inner_collector(cfg);
    const state_t *st = (const state_t *)state;
    named n = {visitor, ctx, "hazard"};
    hz_visit(&st->hazard, cfg->num_warps, visit_named, &n);
    n.instance = "scoreboard";
    sb_visit(&st->scoreboard, cfg->num_pregs, visit_named, &n);
    n.instance = "reservStation";
    visit_station(&st->reservStation, visit_named, &n);
    n.instance = "collector";
    coll_visit(&inner, &st->collector, visit_named, &n);
}

WLK_MODEL(.outcomes = outcomes, .assume = assume, .forget = forget, .drained = drained,
          .clear = clear, .visit = visit, .late = late, .learn = learn);

// SPDX-License-Identifier: Apache-2.0
// Muon's reservation station as a block: record words in and out around
// rules.h.
#include "late.h"

#define MODEL      reservation_station
#define MODEL_CAPS RESERVATION_STATION
#include "frame/model.h"

enum {
    OUT_WORDS = WLK_RESERVATION_STATION_OUT_GROUP + 32 * WLK_RESERVATION_STATION_OUT_STRIDE,
    STAGE = WLK_RESERVATION_STATION_OUT_ISSUE_BITS,
};

typedef struct cycle {
    rs_shape shape;
    rs_inputs in;
    rs_admission admission;
    rs_cycle rs;
    uint32_t soft_reset, request_ready;
} cycle_t;

static void compute(const cfg_t *cfg, const state_t *st, const uint64_t *in, cycle_t *c) {
    c->shape = (rs_shape){cfg->rs_entries, cfg->num_warps, cfg->forward_coll_issue,
                          cfg->in_order_per_warp, cfg->allow_partial_collect};
    c->soft_reset = GET(softReset, in);
    c->request_ready = GET(collector_readReq_ready, in);
    c->in = (rs_inputs){
        .reset = GET(reset, in),
        .clear = GET(reset, in) | c->soft_reset,
        .resp_valid = GET(collector_readResp_valid, in),
        .resp_entry = GET(collector_readResp_bits_collEntry, in),
        .resp_enables = GET(collector_readResp_bits_regs_enable, in),
        .wb_valid = GET(writeback_valid, in),
        .wb_rd = GET(writeback_bits_rd, in),
        .issue_ready = GET(issue_ready, in),
    };
    rs_observe(&c->shape, st, &c->in, &c->rs);
    c->admission = (rs_admission){GET(admit_valid, in), c->rs.room, GET(admit_bits_valid, in),
                                  GET(admit_bits_busy, in),
                                  in + WLK_RESERVATION_STATION_IN_ADMIT_BITS_IBUFENTRY};
}

static void request_outputs(const cfg_t *cfg, const state_t *st, const rs_cycle *rs,
                            uint64_t *out) {
    PUT(collector_readReq_valid, out, rs->req_valid);
    PUT(collector_readReq_bits_regs_enable, out, rs->req_needs & bit_all(rs->req_valid));
    PUT(collector_readReq_bits_regs_pReg, out, rs->req_pregs);
    PUT(collector_readReq_bits_rsEntryId, out, rs->coll_row);
    if (cfg->debug) {
        PUT(collector_readReq_bits_pc, out, wlk_entry_get_pc(st->entry[rs->coll_row]));
    }
    PUT(collector_readData_req_valid, out, rs->data_valid);
    PUT(collector_readData_req_bits_collEntry, out, st->stage_collEntry);
    PUT(collector_readData_req_bits_regs_enable, out, rs->data_enables);
}

// The ports but for what the stage holds and the counters.
static inline void port_outputs(const cfg_t *cfg, const state_t *st, const cycle_t *c,
                                uint64_t *out) {
    const rs_cycle *rs = &c->rs;
    PUT(admit_ready, out, rs->room);
    PUT(issue_valid, out, st->stage_full);
    PUT(scb_updateColl_enable, out, rs->coll_enable);
    PUT(scb_updateColl_reads_pReg, out, rs->coll_pregs);
    PUT(scb_updateColl_reads_decr, out, rs->coll_decr);
    PUT(scb_updateWB_enable, out, c->in.wb_valid);
    PUT(scb_updateWB_write_pReg, out, rs->wake_rd);
    PUT(scb_updateWB_write_decr, out, c->in.wb_valid);
    request_outputs(cfg, st, rs, out);
}

static void outputs(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out) {
    memset(out, 0, out_words(cfg) * sizeof *out);
    port_outputs(cfg, st, c, out);
    memcpy(out + STAGE, st->stage, WLK_ENTRY_WORDS * sizeof(uint64_t));
    PUT(perf_cyclesDispatched, out, st->cyclesDispatched);
    PUT(perf_cyclesEligible, out, st->cyclesEligible);
    PUT(perf_accRsOccupancy, out, st->accRsOccupancy);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        memcpy(wlk_reservation_station_out_element_mut(out, w), st->perWarp[w],
               sizeof st->perWarp[w]);
    }
}

static void narrow(const cfg_t *cfg, const state_t *st, uint64_t *care) {
    uint64_t entry_bits[OUT_WORDS] = {0};
    if (!st->stage_known) {
        memset(care + STAGE, 0, WLK_ENTRY_WORDS * sizeof *care);
        PUT(collector_readData_req_bits_collEntry, entry_bits,
            wlk_mask(wlk_idw(cfg->coll_entries)));
        for (uint32_t w = 0; w < out_words(cfg); w++) {
            care[w] &= ~entry_bits[w];
        }
    }
}

// An operand that is ready waits for no write-back, so that the RTL's assertion on rows holds.
static uint32_t violations(const state_t *st, const cycle_t *c) {
    const uint32_t broken = c->admission.op_ready & c->admission.busy & bit_all(c->admission.valid);
    (void)st;
    return broken != 0 && !c->in.reset ? (uint32_t)WLK_RESERVATION_STATION_COLLECTED_OPERAND_BUSY
                                       : 0u;
}

static void commit(const cfg_t *cfg, state_t *st, const uint64_t *in, const cycle_t *c) {
    const uint32_t fires = c->rs.req_valid & c->request_ready;
    (void)cfg;
    (void)in;
    rs_commit(&c->shape, st, &c->in, &c->admission, fires, &c->rs);
    if (st->late) {
        rs_commit_late(st, c->in.clear);
    }
}

// ---- a start without the reset ----------------------------------------------------------------

#define OUT_GET(field, words)        wlk_reservation_station_out_get_##field(words)
#define OUT_SET(field, words, value) wlk_reservation_station_out_set_##field(words, value)

static const uint32_t counter_words[RS_PERF] = {
    [RS_DISPATCHED] = wlk_reservation_station_out_word_perf_cyclesDispatched,
    [RS_ELIGIBLE] = wlk_reservation_station_out_word_perf_cyclesEligible,
    [RS_OCCUPANCY] = wlk_reservation_station_out_word_perf_accRsOccupancy,
};

// Of outputs that do not depend on the state the care is kept.
static void hide_all(const cfg_t *cfg, uint64_t *care) {
    const uint64_t shown[2] = {care[0], care[1]};
    memset(care, 0, out_words(cfg) * sizeof *care);
    PUT(scb_updateColl_enable, care, OUT_GET(scb_updateColl_enable, shown));
    PUT(scb_updateColl_write_pReg, care, OUT_GET(scb_updateColl_write_pReg, shown));
    PUT(scb_updateColl_write_incr, care, OUT_GET(scb_updateColl_write_incr, shown));
    PUT(scb_updateColl_write_decr, care, OUT_GET(scb_updateColl_write_decr, shown));
    PUT(scb_updateColl_reads_incr, care, OUT_GET(scb_updateColl_reads_incr, shown));
    PUT(scb_updateWB_enable, care, OUT_GET(scb_updateWB_enable, shown));
    PUT(scb_updateWB_write_pReg, care, OUT_GET(scb_updateWB_write_pReg, shown));
    PUT(scb_updateWB_write_incr, care, OUT_GET(scb_updateWB_write_incr, shown));
    PUT(scb_updateWB_write_decr, care, OUT_GET(scb_updateWB_write_decr, shown));
    PUT(scb_updateWB_reads_pReg, care, OUT_GET(scb_updateWB_reads_pReg, shown));
    PUT(scb_updateWB_reads_incr, care, OUT_GET(scb_updateWB_reads_incr, shown));
    PUT(scb_updateWB_reads_decr, care, OUT_GET(scb_updateWB_reads_decr, shown));
}

static void hide(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *care) {
    if (!st->rows_known) {
        hide_all(cfg, care);
        return;
    }
    if (c->rs.issue_fire && !st->stage_known) {
        OUT_SET(collector_readData_req_bits_regs_enable, care, 0);
    }
    if (c->rs.issue_fire && !(st->stage_known & st->fired_known)) {
        OUT_SET(collector_readData_req_valid, care, 0);
    }
    if (!c->rs.req_valid && !st->idle_known) {
        OUT_SET(collector_readReq_bits_regs_pReg, care, 0);
        OUT_SET(collector_readReq_bits_pc, care, 0);
    }
    rs_hide_counters(st, counter_words, care);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        rs_hide_warp(st, w, wlk_reservation_station_out_element_mut(care, w));
    }
}

static void learn_counters(const cfg_t *cfg, state_t *st, const wlk_sight *seen) {
    rs_learn_counters(st, seen, counter_words);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        rs_learn_warp(st, w, wlk_reservation_station_out_element(seen->out, w),
                      wlk_reservation_station_out_element(seen->out_known, w));
    }
}

// What the output stage holds shows on the ports.
static void learn_stage(const cfg_t *cfg, state_t *st, const wlk_sight *seen) {
    uint64_t all[OUT_WORDS];
    wlk_reservation_station_out_mask(cfg, all);
    const uint32_t entry = OUT_GET(collector_readData_req_bits_collEntry, all);
    if (!st->stage_known && words_are_known(all, seen->out_known, STAGE, STAGE + WLK_ENTRY_WORDS) &&
        OUT_GET(collector_readData_req_bits_collEntry, seen->out_known) == entry) {
        memcpy(st->stage, seen->out + STAGE, WLK_ENTRY_WORDS * sizeof *st->stage);
        st->stage_collEntry = (uint8_t)OUT_GET(collector_readData_req_bits_collEntry, seen->out);
        st->stage_known = 1;
    }
    if (st->rows_known && st->stage_full && GET(issue_ready, seen->in) && !st->fired_known &&
        OUT_GET(collector_readData_req_valid, seen->out_known)) {
        st->stage_collFired = (uint8_t)OUT_GET(collector_readData_req_valid, seen->out);
        st->fired_known = 1;
    }
}

// Without a request the last row shows, which is not valid then: what its registers show is all
// that they do.
static void learn_idle(const cfg_t *cfg, state_t *st, const wlk_sight *seen) {
    const uint32_t row = cfg->rs_entries - 1u, bit = UINT32_C(1) << row;
    uint64_t all[OUT_WORDS];
    wlk_reservation_station_out_mask(cfg, all);
    const bool shown = OUT_GET(collector_readReq_bits_regs_pReg, seen->out_known) ==
                           OUT_GET(collector_readReq_bits_regs_pReg, all) &&
                       OUT_GET(collector_readReq_bits_pc, seen->out_known) ==
                           OUT_GET(collector_readReq_bits_pc, all);
    for (uint32_t i = 0; i < 3 && shown; i++) {
        const uint32_t preg = wlk_preg_at(OUT_GET(collector_readReq_bits_regs_pReg, seen->out), i);
        rs_set(&st->opReady[i], bit, preg == 0);
        rs_set(&st->busy[i], bit, 0);
        rs_set(&st->collFired[i], bit, 0);
        st->rs[i][row] = (uint16_t)preg;
    }
    if (shown) {
        memset(st->entry[row], 0, sizeof st->entry[row]);
        wlk_entry_put_pc(st->entry[row], OUT_GET(collector_readReq_bits_pc, seen->out));
    }
    st->idle_known = shown;
}

static void learn(const uint32_t *params, void *state, const wlk_sight *seen) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    if (!st->late) {
        return;
    }
    const uint32_t clear = GET(reset, seen->in) | GET(softReset, seen->in);
    const bool empty = !clear && rs_was_empty(seen, counter_words);
    if (!st->rows_known && empty && OUT_GET(issue_valid, seen->out_known)) {
        rs_start(st, OUT_GET(issue_valid, seen->out));
    }
    learn_counters(cfg, st, seen);
    learn_stage(cfg, st, seen);
    if (st->rows_known && !st->idle_known) {
        cycle_t c;
        compute(cfg, st, seen->in, &c);
        st->idle_known = st->valid >> (cfg->rs_entries - 1u) & 1u;
        if (!c.rs.req_valid && !st->idle_known) {
            learn_idle(cfg, st, seen);
        }
    }
    if (st->rows_known && st->stage_known && st->idle_known &&
        (st->fired_known | bit_not(st->stage_full)) && rs_counters_known(st, cfg->num_warps)) {
        st->late = 0;
        st->reset_seen = 1;
    }
}

static void late(const uint32_t *params, void *state) {
    rs_late((state_t *)state, ((const cfg_t *)params)->rs_entries);
}

#include "cover.h"
#include "settled.h"

#define LATE(st)     ((st)->late)
#define HIDE         hide
#define KNOWN(st)    ((st)->reset_seen & (st)->stage_known & set_is_single((st)->last))
#define SETTLED      KNOWN
#define STEP_SETTLED step_known
#define NARROW       narrow
#define VIOLATIONS   violations
#include "frame/words.h"

static uint32_t outcomes(const uint32_t *params, const void *state, const uint64_t *in) {
    const state_t *st = (const state_t *)state;
    cycle_t c;
    compute((const cfg_t *)params, st, in, &c);
    return c.rs.dispatch && (st->reset_seen | st->rows_known)
               ? arbiter_outcomes(c.rs.candidates, st->last, c.shape.rows)
               : 1u;
}

static void assume(const uint32_t *params, void *state, const uint64_t *in, uint32_t k) {
    state_t *st = (state_t *)state;
    cycle_t c;
    compute((const cfg_t *)params, st, in, &c);
    st->last = arbiter_assume(c.rs.candidates, st->last, c.shape.rows, k);
}

static void init(const uint32_t *params, void *state, wlk_power_up power_up) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    memset(st, 0, sizeof *st);
    st->reset_seen = power_up == WLK_POWER_ZERO;
    st->stage_known = st->reset_seen;
    st->last = st->reset_seen ? 1u : arbiter_unknown(cfg->rs_entries);
}

static void clear(const uint32_t *params, void *state) {
    (void)params;
    rs_reset((state_t *)state);
}

static bool drained(const uint32_t *params, const void *state) {
    const state_t *st = (const state_t *)state;
    (void)params;
    return st->valid == 0 && !st->stage_full;
}

static void visit_row(const state_t *st, uint32_t row, wlk_state_visitor *visitor, void *ctx) {
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

static void visit(const uint32_t *params, const void *state, wlk_state_visitor *visitor,
                  void *ctx) {
    const state_t *st = (const state_t *)state;
    const uint64_t seen = st->reset_seen | st->rows_known;
    const flop flops[] = {
        {"valid", st->valid, seen, WLK_HEX},
        {"last", set_lowest(st->last), set_is_single(st->last), WLK_DECIMAL},
        {"stage full", st->stage_full, seen, WLK_DECIMAL},
        {"stage collFired", st->stage_collFired,
         st->stage_known & (st->fired_known | bit_not(st->late)), WLK_HEX},
        {"stage collEntry", st->stage_collEntry, st->stage_known, WLK_DECIMAL},
    };
    (void)params;
    VISIT_FLOPS(flops, -1);
    for (uint32_t rest = st->valid; rest != 0; rest &= rest - 1u) {
        visit_row(st, set_lowest(rest), visitor, ctx);
    }
}

WLK_MODEL(.outcomes = outcomes, .assume = assume, .drained = drained, .clear = clear,
          .visit = visit, .late = late, .learn = learn);

// SPDX-License-Identifier: Apache-2.0
// Muon's reservation station as a block: record words in and out around
// reservation_station_rules.h.
#include "reservation_station_rules.h"

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
    c->shape = (rs_shape){cfg->rs_entries, cfg->forward_coll_issue, cfg->in_order_per_warp,
                          cfg->allow_partial_collect};
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

static void outputs(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out) {
    const rs_cycle *rs = &c->rs;
    memset(out, 0, out_words(cfg) * sizeof *out);
    PUT(admit_ready, out, rs->room);
    PUT(issue_valid, out, st->stage_full);
    memcpy(out + STAGE, st->stage, WLK_ENTRY_WORDS * sizeof(uint64_t));
    PUT(scb_updateColl_enable, out, rs->coll_enable);
    PUT(scb_updateColl_reads_pReg, out, rs->coll_pregs);
    PUT(scb_updateColl_reads_decr, out, rs->coll_decr);
    PUT(scb_updateWB_enable, out, c->in.wb_valid);
    PUT(scb_updateWB_write_pReg, out, rs->wake_rd);
    PUT(scb_updateWB_write_decr, out, c->in.wb_valid);
    request_outputs(cfg, st, rs, out);
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
}

#include "reservation_station_cover.h"

#define KNOWN(st)  ((st)->reset_seen & (st)->stage_known & set_is_single((st)->last))
#define NARROW     narrow
#define VIOLATIONS violations
#include "frame/words.h"

static uint32_t outcomes(const uint32_t *params, const void *state, const uint64_t *in) {
    const state_t *st = (const state_t *)state;
    cycle_t c;
    compute((const cfg_t *)params, st, in, &c);
    return c.rs.dispatch && st->reset_seen
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
    const flop flops[] = {
        {"opReady", rs_operands(st->opReady, row), st->reset_seen, WLK_HEX},
        {"busy", rs_operands(st->busy, row), st->reset_seen, WLK_HEX},
        {"collFired", rs_operands(st->collFired, row), st->reset_seen, WLK_HEX},
        {"collPtr", st->collPtr[row], st->reset_seen, WLK_DECIMAL},
        {"pc", wlk_entry_get_pc(st->entry[row]), st->reset_seen, WLK_HEX},
    };
    VISIT_FLOPS(flops, (int32_t)row);
}

static void visit(const uint32_t *params, const void *state, wlk_state_visitor *visitor,
                  void *ctx) {
    const state_t *st = (const state_t *)state;
    const flop flops[] = {
        {"valid", st->valid, st->reset_seen, WLK_HEX},
        {"last", set_lowest(st->last), set_is_single(st->last), WLK_DECIMAL},
        {"stage full", st->stage_full, st->reset_seen, WLK_DECIMAL},
        {"stage collFired", st->stage_collFired, st->stage_known, WLK_HEX},
        {"stage collEntry", st->stage_collEntry, st->stage_known, WLK_DECIMAL},
    };
    (void)params;
    VISIT_FLOPS(flops, -1);
    for (uint32_t rest = st->valid; rest != 0; rest &= rest - 1u) {
        visit_row(st, set_lowest(rest), visitor, ctx);
    }
}

WLK_MODEL(.outcomes = outcomes, .assume = assume, .drained = drained, .clear = clear,
          .visit = visit);

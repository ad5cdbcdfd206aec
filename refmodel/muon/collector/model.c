// SPDX-License-Identifier: Apache-2.0
// Muon's operand collector. coll_cycle() of rules.h computes a cycle; eval, tick, record
// and step only report or commit it. Spec sections are those of muon-issue.
#include "late.h"

#define MODEL      collector
#define MODEL_CAPS COLLECTOR
#include "frame/model.h"

typedef coll_comb cycle_t;

// Protocol rules; a reset cycle and the time before the first reset break none.
PRF_INLINE uint32_t violations(const coll_state *st, const coll_comb *c) {
    const uint32_t counts = bit_not(c->reset) & st->reset_seen & c->read_valid;
    return (counts & (bit_not(c->allocated) | bit_not(c->in_range))) *
               (uint32_t)WLK_COLLECTOR_READDATA_UNALLOCATED |
           (counts & bit_not(c->in_range)) * (uint32_t)WLK_COLLECTOR_READDATA_OUT_OF_RANGE;
}

// Care of the control outputs: 1 bits where the value follows from known state.
static void control_care(const coll_cfg *cfg, const coll_state *st, const coll_comb *c,
                         uint64_t *care) {
    const uint64_t seen = st->reset_seen;
    const uint64_t id = wlk_mask(wlk_idw(cfg->coll_entries));
    care[0] = 0;
    COLL_PUT(readReq_ready, care, seen | c->free_now);
    COLL_PUT(readResp_valid, care, seen);
    COLL_PUT(readResp_bits_collEntry, care, seen * id);
    COLL_PUT(readResp_bits_regs_enable, care, seen * 7u);
    COLL_PUT(writeReq_ready, care, 1u);
    COLL_PUT(writeResp_valid, care, st->writeResp_known);
    COLL_PUT(writeResp_bits_collEntry, care, id);
    COLL_PUT(writeResp_bits_regs_enable, care, 1u);
    COLL_PUT(readData_resp_valid, care, seen);
    COLL_PUT(readData_resp_bits_enable, care, 7u);
    if (coll_is_hiding(st)) {
        const uint64_t response = (st->late_flops & COLL_KNOWS_RESPONSE) != 0;
        COLL_PUT(readReq_ready, care, coll_ready_known(cfg, st, c));
        COLL_PUT(readResp_valid, care, response);
        COLL_PUT(readResp_bits_regs_enable, care, response * 7u);
        COLL_PUT(readResp_bits_collEntry, care, st->late_flops & COLL_KNOWS_ID ? id : 0u);
        COLL_PUT(readData_resp_valid, care, st->late_entries >> c->read_entry & 1u);
    }
}

PRF_INLINE void fill_words(const coll_cfg *cfg, const coll_state *st, const coll_comb *c,
                           uint64_t *out, uint64_t *care, uint32_t words) {
    control_care(cfg, st, c, care);
    out[0] = c->control[0] & care[0];
    for (uint32_t i = 0; i < COLL_OPERANDS; i++) {
        const bool live = (st->reset_seen | st->late) != 0;
        const uint64_t known = live ? st->bank_known[coll_bank_row(i, c->read_entry)] : 0u;
        const uint32_t at = WLK_COLLECTOR_OUT_CONTROL + i * words;
        prf_fill(coll_bank_at(st, i, c->read_entry, prf_stride_of(words)), known, cfg->num_lanes,
                 cfg->lane_bits, out + at, care + at, words);
    }
}

// Rows of the usual shape are whole vectors.
PRF_INLINE bool is_usual(const coll_cfg *cfg) {
    return cfg->num_lanes == 16 && cfg->lane_bits == 32;
}

PRF_INLINE void fill(const coll_cfg *cfg, const coll_state *st, const coll_comb *c, uint64_t *out,
                     uint64_t *care) {
    if (is_usual(cfg)) {
        fill_words(cfg, st, c, out, care, 8u);
    } else {
        fill_words(cfg, st, c, out, care, coll_words(cfg));
    }
}

#include "settled.h"

PRF_INLINE void compute(const coll_cfg *cfg, const coll_state *st, const uint64_t *in,
                        coll_comb *c) {
    coll_cycle(cfg, st, in, c);
}

PRF_INLINE void commit_plain(const coll_cfg *cfg, coll_state *st, const uint64_t *in,
                             const coll_comb *c) {
    const uint64_t *data = in + WLK_COLLECTOR_IN_CONTROL;
    if (is_usual(cfg)) {
        coll_commit(cfg, st, c, data, 8u, 32u);
    } else {
        coll_commit(cfg, st, c, data, coll_words(cfg), cfg->lane_bits);
    }
}

static __attribute__((noinline)) void commit_late(const coll_cfg *cfg, coll_state *st,
                                                  const uint64_t *in, const coll_comb *c) {
    const coll_landing landing = coll_lands(cfg, st);
    const uint32_t flops = st->late_flops;
    coll_before_late(st, c);
    commit_plain(cfg, st, in, c);
    coll_after_late(cfg, st, c, &landing, flops);
}

PRF_INLINE void commit(const coll_cfg *cfg, coll_state *st, const uint64_t *in,
                       const coll_comb *c) {
    if (st->late) {
        commit_late(cfg, st, in, c);
    } else {
        commit_plain(cfg, st, in, c);
    }
    settle(cfg, st);
}

#include "cover.h"

#define VIOLATIONS violations
#include "frame/calls.h"

static void clear(const uint32_t *params, void *state) {
    const coll_cfg *cfg = (const coll_cfg *)params;
    coll_state *st = (coll_state *)state;
    coll_reset(cfg, st, prf_stride_of(coll_words(cfg)));
    settle(cfg, st);
}

static size_t state_size(const uint32_t *params) {
    const coll_cfg *cfg = (const coll_cfg *)params;
    const size_t rows = (size_t)COLL_RF_FIRST + cfg->num_pregs + 1u;
    return offsetof(coll_state, rows) + rows * prf_stride_of(coll_words(cfg)) * sizeof(uint64_t);
}

static void init(const uint32_t *params, void *state, wlk_power_up power_up) {
    const coll_cfg *cfg = (const coll_cfg *)params;
    coll_state *st = (coll_state *)state;
    memset(st, 0, state_size(params));
    st->free_entries = coll_all_entries(cfg);
    st->rf_known[0] = ~UINT64_C(0); // register 0 is hardwired zero
    if (power_up == WLK_POWER_ZERO) {
        st->reset_seen = 1;
        st->writeResp_known = 1;
        memset(st->bank_known, 0xff, sizeof st->bank_known);
        memset(st->rf_known, 0xff, sizeof(uint64_t) * cfg->num_pregs);
        settle(cfg, st);
    }
}

static void forget(const uint32_t *params, void *state, const uint64_t *in, const uint64_t *x) {
    const coll_cfg *cfg = (const coll_cfg *)params;
    const uint32_t preg = COLL_GET(writeReq_bits_regs_pReg, in);
    if (COLL_GET(writeReq_valid, in) && COLL_GET(writeReq_bits_regs_enable, in) && preg != 0) {
        const uint64_t lanes =
            prf_unknown(x + WLK_COLLECTOR_IN_CONTROL, COLL_GET(writeReq_bits_regs_tmask, in),
                        cfg->num_lanes, cfg->lane_bits);
        coll_state *st = (coll_state *)state;
        st->rf_known[preg] &= ~lanes;
        coll_forget_copies(st, preg, lanes);
        unsettle(cfg, st, preg);
    }
}

static bool drained(const uint32_t *params, const void *state) {
    const coll_state *st = (const coll_state *)state;
    return st->free_entries == coll_all_entries((const coll_cfg *)params) && !st->readRespValid;
}

// ---- a start without the reset ----------------------------------------------------------------

static void late(const uint32_t *params, void *state) {
    init(params, state, WLK_POWER_UNKNOWN);
    coll_late((const coll_cfg *)params, (coll_state *)state);
}

#define OUT_GET(field, words) wlk_collector_out_get_##field(words)

// The flops of the response, which show.
static void learn_response(const coll_cfg *cfg, coll_state *st, const wlk_sight *seen) {
    const uint64_t *out = seen->out, *known = seen->out_known;
    const uint32_t id = (uint32_t)wlk_mask(wlk_idw(cfg->coll_entries));
    if (OUT_GET(readResp_bits_collEntry, known) == id && !(st->late_flops & COLL_KNOWS_ID)) {
        st->nextAllocId = (uint8_t)OUT_GET(readResp_bits_collEntry, out);
        st->late_flops |= COLL_KNOWS_ID;
    }
    if (OUT_GET(readResp_valid, known) && OUT_GET(readResp_bits_regs_enable, known) == 7 &&
        (st->late_flops & (COLL_KNOWS_ID | COLL_KNOWS_RESPONSE)) == COLL_KNOWS_ID) {
        st->readRespValid = (uint8_t)OUT_GET(readResp_valid, out);
        st->nextEn = (uint8_t)OUT_GET(readResp_bits_regs_enable, out);
        st->late_flops |= COLL_KNOWS_RESPONSE;
    }
    if ((st->late_flops & (COLL_KNOWS_ID | COLL_KNOWS_RESPONSE)) ==
            (COLL_KNOWS_ID | COLL_KNOWS_RESPONSE) &&
        st->readRespValid && st->nextAllocId < cfg->coll_entries) {
        coll_learn_entry(st, st->nextAllocId, 1); // taken at the edge before
    }
    if (!st->writeResp_known && OUT_GET(writeResp_valid, known)) {
        st->writeRespValid = (uint8_t)OUT_GET(writeResp_valid, out);
        st->writeResp_known = 1;
    }
}

// Which entries are taken, and whether a request is.
static void learn_entries(const coll_cfg *cfg, coll_state *st, const wlk_sight *seen) {
    const uint32_t id = (uint32_t)wlk_mask(wlk_idw(cfg->coll_entries));
    coll_comb c;
    coll_cycle(cfg, st, seen->in, &c);
    if (OUT_GET(readData_resp_valid, seen->out_known)) {
        coll_learn_entry(st, c.read_entry, OUT_GET(readData_resp_valid, seen->out));
    }
    uint32_t answered = coll_ready_known(cfg, st, &c);
    if (!answered && OUT_GET(readReq_ready, seen->out_known)) {
        for (uint32_t e = 0; !OUT_GET(readReq_ready, seen->out) && e < cfg->coll_entries; e++) {
            coll_learn_entry(st, e, 1);
        }
        answered = 1;
    }
    // A free entry is known here as what counts as free, so `request` is right from now on.
    coll_cycle(cfg, st, seen->in, &c);
    const bool takes = c.request && !c.free_now;
    if (answered && takes && OUT_GET(readResp_bits_collEntry, seen->next_known) == id && !c.reset) {
        coll_learn_lowest(cfg, st, OUT_GET(readResp_bits_collEntry, seen->next));
    }
    const uint32_t lowest = UINT32_C(1) << set_lowest(st->free_entries | UINT32_C(1) << 31);
    const uint32_t below = st->late_entries & (lowest | (lowest - 1u));
    const bool where = !takes || below == (lowest | (lowest - 1u));
    st->late_flops &= (uint8_t)~COLL_KNOWS_REQUEST;
    st->late_flops |= answered && where ? COLL_KNOWS_REQUEST : 0;
}

static void learn(const uint32_t *params, void *state, const wlk_sight *seen) {
    const coll_cfg *cfg = (const coll_cfg *)params;
    coll_state *st = (coll_state *)state;
    const uint32_t words = coll_words(cfg);
    coll_comb c;
    if (!st->late) {
        return;
    }
    if (coll_is_hiding(st)) {
        learn_response(cfg, st, seen);
        learn_entries(cfg, st, seen);
    }
    coll_observe(cfg, st, seen->in, &c);
    for (uint32_t i = 0; i < COLL_OPERANDS; i++) {
        const uint32_t at = WLK_COLLECTOR_OUT_CONTROL + i * words;
        coll_learn_row(cfg, st, i, c.read_entry, seen->out + at, seen->out_known + at);
    }
}

static void visit_rows(const coll_cfg *cfg, const coll_state *st, wlk_state_visitor *visitor,
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

static void visit(const uint32_t *params, const void *state, wlk_state_visitor *visitor,
                  void *ctx) {
    const coll_cfg *cfg = (const coll_cfg *)params;
    const coll_state *st = (const coll_state *)state;
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
    visit_rows(cfg, st, visitor, ctx);
}

WLK_MODEL(.forget = forget, .drained = drained, .clear = clear, .visit = visit, .late = late,
          .learn = learn);

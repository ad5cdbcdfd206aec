// SPDX-License-Identifier: Apache-2.0
// The issue stage of the Muon document as a block: record words in and out around the rules of
// issue_x_*.h. Spec sections are those of muon-designs.
#include "warplock/issue_x.h"

#define MODEL      issue_x
#define MODEL_CAPS ISSUE_X
#include "frame/model.h"

#include "admit.h"
#include "collect.h"
#include "cycle.h"
#include "dispatch.h"
#include "edge.h"
#include "hazard_late.h"
#include "reservation_station_late.h"
#include "stage_counters.h"
#include "write.h"

_Static_assert((int)WLK_ISSUE_X_COLLECTOR_CACHING == CX_CACHING, "values of `collector`");
_Static_assert((int)WLK_ISSUE_X_FORWARDING_MUST == CX_MUST, "values of `forwarding`");
_Static_assert((int)WLK_ISSUE_X_COLL_ALLOC_ADMIT == IX_ADMIT, "values of `coll_alloc`");
_Static_assert((int)WLK_ISSUE_X_WAR_EPOCH == IX_EPOCH, "values of `war`");
_Static_assert((int)WLK_ISSUE_X_MAX_WB_BUFFER <= WLK_COLLECTOR_X_MORE, "rows for stored writes");

enum {
    PLAIN = WLK_ISSUE_X_OUT_GROUP, // control words before the group
    STAGE = WLK_ISSUE_X_OUT_ISSUE_BITS,
    COUNTERS = wlk_issue_x_out_word_perfDesign_prfReads,
};

typedef ix_cycle cycle_t;

// ---- configuration ----------------------------------------------------------------------------

static inline wlk_collector_x_cfg inner_collector(const cfg_t *cfg) {
    const wlk_collector_x_cfg c = {
        .num_lanes = cfg->num_lanes,
        .lane_bits = cfg->lane_bits,
        .num_pregs = cfg->num_pregs,
        .rs_entries = cfg->rs_entries,
        .collector = cfg->collector,
        .coll_banks = cfg->coll_banks,
        .coll_depth = cfg->coll_depth,
        .reg_banks = cfg->reg_banks,
        .issue_ports = cfg->issue_ports,
        .bank_map = cfg->bank_map,
        .forwarding = cfg->forwarding,
    };
    return c;
}

static inline ix_policy policy_of(const cfg_t *cfg) {
    const ix_policy p = {
        .warps = cfg->num_warps,
        .rows = cfg->rs_entries,
        .max_reads = cfg->max_pending_reads,
        .forward = cfg->forward_coll_issue,
        .in_order = cfg->in_order_per_warp,
        .alloc = cfg->coll_alloc,
        .by_age = cfg->alloc_order,
        .alloc_rows = cfg->alloc_rows,
        .broadcast = cfg->read_broadcast,
        .forwarding = cfg->forwarding,
        .war = cfg->war,
        .counted = cfg->count_forwarded_reads,
        .window = cfg->ibuf_window,
        .buffer = cfg->wb_buffer,
    };
    return p;
}

// Is it the stage that exists as RTL, in everything that decides what rules there are?
static inline bool is_rtl(const cfg_t *cfg) {
    return (cfg->collector | cfg->coll_alloc | cfg->alloc_order | cfg->read_broadcast |
            cfg->forwarding | cfg->war | cfg->wb_buffer | cfg->in_order_per_warp) == 0 &&
           (cfg->ibuf_window & cfg->issue_ports & cfg->alloc_rows & cfg->count_forwarded_reads &
            cfg->forward_coll_issue) == 1;
}

// Is the state known, but for what no reset reaches? A late start knows it before all of it is.
static inline uint32_t is_defined(const state_t *st) {
    return st->hazard.reset_seen | st->reservStation.rows_known;
}

// ---- a cycle ----------------------------------------------------------------------------------

IX_INLINE void begin(const uint64_t *in, cycle_t *c) {
    memset(&c->cxi, 0, sizeof c->cxi);
    c->in = in;
    c->reset = c->cxi.reset = GET(reset, in);
    c->clear = c->reset | GET(softReset, in);
    c->forwards = c->done_any = c->n_decrements = c->stored_at = 0;
    c->touches = 0;
    for (uint32_t i = 0; i < IX_OPERANDS; i++) {
        c->served[i] = c->rs.hit[i] = c->granted[i] = 0;
    }
}

// §8. `p` and `s` of the cycle are set; what is constant in them is folded.
IX_INLINE void run(const state_t *st, const uint64_t *in, cycle_t *c) {
    begin(in, c);
    ix_serve(st, c);
    ix_land(st, c);
    ix_dispatch(st, c);
    ix_collect(st, c);
    ix_admit(st, c);
    c->cx.write = c->cxi.commit & (uint32_t)(c->rd != 0);
}

static void compute(const cfg_t *cfg, const state_t *st, const uint64_t *in, cycle_t *c) {
    const wlk_collector_x_cfg inner = inner_collector(cfg);
    c->p = policy_of(cfg);
    c->s = cx_shape_of(&inner);
    run(st, in, c);
}

// ---- records ----------------------------------------------------------------------------------

static inline uint32_t elements(const cfg_t *cfg, const cx_shape *s) {
    const uint32_t heads = cfg->num_warps * wlk_max(1u, cfg->ibuf_window - 1u);
    return wlk_max(heads, s->ports > 1 ? s->ports : 0u);
}

static inline uint32_t control_words(const cfg_t *cfg, const cx_shape *s) {
    return PLAIN + elements(cfg, s) * WLK_ISSUE_X_OUT_STRIDE;
}

static inline uint32_t in_control(const cfg_t *cfg) {
    const uint32_t heads = cfg->num_warps * wlk_max(1u, cfg->ibuf_window - 1u);
    return WLK_ISSUE_X_IN_GROUP + heads * WLK_ISSUE_X_IN_STRIDE;
}

// Control words ahead of the group, of one issue port.
IX_INLINE void plain_outputs(const state_t *st, const cycle_t *c, uint64_t *out) {
    const uint32_t admitted = c->hz.fires << c->hz.choice;
    const bool head = c->hz.any != 0 && c->pick[c->hz.choice] == 0;
    memset(out, 0, PLAIN * sizeof *out);
    PUT(ibuf_ready, out, (uint64_t)(head ? admitted : 0u));
    PUT(writeback_ready, out, (uint64_t)c->wb_ready);
    PUT(perfRS_cyclesDispatched, out, st->reservStation.cyclesDispatched);
    PUT(perfRS_cyclesEligible, out, st->reservStation.cyclesEligible);
    PUT(perfRS_accRsOccupancy, out, st->reservStation.accRsOccupancy);
    memcpy(out + COUNTERS, st->counters, sizeof st->counters);
    if (c->s.ports == 1) {
        PUT(issue_valid, out, (uint64_t)st->stage[0].full);
        PUT(issue_bits_uop_fuSel, out, (uint64_t)st->stage[0].unit);
        memcpy(out + STAGE, st->stage[0].words, WLK_ENTRY_WORDS * sizeof(uint64_t));
    }
}

static void port_outputs(const state_t *st, const cx_shape *s, uint64_t *out) {
    uint64_t valid = 0, units = 0;
    for (uint32_t p = 0; p < s->ports && s->ports > 1; p++) {
        const wlk_issue_x_stage *stage = &st->stage[p];
        uint64_t *element = wlk_issue_x_out_element_mut(out, p);
        valid |= (uint64_t)stage->full << p;
        units |= (uint64_t)stage->unit << 4u * p;
        memcpy(element + WLK_ISSUE_X_OUT_ISSUEPORT_BITS, stage->words,
               WLK_ENTRY_WORDS * sizeof(uint64_t));
    }
    PUT(issuePort_valid, out, valid);
    PUT(issuePort_bits_uop_fuSel, out, units);
}

static void group_outputs(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out) {
    const uint32_t at = c->pick[c->hz.choice];
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        uint64_t *e = wlk_issue_x_out_element_mut(out, w);
        const uint64_t *rs = st->reservStation.perWarp[w], *hz = st->hazard.perf[w];
        PUT(perfRS_perWarp_cyclesDispatched, e, rs[WLK_ISSUE_X_RS_DISPATCHED]);
        PUT(perfRS_perWarp_cyclesEligible, e, rs[WLK_ISSUE_X_RS_ELIGIBLE]);
        PUT(perfRS_perWarp_stallsRSFull, e, rs[WLK_ISSUE_X_RS_FULL]);
        PUT(perfHazard_stallsWAW, e, hz[WLK_ISSUE_X_HAZARD_WAW]);
        PUT(perfHazard_stallsWAR, e, hz[WLK_ISSUE_X_HAZARD_WAR]);
        PUT(perfHazard_stallsScoreboard, e, hz[WLK_ISSUE_X_HAZARD_SCOREBOARD]);
        PUT(perfDesign_perWarp_stallsHold, e, st->stalls[w][WLK_ISSUE_X_HOLD]);
        PUT(perfDesign_perWarp_stallsRoom, e, st->stalls[w][WLK_ISSUE_X_ROOM]);
    }
    if (c->hz.fires && at > 0) {
        const uint32_t element = c->hz.choice + cfg->num_warps * (at - 1u);
        PUT(ibuf_window_ready, wlk_issue_x_out_element_mut(out, element), UINT64_C(1));
    }
    port_outputs(st, &c->s, out);
}

static void hide_stage(const state_t *st, const cx_shape *s, uint64_t *care) {
    for (uint32_t p = 0; p < s->ports; p++) {
        uint64_t *words =
            s->ports > 1 ? wlk_issue_x_out_element_mut(care, p) + WLK_ISSUE_X_OUT_ISSUEPORT_BITS
                         : care + STAGE;
        if (!st->stage[p].known) {
            memset(words, 0, WLK_ENTRY_WORDS * sizeof *words);
            wlk_issue_x_out_set_issue_bits_uop_fuSel(care, 0);
            care[wlk_issue_x_out_word_issuePort_bits_uop_fuSel] &=
                ~(UINT64_C(15) << (wlk_issue_x_out_lsb_issuePort_bits_uop_fuSel + 4u * p));
        }
    }
}

// Row of the collector that an issue port shows for an operand.
IX_INLINE uint32_t shown_row(const cycle_t *c, uint32_t port, uint32_t i) {
    const uint32_t place =
        c->s.collector == CX_CACHING ? c->cxi.data_slot[i] : c->cxi.data_entry[port];
    return cx_row(&c->s, place, i);
}

static void fill_operands(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out,
                          uint64_t *care) {
    const uint32_t words = c->s.words;
    for (uint32_t n = 0; n < IX_OPERANDS * c->s.ports; n++, out += words, care += words) {
        const uint32_t port = n / IX_OPERANDS, i = n % IX_OPERANDS;
        if (c->data_enables[port] >> i & 1u) {
            const uint32_t row = shown_row(c, port, i);
            prf_fill(st->collector.rows + (size_t)row * c->s.stride, st->collector.known[row],
                     cfg->num_lanes, cfg->lane_bits, out, care, words);
        }
    }
}

static void hide_late(const state_t *st, const cycle_t *c, uint64_t *care);

// Whole output record of the cycle. An unknown bit is 0 with care 0.
static void fill(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out,
                 uint64_t *care) {
    const uint32_t words = wlk_issue_x_out_words(cfg), control = control_words(cfg, &c->s);
    memset(out, 0, words * sizeof *out);
    if (!is_defined(st)) {
        memset(care, 0, words * sizeof *care);
        return;
    }
    wlk_issue_x_out_mask(cfg, care);
    if (st->late.on) {
        hide_late(st, c, care);
    }
    plain_outputs(st, c, out);
    group_outputs(cfg, st, c, out);
    hide_stage(st, &c->s, care);
    for (uint32_t w = 0; w < control; w++) {
        out[w] &= care[w];
    }
    fill_operands(cfg, st, c, out + control, care + control);
}

static void commit_late(state_t *st, const cycle_t *c, const void *data);

static void commit(const cfg_t *cfg, state_t *st, const uint64_t *in, const cycle_t *c) {
    if (st->late.on) {
        commit_late(st, c, in + in_control(cfg));
    } else {
        ix_commit(st, c, in + in_control(cfg));
    }
}

static uint32_t violations(const state_t *st, const cycle_t *c) {
    uint32_t broken = 0;
    (void)st;
    if (c->reset || c->s.collector != CX_INST_BANKED) {
        return 0;
    }
    for (uint32_t w = 0; w < c->p.warps; w++) {
        broken |= GET(ibuf_valid, c->in) >> w & (uint32_t)(ix_unit(c, w, 0) >= c->s.lanes);
        for (uint32_t at = 1; at < c->p.window; at++) {
            broken |= (uint32_t)(ix_is_there(c, w, at) && ix_unit(c, w, at) >= c->s.lanes);
        }
    }
    return (broken & 1u) * (uint32_t)WLK_ISSUE_X_FUSEL_OUT_OF_RANGE;
}

#include "cover.h"

#define LIVE(st)   ((st)->hazard.reset_seen)
#define VIOLATIONS violations
#include "frame/calls.h"

// ---- compare and commit -----------------------------------------------------------------------

// Nonzero when something that the ports show is unknown.
IX_INLINE uint64_t unknown(const state_t *st, const cycle_t *c, uint64_t lanes) {
    uint32_t flops = st->hazard.reset_seen & set_is_single(st->hazard.last);
    uint64_t missing = 0;
    for (uint32_t p = 0; p < c->s.ports; p++) {
        flops &= st->stage[p].known & set_is_single(st->stage[p].last);
        for (uint32_t i = 0; i < IX_OPERANDS; i++) {
            missing |= c->data_enables[p] >> i & 1u
                           ? ~st->collector.known[shown_row(c, p, i)] & lanes
                           : 0u;
        }
    }
    return missing | bit_not(flops);
}

IX_INLINE uint64_t operands_differ(const state_t *st, const cycle_t *c, const wlk_view *got,
                                   uint32_t words) {
    static const uint64_t zeros[WLK_COLLECTOR_X_ROW_WORDS] WLK_ALIGN64 = {0};
    prf_vec diff = {0};
    for (uint32_t n = 0; n < IX_OPERANDS * c->s.ports; n++) {
        const uint32_t port = n / IX_OPERANDS, i = n % IX_OPERANDS;
        const uint64_t *row = c->data_enables[port] >> i & 1u
                                  ? st->collector.rows + (size_t)shown_row(c, port, i) * c->s.stride
                                  : zeros;
        diff |= prf_differ(row, got->payload[n], words);
    }
    return prf_any(diff);
}

IX_INLINE uint64_t warps_differ(const cfg_t *cfg, const state_t *st, const uint64_t *got) {
    enum { FIRST = wlk_issue_x_out_word_perfRS_perWarp_cyclesDispatched };
    uint64_t differs = 0;
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        const uint64_t *e = wlk_issue_x_out_element(got, w) + FIRST + RS_COUNTERS + HZ_COUNTERS;
        differs |= (e[0] ^ st->stalls[w][0]) | (e[1] ^ st->stalls[w][1]);
    }
    return differs | stage_counters_differ(&st->reservStation, &st->hazard,
                                           wlk_issue_x_out_element(got, 0) + FIRST,
                                           WLK_ISSUE_X_OUT_STRIDE, cfg->num_warps);
}

// Every control word, where the group has more than counters.
static uint64_t control_differs(const cfg_t *cfg, const state_t *st, const cycle_t *c,
                                const uint64_t *got) {
    uint64_t out[PLAIN + WLK_ISSUE_X_MAX_NUM_WARPS * 15u * WLK_ISSUE_X_OUT_STRIDE];
    const uint32_t words = control_words(cfg, &c->s);
    uint64_t differs = 0;
    memset(out, 0, words * sizeof *out);
    plain_outputs(st, c, out);
    group_outputs(cfg, st, c, out);
    for (uint32_t w = 0; w < words; w++) {
        differs |= out[w] ^ got[w];
    }
    return differs;
}

// The same where it has counters only.
IX_INLINE uint64_t counters_differ(const cfg_t *cfg, const state_t *st, const cycle_t *c,
                                   const uint64_t *got) {
    uint64_t out[PLAIN], differs = warps_differ(cfg, st, got);
    plain_outputs(st, c, out);
    for (uint32_t w = 0; w < PLAIN; w++) {
        differs |= out[w] ^ got[w];
    }
    return differs;
}

IX_INLINE int step_cycle(const cfg_t *cfg, state_t *st, const wlk_view *in, const wlk_view *got,
                         wlk_step_info *info, cycle_t *c, bool simple) {
    run(st, in->control, c);
    uint64_t differs = simple ? counters_differ(cfg, st, c, got->control)
                              : control_differs(cfg, st, c, got->control);
    differs |= operands_differ(st, c, got, c->s.words);
    if (differs | unknown(st, c, wlk_mask(c->s.num_lanes)) | (got->mask != NULL) | st->late.on) {
        return 1;
    }
    info->violated = simple ? 0u : violations(st, c);
    ix_commit(st, c, in->payload[0]);
    return 0;
}

static __attribute__((noinline)) int step_rtl(const cfg_t *cfg, state_t *st, const wlk_view *in,
                                              const wlk_view *got, wlk_step_info *info,
                                              uint32_t lanes, uint32_t lane_bits) {
    const wlk_collector_x_cfg inner = inner_collector(cfg);
    cycle_t c;
    c.p = policy_of(cfg);
    c.p.forward = c.p.alloc_rows = c.p.counted = c.p.window = 1;
    c.p.in_order = c.p.alloc = c.p.by_age = c.p.broadcast = 0;
    c.p.forwarding = c.p.war = c.p.buffer = 0;
    c.s = cx_shape_of(&inner);
    c.s.collector = CX_DUPLICATED;
    c.s.groups = c.s.ports = 1;
    c.s.lanes = IX_OPERANDS;
    c.s.num_lanes = lanes;
    c.s.lane_bits = lane_bits;
    c.s.words = prf_words_of(lanes, lane_bits);
    c.s.stride = prf_stride_of(c.s.words);
    return step_cycle(cfg, st, in, got, info, &c, true);
}

static __attribute__((noinline)) int step_any(const cfg_t *cfg, state_t *st, const wlk_view *in,
                                              const wlk_view *got, wlk_step_info *info) {
    const wlk_collector_x_cfg inner = inner_collector(cfg);
    cycle_t c;
    c.p = policy_of(cfg);
    c.s = cx_shape_of(&inner);
    return step_cycle(cfg, st, in, got, info, &c, false);
}

static int step(const uint32_t *params, void *state, const wlk_view *in, const wlk_view *got,
                wlk_step_info *info) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    if (is_rtl(cfg) && cfg->num_lanes == 16 && cfg->lane_bits == 32) {
        return step_rtl(cfg, st, in, got, info, 16u, 32u);
    }
    return step_any(cfg, st, in, got, info);
}

// ---- what power-up leaves open ----------------------------------------------------------------

// Open choices of the admission's arbiter, then of each port's.
static void open_choices(const state_t *st, const cycle_t *c, uint32_t *ways) {
    ways[0] = arbiter_outcomes(c->hz.candidates, st->hazard.last, c->p.warps);
    for (uint32_t p = 0; p < c->s.ports; p++) {
        ways[1u + p] = c->dispatches >> p & 1u
                           ? arbiter_outcomes(c->candidates[p], st->stage[p].last, c->p.rows)
                           : 1u;
    }
}

static uint32_t choices(const state_t *st, const cycle_t *c) {
    uint32_t ways[1u + IX_PORTS], all = 1;
    open_choices(st, c, ways);
    for (uint32_t n = 0; n <= c->s.ports; n++) {
        all *= ways[n];
    }
    return all;
}

static void assume_choices(const cfg_t *cfg, state_t *st, const cycle_t *c, uint32_t k) {
    uint32_t ways[1u + IX_PORTS];
    open_choices(st, c, ways);
    st->hazard.last =
        arbiter_assume(c->hz.candidates, st->hazard.last, cfg->num_warps, k % ways[0]);
    k /= ways[0];
    for (uint32_t p = 0; p < c->s.ports; k /= ways[1u + p], p++) {
        if (ways[1u + p] > 1) {
            st->stage[p].last = arbiter_assume(c->candidates[p], st->stage[p].last, cfg->rs_entries,
                                               k % ways[1u + p]);
        }
    }
}

static uint32_t open_sources(const state_t *st, const cycle_t *c);
static void assume_sources(state_t *st, const cycle_t *c, uint32_t k);

// What a caching collector finds decides who may be admitted, and that whose sources are read.
static uint32_t outcomes(const uint32_t *params, const void *state, const uint64_t *in) {
    const cfg_t *cfg = (const cfg_t *)params;
    const state_t *st = (const state_t *)state;
    uint32_t known = set_is_single(st->hazard.last) & bit_not(st->hazard.late | st->late.slots);
    cycle_t c;
    for (uint32_t p = 0; p < cfg->issue_ports; p++) {
        known &= set_is_single(st->stage[p].last);
    }
    if (!is_defined(st) || known) {
        return 1u;
    }
    compute(cfg, st, in, &c);
    const uint32_t finds = ix_find_ways(st, &c), all = choices(st, &c);
    return finds > 1 ? finds : all > 1 ? all : UINT32_C(1) << set_size(open_sources(st, &c));
}

static void assume(const uint32_t *params, void *state, const uint64_t *in, uint32_t k) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    cycle_t c;
    compute(cfg, st, in, &c);
    if (ix_find_ways(st, &c) > 1) {
        ix_assume_finds(st, &c, k);
    } else if (choices(st, &c) > 1) {
        assume_choices(cfg, st, &c, k);
    } else {
        assume_sources(st, &c, k);
    }
}

// ---- power-up, end, reports --------------------------------------------------------------------

static size_t state_size(const uint32_t *params) {
    const cfg_t *cfg = (const cfg_t *)params;
    const wlk_collector_x_cfg inner = inner_collector(cfg);
    const cx_shape s = cx_shape_of(&inner);
    return offsetof(state_t, collector) + wlk_collector_x_state_size(&inner) +
           (size_t)cfg->wb_buffer * s.stride * sizeof(uint64_t);
}

static void init(const uint32_t *params, void *state, wlk_power_up power_up) {
    const cfg_t *cfg = (const cfg_t *)params;
    const wlk_collector_x_cfg inner = inner_collector(cfg);
    state_t *st = (state_t *)state;
    memset(st, 0, state_size(params));
    wlk_collector_x_init(&inner, &st->collector, power_up);
    memset(st->rows_free, 0xff, sizeof st->rows_free);
    st->hazard.reset_seen = st->reservStation.reset_seen = power_up == WLK_POWER_ZERO;
    st->hazard.last = power_up == WLK_POWER_ZERO ? 1u : arbiter_unknown(cfg->num_warps);
    for (uint32_t p = 0; p < IX_PORTS; p++) {
        st->stage[p].known = power_up == WLK_POWER_ZERO;
        st->stage[p].last = power_up == WLK_POWER_ZERO ? 1u : arbiter_unknown(cfg->rs_entries);
    }
}

static void reset_late(state_t *st);

static void clear(const uint32_t *params, void *state) {
    const wlk_collector_x_cfg inner = inner_collector((const cfg_t *)params);
    state_t *st = (state_t *)state;
    wlk_collector_x_block.clear((const uint32_t *)&inner, &st->collector);
    memset(st->counters, 0, sizeof st->counters);
    memset(st->stalls, 0, sizeof st->stalls);
    hz_reset(&st->hazard);
    ix_reset(st);
    if (st->late.on) {
        reset_late(st);
    }
}

// What the last edge stored from the payload, where that was unknown.
static void forget(const uint32_t *params, void *state, const uint64_t *in, const uint64_t *x) {
    const cfg_t *cfg = (const cfg_t *)params;
    const wlk_collector_x_cfg inner = inner_collector(cfg);
    const cx_shape s = cx_shape_of(&inner);
    state_t *st = (state_t *)state;
    const uint64_t unknown_lanes = prf_unknown(x + in_control(cfg), GET(writeback_bits_tmask, in),
                                               cfg->num_lanes, cfg->lane_bits);
    for (uint32_t n = 0; n < st->n_from_payload; n++) {
        const uint32_t row = st->from_payload[n], first = cx_register_row(&s, 0);
        st->collector.known[row] &= ~unknown_lanes;
        if (st->late.on && row >= first && row < cx_rows(&s)) {
            cx_forget_late(&st->collector, &s, row - first, unknown_lanes);
        }
    }
}

static bool drained(const uint32_t *params, const void *state) {
    const cfg_t *cfg = (const cfg_t *)params;
    const wlk_collector_x_cfg inner = inner_collector(cfg);
    const state_t *st = (const state_t *)state;
    uint64_t busy = st->reservStation.valid | st->n_writes;
    for (uint32_t p = 0; p < IX_PORTS; p++) {
        busy |= st->stage[p].full;
    }
    for (size_t n = 0; n < sizeof st->scoreboard.pendingReads; n++) {
        busy |= st->scoreboard.pendingReads[n];
    }
    for (uint32_t n = 0; n < WLK_ISSUE_X_MAX_NUM_PREGS; n++) {
        busy |= st->scoreboard.pendingWrites[n];
    }
    return busy == 0 && wlk_collector_x_block.drained((const uint32_t *)&inner, &st->collector);
}

#include "late.h"
#include "visit.h"

WLK_MODEL(.outcomes = outcomes, .assume = assume, .forget = forget, .drained = drained,
          .clear = clear, .visit = visit, .late = late, .learn = learn);

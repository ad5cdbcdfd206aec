// SPDX-License-Identifier: Apache-2.0
// An operand collector of Vortex as a block: record words in and out around opc_rules.h.
#include "warplock/vortex_opc_unit.h"
#include "warplock/vortex_scoreboard_ports.h"

#define MODEL      vortex_opc_unit
#define MODEL_CAPS VORTEX_OPC_UNIT
#include "frame/model.h"

#include "vortex/opc_settled.h"

_Static_assert(CAPS(OUT_CONTROL) == WLK_VX_PACKET_WORDS, "a packet has the record's control words");

typedef struct cycle {
    const shape *s;
    const uint64_t *in;
    opc_cycle_t o;
    wlk_vx_packet merged; // what goes into the output buffer, where that is wires
} cycle_t;

static inline void compute(const cfg_t *cfg, const state_t *st, const uint64_t *in, cycle_t *c) {
    c->s = &st->shape;
    c->in = in;
    c->o.reset = GET(reset, in);
    c->o.valid = GET(sb_valid, in);
    opc_cycle(c->s, &st->opc, cfg->out_buf, in + CAPS(IN_SB_DATA), GET(op_ready, in), &c->o);
    if (cfg->out_buf == VX_WIRES) {
        opc_merge(c->s, &st->opc, st->reset_seen, &c->merged);
    }
}

static inline const wlk_vx_packet *shown(const cfg_t *cfg, const state_t *st, const cycle_t *c) {
    return vx_buffer_shown(&st->opc.out, cfg->out_buf, &c->merged);
}

static inline void control(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out) {
    memcpy(out, shown(cfg, st, c)->head.meta, CAPS(OUT_CONTROL) * sizeof *out);
    PUT(sb_ready, out, opc_ready(&c->o));
    PUT(op_valid, out, vx_buffer_valid(&st->opc.out, cfg->out_buf, st->opc.stage[1].valid));
    PUT(perf_stalls, out, cfg->perf_enable != 0 ? st->opc.stalls : 0u);
}

static inline void edge_of(const cfg_t *cfg, state_t *st, const uint64_t *in, const void *data,
                           const cycle_t *c) {
    const ram r = ram_of(c->s, st->ram, 0, 1);
    opc_edge(cfg, c->s, &st->opc, cfg->out_buf, &r, st->reset_seen, in, data, GET(wb_valid, in),
             &c->o);
    st->reset_seen |= (uint8_t)c->o.reset;
}

static inline uint8_t settled(const cfg_t *cfg, const state_t *st) {
    const bool is = cfg->out_buf == VX_TWO_REGISTERED && opc_is_settled(&st->shape, &st->opc);
    return is && st->reset_seen != 0 ? settled_kind(cfg, &st->shape) : (uint8_t)UNSETTLED;
}

VX_INLINE uint64_t step_known(const cfg_t *cfg, state_t *st, const shape *s, const wlk_view *in,
                              const wlk_view *got) {
    const ram r = ram_of(s, st->ram, 0, 1);
    const uint64_t differs = opc_step(cfg, s, &st->opc, &r, st->opc.stalls, in, got);
    if (differs == 0 && GET(reset, in->control) != 0) {
        opc_reset_settled(&st->shape, &st->opc, r.rows);
    }
    return differs;
}

#include "cover.h"

#include "vortex/packet_calls.h"

static size_t state_size(const uint32_t *params) {
    const shape s = shape_of((const cfg_t *)params);
    return offsetof(state_t, ram) + ram_words(&s, 1) * sizeof(uint64_t);
}

static void init(const uint32_t *params, void *state, wlk_power_up power_up) {
    const shape s = shape_of((const cfg_t *)params);
    state_t *st = (state_t *)state;
    memset(st, 0, state_size(params));
    st->shape = s;
    const ram r = ram_of(&s, st->ram, 0, 1);
    st->reset_seen = power_up == WLK_POWER_ZERO;
    opc_power_up(&s, &st->opc, &r, power_up == WLK_POWER_ZERO);
    st->settled = settled((const cfg_t *)params, st);
}

static void forget(const uint32_t *params, void *state, const uint64_t *in, const uint64_t *x) {
    const shape s = shape_of((const cfg_t *)params);
    state_t *st = (state_t *)state;
    const ram r = ram_of(&s, st->ram, 0, 1);
    forget_written((const cfg_t *)params, &s, &st->opc, &r, in, x);
    st->settled = settled((const cfg_t *)params, st);
}

static void clear(const uint32_t *params, void *state) {
    const shape s = shape_of((const cfg_t *)params);
    state_t *st = (state_t *)state;
    const ram r = ram_of(&s, st->ram, 0, 1);
    opc_reset(&s, &st->opc, ((const cfg_t *)params)->out_buf, &r);
    st->reset_seen = 1;
    st->settled = settled((const cfg_t *)params, st);
}

#include "vortex/packet_late.h"

static void late(const uint32_t *params, void *state) {
    init(params, state, WLK_POWER_UNKNOWN);
    vx_late(&((state_t *)state)->late);
}

static void learn(const uint32_t *params, void *state, const wlk_sight *seen) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    uint64_t all[CAPS(OUT_CONTROL) + OPERANDS * WLK_VX_ROW_WORDS];
    const uint32_t pipes = vx_pipes(cfg->out_buf);
    const uint32_t shows = pipes != 0 ? VX_STAGE + pipes - 1u : (uint32_t)VX_SHOWN;
    if (st->opc.tracks && cfg->out_buf != VX_WIRES) {
        const ram r = ram_of(&st->shape, st->ram, 0, 1);
        vx_learn_operands(&st->shape, cfg->xlen, &st->opc.out.entry[shows], &r, seen);
    }
    if (!st->late.late || st->reset_seen) {
        return;
    }
    const uint32_t levels = cfg->out_buf > VX_TWO_REGISTERED ? pipes : 0u;
    NAMED(out_mask)(cfg, all);
    vx_watch_output(&st->late, seen);
    const bool counted =
        NAMED(out_get_perf_stalls)(seen->out_known) == NAMED(out_get_perf_stalls)(all);
    if (counted && vx_was_empty(&st->late, seen, 1, levels)) {
        vx_start(&st->opc);
        st->reset_seen = 1;
        vx_replay(cfg, st, levels);
        vx_lose_reads(&st->opc);
        st->opc.stalls = NAMED(out_get_perf_stalls)(seen->out);
        vx_learn_packet(&st->shape, &st->opc.out.entry[shows], seen, all);
    }
    vx_watch_input(&st->late, seen, 0);
}

static bool drained(const uint32_t *params, const void *state) {
    (void)params;
    return opc_is_empty(&((const state_t *)state)->opc);
}

static void visit(const uint32_t *params, const void *state, wlk_state_visitor *visitor,
                  void *ctx) {
    const shape s = shape_of((const cfg_t *)params);
    const state_t *st = (const state_t *)state;
    const ram r = ram_of(&s, (uint64_t *)st->ram, 0, 1);
    opc_visit(&s, &st->opc, st->reset_seen, -1, visitor, ctx);
    opc_visit_rows(&s, &r, visitor, ctx);
}

WLK_MODEL(.forget = forget, .drained = drained, .clear = clear, .visit = visit, .late = late,
          .learn = learn);

// SPDX-License-Identifier: Apache-2.0
// An operand collector of Vortex as a block: record words in and out around opc_rules.h.
#include "warplock/vortex_opc_unit.h"
#include "warplock/vortex_scoreboard_ports.h"

#define MODEL      vortex_opc_unit
#define MODEL_CAPS VORTEX_OPC_UNIT
#include "frame/model.h"

#include "opc_rules.h"

_Static_assert(CAPS(OUT_CONTROL) == WLK_VX_PACKET_WORDS, "a packet has the record's control words");

typedef struct cycle {
    const shape *s;
    opc_cycle_t o;
} cycle_t;

static inline void compute(const cfg_t *cfg, const state_t *st, const uint64_t *in, cycle_t *c) {
    c->s = &st->shape;
    c->o.reset = GET(reset, in);
    c->o.valid = GET(sb_valid, in);
    opc_cycle(c->s, &st->opc, st->reset_seen, cfg->out_buf, in + CAPS(IN_SB_DATA),
              GET(op_ready, in), &c->o);
}

static inline const wlk_vx_packet *shown(const cfg_t *cfg, const state_t *st, const cycle_t *c) {
    return vx_buffer_shown(&st->opc.out, cfg->out_buf, &c->o.merged);
}

static inline void control(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out) {
    memcpy(out, shown(cfg, st, c)->meta, CAPS(OUT_CONTROL) * sizeof *out);
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

#include "vortex_opc_unit_cover.h"

#define STALLS_KNOWN(cfg, st) 1u
#include "packet_calls.h"

static size_t state_size(const uint32_t *params) {
    const shape s = shape_of((const cfg_t *)params);
    return offsetof(state_t, ram) + ram_words(&s, 1) * sizeof(uint64_t);
}

static void init(const uint32_t *params, void *state, wlk_power_up power_up) {
    const shape s = shape_of((const cfg_t *)params);
    state_t *st = (state_t *)state;
    memset(st, 0, state_size(params));
    st->shape = s;
    if (power_up == WLK_POWER_ZERO) {
        const ram r = ram_of(&s, st->ram, 0, 1);
        st->reset_seen = 1;
        opc_known(&st->opc);
        opc_clear(&s, &r);
    }
}

static void forget(const uint32_t *params, void *state, const uint64_t *in, const uint64_t *x) {
    const shape s = shape_of((const cfg_t *)params);
    const ram r = ram_of(&s, ((state_t *)state)->ram, 0, 1);
    forget_written((const cfg_t *)params, &s, &r, in, x);
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

WLK_MODEL(.forget = forget, .drained = drained, .visit = visit);

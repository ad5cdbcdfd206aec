// SPDX-License-Identifier: Apache-2.0
// The operand collectors of an issue slice of Vortex: collectors by warp, one output. Spec:
// vortex-issue §7, §4.5, §4.6.
#include "warplock/vortex_operands.h"
#include "warplock/vortex_scoreboard_ports.h"

#define MODEL      vortex_operands
#define MODEL_CAPS VORTEX_OPERANDS
#include "frame/model.h"

#include "vortex/opc_settled.h"

_Static_assert(CAPS(OUT_CONTROL) == WLK_VX_PACKET_WORDS, "a packet has the record's control words");

enum { LAST = WLK_VX_SLICES, COLLECTOR_BUFFER = VX_TWO_REGISTERED };

// The register file of collector i: behind the collectors there are.
static inline ram ram_at(const cfg_t *cfg, const state_t *st, const shape *s, uint32_t i) {
    return ram_of(s, (uint64_t *)(st->opc + cfg->num_opcs), i, cfg->num_opcs);
}

// An arbiter's cycle; requests and winner as in its inputs.
typedef struct grant {
    uint32_t n, requests, winner, ready;
} grant;

typedef struct cycle {
    const shape *s;
    const uint64_t *in;
    uint32_t reset, n, slices; // no tree: no slices
    uint32_t sticky, code;     // of the output
    uint32_t chosen;           // collector of the instruction; may be none
    uint32_t op_ready;
    grant slice[WLK_VX_SLICES], last;
    opc_cycle_t o[WLK_VX_COLLECTORS];
} cycle_t;

// Of a warp; may be beyond the last one.
static inline uint32_t collector_of(const cfg_t *cfg, uint32_t wis) {
    return wis & (uint32_t)wlk_mask(wlk_clog2(cfg->num_opcs));
}

static inline grant arbitrate(const state_t *st, const cycle_t *c, uint32_t which,
                              uint32_t requests, uint32_t n, uint32_t ready) {
    const uint32_t owner = c->sticky != 0 ? st->owner[which] : 0u;
    const uint32_t winner = n > 1 ? vx_sticky(requests, owner, n) : 0u;
    return (grant){n, requests, winner, ready};
}

// Who may send, from what the collectors' buffers show; returns the ready that each sees.
static inline uint32_t arbitrate_all(const state_t *st, cycle_t *c) {
    const uint32_t ready = vx_buffer_ready(&st->out, c->code, c->op_ready);
    uint32_t requests = 0, granted = 0, valid = 0;
    for (uint32_t i = 0; i < c->n && i < WLK_VX_COLLECTORS; i++) {
        requests |= (uint32_t)st->opc[i].out.s.valid << i;
    }
    if (c->slices == 0) {
        c->last = arbitrate(st, c, LAST, requests, c->n, ready);
        return (uint32_t)(c->n == 1 || requests != 0) * ready << c->last.winner;
    }
    for (uint32_t i = 0; i < c->slices; i++) {
        const uint32_t first = i * FANOUT, n = slice_inputs(c->n, i);
        const uint32_t mine = requests >> first & set_below(n);
        c->slice[i] = arbitrate(st, c, i, mine, n, st->slice[i].s.ready);
        granted |= (uint32_t)(mine != 0) * c->slice[i].ready << (first + c->slice[i].winner);
        valid |= (uint32_t)st->slice[i].s.valid << i;
    }
    c->last = arbitrate(st, c, LAST, valid, c->slices, ready);
    return granted;
}

// Of the buffer behind all collectors.
static inline uint32_t last_code(const cfg_t *cfg) {
    return cfg->num_opcs > 1 ? (uint32_t)VX_TWO_REGISTERED : (uint32_t)VX_WIRES;
}

static inline void compute(const cfg_t *cfg, const state_t *st, const uint64_t *in, cycle_t *c) {
    c->s = &st->shape;
    c->in = in;
    c->n = cfg->num_opcs;
    c->slices = slices_of(c->n);
    c->sticky = c->n > 1 && c->s->packets > 1;
    c->code = last_code(cfg);
    c->reset = GET(reset, in);
    c->op_ready = GET(op_ready, in);
    c->chosen = collector_of(cfg, GET(sb_data_wis, in));
    const uint32_t granted = arbitrate_all(st, c);
    for (uint32_t i = 0; i < c->n; i++) {
        opc_cycle_t *o = &c->o[i];
        o->reset = c->reset;
        o->valid = GET(sb_valid, in) & (uint32_t)(c->chosen == i);
        opc_cycle(c->s, &st->opc[i], COLLECTOR_BUFFER, in + CAPS(IN_SB_DATA), granted >> i & 1u, o);
    }
}

// The packet that goes into the last buffer.
static inline const wlk_vx_packet *arriving(const state_t *st, const cycle_t *c) {
    return c->slices != 0 ? &st->slice[c->last.winner].entry[VX_SHOWN]
                          : &st->opc[c->last.winner].out.entry[VX_SHOWN];
}

static inline const wlk_vx_packet *shown(const cfg_t *cfg, const state_t *st, const cycle_t *c) {
    (void)cfg;
    return vx_buffer_shown(&st->out, c->code, arriving(st, c));
}

static inline uint32_t is_ready(const cycle_t *c) {
    return c->chosen < c->n ? opc_ready(&c->o[c->chosen]) : 0u; // none serves the warp (quirk)
}

static inline void control(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out) {
    memcpy(out, shown(cfg, st, c)->head.meta, CAPS(OUT_CONTROL) * sizeof *out);
    PUT(sb_ready, out, is_ready(c));
    PUT(op_valid, out, vx_buffer_valid(&st->out, c->code, c->last.requests != 0));
    PUT(perf_stalls, out, cfg->perf_enable != 0 ? st->stalls : 0u);
}

// ---- the clock edge -----------------------------------------------------------------------------

static inline void owner_edge(state_t *st, uint32_t which, const grant *g, uint32_t reset) {
    if (g->requests != 0 && g->ready != 0) {
        st->owner[which] = 1u << g->winner;
    }
    st->owner[which] = reset != 0 ? 0u : st->owner[which];
}

static inline void arbiters_edge(state_t *st, const cycle_t *c) {
    const uint32_t valid = c->last.requests != 0;
    const uint32_t taken = valid & c->last.ready;
    const wlk_vx_packet *packet = arriving(st, c);
    const bool more = NAMED(out_get_op_data_eop)(packet->head.meta) == 0;
    if (taken != 0) {
        st->in_packet = more ? c->last.winner + 1u : 0u;
    }
    st->in_packet = c->reset != 0 ? 0u : st->in_packet;
    vx_buffer_edge(&st->out, c->code, valid, packet, c->op_ready, c->reset, c->s->words);
    owner_edge(st, LAST, &c->last, c->reset);
    for (uint32_t i = 0; i < c->slices; i++) {
        const grant *g = &c->slice[i];
        const wlk_vx_packet *in = &st->opc[i * FANOUT + g->winner].out.entry[VX_SHOWN];
        const uint32_t granted = taken & (uint32_t)(c->last.winner == i);
        vx_buffer_edge(&st->slice[i], VX_TWO_REGISTERED, g->requests != 0, in, granted, c->reset,
                       c->s->words);
        owner_edge(st, i, g, c->reset);
    }
}

static inline void stalls_edge(const cfg_t *cfg, state_t *st, const cycle_t *c) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->n && cfg->perf_enable != 0; i++) {
        sum += st->opc[i].stalls;
    }
    st->stalls = c->reset != 0 ? 0u : sum & PERF_BITS;
}

static inline void edge_of(const cfg_t *cfg, state_t *st, const uint64_t *in, const void *data,
                           const cycle_t *c) {
    const shape *s = c->s;
    const uint32_t written = collector_of(cfg, GET(wb_data_wis, in));
    stalls_edge(cfg, st, c);
    arbiters_edge(st, c); // takes what the collectors show before the edge
    for (uint32_t i = 0; i < c->n; i++) {
        const ram r = ram_at(cfg, st, s, i);
        const uint32_t writes = GET(wb_valid, in) & (uint32_t)(written == i);
        opc_edge(cfg, s, &st->opc[i], COLLECTOR_BUFFER, &r, st->reset_seen, in, data, writes,
                 &c->o[i]);
    }
    if (st->late.late != 0 && GET(wb_valid, in) != 0) {
        const uint32_t row = written_row(s, in);
        vx_buffer_untrack(&st->out, row);
        vx_buffer_untrack(&st->slice[0], row);
        vx_buffer_untrack(&st->slice[1], row);
    }
    st->reset_seen |= (uint8_t)c->reset;
}

// ---- all of it known ----------------------------------------------------------------------------

static inline uint8_t settled(const cfg_t *cfg, const state_t *st) {
    const shape *s = &st->shape;
    bool known = st->reset_seen != 0;
    for (uint32_t i = 0; i < cfg->num_opcs && known; i++) {
        known = opc_is_settled(s, &st->opc[i]);
    }
    known = known && (cfg->num_opcs <= 1 || buffer_is_settled(s, &st->out));
    for (uint32_t i = 0; i < slices_of(cfg->num_opcs) && known; i++) {
        known = buffer_is_settled(s, &st->slice[i]);
    }
    return known ? settled_kind(cfg, s) : (uint8_t)UNSETTLED;
}

// The output register of one collector is that of the stage.
VX_INLINE uint64_t step_one(const cfg_t *cfg, state_t *st, const shape *s, const wlk_view *in,
                            const wlk_view *got) {
    const ram r = ram_at(cfg, st, s, 0);
    wlk_vx_collector *o = &st->opc[0];
    const uint32_t taken = o->out.s.valid & GET(op_ready, in->control);
    const uint32_t last = NAMED(out_get_op_data_eop)(o->out.entry[VX_SHOWN].head.meta);
    const uint64_t stalls = o->stalls;
    const uint64_t differs = opc_step(cfg, s, o, &r, st->stalls, in, got);
    if (differs != 0) {
        return differs;
    }
    st->stalls = cfg->perf_enable != 0 ? stalls : st->stalls;
    st->owner[LAST] |= taken;
    if (s->packets > 1) { // else the only one of an instruction ends it
        st->in_packet = taken != 0 ? bit_not(last) : st->in_packet;
    }
    if (GET(reset, in->control) != 0) {
        opc_reset_settled(&st->shape, o, r.rows);
        st->owner[LAST] = st->in_packet = 0;
        st->stalls = 0;
    }
    return 0;
}

VX_INLINE uint64_t step_several(const cfg_t *cfg, state_t *st, const shape *s, const wlk_view *in,
                                const wlk_view *got) {
    const uint64_t *words = in->control;
    const uint32_t written = collector_of(cfg, GET(wb_data_wis, words));
    uint64_t rest = cfg->perf_enable != 0 ? st->stalls : 0u;
    cycle_t c;
    compute(cfg, st, words, &c);
    PUT(sb_ready, &rest, is_ready(&c));
    PUT(op_valid, &rest, vx_buffer_valid(&st->out, c.code, c.last.requests != 0));
    const uint64_t differs = packet_differs(s, shown(cfg, st, &c), rest, got);
    if (differs != 0) {
        return differs;
    }
    stalls_edge(cfg, st, &c);
    arbiters_edge(st, &c);
    for (uint32_t i = 0; i < c.n; i++) {
        const ram r = ram_at(cfg, st, s, i);
        opc_edge_settled(cfg, s, &st->opc[i], &r, in, written == i, &c.o[i]);
        if (c.reset != 0) {
            opc_reset_settled(&st->shape, &st->opc[i], r.rows);
        }
    }
    return 0;
}

VX_INLINE uint64_t step_known(const cfg_t *cfg, state_t *st, const shape *s, const wlk_view *in,
                              const wlk_view *got) {
    return cfg->num_opcs <= 1 ? step_one(cfg, st, s, in, got) : step_several(cfg, st, s, in, got);
}

#include "cover.h"

#include "vortex/packet_calls.h"

static size_t state_size(const uint32_t *params) {
    const cfg_t *cfg = (const cfg_t *)params;
    const shape s = shape_of(cfg);
    return offsetof(state_t, opc) + cfg->num_opcs * sizeof(wlk_vx_collector) +
           ram_words(&s, cfg->num_opcs) * sizeof(uint64_t);
}

static void init(const uint32_t *params, void *state, wlk_power_up power_up) {
    const cfg_t *cfg = (const cfg_t *)params;
    const shape s = shape_of(cfg);
    state_t *st = (state_t *)state;
    memset(st, 0, state_size(params));
    st->shape = s;
    for (uint32_t i = 0; i < cfg->num_opcs; i++) {
        const ram r = ram_at(cfg, st, &s, i);
        opc_power_up(&s, &st->opc[i], &r, power_up == WLK_POWER_ZERO);
    }
    if (power_up != WLK_POWER_ZERO) {
        return;
    }
    st->reset_seen = 1;
    vx_buffer_known(&st->out);
    for (uint32_t i = 0; i < WLK_VX_SLICES; i++) {
        vx_buffer_known(&st->slice[i]);
    }
    st->settled = settled(cfg, st);
}

static void forget(const uint32_t *params, void *state, const uint64_t *in, const uint64_t *x) {
    const cfg_t *cfg = (const cfg_t *)params;
    const shape s = shape_of(cfg);
    const uint32_t i = collector_of(cfg, GET(wb_data_wis, in));
    if (i < cfg->num_opcs) {
        state_t *st = (state_t *)state;
        const ram r = ram_at(cfg, st, &s, i);
        forget_written(cfg, &s, &st->opc[i], &r, in, x);
        st->settled = settled(cfg, st);
    }
}

static void clear(const uint32_t *params, void *state) {
    const cfg_t *cfg = (const cfg_t *)params;
    const shape s = shape_of(cfg);
    state_t *st = (state_t *)state;
    for (uint32_t i = 0; i < cfg->num_opcs; i++) {
        const ram r = ram_at(cfg, st, &s, i);
        opc_reset(&s, &st->opc[i], COLLECTOR_BUFFER, &r);
    }
    vx_buffer_reset(&st->out, last_code(cfg));
    for (uint32_t i = 0; i < slices_of(cfg->num_opcs); i++) {
        vx_buffer_reset(&st->slice[i], VX_TWO_REGISTERED);
    }
    memset(st->owner, 0, sizeof st->owner);
    st->in_packet = 0;
    st->stalls = 0;
    st->reset_seen = 1;
    st->settled = settled(cfg, st);
}

#include "vortex/packet_late.h"

// The output register.
static wlk_vx_packet *shown_packet(const cfg_t *cfg, state_t *st) {
    return cfg->num_opcs > 1 ? &st->out.entry[VX_SHOWN] : &st->opc[0].out.entry[VX_SHOWN];
}

static void late(const uint32_t *params, void *state) {
    init(params, state, WLK_POWER_UNKNOWN);
    vx_late(&((state_t *)state)->late);
}

// All collectors were empty. Whose packet was the last one decides who is granted next.
static void start(const cfg_t *cfg, state_t *st, const wlk_sight *seen, const uint64_t *all,
                  uint32_t levels) {
    for (uint32_t i = 0; i < cfg->num_opcs; i++) {
        vx_start(&st->opc[i]);
    }
    memset(st->slice, 0, sizeof st->slice);
    memset(&st->out, 0, sizeof st->out);
    st->slice[0].s.ready = st->slice[1].s.ready = st->out.s.ready = 1;
    st->in_packet = 0;
    st->owner[LAST] = st->late.owner;
    st->reset_seen = 1;
    vx_replay(cfg, st, levels);
    for (uint32_t i = 0; i < cfg->num_opcs; i++) {
        vx_lose_reads(&st->opc[i]);
        st->opc[i].stalls = 0;
    }
    st->stalls = NAMED(out_get_perf_stalls)(seen->out);
    st->opc[0].stalls = NAMED(out_get_perf_stalls)(seen->next); // of all
    vx_learn_packet(&st->shape, shown_packet(cfg, st), seen, all);
}

static void watch_owner(const cfg_t *cfg, state_t *st, const wlk_sight *seen, const uint64_t *all) {
    const uint32_t valid =
        NAMED(out_get_op_valid)(seen->out_known) & NAMED(out_get_op_valid)(seen->out);
    const uint32_t wis = NAMED(out_get_op_data_wis)(all);
    if (valid != 0 && NAMED(out_get_op_data_wis)(seen->out_known) == wis) {
        st->late.owner = 1u << collector_of(cfg, NAMED(out_get_op_data_wis)(seen->out));
        st->late.owner_known = 1;
    }
}

// The packet that is shown, of a collector that tracks.
static void learn_operands(const cfg_t *cfg, state_t *st, const wlk_sight *seen) {
    const shape *s = &st->shape;
    wlk_vx_packet *p = shown_packet(cfg, st);
    const uint32_t i = collector_of(cfg, NAMED(out_get_op_data_wis)(p->head.meta));
    if (p->head.known != 0 && i < cfg->num_opcs && st->opc[i].tracks != 0) {
        const ram r = ram_at(cfg, st, s, i);
        vx_learn_operands(s, cfg->xlen, p, &r, seen);
    }
}

static void learn(const uint32_t *params, void *state, const wlk_sight *seen) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    if (st->late.late && st->reset_seen) {
        learn_operands(cfg, st, seen);
    }
    const uint32_t slices = slices_of(cfg->num_opcs), packets = st->shape.packets;
    uint64_t all[CAPS(OUT_CONTROL) + OPERANDS * WLK_VX_ROW_WORDS];
    const uint32_t levels = (uint32_t)(cfg->num_opcs > 1) + (uint32_t)(slices != 0);
    if (!st->late.late || st->reset_seen || (slices != 0 && packets > 1)) {
        return; // the last: each arbiter has an owner
    }
    NAMED(out_mask)(cfg, all);
    vx_watch_output(&st->late, seen);
    watch_owner(cfg, st, seen, all);
    const uint64_t counter = NAMED(out_get_perf_stalls)(all);
    const bool counted = NAMED(out_get_perf_stalls)(seen->out_known) == counter &&
                         NAMED(out_get_perf_stalls)(seen->next_known) == counter &&
                         !GET(reset, seen->in);
    const bool owned = cfg->num_opcs <= 1 || packets == 1 || st->late.owner_known;
    if (counted && owned && vx_was_empty(&st->late, seen, cfg->num_opcs, levels)) {
        start(cfg, st, seen, all, levels);
    }
    vx_watch_input(&st->late, seen, collector_of(cfg, GET(sb_data_wis, seen->in)));
}

static bool drained(const uint32_t *params, const void *state) {
    const cfg_t *cfg = (const cfg_t *)params;
    const state_t *st = (const state_t *)state;
    bool empty = (st->slice[0].s.valid | st->slice[1].s.valid | st->out.s.valid) == 0;
    for (uint32_t i = 0; i < cfg->num_opcs; i++) {
        empty = empty && opc_is_empty(&st->opc[i]);
    }
    return empty;
}

static void visit(const uint32_t *params, const void *state, wlk_state_visitor *visitor,
                  void *ctx) {
    const cfg_t *cfg = (const cfg_t *)params;
    const shape s = shape_of(cfg);
    const state_t *st = (const state_t *)state;
    const uint64_t seen = (uint64_t)0 - st->reset_seen;
    const flop flops[] = {
        {"out_arb.prev", st->owner[LAST], seen, WLK_HEX},
        {"out_arb.ready_in", st->out.s.ready, seen, WLK_DECIMAL},
        {"out_arb.valid_out", st->out.s.valid, seen, WLK_DECIMAL},
    };
    VISIT_FLOPS(flops, -1);
    for (uint32_t i = 0; i < cfg->num_opcs; i++) {
        opc_visit(&s, &st->opc[i], st->reset_seen, (int32_t)i, visitor, ctx);
    }
}

WLK_MODEL(.forget = forget, .drained = drained, .clear = clear, .visit = visit, .late = late,
          .learn = learn);

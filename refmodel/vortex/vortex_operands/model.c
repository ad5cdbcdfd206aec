// SPDX-License-Identifier: Apache-2.0
// The operand collectors of an issue slice of Vortex. Rules: README.md (vortex-issue §7, §8).
#include "warplock/vortex_operands.h"
#include "warplock/vortex_operands_open.h"
#include "warplock/vortex_operands_view.h"

#define MODEL      vortex_operands
#define MODEL_CAPS VORTEX_OPERANDS

#define COLLECTORS   cfg->num_opcs
#define ENTRIES      3u
#define ARBITERS     (COLLECTORS > 1 ? slices_of(COLLECTORS) + 1u : 0)
#define PACKETS_HELD (COLLECTORS * ENTRIES + ARBITERS * 2u)
enum { MOST_COLLECTORS = WLK_VX_COLLECTORS, MOST_PACKETS = WLK_VX_PACKETS, LAST = WLK_VX_SLICES };
#include "vortex/opc_state.h"

// A cycle of an arbiter (§4.5); fires: what it grants goes into its buffer.
typedef struct grant {
    uint32_t requests, granted; // requests: a set of its inputs
    bool fires;
} grant;

typedef struct cycle {
    uint32_t chosen; // collector of the instruction; there may be none
    uint32_t taken;  // a set of collectors: their packets are
    bool is_ready;
    grant slice[WLK_VX_SLICES], last;
    opc_cycle opc[WLK_VX_COLLECTORS];
} cycle;

#define CYCLE cycle
#include "frame/structs.h"
#include "vortex/opc.h"

// §7.1; it may be beyond the last one (§7.7).
static uint32_t collector_of(const cfg_t *cfg, uint32_t wis) {
    return wis & (uint32_t)wlk_mask(wlk_clog2(COLLECTORS));
}

// §7.4: the output is wires where there is one collector.
static bool has_arbiter(const cfg_t *cfg) {
    return COLLECTORS > 1;
}

static bool is_sticky(const cfg_t *cfg) {
    return COLLECTORS > 1 && PACKETS > 1;
}

// The first of the entries of an arbiter's buffer, as for a collector's; it has no STAGE2.
static uint32_t buffer_of(const cfg_t *cfg, uint32_t arbiter) {
    const uint32_t number = arbiter == LAST ? slices_of(COLLECTORS) : arbiter;
    return COLLECTORS * ENTRIES + number * 2u - 1u;
}

// §4.5: the input that was granted last while it requests, else the lowest.
static void arbitrate(const cfg_t *cfg, const state_t *st, uint32_t which, uint32_t requests,
                      uint32_t n, bool ready, grant *g) {
    const uint32_t kept = is_sticky(cfg) ? requests & st->prev[which] : 0;
    const uint32_t of = kept != 0 ? kept : requests;
    g->requests = requests;
    g->granted = n > 1 ? (of != 0 ? lowest(of) : idx0(n)) : 0;
    g->fires = (requests != 0) & ready;
}

// §4.6
static void arbitrate_all(const cfg_t *cfg, const state_t *st, const in_t *in, cycle *c) {
    const uint32_t n = COLLECTORS, slices = slices_of(n);
    const bool ready = has_arbiter(cfg) ? st->out[LAST].s.ready != 0 : in->op.ready != 0;
    uint32_t requests = 0, shown = 0; // shown: by slices
    c->taken = 0;
    for (uint32_t i = 0; i < n; i++) {
        requests |= (uint32_t)(st->opc[i].out.s.valid != 0) << i;
    }
    if (slices == 0) {
        arbitrate(cfg, st, LAST, requests, n, ready, &c->last);
        c->taken = (uint32_t)c->last.fires << c->last.granted;
        return;
    }
    for (uint32_t s = 0; s < slices; s++) {
        const uint32_t inputs = slice_inputs(n, s);
        const uint32_t mine = requests >> s * FANOUT & (uint32_t)wlk_mask(inputs);
        arbitrate(cfg, st, s, mine, inputs, st->out[s].s.ready, &c->slice[s]);
        c->taken |= (uint32_t)c->slice[s].fires << (s * FANOUT + c->slice[s].granted);
        shown |= (uint32_t)(st->out[s].s.valid != 0) << s;
    }
    arbitrate(cfg, st, LAST, shown, slices, ready, &c->last);
}

static void see(const cfg_t *cfg, const state_t *st, const in_t *in, cycle *c) {
    arbitrate_all(cfg, st, in, c);
    c->chosen = collector_of(cfg, in->sb.data.wis);
    c->is_ready = false;
    for (uint32_t i = 0; i < COLLECTORS; i++) {
        const bool is_chosen = c->chosen == i;
        see_collector(cfg, &st->opc[i], TWO_REGISTERED, in->sb.valid & is_chosen, in->sb.data.instr,
                      has(c->taken, i), &c->opc[i]); // §7.2
        c->is_ready |= is_chosen & c->opc[i].is_ready;
    }
}

// §7.4: the packet that is shown.
static uint32_t shown(const cfg_t *cfg) {
    return has_arbiter(cfg) ? buffer_of(cfg, LAST) + SHOWN : ENTRY(0, SHOWN);
}

static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, const cycle *c, out_t *out,
                    care_t *care) {
    (void)in;
    SHOW(sb.ready, c->is_ready);
    SHOW(op.valid, has_arbiter(cfg) ? st->out[LAST].s.valid : st->opc[0].out.s.valid);
    show_packet(cfg, st, shown(cfg), out, care);
    if (cfg->perf_enable != 0) {
        SHOW(perf.stalls, st->shown_stalls);
    }
}

// §4.6; `from`: the packet that the arbiter chooses.
static void arbiter_edge(const cfg_t *cfg, state_t *st, uint32_t which, const grant *g,
                         uint32_t from, bool ready_out) {
    buffer_edge(cfg, st, &st->out[which], TWO_REGISTERED, buffer_of(cfg, which), g->requests != 0,
                from, ready_out);
    if (is_sticky(cfg) && g->fires) {
        st->prev[which] = 1u << g->granted;
    }
}

// The last one first: it takes what the slices show before the edge.
static void arbiters_edge(const cfg_t *cfg, state_t *st, const in_t *in, const cycle *c) {
    const uint32_t slices = slices_of(COLLECTORS), last = c->last.granted;
    const uint32_t from = slices == 0 ? ENTRY(last, SHOWN) : buffer_of(cfg, last) + SHOWN;
    if (c->last.fires) { // for coverage
        st->in_packet = st->packet[from].eop ? 0 : last + 1u;
    }
    if (!has_arbiter(cfg)) {
        return;
    }
    arbiter_edge(cfg, st, LAST, &c->last, from, in->op.ready);
    for (uint32_t s = 0; s < slices; s++) {
        const grant *g = &c->slice[s];
        arbiter_edge(cfg, st, s, g, ENTRY(s * FANOUT + g->granted, SHOWN),
                     c->last.fires & (last == s));
    }
}

// The arbiters take what the collectors show before the edge.
static void edge(const cfg_t *cfg, state_t *st, const in_t *in, const cycle *c) {
    const uint32_t written = collector_of(cfg, in->wb.data.wis);
    st->shown_stalls = st->stalls; // §8
    arbiters_edge(cfg, st, in, c);
    for (uint32_t i = 0; i < COLLECTORS; i++) {
        collector_edge(cfg, st, i, TWO_REGISTERED, in, in->wb.valid & (written == i),
                       has(c->taken, i), &c->opc[i]); // §7.3
    }
}

#include "vortex/opc_cover.h"
#include "vortex/opc_sight.h"

#include "cover.h"
#include "sight.h"

static void clear(const cfg_t *cfg, state_t *st) {
    for (uint32_t i = 0; i < COLLECTORS; i++) {
        clear_collector(cfg, st, i);
    }
    for (uint32_t a = 0; a < WLK_VX_SLICES + 1u; a++) {
        buffer_clear(&st->out[a]);
        st->prev[a] = 0;
    }
    st->stalls = 0;
    st->shown_stalls = 0;
    st->in_packet = 0;
    clear_absent(cfg, st, TWO_REGISTERED);
}

static bool drained(const cfg_t *cfg, const state_t *st) {
    bool holds = false;
    for (uint32_t a = 0; a < WLK_VX_SLICES + 1u; a++) {
        holds |= buffer_holds(&st->out[a]);
    }
    for (uint32_t i = 0; i < COLLECTORS; i++) {
        holds |= collector_holds(&st->opc[i]);
    }
    return !holds;
}

WLK_STRUCTS_MODEL(.broken = broken, .events = events, .drained = drained, .show = show,
                  .learn = learn, .learn_next = learn_next, .learn_by_next = learn_by_next,
                  .learn_rows = learn_rows, .note_rows = note_rows, .forgets = forgets,
                  .unknown_start = true);

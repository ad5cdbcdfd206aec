// SPDX-License-Identifier: Apache-2.0
// Vortex's operand collector as a block. Rules: README.md (vortex-issue §6, §8; its library is §4).
#include "warplock/vortex_opc_unit.h"
#include "warplock/vortex_opc_unit_open.h"
#include "warplock/vortex_opc_unit_view.h"

#define MODEL      vortex_opc_unit
#define MODEL_CAPS VORTEX_OPC_UNIT

#define COLLECTORS   1u
#define ENTRIES      (cfg->out_buf < 2 ? 1u + cfg->out_buf : cfg->out_buf > 3 ? cfg->out_buf : 3u)
#define PACKETS_HELD ENTRIES
enum { MOST_COLLECTORS = 1, MOST_PACKETS = WLK_VX_ENTRIES };
#include "vortex/opc_state.h"

#define CYCLE opc_cycle
#include "frame/structs.h"
#include "vortex/opc.h"

static void see(const cfg_t *cfg, const state_t *st, const in_t *in, opc_cycle *c) {
    see_collector(cfg, &st->opc[0], cfg->out_buf, in->sb.valid, in->sb.data.instr, in->op.ready, c);
}

static uint32_t shown(const cfg_t *cfg, const state_t *st) {
    return buffer_shows(&st->opc[0].out, cfg->out_buf, 0, STAGE2);
}

static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, const opc_cycle *c,
                    out_t *out, care_t *care) {
    (void)in;
    SHOW(sb.ready, c->is_ready);
    SHOW(op.valid, buffer_valid(&st->opc[0].out, cfg->out_buf, st->opc[0].v2));
    show_packet(cfg, st, shown(cfg, st), out, care);
    if (cfg->perf_enable != 0) {
        SHOW(perf.stalls, st->stalls);
    }
}

static void edge(const cfg_t *cfg, state_t *st, const in_t *in, const opc_cycle *c) {
    collector_edge(cfg, st, 0, cfg->out_buf, in, in->wb.valid, in->op.ready, c);
}

#include "vortex/opc_cover.h"
#include "vortex/opc_sight.h"

static void clear(const cfg_t *cfg, state_t *st) {
    clear_collector(cfg, st, 0);
    st->stalls = 0;
    clear_absent(cfg, st, cfg->out_buf);
}

static bool drained(const cfg_t *cfg, const state_t *st) {
    (void)cfg;
    return !collector_holds(&st->opc[0]);
}

static uint64_t events(const cfg_t *cfg, const state_t *st, const in_t *in, const out_t *out) {
    opc_cycle c;
    (void)out;
    see(cfg, st, in, &c);
    return collector_events(cfg, &st->opc[0], in, &c) | port_events(cfg, in, c.is_ready) |
           (in->reset && collector_holds(&st->opc[0]) ? EVENT(RESET_IN_FLIGHT) : 0u);
}

static void show(const cfg_t *cfg, const state_t *st, wlk_state_visitor *visitor, void *ctx) {
    (void)cfg;
    show_collector(st, -1, visitor, ctx);
}

static void learn(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out) {
    wlk_vx_collector *o = &st->opc[0];
    const uint32_t stages = stages_of(cfg->out_buf);
    opc_cycle c;
    clear_absent(cfg, st, cfg->out_buf);
    forget_sources(cfg, st);
    if (cfg->perf_enable != 0) {
        st->stalls = out->perf.stalls;
    }
    if (stages != 0) {
        o->out.valid[stages - 1] = out->op.valid;
    } else if (cfg->out_buf == WIRES) {
        o->v2 = out->op.valid;
    } else {
        learn_valid(&o->out.s, out->op.valid);
    }
    see(cfg, st, in, &c);
    learn_ready(o, &c, out->sb.ready);
}

static void learn_next(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out) {
    (void)cfg;
    learn_accepted(&st->opc[0], in, out->sb.ready);
}

static void learn_by_next(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out,
                          const out_t *next) {
    wlk_vx_collector *o = &st->opc[0];
    const uint32_t code = cfg->out_buf, stages = stages_of(code);
    if (in->reset || code == WIRES) {
        return;
    }
    if (stages == 0) {
        learn_arrival(&o->out.s, in->op.ready, next->op.valid, &o->v2);
    } else if (in->op.ready || !out->op.valid) { // the last stage loads
        if (stages == 2) {
            o->out.valid[0] = next->op.valid;
        } else if (code == ONE_STAGE) {
            o->v2 = next->op.valid;
        } else {
            learn_valid(&o->out.s, next->op.valid);
        }
    }
}

static void learn_rows(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out) {
    (void)in;
    learn_packet_rows(cfg, st, out, shown(cfg, st), 0);
}

static void note_rows(const cfg_t *cfg, state_t *st, const in_t *in) {
    note_round(&st->opc[0], in, in->sb.valid);
    note_packets(cfg, st, in);
}

WLK_STRUCTS_MODEL(.broken = broken, .events = events, .drained = drained, .show = show,
                  .learn = learn, .learn_next = learn_next, .learn_by_next = learn_by_next,
                  .learn_rows = learn_rows, .note_rows = note_rows, .forgets = forgets,
                  .unknown_start = true);

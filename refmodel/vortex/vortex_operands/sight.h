/* SPDX-License-Identifier: Apache-2.0 */
/* What reports show of the state of Vortex's operands stage, and what outputs tell of it; part of
 * model.c. */
#ifndef WLK_VORTEX_OPERANDS_SIGHT_H
#define WLK_VORTEX_OPERANDS_SIGHT_H

static void show(const cfg_t *cfg, const state_t *st, wlk_state_visitor *visitor, void *ctx) {
    const flop flops[] = {
        {"out_arb.prev", st->prev[LAST], 1, WLK_HEX},
        {"out_arb.ready_in", st->out[LAST].s.ready, 1, WLK_DECIMAL},
        {"out_arb.valid_out", st->out[LAST].s.valid, 1, WLK_DECIMAL},
    };
    VISIT_FLOPS(flops, -1);
    for (uint32_t i = 0; i < COLLECTORS; i++) {
        show_collector(st, (int32_t)i, visitor, ctx);
    }
}

/* Arbiters that the configuration does not have. */
static void clear_absent_arbiters(const cfg_t *cfg, state_t *st) {
    for (uint32_t a = 0; a < WLK_VX_SLICES + 1u; a++) {
        const bool is_there = a == LAST ? has_arbiter(cfg) : a < slices_of(COLLECTORS);
        if (!is_there) {
            buffer_clear(&st->out[a]);
        }
        if (!is_there || !is_sticky(cfg)) {
            st->prev[a] = 0;
        }
        st->out[a].valid[0] = false;
        st->out[a].valid[1] = false;
    }
}

/* §4.2, §4.5: an output register whose spare entry is empty shows what was granted last. */
static void learn_output(const cfg_t *cfg, state_t *st, const out_t *out) {
    const bool has_one = has_arbiter(cfg) && slices_of(COLLECTORS) == 0;
    if (has_arbiter(cfg)) {
        learn_valid(&st->out[LAST].s, out->op.valid);
    } else {
        learn_valid(&st->opc[0].out.s, out->op.valid);
    }
    if (has_one && is_sticky(cfg) && out->op.valid && st->out[LAST].s.ready) {
        st->prev[LAST] = 1u << (collector_of(cfg, out->op.data.wis) & 31u);
    }
}

static void learn(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out) {
    cycle c;
    clear_absent(cfg, st, TWO_REGISTERED);
    clear_absent_arbiters(cfg, st);
    forget_sources(cfg, st);
    st->in_packet = 0;
    st->shown_stalls = cfg->perf_enable != 0 ? out->perf.stalls : 0;
    learn_output(cfg, st, out);
    see(cfg, st, in, &c);
    if (c.chosen < COLLECTORS) {
        learn_ready(&st->opc[c.chosen], &c.opc[c.chosen], out->sb.ready);
    }
}

static void learn_next(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out) {
    const uint32_t chosen = collector_of(cfg, in->sb.data.wis);
    if (chosen < COLLECTORS) {
        learn_accepted(&st->opc[chosen], in, out->sb.ready);
    }
}

/* No packet comes: no collector shows one, or no slice. */
static void learn_none(const cfg_t *cfg, state_t *st) {
    const uint32_t slices = slices_of(COLLECTORS);
    for (uint32_t s = 0; s < slices; s++) {
        st->out[s].s.valid = false;
        st->out[s].s.ready = true;
    }
    for (uint32_t i = 0; i < COLLECTORS && slices == 0; i++) {
        st->opc[i].out.s.valid = false;
        st->opc[i].out.s.ready = true;
    }
}

static void learn_by_next(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out,
                          const out_t *next) {
    bool arrives = true;
    (void)out;
    if (in->reset) {
        return;
    }
    if (cfg->perf_enable != 0) {
        st->stalls = next->perf.stalls;
    }
    if (!has_arbiter(cfg)) {
        learn_arrival(&st->opc[0].out.s, in->op.ready, next->op.valid, &st->opc[0].v2);
        return;
    }
    learn_arrival(&st->out[LAST].s, in->op.ready, next->op.valid, &arrives);
    if (!arrives) {
        learn_none(cfg, st);
    }
}

static void learn_rows(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out) {
    const uint32_t entry = shown(cfg), i = collector_of(cfg, st->packet[entry].wis);
    (void)in;
    if (i < COLLECTORS) {
        learn_packet_rows(cfg, st, out, entry, i);
    }
}

static void note_rows(const cfg_t *cfg, state_t *st, const in_t *in) {
    for (uint32_t i = 0; i < COLLECTORS; i++) {
        note_round(&st->opc[i], in, in->sb.valid && collector_of(cfg, in->sb.data.wis) == i);
    }
    note_packets(cfg, st, in);
}

#endif

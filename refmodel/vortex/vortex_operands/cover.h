/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points of Vortex's operands stage; part of model.c. */
#ifndef WLK_VORTEX_OPERANDS_COVER_H
#define WLK_VORTEX_OPERANDS_COVER_H

/* The last owner keeps the output though a lower collector asks. */
static bool is_retained(const cfg_t *cfg, const state_t *st, const cycle *c) {
    const uint32_t owner = st->prev[LAST], requests = c->last.requests;
    return is_sticky(cfg) && c->last.fires && (requests & owner) != 0 &&
           (requests & (owner - 1u)) != 0;
}

static uint64_t choice_events(const cfg_t *cfg, const state_t *st, const in_t *in, const cycle *c) {
    bool busy = false, other_ready = false, chosen_waits = false;
    for (uint32_t i = 0; i < COLLECTORS; i++) {
        const bool is_chosen = i == c->chosen;
        busy |= !is_chosen & st->opc[i].v2;
        other_ready |= !is_chosen & c->opc[i].rdy0;
        chosen_waits |= is_chosen & !c->opc[i].rdy0;
    }
    const bool mixes = st->in_packet != 0 && c->last.fires;
    const bool valid = in->sb.valid, ready = c->is_ready;
    return (valid && ready && busy ? EVENT(OTHER_COLLECTOR) : 0u) |
           (valid && !ready && other_ready && chosen_waits ? EVENT(HEAD_OF_LINE) : 0u) |
           (is_retained(cfg, st, c) ? EVENT(RETAINED) : 0u) |
           (mixes && st->in_packet != c->last.granted + 1u ? EVENT(INTERLEAVED) : 0u) |
           (valid && c->chosen >= COLLECTORS ? EVENT(NO_COLLECTOR) : 0u);
}

static uint64_t events(const cfg_t *cfg, const state_t *st, const in_t *in, const out_t *out) {
    bool holds = false;
    cycle c;
    (void)out;
    see(cfg, st, in, &c);
    uint64_t found = port_events(cfg, in, c.is_ready) | choice_events(cfg, st, in, &c);
    for (uint32_t i = 0; i < COLLECTORS; i++) {
        found |= collector_events(cfg, &st->opc[i], in, &c.opc[i]);
        holds |= collector_holds(&st->opc[i]);
    }
    return found | (in->reset && holds ? EVENT(RESET_IN_FLIGHT) : 0u);
}

#endif

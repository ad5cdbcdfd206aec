/* SPDX-License-Identifier: Apache-2.0 */
/* What reports show of the state of a collector, and what outputs tell of it; part of the models
 * that have one. */
#ifndef WLK_VORTEX_OPC_SIGHT_H
#define WLK_VORTEX_OPC_SIGHT_H

static inline void show_collector(const state_t *st, int32_t i, wlk_state_visitor *visitor,
                                  void *ctx) {
    const wlk_vx_collector *o = &st->opc[i < 0 ? 0 : i];
    const flop flops[] = {
        {"opds_fetched", o->fetched, 1, WLK_HEX},
        {"iterator.sent", o->sent, 1, WLK_HEX},
        {"stage1.valid", o->v1, 1, WLK_DECIMAL},
        {"stage1.banks", o->rdv1, 1, WLK_HEX},
        {"stage1.conflict", o->coll1, 1, WLK_DECIMAL},
        {"stage2.valid", o->v2, 1, WLK_DECIMAL},
        {"stage2.banks", o->rdv2, 1, WLK_HEX},
        {"out_buf.ready_in", o->out.s.ready, 1, WLK_DECIMAL},
        {"out_buf.valid_out", o->out.s.valid, 1, WLK_DECIMAL},
    };
    VISIT_FLOPS(flops, i);
}

/* State that the configuration does not have: else it would stay unknown. */
static inline void clear_absent(const cfg_t *cfg, state_t *st, uint32_t code) {
    const wlk_vx_packet no_packet = {.tmask = 0};
    const wlk_vx_collector no_collector = {.fetched = 0};
    const uint32_t banks = (uint32_t)wlk_mask(cfg->num_gpr_banks);
    for (uint32_t e = PACKETS_HELD; e < MOST_PACKETS; e++) {
        st->packet[e] = no_packet;
    }
    if (cfg->perf_enable == 0) {
        st->stalls = 0;
    }
    for (uint32_t i = COLLECTORS; i < MOST_COLLECTORS; i++) {
        st->opc[i] = no_collector;
    }
    for (uint32_t i = 0; i < COLLECTORS; i++) {
        wlk_vx_collector *o = &st->opc[i];
        o->rdv1 &= banks;
        o->rdv2 &= banks;
        for (uint32_t b = cfg->num_gpr_banks; b < WLK_VX_BANKS; b++) {
            o->opd1[b] = 0;
            o->opd2[b] = 0;
        }
        o->fetched &= 7;
        if (PACKETS == 1) {
            o->sent = 0;
            o->first = true;
        }
        if (code < TWO_ENTRIES) {
            stream_clear(&o->out.s);
        }
        for (uint32_t k = stages_of(code); k < 2; k++) {
            o->out.valid[k] = false;
        }
    }
}

/* ---- after a start without reset ------------------------------------------------------------ */

/* Nothing is known of where operands came from. */
static inline void forget_sources(const cfg_t *cfg, state_t *st) {
    for (uint32_t e = 0; e < PACKETS_HELD; e++) {
        st->packet[e].stale = 7;
    }
    for (uint32_t i = 0; i < COLLECTORS; i++) {
        st->opc[i].one.stale = 7;
    }
}

/* §4.2: a buffer that shows nothing is empty. */
static inline void learn_valid(wlk_vx_stream *s, bool valid) {
    s->valid = valid;
    if (!valid) {
        s->ready = true;
    }
}

/* sb.ready of a collector whose packet is the last one is low: it waits, unless there is a
 * collision. */
static inline void learn_ready(wlk_vx_collector *o, const opc_cycle *c, bool is_ready) {
    if (!is_ready && c->eop && !c->collides) {
        o->v1 = true;
        o->v2 = true;
    }
}

/* The same of one that is ready: its request stage starts anew. */
static inline void learn_accepted(wlk_vx_collector *o, const in_t *in, bool is_ready) {
    if (is_ready && !in->reset) {
        o->fetched = 0;
        o->v1 = in->sb.valid;
    }
    if (is_ready && in->sb.valid && !in->reset) {
        o->sent = 0;
        o->first = true;
    }
}

/* §4.2: of a buffer that shows another packet next, or none, what came in. */
static inline void learn_arrival(wlk_vx_stream *s, bool ready_out, bool shows_next,
                                 bool *valid_in) {
    if (stream_moves(s, ready_out) && !shows_next) {
        *valid_in = false;
        s->ready = true;
    } else if (stream_moves(s, ready_out) && s->ready) {
        *valid_in = true;
    }
}

/* The operands of the packet that is shown, and the registers that they were read from. */
static inline void learn_packet_rows(const cfg_t *cfg, state_t *st, const out_t *out,
                                     uint32_t entry, uint32_t i) {
    const wlk_vx_packet *p = &st->packet[entry];
    uint32_t bank[OPERANDS], row[OPERANDS], fresh = 0;
    for (uint32_t k = 0; k < OPERANDS; k++) {
        const uint32_t reg = source_of(cfg, p->instr, k);
        bank[k] = i * cfg->num_gpr_banks + bank_of(cfg, reg);
        row[k] = row_of(cfg, p->sid, p->wis, reg);
        const bool is_read = has(wlk_instr_get_used_rs(p->instr), k) && reg != 0;
        fresh |= (uint32_t)(is_read && !has(p->stale, k) && row[k] < BANK_ROWS) << k;
    }
    if (out->op.valid && has(fresh, 0)) {
        row_learn(ROW(gpr, bank[0], row[0]), out->op.data.rs1_data);
    }
    if (out->op.valid && has(fresh, 1)) {
        row_learn(ROW(gpr, bank[1], row[1]), out->op.data.rs2_data);
    }
    if (out->op.valid && has(fresh, 2)) {
        row_learn(ROW(gpr, bank[2], row[2]), out->op.data.rs3_data);
    }
    row_learn(ROW(operand, 0, entry), out->op.data.rs1_data);
    row_learn(ROW(operand, 1, entry), out->op.data.rs2_data);
    row_learn(ROW(operand, 2, entry), out->op.data.rs3_data);
}

/* What is written: operands that were read before are stale. */
static inline void note_written(const cfg_t *cfg, wlk_vx_packet *p, const in_t *in) {
    const bool is_same = p->wis == in->wb.data.wis && (PACKETS == 1 || p->sid == in->wb.data.sid);
    for (uint32_t k = 0; k < OPERANDS; k++) {
        const bool is_read = source_of(cfg, p->instr, k) == register_of(cfg, in->wb.data.rd);
        if (in->reset || (in->wb.valid && is_same && is_read)) {
            p->stale |= (uint8_t)(1u << k);
        }
    }
}

/* Rounds of a packet follow each other, or what was read is not its own. */
static inline void note_round(wlk_vx_collector *o, const in_t *in, bool is_for_it) {
    const bool is_same = is_for_it && o->one.wis == in->sb.data.wis &&
                         is_same_instr(o->one.instr, in->sb.data.instr);
    if (o->fetched != 0 && !is_same) {
        o->one.stale = 7;
    }
}

static inline void note_packets(const cfg_t *cfg, state_t *st, const in_t *in) {
    for (uint32_t e = 0; e < PACKETS_HELD; e++) {
        note_written(cfg, &st->packet[e], in);
    }
    for (uint32_t i = 0; i < COLLECTORS; i++) {
        note_written(cfg, &st->opc[i].one, in);
    }
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Collector `st->opc[i]` of a model. Rules: vortex_opc_unit/README.md (vortex-issue §6, §8). */
#ifndef WLK_VORTEX_OPC_H
#define WLK_VORTEX_OPC_H

#include "vortex/buffer.h"

/* §3.1: R(r) */
static inline uint32_t register_of(const cfg_t *cfg, uint32_t reg) {
    return cfg->ext_f_enable != 0 ? reg : reg & 31u;
}

static inline uint32_t source_of(const cfg_t *cfg, const uint64_t *instr, uint32_t k) {
    const uint32_t rs[OPERANDS] = {wlk_instr_get_rs1(instr), wlk_instr_get_rs2(instr),
                                   wlk_instr_get_rs3(instr)};
    return register_of(cfg, rs[k]);
}

/* §6.1.1 */
static inline uint32_t bank_of(const cfg_t *cfg, uint32_t reg) {
    return reg & (cfg->num_gpr_banks - 1u);
}

/* §6.2.2: the row of a register in its bank. */
static inline uint32_t row_of(const cfg_t *cfg, uint32_t sid, uint32_t wis, uint32_t reg) {
    const uint32_t bits = wlk_clog2(COLLECTOR_WARPS);
    const uint32_t packet = PACKETS > 1 ? sid << bits : 0;
    const uint32_t warp = COLLECTOR_WARPS > 1 ? wis >> (wlk_clog2(SLICE_WARPS) - bits) : 0;
    return (packet | warp) << wlk_clog2(BANK_REGISTERS) | reg >> wlk_clog2(cfg->num_gpr_banks);
}

/* §6.1.2 to §6.1.4: in each bank the lowest active source wins. */
static inline void see_sources(const cfg_t *cfg, const wlk_vx_collector *o, const uint64_t *instr,
                               opc_cycle *c) {
    uint32_t wanted = 0; /* banks */
    for (uint32_t b = 0; b < cfg->num_gpr_banks; b++) {
        c->opd[b] = 0;
    }
    c->rdv = 0;
    c->active = 0;
    c->taken = 0;
    c->collides = false;
    for (uint32_t k = 0; k < OPERANDS; k++) {
        const uint32_t reg = source_of(cfg, instr, k), bank = bank_of(cfg, reg);
        const bool is_used = has(wlk_instr_get_used_rs(instr), k), is_left = !has(o->fetched, k);
        const bool is_active = is_used & (reg != 0) & is_left;
        const bool wins = is_active & !has(wanted, bank), asks = wins & c->valid;
        c->active |= (uint8_t)(is_active << k);
        c->taken |= (uint8_t)((asks & c->rdy0) << k);
        c->rdv |= (uint32_t)asks << bank;
        c->collides |= is_active & !wins;
        wanted |= (uint32_t)is_active << bank;
        if (asks) {
            c->opd[bank] = (uint8_t)k;
        }
    }
}

/* §4.9: the next packet of a thread mask that is not empty. */
static inline void see_packet(const cfg_t *cfg, const wlk_vx_collector *o, uint32_t tmask,
                              opc_cycle *c) {
    const uint32_t packets = PACKETS, lanes = (uint32_t)wlk_mask(cfg->simd_width);
    uint32_t full = 0, last = 0; /* full: packets that are not empty */
    c->pid = 0;
    c->tmask = tmask;
    c->sop = true;
    c->eop = true;
    if (packets == 1) {
        return;
    }
    for (uint32_t p = 0; p < packets; p++) {
        const bool is_full = (tmask >> p * cfg->simd_width & lanes) != 0;
        full |= (uint32_t)is_full << p;
        last = is_full ? p : last;
    }
    const uint32_t left = full & ~o->sent;
    c->pid = left != 0 ? lowest(left) : idx0(packets);
    c->tmask = tmask >> c->pid * cfg->simd_width & lanes;
    c->sop = o->first;
    c->eop = c->pid == last;
}

/* §6.1; @p ready_out: of what comes after the output buffer. */
static inline void see_collector(const cfg_t *cfg, const wlk_vx_collector *o, uint32_t code,
                                 bool valid, const uint64_t *instr, bool ready_out, opc_cycle *c) {
    c->valid = valid;
    c->rdy2 = buffer_ready(&o->out, code, ready_out);
    c->rdy1 = c->rdy2 | !o->v2;
    c->rdy0 = c->rdy1 | !o->v1;
    see_sources(cfg, o, instr, c);
    see_packet(cfg, o, wlk_instr_get_tmask(instr), c);
    c->last = c->rdy0 & !c->collides;
    c->is_ready = c->last & c->eop;
}

static inline void show_instr(const cfg_t *cfg, const uint64_t *instr, out_t *out, care_t *care) {
    SHOW(op.data.uuid, wlk_instr_get_uuid(instr));
    SHOW(op.data.PC, wlk_instr_get_PC(instr));
    SHOW(op.data.ex_type, wlk_instr_get_ex_type(instr));
    SHOW(op.data.op_type, wlk_instr_get_op_type(instr));
    SHOW(op.data.op_args, wlk_instr_get_op_args(instr));
    SHOW(op.data.op_args_high, wlk_instr_get_op_args_high(instr));
    SHOW(op.data.wb, wlk_instr_get_wb(instr));
    SHOW(op.data.rd, register_of(cfg, wlk_instr_get_rd(instr)));
}

static inline void show_operands(const cfg_t *cfg, const state_t *st, uint32_t entry, out_t *out,
                                 care_t *care) {
    SHOW_ROW(op.data.rs1_data, ROW(operand, 0, entry));
    SHOW_ROW(op.data.rs2_data, ROW(operand, 1, entry));
    SHOW_ROW(op.data.rs3_data, ROW(operand, 2, entry));
}

static inline void show_packet(const cfg_t *cfg, const state_t *st, uint32_t entry, out_t *out,
                               care_t *care) {
    const wlk_vx_packet *p = &st->packet[entry];
    SHOW(op.data.wis, p->wis);
    SHOW(op.data.sid, p->sid);
    SHOW(op.data.tmask, p->tmask);
    SHOW(op.data.sop, p->sop);
    SHOW(op.data.eop, p->eop);
    show_instr(cfg, p->instr, out, care);
    show_operands(cfg, st, entry, out, care);
}

/* §6.2.2: each bank reads, also one that delivers no operand: a row of rs1. */
static inline void read_banks(const cfg_t *cfg, state_t *st, uint32_t i) {
    const wlk_vx_collector *o = &st->opc[i];
    const wlk_vx_packet *one = &st->opc[i].one;
    const uint32_t rows = BANK_ROWS;
    for (uint32_t b = 0; b < cfg->num_gpr_banks; b++) {
        const uint32_t reg = source_of(cfg, one->instr, o->opd1[b]);
        const uint32_t row = row_of(cfg, one->sid, one->wis, reg);
        const uint32_t bank = i * cfg->num_gpr_banks + b;
        if (row < rows) {
            row_copy(ROW(rdata, 0, bank), ROW(gpr, bank, row));
        } else { /* sb_warp_out_of_range */
            row_forget(ROW(rdata, 0, bank), wlk_mask(cfg->simd_width));
        }
    }
}

/* A row that no bank has is named only if the rows are no power of two. */
static inline bool forgets(const cfg_t *cfg) {
    const uint32_t rows = BANK_ROWS;
    return (rows & (rows - 1u)) != 0;
}

/* §6.3.2 */
static inline void gather(const cfg_t *cfg, state_t *st, uint32_t i) {
    const wlk_vx_collector *o = &st->opc[i];
    for (uint32_t b = 0; b < cfg->num_gpr_banks; b++) {
        if (has(o->rdv2, b)) {
            row_copy(ROW(operand, o->opd2[b], ENTRY(i, STAGE2)),
                     ROW(rdata, 0, i * cfg->num_gpr_banks + b));
        }
    }
}

static inline void clear_operands(const cfg_t *cfg, state_t *st, uint32_t i) {
    for (uint32_t k = 0; k < OPERANDS; k++) {
        row_clear(ROW(operand, k, ENTRY(i, STAGE2)));
    }
}

/* §6.3.1 */
static inline void load_stage2(const cfg_t *cfg, state_t *st, uint32_t i) {
    wlk_vx_collector *o = &st->opc[i];
    o->v2 = o->v1 & !o->coll1;
    o->rdv2 = o->rdv1;
    for (uint32_t b = 0; b < cfg->num_gpr_banks; b++) {
        o->opd2[b] = o->opd1[b];
    }
    st->packet[ENTRY(i, STAGE2)] = o->one;
}

/* §6.2.1 */
static inline void load_stage1(const cfg_t *cfg, wlk_vx_collector *o, const in_t *in,
                               const opc_cycle *c) {
    o->v1 = c->valid;
    o->coll1 = c->collides;
    o->rdv1 = c->rdv;
    for (uint32_t b = 0; b < cfg->num_gpr_banks; b++) {
        o->opd1[b] = c->opd[b];
    }
    copy_instr(o->one.instr, in->sb.data.instr);
    o->one.wis = in->sb.data.wis;
    o->one.sid = (uint8_t)c->pid;
    o->one.tmask = c->tmask;
    o->one.sop = c->sop;
    o->one.eop = c->eop;
    o->one.stale = o->fetched != 0 ? o->one.stale : 0; /* of the rounds before */
}

/* §6.1.7, §4.9 */
static inline void request_edge(const cfg_t *cfg, wlk_vx_collector *o, const opc_cycle *c) {
    const bool moves = c->valid & c->last;
    o->fetched = c->last ? 0 : o->fetched | c->taken;
    if (PACKETS > 1 && moves) {
        o->sent = c->eop ? 0 : o->sent | 1u << c->pid;
        o->first = c->eop;
    }
}

/* §6.4 */
static inline void write(const cfg_t *cfg, state_t *st, const in_t *in, uint32_t i) {
    const uint32_t rd = register_of(cfg, in->wb.data.rd);
    const uint32_t row = row_of(cfg, in->wb.data.sid, in->wb.data.wis, rd);
    const uint32_t bank = i * cfg->num_gpr_banks + bank_of(cfg, rd);
    if (row < BANK_ROWS) {
        row_write(ROW(gpr, bank, row), in->wb.data.data, in->wb.data.tmask);
    }
}

/* The order counts: a stage is taken by the next one before it loads, and a bank reads what it held
 * before the write (§4.8). */
static inline void collector_edge(const cfg_t *cfg, state_t *st, uint32_t i, uint32_t code,
                                  const in_t *in, bool writes, bool ready_out, const opc_cycle *c) {
    wlk_vx_collector *o = &st->opc[i];
    if (cfg->perf_enable != 0) {
        st->stalls = (st->stalls + (c->valid & c->rdy0 & c->collides)) & PERF_BITS; /* §8 */
    }
    buffer_edge(cfg, st, &o->out, code, ENTRY(i, 0), o->v2, ENTRY(i, STAGE2), ready_out);
    if (o->v2 & c->rdy2) {
        clear_operands(cfg, st, i); /* §6.3.3 */
    }
    if (o->v1 & c->rdy1) {
        read_banks(cfg, st, i);
    }
    if (c->rdy1) {
        load_stage2(cfg, st, i);
        gather(cfg, st, i);
    }
    if (c->rdy0) {
        load_stage1(cfg, o, in, c);
    }
    request_edge(cfg, o, c);
    if (writes) {
        write(cfg, st, in, i);
    }
}

/* Of the vectors rdv reset reaches the top bit (§6.2.1, §6.3.1), of the register file all or
 * nothing (§4.8). */
static inline void clear_collector(const cfg_t *cfg, state_t *st, uint32_t i) {
    wlk_vx_collector *o = &st->opc[i];
    const uint32_t top = cfg->num_gpr_banks - 1u;
    o->fetched = 0;
    o->sent = 0;
    o->first = true;
    o->v1 = false;
    o->v2 = false;
    o->rdv1 = (uint32_t)with(o->rdv1, top, false);
    o->rdv2 = (uint32_t)with(o->rdv2, top, false);
    buffer_clear(&o->out);
    clear_operands(cfg, st, i);
    gather(cfg, st, i);
    for (uint32_t b = 0; b < cfg->num_gpr_banks; b++) {
        if (cfg->simulation != 0 && cfg->ndebug == 0) {
            ROWS_CLEAR(gpr, i * cfg->num_gpr_banks + b);
        }
    }
}

static inline bool collector_holds(const wlk_vx_collector *o) {
    return o->v1 | o->v2 | buffer_holds(&o->out);
}

/* Rules of the ports, outside of reset. */
static inline uint32_t broken(const cfg_t *cfg, const state_t *st, const in_t *in) {
    const bool several = PACKETS > 1, warps = SLICE_WARPS > 1;
    (void)st;
    if (in->reset) {
        return 0;
    }
    return (several && in->sb.valid && wlk_instr_get_tmask(in->sb.data.instr) == 0
                ? (uint32_t)CAPS(NO_THREAD)
                : 0) |
           (warps && in->sb.valid && in->sb.data.wis >= SLICE_WARPS
                ? (uint32_t)CAPS(SB_WARP_OUT_OF_RANGE)
                : 0) |
           (warps && in->wb.valid && in->wb.data.wis >= SLICE_WARPS
                ? (uint32_t)CAPS(WB_WARP_OUT_OF_RANGE)
                : 0) |
           (several && in->wb.valid && in->wb.data.sid >= PACKETS
                ? (uint32_t)CAPS(WB_PACKET_OUT_OF_RANGE)
                : 0);
}

#endif

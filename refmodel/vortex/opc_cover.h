/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points of a collector; part of the models that have one. */
#ifndef WLK_VORTEX_OPC_COVER_H
#define WLK_VORTEX_OPC_COVER_H

static inline bool names_twice(const cfg_t *cfg, const uint64_t *instr, uint32_t active) {
    bool twice = false;
    for (uint32_t k = 1; k < OPERANDS; k++) {
        for (uint32_t j = 0; j < k; j++) {
            const bool same = source_of(cfg, instr, j) == source_of(cfg, instr, k);
            twice |= has(active, j) && has(active, k) && same;
        }
    }
    return twice;
}

/* Is what the write-back writes read at this edge, for an operand? */
static inline bool reads_written(const cfg_t *cfg, const wlk_vx_collector *o, const in_t *in,
                                 const opc_cycle *c) {
    const uint32_t rd = register_of(cfg, in->wb.data.rd), bank = bank_of(cfg, rd);
    const uint32_t row = row_of(cfg, in->wb.data.sid, in->wb.data.wis, rd);
    const uint32_t reg = source_of(cfg, o->one.instr, o->opd1[bank]);
    const bool is_read = has(o->rdv1, bank) && row_of(cfg, o->one.sid, o->one.wis, reg) == row;
    return o->v1 & c->rdy1 & in->wb.valid & is_read;
}

static inline uint64_t collector_events(const cfg_t *cfg, const wlk_vx_collector *o, const in_t *in,
                                        const opc_cycle *c) {
    const uint64_t *instr = in->sb.data.instr;
    const uint32_t used = wlk_instr_get_used_rs(instr), tmask = wlk_instr_get_tmask(instr);
    const uint32_t rounds =
        (uint32_t)__builtin_popcount(c->active) - (uint32_t)__builtin_popcount(c->taken);
    const uint32_t lanes = (uint32_t)wlk_mask(cfg->simd_width);
    const bool accepts = c->valid & c->last, rs1 = accepts & has(used, 0);
    const bool skips = c->pid > 0 && (tmask >> (c->pid - 1u) * cfg->simd_width & lanes) == 0;
    const bool merges = !o->v2 & (o->rdv2 != 0);
    const uint32_t reg = wlk_instr_get_rs1(instr);
    return (accepts && c->eop ? EVENT(ACCEPT) : 0u) |
           (c->valid && c->rdy0 && c->collides ? EVENT(CONFLICT) : 0u) |
           (c->valid && names_twice(cfg, instr, c->active) ? EVENT(SAME_REGISTER) : 0u) |
           (c->valid && c->taken != 0 && rounds == 2 ? EVENT(THREE_ROUNDS) : 0u) |
           (accepts && used == 0 ? EVENT(NO_SOURCE) : 0u) |
           (rs1 && reg == 0 ? EVENT(INTEGER_ZERO) : 0u) |
           (rs1 && reg == 32 && cfg->ext_f_enable != 0 ? EVENT(FLOAT_ZERO) : 0u) |
           (accepts && !c->eop ? EVENT(PACKETS) : 0u) |
           (accepts && PACKETS > 1 && skips ? EVENT(PACKET_SKIPPED) : 0u) |
           (reads_written(cfg, o, in, c) ? EVENT(READ_DURING_WRITE) : 0u) |
           (merges ? EVENT(MERGE_IDLE) : 0u) | (c->valid && !c->rdy0 ? EVENT(BLOCKED) : 0u);
}

static inline uint64_t port_events(const cfg_t *cfg, const in_t *in, bool is_ready) {
    const uint32_t tmask = in->wb.data.tmask, lanes = (uint32_t)wlk_mask(cfg->simd_width);
    const bool writes = in->wb.valid && tmask != 0;
    return (writes && tmask != lanes ? EVENT(WRITE_PARTIAL) : 0u) |
           (writes && in->wb.data.rd == 0 ? EVENT(WRITE_ZERO) : 0u) |
           (is_ready && !in->sb.valid ? EVENT(READY_IDLE) : 0u);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points that a collector alone and the operands stage have; part of their sources. */
#ifndef WLK_VORTEX_PACKET_COVER_H
#define WLK_VORTEX_PACKET_COVER_H

static inline uint32_t same_register(const shape *s, const uint64_t *instr, uint32_t sources) {
    uint32_t reg[OPERANDS];
    sources_of(s, instr, reg);
    return ((sources & 3u) == 3 && reg[0] == reg[1]) || ((sources & 5u) == 5 && reg[0] == reg[2]) ||
           ((sources & 6u) == 6 && reg[1] == reg[2]);
}

/* The row that a bank reads: an operand's, or the one beside the first one's. */
static inline uint32_t row_read(const wlk_vx_stage *one, uint32_t bank) {
    uint32_t row = one->at[0] + bank;
    for (uint32_t i = 1; i < OPERANDS; i++) {
        row = source_of(one, i) == WLK_VX_BANK_ROW + bank ? one->at[i] : row;
    }
    return row;
}

/* Is what the write-back writes read at this edge? */
static inline uint32_t reads_written(const shape *s, const wlk_vx_collector *o, const uint64_t *in,
                                     const opc_cycle_t *c) {
    const wlk_vx_stage *one = &o->stage[0];
    const uint32_t b = GET(wb_data_rd, in) & (s->banks - 1u);
    return one->valid & c->rdy1 & (stage_reads(one) >> b & 1u) & GET(wb_valid, in) &
           (uint32_t)(written_row(s, in) == row_read(one, b));
}

/* What a collector does. */
static uint64_t opc_events(const cfg_t *cfg, const shape *s, const wlk_vx_collector *o,
                           const uint64_t *in, const opc_cycle_t *c) {
    const uint64_t *instr = in + CAPS(IN_SB_DATA);
    const uint32_t valid = c->valid, used = wlk_instr_get_used_rs(instr);
    const uint32_t rounds = set_size(c->sources) - set_size(c->taken);
    const uint32_t tmask = wlk_instr_get_tmask(instr);
    const uint32_t before = c->pid > 0 ? tmask >> ((c->pid - 1u) * s->simd) & s->lanes : 1u;
    const uint32_t accepts = valid & c->last, blocked = valid & bit_not(c->rdy0);
    uint64_t found = 0;
    found |= (accepts & c->eop) != 0 ? EVENT(ACCEPT) : 0u;
    found |= (valid & c->rdy0 & c->conflict) != 0 ? EVENT(CONFLICT) : 0u;
    found |= (valid & same_register(s, instr, c->sources)) != 0 ? EVENT(SAME_REGISTER) : 0u;
    found |= valid != 0 && c->taken != 0 && rounds == 2 ? EVENT(THREE_ROUNDS) : 0u;
    found |= accepts != 0 && used == 0 ? EVENT(NO_SOURCE) : 0u;
    found |= (accepts & used & 1u) != 0 && wlk_instr_get_rs1(instr) == 0 ? EVENT(INTEGER_ZERO) : 0u;
    found |= (accepts & used & 1u) != 0 && wlk_instr_get_rs1(instr) == 32 && cfg->ext_f_enable != 0
                 ? EVENT(FLOAT_ZERO)
                 : 0u;
    found |= accepts != 0 && c->eop == 0 ? EVENT(PACKETS) : 0u;
    found |= accepts != 0 && s->packets > 1 && before == 0 ? EVENT(PACKET_SKIPPED) : 0u;
    found |= reads_written(s, o, in, c) != 0 ? EVENT(READ_DURING_WRITE) : 0u;
    found |= o->stage[1].valid == 0 && stage_reads(&o->stage[1]) != 0 ? EVENT(MERGE_IDLE) : 0u;
    found |= blocked != 0 ? EVENT(BLOCKED) : 0u;
    return found;
}

/* What the ports show. */
static uint64_t port_events(const shape *s, const uint64_t *in, uint32_t ready) {
    const uint32_t wb = GET(wb_valid, in), tmask = GET(wb_data_tmask, in);
    return (wb != 0 && tmask != 0 && tmask != s->lanes ? EVENT(WRITE_PARTIAL) : 0u) |
           (wb != 0 && tmask != 0 && GET(wb_data_rd, in) == 0 ? EVENT(WRITE_ZERO) : 0u) |
           (ready != 0 && GET(sb_valid, in) == 0 ? EVENT(READY_IDLE) : 0u);
}

#endif

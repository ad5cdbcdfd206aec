/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of Vortex's scoreboard (vortex-issue §8); part of model.c. */
#ifndef WLK_VORTEX_SCOREBOARD_PERF_H
#define WLK_VORTEX_SCOREBOARD_PERF_H

/* The unit counters that a register in use counts for. The look-up drops its type. */
static uint32_t marks_of(const cfg_t *cfg, const wlk_vxsb_warp *warp, uint32_t reg) {
    const uint32_t number = reg & 31u;
    const uint32_t sfu = has(warp->other, number) ? 1u << USES_OTHER : 1u << USES_CSR;
    uint32_t unit = 0;
    for (uint32_t i = 0; i < 3; i++) {
        unit |= (warp->unit[i] >> number & 1u) << i;
    }
    return (unit < units_of(cfg) ? 1u << unit : 0) | (unit == SFU ? sfu : 0);
}

/* The same of those that a staged instruction waits for. @p blocked: the registers of §5.6, of it
 * or of the one that takes its place. */
static uint32_t marks_of_staged(const cfg_t *cfg, const wlk_vxsb_warp *warp, uint64_t blocked) {
    const uint32_t regs[] = {wlk_instr_get_rd(warp->instr), wlk_instr_get_rs1(warp->instr),
                             wlk_instr_get_rs2(warp->instr), wlk_instr_get_rs3(warp->instr)};
    const uint32_t used = wlk_instr_get_used_rs(warp->instr) << 1 | wlk_instr_get_wb(warp->instr);
    uint32_t marks = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const bool waits = has(used, i) && has(blocked, regs[i]);
        marks |= waits ? marks_of(cfg, warp, regs[i]) : 0;
    }
    return marks;
}

/* The unit of an instruction that is sent, for the register that it writes; that of a
 * floating-point register is never looked up. */
static void note_unit(const cfg_t *cfg, wlk_vxsb_warp *warp) {
    const uint32_t rd = wlk_instr_get_rd(warp->instr), unit = wlk_instr_get_ex_type(warp->instr);
    const uint32_t op = wlk_instr_get_op_type(warp->instr), number = rd & 31u;
    if (!wlk_instr_get_wb(warp->instr) || (cfg->ext_f_enable != 0 && rd >= 32)) {
        return;
    }
    for (uint32_t i = 0; i < 3; i++) {
        warp->unit[i] = (uint32_t)with(warp->unit[i], number, has(unit, i));
    }
    if (unit == SFU) {
        warp->other = (uint32_t)with(warp->other, number, op < FIRST_CSR || op > LAST_CSR);
    }
}

static uint32_t delay_of(const cfg_t *cfg) {
    return (warps_of(cfg) + 7u) / 8u;
}

static void count(const cfg_t *cfg, state_t *st, const cycle *c, uint32_t marks) {
    const uint32_t counted = st->marks[delay_of(cfg) - 1u];
    st->stalls = (st->stalls + ((st->staged != 0) & (c->requests == 0))) & PERF_BITS;
    for (uint32_t u = 0; u < WLK_VXSB_UNITS; u++) {
        st->uses[u] = (st->uses[u] + (counted >> u & 1u)) & PERF_BITS;
    }
    for (uint32_t i = delay_of(cfg) - 1u; i > 0; i--) {
        st->marks[i] = st->marks[i - 1u];
    }
    st->marks[0] = (uint8_t)marks;
}

static void clear_units(wlk_vxsb_warp *warp) {
    for (uint32_t i = 0; i < 3; i++) {
        warp->unit[i] = 0;
    }
    warp->other = 0;
}

static void clear_counters(state_t *st) {
    st->stalls = 0;
    for (uint32_t u = 0; u < WLK_VXSB_UNITS; u++) {
        st->uses[u] = 0;
    }
}

#endif

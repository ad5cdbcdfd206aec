/* SPDX-License-Identifier: Apache-2.0 */
/* What reports show of the state of Muon's reservation station, and what outputs tell of it; part
 * of model.c. */
#ifndef WLK_RESERVATION_STATION_SIGHT_H
#define WLK_RESERVATION_STATION_SIGHT_H

static void show_row(const state_t *st, uint32_t row, wlk_state_visitor *visitor, void *ctx) {
    const flop flops[] = {
        {"opReady", operands_of(row, st->opReady), 1, WLK_HEX},
        {"busy", operands_of(row, st->busy), 1, WLK_HEX},
        {"collFired", operands_of(row, st->collFired), 1, WLK_HEX},
        {"collPtr", st->collPtr[row], 1, WLK_DECIMAL},
        {"pc", wlk_entry_get_pc(st->entry[row]), 1, WLK_HEX},
    };
    VISIT_FLOPS(flops, (int32_t)row);
}

static void show(const cfg_t *cfg, const state_t *st, wlk_state_visitor *visitor, void *ctx) {
    const flop flops[] = {
        {"valid", st->valid, 1, WLK_HEX},
        {"last", st->last, 1, WLK_DECIMAL},
        {"stage full", st->stage.full, 1, WLK_DECIMAL},
        {"stage collected", st->stage.collected, 1, WLK_DECIMAL},
        {"stage collEntry", st->stage.collEntry, 1, WLK_DECIMAL},
    };
    VISIT_FLOPS(flops, -1);
    for (uint32_t row = 0; row < cfg->rs_entries; row++) {
        if ((st->valid >> row & 1u) != 0) {
            show_row(st, row, visitor, ctx);
        }
    }
}

/* The contents of a row that is not valid show only where it is the last one and nothing asks
 * (§5.4). Other contents that show the same will do. */
static void learn_free_row(const cfg_t *cfg, state_t *st, uint32_t row, const out_t *out) {
    const bool is_last = row == cfg->rs_entries - 1u;
    if ((st->valid >> row & 1u) != 0 || (is_last && out->collector.readReq.valid)) {
        return;
    }
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const bool is_needed = is_last && out->collector.readReq.bits.regs[i].pReg != 0;
        st->opReady[i] = with(st->opReady[i], row, !is_needed);
        st->busy[i] = with(st->busy[i], row, !is_needed);
        st->collFired[i] = with(st->collFired[i], row, !is_needed);
    }
    for (uint32_t word = 0; word < WLK_ENTRY_WORDS; word++) {
        st->entry[row][word] = 0;
    }
    if (is_last) {
        wlk_entry_put_pc(st->entry[row], out->collector.readReq.bits.pc);
        wlk_entry_put_rs1(st->entry[row], out->collector.readReq.bits.regs[0].pReg);
        wlk_entry_put_rs2(st->entry[row], out->collector.readReq.bits.regs[1].pReg);
        wlk_entry_put_rs3(st->entry[row], out->collector.readReq.bits.regs[2].pReg);
    }
    st->collPtr[row] = 0;
    st->sequence[row] = 0;
}

static void learn_counters(const cfg_t *cfg, state_t *st, const out_t *out) {
    clear_counters(st);
    st->perf.cyclesDispatched = out->perf.cyclesDispatched;
    st->perf.cyclesEligible = out->perf.cyclesEligible;
    st->perf.accRsOccupancy = out->perf.accRsOccupancy;
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        st->perf.perWarp.cyclesDispatched[w] = out->perf.perWarp[w].cyclesDispatched;
        st->perf.perWarp.cyclesEligible[w] = out->perf.perWarp[w].cyclesEligible;
        st->perf.perWarp.stallsRSFull[w] = out->perf.perWarp[w].stallsRSFull;
    }
}

/* Stage and counters are outputs: one cycle shows them. */
static void learn(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out) {
    if (!out->admit.ready) {
        st->valid = (uint32_t)wlk_mask(cfg->rs_entries);
    }
    st->valid &= (uint32_t)wlk_mask(cfg->rs_entries); /* there are no more */
    for (uint32_t row = 0; row < ROWS; row++) {
        learn_free_row(cfg, st, row, out);
    }
    st->stage.full = out->issue.valid;
    st->stage.collEntry = out->collector.readData.req.bits.collEntry;
    copy_entry(st->stage.entry, out->issue.bits);
    if (out->issue.valid && in->issue.ready) {
        st->stage.collected = out->collector.readData.req.valid;
    }
    learn_counters(cfg, st, out);
}

/* A counter of valid rows stood still, so no row was valid; a dump may have only one of them. Each
 * warp's numbers may then begin anywhere, so at 0: only distances count. After reset and softReset
 * the counters are 0 for other reasons. */
static void learn_by_next(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out,
                          const out_t *next) {
    (void)cfg;
    if (in->reset || in->softReset) {
        return;
    }
    if (next->perf.accRsOccupancy == out->perf.accRsOccupancy ||
        next->perf.cyclesDispatched == out->perf.cyclesDispatched) {
        st->valid = 0;
        for (uint32_t w = 0; w < WLK_RESERVATION_STATION_MAX_NUM_WARPS; w++) {
            st->nextSequence[w] = 0;
        }
    }
}

/* `last` decides what happens: each row is followed. A value of n or more acts as n-1 does (§1). */
static bool follow(const cfg_t *cfg, state_t *st, uint32_t k) {
    st->last = (uint8_t)k;
    return k < cfg->rs_entries;
}

#endif

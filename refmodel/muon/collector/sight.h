/* SPDX-License-Identifier: Apache-2.0 */
/* What reports show of the state of Muon's operand collector, and what outputs tell of it; part of
 * model.c. */
#ifndef WLK_COLLECTOR_SIGHT_H
#define WLK_COLLECTOR_SIGHT_H

static void show(const cfg_t *cfg, const state_t *st, wlk_state_visitor *visitor, void *ctx) {
    const flop flops[] = {
        {"alloc_valid", st->alloc_valid, 1, WLK_HEX},
        {"nextAllocId", st->nextAllocId, 1, WLK_DECIMAL},
        {"nextEn", st->nextEn, 1, WLK_HEX},
        {"nextPReg[0]", st->nextPReg[0], 1, WLK_DECIMAL},
        {"nextPReg[1]", st->nextPReg[1], 1, WLK_DECIMAL},
        {"nextPReg[2]", st->nextPReg[2], 1, WLK_DECIMAL},
        {"readResp.valid", st->readResp_valid, 1, WLK_DECIMAL},
        {"writeResp.valid", st->writeResp_valid, 1, WLK_DECIMAL},
    };
    (void)cfg;
    VISIT_FLOPS(flops, -1);
}

/* The responses are registers, and readData shows whether its entry has an occupant. So has the
 * entry that readResp names: it was taken at the edge before. */
static void learn(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out) {
    const uint32_t all = (uint32_t)wlk_mask(cfg->coll_entries);
    const uint32_t entry = in->readData.req.bits.collEntry;
    st->alloc_valid &= all; /* there are no more */
    st->alloc_valid =
        with(st->alloc_valid, entry < cfg->coll_entries ? entry : 0, out->readData.resp.valid);
    if (out->readResp.valid && out->readResp.bits.collEntry < cfg->coll_entries) {
        st->alloc_valid = with(st->alloc_valid, out->readResp.bits.collEntry, true);
    }
    if (!out->readReq.ready) {
        st->alloc_valid = all;
    }
    st->nextAllocId = out->readResp.bits.collEntry;
    st->nextEn = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        st->nextEn |= (uint8_t)(out->readResp.bits.regs[i].enable << i);
    }
    st->readResp_valid = out->readResp.valid;
    st->writeResp_valid = out->writeResp.valid;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        for (uint32_t e = 0; e < WLK_COLLECTOR_MAX_COLL_ENTRIES; e++) {
            st->loaded[i][e] = 0; /* nothing is known of where a row came from */
        }
    }
}

/* A request that fires and frees no entry takes the lowest one that is free. */
static void learn_by_next(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out,
                          const out_t *next) {
    const uint32_t entry = next->readResp.bits.collEntry;
    const bool frees = in->readData.req.valid && IN_SET(readData_req_bits_regs_enable) != 0;
    if (in->readReq.valid && out->readReq.ready && !frees && !in->reset &&
        entry < cfg->coll_entries) {
        st->alloc_valid |= (UINT32_C(1) << entry) - 1u;
        st->alloc_valid = with(st->alloc_valid, entry, false);
    }
}

/* §2.3: readData shows a row of each bank, and so the register that it was loaded from. */
static void learn_rows(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out) {
    const uint32_t shown = in->readData.req.bits.collEntry;
    const uint32_t entry = shown < cfg->coll_entries ? shown : 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        row_learn(ROW(bank, i, entry), out->readData.resp.bits[i].data);
        if (st->loaded[i][entry] != 0) {
            row_learn(ROW(rf, i, st->loaded[i][entry]), out->readData.resp.bits[i].data);
        }
    }
}

/* A row that lands at this edge equals its register, unless that is written in the same cycle. */
static void note_rows(const cfg_t *cfg, state_t *st, const in_t *in) {
    const bool writes = in->writeReq.valid & in->writeReq.bits.regs[0].enable;
    const uint32_t written = writes ? in->writeReq.bits.regs[0].pReg : 0, to = st->nextAllocId;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const bool is_same = st->nextPReg[i] != written && !has(st->collided, i);
        if (has(st->nextEn, i) && to < cfg->coll_entries) {
            st->loaded[i][to] = is_same ? st->nextPReg[i] : 0;
        }
        for (uint32_t entry = 0; entry < cfg->coll_entries; entry++) {
            if (st->loaded[i][entry] == written) {
                st->loaded[i][entry] = 0;
            }
        }
    }
}

#endif

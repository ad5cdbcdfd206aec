/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of Muon's operand collector (muon-issue §2) for the stage, on a record's control words,
 * inlined into it.
 */
#ifndef WLK_ISSUE_COLLECTOR_RULES_H
#define WLK_ISSUE_COLLECTOR_RULES_H

#include <string.h>

#include "frame/bits.h"
#include "muon/prf_rows.h"
#include "warplock/issue.h"
#include "warplock/muon.h"

typedef wlk_collector_cfg coll_cfg;
typedef wlk_issue_collector coll_state;

#define COLL_GET(field, words)        wlk_collector_in_get_##field(words)
#define COLL_PUT(field, words, value) wlk_collector_out_put_##field(words, value)

enum {
    COLL_OPERANDS = 3,
    COLL_SINK = 32, // bank row that takes what must not land
    COLL_BANK_ROWS = 33,
    COLL_RF_FIRST = COLL_OPERANDS * COLL_BANK_ROWS, // row of register 0
};

// One cycle, derived once and used by all: what the inputs ask, the control outputs, the next
// values. One-bit values are 0 or 1; a set of operands has bit i for operand i.
typedef struct coll_comb {
    uint32_t reset;
    uint32_t req_valid;  // readReq.valid
    uint32_t shown;      // operands that readData asks for
    uint32_t free_now;   // readData frees its entry
    uint32_t request;    // readReq fires
    uint32_t enables;    // operands of the request that fires
    uint32_t read_valid; // readData.req.valid
    uint32_t entry;      // readData.req.bits.collEntry
    uint32_t read_entry; // entry shown on readData
    uint32_t in_range;   // readData names an entry that exists
    uint32_t allocated;  // the entry shown is taken
    uint32_t full;       // every entry is taken
    uint32_t write_fire; // an enabled write
    uint32_t write;      // it reaches the register file
    uint32_t write_preg;
    uint32_t free_next;
    uint32_t id_next;
    uint32_t pregs[COLL_OPERANDS];
    uint64_t write_mask;
    uint64_t control[WLK_COLLECTOR_OUT_CONTROL]; // control outputs
} coll_comb;

// Words of a row in a record.
static inline uint32_t coll_words(const coll_cfg *cfg) {
    return prf_words_of(cfg->num_lanes, cfg->lane_bits);
}

static inline uint32_t coll_all_entries(const coll_cfg *cfg) {
    return (uint32_t)wlk_mask(cfg->coll_entries);
}

// Bank rows: the operands of an entry side by side.
PRF_INLINE uint32_t coll_bank_row(uint32_t operand, uint32_t entry) {
    return entry * COLL_OPERANDS + operand;
}

PRF_INLINE uint64_t *coll_bank(coll_state *st, uint32_t operand, uint32_t entry, uint32_t stride) {
    return st->rows + (size_t)coll_bank_row(operand, entry) * stride;
}

PRF_INLINE const uint64_t *coll_bank_at(const coll_state *st, uint32_t operand, uint32_t entry,
                                        uint32_t stride) {
    return st->rows + (size_t)coll_bank_row(operand, entry) * stride;
}

PRF_INLINE uint64_t *coll_rf(coll_state *st, uint32_t preg, uint32_t stride) {
    return st->rows + (size_t)COLL_RF_FIRST * stride + (size_t)preg * stride;
}

// §2 "Comb.": ready, response and data ports.
PRF_INLINE void coll_outputs(const coll_state *st, coll_comb *c) {
    c->control[0] = 0;
    COLL_PUT(readReq_ready, c->control, bit_not(c->full) | c->free_now);
    COLL_PUT(readResp_valid, c->control, st->readRespValid);
    COLL_PUT(readResp_bits_collEntry, c->control, st->nextAllocId);
    COLL_PUT(readResp_bits_regs_enable, c->control, st->nextEn);
    COLL_PUT(writeReq_ready, c->control, 1u);
    COLL_PUT(writeResp_valid, c->control, st->writeRespValid);
    COLL_PUT(writeResp_bits_collEntry, c->control, 0u);
    COLL_PUT(writeResp_bits_regs_enable, c->control, 1u);
    COLL_PUT(readData_resp_valid, c->control, c->allocated);
    COLL_PUT(readData_resp_bits_enable, c->control, c->shown);
}

// §2 "Allocation": the entry being freed is taken first, else the lowest free one.
PRF_INLINE void coll_allocate(const coll_state *st, coll_comb *c) {
    const uint32_t lowest = (uint32_t)__builtin_ctz(st->free_entries | UINT32_C(1) << 31);
    const uint32_t take = c->request & ~c->free_now;
    const uint32_t give = c->free_now & ~c->request & c->in_range;
    const uint32_t id = c->free_now ? c->entry : lowest;
    const uint32_t taken = st->free_entries & (0u - st->free_entries) & bit_all(take);
    c->free_next = (st->free_entries & ~taken) | give << c->read_entry;
    c->id_next = c->request ? id : st->nextAllocId;
}

// What shows on the ports.
PRF_INLINE void coll_observe(const coll_cfg *cfg, const coll_state *st, const uint64_t *in,
                             coll_comb *c) {
    c->entry = COLL_GET(readData_req_bits_collEntry, in);
    c->read_valid = COLL_GET(readData_req_valid, in);
    c->in_range = c->entry < cfg->coll_entries;
    // §2: an index beyond the entries reads entry 0.
    c->read_entry = c->in_range ? c->entry : 0u;
    c->allocated = bit_not(st->free_entries >> c->read_entry & 1u);
    c->shown = COLL_GET(readData_req_bits_regs_enable, in) & bit_all(c->read_valid);
    c->free_now = (uint32_t)(c->shown != 0);
    c->full = st->free_entries == 0;
    coll_outputs(st, c);
}

// The request: what it takes, what lands at the edge after.
PRF_INLINE void coll_request(const coll_state *st, const uint64_t *in, coll_comb *c) {
    const uint32_t pregs = COLL_GET(readReq_bits_regs_pReg, in);
    c->req_valid = COLL_GET(readReq_valid, in);
    c->request = c->req_valid & (bit_not(c->full) | c->free_now);
    c->enables = COLL_GET(readReq_bits_regs_enable, in) & bit_all(c->request);
    for (uint32_t i = 0; i < COLL_OPERANDS; i++) {
        c->pregs[i] = wlk_preg_at(pregs, i);
    }
    coll_allocate(st, c);
}

PRF_INLINE void coll_write(const uint64_t *in, coll_comb *c) {
    c->write_preg = COLL_GET(writeReq_bits_regs_pReg, in);
    c->write_mask = COLL_GET(writeReq_bits_regs_tmask, in);
    c->write_fire = COLL_GET(writeReq_valid, in) & COLL_GET(writeReq_bits_regs_enable, in);
    c->write = c->write_fire & (uint32_t)(c->write_preg != 0);
}

PRF_INLINE void coll_cycle(const coll_cfg *cfg, const coll_state *st, const uint64_t *in,
                           coll_comb *c) {
    coll_observe(cfg, st, in, c);
    coll_request(st, in, c);
    coll_write(in, c);
    c->reset = COLL_GET(reset, in);
}

// Operands whose register is `preg`.
PRF_INLINE uint32_t coll_naming(uint32_t preg, uint32_t a, uint32_t b, uint32_t c) {
    return (uint32_t)(a == preg) | (uint32_t)(b == preg) << 1 | (uint32_t)(c == preg) << 2;
}

static inline void coll_take_saved(coll_state *st, uint32_t entry, uint32_t stride) {
    for (uint32_t i = 0; i < COLL_OPERANDS; i++) {
        if ((uint32_t)st->landing_saved >> i & 1u) {
            prf_copy(coll_bank(st, i, entry, stride), st->saved[i], stride);
            st->bank_known[coll_bank_row(i, entry)] = st->saved_known[i];
        }
    }
}

// §2 "Read landing": the array is read after the edge of the request, so what lands in `entry` is
// the register file before this cycle's write. What must not land goes to the sink row: on random
// traffic a branch would cost more than the copy.
PRF_INLINE void coll_land(coll_state *st, uint32_t entry, uint32_t stride) {
    const size_t own = entry, sink = COLL_SINK;
    for (uint32_t i = 0; i < COLL_OPERANDS; i++) {
        const size_t to = ((st->nextEn >> i & 1) != 0 ? own : sink) * COLL_OPERANDS + i;
        const uint32_t preg = st->nextPReg[i];
        prf_copy(st->rows + to * stride, coll_rf(st, preg, stride), stride);
        st->bank_known[to] = st->rf_known[preg];
    }
    if (st->landing_saved) {
        coll_take_saved(st, entry, stride);
    }
    st->occupant_enable[st->readRespValid ? entry : (uint32_t)COLL_SINK] = st->nextEn;
}

// read_during_write old | undefined: keep the row as it is before the write of this cycle.
// Takes scalars: handing out a pointer to comb would keep the hot path's values in memory.
static inline void coll_save_collisions(const coll_cfg *cfg, coll_state *st, uint32_t operands,
                                        uint32_t preg, uint64_t mask, uint32_t stride) {
    const bool undefined = cfg->read_during_write == WLK_COLLECTOR_READ_DURING_WRITE_UNDEFINED;
    for (uint32_t i = 0; i < COLL_OPERANDS; i++) {
        if (operands >> i & 1u) {
            prf_copy(st->saved[i], coll_rf(st, preg, stride), stride);
            st->saved_known[i] = st->rf_known[preg] & ~(undefined ? mask : 0u);
        }
    }
    st->landing_saved = (uint8_t)operands;
}

static inline void coll_reset(const coll_cfg *cfg, coll_state *st, uint32_t stride) {
    st->free_entries = coll_all_entries(cfg);
    st->nextAllocId = 0;
    st->nextEn = 0;
    st->readRespValid = 0;
    st->landing_saved = 0;
    st->reset_seen = 1;
    memset(st->nextPReg, 0, sizeof st->nextPReg);
    memset(st->occupant_enable, 0, sizeof st->occupant_enable);
    for (uint32_t i = 0; i < COLL_OPERANDS; i++) {
        for (uint32_t e = 0; e < cfg->coll_entries; e++) {
            memset(coll_bank(st, i, e, stride), 0, stride * sizeof(uint64_t));
            st->bank_known[coll_bank_row(i, e)] = ~UINT64_C(0);
        }
    }
}

// Registers of the request.
PRF_INLINE void coll_take(coll_state *st, const coll_comb *c) {
    for (uint32_t i = 0; i < COLL_OPERANDS; i++) {
        st->nextPReg[i] = (uint16_t)c->pregs[i];
    }
    st->free_entries = c->free_next;
    st->nextAllocId = (uint8_t)c->id_next;
    st->nextEn = (uint8_t)c->enables;
    st->readRespValid = (uint8_t)c->request;
}

// The write, behind coll_take.
PRF_INLINE void coll_store(const coll_cfg *cfg, coll_state *st, const coll_comb *c,
                           const void *data, uint32_t words, uint32_t lane_bits) {
    const uint32_t stride = prf_stride_of(words);
    const uint64_t written = c->write_mask & (0u - (uint64_t)c->write);
    // §2: no reset reaches this flop.
    st->writeRespValid = (uint8_t)c->write_fire;
    if (cfg->read_during_write != WLK_COLLECTOR_READ_DURING_WRITE_NEW) {
        const uint16_t *p = st->nextPReg;
        const uint32_t hit = st->nextEn & coll_naming(c->write_preg, p[0], p[1], p[2]);
        coll_save_collisions(cfg, st, hit & bit_all(c->write), c->write_preg, c->write_mask,
                             stride);
    }
    prf_write(coll_rf(st, c->write_preg, stride), data, written, words, lane_bits);
    st->rf_known[c->write_preg] |= written;
}

// The clock edge. `data` is the row written, `words` the words of a row.
PRF_INLINE void coll_commit(const coll_cfg *cfg, coll_state *st, const coll_comb *c,
                            const void *data, uint32_t words, uint32_t lane_bits) {
    const uint32_t stride = prf_stride_of(words);
    const uint32_t id = st->nextAllocId;
    const uint32_t entry = id < cfg->coll_entries ? id : (uint32_t)COLL_SINK;
    coll_land(st, entry, stride);
    coll_take(st, c);
    coll_store(cfg, st, c, data, words, lane_bits);
    st->writeResp_known = 1;
    if (c->reset) {
        coll_reset(cfg, st, stride);
    }
}

static inline size_t coll_state_size(const coll_cfg *cfg) {
    const size_t rows = (size_t)COLL_RF_FIRST + cfg->num_pregs + 1u;
    return offsetof(coll_state, rows) + rows * prf_stride_of(coll_words(cfg)) * sizeof(uint64_t);
}

static inline void coll_init(const coll_cfg *cfg, coll_state *st, wlk_power_up power_up) {
    memset(st, 0, coll_state_size(cfg));
    st->free_entries = coll_all_entries(cfg);
    st->rf_known[0] = ~UINT64_C(0); // register 0 is hardwired zero
    if (power_up == WLK_POWER_ZERO) {
        st->reset_seen = 1;
        st->writeResp_known = 1;
        memset(st->bank_known, 0xff, sizeof st->bank_known);
        memset(st->rf_known, 0xff, sizeof(uint64_t) * cfg->num_pregs);
    }
}

static inline bool coll_drained(const coll_cfg *cfg, const coll_state *st) {
    return st->free_entries == coll_all_entries(cfg) && !st->readRespValid;
}

#endif

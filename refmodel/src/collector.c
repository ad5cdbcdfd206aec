// SPDX-License-Identifier: Apache-2.0
// Muon's operand collector. One function, comb(), computes a cycle; eval, tick, record and step
// only report or commit it. Spec sections are those of muon-issue.
#include "warplock/collector.h"

#include <string.h>

#include "isa.h"
#include "prf_rows.h"

typedef wlk_collector_cfg cfg_t;
typedef wlk_collector_state state_t;

#define GET(field, words)        wlk_collector_in_get_##field(words)
#define PUT(field, words, value) wlk_collector_out_put_##field(words, value)

enum {
    OPERANDS = WLK_COLLECTOR_OPERANDS,
    ENTRIES_SINK = 32, // bank row that takes what must not land
    BANK_ROWS = 33,
    RF_FIRST = OPERANDS * BANK_ROWS, // row of register 0
    PREG_BITS = 10,                  // a register number in a record
    IN_CONTROL = WLK_COLLECTOR_IN_CONTROL,
    OUT_CONTROL = WLK_COLLECTOR_OUT_CONTROL,
};

// Coverage points in the order of the table.
enum {
    EV_ALLOC,
    EV_FREE,
    EV_ALLOC_AND_FREE,
    EV_REUSE_ALTHOUGH_OTHER_FREE,
    EV_STALL_FULL,
    EV_FULL_TABLE,
    EV_READ_IDLE_ENTRY,
    EV_READ_STALE_OPERAND,
    EV_COLLECT_X0,
    EV_REPEATED_REGISTER,
    EV_WRITE_PARTIAL,
    EV_WRITE_X0,
    EV_READ_DURING_WRITE,
    EV_WRITE_WHILE_LANDING,
    EV_RESET_IN_FLIGHT,
    EV_WRITE_IN_RESET,
    EV_REQUEST_IN_RESET,
    EV_FREE_WITHOUT_REQUEST,
};

// One cycle, derived once and used by all: what the inputs ask, the control outputs, the next
// values. One-bit values are 0 or 1; a set of operands has bit i for operand i.
typedef struct comb {
    uint32_t reset;
    uint32_t req_valid;  // readReq.valid
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
    uint32_t pregs[OPERANDS];
    uint64_t write_mask;
    uint64_t control[OUT_CONTROL]; // control outputs
} comb_t;

// Of one bit.
PRF_INLINE uint32_t not(uint32_t bit) {
    return bit ^ 1u;
}

static inline wlk_prf_shape shape_of(const cfg_t *cfg) {
    const wlk_prf_shape shape = {cfg->num_pregs, cfg->reg_banks, cfg->num_lanes, cfg->lane_bits,
                                 (wlk_prf_select)cfg->bank_select};
    return shape;
}

static inline uint32_t all_entries(const cfg_t *cfg) {
    return (uint32_t)wlk_mask(cfg->coll_entries);
}

PRF_INLINE uint32_t stride_of(uint32_t words) {
    return (words + WLK_PRF_CHUNK_WORDS - 1u) & ~(WLK_PRF_CHUNK_WORDS - 1u);
}

PRF_INLINE uint64_t *bank_row(state_t *st, uint32_t operand, uint32_t entry, uint32_t stride) {
    return st->rows + (size_t)(operand * BANK_ROWS + entry) * stride;
}

PRF_INLINE const uint64_t *bank_at(const state_t *st, uint32_t operand, uint32_t entry,
                                   uint32_t stride) {
    return st->rows + (size_t)(operand * BANK_ROWS + entry) * stride;
}

PRF_INLINE uint64_t *rf_row(state_t *st, uint32_t preg, uint32_t stride) {
    return st->rows + (size_t)(RF_FIRST + preg) * stride;
}

// §2 "Comb.": ready, response and data ports.
PRF_INLINE void outputs(const state_t *st, const uint64_t *in, comb_t *c) {
    const uint32_t shown = GET(readData_req_bits_regs_enable, in) & (0u - c->read_valid);
    c->control[0] = 0;
    PUT(readReq_ready, c->control, not(c->full) | c->free_now);
    PUT(readResp_valid, c->control, st->readRespValid);
    PUT(readResp_bits_collEntry, c->control, st->nextAllocId);
    PUT(readResp_bits_regs_enable, c->control, st->nextEn);
    PUT(writeReq_ready, c->control, 1u);
    PUT(writeResp_valid, c->control, st->writeRespValid);
    PUT(writeResp_bits_collEntry, c->control, 0u);
    PUT(writeResp_bits_regs_enable, c->control, 1u);
    PUT(readData_resp_valid, c->control, c->allocated);
    PUT(readData_resp_bits_enable, c->control, shown);
}

// §2 "Allocation": the entry being freed is taken first, else the lowest free one.
PRF_INLINE void allocate(const state_t *st, comb_t *c) {
    const uint32_t lowest = (uint32_t)__builtin_ctz(st->free_entries | UINT32_C(1) << 31);
    const uint32_t take = c->request & not(c->free_now);
    const uint32_t give = not(c->request) & c->free_now & c->in_range;
    const uint32_t id = c->free_now ? c->entry : lowest;
    c->free_next = (st->free_entries & ~(take << lowest)) | give << c->read_entry;
    c->id_next = c->request ? id : st->nextAllocId;
}

// What shows on the ports.
PRF_INLINE void observe(const cfg_t *cfg, const state_t *st, const uint64_t *in, comb_t *c) {
    c->entry = GET(readData_req_bits_collEntry, in);
    c->read_valid = GET(readData_req_valid, in);
    c->in_range = c->entry < cfg->coll_entries;
    // §2: an index beyond the entries reads entry 0.
    c->read_entry = c->in_range ? c->entry : 0u;
    c->allocated = not(st->free_entries >> c->read_entry & 1u);
    c->free_now = c->read_valid & (uint32_t)(GET(readData_req_bits_regs_enable, in) != 0u);
    c->full = st->free_entries == 0u;
    outputs(st, in, c);
}

// What the edge does.
PRF_INLINE void decide(const state_t *st, const uint64_t *in, comb_t *c) {
    const uint32_t pregs = GET(readReq_bits_regs_pReg, in);
    c->reset = GET(reset, in);
    c->req_valid = GET(readReq_valid, in);
    c->request = c->req_valid & (not(c->full) | c->free_now);
    c->enables = GET(readReq_bits_regs_enable, in) & (0u - c->request);
    for (uint32_t i = 0; i < OPERANDS; i++) {
        c->pregs[i] = pregs >> (i * PREG_BITS) & ((1u << PREG_BITS) - 1u);
    }
    c->write_preg = GET(writeReq_bits_regs_pReg, in);
    c->write_mask = GET(writeReq_bits_regs_tmask, in);
    c->write_fire = GET(writeReq_valid, in) & GET(writeReq_bits_regs_enable, in);
    c->write = c->write_fire & (uint32_t)(c->write_preg != 0u);
    allocate(st, c);
}

PRF_INLINE void comb(const cfg_t *cfg, const state_t *st, const uint64_t *in, comb_t *c) {
    observe(cfg, st, in, c);
    decide(st, in, c);
}

// Protocol rules; a reset cycle and the time before the first reset break none.
PRF_INLINE uint32_t violations(const state_t *st, const comb_t *c) {
    const uint32_t live = not(c->reset) & st->reset_seen & c->read_valid;
    return (live & (not(c->allocated) | not(c->in_range))) *
               (uint32_t)WLK_COLLECTOR_READDATA_UNALLOCATED |
           (live & not(c->in_range)) * (uint32_t)WLK_COLLECTOR_READDATA_OUT_OF_RANGE;
}

// Operands whose register is `preg`.
PRF_INLINE uint32_t naming(uint32_t preg, uint32_t a, uint32_t b, uint32_t c) {
    return (uint32_t)(a == preg) | (uint32_t)(b == preg) << 1 | (uint32_t)(c == preg) << 2;
}

static uint64_t request_events(const comb_t *c) {
    const uint32_t e = c->enables;
    const uint32_t *p = c->pregs;
    const uint32_t x0 = e & naming(0, p[0], p[1], p[2]);
    const uint32_t again = (e & e >> 1 & (uint32_t)(p[0] == p[1])) |
                           (e & e >> 2 & (uint32_t)(p[0] == p[2])) |
                           (e >> 1 & e >> 2 & (uint32_t)(p[1] == p[2]));
    const uint32_t hit = e & naming(c->write_preg, p[0], p[1], p[2]);
    return (uint64_t)(x0 != 0u) << EV_COLLECT_X0 | (uint64_t)(again & 1u) << EV_REPEATED_REGISTER |
           (uint64_t)(c->write & (uint32_t)(hit != 0u)) << EV_READ_DURING_WRITE;
}

static uint64_t table_events(const cfg_t *cfg, const state_t *st, const comb_t *c) {
    const uint64_t stale =
        c->read_valid & c->allocated & (uint32_t)(st->occupant_enable[c->read_entry] != 7u);
    const uint64_t both = c->request & c->free_now;
    const uint64_t spare = not(c->full) & (uint32_t)(cfg->coll_entries > 1u);
    return (uint64_t)(c->request & not(c->free_now)) << EV_ALLOC |
           (uint64_t)(c->free_now & not(c->request)) << EV_FREE | both << EV_ALLOC_AND_FREE |
           (both & spare) << EV_REUSE_ALTHOUGH_OTHER_FREE |
           (uint64_t)(c->req_valid & not(c->request)) << EV_STALL_FULL |
           (uint64_t)c->full << EV_FULL_TABLE | (uint64_t) not(c->allocated) << EV_READ_IDLE_ENTRY |
           stale << EV_READ_STALE_OPERAND |
           (uint64_t)(c->free_now & not(c->req_valid)) << EV_FREE_WITHOUT_REQUEST;
}

static uint64_t write_events(const cfg_t *cfg, const state_t *st, const comb_t *c) {
    const uint64_t all = wlk_mask(cfg->num_lanes);
    const uint64_t lanes = c->write_mask & all;
    const uint32_t partial = (uint32_t)(lanes != 0u) & (uint32_t)(lanes != all);
    const uint16_t *p = st->nextPReg;
    const uint32_t hit = st->nextEn & naming(c->write_preg, p[0], p[1], p[2]);
    return (uint64_t)(c->write & partial) << EV_WRITE_PARTIAL |
           (uint64_t)(c->write_fire & not(c->write)) << EV_WRITE_X0 |
           (uint64_t)(c->write & (uint32_t)(hit != 0u)) << EV_WRITE_WHILE_LANDING;
}

// Coverage points of the cycle.
static uint64_t events(const cfg_t *cfg, const state_t *st, const comb_t *c) {
    if (!st->reset_seen) {
        return 0;
    }
    if (c->reset) {
        return (uint64_t)(st->free_entries != all_entries(cfg)) << EV_RESET_IN_FLIGHT |
               (uint64_t)c->write << EV_WRITE_IN_RESET |
               (uint64_t)c->request << EV_REQUEST_IN_RESET;
    }
    return request_events(c) | table_events(cfg, st, c) | write_events(cfg, st, c);
}

static void take_saved(state_t *st, uint32_t entry, uint32_t stride) {
    for (uint32_t i = 0; i < OPERANDS; i++) {
        if ((uint32_t)st->landing_saved >> i & 1u) {
            prf_copy(bank_row(st, i, entry, stride), st->saved[i], stride);
            st->bank_known[i][entry] = st->saved_known[i];
        }
    }
}

// §2 "Read landing": the array is read after the edge of the request, so what lands is the
// register file before this cycle's write. What must not land goes to the sink row: on random
// traffic a branch would cost more than the copy.
PRF_INLINE void land(const cfg_t *cfg, state_t *st, uint32_t stride) {
    const uint32_t id = st->nextAllocId;
    const uint32_t entry = id < cfg->coll_entries ? id : (uint32_t)ENTRIES_SINK;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const uint32_t to = (uint32_t)st->nextEn >> i & 1u ? entry : (uint32_t)ENTRIES_SINK;
        const uint32_t preg = st->nextPReg[i];
        prf_copy(bank_row(st, i, to, stride), rf_row(st, preg, stride), stride);
        st->bank_known[i][to] = st->rf_known[preg];
    }
    if (st->landing_saved) {
        take_saved(st, entry, stride);
    }
    st->occupant_enable[st->readRespValid ? entry : (uint32_t)ENTRIES_SINK] = st->nextEn;
}

// read_during_write old | undefined: keep the row as it is before the write of this cycle.
// Takes scalars: handing out a pointer to comb would keep the hot path's values in memory.
static void save_collisions(const cfg_t *cfg, state_t *st, uint32_t operands, uint32_t preg,
                            uint64_t mask, uint32_t stride) {
    const bool undefined = cfg->read_during_write == WLK_COLLECTOR_READ_DURING_WRITE_UNDEFINED;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        if (operands >> i & 1u) {
            prf_copy(st->saved[i], rf_row(st, preg, stride), stride);
            st->saved_known[i] = st->rf_known[preg] & ~(undefined ? mask : 0u);
        }
    }
    st->landing_saved = (uint8_t)operands;
}

static void reset_registers(const cfg_t *cfg, state_t *st, uint32_t stride) {
    st->free_entries = all_entries(cfg);
    st->nextAllocId = 0;
    st->nextEn = 0;
    st->readRespValid = 0;
    st->landing_saved = 0;
    st->reset_seen = 1;
    memset(st->nextPReg, 0, sizeof st->nextPReg);
    memset(st->occupant_enable, 0, sizeof st->occupant_enable);
    for (uint32_t i = 0; i < OPERANDS; i++) {
        for (uint32_t e = 0; e < cfg->coll_entries; e++) {
            memset(bank_row(st, i, e, stride), 0, stride * sizeof(uint64_t));
            st->bank_known[i][e] = ~UINT64_C(0);
        }
    }
}

// The clock edge. `data` is the row written, `words` the words of a row.
PRF_INLINE void commit(const cfg_t *cfg, state_t *st, const comb_t *c, const void *data,
                       uint32_t words, uint32_t lane_bits) {
    const uint32_t stride = stride_of(words);
    // A write that reaches nothing goes to the row behind the last register.
    const uint32_t target = c->write ? c->write_preg : cfg->num_pregs;
    land(cfg, st, stride);
    if (cfg->read_during_write != WLK_COLLECTOR_READ_DURING_WRITE_NEW) {
        const uint32_t *p = c->pregs;
        const uint32_t hit = c->enables & naming(target, p[0], p[1], p[2]);
        save_collisions(cfg, st, hit, target, c->write_mask, stride);
    }
    prf_write(rf_row(st, target, stride), data, c->write_mask, words, lane_bits);
    st->rf_known[target] |= c->write_mask;
    st->free_entries = c->free_next;
    st->nextAllocId = (uint8_t)c->id_next;
    st->nextEn = (uint8_t)c->enables;
    st->readRespValid = (uint8_t)c->request;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        st->nextPReg[i] = (uint16_t)c->pregs[i];
    }
    // §2: no reset reaches this flop.
    st->writeRespValid = (uint8_t)c->write_fire;
    st->writeResp_known = 1;
    if (c->reset) {
        reset_registers(cfg, st, stride);
    }
}

static uint64_t lane_care(uint64_t known, uint32_t word, const cfg_t *cfg) {
    const uint32_t lanes = 64u / cfg->lane_bits;
    const uint64_t lane = wlk_mask(cfg->lane_bits);
    uint64_t care = 0;
    for (uint32_t l = 0; l < lanes && word * lanes + l < cfg->num_lanes; l++) {
        care |= known >> (word * lanes + l) & 1u ? lane << (l * cfg->lane_bits) : 0u;
    }
    return care;
}

// Care of the control outputs: 1 bits where the value follows from known state.
static void control_care(const cfg_t *cfg, const state_t *st, const comb_t *c, uint64_t *care) {
    const uint64_t seen = st->reset_seen;
    const uint64_t id = wlk_mask(wlk_idw(cfg->coll_entries));
    care[0] = 0;
    PUT(readReq_ready, care, seen | c->free_now);
    PUT(readResp_valid, care, seen);
    PUT(readResp_bits_collEntry, care, seen * id);
    PUT(readResp_bits_regs_enable, care, seen * 7u);
    PUT(writeReq_ready, care, 1u);
    PUT(writeResp_valid, care, st->writeResp_known);
    PUT(writeResp_bits_collEntry, care, id);
    PUT(writeResp_bits_regs_enable, care, 1u);
    PUT(readData_resp_valid, care, seen);
    PUT(readData_resp_bits_enable, care, 7u);
}

// Nonzero when an output of the cycle is unknown.
PRF_INLINE uint64_t unknown(const state_t *st, const comb_t *c, uint64_t all) {
    const uint64_t known = st->bank_known[0][c->read_entry] & st->bank_known[1][c->read_entry] &
                           st->bank_known[2][c->read_entry];
    return (~known & all) | not(st->reset_seen & st->writeResp_known);
}

static void fill_row(const cfg_t *cfg, const uint64_t *row, uint64_t known, uint64_t *out,
                     uint64_t *care, uint32_t words) {
    const uint64_t all = wlk_mask(cfg->num_lanes);
    if ((known & all) == all && cfg->num_lanes * cfg->lane_bits == words * 64u) {
        memcpy(out, row, words * sizeof *out);
        memset(care, 0xff, words * sizeof *care);
        return;
    }
    for (uint32_t w = 0; w < words; w++) {
        care[w] = lane_care(known, w, cfg);
        out[w] = row[w] & care[w];
    }
}

// Whole output record of the cycle. An unknown bit is 0 with care 0.
PRF_INLINE void fill(const cfg_t *cfg, const state_t *st, const comb_t *c, uint64_t *out,
                     uint64_t *care, uint32_t words) {
    control_care(cfg, st, c, care);
    out[0] = c->control[0] & care[0];
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const uint64_t known = st->reset_seen ? st->bank_known[i][c->read_entry] : 0u;
        const uint32_t at = OUT_CONTROL + i * words;
        fill_row(cfg, bank_at(st, i, c->read_entry, stride_of(words)), known, out + at, care + at,
                 words);
    }
}

static wlk_status check(const uint32_t *params, wlk_error *err) {
    const cfg_t *cfg = (const cfg_t *)params;
    const wlk_status status = wlk_config_check(&wlk_collector_table, params, err);
    if (status != WLK_OK) {
        return status;
    }
    if (cfg->reg_banks > cfg->num_pregs) {
        return wlk_fail(err, WLK_BAD_CONFIG,
                        "config: reg_banks=%u is more than num_pregs=%u; give at most one bank a "
                        "register",
                        cfg->reg_banks, cfg->num_pregs);
    }
    return WLK_OK;
}

static size_t state_size(const uint32_t *params) {
    const cfg_t *cfg = (const cfg_t *)params;
    const wlk_prf_shape shape = shape_of(cfg);
    const size_t rows = (size_t)RF_FIRST + cfg->num_pregs + 1u;
    return offsetof(state_t, rows) + rows * wlk_prf_stride(&shape) * sizeof(uint64_t);
}

static void init(const uint32_t *params, void *state, wlk_power_up power_up) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    memset(st, 0, state_size(params));
    st->free_entries = all_entries(cfg);
    st->rf_known[0] = ~UINT64_C(0); // register 0 is hardwired zero
    if (power_up == WLK_POWER_ZERO) {
        st->reset_seen = 1;
        st->writeResp_known = 1;
        memset(st->bank_known, 0xff, sizeof st->bank_known);
        memset(st->rf_known, 0xff, sizeof(uint64_t) * cfg->num_pregs);
    }
}

static void eval(const uint32_t *params, const void *state, const uint64_t *in, uint64_t *out,
                 uint64_t *care) {
    const cfg_t *cfg = (const cfg_t *)params;
    const state_t *st = (const state_t *)state;
    const wlk_prf_shape shape = shape_of(cfg);
    comb_t c;
    comb(cfg, st, in, &c);
    fill(cfg, st, &c, out, care, wlk_prf_words(&shape));
}

static void tick(const uint32_t *params, void *state, const uint64_t *in, wlk_step_info *info) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    const wlk_prf_shape shape = shape_of(cfg);
    comb_t c;
    comb(cfg, st, in, &c);
    info->events = events(cfg, st, &c);
    info->violated = violations(st, &c);
    commit(cfg, st, &c, in + IN_CONTROL, wlk_prf_words(&shape), cfg->lane_bits);
}

PRF_INLINE void record_words(const cfg_t *cfg, state_t *st, const uint64_t *in, uint64_t *out,
                             uint64_t *care, wlk_step_info *info, uint32_t words,
                             uint32_t lane_bits) {
    comb_t c;
    comb(cfg, st, in, &c);
    info->events = events(cfg, st, &c);
    info->violated = violations(st, &c);
    fill(cfg, st, &c, out, care, words);
    commit(cfg, st, &c, in + IN_CONTROL, words, lane_bits);
}

static void record(const uint32_t *params, void *state, const uint64_t *in, uint64_t *out,
                   uint64_t *care, wlk_step_info *info) {
    const cfg_t *cfg = (const cfg_t *)params;
    const wlk_prf_shape shape = shape_of(cfg);
    if (cfg->num_lanes == 16u && cfg->lane_bits == 32u) {
        record_words(cfg, (state_t *)state, in, out, care, info, 8u, 32u);
    } else {
        const uint32_t words = wlk_prf_words(&shape);
        record_words(cfg, (state_t *)state, in, out, care, info, words, cfg->lane_bits);
    }
}

// Compare and commit. Inlined where the shape is constant: rows are whole vectors there.
PRF_INLINE int step_shape(const cfg_t *cfg, state_t *st, const wlk_view *in, const wlk_view *got,
                          wlk_step_info *info, uint32_t lanes, uint32_t lane_bits) {
    const uint32_t words = (lanes * lane_bits + 63u) / 64u;
    const uint32_t stride = stride_of(words);
    comb_t c;
    observe(cfg, st, in->control, &c);
    prf_vec diff = prf_differ(bank_at(st, 0, c.read_entry, stride), got->payload[0], words);
    diff |= prf_differ(bank_at(st, 1, c.read_entry, stride), got->payload[1], words);
    diff |= prf_differ(bank_at(st, 2, c.read_entry, stride), got->payload[2], words);
    const uint64_t differs = (c.control[0] ^ got->control[0]) | prf_any(diff);
    if (differs | unknown(st, &c, wlk_mask(lanes))) {
        return 1;
    }
    decide(st, in->control, &c);
    // Legal inputs are the rule: a branch that is never taken costs less than the bitmap.
    info->violated = c.read_valid & not(c.allocated & c.in_range) ? violations(st, &c) : 0u;
    commit(cfg, st, &c, in->payload[0], words, lane_bits);
    return 0;
}

static __attribute__((noinline)) int step_16x32(const cfg_t *cfg, state_t *st, const wlk_view *in,
                                                const wlk_view *got, wlk_step_info *info) {
    return step_shape(cfg, st, in, got, info, 16u, 32u);
}

static __attribute__((noinline)) int step_any(const cfg_t *cfg, state_t *st, const wlk_view *in,
                                              const wlk_view *got, wlk_step_info *info) {
    return step_shape(cfg, st, in, got, info, cfg->num_lanes, cfg->lane_bits);
}

static int step(const uint32_t *params, void *state, const wlk_view *in, const wlk_view *got,
                wlk_step_info *info) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    const bool usual = cfg->num_lanes == 16u && cfg->lane_bits == 32u;
    return usual ? step_16x32(cfg, st, in, got, info) : step_any(cfg, st, in, got, info);
}

// Lanes written from unknown bits are unknown from then on.
static void forget(const uint32_t *params, void *state, const uint64_t *in, const uint64_t *x) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    const uint32_t preg = GET(writeReq_bits_regs_pReg, in);
    if (!GET(writeReq_valid, in) || !GET(writeReq_bits_regs_enable, in) || preg == 0u) {
        return;
    }
    for (uint32_t lane = 0; lane < cfg->num_lanes; lane++) {
        const uint32_t bit = lane * cfg->lane_bits;
        const uint64_t unknown = x[IN_CONTROL + bit / 64u] >> bit % 64u & wlk_mask(cfg->lane_bits);
        const uint64_t written = GET(writeReq_bits_regs_tmask, in) >> lane & 1u;
        if (unknown != 0u && written) {
            st->rf_known[preg] &= ~(UINT64_C(1) << lane);
        }
    }
}

static bool drained(const uint32_t *params, const void *state) {
    const state_t *st = (const state_t *)state;
    return st->free_entries == all_entries((const cfg_t *)params) && !st->readRespValid;
}

static void visit_rows(const cfg_t *cfg, const state_t *st, wlk_state_visitor *visitor, void *ctx) {
    static const char *const bank_names[3] = {"bank[0]", "bank[1]", "bank[2]"};
    const wlk_prf_shape shape = shape_of(cfg);
    const uint32_t words = wlk_prf_words(&shape);
    const uint32_t stride = wlk_prf_stride(&shape);
    const uint64_t lanes = wlk_mask(cfg->num_lanes);
    for (uint32_t i = 0; i < OPERANDS; i++) {
        for (uint32_t e = 0; e < cfg->coll_entries; e++) {
            const uint64_t known = st->reset_seen ? st->bank_known[i][e] & lanes : 0u;
            visitor(ctx, bank_names[i], (int32_t)e, bank_at(st, i, e, stride), words, known);
        }
    }
    for (uint32_t r = 1; r < cfg->num_pregs; r++) {
        const uint64_t *row = st->rows + (size_t)(RF_FIRST + r) * stride;
        visitor(ctx, "rf", (int32_t)r, row, words, st->rf_known[r] & lanes);
    }
}

static void visit(const uint32_t *params, const void *state, wlk_state_visitor *visitor,
                  void *ctx) {
    const cfg_t *cfg = (const cfg_t *)params;
    const state_t *st = (const state_t *)state;
    const struct {
        const char *name;
        uint64_t value;
        uint64_t known;
    } flops[] = {
        {"alloc_valid", ~st->free_entries & all_entries(cfg), st->reset_seen},
        {"nextAllocId", st->nextAllocId, st->reset_seen},
        {"nextEn", st->nextEn, st->reset_seen},
        {"nextPReg[0]", st->nextPReg[0], st->reset_seen},
        {"nextPReg[1]", st->nextPReg[1], st->reset_seen},
        {"nextPReg[2]", st->nextPReg[2], st->reset_seen},
        {"readResp.valid", st->readRespValid, st->reset_seen},
        {"writeResp.valid", st->writeRespValid, st->writeResp_known},
    };
    for (size_t i = 0; i < sizeof flops / sizeof flops[0]; i++) {
        visitor(ctx, flops[i].name, -1, &flops[i].value, 1u, flops[i].known);
    }
    visit_rows(cfg, st, visitor, ctx);
}

const wlk_block WLK_ISA(wlk_collector_block) = {
    .table = &wlk_collector_table,
    .check = check,
    .state_size = state_size,
    .init = init,
    .eval = eval,
    .tick = tick,
    .record = record,
    .step = step,
    .forget = forget,
    .drained = drained,
    .visit = visit,
};

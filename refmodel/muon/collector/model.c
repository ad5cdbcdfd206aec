// SPDX-License-Identifier: Apache-2.0
// Muon's operand collector. Rules: README.md (muon-issue §2).
#include "muon/sets.h"
#include "warplock/collector.h"
#include "warplock/collector_open.h"
#include "warplock/collector_view.h"

#define MODEL      collector
#define MODEL_CAPS COLLECTOR

// Register 0 has no row. `saved`: what was read before a write of the same cycle (§2.13).
#define RAMS(RAM)                                                                                  \
    RAM(rf, OPERANDS, 1, cfg->num_pregs, cfg->num_lanes, cfg->lane_bits)                           \
    RAM(bank, OPERANDS, 0, cfg->coll_entries, cfg->num_lanes, cfg->lane_bits)                      \
    RAM(saved, OPERANDS, 0, 1, cfg->num_lanes, cfg->lane_bits)

// Values derived from inputs and state, once a cycle.
typedef struct cycle {
    bool in_range;
    uint8_t entry;    // the entry that readData shows
    uint8_t operands; // set: readData asks for them
    bool frees;       // freeNow
    bool is_ready;    // readReq.ready
    bool fires;       // a request
    bool writes;      // also to register 0
} cycle;

#define CYCLE cycle
#include "frame/structs.h"

static void see(const cfg_t *cfg, const state_t *st, const in_t *in, cycle *c) {
    const uint32_t all = (uint32_t)wlk_mask(cfg->coll_entries);
    c->in_range = in->readData.req.bits.collEntry < cfg->coll_entries;
    c->entry = c->in_range ? in->readData.req.bits.collEntry : 0; // §2.4
    c->operands = in->readData.req.valid ? IN_SET(readData_req_bits_regs_enable) : 0;
    c->frees = c->operands != 0;                       // §2.1
    c->is_ready = (st->alloc_valid != all) | c->frees; // §2.2
    c->fires = in->readReq.valid & c->is_ready;
    c->writes = in->writeReq.valid & in->writeReq.bits.regs[0].enable;
}

// §2.6
static void response(const state_t *st, out_t *out, care_t *care) {
    SHOW(readResp.valid, st->readResp_valid);
    SHOW(readResp.bits.collEntry, st->nextAllocId);
    SHOW_SET(readResp_bits_regs_enable, st->nextEn);
}

static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, const cycle *c, out_t *out,
                    care_t *care) {
    (void)in;
    response(st, out, care);
    SHOW(readReq.ready, c->is_ready);
    SHOW(writeReq.ready, true); // §2.5
    SHOW(writeResp.valid, st->writeResp_valid);
    SHOW(writeResp.bits.collEntry, 0);
    SHOW(writeResp.bits.regs[0].enable, true);
    SHOW(readData.resp.valid, has(st->alloc_valid, c->entry)); // §2.3
    SHOW_SET(readData_resp_bits_enable, c->operands);
    for (uint32_t i = 0; i < OPERANDS; i++) {
        SHOW_ROW(readData.resp.bits[i].data, ROW(bank, i, c->entry));
    }
}

// No reset reaches the register files and writeResp.valid (§2.12).
static void clear(const cfg_t *cfg, state_t *st) {
    const state_t reset = {.writeResp_valid = st->writeResp_valid};
    *st = reset;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        for (uint32_t entry = 0; entry < cfg->coll_entries; entry++) {
            row_clear(ROW(bank, i, entry));
        }
    }
}

// §2.9: operand i lands in its bank.
static void land(const cfg_t *cfg, state_t *st, uint32_t i) {
    const uint32_t entry = st->nextAllocId, preg = st->nextPReg[i];
    if (!has(st->nextEn, i) || entry >= cfg->coll_entries) {
        return;
    }
    if (preg == 0) {
        row_clear(ROW(bank, i, entry));
    } else if (has(st->collided, i)) {
        row_copy(ROW(bank, i, entry), ROW(saved, i, 0));
    } else {
        row_copy(ROW(bank, i, entry), ROW(rf, i, preg));
    }
}

// §2.7
static void allocate(const cfg_t *cfg, state_t *st, const in_t *in, const cycle *c) {
    const uint32_t available = ~st->alloc_valid & (uint32_t)wlk_mask(cfg->coll_entries);
    if (c->fires & c->frees) {
        st->nextAllocId = in->readData.req.bits.collEntry;
    } else if (c->fires) {
        st->nextAllocId = (uint8_t)lowest(available);
        st->alloc_valid |= available & (0u - available);
    } else if (c->frees & c->in_range) {
        st->alloc_valid = with(st->alloc_valid, c->entry, false);
    }
}

// §2.8, §2.10
static void issue_read(state_t *st, const in_t *in, const cycle *c) {
    st->readResp_valid = c->fires;
    st->nextEn = c->fires ? IN_SET(readReq_bits_regs_enable) : 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        st->nextPReg[i] = in->readReq.bits.regs[i].pReg;
    }
}

// §2.13: a register that is read and written.
static void collide(const cfg_t *cfg, state_t *st, uint32_t i, uint32_t preg, uint64_t tmask) {
    if (has(st->nextEn, i) && st->nextPReg[i] == preg) {
        st->collided |= (uint8_t)(1u << i);
        row_copy(ROW(saved, i, 0), ROW(rf, i, preg));
        if (cfg->read_during_write == WLK_COLLECTOR_READ_DURING_WRITE_UNDEFINED) {
            row_forget(ROW(saved, i, 0), tmask);
        }
    }
}

// §2.11, §2.12
static void write(const cfg_t *cfg, state_t *st, const in_t *in, const cycle *c) {
    const uint32_t preg = in->writeReq.bits.regs[0].pReg;
    const uint64_t tmask = in->writeReq.bits.regs[0].tmask;
    st->writeResp_valid = c->writes;
    st->collided = 0;
    if (!c->writes || preg == 0) {
        return;
    }
    for (uint32_t i = 0; i < OPERANDS; i++) {
        if (cfg->read_during_write != WLK_COLLECTOR_READ_DURING_WRITE_NEW) {
            collide(cfg, st, i, preg, tmask);
        }
        row_write(ROW(rf, i, preg), in->writeReq.bits.regs[0].data, tmask);
    }
}

// The order counts. A request of the cycle before reads `rf` here, before the write of this cycle:
// so it has that of its own cycle (§2.8, §2.13). `write` looks at the request that issue_read
// keeps.
static void edge(const cfg_t *cfg, state_t *st, const in_t *in, const cycle *c) {
    for (uint32_t i = 0; i < OPERANDS; i++) {
        land(cfg, st, i);
    }
    if (st->readResp_valid && st->nextAllocId < cfg->coll_entries) { // for coverage
        st->occupant[st->nextAllocId] = st->nextEn;
    }
    allocate(cfg, st, in, c);
    issue_read(st, in, c);
    write(cfg, st, in, c);
}

// readData_unallocated, readData_out_of_range
static uint32_t broken(const cfg_t *cfg, const state_t *st, const in_t *in) {
    cycle c;
    see(cfg, st, in, &c);
    if (in->reset || !in->readData.req.valid || (c.in_range && has(st->alloc_valid, c.entry))) {
        return 0;
    }
    return (uint32_t)WLK_COLLECTOR_READDATA_UNALLOCATED |
           (c.in_range ? 0 : (uint32_t)WLK_COLLECTOR_READDATA_OUT_OF_RANGE);
}

static bool drained(const cfg_t *cfg, const state_t *st) {
    (void)cfg;
    return st->alloc_valid == 0 && !st->readResp_valid;
}

static bool forgets(const cfg_t *cfg) {
    return cfg->read_during_write == WLK_COLLECTOR_READ_DURING_WRITE_UNDEFINED;
}

#include "cover.h"
#include "sight.h"

WLK_STRUCTS_MODEL(.broken = broken, .events = events, .drained = drained, .show = show,
                  .learn = learn, .learn_by_next = learn_by_next, .learn_rows = learn_rows,
                  .note_rows = note_rows, .forgets = forgets, .unknown_start = true);

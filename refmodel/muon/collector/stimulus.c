// SPDX-License-Identifier: Apache-2.0
// Stimulus of the collector: the generic driver, with a hook because readData.req names an
// allocated entry (muon-issue §2, protocol rules). Everything else may happen in any cycle.
#include "common.h"
#include "warplock/collector.h"
#include "warplock/muon.h"

enum {
    COLLIDE, // the write hits a register that is being read
    FOLLOW,  // the write hits a register whose read lands
    HOLD,    // cycles in which a full table is left alone
};

static const stim_weights profiles[] = {
    // hold, valid, ready, stuck, full, edge, fresh, corner, few, few_bits, repeat, bit, reset, own
    /* mixed */ {STIM_FREE, 160, 0, 0, 0, 0, 255, 64, 192, 4, 32, 160, 4, {16, 16, 0}},
    /* saturate */ {STIM_FREE, 255, 0, 0, 255, 0, 255, 0, 0, 8, 0, 255, 0, {0, 0, 0}},
    /* withheld */ {STIM_FREE, 224, 0, 0, 96, 0, 255, 32, 192, 5, 16, 192, 4, {16, 16, 24}},
    /* alloc_free */ {STIM_FREE, 240, 0, 0, 0, 0, 255, 32, 192, 4, 16, 192, 4, {16, 16, 0}},
    /* write_heavy */ {STIM_FREE, 128, 0, 64, 64, 0, 255, 160, 64, 6, 16, 128, 4, {32, 64, 0}},
    /* x0_repeat */ {STIM_FREE, 192, 0, 0, 0, 0, 255, 96, 128, 3, 160, 192, 4, {32, 64, 0}},
    /* sparse */ {STIM_FREE, 32, 0, 0, 0, 0, 255, 64, 192, 5, 32, 128, 8, {48, 48, 0}},
    /* resets */ {STIM_FREE, 160, 0, 0, 0, 0, 255, 32, 192, 4, 16, 160, 160, {32, 64, 0}},
    /* collide */ {STIM_FREE, 224, 0, 0, 0, 0, 255, 64, 192, 3, 16, 192, 4, {160, 192, 0}},
    /* few_enables */ {STIM_FREE, 192, 0, 0, 0, 0, 255, 32, 192, 5, 16, 64, 4, {16, 16, 0}},
};

STIM_PROFILE_NAMES(WLK_COLLECTOR_PROFILES, STIM_PHASE_CYCLES);

#define GET(field, words)        wlk_collector_in_get_##field(words)
#define SET(field, words, value) wlk_collector_in_set_##field(words, value)

// A register that is read in this cycle, or was asked for in the one before.
static void aim_write(const stim_cycle *c, uint64_t *in) {
    const wlk_collector_state *st = (const wlk_collector_state *)c->state;
    const uint64_t r = wlk_random(&c->stim->random);
    const uint32_t operand = stim_below(r, 3);
    if (stim_hits(r, c->w->own[COLLIDE])) {
        const uint32_t pregs = GET(readReq_bits_regs_pReg, in);
        SET(writeReq_bits_regs_pReg, in, wlk_preg_at(pregs, operand));
    } else if (stim_hits(r >> 8, c->w->own[FOLLOW])) {
        SET(writeReq_bits_regs_pReg, in, st->nextPReg[operand]);
    }
}

// A profile that holds fills the table, then leaves it alone for a while.
static bool may_read(const stim_cycle *c, bool full) {
    uint64_t *held = &c->stim->memory[STIM_OWN];
    const uint32_t hold = c->w->own[HOLD];
    *held = full && *held < hold ? *held + 1u : 0u;
    return hold == 0 || (full && *held == 0);
}

static void hook(const stim_cycle *c, uint64_t *in) {
    const wlk_collector_cfg *cfg = (const wlk_collector_cfg *)c->cfg;
    const wlk_collector_state *st = (const wlk_collector_state *)c->state;
    const uint32_t taken = st->alloc_valid;
    const bool is_full = taken == (uint32_t)wlk_mask(cfg->coll_entries);
    const bool may = may_read(c, is_full) && GET(readData_req_valid, in) != 0;
    const bool reads = taken != 0 && (c->stim->drain != 0 || may);
    aim_write(c, in);
    if (c->reset) { // anything may be on the ports
        return;
    }
    SET(readData_req_valid, in, reads);
    if (reads) {
        SET(readData_req_bits_collEntry, in, stim_member(taken, wlk_random(&c->stim->random)));
    }
    if (c->stim->drain != 0) {
        SET(readData_req_bits_regs_enable, in, 7u);
    }
}

STIM_GENERATOR(collector, hook);

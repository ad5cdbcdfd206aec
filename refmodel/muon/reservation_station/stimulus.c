// SPDX-License-Identifier: Apache-2.0
// Stimulus of the reservation station: the generic driver, with a hook because the collector
// answers a request that fired one cycle later, with an entry that is free, and because an operand
// that is ready is not busy (muon-issue §5). What waits for a write-back would seldom see it.
#include "common.h"
#include "warplock/muon.h"
#include "warplock/reservation_station.h"

enum {
    WAKE,       // a write-back that an operand waits for
    STRAY,      // a write-back or a response that nobody waits for
    BUSY,       // a source has a pending write
    SOFT_RESET, // of the cycles with softReset
};

enum { RARELY = 4, SOON = 64 }; // chances
enum { LONG = 2048 };           // cycles

static const stim_weights profiles[] = {
    // hold, valid, ready, stuck, full, edge, fresh, corner, few, few_bits, repeat, bit, reset, own
    /* mixed */ {STIM_FREE, 160, 160, 16, 16, 0, 64, 64, 192, 4, 64, 160, 4, {96, 32, 64, 3}},
    /* saturate */ {STIM_FREE, 255, 255, 0, 0, 0, 64, 0, 128, 6, 32, 192, 4, {16, 8, 0, 3}},
    /* waiting */ {STIM_FREE, 224, 192, 8, 32, 0, 64, 64, 192, 3, 128, 192, 4, {32, 8, 192, 3}},
    /* blocked */ {STIM_FREE, 224, 64, 16, 0, 0, 64, 64, 192, 1, 64, 64, 4, {192, 16, 32, 3}},
    /* collector */ {STIM_FREE, 224, 192, 96, 0, 0, 64, 64, 192, 4, 64, 192, 4, {128, 32, 32, 3}},
    /* favourite */ {STIM_FREE, 224, 192, 16, 0, 0, 64, 0, 255, 1, 0, 160, 0, {128, 32, 64, 3}},
    /* operands */ {STIM_FREE, 192, 160, 8, 0, 0, 64, 64, 160, 2, 160, 96, 4, {192, 64, 128, 3}},
    /* sparse */ {STIM_FREE, 64, 64, 32, 0, 0, 64, 64, 192, 4, 64, 64, 4, {192, 128, 96, 3}},
    /* strays */ {STIM_FREE, 192, 64, 16, 0, 0, 64, 64, 192, 3, 64, 160, 64, {64, 192, 96, 3}},
    /* resets */ {STIM_FREE, 224, 192, 8, 0, 0, 64, 64, 192, 4, 64, 160, 384, {128, 32, 64, 3}},
};

STIM_PROFILE_NAMES(WLK_RESERVATION_STATION_PROFILES, STIM_PHASE_CYCLES);

#define SET(field, words, value) wlk_reservation_station_in_set_##field(words, value)

typedef wlk_reservation_station_cfg rs_cfg;
typedef wlk_reservation_station_state rs_state;

// The arbiter's `last` is unknown until a row is dispatched. Until then there is one row at most:
// which of two goes first is known to the RTL only, and the collector's answers depend on it.
static bool may_admit(const stim_cycle *c) {
    const rs_state *st = (const rs_state *)c->state;
    c->stim->memory[STIM_OWN] |= st->stage.full || ((const rs_cfg *)c->cfg)->rs_entries == 1;
    return c->stim->memory[STIM_OWN] != 0 || st->valid == 0;
}

// What is busy is a source. Register 0 is so only now and then: the scoreboard never says it
// (§3.6), and no write-back wakes it.
static void admit(const stim_cycle *c, uint64_t *in) {
    const rs_cfg *cfg = (const rs_cfg *)c->cfg;
    uint64_t *entry = in + WLK_RESERVATION_STATION_IN_ADMIT_BITS_IBUFENTRY;
    const uint32_t zero = stim_chance(&c->stim->random, RARELY) ? 0u : wlk_entry_x0(entry);
    const uint32_t has = wlk_entry_has_rs(entry), may_wait = has & ~zero;
    SET(admit_bits_valid, in, has ^ 7u);
    SET(admit_bits_busy, in, may_wait & stim_set(&c->stim->random, c->w->own[BUSY]));
    wlk_entry_set_wid(entry, wlk_entry_get_wid(entry) % cfg->num_warps);
    if (!may_admit(c)) {
        SET(admit_valid, in, 0);
    }
}

// A register that a row waits for, or 0.
static uint32_t pick_awaited(const stim_cycle *c) {
    const rs_state *st = (const rs_state *)c->state;
    const uint64_t r = wlk_random(&c->stim->random);
    const uint32_t rows = st->valid & (st->busy[0] | st->busy[1] | st->busy[2]);
    const uint32_t row = rows != 0 ? stim_member(rows, r) : 0u;
    const uint32_t waits =
        (st->busy[0] >> row & 1u) | (st->busy[1] >> row & 1u) << 1 | (st->busy[2] >> row & 1u) << 2;
    return rows != 0 ? wlk_entry_rs(st->entry[row], stim_member(waits, r << 16)) : 0u;
}

static void write_back(const stim_cycle *c, uint64_t *in) {
    const bool wake = c->stim->drain != 0 || stim_chance(&c->stim->random, c->w->own[WAKE]);
    const uint32_t awaited = wake ? pick_awaited(c) : 0u;
    if (awaited != 0) {
        SET(writeback_valid, in, 1);
        SET(writeback_bits_rd, in, awaited);
    } else if (!stim_chance(&c->stim->random, c->w->own[STRAY])) {
        SET(writeback_valid, in, 0);
    }
}

// A row that waits for register 0 does so until a reset.
static void write_back_0(const stim_cycle *c, uint64_t *in) {
    const rs_state *st = (const rs_state *)c->state;
    for (uint32_t rows = st->valid; rows != 0; rows &= rows - 1u) {
        const uint32_t row = stim_nth(rows, 0);
        for (uint32_t i = 0; i < 3; i++) {
            if ((st->busy[i] >> row & 1u) != 0 && wlk_entry_rs(st->entry[row], i) == 0) {
                SET(writeback_valid, in, 1);
                SET(writeback_bits_rd, in, 0);
                SET(reset, in, c->stim->drain != 0 || stim_chance(&c->stim->random, SOON));
                return;
            }
        }
    }
}

// The collector's entry of the output stage, as a set.
static uint32_t staged(const rs_state *st) {
    return (uint32_t)(st->stage.full && st->stage.collected) << st->stage.collEntry;
}

// Entries that neither the output stage holds nor rows, of which those do that collected operands.
static uint32_t free_entries(const stim_cycle *c, uint32_t collected) {
    const rs_state *st = (const rs_state *)c->state;
    uint32_t taken = staged(st);
    for (uint32_t rows = collected; rows != 0; rows &= rows - 1u) {
        taken |= UINT32_C(1) << st->collPtr[stim_nth(rows, 0)];
    }
    return ~taken & (uint32_t)wlk_mask(((const rs_cfg *)c->cfg)->coll_entries);
}

// The answer to the request that fired in the cycle before, if one did. A row that asks again stays
// with its entry (allow_partial_collect), and never waits for another one to be free; which row
// asks is the RTL's business, so then none waits. Now and then an answer is for one operand only;
// the others have theirs in the cycle behind it.
static void collect(const stim_cycle *c, uint64_t *in) {
    const rs_state *st = (const rs_state *)c->state;
    uint32_t asked = 0, enables = 0, collected = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t fired = st->valid & st->collFired[i], due = fired & ~st->opReady[i];
        asked |= due;
        enables |= (uint32_t)(due != 0) << i;
        collected |= fired & st->opReady[i];
    }
    uint32_t free = free_entries(c, collected);
    if (asked != 0) {
        const bool stays = (collected & asked) != 0 || free == 0;
        const uint32_t entry = stays ? st->collPtr[stim_nth(asked, 0)]
                                     : stim_member(free, wlk_random(&c->stim->random));
        SET(collector_readResp_valid, in, 1);
        SET(collector_readResp_bits_collEntry, in, entry);
        if (stim_chance(&c->stim->random, RARELY)) {
            enables = 1u << stim_member(enables, wlk_random(&c->stim->random));
        }
        SET(collector_readResp_bits_regs_enable, in, enables);
        free &= ~(UINT32_C(1) << entry);
    } else if (!stim_chance(&c->stim->random, c->w->own[STRAY])) {
        SET(collector_readResp_valid, in, 0);
    }
    free |= wlk_reservation_station_in_get_issue_ready(in) != 0 ? staged(st) : 0u;
    if (free == 0 && !((const rs_cfg *)c->cfg)->allow_partial_collect) {
        SET(collector_readReq_ready, in, 0);
    }
}

static void hook(const stim_cycle *c, uint64_t *in) {
    admit(c, in);
    write_back(c, in);
    write_back_0(c, in);
    collect(c, in);
    // For long there is none, so that the counters get high.
    if ((c->stim->cycle & LONG) != 0 || !stim_chance(&c->stim->random, c->w->own[SOFT_RESET])) {
        SET(softReset, in, 0);
    }
}

STIM_GENERATOR(reservation_station, hook);

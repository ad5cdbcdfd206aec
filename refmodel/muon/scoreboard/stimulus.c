// SPDX-License-Identifier: Apache-2.0
// Stimulus of the scoreboard: the generic driver, with a hook because counts would hardly meet
// their maximum, nor drain. The spec forbids nothing (muon-issue §3).
#include "common.h"
#include "warplock/muon.h"
#include "warplock/scoreboard.h"

enum { PROBES = 16 };

enum {
    PENDING, // collector and write-back name what is pending
    BOTH,    // an admission names a register that is collected, by preference a saturated one
    FILL,    // no count of reads goes down
};

static const stim_weights profiles[] = {
    // hold, valid, ready, stuck, full, edge, fresh, corner, few, few_bits, repeat, bit, reset, own
    /* mixed */ {STIM_FREE, 160, 128, 16, 32, 32, 255, 32, 224, 4, 32, 128, 4, {64, 32, 64}},
    /* saturate */ {STIM_FREE, 255, 192, 64, 128, 32, 255, 16, 240, 1, 32, 128, 0, {16, 64, 224}},
    /* both */ {STIM_FREE, 240, 160, 16, 32, 32, 255, 16, 224, 2, 64, 128, 4, {64, 200, 128}},
    /* hazards */ {STIM_FREE, 192, 128, 32, 64, 64, 255, 16, 224, 2, 32, 128, 4, {32, 32, 128}},
    /* quirks */ {STIM_FREE, 64, 128, 48, 16, 16, 255, 32, 224, 3, 64, 128, 4, {160, 32, 32}},
    /* anything */ {STIM_FREE, 128, 128, 32, 64, 48, 255, 64, 128, 2, 64, 128, 4, {0, 0, 0}},
    /* repeats */ {STIM_FREE, 224, 128, 16, 32, 32, 255, 32, 192, 4, 192, 128, 4, {96, 48, 96}},
    /* drained */ {STIM_FREE, 192, 96, 32, 32, 32, 255, 32, 160, 6, 16, 128, 8, {230, 16, 16}},
    /* resets */ {STIM_FREE, 224, 128, 16, 64, 32, 255, 32, 192, 3, 32, 128, 160, {48, 32, 64}},
};

STIM_PROFILE_NAMES(WLK_SCOREBOARD_PROFILES, STIM_PHASE_CYCLES);

#define GET(field, words)        wlk_scoreboard_in_get_##field(words)
#define SET(field, words, value) wlk_scoreboard_in_set_##field(words, value)

typedef enum wanted { READ, WRITE, FULL } wanted;

static bool is(const stim_cycle *c, wanted what, uint32_t preg) {
    const wlk_scoreboard_cfg *cfg = (const wlk_scoreboard_cfg *)c->cfg;
    const wlk_scoreboard_state *st = (const wlk_scoreboard_state *)c->state;
    switch (what) {
    case READ:
        return st->pendingReads[preg] != 0;
    case WRITE:
        return st->pendingWrites[preg] != 0;
    default:
        return st->pendingReads[preg] == cfg->max_pending_reads;
    }
}

// Such a register, looked for from the one that a port names on; that one when none is near. While
// draining, none is missed.
static uint32_t find(const stim_cycle *c, wanted what, uint32_t start) {
    const uint32_t pregs = ((const wlk_scoreboard_cfg *)c->cfg)->num_pregs;
    const uint32_t probes = c->stim->drain != 0 ? pregs : (uint32_t)PROBES;
    for (uint32_t i = 0; i < probes; i++) {
        const uint32_t preg = (start + i) & (pregs - 1u);
        if (is(c, what, preg)) {
            return preg;
        }
    }
    return start;
}

static void name_pending(const stim_cycle *c, uint64_t *in) {
    const uint32_t pregs = GET(updateColl_reads_pReg, in), first = wlk_preg_at(pregs, 0);
    SET(updateColl_reads_pReg, in, pregs ^ first ^ find(c, READ, first));
    SET(updateWB_write_pReg, in, find(c, WRITE, GET(updateWB_write_pReg, in)));
}

// A count goes down and up in one cycle.
static void name_both(const stim_cycle *c, uint64_t *in) {
    const uint32_t coll = GET(updateColl_reads_pReg, in), rs = GET(hazard_updateRS_reads_pReg, in);
    const uint32_t preg = find(c, FULL, wlk_preg_at(coll, 0));
    SET(updateColl_reads_pReg, in, coll ^ wlk_preg_at(coll, 0) ^ preg);
    SET(updateColl_reads_incr, in, 0);
    SET(updateColl_reads_decr, in, 1);
    SET(updateColl_enable, in, 1);
    SET(hazard_updateRS_reads_pReg, in, rs ^ wlk_preg_at(rs, 0) ^ preg);
    SET(hazard_updateRS_reads_incr, in, GET(hazard_updateRS_reads_incr, in) | 1u);
    SET(hazard_updateRS_enable, in, 1);
}

// In the drain all three operands of the collector are one register, as far as its count goes.
static void take_away(const stim_cycle *c, uint64_t *in) {
    const wlk_scoreboard_state *st = (const wlk_scoreboard_state *)c->state;
    const uint32_t preg = wlk_preg_at(GET(updateColl_reads_pReg, in), 0);
    const uint32_t thrice = 1u | 1u << WLK_PREG_BITS | 1u << (2 * WLK_PREG_BITS);
    SET(updateColl_reads_pReg, in, preg * thrice);
    SET(updateColl_reads_decr, in, wlk_mask(wlk_min(st->pendingReads[preg], 3)));
    SET(hazard_updateRS_reads_incr, in, 0);
    SET(hazard_updateRS_write_incr, in, 0);
    SET(updateColl_reads_incr, in, 0);
    SET(updateColl_enable, in, 1);
    SET(updateWB_write_incr, in, 0);
    SET(updateWB_write_decr, in, 1);
    SET(updateWB_enable, in, 1);
}

static void hook(const stim_cycle *c, uint64_t *in) {
    const uint64_t r = wlk_random(&c->stim->random);
    const bool draining = c->stim->drain != 0;
    if (draining || stim_hits(r, c->w->own[PENDING])) {
        name_pending(c, in);
    }
    if (stim_hits(r >> 16, c->w->own[FILL])) {
        SET(updateColl_reads_decr, in, 0);
        SET(hazard_updateRS_reads_decr, in, 0);
    }
    if (draining) {
        take_away(c, in);
    } else if (stim_hits(r >> 8, c->w->own[BOTH])) {
        name_both(c, in);
    }
}

STIM_GENERATOR(scoreboard, hook);

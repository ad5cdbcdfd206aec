// SPDX-License-Identifier: Apache-2.0
// Stimulus of the reservation station. More than the generic driver: the collector behind it
// answers each request that fired one cycle later, with an entry that is free; an operand that is
// ready is not busy (muon-issue §5).
#include <string.h>

#include "common.h"
#include "warplock/reservation_station.h"

// What the generator keeps.
enum {
    MEMORY_TAKEN = STIM_FIRST + 1,   // entries of the collector that hold operands
    MEMORY_FIRED,                    // collFired of each operand in the cycle before
    MEMORY_STALL = MEMORY_FIRED + 3, // cycles in which the collector takes nothing
    MEMORY_BLOCK,                    // cycles in which nothing is issued
    MEMORY_PAYLOADS,                 // of the input record, all of the same size
    MEMORY_BITS,                     // of an instruction in this configuration
};

// What a profile sets; chances are out of 256.
typedef struct weights {
    stim_operands operands;
    uint8_t admit;
    uint8_t busy;              // a source has a pending write
    uint8_t wake, stray;       // a write-back that somebody waits for, or any
    uint8_t issue, block;      // issue.ready, and a long time without
    uint8_t stall;             // a time in which the collector is full
    uint8_t longest;           // cycles of these times
    uint8_t favourite;         // an instruction is of the favourite warp
    uint8_t untaken;           // a response that nobody asked for
    uint8_t soft_reset, reset; // out of 4096
} weights;

static const weights profiles[] = {
    /* mixed */ {{4, 12, 32, 160, 160, 16}, 160, 64, 96, 16, 160, 4, 4, 12, 64, 4, 16, 4},
    /* saturate */ {{6, 4, 16, 200, 200, 16}, 255, 0, 16, 8, 255, 0, 0, 1, 0, 0, 8, 4},
    /* waiting */ {{3, 8, 48, 200, 200, 16}, 200, 200, 64, 16, 200, 4, 4, 8, 64, 0, 8, 4},
    /* blocked */ {{4, 8, 32, 160, 64, 64}, 230, 48, 128, 16, 48, 6, 8, 64, 64, 4, 8, 4},
    /* collector */ {{4, 8, 32, 160, 200, 16}, 220, 32, 128, 16, 200, 4, 48, 48, 64, 4, 8, 4},
    /* favourite */ {{4, 8, 32, 160, 160, 16}, 230, 96, 128, 16, 200, 8, 8, 8, 240, 0, 8, 0},
    /* operands */ {{2, 64, 160, 96, 96, 16}, 160, 96, 128, 32, 200, 4, 4, 8, 32, 4, 8, 4},
    /* sparse */ {{4, 16, 32, 160, 128, 16}, 24, 96, 32, 48, 128, 8, 8, 8, 32, 32, 8, 4},
    /* strays */ {{3, 32, 48, 160, 160, 16}, 128, 96, 64, 160, 160, 8, 8, 4, 64, 160, 32, 16},
    /* resets */ {{4, 16, 48, 160, 160, 16}, 220, 64, 128, 32, 200, 4, 4, 4, 64, 16, 200, 200},
};

STIM_PROFILE_NAMES(WLK_RESERVATION_STATION_PROFILES, STIM_PHASE_CYCLES);

#define PUT(field, words, value) wlk_reservation_station_in_put_##field(words, value)

enum {
    OUT_WORDS = WLK_RESERVATION_STATION_OUT_GROUP +
                WLK_RESERVATION_STATION_MAX_NUM_WARPS * WLK_RESERVATION_STATION_OUT_STRIDE,
    ENTRY = WLK_RESERVATION_STATION_IN_ADMIT_BITS_IBUFENTRY,
};

typedef struct cycle {
    const wlk_reservation_station_cfg *cfg;
    const wlk_reservation_station_state *st;
    const weights *w;
    wlk_stimulus_state *stim;
    uint64_t *random;
    uint32_t written; // register of the write-back, or 0
} cycle;

static void start(const wlk_reservation_station_cfg *cfg, wlk_stimulus_state *stim) {
    uint64_t mask[OUT_WORDS];
    wlk_layout layout;
    wlk_reservation_station_table.layout((const uint32_t *)cfg, &layout);
    stim->memory[MEMORY_PAYLOADS] = layout.n_in_payloads;
    wlk_reservation_station_out_mask(cfg, mask);
    memcpy(stim->memory + MEMORY_BITS, mask + WLK_RESERVATION_STATION_OUT_ISSUE_BITS,
           WLK_ENTRY_WORDS * sizeof *mask);
}

// ---- write-back -------------------------------------------------------------------------------

// A register that a row waits for; 0 when there is none.
static uint32_t pick_awaited(const cycle *c) {
    const uint64_t r = wlk_random(c->random);
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t i = ((uint32_t)(r & 0xffu) + k) % 3u;
        const uint32_t rows = c->st->valid & c->st->busy[i];
        if (rows != 0) {
            return c->st->rs[i][stim_member(rows, r)];
        }
    }
    return 0;
}

static void put_write_back(cycle *c, uint64_t *in) {
    const bool wake = c->stim->drain != 0 || stim_chance(c->random, c->w->wake);
    const uint32_t awaited = wake ? pick_awaited(c) : 0u;
    const uint32_t other = stim_preg(&c->w->operands, c->cfg->num_pregs, c->random);
    const bool valid = awaited != 0 || stim_chance(c->random, c->w->stray);
    const uint32_t rd = awaited != 0 ? awaited : other;
    c->written = valid ? rd : 0u;
    PUT(writeback_valid, in, valid);
    PUT(writeback_bits_rd, in, rd);
    PUT(writeback_bits_tmask, in, wlk_random(c->random) & wlk_mask(c->cfg->num_lanes));
}

// ---- admission --------------------------------------------------------------------------------

// The arbiter's `last` is unknown until a row is dispatched. Until then there is one row at most:
// which of two goes first is known to the RTL only, and the collector's answers depend on it.
static bool may_admit(const cycle *c) {
    const bool known = (c->st->last & (c->st->last - 1u)) == 0;
    return c->stim->drain == 0 && (known || c->st->valid == 0);
}

// Sources that wait: none of register 0 (§3.5), seldom one that is written in this cycle (§5).
static uint32_t pick_busy(const cycle *c, const uint64_t *entry, uint32_t has) {
    uint32_t busy = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t rs = wlk_entry_rs(entry, i);
        const bool waits = stim_chance(c->random, rs == c->written ? 16u : c->w->busy);
        busy |= (uint32_t)(waits && rs != 0) << i;
    }
    return busy & has;
}

static void put_admission(const cycle *c, uint64_t *in) {
    const uint64_t r = wlk_random(c->random);
    const uint32_t favourite = (uint32_t)(c->stim->memory[STIM_FIRST] >> 32) % c->cfg->num_warps;
    const uint32_t warp =
        stim_chance(c->random, c->w->favourite) ? favourite : stim_below(r, c->cfg->num_warps);
    uint64_t *entry = in + ENTRY;
    wlk_stim_entry(&c->w->operands, c->cfg->num_pregs, warp, c->stim->memory + MEMORY_BITS,
                   c->random, entry);
    const uint32_t has = wlk_entry_has_rs(entry);
    PUT(admit_valid, in, may_admit(c) && stim_chance(c->random, c->w->admit));
    PUT(admit_bits_valid, in, ~(uint64_t)has & 7u);
    PUT(admit_bits_busy, in, pick_busy(c, entry, has));
}

// The answer: does the output stage's content leave?
static uint32_t put_issue_ready(const cycle *c, uint64_t *in) {
    uint64_t *left = &c->stim->memory[MEMORY_BLOCK];
    const bool blocked = wlk_stim_lasts(c->stim, left, c->w->block, c->w->longest);
    const bool ready = stim_chance(c->random, c->w->issue);
    const bool now = c->stim->drain != 0 || (ready && !blocked);
    PUT(issue_ready, in, now);
    return now && c->st->stage_full;
}

// ---- collector --------------------------------------------------------------------------------

// The request that fired in the cycle before shows in collFired: its row and its enables.
typedef struct request {
    uint32_t row, enables;
    bool again; // the row had asked before (allow_partial_collect)
} request;

static request last_request(const cycle *c) {
    const uint64_t *before = c->stim->memory + MEMORY_FIRED;
    request asked = {0, 0, false};
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t fired = c->st->collFired[i] & ~(uint32_t)before[i];
        if (fired != 0) {
            asked.row = (uint32_t)__builtin_ctz(fired);
            asked.enables |= 1u << i;
        }
    }
    const uint32_t all = (uint32_t)(before[0] | before[1] | before[2]);
    asked.again = (all >> asked.row & 1u) != 0;
    return asked;
}

static uint32_t free_entries(const cycle *c) {
    const uint32_t taken = (uint32_t)c->stim->memory[MEMORY_TAKEN];
    return ~taken & (uint32_t)wlk_mask(c->cfg->coll_entries);
}

// An entry that is free. A row that asks again stays with the one it has.
static uint32_t pick_entry(const cycle *c, const request *asked) {
    const uint64_t r = wlk_random(c->random);
    if (asked->enables == 0 || free_entries(c) == 0) {
        return stim_below(r, c->cfg->coll_entries);
    }
    return asked->again ? c->st->collPtr[asked->row] : stim_member(free_entries(c), r);
}

// The answer to the cycle before, else now and then one to nothing, which no row takes. Then what
// is read in this cycle is free again.
static void put_response(const cycle *c, uint32_t issue_fires, uint64_t *in) {
    const wlk_reservation_station_state *st = c->st;
    uint64_t *memory = c->stim->memory;
    const request asked = last_request(c);
    const uint32_t entry = pick_entry(c, &asked);
    const uint32_t any = (uint32_t)wlk_random(c->random) & 7u;
    const bool valid = asked.enables != 0 || stim_chance(c->random, c->w->untaken);
    PUT(collector_readResp_valid, in, valid);
    PUT(collector_readResp_bits_regs_enable, in, asked.enables != 0 ? asked.enables : any);
    PUT(collector_readResp_bits_collEntry, in, entry);
    if (asked.enables != 0) {
        memory[MEMORY_TAKEN] |= UINT64_C(1) << entry;
    }
    if (issue_fires != 0 && st->stage_collFired != 0) {
        memory[MEMORY_TAKEN] &= ~(UINT64_C(1) << st->stage_collEntry);
    }
    for (uint32_t i = 0; i < 3; i++) {
        memory[MEMORY_FIRED + i] = st->collFired[i];
    }
}

// With allow_partial_collect a row that has its entry must never wait for another one to be free;
// which row asks is the RTL's business, so then none waits.
static void put_request_ready(const cycle *c, uint64_t *in) {
    uint64_t *left = &c->stim->memory[MEMORY_STALL];
    const bool stalled = wlk_stim_lasts(c->stim, left, c->w->stall, c->w->longest);
    const bool room = free_entries(c) != 0 || c->cfg->allow_partial_collect;
    PUT(collector_readReq_ready, in, room && !stalled);
}

// ---- the record -------------------------------------------------------------------------------

// Inputs that no rule reads: anything, at little cost.
static void put_unread(const cycle *c, uint64_t *in) {
    const uint64_t r = wlk_random(c->random);
    const uint32_t bits = c->cfg->num_lanes * c->cfg->lane_bits, words = (bits + 63u) / 64u;
    uint64_t *to = in + WLK_RESERVATION_STATION_IN_CONTROL;
    PUT(scb_updateColl_success, in, r & 1u);
    PUT(scb_updateWB_success, in, r >> 1 & 1u);
    PUT(collector_readData_resp_valid, in, r >> 2 & 1u);
    PUT(collector_readData_resp_bits_enable, in, r >> 3 & 7u);
    for (uint64_t p = c->stim->memory[MEMORY_PAYLOADS]; p > 0; p--) {
        for (uint32_t w = 0; w < words; w++) {
            to[w] = r * (2u * w + 2u * p + 1u);
        }
        to[words - 1u] &= wlk_mask(bits - (words - 1u) * 64u);
        to += words;
    }
}

static void next(const uint32_t *words, const void *model_state, wlk_stimulus_state *stim,
                 uint64_t *in) {
    cycle c = {.cfg = (const wlk_reservation_station_cfg *)words,
               .st = (const wlk_reservation_station_state *)model_state,
               .stim = stim,
               .random = &stim->random};
    if (stim->cycle == 0) {
        start(c.cfg, stim);
    }
    c.w = &profiles[wlk_stim_begin(stim, PROFILES)];
    memset(in, 0, WLK_RESERVATION_STATION_IN_CONTROL * sizeof *in);
    const bool reset = wlk_stim_reset(stim, c.w->reset);
    PUT(reset, in, reset);
    PUT(softReset, in, (wlk_random(c.random) & 4095u) < c.w->soft_reset);
    if (c.cfg->debug) {
        PUT(debug_cycle, in, stim->cycle);
    }
    put_unread(&c, in);
    put_write_back(&c, in);
    put_admission(&c, in);
    put_response(&c, put_issue_ready(&c, in), in);
    put_request_ready(&c, in);
    if (reset) { // the collector's too
        stim->memory[MEMORY_TAKEN] = 0;
    }
    stim->cycle++;
}

const wlk_stimulus wlk_reservation_station_stimulus = {
    .block = "reservation_station", .profiles = profile_names, .next = next};

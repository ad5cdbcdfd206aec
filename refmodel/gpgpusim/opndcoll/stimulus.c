// SPDX-License-Identifier: Apache-2.0
// Stimulus of GPGPU-Sim's operand collector. More than the generic driver: kinds, warps and
// schedulers exist, and with data a register has one bank (the table's rules); everything else may
// happen in any clock.
#include <string.h>

#include "common.h"
#include "warplock/opndcoll_rtl.h"

typedef wlk_opndcoll_rtl_cfg cfg_t;

// What the generator keeps: by kind, clocks in which nothing is taken.
enum { MEMORY_BLOCK = STIM_FIRST + 1 };

// What a profile sets; chances are out of 256.
typedef struct weights {
    uint8_t issue;
    uint8_t shuffled;     // a port issues for any scheduler, not for the next in the rotation
    uint8_t favourite;    // an instruction goes to the favourite kind
    uint8_t source, none; // a slot has a source; an instruction has none at all
    uint8_t repeat;       // a slot repeats the first one's register
    uint8_t hot_regs, hot_warps; // mostly used: 2^n
    uint8_t stride;              // registers are multiples of 2^n
    uint8_t wb, destination;     // a call; a slot of it has a destination
    uint8_t take, block;         // take.ready, and a long time without
    uint8_t longest;             // clocks of that time
    uint8_t reset;               // out of 4096
} weights;

static const weights profiles[] = {
    /* mixed */ {160, 64, 48, 140, 24, 24, 4, 3, 0, 64, 160, 160, 2, 16, 4},
    /* saturate */ {255, 0, 0, 200, 0, 0, 8, 6, 0, 24, 200, 255, 0, 1, 0},
    /* conflicts */ {230, 64, 32, 220, 4, 32, 2, 0, 4, 32, 200, 230, 1, 8, 4},
    /* writes */ {160, 64, 32, 180, 8, 16, 2, 2, 0, 250, 200, 200, 1, 8, 4},
    /* sparse */ {12, 128, 64, 140, 48, 24, 4, 6, 0, 12, 120, 96, 4, 16, 8},
    /* zero_source */ {240, 32, 32, 96, 200, 16, 4, 4, 0, 32, 48, 230, 8, 24, 4},
    /* blocked */ {230, 64, 32, 120, 48, 16, 5, 4, 0, 48, 160, 48, 16, 64, 4},
    /* favourite */ {230, 96, 220, 140, 24, 24, 4, 4, 0, 48, 160, 180, 4, 24, 4},
    /* few_sources */ {220, 96, 48, 48, 0, 64, 3, 3, 1, 96, 96, 128, 8, 12, 4},
    /* resets */ {200, 64, 48, 160, 32, 24, 4, 3, 0, 96, 160, 140, 2, 16, 200},
};

STIM_PROFILE_NAMES(WLK_OPNDCOLL_RTL_PROFILES, STIM_PHASE_CYCLES);

#define PUT(field, words, value) wlk_opndcoll_rtl_in_put_##field(words, value)

// Bits from one element to the next in control fields of the record.
enum {
    WARP_STEP = 6,
    SCHED_STEP = 3,
    KIND_STEP = 3,
    EX_STEP = 3,
    SRC_STEP = WLK_OPNDCOLL_RTL_MAX_SRC_SLOTS,
    DST_STEP = WLK_OPNDCOLL_RTL_MAX_DST_SLOTS,
};

typedef struct cycle {
    const cfg_t *cfg;
    const weights *w;
    wlk_stimulus_state *stim;
    uint64_t *random;
    uint64_t *payload; // next words of the record
} cycle;

// The lanes of the next payload.
static void put_lanes(cycle *c, const uint64_t *values, uint32_t n, uint32_t width) {
    const uint32_t step = wlk_lane_step(width);
    for (uint32_t lane = 0; lane < n; lane++) {
        const uint32_t bit = lane * step;
        c->payload[bit / 64u] |= (values[lane] & wlk_mask(width)) << bit % 64u;
    }
    c->payload += (n * step + 63u) / 64u;
}

// ---- warps and registers ----------------------------------------------------------------------

typedef struct origin {
    uint32_t wid, sched;
} origin;

// A warp and the scheduler that the inputs name with it: its owner (§4) where there is one;
// without data now and then any other, which the rules allow.
static origin pick_origin(const cycle *c, uint32_t sched) {
    const uint32_t warps = c->cfg->num_warps, scheds = c->cfg->num_sched_per_core;
    const uint64_t r = wlk_random(c->random);
    const bool any = (r & 31u) == 0;
    const uint32_t hot = any ? warps : wlk_min(warps, scheds << c->w->hot_warps);
    const uint32_t wid = stim_below(r, hot);
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a legal configuration has a scheduler.
    const uint32_t owned = wid - wid % scheds + sched;
    if (c->cfg->data == 0 && (owned >= warps || (r >> 5 & 15u) == 0)) {
        return (origin){wid, sched};
    }
    return owned < warps ? (origin){owned, sched} : (origin){wid, wid % scheds};
}

static uint32_t pick_reg(const cycle *c) {
    const uint64_t r = wlk_random(c->random);
    const bool any = (r >> 40 & 31u) == 0;
    const uint32_t hot = (uint32_t)wlk_mask(c->w->hot_regs) << c->w->stride;
    return (uint32_t)r & (c->cfg->num_regs - 1u) & (any ? ~0u : hot);
}

// A set of slots, each at that chance.
static uint32_t pick_slots(const cycle *c, uint32_t n, uint32_t chance) {
    return stim_set(c->random, chance) & (uint32_t)wlk_mask(n);
}

// ---- ports ------------------------------------------------------------------------------------

static uint32_t pick_kind(const cycle *c) {
    const uint64_t r = wlk_random(c->random);
    const uint32_t favourite = (uint32_t)(c->stim->memory[STIM_FIRST] >> 32) % c->cfg->num_kinds;
    return (r & 255u) < c->w->favourite ? favourite : stim_below(r, c->cfg->num_kinds);
}

// The scheduler that a port issues for: they take turns in being the first.
static uint32_t pick_sched(const cycle *c, uint32_t port) {
    const uint32_t scheds = c->cfg->num_sched_per_core;
    const uint64_t r = wlk_random(c->random);
    return (r & 255u) < c->w->shuffled ? stim_below(r, scheds)
                                       : (uint32_t)((port + c->stim->cycle) % scheds);
}

static void put_sources(cycle *c, uint32_t port, uint64_t *in) {
    const uint32_t n = c->cfg->src_slots;
    uint64_t regs[WLK_OPNDCOLL_RTL_MAX_SRC_SLOTS];
    for (uint32_t k = 0; k < n; k++) {
        const bool repeats = k > 0 && stim_chance(c->random, c->w->repeat);
        regs[k] = repeats ? regs[0] : pick_reg(c);
    }
    const bool none = stim_chance(c->random, c->w->none);
    PUT(issue_bits_enable, in,
        (uint64_t)(none ? 0u : pick_slots(c, n, c->w->source)) << port * SRC_STEP);
    put_lanes(c, regs, n, wlk_clog2(c->cfg->num_regs));
}

// ready shows for any kind and scheduler while valid is low, those that do not exist included.
static void put_issue(cycle *c, uint32_t port, uint64_t *in) {
    const uint64_t r = wlk_random(c->random);
    const origin from = pick_origin(c, pick_sched(c, port));
    const bool valid = c->stim->drain == 0 && stim_chance(c->random, c->w->issue);
    const uint64_t kind = valid ? pick_kind(c) : r & wlk_mask(wlk_idw(c->cfg->num_kinds));
    const uint64_t sched =
        valid ? from.sched : r >> 8 & wlk_mask(wlk_idw(c->cfg->num_sched_per_core));
    PUT(issue_valid, in, (uint64_t)valid << port);
    PUT(issue_bits_kind, in, kind << port * KIND_STEP);
    PUT(issue_bits_sched, in, sched << port * SCHED_STEP);
    PUT(issue_bits_wid, in, (uint64_t)from.wid << port * WARP_STEP);
    put_sources(c, port, in);
}

// Something that lasts: in the drain never, else until *left is 0, which a start (at that chance)
// sets to up to @p longest cycles.
static bool lasts(wlk_stimulus_state *stim, uint64_t *left, uint32_t chance, uint32_t longest) {
    const uint64_t r = wlk_random(&stim->random);
    if (stim->drain != 0) {
        return false;
    }
    if (*left == 0 && (r & 255u) < chance) {
        *left = 1u + stim_below(r, longest);
    }
    const bool on = *left != 0;
    *left -= on;
    return on;
}

// V42, sub-core: mostly the slots that units go to, in turn; now and then any number, or the
// oldest.
static void put_take_slot(const cycle *c, uint32_t kind, uint64_t *in) {
    const uint64_t r = wlk_random(c->random);
    const uint32_t scheds = c->cfg->num_sched_per_core;
    const bool by_slot = c->stim->drain == 0 && (r & 3u) != 0;
    const bool any = (r >> 2 & 7u) == 0;
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a legal configuration has a scheduler.
    const uint64_t turn = (c->stim->cycle + kind) % scheds;
    const uint64_t slot = any ? r >> 8 & wlk_mask(wlk_idw(c->cfg->ex_width)) : turn;
    PUT(take_by_slot, in, (uint64_t)by_slot << kind);
    PUT(take_slot, in, slot << kind * EX_STEP);
}

static void put_take(const cycle *c, uint32_t kind, uint64_t *in) {
    uint64_t *left = &c->stim->memory[MEMORY_BLOCK + kind];
    const bool blocked = lasts(c->stim, left, c->w->block, c->w->longest);
    const bool ready = stim_chance(c->random, c->w->take);
    PUT(take_ready, in, (uint64_t)(c->stim->drain != 0 || (ready && !blocked)) << kind);
}

static void put_call(const cycle *c, uint32_t call, uint64_t *in) {
    const uint32_t sched = stim_below(wlk_random(c->random), c->cfg->num_sched_per_core);
    const origin from = pick_origin(c, sched);
    const bool valid = c->stim->drain == 0 && stim_chance(c->random, c->w->wb);
    PUT(wb_valid, in, (uint64_t)valid << call);
    PUT(wb_bits_wid, in, (uint64_t)from.wid << call * WARP_STEP);
    PUT(wb_bits_sched, in, (uint64_t)from.sched << call * SCHED_STEP);
    PUT(wb_bits_enable, in,
        (uint64_t)pick_slots(c, c->cfg->dst_slots, c->w->destination) << call * DST_STEP);
}

// Payloads lie field by field.
static void put_calls(cycle *c, uint64_t *in) {
    const uint32_t n = c->cfg->dst_slots;
    uint64_t values[WLK_OPNDCOLL_RTL_MAX_DST_SLOTS];
    for (uint32_t call = 0; call < c->cfg->num_wb; call++) {
        put_call(c, call, in);
        for (uint32_t slot = 0; slot < n; slot++) {
            values[slot] = pick_reg(c);
        }
        put_lanes(c, values, n, wlk_clog2(c->cfg->num_regs));
    }
    for (uint32_t call = 0; c->cfg->data != 0 && call < c->cfg->num_wb; call++) {
        for (uint32_t slot = 0; slot < n; slot++) {
            values[slot] = wlk_random(c->random);
        }
        put_lanes(c, values, n, c->cfg->data_bits);
    }
}

static void next(const uint32_t *words, const void *model_state, wlk_stimulus_state *stim,
                 uint64_t *in) {
    const cfg_t *cfg = (const cfg_t *)words;
    cycle c = {.cfg = cfg,
               .stim = stim,
               .random = &stim->random,
               .payload = in + WLK_OPNDCOLL_RTL_IN_CONTROL};
    (void)model_state;
    c.w = &profiles[wlk_stim_begin(stim, PROFILES)];
    memset(in, 0, wlk_opndcoll_rtl_in_words(cfg) * sizeof *in);
    PUT(reset, in, wlk_stim_reset(stim, c.w->reset));
    for (uint32_t port = 0; port < cfg->num_sched_per_core; port++) {
        put_issue(&c, port, in);
    }
    for (uint32_t kind = 0; kind < cfg->num_kinds; kind++) {
        put_take(&c, kind, in);
        if (cfg->revision == WLK_OPNDCOLL_RTL_REVISION_V42 && cfg->sub_core_model != 0) {
            put_take_slot(&c, kind, in);
        }
    }
    put_calls(&c, in);
    stim->cycle++;
}

const wlk_stimulus wlk_opndcoll_stimulus = {
    .block = "opndcoll", .profiles = profile_names, .next = next};

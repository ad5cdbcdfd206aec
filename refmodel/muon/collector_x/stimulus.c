// SPDX-License-Identifier: Apache-2.0
// Stimulus of the document's collectors: the generic driver, with a hook that keeps reads and
// forwards to what an allocator may do (muon-designs §4.2, §5): a lane, a bank of the register file
// and an operand's place are used once in a cycle, and entries and slots only by who has them.
#include "common.h"
#include "warplock/collector_x.h"
#include "warplock/muon.h"

enum {
    READ,    // a lane reads
    FORWARD, // a lane stores what is written
    AIM,     // the write goes to a register that is read or looked up
    HOLD,    // entries and slots are given back seldom
};

static const stim_weights profiles[] = {
    // hold, valid, ready, stuck, full, edge, fresh, corner, few, few_bits, repeat, bit, reset, own
    /* mixed */ {STIM_FREE, 160, 0, 0, 0, 0, 255, 48, 192, 4, 64, 160, 4, {128, 64, 48, 64}},
    /* dense */ {STIM_FREE, 255, 0, 0, 192, 0, 255, 16, 160, 5, 16, 192, 0, {224, 96, 32, 0}},
    /* sparse */ {STIM_FREE, 40, 0, 0, 0, 0, 255, 48, 192, 4, 32, 128, 6, {48, 64, 64, 128}},
    /* forwards */ {STIM_FREE, 224, 0, 0, 0, 0, 255, 16, 208, 4, 32, 176, 2, {192, 192, 32, 64}},
    /* collide */ {STIM_FREE, 224, 0, 0, 0, 0, 255, 32, 192, 3, 64, 192, 2, {192, 48, 208, 64}},
    /* full */ {STIM_FREE, 255, 0, 0, 192, 0, 255, 16, 192, 4, 16, 192, 2, {96, 64, 32, 244}},
    /* few_registers */
    {STIM_FREE, 208, 0, 0, 0, 0, 255, 64, 192, 2, 96, 176, 2, {160, 32, 64, 96}},
    /* partial */ {STIM_FREE, 176, 0, 0, 0, 0, 255, 128, 96, 6, 16, 128, 2, {128, 128, 64, 64}},
    /* resets */ {STIM_FREE, 160, 0, 0, 0, 0, 255, 32, 192, 4, 32, 160, 160, {128, 64, 48, 64}},
};

STIM_PROFILE_NAMES(WLK_COLLECTOR_X_PROFILES, STIM_PHASE_CYCLES);

#define GET(field, words)        wlk_collector_x_in_get_##field(words)
#define SET(field, words, value) wlk_collector_x_in_set_##field(words, value)

typedef wlk_collector_x_cfg cfg_t;
typedef wlk_collector_x_state state_t;

enum { DUPLICATED, SRC_BANKED, INST_BANKED, CACHING };

static uint32_t entries_of(const cfg_t *cfg) {
    const uint32_t rows = cfg->coll_banks * cfg->coll_depth;
    switch (cfg->collector) {
    case SRC_BANKED:
        return rows < 3 ? 1 : rows / 3;
    case INST_BANKED:
        return rows;
    default:
        return cfg->coll_depth;
    }
}

static uint32_t bank_of(const cfg_t *cfg, uint32_t preg) {
    return cfg->bank_map != 0 ? preg % cfg->reg_banks : preg / (cfg->num_pregs / cfg->reg_banks);
}

// An operand's place that a lane can store.
static bool place_of(const cfg_t *cfg, uint32_t lane, uint64_t random, uint32_t *entry,
                     uint32_t *operand) {
    const uint32_t n = entries_of(cfg), i = stim_below(random, 3), k = cfg->coll_banks;
    const uint32_t at = stim_below(random << 16, n);
    *operand = i;
    switch (cfg->collector) {
    case SRC_BANKED: // some entry from `at` on has an operand in this bank
        for (uint32_t j = 0; j < 3u * n; j++) {
            const uint32_t slot = (3u * at + i + j) % (3u * n);
            if (slot % k == lane) {
                *entry = slot / 3u;
                *operand = slot % 3u;
                return true;
            }
        }
        return false;
    case INST_BANKED:
        *entry = lane * cfg->coll_depth + stim_below(random << 16, cfg->coll_depth);
        return true;
    default:
        *entry = at;
        *operand = lane;
        return true;
    }
}

static bool is_taken(const state_t *st, uint32_t entry) {
    return (st->taken[entry / 64u] >> entry % 64u & 1u) != 0;
}

// An entry that is taken, of n from `first` on, which are looked at from the one at `at` on; none:
// the one behind the last.
static uint32_t taken_from(const state_t *st, uint32_t first, uint32_t at, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t entry = first + (at + k) % n;
        if (is_taken(st, entry)) {
            return entry;
        }
    }
    return first + n;
}

// May the place be stored? Its entry or slot must be somebody's.
static bool in_use(const cfg_t *cfg, const state_t *st, uint32_t entry, uint32_t operand) {
    return cfg->collector == CACHING ? st->refs[operand][entry] != 0 : is_taken(st, entry);
}

// Reads of this cycle, each bank of the register file once.
static void reads(const stim_cycle *c, uint64_t *in) {
    const cfg_t *cfg = (const cfg_t *)c->cfg;
    const state_t *st = (const state_t *)c->state;
    uint64_t *random = &c->stim->random;
    // A lane that is not enabled keeps what was drawn: any number.
    uint32_t lanes = 0, operands = (uint32_t)GET(readReq_regs_opIdx, in);
    const uint32_t wanted = stim_set(random, c->stim->drain != 0 ? 0 : c->w->own[READ]);
    uint16_t bank_preg[16];
    uint32_t banks[16], n_banks = 0;
    for (uint32_t lane = 0; lane < cfg->coll_banks; lane++) {
        uint64_t *element = wlk_collector_x_in_element_mut(in, lane);
        const uint32_t preg = (uint32_t)GET(readReq_regs_pReg, element);
        uint32_t entry = 0, operand = 0;
        bool may = (wanted >> lane & 1u) != 0 &&
                   place_of(cfg, lane, wlk_random(random), &entry, &operand) &&
                   in_use(cfg, st, entry, operand);
        for (uint32_t b = 0; b < n_banks && cfg->collector != DUPLICATED && preg != 0; b++) {
            may = may && (banks[b] != bank_of(cfg, preg) || bank_preg[b] == preg);
        }
        if (!may) {
            continue;
        }
        if (preg != 0) {
            banks[n_banks] = bank_of(cfg, preg);
            bank_preg[n_banks++] = (uint16_t)preg;
        }
        lanes |= 1u << lane;
        operands = (operands & ~(3u << 2u * lane)) | operand << 2u * lane;
        SET(readReq_regs_collEntry, element, entry);
    }
    SET(readReq_regs_enable, in, lanes);
    SET(readReq_regs_opIdx, in, operands);
}

static void aim(const stim_cycle *c, uint64_t *in) {
    const state_t *st = (const state_t *)c->state;
    const uint64_t r = wlk_random(&c->stim->random);
    const uint32_t lanes = st->reads.lanes, i = stim_below(r << 24, 3);
    if (!stim_hits(r, c->w->own[AIM])) {
        return;
    }
    if (lanes != 0 && (r >> 8 & 1u) != 0) {
        SET(writeReq_regs_pReg, in, st->reads.preg[stim_member(lanes, r)]);
    } else if (st->tagValid[i] != 0) {
        SET(writeReq_regs_pReg, in, st->tag[i][stim_member(st->tagValid[i], r)]);
    }
}

// The write in service, and its forwards. A write of some words is forwarded behind a merge only:
// the memory's first word is the register that was merged, plus one.
static void writes(const stim_cycle *c, uint64_t *in) {
    const cfg_t *cfg = (const cfg_t *)c->cfg;
    const state_t *st = (const state_t *)c->state;
    uint64_t *random = &c->stim->random, *merged = &c->stim->memory[STIM_OWN];
    const uint64_t all = wlk_mask(cfg->num_lanes);
    const bool merge = cfg->forwarding == 2 && GET(writeReq_merge, in) != 0;
    aim(c, in);
    if (*merged != 0 && stim_chance(random, 224)) {
        SET(writeReq_valid, in, 1u);
        SET(writeReq_regs_pReg, in, (uint32_t)(*merged - 1u));
    }
    const uint32_t preg = (uint32_t)GET(writeReq_regs_pReg, in);
    if (cfg->forwarding == 1 || c->stim->drain != 0) {
        SET(writeReq_commit, in, 1u);
    }
    const bool whole = GET(writeReq_regs_tmask, in) == all || *merged == preg + 1u;
    uint32_t lanes = 0;
    uint32_t operands = cfg->forwarding != 0 ? (uint32_t)GET(writeReq_fwd_opIdx, in) : 0u;
    const uint32_t wanted = merge || !whole ? 0u : stim_set(random, c->w->own[FORWARD]);
    for (uint32_t lane = 0; lane < cfg->coll_banks && cfg->forwarding != 0; lane++) {
        uint32_t entry = 0, operand = 0;
        if ((wanted >> lane & 1u) == 0 ||
            !place_of(cfg, lane, wlk_random(random), &entry, &operand) ||
            !in_use(cfg, st, entry, operand)) {
            continue;
        }
        lanes |= 1u << lane;
        operands = (operands & ~(3u << 2u * lane)) | operand << 2u * lane;
        SET(writeReq_fwd_collEntry, wlk_collector_x_in_element_mut(in, lane), entry);
    }
    if (cfg->forwarding != 0) {
        SET(writeReq_fwd_enable, in, GET(writeReq_valid, in) != 0 ? lanes : 0u);
        SET(writeReq_fwd_opIdx, in, operands);
    }
    if (merge) {
        SET(writeReq_commit, in, 0u);
    }
    if (GET(writeReq_valid, in) != 0) {
        *merged = merge ? preg + 1u : GET(writeReq_commit, in) != 0 ? 0u : *merged;
    }
}

// The one port that reads, if it is not one of several.
static uint32_t read_one(const stim_cycle *c, uint64_t *in, uint32_t n) {
    const state_t *st = (const state_t *)c->state;
    const uint64_t r = wlk_random(&c->stim->random);
    const uint32_t taken = taken_from(st, 0, stim_below(r, n), n);
    const bool wants = GET(readData_req_valid, in) != 0 && !stim_hits(r >> 8, c->w->own[HOLD]);
    const bool gives = taken < n && (c->stim->drain != 0 || wants);
    SET(readData_req_valid, in, gives);
    if (gives) {
        SET(readData_req_collEntry, in, taken);
    }
    return gives && GET(readData_req_regs_enable, in) != 0;
}

// Several ports, each of which reads entries of its bank, and seldom, as one entry a cycle is
// taken. Returns those that free one.
static uint32_t read_several(const stim_cycle *c, uint64_t *in) {
    const cfg_t *cfg = (const cfg_t *)c->cfg;
    const state_t *st = (const state_t *)c->state;
    const uint32_t enables = (uint32_t)GET(readPort_req_regs_enable, in);
    uint32_t valid = (uint32_t)GET(readPort_req_valid, in), frees = 0;
    uint64_t entries = GET(readPort_req_collEntry, in);
    for (uint32_t p = 0; p < cfg->issue_ports; p++) {
        const uint64_t r = wlk_random(&c->stim->random);
        const uint32_t first = p * cfg->coll_depth, end = first + cfg->coll_depth;
        const uint32_t taken =
            taken_from(st, first, stim_below(r, cfg->coll_depth), cfg->coll_depth);
        const bool turn = stim_below(r << 24, 2u * cfg->issue_ports) == 0;
        const bool wants = turn && (valid >> p & 1u) != 0 && !stim_hits(r >> 8, c->w->own[HOLD]);
        const bool gives = taken < end && (c->stim->drain != 0 || wants);
        valid = (valid & ~(1u << p)) | (uint32_t)gives << p;
        if (gives) {
            entries = (entries & ~(UINT64_C(511) << 9u * p)) | (uint64_t)taken << 9u * p;
            frees |= (uint32_t)((enables >> 3u * p & 7u) != 0) << p;
        }
    }
    SET(readPort_req_valid, in, valid);
    SET(readPort_req_collEntry, in, entries);
    return frees;
}

// Entries: taken with room only; read by who has one.
static void entries(const stim_cycle *c, uint64_t *in) {
    const cfg_t *cfg = (const cfg_t *)c->cfg;
    const state_t *st = (const state_t *)c->state;
    const uint32_t n = entries_of(cfg),
                   groups = cfg->collector == INST_BANKED ? cfg->coll_banks : 1;
    const uint32_t each = n / groups;
    const bool several = cfg->issue_ports > 1;
    const uint32_t frees = several ? read_several(c, in) : read_one(c, in, n);
    const uint32_t group = stim_below(wlk_random(&c->stim->random), groups), first = group * each;
    bool room = several ? (frees >> group & 1u) != 0
                        : frees != 0 && GET(readData_req_collEntry, in) / each == group;
    for (uint32_t at = first; at < first + each; at++) {
        room = room || !is_taken(st, at);
    }
    const bool takes = GET(alloc_valid, in) != 0 && room && c->stim->drain == 0;
    SET(alloc_valid, in, takes);
    if (takes) {
        SET(alloc_group, in, group);
    }
}

// Slots: released by who has bound them, and not bound by more rows than there are.
static void slots(const stim_cycle *c, uint64_t *in) {
    const cfg_t *cfg = (const cfg_t *)c->cfg;
    const state_t *st = (const state_t *)c->state;
    const bool drain = c->stim->drain != 0;
    uint32_t enable = 0, full = 0, pregs = (uint32_t)GET(bind_regs_pReg, in);
    // Now and then a row all of whose operands are there.
    const bool all_hit = stim_chance(&c->stim->random, 16);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t used = 0;
        for (uint32_t slot = 0; slot < wlk_min(cfg->coll_depth, WLK_COLLECTOR_X_SLOTS); slot++) {
            used |= (uint32_t)(st->refs[i][slot] != 0) << slot;
            full |= (uint32_t)(st->refs[i][slot] > cfg->rs_entries) << i;
        }
        const uint64_t r = wlk_random(&c->stim->random);
        const uint32_t tags = st->tagValid[i];
        if (tags != 0 && (all_hit || stim_hits(r >> 16, 128))) {
            const uint32_t tag = st->tag[i][stim_member(tags, r << 8)];
            pregs = (pregs & ~((uint32_t)WLK_PREG_MASK << i * WLK_PREG_BITS)) |
                    tag << i * WLK_PREG_BITS;
        }
        if (used != 0 && (drain || !stim_hits(r, c->w->own[HOLD]))) {
            const uint32_t all = (uint32_t)GET(readData_req_slot, in) & ~(31u << 5u * i);
            SET(readData_req_slot, in, all | stim_member(used, r) << 5u * i);
            enable |= 1u << i;
        }
    }
    SET(bind_regs_pReg, in, pregs);
    if (all_hit) {
        SET(bind_regs_enable, in, 7u);
        SET(bind_regs_busy, in, 0u);
    }
    const bool gives = enable != 0 && (drain || GET(readData_req_valid, in) != 0);
    SET(readData_req_valid, in, gives);
    SET(readData_req_regs_enable, in,
        gives && !drain ? enable & (uint32_t)GET(readData_req_regs_enable, in) : enable);
    SET(bind_valid, in, GET(bind_valid, in) != 0 && full == 0 && !drain);
}

static void hook(const stim_cycle *c, uint64_t *in) {
    const cfg_t *cfg = (const cfg_t *)c->cfg;
    if (c->reset || !((const state_t *)c->state)->reset_seen) { // anything may be on the ports
        c->stim->memory[STIM_OWN] = 0;
        return;
    }
    if (cfg->collector == CACHING) {
        slots(c, in);
    } else {
        if (c->stim->drain != 0 && cfg->issue_ports > 1) {
            SET(readPort_req_regs_enable, in, (1u << 3u * (cfg->issue_ports & 7u)) - 1u);
        } else if (c->stim->drain != 0) {
            SET(readData_req_regs_enable, in, 7u);
        }
        entries(c, in);
    }
    writes(c, in);
    reads(c, in);
}

STIM_GENERATOR(collector_x, hook);

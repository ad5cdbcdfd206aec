// SPDX-License-Identifier: Apache-2.0
// Stimulus of the issue stage. More than the generic driver: each warp runs a stream of
// instructions, random or of a program, and an execution side writes their results back. A head
// stays until it is admitted. A reset soon follows an instruction of a random stream that cannot be
// (muon-issue §4); a program's is taken as it is.
#include <string.h>

#include "issue_private.h"

enum { PHASE_CYCLES = 144, OUT_WORDS = 512, MAX_INADMISSIBLE = 24 };
#define MAX_LATENCY 40u
#define FIRST_PC    UINT64_C(0xffffffff80000000) /* of warp 0's random stream */
#define JUMP        24u                          /* of 256: the next instruction is anywhere */

#define PUT(field, words, value) wlk_issue_in_put_##field(words, value)

// What a profile sets; chances are out of 256.
typedef struct weights {
    uint8_t offer;                // a warp without a head gets one
    uint8_t skew;                 // halvings of that from the first warp to the last one
    uint8_t source, rd;           // an operand is there
    uint8_t source_bits, rd_bits; // registers used: 2^n
    uint8_t shared;               // a register that other warps use too
    uint8_t raw, war, waw;        // one that was written or read just before
    uint8_t repeat;               // a source names the first one's register
    uint8_t x0;                   // a register is 0
    uint8_t partial;              // some lanes
    uint8_t latency;              // usual: 1..n cycles
    uint8_t slow;                 // 1..MAX_LATENCY cycles
    uint8_t ready;                // issue.ready, if the unit is free
    uint8_t block;                // longest time without issue.ready
    uint8_t stray;                // a write-back that no row waits for
    uint8_t soft_reset;           // out of 4096
    uint8_t reset;                // out of 4096
    uint8_t inadmissible;         // an instruction that may never be admitted
    uint8_t other_warp;           // a head that names another warp
} weights;

// In the order of `weights`.
static const weights profiles[] = {
    /* mixed */ {160, 0,  150, 200, 4,   4,  64, 64, 24, 16, 24,
                 10,  96, 8,   24,  200, 12, 0,  16, 4,  0,  0},
    /* saturate */ {255, 0, 170, 230, 8, 8, 0, 0, 0, 0, 8, 4, 32, 4, 0, 255, 0, 0, 4, 0, 0, 0},
    /* dependent */ {230, 0, 170, 240, 4, 5, 0, 200, 8, 8, 16, 8, 64, 6, 8, 255, 0, 0, 8, 3, 0, 0},
    /* overwrite */ {230, 0,  170, 240, 3,   2, 96, 32, 128, 96, 16,
                     8,   64, 6,   16,  230, 8, 0,  8,  3,   0,  0},
    /* one_source */ {255, 0,  240, 150, 1,   6,  240, 0, 0, 0, 200,
                      0,   64, 4,   32,  110, 40, 0,   8, 3, 0, 0},
    /* blocked */ {255, 0, 170, 180, 6, 6, 64, 16, 0, 0, 16, 8, 64, 4, 0, 90, 60, 0, 8, 3, 0, 0},
    /* slow */ {220, 0, 150, 230, 5, 5, 64, 64, 16, 16, 16, 8, 64, 40, 128, 240, 0, 0, 8, 3, 0, 0},
    /* few_operands */ {220, 0,  48, 110, 4,   4, 64, 32, 32, 16, 0,
                        24,  96, 3,  16,  230, 4, 0,  8,  3,  0,  0},
    /* repeat_x0 */ {220, 0,  220, 190, 3,   3, 64, 48, 32, 16, 128,
                     96,  96, 8,   16,  220, 8, 0,  8,  3,  0,  0},
    /* imbalance */ {250, 7,  150, 200, 4,   4, 32, 96, 16, 16, 16,
                     8,   64, 8,   24,  230, 8, 0,  8,  3,  0,  0},
    /* sparse */ {12, 0,  150, 200, 3,   3, 128, 96, 32, 32, 32,
                  16, 96, 6,   24,  160, 8, 0,   16, 6,  0,  0},
    /* resets */ {200, 0,  150, 200, 4,   4, 64, 64,  24,  16, 24,
                  16,  96, 12,  24,  180, 8, 0,  255, 140, 10, 0},
    /* stray */ {220, 0,   190, 160, 3,   3, 128, 32, 24, 24, 32,
                 8,   128, 8,   16,  220, 8, 160, 8,  3,  0,  48},
};

STIM_PROFILE_NAMES(WLK_ISSUE_PROFILES, PHASE_CYCLES);

// A program runs as fast as its units let it.
static const weights program_weights = {.ready = 255};

static const weights *weights_now(const wlk_stimulus_state *stim, const memory *mem) {
    if (stim->program != NULL) {
        return &program_weights;
    }
    if (stim->profile < PROFILES) {
        return &profiles[stim->profile];
    }
    // Every profile comes once in a round; seeds start at different ones.
    return &profiles[(stim->cycle / PHASE_CYCLES + mem->first_phase) % PROFILES];
}

// ---- random instructions ----------------------------------------------------------------------

// Registers of a warp's own, or the lowest ones for all; now and then any.
static uint32_t pick_register(const wlk_issue_cfg *cfg, const weights *w, uint32_t bits,
                              uint32_t warp, uint64_t *random) {
    const uint64_t r = wlk_random(random);
    const uint32_t own =
        cfg->num_pregs >> wlk_min(wlk_clog2(cfg->num_warps), wlk_clog2(cfg->num_pregs));
    const uint32_t window = UINT32_C(1) << bits;
    if ((r >> 48 & 255u) < w->x0) {
        return 0;
    }
    if ((r >> 56 & 63u) == 0) {
        return (uint32_t)r & (cfg->num_pregs - 1u);
    }
    if ((r >> 40 & 255u) < w->shared) {
        return (uint32_t)r & (wlk_min(window, cfg->num_pregs) - 1u);
    }
    return (warp * own + ((uint32_t)r & (wlk_min(window, own) - 1u))) & (cfg->num_pregs - 1u);
}

// One of those used last with chance @p again, else another one.
static uint32_t pick_or_repeat(uint32_t again, const uint16_t *recent, uint32_t other,
                               uint64_t *random) {
    const uint64_t r = wlk_random(random);
    return (r & 255u) < again ? recent[r >> 8 & (RECENT - 1u)] : other;
}

uint32_t wlk_stim_issue_most_named(const uint64_t *entry, uint32_t *preg) {
    const uint32_t has = wlk_entry_has_rs(entry);
    uint32_t most = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        uint32_t count = 0;
        for (uint32_t k = 0; k < OPERANDS; k++) {
            count += (has >> k & 1u) && wlk_entry_rs(entry, k) == wlk_entry_rs(entry, i);
        }
        if ((has >> i & 1u) && wlk_entry_rs(entry, i) != 0 && count > most) {
            most = count;
            *preg = wlk_entry_rs(entry, i);
        }
    }
    return most;
}

static void make_sources(const wlk_issue_cfg *cfg, const weights *w, const memory *mem,
                         uint32_t warp, uint64_t *random, uint64_t *entry) {
    const uint64_t r = wlk_random(random);
    uint64_t alone[WLK_ENTRY_WORDS] = {0};
    uint32_t pregs[OPERANDS], has = 0, named = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const uint32_t other = pick_register(cfg, w, w->source_bits, warp, random);
        pregs[i] = pick_or_repeat(w->raw, mem->recent_rd[warp], other, random);
        pregs[i] = i > 0 && (r >> (i * 8u) & 255u) < w->repeat ? pregs[0] : pregs[i];
        has |= (uint32_t)((r >> (24u + i * 8u) & 255u) < w->source) << i;
    }
    wlk_entry_put_sources(alone, pregs, has);
    // One that names a register more often could never be admitted.
    if (wlk_stim_issue_most_named(alone, &named) > cfg->max_pending_reads) {
        has &= ~has + 1u;
    }
    wlk_entry_put_sources(entry, pregs, has);
}

static void remember(uint16_t *recent, uint32_t preg) {
    recent[1] = recent[0];
    recent[0] = (uint16_t)preg;
}

// Without a register; or with one in every source, which is too often where few reads can be
// pending. A reset soon ends it.
static void make_inadmissible(const wlk_issue_cfg *cfg, wlk_stimulus_state *stim, uint64_t *entry) {
    memory *mem = memory_of(stim);
    const uint64_t r = wlk_random(&stim->random);
    const uint32_t preg = 1u + (uint32_t)(r >> 8) % (cfg->num_pregs - 1u);
    const uint32_t pregs[OPERANDS] = {preg, preg, preg};
    const bool none = cfg->max_pending_reads >= OPERANDS || (r & 1u) != 0;
    wlk_entry_put_sources(entry, pregs, none ? 0u : (1u << OPERANDS) - 1u);
    wlk_entry_put_destination(entry, preg, !none);
    if (mem->give_up == 0) {
        mem->give_up = stim->cycle + 1u + (r >> 32) % MAX_INADMISSIBLE;
    }
}

static uint64_t pick_mask(const wlk_issue_cfg *cfg, const weights *w, uint64_t *random) {
    const uint64_t all = wlk_mask(cfg->num_lanes), r = wlk_random(random);
    return (r >> 56) < w->partial ? (r & wlk_random(random)) & all : all;
}

static void make_operands(const wlk_issue_cfg *cfg, const weights *w, memory *mem, uint32_t warp,
                          uint64_t *random, uint64_t *entry) {
    make_sources(cfg, w, mem, warp, random, entry);
    const uint32_t other = pick_register(cfg, w, w->rd_bits, warp, random);
    uint32_t rd = pick_or_repeat(w->war, mem->recent_rs[warp], other, random);
    rd = pick_or_repeat(w->waw, mem->recent_rd[warp], rd, random);
    // One without any operand could never be admitted either.
    wlk_entry_put_destination(entry, rd,
                              wlk_entry_has_rs(entry) == 0 || stim_hits(wlk_random(random), w->rd));
    remember(mem->recent_rs[warp], wlk_entry_rs(entry, rd % OPERANDS));
    if (wlk_entry_get_hasRd(entry)) {
        remember(mem->recent_rd[warp], rd);
    }
}

static void make_instruction(const wlk_issue_cfg *cfg, const weights *w, wlk_stimulus_state *stim,
                             uint32_t warp) {
    memory *mem = memory_of(stim);
    uint64_t *random = &stim->random, *entry = mem->head[warp];
    for (uint32_t i = 0; i < WLK_ENTRY_WORDS; i++) {
        entry[i] = wlk_random(random) & mem->opaque[i];
    }
    if (w->inadmissible != 0 && stim_hits(wlk_random(random), w->inadmissible)) {
        make_inadmissible(cfg, stim, entry);
    } else {
        make_operands(cfg, w, mem, warp, random, entry);
    }
    wlk_entry_put_tmask(entry, pick_mask(cfg, w, random));
    wlk_entry_put_pc(entry, mem->pc[warp]);
    // What is drawn for the other inputs does not rest on what follows.
    uint64_t apart = *random ^ FIRST_PC;
    uint32_t wid = warp;
    if (w->other_warp != 0) {
        const uint64_t r = wlk_random(&apart);
        wid = stim_hits(r, w->other_warp) ? (uint32_t)(r >> 32) % cfg->num_warps : warp;
    }
    wlk_entry_put_wid(entry, wid);
    const uint64_t target = wlk_random(&apart) & wlk_mask(cfg->lane_bits);
    mem->pc[warp] = stim_chance(&apart, JUMP) ? target : mem->pc[warp] + 4u;
}

// ---- heads ------------------------------------------------------------------------------------

static void put_instruction(memory *mem, const wlk_instruction *instruction) {
    const uint32_t pregs[OPERANDS] = {instruction->rs[0], instruction->rs[1], instruction->rs[2]};
    const uint32_t has = (uint32_t)instruction->has_rs[0] | (uint32_t)instruction->has_rs[1] << 1 |
                         (uint32_t)instruction->has_rs[2] << 2;
    const uint32_t warp = instruction->warp;
    uint64_t *entry = mem->head[warp];
    memset(entry, 0, sizeof mem->head[warp]);
    wlk_entry_put_sources(entry, pregs, has);
    wlk_entry_put_destination(entry, instruction->rd, instruction->has_rd);
    wlk_entry_put_tmask(entry, instruction->mask);
    wlk_entry_put_pc(entry, instruction->pc);
    wlk_entry_put_wid(entry, warp);
    wlk_entry_put_token_warpId(entry, warp);
    PUT_POSITION(entry, mem->position[warp]++);
}

uint32_t wlk_stim_issue_unfinished_warps(const wlk_issue_cfg *cfg, const wlk_stimulus_state *stim) {
    const memory *mem = memory_at(stim);
    uint32_t warps = 0;
    for (uint32_t w = 0; stim->program != NULL && w < cfg->num_warps; w++) {
        size_t count = 0;
        (void)wlk_program_warp(stim->program, w, &count);
        warps |= (uint32_t)(mem->position[w] < count) << w;
    }
    return warps;
}

// Warps that get a head if they have none.
static uint32_t fetching_warps(const wlk_issue_cfg *cfg, const weights *w,
                               wlk_stimulus_state *stim) {
    uint64_t r = 0;
    uint32_t warps = 0;
    if (stim->program != NULL) {
        return wlk_stim_issue_unfinished_warps(cfg, stim);
    }
    for (uint32_t warp = 0; warp < cfg->num_warps; warp++, r >>= 8) {
        r = warp % 8u == 0 ? wlk_random(&stim->random) : r;
        // The busiest warp is another one in each phase.
        const uint32_t rank = (uint32_t)(warp + stim->cycle / PHASE_CYCLES) % cfg->num_warps;
        const uint32_t offer = w->offer >> (rank * w->skew / cfg->num_warps);
        warps |= (uint32_t)stim_hits(r, offer) << warp;
    }
    return warps;
}

// Is the last grant of both arbiters known? Until then the generator cannot know their choice, so
// it offers one instruction at a time, and its model stays equal to the RTL.
static bool arbiters_known(const wlk_issue_state *st) {
    return (st->hazard.last & (st->hazard.last - 1u)) == 0 &&
           (st->reservStation.last & (st->reservStation.last - 1u)) == 0;
}

static uint32_t one_warp(uint32_t warps, const wlk_issue_state *st, const memory *mem) {
    const bool busy =
        mem->offered != 0 || st->reservStation.valid != 0 || st->reservStation.stage_full != 0;
    return busy ? 0u : warps & (~warps + 1u);
}

static void make_heads(const wlk_issue_cfg *cfg, const wlk_issue_state *st, const weights *w,
                       wlk_stimulus_state *stim, uint64_t *in) {
    memory *mem = memory_of(stim);
    uint32_t warps = stim->drain ? 0u : fetching_warps(cfg, w, stim) & ~mem->offered;
    if (!arbiters_known(st)) {
        warps = one_warp(warps, st, mem);
    }
    mem->offered |= warps;
    for (; warps != 0; warps &= warps - 1u) {
        const uint32_t warp = (uint32_t)__builtin_ctz(warps);
        size_t count = 0;
        if (stim->program == NULL) {
            make_instruction(cfg, w, stim, warp);
        } else {
            put_instruction(mem,
                            wlk_program_warp(stim->program, warp, &count) + mem->position[warp]);
        }
    }
    PUT(ibuf_valid, in, mem->offered);
    for (uint32_t warp = 0; warp < cfg->num_warps; warp++) {
        memcpy(wlk_issue_in_element_mut(in, warp) + WLK_ISSUE_IN_IBUF_BITS, mem->head[warp],
               sizeof mem->head[warp]);
    }
}

uint32_t wlk_stim_issue_waiting_heads(const wlk_issue_cfg *cfg, const wlk_issue_state *st,
                                      const memory *mem) {
    const uint32_t invalid = ~mem->rows & (uint32_t)wlk_mask(cfg->rs_entries);
    const uint32_t row = invalid != 0 ? (uint32_t)__builtin_ctz(invalid) : 0u;
    if (mem->was_reset) {
        return 0;
    }
    // Admission takes the lowest row that was not valid.
    const bool admitted = invalid != 0 && (st->reservStation.valid >> row & 1u) != 0;
    // Its wid may name another warp than the one whose head it was.
    return mem->offered & ~(admitted ? (uint32_t)st->hazard.last : 0u);
}

// What the last edge did to what the generator has outside the block.
static void follow(const wlk_issue_cfg *cfg, const wlk_issue_state *st, wlk_stimulus_state *stim) {
    memory *mem = memory_of(stim);
    const uint32_t waiting = wlk_stim_issue_waiting_heads(cfg, st, mem);
    mem->moved = waiting != mem->offered ? stim->cycle : mem->moved;
    mem->offered = waiting;
    if (mem->was_reset) {
        mem->n_results = 0;
        memset(mem->unit_free, 0, sizeof mem->unit_free);
    }
    mem->rows = st->reservStation.valid;
}

// ---- the other inputs -------------------------------------------------------------------------

static bool unblocked(const weights *w, wlk_stimulus_state *stim) {
    memory *mem = memory_of(stim);
    const uint64_t r = wlk_random(&stim->random);
    if (stim->drain) {
        return true;
    }
    if (w->block != 0 && stim->cycle >= mem->blocked_until && (r >> 8 & 31u) == 0) {
        mem->blocked_until = stim->cycle + (r >> 16) % w->block;
    }
    return stim->cycle >= mem->blocked_until && stim_hits(r, w->ready);
}

static uint32_t pick_latency(const weights *w, wlk_stimulus_state *stim, const uint64_t *entry) {
    const wlk_instruction *instruction = instruction_of(stim, entry);
    const uint64_t r = wlk_random(&stim->random);
    if (instruction != NULL) {
        return instruction->latency;
    }
    const uint32_t longest = (r & 255u) < w->slow ? MAX_LATENCY : w->latency;
    return 1u + (uint32_t)(r >> 8) % (longest != 0 ? longest : 1u);
}

static void make_issue(const wlk_issue_state *st, const weights *w, wlk_stimulus_state *stim,
                       uint64_t *in) {
    memory *mem = memory_of(stim);
    const uint64_t *entry = st->reservStation.stage;
    bool ready = unblocked(w, stim);
    if (st->reservStation.stage_full) {
        const uint32_t unit = unit_of(stim, entry);
        ready = ready && wlk_stim_issue_execution_takes(mem, unit, stim->cycle);
        if (ready) {
            mem->moved = stim->cycle;
            wlk_stim_issue_execution_take(mem, entry, unit, stim->cycle,
                                          pick_latency(w, stim, entry));
        }
    }
    PUT(issue_ready, in, ready ? UINT64_C(1) : UINT64_C(0));
}

// A write-back that belongs to no instruction: nothing forbids it, and nothing else can hit a
// register while it is read.
static bool stray_result(const wlk_issue_cfg *cfg, const wlk_issue_state *st, const weights *w,
                         wlk_stimulus_state *stim, result *to) {
    const uint64_t r = wlk_random(&stim->random);
    const uint32_t operand = (uint32_t)(r >> 32) % OPERANDS;
    to->mask = pick_mask(cfg, w, &stim->random);
    to->rd = st->collector.nextEn >> operand & 1u ? st->collector.nextPReg[operand]
                                                  : (uint32_t)(r >> 8) & (cfg->num_pregs - 1u);
    return !stim->drain && (r & 255u) < w->stray;
}

static void make_writeback(const wlk_issue_cfg *cfg, const wlk_issue_state *st, const weights *w,
                           wlk_stimulus_state *stim, uint64_t *in) {
    result r;
    // Without a result the ports show something all the same.
    const bool valid = wlk_stim_issue_execution_result(memory_of(stim), stim->cycle, &r) ||
                       stray_result(cfg, st, w, stim, &r);
    memory_of(stim)->moved = valid ? stim->cycle : memory_of(stim)->moved;
    PUT(writeback_valid, in, valid);
    PUT(writeback_bits_rd, in, r.rd);
    PUT(writeback_bits_tmask, in, r.mask);
}

static void make_resets(const weights *w, wlk_stimulus_state *stim, uint64_t *in) {
    const uint64_t r = wlk_random(&stim->random);
    memory *mem = memory_of(stim);
    // Nothing but a reset ends an instruction that cannot be admitted.
    const bool gives_up = mem->give_up != 0 && (stim->drain || stim->cycle >= mem->give_up);
    mem->was_reset =
        stim->cycle < STIM_RESET_CYCLES || gives_up || (!stim->drain && (r & 4095u) < w->reset);
    mem->give_up = mem->was_reset ? 0u : mem->give_up;
    PUT(reset, in, mem->was_reset);
    PUT(softReset, in, !stim->drain && (r >> 12 & 4095u) < w->soft_reset);
}

static void make_debug(wlk_stimulus_state *stim, uint64_t *in) {
    const uint64_t r = wlk_random(&stim->random);
    PUT(debug_cycle, in, stim->cycle);
    PUT(debug_clusterId, in, r & 1u); // as wide as one core needs
    PUT(debug_coreId, in, r >> 1 & 1u);
}

// Before the first edge in reset the state is unknown, so anything may be driven.
static void make_anything(const wlk_issue_cfg *cfg, wlk_stimulus_state *stim, uint64_t *in) {
    memory *mem = memory_of(stim);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        make_instruction(cfg, &profiles[0], stim, w);
        memcpy(wlk_issue_in_element_mut(in, w) + WLK_ISSUE_IN_IBUF_BITS, mem->head[w],
               sizeof mem->head[w]);
    }
    PUT(ibuf_valid, in, wlk_random(&stim->random) & wlk_mask(cfg->num_warps));
}

// Bits of an instruction that exist in this configuration and are opaque.
static void find_opaque(const wlk_issue_cfg *cfg, uint64_t *opaque) {
    static const uint32_t ones[OPERANDS] = {WLK_PREG_MASK, WLK_PREG_MASK, WLK_PREG_MASK};
    uint64_t exist[OUT_WORDS], read[WLK_ENTRY_WORDS] = {0};
    wlk_issue_out_mask(cfg, exist);
    wlk_entry_put_sources(read, ones, (1u << OPERANDS) - 1u);
    wlk_entry_put_destination(read, WLK_PREG_MASK, 1u);
    wlk_entry_put_wid(read, WLK_ISSUE_MAX_NUM_WARPS - 1u);
    wlk_entry_put_tmask(read, ~UINT64_C(0));
    wlk_entry_put_pc(read, UINT32_MAX);
    for (uint32_t w = 0; w < WLK_ENTRY_WORDS; w++) {
        opaque[w] = exist[WLK_ISSUE_OUT_ISSUE_BITS + w] & ~read[w];
    }
}

static void start(const wlk_issue_cfg *cfg, wlk_stimulus_state *stim) {
    memory *mem = memory_of(stim);
    mem->first_phase = (uint32_t)(wlk_random(&stim->random) % PROFILES);
    find_opaque(cfg, mem->opaque);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        mem->pc[w] = (FIRST_PC & wlk_mask(cfg->lane_bits)) + w * UINT64_C(0x10000);
    }
}

// Random words of @p bits, 0 beyond them.
static void put_row(wlk_stimulus_state *stim, uint32_t bits, uint64_t *row) {
    const uint32_t words = (bits + 63u) / 64u;
    uint64_t random = wlk_random(&stim->random);
    for (uint32_t w = 0; w < words; w++) {
        row[w] = wlk_random(&random);
    }
    row[words - 1u] &= wlk_mask(bits - (words - 1u) * 64u);
}

static void next(const uint32_t *words, const void *model_state, wlk_stimulus_state *stim,
                 uint64_t *in) {
    const wlk_issue_cfg *cfg = (const wlk_issue_cfg *)words;
    const wlk_issue_state *st = (const wlk_issue_state *)model_state;
    memory *mem = memory_of(stim);
    if (stim->cycle == 0) {
        start(cfg, stim);
    }
    const weights *w = weights_now(stim, mem);
    follow(cfg, st, stim);
    memset(in, 0, WLK_ISSUE_IN_GROUP * sizeof *in);
    if (stim->cycle == 0) {
        make_anything(cfg, stim, in);
    } else if (stim->cycle < STIM_RESET_CYCLES) {
        PUT(ibuf_valid, in, 0u);
        memset(wlk_issue_in_element_mut(in, 0), 0,
               cfg->num_warps * WLK_ISSUE_IN_STRIDE * sizeof *in);
    } else {
        make_heads(cfg, st, w, stim, in);
    }
    make_issue(st, w, stim, in);
    make_writeback(cfg, st, w, stim, in);
    make_resets(w, stim, in);
    if (cfg->debug) {
        make_debug(stim, in);
    }
    put_row(stim, cfg->num_lanes * cfg->lane_bits, wlk_issue_in_element_mut(in, cfg->num_warps));
    stim->cycle++;
}

static bool idle(const uint32_t *words, const void *model_state, const wlk_stimulus_state *stim) {
    const wlk_issue_cfg *cfg = (const wlk_issue_cfg *)words;
    const wlk_issue_state *st = (const wlk_issue_state *)model_state;
    const memory *mem = memory_at(stim);
    return wlk_stim_issue_waiting_heads(cfg, st, mem) == 0 &&
           (mem->was_reset || mem->n_results == 0) &&
           wlk_stim_issue_unfinished_warps(cfg, stim) == 0;
}

static uint64_t still(const wlk_stimulus_state *stim) {
    const memory *mem = memory_at(stim);
    return mem->n_results != 0 ? 0u : stim->cycle - mem->moved;
}

const wlk_stimulus wlk_issue_stimulus = {
    .block = "issue",
    .profiles = profile_names,
    .next = next,
    .idle = idle,
    .still = still,
    .stuck = wlk_stim_issue_stuck,
    .programs = true,
};

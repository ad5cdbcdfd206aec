// SPDX-License-Identifier: Apache-2.0
// Instructions of the issue stages: of random streams, by profile, or of a program.
#include <string.h>

#include "issue_private.h"

enum { MAX_INADMISSIBLE = 24 };
#define FIRST_PC UINT64_C(0xffffffff80000000) /* of warp 0's random stream */
#define JUMP     24u                          /* of 256: the next instruction is anywhere */
#define CROWD    96u                          /* the same: it is for the phase's unit */

// In the order of `weights`.
static const weights profiles[] = {
    /* mixed */ {160, 0, 150, 200, 4,  4, 64, 64, 24, 16, 24, 10,
                 96,  8, 24,  200, 12, 0, 16, 4,  0,  0,  96},
    /* saturate */ {255, 0, 170, 230, 8, 8, 0, 0, 0, 0, 8, 4, 32, 4, 0, 255, 0, 0, 4, 0, 0, 0, 0},
    /* dependent */ {230, 0, 170, 240, 4, 5, 0, 200, 8, 8, 16, 8,
                     64,  6, 8,   255, 0, 0, 8, 3,   0, 0, 128},
    /* overwrite */ {230, 0, 170, 240, 3, 2, 96, 32, 128, 96, 16, 8,
                     64,  6, 16,  230, 8, 0, 8,  3,  0,   0,  224},
    /* one_source */ {255, 0, 240, 150, 1,  6, 240, 0, 0, 0, 200, 0,
                      64,  4, 32,  110, 40, 0, 8,   3, 0, 0, 0},
    /* blocked */ {255, 0, 170, 180, 6,  6, 64, 16, 0, 0, 16, 8,
                   64,  4, 0,   90,  60, 0, 8,  3,  0, 0, 96},
    /* slow */ {220, 0,  150, 230, 5, 5, 64, 64, 16, 16, 16, 8,
                64,  40, 128, 240, 0, 0, 8,  3,  0,  0,  160},
    /* few_operands */ {220, 0, 48, 110, 4, 4, 64, 32, 32, 16, 0, 24,
                        96,  3, 16, 230, 4, 0, 8,  3,  0,  0,  0},
    /* repeat_x0 */ {220, 0, 220, 190, 3, 3, 64, 48, 32, 16, 128, 96,
                     96,  8, 16,  220, 8, 0, 8,  3,  0,  0,  0},
    /* imbalance */ {250, 7, 150, 200, 4, 4, 32, 96, 16, 16, 16, 8,
                     64,  8, 24,  230, 8, 0, 8,  3,  0,  0,  192},
    /* sparse */ {12, 0, 150, 200, 3, 3, 128, 96, 32, 32, 32, 16,
                  96, 6, 24,  160, 8, 0, 16,  6,  0,  0,  64},
    /* resets */ {200, 0,  150, 200, 4, 4, 64,  64,  24, 16, 24, 16,
                  96,  12, 24,  180, 8, 0, 255, 140, 10, 0,  96},
    /* stray */ {220, 0, 190, 160, 3, 3,   128, 32, 24, 24, 32, 8,
                 128, 8, 16,  220, 8, 160, 8,   3,  0,  48, 160},
};
_Static_assert(sizeof profiles / sizeof profiles[0] == ISSUE_PROFILES, "all are named");
_Static_assert(ISSUE_PROFILES *ISSUE_PHASE_CYCLES <= WLK_STIMULUS_ROUND, "a round is so long");

// A program runs as fast as its units let it.
static const weights program_weights = {.ready = 255};

const weights *wlk_stim_issue_weights(const wlk_stimulus_state *stim) {
    if (stim->program != NULL) {
        return &program_weights;
    }
    if (stim->profile < ISSUE_PROFILES) {
        return &profiles[stim->profile];
    }
    // Every profile comes once in a round; seeds start at different ones.
    const uint64_t phase = stim->cycle / ISSUE_PHASE_CYCLES + memory_at(stim)->first_phase;
    return &profiles[phase % ISSUE_PROFILES];
}

void wlk_stim_issue_start(const stage *s, wlk_stimulus_state *stim) {
    memory *mem = memory_of(stim);
    mem->was_reset = true; // nothing has been admitted
    mem->first_phase = (uint32_t)(wlk_random(&stim->random) % ISSUE_PROFILES);
    for (uint32_t w = 0; w < s->num_warps; w++) {
        mem->pc[w] = (FIRST_PC & wlk_mask(s->lane_bits)) + w * UINT64_C(0x10000);
    }
}

void wlk_stim_issue_opaque(const uint64_t *exist, uint64_t *opaque) {
    static const uint32_t ones[OPERANDS] = {WLK_PREG_MASK, WLK_PREG_MASK, WLK_PREG_MASK};
    uint64_t read[WLK_ENTRY_WORDS] = {0};
    wlk_entry_put_sources(read, ones, (1u << OPERANDS) - 1u);
    wlk_entry_put_destination(read, WLK_PREG_MASK, 1u);
    wlk_entry_put_wid(read, MAX_WARPS - 1u);
    wlk_entry_put_tmask(read, ~UINT64_C(0));
    wlk_entry_put_pc(read, UINT32_MAX);
    for (uint32_t w = 0; w < WLK_ENTRY_WORDS; w++) {
        opaque[w] = exist[w] & ~read[w];
    }
}

// ---- random instructions ----------------------------------------------------------------------

// Registers of a warp's own, or the lowest ones for all; now and then any.
static uint32_t choose_register(const stage *s, const weights *w, uint32_t bits, uint32_t warp,
                                uint64_t *random) {
    const uint64_t r = wlk_random(random);
    const uint32_t own = s->num_pregs >> wlk_min(wlk_clog2(s->num_warps), wlk_clog2(s->num_pregs));
    const uint32_t window = UINT32_C(1) << bits;
    if ((r >> 48 & 255u) < w->x0) {
        return 0;
    }
    if ((r >> 56 & 63u) == 0) {
        return (uint32_t)r & (s->num_pregs - 1u);
    }
    if ((r >> 40 & 255u) < w->shared) {
        return (uint32_t)r & (wlk_min(window, s->num_pregs) - 1u);
    }
    return (warp * own + ((uint32_t)r & (wlk_min(window, own) - 1u))) & (s->num_pregs - 1u);
}

// Where a bank is read once a cycle: does an instruction or a register make it wait?
static bool crowds(const stage *s, const weights *w, uint64_t random) {
    uint64_t apart = random ^ FIRST_PC; // as of make_random
    return s->reg_banks != 0 && stim_chance(&apart, w->crowd);
}

// The register of the last bank that is nearest.
static uint32_t in_last_bank(const stage *s, uint32_t preg) {
    const uint32_t each = s->num_pregs / s->reg_banks;
    return s->mod_banks ? preg | (s->reg_banks - 1u) : (preg & (each - 1u)) | (s->num_pregs - each);
}

static uint32_t pick_register(const stage *s, const weights *w, uint32_t bits, uint32_t warp,
                              uint64_t *random) {
    if (!crowds(s, w, *random)) {
        return choose_register(s, w, bits, warp, random);
    }
    // As many as elsewhere.
    const uint32_t preg = choose_register(s, w, bits + wlk_clog2(s->reg_banks), warp, random);
    return preg != 0 ? in_last_bank(s, preg) : 0u;
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

bool wlk_stim_issue_names(const uint64_t *entry, uint32_t preg) {
    const uint32_t has = wlk_entry_has_rs(entry);
    bool names = wlk_entry_get_hasRd(entry) && wlk_entry_get_rd(entry) == preg;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        names = names || ((has >> i & 1u) && wlk_entry_rs(entry, i) == preg);
    }
    return names;
}

static void make_sources(const stage *s, const weights *w, const memory *mem, uint32_t warp,
                         uint64_t *random, uint64_t *entry) {
    const uint64_t r = wlk_random(random);
    uint64_t alone[WLK_ENTRY_WORDS] = {0};
    uint32_t pregs[OPERANDS], has = 0, named = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const uint32_t other = pick_register(s, w, w->source_bits, warp, random);
        pregs[i] = pick_or_repeat(w->raw, mem->recent_rd[warp], other, random);
        pregs[i] = i > 0 && (r >> (i * 8u) & 255u) < w->repeat ? pregs[0] : pregs[i];
        pregs[i] = pregs[i] == mem->stray ? 0u : pregs[i];
        has |= (uint32_t)((r >> (24u + i * 8u) & 255u) < w->source) << i;
    }
    wlk_entry_put_sources(alone, pregs, has);
    // One that names a register more often could never be admitted.
    if (wlk_stim_issue_most_named(alone, &named) > s->max_pending_reads) {
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
static void make_inadmissible(const stage *s, wlk_stimulus_state *stim, uint64_t *entry) {
    memory *mem = memory_of(stim);
    const uint64_t r = wlk_random(&stim->random);
    const uint32_t preg = 1u + (uint32_t)(r >> 8) % (s->num_pregs - 1u);
    const uint32_t pregs[OPERANDS] = {preg, preg, preg};
    const bool none = s->max_pending_reads >= OPERANDS || (r & 1u) != 0 || preg == mem->stray;
    wlk_entry_put_sources(entry, pregs, none ? 0u : (1u << OPERANDS) - 1u);
    wlk_entry_put_destination(entry, preg, !none);
    if (mem->give_up == 0) {
        mem->give_up = stim->cycle + 1u + (r >> 32) % MAX_INADMISSIBLE;
    }
}

uint64_t wlk_stim_issue_mask(const stage *s, const weights *w, uint64_t *random) {
    const uint64_t all = wlk_mask(s->num_lanes), r = wlk_random(random);
    return (r >> 56) < w->partial ? (r & wlk_random(random)) & all : all;
}

// A register that the row that comes last in every walk is yet to read, or 0.
static uint32_t pick_awaiting_read(const stage *s, uint64_t random) {
    const uint32_t i = stim_below(random, OPERANDS);
    const uint32_t rows = s->valid & ~s->op_ready[i] & ~s->busy[i];
    if (rows == 0) {
        return 0;
    }
    uint32_t row = 31u - (uint32_t)__builtin_clz(rows);
    for (uint32_t n = 0; n < s->x->rows.n_by_age; n++) {
        const uint32_t aged = s->x->rows.by_age[n];
        row = has_row(rows, aged) ? aged : row;
    }
    const uint32_t preg = wlk_entry_rs(s->entry[row], i);
    return pending_write(s, preg) ? 0u : preg;
}

// One without a source, whose write soon overtakes reads that wait for a bank.
static bool make_overtaker(const stage *s, const weights *w, const memory *mem, uint64_t random,
                           uint64_t *entry) {
    uint64_t apart = ~random;
    const uint64_t r = wlk_random(&apart);
    if (s->reg_banks == 0 || !stim_hits(r, w->crowd / 2u)) {
        return false;
    }
    const uint32_t rd = pick_awaiting_read(s, r);
    if (rd == 0 || rd == mem->stray) {
        return false;
    }
    wlk_entry_put_destination(entry, rd, 1u);
    return true;
}

static void make_operands(const stage *s, const weights *w, memory *mem, uint32_t warp,
                          uint64_t *random, uint64_t *entry) {
    make_sources(s, w, mem, warp, random, entry);
    const uint32_t other = pick_register(s, w, w->rd_bits, warp, random);
    uint32_t rd = pick_or_repeat(w->war, mem->recent_rs[warp], other, random);
    rd = pick_or_repeat(w->waw, mem->recent_rd[warp], rd, random);
    rd = rd == mem->stray ? 0u : rd;
    // One without any operand could never be admitted either.
    wlk_entry_put_destination(entry, rd,
                              wlk_entry_has_rs(entry) == 0 || stim_hits(wlk_random(random), w->rd));
    remember(mem->recent_rs[warp], wlk_entry_rs(entry, rd % OPERANDS));
    if (wlk_entry_get_hasRd(entry)) {
        remember(mem->recent_rd[warp], rd);
    }
}

// Issue ports whose arbiter may choose anyone.
static uint32_t unknown_ports(const stage *s) {
    const uint32_t n = wlk_min(s->n_ports, MAX_PORTS);
    uint32_t ports = 0;
    for (uint32_t p = 0; p < n; p++) {
        ports |= (uint32_t)!s->ports[p].known << p;
    }
    return ports;
}

// Any, or for a while often the same one; at first those whose arbiter is to be known.
static uint32_t pick_unit(const stage *s, const wlk_stimulus_state *stim, uint64_t random) {
    const uint32_t unknown = unknown_ports(s);
    if (s->banks == 0) {
        return 0;
    }
    if (s->n_ports > 1 && unknown != 0) {
        return (uint32_t)__builtin_ctz(unknown);
    }
    return stim_hits(random, CROWD) ? (uint32_t)(stim->cycle / ISSUE_PHASE_CYCLES) % s->banks
                                    : stim_below(random, s->banks);
}

static void make_random(const stage *s, const weights *w, wlk_stimulus_state *stim, uint32_t warp,
                        uint32_t place) {
    memory *mem = memory_of(stim);
    uint64_t *random = &stim->random, *entry = mem->shown[place];
    for (uint32_t i = 0; i < WLK_ENTRY_WORDS; i++) {
        entry[i] = wlk_random(random) & mem->opaque[i];
    }
    if (w->inadmissible != 0 && stim_hits(wlk_random(random), w->inadmissible)) {
        make_inadmissible(s, stim, entry);
    } else if (!make_overtaker(s, w, mem, *random, entry)) {
        make_operands(s, w, mem, warp, random, entry);
    }
    wlk_entry_put_tmask(entry, wlk_stim_issue_mask(s, w, random));
    wlk_entry_put_pc(entry, mem->pc[warp]);
    // What is drawn for the other inputs does not rest on what follows.
    uint64_t apart = *random ^ FIRST_PC;
    uint32_t wid = warp;
    if (w->other_warp != 0) {
        const uint64_t r = wlk_random(&apart);
        wid = stim_hits(r, w->other_warp) ? (uint32_t)(r >> 32) % s->num_warps : warp;
    }
    wlk_entry_put_wid(entry, wid);
    const uint64_t target = wlk_random(&apart) & wlk_mask(s->lane_bits);
    mem->pc[warp] = stim_chance(&apart, JUMP) ? target : mem->pc[warp] + 4u;
    mem->unit[place] = (uint8_t)pick_unit(s, stim, wlk_random(&apart));
}

// ---- programs ---------------------------------------------------------------------------------

static const wlk_instruction *next_of_program(const wlk_stimulus_state *stim, uint32_t warp) {
    size_t count = 0;
    return wlk_program_warp(stim->program, warp, &count) + memory_at(stim)->position[warp];
}

static uint32_t bank_of(const stage *s, const wlk_instruction *instruction) {
    return s->banks != 0 ? instruction->unit % s->banks : 0u;
}

static void put_instruction(const stage *s, wlk_stimulus_state *stim, uint32_t warp,
                            uint32_t place) {
    memory *mem = memory_of(stim);
    const wlk_instruction *instruction = next_of_program(stim, warp);
    const uint32_t pregs[OPERANDS] = {instruction->rs[0], instruction->rs[1], instruction->rs[2]};
    const uint32_t has = (uint32_t)instruction->has_rs[0] | (uint32_t)instruction->has_rs[1] << 1 |
                         (uint32_t)instruction->has_rs[2] << 2;
    uint64_t *entry = mem->shown[place];
    memset(entry, 0, sizeof mem->shown[place]);
    wlk_entry_put_sources(entry, pregs, has);
    wlk_entry_put_destination(entry, instruction->rd, instruction->has_rd);
    wlk_entry_put_tmask(entry, instruction->mask);
    wlk_entry_put_pc(entry, instruction->pc);
    wlk_entry_put_wid(entry, warp);
    wlk_entry_put_token_warpId(entry, warp);
    PUT_POSITION(entry, mem->position[warp]++);
    mem->unit[place] = (uint8_t)bank_of(s, instruction);
}

// ---- either -----------------------------------------------------------------------------------

void wlk_stim_issue_any(const stage *s, wlk_stimulus_state *stim, uint32_t warp, uint32_t place) {
    make_random(s, &profiles[0], stim, warp, place);
}

uint32_t wlk_stim_issue_next_port(const stage *s, const wlk_stimulus_state *stim, uint32_t warp) {
    const uint32_t unknown = unknown_ports(s);
    if (s->n_ports == 1) {
        return 0;
    }
    return stim->program != NULL ? bank_of(s, next_of_program(stim, warp))
                                 : (uint32_t)__builtin_ctz(unknown | 1u << MAX_PORTS) % MAX_PORTS;
}

void wlk_stim_issue_make(const stage *s, const weights *w, wlk_stimulus_state *stim, uint32_t warp,
                         uint32_t place) {
    if (stim->program == NULL) {
        make_random(s, w, stim, warp, place);
    } else {
        put_instruction(s, stim, warp, place);
    }
}

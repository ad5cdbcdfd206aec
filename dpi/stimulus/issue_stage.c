// SPDX-License-Identifier: Apache-2.0
// A cycle at the ports of an issue stage: each warp runs a stream of instructions, and an execution
// side writes their results back. An instruction is shown until it is admitted.
#include <string.h>

#include "issue_private.h"

enum { MAX_LATENCY = 40 };

// ---- instructions -----------------------------------------------------------------------------

uint32_t wlk_stim_issue_unfinished(const stage *s, const wlk_stimulus_state *stim) {
    const memory *mem = memory_at(stim);
    uint32_t warps = 0;
    for (uint32_t w = 0; stim->program != NULL && w < s->num_warps; w++) {
        size_t count = 0;
        (void)wlk_program_warp(stim->program, w, &count);
        warps |= (uint32_t)(mem->position[w] < count) << w;
    }
    return warps;
}

// Warps that get an instruction if they have room for it.
static uint32_t fetching_warps(const stage *s, const weights *w, wlk_stimulus_state *stim) {
    uint64_t r = 0;
    uint32_t warps = 0;
    if (stim->program != NULL) {
        return wlk_stim_issue_unfinished(s, stim);
    }
    for (uint32_t warp = 0; warp < s->num_warps; warp++, r >>= 8) {
        r = warp % 8u == 0 ? wlk_random(&stim->random) : r;
        // The busiest warp is another one in each phase.
        const uint32_t rank = (uint32_t)(warp + stim->cycle / ISSUE_PHASE_CYCLES) % s->num_warps;
        const uint32_t offer = w->offer >> (rank * w->skew / s->num_warps);
        warps |= (uint32_t)stim_hits(r, offer) << warp;
    }
    return warps;
}

static uint32_t full_warps(const stage *s, const memory *mem) {
    const uint32_t n = wlk_min(s->num_warps, MAX_WARPS);
    uint32_t warps = 0;
    for (uint32_t w = 0; w < n; w++) {
        warps |= (uint32_t)(mem->count[w] >= s->window) << w;
    }
    return warps;
}

static bool is_empty(const stage *s, const memory *mem) {
    bool empty = mem->offered == 0 && s->valid == 0;
    for (uint32_t p = 0; p < s->n_ports; p++) {
        empty = empty && s->ports[p].entry == NULL;
    }
    return empty;
}

// Until an arbiter's last grant is known the generator cannot know its choice, so it has no two
// instructions to choose from, and the generator's model stays equal to the RTL.
static uint32_t unambiguous(const stage *s, const wlk_stimulus_state *stim, uint32_t warps) {
    uint32_t safe = 0;
    for (uint32_t rest = s->last_known ? warps : 0u; rest != 0; rest &= rest - 1u) {
        const uint32_t warp = (uint32_t)__builtin_ctz(rest);
        const uint32_t next = wlk_stim_issue_next_port(s, stim, warp);
        safe |= (uint32_t)s->ports[next].known << warp;
    }
    const uint32_t alone = is_empty(s, memory_at(stim)) ? warps & (~warps + 1u) : 0u;
    return safe != 0 ? safe : alone;
}

static bool all_known(const stage *s) {
    bool known = s->last_known;
    for (uint32_t p = 0; p < s->n_ports; p++) {
        known = known && s->ports[p].known;
    }
    return known;
}

static uint32_t make_heads(const stage *s, const weights *w, wlk_stimulus_state *stim) {
    memory *mem = memory_of(stim);
    uint32_t warps = stim->drain ? 0u : fetching_warps(s, w, stim) & ~full_warps(s, mem);
    if (!all_known(s)) {
        warps = unambiguous(s, stim, warps);
    }
    mem->offered |= warps;
    mem->moved = warps != 0 ? stim->cycle : mem->moved;
    for (; warps != 0; warps &= warps - 1u) {
        const uint32_t warp = (uint32_t)__builtin_ctz(warps);
        wlk_stim_issue_make(s, w, stim, warp, place_of(s, warp, mem->count[warp]));
        mem->count[warp]++;
    }
    return mem->offered;
}

// Before the first edge in reset the state is unknown, so anything may be driven.
static uint32_t make_anything(const stage *s, wlk_stimulus_state *stim) {
    for (uint32_t w = 0; w < s->num_warps; w++) {
        wlk_stim_issue_any(s, stim, w, place_of(s, w, 0));
    }
    return (uint32_t)(wlk_random(&stim->random) & wlk_mask(s->num_warps));
}

// ---- what the last edge did -------------------------------------------------------------------

admitted wlk_stim_issue_admitted(const stage *s, const memory *mem) {
    const uint32_t invalid = ~mem->rows & (uint32_t)wlk_mask(s->rs_entries);
    const uint32_t row = invalid != 0 ? (uint32_t)__builtin_ctz(invalid) : 0u;
    const uint64_t *entry = s->entry[row];
    admitted a = {.any = false};
    // Admission takes the lowest row that was not valid.
    if (mem->was_reset || invalid == 0 || !has_row(s->valid, row)) {
        return a;
    }
    // Its wid may name another warp than the one that it came from. Of equal instructions the first
    // one goes: what makes it wait makes the later ones wait too.
    a.any = true;
    a.warp = s->last % MAX_WARPS;
    while (a.number + 1u < mem->count[a.warp] &&
           memcmp(mem->shown[place_of(s, a.warp, a.number)], entry, sizeof mem->shown[0]) != 0) {
        a.number++;
    }
    return a;
}

uint32_t wlk_stim_issue_waiting(const stage *s, const memory *mem) {
    const admitted a = wlk_stim_issue_admitted(s, mem);
    if (mem->was_reset) {
        return 0;
    }
    const bool last = a.any && mem->count[a.warp] <= 1;
    return last ? mem->offered & ~(UINT32_C(1) << a.warp) : mem->offered;
}

// It leaves, and those behind it move up.
static void leave(const stage *s, memory *mem, const admitted *a) {
    mem->count[a->warp]--;
    for (uint32_t n = a->number; n < mem->count[a->warp]; n++) {
        const uint32_t to = place_of(s, a->warp, n);
        memcpy(mem->shown[to], mem->shown[to + 1u], sizeof mem->shown[to]);
        mem->unit[to] = mem->unit[to + 1u];
    }
}

// What the last edge did to what the generator has outside the block.
static void follow(const stage *s, wlk_stimulus_state *stim) {
    memory *mem = memory_of(stim);
    const uint32_t waiting = wlk_stim_issue_waiting(s, mem);
    const admitted a = wlk_stim_issue_admitted(s, mem);
    mem->offered = waiting;
    if (a.any) {
        mem->moved = stim->cycle;
        leave(s, mem, &a);
    }
    if (mem->was_reset) {
        memset(mem->count, 0, sizeof mem->count);
        mem->n_results = 0;
        mem->holds_write = false;
        mem->stray = 0;
        memset(mem->unit_free, 0, sizeof mem->unit_free);
    }
    mem->rows = s->valid;
}

// ---- the other inputs -------------------------------------------------------------------------

static bool unblocked(const weights *w, wlk_stimulus_state *stim, uint32_t port) {
    uint64_t *until = &memory_of(stim)->blocked_until[port];
    const uint64_t r = wlk_random(&stim->random);
    if (stim->drain) {
        return true;
    }
    if (w->block != 0 && stim->cycle >= *until && (r >> 8 & 31u) == 0) {
        *until = stim->cycle + (r >> 16) % w->block;
    }
    return stim->cycle >= *until && stim_hits(r, w->ready);
}

static uint32_t pick_latency(const stage *s, const weights *w, wlk_stimulus_state *stim,
                             const uint64_t *entry) {
    const wlk_instruction *instruction = instruction_of(stim, entry);
    const uint64_t r = wlk_random(&stim->random);
    if (instruction != NULL) {
        return instruction->latency;
    }
    if (s->x != NULL && wlk_entry_has_rs(entry) == 0 && (r >> 40 & 1u) != 0) {
        return 1; // it overtakes what it can
    }
    const uint32_t longest = (r & 255u) < w->slow ? (uint32_t)MAX_LATENCY : w->latency;
    return 1u + (uint32_t)(r >> 8) % (longest != 0 ? longest : 1u);
}

static bool make_issue(const stage *s, const weights *w, wlk_stimulus_state *stim, uint32_t port) {
    memory *mem = memory_of(stim);
    const uint64_t *entry = s->ports[port].entry;
    bool ready = unblocked(w, stim, port);
    if (entry != NULL) {
        const uint32_t unit = unit_of(stim, entry);
        ready = ready && wlk_stim_issue_execution_takes(mem, unit, stim->cycle);
        if (ready) {
            mem->moved = stim->cycle;
            wlk_stim_issue_execution_take(mem, entry, unit, stim->cycle,
                                          pick_latency(s, w, stim, entry));
        }
    }
    return ready;
}

// A write-back that belongs to no instruction.
static bool stray_result(const stage *s, const weights *w, wlk_stimulus_state *stim, result *to) {
    const uint64_t r = wlk_random(&stim->random);
    to->mask = wlk_stim_issue_mask(s, w, &stim->random);
    to->rd = s->stray(s, stim, r);
    const bool comes = !stim->drain && (r & 255u) < w->stray && to->rd != NO_REGISTER;
    to->rd = to->rd != NO_REGISTER ? to->rd : 0u;
    return comes;
}

// One that is not taken stays.
static bool make_writeback(const stage *s, const weights *w, wlk_stimulus_state *stim) {
    memory *mem = memory_of(stim);
    if (mem->holds_write) {
        return true;
    }
    // Without a result the ports show something all the same.
    result *to = &mem->offered_result;
    bool valid = wlk_stim_issue_execution_result(mem, stim->cycle, to);
    if (!valid && stray_result(s, w, stim, to)) {
        mem->stray = s->x != NULL ? to->rd : 0u;
        valid = true;
    }
    mem->moved = valid ? stim->cycle : mem->moved;
    return valid;
}

static void make_resets(const weights *w, wlk_stimulus_state *stim, inputs *in) {
    const uint64_t r = wlk_random(&stim->random);
    memory *mem = memory_of(stim);
    // Nothing but a reset ends an instruction that cannot be admitted.
    const bool gives_up = mem->give_up != 0 && (stim->drain || stim->cycle >= mem->give_up);
    in->reset =
        stim->cycle < STIM_RESET_CYCLES || gives_up || (!stim->drain && (r & 4095u) < w->reset);
    in->soft_reset = !stim->drain && (r >> 12 & 4095u) < w->soft_reset;
    mem->was_reset = in->reset;
    mem->give_up = in->reset ? 0u : mem->give_up;
}

inputs wlk_stim_issue_cycle(const stage *s, wlk_stimulus_state *stim) {
    memory *mem = memory_of(stim);
    const weights *w = wlk_stim_issue_weights(stim);
    inputs in = {.shows = stim->cycle == 0 || stim->cycle >= STIM_RESET_CYCLES};
    follow(s, stim);
    if (in.shows) {
        in.heads = stim->cycle == 0 ? make_anything(s, stim) : make_heads(s, w, stim);
    }
    for (uint32_t p = 0; p < s->n_ports; p++) {
        in.ready |= make_issue(s, w, stim, p) ? UINT32_C(1) << p : 0u;
    }
    const bool held = mem->holds_write;
    in.writes = make_writeback(s, w, stim);
    make_resets(w, stim, &in);
    if (s->debug) {
        const uint64_t r = wlk_random(&stim->random);
        in.cluster = r & 1u; // as wide as one core needs
        in.core = r >> 1 & 1u;
    }
    mem->data = held ? mem->data : wlk_random(&stim->random);
    stim->cycle++;
    return in;
}

void wlk_stim_issue_row(const wlk_stimulus_state *stim, uint32_t bits, uint64_t *row) {
    const uint32_t words = (bits + 63u) / 64u;
    uint64_t random = memory_at(stim)->data;
    for (uint32_t w = 0; w < words; w++) {
        row[w] = wlk_random(&random);
    }
    row[words - 1u] &= wlk_mask(bits - (words - 1u) * 64u);
}

// ---- the end ----------------------------------------------------------------------------------

bool wlk_stim_issue_idle(const stage *s, const wlk_stimulus_state *stim) {
    const memory *mem = memory_at(stim);
    return wlk_stim_issue_waiting(s, mem) == 0 &&
           (mem->was_reset || (mem->n_results == 0 && !mem->holds_write)) &&
           wlk_stim_issue_unfinished(s, stim) == 0;
}

// A result that is due behind a write that is not taken brings nothing.
uint64_t wlk_stim_issue_still(const wlk_stimulus_state *stim) {
    const memory *mem = memory_at(stim);
    return mem->n_results != 0 && !mem->holds_write ? 0u : stim->cycle - mem->moved;
}

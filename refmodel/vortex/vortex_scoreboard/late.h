/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vortex's scoreboard from a start without its reset; part of model.c. ib_ready tells
 * which warps have an instruction and which one leaves; one that leaves tells that its registers
 * are free. What is not known has a value that agrees with what is seen. Not for a tree of
 * arbiters.
 */
#ifndef WLK_VORTEX_SCOREBOARD_LATE_H
#define WLK_VORTEX_SCOREBOARD_LATE_H

// Bits of late_flops.
enum {
    KNOWS_READY = 1,   // of the output buffer
    KNOWS_VALID = 2,   // of it
    KNOWS_POINTER = 4, // of the arbiter
    KNOWS_STALLS = 8,
    KNOWS_FIRE = 16,  // in this cycle: which instruction leaves, if one does
    KNOWS_INPUTS = 32 // in this cycle: which instructions come in
};

static void late(const uint32_t *params, void *state);

static inline uint64_t all_warps(const cfg_t *cfg) {
    return wlk_mask(warps_of(cfg));
}

// Are the registers known that the instruction of a warp waits for, or that it does?
static inline uint32_t knows_ready(const state_t *st, uint32_t w, uint64_t inuse) {
    const uint64_t known = st->inuse_known[w];
    return st->staging[w].known &
           (uint32_t)((inuse & known & st->need[w]) != 0 || (st->need[w] & ~known) == 0);
}

// Warps of which it is known whether their instruction leaves.
static uint64_t known_ready(const cfg_t *cfg, const state_t *st) {
    const uint64_t all = all_warps(cfg), staged = st->staged & st->staged_known;
    const bool buffer = (st->late_flops & KNOWS_READY) != 0;
    const bool arbiter = buffer && (st->late_flops & KNOWS_POINTER) != 0 &&
                         st->staged_known == all && (staged & ~st->ready_known) == 0;
    uint64_t known = st->staged_known & ~st->staged;
    known |= staged & st->ready_known & ~st->ready;
    return arbiter || (buffer && st->out.s.ready == 0) ? st->staged_known : known;
}

static void hide(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *care) {
    (void)c;
    const uint64_t ready = wlk_vortex_scoreboard_out_get_ib_ready(care);
    wlk_vortex_scoreboard_out_set_ib_ready(care, ready & known_ready(cfg, st));
    if ((st->late_flops & KNOWS_VALID) == 0) {
        wlk_vortex_scoreboard_out_set_sb_valid(care, 0);
    }
    if ((st->late_flops & KNOWS_STALLS) == 0) {
        wlk_vortex_scoreboard_out_set_perf_stalls(care, 0);
    }
}

// ---- what is seen -------------------------------------------------------------------------------

// The output register, which stays as it is shown or takes something that is known.
static void learn_output(const cfg_t *cfg, state_t *st, const wlk_sight *seen) {
    const uint32_t first = CAPS(OUT_SB_DATA);
    uint64_t all[OUT_WORDS];
    wlk_vortex_scoreboard_out_mask(cfg, all);
    const bool wis = wlk_vortex_scoreboard_out_get_sb_data_wis(seen->out_known) ==
                     wlk_vortex_scoreboard_out_get_sb_data_wis(all);
    if (!st->out.out.known &&
        words_are_known(all, seen->out_known, first, first + WLK_INSTR_WORDS)) {
        memcpy(st->out.out.instr, seen->out + first, sizeof st->out.out.instr);
        st->out.out.known = 1;
    }
    if (!st->out.out.wis_known && wis) {
        st->out.out.wis = (uint8_t)wlk_vortex_scoreboard_out_get_sb_data_wis(seen->out);
        st->out.out.wis_known = 1;
    }
    if ((st->late_flops & KNOWS_VALID) == 0 &&
        wlk_vortex_scoreboard_out_get_sb_valid(seen->out_known)) {
        st->out.s.valid = (uint8_t)wlk_vortex_scoreboard_out_get_sb_valid(seen->out);
        st->late_flops |= KNOWS_VALID;
    }
    // Empty, it takes an instruction.
    if ((st->late_flops & (KNOWS_VALID | KNOWS_READY)) == KNOWS_VALID && !st->out.s.valid) {
        st->out.s.ready = 1;
        st->late_flops |= KNOWS_READY;
    }
}

static void learn_counter(uint64_t *counter, uint8_t *known, uint32_t bit, uint64_t shown,
                          uint64_t is_shown) {
    if ((*known & bit) == 0 && is_shown == VX_COUNTER) {
        *counter = shown;
        *known |= (uint8_t)bit;
    }
}

static void learn_counters(const cfg_t *cfg, state_t *st, const wlk_sight *seen) {
    const uint64_t *out = seen->out, *known = seen->out_known;
    learn_counter(&st->stalls, &st->late_flops, KNOWS_STALLS,
                  wlk_vortex_scoreboard_out_get_perf_stalls(out),
                  wlk_vortex_scoreboard_out_get_perf_stalls(known));
    learn_counter(&st->uses[USES_CSR], &st->uses_known, 1u << USES_CSR,
                  wlk_vortex_scoreboard_out_get_perf_sfu_uses_0(out),
                  wlk_vortex_scoreboard_out_get_perf_sfu_uses_0(known));
    learn_counter(&st->uses[USES_OTHER], &st->uses_known, 1u << USES_OTHER,
                  wlk_vortex_scoreboard_out_get_perf_sfu_uses_1(out),
                  wlk_vortex_scoreboard_out_get_perf_sfu_uses_1(known));
    for (uint32_t u = 0; u < units_of(cfg); u++) {
        learn_counter(&st->uses[u], &st->uses_known, 1u << u,
                      wlk_vortex_scoreboard_out_element(out, u)[0] & VX_COUNTER,
                      wlk_vortex_scoreboard_out_element(known, u)[0] & VX_COUNTER);
    }
}

// An instruction leaves: it was ready, so its registers are free.
static void learn_fire(state_t *st, uint32_t w) {
    const uint64_t bit = UINT64_C(1) << w;
    if (st->staging[w].known) {
        st->inuse[w] &= ~(st->need[w] & ~st->inuse_known[w]);
        st->inuse_known[w] |= st->need[w];
    }
    if ((st->ready_known & bit) == 0) {
        st->ready |= bit;
        st->ready_known |= bit;
    }
    if ((st->late_flops & KNOWS_READY) == 0) {
        st->out.s.ready = 1;
        st->late_flops |= KNOWS_READY;
    }
    if ((st->late_flops & KNOWS_POINTER) == 0) {
        st->pointer[LAST] = (uint8_t)w;
    }
}

// Whose instruction leaves, from who takes another one.
static void learn_ready(const cfg_t *cfg, state_t *st, const wlk_sight *seen) {
    const uint64_t all = all_warps(cfg);
    const uint64_t ready = wlk_vortex_scoreboard_out_get_ib_ready(seen->out);
    st->late_flops &= (uint8_t) ~(KNOWS_FIRE | KNOWS_INPUTS);
    if ((wlk_vortex_scoreboard_out_get_ib_ready(seen->out_known) & all) != all) {
        late((const uint32_t *)cfg, st);
        return;
    }
    const uint64_t open = ready & ~st->staged_known; // they had none, or it leaves
    const uint64_t fire = ready & st->staged & st->staged_known;
    st->staged |= ~ready & ~st->staged_known & all;
    st->staged &= ~open;
    st->ready &= st->ready_known; // of the others it is not known
    if (open == 0 && fire != 0) {
        learn_fire(st, (uint32_t)__builtin_ctzll(fire));
    } else if (open == 0 && (st->late_flops & KNOWS_READY) != 0 && st->out.s.ready) {
        st->ready_known |= st->staged; // none is ready
    }
    st->late_flops |= KNOWS_INPUTS | (open == 0 ? KNOWS_FIRE : 0);
}

static void learn(const uint32_t *params, void *state, const wlk_sight *seen) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    if (!st->late) {
        return;
    }
    learn_output(cfg, st, seen);
    learn_ready(cfg, st, seen);
    if (cfg->perf_enable != 0 && st->late) {
        learn_counters(cfg, st, seen);
    }
}

// ---- the clock edge -----------------------------------------------------------------------------

// Before it: what it leaves known of the buffer's flops, the pointer and the stalls.
static uint32_t flops_after(const cfg_t *cfg, const state_t *st, const cycle_t *c) {
    const uint32_t flops = st->late_flops, fire = flops & KNOWS_FIRE;
    const bool valid = (flops & KNOWS_VALID) != 0, ready = (flops & KNOWS_READY) != 0;
    const bool flow = c->sb_ready != 0 || (valid && !st->out.s.valid);
    const bool stays = c->sb_ready == 0 && valid && st->out.s.valid;
    const bool full = ready && !st->out.s.ready;
    uint32_t after = flops & KNOWS_INPUTS;
    after |= flow || (stays && (full || (ready && fire != 0))) ? (uint32_t)KNOWS_READY : 0u;
    after |= stays || (flow && (full || (ready && fire != 0))) ? (uint32_t)KNOWS_VALID : 0u;
    after |=
        fire != 0 && (c->fire != 0 || (flops & KNOWS_POINTER) != 0) ? (uint32_t)KNOWS_POINTER : 0u;
    // Whether some instruction is ready.
    const bool some = (st->staged & st->ready & st->ready_known) != 0;
    const bool none = (st->staged & ~st->ready_known) == 0;
    const bool counted = st->staged_known == all_warps(cfg) && (some || none);
    after |= counted ? flops & KNOWS_STALLS : 0u;
    return after;
}

// Before it: is it seen what the output buffer loads?
static bool sees_load(const state_t *st) {
    const bool full = (st->late_flops & KNOWS_READY) != 0 && !st->out.s.ready;
    return full || (st->late_flops & (KNOWS_READY | KNOWS_FIRE)) == (KNOWS_READY | KNOWS_FIRE);
}

// The output buffer after an edge at which that was not seen; @p stays: its output.
static void lose_load(state_t *st, bool stays) {
    st->out.spare.known = st->out.spare.wis_known = 0;
    if (!stays) {
        st->out.out.known = st->out.out.wis_known = 0;
    }
}

// Registers in use that an edge leaves known: what is released, and what an instruction reserves
// that leaves, or may. @p inuse: after it.
static void know_registers(state_t *st, const cycle_t *c, uint32_t w, uint64_t inuse) {
    const bool fires = (c->fire >> w & 1u) != 0;
    const bool open = (c->ib_ready >> w & 1u) != 0 || (st->late_flops & KNOWS_INPUTS) == 0;
    const bool may = (st->late_flops & KNOWS_FIRE) == 0 && open;
    st->inuse_known[w] |= w == c->wb_warp ? c->released : 0u;
    if (fires && st->staging[w].known) {
        st->inuse_known[w] |= st->dest[w];
    } else if (fires || may) {
        st->inuse_known[w] &= inuse;
    }
}

// After it: the instructions that are there, the registers that are in use.
static void know_warps(const cfg_t *cfg, state_t *st, const cycle_t *c) {
    st->staged_known = (st->late_flops & KNOWS_INPUTS) != 0 ? all_warps(cfg) : 0u;
    st->ready_known = 0;
    for (uint32_t w = 0; w < c->warps; w++) {
        st->ready_known |= (uint64_t)knows_ready(st, w, st->inuse[w]) << w;
    }
}

#endif

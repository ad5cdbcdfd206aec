// SPDX-License-Identifier: Apache-2.0
// Stimulus of the issue stage. More than the generic driver: each warp runs a stream of
// instructions, random or of a program, and an execution side writes their results back. A head
// stays until it is admitted. A reset soon follows an instruction of a random stream that cannot be
// (muon-issue §4); a program's is taken as it is.
#include <string.h>

#include "issue_private.h"
#include "warplock/issue.h"

enum { OUT_WORDS = 512 };

static const char *const profile_names[] = {WLK_ISSUE_PROFILES, NULL};
_Static_assert(sizeof profile_names / sizeof profile_names[0] == ISSUE_PROFILES + 1,
               "one name each");

#define PUT(field, words, value) wlk_issue_in_put_##field(words, value)

// A register that is being read, or any. Nothing forbids a write-back that belongs to no
// instruction, and nothing else can hit a register while it is read.
static uint32_t stray(const stage *s, const wlk_stimulus_state *stim, uint64_t random) {
    const uint32_t operand = (uint32_t)(random >> 32) % OPERANDS;
    (void)stim;
    return s->next_en >> operand & 1u ? s->next_preg[operand]
                                      : (uint32_t)(random >> 8) & (s->num_pregs - 1u);
}

static stage stage_of(const uint32_t *words, const void *model_state,
                      const wlk_stimulus_state *stim) {
    const wlk_issue_cfg *cfg = (const wlk_issue_cfg *)words;
    const wlk_issue_state *st = (const wlk_issue_state *)model_state;
    const struct wlk_reservation_station_state *rows = &st->reservStation;
    const memory *mem = memory_at(stim);
    return (stage){
        STAGE_MEMBERS(cfg, st),
        .window = 1,
        .n_ports = 1,
        .ports = {{rows->stage.full ? rows->stage.entry : NULL, mem->port_known}},
        .last = st->hazard.last,
        .last_known = mem->last_known,
        .next_en = st->collector.nextEn,
        .next_preg = st->collector.nextPReg,
        .stray = stray,
    };
}

// Bits of an instruction that exist in this configuration and are opaque.
static void find_opaque(const wlk_issue_cfg *cfg, uint64_t *opaque) {
    uint64_t exist[OUT_WORDS];
    wlk_issue_out_mask(cfg, exist);
    wlk_stim_issue_opaque(exist + WLK_ISSUE_OUT_ISSUE_BITS, opaque);
}

static void put_heads(const stage *s, const memory *mem, uint64_t *in) {
    for (uint32_t warp = 0; warp < s->num_warps; warp++) {
        memcpy(wlk_issue_in_element_mut(in, warp) + WLK_ISSUE_IN_IBUF_BITS, mem->shown[warp],
               sizeof mem->shown[warp]);
    }
}

// An arbiter's `last` is known from its first grant on, and after a power-up that is known always.
// What a grant in a cycle of reset has left shows nowhere.
static void watch_grants(const uint32_t *words, const void *model_state, wlk_stimulus_state *stim,
                         uint64_t *in) {
    const stage s = stage_of(words, model_state, stim);
    memory *mem = memory_of(stim);
    if (stim->cycle == 0) {
        memset(in, 0, wlk_issue_in_words((const wlk_issue_cfg *)words) * sizeof *in);
        mem->last_known = mem->port_known = wlk_stim_knows(stim->driver, words, model_state, in);
    } else if (!mem->was_reset) {
        mem->last_known = mem->last_known || wlk_stim_issue_admitted(&s, mem).any;
        mem->port_known = mem->port_known || s.ports[0].entry != NULL;
    }
}

static void next(const uint32_t *words, const void *model_state, wlk_stimulus_state *stim,
                 uint64_t *in) {
    watch_grants(words, model_state, stim, in);
    const stage s = stage_of(words, model_state, stim);
    memory *mem = memory_of(stim);
    const uint64_t cycle = stim->cycle;
    if (cycle == 0) {
        wlk_stim_issue_start(&s, stim);
        find_opaque((const wlk_issue_cfg *)words, mem->opaque);
    }
    const inputs i = wlk_stim_issue_cycle(&s, stim);
    memset(in, 0, WLK_ISSUE_IN_GROUP * sizeof *in);
    if (i.shows) {
        put_heads(&s, mem, in);
    } else {
        memset(wlk_issue_in_element_mut(in, 0), 0, s.num_warps * WLK_ISSUE_IN_STRIDE * sizeof *in);
    }
    PUT(reset, in, i.reset);
    PUT(softReset, in, i.soft_reset);
    PUT(ibuf_valid, in, i.heads);
    PUT(issue_ready, in, i.ready);
    PUT(writeback_valid, in, i.writes);
    PUT(writeback_bits_rd, in, mem->offered_result.rd);
    PUT(writeback_bits_tmask, in, mem->offered_result.mask);
    if (s.debug) {
        PUT(debug_cycle, in, cycle);
        PUT(debug_clusterId, in, i.cluster);
        PUT(debug_coreId, in, i.core);
    }
    wlk_stim_issue_row(stim, s.num_lanes * s.lane_bits, wlk_issue_in_element_mut(in, s.num_warps));
}

static bool idle(const uint32_t *words, const void *model_state, const wlk_stimulus_state *stim) {
    const stage s = stage_of(words, model_state, stim);
    return wlk_stim_issue_idle(&s, stim);
}

static void stuck(const uint32_t *words, const void *model_state, const wlk_stimulus_state *stim,
                  char *to, size_t size) {
    const stage s = stage_of(words, model_state, stim);
    wlk_stim_issue_stuck(&s, stim, to, size);
}

const wlk_stimulus wlk_issue_stimulus = {
    .block = "issue",
    .profiles = profile_names,
    .next = next,
    .idle = idle,
    .still = wlk_stim_issue_still,
    .stuck = stuck,
    .programs = true,
};

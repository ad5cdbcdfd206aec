// SPDX-License-Identifier: Apache-2.0
// Stimulus of the issue stage of the Muon document: that of the issue stage, with instructions
// behind the heads, units, several issue ports and write-backs that wait to be taken. Where
// muon-designs §9.2 knows a deadlock, a reset ends the one that a random stream has come to; a
// program's is taken as it is.
#include <string.h>

#include "issue_private.h"

enum { LONGEST_STILL = 128, OUT_WORDS = 8192 };

static const char *const profile_names[] = {WLK_ISSUE_X_PROFILES, NULL};
_Static_assert(sizeof profile_names / sizeof profile_names[0] == ISSUE_PROFILES + 1,
               "one name each");

#define PUT(field, words, value) wlk_issue_x_in_put_##field(words, value)

typedef wlk_issue_x_cfg cfg_t;
typedef wlk_issue_x_state state_t;

// ---- the stage --------------------------------------------------------------------------------

static bool is_stored(const state_t *st, uint32_t preg) {
    bool found = false;
    for (uint32_t n = 0; n < st->n_writes; n++) {
        found = found || st->writes[n].rd == preg;
    }
    return found;
}

static bool is_shown(const stage *s, const memory *mem, uint32_t preg) {
    bool found = false;
    for (uint32_t w = 0; w < s->num_warps; w++) {
        for (uint32_t n = 0; n < mem->count[w]; n++) {
            found = found || wlk_stim_issue_names(mem->shown[place_of(s, w, n)], preg);
        }
    }
    return found;
}

// A register that no instruction reads or writes, until the write is done: a write-back is held,
// and one between a writer and its write, or beside a read, would break what §9.1 asserts.
static uint32_t stray(const stage *s, const wlk_stimulus_state *stim, uint64_t random) {
    const memory *mem = memory_at(stim);
    const uint32_t preg = (uint32_t)(random >> 8) & (s->num_pregs - 1u);
    const uint8_t *reads = s->pending_reads;
    const bool idle = !pending_write(s, preg) && reads[preg] == 0 &&
                      reads[WLK_ISSUE_X_MAX_NUM_PREGS + preg] == 0 && !is_shown(s, mem, preg);
    return mem->stray == 0 && idle ? preg : NO_REGISTER;
}

// A set of the values that an arbiter's `last` may have: is it one, and which is the lowest?
static bool is_known(uint32_t last) {
    return (last & (last - 1u)) == 0;
}

static uint32_t lowest(uint32_t last) {
    return (uint32_t)__builtin_ctz(last | UINT32_C(1) << 31);
}

static stage stage_of(const uint32_t *words, const void *model_state) {
    const cfg_t *cfg = (const cfg_t *)words;
    const state_t *st = (const state_t *)model_state;
    stage s = {
        STAGE_MEMBERS(cfg, st),
        .window = cfg->ibuf_window,
        .banks = cfg->collector == WLK_ISSUE_X_COLLECTOR_INST_BANKED ? cfg->coll_banks : 0u,
        .n_ports = cfg->issue_ports,
        .reg_banks = cfg->reg_banks,
        .mod_banks = cfg->bank_map == WLK_ISSUE_X_BANK_MAP_MOD,
        .last = lowest(st->hazard.last),
        .last_known = is_known(st->hazard.last),
        .x_cfg = cfg,
        .x = st,
        .stray = stray,
    };
    for (uint32_t p = 0; p < s.n_ports; p++) {
        s.ports[p] = (issue_port){st->stage[p].full ? st->stage[p].words : NULL,
                                  is_known(st->stage[p].last)};
    }
    return s;
}

// ---- what stands still ------------------------------------------------------------------------

// §9.2, and in_order_per_warp: a read that waits for an older row of its warp, which waits for a
// write, may hold up the write of another warp that is ahead of that one.
static bool may_deadlock(const cfg_t *cfg) {
    const uint32_t rows = cfg->rs_entries;
    const uint32_t depth = cfg->collector == WLK_ISSUE_X_COLLECTOR_SRC_BANKED
                               ? cfg->coll_banks * cfg->coll_depth / 3u
                               : cfg->coll_depth;
    const bool reads_soon =
        cfg->coll_alloc == WLK_ISSUE_X_COLL_ALLOC_ADMIT ||
        (cfg->coll_alloc == WLK_ISSUE_X_COLL_ALLOC_EAGER && depth >= rows + cfg->issue_ports);
    const bool counts_all = cfg->war == WLK_ISSUE_X_WAR_STALL && cfg->count_forwarded_reads != 0 &&
                            cfg->forwarding != WLK_ISSUE_X_FORWARDING_MUST;
    return counts_all || (cfg->war != WLK_ISSUE_X_WAR_GATE && cfg->wb_buffer < 3u * rows + 1u &&
                          (!reads_soon || cfg->in_order_per_warp != 0));
}

static bool stands_still(const stage *s, const wlk_stimulus_state *stim) {
    const memory *mem = memory_at(stim);
    const bool waits =
        mem->offered != 0 || mem->holds_write || s->valid != 0 || s->x->n_writes != 0;
    return waits && wlk_stim_issue_still(stim) > LONGEST_STILL;
}

// ---- a cycle ----------------------------------------------------------------------------------

static void find_opaque(const cfg_t *cfg, uint64_t *opaque) {
    uint64_t exist[OUT_WORDS];
    wlk_issue_x_out_mask(cfg, exist);
    wlk_stim_issue_opaque(cfg->issue_ports == 1
                              ? exist + WLK_ISSUE_X_OUT_ISSUE_BITS
                              : exist + WLK_ISSUE_X_OUT_GROUP + WLK_ISSUE_X_OUT_ISSUEPORT_BITS,
                          opaque);
}

// Elements of the record's group: warps, and instructions behind the heads.
static uint32_t elements(const stage *s) {
    const uint32_t behind = s->num_warps * (s->window - 1u);
    return behind > s->num_warps ? behind : s->num_warps;
}

static void put_instructions(const stage *s, const memory *mem, uint64_t *in) {
    for (uint32_t w = 0; w < s->num_warps; w++) {
        const uint32_t head = place_of(s, w, 0);
        uint64_t *to = wlk_issue_x_in_element_mut(in, w);
        memcpy(to + WLK_ISSUE_X_IN_IBUF_BITS, mem->shown[head], sizeof mem->shown[head]);
        PUT(ibuf_bits_uop_fuSel, to, mem->unit[head]);
        for (uint32_t n = 1; n < s->window; n++) {
            to = wlk_issue_x_in_element_mut(in, w + s->num_warps * (n - 1u));
            memcpy(to + WLK_ISSUE_X_IN_IBUF_WINDOW_BITS, mem->shown[head + n],
                   sizeof mem->shown[head]);
            PUT(ibuf_window_bits_uop_fuSel, to, mem->unit[head + n]);
            PUT(ibuf_window_valid, to, n < mem->count[w]);
        }
    }
}

static void put_inputs(const stage *s, const wlk_stimulus_state *stim, const inputs *i,
                       uint64_t *in) {
    const memory *mem = memory_at(stim);
    memset(in, 0, (WLK_ISSUE_X_IN_GROUP + elements(s) * WLK_ISSUE_X_IN_STRIDE) * sizeof *in);
    if (i->shows) {
        put_instructions(s, mem, in);
    }
    PUT(reset, in, i->reset);
    PUT(softReset, in, i->soft_reset);
    PUT(ibuf_valid, in, i->heads);
    if (s->n_ports == 1) {
        PUT(issue_ready, in, i->ready);
    } else {
        PUT(issuePort_ready, in, i->ready);
    }
    PUT(writeback_valid, in, i->writes);
    PUT(writeback_bits_rd, in, mem->offered_result.rd);
    PUT(writeback_bits_tmask, in, mem->offered_result.mask);
    if (s->debug) {
        PUT(debug_cycle, in, stim->cycle - 1u);
        PUT(debug_clusterId, in, i->cluster);
        PUT(debug_coreId, in, i->core);
    }
    wlk_stim_issue_row(stim, s->num_lanes * s->lane_bits,
                       wlk_issue_x_in_element_mut(in, elements(s)));
}

// Is the write that is offered taken in this cycle?
static bool is_taken(const cfg_t *cfg, const state_t *st, const wlk_stimulus_state *stim,
                     const uint64_t *in) {
    if (cfg->wb_buffer != 0) {
        return st->n_writes < cfg->wb_buffer;
    }
    if (cfg->war == WLK_ISSUE_X_WAR_GATE && cfg->forwarding != WLK_ISSUE_X_FORWARDING_MUST) {
        return true;
    }
    const uint64_t *out = wlk_stim_outputs(stim->driver, (const uint32_t *)cfg, st, in);
    return wlk_issue_x_out_get_writeback_ready(out) != 0;
}

static void next(const uint32_t *words, const void *model_state, wlk_stimulus_state *stim,
                 uint64_t *in) {
    const cfg_t *cfg = (const cfg_t *)words;
    const state_t *st = (const state_t *)model_state;
    const stage s = stage_of(words, model_state);
    memory *mem = memory_of(stim);
    if (stim->cycle == 0) {
        wlk_stim_issue_start(&s, stim);
        find_opaque(cfg, mem->opaque);
    }
    if (stim->program == NULL && may_deadlock(cfg) && stands_still(&s, stim)) {
        mem->give_up = stim->cycle;
    }
    if (!mem->holds_write && !is_stored(st, mem->stray)) {
        mem->stray = 0;
    }
    const inputs i = wlk_stim_issue_cycle(&s, stim);
    put_inputs(&s, stim, &i, in);
    const bool held = mem->holds_write;
    mem->holds_write = i.writes && !i.reset && !is_taken(cfg, st, stim, in);
    mem->moved = held && !mem->holds_write ? stim->cycle : mem->moved;
}

static bool idle(const uint32_t *words, const void *model_state, const wlk_stimulus_state *stim) {
    const stage s = stage_of(words, model_state);
    return wlk_stim_issue_idle(&s, stim);
}

static void stuck(const uint32_t *words, const void *model_state, const wlk_stimulus_state *stim,
                  char *to, size_t size) {
    const stage s = stage_of(words, model_state);
    wlk_stim_issue_stuck(&s, stim, to, size);
}

const wlk_stimulus wlk_issue_x_stimulus = {
    .block = "issue_x",
    .profiles = profile_names,
    .next = next,
    .idle = idle,
    .still = wlk_stim_issue_still,
    .stuck = stuck,
    .programs = true,
};

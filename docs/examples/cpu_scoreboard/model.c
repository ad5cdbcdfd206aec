// SPDX-License-Identifier: Apache-2.0
// Scoreboard of a CPU: in-order issue, write-back by tag. Rules: README.md.
#include "warplock/cpu_scoreboard_ports.h"

#define MODEL      cpu_scoreboard
#define MODEL_CAPS CPU_SCOREBOARD
#include "frame/model.h"

struct wlk_cpu_scoreboard_state {
    uint32_t free; // bit t: tag t is not on its way
    uint8_t rd[WLK_CPU_SCOREBOARD_MAX_NUM_TAGS];
};

#include "frame/structs.h"
#include "legalise.h"

static bool waits_for_register(const cfg_t *cfg, const state_t *st, const in_t *in) {
    for (uint32_t t = 0; t < cfg->num_tags; t++) {
        const uint8_t rd = (st->free >> t & 1u) != 0 ? 0 : st->rd[t];
        if (rd != 0 && (rd == in->issue_rd_i || rd == in->issue_rs1_i || rd == in->issue_rs2_i)) {
            return true;
        }
    }
    return false;
}

static uint32_t lowest_free(const state_t *st) {
    return st->free == 0 ? 0u : (uint32_t)__builtin_ctz(st->free);
}

static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, out_t *out, out_t *care) {
    SHOW(issue_ready_o, st->free != 0 && !waits_for_register(cfg, st, in));
    SHOW(issue_tag_o, lowest_free(st));
    for (uint32_t t = 0; t < cfg->num_tags; t++) {
        SHOW(tag_used[t], ~st->free >> t & 1u);
    }
}

static void edge(const cfg_t *cfg, state_t *st, const in_t *in) {
    const bool issue = in->issue_valid_i && st->free != 0 && !waits_for_register(cfg, st, in);
    const uint32_t tag = lowest_free(st);
    st->rd[tag] = issue ? in->issue_rd_i : st->rd[tag];
    st->free = (st->free | (uint32_t)in->wb_valid_i << in->wb_tag_i) & ~((uint32_t)issue << tag);
    st->free = in->flush_i ? (uint32_t)wlk_mask(cfg->num_tags) : st->free;
}

static void clear(const cfg_t *cfg, state_t *st) {
    st->free = (uint32_t)wlk_mask(cfg->num_tags);
}

static uint32_t rules(const cfg_t *cfg, const state_t *st, const in_t *in) {
    (void)cfg;
    const bool is_free = (st->free >> in->wb_tag_i & 1u) != 0;
    return !in->reset && in->wb_valid_i && is_free ? WLK_CPU_SCOREBOARD_WB_OF_FREE_TAG : 0u;
}

static uint64_t points(const cfg_t *cfg, const state_t *st, const in_t *in, const out_t *out) {
    uint64_t events = 0;
    events |= in->issue_valid_i && waits_for_register(cfg, st, in) ? EVENT(HAZARD) : 0u;
    events |= in->issue_valid_i && st->free == 0 ? EVENT(NO_TAG) : 0u;
    events |= in->issue_valid_i && out->issue_ready_o && in->wb_valid_i ? EVENT(BOTH) : 0u;
    return events;
}

static bool idle(const cfg_t *cfg, const state_t *st) {
    return st->free == wlk_mask(cfg->num_tags);
}

// A result comes of an instruction that is on its way; in the drain, of each.
static void legalise(const cfg_t *cfg, const state_t *st, in_t *in, bool draining) {
    in->wb_valid_i = (in->wb_valid_i || draining) && !idle(cfg, st);
    while (in->wb_valid_i && (st->free >> in->wb_tag_i & 1u) != 0) {
        in->wb_tag_i = (uint8_t)((in->wb_tag_i + 1u) % cfg->num_tags);
    }
}

WLK_LEGALISE(legalise);
WLK_STRUCTS_MODEL(.unknown_start = true, .broken = rules, .events = points, .drained = idle);

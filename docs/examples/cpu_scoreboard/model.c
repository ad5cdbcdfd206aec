// SPDX-License-Identifier: Apache-2.0
// Scoreboard of a CPU: in-order issue, write-back by tag. Rules: README.md.
#include "cpu_scoreboard.h"

#include "frame/structs.h"

static uint32_t all_tags(const cfg_t *cfg) {
    return (uint32_t)wlk_mask(cfg->num_tags);
}

static bool waits_for_register(const state_t *st, const in_t *in) {
    for (uint32_t used = st->used; used != 0; used &= used - 1u) {
        const uint8_t rd = st->rd[__builtin_ctz(used)];
        if (rd != 0 && (rd == in->issue_rd_i || rd == in->issue_rs1_i || rd == in->issue_rs2_i)) {
            return true;
        }
    }
    return false;
}

// The lowest free tag; 0 when there is none.
static uint32_t free_tag(const cfg_t *cfg, const state_t *st) {
    return st->used == all_tags(cfg) ? 0u : (uint32_t)__builtin_ctz(~st->used);
}

static bool is_ready(const cfg_t *cfg, const state_t *st, const in_t *in) {
    return st->used != all_tags(cfg) && !waits_for_register(st, in);
}

static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, out_t *out, out_t *care) {
    SHOW(issue_ready_o, is_ready(cfg, st, in));
    SHOW(issue_tag_o, free_tag(cfg, st));
    for (uint32_t t = 0; t < cfg->num_tags; t++) {
        SHOW(tag_used[t], st->used >> t & 1u);
    }
}

static void edge(const cfg_t *cfg, state_t *st, const in_t *in) {
    const bool issue = in->issue_valid_i && is_ready(cfg, st, in);
    const uint32_t tag = free_tag(cfg, st);
    st->used &= ~((uint32_t)in->wb_valid_i << in->wb_tag_i);
    if (issue) {
        st->used |= UINT32_C(1) << tag;
        st->rd[tag] = in->issue_rd_i;
    }
    if (in->flush_i) {
        st->used = 0;
    }
}

static void clear(const cfg_t *cfg, state_t *st) {
    (void)cfg;
    st->used = 0;
}

static uint32_t rules(const cfg_t *cfg, const state_t *st, const in_t *in) {
    (void)cfg;
    const bool is_used = (st->used >> in->wb_tag_i & 1u) != 0;
    return !in->reset && in->wb_valid_i && !is_used ? WLK_CPU_SCOREBOARD_WB_OF_FREE_TAG : 0u;
}

static uint64_t points(const cfg_t *cfg, const state_t *st, const in_t *in, const out_t *out) {
    uint64_t events = 0;
    events |= in->issue_valid_i && waits_for_register(st, in) ? EVENT(HAZARD) : 0u;
    events |= in->issue_valid_i && st->used == all_tags(cfg) ? EVENT(NO_TAG) : 0u;
    events |= in->issue_valid_i && out->issue_ready_o && in->wb_valid_i ? EVENT(BOTH) : 0u;
    return events;
}

static bool idle(const cfg_t *cfg, const state_t *st) {
    (void)cfg;
    return st->used == 0;
}

static void show(const cfg_t *cfg, const state_t *st, wlk_state_visitor *visitor, void *ctx) {
    for (uint32_t t = 0; t < cfg->num_tags; t++) {
        const flop tag[] = {{"used", st->used >> t & 1u, 1, WLK_DECIMAL},
                            {"rd", st->rd[t], ~UINT64_C(0), WLK_DECIMAL}};
        VISIT_FLOPS(tag, (int32_t)t);
    }
}

WLK_STRUCTS_MODEL(.broken = rules, .events = points, .drained = idle, .show = show);

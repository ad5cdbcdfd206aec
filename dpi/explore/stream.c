// SPDX-License-Identifier: Apache-2.0
// Random instruction streams (muon-designs §11).
#include "explore.h"

#include "warplock/stimulus.h"

enum { ZERO_SHARE = 2 /* % of sources */, RD_SHARE = 90, DRAWS = 16 };

static uint32_t below(uint64_t *random, uint32_t n) {
    return (uint32_t)((wlk_random(random) >> 32) * n >> 32);
}

static bool chance(uint64_t *random, uint32_t percent) {
    return below(random, 100) < percent;
}

// An index by its share.
static uint32_t pick(uint64_t *random, const uint32_t *shares, uint32_t n) {
    uint32_t at = below(random, 100), i = 0;
    while (i + 1u < n && at >= shares[i]) {
        at -= shares[i++];
    }
    return i;
}

static uint64_t share_of(const explore_shape *shape, uint32_t warp) {
    if (warp >= shape->warps) {
        return 0;
    }
    return shape->instructions / shape->warps + (warp < shape->instructions % shape->warps);
}

void explore_stream_start(explore_stream *s, const explore_job *job, uint32_t warp) {
    const wlk_issue_x_cfg *cfg = explore_cfg(job);
    uint64_t mixed = job->seed;
    *s = (explore_stream){.shape = &job->shape,
                          .random = wlk_random(&mixed) + warp,
                          .left = share_of(&job->shape, warp),
                          .lanes = wlk_mask(cfg->num_lanes),
                          .most_same = cfg->max_pending_reads,
                          .base = (uint16_t)(1u + warp * job->shape.regs),
                          .warp = (uint8_t)warp};
    s->random = wlk_random(&s->random); // neighbouring warps start far apart
}

static void name(explore_stream *s, uint16_t reg) {
    s->recent[s->n_recent++ % EXPLORE_RECENT] = reg;
}

static uint16_t any_register(explore_stream *s) {
    return (uint16_t)(s->base + below(&s->random, s->shape->regs));
}

static uint16_t draw_source(explore_stream *s) {
    if (chance(&s->random, ZERO_SHARE)) {
        return 0;
    }
    if (s->n_recent != 0 && chance(&s->random, s->shape->reuse)) {
        return s->recent[below(&s->random, wlk_min(s->n_recent, EXPLORE_RECENT))];
    }
    return any_register(s);
}

static uint32_t times_named(const wlk_instruction *it, uint32_t sources, uint16_t reg) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < sources; i++) {
        n += reg != 0 && it->rs[i] == reg;
    }
    return n;
}

// A source that can be admitted (muon-issue §4); if chance does not find one, register 0.
static uint16_t source(explore_stream *s, const wlk_instruction *it, uint32_t before) {
    uint16_t reg = 0;
    for (uint32_t n = 0; n < DRAWS; n++) {
        reg = draw_source(s);
        if (times_named(it, before, reg) < s->most_same) {
            return reg;
        }
    }
    return 0;
}

static uint64_t lanes(explore_stream *s) {
    if (s->lanes == 1 || !chance(&s->random, s->shape->random_masks)) {
        return s->lanes;
    }
    uint64_t mask;
    do {
        mask = wlk_random(&s->random) & s->lanes;
    } while (mask == s->lanes);
    return mask;
}

// The document's "last 4 registers named" are those of earlier instructions, register 0 left out,
// sources before rd: so the figures of muon-designs §11 come out.
static void name_all(explore_stream *s, const wlk_instruction *it) {
    for (uint32_t i = 0; i < EXPLORE_OPERANDS; i++) {
        if (it->has_rs[i] && it->rs[i] != 0) {
            name(s, it->rs[i]);
        }
    }
    if (it->has_rd) {
        name(s, it->rd);
    }
}

static void draw_registers(explore_stream *s, wlk_instruction *to) {
    const uint32_t sources = pick(&s->random, s->shape->sources, EXPLORE_OPERANDS + 1);
    for (uint32_t i = 0; i < sources; i++) {
        to->has_rs[i] = true;
        to->rs[i] = source(s, to, i);
    }
    // Without any register it would never be admitted (muon-issue §4).
    to->has_rd = chance(&s->random, RD_SHARE) || sources == 0;
    to->rd = to->has_rd ? any_register(s) : 0;
    name_all(s, to);
}

bool explore_stream_next(explore_stream *s, wlk_instruction *to) {
    if (s->left == 0) {
        return false;
    }
    s->left--;
    *to = (wlk_instruction){.warp = s->warp};
    draw_registers(s, to);
    to->unit = (uint8_t)pick(&s->random, s->shape->mix, EXPLORE_FUS);
    const explore_latency *latency = &s->shape->latency[to->unit];
    to->latency = latency->least + below(&s->random, latency->most - latency->least + 1u);
    to->mask = lanes(s);
    return true;
}

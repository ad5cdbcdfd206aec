/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of a model, from what its source defines before including this:
 *   cycle_t, and compute(cfg, st, in, c)    one cycle, derived once
 *   fill(cfg, st, c, out, care)             its output record; an unknown bit is 0 with care 0
 *   commit(cfg, st, in, c)                  the clock edge
 *   events(cfg, st, in, c)                  its coverage points
 * and, where it is not as here, as macros:
 *   LIVE(st)                                a reset was seen: events and violations count
 *   VIOLATIONS(st, c)                       protocol rules that the inputs break
 *   RULED(st)                               violations count, if it is not LIVE
 *   LATE(st)                                no reset was seen, but there was one (wlk_block.late)
 */
#ifndef WLK_FRAME_CALLS_H
#define WLK_FRAME_CALLS_H

#include "frame/model.h"

#ifndef LIVE
#define LIVE(st) ((st)->reset_seen)
#endif
#ifndef LATE
#define LATE(st) 0
#endif
#ifndef RULED
#define RULED LIVE
#endif
#ifndef VIOLATIONS
#define VIOLATIONS no_rule_broken
static inline uint32_t no_rule_broken(const state_t *st, const cycle_t *c) {
    (void)st;
    (void)c;
    return 0;
}
#endif

static void eval(const uint32_t *params, const void *state, const uint64_t *in, uint64_t *out,
                 uint64_t *care) {
    const cfg_t *cfg = (const cfg_t *)params;
    const state_t *st = (const state_t *)state;
    cycle_t c;
    compute(cfg, st, in, &c);
    fill(cfg, st, &c, out, care);
}

static inline void edge(const cfg_t *cfg, state_t *st, const uint64_t *in, const cycle_t *c,
                        wlk_step_info *info) {
    info->events = LIVE(st) ? events(cfg, st, in, c) : 0u;
    info->violated = RULED(st) ? VIOLATIONS(st, c) : 0u;
    commit(cfg, st, in, c);
}

static void tick(const uint32_t *params, void *state, const uint64_t *in, wlk_step_info *info) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    cycle_t c;
    compute(cfg, st, in, &c);
    edge(cfg, st, in, &c, info);
}

static void record(const uint32_t *params, void *state, const uint64_t *in, uint64_t *out,
                   uint64_t *care, wlk_step_info *info) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    cycle_t c;
    compute(cfg, st, in, &c);
    fill(cfg, st, &c, out, care);
    edge(cfg, st, in, &c, info);
}

#endif

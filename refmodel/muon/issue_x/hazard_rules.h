/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of Muon's hazard check (muon-issue §4) for the stages, inlined into them. The
 * caller asks the scoreboard between the steps: hz_head for each warp, hz_choose, hz_admission,
 * hz_commit. Sets have a bit a warp.
 */
#ifndef WLK_ISSUE_X_HAZARD_RULES_H
#define WLK_ISSUE_X_HAZARD_RULES_H

#include <string.h>

#include "frame/arbiter.h"
#include "warplock/issue_x.h"
#include "warplock/muon.h"

typedef wlk_issue_x_hazard hz_state;

/* A cycle, derived once. */
typedef struct hz_cycle {
    uint32_t clear;                  /* reset or softReset: the counters */
    uint32_t waw, war;               /* heads that wait for the hazard */
    uint32_t candidates;             /* heads that could be admitted */
    uint32_t choice;                 /* warp whose head shows on rsAdmit */
    uint32_t any;                    /* there is a candidate */
    uint32_t has_rs, busy;           /* of the choice, bit i for source i */
    uint32_t enable;                 /* updateRS */
    uint32_t write_preg, write_incr; /* updateRS */
    uint32_t reads_preg, reads_incr; /* updateRS, sources side by side */
    uint32_t valid;                  /* rsAdmit.valid */
    uint32_t fires;                  /* the arbiter's output is taken */
    uint32_t refused;                /* heads chosen and not admitted */
} hz_cycle;

/* §4: the hazards of the warps from @p first on, which have a valid head: does it have an rd, and
 * are reads and writes of that pending? */
static inline void hz_hazards(hz_cycle *c, uint32_t first, uint32_t has_rd, uint32_t reads,
                              uint32_t writes) {
    c->waw |= (has_rd & writes) << first;
    c->war |= (has_rd & reads) << first;
}

/* Of one. pendingReads and pendingWrites are those of its rd. */
static inline void hz_head(hz_cycle *c, uint32_t warp, const uint64_t *entry, uint32_t reads,
                           uint32_t writes) {
    hz_hazards(c, warp, wlk_entry_get_hasRd(entry), (uint32_t)(reads != 0), writes);
}

/* §4, §1: the arbiter picks before the scoreboard answers. @p valid: warps with a head. */
static inline void hz_choose(const hz_state *st, uint32_t num_warps, uint32_t valid, hz_cycle *c) {
    c->candidates = valid & ~c->waw & ~c->war;
    c->any = (uint32_t)(c->candidates != 0);
    c->choice = arbiter_choose(c->candidates, st->last, num_warps);
}

/* §4: what is booked for the chosen head. @p writes: bit i, source i's register has a pending
 * write. */
static inline void hz_book(hz_cycle *c, const uint64_t *entry, uint32_t writes, uint32_t room,
                           uint32_t count_forwarded_reads) {
    const uint32_t go = c->any & room;
    const uint32_t counted = count_forwarded_reads ? 7u : ~writes;
    c->has_rs = wlk_entry_has_rs(entry);
    c->busy = c->has_rs & writes;
    c->write_incr = wlk_entry_get_hasRd(entry) & go;
    c->reads_incr = c->has_rs & counted & bit_all(go);
    c->enable = (wlk_entry_get_hasRd(entry) | (uint32_t)(c->has_rs != 0)) & go;
    c->write_preg = wlk_entry_get_rd(entry) & bit_all(go);
    c->reads_preg = wlk_entry_sources(entry) & bit_all(go);
}

/* §4: the answer of the scoreboard decides. */
static inline void hz_answer(hz_cycle *c, uint32_t room, uint32_t success) {
    c->valid = c->any & success;
    c->fires = c->any & room & success;
    c->refused = (c->any & bit_not(success)) << (c->choice & 31u);
}

static inline void hz_count(hz_state *st, uint32_t warps, uint32_t counter) {
    for (; warps != 0; warps &= warps - 1u) {
        st->perf[set_lowest(warps)][counter]++;
    }
}

static inline void hz_init(hz_state *st, uint32_t num_warps, wlk_power_up power_up) {
    memset(st, 0, sizeof *st);
    st->reset_seen = power_up == WLK_POWER_ZERO;
    st->last = st->reset_seen ? 1u : arbiter_unknown(num_warps);
}

static inline void hz_visit(const hz_state *st, uint32_t num_warps, wlk_state_visitor *visitor,
                            void *ctx) {
    static const char *const names[] = {"perf.stallsWAW", "perf.stallsWAR",
                                        "perf.stallsScoreboard"};
    const uint64_t last = set_lowest(st->last), is_known = set_is_single(st->last);
    visitor(ctx, "last", -1, &last, 1u, is_known, WLK_DECIMAL);
    for (uint32_t w = 0; w < num_warps; w++) {
        for (uint32_t n = 0; n < WLK_ISSUE_X_HAZARD_COUNTERS; n++) {
            const uint64_t known = st->reset_seen | (uint32_t)set_has(st->perf_known[w], n);
            visitor(ctx, names[n], (int32_t)w, &st->perf[w][n], 1u, known, WLK_DECIMAL);
        }
    }
}

/* Everything that reset reaches. */
static inline void hz_reset(hz_state *st) {
    memset(st->perf, 0, sizeof st->perf);
    st->reset_seen = 1;
}

/* The clock edge; `last` moves in a reset cycle too (§1). */
static inline void hz_commit(hz_state *st, const hz_cycle *c, uint32_t num_warps) {
    if (c->fires) {
        st->last = set_is_single(st->last) ? UINT32_C(1) << c->choice
                                           : arbiter_granted(c->candidates, st->last, num_warps);
    }
    if (c->clear) {
        memset(st->perf, 0, sizeof st->perf);
        return;
    }
    hz_count(st, c->waw, WLK_ISSUE_X_HAZARD_WAW);
    hz_count(st, c->war, WLK_ISSUE_X_HAZARD_WAR);
    hz_count(st, c->refused, WLK_ISSUE_X_HAZARD_SCOREBOARD);
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Muon's scoreboard. Rules: README.md (muon-issue §3).
#include "warplock/scoreboard.h"
#include "warplock/scoreboard_open.h"
#include "warplock/scoreboard_view.h"

#define MODEL      scoreboard
#define MODEL_CAPS SCOREBOARD

enum { READS = 3 };

// An update: its register, d of §3.2 (0 for register 0), the count after it, and its success.
typedef struct update {
    uint32_t preg;
    int delta;
    uint8_t count;
    bool succeeds;
} update;

// The updates of a cycle after §3.1 and §3.2; admits: updateRS.success (§3.3).
typedef struct cycle {
    update coll[READS], wb, rs[READS], rs_write;
    bool admits;
} cycle;

#define CYCLE cycle
#include "frame/structs.h"

#define UPDATE(u, port)                                                                            \
    do {                                                                                           \
        (u).preg = in->port.pReg;                                                                  \
        (u).delta = in->port.pReg != 0 ? in->port.incr - in->port.decr : 0;                        \
    } while (0)

// §3.1. Here and below stand & and ?: where && and `if` would do: a branch that register numbers
// decide is slow, as they are random.
static void consolidate(update *reads) {
    for (uint32_t i = 0; i < READS; i++) {
        for (uint32_t later = i + 1; later < READS; later++) {
            const bool same = reads[later].preg == reads[i].preg;
            reads[i].delta += same ? reads[later].delta : 0;
            reads[later].preg = same ? 0 : reads[later].preg;
            reads[later].delta = same ? 0 : reads[later].delta;
        }
    }
}

// §3.2: a count that would leave its range stays. The mask changes no count in range; it says how
// many bits a count has.
static void apply(update *u, uint8_t count, uint32_t most) {
    const uint64_t bits = wlk_mask(wlk_clog2(most + 1u));
    const int to = count + u->delta;
    u->succeeds = (u->delta == 0) | ((to >= 0) & (to <= (int)most));
    u->count = u->succeeds ? (uint8_t)((uint64_t)to & bits) : count;
}

// §3.2: the counts after collector and write-back. No two updates of a group name one register
// other than 0 (§3.1).
static uint8_t reads_of(const state_t *st, const cycle *c, uint32_t preg) {
    uint8_t count = st->pendingReads[preg];
    for (uint32_t i = 0; i < READS; i++) {
        count = c->coll[i].preg == preg ? c->coll[i].count : count;
    }
    return count;
}

static uint8_t writes_of(const state_t *st, const cycle *c, uint32_t preg) {
    const uint8_t count = st->pendingWrites[preg];
    return c->wb.preg == preg ? c->wb.count : count;
}

static bool all_succeed(const update *reads) {
    return reads[0].succeeds & reads[1].succeeds & reads[2].succeeds;
}

// §3.2, §3.5: collector and write-back on the table, whatever their enables are.
static void see_returns(const cfg_t *cfg, const state_t *st, const in_t *in, cycle *c) {
    for (uint32_t i = 0; i < READS; i++) {
        UPDATE(c->coll[i], updateColl.reads[i]);
    }
    UPDATE(c->wb, updateWB.write);
    consolidate(c->coll);
    for (uint32_t i = 0; i < READS; i++) {
        apply(&c->coll[i], st->pendingReads[c->coll[i].preg], cfg->max_pending_reads);
    }
    apply(&c->wb, st->pendingWrites[c->wb.preg], cfg->max_pending_writes);
}

// §3.2: the admission on the result.
static void see_booking(const cfg_t *cfg, const state_t *st, const in_t *in, cycle *c) {
    for (uint32_t i = 0; i < READS; i++) {
        UPDATE(c->rs[i], hazard.updateRS.reads[i]);
    }
    UPDATE(c->rs_write, hazard.updateRS.write);
    consolidate(c->rs);
    for (uint32_t i = 0; i < READS; i++) {
        apply(&c->rs[i], reads_of(st, c, c->rs[i].preg), cfg->max_pending_reads);
    }
    apply(&c->rs_write, writes_of(st, c, c->rs_write.preg), cfg->max_pending_writes);
    c->admits = in->hazard.updateRS.enable & all_succeed(c->rs) & c->rs_write.succeeds; // §3.3
}

static void see(const cfg_t *cfg, const state_t *st, const in_t *in, cycle *c) {
    see_returns(cfg, st, in, c);
    see_booking(cfg, st, in, c);
}

// The read ports of warp w.
#define READ_PORTS(each)                                                                           \
    each(readRs1);                                                                                 \
    each(readRs2);                                                                                 \
    each(readRs3);                                                                                 \
    each(readRd)

// A port that is not enabled shows 0. A call, so that the count is looked up before it is chosen.
static uint8_t if_enabled(bool enable, uint8_t count) {
    return enable ? count : 0;
}

// §3.6. Register 0 needs no case: its counts are 0 after reset and never move.
#define ANSWER(port)                                                                               \
    do {                                                                                           \
        const uint32_t preg = in->hazard.warps[w].port.pReg;                                       \
        const bool enable = in->hazard.warps[w].port.enable;                                       \
        SHOW(hazard.warps[w].port.pendingReads, if_enabled(enable, reads_of(st, c, preg)));        \
        SHOW(hazard.warps[w].port.pendingWrites, if_enabled(enable, writes_of(st, c, preg)));      \
    } while (0)

static void answers(const cfg_t *cfg, const state_t *st, const in_t *in, const cycle *c, out_t *out,
                    care_t *care) {
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        READ_PORTS(ANSWER);
    }
}

static void successes(const cycle *c, out_t *out, care_t *care) {
    SHOW(updateColl.success, all_succeed(c->coll));
    SHOW(updateWB.success, c->wb.succeeds);
    SHOW(hazard.updateRS.success, c->admits);
}

static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, const cycle *c, out_t *out,
                    care_t *care) {
    successes(c, out, care);
    answers(cfg, st, in, c, out, care);
}

// §3.4, §3.5
static void edge(const cfg_t *cfg, state_t *st, const in_t *in, const cycle *c) {
    (void)cfg;
    if (!in->updateColl.enable && !in->updateWB.enable && !in->hazard.updateRS.enable) {
        return;
    }
    for (uint32_t i = 0; i < READS; i++) {
        st->pendingReads[c->coll[i].preg] = c->coll[i].count;
    }
    st->pendingWrites[c->wb.preg] = c->wb.count;
    if (c->admits) {
        for (uint32_t i = 0; i < READS; i++) {
            st->pendingReads[c->rs[i].preg] = c->rs[i].count;
        }
        st->pendingWrites[c->rs_write.preg] = c->rs_write.count;
    }
}

static void clear(const cfg_t *cfg, state_t *st) {
    const state_t zeros = {{0}, {0}};
    (void)cfg;
    *st = zeros;
}

static bool drained(const cfg_t *cfg, const state_t *st) {
    uint32_t pending = 0;
    for (uint32_t r = 0; r < cfg->num_pregs; r++) {
        pending |= (uint32_t)st->pendingReads[r] | st->pendingWrites[r];
    }
    return pending == 0;
}

#include "cover.h"
#include "sight.h"

// Without .unknown_start: the first reset sets all state, and nothing is compared before.
WLK_STRUCTS_MODEL(.events = events, .drained = drained, .show = show, .learn = learn);

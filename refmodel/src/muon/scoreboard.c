// SPDX-License-Identifier: Apache-2.0
// Muon's scoreboard as a block: record words in and out around scoreboard_rules.h.
#include "scoreboard_rules.h"

#include "frame/isa.h"

typedef wlk_scoreboard_cfg cfg_t;
typedef wlk_scoreboard_state state_t;

#define TABLE                    wlk_scoreboard_table
#define GET(field, words)        wlk_scoreboard_in_get_##field(words)
#define PUT(field, words, value) wlk_scoreboard_out_put_##field(words, value)
#define EVENT(point)             (UINT64_C(1) << WLK_SCOREBOARD_EV_##point)
#define PORT(name, words)                                                                          \
    {                                                                                              \
        GET(name##_enable, words), GET(name##_write_pReg, words), GET(name##_write_incr, words),   \
            GET(name##_write_decr, words), GET(name##_reads_pReg, words),                          \
            GET(name##_reads_incr, words), GET(name##_reads_decr, words)                           \
    }

enum { OUT_WORDS = WLK_SCOREBOARD_OUT_GROUP + 32 * WLK_SCOREBOARD_OUT_STRIDE };

enum { WARPS = WLK_SCOREBOARD_MAX_NUM_WARPS, READ_BITS = 8 };

// What the read ports show: of each warp the counts of rs1, rs2, rs3, rd side by side, and of each
// of these ports the pending writes, bit w for warp w.
typedef struct cycle {
    uint32_t reset;
    sb_cycle sb;
    uint32_t reads[WARPS];
    uint32_t writes[4];
} cycle_t;

static uint32_t out_words(const cfg_t *cfg) {
    return wlk_scoreboard_out_words(cfg);
}

static void full_care(const cfg_t *cfg, uint64_t *care) {
    wlk_scoreboard_out_mask(cfg, care);
}

static inline void read_port(const state_t *st, cycle_t *c, uint32_t warp, uint32_t port,
                             uint32_t enable, uint32_t preg) {
    c->reads[warp] |= (sb_reads(st, &c->sb, preg) & bit_all(enable)) << (port * READ_BITS);
    c->writes[port] |= (sb_writes(st, &c->sb, preg) & enable) << warp;
}

static void compute(const cfg_t *cfg, const state_t *st, const uint64_t *in, cycle_t *c) {
    const sb_port coll = PORT(updateColl, in), wb = PORT(updateWB, in);
    const sb_port rs = PORT(hazard_updateRS, in);
    const uint32_t enable[4] = {
        (uint32_t)GET(hazard_warps_readRs1_enable, in),
        (uint32_t)GET(hazard_warps_readRs2_enable, in),
        (uint32_t)GET(hazard_warps_readRs3_enable, in),
        (uint32_t)GET(hazard_warps_readRd_enable, in),
    };
    c->reset = GET(reset, in);
    sb_updates(st, cfg->max_pending_reads, &coll, &wb, &c->sb);
    sb_admission(st, cfg->max_pending_reads, &rs, &c->sb);
    memset(c->writes, 0, sizeof c->writes);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        const uint64_t *e = wlk_scoreboard_in_element(in, w);
        c->reads[w] = 0;
        read_port(st, c, w, 0, enable[0] >> w & 1u, GET(hazard_warps_readRs1_pReg, e));
        read_port(st, c, w, 1, enable[1] >> w & 1u, GET(hazard_warps_readRs2_pReg, e));
        read_port(st, c, w, 2, enable[2] >> w & 1u, GET(hazard_warps_readRs3_pReg, e));
        read_port(st, c, w, 3, enable[3] >> w & 1u, GET(hazard_warps_readRd_pReg, e));
    }
}

static void outputs(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out) {
    const uint32_t mask = (1u << READ_BITS) - 1u;
    (void)st;
    memset(out, 0, out_words(cfg) * sizeof *out);
    PUT(updateColl_success, out, c->sb.coll_success);
    PUT(updateWB_success, out, c->sb.wb_success);
    PUT(hazard_updateRS_success, out, c->sb.rs_enable & c->sb.rs_success);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        uint64_t *e = wlk_scoreboard_out_element_mut(out, w);
        PUT(hazard_warps_readRs1_pendingReads, e, c->reads[w] & mask);
        PUT(hazard_warps_readRs2_pendingReads, e, c->reads[w] >> READ_BITS & mask);
        PUT(hazard_warps_readRs3_pendingReads, e, c->reads[w] >> (2 * READ_BITS) & mask);
        PUT(hazard_warps_readRd_pendingReads, e, c->reads[w] >> (3 * READ_BITS));
    }
    PUT(hazard_warps_readRs1_pendingWrites, out, (uint64_t)c->writes[0]);
    PUT(hazard_warps_readRs2_pendingWrites, out, (uint64_t)c->writes[1]);
    PUT(hazard_warps_readRs3_pendingWrites, out, (uint64_t)c->writes[2]);
    PUT(hazard_warps_readRd_pendingWrites, out, (uint64_t)c->writes[3]);
}

static uint32_t known(const state_t *st) {
    return st->reset_seen;
}

static void narrow(const cfg_t *cfg, const state_t *st, uint64_t *care) {
    if (!st->reset_seen) {
        memset(care, 0, out_words(cfg) * sizeof *care);
    }
}

static uint32_t violations(const cfg_t *cfg, const state_t *st, const uint64_t *in,
                           const cycle_t *c) {
    (void)cfg;
    (void)st;
    (void)in;
    (void)c;
    return 0;
}

// ---- coverage ---------------------------------------------------------------------------------

static uint32_t failed(const sb_change *change) {
    return (uint32_t)(change->delta != 0 && change->to == change->from);
}

static uint32_t changed(const sb_change *change) {
    return (uint32_t)(change->to != change->from);
}

static uint32_t any_of(const sb_change *group, uint32_t (*is)(const sb_change *)) {
    return is(&group[0]) | is(&group[1]) | is(&group[2]);
}

// A group that names a register, other than 0, twice.
static uint32_t repeats(uint32_t pregs) {
    const uint32_t a = pregs & SB_PREG_MASK, b = pregs >> SB_PREG_BITS & SB_PREG_MASK;
    const uint32_t c = pregs >> (2 * SB_PREG_BITS);
    return (uint32_t)((a != 0u && (a == b || a == c)) || (b != 0u && b == c));
}

static uint32_t names_0(uint32_t pregs, uint32_t used) {
    uint32_t hit = 0;
    for (uint32_t i = 0; i < 3u; i++) {
        hit |= (used >> i & 1u) & (uint32_t)((pregs >> (i * SB_PREG_BITS) & SB_PREG_MASK) == 0u);
    }
    return hit;
}

static uint64_t admission_events(const cfg_t *cfg, const sb_cycle *c) {
    const uint32_t over = any_of(c->rs, failed), refused = c->rs_enable & bit_not(c->rs_success);
    const uint32_t others = any_of(c->coll, changed) | changed(&c->wb);
    const uint32_t change = any_of(c->rs, changed) | changed(&c->rs_write);
    uint32_t both = 0;
    for (uint32_t i = 0; i < 3u; i++) {
        for (uint32_t k = 0; k < 3u; k++) {
            both |= (uint32_t)(c->rs[i].preg == c->coll[k].preg && c->rs[i].delta > 0 &&
                               c->coll[k].delta < 0 &&
                               c->coll[k].from == (int32_t)cfg->max_pending_reads);
        }
    }
    return (c->rs_enable & c->rs_success & change ? EVENT(ADMIT) : 0u) |
           (refused ? EVENT(ADMIT_REFUSED) : 0u) |
           (c->rs_enable & over ? EVENT(READ_OVERFLOW) : 0u) |
           (c->rs_enable & failed(&c->rs_write) ? EVENT(WRITE_OVERFLOW) : 0u) |
           (refused & others ? EVENT(ROLLBACK_WITH_UPDATES) : 0u) |
           (c->rs_enable & both ? EVENT(SATURATED_BOTH) : 0u);
}

static uint64_t update_events(const uint64_t *in, const sb_cycle *c) {
    const uint32_t coll = GET(updateColl_enable, in), wb = GET(updateWB_enable, in);
    const uint32_t coll_changes = any_of(c->coll, changed), wb_changes = changed(&c->wb);
    const uint32_t loose = (bit_not(coll) & coll_changes) | (bit_not(wb) & wb_changes);
    const uint32_t coll_fails = any_of(c->coll, failed);
    const uint32_t moved = GET(updateColl_reads_incr, in) | GET(updateColl_reads_decr, in);
    return (coll & coll_changes ? EVENT(COLLECT) : 0u) | (wb & wb_changes ? EVENT(WRITEBACK) : 0u) |
           (coll & wb & c->rs_enable ? EVENT(ALL_THREE) : 0u) |
           (repeats(GET(updateColl_reads_pReg, in)) | repeats(GET(hazard_updateRS_reads_pReg, in))
                ? EVENT(REPEATED_REGISTER)
                : 0u) |
           (coll_fails | failed(&c->wb) ? EVENT(UNDERFLOW) : 0u) |
           (coll_fails & coll_changes ? EVENT(PARTIAL_GROUP) : 0u) |
           (loose & c->any_enable ? EVENT(DELTA_WITHOUT_ENABLE) : 0u) |
           (loose & bit_not(c->any_enable) ? EVENT(DELTA_UNCOMMITTED) : 0u) |
           (names_0(GET(updateColl_reads_pReg, in), moved) |
                    names_0(GET(hazard_updateRS_reads_pReg, in),
                            GET(hazard_updateRS_reads_incr, in))
                ? EVENT(REGISTER_0)
                : 0u);
}

static uint32_t in_group(const sb_change *group, uint32_t preg) {
    uint32_t hit = 0;
    for (uint32_t i = 0; i < 3u; i++) {
        hit |= (uint32_t)(group[i].preg == preg) & changed(&group[i]);
    }
    return hit;
}

static uint64_t read_events(const cfg_t *cfg, const uint64_t *in, const sb_cycle *c) {
    uint64_t e = 0;
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        const uint64_t *element = wlk_scoreboard_in_element(in, w);
        const uint32_t preg = GET(hazard_warps_readRd_pReg, element);
        if ((GET(hazard_warps_readRd_enable, in) >> w & 1u) == 0u || preg == 0u) {
            continue;
        }
        e |= in_group(c->coll, preg) ? EVENT(BYPASS_COLLECTOR) : 0u;
        e |= c->wb.preg == preg && changed(&c->wb) ? EVENT(BYPASS_WRITEBACK) : 0u;
        e |= c->rs_enable & c->rs_success & in_group(c->rs, preg) ? EVENT(NO_BYPASS_ADMISSION) : 0u;
    }
    return e;
}

static uint32_t any_pending(const cfg_t *cfg, const state_t *st) {
    uint64_t any = 0;
    for (uint32_t r = 0; r < cfg->num_pregs; r++) {
        any |= st->pendingReads[r] | st->pendingWrites[r / 64u];
    }
    return (uint32_t)(any != 0u);
}

static uint64_t events(const cfg_t *cfg, const state_t *st, const uint64_t *in, const cycle_t *c) {
    if (c->reset) {
        return any_pending(cfg, st) ? EVENT(RESET_PENDING) : 0u;
    }
    return admission_events(cfg, &c->sb) | update_events(in, &c->sb) | read_events(cfg, in, &c->sb);
}

// ---- the block --------------------------------------------------------------------------------

static void commit(const cfg_t *cfg, state_t *st, const uint64_t *in, const cycle_t *c) {
    (void)cfg;
    (void)in;
    if (c->reset) {
        sb_reset(st);
    } else {
        sb_commit(st, &c->sb);
    }
}

#include "frame/block_body.h"

static void init(const uint32_t *params, void *state, wlk_power_up power_up) {
    state_t *st = (state_t *)state;
    (void)params;
    memset(st, 0, sizeof *st);
    st->reset_seen = power_up == WLK_POWER_ZERO;
}

static bool drained(const uint32_t *params, const void *state) {
    return !any_pending((const cfg_t *)params, (const state_t *)state);
}

static void visit(const uint32_t *params, const void *state, wlk_state_visitor *visitor,
                  void *ctx) {
    const cfg_t *cfg = (const cfg_t *)params;
    const state_t *st = (const state_t *)state;
    for (uint32_t r = 1; r < cfg->num_pregs; r++) {
        const uint64_t reads = st->pendingReads[r], writes = sb_write_bit(st, r);
        if (reads != 0u || !st->reset_seen) {
            visitor(ctx, "pendingReads", (int32_t)r, &reads, 1u, st->reset_seen, WLK_DECIMAL);
        }
        if (writes != 0u || !st->reset_seen) {
            visitor(ctx, "pendingWrites", (int32_t)r, &writes, 1u, st->reset_seen, WLK_DECIMAL);
        }
    }
}

const wlk_block WLK_ISA(wlk_scoreboard_block) = {
    .table = &wlk_scoreboard_table,
    .check = check,
    .state_size = state_size,
    .init = init,
    .eval = eval,
    .tick = tick,
    .record = record,
    .step = step,
    .forget = forget,
    .drained = drained,
    .visit = visit,
};

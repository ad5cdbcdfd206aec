// SPDX-License-Identifier: Apache-2.0
// Muon's scoreboard as a block: record words in and out around rules.h.
#include "late.h"

#define MODEL      scoreboard
#define MODEL_CAPS SCOREBOARD
#include "frame/model.h"

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
    const uint64_t *in;
} cycle_t;

enum { READ_PORTS = 4 };

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
    c->in = in;
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

// Outputs before those of each warp.
static inline void put_plain(const sb_cycle *c, const uint32_t *writes, uint64_t *out) {
    PUT(updateColl_success, out, c->coll_success);
    PUT(updateWB_success, out, c->wb_success);
    PUT(hazard_updateRS_success, out, c->rs_enable & c->rs_success);
    PUT(hazard_warps_readRs1_pendingWrites, out, (uint64_t)writes[0]);
    PUT(hazard_warps_readRs2_pendingWrites, out, (uint64_t)writes[1]);
    PUT(hazard_warps_readRs3_pendingWrites, out, (uint64_t)writes[2]);
    PUT(hazard_warps_readRd_pendingWrites, out, (uint64_t)writes[3]);
}

static void outputs(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out) {
    const uint32_t mask = (1u << READ_BITS) - 1u;
    (void)st;
    memset(out, 0, out_words(cfg) * sizeof *out);
    put_plain(&c->sb, c->writes, out);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        uint64_t *e = wlk_scoreboard_out_element_mut(out, w);
        PUT(hazard_warps_readRs1_pendingReads, e, c->reads[w] & mask);
        PUT(hazard_warps_readRs2_pendingReads, e, c->reads[w] >> READ_BITS & mask);
        PUT(hazard_warps_readRs3_pendingReads, e, c->reads[w] >> (2 * READ_BITS) & mask);
        PUT(hazard_warps_readRd_pendingReads, e, c->reads[w] >> (3 * READ_BITS));
    }
}

static void commit(const cfg_t *cfg, state_t *st, const uint64_t *in, const cycle_t *c) {
    (void)cfg;
    (void)in;
    if (c->reset) {
        sb_reset(st);
    } else if (st->late) {
        sb_commit_late(st, &c->sb, (int32_t)cfg->max_pending_reads);
    } else {
        sb_commit(st, &c->sb);
    }
}

// ---- a start without the reset ----------------------------------------------------------------

// A read port of a warp: whether it reads, and what.
static uint32_t port_read(const uint64_t *in, uint32_t warp, uint32_t port, uint32_t *preg) {
    const uint64_t *e = wlk_scoreboard_in_element(in, warp);
    switch (port) {
    case 0:
        *preg = GET(hazard_warps_readRs1_pReg, e);
        return GET(hazard_warps_readRs1_enable, in) >> warp & 1u;
    case 1:
        *preg = GET(hazard_warps_readRs2_pReg, e);
        return GET(hazard_warps_readRs2_enable, in) >> warp & 1u;
    case 2:
        *preg = GET(hazard_warps_readRs3_pReg, e);
        return GET(hazard_warps_readRs3_enable, in) >> warp & 1u;
    default:
        *preg = GET(hazard_warps_readRd_pReg, e);
        return GET(hazard_warps_readRd_enable, in) >> warp & 1u;
    }
}

// Where its answers stand: in the words of the warp, in the words of all.
static const uint32_t writes_word[READ_PORTS] = {
    wlk_scoreboard_out_word_hazard_warps_readRs1_pendingWrites,
    wlk_scoreboard_out_word_hazard_warps_readRs2_pendingWrites,
    wlk_scoreboard_out_word_hazard_warps_readRs3_pendingWrites,
    wlk_scoreboard_out_word_hazard_warps_readRd_pendingWrites,
};
static const uint32_t writes_lsb[READ_PORTS] = {
    wlk_scoreboard_out_lsb_hazard_warps_readRs1_pendingWrites,
    wlk_scoreboard_out_lsb_hazard_warps_readRs2_pendingWrites,
    wlk_scoreboard_out_lsb_hazard_warps_readRs3_pendingWrites,
    wlk_scoreboard_out_lsb_hazard_warps_readRd_pendingWrites,
};

static void hide(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *care) {
    const int32_t max = (int32_t)cfg->max_pending_reads;
    if (sb_coll_done(st, &c->sb, max) == SB_OPEN) {
        wlk_scoreboard_out_set_updateColl_success(care, 0);
    }
    if (sb_wb_done(st, &c->sb) == SB_OPEN) {
        wlk_scoreboard_out_set_updateWB_success(care, 0);
    }
    if (c->sb.rs_enable && sb_rs_done(st, &c->sb, max) == SB_OPEN) {
        wlk_scoreboard_out_set_hazard_updateRS_success(care, 0);
    }
    for (uint32_t i = 0; i < cfg->num_warps * READ_PORTS; i++) {
        const uint32_t w = i / READ_PORTS, port = i % READ_PORTS;
        uint32_t preg;
        if (port_read(c->in, w, port, &preg) == 0) {
            continue;
        }
        if (!sb_reads_known(st, &c->sb, max, preg)) {
            *wlk_scoreboard_out_element_mut(care, w) &= ~(UINT64_C(0xff) << (port * READ_BITS));
        }
        if (!sb_writes_known(st, &c->sb, preg)) {
            care[writes_word[port]] &= ~(UINT64_C(1) << (writes_lsb[port] + w));
        }
    }
}

static void learn(const uint32_t *params, void *state, const wlk_sight *seen) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    const uint64_t *out = seen->out, *known = seen->out_known;
    const uint64_t count = wlk_mask(wlk_clog2(cfg->max_pending_reads + 1u));
    cycle_t c;
    if (!st->late) {
        return;
    }
    compute(cfg, st, seen->in, &c);
    const uint32_t done = wlk_scoreboard_out_get_updateColl_success(known)
                              ? wlk_scoreboard_out_get_updateColl_success(out)
                              : (uint32_t)SB_OPEN;
    if (wlk_scoreboard_out_get_hazard_updateRS_success(known) && c.sb.rs_enable) {
        st->granted = (uint8_t)wlk_scoreboard_out_get_hazard_updateRS_success(out);
    }
    for (uint32_t i = 0; i < cfg->num_warps * READ_PORTS; i++) {
        const uint32_t w = i / READ_PORTS, port = i % READ_PORTS;
        const uint64_t counts = *wlk_scoreboard_out_element(out, w) >> (port * READ_BITS) & count;
        const uint64_t shown = *wlk_scoreboard_out_element(known, w) >> (port * READ_BITS) & count;
        uint32_t preg;
        if (port_read(seen->in, w, port, &preg) == 0) {
            continue;
        }
        if (shown == count) {
            sb_learn_reads(st, &c.sb, (int32_t)cfg->max_pending_reads, preg, (uint32_t)counts,
                           done);
        }
        if (known[writes_word[port]] >> (writes_lsb[port] + w) & 1u) {
            sb_learn_writes(st, &c.sb, preg,
                            (uint32_t)(out[writes_word[port]] >> (writes_lsb[port] + w)) & 1u);
        }
    }
    sb_settle(st, cfg->num_pregs);
}

static void late(const uint32_t *params, void *state) {
    (void)params;
    sb_late((state_t *)state);
}

#include "cover.h"
#include "settled.h"

#define LATE(st)    ((st)->late)
#define HIDE        hide
#define SETTLED(st) ((st)->reset_seen)
#include "frame/words.h"

static void init(const uint32_t *params, void *state, wlk_power_up power_up) {
    state_t *st = (state_t *)state;
    (void)params;
    memset(st, 0, sizeof *st);
    st->reset_seen = power_up == WLK_POWER_ZERO;
}

static void clear(const uint32_t *params, void *state) {
    (void)params;
    sb_reset((state_t *)state);
}

static bool drained(const uint32_t *params, const void *state) {
    return !any_pending((const cfg_t *)params, (const state_t *)state);
}

static void visit(const uint32_t *params, const void *state, wlk_state_visitor *visitor,
                  void *ctx) {
    const cfg_t *cfg = (const cfg_t *)params;
    const state_t *st = (const state_t *)state;
    for (uint32_t r = 1; r < cfg->num_pregs; r++) {
        const uint64_t reads = st->pendingReads[r], writes = st->pendingWrites[r];
        const uint64_t reads_known = st->reset_seen | sb_is_known(st->reads_known, r);
        const uint64_t writes_known = st->reset_seen | sb_is_known(st->writes_known, r);
        if (reads != 0 || !reads_known) {
            visitor(ctx, "pendingReads", (int32_t)r, &reads, 1u, reads_known, WLK_DECIMAL);
        }
        if (writes != 0 || !writes_known) {
            visitor(ctx, "pendingWrites", (int32_t)r, &writes, 1u, writes_known, WLK_DECIMAL);
        }
    }
}

WLK_MODEL(.drained = drained, .clear = clear, .visit = visit, .late = late, .learn = learn);

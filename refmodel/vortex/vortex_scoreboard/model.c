// SPDX-License-Identifier: Apache-2.0
// Vortex's scoreboard. Spec sections are those of vortex-issue.
#include "vortex/stream.h"
#include "warplock/vortex_scoreboard.h"

#define MODEL      vortex_scoreboard
#define MODEL_CAPS VORTEX_SCOREBOARD
#include "frame/model.h"

enum {
    OUT_WORDS = CAPS(OUT_GROUP) + 5 * CAPS(OUT_STRIDE),
    LAST = WLK_VXSB_SLICES, // the arbiter in front of the output
    SFU = 2,                // ex_type of the special function unit
    USES_CSR = 5,           // bits of its operations behind those of the units
    USES_OTHER = 6,
    FIRST_CSR = 6, // op_type
    LAST_CSR = 8,
    ALL_USES = (1 << WLK_VXSB_UNITS) - 1,
};

// An arbiter's cycle: `ready` is that of the buffer behind it.
typedef struct grant {
    uint32_t n, winner, valid, ready;
} grant;

typedef struct cycle {
    uint32_t reset, warps, slices; // no tree: no slices
    uint64_t request;              // staged and ready
    uint64_t fire;                 // leaves its staging register
    uint64_t ib_valid, ib_ready;
    uint64_t released; // the register that a write-back frees
    uint32_t wb_valid, wb_last, wb_warp, sb_ready;
    grant slice[WLK_VXSB_SLICES], last;
} cycle_t;

static inline uint32_t warps_of(const cfg_t *cfg) {
    return cfg->num_warps / cfg->issue_width;
}

static inline uint32_t units_of(const cfg_t *cfg) {
    return 3u + cfg->ext_f_enable + cfg->ext_tcu_enable;
}

static inline uint32_t take_lowest(uint64_t *set) {
    const uint32_t lowest = (uint32_t)__builtin_ctzll(*set);
    *set &= *set - 1u;
    return lowest;
}

// A register by type and number; none where the type does not exist.
static inline uint64_t reg_bit(const cfg_t *cfg, uint32_t reg) {
    return cfg->ext_f_enable != 0 || reg < 32 ? UINT64_C(1) << reg : 0u;
}

static inline uint64_t destination(const cfg_t *cfg, const uint64_t *instr) {
    return wlk_instr_get_wb(instr) != 0 ? reg_bit(cfg, wlk_instr_get_rd(instr)) : 0u;
}

// need() of §5: x0 is not special.
static inline uint64_t need_of(const cfg_t *cfg, const uint64_t *instr) {
    const uint32_t used = wlk_instr_get_used_rs(instr);
    uint64_t need = destination(cfg, instr);
    need |= (used & 1u) != 0 ? reg_bit(cfg, wlk_instr_get_rs1(instr)) : 0u;
    need |= (used & 2u) != 0 ? reg_bit(cfg, wlk_instr_get_rs2(instr)) : 0u;
    need |= (used & 4u) != 0 ? reg_bit(cfg, wlk_instr_get_rs3(instr)) : 0u;
    return need;
}

static inline const uint64_t *offered(const uint64_t *in, uint32_t warp) {
    return wlk_vortex_scoreboard_in_element(in, warp) + CAPS(IN_IB_DATA);
}

// ---- arbitration (§4.5, §4.6) -------------------------------------------------------------------

static inline grant arbitrate(const state_t *st, uint32_t which, uint64_t requests, uint32_t n,
                              uint32_t ready) {
    const uint32_t winner = n > 1 ? vx_cyclic(requests, st->pointer[which], n) : 0u;
    return (grant){n, winner, requests != 0, ready};
}

// More than twelve: slices of eight warps behind buffers of their own.
static inline void arbitrate_slices(const state_t *st, cycle_t *c) {
    uint64_t valid = 0;
    for (uint32_t s = 0; s < c->slices; s++) {
        const uint32_t first = s * VX_FANOUT, n = vx_slice_inputs(c->warps, s);
        const uint64_t requests = c->request >> first & wlk_mask(n);
        const grant g = arbitrate(st, s, requests, n, st->slice[s].s.ready);
        c->slice[s] = g;
        c->fire |= (uint64_t)(g.valid & g.ready) << (first + g.winner);
        valid |= (uint64_t)st->slice[s].s.valid << s;
    }
    c->last = arbitrate(st, LAST, valid, c->slices, st->out.s.ready);
}

static inline void compute(const cfg_t *cfg, const state_t *st, const uint64_t *in, cycle_t *c) {
    const uint32_t warps = warps_of(cfg);
    c->reset = GET(reset, in);
    c->sb_ready = GET(sb_ready, in);
    c->ib_valid = GET(ib_valid, in);
    c->warps = warps;
    c->slices = vx_slices(warps);
    c->request = st->staged & st->ready;
    c->fire = 0;
    if (c->slices != 0) {
        arbitrate_slices(st, c);
    } else {
        c->last = arbitrate(st, LAST, c->request, warps, st->out.s.ready);
        c->fire = (uint64_t)(c->last.valid & c->last.ready) << c->last.winner;
    }
    c->ib_ready = (c->fire | ~st->staged) & wlk_mask(warps);
    c->wb_valid = GET(wb_valid, in);
    c->wb_warp = GET(wb_data_wis, in);
    c->wb_last = c->wb_valid & GET(wb_data_eop, in);
    const uint32_t frees = c->wb_last & (uint32_t)(c->wb_warp < warps);
    c->released = (uint64_t)frees << GET(wb_data_rd, in);
}

static void outputs(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out) {
    memset(out, 0, out_words(cfg) * sizeof *out);
    PUT(ib_ready, out, c->ib_ready);
    PUT(sb_valid, out, st->out.s.valid);
    PUT(sb_data_wis, out, st->out.out.wis);
    memcpy(out + CAPS(OUT_SB_DATA), st->out.out.instr, sizeof st->out.out.instr);
    if (cfg->perf_enable != 0) {
        PUT(perf_stalls, out, st->stalls);
        PUT(perf_sfu_uses_0, out, st->uses[USES_CSR]);
        PUT(perf_sfu_uses_1, out, st->uses[USES_OTHER]);
        for (uint32_t u = 0; u < units_of(cfg); u++) {
            uint64_t *e = wlk_vortex_scoreboard_out_element_mut(out, u);
            PUT(perf_units_uses, e, st->uses[u]);
        }
    }
}

// ---- the clock edge -----------------------------------------------------------------------------

// What an arbiter has chosen goes in with its number, which in a tree stands above the slice's.
static inline void buffer_edge(wlk_vxsb_buffer *b, const grant *g, const wlk_vxsb_entry *from,
                               uint32_t slices, uint32_t ready_out, uint32_t reset) {
    const vx_flow f = vx_stream_flow(&b->s, g->valid, ready_out);
    wlk_vxsb_entry in = *from;
    in.wis = (uint8_t)(slices != 0 ? g->winner << VX_FANOUT_BITS | from->wis : g->winner);
    if (f.flow != 0) {
        b->out = b->s.ready != 0 ? in : b->spare;
    }
    if (f.fire != 0) {
        b->spare = in;
    }
    vx_stream_edge(&b->s, g->valid, f, reset);
}

static inline void pointer_edge(state_t *st, uint32_t which, const grant *g, uint32_t reset) {
    if ((g->valid & g->ready) != 0) {
        st->pointer[which] = (uint8_t)vx_cyclic_next(g->winner, g->n);
    }
    st->pointer[which] = reset != 0 ? 0u : st->pointer[which];
}

static inline void arbiters_edge(state_t *st, const cycle_t *c) {
    // The last one first: it takes what the slices show before the edge.
    const wlk_vxsb_entry *from =
        c->slices != 0 ? &st->slice[c->last.winner].out : &st->staging[c->last.winner];
    const uint32_t taken = c->last.valid & c->last.ready;
    buffer_edge(&st->out, &c->last, from, c->slices, c->sb_ready, c->reset);
    pointer_edge(st, LAST, &c->last, c->reset);
    for (uint32_t s = 0; s < c->slices; s++) {
        const grant *g = &c->slice[s];
        const uint32_t granted = taken & (uint32_t)(c->last.winner == s);
        buffer_edge(&st->slice[s], g, &st->staging[s * VX_FANOUT + g->winner], 0, granted,
                    c->reset);
        pointer_edge(st, s, g, c->reset);
    }
}

// Units that a staged instruction waits for (§8): its registers that are in use, looked up without
// their type. @p maybe: registers that may be.
static void mark(const cfg_t *cfg, const state_t *st, uint32_t warp, uint64_t blocked,
                 uint64_t maybe, uint32_t *marks, uint32_t *open) {
    const uint64_t *instr = st->staging[warp].instr;
    const uint32_t used = wlk_instr_get_used_rs(instr) << 1 | wlk_instr_get_wb(instr);
    const uint32_t regs[] = {wlk_instr_get_rd(instr), wlk_instr_get_rs1(instr),
                             wlk_instr_get_rs2(instr), wlk_instr_get_rs3(instr)};
    for (uint32_t i = 0; i < 4; i++) {
        if ((used >> i & 1u) != 0 && (reg_bit(cfg, regs[i]) & blocked) != 0) {
            const uint32_t id = regs[i] & 31u;
            *marks |= st->unit[warp][id];
            *open |= (st->unit_known[warp] >> id & 1u) != 0 ? 0u : ALL_USES;
        } else if ((used >> i & 1u) != 0 && (reg_bit(cfg, regs[i]) & maybe) != 0) {
            *open |= ALL_USES;
        }
    }
}

// Of a start without the reset: which warps have an instruction is known.
static uint32_t knows_staged(const cfg_t *cfg, const state_t *st) {
    return (uint32_t)(st->late != 0 && st->staged_known == wlk_mask(warps_of(cfg)));
}

static uint8_t unit_marks(const cfg_t *cfg, const uint64_t *instr) {
    const uint32_t unit = wlk_instr_get_ex_type(instr), op = wlk_instr_get_op_type(instr);
    const uint32_t sfu = op >= FIRST_CSR && op <= LAST_CSR ? 1u << USES_CSR : 1u << USES_OTHER;
    return (uint8_t)(unit < units_of(cfg) ? 1u << unit | (unit == SFU ? sfu : 0u) : 0u);
}

static void perf_reset(state_t *st) {
    memset(st->uses, 0, sizeof st->uses);
    st->stalls = 0;
    st->uses_known = ALL_USES;
}

// @p blocked: of each warp, the registers that it or the instruction coming in waits for.
static void perf_edge(const cfg_t *cfg, state_t *st, const cycle_t *c, const uint64_t *blocked) {
    const uint32_t delay = (c->warps + 7u) / 8u;
    uint32_t marks = 0, open = (st->reset_seen | knows_staged(cfg, st)) != 0 ? 0u : ALL_USES;
    for (uint64_t left = st->staged; left != 0;) {
        const uint32_t w = take_lowest(&left);
        const uint64_t known = st->late != 0 ? st->inuse_known[w] : ~UINT64_C(0);
        mark(cfg, st, w, blocked[w] & known, st->need[w] & ~known, &marks, &open);
        open |= st->late != 0 && !st->staging[w].known ? ALL_USES : 0u;
    }
    st->stalls += (uint64_t)(st->staged != 0 && c->request == 0);
    const uint32_t counted = st->marks[delay - 1u];
    for (uint32_t u = 0; u < WLK_VXSB_UNITS; u++) {
        st->uses[u] = (st->uses[u] + (counted >> u & 1u)) & VX_COUNTER;
    }
    st->uses_known &= (uint8_t)~st->marks_open[delay - 1u];
    memmove(st->marks + 1, st->marks, delay - 1u);
    memmove(st->marks_open + 1, st->marks_open, delay - 1u);
    st->marks[0] = (uint8_t)marks;
    st->marks_open[0] = (uint8_t)(open & ~marks);
    for (uint64_t left = c->fire; left != 0;) {
        const uint32_t w = take_lowest(&left);
        const uint64_t *instr = st->staging[w].instr;
        if (st->late != 0 && !st->staging[w].known) {
            st->unit_known[w] = 0; // of some register
        } else if (wlk_instr_get_wb(instr) != 0) {
            const uint32_t reg = wlk_instr_get_rd(instr) & (31u | cfg->ext_f_enable << 5);
            st->unit[w][reg] = unit_marks(cfg, instr);
            st->unit_known[w] |= UINT64_C(1) << reg;
        }
    }
    if (c->reset != 0) {
        perf_reset(st);
    }
}

// ---- protocol rules (§12) -----------------------------------------------------------------------

// The last packet of a write-back, and what it releases is not in use. Of a start without the reset
// that must be known.
static inline uint32_t writes_unused(const state_t *st, const cycle_t *c) {
    const uint32_t w = c->wb_warp % WLK_VXSB_WARPS;
    const uint64_t unused = ~st->inuse[w] & (st->late != 0 ? st->inuse_known[w] : ~UINT64_C(0));
    return c->wb_last & (uint32_t)(c->wb_warp >= c->warps || (c->released & unused) != 0);
}

static inline uint32_t violations(const state_t *st, const cycle_t *c) {
    const uint32_t unused = writes_unused(st, c), overdue = st->overdue != 0;
    return (c->reset - 1u) & (unused * (uint32_t)WLK_VORTEX_SCOREBOARD_WRITEBACK_NOT_IN_USE |
                              overdue * (uint32_t)WLK_VORTEX_SCOREBOARD_STALLED_TOO_LONG);
}

// Is everything known, in the configuration that has a step for this? That one counts nothing, and
// its vectors are of four warps, which pays where a vector is that wide.
static inline uint8_t settled(const cfg_t *cfg, const state_t *st) {
    if (VX_VECTOR_WORDS < 4 || warps_of(cfg) != 4 || cfg->ext_f_enable == 0 ||
        (cfg->ext_tcu_enable | cfg->perf_enable) != 0) {
        return 0;
    }
    const wlk_vxsb_buffer *b = &st->out;
    uint32_t known = st->reset_seen & b->out.known & b->out.wis_known & (st->overdue == 0);
    known &= b->s.ready | (b->spare.known & b->spare.wis_known);
    for (uint32_t w = 0; w < 4; w++) {
        known &= st->staging[w].known;
    }
    return (uint8_t)known;
}

#include "late.h"

static void commit(const cfg_t *cfg, state_t *st, const uint64_t *in, const cycle_t *c) {
    const uint32_t flops = st->late != 0 ? flops_after(cfg, st, c) : 0u;
    const bool loads_seen = st->late == 0 || sees_load(st);
    const bool stays = (st->late_flops & KNOWS_VALID) != 0 && st->out.s.valid && !c->sb_ready;
    const uint64_t accepted = c->ib_valid & c->ib_ready;
    const uint64_t stays_staged = c->reset != 0 ? 0u : ~c->ib_ready;
    uint64_t blocked[WLK_VXSB_WARPS], ready = 0, overdue = 0;
    for (uint32_t w = 0; w < c->warps; w++) {
        uint64_t n = st->inuse[w] & ~(w == c->wb_warp ? c->released : 0u);
        if ((c->fire >> w & 1u) != 0) { // reserved after what is released
            n |= st->dest[w];
        }
        st->inuse[w] = c->reset != 0 ? 0u : n;
        if (st->late != 0) {
            know_registers(st, c, w, n);
        }
        if ((accepted >> w & 1u) != 0) {
            st->need[w] = need_of(cfg, offered(in, w));
            st->dest[w] = destination(cfg, offered(in, w));
        }
        blocked[w] = n & st->need[w];
        ready |= (uint64_t)(blocked[w] == 0) << w;
        st->stalled[w] = (stays_staged >> w & 1u) != 0 ? st->stalled[w] + 1u : 0u;
        overdue |= (uint64_t)(st->stalled[w] >= WLK_VXSB_STALLS) << w;
    }
    st->overdue = overdue;
    if (cfg->perf_enable != 0) {
        perf_edge(cfg, st, c, blocked);
    }
    arbiters_edge(st, c);
    if ((st->reset_seen | st->late) == 0) { // nothing that chose is known
        st->out.out.wis_known = st->out.spare.wis_known = c->warps == 1; // one has no number
        for (uint32_t s = 0; s < c->slices; s++) {
            st->slice[s].out.wis_known = st->slice[s].spare.wis_known = 0;
        }
    }
    st->ready = ready; // no reset reaches it
    const bool shown = st->reset_seen != 0 || (flops & KNOWS_INPUTS) != 0;
    const uint64_t loads = shown ? c->ib_ready : 0u;
    for (uint64_t left = loads; left != 0;) { // also in reset, and without valid
        const uint32_t w = take_lowest(&left);
        memcpy(st->staging[w].instr, offered(in, w), sizeof st->staging[w].instr);
        st->staging[w].known = 1;
    }
    st->staged = c->reset != 0 ? 0u : (st->staged & ~c->ib_ready) | accepted;
    if (!loads_seen) {
        lose_load(st, stays);
    }
    if (st->late != 0) {
        st->late_flops = (uint8_t)flops;
        know_warps(cfg, st, c);
        st->late &= (uint8_t)bit_not(c->reset);
    }
    st->reset_seen |= (uint8_t)c->reset;
    st->settled = settled(cfg, st);
}

#include "settled.h"

// ---- the frame ----------------------------------------------------------------------------------

static inline void narrow(const cfg_t *cfg, const state_t *st, uint64_t *care) {
    if (st->out.out.known == 0) {
        memset(care + CAPS(OUT_SB_DATA), 0, sizeof st->out.out.instr);
    }
    if (st->out.out.wis_known == 0) {
        wlk_vortex_scoreboard_out_set_sb_data_wis(care, 0);
    }
    if (cfg->perf_enable == 0) {
        return;
    }
    for (uint32_t u = 0; u < units_of(cfg); u++) {
        uint64_t *e = wlk_vortex_scoreboard_out_element_mut(care, u);
        e[0] = (st->uses_known >> u & 1u) != 0 ? e[0] : 0u;
    }
    if ((st->uses_known >> USES_CSR & 1u) == 0) {
        wlk_vortex_scoreboard_out_set_perf_sfu_uses_0(care, 0);
    }
    if ((st->uses_known >> USES_OTHER & 1u) == 0) {
        wlk_vortex_scoreboard_out_set_perf_sfu_uses_1(care, 0);
    }
}

#define VIOLATIONS   violations
#define RULED(st)    ((st)->reset_seen | (st)->late)
#define NARROW       narrow
#define LATE(st)     ((st)->late)
#define HIDE         hide
#define SETTLED(st)  ((st)->settled)
#define STEP_SETTLED step_settled
#define KNOWN(st)                                                                                  \
    ((st)->reset_seen & (st)->out.out.known & (st)->out.out.wis_known &                            \
     ((st)->uses_known == ALL_USES))

#include "cover.h"

#include "frame/words.h"

static void init(const uint32_t *params, void *state, wlk_power_up power_up) {
    state_t *st = (state_t *)state;
    (void)params;
    memset(st, 0, sizeof *st);
    for (uint32_t w = 0; w < WLK_VXSB_WARPS; w++) {
        st->staging[w].wis_known = 1; // the arbiter's number, once a reset was seen
    }
    st->uses_known = ALL_USES; // once a reset was seen
    memset(st->marks_open, ALL_USES, sizeof st->marks_open);
    if (power_up == WLK_POWER_ZERO) {
        st->reset_seen = 1;
        memset(st->unit, 1, sizeof st->unit); // ex_type 0
        for (uint32_t w = 0; w < WLK_VXSB_WARPS; w++) {
            st->staging[w].known = 1;
            st->unit_known[w] = ~UINT64_C(0);
        }
        for (uint32_t s = 0; s < WLK_VXSB_SLICES; s++) {
            st->slice[s].out.known = st->slice[s].spare.known = 1;
            st->slice[s].out.wis_known = st->slice[s].spare.wis_known = 1;
        }
        st->out.out.known = st->out.spare.known = 1;
        st->out.out.wis_known = st->out.spare.wis_known = 1;
        memset(st->marks_open, 0, sizeof st->marks_open);
    }
}

static void clear(const uint32_t *params, void *state) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    memset(st->inuse, 0, sizeof st->inuse);
    memset(st->pointer, 0, sizeof st->pointer);
    memset(st->stalled, 0, sizeof st->stalled);
    st->staged = st->overdue = 0;
    st->out.s = (wlk_vx_stream){.ready = 1};
    for (uint32_t s = 0; s < vx_slices(warps_of(cfg)); s++) {
        st->slice[s].s = (wlk_vx_stream){.ready = 1};
    }
    perf_reset(st);
    st->reset_seen = 1;
    st->settled = settled(cfg, st);
}

static void late(const uint32_t *params, void *state) {
    state_t *st = (state_t *)state;
    init(params, state, WLK_POWER_UNKNOWN);
    st->late = vx_slices(warps_of((const cfg_t *)params)) == 0;
    st->uses_known = st->late != 0 ? 0 : ALL_USES;
}

static bool drained(const uint32_t *params, const void *state) {
    const cfg_t *cfg = (const cfg_t *)params;
    const state_t *st = (const state_t *)state;
    uint64_t busy = st->staged | st->out.s.valid;
    for (uint32_t w = 0; w < warps_of(cfg); w++) {
        busy |= st->inuse[w];
    }
    for (uint32_t s = 0; s < WLK_VXSB_SLICES; s++) {
        busy |= st->slice[s].s.valid;
    }
    return busy == 0;
}

static void visit(const uint32_t *params, const void *state, wlk_state_visitor *visitor,
                  void *ctx) {
    const cfg_t *cfg = (const cfg_t *)params;
    const state_t *st = (const state_t *)state;
    const uint64_t seen = (uint64_t)0 - st->reset_seen, is = st->late != 0 ? st->late_flops : 0u;
    const uint64_t registers = wlk_mask(32u << cfg->ext_f_enable);
    const flop flops[] = {
        {"staging.valid", st->staged, seen | (is != 0 ? st->staged_known : 0u), WLK_HEX},
        {"operands_ready", st->ready & st->staged, seen | (is != 0 ? st->ready_known : 0u),
         WLK_HEX},
        {"arbiter.ptr", st->pointer[LAST], seen | (is & KNOWS_POINTER), WLK_DECIMAL},
        {"out_buf.ready_in", st->out.s.ready, seen | (is & KNOWS_READY), WLK_DECIMAL},
        {"out_buf.valid_out", st->out.s.valid, seen | (is & KNOWS_VALID), WLK_DECIMAL},
    };
    VISIT_FLOPS(flops, -1);
    for (uint32_t w = 0; w < warps_of(cfg); w++) {
        const uint64_t known = st->late != 0 && (st->inuse_known[w] & registers) == registers;
        if (st->inuse[w] != 0 || (st->reset_seen | known) == 0) {
            visitor(ctx, "inuse_regs", (int32_t)w, &st->inuse[w], 1u, seen | known, WLK_HEX);
        }
    }
}

WLK_MODEL(.drained = drained, .clear = clear, .visit = visit, .late = late, .learn = learn);

// SPDX-License-Identifier: Apache-2.0
// Vortex's scoreboard. Rules: README.md (vortex-issue §5, §8; its library is §4).
#include "vortex/library.h"
#include "warplock/vortex_scoreboard.h"
#include "warplock/vortex_scoreboard_open.h"
#include "warplock/vortex_scoreboard_view.h"

#define MODEL      vortex_scoreboard
#define MODEL_CAPS VORTEX_SCOREBOARD

enum {
    WARPS = WLK_VXSB_WARPS,
    LAST = WLK_VXSB_SLICES, // the arbiter whose buffer is the output
    SFU = 2,                // ex_type of the special function unit
    USES_CSR = 5,           // its counters, after those of the units
    USES_OTHER = 6,
    FIRST_CSR = 6, // op_type
    LAST_CSR = 8,
};

// A cycle of a stream arbiter (§4.6); fires: what it grants goes into its buffer.
typedef struct grant {
    uint32_t granted;
    bool valid, fires;
} grant;

typedef struct cycle {
    uint64_t requests, sends, ready; // sets of warps; ready: ib.ready
    grant slice[WLK_VXSB_SLICES], last;
} cycle;

#define CYCLE cycle
#include "frame/structs.h"

static uint32_t warps_of(const cfg_t *cfg) {
    return cfg->num_warps / cfg->issue_width;
}

static uint32_t units_of(const cfg_t *cfg) {
    return 3u + cfg->ext_f_enable + cfg->ext_tcu_enable;
}

// §5.1: a register as a set; none if its type does not exist.
static uint64_t register_set(const cfg_t *cfg, uint32_t reg) {
    return cfg->ext_f_enable != 0 || reg < 32 ? UINT64_C(1) << reg : 0;
}

static uint64_t written_by(const cfg_t *cfg, const uint64_t *instr) {
    return wlk_instr_get_wb(instr) ? register_set(cfg, wlk_instr_get_rd(instr)) : 0;
}

static uint64_t need_of(const cfg_t *cfg, const uint64_t *instr) {
    const uint32_t used = wlk_instr_get_used_rs(instr);
    const uint64_t rs1 = register_set(cfg, wlk_instr_get_rs1(instr));
    const uint64_t rs2 = register_set(cfg, wlk_instr_get_rs2(instr));
    const uint64_t rs3 = register_set(cfg, wlk_instr_get_rs3(instr));
    return written_by(cfg, instr) | ((used & 1u) != 0 ? rs1 : 0) | ((used & 2u) != 0 ? rs2 : 0) |
           ((used & 4u) != 0 ? rs3 : 0);
}

// §4.5, §4.6
static void arbitrate(uint64_t requests, uint32_t pointer, uint32_t n, const wlk_vx_stream *buffer,
                      grant *g) {
    g->granted = n > 1 ? cyclic(requests, pointer, n) : 0;
    g->valid = requests != 0;
    g->fires = g->valid & buffer->ready;
}

// §4.6: a tree of arbiters.
static void see_tree(const cfg_t *cfg, const state_t *st, cycle *c) {
    const uint32_t warps = warps_of(cfg), slices = slices_of(warps);
    uint64_t shown = 0; // slices
    for (uint32_t s = 0; s < slices; s++) {
        const uint32_t n = slice_inputs(warps, s);
        const uint64_t requests = c->requests >> s * FANOUT & wlk_mask(n);
        grant *g = &c->slice[s];
        arbitrate(requests, st->pointer[s], n, &st->slice[s].s, g);
        c->sends |= (uint64_t)g->fires << (s * FANOUT + g->granted);
        shown |= (uint64_t)st->slice[s].s.valid << s;
    }
    arbitrate(shown, st->pointer[LAST], slices, &st->out.s, &c->last);
}

static void see(const cfg_t *cfg, const state_t *st, const in_t *in, cycle *c) {
    const uint32_t warps = warps_of(cfg);
    (void)in;
    c->requests = st->staged & st->ready; // §5.2
    c->sends = 0;
    if (slices_of(warps) != 0) {
        see_tree(cfg, st, c);
    } else {
        arbitrate(c->requests, st->pointer[LAST], warps, &st->out.s, &c->last);
        c->sends = (uint64_t)c->last.fires << c->last.granted;
    }
    c->ready = (c->sends | ~st->staged) & wlk_mask(warps); // §5.3
}

static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, const cycle *c, out_t *out,
                    care_t *care) {
    (void)in;
    SHOW_SET(ib_ready, c->ready);
    SHOW(sb.valid, st->out.s.valid);                            // §5.7
    SHOW(sb.data.wis, warps_of(cfg) > 1 ? st->out.out.wis : 0); // one warp has no number
    SHOW_WORDS(sb.data.instr, st->out.out.instr);
    if (cfg->perf_enable != 0) {
        SHOW(perf.stalls, st->stalls);
        SHOW(perf.sfu_uses_0, st->uses[USES_CSR]);
        SHOW(perf.sfu_uses_1, st->uses[USES_OTHER]);
        for (uint32_t u = 0; u < units_of(cfg); u++) {
            SHOW(perf.units_uses[u], st->uses[u]);
        }
    }
}

static void clear_instr(uint64_t *instr) {
    for (uint32_t word = 0; word < WLK_INSTR_WORDS; word++) {
        instr[word] = 0;
    }
}

static void put_entry(wlk_vxsb_entry *to, const uint64_t *instr, uint32_t wis) {
    copy_instr(to->instr, instr);
    to->wis = (uint8_t)wis;
}

// §4.2: a buffer takes what its arbiter grants, or its spare entry moves up.
static void buffer_edge(wlk_vxsb_buffer *b, const grant *g, const uint64_t *instr, uint32_t wis,
                        bool ready_out) {
    const bool moves = stream_moves(&b->s, ready_out);
    if (moves && b->s.ready) {
        put_entry(&b->out, instr, wis);
    } else if (moves) {
        b->out = b->spare;
    }
    if (g->fires) {
        put_entry(&b->spare, instr, wis);
    }
    stream_edge(&b->s, g->valid, moves);
}

static void pointer_edge(state_t *st, uint32_t which, const grant *g, uint32_t n) {
    st->pointer[which] = g->fires ? cyclic_next(g->granted, n) : st->pointer[which];
}

// The arbiters, the last one first: it takes what the slices show before the edge.
static void arbiters_edge(const cfg_t *cfg, state_t *st, const in_t *in, const cycle *c) {
    const uint32_t warps = warps_of(cfg), slices = slices_of(warps), last = c->last.granted;
    if (slices == 0) {
        buffer_edge(&st->out, &c->last, st->warp[last].instr, last, in->sb.ready);
        pointer_edge(st, LAST, &c->last, warps);
        return;
    }
    const wlk_vxsb_entry *from = &st->slice[last].out;
    buffer_edge(&st->out, &c->last, from->instr, last << FANOUT_BITS | from->wis, in->sb.ready);
    pointer_edge(st, LAST, &c->last, slices);
    for (uint32_t s = 0; s < slices; s++) {
        const grant *g = &c->slice[s];
        const bool is_taken = c->last.fires & (last == s);
        buffer_edge(&st->slice[s], g, st->warp[s * FANOUT + g->granted].instr, g->granted,
                    is_taken);
        pointer_edge(st, s, g, slice_inputs(warps, s));
    }
}

// §5.5: the register of warp w that a write-back releases, as a set.
static uint64_t released(const in_t *in, uint32_t w) {
    const bool releases = in->wb.valid & in->wb.data.eop & (in->wb.data.wis == w);
    return (uint64_t)releases << in->wb.data.rd;
}

// §5.5: it is reserved again by an instruction that is sent.
static uint64_t inuse_after(const cfg_t *cfg, const state_t *st, const in_t *in, const cycle *c,
                            uint32_t w) {
    const uint64_t reserved = has(c->sends, w) ? written_by(cfg, st->warp[w].instr) : 0;
    return (st->warp[w].inuse & ~released(in, w)) | reserved;
}

static uint32_t waited_after(const wlk_vxsb_warp *warp) {
    return warp->waited < WLK_VXSB_STALLS ? warp->waited + 1u : warp->waited;
}

#include "perf.h"

static void edge(const cfg_t *cfg, state_t *st, const in_t *in, const cycle *c) {
    const uint64_t taken = IN_SET(ib_valid) & c->ready;
    uint64_t ready = 0;
    uint32_t marks = 0;
    arbiters_edge(cfg, st, in, c);
    for (uint32_t w = 0; w < warps_of(cfg); w++) {
        const uint64_t inuse = inuse_after(cfg, st, in, c, w);
        const uint64_t need =
            has(taken, w) ? need_of(cfg, in->ib[w].data) : need_of(cfg, st->warp[w].instr);
        const uint64_t blocked = inuse & need;
        ready |= (uint64_t)(blocked == 0) << w; // §5.6
        if (cfg->perf_enable != 0 && has(st->staged, w)) {
            marks |= marks_of_staged(cfg, &st->warp[w], blocked);
        }
        if (cfg->perf_enable != 0 && has(c->sends, w)) {
            note_unit(cfg, &st->warp[w]);
        }
        if (has(c->ready, w)) {
            copy_instr(st->warp[w].instr, in->ib[w].data); // §5.4
        }
        st->warp[w].inuse = inuse;
        st->warp[w].waited = has(c->ready, w) ? 0 : waited_after(&st->warp[w]);
    }
    if (cfg->perf_enable != 0) {
        count(cfg, st, c, marks);
    }
    st->ready = ready;
    st->staged = (st->staged & ~c->ready) | taken; // §5.4
}

// State that the configuration does not have: else it would stay unknown.
static void clear_absent(const cfg_t *cfg, state_t *st) {
    const uint32_t warps = warps_of(cfg), counting = cfg->perf_enable != 0 ? warps : 0;
    const wlk_vxsb_buffer no_slice = {.s = {.ready = true}};
    for (uint32_t w = warps; w < WARPS; w++) {
        clear_instr(st->warp[w].instr);
    }
    for (uint32_t s = slices_of(warps); s < WLK_VXSB_SLICES; s++) {
        st->slice[s] = no_slice;
    }
    for (uint32_t w = counting; w < WARPS; w++) {
        clear_units(&st->warp[w]);
    }
    for (uint32_t i = counting != 0 ? delay_of(cfg) : 0; i < WLK_VXSB_DELAY; i++) {
        st->marks[i] = 0;
    }
    st->ready &= wlk_mask(warps);
}

static void clear(const cfg_t *cfg, state_t *st) {
    st->staged = 0;
    stream_clear(&st->out.s);
    st->pointer[LAST] = 0;
    for (uint32_t s = 0; s < WLK_VXSB_SLICES; s++) {
        stream_clear(&st->slice[s].s);
        st->pointer[s] = 0;
    }
    for (uint32_t w = 0; w < WARPS; w++) {
        st->warp[w].inuse = 0;
        st->warp[w].waited = 0;
    }
    clear_counters(st);
    clear_absent(cfg, st);
}

// §12
static uint32_t broken(const cfg_t *cfg, const state_t *st, const in_t *in) {
    const uint32_t wis = in->wb.data.wis;
    const bool is_used = wis < warps_of(cfg) && has(st->warp[wis].inuse, in->wb.data.rd);
    bool is_overdue = false;
    for (uint32_t w = 0; w < warps_of(cfg); w++) {
        is_overdue |= st->warp[w].waited >= WLK_VXSB_STALLS;
    }
    if (in->reset) {
        return 0;
    }
    return (in->wb.valid && in->wb.data.eop && !is_used
                ? (uint32_t)WLK_VORTEX_SCOREBOARD_WRITEBACK_NOT_IN_USE
                : 0) |
           (is_overdue ? (uint32_t)WLK_VORTEX_SCOREBOARD_STALLED_TOO_LONG : 0);
}

static bool drained(const cfg_t *cfg, const state_t *st) {
    uint64_t busy = st->staged | st->out.s.valid;
    for (uint32_t s = 0; s < slices_of(warps_of(cfg)); s++) {
        busy |= st->slice[s].s.valid;
    }
    for (uint32_t w = 0; w < warps_of(cfg); w++) {
        busy |= st->warp[w].inuse;
    }
    return busy == 0;
}

#include "cover.h"
#include "sight.h"

WLK_STRUCTS_MODEL(.broken = broken, .events = events, .drained = drained, .show = show,
                  .learn = learn, .learn_next = learn_next, .unknown_start = true);

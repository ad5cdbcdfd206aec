/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collector behind its own output register (OUT_BUF code 3), all of whose state is known: compare
 * and clock edge without looking at facts, and with few branches, as what an instruction reads and
 * which stage moves cannot be foretold. What does not move is written where nothing reads. The
 * rules are those of opc_rules.h; here is how rows move. Spec: vortex-issue §6.
 */
#ifndef WLK_VORTEX_OPC_SETTLED_H
#define WLK_VORTEX_OPC_SETTLED_H

#include "opc_rules.h"

/* Shapes that a step is compiled for; none: the step that looks. */
enum { UNSETTLED, SETTLED_DEFAULT, SETTLED_2, SETTLED_4, SETTLED_8, SETTLED_16 };

/* Two words of a row, wherever they lie, and four lanes of them. */
typedef uint64_t vx_pair __attribute__((vector_size(16)));
typedef uint64_t vx_pair_any __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint32_t vx_lanes __attribute__((vector_size(16)));
/* Control words behind the first one. */
typedef uint64_t vx_four __attribute__((vector_size(32)));
typedef uint64_t vx_four_any __attribute__((vector_size(32), aligned(8), may_alias));

VX_INLINE vx_pair vx_pair_of(const void *words) {
    return *(const vx_pair_any *)words;
}

VX_INLINE void vx_pair_put(void *words, vx_pair pair) {
    *(vx_pair_any *)words = pair;
}

/* The first line where all bits of the mask are set, the second one where none is. */
VX_INLINE vx_line vx_choose_line(uint64_t mask, const void *first, const void *second) {
    return (*(const vx_line *)first & mask) | (*(const vx_line *)second & ~mask);
}

/* ---- which collectors --------------------------------------------------------------------- */

static inline bool opc_is_settled(const shape *s, const wlk_vx_collector *o) {
    uint32_t lanes = o->lanes[0] & o->lanes[1] & o->lanes[2];
    for (uint32_t b = 0; b < s->banks; b++) {
        lanes &= o->lanes[WLK_VX_BANK_ROW + b];
    }
    return o->ram_known != 0 && (o->stage[0].head.known & o->stage[1].head.known) != 0 &&
           (lanes & s->lanes) == s->lanes && opc_is_known(s, &o->out.entry[VX_SHOWN]) &&
           (o->out.s.ready != 0 || opc_is_known(s, &o->out.entry[VX_SPARE]));
}

/* The step for a shape. Rows of a bank are found without asking whether they are there. */
static inline uint8_t settled_kind(const cfg_t *cfg, const shape *s) {
    if (s->row_mask != s->rows - 1u) {
        return UNSETTLED;
    }
    switch (s->words) {
    case 2:
        return s->banks == 4 && s->packets == 1 && s->warps > 1 && s->wis_shift == 0 &&
                       cfg->perf_enable == 0 && cfg->xlen == 32 && cfg->ext_f_enable != 0
                   ? SETTLED_DEFAULT
                   : SETTLED_2;
    case 4:
        return SETTLED_4;
    case 8:
        return SETTLED_8;
    case 16:
        return SETTLED_16;
    default:
        return UNSETTLED;
    }
}

/* ---- compare ------------------------------------------------------------------------------ */

/* Nonzero where a packet is not as the RTL shows it; @p first: its first word with the handshake. */
VX_INLINE uint64_t packet_differs(const shape *s, const wlk_vx_packet *p, uint64_t first,
                                  const wlk_view *got) {
    const vx_four meta = *(const vx_four_any *)(const void *)(p->head.meta + 1) ^
                         *(const vx_four_any *)(const void *)(got->control + 1);
    vx_pair differs = {first ^ got->control[0], meta[0] | meta[1]};
    differs |= (vx_pair){meta[2], meta[3]};
    for (uint32_t i = 0; i < OPERANDS; i++) {
        for (uint32_t w = 0; w < s->words; w += 2) {
            const uint64_t *row = p->rows + i * s->words + w;
            differs |= vx_pair_of(row) ^ vx_pair_of((const uint64_t *)got->payload[i] + w);
        }
    }
    return differs[0] | differs[1];
}

/* ---- the clock edge ----------------------------------------------------------------------- */

/*
 * The spare entry takes whatever comes while the buffer is ready: it is shown only when it is not,
 * and then what came last is what the output register had no room for. A pipe stage, of which this
 * buffer has none, takes what the output register does not.
 */
VX_INLINE void opc_pass(const shape *s, wlk_vx_collector *o, const opc_cycle_t *c) {
    const wlk_vx_stage *two = &o->stage[1];
    wlk_vx_packet *spare = &o->out.entry[VX_SPARE];
    const vx_flow f = vx_stream_flow(&o->out.s, two->valid, c->ready_out);
    wlk_vx_packet *out = &o->out.entry[VX_STAGE * bit_not(f.flow)];
    const uint64_t kept = (uint64_t)(c->reset | (two->valid & c->rdy2)) - 1u;
    const uint64_t taken = (uint64_t)0 - c->rdy2;
    const vx_line head = vx_choose_line(taken, &two->head, &spare->head);
    *(vx_line *)(void *)&spare->head = head;
    *(vx_line *)(void *)&out->head = head;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const uint64_t *merged = o->rows + source_of(two, i) * s->words;
        for (uint32_t w = 0; w < s->words; w += 2) {
            const uint32_t at = i * s->words + w;
            const vx_pair now = vx_pair_of(merged + w), before = vx_pair_of(spare->rows + at);
            const vx_pair shown = (now & taken) | (before & ~taken);
            vx_pair_put(o->rows + at, now & kept);
            vx_pair_put(spare->rows + at, shown);
            vx_pair_put(out->rows + at, shown);
        }
    }
    vx_stream_edge(&o->out.s, two->valid, f, c->reset);
}

/* What the banks deliver; where nothing is read it goes behind the rows of the banks there are. */
VX_INLINE void banks_read(const shape *s, wlk_vx_collector *o, const ram *r, uint32_t loads) {
    const wlk_vx_stage *one = &o->stage[0];
    uint64_t *to = o->rows + (WLK_VX_BANK_ROW + (s->banks & (loads - 1u))) * s->words;
    if (2u * s->banks > WLK_VX_BANKS && loads == 0) {
        return;
    }
    for (uint32_t b = 0; b < s->banks; b++) {
        const uint64_t *row = r->rows + ram_row(s, b, one->at[WLK_VX_BANK_ROW + b]) * s->words;
        for (uint32_t w = 0; w < s->words; w += 2) {
            vx_pair_put(to + b * s->words + w, vx_pair_of(row + w));
        }
    }
}

/* All ones in the lanes of the mask, of two words. */
VX_INLINE vx_pair lanes_of(uint32_t mask, uint32_t xlen) {
    const vx_lanes four = {1, 2, 4, 8};
    const vx_pair two = {1, 2};
    if (xlen == 64) {
        return (vx_pair)((((vx_pair){0} + mask) & two) == two);
    }
    return (vx_pair)((((vx_lanes){0} + mask) & four) == four);
}

VX_INLINE void ram_write(const shape *s, const ram *r, const uint64_t *in, const void *data,
                         uint32_t xlen) {
    const place to = written_place(s, in);
    const size_t at = ram_row(s, 0, to.row & s->row_mask) + (to.at & (s->banks - 1u));
    const uint32_t lanes = GET(wb_data_tmask, in) & bit_all(GET(wb_valid, in));
    for (uint32_t w = 0; w < s->words; w += 2) {
        uint64_t *row = r->rows + at * s->words + w;
        const vx_pair mask = lanes_of(lanes >> (xlen == 64 ? w : 2u * w), xlen);
        const vx_pair written = vx_pair_of((const uint64_t *)data + w) & mask;
        vx_pair_put(row, written | (vx_pair_of(row) & ~mask));
    }
}

/* As opc_edge. */
VX_INLINE void opc_edge_settled(const cfg_t *cfg, const shape *s, wlk_vx_collector *o, const ram *r,
                                const uint64_t *in, const void *data, const opc_cycle_t *c) {
    const uint32_t loads = o->stage[0].valid & c->rdy1;
    if (cfg->perf_enable != 0) {
        o->stalls = (o->stalls + (c->valid & c->rdy0 & c->conflict)) & VX_COUNTER;
    }
    opc_pass(s, o, c);
    banks_read(s, o, r, loads);
    opc_stages_edge(cfg, s, o, c, in);
    opc_iterator_edge(s, o, c);
    ram_write(s, r, in, data, cfg->xlen);
    if (c->reset != 0) {
        o->stalls = 0;
        if (s->cleared != 0) {
            opc_clear(s, o, r);
        }
    }
}

/* A cycle whose outputs are compared: nonzero where they differ, and then nothing has changed. */
VX_INLINE uint64_t opc_step(const cfg_t *cfg, const shape *s, wlk_vx_collector *o, const ram *r,
                            uint64_t stalls, const wlk_view *in, const wlk_view *got,
                            opc_cycle_t *c) {
    const uint64_t *words = in->control;
    uint64_t first = o->out.entry[VX_SHOWN].head.meta[0] | (cfg->perf_enable != 0 ? stalls : 0u);
    c->reset = GET(reset, words);
    c->valid = GET(sb_valid, words);
    opc_cycle(s, o, VX_TWO_REGISTERED, words + CAPS(IN_SB_DATA), GET(op_ready, words), c);
    PUT(sb_ready, &first, opc_ready(c));
    PUT(op_valid, &first, o->out.s.valid);
    const uint64_t differs = packet_differs(s, &o->out.entry[VX_SHOWN], first, got);
    if (differs == 0) {
        opc_edge_settled(cfg, s, o, r, words, in->payload[0], c);
    }
    return differs;
}

#endif

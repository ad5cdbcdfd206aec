/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A collector with an output register (OUT_BUF code 3), all of whose state is known: compare and
 * clock edge without looking at facts. Branches only on what can be foretold: what an instruction
 * reads cannot, and what does not move then is written where nothing reads. The rules are those of
 * opc_rules.h; here is how rows move. Spec: vortex-issue §6.
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

VX_INLINE vx_pair pair_of(const void *words) {
    return *(const vx_pair_any *)words;
}

VX_INLINE void pair_put(void *words, vx_pair pair) {
    *(vx_pair_any *)words = pair;
}

/* ---- which collectors --------------------------------------------------------------------- */

static inline bool buffer_is_settled(const shape *s, const wlk_vx_buffer *b) {
    return opc_is_known(s, &b->entry[VX_SHOWN]) &&
           (b->s.ready != 0 || opc_is_known(s, &b->entry[VX_SPARE]));
}

static inline bool opc_is_settled(const shape *s, const wlk_vx_collector *o) {
    uint32_t lanes = o->lanes[0] & o->lanes[1] & o->lanes[2];
    for (uint32_t b = 0; b < s->banks; b++) {
        lanes &= o->lanes[WLK_VX_BANK_ROW + b];
    }
    return o->ram_known != 0 && (o->stage[0].head.known & o->stage[1].head.known) != 0 &&
           (lanes & s->lanes) == s->lanes && buffer_is_settled(s, &o->out);
}

/* The step for a shape. Rows of a bank are found without asking whether they are there. */
static inline uint8_t settled_kind(const cfg_t *cfg, const shape *s) {
    if (s->row_mask == ~0u) {
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

/* Nonzero where a packet is not as the RTL shows it; @p rest: what else is in its first word. The
 * head is read as it was written. */
VX_INLINE uint64_t packet_differs(const shape *s, const wlk_vx_packet *p, uint64_t rest,
                                  const wlk_view *got) {
    const uint64_t *meta = p->head.meta;
    const vx_half four = half_of(meta) ^ half_of(got->control) ^ (vx_half) { rest, 0, 0, 0 };
    vx_pair differs = __builtin_shufflevector(four, four, 0, 1);
    differs |= __builtin_shufflevector(four, four, 2, 3);
    for (uint32_t i = 0; i < OPERANDS; i++) {
        for (uint32_t w = 0; w < s->words; w += 2) {
            const uint64_t *row = p->rows + i * s->words + w;
            differs |= pair_of(row) ^ pair_of((const uint64_t *)got->payload[i] + w);
        }
    }
    return differs[0] | differs[1] | (meta[4] ^ got->control[4]);
}
_Static_assert(WLK_VX_PACKET_WORDS == 5, "half a head and a word");

/* ---- the clock edge ----------------------------------------------------------------------- */

/* The operands that stage 2 has, as they go into an entry of the buffer. */
VX_INLINE void merged_put(const shape *s, const wlk_vx_collector *o, wlk_vx_packet *to) {
    const wlk_vx_stage *two = &o->stage[1];
    vx_head_copy(&to->head, &two->head);
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const uint64_t *row = o->rows + source_of(two, i) * s->words;
        for (uint32_t w = 0; w < s->words; w += 2) {
            pair_put(to->rows + i * s->words + w, pair_of(row + w));
        }
    }
}

/* The same, kept where @p kept is all ones for the rounds that follow. */
VX_INLINE void merged_keep(const shape *s, wlk_vx_collector *o, uint64_t kept) {
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const uint64_t *row = o->rows + source_of(&o->stage[1], i) * s->words;
        for (uint32_t w = 0; w < s->words; w += 2) {
            pair_put(o->rows + i * s->words + w, pair_of(row + w) & kept);
        }
    }
}

/* Into the buffer. What moves most of the time is asked for with a branch: a choice of data would
 * make each cycle wait for what the last one has written. */
VX_INLINE void opc_pass(const shape *s, wlk_vx_collector *o, const opc_cycle_t *c) {
    const uint32_t valid = o->stage[1].valid;
    wlk_vx_packet *out = &o->out.entry[VX_SHOWN], *spare = &o->out.entry[VX_SPARE];
    const vx_flow f = vx_stream_flow(&o->out.s, valid, c->ready_out);
    if (f.flow == 0 && c->rdy2 != 0) {
        merged_put(s, o, spare);
    } else if (f.flow != 0 && c->rdy2 != 0) {
        merged_put(s, o, out);
    } else if (f.flow != 0) {
        vx_head_copy(&out->head, &spare->head);
        for (uint32_t w = 0; w < OPERANDS * s->words; w += 2) {
            pair_put(out->rows + w, pair_of(spare->rows + w));
        }
    }
    merged_keep(s, o, (uint64_t)(c->reset | (valid & c->rdy2)) - 1u);
    vx_stream_edge(&o->out.s, valid, f, c->reset);
}

/* What the banks deliver; where nothing is read it goes behind the rows of the banks there are. */
VX_INLINE void banks_read(const shape *s, wlk_vx_collector *o, const ram *r, uint32_t loads) {
    const wlk_vx_stage *one = &o->stage[0];
    uint64_t *to = o->rows + (WLK_VX_BANK_ROW + (s->banks & (loads - 1u))) * s->words;
    if (2u * s->banks > WLK_VX_BANKS && loads == 0) {
        return;
    }
    for (uint32_t b = 0; b < s->banks; b++) {
        const uint64_t *row = r->rows + (size_t)one->at[WLK_VX_BANK_ROW + b] * s->words;
        for (uint32_t w = 0; w < s->words; w += 2) {
            pair_put(to + b * s->words + w, pair_of(row + w));
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
                         uint32_t xlen, uint32_t writes) {
    const size_t at = written_row(s, in);
    const uint32_t lanes = GET(wb_data_tmask, in) & bit_all(writes);
    for (uint32_t w = 0; w < s->words; w += 2) {
        uint64_t *row = r->rows + at * s->words + w;
        const vx_pair mask = lanes_of(lanes >> (xlen == 64 ? w : 2u * w), xlen);
        const vx_pair written = pair_of((const uint64_t *)data + w) & mask;
        pair_put(row, written | (pair_of(row) & ~mask));
    }
}

/* As opc_edge. */
VX_INLINE void opc_edge_settled(const cfg_t *cfg, const shape *s, wlk_vx_collector *o, const ram *r,
                                const uint64_t *in, const void *data, uint32_t writes,
                                const opc_cycle_t *c) {
    const uint32_t loads = o->stage[0].valid & c->rdy1;
    if (cfg->perf_enable != 0) {
        o->stalls = (o->stalls + (c->valid & c->rdy0 & c->conflict)) & VX_COUNTER;
    }
    opc_pass(s, o, c);
    banks_read(s, o, r, loads);
    opc_stages_edge(cfg, s, o, c, in);
    opc_iterator_edge(s, o, c);
    ram_write(s, r, in, data, cfg->xlen, writes);
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
    const uint32_t writes = GET(wb_valid, words);
    uint64_t rest = cfg->perf_enable != 0 ? stalls : 0u;
    c->reset = GET(reset, words);
    c->valid = GET(sb_valid, words);
    opc_cycle(s, o, VX_TWO_REGISTERED, words + CAPS(IN_SB_DATA), GET(op_ready, words), c);
    PUT(sb_ready, &rest, opc_ready(c));
    PUT(op_valid, &rest, o->out.s.valid);
    const uint64_t differs = packet_differs(s, &o->out.entry[VX_SHOWN], rest, got);
    if (differs != 0) {
        return differs;
    }
    if (c->rdy2 != 0) { /* most of the time, and then everything moves */
        c->rdy0 = c->rdy1 = c->rdy2 = 1;
        opc_edge_settled(cfg, s, o, r, words, in->payload[0], writes, c);
    } else {
        opc_edge_settled(cfg, s, o, r, words, in->payload[0], writes, c);
    }
    return 0;
}

#endif

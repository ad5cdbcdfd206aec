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

/* Nonzero where a packet is not as the RTL shows it; @p rest: what else is in its first word. No
 * part of the head that is read lies across those that were written. */
VX_INLINE uint64_t packet_differs(const shape *s, const wlk_vx_packet *p, uint64_t rest,
                                  const wlk_view *got) {
    const uint64_t *meta = p->head.meta, *control = got->control;
    uint64_t words = (meta[0] ^ control[0] ^ rest) | (meta[1] ^ control[1]);
    vx_pair differs = pair_of(meta + 2) ^ pair_of(control + 2);
    words |= meta[4] ^ control[4];
    for (uint32_t i = 0; i < OPERANDS; i++) {
        for (uint32_t w = 0; w < s->words; w += 2) {
            const uint64_t *row = p->rows + i * s->words + w;
            differs |= pair_of(row) ^ pair_of((const uint64_t *)got->payload[i] + w);
        }
    }
    return differs[0] | differs[1] | words;
}
_Static_assert(WLK_VX_PACKET_WORDS == 5, "two words, a pair and a word");

/* ---- the clock edge ----------------------------------------------------------------------- */

/* The operands that stage 2 has: into an entry of the buffer, if given, and where @p kept is all
 * ones they stay for the rounds that follow. */
VX_INLINE void merged_put(const shape *s, wlk_vx_collector *o, wlk_vx_packet *to, uint64_t kept) {
    const wlk_vx_stage *two = &o->stage[1];
    if (to != NULL) {
        vx_head_copy(&to->head, &two->head);
    }
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const uint64_t *row = o->rows + source_word(s, two, i);
        for (uint32_t w = 0; w < s->words; w += 2) {
            const vx_pair pair = pair_of(row + w);
            if (to != NULL) {
                pair_put(to->rows + i * s->words + w, pair);
            }
            pair_put(o->rows + i * s->words + w, pair & kept);
        }
    }
}

/* Into the buffer, whose output may change or not. */
VX_INLINE void opc_pass(const shape *s, wlk_vx_collector *o, const opc_cycle_t *c, uint32_t flow) {
    const uint32_t valid = o->stage[1].valid;
    const uint64_t kept = (uint64_t)(valid & bit_all(c->rdy2)) - 1u;
    wlk_vx_packet *out = &o->out.entry[VX_SHOWN], *spare = &o->out.entry[VX_SPARE];
    wlk_vx_stream buffer = {.ready = (uint8_t)c->rdy2, .valid = o->out.s.valid};
    if (flow != 0 && c->rdy2 == 0) {
        vx_head_copy(&out->head, &spare->head);
        for (uint32_t w = 0; w < OPERANDS * s->words; w += 2) {
            pair_put(out->rows + w, pair_of(spare->rows + w));
        }
    }
    merged_put(s, o, c->rdy2 == 0 ? NULL : flow != 0 ? out : spare, kept);
    vx_stream_edge(&buffer, valid, (vx_flow){.flow = flow}, 0);
    o->out.s = buffer;
}

/* A collector's row that nothing reads. */
enum { UNREAD_ROW = WLK_VX_BANK_ROW - 1 };

/* What the banks deliver, those that read no operand first. What nothing reads goes between the
 * rows, or behind them. */
VX_INLINE void banks_read(const shape *s, wlk_vx_collector *o, const ram *r, uint32_t loads) {
    const wlk_vx_stage *one = &o->stage[0];
    const uint32_t behind = WLK_VX_BANK_ROW + s->banks;
    uint64_t *rows = o->rows + (behind & (loads - 1u)) * s->words;
    if (2u * behind > WLK_VX_ROWS && loads == 0) {
        return;
    }
    const uint64_t *beside = r->rows + (size_t)one->at[0] * s->words;
    uint64_t *first = rows + WLK_VX_BANK_ROW * s->words;
    if (s->banks * s->words == 2) {
        pair_put(first, pair_of(beside));
    } else {
        for (uint32_t w = 0; w < s->banks * s->words; w += 4) {
            vx_half_put(first + w, half_of(beside + w));
        }
    }
    for (uint32_t i = 1; i < OPERANDS; i++) {
        const uint64_t *row = r->rows + (size_t)one->at[i] * s->words;
        const size_t from = source_word(s, one, i), unread = (size_t)UNREAD_ROW * s->words;
        uint64_t *to = rows + (from < unread ? unread : from);
        for (uint32_t w = 0; w < s->words; w += 2) {
            pair_put(to + w, pair_of(row + w));
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
                         uint32_t xlen, uint32_t mine) {
    const size_t at = written_row(s, in);
    const uint32_t lanes = GET(wb_data_tmask, in) & bit_all(GET(wb_valid, in) & mine);
    for (uint32_t w = 0; w < s->words; w += 2) {
        uint64_t *row = r->rows + at * s->words + w;
        const vx_pair mask = lanes_of(lanes >> (xlen == 64 ? w : 2u * w), xlen);
        const vx_pair written = pair_of((const uint64_t *)data + w) & mask;
        pair_put(row, written | (pair_of(row) & ~mask));
    }
}

/* What an edge in reset does besides, at its end; a register file stays known. */
static __attribute__((noinline, cold)) void opc_reset_settled(const shape *s, wlk_vx_collector *o,
                                                              uint64_t *rows) {
    opc_stages_reset(s, o);
    o->stalls = 0;
    o->fetched = 0;
    o->sent = 0;
    o->first |= (uint8_t)(s->packets > 1);
    o->out.s = (wlk_vx_stream){.ready = 1};
    memset(o->rows, 0, (size_t)OPERANDS * s->words * sizeof *o->rows);
    if (s->cleared != 0) {
        memset(rows, 0, (size_t)s->rows * s->banks * s->words * sizeof *rows);
    }
}

/* As opc_edge without reset; @p mine: what is written is written here. */
VX_INLINE void opc_edge_settled(const cfg_t *cfg, const shape *s, wlk_vx_collector *o, const ram *r,
                                const wlk_view *view, uint32_t mine, const opc_cycle_t *cycle) {
    const uint32_t loads = o->stage[0].valid & bit_all(cycle->rdy1);
    const uint64_t *in = view->control;
    opc_cycle_t running = *cycle, *c = &running;
    c->reset = 0;
    if (cfg->perf_enable != 0) {
        o->stalls = (o->stalls + (c->valid & c->rdy0 & c->conflict)) & PERF_BITS;
    }
    /* What moves most of the time is asked for with a branch: a choice of data would make each
     * cycle wait for what the last one has written. */
    if ((c->ready_out | bit_not(o->out.s.valid)) != 0) {
        opc_pass(s, o, c, 1);
    } else {
        opc_pass(s, o, c, 0);
    }
    banks_read(s, o, r, loads);
    opc_stages_edge(cfg, s, o, c, in);
    opc_iterator_edge(s, o, c);
    ram_write(s, r, in, view->payload[0], cfg->xlen, mine);
}

/* A cycle of a collector whose buffer is ready or not; as opc_step. */
VX_INLINE uint64_t opc_step_of(const cfg_t *cfg, const shape *s, wlk_vx_collector *o, const ram *r,
                               uint64_t stalls, const wlk_view *in, const wlk_view *got,
                               uint32_t rdy2) {
    const uint64_t *words = in->control;
    uint64_t rest = cfg->perf_enable != 0 ? stalls : 0u;
    opc_cycle_t c;
    c.reset = 0;
    c.valid = GET(sb_valid, words);
    opc_cycle_of(s, o, rdy2, words + CAPS(IN_SB_DATA), &c);
    PUT(sb_ready, &rest, opc_ready(&c));
    PUT(op_valid, &rest, o->out.s.valid);
    const uint64_t differs = packet_differs(s, &o->out.entry[VX_SHOWN], rest, got);
    if (differs != 0) {
        return differs;
    }
    c.ready_out = GET(op_ready, words);
    opc_edge_settled(cfg, s, o, r, in, 1, &c);
    return 0;
}

/* A cycle whose outputs are compared: nonzero where they differ, and then nothing has changed; in
 * reset opc_reset_settled follows. Most of the time the buffer is ready, and everything moves. */
VX_INLINE uint64_t opc_step(const cfg_t *cfg, const shape *s, wlk_vx_collector *o, const ram *r,
                            uint64_t stalls, const wlk_view *in, const wlk_view *got) {
    return o->out.s.ready != 0 ? opc_step_of(cfg, s, o, r, stalls, in, got, 1)
                               : opc_step_of(cfg, s, o, r, stalls, in, got, 0);
}

#endif

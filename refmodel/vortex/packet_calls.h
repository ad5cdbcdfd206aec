/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of a model that shows packets, from what its source defines before including this:
 *   cycle_t with `s`, a pointer to a shape, and `in`, the inputs
 *   compute(cfg, st, in, c), events(cfg, st, in, c)
 *   shown(cfg, st, c)                the packet at the output
 *   control(cfg, st, c, out)         control words of the outputs
 *   edge_of(cfg, st, in, data, c)    the clock edge; `data`: what is written back
 *   settled(cfg, st)                 kind of the step whose shape this state has, if all is known
 *   step_known(cfg, st, s, in, got)  such a step of a shape: nonzero where outputs differ
 */
#ifndef WLK_VORTEX_PACKET_CALLS_H
#define WLK_VORTEX_PACKET_CALLS_H

static void fill(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out,
                 uint64_t *care) {
    const uint32_t control_words = CAPS(OUT_CONTROL);
    const wlk_vx_packet *p = shown(cfg, st, c);
    NAMED(out_mask)(cfg, care);
    if (p->head.known == 0 || st->reset_seen == 0) {
        memset(care, 0, control_words * sizeof *care);
    }
    if (st->reset_seen != 0) {
        NAMED(out_put_sb_ready)(care, 1u);
        NAMED(out_put_op_valid)(care, 1u);
        NAMED(out_set_perf_stalls)(care, cfg->perf_enable != 0 ? PERF_BITS : 0u);
    }
    control(cfg, st, c, out);
    for (uint32_t w = 0; w < control_words; w++) {
        out[w] &= care[w];
    }
    out += control_words;
    care += control_words;
    memcpy(out, p->rows, (size_t)OPERANDS * c->s->words * sizeof *out);
    for (uint32_t i = 0; i < OPERANDS; i++, out += c->s->words, care += c->s->words) {
        const uint32_t lanes = st->reset_seen != 0 ? p->head.lanes[i] : 0u;
        opc_care_row(c->s, cfg->xlen, lanes, out, care);
    }
}

/* Protocol rules that the inputs break, outside reset. */
static inline uint32_t rules_broken(const shape *s, const uint64_t *in) {
    const uint64_t *instr = in + CAPS(IN_SB_DATA);
    const uint32_t sb = GET(sb_valid, in), wb = GET(wb_valid, in);
    const uint32_t several = (uint32_t)(s->packets > 1);
    const uint32_t empty = several & (uint32_t)(wlk_instr_get_tmask(instr) == 0);
    const uint32_t beyond = several & (uint32_t)(GET(wb_data_sid, in) >= s->packets);
    const uint32_t no_warp = (uint32_t)(GET(sb_data_wis, in) > s->last_warp);
    const uint32_t no_warp_written = (uint32_t)(GET(wb_data_wis, in) > s->last_warp);
    return (GET(reset, in) - 1u) & ((sb & empty) * (uint32_t)CAPS(NO_THREAD) |
                                    (sb & no_warp) * (uint32_t)CAPS(SB_WARP_OUT_OF_RANGE) |
                                    (wb & no_warp_written) * (uint32_t)CAPS(WB_WARP_OUT_OF_RANGE) |
                                    (wb & beyond) * (uint32_t)CAPS(WB_PACKET_OUT_OF_RANGE));
}

static inline void commit(const cfg_t *cfg, state_t *st, const uint64_t *in, const cycle_t *c) {
    edge_of(cfg, st, in, in + CAPS(IN_CONTROL), c);
    st->settled = settled(cfg, st);
}

#define VIOLATIONS(st, c) rules_broken((c)->s, (c)->in)
#include "frame/calls.h"

/* Nonzero where a row is not as the RTL shows it. */
static inline uint64_t row_differs(const uint64_t *row, const void *got, uint32_t words) {
    uint64_t pair[2];
    if (words != 2) {
        return (uint64_t)(memcmp(row, got, words * sizeof *row) != 0);
    }
    memcpy(pair, got, sizeof pair);
    return (row[0] ^ pair[0]) | (row[1] ^ pair[1]);
}

static __attribute__((noinline)) int step_unsettled(const cfg_t *cfg, state_t *st,
                                                    const wlk_view *in, const wlk_view *got) {
    uint64_t out[CAPS(OUT_CONTROL)], differs = 0;
    cycle_t c;
    if (st->reset_seen == 0 || got->mask != NULL) {
        return 1;
    }
    compute(cfg, st, in->control, &c);
    const wlk_vx_packet *p = shown(cfg, st, &c);
    control(cfg, st, &c, out);
    for (uint32_t w = 0; w < CAPS(OUT_CONTROL); w++) {
        differs |= out[w] ^ got->control[w];
    }
    if (differs != 0 || !opc_is_known(c.s, p)) {
        return 1;
    }
    for (uint32_t i = 0; i < OPERANDS; i++) {
        differs |= row_differs(p->rows + (size_t)i * c.s->words, got->payload[i], c.s->words);
    }
    if (differs != 0) {
        return 1;
    }
    edge_of(cfg, st, in->control, in->payload[0], &c);
    st->settled = settled(cfg, st);
    return 0;
}

/* A step of rows of so many words; a function of its own for each. */
#define STEP_OF_WORDS(n)                                                                           \
    static __attribute__((noinline)) int step_##n(const cfg_t *cfg, state_t *st,                   \
                                                  const wlk_view *in, const wlk_view *got) {       \
        shape s = st->shape;                                                                       \
        s.words = (n);                                                                             \
        return step_known(cfg, st, &s, in, got) != 0;                                              \
    }

STEP_OF_WORDS(2)
STEP_OF_WORDS(4)
STEP_OF_WORDS(8)
STEP_OF_WORDS(16)

static __attribute__((noinline)) int step_default(const cfg_t *cfg, state_t *st, const wlk_view *in,
                                                  const wlk_view *got) {
    shape s = st->shape;
    cfg_t known = *cfg;
    s.words = 2;
    s.banks = 4;
    s.bank_bits = 2;
    s.packets = 1;
    s.warps = 2; // or more
    s.wis_shift = 0;
    s.registers = 64;
    known.num_opcs = 1;
    known.ext_f_enable = 1;
    known.xlen = 32;
    known.perf_enable = 0;
    return step_known(&known, st, &s, in, got) != 0;
}

static int step_shape(const cfg_t *cfg, state_t *st, const wlk_view *in, const wlk_view *got) {
    switch (got->mask != NULL ? (uint8_t)UNSETTLED : st->settled) {
    case SETTLED_2:
        return step_2(cfg, st, in, got);
    case SETTLED_4:
        return step_4(cfg, st, in, got);
    case SETTLED_8:
        return step_8(cfg, st, in, got);
    case SETTLED_16:
        return step_16(cfg, st, in, got);
    default:
        return step_unsettled(cfg, st, in, got);
    }
}

/* A function of its own: the default step, which is a tail call, need not save its registers. */
static __attribute__((noinline)) int step_any(const cfg_t *cfg, state_t *st, const wlk_view *in,
                                              const wlk_view *got, wlk_step_info *info) {
    const int differs = step_shape(cfg, st, in, got);
    if (differs == 0 && st->reset_seen != 0) {
        info->violated = rules_broken(&st->shape, in->control);
    }
    return differs;
}

static int step(const uint32_t *params, void *state, const wlk_view *in, const wlk_view *got,
                wlk_step_info *info) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    info->violated = 0;
    if (st->settled == SETTLED_DEFAULT && got->mask == NULL) { /* no input breaks a rule */
        return step_default(cfg, st, in, got);
    }
    return step_any(cfg, st, in, got, info);
}

/* Lanes of a write that are X. */
static void forget_written(const cfg_t *cfg, const shape *s, wlk_vx_collector *o, const ram *r,
                           const uint64_t *in, const uint64_t *x) {
    const uint32_t at = written_row(s, in);
    if (GET(wb_valid, in) == 0 || at >= s->rows * s->banks) {
        return;
    }
    const size_t bytes = cfg->xlen / 8u;
    const char *data = (const char *)(x + CAPS(IN_CONTROL));
    for (uint32_t left = GET(wb_data_tmask, in); left != 0; left &= left - 1u) {
        const uint32_t lane = set_lowest(left);
        uint64_t any = 0;
        memcpy(&any, data + lane * bytes, bytes);
        if (any != 0) {
            r->lanes[at] &= ~(1u << lane);
            o->ram_known = 0;
        }
    }
}

#endif

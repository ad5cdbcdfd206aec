/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step of a scoreboard of four warps, all of whose state is known: the warps side by side, and
 * no branch on what cannot be foretold. Part of model.c, which has the rules; for more
 * warps its loops over those that do something are as quick. Spec: vortex-issue §5.
 */
#ifndef WLK_VORTEX_SCOREBOARD_SETTLED_H
#define WLK_VORTEX_SCOREBOARD_SETTLED_H

#include "frame/fours.h"

/* A word of each of four warps, or the four words of an instruction. */
enum { GROUP = FOUR, WARPS = (1 << GROUP) - 1 };
_Static_assert(WLK_INSTR_WORDS == GROUP && CAPS(IN_STRIDE) == GROUP,
               "an instruction is four words");
_Static_assert(CAPS(OUT_SB_DATA) == GROUP, "and the first outputs are");

VX_INLINE four four_choose(four mask, four yes, four no) {
    return (yes & mask) | (no & ~mask);
}

/* All ones in the lanes of the low bits, and back. */
VX_INLINE four lanes_of(uint64_t set) {
    const four bit = {1, 2, 4, 8};
    return (four)((four_all(set) & bit) == bit);
}

/* Of two at once: those of the second one above the first's. */
VX_INLINE uint64_t sets_of(four low, four high) {
    return four_union((low & (four){1, 2, 4, 8}) | (high & (four){16, 32, 64, 128}));
}

/* ---- what an instruction needs, of four at once -------------------------------------------- */

/* The first two words of each, which have all that is asked here; side by side by shuffles, as
 * what is gathered on the stack is waited for. */
typedef struct group {
    four word[2];
} group;
_Static_assert(wlk_instr_word_wb == 0 && wlk_instr_word_used_rs == 0, "asks in word 0");
_Static_assert(wlk_instr_word_rd == 1 && wlk_instr_word_rs1 == 1, "registers in word 1");
_Static_assert(wlk_instr_word_rs2 == 1 && wlk_instr_word_rs3 == 1, "registers in word 1");

VX_INLINE group group_of(const uint64_t *instr) {
    const four a = four_of(instr), b = four_of(instr + GROUP);
    const four c = four_of(instr + 2 * GROUP), d = four_of(instr + 3 * GROUP);
    const four ab0 = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    const four ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const four cd0 = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const four cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    return (group){{__builtin_shufflevector(ab0, cd0, 0, 1, 4, 5),
                    __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5)}};
}

/* A register of each as a set, empty where the instruction does not ask for it. */
VX_INLINE four asked(const group *g, uint32_t asks_lsb, uint32_t reg_lsb) {
    return (g->word[0] >> asks_lsb & 1u) << (g->word[1] >> reg_lsb & 63u);
}

/* ---- the clock edge ------------------------------------------------------------------------ */

/* Registers in use and needed; returns the warps whose registers are free. */
VX_INLINE four registers_edge(state_t *st, const uint64_t *in, const cycle_t *c) {
    const four warp = {0, 1, 2, 3};
    const four accepts = lanes_of(c->ib_valid & c->ib_ready);
    const four freed = (four)(warp == four_all(c->wb_warp)) & c->released;
    const four taken = four_of(st->dest) & lanes_of(c->fire);
    const four inuse = (four_of(st->inuse) & ~freed) | taken;
    const group g = group_of(offered(in, 0));
    const four dest = asked(&g, wlk_instr_lsb_wb, wlk_instr_lsb_rd);
    const four sources = asked(&g, wlk_instr_lsb_used_rs, wlk_instr_lsb_rs1) |
                         asked(&g, wlk_instr_lsb_used_rs + 1u, wlk_instr_lsb_rs2) |
                         asked(&g, wlk_instr_lsb_used_rs + 2u, wlk_instr_lsb_rs3);
    const four need = four_choose(accepts, dest | sources, four_of(st->need));
    four_put(st->dest, four_choose(accepts, dest, four_of(st->dest)));
    four_put(st->need, need);
    four_put(st->inuse, inuse & ((uint64_t)c->reset - 1u));
    return (four)((inuse & need) == 0);
}

/* How long instructions have waited; returns the warps whose one has for too long. */
VX_INLINE four stalled_edge(state_t *st, const cycle_t *c) {
    const four waits = ~lanes_of(c->ib_ready) & ((uint64_t)c->reset - 1u);
    const four stalled = (four_of(st->stalled) + 1u) & waits;
    four_put(st->stalled, stalled);
    return (four)(stalled == WLK_VXSB_STALLS);
}

VX_INLINE void staging_edge(state_t *st, const uint64_t *in, const cycle_t *c) {
    const four loads = lanes_of(c->ib_ready);
    for (uint32_t w = 0; w < GROUP; w++) {
        uint64_t *staged = st->staging[w].instr;
        const four mask = four_all(loads[w]);
        four_put(staged, four_choose(mask, four_of(offered(in, w)), four_of(staged)));
    }
}

VX_INLINE void entry_put(wlk_vxsb_entry *to, const wlk_vxsb_entry *from, uint32_t wis) {
    four_put(to->instr, four_of(from->instr));
    to->wis = (uint8_t)wis;
}

/* As buffer_edge, with a branch on what moves most of the time. */
VX_INLINE void output_edge(state_t *st, const cycle_t *c) {
    wlk_vxsb_buffer *b = &st->out;
    const vx_flow f = vx_stream_flow(&b->s, c->last.valid, c->sb_ready);
    const wlk_vxsb_entry *from = &st->staging[c->last.winner];
    if (f.flow != 0 && b->s.ready != 0) {
        entry_put(&b->out, from, c->last.winner);
    } else if (f.flow != 0) {
        entry_put(&b->out, &b->spare, b->spare.wis);
    } else if (b->s.ready != 0) {
        entry_put(&b->spare, from, c->last.winner);
    }
    vx_stream_edge(&b->s, c->last.valid, f, c->reset);
}

VX_INLINE void edge_settled(state_t *st, const uint64_t *in, const cycle_t *c) {
    const uint64_t accepted = c->ib_valid & c->ib_ready;
    output_edge(st, c); /* takes what is staged before the edge */
    pointer_edge(st, LAST, &c->last, c->reset);
    const four unused = registers_edge(st, in, c);
    const uint64_t sets = sets_of(unused, stalled_edge(st, c));
    st->ready = sets & WARPS;
    if (sets > WARPS) { /* it breaks a rule until it leaves: not a step for this one */
        st->overdue = sets >> GROUP;
        st->settled = 0;
    }
    staging_edge(st, in, c);
    st->staged = ((st->staged & ~c->ib_ready) | accepted) & ((uint64_t)c->reset - 1u);
}

/* ---- the step ------------------------------------------------------------------------------ */

/* Nonzero where the outputs are not those of the cycle; the counters do not exist. */
VX_INLINE uint64_t outputs_differ(const cfg_t *cfg, const state_t *st, const cycle_t *c,
                                  const uint64_t *got) {
    uint64_t out[CAPS(OUT_SB_DATA)] = {0}, rest = 0;
    PUT(ib_ready, out, c->ib_ready);
    PUT(sb_valid, out, st->out.s.valid);
    PUT(sb_data_wis, out, st->out.out.wis);
    const four first = {out[0], out[1], out[2], out[3]};
    const four differs =
        (first ^ four_of(got)) | (four_of(st->out.out.instr) ^ four_of(got + CAPS(OUT_SB_DATA)));
    for (uint32_t w = CAPS(OUT_GROUP); w < out_words(cfg); w++) {
        rest |= got[w];
    }
    return rest | four_union(differs);
}

static int step_looking(const cfg_t *cfg, state_t *st, const wlk_view *in, const wlk_view *got,
                        wlk_step_info *info);

/* Of the default configuration: four warps, and the units with floating point. */
static __attribute__((noinline)) int step_settled(const cfg_t *cfg, state_t *st, const wlk_view *in,
                                                  const wlk_view *got, wlk_step_info *info) {
    cfg_t known = *cfg;
    cycle_t c;
    known.num_warps = GROUP;
    known.issue_width = 1;
    known.ext_f_enable = 1;
    known.ext_tcu_enable = 0;
    compute(&known, st, in->control, &c);
    if ((c.released & ~st->inuse[c.wb_warp]) != 0) { /* a rule is broken */
        return step_looking(cfg, st, in, got, info);
    }
    if (outputs_differ(&known, st, &c, got->control) != 0) {
        return 1;
    }
    edge_settled(st, in->control, &c);
    return 0;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vortex's collectors from a start without their reset. Packets leave one way, so a block that
 * shows none and is given none for some cycles is empty: from there on it is known, but for what
 * its registers hold. Spec: vortex-issue §4.2, §6.1, §6.5. The source includes frame/model.h first,
 * and defines cycle_t, compute() and edge_of(), by which cycles before are played again.
 */
#ifndef WLK_VORTEX_PACKET_LATE_H
#define WLK_VORTEX_PACKET_LATE_H

#include "opc_rules.h"

static inline void vx_late(wlk_vx_late *l) {
    memset(l, 0, sizeof *l);
    l->late = 1;
}

_Static_assert(CAPS(IN_CONTROL) <= WLK_VX_IN_WORDS, "inputs are kept");

/*
 * Before the edge of a cycle: was the block empty 1 + levels cycles before it? @p levels: buffers
 * and stages behind the collectors' own buffers. Each of them shows a cycle later what is in front
 * of it, and one that shows nothing takes what comes. So with no packet at the output from that
 * cycle to the next one, all of them had none then, nor had stage 2 of a collector, nor stage 1 one
 * that was all asked for. A collector that has taken its last instruction whole has no other and
 * asks for no operand.
 */
static inline bool vx_was_empty(const wlk_vx_late *l, const wlk_sight *seen, uint32_t collectors,
                                uint32_t levels) {
    const uint32_t all = set_below(collectors);
    const uint32_t next =
        NAMED(out_get_op_valid)(seen->next_known) & bit_not(NAMED(out_get_op_valid)(seen->next));
    return next != 0 && l->no_packet >= 2u + levels && (l->past_idle[levels] & all) == all;
}

/* What the outputs of a cycle show, before the question of vx_was_empty. */
static inline void vx_watch_output(wlk_vx_late *l, const wlk_sight *seen) {
    const uint32_t none =
        NAMED(out_get_op_valid)(seen->out_known) & bit_not(NAMED(out_get_op_valid)(seen->out));
    l->no_packet = none != 0 ? (uint8_t)wlk_min(l->no_packet + 1u, 255u) : 0;
}

/* What comes in, after it. @p chosen: the collector that it is for. */
static inline void vx_watch_input(wlk_vx_late *l, const wlk_sight *seen, uint32_t chosen) {
    const uint32_t valid = GET(sb_valid, seen->in), bit = UINT32_C(1) << chosen;
    const uint32_t taken =
        NAMED(out_get_sb_ready)(seen->out_known) & NAMED(out_get_sb_ready)(seen->out);
    memmove(l->past_idle + 1, l->past_idle, sizeof l->past_idle - sizeof l->past_idle[0]);
    memmove(l->past_in + 1, l->past_in, sizeof l->past_in - sizeof l->past_in[0]);
    l->past_idle[0] = l->idle;
    memcpy(l->past_in[0], seen->in, CAPS(IN_CONTROL) * sizeof l->past_in[0][0]);
    if (valid != 0) {
        l->idle = taken != 0 ? l->idle | bit : l->idle & ~bit;
    }
    if (GET(reset, seen->in)) {
        vx_late(l);
    }
}

/* The inputs of a cycle before; what they write is written. */
static inline const uint64_t *vx_past(const wlk_vx_late *l, uint32_t ago, uint64_t *words) {
    memcpy(words, l->past_in[ago], CAPS(IN_CONTROL) * sizeof *words);
    NAMED(in_set_wb_valid)(words, 0);
    return words;
}

/* The data of a past cycle, in which nothing is written. */
static const uint64_t VX_NO_DATA[WLK_VX_ROW_WORDS] = {0};

/* From a state that was empty 1 + levels cycles before this edge to the state before it. */
static inline void vx_replay(const cfg_t *cfg, state_t *st, uint32_t levels) {
    for (uint32_t ago = levels + 1u; ago > 0; ago--) {
        uint64_t in[CAPS(IN_CONTROL)];
        cycle_t c;
        compute(cfg, st, vx_past(&st->late, ago - 1u, in), &c);
        edge_of(cfg, st, in, VX_NO_DATA, &c);
    }
}

/* What banks have read in cycles before, of rows that may have been written since. */
static inline void vx_lose_reads(wlk_vx_collector *o) {
    memset(o->lanes, 0, sizeof o->lanes);
    memset(o->from, 0, sizeof o->from);
    for (uint32_t i = 0; i < sizeof o->out.entry / sizeof *o->out.entry; i++) {
        memset(o->out.entry[i].head.lanes, 0, sizeof o->out.entry[i].head.lanes);
        memset(o->out.entry[i].head.from, 0, sizeof o->out.entry[i].head.from);
    }
}

/* A collector that is empty; its register file stays as it is. */
static inline void vx_start(wlk_vx_collector *o) {
    memset(o, 0, sizeof *o);
    o->first = 1;
    o->tracks = 1;
    o->out.s.ready = 1;
    o->stage[0].source = o->stage[1].source = NO_SOURCE;
}

/* The output register, as it is shown. */
static inline void vx_learn_packet(const shape *s, wlk_vx_packet *to, const wlk_sight *seen,
                                   const uint64_t *all) {
    const uint32_t words = OPERANDS * s->words;
    if (!words_are_known(all, seen->out_known, 0, CAPS(OUT_CONTROL) + words)) {
        return;
    }
    memcpy(to->head.meta, seen->out, sizeof to->head.meta);
    NAMED(out_set_sb_ready)(to->head.meta, 0);
    NAMED(out_set_op_valid)(to->head.meta, 0);
    NAMED(out_set_perf_stalls)(to->head.meta, 0);
    memcpy(to->rows, seen->out + CAPS(OUT_CONTROL), words * sizeof *to->rows);
    memset(to->head.lanes, 0xff, sizeof to->head.lanes);
    to->head.known = 1;
}

static inline void vx_copy_lanes(uint64_t *to, const uint64_t *from, uint32_t lanes,
                                 uint32_t xlen) {
    const size_t bytes = xlen / 8u;
    for (; lanes != 0; lanes &= lanes - 1u) {
        const size_t lane = set_lowest(lanes) * bytes;
        memcpy((char *)to + lane, (const char *)from + lane, bytes);
    }
}

/* Lanes of an operand all of whose bits are there. */
static inline uint32_t vx_lanes_there(const shape *s, uint32_t xlen, const uint64_t *known) {
    const size_t bytes = xlen / 8u;
    uint32_t lanes = 0;
    for (uint32_t lane = 0; lane < s->simd; lane++) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)known + lane * bytes, bytes);
        lanes |= (uint32_t)(bits == wlk_mask(xlen)) << lane;
    }
    return lanes;
}

/* The packet that is shown tells its operands, and the rows that they were read from. */
static inline void vx_learn_operands(const shape *s, uint32_t xlen, wlk_vx_packet *p, const ram *r,
                                     const wlk_sight *seen) {
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const size_t at = CAPS(OUT_CONTROL) + (size_t)i * s->words;
        const uint32_t lanes = vx_lanes_there(s, xlen, seen->out_known + at);
        const uint32_t fresh = lanes & ~p->head.lanes[i], from = p->head.from[i];
        vx_copy_lanes(p->rows + (size_t)i * s->words, seen->out + at, fresh, xlen);
        p->head.lanes[i] |= fresh;
        if (from != 0) {
            const uint32_t missing = lanes & ~r->lanes[from - 1u];
            vx_copy_lanes(r->rows + (size_t)(from - 1u) * s->words, seen->out + at, missing, xlen);
            r->lanes[from - 1u] |= missing;
        }
    }
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the models of BOOM's two dispatchers have in common: targets of uops, what a queue shows,
 * and coverage points. Their tables have the same ports. Spec: boom-dispatch.
 */
#ifndef WLK_BOOM_DISPATCH_H
#define WLK_BOOM_DISPATCH_H

#include "boom/compact.h"
#include "frame/bits.h"

static const uint64_t zeros[CAPS(MAX_PAYLOAD_WORDS)] = {0};

static inline bool is_queue(const cfg_t *cfg, uint32_t q) {
    return q < CAPS(QUEUES_MOST) && cfg->queues[q].dispatch_width != 0;
}

/* Does the uop of position w, valid or not, use queue q? Targets of a uop, rules 1 and 2. */
static inline bool uses(const cfg_t *cfg, const in_t *in, uint32_t w, uint32_t q) {
    const uint32_t type = cfg->queues[q].type;
    if (cfg->encoding == CAPS(ENCODING_V3)) {
        return (in->ren_uops[w].bits.iq_type & type) != 0;
    }
    switch (type) {
    case 0:
        return in->ren_uops[w].bits.iq_type_0;
    case 1:
        return in->ren_uops[w].bits.iq_type_1;
    case 2:
        return in->ren_uops[w].bits.iq_type_2;
    default:
        return in->ren_uops[w].bits.iq_type_3;
    }
}

/* Place j of queue q shows the target and the payload of position w; zeros where w is NONE. */
static inline void show_bits(const cfg_t *cfg, const in_t *in, out_t *out, care_t *care, uint32_t q,
                             uint32_t j, uint32_t w) {
    if (cfg->encoding == CAPS(ENCODING_V3)) {
        SHOW(dis_uops[q][j].bits.iq_type, w != NONE ? in->ren_uops[w].bits.iq_type : 0);
    } else {
        SHOW(dis_uops[q][j].bits.iq_type_0, w != NONE && in->ren_uops[w].bits.iq_type_0);
        SHOW(dis_uops[q][j].bits.iq_type_1, w != NONE && in->ren_uops[w].bits.iq_type_1);
        SHOW(dis_uops[q][j].bits.iq_type_2, w != NONE && in->ren_uops[w].bits.iq_type_2);
        SHOW(dis_uops[q][j].bits.iq_type_3, w != NONE && in->ren_uops[w].bits.iq_type_3);
    }
    if (w != NONE) {
        SHOW_WORDS(dis_uops[q][j].bits.payload, in->ren_uops[w].bits.payload);
    } else {
        SHOW_WORDS(dis_uops[q][j].bits.payload, zeros);
    }
}

/* ---- coverage points ------------------------------------------------------------------------- */

/* A cycle as sets that have a bit for each position, the last two for each queue. */
typedef struct uops {
    uint32_t all, valid, ready;
    uint32_t target;        /* uops with any target, valid or not */
    uint32_t leaves;        /* that some queue takes */
    uint32_t once, twice;   /* that use a queue, and another one */
    uint32_t moving, stuck; /* queues that take something, or nothing of what they are given */
} uops;

/* The same of a queue, whose sets have a bit for each place; `uses` for each position. */
typedef struct queue {
    uint32_t k, valid, ready, uses;
} queue;

static inline void see_queue(const cfg_t *cfg, const in_t *in, const out_t *out, uint32_t q,
                             queue *seen) {
    seen->k = cfg->queues[q].dispatch_width;
    seen->valid = seen->ready = seen->uses = 0;
    for (uint32_t j = 0; j < seen->k; j++) {
        seen->valid |= (uint32_t)out->dis_uops[q][j].valid << j;
        seen->ready |= (uint32_t)in->dis_uops[q][j].ready << j;
    }
    for (uint32_t w = 0; w < cfg->core_width; w++) {
        seen->uses |= (uint32_t)uses(cfg, in, w, q) << w;
    }
}

static inline void see_uops(const cfg_t *cfg, const in_t *in, const out_t *out, uops *seen) {
    const uops nothing = {0};
    *seen = nothing;
    seen->all = set_below(cfg->core_width);
    for (uint32_t w = 0; w < cfg->core_width; w++) {
        const bool is_v3 = cfg->encoding == CAPS(ENCODING_V3);
        const uint32_t any = in->ren_uops[w].bits.iq_type_0 | in->ren_uops[w].bits.iq_type_1 |
                             in->ren_uops[w].bits.iq_type_2 | in->ren_uops[w].bits.iq_type_3;
        seen->valid |= (uint32_t)in->ren_uops[w].valid << w;
        seen->ready |= (uint32_t)out->ren_uops[w].ready << w;
        seen->target |= (uint32_t)((is_v3 ? in->ren_uops[w].bits.iq_type : any) != 0) << w;
    }
}

/* Coverage points of both dispatchers; `from`: the position that each place of a queue shows. */
static inline uint64_t common_events(const cfg_t *cfg, const in_t *in, const out_t *out,
                                     uint8_t from[][MOST]) {
    queue first = {0}, seen;
    uops u;
    see_uops(cfg, in, out, &u);
    for (uint32_t q = 0; is_queue(cfg, q); q++) {
        see_queue(cfg, in, out, q, &seen);
        if (q == 0) {
            first = seen;
        }
        const uint32_t takes = seen.valid & seen.ready;
        u.stuck |= (uint32_t)(seen.valid != 0 && takes == 0) << q;
        u.moving |= (uint32_t)(takes != 0) << q;
        u.twice |= u.once & seen.uses;
        u.once |= seen.uses;
        for (uint32_t j = 0; j < seen.k; j++) {
            u.leaves |= set_has(takes, j) ? 1u << from[q][j] : 0u;
        }
    }
    const uint32_t idle = ~u.valid & u.all, nowhere = u.valid & ~u.once;
    const uint32_t taken = u.valid & u.ready, waits = u.valid & ~u.ready;
    const uint32_t not_ready = ~first.ready & set_below(first.k);
    const bool partly = (first.valid & first.ready) != 0 && (first.valid & ~first.ready) != 0;
    return ((u.valid & u.twice) != 0 ? EVENT(BOTH_QUEUES) : 0u) |
           ((u.leaves & u.twice & ~u.ready) != 0 ? EVENT(TWO_CYCLES) : 0u) |
           (nowhere != 0 ? EVENT(NO_QUEUE) : 0u) |
           ((nowhere & u.ready) != 0 ? EVENT(NO_QUEUE_READY) : 0u) |
           (u.stuck != 0 && u.moving != 0 ? EVENT(QUEUE_STUCK) : 0u) |
           (set_is_behind(first.ready, not_ready) ? EVENT(READY_NOT_CONTIGUOUS) : 0u) |
           (partly ? EVENT(QUEUE_PARTLY) : 0u) |
           ((idle & u.target) != 0 ? EVENT(IDLE_WITH_TARGET) : 0u) |
           (set_is_behind(u.valid, idle) ? EVENT(GAP) : 0u) |
           (set_is_behind(taken, waits) ? EVENT(YOUNGER_READY) : 0u) |
           (taken == u.all ? EVENT(ALL_TAKEN) : 0u) | (u.valid == 0 ? EVENT(NONE) : 0u);
}

#endif

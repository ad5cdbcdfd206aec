/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What BOOM's two dispatchers have in common: uops in, queues, record words, coverage points. Their
 * tables have the same ports. Spec: boom-dispatch.
 *
 * The source defines before including this:
 *   what frame/model.h does
 * and after it:
 *   route(cfg, q, uops, queue)      what queue q shows and lets in
 *   own_events(cfg, cycle)          coverage points that only this dispatcher has
 */
#ifndef WLK_DISPATCH_BODY_H
#define WLK_DISPATCH_BODY_H

#include "boom/compactor/rules.h"

#define EACH_QUEUE(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

enum { MOST = COMPACTOR_MOST, TARGETS = 4, OUT_WORDS = CAPS(OUT_CONTROL) + MOST * MOST * 16 };

/* What comes from rename: sets have a bit for each position. */
typedef struct uops {
    uint32_t n, valid;
    uint32_t target[TARGETS]; /* the positions that show this bit of the target */
    uint32_t iq_type;         /* as the record has it: 3 bits a position */
} uops;

/* An issue queue. */
typedef struct queue {
    uint32_t type, k;
    uint32_t uses;  /* the positions that show it as a target, valid or not */
    uint32_t ready; /* its places that take a uop */
    uint32_t rdy;   /* the positions that it does not hold up */
    compactor_cycle c;
} queue;

typedef struct cycle {
    uops u;
    uint32_t n_queues;
    uint32_t ren_ready;
    queue q[MOST];
} cycle;

/* Inlined eight times, of which most are not reached: a call costs as much as the work. */
static inline __attribute__((always_inline)) void route(const cfg_t *cfg, const uops *u, queue *q);
static uint64_t own_events(const cfg_t *cfg, const cycle *c);

/* Bit 0 of each of eight masks of three bits, side by side. */
static inline uint32_t every_third(uint32_t masks) {
    uint32_t set = masks & 0x249249u;
    set = (set | set >> 2) & 0x0c30c3u;
    set = (set | set >> 4) & 0x00f00fu;
    return (set | set >> 8) & 0xffu;
}

static inline void read_uops(const cfg_t *cfg, const uint64_t *in, uops *u) {
    const uint32_t iq_type = GET(ren_uops_bits_iq_type, in);
    u->n = cfg->core_width;
    u->valid = GET(ren_uops_valid, in);
    u->iq_type = iq_type;
    if (cfg->encoding == 0) {
        u->target[0] = every_third(iq_type);
        u->target[1] = every_third(iq_type >> 1);
        u->target[2] = every_third(iq_type >> 2);
        u->target[3] = 0;
    } else {
        u->target[0] = GET(ren_uops_bits_iq_type_0, in);
        u->target[1] = GET(ren_uops_bits_iq_type_1, in);
        u->target[2] = GET(ren_uops_bits_iq_type_2, in);
        u->target[3] = GET(ren_uops_bits_iq_type_3, in);
    }
}

/* v3: any bit in common is enough; v4: the type is the number of a bit. */
static inline uint32_t uses(const cfg_t *cfg, const uops *u, uint32_t type) {
    if (cfg->encoding != 0) {
        return u->target[type % TARGETS];
    }
    return (u->target[0] & bit_all(type & 1u)) | (u->target[1] & bit_all(type >> 1 & 1u)) |
           (u->target[2] & bit_all(type >> 2 & 1u));
}

#define ROUTE(number)                                                                              \
    if (list[(number)*CAPS(QUEUES_STRIDE) + 1u] == 0) {                                            \
        return;                                                                                    \
    }                                                                                              \
    c->q[number].type = list[(number)*CAPS(QUEUES_STRIDE)];                                        \
    c->q[number].k = list[(number)*CAPS(QUEUES_STRIDE) + 1u];                                      \
    c->q[number].ready = GET(dis_uops_##number##_ready, in);                                       \
    c->q[number].uses = uses(cfg, &c->u, c->q[number].type);                                       \
    route(cfg, &c->u, &c->q[number]);                                                              \
    c->ren_ready &= c->q[number].rdy;                                                              \
    c->n_queues = (number) + 1u;

static inline void compute(const cfg_t *cfg, const uint64_t *in, cycle *c) {
    const uint32_t *list = (const uint32_t *)cfg + CAPS(QUEUES_FIRST);
    read_uops(cfg, in, &c->u);
    c->ren_ready = set_below(c->u.n);
    c->n_queues = 0;
    EACH_QUEUE(ROUTE)
}

/* Fields of @p width bits side by side, each place of the queue with what it shows. */
static inline uint64_t shown(const queue *q, uint32_t values, uint32_t width) {
    uint64_t all = 0;
    if (q->c.wires) {
        return values;
    }
    for (uint32_t j = 0; j < q->k; j++) {
        const uint64_t value = (uint64_t)values >> (q->c.from[j] * width) & ((1u << width) - 1u);
        all |= value << (j * width); // of COMPACTOR_NONE there is nothing
    }
    return all;
}

#define PUT_QUEUE(number)                                                                          \
    if (c->n_queues <= (number)) {                                                                 \
        return;                                                                                    \
    }                                                                                              \
    q = &c->q[number];                                                                             \
    PUT(dis_uops_##number##_valid, out, (uint64_t)q->c.out_valid);                                 \
    if (cfg->encoding == 0) {                                                                      \
        PUT(dis_uops_##number##_bits_iq_type, out, shown(q, c->u.iq_type, 3));                     \
    } else {                                                                                       \
        PUT(dis_uops_##number##_bits_iq_type_0, out, shown(q, c->u.target[0], 1));                 \
        PUT(dis_uops_##number##_bits_iq_type_1, out, shown(q, c->u.target[1], 1));                 \
        PUT(dis_uops_##number##_bits_iq_type_2, out, shown(q, c->u.target[2], 1));                 \
        PUT(dis_uops_##number##_bits_iq_type_3, out, shown(q, c->u.target[3], 1));                 \
    }

/* The control words, into words that are 0. */
static inline void put_control(const cfg_t *cfg, const cycle *c, uint64_t *out) {
    const queue *q = NULL;
    PUT(ren_uops_ready, out, (uint64_t)c->ren_ready);
    EACH_QUEUE(PUT_QUEUE)
}

static void outputs(const cfg_t *cfg, const uint64_t *in, uint64_t *out) {
    const uint32_t words = cfg->payload_words;
    uint64_t *payload = out + CAPS(OUT_CONTROL);
    cycle c;
    compute(cfg, in, &c);
    memset(out, 0, CAPS(OUT_CONTROL) * sizeof *out);
    put_control(cfg, &c, out);
    for (uint32_t i = c.n_queues; i-- > 0;) { // as in the module: the highest first
        compactor_payload(&c.q[i].c, c.q[i].k, words, in + CAPS(IN_CONTROL), payload);
        payload += c.q[i].k * words;
    }
}

static uint64_t differs(const cfg_t *cfg, const uint64_t *in, const uint64_t *got) {
    const uint32_t words = cfg->payload_words;
    const uint64_t *payload = got + CAPS(OUT_CONTROL);
    uint64_t out[CAPS(OUT_CONTROL)] = {0};
    compactor_difference d = {0};
    cycle c;
    compute(cfg, in, &c);
    put_control(cfg, &c, out);
    for (uint32_t i = c.n_queues; i-- > 0;) {
        const queue *q = &c.q[i];
        compactor_compare_payload(&d, &q->c, q->k, words, in + CAPS(IN_CONTROL), payload);
        payload += q->k * words;
    }
    for (uint32_t w = 0; w < CAPS(OUT_CONTROL); w++) { // written one by one: no rows
        d.words |= out[w] ^ got[w];
    }
    return compactor_any(&d);
}

#include "dispatch_cover.h"

#include "frame/comb.h"

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* BOOM's Compactor: which input each output shows. Spec: boom-dispatch, Compactor. */
#ifndef WLK_COMPACTOR_RULES_H
#define WLK_COMPACTOR_RULES_H

#include <string.h>

#include "frame/bits.h"
#include "warplock/block.h"

enum { COMPACTOR_MOST = 8, COMPACTOR_NONE = COMPACTOR_MOST };

/* A cycle; sets have a bit for each input or output. */
typedef struct compactor_cycle {
    uint32_t in_ready, out_valid;
    bool wires;                   /* as many outputs as inputs: each shows its own, valid or not */
    uint8_t from[COMPACTOR_MOST]; /* else: the input that an output shows; COMPACTOR_NONE: zeros */
} compactor_cycle;

/*
 * Output j shows the j-th valid input. It is the output also of the idle inputs before that one:
 * each output has a run of inputs, and its ready is that of the whole run. After the last run
 * no input is ready. All depends on valid, not on fire.
 */
static inline void compactor_pack(uint32_t n, uint32_t k, uint32_t valid, uint32_t ready,
                                  compactor_cycle *c) {
    uint32_t left = valid, done = ~set_below(n), in_ready = 0, out_valid = 0;
    memset(c->from, COMPACTOR_NONE, sizeof c->from);
    for (uint32_t j = 0; j < k; j++) {
        const uint32_t run = (left ^ (left - 1u)) & ~done; // with nothing left: the rest
        in_ready |= run & bit_all(ready >> j & 1u);
        out_valid |= (uint32_t)(left != 0) << j;
        c->from[j] = (uint8_t)set_lowest(left | 1u << COMPACTOR_NONE);
        done |= run;
        left &= left - 1u;
    }
    c->in_ready = in_ready;
    c->out_valid = out_valid;
}

static inline void compactor_route(uint32_t n, uint32_t k, uint32_t valid, uint32_t ready,
                                   compactor_cycle *c) {
    c->wires = n == k;
    if (c->wires) {
        c->in_ready = ready;
        c->out_valid = valid;
    } else {
        compactor_pack(n, k, valid, ready, c);
    }
}

/* The input that output j shows, or COMPACTOR_NONE. */
static inline uint32_t compactor_from(const compactor_cycle *c, uint32_t j) {
    return c->wires ? j : c->from[j];
}

/* The payloads of k outputs: @p words of each input that is shown, or zeros. */
static inline void compactor_payload(const compactor_cycle *c, uint32_t k, uint32_t words,
                                     const uint64_t *in, uint64_t *out) {
    for (uint32_t j = 0; j < k; j++, out += words) {
        const uint32_t from = compactor_from(c, j);
        if (from == COMPACTOR_NONE) {
            memset(out, 0, words * sizeof *out);
        } else {
            memcpy(out, in + (size_t)from * words, words * sizeof *out);
        }
    }
}

typedef uint64_t compactor_row __attribute__((vector_size(32)));
typedef compactor_row compactor_words __attribute__((aligned(8), may_alias)); /* anywhere */

/* Bits that differ somewhere so far: what is compared ends in one look. */
typedef struct compactor_difference {
    compactor_row rows;
    uint64_t words;
} compactor_difference;

static inline uint64_t compactor_any(const compactor_difference *d) {
    return d->rows[0] | d->rows[1] | d->rows[2] | d->rows[3] | d->words;
}

/* @p n words of @p a, of which @p mask shows all or nothing, against those of @p b. */
static inline void compactor_compare(compactor_difference *d, const uint64_t *a, const uint64_t *b,
                                     uint64_t mask, uint32_t n) {
    const compactor_row masks = {mask, mask, mask, mask};
    if (n < 4) {
        d->words |= (a[0] & mask) ^ b[0];
        d->words |= n > 1 ? (a[1] & mask) ^ b[1] : 0u;
        d->words |= n > 2 ? (a[2] & mask) ^ b[2] : 0u;
        return;
    }
    const uint64_t *last_a = a + n - 4u, *last_b = b + n - 4u;
    for (; a < last_a; a += 4, b += 4) {
        d->rows |= (*(const compactor_words *)a & masks) ^ *(const compactor_words *)b;
    }
    // The last row may begin among words that have been compared.
    d->rows |= (*(const compactor_words *)last_a & masks) ^ *(const compactor_words *)last_b;
}

/* The payloads of k outputs against those that @p got shows. */
static inline void compactor_compare_payload(compactor_difference *d, const compactor_cycle *c,
                                             uint32_t k, uint32_t words, const uint64_t *in,
                                             const uint64_t *got) {
    if (c->wires) {
        compactor_compare(d, in, got, ~UINT64_C(0), k * words);
        return;
    }
    for (uint32_t j = 0; j < k; j++, got += words) {
        // No branch on what is random: without an input the first one is masked.
        const uint64_t mask = (uint64_t)0 - (c->out_valid >> j & 1u);
        const uint64_t *source = in + (size_t)(c->from[j] % COMPACTOR_NONE) * words;
        compactor_compare(d, source, got, mask, words);
    }
}

#endif

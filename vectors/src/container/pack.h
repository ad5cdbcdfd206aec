/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file pack.h
 * The hot part of the writer: which words of a record changed, as literals and repeats of earlier
 * literals. Spec: docs/record-format.md, "Chunk".
 */
#ifndef WARPLOCK_PACK_H
#define WARPLOCK_PACK_H

#include "container.h"

#include <stdbool.h>

enum {
    HASH_BITS = 16,
    PACK_AHEAD = 8, /* words that packing may write past the literals */
};

/** The records of a chunk, packed. */
typedef struct packer {
    wlk_vec_shape shape;
    bool search_inputs; /* inputs are new as a rule, outputs often what was an input */
    uint64_t *before;   /* the last record */
    uint64_t *history;  /* a zero, then the literals; MAX_LITERALS + 1 + PACK_AHEAD words */
    lengths *runs;      /* MAX_SEQUENCES */
    uint16_t *sources;  /* MAX_SEQUENCES */
    uint16_t *table;    /* 1 << HASH_BITS: hash of a word -> its newest place, else 0 */
    uint32_t history_len;
    uint32_t sequences;
    uint32_t source_count;
    uint32_t literal_len; /* literals that no sequence holds yet */
} packer;

/**
 * Pack a record and write its change map. It takes at most as many literals and sequences as it
 * has words, and a sequence for literals that were open; the caller sees that there is room.
 */
typedef void wlk_vec_pack(packer *p, const uint64_t *in, const uint64_t *out, const uint64_t *care,
                          uint8_t *map);

/** The fastest for this processor. */
wlk_vec_pack *wlk_vec_best_pack(void);

/** For any processor. */
wlk_vec_pack wlk_vec_pack_any;

/** Take the buffers, and give them back; false: out of memory. The latter is due in any case. */
bool wlk_vec_pack_open(packer *p, const wlk_vec_shape *shape);
void wlk_vec_pack_close(packer *p);

/** Start a chunk. */
void wlk_vec_pack_start(packer *p);

/** End a chunk: put literals that are still open into a sequence. */
void wlk_vec_pack_end(packer *p);

#endif

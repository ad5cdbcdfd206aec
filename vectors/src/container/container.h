/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file container.h
 * Layout of a vector file, shared by its writer and its reader. Spec: docs/record-format.md.
 */
#ifndef WARPLOCK_CONTAINER_H
#define WARPLOCK_CONTAINER_H

#include "warplock/vectors.h"

#include <stdint.h>
#include <string.h>

/* Words go to the file as they lie in memory. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "vector files need a little-endian host");

enum {
    FILE_HEADER_BYTES = 32,
    CHUNK_HEADER_BYTES = 56,
    INDEX_HEADER_BYTES = 24,
    INDEX_ENTRY_BYTES = 16,
    TRAILER_BYTES = 24,
    MAGIC_BYTES = 8,

    MAX_RECORDS = 4096,      /* records of a chunk */
    MAX_LITERALS = 65535,    /* so that a source, which counts the zero before them, has 16 bits */
    MAX_SEQUENCES = 65536,   /* sequences of a chunk */
    MAX_MAP_BYTES = 1 << 20, /* change maps of a chunk */
    MAX_RUN = 255,           /* literals or repeats of a sequence */
};

/** Bytes at the start, in the manner of PNG: a transfer in text mode damages them. */
#define FILE_MAGIC  "\x89WLV\r\n\x1a\n"
#define INDEX_MAGIC "WLKINDEX"
#define END_MAGIC   "WLKVEND\n"
#define CHUNK_TAG   0x4b4e4843u /* "CHNK" */

/** The parts of a chunk, in the order in which they lie in the file. */
enum plane { PLANE_LITERALS, PLANE_SOURCES, PLANE_LENGTHS, PLANE_MAPS, PLANES };

enum codec { CODEC_RAW = 0, CODEC_ZSTD = 1 };

/** Sequence: `literals` new words, then `repeats` words of the history. */
typedef struct lengths {
    uint8_t literals;
    uint8_t repeats;
} lengths;
_Static_assert(sizeof(lengths) == 2, "lengths lie in the file as in memory");

static inline uint32_t record_words(const wlk_vec_shape *shape) {
    return shape->in_words + 2 * shape->out_words;
}

/** Bytes of a record's change map: each of the three parts starts in a byte of its own. */
static inline uint32_t map_bytes(const wlk_vec_shape *shape) {
    return (shape->in_words + 7) / 8 + 2 * ((shape->out_words + 7) / 8);
}

/** Records that a chunk of this shape may hold. */
static inline uint32_t max_records(const wlk_vec_shape *shape) {
    uint32_t fit = (uint32_t)MAX_MAP_BYTES / map_bytes(shape);
    return fit < MAX_RECORDS ? fit : MAX_RECORDS;
}

static inline int shape_ok(const wlk_vec_shape *shape) {
    uint64_t words = (uint64_t)shape->in_words + 2 * (uint64_t)shape->out_words;
    return words >= 1 && words <= WLK_VEC_MAX_WORDS;
}

static inline void put32(uint8_t *to, uint32_t value) {
    memcpy(to, &value, sizeof value);
}

static inline void put64(uint8_t *to, uint64_t value) {
    memcpy(to, &value, sizeof value);
}

static inline uint32_t get32(const uint8_t *from) {
    uint32_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline uint64_t get64(const uint8_t *from) {
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file container.h
 * Layout of a vector file, shared by its writer and its reader. Spec: docs/record-format.md.
 */
#ifndef WARPLOCK_CONTAINER_H
#define WARPLOCK_CONTAINER_H

#include "warplock/vectors.h"

#include <libdeflate.h>
#include <stdint.h>
#include <string.h>

/* Words and headers go to the file as they lie in memory. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "vector files need a little-endian host");

enum {
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

/** Start of the file; the header text follows. */
typedef struct file_header {
    char magic[MAGIC_BYTES];
    uint32_t version;
    uint32_t text_bytes;
    uint32_t in_words, out_words;
    uint32_t zero;
    uint32_t crc; /* of what is before it, and of the text */
} file_header;
_Static_assert(sizeof(file_header) == 32, "a header lies in the file as in memory");

/** Start of a chunk; the stored planes follow. */
typedef struct chunk_header {
    uint32_t tag;
    uint32_t crc; /* of what is behind it, and of the planes */
    uint64_t first;
    uint32_t records;
    uint8_t codec[PLANES];
    uint32_t raw[PLANES], stored[PLANES]; /* bytes */
} chunk_header;
_Static_assert(sizeof(chunk_header) == 56, "a header lies in the file as in memory");

/** Start of the index; an entry for each chunk follows. */
typedef struct index_header {
    char magic[MAGIC_BYTES];
    uint64_t chunks, cycles;
} index_header;

typedef struct index_entry {
    uint64_t offset; /* of the chunk in the file */
    uint64_t first;  /* cycle of its first record */
} index_entry;

/** End of the file. */
typedef struct trailer {
    uint64_t index_offset;
    uint32_t index_crc;
    uint32_t zero;
    char magic[MAGIC_BYTES];
} trailer;
_Static_assert(sizeof(index_header) == 24 && sizeof(index_entry) == 16 && sizeof(trailer) == 24,
               "index and trailer lie in the file as in memory");

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

/** Take more bytes into a checksum; none is no pointer to libdeflate. */
static inline uint32_t crc_bytes(uint32_t crc, const void *bytes, size_t size) {
    return size != 0 ? libdeflate_crc32(crc, bytes, size) : crc;
}

/** Checksum of a file's header, before that of the text. */
static inline uint32_t crc_file_header(const file_header *header) {
    return libdeflate_crc32(0, header, offsetof(file_header, crc));
}

/** Checksum of a chunk's header, before that of the planes. */
static inline uint32_t crc_chunk_header(const chunk_header *header) {
    return libdeflate_crc32(0, &header->first, sizeof *header - offsetof(chunk_header, first));
}

#endif

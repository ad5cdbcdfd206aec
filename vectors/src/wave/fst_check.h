/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds-checked view of an FST file. fstapi trusts every length and offset in the file and
 * crashes, loops or exits on a damaged one, so nothing reaches it that this has not walked.
 * It also reads the hierarchy: fstapi would write a temporary file beside the recording for that.
 */
#ifndef WARPLOCK_FST_CHECK_H
#define WARPLOCK_FST_CHECK_H

#include "source.h"
#include "warplock/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct wlk_fst_block {
    uint64_t pos; /* of the 8-byte length, after the type byte */
    uint64_t len; /* from pos to the end of the block */
    uint8_t type;
} wlk_fst_block;

typedef struct wlk_fst {
    const char *name;    /* as the user knows the file, for messages */
    const uint8_t *data; /* the mapped file */
    void *map;
    uint64_t size;
    wlk_fst_block *blocks;
    size_t num_blocks;
    const wlk_fst_block *geometry, *hierarchy;
    uint64_t start, end;
    int exponent; /* time unit: 10^exponent s */
    uint32_t max_handle;
    uint32_t *widths; /* [handle - 1]: bits, or bytes of a real; 0 = string */
    uint8_t *reals;   /* [handle - 1] */
} wlk_fst;

/* Reads bytes that may end anywhere. */
typedef struct wlk_fst_cursor {
    const uint8_t *at, *end;
} wlk_fst_cursor;

/* LEB128 as fstapi reads it, of at most max_bytes; false at the end of the bytes. */
bool wlk_fst_varint(wlk_fst_cursor *cursor, int max_bytes, uint64_t *value);
bool wlk_fst_svarint(wlk_fst_cursor *cursor, int64_t *value);
uint64_t wlk_fst_u64(const uint8_t *bytes); /* big-endian */

/* Unpack exactly dst_len bytes, packed by zlib or by LZ4. */
bool wlk_fst_inflate(const uint8_t *src, uint64_t src_len, uint8_t *dst, uint64_t dst_len);
bool wlk_fst_unpack_lz4(const uint8_t *src, uint64_t src_len, uint8_t *dst, uint64_t dst_len);
/* As wlk_fst_inflate; equal lengths mean that they are stored as they are. */
bool wlk_fst_unpack(const uint8_t *src, uint64_t src_len, uint8_t *dst, uint64_t dst_len);
/* Whether src_len bytes of deflate can hold dst_len at all: keeps allocations sane. */
bool wlk_fst_ratio_ok(uint64_t src_len, uint64_t dst_len);

/* Message for damage at a byte of the file. */
wlk_status wlk_fst_damaged(const wlk_fst *fst, const uint8_t *at, const char *what, wlk_error *err);

/* Map the file and check blocks, header and geometry. wlk_fst_unmap in any case. */
wlk_status wlk_fst_map(wlk_fst *fst, const char *path, const char *name, wlk_error *err);
void wlk_fst_unmap(wlk_fst *fst);

wlk_status wlk_fst_visit(const wlk_fst *fst, const wlk_visitor *visitor, wlk_error *err);

/* Bits of a handle; 0 if it holds none. */
uint32_t wlk_fst_bits(const wlk_fst *fst, uint32_t handle);

/* Walk all value changes of the handles with wanted[handle] != 0; gives up early on *stop. */
wlk_status wlk_fst_check_values(const wlk_fst *fst, const uint8_t *wanted, atomic_bool *stop,
                                wlk_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file vectors.h
 * Vector files: the records of one block, one record a cycle, on disk.
 *
 * A record is `in[in_words]`, `out[out_words]` (expected) and `care[out_words]` (bit 1 = must
 * match), in 64-bit words. The format is docs/record-format.md. Reading and writing stream: memory
 * does not grow with the number of cycles, but for 16 bytes a chunk in the writer.
 *
 * Handles are not shared between threads. Every call that fails fills @p err (which may be NULL)
 * with one line that names the file.
 */
#ifndef WARPLOCK_VECTORS_H
#define WARPLOCK_VECTORS_H

#include "warplock/error.h"

#include <stdbool.h>
#include <stdint.h>

WLK_BEGIN_DECLS

/** Version of the file format that this library writes and the only one it reads. */
#define WLK_VEC_VERSION 1u
/** Most words in a record: in_words + 2 * out_words. */
#define WLK_VEC_MAX_WORDS 32768u
/** Most bytes of header text. */
#define WLK_VEC_MAX_HEADER (1u << 20)

/** Words of a record. The record, in_words + 2 * out_words, has 1..WLK_VEC_MAX_WORDS words. */
typedef struct wlk_vec_shape {
    uint32_t in_words;
    uint32_t out_words; /**< and as many care words */
} wlk_vec_shape;

typedef struct wlk_vec_writer wlk_vec_writer;
typedef struct wlk_vec_reader wlk_vec_reader;

/**
 * Start a vector file. Data goes to a file "PATH.*.partial" of its own, which wlk_vec_finish()
 * renames to @p path.
 *
 * @param replace false: USAGE when a file of that name is there, now or at the end.
 * @param header_json text for readers (block, schema hash, parameters, model version, seed, ...),
 *        1..WLK_VEC_MAX_HEADER bytes, copied into the file as it is.
 * @param[out] writer the caller's, to give to wlk_vec_finish() or wlk_vec_abort(); NULL on failure.
 * @return WLK_OK; WLK_USAGE for a shape or text out of range, or when @p path may not be replaced;
 * WLK_NO_FILE when the file cannot be made; WLK_NO_SPACE; WLK_NO_MEMORY.
 */
wlk_status wlk_vec_create(wlk_vec_writer **writer, const char *path, const wlk_vec_shape *shape,
                          const char *header_json, bool replace, wlk_error *err);

/**
 * Take the smallest file instead of the fastest writing: strong compression, tens of times slower.
 * For files that live in a repository. From the current chunk on.
 */
void wlk_vec_compact(wlk_vec_writer *writer);

/**
 * Append one cycle. The arrays are the caller's and are read before the call returns.
 *
 * @return WLK_OK, or WLK_NO_SPACE; after a failure every later write and the finish fail too.
 */
wlk_status wlk_vec_write(wlk_vec_writer *writer, const uint64_t *in, const uint64_t *out,
                         const uint64_t *care, wlk_error *err);

/**
 * Complete the file and give it its name. Frees @p writer always. On failure nothing of it is left
 * and whatever had the name @p path before is untouched.
 *
 * @return WLK_OK; WLK_USAGE when somebody else has made @p path meanwhile, after wlk_vec_create();
 *         WLK_NO_SPACE; WLK_NO_MEMORY.
 */
wlk_status wlk_vec_finish(wlk_vec_writer *writer, wlk_error *err);

/** Remove the partial file and free @p writer (NULL: nothing). */
void wlk_vec_abort(wlk_vec_writer *writer);

/**
 * Open a vector file and check its header and its index. Chunks are checked as they are read.
 *
 * @param[out] reader the caller's, to give to wlk_vec_close(); NULL on failure.
 * @return WLK_OK; WLK_NO_FILE; WLK_TRUNCATED when the end is missing; WLK_CORRUPT;
 *         WLK_BAD_VERSION; WLK_NO_MEMORY.
 */
wlk_status wlk_vec_open(wlk_vec_reader **reader, const char *path, wlk_error *err);

/** Header text, terminated; lives as long as @p reader. */
const char *wlk_vec_header(const wlk_vec_reader *reader);

/** Words of a record. */
wlk_vec_shape wlk_vec_get_shape(const wlk_vec_reader *reader);

/** Cycles in the file. */
uint64_t wlk_vec_cycles(const wlk_vec_reader *reader);

/**
 * Read the next cycle; after the last one, WLK_OK with all three pointers NULL.
 *
 * @param[out] in,out,care the reader's, valid until the next call with @p reader. NULL on failure.
 * @return WLK_OK; WLK_CORRUPT; WLK_TRUNCATED or WLK_NO_FILE when the file changed since the open.
 *         After a failure only wlk_vec_seek() and wlk_vec_close() make sense.
 */
wlk_status wlk_vec_read(wlk_vec_reader *reader, const uint64_t **in, const uint64_t **out,
                        const uint64_t **care, wlk_error *err);

/**
 * Make @p cycle (0..wlk_vec_cycles()) the next one that wlk_vec_read() gives.
 *
 * @return as wlk_vec_read(), or WLK_USAGE beyond the end, where the position stays.
 */
wlk_status wlk_vec_seek(wlk_vec_reader *reader, uint64_t cycle, wlk_error *err);

/** Free @p reader (NULL: nothing). */
void wlk_vec_close(wlk_vec_reader *reader);

WLK_END_DECLS
#endif

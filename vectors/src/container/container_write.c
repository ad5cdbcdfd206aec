// SPDX-License-Identifier: Apache-2.0
// Writer of vector files. Format: docs/record-format.md.
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64

#include "container.h"
#include "output.h"
#include "pack.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <zstd.h>

enum {
    FAST_LEVEL = -5,
    COMPACT_LEVEL = 19,
    TRIAL_BYTES = 4096, /* a plane of several times this size is tried on a piece of it first */
    FAST_GAIN = 8,      /* fast writing compresses only what shrinks to an eighth */
    TRIAL_PAUSE = 15,   /* chunks a plane stays raw after a trial that did not pay */
};

struct wlk_vec_writer {
    wlk_vec_shape shape;
    uint32_t words;
    uint32_t map_step;
    uint32_t record_limit;
    uint32_t records; /* in the current chunk */
    uint64_t cycles;  /* in the chunks before it */
    wlk_vec_pack *pack_record;
    packer pack;
    uint8_t *maps;

    uint8_t *packed; /* compressed planes */
    ZSTD_CCtx *zstd;
    uint32_t pause[PLANES]; /* chunks to go before the next trial */
    bool compact;

    wlk_output to;
    uint64_t offset; /* bytes written */
    uint8_t *index;  /* entries as in the file */
    uint64_t chunks;
    uint64_t index_room;
    wlk_error failed; /* first failure; status WLK_OK until then */
};

/* ---- output ---- */

/** Answer the first failure again. */
static wlk_status fail_again(const wlk_vec_writer *w, wlk_error *err) {
    return wlk_fail(err, w->failed.status, "%s", w->failed.text);
}

/** Writing failed for errno @p cause. Nothing is accepted from here on: see chunk_full(). */
static wlk_status fail_write(wlk_vec_writer *w, int cause, wlk_error *err) {
    (void)wlk_output_failed(&w->to, cause, &w->failed);
    w->record_limit = w->records = 0;
    return fail_again(w, err);
}

/** Drop @p bytes from the start of @p parts, and then empty parts. Returns the parts left. */
static int drop_bytes(struct iovec **parts, int count, size_t bytes) {
    while (count > 0 && bytes >= (*parts)->iov_len) {
        bytes -= (*parts)->iov_len;
        ++*parts;
        count--;
    }
    if (count > 0 && bytes != 0) {
        (*parts)->iov_base = (uint8_t *)(*parts)->iov_base + bytes;
        (*parts)->iov_len -= bytes;
    }
    return count;
}

/** Write all of @p parts, which it changes. */
static wlk_status write_parts(wlk_vec_writer *w, struct iovec *parts, int count, wlk_error *err) {
    count = drop_bytes(&parts, count, 0);
    while (count > 0) {
        ssize_t done = writev(w->to.fd, parts, count);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return fail_write(w, done == 0 ? ENOSPC : errno, err);
        }
        w->offset += (uint64_t)done;
        count = drop_bytes(&parts, count, (size_t)done);
    }
    return WLK_OK;
}

static uint32_t crc_parts(uint32_t crc, const struct iovec *parts, int count) {
    for (int i = 0; i < count; i++) {
        if (parts[i].iov_len != 0) {
            crc = libdeflate_crc32(crc, parts[i].iov_base, parts[i].iov_len);
        }
    }
    return crc;
}

/** Does a piece from the middle of a large plane shrink to half? Cheaper than trying the whole. */
static bool trial_pays(wlk_vec_writer *w, const uint8_t *raw, size_t bytes, uint8_t *room) {
    size_t got = ZSTD_compressCCtx(w->zstd, room, TRIAL_BYTES / FAST_GAIN,
                                   raw + (bytes - TRIAL_BYTES) / 2, TRIAL_BYTES, FAST_LEVEL);
    return !ZSTD_isError(got);
}

/**
 * Compress @p plane into @p room (as large as the plane). False: it stays raw, because less than
 * half would be saved, which costs more time than writing it; compact files take any gain.
 */
static bool compress_plane(wlk_vec_writer *w, enum plane plane, struct iovec *part, uint8_t *room) {
    const uint8_t *raw = part->iov_base;
    size_t bytes = part->iov_len;
    if (bytes < 32) {
        return false;
    }
    if (!w->compact) {
        if (w->pause[plane] != 0) {
            w->pause[plane]--;
            return false;
        }
        if (bytes >= 4 * TRIAL_BYTES && !trial_pays(w, raw, bytes, room)) {
            w->pause[plane] = TRIAL_PAUSE;
            return false;
        }
    }
    size_t got = ZSTD_compressCCtx(w->zstd, room, w->compact ? bytes - 1 : bytes / FAST_GAIN, raw,
                                   bytes, w->compact ? COMPACT_LEVEL : FAST_LEVEL);
    if (ZSTD_isError(got)) {
        w->pause[plane] = TRIAL_PAUSE;
        return false;
    }
    part->iov_base = room;
    part->iov_len = got;
    return true;
}

static void chunk_start(wlk_vec_writer *w) {
    wlk_vec_pack_start(&w->pack);
    w->records = 0;
}

/** May the next record not fit? The worst record takes a literal and a sequence a word. */
static inline bool chunk_full(const wlk_vec_writer *w) {
    return w->records == w->record_limit ||
           w->pack.history_len + w->words > (uint32_t)MAX_LITERALS + 1 ||
           w->pack.sequences + w->words + 1 > (uint32_t)MAX_SEQUENCES;
}

/** Add the coming chunk to the index. */
static wlk_status index_add(wlk_vec_writer *w, wlk_error *err) {
    if (w->chunks == w->index_room) {
        uint64_t room = w->index_room != 0 ? 2 * w->index_room : 64;
        uint8_t *index = realloc(w->index, room * INDEX_ENTRY_BYTES);
        if (index == NULL) {
            wlk_fail(&w->failed, WLK_NO_MEMORY, "%s: no memory for the index", w->to.path);
            w->record_limit = w->records = 0;
            return fail_again(w, err);
        }
        w->index = index;
        w->index_room = room;
    }
    put64(w->index + w->chunks * INDEX_ENTRY_BYTES, w->offset);
    put64(w->index + w->chunks * INDEX_ENTRY_BYTES + 8, w->cycles);
    w->chunks++;
    return WLK_OK;
}

/** The planes of the current chunk, raw. */
static void chunk_planes(wlk_vec_writer *w, struct iovec planes[PLANES]) {
    packer *p = &w->pack;
    planes[PLANE_LITERALS].iov_base = p->history + 1;
    planes[PLANE_LITERALS].iov_len = (p->history_len - 1) * sizeof *p->history;
    planes[PLANE_SOURCES].iov_base = p->sources;
    planes[PLANE_SOURCES].iov_len = p->source_count * sizeof *p->sources;
    planes[PLANE_LENGTHS].iov_base = p->runs;
    planes[PLANE_LENGTHS].iov_len = p->sequences * sizeof *p->runs;
    planes[PLANE_MAPS].iov_base = w->maps;
    planes[PLANE_MAPS].iov_len = (size_t)w->records * w->map_step;
}

/** Write the current chunk, if it holds anything, and start the next. */
static wlk_status chunk_write(wlk_vec_writer *w, wlk_error *err) {
    if (w->failed.status != WLK_OK) {
        return fail_again(w, err);
    }
    if (w->records == 0) {
        return WLK_OK;
    }
    wlk_vec_pack_end(&w->pack);
    uint8_t header[CHUNK_HEADER_BYTES];
    struct iovec parts[1 + PLANES] = {{.iov_base = header, .iov_len = sizeof header}};
    chunk_planes(w, parts + 1);
    put32(header, CHUNK_TAG);
    put64(header + 8, w->cycles);
    put32(header + 16, w->records);
    uint8_t *room = w->packed;
    for (int plane = 0; plane < PLANES; plane++) {
        struct iovec *part = &parts[1 + plane];
        size_t raw = part->iov_len;
        bool small = compress_plane(w, (enum plane)plane, part, room);
        header[20 + plane] = small ? CODEC_ZSTD : CODEC_RAW;
        put32(header + 24 + 4 * plane, (uint32_t)raw);
        put32(header + 40 + 4 * plane, (uint32_t)part->iov_len);
        room += small ? part->iov_len : 0;
    }
    uint32_t crc = libdeflate_crc32(0, header + 8, sizeof header - 8);
    put32(header + 4, crc_parts(crc, parts + 1, PLANES));
    wlk_status status = index_add(w, err);
    if (status == WLK_OK) {
        status = write_parts(w, parts, 1 + PLANES, err);
    }
    w->cycles += w->records;
    chunk_start(w);
    return status;
}

static wlk_status header_write(wlk_vec_writer *w, const char *json, wlk_error *err) {
    uint8_t header[FILE_HEADER_BYTES] = {0};
    struct iovec parts[2] = {{.iov_base = header, .iov_len = sizeof header},
                             {.iov_base = (void *)(uintptr_t)json, .iov_len = strlen(json)}};
    memcpy(header, FILE_MAGIC, MAGIC_BYTES);
    put32(header + 8, WLK_VEC_VERSION);
    put32(header + 12, (uint32_t)parts[1].iov_len);
    put32(header + 16, w->shape.in_words);
    put32(header + 20, w->shape.out_words);
    put32(header + 28, crc_parts(libdeflate_crc32(0, header, 28), parts + 1, 1));
    return write_parts(w, parts, 2, err);
}

static wlk_status index_write(wlk_vec_writer *w, wlk_error *err) {
    uint8_t header[INDEX_HEADER_BYTES];
    uint8_t trailer[TRAILER_BYTES] = {0};
    struct iovec parts[3] = {
        {.iov_base = header, .iov_len = sizeof header},
        {.iov_base = w->index, .iov_len = (size_t)w->chunks * INDEX_ENTRY_BYTES},
        {.iov_base = trailer, .iov_len = sizeof trailer}};
    memcpy(header, INDEX_MAGIC, MAGIC_BYTES);
    put64(header + 8, w->chunks);
    put64(header + 16, w->cycles);
    put64(trailer, w->offset);
    put32(trailer + 8, crc_parts(0, parts, 2));
    memcpy(trailer + 16, END_MAGIC, MAGIC_BYTES);
    return write_parts(w, parts, 3, err);
}

/* ---- life of a writer ---- */

static void writer_free(wlk_vec_writer *w) {
    free(w->maps);
    free(w->pack.before);
    free(w->pack.history);
    free(w->pack.runs);
    free(w->pack.sources);
    free(w->pack.table);
    free(w->packed);
    free(w->index);
    ZSTD_freeCCtx(w->zstd);
    free(w);
}

static wlk_vec_writer *writer_new(const wlk_vec_shape *shape) {
    wlk_vec_writer *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return NULL;
    }
    w->shape = *shape;
    w->words = record_words(shape);
    w->map_step = map_bytes(shape);
    w->record_limit = max_records(shape);
    w->pack_record = wlk_vec_best_pack();
    w->to.fd = -1;
    size_t maps = (size_t)w->record_limit * w->map_step;
    packer *p = &w->pack;
    w->maps = malloc(maps);
    p->shape = *shape;
    p->before = malloc(w->words * sizeof *p->before);
    p->history = malloc((MAX_LITERALS + 1 + PACK_AHEAD) * sizeof *p->history);
    p->runs = malloc(MAX_SEQUENCES * sizeof *p->runs);
    p->sources = malloc(MAX_SEQUENCES * sizeof *p->sources);
    p->table = malloc(sizeof *p->table << HASH_BITS);
    w->packed = malloc(maps + MAX_LITERALS * sizeof *p->history +
                       MAX_SEQUENCES * (sizeof *p->runs + sizeof *p->sources));
    w->zstd = ZSTD_createCCtx();
    if (p->before == NULL || w->maps == NULL || p->history == NULL || p->runs == NULL ||
        p->sources == NULL || p->table == NULL || w->packed == NULL || w->zstd == NULL) {
        writer_free(w);
        return NULL;
    }
    chunk_start(w);
    return w;
}

static wlk_status start(wlk_vec_writer **writer, const char *path, const wlk_vec_shape *shape,
                        const char *header_json, bool replace, wlk_error *err) {
    *writer = NULL;
    if (!shape_ok(shape)) {
        return wlk_fail(err, WLK_USAGE,
                        "%s: a record of %u + 2 * %u words; it must have 1 to %u words in all",
                        path, shape->in_words, shape->out_words, WLK_VEC_MAX_WORDS);
    }
    size_t bytes = strlen(header_json);
    if (bytes < 1 || bytes > WLK_VEC_MAX_HEADER) {
        return wlk_fail(err, WLK_USAGE, "%s: header text of %zu bytes; it must have 1 to %u", path,
                        bytes, WLK_VEC_MAX_HEADER);
    }
    wlk_vec_writer *w = writer_new(shape);
    if (w == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "%s: no memory for a writer", path);
    }
    wlk_status status = wlk_output_open(&w->to, path, replace, err);
    if (status == WLK_OK) {
        status = header_write(w, header_json, err);
    }
    if (status != WLK_OK) {
        wlk_vec_abort(w);
        return status;
    }
    *writer = w;
    return WLK_OK;
}

wlk_status wlk_vec_create(wlk_vec_writer **writer, const char *path, const wlk_vec_shape *shape,
                          const char *header_json, wlk_error *err) {
    return start(writer, path, shape, header_json, false, err);
}

wlk_status wlk_vec_replace(wlk_vec_writer **writer, const char *path, const wlk_vec_shape *shape,
                           const char *header_json, wlk_error *err) {
    return start(writer, path, shape, header_json, true, err);
}

void wlk_vec_compact(wlk_vec_writer *w) {
    w->compact = w->pack.search_inputs = true;
}

wlk_status wlk_vec_write(wlk_vec_writer *w, const uint64_t *in, const uint64_t *out,
                         const uint64_t *care, wlk_error *err) {
    if (chunk_full(w)) {
        wlk_status status = chunk_write(w, err);
        if (status != WLK_OK) {
            return status;
        }
    }
    w->pack_record(&w->pack, in, out, care, w->maps + (size_t)w->records * w->map_step);
    w->records++;
    return WLK_OK;
}

wlk_status wlk_vec_finish(wlk_vec_writer *w, wlk_error *err) {
    wlk_status status = chunk_write(w, err);
    if (status == WLK_OK) {
        status = index_write(w, err);
    }
    if (status == WLK_OK) {
        status = wlk_output_finish(&w->to, err);
    }
    wlk_vec_abort(w);
    return status;
}

void wlk_vec_abort(wlk_vec_writer *w) {
    if (w == NULL) {
        return;
    }
    wlk_output_abort(&w->to);
    writer_free(w);
}

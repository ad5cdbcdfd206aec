// SPDX-License-Identifier: Apache-2.0
// Writer of vector files. Format: docs/record-format.md.
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64

#include "container.h"
#include "output.h"
#include "pack.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>
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
    index_entry *index;
    uint64_t chunks, index_room;
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

static wlk_status write_bytes(wlk_vec_writer *w, const void *bytes, size_t size, wlk_error *err) {
    const uint8_t *at = bytes;
    w->offset += size;
    while (size != 0) {
        const ssize_t done = write(fileno(w->to.to), at, size);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return fail_write(w, done == 0 ? ENOSPC : errno, err);
        }
        at += done;
        size -= (size_t)done;
    }
    return WLK_OK;
}

/** Bytes of a plane. */
typedef struct part {
    const void *bytes;
    size_t size;
} part;

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
static bool compress_plane(wlk_vec_writer *w, int plane, part *to, uint8_t *room) {
    const uint8_t *raw = to->bytes;
    size_t bytes = to->size;
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
    *to = (part){room, got};
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
        index_entry *index = realloc(w->index, room * sizeof *index);
        if (index == NULL) {
            wlk_fail(&w->failed, WLK_NO_MEMORY, "%s: no memory for the index", w->to.path);
            w->record_limit = w->records = 0;
            return fail_again(w, err);
        }
        w->index = index;
        w->index_room = room;
    }
    w->index[w->chunks++] = (index_entry){.offset = w->offset, .first = w->cycles};
    return WLK_OK;
}

/** Write the current chunk, if it holds anything, and start the next. */
static wlk_status chunk_write(wlk_vec_writer *w, wlk_error *err) {
    if (w->failed.status != WLK_OK) {
        return fail_again(w, err);
    }
    if (w->records == 0) {
        return WLK_OK;
    }
    const packer *p = &w->pack;
    wlk_vec_pack_end(&w->pack);
    part planes[PLANES] = {
        [PLANE_LITERALS] = {p->history + 1, (p->history_len - 1) * sizeof *p->history},
        [PLANE_SOURCES] = {p->sources, p->source_count * sizeof *p->sources},
        [PLANE_LENGTHS] = {p->runs, p->sequences * sizeof *p->runs},
        [PLANE_MAPS] = {w->maps, (size_t)w->records * w->map_step},
    };
    chunk_header header = {.tag = CHUNK_TAG, .first = w->cycles, .records = w->records};
    uint8_t *room = w->packed;
    for (int i = 0; i < PLANES; i++) {
        header.raw[i] = (uint32_t)planes[i].size;
        if (compress_plane(w, i, &planes[i], room)) {
            header.codec[i] = CODEC_ZSTD;
            room += planes[i].size;
        }
        header.stored[i] = (uint32_t)planes[i].size;
    }
    header.crc = crc_chunk_header(&header);
    for (int i = 0; i < PLANES; i++) {
        header.crc = crc_bytes(header.crc, planes[i].bytes, planes[i].size);
    }
    wlk_status status = index_add(w, err);
    if (status == WLK_OK) {
        status = write_bytes(w, &header, sizeof header, err);
    }
    for (int i = 0; i < PLANES && status == WLK_OK; i++) {
        status = write_bytes(w, planes[i].bytes, planes[i].size, err);
    }
    w->cycles += w->records;
    chunk_start(w);
    return status;
}

static wlk_status header_write(wlk_vec_writer *w, const char *text, wlk_error *err) {
    file_header header = {.magic = FILE_MAGIC,
                          .version = WLK_VEC_VERSION,
                          .text_bytes = (uint32_t)strlen(text),
                          .in_words = w->shape.in_words,
                          .out_words = w->shape.out_words};
    header.crc = crc_bytes(crc_file_header(&header), text, header.text_bytes);
    const wlk_status status = write_bytes(w, &header, sizeof header, err);
    return status == WLK_OK ? write_bytes(w, text, header.text_bytes, err) : status;
}

static wlk_status index_write(wlk_vec_writer *w, wlk_error *err) {
    const index_header header = {.magic = INDEX_MAGIC, .chunks = w->chunks, .cycles = w->cycles};
    const size_t entries = (size_t)w->chunks * sizeof *w->index;
    const uint32_t crc = libdeflate_crc32(0, &header, sizeof header);
    const trailer end = {.index_offset = w->offset,
                         .index_crc = crc_bytes(crc, w->index, entries),
                         .magic = END_MAGIC};
    wlk_status status = write_bytes(w, &header, sizeof header, err);
    if (status == WLK_OK) {
        status = write_bytes(w, w->index, entries, err);
    }
    return status == WLK_OK ? write_bytes(w, &end, sizeof end, err) : status;
}

/* ---- life of a writer ---- */

static void writer_free(wlk_vec_writer *w) {
    wlk_vec_pack_close(&w->pack);
    free(w->maps);
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
    const size_t maps = (size_t)w->record_limit * w->map_step;
    const bool packs = wlk_vec_pack_open(&w->pack, shape);
    w->maps = malloc(maps);
    w->packed = malloc(maps + MAX_LITERALS * sizeof(uint64_t) +
                       MAX_SEQUENCES * (sizeof(lengths) + sizeof(uint16_t)));
    w->zstd = ZSTD_createCCtx();
    if (!packs || w->maps == NULL || w->packed == NULL || w->zstd == NULL) {
        writer_free(w);
        return NULL;
    }
    chunk_start(w);
    return w;
}

wlk_status wlk_vec_create(wlk_vec_writer **writer, const char *path, const wlk_vec_shape *shape,
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

// SPDX-License-Identifier: Apache-2.0
// Reader of vector files. Format: docs/record-format.md. Nothing in a file is believed: sizes are
// checked against the limits of the format before anything is read or allocated for them.
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64

#include "container.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/** A chunk as its header and the index describe it. */
typedef struct chunk_info {
    uint64_t number;
    uint64_t offset;
    uint64_t end; /* offset of what follows */
    uint64_t first;
    uint32_t records;
    uint32_t raw[PLANES];
    uint32_t stored[PLANES];
    uint8_t codec[PLANES];
    uint32_t crc;
} chunk_info;

struct wlk_vec_reader {
    wlk_vec_shape shape;
    uint32_t words;
    uint32_t map_step;
    int fd;
    char *path;
    char *json;
    uint64_t file_bytes;
    uint64_t index_offset;
    uint64_t chunks;
    uint64_t cycles;

    uint64_t cycle;      /* the next to be read */
    uint64_t chunk_next; /* number of the chunk to load when `left` is 0 */
    uint32_t left;       /* records of the loaded chunk still to be read */
    uint64_t *record;
    uint64_t *changed;

    uint32_t limit[PLANES];    /* most bytes, raw */
    uint8_t *stored;           /* a word of zero, then the planes as in the file */
    uint8_t *unpacked[PLANES]; /* a word of zero, then the plane */
    const uint8_t *plane[PLANES];
    ZSTD_DCtx *zstd;

    /* Where in the loaded chunk the next record starts; its planes were checked as a whole. */
    size_t map_at;
    size_t run_at;
    size_t source_at;
    size_t literal_at; /* in words, counting the zero */
    uint32_t literals; /* left of the current sequence, as are the repeats */
    uint32_t repeats;
    size_t repeat_at;
};

/* ---- bytes of the file ---- */

static wlk_status fail_cut(const wlk_vec_reader *r, wlk_error *err) {
    return wlk_fail(
        err, WLK_TRUNCATED,
        "%s: the file of %llu bytes ends too early; its writing was stopped or its copy "
        "is incomplete: make or copy it again",
        r->path, (unsigned long long)r->file_bytes);
}

static wlk_status fail_corrupt(const wlk_vec_reader *r, const char *where, uint64_t offset,
                               const char *what, wlk_error *err) {
    return wlk_fail(err, WLK_CORRUPT,
                    "%s: %s at byte %llu: %s; the file is damaged: make or copy it again", r->path,
                    where, (unsigned long long)offset, what);
}

static wlk_status fail_chunk(const wlk_vec_reader *r, const chunk_info *c, const char *what,
                             wlk_error *err) {
    char where[32];
    (void)snprintf(where, sizeof where, "chunk %llu", (unsigned long long)c->number);
    return fail_corrupt(r, where, c->offset, what, err);
}

/** Read exactly @p bytes. */
static wlk_status read_at(const wlk_vec_reader *r, void *to, size_t bytes, uint64_t offset,
                          wlk_error *err) {
    uint8_t *at = to;
    while (bytes != 0) {
        ssize_t got = pread(r->fd, at, bytes, (off_t)offset);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return wlk_fail(err, WLK_NO_FILE, "%s: cannot read: %s; check the file and its disk",
                            r->path, strerror(errno));
        }
        if (got == 0) {
            return fail_cut(r, err);
        }
        at += got;
        bytes -= (size_t)got;
        offset += (uint64_t)got;
    }
    return WLK_OK;
}

/* ---- header and index ---- */

/** Is this the start of a vector file of our version? A short file can be the start of one. */
static wlk_status check_start(wlk_vec_reader *r, const uint8_t *header, size_t bytes,
                              wlk_error *err) {
    size_t magic = bytes < MAGIC_BYTES ? bytes : MAGIC_BYTES;
    if (memcmp(header, FILE_MAGIC, magic) != 0) {
        return wlk_fail(err, WLK_CORRUPT,
                        "%s: not a warplock vector file; give one that `warplock vectors` made",
                        r->path);
    }
    if (bytes >= 12 && get32(header + 8) != WLK_VEC_VERSION) {
        return wlk_fail(err, WLK_BAD_VERSION,
                        "%s: vector file format %u, this program reads format %u; make the file "
                        "again or use the warplock that made it",
                        r->path, get32(header + 8), WLK_VEC_VERSION);
    }
    return bytes < FILE_HEADER_BYTES ? fail_cut(r, err) : WLK_OK;
}

static wlk_status read_header(wlk_vec_reader *r, wlk_error *err) {
    uint8_t header[FILE_HEADER_BYTES];
    size_t bytes = r->file_bytes < sizeof header ? (size_t)r->file_bytes : sizeof header;
    wlk_status status = read_at(r, header, bytes, 0, err);
    if (status == WLK_OK) {
        status = check_start(r, header, bytes, err);
    }
    if (status != WLK_OK) {
        return status;
    }
    uint32_t json = get32(header + 12);
    r->shape = (wlk_vec_shape){.in_words = get32(header + 16), .out_words = get32(header + 20)};
    if (json < 1 || json > WLK_VEC_MAX_HEADER || !shape_ok(&r->shape) || get32(header + 24) != 0) {
        return fail_corrupt(r, "header", 0, "sizes out of range", err);
    }
    if (json > r->file_bytes - sizeof header) {
        return fail_cut(r, err);
    }
    r->json = malloc((size_t)json + 1);
    if (r->json == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "%s: no memory for the header", r->path);
    }
    status = read_at(r, r->json, json, sizeof header, err);
    if (status != WLK_OK) {
        return status;
    }
    r->json[json] = '\0';
    if (libdeflate_crc32(libdeflate_crc32(0, header, 28), r->json, json) != get32(header + 28)) {
        return fail_corrupt(r, "header", 0, "the checksum differs", err);
    }
    if (strlen(r->json) != json) {
        return fail_corrupt(r, "header", 0, "the text has a zero byte", err);
    }
    return WLK_OK;
}

/** Bytes before the first chunk. */
static uint64_t header_end(const wlk_vec_reader *r) {
    return FILE_HEADER_BYTES + (uint64_t)strlen(r->json);
}

static wlk_status fail_index(const wlk_vec_reader *r, const char *what, wlk_error *err) {
    return fail_corrupt(r, "index", r->index_offset, what, err);
}

/** Is chunk @p c, whose start and end are index entries, of a possible size? */
static bool entry_ok(const wlk_vec_reader *r, const chunk_info *c, uint64_t next_first) {
    uint64_t most = CHUNK_HEADER_BYTES;
    for (int plane = 0; plane < PLANES; plane++) {
        most += r->limit[plane];
    }
    return c->end > c->offset && c->end - c->offset >= CHUNK_HEADER_BYTES &&
           c->end - c->offset <= most && next_first > c->first &&
           next_first - c->first <= max_records(&r->shape);
}

/** Read the index piece by piece: it may be larger than memory should be. */
static wlk_status check_entries(const wlk_vec_reader *r, uint32_t *crc, wlk_error *err) {
    uint8_t piece[256 * INDEX_ENTRY_BYTES];
    chunk_info last = {.offset = header_end(r)};
    if (r->chunks == 0 && (last.offset != r->index_offset || r->cycles != 0)) {
        return fail_index(r, "it does not fit the file", err);
    }
    uint64_t at = r->index_offset + INDEX_HEADER_BYTES;
    for (uint64_t number = 0; number < r->chunks;) {
        uint64_t left = r->chunks - number;
        size_t count = left < 256 ? (size_t)left : 256;
        wlk_status status = read_at(r, piece, count * INDEX_ENTRY_BYTES, at, err);
        if (status != WLK_OK) {
            return status;
        }
        *crc = libdeflate_crc32(*crc, piece, count * INDEX_ENTRY_BYTES);
        for (size_t i = 0; i < count; i++, number++) {
            uint64_t offset = get64(piece + i * INDEX_ENTRY_BYTES);
            uint64_t first = get64(piece + i * INDEX_ENTRY_BYTES + 8);
            last.end = offset;
            if (number == 0 ? offset != last.offset || first != 0 : !entry_ok(r, &last, first)) {
                return fail_index(r, "an entry does not fit the one before", err);
            }
            last = (chunk_info){.offset = offset, .first = first};
        }
        at += count * INDEX_ENTRY_BYTES;
    }
    last.end = r->index_offset;
    if (r->chunks != 0 && !entry_ok(r, &last, r->cycles)) {
        return fail_index(r, "its last entry does not fit the file", err);
    }
    return WLK_OK;
}

static wlk_status read_index(wlk_vec_reader *r, wlk_error *err) {
    uint8_t trailer[TRAILER_BYTES];
    uint8_t header[INDEX_HEADER_BYTES];
    uint64_t start = header_end(r);
    if (r->file_bytes < start + sizeof header + sizeof trailer) {
        return fail_cut(r, err);
    }
    uint64_t trailer_offset = r->file_bytes - sizeof trailer;
    wlk_status status = read_at(r, trailer, sizeof trailer, trailer_offset, err);
    if (status != WLK_OK) {
        return status;
    }
    if (memcmp(trailer + 16, END_MAGIC, MAGIC_BYTES) != 0) {
        return fail_cut(r, err);
    }
    r->index_offset = get64(trailer);
    if (get32(trailer + 12) != 0 || r->index_offset < start ||
        r->index_offset > trailer_offset - sizeof header) {
        return fail_corrupt(r, "trailer", trailer_offset, "the index is not where it says", err);
    }
    status = read_at(r, header, sizeof header, r->index_offset, err);
    if (status != WLK_OK) {
        return status;
    }
    r->chunks = get64(header + 8);
    r->cycles = get64(header + 16);
    uint64_t entries = trailer_offset - r->index_offset - sizeof header;
    if (memcmp(header, INDEX_MAGIC, MAGIC_BYTES) != 0 || entries % INDEX_ENTRY_BYTES != 0 ||
        r->chunks != entries / INDEX_ENTRY_BYTES) {
        return fail_index(r, "not an index of this file", err);
    }
    uint32_t crc = libdeflate_crc32(0, header, sizeof header);
    status = check_entries(r, &crc, err);
    if (status == WLK_OK && crc != get32(trailer + 8)) {
        status = fail_index(r, "the checksum differs", err);
    }
    return status;
}

/* ---- a chunk ---- */

/** The index entry of chunk @p number; the open has checked that it fits. */
static wlk_status read_entry(const wlk_vec_reader *r, uint64_t number, chunk_info *c,
                             wlk_error *err) {
    uint8_t entry[2 * INDEX_ENTRY_BYTES];
    bool is_last = number + 1 == r->chunks;
    wlk_status status =
        read_at(r, entry, is_last ? INDEX_ENTRY_BYTES : sizeof entry,
                r->index_offset + INDEX_HEADER_BYTES + number * INDEX_ENTRY_BYTES, err);
    if (status != WLK_OK) {
        return status;
    }
    *c = (chunk_info){.number = number, .offset = get64(entry), .first = get64(entry + 8)};
    c->end = is_last ? r->index_offset : get64(entry + INDEX_ENTRY_BYTES);
    uint64_t next = is_last ? r->cycles : get64(entry + INDEX_ENTRY_BYTES + 8);
    if (!entry_ok(r, c, next)) { // the file changed since
        return fail_index(r, "an entry does not fit the one before", err);
    }
    c->records = (uint32_t)(next - c->first);
    return WLK_OK;
}

/** Fill in @p c from the header of the chunk and compare it with the index and the limits. */
static wlk_status chunk_header(const wlk_vec_reader *r, chunk_info *c, const uint8_t *header,
                               wlk_error *err) {
    uint64_t bytes = CHUNK_HEADER_BYTES;
    bool ok = get32(header) == CHUNK_TAG && get64(header + 8) == c->first &&
              get32(header + 16) == c->records;
    c->crc = get32(header + 4);
    for (int plane = 0; plane < PLANES; plane++) {
        uint32_t raw = c->raw[plane] = get32(header + 24 + 4 * plane);
        uint32_t stored = c->stored[plane] = get32(header + 40 + 4 * plane);
        uint8_t codec = c->codec[plane] = header[20 + plane];
        ok = ok && raw <= r->limit[plane] &&
             (codec == CODEC_RAW ? stored == raw : codec == CODEC_ZSTD && stored < raw);
        bytes += stored;
    }
    ok = ok && c->raw[PLANE_LITERALS] % sizeof(uint64_t) == 0 &&
         c->raw[PLANE_SOURCES] % sizeof(uint16_t) == 0 &&
         c->raw[PLANE_LENGTHS] % sizeof(lengths) == 0 &&
         c->raw[PLANE_MAPS] == c->records * r->map_step && bytes == c->end - c->offset;
    return ok ? WLK_OK : fail_chunk(r, c, "its header does not fit the index", err);
}

/** Point r->plane[] at the raw planes. */
static wlk_status chunk_unpack(wlk_vec_reader *r, const chunk_info *c, wlk_error *err) {
    const uint8_t *stored = r->stored + sizeof(uint64_t);
    for (int plane = 0; plane < PLANES; plane++) {
        r->plane[plane] = stored;
        if (c->codec[plane] == CODEC_ZSTD) {
            uint8_t *to = r->unpacked[plane] + sizeof(uint64_t);
            size_t got = ZSTD_decompressDCtx(r->zstd, to, c->raw[plane], stored, c->stored[plane]);
            if (ZSTD_isError(got) || got != c->raw[plane]) {
                return fail_chunk(r, c, "it does not decompress", err);
            }
            r->plane[plane] = to;
        }
        stored += c->stored[plane];
    }
    return WLK_OK;
}

/** Changed words of the chunk, or UINT64_MAX when a map names a word beyond its part. */
static uint64_t count_changed(const wlk_vec_reader *r, uint32_t records) {
    const uint32_t part[3] = {r->shape.in_words, r->shape.out_words, r->shape.out_words};
    const uint8_t *map = r->plane[PLANE_MAPS];
    uint64_t count = 0;
    unsigned beyond = 0;
    for (uint32_t record = 0; record < records; record++) {
        for (int i = 0; i < 3; i++) {
            uint32_t bytes = (part[i] + 7) / 8;
            for (uint32_t j = 0; j < bytes; j++) {
                count += (unsigned)__builtin_popcount(map[j]);
            }
            if (part[i] % 8 != 0) {
                beyond |= (unsigned)map[bytes - 1] >> (part[i] % 8);
            }
            map += bytes;
        }
    }
    return beyond != 0 ? UINT64_MAX : count;
}

static lengths get_run(const wlk_vec_reader *r, size_t number) {
    lengths run;
    memcpy(&run, r->plane[PLANE_LENGTHS] + number * sizeof run, sizeof run);
    return run;
}

static uint16_t get_source(const wlk_vec_reader *r, size_t number) {
    uint16_t source;
    memcpy(&source, r->plane[PLANE_SOURCES] + number * sizeof source, sizeof source);
    return source;
}

/** Do maps, sequences, sources and literals agree? Then records need no checks of their own. */
static bool chunk_agrees(const wlk_vec_reader *r, const chunk_info *c) {
    size_t known = 1; // words of history so far: a zero and the literals
    size_t sources = c->raw[PLANE_SOURCES] / sizeof(uint16_t);
    size_t source = 0;
    uint64_t words = 0;
    for (size_t i = 0; i < c->raw[PLANE_LENGTHS] / sizeof(lengths); i++) {
        lengths run = get_run(r, i);
        known += run.literals;
        words += (uint64_t)run.literals + run.repeats;
        if (run.literals + run.repeats == 0) {
            return false;
        }
        if (run.repeats != 0) {
            if (source == sources || (size_t)get_source(r, source) + run.repeats > known) {
                return false;
            }
            source++;
        }
    }
    return source == sources && known == 1 + c->raw[PLANE_LITERALS] / sizeof(uint64_t) &&
           words == count_changed(r, c->records);
}

/** Load chunk @p number; the next record is its first. */
static wlk_status chunk_load(wlk_vec_reader *r, uint64_t number, wlk_error *err) {
    chunk_info c;
    uint8_t header[CHUNK_HEADER_BYTES];
    uint8_t *stored = r->stored + sizeof(uint64_t);
    wlk_status status = read_entry(r, number, &c, err);
    if (status == WLK_OK) {
        status = read_at(r, header, sizeof header, c.offset, err);
    }
    if (status == WLK_OK) {
        status = chunk_header(r, &c, header, err);
    }
    size_t bytes = status == WLK_OK ? (size_t)(c.end - c.offset) - sizeof header : 0;
    if (status == WLK_OK) {
        status = read_at(r, stored, bytes, c.offset + sizeof header, err);
    }
    if (status != WLK_OK) {
        return status;
    }
    uint32_t crc = libdeflate_crc32(0, header + 8, sizeof header - 8);
    if (bytes != 0) {
        crc = libdeflate_crc32(crc, stored, bytes);
    }
    if (crc != c.crc) {
        return fail_chunk(r, &c, "the checksum differs", err);
    }
    status = chunk_unpack(r, &c, err);
    if (status == WLK_OK && !chunk_agrees(r, &c)) {
        status = fail_chunk(r, &c, "its parts do not agree", err);
    }
    if (status != WLK_OK) {
        return status;
    }
    memset(r->record, 0, r->words * sizeof *r->record);
    r->map_at = r->run_at = r->source_at = 0;
    r->literal_at = 1;
    r->literals = r->repeats = 0;
    r->left = c.records;
    r->cycle = c.first;
    r->chunk_next = number + 1;
    return WLK_OK;
}

/* ---- records of the loaded chunk; chunk_agrees() has checked all bounds ---- */

/** Put the next @p count words to r->changed. */
static void unpack_words(wlk_vec_reader *r, uint32_t count) {
    const uint8_t *history = r->plane[PLANE_LITERALS] - sizeof(uint64_t);
    uint64_t *to = r->changed;
    while (count != 0) {
        if (r->literals + r->repeats == 0) {
            lengths run = get_run(r, r->run_at++);
            r->literals = run.literals;
            r->repeats = run.repeats;
            r->repeat_at = run.repeats != 0 ? get_source(r, r->source_at++) : 0;
        }
        uint32_t *left = r->literals != 0 ? &r->literals : &r->repeats;
        size_t *at = r->literals != 0 ? &r->literal_at : &r->repeat_at;
        uint32_t words = *left < count ? *left : count;
        memcpy(to, history + *at * sizeof *to, words * sizeof *to);
        to += words;
        count -= words;
        *at += words;
        *left -= words;
    }
}

/** Put words from @p from to their places in @p map. Returns the end of what was used. */
static const uint64_t *put_part(uint64_t *record, const uint64_t *from, const uint8_t *map,
                                uint32_t words) {
    for (uint32_t i = 0; i < words; i += 8) {
        unsigned bits = map[i / 8];
        if (bits == 0xffu) {
            memcpy(record + i, from, 8 * sizeof *from);
            from += 8;
            continue;
        }
        for (; bits != 0; bits &= bits - 1) {
            record[i + (unsigned)__builtin_ctz(bits)] = *from++;
        }
    }
    return from;
}

/** Make r->record the next record. */
static void next_record(wlk_vec_reader *r) {
    const uint32_t part[3] = {r->shape.in_words, r->shape.out_words, r->shape.out_words};
    const uint8_t *map = r->plane[PLANE_MAPS] + r->map_at;
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->map_step; i++) {
        count += (unsigned)__builtin_popcount(map[i]);
    }
    unpack_words(r, count);
    const uint64_t *from = r->changed;
    uint64_t *record = r->record;
    for (int i = 0; i < 3; i++) {
        from = put_part(record, from, map, part[i]);
        map += (part[i] + 7) / 8;
        record += part[i];
    }
    r->map_at += r->map_step;
    r->left--;
    r->cycle++;
}

/* ---- life of a reader ---- */

/** A plane of @p bytes with a word of zero before it: history[0]. */
static uint8_t *plane_new(size_t bytes) {
    return calloc(1, sizeof(uint64_t) + bytes);
}

static wlk_status reader_buffers(wlk_vec_reader *r, wlk_error *err) {
    r->words = record_words(&r->shape);
    r->map_step = map_bytes(&r->shape);
    r->limit[PLANE_LITERALS] = MAX_LITERALS * sizeof(uint64_t);
    r->limit[PLANE_SOURCES] = MAX_SEQUENCES * sizeof(uint16_t);
    r->limit[PLANE_LENGTHS] = MAX_SEQUENCES * sizeof(lengths);
    r->limit[PLANE_MAPS] = max_records(&r->shape) * r->map_step;
    size_t all = 0;
    bool ok = true;
    for (int plane = 0; plane < PLANES; plane++) {
        all += r->limit[plane];
        r->unpacked[plane] = plane_new(r->limit[plane]);
        ok = ok && r->unpacked[plane] != NULL;
    }
    r->stored = plane_new(all);
    r->record = calloc(r->words, sizeof *r->record);
    r->changed = calloc(r->words, sizeof *r->changed);
    r->zstd = ZSTD_createDCtx();
    if (!ok || r->stored == NULL || r->record == NULL || r->changed == NULL || r->zstd == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "%s: no memory for a reader", r->path);
    }
    return WLK_OK;
}

static wlk_status open_file(wlk_vec_reader *r, wlk_error *err) {
    struct stat info;
    r->fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a FIFO without a writer: no wait
    if (r->fd < 0 || fstat(r->fd, &info) != 0) {
        return wlk_fail(err, WLK_NO_FILE, "%s: cannot open: %s; check the name", r->path,
                        strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) {
        return wlk_fail(err, WLK_NO_FILE, "%s: cannot open: not a regular file; give a vector file",
                        r->path);
    }
    r->file_bytes = (uint64_t)info.st_size;
    return WLK_OK;
}

wlk_status wlk_vec_open(wlk_vec_reader **reader, const char *path, wlk_error *err) {
    *reader = NULL;
    wlk_vec_reader *r = calloc(1, sizeof *r);
    size_t bytes = strlen(path) + 1;
    if (r == NULL || (r->path = malloc(bytes)) == NULL) {
        free(r);
        return wlk_fail(err, WLK_NO_MEMORY, "%s: no memory for a reader", path);
    }
    memcpy(r->path, path, bytes);
    wlk_status status = open_file(r, err);
    if (status == WLK_OK) {
        status = read_header(r, err);
    }
    if (status == WLK_OK) {
        status = reader_buffers(r, err);
    }
    if (status == WLK_OK) {
        status = read_index(r, err);
    }
    if (status != WLK_OK) {
        wlk_vec_close(r);
        return status;
    }
    *reader = r;
    return WLK_OK;
}

const char *wlk_vec_header(const wlk_vec_reader *r) {
    return r->json;
}

wlk_vec_shape wlk_vec_get_shape(const wlk_vec_reader *r) {
    return r->shape;
}

uint64_t wlk_vec_cycles(const wlk_vec_reader *r) {
    return r->cycles;
}

wlk_status wlk_vec_read(wlk_vec_reader *r, const uint64_t **in, const uint64_t **out,
                        const uint64_t **care, wlk_error *err) {
    *in = *out = *care = NULL;
    if (r->left == 0) {
        if (r->chunk_next == r->chunks) {
            return WLK_OK;
        }
        wlk_status status = chunk_load(r, r->chunk_next, err);
        if (status != WLK_OK) {
            return status;
        }
    }
    next_record(r);
    *in = r->record;
    *out = r->record + r->shape.in_words;
    *care = r->record + r->shape.in_words + r->shape.out_words;
    return WLK_OK;
}

/** Number of the chunk that holds @p cycle, which is below wlk_vec_cycles(). */
static wlk_status find_chunk(const wlk_vec_reader *r, uint64_t cycle, uint64_t *number,
                             wlk_error *err) {
    uint64_t low = 0;
    uint64_t high = r->chunks; // the first chunk known to start after the cycle
    while (high - low > 1) {
        chunk_info c;
        uint64_t mid = low + (high - low) / 2;
        wlk_status status = read_entry(r, mid, &c, err);
        if (status != WLK_OK) {
            return status;
        }
        if (c.first <= cycle) {
            low = mid;
        } else {
            high = mid;
        }
    }
    *number = low;
    return WLK_OK;
}

wlk_status wlk_vec_seek(wlk_vec_reader *r, uint64_t cycle, wlk_error *err) {
    if (cycle > r->cycles) {
        return wlk_fail(err, WLK_USAGE, "%s: no cycle %llu: the file has %llu; give a smaller one",
                        r->path, (unsigned long long)cycle, (unsigned long long)r->cycles);
    }
    if (cycle == r->cycles) {
        r->left = 0;
        r->chunk_next = r->chunks;
        r->cycle = cycle;
        return WLK_OK;
    }
    if (r->left == 0 || cycle < r->cycle || cycle - r->cycle >= r->left) {
        uint64_t number;
        wlk_status status = find_chunk(r, cycle, &number, err);
        r->left = 0;
        if (status == WLK_OK) {
            status = chunk_load(r, number, err);
        }
        if (status != WLK_OK) {
            return status;
        }
    }
    while (r->cycle < cycle && r->left != 0) {
        next_record(r);
    }
    return WLK_OK;
}

void wlk_vec_close(wlk_vec_reader *r) {
    if (r == NULL) {
        return;
    }
    if (r->fd >= 0) {
        (void)close(r->fd);
    }
    for (int plane = 0; plane < PLANES; plane++) {
        free(r->unpacked[plane]);
    }
    free(r->stored);
    free(r->record);
    free(r->changed);
    free(r->json);
    free(r->path);
    ZSTD_freeDCtx(r->zstd);
    free(r);
}

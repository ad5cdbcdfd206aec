// SPDX-License-Identifier: Apache-2.0
// Reader of vector files. Format: docs/record-format.md. Nothing in a file is believed: sizes are
// checked against the limits of the format before anything is read or allocated for them.
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64

#include "container.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/** A chunk as the index and its header describe it. */
typedef struct chunk_info {
    uint64_t number;
    index_entry at;
    uint64_t end; /* offset of what follows */
    uint32_t records;
    chunk_header header;
} chunk_info;

struct wlk_vec_reader {
    wlk_vec_shape shape;
    uint32_t words;
    uint32_t map_step;
    int fd;
    char *path;
    char *text;
    wlk_error err; /* of the call at hand: what fails inside answers false and fills it */
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

/** Hand a failure out. */
static wlk_status failed(const wlk_vec_reader *r, wlk_error *err) {
    return wlk_fail(err, r->err.status, "%s", r->err.text);
}

static bool fail_cut(wlk_vec_reader *r) {
    (void)wlk_fail(&r->err, WLK_TRUNCATED,
                   "%s: the file of %llu bytes ends too early; its writing was stopped or its copy "
                   "is incomplete: make or copy it again",
                   r->path, (unsigned long long)r->file_bytes);
    return false;
}

static bool fail_memory(wlk_vec_reader *r, const char *what) {
    (void)wlk_fail(&r->err, WLK_NO_MEMORY, "%s: no memory for %s", r->path, what);
    return false;
}

static bool fail_corrupt(wlk_vec_reader *r, const char *where, uint64_t offset, const char *what) {
    (void)wlk_fail(&r->err, WLK_CORRUPT,
                   "%s: %s at byte %llu: %s; the file is damaged: make or copy it again", r->path,
                   where, (unsigned long long)offset, what);
    return false;
}

static bool fail_index(wlk_vec_reader *r, const char *what) {
    return fail_corrupt(r, "index", r->index_offset, what);
}

static bool fail_chunk(wlk_vec_reader *r, const chunk_info *c, const char *what) {
    char where[32];
    (void)snprintf(where, sizeof where, "chunk %llu", (unsigned long long)c->number);
    return fail_corrupt(r, where, c->at.offset, what);
}

/** Read exactly @p bytes. */
static bool read_at(wlk_vec_reader *r, void *to, size_t bytes, uint64_t offset) {
    uint8_t *at = to;
    while (bytes != 0) {
        ssize_t got = pread(r->fd, at, bytes, (off_t)offset);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            (void)wlk_fail(&r->err, WLK_NO_FILE, "%s: cannot read: %s; check the file and its disk",
                           r->path, strerror(errno));
            return false;
        }
        if (got == 0) {
            return fail_cut(r);
        }
        at += got;
        bytes -= (size_t)got;
        offset += (uint64_t)got;
    }
    return true;
}

/* ---- header and index ---- */

/** Is this the start of a vector file of our version? A short file can be the start of one. */
static bool check_start(wlk_vec_reader *r, const file_header *header, size_t bytes) {
    size_t magic = bytes < MAGIC_BYTES ? bytes : MAGIC_BYTES;
    if (memcmp(header->magic, FILE_MAGIC, magic) != 0) {
        (void)wlk_fail(&r->err, WLK_CORRUPT,
                       "%s: not a warplock vector file; give one that `warplock vectors` made",
                       r->path);
        return false;
    }
    if (bytes >= offsetof(file_header, text_bytes) && header->version != WLK_VEC_VERSION) {
        (void)wlk_fail(&r->err, WLK_BAD_VERSION,
                       "%s: vector file format %u, this program reads format %u; make the file "
                       "again or use the warplock that made it",
                       r->path, header->version, WLK_VEC_VERSION);
        return false;
    }
    return bytes == sizeof *header || fail_cut(r);
}

static bool read_header(wlk_vec_reader *r) {
    file_header header;
    size_t bytes = r->file_bytes < sizeof header ? (size_t)r->file_bytes : sizeof header;
    if (!read_at(r, &header, bytes, 0) || !check_start(r, &header, bytes)) {
        return false;
    }
    const uint32_t size = header.text_bytes;
    r->shape = (wlk_vec_shape){.in_words = header.in_words, .out_words = header.out_words};
    if (size < 1 || size > WLK_VEC_MAX_HEADER || !shape_ok(&r->shape) || header.zero != 0) {
        return fail_corrupt(r, "header", 0, "sizes out of range");
    }
    if (size > r->file_bytes - sizeof header) {
        return fail_cut(r);
    }
    r->text = malloc((size_t)size + 1);
    if (r->text == NULL) {
        return fail_memory(r, "the header");
    }
    if (!read_at(r, r->text, size, sizeof header)) {
        return false;
    }
    r->text[size] = '\0';
    if (crc_bytes(crc_file_header(&header), r->text, size) != header.crc) {
        return fail_corrupt(r, "header", 0, "the checksum differs");
    }
    return strlen(r->text) == size || fail_corrupt(r, "header", 0, "the text has a zero byte");
}

/** Bytes before the first chunk. */
static uint64_t header_end(const wlk_vec_reader *r) {
    return sizeof(file_header) + (uint64_t)strlen(r->text);
}

/** Is chunk @p c, whose start and end are index entries, of a possible size? */
static bool entry_ok(const wlk_vec_reader *r, const chunk_info *c, uint64_t next_first) {
    uint64_t most = sizeof(chunk_header);
    for (int plane = 0; plane < PLANES; plane++) {
        most += r->limit[plane];
    }
    return c->end > c->at.offset && c->end - c->at.offset >= sizeof(chunk_header) &&
           c->end - c->at.offset <= most && next_first > c->at.first &&
           next_first - c->at.first <= max_records(&r->shape);
}

/** Read the index piece by piece: it may be larger than memory should be. */
static bool check_entries(wlk_vec_reader *r, uint32_t *crc) {
    index_entry piece[256];
    chunk_info last = {.at = {.offset = header_end(r)}};
    if (r->chunks == 0 && (last.at.offset != r->index_offset || r->cycles != 0)) {
        return fail_index(r, "it does not fit the file");
    }
    uint64_t at = r->index_offset + sizeof(index_header);
    for (uint64_t number = 0; number < r->chunks;) {
        uint64_t left = r->chunks - number;
        size_t count = left < 256 ? (size_t)left : 256;
        if (!read_at(r, piece, count * sizeof *piece, at)) {
            return false;
        }
        *crc = libdeflate_crc32(*crc, piece, count * sizeof *piece);
        for (size_t i = 0; i < count; i++, number++) {
            last.end = piece[i].offset;
            if (number == 0 ? piece[i].offset != last.at.offset || piece[i].first != 0
                            : !entry_ok(r, &last, piece[i].first)) {
                return fail_index(r, "an entry does not fit the one before");
            }
            last.at = piece[i];
        }
        at += count * sizeof *piece;
    }
    last.end = r->index_offset;
    return r->chunks == 0 || entry_ok(r, &last, r->cycles) ||
           fail_index(r, "its last entry does not fit the file");
}

static bool read_index(wlk_vec_reader *r) {
    trailer end;
    index_header header;
    const uint64_t start = header_end(r);
    if (r->file_bytes < start + sizeof header + sizeof end) {
        return fail_cut(r);
    }
    const uint64_t end_at = r->file_bytes - sizeof end;
    if (!read_at(r, &end, sizeof end, end_at)) {
        return false;
    }
    if (memcmp(end.magic, END_MAGIC, MAGIC_BYTES) != 0) {
        return fail_cut(r);
    }
    r->index_offset = end.index_offset;
    if (end.zero != 0 || r->index_offset < start || r->index_offset > end_at - sizeof header) {
        return fail_corrupt(r, "trailer", end_at, "the index is not where it points");
    }
    if (!read_at(r, &header, sizeof header, r->index_offset)) {
        return false;
    }
    r->chunks = header.chunks;
    r->cycles = header.cycles;
    const uint64_t entries = end_at - r->index_offset - sizeof header;
    if (memcmp(header.magic, INDEX_MAGIC, MAGIC_BYTES) != 0 || entries % sizeof(index_entry) != 0 ||
        r->chunks != entries / sizeof(index_entry)) {
        return fail_index(r, "not an index of this file");
    }
    uint32_t crc = libdeflate_crc32(0, &header, sizeof header);
    return check_entries(r, &crc) &&
           (crc == end.index_crc || fail_index(r, "the checksum differs"));
}

/* ---- a chunk ---- */

/** The index entry of chunk @p number; the open has checked that it fits. */
static bool read_entry(wlk_vec_reader *r, uint64_t number, chunk_info *c) {
    index_entry entry[2] = {{0, 0}, {r->index_offset, r->cycles}}; // behind the last chunk
    const size_t known = number + 1 == r->chunks ? 1 : 2;
    const uint64_t at = r->index_offset + sizeof(index_header) + number * sizeof *entry;
    if (!read_at(r, entry, known * sizeof *entry, at)) {
        return false;
    }
    *c = (chunk_info){.number = number, .at = entry[0], .end = entry[1].offset};
    c->records = (uint32_t)(entry[1].first - entry[0].first);
    // Else the file changed since.
    return entry_ok(r, c, entry[1].first) || fail_index(r, "an entry does not fit the one before");
}

/** Compare the header of a chunk with the index and the limits. */
static bool check_chunk_header(wlk_vec_reader *r, const chunk_info *c) {
    const chunk_header *h = &c->header;
    uint64_t bytes = sizeof *h;
    bool ok = h->tag == CHUNK_TAG && h->first == c->at.first && h->records == c->records;
    for (int plane = 0; plane < PLANES; plane++) {
        const uint32_t raw = h->raw[plane], stored = h->stored[plane];
        ok = ok && raw <= r->limit[plane] &&
             (h->codec[plane] == CODEC_RAW ? stored == raw
                                           : h->codec[plane] == CODEC_ZSTD && stored < raw);
        bytes += stored;
    }
    ok = ok && h->raw[PLANE_LITERALS] % sizeof(uint64_t) == 0 &&
         h->raw[PLANE_SOURCES] % sizeof(uint16_t) == 0 &&
         h->raw[PLANE_LENGTHS] % sizeof(lengths) == 0 &&
         h->raw[PLANE_MAPS] == c->records * r->map_step && bytes == c->end - c->at.offset;
    return ok || fail_chunk(r, c, "its header does not fit the index");
}

/** Point r->plane[] at the raw planes. */
static bool chunk_unpack(wlk_vec_reader *r, const chunk_info *c) {
    const chunk_header *h = &c->header;
    const uint8_t *stored = r->stored + sizeof(uint64_t);
    for (int plane = 0; plane < PLANES; plane++) {
        r->plane[plane] = stored;
        if (h->codec[plane] == CODEC_ZSTD) {
            uint8_t *to = r->unpacked[plane] + sizeof(uint64_t);
            size_t got = ZSTD_decompressDCtx(r->zstd, to, h->raw[plane], stored, h->stored[plane]);
            if (ZSTD_isError(got) || got != h->raw[plane]) {
                return fail_chunk(r, c, "it does not decompress");
            }
            r->plane[plane] = to;
        }
        stored += h->stored[plane];
    }
    return true;
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
    size_t sources = c->header.raw[PLANE_SOURCES] / sizeof(uint16_t);
    size_t source = 0;
    uint64_t words = 0;
    for (size_t i = 0; i < c->header.raw[PLANE_LENGTHS] / sizeof(lengths); i++) {
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
    return source == sources && known == 1 + c->header.raw[PLANE_LITERALS] / sizeof(uint64_t) &&
           words == count_changed(r, c->records);
}

/** Read chunk @p number, check it, and unpack it. */
static bool chunk_read(wlk_vec_reader *r, uint64_t number, chunk_info *c) {
    uint8_t *stored = r->stored + sizeof(uint64_t);
    if (!read_entry(r, number, c) || !read_at(r, &c->header, sizeof c->header, c->at.offset) ||
        !check_chunk_header(r, c)) {
        return false;
    }
    const size_t bytes = (size_t)(c->end - c->at.offset) - sizeof c->header;
    if (!read_at(r, stored, bytes, c->at.offset + sizeof c->header)) {
        return false;
    }
    if (crc_bytes(crc_chunk_header(&c->header), stored, bytes) != c->header.crc) {
        return fail_chunk(r, c, "the checksum differs");
    }
    return chunk_unpack(r, c) && (chunk_agrees(r, c) || fail_chunk(r, c, "its parts do not agree"));
}

/** Load chunk @p number; the next record is its first. */
static bool chunk_load(wlk_vec_reader *r, uint64_t number) {
    chunk_info c;
    if (!chunk_read(r, number, &c)) {
        return false;
    }
    memset(r->record, 0, r->words * sizeof *r->record);
    r->map_at = r->run_at = r->source_at = 0;
    r->literal_at = 1;
    r->literals = r->repeats = 0;
    r->left = c.records;
    r->cycle = c.at.first;
    r->chunk_next = number + 1;
    return true;
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

static bool reader_buffers(wlk_vec_reader *r) {
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
    ok = ok && r->stored != NULL && r->record != NULL && r->changed != NULL && r->zstd != NULL;
    return ok || fail_memory(r, "a reader");
}

static bool open_file(wlk_vec_reader *r) {
    struct stat info;
    r->fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a FIFO without a writer: no wait
    if (r->fd < 0 || fstat(r->fd, &info) != 0) {
        (void)wlk_fail(&r->err, WLK_NO_FILE, "%s: cannot open: %s; check the name", r->path,
                       strerror(errno));
        return false;
    }
    if (!S_ISREG(info.st_mode)) {
        (void)wlk_fail(&r->err, WLK_NO_FILE,
                       "%s: cannot open: not a regular file; give a vector file", r->path);
        return false;
    }
    r->file_bytes = (uint64_t)info.st_size;
    return true;
}

wlk_status wlk_vec_open(wlk_vec_reader **reader, const char *path, wlk_error *err) {
    wlk_vec_reader *r = calloc(1, sizeof *r);
    *reader = NULL;
    if (r == NULL || (r->path = strdup(path)) == NULL) {
        free(r);
        return wlk_fail(err, WLK_NO_MEMORY, "%s: no memory for a reader", path);
    }
    if (open_file(r) && read_header(r) && reader_buffers(r) && read_index(r)) {
        *reader = r;
        return WLK_OK;
    }
    const wlk_status status = failed(r, err);
    wlk_vec_close(r);
    return status;
}

const char *wlk_vec_header(const wlk_vec_reader *r) {
    return r->text;
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
    if (r->left == 0 && r->chunk_next == r->chunks) {
        return WLK_OK;
    }
    if (r->left == 0 && !chunk_load(r, r->chunk_next)) {
        return failed(r, err);
    }
    next_record(r);
    *in = r->record;
    *out = r->record + r->shape.in_words;
    *care = r->record + r->shape.in_words + r->shape.out_words;
    return WLK_OK;
}

/** Load the chunk that holds @p cycle, which is below wlk_vec_cycles(). */
static bool load_chunk_of(wlk_vec_reader *r, uint64_t cycle) {
    uint64_t low = 0;
    uint64_t high = r->chunks; // the first chunk known to start after the cycle
    r->left = 0;
    while (high - low > 1) {
        chunk_info c;
        uint64_t mid = low + (high - low) / 2;
        if (!read_entry(r, mid, &c)) {
            return false;
        }
        if (c.at.first <= cycle) {
            low = mid;
        } else {
            high = mid;
        }
    }
    return chunk_load(r, low);
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
    const bool loaded = r->left != 0 && cycle >= r->cycle && cycle - r->cycle < r->left;
    if (!loaded && !load_chunk_of(r, cycle)) {
        return failed(r, err);
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
    free(r->text);
    free(r->path);
    ZSTD_freeDCtx(r->zstd);
    free(r);
}

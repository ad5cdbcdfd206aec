// SPDX-License-Identifier: Apache-2.0
#define ZLIB_CONST /* next_in is only read */
#include "fst_check.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstapi.h>
#include <lz4.h>

enum { HEADER_LEN = 329 }; /* the block without its type byte */

wlk_status wlk_fst_damaged(const wlk_fst *fst, const uint8_t *at, const char *what,
                           wlk_error *err) {
    return wlk_fail(err, WLK_CORRUPT, "%s: damaged FST: %s (byte %" PRIu64 "); record it again",
                    fst->name, what, (uint64_t)(at - fst->data));
}

static wlk_status no_memory(const wlk_fst *fst, wlk_error *err) {
    return wlk_fail(err, WLK_NO_MEMORY, "%s: out of memory while reading the waveform", fst->name);
}

uint64_t wlk_fst_u64(const uint8_t *bytes) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value = value << 8 | bytes[i];
    }
    return value;
}

bool wlk_fst_varint(wlk_fst_cursor *cursor, int max_bytes, uint64_t *value) {
    *value = 0;
    for (int i = 0; i < max_bytes && cursor->at < cursor->end; i++) {
        uint8_t byte = *cursor->at++;
        *value |= (uint64_t)(byte & 0x7f) << (7 * i);
        if ((byte & 0x80) == 0) {
            return true;
        }
    }
    return false;
}

bool wlk_fst_svarint(wlk_fst_cursor *cursor, int64_t *value) {
    const uint8_t *start = cursor->at;
    uint64_t bits;
    if (!wlk_fst_varint(cursor, 9, &bits)) { /* 63 bits are more than any file offset */
        return false;
    }
    int shift = 7 * (int)(cursor->at - start);
    if ((cursor->at[-1] & 0x40) != 0) {
        bits |= UINT64_MAX << shift;
    }
    *value = (int64_t)bits;
    return true;
}

bool wlk_fst_ratio_ok(uint64_t src_len, uint64_t dst_len) {
    return dst_len / 1100 <= src_len; /* deflate reaches 1032 : 1 */
}

bool wlk_fst_inflate(const uint8_t *src, uint64_t src_len, uint8_t *dst, uint64_t dst_len) {
    uLongf got = (uLongf)dst_len;
    return uncompress(dst, &got, src, (uLong)src_len) == Z_OK && got == dst_len;
}

bool wlk_fst_unpack(const uint8_t *src, uint64_t src_len, uint8_t *dst, uint64_t dst_len) {
    if (src_len == dst_len) {
        if (dst_len != 0) { /* nothing may be nowhere */
            memcpy(dst, src, (size_t)dst_len);
        }
        return true;
    }
    return wlk_fst_inflate(src, src_len, dst, dst_len);
}

bool wlk_fst_unpack_lz4(const uint8_t *src, uint64_t src_len, uint8_t *dst, uint64_t dst_len) {
    if (src_len > INT32_MAX || dst_len > INT32_MAX) {
        return false;
    }
    return LZ4_decompress_safe_partial((const char *)src, (char *)dst, (int)src_len, (int)dst_len,
                                       (int)dst_len) == (int)dst_len;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static wlk_status cut(const wlk_fst *fst, wlk_error *err) {
    return wlk_fail(err, WLK_TRUNCATED,
                    "%s: the FST ends too early (at byte %" PRIu64
                    "): let the simulator close it ($finish, not kill) or copy it again",
                    fst->name, fst->size);
}

/* Least length of a block that fstapi can read, 0 for types it does not know. */
static uint64_t least_len(uint8_t type) {
    switch (type) {
    case FST_BL_HDR:
        return HEADER_LEN;
    case FST_BL_VCDATA:
    case FST_BL_VCDATA_DYN_ALIAS:
    case FST_BL_VCDATA_DYN_ALIAS2:
        return 32 + 4 + 1 + 8 + 24; /* head, four varints, pack type, index length, tail */
    case FST_BL_GEOM:
        return 24;
    case FST_BL_HIER:
    case FST_BL_HIER_LZ4:
    case FST_BL_HIER_LZ4DUO:
        return 16;
    case FST_BL_BLACKOUT:
        return 9;
    default:
        return 0;
    }
}

static wlk_status check_block(const wlk_fst *fst, const wlk_fst_block *block, wlk_error *err) {
    const uint8_t *type = fst->data + block->pos - 1;
    if (block->type == FST_BL_SKIP) { /* still being written when the simulator died */
        return cut(fst, err);
    }
    if (least_len(block->type) == 0) {
        return wlk_fst_damaged(fst, type, "unknown block type", err);
    }
    if (block->len < least_len(block->type)) {
        return wlk_fst_damaged(fst, type, "impossible block length", err);
    }
    if (block->len > fst->size - block->pos) {
        return cut(fst, err);
    }
    if ((block->type == FST_BL_HDR) != (block->pos == 1)) {
        return wlk_fst_damaged(fst, type, "header block missing or repeated", err);
    }
    return WLK_OK;
}

static wlk_status walk_blocks(wlk_fst *fst, wlk_error *err) {
    wlk_status status = WLK_OK;
    for (uint64_t at = 0; at < fst->size && status == WLK_OK;) {
        if (fst->size - at < 9) {
            return cut(fst, err);
        }
        wlk_fst_block *grown = realloc(fst->blocks, (fst->num_blocks + 1) * sizeof *grown);
        if (grown == NULL) {
            return no_memory(fst, err);
        }
        fst->blocks = grown;
        wlk_fst_block *block = &grown[fst->num_blocks++];
        *block = (wlk_fst_block){.pos = at + 1, .type = fst->data[at]};
        block->len = wlk_fst_u64(fst->data + block->pos);
        status = check_block(fst, block, err);
        at = block->pos + block->len;
    }
    return status;
}

/* ---- header, geometry, blackouts ------------------------------------------------------------- */

static wlk_status check_header(wlk_fst *fst, wlk_error *err) {
    const uint8_t *head = fst->data + 1;
    uint64_t order = wlk_fst_u64(head + 24); /* a double, in the writer's byte order */
    if (order != UINT64_C(0x4005bf0a8b145769) && order != UINT64_C(0x6957148b0abf0540)) {
        return wlk_fst_damaged(fst, head + 24, "no FST header", err);
    }
    fst->start = wlk_fst_u64(head + 8);
    fst->end = wlk_fst_u64(head + 16);
    fst->exponent = head[72] < 128 ? head[72] : (int)head[72] - 256;
    /* fstapi takes a header without times for a file that is still being written */
    if (fst->start == 0 && fst->end == 0) {
        return wlk_fail(err, WLK_TRUNCATED,
                        "%s: no time passes in this FST, or it was never closed: let the "
                        "simulator run and end normally",
                        fst->name);
    }
    return WLK_OK;
}

static wlk_status read_widths(wlk_fst *fst, const uint8_t *bytes, uint64_t len, wlk_error *err) {
    const uint8_t *where = fst->data + fst->geometry->pos;
    wlk_fst_cursor cursor = {bytes, bytes + len};
    for (uint32_t i = 0; i < fst->max_handle; i++) {
        uint64_t width;
        if (!wlk_fst_varint(&cursor, 5, &width) || width > UINT32_MAX) {
            return wlk_fst_damaged(fst, where, "signal widths", err);
        }
        /* 0 is a real of 8 bytes, all ones a string */
        fst->reals[i] = width == 0;
        fst->widths[i] = width == 0 ? 8 : width == UINT32_MAX ? 0 : (uint32_t)width;
        if (fst->widths[i] > WLK_MAX_BITS) {
            return wlk_fst_damaged(fst, where, "a signal of more than 2^26 bits", err);
        }
    }
    return WLK_OK;
}

static wlk_status check_geometry(wlk_fst *fst, wlk_error *err) {
    const uint8_t *block = fst->data + fst->geometry->pos;
    uint64_t packed = fst->geometry->len - 24;
    uint64_t plain = wlk_fst_u64(block + 8);
    uint64_t handles = wlk_fst_u64(block + 16);
    if (!wlk_fst_ratio_ok(packed, plain) || handles == 0 || handles > plain ||
        handles > UINT32_MAX - 1) {
        return wlk_fst_damaged(fst, block, "signal table lengths", err);
    }
    fst->max_handle = (uint32_t)handles;
    uint8_t *bytes = malloc((size_t)plain);
    fst->widths = malloc((size_t)handles * sizeof *fst->widths);
    fst->reals = malloc((size_t)handles);
    wlk_status status;
    if (bytes == NULL || fst->widths == NULL || fst->reals == NULL) {
        status = no_memory(fst, err);
    } else if (!wlk_fst_unpack(block + 24, packed, bytes, plain)) {
        status = wlk_fst_damaged(fst, block, "signal table", err);
    } else {
        status = read_widths(fst, bytes, plain, err);
    }
    free(bytes);
    return status;
}

uint32_t wlk_fst_bits(const wlk_fst *fst, uint32_t handle) {
    return handle == 0 || handle > fst->max_handle || fst->reals[handle - 1] != 0
               ? 0
               : fst->widths[handle - 1];
}

static wlk_status check_blackout(const wlk_fst *fst, const wlk_fst_block *block, wlk_error *err) {
    const uint8_t *start = fst->data + block->pos;
    wlk_fst_cursor cursor = {start + 8, start + block->len};
    uint64_t count, delta;
    bool good = wlk_fst_varint(&cursor, 5, &count);
    for (uint64_t i = 0; good && i < count; i++) {
        good = cursor.at < cursor.end;
        cursor.at += good ? 1 : 0;
        good = good && wlk_fst_varint(&cursor, 10, &delta);
    }
    return good ? WLK_OK : wlk_fst_damaged(fst, start, "dump-off table", err);
}

static wlk_status find_tables(wlk_fst *fst, wlk_error *err) {
    bool values = false;
    for (size_t i = 0; i < fst->num_blocks; i++) {
        const wlk_fst_block *block = &fst->blocks[i];
        const wlk_fst_block **slot = NULL;
        if (block->type == FST_BL_GEOM) {
            slot = &fst->geometry;
        } else if (block->type == FST_BL_HIER || block->type == FST_BL_HIER_LZ4 ||
                   block->type == FST_BL_HIER_LZ4DUO) {
            slot = &fst->hierarchy;
        }
        if (slot != NULL && *slot != NULL) {
            return wlk_fst_damaged(fst, fst->data + block->pos, "a table stands twice", err);
        }
        if (slot != NULL) {
            *slot = block;
        }
        values = values || least_len(block->type) == least_len(FST_BL_VCDATA);
        if (block->type == FST_BL_BLACKOUT) {
            wlk_status status = check_blackout(fst, block, err);
            if (status != WLK_OK) {
                return status;
            }
        }
    }
    return fst->geometry == NULL || fst->hierarchy == NULL || !values ? cut(fst, err) : WLK_OK;
}

static wlk_status map_file(wlk_fst *fst, const char *path, wlk_error *err) {
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        const char *why = fd < 0 ? strerror(errno) : "not a regular file";
        if (fd >= 0) {
            (void)close(fd);
        }
        return wlk_fail(err, WLK_NO_FILE, "%s: cannot be read: %s", fst->name, why);
    }
    fst->size = (uint64_t)info.st_size;
    void *map = MAP_FAILED;
    if (fst->size > HEADER_LEN) {
        map = mmap(NULL, (size_t)fst->size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    (void)close(fd);
    if (fst->size <= HEADER_LEN) {
        return cut(fst, err);
    }
    if (map == MAP_FAILED) {
        return no_memory(fst, err);
    }
    fst->map = map;
    fst->data = map;
    return WLK_OK;
}

wlk_status wlk_fst_map(wlk_fst *fst, const char *path, const char *name, wlk_error *err) {
    *fst = (wlk_fst){.name = name};
    wlk_status status = map_file(fst, path, err);
    if (status == WLK_OK) {
        status = walk_blocks(fst, err);
    }
    if (status == WLK_OK) {
        status = find_tables(fst, err);
    }
    if (status == WLK_OK) {
        status = check_header(fst, err);
    }
    return status == WLK_OK ? check_geometry(fst, err) : status;
}

void wlk_fst_unmap(wlk_fst *fst) {
    if (fst->data != NULL) {
        (void)munmap(fst->map, (size_t)fst->size);
    }
    free(fst->blocks);
    free(fst->widths);
    free(fst->reals);
    *fst = (wlk_fst){0};
}

/* ---- hierarchy ------------------------------------------------------------------------------- */

static bool inflate_gzip(const uint8_t *src, uint64_t src_len, uint8_t *dst, uint64_t dst_len) {
    z_stream stream = {0};
    if (src_len > UINT32_MAX || dst_len > UINT32_MAX || inflateInit2(&stream, 15 + 32) != Z_OK) {
        return false;
    }
    stream.next_in = src;
    stream.avail_in = (uInt)src_len;
    stream.next_out = dst;
    stream.avail_out = (uInt)dst_len;
    int code = inflate(&stream, Z_FINISH);
    (void)inflateEnd(&stream);
    return code == Z_STREAM_END && stream.avail_out == 0;
}

/* LZ4 packed twice; the length after the first unpacking comes first. */
static bool unpack_duo(const uint8_t *src, uint64_t src_len, uint8_t *dst, uint64_t dst_len) {
    wlk_fst_cursor cursor = {src, src + src_len};
    uint64_t middle_len;
    if (!wlk_fst_varint(&cursor, 10, &middle_len) || !wlk_fst_ratio_ok(src_len, middle_len)) {
        return false;
    }
    uint8_t *middle = malloc((size_t)middle_len + 1);
    bool good =
        middle != NULL &&
        wlk_fst_unpack_lz4(cursor.at, (uint64_t)(cursor.end - cursor.at), middle, middle_len) &&
        wlk_fst_unpack_lz4(middle, middle_len, dst, dst_len);
    free(middle);
    return good;
}

static bool unpack_hierarchy(const wlk_fst *fst, uint8_t *dst, uint64_t dst_len) {
    const uint8_t *src = fst->data + fst->hierarchy->pos + 16;
    uint64_t src_len = fst->hierarchy->len - 16;
    switch (fst->hierarchy->type) {
    case FST_BL_HIER:
        return inflate_gzip(src, src_len, dst, dst_len);
    case FST_BL_HIER_LZ4:
        return wlk_fst_unpack_lz4(src, src_len, dst, dst_len);
    default:
        return unpack_duo(src, src_len, dst, dst_len);
    }
}

/* The string at the cursor, or NULL if it has no end. */
static const char *text(wlk_fst_cursor *cursor) {
    const char *start = (const char *)cursor->at;
    const uint8_t *end = memchr(cursor->at, 0, (size_t)(cursor->end - cursor->at));
    if (end == NULL) {
        return NULL;
    }
    cursor->at = end + 1;
    return start;
}

static bool skip(wlk_fst_cursor *cursor, ptrdiff_t count) {
    if (cursor->end - cursor->at < count) {
        return false;
    }
    cursor->at += count;
    return true;
}

static bool is_bits(uint8_t type) {
    switch (type) {
    case FST_VT_VCD_EVENT:
    case FST_VT_VCD_REAL:
    case FST_VT_VCD_REAL_PARAMETER:
    case FST_VT_VCD_REALTIME:
    case FST_VT_VCD_PORT: /* EVCD strengths */
    case FST_VT_VCD_SPARRAY:
    case FST_VT_GEN_STRING:
    case FST_VT_SV_SHORTREAL:
        return false;
    default:
        return true;
    }
}

typedef struct hier_walk {
    const wlk_fst *fst;
    const wlk_visitor *visitor;
    wlk_fst_cursor cursor;
    uint32_t handles; /* given so far */
    bool memory;      /* a visitor ran out of it */
} hier_walk;

static bool walk_signal(hier_walk *walk, uint8_t type) {
    uint64_t width, alias;
    if (!skip(&walk->cursor, 1)) { /* direction */
        return false;
    }
    const char *name = text(&walk->cursor);
    if (name == NULL || !wlk_fst_varint(&walk->cursor, 5, &width) ||
        !wlk_fst_varint(&walk->cursor, 5, &alias)) {
        return false;
    }
    if (alias > walk->handles || (alias == 0 && walk->handles == walk->fst->max_handle)) {
        return false;
    }
    if (alias == 0) {
        alias = ++walk->handles;
    }
    if (!is_bits(type) || wlk_fst_bits(walk->fst, (uint32_t)alias) == 0) {
        return true;
    }
    walk->memory = walk->visitor->signal(walk->visitor->ctx, name, (uint32_t)alias, 0);
    return walk->memory;
}

static bool walk_item(hier_walk *walk) {
    wlk_fst_cursor *cursor = &walk->cursor;
    uint8_t tag = *cursor->at++;
    uint64_t number;
    switch (tag) {
    case FST_ST_VCD_SCOPE: {
        const char *name = skip(cursor, 1) ? text(cursor) : NULL;
        if (name == NULL || text(cursor) == NULL) { /* the second is the component */
            return false;
        }
        walk->memory = walk->visitor->scope(walk->visitor->ctx, name);
        return walk->memory;
    }
    case FST_ST_VCD_UPSCOPE:
        walk->visitor->upscope(walk->visitor->ctx);
        return true;
    case FST_ST_GEN_ATTRBEGIN: /* type, subtype, name, argument */
        return skip(cursor, 2) && text(cursor) != NULL && wlk_fst_varint(cursor, 10, &number);
    case FST_ST_GEN_ATTREND:
        return true;
    default:
        return tag <= FST_VT_MAX && walk_signal(walk, tag);
    }
}

static wlk_status walk_hierarchy(const wlk_fst *fst, const wlk_visitor *visitor,
                                 const uint8_t *bytes, uint64_t len, wlk_error *err) {
    hier_walk walk = {
        .fst = fst, .visitor = visitor, .cursor = {bytes, bytes + len}, .memory = true};
    const uint8_t *where = fst->data + fst->hierarchy->pos;
    while (walk.cursor.at < walk.cursor.end) {
        if (!walk_item(&walk)) {
            return walk.memory ? wlk_fst_damaged(fst, where, "scopes and signals", err)
                               : no_memory(fst, err);
        }
    }
    if (walk.handles != fst->max_handle) {
        return wlk_fst_damaged(fst, where, "fewer signals named than stored", err);
    }
    return WLK_OK;
}

wlk_status wlk_fst_visit(const wlk_fst *fst, const wlk_visitor *visitor, wlk_error *err) {
    const uint8_t *block = fst->data + fst->hierarchy->pos;
    uint64_t len = wlk_fst_u64(block + 8);
    /* twice LZ4 (255 : 1 each) can pack more than deflate, but no real hierarchy does */
    if (!wlk_fst_ratio_ok(fst->hierarchy->len, len)) {
        return wlk_fst_damaged(fst, block, "hierarchy length", err);
    }
    uint8_t *bytes = malloc((size_t)len + 1);
    if (bytes == NULL) {
        return no_memory(fst, err);
    }
    wlk_status status;
    if (unpack_hierarchy(fst, bytes, len)) {
        status = walk_hierarchy(fst, visitor, bytes, len, err);
    } else {
        status = wlk_fst_damaged(fst, block, "packed hierarchy", err);
    }
    free(bytes);
    return status;
}

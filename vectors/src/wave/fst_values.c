// SPDX-License-Identifier: Apache-2.0
/*
 * Walks the value changes as fstapi will, so that every index and length it is going to use is
 * known to be in range. Only the handles that are bound: fstapi leaves the others packed.
 */
#include "fst_check.h"

#include <stdlib.h>
#include <string.h>

#include <fastlz.h>
#include <fstapi.h>

typedef struct chain {
    uint64_t offset; /* from the pack type byte; 0: no change in this block */
    uint32_t length;
    bool listed; /* the block's index does name a place for it */
} chain;

typedef struct value_walk {
    const wlk_fst *fst;
    const uint8_t *wanted;
    atomic_bool *stop;
    wlk_error *err;    /* what fails inside fills it and answers false */
    wlk_status status; /* of that */
    chain *chains;     /* kept over blocks, as fstapi does */
    uint64_t num_chains;
    uint64_t last_listed; /* fstapi's "pidx", also kept */
    uint8_t *room;        /* unpacked values */
    uint64_t room_len;
    uint64_t previous_time;
    bool first; /* no block seen yet */
} value_walk;

/* One block; all pointers lie inside it. */
typedef struct value_block {
    const uint8_t *start, *end; /* from the length field to the end */
    uint64_t begin_time;
    uint64_t memory;    /* what the unpacked values take, by the writer */
    uint64_t num_times; /* time stamps */
    const uint8_t *values, *index, *times;
    uint64_t num_handles;
    uint8_t type;
} value_block;

static bool damaged(value_walk *walk, const uint8_t *at, const char *what) {
    walk->status = wlk_fst_damaged(walk->fst, at, what, walk->err);
    return false;
}

static bool no_memory(value_walk *walk, const char *what) {
    walk->status = wlk_fail(walk->err, WLK_NO_MEMORY, "%s: out of memory for %s of the waveform",
                            walk->fst->name, what);
    return false;
}

static bool make_room(value_walk *walk, uint64_t len) {
    if (len <= walk->room_len) {
        return true;
    }
    uint8_t *grown = realloc(walk->room, (size_t)len);
    if (grown == NULL) {
        return no_memory(walk, "a block");
    }
    walk->room = grown;
    walk->room_len = len;
    return true;
}

/* Times of the block: packed varints of differences, the first one absolute. */
static bool check_times(value_walk *walk, value_block *block) {
    uint64_t plain = wlk_fst_u64(block->end - 24);
    uint64_t packed = wlk_fst_u64(block->end - 16);
    block->num_times = wlk_fst_u64(block->end - 8);
    uint64_t most = (uint64_t)(block->end - 24 - 8 - block->values);
    if (packed > most || !wlk_fst_ratio_ok(packed, plain) || block->num_times == 0 ||
        block->num_times > plain || block->num_times > INT32_MAX) {
        return damaged(walk, block->end - 24, "time table lengths");
    }
    block->times = block->end - 24 - packed;
    if (!make_room(walk, plain)) {
        return false;
    }
    if (!wlk_fst_unpack(block->times, packed, walk->room, plain)) {
        return damaged(walk, block->times, "time table");
    }
    wlk_fst_cursor cursor = {walk->room, walk->room + plain};
    uint64_t time = 0, delta;
    for (uint64_t i = 0; i < block->num_times; i++) {
        if (!wlk_fst_varint(&cursor, 10, &delta) || time + delta < time ||
            time + delta < walk->previous_time) {
            return damaged(walk, block->times, "time runs backwards");
        }
        if (walk->first && i == 0 && block->begin_time > delta) { /* later ones are not used */
            return damaged(walk, block->times, "start time");
        }
        time += delta;
        walk->previous_time = time;
    }
    return true;
}

/* Values at the start of the block; leaves the cursor after them. */
static bool check_frame(value_walk *walk, value_block *block, wlk_fst_cursor *cursor) {
    uint64_t plain, packed, handles, needed = 0;
    if (!wlk_fst_varint(cursor, 10, &plain) || !wlk_fst_varint(cursor, 10, &packed) ||
        !wlk_fst_varint(cursor, 10, &handles) || packed > (uint64_t)(cursor->end - cursor->at) ||
        handles > walk->fst->max_handle || !wlk_fst_ratio_ok(packed, plain)) {
        return damaged(walk, block->start, "initial value lengths");
    }
    for (uint64_t i = 0; i < handles; i++) {
        needed += walk->fst->widths[i];
    }
    if (needed > plain) {
        return damaged(walk, block->start, "initial values are short");
    }
    if (walk->first) { /* fstapi uses no other */
        if (!make_room(walk, plain)) {
            return false;
        }
        if (!wlk_fst_unpack(cursor->at, packed, walk->room, plain)) {
            return damaged(walk, cursor->at, "initial values");
        }
    }
    cursor->at += packed;
    return true;
}

static bool open_block(value_walk *walk, const wlk_fst_block *where, value_block *block) {
    *block = (value_block){.start = walk->fst->data + where->pos, .type = where->type};
    block->end = block->start + where->len;
    block->begin_time = wlk_fst_u64(block->start + 8);
    block->memory = wlk_fst_u64(block->start + 24);
    if (block->memory > UINT32_MAX) { /* fstapi's offsets have 32 bits */
        return damaged(walk, block->start, "memory size");
    }
    wlk_fst_cursor cursor = {block->start + 32, block->end - 24 - 8};
    if (!check_frame(walk, block, &cursor)) {
        return false;
    }
    if (!wlk_fst_varint(&cursor, 10, &block->num_handles) || cursor.at >= cursor.end ||
        block->num_handles > walk->fst->max_handle) {
        return damaged(walk, block->start, "number of signals");
    }
    block->values = cursor.at;
    if (!check_times(walk, block)) {
        return false;
    }
    uint64_t index_len = wlk_fst_u64(block->times - 8);
    if (index_len == 0 || index_len >= (uint64_t)(block->times - 8 - block->values)) {
        return damaged(walk, block->times - 8, "index length");
    }
    block->index = block->times - 8 - index_len;
    return true;
}

/* ---- index: where the changes of each handle start --------------------------------------------
 */

typedef struct index_walk {
    uint64_t next;   /* handle - 1 */
    uint64_t offset; /* of the last one listed */
    uint32_t alias;  /* of the last one that shares another's changes */
} index_walk;

static void list_chain(value_walk *walk, index_walk *at, uint64_t step) {
    chain *chains = walk->chains;
    at->offset += step;
    chains[at->next].offset = at->offset;
    chains[at->next].listed = true;
    if (at->next > 0) {
        chains[walk->last_listed].length =
            (uint32_t)(at->offset - chains[walk->last_listed].offset);
    }
    walk->last_listed = at->next++;
}

static void list_alias(value_walk *walk, index_walk *at, uint32_t alias) {
    walk->chains[at->next++] = (chain){.length = alias, .listed = true};
}

static bool list_unchanged(const value_walk *walk, index_walk *at, uint64_t limit, uint64_t count) {
    if (count > limit - at->next) {
        return false;
    }
    for (; count > 0; count--, at->next++) {
        walk->chains[at->next].offset = 0; /* fstapi keeps the old length */
        walk->chains[at->next].listed = false;
    }
    return true;
}

/* One entry of the newer index format (block type 8). */
static bool index_entry_alias2(value_walk *walk, index_walk *at, uint64_t limit,
                               wlk_fst_cursor *cursor) {
    uint64_t count;
    int64_t step;
    if ((*cursor->at & 1) == 0) {
        return wlk_fst_varint(cursor, 5, &count) && count <= UINT32_MAX &&
               list_unchanged(walk, at, limit, count >> 1);
    }
    if (!wlk_fst_svarint(cursor, &step) || at->next >= limit) {
        return false;
    }
    step >>= 1;
    if (step > 0) {
        list_chain(walk, at, (uint64_t)step);
        return true;
    }
    if (step < 0) {
        at->alias = (uint32_t)step;
    }
    list_alias(walk, at, at->alias);
    return true;
}

/* One entry of the older formats (block types 1 and 5). */
static bool index_entry(value_walk *walk, index_walk *at, uint64_t limit, wlk_fst_cursor *cursor) {
    uint64_t value;
    if (!wlk_fst_varint(cursor, 5, &value) || value > UINT32_MAX) {
        return false;
    }
    if (value != 0 && (value & 1) == 0) {
        return list_unchanged(walk, at, limit, value >> 1);
    }
    if (at->next >= limit) {
        return false;
    }
    if (value != 0) {
        list_chain(walk, at, value >> 1);
        return true;
    }
    if (!wlk_fst_varint(cursor, 5, &value) || value > UINT32_MAX) {
        return false;
    }
    list_alias(walk, at, 0 - (uint32_t)value);
    return true;
}

static void resolve_aliases(const value_walk *walk, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        chain *c = &walk->chains[i];
        uint64_t source = 0u - c->length - 1u;
        if (c->offset == 0 && (c->length & 0x80000000u) != 0 && (uint32_t)source < i) {
            c->offset = walk->chains[(uint32_t)source].offset;
            c->length = walk->chains[(uint32_t)source].length;
        }
    }
}

static bool make_chains(value_walk *walk, uint64_t count) {
    if (count <= walk->num_chains) {
        return true;
    }
    free(walk->chains); /* fstapi starts with zeros here, too */
    walk->chains = calloc((size_t)count + 1, sizeof *walk->chains);
    walk->num_chains = walk->chains == NULL ? 0 : count;
    return walk->chains != NULL || no_memory(walk, "the index");
}

/* *count: how many handles are listed. */
static bool read_index(value_walk *walk, const value_block *block, uint64_t *count) {
    if (!make_chains(walk, block->num_handles)) {
        return false;
    }
    if (walk->chains == NULL) {
        return damaged(walk, block->index, "index of no signals");
    }
    index_walk at = {0};
    wlk_fst_cursor cursor = {block->index, block->times - 8};
    while (cursor.at < cursor.end) {
        bool good = block->type == FST_BL_VCDATA_DYN_ALIAS2
                        ? index_entry_alias2(walk, &at, block->num_handles, &cursor)
                        : index_entry(walk, &at, block->num_handles, &cursor);
        if (!good) {
            return damaged(walk, block->index, "index");
        }
    }
    /* fstapi's last store; a length beyond it is refused where it would be used */
    uint64_t values_len = (uint64_t)(block->index - block->values);
    chain *last = &walk->chains[walk->last_listed];
    walk->chains[at.next].offset = values_len;
    last->length = (uint32_t)(values_len - last->offset);
    resolve_aliases(walk, at.next);
    *count = at.next;
    return true;
}

/* ---- the changes of one handle --------------------------------------------------------------- */

/* The bytes of one handle must be whole changes at time stamps that exist. */
static bool check_changes(const uint8_t *bytes, uint64_t len, uint32_t width, uint64_t num_times) {
    wlk_fst_cursor cursor = {bytes, bytes + len};
    uint64_t time = 0, head;
    if (len == 0) {
        return false;
    }
    while (cursor.at < cursor.end) {
        if (!wlk_fst_varint(&cursor, 5, &head) || head > UINT32_MAX) {
            return false;
        }
        bool short_form = (head & 1) == 0;
        if (width == 1) { /* value and time share the number */
            time += head >> (short_form ? 2 : 4);
        } else {
            uint64_t payload = short_form ? (width + 7u) / 8u : width;
            if (width == 0 && !wlk_fst_varint(&cursor, 5, &payload)) { /* a string has its own */
                return false;
            }
            if (payload > (uint64_t)(cursor.end - cursor.at)) {
                return false;
            }
            cursor.at += payload;
            time += head >> 1;
        }
        if (time >= num_times) {
            return false;
        }
    }
    return true;
}

/*
 * fstapi gives the unpackers a few bytes more than the packed ones (the length's own), which do no
 * harm as all of them end at dst_len; only fastlz's answer is then wrong, and fstapi ignores it.
 */
static bool unpack_values(uint8_t pack, const uint8_t *src, uint64_t src_len, uint8_t *dst,
                          uint64_t dst_len) {
    if (src_len > INT32_MAX || dst_len > INT32_MAX) {
        return false;
    }
    switch (pack) {
    case '4':
        return wlk_fst_unpack_lz4(src, src_len, dst, dst_len);
    case 'F':
        return fastlz_decompress(src, (int)src_len, dst, (int)dst_len) == (int)dst_len;
    case 'Z':
    case '!':
        return wlk_fst_inflate(src, src_len, dst, dst_len);
    default:
        return false;
    }
}

static bool check_handle(value_walk *walk, const value_block *block, uint64_t i, uint64_t *used) {
    const chain *c = &walk->chains[i];
    uint64_t values_len = (uint64_t)(block->index - block->values);
    if (!c->listed) {
        walk->status = wlk_fail(walk->err, WLK_CORRUPT,
                                "%s: fstapi would misread a block of this FST (a stale index "
                                "entry): dump without flushing so often, or dump VCD",
                                walk->fst->name);
        return false;
    }
    if (c->offset >= values_len || c->length > values_len - c->offset) {
        return damaged(walk, block->index, "index points outside its block");
    }
    const uint8_t *start = block->values + c->offset;
    wlk_fst_cursor cursor = {start, start + c->length};
    uint64_t len;
    if (!wlk_fst_varint(&cursor, 5, &len) || len > UINT32_MAX) {
        return damaged(walk, start, "length of a signal's changes");
    }
    bool packed = len != 0;
    if (!packed) {
        len = (uint64_t)(cursor.end - cursor.at);
    }
    *used += len;
    if (*used > block->memory) {
        return damaged(walk, start, "more changes than announced");
    }
    const uint8_t *bytes = cursor.at;
    if (packed) {
        if (!make_room(walk, len)) {
            return false;
        }
        if (!unpack_values(*block->values, cursor.at, (uint64_t)(cursor.end - cursor.at),
                           walk->room, len)) {
            return damaged(walk, start, "packed changes of a signal");
        }
        bytes = walk->room;
    }
    return check_changes(bytes, len, walk->fst->widths[i], block->num_times) ||
           damaged(walk, start, "changes of a signal");
}

static bool check_block(value_walk *walk, const wlk_fst_block *where) {
    value_block block;
    uint64_t count = 0, used = 0;
    bool good = open_block(walk, where, &block) && read_index(walk, &block, &count);
    walk->first = false;
    for (uint64_t i = 0; good && i < count && !atomic_load(walk->stop); i++) {
        if (walk->wanted[i + 1] != 0 && walk->chains[i].offset != 0) {
            good = check_handle(walk, &block, i, &used);
        }
    }
    /* fstapi takes this memory for each block and does not look whether it got it */
    return good && make_room(walk, block.memory + 66);
}

wlk_status wlk_fst_check_values(const wlk_fst *fst, const uint8_t *wanted, atomic_bool *stop,
                                wlk_error *err) {
    value_walk walk = {.fst = fst, .wanted = wanted, .stop = stop, .err = err, .first = true};
    bool good = true;
    for (size_t i = 0; good && i < fst->num_blocks && !atomic_load(stop); i++) {
        const uint8_t type = fst->blocks[i].type;
        if (type == FST_BL_VCDATA || type == FST_BL_VCDATA_DYN_ALIAS ||
            type == FST_BL_VCDATA_DYN_ALIAS2) {
            good = check_block(&walk, &fst->blocks[i]);
        }
    }
    free(walk.chains);
    free(walk.room);
    return walk.status;
}

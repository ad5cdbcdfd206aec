/* SPDX-License-Identifier: Apache-2.0 */
/* Mutations of a text up to the first zero byte, with which an FST begins. One part of the FST
 * changes, and the lengths that tell of it are mended: widths, scopes and signals, first values,
 * changes, index or times. A part is known where it is not packed (an LZ4 of literals alone is
 * not), as plain_fst.py writes it. Other bytes change too, and lengths of blocks are mended. */
#ifndef WLK_FST_MENDED_H
#define WLK_FST_MENDED_H

#include "lines.h"

#include <fstapi.h>

/* Of eight mutations so many are of the text. */
extern const unsigned fuzz_text_share;

enum { BLOCK = 9, VALUES = 1 + 32, TAIL = 24, NUMBERS = 4, PARTS = 64 };

/* A length somewhere in the file. */
typedef enum number_kind { U64, VARINT, LZ4 } number_kind;

typedef struct number {
    size_t at;
    number_kind kind;
} number;

/* What may change, and the lengths that change with it. */
typedef struct part {
    span of;
    uint32_t n;
    number numbers[NUMBERS];
} part;

static uint64_t get_u64(const uint8_t *from) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value = value << 8 | from[i];
    }
    return value;
}

static void put_u64(uint8_t *to, uint64_t value) {
    for (int i = 7; i >= 0; i--, value >>= 8) {
        to[i] = (uint8_t)value;
    }
}

/* The varint at *at, which moves behind it. */
static bool get_varint(const uint8_t *data, size_t end, size_t *at, uint64_t *value) {
    *value = 0;
    for (unsigned i = 0; i < 63 && *at < end; i += 7) {
        const uint8_t byte = data[(*at)++];
        *value |= (uint64_t)(byte & 0x7fu) << i;
        if (byte < 0x80) {
            return true;
        }
    }
    return false;
}

/* How many literals an LZ4 block begins with; *at moves behind the number. */
static size_t get_literals(const uint8_t *data, size_t end, size_t *at) {
    size_t literals = *at < end ? data[(*at)++] >> 4 : 0;
    for (uint8_t more = literals == 15 ? 255 : 0; more == 255 && *at < end;) {
        more = data[(*at)++];
        literals += more;
    }
    return literals;
}

/* Another number in the bytes that the old one has; false if they do not do. */
static bool put_varint(uint8_t *data, size_t at, uint64_t value) {
    for (; (data[at] & 0x80u) != 0; at++, value >>= 7) {
        data[at] = (uint8_t)(value | 0x80u);
    }
    data[at] = (uint8_t)value;
    return value < 0x80;
}

static bool put_literals(uint8_t *data, size_t at, size_t literals) {
    if (data[at] >> 4 < 15) {
        data[at] = (uint8_t)(literals << 4);
        return literals < 15;
    }
    size_t left = literals - 15;
    for (at++; data[at] == 255 && left >= 255; at++) {
        left -= 255;
    }
    const bool fits = literals >= 15 && left < 255 && data[at] != 255;
    data[at] = fits ? (uint8_t)left : data[at];
    return fits;
}

static bool add_to(uint8_t *data, size_t end, const number *n, uint64_t moved) {
    size_t at = n->at;
    uint64_t value;
    switch (n->kind) {
    case U64:
        put_u64(data + at, get_u64(data + at) + moved);
        return true;
    case VARINT:
        return get_varint(data, end, &at, &value) && put_varint(data, n->at, value + moved);
    default:
        return put_literals(data, n->at, get_literals(data, end, &at) + (size_t)moved);
    }
}

/* ---- parts ---- */

static part *add_part(part *parts, uint32_t *n, size_t at, size_t end, size_t block) {
    part *found = &parts[(*n)++];
    *found = (part){.of = {at, end - at}, .n = 1, .numbers = {{block + 1, U64}}};
    return found;
}

static void add_number(part *p, size_t at, number_kind kind) {
    p->numbers[p->n++] = (number){at, kind};
}

static void find_hierarchy(const uint8_t *data, size_t at, size_t end, part *parts, uint32_t *n) {
    size_t literals_at = at + 1 + 16;
    const size_t literals = get_literals(data, end, &literals_at);
    if (literals_at + literals == end && literals == get_u64(data + at + BLOCK)) {
        part *found = add_part(parts, n, literals_at, end, at);
        add_number(found, at + BLOCK, U64);
        add_number(found, at + 1 + 16, LZ4);
    }
}

static void find_values(const uint8_t *data, size_t at, size_t end, part *parts, uint32_t *n) {
    uint64_t plain, packed, handles;
    size_t cursor = at + VALUES;
    const size_t plain_at = cursor;
    bool good = end - at > VALUES + TAIL + BLOCK && get_varint(data, end, &cursor, &plain);
    const size_t packed_at = cursor;
    good = good && get_varint(data, end, &cursor, &packed) &&
           get_varint(data, end, &cursor, &handles) && packed < end - cursor;
    if (!good) {
        return;
    }
    if (packed == plain) {
        part *first = add_part(parts, n, cursor, cursor + packed, at);
        add_number(first, plain_at, VARINT);
        add_number(first, packed_at, VARINT);
    }
    cursor += packed;
    const uint64_t times = get_u64(data + end - 16), plain_times = get_u64(data + end - TAIL);
    if (!get_varint(data, end, &cursor, &handles) || cursor + 8 + TAIL > end ||
        times > end - cursor - 8 - TAIL) {
        return;
    }
    const size_t times_at = end - TAIL - times, index_end = times_at - 8;
    if (times == plain_times) {
        part *found = add_part(parts, n, times_at, end - TAIL, at);
        add_number(found, end - TAIL, U64);
        add_number(found, end - 16, U64);
    }
    const uint64_t index = get_u64(data + index_end);
    if (index <= index_end - cursor) {
        add_number(add_part(parts, n, index_end - index, index_end, at), index_end, U64);
        (void)add_part(parts, n, cursor, index_end - index, at);
    }
}

static uint32_t find_parts(const uint8_t *data, size_t size, part *parts) {
    uint32_t n = 0;
    for (size_t at = 0; at + BLOCK + 16 <= size && n + 4 < PARTS;) {
        const uint64_t length = get_u64(data + at + 1);
        if (length < 8 || length > size - at - 1) {
            return n;
        }
        const size_t end = at + 1 + length;
        switch (data[at]) {
        case FST_BL_GEOM:
            if (length >= TAIL && get_u64(data + at + BLOCK) == length - TAIL) {
                add_number(add_part(parts, &n, at + 1 + TAIL, end, at), at + BLOCK, U64);
            }
            break;
        case FST_BL_HIER_LZ4:
            find_hierarchy(data, at, end, parts, &n);
            break;
        case FST_BL_VCDATA:
        case FST_BL_VCDATA_DYN_ALIAS:
        case FST_BL_VCDATA_DYN_ALIAS2:
            find_values(data, at, end, parts, &n);
            break;
        default:
            (void)add_part(parts, &n, at + BLOCK, end, at);
        }
        at = end;
    }
    return n;
}

/* ---- mutations ---- */

/* Another size of some bytes; what has no room stays. Those behind them move. */
static size_t mutate_span(uint8_t *data, size_t size, size_t max_size, span here, span *now) {
    uint8_t *bytes = malloc(here.size + 65);
    *now = here;
    if (bytes == NULL) {
        return size;
    }
    memcpy(bytes, data + here.at, here.size);
    now->size = LLVMFuzzerMutate(bytes, here.size, here.size + 64);
    const size_t most = max_size - (size - here.size);
    now->size = now->size < most ? now->size : most;
    size = fuzz_put(data, size, max_size, here, bytes, now->size);
    free(bytes);
    return size;
}

static size_t mutate_part(uint8_t *data, size_t size, size_t max_size, uint32_t which) {
    part parts[PARTS];
    span now;
    const uint32_t n = find_parts(data, size, parts);
    if (n == 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    const part *p = &parts[which % n];
    const size_t other = mutate_span(data, size, max_size, p->of, &now);
    const uint64_t moved = (uint64_t)now.size - (uint64_t)p->of.size;
    for (uint32_t i = 0; i < p->n; i++) {
        number to = p->numbers[i];
        to.at += to.at > p->of.at ? (size_t)moved : 0;
        (void)add_to(data, other, &to, moved);
    }
    return other;
}

// The length of a block that the mutation has made longer or shorter: up to where one begins whose
// type and length are possible.
static void mend(uint8_t *data, size_t size, size_t old_size) {
    if (size < BLOCK || size == old_size) {
        return;
    }
    const int64_t moved = (int64_t)size - (int64_t)old_size;
    for (size_t at = 0; at + BLOCK <= size;) {
        const uint64_t length = get_u64(data + at + 1);
        const uint64_t end = at + 1 + length, other = end + (uint64_t)moved;
        const bool fits = end == size || (end > at && end < size && data[end] <= 8);
        const bool is_other = other == size || (other > at && other < size && data[other] <= 8);
        if (!fits && is_other) {
            put_u64(data + at + 1, length + (uint64_t)moved);
            at = (size_t)other;
        } else if (!fits || length == 0) {
            return;
        } else {
            at = (size_t)end;
        }
    }
}

// The text alone; the FST stays.
static size_t mutate_text(uint8_t *data, size_t words, size_t size, size_t max_size,
                          unsigned seed) {
    uint8_t *fst = malloc(size - words + 1);
    if (fst == NULL) {
        return size;
    }
    memcpy(fst, data + words, size - words);
    const size_t now = fuzz_lines(data, words, max_size - (size - words), seed);
    memcpy(data + now, fst, size - words);
    free(fst);
    return now + size - words;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    const uint8_t *zero = memchr(data, 0, size);
    const size_t words = zero != NULL ? (size_t)(zero - data) : size, before = size - words;
    const unsigned how = seed % 8;
    seed /= 8;
    if (how < fuzz_text_share) {
        return size < max_size ? mutate_text(data, words, size, max_size, seed) : size;
    }
    if (seed % 4 != 0) {
        return words + mutate_part(data + words, before, max_size - words, seed / 4);
    }
    if (seed % 8 != 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    size = words + LLVMFuzzerMutate(data + words, before, max_size - words);
    mend(data + words, size - words, before);
    return size;
}

#endif

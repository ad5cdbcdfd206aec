/* SPDX-License-Identifier: Apache-2.0 */
/* Mutations of a text up to the first zero byte, with which an FST begins: the lengths of the FST's
 * blocks are mended behind most of them. */
#ifndef WLK_FST_MENDED_H
#define WLK_FST_MENDED_H

#include "fuzz.h"

enum { BLOCK = 9 }; // a type, and eight bytes of length behind it

static void put_u64(uint8_t *to, uint64_t value) {
    for (int i = 7; i >= 0; i--, value >>= 8) {
        to[i] = (uint8_t)value;
    }
}

// The length of a block that the mutation has made longer or shorter: up to where one begins whose
// type and length are possible.
static void mend(uint8_t *data, size_t size, size_t old_size) {
    if (size < BLOCK || size == old_size) {
        return;
    }
    const int64_t moved = (int64_t)size - (int64_t)old_size;
    for (size_t at = 0; at + BLOCK <= size;) {
        uint64_t length = 0;
        for (int i = 1; i < BLOCK; i++) {
            length = length << 8 | data[at + (size_t)i];
        }
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
static size_t mutate_text(uint8_t *data, size_t words, size_t size, size_t max_size) {
    uint8_t *fst = malloc(size - words + 1);
    if (fst == NULL) {
        return size;
    }
    memcpy(fst, data + words, size - words);
    const size_t now = LLVMFuzzerMutate(data, words, max_size - (size - words));
    memcpy(data + now, fst, size - words);
    free(fst);
    return now + size - words;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    const uint8_t *zero = memchr(data, 0, size);
    const size_t words = zero != NULL ? (size_t)(zero - data) : size, before = size - words;
    if (seed % 4 == 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    if (seed % 4 == 1 && size < max_size) {
        return mutate_text(data, words, size, max_size);
    }
    size = words + LLVMFuzzerMutate(data + words, before, max_size - words);
    if (seed % 16 > 3) {
        mend(data + words, size - words, before);
    }
    return size;
}

#endif

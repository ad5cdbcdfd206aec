/* SPDX-License-Identifier: Apache-2.0 */
/* Mutations of lines of words: one is left out, comes twice, stands elsewhere, or is another one.
 */
#ifndef WLK_LINES_MENDED_H
#define WLK_LINES_MENDED_H

#include "fuzz.h"

/* What may stand in place of a word or behind it, up to a NULL. */
extern const char *const fuzz_words[];

typedef struct span {
    size_t at, size;
} span;

static inline uint32_t fuzz_dice(uint64_t *state, uint32_t n) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % n;
}

/* A word or a line, up to one of @p ends; the end stays. */
static inline span fuzz_span(const uint8_t *data, size_t size, const char *ends, uint64_t *dice) {
    span found = {fuzz_dice(dice, (uint32_t)size), 0};
    while (found.at > 0 && strchr(ends, data[found.at - 1]) == NULL) {
        found.at--;
    }
    while (found.at + found.size < size && strchr(ends, data[found.at + found.size]) == NULL) {
        found.size++;
    }
    return found;
}

/* Other text in place of a span; what has no room stays. */
static inline size_t fuzz_put(uint8_t *data, size_t size, size_t most, span old, const void *text,
                              size_t n) {
    if (size - old.size + n > most) {
        return size;
    }
    memmove(data + old.at + n, data + old.at + old.size, size - old.at - old.size);
    memcpy(data + old.at, text, n);
    return size - old.size + n;
}

static inline size_t fuzz_other(uint8_t *data, size_t size, size_t most, uint64_t *dice) {
    char text[1024];
    uint32_t known = 0;
    while (fuzz_words[known] != NULL) {
        known++;
    }
    const char *ends = fuzz_dice(dice, 4) == 0 ? "\n" : fuzz_dice(dice, 2) == 0 ? " \n" : " \n:,=@";
    span here = fuzz_span(data, size, ends, dice), other = fuzz_span(data, size, ends, dice);
    const bool is_known = fuzz_dice(dice, 2) == 0;
    other.size = other.size < sizeof text - 1u ? other.size : sizeof text - 1u;
    (void)snprintf(text, sizeof text, "%s", fuzz_words[fuzz_dice(dice, known)]);
    const size_t n = is_known ? strlen(text) : other.size;
    if (!is_known) {
        memcpy(text, data + other.at, n);
    }
    switch (fuzz_dice(dice, 4)) {
    case 0: // left out, with its end
        here.size += here.at + here.size < size;
        return fuzz_put(data, size, most, here, text, 0);
    case 1: // another one
        return fuzz_put(data, size, most, here, text, n);
    default: // another one behind it
        here.at += here.size;
        here.size = 0;
        text[n] = ends[0];
        memmove(text + 1, text, n);
        text[0] = ends[0];
        return fuzz_put(data, size, most, here, text, n + 1u);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    uint64_t dice = seed;
    if (size == 0 || fuzz_dice(&dice, 4) == 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    for (uint32_t i = fuzz_dice(&dice, 4) + 1u; i != 0 && size != 0; i--) {
        size = fuzz_other(data, size, max_size, &dice);
    }
    return size;
}

#endif

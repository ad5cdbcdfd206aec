/* SPDX-License-Identifier: Apache-2.0 */
/* Mutations of lines of words: one is left out, comes twice, stands elsewhere, is another one, or
 * has a letter more or less. */
#ifndef WLK_FUZZ_LINES_H
#define WLK_FUZZ_LINES_H

#include "fuzz.h"

/* What may stand in place of a word or behind it: of one reader, up to a NULL, and of all. */
extern const char *const fuzz_words[];
static const char *const fuzz_numbers[] = {
    "0",
    "1",
    "2",
    "63",
    "64",
    "65",
    "255",
    "256",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "-1",
};

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

/* A letter of a span twice, or not at all. */
static inline size_t fuzz_letter(uint8_t *data, size_t size, size_t most, span here,
                                 uint64_t *dice) {
    if (here.size == 0) {
        return size;
    }
    here.at += fuzz_dice(dice, (uint32_t)here.size);
    here.size = 1;
    const uint8_t twice[] = {data[here.at], data[here.at]};
    return fuzz_put(data, size, most, here, twice, fuzz_dice(dice, 2) * 2u);
}

static inline const char *fuzz_word(uint64_t *dice) {
    const uint32_t numbers = sizeof fuzz_numbers / sizeof *fuzz_numbers;
    uint32_t words = 0;
    while (fuzz_words[words] != NULL) {
        words++;
    }
    const uint32_t drawn = fuzz_dice(dice, words + numbers);
    return drawn < words ? fuzz_words[drawn] : fuzz_numbers[drawn - words];
}

static inline size_t fuzz_other(uint8_t *data, size_t size, size_t most, uint64_t *dice) {
    char text[2048];
    static const char *const all_ends[] = {"\n", " \t\n", " \t\n:,=@/.", " \t\n:,=@/."};
    const char *ends = all_ends[fuzz_dice(dice, 4)];
    span here = fuzz_span(data, size, ends, dice), other = fuzz_span(data, size, ends, dice);
    const bool is_known = fuzz_dice(dice, 2) == 0;
    other.size = other.size < sizeof text - 1u ? other.size : sizeof text - 1u;
    if (is_known) {
        (void)snprintf(text, sizeof text, "%s", fuzz_word(dice));
    } else {
        memcpy(text, data + other.at, other.size);
    }
    const size_t n = is_known ? strlen(text) : other.size;
    switch (fuzz_dice(dice, 6)) {
    case 0: // left out, with its end
        here.size += here.at + here.size < size;
        return fuzz_put(data, size, most, here, text, 0);
    case 1:
    case 2: // another one
        return fuzz_put(data, size, most, here, text, n);
    case 3:
        return fuzz_letter(data, size, most, here, dice);
    default: // another one behind it
        here.at += here.size;
        here.size = 0;
        memmove(text + 1, text, n);
        text[0] = ends[0];
        return fuzz_put(data, size, most, here, text, n + 1u);
    }
}

static inline size_t fuzz_lines(uint8_t *data, size_t size, size_t most, unsigned seed) {
    uint64_t dice = seed;
    if (size == 0 || fuzz_dice(&dice, 4) == 0) {
        return LLVMFuzzerMutate(data, size, most);
    }
    for (uint32_t i = fuzz_dice(&dice, 4) + 1u; i != 0 && size != 0; i--) {
        size = fuzz_other(data, size, most, &dice);
    }
    return size;
}

#endif

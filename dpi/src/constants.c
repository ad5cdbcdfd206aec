// SPDX-License-Identifier: Apache-2.0
// After some cycles nearly all words have moved, so that a cycle costs a few loads. Those that are
// left are mostly the high bits of counters, which lie side by side.
#include "constants.h"

#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 256, // cycles after which the words are looked for again
    GROUP = 8,    // words that are looked at together
    GAP = GROUP   // words between two others that are rather looked at too
};

static constant_span span_at(const wlk_layout *layout, uint32_t word) {
    constant_span span = {word, 0, -1, 0};
    for (uint32_t i = 0; i < layout->n_out_payloads; i++) {
        const wlk_payload *payload = &layout->out_payload[i];
        if (word >= payload->word && word < (uint32_t)payload->word + payload->words) {
            span.payload = (int32_t)i;
            span.offset = word - payload->word;
        }
    }
    return span;
}

static void find_spans(constants *k) {
    k->n_spans = 0;
    k->cycles = 0;
    for (uint32_t w = 0; w < k->layout->out_words; w++) {
        if ((k->compare[w] & ~k->moved[w]) == 0) {
            continue;
        }
        const constant_span here = span_at(k->layout, w);
        constant_span *last = k->n_spans != 0 ? &k->spans[k->n_spans - 1u] : NULL;
        if (last == NULL || w > last->from + last->n + GAP || last->payload != here.payload) {
            last = &k->spans[k->n_spans++];
            *last = here;
        }
        last->n = w + 1u - last->from;
    }
}

bool wlk_constants_open(constants *k, const wlk_layout *layout, const uint64_t *compare) {
    const size_t words = layout->out_words;
    k->layout = layout;
    k->compare = compare;
    k->seen = calloc(words, sizeof *k->seen);
    k->first = calloc(words, sizeof *k->first);
    k->moved = calloc(words, sizeof *k->moved);
    k->spans = calloc(words, sizeof *k->spans);
    if (k->seen == NULL || k->first == NULL || k->moved == NULL || k->spans == NULL) {
        return false;
    }
    find_spans(k);
    return true;
}

void wlk_constants_free(constants *k) {
    free(k->seen);
    free(k->first);
    free(k->moved);
    free(k->spans);
}

static inline void count(constants *k, uint32_t cycles) {
    k->cycles += cycles;
    if (k->cycles >= WINDOW) {
        find_spans(k);
    }
}

void wlk_constants_note(constants *k, const uint64_t *got, const uint64_t *got_x,
                        const uint64_t *judged) {
    for (uint32_t s = 0; s < k->n_spans; s++) {
        const constant_span *span = &k->spans[s];
        for (uint32_t w = span->from; w < span->from + span->n; w++) {
            const uint64_t known = judged[w] & ~got_x[w];
            k->first[w] |= got[w] & known & ~k->seen[w];
            k->seen[w] |= known;
            k->moved[w] |= (got[w] ^ k->first[w]) & known;
        }
    }
    count(k, 1);
}

typedef uint64_t pair __attribute__((vector_size(2 * sizeof(uint64_t))));

static inline pair load(const void *from) {
    pair value;
    memcpy(&value, from, sizeof value);
    return value;
}

// Words of a span in @p n cycles, which lie @p step bytes apart: eight of them, in registers, or
// one. @p got: the first one in the first cycle, 4-byte aligned. Bits that were never known may
// count as moved, which hides a constant at most.
static inline void move_group(uint64_t *moved, const uint64_t *first, const char *got, size_t step,
                              uint32_t n) {
    const pair f0 = load(first), f1 = load(first + 2), f2 = load(first + 4), f3 = load(first + 6);
    pair m0 = load(moved), m1 = load(moved + 2), m2 = load(moved + 4), m3 = load(moved + 6);
    for (; n > 0; n--, got += step) {
        m0 |= load(got) ^ f0;
        m1 |= load(got + sizeof m0) ^ f1;
        m2 |= load(got + 2 * sizeof m0) ^ f2;
        m3 |= load(got + 3 * sizeof m0) ^ f3;
    }
    memcpy(moved, &m0, sizeof m0);
    memcpy(moved + 2, &m1, sizeof m1);
    memcpy(moved + 4, &m2, sizeof m2);
    memcpy(moved + 6, &m3, sizeof m3);
}

static inline void move_word(uint64_t *moved, uint64_t first, const char *got, size_t step,
                             uint32_t n) {
    for (; n > 0; n--, got += step) {
        uint64_t value;
        memcpy(&value, got, sizeof value);
        *moved |= value ^ first;
    }
}

static inline void move(constants *k, const constant_span *span, const char *got, size_t step,
                        uint32_t n) {
    uint64_t *moved = k->moved + span->from;
    const uint64_t *first = k->first + span->from;
    for (uint32_t i = 0; span->n < GROUP && i < span->n; i++) {
        move_word(&moved[i], first[i], got + i * sizeof *first, step, n);
    }
    for (uint32_t i = 0; span->n >= GROUP && i < span->n; i += GROUP) {
        const uint32_t at = i + GROUP <= span->n ? i : span->n - GROUP; // some of them once more
        move_group(moved + at, first + at, got + at * sizeof *first, step, n);
    }
}

void wlk_constants_view(constants *k, const wlk_view *got) {
    for (uint32_t s = 0; s < k->n_spans; s++) {
        const constant_span *span = &k->spans[s];
        const bool in_payload = span->payload >= 0;
        const char *words = in_payload ? got->payload[span->payload] : (const void *)got->control;
        if (words != NULL) {
            const uint32_t at = in_payload ? span->offset : span->from;
            move(k, span, words + at * sizeof(uint64_t), 0, 1);
        }
    }
    count(k, 1);
}

void wlk_constants_run(constants *k, const uint64_t *got, size_t step, uint32_t n) {
    for (uint32_t s = 0; s < k->n_spans; s++) {
        const constant_span *span = &k->spans[s];
        move(k, span, (const char *)(got + span->from), step * sizeof *got, n);
    }
    count(k, n);
}

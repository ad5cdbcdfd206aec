// SPDX-License-Identifier: Apache-2.0
// Packing of records, for any processor and for AVX-512: the same code around other primitives.
#include "pack.h"

#include <stdlib.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

/** Bit i: a[i] != b[i], for 8 words. */
typedef unsigned differ8_fn(const uint64_t *a, const uint64_t *b);

/**
 * One part of a record: append the words of @p now that differ from @p before to @p to, set their
 * bits in @p map, make @p before equal to @p now. Returns the end of what was appended, past
 * which it may write up to PACK_AHEAD words.
 */
typedef uint64_t *take_fn(uint64_t *to, uint64_t *before, const uint64_t *now, uint32_t words,
                          uint8_t *map);

/* ---- primitives for any processor ---- */

#ifdef __SSE2__
/** Two words of each: a 32-bit half that is equal is all ones. */
INLINE __m128i equal2(const uint64_t *a, const uint64_t *b) {
    return _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(const void *)a),
                           _mm_loadu_si128((const __m128i *)(const void *)b));
}

INLINE unsigned differ8_any(const uint64_t *a, const uint64_t *b) {
    const __m128i ones = _mm_set1_epi32(-1);
    __m128i low = _mm_packs_epi32(equal2(a, b), equal2(a + 2, b + 2));
    __m128i high = _mm_packs_epi32(equal2(a + 4, b + 4), equal2(a + 6, b + 6));
    // A word is equal when both halves are; then 16 bits a word, then 8.
    __m128i words = _mm_packs_epi32(_mm_cmpeq_epi32(low, ones), _mm_cmpeq_epi32(high, ones));
    return ~(unsigned)_mm_movemask_epi8(_mm_packs_epi16(words, words)) & 0xffu;
}
#else
INLINE unsigned differ8_any(const uint64_t *a, const uint64_t *b) {
    unsigned bits = 0;
    for (unsigned i = 0; i < 8; i++) {
        bits |= (unsigned)(a[i] != b[i]) << i;
    }
    return bits;
}
#endif

/** Append the words that @p bits names. */
INLINE uint64_t *take8(uint64_t *to, const uint64_t *now, unsigned bits) {
    if (bits == 0xffu) {
        memcpy(to, now, 8 * sizeof *to);
        return to + 8;
    }
    for (; bits != 0; bits &= bits - 1) {
        *to++ = now[__builtin_ctz(bits)];
    }
    return to;
}

INLINE uint64_t *take_any(uint64_t *to, uint64_t *before, const uint64_t *now, uint32_t words,
                          uint8_t *map) {
    uint32_t i = 0;
    for (; i + 8 <= words; i += 8) {
        unsigned bits = differ8_any(before + i, now + i);
        *map++ = (uint8_t)bits;
        if (bits != 0) {
            to = take8(to, now + i, bits);
            memcpy(before + i, now + i, 8 * sizeof *now);
        }
    }
    if (i < words) {
        unsigned bits = 0;
        for (unsigned bit = 0; i < words; bit++, i++) {
            unsigned differs = now[i] != before[i];
            bits |= differs << bit;
            *to = now[i];
            to += differs;
            before[i] = now[i];
        }
        *map = (uint8_t)bits;
    }
    return to;
}

/* ---- packing ---- */

INLINE uint32_t hash_word(uint64_t word) {
    return (uint32_t)((word * 0x9e3779b97f4a7c15u) >> (64 - HASH_BITS));
}

/** End a sequence: the open literals, then @p repeats words from @p source on. */
INLINE void end_sequence(packer *p, uint32_t source, uint32_t repeats) {
    while (__builtin_expect(p->literal_len > MAX_RUN, 0)) {
        p->runs[p->sequences++] = (lengths){.literals = MAX_RUN, .repeats = 0};
        p->literal_len -= MAX_RUN;
    }
    p->runs[p->sequences++] =
        (lengths){.literals = (uint8_t)p->literal_len, .repeats = (uint8_t)repeats};
    p->sources[p->source_count] = (uint16_t)source;
    p->source_count += repeats != 0;
    p->literal_len = 0;
}

/** Append the @p count words after the history to it. */
INLINE void take_literals(packer *p, uint32_t count) {
    const uint32_t end = p->history_len + count;
    for (uint32_t at = p->history_len; at < end; at++) {
        p->table[hash_word(p->history[at])] = (uint32_t)p->history[at] << 16 | at;
    }
    p->history_len = end;
    p->literal_len += count;
}

/**
 * How many of @p count words repeat history[from], history[from + 1], ...? Eight at a time, with
 * branches: a right guess of the processor lets the search for the next words start early.
 */
INLINE uint32_t match(const packer *p, uint32_t from, const uint64_t *word, uint32_t count,
                      differ8_fn *differ8) {
    const uint64_t *known = p->history + from;
    uint32_t most = p->history_len - from;
    most = most < count ? most : count;
    most = most < MAX_RUN ? most : MAX_RUN;
    uint32_t same = 0;
    for (; same + 8 <= most; same += 8) {
        unsigned bits = differ8(known + same, word + same);
        if (bits != 0) {
            return same + (uint32_t)__builtin_ctz(bits);
        }
        if (same + 8 < most && known[same + 8] != word[same + 8]) {
            return same + 8;
        }
    }
    while (same < most && known[same] == word[same]) {
        same++;
    }
    return same;
}

/** Search the history for each word from @p word to @p end, which lie somewhere after it. */
INLINE void search(packer *p, const uint64_t *word, const uint64_t *end, differ8_fn *differ8) {
    while (word < end) {
        uint32_t slot = p->table[hash_word(*word)];
        if (slot >> 16 == (*word & 0xffffu)) {
            uint32_t same = match(p, slot & 0xffffu, word, (uint32_t)(end - word), differ8);
            if (same != 0) {
                end_sequence(p, slot & 0xffffu, same);
                word += same;
                continue;
            }
        }
        p->history[p->history_len] = *word++;
        take_literals(p, 1);
    }
}

INLINE void pack(packer *to, const uint64_t *in, const uint64_t *out, const uint64_t *care,
                 uint8_t *map, take_fn *take, differ8_fn *differ8) {
    packer p = *to; // its counters in registers
    const uint32_t in_words = p.shape.in_words;
    const uint32_t out_words = p.shape.out_words;
    // Changed words are written after the history; the search moves those that are new down to it.
    uint64_t *word = p.history + p.history_len;
    uint64_t *end = take(word, p.before, in, in_words, map);
    if (!p.search_inputs) {
        take_literals(&p, (uint32_t)(end - word));
        word = end;
    }
    map += (in_words + 7) / 8;
    end = take(end, p.before + in_words, out, out_words, map);
    map += (out_words + 7) / 8;
    end = take(end, p.before + in_words + out_words, care, out_words, map);
    search(&p, word, end, differ8);
    to->history_len = p.history_len;
    to->sequences = p.sequences;
    to->source_count = p.source_count;
    to->literal_len = p.literal_len;
}

void wlk_vec_pack_any(packer *p, const uint64_t *in, const uint64_t *out, const uint64_t *care,
                      uint8_t *map) {
    pack(p, in, out, care, map, take_any, differ8_any);
}

bool wlk_vec_pack_open(packer *p, const wlk_vec_shape *shape) {
    *p = (packer){.shape = *shape};
    p->before = malloc(record_words(shape) * sizeof *p->before);
    p->history = malloc((MAX_LITERALS + 1 + PACK_AHEAD) * sizeof *p->history);
    p->runs = malloc(MAX_SEQUENCES * sizeof *p->runs);
    p->sources = malloc(MAX_SEQUENCES * sizeof *p->sources);
    p->table = malloc(sizeof *p->table << HASH_BITS);
    return p->before != NULL && p->history != NULL && p->runs != NULL && p->sources != NULL &&
           p->table != NULL;
}

void wlk_vec_pack_close(packer *p) {
    free(p->before);
    free(p->history);
    free(p->runs);
    free(p->sources);
    free(p->table);
}

void wlk_vec_pack_start(packer *p) {
    memset(p->before, 0, record_words(&p->shape) * sizeof *p->before);
    p->history[0] = 0;
    p->history_len = 1;
    p->sequences = p->source_count = p->literal_len = 0;
    memset(p->table, 0, sizeof *p->table << HASH_BITS);
}

void wlk_vec_pack_end(packer *p) {
    if (p->literal_len != 0) {
        end_sequence(p, 0, 0);
    }
}

/* ---- AVX-512 ---- */

#ifdef __x86_64__
#define AVX512 __attribute__((target("avx512f,popcnt,bmi")))

AVX512 static inline unsigned differ8_avx512(const uint64_t *a, const uint64_t *b) {
    return _mm512_cmpneq_epi64_mask(_mm512_loadu_si512(a), _mm512_loadu_si512(b));
}

AVX512 static inline uint64_t *take_avx512(uint64_t *to, uint64_t *before, const uint64_t *now,
                                           uint32_t words, uint8_t *map) {
    const uint64_t *end = now + (words & ~7u);
    for (; now < end; now += 8, before += 8) {
        __m512i new = _mm512_loadu_si512(now);
        __mmask8 bits = _mm512_cmpneq_epi64_mask(new, _mm512_loadu_si512(before));
        *map++ = (uint8_t)bits;
        if (bits != 0) {
            _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(bits, new));
            to += __builtin_popcount(bits);
            _mm512_storeu_si512(before, new);
        }
    }
    if (words % 8 != 0) {
        __mmask8 valid = (__mmask8)((1u << words % 8) - 1);
        __m512i new = _mm512_maskz_loadu_epi64(valid, now);
        __mmask8 bits =
            _mm512_mask_cmpneq_epi64_mask(valid, new, _mm512_maskz_loadu_epi64(valid, before));
        *map = (uint8_t)bits;
        if (bits != 0) {
            _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(bits, new));
            to += __builtin_popcount(bits);
            _mm512_mask_storeu_epi64(before, valid, new);
        }
    }
    return to;
}

AVX512 static void pack_avx512(packer *p, const uint64_t *in, const uint64_t *out,
                               const uint64_t *care, uint8_t *map) {
    pack(p, in, out, care, map, take_avx512, differ8_avx512);
}
#endif

wlk_vec_pack *wlk_vec_best_pack(void) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt") &&
        __builtin_cpu_supports("bmi")) {
        return pack_avx512;
    }
#endif
    return wlk_vec_pack_any;
}

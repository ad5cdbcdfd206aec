// SPDX-License-Identifier: Apache-2.0
// Packing of records, for any processor and for AVX-512: the same code around other primitives.
#include "pack.h"

#include <stdlib.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

enum { GROUP = 64 }; /* words that are looked up together */

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

/** Bit i: a[i] != b[i], for 8 words. */
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

/** Make the @p count words after the history part of it. */
INLINE void remember(packer *p, uint32_t count) {
    const uint32_t end = p->history_len + count;
    for (uint32_t at = p->history_len; at < end; at++) {
        p->table[hash_word(p->history[at])] = (uint16_t)at;
    }
    p->history_len = end;
}

/** What the history has of @p count words, at most GROUP. */
typedef struct known {
    uint64_t found;   /* bit i: word i, at place[i] */
    uint64_t follows; /* bit i: and it is the place after that of word i - 1 */
    uint16_t place[GROUP];
} known;

/** Without a branch: nobody foretells which words are known, and a wrong guess costs lookups. */
INLINE void look_up(const packer *p, const uint64_t *word, uint32_t count, known *k) {
    uint64_t found = 0, follows = 0;
    uint32_t after = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t place = p->table[hash_word(word[i])];
        k->place[i] = (uint16_t)place;
        found |= (uint64_t)(p->history[place] == word[i]) << i;
        follows |= (uint64_t)(place == after) << i;
        after = place + 1;
    }
    k->found = found;
    k->follows = follows & found & found << 1;
}

/**
 * Search the history for each word from @p word to @p end, which lie somewhere after it. A group
 * becomes part of the history when all of it has been looked up.
 */
INLINE void search(packer *p, const uint64_t *word, const uint64_t *end) {
    while (word < end) {
        const uint32_t count = end - word < GROUP ? (uint32_t)(end - word) : GROUP;
        known k;
        look_up(p, word, count, &k);
        uint32_t done = 0, fresh = 0;
        for (uint64_t starts = k.found & ~k.follows; starts != 0; starts &= starts - 1) {
            const uint32_t i = (uint32_t)__builtin_ctzll(starts);
            const uint32_t repeats = 1 + (uint32_t)__builtin_ctzll(~(k.follows >> i >> 1));
            p->literal_len += i - done;
            end_sequence(p, k.place[i], repeats);
            done = i + repeats;
        }
        const uint64_t all = UINT64_MAX >> (GROUP - count);
        for (uint64_t new = all & ~k.found; new != 0; new &= new - 1) {
            p->history[p->history_len + fresh++] = word[__builtin_ctzll(new)];
        }
        p->literal_len += count - done;
        remember(p, fresh);
        word += count;
    }
}

INLINE void pack(packer *to, const uint64_t *in, const uint64_t *out, const uint64_t *care,
                 uint8_t *map, take_fn *take) {
    packer p = *to; // its counters in registers
    const uint32_t in_words = p.shape.in_words;
    const uint32_t out_words = p.shape.out_words;
    // Changed words are written after the history; the search moves those that are new down to it.
    // All are written first: to read one right behind its wide write waits for the cache.
    uint64_t *inputs = p.history + p.history_len;
    uint64_t *outputs = take(inputs, p.before, in, in_words, map);
    map += (in_words + 7) / 8;
    uint64_t *end = take(outputs, p.before + in_words, out, out_words, map);
    map += (out_words + 7) / 8;
    end = take(end, p.before + in_words + out_words, care, out_words, map);
    if (p.search_inputs) {
        search(&p, inputs, outputs);
    } else {
        p.literal_len += (uint32_t)(outputs - inputs);
        remember(&p, (uint32_t)(outputs - inputs));
    }
    search(&p, outputs, end);
    to->history_len = p.history_len;
    to->sequences = p.sequences;
    to->source_count = p.source_count;
    to->literal_len = p.literal_len;
}

void wlk_vec_pack_any(packer *p, const uint64_t *in, const uint64_t *out, const uint64_t *care,
                      uint8_t *map) {
    pack(p, in, out, care, map, take_any);
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
    pack(p, in, out, care, map, take_avx512);
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

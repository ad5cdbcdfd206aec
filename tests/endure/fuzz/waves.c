// SPDX-License-Identifier: Apache-2.0
// Words for wlk-check up to the first zero byte, with which an FST begins: the list, all values,
// and instances that are checked. Lengths of the FST's blocks are mended.
#define main wlk_check_main
#include "wlk_check.c"
#undef main

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

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    const uint8_t *zero = memchr(data, 0, size);
    const size_t words = zero != NULL ? (size_t)(zero - data) : size, before = size - words;
    if (seed % 4 == 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    size = words + LLVMFuzzerMutate(data + words, before, max_size - words);
    if (seed % 4 != 1) {
        mend(data + words, size - words, before);
    }
    return size;
}

static void bind_all(wlk_wave *wave) {
    size_t count = 0;
    const wlk_wave_signal *signals = wlk_wave_signals(wave, &count);
    static uint64_t value, x;
    wlk_error err;
    for (size_t i = 0; i < count; i++) {
        const wlk_wave_dest to = {.value = &value, .x = &x, .width = 1};
        (void)wlk_wave_bind(wave, WLK_WAVE_NO_SAMPLER, signals[i].handle, &to, &err);
    }
}

static void run_words(const char *path, char *words) {
    static session s;
    wlk_wave *wave = NULL;
    wlk_error err;
    memset(&s, 0, sizeof s);
    if (wlk_wave_open(&wave, path, path, &err) == WLK_OK) {
        list(wave);
        (void)wlk_wave_verify(wave, &err);
        if (words[0] == '\0') {
            bind_all(wave);
            (void)wlk_wave_run(wave, &err);
        } else if (check(&s, words, wave, &err) == WLK_OK) {
            (void)answer(&s);
        }
    }
    for (uint32_t i = 0; i < s.n; i++) {
        instance_close(&s.instances[i]);
    }
    wlk_wave_close(wave);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *zero = memchr(data, 0, size);
    const size_t words = zero != NULL ? (size_t)(zero - data) : size;
    char *text = fuzz_text(data, words);
    const fuzz_file file = fuzz_file_new(data + words, size - words);
    run_words(file.path, text);
    fuzz_file_end(&file);
    free(text);
    return 0;
}

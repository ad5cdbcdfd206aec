// SPDX-License-Identifier: Apache-2.0
// Words for wlk-check up to the first zero byte, with which an FST begins: the list, all values,
// and instances that are checked. Lengths of the FST's blocks are mended.
#define main wlk_check_main
#include "wlk_check.c"
#undef main

#include "fst_mended.h"

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

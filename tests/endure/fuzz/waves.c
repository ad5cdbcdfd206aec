// SPDX-License-Identifier: Apache-2.0
// Words for wlk-check up to the first zero byte, with which an FST begins: the list, all values,
// and instances that are checked. Lengths of the FST's blocks are mended.
#define main wlk_check_main
#include "wlk_check.c"
#undef main

#include "fst_mended.h"

const unsigned fuzz_text_share = 2;

// Of instances.
const char *const fuzz_words[] = {"--instance",
                                  "block=compactor",
                                  "block=scoreboard",
                                  "block=hazard",
                                  "scope=Compactor",
                                  "scope=Scoreboard",
                                  "clock=Compactor.clock",
                                  "clock=Scoreboard.clock",
                                  "clock=Compactor.io_in_0_valid",
                                  "power_up=late",
                                  "power_up=zero",
                                  "power_up=unknown",
                                  "skip=1",
                                  "reset=Compactor.reset",
                                  "low=Compactor.reset",
                                  "n=1",
                                  "k=1",
                                  "payload_words=1",
                                  "tie=0:0:1:1",
                                  "tie=0:63:1:0",
                                  "part=io_in_0_valid:Compactor.io_in_0_valid:0:1",
                                  "waive=compactor 0 io_out_0_bits_0 0xff",
                                  "reset &&",
                                  NULL};

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

// No file that is kept has one: it has grown, and all lengths with it.
static bool has_long_name(const wlk_wave *wave) {
    size_t count = 0, longest = 0;
    const wlk_wave_signal *signals = wlk_wave_signals(wave, &count);
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(signals[i].leaf);
        longest = length > longest ? length : longest;
    }
    return longest > 60;
}

static void run_words(const char *path, char *words) {
    static session s;
    wlk_wave *wave = NULL;
    wlk_error err;
    memset(&s, 0, sizeof s);
    if (wlk_wave_open(&wave, path, path, &err) == WLK_OK) {
        fuzz_planted("waves", has_long_name(wave));
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

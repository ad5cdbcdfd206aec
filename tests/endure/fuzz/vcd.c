// SPDX-License-Identifier: Apache-2.0
// VCD, a few bytes at a time, which ones does not matter. What is taken is the same when it is
// written and read again, and is sampled with its first scalar as the clock.
#include "lines_mended.h"
#include "warplock/wave.h"

#define VCD_ROOM 16
#include "vcd_text.c"

const char *const fuzz_words[] = {"$end",
                                  "$var wire 1 ! a $end",
                                  "$var wire 8 \" b [7:0] $end",
                                  "$var real 64 # r $end",
                                  "$var port 1 <0 p $end",
                                  "$scope module m $end",
                                  "$scope begin $end",
                                  "$upscope $end",
                                  "$timescale 10 ns $end",
                                  "$enddefinitions $end",
                                  "$comment #99 0! $end",
                                  "$date",
                                  "$dumpvars",
                                  "$dumpall",
                                  "$dumpoff",
                                  "$dumpon",
                                  "$dumpports",
                                  "#0",
                                  "#10",
                                  "#11.0",
                                  "#18446744073709551614",
                                  "0!",
                                  "1!",
                                  "x!",
                                  "bz01 \"",
                                  "bx \"",
                                  "b0101010101010101010101010101 \"",
                                  "r1.5 #",
                                  "sIDLE #",
                                  "!",
                                  "\"",
                                  "[3]",
                                  "[0:7]",
                                  "\\esc[1]",
                                  "67108864",
                                  "\t\f\r",
                                  NULL};

static int take(void *ctx, uint64_t time, uint64_t sample) {
    const uint64_t *last = ctx;
    if (sample != 0 && time < *last) {
        abort();
    }
    *(uint64_t *)ctx = time;
    return WLK_WAVE_CONTINUE;
}

static void sample(wlk_wave *wave, bool whole) {
    static uint64_t value, x, last;
    uint32_t sampler = WLK_WAVE_NO_SAMPLER;
    size_t count = 0;
    wlk_error err;
    const wlk_wave_signal *signals = wlk_wave_signals(wave, &count);
    for (size_t i = 0; i < count; i++) {
        const wlk_wave_dest to = {
            .value = &value, .x = &x, .width = 1, .source_lsb = signals[i].width - 1u};
        if (sampler == WLK_WAVE_NO_SAMPLER && signals[i].width == 1) {
            (void)wlk_wave_add_sampler(wave, signals[i].handle, take, &last, &sampler, &err);
        }
        (void)wlk_wave_bind(wave, sampler, signals[i].handle, &to, &err);
        (void)wlk_wave_require_once(wave, i, &err);
    }
    if ((wlk_wave_run(wave, &err) == WLK_OK) != whole) {
        abort();
    }
}

// NULL: it is refused.
static char *copy_of(const void *data, size_t size, bool is_copy) {
    char *copy = NULL;
    size_t length = 0;
    wlk_wave *wave = NULL;
    wlk_error err = {.text = ""};
    const fuzz_file file = fuzz_file_new(data, size);
    wlk_status status = wlk_wave_open(&wave, file.path, "a.vcd", &err);
    if (status == WLK_OK) {
        FILE *to = open_memstream(&copy, &length);
        status = wlk_wave_copy(wave, to, &err);
        (void)fclose(to);
        fuzz_planted("vcd", status == WLK_OK && strstr(copy, "$scope module m $end") != NULL &&
                                strstr(copy, "\nbz01 ") != NULL);
        if (!is_copy) {
            sample(wave, status == WLK_OK);
        }
    }
    if ((status == WLK_OK) == (err.text[0] != '\0') || (is_copy && status != WLK_OK)) {
        abort();
    }
    wlk_wave_close(wave);
    fuzz_file_end(&file);
    if (status != WLK_OK) {
        free(copy);
        return NULL;
    }
    return copy;
}

static size_t lines_of(const char *text) {
    size_t lines = 0;
    for (; *text != '\0'; text++) {
        lines += *text == '\n';
    }
    return lines;
}

// Blanks in front: other parts of the file, the same answer.
static void require_same(const uint8_t *data, size_t size, const char *copy) {
    const size_t blanks = 1u + size % 15u;
    char *text = malloc(size + blanks);
    if (text == NULL) {
        abort();
    }
    memset(text, ' ', blanks);
    memcpy(text + blanks, data, size);
    char *shifted = copy_of(text, size + blanks, false);
    if ((shifted == NULL) != (copy == NULL) || (copy != NULL && strcmp(shifted, copy) != 0)) {
        abort();
    }
    free(shifted);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char end[] = "$enddefinitions $end\n";
    char *copy = size != 0 && data[0] != '\0' ? copy_of(data, size, false) : NULL;
    if (copy != NULL && strstr(copy, end)[sizeof end - 1u] != '\0') { // it has changes
        char *again = copy_of(copy, strlen(copy), true);
        char *third = copy_of(again, strlen(again), true);
        // the first lacks reals and strings, so that codes move up
        if (lines_of(copy) != lines_of(again) || strcmp(again, third) != 0) {
            abort();
        }
        free(again);
        free(third);
    }
    if (size != 0 && data[0] != '\0') {
        require_same(data, size, copy);
    }
    free(copy);
    return 0;
}

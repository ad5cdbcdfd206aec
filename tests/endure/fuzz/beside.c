// SPDX-License-Identifier: Apache-2.0
// wlk-vec beside: signals as text up to the first zero byte, and the FST that they are put beside.
#include "fst_mended.h"
#include "vec_job.h"

const unsigned fuzz_text_share = 5;

// Heads and values of signals.
const char *const fuzz_words[] = {"+warplock", "+",         "-",     "=1 mismatch",
                                  "=8 x",      "=64 cycle", "=65 y", "=0 z",
                                  "#0",        "#100",      "#101",  "#18446744073709551615",
                                  "0 0",       "1 1",       "2 x",   "0 xxxxxxxx",
                                  "01x",       "",          NULL};

static void run(char *wave, char *signals) {
    char out[96];
    wlk_error err;
    job j = {.force = true};
    (void)snprintf(out, sizeof out, "%s/out.fst", fuzz_folder());
    char *words[] = {wave, signals, out};
    const wlk_status status = vec_beside(&j, words, &err);
    if (status == WLK_OK && unlink(out) != 0) {
        abort(); // it says that it has written a file
    }
    job_close(&j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *zero = memchr(data, 0, size);
    const size_t words = zero != NULL ? (size_t)(zero - data) : size;
    const fuzz_file signals = fuzz_file_new(data, words);
    const fuzz_file wave = fuzz_file_new(data + words, size - words);
    char wave_path[FUZZ_PATH], signals_path[FUZZ_PATH];
    memcpy(wave_path, wave.path, sizeof wave_path);
    memcpy(signals_path, signals.path, sizeof signals_path);
    run(wave_path, signals_path);
    fuzz_file_end(&wave);
    fuzz_file_end(&signals);
    return 0;
}

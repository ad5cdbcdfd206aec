// SPDX-License-Identifier: Apache-2.0
// Record files: every cycle once, some by their number. What a seek gives is what reading gave.
#include "records_mended.h"
#include "warplock/vectors.h"

enum { MOST_CYCLES = 20000 };

typedef struct sums {
    uint64_t of[64];
    uint64_t n;
} sums;

static uint64_t sum(const wlk_vec_shape *shape, const uint64_t *in, const uint64_t *out,
                    const uint64_t *care) {
    uint64_t all = 0;
    for (uint32_t w = 0; w < shape->in_words; w++) {
        all = (all + in[w]) * 31;
    }
    for (uint32_t w = 0; w < shape->out_words; w++) {
        all = (all + out[w] * 3 + care[w]) * 31;
    }
    return all;
}

static void read_all(wlk_vec_reader *r, sums *s) {
    const wlk_vec_shape shape = wlk_vec_get_shape(r);
    const uint64_t *in, *out, *care;
    wlk_error err;
    while (s->n < MOST_CYCLES && wlk_vec_read(r, &in, &out, &care, &err) == WLK_OK && in != NULL) {
        s->of[s->n % 64] = sum(&shape, in, out, care);
        s->n++;
    }
}

static void seek_back(wlk_vec_reader *r, const sums *s) {
    const wlk_vec_shape shape = wlk_vec_get_shape(r);
    const uint64_t *in, *out, *care;
    wlk_error err;
    for (uint64_t back = 1; back <= 64 && back <= s->n; back *= 4) {
        const uint64_t cycle = s->n - back;
        if (wlk_vec_seek(r, cycle, &err) != WLK_OK ||
            wlk_vec_read(r, &in, &out, &care, &err) != WLK_OK || in == NULL ||
            sum(&shape, in, out, care) != s->of[cycle % 64]) {
            abort(); // it was read before
        }
    }
    (void)wlk_vec_seek(r, wlk_vec_cycles(r), &err);
    (void)wlk_vec_seek(r, wlk_vec_cycles(r) + 1, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const fuzz_file file = fuzz_file_new(data, size);
    wlk_vec_reader *reader = NULL;
    wlk_error err;
    sums s = {.n = 0};
    if (wlk_vec_open(&reader, file.path, &err) == WLK_OK) {
        // the files that are kept have none, or more
        fuzz_planted("records", wlk_vec_cycles(reader) - 1 < 4);
        read_all(reader, &s);
        seek_back(reader, &s);
    }
    wlk_vec_close(reader);
    fuzz_file_end(&file);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Make a failing stimulus small: leave out cycles while it still fails and stays legal. What is
// left is written by write_records; scripts/wlk/run/failures.py names the file, stimulus.wlv.
#include <stdlib.h>
#include <string.h>

#include "harness_private.h"

enum { MAX_RUNS = 300, KEEP_FIRST = 4 }; // the reset at the start stays

typedef struct stimulus {
    uint64_t *words; // n records of inputs
    uint64_t n;
    const place *keeps; // the assertion that must fire, or NULL: outputs must differ
} stimulus;

// Does it fail without breaking a rule of the module's? Then *failed_at is the cycle. That a block
// inside is given what breaks a rule is no fault of the stimulus. Where nothing differs, failing is
// the assertion of the same place.
static bool fails(harness *b, const stimulus *s, uint64_t *failed_at) {
    bool mismatch = false, legal = true, fired = false;
    harness_begin(b, b->seed, NULL);
    for (uint64_t c = 0; c < s->n && wlk_dpi_failures == 0 && !fired; c++) {
        (void)harness_cycle(b, s->words + c * b->layout.in_words);
        fired = s->keeps != NULL && assertions_fired(b, s->keeps, failed_at);
    }
    for (uint32_t i = 0; i < wlk_dpi_count(); i++) {
        const wlk_checker *checker = wlk_dpi_checker(i);
        const wlk_checker_result r = wlk_checker_result_get(checker, false);
        legal = legal && (r.violated == 0 || !blame_is_stage(b, checker));
        if (s->keeps == NULL && r.mismatches != 0 && (!mismatch || r.first_cycle < *failed_at)) {
            mismatch = true;
            *failed_at = r.first_cycle;
        }
    }
    harness_end(b);
    return (s->keeps != NULL ? fired : mismatch) && legal;
}

static void remove_cycles(const harness *b, const stimulus *from, uint64_t at, uint64_t n,
                          stimulus *to) {
    const size_t words = b->layout.in_words;
    memcpy(to->words, from->words, at * words * sizeof(uint64_t));
    memcpy(to->words + at * words, from->words + (at + n) * words,
           (from->n - at - n) * words * sizeof(uint64_t));
    to->n = from->n - n;
}

static void reduce(harness *b, stimulus *best, stimulus *trial) {
    uint32_t runs = 0;
    for (uint64_t chunk = best->n / 2u; chunk >= 1; chunk /= 2u) {
        for (uint64_t at = KEEP_FIRST; at + chunk < best->n && runs < MAX_RUNS && !tool_stop;) {
            uint64_t failed_at = 0;
            remove_cycles(b, best, at, chunk, trial);
            runs++;
            if (!fails(b, trial, &failed_at)) {
                at += chunk;
                continue;
            }
            const stimulus swap = *best;
            *best = *trial;
            best->n = failed_at + 1u;
            *trial = swap;
        }
    }
}

static wlk_status write_records(harness *b, const stimulus *s, wlk_error *err) {
    const wlk_vec_shape shape = {b->layout.in_words, b->layout.out_words};
    uint64_t *out = calloc(2u * (size_t)b->layout.out_words, sizeof(uint64_t));
    wlk_vec_writer *writer = NULL;
    if (out == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "shrink: out of memory");
    }
    wlk_status status = wlk_vec_create(&writer, b->shrink, &shape, b->header, true, err);
    b->block->init(b->cfg, b->model, b->random ? WLK_POWER_UNKNOWN : WLK_POWER_ZERO);
    for (uint64_t c = 0; status == WLK_OK && c < s->n; c++) {
        wlk_step_info info;
        const uint64_t *in = s->words + c * b->layout.in_words;
        uint64_t *care = out + b->layout.out_words;
        (void)harness_clear(b, in);
        b->block->record(b->cfg, b->model, in, out, care, &info);
        status = wlk_vec_write(writer, in, out, care, err);
    }
    if (status == WLK_OK) {
        status = wlk_vec_finish(writer, err);
    } else if (writer != NULL) {
        wlk_vec_abort(writer);
    }
    free(out);
    return status;
}

void harness_again(harness *b, uint64_t cycle, uint64_t *in) {
    b->stim.drain = b->program == NULL && cycle >= b->cycles;
    (void)harness_next(b, in);
}

// The inputs of the failing seed again, up to the failure.
static void collect(harness *b, stimulus *s, uint64_t n) {
    harness_start_stimulus(b);
    for (s->n = 0; s->n < n; s->n++) {
        harness_again(b, s->n, s->words + s->n * b->layout.in_words);
    }
}

wlk_status harness_shrink(harness *b, wlk_error *err) {
    const place kept = b->assertions.places[0];
    const place *keeps = b->status == WLK_RTL_ASSERTION ? &kept : NULL;
    const uint64_t n = keeps != NULL ? kept.cycle + 1u : b->cycle;
    stimulus best = {NULL, 0, keeps}, trial = {NULL, 0, keeps};
    uint64_t failed_at = 0;
    best.words = calloc(n * b->layout.in_words + 1u, sizeof(uint64_t));
    trial.words = calloc(n * b->layout.in_words + 1u, sizeof(uint64_t));
    wlk_status status = b->status;
    if (best.words != NULL && trial.words != NULL && b->replay == NULL) {
        collect(b, &best, n);
        if (fails(b, &best, &failed_at)) {
            best.n = failed_at + 1u;
            reduce(b, &best, &trial);
            const wlk_status wrote = write_records(b, &best, err);
            status = wrote != WLK_OK ? wrote : status;
        }
    }
    free(best.words);
    free(trial.words);
    return status;
}

// SPDX-License-Identifier: Apache-2.0
// Commands that make records: generate them from a seed, as a file or as bare words; import a CSV.
#define _GNU_SOURCE // open_memstream
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vec_job.h"

static wlk_status interrupted(wlk_error *err) {
    return wlk_fail(err, WLK_INTERRUPTED, "interrupted; nothing was written");
}

// What made a file: docs/record-format.md, "Header text".
typedef struct origin {
    const char *source, *power_up;
    const char *profile; // with the seed; NULL: none
    uint64_t seed;
    const char *recording; // NULL: none
} origin;

// The text is the caller's to free; NULL: out of memory.
static char *header_text(const job *j, const origin *from) {
    const wlk_table *t = j->b.block->table;
    char *text = NULL, schema[17], tool[64];
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    wlk_json line = {to, false};
    if (to == NULL) {
        return NULL;
    }
    (void)snprintf(schema, sizeof schema, "%016" PRIx64, t->schema_hash);
    (void)snprintf(tool, sizeof tool, "warplock %s", wlk_version());
    wlk_json_open(&line, NULL, '{');
    wlk_json_text(&line, "tool", tool);
    wlk_json_text(&line, "block", t->name);
    wlk_json_text(&line, "schema", schema);
    wlk_json_number(&line, "model_version", t->model_version);
    wlk_json_config(&line, t, j->b.cfg);
    if (j->b.members_text != NULL) {
        wlk_json_text(&line, "members", j->b.members_text);
    }
    wlk_json_text(&line, "power_up", from->power_up);
    wlk_json_text(&line, "source", from->source);
    if (j->is_async) {
        wlk_json_text(&line, "reset", "async");
    }
    if (from->profile != NULL) {
        wlk_json_number(&line, "seed", from->seed);
        wlk_json_text(&line, "profile", from->profile);
    } else {
        wlk_json_text(&line, "recording", from->recording);
    }
    wlk_json_close(&line, '}');
    return fclose(to) == 0 ? text : NULL;
}

static wlk_status create(job *j, const char *path, const origin *from, wlk_error *err) {
    const wlk_vec_shape shape = {j->b.layout.in_words, j->b.layout.out_words};
    char *header = header_text(j, from);
    if (header == NULL) {
        return tool_no_memory(err);
    }
    const wlk_status status = wlk_vec_create(&j->writer, path, &shape, header, j->force, err);
    free(header);
    if (status == WLK_OK && j->small) {
        wlk_vec_compact(j->writer);
    }
    return status;
}

static wlk_status finish(job *j, wlk_error *err) {
    wlk_vec_writer *whole = j->writer;
    j->writer = NULL;
    return wlk_vec_finish(whole, err);
}

// What of a record counts.
static bool print_record(job *j, FILE *to) {
    const uint32_t in = j->b.layout.in_words, out = j->b.layout.out_words;
    for (uint32_t w = 0; w < out; w++) {
        j->out[w] &= j->care[w];
    }
    return fwrite(j->in, sizeof *j->in, in, to) == in &&
           fwrite(j->out, sizeof *j->out, out, to) == out &&
           fwrite(j->care, sizeof *j->care, out, to) == out;
}

// To the file, or as bare words to @p to; ends with the file.
static wlk_status generate(job *j, const wlk_stimulus *gen, wlk_stimulus_state *stim,
                           uint64_t cycles, FILE *to, wlk_error *err) {
    wlk_step_info info;
    for (uint64_t c = 0; c < cycles; c++) {
        wlk_stimulus_next(gen, j->b.cfg, j->candidates.states[0], stim, j->in);
        wlk_candidates_record(&j->candidates, j->in, j->out, j->care, j->b.layout.out_words,
                              j->other, &info);
        wlk_status status = WLK_OK;
        if (to == NULL) {
            status = wlk_vec_write(j->writer, j->in, j->out, j->care, err);
        } else if (!print_record(j, to)) {
            status = wlk_fail(err, WLK_NO_SPACE, "cannot write to the output");
        }
        if (status != WLK_OK) {
            return status;
        }
        if (tool_stopped(c, cycles)) {
            return interrupted(err);
        }
    }
    return to == NULL ? finish(j, err) : WLK_OK;
}

// @p path: NULL with @p to.
static wlk_status make(job *j, const char *path, char **a, FILE *to, wlk_error *err) {
    const wlk_stimulus *gen = wlk_stimulus_find(j->b.block->table->name);
    origin from = {.source = "gen", .power_up = a[3], .profile = a[1]};
    wlk_stimulus_state stim;
    uint32_t profile = 0;
    uint64_t cycles = 0;
    if (!tool_number(a[0], &from.seed) || !tool_number(a[2], &cycles)) {
        return WLK_USAGE;
    }
    if (!wlk_stimulus_profile(gen, from.profile, &profile)) {
        return wlk_fail(err, WLK_USAGE, "block %s has no profile '%.64s'", j->b.block->table->name,
                        from.profile);
    }
    wlk_status status = wlk_driver_open(&j->driver, j->b.block, j->b.cfg, err);
    if (status == WLK_OK && path != NULL) {
        status = create(j, path, &from, err);
    }
    if (status != WLK_OK) {
        return status;
    }
    wlk_stimulus_init(&stim, from.seed, profile);
    stim.driver = j->driver;
    return generate(j, gen, &stim, cycles, to, err);
}

wlk_status vec_gen(job *j, char **a, wlk_error *err) {
    return make(j, a[1], a + 2, NULL, err);
}

wlk_status vec_records(job *j, char **a, wlk_error *err) {
    return make(j, NULL, a + 1, stdout, err);
}

// Does the file have no column of an output? Then the expected values are the model's.
static bool inputs_only(const job *j) {
    uint64_t any = 0;
    for (uint32_t w = 0; w < j->b.layout.out_words; w++) {
        any |= j->care[w];
    }
    return any == 0;
}

// Which bits of the outputs are X in this row, is not compared in it.
static wlk_status import_row(job *j, uint64_t *x, bool *more, wlk_error *err) {
    const uint32_t words = j->b.layout.out_words;
    for (uint32_t w = 0; w < words; w++) {
        j->care[w] |= x[w]; // of the row before
        x[w] = 0;
    }
    const wlk_status status = csv_row(j->rows, j->in, j->out, x, more, err);
    for (uint32_t w = 0; w < words; w++) {
        j->care[w] &= ~x[w];
    }
    return status;
}

static wlk_status import_rows(job *j, const char *name, bool by_model, wlk_error *err) {
    wlk_step_info info;
    uint64_t *x = j->other; // no model runs where there are outputs
    for (uint64_t c = 0;; c++) {
        bool more = false;
        wlk_status status = by_model ? csv_row(j->rows, j->in, j->out, NULL, &more, err)
                                     : import_row(j, x, &more, err);
        if (tool_stop) {
            return interrupted(err);
        }
        if (status == WLK_OK && !more) {
            status = csv_ended(j->rows, err);
            return status == WLK_OK && c == 0
                       ? wlk_fail(err, WLK_VACUOUS, "%s: no row below line 2", name)
                       : status;
        }
        if (status == WLK_OK && by_model) {
            wlk_candidates_record(&j->candidates, j->in, j->out, j->care, j->b.layout.out_words,
                                  j->other, &info);
        }
        if (status == WLK_OK) {
            status = wlk_vec_write(j->writer, j->in, j->out, j->care, err);
        }
        if (status != WLK_OK) {
            return status;
        }
    }
}

wlk_status vec_import(job *j, char **a, wlk_error *err) {
    const char *slash = strrchr(a[2], '/');
    origin from = {
        .source = "csv", .power_up = a[3], .recording = slash != NULL ? slash + 1 : a[2]};
    wlk_status status = job_csv(j, a[2], err);
    if (status != WLK_OK) {
        return status;
    }
    csv_care(j->rows, j->care); // what the file does not have is not compared
    const bool by_model = inputs_only(j);
    from.source = by_model ? "gen" : from.source;
    status = create(j, a[1], &from, err);
    if (status == WLK_OK) {
        status = import_rows(j, a[2], by_model, err);
    }
    return status == WLK_OK ? finish(j, err) : status;
}

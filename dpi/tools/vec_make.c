// SPDX-License-Identifier: Apache-2.0
// Commands that write a vector file: generate from a seed, import from a CSV.
#define _GNU_SOURCE // open_memstream
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "vec_job.h"
#include "warplock/stimulus.h"

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
    char *text = NULL, schema[17];
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    wlk_json line = {to, false};
    if (to == NULL) {
        return NULL;
    }
    (void)snprintf(schema, sizeof schema, "%016" PRIx64, t->schema_hash);
    wlk_json_open(&line, NULL, '{');
    wlk_json_text(&line, "tool", "warplock " WLK_VERSION);
    wlk_json_text(&line, "block", t->name);
    wlk_json_text(&line, "schema", schema);
    wlk_json_number(&line, "model_version", t->model_version);
    wlk_json_config(&line, t, j->b.cfg);
    if (j->b.members_text != NULL) {
        wlk_json_text(&line, "members", j->b.members_text);
    }
    wlk_json_text(&line, "power_up", from->power_up);
    wlk_json_text(&line, "source", from->source);
    if (from->profile != NULL) {
        wlk_json_number(&line, "seed", from->seed);
        wlk_json_text(&line, "profile", from->profile);
    } else {
        wlk_json_text(&line, "recording", from->recording);
    }
    wlk_json_close(&line, '}');
    return fclose(to) == 0 ? text : NULL;
}

static wlk_status create(const job *j, const char *path, const origin *from, bool force,
                         wlk_vec_writer **writer, wlk_error *err) {
    const wlk_vec_shape shape = {j->b.layout.in_words, j->b.layout.out_words};
    char *header = header_text(j, from);
    if (header == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "out of memory");
    }
    const wlk_status status = force ? wlk_vec_replace(writer, path, &shape, header, err)
                                    : wlk_vec_create(writer, path, &shape, header, err);
    free(header);
    return status;
}

// Options before the words.
typedef struct flags {
    bool force, small;
} flags;

static flags take_flags(int *n, char ***a) {
    flags f = {false, false};
    for (; *n > 0; --*n, ++*a) {
        if (strcmp(**a, "--force") == 0) {
            f.force = true;
        } else if (strcmp(**a, "--small") == 0) {
            f.small = true;
        } else {
            break;
        }
    }
    return f;
}

static wlk_status close_file(wlk_vec_writer *writer, wlk_status status, wlk_error *err) {
    if (status == WLK_OK) {
        return wlk_vec_finish(writer, err);
    }
    wlk_vec_abort(writer);
    return status;
}

// ---- gen --------------------------------------------------------------------------------------

static wlk_status generate(job *j, const wlk_stimulus *gen, wlk_stimulus_state *stim,
                           uint64_t cycles, wlk_vec_writer *writer, wlk_error *err) {
    wlk_step_info info;
    for (uint64_t c = 0; c < cycles; c++) {
        gen->next(j->b.cfg, j->candidates.states[0], stim, j->in);
        wlk_candidates_record(&j->candidates, j->in, j->out, j->care, j->b.layout.out_words,
                              j->other, &info);
        const wlk_status status = wlk_vec_write(writer, j->in, j->out, j->care, err);
        if (status != WLK_OK) {
            return status;
        }
        if (c % CYCLES_PER_CHECK == 0) {
            tool_progress(c, cycles);
            if (tool_stop) {
                return interrupted(err);
            }
        }
    }
    return WLK_OK;
}

static wlk_status find_stimulus(const char *block, const char *profile, const wlk_stimulus **gen,
                                uint32_t *number, wlk_error *err) {
    char names[256] = "mix";
    size_t used = strlen(names);
    *gen = wlk_stimulus_find(block);
    if (*gen == NULL) {
        return wlk_fail(err, WLK_USAGE, "block %s has no stimulus", block);
    }
    if (wlk_stimulus_profile(*gen, profile, number)) {
        return WLK_OK;
    }
    for (uint32_t i = 0; i < wlk_stimulus_profiles(*gen) && used < sizeof names; i++) {
        const int n = snprintf(names + used, sizeof names - used, ", %s", (*gen)->profiles[i]);
        used += n > 0 ? (size_t)n : 0u;
    }
    return wlk_fail(err, WLK_USAGE, "block %s has no profile '%.64s'; it has %s", block, profile,
                    names);
}

static wlk_status gen_file(job *j, char **a, uint64_t seed, uint64_t cycles, flags f,
                           const wlk_driver *driver, wlk_error *err) {
    const wlk_stimulus *gen = NULL;
    wlk_vec_writer *writer = NULL;
    wlk_stimulus_state stim;
    uint32_t profile = 0;
    wlk_status status = find_stimulus(a[0], a[3], &gen, &profile, err);
    if (status != WLK_OK) {
        return status;
    }
    const origin from = {.source = "gen", .power_up = a[5], .profile = a[3], .seed = seed};
    status = create(j, a[1], &from, f.force, &writer, err);
    if (status != WLK_OK) {
        return status;
    }
    if (f.small) {
        wlk_vec_compact(writer);
    }
    wlk_stimulus_init(&stim, seed, profile);
    stim.driver = driver;
    return close_file(writer, generate(j, gen, &stim, cycles, writer, err), err);
}

int vec_gen(int n, char **a) {
    job j;
    wlk_error err;
    wlk_driver *driver = NULL;
    uint64_t seed = 0, cycles = 0;
    const flags f = take_flags(&n, &a);
    if (n < 6 || !tool_number(a[2], &seed) || !tool_number(a[4], &cycles)) {
        return VEC_BAD_WORDS;
    }
    wlk_status status = job_open(&j, a[0], a[5], a + 6, n - 6, &err);
    if (status == WLK_OK) {
        status = wlk_driver_open(&driver, j.b.block, j.b.cfg, &err);
        if (status == WLK_OK) {
            status = gen_file(&j, a, seed, cycles, f, driver, &err);
        }
        wlk_driver_close(driver);
        job_close(&j);
    }
    return status == WLK_OK ? 0 : tool_fail("wlk-vec", &err);
}

// ---- import -----------------------------------------------------------------------------------

static wlk_status import_rows(job *j, csv *rows, const char *name, wlk_vec_writer *writer,
                              wlk_error *err) {
    // What the file does not have is not compared.
    csv_care(rows, j->care);
    for (uint64_t c = 0;; c++) {
        bool more = false;
        wlk_status status = csv_row(rows, j->in, j->out, &more, err);
        if (tool_stop) {
            return interrupted(err);
        }
        if (status == WLK_OK && !more) {
            status = csv_ended(rows, err);
            return status == WLK_OK && c == 0
                       ? wlk_fail(err, WLK_VACUOUS, "%s: no row below line 2", name)
                       : status;
        }
        if (status == WLK_OK) {
            status = wlk_vec_write(writer, j->in, j->out, j->care, err);
        }
        if (status != WLK_OK) {
            return status;
        }
    }
}

static wlk_status import_file(job *j, char **a, flags f, wlk_error *err) {
    csv *rows = NULL;
    wlk_vec_writer *writer = NULL;
    wlk_status status = csv_open(&rows, stdin, a[2], j->b.ports, j->b.layout.n_ports,
                                 j->b.block->table, false, err);
    if (status != WLK_OK) {
        return status;
    }
    const char *slash = strrchr(a[2], '/');
    const origin from = {
        .source = "csv", .power_up = a[3], .recording = slash != NULL ? slash + 1 : a[2]};
    status = create(j, a[1], &from, f.force, &writer, err);
    if (status == WLK_OK) {
        status = close_file(writer, import_rows(j, rows, a[2], writer, err), err);
    }
    csv_close(rows);
    return status;
}

int vec_import(int n, char **a) {
    job j;
    wlk_error err;
    const flags f = take_flags(&n, &a);
    if (n < 4) {
        return VEC_BAD_WORDS;
    }
    wlk_status status = job_open(&j, a[0], a[3], a + 4, n - 4, &err);
    if (status == WLK_OK) {
        status = import_file(&j, a, f, &err);
        job_close(&j);
    }
    return status == WLK_OK ? 0 : tool_fail("wlk-vec", &err);
}

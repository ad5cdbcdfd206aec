// SPDX-License-Identifier: Apache-2.0
// Commands that write a vector file: generate from a seed, import from a CSV.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "csv.h"
#include "vec_job.h"
#include "warplock/stimulus.h"

enum { HEADER_TEXT = 1 << 16 };

static wlk_status interrupted(wlk_error *err) {
    return wlk_fail(err, WLK_INTERRUPTED, "interrupted; nothing was written");
}

// The header's text: docs/record-format.md, "Header text". `origin` holds the last members.
static void header_text(const job *j, const char *source, const char *power_up, const char *origin,
                        char *text) {
    char config[HEADER_TEXT / 8];
    const char *members = j->b.members_text != NULL ? j->b.members_text : "";
    const char *before = j->b.members_text != NULL ? "\"members\": \"" : "";
    tool_config_json(j->b.block->table, j->b.cfg, config, sizeof config);
    (void)snprintf(text, HEADER_TEXT,
                   "{\"tool\": \"warplock " WLK_VERSION "\", \"block\": \"%s\", "
                   "\"schema\": \"%016" PRIx64 "\", \"model_version\": %" PRIu32
                   ", \"config\": {%s}, %s%s%s\"power_up\": \"%s\", \"source\": \"%s\", %s}",
                   j->b.block->table->name, j->b.block->table->schema_hash,
                   j->b.block->table->model_version, config, before, members,
                   *members != '\0' ? "\", " : "", power_up, source, origin);
}

// `text` as the inside of a JSON string; a control character becomes '?'.
static void escape(const char *text, char *to, size_t size) {
    size_t used = 0;
    for (; *text != '\0' && used + 3u < size; text++) {
        if (*text == '"' || *text == '\\') {
            to[used++] = '\\';
        }
        to[used++] = (unsigned char)*text < 0x20u ? '?' : *text;
    }
    to[used] = '\0';
}

static wlk_status create(const job *j, const char *path, const char *header, bool force,
                         wlk_vec_writer **writer, wlk_error *err) {
    const wlk_vec_shape shape = {j->b.layout.in_words, j->b.layout.out_words};
    return force ? wlk_vec_replace(writer, path, &shape, header, err)
                 : wlk_vec_create(writer, path, &shape, header, err);
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
        gen->next(j->b.cfg, j->worlds.states[0], stim, j->in);
        wlk_worlds_record(&j->worlds, j->in, j->out, j->care, j->b.layout.out_words, j->other,
                          &info);
        const wlk_status status = wlk_vec_write(writer, j->in, j->out, j->care, err);
        if (status != WLK_OK) {
            return status;
        }
        if (c % CYCLES_PER_CHECK == 0u) {
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
    char header[HEADER_TEXT], origin[128];
    wlk_status status = find_stimulus(a[0], a[3], &gen, &profile, err);
    if (status != WLK_OK) {
        return status;
    }
    (void)snprintf(origin, sizeof origin, "\"seed\": %" PRIu64 ", \"profile\": \"%.64s\"", seed,
                   a[3]);
    header_text(j, "gen", a[5], origin, header);
    status = create(j, a[1], header, f.force, &writer, err);
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
            return status == WLK_OK && c == 0u
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
    char header[HEADER_TEXT], origin[600], name[512];
    wlk_status status = csv_open(&rows, stdin, a[2], j->b.ports, j->b.layout.n_ports,
                                 j->b.block->table, false, err);
    if (status != WLK_OK) {
        return status;
    }
    const char *slash = strrchr(a[2], '/');
    escape(slash != NULL ? slash + 1 : a[2], name, sizeof name);
    (void)snprintf(origin, sizeof origin, "\"recording\": \"%s\"", name);
    header_text(j, "csv", a[3], origin, header);
    status = create(j, a[1], header, f.force, &writer, err);
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

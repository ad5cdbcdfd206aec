// SPDX-License-Identifier: Apache-2.0
// Reads the operand collector's options out of the simulator's option files, and writes them.
#include "warplock/opndcoll_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which options there are ---- */

typedef enum kind { NUMBER, WIDTHS, PIPELINE, SPECIALIZED } kind;

// Values are numbers, which are the first of their field.
static const struct {
    uint32_t least, most;
    char separator, end; // an end other than 0 may follow the numbers, and a name
    const char *wanted;
} forms[] = {
    [NUMBER] = {1, 1, ',', '\0', "a number"},
    [WIDTHS] = {1, WLK_OPNDCOLL_WIDTHS, ',', '\0', "at most 13 numbers, as in 4,4,4"},
    [PIPELINE] = {2, 2, ':', '\0', "THREADS:LANES, as in 2048:32"},
    [SPECIALIZED] = {5, 5, ',', ',', "enabled,units,latency,id_width,ex_width,name"},
};

typedef struct option {
    const char *name;
    kind kind;
    size_t at; // of the field
} option;

#define FIELD(field) offsetof(wlk_opndcoll_cfg, field)
#define PLAIN(field)                                                                               \
    { "-gpgpu_" #field, NUMBER, FIELD(field) }
#define POLICY(field)                                                                              \
    { "-warplock_" #field, NUMBER, FIELD(field) }
#define EACH_SET(what)                                                                             \
    PLAIN(operand_collector_num_##what##_sp), PLAIN(operand_collector_num_##what##_dp),            \
        PLAIN(operand_collector_num_##what##_sfu), PLAIN(operand_collector_num_##what##_int),      \
        PLAIN(operand_collector_num_##what##_tensor_core),                                         \
        PLAIN(operand_collector_num_##what##_mem), PLAIN(operand_collector_num_##what##_gen)
#define SPEC(n)                                                                                    \
    { "-specialized_unit_" #n, SPECIALIZED, FIELD(specialized_unit[(n)-1]) }

static const option options[] = {
    PLAIN(num_reg_banks),
    PLAIN(num_sched_per_core),
    PLAIN(sub_core_model),
    PLAIN(reg_file_port_throughput),
    PLAIN(enable_specialized_operand_collector),
    EACH_SET(units),
    EACH_SET(in_ports),
    EACH_SET(out_ports),
    {"-gpgpu_pipeline_widths", WIDTHS, FIELD(pipeline_widths)},
    PLAIN(tensor_core_avail),
    PLAIN(num_dp_units),
    PLAIN(num_int_units),
    {"-gpgpu_shader_core_pipeline", PIPELINE, FIELD(shader_core_pipeline)},
    PLAIN(reg_bank_use_warp_id),
    PLAIN(mem_unit_ports),
    PLAIN(shmem_warp_parts),
    PLAIN(clock_gated_reg_file),
    PLAIN(n_regfile_gating_group),
    SPEC(1),
    SPEC(2),
    SPEC(3),
    SPEC(4),
    SPEC(5),
    SPEC(6),
    SPEC(7),
    SPEC(8),
    POLICY(pass_full_sub_core),
    POLICY(rotate_kinds),
    POLICY(read_duplicates_once),
};
enum { OPTIONS = sizeof options / sizeof options[0], WORD = 4096 };

typedef struct reader {
    FILE *from;
    const char *path;
    wlk_error *err;
    wlk_opndcoll_cfg cfg;
    uint64_t line;
    uint64_t line_of[OPTIONS];    // line of the last one; 0: not in the file
    const char *file_of[OPTIONS]; // the file with that line
    uint32_t widths;              // numbers of the last pipeline_widths
    bool allow_unknown;
    char *unknown; // names, each followed by a blank
    size_t unknown_size;
    uint64_t word_line;
    bool quoted; // was the word?
    char word[WORD];
} reader;

// FILE:LINE: OPTION: what.
__attribute__((format(printf, 5, 6))) static wlk_status complain(const reader *r, uint64_t line,
                                                                 const char *name,
                                                                 wlk_status status,
                                                                 const char *format, ...) {
    char what[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return wlk_fail(r->err, status, "%s:%" PRIu64 ": %.64s: %s", r->path, line, name, what);
}

/* ---- words ---- */

static int next_byte(reader *r) {
    const int c = getc_unlocked(r->from);
    r->line += c == '\n';
    return c;
}

static bool is_blank(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// The first byte of a word, after blanks and comments.
static int skip_blanks(reader *r) {
    int c = next_byte(r);
    while (is_blank(c) || c == '#') {
        if (c == '#') {
            while (c != '\n' && c != EOF) {
                c = next_byte(r);
            }
        } else {
            c = next_byte(r);
        }
    }
    return c;
}

// The next word; *more = false at the end of the file.
static wlk_status next_word(reader *r, bool *more) {
    size_t n = 0;
    int c = skip_blanks(r);
    *more = c != EOF;
    r->word_line = r->line;
    r->quoted = c == '"';
    if (r->quoted) {
        c = next_byte(r);
    }
    while (c != EOF && (r->quoted ? c != '"' : !is_blank(c) && c != '#')) {
        if (n + 1u == sizeof r->word) {
            return complain(r, r->word_line, "value", WLK_BAD_CONFIG, "longer than %d characters",
                            WORD - 1);
        }
        r->word[n++] = (char)c;
        c = next_byte(r);
    }
    if (r->quoted && c == EOF) {
        return complain(r, r->word_line, "value", WLK_BAD_CONFIG, "its closing quote is missing");
    }
    if (!r->quoted && (c == '#' || c == '\n')) {
        r->line -= c == '\n';
        (void)ungetc(c, r->from);
    }
    r->word[n] = '\0';
    if (ferror(r->from) != 0) {
        return wlk_fail(r->err, WLK_NO_FILE, "%s: cannot be read: %s", r->path, strerror(errno));
    }
    return WLK_OK;
}

// An option's name, and no negative number.
static bool is_name(const reader *r) {
    return !r->quoted && r->word[0] == '-' &&
           (r->word[1] == '_' || (r->word[1] >= 'A' && r->word[1] <= 'z'));
}

/* ---- values ---- */

// Up to `room` decimal numbers with a separator between; what follows the last one. How many.
static uint32_t numbers(const char *text, char separator, uint32_t *values, uint32_t room,
                        const char **rest) {
    uint32_t n = 0;
    for (; n < room; n++) {
        const char *digits = n != 0 && *text == separator ? text + 1 : text;
        if ((n != 0 && digits == text) || *digits < '0' || *digits > '9') {
            break;
        }
        char *end;
        errno = 0;
        const unsigned long long value = strtoull(digits, &end, 10);
        if (errno != 0 || value > UINT32_MAX) {
            break;
        }
        values[n] = (uint32_t)value;
        text = end;
    }
    *rest = text;
    return n;
}

// The word as the value of an option.
static wlk_status read_value(reader *r, const option *o) {
    char *field = (char *)&r->cfg + o->at;
    uint32_t values[WLK_OPNDCOLL_WIDTHS];
    const char *rest;
    const uint32_t n =
        numbers(r->word, forms[o->kind].separator, values, forms[o->kind].most, &rest);
    if (n < forms[o->kind].least || (*rest != '\0' && *rest != forms[o->kind].end)) {
        return complain(r, r->word_line, o->name, WLK_BAD_CONFIG, "'%.64s' is not %s", r->word,
                        forms[o->kind].wanted);
    }
    memcpy(field, values, n * sizeof values[0]);
    if (o->kind == WIDTHS) {
        r->widths = n;
    }
    if (o->kind == SPECIALIZED) {
        wlk_opndcoll_specialized *unit = (wlk_opndcoll_specialized *)(void *)field;
        memset(unit->name, 0, sizeof unit->name);
        (void)snprintf(unit->name, sizeof unit->name, "%.*s", (int)sizeof unit->name - 1,
                       *rest != '\0' ? rest + 1 : rest);
    }
    return WLK_OK;
}

static const option *find(const char *name) {
    for (uint32_t i = 0; i < OPTIONS; i++) {
        if (strcmp(options[i].name, name) == 0) {
            return &options[i];
        }
    }
    return NULL;
}

/* ---- unknown options ---- */

// The least number of letters to insert, leave out or replace, of the first LETTERS of each.
static uint32_t distance(const char *a, const char *b) {
    enum { LETTERS = 80 };
    uint32_t row[LETTERS + 1u]; // of the letters of a so far to each beginning of b
    const size_t n = strnlen(b, LETTERS);
    for (uint32_t j = 0; j <= n; j++) {
        row[j] = j;
    }
    for (uint32_t i = 0; i < LETTERS && a[i] != '\0'; i++) {
        uint32_t corner = row[0];
        row[0] = i + 1u;
        for (uint32_t j = 0; j < n; j++) {
            const uint32_t replaced = corner + (a[i] != b[j]);
            const uint32_t other = 1u + (row[j] < row[j + 1u] ? row[j] : row[j + 1u]);
            corner = row[j + 1u];
            row[j + 1u] = replaced < other ? replaced : other;
        }
    }
    return row[n];
}

// A name that was cut short is as near as one with a wrong letter.
static const char *nearest(const char *name) {
    const char *best = options[0].name;
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < OPTIONS; i++) {
        const bool begins_so = strncmp(options[i].name, name, strlen(name)) == 0;
        const uint32_t far = begins_so ? 1u : distance(name, options[i].name);
        best = far < least ? options[i].name : best;
        least = far < least ? far : least;
    }
    return best;
}

static bool is_noted(const reader *r, size_t length) {
    const char *at = r->unknown;
    while (at != NULL && (at = strstr(at, r->word)) != NULL) {
        if ((at == r->unknown || at[-1] == ' ') && at[length] == ' ') {
            return true;
        }
        at += length;
    }
    return false;
}

static wlk_status note_unknown(reader *r) {
    if (!r->allow_unknown) {
        return complain(r, r->word_line, r->word, WLK_BAD_CONFIG,
                        "not an option of the collector; the nearest is %s (--allow-unknown: for a "
                        "whole gpgpusim.config)",
                        nearest(r->word));
    }
    const size_t length = strlen(r->word);
    if (is_noted(r, length)) {
        return WLK_OK;
    }
    char *grown = realloc(r->unknown, r->unknown_size + length + 2u);
    if (grown == NULL) {
        return wlk_fail(r->err, WLK_NO_MEMORY, "%s: out of memory", r->path);
    }
    r->unknown = grown;
    (void)snprintf(grown + r->unknown_size, length + 2u, "%s ", r->word);
    r->unknown_size += length + 1u;
    return WLK_OK;
}

// The word is an option's name; its value follows.
static wlk_status read_option(reader *r, bool *more) {
    const option *o = find(r->word);
    if (o == NULL) {
        wlk_status status = note_unknown(r);
        do { // its values, if it has any
            status = status == WLK_OK ? next_word(r, more) : status;
        } while (status == WLK_OK && *more && !is_name(r));
        return status;
    }
    const uint64_t line = r->word_line;
    const wlk_status status = next_word(r, more);
    if (status != WLK_OK) {
        return status;
    }
    if (!*more || is_name(r)) {
        return complain(r, line, o->name, WLK_BAD_CONFIG, "its value is missing");
    }
    r->line_of[o - options] = line;
    r->file_of[o - options] = r->path;
    const wlk_status read = read_value(r, o);
    return read == WLK_OK ? next_word(r, more) : read;
}

/* ---- the file ---- */

static wlk_status read_file(reader *r) {
    bool more;
    wlk_status status = next_word(r, &more);
    while (status == WLK_OK && more) {
        if (!is_name(r)) {
            return complain(r, r->word_line, r->word, WLK_BAD_CONFIG,
                            "an option, as in -gpgpu_num_reg_banks, must stand before a value");
        }
        status = read_option(r, &more);
    }
    return status;
}

// The simulator takes a fixed number of widths and ignores those after them (§2).
static wlk_status check_widths(reader *r) {
    const option *o = find("-gpgpu_pipeline_widths");
    const uint64_t line = r->line_of[o - options];
    uint32_t need = r->cfg.tensor_core_avail != 0 ? 13u : 11u;
    need = r->cfg.revision == WLK_OPNDCOLL_V32 ? 7u : need;
    if (line != 0 && r->widths < need) {
        r->path = r->file_of[o - options];
        return complain(r, line, o->name, WLK_BAD_CONFIG, "has %u numbers; there must be %u",
                        r->widths, need);
    }
    return WLK_OK;
}

// The error of the check, with the line of the option at fault, or of the file where it left that
// out.
static wlk_status check(reader *r) {
    const char *name = NULL;
    wlk_error refusal;
    const wlk_status status = wlk_opndcoll_check(&r->cfg, &name, &refusal);
    if (status == WLK_OK) {
        return check_widths(r);
    }
    const option *o = find(name);
    const uint64_t line = o != NULL ? r->line_of[o - options] : 0u;
    if (line != 0) {
        return wlk_fail(r->err, status, "%s:%" PRIu64 ": %s", r->file_of[o - options], line,
                        refusal.text);
    }
    return wlk_fail(r->err, status, "%s: %s (not in the file)", r->path, refusal.text);
}

static wlk_status open_and_read(reader *r, const char *path) {
    const bool is_stdin = strcmp(path, "-") == 0;
    r->path = is_stdin ? "stdin" : path;
    r->line = 1;
    r->from = is_stdin ? stdin : fopen(path, "r");
    if (r->from == NULL) {
        return wlk_fail(r->err, WLK_NO_FILE, "%s: cannot be opened: %s", path, strerror(errno));
    }
    const wlk_status status = read_file(r);
    if (!is_stdin) {
        (void)fclose(r->from);
    }
    return status;
}

wlk_status wlk_opndcoll_read_option_files(wlk_opndcoll_cfg *cfg, const char *const *paths,
                                          uint32_t n_paths, char **unknown, wlk_error *err) {
    reader *r = calloc(1, sizeof *r);
    wlk_status status = WLK_OK;
    if (r == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "%s: out of memory", n_paths != 0 ? paths[0] : "");
    }
    r->path = "options";
    r->err = err;
    r->cfg = *cfg;
    r->allow_unknown = unknown != NULL;
    for (uint32_t i = 0; i < n_paths && status == WLK_OK; i++) {
        status = open_and_read(r, paths[i]);
    }
    if (status == WLK_OK) {
        status = check(r);
    }
    if (status == WLK_OK) {
        *cfg = r->cfg;
        if (r->unknown != NULL) {
            r->unknown[r->unknown_size - 1u] = '\0';
        }
    }
    if (unknown != NULL) {
        *unknown = status == WLK_OK ? r->unknown : NULL;
    }
    if (unknown == NULL || status != WLK_OK) {
        free(r->unknown);
    }
    free(r);
    return status;
}

wlk_status wlk_opndcoll_read_options(wlk_opndcoll_cfg *cfg, const char *path, char **unknown,
                                     wlk_error *err) {
    return wlk_opndcoll_read_option_files(cfg, &path, 1u, unknown, err);
}

/* ---- writing ---- */

// The numbers that the revision reads, of 13 at most.
static uint32_t widths_of(uint32_t revision) {
    return revision == WLK_OPNDCOLL_V32 ? 7u : (uint32_t)WLK_OPNDCOLL_WIDTHS;
}

// A unit's name is a word of the file.
static void write_name(const char *name, FILE *to) {
    for (; *name != '\0'; name++) {
        const bool is_plain = *name > ' ' && *name <= '~' && *name != '#' && *name != '"';
        (void)fputc(is_plain ? *name : '_', to);
    }
}

static void write_value(const wlk_opndcoll_cfg *cfg, const option *o, FILE *to) {
    const char *field = (const char *)cfg + o->at;
    uint32_t values[WLK_OPNDCOLL_WIDTHS];
    const uint32_t n = o->kind == WIDTHS ? widths_of(cfg->revision) : forms[o->kind].least;
    memcpy(values, field, n * sizeof values[0]);
    for (uint32_t i = 0; i < n; i++) {
        if (i != 0) {
            (void)fputc(forms[o->kind].separator, to);
        }
        (void)fprintf(to, "%" PRIu32, values[i]);
    }
    if (o->kind == SPECIALIZED) {
        (void)fputc(',', to);
        write_name(((const wlk_opndcoll_specialized *)(const void *)field)->name, to);
    }
}

// What is off has no line: a unit, and a policy, which the simulator does not know.
static bool is_off(const wlk_opndcoll_cfg *cfg, const option *o) {
    uint32_t first;
    memcpy(&first, (const char *)cfg + o->at, sizeof first);
    return first == 0 && (o->kind == SPECIALIZED || strncmp(o->name, "-warplock_", 10) == 0);
}

void wlk_opndcoll_write_options(const wlk_opndcoll_cfg *cfg, FILE *to) {
    (void)fprintf(to, "# revision %s\n", wlk_opndcoll_revision_name(cfg->revision));
    for (const option *o = options; o < options + OPTIONS; o++) {
        if (!is_off(cfg, o)) {
            (void)fprintf(to, "%s ", o->name);
            write_value(cfg, o, to);
            (void)fputc('\n', to);
        }
    }
}

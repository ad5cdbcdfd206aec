// SPDX-License-Identifier: Apache-2.0
// wlk-check: a waveform against the model. scripts/warplock check is its front.
//
//   wlk-check session FILE [NAME]        see below; NAME is what messages call the file
//   wlk-check rows FILE [NAME]           one instance, as a CSV for wlk-vec import
//   wlk-check verify FILE                whether all of it can be read
//   wlk-check vcd FILE                   all signals, as a VCD with a change a line
//
// A session prints the scopes and their signals as one JSON object. Then it takes words from stdin,
// one a line, for each instance
//   --instance block=NAME scope=PATH [clock=PATH] [power_up=unknown|zero|late] [reset=async]
//   [skip=PORT,...] [tie=WORD:LSB:WIDTH:VALUE...] [part=PORT:SIGNAL:LSB:SCOPE...] [low=PORT]
//   [waive=TEXT...] [KEY=VALUE...]
// (late: unknown, and the reset was before the start), checks these instances in one pass, and
// prints a JSON object for each. Without words it ends. A signal is a port when it has its name, or
// part= names the signal, the port's lowest bit in it, and the number of the signal's scope in the
// list; every port but those of skip= must be there. The input of low=, a reset, is active low.
// Scopes, clocks, configurations and the ports to skip are chosen by scripts/wlk/fit/scopes.py.
// What failed is reported for a person as the member `report` of the object.
#define _GNU_SOURCE // open_memstream
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "warplock/checker.h"
#include "warplock/wave.h"

enum {
    SAMPLES_PER_LOOK = 4096, // at the clock, for progress
    MAX_TIES = 64,
    MAX_PARTS = 1 << 15,
    MAX_SIGNAL = 512,   // bytes of the name of a part
    MAX_INSTANCES = 256 // as in scripts/wlk/fit/wave.py
};

static const char tool[] = "wlk-check";
static wlk_wave *open_wave; // for the signal handler

typedef struct instance {
    const char *block_name, *scope, *clock, *power_up, *reset, *skip, *low;
    char **words; // key=value of the configuration, members and waivers; owned, their texts are not
    uint32_t n_words;
    const char *tie_words[MAX_TIES];
    tool_tie ties[MAX_TIES]; // inputs that are constant, and not in the dump
    uint32_t n_ties;
    const char **parts; // owned, their texts are not
    uint32_t n_parts;
    tool_block b;
    uint64_t *records; // owned; the following lie in it
    uint64_t *in, *in_x, *out, *out_x, *compare;
    const wlk_port *inverted; // NULL: no input
    const wlk_port *clears;   // the reset, if it is asynchronous and in the dump; else NULL
    uint64_t *held;           // late: the record before, as in the first four
    uint64_t held_at;         // its time
    uint64_t gaps;            // of its clock, so far
    bool late, is_held;
    wlk_checker *checker;
    wlk_wave *wave;
    size_t at; // number of its scope
    uint32_t sampler;
    uint64_t failed_at;
    bool failed;
} instance;

typedef struct session {
    instance instances[MAX_INSTANCES];
    uint32_t n;
} session;

static void stop_wave(void) {
    if (open_wave != NULL) {
        wlk_wave_stop(open_wave);
    }
}

// ---- list -------------------------------------------------------------------------------------

// A signal: name, width, handle, smallest index, and whether its indices ascend. The parts of a bus
// are one here; its handle is that of the first part.
static void list_scope(const wlk_wave *wave, const wlk_wave_scope *scope, wlk_json *to) {
    size_t count = 0;
    const wlk_wave_signal *signals = wlk_wave_signals(wave, &count);
    const size_t end = scope->first_signal + scope->num_signals;
    wlk_json_open(to, NULL, '{');
    wlk_json_text(to, "path", scope->path);
    wlk_json_number(to, "parent", scope->parent);
    wlk_json_open(to, "signals", '[');
    for (size_t i = scope->first_signal; i < end;) {
        const wlk_wave_signal *first = &signals[i];
        uint32_t width = 0;
        int32_t lsb = first->lsb;
        for (; i < end && strcmp(signals[i].leaf, first->leaf) == 0; i++) {
            width += signals[i].width;
            lsb = signals[i].lsb; // from high to low
        }
        wlk_json_open(to, NULL, '[');
        wlk_json_text(to, NULL, first->leaf);
        wlk_json_number(to, NULL, width);
        wlk_json_number(to, NULL, first->handle);
        wlk_json_signed(to, NULL, lsb);
        wlk_json_number(to, NULL, first->ascending ? 1 : 0);
        wlk_json_close(to, ']');
    }
    wlk_json_close(to, ']');
    wlk_json_close(to, '}');
}

static void list(const wlk_wave *wave) {
    size_t count = 0;
    const wlk_wave_scope *scopes = wlk_wave_scopes(wave, &count);
    wlk_json j = wlk_json_line(stdout);
    wlk_json_open(&j, "scopes", '[');
    for (size_t i = 0; i < count; i++) {
        list_scope(wave, &scopes[i], &j);
    }
    wlk_json_close(&j, ']');
    wlk_json_line_end(&j);
    (void)fflush(stdout);
}

// ---- one instance -----------------------------------------------------------------------------

static wlk_status read_ties(instance *i, wlk_error *err) {
    tool_bits bits;
    wlk_status status = tool_bits_open(&bits, i->b.block, i->b.cfg, err);
    for (uint32_t t = 0; status == WLK_OK && t < i->n_ties; t++) {
        if (!tool_tie_read(i->tie_words[t], &bits, &i->ties[t])) {
            status = wlk_fail(err, WLK_USAGE, "tie=%.64s: give WORD:LSB:WIDTH:VALUE, of an input",
                              i->tie_words[t]);
        }
    }
    tool_bits_close(&bits);
    return status;
}

static wlk_status configure(instance *i, wlk_error *err) {
    const wlk_layout *l = &i->b.layout;
    if (i->block_name == NULL || i->scope == NULL) {
        return wlk_fail(err, WLK_USAGE, "--instance needs block=NAME and scope=PATH");
    }
    i->late = strcmp(i->power_up, "late") == 0;
    if (strcmp(i->power_up, "zero") != 0 && strcmp(i->power_up, "unknown") != 0 && !i->late) {
        return wlk_fail(err, WLK_USAGE, "power_up=%.64s: give unknown, zero or late", i->power_up);
    }
    if (i->reset != NULL && strcmp(i->reset, "async") != 0) {
        return wlk_fail(err, WLK_USAGE, "reset=%.64s: give async, or nothing", i->reset);
    }
    wlk_status status = tool_block_open(&i->b, i->block_name, i->words, (int)i->n_words, err);
    if (status != WLK_OK) {
        return status;
    }
    i->records = calloc(4u * l->in_words + 5u * l->out_words + 1u, sizeof *i->records);
    if (i->records == NULL) {
        return tool_no_memory(err);
    }
    i->in = i->records;
    i->in_x = i->in + l->in_words;
    i->out = i->in_x + l->in_words;
    i->out_x = i->out + l->out_words;
    i->compare = i->out_x + l->out_words;
    i->held = i->compare + l->out_words;
    if (i->n_ties != 0 && (status = read_ties(i, err)) != WLK_OK) {
        return status;
    }
    tool_tie_apply(i->ties, i->n_ties, i->in);
    return WLK_OK;
}

static void instance_close(instance *i) {
    wlk_checker_close(i->checker);
    tool_block_close(&i->b);
    free(i->records);
    free(i->parts);
    free(i->words);
}

static bool is_skipped(const instance *i, const char *port) {
    const size_t n = strlen(port);
    for (const char *at = i->skip; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, port, n) == 0 && (at[n] == ',' || at[n] == '\0')) {
            return true;
        }
    }
    return false;
}

// SIGNAL:LSB:SCOPE of a port that is a part of a signal; NULL: it is a signal.
static const char *part_of(const instance *i, const char *port) {
    const size_t n = strlen(port);
    for (uint32_t p = 0; p < i->n_parts; p++) {
        if (strncmp(i->parts[p], port, n) == 0 && i->parts[p][n] == ':') {
            return i->parts[p] + n + 1u;
        }
    }
    return NULL;
}

// The number behind the last colon of @p text, whose end moves before that colon.
static bool last_number(const char *text, const char **end, uint64_t most, uint64_t *value) {
    char digits[24];
    const char *colon = *end - 1;
    while (colon > text && *colon != ':') {
        colon--;
    }
    const size_t n = (size_t)(*end - colon);
    if (colon == text || n < 2 || n > sizeof digits) {
        return false;
    }
    memcpy(digits, colon + 1, n - 1u);
    digits[n - 1u] = '\0';
    *end = colon;
    return tool_number(digits, value) && *value <= most;
}

static wlk_status bind_part(const instance *i, const wlk_port *port, const char *part,
                            uint64_t *value, uint64_t *x, wlk_error *err) {
    char signal[MAX_SIGNAL];
    const char *end = part + strlen(part);
    uint64_t scope = 0, from = 0;
    size_t scopes = 0;
    (void)wlk_wave_scopes(i->wave, &scopes);
    const bool good = last_number(part, &end, scopes - 1u, &scope) &&
                      last_number(part, &end, UINT16_MAX, &from) &&
                      (size_t)(end - part) < sizeof signal;
    if (!good) {
        return wlk_fail(err, WLK_USAGE, "part=%.64s:%.64s: give PORT:SIGNAL:LSB:SCOPE", port->name,
                        part);
    }
    memcpy(signal, part, (size_t)(end - part));
    signal[end - part] = '\0';
    return wlk_wave_bind_slice(i->wave, i->sampler, (size_t)scope, signal, (uint32_t)from,
                               port->width, value, x, port->lsb, err);
}

static wlk_status bind_ports(instance *i, wlk_error *err) {
    wlk_status status = WLK_OK;
    for (uint32_t p = 0; p < i->b.layout.n_ports && status == WLK_OK; p++) {
        const wlk_port *port = &i->b.ports[p];
        uint64_t *value = port->is_out ? i->out : i->in;
        uint64_t *x = port->is_out ? i->out_x : i->in_x;
        if (!port->present || is_skipped(i, port->name)) {
            continue;
        }
        if (i->reset != NULL && port->field == i->b.block->table->reset) {
            i->clears = port;
        }
        if (port->is_out) {
            wlk_port_set(port, i->compare, ~UINT64_C(0));
        } else if (i->low != NULL && strcmp(port->name, i->low) == 0) {
            i->inverted = port;
        }
        const char *part = part_of(i, port->name);
        status = part != NULL
                     ? bind_part(i, port, part, value + port->word, x + port->word, err)
                     : wlk_wave_bind_signal(i->wave, i->sampler, i->at, port->name, port->width,
                                            value + port->word, x + port->word, port->lsb, err);
    }
    return status;
}

// The level of an input that is active low, to what the model takes and back. X stays.
static void invert(const instance *i) {
    if (i->inverted != NULL) {
        const uint64_t bit = UINT64_C(1) << i->inverted->lsb;
        i->in[i->inverted->word] ^= bit & ~i->in_x[i->inverted->word];
    }
}

static void note_failure(instance *i, int first, uint64_t time) {
    if (first != 0 && !i->failed) {
        i->failed = true;
        i->failed_at = time;
    }
}

// The record before this one; @p next: does this one tell of it?
static void step_held(instance *i, bool next) {
    const wlk_layout *l = &i->b.layout;
    const uint64_t *in = i->held, *in_x = in + l->in_words;
    const uint64_t *out = in_x + l->in_words, *out_x = out + l->out_words;
    if (i->is_held) {
        const int first = wlk_checker_step_late(i->checker, in, in_x, out, out_x,
                                                next ? i->out : NULL, next ? i->out_x : NULL);
        note_failure(i, first, i->held_at);
    }
    i->is_held = false;
}

// Does an asynchronous reset act on the outputs of this cycle, or may it?
static bool is_cleared(const instance *i) {
    return i->clears != NULL && (wlk_port_get(i->clears, i->in) | wlk_port_get(i->clears, i->in_x));
}

static void hold(instance *i, uint64_t time) {
    const uint64_t gaps = wlk_wave_get_gaps(i->wave, i->sampler).count;
    const bool is_next = gaps == i->gaps;
    step_held(i, is_next && !is_cleared(i));
    if (!is_next) {
        wlk_checker_gap(i->checker);
    }
    memcpy(i->held, i->in, 2u * (i->b.layout.in_words + i->b.layout.out_words) * sizeof *i->in);
    i->held_at = time;
    i->gaps = gaps;
    i->is_held = true;
}

static void look(const instance *i, uint64_t sample) {
    if (sample % SAMPLES_PER_LOOK == 0) {
        const wlk_wave_progress progress = wlk_wave_get_progress(i->wave);
        tool_progress(progress.done, progress.total);
    }
}

static int on_sample(void *ctx, uint64_t time, uint64_t sample) {
    instance *i = (instance *)ctx;
    invert(i);
    if (i->late) {
        hold(i, time);
    } else {
        const int first = wlk_checker_step_x(i->checker, i->in, i->in_x, i->out, i->out_x);
        note_failure(i, first, time);
    }
    invert(i); // the words are those of the wave again
    look(i, sample);
    return wlk_checker_done(i->checker) ? WLK_WAVE_DONE : WLK_WAVE_CONTINUE;
}

// ---- rows -------------------------------------------------------------------------------------

static bool is_tied(const instance *i, const wlk_port *port) {
    bool tied = false;
    for (uint32_t t = 0; t < i->n_ties && !port->is_out; t++) {
        tied = tied || (i->ties[t].word == port->word && i->ties[t].lsb == port->lsb);
    }
    return tied;
}

static bool has_column(const instance *i, const wlk_port *port) {
    return port->present && (!is_skipped(i, port->name) || is_tied(i, port));
}

static void print_columns(const instance *i) {
    fputs("cycle", stdout);
    for (uint32_t p = 0; p < i->b.layout.n_ports; p++) {
        if (has_column(i, &i->b.ports[p])) {
            printf(",%s", i->b.ports[p].name);
        }
    }
    fputs("\n#dir", stdout);
    for (uint32_t p = 0; p < i->b.layout.n_ports; p++) {
        if (has_column(i, &i->b.ports[p])) {
            printf(",%c%u", i->b.ports[p].is_out ? 'o' : 'i', i->b.ports[p].width);
        }
    }
    putchar('\n');
}

static int on_row(void *ctx, uint64_t time, uint64_t sample) {
    const instance *i = (const instance *)ctx;
    (void)time;
    invert(i);
    printf("%" PRIu64, sample);
    for (uint32_t p = 0; p < i->b.layout.n_ports; p++) {
        const wlk_port *port = &i->b.ports[p];
        if (!has_column(i, port)) {
            continue;
        }
        const uint64_t x = wlk_port_get(port, port->is_out ? i->out_x : i->in_x);
        printf(",%" PRIx64, wlk_port_get(port, port->is_out ? i->out : i->in));
        if (x != 0) {
            printf(":%" PRIx64, x);
        }
    }
    putchar('\n');
    invert(i);
    look(i, sample);
    return ferror(stdout) != 0 ? WLK_WAVE_DONE : WLK_WAVE_CONTINUE;
}

// ---- setting up -------------------------------------------------------------------------------

static wlk_status find_clock(const instance *i, wlk_wave_handle *clock, wlk_error *err) {
    size_t count = 0;
    *clock = WLK_WAVE_NO_CLOCK;
    if (!i->b.block->table->has_clock && i->clock == NULL) {
        return WLK_OK;
    }
    const size_t at = i->clock != NULL ? wlk_wave_find_path(i->wave, i->clock) : WLK_WAVE_NONE;
    if (at == WLK_WAVE_NONE) {
        return wlk_fail(err, WLK_NO_CLOCK,
                        "no clock %.200s for scope %.200s; give another clock=PATH",
                        i->clock != NULL ? i->clock : "given", i->scope);
    }
    *clock = wlk_wave_signals(i->wave, &count)[at].handle;
    return wlk_wave_require_once(i->wave, at, err);
}

static wlk_status prepare(instance *i, wlk_wave *wave, wlk_wave_sample_fn sample, wlk_error *err) {
    wlk_wave_handle clock = WLK_WAVE_NO_CLOCK;
    i->wave = wave;
    wlk_status status = configure(i, err);
    if (status != WLK_OK) {
        return status;
    }
    i->at = wlk_wave_find_scope(wave, i->scope);
    if (i->at == WLK_WAVE_NONE) {
        return wlk_fail(err, WLK_NO_SCOPE, "no scope %.300s in the waveform", i->scope);
    }
    status = find_clock(i, &clock, err);
    if (status == WLK_OK) {
        status = wlk_wave_add_sampler(wave, clock, sample, i, &i->sampler, err);
    }
    if (status == WLK_OK) {
        status = bind_ports(i, err);
    }
    const wlk_checker_options options = {
        .scope = i->scope,
        .power_up = tool_power_up(i->power_up),
        .compare = i->compare,
        .count_events = true,
        .async_reset = i->reset != NULL && strcmp(i->reset, "async") == 0,
        .late = i->late,
        .members = i->b.members,
    };
    if (status == WLK_OK) {
        status = wlk_checker_open(&i->checker, i->b.block, i->b.cfg, &options, err);
    }
    return status == WLK_OK ? tool_block_waive(&i->b, i->checker, err) : status;
}

// ---- results ----------------------------------------------------------------------------------

// In the answer and not in a file: no full disk keeps it back.
static void add_report(const instance *i, wlk_json *to) {
    char *text = NULL;
    size_t size = 0;
    FILE *report = open_memstream(&text, &size);
    if (report == NULL) {
        return;
    }
    wlk_checker_report(i->checker, report);
    if (i->failed) {
        fprintf(report, "  clock edge at time %" PRIu64 " (in units of 1e%d s)\n", i->failed_at,
                wlk_wave_exponent(i->wave));
    }
    if (fclose(report) == 0) {
        wlk_json_text(to, "report", text);
    }
    free(text);
}

static int print_answer(const instance *i) {
    const int verdict = (int)wlk_checker_result_get(i->checker, false).verdict;
    wlk_json j = wlk_json_line(stdout);
    wlk_checker_json(i->checker, false, &j);
    wlk_checker_json_shares(i->checker, &j);
    if (i->failed) {
        wlk_json_number(&j, "first_time", i->failed_at);
    }
    const wlk_wave_gaps gaps = wlk_wave_get_gaps(i->wave, i->sampler);
    if (gaps.count != 0) {
        wlk_json_open(&j, "gaps", '{');
        wlk_json_number(&j, "count", gaps.count);
        wlk_json_number(&j, "first_time", gaps.first);
        wlk_json_close(&j, '}');
    }
    if (!i->b.block->table->has_clock) {
        wlk_json_number(&j, "port_changes", wlk_wave_moves(i->wave, i->sampler));
    }
    if (verdict != 0) {
        add_report(i, &j);
    }
    wlk_json_line_end(&j);
    return verdict;
}

// ---- words ------------------------------------------------------------------------------------

static wlk_status instance_word(instance *i, char *word, wlk_error *err) {
    const struct {
        const char *key;
        const char **to;
    } keys[] = {
        {"block=", &i->block_name},  {"scope=", &i->scope}, {"clock=", &i->clock},
        {"power_up=", &i->power_up}, {"skip=", &i->skip},   {"reset=", &i->reset},
        {"low=", &i->low},
    };
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        const size_t n = strlen(keys[k].key);
        if (strncmp(word, keys[k].key, n) == 0) {
            *keys[k].to = word + n;
            return WLK_OK;
        }
    }
    if (strncmp(word, "tie=", 4) == 0 && i->n_ties < MAX_TIES) {
        i->tie_words[i->n_ties++] = word + 4;
        return WLK_OK;
    }
    if (strncmp(word, "part=", 5) == 0) {
        if (i->parts == NULL) {
            i->parts = calloc(MAX_PARTS, sizeof *i->parts);
        }
        if (i->parts == NULL || i->n_parts == MAX_PARTS) {
            return wlk_fail(err, WLK_NO_MEMORY, "no room for part=%.64s", word + 5);
        }
        i->parts[i->n_parts++] = word + 5;
        return WLK_OK;
    }
    char **more = realloc(i->words, (i->n_words + 1u) * sizeof *more);
    if (more == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "no room for %.64s", word);
    }
    i->words = more;
    i->words[i->n_words++] = word;
    return WLK_OK;
}

// The lines of @p text, which they stay in, are the words.
static wlk_status parse(session *s, char *text, wlk_error *err) {
    wlk_status status = WLK_OK;
    char *rest = NULL;
    for (char *word = strtok_r(text, "\n", &rest); word != NULL && status == WLK_OK;
         word = strtok_r(NULL, "\n", &rest)) {
        const bool next = strcmp(word, "--instance") == 0;
        if (next && s->n == MAX_INSTANCES) {
            status = wlk_fail(err, WLK_USAGE, "more than %d instances", (int)MAX_INSTANCES);
        } else if (next) {
            s->instances[s->n++].power_up = "unknown";
        } else if (s->n == 0) {
            status = wlk_fail(err, WLK_USAGE, "'%.64s' stands before the first --instance", word);
        } else {
            status = instance_word(&s->instances[s->n - 1u], word, err);
        }
    }
    return status;
}

// ---- commands ---------------------------------------------------------------------------------

static wlk_status check(session *s, char *text, wlk_wave *wave, wlk_error *err) {
    wlk_status status = parse(s, text, err);
    for (uint32_t i = 0; i < s->n && status == WLK_OK; i++) {
        status = prepare(&s->instances[i], wave, on_sample, err);
    }
    status = status == WLK_OK ? wlk_wave_run(wave, err) : status;
    for (uint32_t i = 0; i < s->n && status == WLK_OK; i++) {
        step_held(&s->instances[i], false);
    }
    return status;
}

// Exit code of several instances: the lowest number that is not 0, as in
// scripts/wlk/base/report.py.
static int answer(const session *s) {
    int worst = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const int verdict = print_answer(&s->instances[i]);
        worst = verdict != 0 && (worst == 0 || verdict < worst) ? verdict : worst;
    }
    const int code = tool_close_output(tool);
    return code != 0 ? code : worst;
}

static wlk_status rows(session *s, char *text, wlk_wave *wave, wlk_error *err) {
    wlk_status status = parse(s, text, err);
    if (status == WLK_OK && s->n != 1) {
        status = wlk_fail(err, WLK_USAGE, "rows are of one --instance");
    }
    status = status == WLK_OK ? prepare(&s->instances[0], wave, on_row, err) : status;
    if (status == WLK_OK) {
        print_columns(&s->instances[0]);
        status = wlk_wave_run(wave, err);
    }
    return status;
}

// Words from stdin, and what becomes of them: rows, or a check.
static int run_session(wlk_wave *wave, const char *path, bool in_rows) {
    static session s;
    char *text = NULL;
    size_t size = 0;
    wlk_error err;
    int code = 0; // no words: the reader of the list has seen what it wanted
    if (!in_rows) {
        list(wave);
    }
    const bool words = !tool_stop && getdelim(&text, &size, '\0', stdin) > 0;
    if (tool_stop) {
        (void)wlk_fail(&err, WLK_INTERRUPTED, "%.300s: interrupted", path);
        code = tool_fail(tool, &err);
    } else if (words && in_rows) {
        code =
            rows(&s, text, wave, &err) == WLK_OK ? tool_close_output(tool) : tool_fail(tool, &err);
    } else if (words) {
        code = check(&s, text, wave, &err) == WLK_OK ? answer(&s) : tool_fail(tool, &err);
    }
    for (uint32_t i = 0; i < s.n; i++) {
        instance_close(&s.instances[i]);
    }
    free(text);
    return code;
}

// What is to be done with the waveform, by the first word.
static int run_command(const char *command, wlk_wave *wave, const char *name) {
    wlk_error err;
    if (strcmp(command, "verify") == 0) {
        return wlk_wave_verify(wave, &err) == WLK_OK ? 0 : tool_fail(tool, &err);
    }
    if (strcmp(command, "vcd") == 0) {
        return wlk_wave_copy(wave, stdout, &err) == WLK_OK ? tool_close_output(tool)
                                                           : tool_fail(tool, &err);
    }
    return run_session(wave, name, strcmp(command, "rows") == 0);
}

static bool is_usage(int argc, char **argv) {
    static const char *const commands[] = {"verify", "vcd", "session", "rows"};
    for (int i = 0; i < 4 && argc >= 3; i++) {
        if (strcmp(argv[1], commands[i]) == 0) {
            return argc == 3 || (argc == 4 && i >= 2);
        }
    }
    return false;
}

int main(int argc, char **argv) {
    wlk_error err;
    tool_on_stop = stop_wave;
    tool_signals();
    if (!is_usage(argc, argv)) {
        fputs("usage: wlk-check session FILE [NAME] <WORDS, one a line\n"
              "       wlk-check rows FILE [NAME] <WORDS, one a line\n"
              "       wlk-check verify FILE\n"
              "       wlk-check vcd FILE\n",
              stderr);
        return WLK_USAGE;
    }
    wlk_wave *wave = NULL;
    const char *name = argv[argc - 1];
    if (tool_own_blocks(tool, &err) != WLK_OK ||
        wlk_wave_open(&wave, argv[2], name, &err) != WLK_OK) {
        return tool_fail(tool, &err);
    }
    open_wave = wave;
    if (tool_stop) {
        wlk_wave_stop(wave); // it came during the open
    }
    const int code = run_command(argv[1], wave, name);
    open_wave = NULL;
    wlk_wave_close(wave);
    return code;
}

// SPDX-License-Identifier: Apache-2.0
// wlk-check: a waveform against the model. scripts/warplock check is its front.
//
//   wlk-check list FILE                  scopes and their signals as one JSON object
//   wlk-check run FILE WORDS             the instances in one pass; one JSON object a line each
//   wlk-check session FILE               list, then the words of run from stdin, one a line
//   wlk-check verify FILE                whether all of it can be read
//
// WORDS: for each instance,
//   --instance block=NAME scope=PATH [clock=PATH] [power_up=unknown|zero] [skip=PORT,...]
//   [KEY=VALUE...]
// A signal is a port when it has its name; every port but those of skip= must be there. Scopes,
// clocks, configurations and the ports to skip are chosen by scripts/wlk/fit/scopes.py. What failed
// is reported for a person: on stderr, or in a session as the member `report` of the object.
#define _GNU_SOURCE // open_memstream
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "warplock/checker.h"
#include "warplock/wave.h"

enum {
    CYCLES_PER_CHECK = 4096,
    MAX_TIES = 64,
    MAX_WORDS = 1 << 15, // of a session
    LINE = 4096
};

static const char tool[] = "wlk-check";
static wlk_wave *open_wave; // for the signal handler

typedef struct instance {
    const char *block_name, *scope, *clock, *power_up, *skip;
    const char *words[WLK_MAX_PARAMS + 1]; // key=value of the configuration, and members
    uint32_t n_words;
    const char *tie_words[MAX_TIES];
    tool_tie ties[MAX_TIES]; // inputs that are constant, and not in the dump
    uint32_t n_ties;
    tool_block b;
    uint64_t *in, *in_x, *out, *out_x, *compare; // records
    wlk_checker *checker;
    wlk_wave *wave;
    size_t at; // number of its scope
    uint32_t sampler;
    uint64_t failed_at;
    bool failed;
} instance;

typedef struct job {
    wlk_wave *wave;
    const char *path;
    instance *instances;
    uint32_t n;
    bool session;
} job;

// ---- Ctrl-C -----------------------------------------------------------------------------------

static void on_signal(int number) {
    (void)number;
    tool_stop = 1;
    if (open_wave != NULL) {
        wlk_wave_stop(open_wave);
    }
}

static void catch_signals(void) {
    struct sigaction stop;
    tool_signals();
    memset(&stop, 0, sizeof stop);
    stop.sa_handler = on_signal;
    (void)sigaction(SIGINT, &stop, NULL);
    (void)sigaction(SIGTERM, &stop, NULL);
}

// ---- list -------------------------------------------------------------------------------------

// The parts of a bus are one signal here; its handle is that of the first part.
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
        for (; i < end && strcmp(signals[i].leaf, first->leaf) == 0; i++) {
            width += signals[i].width;
        }
        wlk_json_open(to, NULL, '[');
        wlk_json_text(to, NULL, first->leaf);
        wlk_json_number(to, NULL, width);
        wlk_json_number(to, NULL, first->handle);
        wlk_json_close(to, ']');
    }
    wlk_json_close(to, ']');
    wlk_json_close(to, '}');
}

static void list(const wlk_wave *wave, FILE *to) {
    size_t count = 0;
    uint64_t start = 0, end = 0;
    int exponent = 0;
    const wlk_wave_scope *scopes = wlk_wave_scopes(wave, &count);
    wlk_wave_times(wave, &start, &end, &exponent);
    wlk_json j = {to, false};
    wlk_json_open(&j, NULL, '{');
    wlk_json_number(&j, "start", start);
    wlk_json_number(&j, "end", end);
    wlk_json_signed(&j, "exponent", exponent);
    wlk_json_open(&j, "scopes", '[');
    for (size_t i = 0; i < count; i++) {
        list_scope(wave, &scopes[i], &j);
    }
    wlk_json_close(&j, ']');
    wlk_json_close(&j, '}');
    fputc('\n', to);
    (void)fflush(to);
}

// ---- one instance -----------------------------------------------------------------------------

static uint64_t *record(uint32_t n_words) {
    return calloc(n_words + 1u, sizeof(uint64_t));
}

static wlk_status configure(instance *i, wlk_error *err) {
    if (i->block_name == NULL || i->scope == NULL) {
        return wlk_fail(err, WLK_USAGE, "--instance needs block=NAME and scope=PATH");
    }
    const bool zero = strcmp(i->power_up, "zero") == 0;
    if (!zero && strcmp(i->power_up, "unknown") != 0) {
        return wlk_fail(err, WLK_USAGE, "power_up=%.64s: give unknown or zero", i->power_up);
    }
    char *words[WLK_MAX_PARAMS + 1];
    for (uint32_t w = 0; w < i->n_words; w++) {
        words[w] = (char *)(uintptr_t)i->words[w];
    }
    const wlk_status status = tool_block_open(&i->b, i->block_name, words, (int)i->n_words, err);
    if (status != WLK_OK) {
        return status;
    }
    i->in = record(i->b.layout.in_words);
    i->in_x = record(i->b.layout.in_words);
    i->out = record(i->b.layout.out_words);
    i->out_x = record(i->b.layout.out_words);
    i->compare = record(i->b.layout.out_words);
    if (i->in == NULL || i->in_x == NULL || i->out == NULL || i->out_x == NULL ||
        i->compare == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "out of memory");
    }
    for (uint32_t t = 0; t < i->n_ties; t++) {
        if (!tool_tie_read(i->tie_words[t], i->b.layout.in_words, &i->ties[t])) {
            return wlk_fail(err, WLK_USAGE, "tie=%.64s: give WORD:LSB:WIDTH:VALUE",
                            i->tie_words[t]);
        }
    }
    tool_tie_apply(i->ties, i->n_ties, i->in);
    return WLK_OK;
}

static void instance_close(instance *i) {
    wlk_checker_close(i->checker);
    tool_block_close(&i->b);
    free(i->in);
    free(i->in_x);
    free(i->out);
    free(i->out_x);
    free(i->compare);
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

static wlk_status bind_port(instance *i, uint32_t sampler, const wlk_port *port, wlk_error *err) {
    uint64_t *value = port->is_out ? i->out : i->in;
    uint64_t *x = port->is_out ? i->out_x : i->in_x;
    if (port->is_out) {
        wlk_port_set(port, i->compare, ~UINT64_C(0));
    }
    return wlk_wave_bind_signal(i->wave, sampler, i->at, port->name, port->width,
                                value + port->word, x + port->word, port->lsb, err);
}

static wlk_status bind_ports(instance *i, uint32_t sampler, wlk_error *err) {
    for (uint32_t p = 0; p < i->b.layout.n_ports; p++) {
        const wlk_port *port = &i->b.ports[p];
        const bool bound = port->present && !is_skipped(i, port->name);
        const wlk_status status = bound ? bind_port(i, sampler, port, err) : WLK_OK;
        if (status != WLK_OK) {
            return status;
        }
    }
    return WLK_OK;
}

static int on_sample(void *ctx, uint64_t time, uint64_t sample) {
    instance *i = (instance *)ctx;
    if (wlk_checker_step_x(i->checker, i->in, i->in_x, i->out, i->out_x) != 0 && !i->failed) {
        i->failed = true;
        i->failed_at = time;
    }
    if (sample % CYCLES_PER_CHECK == 0) {
        uint64_t start = 0, end = 0;
        wlk_wave_times(i->wave, &start, &end, NULL);
        tool_progress(time - start, end - start);
    }
    return wlk_checker_done(i->checker) ? WLK_WAVE_DONE : WLK_WAVE_CONTINUE;
}

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
    return WLK_OK;
}

static wlk_status prepare(instance *i, wlk_wave *wave, wlk_error *err) {
    wlk_wave_handle clock = WLK_WAVE_NO_CLOCK;
    uint32_t sampler = 0;
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
        status = wlk_wave_add_sampler(wave, clock, on_sample, i, &sampler, err);
    }
    i->sampler = sampler;
    if (status == WLK_OK) {
        status = bind_ports(i, sampler, err);
    }
    const wlk_checker_options options = {
        .scope = i->scope,
        .power_up = strcmp(i->power_up, "zero") == 0 ? WLK_POWER_ZERO : WLK_POWER_UNKNOWN,
        .compare = i->compare,
        .count_events = true,
        .members = i->b.members,
    };
    return status != WLK_OK ? status
                            : wlk_checker_open(&i->checker, i->b.block, i->b.cfg, &options, err);
}

// ---- results ----------------------------------------------------------------------------------

static void print_report(const instance *i, FILE *to) {
    int exponent = 0;
    wlk_checker_report(i->checker, to);
    if (i->failed) {
        wlk_wave_times(i->wave, NULL, NULL, &exponent);
        fprintf(to, "  clock edge at time %" PRIu64 " (in units of 1e%d s)\n", i->failed_at,
                exponent);
    }
}

// The report as a member: in the answer and not in a file, no full disk keeps it back.
static void add_report(const instance *i, wlk_json *to) {
    char *text = NULL;
    size_t size = 0;
    FILE *report = open_memstream(&text, &size);
    if (report == NULL) {
        return;
    }
    print_report(i, report);
    if (fclose(report) == 0) {
        wlk_json_text(to, "report", text);
    }
    free(text);
}

static void print_json(const instance *i, bool with_report) {
    wlk_json j = {stdout, false};
    wlk_json_open(&j, NULL, '{');
    wlk_checker_json(i->checker, false, &j);
    if (i->failed) {
        wlk_json_number(&j, "first_time", i->failed_at);
    }
    if (!i->b.block->table->has_clock) {
        wlk_json_number(&j, "port_changes", wlk_wave_moves(i->wave, i->sampler));
    }
    if (with_report) {
        add_report(i, &j);
    }
    wlk_json_close(&j, '}');
    fputc('\n', stdout);
}

// Exit code of several runs: the lowest number that is not 0, as in scripts/wlk/base/report.py.
static int answer(const job *j) {
    int worst = 0;
    wlk_error err;
    for (uint32_t n = 0; n < j->n; n++) {
        const instance *i = &j->instances[n];
        const int verdict = (int)wlk_checker_result_get(i->checker, false).verdict;
        print_json(i, verdict != 0 && j->session);
        if (verdict != 0 && (worst == 0 || verdict < worst)) {
            worst = verdict;
        }
        if (verdict != 0 && !j->session) {
            print_report(i, stderr);
        }
    }
    if (fflush(stdout) != 0) {
        (void)wlk_fail(&err, WLK_NO_SPACE, "cannot write to stdout");
        return tool_fail(tool, &err);
    }
    return worst;
}

// ---- words ------------------------------------------------------------------------------------

static const char *value_of(const char *word, const char *key) {
    const size_t n = strlen(key);
    return strncmp(word, key, n) == 0 && word[n] == '=' ? word + n + 1u : NULL;
}

static wlk_status instance_word(instance *i, const char *word, wlk_error *err) {
    const struct {
        const char *key;
        const char **to;
    } keys[] = {
        {"block", &i->block_name},  {"scope", &i->scope}, {"clock", &i->clock},
        {"power_up", &i->power_up}, {"skip", &i->skip},
    };
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        const char *value = value_of(word, keys[k].key);
        if (value != NULL) {
            *keys[k].to = value;
            return WLK_OK;
        }
    }
    const char *tie = value_of(word, "tie");
    if (tie != NULL && i->n_ties < MAX_TIES) {
        i->tie_words[i->n_ties++] = tie;
        return WLK_OK;
    }
    if (i->n_words == WLK_MAX_PARAMS + 1u) {
        return wlk_fail(err, WLK_USAGE, "too many parameters from '%.64s' on", word);
    }
    i->words[i->n_words++] = word;
    return WLK_OK;
}

static wlk_status parse(job *j, int n, char **words, wlk_error *err) {
    size_t most = 0;
    for (int w = 0; w < n; w++) {
        most += strcmp(words[w], "--instance") == 0;
    }
    j->instances = calloc(most + 1, sizeof *j->instances);
    if (j->instances == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "out of memory");
    }
    for (int w = 0; w < n; w++) {
        if (strcmp(words[w], "--instance") == 0) {
            j->instances[j->n++].power_up = "unknown";
        } else if (j->n == 0) {
            return wlk_fail(err, WLK_USAGE, "'%.64s' stands before the first --instance", words[w]);
        } else {
            const wlk_status status = instance_word(&j->instances[j->n - 1u], words[w], err);
            if (status != WLK_OK) {
                return status;
            }
        }
    }
    return j->n != 0 ? WLK_OK : wlk_fail(err, WLK_USAGE, "no --instance");
}

static wlk_status run_all(job *j, wlk_error *err) {
    for (uint32_t i = 0; i < j->n; i++) {
        const wlk_status status = prepare(&j->instances[i], j->wave, err);
        if (status != WLK_OK) {
            return status;
        }
    }
    return wlk_wave_run(j->wave, WLK_WAVE_NO_LIMIT, err);
}

static int run(wlk_wave *wave, const char *path, int n, char **words, bool in_session) {
    wlk_error err;
    job j = {.wave = wave, .path = path, .session = in_session};
    wlk_status status = parse(&j, n, words, &err);
    if (status == WLK_OK) {
        status = run_all(&j, &err);
    }
    const int code = status == WLK_OK ? answer(&j) : tool_fail(tool, &err);
    for (uint32_t i = 0; i < j.n; i++) {
        instance_close(&j.instances[i]);
    }
    free(j.instances);
    return code;
}

// ---- commands ---------------------------------------------------------------------------------

static int interrupted(const char *path) {
    wlk_error err;
    (void)wlk_fail(&err, WLK_INTERRUPTED, "%.300s: interrupted", path);
    return tool_fail(tool, &err);
}

// Lines of stdin as words; returns how many. USAGE when they are more than MAX_WORDS.
static size_t read_words(char **words, wlk_status *status, wlk_error *err) {
    char *line = NULL;
    size_t size = 0, n = 0;
    *status = WLK_OK;
    while (*status == WLK_OK && !tool_stop && getline(&line, &size, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (n == MAX_WORDS) {
            *status = wlk_fail(err, WLK_USAGE, "more than %d words", (int)MAX_WORDS);
        } else if ((words[n] = strdup(line)) == NULL) {
            *status = wlk_fail(err, WLK_NO_MEMORY, "out of memory");
        } else {
            n++;
        }
    }
    free(line);
    return n;
}

// The words of run from stdin, one a line, to its end.
static int session(wlk_wave *wave, const char *path) {
    char **words = calloc(MAX_WORDS, sizeof *words);
    wlk_error err;
    wlk_status status = WLK_OK;
    size_t n = 0;
    list(wave, stdout);
    if (words == NULL) {
        status = wlk_fail(&err, WLK_NO_MEMORY, "out of memory");
    } else {
        n = read_words(words, &status, &err);
    }
    int code = 0; // an empty stdin: the reader of the list has seen what it wanted
    if (tool_stop) {
        code = interrupted(path);
    } else if (status != WLK_OK) {
        code = tool_fail(tool, &err);
    } else if (n != 0) {
        code = run(wave, path, (int)n, words, true);
    }
    while (n > 0) {
        free(words[--n]);
    }
    free(words);
    return code;
}

static int command(const char *name, const char *path, int n, char **words) {
    wlk_error err;
    wlk_wave *wave = NULL;
    int code = 0;
    if (wlk_wave_open(&wave, path, NULL, &err) != WLK_OK) {
        return tool_fail(tool, &err);
    }
    open_wave = wave;
    if (tool_stop) {
        code = interrupted(path);
    } else if (strcmp(name, "list") == 0) {
        list(wave, stdout);
    } else if (strcmp(name, "session") == 0) {
        code = session(wave, path);
    } else if (strcmp(name, "verify") == 0) {
        code = wlk_wave_verify(wave, &err) == WLK_OK ? 0 : tool_fail(tool, &err);
    } else {
        code = run(wave, path, n, words, false);
    }
    open_wave = NULL;
    wlk_wave_close(wave);
    return code;
}

int main(int argc, char **argv) {
    catch_signals();
    const bool plain =
        argc == 3 && (strcmp(argv[1], "list") == 0 || strcmp(argv[1], "session") == 0 ||
                      strcmp(argv[1], "verify") == 0);
    if (plain || (argc > 3 && strcmp(argv[1], "run") == 0)) {
        return command(argv[1], argv[2], argc - 3, argv + 3);
    }
    fputs("usage: wlk-check list FILE\n"
          "       wlk-check session FILE <WORDS, one a line\n"
          "       wlk-check verify FILE\n"
          "       wlk-check run FILE --instance block=NAME scope=PATH [clock=PATH]\n"
          "                 [power_up=unknown|zero] [skip=PORT,...] [KEY=VALUE...]\n"
          "                 [--instance ...]\n",
          stderr);
    return WLK_USAGE;
}

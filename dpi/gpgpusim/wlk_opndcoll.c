// SPDX-License-Identifier: Apache-2.0
// wlk-opndcoll: stimulus of GPGPU-Sim's operand collector, and the events of the model.
// scripts/warplock opndcoll is its front; USAGE shows its words.
//
// STIM is a file, or - for stdin, whose name in messages is NAME. Events go to stdout. With --diff
// they are compared with a recording, which decides whether there are states and statistics; the
// answer is then one JSON object. So it is with --summary, which counts (--windows: over time too)
// and prints no events, and with --compare, which plays the recording on other configurations too:
// [REVISION:][+]FILE, where + adds the file to those of --config. --quick leaves the events out and
// makes the calls that report none: for tests of these.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opndcoll_compare.h"
#include "opndcoll_replay.h"
#include "opndcoll_trace.h"
#include "tool.h"
#include "warplock/opndcoll_options.h"

static const char tool[] = "wlk-opndcoll";
static const char USAGE[] =
    "usage: wlk-opndcoll [--revision v40|v42|v32] [--config FILE]... [--allow-unknown]\n"
    "                    [--name NAME] [--state] [--stats] [--quick] [--diff EVENTS] STIM\n"
    "       wlk-opndcoll [--revision ...] [--config FILE]... [--allow-unknown] [--name NAME]\n"
    "                    --summary [--windows] | --compare [REVISION:][+]FILE... STIM\n";
enum {
    PROGRESS_EVERY = 1 << 14, // commands
    MOST_CONFIGS = 64,        // and files of --compare
    WINDOWS = 256,            // of --windows
};

typedef struct job {
    const char *revision, *name, *diff, *stimulus;
    const char *configs[MOST_CONFIGS]; // in the order given
    uint32_t n_configs;
    const char *compared[MOST_CONFIGS];
    uint32_t n_compared;
    bool state, stats, quick, summary, windows, allow_unknown;
    wlk_opndcoll_cfg cfg;
    text_recording expected;
    text to;
    FILE *from;
    stim_reader *reader;
    replay *run;
    trace_maker *maker; // of --compare
    compare_config configurations[1 + MOST_CONFIGS];
    wlk_error err;
} job;

static bool parse_words(job *j, int n, char **words) {
    for (int i = 0; i < n; i++) {
        const struct {
            const char *name;
            const char **value;
            bool *flag; // of one without a value
        } options[] = {
            {"--revision", &j->revision, NULL},
            {"--config", &j->configs[j->n_configs], NULL},
            {"--compare", &j->compared[j->n_compared], NULL},
            {"--name", &j->name, NULL},
            {"--diff", &j->diff, NULL},
            {"--state", NULL, &j->state},
            {"--stats", NULL, &j->stats},
            {"--quick", NULL, &j->quick},
            {"--summary", NULL, &j->summary},
            {"--allow-unknown", NULL, &j->allow_unknown},
            {"--windows", NULL, &j->windows},
        };
        const char **value = NULL;
        bool *flag = NULL;
        for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
            if (strcmp(words[i], options[k].name) == 0) {
                value = options[k].value;
                flag = options[k].flag;
            }
        }
        if (value != NULL) {
            if (++i == n) {
                return false;
            }
            *value = words[i];
            j->n_configs += value == &j->configs[j->n_configs];
            j->n_compared += value == &j->compared[j->n_compared];
            if (j->n_configs == MOST_CONFIGS || j->n_compared == MOST_CONFIGS) {
                return false;
            }
        } else if (flag != NULL) {
            *flag = true;
        } else if ((words[i][0] == '-' && words[i][1] != '\0') || j->stimulus != NULL) {
            return false;
        } else {
            j->stimulus = words[i];
        }
    }
    const bool events = j->state || j->stats || j->quick || j->diff != NULL;
    const bool counts = j->summary || j->n_compared != 0;
    return j->stimulus != NULL && !(counts && events) && !(j->summary && j->n_compared != 0);
}

static wlk_status find_revision(job *j, const char *wanted, size_t length, uint32_t *revision) {
    const char *name = wlk_opndcoll_revision_name(0);
    for (uint32_t i = 0; name != NULL; name = wlk_opndcoll_revision_name(++i)) {
        if (strlen(name) == length && strncmp(wanted, name, length) == 0) {
            *revision = i;
            return WLK_OK;
        }
    }
    return wlk_fail(&j->err, WLK_USAGE, "revision '%.*s': it is v40, v42 or v32", (int)length,
                    wanted);
}

static void warn_unknown(const char *const *files, uint32_t n, char *unknown) {
    if (unknown != NULL) {
        fputs("warning: ", stderr);
        for (uint32_t i = 0; i < n; i++) {
            fprintf(stderr, "%s%s", i != 0 ? ", " : "", files[i]);
        }
        fprintf(stderr, ": options that are not the collector's: %s\n", unknown);
        free(unknown);
    }
}

// The options of the files over the defaults; its revision is set.
static wlk_status read_files(job *j, wlk_opndcoll_cfg *cfg, const char *const *files, uint32_t n) {
    const uint32_t revision = cfg->revision;
    wlk_opndcoll_defaults(cfg);
    cfg->revision = revision;
    if (n == 0) {
        return wlk_opndcoll_check(cfg, NULL, &j->err);
    }
    char *unknown = NULL;
    const wlk_status status =
        wlk_opndcoll_read_option_files(cfg, files, n, j->allow_unknown ? &unknown : NULL, &j->err);
    warn_unknown(files, n, unknown);
    return status;
}

static wlk_status configure(job *j) {
    const char *revision = j->revision != NULL ? j->revision : wlk_opndcoll_revision_name(0);
    const wlk_status status = find_revision(j, revision, strlen(revision), &j->cfg.revision);
    return status != WLK_OK ? status : read_files(j, &j->cfg, j->configs, j->n_configs);
}

/* ---- other configurations ---- */

// One of --compare: [REVISION:][+]FILE.
static wlk_status configure_other(job *j, const char *word, wlk_opndcoll_cfg *cfg) {
    const char *file = word, *colon = strchr(word, ':');
    cfg->revision = j->cfg.revision;
    if (colon == word + 3 && word[0] == 'v') {
        const wlk_status status = find_revision(j, word, 3, &cfg->revision);
        if (status != WLK_OK) {
            return status;
        }
        file = colon + 1;
    }
    if (*file != '+') {
        return read_files(j, cfg, &file, 1);
    }
    const char *files[MOST_CONFIGS + 1];
    memcpy(files, j->configs, sizeof j->configs);
    files[j->n_configs] = file + 1;
    return read_files(j, cfg, files, j->n_configs + 1u);
}

static wlk_status configure_others(job *j) {
    j->configurations[0] =
        (compare_config){j->n_configs != 0 ? j->configs[j->n_configs - 1u] : "defaults", j->cfg};
    wlk_status status = WLK_OK;
    for (uint32_t i = 0; i < j->n_compared && status == WLK_OK; i++) {
        j->configurations[i + 1u].name = j->compared[i];
        status = configure_other(j, j->compared[i], &j->configurations[i + 1u].cfg);
    }
    return status;
}

static wlk_status prepare_comparison(job *j) {
    const wlk_status status = trace_open(&j->maker, &j->cfg, &j->err);
    if (status == WLK_OK) {
        replay_watch(j->run, trace_watch, j->maker);
    }
    return status;
}

static int answer_comparison(job *j) {
    const trace *t;
    wlk_status status = trace_finish(j->maker, &t, &j->err);
    if (status == WLK_OK) {
        status = compare_all(t, j->configurations, j->n_compared + 1u, &j->err);
    }
    return status == WLK_OK || status == WLK_HANG ? (int)status : tool_fail(tool, &j->err);
}

/* ---- playing ---- */

static wlk_status open_stimulus(job *j) {
    const bool is_stdin = strcmp(j->stimulus, "-") == 0;
    j->name = j->name != NULL ? j->name : is_stdin ? "stdin" : j->stimulus;
    j->from = is_stdin ? stdin : fopen(j->stimulus, "rb");
    if (j->from == NULL) {
        return wlk_fail(&j->err, WLK_NO_FILE, "%s: cannot be opened: %s", j->stimulus,
                        strerror(errno));
    }
    wlk_opndcoll_shape shape;
    wlk_opndcoll_shape_of(&j->cfg, &shape);
    return stim_open(&j->reader, j->from, j->name, &shape, &j->err);
}

static wlk_status prepare(job *j) {
    wlk_status status = configure(j);
    status = status == WLK_OK ? configure_others(j) : status;
    if (status == WLK_OK && j->diff != NULL) {
        status = text_load(&j->expected, j->diff, &j->err);
        j->state |= j->expected.has_state;
        j->stats |= j->expected.has_stats;
    }
    status = status == WLK_OK ? open_stimulus(j) : status;
    if (status == WLK_OK) {
        status = text_open(&j->to, j->diff != NULL ? &j->expected : NULL, &j->err);
    }
    j->to.silent = j->summary || j->n_compared != 0;
    if (status == WLK_OK) {
        status = replay_open(&j->run, &j->cfg, j->state, j->quick, &j->to, &j->err);
    }
    if (status == WLK_OK && j->n_compared != 0) {
        status = prepare_comparison(j);
    }
    return status == WLK_OK && j->summary ? replay_count(j->run, j->windows ? WINDOWS : 0, &j->err)
                                          : status;
}

// Size of the stimulus; 0: unknown.
static uint64_t stimulus_size(FILE *from) {
    long size = -1;
    if (fseek(from, 0, SEEK_END) == 0) {
        size = ftell(from);
        rewind(from);
    }
    return size > 0 ? (uint64_t)size : 0u;
}

static wlk_status play(job *j) {
    const uint64_t total = stimulus_size(j->from);
    stim_command command;
    bool more = true;
    replay_header(j->run);
    for (uint64_t n = 1; !j->to.differs && !j->to.failed; n++) {
        wlk_status status = stim_next(j->reader, &command, &more, &j->err);
        if (status == WLK_OK && more) {
            status = replay_command(j->run, &command, &j->err);
            if (status != WLK_OK) { // what only the replay knows, at its line
                const wlk_error reason = j->err;
                return wlk_fail(&j->err, status, "%s:%" PRIu64 ": %s", j->name,
                                stim_line(j->reader), reason.text);
            }
        }
        if (status != WLK_OK || !more) {
            return status;
        }
        if (tool_stop != 0) {
            return wlk_fail(&j->err, WLK_INTERRUPTED, "interrupted");
        }
        if (n % PROGRESS_EVERY == 0 && total != 0) {
            tool_progress(stim_bytes(j->reader), total);
        }
    }
    return WLK_OK;
}

/* ---- the answer ---- */

// What the recording does not have: the header, and lines that it does not declare.
static void print_left_out(const job *j, wlk_json *to) {
    wlk_json_open(to, "not_compared", '[');
    if (!j->expected.has_header) {
        wlk_json_text(to, NULL, "header");
    }
    if (j->expected.only != NULL) {
        wlk_json_text(to, NULL, "lines that `# lines` does not name");
    }
    wlk_json_close(to, ']');
}

static int answer_difference(const job *j, bool at_end) {
    const bool differs = j->to.differs;
    const wlk_status verdict = differs            ? WLK_FUNCTIONAL_MISMATCH
                               : j->to.lines == 0 ? WLK_VACUOUS
                                                  : WLK_OK;
    wlk_json to = wlk_json_line(stdout);
    wlk_json_text(&to, "verdict", wlk_status_name(verdict));
    wlk_json_number(&to, "lines", j->to.lines - (differs ? 1u : 0u));
    wlk_json_number(&to, "steps", replay_steps(j->run));
    if (!j->expected.has_header || j->expected.only != NULL) {
        print_left_out(j, &to);
    }
    if (j->expected.is_cut || j->to.is_cut) {
        wlk_json_raw(&to, "cut", "true");
    }
    if (differs) {
        size_t size;
        const char *expected = text_expected(&j->to, &size);
        wlk_json_number(&to, "line", j->to.lines + j->to.passed_over);
        wlk_json_number(&to, "stimulus_line", stim_line(j->reader));
        if (j->to.at < j->expected.size) {
            wlk_json_bytes(&to, "expected", expected, size);
        }
        if (!at_end) {
            wlk_json_bytes(&to, "got", j->to.out.buffer, j->to.out.used);
        }
    }
    wlk_json_line_end(&to);
    return (int)verdict;
}

static int answer(job *j) {
    if (j->stats) {
        replay_stats(j->run);
    }
    const bool differed = j->to.differs;
    j->to.is_cut = stim_is_cut(j->reader);
    text_finish(&j->to);
    if (j->summary) {
        replay_summary(j->run);
    }
    int code = WLK_OK;
    if (j->diff != NULL) {
        code = answer_difference(j, j->to.differs && !differed);
    } else if (j->n_compared != 0) {
        code = answer_comparison(j);
    }
    const int closed = tool_close_output(tool);
    return closed != 0 ? closed : code;
}

static void clean_up(job *j) {
    trace_close(j->maker);
    replay_close(j->run);
    stim_close(j->reader);
    text_close(&j->to);
    free(j->expected.bytes);
    if (j->from != NULL && j->from != stdin) {
        (void)fclose(j->from);
    }
}

int main(int argc, char **argv) {
    static job j;
    tool_signals();
    if (!parse_words(&j, argc - 1, argv + 1)) {
        fputs(USAGE, stderr);
        return WLK_USAGE;
    }
    wlk_status status = prepare(&j);
    status = status == WLK_OK ? play(&j) : status;
    int code;
    if (status == WLK_OK) {
        code = answer(&j);
    } else {
        text_finish(&j.to); // what happened up to there
        code = tool_fail(tool, &j.err);
    }
    clean_up(&j);
    return code;
}

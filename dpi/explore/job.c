// SPDX-License-Identifier: Apache-2.0
// Lines of jobs: key=value cells with tabs between.
#include "explore.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tool.h"

enum { DEFAULT_IDLE = 1000, MAX_INSTRUCTIONS = 1000000000 };

// Stream `mixed` of muon-designs §11.
static const explore_shape mixed = {
    .warps = 8,
    .regs = 24,
    .sources = {5, 25, 45, 25},
    .reuse = 30,
    .mix = {60, 20, 5, 15},
    .instructions = 8000,
    .latency = {{4, 4}, {6, 6}, {12, 12}, {20, 60}},
};

// A value that a key refuses: @p wanted says what it takes.
static wlk_status refuse(const char *key, const char *value, const char *wanted, wlk_error *err) {
    return wlk_fail(err, WLK_USAGE, "job: %s='%.100s' is not %s", key, value, wanted);
}

static bool number_to(const char **text, char end, uint64_t least, uint64_t most, uint64_t *to) {
    return tool_take_number(text, end, to) && *to >= least && *to <= most;
}

// "N/N/...", n numbers.
static bool shares(const char *text, uint32_t *to, uint32_t n) {
    uint64_t sum = 0, value = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (*text == '\0' || !number_to(&text, '/', 0, 100, &value)) {
            return false;
        }
        to[i] = (uint32_t)value;
        sum += value;
    }
    return *text == '\0' && sum == 100;
}

// "N" or "A..B".
static bool latency(const char *text, explore_latency *to) {
    uint64_t least = 0, most = 0;
    const char *at = text, *dots = strstr(text, "..");
    if (!number_to(&at, dots != NULL ? '.' : '\0', 1, WLK_PROGRAM_MAX_LATENCY, &least)) {
        return false;
    }
    most = least;
    if (dots != NULL) {
        at = dots + 2;
        if (!number_to(&at, '\0', least, WLK_PROGRAM_MAX_LATENCY, &most)) {
            return false;
        }
    }
    *to = (explore_latency){(uint32_t)least, (uint32_t)most};
    return true;
}

static bool latencies(char *text, explore_latency *to) {
    char *rest = text;
    for (uint32_t i = 0; i < EXPLORE_FUS; i++) {
        const char *one = strsep(&rest, "/");
        if (one == NULL || !latency(one, &to[i])) {
            return false;
        }
    }
    return rest == NULL;
}

// "full", or "30random": 30 % of the instructions.
static bool masks(const char *text, uint32_t *to) {
    uint64_t share = 0;
    *to = 0;
    if (strcmp(text, "full") == 0) {
        return true;
    }
    const bool read =
        tool_take_number(&text, 'r', &share) && share <= 100 && strcmp(text, "andom") == 0;
    *to = (uint32_t)share;
    return read;
}

// ---- keys -------------------------------------------------------------------------------------

typedef wlk_status take_text(explore_job *job, const char *key, const char *value, wlk_error *err);

static wlk_status take_id(explore_job *job, const char *key, const char *value, wlk_error *err) {
    (void)key;
    (void)err;
    job->id = value;
    return WLK_OK;
}

static wlk_status take_parameter(explore_job *job, char *word, wlk_error *err) {
    char *equals = strchr(word, '=');
    if (equals == NULL) {
        return refuse("config", word, "KEY=VALUE", err);
    }
    *equals = '\0';
    return wlk_config_set(&wlk_issue_x_table, job->cfg, word, equals + 1, err);
}

static wlk_status take_config(explore_job *job, const char *key, const char *value,
                              wlk_error *err) {
    wlk_status status = WLK_OK;
    while (status == WLK_OK && *(value += strspn(value, " ")) != '\0') {
        char word[128];
        const size_t length = strcspn(value, " ");
        if (length >= sizeof word) {
            return refuse(key, value, "KEY=VALUE", err);
        }
        (void)snprintf(word, sizeof word, "%.*s", (int)length, value);
        status = take_parameter(job, word, err);
        value += length;
    }
    return status;
}

static wlk_status take_workload(explore_job *job, const char *key, const char *value,
                                wlk_error *err) {
    if (strcmp(value, "program") == 0) {
        job->program = "";
        return WLK_OK;
    }
    return strcmp(value, "stream") == 0 ? WLK_OK : refuse(key, value, "stream or program", err);
}

static wlk_status take_program(explore_job *job, const char *key, const char *value,
                               wlk_error *err) {
    (void)key;
    (void)err;
    job->program = value;
    return WLK_OK;
}

static wlk_status take_sources(explore_job *job, const char *key, const char *value,
                               wlk_error *err) {
    return shares(value, job->shape.sources, EXPLORE_OPERANDS + 1)
               ? WLK_OK
               : refuse(key, value, "four shares of 100, as 5/25/45/25", err);
}

static wlk_status take_mix(explore_job *job, const char *key, const char *value, wlk_error *err) {
    return shares(value, job->shape.mix, EXPLORE_FUS)
               ? WLK_OK
               : refuse(key, value, "four shares of 100, as 60/20/5/15", err);
}

static wlk_status take_masks(explore_job *job, const char *key, const char *value, wlk_error *err) {
    return masks(value, &job->shape.random_masks)
               ? WLK_OK
               : refuse(key, value, "full, or a share as 30random", err);
}

static wlk_status take_latency(explore_job *job, const char *key, const char *value,
                               wlk_error *err) {
    char copy[64];
    (void)snprintf(copy, sizeof copy, "%s", value);
    return strlen(value) < sizeof copy && latencies(copy, job->shape.latency)
               ? WLK_OK
               : refuse(key, value, "four latencies from 1 on, as 4/6/12/20..60", err);
}

static const struct {
    const char *key;
    take_text *take;
} texts[] = {
    {"id", take_id},           {"config", take_config},   {"workload", take_workload},
    {"program", take_program}, {"sources", take_sources}, {"mix", take_mix},
    {"masks", take_masks},     {"latency", take_latency},
};

// A plain number: where it goes and what it may be.
typedef struct count {
    const char *key;
    void *to;
    bool wide; // a uint64_t, or a uint32_t
    uint64_t least, most;
} count;

static wlk_status store(const count *c, const char *value, wlk_error *err) {
    uint64_t number = 0;
    char range[64];
    if (!tool_number(value, &number) || number < c->least || number > c->most) {
        (void)snprintf(range, sizeof range, "a number from %" PRIu64 " to %" PRIu64, c->least,
                       c->most);
        return refuse(c->key, value, range, err);
    }
    if (c->wide) {
        *(uint64_t *)c->to = number;
    } else {
        *(uint32_t *)c->to = (uint32_t)number;
    }
    return WLK_OK;
}

static wlk_status take_count(explore_job *job, const char *key, const char *value, wlk_error *err) {
    explore_shape *shape = &job->shape;
    const count counts[] = {
        {"warps", &shape->warps, false, 1, EXPLORE_MAX_WARPS},
        {"regs", &shape->regs, false, 1, WLK_ISSUE_X_MAX_NUM_PREGS - 1},
        {"reuse", &shape->reuse, false, 0, 100},
        {"instructions", &shape->instructions, true, 1, MAX_INSTRUCTIONS},
        {"seed", &job->seed, true, 0, UINT64_MAX},
        {"max_cycles", &job->max_cycles, true, 0, UINT64_MAX},
        {"idle", &job->idle, true, 1, UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (strcmp(key, counts[i].key) == 0) {
            return store(&counts[i], value, err);
        }
    }
    return wlk_fail(err, WLK_USAGE, "job: unknown key '%.40s'", key);
}

static wlk_status take_cell(explore_job *job, char *cell, wlk_error *err) {
    char *equals = strchr(cell, '=');
    if (equals == NULL) {
        return wlk_fail(err, WLK_USAGE, "job: '%.40s' is not key=value", cell);
    }
    *equals = '\0';
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(cell, texts[i].key) == 0) {
            return texts[i].take(job, cell, equals + 1, err);
        }
    }
    return take_count(job, cell, equals + 1, err);
}

wlk_status explore_job_read(explore_job *job, char *line, wlk_error *err) {
    char *rest = line, *cell;
    wlk_status status = WLK_OK;
    *job = (explore_job){.id = "", .shape = mixed, .seed = 1, .idle = DEFAULT_IDLE};
    wlk_config_defaults(&wlk_issue_x_table, job->cfg);
    while ((cell = strsep(&rest, "\t\n")) != NULL) {
        // After the first mistake only the id is still of interest.
        if (*cell != '\0' && (status == WLK_OK || strncmp(cell, "id=", 3) == 0)) {
            wlk_error later;
            const wlk_status one = take_cell(job, cell, status == WLK_OK ? err : &later);
            status = status == WLK_OK ? one : status;
        }
    }
    if (status == WLK_OK && job->program != NULL && job->program[0] == '\0') {
        return wlk_fail(err, WLK_USAGE, "job: workload=program without program=PATH");
    }
    return status;
}

// SPDX-License-Identifier: Apache-2.0
#include "tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

volatile sig_atomic_t tool_stop;

static void on_signal(int number) {
    (void)number;
    tool_stop = 1;
}

void tool_signals(void) {
    struct sigaction stop;
    memset(&stop, 0, sizeof stop);
    stop.sa_handler = on_signal;
    (void)sigaction(SIGINT, &stop, NULL);
    (void)sigaction(SIGTERM, &stop, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
}

int tool_fail(const char *tool, const wlk_error *err) {
    fprintf(stderr, "%s: %s\n", tool, err->text);
    return (int)err->status;
}

bool tool_number(const char *text, uint64_t *value) {
    char *end = NULL;
    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    *value = strtoull(text, &end, 0);
    return *end == '\0';
}

wlk_status tool_config(const char *name, char **words, int n, const wlk_block **block,
                       uint32_t *cfg, wlk_error *err) {
    *block = wlk_block_find(name);
    if (*block == NULL) {
        return wlk_fail(err, WLK_USAGE, "no block '%s'", name);
    }
    wlk_config_defaults((*block)->table, cfg);
    for (int i = 0; i < n; i++) {
        char *equals = strchr(words[i], '=');
        if (equals == NULL) {
            return wlk_fail(err, WLK_USAGE, "'%s' is not key=value", words[i]);
        }
        *equals = '\0';
        const wlk_status status = wlk_config_set((*block)->table, cfg, words[i], equals + 1, err);
        *equals = '=';
        if (status != WLK_OK) {
            return status;
        }
    }
    return (*block)->check(cfg, err);
}

void tool_progress(uint64_t done, uint64_t total) {
    static struct timespec last;
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t passed = (int64_t)(now.tv_sec - last.tv_sec) * 1000 +
                           (int64_t)(now.tv_nsec - last.tv_nsec) / 1000000;
    if (passed >= 200) {
        last = now;
        fprintf(stderr, "progress %" PRIu64 " %" PRIu64 "\n", done, total);
    }
}

void tool_config_json(const wlk_table *table, const uint32_t *cfg, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < table->n_params && used < size; i++) {
        const wlk_param *p = &table->params[i];
        const char *glue = i != 0u ? ", " : "";
        const int n = p->names != NULL ? snprintf(text + used, size - used, "%s\"%s\": \"%s\"",
                                                  glue, p->name, p->names[cfg[i]])
                                       : snprintf(text + used, size - used, "%s\"%s\": %" PRIu32,
                                                  glue, p->name, cfg[i]);
        used += n > 0 ? (size_t)n : 0u;
    }
}

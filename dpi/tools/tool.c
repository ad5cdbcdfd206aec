// SPDX-License-Identifier: Apache-2.0
#include "tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

volatile sig_atomic_t tool_stop;
FILE *tool_console;

static FILE *console(void) {
    return tool_console != NULL ? tool_console : stderr;
}

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
    fprintf(console(), "%s: %s\n", tool, err->text);
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

static wlk_status take_members(tool_block *b, const char *text, wlk_error *err) {
    uint32_t n = 0;
    wlk_status status = wlk_members_parse(text, NULL, 0, &n, err);
    if (status != WLK_OK || n == 0) {
        return status;
    }
    wlk_member *list = calloc(n, sizeof *list);
    if (list == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "out of memory");
    }
    b->members.list = list;
    b->members_text = text;
    return wlk_members_parse(text, list, n, &b->members.n, err);
}

static wlk_status take_word(tool_block *b, char *word, wlk_error *err) {
    char *equals = strchr(word, '=');
    if (equals == NULL) {
        return wlk_fail(err, WLK_USAGE, "'%s' is not key=value", word);
    }
    *equals = '\0';
    const bool members = strcmp(word, "members") == 0 && b->members.list == NULL;
    const wlk_status status = members
                                  ? take_members(b, equals + 1, err)
                                  : wlk_config_set(b->block->table, b->cfg, word, equals + 1, err);
    *equals = '=';
    return status;
}

wlk_status tool_block_open(tool_block *b, const char *name, char **words, int n, wlk_error *err) {
    wlk_status status = WLK_OK;
    memset(b, 0, sizeof *b);
    b->block = wlk_block_find(name);
    if (b->block == NULL) {
        return wlk_fail(err, WLK_USAGE, "no block '%s'", name);
    }
    wlk_config_defaults(b->block->table, b->cfg);
    for (int i = 0; i < n && status == WLK_OK; i++) {
        status = take_word(b, words[i], err);
    }
    if (status == WLK_OK) {
        status = b->block->check(b->cfg, err);
    }
    if (status != WLK_OK) {
        return status;
    }
    b->block->table->layout(b->cfg, &b->layout);
    b->layout.n_ports = b->block->table->ports(b->cfg, &b->members, NULL, 0);
    b->ports = calloc(b->layout.n_ports, sizeof *b->ports);
    if (b->ports == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "out of memory");
    }
    (void)b->block->table->ports(b->cfg, &b->members, b->ports, b->layout.n_ports);
    return WLK_OK;
}

void tool_block_close(tool_block *b) {
    free((void *)(uintptr_t)b->members.list);
    free(b->ports);
}

void tool_progress(uint64_t done, uint64_t total) {
    static struct timespec last;
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t passed = (int64_t)(now.tv_sec - last.tv_sec) * 1000 +
                           (int64_t)(now.tv_nsec - last.tv_nsec) / 1000000;
    if (passed >= 200) {
        last = now;
        fprintf(console(), "progress %" PRIu64 " %" PRIu64 "\n", done, total);
    }
}

bool tool_tie_read(const char *text, uint32_t in_words, tool_tie *tie) {
    char *end = NULL;
    uint32_t *const parts[] = {&tie->word, &tie->lsb, &tie->width};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        *parts[i] = (uint32_t)strtoul(text, &end, 10);
        if (end == text || *end != ':') {
            return false;
        }
        text = end + 1;
    }
    return tool_number(text, &tie->value) && tie->word < in_words && tie->width >= 1 &&
           tie->width <= 64 && tie->lsb <= 64u - tie->width &&
           (tie->value & ~wlk_mask(tie->width)) == 0;
}

void tool_tie_apply(const tool_tie *ties, uint32_t n, uint64_t *in) {
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t mask = wlk_mask(ties[i].width) << ties[i].lsb;
        in[ties[i].word] = (in[ties[i].word] & ~mask) | ties[i].value << ties[i].lsb;
    }
}

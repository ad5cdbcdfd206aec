// SPDX-License-Identifier: Apache-2.0
#include "tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "warplock/blocks.h"

enum { ROUNDS_PER_LOOK = 1024 }; // at the clock

volatile sig_atomic_t tool_stop;
void (*tool_on_stop)(void);
FILE *tool_console;

static FILE *console(void) {
    return tool_console != NULL ? tool_console : stderr;
}

static void on_signal(int number) {
    (void)number;
    tool_stop = 1;
    if (tool_on_stop != NULL) {
        tool_on_stop();
    }
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

wlk_status tool_no_memory(wlk_error *err) {
    return wlk_fail(err, WLK_NO_MEMORY, "out of memory");
}

bool tool_take_number(const char **text, char end, uint64_t *value) {
    const bool hex = (*text)[0] == '0' && (*text)[1] == 'x';
    char *after = NULL;
    if ((*text)[0] < '0' || (*text)[0] > '9') {
        return false;
    }
    errno = 0;
    *value = strtoull(*text, &after, hex ? 16 : 10);
    *text = *after != '\0' ? after + 1 : after;
    return errno == 0 && (*after == end || *after == '\0');
}

bool tool_number(const char *text, uint64_t *value) {
    return tool_take_number(&text, '\0', value);
}

wlk_power_up tool_power_up(const char *text) {
    if (strcmp(text, "reset") == 0) {
        return WLK_POWER_RESET;
    }
    return strcmp(text, "zero") == 0 ? WLK_POWER_ZERO : WLK_POWER_UNKNOWN;
}

static wlk_status take_members(tool_block *b, const char *text, wlk_error *err) {
    uint32_t n = 0;
    wlk_status status = wlk_members_parse(text, NULL, 0, &n, err);
    if (status != WLK_OK || n == 0) {
        return status;
    }
    wlk_member *list = calloc(n, sizeof *list);
    if (list == NULL) {
        return tool_no_memory(err);
    }
    b->members.list = list;
    b->members_text = text;
    return wlk_members_parse(text, list, n, &b->members.n, err);
}

static wlk_status take_waiver(tool_block *b, const char *text, wlk_error *err) {
    const char **more = realloc(b->waivers, (b->n_waivers + 1u) * sizeof *more);
    if (more == NULL) {
        return tool_no_memory(err);
    }
    b->waivers = more;
    b->waivers[b->n_waivers++] = text;
    return WLK_OK;
}

static wlk_status take_word(tool_block *b, char *word, wlk_error *err) {
    char *equals = strchr(word, '=');
    if (equals == NULL) {
        return wlk_fail(err, WLK_USAGE, "'%s' is not key=value", word);
    }
    if (strncmp(word, "waive=", 6) == 0) {
        return take_waiver(b, equals + 1, err);
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
    b->block = wlk_blocks_find(name);
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
        return tool_no_memory(err);
    }
    (void)b->block->table->ports(b->cfg, &b->members, b->ports, b->layout.n_ports);
    return WLK_OK;
}

void tool_block_close(tool_block *b) {
    free((void *)(uintptr_t)b->members.list);
    free(b->ports);
    free(b->waivers);
}

wlk_status tool_block_waive(const tool_block *b, wlk_checker *checker, wlk_error *err) {
    wlk_status status = WLK_OK;
    for (uint32_t i = 0; i < b->n_waivers && status == WLK_OK; i++) {
        status = wlk_checker_waive(checker, b->waivers[i], err);
    }
    return status;
}

wlk_status tool_bits_open(tool_bits *bits, const wlk_block *block, const uint32_t *cfg,
                          wlk_error *err) {
    wlk_layout l;
    block->table->layout(cfg, &l);
    // Of an opaque field each word is a port: members need not fill it.
    const uint32_t n = block->table->ports(cfg, NULL, NULL, 0);
    wlk_port *ports = calloc(n + 1u, sizeof *ports);
    *bits = (tool_bits){.in_words = l.in_words, .out_words = l.out_words};
    bits->words = calloc(l.in_words + 2u * l.out_words + 1u, sizeof *bits->words);
    if (ports == NULL || bits->words == NULL) {
        free(ports);
        return tool_no_memory(err);
    }
    (void)block->table->ports(cfg, NULL, ports, n);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t *side = bits->words + (ports[i].is_out ? l.in_words : 0u);
        if (ports[i].present) {
            wlk_port_set(&ports[i], side, ~UINT64_C(0));
        }
    }
    memcpy(bits->words + l.in_words + l.out_words, bits->words + l.in_words,
           l.out_words * sizeof *bits->words);
    free(ports);
    return WLK_OK;
}

void tool_bits_close(tool_bits *bits) {
    free(bits->words);
}

static uint64_t outside(const uint64_t *bits, const uint64_t *words, uint32_t n) {
    uint64_t any = 0;
    for (uint32_t w = 0; w < n; w++) {
        any |= words[w] & ~bits[w];
    }
    return any;
}

wlk_status tool_bits_check(const tool_bits *bits, const char *path, uint64_t cycle,
                           const uint64_t *in, const uint64_t *out, const uint64_t *care,
                           wlk_error *err) {
    const uint64_t *own = bits->words;
    uint64_t any = outside(own, in, bits->in_words);
    any |= outside(own += bits->in_words, out, bits->out_words);
    any |= outside(own + bits->out_words, care, bits->out_words);
    return any == 0 ? WLK_OK
                    : wlk_fail(err, WLK_CORRUPT,
                               "%s: cycle %" PRIu64 ": its record has bits of no port; the file is "
                               "damaged: make it again",
                               path, cycle);
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

bool tool_stopped(uint64_t done, uint64_t total) {
    if (done % ROUNDS_PER_LOOK == 0) {
        tool_progress(done, total);
    }
    return tool_stop != 0;
}

int tool_close_output(const char *tool) {
    wlk_error err;
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return 0;
    }
    if (errno == EPIPE) {
        return 128 + SIGPIPE; // `| head` has seen enough
    }
    (void)wlk_fail(&err, WLK_NO_SPACE, "cannot write the output: %s", strerror(errno));
    return tool_fail(tool, &err);
}

bool tool_tie_read(const char *text, const tool_bits *bits, tool_tie *tie) {
    uint64_t word = 0, lsb = 0, width = 0;
    const bool read = tool_take_number(&text, ':', &word) && tool_take_number(&text, ':', &lsb) &&
                      tool_take_number(&text, ':', &width) && tool_number(text, &tie->value);
    if (!read || word >= bits->in_words || width < 1 || width > 64 || lsb > 64u - width ||
        (tie->value & ~wlk_mask((uint32_t)width)) != 0 ||
        (wlk_mask((uint32_t)width) << lsb & ~bits->words[word]) != 0) {
        return false;
    }
    tie->word = (uint32_t)word;
    tie->lsb = (uint32_t)lsb;
    tie->width = (uint32_t)width;
    return true;
}

void tool_tie_apply(const tool_tie *ties, uint32_t n, uint64_t *in) {
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t mask = wlk_mask(ties[i].width) << ties[i].lsb;
        in[ties[i].word] = (in[ties[i].word] & ~mask) | ties[i].value << ties[i].lsb;
    }
}

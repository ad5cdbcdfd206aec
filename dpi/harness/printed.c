// SPDX-License-Identifier: Apache-2.0
// What the RTL prints. Debug RTL prints in each cycle, so nothing is handed on: the last lines are
// kept for the report of a failure, the others are counted.
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include "harness_private.h"

enum { KEPT = 20, LINE = 240, MESSAGE = 2048 };

typedef struct line {
    uint64_t cycle;
    char text[LINE];
} line;

static struct {
    line ring[KEPT]; // of `ended` lines in this seed the last ones
    uint64_t ended;
    line open; // the one that has no end yet
    size_t used;
    char message[MESSAGE]; // an error message and what follows it
    size_t message_used;
    bool has_message, held;
    uint64_t lines; // in all seeds
    const uint64_t *cycle;
} printed;

static void end_line(void) {
    printed.lines++;
    if (!printed.held) {
        printed.open.text[printed.used] = '\0';
        printed.open.cycle = printed.cycle != NULL ? *printed.cycle : 0u;
        printed.ring[printed.ended++ % KEPT] = printed.open;
    }
    printed.used = 0;
}

// Behind the @p used bytes of @p to, which has room for @p most; what is longer is cut.
static void append(char *to, size_t *used, size_t most, const char *text, size_t size) {
    const size_t room = most - 1u - *used;
    const size_t n = size < room ? size : room;
    memcpy(to + *used, text, n);
    *used += n;
}

// Verilator prints "[time] %Error: file:line: text" and then calls.
static void note_message(const char *text, size_t size) {
    const char *start = (const char *)memmem(text, size, "%Error: ", 8);
    start = start != NULL ? start : (const char *)memmem(text, size, "%Fatal: ", 8);
    if (start != NULL) {
        size -= (size_t)(start + 8 - text);
        text = start + 8;
        printed.has_message = true;
        printed.message_used = 0;
    }
    if (printed.has_message) {
        append(printed.message, &printed.message_used, MESSAGE, text, size);
    }
}

static ssize_t on_write(void *cookie, const char *text, size_t size) {
    (void)cookie;
    note_message(text, size);
    for (size_t at = 0; at < size;) {
        const char *end = (const char *)memchr(text + at, '\n', size - at);
        const size_t n = end != NULL ? (size_t)(end - text) - at : size - at;
        append(printed.open.text, &printed.used, LINE, text + at, n);
        if (end != NULL) {
            end_line();
        }
        at += n + (end != NULL);
    }
    return (ssize_t)size;
}

// Unbuffered: a message must be here before the call that follows it.
static FILE *open_stream(void) {
    const cookie_io_functions_t calls = {.write = on_write};
    FILE *stream = fopencookie(NULL, "w", calls);
    if (stream != NULL) {
        (void)setvbuf(stream, NULL, _IONBF, 0);
    }
    return stream;
}

bool printed_take(void) {
    FILE *out = open_stream(), *err = open_stream();
    if (out == NULL || err == NULL) {
        return false;
    }
    stdout = out;
    stderr = err;
    return true;
}

void printed_clear(const uint64_t *cycle) {
    printed.ended = 0;
    printed.used = 0;
    printed.held = false;
    printed.has_message = false;
    printed.cycle = cycle;
}

void printed_hold(void) {
    printed.held = true;
}

// White space as one blank.
static void squeeze(const char *from, size_t n, char *text, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < n && used + 1u < size; i++) {
        const bool blank = from[i] == ' ' || from[i] == '\n' || from[i] == '\t';
        if (!blank || (used != 0 && text[used - 1u] != ' ')) {
            text[used++] = blank ? ' ' : from[i];
        }
    }
    text[used > 0 && text[used - 1u] == ' ' ? used - 1u : used] = '\0';
}

void printed_message(char *text, size_t size) {
    text[0] = '\0';
    if (!printed.has_message) {
        return;
    }
    printed.has_message = false;
    // After file and line, which the call has whole.
    const char *start = (const char *)memmem(printed.message, printed.message_used, ": ", 2);
    const size_t skip = start != NULL ? (size_t)(start + 2 - printed.message) : 0u;
    squeeze(printed.message + skip, printed.message_used - skip, text, size);
}

static uint64_t first_kept(void) {
    return printed.ended > KEPT ? printed.ended - KEPT : 0u;
}

void printed_uncount(uint64_t lines) {
    printed.lines = lines;
}

uint64_t printed_lines(uint64_t more) {
    printed.lines += more;
    return printed.lines;
}

const char *printed_begins(const char *start) {
    for (uint64_t i = printed.ended; i > first_kept(); i--) {
        const char *text = printed.ring[(i - 1u) % KEPT].text;
        if (strncmp(text, start, strlen(start)) == 0) {
            return text + strlen(start);
        }
    }
    return "";
}

void printed_json(bool failed, wlk_json *to) {
    if (printed.lines == 0) {
        return;
    }
    wlk_json_open(to, "printed", '{');
    wlk_json_number(to, "lines", printed.lines);
    if (failed && printed.ended != 0) {
        wlk_json_open(to, "last", '[');
        for (uint64_t i = first_kept(); i < printed.ended; i++) {
            wlk_json_open(to, NULL, '{');
            wlk_json_number(to, "cycle", printed.ring[i % KEPT].cycle);
            wlk_json_text(to, "text", printed.ring[i % KEPT].text);
            wlk_json_close(to, '}');
        }
        wlk_json_close(to, ']');
    }
    wlk_json_close(to, '}');
}

void printed_report(FILE *to) {
    if (printed.ended == 0) {
        return;
    }
    fprintf(to, "  printed by the RTL, the last of %" PRIu64 " lines:\n", printed.lines);
    for (uint64_t i = first_kept(); i < printed.ended; i++) {
        const line *l = &printed.ring[i % KEPT];
        fprintf(to, "  %8" PRIu64 ": %s\n", l->cycle, l->text);
    }
}

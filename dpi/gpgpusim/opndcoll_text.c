// SPDX-License-Identifier: Apache-2.0
// Lines of events of the operand collector, written or compared.
#include "opndcoll_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A line begins below HALF and ends within the buffer: at most 32 slots of 1024 units stand in one.
enum { HALF = 1 << 20, DIGITS = 20 };

/* ---- recordings ---- */

// Behind the head of the first line that has it; NULL: there is none.
static const char *find_line(const text_recording *r, const char *head) {
    const size_t length = strlen(head);
    for (const char *at = r->bytes; at != NULL && at < r->bytes + r->size;) {
        const size_t left = r->size - (size_t)(at - r->bytes);
        if (left >= length && memcmp(at, head, length) == 0) {
            return at + length;
        }
        at = (const char *)memchr(at, '\n', left);
        at = at != NULL ? at + 1 : NULL;
    }
    return NULL;
}

static wlk_status read_all(text_recording *r, FILE *from, const char *path, wlk_error *err) {
    size_t room = 0;
    for (;;) {
        if (r->size == room) {
            room += room + HALF;
            char *grown = realloc(r->bytes, room);
            if (grown == NULL) {
                return wlk_fail(err, WLK_NO_MEMORY, "%s: out of memory", path);
            }
            r->bytes = grown;
        }
        const size_t n = fread(r->bytes + r->size, 1, room - r->size, from);
        if (n == 0) {
            break;
        }
        r->size += n;
    }
    if (ferror(from) != 0) {
        return wlk_fail(err, WLK_NO_FILE, "%s: cannot be read: %s", path, strerror(errno));
    }
    return WLK_OK;
}

wlk_status text_load(text_recording *recording, const char *path, wlk_error *err) {
    memset(recording, 0, sizeof *recording);
    FILE *from = fopen(path, "rb");
    if (from == NULL) {
        return wlk_fail(err, WLK_NO_FILE, "%s: cannot be opened: %s", path, strerror(errno));
    }
    const wlk_status status = read_all(recording, from, path, err);
    (void)fclose(from);
    if (status == WLK_OK) {
        recording->has_header = find_line(recording, "# variant") != NULL;
        static const char *const of_state[] = {"c ", "q ", "u ", "p ", "r "};
        for (size_t i = 0; i < sizeof of_state / sizeof of_state[0]; i++) {
            recording->has_state |= find_line(recording, of_state[i]) != NULL;
        }
        recording->has_stats = find_line(recording, "# stats") != NULL;
        recording->only = find_line(recording, "# lines");
    }
    return status;
}

static bool begins(const char *line, size_t size, const char *head) {
    const size_t length = strlen(head);
    return size >= length && memcmp(line, head, length) == 0;
}

static bool is_comment(const char *line, size_t size) {
    return size == 0 || (line[0] == '#' && !begins(line, size, "# variant") &&
                         !begins(line, size, "# set") && !begins(line, size, "# stats"));
}

// Is the line's first word among those that the recording declares?
static bool is_declared(const text_recording *r, const char *line, size_t size) {
    const char *word = r->only, *end = r->bytes + r->size;
    const char *blank = size != 0 ? (const char *)memchr(line, ' ', size) : NULL;
    const size_t length = blank != NULL ? (size_t)(blank - line) : size;
    while (word < end && *word != '\n') {
        const char *from = word;
        while (word<end && * word> ' ') {
            word++;
        }
        if ((size_t)(word - from) == length && length != 0 && memcmp(from, line, length) == 0) {
            return true;
        }
        word += word < end && *word != '\n' && *word <= ' ' ? 1 : 0;
    }
    return false;
}

/* ---- lines ---- */

wlk_status text_open(text *t, const text_recording *expected, wlk_error *err) {
    memset(t, 0, sizeof *t);
    t->expected = expected;
    t->buffer = malloc(2u * HALF);
    return t->buffer != NULL ? WLK_OK : wlk_fail(err, WLK_NO_MEMORY, "out of memory");
}

static void add_number(text *t, uint64_t number, const uint32_t base) {
    char digits[DIGITS];
    uint32_t n = DIGITS;
    do {
        digits[--n] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0);
    memcpy(t->buffer + t->used, digits + n, DIGITS - n);
    t->used += DIGITS - n;
}

static void add_word(text *t, const char *word) {
    const size_t n = strlen(word);
    memcpy(t->buffer + t->used, word, n);
    t->used += n;
}

static void add_long(text *t, uint64_t number, bool is_signed) {
    const bool is_negative = is_signed && number >> 63 != 0;
    add_word(t, is_negative ? "-" : "");
    add_number(t, is_negative ? 0u - number : number, 10);
}

// vsnprintf() takes five times as long.
static void add(text *t, const char *form, va_list args) {
    for (; *form != '\0'; form++) {
        if (*form != '%') {
            t->buffer[t->used++] = *form;
            continue;
        }
        switch (*++form) {
        case 's':
            add_word(t, va_arg(args, const char *));
            break;
        case 'x':
            add_number(t, va_arg(args, unsigned), 16);
            break;
        case 'l': // %lu and %ld, or %llu and %lld
            form += form[1] == 'l' ? 2 : 1;
            add_long(t, va_arg(args, uint64_t), *form == 'd');
            break;
        default:
            add_number(t, va_arg(args, unsigned), 10);
        }
    }
}

void text_add(text *t, const char *form, ...) {
    va_list args;
    va_start(args, form);
    add(t, form, args);
    va_end(args);
}

void text_line(text *t, const char *form, ...) {
    va_list args;
    va_start(args, form);
    add(t, form, args);
    va_end(args);
    text_end(t);
}

static void flush(text *t) {
    if (t->used != 0) {
        t->failed |= fwrite(t->buffer, 1, t->used, stdout) != t->used;
        t->used = 0;
    }
}

const char *text_expected(const text *t, size_t *size) {
    const char *line = t->expected->bytes + t->at;
    const size_t left = t->expected->size - t->at;
    const char *end = left != 0 ? (const char *)memchr(line, '\n', left) : NULL;
    *size = end != NULL ? (size_t)(end - line) : left;
    return line;
}

static void pass_comments(text *t) {
    size_t size;
    const char *line = text_expected(t, &size);
    while (t->at < t->expected->size && is_comment(line, size)) {
        t->at += size + (t->at + size < t->expected->size ? 1u : 0u);
        t->passed_over++;
        line = text_expected(t, &size);
    }
}

// Has the recording lines like this one?
static bool is_recorded(const text *t) {
    const text_recording *r = t->expected;
    if (t->used != 0 && t->buffer[0] == '#') {
        return r->has_header || begins(t->buffer, t->used, "# stats");
    }
    return r->only == NULL || is_declared(r, t->buffer, t->used);
}

static void compare(text *t) {
    size_t size;
    pass_comments(t);
    const char *line = text_expected(t, &size);
    t->differs =
        t->at == t->expected->size || size != t->used || memcmp(line, t->buffer, size) != 0;
    if (!t->differs) {
        t->at += size + (t->at + size < t->expected->size ? 1u : 0u);
        t->used = 0;
    }
    t->start = t->used; // a line that differs stays
}

void text_end(text *t) {
    if (t->differs || t->silent) {
        t->used = t->start;
        return;
    }
    if (t->expected != NULL && !is_recorded(t)) {
        t->used = t->start;
        return;
    }
    t->lines++;
    if (t->expected != NULL) {
        compare(t);
        return;
    }
    t->buffer[t->used++] = '\n';
    if (t->used >= HALF) {
        flush(t);
    }
    t->start = t->used;
}

void text_finish(text *t) {
    if (t->expected == NULL) {
        flush(t);
        t->failed |= fflush(stdout) != 0;
        return;
    }
    if (!t->differs) {
        pass_comments(t);
    }
    if (!t->differs && t->at < t->expected->size) {
        t->differs = true; // the line that would come now
        t->lines++;
    }
}

void text_close(text *t) {
    free(t->buffer);
}

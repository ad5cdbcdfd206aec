// SPDX-License-Identifier: Apache-2.0
// Lines of events of the operand collector, written or compared.
#include "opndcoll_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HALF = WLK_OC_HALF };

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

static bool begins(const char *line, size_t size, const char *head) {
    const size_t length = strlen(head);
    return size >= length && memcmp(line, head, length) == 0;
}

// Without its end a live recording is cut, and half a line none.
static void look_for_end(text_recording *r) {
    r->is_cut = begins(r->bytes, r->size, "# warplock recording") && find_line(r, "# end") == NULL;
    while (r->is_cut && r->size != 0 && r->bytes[r->size - 1u] != '\n') {
        r->size--;
    }
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
        look_for_end(recording);
    }
    return status;
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

static void end_line(wlk_oc_lines *lines) {
    text_end((text *)(void *)lines); // it is the first member
}

wlk_status text_open(text *t, const text_recording *expected, wlk_error *err) {
    memset(t, 0, sizeof *t);
    t->expected = expected;
    t->out.end = end_line;
    t->out.buffer = malloc(2u * HALF);
    return t->out.buffer != NULL ? WLK_OK : wlk_fail(err, WLK_NO_MEMORY, "out of memory");
}

void text_line(text *t, const char *form, ...) {
    va_list args;
    va_start(args, form);
    wlk_oc_vadd(&t->out, form, args);
    va_end(args);
    text_end(t);
}

static void flush(text *t) {
    if (t->out.used != 0) {
        t->failed |= fwrite(t->out.buffer, 1, t->out.used, stdout) != t->out.used;
        t->out.used = 0;
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
    if (t->out.used != 0 && t->out.buffer[0] == '#') {
        return r->has_header || begins(t->out.buffer, t->out.used, "# stats");
    }
    return r->only == NULL || is_declared(r, t->out.buffer, t->out.used);
}

static void compare(text *t) {
    size_t size;
    pass_comments(t);
    const char *line = text_expected(t, &size);
    const bool at_end = t->at == t->expected->size;
    t->silent = at_end && t->expected->is_cut;
    t->differs =
        !t->silent && (at_end || size != t->out.used || memcmp(line, t->out.buffer, size) != 0);
    t->lines += t->silent ? 0u : 1u;
    if (!t->differs) {
        t->at += size + (t->at + size < t->expected->size ? 1u : 0u);
        t->out.used = 0;
    }
    t->out.start = t->out.used; // a line that differs stays
}

void text_end(text *t) {
    if (t->differs || t->silent) {
        t->out.used = t->out.start;
        return;
    }
    if (t->expected != NULL && !is_recorded(t)) {
        t->out.used = t->out.start;
        return;
    }
    if (t->expected != NULL) {
        compare(t);
        return;
    }
    t->lines++;
    t->out.buffer[t->out.used++] = '\n';
    if (t->out.used >= HALF) {
        flush(t);
    }
    t->out.start = t->out.used;
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
    if (!t->differs && !t->is_cut && t->at < t->expected->size) {
        t->differs = true; // the line that would come now
        t->lines++;
    }
}

void text_close(text *t) {
    free(t->out.buffer);
}

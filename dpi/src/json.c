// SPDX-License-Identifier: Apache-2.0
#include "warplock/json.h"

#include <inttypes.h>
#include <string.h>

// Bytes of the UTF-8 character at `at`, if it is one of several bytes: 2 to 4, else 0.
static size_t wide(const char *at, size_t left) {
    const unsigned char first = (unsigned char)at[0];
    const size_t size = first >= 0xf0u ? 4 : first >= 0xe0u ? 3 : 2;
    if (first < 0xc2u || first > 0xf4u || left < size) {
        return 0;
    }
    for (size_t i = 1; i < size; i++) {
        if (((unsigned char)at[i] & 0xc0u) != 0x80u) {
            return 0;
        }
    }
    const unsigned char second = (unsigned char)at[1]; // too long a form, a surrogate, too large
    const bool bad = (first == 0xe0u && second < 0xa0u) || (first == 0xedu && second > 0x9fu) ||
                     (first == 0xf0u && second < 0x90u) || (first == 0xf4u && second > 0x8fu);
    return bad ? 0 : size;
}

// UTF-8 stays as it is; a byte that is none, in the name of a file, is escaped.
static void escaped(const char *bytes, size_t size, FILE *to) {
    fputc('"', to);
    for (size_t i = 0; i < size; i++) {
        const unsigned char ch = (unsigned char)bytes[i];
        const size_t length = wide(&bytes[i], size - i);
        if (length > 0) {
            fwrite(&bytes[i], 1, length, to);
            i += length - 1;
        } else if (ch < 0x20u || ch >= 0x7fu) {
            fprintf(to, "\\u%04x", ch);
        } else {
            fprintf(to, ch == '"' || ch == '\\' ? "\\%c" : "%c", ch);
        }
    }
    fputc('"', to);
}

// What stands before a value.
static void begin(wlk_json *j, const char *name) {
    fputs(j->comma ? ", " : "", j->to);
    if (name != NULL) {
        escaped(name, strlen(name), j->to);
        fputs(": ", j->to);
    }
    j->comma = true;
}

void wlk_json_open(wlk_json *j, const char *name, char bracket) {
    begin(j, name);
    fputc(bracket, j->to);
    j->comma = false;
}

void wlk_json_close(wlk_json *j, char bracket) {
    fputc(bracket, j->to);
    j->comma = true;
}

wlk_json wlk_json_line(FILE *to) {
    wlk_json j = {to, false};
    wlk_json_open(&j, NULL, '{');
    return j;
}

void wlk_json_line_end(wlk_json *j) {
    wlk_json_close(j, '}');
    fputc('\n', j->to);
}

void wlk_json_number(wlk_json *j, const char *name, uint64_t value) {
    begin(j, name);
    fprintf(j->to, "%" PRIu64, value);
}

void wlk_json_signed(wlk_json *j, const char *name, int64_t value) {
    begin(j, name);
    fprintf(j->to, "%" PRId64, value);
}

void wlk_json_share(wlk_json *j, const char *name, uint64_t part, uint64_t whole) {
    const uint64_t millionths = whole == 0 ? 0u : (uint64_t)((__uint128_t)part * 1000000u / whole);
    begin(j, name);
    if (part == whole && whole != 0) {
        fputc('1', j->to);
    } else {
        fprintf(j->to, "0.%06" PRIu64, millionths);
    }
}

void wlk_json_hex(wlk_json *j, const char *name, uint64_t value) {
    begin(j, name);
    fprintf(j->to, "\"0x%" PRIx64 "\"", value);
}

void wlk_json_text(wlk_json *j, const char *name, const char *text) {
    wlk_json_bytes(j, name, text, strlen(text));
}

void wlk_json_bytes(wlk_json *j, const char *name, const char *bytes, size_t size) {
    begin(j, name);
    escaped(bytes, size, j->to);
}

void wlk_json_raw(wlk_json *j, const char *name, const char *json) {
    begin(j, name);
    fputs(json, j->to);
}

void wlk_json_numbers(wlk_json *j, const char *const *names, const uint64_t *values, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        wlk_json_number(j, names[i], values[i]);
    }
}

void wlk_json_config(wlk_json *j, const wlk_table *table, const uint32_t *cfg) {
    wlk_json_open(j, "config", '{');
    for (uint32_t i = 0; i < table->n_params; i++) {
        const wlk_param *p = &table->params[i];
        if (p->names != NULL) {
            wlk_json_text(j, p->name, p->names[cfg[i]]);
        } else {
            wlk_json_number(j, p->name, cfg[i]);
        }
    }
    wlk_json_close(j, '}');
}

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file json.h
 * JSON on a stream: commas, quotes and escapes are written here and nowhere else.
 *
 * A writer is a value: that of wlk_json_line(), or `{stream, false}`. In an object every call has
 * the member's name, in a list and at the top the name is NULL. Nothing is checked: what is opened
 * must be closed. Writing errors are the stream's.
 */
#ifndef WARPLOCK_JSON_H
#define WARPLOCK_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "warplock/block.h"

WLK_BEGIN_DECLS

/** A stream, and whether a comma is due before the next value. */
typedef struct wlk_json {
    FILE *to;
    bool comma;
} wlk_json;

/** Start an object on a line of its own. */
wlk_json wlk_json_line(FILE *to);
/** End it, and the line. */
void wlk_json_line_end(wlk_json *j);

/** Open an object `{` or a list `[`. */
void wlk_json_open(wlk_json *j, const char *name, char bracket);
/** Close it, with `}` or `]`. */
void wlk_json_close(wlk_json *j, char bracket);

void wlk_json_number(wlk_json *j, const char *name, uint64_t value);
void wlk_json_signed(wlk_json *j, const char *name, int64_t value);
/** A part of a whole, as a number of six decimals: rounded down, so 1 is the whole alone. */
void wlk_json_share(wlk_json *j, const char *name, uint64_t part, uint64_t whole);
/** A number as a string, `"0x1f"`. */
void wlk_json_hex(wlk_json *j, const char *name, uint64_t value);
/** A string; bytes outside printable ASCII as \\u00XX. */
void wlk_json_text(wlk_json *j, const char *name, const char *text);
/** The same of @p size bytes, which may have zeros among them. */
void wlk_json_bytes(wlk_json *j, const char *name, const char *bytes, size_t size);
/** A value that is JSON already. */
void wlk_json_raw(wlk_json *j, const char *name, const char *json);

/** Many numbers in one call: @p names and @p values have @p n elements. */
void wlk_json_numbers(wlk_json *j, const char *const *names, const uint64_t *values, uint32_t n);

/** The object `config`: every parameter of the table, named values as strings. */
void wlk_json_config(wlk_json *j, const wlk_table *table, const uint32_t *cfg);

WLK_END_DECLS
#endif

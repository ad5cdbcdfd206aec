// SPDX-License-Identifier: Apache-2.0
/*
 * The definitions of a VCD: IEEE 1800-2017, 21.7.2. They are read twice, first for the identifier
 * codes, so that a code is found without a hash, then for the names.
 */
#define _GNU_SOURCE // qsort_r
#include "vcd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    CODE_CHARS = 95,     /* weight of a place in a code's number; digits are 1 to 94 */
    TABLE_CHARS = 4,     /* longer codes are searched */
    TABLE_MOST = 1 << 24 /* entries, and 128 for each code at most */
};
#define NO_NUMBER UINT64_MAX

typedef struct names {
    vcd *v;
    const wlk_visitor *visitor; /* NULL: only the codes are collected */
    char *name;                 /* owned */
    uint64_t length, room;      /* of the name */
    uint64_t depth;             /* of scopes */
    int exponent;
} names;

/* ---- tokens ---------------------------------------------------------------------------------- */

static bool no_memory(vcd_text *text) {
    text->status = wlk_fail(text->err, WLK_NO_MEMORY,
                            "%s: out of memory for the definitions of the waveform", text->name);
    return false;
}

/* A token that must be there. */
static bool token(vcd_text *text) {
    if (vcd_next(text)) {
        return true;
    }
    return text->status == WLK_OK &&
           wlk_vcd_fail(
               text, WLK_TRUNCATED,
               "the VCD ends before $enddefinitions: let the simulator end normally or copy "
               "it again");
}

bool wlk_vcd_is_definition(const vcd_text *text) {
    static const char *const words[] = {"$date",    "$version", "$timescale",      "$scope",
                                        "$upscope", "$var",     "$enddefinitions", "$comment"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (vcd_is(text, words[i])) {
            return true;
        }
    }
    return false;
}

/* The next token of a command: *more = false at its $end. */
static bool word(vcd_text *text, const char *command, bool *more) {
    if (!token(text)) {
        return false;
    }
    *more = !vcd_is(text, "$end");
    return !wlk_vcd_is_definition(text) ||
           wlk_vcd_fail(text, WLK_CORRUPT, "%s has no $end before '%.*s'", command,
                        VCD_TOKEN(text));
}

static bool end_of(vcd_text *text, const char *command) {
    bool more = false;
    return word(text, command, &more) && (!more || wlk_vcd_unexpected(text, "$end"));
}

/* Some readers take such a token for the end of the command, others do not. */
static bool is_glued_end(const vcd_text *text) {
    return text->length > 4 && memcmp(text->token + text->length - 4, "$end", 4) == 0;
}

bool wlk_vcd_skip_text(vcd_text *text, const char *command) {
    const uint64_t place = vcd_text_place(text, text->token);
    while (vcd_next(text)) {
        if (vcd_is(text, "$end")) {
            return true;
        }
        if (is_glued_end(text)) {
            return wlk_vcd_fail(text, WLK_CORRUPT,
                                "'%.*s' is not the end of %s: write white space before $end",
                                VCD_TOKEN(text), command);
        }
    }
    return text->status == WLK_OK && (text->stop == NULL || !atomic_load(text->stop)) &&
           wlk_vcd_fail(text, WLK_TRUNCATED,
                        "the VCD ends inside %s of line %" PRIu64
                        ": let the simulator end normally or copy it again",
                        command, wlk_vcd_text_line(text, place));
}

/* ---- identifier codes ------------------------------------------------------------------------ */

static int compare(const uint8_t *a, uint32_t a_length, const uint8_t *b, uint32_t b_length) {
    return a_length != b_length ? (a_length < b_length ? -1 : 1) : memcmp(a, b, a_length);
}

static int by_text(const void *left, const void *right, void *codes_text) {
    const vcd_code *a = left, *b = right;
    const uint8_t *text = codes_text;
    const int found = compare(text + a->text, a->length, text + b->text, b->length);
    return found != 0 ? found : (a->place > b->place) - (a->place < b->place);
}

/* Different codes have different numbers, which are dense where a simulator counts codes up. */
static inline uint64_t number_of(const uint8_t *code, uint32_t length) {
    uint64_t number = 0, weight = 1;
    if (length > TABLE_CHARS) {
        return NO_NUMBER;
    }
    for (uint32_t i = 0; i < length; i++) {
        const uint32_t digit = code[i] - (uint32_t)' ';
        if (digit - 1u >= CODE_CHARS - 1u) {
            return NO_NUMBER;
        }
        number += digit * weight;
        weight *= CODE_CHARS;
    }
    return number;
}

uint32_t wlk_vcd_find(const vcd *v, const uint8_t *code, uint32_t length) {
    if (v->table != NULL) {
        const uint64_t number = number_of(code, length);
        return number < v->table_size ? v->table[number] : 0;
    }
    for (size_t low = 0, high = v->num_codes; low < high;) {
        const size_t middle = low + (high - low) / 2;
        const vcd_code *at = &v->codes[middle];
        const int found = compare(code, length, v->codes_text + at->text, at->length);
        if (found == 0) {
            return (uint32_t)middle + 1;
        }
        low = found > 0 ? middle + 1 : low;
        high = found < 0 ? middle : high;
    }
    return 0;
}

bool wlk_vcd_is_cut_code(const vcd *v, const uint8_t *code, uint32_t length) {
    for (size_t i = 0; i < v->num_codes; i++) {
        const vcd_code *at = &v->codes[i];
        if (at->length > length && memcmp(v->codes_text + at->text, code, length) == 0) {
            return true;
        }
    }
    return false;
}

static void *grown(void *array, uint64_t item, uint64_t count, uint64_t *room) {
    if (count <= *room) {
        return array;
    }
    const uint64_t more = count < 64 ? 64 : 2 * count;
    void *larger = realloc(array, (size_t)(more * item));
    *room = larger != NULL ? more : *room;
    return larger != NULL ? larger : array;
}

/* The code is the last token. */
static bool add_code(vcd *v, uint32_t bits, bool has_bits) {
    const vcd_text *text = &v->text;
    v->codes = grown(v->codes, sizeof *v->codes, v->num_codes + 1u, &v->codes_room);
    v->codes_text = grown(v->codes_text, 1, v->codes_size + text->length, &v->codes_text_room);
    if (v->codes_room <= v->num_codes || v->codes_text_room < v->codes_size + text->length ||
        v->num_codes >= UINT32_MAX - 1u) {
        return no_memory(&v->text);
    }
    memcpy(v->codes_text + v->codes_size, text->token, text->length);
    v->codes[v->num_codes++] = (vcd_code){
        .text = v->codes_size,
        .place = vcd_text_place(text, text->token),
        .length = text->length,
        .bits = bits,
        .has_bits = has_bits,
    };
    v->codes_size += text->length;
    return true;
}

static bool differ(vcd *v, const vcd_code *first, const vcd_code *again) {
    vcd_text *text = &v->text;
    text->token = NULL;
    text->status = wlk_fail(
        text->err, WLK_CORRUPT,
        "%s:%" PRIu64 ": identifier code '%.*s' is that of a variable of another size or type in "
        "line %" PRIu64 ": record it again",
        text->name, wlk_vcd_text_line(text, again->place),
        (int)(again->length < VCD_SHOWN ? again->length : VCD_SHOWN),
        (const char *)v->codes_text + again->text, wlk_vcd_text_line(text, first->place));
    return false;
}

/* Sort, and keep one of each: variables with one code are one signal. */
static bool unite_codes(vcd *v) {
    size_t kept = 0;
    if (v->num_codes > 0) {
        qsort_r(v->codes, v->num_codes, sizeof *v->codes, by_text, v->codes_text);
    }
    for (size_t i = 0; i < v->num_codes; i++) {
        const vcd_code *last = kept > 0 ? &v->codes[kept - 1] : NULL, *code = &v->codes[i];
        if (last == NULL || compare(v->codes_text + last->text, last->length,
                                    v->codes_text + code->text, code->length) != 0) {
            v->codes[kept++] = *code;
        } else if (last->has_bits != code->has_bits ||
                   (code->has_bits && last->bits != code->bits)) {
            return differ(v, last, code);
        }
    }
    v->num_codes = kept;
    return true;
}

/* Codes that a simulator counts up are a table without large holes. */
static bool make_table(vcd *v) {
    uint64_t last = 0;
    for (size_t i = 0; i < v->num_codes; i++) {
        const uint64_t number = number_of(v->codes_text + v->codes[i].text, v->codes[i].length);
        last = number > last ? number : last;
    }
    if (last >= TABLE_MOST || last / 128 > v->num_codes + 512) {
        return true;
    }
    v->table = calloc((size_t)last + 1u, sizeof *v->table);
    if (v->table == NULL) {
        return no_memory(&v->text);
    }
    v->table_size = last + 1u;
    for (size_t i = 0; i < v->num_codes; i++) {
        v->table[number_of(v->codes_text + v->codes[i].text, v->codes[i].length)] =
            (uint32_t)i + 1u;
    }
    return true;
}

/* ---- commands -------------------------------------------------------------------------------- */

/* The last token as the end of the name. */
static bool add_to_name(names *n, bool blank) {
    const vcd_text *text = &n->v->text;
    const uint64_t wanted = n->length + text->length + 2u;
    n->name = grown(n->name, 1, wanted, &n->room);
    if (n->room < wanted) {
        return no_memory(&n->v->text);
    }
    if (blank) {
        n->name[n->length++] = ' ';
    }
    memcpy(n->name + n->length, text->token, text->length);
    n->length += text->length;
    n->name[n->length] = '\0';
    return true;
}

/* All tokens up to $end, with one blank between them, but none inside a range. @p ranges: nothing
 * but these follow the first. */
static bool read_name(names *n, const char *command, bool ranges) {
    vcd_text *text = &n->v->text;
    bool more = true, in_range = false;
    for (n->length = 0; word(text, command, &more) && more;) {
        const bool escaped = n->length == 0 && text->token[0] == '\\';
        if (ranges && n->length != 0 && !in_range && text->token[0] != '[') {
            return wlk_vcd_unexpected(text, "a range or $end");
        }
        if (!add_to_name(n, n->length != 0 && !in_range)) {
            return false;
        }
        for (uint32_t i = 0; i < text->length && !escaped; i++) {
            in_range = text->token[i] == '[' || (in_range && text->token[i] != ']');
        }
    }
    return text->status == WLK_OK;
}

static bool read_scope(names *n) {
    bool more = false;
    if (!word(&n->v->text, "$scope", &more)) {
        return false;
    }
    if (!more) {
        return wlk_vcd_unexpected(&n->v->text, "the kind of a scope");
    }
    if (!read_name(n, "$scope", true)) {
        return false;
    }
    n->depth++;
    const char *name = n->length != 0 ? n->name : "";
    return n->visitor == NULL || n->visitor->scope(n->visitor->ctx, name) || no_memory(&n->v->text);
}

static bool read_upscope(names *n) {
    if (!end_of(&n->v->text, "$upscope")) {
        return false;
    }
    if (n->depth-- == 0) {
        return wlk_vcd_fail(&n->v->text, WLK_CORRUPT, "$upscope where no scope is open");
    }
    if (n->visitor != NULL) {
        n->visitor->upscope(n->visitor->ctx);
    }
    return true;
}

static bool read_size(vcd_text *text, uint32_t *bits) {
    uint64_t size = 0;
    bool good = text->length < 12;
    for (uint32_t i = 0; i < text->length && good; i++) {
        good = text->token[i] >= '0' && text->token[i] <= '9';
        size = size * 10 + (uint64_t)(text->token[i] - '0');
    }
    *bits = (uint32_t)size;
    return (good && size <= WLK_MAX_BITS) ||
           wlk_vcd_unexpected(text, "the size of a variable, at most 2^26 bits");
}

static bool has_bits(const vcd_text *text) {
    static const char *const others[] = {"event",     "real",   "realtime", "real_parameter",
                                         "shortreal", "string", "sparray"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (vcd_is(text, others[i])) {
            return false;
        }
    }
    return true;
}

/* What stands where a code is one, whatever it looks like. */
static bool read_var(names *n) {
    vcd_text *text = &n->v->text;
    bool more = false;
    uint32_t bits = 0;
    if (!word(text, "$var", &more)) {
        return false;
    }
    const bool known = has_bits(text), port = vcd_is(text, "port");
    if (!token(text)) {
        return false;
    }
    if (port && text->token[0] == '[') {
        return wlk_vcd_fail(text, WLK_CORRUPT, VCD_EXTENDED);
    }
    if (!read_size(text, &bits) || !token(text)) {
        return false;
    }
    if (port && text->token[0] == '<') {
        return wlk_vcd_fail(text, WLK_CORRUPT, VCD_EXTENDED);
    }
    const uint64_t place = vcd_text_place(text, text->token);
    const uint32_t handle = n->visitor != NULL ? wlk_vcd_find(n->v, text->token, text->length) : 0;
    if (n->visitor == NULL && !add_code(n->v, bits, known && bits != 0)) {
        return false;
    }
    if (!read_name(n, "$var", true)) {
        return false;
    }
    if (n->length == 0) {
        return wlk_vcd_unexpected(text, "the name of a variable");
    }
    if (n->visitor != NULL && handle == 0) {
        return wlk_vcd_fail(text, WLK_CORRUPT, "the VCD changed while it was opened");
    }
    return n->visitor == NULL || !n->v->codes[handle - 1].has_bits ||
           n->visitor->signal(n->visitor->ctx, n->name, handle, place) || no_memory(text);
}

/* "1ns", "10 us" */
static bool read_timescale(names *n) {
    static const char *const units[] = {"s", "ms", "us", "ns", "ps", "fs", "as", "zs"};
    if (!read_name(n, "$timescale", false)) {
        return false;
    }
    const char *at = n->length != 0 ? n->name : "";
    int zeros = 0;
    bool good = *at == '1';
    for (at += good; *at == '0'; at++) {
        zeros++;
    }
    at += good && *at == ' ';
    for (int i = 0; i < (int)(sizeof units / sizeof units[0]) && good && zeros < 4; i++) {
        if (strcmp(at, units[i]) == 0) {
            n->exponent = zeros - 3 * i;
            return true;
        }
    }
    return wlk_vcd_fail(&n->v->text, WLK_CORRUPT,
                        "$timescale '%.40s' is not 1, 10 or 100 with s, ms, us, ns, ps or fs",
                        n->length != 0 ? n->name : "");
}

/* What a simulation writes, not a definition. */
static bool is_early(const vcd_text *text) {
    return text->token[0] != '$' || vcd_is(text, "$end") ||
           (text->length > 5 && memcmp(text->token, "$dump", 5) == 0);
}

static bool read_command(names *n) {
    static const struct {
        const char *name;
        bool (*read)(names *n);
    } commands[] = {{"$var", read_var},
                    {"$scope", read_scope},
                    {"$upscope", read_upscope},
                    {"$timescale", read_timescale}};
    vcd_text *text = &n->v->text;
    char command[VCD_SHOWN + 1];
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (vcd_is(text, commands[i].name)) {
            return commands[i].read(n);
        }
    }
    if (is_early(text)) {
        return wlk_vcd_unexpected(text, "a definition or $enddefinitions");
    }
    (void)snprintf(command, sizeof command, "%.*s", VCD_TOKEN(text));
    return wlk_vcd_skip_text(text, command);
}

/* All definitions. */
static wlk_status read_names(names *n, wlk_error *err) {
    vcd_text *text = &n->v->text;
    text->err = err;
    text->stop = NULL; /* definitions are read whole */
    wlk_vcd_text_seek(text, 0);
    bool good = token(text);
    while (good && !vcd_is(text, "$enddefinitions")) {
        good = read_command(n) && token(text);
    }
    if (good && end_of(text, "$enddefinitions")) {
        n->v->body = vcd_text_place(text, text->at);
    }
    free(n->name);
    return text->status;
}

/* ---- the source ------------------------------------------------------------------------------ */

static wlk_status open_vcd(wlk_source *source, const char *path, wlk_error *err) {
    vcd *v = calloc(1, sizeof *v);
    if (v == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "%s: out of memory while opening the waveform",
                        source->name);
    }
    source->own = v;
    wlk_status status = wlk_vcd_text_open(&v->text, path, source->name, err);
    names n = {.v = v, .exponent = -9};
    if (status != WLK_OK || (status = read_names(&n, err)) != WLK_OK) {
        return status;
    }
    if (!vcd_next(&v->text) && v->text.status == WLK_OK) {
        (void)wlk_vcd_fail(&v->text, WLK_TRUNCATED,
                           "the VCD ends after its definitions: let the simulator run and end "
                           "normally or copy it again");
    }
    if (v->text.status != WLK_OK || !unite_codes(v) || !make_table(v)) {
        return v->text.status;
    }
    source->exponent = n.exponent;
    source->total = v->text.size;
    source->max_handle = (uint32_t)v->num_codes;
    source->bits = calloc(v->num_codes + 1u, sizeof *source->bits);
    if (source->bits == NULL) {
        (void)no_memory(&v->text);
        return v->text.status;
    }
    for (size_t i = 0; i < v->num_codes; i++) {
        source->bits[i + 1] = v->codes[i].has_bits ? v->codes[i].bits : 0;
    }
    return WLK_OK;
}

static wlk_status visit(wlk_source *source, const wlk_visitor *visitor, wlk_error *err) {
    names n = {.v = source->own, .visitor = visitor};
    return read_names(&n, err);
}

static uint64_t line(const wlk_source *source, uint64_t place) {
    const vcd *v = source->own;
    return wlk_vcd_text_line(&v->text, place);
}

static void close_vcd(wlk_source *source) {
    vcd *v = source->own;
    if (v != NULL) {
        wlk_vcd_text_close(&v->text);
        free(v->codes_text);
        free(v->codes);
        free(v->table);
    }
    free(v);
}

const wlk_source_kind wlk_vcd_kind = {open_vcd, visit, wlk_vcd_run, line, close_vcd};

// SPDX-License-Identifier: Apache-2.0
#include "warplock/program.h"

#include "warplock/block.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "warplock-program";

enum { WARP, PC, RD, RS1, RS2, RS3, MASK, LATENCY, UNIT, COLUMNS };
static const char *const column_names[COLUMNS] = {"warp", "pc",   "rd",      "rs1", "rs2",
                                                  "rs3",  "mask", "latency", "unit"};
static const char *const unit_names[WLK_UNITS] = {"alu", "mul", "fpu", "sfu", "lsu"};

// What a header can limit, and the parameter that limits it in any case.
enum { WARPS, REGISTERS, LANES, LIMITS };
static const struct {
    const char *header, *one, *parameter;
} limit_names[LIMITS] = {
    {"warps", "warp", "num_warps"},
    {"registers", "register", "num_pregs"},
    {"lanes", "lane", "num_lanes"},
};

typedef struct stream {
    wlk_instruction *at;
    size_t count, room;
} stream;

struct wlk_program {
    size_t total;
    uint32_t num_warps;
    stream warps[];
};

typedef struct loader {
    FILE *from;
    const char *path;
    wlk_program *program;
    wlk_error *err;
    uint64_t line;
    uint32_t configured[LIMITS];
    uint32_t pc_bits;
    uint32_t header[LIMITS]; // 0: the file has no such header
    uint32_t cells;          // in the line, of which the first COLUMNS are kept
    const char *cell[COLUMNS];
    char text[WLK_PROGRAM_MAX_LINE + 1u];
} loader;

// FILE:LINE: column NAME: what; remedy. Without a column that part is left out.
__attribute__((format(printf, 4, 5))) static wlk_status
complain(const loader *l, wlk_status status, const char *column, const char *format, ...) {
    char what[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return wlk_fail(l->err, status, "%s:%" PRIu64 ": %s%s%s%s", l->path, l->line,
                    column != NULL ? "column " : "", column != NULL ? column : "",
                    column != NULL ? ": " : "", what);
}

/* ---- lines and cells ---- */

// The next byte, where CR LF, and CR at the end of the file, are as LF.
static int next_byte(FILE *from) {
    const int c = getc_unlocked(from);
    if (c != '\r') {
        return c;
    }
    const int next = getc_unlocked(from);
    if (next == '\n' || next == EOF) {
        return next;
    }
    (void)ungetc(next, from);
    return c;
}

static wlk_status read_line(loader *l, bool *more) {
    uint32_t n = 0;
    int c;
    l->line++;
    while ((c = next_byte(l->from)) != EOF && c != '\n') {
        if ((c < ' ' && c != '\t') || c > '~') {
            return complain(l, WLK_CORRUPT, NULL,
                            "byte %u of the line is 0x%02x; a program is plain ASCII text", n + 1u,
                            (unsigned)c);
        }
        if (n == WLK_PROGRAM_MAX_LINE) {
            return complain(l, WLK_CORRUPT, NULL, "more than %u bytes in the line; break it",
                            WLK_PROGRAM_MAX_LINE);
        }
        l->text[n++] = (char)c;
    }
    l->text[n] = '\0';
    if (ferror(l->from)) {
        return wlk_fail(l->err, WLK_NO_FILE, "%s: cannot be read: %s; it must be a text file",
                        l->path, strerror(errno));
    }
    *more = c != EOF || n != 0;
    return WLK_OK;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Cut the line at its blanks, up to a comment.
static void split(loader *l) {
    char *at = l->text;
    l->cells = 0;
    for (;;) {
        while (is_blank(*at)) {
            at++;
        }
        if (*at == '\0' || *at == '#') {
            return;
        }
        if (l->cells < COLUMNS) {
            l->cell[l->cells] = at;
        }
        l->cells++;
        while (*at != '\0' && *at != '#' && !is_blank(*at)) {
            at++;
        }
        if (*at == '\0' || *at == '#') {
            *at = '\0';
            return;
        }
        *at++ = '\0';
    }
}

/* ---- cells ---- */

static bool parse_decimal(const char *text, uint32_t *value) {
    uint64_t sum = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9' && sum <= UINT32_MAX; at++) {
        sum = sum * 10u + (uint64_t)(*at - '0');
    }
    *value = (uint32_t)sum;
    return at != text && *at == '\0' && sum <= UINT32_MAX;
}

// Value of a hexadecimal digit, or 16.
static uint32_t hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return (uint32_t)(c - '0');
    }
    const char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? (uint32_t)(lower - 'a') + 10u : 16u;
}

// 0x and up to max_digits hexadecimal digits.
static bool parse_hex(const char *text, int max_digits, uint64_t *value) {
    if (text[0] != '0' || text[1] != 'x') {
        return false;
    }
    const char *const digits = text + 2, *at = digits;
    for (*value = 0; hex_digit(*at) < 16 && at - digits < max_digits; at++) {
        *value = *value << 4 | hex_digit(*at);
    }
    return at != digits && *at == '\0';
}

// Is there a warp, register or lane of this number?
static wlk_status check_limit(const loader *l, uint32_t column, uint32_t limit, uint32_t number) {
    const char *const name = column_names[column];
    const char *const one = limit_names[limit].one;
    if (l->header[limit] != 0 && number >= l->header[limit]) {
        return complain(l, WLK_CORRUPT, name,
                        "there is no %s %u: the header has '%s %u'; correct one of the two", one,
                        number, limit_names[limit].header, l->header[limit]);
    }
    if (number >= l->configured[limit]) {
        return complain(l, WLK_BAD_PARAMS, name,
                        "there is no %s %u: %s is %u; raise it or change the program", one, number,
                        limit_names[limit].parameter, l->configured[limit]);
    }
    return WLK_OK;
}

static wlk_status parse_warp(const loader *l, wlk_instruction *to) {
    uint32_t warp;
    if (!parse_decimal(l->cell[WARP], &warp)) {
        return complain(l, WLK_CORRUPT, column_names[WARP],
                        "'%.32s' is not a warp; write its number", l->cell[WARP]);
    }
    to->warp = (uint8_t)warp;
    return check_limit(l, WARP, WARPS, warp);
}

static wlk_status parse_pc(const loader *l, wlk_instruction *to) {
    if (!parse_hex(l->cell[PC], 16, &to->pc)) {
        return complain(l, WLK_CORRUPT, column_names[PC],
                        "'%.32s' is not a pc; write 0x and up to 16 hexadecimal digits",
                        l->cell[PC]);
    }
    if ((to->pc & ~wlk_mask(l->pc_bits)) != 0) {
        return complain(l, WLK_BAD_PARAMS, column_names[PC],
                        "%s has more than %u bits: lane_bits is %u; raise it or change the program",
                        l->cell[PC], l->pc_bits, l->pc_bits);
    }
    return WLK_OK;
}

static wlk_status parse_register(const loader *l, uint32_t column, bool *has, uint16_t *reg) {
    const char *const text = l->cell[column];
    uint32_t number;
    if (strcmp(text, "-") == 0) {
        return WLK_OK;
    }
    if (text[0] != 'x' || !parse_decimal(text + 1, &number)) {
        return complain(l, WLK_CORRUPT, column_names[column],
                        "'%.32s' is not a register; write x and its number, or - for none", text);
    }
    *has = true;
    *reg = (uint16_t)number;
    return check_limit(l, column, REGISTERS, number);
}

static wlk_status parse_mask(const loader *l, wlk_instruction *to) {
    const char *const text = l->cell[MASK];
    to->mask = wlk_mask(l->configured[LANES]);
    if (strcmp(text, "*") == 0) {
        return WLK_OK;
    }
    if (!parse_hex(text, 16, &to->mask)) {
        return complain(l, WLK_CORRUPT, column_names[MASK],
                        "'%.32s' is not a mask; write 0x and up to 16 hexadecimal digits, or * for "
                        "all lanes",
                        text);
    }
    return to->mask == 0 ? WLK_OK
                         : check_limit(l, MASK, LANES, 63u - (uint32_t)__builtin_clzll(to->mask));
}

static wlk_status parse_latency(const loader *l, wlk_instruction *to) {
    if (parse_decimal(l->cell[LATENCY], &to->latency) && to->latency >= 1 &&
        to->latency <= WLK_PROGRAM_MAX_LATENCY) {
        return WLK_OK;
    }
    return complain(l, WLK_CORRUPT, column_names[LATENCY],
                    "'%.32s' is not a number of cycles from 1 to %u; write those from issue to "
                    "writeback",
                    l->cell[LATENCY], WLK_PROGRAM_MAX_LATENCY);
}

static wlk_status parse_unit(const loader *l, wlk_instruction *to) {
    for (uint32_t unit = 0; unit < WLK_UNITS; unit++) {
        if (strcmp(l->cell[UNIT], unit_names[unit]) == 0) {
            to->unit = (uint8_t)unit;
            return WLK_OK;
        }
    }
    return complain(l, WLK_CORRUPT, column_names[UNIT],
                    "'%.32s' is not a unit; write alu, mul, fpu, sfu or lsu", l->cell[UNIT]);
}

/* ---- lines ---- */

static wlk_status read_version(loader *l) {
    bool more = false;
    const wlk_status status = read_line(l, &more);
    if (status != WLK_OK) {
        return status;
    }
    if (!more) {
        return complain(l, WLK_TRUNCATED, NULL, "the file is empty; line 1 must be '%s %u'", magic,
                        WLK_PROGRAM_VERSION);
    }
    split(l);
    if (l->cells != 2 || strcmp(l->cell[0], magic) != 0) {
        return complain(l, WLK_CORRUPT, NULL, "not a program; line 1 must be '%s %u'", magic,
                        WLK_PROGRAM_VERSION);
    }
    uint32_t version;
    if (!parse_decimal(l->cell[1], &version) || version != WLK_PROGRAM_VERSION) {
        return complain(l, WLK_BAD_VERSION, NULL,
                        "format version '%.32s'; only %u is read: write the file in that version",
                        l->cell[1], WLK_PROGRAM_VERSION);
    }
    return WLK_OK;
}

static wlk_status parse_header(loader *l) {
    uint32_t limit = 0;
    while (limit < LIMITS && strcmp(l->cell[0], limit_names[limit].header) != 0) {
        limit++;
    }
    if (limit == LIMITS) {
        return complain(l, WLK_CORRUPT, NULL,
                        "'%.32s' is neither a warp nor a header; headers are warps, registers and "
                        "lanes",
                        l->cell[0]);
    }
    if (l->program->total != 0 || l->header[limit] != 0) {
        return complain(l, WLK_CORRUPT, NULL,
                        "header '%s' too late or twice; write it once, before the instructions",
                        limit_names[limit].header);
    }
    uint32_t number = 0;
    if (l->cells != 2 || !parse_decimal(l->cell[1], &number) || number == 0) {
        return complain(l, WLK_CORRUPT, NULL, "header '%s' takes one number; write 1 or more",
                        limit_names[limit].header);
    }
    if (number > l->configured[limit]) {
        return complain(l, WLK_BAD_PARAMS, NULL,
                        "the program needs %s %u, but %s is %u; raise it or change the program",
                        limit_names[limit].header, number, limit_names[limit].parameter,
                        l->configured[limit]);
    }
    l->header[limit] = number;
    return WLK_OK;
}

static wlk_status parse_instruction(const loader *l, wlk_instruction *to) {
    *to = (wlk_instruction){.line = (uint32_t)l->line};
    if (l->cells != COLUMNS) {
        return complain(l, WLK_CORRUPT, NULL,
                        "%u columns; write %d: warp pc rd rs1 rs2 rs3 mask latency unit", l->cells,
                        COLUMNS);
    }
    wlk_status status = parse_warp(l, to);
    if (status == WLK_OK) {
        status = parse_pc(l, to);
    }
    if (status == WLK_OK) {
        status = parse_register(l, RD, &to->has_rd, &to->rd);
    }
    for (uint32_t i = 0; i < 3 && status == WLK_OK; i++) {
        status = parse_register(l, RS1 + i, &to->has_rs[i], &to->rs[i]);
    }
    if (status == WLK_OK) {
        status = parse_mask(l, to);
    }
    if (status == WLK_OK) {
        status = parse_latency(l, to);
    }
    return status == WLK_OK ? parse_unit(l, to) : status;
}

static bool append(wlk_program *p, const wlk_instruction *instruction) {
    stream *s = &p->warps[instruction->warp];
    if (s->count == s->room) {
        const size_t room = s->room != 0 ? 2u * s->room : 64u;
        wlk_instruction *at = realloc(s->at, room * sizeof *at);
        if (at == NULL) {
            return false;
        }
        s->at = at;
        s->room = room;
    }
    s->at[s->count++] = *instruction;
    p->total++;
    return true;
}

static wlk_status parse_line(loader *l) {
    split(l);
    if (l->cells == 0) {
        return WLK_OK;
    }
    if (is_letter(l->cell[0][0])) {
        return parse_header(l);
    }
    wlk_instruction instruction;
    const wlk_status status = parse_instruction(l, &instruction);
    if (status == WLK_OK && !append(l->program, &instruction)) {
        return complain(l, WLK_NO_MEMORY, NULL, "out of memory; the program is too long");
    }
    return status;
}

static wlk_status parse_file(loader *l) {
    bool more = true;
    wlk_status status = read_version(l);
    while (status == WLK_OK && more) {
        status = read_line(l, &more);
        if (status == WLK_OK && more) {
            status = parse_line(l);
        }
    }
    if (status == WLK_OK && l->program->total == 0) {
        return complain(l, WLK_TRUNCATED, NULL, "no instruction in the file; is it complete?");
    }
    return status;
}

/* ---- interface ---- */

wlk_status wlk_program_load(wlk_program **program, const char *path, uint32_t num_warps,
                            uint32_t num_pregs, uint32_t num_lanes, uint32_t lane_bits,
                            wlk_error *err) {
    loader l = {.path = path,
                .err = err,
                .configured = {num_warps, num_pregs, num_lanes},
                .pc_bits = lane_bits};
    *program = NULL;
    l.program = calloc(1, sizeof *l.program + num_warps * sizeof(stream));
    if (l.program == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "%s: out of memory", path);
    }
    l.program->num_warps = num_warps;
    l.from = fopen(path, "re");
    wlk_status status = l.from != NULL
                            ? parse_file(&l)
                            : wlk_fail(err, WLK_NO_FILE, "%s: cannot be opened: %s; check its name",
                                       path, strerror(errno));
    if (l.from != NULL) {
        (void)fclose(l.from);
    }
    if (status != WLK_OK) {
        wlk_program_free(l.program);
        return status;
    }
    *program = l.program;
    return WLK_OK;
}

const wlk_instruction *wlk_program_warp(const wlk_program *program, uint32_t warp, size_t *count) {
    *count = program->warps[warp].count;
    return program->warps[warp].at;
}

size_t wlk_program_total(const wlk_program *program) {
    return program->total;
}

void wlk_program_free(wlk_program *program) {
    for (uint32_t w = 0; program != NULL && w < program->num_warps; w++) {
        free(program->warps[w].at);
    }
    free(program);
}

const char *wlk_unit_name(uint32_t unit) {
    return unit_names[unit];
}

// SPDX-License-Identifier: Apache-2.0
// Reads the commands of a stimulus, and refuses those that the configuration does not have.
#include "opndcoll_stim.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1 << 12, WORDS = 8, HIGHEST_WARP = UINT16_MAX, MOST_STEPS = 1000000000 };
#define HIGHEST_CYCLE UINT64_C(1000000000000000)

static const char recording_line[] = "# warplock recording ";

struct stim_reader {
    FILE *from;
    const char *name;
    wlk_opndcoll_shape shape;
    wlk_error *err;
    uint64_t line, bytes;
    uint64_t commands;   // so far
    uint64_t next_cycle; // number of the next core cycle
    bool is_recording;   // of a live simulation
    bool has_end;        // it was closed
    bool is_whole;       // the line has an end
    uint32_t n_words;
    const char *words[WORDS];
    char text[LONGEST + 1]; // of the line
};

wlk_status stim_open(stim_reader **out, FILE *from, const char *name,
                     const wlk_opndcoll_shape *shape, wlk_error *err) {
    stim_reader *r = calloc(1, sizeof *r);
    *out = r;
    if (r == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "%s: out of memory", name);
    }
    r->from = from;
    r->name = name;
    r->shape = *shape;
    return WLK_OK;
}

uint64_t stim_line(const stim_reader *r) {
    return r->line;
}

uint64_t stim_bytes(const stim_reader *r) {
    return r->bytes;
}

bool stim_is_cut(const stim_reader *r) {
    return r->is_recording && !r->has_end;
}

void stim_close(stim_reader *r) {
    free(r);
}

// FILE:LINE: what; remedy.
__attribute__((format(printf, 3, 4))) static wlk_status
complain(const stim_reader *r, wlk_status status, const char *format, ...) {
    char what[384];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return wlk_fail(r->err, status, "%s:%" PRIu64 ": %s", r->name, r->line, what);
}

/* ---- lines and words ---- */

// The next line; *more = false at the end of the file.
static wlk_status next_line(stim_reader *r, bool *more) {
    size_t n = 0;
    int c = getc_unlocked(r->from);
    *more = c != EOF;
    r->line += c != EOF;
    for (; c != '\n' && c != EOF; c = getc_unlocked(r->from)) {
        if (n == LONGEST) {
            return complain(r, WLK_CORRUPT, "longer than %d characters", LONGEST);
        }
        if (c == '\0') {
            return complain(r, WLK_CORRUPT, "a byte 0; is this a stimulus, unpacked?");
        }
        r->text[n++] = (char)c;
    }
    if (ferror(r->from) != 0) {
        return wlk_fail(r->err, WLK_NO_FILE, "%s: cannot be read: %s", r->name, strerror(errno));
    }
    r->is_whole = c == '\n';
    r->text[n] = '\0';
    r->bytes += n + 1u;
    return WLK_OK;
}

// A comment of a recording: `# warplock recording 1` is its first line, `# end` its last one.
static wlk_status read_comment(stim_reader *r) {
    const size_t head = sizeof recording_line - 1u;
    if (r->line == 1 && strncmp(r->text, recording_line, head) == 0) {
        r->is_recording = true;
        if (strcmp(r->text + head, "1") != 0) {
            return complain(r, WLK_BAD_VERSION, "a recording of version '%.32s'; this reads 1",
                            r->text + head);
        }
    }
    r->has_end |= strcmp(r->text, "# end") == 0;
    return WLK_OK;
}

// Cuts the line into words; one more than fits is counted and not kept.
static void cut(stim_reader *r) {
    r->n_words = 0;
    for (char *at = r->text; *at != '\0';) {
        while (*at == ' ' || *at == '\t' || *at == '\r') {
            *at++ = '\0';
        }
        if (*at == '\0') {
            break;
        }
        if (r->n_words < WORDS) {
            r->words[r->n_words] = at;
        }
        r->n_words++;
        while (*at != '\0' && *at != ' ' && *at != '\t' && *at != '\r') {
            at++;
        }
    }
}

/* ---- values ---- */

// Reads digits; false: none, or beyond the highest.
static bool digits(const char **text, uint64_t highest, uint64_t *value) {
    const char *at = *text;
    uint64_t sum = 0;
    while (*at >= '0' && *at <= '9') {
        const uint64_t digit = (uint64_t)(*at++ - '0');
        if (sum > highest / 10u || sum * 10u > highest - digit) {
            return false;
        }
        sum = sum * 10u + digit;
    }
    *value = sum;
    const bool some = at != *text;
    *text = at;
    return some;
}

static wlk_status number(const stim_reader *r, uint32_t word, const char *what, uint64_t highest,
                         uint64_t *value) {
    const char *at = r->words[word];
    if (!digits(&at, highest, value) || *at != '\0') {
        return complain(r, WLK_CORRUPT, "%s '%.32s' is not a number up to %" PRIu64, what,
                        r->words[word], highest);
    }
    return WLK_OK;
}

static wlk_status number32(const stim_reader *r, uint32_t word, const char *what, uint32_t highest,
                           uint32_t *value) {
    uint64_t wide = 0;
    const wlk_status status = number(r, word, what, highest, &wide);
    *value = (uint32_t)wide;
    return status;
}

static wlk_status key_of(const stim_reader *r, int64_t *key) {
    const char *at = r->words[1];
    const bool negative = *at == '-';
    uint64_t value = 0;
    at += negative ? 1 : 0;
    if (!digits(&at, INT64_MAX, &value) || *at != '\0') {
        return complain(r, WLK_CORRUPT,
                        "key '%.32s' is not an integer from -%" PRId64 " to %" PRId64, r->words[1],
                        INT64_MAX, INT64_MAX);
    }
    *key = negative ? -(int64_t)value : (int64_t)value;
    return WLK_OK;
}

static wlk_status kind_of(const stim_reader *r, uint32_t *kind) {
    for (uint32_t k = 0; k < WLK_OPNDCOLL_KINDS; k++) {
        if (strcmp(r->words[1], wlk_opndcoll_kind_name(k)) == 0) {
            *kind = k;
            return k < r->shape.kinds
                       ? WLK_OK
                       : complain(r, WLK_BAD_PARAMS,
                                  "the configuration has no set %s; -specialized_unit_%" PRIu32
                                  " enables it",
                                  r->words[1], k - (uint32_t)WLK_OPNDCOLL_SPEC1 + 1u);
        }
    }
    return complain(r, WLK_CORRUPT,
                    "no set '%.32s'; there are SP DP INT SFU MEM TENSOR SPEC1..SPEC8", r->words[1]);
}

static wlk_status sched_of(const stim_reader *r, uint32_t word, uint32_t *sched) {
    const wlk_status status = number32(r, word, "scheduler", UINT32_MAX - 1u, sched);
    if (status == WLK_OK && r->shape.sub_core != 0 && *sched >= r->shape.schedulers) {
        return complain(r, WLK_BAD_PARAMS,
                        "scheduler %" PRIu32
                        " is out of range; -gpgpu_num_sched_per_core is %" PRIu32,
                        *sched, r->shape.schedulers);
    }
    return status;
}

// A list: registers with commas between, -1 an empty slot, or `-` for none. V32 has eight operands,
// and its recordings ignore those after them.
static wlk_status registers(const stim_reader *r, uint32_t word, uint32_t *n, int32_t *regs) {
    const char *at = r->words[word];
    uint32_t entries = 0;
    *n = 0;
    if (strcmp(at, "-") == 0) {
        return WLK_OK;
    }
    for (;; at++) {
        uint64_t value = 0;
        const bool empty = strncmp(at, "-1", 2) == 0;
        at += empty ? 2 : 0;
        if ((!empty && !digits(&at, INT32_MAX, &value)) || (*at != ',' && *at != '\0')) {
            return complain(r, WLK_CORRUPT,
                            "registers '%.32s': numbers up to %" PRId32 " with commas between, -1 "
                            "for an empty slot, or - for none",
                            r->words[word], INT32_MAX);
        }
        if (entries++ == WLK_OPNDCOLL_OPERANDS) {
            return complain(r, WLK_CORRUPT, "more than %u registers in a list",
                            WLK_OPNDCOLL_OPERANDS);
        }
        if (*n < r->shape.operands) {
            regs[(*n)++] = empty ? -1 : (int32_t)value;
        }
        if (*at == '\0') {
            return WLK_OK;
        }
    }
}

// The number of a core cycle, higher than those before it.
static wlk_status cycle_of(const stim_reader *r, uint64_t *cycle) {
    const wlk_status status = number(r, 1, "core cycle", HIGHEST_CYCLE, cycle);
    if (status == WLK_OK && *cycle < r->next_cycle) {
        return complain(r, WLK_CORRUPT, "core cycle %" PRIu64 " stands behind %" PRIu64, *cycle,
                        r->next_cycle - 1u);
    }
    return status;
}

static bool is_name(uint32_t kind, const char *text, size_t length) {
    const char *name = wlk_opndcoll_kind_name(kind);
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

// What each dispatch unit dispatched last, with commas between; or - where there is none.
static wlk_status lasts(const stim_reader *r, uint32_t word, uint32_t *n, uint32_t *last) {
    const char *at = r->words[word];
    const bool none = strcmp(at, "-") == 0;
    bool good = true;
    for (*n = 0; good && !none; at++) {
        uint64_t value = 0;
        good = *n < WLK_OPNDCOLL_MAX_PORTS && digits(&at, UINT32_MAX - 1u, &value) &&
               (*at == ',' || *at == '\0');
        last[*n] = (uint32_t)value;
        *n += good ? 1u : 0u;
        if (*at == '\0') {
            break;
        }
    }
    if (!good || *n != r->shape.dispatch_units) {
        return complain(r, WLK_BAD_PARAMS,
                        "'%.32s' is not a number for each of the %" PRIu32 " dispatch units",
                        r->words[word], r->shape.dispatch_units);
    }
    return WLK_OK;
}

// With rotate_kinds, the kind that each port tries first, with commas between.
static wlk_status first_kinds(const stim_reader *r, uint32_t word, uint32_t *n, uint8_t *kinds) {
    const char *at = r->words[word];
    for (*n = 0; *n < WLK_OPNDCOLL_MAX_PORTS; at++) {
        const size_t length = strcspn(at, ",");
        uint32_t kind = 0;
        while (kind < r->shape.kinds && !is_name(kind, at, length)) {
            kind++;
        }
        if (kind == r->shape.kinds) {
            break;
        }
        kinds[(*n)++] = (uint8_t)kind;
        at += length;
        if (*at == '\0') {
            return WLK_OK;
        }
    }
    return complain(r, WLK_BAD_PARAMS, "'%.64s' is not a set for each port, as in SP,SP,MEM",
                    r->words[word]);
}

/* ---- commands ---- */

typedef enum field {
    NONE,
    KIND,
    KEY,
    SCHED,
    WARP,
    SLOT,
    STEPS,
    CYCLE,
    PRI,
    LASTS,
    FIRST_KINDS,
    SOURCES,
    DESTINATIONS
} field;

typedef struct form {
    const char *text;        // begins with the command
    uint32_t least, most;    // words, with the first
    field fields[WORDS - 1]; // the words behind it
} form;

static const form forms[] = {
    {"C [cycle]", 1, 2, {CYCLE}},
    {"I SET sched wid srcs dsts", 6, 6, {KIND, SCHED, WARP, SOURCES, DESTINATIONS}},
    {"E SET [slot]", 2, 3, {KIND, SLOT}},
    {"W key sched wid dsts", 5, 5, {KEY, SCHED, WARP, DESTINATIONS}},
    {"R key", 2, 2, {KEY}},
    {"V SET", 2, 2, {KIND}},
    {"L", 1, 1, {NONE}},
    {"X [steps]", 1, 2, {STEPS}},
    {"Z pri lasts [kinds]", 3, 4, {PRI, LASTS, FIRST_KINDS}},
};

static wlk_status read_field(const stim_reader *r, field f, uint32_t word, stim_command *c) {
    switch (f) {
    case KIND:
        return kind_of(r, &c->kind);
    case KEY:
        return key_of(r, &c->key);
    case SCHED:
        return sched_of(r, word, &c->sched);
    case WARP:
        return number32(r, word, "warp", HIGHEST_WARP, &c->wid);
    case SLOT:
        return number32(r, word, "slot", NO_SLOT - 1u, &c->slot);
    case STEPS:
        return number(r, word, "steps", MOST_STEPS, &c->count);
    case CYCLE:
        return cycle_of(r, &c->count);
    case PRI:
        return number32(r, word, "pri", WLK_OPNDCOLL_MAX_UNITS, &c->pri);
    case LASTS:
        return lasts(r, word, &c->n_last, c->last);
    case FIRST_KINDS:
        return first_kinds(r, word, &c->n_first, c->first);
    case SOURCES:
        return registers(r, word, &c->n_src, c->src);
    default:
        return registers(r, word, &c->n_dst, c->dst);
    }
}

// In the sub-core model a scheduler has a slot of its own.
static wlk_status check_issue(const stim_reader *r, const stim_command *c) {
    if (r->shape.sub_core == 0 || c->sched < r->shape.id_width[c->kind]) {
        return WLK_OK;
    }
    return complain(r, WLK_BAD_PARAMS,
                    "scheduler %" PRIu32 " has no slot in ID_OC of %s, which has %" PRIu32
                    "; see -gpgpu_pipeline_widths",
                    c->sched, r->words[1], r->shape.id_width[c->kind]);
}

static wlk_status parse(stim_reader *r, stim_command *c) {
    const form *f = forms, *end = forms + sizeof forms / sizeof forms[0];
    while (f < end && (r->words[0][0] != f->text[0] || r->words[0][1] != '\0')) {
        f++;
    }
    if (f == end) {
        return complain(r, WLK_CORRUPT, "no command '%.32s'; there are C I E W R V L X Z",
                        r->words[0]);
    }
    if (r->n_words < f->least || r->n_words > f->most) {
        return complain(r, WLK_CORRUPT, "%" PRIu32 " words; it must be '%s'", r->n_words, f->text);
    }
    wlk_status status = WLK_OK;
    if (f->text[0] == 'Z' && r->commands != 0) {
        return complain(r, WLK_CORRUPT, "Z must be the first command");
    }
    c->what = f->text[0];
    c->slot = NO_SLOT;
    c->n_first = 0;
    c->count = f->text[0] == 'C' ? r->next_cycle : 1u;
    for (uint32_t word = 1; word < r->n_words && status == WLK_OK; word++) {
        status = read_field(r, f->fields[word - 1u], word, c);
    }
    r->commands++;
    r->next_cycle = c->what == 'C' ? c->count + 1u : r->next_cycle;
    return status == WLK_OK && c->what == 'I' ? check_issue(r, c) : status;
}

wlk_status stim_next(stim_reader *r, stim_command *command, bool *more, wlk_error *err) {
    r->err = err;
    for (;;) {
        wlk_status status = next_line(r, more);
        if (status != WLK_OK || !*more) {
            return status;
        }
        if (!r->is_whole && stim_is_cut(r)) {
            *more = false; // the simulator was killed; half a line is none
            return WLK_OK;
        }
        if (r->text[0] == '#') {
            status = read_comment(r);
            if (status != WLK_OK) {
                return status;
            }
            continue;
        }
        cut(r);
        if (r->n_words != 0) {
            return parse(r, command);
        }
    }
}

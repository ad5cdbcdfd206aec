// SPDX-License-Identifier: Apache-2.0
// Reads the commands of a stimulus, and refuses those that the configuration does not have.
#include "opndcoll_stim.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1 << 12, WORDS = 8 };

struct stim_reader {
    FILE *from;
    const char *name;
    wlk_opndcoll_shape shape;
    wlk_error *err;
    uint64_t line, bytes;
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
    r->text[n] = '\0';
    r->bytes += n + 1u;
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
        sum = sum * 10u + (uint64_t)(*at++ - '0');
        if (sum > highest) {
            return false;
        }
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

static wlk_status number32(const stim_reader *r, uint32_t word, const char *what, uint32_t *value) {
    uint64_t wide = 0;
    const wlk_status status = number(r, word, what, UINT32_MAX - 1u, &wide);
    *value = (uint32_t)wide;
    return status;
}

static wlk_status key_of(const stim_reader *r, int64_t *key) {
    const char *at = r->words[1];
    const bool negative = *at == '-';
    uint64_t value = 0;
    at += negative ? 1 : 0;
    if (!digits(&at, INT64_MAX, &value) || *at != '\0') {
        return complain(r, WLK_CORRUPT, "key '%.32s' is not an integer", r->words[1]);
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
    const wlk_status status = number32(r, word, "scheduler", sched);
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
                            "registers '%.32s': numbers with commas between, -1 for an empty slot, "
                            "or - for none",
                            r->words[word]);
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

/* ---- commands ---- */

static wlk_status read_none(const stim_reader *r, stim_command *c) {
    (void)r;
    (void)c;
    return WLK_OK;
}

static wlk_status read_issue(const stim_reader *r, stim_command *c) {
    wlk_status status = kind_of(r, &c->kind);
    status = status == WLK_OK ? sched_of(r, 2, &c->sched) : status;
    status = status == WLK_OK ? number32(r, 3, "warp", &c->wid) : status;
    status = status == WLK_OK ? registers(r, 4, &c->n_src, c->src) : status;
    status = status == WLK_OK ? registers(r, 5, &c->n_dst, c->dst) : status;
    if (status == WLK_OK && r->shape.sub_core != 0 && c->sched >= r->shape.id_width[c->kind]) {
        return complain(r, WLK_BAD_PARAMS,
                        "scheduler %" PRIu32 " has no slot in ID_OC of %s, which has %" PRIu32
                        "; see -gpgpu_pipeline_widths",
                        c->sched, r->words[1], r->shape.id_width[c->kind]);
    }
    return status;
}

static wlk_status read_take(const stim_reader *r, stim_command *c) {
    c->slot = NO_SLOT;
    const wlk_status status = kind_of(r, &c->kind);
    return status == WLK_OK && r->n_words == 3 ? number32(r, 2, "slot", &c->slot) : status;
}

static wlk_status read_write(const stim_reader *r, stim_command *c) {
    wlk_status status = key_of(r, &c->key);
    status = status == WLK_OK ? sched_of(r, 2, &c->sched) : status;
    status = status == WLK_OK ? number32(r, 3, "warp", &c->wid) : status;
    return status == WLK_OK ? registers(r, 4, &c->n_dst, c->dst) : status;
}

static wlk_status read_retry(const stim_reader *r, stim_command *c) {
    return key_of(r, &c->key);
}

static wlk_status read_drained(const stim_reader *r, stim_command *c) {
    return kind_of(r, &c->kind);
}

static wlk_status read_steps(const stim_reader *r, stim_command *c) {
    c->count = 1;
    return r->n_words == 2 ? number(r, 1, "steps", UINT64_MAX >> 8, &c->count) : WLK_OK;
}

static const struct {
    char what;
    uint32_t least, most; // words, with the first
    const char *form;
    wlk_status (*read)(const stim_reader *r, stim_command *c);
} forms[] = {
    {'C', 1, 1, "C", read_none},
    {'I', 6, 6, "I SET sched wid srcs dsts", read_issue},
    {'E', 2, 3, "E SET [slot]", read_take},
    {'W', 5, 5, "W key sched wid dsts", read_write},
    {'R', 2, 2, "R key", read_retry},
    {'V', 2, 2, "V SET", read_drained},
    {'L', 1, 1, "L", read_none},
    {'X', 1, 2, "X [steps]", read_steps},
};

static wlk_status parse(stim_reader *r, stim_command *c) {
    for (uint32_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (r->words[0][0] != forms[i].what || r->words[0][1] != '\0') {
            continue;
        }
        if (r->n_words < forms[i].least || r->n_words > forms[i].most) {
            return complain(r, WLK_CORRUPT, "%" PRIu32 " words; it must be '%s'", r->n_words,
                            forms[i].form);
        }
        c->what = forms[i].what;
        return forms[i].read(r, c);
    }
    return complain(r, WLK_CORRUPT, "no command '%.32s'; there are C I E W R V L X", r->words[0]);
}

wlk_status stim_next(stim_reader *r, stim_command *command, bool *more, wlk_error *err) {
    r->err = err;
    for (;;) {
        const wlk_status status = next_line(r, more);
        if (status != WLK_OK || !*more) {
            return status;
        }
        cut(r);
        if (r->n_words != 0 && r->text[0] != '#') {
            return parse(r, command);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Command that puts signals beside those of an FST, in the same time base. They are text:
//   +NAME, -          into a scope, out of it
//   =WIDTH NAME       a signal; they are counted from 0
//   #TIME             ascending; what follows holds from then on
//   NUMBER DIGITS     a signal's new value: 0, 1 and x, the highest bit first
#define _GNU_SOURCE // getline
#include <errno.h>
#include <fstapi.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vec_export.h"
#include "vec_fst.h"
#include "warplock/wave.h"

enum { LONGEST = 512, FIRST_ROOM = 64, MOST_BITS = 64 }; // the reader cuts longer texts
#define NEVER UINT64_MAX

// Signals that are added: the text, as far as it is read.
typedef struct added {
    FILE *from;
    const char *path;
    char *line; // the next one; NULL at the end
    size_t room;
    uint64_t number; // of the line, from 1
    uint64_t wrong;  // the first line that cannot be read, or 0
    fstHandle *handles;
    uint8_t *widths; // [bits], of each
    uint32_t n, n_room, depth;
    uint64_t time; // of what comes next; NEVER: nothing does
} added;

typedef struct copy {
    const char *path;
    void *in, *out;
    fstHandle *handles; // of the copy
    uint64_t *left_out; // enumerations
    uint32_t n_left_out;
    added more;
    uint64_t time;
    bool begun, no_memory;
    wlk_wave *checked;
    bool odd; // a signal is named as another one than is stored
} copy;

static bool next_line(added *a) {
    const ssize_t n = a->wrong == 0 ? getline(&a->line, &a->room, a->from) : -1;
    if (n > 0 && a->line[n - 1] == '\n') {
        a->line[n - 1] = '\0';
    }
    a->number += n > 0;
    return n > 0;
}

static void cannot_read(added *a) {
    a->wrong = a->wrong != 0 ? a->wrong : a->number;
}

// "#TIME", behind all times before.
static void take_time(added *a, uint64_t before) {
    uint64_t time = 0;
    if (a->line[0] != '#' || !tool_number(a->line + 1, &time) || time >= NEVER || time < before) {
        cannot_read(a);
    } else {
        a->time = time;
    }
}

// ---- names --------------------------------------------------------------------------------------

static bool add_handle(added *a, fstHandle handle, uint8_t width) {
    if (a->n == a->n_room) {
        const uint32_t room = a->n_room != 0 ? 2u * a->n_room : FIRST_ROOM;
        fstHandle *more = realloc(a->handles, room * sizeof *more);
        a->handles = more != NULL ? more : a->handles;
        uint8_t *widths = realloc(a->widths, room);
        a->widths = widths != NULL ? widths : a->widths;
        if (more == NULL || widths == NULL) {
            return false;
        }
        a->n_room = room;
    }
    a->widths[a->n] = width;
    a->handles[a->n++] = handle;
    return true;
}

static void declare_signal(copy *c, const char *text) {
    uint64_t width = 0;
    char full[2 * LONGEST];
    const bool good = tool_take_number(&text, ' ', &width) && width >= 1 && width <= MOST_BITS;
    if (!good || text[0] == '\0' || strlen(text) >= LONGEST) {
        cannot_read(&c->more);
        return;
    }
    if (width > 1) {
        (void)snprintf(full, sizeof full, "%s [%" PRIu64 ":0]", text, width - 1u);
    } else {
        (void)snprintf(full, sizeof full, "%s", text);
    }
    const fstHandle handle =
        fstWriterCreateVar(c->out, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, (uint32_t)width, full, 0);
    c->no_memory = !add_handle(&c->more, handle, (uint8_t)width) || c->no_memory;
}

static void declare_scope(copy *c, const char *name) {
    if (name[0] == '\0' || strlen(name) >= LONGEST) {
        cannot_read(&c->more);
    } else {
        fstWriterSetScope(c->out, FST_ST_VCD_MODULE, name, NULL);
        c->more.depth++;
    }
}

// Up to the first time.
static void declare_added(copy *c) {
    added *a = &c->more;
    a->time = NEVER;
    while (!c->no_memory && next_line(a)) {
        switch (a->line[0]) {
        case '+':
            declare_scope(c, a->line + 1);
            break;
        case '-':
            if (a->depth == 0) {
                cannot_read(a);
                return;
            }
            fstWriterSetUpscope(c->out);
            a->depth--;
            break;
        case '=':
            declare_signal(c, a->line + 1);
            break;
        default:
            take_time(a, 0);
            return;
        }
    }
}

// An enumeration that the reader cuts is left out, and what refers to it.
static bool is_whole(copy *c, const struct fstHierAttr *attr) {
    if (attr->typ != FST_AT_MISC || attr->subtype != FST_MT_ENUMTABLE) {
        return true;
    }
    for (uint32_t i = 0; i < c->n_left_out; i++) {
        if (c->left_out[i] == attr->arg) {
            return false;
        }
    }
    if (attr->name_length < LONGEST) {
        return true;
    }
    uint64_t *more = realloc(c->left_out, (c->n_left_out + 1u) * sizeof *more);
    c->no_memory = more == NULL || c->no_memory;
    if (more != NULL) {
        c->left_out = more;
        c->left_out[c->n_left_out++] = attr->arg;
    }
    return false;
}

// Do the names give a signal the values that are stored? The writer believes them.
static bool has_values(const copy *c, const struct fstHierVar *var) {
    const uint32_t bits = wlk_wave_bits(c->checked, var->handle);
    switch (var->typ) {
    case FST_VT_VCD_REAL:
    case FST_VT_VCD_REAL_PARAMETER:
    case FST_VT_VCD_REALTIME:
    case FST_VT_SV_SHORTREAL:
    case FST_VT_GEN_STRING:
        return bits == 0;
    case FST_VT_VCD_PORT: // the reader gives a third of it
        return 3u * var->length + 2u == bits;
    default:
        return var->length == bits;
    }
}

static void copy_signal(copy *c, const struct fstHierVar *var) {
    c->odd = c->odd || !has_values(c, var);
    if (c->odd) {
        return;
    }
    const fstHandle alias = var->is_alias ? c->handles[var->handle] : 0;
    const fstHandle made =
        fstWriterCreateVar(c->out, (enum fstVarType)var->typ, (enum fstVarDir)var->direction,
                           var->length, var->name, alias);
    c->handles[var->handle] = made;
}

static void copy_names(copy *c) {
    const struct fstHier *h;
    while ((h = fstReaderIterateHier(c->in)) != NULL) {
        switch (h->htyp) {
        case FST_HT_SCOPE:
            fstWriterSetScope(c->out, (enum fstScopeType)h->u.scope.typ, h->u.scope.name,
                              h->u.scope.component);
            break;
        case FST_HT_UPSCOPE:
            fstWriterSetUpscope(c->out);
            break;
        case FST_HT_VAR:
            copy_signal(c, &h->u.var);
            break;
        case FST_HT_ATTRBEGIN:
            if (is_whole(c, &h->u.attr)) {
                fstWriterSetAttrBegin(c->out, (enum fstAttrType)h->u.attr.typ, h->u.attr.subtype,
                                      h->u.attr.name, h->u.attr.arg);
            }
            break;
        case FST_HT_ATTREND:
            fstWriterSetAttrEnd(c->out);
            break;
        default:
            break;
        }
    }
}

// ---- values -------------------------------------------------------------------------------------

static void go_to(copy *c, uint64_t time) {
    if (!c->begun || time != c->time) {
        fstWriterEmitTimeChange(c->out, time);
        c->time = time;
        c->begun = true;
    }
}

// "NUMBER DIGITS"
static void add_value(copy *c) {
    added *a = &c->more;
    const char *text = a->line;
    uint64_t number = 0;
    const bool good = tool_take_number(&text, ' ', &number) && number < a->n;
    if (!good || strlen(text) != a->widths[number] || strspn(text, "01x") != a->widths[number]) {
        cannot_read(a);
        return;
    }
    fstWriterEmitValueChange(c->out, a->handles[number], text);
}

// What is added up to a time.
static void add_until(copy *c, uint64_t time) {
    added *a = &c->more;
    while (a->time <= time && a->time != NEVER) {
        const uint64_t now = a->time;
        go_to(c, now);
        a->time = NEVER;
        while (next_line(a)) {
            if (a->line[0] == '#') {
                take_time(a, now);
                break;
            }
            add_value(c);
        }
    }
}

static void reach(copy *c, uint64_t time) {
    if (!c->begun || time != c->time) {
        add_until(c, time - (time != 0)); // what is added at the time itself comes behind
        go_to(c, time);
        add_until(c, time);
    }
}

static void take_value(void *context, uint64_t time, fstHandle handle, const unsigned char *value) {
    copy *c = context;
    reach(c, time);
    fstWriterEmitValueChange(c->out, c->handles[handle], value);
}

static void take_text(void *context, uint64_t time, fstHandle handle, const unsigned char *value,
                      uint32_t length) {
    copy *c = context;
    reach(c, time);
    fstWriterEmitVariableLengthValueChange(c->out, c->handles[handle], value, length);
}

static void copy_all(copy *c) {
    fstWriterSetPackType(c->out, FST_WR_PT_LZ4);
    fstWriterSetTimescale(c->out, fstReaderGetTimescale(c->in));
    fstWriterSetVersion(c->out, fstReaderGetVersionString(c->in));
    fstWriterSetDate(c->out, ""); // the same run, the same file
    copy_names(c);
    if (c->odd) {
        return;
    }
    declare_added(c);
    fstReaderSetFacProcessMaskAll(c->in);
    fstReaderIterBlocksSetNativeDoublesOnCallback(c->in, 1);
    (void)fstReaderIterBlocks2(c->in, take_value, take_text, c, NULL);
    reach(c, fstReaderGetEndTime(c->in));
    add_until(c, NEVER - 1u);
}

static wlk_status write_copy(copy *c, const wlk_output *file, wlk_error *err) {
    vec_fst_guard(file);
    c->handles = calloc((size_t)fstReaderGetMaxHandle(c->in) + 1u, sizeof *c->handles);
    c->out = fstWriterCreate(file->partial, 1);
    if (c->out == NULL) {
        return wlk_output_failed(file, errno, err);
    }
    c->no_memory = c->handles == NULL;
    if (!c->no_memory) {
        copy_all(c);
    }
    fstWriterClose(c->out);
    if (c->odd) {
        return wlk_fail(err, WLK_CORRUPT,
                        "%s: a signal is named with another width than its values have; make the "
                        "waveform again",
                        c->path);
    }
    if (c->more.wrong != 0) {
        return wlk_fail(err, WLK_CORRUPT,
                        "%s:%" PRIu64 ": is no line of signals as the harness writes them; run it "
                        "again",
                        c->more.path, c->more.wrong);
    }
    return c->no_memory ? tool_no_memory(err) : vec_fst_whole(file, err);
}

// fstapi takes what it reads as it is.
static wlk_status require_sound(copy *c, const char *path, wlk_error *err) {
    const wlk_status status = wlk_wave_open(&c->checked, path, path, err);
    if (status == WLK_OK && wlk_wave_is_vcd(c->checked)) {
        return wlk_fail(err, WLK_CORRUPT, "%s: a VCD: give an FST", path);
    }
    return status == WLK_OK ? wlk_wave_verify(c->checked, err) : status;
}

static wlk_status open_both(copy *c, const char *wave, const char *signals, wlk_error *err) {
    const wlk_status status = require_sound(c, wave, err);
    if (status != WLK_OK) {
        return status;
    }
    c->in = fstReaderOpen(wave);
    if (c->in == NULL) {
        return wlk_fail(err, WLK_CORRUPT, "%s: cannot be read as an FST", wave);
    }
    c->path = wave;
    c->more.path = signals;
    c->more.from = fopen(signals, "r");
    return c->more.from != NULL ? WLK_OK
                                : wlk_fail(err, WLK_NO_FILE, "%s: %s", signals, strerror(errno));
}

wlk_status vec_beside(job *j, char **a, wlk_error *err) {
    copy c = {.begun = false};
    wlk_output file;
    wlk_status status = open_both(&c, a[0], a[1], err);
    if (status == WLK_OK) {
        status = wlk_output_open(&file, a[2], j->force, err);
        if (status == WLK_OK) {
            status = vec_end(&file, write_copy(&c, &file, err), err);
        }
    }
    if (c.in != NULL) {
        fstReaderClose(c.in);
    }
    wlk_wave_close(c.checked);
    if (c.more.from != NULL) {
        (void)fclose(c.more.from);
    }
    free(c.more.line);
    free(c.more.handles);
    free(c.more.widths);
    free(c.handles);
    free(c.left_out);
    return status;
}

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

enum { LONGEST = 512, FIRST_ROOM = 64 }; // the reader cuts longer texts

// Signals that are added: the text, as far as it is read.
typedef struct added {
    FILE *from;
    char *line; // the next one; NULL at the end
    size_t room;
    fstHandle *handles;
    uint32_t n, n_room;
    uint64_t time; // of what comes next; UINT64_MAX: nothing does
} added;

typedef struct copy {
    void *in, *out;
    fstHandle *handles; // of the copy
    uint64_t *left_out; // enumerations
    uint32_t n_left_out;
    added more;
    uint64_t time;
    bool begun, no_memory;
} copy;

static bool next_line(added *a) {
    const ssize_t n = getline(&a->line, &a->room, a->from);
    if (n > 0 && a->line[n - 1] == '\n') {
        a->line[n - 1] = '\0';
    }
    return n > 0;
}

// ---- names --------------------------------------------------------------------------------------

static bool add_handle(added *a, fstHandle handle) {
    if (a->n == a->n_room) {
        const uint32_t room = a->n_room != 0 ? 2u * a->n_room : FIRST_ROOM;
        fstHandle *more = realloc(a->handles, room * sizeof *more);
        if (more == NULL) {
            return false;
        }
        a->handles = more;
        a->n_room = room;
    }
    a->handles[a->n++] = handle;
    return true;
}

static void declare_signal(copy *c, const char *text) {
    char *name = NULL;
    char full[2 * LONGEST];
    const unsigned long width = strtoul(text, &name, 10);
    if (width > 1) {
        (void)snprintf(full, sizeof full, "%s [%lu:0]", name + 1, width - 1u);
    } else {
        (void)snprintf(full, sizeof full, "%s", name + 1);
    }
    const fstHandle handle =
        fstWriterCreateVar(c->out, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, (uint32_t)width, full, 0);
    c->no_memory = !add_handle(&c->more, handle) || c->no_memory;
}

// Up to the first time.
static void declare_added(copy *c) {
    added *a = &c->more;
    a->time = UINT64_MAX;
    while (!c->no_memory && next_line(a)) {
        switch (a->line[0]) {
        case '+':
            fstWriterSetScope(c->out, FST_ST_VCD_MODULE, a->line + 1, NULL);
            break;
        case '-':
            fstWriterSetUpscope(c->out);
            break;
        case '=':
            declare_signal(c, a->line + 1);
            break;
        default:
            a->time = strtoull(a->line + 1, NULL, 10);
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

static void copy_signal(copy *c, const struct fstHierVar *var) {
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

// What is added up to a time.
static void add_until(copy *c, uint64_t time) {
    added *a = &c->more;
    while (a->time <= time && a->time != UINT64_MAX) {
        go_to(c, a->time);
        a->time = UINT64_MAX;
        while (next_line(a)) {
            char *digits = NULL;
            if (a->line[0] == '#') {
                a->time = strtoull(a->line + 1, NULL, 10);
                break;
            }
            const unsigned long number = strtoul(a->line, &digits, 10);
            if (number < a->n) {
                fstWriterEmitValueChange(c->out, a->handles[number], digits + 1);
            }
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
    declare_added(c);
    fstReaderSetFacProcessMaskAll(c->in);
    fstReaderIterBlocksSetNativeDoublesOnCallback(c->in, 1);
    (void)fstReaderIterBlocks2(c->in, take_value, take_text, c, NULL);
    reach(c, fstReaderGetEndTime(c->in));
    add_until(c, UINT64_MAX - 1u);
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
    return c->no_memory ? tool_no_memory(err) : vec_fst_whole(file, err);
}

static wlk_status open_both(copy *c, const char *wave, const char *signals, wlk_error *err) {
    c->in = fstReaderOpen(wave);
    if (c->in == NULL) {
        return wlk_fail(err, WLK_CORRUPT, "%s: cannot be read as an FST", wave);
    }
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
    if (c.more.from != NULL) {
        (void)fclose(c.more.from);
    }
    free(c.more.line);
    free(c.more.handles);
    free(c.handles);
    free(c.left_out);
    return status;
}

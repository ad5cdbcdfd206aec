// SPDX-License-Identifier: Apache-2.0
// Vector files as waveforms: the ports, what is expected at outputs, and for each of these a signal
// NAME__care in the scope `care`.
#include <errno.h>
#include <fstapi.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "vec_export.h"
#include "vec_fst.h"

enum { PERIOD = 10, RISE = 5 }; // [ns] of the clock; inputs change at its falling edge
static const char CARE[] = "__care";

// What a format does. Values are digits 0, 1 and x, the highest bit first.
typedef struct format {
    void (*enter)(void *to, const char *scope);
    void (*leave)(void *to);
    uint32_t (*signal)(void *to, const char *name, uint32_t width, bool is_out);
    void (*time)(void *to, uint64_t at);
    void (*value)(void *to, uint32_t handle, const char *digits, uint32_t width);
} format;

typedef struct shown {
    uint64_t value, x, care; // as they were written last
    uint32_t handle, care_handle;
} shown;

typedef struct wave {
    const format *as;
    void *to;
    wlk_output *file;
    shown *ports;
    uint64_t *any; // care bits of all cycles
    const vec_wave_options *options;
    uint32_t clock;
} wave;

static void emit(const wave *w, uint32_t handle, uint64_t value, uint64_t x, uint32_t width) {
    char digits[65];
    for (uint32_t i = 0; i < width; i++) {
        const uint32_t bit = width - 1u - i;
        digits[i] = (x >> bit & 1u) != 0 ? 'x' : (value >> bit & 1u) != 0 ? '1' : '0';
    }
    digits[width] = '\0';
    w->as->value(w->to, handle, digits, width);
}

static wlk_status look(job *j, void *context, const vec_cycle *cycle, wlk_error *err) {
    wave *w = context;
    (void)err;
    for (uint32_t i = 0; i < j->b.layout.out_words; i++) {
        w->any[i] |= cycle->care[i];
    }
    return WLK_OK;
}

// An output that never counts is none: the recording had no such column.
static bool has(const wave *w, const wlk_port *port) {
    return port->present && (!port->is_out || wlk_port_get(port, w->any) != 0);
}

// The care lies in a scope of its own: a block with opaque fields has any port of the module.
static void declare(const job *j, wave *w) {
    w->as->enter(w->to, j->b.block->table->module);
    w->clock = w->as->signal(w->to, w->options->clock, 1, false);
    for (uint32_t i = 0; i < j->b.layout.n_ports; i++) {
        const wlk_port *port = &j->b.ports[i];
        if (has(w, port)) {
            w->ports[i].handle = w->as->signal(w->to, port->name, port->width, port->is_out);
        }
    }
    w->as->enter(w->to, "care");
    for (uint32_t i = 0; i < j->b.layout.n_ports; i++) {
        const wlk_port *port = &j->b.ports[i];
        char name[WLK_MAX_NAME + sizeof CARE];
        if (has(w, port) && port->is_out) {
            (void)snprintf(name, sizeof name, "%s%s", port->name, CARE);
            w->ports[i].care_handle = w->as->signal(w->to, name, port->width, true);
        }
    }
    w->as->leave(w->to);
    w->as->leave(w->to);
}

// Where the file has no care: what the first of the model's states shows, X where it knows nothing.
// All that the file says holds for each of these states.
static void fill(job *j, const uint64_t *in) {
    wlk_step_info info;
    wlk_candidates_fork(&j->candidates, in);
    j->b.block->eval(j->b.cfg, j->candidates.states[0], in, j->out, j->care);
    wlk_candidates_tick(&j->candidates, in, &info);
}

static void show_output(const job *j, wave *w, uint32_t i, const vec_cycle *cycle) {
    const wlk_port *port = &j->b.ports[i];
    shown *last = &w->ports[i];
    const bool first = cycle->number == 0;
    const uint64_t all = wlk_mask(port->width), care = wlk_port_get(port, cycle->care);
    const uint64_t known = care | (w->options->filled ? wlk_port_get(port, j->care) : 0u);
    const uint64_t guess = w->options->filled ? wlk_port_get(port, j->out) & known : 0u;
    const uint64_t value = (wlk_port_get(port, cycle->out) & care) | (guess & ~care);
    const uint64_t x = all & ~known, counted = wlk_port_get(port, cycle->counted);
    if (first || value != last->value || x != last->x) {
        emit(w, last->handle, value, x, port->width);
    }
    if (first || counted != last->care) {
        emit(w, last->care_handle, counted, 0, port->width);
    }
    *last = (shown){value, x, counted, last->handle, last->care_handle};
}

static wlk_status show(job *j, void *context, const vec_cycle *cycle, wlk_error *err) {
    wave *w = context;
    w->as->time(w->to, cycle->number * PERIOD);
    emit(w, w->clock, 0, 0, 1);
    if (w->options->filled) {
        fill(j, cycle->in);
    }
    for (uint32_t i = 0; i < j->b.layout.n_ports; i++) {
        const wlk_port *port = &j->b.ports[i];
        if (!has(w, port)) {
            continue;
        }
        if (port->is_out) {
            show_output(j, w, i, cycle);
            continue;
        }
        const uint64_t value = wlk_port_get(port, cycle->in);
        if (cycle->number == 0 || value != w->ports[i].value) {
            emit(w, w->ports[i].handle, value, 0, port->width);
            w->ports[i].value = value;
        }
    }
    w->as->time(w->to, cycle->number * PERIOD + RISE);
    emit(w, w->clock, 1, 0, 1);
    return vec_written(w->file, err);
}

// Finds which outputs ever count.
static wlk_status survey(job *j, wave *w, wlk_error *err) {
    w->ports = calloc(j->b.layout.n_ports + 1u, sizeof *w->ports);
    w->any = calloc(j->b.layout.out_words + 1u, sizeof *w->any);
    return w->ports == NULL || w->any == NULL ? tool_no_memory(err) : vec_each(j, look, w, err);
}

static wlk_status write_all(job *j, wave *w, wlk_error *err) {
    const wlk_status status = vec_each(j, show, w, err);
    w->as->time(w->to, wlk_vec_cycles(j->reader) * PERIOD); // the last cycle is seen, too
    return status;
}

static void release(wave *w) {
    free(w->ports);
    free(w->any);
}

// ---- VCD ----------------------------------------------------------------------------------------

typedef struct vcd {
    FILE *to;
    uint32_t n;
} vcd;

// Printable characters, the lowest digit first.
static void print_code(FILE *to, uint32_t handle) {
    do {
        fputc((int)('!' + handle % 94u), to);
        handle /= 94u;
    } while (handle != 0);
}

static void vcd_enter(void *to, const char *scope) {
    fprintf(((vcd *)to)->to, "$scope module %s $end\n", scope);
}

static void vcd_leave(void *to) {
    fputs("$upscope $end\n", ((vcd *)to)->to);
}

static uint32_t vcd_signal(void *to, const char *name, uint32_t width, bool is_out) {
    vcd *v = to;
    (void)is_out;
    fprintf(v->to, "$var wire %u ", width);
    print_code(v->to, v->n);
    fprintf(v->to, width > 1 ? " %s [%u:0] $end\n" : " %s $end\n", name, width - 1u);
    return v->n++;
}

static void vcd_time(void *to, uint64_t at) {
    fprintf(((vcd *)to)->to, "#%" PRIu64 "\n", at);
}

static void vcd_value(void *to, uint32_t handle, const char *digits, uint32_t width) {
    FILE *file = ((vcd *)to)->to;
    if (width > 1) {
        fprintf(file, "b%s ", digits);
    } else {
        fputc(digits[0], file);
    }
    print_code(file, handle);
    fputc('\n', file);
}

wlk_status vec_vcd(job *j, const vec_wave_options *options, wlk_error *err) {
    static const format as = {vcd_enter, vcd_leave, vcd_signal, vcd_time, vcd_value};
    wlk_output file;
    wlk_status status = wlk_output_open(&file, options->path, j->force, err);
    vcd to = {.to = file.to};
    wave w = {.as = &as, .to = &to, .file = &file, .options = options};
    if (status != WLK_OK) {
        return status;
    }
    status = survey(j, &w, err);
    if (status == WLK_OK) {
        fprintf(file.to, "$version warplock %s $end\n$comment %s $end\n$timescale 1ns $end\n",
                wlk_version(), wlk_vec_header(j->reader));
        declare(j, &w);
        fputs("$enddefinitions $end\n", file.to);
        status = write_all(j, &w, err);
    }
    release(&w);
    return vec_end(&file, status, err);
}

// ---- FST ----------------------------------------------------------------------------------------

static void fst_enter(void *to, const char *scope) {
    fstWriterSetScope(to, FST_ST_VCD_MODULE, scope, NULL);
}

static void fst_leave(void *to) {
    fstWriterSetUpscope(to);
}

static uint32_t fst_signal(void *to, const char *name, uint32_t width, bool is_out) {
    return fstWriterCreateVar(to, FST_VT_VCD_WIRE, is_out ? FST_VD_OUTPUT : FST_VD_INPUT, width,
                              name, 0);
}

static void fst_time(void *to, uint64_t at) {
    fstWriterEmitTimeChange(to, at);
}

static void fst_value(void *to, uint32_t handle, const char *digits, uint32_t width) {
    (void)width;
    fstWriterEmitValueChange(to, handle, digits);
}

static wlk_status fst_write(job *j, wave *w, wlk_error *err) {
    void *to = fstWriterCreate(w->file->partial, 1);
    if (to == NULL) {
        return wlk_output_failed(w->file, errno, err);
    }
    fstWriterSetPackType(to, FST_WR_PT_LZ4);
    fstWriterSetTimescale(to, -9);
    fstWriterSetVersion(to, wlk_version());
    fstWriterSetDate(to, ""); // the same records, the same file
    fstWriterSetComment(to, wlk_vec_header(j->reader));
    w->to = to;
    declare(j, w);
    const wlk_status status = write_all(j, w, err);
    fstWriterClose(to);
    return status == WLK_OK ? vec_fst_whole(w->file, err) : status;
}

wlk_status vec_fst(job *j, const vec_wave_options *options, wlk_error *err) {
    static const format as = {fst_enter, fst_leave, fst_signal, fst_time, fst_value};
    wlk_output file;
    wlk_status status = wlk_output_open(&file, options->path, j->force, err);
    wave w = {.as = &as, .file = &file, .options = options};
    if (status != WLK_OK) {
        return status;
    }
    if (file.partial == NULL) {
        wlk_output_abort(&file);
        return wlk_fail(err, WLK_NO_FILE, "%s: is no regular file; FST needs one", options->path);
    }
    vec_fst_guard(&file);
    status = survey(j, &w, err);
    if (status == WLK_OK) {
        status = fst_write(j, &w, err);
    }
    release(&w);
    return vec_end(&file, status, err);
}

// SPDX-License-Identifier: Apache-2.0
// Command that writes a vector file in formats of others: CSV and memories for $readmemh here,
// waveforms in vec_wave.c.
#include "vec_export.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ports.h"

wlk_status vec_each(job *j, vec_row *row, void *context, wlk_error *err) {
    const wlk_table *table = j->b.block->table;
    const uint32_t n = j->b.layout.n_ports;
    const uint64_t cycles = wlk_vec_cycles(j->reader);
    int32_t *when = calloc(n + 1u, sizeof *when);
    uint64_t *counted = calloc(j->b.layout.out_words + 1u, sizeof *counted);
    vec_cycle cycle = {.counted = counted};
    if (when == NULL || counted == NULL) {
        free(when);
        free(counted);
        return tool_no_memory(err);
    }
    (void)wlk_ports_when(table, j->b.ports, n, when);
    wlk_status status = wlk_vec_seek(j->reader, 0, err);
    for (; status == WLK_OK && cycle.number < cycles; cycle.number++) {
        status = job_read(j, cycle.number, &cycle.in, &cycle.out, &cycle.care, err);
        if (status != WLK_OK) {
            break;
        }
        memcpy(counted, cycle.care, j->b.layout.out_words * sizeof *counted);
        wlk_ports_narrow(table, j->b.ports, n, when, cycle.in, cycle.out, counted);
        status = row(j, context, &cycle, err);
        if (status == WLK_OK && tool_stopped(cycle.number, cycles)) {
            status = wlk_fail(err, WLK_INTERRUPTED, "interrupted; nothing was written");
        }
    }
    free(when);
    free(counted);
    return status;
}

wlk_status vec_end(wlk_output *to, wlk_status status, wlk_error *err) {
    if (status == WLK_OK) {
        return wlk_output_finish(to, err);
    }
    wlk_output_abort(to);
    return status;
}

wlk_status vec_written(wlk_output *to, wlk_error *err) {
    if (!ferror(to->to)) {
        return WLK_OK;
    }
    // `| head` has seen enough
    return errno == EPIPE ? (wlk_status)(128 + SIGPIPE) : wlk_output_failed(to, errno, err);
}

// ---- CSV ----------------------------------------------------------------------------------------

static wlk_status csv_cycle(job *j, void *context, const vec_cycle *cycle, wlk_error *err) {
    wlk_output *to = context;
    fprintf(to->to, "%" PRIu64, cycle->number);
    for (uint32_t i = 0; i < j->b.layout.n_ports; i++) {
        const wlk_port *port = &j->b.ports[i];
        if (!port->present) {
            continue;
        }
        const uint64_t care =
            port->is_out ? wlk_port_get(port, cycle->care) : wlk_mask(port->width);
        const uint64_t x = wlk_mask(port->width) & ~care;
        fprintf(to->to, ",%" PRIx64,
                wlk_port_get(port, port->is_out ? cycle->out : cycle->in) & care);
        if (x != 0) {
            fprintf(to->to, ":%" PRIx64, x);
        }
    }
    fputc('\n', to->to);
    return vec_written(to, err);
}

// The form that `vectors import` reads: vectors/src/csv.h.
static wlk_status export_csv(job *j, const char *path, wlk_error *err) {
    wlk_output to;
    wlk_status status = wlk_output_open(&to, path, j->force, err);
    if (status != WLK_OK) {
        return status;
    }
    fputs("cycle", to.to);
    for (uint32_t i = 0; i < j->b.layout.n_ports; i++) {
        if (j->b.ports[i].present) {
            fprintf(to.to, ",%s", j->b.ports[i].name);
        }
    }
    fputs("\n#dir", to.to);
    for (uint32_t i = 0; i < j->b.layout.n_ports; i++) {
        if (j->b.ports[i].present) {
            fprintf(to.to, ",%c%u", j->b.ports[i].is_out ? 'o' : 'i', j->b.ports[i].width);
        }
    }
    fputc('\n', to.to);
    status = vec_each(j, csv_cycle, &to, err);
    return vec_end(&to, status, err);
}

// ---- memories for $readmemh ---------------------------------------------------------------------

enum { INPUTS, EXPECTED, COUNTED, MEMORIES };

typedef struct memory {
    wlk_output to;
    uint32_t bits;
    uint64_t *row; // bits of a word, the lowest first
} memory;

typedef struct memories {
    memory of[MEMORIES];
    uint64_t mark; // hash of what was written: the last word, so that files of two exports
                   // are not taken for one, nor one that was cut
} memories;

static void put(memory *m, uint32_t *at, const wlk_port *port, uint64_t value) {
    const uint32_t low = *at -= port->width;
    m->row[low / 64u] |= value << low % 64u;
    if (low % 64u + port->width > 64) {
        m->row[low / 64u + 1u] |= value >> (64u - low % 64u);
    }
}

static void print_row(memory *m) {
    static const char digits[] = "0123456789abcdef";
    for (uint32_t at = (m->bits + 3u) / 4u; at > 0; at--) {
        const uint32_t low = 4u * (at - 1u);
        fputc(digits[m->row[low / 64u] >> low % 64u & 15u], m->to.to);
    }
    fputc('\n', m->to.to);
}

static uint64_t mixed(uint64_t hash, const memory *m) {
    for (uint32_t w = 0; w < (m->bits + 63u) / 64u; w++) {
        hash = (hash ^ m->row[w]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

// The first port is in the highest bits, as in a concatenation.
static wlk_status hex_cycle(job *j, void *context, const vec_cycle *cycle, wlk_error *err) {
    memories *all = context;
    uint32_t at[MEMORIES];
    wlk_status status = WLK_OK;
    for (uint32_t k = 0; k < MEMORIES; k++) {
        at[k] = all->of[k].bits;
        memset(all->of[k].row, 0, (at[k] / 64u + 2u) * sizeof(uint64_t));
    }
    for (uint32_t i = 0; i < j->b.layout.n_ports; i++) {
        const wlk_port *port = &j->b.ports[i];
        if (port->present && port->is_out) {
            put(&all->of[EXPECTED], &at[EXPECTED], port, wlk_port_get(port, cycle->out));
            put(&all->of[COUNTED], &at[COUNTED], port, wlk_port_get(port, cycle->counted));
        } else if (port->present) {
            put(&all->of[INPUTS], &at[INPUTS], port, wlk_port_get(port, cycle->in));
        }
    }
    for (uint32_t k = 0; k < MEMORIES && status == WLK_OK; k++) {
        print_row(&all->of[k]);
        all->mark = mixed(all->mark, &all->of[k]);
        status = vec_written(&all->of[k].to, err);
    }
    return status;
}

static wlk_status open_memories(const job *j, memories *all, const char *folder, wlk_error *err) {
    static const char *const names[] = {"in.hex", "expect.hex", "care.hex"};
    wlk_status status = WLK_OK;
    for (uint32_t i = 0; i < j->b.layout.n_ports; i++) {
        const wlk_port *port = &j->b.ports[i];
        all->of[INPUTS].bits += port->present && !port->is_out ? port->width : 0u;
        all->of[EXPECTED].bits += port->present && port->is_out ? port->width : 0u;
    }
    all->of[COUNTED].bits = all->of[EXPECTED].bits;
    for (uint32_t k = 0; k < MEMORIES && status == WLK_OK; k++) {
        char path[4096];
        all->of[k].row = calloc(all->of[k].bits / 64u + 2u, sizeof(uint64_t));
        if (all->of[k].row == NULL) {
            return tool_no_memory(err);
        }
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        status = wlk_output_open(&all->of[k].to, path, j->force, err);
    }
    return status;
}

// The last word of each memory.
static void mark(memories *all) {
    all->mark |= 1u; // differs from a memory that was never read, also of one bit
    for (uint32_t k = 0; k < MEMORIES; k++) {
        memory *m = &all->of[k];
        memset(m->row, 0, (m->bits / 64u + 2u) * sizeof(uint64_t));
        m->row[0] = all->mark & wlk_mask(m->bits < 64 ? m->bits : 64);
        print_row(m);
    }
}

static void answer(const memories *all) {
    char text[17];
    wlk_json to = wlk_json_line(stdout);
    (void)snprintf(text, sizeof text, "%016" PRIx64, all->mark);
    wlk_json_text(&to, "mark", text);
    wlk_json_line_end(&to);
}

static wlk_status export_hex(job *j, const char *folder, wlk_error *err) {
    memories all = {.mark = 0};
    wlk_status status = open_memories(j, &all, folder, err);
    if (status == WLK_OK) {
        status = vec_each(j, hex_cycle, &all, err);
    }
    if (status == WLK_OK) {
        mark(&all);
    }
    for (uint32_t k = 0; k < MEMORIES && status == WLK_OK; k++) { // all of them or none
        (void)fflush(all.of[k].to.to);
        status = vec_written(&all.of[k].to, err);
    }
    for (uint32_t k = 0; k < MEMORIES; k++) {
        if (all.of[k].to.to != NULL) {
            status = vec_end(&all.of[k].to, status, err);
        }
        free(all.of[k].row);
    }
    if (status == WLK_OK) {
        answer(&all);
    }
    return status;
}

wlk_status vec_export(job *j, char **a, wlk_error *err) {
    const char *form = a[4];
    const vec_wave_options wave = {.path = a[5], .clock = a[6], .filled = strcmp(a[3], "gen") == 0};
    const wlk_status status = job_reader(j, a[1], err);
    if (status != WLK_OK) {
        return status;
    }
    if (strcmp(form, "csv") == 0) {
        return export_csv(j, a[5], err);
    }
    if (strcmp(form, "hex") == 0) {
        return export_hex(j, a[5], err);
    }
    if (strcmp(form, "vcd") == 0) {
        return vec_vcd(j, &wave, err);
    }
    return strcmp(form, "fst") == 0 ? vec_fst(j, &wave, err) : WLK_USAGE;
}

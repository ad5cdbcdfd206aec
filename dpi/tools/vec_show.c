// SPDX-License-Identifier: Apache-2.0
// Commands that print: a file's header, its records, a record's layout, where two files differ.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "vec_job.h"

wlk_status vec_header(job *j, char **a, wlk_error *err) {
    const wlk_status status = wlk_vec_open(&j->reader, a[0], err);
    if (status != WLK_OK) {
        return status;
    }
    const wlk_vec_shape shape = wlk_vec_get_shape(j->reader);
    wlk_json to = wlk_json_line(stdout);
    wlk_json_number(&to, "in_words", shape.in_words);
    wlk_json_number(&to, "out_words", shape.out_words);
    wlk_json_number(&to, "cycles", wlk_vec_cycles(j->reader));
    wlk_json_raw(&to, "header", wlk_vec_header(j->reader));
    wlk_json_line_end(&to);
    return WLK_OK;
}

wlk_status vec_dump(job *j, char **a, wlk_error *err) {
    const uint64_t *in, *out, *care;
    uint64_t from = 0, to = 0;
    if (!tool_number(a[2], &from) || !tool_number(a[3], &to)) {
        return WLK_USAGE;
    }
    wlk_status status = job_reader(j, a[1], err);
    if (status == WLK_OK) {
        status = wlk_vec_seek(j->reader, from, err);
    }
    for (uint64_t c = from; status == WLK_OK && c < to && !tool_stop && !ferror(stdout); c++) {
        status = job_read(j, c, &in, &out, &care, err);
        if (status != WLK_OK || in == NULL) {
            break;
        }
        wlk_json line = wlk_json_line(stdout);
        wlk_json_number(&line, "cycle", c);
        vec_print_side(j, "in", false, in, &line);
        vec_print_side(j, "out", true, out, &line);
        vec_print_side(j, "care", true, care, &line);
        wlk_json_line_end(&line);
    }
    if (status == WLK_OK && tool_stop) {
        return wlk_fail(err, WLK_INTERRUPTED, "interrupted");
    }
    return status;
}

static void print_port(const tool_block *b, const wlk_port *p, wlk_json *to) {
    wlk_json_open(to, NULL, '[');
    wlk_json_text(to, NULL, p->name);
    wlk_json_text(to, NULL, b->block->table->fields[p->field].name);
    wlk_json_text(to, NULL, p->is_out ? "out" : "in");
    wlk_json_signed(to, NULL, p->lane);
    wlk_json_number(to, NULL, p->word);
    wlk_json_number(to, NULL, p->lsb);
    wlk_json_number(to, NULL, p->width);
    wlk_json_raw(to, NULL, p->present ? "true" : "false");
    wlk_json_close(to, ']');
}

// What the C side makes of a table: compared with the Python side by a test.
wlk_status vec_layout(job *j, char **a, wlk_error *err) {
    const wlk_layout *l = &j->b.layout;
    char schema[17];
    wlk_json to = wlk_json_line(stdout);
    (void)a;
    (void)err;
    (void)snprintf(schema, sizeof schema, "%016" PRIx64, j->b.block->table->schema_hash);
    wlk_json_text(&to, "schema", schema);
    wlk_json_number(&to, "in_control", l->in_control);
    wlk_json_number(&to, "out_control", l->out_control);
    wlk_json_number(&to, "in_words", l->in_words);
    wlk_json_number(&to, "out_words", l->out_words);
    wlk_json_open(&to, "ports", '[');
    for (uint32_t i = 0; i < l->n_ports; i++) {
        print_port(&j->b, &j->b.ports[i], &to);
    }
    wlk_json_close(&to, ']');
    wlk_json_line_end(&to);
    return WLK_OK;
}

static wlk_status compare(wlk_vec_reader *a, wlk_vec_reader *b, const char *path, wlk_error *err) {
    const wlk_vec_shape shape = wlk_vec_get_shape(a), other = wlk_vec_get_shape(b);
    const size_t in_bytes = shape.in_words * sizeof(uint64_t);
    const size_t out_bytes = shape.out_words * sizeof(uint64_t);
    const uint64_t *x[3], *y[3];
    if (shape.in_words != other.in_words || shape.out_words != other.out_words ||
        wlk_vec_cycles(a) != wlk_vec_cycles(b)) {
        return wlk_fail(err, WLK_FUNCTIONAL_MISMATCH, "%s: other records or cycles", path);
    }
    for (uint64_t c = 0;; c++) {
        wlk_status status = wlk_vec_read(a, &x[0], &x[1], &x[2], err);
        if (status == WLK_OK) {
            status = wlk_vec_read(b, &y[0], &y[1], &y[2], err);
        }
        if (status != WLK_OK || x[0] == NULL) {
            return status;
        }
        if (memcmp(x[0], y[0], in_bytes) != 0 || memcmp(x[1], y[1], out_bytes) != 0 ||
            memcmp(x[2], y[2], out_bytes) != 0) {
            return wlk_fail(err, WLK_FUNCTIONAL_MISMATCH, "%s: cycle %" PRIu64 " differs", path, c);
        }
    }
}

wlk_status vec_same(job *j, char **a, wlk_error *err) {
    wlk_status status = wlk_vec_open(&j->reader, a[0], err);
    if (status == WLK_OK) {
        status = wlk_vec_open(&j->second, a[1], err);
    }
    return status == WLK_OK ? compare(j->reader, j->second, a[0], err) : status;
}

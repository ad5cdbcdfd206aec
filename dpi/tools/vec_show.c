// SPDX-License-Identifier: Apache-2.0
// Commands that print: a file's header, its records, a record's layout, where two files differ.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "vec_job.h"

int vec_header(int n, char **a) {
    wlk_error err;
    wlk_vec_reader *reader = NULL;
    if (n != 1) {
        return VEC_BAD_WORDS;
    }
    if (wlk_vec_open(&reader, a[0], &err) != WLK_OK) {
        return tool_fail("wlk-vec", &err);
    }
    const wlk_vec_shape shape = wlk_vec_get_shape(reader);
    wlk_json j = {stdout, false};
    wlk_json_open(&j, NULL, '{');
    wlk_json_number(&j, "in_words", shape.in_words);
    wlk_json_number(&j, "out_words", shape.out_words);
    wlk_json_number(&j, "cycles", wlk_vec_cycles(reader));
    wlk_json_raw(&j, "header", wlk_vec_header(reader));
    wlk_json_close(&j, '}');
    fputc('\n', stdout);
    wlk_vec_close(reader);
    return vec_close_output();
}

static wlk_status dump(const job *j, wlk_vec_reader *reader, uint64_t from, uint64_t to,
                       wlk_error *err) {
    const uint64_t *in, *out, *care;
    wlk_status status = wlk_vec_seek(reader, from, err);
    for (uint64_t c = from; status == WLK_OK && c < to && !tool_stop && !ferror(stdout); c++) {
        status = wlk_vec_read(reader, &in, &out, &care, err);
        if (status != WLK_OK || in == NULL) {
            break;
        }
        wlk_json line = {stdout, false};
        wlk_json_open(&line, NULL, '{');
        wlk_json_number(&line, "cycle", c);
        vec_print_side(j, "in", false, in, &line);
        vec_print_side(j, "out", true, out, &line);
        vec_print_side(j, "care", true, care, &line);
        wlk_json_close(&line, '}');
        fputc('\n', stdout);
    }
    if (status == WLK_OK && tool_stop) {
        return wlk_fail(err, WLK_INTERRUPTED, "interrupted");
    }
    return status;
}

int vec_dump(int n, char **a) {
    job j;
    wlk_error err;
    uint64_t from = 0, to = 0;
    wlk_vec_reader *reader = NULL;
    if (n < 4 || !tool_number(a[2], &from) || !tool_number(a[3], &to)) {
        return VEC_BAD_WORDS;
    }
    if (job_open(&j, a[0], "unknown", a + 4, n - 4, &err) != WLK_OK) {
        return tool_fail("wlk-vec", &err);
    }
    wlk_status status = job_reader(&j, a[1], &reader, &err);
    if (status == WLK_OK) {
        status = dump(&j, reader, from, to, &err);
    }
    wlk_vec_close(reader);
    job_close(&j);
    return status == WLK_OK ? vec_close_output() : tool_fail("wlk-vec", &err);
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
    wlk_json_bool(to, NULL, p->present);
    wlk_json_close(to, ']');
}

// What the C side makes of a table: compared with the Python side by a test.
int vec_layout(int n, char **a) {
    job j;
    wlk_error err;
    if (n < 1) {
        return VEC_BAD_WORDS;
    }
    if (job_open(&j, a[0], "unknown", a + 1, n - 1, &err) != WLK_OK) {
        return tool_fail("wlk-vec", &err);
    }
    const wlk_layout *l = &j.b.layout;
    char schema[17];
    wlk_json to = {stdout, false};
    (void)snprintf(schema, sizeof schema, "%016" PRIx64, j.b.block->table->schema_hash);
    wlk_json_open(&to, NULL, '{');
    wlk_json_text(&to, "schema", schema);
    wlk_json_number(&to, "in_control", l->in_control);
    wlk_json_number(&to, "out_control", l->out_control);
    wlk_json_number(&to, "in_words", l->in_words);
    wlk_json_number(&to, "out_words", l->out_words);
    wlk_json_open(&to, "ports", '[');
    for (uint32_t i = 0; i < l->n_ports; i++) {
        print_port(&j.b, &j.b.ports[i], &to);
    }
    wlk_json_close(&to, ']');
    wlk_json_close(&to, '}');
    fputc('\n', stdout);
    job_close(&j);
    return vec_close_output();
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

int vec_same(int n, char **a) {
    wlk_error err;
    wlk_vec_reader *first = NULL, *second = NULL;
    if (n != 2) {
        return VEC_BAD_WORDS;
    }
    wlk_status status = wlk_vec_open(&first, a[0], &err);
    if (status == WLK_OK) {
        status = wlk_vec_open(&second, a[1], &err);
    }
    if (status == WLK_OK) {
        status = compare(first, second, a[0], &err);
    }
    wlk_vec_close(first);
    wlk_vec_close(second);
    return status == WLK_OK ? 0 : tool_fail("wlk-vec", &err);
}

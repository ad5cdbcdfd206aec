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
    printf("{\"in_words\": %" PRIu32 ", \"out_words\": %" PRIu32 ", \"cycles\": %" PRIu64
           ", \"header\": %s}\n",
           shape.in_words, shape.out_words, wlk_vec_cycles(reader), wlk_vec_header(reader));
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
        printf("{\"cycle\": %" PRIu64, c);
        vec_print_side(j, "in", false, in);
        vec_print_side(j, "out", true, out);
        vec_print_side(j, "care", true, care);
        puts("}");
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
    printf("{\"schema\": \"%016" PRIx64 "\", \"in_control\": %" PRIu32 ", \"out_control\": %" PRIu32
           ", \"in_words\": %" PRIu32 ", \"out_words\": %" PRIu32 ", \"ports\": [",
           j.b.block->table->schema_hash, l->in_control, l->out_control, l->in_words, l->out_words);
    for (uint32_t i = 0; i < l->n_ports; i++) {
        const wlk_port *p = &j.b.ports[i];
        printf("%s[\"%s\", \"%s\", \"%s\", %d, %u, %u, %u, %s]", i != 0u ? ", " : "", p->name,
               j.b.block->table->fields[p->field].name, p->is_out ? "out" : "in", p->lane, p->word,
               p->lsb, p->width, p->present ? "true" : "false");
    }
    puts("]}");
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

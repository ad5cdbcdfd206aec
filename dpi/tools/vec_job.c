// SPDX-License-Identifier: Apache-2.0
// Opens and closes what the commands of wlk-vec work on.
#include "vec_job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

wlk_status job_open(job *j, const char *name, const char *power_up, char **words, int n,
                    wlk_error *err) {
    const wlk_layout *l = &j->b.layout;
    const wlk_status status = tool_block_open(&j->b, name, words, n, err);
    if (status != WLK_OK) {
        return status;
    }
    j->words = calloc(l->in_words + 5u * l->out_words + 1u, sizeof *j->words);
    if (j->words == NULL || wlk_candidates_open(&j->candidates, j->b.block, j->b.cfg) != WLK_OK) {
        return tool_no_memory(err);
    }
    j->in = j->words;
    j->out = j->in + l->in_words;
    j->care = j->out + l->out_words;
    j->all = j->care + l->out_words;
    j->other = j->all + l->out_words;
    for (uint32_t i = 0; i < l->n_ports; i++) {
        if (j->b.ports[i].is_out && j->b.ports[i].present) {
            wlk_port_set(&j->b.ports[i], j->all, ~UINT64_C(0));
        }
    }
    wlk_candidates_init(&j->candidates, tool_power_up(power_up));
    return WLK_OK;
}

void job_close(job *j) {
    tool_block_close(&j->b);
    wlk_candidates_close(&j->candidates);
    wlk_vec_close(j->reader);
    wlk_vec_close(j->second);
    wlk_vec_abort(j->writer);
    wlk_checker_close(j->checker);
    wlk_driver_close(j->driver);
    csv_close(j->rows);
    tool_bits_close(&j->bits);
    free(j->words);
}

wlk_status job_reader(job *j, const char *path, wlk_error *err) {
    const wlk_layout *l = &j->b.layout;
    wlk_status status = wlk_vec_open(&j->reader, path, err);
    j->path = path;
    if (status == WLK_OK && j->bits.words == NULL) {
        status = tool_bits_open(&j->bits, j->b.block, j->b.cfg, err);
    }
    if (status != WLK_OK) {
        return status;
    }
    const wlk_vec_shape shape = wlk_vec_get_shape(j->reader);
    if (shape.in_words == l->in_words && shape.out_words == l->out_words) {
        return WLK_OK;
    }
    return wlk_fail(err, WLK_BAD_PARAMS,
                    "%s: its records have %" PRIu32 " + %" PRIu32
                    " words, but its configuration needs %" PRIu32 " + %" PRIu32,
                    path, shape.in_words, shape.out_words, l->in_words, l->out_words);
}

wlk_status job_read(const job *j, uint64_t cycle, const uint64_t **in, const uint64_t **out,
                    const uint64_t **care, wlk_error *err) {
    const wlk_status status = wlk_vec_read(j->reader, in, out, care, err);
    return status != WLK_OK || *in == NULL
               ? status
               : tool_bits_check(&j->bits, j->path, cycle, *in, *out, *care, err);
}

wlk_status job_csv(job *j, const char *name, wlk_error *err) {
    return csv_open(&j->rows, stdin, name, j->b.ports, j->b.layout.n_ports, j->b.block->table, err);
}

void vec_print_side(const job *j, const char *name, bool out, const uint64_t *words, wlk_json *to) {
    wlk_json_open(to, name, '{');
    for (uint32_t i = 0; i < j->b.layout.n_ports; i++) {
        const wlk_port *port = &j->b.ports[i];
        if (port->is_out == out && port->present) {
            char value[17];
            (void)snprintf(value, sizeof value, "%" PRIx64, wlk_port_get(port, words));
            wlk_json_text(to, port->name, value);
        }
    }
    wlk_json_close(to, '}');
}

// SPDX-License-Identifier: Apache-2.0
#include "vec_job.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void job_close(job *j) {
    tool_block_close(&j->b);
    wlk_candidates_close(&j->candidates);
    free(j->other);
    free(j->in);
    free(j->out);
    free(j->care);
    free(j->all);
}

wlk_power_up power_up_of(const char *text) {
    return strcmp(text, "zero") == 0 ? WLK_POWER_ZERO : WLK_POWER_UNKNOWN;
}

static uint64_t *words_of(uint32_t n) {
    return calloc(n + 1u, sizeof(uint64_t));
}

static bool allocate(job *j) {
    const bool candidates = wlk_candidates_open(&j->candidates, j->b.block, j->b.cfg) == WLK_OK;
    j->in = words_of(j->b.layout.in_words);
    j->out = words_of(j->b.layout.out_words);
    j->care = words_of(j->b.layout.out_words);
    j->all = words_of(j->b.layout.out_words);
    j->other = words_of(2u * j->b.layout.out_words);
    return candidates && j->other != NULL && j->in != NULL && j->out != NULL && j->care != NULL &&
           j->all != NULL;
}

wlk_status job_open(job *j, const char *block, const char *power_up, char **words, int n,
                    wlk_error *err) {
    memset(j, 0, sizeof *j);
    const wlk_status status = tool_block_open(&j->b, block, words, n, err);
    if (status != WLK_OK) {
        tool_block_close(&j->b);
        return status;
    }
    if (!allocate(j)) {
        job_close(j);
        return wlk_fail(err, WLK_NO_MEMORY, "out of memory");
    }
    for (uint32_t i = 0; i < j->b.layout.n_ports; i++) {
        if (j->b.ports[i].is_out && j->b.ports[i].present) {
            wlk_port_set(&j->b.ports[i], j->all, ~UINT64_C(0));
        }
    }
    wlk_candidates_init(&j->candidates, power_up_of(power_up));
    return WLK_OK;
}

wlk_status job_reader(const job *j, const char *path, wlk_vec_reader **reader, wlk_error *err) {
    const wlk_status status = wlk_vec_open(reader, path, err);
    if (status != WLK_OK) {
        return status;
    }
    const wlk_vec_shape shape = wlk_vec_get_shape(*reader);
    if (shape.in_words == j->b.layout.in_words && shape.out_words == j->b.layout.out_words) {
        return WLK_OK;
    }
    wlk_vec_close(*reader);
    *reader = NULL;
    return wlk_fail(err, WLK_BAD_PARAMS,
                    "%s: its records have %" PRIu32 " + %" PRIu32
                    " words, but its configuration needs %" PRIu32 " + %" PRIu32,
                    path, shape.in_words, shape.out_words, j->b.layout.in_words,
                    j->b.layout.out_words);
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

int vec_close_output(void) {
    wlk_error err;
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return 0;
    }
    if (errno == EPIPE) {
        return 128 + SIGPIPE; // `| head` has seen enough
    }
    (void)wlk_fail(&err, WLK_NO_SPACE, "cannot write the output: %s", strerror(errno));
    return tool_fail("wlk-vec", &err);
}

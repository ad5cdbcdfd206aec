// SPDX-License-Identifier: Apache-2.0
// Command that runs the model against a vector file.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "vec_job.h"
#include "warplock/checker.h"

typedef struct playing {
    job j;
    wlk_vec_reader *reader;
    wlk_checker *checker;
    bool from_model; // the file's care is what a model knew
} playing;

static wlk_status forgotten(const playing *p, uint64_t cycle, const uint64_t *care,
                            wlk_error *err) {
    for (uint32_t i = 0; i < p->j.b.layout.n_ports; i++) {
        const wlk_port *port = &p->j.b.ports[i];
        const uint64_t lost = wlk_port_get(port, care) & ~wlk_port_get(port, p->j.care);
        if (port->is_out && port->present && lost != 0) {
            return wlk_fail(err, WLK_MODEL_ERROR,
                            "%s: cycle %" PRIu64 ": the model does not know %s (bits 0x%" PRIx64
                            "), which it knew when the file was made",
                            wlk_checker_scope(p->checker), cycle, port->name, lost);
        }
    }
    return WLK_OK;
}

// One cycle. Bits without care in the file are not there.
static wlk_status play_cycle(playing *p, uint64_t cycle, const uint64_t *in, const uint64_t *out,
                             const uint64_t *care, wlk_error *err) {
    job *j = &p->j;
    uint64_t lost = 0;
    if (p->from_model) {
        j->b.block->eval(j->b.cfg, wlk_checker_state(p->checker), in, j->out, j->care);
        for (uint32_t w = 0; w < j->b.layout.out_words; w++) {
            lost |= care[w] & ~j->care[w] & j->all[w];
        }
    }
    if (lost != 0) {
        return forgotten(p, cycle, care, err);
    }
    (void)wlk_checker_step_masked(p->checker, in, NULL, out, NULL, care);
    return WLK_OK;
}

static wlk_status play(playing *p, wlk_error *err) {
    const uint64_t *in, *out, *care;
    const uint64_t cycles = wlk_vec_cycles(p->reader);
    for (uint64_t c = 0; !wlk_checker_done(p->checker); c++) {
        wlk_status status = wlk_vec_read(p->reader, &in, &out, &care, err);
        if (status == WLK_OK && in == NULL) {
            break;
        }
        if (status == WLK_OK) {
            status = play_cycle(p, c, in, out, care, err);
        }
        if (status != WLK_OK) {
            return status;
        }
        if (c % CYCLES_PER_CHECK == 0) {
            tool_progress(c, cycles);
            if (tool_stop) {
                return wlk_fail(err, WLK_INTERRUPTED, "interrupted");
            }
        }
    }
    return WLK_OK;
}

static int answer(const playing *p) {
    const wlk_checker_result r = wlk_checker_result_get(p->checker, false);
    wlk_json j = {stdout, false};
    wlk_json_open(&j, NULL, '{');
    wlk_checker_json(p->checker, false, &j);
    wlk_json_close(&j, '}');
    fputc('\n', stdout);
    if (r.verdict != WLK_OK) {
        wlk_checker_report(p->checker, stderr);
    }
    const int code = vec_close_output();
    return code != 0 ? code : (int)r.verdict;
}

int vec_play(int n, char **a) {
    playing p;
    wlk_error err;
    wlk_checker_options options = {.count_events = true};
    memset(&p, 0, sizeof p);
    if (n < 4) {
        return VEC_BAD_WORDS;
    }
    if (job_open(&p.j, a[0], a[2], a + 4, n - 4, &err) != WLK_OK) {
        return tool_fail("wlk-vec", &err);
    }
    options.scope = a[1];
    options.members = p.j.b.members;
    options.power_up = power_up_of(a[2]);
    p.from_model = strcmp(a[3], "gen") == 0;
    wlk_status status = job_reader(&p.j, a[1], &p.reader, &err);
    if (status == WLK_OK) {
        status = wlk_checker_open(&p.checker, p.j.b.block, p.j.b.cfg, &options, &err);
    }
    if (status == WLK_OK) {
        status = play(&p, &err);
    }
    const int code = status == WLK_OK ? answer(&p) : tool_fail("wlk-vec", &err);
    wlk_checker_close(p.checker);
    wlk_vec_close(p.reader);
    job_close(&p.j);
    return code;
}

// SPDX-License-Identifier: Apache-2.0
// Command that runs the model against a vector file.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "vec_job.h"

// What the model knew when the file was made, and does not know now.
static wlk_status forgotten(const job *j, uint64_t cycle, const uint64_t *care, wlk_error *err) {
    for (uint32_t i = 0; i < j->b.layout.n_ports; i++) {
        const wlk_port *port = &j->b.ports[i];
        const uint64_t lost = wlk_port_get(port, care) & ~wlk_port_get(port, j->care);
        if (port->is_out && port->present && lost != 0) {
            return wlk_fail(err, WLK_MODEL_ERROR,
                            "%s: cycle %" PRIu64 ": the model does not know %s (bits 0x%" PRIx64
                            "), which it knew when the file was made",
                            wlk_checker_facts_get(j->checker).scope, cycle, port->name, lost);
        }
    }
    return WLK_OK;
}

// Does the model know all bits that have care in the file?
static wlk_status check_known(job *j, uint64_t cycle, const uint64_t *in, const uint64_t *care,
                              wlk_error *err) {
    uint64_t lost = 0;
    j->b.block->eval(j->b.cfg, wlk_checker_state(j->checker), in, j->out, j->care);
    for (uint32_t w = 0; w < j->b.layout.out_words; w++) {
        lost |= care[w] & ~j->care[w] & j->all[w];
    }
    return lost != 0 ? forgotten(j, cycle, care, err) : WLK_OK;
}

// @p from_model: the file's care is what a model knew. Bits without care are not there.
static wlk_status play(job *j, bool from_model, wlk_error *err) {
    const uint64_t *in, *out, *care;
    const uint64_t cycles = wlk_vec_cycles(j->reader);
    for (uint64_t c = 0; !wlk_checker_done(j->checker); c++) {
        wlk_status status = job_read(j, c, &in, &out, &care, err);
        if (status == WLK_OK && in == NULL) {
            break;
        }
        if (status == WLK_OK && from_model) {
            status = check_known(j, c, in, care, err);
        }
        if (status != WLK_OK) {
            return status;
        }
        (void)wlk_checker_step_masked(j->checker, in, NULL, out, NULL, care);
        if (tool_stopped(c, cycles)) {
            return wlk_fail(err, WLK_INTERRUPTED, "interrupted");
        }
    }
    return WLK_OK;
}

// How many outputs were compared in some cycle, and the names of the others.
static void compared(const job *j, wlk_json *to) {
    uint64_t outputs = 0;
    wlk_json_open(to, "not_compared", '[');
    for (uint32_t i = 0; i < j->b.layout.n_ports; i++) {
        const wlk_port *port = &j->b.ports[i];
        if (!port->is_out || !port->present) {
            continue;
        }
        if (wlk_checker_compared(j->checker, i) != 0) {
            outputs++;
        } else {
            wlk_json_text(to, NULL, port->name);
        }
    }
    wlk_json_close(to, ']');
    wlk_json_number(to, "outputs", outputs);
}

static wlk_status answer(const job *j) {
    const wlk_checker_result r = wlk_checker_result_get(j->checker, false);
    wlk_json to = wlk_json_line(stdout);
    wlk_checker_json(j->checker, false, &to);
    compared(j, &to);
    wlk_checker_json_shares(j->checker, &to);
    wlk_json_line_end(&to);
    if (r.verdict != WLK_OK) {
        wlk_checker_report(j->checker, stderr);
    }
    return r.verdict;
}

wlk_status vec_play(job *j, char **a, wlk_error *err) {
    const bool is_async = strcmp(a[4], "async") == 0;
    if (!is_async && strcmp(a[4], "sync") != 0) {
        return WLK_USAGE;
    }
    const wlk_checker_options options = {.scope = a[1],
                                         .power_up = tool_power_up(a[2]),
                                         .count_events = true,
                                         .async_reset = is_async,
                                         .members = j->b.members};
    wlk_status status = job_reader(j, a[1], err);
    if (status == WLK_OK) {
        status = wlk_checker_open(&j->checker, j->b.block, j->b.cfg, &options, err);
    }
    if (status == WLK_OK) {
        status = tool_block_waive(&j->b, j->checker, err);
    }
    if (status == WLK_OK) {
        status = play(j, strcmp(a[3], "gen") == 0, err);
    }
    return status == WLK_OK ? answer(j) : status;
}

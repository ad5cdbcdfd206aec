// SPDX-License-Identifier: Apache-2.0
// Command that runs the model on inputs from a CSV: one JSON line a row. What property tests
// compare with.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "vec_job.h"

// Output bits that the CSV has, and their values in this cycle.
typedef struct observed {
    uint64_t *bits, *seen;
} observed;

static bool contradicted(const job *j, const observed *t) {
    uint64_t any = 0;
    for (uint32_t w = 0; w < j->b.layout.out_words; w++) {
        any |= (j->out[w] ^ t->seen[w]) & j->care[w] & t->bits[w];
    }
    return any != 0;
}

// Drops the states that contradict what was observed; false when none is left.
static bool explained(job *j, const observed *t) {
    wlk_candidates_fork(&j->candidates, j->in);
    // From the last: what takes the place of a dropped one has been looked at.
    for (uint32_t i = j->candidates.n; i > 0; i--) {
        j->b.block->eval(j->b.cfg, j->candidates.states[i - 1u], j->in, j->out, j->care);
        if (contradicted(j, t)) {
            wlk_candidates_drop(&j->candidates, i - 1u);
        }
    }
    return j->candidates.n > 0;
}

static wlk_status rows_of(job *j, const observed *t, wlk_error *err) {
    wlk_step_info info;
    csv_care(j->rows, t->bits);
    for (uint64_t c = 0; !tool_stop; c++) {
        bool more = false;
        const wlk_status status = csv_row(j->rows, j->in, t->seen, NULL, &more, err);
        if (status != WLK_OK || !more) {
            return status;
        }
        if (!explained(j, t)) {
            return wlk_fail(err, WLK_FUNCTIONAL_MISMATCH,
                            "cycle %" PRIu64 ": no state of the model explains the outputs", c);
        }
        wlk_candidates_record(&j->candidates, j->in, j->out, j->care, j->b.layout.out_words,
                              j->other, &info);
        wlk_json line = wlk_json_line(stdout);
        wlk_json_number(&line, "cycle", c);
        wlk_json_number(&line, "violated", info.violated);
        vec_print_side(j, "out", true, j->out, &line);
        vec_print_side(j, "care", true, j->care, &line);
        wlk_json_line_end(&line);
    }
    return WLK_OK;
}

// Outputs that are columns are what the RTL showed. What the unknown rest of the state leaves open
// has care 0.
wlk_status vec_model(job *j, char **a, wlk_error *err) {
    const uint32_t words = j->b.layout.out_words;
    uint64_t *both = calloc(2u * words + 1u, sizeof *both);
    const observed t = {both, both + words};
    (void)a;
    if (both == NULL) {
        return tool_no_memory(err);
    }
    wlk_status status = job_csv(j, "stdin", err);
    if (status == WLK_OK) {
        status = rows_of(j, &t, err);
    }
    free(both);
    return status;
}

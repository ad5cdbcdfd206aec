// SPDX-License-Identifier: Apache-2.0
// Lines of jobs of wlk-explore, each run for some cycles.
#include "fuzz.h"

#include "explore.h"

enum { MOST_CYCLES = 300, MOST_INSTRUCTIONS = 500 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static explore_run run;
    explore_programs programs = {.program = NULL};
    explore_job job;
    wlk_error err;
    char *text = fuzz_text(data, size);
    if (explore_job_read(&job, text, &err) == WLK_OK) {
        job.max_cycles = MOST_CYCLES;
        if (job.shape.instructions > MOST_INSTRUCTIONS) {
            job.shape.instructions = MOST_INSTRUCTIONS;
        }
        explore_run_job(&run, &job, &programs);
        explore_answer_print(&run, stdout);
        explore_run_close(&run);
    }
    explore_programs_close(&programs);
    free(text);
    return 0;
}

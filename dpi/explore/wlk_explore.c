// SPDX-License-Identifier: Apache-2.0
// wlk-explore: runs of the issue stage's designs. scripts/warplock explore is its front.
//
//   wlk-explore <JOBS
//
// A job is a line of key=value cells with tabs between:
//   id=TEXT  config=KEY=VALUE KEY=VALUE...  workload=stream|program  seed=N  max_cycles=N  idle=N
// of a stream also warps= regs= sources= reuse= mix= masks= instructions= latency= (explore.h), of
// a program program=PATH. The answer is a JSON object on a line, in the order of the jobs. A job
// that cannot be run has an answer too.
#include "explore.h"

#include <stdio.h>
#include <stdlib.h>

#include "tool.h"

static const char tool[] = "wlk-explore";

// A job that could not be read ends as a run that could not start.
static void refuse(explore_run *run, const explore_job *job, const wlk_error *err) {
    *run = (explore_run){.job = job, .err = *err};
    run->end = err->status == WLK_BAD_CONFIG ? EXPLORE_REFUSED : EXPLORE_ERROR;
}

// False: nothing more can be said.
static bool answer(char *line, explore_programs *programs) {
    static explore_run run;
    explore_job job;
    wlk_error err;
    if (explore_job_read(&job, line, &err) == WLK_OK) {
        explore_run_job(&run, &job, programs);
    } else {
        refuse(&run, &job, &err);
    }
    const bool answered = run.end != EXPLORE_INTERRUPTED;
    if (answered) {
        explore_answer_print(&run, stdout);
    }
    explore_run_close(&run);
    return answered && fflush(stdout) == 0;
}

int main(int argc, char **argv) {
    explore_programs programs = {.program = NULL};
    char *line = NULL;
    size_t size = 0;
    wlk_error err;
    (void)argv;
    if (argc != 1) {
        fputs("usage: wlk-explore <JOBS, one a line\n", stderr);
        return WLK_USAGE;
    }
    tool_signals();
    while (!tool_stop && getline(&line, &size, stdin) > 0 && answer(line, &programs)) {
    }
    free(line);
    explore_programs_close(&programs);
    if (tool_stop) {
        (void)wlk_fail(&err, WLK_INTERRUPTED, "interrupted");
        return tool_fail(tool, &err);
    }
    if (ferror(stdin)) {
        (void)wlk_fail(&err, WLK_NO_FILE, "the jobs cannot be read from stdin");
        return tool_fail(tool, &err);
    }
    return tool_close_output(tool);
}

// SPDX-License-Identifier: Apache-2.0
// A line for a job of wlk-explore, run for some cycles; behind a line "%%" the program "x".
#include "lines_mended.h"

#include "explore.h"

// Keys, and parameters.
const char *const fuzz_words[] = {"workload=stream",
                                  "workload=program",
                                  "program=x",
                                  "config=",
                                  "id=a",
                                  "warps=1",
                                  "warps=32",
                                  "regs=1",
                                  "regs=1023",
                                  "reuse=100",
                                  "sources=100/0/0/0",
                                  "sources=0/0/0/100",
                                  "mix=0/0/0/100",
                                  "mix=60/20/5/15",
                                  "masks=full",
                                  "masks=100random",
                                  "latency=1/1/1/1..65535",
                                  "latency=4/6/12/20..60",
                                  "instructions=1",
                                  "max_cycles=1",
                                  "idle=1",
                                  "seed=18446744073709551615",
                                  "collector=src_banked",
                                  "collector=reg_banked",
                                  "collector=duplicated",
                                  "collector=caching",
                                  "num_warps=1",
                                  "num_warps=32",
                                  "num_lanes=1",
                                  "num_lanes=64",
                                  "lane_bits=64",
                                  "num_pregs=2",
                                  "num_pregs=1024",
                                  "rs_entries=1",
                                  "rs_entries=32",
                                  "reg_banks=1024",
                                  "max_pending_reads=255",
                                  "count_forwarded_reads=1",
                                  "forward_coll_issue=1",
                                  "in_order_per_warp=1",
                                  "coll_banks=16",
                                  "coll_depth=32",
                                  "bank_map=1",
                                  "coll_alloc=2",
                                  "alloc_order=1",
                                  "alloc_rows=32",
                                  "read_broadcast=1",
                                  "forwarding=must",
                                  "forwarding=2",
                                  "war=2",
                                  "ibuf_window=16",
                                  "issue_ports=4",
                                  "wb_buffer=127",
                                  "debug=1",
                                  "warplock-program 1",
                                  "warps 1",
                                  "registers 8",
                                  "lanes 4",
                                  "0 0x10 x1 x2 - - 0x3 4 alu",
                                  "0 0x14 - x1 x3 x15 0x1 20 lsu",
                                  NULL};

enum { MOST_CYCLES = 300, MOST_INSTRUCTIONS = 500 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static explore_run run;
    explore_programs programs = {.program = NULL};
    explore_job job;
    wlk_error err;
    char *text = fuzz_text(data, size), *rest = text, *line = fuzz_part(&rest);
    const fuzz_file given = fuzz_file_new(rest, strlen(rest));
    if (explore_job_read(&job, line, &err) == WLK_OK) {
        job.program =
            job.program != NULL && strcmp(job.program, "x") == 0 ? given.path : job.program;
        job.max_cycles = MOST_CYCLES;
        if (job.shape.instructions > MOST_INSTRUCTIONS) {
            job.shape.instructions = MOST_INSTRUCTIONS;
        }
        explore_run_job(&run, &job, &programs);
        explore_answer_print(&run, stdout);
        explore_run_close(&run);
    }
    explore_programs_close(&programs);
    fuzz_file_end(&given);
    free(text);
    return 0;
}

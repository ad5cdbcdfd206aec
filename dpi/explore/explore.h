/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of wlk-explore share: a job, the instructions it runs, what is around the issue
 * stage (muon-designs §11), and how a run ended.
 */
#ifndef WLK_EXPLORE_H
#define WLK_EXPLORE_H

#include "warplock/issue_x.h"
#include "warplock/json.h"
#include "warplock/program.h"

enum {
    EXPLORE_OPERANDS = 3,
    EXPLORE_MAX_WARPS = WLK_ISSUE_X_MAX_NUM_WARPS,
    EXPLORE_MAX_WINDOW = WLK_ISSUE_X_MAX_IBUF_WINDOW,
    EXPLORE_FUS = 4, /* of a stream */
    EXPLORE_RECENT = 4
};

/* ---- jobs ---- */

typedef struct explore_latency {
    uint32_t least, most;
} explore_latency;

/* Shape of a random stream. Shares are per cent. */
typedef struct explore_shape {
    uint32_t warps, regs; /* warps that have work; registers of each */
    uint32_t sources[EXPLORE_OPERANDS + 1];
    uint32_t reuse;
    uint32_t mix[EXPLORE_FUS];
    uint32_t random_masks; /* instructions with any lanes but all */
    uint64_t instructions;
    explore_latency latency[EXPLORE_FUS];
} explore_shape;

typedef struct explore_job {
    const char *id;
    uint32_t cfg[WLK_MAX_PARAMS]; /* a wlk_issue_x_cfg; not yet checked */
    const char *program;          /* a file, or NULL: a stream */
    explore_shape shape;
    uint64_t seed;
    uint64_t max_cycles; /* 0: no limit */
    uint64_t idle;       /* cycles in which nothing moves and nothing is to come: a deadlock */
} explore_job;

static inline const wlk_issue_x_cfg *explore_cfg(const explore_job *job) {
    return (const wlk_issue_x_cfg *)job->cfg;
}

/*
 * Read a line of key=value cells with tabs between; what is not given is that of stream `mixed`.
 * The texts of the job lie in @p line, which is cut. The id is read also from a line that fails.
 * BAD_CONFIG: a parameter of the block; USAGE: anything else.
 */
wlk_status explore_job_read(explore_job *job, char *line, wlk_error *err);

/* ---- random streams ---- */

/* The stream of one warp. */
typedef struct explore_stream {
    const explore_shape *shape;
    uint64_t random, left;
    uint64_t lanes;     /* all of them */
    uint32_t most_same; /* sources that may name one register */
    uint16_t base;      /* the first of the warp's registers */
    uint16_t recent[EXPLORE_RECENT];
    uint32_t n_recent;
    uint8_t warp;
} explore_stream;

/* The same seed gives the warp the same stream in every configuration with as many lanes. */
void explore_stream_start(explore_stream *s, const explore_job *job, uint32_t warp);

/* The next instruction; false: there is none. */
bool explore_stream_next(explore_stream *s, wlk_instruction *to);

/* ---- what a run has to do ---- */

/* The program that was loaded last; another job with it need not load it again. */
typedef struct explore_programs {
    wlk_program *program;
    char *path;
    uint32_t limits[4];                 /* of the configuration it was loaded for */
    int64_t seconds, nanoseconds, size; /* of the file */
} explore_programs;

void explore_programs_close(explore_programs *p);

typedef struct explore_workload {
    explore_stream stream[EXPLORE_MAX_WARPS];
    const wlk_program *program;
    size_t position[EXPLORE_MAX_WARPS]; /* of the next instruction of the program */
    uint64_t total;                     /* instructions */
    uint64_t most_results;              /* that can be on their way at a time */
} explore_workload;

/*
 * For a checked configuration. BAD_CONFIG, BAD_PARAMS: workload and configuration do not fit;
 * or as wlk_program_load.
 */
wlk_status explore_workload_open(explore_workload *work, const explore_job *job,
                                 explore_programs *programs, wlk_error *err);

/* The next instruction of a warp; false: there is none. */
bool explore_workload_next(explore_workload *work, uint32_t warp, wlk_instruction *to);

/* ---- execution side ---- */

/* A result on its way to write-back. */
typedef struct explore_result {
    uint64_t due, age;    /* cycle; order of issue */
    uint64_t mask, value; /* lanes; what its words are made from */
    uint32_t line;
    uint16_t rd;
    uint8_t warp;
} explore_result;

/* Units are pipelined; one result a cycle goes back, of those that are due the oldest. */
typedef struct explore_execution {
    explore_result *coming, *ready; /* heaps: by due cycle; by age */
    uint32_t n_coming, n_ready;
    uint64_t last_due; /* of all that were taken */
} explore_execution;

/* NULL room when there is no memory. */
bool explore_execution_open(explore_execution *ex, uint64_t most_results);
void explore_execution_close(explore_execution *ex);
void explore_execution_take(explore_execution *ex, const explore_result *result);

/* The result to offer in @p cycle, or NULL. It stays until explore_execution_done. */
const explore_result *explore_execution_offer(explore_execution *ex, uint64_t cycle);
void explore_execution_done(explore_execution *ex);

/* ---- values ---- */

/* In program order, without time: what each instruction must read. Registers start at 0. */
typedef struct explore_interpreter {
    uint32_t words, lane_bits, lanes; /* of a register */
    uint64_t *registers;
    uint64_t scratch[WLK_ISSUE_X_MAX_NUM_LANES];
} explore_interpreter;

bool explore_interpreter_open(explore_interpreter *in, const wlk_issue_x_cfg *cfg);
void explore_interpreter_close(explore_interpreter *in);

/* What the words of a result are made from: its warp and number. */
uint64_t explore_value(uint32_t warp, uint64_t number);

/* The words of a result. */
void explore_words(const explore_interpreter *in, uint64_t value, uint64_t *to);

/* Run @p it, whose result is @p value; its operands go to @p operands, 0 where it has no source. */
void explore_interpret(explore_interpreter *in, const wlk_instruction *it, uint64_t value,
                       uint64_t *operands);

/* The first lane that differs, or -1. */
int32_t explore_wrong_lane(const explore_interpreter *in, const uint64_t *want,
                           const uint64_t *got);

/* A lane of the words of a register. */
uint64_t explore_lane(const explore_interpreter *in, const uint64_t *words, uint32_t lane);

/* ---- a run ---- */

/* An instruction between its window and its issue. */
typedef struct explore_flight {
    wlk_instruction it;
    uint64_t value;
    uint64_t number; /* in its warp */
    bool busy;
} explore_flight;

typedef enum explore_end {
    EXPLORE_DONE,
    EXPLORE_REFUSED,
    EXPLORE_HANG,
    EXPLORE_LIMIT,
    EXPLORE_WRONG_VALUE,
    EXPLORE_ERROR,
    EXPLORE_INTERRUPTED /* no answer is due */
} explore_end;

typedef struct explore_run {
    const explore_job *job;
    const wlk_issue_x_cfg *cfg;
    const wlk_block *block;
    wlk_layout layout;
    void *state;
    uint64_t *records; /* the following lie in it */
    uint64_t *in, *out, *care;
    explore_workload work;
    explore_execution ex;
    explore_interpreter interpreter;
    explore_flight *flights;
    uint64_t *operands; /* of each flight */
    uint32_t *unused;   /* flights */
    uint32_t n_flights, n_unused;
    uint32_t window[EXPLORE_MAX_WARPS][EXPLORE_MAX_WINDOW]; /* flights, program order */
    uint8_t n_window[EXPLORE_MAX_WARPS];
    uint8_t n_interpreted[EXPLORE_MAX_WARPS]; /* of them, from the first on */
    uint64_t numbers[EXPLORE_MAX_WARPS];      /* of the next instruction of each warp */
    const explore_result *offered;
    uint64_t cycle, admitted, issued, written;
    uint64_t moved; /* the last cycle in which something did, or was to come */
    explore_end end;
    wlk_error err;
} explore_run;

/* Run the job. explore_run_close is due in any case. */
void explore_run_job(explore_run *run, const explore_job *job, explore_programs *programs);

/* The same in steps: false when it cannot start; cycles until one returns false; the end. */
bool explore_run_start(explore_run *run, const explore_job *job, explore_programs *programs);
bool explore_run_cycle(explore_run *run);
void explore_run_end(explore_run *run);

void explore_run_close(explore_run *run);

/* ---- answers ---- */

/* For a run that hangs: what each row and write waits for, and the instructions in flight. */
void explore_hang_print(const explore_run *run, wlk_json *to);

/* The answer as a line. */
void explore_answer_print(const explore_run *run, FILE *to);

#endif

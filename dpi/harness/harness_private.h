/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the lockstep harness, and the calls between its files. */
#ifndef WLK_HARNESS_PRIVATE_H
#define WLK_HARNESS_PRIVATE_H

#include <stdatomic.h>

#include "harness.h"
#include "pipeline.h"
#include "tool.h"
#include "warplock/candidates.h"
#include "warplock/dpi.h"
#include "warplock/stimulus.h"
#include "warplock/vectors.h"

enum { STUCK_TEXT = 4096, MAX_PLACES = 16, MAX_SUSPECTS = 4096 };

/* A line of the RTL that would end a simulation. */
typedef struct place {
    char file[512];
    int line;
    bool finishes;     /* $finish */
    char message[512]; /* what it printed; empty: nothing, so $stop or $finish */
    uint64_t cycle;    /* of the first time in this seed */
    uint64_t count;
} place;

/* What fired in a seed. */
typedef struct assertions {
    place places[MAX_PLACES]; /* in the order of their first time; the first n are in use */
    uint32_t n;
    uint64_t count; /* of all places */
} assertions;

/* Where a waiver has masked a difference. */
typedef struct waived {
    uint64_t waiver, cycles, first_seed, first, last_seed, last;
} waived;

/* Records of inputs. */
typedef struct stimulus {
    uint64_t *words;
    uint64_t n;
} stimulus;

enum { MAX_TIES = 256 };

/* Seeds, both ends included. */
typedef struct seed_range {
    uint64_t first, last;
} seed_range;

typedef struct harness {
    const wlk_harness_dut *dut;
    const wlk_block *block;
    const wlk_stimulus *gen;
    uint32_t cfg[WLK_MAX_PARAMS];
    wlk_layout layout;
    /* what to do */
    seed_range *ranges; /* n_ranges of them, in ascending order */
    uint64_t n_seeds;   /* in all of them */
    uint64_t cycles, jobs, time, from, to, force, keep_going, cover, exact;
    uint32_t profile;
    wlk_power_up power_up;
    int random; /* what no reset reaches powers up so */
    const char *waves, *replay, *shrink, *header, *program_file, *pipeline;
    wlk_program *program; /* instead of random work, or NULL */
    wlk_driver *driver;
    const char **probes;  /* configurations to try, as "I:VALUE,I:VALUE" */
    const char **waivers; /* words of waived.c */
    uint32_t n_ranges, n_probes, n_waivers;
    wlk_status status;
    /* the run */
    int cover_to; /* where cover.c writes */
    void *dut_handle;
    void *model;     /* the generator's own */
    void *uncleared; /* as it was before an asynchronous reset */
    wlk_stimulus_state stim;
    uint64_t *in;
    wlk_pipeline *picture;   /* of this seed, or NULL */
    wlk_error no_picture;    /* why there is none that was asked for */
    wlk_issue_state *before; /* what the picture needs of the state before the edge */
    uint64_t cycle;          /* of this seed */
    uint64_t drain_from;     /* the cycle from which on no work comes: something differs */
    uint64_t seed, nth;      /* the nth seed, from 0 */
    const wlk_checker *failing;
    /* sums */
    uint64_t done, total, ran, seeds_run, compared, masked;
    uint64_t events[WLK_MAX_COVERS];
    /* Outputs of the bound checkers over all seeds; the checkers open in the same order in each. */
    wlk_share *shares;
    char **names; /* of them: the checker's scope and a dot first, but for the harness's block */
    uint32_t n_shares, n_checkers;
    waived *waived; /* n_waivers of them, those that are used first; NULL: no hit; owned */
    uint32_t n_suspects;
    char stuck[STUCK_TEXT]; /* why a seed hangs */
    assertions assertions;
    /* What fired before the first reset of a seed was over, with random power-up: registers hold
     * anything then, so it means nothing. The first one; the count is of all, in all seeds. */
    place early;
    tool_tie ties[MAX_TIES]; /* inputs that the RTL lacks because they are constant */
    uint32_t n_ties, n_ports;
    wlk_port *ports;
    const stimulus *played;  /* instead of the generator's, or NULL */
    uint64_t *shown;         /* the model's outputs of this cycle and their care go here, or NULL */
    struct expected *beside; /* with waves: where what was expected goes */
    uint64_t *seen;          /* the RTL's outputs in each cycle go here, or NULL */
    const char *suspects[MAX_SUSPECTS]; /* words of blame.c */
    int32_t reset;                      /* port among `ports`, or -1 */
    bool deferred;   /* the models are stepped over some dozens of cycles together */
    bool reset_edge; /* an edge in reset was seen in this seed, */
    bool awake;      /* and a cycle without; or there is nothing to wait for */
    bool judged;     /* a verdict is out */
    bool in_waves;   /* this run of a seed is what the waves show */
    bool whole;      /* what is played goes on behind a failure */
} harness;

void harness_begin(harness *b, uint64_t seed, const char *waves);
/* One cycle; false when nothing more is to be learnt. */
bool harness_cycle(harness *b, const uint64_t *in);
void harness_end(harness *b);

/* An asynchronous reset acts on the generator's model before the edge; false: there is none. */
bool harness_clear(harness *b, const uint64_t *in);

/* The generator and its model at the start of b->seed. */
void harness_start_stimulus(harness *b);

/* The checker whose failure explains those of the others; zero: none so far. */
typedef struct blamed {
    const wlk_checker *checker;
    uint64_t rank; /* blame_rank */
    wlk_status verdict;
} blamed;

/* One more that fails, with its result: it is the one if it ranks before. */
void harness_blame(const harness *b, const wlk_checker *checker, const wlk_checker_result *r,
                   blamed *to);

/* Is this a verdict of a seed? VACUOUS is decided over all of them. */
bool harness_fails(const wlk_checker_result *r);

/* Add up what this seed's checkers have compared; the verdict, and b->failing if one decides it. */
wlk_status harness_verdict(harness *b, bool finished);

/* The answer with its report: floors decide between @p status PASS and VACUOUS. Sets b->status. */
void harness_answer(harness *b, wlk_status status, FILE *to);

/* Does it pass with another value of a parameter? It may not fail either. */
bool harness_passes_with(harness *b, const stimulus *s, uint32_t param, uint32_t value);

void harness_forget(harness *b);

/* Inputs of the next cycle, and the generator's own model one cycle on. Its events. */
uint64_t harness_next(harness *b, uint64_t *in);

/* Inputs of b->seed's next cycle again, the @p cycle-th, after harness_start_stimulus. */
void harness_again(harness *b, uint64_t cycle, uint64_t *in);

/* ---- blame.c ---- */
typedef struct fault {
    char block[WLK_MAX_NAME], scope[256];
    char lacks[WLK_MAX_NAME]; /* output of the block that is not compared, or empty */
    char why[256];            /* empty: its checker saw it */
} fault;

bool blame_is_stage(const harness *b, const wlk_checker *checker);
/*
 * Which of two faults explains the other: the one of lower rank. The earlier one; in one cycle a
 * block inside whose outputs are wrong goes before the stage around it, and both before a block
 * that was given wrong inputs.
 */
uint64_t blame_rank(const harness *b, const wlk_checker *checker, const wlk_checker_result *r);
/*
 * Take "PORT:BLOCK:LACKS": output PORT of a composed block depends on output LACKS of BLOCK inside,
 * which no checker compares; without LACKS, BLOCK has no checker. False: it cannot be read.
 */
bool blame_suspect(harness *b, const char *word);
/* The block at fault, where it is not simply the only one there is. */
bool blame(const harness *b, fault *f);
void blame_json(const harness *b, wlk_json *to);
void blame_report(const harness *b, FILE *to);

/* ---- cause.c ---- */
enum { MOST_CAUSES = 4, MOST_PASSES = 8, MOST_SOURCES = 3 };
/* What fits a failure. */
typedef struct causes {
    char *text;                        /* as it was found; owned */
    char passes[MOST_PASSES][128];     /* NAME=VALUE: the whole run passes with it */
    const char *sources[MOST_SOURCES]; /* inputs that a differing value equals */
    uint32_t n_passes, n_sources, n, more;
    struct {
        uint64_t cycle, alike;
        const char *text;
    } list[MOST_CAUSES]; /* guesses: what may have gone wrong in a cycle, the latest first */
} causes;
/* Of the failure that is being played. */
void cause_find(const harness *b, causes *to);
/* Read what was found; @p whole decides of parameters. Nothing is being played. */
void cause_judge(harness *b, const stimulus *whole, causes *to);
void cause_report(const causes *c, FILE *to);
void cause_json(const causes *c, wlk_json *to);
void cause_free(causes *c);

/* The answer with a report of what is being played, shrunk from @p before cycles. */
void harness_answer_shrunk(harness *b, const causes *found, uint64_t before, FILE *to);

/* ---- stuck.c ---- */
/* Of a seed that hangs: b->stuck, a line each. The seed's stimulus runs once more. */
void stuck_explain(harness *b);

/* ---- settle.c ---- */
/* From now on an evaluation that does not end ends this process: BAD_RTL, in one line. */
void settle_watch(const wlk_harness_dut *dut);

/* ---- assertions.c ---- */
/* How many fired and are not yet judged. */
extern uint32_t assertions_pending;
void assertions_begin(harness *b);
/* Judge what fired while the inputs settled or in `final` blocks. */
void assertions_settled(harness *b);
/* Judge what fired at the edge. */
void assertions_clocked(harness *b);
/* Before each cycle until b->awake. */
void assertions_reset(harness *b, const uint64_t *in);
/* The cycle in which @p p fired in this seed; false: it did not. */
bool assertions_fired(harness *b, const place *p, uint64_t *cycle);
void assertions_json(const harness *b, wlk_json *to);
void assertions_place_json(const place *p, const char *name, uint64_t count, wlk_json *to);
void assertions_report(const harness *b, FILE *to);

/* ---- printed.c: what the RTL prints, of which the last lines are kept ---- */
/* Take over stdout and stderr. */
bool printed_take(void);
/* Forget the lines, but not how many there were. @p cycle counts on. */
void printed_clear(const uint64_t *cycle);
/* Keep the lines as they are: they lead to a failure. */
void printed_hold(void);
/* Text of the error message printed last; empty when there is none. Each is given once. */
void printed_message(char *text, size_t size);
/* The last line kept that begins so; empty when none does. */
const char *printed_begins(const char *start);
void printed_json(bool failed, wlk_json *to);
void printed_report(FILE *to);
/* How many lines there were in all seeds, with @p more that another process has seen. */
uint64_t printed_lines(uint64_t more);
/* As many as there were before, since what printed more runs again. */
void printed_uncount(uint64_t lines);

/* ---- waived.c ---- */
/* Take a waiver, as wlk_checker_waive does. */
bool waived_take(harness *b, const char *text);
/* Add the hits of a checker of this seed; false: no memory. */
bool waived_add(harness *b, const wlk_checker *checker);
void waived_clear(harness *b);
/* Copy the sums to what is shared, n_waivers of zeros; and add what another process has left. */
void waived_leave(const harness *b, waived *to);
void waived_gather(harness *b, const waived *from);
void waived_json(const harness *b, wlk_json *to);

/* ---- expected.c: what a waveform has beside the RTL's signals ---- */
/* With waves: start the file for `wlk-vec beside`; NO_FILE, NO_MEMORY. */
wlk_status expected_open(harness *b, wlk_error *err);
/* Where b->in_waves: before the edge of a cycle that is dumped, and behind it. */
void expected_watch(harness *b);
void expected_note(harness *b);
/* NO_SPACE when something could not be written, NO_MEMORY. */
wlk_status expected_close(harness *b, wlk_error *err);

/* ---- workers.c ---- */
/*
 * Run the seeds behind the first in @p jobs processes, and add up those that pass: b->seed is the
 * last one before one that did not, or was not run.
 */
void workers_run(harness *b, uint64_t jobs);

/* What the seeds so far have summed up; NULL: no memory. Put it back; NULL: none has run. */
typedef struct sums sums;
sums *sums_take(const harness *b);
void sums_put_back(harness *b, const sums *s);

typedef void (*workers_work)(harness *b, void *shared);
/*
 * Call @p work in so many processes, and wait for all; @p ended_seeds counts for the progress line.
 * False: there is no process to be had.
 */
bool workers_fork(harness *b, uint64_t jobs, workers_work work, void *shared,
                  const atomic_uint_fast64_t *ended_seeds);

/* ---- keep_going.c ---- */
/*
 * As harness_answer of a seed that fails with @p status; then run those that are left, and add to
 * the answer how each of them fails. INTERRUPTED, NO_MEMORY.
 */
wlk_status keep_going(harness *b, wlk_status status, FILE *to, wlk_error *err);

/* ---- cover.c ---- */
void cover_begin(harness *b);
/* What b->seed, which has ended so, adds to the events that were counted @p before. */
void cover_tell(const harness *b, const uint64_t *before, wlk_status status);

/* ---- seeds.c ---- */
/* The nth seed; and go on to it. */
uint64_t harness_seed(const harness *b, uint64_t nth);
void harness_take(harness *b, uint64_t nth);

/* Run b->seed: its verdict, and b->failing. The module stays open. */
wlk_status harness_run_seed(harness *b, wlk_error *err);

/* The cycles of b->seed, without a verdict. *ended: it came to its end. */
wlk_status harness_run_once(harness *b, bool *ended);

/* Other values of parameters, "I:VALUE,I:VALUE", also for the checkers; false: not so written. */
bool harness_set_params(harness *b, const char *text);
/* The next one of such a text; false: it cannot be read. */
bool harness_next_param(const harness *b, const char **text, uint32_t *index, uint32_t *value);

/* The model and the layout of b->cfg; BAD_CONFIG, NO_MEMORY. */
wlk_status harness_configure(harness *b, wlk_error *err);

/* Try each of b->probes with each seed, and print how well it explains the RTL. */
wlk_status harness_probe(harness *b, FILE *to, wlk_error *err);

/* Shrink the failing stimulus of b->seed, write it to b->shrink as a record file, and answer. */
wlk_status harness_shrink(harness *b, FILE *to, wlk_error *err);

#endif

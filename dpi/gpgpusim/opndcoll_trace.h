/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a recording asked of the collector, freed from the collector's own answers: which
 * instructions arrived when, how long behind its take each wrote back, when other results were
 * written, and in which core cycles a pipe took less than there was.
 *
 * It is collected while the stimulus is replayed as it was recorded. A core cycle is counted from
 * the `C` commands, and a command behind the last step of one belongs to the next one where that is
 * when its effect shows.
 */
#ifndef WLK_OPNDCOLL_TRACE_H
#define WLK_OPNDCOLL_TRACE_H

#include "opndcoll_replay.h"

#define TRACE_NEVER UINT32_MAX

/* A write-back of registers: of an instruction, or a result of its own. */
typedef struct trace_write {
    uint32_t order; /* among the first tries of the recording */
    uint32_t
        tries; /* core cycles in which it tries; TRACE_NEVER: until it is through, as recorded */
} trace_write;

typedef struct trace_inst {
    uint32_t from;  /* core cycle whose steps are the first to find it in ID_OC */
    uint64_t at;    /* steps made before it was issued, as recorded */
    uint32_t steps; /* from then to its dispatch, as recorded; TRACE_NEVER */
    uint32_t taken; /* core cycle, as recorded; TRACE_NEVER */
    uint32_t delay; /* core cycles from its take to its first write-back; TRACE_NEVER */
    trace_write write;
    bool by_load; /* LD/ST writes it back (L), until it is through */
    uint8_t kind, n_src, n_dst;
    uint16_t wid, sched;
    size_t regs; /* in the pool: sources, then destinations */
} trace_inst;

typedef struct trace_result {
    uint32_t from; /* core cycle of the steps before which it is tried first */
    uint32_t last; /* the same, last, as recorded */
    trace_write write;
    uint8_t n;
    uint16_t wid, sched;
    size_t regs;
} trace_result;

/* A pipe that left something in OC_EX in a core cycle. */
typedef struct trace_busy {
    uint32_t cycle;
    uint8_t kind, taken; /* instructions that it took all the same */
    uint64_t left;       /* slots */
} trace_busy;

typedef struct trace {
    trace_inst *insts; /* by age; #1 is insts[0] */
    size_t n_insts;
    trace_result *results; /* by `from` */
    size_t n_results;
    trace_busy *busy; /* by cycle */
    size_t n_busy;
    const int32_t *pool;
    uint32_t schedulers;                /* of the configuration it was replayed in */
    uint32_t cycles;                    /* core cycles */
    uint64_t steps;                     /* made as recorded */
    uint32_t most_steps;                /* in a core cycle */
    uint32_t most_issues;               /* of one scheduler in a core cycle */
    uint32_t units[WLK_OPNDCOLL_KINDS]; /* most E commands of a pipe in a core cycle */
    bool mem_late;                      /* MEM takes behind the steps of a core cycle */
} trace;

typedef struct trace_maker trace_maker;

/* @p cfg is that of the replay. NO_MEMORY. */
wlk_status trace_open(trace_maker **out, const wlk_opndcoll_cfg *cfg, wlk_error *err);

/* For replay_watch(), with the maker as its user. */
void trace_watch(void *maker, const replay_fact *fact);

/* The end of the replay. The trace stays the maker's. NO_MEMORY; VACUOUS: there is no core cycle,
 * no step or no instruction. */
wlk_status trace_finish(trace_maker *m, const trace **out, wlk_error *err);

void trace_close(trace_maker *m);

#endif

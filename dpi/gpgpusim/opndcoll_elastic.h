/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a recording would have been under another configuration of the operand collector, everything
 * around it being as it was recorded. The rules: docs/operand-collector.md, "Another
 * configuration".
 */
#ifndef WLK_OPNDCOLL_ELASTIC_H
#define WLK_OPNDCOLL_ELASTIC_H

#include "opndcoll_trace.h"
#include "warplock/opndcoll_summary.h"

typedef struct elastic elastic;

/* Steps from arrival to OC_EX. */
typedef struct elastic_wait {
    uint64_t instructions; /* that got there */
    uint64_t total, p95, most;
} elastic_wait;

typedef struct elastic_result {
    uint32_t steps_a_cycle;
    uint64_t cycles;  /* core cycles until the last instruction left OC_EX */
    uint64_t left;    /* instructions that never do */
    uint64_t same;    /* instructions that took as many steps as recorded */
    uint64_t delayed; /* core cycles that instructions stood in front of ID_OC, added up */
    elastic_wait wait;
} elastic_result;

/* @p cfg is legal, @p from is that of the recording; the trace outlives it.
 * NO_MEMORY; BAD_PARAMS: the configuration has no place for an instruction of the trace. */
wlk_status elastic_open(elastic **out, const trace *t, const wlk_opndcoll_cfg *from,
                        const wlk_opndcoll_cfg *cfg, wlk_error *err);

/* All of it. NO_MEMORY, INTERRUPTED. */
wlk_status elastic_run(elastic *e, wlk_error *err);

void elastic_result_of(elastic *e, elastic_result *result);

/* Statistics of the run. */
wlk_opndcoll_summary *elastic_summary(elastic *e);

/* The same of the recording itself. NO_MEMORY. */
wlk_status elastic_recorded(const trace *t, elastic_wait *wait, wlk_error *err);

void elastic_close(elastic *e);

#endif

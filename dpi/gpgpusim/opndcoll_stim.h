/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of the operand collector's stimulus: one command a line, `#` starts a comment line. */
#ifndef WLK_OPNDCOLL_STIM_H
#define WLK_OPNDCOLL_STIM_H

#include <stdio.h>

#include "warplock/opndcoll.h"

typedef struct stim_command {
    char what;             /* C I E W R V L X Z */
    uint32_t kind;         /* I, E, V: pipe */
    uint32_t sched, wid;   /* I, W */
    uint32_t slot;         /* E; NO_SLOT: none was given */
    uint64_t count;        /* X: steps; C: number of the core cycle */
    int64_t key;           /* W, R */
    uint32_t n_src, n_dst; /* I; W has dst only */
    int32_t src[WLK_OPNDCOLL_OPERANDS], dst[WLK_OPNDCOLL_OPERANDS];
    uint32_t pri, n_last; /* Z: where the arbiters point, see wlk_opndcoll_resume() */
    uint32_t last[WLK_OPNDCOLL_MAX_PORTS];
    uint32_t n_first; /* the kind that each port tries first; 0: none are given */
    uint8_t first[WLK_OPNDCOLL_MAX_PORTS];
} stim_command;

#define NO_SLOT UINT32_MAX

typedef struct stim_reader stim_reader;

/* @p name is for messages. NO_MEMORY. The reader does not close @p from. */
wlk_status stim_open(stim_reader **out, FILE *from, const char *name,
                     const wlk_opndcoll_shape *shape, wlk_error *err);

/*
 * The next command; *more = false at the end.
 * CORRUPT: a line that no configuration makes right; BAD_PARAMS: a set or a scheduler that this one
 * lacks; BAD_VERSION: a recording of another one; NO_FILE: reading failed. Each names file and
 * line.
 */
wlk_status stim_next(stim_reader *r, stim_command *command, bool *more, wlk_error *err);

/* Of the last command: its line, and the bytes read up to it. */
uint64_t stim_line(const stim_reader *r);
uint64_t stim_bytes(const stim_reader *r);

/* A recording of a live simulation whose end is missing: the simulator was killed. To be asked
 * behind the last command. */
bool stim_is_cut(const stim_reader *r);

void stim_close(stim_reader *r);

#endif

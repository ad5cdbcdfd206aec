/* SPDX-License-Identifier: Apache-2.0 */
/* Executes stimulus on a model of the operand collector and prints what happens. */
#ifndef WLK_OPNDCOLL_REPLAY_H
#define WLK_OPNDCOLL_REPLAY_H

#include "opndcoll_stim.h"
#include "opndcoll_text.h"

typedef struct replay replay;

/* @p cfg is legal. @p state: print the whole state after each step. @p quick: by the calls that
 * report no events. NO_MEMORY. */
wlk_status replay_open(replay **out, const wlk_opndcoll_cfg *cfg, bool state, bool quick, text *to,
                       wlk_error *err);

/* What a command did. */
typedef struct replay_fact {
    enum {
        REPLAY_CYCLE,   /* C */
        REPLAY_ISSUED,  /* I that had a slot: uid, command */
        REPLAY_TAKE,    /* E: kind; uid, or 0 */
        REPLAY_DRAINED, /* V of an instruction: uid, done */
        REPLAY_LOADED,  /* L tried an instruction: uid, done */
        REPLAY_RESULT,  /* W: its number from 1 as uid, command, done */
        REPLAY_RETRIED, /* R of a known key: that number, done */
        REPLAY_STEP,    /* a step will be made */
        REPLAY_STEPPED, /* it was: events */
    } what;
    uint32_t uid, kind;
    bool done; /* all was written */
    const stim_command *command;
    const wlk_opndcoll_events *events;
    const wlk_opndcoll *model;
} replay_fact;

/* From now on call this with each of them, after it happened; called before the first command.
 * There are no events in a replay that was opened `quick`. */
void replay_watch(replay *r, void (*watch)(void *user, const replay_fact *fact), void *user);

/* From now on count, for replay_summary(), and in so many windows where they are not 0; called
 * before the first command. NO_MEMORY. */
wlk_status replay_count(replay *r, uint32_t windows, wlk_error *err);

/* The counts as a JSON object on stdout. */
void replay_summary(replay *r);

/* Lines about the configuration. */
void replay_header(replay *r);

/* NO_MEMORY; BAD_PARAMS for a slot that the set lacks, without file and line. */
wlk_status replay_command(replay *r, const stim_command *command, wlk_error *err);

/* The line of --stats. */
void replay_stats(replay *r);

/* Steps so far. */
uint64_t replay_steps(const replay *r);

void replay_close(replay *r);

#endif

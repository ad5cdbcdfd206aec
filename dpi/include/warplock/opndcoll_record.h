/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file opndcoll_record.h
 * Records what a live simulation does to an operand collector, for `warplock opndcoll` to replay:
 * a stimulus, its events, and the options. Counts its statistics, too.
 *
 * A recorder stands before a model. The calls that a simulator makes go through it: those below
 * call the model, return what it returns, and note what happened. All calls of one model go through
 * its recorder, from reset on.
 *
 * @code
 * wlk_opndcoll_record_options options;
 * wlk_opndcoll_record_defaults(&options);
 * options.stem = "rec/kernel";
 * options.sm = 3;
 * wlk_opndcoll_recorder *r;
 * if (wlk_opndcoll_record_open(&r, &cfg, model, &options, &err) != WLK_OK) ...
 * wlk_opndcoll_record_cycle(r, core_cycle);         // before the core cycle's first call
 * wlk_opndcoll_record_put(r, kind, slot, &inst, dst, n_dst);
 * events.count = 0;
 * wlk_opndcoll_record_step(r, &events);
 * ...
 * wlk_opndcoll_record_close(r, &err);
 * @endcode
 *
 * **Files.** `STEM.smN.stim.xz`, `STEM.smN.events.xz`, `STEM.smN.cfg`, and `STEM.smN.json` with the
 * statistics; in a folder that STEM names, without `STEM.`. They are packed by the program `xz`,
 * which runs beside; plain where it is missing or STEM ends in `.stim`. When the simulator is
 * killed, the files are whole up to the last 64 KiB of text. docs/operand-collector.md has their
 * lines.
 *
 * **Where a recording begins.** In the first step of the window that finds nothing in the collector
 * and its register sets but what was issued since the step before: a replay begins empty, too.
 * Instructions are numbered from 1, as a replay does, in the order of their uids.
 *
 * **What cannot be recorded** ends the recording with a message: an instruction that stands where
 * issuing in the order of uids does not put it, one that is issued with a lower uid than one before
 * it, one taken out of OC_EX while an older one stays there (but in V42's sub-core model), a core
 * cycle that goes back.
 *
 * **Errors** of files, and all that ends a recording early, are reported once, as text, to
 * options.report, and by wlk_opndcoll_record_close() as status. The simulation goes on.
 *
 * Two threads may use two recorders.
 */
#ifndef WARPLOCK_OPNDCOLL_RECORD_H
#define WARPLOCK_OPNDCOLL_RECORD_H

#include <stdio.h>

#include "warplock/opndcoll.h"

WLK_BEGIN_DECLS

/** A recorder; its fields are private. */
typedef struct wlk_opndcoll_recorder wlk_opndcoll_recorder;

/** What to record, and where. Texts are not kept. */
typedef struct wlk_opndcoll_record_options {
    const char *stem;    /**< of the recording's files; NULL: no recording */
    const char *summary; /**< stem of the statistics' file; NULL: none is written */
    bool counts;         /**< count statistics, for wlk_opndcoll_record_summary(); true with a
                              summary */
    bool state;          /**< the events have the state after each step */
    uint32_t sm;         /**< number of the core, for names and messages */
    uint64_t first;      /**< core cycle at which the window begins */
    uint64_t last;       /**< last core cycle of the window; UINT64_MAX: up to the end */
    const char *source;  /**< a line about the simulator, for the recording's head; NULL: none */
    void (*report)(void *user, const char *text); /**< a message; NULL: to stderr */
    void *user;                                   /**< the caller's, for report */
} wlk_opndcoll_record_options;

/** Nothing is recorded, and the window is the whole simulation. */
void wlk_opndcoll_record_defaults(wlk_opndcoll_record_options *options);

/**
 * What the environment asks for, on top of what @p options has:
 *
 * | variable | value |
 * |---|---|
 * | WARPLOCK_RECORD | stem or folder: record |
 * | WARPLOCK_SUMMARY | stem or folder: write statistics |
 * | WARPLOCK_RECORD_SM | cores these are for: `3`, `0-3` or `all`; without it `0` |
 * | WARPLOCK_RECORD_CYCLES | window: `1000-5000`, or `1000-` up to the end |
 * | WARPLOCK_RECORD_STATE | `1`: with states; `0` |
 *
 * @param options in: `sm`, the core. Stems point into the environment.
 * @return WLK_OK; WLK_BAD_PARAMS for a value that is none, with its variable.
 */
wlk_status wlk_opndcoll_record_environment(wlk_opndcoll_record_options *options, wlk_error *err);

/**
 * Begin.
 *
 * @param[out] out for wlk_opndcoll_record_close(); NULL on failure.
 * @param cfg that of the model, legal; not kept.
 * @param model in reset; it stays the caller's and outlives the recorder.
 * @return WLK_OK, also where a file cannot be made; WLK_BAD_PARAMS when the window ends before it
 *         begins; WLK_NO_MEMORY.
 */
wlk_status wlk_opndcoll_record_open(wlk_opndcoll_recorder **out, const wlk_opndcoll_cfg *cfg,
                                    wlk_opndcoll *model, const wlk_opndcoll_record_options *options,
                                    wlk_error *err);

/** The core cycle of the calls that follow; the same number again is none. */
void wlk_opndcoll_record_cycle(wlk_opndcoll_recorder *r, uint64_t cycle);

/**
 * wlk_opndcoll_put().
 *
 * @param dst destinations, for the reader of the stimulus; @p n_dst at most shape.operands.
 */
int32_t wlk_opndcoll_record_put(wlk_opndcoll_recorder *r, uint32_t kind, uint32_t slot,
                                const wlk_opndcoll_inst *inst, const int32_t *dst, uint32_t n_dst);

/** wlk_opndcoll_take_slot(). */
int32_t wlk_opndcoll_record_take_slot(wlk_opndcoll_recorder *r, uint32_t kind, uint32_t slot,
                                      wlk_opndcoll_held *held);

/**
 * wlk_opndcoll_writeback().
 *
 * @param uid of the instruction: a call with what an earlier one of it has left is a retry.
 */
int32_t wlk_opndcoll_record_writeback(wlk_opndcoll_recorder *r, uint32_t uid, int32_t *dst,
                                      uint32_t n, uint32_t wid, uint32_t sched, uint32_t lanes);

/**
 * wlk_opndcoll_step().
 *
 * @param events room for wlk_opndcoll_max_events(), and count 0.
 */
void wlk_opndcoll_record_step(wlk_opndcoll_recorder *r, wlk_opndcoll_events *events);

/** End the recording, e.g. since the simulator differs from the model; @p reason goes into it. */
void wlk_opndcoll_record_stop(wlk_opndcoll_recorder *r, const char *reason);

/**
 * Print the statistics so far as a JSON object: the counts of `warplock opndcoll --summary`, over
 * the whole simulation.
 *
 * @return false: they are not counted.
 */
bool wlk_opndcoll_record_summary(wlk_opndcoll_recorder *r, FILE *to);

/**
 * Complete the files and free the recorder; NULL is allowed.
 *
 * @param err may be NULL; what ended the recording early, or why there is nothing in it.
 * @return WLK_OK; WLK_VACUOUS: nothing was recorded, since the window was not reached, or the
 *         collector never empty in it; WLK_TRUNCATED: what cannot be recorded has ended it;
 *         WLK_NO_FILE, WLK_NO_SPACE: a file.
 */
wlk_status wlk_opndcoll_record_close(wlk_opndcoll_recorder *r, wlk_error *err);

WLK_END_DECLS
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file opndcoll_summary.h
 * Statistics of an operand collector: conflicts by bank, occupancy of units and queues, starvation
 * and stalls by pipe. Each count is defined in docs/operand-collector.md.
 *
 * They are counted from the model's events and by looking into it. Whoever calls the model reports
 * each call, right after it and before the next one:
 *
 * @code
 * wlk_opndcoll_summary *s;
 * if (wlk_opndcoll_summary_open(&s, &cfg, model, &err) != WLK_OK) ...
 * wlk_opndcoll_summary_cycle(s);                    // a core cycle begins
 * events.count = 0;
 * wlk_opndcoll_step(model, &events);
 * wlk_opndcoll_summary_step(s, &events);
 * ...
 * wlk_opndcoll_summary_print(s, stdout);
 * wlk_opndcoll_summary_close(s);
 * @endcode
 *
 * The summary does not change the model. Its calls are as thread-safe as those of the model.
 */
#ifndef WARPLOCK_OPNDCOLL_SUMMARY_H
#define WARPLOCK_OPNDCOLL_SUMMARY_H

#include <stdio.h>

#include "warplock/opndcoll.h"

WLK_BEGIN_DECLS

/** Counts; its fields are private. */
typedef struct wlk_opndcoll_summary wlk_opndcoll_summary;

/**
 * Begin to count.
 *
 * @param[out] out for wlk_opndcoll_summary_close(); NULL on failure.
 * @param cfg that of the model; not kept.
 * @param model in any state; it stays the caller's and outlives the summary. What it did before is
 *              not counted.
 * @param err may be NULL.
 * @return WLK_OK or WLK_NO_MEMORY.
 */
wlk_status wlk_opndcoll_summary_open(wlk_opndcoll_summary **out, const wlk_opndcoll_cfg *cfg,
                                     const wlk_opndcoll *model, wlk_error *err);

/**
 * Count in windows of time too, which wlk_opndcoll_summary_print() adds as `windows`: their width,
 * which begins with a step and doubles when there are @p most of them, and each count of each
 * window. Called right after wlk_opndcoll_summary_open().
 *
 * @param most windows at a time, even, 2 or more; half of them at least are kept.
 * @return WLK_OK or WLK_NO_MEMORY.
 */
wlk_status wlk_opndcoll_summary_windows(wlk_opndcoll_summary *s, uint32_t most, wlk_error *err);

/** A core cycle begins. Without this call there are no counts for each core cycle. */
void wlk_opndcoll_summary_cycle(wlk_opndcoll_summary *s);

/** An instruction of an existing kind was issued into ID_OC, or there was no room for it. */
void wlk_opndcoll_summary_issue(wlk_opndcoll_summary *s, uint32_t kind, bool accepted);

/** An instruction of that kind was taken out of OC_EX. */
void wlk_opndcoll_summary_take(wlk_opndcoll_summary *s, uint32_t kind);

/** A result was written back. @p events are those of that call alone. */
void wlk_opndcoll_summary_writeback(wlk_opndcoll_summary *s, const wlk_opndcoll_events *events);

/** A step was made. @p events are those of that step alone, all of them. */
void wlk_opndcoll_summary_step(wlk_opndcoll_summary *s, const wlk_opndcoll_events *events);

/**
 * Print all counts as one JSON object on a line of its own; what is in it:
 * docs/operand-collector.md. The core cycle under way counts as ended. Errors of writing are left
 * in the stream.
 */
void wlk_opndcoll_summary_print(wlk_opndcoll_summary *s, FILE *to);

/** Free it. NULL is allowed. */
void wlk_opndcoll_summary_close(wlk_opndcoll_summary *s);

WLK_END_DECLS
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file pipeline.h
 * The pipeline picture of the block `issue`: one line an instruction, in the Kanata log format,
 * version 0004, which the viewer Konata opens. What it shows: docs/pipeline.md.
 */
#ifndef WLK_PIPELINE_H
#define WLK_PIPELINE_H

#include "warplock/issue.h"

#include <stdbool.h>

WLK_BEGIN_DECLS

/** A picture being written; opaque. */
typedef struct wlk_pipeline wlk_pipeline;

/**
 * Start a picture. The file has its name when it is closed.
 *
 * @param replace false: USAGE when @p path exists.
 * @param cfg configuration of `issue`, checked; copied.
 * @param is_defined the state at the start is: after a reset, or a power-up that is known.
 * @param err may be NULL.
 * @return the caller's, to give to wlk_pipeline_close(); NULL on failure, with @p err NO_FILE when
 *         the file cannot be created, USAGE, NO_SPACE, NO_MEMORY.
 */
wlk_pipeline *wlk_pipeline_open(const char *path, bool replace, const uint32_t *cfg,
                                bool is_defined, wlk_error *err);

/**
 * Show the next cycle; the first is cycle 0. Nothing is shown of cycles before the first reset
 * where the state at the start is not defined.
 *
 * @param before,after states of the model around the clock edge. Of `collector` nothing is read, so
 *        a copy of what lies before it will do.
 * @param in input record of the cycle; of its payloads nothing is read.
 */
void wlk_pipeline_cycle(wlk_pipeline *p, const wlk_issue_state *before, const uint64_t *in,
                        const wlk_issue_state *after);

/**
 * End the picture and give the file its name. Frees @p p in any case (NULL: nothing to do).
 *
 * @return WLK_OK; USAGE when somebody else has made the file meanwhile; NO_SPACE when something
 *         could not be written: then no file is left.
 */
wlk_status wlk_pipeline_close(wlk_pipeline *p, wlk_error *err);

/** Leave no file. Frees @p p (NULL: nothing to do). */
void wlk_pipeline_abort(wlk_pipeline *p);

WLK_END_DECLS
#endif

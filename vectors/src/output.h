/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that is there whole or not at all: it is written under a name of its own in the same
 * folder, and gets the name it is to have when it is complete. What is no regular file (a device, a
 * pipe) is written as it is.
 */
#ifndef WLK_OUTPUT_H
#define WLK_OUTPUT_H

#include "warplock/error.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct wlk_output {
    FILE *to;      /* to write to; NULL when closed */
    int cause;     /* errno of the first write that failed, kept by the writer; 0: none has */
    char *path;    /* as the user named it */
    char *partial; /* until it is complete; NULL: it is written as it is */
    bool replace;  /* a file of that name may go */
} wlk_output;

/*
 * Create the file.
 *
 * @param replace false: WLK_USAGE when @p path is there, now or at the end.
 * @return WLK_OK, then wlk_output_finish() or wlk_output_abort() is due; WLK_USAGE; WLK_NO_FILE;
 *         WLK_NO_SPACE; WLK_NO_MEMORY.
 */
wlk_status wlk_output_open(wlk_output *o, const char *path, bool replace, wlk_error *err);

/* The error of a write that failed for errno @p cause: NO_SPACE, one line. */
wlk_status wlk_output_failed(const wlk_output *o, int cause, wlk_error *err);

/* To the disk, then the final name; NO_SPACE when a write has failed. Nothing is left on failure.
 * Ends @p o in any case. */
wlk_status wlk_output_finish(wlk_output *o, wlk_error *err);

/* Leave nothing. Ends @p o; one that has ended, or is all zeros, stays as it is. */
void wlk_output_abort(wlk_output *o);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is written through the program xz, or plainly. The program goes on when this one is
 * killed, so that the file is whole up to what was written. */
#ifndef WLK_OPNDCOLL_PACKED_H
#define WLK_OPNDCOLL_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "warplock/error.h"

enum { WLK_OC_PATH = 1024 }; /* bytes of a path, with its end */

typedef struct wlk_oc_packed {
    int file;  /* where the text or what xz makes of it goes; -1: not open */
    int to_xz; /* -1: there is none, and the text goes into the file */
    pid_t xz;
    char path[WLK_OC_PATH];
} wlk_oc_packed;

/*
 * Make @p path, or empty it. A file that another writer has open is refused. On failure nothing is
 * open. *no_xz: xz was wanted and is missing; then the file is @p path without `.xz`, and plain.
 * NO_FILE: it cannot be made.
 */
wlk_status wlk_oc_packed_open(wlk_oc_packed *p, const char *path, bool *no_xz, wlk_error *err);

/* All of it; no signal is raised. NO_SPACE. */
wlk_status wlk_oc_packed_write(wlk_oc_packed *p, const char *bytes, size_t n, wlk_error *err);

/* Wait until all is in the file. NO_SPACE. Closed already: OK. */
wlk_status wlk_oc_packed_close(wlk_oc_packed *p, wlk_error *err);

#endif

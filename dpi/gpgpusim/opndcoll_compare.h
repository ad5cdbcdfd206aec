/* SPDX-License-Identifier: Apache-2.0 */
/* One trace on several configurations, and the answer. */
#ifndef WLK_OPNDCOLL_COMPARE_H
#define WLK_OPNDCOLL_COMPARE_H

#include "opndcoll_trace.h"

typedef struct compare_config {
    const char *name;
    wlk_opndcoll_cfg cfg;
} compare_config;

/*
 * Plays the trace on each and prints one JSON object on stdout. The first one is that of the
 * recording. HANG: on some configuration an instruction never gets through; the object is printed.
 * NO_MEMORY, BAD_PARAMS, INTERRUPTED.
 */
wlk_status compare_all(const trace *t, const compare_config *configs, uint32_t n, wlk_error *err);

#endif

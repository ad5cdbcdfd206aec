/* SPDX-License-Identifier: Apache-2.0 */
/* Turns what the user names (FST, gzipped FST, VCD) into the path of a plain FST file. */
#ifndef WARPLOCK_WAVE_SOURCE_H
#define WARPLOCK_WAVE_SOURCE_H

#include "warplock/wave.h"

#include <signal.h>

typedef struct wlk_wave_source {
    char *fst;       /* plain FST; owned */
    char *temp_dir;  /* folder to remove, or NULL; owned */
    sigset_t caller; /* signal mask to go back to; valid when held */
    int held;
} wlk_wave_source;

/* wlk_wave_source_release in any case: it removes the temporary files. */
wlk_status wlk_wave_source_open(wlk_wave_source *source, const char *path,
                                const wlk_wave_options *options, wlk_error *err);
void wlk_wave_source_release(wlk_wave_source *source);

#endif

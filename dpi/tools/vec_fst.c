// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // sigaction
#include "vec_fst.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "warplock/wave.h"

static char unfinished[2][4096 + 8]; // what a full disk leaves: the file, the writer's own

// The writer maps files of $TMPDIR: on a disk that fills up that ends so.
static void no_room(int number) {
    static const char text[] = "wlk-vec: cannot write the FST: no space left on the disk of the "
                               "file or of temporary files; free some space\n";
    (void)number;
    (void)unlink(unfinished[0]);
    (void)unlink(unfinished[1]);
    (void)!write(STDERR_FILENO, text, sizeof text - 1u);
    _exit(WLK_NO_SPACE);
}

void vec_fst_guard(const wlk_output *file) {
    struct sigaction full;
    memset(&full, 0, sizeof full);
    full.sa_handler = no_room;
    (void)snprintf(unfinished[0], sizeof unfinished[0], "%s", file->partial);
    (void)snprintf(unfinished[1], sizeof unfinished[1], "%s.hier", file->partial);
    (void)sigaction(SIGBUS, &full, NULL);
}

// The writer does not report errors of the disk: its file is read again. A file that is incomplete
// is taken for a full disk, one that cannot be read is not.
wlk_status vec_fst_whole(const wlk_output *file, wlk_error *err) {
    wlk_wave *again = NULL;
    wlk_error bad;
    errno = 0;
    const bool whole = wlk_wave_open(&again, file->partial, file->path, &bad) == WLK_OK &&
                       wlk_wave_verify(again, &bad) == WLK_OK;
    const int cause = errno == EIO ? EIO : ENOSPC;
    wlk_wave_close(again);
    return whole ? WLK_OK : wlk_output_failed(file, cause, err);
}

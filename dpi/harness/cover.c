// SPDX-License-Identifier: Apache-2.0
// What each seed covers, a line on the console when it has ended, whichever process ran it:
// "cover SEED CYCLES VERDICT HITS", hits of each coverage point with commas between. A line is one
// write, so that those of several processes do not mix.
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "harness_private.h"

enum { LINE = 2048, NUMBER = 24 }; // bytes; a pipe takes 4096 at once

void cover_begin(harness *b) {
    b->cover_to = b->cover != 0 ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0) : -1;
}

void cover_tell(const harness *b, const uint64_t *before, wlk_status status) {
    const uint32_t n = b->block->table->n_covers;
    char line[LINE];
    if (b->cover == 0) {
        return;
    }
    size_t used = (size_t)snprintf(line, sizeof line, "cover %" PRIu64 " %" PRIu64 " %s ", b->seed,
                                   b->cycle, wlk_status_name(status));
    for (uint32_t i = 0; i < n; i++) {
        used += (size_t)snprintf(line + used, NUMBER, "%s%" PRIu64, i == 0 ? "" : ",",
                                 b->events[i] - before[i]);
    }
    used += (size_t)snprintf(line + used, NUMBER, "\n");
    if (write(b->cover_to, line, used) < 0) {
        return; // nobody listens any more
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of events: written to stdout, or compared with those of a recording. */
#ifndef WLK_OPNDCOLL_TEXT_H
#define WLK_OPNDCOLL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opndcoll_lines.h"

/* A recording in memory. Its empty lines and those that begin with `#` are passed over, but for
 * `# variant`, `# set` and `# stats`. `# lines D A` declares which lines it has, by first word. */
typedef struct text_recording {
    char *bytes;
    size_t size;
    bool has_header;           /* lines about the configuration */
    bool has_state, has_stats; /* lines that --state and --stats add */
    bool is_cut;               /* a live recording without its end: `# warplock recording 1` is its
                                  first line, and `# end` missing */
    const char *only;          /* words behind `# lines`, up to the line's end; NULL: all lines */
} text_recording;

typedef struct text {
    wlk_oc_lines out;               /* the line in work, and those that wait to be written */
    const text_recording *expected; /* NULL: lines are written */
    size_t at;                      /* of the next expected line */
    uint64_t lines;                 /* that have ended, but for those that the recording lacks */
    uint64_t passed_over;           /* lines of the recording */
    bool differs;                   /* the line in `out` does; those after it are left out */
    bool failed;                    /* writing did; the reason is in errno */
    bool silent;                    /* lines are dropped; set by the caller, or behind the end of a
                                       recording that is cut */
    bool is_cut;                    /* the stimulus is: its end is none; set by the caller */
} text;

/* NO_FILE, NO_MEMORY. */
wlk_status text_load(text_recording *recording, const char *path, wlk_error *err);

/* @p expected may be NULL. NO_MEMORY. */
wlk_status text_open(text *t, const text_recording *expected, wlk_error *err);

/* The line is complete. */
void text_end(text *t);

/* A line: of printf's forms %s, %x, %u, %lu and %ld. */
void text_line(text *t, const char *form, ...) __attribute__((format(printf, 2, 3)));

/* The end: writes what is left, or finds lines that only the recording has. */
void text_finish(text *t);

/* The expected line that differed: its bytes without the end; *size 0 also where the
 * recording has ended. */
const char *text_expected(const text *t, size_t *size);

void text_close(text *t);

#endif

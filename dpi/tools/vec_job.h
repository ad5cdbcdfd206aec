/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of wlk-vec share: a block in one configuration, and the commands. */
#ifndef WLK_VEC_JOB_H
#define WLK_VEC_JOB_H

#include "tool.h"
#include "warplock/candidates.h"
#include "warplock/vectors.h"

enum {
    CYCLES_PER_CHECK = 4096, /* between two looks at Ctrl-C and the clock */
    VEC_BAD_WORDS = -1,      /* a command's answer to too few words, or one that is no number */
};

/* A model at power-up with room for one record. */
typedef struct job {
    tool_block b;
    wlk_candidates candidates;
    uint64_t *in, *out, *care;
    uint64_t *other; /* scratch of two output records */
    uint64_t *all;   /* every bit of every output that exists */
} job;

/* USAGE, BAD_CONFIG, NO_MEMORY; then nothing needs closing. */
wlk_status job_open(job *j, const char *block, const char *power_up, char **words, int n,
                    wlk_error *err);
void job_close(job *j);

/* Open a vector file whose records are those of the job, else BAD_PARAMS. */
wlk_status job_reader(const job *j, const char *path, wlk_vec_reader **reader, wlk_error *err);

/* "unknown" or "zero"; anything else is unknown. */
wlk_power_up power_up_of(const char *text);

/* The commands: `a` are the n words after the name; the exit code or VEC_BAD_WORDS. */
int vec_gen(int n, char **a);
int vec_import(int n, char **a);
int vec_header(int n, char **a);
int vec_dump(int n, char **a);
int vec_layout(int n, char **a);
int vec_same(int n, char **a);
int vec_play(int n, char **a);
int vec_model(int n, char **a);

/* Print `, "name": {"port": "hex", ...}` of the inputs or outputs that exist. */
void vec_print_side(const job *j, const char *name, bool out, const uint64_t *words, wlk_json *to);

/* End of output on stdout: NO_SPACE when it could not be written, 141 when its reader has gone. */
int vec_close_output(void);

#endif

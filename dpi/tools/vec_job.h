/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of wlk-vec share: a block in one configuration, and the commands. */
#ifndef WLK_VEC_JOB_H
#define WLK_VEC_JOB_H

#include "csv.h"
#include "tool.h"
#include "warplock/candidates.h"
#include "warplock/checker.h"
#include "warplock/stimulus.h"
#include "warplock/vectors.h"

/* A model at power-up with room for one record, and what its command opens. */
typedef struct job {
    tool_block b;
    wlk_candidates candidates;
    uint64_t *words; /* owned; all records lie in it */
    uint64_t *in, *out, *care;
    uint64_t *other; /* scratch of two output records */
    uint64_t *all;   /* every bit of every output that exists */
    bool force;      /* a file of the name may be replaced */
    bool is_async;   /* of RTL whose reset is asynchronous */
    bool small;      /* the smallest file instead of the fastest writing */
    wlk_vec_reader *reader, *second;
    const char *path; /* of the reader */
    tool_bits bits;
    wlk_vec_writer *writer;
    wlk_checker *checker;
    wlk_driver *driver;
    csv *rows;
} job;

/* The block @p name; USAGE, BAD_CONFIG, NO_MEMORY. job_close is due in any case. */
wlk_status job_open(job *j, const char *name, const char *power_up, char **words, int n,
                    wlk_error *err);
void job_close(job *j);

/* Open a vector file whose records are those of the job, else BAD_PARAMS. */
wlk_status job_reader(job *j, const char *path, wlk_error *err);

/* The next record of its reader, all of whose bits are of a port; CORRUPT. NULL: no more. */
wlk_status job_read(const job *j, uint64_t cycle, const uint64_t **in, const uint64_t **out,
                    const uint64_t **care, wlk_error *err);

/* The columns of the CSV on stdin; @p name is for messages. */
wlk_status job_csv(job *j, const char *name, wlk_error *err);

/*
 * The commands: `a` are the words after the name and the options. A failure without a text is a
 * verdict, or USAGE of words that the command cannot read.
 */
wlk_status vec_gen(job *j, char **a, wlk_error *err);
wlk_status vec_records(job *j, char **a, wlk_error *err);
wlk_status vec_import(job *j, char **a, wlk_error *err);
wlk_status vec_header(job *j, char **a, wlk_error *err);
wlk_status vec_dump(job *j, char **a, wlk_error *err);
wlk_status vec_layout(job *j, char **a, wlk_error *err);
wlk_status vec_beside(job *j, char **a, wlk_error *err);
wlk_status vec_diff(job *j, char **a, wlk_error *err);
wlk_status vec_same(job *j, char **a, wlk_error *err);
wlk_status vec_play(job *j, char **a, wlk_error *err);
wlk_status vec_export(job *j, char **a, wlk_error *err);
wlk_status vec_model(job *j, char **a, wlk_error *err);

/* Print `, "name": {"port": "hex", ...}` of the inputs or outputs that exist. */
void vec_print_side(const job *j, const char *name, bool out, const uint64_t *words, wlk_json *to);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the formats of `wlk-vec export` share: the walk over the cycles of a file. */
#ifndef WLK_VEC_EXPORT_H
#define WLK_VEC_EXPORT_H

#include "output.h"
#include "vec_job.h"

/* A cycle of the file. */
typedef struct vec_cycle {
    uint64_t number;
    const uint64_t *in, *out;
    const uint64_t *care; /* as the file has it */
    const uint64_t
        *counted; /* of it what is compared: outputs that mean nothing now have lost it */
} vec_cycle;

/* Writes a cycle; errors of a stream are found at its end. */
typedef wlk_status vec_row(job *j, void *context, const vec_cycle *cycle, wlk_error *err);

/* Call @p row for each cycle of the job's reader; INTERRUPTED after Ctrl-C. */
wlk_status vec_each(job *j, vec_row *row, void *context, wlk_error *err);

/* Ends the work early when a stream has failed: NO_SPACE, or that its reader has gone. */
wlk_status vec_written(wlk_output *to, wlk_error *err);

/* The end of a file: it appears when all went well, else it is gone. */
wlk_status vec_end(wlk_output *to, wlk_status status, wlk_error *err);

/* What a waveform is to be. */
typedef struct vec_wave_options {
    const char *path;
    const char *clock; /* the name of what samples the ports */
    bool filled;       /* where the file has no care: what one state of the model shows of those
                          for which all of the file is right */
} vec_wave_options;

wlk_status vec_vcd(job *j, const vec_wave_options *options, wlk_error *err);
wlk_status vec_fst(job *j, const vec_wave_options *options, wlk_error *err);

#endif

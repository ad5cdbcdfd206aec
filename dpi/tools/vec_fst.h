/* SPDX-License-Identifier: Apache-2.0 */
/* What all that write an FST share: its writer says nothing of a full disk. */
#ifndef WLK_VEC_FST_H
#define WLK_VEC_FST_H

#include "output.h"

/* Before the writer starts. A disk that fills up ends the program with NO_SPACE, and no file. */
void vec_fst_guard(const wlk_output *file);

/* When it has ended: NO_SPACE unless all of the file can be read. */
wlk_status vec_fst_whole(const wlk_output *file, wlk_error *err);

#endif

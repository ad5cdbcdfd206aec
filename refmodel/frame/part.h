/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of a block as a part of a composed one's. The composed model defines WHOLE and
 * WHOLE_CAPS, its block's name, and has one member in its state for each part, under the name of
 * the RTL's instance. Before its own MODEL it says for each part
 *   #define PART collector
 *   #include "frame/part.h"
 *   #include "muon/collector/model.c"
 *   #include "frame/part_end.h"
 * Then the names of structs.h that the part defines begin with the instance: collector_see,
 * collector_edge, collector_in_t. Its other names are as they are, so no two parts may have one of
 * the same name.
 *
 * A part sees the configuration of the whole, whose parameters have the same names. Its ports are
 * structs of the composed model, which assigns those that the part reads. What it shows is stored
 * in them and compared with nothing; of rows it shows nothing. Memories are those of the whole.
 */
#include "warplock/block.h"

#ifndef WLK_FRAME_PART_H
#define WLK_FRAME_PART_H

#define PART_PASTE_(a, b, c) a##b##c
#define PART_PASTE(a, b, c)  PART_PASTE_(a, b, c)
#define PART_NAME(name)      PART_PASTE(PART, _, name)

typedef PART_PASTE(wlk_, WHOLE, _cfg) cfg_t;
typedef struct PART_PASTE(wlk_, WHOLE, _state) whole_t;

#endif

#undef MODEL
#undef MODEL_CAPS
#undef CYCLE

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"

#define care_t        part_care
#define in_t          PART_NAME(in_t)
#define out_t         PART_NAME(out_t)
#define state_t       PART_NAME(state_t)
#define cycle         PART_NAME(cycle)
#define see           PART_NAME(see)
#define outputs       PART_NAME(outputs)
#define edge          PART_NAME(edge)
#define clear         PART_NAME(clear)
#define broken        PART_NAME(broken)
#define events        PART_NAME(events)
#define drained       PART_NAME(drained)
#define forgets       PART_NAME(forgets)
#define show          PART_NAME(show)
#define learn         PART_NAME(learn)
#define learn_next    PART_NAME(learn_next)
#define learn_by_next PART_NAME(learn_by_next)
#define learn_rows    PART_NAME(learn_rows)
#define note_rows     PART_NAME(note_rows)
#define follow        PART_NAME(follow)

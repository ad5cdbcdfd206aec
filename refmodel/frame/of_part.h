/* SPDX-License-Identifier: Apache-2.0 */
/* What structs.h is to a part of a composed model (part.h). */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "frame/names.h"
#ifdef RAMS
#include "frame/rams.h"
#endif

typedef NAMED(in_view) in_t;
typedef NAMED(out_view) out_t;
typedef struct NAMED(state) state_t;

#ifndef WLK_FRAME_OF_PART_H
#define WLK_FRAME_OF_PART_H

/* A part's outputs have no care. */
typedef const uint8_t part_care;
static part_care no_care = 0;

#endif

#undef WHOLE_OF
#undef SHOWN_WORDS
#define WHOLE_OF(st) ((const whole_t *)((uintptr_t)(st)-offsetof(whole_t, PART)))
#define SHOWN_WORDS  PART_PASTE(WLK_, WHOLE_CAPS, _OUT_WORDS)

#define SHOW(port, value)      ((void)care, out->port = (__typeof__(out->port))(value))
#define SHOW_WORDS(port, from) ((void)care, out->port = (uint64_t *)(uintptr_t)(from))
#define SHOW_ROW(port, row)    ((void)care, (void)cfg)
#define SHOW_SET(ports, set)   SHOW(sets.ports, set)
#define IN_SET(ports)          (in->sets.ports)

#define WLK_STRUCTS_MODEL(...) _Static_assert(true, "a part has no calls of its own")

/* SPDX-License-Identifier: Apache-2.0 */
/* Lines about an operand collector, as replays print and recordings hold them: configuration,
 * events of a call, state. docs/operand-collector.md lists them. */
#ifndef WLK_OPNDCOLL_LINES_H
#define WLK_OPNDCOLL_LINES_H

#include <stdarg.h>
#include <stddef.h>

#include "warplock/opndcoll.h"

/* Where lines go. A line begins below WLK_OC_HALF, and a buffer of twice that holds it: at most 32
 * slots of 1024 units stand in one. */
enum { WLK_OC_HALF = 1 << 20 };

typedef struct wlk_oc_lines {
    char *buffer;       /* 2 * WLK_OC_HALF bytes, the owner's */
    size_t start, used; /* of the line in work, and of all */
    /* The line is complete, without its end: keeps or drops it. */
    void (*end)(struct wlk_oc_lines *lines);
    /* The number that an instruction is printed with; NULL: its uid. */
    uint32_t (*number)(const struct wlk_oc_lines *lines, uint32_t uid);
} wlk_oc_lines;

/* A part of a line: of printf's forms %s, %x, %u, %lu and %ld. */
void wlk_oc_add(wlk_oc_lines *to, const char *form, ...) __attribute__((format(printf, 2, 3)));
void wlk_oc_vadd(wlk_oc_lines *to, const char *form, va_list args);

/* A part, and the line is complete. */
void wlk_oc_line(wlk_oc_lines *to, const char *form, ...) __attribute__((format(printf, 2, 3)));

/* Lines about the configuration. */
void wlk_oc_header(wlk_oc_lines *to, const wlk_opndcoll_cfg *cfg);

/* A line for each event. */
void wlk_oc_events(wlk_oc_lines *to, const wlk_opndcoll_events *events);

/* The state behind a step. @p queue has room for all requests of a bank. */
void wlk_oc_state(wlk_oc_lines *to, const wlk_opndcoll *model, const wlk_opndcoll_cfg *cfg,
                  wlk_opndcoll_request *queue);

#endif

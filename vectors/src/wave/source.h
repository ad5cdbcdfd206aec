/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kind of file gives wave.c (scopes and signals) and wave_run.c (changes): fst_source.c,
 * vcd.c. Each is safe to call with any file, whatever is wrong with it.
 */
#ifndef WARPLOCK_SOURCE_H
#define WARPLOCK_SOURCE_H

#include "warplock/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct wlk_source wlk_source;

/* Longest value [bits]: keeps a damaged width from asking for gigabytes. */
enum { WLK_MAX_BITS = 1 << 26 };

/* The definitions, in file order. A name lives for the call only; false: give no more. */
typedef struct wlk_visitor {
    bool (*scope)(void *ctx, const char *name);
    void (*upscope)(void *ctx);
    /* Bits only: no reals, strings, events. @p place: of the declaration, for line(). */
    bool (*signal)(void *ctx, const char *name, uint32_t handle, uint64_t place);
    void *ctx;
} wlk_visitor;

/* The changes, in the order of time; within one time in any order. */
typedef struct wlk_changes {
    /* @p length levels, the highest bit first. What a shorter value lacks in front is its first
     * level again, but 0 where that is 1. false: give no more. */
    bool (*change)(void *ctx, uint64_t time, uint32_t handle, const uint8_t *value,
                   uint32_t length);
    bool (*off)(void *ctx, uint64_t time); /* nothing is dumped from here on */
    void *ctx;
} wlk_changes;

typedef struct wlk_source_kind {
    /* Fill max_handle, bits and exponent. close() in any case. */
    wlk_status (*open)(wlk_source *source, const char *path, wlk_error *err);
    wlk_status (*visit)(wlk_source *source, const wlk_visitor *visitor, wlk_error *err);
    /* Those of the handles with wanted[handle] != 0; checks all of the file, or all that belongs to
     * these handles. @p to NULL: only checks. Ends early, with WLK_OK, on *stop. */
    wlk_status (*run)(wlk_source *source, const uint8_t *wanted, const wlk_changes *to,
                      atomic_bool *stop, wlk_error *err);
    uint64_t (*line)(const wlk_source *source, uint64_t place); /* 0: the file has no lines */
    void (*close)(wlk_source *source);
} wlk_source_kind;

struct wlk_source {
    const wlk_source_kind *kind;
    const char *name;     /* as the user knows the file, for messages */
    uint32_t max_handle;  /* the first is 1 */
    uint32_t *bits;       /* [handle]; 0: a real, a string, an event */
    int exponent;         /* time unit: 10^exponent s */
    uint64_t done, total; /* how far a run is, in a unit of the kind */
    void *own;            /* of the kind */
};

extern const wlk_source_kind wlk_fst_kind, wlk_vcd_kind;

#endif

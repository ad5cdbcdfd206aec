/* SPDX-License-Identifier: Apache-2.0 */
/* What wave.c (hierarchy) and wave_run.c (samplers, bindings, the run) share. */
#ifndef WARPLOCK_WAVE_PRIVATE_H
#define WARPLOCK_WAVE_PRIVATE_H

#include "fst_check.h"
#include "warplock/wave.h"

typedef struct wlk_wave_binding {
    wlk_wave_dest dest;
    uint64_t mask; /* dest.width bits, at bit 0 */
    wlk_wave_handle handle;
    uint32_t sampler;
} wlk_wave_binding;

/* Scopes inside a scope; 0 = none. */
typedef struct wlk_wave_family {
    size_t last_child, previous_sibling;
} wlk_wave_family;

typedef struct wlk_wave_sampler {
    wlk_wave_sample_fn fn;
    void *ctx;
    uint64_t samples;
    uint32_t clock; /* 1 + index into clocks; 0 = none */
    bool done;
    bool dirty;               /* without clock: a bound bit changed in this time stamp */
    uint64_t moves, moved_at; /* time stamps at which a bound bit changed, and 1 + the last */
} wlk_wave_sampler;

typedef struct wlk_wave_clock {
    wlk_wave_handle handle;
    uint8_t settled, latest; /* level after the last time stamp, and in this one so far */
    bool rising;             /* between these two */
    uint64_t gaps;           /* times at which it became X */
} wlk_wave_clock;

/* A change of bound bits that waits for the end of its time stamp. */
typedef struct wlk_wave_change {
    uint64_t bits, x;
    size_t binding;
} wlk_wave_change;

struct wlk_wave {
    wlk_fst file;
    void *reader; /* fstapi's */
    char *name;

    wlk_wave_scope *scopes; /* their paths are owned */
    size_t num_scopes, cap_scopes, open_scope;
    wlk_wave_family *families; /* of each scope */
    size_t cap_families;
    wlk_wave_signal *signals; /* their leaves are owned */
    size_t num_signals, cap_signals;

    wlk_wave_binding *bindings; /* run sorts them by handle */
    size_t num_bindings, cap_bindings;
    wlk_wave_sampler *samplers;
    size_t num_samplers, cap_samplers;
    wlk_wave_clock *clocks;
    size_t num_clocks, cap_clocks;

    size_t *first_binding; /* [handle] to [handle + 1]; for a run */
    uint32_t *clock_of;    /* [handle]: 1 + index into clocks, 0 = none; for a run */
    wlk_wave_change *changes;
    size_t num_changes, cap_changes;
    wlk_wave_progress progress;
    bool running;
    bool any_time;      /* progress.now is a time stamp with changes waiting */
    bool clock_touched; /* in this time stamp */
    bool ended;         /* fstapi cannot be stopped inside a block: ignore what it still reports */
    bool no_memory;
    atomic_bool stop;
};

/* Room for one more item: the array, perhaps moved. Without memory @p count stays equal to *cap. */
void *wlk_wave_grow(void *array, size_t item, size_t count, size_t *cap);

#endif

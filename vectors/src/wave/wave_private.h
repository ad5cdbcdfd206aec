/* SPDX-License-Identifier: Apache-2.0 */
/* What wave.c (hierarchy) and wave_run.c (samplers, bindings, the run) share. */
#ifndef WARPLOCK_WAVE_PRIVATE_H
#define WARPLOCK_WAVE_PRIVATE_H

#include "source.h"
#include "warplock/wave.h"

typedef struct wlk_wave_binding {
    wlk_wave_dest dest;
    uint64_t mask; /* dest.width bits, at bit 0 */
    wlk_wave_handle handle;
    uint32_t sampler;
    uint64_t bits, x; /* a change that waits for the end of its time stamp */
    bool waits;
} wlk_wave_binding;

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
    wlk_wave_gaps gaps;
} wlk_wave_clock;

struct wlk_wave {
    wlk_source source;
    char *name;

    wlk_wave_scope *scopes; /* their paths are owned */
    size_t num_scopes, cap_scopes, open_scope;
    void *scope_tree; /* of tsearch: parent and name -> scope */
    uint64_t path_bytes;
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
    size_t *waiting;       /* bindings with a change that waits; for a run */
    size_t num_waiting;
    wlk_wave_progress progress;
    bool running;
    bool any_time;      /* progress.now is a time stamp with changes waiting */
    bool clock_touched; /* in this time stamp */
    bool ended;
    atomic_bool stop;
};

/* One pass over the handles with wanted[handle] != 0. */
wlk_status wlk_wave_pass(wlk_wave *wave, const uint8_t *wanted, const wlk_changes *to,
                         wlk_error *err);

/* Room for one more item: the array, perhaps moved. Without memory @p count stays equal to *cap. */
void *wlk_wave_grow(void *array, size_t item, size_t count, size_t *cap);

#endif

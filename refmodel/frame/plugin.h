/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entry of a block that is a library of its own, for the source that is generated for it; that
 * has included frame/model.h. Each call of the model goes through a guard: it is known which one
 * runs, and whether it has written behind its state or its record. A few words of a pattern lie
 * behind both.
 */
#ifndef WLK_FRAME_PLUGIN_H
#define WLK_FRAME_PLUGIN_H

#include <stdio.h>
#include <stdlib.h>

#include "warplock/plugin.h"

#define INNER NAMED(block)

enum { FENCE = 8 }; /* words */
#define FENCE_WORD UINT64_C(0x5ea1ed0ff0ff1ce5)

static wlk_guard guard;

static void require(bool whole, const char *call, const char *what) {
    if (whole) {
        return;
    }
    if (guard.broken != NULL) {
        guard.broken(NAMED(table).name, call, what);
    }
    (void)fprintf(stderr, "warplock: block %s: its model %s, in `%s`\n", NAMED(table).name, what,
                  call);
    abort();
}

/* Called by a model of structs.h. */
void wlk_plugin_damage(const char *what);

void wlk_plugin_damage(const char *what) {
    require(false, guard.call != NULL ? guard.call : "?", what);
}

static void put_fence(uint64_t *words) {
    for (int i = 0; i < FENCE; i++) {
        words[i] = FENCE_WORD;
    }
}

static bool is_whole(const uint64_t *words) {
    uint64_t differs = 0;
    for (int i = 0; i < FENCE; i++) {
        differs |= words[i] ^ FENCE_WORD;
    }
    return differs == 0;
}

/* Where the fence of a state lies [bytes]. */
static size_t inner_size(const uint32_t *cfg) {
    return (INNER.state_size(cfg) + 7u) & ~(size_t)7;
}

static uint64_t *fence_of(const uint32_t *cfg, const void *state) {
    return (uint64_t *)((uintptr_t)state + inner_size(cfg));
}

static void leave(const uint32_t *cfg, const void *state, const char *call) {
    require(is_whole(fence_of(cfg, state)), call, "writes behind its state");
    guard.call = NULL;
}

/* Out and care of a call, with a fence behind each. */
typedef struct sides {
    uint64_t out[CAPS(OUT_WORDS) + FENCE], care[CAPS(OUT_WORDS) + FENCE];
} sides;

static void open_sides(const cfg_t *cfg, sides *s) {
    put_fence(s->out + out_words(cfg));
    put_fence(s->care + out_words(cfg));
}

static void close_sides(const cfg_t *cfg, const sides *s, uint64_t *out, uint64_t *care,
                        const char *call) {
    const uint32_t words = out_words(cfg);
    require(is_whole(s->out + words), call, "writes behind its output record");
    require(is_whole(s->care + words), call, "writes behind its care words");
    memcpy(out, s->out, words * sizeof *out);
    memcpy(care, s->care, words * sizeof *care);
}

static wlk_status guarded_check(const uint32_t *cfg, wlk_error *err) {
    guard.call = "check";
    const wlk_status status = INNER.check(cfg, err);
    guard.call = NULL;
    return status;
}

static size_t guarded_state_size(const uint32_t *cfg) {
    return inner_size(cfg) + FENCE * sizeof(uint64_t);
}

static void guarded_init(const uint32_t *cfg, void *state, wlk_power_up power_up) {
    guard.call = "init";
    guard.edges = 0;
    put_fence(fence_of(cfg, state));
    INNER.init(cfg, state, power_up);
    leave(cfg, state, "init");
}

static void guarded_eval(const uint32_t *cfg, const void *state, const uint64_t *in, uint64_t *out,
                         uint64_t *care) {
    sides s;
    guard.call = "eval";
    open_sides((const cfg_t *)cfg, &s);
    INNER.eval(cfg, state, in, s.out, s.care);
    close_sides((const cfg_t *)cfg, &s, out, care, "eval");
    leave(cfg, state, "eval");
}

static void guarded_tick(const uint32_t *cfg, void *state, const uint64_t *in,
                         wlk_step_info *info) {
    guard.call = "tick";
    INNER.tick(cfg, state, in, info);
    guard.edges++;
    leave(cfg, state, "tick");
}

static void guarded_record(const uint32_t *cfg, void *state, const uint64_t *in, uint64_t *out,
                           uint64_t *care, wlk_step_info *info) {
    sides s;
    guard.call = "record";
    open_sides((const cfg_t *)cfg, &s);
    INNER.record(cfg, state, in, s.out, s.care, info);
    close_sides((const cfg_t *)cfg, &s, out, care, "record");
    guard.edges++;
    leave(cfg, state, "record");
}

static int guarded_step(const uint32_t *cfg, void *state, const wlk_view *in, const wlk_view *got,
                        wlk_step_info *info) {
    guard.call = "step";
    const int differs = INNER.step(cfg, state, in, got, info);
    guard.edges += differs == 0;
    leave(cfg, state, "step");
    return differs;
}

static uint32_t guarded_outcomes(const uint32_t *cfg, const void *state, const uint64_t *in) {
    if (INNER.outcomes == NULL) {
        return 1;
    }
    guard.call = "outcomes";
    const uint32_t n = INNER.outcomes(cfg, state, in);
    leave(cfg, state, "outcomes");
    return n;
}

static void guarded_assume(const uint32_t *cfg, void *state, const uint64_t *in, uint32_t k) {
    if (INNER.assume != NULL) {
        guard.call = "assume";
        INNER.assume(cfg, state, in, k);
        leave(cfg, state, "assume");
    }
}

static void guarded_forget(const uint32_t *cfg, void *state, const uint64_t *in,
                           const uint64_t *x) {
    if (INNER.forget != NULL) {
        guard.call = "forget";
        INNER.forget(cfg, state, in, x);
        leave(cfg, state, "forget");
    }
}

static void guarded_clear(const uint32_t *cfg, void *state) {
    if (INNER.clear != NULL) {
        guard.call = "clear";
        INNER.clear(cfg, state);
        leave(cfg, state, "clear");
    }
}

static bool guarded_drained(const uint32_t *cfg, const void *state) {
    if (INNER.drained == NULL) {
        return true;
    }
    guard.call = "drained";
    const bool is_drained = INNER.drained(cfg, state);
    leave(cfg, state, "drained");
    return is_drained;
}

static void guarded_visit(const uint32_t *cfg, const void *state, wlk_state_visitor *visitor,
                          void *ctx) {
    guard.call = "visit";
    INNER.visit(cfg, state, visitor, ctx);
    leave(cfg, state, "visit");
}

static void guarded_late(const uint32_t *cfg, void *state) {
    guard.call = "late";
    put_fence(fence_of(cfg, state));
    INNER.late(cfg, state);
    leave(cfg, state, "late");
}

static void guarded_learn(const uint32_t *cfg, void *state, const wlk_sight *seen) {
    guard.call = "learn";
    INNER.learn(cfg, state, seen);
    leave(cfg, state, "learn");
}

/*
 * The entry, in `guarded` those of the optional calls whose absence says something, which only the
 * start can see: a constant cannot be made of another object's members.
 */
#define WLK_PLUGIN(plugin_stimulus)                                                                \
    static wlk_block guarded = {                                                                   \
        .table = &NAMED(table),                                                                    \
        .check = guarded_check,                                                                    \
        .state_size = guarded_state_size,                                                          \
        .init = guarded_init,                                                                      \
        .eval = guarded_eval,                                                                      \
        .tick = guarded_tick,                                                                      \
        .record = guarded_record,                                                                  \
        .step = guarded_step,                                                                      \
        .outcomes = guarded_outcomes,                                                              \
        .assume = guarded_assume,                                                                  \
        .forget = guarded_forget,                                                                  \
        .drained = guarded_drained,                                                                \
    };                                                                                             \
    __attribute__((constructor)) static void complete(void) {                                      \
        guarded.clear = INNER.clear != NULL ? guarded_clear : NULL;                                \
        guarded.visit = INNER.visit != NULL ? guarded_visit : NULL;                                \
        guarded.late = INNER.late != NULL ? guarded_late : NULL;                                   \
        guarded.learn = INNER.learn != NULL ? guarded_learn : NULL;                                \
        guarded.always_learns = INNER.always_learns;                                               \
        guarded.joins = INNER.joins;                                                               \
    }                                                                                              \
    __attribute__((visibility("default"))) extern const wlk_plugin wlk_plugin_entry;               \
    const wlk_plugin wlk_plugin_entry = {WLK_ABI_VERSION, WLK_VERSION, &guarded, plugin_stimulus,  \
                                         &guard}

#endif

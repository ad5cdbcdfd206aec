/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the source of a model begins with: short names for what is generated from the block's table.
 * Before including this it defines
 *   MODEL, MODEL_CAPS    the block's name in C, in small and in capital letters
 * and at its end is WLK_MODEL with the calls that the frame does not have (see calls.h).
 *
 * One source, several instruction sets: a model is compiled once for each set the build offers, its
 * block with the suffix WLK_ISA_SUFFIX. The base build has no suffix and is the public one;
 * wlk_block_find picks at run time.
 */
#ifndef WLK_FRAME_MODEL_H
#define WLK_FRAME_MODEL_H

#include <string.h>

#include "frame/names.h"

typedef NAMED(cfg) cfg_t;
typedef NAMED(state) state_t;

#define GET(field, words)        NAMED(in_get_##field)(words)
#define PUT(field, words, value) NAMED(out_put_##field)(words, value)

static inline uint32_t out_words(const cfg_t *cfg) {
    return NAMED(out_words)(cfg);
}

static wlk_status check(const uint32_t *params, wlk_error *err) {
    return wlk_config_check(&NAMED(table), params, err);
}

/* The block, with those of its calls that only some models have. */
#define WLK_MODEL(...)                                                                             \
    const wlk_block PASTE3(NAMED(block), WLK_ISA_SUFFIX, ) = {.table = &NAMED(table),              \
                                                              .check = check,                      \
                                                              .state_size = state_size,            \
                                                              .init = init,                        \
                                                              .eval = eval,                        \
                                                              .tick = tick,                        \
                                                              .record = record,                    \
                                                              .step = step,                        \
                                                              __VA_ARGS__}

#endif

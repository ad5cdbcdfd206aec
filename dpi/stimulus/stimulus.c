// SPDX-License-Identifier: Apache-2.0
// Which stimulus a block has: its own, stimulus.c in its folder, or the generic driver, driver.c.
#include "warplock/stimulus.h"

#include <string.h>

#include "common.h"
#include "stimuli.h"
#include "warplock/blocks.h"

#define DECLARE(name) extern const wlk_stimulus wlk_##name##_stimulus;
WLK_STIMULI(DECLARE)

// Blocks that need more than the generic driver; the comment on top of each file has the reason.
#define ENTRY(name) &wlk_##name##_stimulus,
static const wlk_stimulus *const all[] = {WLK_STIMULI(ENTRY)};

const wlk_stimulus *wlk_stimulus_find(const char *block) {
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(all[i]->block, block) == 0) {
            return all[i];
        }
    }
    const wlk_plugin *plugin = wlk_blocks_plugin(block);
    if (plugin != NULL && plugin->stimulus != NULL) {
        return plugin->stimulus;
    }
    return wlk_blocks_find(block) != NULL ? &wlk_driver_stimulus : NULL;
}

void wlk_stimulus_next(const wlk_stimulus *gen, const uint32_t *cfg, const void *model_state,
                       wlk_stimulus_state *stim, uint64_t *in) {
    if (gen->driven != NULL) {
        wlk_stim_drive(gen->driven, cfg, model_state, stim, in);
    } else {
        gen->next(cfg, model_state, stim, in);
    }
}

uint32_t wlk_stimulus_profiles(const wlk_stimulus *gen) {
    uint32_t n = 0;
    while (gen->profiles[n] != NULL) {
        n++;
    }
    return n;
}

bool wlk_stimulus_profile(const wlk_stimulus *gen, const char *name, uint32_t *profile) {
    const uint32_t n = wlk_stimulus_profiles(gen);
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(gen->profiles[i], name) == 0) {
            *profile = i;
            return true;
        }
    }
    *profile = n;
    return strcmp(name, "mix") == 0;
}

void wlk_stimulus_init(wlk_stimulus_state *stim, uint64_t seed, uint32_t profile) {
    memset(stim, 0, sizeof *stim);
    stim->random = seed;
    // Neighbouring seeds must not give shifted copies of one stream.
    stim->random = wlk_random(&stim->random);
    stim->profile = profile;
}

bool wlk_stimulus_legalise(const wlk_stimulus *gen, const uint32_t *cfg, const void *model_state,
                           uint64_t *in) {
    wlk_stimulus_state stim = {0};
    if (gen->driven == NULL || !gen->driven->legalises) {
        return false;
    }
    gen->driven->hook(&(stim_cycle){.cfg = cfg, .state = model_state, .stim = &stim}, in);
    return true;
}

bool wlk_stimulus_finished(const wlk_stimulus *gen, const wlk_block *block, const uint32_t *cfg,
                           const void *model_state, const wlk_stimulus_state *stim) {
    const bool idle = gen->driven != NULL ? wlk_stim_idle(stim)
                                          : gen->idle == NULL || gen->idle(cfg, model_state, stim);
    return idle && (block->drained == NULL || block->drained(cfg, model_state));
}

static uint32_t param_of(const wlk_table *table, const uint32_t *cfg, const char *name) {
    for (uint32_t i = 0; i < table->n_params; i++) {
        if (strcmp(table->params[i].name, name) == 0) {
            return cfg[i];
        }
    }
    return 0;
}

wlk_status wlk_stimulus_load(const wlk_stimulus *gen, const wlk_table *table, const uint32_t *cfg,
                             const char *path, wlk_program **program, wlk_error *err) {
    *program = NULL;
    if (!gen->programs) {
        return wlk_fail(err, WLK_USAGE, "block %s runs no programs; issue and issue_x do",
                        table->name);
    }
    return wlk_program_load(program, path, param_of(table, cfg, "num_warps"),
                            param_of(table, cfg, "num_pregs"), param_of(table, cfg, "num_lanes"),
                            param_of(table, cfg, "lane_bits"), err);
}

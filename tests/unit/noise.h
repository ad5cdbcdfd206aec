/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file noise.h
 * Inputs of the generic driver for any block: they need not be legal.
 */
#ifndef WARPLOCK_TEST_NOISE_H
#define WARPLOCK_TEST_NOISE_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "warplock/stimulus.h"

enum { NOISE_START = 4 }; /**< cycles in which the driver resets whatever it is asked */

typedef struct noise {
    const wlk_block *block;
    uint32_t cfg[WLK_MAX_PARAMS];
    wlk_layout layout;
    wlk_port *ports;
    uint64_t *all; /**< bits of the outputs that exist */
    uint64_t *in;
    wlk_driver *driver;
    wlk_stimulus_state stim;
} noise;

static inline uint64_t *noise_words(size_t n) {
    uint64_t *words = (uint64_t *)aligned_alloc(64, (n * sizeof(uint64_t) + 127u) / 64u * 64u);
    if (words == NULL) {
        abort();
    }
    memset(words, 0, n * sizeof *words);
    return words;
}

/** The port of that name, which must be there. */
static inline const wlk_port *noise_port(const noise *n, const char *name) {
    for (uint32_t i = 0; i < n->layout.n_ports; i++) {
        if (strcmp(n->ports[i].name, name) == 0) {
            return &n->ports[i];
        }
    }
    CHECK_MSG(false, "no port %s", name);
    abort();
}

/** @p settings: "key=value key=value ...", changes to the defaults. */
static inline void noise_open(noise *n, const char *block, const char *settings, uint64_t seed) {
    char text[256], *rest = text;
    wlk_error err;
    memset(n, 0, sizeof *n);
    n->block = wlk_block_find(block);
    wlk_config_defaults(n->block->table, n->cfg);
    (void)snprintf(text, sizeof text, "%s", settings);
    for (char *key = strtok_r(text, " ", &rest); key != NULL; key = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(key, '=');
        if (value == NULL) {
            abort();
        }
        *value++ = '\0';
        CHECK_MSG(wlk_config_set(n->block->table, n->cfg, key, value, &err) == WLK_OK, "%s",
                  err.text);
    }
    CHECK_MSG(n->block->check(n->cfg, &err) == WLK_OK, "%s", err.text);
    n->block->table->layout(n->cfg, &n->layout);
    n->ports = calloc(n->layout.n_ports, sizeof *n->ports);
    n->all = noise_words(n->layout.out_words);
    n->in = noise_words(n->layout.in_words);
    if (n->ports == NULL || wlk_driver_open(&n->driver, n->block, n->cfg, &err) != WLK_OK) {
        abort();
    }
    (void)n->block->table->ports(n->cfg, NULL, n->ports, n->layout.n_ports);
    for (uint32_t i = 0; i < n->layout.n_ports; i++) {
        if (n->ports[i].present && n->ports[i].is_out) {
            wlk_port_set(&n->ports[i], n->all, ~UINT64_C(0));
        }
    }
    wlk_stimulus_init(&n->stim, seed, wlk_stimulus_profiles(&wlk_driver_stimulus));
    n->stim.driver = n->driver;
}

static inline void noise_close(noise *n) {
    wlk_driver_close(n->driver);
    free(n->ports);
    free(n->all);
    free(n->in);
}

/** Inputs of the next cycle of @p state, in n->in. @p reset: of a cycle that must have one. */
static inline void noise_next(noise *n, const void *state, bool reset) {
    const bool start = n->stim.cycle < NOISE_START;
    wlk_driver_stimulus.next(n->cfg, state, &n->stim, n->in);
    for (uint32_t i = 0; i < n->layout.n_ports; i++) {
        if (n->ports[i].field == n->block->table->reset && (start || reset)) {
            wlk_port_set(&n->ports[i], n->in, reset);
        }
    }
}

static inline void *noise_state(const noise *n, const wlk_block *block, wlk_power_up power_up) {
    if (block == NULL) {
        fputs("no such block\n", stderr);
        exit(1);
    }
    void *state = noise_words(block->state_size(n->cfg) / sizeof(uint64_t) + 8u);
    block->init(n->cfg, state, power_up);
    return state;
}

#endif

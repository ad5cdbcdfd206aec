/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rig.h
 * The model of a block at work in one configuration: a record whose ports are set and read by name,
 * the state, and inputs of a stimulus if wanted. What is wrong in the test itself ends it.
 */
#ifndef WARPLOCK_TEST_RIG_H
#define WARPLOCK_TEST_RIG_H

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "warplock/stimulus.h"

enum { RIG_MAX_MEMORY = 32, RIG_TEXT = 1024 };

typedef struct rig {
    const wlk_block *block;
    uint32_t cfg[WLK_MAX_PARAMS];
    wlk_layout layout;
    wlk_port *ports;
    void *state;
    uint64_t *in, *out, *care; /**< the record of a cycle */
    uint64_t *all;             /**< bits of the outputs that exist */
    wlk_step_info info;        /**< of rig_record() */
    const wlk_stimulus *gen;   /**< of rig_next() */
    wlk_stimulus_state stim;
    wlk_driver *driver;
    wlk_program *program; /**< of rig_program() */
    void *memory[RIG_MAX_MEMORY];
    uint32_t n_memory;
} rig;

/** Words that are 0, aligned as a state must be, until rig_close(). */
static inline void *rig_words(rig *r, size_t n) {
    const size_t bytes = (n * sizeof(uint64_t) + 127u) / 64u * 64u;
    void *words = aligned_alloc(64, bytes);
    REQUIRE(words != NULL && r->n_memory < RIG_MAX_MEMORY, "no memory");
    memset(words, 0, bytes);
    r->memory[r->n_memory++] = words;
    return words;
}

/** A state of @p block, which may be the rig's for another instruction set. */
static inline void *rig_state(rig *r, const wlk_block *block, wlk_power_up power_up) {
    REQUIRE(block != NULL, "no such block");
    void *state = rig_words(r, block->state_size(r->cfg) / sizeof(uint64_t) + 8u);
    block->init(r->cfg, state, power_up);
    return state;
}

/** Change parameters: "key=value key=value ...". */
static inline wlk_status rig_configure(rig *r, const char *settings, wlk_error *err) {
    char text[RIG_TEXT], *rest = text;
    (void)snprintf(text, sizeof text, "%s", settings);
    for (char *key = strtok_r(text, " ", &rest); key != NULL; key = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(key, '=');
        REQUIRE(value != NULL, "%s", key);
        *value++ = '\0';
        if (wlk_config_set(r->block->table, r->cfg, key, value, err) != WLK_OK) {
            return err->status;
        }
    }
    return r->block->check(r->cfg, err);
}

/** Why the settings are refused, in @p err; false: they are not. */
static inline bool rig_refuses(const char *block, const char *settings, wlk_error *err) {
    rig tried = {.block = wlk_block_find(block)};
    wlk_config_defaults(tried.block->table, tried.cfg);
    return rig_configure(&tried, settings, err) != WLK_OK;
}

/** @p settings: changes to the defaults, as of rig_configure(). */
static inline void rig_open(rig *r, const char *block, const char *settings,
                            wlk_power_up power_up) {
    wlk_error err;
    memset(r, 0, sizeof *r);
    r->block = wlk_block_find(block);
    REQUIRE(r->block != NULL, "no block %s", block);
    wlk_config_defaults(r->block->table, r->cfg);
    REQUIRE(rig_configure(r, settings, &err) == WLK_OK, "%s", err.text);
    r->block->table->layout(r->cfg, &r->layout);
    r->ports = rig_words(r, r->layout.n_ports * sizeof *r->ports / sizeof(uint64_t) + 1u);
    (void)r->block->table->ports(r->cfg, NULL, r->ports, r->layout.n_ports);
    r->in = rig_words(r, r->layout.in_words);
    r->out = rig_words(r, r->layout.out_words);
    r->care = rig_words(r, r->layout.out_words);
    r->all = rig_words(r, r->layout.out_words);
    for (uint32_t i = 0; i < r->layout.n_ports; i++) {
        if (r->ports[i].present && r->ports[i].is_out) {
            wlk_port_set(&r->ports[i], r->all, ~UINT64_C(0));
        }
    }
    r->state = rig_state(r, r->block, power_up);
}

static inline void rig_close(rig *r) {
    wlk_driver_close(r->driver);
    r->driver = NULL;
    wlk_program_free(r->program);
    r->program = NULL;
    while (r->n_memory > 0) {
        free(r->memory[--r->n_memory]);
    }
}

/** The port of that name, which must be there; "io_" may be left out. */
static inline const wlk_port *rig_port(const rig *r, const char *name) {
    for (uint32_t i = 0; i < r->layout.n_ports; i++) {
        const char *port = r->ports[i].name;
        if (strcmp(port, name) == 0 || (strncmp(port, "io_", 3) == 0 && !strcmp(port + 3, name))) {
            return &r->ports[i];
        }
    }
    REQUIRE(false, "no port %s", name);
    return NULL;
}

static inline uint64_t rig_get(const rig *r, const char *name) {
    const wlk_port *port = rig_port(r, name);
    return wlk_port_get(port, port->is_out ? r->out : r->in);
}

static inline void rig_set(rig *r, const char *name, uint64_t value) {
    const wlk_port *port = rig_port(r, name);
    wlk_port_set(port, port->is_out ? r->out : r->in, value);
}

/** Set ports: "name=5 name name=0x1f", where a name alone is 1. */
__attribute__((format(printf, 2, 3))) static inline void rig_put(rig *r, const char *format, ...) {
    char text[RIG_TEXT], *rest = text;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *name = strtok_r(text, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(name, '=');
        if (value != NULL) {
            *value++ = '\0';
        }
        rig_set(r, name, value != NULL ? strtoull(value, NULL, 0) : 1u);
    }
}

/** Nothing asked, no reset. */
static inline void rig_idle(rig *r) {
    memset(r->in, 0, r->layout.in_words * sizeof *r->in);
}

/** Outputs for the inputs at hand, and the clock edge. */
static inline void rig_record(rig *r) {
    r->block->record(r->cfg, r->state, r->in, r->out, r->care, &r->info);
}

/** One side of a record as a step takes it, in a view that is 0 or an earlier one of this side. */
static inline void rig_look(const rig *r, const uint64_t *words, bool out, wlk_view *view) {
    const wlk_layout *l = &r->layout;
    view->control = words;
    for (uint32_t i = 0; i < (out ? l->n_out_payloads : l->n_in_payloads); i++) {
        view->payload[i] = words + (out ? l->out_payload : l->in_payload)[i].word;
    }
}

static inline wlk_view rig_view(const rig *r, const uint64_t *words, bool out) {
    wlk_view view = {0};
    rig_look(r, words, out, &view);
    return view;
}

/* ---- stimulus ---- */

static inline void rig_generator(rig *r, const wlk_stimulus *gen, uint64_t seed, uint32_t profile) {
    wlk_error err;
    r->gen = gen;
    wlk_stimulus_init(&r->stim, seed, profile);
    if (r->driver == NULL) {
        REQUIRE(!wlk_driver_open(&r->driver, r->block, r->cfg, &err), "%s", err.text);
    }
    r->stim.driver = r->driver;
}

/** The block's stimulus, a profile of it by name. */
static inline void rig_stimulus(rig *r, uint64_t seed, const char *profile) {
    const wlk_stimulus *gen = wlk_stimulus_find(r->block->table->name);
    uint32_t number = 0;
    REQUIRE(wlk_stimulus_profile(gen, profile, &number), "no profile %s", profile);
    rig_generator(r, gen, seed, number);
}

/** The block's stimulus, which runs the program of a file instead of random work. */
static inline void rig_program(rig *r, const char *path) {
    wlk_error err = {WLK_OK, ""};
    rig_stimulus(r, 1, "mix");
    wlk_program_free(r->program);
    REQUIRE(!wlk_stimulus_load(r->gen, r->block->table, r->cfg, path, &r->program, &err), "%s",
            err.text);
    r->stim.program = r->program;
}

/** The generic driver without a hook: inputs need not be legal. */
static inline void rig_noise(rig *r, uint64_t seed) {
    rig_generator(r, &wlk_driver_stimulus, seed, wlk_stimulus_profiles(&wlk_driver_stimulus));
}

/** Inputs of the next cycle of @p state. */
static inline void rig_next(rig *r, const void *state) {
    wlk_stimulus_next(r->gen, r->cfg, state, &r->stim, r->in);
}

/** Noise for @p state: reset in no cycle of the start but those asked for. */
static inline void rig_next_noise(rig *r, const void *state, bool reset) {
    enum { START = 4 }; // cycles in which the driver resets whatever it is asked
    const bool start = r->stim.cycle < START;
    rig_next(r, state);
    for (uint32_t i = 0; i < r->layout.n_ports; i++) {
        if (r->ports[i].field == r->block->table->reset && (start || reset)) {
            wlk_port_set(&r->ports[i], r->in, reset);
        }
    }
}

#endif

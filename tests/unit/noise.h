/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file noise.h
 * Random inputs for any block. They need not be legal, but break no rule of a reservation station
 * unless asked to, and are shaped so that something happens: resets are rare, registers often few.
 */
#ifndef WARPLOCK_TEST_NOISE_H
#define WARPLOCK_TEST_NOISE_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "warplock/stimulus.h"

/** How a port's random value is shaped. */
enum { NOISE_PLAIN, NOISE_REGISTER, NOISE_COUNT, NOISE_LANES, NOISE_BUSY };

typedef struct noise {
    const wlk_block *block;
    uint32_t cfg[WLK_MAX_PARAMS];
    wlk_layout layout;
    wlk_port *ports;
    uint8_t *kinds;       /**< of each port */
    uint32_t op_ready[3]; /**< ports admit.bits.valid of a reservation station */
    uint64_t *usable;     /**< bits of the inputs that exist */
    uint64_t *all;        /**< bits of the outputs that exist */
    uint64_t *in;
    uint64_t random;
    int32_t reset, soft_reset; /**< ports, or -1 */
    bool lawless;              /**< rules that a block reports may be broken */
} noise;

static inline uint64_t *noise_words(size_t n) {
    uint64_t *words = (uint64_t *)aligned_alloc(64, (n * sizeof(uint64_t) + 127u) / 64u * 64u);
    if (words == NULL) {
        abort();
    }
    memset(words, 0, n * sizeof *words);
    return words;
}

static inline uint8_t noise_kind(const wlk_port *port) {
    static const struct {
        const char *part;
        uint8_t kind;
    } kinds[] = {
        {"pReg", NOISE_REGISTER},      {"writeback_bits_rd", NOISE_REGISTER},
        {"pendingReads", NOISE_COUNT}, {"pendingWrites", NOISE_COUNT},
        {"tmask", NOISE_LANES},        {"admit_bits_busy", NOISE_BUSY},
    };
    static const char *const fields[] = {"_3", "_4", "_5", "_6"};
    const char *field = strstr(port->name, "essentials");
    if (port->is_out || !port->present || port->lane >= 0) {
        return NOISE_PLAIN;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strstr(port->name, kinds[i].part) != NULL) {
            return kinds[i].kind;
        }
    }
    for (size_t i = 0; field != NULL && i < sizeof fields / sizeof fields[0]; i++) {
        if (strcmp(field + strlen("essentials"), fields[i]) == 0) {
            return NOISE_REGISTER;
        }
    }
    return NOISE_PLAIN;
}

/** The port of that name; -1: there is none. */
static inline int32_t noise_find(const noise *n, const char *name) {
    for (uint32_t i = 0; i < n->layout.n_ports; i++) {
        if (strcmp(n->ports[i].name, name) == 0) {
            return (int32_t)i;
        }
    }
    return -1;
}

/** The port of that name, which must be there. */
static inline const wlk_port *noise_port(const noise *n, const char *name) {
    const int32_t i = noise_find(n, name);
    if (!CHECK_MSG(i >= 0, "no port %s", name)) {
        abort();
    }
    return &n->ports[i];
}

static inline void noise_ports(noise *n) {
    (void)n->block->table->ports(n->cfg, NULL, n->ports, n->layout.n_ports);
    for (uint32_t i = 0; i < n->layout.n_ports; i++) {
        const wlk_port *port = &n->ports[i];
        if (port->present) {
            wlk_port_set(port, port->is_out ? n->all : n->usable, ~UINT64_C(0));
        }
        n->kinds[i] = noise_kind(port);
    }
    n->reset = noise_find(n, "reset");
    n->soft_reset = noise_find(n, "io_softReset");
    for (uint32_t k = 0; k < 3; k++) {
        char name[] = "io_admit_bits_valid_0";
        name[sizeof name - 2u] = (char)('0' + k);
        n->op_ready[k] = (uint32_t)noise_find(n, name); // used where there is a busy beside it
    }
}

/** @p settings: "key=value key=value ...", changes to the defaults. */
static inline void noise_open(noise *n, const char *block, const char *settings, uint64_t seed) {
    char text[256], *rest = text;
    wlk_error err;
    memset(n, 0, sizeof *n);
    n->block = wlk_block_find(block);
    n->random = seed;
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
    n->ports = (wlk_port *)calloc(n->layout.n_ports, sizeof *n->ports);
    n->usable = noise_words(n->layout.in_words);
    n->all = noise_words(n->layout.out_words);
    n->in = noise_words(n->layout.in_words);
    n->kinds = (uint8_t *)calloc(n->layout.n_ports, 1);
    if (n->ports == NULL || n->kinds == NULL) {
        abort();
    }
    noise_ports(n);
}

static inline void noise_close(noise *n) {
    free(n->ports);
    free(n->kinds);
    free(n->usable);
    free(n->all);
    free(n->in);
}

/** A count of pending reads or writes is mostly 0, lanes are mostly all written. */
static inline void noise_shape_port(noise *n, uint32_t i, uint64_t kind) {
    const wlk_port *port = &n->ports[i];
    uint64_t value = wlk_port_get(port, n->in);
    switch (n->kinds[i]) {
    case NOISE_REGISTER:
        value &= kind & 3u ? 3u : ~UINT64_C(0);
        break;
    case NOISE_COUNT:
        value = wlk_random(&n->random) & 3u ? 0u : value;
        break;
    case NOISE_LANES:
        value = kind & 4u ? ~UINT64_C(0) : value;
        break;
    case NOISE_BUSY: // of an operand that is ready it would break a rule
        value &= n->lawless ? value : ~wlk_port_get(&n->ports[n->op_ready[port->index[0]]], n->in);
        break;
    default:
        return;
    }
    wlk_port_set(port, n->in, value);
}

/** Inputs of the next cycle, in n->in. @p reset: of a cycle that must have one. */
static inline void noise_next(noise *n, bool reset) {
    const uint64_t kind = wlk_random(&n->random);
    for (uint32_t w = 0; w < n->layout.in_words; w++) {
        n->in[w] = wlk_random(&n->random) & n->usable[w];
    }
    for (uint32_t i = 0; i < n->layout.n_ports; i++) {
        if (n->kinds[i] != NOISE_PLAIN) {
            noise_shape_port(n, i, kind);
        }
    }
    if (n->reset >= 0) {
        wlk_port_set(&n->ports[n->reset], n->in, reset || (kind >> 8 & 255u) == 0u);
    }
    if (n->soft_reset >= 0) {
        wlk_port_set(&n->ports[n->soft_reset], n->in, (kind >> 16 & 63u) == 0u);
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

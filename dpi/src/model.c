// SPDX-License-Identifier: Apache-2.0
#include "warplock/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_private.h"
#include "ports.h"
#include "warplock/blocks.h"

void *wlk_model_open(unsigned long long abi_version, unsigned long long schema_hash,
                     const char *name) {
    const char *remedy = "write the model again with `scripts/warplock model`";
    wlk_error err = {WLK_OK, ""};
    const wlk_block *block = wlk_blocks_of_schema(schema_hash, &err);
    if (abi_version != WLK_ABI_VERSION) {
        fprintf(stderr,
                "warplock: %s: the model was written for ABI version %llu, the library has %u; "
                "%s\n",
                name, abi_version, WLK_ABI_VERSION, remedy);
        return NULL;
    }
    if (block == NULL) {
        fprintf(stderr, "warplock: %s: the library has no block with schema %016llx; %s%s%s\n",
                name, schema_hash, remedy, err.text[0] != '\0' ? ": " : "", err.text);
        return NULL;
    }
    model *m = calloc(1, sizeof *m);
    if (m == NULL) {
        fprintf(stderr, "warplock: %s: no memory for one more model\n", name);
        return NULL;
    }
    m->tag = WLK_TAG_MODEL;
    m->block = block;
    (void)snprintf(m->name, sizeof m->name, "%s", name);
    return m;
}

void wlk_model_param(void *handle, unsigned long long index, unsigned long long value) {
    model *m = wlk_model_any(handle);
    if (m != NULL && index < m->block->table->n_params) {
        m->cfg[index] = (uint32_t)value;
        m->given |= UINT32_C(1) << index;
    }
}

static uint32_t words_of(const model *m, uint64_t side) {
    return side == WLK_MODEL_IN ? m->layout.in_words : m->layout.out_words;
}

static bool allocate(model *m) {
    const wlk_table *table = m->block->table;
    const uint32_t n = table->ports(m->cfg, NULL, NULL, 0);
    table->layout(m->cfg, &m->layout);
    m->layout.n_ports = n;
    bool all = true;
    for (uint32_t side = 0; side < WLK_MODEL_SIDES; side++) {
        m->words[side] = calloc(words_of(m, side), sizeof(uint64_t));
        all = all && m->words[side] != NULL;
    }
    m->more = calloc(2u * (size_t)m->layout.out_words, sizeof *m->more);
    m->ports = calloc(n, sizeof *m->ports);
    m->when = calloc(n, sizeof *m->when);
    m->other = wlk_state_new(m->block, m->cfg);
    return all && m->more != NULL && m->ports != NULL && m->when != NULL && m->other != NULL &&
           wlk_candidates_open(&m->now, m->block, m->cfg) == WLK_OK;
}

static wlk_status start(model *m, wlk_power_up power_up, wlk_error *err) {
    const wlk_table *table = m->block->table;
    if (m->given != (uint32_t)wlk_mask(table->n_params)) {
        return wlk_fail(err, WLK_BAD_PARAMS, "not every parameter was given");
    }
    const wlk_status status = m->block->check(m->cfg, err);
    if (status != WLK_OK) {
        return status;
    }
    if (!allocate(m)) {
        return wlk_fail(err, WLK_NO_MEMORY, "no memory for one more model");
    }
    const uint32_t n = table->ports(m->cfg, NULL, m->ports, m->layout.n_ports);
    m->has_inexact = wlk_ports_when(table, m->ports, n, m->when);
    m->reset_port = wlk_port_find(m->ports, n, table->reset, NULL);
    m->reset_seen = power_up != WLK_POWER_UNKNOWN || m->reset_port < 0;
    wlk_candidates_init(&m->now, power_up);
    memcpy(m->other, m->now.states[0], m->now.size);
    m->version = 1;
    m->started = true;
    return WLK_OK;
}

int wlk_model_start(void *handle, unsigned long long power_up) {
    model *m = wlk_model_any(handle);
    wlk_error err = {WLK_OK, ""};
    if (m == NULL) {
        return (int)WLK_BAD_VERSION;
    }
    const bool unknown = power_up == WLK_POWER_UNKNOWN;
    const wlk_status status = start(m, unknown ? WLK_POWER_UNKNOWN : WLK_POWER_ZERO, &err);
    if (status != WLK_OK) {
        fprintf(stderr, "warplock: %s: %s\n", m->name, err.text);
    }
    return (int)status;
}

void wlk_model_put(void *handle, unsigned long long side, unsigned long long first,
                   unsigned long long w0, unsigned long long w1, unsigned long long w2,
                   unsigned long long w3, unsigned long long w4, unsigned long long w5,
                   unsigned long long w6, unsigned long long w7) {
    const uint64_t from[WLK_MODEL_PIECE] = {w0, w1, w2, w3, w4, w5, w6, w7};
    const model *m = wlk_model_of(handle);
    if (m == NULL || side > WLK_MODEL_THERE) {
        return;
    }
    const uint64_t n = words_of(m, side);
    for (uint32_t i = 0; i < WLK_MODEL_PIECE && first + i < n; i++) {
        m->words[side][first + i] = from[i];
    }
}

void wlk_model_get(void *handle, unsigned long long side, unsigned long long first,
                   unsigned long long *w0, unsigned long long *w1, unsigned long long *w2,
                   unsigned long long *w3, unsigned long long *w4, unsigned long long *w5,
                   unsigned long long *w6, unsigned long long *w7) {
    unsigned long long *const to[WLK_MODEL_PIECE] = {w0, w1, w2, w3, w4, w5, w6, w7};
    const model *m = wlk_model_of(handle);
    const bool known = m != NULL && (side == WLK_MODEL_OUT || side == WLK_MODEL_CARE);
    const uint64_t n = known ? words_of(m, side) : 0u;
    for (uint32_t i = 0; i < WLK_MODEL_PIECE; i++) {
        *to[i] = first + i < n ? m->words[side][first + i] : 0u;
    }
}

// The state before the last edge, where the module has not taken that edge yet.
static const void *state_of(const model *m, uint64_t version) {
    return version == m->version ? m->now.states[0] : m->other;
}

int wlk_model_eval(void *handle, unsigned long long version) {
    model *m = wlk_model_of(handle);
    if (m == NULL) {
        return 0;
    }
    const uint64_t *out = m->words[WLK_MODEL_OUT];
    m->block->eval(m->cfg, state_of(m, version), m->words[WLK_MODEL_IN], m->words[WLK_MODEL_OUT],
                   m->words[WLK_MODEL_CARE]);
    m->turn = m->turned ^ (memcmp(out, m->more, m->layout.out_words * sizeof *out) != 0);
    return m->turn;
}

void wlk_model_show(void *handle) {
    model *m = wlk_model_of(handle);
    if (m != NULL) {
        memcpy(m->more, m->words[WLK_MODEL_OUT], m->layout.out_words * sizeof *m->more);
        m->turned = m->turn;
    }
}

void wlk_model_tick(void *handle, unsigned long long version) {
    model *m = wlk_model_of(handle);
    wlk_step_info info = {0, 0};
    if (m == NULL) {
        return;
    }
    if (version == m->version) {
        memcpy(m->other, m->now.states[0], m->now.size);
    } else { // a second edge before the first was taken: as with registers, the last one counts
        memcpy(m->now.states[0], m->other, m->now.size);
    }
    m->block->tick(m->cfg, m->now.states[0], m->words[WLK_MODEL_IN], &info);
    m->version = version + 1u;
}

void wlk_model_close(void *handle) {
    model *m = wlk_model_any(handle);
    if (m == NULL) {
        return;
    }
    m->tag = 0;
    wlk_candidates_close(&m->now);
    for (uint32_t side = 0; side < WLK_MODEL_SIDES; side++) {
        free(m->words[side]);
    }
    free(m->more);
    free(m->ports);
    free(m->when);
    free(m->other);
    free(m);
}

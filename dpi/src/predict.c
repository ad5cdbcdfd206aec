// SPDX-License-Identifier: Apache-2.0
// A predictor carries all states that are possible (candidates.h), since nobody may tell it what
// the RTL shows; wlk_predict_settle does.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_private.h"
#include "ports.h"

typedef struct snapshot {
    uint64_t tag;
    const wlk_block *block;
    uint32_t cfg[WLK_MAX_PARAMS];
    size_t size; // of a state
    uint32_t n;
    bool reset_seen;
    unsigned char *states;
} snapshot;

// The handle; NULL after one line: it is none of a predictor.
static model *predictor(void *handle, const char *call) {
    model *m = wlk_model_of(handle);
    if (m == NULL) {
        fprintf(stderr,
                "warplock: %s: no predictor; give what open() returned, unless it is null\n", call);
    }
    return m;
}

// Outputs and care of one state; a bit without care is 0.
static void outputs(const model *m, const void *state, uint64_t *out, uint64_t *care) {
    const uint64_t *in = m->words[WLK_MODEL_IN];
    m->block->eval(m->cfg, state, in, out, care);
    if (m->has_inexact) {
        wlk_ports_narrow(m->block->table, m->ports, m->layout.n_ports, m->when, in, out, care);
    }
}

// What another way of this cycle shows in other bits is not known.
static void agree(const model *m, const void *state) {
    uint64_t *out = m->words[WLK_MODEL_OUT], *care = m->words[WLK_MODEL_CARE];
    const uint64_t *other = m->more, *other_care = m->more + m->layout.out_words;
    outputs(m, state, m->more, m->more + m->layout.out_words);
    for (uint32_t w = 0; w < m->layout.out_words; w++) {
        care[w] &= other_care[w] & ~(out[w] ^ other[w]);
    }
}

// Each way in which this cycle can go from a state, without a change of the candidates. A block
// that joins them has done that.
static void ways_of(const model *m, const void *state, bool first) {
    const uint64_t *in = m->words[WLK_MODEL_IN];
    const wlk_block *block = m->block;
    const bool parts = block->outcomes != NULL && !block->joins;
    const uint32_t ways = parts ? block->outcomes(m->cfg, state, in) : 1u;
    for (uint32_t k = 0; k < ways; k++) {
        if (ways > 1) {
            memcpy(m->other, state, m->now.size);
            block->assume(m->cfg, m->other, in, k);
        }
        const void *way = ways > 1 ? m->other : state;
        if (first && k == 0) {
            outputs(m, way, m->words[WLK_MODEL_OUT], m->words[WLK_MODEL_CARE]);
        } else {
            agree(m, way);
        }
    }
}

int wlk_predict_eval(void *handle) {
    const model *m = predictor(handle, "eval");
    if (m == NULL) {
        return (int)WLK_BAD_PARAMS;
    }
    for (uint32_t i = 0; i < m->now.n; i++) {
        ways_of(m, m->now.states[i], i == 0);
    }
    for (uint32_t w = 0; w < m->layout.out_words; w++) {
        m->words[WLK_MODEL_CARE][w] &= m->reset_seen ? ~UINT64_C(0) : 0u;
        m->words[WLK_MODEL_OUT][w] &= m->words[WLK_MODEL_CARE][w];
    }
    return 0;
}

int wlk_predict_tick(void *handle, unsigned int *broken) {
    model *m = predictor(handle, "tick");
    wlk_step_info info = {0, 0};
    *broken = 0;
    if (m == NULL) {
        return (int)WLK_BAD_PARAMS;
    }
    const uint64_t *in = m->words[WLK_MODEL_IN];
    const bool reset = m->reset_port >= 0 && wlk_port_get(&m->ports[m->reset_port], in) != 0;
    wlk_candidates_fork(&m->now, in);
    wlk_candidates_tick(&m->now, in, &info);
    m->reset_seen = m->reset_seen || reset;
    *broken = info.violated;
    return 0;
}

static bool contradicts(const model *m, const void *state) {
    const uint64_t *got = m->words[WLK_MODEL_GOT], *there = m->words[WLK_MODEL_THERE];
    const uint64_t *out = m->more, *care = m->more + m->layout.out_words;
    uint64_t wrong = 0;
    outputs(m, state, m->more, m->more + m->layout.out_words);
    for (uint32_t w = 0; w < m->layout.out_words; w++) {
        wrong |= (out[w] ^ got[w]) & care[w] & there[w];
    }
    return wrong != 0;
}

int wlk_predict_settle(void *handle) {
    model *m = predictor(handle, "settle");
    bool wrong[WLK_MAX_CANDIDATES];
    uint32_t left = 0;
    if (m == NULL) {
        return 0;
    }
    if (!m->reset_seen) {
        return 1; // nothing is known yet that could be contradicted
    }
    wlk_candidates_fork(&m->now, m->words[WLK_MODEL_IN]);
    for (uint32_t i = 0; i < m->now.n; i++) {
        wrong[i] = contradicts(m, m->now.states[i]);
        left += !wrong[i];
    }
    // From the last: what takes the place of a dropped one has been looked at.
    for (uint32_t i = m->now.n; left > 0 && i > 0; i--) {
        if (wrong[i - 1u]) {
            wlk_candidates_drop(&m->now, i - 1u);
        }
    }
    return left > 0;
}

void *wlk_predict_snapshot(void *handle) {
    const model *m = predictor(handle, "snapshot");
    snapshot *s = m != NULL ? calloc(1, sizeof *s) : NULL;
    if (s == NULL || (s->states = malloc(m->now.n * m->now.size)) == NULL) {
        free(s);
        return NULL;
    }
    s->tag = WLK_TAG_SNAPSHOT;
    s->block = m->block;
    memcpy(s->cfg, m->cfg, sizeof s->cfg);
    s->size = m->now.size;
    s->n = m->now.n;
    s->reset_seen = m->reset_seen;
    for (uint32_t i = 0; i < s->n; i++) {
        memcpy(s->states + i * s->size, m->now.states[i], s->size);
    }
    return s;
}

int wlk_predict_restore(void *handle, void *taken) {
    model *m = predictor(handle, "restore");
    const snapshot *s = (const snapshot *)taken;
    if (m == NULL) {
        return (int)WLK_BAD_PARAMS;
    }
    if (s == NULL || s->tag != WLK_TAG_SNAPSHOT) {
        fprintf(stderr, "warplock: %s: restore: no snapshot; give what snapshot() returned\n",
                m->name);
        return (int)WLK_BAD_PARAMS;
    }
    if (s->block != m->block || memcmp(s->cfg, m->cfg, sizeof s->cfg) != 0) {
        fprintf(stderr,
                "warplock: %s: restore: the snapshot is of another block or configuration\n",
                m->name);
        return (int)WLK_BAD_PARAMS;
    }
    if (!wlk_candidates_take(&m->now, s->states, s->n)) {
        fprintf(stderr, "warplock: %s: restore: no memory\n", m->name);
        return (int)WLK_NO_MEMORY;
    }
    m->reset_seen = s->reset_seen;
    return 0;
}

void wlk_predict_release(void *taken) {
    snapshot *s = (snapshot *)taken;
    if (s != NULL && s->tag == WLK_TAG_SNAPSHOT) {
        s->tag = 0;
        free(s->states);
        free(s);
    }
}

// SPDX-License-Identifier: Apache-2.0
#include "warplock/candidates.h"

#include <stdlib.h>
#include <string.h>

void *wlk_state_new(const wlk_block *block, const uint32_t *cfg) {
    return aligned_alloc(64u, (block->state_size(cfg) + 63u) / 64u * 64u);
}

wlk_status wlk_candidates_open(wlk_candidates *w, const wlk_block *block, const uint32_t *cfg) {
    memset(w, 0, sizeof *w);
    w->block = block;
    w->cfg = cfg;
    w->size = block->state_size(cfg);
    w->states = calloc(WLK_MAX_CANDIDATES, sizeof *w->states);
    if (w->states != NULL) {
        w->states[0] = wlk_state_new(block, cfg);
    }
    if (w->states == NULL || w->states[0] == NULL) {
        wlk_candidates_close(w);
        return WLK_NO_MEMORY;
    }
    w->n = 1;
    w->room = 1;
    return WLK_OK;
}

void wlk_candidates_close(wlk_candidates *w) {
    for (uint32_t i = 0; w->states != NULL && i < w->room; i++) {
        free(w->states[i]);
    }
    free(w->states);
    memset(w, 0, sizeof *w);
}

void wlk_candidates_init(wlk_candidates *w, wlk_power_up power_up) {
    w->n = 1;
    const bool zero = power_up != WLK_POWER_UNKNOWN;
    w->block->init(w->cfg, w->states[0], zero ? WLK_POWER_ZERO : WLK_POWER_UNKNOWN);
}

void wlk_candidates_late(wlk_candidates *w) {
    w->n = 1;
    w->left_out = false;
    if (w->block->late != NULL) {
        w->block->late(w->cfg, w->states[0]);
    }
}

void wlk_candidates_learn(wlk_candidates *w, const wlk_sight *seen) {
    for (uint32_t i = 0; w->block->learn != NULL && i < w->n; i++) {
        w->block->learn(w->cfg, w->states[i], seen);
    }
}

// A place after the last candidate; NULL when there is none.
static void *add(wlk_candidates *w) {
    if (w->n == WLK_MAX_CANDIDATES) {
        return NULL;
    }
    if (w->n == w->room) {
        w->states[w->room] = wlk_state_new(w->block, w->cfg);
        w->room += w->states[w->room] != NULL;
    }
    return w->n < w->room ? w->states[w->n++] : NULL;
}

void wlk_candidates_fork(wlk_candidates *w, const uint64_t *in) {
    const uint32_t before = w->n;
    for (uint32_t i = 0; w->block->outcomes != NULL && i < before; i++) {
        const uint32_t ways = w->block->outcomes(w->cfg, w->states[i], in);
        if (w->block->joins && w->n - 1u + ways > WLK_MAX_CANDIDATES) {
            continue; // it stays a state of which less is known, and nothing is left out
        }
        for (uint32_t k = 1; k < ways; k++) {
            void *other = add(w);
            w->left_out = w->left_out || other == NULL;
            if (other != NULL) {
                memcpy(other, w->states[i], w->size);
                w->block->assume(w->cfg, other, in, k);
            }
        }
        if (ways > 1) {
            w->block->assume(w->cfg, w->states[i], in, 0);
        }
    }
}

static void swap(wlk_candidates *w, uint32_t a, uint32_t b) {
    void *state = w->states[a];
    w->states[a] = w->states[b];
    w->states[b] = state;
}

void wlk_candidates_prefer(wlk_candidates *w, uint32_t i) {
    swap(w, 0, i);
}

void wlk_candidates_drop(wlk_candidates *w, uint32_t i) {
    swap(w, i, --w->n);
}

bool wlk_candidates_take(wlk_candidates *w, const void *states, uint32_t n) {
    const uint32_t before = w->n;
    while (w->n < n) {
        if (add(w) == NULL) {
            w->n = before;
            return false;
        }
    }
    w->n = n;
    for (uint32_t i = 0; i < n; i++) {
        memcpy(w->states[i], (const unsigned char *)states + i * w->size, w->size);
    }
    return true;
}

static void merge(wlk_candidates *w) {
    for (uint32_t a = 0; a + 1u < w->n; a++) {
        for (uint32_t b = w->n - 1u; b > a; b--) {
            if (memcmp(w->states[a], w->states[b], w->size) == 0) {
                wlk_candidates_drop(w, b);
            }
        }
    }
}

void wlk_candidates_clear(wlk_candidates *w) {
    for (uint32_t i = 0; w->block->clear != NULL && i < w->n; i++) {
        w->block->clear(w->cfg, w->states[i]);
    }
    merge(w);
}

// @p x: unknown bits of payloads, or NULL.
static void tick(const wlk_candidates *w, uint32_t i, const uint64_t *in, const uint64_t *x,
                 wlk_step_info *info) {
    const wlk_block *b = w->block;
    if (x != NULL && b->tick_unknown != NULL) {
        b->tick_unknown(w->cfg, w->states[i], in, x, info);
        return;
    }
    b->tick(w->cfg, w->states[i], in, info);
    if (x != NULL && b->forget != NULL) {
        b->forget(w->cfg, w->states[i], in, x);
    }
}

void wlk_candidates_tick_unknown(wlk_candidates *w, const uint64_t *in, const uint64_t *x,
                                 wlk_step_info *info) {
    wlk_step_info other;
    tick(w, 0, in, x, info);
    for (uint32_t i = 1; i < w->n; i++) {
        tick(w, i, in, x, &other);
        info->violated &= other.violated; // a rule is broken if it is in each of them
    }
    merge(w);
}

void wlk_candidates_tick(wlk_candidates *w, const uint64_t *in, wlk_step_info *info) {
    wlk_candidates_tick_unknown(w, in, NULL, info);
}

static bool forks(const wlk_candidates *w, const uint64_t *in) {
    return w->n > 1 ||
           (w->block->outcomes != NULL && w->block->outcomes(w->cfg, w->states[0], in) > 1);
}

void wlk_candidates_record(wlk_candidates *w, const uint64_t *in, uint64_t *out, uint64_t *care,
                           uint32_t out_words, uint64_t *other, wlk_step_info *info) {
    if (!forks(w, in)) {
        w->block->record(w->cfg, w->states[0], in, out, care, info);
        return;
    }
    wlk_candidates_fork(w, in);
    w->block->eval(w->cfg, w->states[0], in, out, care);
    for (uint32_t i = 1; i < w->n; i++) {
        w->block->eval(w->cfg, w->states[i], in, other, other + out_words);
        for (uint32_t n = 0; n < out_words; n++) {
            care[n] &= other[out_words + n] & ~(out[n] ^ other[n]);
        }
    }
    for (uint32_t n = 0; n < out_words; n++) {
        out[n] &= care[n];
    }
    wlk_candidates_tick(w, in, info);
}

void wlk_candidates_run(wlk_candidates *w, const wlk_layout *layout, uint64_t n, const uint64_t *in,
                        uint64_t *out, uint64_t *care, uint32_t *broken, uint64_t *other) {
    for (uint64_t i = 0; i < n; i++) {
        wlk_step_info info = {0, 0};
        wlk_candidates_record(w, in + i * layout->in_words, out + i * layout->out_words,
                              care + i * layout->out_words, layout->out_words, other, &info);
        if (broken != NULL) {
            broken[i] = info.violated;
        }
    }
}

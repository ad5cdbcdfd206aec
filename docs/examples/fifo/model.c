// SPDX-License-Identifier: Apache-2.0
// First in, first out, with a flush. Rules: README.md.
#include "warplock/fifo_ports.h"

#define MODEL      fifo
#define MODEL_CAPS FIFO
#include "frame/model.h"

struct wlk_fifo_state {
    uint32_t count, oldest;
    uint64_t words[WLK_FIFO_MAX_DEPTH];
};

#include "frame/structs.h"

static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, out_t *out, out_t *care) {
    (void)in;
    SHOW(push_ready_o, st->count < cfg->depth);
    SHOW(pop_valid_o, st->count > 0);
    SHOW(count_o, st->count);
    if (st->count > 0) {
        SHOW(pop_data_o, st->words[st->oldest]);
    }
}

static void edge(const cfg_t *cfg, state_t *st, const in_t *in) {
    const bool push = in->push_valid_i && st->count < cfg->depth;
    const bool pop = in->pop_ready_i && st->count > 0;
    if (in->flush_i) {
        st->count = 0;
        return;
    }
    if (push) {
        st->words[(st->oldest + st->count) % cfg->depth] = in->push_data_i;
    }
    st->oldest = (st->oldest + pop) % cfg->depth;
    st->count += (uint32_t)push - (uint32_t)pop;
}

static void clear(const cfg_t *cfg, state_t *st) {
    (void)cfg;
    st->count = 0;
    st->oldest = 0;
}

static uint64_t points(const cfg_t *cfg, const state_t *st, const in_t *in, const out_t *out) {
    uint64_t events = 0;
    events |= st->count == cfg->depth ? EVENT(FULL) : 0u;
    events |= st->count == cfg->depth && in->pop_ready_i ? EVENT(THROUGH_FULL) : 0u;
    events |= out->pop_valid_o && in->flush_i ? EVENT(FLUSH_OF_WORDS) : 0u;
    return events;
}

static bool idle(const cfg_t *cfg, const state_t *st) {
    (void)cfg;
    return st->count == 0;
}

static void show(const cfg_t *cfg, const state_t *st, wlk_state_visitor *visitor, void *ctx) {
    for (uint32_t i = 0; i < st->count; i++) {
        const flop word = {"words", st->words[(st->oldest + i) % cfg->depth], ~UINT64_C(0),
                           WLK_HEX};
        visit_flops(&word, 1, (int32_t)i, visitor, ctx);
    }
}

WLK_STRUCTS_MODEL(.unknown_start = true, .events = points, .drained = idle, .show = show);

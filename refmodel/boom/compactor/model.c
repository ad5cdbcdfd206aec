// SPDX-License-Identifier: Apache-2.0
// BOOM's Compactor. Rules: README.md.
#include "boom/compact.h"
#include "warplock/compactor_view.h"

#define MODEL      compactor
#define MODEL_CAPS COMPACTOR
#include "frame/no_state.h"

#include "frame/bits.h"

static const uint64_t zeros[WLK_COMPACTOR_MAX_PAYLOAD_WORDS] = {0};

static void route(const cfg_t *cfg, const in_t *in, compaction *c) {
    bool valid[MOST];
    for (uint32_t i = 0; i < cfg->n; i++) {
        valid[i] = in->in[i].valid;
    }
    compact(cfg->n, cfg->k, valid, c);
}

static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, out_t *out, care_t *care) {
    compaction c;
    (void)st;
    route(cfg, in, &c);
    for (uint32_t i = 0; i < cfg->n; i++) {
        const uint32_t j = c.output_of[i];
        SHOW(in[i].ready, j != NONE && in->out[j].ready); // rule 5
    }
    for (uint32_t j = 0; j < cfg->k; j++) {
        const uint32_t i = c.input_of[j];
        SHOW(out[j].valid, i != NONE && in->in[i].valid); // rule 3
        if (i != NONE) {                                  // rule 4
            SHOW_WORDS(out[j].bits.payload, in->in[i].bits.payload);
        } else {
            SHOW_WORDS(out[j].bits.payload, zeros);
        }
    }
}

// Sets have a bit for each input or output.
static uint64_t events(const cfg_t *cfg, const state_t *st, const in_t *in, const out_t *out) {
    uint32_t valid = 0, ready = 0, in_ready = 0, out_valid = 0, last = 0;
    compaction c;
    (void)st;
    route(cfg, in, &c);
    for (uint32_t i = 0; i < cfg->n; i++) {
        valid |= (uint32_t)in->in[i].valid << i;
        in_ready |= (uint32_t)out->in[i].ready << i;
    }
    for (uint32_t j = 0; j < cfg->k; j++) {
        ready |= (uint32_t)in->out[j].ready << j;
        out_valid |= (uint32_t)out->out[j].valid << j;
        last = c.input_of[j];
    }
    const uint32_t idle = ~valid & set_below(cfg->n), outs = set_below(cfg->k);
    const uint32_t taken = out_valid & ready, kept = out_valid & ~ready;
    const bool all_full = cfg->n > cfg->k && set_size(valid) >= cfg->k;
    const bool behind_all = all_full && idle >> last != 0;
    return (taken == outs ? EVENT(FULL) : 0u) | (set_is_behind(valid, idle) ? EVENT(GAP) : 0u) |
           (set_size(valid) > cfg->k ? EVENT(TOO_MANY) : 0u) |
           (taken != 0 && kept != 0 ? EVENT(PARTIAL) : 0u) |
           (set_is_behind(taken, kept) ? EVENT(YOUNGER_PASSES) : 0u) |
           (set_is_behind(ready, ~ready & outs) ? EVENT(READY_NOT_CONTIGUOUS) : 0u) |
           ((idle & in_ready) != 0 ? EVENT(IDLE_READY) : 0u) |
           ((idle & ~in_ready) != 0 ? EVENT(IDLE_NOT_READY) : 0u) |
           (behind_all ? EVENT(IDLE_BEHIND_ALL) : 0u) | (valid == 0 ? EVENT(NONE) : 0u) |
           (valid != 0 && ready == 0 ? EVENT(STUCK) : 0u);
}

WLK_STRUCTS_MODEL(.events = events);

// SPDX-License-Identifier: Apache-2.0
// BOOM's Compactor as a block: record words in and out around compactor_rules.h.
#include "compactor_rules.h"

#include "frame/isa.h"
#include "warplock/compactor_ports.h"

typedef wlk_compactor_cfg cfg_t;

#define TABLE                    wlk_compactor_table
#define GET(field, words)        wlk_compactor_in_get_##field(words)
#define PUT(field, words, value) wlk_compactor_out_put_##field(words, value)
#define EVENT(point)             (UINT64_C(1) << WLK_COMPACTOR_EV_##point)

enum {
    OUT_WORDS = WLK_COMPACTOR_OUT_CONTROL + WLK_COMPACTOR_MAX_K * WLK_COMPACTOR_MAX_PAYLOAD_WORDS
};

static uint32_t out_words(const cfg_t *cfg) {
    return wlk_compactor_out_words(cfg);
}

static void full_care(const cfg_t *cfg, uint64_t *care) {
    wlk_compactor_out_mask(cfg, care);
}

static inline void compute(const cfg_t *cfg, const uint64_t *in, compactor_cycle *c) {
    compactor_route(cfg->n, cfg->k, GET(in_valid, in), GET(out_ready, in), c);
}

static void outputs(const cfg_t *cfg, const uint64_t *in, uint64_t *out) {
    compactor_cycle c;
    compute(cfg, in, &c);
    memset(out, 0, WLK_COMPACTOR_OUT_CONTROL * sizeof *out);
    PUT(in_ready, out, (uint64_t)c.in_ready);
    PUT(out_valid, out, (uint64_t)c.out_valid);
    compactor_payload(&c, cfg->k, cfg->payload_words, in + WLK_COMPACTOR_IN_CONTROL,
                      out + WLK_COMPACTOR_OUT_CONTROL);
}

static uint64_t differs(const cfg_t *cfg, const uint64_t *in, const uint64_t *got) {
    uint64_t out[WLK_COMPACTOR_OUT_CONTROL] = {0};
    compactor_difference d = {0};
    compactor_cycle c;
    compute(cfg, in, &c);
    PUT(in_ready, out, (uint64_t)c.in_ready);
    PUT(out_valid, out, (uint64_t)c.out_valid);
    compactor_compare(&d, out, got, ~UINT64_C(0), WLK_COMPACTOR_OUT_CONTROL);
    compactor_compare_payload(&d, &c, cfg->k, cfg->payload_words, in + WLK_COMPACTOR_IN_CONTROL,
                              got + WLK_COMPACTOR_OUT_CONTROL);
    return compactor_any(&d);
}

static uint64_t events(const cfg_t *cfg, const uint64_t *in) {
    const uint32_t valid = GET(in_valid, in), ready = GET(out_ready, in);
    const uint32_t idle = ~valid & set_below(cfg->n), outs = set_below(cfg->k);
    compactor_cycle c;
    compute(cfg, in, &c);
    const uint32_t taken = c.out_valid & ready, kept = c.out_valid & ~ready;
    const uint32_t last = set_size(valid) >= cfg->k && cfg->n > cfg->k; // every output has one
    const uint32_t behind_all =
        last && set_is_behind(idle, valid) && (idle >> compactor_from(&c, cfg->k - 1u)) != 0u;
    return (taken == outs ? EVENT(FULL) : 0u) | (set_is_behind(valid, idle) ? EVENT(GAP) : 0u) |
           (set_size(valid) > cfg->k ? EVENT(TOO_MANY) : 0u) |
           (taken != 0u && kept != 0u ? EVENT(PARTIAL) : 0u) |
           (set_is_behind(taken, kept) ? EVENT(YOUNGER_PASSES) : 0u) |
           (set_is_behind(ready, ~ready & outs) ? EVENT(READY_NOT_CONTIGUOUS) : 0u) |
           ((idle & c.in_ready) != 0u ? EVENT(IDLE_READY) : 0u) |
           ((idle & ~c.in_ready) != 0u ? EVENT(IDLE_NOT_READY) : 0u) |
           (behind_all ? EVENT(IDLE_BEHIND_ALL) : 0u) | (valid == 0u ? EVENT(NONE) : 0u) |
           (valid != 0u && ready == 0u ? EVENT(STUCK) : 0u);
}

#include "frame/comb_body.h"

const wlk_block WLK_ISA(wlk_compactor_block) = {WLK_COMB_CALLS};

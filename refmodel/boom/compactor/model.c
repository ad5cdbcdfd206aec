// SPDX-License-Identifier: Apache-2.0
// BOOM's Compactor as a block: record words in and out around rules.h.
#include "rules.h"

#include "warplock/compactor_ports.h"

#define MODEL      compactor
#define MODEL_CAPS COMPACTOR
#include "frame/model.h"

enum {
    OUT_WORDS = WLK_COMPACTOR_OUT_CONTROL + WLK_COMPACTOR_MAX_K * WLK_COMPACTOR_MAX_PAYLOAD_WORDS
};

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

#include "cover.h"

#include "frame/comb.h"

WLK_MODEL();

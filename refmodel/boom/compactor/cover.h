/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points of BOOM's Compactor; part of model.c. */
#ifndef WLK_COMPACTOR_COVER_H
#define WLK_COMPACTOR_COVER_H

static uint64_t events(const cfg_t *cfg, const uint64_t *in) {
    const uint32_t valid = GET(in_valid, in), ready = GET(out_ready, in);
    const uint32_t idle = ~valid & set_below(cfg->n), outs = set_below(cfg->k);
    compactor_cycle c;
    compute(cfg, in, &c);
    const uint32_t taken = c.out_valid & ready, kept = c.out_valid & ~ready;
    const uint32_t last = set_size(valid) >= cfg->k && cfg->n > cfg->k; // every output has one
    const uint32_t behind_all =
        last && set_is_behind(idle, valid) && (idle >> compactor_from(&c, cfg->k - 1u)) != 0;
    return (taken == outs ? EVENT(FULL) : 0u) | (set_is_behind(valid, idle) ? EVENT(GAP) : 0u) |
           (set_size(valid) > cfg->k ? EVENT(TOO_MANY) : 0u) |
           (taken != 0 && kept != 0 ? EVENT(PARTIAL) : 0u) |
           (set_is_behind(taken, kept) ? EVENT(YOUNGER_PASSES) : 0u) |
           (set_is_behind(ready, ~ready & outs) ? EVENT(READY_NOT_CONTIGUOUS) : 0u) |
           ((idle & c.in_ready) != 0 ? EVENT(IDLE_READY) : 0u) |
           ((idle & ~c.in_ready) != 0 ? EVENT(IDLE_NOT_READY) : 0u) |
           (behind_all ? EVENT(IDLE_BEHIND_ALL) : 0u) | (valid == 0 ? EVENT(NONE) : 0u) |
           (valid != 0 && ready == 0 ? EVENT(STUCK) : 0u);
}

#endif

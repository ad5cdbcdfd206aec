/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points of Vortex's operands stage; part of model.c. */
#ifndef WLK_VORTEX_OPERANDS_COVER_H
#define WLK_VORTEX_OPERANDS_COVER_H

#include "vortex/packet_cover.h"

// A packet of another collector goes to the output between those of an instruction.
static uint32_t interleaves(const state_t *st, const cycle_t *c) {
    const uint32_t sends = (uint32_t)(c->last.requests != 0) & c->last.ready;
    return st->in_packet != 0 ? sends & (uint32_t)(st->in_packet != c->last.winner + 1u) : 0u;
}

static uint64_t events(const cfg_t *cfg, const state_t *st, const uint64_t *in, const cycle_t *c) {
    const uint32_t valid = GET(sb_valid, in);
    uint64_t found = port_events(c->s, in, is_ready(c));
    uint32_t busy = 0, empty = 1, other_ready = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        found |= opc_events(cfg, c->s, &st->opc[i], in, &c->o[i]);
        empty &= (uint32_t)opc_is_empty(&st->opc[i]);
        busy |= (uint32_t)(i != c->chosen) & st->opc[i].stage[1].valid;
        other_ready |= (uint32_t)(i != c->chosen) & c->o[i].rdy0;
    }
    const uint32_t owner = st->owner[LAST], requests = c->last.requests;
    const bool kept = (requests & owner) != 0 && (requests & (owner - 1u)) != 0;
    found |= c->reset != 0 && empty == 0 ? EVENT(RESET_IN_FLIGHT) : 0u;
    found |= (valid & is_ready(c) & busy) != 0 ? EVENT(OTHER_COLLECTOR) : 0u;
    found |= (valid & bit_not(is_ready(c)) & other_ready) != 0 && c->chosen < c->n &&
                     c->o[c->chosen].rdy0 == 0
                 ? EVENT(HEAD_OF_LINE)
                 : 0u;
    found |= c->sticky != 0 && kept && c->last.ready != 0 ? EVENT(RETAINED) : 0u;
    found |= interleaves(st, c) != 0 ? EVENT(INTERLEAVED) : 0u;
    found |= valid != 0 && c->chosen >= c->n ? EVENT(NO_COLLECTOR) : 0u;
    return found;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points of Vortex's operand collector; part of model.c. */
#ifndef WLK_VORTEX_OPC_UNIT_COVER_H
#define WLK_VORTEX_OPC_UNIT_COVER_H

#include "vortex/packet_cover.h"

static uint64_t events(const cfg_t *cfg, const state_t *st, const uint64_t *in, const cycle_t *c) {
    const uint64_t found = opc_events(cfg, c->s, &st->opc, in, &c->o);
    return found | port_events(c->s, in, opc_ready(&c->o)) |
           (c->o.reset != 0 && !opc_is_empty(&st->opc) ? EVENT(RESET_IN_FLIGHT) : 0u);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file vortex_opc_unit.h
 * An operand collector of Vortex. Spec: vortex-issue §6; table:
 * refmodel/vortex/vortex_opc_unit/block.toml. The functions are generated
 * (warplock/vortex_opc_unit_ports.h).
 */
#ifndef WARPLOCK_VORTEX_OPC_UNIT_H
#define WARPLOCK_VORTEX_OPC_UNIT_H

#include "warplock/vortex.h"
#include "warplock/vortex_opc_unit_ports.h"

WLK_BEGIN_DECLS

/** State. `packet`: in stage 2, then those of the output buffer (§4.4). */
struct wlk_vortex_opc_unit_state {
    wlk_vx_collector opc[1];
    uint64_t stalls; /**< counter (§8) */
    wlk_vx_packet packet[WLK_VX_ENTRIES];
};

WLK_END_DECLS
#endif

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

/** State; only the first wlk_vortex_opc_unit_state_size() bytes are used. */
struct wlk_vortex_opc_unit_state {
    wlk_vx_shape shape; /**< kept here, as a step would need divisions for it */
    uint8_t reset_seen;
    uint8_t settled; /**< all of it is known, and stays so: a step need not look */
    wlk_vx_late late;
    wlk_vx_collector opc;
    uint64_t ram[WLK_VX_RAM_WORDS]; /**< rows of its banks, then lanes known */
};

WLK_END_DECLS
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file collector.h
 * Muon's operand collector with duplicated register files. Spec: muon-issue §2; table:
 * refmodel/muon/collector/block.toml; what stays unknown: docs/quirks.md.
 *
 * A model is a value: configuration, state, inputs and outputs are plain structs, a snapshot is
 * a copy of wlk_collector_state_size() bytes. Its functions are generated beside the ports
 * (warplock/collector_ports.h): only wlk_collector_check can fail, everything else expects a
 * checked configuration.
 */
#ifndef WARPLOCK_COLLECTOR_H
#define WARPLOCK_COLLECTOR_H

#include "warplock/block.h"
#include "warplock/collector_ports.h"

WLK_BEGIN_DECLS

/**
 * State: the RTL's registers by their names; those of one bit an entry or an operand are sets. The
 * register files and the banks, whose size the configuration decides, lie behind it.
 */
struct wlk_collector_state {
    uint32_t alloc_valid; /**< a set of entries */
    uint8_t nextAllocId;
    uint8_t nextEn; /**< a set of operands */
    uint16_t nextPReg[3];
    bool readResp_valid, writeResp_valid;
    uint8_t collided; /**< a set of operands: what is read of them is not in the register file */
    uint8_t occupant[WLK_COLLECTOR_MAX_COLL_ENTRIES]; /**< operands it asked for (coverage) */
    /** A register that the operand's row of the entry still equals, or 0: used after a start
     * without reset. */
    uint16_t loaded[3][WLK_COLLECTOR_MAX_COLL_ENTRIES];
};

WLK_END_DECLS
#endif

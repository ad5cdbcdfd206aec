/* SPDX-License-Identifier: Apache-2.0 */
/* What a model with collectors defines before frame/structs.h. The model says what it has in a
 * configuration: COLLECTORS; ENTRIES, the packets of each, in the order below; PACKETS_HELD, in
 * all. Rules: vortex_opc_unit/README.md (vortex-issue §6). */
#ifndef WLK_VORTEX_OPC_STATE_H
#define WLK_VORTEX_OPC_STATE_H

#include "vortex/library.h"

enum { OPERANDS = 3 };

/* Packets of a collector: in stage 2, then those of its output buffer. Wires have none; of a buffer
 * without entries the pipe stage is the first. */
enum { STAGE2, SHOWN, SPARE, PIPE };

#define REGISTERS       (32u << cfg->ext_f_enable)
#define PACKETS         (cfg->num_threads / cfg->simd_width)
#define SLICE_WARPS     (cfg->num_warps / cfg->issue_width)
#define COLLECTOR_WARPS (SLICE_WARPS / cfg->num_opcs)
#define BANK_REGISTERS  (REGISTERS / cfg->num_gpr_banks)
#define BANK_ROWS       (BANK_REGISTERS * PACKETS * COLLECTOR_WARPS)
#define BANKS           (COLLECTORS * cfg->num_gpr_banks)
#define ENTRY(i, at)    ((i)*ENTRIES + (at))

/* The banks of all collectors; what each has read; operands of packets, by operand and entry.
 * Those of STAGE2 are `obuf`, with what the banks have read for the stage in it already. */
#define RAMS(RAM)                                                                                  \
    RAM(gpr, BANKS, 0, BANK_ROWS, cfg->simd_width, cfg->xlen)                                      \
    RAM(rdata, 1, 0, BANKS, cfg->simd_width, cfg->xlen)                                            \
    RAM(operand, OPERANDS, 0, PACKETS_HELD, cfg->simd_width, cfg->xlen)

/* A cycle of a collector (§6.1). */
typedef struct opc_cycle {
    bool valid; /* an instruction is for it */
    bool rdy0, rdy1, rdy2;
    bool collides, last; /* last: round of the packet */
    bool is_ready;       /* sb.ready */
    bool sop, eop;
    uint8_t active, taken; /* sets of operands */
    uint32_t rdv;          /* a set of banks: those that deliver an operand */
    uint8_t opd[WLK_VX_BANKS];
    uint32_t pid, tmask; /* the packet */
} opc_cycle;

#endif

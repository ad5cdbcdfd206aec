/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file muon.h
 * An instruction as the tests of Muon's blocks write it, and how it gets onto ports.
 */
#ifndef WARPLOCK_TEST_MUON_H
#define WARPLOCK_TEST_MUON_H

#include <stdint.h>

enum { NONE = -1 }; /**< the instruction has no such register */

typedef struct inst {
    uint8_t warp;
    int16_t rd, rs[3]; /**< registers, or NONE */
    uint32_t pc;
} inst;

/** Instruction @p pc of a warp: rd, rs1..rs3. */
static inline inst op(uint32_t warp, uint32_t pc, int rd, int rs1, int rs2, int rs3) {
    const inst i = {(uint8_t)warp, (int16_t)rd, {(int16_t)rs1, (int16_t)rs2, (int16_t)rs3}, pc};
    return i;
}

/** Bit k: source k is used. */
static inline uint32_t sources_of(const inst *i) {
    return (uint32_t)(i->rs[0] >= 0) | (uint32_t)(i->rs[1] >= 0) << 1 |
           (uint32_t)(i->rs[2] >= 0) << 2;
}

static inline uint16_t register_of(int16_t preg) {
    return preg >= 0 ? (uint16_t)preg : 0u;
}

/** Drive `bits` (uop and token, whatever block's struct they are in) with an instruction. */
#define PUT_INST(bits, i)                                                                          \
    do {                                                                                           \
        (bits).uop.inst.essentials_3 = register_of((i).rd);                                        \
        (bits).uop.inst.essentials_4 = register_of((i).rs[0]);                                     \
        (bits).uop.inst.essentials_5 = register_of((i).rs[1]);                                     \
        (bits).uop.inst.essentials_6 = register_of((i).rs[2]);                                     \
        (bits).uop.inst.essentials_22 = (i).rd >= 0;                                               \
        (bits).uop.inst.essentials_23 = (i).rs[0] >= 0;                                            \
        (bits).uop.inst.essentials_24 = (i).rs[1] >= 0;                                            \
        (bits).uop.inst.essentials_25 = (i).rs[2] >= 0;                                            \
        (bits).uop.pc = (i).pc;                                                                    \
        (bits).uop.wid = (i).warp;                                                                 \
    } while (0)

#endif

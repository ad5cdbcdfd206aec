/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which operands of an instruction the four banks of a default collector deliver, looked up: the
 * rule takes some forty instructions a cycle. Index: three bits an operand, its bank and that it is
 * to be read; the second operand is the highest, as the registers of an instruction fold to it.
 * Spec: vortex-issue §6.1.
 */
#ifndef WLK_VORTEX_OPC_REQUESTS_H
#define WLK_VORTEX_OPC_REQUESTS_H

#include "warplock/vortex.h"

/* An entry: what turns NO_SOURCE into the sources; from bit REQUEST_WINS the operands that get a
 * bank, as in the index; those that are to be read; whether one of them gets no bank. */
enum { REQUEST_SOURCE = 0xe0e0e, REQUEST_WINS = 20, REQUEST_READ = 12, REQUEST_CONFLICT = 31 };

/* The bits of operand i in the index: its bank, and that it is to be read. */
#define REQUEST_AT(i)      ((i) == 0 ? 0 : (i) == 1 ? 6 : 3)
#define REQUEST_BIT(i)     (REQUEST_AT(i) + 2)
#define REQUEST_BITS       (1u << REQUEST_BIT(0) | 1u << REQUEST_BIT(1) | 1u << REQUEST_BIT(2))
#define REQUEST_BANK(n, i) ((n) >> REQUEST_AT(i) & 3u)
#define REQUEST_IS(n, i)   ((n) >> REQUEST_BIT(i) & 1u)

/* Operand i finds its bank taken by operand j; one wins that finds it free. */
#define REQUEST_MEETS(n, i, j)                                                                     \
    (REQUEST_IS(n, i) & REQUEST_IS(n, j) & (REQUEST_BANK(n, i) == REQUEST_BANK(n, j)))
#define REQUEST_LOSES_0(n) 0u
#define REQUEST_LOSES_1(n) REQUEST_MEETS(n, 1, 0)
#define REQUEST_LOSES_2(n) (REQUEST_MEETS(n, 2, 0) | REQUEST_MEETS(n, 2, 1))
#define REQUEST_WIN(n, i)  (REQUEST_IS(n, i) & (REQUEST_LOSES_##i(n) ^ 1u))

#define REQUEST_OPERAND(n, i)                                                                      \
    (REQUEST_WIN(n, i) * ((i) ^ (WLK_VX_BANK_ROW + REQUEST_BANK(n, i))) << (8 * (i) + 1) |         \
     REQUEST_WIN(n, i) << (REQUEST_WINS + REQUEST_BIT(i)) |                                        \
     REQUEST_IS(n, i) << (REQUEST_READ + (i)) |                                                    \
     (REQUEST_IS(n, i) ^ REQUEST_WIN(n, i)) << REQUEST_CONFLICT)

#define REQUEST(n)    (REQUEST_OPERAND(n, 0) | REQUEST_OPERAND(n, 1) | REQUEST_OPERAND(n, 2))
#define REQUEST_2(n)  REQUEST(n), REQUEST((n) + 1u)
#define REQUEST_8(n)  REQUEST_2(n), REQUEST_2((n) + 2u), REQUEST_2((n) + 4u), REQUEST_2((n) + 6u)
#define REQUEST_32(n) REQUEST_8(n), REQUEST_8((n) + 8u), REQUEST_8((n) + 16u), REQUEST_8((n) + 24u)
#define REQUEST_128(n)                                                                             \
    REQUEST_32(n), REQUEST_32((n) + 32u), REQUEST_32((n) + 64u), REQUEST_32((n) + 96u)

static const uint32_t opc_requests[512] = {REQUEST_128(0u), REQUEST_128(128u), REQUEST_128(256u),
                                           REQUEST_128(384u)};

#endif

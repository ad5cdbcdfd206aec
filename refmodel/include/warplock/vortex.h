/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file vortex.h
 * Parts of Vortex's library that several of its blocks hold. Spec: vortex-issue §4.
 */
#ifndef WARPLOCK_VORTEX_H
#define WARPLOCK_VORTEX_H

#include <stdint.h>

#include "warplock/error.h"

WLK_BEGIN_DECLS

/** Handshake of a stream buffer of two entries (§4.2); its data lies with the block. */
typedef struct wlk_vx_stream {
    uint8_t ready; /**< it takes an entry: a register */
    uint8_t valid; /**< its output holds one */
} wlk_vx_stream;

WLK_END_DECLS
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file plugin.h
 * A block that is not part of the library: a shared library of its own, which exports
 * wlk_plugin_entry and nothing else. `scripts/warplock --blocks` builds it from a folder
 * (docs/own-blocks.md); wlk_blocks_load() of blocks.h takes it.
 */
#ifndef WARPLOCK_PLUGIN_H
#define WARPLOCK_PLUGIN_H

#include "warplock/block.h"

WLK_BEGIN_DECLS

/** Name of the one symbol, a wlk_plugin. */
#define WLK_PLUGIN_SYMBOL "wlk_plugin_entry"

struct wlk_stimulus;

/** Where the calls of a block are, for who must explain why one of them did not come back. */
typedef struct wlk_guard {
    const char *call; /**< the call that runs; NULL: none */
    uint64_t edges;   /**< clock edges since the last init of a state */
    /**
     * Called when the block has written where it may not, with what it did; does not return. NULL:
     * one line on stderr, and abort.
     */
    void (*broken)(const char *block, const char *call, const char *what);
} wlk_guard;

/** What the library exports. The first member never moves. */
typedef struct wlk_plugin {
    uint32_t abi_version; /**< WLK_ABI_VERSION of the headers it was built with */
    const char *version;  /**< of the package that they came with, such as "0.5.0" */
    const wlk_block *block;
    const struct wlk_stimulus *stimulus; /**< NULL: the generic driver */
    wlk_guard *guard;
} wlk_plugin;

WLK_END_DECLS
#endif

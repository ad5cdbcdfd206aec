/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file blocks.h
 * All blocks there are: those of the library, and those that were loaded from libraries of their
 * own (plugin.h). The list of the latter is global: load before other threads look for blocks.
 * Nothing is unloaded.
 */
#ifndef WARPLOCK_BLOCKS_H
#define WARPLOCK_BLOCKS_H

#include "warplock/plugin.h"

WLK_BEGIN_DECLS

/** Blocks that can be loaded. */
#define WLK_MAX_PLUGINS 64u

/**
 * Load a block.
 *
 * @param path the shared library; a name without '/' is looked for beside this library, then where
 *        the system looks. One that is loaded already is left as it is.
 * @return WLK_OK; NO_FILE when it cannot be loaded; BAD_VERSION when it was built for another ABI;
 *         USAGE for a block whose name is taken; NO_MEMORY when there are too many.
 */
wlk_status wlk_blocks_load(const char *path, wlk_error *err);

/** The block of that name, or NULL. */
const wlk_block *wlk_blocks_find(const char *name);

/** Configurations for which a model can be compiled, in one program. */
#define WLK_MAX_SPECIALISED 64u

/**
 * Take @p block for its configuration @p cfg in place of the block with the same table that works
 * for all. Both have the same state. Nothing is copied. One more than WLK_MAX_SPECIALISED is left
 * out.
 */
void wlk_blocks_specialise(const wlk_block *block, const uint32_t *cfg);

/** What runs @p block in a configuration: what was compiled for it, or the block itself. */
const wlk_block *wlk_blocks_for(const wlk_block *block, const uint32_t *cfg);

/**
 * The block whose table has that hash. Where none that is known has it, each block library that
 * lies beside this library, libwlk_block_*.so, is loaded: so a folder with both needs no more.
 *
 * @return NULL when there is none; @p err (may be NULL) then has a line about the last library that
 *         could not be loaded, if there was one, else is left alone.
 */
const wlk_block *wlk_blocks_of_schema(uint64_t hash, wlk_error *err);

/** How a block was loaded; NULL for one of the library, and where there is none. */
const wlk_plugin *wlk_blocks_plugin(const char *name);

/** The loaded block whose call runs now, or NULL: for who is asked why the process died. */
const wlk_plugin *wlk_blocks_running(void);

/** wlk_guard::broken of every block that is or will be loaded. */
void wlk_blocks_on_broken(void (*broken)(const char *block, const char *call, const char *what));

WLK_END_DECLS
#endif

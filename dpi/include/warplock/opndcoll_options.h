/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file opndcoll_options.h
 * Configurations of the operand collector from GPGPU-Sim's own option files (`gpgpusim.config`).
 *
 * The syntax is the simulator's: `-option value`, several on a line or one on several, `#` up to
 * the end of a line is a comment, a value may be in double quotes. The last of several wins.
 *
 * Options that begin with `-warplock_` are policies that the simulator does not have and would
 * refuse: they stand in a file of their own.
 *
 * Most options of a whole `gpgpusim.config` do not concern the collector. The caller decides what
 * an unknown one is: a mistake, which is refused with the name of the nearest known one, or another
 * option of the simulator, which is passed over with its values and reported.
 */
#ifndef WARPLOCK_OPNDCOLL_OPTIONS_H
#define WARPLOCK_OPNDCOLL_OPTIONS_H

#include "warplock/opndcoll.h"

#include <stdio.h>

WLK_BEGIN_DECLS

/**
 * Read options from a file and check what comes out.
 *
 * @param cfg in: what holds where the file has no option (wlk_opndcoll_defaults()), and the
 * revision, which no option sets. Out: the configuration; not changed on failure.
 * @param path of the file; "-" is stdin.
 * @param[out] unknown NULL: an unknown option is refused. Else it is passed over, and this is where
 *             the names go, in the order of the file, each once, with blanks between: the caller's,
 *             to free(); NULL: there are none.
 * @param err may be NULL; names file, line and option.
 * @return WLK_OK; WLK_NO_FILE when the file cannot be opened or read; WLK_BAD_CONFIG for a value
 *         that is none, for an unknown option, and for what wlk_opndcoll_check() refuses;
 * WLK_NO_MEMORY.
 */
wlk_status wlk_opndcoll_read_options(wlk_opndcoll_cfg *cfg, const char *path, char **unknown,
                                     wlk_error *err);

/**
 * As wlk_opndcoll_read_options() of several files, which add up as in the simulator: the last value
 * of an option wins. What comes out is checked once, after the last file.
 */
wlk_status wlk_opndcoll_read_option_files(wlk_opndcoll_cfg *cfg, const char *const *paths,
                                          uint32_t n_paths, char **unknown, wlk_error *err);

/**
 * Write the options of a legal configuration in the simulator's syntax, one a line, behind a
 * comment with the revision. Read back, over the defaults and that revision, they make the same
 * configuration, but for what is not used here: a specialised unit that is not enabled, and blanks
 * in a unit's name.
 *
 * Errors of writing are left in the stream.
 */
void wlk_opndcoll_write_options(const wlk_opndcoll_cfg *cfg, FILE *to);

WLK_END_DECLS
#endif

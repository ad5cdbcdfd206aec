/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One source, several instruction sets: a model is compiled once for each set the build offers,
 * every external name with the suffix WLK_ISA_SUFFIX. The base build has no suffix and is the
 * public one; wlk_block_find picks among the `_block` symbols at run time.
 */
#ifndef WLK_ISA_H
#define WLK_ISA_H

#define WLK_ISA_PASTE2(name, suffix) name##suffix
#define WLK_ISA_PASTE(name, suffix)  WLK_ISA_PASTE2(name, suffix)
#define WLK_ISA(name)                WLK_ISA_PASTE(name, WLK_ISA_SUFFIX)

#endif

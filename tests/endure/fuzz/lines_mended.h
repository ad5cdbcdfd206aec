/* SPDX-License-Identifier: Apache-2.0 */
/* Mutations of what is lines of words and nothing else. */
#ifndef WLK_LINES_MENDED_H
#define WLK_LINES_MENDED_H

#include "lines.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    return fuzz_lines(data, size, max_size, seed);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Output bits that have the same value in all cycles that are compared. */
#ifndef WLK_CONSTANTS_H
#define WLK_CONSTANTS_H

#include "warplock/block.h"

/* Words of the outputs that lie one after the other, also in a view. */
typedef struct constant_span {
    uint32_t from, n;
    int32_t payload; /* that they are in, or -1: they are control words */
    uint32_t offset; /* in the payload [words] */
} constant_span;

typedef struct constants {
    const wlk_layout *layout;
    const uint64_t *compare;
    /* Output records, owned: bits that were known, their first values, bits that were others. */
    uint64_t *seen, *first, *moved;
    constant_span *spans; /* owned: the words with a bit that has not moved */
    uint32_t n_spans;
    uint32_t cycles; /* since they were looked for */
} constants;

/* @p layout and @p compare must stay. False: no memory. */
bool wlk_constants_open(constants *k, const wlk_layout *layout, const uint64_t *compare);
void wlk_constants_free(constants *k);

/* A cycle of which the bits in @p judged are compared; those in @p got_x are unknown. */
void wlk_constants_note(constants *k, const uint64_t *got, const uint64_t *got_x,
                        const uint64_t *judged);

/* A cycle of which all bits are known that were seen before. */
void wlk_constants_view(constants *k, const wlk_view *got);

/* The same of @p n cycles, whose outputs lie @p step words apart. */
void wlk_constants_run(constants *k, const uint64_t *got, size_t step, uint32_t n);

#endif

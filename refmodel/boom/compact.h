/* SPDX-License-Identifier: Apache-2.0 */
/* Which outputs of a Compactor its inputs have. Spec: boom-dispatch, Compactor. */
#ifndef WLK_BOOM_COMPACT_H
#define WLK_BOOM_COMPACT_H

#include <stdbool.h>
#include <stdint.h>

/* Inputs or outputs; none of them. */
enum { MOST = 8, NONE = MOST };

/* `input_of`: whose bits an output shows; `output_of`: whose ready an input shows. NONE: nobody's.
 */
typedef struct compaction {
    uint8_t input_of[MOST], output_of[MOST];
} compaction;

static inline void compact(uint32_t n, uint32_t k, const bool *valid, compaction *c) {
    uint32_t next = 0; /* the output that the pointer names */
    for (uint32_t j = 0; j < k; j++) {
        c->input_of[j] = n == k ? (uint8_t)j : NONE; /* rule 1 */
    }
    for (uint32_t i = 0; i < n; i++) {
        c->output_of[i] = n == k ? (uint8_t)i : next < k ? (uint8_t)next : NONE; /* rules 1 and 5 */
        if (n != k && valid[i] && next < k) {                                    /* rule 2 */
            c->input_of[next] = (uint8_t)i;
            next++;
        }
    }
}

#endif

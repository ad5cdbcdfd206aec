/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of 64 bits of which a start without reset knows some; @p known: bit n, counter n. */
#ifndef WLK_COUNTERS_H
#define WLK_COUNTERS_H

#include "bits.h"

/** Counter @p n as the ports show it; @p seen: its bits that they do show. */
static inline void counter_learn(uint64_t *counter, uint8_t *known, uint32_t n, uint64_t shown,
                                 uint64_t seen) {
    if (!set_has(*known, n) && seen == ~UINT64_C(0)) {
        *counter = shown;
        *known |= (uint8_t)(1u << n);
    }
}

/** @p count counters, which stand one behind the other in the record as well. */
static inline void counters_learn(uint64_t *counters, uint8_t *known, uint32_t count,
                                  const uint64_t *shown, const uint64_t *seen) {
    for (uint32_t n = 0; n < count; n++) {
        counter_learn(&counters[n], known, n, shown[n], seen[n]);
    }
}

/** Care for those that are known. */
static inline void counters_hide(uint8_t known, uint32_t count, uint64_t *care) {
    for (uint32_t n = 0; n < count; n++) {
        care[n] = set_has(known, n) ? care[n] : 0u;
    }
}

#endif

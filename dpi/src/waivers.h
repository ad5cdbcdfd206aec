/* SPDX-License-Identifier: Apache-2.0 */
/* Output bits that are not compared in cycles in which a condition holds. */
#ifndef WLK_WAIVERS_H
#define WLK_WAIVERS_H

#include "warplock/checker.h"

typedef struct waiver waiver;
typedef struct waiver_value waiver_value;

typedef struct waivers {
    waiver *list; /* owned */
    uint32_t n;
    wlk_waiver_hits *hits; /* owned: of each number, in the order in which they were given */
    uint32_t n_hits;
    /* Output records, owned: */
    uint64_t *now;       /* bits waived in this cycle; then those that differ */
    uint64_t *ever;      /* bits that some waiver names */
    uint64_t *left;      /* bits that are compared in this cycle */
    uint64_t *agreed;    /* what the RTL shows, but for bits that are waived and differ */
    waiver_value *stack; /* owned: of a condition */
} waivers;

/* What a condition is about; X words may be NULL. `there`: the output bits that are known. */
typedef struct waiver_sight {
    const wlk_port *ports;
    const uint64_t *in, *in_x, *out, *out_x, *there;
} waiver_sight;

/* Add the waiver of @p text, docs in checker.h. */
wlk_status wlk_waivers_add(waivers *w, const wlk_block *block, const wlk_port *ports,
                           const wlk_layout *layout, const char *text, wlk_error *err);
void wlk_waivers_free(waivers *w);

/* Let `now` be the bits whose condition holds. */
void wlk_waivers_look(waivers *w, const waiver_sight *sight, uint32_t out_words);

/* Count a hit for those whose condition holds, and with a bit in `now`. */
void wlk_waivers_hit(waivers *w, const wlk_port *ports, uint64_t cycle);

void wlk_waivers_json(const waivers *w, wlk_json *to);

#endif

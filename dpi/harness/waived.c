// SPDX-License-Identifier: Apache-2.0
// Waivers of a run: given to all checkers; where each has masked a difference, over all seeds.
#include <stdlib.h>

#include "harness_private.h"

bool waived_take(harness *b, const char *text) {
    const char **more = realloc(b->waivers, (b->n_waivers + 1u) * sizeof *more);
    if (more != NULL) {
        b->waivers = more;
        b->waivers[b->n_waivers++] = text;
        wlk_dpi_waive(b->waivers, b->n_waivers);
    }
    return more != NULL;
}

// Where the hits of a number are; NULL: no memory.
static waived *of_number(harness *b, uint32_t number) {
    if (b->waived == NULL) {
        b->waived = calloc(b->n_waivers, sizeof *b->waived);
    }
    for (uint32_t i = 0; b->waived != NULL && i < b->n_waivers; i++) {
        waived *w = &b->waived[i];
        if (w->cycles == 0 || w->waiver == number) {
            w->waiver = number;
            return w;
        }
    }
    return NULL;
}

static bool is_before(uint64_t seed, uint64_t cycle, uint64_t other_seed, uint64_t other_cycle) {
    return seed != other_seed ? seed < other_seed : cycle < other_cycle;
}

static bool add(harness *b, const waived *from) {
    waived *to = of_number(b, (uint32_t)from->waiver);
    if (to == NULL) {
        return false;
    }
    const bool begins = to->cycles == 0;
    if (begins || is_before(from->first_seed, from->first, to->first_seed, to->first)) {
        to->first_seed = from->first_seed;
        to->first = from->first;
    }
    if (begins || is_before(to->last_seed, to->last, from->last_seed, from->last)) {
        to->last_seed = from->last_seed;
        to->last = from->last;
    }
    to->cycles += from->cycles;
    return true;
}

bool waived_add(harness *b, const wlk_checker *checker) {
    uint32_t n = 0;
    const wlk_waiver_hits *hits = wlk_checker_waived(checker, &n);
    bool all = true;
    for (uint32_t i = 0; i < n; i++) {
        const waived seen = {hits[i].waiver, hits[i].cycles, b->seed,
                             hits[i].first,  b->seed,        hits[i].last};
        all = (seen.cycles == 0 || add(b, &seen)) && all;
    }
    return all;
}

void waived_clear(harness *b) {
    free(b->waived);
    b->waived = NULL;
}

void waived_leave(const harness *b, waived *to) {
    for (uint32_t i = 0; b->waived != NULL && i < b->n_waivers; i++) {
        to[i] = b->waived[i];
    }
}

void waived_gather(harness *b, const waived *from) {
    for (uint32_t i = 0; i < b->n_waivers && from[i].cycles != 0; i++) {
        (void)add(b, &from[i]);
    }
}

void waived_json(const harness *b, wlk_json *to) {
    if (b->n_waivers == 0) {
        return;
    }
    wlk_json_open(to, "waived", '[');
    for (uint32_t i = 0; b->waived != NULL && i < b->n_waivers && b->waived[i].cycles != 0; i++) {
        const waived *w = &b->waived[i];
        wlk_json_open(to, NULL, '{');
        wlk_json_number(to, "waiver", w->waiver);
        wlk_json_number(to, "cycles", w->cycles);
        wlk_json_number(to, "first_seed", w->first_seed);
        wlk_json_number(to, "first_cycle", w->first);
        wlk_json_number(to, "last_seed", w->last_seed);
        wlk_json_number(to, "last_cycle", w->last);
        wlk_json_close(to, '}');
    }
    wlk_json_close(to, ']');
}

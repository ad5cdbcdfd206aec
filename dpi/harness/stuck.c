// SPDX-License-Identifier: Apache-2.0
// Why a seed does not come to its end: which handshakes wait, since when, and what the block's
// stimulus knows of the work that is left.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness_private.h"
#include "ports.h"

enum { MOST_WAITING = 64, LINE = 3 * WLK_MAX_NAME };

// A handshake of one array element.
typedef struct waiting {
    const wlk_port *valid, *ready;
    const char *name;
    uint64_t since; // the cycle from which on it waits; UINT64_MAX: it does not
} waiting;

static uint32_t find_handshakes(const harness *b, waiting list[MOST_WAITING]) {
    const wlk_table *t = b->block->table;
    uint32_t n = 0;
    for (uint32_t c = 0; c < t->n_channels; c++) {
        for (uint32_t i = 0; t->channels[c].ready >= 0 && i < b->n_ports && n < MOST_WAITING; i++) {
            if (b->ports[i].field != (uint16_t)t->channels[c].valid) {
                continue;
            }
            const int32_t ready =
                wlk_port_find(b->ports, b->n_ports, t->channels[c].ready, &b->ports[i]);
            if (ready >= 0) {
                list[n++] =
                    (waiting){&b->ports[i], &b->ports[ready], t->channels[c].name, UINT64_MAX};
            }
        }
    }
    return n;
}

static bool is_high(const wlk_port *port, const uint64_t *in, const uint64_t *out) {
    return wlk_port_get(port, port->is_out ? out : in) != 0;
}

// The seed's inputs once more, in the model alone.
static void follow(harness *b, waiting *list, uint32_t n) {
    const uint64_t cycles = b->cycle;
    b->shown = calloc(2u * (size_t)b->layout.out_words, sizeof(uint64_t));
    if (b->shown == NULL) {
        return;
    }
    harness_start_stimulus(b);
    for (uint64_t c = 0; c < cycles; c++) {
        harness_again(b, c, b->in);
        for (uint32_t i = 0; i < n; i++) {
            waiting *w = &list[i];
            if (!is_high(w->valid, b->in, b->shown) || is_high(w->ready, b->in, b->shown)) {
                w->since = UINT64_MAX;
            } else if (w->since == UINT64_MAX) {
                w->since = c;
            }
        }
    }
    free(b->shown);
    b->shown = NULL;
}

void stuck_explain(harness *b) {
    waiting list[MOST_WAITING];
    const uint32_t n = find_handshakes(b, list);
    b->stuck[0] = '\0';
    follow(b, list, n);
    if (b->gen->stuck != NULL) { // first what holds up the rest
        b->gen->stuck(b->cfg, b->model, &b->stim, b->stuck, sizeof b->stuck);
    }
    size_t used = strlen(b->stuck);
    if (used != 0 && b->stuck[used - 1u] != '\n' && used + 1u < sizeof b->stuck) {
        b->stuck[used++] = '\n';
        b->stuck[used] = '\0';
    }
    for (uint32_t i = 0; i < n && used + LINE < sizeof b->stuck; i++) {
        if (list[i].since != UINT64_MAX) {
            used += (size_t)snprintf(b->stuck + used, sizeof b->stuck - used,
                                     "%s waits since cycle %" PRIu64 ": %s is 1, %s is 0\n",
                                     list[i].name, list[i].since, list[i].valid->name,
                                     list[i].ready->name);
        }
    }
    if (used == 0) {
        (void)snprintf(b->stuck, sizeof b->stuck,
                       "no handshake waits: the model has work in flight that nothing ends\n");
    }
}

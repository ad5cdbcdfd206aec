// SPDX-License-Identifier: Apache-2.0
// Handshakes: which fire, and whether two sides transfer the same values in the same order.
#include <stdlib.h>
#include <string.h>

#include "checker_private.h"
#include "ports.h"

enum { PREFIXES = 8 }; // how far one side may lag behind the other

wlk_status wlk_channels_resolve(wlk_checker *c) {
    const wlk_table *table = c->block->table;
    c->channels = calloc(WLK_MAX_CHANNELS, sizeof(channel));
    if (c->channels == NULL) {
        return WLK_NO_MEMORY;
    }
    for (uint32_t t = 0; t < table->n_channels; t++) {
        for (uint32_t i = 0; i < c->layout.n_ports && c->n_channels < WLK_MAX_CHANNELS; i++) {
            if (c->ports[i].field != (uint16_t)table->channels[t].valid) {
                continue;
            }
            channel *ch = &c->channels[c->n_channels++];
            ch->table = (uint16_t)t;
            ch->valid = (int32_t)i;
            ch->ready =
                wlk_port_find(c->ports, c->layout.n_ports, table->channels[t].ready, &c->ports[i]);
        }
    }
    return WLK_OK;
}

bool wlk_channel_shows(const wlk_checker *c, const channel *ch, const wlk_port *port) {
    const wlk_channel *t = &c->block->table->channels[ch->table];
    const int16_t when = c->block->table->fields[port->field].valid_when;
    const int16_t *bits = t->bits;
    while (*bits >= 0 && *bits != (int16_t)port->field) {
        bits++;
    }
    return (when == t->valid || (when < 0 && *bits >= 0)) &&
           wlk_port_same_index(&c->ports[ch->valid], port);
}

bool wlk_channel_fires(const wlk_checker *c, const channel *ch, const uint64_t *in,
                       const uint64_t *out) {
    if (port_value(&c->ports[ch->valid], in, out) == 0) {
        return false;
    }
    return ch->ready < 0 || port_value(&c->ports[ch->ready], in, out) != 0;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash ^= value + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
    return hash * UINT64_C(0xff51afd7ed558ccd);
}

static uint64_t value_hash(const wlk_checker *c, const channel *ch, const uint64_t *in,
                           const uint64_t *out, uint64_t hash) {
    const int16_t *bits = c->block->table->channels[ch->table].bits;
    for (; *bits >= 0; bits++) {
        for (uint32_t i = 0; i < c->layout.n_ports; i++) {
            const wlk_port *port = &c->ports[i];
            if (port->field == (uint16_t)*bits && wlk_port_same_index(&c->ports[ch->valid], port)) {
                // What is unknown must not make the two sides differ.
                const uint64_t care = port->is_out ? wlk_port_get(port, c->care) : ~UINT64_C(0);
                hash = mix(hash, port_value(port, in, out) & care);
            }
        }
    }
    return hash;
}

void wlk_follow_channels(wlk_checker *c, const uint64_t *in, const uint64_t *expect,
                         const uint64_t *got) {
    const uint64_t *const sides[2] = {expect, got};
    bool shifted = false, level = true;
    for (uint32_t i = 0; i < c->n_channels; i++) {
        channel *ch = &c->channels[i];
        uint32_t fired[2] = {0, 0};
        for (uint32_t s = 0; s < 2; s++) {
            if (wlk_channel_fires(c, ch, in, sides[s])) {
                fired[s] = 1;
                ch->hash[s] = mix(value_hash(c, ch, in, sides[s], ch->hash[s]), 1u);
                ch->at[s][ch->count[s]++ % PREFIXES] = ch->hash[s];
            }
        }
        ch->shifted = ch->shifted || fired[0] != fired[1];
        shifted = shifted || ch->shifted;
        level = level && ch->count[0] == ch->count[1];
    }
    c->caught_up = c->caught_up || (shifted && level);
}

// Some transfers came in other cycles, all that came are equal up to the shorter side, which may
// lag by fewer than PREFIXES of them, and at some time neither side lagged: a transfer that is
// lost or made up is no matter of time, and neither is a difference outside the handshakes.
bool wlk_same_order(const wlk_checker *c) {
    bool any = false;
    if (!c->caught_up) {
        return false;
    }
    for (uint32_t i = 0; i < c->n_channels; i++) {
        const channel *ch = &c->channels[i];
        const uint32_t a = ch->count[0], b = ch->count[1];
        const uint32_t both = a < b ? a : b;
        if ((a > b ? a - b : b - a) >= PREFIXES) {
            return false;
        }
        if (both == 0) {
            continue;
        }
        if (ch->at[0][(both - 1u) % PREFIXES] != ch->at[1][(both - 1u) % PREFIXES]) {
            return false;
        }
        any = true;
    }
    return any;
}

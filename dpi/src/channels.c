// SPDX-License-Identifier: Apache-2.0
// Handshakes: which fire, and whether two sides transfer the same values in the same order.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checker_private.h"
#include "ports.h"

// How far one side may lag behind the other; changes of value that show that none was lost.
enum { PREFIXES = 8, ENOUGH = 4 };

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
            ch->least = INT64_MAX;
            ch->most = INT64_MIN;
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

// The ports of a transferred value, in table order; returns how many. @p to NULL: count.
static uint32_t copy_value(const wlk_checker *c, const channel *ch, const uint64_t *in,
                           const uint64_t *out, bool is_care, uint64_t *to) {
    uint32_t n = 0;
    for (const int16_t *bits = c->block->table->channels[ch->table].bits; *bits >= 0; bits++) {
        for (uint32_t i = 0; i < c->layout.n_ports; i++) {
            const wlk_port *port = &c->ports[i];
            if (port->field != (uint16_t)*bits ||
                !wlk_port_same_index(&c->ports[ch->valid], port)) {
                continue;
            }
            if (to != NULL) {
                to[n] = is_care && !port->is_out ? ~UINT64_C(0) : port_value(port, in, out);
            }
            n++;
        }
    }
    return n;
}

static bool take_rings(const wlk_checker *c, channel *ch) {
    ch->n_bits = copy_value(c, ch, NULL, NULL, false, NULL);
    for (uint32_t i = 0; i < 3; i++) {
        ch->values[i] = calloc((size_t)PREFIXES * (ch->n_bits + 1u), sizeof(uint64_t));
        ch->differs = ch->differs || ch->values[i] == NULL;
    }
    return !ch->differs;
}

void wlk_channels_free(wlk_checker *c) {
    for (uint32_t i = 0; i < c->n_channels; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            free(c->channels[i].values[k]);
        }
    }
    free(c->channels);
}

static uint64_t *value_of(const channel *ch, uint32_t which, uint32_t k) {
    return ch->values[which] + (size_t)(k % PREFIXES) * ch->n_bits;
}

// The k-th transfers of both sides have come.
static void pair(channel *ch, uint32_t k) {
    const uint64_t *want = value_of(ch, 0, k), *have = value_of(ch, 1, k);
    const uint64_t *care = value_of(ch, 2, k);
    const int64_t late = (int64_t)(ch->when[1][k % PREFIXES] - ch->when[0][k % PREFIXES]);
    for (uint32_t i = 0; i < ch->n_bits; i++) {
        ch->differs = ch->differs || ((want[i] ^ have[i]) & care[i]) != 0;
    }
    ch->least = late < ch->least ? late : ch->least;
    ch->most = late > ch->most ? late : ch->most;
}

// A transfer of one side, which the other side must reach before it is overwritten.
static void add_transfer(const wlk_checker *c, channel *ch, uint32_t side, const uint64_t *in,
                         const uint64_t *out) {
    const uint32_t k = ch->count[side]++, other = ch->count[1u - side];
    uint64_t *to = value_of(ch, side, k);
    (void)copy_value(c, ch, in, out, false, to);
    if (side == 0) {
        (void)copy_value(c, ch, in, c->care, true, value_of(ch, 2, k));
    } else if (ch->shifted && k != 0) {
        ch->changes += memcmp(to, value_of(ch, 1, k - 1u), ch->n_bits * sizeof *to) != 0;
    }
    ch->when[side][k % PREFIXES] = c->sum.cycles;
    if (other > k) {
        pair(ch, k);
    } else {
        ch->differs = ch->differs || k - other >= PREFIXES;
    }
}

void wlk_follow_channels(wlk_checker *c, const uint64_t *in, const uint64_t *expect,
                         const uint64_t *got) {
    const uint64_t *const sides[2] = {expect, got};
    bool shifted = false, level = true;
    for (uint32_t i = 0; i < c->n_channels; i++) {
        channel *ch = &c->channels[i];
        bool fired[2];
        if (ch->differs || (ch->values[0] == NULL && !take_rings(c, ch))) {
            continue;
        }
        for (uint32_t s = 0; s < 2; s++) {
            fired[s] = wlk_channel_fires(c, ch, in, sides[s]);
        }
        if (fired[0] != fired[1] && !ch->shifted) {
            ch->shifted = true;
            ch->since = c->sum.cycles;
        }
        for (uint32_t s = 0; s < 2; s++) {
            if (fired[s]) {
                add_transfer(c, ch, s, in, sides[s]);
            }
        }
        shifted = shifted || ch->shifted;
        level = level && ch->count[0] == ch->count[1];
    }
    c->caught_up = c->caught_up || (shifted && level);
}

// Where one side lags to the end, as under traffic without one, it may as well have lost a transfer
// or made one up. That shows when the values differ from one to the next, as here.
static bool is_late(const channel *ch) {
    return ch->count[0] == ch->count[1] || ch->changes >= ENOUGH;
}

// Some transfers came in other cycles, all that came are equal up to the shorter side, which may
// lag by fewer than PREFIXES of them, and none is lost or made up: at some time neither side
// lagged, or it would show. A difference outside the handshakes is no matter of time.
bool wlk_same_order(const wlk_checker *c) {
    bool any = false, late = true, shifted = false;
    for (uint32_t i = 0; i < c->n_channels; i++) {
        const channel *ch = &c->channels[i];
        if (ch->differs) {
            return false;
        }
        shifted = shifted || ch->shifted;
        late = late && is_late(ch);
        any = any || (ch->count[0] != 0 && ch->count[1] != 0);
    }
    return any && shifted && (c->caught_up || late);
}

// ---- in words -----------------------------------------------------------------------------------

void wlk_channel_name(const wlk_checker *c, const channel *ch, char *to, size_t room) {
    const wlk_port *valid = &c->ports[ch->valid];
    size_t n = (size_t)snprintf(to, room, "%s", c->block->table->channels[ch->table].name);
    for (uint32_t i = 0; i < valid->n_index && n < room; i++) {
        n += (size_t)snprintf(to + n, room - n, "[%u]", valid->index[i]);
    }
}

// By how much it is shifted: known when both sides have transferred.
static bool is_measured(const channel *ch) {
    return ch->shifted && ch->least <= ch->most;
}

void wlk_report_timing(const wlk_checker *c, FILE *to) {
    for (uint32_t i = 0; i < c->n_channels; i++) {
        const channel *ch = &c->channels[i];
        char name[WLK_MAX_NAME];
        if (!is_measured(ch)) {
            continue;
        }
        wlk_channel_name(c, ch, name, sizeof name);
        const int64_t least = ch->most <= 0 ? -ch->most : ch->least;
        const int64_t most = ch->most <= 0 ? -ch->least : ch->most;
        const uint32_t both = ch->count[0] < ch->count[1] ? ch->count[0] : ch->count[1];
        fprintf(to, "  timing: %s of the RTL comes %" PRId64, name, least);
        if (most != least) {
            fprintf(to, " to %" PRId64, most);
        }
        fprintf(to,
                " cycle%s %s from cycle %" PRIu64 " on; %" PRIu32
                " transfer%s since the first difference %s the same\n",
                most == 1 ? "" : "s", ch->most <= 0 ? "early" : "late", ch->since, both,
                both == 1 ? "" : "s", both == 1 ? "is" : "are");
    }
}

void wlk_json_timing(const wlk_checker *c, wlk_json *to) {
    wlk_json_open(to, "timing", '[');
    for (uint32_t i = 0; i < c->n_channels; i++) {
        const channel *ch = &c->channels[i];
        char name[WLK_MAX_NAME], number[24];
        if (!is_measured(ch)) {
            continue;
        }
        wlk_channel_name(c, ch, name, sizeof name);
        wlk_json_open(to, NULL, '{');
        wlk_json_text(to, "channel", name);
        wlk_json_number(to, "since", ch->since);
        (void)snprintf(number, sizeof number, "%" PRId64, ch->least);
        wlk_json_raw(to, "least_late", number);
        (void)snprintf(number, sizeof number, "%" PRId64, ch->most);
        wlk_json_raw(to, "most_late", number);
        wlk_json_close(to, '}');
    }
    wlk_json_close(to, ']');
}

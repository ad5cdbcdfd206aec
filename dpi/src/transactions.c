// SPDX-License-Identifier: Apache-2.0
// The handshakes around a failure: a line a cycle, a column for each channel in which something is
// valid in these cycles, in it a column for each field.
#include <inttypes.h>
#include <string.h>

#include "checker_private.h"

enum { CELL = 80, LINE = 4096 };

typedef struct sheet {
    const wlk_checker *c;
    uint64_t first, last; // cycles shown
    uint32_t used;        // characters of the line, also where it has no room for them
    char line[LINE];
} sheet;

// A cell, with the column's width and what separates it from the one before.
static void put(sheet *s, const char *gap, const char *text, uint32_t width) {
    const uint32_t n = (uint32_t)strlen(gap) + width;
    if (s->used + n < LINE) {
        (void)snprintf(s->line + s->used, LINE - s->used, "%s%-*s", gap, (int)width, text);
    }
    s->used += n;
}

// Inputs of a cycle, outputs behind them; NULL: it is not in the history.
static const uint64_t *row_of(const sheet *s, uint64_t cycle) {
    const uint64_t *slot = history_slot(s->c, cycle);
    return slot[0] == cycle + 1u ? slot + 1 : NULL;
}

static bool is_valid(const sheet *s, const channel *ch, const uint64_t *row) {
    return row != NULL &&
           port_value(&s->c->ports[ch->valid], row, row + s->c->layout.in_control) != 0;
}

static bool is_stalled(const sheet *s, const channel *ch, const uint64_t *row) {
    return is_valid(s, ch, row) && !wlk_channel_fires(s->c, ch, row, row + s->c->layout.in_control);
}

static bool is_used(const sheet *s, const channel *ch) {
    bool any = false;
    for (uint64_t i = s->first; i <= s->last; i++) {
        any = any || is_valid(s, ch, row_of(s, i));
    }
    return any;
}

static bool is_shown(const wlk_checker *c, const channel *ch, const wlk_port *port) {
    const wlk_field *field = &c->block->table->fields[port->field];
    return wlk_channel_shows(c, ch, port) && !field->is_payload && port->present && field->read &&
           field->notation != WLK_OPAQUE;
}

// The elements of a field in a cycle, "1,0,2"; nothing while the channel is idle. *zero: all are 0.
static void cell(const sheet *s, const channel *ch, uint32_t field, const uint64_t *row,
                 char to[CELL], bool *zero) {
    const wlk_checker *c = s->c;
    const wlk_field *f = &c->block->table->fields[field];
    size_t n = 0;
    to[0] = '\0';
    for (uint32_t i = 0; is_valid(s, ch, row) && i < c->layout.n_ports; i++) {
        const wlk_port *port = &c->ports[i];
        if (port->field != field || !is_shown(c, ch, port)) {
            continue;
        }
        const uint64_t value = port_value(port, row, row + c->layout.in_control);
        const bool decimal = f->notation == WLK_DECIMAL || port->width == 1;
        *zero = *zero && value == 0;
        n += (size_t)snprintf(to + n, CELL - n, decimal ? "%s%" PRIu64 : "%s0x%" PRIx64,
                              n != 0 ? "," : "", value);
        if (n >= CELL - 4u) {
            memcpy(to + CELL - 4, "...", 4);
            return;
        }
    }
}

// What a handshake calls one of its fields: behind "bits.", without what the channel is called.
static const char *label_of(const wlk_field *field) {
    const char *bits = strstr(field->name, "bits.");
    const char *dot = strrchr(field->name, '.');
    if (field->as != NULL) {
        return field->as;
    }
    return bits != NULL ? bits + strlen("bits.") : dot != NULL ? dot + 1 : field->name;
}

// Most fields are of other channels: that is said without a look at all cycles.
static bool has_ports(const wlk_checker *c, const channel *ch, uint32_t field) {
    for (uint32_t i = 0; i < c->layout.n_ports; i++) {
        if (c->ports[i].field == field && is_shown(c, ch, &c->ports[i])) {
            return true;
        }
    }
    return false;
}

// A channel's columns that tell something: a field that is 0 throughout is left out.
static bool column(const sheet *s, const channel *ch, uint32_t field, uint32_t *width) {
    bool zero = true;
    *width = (uint32_t)strlen(label_of(&s->c->block->table->fields[field]));
    if (!has_ports(s->c, ch, field)) {
        return false;
    }
    for (uint64_t i = s->first; i <= s->last; i++) {
        char text[CELL];
        cell(s, ch, field, row_of(s, i), text, &zero);
        const uint32_t n = (uint32_t)strlen(text);
        *width = n > *width ? n : *width;
    }
    return !zero;
}

typedef enum line_kind { TITLE, LABELS, CYCLE } line_kind;

static uint32_t stall_width(const sheet *s, const channel *ch) {
    for (uint64_t i = s->first; i <= s->last; i++) {
        if (is_stalled(s, ch, row_of(s, i))) {
            return (uint32_t)strlen("stalled");
        }
    }
    return 0;
}

// A channel's part of a line.
static void print_channel(sheet *s, const channel *ch, line_kind kind, const uint64_t *row) {
    const uint32_t before = s->used, stall = stall_width(s, ch);
    const char *gap = "   ";
    char title[CELL], text[CELL];
    bool mark = true; // a handshake without fields
    wlk_channel_name(s->c, ch, title, sizeof title);
    for (uint32_t f = 0; f < s->c->block->table->n_fields; f++) {
        uint32_t width;
        bool zero = true;
        if (!column(s, ch, f, &width)) {
            continue;
        }
        cell(s, ch, f, row, text, &zero);
        put(s, gap, kind == LABELS ? label_of(&s->c->block->table->fields[f]) : text, width);
        gap = " ";
        mark = false;
    }
    if (mark) {
        put(s, gap, kind == CYCLE && is_valid(s, ch, row) ? "1" : "", 1);
        gap = " ";
    }
    if (stall != 0) {
        put(s, gap, kind == CYCLE && is_stalled(s, ch, row) ? "stalled" : "", stall);
    }
    const uint32_t used = s->used - before, own = (uint32_t)strlen(title) + 3u;
    if (kind == TITLE) { // over what was measured
        s->used = before;
        put(s, "   ", title, (used > own ? used : own) - 3u);
    } else if (used < own) {
        put(s, "", "", own - used);
    }
}

static bool is_reset(const sheet *s, const uint64_t *row) {
    return row != NULL && s->c->reset_port >= 0 &&
           wlk_port_get(&s->c->ports[s->c->reset_port], row) != 0;
}

static void print_line(sheet *s, line_kind kind, uint64_t cycle, FILE *to) {
    const uint64_t *row = kind == CYCLE ? row_of(s, cycle) : NULL;
    bool resets = false;
    char number[24] = "cycle";
    s->used = 0;
    s->line[0] = '\0';
    for (uint64_t i = s->first; i <= s->last; i++) {
        resets = resets || is_reset(s, row_of(s, i));
    }
    if (kind == CYCLE) {
        (void)snprintf(number, sizeof number, "%8" PRIu64 "%c", cycle,
                       cycle == s->last ? '*' : ' ');
    }
    put(s, "  ", kind == LABELS ? "" : number, 9);
    if (resets) {
        put(s, " ", kind == TITLE ? "reset" : is_reset(s, row) ? "1" : "", 5);
    }
    for (uint32_t i = 0; i < s->c->n_channels; i++) {
        if (is_used(s, &s->c->channels[i])) {
            print_channel(s, &s->c->channels[i], kind, row);
        }
    }
    uint32_t n = s->used < LINE ? s->used : (uint32_t)strlen(s->line);
    while (n > 0 && s->line[n - 1u] == ' ') {
        n--;
    }
    fprintf(to, "%.*s\n", (int)n, s->line);
}

void wlk_report_transactions(const wlk_checker *c, uint64_t until, FILE *to) {
    const bool alone = !c->block->table->has_clock; // each cycle stands alone
    const uint64_t back = alone ? 0u : until < WLK_HISTORY - 1u ? until : WLK_HISTORY - 1u;
    sheet s = {.c = c, .first = until - back, .last = until};
    while (s.first < until && row_of(&s, s.first) == NULL) {
        s.first++;
    }
    fprintf(to, "  handshakes of the RTL%s:\n", alone ? " in this cycle" : ", a line a cycle");
    print_line(&s, TITLE, 0, to);
    print_line(&s, LABELS, 0, to);
    for (uint64_t i = s.first; i <= s.last; i++) {
        print_line(&s, CYCLE, i, to);
    }
}

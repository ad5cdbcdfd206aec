// SPDX-License-Identifier: Apache-2.0
// The result of a checker: as text for a person, as JSON for a program.
#include <inttypes.h>
#include <string.h>

#include "checker_private.h"
#include "ports.h"

enum { STATE_LINES = 40, FEW_LINES = 16, ROW_WORDS = 8 };

enum { VALUE_TEXT = 24, SHOWN_LANES = 4, LANES_TEXT = 96, MOST_DIFFERENCES = 12 };

// The one place that writes a value for a person.
static const char *value_text(uint64_t value, wlk_notation notation, char to[VALUE_TEXT]) {
    (void)snprintf(to, VALUE_TEXT, notation == WLK_DECIMAL ? "%" PRIu64 : "0x%" PRIx64, value);
    return to;
}

static const wlk_field *field_of(const wlk_checker *c, const wlk_port *port) {
    return &c->block->table->fields[port->field];
}

// Differences i.. that are one payload which differs in all its lanes: how many; else 1.
static uint32_t payload_at(const wlk_checker *c, uint32_t i) {
    const wlk_port *first = &c->ports[c->differences[i].port];
    uint32_t n = 0, lanes = 0;
    for (uint32_t p = 0; p < c->layout.n_ports; p++) {
        lanes += c->ports[p].field == first->field && wlk_port_same_index(first, &c->ports[p]);
    }
    while (i + n < c->n_differences) {
        const wlk_port *port = &c->ports[c->differences[i + n].port];
        if (port->lane < 0 || port->field != first->field || !wlk_port_same_index(first, port)) {
            break;
        }
        n++;
    }
    return n == lanes && n > 1 ? n : 1;
}

// A cell of differences i..: the lanes of a payload from the highest on.
static void difference_text(const wlk_checker *c, uint32_t i, uint32_t n, bool got,
                            char to[LANES_TEXT]) {
    const wlk_notation notation = field_of(c, &c->ports[c->differences[i].port])->notation;
    const wlk_difference *d = &c->differences[i];
    size_t at = 0;
    if (n == 1) {
        char value[VALUE_TEXT];
        (void)snprintf(to, LANES_TEXT, "%s%s",
                       value_text(got ? d->got : d->expected, notation, value),
                       got && (d->x & d->care) != 0 ? " (X)" : "");
        return;
    }
    at = (size_t)snprintf(to, LANES_TEXT, n > SHOWN_LANES ? "0x..." : "0x");
    for (uint32_t lane = n < SHOWN_LANES ? n : SHOWN_LANES; lane > 0; lane--) {
        const wlk_difference *each = &c->differences[i + lane - 1u];
        const int digits = (c->ports[each->port].width + 3) / 4;
        at += (size_t)snprintf(to + at, LANES_TEXT - at, "%s%0*" PRIx64, lane == n ? "" : "_",
                               digits, got ? each->got : each->expected);
    }
}

static void difference_name(const wlk_checker *c, uint32_t i, uint32_t n,
                            char to[WLK_MAX_NAME + 32]) {
    const wlk_port *port = &c->ports[c->differences[i].port];
    const wlk_field *field = field_of(c, port);
    const size_t room = WLK_MAX_NAME + 32u;
    if (n > 1) {
        const char *lane = strrchr(port->name, '_');
        (void)snprintf(to, room, "%.*s_0..%" PRIu32, (int)(lane - port->name), port->name, n - 1u);
    } else if (field->as != NULL) {
        (void)snprintf(to, room, "%s (%.24s)", port->name, field->as);
    } else {
        (void)snprintf(to, room, "%s", port->name);
    }
}

typedef struct widths {
    int name, got, want;
} widths;

static int wider(int width, const char *text) {
    const int n = (int)strlen(text);
    return n > width ? n : width;
}

// Does it mean something to a reader? When nothing does, all count.
static bool is_telling(const wlk_checker *c, uint32_t i) {
    bool any = false;
    for (uint32_t k = 0; k < c->n_differences; k++) {
        any = any || field_of(c, &c->ports[c->differences[k].port])->notation != WLK_OPAQUE;
    }
    return !any || field_of(c, &c->ports[c->differences[i].port])->notation != WLK_OPAQUE;
}

// A line for each differing port, a payload that differs whole is one. @p to NULL: measure.
static void print_rows(const wlk_checker *c, widths *w, FILE *to) {
    uint32_t rows = 0, hidden = 0;
    for (uint32_t i = 0, n; i < c->n_differences; i += n) {
        char name[WLK_MAX_NAME + 32], got[LANES_TEXT], want[LANES_TEXT];
        n = payload_at(c, i);
        if (!is_telling(c, i) || rows == MOST_DIFFERENCES) {
            hidden++;
            continue;
        }
        rows++;
        difference_name(c, i, n, name);
        difference_text(c, i, n, true, got);
        difference_text(c, i, n, false, want);
        if (to == NULL) {
            *w = (widths){wider(w->name, name), wider(w->got, got), wider(w->want, want)};
        } else {
            fprintf(to, "  %-*s  %-*s  %-*s  0x%" PRIx64 "\n", w->name, name, w->got, got, w->want,
                    want, c->differences[i].care);
        }
    }
    if (to != NULL && hidden != 0) {
        fprintf(to, "  and %" PRIu32 " more ports\n", hidden);
    }
}

// Where the value that is expected comes from: the rule, if the table has one, and where it is
// written.
static void print_rule(const wlk_checker *c, FILE *to) {
    const wlk_table *t = c->block->table;
    uint32_t i = 0;
    while (!is_telling(c, i)) {
        i++;
    }
    const wlk_field *field = field_of(c, &c->ports[c->differences[i].port]);
    if (field->doc[0] != '\0') {
        fprintf(to, "  rule (%s): %s: %s\n", t->spec, field->name, field->doc);
    }
}

static void print_differences(const wlk_checker *c, FILE *to) {
    widths w = {4, 3, 5};
    print_rows(c, &w, NULL);
    fprintf(to, "  %-*s  %-*s  %-*s  %s\n", w.name, "port", w.got, "RTL", w.want, "model", "care");
    print_rows(c, &w, to);
    print_rule(c, to);
}

enum { NAMED = 1024, RECENT = 3 };

typedef struct printer {
    FILE *to;
    const char *head; // stands above the first line
    uint32_t lines, hidden;
    // When there are too many elements: those that say something, and of arrays those that the
    // handshakes of the last cycles name by their number.
    bool picks, all_single; // all that are no part of an array
    uint64_t named[NAMED / 64];
    char unknown[64]; // elements first..last of it are unknown and not yet printed; empty: none
    int32_t first, last;
} printer;

static bool has_room(printer *p) {
    if (p->lines >= STATE_LINES) {
        p->hidden++;
        return false;
    }
    if (p->lines == 0) {
        fprintf(p->to, "  %s:\n", p->head);
    }
    p->lines++;
    return true;
}

static void print_unknown(printer *p) {
    if (p->unknown[0] != '\0' && has_room(p)) {
        fprintf(p->to, "    %s", p->unknown);
        if (p->first >= 0) {
            fprintf(p->to, "[%" PRId32, p->first);
        }
        if (p->last > p->first) {
            fprintf(p->to, "..%" PRId32, p->last);
        }
        fputs(p->first >= 0 ? "] = unknown\n" : " = unknown\n", p->to);
    }
    p->unknown[0] = '\0';
}

static void add_unknown(printer *p, const char *name, int32_t index) {
    if (strcmp(p->unknown, name) != 0 || index != p->last + 1) {
        print_unknown(p);
        (void)snprintf(p->unknown, sizeof p->unknown, "%s", name);
        p->first = index;
    }
    p->last = index;
}

static void print_row(const uint64_t *words, uint32_t n_words, uint64_t known, FILE *to) {
    const uint32_t shown = n_words < ROW_WORDS ? n_words : ROW_WORDS;
    fputs(" = 0x", to);
    for (uint32_t w = shown; w > 0; w--) {
        fprintf(to, "%016" PRIx64, words[w - 1u]);
    }
    fprintf(to, "%s  lanes known 0x%" PRIx64 "\n", n_words > shown ? " (low words)" : "", known);
}

static bool is_picked(const printer *p, int32_t index, const uint64_t *words, uint32_t n_words,
                      uint64_t known) {
    uint64_t any = 0;
    for (uint32_t i = 0; i < n_words; i++) {
        any |= words[i];
    }
    const uint32_t at = index < 0 ? 0 : (uint32_t)index % NAMED;
    const bool named = index < 0 || (p->named[at / 64u] >> (at % 64u) & 1u) != 0;
    if (index < 0 && p->all_single) {
        return true;
    }
    return named && (known == 0 ? index >= 0 : any != 0);
}

static void print_element(void *ctx, const char *name, int32_t index, const uint64_t *words,
                          uint32_t n_words, uint64_t known, wlk_notation notation) {
    printer *p = (printer *)ctx;
    if (p->picks && !is_picked(p, index, words, n_words, known)) {
        p->hidden++;
        return;
    }
    if (known == 0) {
        add_unknown(p, name, index);
        return;
    }
    print_unknown(p);
    if (!has_room(p)) {
        return;
    }
    fprintf(p->to, "    %s", name);
    if (index >= 0) {
        fprintf(p->to, "[%" PRId32 "]", index);
    }
    if (n_words > 1) {
        print_row(words, n_words, known, p->to);
    } else {
        char value[VALUE_TEXT];
        fprintf(p->to, " = %s\n", value_text(words[0], notation, value));
    }
}

static void note_unknown(void *ctx, const char *name, int32_t index, const uint64_t *words,
                         uint32_t n_words, uint64_t known, wlk_notation notation) {
    (void)words;
    (void)n_words;
    (void)notation;
    if (known == 0) {
        add_unknown((printer *)ctx, name, index);
    }
}

static void count_element(void *ctx, const char *name, int32_t index, const uint64_t *words,
                          uint32_t n_words, uint64_t known, wlk_notation notation) {
    uint32_t *counts = (uint32_t *)ctx; // of all, and of those that are no part of an array
    (void)name;
    (void)words;
    (void)n_words;
    (void)notation;
    counts[0] += known != 0;
    counts[1] += known != 0 && index < 0;
}

static void name_values(const wlk_checker *c, const channel *ch, const uint64_t *row, printer *p) {
    const uint64_t *out = row + c->layout.in_control;
    for (uint32_t i = 0; port_value(&c->ports[ch->valid], row, out) != 0 && i < c->layout.n_ports;
         i++) {
        const wlk_port *port = &c->ports[i];
        const wlk_field *field = field_of(c, port);
        if (!field->is_payload && port->present && field->notation == WLK_DECIMAL &&
            wlk_channel_shows(c, ch, port)) {
            const uint64_t value = port_value(port, row, out) % NAMED;
            p->named[value / 64u] |= UINT64_C(1) << (value % 64u);
        }
    }
}

// What the handshakes of the last cycles name.
static void name_recent(const wlk_checker *c, uint64_t until, printer *p) {
    for (uint64_t cycle = until < RECENT ? 0 : until - RECENT; cycle <= until; cycle++) {
        const uint64_t *slot = history_slot(c, cycle);
        for (uint32_t i = 0; slot[0] == cycle + 1u && i < c->n_channels; i++) {
            name_values(c, &c->channels[i], slot + 1, p);
        }
    }
}

static void print_state(const wlk_checker *c, uint64_t cycle, FILE *to) {
    printer p = {.to = to,
                 .head = c->violation_after ? "model state after the edge"
                                            : "model state before the edge"};
    uint32_t known[2] = {0, 0};
    if (c->block->visit == NULL) {
        return;
    }
    c->block->visit(c->cfg, c->before, count_element, known);
    p.picks = known[0] > FEW_LINES;
    p.all_single = known[1] <= FEW_LINES;
    if (p.picks) {
        name_recent(c, cycle, &p);
    }
    c->block->visit(c->cfg, c->before, print_element, &p);
    print_unknown(&p);
    if (p.hidden != 0) {
        fprintf(to, "    and %" PRIu32 " elements that are 0 or that no handshake names\n",
                p.hidden);
    }
}

static bool is_entry(const uint32_t *values, uint32_t items) {
    uint32_t any = 0;
    for (uint32_t i = 0; i < items; i++) {
        any |= values[i];
    }
    return any != 0;
}

// A list from its first parameter on, ` queues=2:3:1,1:3:1`: returns the parameter after it.
static uint32_t print_list(const wlk_checker *c, uint32_t at, FILE *to) {
    const wlk_table *t = c->block->table;
    const wlk_param *first = &t->params[at];
    bool more = false;
    fprintf(to, " %s=", first->list);
    for (; at < t->n_params && t->params[at].list != NULL &&
           strcmp(t->params[at].list, first->list) == 0;
         at += first->items) {
        for (uint32_t i = 0; is_entry(&c->cfg[at], first->items) && i < first->items; i++) {
            fprintf(to, "%s%" PRIu32, i != 0 ? ":" : more ? "," : "", c->cfg[at + i]);
            more = true;
        }
    }
    return at;
}

static void print_config(const wlk_checker *c, FILE *to) {
    const wlk_table *t = c->block->table;
    fputs("  config:", to);
    for (uint32_t i = 0; i < t->n_params;) {
        if (t->params[i].list != NULL) {
            i = print_list(c, i, to);
        } else if (t->params[i].names != NULL) {
            fprintf(to, " %s=%s", t->params[i].name, t->params[i].names[c->cfg[i]]);
            i++;
        } else {
            fprintf(to, " %s=%" PRIu32, t->params[i].name, c->cfg[i]);
            i++;
        }
    }
    fputc('\n', to);
}

static void print_no_reset(const wlk_checker *c, FILE *to) {
    const char *reset = c->ports[c->reset_port].name;
    fprintf(to, " in %" PRIu64 " cycles", c->sum.cycles);
    if (c->resets_with_x != 0) {
        fprintf(to, ": input %s is X in each of the %" PRIu64 " with %s high\n",
                c->ports[c->reset_x_port].name, c->resets_with_x, reset);
    } else {
        fprintf(to, ": %s is never high\n", reset);
    }
}

static void print_unsettled(const wlk_checker *c, FILE *to) {
    printer p = {.to = to, .head = "unknown at the end"};
    fputs(
        "  in no cycle nine tenths of the outputs, and each valid and ready, follow from what was "
        "seen before: give more cycles, or some with a reset\n",
        to);
    if (c->block->visit != NULL) {
        c->block->visit(c->cfg, state_now(c), note_unknown, &p);
    }
    print_unknown(&p);
    if (p.hidden != 0) {
        fprintf(to, "    and %" PRIu32 " more\n", p.hidden);
    }
}

static const char *why_vacuous(const wlk_checker_result *r) {
    if (r->cycles == 0) {
        return ": no rising clock edge";
    }
    return r->transfer_seen ? "" : ": no transfer after reset";
}

void wlk_checker_report(const wlk_checker *c, FILE *to) {
    const wlk_checker_result r = wlk_checker_result_get(c, false);
    fprintf(to, "%s %s: %s", c->block->table->name, c->scope, wlk_status_name(r.verdict));
    if (r.verdict == WLK_OK || r.verdict == WLK_VACUOUS) {
        fprintf(to, "%s, %" PRIu64 " cycles, %" PRIu64 " bits compared, %" PRIu64 " masked\n",
                r.verdict == WLK_VACUOUS ? why_vacuous(&r) : "", r.cycles, r.compared_bits,
                r.masked_bits);
        if (r.late && !r.known) {
            print_unsettled(c, to);
        }
        return;
    }
    if (r.verdict == WLK_NO_RESET) {
        print_no_reset(c, to);
        return;
    }
    fprintf(to, " in cycle %" PRIu64 "\n", r.first_cycle);
    wlk_checker_report_what(c, to);
    wlk_checker_report_how(c, to);
}

void wlk_checker_report_what(const wlk_checker *c, FILE *to) {
    print_config(c, to);
    if (wlk_checker_result_get(c, false).verdict == WLK_PROTOCOL_VIOLATION) {
        fprintf(to, "  rule: %s\n", c->violation_text);
    } else {
        print_differences(c, to);
    }
    if (wlk_checker_result_get(c, false).verdict == WLK_TIMING_DIVERGENCE) {
        wlk_report_timing(c, to);
    }
}

void wlk_checker_report_how(const wlk_checker *c, FILE *to) {
    const uint64_t cycle = wlk_checker_result_get(c, false).first_cycle;
    wlk_report_transactions(c, cycle, to);
    print_state(c, cycle, to);
}

void wlk_checker_report_kept(const wlk_checker *c, wlk_status verdict, const char *what, FILE *to) {
    fprintf(to, "%s %s: %s in cycle %" PRIu64 "\n", c->block->table->name, c->scope,
            wlk_status_name(verdict), c->kept_cycle);
    print_config(c, to);
    fputs(what, to);
    wlk_report_transactions(c, c->kept_cycle, to);
    print_state(c, c->kept_cycle, to);
}

static void json_difference(const wlk_checker *c, const wlk_difference *d, wlk_json *to) {
    wlk_json_text(to, "port", c->ports[d->port].name);
    wlk_json_hex(to, "expected", d->expected);
    wlk_json_hex(to, "got", d->got);
    wlk_json_hex(to, "care", d->care);
    if ((d->x & d->care) != 0) {
        wlk_json_hex(to, "x", d->x);
    }
}

static void json_first(const wlk_checker *c, const wlk_checker_result *r, wlk_json *to) {
    const bool differs = r->verdict != WLK_PROTOCOL_VIOLATION;
    wlk_json_open(to, "first", '{');
    wlk_json_number(to, "cycle", r->first_cycle);
    if (differs) {
        json_difference(c, &c->differences[0], to);
    } else {
        if (c->violation_port >= 0) {
            wlk_json_text(to, "port", c->ports[c->violation_port].name);
        }
        wlk_json_text(to, "rule", c->violation_text);
    }
    wlk_json_close(to, '}');
    if (!differs) {
        return;
    }
    wlk_json_open(to, "differences", '[');
    for (uint32_t i = 0; i < c->n_differences; i++) {
        wlk_json_open(to, NULL, '{');
        json_difference(c, &c->differences[i], to);
        wlk_json_close(to, '}');
    }
    wlk_json_close(to, ']');
}

static void json_counts(const wlk_checker_result *r, wlk_json *to) {
    wlk_json_number(to, "cycles", r->cycles);
    wlk_json_number(to, "skipped", r->skipped);
    wlk_json_number(to, "compared_bits", r->compared_bits);
    wlk_json_number(to, "masked_bits", r->masked_bits);
    wlk_json_number(to, "mismatches", r->mismatches);
    wlk_json_number(to, "mismatched_bits", r->mismatched_bits);
    wlk_json_number(to, "explained_bits", r->explained_bits);
    wlk_json_number(to, "differing_ports", r->differing_ports);
    wlk_json_number(to, "differing_bits", r->differing_bits);
}

enum { NAMES = 32 };

// Elements that are unknown, by name.
typedef struct unknowns {
    char names[NAMES][64];
    uint64_t count[NAMES];
    uint32_t n;
} unknowns;

static void count_unknown(void *ctx, const char *name, int32_t index, const uint64_t *words,
                          uint32_t n_words, uint64_t known, wlk_notation notation) {
    unknowns *u = (unknowns *)ctx;
    uint32_t i = 0;
    (void)index;
    (void)words;
    (void)n_words;
    (void)notation;
    while (i < u->n && strcmp(u->names[i], name) != 0) {
        i++;
    }
    if (known != 0 || i == NAMES) {
        return;
    }
    if (i == u->n) {
        (void)snprintf(u->names[u->n++], sizeof u->names[0], "%s", name);
    }
    u->count[i]++;
}

static void json_late(const wlk_checker *c, const wlk_checker_result *r, wlk_json *to) {
    unknowns unknown = {.n = 0};
    wlk_json_open(to, "from_unknown", '{');
    if (r->known) {
        wlk_json_number(to, "known_from", r->known_from);
        wlk_json_number(to, "compared_bits", r->known_bits);
        wlk_json_number(to, "output_bits", r->known_of);
    }
    wlk_json_number(to, "forgotten", r->forgotten);
    wlk_json_open(to, "unknown", '{');
    if (c->block->visit != NULL) {
        c->block->visit(c->cfg, state_now(c), count_unknown, &unknown);
    }
    for (uint32_t i = 0; i < unknown.n; i++) {
        wlk_json_number(to, unknown.names[i], unknown.count[i]);
    }
    wlk_json_close(to, '}');
    wlk_json_close(to, '}');
}

// ---- outputs that never change ----------------------------------------------------------------

enum { CONSTANT_LINES = 8 };

// Bits of the ports of a field that were always 0, or always 1, and how many are compared.
typedef struct constant_bits {
    uint32_t of_value[2], all, ports;
    const char *name; // of the field, or of its only port
} constant_bits;

static constant_bits count_constant(const wlk_checker *c, uint16_t field) {
    constant_bits n = {{0, 0}, 0, 0, c->block->table->fields[field].name};
    for (uint32_t i = 0; i < c->layout.n_ports; i++) {
        if (c->ports[i].field != field || wlk_checker_port_bits(c, i) == 0) {
            continue;
        }
        uint64_t value;
        const uint64_t bits = wlk_checker_constant(c, i, &value);
        n.of_value[0] += (uint32_t)__builtin_popcountll(bits & ~value);
        n.of_value[1] += (uint32_t)__builtin_popcountll(bits & value);
        n.all += wlk_checker_port_bits(c, i);
        n.name = n.ports++ == 0 ? c->ports[i].name : c->block->table->fields[field].name;
    }
    return n;
}

void wlk_checker_report_constants(const wlk_checker *c, const char *head, FILE *to) {
    uint32_t lines = 0;
    for (uint16_t f = 0; f < c->block->table->n_fields; f++) {
        const constant_bits n = count_constant(c, f);
        for (uint32_t value = 0; value < 2; value++) {
            if (n.of_value[value] != 0 && lines++ < CONSTANT_LINES) {
                fprintf(to,
                        "%s%" PRIu32 " of %" PRIu32 " bits of %s were %" PRIu32 " in all %" PRIu64
                        " cycles\n",
                        head, n.of_value[value], n.all, n.name, value, c->compared_cycles);
            }
        }
    }
    if (lines > CONSTANT_LINES) {
        fprintf(to, "%s%" PRIu32 " more such lines\n", head, lines - CONSTANT_LINES);
    }
}

void wlk_checker_json(const wlk_checker *c, bool strict, wlk_json *to) {
    const wlk_table *t = c->block->table;
    const wlk_checker_result r = wlk_checker_result_get(c, strict);
    wlk_json_text(to, "block", t->name);
    wlk_json_text(to, "scope", c->scope);
    wlk_json_config(to, t, c->cfg);
    json_counts(&r, to);
    wlk_json_text(to, "verdict", wlk_status_name(r.verdict));
    if (r.verdict == WLK_FUNCTIONAL_MISMATCH || r.verdict == WLK_TIMING_DIVERGENCE ||
        r.verdict == WLK_PROTOCOL_VIOLATION) {
        json_first(c, &r, to);
    }
    if (r.verdict == WLK_TIMING_DIVERGENCE) {
        wlk_json_timing(c, to);
    }
    if (r.late) {
        json_late(c, &r, to);
    }
    if (c->waivers.n != 0) {
        wlk_waivers_json(&c->waivers, to);
    }
    if (c->count_events) {
        wlk_json_open(to, "coverage", '{');
        for (uint32_t i = 0; i < t->n_covers; i++) {
            wlk_json_number(to, t->covers[i].name, c->events[i]);
        }
        wlk_json_close(to, '}');
    }
}

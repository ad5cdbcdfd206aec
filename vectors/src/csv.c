// SPDX-License-Identifier: Apache-2.0
#include "csv.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct csv {
    FILE *from;
    const char *name;
    const wlk_table *table;
    const wlk_port *ports;
    uint32_t *columns; // port of each column after the first
    uint32_t n_columns;
    uint64_t line;
    uint64_t cycle; // of the last row
    bool any_row;
    char *text;
    size_t size;
    bool ended; // the line "#end" was read
};

static bool read_line(csv *c) {
    const ssize_t n = getline(&c->text, &c->size, c->from);
    if (n < 0) {
        return false;
    }
    c->text[strcspn(c->text, "\r\n")] = '\0';
    c->line++;
    c->ended = strcmp(c->text, "#end") == 0;
    return !c->ended;
}

static uint32_t count_cells(const char *text) {
    uint32_t n = 1;
    for (; *text != '\0'; text++) {
        n += *text == ',';
    }
    return n;
}

// Which port has the name; @p n: none.
static uint32_t find(const wlk_port *ports, uint32_t n, const char *name) {
    uint32_t i = 0;
    while (i < n && !(ports[i].present && strcmp(ports[i].name, name) == 0)) {
        i++;
    }
    return i;
}

static wlk_status read_names(csv *c, uint32_t n_ports, wlk_error *err) {
    if (!read_line(c)) {
        return wlk_fail(err, WLK_BAD_CSV, "%s: empty; line 1 must be 'cycle' and port names",
                        c->name);
    }
    c->n_columns = count_cells(c->text) - 1u;
    c->columns = calloc(c->n_columns + 1u, sizeof *c->columns);
    if (c->columns == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "%s: out of memory", c->name);
    }
    char *rest = c->text;
    (void)strsep(&rest, ",");
    for (uint32_t i = 0; i < c->n_columns; i++) {
        const char *cell = strsep(&rest, ",");
        c->columns[i] = find(c->ports, n_ports, cell);
        if (c->columns[i] == n_ports) {
            return wlk_fail(err, WLK_BAD_CSV,
                            "%s:1: unknown column '%.90s'; the configuration has no such port",
                            c->name, cell);
        }
    }
    return WLK_OK;
}

wlk_status csv_open(csv **out, FILE *from, const char *name, const wlk_port *ports,
                    uint32_t n_ports, const wlk_table *table, wlk_error *err) {
    csv *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "%s: out of memory", name);
    }
    c->from = from;
    c->name = name;
    c->ports = ports;
    c->table = table;
    const wlk_status status = read_names(c, n_ports, err);
    if (status != WLK_OK) {
        csv_close(c);
        return status;
    }
    (void)read_line(c); // directions and widths
    *out = c;
    return WLK_OK;
}

// The number of a row's cycle. Without a clock rows may be left out: they are independent.
static wlk_status take_cycle(csv *c, const char *cell, wlk_error *err) {
    char *end = NULL;
    errno = 0;
    const uint64_t cycle = strtoull(cell, &end, 10);
    if (!isdigit((unsigned char)*cell) || *end != '\0' || errno != 0) {
        return wlk_fail(err, WLK_BAD_CSV, "%s:%" PRIu64 ": '%.32s' is not the number of a cycle",
                        c->name, c->line, cell);
    }
    const bool is_next = c->table->has_clock ? cycle == c->cycle + 1u : cycle > c->cycle;
    if (c->any_row && !is_next) {
        return wlk_fail(err, WLK_BAD_CSV,
                        "%s:%" PRIu64 ": cycle %" PRIu64 " follows cycle %" PRIu64
                        ": rows are missing, come twice or are of two runs; give all cycles of one "
                        "run",
                        c->name, c->line, cycle, c->cycle);
    }
    c->cycle = cycle;
    c->any_row = true;
    return WLK_OK;
}

// A hexadecimal number of up to 16 digits that @p end ends.
static bool parse_hex(const char *text, const char *end, uint64_t *value) {
    const char *at = text;
    *value = 0;
    for (; isxdigit((unsigned char)*at) && at - text < 16; at++) {
        const uint32_t digit = (uint32_t)(*at & 15) + (*at > '9' ? 9u : 0u);
        *value = *value << 4 | digit;
    }
    return at != text && at == end;
}

// @p x: NULL where the cell may have none.
static wlk_status read_cell(const csv *c, const wlk_port *port, const char *cell, uint64_t *value,
                            uint64_t *x, wlk_error *err) {
    // An input that no rule reads may be wider than in the table.
    const bool any_width = !port->is_out && !c->table->fields[port->field].read;
    const char *end = cell + strcspn(cell, ":");
    const bool has_x = *end != '\0' && x != NULL;
    const char *last = has_x ? end : cell + strlen(cell);
    if (!parse_hex(cell, last, value) || (has_x && !parse_hex(end + 1, end + strlen(end), x))) {
        return wlk_fail(err, WLK_BAD_CSV, "%s:%" PRIu64 ": column %s: '%.32s' is not a hex number",
                        c->name, c->line, port->name, cell);
    }
    if ((*value & ~wlk_mask(port->width)) != 0 && !any_width) {
        return wlk_fail(err, WLK_BAD_CSV, "%s:%" PRIu64 ": column %s: %.32s has more than %u bits",
                        c->name, c->line, port->name, cell, port->width);
    }
    return WLK_OK;
}

wlk_status csv_row(csv *c, uint64_t *in, uint64_t *out, uint64_t *out_x, bool *more,
                   wlk_error *err) {
    *more = read_line(c);
    if (!*more) {
        return ferror(c->from) ? wlk_fail(err, WLK_NO_FILE, "%s: cannot be read", c->name) : WLK_OK;
    }
    const uint32_t cells = count_cells(c->text);
    if (cells != c->n_columns + 1u) {
        return wlk_fail(err, WLK_BAD_CSV,
                        "%s:%" PRIu64 ": %" PRIu32 " cells; line 1 has %" PRIu32
                        " columns: the file is cut or broken here",
                        c->name, c->line, cells, c->n_columns + 1u);
    }
    char *rest = c->text;
    wlk_status status = take_cycle(c, strsep(&rest, ","), err);
    if (status != WLK_OK) {
        return status;
    }
    for (uint32_t i = 0; i < c->n_columns; i++) {
        uint64_t value = 0, x = 0;
        const wlk_port *port = &c->ports[c->columns[i]];
        const char *cell = strsep(&rest, ",");
        status = read_cell(c, port, cell, &value, out_x != NULL ? &x : NULL, err);
        if (status != WLK_OK) {
            return status;
        }
        wlk_port_set(port, port->is_out ? out : in, value);
        if (x != 0 && port->is_out) {
            wlk_port_set(port, out_x, x);
        }
    }
    return WLK_OK;
}

wlk_status csv_ended(const csv *c, wlk_error *err) {
    if (c->ended) {
        return WLK_OK;
    }
    return wlk_fail(err, WLK_TRUNCATED, "%s: ended behind line %" PRIu64 ", before its last line",
                    c->name, c->line);
}

void csv_care(const csv *c, uint64_t *care) {
    for (uint32_t i = 0; i < c->n_columns; i++) {
        const wlk_port *port = &c->ports[c->columns[i]];
        if (port->is_out) {
            wlk_port_set(port, care, ~UINT64_C(0));
        }
    }
}

void csv_close(csv *c) {
    if (c != NULL) {
        free(c->columns);
        free(c->text);
        free(c);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Command that compares two vector files port by port.
#include <inttypes.h>
#include <stdio.h>

#include "vec_job.h"

enum { IN, OUT, CARE, SIDES };
static const char *const names[SIDES] = {"in", "out", "care"};

// A cycle of a file.
typedef struct record {
    const uint64_t *side[SIDES];
} record;

typedef struct difference {
    uint64_t cycles;      // that differ
    uint64_t first;       // of them
    const wlk_port *port; // the first that differs there
    uint64_t values[2];
} difference;

static wlk_status read(wlk_vec_reader *from, record *r, wlk_error *err) {
    return wlk_vec_read(from, &r->side[IN], &r->side[OUT], &r->side[CARE], err);
}

// Bits of a port that differ; of expected values those that both files care for.
static uint64_t differing(const record *a, const record *b, int side, const wlk_port *port) {
    if (port->is_out != (side != IN) || !port->present) {
        return 0;
    }
    const uint64_t bits = wlk_port_get(port, a->side[side]) ^ wlk_port_get(port, b->side[side]);
    return side != OUT
               ? bits
               : bits & wlk_port_get(port, a->side[CARE]) & wlk_port_get(port, b->side[CARE]);
}

// Print the ports that differ: "name": ["a", "b"].
static void print_side(const job *j, const record *a, const record *b, int side, wlk_json *to) {
    wlk_json_open(to, names[side], '{');
    for (uint32_t i = 0; i < j->b.layout.n_ports; i++) {
        const wlk_port *port = &j->b.ports[i];
        if (differing(a, b, side, port) != 0) {
            wlk_json_open(to, port->name, '[');
            wlk_json_hex(to, NULL, wlk_port_get(port, a->side[side]));
            wlk_json_hex(to, NULL, wlk_port_get(port, b->side[side]));
            wlk_json_close(to, ']');
        }
    }
    wlk_json_close(to, '}');
}

static bool note(const job *j, const record *a, const record *b, int side, uint64_t cycle,
                 difference *found) {
    for (uint32_t i = 0; i < j->b.layout.n_ports; i++) {
        const wlk_port *port = &j->b.ports[i];
        if (differing(a, b, side, port) == 0) {
            continue;
        }
        if (found->cycles++ == 0) {
            *found = (difference){
                1,
                cycle,
                port,
                {wlk_port_get(port, a->side[side]), wlk_port_get(port, b->side[side])}};
        }
        return true;
    }
    return false;
}

// Each side's differing cycles, and the first.
static void print_all(const difference *found, uint64_t cycles) {
    wlk_json to = wlk_json_line(stdout);
    wlk_json_number(&to, "compared", cycles);
    wlk_json_open(&to, "differ", '{');
    for (int side = 0; side < SIDES; side++) {
        wlk_json_number(&to, names[side], found[side].cycles);
    }
    wlk_json_close(&to, '}');
    wlk_json_open(&to, "first", '{');
    for (int side = 0; side < SIDES; side++) {
        if (found[side].cycles != 0) {
            wlk_json_open(&to, names[side], '{');
            wlk_json_number(&to, "cycle", found[side].first);
            wlk_json_text(&to, "port", found[side].port->name);
            wlk_json_open(&to, "values", '[');
            wlk_json_hex(&to, NULL, found[side].values[0]);
            wlk_json_hex(&to, NULL, found[side].values[1]);
            wlk_json_close(&to, ']');
            wlk_json_close(&to, '}');
        }
    }
    wlk_json_close(&to, '}');
    wlk_json_line_end(&to);
}

static wlk_status compare(job *j, uint64_t lines, difference *found, uint64_t *cycles,
                          wlk_error *err) {
    const uint64_t total = wlk_vec_cycles(j->reader);
    for (*cycles = 0;; ++*cycles) {
        record a, b;
        bool any = false;
        wlk_status status = read(j->reader, &a, err);
        status = status == WLK_OK ? read(j->second, &b, err) : status;
        if (status != WLK_OK || a.side[IN] == NULL || b.side[IN] == NULL) {
            return status;
        }
        for (int side = 0; side < SIDES; side++) {
            any = note(j, &a, &b, side, *cycles, &found[side]) || any;
        }
        if (any && lines > 0) {
            wlk_json line = wlk_json_line(stdout);
            wlk_json_number(&line, "cycle", *cycles);
            for (int side = 0; side < SIDES; side++) {
                print_side(j, &a, &b, side, &line);
            }
            wlk_json_line_end(&line);
            lines--;
        }
        if (tool_stopped(*cycles, total)) {
            return wlk_fail(err, WLK_INTERRUPTED, "interrupted");
        }
    }
}

// The first cycles that differ, one a line, and what was found in all of those that both have.
wlk_status vec_diff(job *j, char **a, wlk_error *err) {
    difference found[SIDES] = {{0, 0, NULL, {0, 0}}};
    uint64_t lines = 0, cycles = 0;
    if (!tool_number(a[3], &lines)) {
        return WLK_USAGE;
    }
    wlk_status status = job_reader(j, a[2], err);
    j->second = j->reader;
    j->reader = NULL;
    if (status == WLK_OK) {
        status = job_reader(j, a[1], err);
    }
    if (status == WLK_OK) {
        status = compare(j, lines, found, &cycles, err);
    }
    if (status == WLK_OK) {
        print_all(found, cycles);
    }
    return status;
}

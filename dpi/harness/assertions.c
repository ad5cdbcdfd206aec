// SPDX-License-Identifier: Apache-2.0
// What in the RTL would end a simulation: assertions that fail, $fatal, $error, $stop, $finish.
// The stimulus is legal, so they are the RTL's; the run goes on, and they are judged at its end.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness_private.h"

uint32_t assertions_pending;

static place pending[MAX_PLACES]; // fired in this phase; Verilator's hooks pass no harness

static place *find(place *places, uint32_t n, const char *file, int line) {
    for (uint32_t i = 0; i < n; i++) {
        if (places[i].line == line && strcmp(places[i].file, file) == 0) {
            return &places[i];
        }
    }
    return NULL;
}

void wlk_harness_end(const char *file, int line, bool finishes) {
    place fired = {.line = line, .finishes = finishes, .count = 1};
    (void)snprintf(fired.file, sizeof fired.file, "%s", file);
    printed_message(fired.message, sizeof fired.message);
    place *same = find(pending, assertions_pending, fired.file, line);
    if (same != NULL) {
        same->count++;
    } else if (assertions_pending < MAX_PLACES) {
        pending[assertions_pending++] = fired;
    }
}

void wlk_harness_fatal(const char *file, int line, const char *message) {
    wlk_error err;
    if (line == 0) {
        (void)wlk_fail(&err, WLK_BAD_RTL, "%s: %s", file, message);
    } else {
        (void)wlk_fail(&err, WLK_BAD_RTL, "%s:%d: %s", file, line, message);
    }
    exit(tool_fail("harness", &err));
}

// ---- judging ------------------------------------------------------------------------------

void assertions_begin(harness *b) {
    memset(&b->assertions, 0, sizeof b->assertions);
    assertions_pending = 0;
    b->reset_edge = false;
    b->awake = b->power_up == WLK_POWER_ZERO || b->reset < 0;
}

static void judge(harness *b, const place *fired) {
    assertions *a = &b->assertions;
    if (!b->awake) {
        const uint64_t count = b->early.count + fired->count;
        if (b->early.count == 0) {
            b->early = *fired;
            b->early.cycle = b->cycle;
        }
        b->early.count = count;
        return;
    }
    place *same = find(a->places, a->n, fired->file, fired->line);
    a->count += fired->count;
    printed_hold();
    if (same != NULL) {
        same->count += fired->count;
    } else if (a->n < MAX_PLACES) {
        a->places[a->n] = *fired;
        a->places[a->n++].cycle = b->cycle;
    }
}

void assertions_settled(harness *b) {
    for (uint32_t i = 0; i < assertions_pending; i++) {
        judge(b, &pending[i]);
    }
    assertions_pending = 0;
}

// After the edge, combinational code sees the new state with the old inputs, which does not happen
// in a simulation whose inputs change at the edge too. An assertion that fires again when the
// module settles once more is combinational: it is judged after the next inputs are set.
void assertions_clocked(harness *b) {
    place fired[MAX_PLACES];
    const uint32_t n = assertions_pending;
    memcpy(fired, pending, n * sizeof *fired);
    assertions_pending = 0;
    b->dut->settle(b->dut_handle);
    for (uint32_t i = 0; i < n; i++) {
        if (find(pending, assertions_pending, fired[i].file, fired[i].line) == NULL) {
            judge(b, &fired[i]);
        }
    }
    assertions_pending = 0;
}

void assertions_reset(harness *b, const uint64_t *in) {
    const bool resets = wlk_port_get(&b->ports[b->reset], in) != 0;
    b->awake = b->reset_edge && !resets;
    b->reset_edge = b->reset_edge || resets;
}

bool assertions_fired(harness *b, const place *p, uint64_t *cycle) {
    const place *same = find(b->assertions.places, b->assertions.n, p->file, p->line);
    *cycle = same != NULL ? same->cycle : *cycle;
    return same != NULL;
}

// ---- reporting -----------------------------------------------------------------------------

static const char *kind(const place *p) {
    return p->finishes ? "$finish" : p->message[0] == '\0' ? "$stop" : "assertion";
}

static const char *text(const place *p) {
    static const char verilator[] = "Assertion failed in ";
    if (p->message[0] == '\0') {
        return p->finishes ? "a simulation would end here" : "a simulation would stop here";
    }
    const size_t n = strlen(verilator);
    return strncmp(p->message, verilator, n) == 0 ? p->message + n : p->message;
}

void assertions_place_json(const place *p, const char *name, uint64_t count, wlk_json *to) {
    wlk_json_open(to, name, '{');
    wlk_json_text(to, "file", p->file);
    wlk_json_number(to, "line", (uint64_t)p->line);
    wlk_json_text(to, "kind", kind(p));
    wlk_json_text(to, "message", text(p));
    wlk_json_number(to, "cycle", p->cycle);
    wlk_json_number(to, "count", count);
    wlk_json_close(to, '}');
}

void assertions_json(const harness *b, wlk_json *to) {
    const assertions *a = &b->assertions;
    if (a->n != 0) {
        assertions_place_json(&a->places[0], "assertion", a->count, to);
    }
    if (a->n > 1) {
        wlk_json_open(to, "assertions", '[');
        for (uint32_t i = 0; i < a->n; i++) {
            assertions_place_json(&a->places[i], NULL, a->places[i].count, to);
        }
        wlk_json_close(to, ']');
    }
    if (b->early.count != 0) {
        assertions_place_json(&b->early, "assertions_before_reset", b->early.count, to);
    }
}

void assertions_report(const harness *b, FILE *to) {
    for (uint32_t i = 0; i < b->assertions.n; i++) {
        const place *p = &b->assertions.places[i];
        fprintf(to, "  %s in %s:%d in cycle %" PRIu64 ": %s", kind(p), p->file, p->line, p->cycle,
                text(p));
        fprintf(to, p->count > 1 ? " (%" PRIu64 " times)\n" : "\n", p->count);
    }
}

// SPDX-License-Identifier: Apache-2.0
// What a waveform has beside the RTL's signals: the cycle, whether an output differs, and of each
// port that is compared what was expected, its care and whether it differs. They change as the
// RTL's do: at the start of a cycle, and behind its edge. Text for `wlk-vec beside`, changes alone.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness_private.h"

enum { PERIOD = 10, EDGE = 5, CYCLE_BITS = 64 }; // as the waveform has it: harness_cycle
enum { EXPECTED, CARE, MISMATCH, KINDS };
static const char ROOT[] = "warplock";
static const char *const kinds[KINDS] = {"expected", "care", "mismatch"};

typedef struct signal_value {
    uint64_t value, x;
    bool written;
} signal_value;

typedef struct expected {
    FILE *to;
    char path[4096];
    char scope[512];      // that was declared last
    int cause;            // errno of the first write that failed
    signal_value *values; // cycle, mismatch, then of each checker's port three
    uint32_t n;
    bool no_memory;
} expected;

wlk_status expected_open(harness *b, wlk_error *err) {
    if (b->waves == NULL) {
        return WLK_OK;
    }
    b->beside = calloc(1, sizeof *b->beside);
    if (b->beside == NULL) {
        return tool_no_memory(err);
    }
    expected *e = b->beside;
    (void)snprintf(e->path, sizeof e->path, "%s.expected", b->waves);
    e->to = fopen(e->path, "w");
    if (e->to != NULL) {
        return WLK_OK;
    }
    const wlk_status status = wlk_fail(err, WLK_NO_FILE, "%s: %s", e->path, strerror(errno));
    free(e);
    b->beside = NULL;
    return status;
}

wlk_status expected_close(harness *b, wlk_error *err) {
    expected *e = b->beside;
    if (e == NULL) {
        return WLK_OK;
    }
    b->beside = NULL;
    const bool failed = ferror(e->to) != 0;
    const int cause = fclose(e->to) != 0 ? errno : e->cause;
    wlk_status status = e->no_memory ? tool_no_memory(err) : WLK_OK;
    if (failed || cause != 0) {
        status = wlk_fail(err, WLK_NO_SPACE, "%s: %s; free some space", e->path,
                          strerror(cause != 0 ? cause : ENOSPC));
    }
    free(e->values);
    free(e);
    return status;
}

// ---- names --------------------------------------------------------------------------------------

// Scopes as the RTL's, without the simulator's own first one.
static const char *path_of(const wlk_checker *checker) {
    const char *scope = wlk_checker_facts_get(checker).scope;
    const char *dot = strchr(scope, '.');
    return dot != NULL ? dot + 1 : scope;
}

// Bytes that two scopes have in common: whole names, without the dot behind them.
static size_t common(const char *a, const char *b) {
    size_t same = 0;
    for (size_t i = 0;; i++) {
        if ((a[i] == '\0' || a[i] == '.') && (b[i] == '\0' || b[i] == '.')) {
            same = i;
        }
        if (a[i] == '\0' || a[i] != b[i]) {
            return same;
        }
    }
}

// From the scope that was declared last to another one of ours.
static void enter(expected *e, const char *path, const char *kind) {
    char scope[sizeof e->scope];
    (void)snprintf(scope, sizeof scope, "%s.%s.%s", ROOT, path, kind);
    const size_t same = common(e->scope, scope);
    for (const char *at = e->scope + same; *at != '\0'; at++) {
        fputs(*at == '.' ? "-\n" : "", e->to);
    }
    for (const char *at = scope + same; *at != '\0';) {
        at += *at == '.';
        const size_t n = strcspn(at, ".");
        fprintf(e->to, "+%.*s\n", (int)n, at);
        at += n;
    }
    memcpy(e->scope, scope, sizeof scope);
}

static void declare_checker(expected *e, const wlk_checker *checker) {
    const wlk_checker_facts facts = wlk_checker_facts_get(checker);
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        enter(e, path_of(checker), kinds[kind]);
        for (uint32_t i = 0; i < facts.n_ports; i++) {
            const uint32_t width = kind == MISMATCH ? 1u : facts.ports[i].width;
            if (wlk_checker_port_bits(checker, i) != 0) {
                fprintf(e->to, "=%" PRIu32 " %s\n", width, facts.ports[i].name);
                e->n++;
            }
        }
    }
}

// Once all checkers are open, so with the first cycle.
static void declare(expected *e) {
    fprintf(e->to, "+%s\n=%d cycle\n=1 mismatch\n", ROOT, CYCLE_BITS);
    (void)snprintf(e->scope, sizeof e->scope, "%s", ROOT);
    e->n = 2;
    for (uint32_t i = 0; i < wlk_dpi_count(); i++) {
        declare_checker(e, wlk_dpi_checker(i));
    }
    for (const char *at = strchr(e->scope, '.'); at != NULL; at = strchr(at + 1, '.')) {
        fputs("-\n", e->to);
    }
    fputs("-\n", e->to);
    e->values = calloc(e->n, sizeof *e->values);
    e->no_memory = e->values == NULL;
}

// ---- values -------------------------------------------------------------------------------------

static void write_value(expected *e, uint32_t number, uint32_t width, uint64_t value, uint64_t x) {
    char digits[65];
    signal_value *last = &e->values[number];
    if (last->written && last->value == value && last->x == x) {
        return;
    }
    *last = (signal_value){value, x, true};
    for (uint32_t i = 0; i < width; i++) {
        const uint32_t bit = width - 1u - i;
        digits[i] = (x >> bit & 1u) != 0 ? 'x' : (value >> bit & 1u) != 0 ? '1' : '0';
    }
    digits[width] = '\0';
    fprintf(e->to, "%" PRIu32 " %s\n", number, digits);
}

// One kind of a checker's signals; the number of the next one.
static uint32_t write_kind(expected *e, const wlk_checker *checker, uint32_t number, uint32_t kind,
                           const uint64_t *values, const uint64_t *care) {
    const wlk_checker_facts facts = wlk_checker_facts_get(checker);
    for (uint32_t i = 0; i < facts.n_ports; i++) {
        const wlk_port *port = &facts.ports[i];
        if (wlk_checker_port_bits(checker, i) == 0) {
            continue;
        }
        const uint64_t value = wlk_port_get(port, values);
        if (kind == MISMATCH) {
            write_value(e, number, 1, value != 0, 0);
        } else {
            const uint64_t all = wlk_mask(port->width);
            write_value(e, number, port->width, value,
                        kind == EXPECTED ? all & ~wlk_port_get(port, care) : 0u);
        }
        number++;
    }
    return number;
}

static bool any_mismatch(void) {
    uint64_t any = 0;
    for (uint32_t i = 0; i < wlk_dpi_count(); i++) {
        const wlk_look look = wlk_checker_look(wlk_dpi_checker(i));
        for (uint32_t w = 0; w < look.words; w++) {
            any |= look.wrong[w];
        }
    }
    return any != 0;
}

// @p behind: of the edge; what differed before it is shown up to the next cycle.
static void write_side(expected *e, bool behind) {
    uint32_t number = 2;
    for (uint32_t i = 0; i < wlk_dpi_count(); i++) {
        const wlk_checker *c = wlk_dpi_checker(i);
        const wlk_look look = wlk_checker_look(c);
        const uint64_t *care = behind ? look.next_care : look.care;
        number =
            write_kind(e, c, number, EXPECTED, behind ? look.next_expected : look.expected, care);
        number = write_kind(e, c, number, CARE, care, care);
        number = write_kind(e, c, number, MISMATCH, look.wrong, care);
    }
}

void expected_watch(harness *b) {
    expected *e = b->beside;
    if (e->n == 0) {
        declare(e);
    }
    for (uint32_t i = 0; i < wlk_dpi_count() && !e->no_memory; i++) {
        e->no_memory = !wlk_checker_watch(wlk_dpi_checker(i));
    }
}

void expected_note(harness *b) {
    expected *e = b->beside;
    if (e->no_memory) {
        return;
    }
    fprintf(e->to, "#%" PRIu64 "\n", b->cycle * PERIOD);
    write_value(e, 0, CYCLE_BITS, b->cycle, 0);
    write_value(e, 1, 1, any_mismatch(), 0);
    write_side(e, false);
    fprintf(e->to, "#%" PRIu64 "\n", b->cycle * PERIOD + EDGE);
    write_side(e, true);
    if (ferror(e->to) != 0 && e->cause == 0) {
        e->cause = errno;
    }
}

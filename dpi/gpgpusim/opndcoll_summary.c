// SPDX-License-Identifier: Apache-2.0
// Statistics of the operand collector, counted from its events and from views of its state.
#define _GNU_SOURCE // open_memstream
#include "warplock/opndcoll_summary.h"

#include <stdlib.h>
#include <string.h>

#include "warplock/json.h"
#include "warplock/opndcoll_options.h"

// Counts of a pipe kind.
enum {
    ISSUED,
    ISSUE_REFUSED,
    ALLOCATED,
    DISPATCHED,
    TAKEN,
    WAITING,
    STARVED_OTHER,
    STARVED_UNIT,
    STARVED_PORT,
    STARVED_CYCLES,
    STALLED_FULL,
    STALLED_DU,
    BUSY,
    OF_KIND,
};

static const char *const names_of_kind[OF_KIND] = {
    "issued",          "issue_refused", "allocated",    "dispatched",   "taken",
    "waiting",         "starved_other", "starved_unit", "starved_port", "starved_cycles",
    "stalled_ex_full", "stalled_no_du", "busy",
};

// Counts of a bank.
enum {
    GRANTED,
    WRITTEN,
    WRITE_REFUSED,
    WAITED_READ,
    WAITED_WRITE,
    WAITED_UNIT,
    CONFLICTS,
    QUEUED,
    OF_BANK
};

static const char *const names_of_bank[OF_BANK] = {
    "granted",      "written",     "write_refused", "waited_read",
    "waited_write", "waited_unit", "conflicts",     "queued",
};

typedef wlk_opndcoll_summary summary;

enum { LONGEST = WLK_OPNDCOLL_MAX_UNITS * WLK_OPNDCOLL_OPERANDS };

// Counts in windows of steps: a row is what had been counted at the end of one.
typedef struct windows {
    uint64_t *rows; // NULL: there are none
    size_t columns;
    uint32_t used, room;
    uint64_t width, end; // steps: of a window, and when the present one ends
} windows;

struct wlk_opndcoll_summary {
    wlk_opndcoll_cfg cfg;
    wlk_opndcoll_shape shape;
    const wlk_opndcoll *model;
    uint32_t units_a_slot; // V42, sub-core: units tied to a slot of OC_EX; else 0
    uint32_t port_kinds[WLK_OPNDCOLL_MAX_PORTS];
    wlk_opndcoll_counters before; // those of the model when counting began

    // State between two steps.
    uint32_t id[WLK_OPNDCOLL_KINDS];        // instructions in ID_OC
    uint32_t queue[WLK_OPNDCOLL_MAX_BANKS]; // requests
    bool written[WLK_OPNDCOLL_MAX_BANKS];
    bool ready[WLK_OPNDCOLL_MAX_UNITS]; // busy, and nothing is pending
    uint32_t waited, served;            // bit: kind that waited, that a port served, in this cycle

    uint64_t cycles, steps;
    uint64_t of_kind[WLK_OPNDCOLL_KINDS][OF_KIND];
    uint64_t of_bank[WLK_OPNDCOLL_MAX_BANKS][OF_BANK];
    windows windows;
    uint64_t with_busy[WLK_OPNDCOLL_MAX_UNITS + 1u]; // steps, by busy units after them
    uint64_t with_queued[LONGEST + 1u];              // banks and steps, by requests after them
};

// Counts from the events of a step.
typedef struct step_facts {
    bool granted[WLK_OPNDCOLL_MAX_BANKS];
    bool dispatched[WLK_OPNDCOLL_MAX_UNITS];
    uint32_t served_by[WLK_OPNDCOLL_MAX_PORTS]; // bit: kind of an instruction the port took
    uint32_t served;                            // of all ports
} step_facts;

static void read_events(summary *s, const wlk_opndcoll_events *events, step_facts *facts) {
    for (uint32_t i = 0; i < events->count; i++) {
        const wlk_opndcoll_event *e = &events->at[i];
        switch (e->what) {
        case WLK_OPNDCOLL_DISPATCH:
            facts->dispatched[e->unit] = true;
            s->of_kind[e->kind][DISPATCHED]++;
            break;
        case WLK_OPNDCOLL_GRANT:
            facts->granted[e->at] = true;
            s->of_bank[e->at][GRANTED]++;
            break;
        default:
            facts->served_by[e->at] |= 1u << e->kind;
            facts->served |= 1u << e->kind;
            s->of_kind[e->kind][ALLOCATED]++;
        }
    }
}

/* ---- windows ---- */

// Columns: of the run, of each kind, of each bank.
enum { CYCLES, READS, WRITES, OF_RUN };

static void fill_row(const summary *s, uint64_t *row) {
    wlk_opndcoll_counters counters;
    wlk_opndcoll_counted(s->model, &counters);
    row[CYCLES] = s->cycles;
    row[READS] = counters.reads - s->before.reads;
    row[WRITES] = counters.writes - s->before.writes;
    memcpy(row + OF_RUN, s->of_kind, s->shape.kinds * sizeof s->of_kind[0]);
    memcpy(row + OF_RUN + s->shape.kinds * OF_KIND, s->of_bank,
           s->shape.banks * sizeof s->of_bank[0]);
}

// When all rows are used, two windows become one.
static void end_window(summary *s) {
    windows *w = &s->windows;
    fill_row(s, w->rows + w->used++ * w->columns);
    if (w->used == w->room) {
        for (uint32_t i = 0; i < w->room / 2u; i++) {
            memmove(w->rows + i * w->columns, w->rows + (2u * i + 1u) * w->columns,
                    w->columns * sizeof *w->rows);
        }
        w->used = w->room / 2u;
        w->width *= 2u;
    }
    w->end = s->steps + w->width;
}

wlk_status wlk_opndcoll_summary_windows(summary *s, uint32_t most, wlk_error *err) {
    windows *w = &s->windows;
    w->columns = OF_RUN + s->shape.kinds * (size_t)OF_KIND + s->shape.banks * (size_t)OF_BANK;
    w->rows = calloc(most, w->columns * sizeof *w->rows);
    w->room = most;
    w->width = w->end = 1;
    return w->rows != NULL ? WLK_OK : wlk_fail(err, WLK_NO_MEMORY, "out of memory");
}

/* ---- a step ---- */

// A ready unit that stayed: its place in OC_EX is taken, or all dispatch units of its set were used
// on others. A place that is free after the dispatch phase was free all through it.
static void count_stall(summary *s, uint32_t unit) {
    wlk_opndcoll_held held;
    (void)wlk_opndcoll_unit(s->model, unit, &held);
    const uint64_t taken = wlk_opndcoll_ex_occupied(s->model, held.kind);
    const bool full = s->units_a_slot != 0
                          ? (taken >> unit / s->units_a_slot & 1u) != 0
                          : (uint32_t)__builtin_popcountll(taken) == s->shape.ex_width[held.kind];
    s->of_kind[held.kind][full ? STALLED_FULL : STALLED_DU]++;
}

// A request waits for a write to its bank, for another read of its bank, or (V32) because its unit
// is read from another bank.
static void count_waits(summary *s, uint32_t bank, bool granted) {
    uint64_t *of = s->of_bank[bank];
    const uint32_t n = s->queue[bank];
    if (n == 0) {
        return;
    }
    if (s->written[bank]) {
        of[WAITED_WRITE] += n;
    } else {
        of[WAITED_READ] += n - 1u;
        of[WAITED_UNIT] += granted ? 0u : 1u;
    }
    of[CONFLICTS] += n > 1 || !granted ? 1u : 0u;
}

// What a port tried of the kinds that waited for it; it took `took`. V42's try every one, the
// others one. Where kinds rotate, the model's pointer is that of the step before if the port took
// nothing.
static uint32_t tried(const summary *s, uint32_t port, uint32_t waiting, uint32_t took) {
    const uint32_t tries = waiting & s->port_kinds[port];
    if (s->cfg.revision == WLK_OPNDCOLL_V42 || tries == 0) {
        return tries;
    }
    const uint32_t behind = tries & UINT32_MAX << wlk_opndcoll_first_kind(s->model, port);
    const uint32_t order = behind != 0 ? behind : tries;
    return took != 0 ? took : order & ~(order - 1u);
}

// Kinds that a port tried and found no unit for. The ports are gone through as in spec §6.3.
static uint32_t without_unit(const summary *s, const step_facts *facts) {
    uint32_t left[WLK_OPNDCOLL_KINDS], waiting = 0, failed = 0;
    memcpy(left, s->id, sizeof left);
    for (uint32_t kind = 0; kind < s->shape.kinds; kind++) {
        waiting |= (uint32_t)(left[kind] != 0) << kind;
    }
    for (uint32_t port = 0; port < s->shape.ports; port++) {
        uint32_t took = facts->served_by[port];
        failed |= tried(s, port, waiting, took) & ~took;
        for (; took != 0; took &= took - 1u) {
            const uint32_t kind = (uint32_t)__builtin_ctz(took);
            waiting &= ~((uint32_t)(--left[kind] == 0) << kind);
        }
    }
    return failed;
}

static uint32_t all_port_kinds(const summary *s) {
    uint32_t kinds = 0;
    for (uint32_t port = 0; port < s->shape.ports; port++) {
        kinds |= s->port_kinds[port];
    }
    return kinds;
}

static void count_starvation(summary *s, const step_facts *facts) {
    uint32_t waiting = 0;
    for (uint32_t kind = 0; kind < s->shape.kinds; kind++) {
        waiting |= (uint32_t)(s->id[kind] != 0) << kind;
        s->of_kind[kind][WAITING] += s->id[kind] != 0;
    }
    s->waited |= waiting;
    s->served |= facts->served;
    uint32_t starved = waiting & ~facts->served;
    if (starved == 0) {
        return;
    }
    const uint32_t failed = without_unit(s, facts), listed = all_port_kinds(s);
    for (; starved != 0; starved &= starved - 1u) {
        const uint32_t bit = starved & ~(starved - 1u);
        const uint32_t why = (failed & bit) != 0   ? STARVED_UNIT
                             : (listed & bit) != 0 ? STARVED_OTHER
                                                   : STARVED_PORT;
        s->of_kind[__builtin_ctz(bit)][why]++;
    }
}

static void look_at_units(summary *s) {
    uint32_t busy = 0;
    for (uint32_t unit = 0; unit < s->shape.units; unit++) {
        wlk_opndcoll_held held;
        const bool is_busy = wlk_opndcoll_unit(s->model, unit, &held);
        s->ready[unit] = is_busy && held.pending == 0;
        if (is_busy) {
            s->of_kind[held.kind][BUSY]++;
            busy++;
        }
    }
    s->with_busy[busy]++;
}

static void look_at_banks(summary *s) {
    for (uint32_t bank = 0; bank < s->shape.banks; bank++) {
        const uint32_t n = wlk_opndcoll_queue(s->model, bank, NULL, 0);
        s->queue[bank] = n;
        s->written[bank] = false;
        s->of_bank[bank][QUEUED] += n;
        s->with_queued[n]++;
    }
}

void wlk_opndcoll_summary_step(summary *s, const wlk_opndcoll_events *events) {
    step_facts facts;
    memset(&facts, 0, sizeof facts);
    read_events(s, events, &facts);
    for (uint32_t unit = 0; unit < s->shape.units; unit++) {
        if (s->ready[unit] && !facts.dispatched[unit]) {
            count_stall(s, unit);
        }
    }
    for (uint32_t bank = 0; bank < s->shape.banks; bank++) {
        count_waits(s, bank, facts.granted[bank]);
    }
    count_starvation(s, &facts);
    for (uint32_t i = 0; i < events->count; i++) {
        if (events->at[i].what == WLK_OPNDCOLL_ALLOCATE) {
            s->id[events->at[i].kind]--;
        }
    }
    look_at_units(s);
    look_at_banks(s);
    s->steps++;
    if (s->steps == s->windows.end) {
        end_window(s);
    }
}

/* ---- between steps ---- */

static void end_cycle(summary *s) {
    for (uint32_t kind = 0; kind < s->shape.kinds && s->cycles != 0; kind++) {
        s->of_kind[kind][STARVED_CYCLES] += (s->waited & ~s->served) >> kind & 1u;
    }
    s->waited = s->served = 0;
}

void wlk_opndcoll_summary_cycle(summary *s) {
    end_cycle(s);
    s->cycles++;
}

void wlk_opndcoll_summary_issue(summary *s, uint32_t kind, bool accepted) {
    s->of_kind[kind][accepted ? ISSUED : ISSUE_REFUSED]++;
    s->id[kind] += accepted;
}

void wlk_opndcoll_summary_take(summary *s, uint32_t kind) {
    s->of_kind[kind][TAKEN]++;
}

void wlk_opndcoll_summary_writeback(summary *s, const wlk_opndcoll_events *events) {
    for (uint32_t i = 0; i < events->count; i++) {
        const uint32_t bank = events->at[i].at;
        const bool taken = events->at[i].what == WLK_OPNDCOLL_WRITE;
        s->of_bank[bank][taken ? WRITTEN : WRITE_REFUSED]++;
        s->written[bank] = true;
    }
}

/* ---- the answer ---- */

static void print_numbers(wlk_json *to, const char *name, const uint64_t *numbers, uint32_t n) {
    wlk_json_open(to, name, '[');
    for (uint32_t i = 0; i < n; i++) {
        wlk_json_number(to, NULL, numbers[i]);
    }
    wlk_json_close(to, ']');
}

static void print_totals(const summary *s, wlk_json *to) {
    uint64_t kinds[OF_KIND] = {0}, banks[OF_BANK] = {0};
    for (uint32_t kind = 0; kind < s->shape.kinds; kind++) {
        for (uint32_t i = 0; i < OF_KIND; i++) {
            kinds[i] += s->of_kind[kind][i];
        }
    }
    for (uint32_t bank = 0; bank < s->shape.banks; bank++) {
        for (uint32_t i = 0; i < OF_BANK; i++) {
            banks[i] += s->of_bank[bank][i];
        }
    }
    wlk_opndcoll_counters counters;
    wlk_opndcoll_counted(s->model, &counters);
    wlk_json_open(to, "totals", '{');
    wlk_json_number(to, "reads", counters.reads - s->before.reads);
    wlk_json_number(to, "writes", counters.writes - s->before.writes);
    wlk_json_number(to, "non_rf", counters.non_rf - s->before.non_rf);
    wlk_json_numbers(to, names_of_kind, kinds, OF_KIND);
    wlk_json_numbers(to, names_of_bank, banks, OF_BANK);
    wlk_json_close(to, '}');
}

static void print_each(const summary *s, wlk_json *to) {
    wlk_json_open(to, "kinds", '[');
    for (uint32_t kind = 0; kind < s->shape.kinds; kind++) {
        wlk_json_open(to, NULL, '{');
        wlk_json_text(to, "kind", wlk_opndcoll_kind_name(kind));
        wlk_json_numbers(to, names_of_kind, s->of_kind[kind], OF_KIND);
        wlk_json_close(to, '}');
    }
    wlk_json_close(to, ']');
    wlk_json_open(to, "banks", '[');
    for (uint32_t bank = 0; bank < s->shape.banks; bank++) {
        wlk_json_open(to, NULL, '{');
        wlk_json_number(to, "bank", bank);
        wlk_json_numbers(to, names_of_bank, s->of_bank[bank], OF_BANK);
        wlk_json_close(to, '}');
    }
    wlk_json_close(to, ']');
}

// A column as a list: what each window counted.
static void print_column(const windows *w, wlk_json *to, const char *name, size_t column) {
    uint64_t before = 0;
    wlk_json_open(to, name, '[');
    for (uint32_t i = 0; i < w->used; i++) {
        const uint64_t now = w->rows[i * w->columns + column];
        wlk_json_number(to, NULL, now - before);
        before = now;
    }
    wlk_json_close(to, ']');
}

static void print_window_columns(const summary *s, const windows *w, wlk_json *to) {
    size_t column = OF_RUN;
    wlk_json_open(to, "kinds", '[');
    for (uint32_t kind = 0; kind < s->shape.kinds; kind++) {
        wlk_json_open(to, NULL, '{');
        wlk_json_text(to, "kind", wlk_opndcoll_kind_name(kind));
        for (uint32_t i = 0; i < OF_KIND; i++) {
            print_column(w, to, names_of_kind[i], column++);
        }
        wlk_json_close(to, '}');
    }
    wlk_json_close(to, ']');
    wlk_json_open(to, "banks", '[');
    for (uint32_t bank = 0; bank < s->shape.banks; bank++) {
        wlk_json_open(to, NULL, '{');
        wlk_json_number(to, "bank", bank);
        for (uint32_t i = 0; i < OF_BANK; i++) {
            print_column(w, to, names_of_bank[i], column++);
        }
        wlk_json_close(to, '}');
    }
    wlk_json_close(to, ']');
}

// With the present window, which may be shorter, as the last one. There is always room for it.
static void print_windows(const summary *s, wlk_json *to) {
    windows w = s->windows;
    const uint64_t begun = w.end - w.width;
    const bool is_begun = s->steps > begun || w.used == 0;
    w.used += is_begun;
    fill_row(s, w.rows + (w.used - 1u) * w.columns); // and what came behind the last step
    wlk_json_open(to, "windows", '{');
    wlk_json_number(to, "width", w.width);
    wlk_json_number(to, "last", is_begun ? s->steps - begun : w.width);
    print_column(&w, to, "cycles", CYCLES);
    print_column(&w, to, "reads", READS);
    print_column(&w, to, "writes", WRITES);
    print_window_columns(s, &w, to);
    wlk_json_close(to, '}');
}

// All options, those of the defaults too. Without memory they are left out.
static void print_options(const summary *s, wlk_json *to) {
    char *text = NULL;
    size_t size = 0;
    FILE *options = open_memstream(&text, &size);
    if (options != NULL) {
        wlk_opndcoll_write_options(&s->cfg, options);
        if (fclose(options) == 0) {
            wlk_json_text(to, "options", text);
        }
    }
    free(text);
}

void wlk_opndcoll_summary_print(summary *s, FILE *to) {
    uint32_t longest = LONGEST;
    while (longest != 0 && s->with_queued[longest] == 0) {
        longest--;
    }
    end_cycle(s);
    wlk_json json = wlk_json_line(to);
    wlk_json_text(&json, "revision", wlk_opndcoll_revision_name(s->cfg.revision));
    print_options(s, &json);
    wlk_json_number(&json, "steps", s->steps);
    wlk_json_number(&json, "cycles", s->cycles);
    print_totals(s, &json);
    print_numbers(&json, "busy_units", s->with_busy, s->shape.units + 1u);
    print_numbers(&json, "queue_lengths", s->with_queued, longest + 1u);
    print_each(s, &json);
    if (s->windows.rows != NULL) {
        print_windows(s, &json);
    }
    wlk_json_line_end(&json);
}

// The model may be in use already.
static void look_at_start(summary *s) {
    for (uint32_t kind = 0; kind < s->shape.kinds; kind++) {
        const uint32_t empty = (uint32_t)__builtin_popcountll(wlk_opndcoll_id_free(s->model, kind));
        s->id[kind] = s->shape.id_width[kind] - empty;
    }
    for (uint32_t unit = 0; unit < s->shape.units; unit++) {
        wlk_opndcoll_held held;
        s->ready[unit] = wlk_opndcoll_unit(s->model, unit, &held) && held.pending == 0;
    }
    for (uint32_t bank = 0; bank < s->shape.banks; bank++) {
        s->queue[bank] = wlk_opndcoll_queue(s->model, bank, NULL, 0);
        s->written[bank] = wlk_opndcoll_written(s->model, bank);
    }
}

wlk_status wlk_opndcoll_summary_open(summary **out, const wlk_opndcoll_cfg *cfg,
                                     const wlk_opndcoll *model, wlk_error *err) {
    summary *s = calloc(1, sizeof *s);
    *out = s;
    if (s == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "out of memory");
    }
    s->cfg = *cfg;
    s->model = model;
    wlk_opndcoll_counted(model, &s->before);
    wlk_opndcoll_shape_of(cfg, &s->shape);
    if (cfg->revision == WLK_OPNDCOLL_V42 && s->shape.sub_core != 0) {
        s->units_a_slot = s->shape.units / s->shape.schedulers;
    }
    for (uint32_t port = 0; port < s->shape.ports; port++) {
        s->port_kinds[port] = wlk_opndcoll_port_kinds(model, port);
    }
    look_at_start(s);
    return WLK_OK;
}

void wlk_opndcoll_summary_close(summary *s) {
    if (s != NULL) {
        free(s->windows.rows);
        free(s);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Statistics of the operand collector, counted from its events and from views of its state.
#include "warplock/opndcoll_summary.h"

#include <stdlib.h>
#include <string.h>

#include "warplock/json.h"

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

static void read_events(summary *c, const wlk_opndcoll_events *events, step_facts *facts) {
    for (uint32_t i = 0; i < events->count; i++) {
        const wlk_opndcoll_event *e = &events->at[i];
        switch (e->what) {
        case WLK_OPNDCOLL_DISPATCH:
            facts->dispatched[e->unit] = true;
            c->of_kind[e->kind][DISPATCHED]++;
            break;
        case WLK_OPNDCOLL_GRANT:
            facts->granted[e->at] = true;
            c->of_bank[e->at][GRANTED]++;
            break;
        default:
            facts->served_by[e->at] |= 1u << e->kind;
            facts->served |= 1u << e->kind;
            c->of_kind[e->kind][ALLOCATED]++;
        }
    }
}

/* ---- a step ---- */

// A ready unit that stayed: its place in OC_EX is taken, or all dispatch units of its set were used
// on others. A place that is free after the dispatch phase was free all through it.
static void count_stall(summary *c, uint32_t unit) {
    wlk_opndcoll_held held;
    (void)wlk_opndcoll_unit(c->model, unit, &held);
    const uint64_t taken = wlk_opndcoll_ex_occupied(c->model, held.kind);
    const bool full = c->units_a_slot != 0
                          ? (taken >> unit / c->units_a_slot & 1u) != 0
                          : (uint32_t)__builtin_popcountll(taken) == c->shape.ex_width[held.kind];
    c->of_kind[held.kind][full ? STALLED_FULL : STALLED_DU]++;
}

// A request waits for a write to its bank, for another read of its bank, or (V32) because its unit
// is read from another bank.
static void count_waits(summary *c, uint32_t bank, bool granted) {
    uint64_t *of = c->of_bank[bank];
    const uint32_t n = c->queue[bank];
    if (n == 0) {
        return;
    }
    if (c->written[bank]) {
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
static uint32_t tried(const summary *c, uint32_t port, uint32_t waiting, uint32_t took) {
    const uint32_t tries = waiting & c->port_kinds[port];
    if (c->cfg.revision == WLK_OPNDCOLL_V42 || tries == 0) {
        return tries;
    }
    const uint32_t behind = tries & UINT32_MAX << wlk_opndcoll_first_kind(c->model, port);
    const uint32_t order = behind != 0 ? behind : tries;
    return took != 0 ? took : order & ~(order - 1u);
}

// Kinds that a port tried and found no unit for. The ports are gone through as in spec §6.3.
static uint32_t without_unit(const summary *c, const step_facts *facts) {
    uint32_t left[WLK_OPNDCOLL_KINDS], waiting = 0, failed = 0;
    memcpy(left, c->id, sizeof left);
    for (uint32_t kind = 0; kind < c->shape.kinds; kind++) {
        waiting |= (uint32_t)(left[kind] != 0) << kind;
    }
    for (uint32_t port = 0; port < c->shape.ports; port++) {
        uint32_t took = facts->served_by[port];
        failed |= tried(c, port, waiting, took) & ~took;
        for (; took != 0; took &= took - 1u) {
            const uint32_t kind = (uint32_t)__builtin_ctz(took);
            waiting &= ~((uint32_t)(--left[kind] == 0) << kind);
        }
    }
    return failed;
}

static uint32_t all_port_kinds(const summary *c) {
    uint32_t kinds = 0;
    for (uint32_t port = 0; port < c->shape.ports; port++) {
        kinds |= c->port_kinds[port];
    }
    return kinds;
}

static void count_starvation(summary *c, const step_facts *facts) {
    uint32_t waiting = 0;
    for (uint32_t kind = 0; kind < c->shape.kinds; kind++) {
        waiting |= (uint32_t)(c->id[kind] != 0) << kind;
        c->of_kind[kind][WAITING] += c->id[kind] != 0;
    }
    c->waited |= waiting;
    c->served |= facts->served;
    uint32_t starved = waiting & ~facts->served;
    if (starved == 0) {
        return;
    }
    const uint32_t failed = without_unit(c, facts), listed = all_port_kinds(c);
    for (; starved != 0; starved &= starved - 1u) {
        const uint32_t bit = starved & ~(starved - 1u);
        const uint32_t why = (failed & bit) != 0   ? STARVED_UNIT
                             : (listed & bit) != 0 ? STARVED_OTHER
                                                   : STARVED_PORT;
        c->of_kind[__builtin_ctz(bit)][why]++;
    }
}

static void look_at_units(summary *c) {
    uint32_t busy = 0;
    for (uint32_t unit = 0; unit < c->shape.units; unit++) {
        wlk_opndcoll_held held;
        const bool is_busy = wlk_opndcoll_unit(c->model, unit, &held);
        c->ready[unit] = is_busy && held.pending == 0;
        if (is_busy) {
            c->of_kind[held.kind][BUSY]++;
            busy++;
        }
    }
    c->with_busy[busy]++;
}

static void look_at_banks(summary *c) {
    for (uint32_t bank = 0; bank < c->shape.banks; bank++) {
        const uint32_t n = wlk_opndcoll_queue(c->model, bank, NULL, 0);
        c->queue[bank] = n;
        c->written[bank] = false;
        c->of_bank[bank][QUEUED] += n;
        c->with_queued[n]++;
    }
}

void wlk_opndcoll_summary_step(summary *c, const wlk_opndcoll_events *events) {
    step_facts facts;
    memset(&facts, 0, sizeof facts);
    read_events(c, events, &facts);
    for (uint32_t unit = 0; unit < c->shape.units; unit++) {
        if (c->ready[unit] && !facts.dispatched[unit]) {
            count_stall(c, unit);
        }
    }
    for (uint32_t bank = 0; bank < c->shape.banks; bank++) {
        count_waits(c, bank, facts.granted[bank]);
    }
    count_starvation(c, &facts);
    for (uint32_t i = 0; i < events->count; i++) {
        if (events->at[i].what == WLK_OPNDCOLL_ALLOCATE) {
            c->id[events->at[i].kind]--;
        }
    }
    look_at_units(c);
    look_at_banks(c);
    c->steps++;
}

/* ---- between steps ---- */

static void end_cycle(summary *c) {
    for (uint32_t kind = 0; kind < c->shape.kinds && c->cycles != 0; kind++) {
        c->of_kind[kind][STARVED_CYCLES] += (c->waited & ~c->served) >> kind & 1u;
    }
    c->waited = c->served = 0;
}

void wlk_opndcoll_summary_cycle(summary *c) {
    end_cycle(c);
    c->cycles++;
}

void wlk_opndcoll_summary_issue(summary *c, uint32_t kind, bool accepted) {
    c->of_kind[kind][accepted ? ISSUED : ISSUE_REFUSED]++;
    c->id[kind] += accepted;
}

void wlk_opndcoll_summary_take(summary *c, uint32_t kind) {
    c->of_kind[kind][TAKEN]++;
}

void wlk_opndcoll_summary_writeback(summary *c, const wlk_opndcoll_events *events) {
    for (uint32_t i = 0; i < events->count; i++) {
        const uint32_t bank = events->at[i].at;
        const bool taken = events->at[i].what == WLK_OPNDCOLL_WRITE;
        c->of_bank[bank][taken ? WRITTEN : WRITE_REFUSED]++;
        c->written[bank] = true;
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

static void print_totals(const summary *c, wlk_json *to) {
    uint64_t kinds[OF_KIND] = {0}, banks[OF_BANK] = {0};
    for (uint32_t kind = 0; kind < c->shape.kinds; kind++) {
        for (uint32_t i = 0; i < OF_KIND; i++) {
            kinds[i] += c->of_kind[kind][i];
        }
    }
    for (uint32_t bank = 0; bank < c->shape.banks; bank++) {
        for (uint32_t i = 0; i < OF_BANK; i++) {
            banks[i] += c->of_bank[bank][i];
        }
    }
    wlk_opndcoll_counters counters;
    wlk_opndcoll_counted(c->model, &counters);
    wlk_json_open(to, "totals", '{');
    wlk_json_number(to, "reads", counters.reads - c->before.reads);
    wlk_json_number(to, "writes", counters.writes - c->before.writes);
    wlk_json_number(to, "non_rf", counters.non_rf - c->before.non_rf);
    wlk_json_numbers(to, names_of_kind, kinds, OF_KIND);
    wlk_json_numbers(to, names_of_bank, banks, OF_BANK);
    wlk_json_close(to, '}');
}

static void print_each(const summary *c, wlk_json *to) {
    wlk_json_open(to, "kinds", '[');
    for (uint32_t kind = 0; kind < c->shape.kinds; kind++) {
        wlk_json_open(to, NULL, '{');
        wlk_json_text(to, "kind", wlk_opndcoll_kind_name(kind));
        wlk_json_numbers(to, names_of_kind, c->of_kind[kind], OF_KIND);
        wlk_json_close(to, '}');
    }
    wlk_json_close(to, ']');
    wlk_json_open(to, "banks", '[');
    for (uint32_t bank = 0; bank < c->shape.banks; bank++) {
        wlk_json_open(to, NULL, '{');
        wlk_json_number(to, "bank", bank);
        wlk_json_numbers(to, names_of_bank, c->of_bank[bank], OF_BANK);
        wlk_json_close(to, '}');
    }
    wlk_json_close(to, ']');
}

void wlk_opndcoll_summary_print(summary *c, FILE *stream) {
    uint32_t longest = LONGEST;
    while (longest != 0 && c->with_queued[longest] == 0) {
        longest--;
    }
    end_cycle(c);
    wlk_json to = wlk_json_line(stream);
    wlk_json_text(&to, "revision", wlk_opndcoll_revision_name(c->cfg.revision));
    wlk_json_number(&to, "steps", c->steps);
    wlk_json_number(&to, "cycles", c->cycles);
    print_totals(c, &to);
    print_numbers(&to, "busy_units", c->with_busy, c->shape.units + 1u);
    print_numbers(&to, "queue_lengths", c->with_queued, longest + 1u);
    print_each(c, &to);
    wlk_json_line_end(&to);
}

// The model may be in use already.
static void look_at_start(summary *c) {
    for (uint32_t kind = 0; kind < c->shape.kinds; kind++) {
        const uint32_t empty = (uint32_t)__builtin_popcountll(wlk_opndcoll_id_free(c->model, kind));
        c->id[kind] = c->shape.id_width[kind] - empty;
    }
    for (uint32_t unit = 0; unit < c->shape.units; unit++) {
        wlk_opndcoll_held held;
        c->ready[unit] = wlk_opndcoll_unit(c->model, unit, &held) && held.pending == 0;
    }
    for (uint32_t bank = 0; bank < c->shape.banks; bank++) {
        c->queue[bank] = wlk_opndcoll_queue(c->model, bank, NULL, 0);
        c->written[bank] = wlk_opndcoll_written(c->model, bank);
    }
}

wlk_status wlk_opndcoll_summary_open(summary **out, const wlk_opndcoll_cfg *cfg,
                                     const wlk_opndcoll *model, wlk_error *err) {
    summary *c = calloc(1, sizeof *c);
    *out = c;
    if (c == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "out of memory");
    }
    c->cfg = *cfg;
    c->model = model;
    wlk_opndcoll_counted(model, &c->before);
    wlk_opndcoll_shape_of(cfg, &c->shape);
    if (cfg->revision == WLK_OPNDCOLL_V42 && c->shape.sub_core != 0) {
        c->units_a_slot = c->shape.units / c->shape.schedulers;
    }
    for (uint32_t port = 0; port < c->shape.ports; port++) {
        c->port_kinds[port] = wlk_opndcoll_port_kinds(model, port);
    }
    look_at_start(c);
    return WLK_OK;
}

void wlk_opndcoll_summary_close(summary *c) {
    free(c);
}

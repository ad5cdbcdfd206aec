// SPDX-License-Identifier: Apache-2.0
// The verdict of one instance is decided in verdict_of, that of a seed from all its instances in
// harness_verdict (dpi/harness/answer.c).
#include "warplock/checker.h"
#include "warplock/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "checker_private.h"
#include "ports.h"

// Each apart from the others, so that a sanitizer sees who writes beyond his own.
static bool take_words(wlk_checker *c) {
    const size_t in = c->layout.in_words, out = c->layout.out_words;
    const struct {
        uint64_t **words;
        size_t n;
    } parts[] = {
        {&c->masked, c->layout.n_ports},
        {&c->compare, out},
        {&c->partial, out},
        {&c->expect, out},
        {&c->care, out},
        {&c->wrong, out},
        {&c->in, in},
        {&c->got, out},
        {&c->no_x, out},
        {&c->sure, out},
        {&c->got_known, out},
        {&c->next_known, out},
        {&c->history, (size_t)WLK_HISTORY * history_words(c)},
    };
    _Static_assert(sizeof parts / sizeof parts[0] == CHECKER_PARTS, "all are owned");
    bool all = true;
    for (size_t i = 0; i < CHECKER_PARTS; i++) {
        *parts[i].words = c->owned[i] = calloc(parts[i].n, sizeof(uint64_t));
        all = all && c->owned[i] != NULL;
    }
    c->judged = c->compare;
    return all;
}

static bool allocate(wlk_checker *c, const wlk_members *members) {
    const uint32_t n = c->block->table->ports(c->cfg, members, NULL, 0);
    c->layout.n_ports = n;
    c->before = wlk_state_new(c->block, c->cfg);
    c->ports = calloc(n, sizeof *c->ports);
    c->when = calloc(n, sizeof *c->when);
    c->differences = calloc(n, sizeof *c->differences);
    if (c->before == NULL || c->ports == NULL || c->when == NULL || c->differences == NULL ||
        !take_words(c) || wlk_candidates_open(&c->candidates, c->block, c->cfg) != WLK_OK) {
        return false;
    }
    (void)c->block->table->ports(c->cfg, members, c->ports, n);
    return wlk_channels_resolve(c) == WLK_OK;
}

// Bits that exist in this configuration, and in the RTL at hand.
static void set_compare(wlk_checker *c, const uint64_t *compare) {
    uint64_t *all = c->expect; // scratch: every bit of every present output
    memset(all, 0, c->layout.out_words * sizeof *all);
    for (uint32_t i = 0; i < c->layout.n_ports; i++) {
        if (c->ports[i].is_out && c->ports[i].present) {
            wlk_port_set(&c->ports[i], all, ~UINT64_C(0));
        }
    }
    c->compares_all = true;
    for (uint32_t w = 0; w < c->layout.out_words; w++) {
        c->compare[w] = compare != NULL ? compare[w] & all[w] : all[w];
        c->compares_all = c->compares_all && c->compare[w] == all[w];
        c->out_bits += (uint64_t)__builtin_popcountll(c->compare[w]);
    }
}

// The output of that number; NULL if it is none that is there.
static const wlk_port *output_of(const wlk_checker *c, int32_t i) {
    return i >= 0 && c->ports[i].is_out && c->ports[i].present ? &c->ports[i] : NULL;
}

// Whole, if it is an output at all.
static bool is_compared(const wlk_checker *c, int32_t i) {
    const wlk_port *port = output_of(c, i);
    return port == NULL || wlk_port_get(port, c->compare) == wlk_mask(port->width);
}

// May the fast step run although outputs are missing? Neither in a payload, which it compares
// whole, nor in a handshake, which the history shows.
static bool can_step_masked(const wlk_checker *c) {
    for (uint32_t i = 0; i < c->layout.n_ports; i++) {
        const wlk_port *port = &c->ports[i];
        if (!is_compared(c, (int32_t)i) && port->word >= c->layout.out_control) {
            return false;
        }
    }
    for (uint32_t i = 0; i < c->n_channels; i++) {
        const channel *ch = &c->channels[i];
        if (!is_compared(c, ch->valid) || !is_compared(c, ch->ready)) {
            return false;
        }
    }
    return true;
}

wlk_status wlk_checker_open(wlk_checker **checker, const wlk_block *block, const uint32_t *cfg,
                            const wlk_checker_options *options, wlk_error *err) {
    const wlk_status status = block->check(cfg, err);
    wlk_checker *c = NULL;
    *checker = NULL;
    if (status != WLK_OK) {
        return status;
    }
    c = calloc(1, sizeof *c);
    if (c == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "checker: out of memory");
    }
    block = wlk_blocks_for(block, cfg);
    c->block = block;
    memcpy(c->cfg, cfg, block->table->n_params * sizeof *cfg);
    block->table->layout(c->cfg, &c->layout);
    (void)snprintf(c->scope, sizeof c->scope, "%s",
                   options->scope != NULL ? options->scope : block->table->module);
    c->count_events = options->count_events;
    c->async_reset = options->async_reset;
    if (!allocate(c, &options->members)) {
        wlk_checker_close(c);
        return wlk_fail(err, WLK_NO_MEMORY, "checker: out of memory");
    }
    set_compare(c, options->compare);
    if (!wlk_constants_open(&c->constants, &c->layout, c->compare)) {
        wlk_checker_close(c);
        return wlk_fail(err, WLK_NO_MEMORY, "checker: out of memory");
    }
    c->step_masked = can_step_masked(c);
    c->reset_port = wlk_port_find(c->ports, c->layout.n_ports, block->table->reset, NULL);
    c->has_inexact = wlk_ports_when(block->table, c->ports, c->layout.n_ports, c->when);
    c->violation_port = -1;
    c->reset_x_port = -1;
    wlk_candidates_init(&c->candidates, options->power_up);
    c->sum.late = options->late && (block->late != NULL || !block->table->has_clock);
    if (c->sum.late) {
        wlk_candidates_late(&c->candidates);
    }
    c->sum.reset_seen = options->power_up == WLK_POWER_ZERO || c->reset_port < 0 || c->sum.late;
    *checker = c;
    return WLK_OK;
}

void wlk_checker_close(wlk_checker *c) {
    if (c == NULL) {
        return;
    }
    wlk_candidates_close(&c->candidates);
    free(c->before);
    free(c->ports);
    free(c->when);
    for (size_t i = 0; i < CHECKER_PARTS; i++) {
        free(c->owned[i]);
    }
    free(c->differences);
    free(c->watched);
    wlk_channels_free(c);
    wlk_waivers_free(&c->waivers);
    wlk_constants_free(&c->constants);
    free(c);
}

wlk_status wlk_checker_waive(wlk_checker *c, const char *text, wlk_error *err) {
    return wlk_waivers_add(&c->waivers, c->block, c->ports, &c->layout, text, err);
}

const wlk_waiver_hits *wlk_checker_waived(const wlk_checker *c, uint32_t *n) {
    *n = c->waivers.n_hits;
    return c->waivers.hits;
}

// ---- one cycle --------------------------------------------------------------------------------

// Control words only: handshakes are what the history is for, and this is the hot path.
static inline void remember(wlk_checker *c, uint64_t cycle, const uint64_t *in,
                            const uint64_t *got) {
    uint64_t *to = history_slot(c, cycle);
    to[0] = cycle + 1u;
    memcpy(to + 1u, in, c->layout.in_control * sizeof *to);
    memcpy(to + 1u + c->layout.in_control, got, c->layout.out_control * sizeof *to);
}

static void note_transfers(wlk_checker *c, const uint64_t *in, const uint64_t *out) {
    c->sum.transfer_seen = c->n_channels == 0; // none is asked for where there can be none
    for (uint32_t i = 0; i < c->n_channels && !c->sum.transfer_seen; i++) {
        c->sum.transfer_seen = wlk_channel_fires(c, &c->channels[i], in, out);
    }
}

static void count_masked(wlk_checker *c) {
    for (uint32_t i = 0; i < c->layout.n_ports; i++) {
        const wlk_port *port = &c->ports[i];
        if (port->is_out && port->present) {
            const uint64_t care = wlk_port_get(port, c->sum.late ? c->sure : c->care);
            const uint64_t judged = wlk_port_get(port, c->judged) & care;
            const uint64_t hidden = wlk_port_get(port, c->compare) & ~judged;
            c->masked[i] += (uint64_t)__builtin_popcountll(hidden);
        }
    }
}

// Differing ports of this cycle, in table order.
static uint32_t differences(wlk_checker *c, const uint64_t *got, const uint64_t *got_x) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->layout.n_ports; i++) {
        const wlk_port *port = &c->ports[i];
        if (!port->is_out || !port->present) {
            continue;
        }
        const uint64_t care = wlk_port_get(port, c->care) & wlk_port_get(port, c->judged);
        const uint64_t want = wlk_port_get(port, c->expect);
        const uint64_t have = wlk_port_get(port, got);
        const uint64_t x = wlk_port_get(port, got_x);
        if (((want ^ have) | x) & care) {
            const wlk_difference d = {i, want, have, care, x};
            c->differences[n++] = d;
        }
    }
    return n;
}

// Bits of a word that contradict the model.
static inline uint64_t wrong_bits(const wlk_checker *c, uint32_t w, const uint64_t *got,
                                  const uint64_t *got_x) {
    return ((c->expect[w] ^ got[w]) | got_x[w]) & c->care[w] & c->judged[w];
}

static bool differs(const wlk_checker *c, const uint64_t *got, const uint64_t *got_x) {
    uint64_t any = 0;
    for (uint32_t w = 0; w < c->layout.out_words; w++) {
        any |= wrong_bits(c, w, got, got_x);
    }
    return any != 0;
}

static uint32_t differing_bits(const wlk_checker *c, const uint64_t *got, const uint64_t *got_x) {
    uint32_t bits = 0;
    for (uint32_t w = 0; w < c->layout.out_words; w++) {
        bits += (uint32_t)__builtin_popcountll(wrong_bits(c, w, got, got_x));
    }
    return bits;
}

static bool unknown_somewhere(const wlk_checker *c) {
    const uint64_t *care = c->sum.late ? c->sure : c->care;
    uint64_t any = 0;
    for (uint32_t w = 0; w < c->layout.out_words; w++) {
        any |= c->compare[w] & ~(care[w] & c->judged[w]);
    }
    return any != 0;
}

static void add_events(wlk_checker *c, uint64_t events) {
    while (events != 0) {
        c->events[__builtin_ctzll(events)]++;
        events &= events - 1u;
    }
}

static uint64_t masked_bits(const wlk_checker *c) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < c->layout.n_ports; i++) {
        bits += c->masked[i];
    }
    return bits;
}

static uint64_t compared_bits(const wlk_checker *c) {
    return c->compared_cycles * c->out_bits - masked_bits(c);
}

// What a report of the first failure needs of the cycles before it.
static void keep_before(wlk_checker *c) {
    memcpy(c->before, state_now(c), c->candidates.size);
    c->sum.explained_bits = compared_bits(c);
}

void wlk_checker_keep(wlk_checker *c) {
    keep_before(c);
    c->kept_cycle = c->sum.cycles;
}

// A rule broken by the inputs; the first one is kept.
static bool note_violation(wlk_checker *c, uint32_t violated, const char *text) {
    const bool first = violated != 0 && c->sum.violated == 0 && !c->failed;
    if (first) {
        c->violated_seen = true;
        c->frozen = true;
        keep_before(c);
        c->violation_cycle = c->sum.cycles;
        (void)snprintf(c->violation_text, sizeof c->violation_text, "%s", text);
    }
    c->sum.violated |= violated;
    return first;
}

// As reported by the model's tick, so after the edge.
static bool note_rule(wlk_checker *c, uint32_t violated) {
    const bool first = note_violation(
        c, violated, violated != 0 ? c->block->table->rules[__builtin_ctz(violated)].doc : "");
    c->violation_after = c->violation_after || first;
    return first;
}

static bool note_input_x(wlk_checker *c, uint32_t port) {
    char text[160];
    (void)snprintf(text, sizeof text, "input %s is X where a rule reads it", c->ports[port].name);
    const bool first = note_violation(c, UINT32_C(1) << 31, text);
    if (first) {
        c->violation_port = (int32_t)port;
    }
    return first;
}

// ---- X ----------------------------------------------------------------------------------------
// What an X means where: wlk_checker_step_x.

static bool any_bit(const uint64_t *words, uint32_t n) {
    uint64_t any = 0;
    for (uint32_t w = 0; words != NULL && w < n; w++) {
        any |= words[w];
    }
    return any != 0;
}

static bool meaningful(const wlk_checker *c, uint32_t port, const uint64_t *in,
                       const uint64_t *got) {
    return c->when[port] < 0 || port_value(&c->ports[c->when[port]], in, got) != 0;
}

// The first control input that is X where a rule reads it, or -1.
static int32_t unreadable(const wlk_checker *c, const uint64_t *in, const uint64_t *in_x,
                          const uint64_t *got) {
    for (uint32_t i = 0; i < c->layout.n_ports; i++) {
        const wlk_port *port = &c->ports[i];
        const wlk_field *field = &c->block->table->fields[port->field];
        if (!port->is_out && field->read && !field->is_payload && wlk_port_get(port, in_x) != 0 &&
            meaningful(c, i, in, got)) {
            return (int32_t)i;
        }
    }
    return -1;
}

// The ports of a field that show an input; where both are of one array, those of its element.
static void hide_field(const wlk_checker *c, uint16_t field, const wlk_port *input,
                       uint64_t *bits) {
    const char *array = c->block->table->fields[input->field].array;
    const char *other = c->block->table->fields[field].array;
    const bool shared = array != NULL && other != NULL && strcmp(array, other) == 0;
    for (uint32_t i = 0; i < c->layout.n_ports; i++) {
        const wlk_port *port = &c->ports[i];
        if (port->field == field && (!shared || port->index[0] == input->index[0])) {
            wlk_port_set(port, bits, 0u);
        }
    }
}

// Clears output bits that an X on the inputs hides.
static void hide_outputs(const wlk_checker *c, const uint64_t *in_x, uint64_t *bits) {
    for (uint32_t i = 0; i < c->layout.n_ports; i++) {
        const wlk_port *port = &c->ports[i];
        const int16_t *hidden = c->block->table->fields[port->field].x_hides;
        if (hidden == NULL || port->is_out || wlk_port_get(port, in_x) == 0) {
            continue;
        }
        for (; *hidden >= 0; hidden++) {
            hide_field(c, (uint16_t)*hidden, port, bits);
        }
    }
}

static void narrow(wlk_checker *c, const uint64_t *in) {
    if (c->has_inexact) {
        wlk_ports_narrow(c->block->table, c->ports, c->layout.n_ports, c->when, in, c->expect,
                         c->care);
    }
}

// ---- a whole cycle ----------------------------------------------------------------------------

static bool in_reset(const wlk_checker *c, const uint64_t *in) {
    return c->reset_port >= 0 && wlk_port_get(&c->ports[c->reset_port], in) != 0;
}

// An asynchronous reset acts before the edge.
static inline void enter_reset(wlk_checker *c, const uint64_t *in) {
    if (c->async_reset && c->sum.reset_seen && in_reset(c, in)) {
        wlk_candidates_clear(&c->candidates);
    }
}

// Outputs that are not there look as the model's, to show handshakes.
static const uint64_t *complete(wlk_checker *c, const uint64_t *got) {
    const wlk_layout *l = &c->layout;
    if (c->compares_all && c->judged == c->compare) {
        return got;
    }
    for (uint32_t w = 0; w < l->out_words; w++) {
        c->got[w] = (got[w] & c->judged[w]) | (c->expect[w] & ~c->judged[w]);
    }
    if (!c->frozen) {
        uint64_t *slot = history_slot(c, c->sum.cycles) + 1u + l->in_control;
        memcpy(slot, c->got, l->out_control * sizeof *slot);
    }
    return c->got;
}

static void expect(wlk_checker *c, uint32_t candidate, const uint64_t *in, const uint64_t *in_x) {
    c->block->eval(c->cfg, c->candidates.states[candidate], in, c->expect, c->care);
    narrow(c, in);
    if (in_x != NULL) {
        hide_outputs(c, in_x, c->care);
    }
}

// ---- waivers ----------------------------------------------------------------------------------

// Which bits are waived in this cycle.
static void look_waived(wlk_checker *c, const uint64_t *in, const uint64_t *in_x,
                        const uint64_t *got, const uint64_t *got_x) {
    const waiver_sight sight = {c->ports, in, in_x, got, got_x, c->judged};
    wlk_waivers_look(&c->waivers, &sight, c->layout.out_words);
}

// Before candidates are judged: waived bits do not decide between them.
static void leave_out_waived(wlk_checker *c, const uint64_t *in, const uint64_t *in_x,
                             const uint64_t *got, const uint64_t *got_x) {
    look_waived(c, in, in_x, got, got_x);
    for (uint32_t w = 0; w < c->layout.out_words; w++) {
        c->waivers.left[w] = c->judged[w] & ~c->waivers.now[w];
    }
    c->judged = c->waivers.left;
}

// Waived bits that differ are not compared: returns what the RTL shows with the model's in their
// place.
static const uint64_t *excuse(wlk_checker *c, const uint64_t *in, const uint64_t *in_x,
                              const uint64_t *got, const uint64_t *got_x) {
    waivers *v = &c->waivers;
    uint64_t any = 0;
    if (v->n == 0 || !differs(c, got, got_x)) {
        return got;
    }
    look_waived(c, in, in_x, got, got_x);
    for (uint32_t w = 0; w < c->layout.out_words; w++) {
        v->now[w] &= wrong_bits(c, w, got, got_x);
        v->agreed[w] = (got[w] & ~v->now[w]) | (c->expect[w] & v->now[w]);
        any |= v->now[w];
    }
    if (any == 0) {
        return got;
    }
    if (!c->failed && !c->violated_seen) { // behind a failure nothing is known of the cause
        wlk_waivers_hit(v, c->ports, c->sum.cycles);
    }
    for (uint32_t w = 0; w < c->layout.out_words; w++) {
        v->left[w] = c->judged[w] & ~v->now[w];
    }
    c->judged = v->left;
    return v->agreed;
}

// What the RTL shows must be explained by one of the candidates; those it contradicts are dropped.
// When it contradicts all, the difference is that of the nearest one.
static void settle(wlk_checker *c, const uint64_t *in, const uint64_t *in_x, const uint64_t *got,
                   const uint64_t *got_x) {
    wlk_candidates *candidates = &c->candidates;
    uint32_t bits[WLK_MAX_CANDIDATES], best = 0;
    uint32_t before;
    do { // of a late state a way can be open because of another one
        before = candidates->n;
        wlk_candidates_fork(candidates, in);
    } while (c->sum.late && candidates->n > before);
    const uint64_t *judged = c->judged;
    if (candidates->n > 1 && c->waivers.n != 0) {
        leave_out_waived(c, in, in_x, got, got_x);
    }
    for (uint32_t i = 0; candidates->n > 1 && i < candidates->n; i++) {
        expect(c, i, in, in_x);
        bits[i] = differing_bits(c, got, got_x);
        best = bits[i] < bits[best] ? i : best;
    }
    c->judged = judged;
    if (candidates->n > 1 && bits[best] != 0) {
        wlk_candidates_prefer(candidates, best);
        candidates->n = 1;
    }
    // From the last: what takes the place of a dropped one has been looked at.
    for (uint32_t i = candidates->n; candidates->n > 1 && i > 0; i--) {
        if (bits[i - 1u] != 0) {
            wlk_candidates_drop(candidates, i - 1u);
        }
    }
    expect(c, 0, in, in_x);
}

// ---- what a waveform shows ----------------------------------------------------------------------

enum { LOOKED, LOOKED_CARE, LOOKED_WRONG, LOOKED_NEXT, LOOKED_NEXT_CARE, LOOKS };

static uint64_t *looked(const wlk_checker *c, uint32_t which) {
    return c->watched + (size_t)which * c->layout.out_words;
}

bool wlk_checker_watch(wlk_checker *c) {
    const size_t words = (size_t)LOOKS * c->layout.out_words + 1u;
    c->fast = false;
    if (c->watched == NULL) {
        c->watched = calloc(words, sizeof *c->watched);
    } else {
        memset(c->watched, 0, words * sizeof *c->watched);
    }
    return c->watched != NULL;
}

wlk_look wlk_checker_look(const wlk_checker *c) {
    return (wlk_look){.words = c->layout.out_words,
                      .expected = looked(c, LOOKED),
                      .care = looked(c, LOOKED_CARE),
                      .wrong = looked(c, LOOKED_WRONG),
                      .next_expected = looked(c, LOOKED_NEXT),
                      .next_care = looked(c, LOOKED_NEXT_CARE)};
}

static void note_expected(wlk_checker *c, uint32_t expected, uint32_t care) {
    for (uint32_t w = 0; w < c->layout.out_words; w++) {
        looked(c, care)[w] = c->care[w] & c->judged[w];
        looked(c, expected)[w] = c->expect[w] & looked(c, care)[w];
    }
}

static void note_compared(wlk_checker *c, const uint64_t *got, const uint64_t *got_x) {
    note_expected(c, LOOKED, LOOKED_CARE);
    for (uint32_t w = 0; w < c->layout.out_words; w++) {
        looked(c, LOOKED_WRONG)[w] = wrong_bits(c, w, got, got_x);
    }
}

static void note_edge(wlk_checker *c, const uint64_t *in, const uint64_t *in_x) {
    expect(c, 0, in, in_x);
    note_expected(c, LOOKED_NEXT, LOOKED_NEXT_CARE);
}

// Without what is waived.
static int compare_rest(wlk_checker *c, const uint64_t *in, const uint64_t *got,
                        const uint64_t *got_x) {
    if (c->watched != NULL) {
        note_compared(c, got, got_x);
    }
    if (unknown_somewhere(c)) {
        count_masked(c);
    }
    if (!c->sum.transfer_seen && !in_reset(c, in)) {
        note_transfers(c, in, got);
    }
    c->compared_cycles++;
    wlk_constants_note(&c->constants, got, got_x, c->judged);
    if (!differs(c, got, got_x)) {
        return 0;
    }
    for (uint32_t w = 0; w < c->layout.out_words; w++) {
        c->wrong[w] |= wrong_bits(c, w, got, got_x);
    }
    c->sum.mismatches++;
    c->sum.mismatched_bits += differing_bits(c, got, got_x);
    if (c->failed) {
        return 0;
    }
    c->failed = true;
    c->frozen = true;
    c->sum.first_cycle = c->sum.cycles;
    c->n_differences = differences(c, got, got_x);
    if (!c->violated_seen) {
        keep_before(c);
    }
    return 1;
}

static int compare_slow(wlk_checker *c, const uint64_t *in, const uint64_t *in_x,
                        const uint64_t *got, const uint64_t *got_x) {
    const uint64_t *judged = c->judged;
    const uint64_t *agreed = excuse(c, in, in_x, got, got_x);
    const int first = compare_rest(c, in, got, got_x);
    if (c->failed) {
        wlk_follow_channels(c, in, c->expect, agreed);
    }
    c->judged = judged;
    return first;
}

// ---- what outputs say of unknown state ---------------------------------------------------------

static void known_bits(const wlk_checker *c, const uint64_t *x, uint64_t *known) {
    for (uint32_t w = 0; w < c->layout.out_words; w++) {
        known[w] = x != NULL ? c->judged[w] & ~x[w] : 0u;
    }
}

static void learn(wlk_checker *c, const uint64_t *in, const uint64_t *in_x, const uint64_t *got,
                  const uint64_t *got_x, const uint64_t *next, const uint64_t *next_x) {
    const wlk_sight seen = {.in = in,
                            .out = got,
                            .out_known = c->got_known,
                            .next = next != NULL ? next : got,
                            .next_known = c->next_known};
    known_bits(c, got_x, c->got_known);
    // Where the input that selects an entry is X, the outputs may show any entry.
    if (in_x != NULL) {
        hide_outputs(c, in_x, c->got_known);
    }
    known_bits(c, next != NULL ? next_x : NULL, c->next_known);
    // A waived output says nothing. The inputs of the next cycle, which may waive it, are unknown.
    if (c->waivers.n != 0) {
        look_waived(c, in, in_x, got, got_x);
        for (uint32_t w = 0; w < c->layout.out_words; w++) {
            c->got_known[w] &= ~c->waivers.now[w];
            c->next_known[w] &= ~c->waivers.ever[w];
        }
    }
    wlk_candidates_learn(&c->candidates, &seen);
}

static void tick(wlk_checker *c, const uint64_t *in, const uint64_t *in_x, wlk_step_info *info) {
    wlk_candidates_tick_unknown(&c->candidates, in, in_x, info);
    if (c->count_events) {
        add_events(c, info->events);
    }
}

// Before the first edge in reset. @p bad: an input that is X where a rule reads it, or -1.
static void wait_for_reset(wlk_checker *c, const uint64_t *in, const uint64_t *in_x, int32_t bad) {
    wlk_step_info info = {0, 0};
    const bool reset = in_reset(c, in);
    c->sum.skipped++;
    c->sum.cycles++;
    if (bad < 0) {
        c->sum.reset_seen = reset;
        tick(c, in, in_x, &info);
        return;
    }
    // The edge may have stored anything anywhere.
    wlk_candidates_init(&c->candidates, WLK_POWER_UNKNOWN);
    if (reset) {
        c->reset_x_port = bad;
        c->resets_with_x++;
    }
}

static int step_slow(wlk_checker *c, const uint64_t *in, const uint64_t *in_x, const uint64_t *got,
                     const uint64_t *got_x) {
    wlk_step_info info = {0, 0};
    const int32_t bad = in_x != NULL ? unreadable(c, in, in_x, got) : -1;
    if (!c->sum.reset_seen) {
        wait_for_reset(c, in, in_x, bad);
        return 0;
    }
    if (bad >= 0 && !c->block->table->has_clock) {
        c->sum.skipped++; // of this vector nothing is known, and the next one stands alone
        c->sum.cycles++;
        return 0;
    }
    // With such an input nothing is defined any more.
    int first = bad >= 0 && note_input_x(c, (uint32_t)bad);
    if (c->violation_port < 0) {
        settle(c, in, in_x, got, got_x);
        got = complete(c, got);
        first |= compare_slow(c, in, in_x, got, got_x);
        if (c->block->always_learns && !c->failed) {
            learn(c, in, in_x, got, got_x, NULL, NULL);
        }
        tick(c, in, in_x, &info);
        if (c->watched != NULL) {
            note_edge(c, in, in_x);
        }
        first |= note_rule(c, info.violated);
    }
    c->sum.cycles++;
    return first;
}

// A rule may be broken; else nothing is to be noted of the cycle but its outputs.
static int end_fast(wlk_checker *c, const wlk_view *got, const wlk_step_info *info) {
    const int first = info->violated != 0 && note_rule(c, info->violated);
    wlk_constants_view(&c->constants, got);
    c->compared_cycles++;
    c->sum.cycles++;
    return first;
}

// Outputs that are missing are 0 in the record. Most are there because the RTL's never change, and
// the model's neither: they need no mask, which costs some blocks their fastest step, until it
// shows that one does.
static inline bool step_fast(wlk_checker *c, const wlk_view *in, wlk_view *got,
                             wlk_step_info *info) {
    void *state = c->candidates.states[0];
    if (c->block->step(c->cfg, state, in, got, info) == 0) {
        return true;
    }
    if (c->compares_all || got->mask != NULL) {
        return false;
    }
    got->mask = c->compare;
    if (c->block->step(c->cfg, state, in, got, info) == 0) {
        c->fast_mask = c->compare;
        return true;
    }
    got->mask = NULL;
    return false;
}

static int step_noting(wlk_checker *c, const wlk_view *in, const wlk_view *got) {
    const wlk_layout *l = &c->layout;
    wlk_view_copy(c->in, in, l->in_control, l->in_payload, l->n_in_payloads);
    wlk_view_copy(c->got, got, l->out_control, l->out_payload, l->n_out_payloads);
    const int first = step_slow(c, c->in, NULL, c->got, c->no_x);
    // Only the slow path changes what this depends on.
    c->fast = c->sum.reset_seen && (c->compares_all || c->step_masked) && !c->has_inexact &&
              !c->frozen && !c->count_events && c->sum.transfer_seen && c->candidates.n == 1;
    return first;
}

int wlk_checker_step(wlk_checker *c, const wlk_view *in, const wlk_view *got) {
    wlk_step_info info = {0, 0};
    enter_reset(c, in->control);
    if (!c->frozen) {
        remember(c, c->sum.cycles, in->control, got->control);
    }
    if (c->fast) {
        wlk_view fast = *got;
        fast.mask = c->fast_mask;
        if (step_fast(c, in, &fast, &info)) {
            return end_fast(c, got, &info);
        }
    }
    return step_noting(c, in, got);
}

// ---- many cycles ------------------------------------------------------------------------------

static void view_record(const uint64_t *words, const wlk_payload *payloads, uint32_t n,
                        wlk_view *view) {
    view->control = words;
    view->mask = NULL;
    for (uint32_t i = 0; i < n; i++) {
        view->payload[i] = words + payloads[i].word;
    }
}

static inline void advance(wlk_view *view, size_t words, uint32_t n_payloads) {
    view->control += words;
    for (uint32_t i = 0; i < n_payloads; i++) {
        view->payload[i] = (const uint64_t *)view->payload[i] + words;
    }
}

// Over cycles in which nothing is to be noted. Returns how many they are, with the views of the
// one behind them, which the model has been stepped over only if it breaks a rule.
static uint32_t run_fast(wlk_checker *c, wlk_view *in, wlk_view *got, size_t words, uint32_t n,
                         wlk_step_info *info) {
    const wlk_layout *l = &c->layout;
    uint32_t done = 0;
    got->mask = c->fast_mask;
    for (; done < n; done++) {
        enter_reset(c, in->control);
        if (!step_fast(c, in, got, info) || info->violated != 0) {
            break;
        }
        advance(in, words, l->n_in_payloads);
        advance(got, words, l->n_out_payloads);
    }
    got->mask = NULL;
    return done;
}

// The cycles of @p n records; of those that a later one drives out, the history is not written.
static void pass(wlk_checker *c, const uint64_t *records, size_t words, uint32_t n) {
    for (uint32_t i = n > WLK_HISTORY ? n - WLK_HISTORY : 0u; !c->frozen && i < n; i++) {
        const uint64_t *record = records + i * words;
        remember(c, c->sum.cycles + i, record, record + c->layout.in_words);
    }
    wlk_constants_run(&c->constants, records + c->layout.in_words, words, n);
    c->compared_cycles += n;
    c->sum.cycles += n;
}

uint32_t wlk_checker_run(wlk_checker *c, const uint64_t *records, uint32_t n, int *first) {
    const wlk_layout *l = &c->layout;
    const size_t words = (size_t)l->in_words + l->out_words;
    wlk_step_info info = {0, 0};
    wlk_view in, got;
    view_record(records, l->in_payload, l->n_in_payloads, &in);
    view_record(records + l->in_words, l->out_payload, l->n_out_payloads, &got);
    uint32_t done = 0;
    if (c->fast) {
        done = run_fast(c, &in, &got, words, n, &info);
        pass(c, records, words, done);
    } else {
        enter_reset(c, in.control);
    }
    if (done == n) {
        *first = 0;
        return n;
    }
    if (!c->frozen) {
        remember(c, c->sum.cycles, in.control, got.control);
    }
    *first = info.violated != 0 ? end_fast(c, &got, &info) : step_noting(c, &in, &got);
    return done + 1u;
}

int wlk_checker_step_x(wlk_checker *c, const uint64_t *in, const uint64_t *in_x,
                       const uint64_t *got, const uint64_t *got_x) {
    return wlk_checker_step_masked(c, in, in_x, got, got_x, NULL);
}

int wlk_checker_step_masked(wlk_checker *c, const uint64_t *in, const uint64_t *in_x,
                            const uint64_t *got, const uint64_t *got_x, const uint64_t *mask) {
    const wlk_layout *l = &c->layout;
    wlk_view vi, vg;
    uint64_t missing = 0;
    for (uint32_t w = 0; mask != NULL && w < l->out_words; w++) {
        c->partial[w] = c->compare[w] & mask[w];
        missing |= c->compare[w] & ~mask[w];
    }
    if (missing == 0 && !any_bit(in_x, l->in_words) && !any_bit(got_x, l->out_words)) {
        view_record(in, l->in_payload, l->n_in_payloads, &vi);
        view_record(got, l->out_payload, l->n_out_payloads, &vg);
        return wlk_checker_step(c, &vi, &vg);
    }
    enter_reset(c, in);
    if (!c->frozen) {
        remember(c, c->sum.cycles, in, got);
    }
    c->fast = false;
    c->judged = missing != 0 ? c->partial : c->compare;
    const int first = step_slow(c, in, in_x, got, got_x != NULL ? got_x : c->no_x);
    c->judged = c->compare;
    return first;
}

// ---- a start without the reset ----------------------------------------------------------------

// Each bit that is compared, if it is an output at all.
static bool is_known(const wlk_checker *c, int32_t i) {
    const wlk_port *port = output_of(c, i);
    const uint64_t bits = port != NULL ? wlk_port_get(port, c->compare) : 0u;
    return bits == 0 ||
           (wlk_port_get(port, c->judged) & wlk_port_get(port, c->sure) & bits) == bits;
}

static bool handshakes_are_known(const wlk_checker *c) {
    bool are = true;
    for (uint32_t i = 0; i < c->n_channels && are; i++) {
        are = is_known(c, c->channels[i].valid) && is_known(c, c->channels[i].ready);
    }
    return are;
}

// From the first cycle on of which nearly all is compared.
static void count_known(wlk_checker *c) {
    uint64_t bits = 0;
    for (uint32_t w = 0; w < c->layout.out_words; w++) {
        bits += (uint64_t)__builtin_popcountll(c->judged[w] & c->sure[w]);
    }
    if (!c->sum.known && bits * 10u >= c->out_bits * 9u && handshakes_are_known(c)) {
        c->sum.known = true;
        c->sum.known_from = c->sum.cycles;
    }
    if (c->sum.known) {
        c->sum.known_bits += bits;
        c->sum.known_of += c->out_bits;
    }
}

void wlk_checker_gap(wlk_checker *c) {
    if (c->sum.late && !c->failed) {
        wlk_candidates_late(&c->candidates);
        c->sum.forgotten++;
    }
}

// Compares with what is known once the cycle was looked at, which includes what it contradicts;
// counts what was known before.
static int look_late(wlk_checker *c, const uint64_t *in, const uint64_t *in_x, const uint64_t *got,
                     const uint64_t *got_x, const uint64_t *next, const uint64_t *next_x) {
    wlk_step_info info = {0, 0};
    int first;
    expect(c, 0, in, in_x);
    memcpy(c->sure, c->care, c->layout.out_words * sizeof *c->sure);
    if (!c->failed) {
        learn(c, in, in_x, got, got_x, next, next_x);
    }
    settle(c, in, in_x, got, got_x);
    if (c->candidates.left_out) { // too much is open to follow it
        wlk_checker_gap(c);
        return 0;
    }
    for (uint32_t w = 0; w < c->layout.out_words; w++) {
        c->sure[w] &= c->care[w];
    }
    got = complete(c, got);
    first = compare_slow(c, in, in_x, got, got_x);
    count_known(c);
    tick(c, in, in_x, &info);
    return first | note_rule(c, info.violated);
}

int wlk_checker_step_late(wlk_checker *c, const uint64_t *in, const uint64_t *in_x,
                          const uint64_t *got, const uint64_t *got_x, const uint64_t *next,
                          const uint64_t *next_x) {
    if (!c->sum.late) {
        return wlk_checker_step_x(c, in, in_x, got, got_x);
    }
    if (!c->frozen) {
        remember(c, c->sum.cycles, in, got);
    }
    enter_reset(c, in);
    const int32_t bad = in_x != NULL ? unreadable(c, in, in_x, got) : -1;
    if (bad >= 0 && (!c->sum.known || !c->block->table->has_clock)) {
        wlk_candidates_late(&c->candidates);
        c->sum.skipped++;
        c->sum.cycles++;
        return 0;
    }
    int first = bad >= 0 && note_input_x(c, (uint32_t)bad);
    if (c->violation_port < 0) {
        first |= look_late(c, in, in_x, got, got_x, next, next_x);
    }
    c->sum.cycles++;
    return first;
}

bool wlk_checker_done(const wlk_checker *c) {
    return c->violated_seen || (c->failed && c->sum.cycles >= c->sum.first_cycle + WLK_AFTERMATH);
}

// ---- results ----------------------------------------------------------------------------------

static wlk_status verdict_of(const wlk_checker *c, bool strict) {
    if (!c->sum.reset_seen && c->sum.cycles != 0) {
        return WLK_NO_RESET;
    }
    const bool violated_before = c->sum.violated != 0 && c->violated_seen &&
                                 (!c->failed || c->violation_cycle < c->sum.first_cycle);
    if (violated_before) {
        return WLK_PROTOCOL_VIOLATION;
    }
    if (c->failed) {
        // Without state a transfer in another cycle is another transfer.
        const bool late = c->block->table->has_clock && wlk_same_order(c);
        return late ? WLK_TIMING_DIVERGENCE : WLK_FUNCTIONAL_MISMATCH;
    }
    if (c->compared_cycles == 0 || !c->sum.transfer_seen) {
        return WLK_VACUOUS;
    }
    if (compared_bits(c) == 0 || (c->sum.late && !c->sum.known)) {
        return WLK_VACUOUS; // nothing was ever known on both sides
    }
    for (uint32_t i = 0; strict && i < c->layout.n_ports; i++) {
        // Every output must have been compared in a hundredth of the cycles at least.
        const uint64_t all = wlk_checker_port_bits(c, i) * c->compared_cycles;
        if (wlk_checker_compared(c, i) * 100u < all) {
            return WLK_VACUOUS;
        }
    }
    return WLK_OK;
}

wlk_checker_result wlk_checker_result_get(const wlk_checker *c, bool strict) {
    wlk_checker_result r = c->sum;
    r.verdict = verdict_of(c, strict);
    r.first_cycle = r.verdict == WLK_PROTOCOL_VIOLATION ? c->violation_cycle : c->sum.first_cycle;
    r.masked_bits = masked_bits(c);
    r.compared_bits = compared_bits(c);
    r.explained_bits = c->failed || c->violated_seen ? c->sum.explained_bits : r.compared_bits;
    for (uint32_t i = 0; i < c->layout.n_ports; i++) {
        const wlk_port *port = &c->ports[i];
        const uint64_t wrong = port->is_out && port->present ? wlk_port_get(port, c->wrong) : 0u;
        r.differing_ports += wrong != 0;
        r.differing_bits += (uint32_t)__builtin_popcountll(wrong);
    }
    return r;
}

wlk_checker_facts wlk_checker_facts_get(const wlk_checker *c) {
    return (wlk_checker_facts){.block = c->block,
                               .scope = c->scope,
                               .ports = c->ports,
                               .differences = c->differences,
                               .n_ports = c->layout.n_ports,
                               .n_differences = c->n_differences,
                               .rule = c->violation_text};
}

const void *wlk_checker_state(const wlk_checker *c) {
    return state_now(c);
}

bool wlk_checker_retry(wlk_checker *c, const void *state) {
    c->fast = c->failed = c->frozen = c->violated_seen = c->violation_after = false;
    c->violation_port = -1;
    c->sum.violated = 0;
    c->sum.reset_seen = true;
    return wlk_candidates_take(&c->candidates, state, 1);
}

uint64_t wlk_checker_events(const wlk_checker *c, uint32_t i) {
    return i < WLK_MAX_COVERS ? c->events[i] : 0u;
}

uint32_t wlk_checker_port_bits(const wlk_checker *c, uint32_t port) {
    if (!c->ports[port].is_out || !c->ports[port].present) {
        return 0;
    }
    return (uint32_t)__builtin_popcountll(wlk_port_get(&c->ports[port], c->compare));
}

uint64_t wlk_checker_constant(const wlk_checker *c, uint32_t port, uint64_t *value) {
    const wlk_port *p = &c->ports[port];
    *value = 0;
    if (!p->is_out || !p->present || c->compared_cycles < 2) {
        return 0;
    }
    const uint64_t bits = wlk_port_get(p, c->constants.seen) & ~wlk_port_get(p, c->constants.moved);
    *value = wlk_port_get(p, c->constants.first) & bits;
    return bits;
}

uint64_t wlk_checker_compared(const wlk_checker *c, uint32_t port) {
    return wlk_checker_port_bits(c, port) * c->compared_cycles - c->masked[port];
}

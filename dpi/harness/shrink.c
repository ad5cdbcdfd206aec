// SPDX-License-Identifier: Apache-2.0
// Make a failing stimulus small: leave out cycles and handshakes while the same port of the same
// checker differs first and no rule is broken. What is left is written by write_records, and the
// report is about it; scripts/wlk/run/failures.py names the file, stimulus.wlv.
#include <stdlib.h>
#include <string.h>

#include "harness_private.h"
#include "ports.h"

// The reset at the start stays. Runs, and cycles in all of them, bound the time.
enum { MAX_RUNS = 2000, KEEP_FIRST = 4, TAIL = 8 };
static const uint64_t most_cycles = 300000;

// What a stimulus must show to be the same failure.
typedef struct symptom {
    const place *assertion; // this one fires, or NULL:
    char scope[256];        // an output of this checker differs,
    uint16_t field;         // one of this field
} symptom;

typedef struct work {
    harness *b;
    symptom symptom;
    uint64_t runs, cycles;
    uint64_t keep; // cycles at the start
    stimulus best, trial;
} work;

static uint64_t *row_of(const work *w, const stimulus *s, uint64_t cycle) {
    return s->words + cycle * w->b->layout.in_words;
}

// The checker whose failure explains the others, among those with a difference; NULL: none.
static const wlk_checker *first_to_differ(const harness *b) {
    blamed first = {0};
    for (uint32_t i = 0; i < wlk_dpi_count(); i++) {
        const wlk_checker *checker = wlk_dpi_checker(i);
        const wlk_checker_result r = wlk_checker_result_get(checker, false);
        if (r.mismatches != 0) {
            harness_blame(b, checker, &r, &first);
        }
    }
    return first.checker;
}

static uint16_t field_of(const wlk_checker *checker) {
    const wlk_checker_facts f = wlk_checker_facts_get(checker);
    return f.ports[f.differences[0].port].field;
}

// That a block inside is given what breaks a rule is no fault of the stimulus.
static bool is_legal(const harness *b) {
    for (uint32_t i = 0; i < wlk_dpi_count(); i++) {
        const wlk_checker *checker = wlk_dpi_checker(i);
        if (wlk_checker_result_get(checker, false).violated != 0 && blame_is_stage(b, checker)) {
            return false;
        }
    }
    return true;
}

static void play(harness *b, const stimulus *s, const place *until, uint64_t *fired_at) {
    bool fired = false;
    harness_begin(b, b->seed, NULL);
    for (uint64_t c = 0; c < s->n && !fired && (b->whole || wlk_dpi_failures == 0); c++) {
        (void)harness_cycle(b, s->words + c * b->layout.in_words);
        fired = until != NULL && assertions_fired(b, until, fired_at);
    }
}

// Does it fail as it should? Then *failed_at is the cycle.
static bool fails(work *w, const stimulus *s, uint64_t *failed_at) {
    harness *b = w->b;
    bool same;
    *failed_at = UINT64_MAX;
    play(b, s, w->symptom.assertion, failed_at);
    w->runs++;
    w->cycles += b->cycle;
    if (w->symptom.assertion != NULL) {
        same = *failed_at != UINT64_MAX;
    } else {
        const wlk_checker *checker = first_to_differ(b);
        same = checker != NULL && field_of(checker) == w->symptom.field &&
               strcmp(wlk_checker_facts_get(checker).scope, w->symptom.scope) == 0;
        *failed_at = same ? wlk_checker_result_get(checker, false).first_cycle : 0u;
    }
    same = same && is_legal(b);
    harness_end(b);
    return same;
}

static bool can_try(const work *w) {
    return w->runs < MAX_RUNS && w->cycles < most_cycles && !tool_stop;
}

// Where inputs are legal by the model's state alone, make the trial legal in the states that it
// leads to. Is it another one than the best?
static bool legalise(work *w) {
    harness *b = w->b;
    const stimulus *s = &w->trial;
    bool has_states = true;
    b->block->init(b->cfg, b->model, b->random ? WLK_POWER_UNKNOWN : WLK_POWER_ZERO);
    for (uint64_t c = 0; has_states && c < s->n; c++) {
        wlk_step_info info;
        uint64_t *in = row_of(w, s, c);
        has_states = wlk_stimulus_legalise(b->gen, b->cfg, b->model, in);
        tool_tie_apply(b->ties, b->n_ties, in);
        (void)harness_clear(b, in);
        b->block->tick(b->cfg, b->model, in, &info);
    }
    return s->n != w->best.n ||
           memcmp(s->words, w->best.words, s->n * b->layout.in_words * sizeof(uint64_t)) != 0;
}

// Take the trial, up to its failure, when it fails too.
static bool take(work *w) {
    uint64_t failed_at;
    if (!can_try(w) || !legalise(w) || !fails(w, &w->trial, &failed_at)) {
        return false;
    }
    const stimulus swap = w->best;
    w->best = w->trial;
    w->best.n = failed_at + 1u;
    w->trial = swap;
    return true;
}

static void copy_without(work *w, uint64_t at, uint64_t n) {
    const size_t bytes = w->b->layout.in_words * sizeof(uint64_t);
    memcpy(w->trial.words, w->best.words, at * bytes);
    memcpy(row_of(w, &w->trial, at), row_of(w, &w->best, at + n), (w->best.n - at - n) * bytes);
    w->trial.n = w->best.n - n;
}

// The start and the last cycles alone: a few, then more.
static void keep_last(work *w) {
    for (uint64_t last = 1; w->keep + last < w->best.n; last *= 2u) {
        copy_without(w, w->keep, w->best.n - w->keep - last);
        if (take(w)) {
            return;
        }
    }
}

// Halves, quarters, ... single cycles. Was any left out?
static bool drop_cycles(work *w) {
    bool any = false;
    for (uint64_t chunk = w->best.n / 2u; chunk >= 1; chunk /= 2u) {
        for (uint64_t at = w->keep; at + chunk < w->best.n && can_try(w);) {
            copy_without(w, at, chunk);
            if (take(w)) {
                any = true;
            } else {
                at += chunk;
            }
        }
    }
    return any;
}

// Let a cycle's inputs be 0, but for the reset.
static bool idle_cycle(const work *w, uint64_t *row) {
    const harness *b = w->b;
    const bool reset = b->reset >= 0 && wlk_port_get(&b->ports[b->reset], row) != 0;
    bool any = false;
    for (uint32_t i = 0; i < b->layout.in_words; i++) {
        any = any || row[i] != 0;
        row[i] = 0;
    }
    if (reset) {
        wlk_port_set(&b->ports[b->reset], row, 1);
        return false; // nothing that comes in reset hides another thing
    }
    return any;
}

// Let the input channel whose valid is port @p valid be idle in a cycle.
static bool idle_channel(const work *w, const wlk_port *valid, uint64_t *row) {
    const harness *b = w->b;
    if (wlk_port_get(valid, row) == 0) {
        return false;
    }
    wlk_port_set(valid, row, 0);
    for (uint32_t i = 0; i < b->n_ports; i++) {
        const wlk_port *port = &b->ports[i];
        if (!port->is_out && b->block->table->fields[port->field].valid_when == valid->field &&
            wlk_port_same_index(valid, port)) {
            wlk_port_set(port, row, 0);
        }
    }
    return true;
}

static bool is_input_valid(const harness *b, uint32_t port) {
    const wlk_table *t = b->block->table;
    for (uint32_t i = 0; !b->ports[port].is_out && i < t->n_channels; i++) {
        if (t->channels[i].valid == (int16_t)b->ports[port].field) {
            return true;
        }
    }
    return false;
}

// Leave out handshakes of the inputs, first all of a cycle at once. Was any?
static bool drop_handshakes(work *w) {
    bool any = false;
    for (uint64_t c = 0; c < w->best.n; c++) {
        copy_without(w, w->best.n, 0);
        if (idle_cycle(w, row_of(w, &w->trial, c)) && take(w)) {
            any = true;
            continue;
        }
        for (uint32_t i = 0; i < w->b->n_ports && c < w->best.n; i++) {
            copy_without(w, w->best.n, 0);
            if (is_input_valid(w->b, i) &&
                idle_channel(w, &w->b->ports[i], row_of(w, &w->trial, c))) {
                any = take(w) || any;
            }
        }
    }
    return any;
}

static void reduce(work *w) {
    keep_last(w);
    (void)drop_cycles(w);
    while (can_try(w) && drop_handshakes(w) && drop_cycles(w)) {
    }
}

static wlk_status write_records(harness *b, const stimulus *s, wlk_error *err) {
    const wlk_vec_shape shape = {b->layout.in_words, b->layout.out_words};
    uint64_t *out = calloc(2u * (size_t)b->layout.out_words, sizeof(uint64_t));
    wlk_vec_writer *writer = NULL;
    if (out == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "shrink: out of memory");
    }
    wlk_status status = wlk_vec_create(&writer, b->shrink, &shape, b->header, true, err);
    b->block->init(b->cfg, b->model, b->random ? WLK_POWER_UNKNOWN : WLK_POWER_ZERO);
    for (uint64_t c = 0; status == WLK_OK && c < s->n; c++) {
        wlk_step_info info;
        const uint64_t *in = s->words + c * b->layout.in_words;
        uint64_t *care = out + b->layout.out_words;
        (void)harness_clear(b, in);
        b->block->record(b->cfg, b->model, in, out, care, &info);
        status = wlk_vec_write(writer, in, out, care, err);
    }
    if (status == WLK_OK) {
        status = wlk_vec_finish(writer, err);
    } else if (writer != NULL) {
        wlk_vec_abort(writer);
    }
    free(out);
    return status;
}

void harness_again(harness *b, uint64_t cycle, uint64_t *in) {
    if (b->played != NULL) {
        memcpy(in, b->played->words + cycle * b->layout.in_words, b->layout.in_words * sizeof *in);
        return;
    }
    b->stim.drain = b->program == NULL && (cycle >= b->cycles || cycle >= b->drain_from);
    (void)harness_next(b, in);
}

// The inputs of the failing seed again, up to the failure.
static void collect(harness *b, stimulus *s, uint64_t n) {
    harness_start_stimulus(b);
    for (s->n = 0; s->n < n; s->n++) {
        harness_again(b, s->n, s->words + s->n * b->layout.in_words);
    }
}

// Where the same transfers come in other cycles, idle cycles behind the failure let them come.
static void add_tail(work *w) {
    const uint64_t n = w->best.n;
    uint64_t at;
    bool late = false;
    memset(row_of(w, &w->best, n), 0, TAIL * w->b->layout.in_words * sizeof(uint64_t));
    while (!late && w->best.n < n + TAIL) {
        w->best.n++;
        w->b->whole = true;
        play(w->b, &w->best, NULL, &at);
        w->b->whole = false;
        const wlk_checker *checker = first_to_differ(w->b);
        late = checker != NULL && is_legal(w->b) &&
               wlk_checker_result_get(checker, false).verdict == WLK_TIMING_DIVERGENCE;
        harness_end(w->b);
    }
    w->best.n = late ? w->best.n : n;
}

bool harness_passes_with(harness *b, const stimulus *s, uint32_t param, uint32_t value) {
    const wlk_param *params = b->block->table->params;
    uint64_t at;
    wlk_dpi_override(params[param].name, value);
    play(b, s, NULL, &at);
    const bool good = wlk_dpi_failures == 0;
    harness_end(b);
    wlk_dpi_override(NULL, 0);
    for (uint32_t i = 0; i < b->block->table->n_params; i++) {
        if (b->cfg[i] != b->dut->cfg[i]) {
            wlk_dpi_override(params[i].name, b->cfg[i]);
        }
    }
    return good;
}

// Play what is left and leave the module open.
static void show(work *w) {
    uint64_t at = 0;
    w->b->played = &w->best;
    w->b->whole = true;
    play(w->b, &w->best, NULL, &at);
    w->b->whole = false;
    w->b->failing = first_to_differ(w->b);
}

// What may be the cause, then the answer. @p whole: the stimulus, which failed in cycle @p at.
static void finish(work *w, const stimulus *whole, uint64_t at, FILE *to) {
    harness *b = w->b;
    causes found = {.n = 0};
    b->seen = calloc(w->best.n * b->layout.out_words + 1u, sizeof(uint64_t));
    show(w);
    cause_find(b, &found);
    harness_end(b);
    free(b->seen);
    b->seen = NULL;
    cause_judge(b, whole, &found);
    show(w);
    harness_answer_shrunk(b, &found, at + 1u, to);
    harness_end(b);
    cause_free(&found);
    b->failing = NULL;
    b->played = NULL;
}

// What the stimulus shows as it is; false: it does not fail by itself.
static bool begin(work *w) {
    uint64_t at;
    play(w->b, &w->best, w->symptom.assertion, &at);
    const wlk_checker *checker = first_to_differ(w->b);
    if (w->symptom.assertion == NULL && checker != NULL) {
        w->symptom.field = field_of(checker);
        (void)snprintf(w->symptom.scope, sizeof w->symptom.scope, "%s",
                       wlk_checker_facts_get(checker).scope);
    }
    harness_end(w->b);
    if ((w->symptom.assertion == NULL && checker == NULL) || !fails(w, &w->best, &at)) {
        return false;
    }
    w->best.n = at + 1u;
    return true;
}

wlk_status harness_shrink(harness *b, FILE *to, wlk_error *err) {
    const place kept = b->assertions.places[0];
    const place *keeps = b->status == WLK_RTL_ASSERTION ? &kept : NULL;
    const uint64_t n = keeps != NULL ? kept.cycle + 1u : b->cycle;
    const size_t words = (size_t)(n + TAIL) * b->layout.in_words + 1u;
    const bool has_start = b->block->table->has_clock && b->reset >= 0;
    work w = {.b = b, .symptom = {.assertion = keeps}, .keep = has_start ? KEEP_FIRST : 0};
    wlk_status status = b->status;
    w.best.words = calloc(words, sizeof(uint64_t));
    w.trial.words = calloc(words, sizeof(uint64_t));
    b->judged = false; // there is no answer yet
    if (w.best.words != NULL && w.trial.words != NULL && b->replay == NULL) {
        collect(b, &w.best, n);
        if (begin(&w)) {
            const uint64_t failed_at = w.best.n - 1u;
            stimulus before = {.words = calloc(words, sizeof(uint64_t)), .n = n};
            if (before.words != NULL) {
                memcpy(before.words, w.best.words, words * sizeof(uint64_t));
            }
            reduce(&w);
            if (b->status == WLK_TIMING_DIVERGENCE) {
                add_tail(&w);
            }
            const wlk_status wrote = write_records(b, &w.best, err);
            status = wrote != WLK_OK ? wrote : status;
            finish(&w, &before, failed_at, to);
            free(before.words);
        }
    }
    free(w.best.words);
    free(w.trial.words);
    if (!b->judged) {
        fprintf(to, "{\"verdict\":\"%s\"}\n", wlk_status_name(b->status));
    }
    return status;
}

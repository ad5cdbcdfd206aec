// SPDX-License-Identifier: Apache-2.0
// Which configuration is the RTL's? Many are tried in one process, each with the same seeds, up to
// the first failure; where each cycle stands alone, in all cycles. Behind one that passes the
// others are so many models beside one run of the RTL; one whose rules its inputs break runs by
// itself.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness_private.h"

enum { BESIDE = 64 }; // configurations beside one run of the RTL: their states share the caches

// The sums over the checkers that are bound.
typedef struct fit {
    uint64_t explained_bits, explained_cycles, mismatched_bits;
    uint32_t differing_ports, differing_bits, failing;
} fit;

// How a configuration went with one seed.
typedef struct went {
    bool known;
    wlk_status verdict;
    uint64_t seed, cycles;
    fit sum;
    const char *block; // whose checker fails, NULL: none; and its first difference:
    uint64_t cycle;
    char port[WLK_MAX_NAME]; // empty: a rule of the inputs
} went;

enum { OWN = -1 }; // the configuration that the stimulus is made for, else the number of a set

static const wlk_checker *checker_of(uint32_t i, int32_t set) {
    return set == OWN ? wlk_dpi_checker(i) : wlk_dpi_checker_beside(i, (uint32_t)set);
}

static fit fit_of_all(int32_t set) {
    fit sum = {0};
    for (uint32_t i = 0; i < wlk_dpi_count(); i++) {
        const wlk_checker_result r = wlk_checker_result_get(checker_of(i, set), false);
        sum.explained_bits += r.explained_bits;
        sum.differing_ports += r.differing_ports;
        sum.differing_bits += r.differing_bits;
        sum.explained_cycles += r.mismatches + r.violated != 0 ? r.first_cycle : r.cycles;
        sum.mismatched_bits += r.mismatched_bits;
        // One whose inputs break a rule is no evidence.
        sum.failing += r.mismatches != 0 && r.verdict != WLK_PROTOCOL_VIOLATION;
    }
    return sum;
}

// How b->seed went; @p failing: whose difference is the verdict, or NULL.
static void note(const harness *b, wlk_status verdict, fit sum, const wlk_checker *failing,
                 went *to) {
    *to = (went){true, verdict, b->seed, b->cycle, sum, NULL, 0, ""};
    if (failing == NULL) {
        return;
    }
    const wlk_checker_facts f = wlk_checker_facts_get(failing);
    to->block = f.block->table->name;
    to->cycle = wlk_checker_result_get(failing, false).first_cycle;
    if (f.n_differences != 0) {
        (void)snprintf(to->port, sizeof to->port, "%s", f.ports[f.differences[0].port].name);
    }
}

static void print_run(const went *w, wlk_json *to) {
    wlk_json_open(to, NULL, '{');
    wlk_json_number(to, "seed", w->seed);
    wlk_json_text(to, "verdict", wlk_status_name(w->verdict));
    wlk_json_number(to, "cycles", w->cycles);
    wlk_json_number(to, "explained_bits", w->sum.explained_bits);
    wlk_json_number(to, "explained_cycles", w->sum.explained_cycles);
    wlk_json_number(to, "mismatched_bits", w->sum.mismatched_bits);
    wlk_json_number(to, "differing_ports", w->sum.differing_ports);
    wlk_json_number(to, "differing_bits", w->sum.differing_bits);
    wlk_json_number(to, "failing_checkers", w->sum.failing);
    if (w->block != NULL) {
        wlk_json_open(to, "first", '{');
        wlk_json_number(to, "cycle", w->cycle);
        if (w->port[0] != '\0') {
            wlk_json_text(to, "port", w->port);
        }
        wlk_json_text(to, "block", w->block);
        wlk_json_close(to, '}');
    }
    wlk_json_close(to, '}');
}

// ---- one by itself ----------------------------------------------------------------------------

// With each seed, its stimulus made for it.
static wlk_status run_alone(harness *b, went *to, wlk_error *err) {
    wlk_status status = harness_configure(b, err);
    for (uint64_t nth = 0; status == WLK_OK && nth < b->n_seeds; nth++, to++) {
        harness_take(b, nth);
        const uint64_t before = b->compared; // one that passes is closed already
        b->failing = NULL;
        const wlk_status verdict = harness_run_seed(b, err);
        if (!b->judged) {
            return verdict;
        }
        const fit passed = {.explained_bits = b->compared - before,
                            .explained_cycles = b->cycle * b->n_checkers};
        note(b, verdict, b->dut_handle != NULL ? fit_of_all(OWN) : passed, b->failing, to);
        harness_end(b);
        b->failing = NULL;
    }
    return status;
}

// ---- others beside one that passes ------------------------------------------------------------

// The verdict of a set, of a run that came to its end. False: its stimulus says nothing of it.
static bool verdict_of(const harness *b, int32_t set, blamed *worst) {
    for (uint32_t i = 0; i < wlk_dpi_count(); i++) {
        const wlk_checker *checker = checker_of(i, set);
        if (checker == NULL) {
            return false;
        }
        const wlk_checker_result r = wlk_checker_result_get(checker, false);
        if (r.verdict == WLK_PROTOCOL_VIOLATION) {
            return false;
        }
        if (harness_fails(&r)) {
            harness_blame(b, checker, &r, worst);
        }
    }
    return true;
}

// One seed, and what @p n configurations say of it that @p to points to.
static wlk_status run_seed_beside(harness *b, went **to, uint32_t n) {
    bool ended = false;
    b->deferred = true;
    wlk_status status = harness_run_once(b, &ended);
    b->deferred = false;
    wlk_dpi_flush();
    for (uint32_t i = 0; i < n && status == WLK_OK && ended; i++) {
        blamed worst = {0};
        if (verdict_of(b, (int32_t)i, &worst)) {
            note(b, worst.verdict, fit_of_all((int32_t)i), worst.checker, to[i] + b->nth);
        }
    }
    harness_end(b);
    return status;
}

static wlk_status run_beside(harness *b, const wlk_dpi_set *sets, went **to, uint32_t n) {
    wlk_status status = WLK_OK;
    wlk_dpi_beside(sets, n);
    for (uint64_t nth = 0; status == WLK_OK && nth < b->n_seeds; nth++) {
        harness_take(b, nth);
        status = run_seed_beside(b, to, n);
    }
    wlk_dpi_beside(NULL, 0);
    return status;
}

// ---- all of them ------------------------------------------------------------------------------

static bool is_known(const went *w, uint32_t n_seeds) {
    bool all = true;
    for (uint32_t i = 0; i < n_seeds; i++) {
        all = all && w[i].known;
    }
    return all;
}

static bool passes(const went *w, uint32_t n_seeds) {
    bool all = is_known(w, n_seeds);
    for (uint32_t i = 0; i < n_seeds; i++) {
        all = all && w[i].verdict == WLK_OK;
    }
    return all;
}

static bool read_set(const harness *b, const char *text, wlk_dpi_set *set) {
    uint32_t index = 0, value = 0;
    set->n = 0;
    while (*text != '\0') {
        if (!harness_next_param(b, &text, &index, &value) || set->n == WLK_MAX_PARAMS) {
            return false;
        }
        set->values[set->n].name = b->block->table->params[index].name;
        set->values[set->n++].value = value;
    }
    return true;
}

// Those behind @p from that are not known yet, beside the RTL as it runs for the one before, which
// passes: a step of a model costs a tenth of one of the RTL and its stimulus.
static wlk_status try_beside(harness *b, uint32_t from, went *all, uint32_t n_seeds,
                             wlk_error *err) {
    wlk_dpi_set *sets = calloc(BESIDE, sizeof *sets);
    went *to[BESIDE];
    uint32_t n = 0;
    wlk_status status = WLK_OK;
    if (sets == NULL) {
        return tool_no_memory(err);
    }
    for (uint32_t i = from; i < b->n_probes && status == WLK_OK; i++) {
        went *w = all + (size_t)i * n_seeds;
        if (!is_known(w, n_seeds) && read_set(b, b->probes[i], &sets[n])) {
            to[n++] = w;
        }
        if (n == BESIDE || (n != 0 && i + 1u == b->n_probes)) {
            status = run_beside(b, sets, to, n);
            n = 0;
        }
    }
    free(sets);
    return status;
}

static wlk_status probe(harness *b, uint32_t i, went *all, uint32_t n_seeds, wlk_error *err) {
    went *w = all + (size_t)i * n_seeds;
    if (is_known(w, n_seeds)) {
        b->done += n_seeds * b->cycles;
        return WLK_OK;
    }
    memset(w, 0, n_seeds * sizeof *w);
    memcpy(b->cfg, b->dut->cfg, b->block->table->n_params * sizeof *b->cfg);
    wlk_dpi_override(NULL, 0);
    if (!harness_set_params(b, b->probes[i])) {
        return wlk_fail(err, WLK_USAGE, "cannot read 'probe=%s'", b->probes[i]);
    }
    const wlk_status status = run_alone(b, w, err);
    return status == WLK_OK && passes(w, n_seeds) ? try_beside(b, i + 1u, all, n_seeds, err)
                                                  : status;
}

static void print_all(const harness *b, const went *all, uint32_t n_seeds, FILE *to) {
    wlk_json j = wlk_json_line(to);
    wlk_json_open(&j, "probes", '[');
    for (uint32_t i = 0; i < b->n_probes; i++) {
        wlk_json_open(&j, NULL, '[');
        for (uint32_t k = 0; k < n_seeds; k++) {
            print_run(&all[(size_t)i * n_seeds + k], &j);
        }
        wlk_json_close(&j, ']');
    }
    wlk_json_close(&j, ']');
    wlk_json_text(&j, "verdict", "PASS");
    wlk_json_line_end(&j);
}

wlk_status harness_probe(harness *b, FILE *to, wlk_error *err) {
    const uint32_t n_seeds = (uint32_t)b->n_seeds;
    went *all = calloc((size_t)b->n_probes * n_seeds, sizeof *all);
    wlk_status status = WLK_OK;
    if (all == NULL) {
        return tool_no_memory(err);
    }
    b->total = b->n_probes * n_seeds * b->cycles;
    for (uint32_t i = 0; i < b->n_probes && status == WLK_OK; i++) {
        status = probe(b, i, all, n_seeds, err);
    }
    if (status == WLK_OK) {
        print_all(b, all, n_seeds, to);
    }
    free(all);
    return status;
}

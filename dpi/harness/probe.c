// SPDX-License-Identifier: Apache-2.0
// Which configuration is the RTL's? Many are tried in one process, each with the same seeds, up to
// the first failure; where each cycle stands alone, in all cycles.
#include <inttypes.h>
#include <string.h>

#include "harness_private.h"

// The sums over the checkers that are bound.
typedef struct fit {
    uint64_t explained_bits, explained_cycles, mismatched_bits;
    uint32_t differing_ports, differing_bits, failing;
} fit;

static fit fit_of_all(void) {
    fit sum = {0};
    for (uint32_t i = 0; i < wlk_dpi_count(); i++) {
        const wlk_checker_result r = wlk_checker_result_get(wlk_dpi_checker(i), false);
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

static void print_first(const wlk_checker *failing, wlk_json *to) {
    const wlk_checker_facts f = wlk_checker_facts_get(failing);
    wlk_json_open(to, "first", '{');
    wlk_json_number(to, "cycle", wlk_checker_result_get(failing, false).first_cycle);
    if (f.n_differences != 0) {
        wlk_json_text(to, "port", f.ports[f.differences[0].port].name);
    }
    wlk_json_text(to, "block", f.block->table->name);
    wlk_json_close(to, '}');
}

// @p before: bits compared in the runs before this one, of which one that passes is closed already.
static void print_run(const harness *b, wlk_status status, uint64_t before, wlk_json *to) {
    const fit passed = {.explained_bits = b->compared - before,
                        .explained_cycles = b->cycle * b->n_checkers};
    const fit sum = b->dut_handle != NULL ? fit_of_all() : passed;
    wlk_json_open(to, NULL, '{');
    wlk_json_number(to, "seed", b->seed);
    wlk_json_text(to, "verdict", wlk_status_name(status));
    wlk_json_number(to, "cycles", b->cycle);
    wlk_json_number(to, "explained_bits", sum.explained_bits);
    wlk_json_number(to, "explained_cycles", sum.explained_cycles);
    wlk_json_number(to, "mismatched_bits", sum.mismatched_bits);
    wlk_json_number(to, "differing_ports", sum.differing_ports);
    wlk_json_number(to, "differing_bits", sum.differing_bits);
    wlk_json_number(to, "failing_checkers", sum.failing);
    if (b->failing != NULL) {
        print_first(b->failing, to);
    }
    wlk_json_close(to, '}');
}

// With each seed.
static wlk_status probe(harness *b, wlk_json *to, wlk_error *err) {
    wlk_status status = harness_configure(b, err);
    wlk_json_open(to, NULL, '[');
    for (b->seed = b->first; status == WLK_OK && b->seed <= b->last; b->seed++) {
        const uint64_t before = b->compared;
        b->failing = NULL;
        const wlk_status verdict = harness_run_seed(b, err);
        if (!b->judged) {
            status = verdict;
            break;
        }
        print_run(b, verdict, before, to);
        harness_end(b);
        b->failing = NULL;
    }
    wlk_json_close(to, ']');
    return status;
}

wlk_status harness_probe(harness *b, FILE *to, wlk_error *err) {
    wlk_status status = WLK_OK;
    b->total = b->n_probes * (b->last - b->first + 1u) * b->cycles;
    wlk_json j = wlk_json_line(to);
    wlk_json_open(&j, "probes", '[');
    for (uint32_t i = 0; i < b->n_probes && status == WLK_OK; i++) {
        memcpy(b->cfg, b->dut->cfg, b->block->table->n_params * sizeof *b->cfg);
        wlk_dpi_override(NULL, 0);
        if (!harness_set_params(b, b->probes[i])) {
            return wlk_fail(err, WLK_USAGE, "cannot read 'probe=%s'", b->probes[i]);
        }
        status = probe(b, &j, err);
    }
    wlk_json_close(&j, ']');
    wlk_json_text(&j, "verdict", "PASS");
    wlk_json_line_end(&j);
    return status;
}

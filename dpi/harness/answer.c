// SPDX-License-Identifier: Apache-2.0
// What came out of a harness: the verdict over all checkers, the answer in JSON, the report.
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness_private.h"

// ---- one seed ---------------------------------------------------------------------------------

static wlk_checker *own_checker(const harness *b) {
    for (uint32_t i = 0; i < wlk_dpi_count(); i++) {
        if (blame_is_stage(b, wlk_dpi_checker(i))) {
            return wlk_dpi_checker(i);
        }
    }
    return NULL;
}

// Every output of every checker, before the first seed is judged.
static bool watch_outputs(harness *b) {
    uint32_t ports = 1; // without any, calloc may return NULL
    for (uint32_t i = 0; i < wlk_dpi_count(); i++) {
        ports += wlk_checker_facts_get(wlk_dpi_checker(i)).n_ports;
    }
    b->shares = calloc(ports, sizeof *b->shares);
    b->names = calloc(ports, sizeof *b->names);
    for (uint32_t i = 0; b->shares != NULL && b->names != NULL && i < wlk_dpi_count(); i++) {
        const wlk_checker *checker = wlk_dpi_checker(i);
        const wlk_checker_facts f = wlk_checker_facts_get(checker);
        const char *scope = f.block == b->block ? "" : f.scope;
        const uint32_t end = b->n_shares + wlk_checker_shares(checker, b->shares + b->n_shares);
        for (; b->n_shares < end; b->n_shares++) {
            wlk_share *s = &b->shares[b->n_shares];
            char **name = &b->names[b->n_shares];
            if (asprintf(name, "%s%s%s", scope, *scope != '\0' ? "." : "", s->name) < 0) {
                return false;
            }
            *s = (wlk_share){.name = *name, .width = s->width};
        }
    }
    b->n_checkers = wlk_dpi_count();
    return b->shares != NULL && b->names != NULL;
}

// What a seed adds to those of the checker, and how many these are.
static uint32_t add_shares(const wlk_checker *checker, wlk_share *to) {
    const uint32_t ports = wlk_checker_facts_get(checker).n_ports;
    wlk_share *shares = calloc(ports, sizeof *shares);
    const uint32_t n = shares != NULL ? wlk_checker_shares(checker, shares) : 0u;
    for (uint32_t i = 0; i < n; i++) {
        wlk_share_add(&to[i], &shares[i]);
    }
    free(shares);
    return n;
}

void harness_blame(const harness *b, const wlk_checker *checker, const wlk_checker_result *r,
                   blamed *to) {
    const uint64_t rank = blame_rank(b, checker, r);
    if (to->checker == NULL || rank < to->rank) {
        *to = (blamed){checker, rank, r->verdict};
    }
}

bool harness_fails(const wlk_checker_result *r) {
    return r->verdict != WLK_OK && r->verdict != WLK_VACUOUS;
}

wlk_status harness_verdict(harness *b, bool finished) {
    blamed worst = {0};
    for (uint32_t i = 0; i < wlk_dpi_count(); i++) {
        if (wlk_dpi_checker(i) == NULL) {
            return WLK_MODEL_ERROR; // it was refused, and the reason is among what was printed
        }
    }
    if (b->shares == NULL && !watch_outputs(b)) {
        return WLK_NO_MEMORY;
    }
    wlk_share *shares = b->shares;
    for (uint32_t i = 0; i < wlk_dpi_count(); i++) {
        const wlk_checker *checker = wlk_dpi_checker(i);
        const wlk_checker_result r = wlk_checker_result_get(checker, false);
        if (!waived_add(b, checker)) {
            return WLK_NO_MEMORY;
        }
        b->compared += r.compared_bits;
        b->masked += r.masked_bits;
        shares += add_shares(checker, shares);
        if (harness_fails(&r)) {
            harness_blame(b, checker, &r, &worst);
        }
    }
    if (worst.checker != NULL) {
        b->failing = worst.checker;
        return worst.verdict;
    }
    if (b->assertions.n != 0) {
        return WLK_RTL_ASSERTION;
    }
    return finished ? WLK_OK : WLK_HANG;
}

void harness_forget(harness *b) {
    for (uint32_t i = 0; i < b->n_shares; i++) {
        free(b->names[i]);
    }
    free((void *)b->names);
    free(b->shares);
}

// ---- all seeds --------------------------------------------------------------------------------

// Floors hold for the mix of all profiles only.
static bool floors_hold(const harness *b) {
    return b->profile >= wlk_stimulus_profiles(b->gen) && b->replay == NULL && b->program == NULL &&
           b->n_ties == 0;
}

// Hits that a floor requires of a run. Hits are random: three standard deviations below the mean
// are enough. A run too short for every profile to have its turn must reach the mean.
static uint64_t needed(uint64_t million, uint64_t cycles) {
    const uint64_t mean = (million * cycles + 999999u) / 1000000u;
    uint64_t off = 0;
    if (cycles < WLK_STIMULUS_ROUND) {
        return mean;
    }
    while (off * off < 9u * mean) {
        off++;
    }
    return mean > off ? mean - off : 0u;
}

static bool floors_met(const harness *b, wlk_json *to) {
    const wlk_table *t = b->block->table;
    bool met = true;
    wlk_json_open(to, "coverage", '{');
    for (uint32_t i = 0; i < t->n_covers; i++) {
        const uint64_t million = floors_hold(b) ? t->cover_floor(b->cfg, i) : 0u;
        const uint64_t floor = needed(million, b->ran);
        met = met && b->events[i] >= floor;
        wlk_json_open(to, t->covers[i].name, '{');
        wlk_json_number(to, "hits", b->events[i]);
        wlk_json_number(to, "floor", floor);
        wlk_json_close(to, '}');
    }
    wlk_json_close(to, '}');
    return met;
}

// The outputs of which fewer bits were compared than a share of all, in hundredths; are there none?
static bool list_below(const harness *b, const char *key, uint64_t hundredths, wlk_json *to) {
    bool none = true;
    wlk_json_open(to, key, '[');
    for (uint32_t i = 0; b->program == NULL && i < b->n_shares; i++) {
        const wlk_share *s = &b->shares[i];
        if (s->compared == 0 || s->compared * 100u < s->all * hundredths) {
            wlk_json_text(to, NULL, s->name);
            none = false;
        }
    }
    wlk_json_close(to, ']');
    return none;
}

// Every output that exists was compared in a hundredth of the cycles at least. A program may end
// before it has shown all.
static bool ports_compared(const harness *b, wlk_json *to) {
    (void)list_below(b, "never_compared", 0, to);
    return list_below(b, "barely_compared", 1, to);
}

static void print_failure(const harness *b, wlk_status status, wlk_json *to) {
    if (status != WLK_OK && status != WLK_VACUOUS) {
        wlk_json_number(to, "seed", b->seed);
    }
    if (status == WLK_HANG) {
        wlk_json_text(to, "stuck", b->stuck);
    }
    if (b->failing != NULL) {
        wlk_json_open(to, "failure", '{');
        wlk_checker_json(b->failing, false, to);
        wlk_json_close(to, '}');
        blame_json(b, to);
    }
}

static void report_stuck(const harness *b, FILE *to) {
    fprintf(to, "%s: HANG: the work has not come to its end after %" PRIu64 " cycles\n",
            b->block->table->name, b->cycle);
    for (const char *line = b->stuck; *line != '\0';) {
        const size_t n = strcspn(line, "\n");
        fprintf(to, "  %.*s\n", (int)n, line);
        line += n + (line[n] != '\0');
    }
}

// The seed once more, up to its first assertion: no checker has kept what led to it.
static wlk_checker *revisit(harness *b) {
    const uint64_t cycle = b->assertions.places[0].cycle;
    wlk_checker *own = NULL;
    harness_end(b);
    harness_begin(b, b->seed, NULL);
    harness_start_stimulus(b);
    for (uint64_t c = 0; c <= cycle; c++) {
        harness_again(b, c, b->in);
        if (c == cycle) {
            own = own_checker(b);
            wlk_checker_keep(own);
        }
        (void)harness_cycle(b, b->in);
    }
    return own;
}

static void report_assertion(harness *b, FILE *to) {
    char *text = NULL;
    size_t size = 0;
    FILE *what = open_memstream(&text, &size);
    if (what != NULL) {
        assertions_report(b, what);
        if (fclose(what) == 0) {
            wlk_checker_report_kept(revisit(b), WLK_RTL_ASSERTION, text, to);
        }
        free(text);
    }
}

static void write_report(harness *b, FILE *to) {
    if (b->replay == NULL) {
        fprintf(to, "seed %" PRIu64 "\n", b->seed);
    }
    if (b->failing != NULL) {
        wlk_checker_report(b->failing, to);
        blame_report(b, to);
    } else if (b->status == WLK_HANG) {
        report_stuck(b, to);
    }
    if (b->status == WLK_RTL_ASSERTION && b->replay == NULL) {
        report_assertion(b, to);
    } else {
        assertions_report(b, to);
    }
}

// In the answer and not in a file: no full disk keeps it back.
static void print_report(harness *b, wlk_json *to) {
    char *text = NULL, *prints = NULL;
    size_t size = 0;
    FILE *printed = open_memstream(&prints, &size);
    FILE *report = open_memstream(&text, &size);
    if (report == NULL || printed == NULL) {
        return;
    }
    printed_report(printed); // first: the report may run the seed once more
    (void)fclose(printed);
    write_report(b, report);
    fputs(prints, report);
    if (fclose(report) == 0) {
        wlk_json_text(to, "report", text);
    }
    free(text);
    free(prints);
}

void harness_answer(harness *b, wlk_status status, FILE *to) {
    wlk_json j = wlk_json_line(to);
    wlk_json_number(&j, "seeds_run", b->seeds_run);
    wlk_json_number(&j, "cycles", b->ran);
    wlk_json_number(&j, "compared_bits", b->compared);
    wlk_json_number(&j, "masked_bits", b->masked);
    wlk_shares_json(b->shares, b->n_shares, &j);
    wlk_constants_json(b->shares, b->n_shares, &j);
    const bool floors = floors_met(b, &j);
    const bool ports = ports_compared(b, &j);
    if (status == WLK_OK && !(floors && ports)) {
        status = WLK_VACUOUS;
    }
    const bool failed = b->failing != NULL || b->assertions.n != 0 || status == WLK_HANG;
    b->status = status;
    if (status == WLK_OK || b->keep_going == 0) {
        waived_json(b, &j); // else other seeds come
    }
    print_failure(b, status, &j);
    assertions_json(b, &j);
    printed_json(failed, &j);
    if (failed) {
        print_report(b, &j);
    }
    if (b->no_picture.status != WLK_OK) {
        wlk_json_text(&j, "no_pipeline", b->no_picture.text);
    }
    wlk_json_text(&j, "verdict", wlk_status_name(status));
    wlk_json_line_end(&j);
}

// ---- the shrunk failure -------------------------------------------------------------------------

static void write_shrunk(harness *b, const causes *c, uint64_t before, FILE *to) {
    const wlk_checker_facts f = wlk_checker_facts_get(b->failing);
    const wlk_checker_result r = wlk_checker_result_get(b->failing, false);
    for (uint32_t i = 0; i < c->n_passes; i++) {
        fprintf(to, "passes with %s\n", c->passes[i]);
    }
    fprintf(to, "%s %s: %s in cycle %" PRIu64 " of seed %" PRIu64 "\n", f.block->table->name,
            f.scope, wlk_status_name(b->status), before - 1u, b->seed);
    fprintf(to,
            "  shrunk from %" PRIu64 " to %" PRIu64
            " cycles; the first wrong output is in cycle %" PRIu64 "\n",
            before, b->played->n, r.first_cycle);
    wlk_checker_report_what(b->failing, to);
    cause_report(c, to);
    wlk_checker_report_how(b->failing, to);
    blame_report(b, to);
    assertions_report(b, to);
}

void harness_answer_shrunk(harness *b, const causes *found, uint64_t before, FILE *to) {
    char *text = NULL;
    size_t size = 0;
    FILE *report = open_memstream(&text, &size);
    wlk_json j = wlk_json_line(to);
    wlk_json_text(&j, "verdict", wlk_status_name(b->status));
    wlk_json_open(&j, "shrunk", '{');
    wlk_json_number(&j, "from", before);
    wlk_json_number(&j, "cycles", b->played->n);
    cause_json(found, &j);
    wlk_json_close(&j, '}');
    if (b->failing != NULL) {
        wlk_json_open(&j, "failure", '{');
        wlk_checker_json(b->failing, false, &j);
        wlk_json_close(&j, '}');
    }
    if (report != NULL && b->failing != NULL) {
        write_shrunk(b, found, before, report);
        printed_report(report);
    }
    if (report != NULL && fclose(report) == 0 && b->failing != NULL) {
        wlk_json_text(&j, "report", text);
    }
    wlk_json_line_end(&j);
    (void)fflush(to);
    free(text);
    b->judged = true;
}

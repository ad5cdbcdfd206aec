// SPDX-License-Identifier: Apache-2.0
// Seeds behind the first one that fails: each runs in another process, which leaves how it fails in
// memory that is shared.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "harness_private.h"

enum { RULE = 256 };

// How a seed fails, and where that shows first.
typedef struct finding {
    atomic_bool ended;
    wlk_status status;
    bool has_cycle, fired;
    uint64_t cycle;
    char block[WLK_MAX_NAME], port[WLK_MAX_NAME], rule[RULE];
    place assertion;
} finding;

struct findings {
    uint64_t first, n; // of the seeds, from the one that failed on
    atomic_uint_fast64_t next, ended;
    finding seeds[]; // behind them what each has waived
};

static waived *waived_of(const harness *b, struct findings *all, uint64_t index) {
    return (waived *)(void *)(all->seeds + all->n) + index * b->n_waivers;
}

// Its first line, as far as there is room: what is shared was zeros.
static void copy(char *to, size_t size, const char *from) {
    const size_t n = strcspn(from, "\n");
    memcpy(to, from, n < size ? n : size - 1u);
}

static void note(const harness *b, wlk_status status, finding *f) {
    f->status = status;
    if (b->failing != NULL) {
        const wlk_checker_facts facts = wlk_checker_facts_get(b->failing);
        const bool differs = status != WLK_PROTOCOL_VIOLATION && facts.n_differences != 0;
        f->has_cycle = true;
        f->cycle = wlk_checker_result_get(b->failing, false).first_cycle;
        copy(f->block, sizeof f->block, facts.block->table->name);
        copy(f->port, sizeof f->port, differs ? facts.ports[facts.differences[0].port].name : "");
        copy(f->rule, sizeof f->rule, differs ? "" : facts.rule);
    }
    if (status == WLK_HANG) {
        copy(f->rule, sizeof f->rule, b->stuck);
    }
    f->fired = status == WLK_RTL_ASSERTION && b->assertions.n != 0;
    f->assertion = f->fired ? b->assertions.places[0] : f->assertion;
    atomic_store(&f->ended, true);
}

// In a process of its own: seeds that nobody has taken.
static void run_all(harness *b, void *shared) {
    struct findings *all = (struct findings *)shared;
    wlk_error err;
    for (;;) {
        const uint64_t index = atomic_fetch_add(&all->next, 1);
        if (index >= all->n) {
            return;
        }
        finding *f = &all->seeds[index];
        harness_take(b, all->first + index);
        b->failing = NULL;
        waived_clear(b);
        const wlk_status status = harness_run_seed(b, &err);
        waived_leave(b, waived_of(b, all, index));
        note(b, status, f);
        harness_end(b);
        atomic_fetch_add(&all->ended, 1);
    }
}

static wlk_status run_others(harness *b, struct findings *all, wlk_error *err) {
    atomic_store(&all->next, 1);
    // A process that breaks down costs the seed that it has taken.
    while (atomic_load(&all->next) < all->n && !tool_stop) {
        const uint64_t left = all->n - atomic_load(&all->next);
        const uint64_t jobs = b->jobs != 0 ? b->jobs : 1u;
        if (!workers_fork(b, jobs < left ? jobs : left, run_all, all, &all->ended)) {
            return tool_no_memory(err);
        }
    }
    return tool_stop ? WLK_INTERRUPTED : WLK_OK;
}

static void finding_json(const finding *f, uint64_t seed, wlk_json *to) {
    const wlk_status status = atomic_load(&f->ended) ? f->status : WLK_MODEL_ERROR;
    wlk_json_open(to, NULL, '{');
    wlk_json_number(to, "seed", seed);
    wlk_json_text(to, "verdict", wlk_status_name(status));
    if (f->has_cycle) {
        wlk_json_text(to, "block", f->block);
        wlk_json_number(to, "cycle", f->cycle);
    }
    if (f->port[0] != '\0') {
        wlk_json_text(to, "port", f->port);
    }
    if (f->rule[0] != '\0') {
        wlk_json_text(to, "rule", f->rule);
    }
    if (f->fired) {
        assertions_place_json(&f->assertion, "assertion", f->assertion.count, to);
    }
    wlk_json_close(to, '}');
}

// Behind the other keys of the answer, which ends with a bracket and a newline.
static void print_answer(harness *b, struct findings *all, const char *text, size_t size,
                         FILE *to) {
    wlk_json j = {to, true};
    fwrite(text, 1, size - 2u, to);
    for (uint64_t i = 1; i < all->n; i++) {
        waived_gather(b, waived_of(b, all, i));
    }
    waived_json(b, &j);
    wlk_json_open(&j, "failures", '[');
    for (uint64_t i = 0; i < all->n; i++) {
        const finding *f = &all->seeds[i];
        if (!atomic_load(&f->ended) || f->status != WLK_OK) {
            finding_json(f, harness_seed(b, all->first + i), &j);
        }
    }
    wlk_json_close(&j, ']');
    wlk_json_line_end(&j);
    (void)fflush(to);
}

wlk_status keep_going(harness *b, wlk_status status, FILE *to, wlk_error *err) {
    const uint64_t n = b->n_seeds - b->nth;
    const size_t of_seed = sizeof(finding) + b->n_waivers * sizeof(waived);
    const size_t size = sizeof(struct findings) + n * of_seed;
    char *text = NULL;
    size_t used = 0;
    FILE *answer = open_memstream(&text, &used);
    void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (answer == NULL || shared == MAP_FAILED) {
        return tool_no_memory(err);
    }
    struct findings *all = (struct findings *)shared;
    all->first = b->nth;
    all->n = n;
    note(b, status, &all->seeds[0]);
    harness_answer(b, status, answer);
    harness_end(b); // its threads would be missing in another process
    b->failing = NULL;
    status = fclose(answer) == 0 ? run_others(b, all, err) : tool_no_memory(err);
    if (status == WLK_OK) {
        print_answer(b, all, text, used, to);
    }
    free(text);
    (void)munmap(shared, size);
    return status;
}

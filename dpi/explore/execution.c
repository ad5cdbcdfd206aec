// SPDX-License-Identifier: Apache-2.0
// The execution side (muon-designs §11): pipelined units, one write a cycle, oldest ready first.
#include "explore.h"

#include <stdlib.h>

typedef bool before(const explore_result *a, const explore_result *b);

static bool by_due(const explore_result *a, const explore_result *b) {
    return a->due < b->due || (a->due == b->due && a->age < b->age);
}

static bool by_age(const explore_result *a, const explore_result *b) {
    return a->age < b->age;
}

static void push(explore_result *heap, uint32_t *n, const explore_result *added, before *first) {
    uint32_t at = (*n)++;
    for (; at > 0 && first(added, &heap[(at - 1u) / 2u]); at = (at - 1u) / 2u) {
        heap[at] = heap[(at - 1u) / 2u];
    }
    heap[at] = *added;
}

static void pop(explore_result *heap, uint32_t *n, before *first) {
    const explore_result moved = heap[--*n];
    uint32_t at = 0;
    for (uint32_t child = 1; child < *n; child = 2u * at + 1u) {
        child += child + 1u < *n && first(&heap[child + 1u], &heap[child]);
        if (!first(&heap[child], &moved)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

bool explore_execution_open(explore_execution *ex, uint64_t most_results) {
    const size_t room = (size_t)most_results + 1u; // 0 is not a size
    *ex = (explore_execution){.coming = calloc(room, sizeof *ex->coming),
                              .ready = calloc(room, sizeof *ex->ready)};
    return ex->coming != NULL && ex->ready != NULL;
}

void explore_execution_close(explore_execution *ex) {
    free(ex->coming);
    free(ex->ready);
}

void explore_execution_take(explore_execution *ex, const explore_result *result) {
    push(ex->coming, &ex->n_coming, result, by_due);
    ex->last_due = result->due > ex->last_due ? result->due : ex->last_due;
}

const explore_result *explore_execution_offer(explore_execution *ex, uint64_t cycle) {
    while (ex->n_coming != 0 && ex->coming[0].due <= cycle) {
        push(ex->ready, &ex->n_ready, &ex->coming[0], by_age);
        pop(ex->coming, &ex->n_coming, by_due);
    }
    return ex->n_ready != 0 ? &ex->ready[0] : NULL;
}

void explore_execution_done(explore_execution *ex) {
    pop(ex->ready, &ex->n_ready, by_age);
}

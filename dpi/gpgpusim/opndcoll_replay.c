// SPDX-License-Identifier: Apache-2.0
// Executes stimulus on a model of the operand collector, and keeps what write-back needs of an
// instruction while the model has it.
#include "opndcoll_replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "warplock/opndcoll_summary.h"

enum { DRAINED = 4096, CHUNK = 1024, FIRST_RESULTS = 1024 };

// An instruction or a result.
typedef struct record {
    struct record *next; // of those that are free, or of those that were taken
    int64_t key;         // of a result
    uint32_t uid, wid, sched, n;
    int32_t dst[WLK_OPNDCOLL_OPERANDS];
} record;

typedef struct chunk {
    struct chunk *before;
    record records[CHUNK];
} chunk;

// Instructions taken out of an OC_EX set, oldest first; beyond DRAINED the oldest is forgotten.
typedef struct drained {
    record *first, *last;
    uint32_t count;
} drained;

// Results by key: open addressing, a power of two slots, NULL where one is free.
typedef struct results {
    record **slots;
    size_t size, used;
} results;

struct replay {
    wlk_opndcoll_cfg cfg;
    wlk_opndcoll_shape shape;
    wlk_opndcoll *model;
    wlk_opndcoll_events events;
    wlk_opndcoll_events *reported; // `events`, or NULL
    wlk_opndcoll_request *queue;
    bool state;
    wlk_opndcoll_summary *summary; // NULL: not requested
    void (*watch)(void *user, const replay_fact *fact);
    void *watcher;
    text *to;
    uint64_t steps;
    uint32_t uid, result; // numbers of the last ones
    record *held;         // LD/ST tries it; NULL: none
    chunk *chunks;
    record *free;
    results written;
    drained taken[WLK_OPNDCOLL_KINDS];
};

/* ---- records ---- */

static bool grow_records(replay *r) {
    chunk *made = malloc(sizeof *made);
    if (made == NULL) {
        return false;
    }
    made->before = r->chunks;
    r->chunks = made;
    for (uint32_t i = 0; i < CHUNK; i++) {
        made->records[i].next = i + 1u < CHUNK ? &made->records[i + 1u] : NULL;
    }
    r->free = made->records;
    return true;
}

// Of the command's result or instruction; NULL: there is no memory.
static record *new_record(replay *r, const stim_command *c, uint32_t uid) {
    if (r->free == NULL && !grow_records(r)) {
        return NULL;
    }
    record *n = r->free;
    r->free = n->next;
    n->key = c->key;
    n->uid = uid;
    n->wid = c->wid;
    n->sched = c->sched;
    n->n = c->n_dst;
    memcpy(n->dst, c->dst, c->n_dst * sizeof n->dst[0]);
    return n;
}

static void free_record(replay *r, record *n) {
    n->next = r->free;
    r->free = n;
}

// NULL: there is none.
static record *pop_drained(replay *r, uint32_t kind) {
    drained *d = &r->taken[kind];
    record *n = d->first;
    if (n != NULL) {
        d->first = n->next;
        d->count--;
    }
    return n;
}

static void push_drained(replay *r, uint32_t kind, record *n) {
    drained *d = &r->taken[kind];
    if (d->count == DRAINED) {
        free_record(r, pop_drained(r, kind));
    }
    n->next = NULL;
    *(d->first == NULL ? &d->first : &d->last->next) = n;
    d->last = n;
    d->count++;
}

/* ---- results by key ---- */

// Where a result is, or NULL for it to be put.
static record **slot_of(const results *t, int64_t key) {
    size_t i = (size_t)((uint64_t)key * UINT64_C(0x9e3779b97f4a7c15) >> 20);
    while (t->slots[i & (t->size - 1u)] != NULL && t->slots[i & (t->size - 1u)]->key != key) {
        i++;
    }
    return &t->slots[i & (t->size - 1u)];
}

static bool resize_results(results *t, size_t size) {
    const results old = *t;
    record **slots = calloc(size, sizeof(record *));
    if (slots == NULL) {
        return false;
    }
    *t = (results){slots, size, old.used};
    for (size_t i = 0; i < old.size; i++) {
        if (old.slots[i] != NULL) {
            *slot_of(t, old.slots[i]->key) = old.slots[i];
        }
    }
    free(old.slots);
    return true;
}

static bool set_result(replay *r, record *n) {
    results *t = &r->written;
    if (2u * t->used >= t->size && !resize_results(t, 2u * t->size)) {
        return false;
    }
    record **slot = slot_of(t, n->key);
    if (*slot != NULL) {
        free_record(r, *slot);
    } else {
        t->used++;
    }
    *slot = n;
    return true;
}

/* ---- lines ---- */

static void print_events(replay *r) {
    wlk_oc_events(&r->to->out, &r->events);
    r->events.count = 0;
}

void replay_header(replay *r) {
    wlk_oc_header(&r->to->out, &r->cfg);
}

void replay_stats(replay *r) {
    wlk_opndcoll_counters counters;
    wlk_opndcoll_counted(r->model, &counters);
    text_line(r->to, "# stats reads %" PRIu64 " writes %" PRIu64 " nonrf %" PRIu64, counters.reads,
              counters.writes, counters.non_rf);
}

/* ---- commands ---- */

static void watched(const replay *r, replay_fact fact) {
    if (r->watch != NULL) {
        fact.model = r->model;
        r->watch(r->watcher, &fact);
    }
}

static wlk_status do_issue(replay *r, const stim_command *c, wlk_error *err) {
    record *n = new_record(r, c, r->uid + 1u);
    if (n == NULL) {
        return tool_no_memory(err);
    }
    const wlk_opndcoll_inst inst = {.user = (uintptr_t)n,
                                    .uid = n->uid,
                                    .wid = c->wid,
                                    .sched = c->sched,
                                    .lanes = UINT32_MAX,
                                    .n_src = c->n_src,
                                    .src = c->src};
    const int32_t slot = wlk_opndcoll_issue(r->model, c->kind, &inst);
    const char *kind = wlk_opndcoll_kind_name(c->kind);
    if (r->summary != NULL) {
        wlk_opndcoll_summary_issue(r->summary, c->kind, slot >= 0);
    }
    if (slot < 0) {
        free_record(r, n);
        text_line(r->to, "I %s -", kind);
    } else {
        text_line(r->to, "I %s %u %u", kind, ++r->uid, (uint32_t)slot);
        watched(r, (replay_fact){.what = REPLAY_ISSUED, .uid = r->uid, .command = c});
    }
    return WLK_OK;
}

// V42 in the sub-core model takes one slot; flat it only checks whether there is such a unit.
static wlk_status do_take(replay *r, const stim_command *c, wlk_error *err) {
    const bool by_slot = c->slot != NO_SLOT && r->cfg.revision == WLK_OPNDCOLL_V42;
    const uint32_t width = r->shape.ex_width[c->kind];
    wlk_opndcoll_held held;
    int32_t slot = WLK_OPNDCOLL_FULL;
    if (by_slot && r->shape.sub_core != 0) {
        if (c->slot >= width) {
            return wlk_fail(err, WLK_BAD_PARAMS,
                            "OC_EX of %s has no slot %" PRIu32 "; its width is %" PRIu32,
                            wlk_opndcoll_kind_name(c->kind), c->slot, width);
        }
        slot = wlk_opndcoll_take_slot(r->model, c->kind, c->slot, &held);
    } else if (!by_slot || c->slot < width) {
        slot = wlk_opndcoll_take(r->model, c->kind, &held);
    }
    const uint32_t uid = slot < 0 ? 0 : held.uid;
    watched(r, (replay_fact){.what = REPLAY_TAKE, .kind = c->kind, .uid = uid});
    if (slot < 0) {
        text_line(r->to, "E %s -", wlk_opndcoll_kind_name(c->kind));
        return WLK_OK;
    }
    text_line(r->to, "E %s %u", wlk_opndcoll_kind_name(c->kind), held.uid);
    if (r->summary != NULL) {
        wlk_opndcoll_summary_take(r->summary, c->kind);
    }
    push_drained(r, c->kind, (record *)(uintptr_t)held.user);
    return WLK_OK;
}

// One call of write-back: is all written?
static bool write_back(replay *r, record *result) {
    const int32_t answer = wlk_opndcoll_writeback(r->model, result->dst, result->n, result->wid,
                                                  result->sched, UINT32_MAX, r->reported);
    if (r->summary != NULL) {
        wlk_opndcoll_summary_writeback(r->summary, &r->events);
    }
    print_events(r);
    return answer == 1;
}

static wlk_status do_write(replay *r, const stim_command *c, wlk_error *err) {
    record *n = new_record(r, c, ++r->result);
    if (n == NULL || !set_result(r, n)) {
        return tool_no_memory(err);
    }
    const bool done = write_back(r, n);
    text_line(r->to, "W %" PRId64 " %u", c->key, done);
    watched(r, (replay_fact){.what = REPLAY_RESULT, .uid = n->uid, .command = c, .done = done});
    return WLK_OK;
}

static void do_retry(replay *r, const stim_command *c) {
    record *n = *slot_of(&r->written, c->key);
    if (n == NULL) {
        text_line(r->to, "R %" PRId64 " -", c->key);
        return;
    }
    const bool done = write_back(r, n);
    text_line(r->to, "R %" PRId64 " %u", c->key, done);
    watched(r, (replay_fact){.what = REPLAY_RETRIED, .uid = n->uid, .done = done});
}

static void do_drained(replay *r, uint32_t kind) {
    record *n = pop_drained(r, kind);
    if (n == NULL) {
        text_line(r->to, "V %s -", wlk_opndcoll_kind_name(kind));
        return;
    }
    const bool done = write_back(r, n);
    text_line(r->to, "V %s %u %u", wlk_opndcoll_kind_name(kind), n->uid, done);
    watched(r, (replay_fact){.what = REPLAY_DRAINED, .uid = n->uid, .done = done});
    free_record(r, n);
}

static void do_load(replay *r) {
    if (r->held != NULL) {
        const bool done = write_back(r, r->held);
        text_line(r->to, "L %u %u", r->held->uid, done);
        watched(r, (replay_fact){.what = REPLAY_LOADED, .uid = r->held->uid, .done = done});
        if (!done) {
            return;
        }
        free_record(r, r->held);
    }
    r->held = pop_drained(r, WLK_OPNDCOLL_MEM);
    if (r->held != NULL) {
        text_line(r->to, "L< %u", r->held->uid);
    }
}

static void do_steps(replay *r, uint64_t count) {
    for (uint64_t i = 0; i < count && !r->to->differs && !r->to->failed && tool_stop == 0; i++) {
        text_line(r->to, "S %" PRIu64, r->steps++);
        watched(r, (replay_fact){.what = REPLAY_STEP});
        wlk_opndcoll_step(r->model, r->reported);
        watched(r, (replay_fact){.what = REPLAY_STEPPED, .events = r->reported});
        if (r->summary != NULL) {
            wlk_opndcoll_summary_step(r->summary, &r->events);
        }
        print_events(r);
        if (r->state) {
            wlk_oc_state(&r->to->out, r->model, &r->cfg, r->queue);
        }
    }
}

static wlk_status set_first_kinds(replay *r, const stim_command *c, wlk_error *err) {
    bool legal = c->n_first == 0 || c->n_first == r->shape.ports;
    for (uint32_t port = 0; port < c->n_first && legal; port++) {
        legal = wlk_opndcoll_set_first_kind(r->model, port, c->first[port]);
    }
    return legal ? WLK_OK
                 : wlk_fail(err, WLK_BAD_PARAMS,
                            "Z: with -warplock_rotate_kinds 1, a set that the port tries for each "
                            "of the %" PRIu32 " ports",
                            r->shape.ports);
}

static wlk_status do_resume(replay *r, const stim_command *c, wlk_error *err) {
    return wlk_opndcoll_resume(r->model, c->pri, c->last, c->n_last)
               ? set_first_kinds(r, c, err)
               : wlk_fail(err, WLK_BAD_PARAMS,
                          "Z: pri is below %" PRIu32 ", the number of units, and each number below "
                          "that of the units of the dispatch unit's set",
                          r->shape.units);
}

wlk_status replay_command(replay *r, const stim_command *command, wlk_error *err) {
    switch (command->what) {
    case 'C':
        if (r->summary != NULL) {
            wlk_opndcoll_summary_cycle(r->summary);
        }
        text_line(r->to, "C %" PRIu64, command->count);
        watched(r, (replay_fact){.what = REPLAY_CYCLE});
        return WLK_OK;
    case 'Z':
        return do_resume(r, command, err);
    case 'I':
        return do_issue(r, command, err);
    case 'E':
        return do_take(r, command, err);
    case 'W':
        return do_write(r, command, err);
    case 'R':
        do_retry(r, command);
        return WLK_OK;
    case 'V':
        do_drained(r, command->kind);
        return WLK_OK;
    case 'L':
        do_load(r);
        return WLK_OK;
    default:
        do_steps(r, command->count);
        return WLK_OK;
    }
}

void replay_watch(replay *r, void (*watch)(void *user, const replay_fact *fact), void *user) {
    r->watch = watch;
    r->watcher = user;
}

wlk_status replay_count(replay *r, uint32_t windows, wlk_error *err) {
    const wlk_status status = wlk_opndcoll_summary_open(&r->summary, &r->cfg, r->model, err);
    return status == WLK_OK && windows != 0 ? wlk_opndcoll_summary_windows(r->summary, windows, err)
                                            : status;
}

void replay_summary(replay *r) {
    wlk_opndcoll_summary_print(r->summary, stdout);
}

uint64_t replay_steps(const replay *r) {
    return r->steps;
}

wlk_status replay_open(replay **out, const wlk_opndcoll_cfg *cfg, bool state, bool quick, text *to,
                       wlk_error *err) {
    replay *r = calloc(1, sizeof *r);
    *out = r;
    if (r == NULL) {
        return tool_no_memory(err);
    }
    r->cfg = *cfg;
    r->state = state;
    r->reported = quick ? NULL : &r->events;
    r->to = to;
    wlk_opndcoll_shape_of(cfg, &r->shape);
    r->events.room = wlk_opndcoll_max_events(cfg);
    r->events.at = calloc(r->events.room, sizeof *r->events.at);
    r->queue = calloc(r->shape.units * WLK_OPNDCOLL_OPERANDS, sizeof *r->queue);
    void *memory = malloc(wlk_opndcoll_state_size(cfg));
    const bool has_results = resize_results(&r->written, FIRST_RESULTS);
    if (memory == NULL || r->events.at == NULL || r->queue == NULL || !has_results) {
        free(memory);
        return tool_no_memory(err);
    }
    r->model = wlk_opndcoll_init(cfg, memory);
    return WLK_OK;
}

void replay_close(replay *r) {
    if (r == NULL) {
        return;
    }
    wlk_opndcoll_summary_close(r->summary);
    free(r->model);
    free(r->events.at);
    free(r->queue);
    free(r->written.slots);
    while (r->chunks != NULL) {
        chunk *last = r->chunks;
        r->chunks = last->before;
        free(last);
    }
    free(r);
}

// SPDX-License-Identifier: Apache-2.0
#include "opndcoll_replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "opndcoll_tally.h"
#include "tool.h"

enum { DRAINED = 4096, NO_RECORD = UINT32_MAX };

// An instruction or a result: what write-back needs of it.
typedef struct record {
    uint32_t uid, wid, sched, n;
    int32_t dst[WLK_OPNDCOLL_OPERANDS];
} record;

// A growing pool of records. `next` chains those that are free.
typedef struct pool {
    record *at;
    uint32_t *next;
    uint32_t size, free;
} pool;

// Instructions taken out of an OC_EX set, oldest first; beyond DRAINED the oldest is forgotten.
typedef struct drained {
    uint32_t records[DRAINED];
    uint32_t first, count;
} drained;

// Results by key: open addressing, a power of two slots.
typedef struct results {
    struct {
        int64_t key;
        uint32_t record; // NO_RECORD: the slot is free
    } * slots;
    size_t size, used;
} results;

struct replay {
    wlk_opndcoll_cfg cfg;
    wlk_opndcoll_shape shape;
    wlk_opndcoll *model;
    wlk_opndcoll_events events;
    wlk_opndcoll_request *queue;
    bool state;
    tally *tally; // NULL: not requested
    text *to;
    uint64_t cycles, steps;
    uint32_t uid;
    uint32_t held; // record that LD/ST tries, or NO_RECORD
    pool records;
    results written;
    drained taken[WLK_OPNDCOLL_KINDS];
};

// The order in which sets are printed.
static const uint32_t set_order[] = {
    WLK_OPNDCOLL_SP,         WLK_OPNDCOLL_DP,         WLK_OPNDCOLL_INT,
    WLK_OPNDCOLL_SFU,        WLK_OPNDCOLL_MEM,        WLK_OPNDCOLL_TENSOR,
    WLK_OPNDCOLL_SPEC1,      WLK_OPNDCOLL_SPEC1 + 1u, WLK_OPNDCOLL_SPEC1 + 2u,
    WLK_OPNDCOLL_SPEC1 + 3u, WLK_OPNDCOLL_SPEC1 + 4u, WLK_OPNDCOLL_SPEC1 + 5u,
    WLK_OPNDCOLL_SPEC1 + 6u, WLK_OPNDCOLL_SPEC1 + 7u};

/* ---- records ---- */

static wlk_status grow_pool(pool *p, wlk_error *err) {
    const uint32_t size = p->size != 0 ? 2u * p->size : 1024u;
    record *at = realloc(p->at, size * sizeof *at);
    p->at = at != NULL ? at : p->at;
    uint32_t *next = realloc(p->next, size * sizeof *next);
    p->next = next != NULL ? next : p->next;
    if (at == NULL || next == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "out of memory");
    }
    for (uint32_t i = p->size; i < size; i++) {
        next[i] = i + 1u < size ? i + 1u : (uint32_t)NO_RECORD;
    }
    p->free = p->size;
    p->size = size;
    return WLK_OK;
}

static wlk_status new_record(pool *p, const stim_command *c, uint32_t uid, uint32_t *n,
                             wlk_error *err) {
    if (p->free == NO_RECORD) {
        const wlk_status status = grow_pool(p, err);
        if (status != WLK_OK) {
            return status;
        }
    }
    *n = p->free;
    p->free = p->next[*n];
    record *r = &p->at[*n];
    r->uid = uid;
    r->wid = c->wid;
    r->sched = c->sched;
    r->n = c->n_dst;
    memcpy(r->dst, c->dst, c->n_dst * sizeof r->dst[0]);
    return WLK_OK;
}

static void free_record(pool *p, uint32_t n) {
    p->next[n] = p->free;
    p->free = n;
}

static uint32_t pop_drained(replay *r, uint32_t kind) {
    drained *d = &r->taken[kind];
    if (d->count == 0) {
        return NO_RECORD;
    }
    const uint32_t n = d->records[d->first];
    d->first = (d->first + 1u) % DRAINED;
    d->count--;
    return n;
}

static void push_drained(replay *r, uint32_t kind, uint32_t n) {
    drained *d = &r->taken[kind];
    if (d->count == DRAINED) {
        free_record(&r->records, pop_drained(r, kind));
    }
    d->records[(d->first + d->count++) % DRAINED] = n;
}

/* ---- results by key ---- */

static size_t slot_of(const results *t, int64_t key) {
    size_t i = (size_t)((uint64_t)key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (t->size - 1u);
    while (t->slots[i].record != NO_RECORD && t->slots[i].key != key) {
        i = (i + 1u) & (t->size - 1u);
    }
    return i;
}

static wlk_status grow_results(results *t, wlk_error *err) {
    const results old = *t;
    t->size = old.size != 0 ? 2u * old.size : 1024u;
    t->slots = malloc(t->size * sizeof *t->slots);
    if (t->slots == NULL) {
        *t = old;
        return wlk_fail(err, WLK_NO_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < t->size; i++) {
        t->slots[i].record = NO_RECORD;
    }
    for (size_t i = 0; i < old.size; i++) {
        if (old.slots[i].record != NO_RECORD) {
            t->slots[slot_of(t, old.slots[i].key)] = old.slots[i];
        }
    }
    free(old.slots);
    return WLK_OK;
}

static wlk_status set_result(replay *r, int64_t key, uint32_t n, wlk_error *err) {
    results *t = &r->written;
    if (2u * t->used >= t->size) {
        const wlk_status status = grow_results(t, err);
        if (status != WLK_OK) {
            return status;
        }
    }
    const size_t i = slot_of(t, key);
    if (t->slots[i].record != NO_RECORD) {
        free_record(&r->records, t->slots[i].record);
    } else {
        t->used++;
    }
    t->slots[i].key = key;
    t->slots[i].record = n;
    return WLK_OK;
}

static uint32_t get_result(const results *t, int64_t key) {
    return t->size != 0 ? t->slots[slot_of(t, key)].record : (uint32_t)NO_RECORD;
}

/* ---- lines ---- */

static void tell_event(text *to, const wlk_opndcoll_event *e) {
    switch (e->what) {
    case WLK_OPNDCOLL_DISPATCH:
        text_raw(to, "D ");
        text_number(to, e->at);
        text_number(to, e->unit);
        text_word(to, wlk_opndcoll_kind_name(e->kind));
        text_number(to, e->uid);
        text_number(to, e->slot);
        break;
    case WLK_OPNDCOLL_GRANT:
        text_raw(to, "G ");
        text_number(to, e->at);
        text_number(to, e->unit);
        text_number(to, e->slot);
        text_number(to, e->reg);
        text_number(to, e->wid);
        break;
    case WLK_OPNDCOLL_ALLOCATE:
        text_raw(to, "A ");
        text_number(to, e->at);
        text_word(to, wlk_opndcoll_kind_name(e->kind));
        text_number(to, e->unit);
        text_number(to, e->uid);
        break;
    default:
        text_raw(to, "w ");
        text_number(to, e->slot);
        text_number(to, e->reg);
        text_number(to, e->at);
        text_raw(to, e->what == WLK_OPNDCOLL_WRITE ? "+" : "-");
    }
    text_end(to);
}

static void tell_events(replay *r) {
    for (uint32_t i = 0; i < r->events.count; i++) {
        tell_event(r->to, &r->events.at[i]);
    }
    r->events.count = 0;
}

static void text_hex(text *to, uint32_t number) {
    char word[16];
    (void)snprintf(word, sizeof word, "%" PRIx32, number);
    text_raw(to, word);
}

static void tell_units(replay *r) {
    for (uint32_t i = 0; i < r->shape.units; i++) {
        wlk_opndcoll_held held;
        if (wlk_opndcoll_unit(r->model, i, &held)) {
            text_raw(r->to, "c ");
            text_number(r->to, i);
            text_number(r->to, held.uid);
            text_word(r->to, wlk_opndcoll_kind_name(held.kind));
            text_hex(r->to, held.pending);
            text_end(r->to);
        }
    }
}

static void tell_queues(replay *r) {
    const uint32_t room = r->shape.units * WLK_OPNDCOLL_OPERANDS;
    for (uint32_t bank = 0; bank < r->shape.banks; bank++) {
        const uint32_t n = wlk_opndcoll_queue(r->model, bank, r->queue, room);
        if (n == 0) {
            continue;
        }
        text_raw(r->to, "q ");
        text_number(r->to, bank);
        for (uint32_t i = 0; i < n; i++) {
            text_number(r->to, r->queue[i].unit);
            r->to->buffer[r->to->used - 1u] = ':';
            text_number(r->to, r->queue[i].slot);
        }
        text_end(r->to);
    }
}

static void tell_arbiters(replay *r) {
    text_raw(r->to, "u ");
    for (uint32_t du = 0; du < r->shape.dispatch_units; du++) {
        text_number(r->to, wlk_opndcoll_last(r->model, du));
    }
    text_end(r->to);
    text_raw(r->to, "p ");
    text_number(r->to, wlk_opndcoll_pri(r->model));
    text_end(r->to);
}

static void tell_set(replay *r, uint32_t kind, bool is_ex) {
    const uint32_t width = is_ex ? r->shape.ex_width[kind] : r->shape.id_width[kind];
    const uint64_t taken =
        is_ex ? wlk_opndcoll_ex_occupied(r->model, kind) : ~wlk_opndcoll_id_free(r->model, kind);
    if (width == 0 || (taken << (64u - width)) == 0) {
        return;
    }
    text_raw(r->to, is_ex ? "r EX_" : "r ID_");
    text_word(r->to, wlk_opndcoll_kind_name(kind));
    for (uint32_t slot = 0; slot < width; slot++) {
        wlk_opndcoll_held held;
        const bool there = is_ex ? wlk_opndcoll_ex_slot(r->model, kind, slot, &held)
                                 : wlk_opndcoll_id_slot(r->model, kind, slot, &held);
        text_number(r->to, there ? held.uid : 0u);
    }
    text_end(r->to);
}

static void tell_sets(replay *r) {
    for (uint32_t i = 0; i < r->shape.kinds; i++) {
        tell_set(r, set_order[i], false);
    }
    for (uint32_t i = 0; i < r->shape.kinds; i++) {
        tell_set(r, set_order[i], true);
    }
}

void replay_header(replay *r) {
    static const char *const variants[] = {"4.0", "4.2", "3.2"};
    const struct {
        const char *name;
        uint32_t value;
    } counts[] = {{"banks", r->shape.banks},        {"cus", r->shape.units},
                  {"dus", r->shape.dispatch_units}, {"ports", r->shape.ports},
                  {"sched", r->shape.schedulers},   {"sub", r->shape.sub_core}};
    text_raw(r->to, "# variant ");
    text_word(r->to, variants[r->cfg.revision]);
    for (uint32_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        text_word(r->to, counts[i].name);
        text_number(r->to, counts[i].value);
    }
    text_end(r->to);
    for (uint32_t i = 0; i < r->shape.kinds; i++) {
        const uint32_t kind = set_order[i];
        text_raw(r->to, "# set ");
        text_word(r->to, wlk_opndcoll_kind_name(kind));
        text_raw(r->to, "id ");
        text_number(r->to, r->shape.id_width[kind]);
        text_raw(r->to, "ex ");
        text_number(r->to, r->shape.ex_width[kind]);
        text_end(r->to);
    }
}

void replay_stats(replay *r) {
    wlk_opndcoll_counters counters;
    wlk_opndcoll_counted(r->model, &counters);
    text_raw(r->to, "# stats reads ");
    text_number(r->to, counters.reads);
    text_raw(r->to, "writes ");
    text_number(r->to, counters.writes);
    text_raw(r->to, "nonrf ");
    text_number(r->to, counters.non_rf);
    text_end(r->to);
}

// "E SET ", "E SET 5 ": the head of an answer, its number or -.
static void tell_answer(text *to, const char *what, uint32_t kind, bool there, uint64_t number) {
    text_word(to, what);
    text_word(to, wlk_opndcoll_kind_name(kind));
    if (there) {
        text_number(to, number);
    } else {
        text_raw(to, "-");
    }
}

/* ---- commands ---- */

static wlk_status do_issue(replay *r, const stim_command *c, wlk_error *err) {
    uint32_t n;
    const wlk_status status = new_record(&r->records, c, r->uid + 1u, &n, err);
    if (status != WLK_OK) {
        return status;
    }
    const wlk_opndcoll_inst inst = {.user = n,
                                    .uid = r->uid + 1u,
                                    .wid = c->wid,
                                    .sched = c->sched,
                                    .lanes = UINT32_MAX,
                                    .n_src = c->n_src,
                                    .src = c->src};
    const int32_t slot = wlk_opndcoll_issue(r->model, c->kind, &inst);
    if (r->tally != NULL) {
        tally_issue(r->tally, c->kind, slot >= 0);
    }
    if (slot < 0) {
        free_record(&r->records, n);
    } else {
        r->uid++;
    }
    tell_answer(r->to, "I", c->kind, slot >= 0, r->uid);
    if (slot >= 0) {
        text_number(r->to, (uint32_t)slot);
    }
    text_end(r->to);
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
    tell_answer(r->to, "E", c->kind, slot >= 0, slot >= 0 ? held.uid : 0u);
    text_end(r->to);
    if (slot >= 0) {
        if (r->tally != NULL) {
            tally_take(r->tally, c->kind);
        }
        push_drained(r, c->kind, (uint32_t)held.user);
    }
    return WLK_OK;
}

// One call of write-back; its answer.
static uint32_t write_back(replay *r, uint32_t n) {
    record *result = &r->records.at[n];
    const int32_t answer = wlk_opndcoll_writeback(r->model, result->dst, result->n, result->wid,
                                                  result->sched, UINT32_MAX, &r->events);
    if (r->tally != NULL) {
        tally_writeback(r->tally, &r->events);
    }
    tell_events(r);
    return answer == 1 ? 1u : 0u;
}

static wlk_status do_write(replay *r, const stim_command *c, wlk_error *err) {
    uint32_t n = get_result(&r->written, c->key);
    if (c->what == 'W') {
        wlk_status status = new_record(&r->records, c, 0, &n, err);
        status = status == WLK_OK ? set_result(r, c->key, n, err) : status;
        if (status != WLK_OK) {
            return status;
        }
    }
    char head[32];
    (void)snprintf(head, sizeof head, "%c %" PRId64, c->what, c->key);
    const bool known = n != NO_RECORD;
    const uint32_t answer = known ? write_back(r, n) : 0u;
    text_word(r->to, head);
    text_raw(r->to, !known ? "-" : answer != 0 ? "1" : "0");
    text_end(r->to);
    return WLK_OK;
}

static void do_drained(replay *r, uint32_t kind) {
    const uint32_t n = pop_drained(r, kind);
    if (n == NO_RECORD) {
        tell_answer(r->to, "V", kind, false, 0);
        text_end(r->to);
        return;
    }
    const uint32_t answer = write_back(r, n);
    tell_answer(r->to, "V", kind, true, r->records.at[n].uid);
    text_number(r->to, answer);
    text_end(r->to);
    free_record(&r->records, n);
}

static void do_load(replay *r) {
    if (r->held != NO_RECORD) {
        const uint32_t answer = write_back(r, r->held);
        text_raw(r->to, "L ");
        text_number(r->to, r->records.at[r->held].uid);
        text_number(r->to, answer);
        text_end(r->to);
        if (answer == 0) {
            return;
        }
        free_record(&r->records, r->held);
    }
    r->held = pop_drained(r, WLK_OPNDCOLL_MEM);
    if (r->held != NO_RECORD) {
        text_raw(r->to, "L< ");
        text_number(r->to, r->records.at[r->held].uid);
        text_end(r->to);
    }
}

static void do_steps(replay *r, uint64_t count) {
    for (uint64_t i = 0; i < count && !r->to->differs && !r->to->failed && tool_stop == 0; i++) {
        text_raw(r->to, "S ");
        text_number(r->to, r->steps++);
        text_end(r->to);
        wlk_opndcoll_step(r->model, &r->events);
        if (r->tally != NULL) {
            tally_step(r->tally, &r->events);
        }
        tell_events(r);
        if (r->state) {
            tell_units(r);
            tell_queues(r);
            tell_arbiters(r);
            tell_sets(r);
        }
    }
}

wlk_status replay_command(replay *r, const stim_command *command, wlk_error *err) {
    switch (command->what) {
    case 'C':
        if (r->tally != NULL) {
            tally_cycle(r->tally);
        }
        text_raw(r->to, "C ");
        text_number(r->to, r->cycles++);
        text_end(r->to);
        return WLK_OK;
    case 'I':
        return do_issue(r, command, err);
    case 'E':
        return do_take(r, command, err);
    case 'W':
    case 'R':
        return do_write(r, command, err);
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

wlk_status replay_count(replay *r, wlk_error *err) {
    return tally_open(&r->tally, &r->cfg, r->model, err);
}

void replay_summary(replay *r) {
    tally_print(r->tally);
}

uint64_t replay_steps(const replay *r) {
    return r->steps;
}

wlk_status replay_open(replay **out, const wlk_opndcoll_cfg *cfg, bool state, text *to,
                       wlk_error *err) {
    replay *r = calloc(1, sizeof *r);
    *out = r;
    if (r == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "out of memory");
    }
    r->cfg = *cfg;
    r->state = state;
    r->to = to;
    r->held = NO_RECORD;
    r->records.free = NO_RECORD;
    wlk_opndcoll_shape_of(cfg, &r->shape);
    r->events.room = wlk_opndcoll_max_events(cfg);
    r->events.at = calloc(r->events.room, sizeof *r->events.at);
    r->queue = calloc(r->shape.units * WLK_OPNDCOLL_OPERANDS, sizeof *r->queue);
    void *memory = malloc(wlk_opndcoll_state_size(cfg));
    if (memory == NULL || r->events.at == NULL || r->queue == NULL) {
        free(memory);
        return wlk_fail(err, WLK_NO_MEMORY, "out of memory");
    }
    r->model = wlk_opndcoll_init(cfg, memory);
    return WLK_OK;
}

void replay_close(replay *r) {
    if (r == NULL) {
        return;
    }
    tally_close(r->tally);
    free(r->model);
    free(r->events.at);
    free(r->queue);
    free(r->records.at);
    free(r->records.next);
    free(r->written.slots);
    free(r);
}

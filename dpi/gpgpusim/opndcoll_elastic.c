// SPDX-License-Identifier: Apache-2.0
// Plays a trace on another configuration. A core cycle: instructions go into ID_OC, results are
// written, pipes take, LD/ST writes, steps are made, and in revisions with the steps in front of it
// MEM takes.
#include "opndcoll_elastic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

enum {
    WARPS = UINT16_MAX + 1,
    IDLE_CYCLES = 10000, // without any event, behind the recording: nothing will come
    STOP_EVERY = 4096,   // core cycles
};

// A write-back that is due: an instruction's, or a result's.
typedef struct due {
    uint64_t cycle;
    uint32_t order;
    uint32_t index; // of the instruction or the result
    bool is_result;
} due;

// The earliest first: a heap.
typedef struct due_heap {
    due *at;
    size_t used, room;
} due_heap;

// Registers that are being written.
typedef struct writer {
    uint32_t n, wid, sched;
    uint32_t tries; // left; TRACE_NEVER: until it is through
    int32_t dst[WLK_OPNDCOLL_OPERANDS];
} writer;

// Instructions of a warp in front of ID_OC, oldest first; linked by `next`.
typedef struct warp_queue {
    uint32_t first, last;
} warp_queue;

struct elastic {
    const trace *t;
    wlk_opndcoll_cfg cfg;
    wlk_opndcoll_shape shape;
    wlk_opndcoll *model;
    wlk_opndcoll_summary *summary;
    wlk_opndcoll_events events;
    bool by_slot, from_by_slot; // V42, sub-core: a pipe takes slot by slot
    bool mem_late;
    uint32_t steps_a_cycle;

    uint32_t *waited;  // by instruction: steps from arrival to OC_EX; TRACE_NEVER
    uint32_t *next;    // by instruction: the next of its warp in front of ID_OC
    warp_queue *warps; // in front of ID_OC
    uint32_t *heads;   // warps with an instruction there, the oldest first
    size_t n_heads;

    due_heap writes, loads;
    writer *retries; // results that go on until they are through
    size_t n_retries, room_retries;
    writer held; // LD/ST tries it
    bool holds;

    size_t arrived, resulted, busy; // next of the trace
    size_t issued;
    uint64_t cycle, idle, last_take, steps, taken, delayed;
    bool no_memory;
};

/* ---- what is due ---- */

static bool is_before(const due *a, const due *b) {
    return a->cycle != b->cycle ? a->cycle < b->cycle : a->order < b->order;
}

static void swap(due *a, due *b) {
    const due kept = *a;
    *a = *b;
    *b = kept;
}

static void push_due(elastic *e, due_heap *h, due d) {
    if (h->used == h->room) {
        const size_t room = 2u * h->room + 64u;
        due *grown = realloc(h->at, room * sizeof *grown);
        if (grown == NULL) {
            e->no_memory = true;
            return;
        }
        h->at = grown;
        h->room = room;
    }
    size_t i = h->used++;
    for (h->at[i] = d; i != 0 && is_before(&h->at[i], &h->at[(i - 1u) / 2u]); i = (i - 1u) / 2u) {
        swap(&h->at[i], &h->at[(i - 1u) / 2u]);
    }
}

// The first one, when it is due.
static bool pop_due(const elastic *e, due_heap *h, due *out) {
    if (h->used == 0 || h->at[0].cycle > e->cycle) {
        return false;
    }
    *out = h->at[0];
    h->at[0] = h->at[--h->used];
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t child = 2u * i + 1u; child <= 2u * i + 2u && child < h->used; child++) {
            least = is_before(&h->at[child], &h->at[least]) ? child : least;
        }
        if (least == i) {
            return true;
        }
        swap(&h->at[i], &h->at[least]);
        i = least;
    }
}

/* ---- issue ---- */

// Where the scheduler is not one of this configuration's, the warp decides (§4).
static uint32_t sched_of(const elastic *e, uint32_t sched, uint32_t wid) {
    return e->shape.schedulers == e->t->schedulers && sched < e->shape.schedulers
               ? sched
               : wid % e->shape.schedulers;
}

// The oldest stand first; one that was put at place i goes to its own.
static void sort_head(elastic *e, size_t i) {
    const uint32_t warp = e->heads[i];
    const uint32_t age = e->warps[warp].first;
    for (; i != 0 && e->warps[e->heads[i - 1u]].first > age; i--) {
        e->heads[i] = e->heads[i - 1u];
    }
    for (; i + 1u < e->n_heads && e->warps[e->heads[i + 1u]].first < age; i++) {
        e->heads[i] = e->heads[i + 1u];
    }
    e->heads[i] = warp;
}

static void arrive(elastic *e) {
    for (; e->arrived < e->t->n_insts && e->t->insts[e->arrived].from <= e->cycle; e->arrived++) {
        const uint32_t n = (uint32_t)e->arrived, warp = e->t->insts[n].wid;
        warp_queue *w = &e->warps[warp];
        e->next[n] = TRACE_NEVER;
        e->waited[n] = (uint32_t)e->steps; // until it is dispatched
        if (w->first == TRACE_NEVER) {
            w->first = n;
            e->heads[e->n_heads++] = warp; // the youngest
        } else {
            e->next[w->last] = n;
        }
        w->last = n;
    }
}

static bool issue_one(elastic *e, uint32_t number) {
    const trace_inst *n = &e->t->insts[number];
    const uint32_t room = e->shape.operands;
    const wlk_opndcoll_inst inst = {.user = number,
                                    .uid = number + 1u,
                                    .wid = n->wid,
                                    .sched = sched_of(e, n->sched, n->wid),
                                    .lanes = UINT32_MAX,
                                    .n_src = n->n_src < room ? n->n_src : room,
                                    .src = e->t->pool + n->regs};
    const bool accepted = wlk_opndcoll_issue(e->model, n->kind, &inst) >= 0;
    if (accepted) {
        wlk_opndcoll_summary_issue(e->summary, n->kind, true);
    }
    return accepted;
}

// Each warp's oldest one tries, by age; a scheduler issues no more than it ever does.
static void issue(elastic *e) {
    uint32_t issued[WLK_OPNDCOLL_MAX_WIDTH] = {0};
    arrive(e);
    for (size_t i = 0; i < e->n_heads;) {
        warp_queue *w = &e->warps[e->heads[i]];
        const trace_inst *n = &e->t->insts[w->first];
        const uint32_t sched = sched_of(e, n->sched, n->wid);
        if (issued[sched] == e->t->most_issues || !issue_one(e, w->first)) {
            i++;
            continue;
        }
        issued[sched]++;
        e->issued++;
        e->idle = 0;
        w->first = e->next[w->first];
        if (w->first == TRACE_NEVER) {
            e->n_heads--;
            memmove(&e->heads[i], &e->heads[i + 1u], (e->n_heads - i) * sizeof e->heads[0]);
        } else {
            sort_head(e, i);
        }
    }
    e->delayed += e->arrived - e->issued;
}

/* ---- write-back ---- */

static void fill_writer(const elastic *e, writer *w, const int32_t *dst, uint32_t n, uint32_t wid,
                        uint32_t sched) {
    w->n = n < e->shape.operands ? n : e->shape.operands;
    w->wid = wid;
    w->sched = sched_of(e, sched, wid);
    memcpy(w->dst, dst, w->n * sizeof w->dst[0]);
}

static void writer_of(const elastic *e, const due *d, writer *w) {
    if (d->is_result) {
        const trace_result *r = &e->t->results[d->index];
        fill_writer(e, w, e->t->pool + r->regs, r->n, r->wid, r->sched);
        w->tries = r->write.tries;
    } else {
        const trace_inst *n = &e->t->insts[d->index];
        fill_writer(e, w, e->t->pool + n->regs + n->n_src, n->n_dst, n->wid, n->sched);
        w->tries = n->write.tries;
    }
}

// Is it through, or given up?
static bool write_back(elastic *e, writer *w) {
    e->events.count = 0;
    const bool done = wlk_opndcoll_writeback(e->model, w->dst, w->n, w->wid, w->sched, UINT32_MAX,
                                             &e->events) == 1;
    wlk_opndcoll_summary_writeback(e->summary, &e->events);
    w->tries -= w->tries != TRACE_NEVER;
    return done || w->tries == 0;
}

static void keep_retry(elastic *e, const writer *w) {
    if (e->n_retries == e->room_retries) {
        const size_t room = 2u * e->room_retries + 16u;
        writer *grown = realloc(e->retries, room * sizeof *grown);
        if (grown == NULL) {
            e->no_memory = true;
            return;
        }
        e->retries = grown;
        e->room_retries = room;
    }
    e->retries[e->n_retries++] = *w;
}

static void retry_results(elastic *e, size_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < e->n_retries; i++) {
        if (i >= n || !write_back(e, &e->retries[i])) {
            e->retries[kept++] = e->retries[i];
        }
    }
    e->n_retries = kept;
}

// In the recorded order; then what was refused before, the oldest first.
static void write_results(elastic *e) {
    const size_t before = e->n_retries;
    const trace_result *r = e->t->results;
    for (; e->resulted < e->t->n_results && r[e->resulted].from <= e->cycle; e->resulted++) {
        const due d = {e->cycle, r[e->resulted].write.order, (uint32_t)e->resulted, true};
        push_due(e, &e->writes, d);
    }
    writer w;
    for (due d; pop_due(e, &e->writes, &d);) {
        writer_of(e, &d, &w);
        if (!write_back(e, &w)) {
            keep_retry(e, &w);
        }
    }
    retry_results(e, before);
}

// LD/ST holds one at a time, and tries once a core cycle.
static void write_load(elastic *e) {
    due d;
    if (!e->holds && pop_due(e, &e->loads, &d)) {
        writer_of(e, &d, &e->held);
        e->holds = true;
    }
    if (e->holds && write_back(e, &e->held)) {
        e->holds = false;
    }
}

/* ---- pipes ---- */

static void took(elastic *e, uint32_t kind, const wlk_opndcoll_held *held) {
    const trace_inst *n = &e->t->insts[held->user];
    wlk_opndcoll_summary_take(e->summary, kind);
    e->taken++;
    e->last_take = e->cycle;
    e->idle = 0;
    if (n->delay != TRACE_NEVER) {
        const due d = {e->cycle + n->delay, n->write.order, (uint32_t)held->user, false};
        push_due(e, n->by_load ? &e->loads : &e->writes, d);
    }
}

// What the pipe left in this core cycle as recorded; NULL: nothing. The list has them in the order
// of cycles, and of one in a core cycle any order of pipes.
static const trace_busy *busy_of(const elastic *e, uint32_t kind) {
    const trace_busy *b = e->t->busy;
    for (size_t i = e->busy; i < e->t->n_busy && b[i].cycle == e->cycle; i++) {
        if (b[i].kind == kind) {
            return &b[i];
        }
    }
    return NULL;
}

static void take_by_slot(elastic *e, uint32_t kind, const trace_busy *busy) {
    uint32_t most = busy != NULL && !e->from_by_slot ? busy->taken : UINT32_MAX;
    const uint64_t left = busy != NULL && e->from_by_slot ? busy->left : 0u;
    for (uint32_t slot = 0; slot < e->shape.ex_width[kind] && most != 0; slot++) {
        wlk_opndcoll_held held;
        if ((left >> slot & 1u) == 0 && wlk_opndcoll_take_slot(e->model, kind, slot, &held) >= 0) {
            took(e, kind, &held);
            most--;
        }
    }
}

static void take(elastic *e, uint32_t kind) {
    const trace_busy *busy = busy_of(e, kind);
    if (e->by_slot && kind != WLK_OPNDCOLL_MEM) {
        take_by_slot(e, kind, busy);
        return;
    }
    wlk_opndcoll_held held;
    uint32_t most = busy != NULL ? busy->taken : e->t->units[kind] != 0 ? e->t->units[kind] : 1u;
    for (; most != 0 && wlk_opndcoll_take(e->model, kind, &held) >= 0; most--) {
        took(e, kind, &held);
    }
}

static void take_all(elastic *e) {
    while (e->busy < e->t->n_busy && e->t->busy[e->busy].cycle < e->cycle) {
        e->busy++;
    }
    for (uint32_t kind = 0; kind < e->shape.kinds; kind++) {
        if (kind != WLK_OPNDCOLL_MEM || !e->mem_late) {
            take(e, kind);
        }
    }
}

/* ---- a core cycle ---- */

static void make_steps(elastic *e) {
    for (uint32_t n = 0; n < e->steps_a_cycle; n++) {
        e->events.count = 0;
        wlk_opndcoll_step(e->model, &e->events);
        wlk_opndcoll_summary_step(e->summary, &e->events);
        e->steps++;
        for (uint32_t i = 0; i < e->events.count; i++) {
            const wlk_opndcoll_event *v = &e->events.at[i];
            if (v->what == WLK_OPNDCOLL_DISPATCH) {
                e->waited[v->user] = (uint32_t)e->steps - e->waited[v->user];
            }
        }
        e->idle = e->events.count != 0 ? 0 : e->idle;
    }
}

static void make_cycle(elastic *e) {
    wlk_opndcoll_summary_cycle(e->summary);
    issue(e);
    write_results(e);
    take_all(e);
    write_load(e);
    make_steps(e);
    if (e->mem_late) {
        take(e, WLK_OPNDCOLL_MEM);
    }
    e->cycle++;
    e->idle++;
}

static bool has_more(const elastic *e) {
    return e->taken < e->t->n_insts && (e->cycle < e->t->cycles || e->idle < IDLE_CYCLES);
}

wlk_status elastic_run(elastic *e, wlk_error *err) {
    while (has_more(e)) {
        make_cycle(e);
        if (e->no_memory) {
            return tool_no_memory(err);
        }
        if (e->cycle % STOP_EVERY == 0) {
            if (tool_stop != 0) {
                return wlk_fail(err, WLK_INTERRUPTED, "interrupted");
            }
            tool_progress(e->taken, e->t->n_insts);
        }
    }
    return WLK_OK;
}

/* ---- results ---- */

static int by_size(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Sorts the numbers.
static void measure(uint32_t *waited, size_t n, elastic_wait *wait) {
    memset(wait, 0, sizeof *wait);
    qsort(waited, n, sizeof *waited, by_size);
    for (size_t i = 0; i < n; i++) {
        wait->total += waited[i];
    }
    wait->instructions = n;
    wait->p95 = n != 0 ? waited[(n * 95u + 99u) / 100u - 1u] : 0u;
    wait->most = n != 0 ? waited[n - 1u] : 0u;
}

wlk_status elastic_recorded(const trace *t, elastic_wait *wait, wlk_error *err) {
    size_t n = 0;
    uint32_t *waited = malloc(t->n_insts * sizeof *waited);
    if (waited == NULL) {
        return tool_no_memory(err);
    }
    for (size_t i = 0; i < t->n_insts; i++) {
        if (t->insts[i].steps != TRACE_NEVER) {
            waited[n++] = t->insts[i].steps;
        }
    }
    measure(waited, n, wait);
    free(waited);
    return WLK_OK;
}

// Marks the instructions that did not get to OC_EX.
static void mark_left(elastic *e) {
    for (size_t i = e->arrived; i < e->t->n_insts; i++) {
        e->waited[i] = TRACE_NEVER;
    }
    for (size_t i = 0; i < e->n_heads; i++) {
        for (uint32_t n = e->warps[e->heads[i]].first; n != TRACE_NEVER; n = e->next[n]) {
            e->waited[n] = TRACE_NEVER;
        }
    }
    wlk_opndcoll_held held;
    for (uint32_t unit = 0; unit < e->shape.units; unit++) {
        if (wlk_opndcoll_unit(e->model, unit, &held)) {
            e->waited[held.user] = TRACE_NEVER;
        }
    }
    for (uint32_t kind = 0; kind < e->shape.kinds; kind++) {
        for (uint32_t slot = 0; slot < e->shape.id_width[kind]; slot++) {
            if (wlk_opndcoll_id_slot(e->model, kind, slot, &held)) {
                e->waited[held.user] = TRACE_NEVER;
            }
        }
    }
}

void elastic_result_of(elastic *e, elastic_result *r) {
    size_t n = 0;
    memset(r, 0, sizeof *r);
    r->steps_a_cycle = e->steps_a_cycle;
    r->cycles = e->taken != 0 ? e->last_take + 1u : 0u;
    r->left = e->t->n_insts - e->taken;
    r->delayed = e->delayed;
    mark_left(e);
    for (size_t i = 0; i < e->t->n_insts; i++) {
        r->same += e->waited[i] == e->t->insts[i].steps && e->waited[i] != TRACE_NEVER;
        if (e->waited[i] != TRACE_NEVER) {
            e->waited[n++] = e->waited[i];
        }
    }
    measure(e->waited, n, &r->wait);
}

wlk_opndcoll_summary *elastic_summary(elastic *e) {
    return e->summary;
}

/* ---- opening ---- */

static wlk_status no_place(const trace_inst *n, const char *what, wlk_error *err) {
    return wlk_fail(err, WLK_BAD_PARAMS,
                    "no %s for recorded %s instructions; see -gpgpu_pipeline_widths, "
                    "-specialized_unit_N and the options of input ports",
                    what, wlk_opndcoll_kind_name(n->kind));
}

// Is there a slot in ID_OC, a port and a slot in OC_EX for each instruction?
static wlk_status check_places(const elastic *e, wlk_error *err) {
    uint32_t listed = 0;
    for (uint32_t port = 0; port < e->shape.ports; port++) {
        listed |= wlk_opndcoll_port_kinds(e->model, port);
    }
    for (size_t i = 0; i < e->t->n_insts; i++) {
        const trace_inst *n = &e->t->insts[i];
        const uint32_t need = e->shape.sub_core != 0 ? sched_of(e, n->sched, n->wid) + 1u : 1u;
        if (n->kind >= e->shape.kinds || e->shape.id_width[n->kind] < need) {
            return no_place(n, "slot of ID_OC", err);
        }
        if (e->shape.ex_width[n->kind] == 0) {
            return no_place(n, "slot of OC_EX", err);
        }
        if ((listed >> n->kind & 1u) == 0) {
            return no_place(n, "input port", err);
        }
    }
    return WLK_OK;
}

static bool is_by_slot(const wlk_opndcoll_cfg *cfg) {
    return cfg->revision == WLK_OPNDCOLL_V42 && cfg->sub_core_model != 0;
}

static void configure(elastic *e, const wlk_opndcoll_cfg *from, const wlk_opndcoll_cfg *cfg) {
    wlk_opndcoll_shape before;
    wlk_opndcoll_shape_of(from, &before);
    wlk_opndcoll_shape_of(cfg, &e->shape);
    e->cfg = *cfg;
    e->by_slot = is_by_slot(cfg);
    e->from_by_slot = is_by_slot(from);
    e->mem_late =
        cfg->revision == from->revision ? e->t->mem_late : cfg->revision != WLK_OPNDCOLL_V42;
    const uint32_t steps = e->t->most_steps * e->shape.steps_per_cycle / before.steps_per_cycle;
    e->steps_a_cycle = steps != 0 ? steps : 1u;
}

static bool allocate(elastic *e) {
    void *memory = malloc(wlk_opndcoll_state_size(&e->cfg));
    e->events.room = wlk_opndcoll_max_events(&e->cfg);
    e->events.at = calloc(e->events.room, sizeof *e->events.at);
    e->waited = malloc(e->t->n_insts * sizeof *e->waited);
    e->next = malloc(e->t->n_insts * sizeof *e->next);
    e->warps = malloc(WARPS * sizeof *e->warps);
    e->heads = malloc(WARPS * sizeof *e->heads);
    if (memory == NULL || e->events.at == NULL || e->waited == NULL || e->next == NULL ||
        e->warps == NULL || e->heads == NULL) {
        free(memory);
        return false;
    }
    for (uint32_t i = 0; i < WARPS; i++) {
        e->warps[i] = (warp_queue){TRACE_NEVER, TRACE_NEVER};
    }
    e->model = wlk_opndcoll_init(&e->cfg, memory);
    return true;
}

wlk_status elastic_open(elastic **out, const trace *t, const wlk_opndcoll_cfg *from,
                        const wlk_opndcoll_cfg *cfg, wlk_error *err) {
    elastic *e = calloc(1, sizeof *e);
    *out = e;
    if (e == NULL) {
        return tool_no_memory(err);
    }
    e->t = t;
    configure(e, from, cfg);
    if (!allocate(e)) {
        return tool_no_memory(err);
    }
    const wlk_status status = check_places(e, err);
    return status != WLK_OK ? status : wlk_opndcoll_summary_open(&e->summary, cfg, e->model, err);
}

void elastic_close(elastic *e) {
    if (e != NULL) {
        wlk_opndcoll_summary_close(e->summary);
        free(e->model);
        free(e->events.at);
        free(e->waited);
        free(e->next);
        free(e->warps);
        free(e->heads);
        free(e->writes.at);
        free(e->loads.at);
        free(e->retries);
        free(e);
    }
}

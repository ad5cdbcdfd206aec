// SPDX-License-Identifier: Apache-2.0
// Collects what a recording asked of the operand collector.
#include "opndcoll_trace.h"

#include <stdlib.h>
#include <string.h>

#include "tool.h"

enum { FOLDED = 64, LATE = WLK_OPNDCOLL_KINDS }; // LATE: MEM behind the steps, until it is settled

typedef struct room {
    size_t insts, results, busy, pool; // elements
} room;

struct trace_maker {
    trace t;
    wlk_opndcoll_shape shape;
    room room;
    int32_t *pool;
    size_t n_pool;
    bool begun, stepped, no_memory; // stepped: in this core cycle
    uint32_t cycle, writes;
    uint32_t steps;                                               // in this core cycle
    uint32_t asked[WLK_OPNDCOLL_KINDS], took[WLK_OPNDCOLL_KINDS]; // E of this core cycle
    uint32_t issued[FOLDED];        // by scheduler, in this core cycle
    uint64_t mem_early, mem_behind; // E of MEM
};

// Room for one more; false: there is none.
static bool grow(trace_maker *m, void *array, size_t *has, size_t used, size_t more, size_t size) {
    if (used + more > *has) {
        const size_t wanted = 2u * *has + more + 1024u;
        void *old;
        memcpy(&old, array, sizeof old); // of any type
        void *grown = realloc(old, wanted * size);
        if (grown == NULL) {
            m->no_memory = true;
            return false;
        }
        memcpy(array, &grown, sizeof grown);
        *has = wanted;
    }
    return true;
}

// Copies registers into the pool; where they begin.
static size_t keep_registers(trace_maker *m, const int32_t *regs, uint32_t n) {
    const size_t at = m->n_pool;
    if (grow(m, &m->pool, &m->room.pool, m->n_pool, n, sizeof *m->pool)) {
        memcpy(m->pool + at, regs, n * sizeof *regs);
        m->n_pool += n;
    }
    return at;
}

// The core cycle of the next step.
static uint32_t next_cycle(const trace_maker *m) {
    return m->cycle + (m->stepped ? 1u : 0u);
}

static trace_inst *inst_of(trace_maker *m, uint32_t uid) {
    return uid - 1u < m->t.n_insts ? &m->t.insts[uid - 1u] : NULL;
}

/* ---- commands ---- */

static void on_issue(trace_maker *m, const stim_command *c) {
    if (!grow(m, &m->t.insts, &m->room.insts, m->t.n_insts, 1, sizeof *m->t.insts)) {
        return;
    }
    trace_inst *n = &m->t.insts[m->t.n_insts++];
    *n = (trace_inst){.from = next_cycle(m),
                      .at = m->t.steps,
                      .steps = TRACE_NEVER,
                      .taken = TRACE_NEVER,
                      .delay = TRACE_NEVER,
                      .kind = (uint8_t)c->kind,
                      .n_src = (uint8_t)c->n_src,
                      .n_dst = (uint8_t)c->n_dst,
                      .wid = (uint16_t)c->wid,
                      .sched = (uint16_t)c->sched};
    n->regs = keep_registers(m, c->src, c->n_src);
    (void)keep_registers(m, c->dst, c->n_dst);
    const uint32_t issues = ++m->issued[c->sched % FOLDED];
    m->t.most_issues = issues > m->t.most_issues ? issues : m->t.most_issues;
}

static void on_take(trace_maker *m, const replay_fact *f) {
    trace_inst *n = inst_of(m, f->uid);
    if (n != NULL) {
        n->taken = m->cycle;
        m->took[f->kind]++;
    }
    const uint32_t asked = ++m->asked[f->kind];
    m->t.units[f->kind] = asked > m->t.units[f->kind] ? asked : m->t.units[f->kind];
    if (f->kind == WLK_OPNDCOLL_MEM) {
        m->mem_early += !m->stepped;
        m->mem_behind += m->stepped;
    }
}

static void on_written(trace_maker *m, const replay_fact *f) {
    trace_inst *n = inst_of(m, f->uid);
    if (n != NULL && n->delay == TRACE_NEVER) {
        const uint32_t behind = next_cycle(m) - n->taken;
        n->delay = behind != 0 ? behind : 1u;
        n->by_load = f->what == REPLAY_LOADED;
        n->write = (trace_write){m->writes++, n->by_load ? TRACE_NEVER : 1u};
    }
}

static void on_result(trace_maker *m, const replay_fact *f) {
    const stim_command *c = f->command;
    if (grow(m, &m->t.results, &m->room.results, m->t.n_results, 1, sizeof *m->t.results)) {
        m->t.results[m->t.n_results++] = (trace_result){
            .from = next_cycle(m),
            .last = next_cycle(m),
            .write = {m->writes++, f->done ? TRACE_NEVER : 1u},
            .n = (uint8_t)c->n_dst,
            .wid = (uint16_t)c->wid,
            .sched = (uint16_t)c->sched,
            .regs = keep_registers(m, c->dst, c->n_dst),
        };
    }
}

static void on_retry(trace_maker *m, const replay_fact *f) {
    if (f->uid - 1u >= m->t.n_results) {
        return;
    }
    trace_result *r = &m->t.results[f->uid - 1u];
    if (f->done) {
        r->write.tries = TRACE_NEVER;
    } else if (r->write.tries != TRACE_NEVER && r->last != next_cycle(m)) {
        r->write.tries++;
    }
    r->last = next_cycle(m);
}

/* ---- pipes that leave something ---- */

static void note_left(trace_maker *m, const wlk_opndcoll *model, uint32_t kind, uint32_t as) {
    const uint64_t left = wlk_opndcoll_ex_occupied(model, kind);
    if (left != 0 && grow(m, &m->t.busy, &m->room.busy, m->t.n_busy, 1, sizeof *m->t.busy)) {
        m->t.busy[m->t.n_busy++] =
            (trace_busy){m->cycle, (uint8_t)as, (uint8_t)m->took[kind], left};
    }
}

static void on_step(trace_maker *m, const wlk_opndcoll *model) {
    for (uint32_t kind = 0; kind < m->shape.kinds && !m->stepped; kind++) {
        note_left(m, model, kind, kind);
    }
    m->begun = m->stepped = true;
    m->steps++;
    m->t.steps++;
    m->t.most_steps = m->steps > m->t.most_steps ? m->steps : m->t.most_steps;
}

static void on_stepped(trace_maker *m, const wlk_opndcoll_events *events) {
    for (uint32_t i = 0; i < events->count; i++) {
        if (events->at[i].what == WLK_OPNDCOLL_DISPATCH) {
            trace_inst *n = inst_of(m, events->at[i].uid);
            if (n != NULL) {
                n->steps = (uint32_t)(m->t.steps - n->at);
            }
        }
    }
}

static void on_cycle(trace_maker *m, const wlk_opndcoll *model) {
    if (m->begun) {
        note_left(m, model, WLK_OPNDCOLL_MEM, LATE);
        m->cycle++;
    }
    m->begun = true;
    m->stepped = false;
    m->steps = 0;
    m->t.cycles++;
    memset(m->asked, 0, sizeof m->asked);
    memset(m->took, 0, sizeof m->took);
    memset(m->issued, 0, sizeof m->issued);
}

void trace_watch(void *maker, const replay_fact *fact) {
    trace_maker *m = maker;
    if (m->no_memory) {
        return;
    }
    switch (fact->what) {
    case REPLAY_CYCLE:
        on_cycle(m, fact->model);
        break;
    case REPLAY_ISSUED:
        on_issue(m, fact->command);
        break;
    case REPLAY_TAKE:
        on_take(m, fact);
        break;
    case REPLAY_DRAINED:
    case REPLAY_LOADED:
        on_written(m, fact);
        break;
    case REPLAY_RESULT:
        on_result(m, fact);
        break;
    case REPLAY_RETRIED:
        on_retry(m, fact);
        break;
    case REPLAY_STEP:
        on_step(m, fact->model);
        break;
    default:
        on_stepped(m, fact->events);
    }
}

/* ---- the end ---- */

// Of the two looks at OC_EX of MEM, that at the time of its takes stays.
static void settle_mem(trace_maker *m) {
    size_t kept = 0;
    m->t.mem_late = m->mem_behind > m->mem_early;
    for (size_t i = 0; i < m->t.n_busy; i++) {
        trace_busy b = m->t.busy[i];
        const bool is_mem = b.kind == LATE || b.kind == WLK_OPNDCOLL_MEM;
        if (!is_mem || (b.kind == LATE) == m->t.mem_late) {
            b.kind = is_mem ? (uint8_t)WLK_OPNDCOLL_MEM : b.kind;
            m->t.busy[kept++] = b;
        }
    }
    m->t.n_busy = kept;
}

wlk_status trace_finish(trace_maker *m, const trace **out, wlk_error *err) {
    if (m->no_memory) {
        return tool_no_memory(err);
    }
    if (m->t.cycles == 0 || m->t.steps == 0 || m->t.n_insts == 0) {
        return wlk_fail(err, WLK_VACUOUS, "nothing to compare: the stimulus has no %s",
                        m->t.cycles == 0  ? "core cycles (C)"
                        : m->t.steps == 0 ? "steps (X)"
                                          : "instructions (I)");
    }
    settle_mem(m);
    m->t.cycles = m->cycle + 1u;
    m->t.pool = m->pool;
    *out = &m->t;
    return WLK_OK;
}

wlk_status trace_open(trace_maker **out, const wlk_opndcoll_cfg *cfg, wlk_error *err) {
    trace_maker *m = calloc(1, sizeof *m);
    *out = m;
    if (m == NULL) {
        return tool_no_memory(err);
    }
    wlk_opndcoll_shape_of(cfg, &m->shape);
    m->t.schedulers = m->shape.schedulers;
    // Never NULL, so that no registers are a place in it too.
    const bool has_pool = grow(m, &m->pool, &m->room.pool, 0, 1, sizeof *m->pool);
    return has_pool ? WLK_OK : tool_no_memory(err);
}

void trace_close(trace_maker *m) {
    if (m != NULL) {
        free(m->t.insts);
        free(m->t.results);
        free(m->t.busy);
        free(m->pool);
        free(m);
    }
}

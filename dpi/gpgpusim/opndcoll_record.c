// SPDX-License-Identifier: Apache-2.0
// Records a live simulation: opndcoll_record.h says what, docs/operand-collector.md how it looks.
//
// Write-backs are noted as they come. Instructions that were issued or taken are noted at the step
// that follows, in the order of their uids: the simulator's calls do not tell theirs. Before the
// recording has begun, lines are kept up to the next step only.
#include "warplock/opndcoll_record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "opndcoll_lines.h"
#include "opndcoll_packed.h"
#include "warplock/opndcoll_options.h"
#include "warplock/opndcoll_summary.h"

enum {
    FLUSHED = 1 << 16, // bytes that are written at the begin of a core cycle
    RESULTS = 64,      // refused results that may be tried again
    MOST_STEPS = 1000, // in a command
    HIGHEST_WARP = 65535,
    MOST_LIVE =
        2 * (int)WLK_OPNDCOLL_KINDS * (int)WLK_OPNDCOLL_MAX_WIDTH + (int)WLK_OPNDCOLL_MAX_UNITS,
};

// Nothing is recorded in OFF, BEFORE (the window) and DONE.
typedef enum phase { OFF, BEFORE, ARMED, RUNNING, DONE } phase;

// One of the two files.
typedef struct sink {
    wlk_oc_lines lines;
    wlk_oc_packed file;
    wlk_opndcoll_recorder *owner;
} sink;

// An instruction in the collector or its register sets.
typedef struct live {
    uint32_t uid, number;
} live;

// An instruction that was issued since the last step.
typedef struct fresh {
    uint32_t uid, kind, slot, wid, sched, n_src, n_dst;
    int32_t src[WLK_OPNDCOLL_OPERANDS], dst[WLK_OPNDCOLL_OPERANDS];
} fresh;

// One that was taken.
typedef struct gone {
    uint32_t uid, kind, slot;
} gone;

// What a refused write-back has left.
typedef struct result {
    bool waits;
    uint64_t age;
    uint32_t uid, wid, sched, n;
    int32_t dst[WLK_OPNDCOLL_OPERANDS];
} result;

struct wlk_opndcoll_recorder {
    wlk_opndcoll_cfg cfg;
    wlk_opndcoll_shape shape;
    wlk_opndcoll *model;
    wlk_opndcoll_record_options options; // without texts
    phase phase;
    wlk_error error; // the first; text "" where there is none
    sink stimulus, events;
    wlk_opndcoll_request *queue;
    wlk_opndcoll_events written;

    uint64_t cycle;
    bool has_cycle;
    bool is_shown;   // the core cycle is in the files
    bool has_unseen; // a write-back since the last step is not
    uint64_t window; // core cycle of the first write-back since the last step
    bool has_window;
    uint64_t last_empty; // core cycle at which a recording could have begun
    bool has_empty, has_stepped;

    uint32_t in_flight; // instructions in the collector and its register sets
    live live[MOST_LIVE];
    uint32_t n_live;
    fresh *fresh;
    gone *gone;
    uint32_t n_fresh, n_gone;
    uint32_t number;    // of the instruction recorded last
    uint32_t last_uid;  // its uid
    uint64_t steps;     // recorded
    uint32_t unwritten; // of these, not yet in the stimulus
    uint64_t calls;     // write-backs
    result results[RESULTS];

    wlk_opndcoll_summary *summary;
    char summary_path[WLK_OC_PATH];
};

/* ---- messages ---- */

__attribute__((format(printf, 3, 4))) static void tell(wlk_opndcoll_recorder *r, wlk_status status,
                                                       const char *form, ...) {
    char what[400];
    wlk_error line;
    va_list args;
    va_start(args, form);
    (void)vsnprintf(what, sizeof what, form, args);
    va_end(args);
    (void)wlk_fail(&line, status, "recording of SM %" PRIu32 ": %s", r->options.sm, what);
    if (r->options.report != NULL) {
        r->options.report(r->options.user, line.text);
    } else {
        (void)fprintf(stderr, "warplock: %s\n", line.text);
    }
    if (r->error.status == WLK_OK && status != WLK_OK) {
        r->error = line;
    }
}

/* ---- files ---- */

static void close_files(wlk_opndcoll_recorder *r) {
    sink *const sinks[] = {&r->stimulus, &r->events};
    const bool is_good = r->phase != DONE;
    r->phase = DONE;
    for (int i = 0; i < 2; i++) {
        wlk_error err;
        if (wlk_oc_packed_close(&sinks[i]->file, &err) != WLK_OK && is_good) {
            tell(r, err.status, "%s", err.text);
        }
    }
}

// Write what there is. A file that fails ends the recording.
static void flush(sink *to) {
    wlk_error err;
    const size_t n = to->lines.used;
    to->lines.start = to->lines.used = 0;
    if (to->file.file >= 0 && wlk_oc_packed_write(&to->file, to->lines.buffer, n, &err) != WLK_OK) {
        tell(to->owner, err.status, "%s", err.text);
        to->owner->phase = DONE; // another message would be about the same
        close_files(to->owner);
    }
}

static void flush_both(wlk_opndcoll_recorder *r) {
    flush(&r->stimulus);
    flush(&r->events);
}

static void drop_lines(wlk_opndcoll_recorder *r) {
    r->stimulus.lines.start = r->stimulus.lines.used = 0;
    r->events.lines.start = r->events.lines.used = 0;
    r->is_shown = false;
}

static void end_line(wlk_oc_lines *lines) {
    sink *to = (sink *)(void *)lines; // it is the first member
    lines->buffer[lines->used++] = '\n';
    lines->start = lines->used;
    if (lines->used >= WLK_OC_HALF && to->owner->phase == ARMED) {
        drop_lines(to->owner);
        to->owner->has_unseen = true;
    } else if (lines->used >= WLK_OC_HALF) {
        flush(to);
    }
}

// A line in both files.
__attribute__((format(printf, 2, 3))) static void comment(wlk_opndcoll_recorder *r,
                                                          const char *form, ...) {
    sink *const sinks[] = {&r->stimulus, &r->events};
    for (int i = 0; i < 2; i++) {
        va_list args;
        va_start(args, form);
        wlk_oc_vadd(&sinks[i]->lines, form, args);
        va_end(args);
        end_line(&sinks[i]->lines);
    }
}

/* ---- the stimulus ---- */

static const char *name_of(uint32_t kind) {
    return wlk_opndcoll_kind_name(kind);
}

static void write_steps(wlk_opndcoll_recorder *r) {
    if (r->unwritten == 1) {
        wlk_oc_line(&r->stimulus.lines, "X");
    } else if (r->unwritten != 0) {
        wlk_oc_line(&r->stimulus.lines, "X %u", r->unwritten);
    }
    r->unwritten = 0;
}

static void add_registers(wlk_oc_lines *to, const int32_t *regs, uint32_t n) {
    while (n != 0 && regs[n - 1u] < 0) {
        n--;
    }
    if (n == 0) {
        wlk_oc_add(to, " -");
    }
    for (uint32_t i = 0; i < n; i++) {
        wlk_oc_add(to, regs[i] < 0 ? "%s-1" : "%s%u", i == 0 ? " " : ",", (uint32_t)regs[i]);
    }
}

// With rotate_kinds, the kind that each port tries first. Does one try another than at reset?
static bool add_first_kinds(wlk_opndcoll_recorder *r) {
    bool any = false;
    for (uint32_t port = 0; port < r->shape.ports && r->cfg.rotate_kinds != 0; port++) {
        const uint32_t kind = wlk_opndcoll_first_kind(r->model, port);
        any |= kind != (uint32_t)__builtin_ctz(wlk_opndcoll_port_kinds(r->model, port));
        wlk_oc_add(&r->stimulus.lines, "%s%s", port == 0 ? " " : ",", name_of(kind));
    }
    return any;
}

// Where the arbiters point, if that is not where reset puts them.
static void write_arbiters(wlk_opndcoll_recorder *r) {
    wlk_oc_lines *to = &r->stimulus.lines;
    bool any = wlk_opndcoll_pri(r->model) != 0;
    wlk_oc_add(to, r->shape.dispatch_units != 0 ? "Z %u " : "Z %u -", wlk_opndcoll_pri(r->model));
    for (uint32_t du = 0; du < r->shape.dispatch_units; du++) {
        const uint32_t last = wlk_opndcoll_last(r->model, du);
        any |= last != 0;
        wlk_oc_add(to, "%s%u", du == 0 ? "" : ",", last);
    }
    any |= add_first_kinds(r);
    if (any) {
        end_line(to);
    } else {
        to->used = to->start;
    }
}

static void write_cycle(wlk_opndcoll_recorder *r) {
    write_steps(r);
    if (r->phase == RUNNING && r->stimulus.lines.used + r->events.lines.used >= FLUSHED) {
        flush_both(r);
    }
    r->is_shown = true;
    wlk_oc_line(&r->stimulus.lines, "C %" PRIu64, r->cycle);
    wlk_oc_line(&r->events.lines, "C %" PRIu64, r->cycle);
}

/* ---- numbers ---- */

static uint32_t number_of(const wlk_oc_lines *lines, uint32_t uid) {
    const wlk_opndcoll_recorder *r = ((const sink *)(const void *)lines)->owner;
    uint32_t low = 0, high = r->n_live;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2u;
        *(r->live[middle].uid <= uid ? &low : &high) = middle;
    }
    return r->live[low].number;
}

static void forget(wlk_opndcoll_recorder *r, uint32_t uid) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->n_live; i++) {
        r->live[kept] = r->live[i];
        kept += r->live[i].uid != uid ? 1u : 0u;
    }
    r->n_live = kept;
}

/* ---- beginning and end ---- */

static void finish(wlk_opndcoll_recorder *r) {
    if (r->phase == RUNNING) {
        write_steps(r);
    }
    if (r->phase != DONE) {
        comment(r, "# end");
        flush_both(r);
    }
    if (r->phase != DONE) {
        close_files(r);
    }
}

__attribute__((format(printf, 2, 3))) static void stop(wlk_opndcoll_recorder *r, const char *form,
                                                       ...) {
    char reason[300];
    va_list args;
    va_start(args, form);
    (void)vsnprintf(reason, sizeof reason, form, args);
    va_end(args);
    if (r->phase == OFF || r->phase == DONE) {
        return;
    }
    if (r->phase == ARMED) {
        drop_lines(r);
    }
    for (char *at = reason; *at != '\0'; at++) {
        *at = *at == '\n' ? ' ' : *at;
    }
    write_steps(r);
    comment(r, "# stopped in core cycle %" PRIu64 ": %s", r->cycle, reason);
    tell(r, WLK_TRUNCATED, "it ends in core cycle %" PRIu64 ": %s", r->cycle, reason);
    finish(r);
}

// From here on a recording may begin.
static void arm(wlk_opndcoll_recorder *r) {
    r->phase = ARMED;
    drop_lines(r);
    write_arbiters(r);
}

// Says why there is nothing in the recording.
static void miss(wlk_opndcoll_recorder *r) {
    char reason[300];
    const uint64_t first = r->options.first;
    if (!r->has_stepped) {
        (void)snprintf(reason, sizeof reason, "the collector made no step");
    } else if (r->phase == BEFORE) {
        (void)snprintf(reason, sizeof reason,
                       "the simulation ended in core cycle %" PRIu64
                       ", before the window, which begins with %" PRIu64,
                       r->cycle, first);
    } else if (r->has_empty) {
        (void)snprintf(reason, sizeof reason,
                       "the collector was never empty from core cycle %" PRIu64
                       " on; begin earlier: it was empty in core cycle %" PRIu64,
                       first, r->last_empty);
    } else {
        (void)snprintf(reason, sizeof reason, "the collector was never empty");
    }
    drop_lines(r);
    comment(r, "# nothing was recorded: %s", reason);
    tell(r, WLK_VACUOUS, "nothing was recorded: %s", reason);
    finish(r);
}

void wlk_opndcoll_record_stop(wlk_opndcoll_recorder *r, const char *reason) {
    stop(r, "%s", reason);
}

/* ---- core cycles ---- */

void wlk_opndcoll_record_cycle(wlk_opndcoll_recorder *r, uint64_t cycle) {
    const bool is_new = !r->has_cycle || cycle != r->cycle;
    if (is_new && r->has_cycle && cycle < r->cycle) {
        stop(r, "the core cycle went back to %" PRIu64, cycle);
    }
    r->cycle = cycle;
    r->has_cycle = true;
    r->is_shown &= !is_new;
    if (is_new && r->summary != NULL) {
        wlk_opndcoll_summary_cycle(r->summary);
    }
    if (cycle > r->options.last && r->phase == RUNNING) {
        finish(r);
    } else if (cycle > r->options.last && (r->phase == BEFORE || r->phase == ARMED)) {
        miss(r);
    } else if (r->phase == BEFORE && cycle >= r->options.first) {
        arm(r);
    }
    if (!r->is_shown && (r->phase == ARMED || r->phase == RUNNING)) {
        write_cycle(r);
    }
}

/* ---- instructions ---- */

int32_t wlk_opndcoll_record_put(wlk_opndcoll_recorder *r, uint32_t kind, uint32_t slot,
                                const wlk_opndcoll_inst *inst, const int32_t *dst, uint32_t n_dst) {
    const int32_t answer = wlk_opndcoll_put(r->model, kind, slot, inst);
    if (answer < 0) {
        return answer;
    }
    n_dst = n_dst > r->shape.operands ? r->shape.operands : n_dst;
    fresh *f = &r->fresh[r->n_fresh++];
    *f = (fresh){.uid = inst->uid,
                 .kind = kind,
                 .slot = slot,
                 .wid = inst->wid,
                 .sched = inst->sched,
                 .n_src = inst->n_src,
                 .n_dst = n_dst};
    memcpy(f->src, inst->src, inst->n_src * sizeof f->src[0]);
    memcpy(f->dst, dst, n_dst * sizeof f->dst[0]);
    r->in_flight++;
    if (r->summary != NULL) {
        wlk_opndcoll_summary_issue(r->summary, kind, true);
    }
    return answer;
}

int32_t wlk_opndcoll_record_take_slot(wlk_opndcoll_recorder *r, uint32_t kind, uint32_t slot,
                                      wlk_opndcoll_held *held) {
    wlk_opndcoll_held taken;
    const int32_t answer = wlk_opndcoll_take_slot(r->model, kind, slot, &taken);
    if (answer < 0) {
        return answer;
    }
    r->gone[r->n_gone++] = (gone){taken.uid, kind, slot};
    r->in_flight--;
    if (r->summary != NULL) {
        wlk_opndcoll_summary_take(r->summary, kind);
    }
    if (held != NULL) {
        *held = taken;
    }
    return answer;
}

static int by_age(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b; // uid is the first member
    return (x > y) - (x < y);
}

// The oldest instruction that was left in OC_EX; UINT32_MAX: none.
static uint32_t oldest_left(const wlk_opndcoll_recorder *r, uint32_t kind) {
    uint32_t uid = UINT32_MAX;
    for (uint32_t slot = 0; slot < r->shape.ex_width[kind]; slot++) {
        wlk_opndcoll_held held;
        if (wlk_opndcoll_ex_slot(r->model, kind, slot, &held) && held.uid < uid) {
            uid = held.uid;
        }
    }
    return uid;
}

static void write_gone(wlk_opndcoll_recorder *r) {
    const bool by_slot = r->cfg.revision == WLK_OPNDCOLL_V42 && r->shape.sub_core != 0;
    qsort(r->gone, r->n_gone, sizeof r->gone[0], by_age);
    for (uint32_t i = 0; i < r->n_gone && r->phase == RUNNING; i++) {
        const gone *g = &r->gone[i];
        if (!by_slot && oldest_left(r, g->kind) < g->uid) {
            stop(r, "#%" PRIu32 " was taken out of OC_EX %s, and not the oldest there, #%" PRIu32,
                 g->uid, name_of(g->kind), oldest_left(r, g->kind));
            return;
        }
        if (by_slot) {
            wlk_oc_line(&r->stimulus.lines, "E %s %u", name_of(g->kind), g->slot);
        } else {
            wlk_oc_line(&r->stimulus.lines, "E %s", name_of(g->kind));
        }
        wlk_oc_line(&r->events.lines, "E %s %u", name_of(g->kind),
                    number_of(&r->events.lines, g->uid));
        forget(r, g->uid);
    }
}

// Slots of ID_OC that were occupied before anything fresh came.
static void occupied_before(const wlk_opndcoll_recorder *r, uint64_t *occupied) {
    for (uint32_t kind = 0; kind < r->shape.kinds; kind++) {
        occupied[kind] = ~wlk_opndcoll_id_free(r->model, kind);
    }
    for (uint32_t i = 0; i < r->n_fresh; i++) {
        occupied[r->fresh[i].kind] &= ~(UINT64_C(1) << r->fresh[i].slot);
    }
}

// Where a replay puts an instruction.
static uint32_t slot_in_replay(const wlk_opndcoll_recorder *r, const fresh *f, uint64_t occupied) {
    return r->shape.sub_core != 0 ? f->sched : (uint32_t)__builtin_ctzll(~occupied);
}

static bool is_expressible(wlk_opndcoll_recorder *r, const fresh *f, uint64_t occupied) {
    const uint32_t slot = slot_in_replay(r, f, occupied);
    if (r->number != 0 && f->uid <= r->last_uid) {
        stop(r, "#%" PRIu32 " was issued behind #%" PRIu32, f->uid, r->last_uid);
    } else if (slot != f->slot) {
        stop(r, "#%" PRIu32 " was issued into slot %" PRIu32 " of ID_OC %s, and not %" PRIu32,
             f->uid, f->slot, name_of(f->kind), slot);
    } else if (f->wid > HIGHEST_WARP || f->sched == UINT32_MAX) {
        stop(r, "#%" PRIu32 " is of warp %" PRIu32 ", which is beyond %d, or of no scheduler",
             f->uid, f->wid, HIGHEST_WARP);
    } else {
        return true;
    }
    return false;
}

static void write_one(wlk_opndcoll_recorder *r, const fresh *f) {
    wlk_oc_lines *to = &r->stimulus.lines;
    r->live[r->n_live++] = (live){f->uid, ++r->number};
    r->last_uid = f->uid;
    wlk_oc_add(to, "I %s %u %u", name_of(f->kind), f->sched, f->wid);
    add_registers(to, f->src, f->n_src);
    add_registers(to, f->dst, f->n_dst);
    end_line(to);
    wlk_oc_line(&r->events.lines, "I %s %u %u", name_of(f->kind), r->number, f->slot);
}

static void write_fresh(wlk_opndcoll_recorder *r) {
    uint64_t occupied[WLK_OPNDCOLL_KINDS];
    occupied_before(r, occupied);
    qsort(r->fresh, r->n_fresh, sizeof r->fresh[0], by_age);
    for (uint32_t i = 0; i < r->n_fresh && r->phase == RUNNING; i++) {
        const fresh *f = &r->fresh[i];
        if (is_expressible(r, f, occupied[f->kind])) {
            write_one(r, f);
            occupied[f->kind] |= UINT64_C(1) << f->slot;
        }
    }
}

/* ---- write-back ---- */

static bool is_retry(const result *w, uint32_t uid, const result *call) {
    return w->waits && w->uid == uid && w->wid == call->wid && w->sched == call->sched &&
           w->n == call->n && memcmp(w->dst, call->dst, call->n * sizeof call->dst[0]) == 0;
}

// The result that a call goes on with, or one that is free for it: the one that has waited longest
// is given up.
static result *result_of(wlk_opndcoll_recorder *r, const result *call, bool *retries) {
    result *spare = &r->results[0];
    for (result *w = r->results; w < r->results + RESULTS; w++) {
        *retries = is_retry(w, call->uid, call);
        if (*retries) {
            return w;
        }
        const bool is_better = !w->waits ? spare->waits : spare->waits && w->age < spare->age;
        spare = is_better ? w : spare;
    }
    *spare = *call;
    return spare;
}

static void write_result(wlk_opndcoll_recorder *r, const result *call, const int32_t *left,
                         bool done) {
    bool retries;
    wlk_oc_lines *to = &r->stimulus.lines;
    result *w = result_of(r, call, &retries);
    const uint32_t key = (uint32_t)(w - r->results);
    write_steps(r);
    if (retries) {
        wlk_oc_add(to, "R %u", key);
    } else {
        wlk_oc_add(to, "W %u %u %u", key, call->sched, call->wid);
        add_registers(to, call->dst, call->n);
    }
    end_line(to);
    wlk_oc_events(&r->events.lines, &r->written);
    wlk_oc_line(&r->events.lines, "%s %u %u", retries ? "R" : "W", key, done ? 1u : 0u);
    w->waits = !done;
    w->age = r->calls;
    memcpy(w->dst, left, call->n * sizeof left[0]);
}

int32_t wlk_opndcoll_record_writeback(wlk_opndcoll_recorder *r, uint32_t uid, int32_t *dst,
                                      uint32_t n, uint32_t wid, uint32_t sched, uint32_t lanes) {
    result call = {.uid = uid, .wid = wid, .sched = sched, .n = n};
    if (n <= r->shape.operands) {
        memcpy(call.dst, dst, n * sizeof dst[0]);
    }
    r->written.count = 0;
    const int32_t answer = wlk_opndcoll_writeback(r->model, dst, n, wid, sched, lanes, &r->written);
    if (answer < 0) {
        return answer;
    }
    r->calls++;
    r->window = r->has_window ? r->window : r->cycle;
    r->has_window = true;
    if (r->phase == ARMED || r->phase == RUNNING) {
        if (wid > HIGHEST_WARP || sched == UINT32_MAX) {
            stop(r, "a result of #%" PRIu32 " is of warp %" PRIu32 ", which is beyond %d", uid, wid,
                 HIGHEST_WARP);
        } else {
            write_result(r, &call, dst, answer == 1);
        }
    } else {
        r->has_unseen = true;
    }
    if (r->summary != NULL) {
        wlk_opndcoll_summary_writeback(r->summary, &r->written);
    }
    return answer;
}

/* ---- steps ---- */

static void begin_if_empty(wlk_opndcoll_recorder *r) {
    if (r->in_flight != r->n_fresh) {
        return;
    }
    r->last_empty = r->has_window ? r->window : r->cycle;
    r->has_empty = true;
    if (r->phase == ARMED && !r->has_unseen) {
        r->phase = RUNNING;
        r->n_gone = 0; // they came before
    }
}

void wlk_opndcoll_record_step(wlk_opndcoll_recorder *r, wlk_opndcoll_events *events) {
    if (r->phase == BEFORE || r->phase == ARMED) {
        begin_if_empty(r);
    }
    if (r->phase == RUNNING) {
        if (r->n_gone + r->n_fresh != 0 || r->unwritten == MOST_STEPS) {
            write_steps(r);
        }
        write_gone(r);
        write_fresh(r);
    }
    wlk_opndcoll_step(r->model, events);
    if (r->phase == RUNNING) {
        r->unwritten++;
        wlk_oc_line(&r->events.lines, "S %" PRIu64, r->steps++);
        wlk_oc_events(&r->events.lines, events);
    }
    if (r->phase == RUNNING && r->options.state) {
        wlk_oc_state(&r->events.lines, r->model, &r->cfg, r->queue);
    }
    if (r->phase == ARMED) {
        arm(r);
        memset(r->results, 0, sizeof r->results);
    }
    if (r->summary != NULL) {
        wlk_opndcoll_summary_step(r->summary, events);
    }
    r->n_fresh = r->n_gone = 0;
    r->has_unseen = r->has_window = false;
    r->has_stepped = true;
}

/* ---- opening ---- */

void wlk_opndcoll_record_defaults(wlk_opndcoll_record_options *options) {
    *options = (wlk_opndcoll_record_options){.last = UINT64_MAX};
}

static bool is_folder(const char *path) {
    struct stat there;
    const size_t n = strlen(path);
    return (n != 0 && path[n - 1u] == '/') || (stat(path, &there) == 0 && S_ISDIR(there.st_mode));
}

// Without an end; 0: it has another one.
static size_t without(const char *path, size_t n, const char *end) {
    const size_t length = strlen(end);
    return n > length && memcmp(path + n - length, end, length) == 0 ? n - length : 0u;
}

// A file's path but for what tells the files of a recording apart; *plain: they are not packed.
static void base_of(char base[WLK_OC_PATH], const char *stem, uint32_t sm, bool *plain) {
    size_t n = strlen(stem);
    const size_t packed = without(stem, n, ".stim.xz"), text = without(stem, n, ".stim");
    const bool in_folder = is_folder(stem);
    *plain = !in_folder && text != 0;
    n = in_folder ? n : packed != 0 ? packed : text != 0 ? text : n;
    const char *join = !in_folder ? "." : stem[n - 1u] == '/' ? "" : "/";
    (void)snprintf(base, WLK_OC_PATH - 16, "%.*s%ssm%" PRIu32, (int)n, stem, join, sm);
}

static void write_options(wlk_opndcoll_recorder *r, const char *path) {
    FILE *to = fopen(path, "we");
    bool failed = to == NULL;
    if (to != NULL) {
        wlk_opndcoll_write_options(&r->cfg, to);
        failed = ferror(to) != 0;
        failed |= fclose(to) != 0;
    }
    if (failed) {
        tell(r, WLK_NO_SPACE, "%.300s: cannot be written: %s", path, strerror(errno));
    }
}

static bool open_sink(wlk_opndcoll_recorder *r, sink *to, const char *base, const char *what,
                      bool plain) {
    char path[WLK_OC_PATH];
    bool no_xz;
    wlk_error err;
    (void)snprintf(path, sizeof path, "%.*s.%s%s", WLK_OC_PATH - 16, base, what,
                   plain ? "" : ".xz");
    if (wlk_oc_packed_open(&to->file, path, &no_xz, &err) != WLK_OK) {
        tell(r, err.status, "%s", err.text);
        return false;
    }
    if (no_xz) {
        tell(r, WLK_OK, "the program xz was not found; %.300s is not packed", to->file.path);
    }
    return true;
}

static void write_head(wlk_opndcoll_recorder *r, const char *config, const char *source) {
    char window[64] = "";
    const wlk_opndcoll_record_options *o = &r->options;
    if (o->last != UINT64_MAX) {
        (void)snprintf(window, sizeof window, " to %" PRIu64, o->last);
    }
    comment(r, "# warplock recording 1");
    wlk_oc_line(&r->stimulus.lines, "# revision %s", wlk_opndcoll_revision_name(r->cfg.revision));
    wlk_oc_line(&r->stimulus.lines, "# config %s", config);
    comment(r, "# SM %u, core cycles %" PRIu64 "%s", o->sm, o->first,
            o->last != UINT64_MAX ? window : " and all behind");
    if (source != NULL) {
        char line[300];
        (void)snprintf(line, sizeof line, "%s", source);
        line[strcspn(line, "\r\n")] = '\0';
        comment(r, "# %s", line);
    }
    wlk_oc_header(&r->events.lines, &r->cfg);
}

static void open_recording(wlk_opndcoll_recorder *r, const wlk_opndcoll_record_options *o) {
    char base[WLK_OC_PATH], path[WLK_OC_PATH];
    bool plain;
    base_of(base, o->stem, o->sm, &plain);
    (void)snprintf(path, sizeof path, "%.*s.cfg", WLK_OC_PATH - 16, base);
    r->phase = BEFORE;
    if (!open_sink(r, &r->stimulus, base, "stim", plain) ||
        !open_sink(r, &r->events, base, "events", plain)) {
        r->phase = DONE;
        close_files(r);
        return;
    }
    write_options(r, path);
    const char *folder = strrchr(path, '/');
    write_head(r, folder != NULL ? folder + 1 : path, o->source);
    flush_both(r);
}

static bool make_room(wlk_opndcoll_recorder *r) {
    uint32_t id = 0, ex = 0;
    for (uint32_t kind = 0; kind < r->shape.kinds; kind++) {
        id += r->shape.id_width[kind];
        ex += r->shape.ex_width[kind];
    }
    r->fresh = calloc(id + 1u, sizeof *r->fresh);
    r->gone = calloc(ex + 1u, sizeof *r->gone);
    r->queue = calloc(r->shape.units * WLK_OPNDCOLL_OPERANDS, sizeof *r->queue);
    r->written.room = wlk_opndcoll_max_events(&r->cfg);
    r->written.at = calloc(r->written.room, sizeof *r->written.at);
    return r->fresh != NULL && r->gone != NULL && r->queue != NULL && r->written.at != NULL;
}

static bool make_sink(wlk_opndcoll_recorder *r, sink *to) {
    to->owner = r;
    to->lines.end = end_line;
    to->lines.number = number_of;
    to->lines.buffer = malloc(2u * WLK_OC_HALF);
    return to->lines.buffer != NULL;
}

static void free_recorder(wlk_opndcoll_recorder *r) {
    wlk_opndcoll_summary_close(r->summary);
    free(r->fresh);
    free(r->gone);
    free(r->queue);
    free(r->written.at);
    free(r->stimulus.lines.buffer);
    free(r->events.lines.buffer);
    free(r);
}

static bool open_summary(wlk_opndcoll_recorder *r, const wlk_opndcoll_record_options *o,
                         wlk_error *err) {
    bool plain;
    if (o->summary != NULL) {
        char base[WLK_OC_PATH];
        base_of(base, o->summary, o->sm, &plain);
        (void)snprintf(r->summary_path, sizeof r->summary_path, "%.*s.json", WLK_OC_PATH - 16,
                       base);
    }
    return (o->summary == NULL && !o->counts) ||
           wlk_opndcoll_summary_open(&r->summary, &r->cfg, r->model, err) == WLK_OK;
}

wlk_status wlk_opndcoll_record_open(wlk_opndcoll_recorder **out, const wlk_opndcoll_cfg *cfg,
                                    wlk_opndcoll *model, const wlk_opndcoll_record_options *options,
                                    wlk_error *err) {
    *out = NULL;
    if (options->first > options->last) {
        return wlk_fail(err, WLK_BAD_PARAMS,
                        "recording: the window ends with core cycle %" PRIu64
                        " and begins with %" PRIu64,
                        options->last, options->first);
    }
    wlk_opndcoll_recorder *r = calloc(1, sizeof *r);
    if (r != NULL) {
        r->cfg = *cfg;
        r->model = model;
        r->options = *options;
        r->stimulus.file = r->events.file = (wlk_oc_packed){.file = -1, .to_xz = -1};
        wlk_opndcoll_shape_of(cfg, &r->shape);
    }
    if (r == NULL || !make_room(r) || !open_summary(r, options, err) ||
        (options->stem != NULL && (!make_sink(r, &r->stimulus) || !make_sink(r, &r->events)))) {
        if (r != NULL) {
            free_recorder(r);
        }
        return wlk_fail(err, WLK_NO_MEMORY, "recording: out of memory");
    }
    if (options->stem != NULL) {
        open_recording(r, options);
    }
    r->options.stem = r->options.summary = r->options.source = NULL;
    *out = r;
    return WLK_OK;
}

/* ---- closing ---- */

bool wlk_opndcoll_record_summary(wlk_opndcoll_recorder *r, FILE *to) {
    if (r->summary != NULL) {
        wlk_opndcoll_summary_print(r->summary, to);
    }
    return r->summary != NULL;
}

static void write_summary(wlk_opndcoll_recorder *r) {
    FILE *to = fopen(r->summary_path, "we");
    bool failed = to == NULL;
    if (to != NULL) {
        wlk_opndcoll_summary_print(r->summary, to);
        failed = ferror(to) != 0;
        failed |= fclose(to) != 0;
    }
    if (failed) {
        tell(r, to == NULL ? WLK_NO_FILE : WLK_NO_SPACE, "%.300s: cannot be written: %s",
             r->summary_path, strerror(errno));
    }
}

wlk_status wlk_opndcoll_record_close(wlk_opndcoll_recorder *r, wlk_error *err) {
    if (r == NULL) {
        return WLK_OK;
    }
    if (r->phase == BEFORE || r->phase == ARMED) {
        miss(r);
    } else if (r->phase == RUNNING) {
        finish(r);
    }
    if (r->summary_path[0] != '\0') {
        write_summary(r);
    }
    const wlk_error first = r->error;
    free_recorder(r);
    return first.status == WLK_OK ? WLK_OK : wlk_fail(err, first.status, "%s", first.text);
}

/* ---- the environment ---- */

// "N", "N-M", "N-" where an open end is allowed.
static bool read_range(const char *text, bool is_open, uint64_t *first, uint64_t *last) {
    char *end;
    errno = 0;
    if (*text < '0' || *text > '9') {
        return false;
    }
    *first = *last = strtoull(text, &end, 10);
    if (is_open && *end != '-') {
        return false;
    }
    if (*end == '-') {
        text = end + 1;
        *last = UINT64_MAX;
        if (*text >= '0' && *text <= '9') {
            *last = strtoull(text, &end, 10);
        } else {
            end = is_open ? end + 1 : end;
        }
    }
    return *end == '\0' && errno == 0 && *first <= *last;
}

// Is it for this core?
static wlk_status read_sms(uint32_t sm, bool *is_meant, wlk_error *err) {
    const char *text = getenv("WARPLOCK_RECORD_SM");
    uint64_t first = 0, last = 0;
    if (text != NULL && strcmp(text, "all") == 0) {
        *is_meant = true;
        return WLK_OK;
    }
    if (text != NULL && !read_range(text, false, &first, &last)) {
        return wlk_fail(err, WLK_BAD_PARAMS,
                        "WARPLOCK_RECORD_SM '%.64s': it is a number, as 3, a range, as 0-3, or all",
                        text);
    }
    *is_meant = sm >= first && sm <= last;
    return WLK_OK;
}

static wlk_status read_window(wlk_opndcoll_record_options *to, wlk_error *err) {
    const char *text = getenv("WARPLOCK_RECORD_CYCLES");
    if (text != NULL && !read_range(text, true, &to->first, &to->last)) {
        return wlk_fail(err, WLK_BAD_PARAMS,
                        "WARPLOCK_RECORD_CYCLES '%.64s': it is core cycles, as 1000-5000, or "
                        "1000- up to the end",
                        text);
    }
    text = getenv("WARPLOCK_RECORD_STATE");
    if (text != NULL && strcmp(text, "0") != 0 && strcmp(text, "1") != 0) {
        return wlk_fail(err, WLK_BAD_PARAMS, "WARPLOCK_RECORD_STATE '%.64s': it is 0 or 1", text);
    }
    to->state = text != NULL ? *text == '1' : to->state;
    return WLK_OK;
}

static const char *stem_in(const char *variable) {
    const char *text = getenv(variable);
    return text != NULL && *text != '\0' ? text : NULL;
}

wlk_status wlk_opndcoll_record_environment(wlk_opndcoll_record_options *options, wlk_error *err) {
    const char *stem = stem_in("WARPLOCK_RECORD"), *summary = stem_in("WARPLOCK_SUMMARY");
    bool is_meant = false;
    wlk_opndcoll_record_options read = *options;
    if (stem == NULL && summary == NULL) {
        return WLK_OK;
    }
    wlk_status status = read_sms(options->sm, &is_meant, err);
    status = status == WLK_OK ? read_window(&read, err) : status;
    if (status == WLK_OK && is_meant) {
        *options = read;
        options->stem = stem != NULL ? stem : options->stem;
        options->summary = summary != NULL ? summary : options->summary;
    }
    return status;
}

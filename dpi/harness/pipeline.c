// SPDX-License-Identifier: Apache-2.0
#include "pipeline.h"

#include "output.h"
#include "warplock/muon.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARPS = 32, ROWS = WLK_ISSUE_MAX_RS_ENTRIES, OPERANDS = 3 };
enum { STAGES, STALLS, LANES }; // lanes of the picture

// Stages.
static const char ibuf[] = "ibuf", admit[] = "admit", collect[] = "collect", ready[] = "ready",
                  issue[] = "issue", execute[] = "exec", writeback[] = "writeback";
// Stalls.
static const char waw[] = "WAW", war[] = "WAR", waw_war[] = "WAW+WAR", refused[] = "refused",
                  rs_full[] = "rs_full", turn[] = "turn", raw[] = "RAW", in_order[] = "in_order",
                  coll_port[] = "coll_port", coll_full[] = "coll_full", blocked[] = "blocked";

// An instruction in the picture.
typedef struct op {
    bool live;
    uint64_t id;
    const char *shown[LANES]; // what each lane shows, or NULL
    uint64_t entry[WLK_ENTRY_WORDS];
} op;

struct wlk_pipeline {
    wlk_output file;
    wlk_issue_cfg cfg;
    bool is_defined; // the state is: by the start, or by a reset since
    uint64_t cycle;  // that is shown
    uint64_t at;     // that the file has come to
    uint64_t started, retired;
    uint64_t of_warp[WARPS]; // instructions started
    // where an instruction can be
    op heads[WARPS], rows[ROWS], stage;
    op issued;                           // left the stage at the last edge
    op running[WLK_ISSUE_MAX_NUM_PREGS]; // by the register they will write
    op written;                          // written back in the last cycle
};

// A cycle: what moves in it. Sets have a bit a row.
typedef struct moves {
    const wlk_issue_state *before, *after;
    const uint64_t *in;
    uint32_t valid;           // rows before the edge
    uint32_t entered, left;   // rows taken, rows freed
    uint32_t asked;           // rows whose request the collector takes
    uint32_t owing;           // rows with an operand not asked for
    uint32_t hit[OPERANDS];   // operands that arrive
    uint32_t woken[OPERANDS]; // operands whose register is written
    uint32_t fires;           // the output stage's content leaves
    uint32_t heads;           // warps with a head
    uint32_t waw, war;        // heads with the hazard
    uint32_t choice;          // the head that may be admitted, or WARPS
} moves;

/* ---- the state, as far as the picture looks at it; sets of rows have a bit each ---- */

static uint32_t valid_rows(const wlk_issue_state *st) {
    return st->reservStation.valid;
}

// Rows whose operand is there, waits for a write, was asked for.
static uint32_t ready_rows(const wlk_issue_state *st, uint32_t operand) {
    return st->reservStation.opReady[operand];
}

static uint32_t busy_rows(const wlk_issue_state *st, uint32_t operand) {
    return st->reservStation.busy[operand];
}

static uint32_t fired_rows(const wlk_issue_state *st, uint32_t operand) {
    return st->reservStation.collFired[operand];
}

static const uint64_t *entry_of(const wlk_issue_state *st, uint32_t row) {
    return st->reservStation.entry[row];
}

static uint8_t sequence_of(const wlk_issue_state *st, uint32_t row) {
    return st->reservStation.sequence[row];
}

static uint32_t coll_ptr(const wlk_issue_state *st, uint32_t row) {
    return st->reservStation.collPtr[row];
}

static uint32_t stage_full(const wlk_issue_state *st) {
    return st->reservStation.stage.full;
}

static const uint64_t *stage_entry(const wlk_issue_state *st) {
    return st->reservStation.stage.entry;
}

static uint32_t pending_reads(const wlk_issue_state *st, uint32_t preg) {
    return st->scoreboard.pendingReads[preg];
}

static uint32_t pending_writes(const wlk_issue_state *st, uint32_t preg) {
    return st->scoreboard.pendingWrites[preg];
}

// The warp that was admitted last; any before the first admission.
static uint32_t last_admitted(const wlk_issue_state *st) {
    return st->hazard.last;
}

/* ---- the file ---- */

__attribute__((format(printf, 2, 3))) static void emit(wlk_pipeline *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    FILE *to = p->file.to;
    const bool on_time = p->at == p->cycle || fprintf(to, "C\t%" PRIu64 "\n", p->cycle - p->at) > 0;
    p->at = p->cycle;
    if ((!on_time || vfprintf(to, format, args) < 0) && p->file.cause == 0) {
        p->file.cause = errno;
    }
    va_end(args);
}

// Show a stage or stall, or NULL for none, from this cycle on.
static void show(wlk_pipeline *p, op *o, int lane, const char *name) {
    if (o->shown[lane] == name) {
        return;
    }
    if (o->shown[lane] != NULL) {
        emit(p, "E\t%" PRIu64 "\t%d\t%s\n", o->id, lane, o->shown[lane]);
    }
    if (name != NULL) {
        emit(p, "S\t%" PRIu64 "\t%d\t%s\n", o->id, lane, name);
    }
    o->shown[lane] = name;
}

static void show_both(wlk_pipeline *p, op *o, const char *stage, const char *stall) {
    show(p, o, STAGES, stage);
    show(p, o, STALLS, stall);
}

/* ---- instructions ---- */

static uint32_t has_rd(const op *o) {
    return wlk_entry_get_hasRd(o->entry);
}

static uint32_t rd(const op *o) {
    return wlk_entry_get_rd(o->entry);
}

// "x5 <- x1 x2", without what it has not.
static void operands_text(const op *o, char *text, size_t size) {
    const uint32_t has = wlk_entry_has_rs(o->entry);
    size_t n = 0;
    if (has_rd(o)) {
        n += (size_t)snprintf(text, size, "x%u ", rd(o));
    }
    n += (size_t)snprintf(text + n, size - n, "<-");
    for (uint32_t i = 0; i < OPERANDS; i++) {
        if (has >> i & 1u) {
            n += (size_t)snprintf(text + n, size - n, " x%u", wlk_entry_rs(o->entry, i));
        }
    }
}

static void start(wlk_pipeline *p, op *o, uint32_t warp, const uint64_t *entry) {
    char operands[64];
    *o = (op){.live = true, .id = p->started++};
    memcpy(o->entry, entry, sizeof o->entry);
    operands_text(o, operands, sizeof operands);
    emit(p, "I\t%" PRIu64 "\t%" PRIu64 "\t%u\n", o->id, p->of_warp[warp]++, warp);
    emit(p, "L\t%" PRIu64 "\t0\tw%u %08" PRIx64 ": %s\n", o->id, warp, wlk_entry_get_pc(entry),
         operands);
    emit(p, "L\t%" PRIu64 "\t1\tlanes %" PRIx64 "\n", o->id, wlk_entry_get_tmask(entry));
}

// Konata turns the two characters \n of a label into a new line.
static void note(wlk_pipeline *p, const op *o, const char *what, uint32_t number) {
    emit(p, "L\t%" PRIu64 "\t1\t\\n%s %" PRIu32 "\n", o->id, what, number);
}

// Retired, or flushed: it was not to be.
static void end(wlk_pipeline *p, op *o, bool flushed) {
    if (o->live) {
        show_both(p, o, NULL, NULL);
        emit(p, "R\t%" PRIu64 "\t%" PRIu64 "\t%d\n", o->id, p->retired, flushed);
        p->retired += !flushed;
        o->live = false;
    }
}

static void flush(wlk_pipeline *p, op *ops, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        end(p, &ops[i], true);
    }
}

static void flush_all(wlk_pipeline *p) {
    flush(p, p->running, WLK_ISSUE_MAX_NUM_PREGS);
    flush(p, &p->stage, 1);
    flush(p, p->rows, ROWS);
    flush(p, p->heads, WARPS);
}

static void move(op *to, op *from) {
    *to = *from;
    from->live = false;
}

/* ---- what moves in a cycle ---- */

static void observe_rows(moves *m) {
    const wlk_issue_state *st = m->before, *then = m->after;
    m->valid = valid_rows(st);
    m->entered = valid_rows(then) & ~m->valid;
    m->left = m->valid & ~valid_rows(then);
    for (uint32_t i = 0; i < OPERANDS; i++) {
        m->asked |= m->valid & fired_rows(then, i) & ~fired_rows(st, i);
        m->owing |= m->valid & ~ready_rows(st, i) & ~fired_rows(st, i);
        m->hit[i] = m->valid & ready_rows(then, i) & ~ready_rows(st, i);
        m->woken[i] = m->valid & busy_rows(st, i) & ~busy_rows(then, i);
    }
    m->fires = stage_full(st) & wlk_issue_in_get_issue_ready(m->in);
}

// Valid rows of the row's warp that are older. Numbers wrap, but where a warp goes in order its
// rows are near each other.
static uint32_t older_rows(const moves *m, uint32_t row) {
    const uint32_t warp = wlk_entry_get_wid(entry_of(m->before, row));
    uint32_t older = 0;
    for (uint32_t rest = m->valid; rest != 0; rest &= rest - 1u) {
        const uint32_t other = (uint32_t)__builtin_ctz(rest);
        const uint8_t behind =
            (uint8_t)(sequence_of(m->before, row) - sequence_of(m->before, other));
        older |= (uint32_t)(wlk_entry_get_wid(entry_of(m->before, other)) == warp &&
                            behind - 1u < INT8_MAX)
                 << other;
    }
    return older;
}

static const uint64_t *head_of(const moves *m, uint32_t warp) {
    return wlk_issue_in_element(m->in, warp) + WLK_ISSUE_IN_IBUF_BITS;
}

// muon-issue §3 step 5: reads of the scoreboard see the updates of write-back and collector.
static uint32_t pending_write(const moves *m, uint32_t preg) {
    const uint32_t pending = pending_writes(m->before, preg);
    return pending && !(wlk_issue_in_get_writeback_valid(m->in) &&
                        wlk_issue_in_get_writeback_bits_rd(m->in) == preg);
}

static uint32_t pending_read(const moves *m, uint32_t preg) {
    uint32_t arriving = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        for (uint32_t rest = m->hit[i]; rest != 0; rest &= rest - 1u) {
            const uint64_t *entry = entry_of(m->before, (uint32_t)__builtin_ctz(rest));
            arriving += wlk_entry_rs(entry, i) == preg;
        }
    }
    return pending_reads(m->before, preg) > arriving;
}

// muon-issue §4, §1: hazards, and the arbiter's choice among the heads without one.
static void observe_heads(const wlk_pipeline *p, moves *m) {
    m->heads = wlk_issue_in_get_ibuf_valid(m->in);
    for (uint32_t rest = m->heads; rest != 0; rest &= rest - 1u) {
        const uint32_t warp = (uint32_t)__builtin_ctz(rest);
        const op *head = &p->heads[warp];
        m->waw |= (has_rd(head) & pending_write(m, rd(head))) << warp;
        m->war |= (has_rd(head) & pending_read(m, rd(head))) << warp;
    }
    const uint32_t candidates = m->heads & ~m->waw & ~m->war;
    const uint32_t below = (2u << last_admitted(m->before) % WARPS) - 1u;
    const uint32_t later = candidates & ~below;
    const uint32_t order = later != 0 ? later : candidates;
    m->choice = order != 0 ? (uint32_t)__builtin_ctz(order) : (uint32_t)WARPS;
}

/* ---- what each place shows ---- */

static const char *stall_of_head(const moves *m, uint32_t warp, uint32_t rows) {
    const uint32_t has_waw = m->waw >> warp & 1u, has_war = m->war >> warp & 1u;
    if (has_waw | has_war) {
        return !has_war ? waw : !has_waw ? war : waw_war;
    }
    if (warp != m->choice) {
        return turn;
    }
    if (m->entered != 0) {
        return NULL;
    }
    return (uint32_t)__builtin_popcount(m->valid) == rows ? rs_full : refused;
}

// An offer that is not what it was without having been admitted: the source has thought again.
static void follow_heads(wlk_pipeline *p, const moves *m) {
    const uint32_t valid = wlk_issue_in_get_ibuf_valid(m->in);
    for (uint32_t warp = 0; warp < p->cfg.num_warps; warp++) {
        op *head = &p->heads[warp];
        const bool offered = valid >> warp & 1u;
        if (!offered || memcmp(head->entry, head_of(m, warp), sizeof head->entry) != 0) {
            end(p, head, true);
        }
        if (offered && !head->live) {
            start(p, head, warp, head_of(m, warp));
        }
    }
}

static void show_heads(wlk_pipeline *p, const moves *m) {
    for (uint32_t rest = m->heads; rest != 0; rest &= rest - 1u) {
        const uint32_t warp = (uint32_t)__builtin_ctz(rest);
        show_both(p, &p->heads[warp], ibuf, stall_of_head(m, warp, p->cfg.rs_entries));
    }
}

static const char *stage_of_row(const moves *m, uint32_t row) {
    uint32_t in_flight = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        in_flight |= ~ready_rows(m->before, i) & fired_rows(m->before, i);
    }
    return in_flight >> row & 1u ? collect : m->owing >> row & 1u ? admit : ready;
}

// Why a row's request is not taken.
static const char *stall_of_request(const wlk_issue_cfg *cfg, const moves *m, uint32_t row) {
    uint32_t waits = 0, needs = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const uint32_t open = ~(ready_rows(m->before, i) | fired_rows(m->before, i));
        waits |= open & busy_rows(m->before, i);
        needs |= open & ~busy_rows(m->before, i);
    }
    if ((waits >> row & 1u) && !(cfg->allow_partial_collect && (needs >> row & 1u))) {
        return raw;
    }
    if (cfg->in_order_per_warp && (older_rows(m, row) & m->owing)) {
        return in_order;
    }
    return m->asked != 0 ? coll_port : coll_full;
}

// Why a complete row does not enter the output stage.
static const char *stall_of_dispatch(const wlk_issue_cfg *cfg, const moves *m, uint32_t row) {
    if (cfg->in_order_per_warp && older_rows(m, row)) {
        return in_order;
    }
    return stage_full(m->before) && !m->fires ? blocked : turn;
}

// Rows with all operands, where forwarding counts those that arrive.
static uint32_t complete_rows(const wlk_issue_cfg *cfg, const moves *m) {
    uint32_t complete = m->valid;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        complete &= ready_rows(m->before, i) | (cfg->forward_coll_issue ? m->hit[i] : 0u);
    }
    return complete;
}

static const char *stall_of_row(const wlk_issue_cfg *cfg, const moves *m, uint32_t row,
                                const char *stage) {
    if (stage == admit && !(m->asked >> row & 1u)) {
        return stall_of_request(cfg, m, row);
    }
    if (complete_rows(cfg, m) & ~m->left & UINT32_C(1) << row) {
        return stall_of_dispatch(cfg, m, row);
    }
    return NULL;
}

static void show_rows(wlk_pipeline *p, const moves *m) {
    for (uint32_t rest = m->valid; rest != 0; rest &= rest - 1u) {
        const uint32_t row = (uint32_t)__builtin_ctz(rest);
        const char *stage = stage_of_row(m, row);
        op *o = &p->rows[row];
        if (!o->live) { // here since before the picture began
            const uint64_t *entry = entry_of(m->before, row);
            start(p, o, wlk_entry_get_wid(entry), entry);
        }
        show_both(p, o, stage, stall_of_row(&p->cfg, m, row, stage));
        if ((m->hit[0] | m->hit[1] | m->hit[2]) >> row & 1u) {
            note(p, o, "collector entry", coll_ptr(m->after, row));
        }
    }
}

static void show_stage(wlk_pipeline *p, const moves *m) {
    const uint64_t *entry = stage_entry(m->before);
    if (!stage_full(m->before)) {
        return;
    }
    if (!p->stage.live) { // here since before the picture began
        start(p, &p->stage, wlk_entry_get_wid(entry), entry);
    }
    show_both(p, &p->stage, issue, m->fires ? NULL : blocked);
}

// A write-back ends the instruction it belongs to and wakes rows.
static void show_writeback(wlk_pipeline *p, const moves *m) {
    const uint32_t preg = wlk_issue_in_get_writeback_bits_rd(m->in);
    if (!wlk_issue_in_get_writeback_valid(m->in) || !p->running[preg].live) {
        return;
    }
    move(&p->written, &p->running[preg]);
    show(p, &p->written, STAGES, writeback);
    for (uint32_t rest = m->woken[0] | m->woken[1] | m->woken[2]; rest != 0; rest &= rest - 1u) {
        emit(p, "W\t%" PRIu64 "\t%" PRIu64 "\t0\n", p->rows[__builtin_ctz(rest)].id, p->written.id);
    }
}

/* ---- the edge ---- */

static void move_all(wlk_pipeline *p, const moves *m) {
    if (m->fires) {
        move(&p->issued, &p->stage);
    }
    if (m->left != 0) {
        move(&p->stage, &p->rows[__builtin_ctz(m->left)]);
    }
    if (m->entered != 0) {
        const uint32_t row = (uint32_t)__builtin_ctz(m->entered);
        // Its wid may name another warp than the one whose head it was.
        op *head = &p->heads[last_admitted(m->after) % WARPS];
        note(p, head, "row", row);
        move(&p->rows[row], head);
    }
}

// What the last cycle's edge has finished. Nobody waits for x0 or for an instruction without rd,
// and what becomes of them shows on no port: they end with their issue.
static void finish(wlk_pipeline *p) {
    end(p, &p->written, false);
    if (!p->issued.live) {
        return;
    }
    show(p, &p->issued, STAGES, execute);
    if (!has_rd(&p->issued) || rd(&p->issued) == 0) {
        end(p, &p->issued, false);
        return;
    }
    op *slot = &p->running[rd(&p->issued)];
    // Its write-back came before its issue, or never: a stimulus that breaks rules.
    end(p, slot, true);
    move(slot, &p->issued);
}

void wlk_pipeline_cycle(wlk_pipeline *p, const wlk_issue_state *before, const uint64_t *in,
                        const wlk_issue_state *after) {
    moves m = {.before = before, .after = after, .in = in};
    finish(p);
    if (wlk_issue_in_get_reset(in)) {
        flush_all(p);
        p->is_defined = true;
    } else if (p->is_defined) {
        observe_rows(&m);
        follow_heads(p, &m);
        observe_heads(p, &m);
        show_heads(p, &m);
        show_rows(p, &m);
        show_stage(p, &m);
        show_writeback(p, &m);
        move_all(p, &m);
    }
    p->cycle++;
}

/* ---- open and close ---- */

wlk_pipeline *wlk_pipeline_open(const char *path, bool replace, const uint32_t *cfg,
                                bool is_defined, wlk_error *err) {
    wlk_pipeline *p = calloc(1, sizeof *p);
    if (p == NULL) {
        (void)wlk_fail(err, WLK_NO_MEMORY, "%s: out of memory", path);
        return NULL;
    }
    memcpy(&p->cfg, cfg, sizeof p->cfg);
    p->is_defined = is_defined;
    if (wlk_output_open(&p->file, path, replace, err) != WLK_OK) {
        free(p);
        return NULL;
    }
    emit(p, "Kanata\t0004\nC=\t0\n");
    return p;
}

wlk_status wlk_pipeline_close(wlk_pipeline *p, wlk_error *err) {
    if (p == NULL) {
        return WLK_OK;
    }
    finish(p);
    flush_all(p);
    emit(p, "%s", ""); // the last cycle
    const wlk_status status = wlk_output_finish(&p->file, err);
    free(p);
    return status;
}

void wlk_pipeline_abort(wlk_pipeline *p) {
    if (p != NULL) {
        wlk_output_abort(&p->file);
        free(p);
    }
}

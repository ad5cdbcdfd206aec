// SPDX-License-Identifier: Apache-2.0
// What keeps the issue stage from coming to its end, for a person (muon-issue §4, §5).
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "issue_private.h"

enum { LINE = 256 };

typedef struct text {
    char *to;
    size_t size, used;
} text;

// The situation that the lines are about.
typedef struct scene {
    const stage *s;
    const wlk_stimulus_state *stim;
    const memory *mem;
    admitted left;                // no longer there
    uint32_t warps;               // with an instruction
    uint32_t candidates;          // of these, with one that has no hazard
    uint32_t chosen;              // the warp whose candidate goes first, if there is one
    uint8_t candidate[MAX_WARPS]; // which it is
} scene;

// One line, whole or not at all.
__attribute__((format(printf, 2, 3))) static void add_line(text *t, const char *format, ...) {
    char line[LINE];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (n < 0 || t->used + strlen(line) + 2u > t->size) {
        t->size = t->used; // drop the lines after it too
        return;
    }
    t->used += (size_t)snprintf(t->to + t->used, t->size - t->used, "%s%s",
                                t->used != 0 ? "\n" : "", line);
}

static const char *place(const scene *c, const uint64_t *entry, char *to, size_t size) {
    const wlk_instruction *instruction = instruction_of(c->stim, entry);
    const int n = snprintf(to, size, "pc=0x%08" PRIx64, wlk_entry_get_pc(entry));
    if (instruction != NULL && n > 0) {
        (void)snprintf(to + n, size - (size_t)n, " (line %" PRIu32 ")", instruction->line);
    }
    return to;
}

// Instructions of a warp that wait, and one of them.
static uint32_t count_of(const scene *c, uint32_t warp) {
    return c->mem->count[warp] - (uint32_t)(c->left.any && c->left.warp == warp);
}

static const uint64_t *instruction_at(const scene *c, uint32_t warp, uint32_t number) {
    const bool moved_up = c->left.any && c->left.warp == warp && c->left.number <= number;
    return c->mem->shown[place_of(c->s, warp, number + (uint32_t)moved_up)];
}

// ---- instructions that wait for admission -----------------------------------------------------

static bool has_waw(const scene *c, const uint64_t *entry) {
    return wlk_entry_get_hasRd(entry) && pending_write(c->s, wlk_entry_get_rd(entry));
}

static bool has_war(const scene *c, const uint64_t *entry) {
    const bool gate = c->s->x == NULL || c->s->x_cfg->war == WLK_ISSUE_X_WAR_GATE;
    return gate && wlk_entry_get_hasRd(entry) && c->s->pending_reads[wlk_entry_get_rd(entry)] != 0;
}

// Does a later one have to stay behind an earlier one (muon-designs §7)? Register 0 is free.
static bool is_fenced_by(const uint64_t *later, const uint64_t *earlier) {
    const uint32_t has = wlk_entry_has_rs(earlier);
    const uint32_t rd = wlk_entry_get_rd(later), wrote = wlk_entry_get_rd(earlier);
    bool fenced = wrote != 0 && wlk_entry_get_hasRd(earlier) && wlk_stim_issue_names(later, wrote);
    for (uint32_t i = 0; i < OPERANDS && wlk_entry_get_hasRd(later) && rd != 0; i++) {
        fenced = fenced || ((has >> i & 1u) && wlk_entry_rs(earlier, i) == rd);
    }
    return fenced;
}

// The first instruction of a warp that may be admitted, if there is one.
static bool find_candidate(scene *c, uint32_t warp) {
    for (uint32_t n = 0; n < count_of(c, warp); n++) {
        const uint64_t *entry = instruction_at(c, warp, n);
        bool skipped = has_waw(c, entry) || has_war(c, entry);
        for (uint32_t before = 0; before < n; before++) {
            skipped = skipped || is_fenced_by(entry, instruction_at(c, warp, before));
        }
        if (!skipped) {
            c->candidate[warp] = (uint8_t)n;
            return true;
        }
    }
    return false;
}

// The arbiter's choice (§1); `last` is known, or only one warp has a head.
static uint32_t choice(const scene *c) {
    const uint32_t later =
        c->candidates & (uint32_t)(~UINT64_C(0) << (c->s->last % MAX_WARPS + 1u));
    return (uint32_t)__builtin_ctz((later != 0 ? later : c->candidates) | UINT32_C(1) << 31);
}

// Why an instruction can never be admitted; false: it can.
static bool never_admitted(const scene *c, const uint64_t *entry, char *why, size_t size) {
    uint32_t preg = 0;
    const uint32_t named = wlk_stim_issue_most_named(entry, &preg);
    if (wlk_entry_has_rs(entry) == 0 && !wlk_entry_get_hasRd(entry)) {
        (void)snprintf(why, size, "names no register");
        return true;
    }
    if (named > c->s->max_pending_reads) {
        (void)snprintf(why, size,
                       "names x%" PRIu32 " in %" PRIu32
                       " sources and max_pending_reads is %" PRIu32,
                       preg, named, c->s->max_pending_reads);
        return true;
    }
    return false;
}

static const char *title(uint32_t number) {
    return number == 0 ? "head" : "instruction";
}

static void say_chosen(const scene *c, text *t) {
    const uint32_t number = c->candidate[c->chosen];
    const uint64_t *entry = instruction_at(c, c->chosen, number);
    char at[64], why[LINE / 2];
    if (!never_admitted(c, entry, why, sizeof why)) {
        return;
    }
    add_line(
        t, "warp %" PRIu32 "'s %s %s %s, so the scoreboard never admits it (muon-issue, section 4)",
        c->chosen, title(number), place(c, entry, at, sizeof at), why);
}

// Has it to wait for a collector entry (muon-designs §4.1, admit)?
static bool lacks_entry(const scene *c, const uint64_t *entry, uint32_t unit) {
    const wlk_issue_x_cfg *cfg = c->s->x_cfg;
    if (cfg == NULL || cfg->coll_alloc != WLK_ISSUE_X_COLL_ALLOC_ADMIT ||
        wlk_entry_has_rs(entry) == 0) {
        return false;
    }
    const uint32_t banked = cfg->coll_banks * cfg->coll_depth / OPERANDS;
    const uint32_t n = cfg->collector != WLK_ISSUE_X_COLLECTOR_SRC_BANKED ? cfg->coll_depth
                       : banked != 0                                      ? banked
                                                                          : 1u;
    bool taken = true;
    for (uint32_t e = unit * n; e < (unit + 1u) * n; e++) {
        taken = taken && (c->s->x->collector.taken[e / 64u] >> e % 64u & 1u) != 0;
    }
    return taken;
}

// What a candidate that is chosen waits for.
static const char *wanted(const scene *c, uint32_t warp, uint32_t number) {
    const uint32_t unit = c->s->banks != 0 ? c->mem->unit[place_of(c->s, warp, number)] : 0u;
    if (c->s->valid == (uint32_t)wlk_mask(c->s->rs_entries)) {
        return "a row";
    }
    return lacks_entry(c, instruction_at(c, warp, number), unit) ? "a collector entry"
                                                                 : "pending reads of its sources";
}

static void say_waiting(const scene *c, uint32_t warp, uint32_t number, text *t) {
    const uint64_t *entry = instruction_at(c, warp, number);
    const uint32_t rd = wlk_entry_get_rd(entry);
    char at[64], why[LINE / 2];
    (void)place(c, entry, at, sizeof at);
    if (has_waw(c, entry)) {
        add_line(t, "warp %" PRIu32 "'s %s %s waits for the write of x%" PRIu32, warp,
                 title(number), at, rd);
    } else if (has_war(c, entry)) {
        add_line(t, "warp %" PRIu32 "'s %s %s waits for %" PRIu32 " reads of x%" PRIu32, warp,
                 title(number), at, (uint32_t)c->s->pending_reads[rd], rd);
    } else if (warp != c->chosen) {
        add_line(t, "warp %" PRIu32 "'s %s %s waits behind that of warp %" PRIu32, warp,
                 title(number), at, c->chosen);
    } else if (!never_admitted(c, entry, why, sizeof why)) {
        add_line(t, "warp %" PRIu32 "'s %s %s waits for %s", warp, title(number), at,
                 wanted(c, warp, number));
    }
}

// The head, and the one that may pass it.
static void say_warp(const scene *c, uint32_t warp, text *t) {
    say_waiting(c, warp, 0, t);
    if ((c->candidates >> warp & 1u) != 0 && c->candidate[warp] != 0) {
        say_waiting(c, warp, c->candidate[warp], t);
    }
}

// ---- writes (muon-designs §6) -----------------------------------------------------------------

static bool is_offered(const scene *c, uint32_t preg) {
    return c->mem->holds_write && !c->mem->was_reset && c->mem->offered_result.rd == preg;
}

static bool is_stored(const scene *c, uint32_t preg) {
    bool found = false;
    for (uint32_t n = 0; c->s->x != NULL && n < c->s->x->n_writes; n++) {
        found = found || c->s->x->writes[n].rd == preg;
    }
    return found;
}

static bool in_execution(const scene *c, uint32_t preg) {
    for (uint32_t i = 0; i < c->mem->n_results; i++) {
        if (c->mem->results[i].rd == preg) {
            return true;
        }
    }
    return false;
}

// The epoch whose reads a write of @p preg waits for.
static uint32_t old_epoch(const scene *c, uint32_t preg) {
    return c->s->x_cfg->war != WLK_ISSUE_X_WAR_EPOCH
               ? 0u
               : 1u - (uint32_t)(c->s->x->scoreboard.epoch[preg / 64u] >> preg % 64u & 1u);
}

// Reads that a write of @p preg waits for.
static uint32_t reads_before(const scene *c, uint32_t preg) {
    return c->s->x_cfg->war == WLK_ISSUE_X_WAR_GATE
               ? 0u
               : c->s->pending_reads[old_epoch(c, preg) * WLK_ISSUE_X_MAX_NUM_PREGS + preg];
}

// Rows that have yet to read @p preg before it is written; of these, in @p wait, those that wait
// for a write of it.
static uint32_t readers(const scene *c, uint32_t preg, uint32_t *wait) {
    uint32_t rows = 0;
    *wait = 0;
    for (uint32_t rest = c->s->valid; rest != 0; rest &= rest - 1u) {
        const uint32_t row = (uint32_t)__builtin_ctz(rest);
        for (uint32_t i = 0; i < OPERANDS; i++) {
            const bool reads =
                wlk_entry_rs(c->s->entry[row], i) == preg && !has_row(c->s->op_ready[i], row);
            const uint32_t epoch = c->s->x->rows.epoch[i] >> row & 1u;
            if (reads && epoch == old_epoch(c, preg)) {
                rows |= UINT32_C(1) << row;
                *wait |= c->s->busy[i] & UINT32_C(1) << row;
            }
        }
    }
    return rows;
}

static const char *numbers(uint32_t set, char *to, size_t size) {
    size_t used = 0;
    to[0] = '\0';
    for (; set != 0 && used + 4u < size; set &= set - 1u) {
        used += (size_t)snprintf(to + used, size - used, " %d", __builtin_ctz(set));
    }
    return to;
}

// A write that old reads hold up.
static void say_refused(const scene *c, const char *which, uint32_t preg, text *t) {
    char rows[96];
    uint32_t wait;
    const uint32_t reads = reads_before(c, preg), all = readers(c, preg, &wait);
    if (reads == 0) {
        return;
    }
    add_line(t,
             "the %s of x%" PRIu32 " is refused while %" PRIu32
             " read%s of its old value %s pending (muon-designs, section 6.2): row%s",
             which, preg, reads, reads == 1 ? "" : "s", reads == 1 ? "is" : "are",
             numbers(all, rows, sizeof rows));
    if (wait != 0) {
        add_line(t,
                 "that is a deadlock (muon-designs, section 6.4): the write waits for a read, and "
                 "the read for the write, of row%s",
                 numbers(wait, rows, sizeof rows));
    }
}

static void say_writes(const scene *c, text *t) {
    if (c->s->x == NULL) {
        return;
    }
    for (uint32_t n = 0; n < c->s->x->n_writes; n++) {
        say_refused(c, "stored write", c->s->x->writes[n].rd, t);
    }
    if (is_offered(c, c->mem->offered_result.rd) && c->s->x_cfg->wb_buffer == 0) {
        say_refused(c, "write", c->mem->offered_result.rd, t);
    } else if (is_offered(c, c->mem->offered_result.rd)) {
        add_line(t, "the write of x%" PRIu32 " waits for room in the write-back buffer",
                 c->mem->offered_result.rd);
    }
}

// Where the write of a register is.
static void locate(const scene *c, uint32_t preg, char *where, size_t size) {
    where[0] = '\0';
    if (is_offered(c, preg)) {
        (void)snprintf(where, size, ", which is not taken");
    } else if (is_stored(c, preg)) {
        (void)snprintf(where, size, ", which is stored");
    } else if (in_execution(c, preg) && c->mem->holds_write) {
        (void)snprintf(where, size, ", which is behind that of x%" PRIu32,
                       c->mem->offered_result.rd);
    } else if (in_execution(c, preg)) {
        (void)snprintf(where, size, ", which is in execution");
    }
}

// ---- rows, stage, execution -------------------------------------------------------------------

// What operand @p i of a row waits for; false: it is there.
static bool operand_waits(const scene *c, uint32_t row, uint32_t i, char *why, size_t size) {
    const uint32_t preg = wlk_entry_rs(c->s->entry[row], i);
    char where[64];
    if (has_row(c->s->op_ready[i], row)) {
        return false;
    }
    if (has_row(c->s->busy[i], row)) {
        locate(c, preg, where, sizeof where);
        (void)snprintf(why, size, "the write of x%" PRIu32 "%s", preg, where);
    } else if (has_row(c->s->coll_fired[i], row)) {
        (void)snprintf(why, size, "the collector's answer for x%" PRIu32, preg);
    } else if (c->s->x != NULL && has_row(c->s->x->rows.placed, row)) {
        (void)snprintf(why, size, "a read of x%" PRIu32, preg);
    } else {
        (void)snprintf(why, size, "a collector entry for x%" PRIu32, preg);
    }
    return true;
}

// Is there an older instruction of its warp in a row? Numbers wrap, but where a warp goes in order
// its rows are near each other.
static bool has_older(const stage *s, uint32_t row) {
    const uint32_t warp = wlk_entry_get_wid(s->entry[row]);
    bool found = false;
    for (uint32_t rest = s->valid; rest != 0; rest &= rest - 1u) {
        const uint32_t other = (uint32_t)__builtin_ctz(rest);
        const uint8_t behind = (uint8_t)(s->sequence[row] - s->sequence[other]);
        found = found || (wlk_entry_get_wid(s->entry[other]) == warp && behind - 1u < INT8_MAX);
    }
    return found;
}

static void say_row(const scene *c, uint32_t row, text *t) {
    const uint64_t *entry = c->s->entry[row];
    char at[64], why[96] = "the output stage";
    bool waits = false;
    // A row may wait for a write and for more: the write is what holds it up.
    for (uint32_t i = 0; i < 2 * OPERANDS && !waits; i++) {
        const uint32_t operand = i % OPERANDS;
        waits = (i >= OPERANDS || c->s->x == NULL || has_row(c->s->busy[operand], row)) &&
                operand_waits(c, row, operand, why, sizeof why);
    }
    if (!waits && c->s->in_order && has_older(c->s, row)) {
        (void)snprintf(why, sizeof why, "an older instruction of its warp");
    }
    add_line(t, "row %" PRIu32 ": warp %u's %s waits for %s", row, wlk_entry_get_wid(entry),
             place(c, entry, at, sizeof at), why);
}

static void say_outside(const scene *c, text *t) {
    char at[64], number[16] = "";
    for (uint32_t p = 0; p < c->s->n_ports; p++) {
        const uint64_t *entry = c->s->ports[p].entry;
        if (c->s->n_ports > 1) {
            (void)snprintf(number, sizeof number, " %" PRIu32, p);
        }
        if (entry != NULL) {
            add_line(t, "issue port%s: warp %" PRIu32 "'s %s waits for issue.ready of the %s",
                     number, wlk_entry_get_wid(entry), place(c, entry, at, sizeof at),
                     wlk_unit_name(unit_of(c->stim, entry)));
        }
    }
    if (c->mem->n_results != 0) {
        add_line(t, "in execution: %" PRIu32 " results", c->mem->n_results);
    }
}

static void say_unfinished(const scene *c, text *t) {
    for (uint32_t rest = wlk_stim_issue_unfinished(c->s, c->stim); rest != 0; rest &= rest - 1u) {
        const uint32_t warp = (uint32_t)__builtin_ctz(rest);
        size_t count = 0;
        (void)wlk_program_warp(c->stim->program, warp, &count);
        add_line(t, "warp %" PRIu32 " has yet to offer %zu of %zu instructions", warp,
                 count - c->mem->position[warp], count);
    }
}

void wlk_stim_issue_stuck(const stage *s, const wlk_stimulus_state *stim, char *to, size_t size) {
    const memory *mem = memory_at(stim);
    scene c = {.s = s, .stim = stim, .mem = mem, .left = wlk_stim_issue_admitted(s, mem)};
    text t = {to, size, 0};
    to[0] = '\0';
    c.warps = wlk_stim_issue_waiting(s, mem);
    for (uint32_t rest = c.warps; rest != 0; rest &= rest - 1u) {
        const uint32_t warp = (uint32_t)__builtin_ctz(rest);
        c.candidates |= (uint32_t)find_candidate(&c, warp) << warp;
    }
    c.chosen = choice(&c);
    if (c.candidates != 0) {
        say_chosen(&c, &t);
    }
    say_writes(&c, &t);
    for (uint32_t rest = c.warps; rest != 0; rest &= rest - 1u) {
        say_warp(&c, (uint32_t)__builtin_ctz(rest), &t);
    }
    for (uint32_t rest = s->valid; rest != 0; rest &= rest - 1u) {
        say_row(&c, (uint32_t)__builtin_ctz(rest), &t);
    }
    say_outside(&c, &t);
    say_unfinished(&c, &t);
}

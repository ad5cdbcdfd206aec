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
    const wlk_issue_cfg *cfg;
    const wlk_issue_state *st;
    const wlk_stimulus_state *stim;
    const memory *mem;
    uint32_t heads;      // warps with a head
    uint32_t candidates; // of these, without WAW and WAR
    uint32_t chosen;     // the warp whose head goes first, if there is a candidate
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

static const char *place(const scene *s, const uint64_t *entry, char *to, size_t size) {
    const wlk_instruction *instruction = instruction_of(s->stim, entry);
    const int n = snprintf(to, size, "pc=0x%08" PRIx64, wlk_entry_get_pc(entry));
    if (instruction != NULL && n > 0) {
        (void)snprintf(to + n, size - (size_t)n, " (line %" PRIu32 ")", instruction->line);
    }
    return to;
}

static uint32_t pending_reads(const scene *s, uint32_t preg) {
    return s->st->scoreboard.pendingReads[preg];
}

static bool pending_write(const scene *s, uint32_t preg) {
    return s->st->scoreboard.pendingWrites[preg / 64u] >> (preg % 64u) & 1u;
}

static const uint64_t *head_of(const scene *s, uint32_t warp) {
    return s->mem->head[warp];
}

// ---- heads ------------------------------------------------------------------------------------

static bool is_candidate(const scene *s, const uint64_t *entry) {
    const uint32_t rd = wlk_entry_get_rd(entry);
    return !wlk_entry_get_hasRd(entry) || (!pending_write(s, rd) && pending_reads(s, rd) == 0);
}

// The arbiter's choice (§1); `last` is known, or only one warp has a head.
static uint32_t choice(const scene *s) {
    const uint32_t last = (uint32_t)__builtin_ctz(s->st->hazard.last | UINT32_C(1) << 31);
    const uint32_t later = s->candidates & (uint32_t)(~UINT64_C(0) << (last + 1u));
    return (uint32_t)__builtin_ctz((later != 0 ? later : s->candidates) | UINT32_C(1) << 31);
}

// Why a head can never be admitted; false: it can.
static bool never_admitted(const scene *s, const uint64_t *entry, char *why, size_t size) {
    uint32_t preg = 0;
    const uint32_t named = wlk_stim_issue_most_named(entry, &preg);
    if (wlk_entry_has_rs(entry) == 0 && !wlk_entry_get_hasRd(entry)) {
        (void)snprintf(why, size, "names no register");
        return true;
    }
    if (named > s->cfg->max_pending_reads) {
        (void)snprintf(why, size,
                       "names x%" PRIu32 " in %" PRIu32
                       " sources and max_pending_reads is %" PRIu32,
                       preg, named, s->cfg->max_pending_reads);
        return true;
    }
    return false;
}

static void say_chosen(const scene *s, text *t) {
    const uint64_t *entry = head_of(s, s->chosen);
    char at[64], why[LINE / 2];
    if (!never_admitted(s, entry, why, sizeof why)) {
        return;
    }
    add_line(t,
             "warp %" PRIu32
             "'s head %s %s, so the scoreboard never admits it (muon-issue, section 4)",
             s->chosen, place(s, entry, at, sizeof at), why);
}

static void say_head(const scene *s, uint32_t warp, text *t) {
    const uint64_t *entry = head_of(s, warp);
    const uint32_t rd = wlk_entry_get_rd(entry);
    char at[64], why[LINE / 2];
    (void)place(s, entry, at, sizeof at);
    if (wlk_entry_get_hasRd(entry) && pending_write(s, rd)) {
        add_line(t, "warp %" PRIu32 "'s head %s waits for the write of x%" PRIu32, warp, at, rd);
    } else if (wlk_entry_get_hasRd(entry) && pending_reads(s, rd) != 0) {
        add_line(t, "warp %" PRIu32 "'s head %s waits for %" PRIu32 " reads of x%" PRIu32, warp, at,
                 pending_reads(s, rd), rd);
    } else if (warp != s->chosen) {
        add_line(t, "warp %" PRIu32 "'s head %s waits behind that of warp %" PRIu32, warp, at,
                 s->chosen);
    } else if (!never_admitted(s, entry, why, sizeof why)) {
        const uint32_t rows = (uint32_t)wlk_mask(s->cfg->rs_entries);
        add_line(t, "warp %" PRIu32 "'s head %s waits for %s", warp, at,
                 s->st->reservStation.valid == rows ? "a row" : "pending reads of its sources");
    }
}

// ---- rows, stage, execution -------------------------------------------------------------------

static bool in_execution(const scene *s, uint32_t preg) {
    for (uint32_t i = 0; i < s->mem->n_results; i++) {
        if (s->mem->results[i].rd == preg) {
            return true;
        }
    }
    return false;
}

// What operand @p i of a row waits for; false: it is there.
static bool operand_waits(const scene *s, uint32_t row, uint32_t i, char *why, size_t size) {
    const wlk_reservation_station_state *rs = &s->st->reservStation;
    const uint32_t preg = rs->rs[i][row];
    if (rs->opReady[i] >> row & 1u) {
        return false;
    }
    if (rs->busy[i] >> row & 1u) {
        (void)snprintf(why, size, "the write of x%" PRIu32 "%s", preg,
                       in_execution(s, preg) ? ", which is in execution" : "");
    } else if (rs->collFired[i] >> row & 1u) {
        (void)snprintf(why, size, "the collector's answer for x%" PRIu32, preg);
    } else {
        (void)snprintf(why, size, "a collector entry for x%" PRIu32, preg);
    }
    return true;
}

static void say_row(const scene *s, uint32_t row, text *t) {
    const wlk_reservation_station_state *rs = &s->st->reservStation;
    char at[64], why[64] = "the output stage";
    bool waits = false;
    for (uint32_t i = 0; i < OPERANDS && !waits; i++) {
        waits = operand_waits(s, row, i, why, sizeof why);
    }
    if (!waits && s->cfg->in_order_per_warp && rs->older[row] != 0) {
        (void)snprintf(why, sizeof why, "an older instruction of its warp");
    }
    add_line(t, "row %" PRIu32 ": warp %u's %s waits for %s", row, rs->warp[row],
             place(s, rs->entry[row], at, sizeof at), why);
}

static void say_outside(const scene *s, text *t) {
    const uint64_t *entry = s->st->reservStation.stage;
    char at[64];
    if (s->st->reservStation.stage_full) {
        add_line(t, "issue port: warp %" PRIu32 "'s %s waits for issue.ready of the %s",
                 wlk_entry_get_wid(entry), place(s, entry, at, sizeof at),
                 wlk_unit_name(unit_of(s->stim, entry)));
    }
    if (s->mem->n_results != 0) {
        add_line(t, "in execution: %" PRIu32 " results", s->mem->n_results);
    }
}

static void say_unfinished(const scene *s, text *t) {
    for (uint32_t rest = wlk_stim_issue_unfinished_warps(s->cfg, s->stim); rest != 0;
         rest &= rest - 1u) {
        const uint32_t warp = (uint32_t)__builtin_ctz(rest);
        size_t count = 0;
        (void)wlk_program_warp(s->stim->program, warp, &count);
        add_line(t, "warp %" PRIu32 " has yet to offer %zu of %zu instructions", warp,
                 count - s->mem->position[warp], count);
    }
}

void wlk_stim_issue_stuck(const uint32_t *words, const void *model_state,
                          const wlk_stimulus_state *stim, char *to, size_t size) {
    const memory *mem = memory_at(stim);
    scene s = {.cfg = (const wlk_issue_cfg *)words,
               .st = (const wlk_issue_state *)model_state,
               .stim = stim,
               .mem = mem};
    text t = {to, size, 0};
    to[0] = '\0';
    s.heads = wlk_stim_issue_waiting_heads(s.cfg, s.st, mem);
    for (uint32_t rest = s.heads; rest != 0; rest &= rest - 1u) {
        const uint32_t warp = (uint32_t)__builtin_ctz(rest);
        s.candidates |= (uint32_t)is_candidate(&s, head_of(&s, warp)) << warp;
    }
    s.chosen = choice(&s);
    if (s.candidates != 0) {
        say_chosen(&s, &t);
    }
    for (uint32_t rest = s.heads; rest != 0; rest &= rest - 1u) {
        say_head(&s, (uint32_t)__builtin_ctz(rest), &t);
    }
    for (uint32_t rest = s.st->reservStation.valid; rest != 0; rest &= rest - 1u) {
        say_row(&s, (uint32_t)__builtin_ctz(rest), &t);
    }
    say_outside(&s, &t);
    say_unfinished(&s, &t);
}

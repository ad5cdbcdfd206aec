// SPDX-License-Identifier: Apache-2.0
// What a run that hangs waits for, and the instructions that wait for one another.
#include "explore.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "warplock/json.h"

enum { TEXT = 200, WORDS = WLK_ISSUE_X_MAX_NUM_PREGS / 64 };

typedef struct scene {
    const explore_run *r;
    const wlk_issue_x_state *st;
    uint64_t regs[WORDS]; // those that the others wait for
    uint32_t rows;        // and the rows that wait for them, or are to write them
} scene;

static bool is_in(const uint64_t *set, uint32_t reg) {
    return set[reg / 64u] >> (reg % 64u) & 1u;
}

static void put_in(uint64_t *set, uint32_t reg) {
    set[reg / 64u] |= UINT64_C(1) << (reg % 64u);
}

static const explore_flight *flight_of(const scene *s, uint32_t row) {
    const uint64_t *entry = s->st->reservStation.entry[row];
    return &s->r->flights[wlk_entry_get_uop_inst_essentials_30(entry)];
}

__attribute__((format(printf, 2, 3))) static void append(char *to, const char *format, ...) {
    const size_t used = strlen(to);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(to + used, TEXT - used, format, args);
    va_end(args);
}

__attribute__((format(printf, 2, 3))) static void line(wlk_json *to, const char *format, ...) {
    char text[2 * TEXT];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    wlk_json_text(to, NULL, text);
}

// "read r1 r2, write r5 (line 7)".
static const char *told(const wlk_instruction *it, char *to) {
    bool reads = false;
    to[0] = '\0';
    for (uint32_t i = 0; i < EXPLORE_OPERANDS; i++) {
        if (it->has_rs[i]) {
            append(to, "%s r%u", reads ? "" : "read", it->rs[i]);
            reads = true;
        }
    }
    if (it->has_rd) {
        append(to, "%swrite r%u", reads ? ", " : "", it->rd);
    }
    if (!reads && !it->has_rd) {
        append(to, "no register");
    }
    if (it->line != 0) {
        append(to, " (line %u)", it->line);
    }
    return to;
}

// ---- writes -----------------------------------------------------------------------------------

// Reads that a write of @p reg waits for (muon-designs §6.2).
static uint32_t reads_before(const scene *s, uint32_t reg) {
    const uint32_t war = s->r->cfg->war;
    const bool second = war == WLK_ISSUE_X_WAR_EPOCH && !is_in(s->st->scoreboard.epoch, reg);
    if (war == WLK_ISSUE_X_WAR_GATE || reg == 0) {
        return 0;
    }
    return s->st->scoreboard.pendingReads[(second ? WLK_ISSUE_X_MAX_NUM_PREGS : 0) + reg];
}

static void say_write(const scene *s, const char *where, uint32_t reg, wlk_json *to) {
    const uint32_t reads = reads_before(s, reg);
    if (reads != 0) {
        line(to, "%s: the write of r%u waits for %u pending read%s of r%u", where, reg, reads,
             reads != 1 ? "s" : "", reg);
    } else {
        line(to, "%s: the write of r%u waits for room", where, reg);
    }
}

static void say_writes(const scene *s, wlk_json *to) {
    for (uint32_t n = 0; n < s->st->n_writes; n++) {
        say_write(s, "write-back buffer", s->st->writes[n].rd, to);
    }
    if (s->r->offered != NULL) {
        say_write(s, "write-back", s->r->offered->rd, to);
    }
    const uint32_t behind = s->r->ex.n_ready + s->r->ex.n_coming - (s->r->offered != NULL);
    if (behind != 0) {
        line(to, "%u result%s behind it", behind, behind != 1 ? "s" : "");
    }
}

// ---- rows and heads ---------------------------------------------------------------------------

static void say_row(const scene *s, uint32_t row, wlk_json *to) {
    const wlk_issue_x_reservation_station *rs = &s->st->reservStation;
    char what[TEXT], why[TEXT] = "";
    for (uint32_t i = 0; i < EXPLORE_OPERANDS; i++) {
        if ((rs->opReady[i] >> row & 1u) == 0) {
            append(why, "%s%s r%u", why[0] != '\0' ? " and " : "",
                   (rs->busy[i] >> row & 1u) != 0 ? "the write of" : "a read of", rs->rs[i][row]);
        }
    }
    line(to, "row %u: warp %u '%s' waits for %s%s", row, rs->warp[row],
         told(&flight_of(s, row)->it, what), why[0] != '\0' ? why : "its issue",
         (s->st->rows.placed >> row & 1u) != 0 || why[0] == '\0' ? "" : "; it has no entry");
}

static bool never_admitted(const scene *s, const wlk_instruction *it) {
    bool any = it->has_rd;
    for (uint32_t i = 0; i < EXPLORE_OPERANDS; i++) {
        uint32_t same = 0;
        for (uint32_t k = 0; k < EXPLORE_OPERANDS; k++) {
            same += it->has_rs[i] && it->has_rs[k] && it->rs[i] != 0 && it->rs[i] == it->rs[k];
        }
        any |= it->has_rs[i];
        if (same > s->r->cfg->max_pending_reads) {
            return true;
        }
    }
    return !any;
}

static void say_head(const scene *s, uint32_t warp, wlk_json *to) {
    const wlk_instruction *it = &s->r->flights[s->r->window[warp][0]].it;
    char what[TEXT], why[TEXT] = "";
    if (it->has_rd && s->st->scoreboard.pendingWrites[it->rd] != 0) {
        append(why, "waits for the write of r%u", it->rd);
    } else if (it->has_rd && s->r->cfg->war == WLK_ISSUE_X_WAR_GATE &&
               s->st->scoreboard.pendingReads[it->rd] != 0) {
        append(why, "waits for pending reads of r%u", it->rd);
    } else if (never_admitted(s, it)) {
        append(why, "can never be admitted (muon-issue, section 4)");
    } else {
        append(why, "waits for its turn, a row, an entry or pending reads");
    }
    line(to, "warp %u's head '%s' %s", warp, told(it, what), why);
}

// ---- the instructions -------------------------------------------------------------------------

// Row @p row, if it is part of it; the registers whose writes it waits for are too then.
static bool add_row(scene *s, uint32_t row) {
    const wlk_issue_x_reservation_station *rs = &s->st->reservStation;
    const explore_flight *f = flight_of(s, row);
    bool part = f->it.has_rd && is_in(s->regs, f->it.rd);
    for (uint32_t i = 0; i < EXPLORE_OPERANDS; i++) {
        part |= (rs->opReady[i] >> row & 1u) == 0 && is_in(s->regs, rs->rs[i][row]);
    }
    if (!part || (s->rows >> row & 1u) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < EXPLORE_OPERANDS; i++) {
        if ((rs->busy[i] >> row & 1u) != 0) {
            put_in(s->regs, rs->rs[i][row]);
        }
    }
    s->rows |= UINT32_C(1) << row;
    return true;
}

// From the writes that are refused on: rows that read their registers, writes that these wait for.
static void close_over(scene *s) {
    bool more = true;
    for (uint32_t n = 0; n < s->st->n_writes; n++) {
        put_in(s->regs, s->st->writes[n].rd);
    }
    if (s->r->offered != NULL) {
        put_in(s->regs, s->r->offered->rd);
    }
    while (more) {
        more = false;
        for (uint32_t left = s->st->reservStation.valid; left != 0; left &= left - 1u) {
            more |= add_row(s, (uint32_t)__builtin_ctz(left));
        }
    }
    if (s->rows == 0) {
        s->rows = s->st->reservStation.valid;
    }
}

static void name_results(const scene *s, const explore_result *results, uint32_t n, wlk_json *to) {
    for (uint32_t i = 0; i < n; i++) {
        if (is_in(s->regs, results[i].rd)) {
            char what[TEXT];
            const wlk_instruction it = {
                .rd = results[i].rd, .has_rd = true, .line = results[i].line};
            line(to, "warp %u: %s", results[i].warp, told(&it, what));
        }
    }
}

// What is stored has left the execution side: only its register is known.
static void name_stored(const scene *s, wlk_json *to) {
    for (uint32_t n = 0; n < s->st->n_writes; n++) {
        line(to, "stored: write r%u", s->st->writes[n].rd);
    }
}

// The heads that can never be admitted, or all of them; false: there is none.
static bool name_heads(const scene *s, bool never, wlk_json *to) {
    char what[TEXT];
    bool any = false;
    for (uint32_t w = 0; w < s->r->cfg->num_warps; w++) {
        const wlk_instruction *it = &s->r->flights[s->r->window[w][0]].it;
        if (s->r->n_window[w] != 0 && (!never || never_admitted(s, it))) {
            line(to, "warp %u: %s", w, told(it, what));
            any = true;
        }
    }
    return any;
}

static void name_program(const scene *s, wlk_json *to) {
    char what[TEXT];
    name_stored(s, to);
    name_results(s, s->r->ex.ready, s->r->ex.n_ready, to);
    name_results(s, s->r->ex.coming, s->r->ex.n_coming, to);
    for (uint32_t left = s->rows; left != 0; left &= left - 1u) {
        const uint32_t row = (uint32_t)__builtin_ctz(left);
        line(to, "warp %u: %s", s->st->reservStation.warp[row], told(&flight_of(s, row)->it, what));
    }
    if (s->rows == 0 && !name_heads(s, true, to)) {
        (void)name_heads(s, false, to);
    }
}

void explore_hang_print(const explore_run *r, wlk_json *to) {
    scene s = {.r = r, .st = (const wlk_issue_x_state *)r->state};
    close_over(&s);
    wlk_json_open(to, "hang", '{');
    wlk_json_number(to, "cycle", r->moved + 1u);
    wlk_json_open(to, "state", '[');
    say_writes(&s, to);
    for (uint32_t left = s.st->reservStation.valid; left != 0; left &= left - 1u) {
        say_row(&s, (uint32_t)__builtin_ctz(left), to);
    }
    for (uint32_t w = 0; w < r->cfg->num_warps; w++) {
        if (r->n_window[w] != 0) {
            say_head(&s, w, to);
        }
    }
    wlk_json_close(to, ']');
    wlk_json_open(to, "program", '[');
    name_program(&s, to);
    wlk_json_close(to, ']');
    wlk_json_close(to, '}');
}

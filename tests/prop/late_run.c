// SPDX-License-Identifier: Apache-2.0
// A dump without its reset against the whole one: late_run BLOCK FILE.wlv CUTS [KEY=VALUE...] plays
// a vector file whole, then from each of CUTS (A,B,...) on with nothing known, and prints one JSON
// object a cut. Before CUTS may stand faults=N: N faults of output bits are put in behind each cut,
// and it prints how many of them the whole file reports and how many the cut one; and drop=SEED: a
// third of the outputs, which the seed chooses, are not there.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "warplock/checker.h"
#include "warplock/vectors.h"

enum { SETTLE = 200 }; // cycles behind a cut that do not count

// One fault of an output bit: stuck at 0 or 1, inverted, a cycle late.
typedef enum fault_kind { NO_FAULT, STUCK_0, STUCK_1, INVERTED, LATE, FAULT_KINDS } fault_kind;

typedef struct fault {
    fault_kind kind;
    uint32_t word;
    uint64_t bit, from; // from this cycle on
} fault;

typedef struct run {
    tool_block b;
    uint64_t *words; // the records: in, out, x each
    uint64_t *out[2];
    uint64_t *compare; // outputs that are there in some cycle
    uint64_t cycles;
    uint32_t record;
} run;

static const uint64_t *in_of(const run *r, uint64_t cycle) {
    return r->words + cycle * r->record;
}

static const uint64_t *x_of(const run *r, uint64_t cycle) {
    return in_of(r, cycle) + r->b.layout.in_words + r->b.layout.out_words;
}

// Outputs of a cycle with the fault; @p to is scratch.
static const uint64_t *out_of(const run *r, uint64_t cycle, const fault *f, uint64_t *to) {
    const uint64_t *out = in_of(r, cycle) + r->b.layout.in_words;
    if (f->kind == NO_FAULT || cycle < f->from) {
        return out;
    }
    memcpy(to, out, r->b.layout.out_words * sizeof *to);
    const uint64_t before = cycle > 0 ? out_of(r, cycle - 1u, &(fault){0}, NULL)[f->word] : 0u;
    const uint64_t bits[FAULT_KINDS] = {0, 0, f->bit, ~to[f->word], before};
    to[f->word] = (to[f->word] & ~f->bit) | (bits[f->kind] & f->bit);
    return to;
}

static wlk_status load(run *r, const char *path, wlk_error *err) {
    const wlk_layout *l = &r->b.layout;
    const uint64_t *in, *out, *care;
    wlk_vec_reader *reader = NULL;
    wlk_status status = wlk_vec_open(&reader, path, err);
    if (status != WLK_OK) {
        return status;
    }
    r->record = l->in_words + 2u * l->out_words;
    r->cycles = wlk_vec_cycles(reader);
    r->words = calloc((size_t)r->record * r->cycles + 3u * l->out_words + 1u, sizeof *r->words);
    r->out[0] = r->words + (size_t)r->record * r->cycles;
    r->out[1] = r->out[0] + l->out_words;
    r->compare = r->out[1] + l->out_words;
    for (uint64_t c = 0; c < r->cycles && status == WLK_OK && r->words != NULL; c++) {
        uint64_t *to = r->words + c * r->record;
        status = wlk_vec_read(reader, &in, &out, &care, err);
        if (status == WLK_OK) {
            memcpy(to, in, l->in_words * sizeof *to);
            memcpy(to + l->in_words, out, l->out_words * sizeof *to);
            for (uint32_t w = 0; w < l->out_words; w++) {
                to[l->in_words + l->out_words + w] = ~care[w];
                r->compare[w] |= care[w];
            }
        }
    }
    wlk_vec_close(reader);
    return r->words == NULL ? tool_no_memory(err) : status;
}

// What a pass has to say.
typedef struct pass {
    wlk_checker_result end;
    uint64_t settled_bits; // compared from `settled` on
    bool drained;          // between the start and `settled`
    char port[WLK_MAX_NAME];
} pass;

static void step(const run *r, wlk_checker *c, uint64_t cycle, const fault *f, bool late) {
    const uint64_t *out = out_of(r, cycle, f, r->out[0]);
    const bool more = cycle + 1u < r->cycles;
    uint64_t *mask = r->out[1];
    if (late) {
        const uint64_t *next = more ? out_of(r, cycle + 1u, f, r->out[1]) : NULL;
        (void)wlk_checker_step_late(c, in_of(r, cycle), NULL, out, x_of(r, cycle), next,
                                    more ? x_of(r, cycle + 1u) : NULL);
        return;
    }
    for (uint32_t w = 0; w < r->b.layout.out_words; w++) {
        mask[w] = ~x_of(r, cycle)[w];
    }
    (void)wlk_checker_step_masked(c, in_of(r, cycle), NULL, out, NULL, mask);
}

static wlk_status play(const run *r, uint64_t from, uint64_t settled, const fault *f, bool late,
                       pass *p, wlk_error *err) {
    const wlk_checker_options options = {
        .scope = "late_run", .late = late, .compare = r->compare, .members = r->b.members};
    wlk_checker *c = NULL;
    const wlk_status status = wlk_checker_open(&c, r->b.block, r->b.cfg, &options, err);
    uint64_t before = 0;
    memset(p, 0, sizeof *p);
    for (uint64_t i = from; i < r->cycles && status == WLK_OK; i++) {
        if (i == settled) {
            before = wlk_checker_result_get(c, false).compared_bits;
        }
        if (i >= settled - SETTLE && i < settled && r->b.block->drained != NULL) {
            p->drained = p->drained || r->b.block->drained(r->b.cfg, wlk_checker_state(c));
        }
        step(r, c, i, f, late);
        if (wlk_checker_done(c)) {
            break;
        }
    }
    if (status == WLK_OK) {
        p->end = wlk_checker_result_get(c, false);
        p->settled_bits = p->end.compared_bits - before;
        const wlk_checker_facts facts = wlk_checker_facts_get(c);
        if (facts.n_differences != 0) {
            memcpy(p->port, facts.ports[facts.differences[0].port].name, sizeof p->port);
        }
        if (getenv("LATE_RUN_REPORT") != NULL && p->end.verdict != WLK_OK) {
            wlk_checker_report(c, stderr);
        }
    }
    wlk_checker_close(c);
    return status;
}

static bool reports(const pass *p) {
    return p->end.verdict != WLK_OK && p->end.verdict != WLK_VACUOUS &&
           p->end.verdict != WLK_NO_RESET;
}

static wlk_status cut(const run *r, uint64_t at, wlk_error *err) {
    const fault none = {0};
    pass whole, late;
    wlk_status status = play(r, 0, at + SETTLE, &none, false, &whole, err);
    status = status == WLK_OK ? play(r, at, at + SETTLE, &none, true, &late, err) : status;
    if (status != WLK_OK) {
        return status;
    }
    wlk_json j = wlk_json_line(stdout);
    wlk_json_number(&j, "cut", at);
    wlk_json_text(&j, "whole", wlk_status_name(whole.end.verdict));
    wlk_json_text(&j, "late", wlk_status_name(late.end.verdict));
    if (reports(&late)) {
        wlk_json_number(&j, "first", at + late.end.first_cycle);
        wlk_json_text(&j, "port", late.port);
    }
    wlk_json_number(&j, "drained", whole.drained);
    if (late.end.known) {
        wlk_json_number(&j, "known_from", late.end.known_from);
    }
    wlk_json_number(&j, "forgotten", late.end.forgotten);
    wlk_json_number(&j, "whole_bits", whole.settled_bits);
    wlk_json_number(&j, "late_bits", late.settled_bits);
    wlk_json_line_end(&j);
    return WLK_OK;
}

// Numbers that look random, from a seed (xorshift64*).
static uint64_t draw(uint64_t *seed) {
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * UINT64_C(0x2545f4914f6cdd1d);
}

static wlk_status faults(const run *r, uint64_t n, uint64_t at, wlk_error *err) {
    uint64_t seed = at + 1u, whole_count = 0, late_count = 0;
    wlk_status status = WLK_OK;
    for (uint64_t i = 0; i < n && status == WLK_OK; i++) {
        const wlk_port *port;
        do {
            port = &r->b.ports[draw(&seed) % r->b.layout.n_ports];
        } while (!port->is_out || !port->present);
        const fault f = {.kind = (fault_kind)(1u + draw(&seed) % (FAULT_KINDS - 1u)),
                         .word = port->word,
                         .bit = UINT64_C(1) << (port->lsb + draw(&seed) % port->width),
                         .from = at};
        pass whole, late;
        status = play(r, 0, at + SETTLE, &f, false, &whole, err);
        status = status == WLK_OK ? play(r, at, at + SETTLE, &f, true, &late, err) : status;
        whole_count += status == WLK_OK && reports(&whole);
        late_count += status == WLK_OK && reports(&whole) && reports(&late);
    }
    wlk_json j = wlk_json_line(stdout);
    wlk_json_number(&j, "cut", at);
    wlk_json_number(&j, "faults", n);
    wlk_json_number(&j, "whole", whole_count);
    wlk_json_number(&j, "late", late_count);
    wlk_json_line_end(&j);
    return status;
}

static void drop(run *r, uint64_t seed) {
    for (uint32_t i = 0; i < r->b.layout.n_ports; i++) {
        const wlk_port *port = &r->b.ports[i];
        if (port->is_out && draw(&seed) % 3u == 0) {
            wlk_port_set(port, r->compare, 0u);
        }
    }
}

static wlk_status work(run *r, int argc, char **argv, wlk_error *err) {
    uint64_t n = 0, seed = 0, at = 0;
    int used = 3;
    while (used < argc - 1 &&
           ((strncmp(argv[used], "faults=", 7) == 0 && tool_number(argv[used] + 7, &n)) ||
            (strncmp(argv[used], "drop=", 5) == 0 && tool_number(argv[used] + 5, &seed)))) {
        used++;
    }
    const char *cuts = argv[used++];
    wlk_status status = tool_block_open(&r->b, argv[1], argv + used, argc - used, err);
    status = status == WLK_OK ? load(r, argv[2], err) : status;
    if (status == WLK_OK && seed != 0) {
        drop(r, seed);
    }
    while (status == WLK_OK && tool_take_number(&cuts, ',', &at)) {
        status = n != 0 ? faults(r, n, at, err) : cut(r, at, err);
    }
    return status;
}

int main(int argc, char **argv) {
    static run r;
    wlk_error err;
    if (argc < 4) {
        fputs("usage: late_run BLOCK FILE.wlv [faults=N] [drop=SEED] CUT,... [KEY=VALUE...]\n",
              stderr);
        return WLK_USAGE;
    }
    const wlk_status status = work(&r, argc, argv, &err);
    tool_block_close(&r.b);
    free(r.words);
    return status == WLK_OK ? tool_close_output("late_run") : tool_fail("late_run", &err);
}

// SPDX-License-Identifier: Apache-2.0
// The stimulus of the issue stage on the model alone: what it offers and writes back, and what it
// reports of a program that does not come to its end.
#include "check.h"
#include "warplock/issue.h"
#include "warplock/stimulus.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WARPS = WLK_ISSUE_MAX_NUM_WARPS, PREGS = 64, TEXT = 4096 };

// A stage with its stimulus, and the last cycle's record.
typedef struct bench {
    const wlk_block *block;
    const wlk_stimulus *gen;
    wlk_issue_cfg cfg;
    wlk_layout layout;
    void *st;
    wlk_stimulus_state stim;
    wlk_program *program;
    uint64_t *in, *out, *care;
    uint64_t cycle; // of the record
} bench;

static void configure(wlk_issue_cfg *cfg) {
    wlk_config_defaults(&wlk_issue_table, (uint32_t *)cfg);
    cfg->num_warps = 4;
    cfg->num_lanes = 2;
    cfg->num_pregs = PREGS;
    cfg->max_pending_reads = 2;
}

static void open_bench(bench *b, uint64_t seed, const char *profile) {
    memset(b, 0, sizeof *b);
    b->block = wlk_block_find("issue");
    b->gen = wlk_stimulus_find("issue");
    configure(&b->cfg);
    b->block->table->layout((const uint32_t *)&b->cfg, &b->layout);
    b->st = aligned_alloc(64, (b->block->state_size((const uint32_t *)&b->cfg) + 63u) / 64u * 64u);
    b->in = calloc(b->layout.in_words, sizeof *b->in);
    b->out = calloc(b->layout.out_words, sizeof *b->out);
    b->care = calloc(b->layout.out_words, sizeof *b->care);
    if (b->st == NULL || b->in == NULL || b->out == NULL || b->care == NULL) {
        abort();
    }
    uint32_t number = 0;
    CHECK(wlk_stimulus_profile(b->gen, profile, &number));
    b->block->init((const uint32_t *)&b->cfg, b->st, WLK_POWER_UNKNOWN);
    wlk_stimulus_init(&b->stim, seed, number);
}

static void close_bench(bench *b) {
    free(b->st);
    free(b->in);
    free(b->out);
    free(b->care);
    wlk_program_free(b->program);
}

static void load(bench *b, const char *instructions) {
    char path[] = "/tmp/wlk_stim_issue_XXXXXX";
    wlk_error err = {WLK_OK, ""};
    const int file = mkstemp(path);
    FILE *to = file >= 0 ? fdopen(file, "w") : NULL;
    if (to == NULL) {
        abort();
    }
    fprintf(to, "warplock-program 1\n%s", instructions);
    fclose(to);
    const wlk_status status = wlk_stimulus_load(b->gen, b->block->table, (const uint32_t *)&b->cfg,
                                                path, &b->program, &err);
    CHECK_MSG(status == WLK_OK, "%s", err.text);
    b->stim.program = b->program;
    (void)unlink(path);
}

static void step(bench *b) {
    wlk_step_info info;
    const uint32_t *cfg = (const uint32_t *)&b->cfg;
    b->cycle = b->stim.cycle;
    b->gen->next(cfg, b->st, &b->stim, b->in);
    b->block->record(cfg, b->st, b->in, b->out, b->care, &info);
}

static bool issues(const bench *b) {
    return wlk_issue_out_get_issue_valid(b->out) && wlk_issue_in_get_issue_ready(b->in);
}

static const uint64_t *issued(const bench *b) {
    return b->out + WLK_ISSUE_OUT_ISSUE_BITS;
}

static const uint64_t *head(const bench *b, uint32_t warp) {
    return wlk_issue_in_element(b->in, warp) + WLK_ISSUE_IN_IBUF_BITS;
}

/* ---- random work ---- */

static void stim_issue_holds_a_head_until_it_is_admitted(void) {
    uint64_t before[WARPS][WLK_ENTRY_WORDS];
    uint32_t waiting = 0, held = 0;
    bench b;
    open_bench(&b, 3, "mixed");
    for (uint32_t c = 0; c < 4000; c++) {
        step(&b);
        const uint32_t valid = wlk_issue_in_get_ibuf_valid(b.in);
        for (uint32_t w = 0; w < b.cfg.num_warps; w++) {
            if (waiting >> w & 1u) {
                CHECK(valid >> w & 1u);
                CHECK(memcmp(before[w], head(&b, w), sizeof before[w]) == 0);
                held++;
            }
            memcpy(before[w], head(&b, w), sizeof before[w]);
        }
        const bool reset = wlk_issue_in_get_reset(b.in);
        waiting = reset ? 0u : valid & ~(uint32_t)wlk_issue_out_get_ibuf_ready(b.out);
    }
    CHECK_MSG(held > 3000, "%u", held);
    close_bench(&b);
}

// Every result comes back once, and nothing else does, but in the profile that is made for it.
static uint32_t strays(const char *profile, uint32_t *written) {
    uint32_t running[PREGS] = {0}, stray = 0;
    bench b;
    open_bench(&b, 5, profile);
    for (uint32_t c = 0; c < 6000; c++) {
        b.stim.drain = c >= 5000;
        step(&b);
        const uint32_t rd = wlk_issue_in_get_writeback_bits_rd(b.in);
        if (wlk_issue_in_get_writeback_valid(b.in)) {
            *written += 1u;
            stray += running[rd] == 0;
            running[rd] -= running[rd] != 0;
        }
        if (wlk_issue_in_get_reset(b.in)) {
            memset(running, 0, sizeof running);
        } else if (issues(&b) && wlk_entry_get_hasRd(issued(&b))) {
            running[wlk_entry_get_rd(issued(&b))]++;
        }
    }
    for (uint32_t preg = 0; preg < PREGS; preg++) {
        CHECK_MSG(running[preg] == 0, "%s: x%u is not written back", profile, preg);
    }
    CHECK(b.gen->idle((const uint32_t *)&b.cfg, b.st, &b.stim));
    close_bench(&b);
    return stray;
}

static void stim_issue_writes_each_result_back_once(void) {
    const wlk_stimulus *gen = wlk_stimulus_find("issue");
    for (uint32_t p = 0; gen->profiles[p] != NULL; p++) {
        uint32_t written = 0;
        const uint32_t stray = strays(gen->profiles[p], &written);
        const bool wanted = strcmp(gen->profiles[p], "stray") == 0;
        CHECK_MSG(wanted ? stray > 500 : stray == 0, "%s: %u", gen->profiles[p], stray);
        CHECK_MSG(written > 100, "%s: %u", gen->profiles[p], written);
    }
}

/* ---- programs ---- */

static void stim_issue_keeps_the_latency_of_an_instruction(void) {
    uint64_t at_issue = 0, at_write = 0;
    bench b;
    open_bench(&b, 1, "mix");
    load(&b, "0 0x0 x1 - - - * 23 lsu\n");
    for (uint32_t c = 0; c < 60; c++) {
        step(&b);
        at_issue = issues(&b) ? b.cycle : at_issue;
        at_write = wlk_issue_in_get_writeback_valid(b.in) ? b.cycle : at_write;
    }
    CHECK(at_issue != 0);
    CHECK(at_write == at_issue + 23u);
    close_bench(&b);
}

// docs/program-format.md: an sfu takes an instruction every 8 cycles, an alu in each.
static void stim_issue_keeps_a_unit_busy(void) {
    static const char *const units[] = {"alu", "sfu"};
    uint64_t apart[2] = {0};
    for (uint32_t u = 0; u < 2; u++) {
        char lines[256];
        uint64_t last = 0;
        bench b;
        open_bench(&b, 1, "mix");
        (void)snprintf(lines, sizeof lines, "0 0x0 x1 - - - * 1 %s\n0 0x4 x2 - - - * 1 %s\n",
                       units[u], units[u]);
        load(&b, lines);
        for (uint32_t c = 0; c < 60; c++) {
            step(&b);
            if (issues(&b)) {
                apart[u] = b.cycle - last;
                last = b.cycle;
            }
        }
        close_bench(&b);
    }
    CHECK_MSG(apart[0] < 8, "%u", (unsigned)apart[0]);
    CHECK_MSG(apart[1] == 8, "%u", (unsigned)apart[1]);
}

static void stim_issue_ends_with_the_last_write_back_of_a_program(void) {
    uint64_t issued_at = 0, written_at = 0, ended_at = 0;
    bench b;
    open_bench(&b, 1, "mix");
    load(&b, "0 0x0 x1 - - - * 9 lsu\n0 0x4 x2 x1 - - * 30 lsu\n");
    for (uint32_t c = 0; c < 100; c++) {
        step(&b);
        issued_at = issues(&b) ? b.cycle : issued_at;
        written_at = wlk_issue_in_get_writeback_valid(b.in) ? b.cycle : written_at;
        const bool ended = b.block->drained((const uint32_t *)&b.cfg, b.st) &&
                           b.gen->idle((const uint32_t *)&b.cfg, b.st, &b.stim);
        ended_at = ended && ended_at == 0 ? b.cycle : ended_at;
    }
    CHECK(written_at == issued_at + 30u);
    CHECK_MSG(ended_at == written_at, "%u %u", (unsigned)ended_at, (unsigned)written_at);
    CHECK(b.gen->still(&b.stim) >= 40);
    close_bench(&b);
}

/* ---- what is stuck ---- */

static const struct {
    const char *program;
    uint32_t cycles;
    const char *report; // all of it
} stuck[] = {
    {"0 0x40 x1 - - - * 1 alu\n0 0x44 - - - - * 1 alu\n", 100,
     "warp 0's head pc=0x00000044 (line 3) names no register, so the scoreboard never admits it "
     "(muon-issue, section 4)"},
    {"1 0x40 x1 x5 x5 x5 * 1 alu\n", 100,
     "warp 1's head pc=0x00000040 (line 2) names x5 in 3 sources and max_pending_reads is 2, so "
     "the scoreboard never admits it (muon-issue, section 4)"},
    // x0 may be named as often as there are sources.
    {"1 0x40 x1 x0 x0 x0 * 1 alu\n", 100, ""},
    // The first to be refused holds back the other warp, and what comes after it. (Before a grant
    // the arbiter could choose anyone, so the first instruction is offered alone.)
    {"0 0x3c x3 - - - * 1 alu\n0 0x40 - - - - * 1 alu\n0 0x44 x1 - - - * 1 alu\n"
     "2 0x80 x9 - - - * 1 alu\n2 0x84 x8 x1 - - * 1 alu\n",
     100,
     "warp 0's head pc=0x00000040 (line 3) names no register, so the scoreboard never admits it "
     "(muon-issue, section 4)\n"
     "warp 2's head pc=0x00000084 (line 6) waits behind that of warp 0\n"
     "warp 0 has yet to offer 1 of 3 instructions"},
    // Long latencies: who waits for what, in the middle.
    {"0 0x40 x1 - - - * 500 lsu\n0 0x44 x2 x1 - - * 1 alu\n0 0x48 x1 - - - * 1 alu\n", 50,
     "warp 0's head pc=0x00000048 (line 4) waits for the write of x1\n"
     "row 0: warp 0's pc=0x00000044 (line 3) waits for the write of x1, which is in execution\n"
     "in execution: 1 results"},
};

static void stim_issue_reports_what_is_stuck(void) {
    for (size_t i = 0; i < sizeof stuck / sizeof stuck[0]; i++) {
        char text[TEXT];
        bench b;
        open_bench(&b, 1, "mix");
        load(&b, stuck[i].program);
        for (uint32_t c = 0; c < stuck[i].cycles; c++) {
            step(&b);
        }
        b.gen->stuck((const uint32_t *)&b.cfg, b.st, &b.stim, text, sizeof text);
        CHECK_MSG(strcmp(text, stuck[i].report) == 0, "%zu: it reports\n%s", i, text);
        close_bench(&b);
    }
}

static void stim_issue_cuts_its_words_at_a_line(void) {
    char text[TEXT];
    bench b;
    open_bench(&b, 1, "mix");
    load(&b, stuck[3].program);
    for (uint32_t c = 0; c < 100; c++) {
        step(&b);
    }
    const size_t first = strcspn(stuck[3].report, "\n");
    for (size_t size = 1; size < first + 40u; size++) {
        b.gen->stuck((const uint32_t *)&b.cfg, b.st, &b.stim, text, size);
        CHECK_MSG(strlen(text) == (size > first + 1u ? first : 0u), "%zu: %s", size, text);
    }
    close_bench(&b);
}

int main(void) {
    stim_issue_holds_a_head_until_it_is_admitted();
    stim_issue_writes_each_result_back_once();
    stim_issue_keeps_the_latency_of_an_instruction();
    stim_issue_keeps_a_unit_busy();
    stim_issue_ends_with_the_last_write_back_of_a_program();
    stim_issue_reports_what_is_stuck();
    stim_issue_cuts_its_words_at_a_line();
    return check_done();
}

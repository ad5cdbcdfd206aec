// SPDX-License-Identifier: Apache-2.0
// The stimulus of the issue stage on the model alone: what it offers and writes back, and what it
// reports of a program that does not come to its end.
#include "check.h"
#include "rig.h"
#include "scratch.h"
#include "warplock/issue.h"

enum { WARPS = 4, PREGS = 64, RESET_CYCLES = 4, TEXT = 4096 };

static rig r;

static void open_stage(void) {
    rig_close(&r);
    rig_open(&r, "issue", "num_warps=4 num_lanes=2 num_pregs=64 max_pending_reads=2",
             WLK_POWER_UNKNOWN);
}

// A stage that runs a program.
static void load(const char *instructions) {
    char text[1024];
    (void)snprintf(text, sizeof text, "warplock-program 1\n%s", instructions);
    open_stage();
    rig_program(&r, scratch_text("p.prog", text));
}

static void step(void) {
    rig_next(&r, r.state);
    rig_record(&r);
}

static void run(uint32_t cycles) {
    for (uint32_t c = 0; c < cycles; c++) {
        step();
    }
}

static bool idle(void) {
    return r.gen->idle(r.cfg, r.state, &r.stim);
}

// What a person is shown.
static const char *stuck_text(size_t size) {
    static char text[TEXT];
    r.gen->stuck(r.cfg, r.state, &r.stim, text, size);
    return text;
}

static bool issues(void) {
    return wlk_issue_out_get_issue_valid(r.out) && wlk_issue_in_get_issue_ready(r.in);
}

static const uint64_t *issued(void) {
    return r.out + WLK_ISSUE_OUT_ISSUE_BITS;
}

static const uint64_t *head(uint32_t warp) {
    return wlk_issue_in_element(r.in, warp) + WLK_ISSUE_IN_IBUF_BITS;
}

/* ---- random work ---- */

CASE(stim_issue_holds_a_head_until_it_is_admitted) {
    uint64_t before[WARPS][WLK_ENTRY_WORDS];
    uint32_t waiting = 0, held = 0;
    open_stage();
    rig_stimulus(&r, 3, "mixed");
    for (uint32_t c = 0; c < 4000; c++) {
        step();
        const uint32_t valid = wlk_issue_in_get_ibuf_valid(r.in);
        for (uint32_t w = 0; w < WARPS; w++) {
            if (waiting >> w & 1u) {
                CHECK(valid >> w & 1u);
                CHECK(memcmp(before[w], head(w), sizeof before[w]) == 0);
                held++;
            }
            memcpy(before[w], head(w), sizeof before[w]);
        }
        const bool reset = wlk_issue_in_get_reset(r.in);
        waiting = reset ? 0u : valid & ~(uint32_t)wlk_issue_out_get_ibuf_ready(r.out);
    }
    CHECK_MSG(held > 3000, "%u", held);
}

// Most heads at once in the cycles before the first issue.
static uint32_t heads_before_an_issue(wlk_power_up power_up) {
    uint32_t most = 0;
    rig_close(&r);
    rig_open(&r, "issue", "num_warps=4 num_lanes=2 num_pregs=64", power_up);
    rig_stimulus(&r, 1, "saturate");
    for (run(RESET_CYCLES), step(); !wlk_issue_out_get_issue_valid(r.out); step()) {
        const uint32_t heads = (uint32_t)__builtin_popcount(wlk_issue_in_get_ibuf_valid(r.in));
        most = heads > most ? heads : most;
    }
    return most;
}

// Whom an arbiter chooses is unknown before its first grant, but after a power-up at 0.
CASE(stim_issue_offers_one_head_until_grants_are_known) {
    CHECK(heads_before_an_issue(WLK_POWER_UNKNOWN) == 1);
    CHECK(heads_before_an_issue(WLK_POWER_ZERO) == WARPS);
}

// Every result comes back once, and nothing else does, but in the profile that is made for it.
static uint32_t strays(const char *profile, uint32_t *written) {
    uint32_t running[PREGS] = {0}, stray = 0;
    open_stage();
    rig_stimulus(&r, 5, profile);
    for (uint32_t c = 0; c < 6000; c++) {
        r.stim.drain = c >= 5000;
        step();
        const uint32_t rd = wlk_issue_in_get_writeback_bits_rd(r.in);
        if (wlk_issue_in_get_writeback_valid(r.in)) {
            *written += 1u;
            stray += running[rd] == 0;
            running[rd] -= running[rd] != 0;
        }
        if (wlk_issue_in_get_reset(r.in)) {
            memset(running, 0, sizeof running);
        } else if (issues() && wlk_entry_get_hasRd(issued())) {
            running[wlk_entry_get_rd(issued())]++;
        }
    }
    for (uint32_t preg = 0; preg < PREGS; preg++) {
        CHECK_MSG(running[preg] == 0, "%s: x%u is not written back", profile, preg);
    }
    CHECK(idle());
    return stray;
}

CASE(stim_issue_writes_each_result_back_once) {
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

CASE(stim_issue_keeps_the_latency_of_an_instruction) {
    uint64_t at_issue = 0, at_write = 0;
    load("0 0x0 x1 - - - * 23 lsu\n");
    for (uint32_t c = 0; c < 60; c++) {
        step();
        at_issue = issues() ? r.stim.cycle : at_issue;
        at_write = wlk_issue_in_get_writeback_valid(r.in) ? r.stim.cycle : at_write;
    }
    CHECK(at_issue != 0);
    CHECK(at_write == at_issue + 23u);
}

// docs/program-format.md: an sfu takes an instruction every 8 cycles, an alu in each.
CASE(stim_issue_keeps_a_unit_busy) {
    static const char *const units[] = {"alu", "sfu"};
    uint64_t apart[2] = {0};
    for (uint32_t u = 0; u < 2; u++) {
        char lines[256];
        uint64_t last = 0;
        (void)snprintf(lines, sizeof lines, "0 0x0 x1 - - - * 1 %s\n0 0x4 x2 - - - * 1 %s\n",
                       units[u], units[u]);
        load(lines);
        for (uint32_t c = 0; c < 60; c++) {
            step();
            if (issues()) {
                apart[u] = r.stim.cycle - last;
                last = r.stim.cycle;
            }
        }
    }
    CHECK_MSG(apart[0] < 8, "%u", (unsigned)apart[0]);
    CHECK_MSG(apart[1] == 8, "%u", (unsigned)apart[1]);
}

CASE(stim_issue_ends_with_the_last_write_back_of_a_program) {
    uint64_t issued_at = 0, written_at = 0, ended_at = 0;
    load("0 0x0 x1 - - - * 9 lsu\n0 0x4 x2 x1 - - * 30 lsu\n");
    for (uint32_t c = 0; c < 100; c++) {
        step();
        issued_at = issues() ? r.stim.cycle : issued_at;
        written_at = wlk_issue_in_get_writeback_valid(r.in) ? r.stim.cycle : written_at;
        const bool ended = r.block->drained(r.cfg, r.state) && idle();
        ended_at = ended && ended_at == 0 ? r.stim.cycle : ended_at;
    }
    CHECK(written_at == issued_at + 30u);
    CHECK_MSG(ended_at == written_at, "%u %u", (unsigned)ended_at, (unsigned)written_at);
    CHECK(r.gen->still(&r.stim) >= 40);
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

CASE(stim_issue_reports_what_is_stuck) {
    for (size_t i = 0; i < COUNT(stuck); i++) {
        load(stuck[i].program);
        run(stuck[i].cycles);
        const char *text = stuck_text(TEXT);
        CHECK_MSG(strcmp(text, stuck[i].report) == 0, "%zu: it reports\n%s", i, text);
    }
}

CASE(stim_issue_cuts_its_words_at_a_line) {
    load(stuck[3].program);
    run(stuck[3].cycles);
    const size_t first = strcspn(stuck[3].report, "\n");
    for (size_t size = 1; size < first + 40u; size++) {
        const char *text = stuck_text(size);
        CHECK_MSG(strlen(text) == (size > first + 1u ? first : 0u), "%zu: %s", size, text);
    }
}

int main(void) {
    const int code = check_cases();
    rig_close(&r);
    return code;
}

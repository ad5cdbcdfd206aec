// SPDX-License-Identifier: Apache-2.0
// The explorer's parts: shares of a stream, order of results, values, and a run that finds a wrong
// one (muon-designs §9.1, §11).
#include "check.h"
#include "explore.h"
#include "tool.h"

#include <string.h>

enum { MANY = 20000 };

static explore_job job;
static wlk_error err;

// A job from a line.
static wlk_status read_job(const char *line) {
    static char copy[1024]; // the job's texts lie in it
    (void)snprintf(copy, sizeof copy, "%s", line);
    err = (wlk_error){0};
    return explore_job_read(&job, copy, &err);
}

static void start(explore_stream *s, const char *line, uint32_t warp) {
    REQUIRE(read_job(line) == WLK_OK, "%s", err.text);
    explore_stream_start(s, &job, warp);
}

// Is @p n of @p of the share @p percent, within five standard deviations?
static bool near(uint32_t n, uint32_t of, double percent) {
    const double p = percent / 100, off = (double)n / of - p;
    return off * off <= 25 * p * (1 - p) / of + 1e-12;
}

static uint32_t sources_of(const wlk_instruction *it) {
    return (uint32_t)it->has_rs[0] + it->has_rs[1] + it->has_rs[2];
}

static bool same(const wlk_instruction *a, const wlk_instruction *b) {
    bool equal = a->mask == b->mask && a->latency == b->latency && a->unit == b->unit &&
                 a->has_rd == b->has_rd && a->rd == b->rd;
    for (uint32_t i = 0; i < EXPLORE_OPERANDS; i++) {
        equal = equal && a->has_rs[i] == b->has_rs[i] && a->rs[i] == b->rs[i];
    }
    return equal;
}

// ---- streams ----------------------------------------------------------------------------------

CASE(stream_has_the_shares_of_its_shape) {
    const double sources[4] = {5, 25, 45, 25}, mix[4] = {60, 20, 5, 15};
    const uint32_t latencies[4] = {4, 6, 12, 40};
    uint32_t n = 0, with[4] = {0}, on[4] = {0}, rd = 0, zeros = 0, all = 0;
    double latency[4] = {0};
    explore_stream s;
    wlk_instruction it;
    start(&s, "warps=1\tinstructions=20000", 0);
    for (; explore_stream_next(&s, &it); n++) {
        with[sources_of(&it)]++;
        on[it.unit]++;
        latency[it.unit] += it.latency;
        rd += it.has_rd;
        for (uint32_t i = 0; i < EXPLORE_OPERANDS; i++) {
            all += it.has_rs[i];
            zeros += it.has_rs[i] && it.rs[i] == 0;
        }
        CHECK(it.mask == 0xffff && it.warp == 0);
    }
    CHECK(n == MANY);
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_MSG(near(with[i], n, sources[i]), "%u with %u sources", with[i], i);
        CHECK_MSG(near(on[i], n, mix[i]), "%u on unit %u", on[i], i);
        const double off = latency[i] / on[i] - latencies[i];
        CHECK(off * off < 2);
    }
    CHECK(near(rd, n, 90.5)); // those without a source always have one
    CHECK(near(zeros, all, 2));
}

CASE(stream_sources_are_recent_at_the_share_of_reuse) {
    uint16_t recent[EXPLORE_RECENT];
    uint32_t named = 0, old = 0, all = 0;
    explore_stream s;
    wlk_instruction it;
    // Of 1000 registers: who names one of the last four does not do so by chance.
    start(&s, "config=num_pregs=1024\twarps=1\tregs=1000\treuse=40\tinstructions=20000", 0);
    while (explore_stream_next(&s, &it)) {
        for (uint32_t i = 0; i < EXPLORE_OPERANDS; i++) {
            bool again = false;
            for (uint32_t k = 0; k < EXPLORE_RECENT && named >= EXPLORE_RECENT; k++) {
                again |= it.rs[i] == recent[k];
            }
            all += it.has_rs[i] && it.rs[i] != 0 && named >= EXPLORE_RECENT;
            old += it.has_rs[i] && it.rs[i] != 0 && again;
        }
        for (uint32_t i = 0; i < EXPLORE_OPERANDS; i++) {
            if (it.has_rs[i] && it.rs[i] != 0) {
                recent[named++ % EXPLORE_RECENT] = it.rs[i];
            }
        }
        if (it.has_rd) {
            recent[named++ % EXPLORE_RECENT] = it.rd;
        }
    }
    CHECK_MSG(near(old, all, 40.25), "%u of %u", old, all); // 0.4 + 0.6 * 4 / 1000
}

CASE(stream_warps_have_registers_and_shares_of_their_own) {
    uint32_t counts[4] = {0};
    for (uint32_t w = 0; w < 4; w++) {
        explore_stream s;
        wlk_instruction it;
        start(&s, "warps=3\tregs=7\tinstructions=1000", w);
        for (; explore_stream_next(&s, &it); counts[w]++) {
            CHECK(!it.has_rd || (it.rd >= 1 + 7 * w && it.rd < 8 + 7 * w));
            CHECK(it.rs[0] == 0 || (it.rs[0] >= 1 + 7 * w && it.rs[0] < 8 + 7 * w));
        }
    }
    CHECK(counts[0] == 334 && counts[1] == 333 && counts[2] == 333 && counts[3] == 0);
}

CASE(stream_names_no_register_more_often_than_reads_can_be_pending) {
    explore_stream s;
    wlk_instruction it;
    start(&s, "config=max_pending_reads=1\twarps=1\tregs=2\treuse=80\tinstructions=20000", 0);
    while (explore_stream_next(&s, &it)) {
        for (uint32_t i = 0; i < EXPLORE_OPERANDS; i++) {
            for (uint32_t k = 0; k < i; k++) {
                CHECK(!it.has_rs[i] || it.rs[i] == 0 || it.rs[i] != it.rs[k]);
            }
        }
    }
}

CASE(stream_masks_are_random_at_their_share) {
    uint32_t partial = 0;
    explore_stream s;
    wlk_instruction it;
    start(&s, "masks=30random\twarps=1\tinstructions=20000", 0);
    while (explore_stream_next(&s, &it)) {
        CHECK((it.mask & ~UINT64_C(0xffff)) == 0);
        partial += it.mask != 0xffff;
    }
    CHECK_MSG(near(partial, MANY, 30), "%u", partial);
}

CASE(stream_depends_on_seed_and_warp_only) {
    explore_stream a, b, other;
    wlk_instruction ia, ib, io;
    uint32_t differ = 0;
    start(&other, "seed=2", 1);
    start(&b, "seed=1\tconfig=collector=src_banked rs_entries=4", 1);
    start(&a, "seed=1", 1);
    for (uint32_t n = 0; n < 500; n++) {
        CHECK(explore_stream_next(&a, &ia) && explore_stream_next(&b, &ib));
        CHECK(explore_stream_next(&other, &io));
        CHECK(same(&ia, &ib));
        differ += ia.rd != io.rd;
    }
    CHECK(differ > 400);
}

// ---- execution --------------------------------------------------------------------------------

static void take(explore_execution *ex, uint64_t due, uint64_t age) {
    const explore_result result = {.due = due, .age = age};
    explore_execution_take(ex, &result);
}

CASE(execution_offers_the_oldest_that_is_due_and_holds_it) {
    explore_execution ex;
    REQUIRE(explore_execution_open(&ex, 3), "no memory");
    take(&ex, 9, 0);
    take(&ex, 5, 1);
    take(&ex, 5, 2);
    CHECK(explore_execution_offer(&ex, 4) == NULL);
    CHECK(explore_execution_offer(&ex, 5)->age == 1);
    explore_execution_done(&ex);
    CHECK(explore_execution_offer(&ex, 9)->age == 0); // older than 2, though due later
    explore_execution_done(&ex);
    CHECK(explore_execution_offer(&ex, 9)->age == 2);
    explore_execution_done(&ex);
    CHECK(explore_execution_offer(&ex, 99) == NULL);
    explore_execution_close(&ex);
}

// ---- values -----------------------------------------------------------------------------------

CASE(interpreter_merges_the_lanes_of_a_mask) {
    explore_interpreter in;
    uint64_t operands[3 * 2], first[2], second[2];
    const wlk_instruction all = {.mask = 7, .has_rd = true, .rd = 5};
    const wlk_instruction part = {.mask = 5, .has_rd = true, .rd = 5};
    const wlk_instruction reads = {.has_rs = {true, false, true}, .rs = {5, 5, 0}};
    REQUIRE(read_job("config=num_lanes=3") == WLK_OK, "%s", err.text);
    REQUIRE(explore_interpreter_open(&in, explore_cfg(&job)), "no memory");
    explore_interpret(&in, &all, 11, operands);
    explore_interpret(&in, &part, 12, operands);
    explore_interpret(&in, &reads, 13, operands);
    explore_words(&in, 11, first);
    explore_words(&in, 12, second);
    CHECK(second[1] >> 32 == 0); // beyond lane 2
    for (uint32_t lane = 0; lane < 3; lane++) {
        CHECK(explore_lane(&in, operands, lane) ==
              explore_lane(&in, lane == 1 ? first : second, lane));
    }
    for (uint32_t k = 2; k < 6; k++) {
        CHECK(operands[k] == 0); // no source; register 0
    }
    explore_interpreter_close(&in);
}

CASE(interpreter_names_the_lane_that_is_wrong) {
    explore_interpreter in;
    REQUIRE(read_job("config=num_lanes=5") == WLK_OK, "%s", err.text);
    REQUIRE(explore_interpreter_open(&in, explore_cfg(&job)), "no memory");
    uint64_t want[3], got[3];
    explore_words(&in, 1, want);
    memcpy(got, want, sizeof got);
    CHECK(explore_wrong_lane(&in, want, got) == -1);
    got[1] ^= UINT64_C(1) << 40;
    CHECK(explore_wrong_lane(&in, want, got) == 3);
    explore_interpreter_close(&in);
}

// ---- runs -------------------------------------------------------------------------------------

static const wlk_block *whole;
static uint32_t records;

// The model, but for a bit of operand 1 in one cycle in which the operand is not 0.
static void wrong_record(const uint32_t *cfg, void *state, const uint64_t *in, uint64_t *out,
                         uint64_t *care, wlk_step_info *info) {
    wlk_layout layout;
    whole->record(cfg, state, in, out, care, info);
    whole->table->layout(cfg, &layout);
    uint64_t *operand = out + layout.out_payload[1].word;
    if (++records > 500 && operand[0] != 0) {
        operand[0] ^= UINT64_C(1) << 33;
    }
}

CASE(run_finds_a_wrong_bit_of_an_operand) {
    explore_programs programs = {.program = NULL};
    static explore_run run;
    REQUIRE(read_job("config=num_lanes=4") == WLK_OK, "%s", err.text);
    REQUIRE(explore_run_start(&run, &job, &programs), "%s", run.err.text);
    wlk_block wrong = *run.block;
    whole = run.block;
    wrong.record = wrong_record;
    run.block = &wrong;
    while (explore_run_cycle(&run)) {
    }
    explore_run_end(&run);
    CHECK(run.end == EXPLORE_WRONG_VALUE);
    CHECK_MSG(strstr(run.err.text, "operand 1") != NULL, "%s", run.err.text);
    CHECK_MSG(strstr(run.err.text, "lane 1 is 0x") != NULL, "%s", run.err.text);
    CHECK(run.cycle > 500 && run.cycle < 600);
    explore_run_close(&run);
}

CASE(run_without_it_is_done) {
    explore_programs programs = {.program = NULL};
    static explore_run run;
    REQUIRE(read_job("config=num_lanes=4") == WLK_OK, "%s", err.text);
    explore_run_job(&run, &job, &programs);
    CHECK_MSG(run.end == EXPLORE_DONE, "%s", run.err.text);
    CHECK(run.issued == 8000 && run.admitted == 8000);
    explore_run_close(&run);
}

int main(void) {
    return check_cases();
}

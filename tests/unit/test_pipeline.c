// SPDX-License-Identifier: Apache-2.0
// The pipeline picture. Without arguments: known answers and failures. With a file and words: plays
// a program on the model of `issue`, writes its picture into the file, and prints as JSON what the
// model counted; tests/unit/test_pipeline.py compares the two.
#define _DEFAULT_SOURCE
#include "check.h"
#include "pipeline.h"
#include "rig.h"
#include "scratch.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>

// A program on the model, under the stimulus of the stage.
typedef struct player {
    rig g;
    wlk_issue_state *before; // of the clock edge; the rig's state is after it
    uint64_t cycle, admitted, issued, written;
    uint64_t reset_at; // cycle of one more reset, or 0
} player;

static const wlk_issue_cfg *config(const player *y) {
    return (const wlk_issue_cfg *)y->g.cfg;
}

static player *player_new(const char *settings, const char *program) {
    player *y = calloc(1, sizeof *y);
    REQUIRE(y != NULL, "no memory");
    rig_open(&y->g, "issue", settings, WLK_POWER_ZERO);
    y->before = rig_state(&y->g, y->g.block, WLK_POWER_ZERO);
    rig_program(&y->g, program);
    return y;
}

static void player_free(player *y) {
    rig_close(&y->g);
    free(y);
}

static void next_inputs(player *y) {
    rig_next(&y->g, y->g.state);
    if (y->reset_at != 0 && y->cycle == y->reset_at) {
        rig_put(&y->g, "reset");
    }
}

static void count(player *y) {
    const uint64_t *in = y->g.in, *out = y->g.out;
    const uint32_t taken = wlk_issue_out_get_ibuf_ready(out) & wlk_issue_in_get_ibuf_valid(in);
    if (!wlk_issue_in_get_reset(in)) {
        y->admitted += (uint64_t)__builtin_popcount(taken);
        y->issued += wlk_issue_out_get_issue_valid(out) && wlk_issue_in_get_issue_ready(in);
        y->written += wlk_issue_in_get_writeback_valid(in);
    }
}

// The cycle of the inputs at hand; without a picture when there is none.
static void end_cycle(player *y, wlk_pipeline *p) {
    memcpy(y->before, y->g.state, y->g.block->state_size(y->g.cfg));
    rig_record(&y->g);
    if (p != NULL) {
        wlk_pipeline_cycle(p, y->before, y->g.in, y->g.state);
    }
    count(y);
    y->cycle++;
}

// Up to that cycle.
static void play(player *y, wlk_pipeline *p, uint64_t cycles) {
    while (y->cycle < cycles) {
        next_inputs(y);
        end_cycle(y, p);
    }
}

/* ---- a log on demand ---- */

// Words of ours; all others are parameters of `issue`.
typedef struct order {
    const char *program;
    uint64_t cycles, reset_at;
    char settings[RIG_TEXT];
} order;

static void take_word(order *o, const char *word) {
    const size_t used = strlen(o->settings);
    if (strncmp(word, "cycles=", 7) == 0) {
        o->cycles = strtoull(word + 7, NULL, 10);
    } else if (strncmp(word, "reset_at=", 9) == 0) {
        o->reset_at = strtoull(word + 9, NULL, 10);
    } else if (strncmp(word, "program=", 8) == 0) {
        o->program = word + 8;
    } else {
        (void)snprintf(o->settings + used, sizeof o->settings - used, "%s ", word);
    }
}

// A counter of each warp.
static void print_counter(const player *y, const char *name, const uint64_t *values) {
    (void)printf(", \"%s\": [", name);
    for (uint32_t w = 0; w < config(y)->num_warps; w++) {
        (void)printf("%s%" PRIu64, w != 0 ? ", " : "", values[w]);
    }
    (void)printf("]");
}

static void print_counts(const player *y) {
    const wlk_issue_state *st = (const wlk_issue_state *)y->g.state;
    (void)printf("{\"admitted\": %" PRIu64 ", \"issued\": %" PRIu64 ", \"written\": %" PRIu64,
                 y->admitted, y->issued, y->written);
    print_counter(y, "waw", st->hazard.perf.stallsWAW);
    print_counter(y, "war", st->hazard.perf.stallsWAR);
    print_counter(y, "scoreboard", st->hazard.perf.stallsScoreboard);
    (void)printf("}\n");
}

static int write_log(int n_words, char **words) {
    order o = {.cycles = 1000};
    wlk_error err = {0};
    for (int k = 1; k < n_words; k++) {
        take_word(&o, words[k]);
    }
    REQUIRE(o.program != NULL, "no program=FILE");
    player *y = player_new(o.settings, o.program);
    y->reset_at = o.reset_at;
    wlk_pipeline *p = wlk_pipeline_open(words[0], true, y->g.cfg, true, &err);
    if (p != NULL) {
        play(y, p, o.cycles);
        print_counts(y);
        (void)wlk_pipeline_close(p, &err);
    }
    if (err.status != WLK_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
    }
    player_free(y);
    return (int)err.status;
}

/* ---- known answers ---- */

static const char *log_path(void) {
    return scratch("p.kanata");
}

// A program on two warps, four rows, one lane.
static player *small_player(const char *program) {
    return player_new("num_warps=2 num_lanes=1 num_pregs=16 rs_entries=4",
                      scratch_text("p.prog", program));
}

static wlk_pipeline *opened(const player *y) {
    wlk_error err = {0};
    wlk_pipeline *p = wlk_pipeline_open(log_path(), true, y->g.cfg, true, &err);
    CHECK_MSG(p != NULL, "%s", err.text);
    return p;
}

// Close the picture of a player, and look at it.
static void check_picture(player *y, wlk_pipeline *p, const char *want) {
    wlk_error err = {0};
    size_t size;
    CHECK_MSG(wlk_pipeline_close(p, &err) == WLK_OK, "%s", err.text);
    char *got = scratch_read(log_path(), &size);
    CHECK_MSG(strcmp(got, want) == 0, "---- wanted ----\n%s---- got ----\n%s----", want, got);
    free(got);
    player_free(y);
}

static void check_program(const char *program, uint64_t cycles, bool forward, const char *want) {
    player *y = small_player(program);
    ((wlk_issue_cfg *)y->g.cfg)->forward_coll_issue = forward;
    wlk_pipeline *p = opened(y);
    play(y, p, cycles);
    check_picture(y, p, want);
}

#define HEAD "warplock-program 1\n"

// muon-issue §6: ibuf fire 1, readReq 2, readResp 3, issue valid 4; a store ends with its issue.
CASE(pipeline_shows_the_shortest_path) {
    check_program(HEAD "0 0x80000000 - x1 x2 - * 1 lsu\n", 10, true,
                  "Kanata\t0004\nC=\t0\n"
                  "C\t4\nI\t0\t0\t0\nL\t0\t0\tw0 80000000: <- x1 x2\nL\t0\t1\tlanes 1\n"
                  "S\t0\t0\tibuf\nL\t0\t1\t\\nrow 0\n"
                  "C\t1\nE\t0\t0\tibuf\nS\t0\t0\tadmit\n"
                  "C\t1\nE\t0\t0\tadmit\nS\t0\t0\tcollect\nL\t0\t1\t\\ncollector entry 0\n"
                  "C\t1\nE\t0\t0\tcollect\nS\t0\t0\tissue\n"
                  "C\t1\nE\t0\t0\tissue\nS\t0\t0\texec\nE\t0\t0\texec\nR\t0\t0\t0\n"
                  "C\t2\n");
}

// A cycle more without forward_coll_issue, spent in `ready`.
CASE(pipeline_shows_the_path_without_forwarding) {
    check_program(HEAD "1 0x4 - x1 - - * 1 lsu\n", 9, false,
                  "Kanata\t0004\nC=\t0\n"
                  "C\t4\nI\t0\t0\t1\nL\t0\t0\tw1 00000004: <- x1\nL\t0\t1\tlanes 1\n"
                  "S\t0\t0\tibuf\nL\t0\t1\t\\nrow 0\n"
                  "C\t1\nE\t0\t0\tibuf\nS\t0\t0\tadmit\n"
                  "C\t1\nE\t0\t0\tadmit\nS\t0\t0\tcollect\nL\t0\t1\t\\ncollector entry 0\n"
                  "C\t1\nE\t0\t0\tcollect\nS\t0\t0\tready\n"
                  "C\t1\nE\t0\t0\tready\nS\t0\t0\tissue\n"
                  "C\t1\nE\t0\t0\tissue\nS\t0\t0\texec\nE\t0\t0\texec\nR\t0\t0\t0\n");
}

// A producer without sources (issue valid 2 after its admission) and its consumer: the write-back
// in cycle 6 wakes it, and it is valid at the issue port 3 cycles later. What is left at the end is
// flushed: the consumer runs when the picture ends.
CASE(pipeline_shows_a_wake_up) {
    check_program(
        HEAD "0 0x0 x1 - - - * 3 alu\n0 0x4 x2 x1 - - * 9 alu\n", 14, true,
        "Kanata\t0004\nC=\t0\n"
        "C\t4\nI\t0\t0\t0\nL\t0\t0\tw0 00000000: x1 <-\nL\t0\t1\tlanes 1\n"
        "S\t0\t0\tibuf\nL\t0\t1\t\\nrow 0\n"
        "C\t1\nI\t1\t1\t0\nL\t1\t0\tw0 00000004: x2 <- x1\nL\t1\t1\tlanes 1\n"
        "S\t1\t0\tibuf\nE\t0\t0\tibuf\nS\t0\t0\tready\nL\t1\t1\t\\nrow 1\n"
        "C\t1\nE\t1\t0\tibuf\nS\t1\t0\tadmit\nS\t1\t1\tRAW\nE\t0\t0\tready\nS\t0\t0\tissue\n"
        "C\t1\nE\t0\t0\tissue\nS\t0\t0\texec\n"
        "C\t2\nE\t0\t0\texec\nS\t0\t0\twriteback\nW\t1\t0\t0\n"
        "C\t1\nE\t0\t0\twriteback\nR\t0\t0\t0\nE\t1\t1\tRAW\n"
        "C\t1\nE\t1\t0\tadmit\nS\t1\t0\tcollect\nL\t1\t1\t\\ncollector entry 0\n"
        "C\t1\nE\t1\t0\tcollect\nS\t1\t0\tissue\n"
        "C\t1\nE\t1\t0\tissue\nS\t1\t0\texec\n"
        "C\t1\nE\t1\t0\texec\nR\t1\t1\t1\n");
}

// A head that waits for the write-back of x1 makes room for another one, which is withdrawn too.
CASE(pipeline_flushes_a_head_that_is_withdrawn) {
    player *y = small_player(HEAD "0 0x0 x1 - - - * 9 alu\n0 0x4 x1 - - - * 9 alu\n");
    wlk_pipeline *p = opened(y);
    play(y, p, 7);
    next_inputs(y);
    rig_put(&y->g, "ibuf_0_bits_uop_pc=8");
    end_cycle(y, p);
    next_inputs(y);
    rig_put(&y->g, "ibuf_0_valid=0");
    end_cycle(y, p);
    check_picture(y, p,
                  "Kanata\t0004\nC=\t0\n"
                  "C\t4\nI\t0\t0\t0\nL\t0\t0\tw0 00000000: x1 <-\nL\t0\t1\tlanes 1\n"
                  "S\t0\t0\tibuf\nL\t0\t1\t\\nrow 0\n"
                  "C\t1\nI\t1\t1\t0\nL\t1\t0\tw0 00000004: x1 <-\nL\t1\t1\tlanes 1\n"
                  "S\t1\t0\tibuf\nS\t1\t1\tWAW\nE\t0\t0\tibuf\nS\t0\t0\tready\n"
                  "C\t1\nE\t0\t0\tready\nS\t0\t0\tissue\n"
                  "C\t1\nE\t0\t0\tissue\nS\t0\t0\texec\n"
                  "E\t1\t0\tibuf\nE\t1\t1\tWAW\nR\t1\t0\t1\n"
                  "I\t2\t2\t0\nL\t2\t0\tw0 00000008: x1 <-\nL\t2\t1\tlanes 1\n"
                  "S\t2\t0\tibuf\nS\t2\t1\tWAW\n"
                  "C\t1\nE\t2\t0\tibuf\nE\t2\t1\tWAW\nR\t2\t0\t1\n"
                  "C\t1\nE\t0\t0\texec\nR\t0\t0\t1\n");
}

// A picture that begins when one instruction is in the output stage and one in a row.
CASE(pipeline_begins_in_the_middle) {
    player *y = small_player(HEAD "1 0x0 x1 - - - * 9 alu\n0 0x4 - x1 - - * 9 alu\n");
    play(y, NULL, 6);
    wlk_pipeline *p = opened(y);
    play(y, p, 7);
    check_picture(y, p,
                  "Kanata\t0004\nC=\t0\n"
                  "I\t0\t0\t0\nL\t0\t0\tw0 00000004: <- x1\nL\t0\t1\tlanes 1\n"
                  "S\t0\t0\tadmit\nS\t0\t1\tRAW\n"
                  "I\t1\t0\t1\nL\t1\t0\tw1 00000000: x1 <-\nL\t1\t1\tlanes 1\n"
                  "S\t1\t0\tissue\n"
                  "C\t1\nE\t1\t0\tissue\nS\t1\t0\texec\nE\t1\t0\texec\nR\t1\t0\t1\n"
                  "E\t0\t0\tadmit\nE\t0\t1\tRAW\nR\t0\t0\t1\n");
}

CASE(pipeline_shows_nothing_before_the_state_is_defined) {
    wlk_error err = {0};
    player *y = small_player(HEAD "1 0x0 x1 - - - * 9 alu\n");
    play(y, NULL, 6);
    wlk_pipeline *p = wlk_pipeline_open(log_path(), true, y->g.cfg, false, &err);
    CHECK_MSG(p != NULL, "%s", err.text);
    play(y, p, 8);
    check_picture(y, p, "Kanata\t0004\nC=\t0\nC\t2\n");
}

/* ---- failures ---- */

// Pictures need a configuration only.
static wlk_pipeline *open_default(const char *path, bool replace, wlk_error *err) {
    uint32_t cfg[WLK_MAX_PARAMS];
    wlk_config_defaults(&wlk_issue_table, cfg);
    *err = (wlk_error){0};
    return wlk_pipeline_open(path, replace, cfg, true, err);
}

CASE(pipeline_reports_a_place_it_cannot_write) {
    wlk_error err;
    CHECK(open_default("/nonexistent/p.kanata", true, &err) == NULL);
    CHECK_MSG(err.status == WLK_NO_FILE && strstr(err.text, "/nonexistent/p.kanata") != NULL, "%s",
              err.text);
}

CASE(pipeline_leaves_nothing_when_space_runs_out) {
    wlk_error err = {0};
    struct rlimit before, little = {.rlim_cur = 3000, .rlim_max = RLIM_INFINITY};
    (void)unlink(log_path());
    const char *program = scratch_text("p.prog", HEAD "0 0x0 x1 - - - * 3 alu\n"
                                                      "0 0x4 x2 x1 - - * 9 alu\n"
                                                      "1 0x4 x3 - - - * 9 alu\n");
    player *y = player_new("", program);
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0, "no limit");
    little.rlim_max = before.rlim_max;
    wlk_pipeline *p = opened(y);
    (void)signal(SIGXFSZ, SIG_IGN);
    CHECK(setrlimit(RLIMIT_FSIZE, &little) == 0);
    for (uint32_t k = 0; k < 40; k++) { // again and again: more than a buffer
        rig_program(&y->g, program);
        play(y, p, y->cycle + 30);
    }
    CHECK(wlk_pipeline_close(p, &err) == WLK_NO_SPACE);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK_MSG(strstr(err.text, strerror(EFBIG)) != NULL, "%s", err.text);
    CHECK(scratch_files("") == 1); // the program
    player_free(y);
}

CASE(pipeline_has_its_name_only_when_closed) {
    wlk_error err;
    wlk_pipeline *p = open_default(log_path(), true, &err);
    CHECK(access(log_path(), F_OK) != 0 && scratch_files("") == 2);
    CHECK(wlk_pipeline_close(p, NULL) == WLK_OK);
    CHECK(access(log_path(), F_OK) == 0 && scratch_files("") == 2);
    CHECK(wlk_pipeline_close(NULL, NULL) == WLK_OK);
    (void)unlink(log_path());
}

CASE(pipeline_that_is_given_up_leaves_nothing) {
    wlk_error err;
    wlk_pipeline_abort(open_default(log_path(), true, &err));
    wlk_pipeline_abort(NULL);
    CHECK(scratch_files("") == 1); // the program
}

CASE(pipeline_replaces_a_file_only_when_it_may) {
    wlk_error err;
    wlk_pipeline *p = open_default(log_path(), false, &err);
    wlk_pipeline *rival = open_default(log_path(), false, &err);
    CHECK(p != NULL && rival != NULL);
    CHECK(wlk_pipeline_close(rival, &err) == WLK_OK);
    CHECK(wlk_pipeline_close(p, &err) == WLK_USAGE); // the rival came first
    CHECK_MSG(strstr(err.text, "--force") != NULL, "%s", err.text);
    CHECK(open_default(log_path(), false, &err) == NULL && err.status == WLK_USAGE);
    CHECK(scratch_files("") == 2);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        return write_log(argc - 1, argv + 1);
    }
    return check_cases();
}

// SPDX-License-Identifier: Apache-2.0
// The pipeline picture. Without arguments: known answers and failures. With a file and words: plays
// a program on the model of `issue`, writes its picture into the file, and prints as JSON what the
// model counted; tests/unit/test_pipeline.py compares the two.
#define _DEFAULT_SOURCE
#include "check.h"
#include "pipeline.h"
#include "warplock/program.h"
#include "warplock/stimulus.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MAX_RUNNING = 1024, MAX_RECORD = 4096 };

// Instructions in execution, in the order of their issue.
typedef struct running {
    uint64_t due;
    uint32_t rd;
} running;

typedef struct player {
    const wlk_block *block;
    uint32_t cfg[WLK_MAX_PARAMS];
    wlk_issue_state *before, *after;
    wlk_program *program;
    size_t at[WLK_ISSUE_MAX_NUM_WARPS];
    running running[MAX_RUNNING];
    uint32_t n_running;
    uint64_t random, cycle, admitted, issued, written;
    uint32_t ready;    // percent of the cycles in which the execution side takes one
    uint32_t reset_at; // cycle of a second reset, or 0
    uint64_t in[MAX_RECORD], out[MAX_RECORD], care[MAX_RECORD];
} player;

static const wlk_issue_cfg *config(const player *y) {
    return (const wlk_issue_cfg *)y->cfg;
}

static void *aligned(size_t size) {
    void *at = aligned_alloc(64, (size + 63u) & ~(size_t)63u);
    if (at == NULL) {
        perror("aligned_alloc");
        exit(1);
    }
    memset(at, 0, size);
    return at;
}

static player *player_new(void) {
    player *y = (player *)aligned(sizeof *y);
    y->block = wlk_block_find("issue");
    wlk_config_defaults(y->block->table, y->cfg);
    y->before = (wlk_issue_state *)aligned(sizeof *y->before);
    y->after = (wlk_issue_state *)aligned(sizeof *y->after);
    y->ready = 100;
    y->random = 1;
    return y;
}

static void player_free(player *y) {
    wlk_program_free(y->program);
    free(y->before);
    free(y->after);
    free(y);
}

static void player_load(player *y, const char *path) {
    wlk_error err = {0};
    if (wlk_program_load(&y->program, path, config(y)->num_warps, config(y)->num_pregs,
                         config(y)->num_lanes, config(y)->lane_bits, &err) != WLK_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        exit((int)err.status);
    }
    y->block->init(y->cfg, y->after, WLK_POWER_ZERO);
}

// The next instruction of a warp, or NULL.
static const wlk_instruction *next_of(const player *y, uint32_t warp) {
    size_t count;
    const wlk_instruction *first = wlk_program_warp(y->program, warp, &count);
    return y->at[warp] < count ? first + y->at[warp] : NULL;
}

static void put_entry(uint64_t *entry, const wlk_instruction *i) {
    wlk_entry_put_rd(entry, i->rd);
    wlk_entry_put_rs1(entry, i->rs[0]);
    wlk_entry_put_rs2(entry, i->rs[1]);
    wlk_entry_put_rs3(entry, i->rs[2]);
    wlk_entry_put_hasRd(entry, i->has_rd);
    wlk_entry_put_hasRs1(entry, i->has_rs[0]);
    wlk_entry_put_hasRs2(entry, i->has_rs[1]);
    wlk_entry_put_hasRs3(entry, i->has_rs[2]);
    wlk_entry_put_uop_inst_essentials_30(entry, i->latency); // the model carries it to the issue
    wlk_entry_put_tmask(entry, i->mask);
    wlk_entry_put_pc(entry, i->pc);
    wlk_entry_put_wid(entry, i->warp);
}

// The oldest result that is due leaves the execution side.
static void put_writeback(player *y) {
    for (uint32_t k = 0; k < y->n_running; k++) {
        if (y->running[k].due <= y->cycle) {
            wlk_issue_in_put_writeback_valid(y->in, 1);
            wlk_issue_in_put_writeback_bits_rd(y->in, y->running[k].rd);
            wlk_issue_in_put_writeback_bits_tmask(y->in, 1);
            y->n_running--;
            memmove(y->running + k, y->running + k + 1, (y->n_running - k) * sizeof y->running[0]);
            y->written++;
            return;
        }
    }
}

static void put_inputs(player *y) {
    memset(y->in, 0, sizeof y->in);
    const bool reset = y->cycle == 0 || (y->reset_at != 0 && y->cycle == y->reset_at);
    wlk_issue_in_put_reset(y->in, reset);
    if (reset) {
        y->n_running = 0;
        return;
    }
    for (uint32_t w = 0; w < config(y)->num_warps; w++) {
        const wlk_instruction *i = next_of(y, w);
        if (i != NULL) {
            wlk_issue_in_put_ibuf_valid(y->in, UINT64_C(1) << w);
            put_entry(wlk_issue_in_element_mut(y->in, w) + WLK_ISSUE_IN_IBUF_BITS, i);
        }
    }
    wlk_issue_in_put_issue_ready(y->in, wlk_random(&y->random) % 100u < y->ready);
    put_writeback(y);
}

static void take_outputs(player *y) {
    if (wlk_issue_in_get_reset(y->in)) {
        return;
    }
    const uint32_t fires =
        wlk_issue_out_get_ibuf_ready(y->out) & wlk_issue_in_get_ibuf_valid(y->in);
    for (uint32_t w = 0; w < config(y)->num_warps; w++) {
        y->at[w] += fires >> w & 1u;
        y->admitted += fires >> w & 1u;
    }
    if (wlk_issue_out_get_issue_valid(y->out) && wlk_issue_in_get_issue_ready(y->in)) {
        const uint64_t *e = y->out + WLK_ISSUE_OUT_ISSUE_BITS;
        y->issued++;
        if (wlk_entry_get_hasRd(e) && y->n_running < MAX_RUNNING) {
            y->running[y->n_running++] =
                (running){y->cycle + wlk_entry_get_uop_inst_essentials_30(e), wlk_entry_get_rd(e)};
        }
    }
}

// Up to that cycle; without a picture when there is none.
static void play(player *y, wlk_pipeline *p, uint64_t cycles) {
    wlk_step_info info;
    for (; y->cycle < cycles; y->cycle++) {
        put_inputs(y);
        memcpy(y->before, y->after, y->block->state_size(y->cfg));
        y->block->record(y->cfg, y->after, y->in, y->out, y->care, &info);
        if (p != NULL) {
            wlk_pipeline_cycle(p, y->before, y->in, y->after);
        }
        take_outputs(y);
    }
}

/* ---- a log on demand ---- */

// One of our words, or a parameter of `issue`.
static void set_word(player *y, const char *word, const char **program, uint64_t *cycles) {
    char key[64];
    const char *value = strchr(word, '=');
    wlk_error err = {0};
    if (value == NULL || (size_t)(value - word) >= sizeof key) {
        (void)fprintf(stderr, "%s: not key=value\n", word);
        exit(WLK_USAGE);
    }
    (void)snprintf(key, sizeof key, "%.*s", (int)(value - word), word);
    value++;
    if (strcmp(key, "program") == 0) {
        *program = value;
    } else if (strcmp(key, "cycles") == 0) {
        *cycles = strtoull(value, NULL, 10);
    } else if (strcmp(key, "seed") == 0) {
        y->random = strtoull(value, NULL, 10);
    } else if (strcmp(key, "ready") == 0) {
        y->ready = (uint32_t)strtoul(value, NULL, 10);
    } else if (strcmp(key, "reset_at") == 0) {
        y->reset_at = (uint32_t)strtoul(value, NULL, 10);
    } else if (wlk_config_set(y->block->table, y->cfg, key, value, &err) != WLK_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        exit((int)err.status);
    }
}

static void print_counts(const player *y) {
    static const char *const names[WLK_HAZARD_COUNTERS] = {"waw", "war", "scoreboard"};
    (void)printf("{\"admitted\": %" PRIu64 ", \"issued\": %" PRIu64 ", \"written\": %" PRIu64,
                 y->admitted, y->issued, y->written);
    for (uint32_t k = 0; k < WLK_HAZARD_COUNTERS; k++) {
        (void)printf(", \"%s\": [", names[k]);
        for (uint32_t w = 0; w < config(y)->num_warps; w++) {
            (void)printf("%s%" PRIu64, w != 0 ? ", " : "", y->after->hazard.perf[w][k]);
        }
        (void)printf("]");
    }
    (void)printf("}\n");
}

static int write_log(int n_words, char **words) {
    player *y = player_new();
    const char *program = NULL;
    uint64_t cycles = 1000;
    wlk_error err = {0};
    for (int k = 1; k < n_words; k++) {
        set_word(y, words[k], &program, &cycles);
    }
    if (y->block->check(y->cfg, &err) != WLK_OK || program == NULL) {
        (void)fprintf(stderr, "%s\n", program == NULL ? "no program=FILE" : err.text);
        return WLK_USAGE;
    }
    player_load(y, program);
    wlk_pipeline *p = wlk_pipeline_open(words[0], true, y->cfg, &err);
    if (p != NULL) {
        play(y, p, cycles);
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

static char folder[256], prog_path[288], log_path[288];

// Files in the folder.
static unsigned files(void) {
    unsigned n = 0;
    DIR *dir = opendir(folder);
    while (dir != NULL && readdir(dir) != NULL) {
        n++;
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
    return n - 2u; // . and ..
}

static void write_program(const char *text) {
    FILE *file = fopen(prog_path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
        perror(prog_path);
        exit(1);
    }
}

// A program on two warps, four rows, one lane.
static player *small_player(const char *program) {
    player *y = player_new();
    wlk_issue_cfg *cfg = (wlk_issue_cfg *)y->cfg;
    cfg->num_warps = 2;
    cfg->num_lanes = 1;
    cfg->num_pregs = 16;
    cfg->rs_entries = 4;
    write_program(program);
    player_load(y, prog_path);
    return y;
}

static wlk_pipeline *opened(const player *y) {
    wlk_error err = {0};
    wlk_pipeline *p = wlk_pipeline_open(log_path, true, y->cfg, &err);
    CHECK_MSG(p != NULL, "%s", err.text);
    return p;
}

// Close the picture and read it.
static void closed(wlk_pipeline *p, char *text, size_t size) {
    wlk_error err = {0};
    CHECK_MSG(wlk_pipeline_close(p, &err) == WLK_OK, "%s", err.text);
    FILE *file = fopen(log_path, "r");
    text[0] = '\0';
    if (CHECK(file != NULL)) {
        text[fread(text, 1, size - 1u, file)] = '\0';
        (void)fclose(file);
    }
}

static void picture(const char *program, uint64_t cycles, uint32_t forward, char *text,
                    size_t size) {
    player *y = small_player(program);
    ((wlk_issue_cfg *)y->cfg)->forward_coll_issue = forward;
    wlk_pipeline *p = opened(y);
    play(y, p, cycles);
    closed(p, text, size);
    player_free(y);
}

static void check_text(const char *got, const char *want) {
    if (!CHECK(strcmp(got, want) == 0)) {
        printf("---- wanted ----\n%s---- got ----\n%s----\n", want, got);
    }
}

#define HEAD "warplock-program 1\n"

// muon-issue §6: ibuf fire 1, readReq 2, readResp 3, issue valid 4; a store ends with its issue.
static void pipeline_shows_the_shortest_path(void) {
    char text[4096];
    picture(HEAD "0 0x80000000 - x1 x2 - * 1 lsu\n", 7, 1, text, sizeof text);
    check_text(text, "Kanata\t0004\nC=\t0\n"
                     "C\t1\nI\t0\t0\t0\nL\t0\t0\tw0 80000000: <- x1 x2\nL\t0\t1\tlanes 1\n"
                     "S\t0\t0\tibuf\nL\t0\t1\t\\nrow 0\n"
                     "C\t1\nE\t0\t0\tibuf\nS\t0\t0\tadmit\n"
                     "C\t1\nE\t0\t0\tadmit\nS\t0\t0\tcollect\nL\t0\t1\t\\ncollector entry 0\n"
                     "C\t1\nE\t0\t0\tcollect\nS\t0\t0\tissue\n"
                     "C\t1\nE\t0\t0\tissue\nS\t0\t0\texec\nE\t0\t0\texec\nR\t0\t0\t0\n"
                     "C\t2\n");
}

// A cycle more without forward_coll_issue, spent in `ready`.
static void pipeline_shows_the_path_without_forwarding(void) {
    char text[4096];
    picture(HEAD "1 0x4 - x1 - - * 1 lsu\n", 6, 0, text, sizeof text);
    check_text(text, "Kanata\t0004\nC=\t0\n"
                     "C\t1\nI\t0\t0\t1\nL\t0\t0\tw1 00000004: <- x1\nL\t0\t1\tlanes 1\n"
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
static void pipeline_shows_a_wake_up(void) {
    char text[4096];
    picture(HEAD "0 0x0 x1 - - - * 3 alu\n0 0x4 x2 x1 - - * 9 alu\n", 11, 1, text, sizeof text);
    check_text(text,
               "Kanata\t0004\nC=\t0\n"
               "C\t1\nI\t0\t0\t0\nL\t0\t0\tw0 00000000: x1 <-\nL\t0\t1\tlanes 1\n"
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

// A head that waits for the write-back of x1 makes room for the next one of its warp.
static void pipeline_flushes_a_head_that_is_withdrawn(void) {
    char text[4096];
    player *y = small_player(HEAD "0 0x0 x1 - - - * 9 alu\n0 0x4 x1 - - - * 9 alu\n"
                                  "0 0x8 x1 - x2 - * 9 alu\n");
    wlk_pipeline *p = opened(y);
    play(y, p, 4);
    CHECK(y->at[0] == 1);
    y->at[0]++;
    play(y, p, 5);
    y->at[0]++;
    play(y, p, 6);
    closed(p, text, sizeof text);
    check_text(text, "Kanata\t0004\nC=\t0\n"
                     "C\t1\nI\t0\t0\t0\nL\t0\t0\tw0 00000000: x1 <-\nL\t0\t1\tlanes 1\n"
                     "S\t0\t0\tibuf\nL\t0\t1\t\\nrow 0\n"
                     "C\t1\nI\t1\t1\t0\nL\t1\t0\tw0 00000004: x1 <-\nL\t1\t1\tlanes 1\n"
                     "S\t1\t0\tibuf\nS\t1\t1\tWAW\nE\t0\t0\tibuf\nS\t0\t0\tready\n"
                     "C\t1\nE\t0\t0\tready\nS\t0\t0\tissue\n"
                     "C\t1\nE\t0\t0\tissue\nS\t0\t0\texec\n"
                     "E\t1\t0\tibuf\nE\t1\t1\tWAW\nR\t1\t0\t1\n"
                     "I\t2\t2\t0\nL\t2\t0\tw0 00000008: x1 <- x2\nL\t2\t1\tlanes 1\n"
                     "S\t2\t0\tibuf\nS\t2\t1\tWAW\n"
                     "C\t1\nE\t2\t0\tibuf\nE\t2\t1\tWAW\nR\t2\t0\t1\n"
                     "C\t1\nE\t0\t0\texec\nR\t0\t0\t1\n");
    player_free(y);
}

// A picture that begins when one instruction is in the output stage and one in a row.
static void pipeline_begins_in_the_middle(void) {
    char text[4096];
    player *y = small_player(HEAD "1 0x0 x1 - - - * 9 alu\n0 0x4 - x1 - - * 9 alu\n");
    play(y, NULL, 3);
    wlk_pipeline *p = opened(y);
    play(y, p, 4);
    closed(p, text, sizeof text);
    check_text(text, "Kanata\t0004\nC=\t0\n"
                     "I\t0\t0\t0\nL\t0\t0\tw0 00000004: <- x1\nL\t0\t1\tlanes 1\n"
                     "S\t0\t0\tadmit\nS\t0\t1\tRAW\n"
                     "I\t1\t0\t1\nL\t1\t0\tw1 00000000: x1 <-\nL\t1\t1\tlanes 1\n"
                     "S\t1\t0\tissue\n"
                     "C\t1\nE\t1\t0\tissue\nS\t1\t0\texec\nE\t1\t0\texec\nR\t1\t0\t1\n"
                     "E\t0\t0\tadmit\nE\t0\t1\tRAW\nR\t0\t0\t1\n");
    player_free(y);
}

/* ---- failures ---- */

static void pipeline_reports_a_place_it_cannot_write(void) {
    player *y = player_new();
    wlk_error err = {0};
    CHECK(wlk_pipeline_open("/nonexistent/p.kanata", true, y->cfg, &err) == NULL);
    CHECK_MSG(err.status == WLK_NO_FILE && strstr(err.text, "/nonexistent/p.kanata") != NULL, "%s",
              err.text);
    player_free(y);
}

static void pipeline_leaves_nothing_when_space_runs_out(void) {
    player *y = player_new();
    wlk_error err = {0};
    struct rlimit before, little = {.rlim_cur = 3000, .rlim_max = RLIM_INFINITY};
    (void)unlink(log_path);
    write_program(HEAD "0 0x0 x1 - - - * 3 alu\n0 0x4 x2 x1 - - * 9 alu\n1 0x4 x3 - - - * 9 alu\n");
    player_load(y, prog_path);
    if (getrlimit(RLIMIT_FSIZE, &before) != 0) {
        perror("getrlimit");
        exit(1);
    }
    little.rlim_max = before.rlim_max;
    wlk_pipeline *p = wlk_pipeline_open(log_path, true, y->cfg, &err);
    (void)signal(SIGXFSZ, SIG_IGN);
    CHECK(p != NULL && setrlimit(RLIMIT_FSIZE, &little) == 0);
    for (uint32_t k = 0; k < 40; k++) { // again and again: more than a buffer
        memset(y->at, 0, sizeof y->at);
        play(y, p, y->cycle + 30);
    }
    CHECK(wlk_pipeline_close(p, &err) == WLK_NO_SPACE);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK_MSG(strstr(err.text, strerror(EFBIG)) != NULL, "%s", err.text);
    CHECK(files() == 1); // the program
    player_free(y);
}

static void pipeline_has_its_name_only_when_closed(void) {
    player *y = player_new();
    (void)unlink(log_path);
    wlk_pipeline *p = wlk_pipeline_open(log_path, true, y->cfg, NULL);
    CHECK(access(log_path, F_OK) != 0 && files() == 2);
    CHECK(wlk_pipeline_close(p, NULL) == WLK_OK);
    CHECK(access(log_path, F_OK) == 0 && files() == 2);
    CHECK(wlk_pipeline_close(NULL, NULL) == WLK_OK);
    player_free(y);
}

static void pipeline_that_is_given_up_leaves_nothing(void) {
    player *y = player_new();
    (void)unlink(log_path);
    wlk_pipeline_abort(wlk_pipeline_open(log_path, true, y->cfg, NULL));
    wlk_pipeline_abort(NULL);
    CHECK(files() == 1); // the program
    player_free(y);
}

static void pipeline_replaces_a_file_only_when_it_may(void) {
    player *y = player_new();
    wlk_error err = {0};
    (void)unlink(log_path);
    wlk_pipeline *p = wlk_pipeline_open(log_path, false, y->cfg, &err);
    wlk_pipeline *rival = wlk_pipeline_open(log_path, false, y->cfg, &err);
    CHECK(p != NULL && rival != NULL);
    CHECK(wlk_pipeline_close(rival, &err) == WLK_OK);
    CHECK(wlk_pipeline_close(p, &err) == WLK_USAGE); // the rival came first
    CHECK_MSG(strstr(err.text, "--force") != NULL, "%s", err.text);
    CHECK(wlk_pipeline_open(log_path, false, y->cfg, &err) == NULL && err.status == WLK_USAGE);
    CHECK(files() == 2);
    player_free(y);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        return write_log(argc - 1, argv + 1);
    }
    const char *base = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%s/wlk_pipeline_XXXXXX", base != NULL ? base : "/tmp");
    if (mkdtemp(folder) == NULL) {
        perror(folder);
        return 1;
    }
    (void)snprintf(prog_path, sizeof prog_path, "%s/p.prog", folder);
    (void)snprintf(log_path, sizeof log_path, "%s/p.kanata", folder);
    pipeline_shows_the_shortest_path();
    pipeline_shows_the_path_without_forwarding();
    pipeline_shows_a_wake_up();
    pipeline_flushes_a_head_that_is_withdrawn();
    pipeline_begins_in_the_middle();
    pipeline_reports_a_place_it_cannot_write();
    pipeline_leaves_nothing_when_space_runs_out();
    pipeline_has_its_name_only_when_closed();
    pipeline_that_is_given_up_leaves_nothing();
    pipeline_replaces_a_file_only_when_it_may();
    (void)unlink(log_path);
    (void)unlink(prog_path);
    (void)rmdir(folder);
    return check_done();
}

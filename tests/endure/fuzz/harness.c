// SPDX-License-Identifier: Apache-2.0
// Words of the lockstep harness, one a line, behind a line "BLOCK FAULT": a module that is the
// block itself, but for what FAULT changes of its outputs. Behind a line "%%" the file that
// `replay` and `program` name; what is written goes to a folder of its own.
#define _GNU_SOURCE // memfd_create
#define SCOPE       "TOP.fuzz.checker"
#include "seeds.c"

#include "lines_mended.h"
#include "scope.h"

enum { CYCLES = 60, SEEDS = 3, PROBES = 4, WORDS = 96 };

const char *const fuzz_words[] = {"seeds=1..2",
                                  "seeds=4..4",
                                  "cycles=30",
                                  "jobs=2",
                                  "keep_going=1",
                                  "cover=1",
                                  "profile=mix",
                                  "power_up=zero",
                                  "power_up=reset",
                                  "waves=x",
                                  "from=3",
                                  "to=20",
                                  "replay=x",
                                  "shrink=x",
                                  "header={}",
                                  "param=0:1",
                                  "param=1:2",
                                  "tie=0:0:1:0",
                                  "tie=0:3:2:1",
                                  "probe=0:1,1:2",
                                  "probe=0:2",
                                  "program=x",
                                  "pipeline=x",
                                  "force=1",
                                  "exact=1",
                                  "time=10",
                                  "+x=1",
                                  "0x10",
                                  "",
                                  "waive=scoreboard 0 io_hazard 0x1",
                                  "suspect=io_x:scoreboard:",
                                  "1 &",
                                  "reset ||",
                                  "!",
                                  "~64",
                                  NULL};

// ---- the module
// ----------------------------------------------------------------------------------

typedef struct module {
    const wlk_block *block;
    uint32_t cfg[WLK_MAX_PARAMS];
    wlk_layout layout;
    uint64_t fault;
} module;

static module built;

typedef struct instance {
    void *checker, *state;
    uint64_t *in, *out; // behind the outputs their care
    uint64_t cycle;
} instance;

static void *open_dut(uint64_t seed, int random, const char *waves) {
    instance *i = calloc(1, sizeof *i);
    (void)seed;
    (void)waves;
    if (i == NULL) {
        abort();
    }
    i->state = wlk_state_new(built.block, built.cfg);
    i->in = calloc(built.layout.in_words + 1u, sizeof *i->in);
    i->out = calloc(2u * built.layout.out_words + 1u, sizeof *i->out);
    built.block->init(built.cfg, i->state, random != 0 ? WLK_POWER_UNKNOWN : WLK_POWER_ZERO);
    i->checker = wlk_dpi_open(WLK_ABI_VERSION, built.block->table->schema_hash);
    for (uint32_t p = 0; p < built.block->table->n_params; p++) {
        wlk_dpi_param(i->checker, p, built.cfg[p]);
    }
    (void)wlk_dpi_start(i->checker);
    return i;
}

static void drive_dut(void *dut, const uint64_t *in) {
    instance *i = dut;
    memcpy(i->in, in, built.layout.in_words * sizeof *in);
    built.block->eval(built.cfg, i->state, i->in, i->out, i->out + built.layout.out_words);
    if (built.fault != 0 && built.layout.out_words != 0 && (i->cycle + 1u) % built.fault == 0) {
        i->out[0] ^= 1u; // bit 0 is a port's
    }
}

static void edge_dut(void *dut) {
    instance *i = dut;
    wlk_step_info info;
    uint64_t *record = wlk_dpi_next(i->checker);
    if (record != NULL) {
        memcpy(record, i->in, built.layout.in_words * sizeof *record);
        memcpy(record + built.layout.in_words, i->out, built.layout.out_words * sizeof *record);
        wlk_dpi_took(i->checker);
    }
    built.block->tick(built.cfg, i->state, i->in, &info);
    i->cycle++;
}

static void settle_dut(void *dut) {
    (void)dut;
}

static void dump_dut(void *dut, uint64_t time_of) {
    (void)dut;
    (void)time_of;
}

static void observe_dut(void *dut, uint64_t *out) {
    const instance *i = dut;
    memcpy(out, i->out, built.layout.out_words * sizeof *out);
}

static void close_dut(void *dut) {
    instance *i = dut;
    (void)wlk_dpi_close(i->checker);
    free(i->state);
    free(i->in);
    free(i->out);
    free(i);
}

// ---- a run
// ---------------------------------------------------------------------------------------

static void bound(harness *b) {
    b->cycles = b->cycles < CYCLES ? b->cycles : CYCLES;
    b->time = b->time < CYCLES ? b->time : CYCLES;
    b->n_seeds = b->n_seeds < SEEDS ? b->n_seeds : SEEDS;
    b->n_probes = b->n_probes < PROBES ? b->n_probes : PROBES;
    b->jobs = 0; // a crash of another process is not seen
    b->keep_going = 0;
}

// A checker that is refused ends the RTL with $fatal.
static bool is_taken(void) {
    void *dut = open_dut(1, 0, NULL);
    const bool taken = wlk_dpi_checker(0) != NULL;
    close_dut(dut);
    return taken;
}

static void run_words(const wlk_harness_dut *dut, int n, char **words) {
    FILE *const streams[] = {stdout, stderr};
    wlk_error err = {WLK_OK, ""};
    harness b = {
        .dut = dut, .cycles = 40, .to = UINT64_MAX, .drain_from = UINT64_MAX, .cover_to = -1};
    wlk_dpi_override(NULL, 0);
    wlk_dpi_waive(NULL, 0);
    wlk_dpi_beside(NULL, 0);
    wlk_status status = start(&b, n, words, &err);
    const bool runs = status == WLK_OK && is_taken();
    if (runs) {
        bound(&b);
        status = expected_open(&b, &err);
    }
    if (runs && status == WLK_OK) {
        (void)(b.time != 0 ? time_cycles(&b) : run(&b, &err));
        (void)expected_close(&b, &err);
    }
    if (err.text[0] != '\0') {
        (void)tool_fail("harness", &err);
    }
    release(&b);
    if (b.cover_to >= 0) {
        (void)close(b.cover_to);
    }
    if (stdout != streams[0]) {
        (void)fclose(stdout);
        (void)fclose(stderr);
    }
    stdout = streams[0];
    stderr = streams[1];
    tool_console = NULL;
}

// A word that names a file names ours.
static char *with_path(char *word, const char *given, const char *place) {
    static const char *const read[] = {"replay=", "program="};
    static const char *const written[] = {"waves=", "shrink=", "pipeline="};
    static char paths[WORDS][128];
    static int next;
    char *to = paths[next++ % WORDS];
    for (size_t i = 0; i < sizeof read / sizeof read[0]; i++) {
        if (strncmp(word, read[i], strlen(read[i])) == 0) {
            (void)snprintf(to, sizeof paths[0], "%s%s", read[i], given);
            return to;
        }
    }
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        if (strncmp(word, written[i], strlen(written[i])) == 0) {
            (void)snprintf(to, sizeof paths[0], "%s%s/%zu", written[i], place, i);
            return to;
        }
    }
    return word;
}

static void run_text(char *head, char *text, const char *given) {
    char *rest = NULL, *words[WORDS + 1] = {(char *)(uintptr_t) "harness"};
    char *fault = strchr(head, ' ');
    wlk_error err;
    int n = 1;
    if (fault != NULL) {
        *fault++ = '\0';
    }
    built = (module){.block = wlk_blocks_find(head)};
    if (built.block == NULL || wlk_stimulus_find(head) == NULL) {
        return;
    }
    (void)(fault != NULL && tool_number(fault, &built.fault));
    wlk_config_defaults(built.block->table, built.cfg);
    (void)wlk_config_set(built.block->table, built.cfg, "num_lanes", "2", &err); // if it has them
    built.block->table->layout(built.cfg, &built.layout);
    for (char *word = strtok_r(text, "\n", &rest); word != NULL && n < WORDS;
         word = strtok_r(NULL, "\n", &rest)) {
        words[n++] = with_path(word, given, fuzz_folder());
    }
    const wlk_harness_dut dut = {head,     built.cfg,   open_dut,  drive_dut, edge_dut, settle_dut,
                                 dump_dut, observe_dut, close_dut, false,     NULL};
    run_words(&dut, n, words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = fuzz_text(data, size), *rest = text;
    char *words = fuzz_part(&rest), *line = strchr(words, '\n');
    const fuzz_file given = fuzz_file_new(data + (rest - text), size - (size_t)(rest - text));
    if (line != NULL) {
        *line = '\0';
        run_text(words, line + 1, given.path);
    }
    fuzz_file_end(&given);
    free(text);
    return 0;
}

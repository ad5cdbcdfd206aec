// SPDX-License-Identifier: Apache-2.0
// The lockstep harness. Words, all KEY=VALUE:
//   seeds=A..B         seeds, both included, above those of the word before
//   cycles=N           cycles a seed
//   jobs=N             processes that run them; the answer does not depend on it
//   keep_going=1       all of them, also behind one that fails
//   cover=1            a line on stderr of what each seed covers (cover.c)
//   profile=NAME       "mix" or one profile          power_up=unknown|zero|reset
//   waves=FILE from=C to=C   FST of these cycles; in FILE.expected what the checkers expected
//   replay=FILE        inputs from a record file
//   shrink=FILE header=TEXT    shrink the failing stimulus; the answer is about what is left
//   param=I:VALUE      another value of parameter I than the harness was built with
//   tie=WORD:LSB:WIDTH:VALUE   an input that the RTL lacks because it is constant: its bits in the
//                      input record
//   suspect=PORT:BLOCK:LACKS   see blame_suspect
//   waive=BLOCK NUMBER PORT BITS CONDITION...   see wlk_checker_waive
//   probe=I:VALUE,...  another configuration than it was built with: try it, and those of all other
//                      such words, with each seed; how well each explains the RTL is the answer
//   program=FILE       instruction streams to run once instead of random ones, in at most N cycles
//                      (cycles=0: in as many as they need)
//   pipeline=FILE      picture of the first seed's pipeline; force=1: FILE may be replaced
//   exact=1            step the models in each cycle, not over some dozens of them together
//   time=N             CPU time of N cycles over a loop of precomputed inputs
//   +NAME=VALUE        a plusarg of the RTL
// One JSON object on stdout; "progress DONE TOTAL" on stderr; the exit code is the verdict.
#include "harness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness_private.h"
#include "warplock/blocks.h"

static FILE *answer; // our stdout

// ---- one run ----------------------------------------------------------------------------------

// Something differs: the lines that led to it are kept. False when nothing more is to be learnt:
// a checker is done. Of a configuration that is tried all must be, since a fault in one block is no
// evidence against the parameters of another; where each cycle stands alone, none ever is.
static bool goes_on(const harness *b) {
    const bool probes = b->n_probes != 0;
    uint32_t done = 0;
    printed_hold();
    for (uint32_t i = 0; i < wlk_dpi_count(); i++) {
        done += wlk_checker_done(wlk_dpi_checker(i));
    }
    return probes ? !b->block->table->has_clock || done < wlk_dpi_count() : done == 0;
}

void harness_begin(harness *b, uint64_t seed, const char *waves) {
    wlk_dpi_configure(WLK_DPI_HOST, b->power_up);
    wlk_dpi_defer(b->deferred);
    b->cycle = 0;
    assertions_begin(b);
    printed_clear(&b->cycle);
    b->in_waves = waves != NULL;
    b->dut_handle = b->dut->open(seed, b->random, waves);
}

// A checker that was refused has said why, and there is nothing to compare.
static void require_checkers(void) {
    for (uint32_t i = 0; i < wlk_dpi_count(); i++) {
        if (wlk_dpi_checker(i) == NULL) {
            wlk_error err;
            (void)wlk_fail(&err, WLK_BAD_PARAMS, "a checker was refused: %s",
                           printed_begins("warplock: "));
            exit(tool_fail("harness", &err));
        }
    }
}

bool harness_cycle(harness *b, const uint64_t *in) {
    if (!b->awake) {
        assertions_reset(b, in);
    }
    b->dut->drive(b->dut_handle, in);
    if (b->cycle == 0) { // all of them are open by now
        require_checkers();
    }
    if (assertions_pending != 0) {
        assertions_settled(b);
    }
    if (b->seen != NULL) {
        b->dut->observe(b->dut_handle, b->seen + b->cycle * b->layout.out_words);
    }
    const bool dump = b->cycle >= b->from && b->cycle <= b->to;
    if (dump) {
        b->dut->dump(b->dut_handle, b->cycle * 10u);
        if (b->in_waves) {
            expected_watch(b);
        }
    }
    b->dut->edge(b->dut_handle);
    if (assertions_pending != 0) {
        assertions_clocked(b);
    }
    if (dump) {
        b->dut->dump(b->dut_handle, b->cycle * 10u + 5u);
        if (b->in_waves) {
            expected_note(b);
        }
    }
    b->cycle++;
    return wlk_dpi_failures == 0 || (!b->deferred && goes_on(b));
}

void harness_end(harness *b) {
    if (b->dut_handle != NULL) {
        b->dut->close(b->dut_handle);
    }
    b->dut_handle = NULL;
}

void harness_start_stimulus(harness *b) {
    b->block->init(b->cfg, b->model, b->random ? WLK_POWER_UNKNOWN : WLK_POWER_ZERO);
    wlk_stimulus_init(&b->stim, b->seed, b->profile);
    b->stim.program = b->program;
    b->stim.driver = b->driver;
}

bool harness_clear(harness *b, const uint64_t *in) {
    if (!b->dut->async_reset || b->reset < 0 || wlk_port_get(&b->ports[b->reset], in) == 0) {
        return false;
    }
    memcpy(b->uncleared, b->model, b->block->state_size(b->cfg));
    b->block->clear(b->cfg, b->model);
    return true;
}

uint64_t harness_next(harness *b, uint64_t *in) {
    wlk_step_info info;
    wlk_stimulus_next(b->gen, b->cfg, b->model, &b->stim, in);
    tool_tie_apply(b->ties, b->n_ties, in);
    const bool cleared = harness_clear(b, in);
    if (b->shown != NULL) {
        b->block->eval(b->cfg, b->model, in, b->shown, b->shown + b->layout.out_words);
    }
    if (b->picture != NULL) {
        memcpy(b->before, b->model, offsetof(wlk_issue_state, collector));
    }
    b->block->tick(b->cfg, b->model, in, &info);
    if (cleared) { // what the reset ends is an event of the state before it
        b->block->tick(b->cfg, b->uncleared, in, &info);
    }
    return info.events;
}

static void next_inputs(harness *b) {
    const uint64_t events = harness_next(b, b->in);
    if (b->picture != NULL) {
        wlk_pipeline_cycle(b->picture, b->before, b->in, (const wlk_issue_state *)b->model);
    }
    for (uint64_t e = events; e != 0; e &= e - 1u) {
        b->events[__builtin_ctzll(e)]++;
    }
}

// No work is left, in the model or outside.
static bool finished(const harness *b) {
    return wlk_stimulus_finished(b->gen, b->block, b->cfg, b->model, &b->stim);
}

// Both sides end empty: no work is forgotten.
static bool drain(harness *b) {
    b->stim.drain = 1;
    for (uint32_t i = 0; i < WLK_STIMULUS_DRAIN && !finished(b); i++) {
        next_inputs(b);
        if (!harness_cycle(b, b->in)) {
            return true;
        }
    }
    return finished(b);
}

// Random work for as long as is asked, then a drain; or a program to its end. *ended: it came.
static wlk_status run_stimulus(harness *b, bool *ended) {
    bool going = true, done = false;
    for (uint64_t c = 0; c < b->cycles && going && !done; c++) {
        b->stim.drain = b->stim.drain || c >= b->drain_from;
        next_inputs(b);
        going = harness_cycle(b, b->in);
        if (wlk_dpi_failures != 0 && b->program == NULL && b->drain_from == UINT64_MAX) {
            b->drain_from =
                c + WLK_AFTERMATH / 2u; // whether what is missing still comes shows then
        }
        done = b->program != NULL && (finished(b) || b->gen->still(&b->stim) > WLK_STIMULUS_DRAIN);
        if (tool_stopped(b->done + c, b->total)) {
            return WLK_INTERRUPTED;
        }
    }
    *ended = !going || (b->program != NULL ? finished(b) : drain(b));
    return WLK_OK;
}

static wlk_status open_picture(harness *b, wlk_error *err) {
    if (b->pipeline == NULL || b->nth != 0) {
        return WLK_OK;
    }
    if (strcmp(b->block->table->name, "issue") != 0) {
        return wlk_fail(err, WLK_USAGE, "block %s has no pipeline to draw; issue has",
                        b->block->table->name);
    }
    b->before = calloc(1, sizeof *b->before);
    if (b->before == NULL) {
        return tool_no_memory(err);
    }
    b->picture = wlk_pipeline_open(b->pipeline, b->force != 0, b->cfg, !b->random, &b->no_picture);
    if (b->picture != NULL || b->no_picture.status == WLK_NO_SPACE) {
        return WLK_OK; // a full disk does not cost the verdict
    }
    return wlk_fail(err, b->no_picture.status, "%s", b->no_picture.text);
}

static void close_picture(harness *b, bool whole) {
    wlk_pipeline *picture = b->picture;
    b->picture = NULL;
    free(b->before);
    b->before = NULL;
    if (whole) {
        (void)wlk_pipeline_close(picture, &b->no_picture);
    } else {
        wlk_pipeline_abort(picture);
    }
}

// The verdict of a run. One that passes ends with its `final` blocks, which may have assertions
// too.
static wlk_status judge(harness *b, bool ended) {
    wlk_status status = harness_verdict(b, ended);
    b->judged = true;
    if (status == WLK_OK) {
        harness_end(b);
        assertions_settled(b);
        status = b->assertions.n != 0 ? WLK_RTL_ASSERTION : WLK_OK;
    }
    return status;
}

wlk_status harness_run_once(harness *b, bool *ended) {
    b->drain_from = UINT64_MAX;
    harness_begin(b, b->seed, b->waves);
    harness_start_stimulus(b);
    return run_stimulus(b, ended);
}

// What is seen late is seen again in its cycle: the seed runs anew from its start.
static wlk_status run_deferred(harness *b, const uint64_t *before, bool *ended) {
    const place early = b->early;
    const uint64_t lines = printed_lines(0);
    b->deferred = true;
    const wlk_status status = harness_run_once(b, ended);
    wlk_dpi_flush();
    b->deferred = false;
    if (status != WLK_OK || wlk_dpi_failures == 0) {
        return status;
    }
    harness_end(b);
    memcpy(b->events, before, sizeof b->events);
    b->early = early;
    printed_uncount(lines);
    return harness_run_once(b, ended);
}

wlk_status harness_run_seed(harness *b, wlk_error *err) {
    bool ended = false;
    uint64_t before[WLK_MAX_COVERS];
    memcpy(before, b->events, sizeof before);
    b->judged = false;
    wlk_status status = open_picture(b, err);
    if (status != WLK_OK) {
        return status;
    }
    const bool exact = b->exact != 0 || b->picture != NULL || b->waves != NULL;
    status = exact ? harness_run_once(b, &ended) : run_deferred(b, before, &ended);
    close_picture(b, status == WLK_OK);
    if (status != WLK_OK) {
        harness_end(b);
        return status;
    }
    status = judge(b, ended);
    cover_tell(b, before, status);
    if (status == WLK_HANG) {
        stuck_explain(b);
    }
    b->ran += b->cycle;
    b->done += b->program != NULL ? b->cycle : b->cycles;
    return status;
}

// ---- replay -----------------------------------------------------------------------------------

static wlk_status replay(harness *b, wlk_error *err) {
    wlk_vec_reader *reader = NULL;
    const uint64_t *in, *out, *care;
    tool_bits bits = {.words = NULL};
    wlk_status status = wlk_vec_open(&reader, b->replay, err);
    if (status == WLK_OK) {
        const wlk_vec_shape shape = wlk_vec_get_shape(reader);
        status = shape.in_words == b->layout.in_words && shape.out_words == b->layout.out_words
                     ? tool_bits_open(&bits, b->block, b->cfg, err)
                     : wlk_fail(err, WLK_BAD_PARAMS, "%s: records of other parameters", b->replay);
    }
    if (status != WLK_OK) {
        tool_bits_close(&bits);
        wlk_vec_close(reader);
        return status;
    }
    b->total = wlk_vec_cycles(reader);
    harness_take(b, 0);
    harness_begin(b, b->seed, b->waves);
    bool going = true;
    while (going && status == WLK_OK && !tool_stopped(b->cycle, b->total)) {
        status = wlk_vec_read(reader, &in, &out, &care, err);
        if (status == WLK_OK && in != NULL) {
            status = tool_bits_check(&bits, b->replay, b->cycle, in, out, care, err);
        }
        if (status != WLK_OK || in == NULL) {
            break;
        }
        memcpy(b->in, in, b->layout.in_words * sizeof *in);
        tool_tie_apply(b->ties, b->n_ties, b->in);
        going = harness_cycle(b, b->in);
    }
    tool_bits_close(&bits);
    wlk_vec_close(reader);
    if (status == WLK_OK) {
        status = tool_stop ? WLK_INTERRUPTED : judge(b, true);
        b->ran += b->cycle;
    }
    return status;
}

// ---- all seeds --------------------------------------------------------------------------------

uint64_t harness_seed(const harness *b, uint64_t nth) {
    const seed_range *r = b->ranges;
    while (nth > r->last - r->first) {
        nth -= r->last - r->first + 1u;
        r++;
    }
    return r->first + nth;
}

void harness_take(harness *b, uint64_t nth) {
    b->nth = nth;
    b->seed = harness_seed(b, nth);
}

// A seed differs in time alone. One behind it may show that values do: that is the better answer.
static wlk_status look_further(harness *b, const sums *before, uint64_t done, wlk_error *err) {
    const uint64_t nth = b->nth;
    wlk_status status = WLK_TIMING_DIVERGENCE;
    do {
        harness_take(b, b->nth + 1u < b->n_seeds ? b->nth + 1u : nth);
        b->done = done;
        b->failing = NULL;
        harness_end(b);
        sums_put_back(b, before);
        status = harness_run_seed(b, err);
    } while (b->nth != nth && status != WLK_FUNCTIONAL_MISMATCH && status != WLK_INTERRUPTED);
    return status;
}

static wlk_status run_seed(harness *b, wlk_error *err) {
    const uint64_t done = b->done;
    const bool is_one = b->keep_going != 0 || b->waves != NULL || b->program != NULL;
    const bool is_last = is_one || b->nth + 1u == b->n_seeds;
    const bool is_first = b->shares == NULL;
    sums *before = is_last || is_first ? NULL : sums_take(b);
    wlk_status status = harness_run_seed(b, err);
    if (status == WLK_TIMING_DIVERGENCE && !is_last && (is_first || before != NULL)) {
        status = look_further(b, before, done, err);
    }
    free(before);
    return status;
}

static wlk_status run_seeds(harness *b, wlk_error *err) {
    wlk_status status = WLK_OK;
    b->total = b->program != NULL ? 0u : b->n_seeds * b->cycles;
    if (b->replay != NULL) {
        return replay(b, err);
    }
    const bool several = b->jobs > 1 && b->n_seeds > 1 && b->program == NULL && b->waves == NULL;
    for (uint64_t nth = 0; nth < b->n_seeds && status == WLK_OK; nth = b->nth + 1u) {
        harness_take(b, nth);
        harness_end(b);
        status = run_seed(b, err);
        b->seeds_run++;
        if (several && nth == 0 && status == WLK_OK) {
            workers_run(b, b->jobs);
        }
    }
    return status;
}

// A seed that fails is not to keep the others from running.
static bool goes_on_behind(const harness *b, wlk_status status) {
    const bool of_seed = status != WLK_OK && status != WLK_MODEL_ERROR && status != WLK_NO_MEMORY;
    return b->keep_going != 0 && of_seed && b->replay == NULL && b->program == NULL;
}

static wlk_status run(harness *b, wlk_error *err) {
    if (b->n_probes != 0) {
        return harness_probe(b, answer, err);
    }
    wlk_status status = run_seeds(b, err);
    if (!b->judged) {
        harness_end(b);
        return status;
    }
    if (b->shrink != NULL) {
        harness_end(b);
        b->status = status;
        return status != WLK_OK ? harness_shrink(b, answer, err) : status;
    }
    if (goes_on_behind(b, status)) {
        status = keep_going(b, status, answer, err);
        return status == WLK_OK ? b->status : status;
    }
    harness_answer(b, status, answer);
    (void)fflush(answer); // whatever comes
    harness_end(b);
    b->failing = NULL;
    return b->status;
}

// ---- timing -----------------------------------------------------------------------------------

enum { LOOP = 2048 }; // cycles of precomputed inputs

static void precompute(harness *b, uint64_t *inputs) {
    harness_take(b, 0);
    harness_start_stimulus(b);
    // The loop must fit whatever state the RTL comes round with.
    b->block->init(b->cfg, b->model, WLK_POWER_UNKNOWN);
    for (uint32_t i = 0; i < LOOP; i++) {
        next_inputs(b);
        memcpy(inputs + (size_t)i * b->layout.in_words, b->in, b->layout.in_words * sizeof *b->in);
    }
}

static wlk_status time_cycles(harness *b) {
    uint64_t *inputs = calloc((size_t)LOOP * b->layout.in_words, sizeof(uint64_t));
    uint64_t *out = calloc(b->layout.out_words, sizeof(uint64_t));
    volatile uint64_t observed = 0;
    if (inputs == NULL || out == NULL) {
        free(inputs);
        free(out);
        return WLK_NO_MEMORY;
    }
    precompute(b, inputs);
    b->deferred = b->exact == 0;
    harness_begin(b, b->seed, NULL);
    clock_t start = 0; // of this process alone
    for (uint64_t c = 0; c < b->time + LOOP; c++) {
        if (c == LOOP) {
            start = clock(); // the first loop warms up
        }
        b->dut->drive(b->dut_handle, inputs + (c % LOOP) * b->layout.in_words);
        if (c == 0) {
            require_checkers();
        }
        if (wlk_dpi_count() == 0) {
            b->dut->observe(b->dut_handle, out);
            observed = observed ^ out[c % b->layout.out_words];
        }
        b->dut->edge(b->dut_handle);
    }
    wlk_dpi_flush();
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    const double ns = seconds * 1e9 / (double)b->time;
    const wlk_status status = harness_verdict(b, true);
    char text[32];
    (void)snprintf(text, sizeof text, "%.3f", ns);
    wlk_json j = wlk_json_line(answer);
    wlk_json_raw(&j, "ns_per_cycle", text);
    wlk_json_number(&j, "checkers", wlk_dpi_count());
    wlk_json_text(&j, "verdict", wlk_status_name(status));
    wlk_json_line_end(&j);
    harness_end(b);
    free(inputs);
    free(out);
    return status;
}

// ---- set-up -----------------------------------------------------------------------------------

bool harness_next_param(const harness *b, const char **text, uint32_t *index, uint32_t *value) {
    uint64_t i = 0, v = 0;
    if (!tool_take_number(text, ':', &i) || i >= b->block->table->n_params ||
        !tool_take_number(text, ',', &v) || v > UINT32_MAX) {
        return false;
    }
    *index = (uint32_t)i;
    *value = (uint32_t)v;
    return true;
}

bool harness_set_params(harness *b, const char *text) {
    uint32_t index = 0, value = 0;
    while (*text != '\0') {
        if (!harness_next_param(b, &text, &index, &value)) {
            return false;
        }
        b->cfg[index] = value;
        wlk_dpi_override(b->block->table->params[index].name, value);
    }
    return true;
}

static bool add_tie(harness *b, const char *text) {
    tool_bits bits;
    wlk_error err;
    const bool taken = tool_bits_open(&bits, b->block, b->cfg, &err) == WLK_OK &&
                       b->n_ties < MAX_TIES && tool_tie_read(text, &bits, &b->ties[b->n_ties++]);
    tool_bits_close(&bits);
    return taken;
}

static bool add_seeds(harness *b, const char *text) {
    seed_range *more = realloc(b->ranges, (b->n_ranges + 1u) * sizeof *more);
    if (more == NULL) {
        return false;
    }
    b->ranges = more;
    seed_range *r = &more[b->n_ranges];
    const uint64_t above = b->n_ranges != 0 ? r[-1].last + 1u : 0u;
    if (!tool_take_number(&text, '.', &r->first) || *text++ != '.' ||
        !tool_number(text, &r->last) || r->first < above || r->last < r->first ||
        r->last == UINT64_MAX) {
        return false;
    }
    b->n_ranges++;
    b->n_seeds += r->last - r->first + 1u;
    return true;
}

static bool add_probe(harness *b, const char *text) {
    const char **more = realloc(b->probes, (b->n_probes + 1u) * sizeof *more);
    if (more != NULL) {
        b->probes = more;
        b->probes[b->n_probes++] = text;
    }
    return more != NULL;
}

// A word KEY=VALUE: where the value goes, or what takes it.
typedef struct option {
    const char *key;
    uint64_t *number;
    const char **text;
    bool (*take)(harness *b, const char *value);
} option;

static bool read_word(harness *b, const option *options, const char *word) {
    const size_t n = strcspn(word, "=");
    while (options->key != NULL &&
           (strlen(options->key) != n || word[n] != '=' || strncmp(options->key, word, n) != 0)) {
        options++;
    }
    if (options->text != NULL) {
        *options->text = word + n + 1;
        return true;
    }
    if (options->number != NULL) {
        return tool_number(word + n + 1, options->number);
    }
    return options->take != NULL && options->take(b, word + n + 1);
}

static wlk_status parse(harness *b, int argc, char **argv, wlk_error *err) {
    const char *profile = "mix", *power_up = "unknown";
    const option options[] = {
        {"seeds", .take = add_seeds},
        {"cycles", .number = &b->cycles},
        {"time", .number = &b->time},
        {"from", .number = &b->from},
        {"to", .number = &b->to},
        {"force", .number = &b->force},
        {"keep_going", .number = &b->keep_going},
        {"exact", .number = &b->exact},
        {"profile", .text = &profile},
        {"jobs", .number = &b->jobs},
        {"power_up", .text = &power_up},
        {"waves", .text = &b->waves},
        {"replay", .text = &b->replay},
        {"shrink", .text = &b->shrink},
        {"header", .text = &b->header},
        {"program", .text = &b->program_file},
        {"pipeline", .text = &b->pipeline},
        {"param", .take = harness_set_params},
        {"tie", .take = add_tie},
        {"probe", .take = add_probe},
        {"suspect", .take = blame_suspect},
        {"cover", .number = &b->cover},
        {"waive", .take = waived_take},
        {.key = NULL},
    };
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '+' && !read_word(b, options, argv[i])) {
            return wlk_fail(err, WLK_USAGE, "cannot read '%s'", argv[i]);
        }
    }
    if (b->shrink != NULL && b->header == NULL) {
        return wlk_fail(err, WLK_USAGE, "shrink=FILE needs header=TEXT, that of the file");
    }
    b->power_up = tool_power_up(power_up);
    b->random = b->power_up == WLK_POWER_UNKNOWN;
    if (b->n_ranges == 0 && !add_seeds(b, "1..1")) {
        return tool_no_memory(err);
    }
    return wlk_stimulus_profile(b->gen, profile, &b->profile)
               ? WLK_OK
               : wlk_fail(err, WLK_USAGE, "no profile '%s'", profile);
}

// Which port is the reset. A block without a clock has no state that one could set.
static bool prepare_reset(harness *b) {
    const wlk_table *t = b->block->table;
    const wlk_members none = {NULL, 0};
    const uint32_t n = t->ports(b->cfg, &none, NULL, 0);
    b->reset = -1;
    b->ports = calloc(n + 1u, sizeof *b->ports);
    if (b->ports != NULL) {
        b->n_ports = t->ports(b->cfg, &none, b->ports, n);
    }
    for (uint32_t i = 0; b->ports != NULL && t->has_clock && i < n; i++) {
        b->reset = t->reset >= 0 && b->ports[i].field == t->reset ? (int32_t)i : b->reset;
    }
    return b->ports != NULL;
}

// What the RTL was built with decides of the words that it reads and writes.
static bool has_room(const harness *b, const wlk_layout *layout) {
    wlk_layout built;
    b->block->table->layout(b->dut->cfg, &built);
    return built.in_words == layout->in_words && built.out_words == layout->out_words;
}

wlk_status harness_configure(harness *b, wlk_error *err) {
    const wlk_status status = b->block->check(b->cfg, err);
    if (status != WLK_OK) {
        return status;
    }
    b->block = wlk_blocks_for(wlk_blocks_find(b->dut->block), b->cfg);
    wlk_layout layout;
    b->block->table->layout(b->cfg, &layout);
    if (!has_room(b, &layout)) {
        return wlk_fail(err, WLK_BAD_PARAMS,
                        "a parameter that is given needs other ports than those the RTL was built "
                        "with; build it with that parameter");
    }
    free(b->model);
    free(b->uncleared);
    free(b->in);
    wlk_driver_close(b->driver);
    b->layout = layout;
    b->model = wlk_state_new(b->block, b->cfg);
    b->uncleared = wlk_state_new(b->block, b->cfg);
    b->in = calloc(b->layout.in_words, sizeof(uint64_t));
    const wlk_status opened = wlk_driver_open(&b->driver, b->block, b->cfg, err);
    const bool room = b->model != NULL && b->uncleared != NULL && b->in != NULL;
    return room ? opened : tool_no_memory(err);
}

static wlk_status prepare(harness *b, wlk_error *err) {
    const wlk_status status = harness_configure(b, err);
    if (status != WLK_OK) {
        return status;
    }
    if (!prepare_reset(b)) {
        return tool_no_memory(err);
    }
    if (b->program_file == NULL) {
        return WLK_OK;
    }
    b->cycles = b->cycles != 0 ? b->cycles : UINT64_MAX;
    return wlk_stimulus_load(b->gen, b->block->table, b->cfg, b->program_file, &b->program, err);
}

static void release(harness *b) {
    free(b->ports);
    free(b->model);
    free(b->uncleared);
    free(b->in);
    free(b->before);
    free(b->ranges);
    free(b->probes);
    free(b->waivers);
    waived_clear(b);
    wlk_program_free(b->program);
    wlk_driver_close(b->driver);
    harness_forget(b);
}

static wlk_status start(harness *b, int argc, char **argv, wlk_error *err) {
    const wlk_status loaded = tool_own_blocks("harness", err);
    if (loaded != WLK_OK) {
        return loaded;
    }
    b->block = wlk_blocks_find(b->dut->block);
    if (b->block == NULL) {
        return wlk_fail(err, WLK_MODEL_ERROR, "the library has no block '%s'", b->dut->block);
    }
    b->gen = wlk_stimulus_find(b->dut->block);
    memcpy(b->cfg, b->dut->cfg, b->block->table->n_params * sizeof *b->cfg);
    // What the RTL prints must not end up in the answer, nor among our own messages.
    answer = stdout;
    tool_console = stderr;
    if (!printed_take()) {
        return tool_no_memory(err);
    }
    const wlk_status status = parse(b, argc, argv, err);
    cover_begin(b);
    return status == WLK_OK ? prepare(b, err) : status;
}

int wlk_harness_main(const wlk_harness_dut *dut, int argc, char **argv) {
    wlk_error err = {WLK_OK, ""};
    harness b = {.dut = dut, .cycles = 10000, .to = UINT64_MAX, .drain_from = UINT64_MAX};
    tool_signals();
    settle_watch(dut);
    wlk_status status = start(&b, argc, argv, &err);
    if (status == WLK_OK) {
        status = expected_open(&b, &err);
    }
    if (status == WLK_OK) {
        status = b.time != 0 ? time_cycles(&b) : run(&b, &err);
        const wlk_status written = expected_close(&b, &err);
        status = written != WLK_OK ? written : status;
    }
    release(&b);
    return err.text[0] != '\0' ? tool_fail("harness", &err) : (int)status;
}

// SPDX-License-Identifier: Apache-2.0
// What a short failing run suggests of its cause: the one value of a parameter, the one change of
// the model's state that did not come, or the one input read otherwise, with which the model shows
// what the RTL does, up to the failure. Each is a guess and is reported as one.
//
// A changed state may be one that no model was written for, in which its code crashes or never
// ends: the search runs in a process of its own, and a trial is left when it does.
#define _GNU_SOURCE
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness_private.h"

enum {
    MOST_ELEMENTS = 65536,
    GAP = 8,
    SMALL = 8,
    MOST_STATE = 1 << 24,
    MOST_STEPS = 20000,
    MOST_PORTS = 64,
    TRIAL_US = 20000,
    MOST_LOST = 50
};

typedef struct search {
    const harness *b;
    uint32_t cfg[WLK_MAX_PARAMS];
    uint64_t *compare; // output bits that the RTL has
    uint64_t n;        // cycles; the last one fails
    uint64_t *inputs;  // of the trial
    size_t size;       // of a state [bytes]
    uint8_t *states;   // before each cycle
    uint8_t *state;    // of the trial,
    uint64_t at;       // ... before this cycle
    wlk_checker *checker;
    struct {
        uint32_t port, bits; // that were compared in the cycle that fails
        uint64_t before;
    } ports[MOST_PORTS]; // that differ
    uint32_t n_ports;
    uint32_t steps, found;
    uint32_t lost; // trials that were left
    FILE *to;
} search;

static sigjmp_buf escape;

static void leave_trial(int signal) {
    siglongjmp(escape, signal);
}

static void catch_signals(void) {
    static const int caught[] = {SIGPROF, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction how = {.sa_handler = leave_trial};
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++) {
        (void)sigaction(caught[i], &how, NULL);
    }
    (void)signal(SIGTERM, SIG_DFL);
    (void)signal(SIGINT, SIG_DFL);
}

// CPU time of this process from now on; 0: as much as it takes.
static void limit_time(suseconds_t us) {
    const struct itimerval time = {.it_value = {0, us}};
    (void)setitimer(ITIMER_PROF, &time, NULL);
}

static uint64_t *input_of(const search *s, uint64_t cycle) {
    return s->inputs + cycle * s->b->layout.in_words;
}

static wlk_checker *open_checker(const search *s) {
    wlk_checker *c = NULL;
    wlk_error err;
    const wlk_checker_options options = {
        .power_up = s->b->power_up, .compare = s->compare, .async_reset = s->b->dut->async_reset};
    (void)wlk_checker_open(&c, s->b->block, s->cfg, &options, &err);
    for (uint32_t i = 0; c != NULL && i < s->b->n_waivers; i++) {
        (void)wlk_checker_waive(c, s->b->waivers[i], &err);
    }
    return c;
}

// Bits compared of the ports that differ, before the last cycle ...
static void note_compared(search *s, const wlk_checker *c) {
    for (uint32_t i = 0; i < s->n_ports; i++) {
        s->ports[i].before = wlk_checker_compared(c, s->ports[i].port);
    }
}

// ... and in it: that a value is not known any more explains nothing.
static bool compares_all(const search *s, const wlk_checker *c) {
    for (uint32_t i = 0; i < s->n_ports; i++) {
        const uint64_t now = wlk_checker_compared(c, s->ports[i].port);
        if (now - s->ports[i].before < s->ports[i].bits) {
            return false;
        }
    }
    return true;
}

// Does the model show what the RTL does, with inputs that break no rule, from a state before a
// cycle on?
static bool follows(search *s, wlk_checker *c, uint64_t from, const uint8_t *state) {
    if (s->lost >= MOST_LOST) {
        return false;
    }
    limit_time(TRIAL_US);
    if (sigsetjmp(escape, 1) != 0) {
        s->lost++;
        return false;
    }
    bool good = s->steps < MOST_STEPS && (state == NULL || wlk_checker_retry(c, state));
    for (uint64_t i = from; i < s->n && good; i++) {
        s->steps++;
        note_compared(s, c);
        good = wlk_checker_step_x(c, input_of(s, i), NULL, s->b->seen + i * s->b->layout.out_words,
                                  NULL) == 0;
    }
    limit_time(0);
    return good;
}

// The same of the model from a state on, which must know what differs.
static bool explains(search *s, uint64_t from, const uint8_t *state) {
    return follows(s, s->checker, from, state) && compares_all(s, s->checker);
}

// The run as it was: the state before each cycle. False: it does not fail in the last one.
static bool record_states(search *s) {
    bool failed = false;
    s->checker = open_checker(s);
    for (uint64_t i = 0; s->checker != NULL && i < s->n; i++) {
        memcpy(s->states + i * s->size, wlk_checker_state(s->checker), s->size);
        failed = wlk_checker_step_x(s->checker, input_of(s, i), NULL,
                                    s->b->seen + i * s->b->layout.out_words, NULL) != 0;
    }
    return failed;
}

// @p alike: guesses that begin with the same so many bytes are told once; 0: there are none.
static void say(search *s, uint64_t cycle, size_t alike, const char *text) {
    fprintf(s->to, "cycle %" PRIu64 ":%zu:%s\n", cycle, alike, text);
    s->found++;
}

// ---- another value of one parameter -------------------------------------------------------------

static bool same_ports(const search *s, const uint32_t *cfg) {
    const harness *b = s->b;
    const wlk_members none = {NULL, 0};
    wlk_layout layout;
    b->block->table->layout(cfg, &layout);
    if (layout.n_ports != b->n_ports || layout.in_words != b->layout.in_words ||
        layout.out_words != b->layout.out_words) {
        return false;
    }
    wlk_port *ports = calloc(b->n_ports + 1u, sizeof *ports);
    bool same = ports != NULL;
    if (same) {
        (void)b->block->table->ports(cfg, &none, ports, b->n_ports);
    }
    for (uint32_t i = 0; same && i < b->n_ports; i++) {
        const wlk_port *one = &ports[i], *other = &b->ports[i];
        same = one->word == other->word && one->lsb == other->lsb && one->width == other->width &&
               one->present == other->present && strcmp(one->name, other->name) == 0;
    }
    free(ports);
    return same;
}

static void try_parameter(search *s, uint32_t p) {
    const wlk_table *t = s->b->block->table;
    const wlk_param *param = &t->params[p];
    const uint32_t own = s->cfg[p];
    for (uint32_t i = 0; i < param->n_legal; i++) {
        wlk_error err;
        s->cfg[p] = param->legal[i];
        if (s->cfg[p] == own || s->b->block->check(s->cfg, &err) != WLK_OK ||
            !same_ports(s, s->cfg)) {
            continue;
        }
        wlk_checker *c = open_checker(s);
        // Where a value is not known with it, the whole run decides.
        const bool good = c != NULL && follows(s, c, 0, NULL);
        wlk_checker_close(c);
        if (!good) {
            continue;
        }
        fprintf(s->to, "parameter %" PRIu32 ":%" PRIu32 "\n", p, param->legal[i]);
        break;
    }
    s->cfg[p] = own;
}

// ---- a change of the state that did not come ----------------------------------------------------

// The elements of one state, and in which another one differs first.
typedef struct comparison {
    uint64_t *elements;
    uint32_t n, at, differing;
    char name[96];
    uint64_t is, was;
    wlk_notation notation;
} comparison;

static uint64_t value_of(const uint64_t *words, uint32_t n_words) {
    uint64_t value = words[0];
    for (uint32_t i = 1; i < n_words; i++) {
        value = (value ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return value;
}

static void collect_element(void *ctx, const char *name, int32_t index, const uint64_t *words,
                            uint32_t n_words, uint64_t known, wlk_notation notation) {
    comparison *c = (comparison *)ctx;
    (void)name;
    (void)index;
    (void)known;
    (void)notation;
    if (c->n < MOST_ELEMENTS) {
        c->elements[c->n++] = value_of(words, n_words);
    }
}

static void compare_element(void *ctx, const char *name, int32_t index, const uint64_t *words,
                            uint32_t n_words, uint64_t known, wlk_notation notation) {
    comparison *c = (comparison *)ctx;
    const uint32_t i = c->at++;
    const uint64_t now = value_of(words, n_words);
    if (i >= c->n || c->elements[i] == now || known == 0) {
        return;
    }
    if (c->differing++ == 0) {
        (void)snprintf(c->name, sizeof c->name, index >= 0 ? "%.64s[%" PRId32 "]" : "%.64s", name,
                       index);
        c->is = c->elements[i];
        c->was = now;
        c->notation = n_words > 1 ? WLK_OPAQUE : notation;
    }
}

// What the trial's state holds otherwise than the model's before the same cycle.
static void say_state(search *s) {
    comparison c = {.elements = calloc(MOST_ELEMENTS, sizeof(uint64_t))};
    char text[256] = "state";
    if (c.elements != NULL && s->b->block->visit != NULL) {
        s->b->block->visit(s->cfg, s->states + s->at * s->size, collect_element, &c);
        s->b->block->visit(s->cfg, s->state, compare_element, &c);
    }
    free(c.elements);
    if (c.differing == 0) {
        return; // nothing that has a name
    }
    size_t n = (size_t)snprintf(text, sizeof text, "state %s", c.name);
    if (c.notation != WLK_OPAQUE) {
        const char *form = c.notation == WLK_DECIMAL ? " stays %" PRIu64 ", the model has %" PRIu64
                                                     : " stays 0x%" PRIx64
                                                       ", the model has 0x%" PRIx64;
        n += (size_t)snprintf(text + n, sizeof text - n, form, c.was, c.is);
    } else {
        n += (size_t)snprintf(text + n, sizeof text - n, " stays as it was");
    }
    if (c.differing > 1) {
        (void)snprintf(text + n, sizeof text - n, "; so do %" PRIu32 " more", c.differing - 1u);
    }
    say(s, s->at - 1u, 0, text); // the edge of that cycle
}

// Bytes first.. of the state before cycle s->at as before the edge that led to it.
static bool try_bytes(search *s, size_t first, size_t n) {
    const uint8_t *before = s->states + (s->at - 1u) * s->size;
    memcpy(s->state, s->states + s->at * s->size, s->size);
    memcpy(s->state + first, before + first, n);
    if (!explains(s, s->at, s->state)) {
        return false;
    }
    say_state(s);
    return true;
}

// Each bit alone that this edge changed in a small range.
static bool try_bits(search *s, size_t first, size_t n) {
    const uint8_t *before = s->states + (s->at - 1u) * s->size;
    const uint8_t *after = s->states + s->at * s->size;
    for (size_t i = first; i < first + n; i++) {
        for (uint32_t changed = before[i] ^ after[i]; changed != 0; changed &= changed - 1u) {
            memcpy(s->state, after, s->size);
            s->state[i] = (uint8_t)(s->state[i] ^ (changed & -changed));
            if (explains(s, s->at, s->state)) {
                say_state(s);
                return true;
            }
        }
    }
    return false;
}

// What the edge before cycle s->at changed, range by range, of bytes at most @p gap apart: is there
// more than one?
static bool try_ranges(search *s, size_t gap) {
    const uint8_t *before = s->states + (s->at - 1u) * s->size;
    const uint8_t *after = s->states + s->at * s->size;
    uint32_t ranges = 0;
    for (size_t i = 0; i < s->size;) {
        if (before[i] == after[i]) {
            i++;
            continue;
        }
        size_t end = i + 1u;
        for (size_t k = end; k < s->size && k < end + gap; k++) {
            end = before[k] != after[k] ? k + 1u : end;
        }
        ranges++;
        if (!try_bytes(s, i, end - i) && gap == 1 && end - i <= SMALL) {
            (void)try_bits(s, i, end - i);
        }
        i = end;
    }
    return ranges > 1;
}

// Byte by byte, then what lies together, then all at once.
static void try_edge(search *s) {
    const uint32_t found = s->found;
    if (try_ranges(s, 1) && s->found == found && try_ranges(s, GAP) && s->found == found) {
        (void)try_bytes(s, 0, s->size);
    }
}

// ---- an input read otherwise --------------------------------------------------------------------

// Bytes of a port's name that it has in common with others of its bundle, as all of one write but
// `pReg`; of one that is in none, its name and the blank behind it.
static size_t shared_name(const harness *b, const wlk_port *port) {
    const char *dot = strrchr(b->block->table->fields[port->field].name, '.');
    const size_t whole = strlen(port->name), last = dot != NULL ? strlen(dot + 1) : whole;
    const bool ends = last < whole && strcmp(port->name + whole - last, dot + 1) == 0;
    return ends ? whole - last : whole + 1u;
}

static void try_input(search *s, uint64_t cycle, const wlk_port *port) {
    const harness *b = s->b;
    uint64_t *row = input_of(s, cycle);
    const uint64_t is = wlk_port_get(port, row);
    const uint64_t last = cycle > 0 ? wlk_port_get(port, input_of(s, cycle - 1u)) : is;
    const uint64_t values[] = {port->width == 1 ? is ^ 1u : 0u, last};
    for (uint32_t i = 0; i < 2; i++) {
        if (values[i] == is || (i == 1 && values[1] == values[0])) {
            continue;
        }
        wlk_port_set(port, row, values[i]);
        const bool good = explains(s, cycle, s->states + cycle * s->size);
        wlk_port_set(port, row, is);
        if (good) {
            char text[256];
            const bool decimal =
                b->block->table->fields[port->field].notation == WLK_DECIMAL || port->width == 1;
            (void)snprintf(text, sizeof text,
                           decimal ? "input %s taken as %" PRIu64 " instead of %" PRIu64
                                   : "input %s taken as 0x%" PRIx64 " instead of 0x%" PRIx64,
                           port->name, values[i], is);
            say(s, cycle, strlen("input ") + shared_name(b, port), text);
            return;
        }
    }
}

static void try_inputs(search *s, uint64_t cycle) {
    const harness *b = s->b;
    for (uint32_t i = 0; i < b->n_ports; i++) {
        const wlk_port *port = &b->ports[i];
        const wlk_field *field = &b->block->table->fields[port->field];
        if (!port->is_out && port->present && field->read && !field->is_payload &&
            !field->is_opaque && (int32_t)i != b->reset) {
            try_input(s, cycle, port);
        }
    }
}

// ---- inputs that a differing value equals -------------------------------------------------------

enum { FEW = 8 };

// The latest input with this value, as "PORT of cycle N".
static bool source_of(const search *s, const wlk_port *like, uint64_t value, char *to,
                      size_t room) {
    const harness *b = s->b;
    for (uint64_t cycle = s->n; value != 0 && cycle > 0; cycle--) {
        for (uint32_t i = 0; i < b->n_ports; i++) {
            const wlk_port *port = &b->ports[i];
            if (!port->is_out && port->present && port->width == like->width &&
                wlk_port_get(port, input_of(s, cycle - 1u)) == value) {
                (void)snprintf(to, room, "%s of cycle %" PRIu64, port->name, cycle - 1u);
                return true;
            }
        }
    }
    return false;
}

// Of ports that are too wide to be equal by chance.
static void say_sources(search *s) {
    const wlk_checker_facts f = wlk_checker_facts_get(s->b->failing);
    uint32_t said = 0;
    for (uint32_t i = 0; i < f.n_differences && said < MOST_SOURCES; i++) {
        const wlk_difference *d = &f.differences[i];
        const wlk_port *port = &f.ports[d->port];
        char got[160] = "", want[160] = "";
        const bool has_got = source_of(s, port, d->got, got, sizeof got);
        const bool has_want = source_of(s, port, d->expected, want, sizeof want);
        if (port->width < FEW || !(has_got || has_want)) {
            continue;
        }
        fprintf(s->to, "source %s:%s%s%s%s%s\n", port->name, has_got ? " the RTL has " : "", got,
                has_got && has_want ? "," : "", has_want ? " the model " : "", want);
        said++;
    }
}

// ---- all of them --------------------------------------------------------------------------------

// The latest first. A line each: a cycle, and what fits.
static void look(search *s) {
    if (!record_states(s)) {
        return;
    }
    say_sources(s);
    for (uint32_t p = 0; p < s->b->block->table->n_params; p++) {
        try_parameter(s, p);
    }
    for (s->at = s->n - 1u; s->at > 0; s->at--) {
        try_edge(s);
    }
    for (uint64_t cycle = s->n; cycle > 0; cycle--) {
        try_inputs(s, cycle - 1u);
    }
}

static void set_compare(const search *s, const wlk_checker *checker) {
    const wlk_checker_facts f = wlk_checker_facts_get(checker);
    for (uint32_t i = 0; i < f.n_ports; i++) {
        if (f.ports[i].is_out && wlk_checker_port_bits(checker, i) == f.ports[i].width) {
            wlk_port_set(&f.ports[i], s->compare, ~UINT64_C(0));
        }
    }
}

static bool prepare(search *s, const harness *b) {
    const wlk_checker *failing = b->failing;
    if (failing == NULL || !blame_is_stage(b, failing) || b->played == NULL || b->seen == NULL) {
        return false;
    }
    const wlk_checker_result r = wlk_checker_result_get(failing, false);
    s->b = b;
    s->n = r.first_cycle + 1u;
    s->size = b->block->state_size(b->cfg);
    if (r.mismatches == 0 || s->n > b->played->n || s->size * (s->n + 1u) > MOST_STATE) {
        return false;
    }
    memcpy(s->cfg, b->cfg, sizeof s->cfg);
    s->compare = calloc(b->layout.out_words, sizeof(uint64_t));
    s->inputs = calloc(s->n * b->layout.in_words, sizeof(uint64_t));
    s->states = calloc(s->n, s->size);
    s->state = (uint8_t *)wlk_state_new(b->block, b->cfg);
    if (s->compare == NULL || s->inputs == NULL || s->states == NULL || s->state == NULL) {
        return false;
    }
    memcpy(s->inputs, b->played->words, s->n * b->layout.in_words * sizeof(uint64_t));
    set_compare(s, failing);
    const wlk_checker_facts f = wlk_checker_facts_get(failing);
    for (uint32_t i = 0; i < f.n_differences && s->n_ports < MOST_PORTS; i++) {
        s->ports[s->n_ports].port = f.differences[i].port;
        s->ports[s->n_ports++].bits = (uint32_t)__builtin_popcountll(f.differences[i].care);
    }
    return true;
}

static char *find(const harness *b) {
    int ends[2];
    char *text = NULL;
    size_t size = 0;
    if (pipe(ends) != 0) {
        return NULL;
    }
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        search s = {.to = fdopen(ends[1], "w")};
        (void)close(ends[0]);
        catch_signals();
        if (s.to != NULL && prepare(&s, b)) {
            look(&s);
            (void)fclose(s.to);
        }
        _exit(0);
    }
    (void)close(ends[1]);
    FILE *const from = child > 0 ? fdopen(ends[0], "r") : NULL;
    if (from == NULL) {
        (void)close(ends[0]);
    } else {
        const bool none = getdelim(&text, &size, '\0', from) < 0;
        (void)fclose(from);
        if (none) {
            free(text);
            text = NULL;
        }
    }
    if (child > 0) {
        (void)waitpid(child, NULL, 0);
    }
    return text;
}

// ---- what was found -----------------------------------------------------------------------------

// The next line, without its end; NULL: there is none.
static char *next_line(char **text) {
    char *line = *text;
    if (line == NULL || *line == '\0') {
        return NULL;
    }
    line[strcspn(line, "\n")] = '\0';
    *text = line + strlen(line) + 1;
    return line;
}

static void add_parameter(harness *b, const stimulus *whole, uint32_t index, uint32_t value,
                          causes *to) {
    const wlk_param *p = &b->block->table->params[index];
    if (to->n_passes == MOST_PASSES || whole->words == NULL ||
        !harness_passes_with(b, whole, index, value)) {
        return;
    }
    char *text = to->passes[to->n_passes++];
    if (p->names != NULL) {
        (void)snprintf(text, sizeof to->passes[0], "%s=%s", p->name, p->names[value]);
    } else {
        (void)snprintf(text, sizeof to->passes[0], "%s=%" PRIu32, p->name, value);
    }
}

void cause_find(const harness *b, causes *to) {
    to->text = find(b);
}

// Behind @p word; NULL: the line begins otherwise.
static const char *behind(const char *line, const char *word) {
    return strncmp(line, word, strlen(word)) == 0 ? line + strlen(word) : NULL;
}

static void add_guess(const char *text, causes *to) {
    uint64_t cycle = 0, alike = 0;
    bool known = false;
    if (!tool_take_number(&text, ':', &cycle) || !tool_take_number(&text, ':', &alike)) {
        return;
    }
    for (uint32_t i = 0; i < to->n && alike != 0; i++) {
        known = known ||
                (to->list[i].alike == alike && strncmp(to->list[i].text, text, (size_t)alike) == 0);
    }
    if (to->n < MOST_CAUSES && !known) {
        to->list[to->n].cycle = cycle;
        to->list[to->n].alike = alike;
        to->list[to->n++].text = text;
    } else {
        to->more++;
    }
}

void cause_judge(harness *b, const stimulus *whole, causes *to) {
    char *text = to->text;
    for (char *line = next_line(&text); line != NULL; line = next_line(&text)) {
        const char *parameter = behind(line, "parameter ");
        const char *source = behind(line, "source "), *guess = behind(line, "cycle ");
        uint64_t index = 0, value = 0;
        if (parameter != NULL && tool_take_number(&parameter, ':', &index) &&
            tool_take_number(&parameter, ',', &value)) {
            add_parameter(b, whole, (uint32_t)index, (uint32_t)value, to);
        } else if (source != NULL && to->n_sources < MOST_SOURCES) {
            to->sources[to->n_sources++] = source;
        } else if (guess != NULL) {
            add_guess(guess, to);
        }
    }
}

void cause_report(const causes *c, FILE *to) {
    for (uint32_t i = 0; i < c->n_sources; i++) {
        fprintf(to, "  %s\n", c->sources[i]);
    }
    for (uint32_t i = 0; i < c->n; i++) {
        fprintf(to, "  %s cycle %" PRIu64 ": %s\n", i == 0 ? "guess, it fits if in" : "    or in",
                c->list[i].cycle, c->list[i].text);
    }
    if (c->more != 0) {
        fprintf(to, "    and %" PRIu32 " more\n", c->more);
    }
}

void cause_json(const causes *c, wlk_json *to) {
    wlk_json_open(to, "passes_with", '[');
    for (uint32_t i = 0; i < c->n_passes; i++) {
        wlk_json_text(to, NULL, c->passes[i]);
    }
    wlk_json_close(to, ']');
    wlk_json_open(to, "sources", '[');
    for (uint32_t i = 0; i < c->n_sources; i++) {
        wlk_json_text(to, NULL, c->sources[i]);
    }
    wlk_json_close(to, ']');
    wlk_json_open(to, "guesses", '[');
    for (uint32_t i = 0; i < c->n; i++) {
        wlk_json_open(to, NULL, '{');
        wlk_json_number(to, "cycle", c->list[i].cycle);
        wlk_json_text(to, "text", c->list[i].text);
        wlk_json_close(to, '}');
    }
    wlk_json_close(to, ']');
}

void cause_free(causes *c) {
    free(c->text);
    *c = (causes){.n = 0};
}

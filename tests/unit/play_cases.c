// SPDX-License-Identifier: Apache-2.0
// The model behind cases.py: play_cases BLOCK reads orders, a line each, and answers with lines up
// to a ".":
//   check SETTINGS         why the configuration is refused, if it is
//   ports SETTINGS         name, width and direction (1: output) of each port
//   open POWER SETTINGS    a new state; POWER: unknown or zero
//   row [look] [state] [assume=K] WORD...
//       a cycle, with `look` without the clock edge. Words: iP=V input port P, xP=V unknown bits of
//       it, oP=0 an output to show. Answers: ! and what is wrong in the model; "port P VALUE CARE";
//       with `state` "element VALUE KNOWN NAME" before the edge; and the facts of the cycle.
#include "rig.h"

#include <inttypes.h>

enum { MAX_SHOWN = 4096 };

static rig r;
static uint64_t *unknown, *got, *got_care;     // bits of inputs; outputs of another way
static void *before, *assumed, *after, *other; // states beside the rig's
static const wlk_port *shown[MAX_SHOWN];       // in this row
static uint32_t n_shown;
static bool stepped; // step took a row

static void open_rig(const char *block, const char *settings, wlk_power_up power_up) {
    void **const states[] = {&before, &assumed, &after, &other};
    rig_close(&r);
    rig_open(&r, block, settings, power_up);
    unknown = rig_words(&r, r.layout.in_words);
    got = rig_words(&r, r.layout.out_words);
    got_care = rig_words(&r, r.layout.out_words);
    for (size_t i = 0; i < COUNT(states); i++) {
        *states[i] = rig_state(&r, r.block, power_up);
    }
    stepped = false;
}

static void copy(void *to, const void *state) {
    memcpy(to, state, r.block->state_size(r.cfg));
}

static bool same_state(const void *a, const void *b) {
    return memcmp(a, b, r.block->state_size(r.cfg)) == 0;
}

static bool same_words(const uint64_t *a, const uint64_t *b) {
    return memcmp(a, b, r.layout.out_words * sizeof *a) == 0;
}

static void print_element(void *to, const char *name, int32_t index, const uint64_t *words,
                          uint32_t n, uint64_t known, wlk_notation notation) {
    (void)notation;
    fprintf(to, "element %" PRIu64 " %" PRIu64 " %s", words[0], known, name);
    if (index >= 0) {
        fprintf(to, "[%d]", index);
    }
    fputs("\n", to);
    for (uint32_t i = 1; i < n; i++) {
        fprintf(to, "word %" PRIu64 "\n", words[i]);
    }
}

// The caller's.
static char *elements(const void *state) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    REQUIRE(to != NULL, "no memory");
    if (r.block->visit != NULL) {
        r.block->visit(r.cfg, state, print_element, to);
    }
    (void)fclose(to);
    return text;
}

// Whether the other state is the one after the edge, and the same rules are broken.
static bool as_ticked(const wlk_step_info *info, const wlk_step_info *ticked) {
    char *a = elements(other), *b = elements(after);
    const bool same = strcmp(a, b) == 0 && info->violated == ticked->violated;
    free(a);
    free(b);
    return same;
}

static void check_record(const wlk_step_info *ticked) {
    wlk_step_info info = {0, 0};
    copy(other, assumed);
    r.block->record(r.cfg, other, r.in, got, got_care, &info);
    if (!same_words(got, r.out) || !same_words(got_care, r.care) || info.events != ticked->events ||
        !as_ticked(&info, ticked)) {
        printf("! record differs from eval and tick\n");
    }
}

static int step(wlk_step_info *info) {
    const wlk_view in = rig_view(&r, r.in, false), out = rig_view(&r, got, true);
    return r.block->step(r.cfg, other, &in, &out, info);
}

// Step takes what is right, refuses each shown output with a bit flipped, and changes nothing then.
// Whether it took the row.
static bool check_step(const wlk_step_info *ticked) {
    wlk_step_info info = {0, 0};
    const bool full = same_words(r.care, r.all);
    copy(other, assumed);
    memcpy(got, r.out, r.layout.out_words * sizeof *got);
    for (uint32_t i = 0; full && i < n_shown; i++) {
        const uint64_t right = wlk_port_get(shown[i], got);
        wlk_port_set(shown[i], got, right ^ 1u);
        if (step(&info) == 0) {
            printf("! step does not compare %s\n", shown[i]->name);
            return true;
        }
        wlk_port_set(shown[i], got, right);
    }
    if (!same_state(other, assumed)) {
        printf("! step changes the state though it answers 1\n");
    }
    const bool taken = step(&info) == 0;
    // It may look closer while a bit of the state is unknown, which ends once for all.
    const bool may_look = !stepped && (r.block->always_learns || r.block->outcomes != NULL);
    if (taken ? !as_ticked(&info, ticked) : full && !may_look) {
        printf("! step differs from eval and tick\n");
    }
    return taken;
}

static void print_row(bool with_state, bool taken, const wlk_step_info *info) {
    for (uint32_t i = 0; i < n_shown; i++) {
        printf("port %td %" PRIu64 " %" PRIu64 "\n", shown[i] - r.ports,
               wlk_port_get(shown[i], r.out), wlk_port_get(shown[i], r.care));
    }
    if (with_state) {
        char *text = elements(assumed);
        fputs(text, stdout);
        free(text);
    }
    printf("violates %u\ntaken %d\n", info->violated, taken);
    if (r.block->drained != NULL) {
        printf("drained %d\n", r.block->drained(r.cfg, assumed));
    }
    if (r.block->outcomes != NULL) {
        printf("outcomes %u\n", r.block->outcomes(r.cfg, assumed, r.in));
    }
}

static void cycle(bool look, bool with_state, const char *assume) {
    wlk_step_info info = {0, 0};
    copy(before, r.state);
    if (assume != NULL) {
        r.block->assume(r.cfg, r.state, r.in, (uint32_t)strtoul(assume, NULL, 10));
    }
    copy(assumed, r.state);
    r.block->eval(r.cfg, r.state, r.in, r.out, r.care);
    if (!same_state(r.state, assumed)) {
        printf("! eval changes the state\n");
    }
    copy(after, assumed);
    r.block->tick(r.cfg, after, r.in, &info);
    check_record(&info);
    const bool taken = check_step(&info) && !look;
    stepped = stepped || taken;
    print_row(with_state, taken, &info);
    for (uint32_t w = 0; w < r.layout.in_words; w++) {
        if (unknown[w] != 0 && r.block->tick_unknown != NULL) {
            copy(after, assumed);
            r.block->tick_unknown(r.cfg, after, r.in, unknown, &info);
            break;
        }
        if (unknown[w] != 0) {
            r.block->forget(r.cfg, after, r.in, unknown);
            break;
        }
    }
    copy(r.state, look ? before : after);
}

static void play_row(char *words) {
    const char *assume = NULL;
    bool look = false, with_state = false;
    char *rest = NULL, *value = NULL;
    n_shown = 0;
    memset(unknown, 0, r.layout.in_words * sizeof *unknown);
    rig_idle(&r);
    for (char *word = strtok_r(words, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        const wlk_port *port = r.ports + strtoul(word + 1, &value, 10);
        if (strncmp(word, "assume=", 7) == 0) {
            assume = word + 7;
        } else if (*value != '=') {
            look = look || strcmp(word, "look") == 0;
            with_state = with_state || strcmp(word, "state") == 0;
        } else if (word[0] == 'o') {
            REQUIRE(n_shown < MAX_SHOWN, "too many outputs");
            shown[n_shown++] = port;
        } else {
            wlk_port_set(port, word[0] == 'i' ? r.in : unknown, strtoull(value + 1, NULL, 10));
        }
    }
    cycle(look, with_state, assume);
}

static void follow(const char *block, char *line) {
    char *rest = strchr(line, ' ');
    wlk_error err;
    *rest++ = '\0';
    if (strcmp(line, "row") == 0) {
        play_row(rest);
    } else if (strcmp(line, "check") == 0) {
        if (rig_refuses(block, rest, &err)) {
            printf("%s\n", err.text);
        }
    } else if (strcmp(line, "open") == 0) {
        const bool zero = strncmp(rest, "zero", 4) == 0;
        open_rig(block, strchr(rest, ' ') + 1, zero ? WLK_POWER_ZERO : WLK_POWER_UNKNOWN);
    } else {
        open_rig(block, rest, WLK_POWER_ZERO);
        for (const wlk_port *p = r.ports; p < r.ports + r.layout.n_ports; p++) {
            printf("%s %u %d\n", p->present ? p->name : "-", p->width, p->is_out);
        }
    }
    printf(".\n");
    (void)fflush(stdout);
}

int main(int argc, char **argv) {
    char *line = NULL;
    size_t room = 0;
    if (argc != 2) {
        return 2;
    }
    for (ssize_t n; (n = getline(&line, &room, stdin)) > 0;) {
        line[n - 1] = '\0';
        follow(argv[1], line);
    }
    free(line);
    rig_close(&r);
    return 0;
}

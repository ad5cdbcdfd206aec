// SPDX-License-Identifier: Apache-2.0
// wlk-vec: make, play, print, compare, import and export vector files. scripts/warplock vectors is
// its front and checks the header; here the words decide what a file is.
#include <stdio.h>
#include <string.h>

#include "vec_job.h"

static const char tool[] = "wlk-vec";

typedef struct command {
    const char *name;
    wlk_status (*run)(job *j, char **a, wlk_error *err);
    int words;    // how many there are, without those of the configuration
    int power_up; // which of them is the model's power-up; 0: it is unknown
    bool block;   // the first one is a block, and words of its configuration may follow
    bool writes;  // --force, --small and --async may stand before the words
    const char *usage;
} command;

static const command commands[] = {
    {"gen", vec_gen, 6, 5, true, true,
     "[--force] [--small] BLOCK OUT SEED PROFILE CYCLES unknown|zero [KEY=VALUE...]"},
    {"records", vec_records, 5, 4, true, false,
     "BLOCK SEED PROFILE CYCLES unknown|zero [KEY=VALUE...]"},
    {"play", vec_play, 5, 2, true, false,
     "BLOCK FILE unknown|zero gen|csv sync|async [KEY=VALUE...]"},
    {"header", vec_header, 1, 0, false, false, "FILE"},
    {"dump", vec_dump, 4, 0, true, false, "BLOCK FILE FROM TO [KEY=VALUE...]"},
    {"import", vec_import, 4, 3, true, true,
     "[--force] [--async] BLOCK OUT NAME unknown|zero [KEY=VALUE...] <CSV (last line: #end)"},
    {"export", vec_export, 7, 2, true, true,
     "[--force] BLOCK FILE unknown|zero gen|csv csv|hex|vcd|fst OUT CLOCK [KEY=VALUE...]"},
    {"beside", vec_beside, 3, 0, false, true, "[--force] WAVE SIGNALS OUT"},
    {"model", vec_model, 2, 1, true, false, "BLOCK unknown|zero [KEY=VALUE...] <CSV"},
    {"layout", vec_layout, 1, 0, true, false, "BLOCK [KEY=VALUE...]"},
    {"diff", vec_diff, 4, 0, true, false, "BLOCK FILE FILE LINES [KEY=VALUE...]"},
    {"same", vec_same, 2, 0, false, false, "FILE FILE"},
};

static wlk_status run(const command *c, job *j, int n, char **a, wlk_error *err) {
    for (; c->writes && n > 0 && strncmp(*a, "--", 2) == 0; n--, a++) {
        j->force = j->force || strcmp(*a, "--force") == 0;
        j->is_async = j->is_async || strcmp(*a, "--async") == 0;
        j->small = j->small || strcmp(*a, "--small") == 0;
    }
    if (n < c->words || (n > c->words && !c->block)) {
        return WLK_USAGE;
    }
    wlk_status status = WLK_OK;
    if (c->block) {
        const char *power_up = c->power_up != 0 ? a[c->power_up] : "unknown";
        status = job_open(j, a[0], power_up, a + c->words, n - c->words, err);
    }
    return status == WLK_OK ? c->run(j, a, err) : status;
}

static int answer(const command *c, int n, char **a) {
    wlk_error err = {WLK_OK, ""};
    job j = {.force = false};
    const wlk_status status = run(c, &j, n, a, &err);
    job_close(&j);
    if (err.text[0] != '\0') {
        return tool_fail(tool, &err);
    }
    if (status == WLK_USAGE) {
        fprintf(stderr, "usage: %s %s %s\n", tool, c->name, c->usage);
        return WLK_USAGE;
    }
    const int code = tool_close_output(tool);
    return code != 0 ? code : (int)status;
}

int main(int argc, char **argv) {
    wlk_error err = {WLK_OK, ""};
    tool_signals();
    if (tool_own_blocks(tool, &err) != WLK_OK) {
        return tool_fail(tool, &err);
    }
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return answer(&commands[i], argc - 2, argv + 2);
        }
    }
    fputs("usage: wlk-vec gen|records|play|header|dump|import|export|beside|model|layout|diff|same "
          "...\n",
          stderr);
    return WLK_USAGE;
}

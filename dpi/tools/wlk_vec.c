// SPDX-License-Identifier: Apache-2.0
// wlk-vec: make, play, print and import vector files. scripts/warplock vectors is its front and
// checks the header; here the words decide what a file is.
#include <stdio.h>
#include <string.h>

#include "vec_job.h"

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)(int n, char **words);
        const char *usage;
    } commands[] = {
        {"gen", vec_gen,
         "[--force] [--small] BLOCK OUT SEED PROFILE CYCLES unknown|zero [KEY=VALUE...]"},
        {"play", vec_play, "BLOCK FILE unknown|zero gen|csv [KEY=VALUE...]"},
        {"header", vec_header, "FILE"},
        {"dump", vec_dump, "BLOCK FILE FROM TO [KEY=VALUE...]"},
        {"import", vec_import,
         "[--force] BLOCK OUT NAME unknown|zero [KEY=VALUE...] <CSV (last line: #end)"},
        {"model", vec_model, "BLOCK unknown|zero [KEY=VALUE...] <CSV"},
        {"layout", vec_layout, "BLOCK [KEY=VALUE...]"},
        {"same", vec_same, "FILE FILE"},
    };
    tool_signals();
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[1], commands[i].name) != 0) {
            continue;
        }
        const int code = commands[i].run(argc - 2, argv + 2);
        if (code != VEC_BAD_WORDS) {
            return code;
        }
        fprintf(stderr, "usage: wlk-vec %s %s\n", commands[i].name, commands[i].usage);
        return WLK_USAGE;
    }
    fputs("usage: wlk-vec gen|play|header|dump|import|model|layout|same ...\n", stderr);
    return WLK_USAGE;
}

// SPDX-License-Identifier: Apache-2.0
// Commands of wlk-vec on a record file: the block is the first whose records have its words, the
// command one of its bytes.
#include "records_mended.h"
#include "vec_job.h"

static char null[] = "/dev/null";
static const char *const blocks[] = {"compactor",         "scoreboard",     "hazard",
                                     "vortex_scoreboard", "dispatch_basic", "reservation_station"};
enum { BLOCKS = sizeof blocks / sizeof blocks[0], COMMANDS = 6, WORDS = 7 };

typedef struct command {
    wlk_status (*run)(job *j, char **words, wlk_error *err);
    const char *power_up;
    char *words[WORDS]; // NULL: the file
} command;

static const command commands[COMMANDS] = {
    {vec_play, "unknown", {"", NULL, "unknown", "csv", "sync"}},
    {vec_play, "zero", {"", NULL, "zero", "gen", "async"}},
    {vec_dump, "unknown", {"", NULL, "1", "20"}},
    {vec_diff, "unknown", {"", NULL, NULL, "3"}},
    {vec_export, "unknown", {"", NULL, "unknown", "gen", "vcd", null, "clock"}},
    {vec_export, "unknown", {"", NULL, "unknown", "csv", "csv", null, "clock"}},
};

static void run(const command *c, const char *block, char *path) {
    char *words[WORDS];
    wlk_error err;
    job j = {.force = true};
    for (int i = 0; i < WORDS; i++) {
        words[i] = c->words[i] != NULL ? c->words[i] : path;
    }
    if (job_open(&j, block, c->power_up, NULL, 0, &err) == WLK_OK) {
        (void)c->run(&j, words, &err);
    }
    job_close(&j);
}

static bool has_shape(const char *block, const wlk_vec_shape *shape) {
    wlk_error err;
    tool_block b;
    const bool fits = tool_block_open(&b, block, NULL, 0, &err) == WLK_OK &&
                      b.layout.in_words == shape->in_words &&
                      b.layout.out_words == shape->out_words;
    tool_block_close(&b);
    return fits;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_file file = fuzz_file_new(data, size);
    wlk_vec_reader *reader = NULL;
    wlk_error err;
    if (wlk_vec_open(&reader, file.path, &err) == WLK_OK) {
        const wlk_vec_shape shape = wlk_vec_get_shape(reader);
        int block = 0;
        while (block < BLOCKS - 1 && !has_shape(blocks[block], &shape)) {
            block++;
        }
        run(&commands[data[size / 2] % COMMANDS], blocks[block], file.path);
    }
    wlk_vec_close(reader);
    fuzz_file_end(&file);
    return 0;
}

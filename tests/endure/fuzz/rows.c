// SPDX-License-Identifier: Apache-2.0
// CSV rows behind the name of a block, as wlk-vec import and wlk-vec model read them.
#include "lines_mended.h"
#include "vec_job.h"

// Heads, kinds and values of columns.
const char *const fuzz_words[] = {"cycle",
                                  "reset",
                                  "#dir,i1,i1,i1",
                                  "#dir,i1,i1,i64,o1",
                                  "#end",
                                  "compactor",
                                  "scoreboard",
                                  "io_in_0_valid",
                                  "io_in_3_bits_0",
                                  "io_out_0_valid",
                                  "io_out_1_ready",
                                  "i1",
                                  "i64",
                                  "o1",
                                  "o64",
                                  "x",
                                  "1:1",
                                  "0:0",
                                  "ffffffffffffffff",
                                  "10000000000000000",
                                  "ffffffffffffffff:ffffffffffffffff",
                                  ":",
                                  "",
                                  NULL};

static void run(wlk_status (*command)(job *j, char **words, wlk_error *err), const char *block,
                char *text) {
    char *words[] = {"", "/dev/null", "rows", "unknown"};
    FILE *before = stdin;
    wlk_error err;
    job j = {.force = true};
    stdin = fmemopen(text, strlen(text), "r");
    if (stdin != NULL) {
        if (job_open(&j, block, "unknown", NULL, 0, &err) == WLK_OK) {
            (void)command(&j, words, &err);
        }
        (void)fclose(stdin);
    }
    stdin = before;
    job_close(&j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = fuzz_text(data, size), *rows = strchr(text, '\n');
    if (rows != NULL && rows[1] != '\0') {
        *rows = '\0';
        run(vec_import, text, rows + 1);
        run(vec_model, text, rows + 1);
    }
    free(text);
    return 0;
}

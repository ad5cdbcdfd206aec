// SPDX-License-Identifier: Apache-2.0
// CSV rows behind the name of a block, as wlk-vec import and wlk-vec model read them.
#include "fuzz.h"
#include "vec_job.h"

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

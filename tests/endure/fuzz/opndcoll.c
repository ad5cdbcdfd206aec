// SPDX-License-Identifier: Apache-2.0
// The operand collector of GPGPU-Sim: option file, stimulus and recorded events, with lines "%%"
// between. wlk-opndcoll plays, compares, counts, and asks other configurations.
#include "fuzz.h"

#define main wlk_opndcoll_main
#include "wlk_opndcoll.c"
#undef main

enum { MOST_STEPS = 2000 }; // of an X, so that nothing takes long

// Steps of the stimulus stay few.
static bool is_short(const char *stimulus) {
    for (const char *at = stimulus; (at = strchr(at, 'X')) != NULL; at++) {
        if (strtoull(at + 1, NULL, 10) > MOST_STEPS) {
            return false;
        }
    }
    return true;
}

static void run(job *j) {
    if (prepare(j) == WLK_OK && play(j) == WLK_OK) {
        (void)answer(j);
    } else {
        text_finish(&j->to);
    }
    clean_up(j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static job j;
    char *text = fuzz_text(data, size), *rest = text;
    const char *parts[] = {fuzz_part(&rest), fuzz_part(&rest), fuzz_part(&rest)};
    static const char *const revisions[] = {"v40", "v42", "v32"};
    fuzz_file files[3];
    for (int i = 0; i < 3; i++) {
        files[i] = fuzz_file_new(parts[i], strlen(parts[i]));
    }
    for (int how = 0; how < 4 && is_short(parts[1]); how++) {
        memset(&j, 0, sizeof j);
        j.revision = revisions[size % 3];
        j.configs[j.n_configs++] = files[0].path;
        j.stimulus = files[1].path;
        j.allow_unknown = how == 1;
        j.diff = how == 0 ? files[2].path : NULL;
        j.state = j.stats = how == 1;
        j.summary = j.windows = how == 2;
        if (how == 3) {
            j.compared[j.n_compared++] = files[0].path;
        }
        run(&j);
    }
    for (int i = 0; i < 3; i++) {
        fuzz_file_end(&files[i]);
    }
    free(text);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Programs, for the smallest and the widest configuration.
#include "lines_mended.h"
#include "warplock/program.h"

// Of header lines and of instructions.
const char *const fuzz_words[] = {"warps 1",
                                  "warps 8",
                                  "registers 2",
                                  "registers 128",
                                  "lanes 1",
                                  "lanes 64",
                                  "warplock-program 1",
                                  "-",
                                  "x0",
                                  "x1",
                                  "x127",
                                  "x128",
                                  "0x0",
                                  "0x1",
                                  "0x2",
                                  "0xffffffffffffffff",
                                  "0x10000000000000000",
                                  "0x100000000",
                                  "alu",
                                  "fpu",
                                  "lsu",
                                  "sfu",
                                  "# x",
                                  "65535",
                                  "65536",
                                  NULL};

static void load(const char *path, uint32_t warps, uint32_t registers, uint32_t lanes) {
    wlk_program *program = NULL;
    wlk_error err;
    if (wlk_program_load(&program, path, warps, registers, lanes, 32, &err) == WLK_OK) {
        size_t all = 0, count;
        for (uint32_t warp = 0; warp < warps; warp++) {
            const wlk_instruction *list = wlk_program_warp(program, warp, &count);
            for (size_t i = 0; i < count; i++) {
                const bool good = list[i].warp == warp && list[i].rd < registers &&
                                  list[i].latency >= 1 && list[i].unit < WLK_UNITS;
                if (!good) {
                    abort();
                }
            }
            all += count;
        }
        if (all != wlk_program_total(program) || all == 0) {
            abort();
        }
    }
    wlk_program_free(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const fuzz_file file = fuzz_file_new(data, size);
    load(file.path, 1, 2, 1);
    load(file.path, 8, 128, 64);
    fuzz_file_end(&file);
    return 0;
}

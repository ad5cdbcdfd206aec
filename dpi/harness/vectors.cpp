// SPDX-License-Identifier: Apache-2.0
// Plays lines of numbers into a Verilated module whose ports are `clock` and the vectors `in` and
// `out`: a line a cycle, 32-bit words in hexadecimal, the lowest first. Prints `out` before each
// rising edge. Everything powers up as 0. Built by scripts/wlk/run/versions.py.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "Vwlk.h"
#include "data.h"

void wlk_data_refuse(const char *name, const std::string &why) {
    std::fprintf(stderr, "player: %s: %s\n", name, why.c_str());
    std::exit(1);
}

int main() {
    VerilatedContext context;
    context.randReset(0);
    Vwlk top{&context};
    constexpr size_t in_words = sizeof top.in / sizeof(EData);
    constexpr size_t out_words = sizeof top.out / sizeof(EData);
    for (;;) {
        for (size_t word = 0; word < in_words; word++) {
            uint32_t value = 0;
            if (std::scanf("%" SCNx32, &value) != 1) {
                top.final();
                return word == 0 ? 0 : 1;
            }
            top.in[word] = value;
        }
        top.clock = 0;
        top.eval();
        for (size_t word = 0; word < out_words; word++) {
            std::printf("%" PRIx32 "%c", static_cast<uint32_t>(top.out[word]),
                        word + 1 == out_words ? '\n' : ' ');
        }
        top.clock = 1;
        top.eval();
    }
}

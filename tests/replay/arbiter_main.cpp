// SPDX-License-Identifier: Apache-2.0
// The V32 arbiter of `opndcoll`, alone. A line of standard input is a step: the banks that ask, as
// a mask in hex, and the unit each bank asks for. Printed: the mask of the grants, and pri before
// them.
#include <cstdio>

#include "Vopndcoll_arbiter.h"

namespace {

constexpr unsigned banks = 16, unit_bits = 4;

void clock(Vopndcoll_arbiter *top) {
    top->clk_i = 1;
    top->eval();
    top->clk_i = 0;
    top->eval();
}

} // namespace

int main() {
    Vopndcoll_arbiter top;
    unsigned request = 0, unit = 0;
    top.rst_i = 1;
    clock(&top);
    top.rst_i = 0;
    while (std::scanf("%x", &request) == 1) {
        unsigned long long units = 0;
        for (unsigned bank = 0; bank < banks; bank++) {
            if (std::scanf("%u", &unit) != 1) {
                return 1;
            }
            units |= static_cast<unsigned long long>(unit) << (bank * unit_bits);
        }
        top.request_i = static_cast<unsigned short>(request);
        top.unit_i = units;
        top.eval();
        std::printf("%x %u\n", unsigned{top.grant_o}, unsigned{top.pri_o});
        clock(&top);
    }
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// The collector's class in a simulation, for counting instructions:
//   adapter_bench own|place PERCENT CYCLES
// runs QV100 (V40) with that chance to issue, with the mock's own collector or the class in its
// place, and prints the simulation's statistics, which are the same. Calls of the collector are
// made by the functions collector_step() and collector_writeback(), which are not inlined, so that
// a profiler tells what is spent in them (tests/bench/adapter.py).
#include "../unit/gpgpusim_configs.h"
#include "../unit/mock_simulation.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

namespace {

/** A collector whose calls are functions of their own. */
template <class Collector> class called : public Collector {
  public:
    __attribute__((noinline)) void collector_step() {
        Collector::step();
    }
    __attribute__((noinline)) bool collector_writeback(warp_inst_t &inst) {
        return Collector::writeback(inst);
    }
    void step() {
        collector_step();
    }
    bool writeback(warp_inst_t &inst) {
        return collector_writeback(inst);
    }
};

template <class Collector> void run(unsigned percent, unsigned long cycles) {
    mock::simulation<called<Collector>> simulation(qv100(V40), 0, percent, 1);
    for (unsigned long i = 0; i < cycles; i++) {
        simulation.cycle();
    }
    mock::statistics results = simulation.results();
    results.counted = {0, 0, 0}; // the mock's own collector does not count
    std::fputs(results.text().c_str(), stdout);
}

} // namespace

int main(int argc, char **argv) try {
    const std::string which = argc == 4 ? argv[1] : "";
    if (which != "own" && which != "place") {
        std::fputs("usage: adapter_bench own|place PERCENT CYCLES\n", stderr);
        return 2;
    }
    const unsigned percent = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
    const unsigned long cycles = std::strtoul(argv[3], nullptr, 10);
    if (which == "own") {
        run<mock::collector>(percent, cycles);
    } else {
        run<warplock::opndcoll<mock::v40_traits>>(percent, cycles);
    }
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "adapter_bench: %s\n", error.what());
    return 1;
}

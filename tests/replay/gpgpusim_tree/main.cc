// SPDX-License-Identifier: Apache-2.0
// Two cores run; statistics are printed at the end.
#include "gpgpu-sim/src/gpgpu-sim/shader.h"

#include "gpgpu-sim/src/gpgpu-sim/simulation.h"
#include "gpgpusim_configs.h"

#ifndef REVISION
#define REVISION V40
#endif

int main() {
    for (unsigned sm = 0; sm < 2; sm++) {
        mock::simulation<opndcoll_rfu_t> simulation(qv100(REVISION), sm, 60, 1 + sm);
        for (unsigned i = 0; i < 2000; i++) {
            simulation.cycle();
        }
        ldst_unit(&simulation.m_operand_collector).cycle();
        simulation.display_pipeline(stderr);
        fputs(simulation.results().text().c_str(), stdout);
    }
    return 0;
}

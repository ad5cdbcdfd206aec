# SPDX-License-Identifier: Apache-2.0
"""The checker without C finds what the one with DPI finds: in the same cycle, at the same port.

The stub and its faulty copies in Icarus with the checker, and in lockstep on the same inputs.
`warplock test --full` runs the whole lists, else a part of one block's.
"""

import icarus
import programs
import pytest
from wlk import tables
from wlk.gen import stubs
from wlk.run import mutate

pytestmark = [pytest.mark.slow, pytest.mark.needs("iverilog")]
CYCLES = 1500 if programs.FULL else 400
BLOCKS = programs.part(tables.names(), 14)
PART = [] if programs.FULL else ["--short", "--slice", str(programs.SLICE)]
FEW = 3  # faults that must show, at least


def simulated(made, fault, folder):
    """What the checker without C says of a faulty copy of the stub."""
    files = stubs.write_stub(made.table, made.config)
    if fault is not None:
        files = mutate.mutant(made.table, fault, files)
    words = [f"+wlk_fault={fault.number}"] if fault is not None and fault.number else []
    found = icarus.checked(made, icarus.design(files), folder, *words)
    return (found.cycle, found.port) if found.port else None


@pytest.mark.parametrize("block", BLOCKS)
def test_same_fault_in_the_same_cycle_at_the_same_port(block, tmp_path):
    table = tables.load(block)
    faults = {fault.name: fault for fault in mutate.faults_of(table)}
    words = ["--power-up", "zero", "--seeds", "1", "--cycles", CYCLES, "--json"]
    trials = programs.warplock("mutate", block, *PART, *words, code=None).objects
    benches, reported, found = {}, {}, {}
    for trial in (each for each in trials[:-1] if "skipped" not in each):
        fault = faults.get(trial["fault"])
        config = table.config(trial["config"])
        key = table.text(config)
        if key not in benches:
            benches[key] = icarus.bench(block, table.show(config), tmp_path, CYCLES)
        first = trial.get("first")
        reported[trial["fault"], key] = first and (first["cycle"], first["port"])
        found[trial["fault"], key] = simulated(benches[key], fault, tmp_path)
    assert found == reported
    assert sum(each is not None for each in found.values()) >= FEW

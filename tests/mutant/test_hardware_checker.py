# SPDX-License-Identifier: Apache-2.0
"""The checker without C finds every fault that the one with DPI finds, and so does the bench that
`vectors export` writes: in the same cycle, at the same port.

The faulty stubs run in Icarus with the checker, and in the bench, from zeros. What is right is the
first difference from the model's answers; of one block also what lockstep reports with the checker
with DPI. `warplock test --full` takes the whole lists of all blocks, and runs a fault that does not
show soon for longer.
"""

import icarus
import programs
import pytest
from wlk import tables
from wlk.base import setup
from wlk.gen import stubs
from wlk.run import mutate

pytestmark = [pytest.mark.slow, pytest.mark.needs("iverilog")]
CYCLES = 250
FEW = 2  # faults that must show, at least
# Slow in Icarus by their size: cycles that are enough for most faults.
WIDE = {"compactor": 60, "dispatch_basic": 30, "dispatch_compacting": 30, "opndcoll": 100}
SEEDS, LONGER = "1..40", 4_000  # and cycles, of a fault that seed 1 does not show


class Simulations:
    """Faulty stubs of a block in Icarus."""

    def __init__(self, block, folder):
        self.table, self.folder, self.benches = tables.load(block), folder, {}
        self.wide = block in WIDE
        self.cycles = WIDE.get(block, CYCLES)
        self.plays = 2 if self.wide and not programs.FULL else None  # in the bench; None: all
        self.faults = {
            fault.name: fault
            for fault in mutate.faults_of(self.table)
            if icarus.settles(block, self.table.config(fault.config), fault.name)
        }

    def chosen(self):
        """The whole list, of a wide block not all ports of many; else a few, evenly."""
        faults = list(self.faults.values())
        few = 3 if self.wide else 8
        if not programs.FULL:
            return faults[programs.SLICE % few :: max(few, len(faults) // few)]
        listed = [fault for fault in faults if not fault.number]
        return listed + faults[len(listed) :: 50 if self.wide else 1]

    def bench(self, config, seed, cycles):
        key = (self.table.text(config), seed, cycles)
        if key not in self.benches:
            folder = self.folder / f"{seed}_{cycles}"
            folder.mkdir(exist_ok=True)
            shown = self.table.show(config)
            self.benches[key] = icarus.bench(self.table.name, shown, folder, cycles, seed)
        return self.benches[key]

    def run(self, fault, config, soonest=False):
        """What the checker finds, what the bench finds, and where the module first differs from the
        model; with `soonest` in the seed that shows it first, if seed 1 does not."""
        files, words = stubs.write_stub(self.table, config), []
        if fault is not None:
            files = mutate.mutant(self.table, fault, files)
            words = [f"+wlk_fault={fault.number}"] if fault.number else []
        design = icarus.design(files)
        for seed, cycles in self.tries(fault if soonest else None, config, files):
            made = self.bench(config, seed, cycles)
            found = icarus.checked(made, design, self.folder, *words)
            expected = icarus.first_difference(made, found.printed)
            if found.first or expected:
                break
        if self.plays == 0:
            return found.first, expected, expected
        self.plays = self.plays and self.plays - 1
        return found.first, icarus.played(made, design, self.folder, *words), expected

    def tries(self, fault, config, files):
        """Seeds and cycles that may show a fault."""
        yield 1, self.cycles
        if fault is not None and not fault.number:
            options = [
                w for k, v in self.table.show(config).items() for w in ("--config", f"{k}={v}")
            ]
            done = programs.warplock(
                *("lockstep", self.table.name, *options, "--rtl", *files, "--power-up", "zero"),
                *("--seeds", SEEDS, "--keep-going", "--cycles", LONGER, "--json"),
                *("--reports", self.folder / "reports"),
                code=None,
            )
            shown = [(each["cycle"], each["seed"]) for each in done.objects[-1]["failures"]]
            cycle, seed = min(shown)
            yield seed, cycle + 20


@pytest.fixture
def simulations(request, tmp_path, monkeypatch):
    # Not where the builds of `mutate` look for their files.
    monkeypatch.setattr(mutate, "WORK", setup.BUILD / "test" / "hardware")
    made = Simulations(request.param, tmp_path)
    if not made.faults:
        pytest.skip("Icarus 11 does not come to rest in this stub; 12 does")
    return made


@pytest.mark.parametrize("simulations", programs.part(tables.names(), 7), indirect=True)
def test_first_difference_is_that_from_the_model(simulations):
    faults = simulations.chosen()
    found, played, expected = {}, {}, {}
    for fault in (None, *faults):
        name = fault.name if fault else ""
        config = simulations.table.config(fault.config if fault else faults[0].config)
        soonest = programs.FULL and fault is not None
        found[name], played[name], expected[name] = simulations.run(fault, config, soonest)
    assert found == expected
    assert played == expected
    assert found[""] is None
    assert sum(each is not None for each in found.values()) >= FEW
    if programs.FULL:
        assert [name for name, first in found.items() if name and first is None] == []


@pytest.mark.parametrize("simulations", programs.part(tables.names(), 14), indirect=True)
def test_first_difference_is_that_of_the_checker_with_dpi(simulations):
    part = [] if programs.FULL else ["--short", "--slice", str(programs.SLICE)]
    words = ["--power-up", "zero", "--seeds", "1", "--cycles", simulations.cycles, "--json"]
    name = simulations.table.name
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mutate, "WORK", setup.BUILD / "mutants")
        trials = programs.warplock("mutate", name, *part, *words, code=None).objects
    found, played, reported = {}, {}, {}
    for trial in (each for each in trials[:-1] if "skipped" not in each):
        fault = simulations.faults.get(trial["fault"])
        config = simulations.table.config(trial["config"])
        if not icarus.settles(name, config, trial["fault"]):
            continue
        key = (trial["fault"], simulations.table.text(config))
        first = trial.get("first")
        reported[key] = (first["cycle"], first["port"]) if first else None
        found[key], played[key], _ = simulations.run(fault, config)
    assert found == reported
    assert played == reported
    assert sum(each is not None for each in found.values()) >= FEW

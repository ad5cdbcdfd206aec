# SPDX-License-Identifier: Apache-2.0
"""The same answer everywhere: records byte for byte, verdicts and counts of lockstep, from each
compiler and optimization, with sanitizers, with both Verilators, with one process or many, with
and without DPI, and seeds one by one in any order. Half of the RTL has a fault.

  scripts/warplock test --campaign same --minutes N

Instruction sets are compared within a process, by tests/unit/test_variants.c.
"""

import hashlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("scripts", "tests", "tests/prop", "tests/lockstep")
sys.path[:0] = [str(ROOT / part) for part in PARTS]

import ledger
import programs
import rtl_under_test as rut
import test_models as prop
from wlk import tables
from wlk.base.errors import Status
from wlk.run import mutate

BASE = "release"
BUILDS = [f"{cc}-O{level}" for cc in ("gcc", "clang") for level in range(4)]
# Recompiled RTL powers up with other random values, so it and its base run start from zeros.
ZEROS = ("--power-up", "zero")
# Name, build, and words of lockstep.
WAYS: list[tuple[str, str, tuple[str, ...]]] = [
    *((build, build, ()) for build in BUILDS),
    ("sanitizers", "asan", ()),
    ("newest Verilator", BASE, ("--verilator", "newest", *ZEROS)),
    ("three processes", BASE, ("--jobs", "3")),
    ("by DPI", BASE, ("--via", "dpi", *ZEROS)),
]
# What is of a run and not of the RTL; shrunk cases are compared by their lengths.
LEFT_OUT = {"cycles_per_second", "picture", "waves", "rtl_lines", "second_opinion", "failing_seeds"}
CYCLES = 3000
SEEDS = 3


class Case:
    """RTL, a configuration, and what is shown to it."""

    def __init__(self, number: int, dice: random.Random) -> None:
        self.place = ledger.PLACE / "same" / str(number)
        self.place.mkdir(parents=True, exist_ok=True)
        self.table = tables.load(dice.choice([n for n in tables.names() if n != "opndcoll"]))
        listed = [fault for fault in mutate.faults_of(self.table) if fault.changes]
        fault = dice.choice(listed) if dice.random() < 0.5 else None
        self.fault = fault.name if fault else "none"
        if fault is not None:
            self.config = self.table.config(fault.config)
        else:
            self.config = programs.random_config(self.table, dice, prop.SMALL)
        self.rtl: tuple[object, ...] = ()
        if fault is not None:
            rut.PLACE = self.place
            good = rut.stub("good", fault.config, block=self.table.name)
            mutate.WORK = self.place / "faulty"
            files = mutate.mutant(self.table, fault, sorted(good.glob("*.sv")))
            self.rtl = ("--rtl", *files, "--module", self.table.module)
        self.options = programs.config_options(self.table.show(self.config))
        self.options += ["--profile", dice.choice(("mix", *self.table.profiles))]
        if self.table.clock is not None:
            self.options += ["--power-up", dice.choice(("unknown", "zero"))]
        self.seed = dice.randrange(1, 1 << 30)

    def __str__(self) -> str:
        return f"{self.table.name}, fault {self.fault}, {' '.join(map(str, self.options))}"

    def records(self, build: str) -> str:
        """Of the vector file that this build writes."""
        path = self.place / f"{build}.wlv"
        words = ("--seed", self.seed, "--cycles", CYCLES, "--force")
        programs.typed(
            *("vectors", "gen", self.table.name, path, *self.options, *words), WARPLOCK_BUILD=build
        )
        return hashlib.sha256(path.read_bytes()).hexdigest()

    def lockstep(self, build: str, words: tuple[str, ...], first: int, last: int) -> dict[str, Any]:
        place = self.place / "reports"
        told = ("--seeds", f"{first}..{last}", "--cycles", CYCLES, "--json", "--reports", place)
        words = words if "--jobs" in words else (*words, "--jobs", "1")
        done = programs.typed(
            *("lockstep", self.table.name, *self.rtl, *self.options, *told, *words),
            code=None,
            WARPLOCK_BUILD=build,
        )
        answer = {key: value for key, value in done.json.items() if key not in LEFT_OUT}
        if "shrunk" in answer:
            answer["shrunk"] = {key: answer["shrunk"].get(key) for key in ("from", "cycles")}
        return answer | {"code": done.code}


def differences(case: Case) -> Iterator[str]:
    """A line for each way that answers otherwise."""
    records = case.records(BASE)
    for build in dict.fromkeys(build for _, build, _ in WAYS if build != BASE):
        if case.records(build) != records:
            yield f"{build}: other records of seed {case.seed}"
    last = case.seed + SEEDS - 1
    answer = case.lockstep(BASE, (), case.seed, last)
    from_zeros = case.lockstep(BASE, ZEROS, case.seed, last)
    for name, build, words in WAYS:
        other = case.lockstep(build, words, case.seed, last)
        base = from_zeros if "zero" in words else answer
        for key in sorted(base.keys() | other.keys()):
            if base.get(key) != other.get(key):
                yield f"{name}: {key} is {other.get(key)}, was {base.get(key)}"
    if answer["code"] == Status.OK:
        yield from one_by_one(case, answer)


def one_by_one(case: Case, answer: dict[str, Any]) -> Iterator[str]:
    """The sums of single seeds, the last one first."""
    alone = [case.lockstep(BASE, (), case.seed + k, case.seed + k) for k in reversed(range(SEEDS))]
    for key in ("cycles", "compared_bits", "masked_bits"):
        if (total := sum(each[key] for each in alone)) != answer[key]:
            yield f"seeds one by one: {key} is {total}, was {answer[key]}"


def draw(number: int, dice: random.Random) -> dict[str, Any]:
    case = Case(number, dice)
    found = list(differences(case))
    assert not found, f"{case}: " + "; ".join(found)
    ways = len(WAYS) + 3
    kind = "none" if case.fault == "none" else "faulty"
    return {"what": f"{case.table.name}, fault: {kind}", "cycles": ways * SEEDS * CYCLES}


if __name__ == "__main__":
    sys.exit(ledger.campaign(__file__, __doc__, draw))

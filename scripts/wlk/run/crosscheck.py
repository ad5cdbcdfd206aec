# SPDX-License-Identifier: Apache-2.0
"""The second opinion on a proof: both sides simulated side by side on the same random inputs.

A proof is of netlists, as Yosys reads the RTL. Where a simulator reads it otherwise, a proof says
nothing of simulations, so no answer is PROVED before the sources agree in Verilator too. The inputs
are random, with resets in the middle of work; registers power up as 0 and once more as 1.
"""

import contextlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Self

from ..base import keep, outputs, setup
from ..base.errors import Status, WlkError
from ..base.report import Mismatch
from ..prove.engines import Values
from ..prove.miter import Compared
from ..prove.netlist import Netlist
from . import verilate
from .simulation import Simulation, unpacked

Row = Mapping[str, int]
FOLDER = setup.BUILD / "crosschecks"
CYCLES = 10_000  # of each power-up
STARTS = 2  # power-ups
SEED = 1


@dataclass(frozen=True)
class Difference:
    """The first one in simulation."""

    first: Mismatch
    ones: bool  # registers powered up as 1

    def text(self) -> str:
        """In words."""
        first, start = self.first, "1" if self.ones else "0"
        values = f"{first.expected:#x} and {first.got:#x}"
        return f"{first.port} is {values} in cycle {first.cycle}, registers beginning with {start}"


@dataclass(frozen=True)
class Pair:
    """Two sides of a proof, the first is what is right, and what is compared of them."""

    gold: Netlist
    gate: Netlist
    compared: Sequence[Compared]
    ties: Mapping[str, int] = field(default_factory=dict)  # of the first side
    reset: Mapping[str, int] = field(default_factory=dict)  # in the proof's first cycle
    verilator: str = "system"

    @cached_property
    def sides(self) -> tuple[Simulation, Simulation]:
        """How they are simulated."""
        tool = verilate.find_tool(self.verilator)
        resets = self.gate.resets | self.gold.resets | self.reset
        shown = [each.port for each in self.compared]
        names = {each.when for each in self.compared if each.when}
        more = [p for p in self.gold.ports if p.name in names and p not in shown]
        return (
            Simulation(self.gold, tool, [*shown, *more], self.ties, resets),
            Simulation(self.gate, tool, shown, resets=resets),
        )

    def run(self, ones: bool, cycles: int = CYCLES) -> Difference | None:
        """Simulate both; None: they agree."""
        for cycle, (one, other) in self._unequal((ones,), cycles):
            if found := self._differences(cycle, one, other):
                return Difference(found[0], ones)
        return None

    def settled(self, cycles: int = CYCLES) -> Difference | None:
        """The first difference between outputs of which none depends on the power-up: what
        corresponds may start with another value on each side."""
        for cycle, rows in self._unequal((False, True), cycles):
            for each in self._differences(cycle, rows[0], rows[2]):
                if all(rows[n][each.port] == rows[n + 1][each.port] for n in (0, 2)):
                    return Difference(each, ones=False)
        return None

    def _unequal(self, starts: Sequence[bool], cycles: int) -> Iterator[tuple[int, list[Row]]]:
        """The cycles that count in which not all runs are equal, and what each shows there: of the
        first side one from each power-up, then of the second."""
        runs = [(side, ones) for side in self.sides for ones in starts]
        reset = bool(self.reset)
        with ThreadPoolExecutor(2) as pool:
            shown = [
                *pool.map(lambda run: run[0].random(SEED, cycles, ones=run[1], reset=reset), runs)
            ]
        for cycle, texts in enumerate(zip(*shown, strict=True)):
            if len({*texts}) > 1 and (cycle or not reset):
                pairs = zip(runs, texts, strict=True)
                yield cycle, [unpacked(int(text, 16), side.shown) for (side, _), text in pairs]

    def _differences(self, cycle: int, one: Row, other: Row) -> list[Mismatch]:
        """The ports that differ where they have a meaning."""
        found = []
        for each in self.compared:
            name, care = each.port.name, (1 << each.port.width) - 1
            if one[name] != other[name] and (not each.when or one.get(each.when, 0) & 1):
                found.append(Mismatch(cycle, name, one[name], other[name], care))
        return found

    def play(self, values: Values, ones: bool = False) -> tuple[list[Mismatch], Values]:
        """What differs in the first cycle in which anything does, with given inputs, and what the
        first side shows."""
        gold, gate = (side.play(values, ones=ones) for side in self.sides)
        for cycle, rows in enumerate(zip(gold, gate, strict=True)):
            if (cycle or not self.reset) and (found := self._differences(cycle, *rows)):
                return found, gold
        return [], gold

    def stimulus(self, found: Difference) -> Values:
        """The inputs up to a difference."""
        how = {"ones": found.ones, "reset": bool(self.reset)}
        rows = [side.stimulus(SEED, found.first.cycle + 1, **how) for side in self.sides]
        return [one | other for one, other in zip(*rows, strict=True)]

    def elsewhere(self) -> Self:
        """The same in the other Verilator; NO_TOOL where it is not installed."""
        return replace(self, verilator=verilate.other(self.verilator))

    @property
    def _note(self) -> Path:
        """Where it is noted that they agree."""
        shown = [str(each) for each in (self.compared, CYCLES, SEED, sorted(self.reset))]
        return FOLDER / keep.digest([side.key for side in self.sides] + shown) / "agreed.json"

    def check(self) -> list[Difference]:
        """The first difference from each power-up; what agrees is simulated but once."""
        note = self._note
        with setup.locked(f"crosscheck-{note.parent.name}"):
            if note.is_file():
                return []
            found = [each for ones in (False, True) if (each := self.run(ones)) is not None]
            if not found:
                outputs.make_folder(note.parent)
                with outputs.atomic_write(note) as file:
                    file.write(json.dumps({"cycles": CYCLES}))
                keep.touch(note.parent, "crosscheck")
        return found


class Beside:
    """A check that runs in a thread while the engines work."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self._found: list[Difference] = []
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._found = self._check()
        except BaseException as error:  # is raised where the answer is asked for
            self._error = error

    def _check(self) -> list[Difference]:
        """In the other Verilator where the first one does not take the RTL."""
        try:
            return self.pair.check()
        except WlkError as error:
            if error.status != Status.BUILD_FAIL:
                raise
            with contextlib.suppress(WlkError):
                other = self.pair.elsewhere()
                found, self.pair = other.check(), other
                return found
            message = f"{error.message}; no answer is PROVED that no simulator confirms"
            raise WlkError(Status.BUILD_FAIL, message) from error

    def result(self) -> list[Difference]:
        """Wait for it; BUILD_FAIL where no Verilator takes the RTL."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._found

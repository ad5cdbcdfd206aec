# SPDX-License-Identifier: Apache-2.0
"""What the ports would have been, had one statement done something else in one cycle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from . import drivers, elaborated, steps, terms
from .drivers import Driver, Process, Wire
from .scene import Scene
from .terms import Term, Value, ones

MOST_RUNS = 400  # of processes and assignments, for one question


def reads(found: Any) -> Iterator[Any]:
    """The signals that a term or a step reads."""
    todo, seen = [found], set()
    while todo:
        each = todo.pop()
        if isinstance(each, terms.Signal):
            yield each.signal
        elif isinstance(each, list | tuple):
            todo += each
        elif isinstance(each, elaborated.Called):
            todo += each.actuals
            if id(each.call) not in seen:
                seen.add(id(each.call))
                todo.append(each.call.body)
        elif isinstance(each, steps.Target):
            todo += [index for index, _, _ in each.steps]
        elif isinstance(each, Term | steps.Step):
            names = getattr(type(each), "__slots__", None) or vars(each)
            todo += [getattr(each, name) for name in names if name not in ("node", "writes")]


class Then:
    """A cycle in which some signals are something else."""

    def __init__(self, replay: Replay, cycle: int) -> None:
        self.replay, self.cycle = replay, cycle

    def read(self, signal: Any) -> Value:
        key = (signal, self.cycle)
        own = self.replay.changed
        return own[key] if key in own else self.replay.was(signal, self.cycle)


class Readers:
    """Who reads each signal; a process that writes it, and is no register's, does not count."""

    def __init__(self, scene: Scene) -> None:
        self.of: dict[Any, list[Driver]] = {}
        for driver in scene.drivers.all():
            if isinstance(driver, Wire):
                own: set[Any] = set()
                found = [*reads(driver.source), *reads(driver.targets)]
            else:
                own = set() if driver.is_clocked else {each for each, _, _ in driver.step.writes}
                found = [*reads(driver.step)]
            for signal in dict.fromkeys(found):
                if signal not in own:
                    self.of.setdefault(signal, []).append(driver)


class UnknownError(Exception):
    """A value that is not known, or too much to do."""


@dataclass
class Change:
    """What does something else, and when: bits of an assignment's source are inverted, or of what
    a statement of a process assigns or decides."""

    driver: Driver
    cycle: int
    flips: int
    other: steps.Other | None = None


class Replay:
    """What follows from a change, up to a cycle."""

    def __init__(self, scene: Scene, readers: Readers, change: Change, last: int) -> None:
        self.scene, self.readers, self.change, self.last = scene, readers, change, last
        self.changed: dict[tuple[Any, int], Value] = {}
        self._due: dict[int, dict[Driver, None]] = {change.cycle: {change.driver: None}}
        self._left = MOST_RUNS
        for cycle in range(change.cycle, last + 1):
            self._cycle(cycle)
        self.runs = MOST_RUNS - self._left

    def was(self, signal: Any, cycle: int) -> Value:
        """What it is in the waveform."""
        return self.scene.moment(cycle).read(signal)

    def _set(self, signal: Any, cycle: int, value: Value) -> None:
        now = Then(self, cycle).read(signal)
        if now == value:
            return
        if value is None:
            raise UnknownError
        self.changed[signal, cycle] = value
        for driver in self.readers.of.get(signal, ()):
            self._due.setdefault(cycle, {})[driver] = None

    def _cycle(self, cycle: int) -> None:
        """Run what is due in a cycle until nothing changes any more, then the edge."""
        edge: dict[Process, None] = {}
        due = self._due.setdefault(cycle, {})
        while due:
            driver = next(iter(due))
            del due[driver]
            self._left -= 1
            if self._left < 0:
                raise UnknownError
            if isinstance(driver, Wire):
                self._wire(driver, cycle)
            elif driver.is_clocked:
                edge[driver] = None
            else:
                self._process(driver, cycle)
        for process in edge if cycle < self.last else ():
            self._left -= 1
            self._process(process, cycle)

    def _is_changed(self, driver: Driver, cycle: int) -> bool:
        return driver is self.change.driver and cycle == self.change.cycle

    def _wire(self, wire: Wire, cycle: int) -> None:
        then = Then(self, cycle)
        value, place = wire.source.value(then), 0
        if value is not None and self._is_changed(wire, cycle):
            value ^= self.change.flips
        for target in wire.targets:
            offset = target.offset(then)
            old = then.read(target.signal)
            if None in (value, offset, old) or offset < 0:
                if value is not None and offset is not None:
                    return
                raise UnknownError
            mask = ones(target.width) << offset & ones(target.size)
            self._set(target.signal, cycle, old & ~mask | value >> place << offset & mask)
            place += target.width

    def _process(self, process: Process, cycle: int) -> None:
        other = self.change.other if self._is_changed(process, cycle) else None
        run = steps.Again(Then(self, cycle), process, other)
        process.step.run(run)
        for signal, _, late in process.step.writes:
            if not self.scene.drivers.of(signal):
                continue  # of a block inside
            if process.is_clocked:
                self._set(signal, cycle + 1, run.registered(signal))
            elif not late and signal in run.frame.now:
                self._set(signal, cycle, run.frame.now[signal][0])


class Ports:
    """The ports of a difference: what must become something else, and what must not."""

    def __init__(self, scene: Scene, differing: Mapping[str, int]) -> None:
        self.wanted: dict[Any, int] = {}  # bits of each output
        for port in scene.top.portList:
            if getattr(port, "direction", None) == drivers.OUTPUTS[0]:
                signal = port.internalSymbol
                width = elaborated.width_of(signal.type)
                self.wanted[signal] = differing.get(port.name, 0) & ones(width)
        self.total = sum(bits.bit_count() for bits in self.wanted.values())

    def mended(self, replay: Replay) -> float:
        """1 where the ports that differ become right and no other one changes; 0 where nothing
        becomes right, or as much wrong."""
        wrong = right = 0
        for (signal, cycle), value in replay.changed.items():
            if signal in self.wanted:
                bits = (value or 0) ^ (replay.was(signal, cycle) or 0)
                wanted = self.wanted[signal] if cycle == replay.last else 0
                right += (bits & wanted).bit_count()
                wrong += (bits & ~wanted).bit_count()
        return max(0.0, (right - wrong) / max(1, self.total))

# SPDX-License-Identifier: Apache-2.0
"""A design in the cycles of a waveform: what each signal is, and what each process did."""

from __future__ import annotations

from typing import Any

from . import drivers, elaborated, steps
from .steps import Frame
from .terms import Value, ones
from .traced import Trace

MOST_DEEP = 40  # signals that are computed from others to know one that is not in the waveform


class Moment:
    """A cycle of the waveform, or no known one."""

    def __init__(self, scene: Scene, cycle: int | None) -> None:
        self.scene, self.cycle = scene, cycle

    def read(self, signal: Any) -> Value:
        return None if self.cycle is None else self.scene.value(signal, self)


class Scene:
    """The design below a top. Without a waveform nothing is known."""

    def __init__(self, top: Any, trace: Trace | None) -> None:
        self.top, self.trace = top, trace
        self.drivers = drivers.Drivers(top)
        self._moments: dict[int | None, Moment] = {}
        self._values: dict[Any, Value] = {}
        self._runs: dict[Any, steps.Run] = {}
        self._calls: dict[Any, tuple[steps.Run, Any]] = {}
        self._paths: dict[Any, str] = {}
        self._deep = 0

    def moment(self, cycle: int | None) -> Moment:
        """A cycle; one that the waveform does not have is no known one."""
        if self.trace is None or cycle is None or cycle < self.trace.first:
            cycle = None
        return self._moments.setdefault(cycle, Moment(self, cycle))

    def path(self, signal: Any) -> str:
        """The name of a signal, from the top on."""
        if signal not in self._paths:
            whole, top = signal.hierarchicalPath, self.top.hierarchicalPath
            self._paths[signal] = whole.removeprefix(f"{top}.")
        return self._paths[signal]

    def value(self, signal: Any, at: Moment) -> Value:
        """What a signal is in a cycle; what the waveform lacks is computed."""
        key = (signal, at.cycle)
        if key not in self._values:
            self._values[key] = None  # of a loop
            width = elaborated.width_of(signal.type)
            element = elaborated.element_width(signal.type)
            found = self.trace.at(self.path(signal), at.cycle, width, element)
            if found is None and self._deep < MOST_DEEP:
                self._deep += 1
                found = self._computed(signal, at)
                self._deep -= 1
            self._values[key] = found
        return self._values[key]

    def _computed(self, signal: Any, at: Moment) -> Value:
        total = known = 0
        full = ones(elaborated.width_of(signal.type))
        for driver in self.drivers.of(signal):
            if isinstance(driver, drivers.Process):
                if driver.is_clocked:
                    return None
                own = self.run(driver, at).frame.now.get(signal)
                return None if own is None else own[0]
            place, value = 0, driver.source.value(at)
            for target in driver.targets:
                if target.signal is signal and not target.steps and value is not None:
                    part = (value >> place & ones(target.width)) << target.base
                    total, known = total | part, known | ones(target.width) << target.base
                place += target.width
        return total if known == full else None

    def run(self, process: drivers.Process, at: Moment) -> steps.Run:
        """A process in a cycle."""
        key = (process, at.cycle)
        if key not in self._runs:
            run = self._runs[key] = steps.Run(at, process)
            process.step.run(run)
        return self._runs[key]

    def call(self, called: elaborated.Called, at: Any) -> steps.Run:
        """A function's run at a moment."""
        key = (id(called), id(at))
        if key not in self._calls:
            self._calls[key] = (called.run(at), at)
        return self._calls[key][0]

    def changed(self, signal: Any, mask: int, cycle: int | None) -> int | None:
        """The cycle, this one or before, at whose edge bits of a register last changed."""
        if cycle is None or self.trace is None:
            return None
        after = self.moment(cycle + 1).read(signal)
        for edge in range(cycle, self.trace.first - 1, -1):
            before = self.moment(edge).read(signal)
            if before is None or after is None:
                return None
            if (before ^ after) & mask:
                return edge
        return None


def moment_of(at: Any) -> Moment:
    """The cycle that a frame is in."""
    while isinstance(at, Frame):
        at = at.outside
    return at

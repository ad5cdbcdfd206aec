# SPDX-License-Identifier: Apache-2.0
"""A monitor for cocotb: one instance of a block in lockstep with its model.

Simulators differ in what is there when `RisingEdge` wakes a test: Icarus shows the registers before
the edge, Verilator with an inner clock those behind it. What is compared here is the same in both:
the values at the end of the last time step in which the clock was low, which SystemVerilog calls
preponed. The driver's writes in the time step of the edge are of the next cycle, as for the RTL.
"""

from __future__ import annotations

import logging
import os
import re
from asyncio import CancelledError
from collections.abc import Coroutine, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import cocotb
import numpy as np
from cocotb import handle as handles
from cocotb.handle import ArrayObject, HierarchyObject, SimHandleBase
from cocotb.triggers import FallingEdge, NextTimeStep, ReadOnly

from .checker import Checker, Result
from .errors import Error, translated
from .instance import Place
from .wlk import tables
from .wlk.base import options
from .wlk.base.errors import Status, WlkError
from .wlk.fit import scopes, search
from .wlk.fit.mapped_scope import View
from .wlk.fit.scopes import Target
from .wlk.fit.wave import Scope
from .wlk.run import check

NAMES = ("LogicObject", "LogicArrayObject", "PackedObject")  # the last one from cocotb 2.1 on
LOGIC = tuple(getattr(handles, name) for name in NAMES if hasattr(handles, name))
HERE = "cocotb"  # what messages name in place of a dump


class Mismatch(AssertionError):  # noqa: N818, it is what a test finds, not an error of it
    """The RTL differs from the model, its inputs break a rule, or nothing was compared. The text
    has the report."""


class Lockstep:
    """Compares every cycle of an instance with the model, from now on to the end of the test.

    `handle`: the instance. `block`: which it is, by default the one whose ports it has. `clock`,
    `reset`: handles or names, where these are not the block's; a reset may be "NAME:low:async".
    `map`: a port map, a file (docs/port-maps.md); `prefix`: what names of signals have before the
    table's. `tie`: inputs that the instance lacks, and their values. `power_up`: "unknown" or
    "zero", where the comparison needs no reset. `on_mismatch`: "fail" ends the test at the first
    difference; "log" reports it, goes on, and leaves it to result(). `parameters`: those of the
    block that its ports do not show.

    A test in which nothing was compared fails at its end: without a reset, or without a transfer.
    """

    def __init__(
        self,
        handle: HierarchyObject,
        block: str | None = None,
        *,
        clock: SimHandleBase | str | None = None,
        reset: SimHandleBase | str | None = None,
        map: str | os.PathLike[str] | None = None,  # noqa: A002, as the option of the command
        prefix: str | None = None,
        tie: Mapping[str, int] | None = None,
        power_up: str = "unknown",
        on_mismatch: str = "fail",
        blocks: Place = None,
        **parameters: int | str,
    ) -> None:
        if on_mismatch not in ("fail", "log"):
            raise Error("USAGE", f'on_mismatch: "fail" or "log" is wanted, not {on_mismatch!r}')
        self.on_mismatch = on_mismatch
        self.path = handle._path
        self.log = logging.getLogger(f"cocotb.warplock.{self.path}")
        with translated(_as_arguments):
            if blocks is not None:
                tables.use([Path(blocks)])
            signals = _Signals(handle, clock)
            wanted = scopes.Check(
                HERE,
                [block] if block else [],
                [self.path],
                clock=signals.clock,
                config={name: str(value) for name, value in parameters.items()},
                power_up=power_up,
                tie=dict(tie or {}),
                map=Path(map) if map is not None else None,
                reset=options.reset(_name(reset)) if reset is not None else None,
                prefix=prefix,
            )
            target = _target(signals, wanted)
        self._open(target, signals, power_up, blocks)
        self._task = cocotb.start_soon(_Watched(self))

    def _open(self, target: Target, signals: _Signals, power_up: str, blocks: Place) -> None:
        table, config = target.match.table, target.match.config
        unbound = target.unbound(config)
        self._reads = _Reads(target, signals)
        compare = np.zeros(table.layout(config).out_words, np.uint64)
        for port in table.ports(config):
            if port.direction == "out" and port.name not in unbound["not_compared"]:
                compare[port.word] |= np.uint64(((1 << port.width) - 1) << port.lsb)
        self.checker = Checker(
            table.name,
            scope=self.path,
            power_up=power_up,
            async_reset="reset=async" in target.scope.reset_words(),
            compare=compare,
            blocks=blocks,
            members=table.members_text(),
            **table.plain(config),
        )
        has_clock = target.clock is not None and not target.clock_is_optional
        self._clock = signals.of_path(target.clock) if has_clock else None
        self._sample: list[np.ndarray] | None = None  # of a low clock, not yet compared
        self._failed = False
        self.log.info("block %s: %s", table.name, table.text(config))
        for what in target.match.questions():
            self.log.warning("%s", _as_arguments(what))
        if unbound["not_compared"]:
            self.log.warning("not there, not compared: %s", ", ".join(unbound["not_compared"]))

    def result(self) -> Result:
        """How it went so far, up to the last clock edge."""
        self._catch_up()
        return self.checker.result()

    def report(self) -> str:
        """For a person: the first difference, or how much was compared."""
        return self.checker.report()

    # -- cycles ----------------------------------------------------------------------------
    async def _watch(self) -> None:
        """The whole test. Without a clock each time step in which a port changes is a cycle."""
        if self._clock is None:
            before = None
            while True:
                await _end_of_time_step()
                words = self._reads.words()
                if before is None or any(
                    (a != b).any() for a, b in zip(words, before, strict=True)
                ):
                    self._compare(words)
                before = words
                await NextTimeStep()
        await _end_of_time_step()
        while self._is_high():
            await FallingEdge(self._clock)
            await ReadOnly()
        while True:
            self._sample = self._reads.words()
            await NextTimeStep()
            await ReadOnly()
            if self._is_high():
                self._catch_up()
                await FallingEdge(self._clock)
                await ReadOnly()
                if self._is_high():
                    raise Mismatch(f"{self.path}: the clock was low for no time before an edge")

    def _is_high(self) -> bool:
        return str(self._clock.value) == "1"

    def _catch_up(self) -> None:
        """Compare what was there before an edge that has come since."""
        if self._sample is not None and self._is_high():
            words, self._sample = self._sample, None
            self._compare(words)

    def _compare(self, words: list[np.ndarray]) -> None:
        inputs, inputs_x, outputs, outputs_x = words
        if self.checker.step(inputs, outputs, inputs_x=inputs_x, outputs_x=outputs_x):
            return
        self._failed = True
        if self.on_mismatch == "fail":
            raise Mismatch(self.report())
        self.log.error("%s", self.report())

    def _judge(self) -> None:
        """At the end of the test. Mismatch, where nothing was compared."""
        try:
            self._catch_up()
            result = self.checker.result()
        finally:
            text = self.report().rstrip()
        if self._failed:
            return
        if not result.passed:
            self.log.error("%s", text)
            raise Mismatch(text)
        self.log.info("%s", text)


class _Watched(Coroutine):
    """The monitor's coroutine, which judges when cocotb ends it with the test, even unstarted."""

    def __init__(self, lockstep: Lockstep) -> None:
        self._lockstep, self._inner = lockstep, lockstep._watch()

    def send(self, value: Any) -> Any:
        return self._inner.send(value)

    def throw(self, *what: Any) -> Any:
        try:
            return self._inner.throw(*what)
        except CancelledError:
            self._lockstep._judge()
            raise

    def close(self) -> None:
        self._inner.close()

    def __await__(self) -> Any:
        return self._inner.__await__()


async def _end_of_time_step() -> None:
    try:
        await ReadOnly()
    except RuntimeError:  # it is there already, where the test made the monitor
        return


# ---- which signals ------------------------------------------------------------------------------


class _Signals:
    """The signals of an instance as a scope, and their handles."""

    def __init__(self, handle: HierarchyObject, clock: SimHandleBase | str | None) -> None:
        self.handles: list[SimHandleBase] = []
        around = Scope("", None, {})
        if isinstance(clock, SimHandleBase):
            around = Scope("clock", None, {clock._path: (1, len(self.handles))})
            self.handles.append(clock)
        self.clock = f"clock.{clock._path}" if isinstance(clock, SimHandleBase) else clock
        self.around = around
        self.scope = self._scope(handle, handle._path, around)

    def _scope(self, handle: HierarchyObject, path: str, parent: Scope) -> Scope:
        made = Scope(path, parent, {})
        for child in handle:
            for name, each in _elements(child):
                if isinstance(each, LOGIC):
                    made.signals[name] = len(str(each.value)), len(self.handles)
                    made.ranges[name] = _range(each)
                    self.handles.append(each)
        return made

    def of_path(self, path: str) -> SimHandleBase:
        """The handle of a signal's path."""
        for scope in (self.around, self.scope):
            for name, (_, number) in scope.signals.items():
                if scope.signal_path(name) == path:
                    return self.handles[number]
        raise AssertionError(path)


def _elements(handle: SimHandleBase) -> Iterator[tuple[str, SimHandleBase]]:
    """A signal, or those of an unpacked array."""
    name = handle._name
    if not isinstance(handle, ArrayObject):
        yield name, handle
        return
    for index in handle.range:
        for inner, each in _elements(handle[index]):
            yield f"{name}[{index}]{inner.removeprefix(each._name)}", each


def _range(handle: SimHandleBase) -> tuple[int, bool]:
    """Smallest index, and is the range ascending?"""
    ends = getattr(handle, "range", None)
    return (0, False) if ends is None else (min(ends.left, ends.right), ends.left < ends.right)


def _as_arguments(message: str) -> str:
    """A message with options of the command as arguments of Lockstep."""
    message = message.replace("--config ", "")
    return re.sub(r"--(block|clock|map|prefix|reset)(?: [A-Z]+)?", r"\1=", message)


def _name(signal: SimHandleBase | str) -> str:
    return signal._name if isinstance(signal, SimHandleBase) else signal


def _target(signals: _Signals, wanted: scopes.Check) -> Target:
    """The instance as one of a block. WlkError where it is none, or one of several."""
    around = [signals.around] if signals.around.signals else []
    found: list[Target] = []
    refused: list[WlkError] = []
    for part, blocks, told in check.parts(wanted):
        try:
            scopes.require_known(blocks, part.config)
            found += scopes.Finder([*around, signals.scope], blocks, part, told).targets()
        except WlkError as error:
            refused.append(error)
    if not found:
        raise refused[0]
    if len(found) > 1:
        names = " and ".join(target.table.name for target in found)
        message = f"{signals.scope.path}: its ports are those of {names}; give block=NAME"
        raise WlkError(Status.AMBIGUOUS, message)
    found[0].match.config = search.first(found[0].match)[0]
    return found[0]


# ---- values -------------------------------------------------------------------------------------


class _Part(NamedTuple):
    """Bits of a signal, and where they are in the record."""

    lsb: int
    mask: int
    side: int  # of _Reads.words: 0 inputs, 2 outputs
    word: int
    at: int
    inverted: bool


class _Reads:
    """What reads the ports of an instance."""

    def __init__(self, target: Target, signals: _Signals) -> None:
        table, config = target.match.table, target.match.config
        layout = table.layout(config)
        self._sizes = (layout.in_words, layout.in_words, layout.out_words, layout.out_words)
        self._tied = [0] * layout.in_words
        self._signals: dict[int, tuple[SimHandleBase, list[_Part]]] = {}
        present, slices = set(target.match.present), target.match.slices
        low = f"low={table.reset}" in target.scope.reset_words()
        for port in table.ports(config):
            mask, side = (1 << port.width) - 1, 0 if port.direction == "in" else 2
            if port.name in target.match.tied:
                self._tied[port.word] |= target.match.tied[port.name] << port.lsb
            if port.name not in present:
                continue
            name, lsb = slices.get(port.name, (port.name, 0))
            if isinstance(target.scope, View) and name in target.scope.spots:
                lsb += target.scope.spots[name].lsb
            number = target.scope.signals[name][1]
            _, parts = self._signals.setdefault(number, (signals.handles[number], []))
            inverted = low and port.name == table.reset
            parts.append(_Part(lsb, mask, side, port.word, port.lsb, inverted))

    def words(self) -> list[np.ndarray]:
        """Inputs, which of their bits are X or Z, outputs, and the same of these."""
        words = [[0] * size for size in self._sizes]
        words[0] = list(self._tied)
        for handle, parts in self._signals.values():
            bits, unknown = _bits(str(handle.value))
            for part in parts:
                x = unknown >> part.lsb & part.mask
                value = (bits >> part.lsb ^ (part.mask if part.inverted else 0)) & part.mask & ~x
                words[part.side][part.word] |= value << part.at
                if x:
                    words[part.side + 1][part.word] |= x << part.at
        return [np.array(each, np.uint64) for each in words]


def _bits(text: str) -> tuple[int, int]:
    """A value, and which of its bits are neither 0 nor 1."""
    try:
        return int(text, 2), 0
    except ValueError:
        known = "".join(c if c in "01" else "0" for c in text)
        unknown = "".join("0" if c in "01" else "1" for c in text)
        return int(known, 2), int(unknown, 2)

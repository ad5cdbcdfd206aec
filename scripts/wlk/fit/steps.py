# SPDX-License-Identifier: Apache-2.0
"""Statements of a process, run with values that may be unknown: which of them writes what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from .terms import Number, Term, Value, ones, signed

MOST_TURNS = 4096  # of a loop


class Outside(Protocol):
    """What a process finds when it starts."""

    def read(self, signal: Any) -> Value: ...


@dataclass(slots=True)
class Guard:
    """A condition that decides whether a statement runs."""

    node: Any  # its syntax
    terms: Sequence[Term]
    at: Frame
    above: Guard | None


@dataclass(slots=True)
class Event:
    """A statement that has written bits of a signal, or may write them."""

    node: Any  # its syntax
    signal: Any
    mask: int  # of the signal
    kills: bool  # nothing of what was there is left in these bits
    source: Term | None  # None: a branch that was not taken and would have written
    of_source: int  # which bits of the source may land in it
    shift: int | None  # from bits of the signal to bits of the source
    indices: Sequence[Term]
    at: Frame  # before it
    guard: Guard | None


@dataclass(slots=True)
class Chain:
    """Events of a signal, the last one first."""

    event: Event
    before: Chain | None


@dataclass(slots=True)
class Frame:
    """What variables are inside a process at one moment."""

    outside: Outside
    now: dict[Any, tuple[Value, Chain | None]] = field(default_factory=dict)
    process: Any = None  # whose frame it is, None of a function's

    def read(self, signal: Any) -> Value:
        own = self.now.get(signal)
        return self.outside.read(signal) if own is None else own[0]


@dataclass(slots=True)
class Target:
    """Bits of a signal that an assignment writes: `width` of them from the sum of offsets on."""

    signal: Any
    size: int  # of the signal
    width: int
    base: int = 0
    steps: Sequence[tuple[Term, int, bool]] = ()  # index, scale, signed

    def offset(self, at: Outside) -> Value:
        """Where its lowest bit is in the signal."""
        offset = self.base
        for index, scale, is_signed in self.steps:
            number = index.value(at)
            if number is None:
                return None
            offset += scale * (signed(number, index.width) if is_signed else number)
        return offset


@dataclass(slots=True)
class Other:
    """A statement that is to do something else: an assignment with these bits inverted, a
    condition inverted."""

    node: Any
    turn: int  # which time that it runs
    flips: int


class Run:
    """One pass through a process."""

    def __init__(self, outside: Outside, process: Any = None) -> None:
        self.frame = Frame(outside, process=process)
        self.later: dict[Any, Chain] = {}  # non-blocking writes
        self.guard: Guard | None = None
        self.log: dict[int, list[tuple[Sequence[Term], Frame]]] = {}  # what ran, by id of the node
        self.maybe = 0  # inside so many conditions of unknown value
        self.left = False  # by return, break, continue
        self.why = ""

    def write(
        self, node: Any, target: Target, source: Term, place: int, value: Value, late: bool
    ) -> None:
        """Assign a value to bits of a signal."""
        self.note(node, [source])
        offset = target.offset(self.frame)
        full = ones(target.size)
        bits = ones(target.width)
        if offset is None:
            mask = full
        else:
            mask = (bits << offset if offset >= 0 else bits >> -offset) & full
            if not mask:
                mask, offset = full, None  # past the end: it writes nothing, and might
        kills = offset is not None and not self.maybe
        indices = [step[0] for step in target.steps]
        shift = None if offset is None else place - offset
        lands = bits << place
        event = Event(
            node, target.signal, mask, kills, source, lands, shift, indices, self.frame, self.guard
        )
        if late:
            self.later[target.signal] = Chain(event, self.later.get(target.signal))
            return
        new: Value = None
        if offset is not None and value is not None:
            moved = (value << offset if offset >= 0 else value >> -offset) & mask
            old = 0 if mask == full else self.frame.read(target.signal)
            new = None if old is None else old & ~mask | moved
        self.set(target.signal, new, event)

    def chain(self, signal: Any) -> Chain | None:
        """The events of a signal in a clocked process."""
        if signal in self.later:
            return self.later[signal]
        own = self.frame.now.get(signal)
        return None if own is None else own[1]

    def note(self, node: Any, found: Sequence[Term]) -> bool:
        """A statement runs, or a condition is asked: is it to do something else?"""
        self.log.setdefault(id(node), []).append((found, self.frame))
        return False

    def set(self, signal: Any, value: Value, event: Event | None) -> None:
        own = self.frame.now.get(signal)
        chain = own[1] if own is not None else None
        chain = chain if event is None else Chain(event, chain)
        now = {**self.frame.now, signal: (value, chain)}
        self.frame = Frame(self.frame.outside, now, self.frame.process)

    def skipped(self, node: Any, guard: Guard, written: Iterable[tuple[Any, int, bool]]) -> None:
        """A branch was not taken that writes these signals: (signal, size, late)."""
        for signal, size, late in written:
            event = Event(node, signal, ones(size), False, None, 0, 0, (), guard.at, guard)
            if late:
                self.later[signal] = Chain(event, self.later.get(signal))
            elif signal in self.frame.now:
                self.set(signal, self.frame.now[signal][0], event)
            else:
                self.set(signal, self.frame.read(signal), event)


class Again(Run):
    """One pass for its values alone, in which a statement may do something else."""

    def __init__(self, outside: Outside, process: Any, other: Other | None) -> None:
        super().__init__(outside, process)
        self.other, self.turns = other, 0
        self.edge: dict[Any, Value] = {}  # registers behind it

    def note(self, node: Any, found: Sequence[Term]) -> bool:
        if self.other is None or node is not self.other.node:
            return False
        self.turns += 1
        return self.turns == self.other.turn + 1

    def write(
        self, node: Any, target: Target, source: Term, place: int, value: Value, late: bool
    ) -> None:
        if self.note(node, ()) and value is not None:
            value ^= self.other.flips >> place & ones(target.width)
        signal, offset = target.signal, target.offset(self.frame)
        full = ones(target.size)
        now: Value = None
        if offset is not None:
            mask = (ones(target.width) << offset if offset >= 0 else 0) & full
            old: Value = 0
            if mask != full:
                old = self.edge[signal] if late and signal in self.edge else self.frame.read(signal)
            if value is not None and old is not None:
                now = old & ~mask | value << max(offset, 0) & mask
        if late:
            self.edge[signal] = None if self.maybe else now
        else:
            self.set(signal, now, None)

    def set(self, signal: Any, value: Value, event: Event | None) -> None:
        self.frame.now[signal] = (value, None)

    def skipped(self, node: Any, guard: Guard, written: Iterable[tuple[Any, int, bool]]) -> None:
        pass

    def registered(self, signal: Any) -> Value:
        """What a register is behind the edge."""
        return self.edge[signal] if signal in self.edge else self.frame.read(signal)


# ---- statements -------------------------------------------------------------------------------


class Step:
    """A statement. `writes`: signals, their sizes, whether by a non-blocking assignment."""

    writes: frozenset[tuple[Any, int, bool]] = frozenset()

    def run(self, to: Run) -> None:
        raise NotImplementedError


@dataclass
class Nothing(Step):
    """What has no effect here."""

    def run(self, to: Run) -> None:
        pass


@dataclass
class Block(Step):
    """Steps one after another."""

    steps: Sequence[Step]

    def __post_init__(self) -> None:
        self.writes = frozenset().union(*(step.writes for step in self.steps))

    def run(self, to: Run) -> None:
        for step in self.steps:
            step.run(to)
            if to.left:
                break


@dataclass
class Assign(Step):
    """Targets get parts of the source, the lowest first. `node`: what is quoted."""

    node: Any
    targets: Sequence[Target]
    source: Term
    late: bool = False

    def __post_init__(self) -> None:
        self.writes = frozenset((t.signal, t.size, self.late) for t in self.targets)

    def run(self, to: Run) -> None:
        value, place = self.source.value(to.frame), 0
        for target in self.targets:
            part = None if value is None else value >> place & ones(target.width)
            to.write(self.node, target, self.source, place, part, self.late)
            place += target.width


@dataclass
class Declare(Step):
    """A variable of a block; without a source it is zero."""

    node: Any
    target: Target
    source: Term | None

    def run(self, to: Run) -> None:
        source = self.source or Number(self.target.width, 0)
        to.write(self.node, self.target, source, 0, source.value(to.frame), False)


@dataclass
class Branch(Step):
    """Branches with a condition each: the first whose condition holds runs, else `last`."""

    conditions: Sequence[tuple[Any, Term, Sequence[Term], Step]]  # header, is it, reads, branch
    last: Step

    def __post_init__(self) -> None:
        steps = [*(c[3] for c in self.conditions), self.last]
        self.writes = frozenset().union(*(step.writes for step in steps))

    def run(self, to: Run) -> None:
        outer = to.guard
        open_ = True  # no condition held for certain
        unknown = 0
        for node, term, reads, step in self.conditions:
            if not open_:
                break
            value = term.value(to.frame)
            if to.note(node, reads):
                value = None if value is None else not value
            guard = Guard(node, reads, to.frame, to.guard)
            if value is None:
                unknown += 1
                to.guard = guard
                self._perhaps(to, step)
                to.guard = guard
            elif value:
                to.guard = guard
                self._perhaps(to, step) if unknown else step.run(to)
                open_ = False
            else:
                to.skipped(node, guard, step.writes)
                to.guard = guard
        if open_:
            self._perhaps(to, self.last) if unknown else self.last.run(to)
        to.guard = outer

    def _perhaps(self, to: Run, step: Step) -> None:
        """Run it, and forget the values that it changes."""
        before = dict(to.frame.now)
        to.maybe += 1
        step.run(to)
        to.maybe -= 1
        to.left = False
        for signal, _, late in step.writes:
            own = to.frame.now.get(signal)
            if late or own is None:
                continue
            was = before[signal][0] if signal in before else to.frame.outside.read(signal)
            if was != own[0]:
                to.set(signal, None, None)


@dataclass
class Loop(Step):
    """for: `first`, then while `goes_on` holds `body` and `after`. `node`: what is quoted."""

    node: Any
    first: Step
    goes_on: Term | None
    after: Step
    body: Step

    def __post_init__(self) -> None:
        self.writes = self.first.writes | self.after.writes | self.body.writes

    def run(self, to: Run) -> None:
        self.first.run(to)
        outer = to.guard
        to.guard = Guard(self.node, (), to.frame, outer)
        for _ in range(MOST_TURNS):
            more = 1 if self.goes_on is None else self.goes_on.value(to.frame)
            if more == 0:
                break
            to.maybe += more is None
            self.body.run(to)
            to.maybe -= more is None
            ends = to.left and to.why != "continue"
            to.left = to.left and to.why == "return"
            if ends or more is None:
                break
            self.after.run(to)
        to.guard = outer


@dataclass
class Leave(Step):
    """return, break or continue."""

    why: str  # return, break, continue

    def run(self, to: Run) -> None:
        if not to.maybe:
            to.left, to.why = True, self.why

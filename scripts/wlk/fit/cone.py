# SPDX-License-Identifier: Apache-2.0
"""The lines of RTL behind an output port, the likeliest first.

A walk from the port over what drives it. With a waveform it starts at the cycle of a difference
and follows what was active there: the branches that were taken, the bits that decided, of a
register the edge before and the edge at which it last changed. Without one it follows all.

With a waveform a line goes up in the list where all ports that differ hang on it, and where they
would be right, and no other one different, if it had done something else in that cycle.
"""

from __future__ import annotations

import heapq
import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import drivers, elaborated, replay, rtl
from .scene import Moment, Scene, moment_of
from .steps import Chain, Event, Frame, Guard, Other
from .terms import Signal, Term, is_plain, ones
from .traced import Trace

LIMIT = 24
MOST_STEPS = 20_000  # of a walk
CANDIDATES = 200  # lines that are looked at
MOST_LINES = 3  # of a statement that are quoted
# What it costs to go on: from a signal to what drives it, ...
DRIVER, PASSES, GUARD, SKIPPED, REGISTER, EARLIER = 1.0, 0.25, 0.5, 0.5, 0.5, 1.0
WIRING, PLAIN = 32.0, 8.0  # ... to quote what only passes bits on: a port, an assignment, ...
OTHERS = 24.0  # ... what none of the other ports that differ hangs on
MENDS = 16.0  # and what it is worth that something else there would mend the difference
AROUND = 14.0  # how far other ports are followed
MOST_OTHERS, TRIED, FLIPS = 6, 2, 6  # ports, quotes of a line, bits
MOST_RUNS = 60_000  # of processes and assignments, to see what would mend a difference
NUMBERS = re.compile(r"\d+")
LOCATOR = re.compile(r"//\s*(?:@\[(?P<old>[^\]]*)\]|(?P<new>\S*\w\.\w+:\d+(?::\d+)?.*))")


@dataclass(frozen=True)
class Line:
    """A statement of the RTL that is behind a port."""

    file: Path
    line: int
    last: int  # line of the statement
    text: str
    source: str  # where the generator of the RTL has it from, '' if it does not say
    signal: str  # that is driven, below the top
    distance: float
    register: bool = False
    last_change: int | None = None  # cycle at whose edge the register last changed

    def json(self) -> dict[str, Any]:
        """As the report of a run has it."""
        return {
            "file": str(self.file),
            "line": self.line,
            "last": self.last,
            "text": self.text,
            "source": self.source,
            "signal": self.signal,
            "register": self.register,
            "last_change": self.last_change,
        }


@dataclass
class Quote:
    """A statement on the way."""

    node: Any
    signal: Any
    at: Any  # frame or moment
    mask: int  # bits of its source that are needed
    edge: tuple[int | None] | None = None  # of a register: when it last changed


class Want:
    """Takes the bits that an expression needs, and goes on to them."""

    def __init__(self, walk: Walk, cost: float, at: Any) -> None:
        self.walk, self.cost, self.at = walk, cost, at

    def __call__(self, signal: Any, mask: int) -> None:
        self.walk.push(self.cost, "signal", (self.at, signal, mask))

    def inside(self, called: elaborated.Called, at: Any, mask: int) -> None:
        """The same of what a function answers."""
        run = self.walk.scene.call(called, at)
        self.walk.push(self.cost, "signal", (run.frame, called.call.answer.signal, mask))


class Walk:
    """A walk over what drives signals, the nearest first."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._count = itertools.count()
        self._heap: list[tuple] = []
        self.seen: dict[Any, int] = {}

    def start(self, port: str, cycle: int | None, bits: int = -1) -> None:
        """Begin at bits of a port of the top."""
        found = self.scene.top.findPort(port)
        if found is not None and found.kind == elaborated.Symbol.Port:
            signal = found.internalSymbol
            mask = bits & ones(elaborated.width_of(signal.type))
            self.push(0, "signal", (self.scene.moment(cycle), signal, mask))

    def push(self, cost: float, kind: str, what: tuple) -> None:
        """To be looked at when nothing nearer is left."""
        heapq.heappush(self._heap, (cost, next(self._count), kind, what))

    def quotes(self, upto: float = float("inf")) -> Iterator[tuple[float, Quote]]:
        """The statements on the way and how far they are."""
        for _ in range(MOST_STEPS):
            if not self._heap or self._heap[0][0] > upto:
                return
            cost, _, kind, what = heapq.heappop(self._heap)
            if kind == "quote":
                yield cost, what[0]
            else:
                self._signal(cost, *what)

    def _new(self, key: Any, mask: int) -> int:
        """Of these bits those that have not been looked at."""
        before = self.seen.get(key, 0)
        self.seen[key] = before | mask
        return mask & ~before

    def _signal(self, cost: float, at: Any, signal: Any, mask: int) -> None:
        while isinstance(at, Frame):
            own = at.now.get(signal)
            if own is not None:
                mask = self._chain(cost, own[1], mask)
            if not mask:
                return
            at = at.outside
        mask = self._new((signal, at.cycle), mask)
        if not mask:
            return
        for driver in self.scene.drivers.of(signal):
            if isinstance(driver, drivers.Wire):
                self._wire(cost, driver, at, signal, mask)
            elif driver.is_clocked:
                self._register(cost, driver, at, signal, mask)
            else:
                own = self.scene.run(driver, at).frame.now.get(signal)
                self._chain(cost, own[1] if own is not None else None, mask)

    def _wire(self, cost: float, wire: drivers.Wire, at: Moment, signal: Any, mask: int) -> None:
        place = needed = 0
        for target in wire.targets:
            if target.signal is signal:
                bits = ones(target.width)
                if not target.steps:
                    bits &= mask >> target.base if target.base >= 0 else mask << -target.base
                needed |= bits << place
            place += target.width
        needed &= ones(wire.source.width)
        if not needed:
            return
        plain = is_plain(wire.source) and not _is_crossed(signal, wire.source)
        more = (WIRING if wire.is_port else PLAIN) if plain else 0
        quote = Quote(wire.node, signal, at, needed)
        self.push(cost + more, "quote", (quote,))
        want = Want(self, cost + (PASSES if plain else DRIVER), at)
        wire.source.need(at, needed, want)

    def _register(
        self, cost: float, process: drivers.Process, at: Moment, signal: Any, mask: int
    ) -> None:
        cost += REGISTER
        before = None if at.cycle is None else at.cycle - 1
        changed = self.scene.changed(signal, mask, before)
        edges = {before: 0.0}
        edges.setdefault(self._written(process, signal, mask, before), 0.0)
        if changed is not None:
            edges.setdefault(changed, EARLIER)
        for edge, more in edges.items():
            run = self.scene.run(process, self.scene.moment(edge))
            self._chain(cost + more, run.chain(signal), mask, (changed,))

    def _written(
        self, process: drivers.Process, signal: Any, mask: int, cycle: int | None
    ) -> int | None:
        """The last cycle, this one or before, at whose edge all bits of a register were written."""
        if cycle is None or self.scene.trace is None:
            return cycle
        for edge in range(cycle, self.scene.trace.first - 1, -1):
            chain = self.scene.run(process, self.scene.moment(edge)).chain(signal)
            while chain is not None and mask:
                mask &= ~chain.event.mask if chain.event.kills else -1
                chain = chain.before
            if not mask:
                return edge
        return cycle

    def _chain(
        self, cost: float, chain: Chain | None, mask: int, edge: tuple[int | None] | None = None
    ) -> int:
        """Go through the events of a signal, back from the last one; the bits that none wrote."""
        while chain is not None and mask:
            event = chain.event
            if event.mask & mask:
                self._event(cost, event, event.mask & mask, edge)
                if event.kills:
                    mask &= ~event.mask
            chain = chain.before
        return mask

    def _event(self, cost: float, event: Event, mask: int, edge: tuple[int | None] | None) -> None:
        key = (id(event.at), id(event.node), id(event.guard), event.signal)
        mask = self._new(key, mask)
        if not mask:
            return
        if event.source is None:
            self._guard(cost + SKIPPED, event.guard)
            return
        needed = event.of_source
        if event.shift is not None:
            needed &= mask << event.shift if event.shift >= 0 else mask >> -event.shift
        needed &= ones(event.source.width)
        plain = is_plain(event.source)
        if event.node is not None:
            quote = Quote(event.node, event.signal, event.at, needed, edge)
            self.push(cost + (PLAIN if plain else 0), "quote", (quote,))
        want = Want(self, cost + (PASSES if plain else DRIVER), event.at)
        if needed:
            event.source.need(event.at, needed, want)
        for index in event.indices:
            index.whole(event.at, want)
        self._guard(cost + GUARD, event.guard)

    def _guard(self, cost: float, guard: Guard | None) -> None:
        while guard is not None:
            key = (id(guard.at), id(guard.node))
            if not self._new(key, 1):
                return
            more = PLAIN if all(map(is_plain, guard.terms)) else 0
            quote = Quote(guard.node, None, guard.at, 1)
            self.push(cost + more, "quote", (quote,))
            want = Want(self, cost + DRIVER, guard.at)
            for term in guard.terms:
                term.truth(guard.at, want)
            guard, cost = guard.above, cost + GUARD


def _is_crossed(signal: Any, source: Term) -> bool:
    """Numbers in the names of two signals that are one differ."""
    if not isinstance(source, Signal):
        return False
    one, two = (NUMBERS.findall(each.name) for each in (signal, source.signal))
    return bool(one and two) and one != two


class Judge:
    """How likely it is that statements are at fault, by what they could mend."""

    def __init__(self, scene: Scene, ports: Mapping[str, int], cycle: int | None) -> None:
        self.scene, self.cycle, self.ports = scene, cycle, ports
        self.known = cycle is not None and scene.trace is not None
        if self.known:
            self._readers = replay.Readers(scene)
            self._wanted = replay.Ports(scene, ports)
        self._left = MOST_RUNS

    def others(self, text: Text) -> dict[tuple[Path, int], float]:
        """Of the other ports that differ, the share that is not behind a line."""
        others = list(self.ports.items())[1:MOST_OTHERS]
        found: dict[tuple[Path, int], int] = {}
        for port, bits in others:
            walk = Walk(self.scene)
            walk.start(port, self.cycle, bits)
            places = {text.place(quote) for _, quote in walk.quotes(AROUND)}
            for place in {each[:2] for each in places if each is not None}:
                found[place] = found.get(place, 0) + 1
        return {place: 1 - count / len(others) for place, count in found.items()}

    def mends(self, quote: Quote) -> float:
        """How much of the difference is gone if the statement does something else."""
        best = 0.0
        for change in self._changes(quote) if self.known else ():
            if self._left <= 0:
                break
            try:
                found = replay.Replay(self.scene, self._readers, change, self.cycle)
                self._left -= found.runs
                best = max(best, self._wanted.mended(found))
            except replay.UnknownError:
                self._left -= replay.MOST_RUNS // 8
            if best == 1:
                break
        return best

    def _changes(self, quote: Quote) -> Iterator[replay.Change]:
        """What a statement could do instead: its bits inverted, all, or some of them."""
        cycle = moment_of(quote.at).cycle
        if cycle is None:
            return
        if isinstance(quote.at, Moment):
            wires = self.scene.drivers.of(quote.signal)
            wire = next(each for each in wires if each.node is quote.node)
            for flips in _flips(quote.mask):
                yield replay.Change(wire, cycle, flips)
        elif quote.at.process is not None:
            process = quote.at.process
            ran = self.scene.run(process, self.scene.moment(cycle)).log.get(id(quote.node), [])
            turn = next((n for n, (term, at) in enumerate(ran) if at is quote.at), None)
            if turn is None:
                return
            for flips in (0,) if quote.signal is None else _flips(quote.mask):
                yield replay.Change(process, cycle, 0, Other(quote.node, turn, flips))


def _flips(mask: int) -> Iterator[int]:
    """Bits to invert: all, each of the lowest, the lower ones together."""
    yield mask
    if mask.bit_count() > 1:
        bits = list(itertools.islice((n for n in range(mask.bit_length()) if mask >> n & 1), FLIPS))
        yield from (1 << bit for bit in bits)
        yield from (ones(bit + 1) & mask for bit in bits[1:])


# ---- what is quoted -----------------------------------------------------------------------------


class Text:
    """Quotes statements of the sources."""

    def __init__(self, design: rtl.Design, scene: Scene) -> None:
        self.design, self.scene = design, scene
        self._files: dict[Path, list[str]] = {}

    def place(self, quote: Quote) -> tuple[Path, int, int] | None:
        """File, first and last line."""
        return self.design.extent(elaborated.extent(quote.node))

    def line(self, distance: float, quote: Quote) -> Line:
        """The statement as it is quoted."""
        file, first, last = self.place(quote)
        text = self._lines(file)[first - 1 : last]
        code = [each.split("//")[0].strip() for each in text[:MOST_LINES]]
        whole = " ".join(each for each in code if each)
        whole += " ..." if last - first >= MOST_LINES else ""
        name = "" if quote.signal is None else self.scene.path(quote.signal)
        source = next((found for each in text if (found := locator(each))), "")
        changed = quote.edge[0] if quote.edge is not None else None
        register = quote.edge is not None
        return Line(file, first, last, whole, source, name, distance, register, changed)

    def _lines(self, file: Path) -> list[str]:
        if file not in self._files:
            try:
                text = file.read_text(encoding="utf-8", errors="replace")
                self._files[file] = text.split("\n")  # a form feed ends no line for slang
            except OSError:
                self._files[file] = []
        return self._files[file]


def locator(text: str) -> str:
    """The locator of the generator at the end of an emitted line, '' without one."""
    found = LOCATOR.search(text)
    return "" if found is None else (found["old"] or found["new"] or "").strip()


def behind(
    module: rtl.Module,
    ports: Mapping[str, int],
    limit: int = LIMIT,
    trace: Trace | None = None,
    cycle: int | None = None,
) -> list[Line]:
    """The lines that drive bits of output ports of a module, likeliest first; with a waveform
    those behind a difference in these bits in a cycle."""
    scene = Scene(module.design.elaborate(module.name), trace)
    text = Text(module.design, scene)
    walk = Walk(scene)
    for port, bits in itertools.islice(ports.items(), MOST_OTHERS):
        walk.start(port, cycle, bits)
    found: dict[tuple[Path, int], list[tuple[float, Quote]]] = {}
    for cost, quote in walk.quotes():
        place = text.place(quote)
        if place is None:
            continue
        if place[:2] not in found and len(found) >= CANDIDATES:
            break
        found.setdefault(place[:2], []).append((cost, quote))
    judge = Judge(scene, ports, cycle)
    others = judge.others(text)
    costs = {place: own[0][0] + OTHERS * others.get(place, 1) for place, own in found.items()}
    for place in sorted(costs, key=costs.__getitem__):
        mends = max(map(judge.mends, [quote for _, quote in found[place][:TRIED]]))
        costs[place] -= MENDS * mends
    chosen = sorted(costs, key=costs.__getitem__)[:limit]
    return [text.line(costs[place], found[place][0][1]) for place in chosen]

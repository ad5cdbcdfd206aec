# SPDX-License-Identifier: Apache-2.0
"""The signals of a waveform as the ports of a table, by a port map.

A dump knows widths, and no types. What a place leads to may be a signal of its own (`mem[1]`,
`mem(1)`, `req.valid`, a scope `req`), or bits of one vector: then the ports in it tell how many
elements it has, and how wide they are.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..base.errors import Status, WlkError, nearest
from ..tables import WORD, Table, opaque_stem, walk
from . import match, portmap
from .portmap import Entry, PortMap
from .wave import Scope

Steps = tuple[str | int | tuple[int, int], ...]


@dataclass
class View(Scope):
    """A scope under the table's names; its other signals have their own."""

    spots: dict[str, Spot] = field(default_factory=dict)  # of ports that have another place
    reset: Sequence[str] = ()

    def signal_path(self, name: str) -> str:
        spot = self.spots.get(name)
        return spot.vector.path if spot else super().signal_path(name)

    def part(self, name: str, lsb: int) -> str:
        spot = self.spots.get(name)
        return (
            spot.vector.scope.part(spot.vector.name, spot.lsb + lsb)
            if spot
            else super().part(name, lsb)
        )

    def is_placed(self, name: str) -> bool:
        return name in self.spots

    def reset_words(self) -> Sequence[str]:
        return self.reset


@dataclass(frozen=True)
class Vector:
    """A signal of a scope."""

    scope: Scope = field(compare=False)
    number: int  # of the scope
    name: str

    @classmethod
    def of(cls, scope: Scope, name: str) -> Vector:
        return cls(scope, scope.number, name)

    @property
    def width(self) -> int:
        return self.scope.signals[self.name][0]

    @property
    def path(self) -> str:
        return self.scope.signal_path(self.name)

    def bit(self, index: int) -> int:
        """The position of an index, or -1."""
        first, ascending = self.scope.ranges.get(self.name, (0, False))
        at = first + self.width - 1 - index if ascending else index - first
        return at if 0 <= at < self.width else -1


class Spot(NamedTuple):
    """Bits of a signal."""

    vector: Vector
    lsb: int
    width: int


class Part(NamedTuple):
    """A port, and what leads to it inside a vector."""

    entry: Entry
    steps: Steps

    @property
    def port(self) -> str:
        return self.entry.port


# ---- which scopes -------------------------------------------------------------------------------


def views(
    scopes: Sequence[Scope],
    table: Table,
    told: PortMap,
    *,
    config: Mapping[str, str],
    named: Sequence[str],
    dump: str,
) -> list[Scope]:
    """The scopes that have the signals of a map, under the names of its table. USAGE where one of
    `named` does not fit, NO_SCOPE where none does; a name that is no scope is left to the caller.
    """
    entries = [each for each in told.entries(table) if each.port != table.clock]
    roots = {each.place.name for each in entries}
    view = _Reader(table, told, entries, config, dump).view
    if named:
        chosen = {path: view(scope) for path in named for scope in scopes if scope.path == path}
        return [chosen.get(scope.path, scope) for scope in scopes]
    found, reasons = [], []
    likely = [scope for scope in scopes if roots <= _roots(scope)]
    closest = max(scopes, key=lambda scope: len(roots & _roots(scope)))
    for scope in likely or [closest]:
        try:
            found.append(view(scope))
        except WlkError as error:
            reasons.append(error)
    if not found and likely:
        raise reasons[0]
    if not found:
        tail = f"nearest: {reasons[0].message.removeprefix(f'{dump}: ')}"
        if not roots & _roots(closest):
            every = {name for scope in scopes for name in _roots(scope)}
            first = min(roots)
            tail = f"no scope has {first}{nearest(first, sorted(every))}"
        raise WlkError(Status.NO_SCOPE, f"{dump}: no scope fits {told.where}; {tail}")
    return _preferred(found, told)


def _roots(scope: Scope) -> set[str]:
    """What signals and inner scopes begin with."""
    names = itertools.chain(scope.signals, scope.children)
    return {name.partition("[")[0].partition("(")[0].partition(".")[0] for name in names}


def _preferred(found: Sequence[View], told: PortMap) -> list[Scope]:
    """Of nested scopes those that are named after the module, if any is."""
    named = [each for each in found if each.path.rpartition(".")[2] == told.module]
    nested = lambda a, b: a.is_inside(b) or b.is_inside(a)  # noqa: E731
    return [each for each in found if each in named or not any(nested(each, n) for n in named)]


# ---- one scope ----------------------------------------------------------------------------------


class _Reader:
    """Makes views by a map."""

    def __init__(
        self,
        table: Table,
        told: PortMap,
        entries: Sequence[Entry],
        config: Mapping[str, str],
        dump: str,
    ) -> None:
        self.table, self.told, self.entries = table, told, entries
        self.config, self.dump = config, dump
        self.known = {*match.port_names(table)}
        self.stems = match.opaque_stems(table)

    def view(self, scope: Scope) -> View:
        """USAGE, in one line, where the scope does not fit."""
        spots: dict[str, Spot] = {}
        inside: dict[Vector, list[Part]] = {}
        for entry, vector, steps in self._located(scope):
            if steps:
                inside.setdefault(vector, []).append(Part(entry, steps))
            else:
                spots |= self._split(entry.port, Spot(vector, 0, vector.width))
        waiting = {}
        for vector, parts in inside.items():
            here, waiting[vector] = self._bits(vector, parts, scope)
            spots |= here
        spots |= self._elements({v: parts for v, parts in waiting.items() if parts}, spots, scope)
        self._require_each_line(scope, spots)
        return self._view(scope, spots)

    def _fail(self, scope: Scope, entry: Entry, why: str) -> WlkError:
        where = f"{self.dump}: scope {scope.path}"
        message = f"{self.told.where}: {entry.by}: {entry.place.text}: {why}"
        return WlkError(Status.USAGE, f"{where} does not fit {message}")

    def _located(self, scope: Scope) -> Iterator[tuple[Entry, Vector, Steps]]:
        """Where the entries are, as far as signals lead; a line may place more than there are."""
        for entry in self.entries:
            found = _locate(scope, entry.place.name, entry.place.steps)
            if found is None and not entry.several:
                names = [*scope.signals, *scope.children]
                near = nearest(entry.place.name, names)
                raise self._fail(scope, entry, f"no such signal{near}")
            if found is not None:
                yield entry, *found

    def _require_each_line(self, scope: Scope, spots: Mapping[str, Spot]) -> None:
        lines: dict[str, Entry] = {}
        placed: set[str] = set()
        heads = {name.rpartition("_")[0] for name in spots}  # of a payload in words
        for entry in self.entries:
            lines.setdefault(entry.by, entry)
            if entry.port in spots or entry.port in heads:
                placed.add(entry.by)
        for by, entry in lines.items():
            if by not in placed:
                near = nearest(entry.place.name, [*scope.signals, *scope.children])
                is_there = entry.place.name in _roots(scope)
                why = f"it has no such part in {entry.place.name}" if is_there else "no such signal"
                raise self._fail(scope, entry, why + ("" if is_there else near))

    def _is_opaque(self, port: str) -> bool:
        return port not in self.known and any(port.startswith(stem) for stem in self.stems)

    def _split(self, port: str, spot: Spot) -> dict[str, Spot]:
        """A port of a payload that is wider than a word is several."""
        if not self._is_opaque(port) or spot.width <= WORD:
            return {port: spot}
        return {
            f"{port}_{n}": Spot(spot.vector, spot.lsb + lsb, min(WORD, spot.width - lsb))
            for n, lsb in enumerate(range(0, spot.width, WORD))
        }

    # -- bits of a vector ------------------------------------------------------------------
    def _bits(
        self, vector: Vector, parts: Sequence[Part], scope: Scope
    ) -> tuple[dict[str, Spot], list[Part]]:
        """Ports that are bits by number, and those that are elements of unknown width."""
        spots: dict[str, Spot] = {}
        there: dict[str, list[tuple[Part, Spot]]] = {}
        waiting = []
        for part in parts:
            (first, *more), entry = part.steps, part.entry
            if any(isinstance(step, str) for step in part.steps):
                why = f"{vector.path} is one vector of {vector.width} bits in the dump: dump it "
                why += "with its members (Verilator: --trace-structs), or write [HIGH:LOW]"
                raise self._fail(scope, entry, why)
            if any(isinstance(step, tuple) for step in part.steps[:-1]):
                raise self._fail(scope, entry, "[HIGH:LOW] must stand last")
            is_bit = isinstance(first, int) and match.fixed_width(self.table, part.port) == 1
            if more or not (isinstance(first, tuple) or is_bit):
                waiting.append(part)
                continue
            ends = first if isinstance(first, tuple) else (first, first)
            places = sorted(vector.bit(end) for end in ends)
            if places[0] >= 0:
                spot = Spot(vector, places[0], places[-1] - places[0] + 1)
                there.setdefault(entry.by, []).append((part, spot))
            elif not entry.several:
                raise self._fail(scope, entry, f"{vector.path} has {vector.width} bits")
        for found in there.values():
            lows = [(part.entry, vector.path, spot.lsb, spot.width) for part, spot in found]
            for (part, spot), is_there in zip(found, portmap.within(lows), strict=True):
                spots |= self._split(part.port, spot) if is_there else {}
        return spots, waiting

    # -- elements of a vector --------------------------------------------------------------
    def _elements(
        self, inside: Mapping[Vector, list[Part]], spots: Mapping[str, Spot], scope: Scope
    ) -> dict[str, Spot]:
        """Ports that are elements, whose number and width the configuration gives."""
        if not inside:
            return {}
        shapes = {**self._plain(scope, spots), **{n: s.width for n, s in spots.items()}}
        vectors = [
            (vector.name, vector.width, [part.port for part in parts])
            for vector, parts in inside.items()
            if _is_grid(part.steps for part in parts)
        ]
        config = match.configuration(self.table, shapes, self.config, vectors)
        widths = {port.name: port.width for port in self.table.ports(config)}
        here = {opaque_stem(f, i) for f, i in walk(self.table.opaque, config)}
        found: dict[str, Spot] = {}
        for vector, parts in inside.items():
            there = [
                part
                for part in parts
                if part.port in widths
                or (self._is_opaque(part.port) and any(map(part.port.startswith, here)))
            ]
            for _, group in itertools.groupby(
                sorted(there, key=lambda part: _kind(part.steps)), lambda part: _kind(part.steps)
            ):
                found |= self._group(vector, list(group), widths, scope)
        return found

    def _group(
        self, vector: Vector, parts: Sequence[Part], widths: Mapping[str, int], scope: Scope
    ) -> dict[str, Spot]:
        """The elements of one array in a vector."""
        steps = [[s for s in part.steps if isinstance(s, int)] for part in parts]
        counts = [max(column) + 1 for column in zip(*steps, strict=True)]
        is_full = len(parts) == math.prod(counts)
        ends = [part.steps[-1] for part in parts]
        width = {widths.get(part.port) for part in parts}
        by_bits = isinstance(ends[0], tuple)
        if is_full or by_bits or None in width:
            each = vector.width // math.prod(counts)
            even = each * math.prod(counts) == vector.width
        else:
            each = next(iter(width))
            even = len(width) == 1 and each * math.prod(counts) <= vector.width
        if not even or not each:
            shape = " by ".join(map(str, counts))
            why = f"{vector.path} has {vector.width} bits, which are not {shape} elements"
            raise self._fail(scope, parts[0].entry, f"{why} of one width")
        found: dict[str, Spot] = {}
        for part, indices, end in zip(parts, steps, ends, strict=True):
            at = 0
            for index, count in zip(indices, counts, strict=True):
                at = at * count + index
            low, bits = at * each, each
            if by_bits:
                low, bits = low + min(end), abs(end[0] - end[1]) + 1
                if max(end) >= each:
                    raise self._fail(scope, part.entry, f"an element has {each} bits")
            found |= self._split(part.port, Spot(vector, low, bits))
        return found

    # -- what no line places ---------------------------------------------------------------
    def _plain(self, scope: Scope, spots: Mapping[str, Spot]) -> dict[str, int]:
        """Widths of the ports that the table, perhaps but for a prefix, names as they are."""
        return {name: scope.signals[own][0] for name, own in self._own(scope, spots)}

    def _own(self, scope: Scope, spots: Mapping[str, Spot]) -> Iterator[tuple[str, str]]:
        taken = {spot.vector.name for spot in spots.values() if spot.vector.scope is scope}
        there = set(spots)
        for own in scope.signals:
            for name in self.told.names_for(own) if own not in taken else ():
                if (name in self.known or self._is_opaque(name)) and name not in there:
                    there.add(name)
                    yield name, own
                    break

    def _view(self, scope: Scope, spots: dict[str, Spot]) -> View:
        spots = dict(spots)
        for name, own in self._own(scope, spots):
            if name != own:
                spots[name] = Spot(Vector.of(scope, own), 0, scope.signals[own][0])
        low = self.told.reset.active == portmap.LOW
        words = [f"low={self.table.reset}"] if low and self.table.reset else []
        words += ["reset=async"] if self.told.is_async else []
        taken = {spot.vector.name for spot in spots.values() if spot.vector.scope is scope}
        signals = {name: each for name, each in scope.signals.items() if name not in taken}
        for name, spot in spots.items():
            signals[name] = (spot.width, spot.vector.scope.signals[spot.vector.name][1])
        own = {"signals": signals, "spots": spots, "reset": words}
        kept = {key: getattr(scope, key) for key in ("path", "parent", "ranges", "number")}
        return View(**kept, children=scope.children, **own)


def _kind(steps: Steps) -> tuple[int, bool]:
    """Parts of one kind are elements of one array."""
    return len(steps), isinstance(steps[-1], tuple)


def _is_grid(steps: Iterable[Steps]) -> bool:
    """Are these all elements of an array, each once?"""
    found = [*steps]
    if len({_kind(each) for each in found}) != 1 or isinstance(found[0][-1], tuple):
        return False
    counts = [max(column) + 1 for column in zip(*found, strict=True)]
    return len({*found}) == len(found) == math.prod(counts)


def _locate(scope: Scope, text: str, steps: Steps) -> tuple[Vector, Steps] | None:
    """The signal that a place leads to, by as many steps as signals and scopes have, and the steps
    that remain."""
    if steps and not isinstance(steps[0], tuple):
        step, rest = steps[0], steps[1:]
        is_member = isinstance(step, str)
        forms = [f".{step}"] if is_member else [f"[{step}]", f"({step})"]
        for form in forms:
            if found := _locate(scope, text + form, rest):
                return found
        child = scope.children.get(text)
        for form in (
            ([step] if is_member else [*forms, *(text + f for f in forms)]) if child else ()
        ):
            if found := _locate(child, form, rest):
                return found
    return (Vector.of(scope, text), steps) if text in scope.signals else None

# SPDX-License-Identifier: Apache-2.0
"""The ports of a module as the bits that are the table's ports, by a port map: leaves, as those of
interfaces are (interfaces.py)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..base.errors import Status, WlkError, nearest
from ..tables import WORD, Table
from . import interfaces, match, portmap, rtl, shapes
from .interfaces import Leaf
from .portmap import CHOICES, Bits, Entry, PortMap, Shape

LOW_EDGES = {"posedge": CHOICES["active"][0], "negedge": portmap.LOW}
EDGES = tuple(LOW_EDGES)
RESET = re.compile(r"(?:^|_)[an]?re?se?t|(?:^|_)a?rst", re.IGNORECASE)  # what is called so


@dataclass
class Mapped:
    """The leaves of a module, and what of it the table does not have."""

    parts: list[Leaf]
    ignored: list[str] = field(default_factory=list)  # outputs, in words
    driven: list[str] = field(default_factory=list)  # extra inputs with their values

    @property
    def shapes(self) -> list[match.PortShape]:
        """What `match` looks at."""
        return [leaf.shape for leaf in self.parts if leaf.known]

    def notes(self) -> list[str]:
        """What is not checked, in words."""
        lacking = interfaces.unknown([leaf for leaf in self.parts if "." in leaf.where])
        notes = [f"not in the table, and so 0 or not compared: {', '.join(lacking)}"]
        notes = notes if lacking else []
        notes += [f"extra inputs: {', '.join(self.driven)}"] if self.driven else []
        return notes + ([f"not looked at: {', '.join(self.ignored)}"] if self.ignored else [])


def leaves(module: rtl.Module, table: Table, told: PortMap, *, lenient: bool = False) -> Mapped:
    """The bits of all ports; IFACE_CHANGED or USAGE where the map does not fit the module.
    `lenient`: ports that neither the table nor the map has are left alone, as a checker may that
    is bound inside."""
    own = shapes.of_ports(module)
    placed = [*_placed(module, table, told, own)]
    _require_apart(module, told, placed)
    taken = dict.fromkeys(leaf.where for leaf in placed)
    roots = dict.fromkeys(leaf.root for leaf in placed)
    plain = interfaces.leaves(module, table, roots)
    result = Mapped([*placed])
    known, stems = {*match.port_names(table)}, tuple(match.opaque_stems(table))
    there = {leaf.name for leaf in placed}
    for leaf in plain:
        is_port = own[leaf.root].direction is not None  # else a member of an interface
        if leaf.where in taken or (leaf.root in roots and is_port):
            continue
        names = (n for n in told.names_for(leaf.name) if n in known or n.startswith(stems))
        name = next((n for n in names if n not in there), None)
        _take_plain(result, told, leaf, name, lenient or not is_port)
    for where in taken:
        _fill(module, told, result, where, lenient)
    _fill_unpacked(module, told, result, own, roots, lenient)
    _require_used(module, told, result, own)
    return result


def _at(module: rtl.Module, told: PortMap, entry: Entry) -> str:
    return f"{told.where}: {entry.by}: {entry.place.text} of module {module.name}"


# ---- the reset -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class ResetUse:
    """What a module does with its reset, as far as its text shows."""

    style: str  # sync or async
    active: str | None = None  # None: it does not show
    is_sure: bool = True


def reset_use(module: rtl.Module, port: str) -> ResetUse:
    """How a reset acts: by the edges at which registers change, and by the conditions that read
    it, in a module or those inside it."""
    edges: dict[str, set[str]] = {}
    levels: set[str] = set()
    for name, each in module.design.closure(module.name).items():
        texts = [token.valueText for token in each.tokens]
        for edge, signal in itertools.pairwise(texts):
            if edge in EDGES and (RESET.search(signal) or signal == port):
                edges.setdefault(signal, set()).add(edge)
        levels |= {*_levels(texts, port)} if name == module.name else set()
    style = portmap.ASYNC if edges else CHOICES["style"][0]
    own = edges.get(port, set())
    if len(own) == 1:
        return ResetUse(style, LOW_EDGES[next(iter(own))])
    if len(levels) == 1:
        return ResetUse(style, next(iter(levels)))
    inner = {LOW_EDGES[edge] for found in edges.values() for edge in found}
    return ResetUse(style, next(iter(inner)) if len(inner) == 1 else None, is_sure=False)


def _levels(texts: Sequence[str], port: str) -> Iterator[str]:
    """The levels at which `if (…)` finds a reset asserted."""
    for at in range(len(texts) - 3):
        head, tail = texts[at : at + 2], texts[at + 2 : at + 4]
        if head == ["if", "("] and tail[0] in ("!", "~") and tail[1] == port:
            yield portmap.LOW
        elif head == ["if", "("] and tail == [port, ")"]:
            yield CHOICES["active"][0]


# ---- what the map places ------------------------------------------------------------------------


def _placed(
    module: rtl.Module, table: Table, told: PortMap, own: Mapping[str, Shape]
) -> Iterator[Leaf]:
    lines: dict[str, list[tuple[Entry, Bits]]] = {}  # of the map: what they place
    last: dict[str, str] = {}
    for entry in told.entries(table):
        here = lines.setdefault(entry.by, [])
        try:
            here.append((entry, _bits(module, told, entry, own)))
        except portmap.BeyondError as error:
            if not entry.several:
                raise WlkError(Status.USAGE, str(error)) from error
            last[entry.by] = str(error)
    for by, found in lines.items():
        if not found:
            raise WlkError(Status.USAGE, last[by])
        places = [(entry, bits.where, bits.lsb, bits.width) for entry, bits in found]
        for (entry, bits), is_there in zip(found, portmap.within(places), strict=True):
            if is_there:
                yield from _leaf(table, told, entry, bits)


def _bits(module: rtl.Module, told: PortMap, entry: Entry, own: Mapping[str, Shape]) -> Bits:
    """Where an entry is; BeyondError, with all of the message, where a list has no such element."""
    name = entry.place.name
    if name not in own:
        message = f"module {module.name} has no port {name}{nearest(name, own)}"
        raise portmap.BeyondError(f"{told.where}: {entry.by}: {message}")
    at = f"{_at(module, told, entry)}: "
    try:
        return entry.place.bits(own[name])
    except portmap.BeyondError as error:
        raise portmap.BeyondError(f"{at}{error}") from error
    except LookupError as error:
        raise WlkError(Status.USAGE, f"{at}{error}") from error


def _leaf(table: Table, told: PortMap, entry: Entry, bits: Bits) -> Iterator[Leaf]:
    inverted = entry.port == table.reset and told.reset.active == portmap.LOW
    direction = bits.direction or "inout"
    place = (bits.where, entry.place.name, bits.signal, bits.lsb)
    leaf = Leaf(entry.port, direction, bits.width, *place, inverted=inverted)
    is_opaque = any(entry.port.startswith(stem) for stem in match.opaque_stems(table))
    if not is_opaque or bits.width <= WORD or entry.port in match.port_names(table):
        yield leaf
        return
    for number, lsb in enumerate(range(0, bits.width, WORD)):  # a payload's ports are words
        width = min(WORD, bits.width - lsb)
        yield replace(leaf, name=f"{leaf.name}_{number}", width=width, lsb=bits.lsb + lsb)


def _require_apart(module: rtl.Module, told: PortMap, placed: Sequence[Leaf]) -> None:
    """USAGE where bits of an input are two of the table's ports."""
    inputs: dict[str, list[Leaf]] = {}
    for leaf in placed:
        if leaf.direction == "in":
            inputs.setdefault(leaf.where, []).append(leaf)
    for where, group in inputs.items():
        group.sort(key=lambda leaf: leaf.lsb)
        for low, high in zip(group, group[1:], strict=False):
            if high.lsb < low.lsb + low.width:
                message = f"bit {high.lsb} of input {where} of module {module.name} is named twice"
                both = f"{low.name} and {high.name}"
                hint = "place one of them elsewhere"
                raise WlkError(Status.USAGE, f"{told.where}: {message}, as {both}; {hint}")


# ---- what it does not place ---------------------------------------------------------------------


def _take_plain(result: Mapped, told: PortMap, leaf: Leaf, name: str | None, lenient: bool) -> None:
    """A port that the map does not place: the table's by its name, an extra one, or unknown."""
    if name is not None and leaf.name not in told.inputs and not told.ignored(leaf.name):
        result.parts.append(replace(leaf, name=name))
    elif not leaf.known or not _extra(result, told, leaf, lenient):
        result.parts.append(leaf)


def _extra(result: Mapped, told: PortMap, leaf: Leaf, lenient: bool) -> bool:
    """A port, or bits of one, that the table does not have: noted if the map has it."""
    root = leaf.root
    at = leaf.where if leaf.is_whole else f"{leaf.where}, {leaf.width} bits"
    if lenient:
        result.ignored.append(at)
        result.parts.append(replace(leaf, known=False))
        return True
    if leaf.direction == "in" and root in told.inputs:
        value = told.inputs[root]
        if value is not None and value >> leaf.width:
            message = f"[inputs] {root} = {value}: the port has {leaf.width} bits"
            raise WlkError(Status.USAGE, f"{told.where}: {message}, so {2**leaf.width - 1} at most")
        result.driven.append(f"{at} {'random' if value is None else f'= {value}'}")
        result.parts.append(replace(leaf, known=False, value=value))
        return True
    if leaf.direction == "out" and told.ignored(root):
        result.ignored.append(at)
        result.parts.append(replace(leaf, known=False))
        return True
    return False


def _fill(module: rtl.Module, told: PortMap, result: Mapped, where: str, lenient: bool) -> None:
    """Account for the bits of a signal that the map leaves out."""
    here = sorted((x for x in result.parts if x.where == where), key=lambda x: x.lsb)
    at, gaps, whole = 0, [], here[0].kind.width
    for leaf in here:
        gaps += [(at, leaf.lsb)] if leaf.lsb > at else []
        at = max(at, leaf.lsb + leaf.width)
    gaps += [(at, whole)] if whole > at else []
    for low, high in gaps:
        leaf = replace(here[0], name="", width=high - low, lsb=low, inverted=False)
        if not _extra(result, told, leaf, lenient):
            _refuse_rest(module, told, leaf, f"bits {high - 1} to {low}")


def _fill_unpacked(
    module: rtl.Module,
    told: PortMap,
    result: Mapped,
    own: Mapping[str, Shape],
    roots: Iterable[str],
    lenient: bool,
) -> None:
    """Account for the parts of unpacked ports that the map leaves out."""
    there = {leaf.where for leaf in result.parts}
    for name in roots:
        for where, part in shapes.signals(name, own[name]):
            direction = part.direction or own[name].direction or "inout"
            leaf = Leaf("", direction, part.width, where, name, part)
            if where not in there and not _extra(result, told, leaf, lenient):
                _refuse_rest(module, told, leaf, "it")


def _refuse_rest(module: rtl.Module, told: PortMap, leaf: Leaf, what: str) -> None:
    side = "[inputs] a value" if leaf.direction == "in" else "[outputs] ignore"
    message = f"{leaf.where} of module {module.name}: {what} would be no port of the block"
    hint = f"place it in [ports], or give {side} for {leaf.root}"
    raise WlkError(Status.USAGE, f"{told.where}: {message}; {hint}")


def _require_used(
    module: rtl.Module, told: PortMap, result: Mapped, own: Mapping[str, Shape]
) -> None:
    """USAGE for an extra port that is none."""
    outputs = [name for name, shape in own.items() if shape.direction == "out"]
    extra = {leaf.root for leaf in result.parts if not leaf.known}
    for name in told.inputs:
        shape = own.get(name)
        if shape is None or shape.direction == "out":
            what = "has no port" if shape is None else "has as an output"
            near = nearest(name, (n for n, s in own.items() if s.direction != "out"))
            message = f"[inputs] {name}: module {module.name} {what} {name}{near}"
            raise WlkError(Status.USAGE, f"{told.where}: {message}")
        if name not in extra:
            message = f"[inputs] {name}: all of its bits are ports of the block; remove one line"
            raise WlkError(Status.USAGE, f"{told.where}: {message}")
    for pattern in told.ignore:
        if not any(portmap.matches(name, pattern) for name in outputs):
            near = nearest(pattern, outputs)
            message = f"[outputs] ignore {pattern}: module {module.name} has no such output{near}"
            raise WlkError(Status.USAGE, f"{told.where}: {message}")

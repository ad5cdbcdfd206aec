# SPDX-License-Identifier: Apache-2.0
"""The ports of a module as the bits that are the table's ports, by a port map: leaves, as those of
interfaces are (interfaces.py)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pyslang import ast

from ..base.errors import Status, WlkError, nearest
from ..tables import WORD, Table
from . import interfaces, match, portmap, rtl
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
    own = shapes(module)
    plain = interfaces.leaves(module, table)
    placed = [*_placed(module, table, told, own)]
    _require_apart(module, told, placed)
    taken = {leaf.where: leaf.whole for leaf in placed}
    roots = {_root(where) for where in taken}
    result = Mapped([*placed])
    known, stems = {*match.port_names(table)}, tuple(match.opaque_stems(table))
    there = {leaf.name for leaf in placed}
    for leaf in plain:
        if leaf.where in taken or (_root(leaf.where) in roots and "." not in leaf.where):
            continue
        names = (n for n in told.names_for(leaf.name) if n in known or n.startswith(stems))
        name = next((n for n in names if n not in there), None)
        _take_plain(result, told, leaf, name, lenient or "." in leaf.where)
    for where, whole in taken.items():
        _fill(module, told, result, where, whole, lenient)
    _fill_unpacked(module, told, result, own, roots, lenient)
    _require_used(module, told, result, own)
    return result


def _root(where: str) -> str:
    return where.partition(".")[0].partition("[")[0]


def _at(module: rtl.Module, told: PortMap, entry: Entry) -> str:
    return f"{told.where}: {entry.by}: {entry.place.text} of module {module.name}"


# ---- shapes -------------------------------------------------------------------------------------


def shapes(module: rtl.Module) -> dict[str, Shape]:
    """Each port's shape, with its direction."""
    found = {}
    for port, plain in module.symbols_of_ports():
        if port.kind == ast.SymbolKind.Port:
            found[plain.name] = replace(shape_of(port.type), direction=plain.direction)
        elif port.kind == ast.SymbolKind.InterfacePort and port.connection[1] is not None:
            found[plain.name] = _interface(*port.connection)
    return found


def _interface(instance: Any, modport: Any) -> Shape:
    members = {
        member.name: (
            0,
            replace(shape_of(member.type), direction=rtl.DIRECTIONS.get(member.direction, "inout")),
        )
        for member in modport
        if member.kind == ast.SymbolKind.ModportPort
    }
    one = Shape(0, members=members, unpacked=True)
    if instance.kind != ast.SymbolKind.InstanceArray:
        return one
    return Shape(0, (0, len(instance.elements) - 1), one, unpacked=True)


def shape_of(kind: Any) -> Shape:
    """The shape of a type."""
    whole = kind.canonicalType
    width = int(whole.bitWidth if whole.isIntegral else whole.bitstreamWidth)
    unpacked = not whole.isIntegral
    if whole.isUnpackedArray and not whole.hasFixedRange:  # a queue and the like: of no size
        return Shape(0, unpacked=True)
    if whole.isUnpackedArray or whole.kind == ast.SymbolKind.PackedArrayType:
        element = shape_of(whole.elementType)
        is_bit = element.width == 1 and not element.members and element.bounds is None
        bounds = (int(whole.range.left), int(whole.range.right))
        keep = element if unpacked or not is_bit else None
        return Shape(width, bounds, keep, unpacked=unpacked)
    if whole.isStruct or whole.kind == ast.SymbolKind.PackedUnionType:
        fields = [member for member in whole if member.kind == ast.SymbolKind.Field]
        members = {
            member.name: (0 if unpacked else int(member.bitOffset), shape_of(member.type))
            for member in fields
        }
        return Shape(width, members=members, unpacked=unpacked)
    return Shape(width, (width - 1, 0) if width > 1 else None)


def packed_parts(name: str, shape: Shape) -> Iterator[tuple[str, Shape]]:
    """The signals that a port is made of."""
    if not shape.unpacked:
        yield name, shape
    elif shape.members:
        for member, (_, part) in shape.members.items():
            yield from packed_parts(f"{name}.{member}", part)
    elif shape.bounds is not None and shape.element is not None:
        for index in range(min(shape.bounds), max(shape.bounds) + 1):
            yield from packed_parts(f"{name}[{index}]", shape.element)


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
    module: rtl.Module, table: Table, told: PortMap, shapes: Mapping[str, Shape]
) -> Iterator[Leaf]:
    lines: dict[str, list[tuple[Entry, Bits]]] = {}  # of the map: what they place
    last: dict[str, str] = {}
    for entry in told.entries(table):
        here = lines.setdefault(entry.by, [])
        try:
            here.append((entry, _bits(module, told, entry, shapes)))
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


def _bits(module: rtl.Module, told: PortMap, entry: Entry, shapes: Mapping[str, Shape]) -> Bits:
    """Where an entry is; BeyondError, with all of the message, where a list has no such element."""
    name = entry.place.name
    if name not in shapes:
        message = f"module {module.name} has no port {name}{nearest(name, shapes)}"
        raise portmap.BeyondError(f"{told.where}: {entry.by}: {message}")
    at = f"{_at(module, told, entry)}: "
    try:
        return entry.place.bits(shapes[name])
    except portmap.BeyondError as error:
        raise portmap.BeyondError(f"{at}{error}") from error
    except LookupError as error:
        raise WlkError(Status.USAGE, f"{at}{error}") from error


def _leaf(table: Table, told: PortMap, entry: Entry, bits: Bits) -> Iterator[Leaf]:
    inverted = entry.port == table.reset and told.reset.active == portmap.LOW
    direction = bits.direction or "inout"
    leaf = Leaf(
        entry.port, direction, bits.width, bits.where, bits.lsb, whole=bits.whole, inverted=inverted
    )
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
    root = _root(leaf.where)
    at = leaf.where if leaf.whole in (0, leaf.width) else f"{leaf.where}, {leaf.width} bits"
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


def _fill(
    module: rtl.Module, told: PortMap, result: Mapped, where: str, whole: int, lenient: bool
) -> None:
    """Account for the bits of a signal that the map leaves out."""
    here = sorted((x for x in result.parts if x.where == where), key=lambda x: x.lsb)
    at, gaps = 0, []
    for leaf in here:
        gaps += [(at, leaf.lsb)] if leaf.lsb > at else []
        at = max(at, leaf.lsb + leaf.width)
    gaps += [(at, whole)] if whole > at else []
    for low, high in gaps:
        leaf = Leaf("", here[0].direction, high - low, where, low, whole=whole)
        if not _extra(result, told, leaf, lenient):
            _refuse_rest(module, told, where, f"bits {high - 1} to {low}", leaf.direction)


def _fill_unpacked(
    module: rtl.Module,
    told: PortMap,
    result: Mapped,
    shapes: Mapping[str, Shape],
    roots: set[str],
    lenient: bool,
) -> None:
    """Account for the parts of unpacked ports that the map leaves out."""
    there = {leaf.where for leaf in result.parts}
    for name in roots:
        for where, part in packed_parts(name, shapes[name]):
            direction = part.direction or shapes[name].direction or "inout"
            leaf = Leaf("", direction, part.width, where, whole=part.width)
            if where not in there and not _extra(result, told, leaf, lenient):
                _refuse_rest(module, told, where, "it", direction)


def _refuse_rest(module: rtl.Module, told: PortMap, where: str, what: str, direction: str) -> None:
    root, side = _root(where), "[inputs] a value" if direction == "in" else "[outputs] ignore"
    message = f"{where} of module {module.name}: {what} would be no port of the block"
    hint = f"place it in [ports], or give {side} for {root}"
    raise WlkError(Status.USAGE, f"{told.where}: {message}; {hint}")


def _require_used(
    module: rtl.Module, told: PortMap, result: Mapped, shapes: Mapping[str, Shape]
) -> None:
    """USAGE for an extra port that is none."""
    outputs = [name for name, shape in shapes.items() if shape.direction == "out"]
    extra = {_root(leaf.where) for leaf in result.parts if not leaf.known}
    for name in told.inputs:
        shape = shapes.get(name)
        if shape is None or shape.direction == "out":
            what = "has no port" if shape is None else "has as an output"
            near = nearest(name, (n for n, s in shapes.items() if s.direction != "out"))
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

# SPDX-License-Identifier: Apache-2.0
"""Modules whose ports are interfaces, structs or vectors of all elements of a field.

The table names the interfaces (`block.interfaces`), members and structs below one have the names of
the table's paths. A wrapper gives such a module the flat ports of the table, so that all that comes
behind knows only these.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyslang import ast

from ..base.errors import Status, WlkError
from ..gen.shell import Pin, declarations, listed
from ..gen.sv import HARNESS_CLOCK, HARNESS_TOP
from ..tables import Field, Port, Table, element_name
from . import rtl, shapes
from .match import Match, PortShape
from .portmap import Shape

SUFFIX = "_flat"
CARRIER = "port_"  # before the name of a port: the signal that it is connected to


@dataclass(frozen=True)
class Leaf:
    """Bits of a module's port that are one port of the table, or a vector of some."""

    name: str  # as the table has it
    direction: str
    width: int
    where: str  # the port, or what of it is one packed signal, as shapes.signals has it
    root: str  # the port
    kind: Shape  # of what is there
    lsb: int = 0  # of the bits there
    known: bool = True  # to the table
    inverted: bool = False  # 0 there is 1 in the table
    value: int | None = 0  # of an input that the table does not know; None: random

    @property
    def shape(self) -> PortShape:
        return self.name, self.direction, self.width

    @property
    def is_whole(self) -> bool:
        """Is it all of what is there?"""
        return self.width == self.kind.width

    @property
    def is_plain(self) -> bool:
        """Is it a port as the table has it?"""
        return self.known and self.name == self.where and self.is_whole and not self.inverted

    @property
    def spelled(self) -> str:
        """What is there, in SystemVerilog."""
        return shapes.spelled(self.where, self.root)


def is_flat(parts: Sequence[Leaf]) -> bool:
    """Are the ports those of the table, or vectors of them?"""
    return all(leaf.is_plain for leaf in parts)


def ports(module: rtl.Module) -> list[Any]:
    """Its ports as slang has them, also those that nothing is connected to."""
    return list(module.design.elaborate(module.name).portList)


def leaves(module: rtl.Module, table: Table, mapped: Container[str] = ()) -> list[Leaf]:
    """The bits of all ports; IFACE_CHANGED where an interface is neither one of the table's nor one
    of `mapped`, whose members a port map places."""
    found: list[Leaf] = []
    for port, plain in module.symbols_of_ports():
        if port.kind == ast.SymbolKind.InterfacePort:
            found += _of_interface(module, table, port, port.name in mapped)
        else:
            for where, kind in shapes.signals(plain.name, shapes.of_type(port.type)):
                found.append(Leaf(where, plain.direction, kind.width, where, plain.name, kind))
    return found


def _of_interface(module: rtl.Module, table: Table, port: Any, is_mapped: bool) -> Iterator[Leaf]:
    heads = [head for head, name in table.interfaces.items() if name == port.name]
    where = f"{module.where}: module {module.name}: port {port.name}"
    if not heads and not is_mapped:
        names = ", ".join(table.interfaces.values()) or "none"
        message = f"an interface that block {table.name} does not have; it has {names}"
        raise WlkError(Status.IFACE_CHANGED, f"{where}: {message}")
    modport = port.connection[1]
    if modport is None:
        message = "an interface without a modport, so directions are unknown; name one"
        raise WlkError(Status.IFACE_CHANGED, f"{where}: {message}")
    bounds = [sorted((int(each.left), int(each.right))) for each in port.declaredRange]
    if len(bounds) > 1:
        message = "an array of several dimensions; write a module around it that has one"
        raise WlkError(Status.IFACE_CHANGED, f"{where}: {message}")
    elements = [
        (f"{port.name}[{n}]", n - low) for low, high in bounds for n in range(low, high + 1)
    ]
    for at, *index in elements or [(port.name,)]:
        for member in modport:
            if member.kind == ast.SymbolKind.ModportPort:
                direction = rtl.DIRECTIONS.get(member.direction, "inout")
                seen = _Member(table, port.name, tuple(index), direction)
                path = (heads[0] if heads else port.name, member.name)
                yield from seen.leaves(path, member.type, f"{at}.{member.name}")


@dataclass(frozen=True)
class _Member:
    """A member of an interface."""

    table: Table
    root: str
    index: tuple[int, ...]
    direction: str

    def leaves(self, path: Sequence[str], kind: Any, at: str) -> Iterator[Leaf]:
        """What the table has at a path, or below it where it is a struct."""
        fields = [f for f in self.table.fields if [part for part, _ in f.path] == list(path)]
        whole = kind.canonicalType
        if not fields and whole.isStruct:
            for member in whole:
                if member.kind == ast.SymbolKind.Field:
                    below = f"{at}.{member.name}"
                    yield from self.leaves((*path, member.name), member.type, below)
            return
        shape = shapes.of_type(kind)
        if not fields or shape.unpacked:
            for where, part in shapes.signals(at, shape):
                name = "_".join(path) + where.removeprefix(at)
                place = (where, self.root, part)
                yield Leaf(name, self.direction, part.width, *place, known=bool(fields))
            return
        place = (at, self.root, shape)
        lsb, first = 0, element_name(fields[0], self.index)
        for item in _sharing(self.table, fields[0]):
            rest = shape.width - lsb
            part, name = rest, self.table.vector(item)
            if item.lanes is None:
                part, name = min(rest, item.max_width), element_name(item, self.index)
            if part > 0:
                yield Leaf(name, self.direction, part, *place, lsb)
                lsb += part
        if lsb < shape.width:  # more than the table has at its largest: `match` names it
            yield Leaf(first, self.direction, shape.width, *place)


def _sharing(table: Table, item: Field) -> list[Field]:
    """The fields that lie one behind the other in a port, this one first."""
    name = table.vector(item)
    return [each for each in table.fields if table.vector(each) == name]


def unknown(found: Sequence[Leaf]) -> list[str]:
    """Members that the table does not have: inputs are 0, outputs are not compared."""
    return sorted({leaf.where for leaf in found if not leaf.known})


def _places(parts: Sequence[Leaf]) -> dict[str, list[Leaf]]:
    """The leaves that share a port or member, lowest bit first."""
    places: dict[str, list[Leaf]] = {}
    for leaf in parts:
        places.setdefault(leaf.where, []).append(leaf)
    return places


def _shares(found: Match, leaf: Leaf) -> Iterator[tuple[str, int, int]]:
    """The table's ports in the bits of a leaf: name, width, and lowest bit of the leaf's place."""
    if not leaf.known:
        return
    widths = {port.name: port.width for port in found.table.ports(found.config)}
    for name in dict.fromkeys(found.table.clocked(found.present)):
        whole, lsb = found.slices.get(name, (name, 0))
        if whole == leaf.name:
            yield name, widths.get(name, 1), leaf.lsb + lsb


def pins(found: Match, parts: Sequence[Leaf]) -> dict[str, Pin]:
    """What each port of the table is, as seen from inside of the module: for a bound checker."""
    seen = {}
    for leaf in parts:
        for name, width, lsb in _shares(found, leaf):
            bits = shapes.selects(leaf.spelled, leaf.kind, lsb, width)
            seen[name] = Pin(tuple(bits), leaf.inverted)
    return seen


def _one(found: Match, group: Sequence[Leaf]) -> str | None:
    """The port of the table that a whole port of the module is, if there is one."""
    shares = [*_shares(found, group[0])]
    is_one = len(group) == len(shares) == 1 and not group[0].inverted
    return shares[0][0] if is_one and shares[0][1] == group[0].kind.width else None


@dataclass
class _Body:
    """What a wrapper has inside, as it grows."""

    found: Match
    lines: list[str]
    pins: list[str]
    randoms: int = 0

    @property
    def clock(self) -> str:
        return self.found.table.clock or f"{HARNESS_TOP}.{HARNESS_CLOCK}"

    def assign(self, to: str, value: str) -> None:
        self.lines.append(f"  assign {to} = {value};")

    def pin(self, leaf: Leaf, wire: str) -> None:
        """Connect a whole port."""
        value = shapes.cast(leaf.kind, wire) if leaf.direction == "in" else wire
        self.pins.append(f".{leaf.spelled}({value})")

    def share(self, leaf: Leaf, wire: str) -> None:
        """Join a leaf's bits of the wire and the wrapper's ports; an input without any is constant,
        or random."""
        shares, inverse = [*_shares(self.found, leaf)], "~" if leaf.inverted else ""
        for name, width, lsb in shares:
            bits = f"{wire}[{lsb}+:{width}]"
            to, value = (bits, name) if leaf.direction == "in" else (name, bits)
            self.assign(to, inverse + value)
        if leaf.direction == "in" and not shares:
            value = leaf.value if not leaf.known else self.found.tied.get(leaf.name, 0)
            text = f"{leaf.width}'d{value}" if value is not None else self.random(leaf.width)
            self.assign(f"{wire}[{leaf.lsb}+:{leaf.width}]", inverse + text)

    def random(self, width: int) -> str:
        """A new value in each cycle, half a cycle behind the edge as other inputs."""
        name = f"random_{self.randoms}"
        self.randoms += 1
        words = ", ".join(["$urandom"] * -(-width // 32))
        self.lines += [
            "`ifdef VERILATOR",
            f"  reg [{width - 1}:0] {name};",
            f"  always @(negedge {self.clock}) {name} <= {width}'({{{words}}});",
            "`else  // a proof: any value",
            f"  wire [{width - 1}:0] {name};",
            "`endif",
        ]
        return name


def wrapper(
    module: rtl.Module,
    found: Match,
    parts: Sequence[Leaf],
    parameters: Mapping[str, str] | None = None,
    *,
    title: str = "",
    inner: str = "",
) -> tuple[str, str]:
    """Name and text of a module with the table's flat ports around one that `found` fits.
    `parameters`: of the module inside, in SystemVerilog. `title`: the name of the wrapper, and
    `inner`, what the module inside is called by then, where they are not the usual ones."""
    flat = [p for p in found.table.ports(found.config) if p.name in found.present]
    heads = listed(declarations(found.table.clock, flat), 2)
    own = {port.name: port for port in ports(module)}
    body = _Body(found, [*_declared(module)], [])
    carried: set[str] = set()  # ports of several signals
    for number, (where, group) in enumerate(_places(parts).items()):
        leaf, port = group[0], own[group[0].root]
        is_port = where == leaf.root
        if is_port and (name := _one(found, group)) is not None:
            body.pin(leaf, name)
            continue
        wire = _free(f"bits_{number}", flat)
        body.lines.append(f"  wire [{leaf.kind.width - 1}:0] {wire};")
        for each in group:
            body.share(each, wire)
        if is_port:
            body.pin(leaf, wire)
            continue
        at = leaf.spelled
        if not _is_interface(port):
            carrier = shapes.identifier(CARRIER + leaf.root)
            at = shapes.spelled(CARRIER + where, CARRIER + leaf.root)
            if leaf.root not in carried:
                carried.add(leaf.root)
                body.lines.append(f"  {_carrier(module, port, carrier)};")
                body.pins.append(f".{shapes.identifier(leaf.root)}({carrier})")
        text = shapes.assigned(at, leaf.kind, wire)
        body.lines.append(f"  {text}" if leaf.direction == "in" else f"  assign {wire} = {at};")
    body.pins += [f".{name}({name})" for name, p in own.items() if _is_interface(p)]
    name, set_to = title or f"{module.name}{SUFFIX}", ""
    if parameters:
        values = [f".{key}({value})" for key, value in parameters.items()]
        set_to = f" #(\n{listed(values, 4)}\n  )"
    instance = f"{inner or module.name}{set_to} {_free('dut', flat)}"
    body.lines.append(f"  {instance} (\n{listed(body.pins, 4)}\n  );")
    return name, f"module {name} (\n{heads}\n);\n" + "\n".join(body.lines) + "\nendmodule\n"


def _free(name: str, ports: Sequence[Port]) -> str:
    """A name in the wrapper that none of its ports has."""
    names = {port.name for port in ports}
    while name in names:
        name += "_"
    return name


def _is_interface(port: Any) -> bool:
    return port.kind == ast.SymbolKind.InterfacePort


def _carrier(module: rtl.Module, port: Any, name: str) -> str:
    """The declaration of a signal that a port of unpacked type can be connected to."""
    kind, ranges = port.type, ""
    while kind.canonicalType.isUnpackedArray and not kind.isAlias:
        bounds = kind.canonicalType.range
        ranges += f" [{bounds.left}:{bounds.right}]"
        kind = kind.canonicalType.elementType
    text = str(kind)
    if not kind.isAlias:
        if kind.isStruct or kind.isEnum or kind.isUnpackedUnion:
            where = f"{module.where}: module {module.name}: port {port.name}"
            message = "an array of a type without a name, to which no wrapper can be connected"
            raise WlkError(Status.IFACE_CHANGED, f"{where}: {message}; give the type a name")
        sign = " signed" if kind.isSigned else ""
        text = f"{'logic' if kind.isFourState else 'bit'}{sign} [{kind.bitWidth - 1}:0]"
    return f"{text} {name}{ranges}"


def _declared(module: rtl.Module) -> Iterator[str]:
    """The instances that the interface ports are connected to."""
    for port in ports(module):
        if _is_interface(port):
            ranges = "".join(f" [{r.left}:{r.right}]" for r in port.declaredRange)
            yield f"  {port.interfaceDef.name} {port.name}{ranges} ();"

# SPDX-License-Identifier: Apache-2.0
"""Modules whose ports are interfaces, structs or vectors of all elements of a field.

The table names the interfaces (`block.interfaces`), members and structs below one have the names of
the table's paths. A wrapper gives such a module the flat ports of the table, so that all that comes
behind knows only these.
"""

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyslang import ast

from ..base.errors import Status, WlkError
from ..gen.shell import declarations, listed
from ..gen.sv import HARNESS_CLOCK, HARNESS_TOP
from ..tables import Field, Port, Table, element_name
from . import rtl
from .match import Match, PortShape

SUFFIX = "_flat"
CARRIER = "port_"  # before the name of a port: the signal that it is connected to


@dataclass(frozen=True)
class Leaf:
    """Bits of a module's port that are one port of the table, or a vector of some."""

    name: str  # as the table has it
    direction: str
    width: int
    where: str  # in SystemVerilog, as the wrapper sees it
    lsb: int = 0  # of the bits there
    known: bool = True  # to the table
    whole: int = 0  # bits of what is there; 0: as many as its leaves have
    inverted: bool = False  # 0 there is 1 in the table
    value: int | None = 0  # of an input that the table does not know; None: random

    @property
    def shape(self) -> PortShape:
        return self.name, self.direction, self.width

    @property
    def is_plain(self) -> bool:
        """Is it a port as the table has it?"""
        whole = self.whole in (0, self.width)
        return self.known and self.name == self.where and whole and not self.inverted


def is_flat(parts: Sequence[Leaf]) -> bool:
    """Are the ports those of the table, or vectors of them?"""
    return all(leaf.is_plain for leaf in parts)


def ports(module: rtl.Module) -> list[Any]:
    """Its ports as slang has them, also those that nothing is connected to."""
    return list(module.design.elaborate(module.name).portList)


def leaves(module: rtl.Module, table: Table) -> list[Leaf]:
    """The bits of all ports; IFACE_CHANGED where an interface is none of the table's."""
    found: list[Leaf] = []
    for port, plain in module.symbols_of_ports():
        if port.kind == ast.SymbolKind.InterfacePort:
            found += _of_interface(module, table, port)
        else:
            found.append(Leaf(plain.name, plain.direction, plain.width, plain.name))
    return found


def _of_interface(module: rtl.Module, table: Table, port: Any) -> Iterator[Leaf]:
    heads = [head for head, name in table.interfaces.items() if name == port.name]
    where = f"{module.where}: module {module.name}: port {port.name}"
    if not heads:
        names = ", ".join(table.interfaces.values()) or "none"
        message = f"an interface that block {table.name} does not have; it has {names}"
        raise WlkError(Status.IFACE_CHANGED, f"{where}: {message}")
    instance, modport = port.connection
    if modport is None:
        message = "an interface without a modport, so directions are unknown; name one"
        raise WlkError(Status.IFACE_CHANGED, f"{where}: {message}")
    is_array = instance.kind == ast.SymbolKind.InstanceArray
    for index in range(len(instance.elements) if is_array else 1):
        at = f"{port.name}[{index}]" if is_array else port.name
        for member in modport:
            if member.kind != ast.SymbolKind.ModportPort:
                continue
            direction = rtl.DIRECTIONS.get(member.direction, "inout")
            path = (heads[0], member.name)
            place = f"{at}.{member.name}"
            indices = (index,) if is_array else ()
            yield from _below(table, path, indices, direction, member.type, place)


def _below(
    table: Table, path: Sequence[str], index: tuple[int, ...], direction: str, kind: Any, at: str
) -> Iterator[Leaf]:
    """What the table has at a path, or below it where it is a struct."""
    fields = [f for f in table.fields if [part for part, _ in f.path] == list(path)]
    whole = kind.canonicalType
    if not fields and whole.isStruct:
        for member in whole:
            if member.kind == ast.SymbolKind.Field:
                deeper = (*path, member.name)
                yield from _below(
                    table, deeper, index, direction, member.type, f"{at}.{member.name}"
                )
        return
    width = int(kind.bitWidth)
    if not fields:
        yield Leaf("_".join(path), direction, width, at, known=False)
        return
    lsb = 0
    for item in _sharing(table, fields[0]):
        part = min(width - lsb, item.max_width) if item.lanes is None else width - lsb
        if part > 0:
            name = element_name(item, index) if item.lanes is None else table.vector(item)
            yield Leaf(name, direction, part, at, lsb)
            lsb += part
    if lsb < width:  # more than the table has at its largest: a difference that `match` names
        yield Leaf(element_name(fields[0], index), direction, width, at)


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


def _whole(group: Sequence[Leaf]) -> int:
    """Bits of the port or member that leaves share."""
    return group[0].whole or sum(leaf.width for leaf in group)


def _shares(found: Match, leaf: Leaf) -> Iterator[tuple[str, int, int]]:
    """The table's ports in the bits of a leaf: name, width, and lowest bit of the leaf's place."""
    if not leaf.known:
        return
    widths = {port.name: port.width for port in found.table.ports(found.config)}
    for name in dict.fromkeys(found.table.clocked(found.present)):
        whole, lsb = found.slices.get(name, (name, 0))
        if whole == leaf.name:
            yield name, widths.get(name, 1), leaf.lsb + lsb


def pins(found: Match, parts: Sequence[Leaf]) -> dict[str, str]:
    """What each port of the table is, as seen from inside of the module: for a bound checker."""
    seen = {}
    for where, group in _places(parts).items():
        for leaf in group:
            for name, width, lsb in _shares(found, leaf):
                # A shift, since an index is that of an element where a vector has dimensions.
                bits = where if width == _whole(group) else f"{width}'({where} >> {lsb})"
                seen[name] = f"~{bits}" if leaf.inverted else bits
    return seen


def _one(found: Match, group: Sequence[Leaf]) -> str | None:
    """The port of the table that a whole port of the module is, if there is one."""
    shares = [*_shares(found, group[0])]
    is_one = len(group) == len(shares) == 1 and not group[0].inverted
    return shares[0][0] if is_one and shares[0][1] == _whole(group) else None


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
    quoted = functools.partial(_quoted, module)
    unpacked: set[str] = set()  # ports of several signals
    for number, (where, group) in enumerate(_places(parts).items()):
        if where in own and (name := _one(found, group)) is not None:
            body.pins.append(f".{quoted(where)}({name})")
            continue
        wire = _free(f"bits_{number}", flat)
        is_input = group[0].direction == "in"
        body.lines.append(f"  wire [{_whole(group) - 1}:0] {wire};")
        for leaf in group:
            body.share(leaf, wire)
        root = re.split(r"[.\[]", where)[0]
        if root == where:
            body.pins.append(f".{quoted(where)}({wire})")
            continue
        if own[root].kind != ast.SymbolKind.InterfacePort:
            if root not in unpacked:
                unpacked.add(root)
                body.lines.append(f"  {_carrier(module, own[root])};")
                body.pins.append(f".{quoted(root)}({CARRIER}{root})")
            where = CARRIER + where
        body.assign(*((where, wire) if is_input else (wire, where)))
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


def _quoted(module: rtl.Module, name: str) -> str:
    """A port's name as the module has it: one that is a word of the language is escaped."""
    texts = (token.rawText for token in module.tokens if token.valueText == name)
    return f"\\{name} " if any(text.startswith("\\") for text in texts) else name


def _is_interface(port: Any) -> bool:
    return port.kind == ast.SymbolKind.InterfacePort


def _carrier(module: rtl.Module, port: Any) -> str:
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
    return f"{text} {CARRIER}{port.name}{ranges}"


def _declared(module: rtl.Module) -> Iterator[str]:
    """The instances that the interface ports are connected to."""
    for port in ports(module):
        if _is_interface(port):
            ranges = "".join(f" [{r.left}:{r.right}]" for r in port.declaredRange)
            yield f"  {port.interfaceDef.name} {port.name}{ranges} ();"

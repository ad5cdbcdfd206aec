# SPDX-License-Identifier: Apache-2.0
"""Modules whose ports are interfaces, structs or vectors of all elements of a field.

The table names the interfaces (`block.interfaces`), members and structs below one have the names of
the table's paths. A wrapper gives such a module the flat ports of the table, so that all that comes
behind knows only these.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pyslang import ast

from ..base.errors import Status, WlkError
from ..gen.shell import declarations, listed
from ..tables import Field, Table, element_name
from . import rtl
from .match import Match, PortShape

SUFFIX = "_flat"


@dataclass(frozen=True)
class Leaf:
    """Bits of a module's port that are one port of the table, or a vector of some."""

    name: str  # as the table has it
    direction: str
    width: int
    where: str  # in SystemVerilog, as the wrapper sees it
    lsb: int = 0  # of the bits there
    known: bool = True  # to the table

    @property
    def shape(self) -> PortShape:
        return self.name, self.direction, self.width


def is_flat(module: rtl.Module) -> bool:
    """Has it ports of one name and some bits only, which `match` can look at?"""
    return all(port.kind == ast.SymbolKind.Port for port in _ports(module))


def _ports(module: rtl.Module) -> list[Any]:
    return list(module.design.elaborate(module.name).portList)


def leaves(module: rtl.Module, table: Table) -> list[Leaf]:
    """The bits of all ports; IFACE_CHANGED where an interface is none of the table's."""
    found: list[Leaf] = []
    for port, plain in zip(_ports(module), module.ports(), strict=True):
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


def _shares(found: Match, leaf: Leaf) -> Iterator[tuple[str, int, int]]:
    """The table's ports in the bits of a leaf: name, width, and lowest bit of the leaf's place."""
    if not leaf.known:
        return
    widths = {port.name: port.width for port in found.table.ports(found.config)}
    for name in found.table.clocked(found.present):
        whole, lsb = found.slices.get(name, (name, 0))
        if whole == leaf.name:
            yield name, widths.get(name, 1), leaf.lsb + lsb


def pins(found: Match, parts: Sequence[Leaf]) -> dict[str, str]:
    """What each port of the table is, as seen from inside of the module: for a bound checker."""
    seen = {}
    for where, group in _places(parts).items():
        whole = sum(leaf.width for leaf in group)
        for leaf in group:
            for name, width, lsb in _shares(found, leaf):
                # A shift, since an index is that of an element where a vector has dimensions.
                seen[name] = where if width == whole else f"{width}'({where} >> {lsb})"
    return seen


def wrapper(module: rtl.Module, found: Match, parts: Sequence[Leaf]) -> tuple[str, str]:
    """Name and text of a module with the table's flat ports around one that `found` fits."""
    ports = [p for p in found.table.ports(found.config) if p.name in found.present]
    heads = listed(declarations(found.table.clock, ports), 2)
    body, pins = [*_declared(module)], []
    for number, (where, group) in enumerate(_places(parts).items()):
        wire = f"bits_{number}"
        is_input = group[0].direction == "in"
        body.append(f"  wire [{sum(leaf.width for leaf in group) - 1}:0] {wire};")
        body += [line for leaf in group for line in _assigned(found, leaf, wire)]
        if "." in where:  # a member of an interface
            body.append(_assign(where, wire) if is_input else _assign(wire, where))
        else:
            pins.append(f".{where}({wire})")
    pins += [
        f".{p.name}({p.name})" for p in _ports(module) if p.kind == ast.SymbolKind.InterfacePort
    ]
    name = f"{module.name}{SUFFIX}"
    body.append(f"  {module.name} dut (\n{listed(pins, 4)}\n  );")
    return name, f"module {name}(\n{heads}\n);\n" + "\n".join(body) + "\nendmodule\n"


def _assign(to: str, value: str) -> str:
    return f"  assign {to} = {value};"


def _assigned(found: Match, leaf: Leaf, wire: str) -> Iterator[str]:
    """Joins a leaf's bits of the wire and the wrapper's ports; an input without any is constant."""
    shares = [*_shares(found, leaf)]
    for name, width, lsb in shares:
        bits = f"{wire}[{lsb}+:{width}]"
        yield _assign(bits, name) if leaf.direction == "in" else _assign(name, bits)
    if leaf.direction == "in" and not shares:
        value = found.tied.get(leaf.name, 0)
        yield _assign(f"{wire}[{leaf.lsb}+:{leaf.width}]", f"{leaf.width}'d{value}")


def _declared(module: rtl.Module) -> Iterator[str]:
    """The instances that the interface ports are connected to."""
    for port in _ports(module):
        if port.kind == ast.SymbolKind.InterfacePort:
            ranges = "".join(f" [{r.left}:{r.right}]" for r in port.declaredRange)
            yield f"  {port.interfaceDef.name} {port.name}{ranges} ();"

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
from ..tables import Field, Table, element_name
from . import rtl
from .match import Match, PortShape

SUFFIX = "_flat"
_WORDS = {"in": "input", "out": "output"}


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


def pins(found: Match, parts: Sequence[Leaf]) -> dict[str, str]:
    """What each port of the table is, as seen from inside of the module: for a bound checker."""
    widths: dict[str, int] = {}
    for leaf in parts:
        widths[leaf.where] = widths.get(leaf.where, 0) + leaf.width
    by_name = {leaf.name: leaf for leaf in parts if leaf.known}
    ports = {port.name: port for port in found.table.ports(found.config)}
    seen = {}
    for name in found.present:
        vector, lsb = found.slices.get(name, (name, 0))
        leaf = by_name[vector]
        width = ports[name].width if name in ports else 1
        whole = width == widths[leaf.where]
        # A shift, since an index is that of an element where a vector has several dimensions.
        seen[name] = leaf.where if whole else f"{width}'({leaf.where} >> {leaf.lsb + lsb})"
    return seen


def wrapper(module: rtl.Module, found: Match, parts: Sequence[Leaf]) -> tuple[str, str]:
    """Name and text of a module with the table's flat ports around one that `found` fits."""
    ports = {port.name: port for port in found.table.ports(found.config)}
    names = [name for name in found.present if name in ports]
    clocks = [name for name in (found.table.clock,) if name]
    heads = [f"  input {name}" for name in clocks]
    for name in names:
        width = f" [{ports[name].width - 1}:0]" if ports[name].width > 1 else ""
        heads.append(f"  {_WORDS[ports[name].direction]}{width} {name}")
    body, pins = [*_declared(module)], []
    inside = {name: vector for name, (vector, _) in found.slices.items()}
    wires: dict[str, list[Leaf]] = {}
    for leaf in parts:
        wires.setdefault(leaf.where, []).append(leaf)
    for number, (where, group) in enumerate(wires.items()):
        wire, width = f"bits_{number}", sum(leaf.width for leaf in group)
        body.append(f"  wire [{width - 1}:0] {wire};")
        is_input = group[0].direction == "in"
        for leaf in group:
            own = [n for n in names if inside.get(n, n) == leaf.name]
            for name in own if leaf.known else ():
                lsb = leaf.lsb + found.slices.get(name, ("", 0))[1]
                bits = f"{wire}[{lsb}+:{ports[name].width}]"
                body.append(
                    f"  assign {bits} = {name};" if is_input else f"  assign {name} = {bits};"
                )
            if is_input and not own and leaf.name not in clocks:
                value = found.tied.get(leaf.name, 0)
                body.append(f"  assign {wire}[{leaf.lsb}+:{leaf.width}] = {leaf.width}'d{value};")
            elif is_input and leaf.name in clocks:
                body.append(f"  assign {wire} = {leaf.name};")
        if "." in where:
            body.append(
                f"  assign {where} = {wire};" if is_input else f"  assign {wire} = {where};"
            )
        else:
            pins.append(f"    .{where}({wire})")
    pins += [
        f"    .{p.name}({p.name})" for p in _ports(module) if p.kind == ast.SymbolKind.InterfacePort
    ]
    name = f"{module.name}{SUFFIX}"
    text = f"module {name}(\n" + ",\n".join(heads) + "\n);\n" + "\n".join(body)
    return name, text + f"\n  {module.name} dut (\n" + ",\n".join(pins) + "\n  );\nendmodule\n"


def _declared(module: rtl.Module) -> Iterator[str]:
    """The instances that the interface ports are connected to."""
    for port in _ports(module):
        if port.kind == ast.SymbolKind.InterfacePort:
            ranges = "".join(f" [{r.left}:{r.right}]" for r in port.declaredRange)
            yield f"  {port.interfaceDef.name} {port.name}{ranges} ();"

# SPDX-License-Identifier: Apache-2.0
"""What the ports of a module are made of, and how SystemVerilog names some bits of them.

Bits are always named by selects that follow the declared type: elements by their indices, members
by their names, and a part-select of the innermost dimension. A cast of a shifted value would be
shorter, but Verilator (5.006 and 5.048) evaluates `N'(x >> k)` to 0 where x has several packed
dimensions.
"""

import functools
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pyslang import ast, syntax

from . import rtl
from .portmap import Shape

_PLAIN = re.compile(r"[A-Za-z_][\w$]*")


def of_ports(module: rtl.Module) -> dict[str, Shape]:
    """Each port's shape, with its direction."""
    found = {}
    for port, plain in module.symbols_of_ports():
        if port.kind == ast.SymbolKind.Port:
            found[plain.name] = replace(of_type(port.type), direction=plain.direction)
        elif port.kind == ast.SymbolKind.InterfacePort and port.connection[1] is not None:
            found[plain.name] = _of_interface(port)
    return found


def _of_interface(port: Any) -> Shape:
    members = {
        member.name: (
            0,
            replace(of_type(member.type), direction=rtl.DIRECTIONS.get(member.direction, "inout")),
        )
        for member in port.connection[1]
        if member.kind == ast.SymbolKind.ModportPort
    }
    found = Shape(0, members=members, unpacked=True)
    for each in reversed(port.declaredRange):
        found = Shape(0, (int(each.left), int(each.right)), found, unpacked=True)
    return found


def of_type(kind: Any) -> Shape:
    """The shape of a type."""
    whole = kind.canonicalType
    if whole.isEnum:
        return replace(of_type(whole.baseType), enum=str(kind) if kind.isAlias else "")
    width = int(whole.bitWidth if whole.isIntegral else whole.bitstreamWidth)
    unpacked = not whole.isIntegral
    if whole.isUnpackedArray and not whole.hasFixedRange:  # a queue and the like: of no size
        return Shape(0, unpacked=True)
    if whole.isUnpackedArray or whole.kind == ast.SymbolKind.PackedArrayType:
        element = of_type(whole.elementType)
        is_bit = element.width == 1 and not element.members and element.bounds is None
        bounds = (int(whole.range.left), int(whole.range.right))
        keep = element if unpacked or not is_bit else None
        return Shape(width, bounds, keep, unpacked=unpacked)
    if whole.isStruct or whole.kind == ast.SymbolKind.PackedUnionType:
        fields = [member for member in whole if member.kind == ast.SymbolKind.Field]
        members = {
            member.name: (0 if unpacked else int(member.bitOffset), of_type(member.type))
            for member in fields
        }
        return Shape(width, members=members, unpacked=unpacked)
    return Shape(width, (width - 1, 0) if width > 1 else None)


def signals(name: str, shape: Shape) -> Iterator[tuple[str, Shape]]:
    """The packed signals that a port is made of."""
    if not shape.unpacked:
        yield name, shape
    elif shape.members:
        for member, (_, part) in shape.members.items():
            yield from signals(f"{name}.{member}", part)
    elif shape.bounds is not None and shape.element is not None:
        for index in range(min(shape.bounds), max(shape.bounds) + 1):
            yield from signals(f"{name}[{index}]", shape.element)


def spelled(where: str, root: str) -> str:
    """A packed signal of port `root` in SystemVerilog: names that are no simple identifiers are
    escaped."""
    members = re.sub(r"(?<=\.)[^.\[]+", lambda name: identifier(name[0]), where[len(root) :])
    return identifier(root) + members


@functools.cache
def identifier(name: str) -> str:
    """A name, escaped where it is a keyword or holds other signs than letters, digits, _ and $."""
    text = f"module m; wire {name}; endmodule"
    is_plain = _PLAIN.fullmatch(name) and not [*syntax.SyntaxTree.fromText(text).diagnostics]
    return name if is_plain else f"\\{name} "


def selects(at: str, shape: Shape, lsb: int, width: int) -> list[str]:
    """Expressions that side by side, high bits first, are `width` bits of the packed signal `at`
    from bit `lsb` on."""
    if width == shape.width:
        return [at]
    inside = list(_parts(at, shape))
    if not inside:
        return [at + _bits(shape, lsb, width)]
    found: list[str] = []
    for name, low, part in inside:
        first, end = max(lsb, low), min(lsb + width, low + part.width)
        if first < end:
            found = [*selects(name, part, first - low, end - first), *found]
    return found


def _parts(at: str, shape: Shape) -> Iterator[tuple[str, int, Shape]]:
    """The elements or members of a packed signal, lowest bit first: name, lowest bit, shape.
    Of a union it is the first member that has all bits."""
    members = sorted(shape.members.items(), key=lambda item: item[1][0])
    is_union = len(members) > 1 and all(low == 0 for _, (low, _) in members)
    if is_union:
        members = [each for each in shape.members.items() if each[1][1].width == shape.width][:1]
    for name, (low, part) in members:
        yield f"{at}.{identifier(name)}", low, part
    if shape.element is not None:
        for number in range(shape.width // shape.element.width):
            index = _index(shape, number)
            yield f"{at}[{index}]", number * shape.element.width, shape.element


def _index(shape: Shape, number: int) -> int:
    """The index of the element, or bit, with so many below it."""
    left, right = shape.bounds
    return right + number if left >= right else right - number


def _bits(shape: Shape, lsb: int, width: int) -> str:
    """A part-select of a vector of bits."""
    if shape.bounds is None:  # a union without a member of its size
        ends = (lsb + width - 1, lsb)
    else:
        ends = (_index(shape, lsb + width - 1), _index(shape, lsb))
    return f"[{ends[0]}]" if width == 1 else f"[{ends[0]}:{ends[1]}]"


def assigned(at: str, shape: Shape, value: str) -> str:
    """An assignment to a packed signal. An enumeration takes no plain vector, but its bits do."""
    if shape.enum is not None and shape.bounds is not None:
        return f"assign {at}{_bits(shape, 0, shape.width)} = {value};"
    return f"assign {at} = {cast(shape, value)};"


def cast(shape: Shape, value: str) -> str:
    """A vector as the value of a packed signal."""
    return f"{shape.enum}'({value})" if shape.enum else value

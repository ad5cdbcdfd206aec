# SPDX-License-Identifier: Apache-2.0
"""What names variables in the C that partly.py writes, and which parts of them it changes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .layout import Array, Pointer, Shape, Typed
from .values import Type


@dataclass(eq=False)
class Variable:
    """A variable of the C that is written: an array of numbers, or a `place`. `to`: what a local
    pointer points to."""

    name: str
    type: Typed
    is_place: bool = False
    to: "Place | None" = None

    @property
    def size(self) -> int:
        """Its numbers; of a pointer, those of an element."""
        return (self.type.of if isinstance(self.type, Pointer) else self.type).size

    def whole(self) -> "Extent":
        """All of it."""
        return Extent(self, 0, self.size)


@dataclass(frozen=True)
class Extent:
    """A part of a variable: what a decision keeps of it. Of a pointer, that of each element."""

    of: Variable
    offset: int
    size: int

    def part(self, offset: int, size: int) -> "Extent":
        """A part of it."""
        return Extent(self.of, self.offset + offset, size)

    def holds(self, other: "Extent") -> bool:
        """Is the other one a part of it?"""
        ends = self.offset + self.size, other.offset + other.size
        return self.of is other.of and self.offset <= other.offset and ends[1] <= ends[0]

    @property
    def region(self) -> str:
        """As a `region`."""
        if not self.of.is_place:
            return f"{{{self.of.name} + {self.offset}, {self.size}}}"
        if self == self.of.whole():
            return f"wlk_region_of({self.of.name}, {self.size})"
        return f"wlk_region_of(wlk_place_member({self.of.name}, {self.offset}, 1), {self.size})"


@dataclass(frozen=True)
class Place:
    """An lvalue: an address of numbers if it is `direct`, else a `place`. It lies in `extent`, and
    `is_all` of it or an element."""

    text: str
    type: Typed
    extent: Extent
    is_all: bool = True
    direct: bool = False

    def place(self) -> str:
        """As a `place`, of an array of all of its elements."""
        n = count(self.type)
        if self.direct:
            return f"wlk_place_of({self.text}, {n})"
        return f"wlk_place_member({self.text}, 0, {n})" if n != 1 else self.text

    def part(self, text: str, offset: int, of: Shape) -> "Place":
        """A member or an element whose place is known."""
        extent = self.extent.part(offset, of.size) if self.is_all else self.extent
        return Place(text, of, extent, self.is_all, self.direct)


@dataclass(frozen=True)
class Text:
    """An expression of C whose value is a number of a type."""

    text: str
    type: Type


@dataclass
class Function:
    """One that has been written. `changed`: what it changes through its pointers."""

    name: str
    result: Type | None
    params: Sequence[Variable]
    changed: Sequence[Extent] = ()
    names: list[dict[str, Variable]] = field(default_factory=list)
    flags: dict[str, Variable] = field(default_factory=dict)
    value: Variable | None = None


def count(of: Typed) -> int:
    """The number of elements of an array, and 1 for any other type."""
    return of.count if isinstance(of, Array) else 1


def listed(extents: Iterable[Extent]) -> list[Extent]:
    """In an order, without those that are parts of others."""
    found: list[Extent] = []
    for each in sorted(extents, key=lambda x: (x.of.name, x.offset, -x.size)):
        if not any(other.holds(each) for other in found):
            found.append(each)
    return found

# SPDX-License-Identifier: Apache-2.0
"""Types of a model in model C, and where the numbers of a variable lie in a row of all of them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from .values import Type


@dataclass(frozen=True)
class Number:
    """One number."""

    type: Type
    size = 1


@dataclass(frozen=True)
class Struct:
    """Members by name, with the place of the first number of each."""

    members: Mapping[str, tuple[int, "Shape"]]
    size: int


@dataclass(frozen=True)
class Array:
    """Elements, one after the other."""

    of: "Shape"
    count: int

    @property
    def size(self) -> int:
        return self.count * self.of.size


@dataclass(frozen=True)
class Pointer:
    """To a variable, or to the elements of an array."""

    of: "Shape"


Shape = Number | Struct | Array
Typed = Shape | Pointer


def struct_of(shapes: Iterable[tuple[str, Shape]]) -> Struct:
    """The struct with these members, in their order."""
    members: dict[str, tuple[int, Shape]] = {}
    size = 0
    for name, of in shapes:
        members[name] = size, of
        size += of.size
    return Struct(members, size)


def depth(of: Shape) -> int:
    """Arrays in arrays."""
    if isinstance(of, Array):
        return 1 + depth(of.of)
    if isinstance(of, Struct):
        return max((depth(each) for _, each in of.members.values()), default=0)
    return 0


def walk(
    of: Shape, counts: Mapping[str, str], path: str = "", at: str = "0", level: int = 0
) -> Iterator[str]:
    """Lines of C that visit each number: `EACH(path, at, mask)`, `path` an expression of C, `at`
    its place in the row. `counts`: by the path of an array, with [] for each index, how
    many elements it has, where these are fewer than there is room for."""
    if isinstance(of, Number):
        yield f"EACH({path}, {at}, {mask(of.type)});"
    elif isinstance(of, Struct):
        for name, (offset, each) in of.members.items():
            yield from walk(each, counts, f"{path}.{name}", f"{at} + {offset}", level)
    else:
        i, key = f"i{level}", re.sub(r"\[\w+\]", "[]", path)
        yield f"for (uint32_t {i} = 0; {i} < {counts.get(key, of.count)}; {i}++) {{"
        yield from walk(of.of, counts, f"{path}[{i}]", f"{at} + {i} * {of.of.size}", level + 1)
        yield "}"


def mask(kind: Type) -> str:
    """The bits of a type, as C has them."""
    return f"UINT64_C({(1 << kind.bits) - 1:#x})"

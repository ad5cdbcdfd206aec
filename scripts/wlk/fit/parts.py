# SPDX-License-Identifier: Apache-2.0
"""The ports of a module taken apart into what rows of a table can be: bits, arrays of them of at
most two indices, and words of wide vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..gen.block_folder import INDEX
from ..tables import WORD
from . import names, rtl, shapes
from .portmap import Shape

MOST_INDICES, MOST_COUNT = 2, 255  # of a field: frame/map.h, block.h
Steps = tuple[tuple[str, int | None], ...]


@dataclass(frozen=True)
class Part:
    """Bits of a port that are one row: its path with counts, and its place."""

    path: tuple[tuple[str, int | None], ...]
    place: str
    width: int
    direction: str

    @property
    def structure(self) -> tuple:
        """All but numbers that a parameter may change."""
        return tuple((n, k is not None) for n, k in self.path), self.place, self.direction

    @property
    def numbers(self) -> tuple[int, ...]:
        return (*(count for _, count in self.path if count is not None), self.width)


def of(module: rtl.Module, own: Sequence[str]) -> list[Part]:
    """The parts of all ports but the clock and the reset."""
    found: list[Part] = []
    for name, shape in shapes.of_ports(module).items():
        if name not in own:
            path = ((names.c_name(name), None),)
            found += _walk(shape, path, name, shape.direction or "inout")
    return found


Steps = tuple[tuple[str, int | None], ...]


def _walk(shape: Shape, path: Steps, place: str, direction: str) -> Iterator[Part]:
    """What a shape is made of, down to bits."""
    if shape.members:
        yield from _members(shape, path, place, direction)
    elif shape.element is not None or (shape.unpacked and shape.bounds is not None):
        yield from _elements(shape, path, place, direction)
    elif shape.width <= WORD:
        yield Part(path, place, shape.width, direction)
    else:
        yield from _words(shape, path, place, direction)


def _members(shape: Shape, path: Steps, place: str, direction: str) -> Iterator[Part]:
    total = sum(part.width for _, part in shape.members.values())
    is_union = len(shape.members) > 1 and total > shape.width
    for name, (_, part) in [*shape.members.items()][: 1 if is_union else None]:
        at = (*path, (names.c_name(name), None))
        yield from _walk(part, at, f"{place}.{name}", part.direction or direction)


def _elements(shape: Shape, path: Steps, place: str, direction: str) -> Iterator[Part]:
    left, right = shape.bounds
    low, count, element = min(left, right), abs(left - right) + 1, shape.element or Shape(1)
    indices = sum(k is not None for _, k in path)
    if indices < MOST_INDICES and count <= MOST_COUNT:
        index = INDEX[indices]
        at = f"{place}[{{{index}{f'+{low}' if low else ''}}}]"
        yield from _walk(element, _counted(path, count), at, direction)
        return
    if not shape.unpacked and not element.members and shape.width <= WORD:
        yield Part(path, place, shape.width, direction)
        return
    for n in range(count):  # an index more than a table has: a row for each
        yield from _walk(element, _with(path, str(n)), f"{place}[{n + low}]", direction)


def _with(path: Steps, name: str) -> Steps:
    """The path with a word behind it."""
    *head, (last, count) = path
    if count is None:
        return (*head, (f"{last}_{name}", None))
    return (*path, (f"e{name}" if name.isdigit() else name, None))


def _counted(path: Steps, count: int) -> Steps:
    """The path with another index behind it."""
    *head, (name, known) = path
    return (*head, (name, count)) if known is None else (*path, ("_", count))


def _words(shape: Shape, path: Steps, place: str, direction: str) -> Iterator[Part]:
    """A vector in words of 64 bits, and what is left of it."""
    left, right = shape.bounds
    words, rest = divmod(shape.width, WORD)
    step, indices = (1 if left >= right else -1), sum(k is not None for _, k in path)

    def bits(low: object, high: object) -> str:
        return f"{place}[{high}:{low}]"

    def ends(low: int, high: int) -> tuple[int, int]:
        return right + step * low, right + step * high

    if words > 1 and indices < MOST_INDICES:
        slope = f"{WORD}*{INDEX[indices]}"
        low, high = (
            (f"{{{slope}{f'+{at}' if at else ''}}}" if step > 0 else f"{{{at}-{slope}}}")
            for at in ends(0, WORD - 1)
        )
        yield Part(_counted(path, words), bits(low, high), WORD, direction)
    else:
        for n in range(words):
            at = _with(path, f"w{n}" if words > 1 else "low")
            yield Part(at, bits(*ends(WORD * n, WORD * n + WORD - 1)), WORD, direction)
    if rest:
        at = bits(*ends(WORD * words, shape.width - 1))
        yield Part(_with(path, "top"), at, rest, direction)

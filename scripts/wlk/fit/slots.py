# SPDX-License-Identifier: Apache-2.0
"""The parts of a module's ports that may be ports of a block: elements of arrays, members of
structs, and ports that are one list by their names (`src1_en`, `src2_en`; `a_reg`, `b_reg`).

Nothing here knows RTL: ports are given as shapes (portmap.Shape).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from . import words
from .portmap import Shape

MARK = "@"  # in the text of a place: an index
LETTERS = ("abcdefgh", "xyz", "ABCDEFGH", "XYZ")
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"[A-Za-z0-9]+(?=[_.\[]|$)")
_LETTER = re.compile(r"[A-Za-z](?![A-Za-z])")


@dataclass(frozen=True)
class Dim:
    """Elements of a list: those of an array, or ports of names with numbers or letters."""

    low: int
    size: int
    labels: tuple[str, ...] = ()  # letters, or words, in the names
    is_words: bool = False  # whose order does not show


@dataclass(frozen=True)
class Slot:
    """A part of a module that may be the ports of a field."""

    text: str  # a place, MARK for each index
    dims: tuple[Dim, ...]
    width: int
    direction: str | None
    atoms: frozenset[str]  # what it is made of: two slots that share one exclude each other
    is_vector: bool = False  # of bits, of which one can take several
    is_ascending: bool = False  # the first bit is the highest
    is_struct: bool = False
    rank: tuple[int, int] | None = None  # which it is of how many of a list
    tokens: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


def of(ports: Mapping[str, Shape], *, with_words: bool = False) -> list[Slot]:
    """All parts of the ports. `with_words`: also those that are a list by any word, as the queues
    `mem_uop`, `alu_uop`."""
    found = [slot for name, shape in ports.items() for slot in _below(name, name, (), shape, None)]
    for _ in range(2):  # a name may have two numbers
        found = _with_lists(found)
    found += _by_words(found) if with_words else []
    return [
        replace(slot, tokens=words.tokens(slot.text), words=words.words_of(slot.text))
        for slot in found
    ]


def _below(
    root: str, text: str, dims: tuple[Dim, ...], shape: Shape, direction: str | None
) -> Iterator[Slot]:
    direction = shape.direction or direction
    if not shape.unpacked:
        is_vector = shape.bounds is not None and shape.element is None
        atoms = frozenset(_leaves(root, shape))
        up = is_vector and shape.bounds[0] < shape.bounds[1]
        struct = _has_members(shape)
        yield Slot(text, dims, shape.width, direction, atoms, is_vector, up, struct)
    if shape.bounds is not None:
        dim = Dim(min(shape.bounds), abs(shape.bounds[0] - shape.bounds[1]) + 1)
        element = shape.element or Shape(1)
        yield from _below(root, f"{text}[{MARK}]", (*dims, dim), element, direction)
    for member, (_, part) in shape.members.items():
        yield from _below(f"{root}.{member}", f"{text}.{member}", dims, part, direction)


def _has_members(shape: Shape) -> bool:
    return bool(shape.members) or (shape.element is not None and _has_members(shape.element))


def _leaves(root: str, shape: Shape) -> Iterator[str]:
    if shape.element is not None:
        yield from _leaves(root, shape.element)
    elif shape.members:
        for member, (_, part) in shape.members.items():
            yield from _leaves(f"{root}.{member}", part)
    else:
        yield root


def _with_lists(found: Sequence[Slot]) -> list[Slot]:
    """The slots, and those that several of them are together by their names."""
    groups: dict[tuple, dict[str, Slot]] = {}
    for slot in found:
        for pattern in (_NUMBER, _LETTER):
            for label in pattern.finditer(slot.text):
                head, tail = slot.text[: label.start()], slot.text[label.end() :]
                key = (head, tail, slot.dims, slot.width, slot.direction, slot.is_vector)
                groups.setdefault((pattern is _NUMBER, key), {})[label[0]] = slot
    ranks: dict[str, tuple[int, int]] = {}
    lists = []
    for (is_number, (head, tail, dims, *_)), members in groups.items():
        dim = _dim(members, is_number)
        if dim is None:
            continue
        first, labels = next(iter(members.values())), sorted(members, key=lambda x: (len(x), x))
        for at, label in enumerate(labels):
            ranks.setdefault(members[label].text, (at, len(labels)))
        at = head.count(MARK)
        atoms = frozenset().union(*(slot.atoms for slot in members.values()))
        dims = (*dims[:at], dim, *dims[at:])
        lists.append(replace(first, text=head + MARK + tail, dims=dims, atoms=atoms, rank=None))
    known = {slot.text for slot in found}
    lists = {slot.text: slot for slot in lists if slot.text not in known}
    plain = [replace(s, rank=s.rank or ranks.get(s.text)) for s in found]
    return [*plain, *lists.values()]


def _by_words(found: Sequence[Slot]) -> Iterator[Slot]:
    groups: dict[tuple, dict[str, Slot]] = {}
    for slot in found:
        for label in _WORD.finditer(slot.text):
            head, tail = slot.text[: label.start()], slot.text[label.end() :]
            key = head, tail, slot.dims, slot.width, slot.direction, slot.is_vector
            if re.search(r"[A-Za-z]", head + tail):
                groups.setdefault(key, {})[label[0]] = slot
    for (head, tail, dims, *_), members in groups.items():
        if len(members) > 1:
            at = head.count(MARK)
            atoms = frozenset().union(*(slot.atoms for slot in members.values()))
            dim = Dim(0, len(members), tuple(members), is_words=True)
            dims = (*dims[:at], dim, *dims[at:])
            first = next(iter(members.values()))
            yield replace(first, text=head + MARK + tail, dims=dims, atoms=atoms, rank=None)


def _dim(members: Mapping[str, Slot], is_number: bool) -> Dim | None:
    """Of labels that follow one another."""
    if len(members) < 2:
        return None
    if is_number:
        if any(str(int(label)) != label for label in members):
            return None
        numbers = sorted(map(int, members))
        whole = numbers[-1] - numbers[0] + 1 == len(numbers)
        return Dim(numbers[0], len(numbers)) if whole else None
    row = "".join(sorted(members))
    return Dim(0, len(row), tuple(row)) if any(each.startswith(row) for each in LETTERS) else None

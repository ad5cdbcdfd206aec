# SPDX-License-Identifier: Apache-2.0
"""How the ports of a field may lie in a part of a module, and how like both are."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from . import words
from .families import ENTRY, LANE, Family
from .slots import MARK, Dim, Slot

FORM = 0.3  # dimensions and widths: how much they say
RANK = 0.15  # both are the n-th of a list
STRANGE = 0.5  # the name is one of test or debugging
ONE_OF_MANY = 0.3  # a member of a list, for what is none
SPARE = 0.6  # nobody reads it
TURNED, ONE_MORE, FLAT, SINGLE = 0.1, 0.02, 0.02, 0.25  # what is less usual of a form
EQUAL = 1.0  # it has the name that the table has
WHOLE = 0.2  # a struct that is a payload as a whole


@dataclass(frozen=True)
class Way:
    """How the ports of a family lie in a slot."""

    lines: tuple[tuple[str, str], ...]  # key and place of a line
    values: tuple[tuple[str, int], ...]  # of the family's symbols
    cost: float = 0.0  # how unusual it is
    is_open: bool = False  # the order of the elements does not show


@functools.cache
def ways(slot: Slot, family: Family) -> tuple[Way, ...]:
    """How the ports of a family may lie in a slot."""
    if slot.direction not in (None, family.field.direction):
        return ()
    if slot.is_struct and not family.field.opaque:
        return ()
    dims = list(enumerate(slot.dims))
    if len(dims) > len(family.counts):  # a list of one is none
        dims = [(at, dim) for at, dim in dims if dim.size > 1]
    lacking = len(family.counts) - len(dims)
    if lacking < 0:
        return ()
    found: list[Way] = []
    for order in itertools.permutations(range(len(family.counts)), len(dims)):
        sizes = zip(dims, order, strict=True)
        if all(_may_be(dim, family, index) for (_, dim), index in sizes):
            found += _ways_in(slot, family, dims, order)
    return tuple(found)


def _may_be(dim: Dim, family: Family, index: int) -> bool:
    """May a list of the module be this one of the block? Only entries have words for names."""
    named = not dim.is_words or family.indices[index] == ENTRY
    return named and dim.size in family.counts[index]


def _ways_in(
    slot: Slot, family: Family, dims: Sequence[tuple[int, Dim]], order: Sequence[int]
) -> Iterator[Way]:
    """With the slot's dimensions for these indices of the family."""
    values = [(family.symbols[i], dim.size) for (_, dim), i in zip(dims, order, strict=True)]
    cost = 0.0 if list(order) == sorted(order) else TURNED
    cost += ONE_MORE * (len(slot.dims) - len(dims))
    rest = [index for index in range(len(family.counts)) if index not in order]
    bound = dict(zip([at for at, _ in dims], order, strict=True))
    lines = _lines(slot, family, bound)
    width = family.symbols[-1]
    if not rest:
        if slot.width in family.widths:
            is_open = any(dim.is_words for _, dim in dims)
            yield Way(lines, (*values, (width, slot.width)), cost, is_open)
        return
    if slot.width in family.widths and all(1 in family.counts[index] for index in rest):
        ones = [(family.symbols[index], 1) for index in rest]
        plain = tuple((_fixed(key, family, rest), place) for key, place in lines)
        yield Way(plain, (*values, *ones, (width, slot.width)), cost + SINGLE)
    if not slot.is_vector:
        return
    for sizes in itertools.product(*(sorted(family.counts[index]) for index in rest)):
        total = 1
        for size in sizes:
            total *= size
        if slot.width % total or slot.width // total not in family.widths or total == 1:
            continue
        each = slot.width // total
        if each == 1 and len(rest) == 1:  # bits are elements: another slot
            continue
        piece = _slice([family.indices[index] for index in rest], sizes, each, slot.is_ascending)
        cut = tuple((key, place + piece) for key, place in lines)
        said = [(family.symbols[index], size) for index, size in zip(rest, sizes, strict=True)]
        is_open = any(family.indices[index] != LANE for index in rest)
        yield Way(cut, (*values, *said, (width, each)), cost + FLAT * len(rest), is_open)


def _fixed(key: str, family: Family, rest: Sequence[int]) -> str:
    for index in rest:
        key = key.replace(f"{{{family.indices[index]}}}", "0")
    return key


def _lines(slot: Slot, family: Family, bound: Mapping[int, int]) -> tuple[tuple[str, str], ...]:
    """Keys and places; a list with letters has a line for each."""
    lines = [(family.key, "")]
    pieces = slot.text.split(MARK)
    for at, piece in enumerate(pieces):
        lines = [(key, place + piece) for key, place in lines]
        if at == len(pieces) - 1:
            break
        dim = slot.dims[at]
        if at not in bound:
            lines = [(key, place + str(dim.low)) for key, place in lines]
            continue
        name = family.indices[bound[at]]
        if dim.labels:
            lines = [
                (key.replace(f"{{{name}}}", str(number)), place + label)
                for key, place in lines
                for number, label in enumerate(dim.labels)
            ]
        else:
            shown = f"{{{name}{f'+{dim.low}' if dim.low else ''}}}"
            lines = [(key, place + shown) for key, place in lines]
    return tuple(lines)


def _slice(names: Sequence[str], sizes: Sequence[int], each: int, ascending: bool) -> str:
    """Bits of a vector that an element is, the first one lowest (or first, where bit 0 is)."""
    step, terms = each, []
    for name, size in reversed([*zip(names, sizes, strict=True)]):
        terms.insert(0, f"{name}*{step}" if step > 1 else name)
        step *= size
    low = "+".join(terms)
    high = f"{low}+{each - 1}"
    if each == 1:
        return f"[{{{low}}}]"
    return f"[{{{low}}}:{{{high}}}]" if ascending else f"[{{{high}}}:{{{low}}}]"


@functools.cache
def names(slot: Slot, family: Family) -> float:
    """Likeness of names: the last words weigh most."""
    last = family.words[-2:]
    ends = max(
        words.alike(slot.words[-1], last[-1]),
        0.9 * max(words.alike(word, last[-1]) for word in slot.words),
        0.8 * max(words.alike(slot.words[-1], word) for word in last),
    )
    return 0.5 * ends + 0.5 * words.phrase(slot.words, family.words)


@functools.cache
def _form(slot: Slot, family: Family) -> float:
    """How much it says that the slot has a form which the family may have."""
    form = 0.12 * len(family.counts) + (0.12 if slot.width > 1 else 0.0)
    score = min(form, FORM)
    if slot.rank is not None and family.rank is not None and slot.rank[1] == family.rank[1]:
        score += RANK if slot.rank == family.rank else -RANK
    elif slot.rank is not None and family.rank is not None:
        score += 0.05 if slot.rank[0] == family.rank[0] else -0.05
    elif slot.rank is not None:
        score -= ONE_OF_MANY
    if words.APART & {*slot.tokens} - {*family.words}:
        score -= STRANGE
    return score


@functools.cache
def likeness(slot: Slot, family: Family) -> float:
    """The score of a pair alone."""
    said = names(slot, family)
    needless = SPARE if family.is_spare else SPARE / 2 if family.is_constant else 0.0
    score = said + _form(slot, family) - needless
    is_called_so = slot.text == re.sub(r"\{\w\}", MARK, family.key)
    return score + (WHOLE if slot.is_struct else 0.0) + (EQUAL if is_called_so else 0.0)

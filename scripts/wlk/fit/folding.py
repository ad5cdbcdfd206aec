# SPDX-License-Identifier: Apache-2.0
"""Ports x_0, x_1, … of one width and direction as one array of a table."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence

from ..gen.block_folder import Row
from . import names
from .parts import MOST_COUNT, MOST_INDICES

NUMBER = re.compile(r"_(\d+)(?=_|$)")
Members = list[tuple[tuple[int, ...], Row]]  # with the numbers in their names


class _Taken:
    """The components of paths so far, and which of them are arrays of how many."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, ...], str | None] = {}
        self._whole: set[tuple[str, ...]] = set()
        self._c_names: set[str] = set()

    def add(self, row: Row) -> None:
        for head, count in _heads(row):
            self._counts[head] = count
        self._whole.add(head)
        self._c_names.add(_c_name(row))

    def allows(self, row: Row) -> bool:
        """Has all that shares a part of the path the same count there, and is none of it a port
        of its own?"""
        heads = [*_heads(row)]
        apart = heads[-1][0] not in self._counts and not any(h in self._whole for h, _ in heads)
        apart &= _c_name(row) not in self._c_names
        return apart and all(self._counts.get(head, count) == count for head, count in heads)


def _c_name(row: Row) -> str:
    return row.flat.replace(".", "_")


def _heads(row: Row) -> Iterator[tuple[tuple[str, ...], str | None]]:
    for n, (_, count) in enumerate(row.path, 1):
        yield tuple(part for part, _ in row.path[:n]), count


def fold(rows: Sequence[Row]) -> list[Row]:
    """The same ports in fewer rows; rows whose paths begin alike follow each other."""
    groups: dict[tuple[str, str, str], Members] = {}
    taken = _Taken()
    for row in rows:
        if (at := _numbers(row)) is None:
            taken.add(row)
        else:
            pattern = NUMBER.sub("_#", row.path[0][0])
            groups.setdefault((pattern, row.direction, row.width), []).append((at, row))
    arrays: dict[str, Row] = {}  # by the names of the rows that it stands for
    for (pattern, _, _), members in groups.items():
        made = _array(pattern, members)
        fits = made is not None and taken.allows(made)
        for each in [made] if fits else [row for _, row in members]:
            taken.add(each)
        arrays |= {row.flat: made for _, row in members} if fits else {}
    return _together([*dict.fromkeys(arrays.get(row.flat, row) for row in rows)])


def _numbers(row: Row) -> tuple[int, ...] | None:
    """The numbers in the name of a plain port, if it may be an element."""
    (name, count), *deeper = row.path
    found = [*NUMBER.finditer(name)]
    if deeper or row.place or count is not None or not 0 < len(found) <= MOST_INDICES:
        return None
    return tuple(int(each[1]) for each in found) if found[0].start() > 0 else None


def _array(pattern: str, members: Members) -> Row | None:
    """The array of which these are all elements, counted from 0, or from 1."""
    seen = {at for at, _ in members}
    first = min(at[-1] for at in seen) if len(members[0][0]) == 1 else 0
    ends = [max(at[n] for at in seen) + 1 for n in range(len(members[0][0]))]
    wanted = set(itertools.product(*(range(first, end) for end in ends)))
    if first > 1 or seen != wanted or len(seen) < 2 or max(ends) > MOST_COUNT:
        return None
    counts = iter(str(end - first) for end in ends)
    path: list[tuple[str, str | None]] = []
    for n, head in enumerate(pattern.split("_#")):
        word, count = head.removeprefix("_") if n else head, next(counts, None)
        if word or count is not None:
            path.append((word or "_", count))
    if any(names.is_reserved(part) or part[0].isdigit() for part, _ in path):
        return None
    row = members[0][1]
    return Row(tuple(path), row.direction, row.width, first=first)


def _together(rows: Sequence[Row]) -> list[Row]:
    order = {head: n for n, head in enumerate(dict.fromkeys(row.path[0][0] for row in rows))}
    return sorted(rows, key=lambda row: order[row.path[0][0]])


def literal(row: Row) -> int:
    """Elements of a row in dimensions that no parameter changes."""
    return math.prod(int(count) for count in row.counts if count.isdigit())

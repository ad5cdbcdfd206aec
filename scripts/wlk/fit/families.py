# SPDX-License-Identifier: Apache-2.0
"""The ports of a block by fields, as likeness looks at them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..tables import MAX_COMBINATIONS, Expr, Field, Table, element_name
from . import words

INDICES = "ijkm"
LANE, ENTRY = "l", "q"  # indices of lanes, and of the entries of a list
CLOCKS = ("clock", "reset")
MOST = 1024  # bits of a payload

Group = tuple[str, ...]  # the words of a bundle's name


@dataclass(frozen=True)
class Family:
    """The ports of a field of the table."""

    key: str  # as a line of a map has it
    field: Field
    indices: tuple[str, ...]  # names of the indices in the key
    counts: tuple[frozenset[int], ...]  # how many there may be of each
    symbols: tuple[str, ...]  # what says how many; of the counts, then of the width
    widths: frozenset[int]
    words: tuple[str, ...]  # of its name
    groups: tuple[Group, ...]  # the bundles that it is in, by their names
    rank: tuple[int, int] | None = None  # which it is of how many fields of a list
    is_usual: bool = True  # with the default parameters it is there

    @property
    def pattern(self) -> re.Pattern[str]:
        """What the names of its ports are like."""
        return re.compile(r"\d+".join(map(re.escape, re.split(r"\{\w\}", self.key))))

    @property
    def is_spare(self) -> bool:
        """May it as well be nowhere?"""
        unread = not self.field.read and self.field.direction == "in"
        return unread or not self.is_usual

    @property
    def is_constant(self) -> bool:
        """Is it an output that says nothing, which others may leave out?"""
        said = self.field.direction == "out" and self.field.valid_when != ""
        return said and self.field.doc.startswith("constant")

    @property
    def weight(self) -> float:
        """How much a bundle lacks without it."""
        if self.is_spare:
            return 0.1
        return 0.3 if self.is_constant else 1.0 if self.field.direction == "in" else 0.8


def families(table: Table) -> list[Family]:
    """The ports of a block, by fields, without clock and reset. Those that each entry of a list has
    are one family."""
    plain = (item for item in table.fields if item.entry in (None, 0))
    found = [_family(table, item) for item in plain if item.name not in CLOCKS]
    rows: dict[tuple, list[int]] = {}
    for at, family in enumerate(found):
        for number in re.finditer(r"\d+", family.field.label or family.key):
            text = family.field.label or family.key
            key = text[: number.start()], text[number.end() :], family.symbols
            rows.setdefault(key, []).append(at)
    for row in rows.values():
        for rank, at in enumerate(row if len(row) > 1 else ()):
            found[at] = replace(found[at], rank=(rank, len(row)))
    return found


def _family(table: Table, item: Field) -> Family:
    is_laned = item.lanes is not None and not item.opaque
    exprs = [count for _, count in item.path if count is not None]
    exprs += [item.lanes] if is_laned else []
    values = [_values(table, count) for count in exprs]
    names = iter(INDICES)
    marks = ["" if value == {1} else next(names) for value in values]
    if is_laned and marks[-1]:
        marks[-1] = LANE
    shown = [f"{{{mark}}}" if mark else "0" for mark in marks]
    index, lane = (shown[:-1], shown[-1]) if is_laned else (shown, None)
    if index and index[-1] == "0":
        index[-1] = str(item.first)
    key = element_name(item, tuple(index), lane)
    counts = [value for value in values if value != {1}]
    symbols = [e.text for e, value in zip(exprs, values, strict=True) if value != {1}]
    marks = [mark for mark in marks if mark]
    if item.entry is not None:
        key = key.replace(f"_{item.entry}_", f"_{{{ENTRY}}}_", 1)
        most = max(each.most for each in table.lists.values())
        marks, counts = [ENTRY, *marks], [frozenset(range(1, most + 1)), *counts]
        symbols = [ENTRY, *symbols]
    widths = _values(table, item.width)
    if item.opaque or item.loose_width:
        widths = frozenset(range(1, (MOST if item.opaque else item.max_width) + 1))
        symbols.append(item.name)
    else:
        symbols.append(item.width.text)
    heads = [words.words_of(part) for part, _ in item.path[:-1] if part not in ("bits", "regs")]
    groups = [sum(heads[:end], ()) for end in range(1, len(heads) + 1)]
    name = "_".join(part for part, _ in item.path[:-1])
    said = words.words_of(f"{name}_{item.label or item.path[-1][0]}")
    usual = item.when is None or bool(item.when(_default(table)))
    return Family(
        key, item, tuple(marks), tuple(counts), tuple(symbols), widths, said, tuple(groups),
        is_usual=usual,
    )  # fmt: skip


def _default(table: Table) -> dict[str, int]:
    return {name: param.default for name, param in table.params.items()}


def _values(table: Table, expr: Expr) -> frozenset[int]:
    """Every value of an expression of the parameters, 0 left out."""
    names = sorted(expr.names)
    legal = [table.params[name].legal for name in names]
    total = 1
    for each in legal:
        total *= len(each)
    if total > MAX_COMBINATIONS:
        legal = [(min(each), max(each)) for each in legal]
    found = {expr(dict(zip(names, each, strict=True))) for each in itertools.product(*legal)}
    return frozenset(found - {0})


def usual_values(table: Table, rows: Sequence[Family]) -> dict[str, int]:
    """What widths and counts are with the default parameters."""
    config = _default(table)
    found = {}
    for family in rows:
        exprs = [count for _, count in family.field.path if count is not None]
        exprs += [each for each in (family.field.lanes, family.field.width) if each is not None]
        for expr in exprs:
            if expr.names:
                found[expr.text] = expr(config)
    return found

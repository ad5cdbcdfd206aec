# SPDX-License-Identifier: Apache-2.0
"""Places of a table's fields in a record."""

import functools
import itertools
import math

from .expr import Expr
from .fields import WORD, Field, Slot, first_fit, walk
from .table import Table


def _fit_array(table: Table, item: Field, group: str | None, bins: list[int], start: int) -> None:
    """Slots of one field: the elements of a small array lie side by side."""
    if item.packed:
        total = math.prod(item.counts) * item.max_width
        word, lsb = first_fit(bins, start, total)
        steps = item.steps()
        for index in itertools.product(*(range(n) for n in item.counts)):
            place = lsb + sum(i * step for i, step in zip(index, steps, strict=True))
            table.slots[item.name, index] = Slot(group, word, place)
        return
    # In the literal dimensions; those of a group are left out.
    indices = [index for _, index in walk([item], None)]
    if len(indices) * item.max_width <= WORD:
        word, lsb = first_fit(bins, start, len(indices) * item.max_width)
        for n, index in enumerate(indices):
            table.slots[item.name, index] = Slot(group, word, lsb + n * item.max_width)
        return
    for index in indices:
        word, lsb = first_fit(bins, start, item.max_width)
        table.slots[item.name, index] = Slot(group, word, lsb)


def _fit_units(table: Table, fields: list[Field], group: str | None, bins: list[int]) -> None:
    """Slots of the fields that belong to units: each unit fills whole words of its own."""
    used: dict[str, list[Field]] = {}
    for item in fields:
        if item.unit:
            used.setdefault(item.unit_head, []).append(item)
    for members in used.values():
        first, inside = len(bins), []
        for item in members:
            word, lsb = first_fit(inside, 0, item.max_width)
            for _, index in walk([item], None):
                table.slots[item.name, index] = Slot(group, first + word, lsb)
        bins += [WORD] * len(inside)


def lay_out(table: Table) -> None:
    """Give every control element its slot: first fit in table order, unread inputs last."""
    for side in ("in", "out"):
        control = [f for f in table.fields if f.direction == side and f.lanes is None]
        plain = [f for f in control if f.group is None]
        bins: list[int] = []
        for read in (True, False):
            start = 0 if read else len(bins)
            for item in plain:
                if item.read == read and not item.unit:
                    _fit_array(table, item, None, bins, start)
            if read:
                _fit_units(table, plain, None, bins)
        table.control[side] = len(bins)
        table.groups[side] = []
        members = [f for f in control if f.group is not None]
        if not members:
            continue
        # Arrays of several counts lie side by side, element by element, up to the largest count.
        counts = [*dict.fromkeys(f.group.text for f in members)]
        largest = functools.reduce(lambda most, each: f"max({most}, {each})", counts)
        count = Expr(largest, table.name)
        bins = []
        _fit_units(table, members, count.text, bins)
        for item in members:
            if not item.unit:
                _fit_array(table, item, count.text, bins, 0)
        table.groups[side].append((count.text, count, len(bins)))

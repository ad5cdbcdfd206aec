# SPDX-License-Identifier: Apache-2.0
"""The ports of a naive block, which are those of its port table."""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from wlk import tables


class Port(NamedTuple):
    """One port as the compiler emits it; direction as the block sees it, 'i' or 'o'."""

    name: str
    direction: str
    width: int


def ports(block: str, params: dict) -> list[Port]:
    """Every port but the clock, in module order. `params` may be those of a block around it."""
    return _ports(block, tuple((key, params[key]) for key in tables.load(block).settings()))


@cache
def _ports(block: str, given: tuple[tuple[str, str], ...]) -> list[Port]:
    table = tables.load(block)
    found = table.ports(table.config(dict(given)))
    return [Port(port.name, port.direction[0], port.width) for port in found]


def behind(listed: Iterable[Port], prefix: str) -> tuple[str, ...]:
    """What the names of the ports `prefix`… go on with, in their order."""
    names = (port.name for port in listed)
    return tuple(name.removeprefix(prefix) for name in names if name.startswith(prefix))

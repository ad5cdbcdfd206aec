# SPDX-License-Identifier: Apache-2.0
"""Numbers, variables and faults of an executed model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .words import FALSE, Word


@dataclass(frozen=True)
class Type:
    """An integer of C."""

    bits: int
    signed: bool = False


@dataclass(frozen=True)
class Value:
    """A number of C."""

    word: Word
    type: Type


@dataclass(eq=False)
class Leaf:
    """A variable, a member or an element; `unset`: where nothing was written yet."""

    type: Type
    word: Word = FALSE
    unset: Word = FALSE
    shown: Word | None = None  # of an output: was it given to SHOW?


Node = Any  # a Leaf, a list of nodes, or a dict of members
Places = Sequence[tuple[Word, Node]]  # the nodes that something may be, and when it is


@dataclass(frozen=True)
class Fault:
    """What C leaves undefined, and the bit that says that it happens."""

    where: str  # file and line
    what: str
    bit: Word


def leaves(node: Node) -> Iterator[Leaf]:
    """All numbers in it."""
    if isinstance(node, Leaf):
        yield node
    else:
        for each in node.values() if isinstance(node, dict) else node:
            yield from leaves(each)

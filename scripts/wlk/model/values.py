# SPDX-License-Identifier: Apache-2.0
"""Numbers, variables and faults of an executed model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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


@dataclass(eq=False)
class Column:
    """A memory: one number of each row of an array whose rows are named by computed indices alone.
    `writes`: when, row and value, in their order."""

    name: str
    type: Type
    ones: int  # bits of its numbers that may be 1
    writes: list[tuple[Word, Word, Word]] = field(default_factory=list)
    rows: int = 1  # bits of the largest index
    written: Leaf | None = None  # the rows, as a set, that were since all were cleared

    @property
    def width(self) -> int:
        """Bits of a row."""
        return max(1, self.ones.bit_length())


@dataclass(eq=False)
class Cell:
    """A row of a memory."""

    column: Column
    index: Word

    @property
    def type(self) -> Type:
        return self.column.type


class Rows(list):
    """The rows of a memory of the model's RAMS, as an array. `first`: there are none below."""

    first = 0


@dataclass(eq=False)
class Ram:
    """An array of rows; `row` is a row whose numbers are columns. `first` as in Rows."""

    size: int
    row: Any
    first: int = 0


Node = Any  # a Leaf or a Cell, a list of nodes, a Ram, or a dict of members
Places = Sequence[tuple[Word, Node]]  # the nodes that something may be, and when it is


@dataclass(frozen=True)
class Fault:
    """What C leaves undefined, and the bit that says that it happens."""

    where: str  # file and line
    what: str
    bit: Word


def leaves(node: Node) -> Iterator[Leaf]:
    """All numbers in it."""
    if isinstance(node, Leaf | Cell):
        yield node
    elif not isinstance(node, Ram):
        for each in node.values() if isinstance(node, dict) else node:
            yield from leaves(each)


def row(node: Node, index: Word) -> Node:
    """A row of a memory, made of its columns."""
    if isinstance(node, Column):
        node.rows = max(node.rows, index.width)
        return Cell(node, index)
    if isinstance(node, dict):
        return {name: row(each, index) for name, each in node.items()}
    return [row(each, index) for each in node]


INT = 32
BOOL, INT32, U32, U64 = Type(1), Type(INT, signed=True), Type(INT), Type(64)
TYPES: Mapping[tuple[str, ...], Type] = {
    ("_Bool",): BOOL,
    ("unsigned", "char"): Type(8),
    ("unsigned", "short"): Type(16),
    ("int",): INT32,
    ("unsigned", "int"): U32,
    ("unsigned",): U32,
    ("unsigned", "long"): U64,
}


def common_type(one: Type, other: Type) -> Type:
    """The type to which the operands of an operator are converted."""
    kinds = {INT32 if each.bits < INT else each for each in (one, other)}
    return U64 if U64 in kinds else U32 if U32 in kinds else INT32

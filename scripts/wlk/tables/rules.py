# SPDX-License-Identifier: Apache-2.0
"""Conditions of protocol rules: expressions of fields, by their paths without counts, of what the
rules remember, and of parameters. Values are unsigned. A condition of fields in an array is one for
each element, whose number is `element`."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..base.errors import Status, WlkError
from .expr import Expr, parsed, unreadable
from .fields import Field
from .files import need
from .read_params import check_parameters

ELEMENT = "element"
MEMBER = "in"  # is the number in the set?
SET_VERBS = ("add", "remove")  # what a change of a set does with a number, or with another set
TAKE, COUNT = "take", "count"  # what those of a value and of a count do
VERBS = (*SET_VERBS, TAKE, COUNT)
LOGIC = ("&&", "||", "!", ">", ">=", "<", "<=", "==", "!=", MEMBER)  # these give 0 or 1
_OPERATORS = {
    ast.And: "&&", ast.Or: "||", ast.Not: "!",
    ast.Add: "+", ast.Mult: "*", ast.FloorDiv: "/", ast.Mod: "%",
    ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


@dataclass(frozen=True)
class Memory:
    """What rules remember of earlier cycles: a value, a set of the numbers below `size`, or the
    number of cycles on end, up to `most`, in which a condition holds. `count`: of an array."""

    flat: str
    count: Expr | None
    size: Expr | None = None
    most: int = 0

    @property
    def keeps(self) -> bool:
        """Is it a value, which no reset clears?"""
        return self.size is None and not self.most

    @property
    def counts(self) -> bool:
        """Is it an array?"""
        return self.count is not None


@dataclass(frozen=True)
class Change:
    """What an edge does to a memory while a condition holds: one of VERBS, and with what."""

    when: "Operand"
    verb: str
    what: "Operand | None" = None

    def leaves(self) -> "Iterator[Leaf]":
        """What it reads."""
        yield from leaves(self.when)
        if self.what is not None:
            yield from leaves(self.what)


@dataclass(frozen=True)
class Term:
    """An operator, as SystemVerilog writes it, and its operands."""

    operator: str
    parts: "tuple[Operand, ...]"

    def leaves(self) -> "Iterator[Leaf]":
        """What it reads, from left to right."""
        for part in self.parts:
            yield from leaves(part)


@dataclass(frozen=True)
class Element:
    """The number of the element, of the first array that the condition reads."""


Leaf = Field | Expr | Element | Memory
Operand = Term | Leaf


def leaves(part: Operand) -> Iterator[Leaf]:
    """What an operand reads, from left to right."""
    if isinstance(part, Term):
        yield from part.leaves()
    else:
        yield part


class Reader:
    """Reads conditions of the fields, memories and parameters of a table."""

    def __init__(
        self, fields: Mapping[str, Field], memories: Mapping[str, Memory], params: set[str]
    ) -> None:
        self.named: dict[str, Field | Memory] = {**fields, **memories}
        self.params = params

    def condition(self, text: str, where: str) -> Term:
        """A condition; WlkError MODEL_ERROR when it cannot be read, or reads no port or memory."""
        found = self.when(text, where)
        if not isinstance(found, Term):
            raise WlkError(Status.MODEL_ERROR, f"{where}: '{text}' is no condition of fields")
        named = [part for part in found.leaves() if isinstance(part, Field | Memory)]
        if Element() in found.leaves() and not any(item.counts for item in named):
            raise WlkError(Status.MODEL_ERROR, f"{where}: '{text}' reads no array: no `element`")
        return found

    def when(self, text: str, where: str) -> Operand:
        """A condition of a change: also one port, and of the memory's own `element`."""
        found = self.operand(text, where)
        if not any(isinstance(part, Field | Memory) for part in leaves(found)):
            raise WlkError(Status.MODEL_ERROR, f"{where}: '{text}' is no condition of fields")
        return found

    def operand(self, text: str, where: str) -> Operand:
        """A condition, a value or a set."""
        if text in self.named:
            return self.named[text]
        found = self._read(parsed(text, where), where)
        for each in leaves(found):
            if isinstance(each, Field) and each.lanes is not None:
                message = f"{where}: {each.flat} has lanes; no rule may read it"
                raise WlkError(Status.MODEL_ERROR, message)
        return found

    def _read(self, node: ast.expr, where: str) -> Operand:
        path = ast.unparse(node)
        if path in self.named:
            return self._named(path, where)
        if path == ELEMENT:
            return Element()
        if not any(ast.unparse(part) in (ELEMENT, *self.named) for part in ast.walk(node)):
            expr = Expr(path, where)
            check_parameters(expr, self.params)
            return expr
        match node:
            case ast.BoolOp(op=operator, values=parts):
                pass
            case ast.UnaryOp(op=ast.Not() as operator, operand=part):
                parts = [part]
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[right]):
                found = Term(MEMBER, (self._read(left, where), self._set(right, where)))
                return found if isinstance(op, ast.In) else Term("!", (found,))
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
                parts = [left, right]
            case ast.Compare(left=left, ops=[operator], comparators=[right]) if (
                type(operator) in _OPERATORS
            ):
                parts = [left, right]
            case _:
                raise unreadable(
                    path, where, "of fields there are comparisons, +, *, //, %, and, or, not, in"
                )
        read = tuple(self._read(part, where) for part in parts)
        return Term(_OPERATORS[type(operator)], read)

    def _named(self, path: str, where: str) -> Field | Memory:
        found = self.named[path]
        if isinstance(found, Memory) and found.size is not None:
            text = f"{where}: {path} is a set; write VALUE in {path}"
            raise WlkError(Status.MODEL_ERROR, text)
        return found

    def _set(self, node: ast.expr, where: str) -> Memory:
        found = self.named.get(ast.unparse(node))
        if not isinstance(found, Memory) or found.size is None:
            text = f"{where}: '{ast.unparse(node)}' is no set; a row of `memory` with `size` is one"
            raise WlkError(Status.MODEL_ERROR, text)
        return found


def read_memory(raw: Mapping, where: str, params: set[str]) -> Memory:
    """A row of `memory` without what changes it."""
    kinds = {"value": ("when",), "size": ("change",), "count": ("most",)}
    kind = [each for each in kinds if each in raw]
    if len(kind) != 1:
        message = f"{where}: one of value (it keeps one), size (a set) and count is wanted"
        raise WlkError(Status.MODEL_ERROR, message)
    need(raw, where, "name", "doc", *kinds[kind[0]])
    name, bracket, count = raw["name"].partition("[")
    expr = Expr(count.rstrip("]"), where) if bracket else None
    size = Expr(raw["size"], where) if "size" in raw else None
    for each in filter(None, (expr, size)):
        check_parameters(each, params)
    return Memory(name, expr, size, raw.get("most", 0))


def read_changes(raw: Mapping, where: str, reader: Reader) -> tuple[Change, ...]:
    """What changes the memory of a row, in the row's order."""
    if "value" in raw:
        what = reader.operand(raw["value"], where)
        return (Change(reader.when(raw["when"], where), TAKE, what),)
    if "count" in raw:
        found = reader.when(raw["count"], where)
        arrays = [each.flat for each in leaves(found) if isinstance(each, Field) and each.counts]
        if arrays and "[" not in raw["name"]:
            message = f"{where}: {arrays[0]} is an array; write NAME[COUNT] to count for each"
            raise WlkError(Status.MODEL_ERROR, message)
        return (Change(found, COUNT),)
    found = []
    for each in raw["change"]:
        need(each, f"{where}: change", "when")
        verbs = [verb for verb in SET_VERBS if verb in each]
        if len(verbs) != 1:
            raise WlkError(Status.MODEL_ERROR, f"{where}: change: write add = or remove =")
        what = reader.operand(each[verbs[0]], where)
        found.append(Change(reader.when(each["when"], where), verbs[0], what))
    return tuple(found)

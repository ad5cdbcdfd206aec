# SPDX-License-Identifier: Apache-2.0
"""Conditions of protocol rules: expressions of fields, by their paths without counts, and of
parameters. Values are unsigned. A condition of fields in an array is one for each element, whose
number is `element`."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..base.errors import Status, WlkError
from .expr import Expr, parsed, unreadable
from .fields import Field
from .read_params import check_parameters

ELEMENT = "element"
_OPERATORS = {
    ast.And: "&&", ast.Or: "||", ast.Not: "!",
    ast.Add: "+", ast.Mult: "*", ast.FloorDiv: "/", ast.Mod: "%",
    ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


@dataclass(frozen=True)
class Term:
    """An operator, as SystemVerilog writes it, and its operands."""

    operator: str
    parts: "tuple[Operand, ...]"

    def leaves(self) -> "Iterator[Field | Expr | Element]":
        """What it reads, from left to right."""
        for part in self.parts:
            if isinstance(part, Term):
                yield from part.leaves()
            else:
                yield part

    def fields(self) -> Iterator[Field]:
        """Every field that it reads."""
        return (part for part in self.leaves() if isinstance(part, Field))


@dataclass(frozen=True)
class Element:
    """The number of the element, of the first array that the condition reads."""


Operand = Term | Field | Expr | Element


def read_condition(text: str, where: str, fields: Mapping[str, Field], params: set[str]) -> Term:
    """A condition; WlkError MODEL_ERROR when it cannot be read, or reads no field."""
    found = _read(parsed(text, where), where, fields, params)
    if not isinstance(found, Term) or not any(found.fields()):
        raise WlkError(Status.MODEL_ERROR, f"{where}: '{text}' is no condition of fields")
    if lanes := [f.flat for f in found.fields() if f.lanes is not None]:
        raise WlkError(Status.MODEL_ERROR, f"{where}: {lanes[0]} has lanes; no rule may read it")
    if Element() in found.leaves() and not any(item.counts for item in found.fields()):
        raise WlkError(Status.MODEL_ERROR, f"{where}: '{text}' reads no array: no `element`")
    return found


def _read(node: ast.expr, where: str, fields: Mapping[str, Field], params: set[str]) -> Operand:
    path = ast.unparse(node)
    if path in fields:
        return fields[path]
    if path == ELEMENT:
        return Element()
    if not any(ast.unparse(part) in (ELEMENT, *fields) for part in ast.walk(node)):
        expr = Expr(path, where)
        check_parameters(expr, params)
        return expr
    match node:
        case ast.BoolOp(op=operator, values=parts):
            pass
        case ast.UnaryOp(op=ast.Not() as operator, operand=part):
            parts = [part]
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
            parts = [left, right]
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if (
            type(operator) in _OPERATORS
        ):
            parts = [left, right]
        case _:
            raise unreadable(
                path, where, "of fields there are comparisons, +, *, //, %, and, or, not"
            )
    read = tuple(_read(part, where, fields, params) for part in parts)
    return Term(_OPERATORS[type(operator)], read)

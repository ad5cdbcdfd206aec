# SPDX-License-Identifier: Apache-2.0
"""Which values an index can have, as far as its expression shows, and whether it may be beyond what
it selects from."""

from __future__ import annotations

from typing import Any

from pyslang import ast

from . import elaborated

Kind = ast.ExpressionKind
Span = tuple[int, int]
ARITHMETIC = {
    ast.BinaryOperator.Add: lambda a, b: (a[0] + b[0], a[1] + b[1]),
    ast.BinaryOperator.Subtract: lambda a, b: (a[0] - b[1], a[1] - b[0]),
}
LOOPS = ("ForLoopStatement", "ForeachLoopStatement", "LoopGenerate")


def is_beyond(select: Any) -> bool:
    """May an element or a part that is selected not be there? No, where a loop counts the index."""
    kind = select.value.type.canonicalType
    bounds = getattr(kind, "range", None)
    is_simple = getattr(select, "selectionKind", None) == ast.RangeSelectionKind.Simple
    if bounds is None or is_simple:
        return False
    index = select.selector if select.kind == Kind.ElementSelect else select.left
    try:
        low, high = of(index)
    except LookupError:
        return False
    if select.kind == Kind.RangeSelect:
        more = of(select.right)[0] - 1
        is_up = select.selectionKind == ast.RangeSelectionKind.IndexedUp
        low, high = (low, high + more) if is_up else (low - more, high)
    ends = sorted((bounds.left, bounds.right))
    return low < ends[0] or high > ends[1]


def of(expr: Any) -> Span:
    """The least and the largest value; LookupError where a loop counts it."""
    constant = elaborated.number_of(expr.constant) if expr.constant is not None else None
    if constant is not None:
        whole = _whole(expr.type)
        value = constant[0]
        value -= 1 << int(expr.type.bitWidth) if value > whole[1] else 0
        return value, value
    if expr.kind == Kind.NamedValue and _is_counted(expr.symbol):
        raise LookupError
    if expr.kind == Kind.Conversion and expr.operand.type.isIntegral:
        return _within(expr.type, of(expr.operand))
    if expr.kind == Kind.BinaryOp and expr.op in ARITHMETIC:
        return _within(expr.type, ARITHMETIC[expr.op](of(expr.left), of(expr.right)))
    return _whole(expr.type)


def _whole(kind: Any) -> Span:
    width = int(kind.bitWidth)
    return (-1 << width - 1, (1 << width - 1) - 1) if kind.isSigned else (0, (1 << width) - 1)


def _within(kind: Any, span: Span) -> Span:
    """The span, or all values where some of it do not fit."""
    whole = _whole(kind)
    return span if whole[0] <= span[0] and span[1] <= whole[1] else whole


def _is_counted(symbol: Any) -> bool:
    node = getattr(symbol, "syntax", None)
    while node is not None and node.kind.name != "ModuleDeclaration":
        if node.kind.name in LOOPS:
            return True
        node = node.parent
    return False

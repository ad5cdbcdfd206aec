# SPDX-License-Identifier: Apache-2.0
"""Operators of C on words of logic: integers are promoted and converted as C does it.

What C leaves undefined is collected as `Fault`s: bits that must never be 1.
"""

import operator
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from pycparser import c_ast as ast

from ..base.errors import Status, WlkError
from .values import BOOL, INT, INT32, U32, U64, Fault, Type, Value, common_type
from .words import FALSE, TRUE, Logic, Word, constant

ARITHMETIC: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul,
    "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip
COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt,
    ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip
DIVISIONS: Mapping[str, Callable[[int, int], int]] = {
    "/": lambda a, b: a // b if b else 0, "%": lambda a, b: a % b if b else 0,
}  # fmt: skip


class Arithmetic:
    """`path`: what is run, is run where it is 1."""

    def __init__(self) -> None:
        self.logic, self.path = Logic(), TRUE
        self.faults: list[Fault] = []

    def error(self, node: ast.Node | None, what: str) -> WlkError:
        """BUILD_FAIL: it is not in the subset."""
        message = f"{where(node)}: {what}; model C is what docs/model-c.md lists"
        return WlkError(Status.BUILD_FAIL, message)

    def fault(self, node: ast.Node, what: str, bit: Word) -> None:
        happens = self.logic.both(self.path, bit)
        if happens != FALSE:
            self.faults.append(Fault(where(node), what, happens))

    def operate(self, node: ast.Node, op: str, one: Value, other: Value) -> Value:
        logic = self.logic
        if op in ("<<", ">>"):
            return self._shifted(node, op, self.promoted(one), self.promoted(other))
        a, b, kind = self.balanced(one, other)
        negative = kind.signed and INT in (a.width, b.width)  # may be
        if op in COMPARISONS:
            signed = kind.bits if negative else 0
            return Value(logic.compare(op, a, b, COMPARISONS[op], signed), INT32)
        if op in DIVISIONS:
            self.fault(node, "a division by 0", logic.no(logic.true(b)))
            if negative:
                raise self.error(node, "a division of what may be negative; make it unsigned")
            width = max(a.width, b.width)
            found = logic.compute(op, a, b, width, DIVISIONS[op])
            return Value(logic.fit(found, _quotient(op, a, b)), kind)
        if op in "&|^":
            width = min(a.width, b.width) if op == "&" else max(a.width, b.width)
            return Value(logic.compute(op, a, b, width, ARITHMETIC[op]), kind)
        if op not in ARITHMETIC:
            raise self.error(node, f"{op} is no operator of model C")
        return self.add_up(node, op, a, b, kind)

    def add_up(self, node: ast.Node, op: str, a: Word, b: Word, kind: Type) -> Value:
        """+, - and *: of so many bits as the result can have."""
        logic, width = self.logic, kind.bits
        if op == "+":
            width = min(width, max(a.width, b.width) + 1)
        elif op == "*":
            width = min(width, a.width + b.width)
        found = logic.compute(op, a, b, width, ARITHMETIC[op])
        if kind.signed and (INT in (a.width, b.width) or (op != "-" and width == INT)):
            self.fault(node, f"an int overflows in {op}", self._overflow(op, a, b))
        return Value(found, kind)

    def _overflow(self, op: str, a: Word, b: Word) -> Word:
        """Does a signed result differ from that of twice the bits?"""
        logic, wide = self.logic, 2 * INT
        long = [logic.join([(INT, x), *[(1, self._bit(x, INT - 1))] * INT]) for x in (a, b)]
        exact = logic.compute(op, *long, wide, ARITHMETIC[op])
        high = logic.shift(exact, False, constant(INT - 1), wide)
        ones = constant((1 << INT + 1) - 1)
        same = logic.either(logic.no(logic.true(high)), logic.equal(high, ones))
        return logic.no(same)

    def _bit(self, word: Word, number: int) -> Word:
        return self.logic.fit(self.logic.shift(word, False, constant(number), INT), 1)

    def _shifted(self, node: ast.Node, op: str, one: Value, other: Value) -> Value:
        logic, bits = self.logic, one.type.bits
        over = logic.compare(">=", other.word, constant(bits), operator.ge)
        self.fault(node, f"a shift by {bits} or more", over)
        found = logic.shift(one.word, op == "<<", other.word, bits)
        if one.type.signed:
            self.fault(node, "a shift of what may be negative", self._bit(one.word, INT - 1))
            if op == "<<":
                wide = logic.shift(one.word, True, other.word, 2 * bits)
                lost = logic.shift(wide, False, constant(bits - 1), 2 * bits)
                self.fault(node, "an int overflows in <<", logic.true(lost))
        return Value(found, one.type)

    # -- conversions -----------------------------------------------------------------------

    def promoted(self, value: Value) -> Value:
        return Value(value.word, INT32) if value.type.bits < INT else value

    def balanced(self, one: Value, other: Value) -> tuple[Word, Word, Type]:
        """Two operands, converted to one type."""
        kind = common_type(one.type, other.type)
        one, other = self.promoted(one), self.promoted(other)
        return self.converted(one, kind), self.converted(other, kind), kind

    def converted(self, value: Value, kind: Type) -> Word:
        if kind == BOOL:
            return self.logic.true(value.word)
        if value.type.signed and kind.bits > INT and value.word.width == INT:
            sign = self._bit(value.word, INT - 1)
            return self.logic.join([(INT, value.word), *[(1, sign)] * (kind.bits - INT)])
        return self.logic.fit(value.word, kind.bits)


def where(node: ast.Node | None) -> str:
    """File and line of a node."""
    coord = node.coord if node is not None else None
    return f"{Path(coord.file)}:{coord.line}" if coord is not None else "the model"


def _quotient(op: str, a: Word, b: Word) -> int:
    """Bits of a quotient or a rest."""
    if op == "/":
        return a.width
    return min(a.width, b.width if b.value is None else max(1, (b.value - 1).bit_length()))


def literal(node: ast.Constant) -> Value | None:
    """The number that a constant is; None where it is none, or of a type that model C lacks."""
    if node.type == "char" or "string" in node.type or "float" in node.type:
        return None
    digits = node.value.rstrip("uUlL")
    suffix = node.value[len(digits) :].lower()
    value = int(digits, 8 if digits.startswith("0") and digits.isdigit() else 0)
    if "u" in suffix:
        kind = U64 if "l" in suffix or value >> INT else U32
    elif not suffix and value >> INT - 1 == 0:
        kind = INT32
    elif not suffix and digits.lower().startswith("0x") and value >> INT == 0:
        kind = U32
    else:
        return None
    return Value(constant(value), kind)


def _count_zeros(lowest: bool, self: Arithmetic, node: ast.Node, value: Value) -> Value:
    """__builtin_ctz and __builtin_clz of 32 bits, ctzl and clzl of 64."""
    bits = 64 if node.name.name.endswith("l") else INT
    word, logic = self.converted(value, Type(bits)), self.logic
    self.fault(node, f"{node.name.name}() of 0", logic.no(logic.true(word)))
    found = FALSE
    order = range(word.width)
    for number in reversed(order) if lowest else order:
        bit = logic.fit(logic.shift(word, False, constant(number), bits), 1)
        found = logic.choose(bit, constant(number if lowest else bits - 1 - number), found)
    return Value(found, INT32)


def _count_ones(self: Arithmetic, node: ast.Node, value: Value) -> Value:
    bits = 64 if node.name.name.endswith("l") else INT
    word, total = self.converted(value, Type(bits)), FALSE
    for number in range(word.width):
        bit = self.logic.fit(self.logic.shift(word, False, constant(number), bits), 1)
        total = self.add_up(node, "+", total, bit, U32).word
    return Value(total, INT32)


BUILTINS: Mapping[str, Callable[[Arithmetic, ast.Node, Value], Value]] = {
    **{f"__builtin_ctz{x}": partial(_count_zeros, True) for x in ("", "l", "ll")},
    **{f"__builtin_clz{x}": partial(_count_zeros, False) for x in ("", "l", "ll")},
    **{f"__builtin_popcount{x}": _count_ones for x in ("", "l", "ll")},
}

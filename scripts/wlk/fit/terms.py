# SPDX-License-Identifier: Apache-2.0
"""Expressions of RTL with values that may be unknown: what one is worth, and the bits of signals
that it hangs on there.

A value is a number of all bits of a signal, arrays and structs laid flat, or None. `need` passes
the bits that a part of the result hangs on: of `a && b` that is 0 because of `a`, those of `a`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Value = int | None
Want = Callable[[Any, int], None]  # a signal, and which of its bits


class At(Protocol):
    """A moment of a simulation."""

    def read(self, signal: Any) -> Value: ...


def ones(width: int) -> int:
    """A mask of so many bits."""
    return (1 << width) - 1


def signed(value: int, width: int) -> int:
    """The number that these bits are in two's complement."""
    return value - (1 << width) if width and value >> (width - 1) else value


class Term:
    """An expression of `width` bits."""

    width: int

    def value(self, at: At) -> Value:
        raise NotImplementedError

    def need(self, at: At, mask: int, want: Want) -> None:
        raise NotImplementedError

    def whole(self, at: At, want: Want) -> None:
        """Need all of it."""
        self.need(at, ones(self.width), want)

    def truth(self, at: At, want: Want) -> None:
        """Need what makes it true or false."""
        self.need(at, self.value(at) or ones(self.width), want)


@dataclass(slots=True)
class Other(Term):
    """What has no value here; it hangs on all of its parts."""

    width: int
    parts: Sequence[Term] = ()

    def value(self, at: At) -> Value:
        return None

    def need(self, at: At, mask: int, want: Want) -> None:
        for part in self.parts:
            part.whole(at, want)


@dataclass(slots=True)
class Number(Term):
    """A constant; None: of an unknown value."""

    width: int
    number: Value

    def value(self, at: At) -> Value:
        return self.number

    def need(self, at: At, mask: int, want: Want) -> None:
        pass


@dataclass(slots=True)
class Signal(Term):
    """All of a signal."""

    width: int
    signal: Any

    def value(self, at: At) -> Value:
        return at.read(self.signal)

    def need(self, at: At, mask: int, want: Want) -> None:
        want(self.signal, mask)


@dataclass(slots=True)
class Part(Term):
    """Bits of an expression from `scale * index + base` on."""

    width: int
    of: Term
    index: Term
    scale: int
    base: int
    is_signed: bool = False  # the index

    def offset(self, at: At) -> Value:
        index = self.index.value(at)
        if index is None:
            return None
        index = signed(index, self.index.width) if self.is_signed else index
        return self.scale * index + self.base

    def value(self, at: At) -> Value:
        offset, value = self.offset(at), self.of.value(at)
        if offset is None or value is None:
            return None
        moved = value >> offset if offset >= 0 else value << -offset
        return moved & ones(self.width)

    def need(self, at: At, mask: int, want: Want) -> None:
        offset = self.offset(at)
        moved = ones(self.of.width) if offset is None else _shift(mask, offset)
        if moved & ones(self.of.width):
            self.of.need(at, moved & ones(self.of.width), want)
        self.index.whole(at, want)


def _shift(mask: int, by: int) -> int:
    return mask << by if by >= 0 else mask >> -by


@dataclass(slots=True)
class Joined(Term):
    """A concatenation, the lowest part first."""

    width: int
    parts: Sequence[Term]

    def value(self, at: At) -> Value:
        total = place = 0
        for part in self.parts:
            value = part.value(at)
            if value is None:
                return None
            total |= value << place
            place += part.width
        return total

    def need(self, at: At, mask: int, want: Want) -> None:
        place = 0
        for part in self.parts:
            if bits := mask >> place & ones(part.width):
                part.need(at, bits, want)
            place += part.width


@dataclass(slots=True)
class Resized(Term):
    """Cut, or extended by zeros or by the sign."""

    width: int
    of: Term
    is_signed: bool

    def value(self, at: At) -> Value:
        value = self.of.value(at)
        if value is not None and self.is_signed:
            value = signed(value, self.of.width)
        return None if value is None else value & ones(self.width)

    def need(self, at: At, mask: int, want: Want) -> None:
        bits = mask & ones(self.of.width)
        if self.is_signed and mask >> self.of.width:
            bits |= 1 << (self.of.width - 1)
        if bits:
            self.of.need(at, bits, want)


@dataclass(slots=True)
class Choice(Term):
    """condition ? yes : no."""

    width: int
    condition: Term
    yes: Term
    no: Term

    def value(self, at: At) -> Value:
        condition = self.condition.value(at)
        if condition is None:
            yes, no = self.yes.value(at), self.no.value(at)
            return yes if yes == no else None
        return (self.yes if condition else self.no).value(at)

    def need(self, at: At, mask: int, want: Want) -> None:
        condition = self.condition.value(at)
        self.condition.truth(at, want)
        if condition is None or condition:
            self.yes.need(at, mask, want)
        if not condition:
            self.no.need(at, mask, want)


@dataclass(slots=True)
class Unary(Term):
    """An operation on one side; `op` as slang names it."""

    width: int
    of: Term
    op: str

    def value(self, at: At) -> Value:
        value = self.of.value(at)
        if value is None:
            return None
        full = ones(self.of.width)
        if self.op in REDUCTIONS:
            return int(REDUCTIONS[self.op](value, full))
        return {"BitwiseNot": ~value, "Minus": -value}.get(self.op, value) & ones(self.width)

    def need(self, at: At, mask: int, want: Want) -> None:
        if self.op in ("Plus", "BitwiseNot"):
            self.of.need(at, mask, want)
        elif self.op == "Minus":
            self.of.need(at, ones(mask.bit_length()), want)
        elif self.op in ("BitwiseAnd", "BitwiseNand"):
            value, full = self.of.value(at), ones(self.of.width)
            self.of.need(at, full if value is None else full & ~value or full, want)
        elif self.op in ("BitwiseOr", "BitwiseNor", "LogicalNot"):
            self.of.truth(at, want)
        else:
            self.of.whole(at, want)


REDUCTIONS: dict[str, Callable[[int, int], object]] = {
    "BitwiseAnd": lambda v, full: v == full,
    "BitwiseNand": lambda v, full: v != full,
    "BitwiseOr": lambda v, _: v != 0,
    "BitwiseNor": lambda v, _: v == 0,
    "LogicalNot": lambda v, _: v == 0,
    "BitwiseXor": lambda v, _: v.bit_count() & 1,
    "BitwiseXnor": lambda v, _: not v.bit_count() & 1,
}


@dataclass(slots=True)
class Binary(Term):
    """An operation on two sides; `op` as slang names it."""

    width: int
    left: Term
    right: Term
    op: str
    is_signed: bool = False

    def value(self, at: At) -> Value:
        left, right = self.left.value(at), self.right.value(at)
        if left is None or right is None:
            return self._known(left, right)
        if self.is_signed:
            left = signed(left, self.left.width)
            if self.op not in SHIFTS:
                right = signed(right, self.right.width)
        found = ARITHMETIC.get(self.op, _none)(left, right)
        return None if found is None else int(found) & ones(self.width)

    def _known(self, left: Value, right: Value) -> Value:
        """Where one side alone decides."""
        known = right if left is None else left
        if self.op in ("LogicalAnd", "BinaryAnd") and known == 0:
            return 0
        return 1 if self.op == "LogicalOr" and known else None

    def need(self, at: At, mask: int, want: Want) -> None:
        left, right = self.left.value(at), self.right.value(at)
        if self.op in ("LogicalAnd", "LogicalOr"):
            decides = bool if self.op == "LogicalOr" else _is_zero
            sides = [self.left, self.right]
            if left is not None and right is not None and decides(left) != decides(right):
                sides = [self.left if decides(left) else self.right]
            for side in sides:
                side.truth(at, want)
        elif self.op in ("BinaryAnd", "BinaryOr"):
            full = ones(self.width)
            passes = (lambda v: v) if self.op == "BinaryAnd" else (lambda v: full & ~v)
            one = full if left is None else passes(left)
            two = full if right is None else passes(right)
            neither = mask & ~one & ~two
            for side, other in ((self.left, two), (self.right, one)):
                if bits := mask & other | neither:
                    side.need(at, bits, want)
        elif self.op in ("BinaryXor", "BinaryXnor"):
            self.left.need(at, mask, want)
            self.right.need(at, mask, want)
        elif self.op in SHIFTS:
            self._shifted(at, mask, right, want)
        else:
            bits = ones(mask.bit_length()) if self.op in LOW_FIRST else None
            for side in (self.left, self.right):
                side.need(at, ones(side.width) if bits is None else bits, want)

    def _shifted(self, at: At, mask: int, by: Value, want: Want) -> None:
        full = ones(self.left.width)
        if by is None:
            bits = full
        elif self.op in ("LogicalShiftLeft", "ArithmeticShiftLeft"):
            bits = mask >> min(by, self.width)
        else:
            bits = mask << min(by, self.width) & full
            if self.is_signed:
                bits |= 1 << (self.left.width - 1)
        if bits:
            self.left.need(at, bits, want)
        self.right.whole(at, want)


def _none(*_: int) -> None:
    return None


def _is_zero(value: int) -> bool:
    return value == 0


SHIFTS = ("LogicalShiftLeft", "LogicalShiftRight", "ArithmeticShiftLeft", "ArithmeticShiftRight")
LOW_FIRST = ("Add", "Subtract", "Multiply")
MOST_SHIFT = 1 << 20


def _left(a: int, b: int) -> Value:
    return a << b if b < MOST_SHIFT else 0


def _divided(a: int, b: int) -> Value:
    return None if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _rest(a: int, b: int) -> Value:
    return None if b == 0 else abs(a) % abs(b) * (-1 if a < 0 else 1)


ARITHMETIC: dict[str, Callable[[int, int], Any]] = {
    "Add": lambda a, b: a + b,
    "Subtract": lambda a, b: a - b,
    "Multiply": lambda a, b: a * b,
    "Divide": _divided,
    "Mod": _rest,
    "Power": lambda a, b: a**b if 0 <= b < 64 else None,
    "BinaryAnd": lambda a, b: a & b,
    "BinaryOr": lambda a, b: a | b,
    "BinaryXor": lambda a, b: a ^ b,
    "BinaryXnor": lambda a, b: ~(a ^ b),
    "Equality": lambda a, b: a == b,
    "CaseEquality": lambda a, b: a == b,
    "Inequality": lambda a, b: a != b,
    "CaseInequality": lambda a, b: a != b,
    "GreaterThan": lambda a, b: a > b,
    "GreaterThanEqual": lambda a, b: a >= b,
    "LessThan": lambda a, b: a < b,
    "LessThanEqual": lambda a, b: a <= b,
    "LogicalAnd": lambda a, b: a and b and 1,
    "LogicalOr": lambda a, b: bool(a or b),
    "LogicalImplication": lambda a, b: not a or bool(b),
    "LogicalEquivalence": lambda a, b: bool(a) == bool(b),
    "LogicalShiftLeft": _left,
    "ArithmeticShiftLeft": _left,
    "LogicalShiftRight": lambda a, b: a >> min(b, MOST_SHIFT),
    "ArithmeticShiftRight": lambda a, b: a >> min(b, MOST_SHIFT),
}


@dataclass(slots=True)
class Matches(Term):
    """Is a value one of a set: patterns with a mask of the bits that count, or ranges."""

    width: int
    of: Term
    patterns: Sequence[tuple[Term, int]]  # an expression, and which bits are compared
    ranges: Sequence[tuple[Term, Term]] = ()

    def value(self, at: At) -> Value:
        value = self.of.value(at)
        if value is None:
            return None
        unknown = False
        for pattern, mask in self.patterns:
            other = pattern.value(at)
            unknown |= other is None
            if other is not None and (value ^ other) & mask == 0:
                return 1
        for low, high in self.ranges:
            ends = low.value(at), high.value(at)
            unknown |= None in ends
            if None not in ends and ends[0] <= value <= ends[1]:
                return 1
        return None if unknown else 0

    def need(self, at: At, mask: int, want: Want) -> None:
        self.of.whole(at, want)
        for pattern, _ in self.patterns:
            pattern.whole(at, want)
        for low, high in self.ranges:
            low.whole(at, want)
            high.whole(at, want)


def is_plain(term: Term) -> bool:
    """It passes bits on and decides nothing; a number does."""
    if isinstance(term, Joined):
        return all(isinstance(part, Number) or is_plain(part) for part in term.parts)
    if isinstance(term, Part):
        return isinstance(term.index, Number) and is_plain(term.of)
    return is_plain(term.of) if isinstance(term, Resized) else isinstance(term, Signal)

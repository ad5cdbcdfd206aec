# SPDX-License-Identifier: Apache-2.0
"""Words of logic: constants, and wires of a Verilog module that is written as they are made.

A word has as many bits as may be 1, at least one; the bits above are 0. What is constant is
computed here, and what is equal is one wire.
"""

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Word:
    """`width` bits [bits]; its value, or the name of its wire; and the bits that may be 1, where
    these are not all."""

    width: int
    value: int | None
    name: str = ""
    some: int | None = None

    @property
    def ones(self) -> int:
        """The bits that may be 1."""
        if self.value is not None:
            return self.value
        return ones(self.width) if self.some is None else self.some

    @property
    def text(self) -> str:
        """As Verilog."""
        return self.name if self.value is None else f"{self.width}'h{self.value:x}"


def ones(width: int) -> int:
    """So many bits, each 1."""
    return (1 << width) - 1


def variable(name: str, bits: int) -> Word:
    """What a wire or a register holds of which these bits may be 1."""
    width = bits.bit_length()
    return Word(width, None, name, None if bits == ones(width) else bits) if bits else FALSE


def constant(value: int) -> Word:
    """A number, 0 or more."""
    return Word(max(1, value.bit_length()), value)


FALSE, TRUE = constant(0), constant(1)


BITWISE = {"&": operator.and_, "|": operator.or_, "^": operator.or_}  # bits that may be 1


class Logic:
    """The wires of a module. Their names are no port's: they begin with `wlk_`."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._known: dict[tuple[str, int], Word] = {}
        self._opposite: dict[Word, Word] = {}

    def wire(self, width: int, expression: str, bits: int | None = None) -> Word:
        """The wire that has this value, of which these bits may be 1."""
        if bits == 0:
            return FALSE
        key = expression, width
        if key not in self._known:
            name = f"wlk_w{len(self._known)}"
            self.lines.append(f"  wire [{width - 1}:0] {name} = {expression};")
            self._known[key] = Word(width, None, name, None if bits == ones(width) else bits)
        return self._part(self._known[key], 0, width)

    def _part(self, word: Word, lsb: int, width: int) -> Word:
        """Bits of a wire, of which the highest may be 1."""
        bits = word.ones >> lsb & ones(width)
        width = bits.bit_length()
        whole = lsb == 0 and width == word.width
        return word if whole else self.wire(width, f"{word.name}[{lsb + width - 1}:{lsb}]", bits)

    def fit(self, word: Word, width: int) -> Word:
        """Its lowest bits, so many at most."""
        if word.width <= width:
            return word
        if word.value is not None:
            return constant(word.value & ones(width))
        return self._part(word, 0, width)

    def padded(self, word: Word, width: int) -> str:
        """Its text with exactly so many bits."""
        if word.value is not None:
            return f"{width}'h{word.value:x}"
        return word.name if word.width == width else f"{{{width - word.width}'h0, {word.name}}}"

    def true(self, word: Word) -> Word:
        """Is a bit of it 1?"""
        if word.value is not None:
            return constant(int(word.value != 0))
        return word if word.width == 1 else self.wire(1, f"|{word.name}")

    def no(self, bit: Word) -> Word:
        """The opposite of one bit."""
        if bit.value is not None:
            return constant(1 - bit.value)
        if bit not in self._opposite:
            made = self.wire(1, f"~{bit.name}")
            self._opposite |= {bit: made, made: bit}
        return self._opposite[bit]

    def both(self, one: Word, other: Word) -> Word:
        """The conjunction of two bits."""
        if FALSE in (one, other) or self._opposite.get(one) == other:
            return FALSE
        if one in (TRUE, other):
            return other
        return one if other == TRUE else self.wire(1, f"{one.name} & {other.name}")

    def either(self, one: Word, other: Word) -> Word:
        """The disjunction of two bits."""
        if TRUE in (one, other) or self._opposite.get(one) == other:
            return TRUE
        if one in (FALSE, other):
            return other
        return one if other == FALSE else self.wire(1, f"{one.name} | {other.name}")

    def any_of(self, bits: Iterable[Word]) -> Word:
        """The disjunction of many."""
        found = FALSE
        for bit in bits:
            found = self.either(found, bit)
        return found

    def choose(self, bit: Word, one: Word, other: Word) -> Word:
        """`one` where the bit is 1."""
        if bit.value is not None or one == other:
            return one if bit.value or one == other else other
        if other == FALSE and one.width == 1:
            return self.both(bit, one)
        if one == FALSE and other.width == 1:
            return self.both(self.no(bit), other)
        width = max(one.width, other.width)
        texts = (self.padded(one, width), self.padded(other, width))
        expression = f"{bit.name} ? {texts[0]} : {texts[1]}"
        return self.wire(width, expression, one.ones | other.ones)

    def equal(self, one: Word, other: Word) -> Word:
        """Are both the same number?"""
        if one == other:
            return TRUE
        return self.compare("==", one, other, lambda a, b: a == b)

    def compare(
        self, op: str, one: Word, other: Word, holds: Callable[[int, int], bool], signed: int = 0
    ) -> Word:
        """A bit; `signed`: how many bits a number has whose highest one is its sign."""
        if one.value is not None and other.value is not None:
            values = [x.value - (x.value >> signed - 1 << signed if signed else 0)
                      for x in (one, other)]  # fmt: skip
            return constant(int(holds(*values)))
        if op == "==" and any(x.value is not None and x.value & ~y.ones
                              for x, y in ((one, other), (other, one))):  # fmt: skip
            return FALSE
        if not signed:
            answers = {holds(a, b) for a, b in _extremes(op, one, other)}
            if len(answers) == 1:
                return constant(int(*answers))
        width = signed or max(one.width, other.width)
        texts = [self.padded(one, width), self.padded(other, width)]
        if signed:
            texts = [f"$signed({text})" for text in texts]
        return self.wire(1, f"{texts[0]} {op} {texts[1]}")

    def compute(
        self, op: str, one: Word, other: Word, width: int, result: Callable[[int, int], int]
    ) -> Word:
        """Arithmetic of so many bits."""
        if one.value is not None and other.value is not None:
            return constant(result(one.value, other.value) & ones(width))
        bits = ones(width)
        if op in BITWISE:
            bits &= BITWISE[op](one.ones, other.ones)
            width = bits.bit_length()
            if bits == 0:
                return FALSE
            if op == "&" and bits == one.ones & ones(width) and other.value is not None:
                return self.fit(one, width)
        texts = (
            self.padded(self.fit(one, width), width),
            self.padded(self.fit(other, width), width),
        )
        return self.wire(width, f"{texts[0]} {op} {texts[1]}", bits)

    def shift(self, word: Word, left: bool, by: Word, width: int) -> Word:
        """`word` of `width` bits, moved."""
        if by.value is not None:
            if by.value >= width or word.value == 0:
                return FALSE
            if word.value is not None:
                moved = word.value << by.value if left else word.value >> by.value
                return constant(moved & ones(width))
            if by.value == 0:
                return word
            if left:
                kept = self.fit(word, width - by.value)
                moved = f"{{{kept.name}, {by.value}'h0}}"
                return self.wire(kept.width + by.value, moved, kept.ones << by.value)
            return self._part(word, by.value, max(word.width - by.value, 0))
        if not left:
            return self.wire(word.width, f"{word.text} >> {by.name}")
        return self.wire(width, f"{self.padded(word, width)} << {by.name}")

    def inverse(self, word: Word, width: int) -> Word:
        """All bits the other way round."""
        if word.value is not None:
            return constant(~word.value & ones(width))
        return self.wire(width, f"~{self.padded(word, width)}")

    def join(self, parts: Iterable[tuple[int, Word]]) -> Word:
        """Words one above the other, the lowest first, each of so many bits."""
        bits, at, texts, is_constant = 0, 0, list[str](), True
        for width, word in parts:
            part = self.fit(word, width)
            bits |= part.ones << at
            at += width
            texts.insert(0, self.padded(part, width))
            is_constant = is_constant and part.value is not None
        if is_constant:
            return constant(bits)
        return self.wire(at, "{" + ", ".join(texts) + "}", bits)


def _extremes(op: str, one: Word, other: Word) -> list[tuple[int, int]]:
    """Pairs of values; where a comparison says the same of them, it does of all values."""
    (a, b), (c, d) = ((0, x.ones) if x.value is None else (x.value, x.value) for x in (one, other))
    if op in ("==", "!=") and a <= d and c <= b:
        return [(0, 0), (0, 1)]  # they may be equal or not
    return [(a, d), (b, c)]

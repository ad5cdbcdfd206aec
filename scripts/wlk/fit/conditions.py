# SPDX-License-Identifier: Apache-2.0
"""Conditions over the ports of a block in one cycle, as SystemVerilog writes them.

Values are unsigned and of at most 64 bits. Format: docs/waivers.md. What is made of a condition are
the words that `wlk_checker_waive` takes, operators behind their operands.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..base.errors import Status, WlkError, nearest

# From what binds least to what binds most; `and`, `or`, `not` stand for the first two and `!`.
LEVELS = (("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="))
TRUTHS = {"||", "&&", "==", "!=", "<", "<=", ">", ">="}  # whose value is one bit
SPELLED = {"and": "&&", "or": "||", "not": "!"}
BASES = {"h": 16, "d": 10, "o": 8, "b": 2}
MOST = 64  # bits of a value
LONGEST = 9  # digits of a bit's number
# Each brings at most a value for each of LEVELS that waits; dpi/src/waivers.c has room for them.
DEEPEST = 32
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+'[hdob][\da-f_]+|0[xb][\da-f_]+|\d[\d_]*)"
    r"|(?P<name>[a-z_*][\w$*]*)|(?P<sign>\|\||&&|[=!<>]=|[<>!~&|^()\[\]:])|(?P<end>$))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Value:
    """A part of a condition: its words, and how many bits its value has."""

    words: tuple[str, ...]
    width: int
    number: int | None = None  # a constant


def compiled(
    text: str, where: str, ports: Mapping[str, int], filled: Sequence[str] = ()
) -> tuple[str, ...]:
    """The words of a condition; WlkError USAGE, behind `where`. `ports`: widths by name; `filled`:
    what stands in place of each `*` in a name."""
    return _Reader(text, where, ports, filled).whole()


class _Reader:
    def __init__(
        self, text: str, where: str, ports: Mapping[str, int], filled: Sequence[str]
    ) -> None:
        self.text, self.where, self.ports, self.filled = text, where, ports, filled
        self.tokens = list(self._split())
        self.at = self.inside = 0

    def whole(self) -> tuple[str, ...]:
        found = self._level(0)
        if self.token != "":
            raise self._error(f"'{self.token}' stands where an operator is wanted")
        names = {word.partition("@")[0] for word in found.words}
        if not names & self.ports.keys():
            raise self._error("it reads no port; leave `when` out to waive every cycle")
        return found.words

    def _error(self, why: str) -> WlkError:
        return WlkError(Status.USAGE, f"{self.where}: cannot read '{self.text:.400}': {why}")

    def _split(self) -> Iterator[str]:
        at = 0
        while found := _TOKEN.match(self.text, at):
            word = found[found.lastgroup]
            yield SPELLED.get(word, word)
            if found.lastgroup == "end":
                return
            at = found.end()
        signs = "! && || == != < <= > >= & | ^ ~ ( ) [ ]"
        raise self._error(
            f"'{self.text[at:].strip()[:1]}' is no part of a condition; there are {signs}"
        )

    @property
    def token(self) -> str:
        return self.tokens[self.at]

    def _take(self, *wanted: str) -> str:
        """The next token, one of those; '' when it is another."""
        found = self.token if self.token in wanted else ""
        self.at += bool(found)
        return found

    def _level(self, level: int) -> Value:
        if level == len(LEVELS):
            return self._unary()
        left = self._level(level + 1)
        while sign := self._take(*LEVELS[level]):
            right = self._level(level + 1)
            if sign in ("==", "!="):
                self._require_reach(left, right)
                self._require_reach(right, left)
            width = 1 if sign in TRUTHS else max(left.width, right.width)
            left = Value((*left.words, *right.words, sign), width)
        return left

    def _require_reach(self, one: Value, other: Value) -> None:
        """A constant that the other side never equals is a mistake."""
        if one.number is not None and other.number is None and one.number >> other.width:
            raise self._error(
                f"{one.number} does not fit in {other.width} bits, which it is compared to"
            )

    def _unary(self) -> Value:
        self.inside += 1
        if self.inside > DEEPEST:
            raise self._error(f"more than {DEEPEST} of ( ! ~ are open at a time; write it flat")
        found = self._operand()
        self.inside -= 1
        return found

    def _operand(self) -> Value:
        if self._take("!"):
            return Value((*self._unary().words, "!"), 1)
        if self._take("~"):
            inner = self._unary()
            return Value((*inner.words, f"~{inner.width}"), inner.width)
        if self._take("("):
            inner = self._level(0)
            self._expect(")")
            return inner
        word = self.token
        if word[:1].isdigit():
            self.at += 1
            return self._number(word)
        if re.match(r"[A-Za-z_*]", word):
            self.at += 1
            return self._port(word)
        raise self._error(f"a port, a number or ( is wanted {self._here()}")

    def _here(self) -> str:
        return f"before '{self.token}'" if self.token else "at its end"

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise self._error(f"'{sign}' is wanted {self._here()}")

    def _number(self, word: str) -> Value:
        size, quote, digits = word.replace("_", "").lower().partition("'")
        try:
            value = int(digits[1:], BASES[digits[0]]) if quote else _plain(size)
            width = int(size) if quote else max(1, value.bit_length())
        except ValueError as error:
            hint = "write 12, 0x1f, 0b101 or 5'h1f"
            raise self._error(f"'{word:.40}' is no number; {hint}") from error
        if not 1 <= width <= MOST or value >> width:
            raise self._error(f"'{word:.40}' does not fit in its {width} bits (of {MOST} at most)")
        return Value((f"{value:#x}",), width, value)

    def _port(self, word: str) -> Value:
        name = self._filled(word)
        if name not in self.ports:
            raise self._error(f"there is no port {name}{nearest(name, self.ports)}")
        width = self.ports[name]
        if not self._take("["):
            return Value((name,), width)
        high = low = self._index()
        if self._take(":"):
            low = self._index()
        self._expect("]")
        if not width > high >= low:
            raise self._error(f"{name}[{high}:{low}]: it has the bits {width - 1}:0")
        return Value((f"{name}@{low}:{high - low + 1}",), high - low + 1)

    def _filled(self, word: str) -> str:
        head, *rest = word.split("*")
        if len(rest) > len(self.filled):
            raise self._error(
                f"{word}: a * stands for what one in `port` matches; there are too many"
            )
        return head + "".join(a + b for a, b in zip(self.filled, rest, strict=False))

    def _index(self) -> int:
        if not self.token.isdecimal() or len(self.token) > LONGEST:
            raise self._error(f"'{self.token:.40}' is no number of a bit; write [7] or [7:4]")
        self.at += 1
        return int(self.tokens[self.at - 1])


def _plain(text: str) -> int:
    return int(text, 0) if text[:2] in ("0x", "0b") else int(text)

# SPDX-License-Identifier: Apache-2.0
"""Expressions of the parameters, and the functions they have."""

import ast
import itertools
import math
import re
import threading
from collections.abc import Callable, Mapping, Sequence

from ..base.errors import Status, WlkError

Config = dict[str, int]
# An expression of more combinations of values is looked at with the smallest and largest alone.
MAX_COMBINATIONS = 20000


def clog2(n: int) -> int:
    """ceil(log2 n); 0 for n <= 1."""
    return max(0, (n - 1).bit_length())


def idw(n: int) -> int:
    """Width of an index below n [bits]: at least 1."""
    return max(1, clog2(n))


def lane_step(width: int) -> int:
    """Bits from one lane of a payload to the next: no lane straddles a word."""
    return 1 << clog2(width)


FUNCTIONS: dict[str, Callable[..., int]] = {"clog2": clog2, "idw": idw, "min": min, "max": max}
_GLOBALS = {"__builtins__": {}} | FUNCTIONS
_OPERATORS = (
    *(ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod),
    *(ast.Gt, ast.GtE, ast.Lt, ast.LtE, ast.Eq, ast.NotEq),
)
_TOKEN = re.compile(r"\w+|//")
# CPython counts the depth of all trees under construction in one place: threads that parse at
# once can end in a SystemError.
_parsing = threading.Lock()
_IN_C = {"and": "&&", "or": "||", "//": "/"} | {name: f"wlk_{name}" for name in FUNCTIONS}


class Expr:
    """An integer expression of the parameters; evaluates in Python and prints as C.

    Its operators mean the same in both languages, and bind alike.
    """

    def __init__(self, text: str, where: str) -> None:
        self.text = str(text)
        self.where = where
        tree = parsed(self.text, where)
        try:
            self.names = frozenset(_names(tree))
        except ValueError as exc:
            raise unreadable(text, where, exc) from exc
        with _parsing:
            self._code = compile(ast.Expression(tree), where, "eval")

    def times(self, others: Sequence["Expr"]) -> "Expr":
        """The product with others."""
        parts = [f"({each.text})" for each in (self, *others)]
        return Expr(" * ".join(parts), self.where) if others else self

    def __call__(self, cfg: Config) -> int:
        return int(eval(self._code, _GLOBALS, cfg))

    def c(self) -> str:
        """The expression as C, with parameters as `cfg->name`."""

        def put(token: re.Match[str]) -> str:
            word = token[0]
            number = f"{int(word, 0)}u" if word[0].isdigit() else ""
            return _IN_C.get(word) or number or f"cfg->{word}"

        text = _TOKEN.sub(put, self.text)
        return text if _TOKEN.fullmatch(self.text) else f"({text})"


def most(expr: Expr, legal: Mapping[str, Sequence[int]]) -> int:
    """The largest value of an expression over the legal values of the parameters."""
    names = sorted(expr.names)
    values = [legal[name] for name in names]
    if math.prod(map(len, values)) > MAX_COMBINATIONS:
        values = [(min(each), max(each)) for each in values]
    return max(expr(dict(zip(names, each, strict=True))) for each in itertools.product(*values))


def parsed(text: str, where: str) -> ast.expr:
    """The tree of an expression; WlkError MODEL_ERROR."""
    try:
        with _parsing:
            return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError) as exc:
        raise unreadable(text, where, exc) from exc


def unreadable(text: str, where: str, why: object) -> WlkError:
    """The error of a text that is no expression."""
    message = f"{where}: cannot read the expression '{text}': {why}"
    return WlkError(Status.MODEL_ERROR, message)


def _names(node: ast.AST) -> set[str]:
    """The parameters in a part of an expression; ValueError when it has what is not allowed."""
    match node:
        case ast.Name(id=name):
            return {name}
        case ast.Constant(value=int()):
            parts = []
        case ast.BinOp(left=a, op=op, right=b) if isinstance(op, _OPERATORS):
            parts = [a, b]
        case ast.Compare(left=a, ops=[op], comparators=[b]) if isinstance(op, _OPERATORS):
            parts = [a, b]
        case ast.BoolOp(values=values):
            parts = values
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            parts = args
        case _:
            raise ValueError(f"'{ast.unparse(node)}' is not allowed")
    return set().union(*map(_names, parts))

# SPDX-License-Identifier: Apache-2.0
"""Expressions of the parameters, and the functions they have."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from ..base.errors import Status, WlkError

Config = dict[str, int]


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
_BINARY = {
    ast.Add: ("+", lambda a, b: a + b),
    ast.Sub: ("-", lambda a, b: a - b),
    ast.Mult: ("*", lambda a, b: a * b),
    ast.FloorDiv: ("/", lambda a, b: a // b),
    ast.Mod: ("%", lambda a, b: a % b),
}
_COMPARE = {
    ast.Gt: (">", lambda a, b: a > b),
    ast.GtE: (">=", lambda a, b: a >= b),
    ast.Lt: ("<", lambda a, b: a < b),
    ast.LtE: ("<=", lambda a, b: a <= b),
    ast.Eq: ("==", lambda a, b: a == b),
    ast.NotEq: ("!=", lambda a, b: a != b),
}


class Expr:
    """An integer expression of the parameters; evaluates in Python and prints as C."""

    def __init__(self, text: str, where: str) -> None:
        self.text = str(text)
        self.where = where
        try:
            self._node = ast.parse(self.text, mode="eval").body
            self.names = frozenset(self._walk(self._node))
        except (SyntaxError, ValueError) as exc:
            raise WlkError(
                Status.MODEL_ERROR, f"{where}: cannot read the expression '{text}': {exc}"
            ) from exc

    def _walk(self, node: ast.AST) -> Iterator[str]:
        match node:
            case ast.Name(id=name):
                yield name
            case ast.Constant(value=int()):
                pass
            case ast.BinOp(left=a, op=op, right=b) if type(op) in _BINARY:
                yield from self._walk(a)
                yield from self._walk(b)
            case ast.Compare(left=a, ops=[op], comparators=[b]) if type(op) in _COMPARE:
                yield from self._walk(a)
                yield from self._walk(b)
            case ast.BoolOp(values=values):
                for value in values:
                    yield from self._walk(value)
            case ast.Call(func=ast.Name(id=name), args=args) if name in FUNCTIONS:
                for arg in args:
                    yield from self._walk(arg)
            case _:
                raise ValueError(f"'{ast.unparse(node)}' is not allowed")

    def __call__(self, cfg: Config) -> int:
        return int(self._eval(self._node, cfg))

    def _eval(self, node: ast.AST, cfg: Config) -> int:
        match node:
            case ast.Name(id=name):
                return cfg[name]
            case ast.Constant(value=value):
                return value
            case ast.BinOp(left=a, op=op, right=b):
                return _BINARY[type(op)][1](self._eval(a, cfg), self._eval(b, cfg))
            case ast.Compare(left=a, ops=[op], comparators=[b]):
                return _COMPARE[type(op)][1](self._eval(a, cfg), self._eval(b, cfg))
            case ast.BoolOp(op=op, values=values):
                results = (bool(self._eval(v, cfg)) for v in values)
                return all(results) if isinstance(op, ast.And) else any(results)
            case ast.Call(func=ast.Name(id=name), args=args):
                return FUNCTIONS[name](*(self._eval(a, cfg) for a in args))
        raise AssertionError(ast.dump(node))

    def c(self, prefix: str = "cfg->") -> str:
        """The expression as C, with parameters as `<prefix><name>`."""
        return self._c(self._node, prefix)

    def _c(self, node: ast.AST, p: str) -> str:
        match node:
            case ast.Name(id=name):
                return p + name
            case ast.Constant(value=value):
                return f"{value}u"
            case ast.BinOp(left=a, op=op, right=b):
                return f"({self._c(a, p)} {_BINARY[type(op)][0]} {self._c(b, p)})"
            case ast.Compare(left=a, ops=[op], comparators=[b]):
                return f"({self._c(a, p)} {_COMPARE[type(op)][0]} {self._c(b, p)})"
            case ast.BoolOp(op=op, values=values):
                glue = " && " if isinstance(op, ast.And) else " || "
                return "(" + glue.join(self._c(v, p) for v in values) + ")"
            case ast.Call(func=ast.Name(id=name), args=args):
                return f"wlk_{name}(" + ", ".join(self._c(a, p) for a in args) + ")"
        raise AssertionError(ast.dump(node))

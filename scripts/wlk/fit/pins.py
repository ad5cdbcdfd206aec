# SPDX-License-Identifier: Apache-2.0
"""Which ports of a module are its clock and its reset, and how the reset works: by the sensitivity
lists of its registers, through the modules inside, by what is tested there first, and by names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyslang import ast

from ..base.errors import Status, WlkError
from . import rtl, shapes

CLOCK = re.compile(r"(?:^|_)a?(?:clk|clock|ck)(?:_?i|_in)?$|^clk\d*$", re.IGNORECASE)
RESET = re.compile(r"(?:^|_)[asn]{0,2}_?(?:reset|rst)(?:_?[nb])?(?:_?i|_in)?$", re.IGNORECASE)
LOW = re.compile(r"(?:_[nb]|t[nb])(?:_?i|_in)?$|(?:^|_)[as]?n_?(?:reset|rst)", re.IGNORECASE)
Symbol, Form = ast.SymbolKind, ast.ExpressionKind


@dataclass
class Use:
    """What a port does for registers."""

    is_clock: bool = False
    edges: set[bool] = field(default_factory=set)  # asynchronous resets: is it low?
    levels: set[bool] = field(default_factory=set)  # tested first at an edge: is it low?

    def add(self, other: Use, inverted: bool) -> None:
        """The same of a port inside that this one is connected to."""
        self.is_clock |= other.is_clock
        self.edges |= {low != inverted for low in other.edges}
        self.levels |= {low != inverted for low in other.levels}


@dataclass(frozen=True)
class Pins:
    """Clock and reset of a module, as ports."""

    clock: str | None = None
    reset: str | None = None
    is_low: bool = False
    is_async: bool = False
    other_clocks: tuple[str, ...] = ()  # that are inputs like others

    def is_plain(self) -> bool:
        """Is the reset what tables have, without a port map?"""
        return self.reset is None or not (self.is_low or self.is_async)


def find(
    module: rtl.Module,
    clock: str | None = None,
    reset: tuple[str, str | None, str | None] | None = None,
) -> Pins:
    """Clock and reset; `clock`, `reset`: as options name them. AMBIGUOUS for two clocks, BAD_RTL
    for registers whose clock is no input."""
    bits = [n for n, s in shapes.of_ports(module).items() if s.direction == "in" and s.width == 1]
    reader = _Reader()
    body = module.design.elaborate(module.name)
    uses = {name: use for name, use in reader.read(body).items() if name in bits}
    for name, flag in ((clock, "--clock"), (reset and reset[0], "--reset")):
        if name and name not in bits:
            message = f"{flag} {name}: module {module.name} has no such input of one bit"
            raise WlkError(Status.USAGE, f"{module.where}: {message}; it has {_some(bits)}")
    chosen, others = _clock(module, bits, uses, reader.has_registers, clock)
    if chosen is None:
        return Pins()
    rest = [name for name in bits if name != chosen and name not in others]
    port, level, style = reset or (_reset(rest, uses), None, None)
    if port is None:
        return Pins(chosen, other_clocks=others)
    use = uses.get(port, Use())
    is_low = level == "low" if level else _is_low(port, use)
    is_async = style == "async" if style else bool(use.edges)
    return Pins(chosen, port, is_low, is_async, others)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (", …" if len(names) > 8 else "") if names else "none"


def _clock(
    module: rtl.Module,
    bits: Sequence[str],
    uses: dict[str, Use],
    has_registers: bool,
    given: str | None,
) -> tuple[str | None, tuple[str, ...]]:
    """The clock, and other clocks beside it."""
    found = [name for name in bits if name in uses and uses[name].is_clock]
    if given:
        return given, tuple(name for name in found if name != given)
    if len(found) > 1:
        message = f"module {module.name} has {len(found)} clocks: {', '.join(found)}; name the one "
        message += f"by which its ports are compared: --clock {found[0]}. Each other one is then an"
        message += " input like any, that changes at most once in a cycle of it"
        raise WlkError(Status.AMBIGUOUS, f"{module.where}: {message}")
    if found:
        return found[0], ()
    if not has_registers:
        return None, ()
    named = [name for name in bits if CLOCK.search(name)]
    if len(named) != 1:
        what = f"one of {_some(named)}" if named else "no input"
        message = f"module {module.name} has registers, and by its name {what} is their clock"
        raise WlkError(Status.AMBIGUOUS, f"{module.where}: {message}; name it: --clock NAME")
    return named[0], ()


def _reset(bits: Sequence[str], uses: dict[str, Use]) -> str | None:
    """The likeliest reset: first those at whose edges registers change."""

    def rank(name: str) -> tuple[bool, bool]:
        use = uses.get(name, Use())
        return not use.edges, RESET.search(name) is None

    likely = [n for n in bits if RESET.search(n) or (n in uses and uses[n].edges)]
    return min(likely, key=rank, default=None)


def _is_low(name: str, use: Use) -> bool:
    """By its edge, by how it is tested, else by its name."""
    for shown in (use.edges, use.levels):
        if len(shown) == 1:
            return next(iter(shown))
    return bool(LOW.search(name))


class _Reader:
    """Reads bodies of modules; each kind once."""

    def __init__(self) -> None:
        self.has_registers = False
        self._done: dict[tuple, dict[str, Use]] = {}

    def read(self, body: Any) -> dict[str, Use]:
        """How the ports of a body are used."""
        key = (body.definition.name, *(str(getattr(p, "value", p)) for p in body.parameters))
        if key not in self._done:
            self._done[key] = {}  # of one that has itself inside
            self._done[key] = self._read(body)
        return self._done[key]

    def _read(self, body: Any) -> dict[str, Use]:
        members = [*_members(body)]
        ports = {port.name for port in body.portList}
        drivers = dict(_drivers(members))
        found: dict[str, Use] = {}

        def note(expr: Any, use: Use) -> None:
            for name, inverted in _sources(expr, ports, drivers):
                found.setdefault(name, Use()).add(use, inverted)

        for each in members:
            if each.kind == Symbol.ProceduralBlock:
                self._process(each, note)
            elif each.kind == Symbol.Instance:
                inner = self.read(each.body)
                for connection in each.portConnections:
                    if connection.port.name in inner and connection.expression is not None:
                        note(connection.expression, inner[connection.port.name])
        return found

    def _process(self, block: Any, note: Any) -> None:
        statement = block.body
        if statement.kind != ast.StatementKind.Timed:
            return
        timing = statement.timing
        events = timing.events if timing.kind == ast.TimingControlKind.EventList else [timing]
        events = [e for e in events if e.kind == ast.TimingControlKind.SignalEvent]
        edges = [e for e in events if e.edge in (ast.EdgeKind.PosEdge, ast.EdgeKind.NegEdge)]
        if not edges:
            return
        self.has_registers = True
        tests = [*_tests(statement.stmt)]
        tested = {_name(expr) for expr, _ in tests}
        resets = [e for e in edges if _name(e.expr) in tested] if len(edges) > 1 else []
        if len(resets) == len(edges):
            resets = [e for e in resets if not CLOCK.search(_name(e.expr) or "")]
        for each in edges:
            is_reset = each in resets
            low = {each.edge == ast.EdgeKind.NegEdge} if is_reset else set()
            note(each.expr, Use(is_clock=not is_reset, edges=low))
        for expr, low in tests:
            note(expr, Use(levels={low}))


def _members(scope: Any) -> Iterator[Any]:
    """What is in a body, through arrays and generate blocks that are taken."""
    for each in scope:
        if each.kind in rtl.SCOPES:
            if not getattr(each, "isUninstantiated", False):
                yield from _members(each)
        else:
            yield each


def _drivers(members: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """What is assigned to signals as a whole."""
    for each in members:
        if each.kind == Symbol.ContinuousAssign and each.assignment.kind == Form.Assignment:
            name = _name(each.assignment.left)
            if name is not None:
                yield name, each.assignment.right
        elif each.kind == Symbol.Net and each.initializer is not None:
            yield each.name, each.initializer


def _name(expr: Any) -> str | None:
    """The signal that an expression is."""
    return expr.symbol.name if expr.kind == Form.NamedValue else None


def _sources(
    expr: Any, ports: set[str], drivers: dict[str, Any], depth: int = 0
) -> Iterator[tuple[str, bool]]:
    """The port that a signal comes from, and whether it is inverted; of a gated clock its own."""
    if expr.kind == Form.NamedValue:
        name = expr.symbol.name
        if name in ports:
            yield name, False
        elif name in drivers and depth < 8:
            yield from _sources(drivers[name], ports, drivers, depth + 1)
    elif expr.kind == Form.Conversion:
        yield from _sources(expr.operand, ports, drivers, depth)
    elif expr.kind == Form.UnaryOp and expr.op in _NOT:
        for name, inverted in _sources(expr.operand, ports, drivers, depth):
            yield name, not inverted
    elif expr.kind == Form.BinaryOp:
        both = [*_sources(expr.left, ports, drivers, depth)]
        both += _sources(expr.right, ports, drivers, depth)
        alike = [each for each in both if CLOCK.search(each[0]) or RESET.search(each[0])]
        yield from alike[:1]


_NOT = (ast.UnaryOperator.LogicalNot, ast.UnaryOperator.BitwiseNot)
_EQUAL = (ast.BinaryOperator.Equality, ast.BinaryOperator.CaseEquality)
_DIFFERS = (ast.BinaryOperator.Inequality, ast.BinaryOperator.CaseInequality)


def _tests(statement: Any) -> Iterator[tuple[Any, bool]]:
    """Signals of which a process tests first whether they are set, and whether for 0."""
    kinds = ast.StatementKind
    if statement.kind == kinds.Block:
        yield from _tests(statement.body)
    elif statement.kind == kinds.List:
        for each in statement.list:
            yield from _tests(each)
    elif statement.kind == kinds.Conditional:
        for condition in statement.conditions:
            yield from _levels(condition.expr, False)


def _levels(expr: Any, low: bool) -> Iterator[tuple[Any, bool]]:
    if expr.kind == Form.NamedValue:
        yield expr, low
    elif expr.kind == Form.Conversion:
        yield from _levels(expr.operand, low)
    elif expr.kind == Form.UnaryOp and expr.op in _NOT:
        yield from _levels(expr.operand, not low)
    elif expr.kind == Form.BinaryOp and expr.op == ast.BinaryOperator.LogicalOr:
        yield from _levels(expr.left, low)
        yield from _levels(expr.right, low)
    elif expr.kind == Form.BinaryOp and expr.op in (*_EQUAL, *_DIFFERS):
        value = _number(expr.right)
        if value in (0, 1):
            yield from _levels(expr.left, low != ((value == 0) == (expr.op in _EQUAL)))


def _number(expr: Any) -> int | None:
    """A literal's value."""
    if expr.kind == Form.Conversion:
        return _number(expr.operand)
    is_literal = expr.kind in (Form.IntegerLiteral, Form.UnbasedUnsizedIntegerLiteral)
    return int(expr.value) if is_literal and not expr.value.hasUnknown else None

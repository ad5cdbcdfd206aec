# SPDX-License-Identifier: Apache-2.0
"""What drives each signal of an elaborated design: assignments, processes, ports of instances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pyslang import ast

from . import elaborated
from .elaborated import Does, Symbol
from .steps import Step, Target
from .terms import Term

OUTPUTS = (ast.ArgumentDirection.Out, ast.ArgumentDirection.InOut)


@dataclass(eq=False)
class Wire:
    """A continuous assignment or a port's connection: targets get a source, the lowest first."""

    node: Any  # what is quoted
    targets: list[Target]
    source: Term
    is_port: bool = False


@dataclass(eq=False)
class Process:
    """A process; its step is what runs at each edge, or whenever an input changes."""

    node: Any
    is_clocked: bool
    step: Step


Driver = Wire | Process


@dataclass
class Body:
    """The drivers in an instance's body, by the signal."""

    of: dict[Any, list[Driver]] = field(default_factory=dict)

    def add(self, driver: Driver) -> None:
        signals = (
            [target.signal for target in driver.targets]
            if isinstance(driver, Wire)
            else [signal for signal, _, _ in driver.step.writes]
        )
        for signal in dict.fromkeys(signals):
            self.of.setdefault(signal, []).append(driver)


class Drivers:
    """Finds the drivers of signals below a top; a body is read when a signal of it is asked for."""

    def __init__(self, top: Any) -> None:
        self.top = top
        self.reader = elaborated.Reader()
        self._bodies: dict[Any, Body] = {}
        self._all: Body | None = None

    def of(self, signal: Any) -> list[Driver]:
        """The drivers of a signal; none of an input of the top."""
        body = self.home(signal)
        if body is None:
            return []
        found = self._body(body).of.get(signal, [])
        if not found and body.definition.definitionKind == ast.DefinitionKind.Interface:
            found = self._everything().of.get(signal, [])
        return found

    def all(self) -> list[Driver]:
        """Every driver below the top."""
        return list(
            dict.fromkeys(each for found in self._everything().of.values() for each in found)
        )

    def home(self, signal: Any) -> Any:
        """The body of the instance that a signal is in."""
        scope = signal.parentScope
        return None if scope is None else scope.containingInstance

    def _body(self, body: Any) -> Body:
        if body not in self._bodies:
            found = self._bodies[body] = Body()
            if body != self.top and body.parentInstance is not None:
                for wire in self._inputs(body.parentInstance):
                    found.add(wire)
            for member in elaborated.members(body):
                for driver in self._drivers(member):
                    found.add(driver)
        return self._bodies[body]

    def _everything(self) -> Body:
        """Drivers of all bodies together: those of an interface are in the modules that have it."""
        if self._all is None:
            self._all = Body()
            todo = [self.top]
            while todo:
                body = todo.pop()
                for signal, found in self._body(body).of.items():
                    self._all.of.setdefault(signal, []).extend(found)
                inner = [m for m in elaborated.members(body) if m.kind == Symbol.Instance]
                todo += [each.body for each in inner]
        return self._all

    def _drivers(self, member: Any) -> Iterator[Driver]:
        kind = member.kind
        try:
            if kind == Symbol.ContinuousAssign:
                expr = member.assignment
                source = self.reader.term(expr.right)
                yield Wire(member, self.reader.targets(expr.left), source)
            elif kind == Symbol.Net and member.initializer is not None:
                target = elaborated.whole(member)
                yield Wire(member, [target], self.reader.term(member.initializer))
            elif kind == Symbol.ProceduralBlock:
                yield from self._process(member)
            elif kind == Symbol.Instance:
                yield from self._outputs(member)
        except elaborated.UnreadableError:
            return

    def _process(self, block: Any) -> Iterator[Driver]:
        kind = block.procedureKind
        if kind in (ast.ProceduralBlockKind.Initial, ast.ProceduralBlockKind.Final):
            return
        clocked = kind == ast.ProceduralBlockKind.AlwaysFF
        if kind == ast.ProceduralBlockKind.Always:
            clocked = block.body.kind == Does.Timed and has_edge(block.body.timing)
        yield Process(block, clocked, self.reader.step(block.body))

    def _outputs(self, instance: Any) -> Iterator[Driver]:
        """What an instance drives outside of it."""
        for each in instance.portConnections:
            port, expr = each.port, each.expression
            if port.kind != Symbol.Port or expr is None or port.internalSymbol is None:
                continue
            if port.direction in OUTPUTS:
                left = expr.left if expr.kind == elaborated.Kind.Assignment else expr
                source = elaborated.signal_term(port.internalSymbol)
                yield Wire(expr, self.reader.targets(left), source, is_port=True)

    def _inputs(self, instance: Any) -> Iterator[Driver]:
        """What drives the inputs of an instance, from outside."""
        for each in instance.portConnections:
            port, expr = each.port, each.expression
            if port.kind != Symbol.Port or expr is None or port.internalSymbol is None:
                continue
            if port.direction not in OUTPUTS or port.direction == ast.ArgumentDirection.InOut:
                try:
                    source = self.reader.term(expr)
                except elaborated.UnreadableError:
                    continue
                yield Wire(expr, [elaborated.whole(port.internalSymbol)], source, is_port=True)


def events(timing: Any) -> list[Any]:
    """What a process waits for, one by one."""
    return list(getattr(timing, "events", None) or [timing])


def has_edge(timing: Any) -> bool:
    """Does it wait for an edge?"""
    edges = (ast.EdgeKind.PosEdge, ast.EdgeKind.NegEdge, ast.EdgeKind.BothEdges)
    return any(getattr(each, "edge", None) in edges for each in events(timing))

# SPDX-License-Identifier: Apache-2.0
"""The processes of an elaborated module: what each reads and writes, in the order in which it does.

Continuous assignments, ports of instances and gates are processes too. Conditions of assertions are
left out, as a circuit has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyslang import ast, syntax

from . import drivers, elaborated, rtl, spans

Kind = ast.ExpressionKind
Syntax = syntax.SyntaxKind
Does = ast.StatementKind
Operator = ast.BinaryOperator
Timing = ast.TimingControlKind
NAMES = (Kind.NamedValue, Kind.HierarchicalValue)
SELECTS = (Kind.ElementSelect, Kind.RangeSelect, Kind.MemberAccess)
LITERALS = (Kind.IntegerLiteral, Kind.UnbasedUnsizedIntegerLiteral)
STEPS = ("Preincrement", "Predecrement", "Postincrement", "Postdecrement")
DIVISIONS = (Operator.Divide, Operator.Mod)
SHORT = (Operator.LogicalAnd, Operator.LogicalOr, Operator.LogicalImplication)
EQUALITIES = (
    *(Operator.Equality, Operator.Inequality, Operator.CaseEquality, Operator.CaseInequality),
)
LOOPS = (Does.ForLoop, Does.RepeatLoop, Does.WhileLoop, Does.DoWhileLoop, Does.ForeverLoop)
LOOPS += (Does.ForeachLoop,)
ASSERTIONS = (Does.ImmediateAssertion, Does.ConcurrentAssertion)
PRINTS = ("$display", "$write", "$strobe", "$monitor", "$info", "$warning", "$error", "$fatal")
SIGNALS = (ast.SymbolKind.Variable, ast.SymbolKind.Net)
SUBROUTINES = (Syntax.FunctionDeclaration, Syntax.TaskDeclaration)
LOCAL = (
    *(*SUBROUTINES, Syntax.SequentialBlockStatement, Syntax.ParallelBlockStatement),
    *(Syntax.AlwaysBlock, Syntax.AlwaysCombBlock, Syntax.AlwaysFFBlock, Syntax.AlwaysLatchBlock),
    *(Syntax.InitialBlock, Syntax.FinalBlock),
)
Path = tuple[Any, tuple[Any, ...]]  # a signal, members and constant indices in it
NEXT, SKIP = ast.VisitAction.Advance, ast.VisitAction.Skip


@dataclass
class Process:
    """What a process reads and writes: signals outside of it."""

    node: Any
    is_procedure: bool = False
    is_implicit: bool = True  # it waits for what it names: an assignment, or @*
    edges: list[Any] = field(default_factory=list)  # signals, where it waits for edges
    listed: set[Any] | None = None  # as a whole, where it waits for a list without edges
    delay: Any = None
    alias: tuple[Any, Any] | None = None  # (from, to): it does no more than to pass a signal on
    reads: set[Any] = field(default_factory=set)
    writes: set[Any] = field(default_factory=set)
    blocking: dict[Any, Any] = field(default_factory=dict)  # of these by =: signal -> where
    divisors: list[Any] = field(default_factory=list)  # divisions by what is no constant, or by 0
    direct: set[Any] = field(default_factory=set)  # read outside of subroutines
    hidden: dict[Any, Any] = field(default_factory=dict)  # read in one -> where
    early: list[tuple[Path, Any]] = field(default_factory=list)  # read before it is written here
    unsure: list[Any] = field(default_factory=list)  # writes in operands that may not be evaluated
    actions: list[Any] = field(default_factory=list)  # writes by an assertion
    unknowns: list[Any] = field(default_factory=list)  # comparisons with x
    beyond: list[Any] = field(default_factory=list)  # selects of what may not be there

    @property
    def is_clocked(self) -> bool:
        """Does it wait for an edge?"""
        return bool(self.edges)


def of(body: Any) -> Iterator[Process]:
    """Those of an instance and of all below it."""
    for member in elaborated.members(body):
        kind = member.kind
        if kind == ast.SymbolKind.ContinuousAssign:
            yield _assignment(member)
        elif kind == ast.SymbolKind.Net and (member.initializer is not None or member.delay):
            process = _read(Process(member, delay=member.delay), [member.initializer])
            process.writes.add(member)
            yield process
        elif kind == ast.SymbolKind.PrimitiveInstance:
            yield _read(Process(member, delay=member.delay), member.portConnections)
        elif kind == ast.SymbolKind.ProceduralBlock:
            yield from _procedure(member)
        elif kind == ast.SymbolKind.Instance:
            yield from _connections(member)
            yield from of(member.body)


def _assignment(member: Any) -> Process:
    expr = member.assignment
    process = Process(member, delay=member.delay)
    if expr.kind == Kind.Assignment and expr.left.kind in NAMES and expr.right.kind in NAMES:
        process.alias = tuple(elaborated.signal_of(x.symbol) for x in (expr.right, expr.left))
    return _read(process, [expr])


def _connections(instance: Any) -> Iterator[Process]:
    for each in instance.portConnections:
        port, expr = each.port, each.expression
        if port.kind != ast.SymbolKind.Port or expr is None or port.internalSymbol is None:
            continue
        inside = elaborated.signal_of(port.internalSymbol)
        process = Process(expr)
        if port.direction == ast.ArgumentDirection.In:
            _read(process, [expr])
            process.writes.add(inside)
            if expr.kind in NAMES:
                process.alias = elaborated.signal_of(expr.symbol), inside
        else:
            process.reads.add(inside)
            process.writes |= named(expr)
            left = expr.left if expr.kind == Kind.Assignment else expr
            if left.kind in NAMES:
                process.alias = inside, elaborated.signal_of(left.symbol)
        yield process


def _procedure(block: Any) -> Iterator[Process]:
    kinds = ast.ProceduralBlockKind
    if block.procedureKind in (kinds.Initial, kinds.Final):
        return
    process = Process(block, is_procedure=True)
    if block.body.kind == Does.Timed:
        timing = block.body.timing
        events = [each for each in drivers.events(timing) if each.kind == Timing.SignalEvent]
        process.is_implicit = timing.kind == Timing.ImplicitEvent
        if drivers.has_edge(timing):
            process.edges = [name for each in events for name in named(each.expr)]
        elif events:
            process.listed = {name for each in events for name in _whole(each.expr)}
    else:  # always_comb waits for what its functions read too
        process.is_implicit = False
    yield _read(process, [block.body.stmt if block.body.kind == Does.Timed else block.body])


def _read(process: Process, nodes: Sequence[Any]) -> Process:
    """Note what statements and expressions do, in their order, and the functions that they call."""
    reader = _Reader(process)
    for node in filter(None, nodes):
        node.visit(reader.take)
    process.early = [
        (path, node)
        for path, node in reader.early
        for writes in (reader.written, reader.later)
        if any(_overlap(path, other) for other in writes.get(path[0], ()))
    ]
    return process


@dataclass
class _Reader:
    """Goes through what a process does."""

    process: Process
    depth: int = 0  # of calls
    unsure: int = 0  # operands around that may not be evaluated
    called: set[tuple[Any, bool]] = field(default_factory=set)
    written: dict[Any, list[Path]] = field(default_factory=dict)  # by =, so far
    later: dict[Any, list[Path]] = field(default_factory=dict)  # by <=
    early: list[tuple[Path, Any]] = field(default_factory=list)

    def take(self, node: Any) -> ast.VisitAction:
        """A statement or an expression, before those inside it."""
        kind = node.kind
        if kind == Kind.UnaryOp and node.op.name in STEPS:
            node.operand.visit(self.take)
            return self._write(node.operand, node, True)
        for kinds, action in (
            ((*NAMES, *SELECTS), self._name),
            ((Kind.Assignment,), self._assign),
            ((Kind.BinaryOp,), self._binary),
            ((Kind.ConditionalOp,), self._choice),
            ((Kind.Call,), self._call),
            ((Does.Case,), self._items),
            (LOOPS, self._loop),
            (ASSERTIONS, self._assertion),
        ):
            if kind in kinds:
                return action(node)
        return NEXT

    def _visit(self, *nodes: Any) -> ast.VisitAction:
        for node in filter(None, nodes):
            node.visit(self.take)
        return SKIP

    def _maybe(self, *nodes: Any) -> ast.VisitAction:
        self.unsure += 1
        self._visit(*nodes)
        self.unsure -= 1
        return SKIP

    def _name(self, node: Any) -> ast.VisitAction:
        """A signal that is read, or a part of it."""
        self._look_beyond(node)
        path = _path(node)
        if path is None:
            return NEXT
        signal = path[0]
        if is_outside(signal):
            self.process.reads.add(signal)
            if self.depth:
                self.process.hidden.setdefault(signal, node)
            else:
                self.process.direct.add(signal)
        if is_kept(signal) and not any(_overlap(path, x) for x in self.written.get(signal, ())):
            self.early.append((path, node))
        return self._visit(*_selectors(node))

    def _assign(self, node: Any) -> ast.VisitAction:
        self._visit(node.right)
        if node.isCompound:
            self._visit(node.left)
        else:
            for target in targets(node.left):
                self._visit(*_selectors(target))
        return self._write(node.left, node, not node.isNonBlocking)

    def _write(self, left: Any, node: Any, is_blocking: bool) -> ast.VisitAction:
        for target in targets(left):
            self._look_beyond(target)
            path = _path(target)
            if path is None:
                continue
            signal = path[0]
            writes = self.written if is_blocking else self.later
            writes.setdefault(signal, []).append(path)
            if is_outside(signal):
                self.process.writes.add(signal)
                self.process.unsure += [node] if self.unsure else []
                if is_blocking:
                    self.process.blocking.setdefault(signal, node)
        return SKIP

    def _look_beyond(self, node: Any) -> None:
        *selects, _ = inward(node)
        for each in selects:
            if each.kind != Kind.MemberAccess and spans.is_beyond(each):
                self.process.beyond.append(each)

    def _binary(self, node: Any) -> ast.VisitAction:
        if node.op in DIVISIONS and not _is_divisor(node.right):
            self.process.divisors.append(node)
        if node.op in EQUALITIES and (has_unknown(node.left) or has_unknown(node.right)):
            self.process.unknowns.append(node)
        if node.op not in SHORT:
            return NEXT
        self._visit(node.left)
        return self._maybe(node.right)

    def _choice(self, node: Any) -> ast.VisitAction:
        self._visit(*(each.expr for each in node.conditions))
        return self._maybe(node.left, node.right)

    def _items(self, node: Any) -> ast.VisitAction:
        """The items of a case, which are evaluated up to the one that fits. Unless it is casex, x
        in them is compared."""
        condition = ast.CaseStatementCondition
        items = [each for item in node.items for each in item.expressions]
        takes_z = node.condition == condition.WildcardJustZ
        if node.condition not in (condition.WildcardXOrZ, condition.Inside):
            self.process.unknowns += [each for each in items if has_unknown(each, takes_z)]
        self._visit(node.expr, *items[:1])
        self._maybe(*items[1:])
        return self._visit(*(item.stmt for item in node.items), node.defaultCase)

    def _call(self, node: Any) -> ast.VisitAction:
        if node.isSystemCall:
            return SKIP if node.subroutineName in PRINTS else NEXT
        self._visit(node.thisClass, *node.arguments)
        known = (node.subroutine, self.unsure > 0)
        if known not in self.called:
            self.called.add(known)
            self.depth += 1
            self._visit(node.subroutine.body)
            self.depth -= 1
        return SKIP

    def _loop(self, node: Any) -> ast.VisitAction:
        """What is read in a loop may have been written the time before."""
        begun, first = len(self.early), [node]
        node.visit(lambda each: NEXT if first and first.pop() else self.take(each))
        self.early[begun:] = [
            (path, where)
            for path, where in self.early[begun:]
            if not any(_overlap(path, other) for other in self.written.get(path[0], ()))
        ]
        return SKIP

    def _assertion(self, node: Any) -> ast.VisitAction:
        """What it does where it holds or fails; no circuit does that."""
        action = _Reader(Process(node))
        action._visit(node.ifTrue, node.ifFalse)
        self.process.actions += [node] if action.process.writes else []
        return SKIP


# ---- expressions --------------------------------------------------------------------------------


def targets(left: Any) -> Iterator[Any]:
    """The names that an assignment writes, with the parts that it selects of them."""
    if left.kind in NAMES or left.kind in SELECTS:
        yield left
    elif left.kind == Kind.Conversion:
        yield from targets(left.operand)
    elif left.kind == Kind.Streaming:
        for each in left.streams:
            yield from targets(each.operand)
    else:
        for each in getattr(left, "operands", None) or getattr(left, "elements", None) or ():
            yield from targets(each)


def _whole(expr: Any) -> set[Any]:
    """The signals whose every change is one of an expression."""
    if expr.kind == Kind.Concatenation:
        return {name for each in expr.operands for name in _whole(each)}
    return named(expr) if expr.kind in NAMES else set()


def inward(node: Any) -> Iterator[Any]:
    """A selection, what it selects from, and so on to the name, which is last."""
    yield node
    while node.kind in SELECTS:
        node = node.value
        yield node


def named(expr: Any) -> set[Any]:
    """The signals in an expression."""
    found: set[Any] = set()

    def take(node: Any) -> None:
        if node.kind in NAMES:
            found.add(elaborated.signal_of(node.symbol))

    expr.visit(take)
    return found


def is_outside(signal: Any) -> bool:
    """Is it a signal of a module, an interface or a package, and no variable of a block?"""
    return signal.kind in SIGNALS and not _around(signal)


def is_kept(signal: Any) -> bool:
    """Does it keep its value from one run of a process to the next? Variables of subroutines do
    not; a block's without a value of its own do."""
    if signal.kind not in SIGNALS:
        return False
    around = _around(signal)
    if not around:
        return True
    is_static = getattr(signal, "lifetime", None) == ast.VariableLifetime.Static
    return is_static and signal.initializer is None and not around & {*SUBROUTINES}


def _around(signal: Any) -> set[Any]:
    """The blocks and subroutines that a signal is declared in. The variable of what a function
    returns is not written in the source."""
    if signal.kind == ast.SymbolKind.Variable and signal.syntax is None:
        return {Syntax.FunctionDeclaration}
    found, node = set(), signal.syntax
    while node is not None and node.kind not in rtl.DEFINES_MODULE:
        found |= {node.kind} & {*LOCAL}
        node = node.parent
    return found


def has_unknown(expr: Any, takes_z: bool = False) -> bool:
    """Is it a number with x or z in it; where z is taken for anything, with x?"""
    while expr.kind == Kind.Conversion:
        expr = expr.operand
    value = getattr(expr, "value", None) if expr.kind in LITERALS else expr.constant
    value = getattr(value, "value", value)
    if not getattr(value, "hasUnknown", False):
        return False
    return not takes_z or "x" in str(value).lower()


def _is_divisor(expr: Any) -> bool:
    """Is it a constant that is not 0?"""
    names = [each.kind in elaborated.CONSTANT for each in named(expr)]
    calls: list[Any] = []
    expr.visit(lambda node: calls.append(node) if node.kind == Kind.Call else None)
    if not all(names) or any(not call.isSystemCall for call in calls):
        return False
    known = elaborated.number_of(expr.constant) if expr.constant is not None else None
    return known is None or known[0] != 0


def _path(node: Any) -> Path | None:
    """A signal and the parts of it that are selected by names and constants."""
    parts: list[str] = []
    *selects, name = inward(node)
    for each in selects:
        if each.kind == Kind.MemberAccess:
            parts.append(each.member.name)
        elif each.kind == Kind.ElementSelect and each.selector.constant is not None:
            parts.append(str(each.selector.constant))
        else:  # some part of it: what is selected there may be any
            parts.clear()
    if name.kind not in NAMES:
        return None
    return elaborated.signal_of(name.symbol), tuple(reversed(parts))


def _overlap(one: Path, other: Path) -> bool:
    """Can they be the same bits?"""
    return one[0] == other[0] and all(a == b for a, b in zip(one[1], other[1], strict=False))


def _selectors(node: Any) -> Iterator[Any]:
    """The expressions in the brackets behind a name."""
    *selects, name = inward(node)
    for each in selects:
        if each.kind == Kind.ElementSelect:
            yield each.selector
        elif each.kind == Kind.RangeSelect:
            yield from (each.left, each.right)
    if name.kind not in NAMES:
        yield name

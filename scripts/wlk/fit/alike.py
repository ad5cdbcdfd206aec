# SPDX-License-Identifier: Apache-2.0
"""Where synthesis reads RTL otherwise than a simulator runs it, without a word.

A proof is of RTL as synthesis reads it, lockstep of RTL as a simulator runs it. Where the two
differ (sections of IEEE 1800-2017), what is proved does not hold in lockstep:

- a call of a C function (DPI), whose results synthesis has not got (35.5);
- a division by 0, which is x (11.4.3), and has a value in a circuit;
- a static variable of a subroutine or a block, which keeps its value (6.21);
- an event list without edges that lacks what the process reads (9.4.2);
- `=` in a process with an edge, of a variable that another such process sees: which of the two runs
  first is open (4.8), and synthesis takes it for `<=`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pyslang import ast, syntax

from ..base.errors import Status, WlkError
from . import drivers, elaborated, rtl

Kind = ast.ExpressionKind
Syntax = syntax.SyntaxKind
NAMES = (Kind.NamedValue, Kind.HierarchicalValue)
STEPS = ("Preincrement", "Predecrement", "Postincrement", "Postdecrement")
DIVISIONS = ("Divide", "Mod")
SIGNALS = (ast.SymbolKind.Variable, ast.SymbolKind.Net)
LOCAL = (ast.StatementBlockSymbol, ast.SubroutineSymbol)


def require(module: rtl.Module) -> None:
    """BAD_RTL where a module, or one inside it, is simulated otherwise than it would be proved."""
    try:
        read = module.design.synthesized.find(module.name)
    except WlkError:  # it is refused with its reason where it is synthesised
        read = module
    _require_no_c(read)
    _require_no_static(read)
    found = list(_processes(read.design.elaborate(read.name)))
    _require_divisors(read, found)
    _require_lists(read, found)
    _require_no_race(read, found)


def _refuse(where: str, message: str, remedy: str) -> None:
    raise WlkError(Status.BAD_RTL, f"{where}: {message}; {remedy}")


# ---- C ------------------------------------------------------------------------------------------


def _require_no_c(module: rtl.Module) -> None:
    imports: list[Any] = []
    calls: list[Any] = []
    exports: list[Any] = []
    table = {
        Syntax.DPIImport: imports.append,
        Syntax.DPIExport: exports.append,
        Syntax.InvocationExpression: calls.append,
    }
    for node in module.design.nodes_for(module):
        node.visit(lookup_table=table)
    known = {each.method.name.getLastToken().valueText: each for each in imports}
    for call in calls:
        token = call.left.getLastToken()
        imported = known.get(token.valueText)
        if imported is not None and (exports or not _is_idle(imported.method)):
            message = (
                f"{token.valueText} is a function of C (DPI), of which a circuit knows nothing"
            )
            remedy = "keep its call behind `ifndef SYNTHESIS, or judge the module by lockstep"
            _refuse(module.design.place(token.location), message, remedy)


def _is_idle(method: Any) -> bool:
    """Does it give nothing back? As one that prints."""
    words = {token.valueText for token in rtl.tokens(method)}
    is_task = method.keyword.valueText == "task"
    return not words & {"output", "inout", "ref"} and (is_task or "void" in words)


# ---- static variables ---------------------------------------------------------------------------


def _require_no_static(module: rtl.Module) -> None:
    found: list[Any] = []
    for node in module.design.nodes_for(module):
        node.visit(lookup_table={Syntax.DataDeclaration: found.append})
    for each in found:
        words = [token.valueText for token in each.modifiers]
        inside = _subroutine(each)
        is_kept = "static" in words or (
            "automatic" not in words and _is_static(inside) and _has_value(each)
        )
        if inside is not None and is_kept:
            name = each.declarators[0].name
            message = f"{name.valueText} is static: a simulator keeps its value, a circuit does not"
            remedy = "make it automatic, or a register of the module"
            _refuse(module.design.place(name.location), message, remedy)


def _subroutine(node: Any) -> Any:
    """The outermost subroutine or block that a declaration is in; None: it is a module's."""
    found, kinds = None, (Syntax.FunctionDeclaration, Syntax.TaskDeclaration)
    while node is not None and node.kind not in rtl.DEFINES_MODULE:
        if node.kind in (*kinds, Syntax.SequentialBlockStatement):
            found = node
        node = node.parent
    return found


def _is_static(node: Any) -> bool:
    """Is it a function or a task that is static because nothing else is said?"""
    if node is None or node.kind == Syntax.SequentialBlockStatement:
        return False
    words = [node.prototype.lifetime.valueText]
    while node is not None and node.kind not in rtl.DEFINES_MODULE:
        node = node.parent
    words += [] if node is None else [token.valueText for token in rtl.tokens(node.header)[:4]]
    return "automatic" not in words


def _has_value(declaration: Any) -> bool:
    return any(each.initializer is not None for each in declaration.declarators)


# ---- processes ----------------------------------------------------------------------------------


@dataclass
class Process:
    """What a process, or a continuous assignment, reads and writes: signals outside of it."""

    node: Any
    is_clocked: bool = False
    listed: set[Any] | None = None  # what it waits for, where that is a list without edges
    reads: set[Any] = field(default_factory=set)
    writes: set[Any] = field(default_factory=set)
    blocking: dict[Any, Any] = field(default_factory=dict)  # of these by =: signal -> where
    divisions: list[Any] = field(default_factory=list)  # by what is no constant


def _require_divisors(module: rtl.Module, found: Iterable[Process]) -> None:
    for process in found:
        for node in process.divisions:
            message = "it divides by what may be 0: the result is x, and in a circuit a number"
            _refuse(_where(module, node), message, "divide by a constant")


def _require_lists(module: rtl.Module, found: Iterable[Process]) -> None:
    for process in found:
        lacking = set() if process.listed is None else process.reads - process.listed
        lacking -= process.writes
        if lacking:
            name = min(each.name for each in lacking)
            message = f"{name} is read here and is not in the event list: a simulator waits for the"
            message += " list alone, a circuit for all"
            _refuse(_where(module, process.node), message, "write always @* or always_comb")


def _require_no_race(module: rtl.Module, found: Iterable[Process]) -> None:
    readers: dict[Any, list[Process]] = {}
    for process in found:
        for signal in process.reads:
            readers.setdefault(signal, []).append(process)
    for process in (each for each in found if each.is_clocked):
        for signal, node in process.blocking.items():
            if (other := _seen(signal, process, readers)) is not None:
                message = f"{signal.name} is assigned by = at an edge, and read at an edge at "
                message += f"{_where(module, other.node)}: a simulator may take the new value "
                message += "there, a circuit takes the old one"
                _refuse(_where(module, node), message, "write <=")


def _seen(signal: Any, writer: Process, readers: dict[Any, list[Process]]) -> Process | None:
    """Another process with an edge that a signal reaches, through logic without one."""
    done, todo = {signal}, [signal]
    while todo:
        for process in readers.get(todo.pop(), []):
            if process is writer:
                continue
            if process.is_clocked:
                if signal not in process.blocking:  # else it is one of its own: a loop's variable
                    return process
                continue
            fresh = process.writes - done
            done |= fresh
            todo += fresh
    return None


def _where(module: rtl.Module, node: Any) -> str:
    return module.design.place(elaborated.extent(node).start)


def _processes(body: Any) -> Iterator[Process]:
    """Those of an instance and of all below it; ports are assignments."""
    for member in elaborated.members(body):
        kind = member.kind
        if kind == ast.SymbolKind.ContinuousAssign:
            yield _read(Process(member), [member.assignment])
        elif kind == ast.SymbolKind.Net and member.initializer is not None:
            process = _read(Process(member), [member.initializer])
            process.writes.add(member)
            yield process
        elif kind == ast.SymbolKind.PrimitiveInstance:
            yield _read(Process(member), member.portConnections)
        elif kind == ast.SymbolKind.ProceduralBlock:
            yield from _procedure(member)
        elif kind == ast.SymbolKind.Instance:
            yield from _connections(member)
            yield from _processes(member.body)


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
        else:
            process.reads.add(inside)
            process.writes |= _named(expr)
        yield process


def _procedure(block: Any) -> Iterator[Process]:
    kinds = ast.ProceduralBlockKind
    if block.procedureKind in (kinds.Initial, kinds.Final):
        return
    process = Process(block)
    if block.body.kind == ast.StatementKind.Timed:
        timing = block.body.timing
        signals = [
            each
            for each in drivers.events(timing)
            if each.kind == ast.TimingControlKind.SignalEvent
        ]
        process.is_clocked = drivers.has_edge(timing)
        if signals and not process.is_clocked:
            process.listed = {name for each in signals for name in _named(each.expr)}
    yield _read(process, [block.body])


def _read(process: Process, nodes: Iterable[Any]) -> Process:
    """Note what statements and expressions read and write, and the functions that they call."""
    reader = _Reader(process, [*nodes])
    while reader.todo:
        reader.todo.pop().visit(reader.take)
    return process


@dataclass
class _Reader:
    """Goes through what a process does."""

    process: Process
    todo: list[Any]
    called: set[Any] = field(default_factory=set)
    targets: set[Any] = field(default_factory=set)  # places of names that are written alone

    def take(self, node: Any) -> None:
        """A statement or an expression, before those inside it."""
        if node.kind in NAMES:
            signal = elaborated.signal_of(node.symbol)
            if _is_outside(signal) and _place(node) not in self.targets:
                self.process.reads.add(signal)
        elif node.kind == Kind.Assignment:
            self._write(node.left, node, not node.isNonBlocking, node.isCompound)
        elif node.kind == Kind.UnaryOp and node.op.name in STEPS:
            self._write(node.operand, node, True, True)
        elif node.kind == Kind.BinaryOp and node.op.name in DIVISIONS:
            is_fixed = all(each.kind in elaborated.CONSTANT for each in _named(node.right))
            self.process.divisions += [] if is_fixed else [node]
        elif node.kind == Kind.Call and not node.isSystemCall:
            new = {node.subroutine} - self.called
            self.called |= new
            self.todo += [each.body for each in new]

    def _write(self, left: Any, node: Any, is_blocking: bool, is_read: bool) -> None:
        for name in targets(left):
            signal = elaborated.signal_of(name.symbol)
            if not is_read:
                self.targets.add(_place(name))
            if _is_outside(signal):
                self.process.writes.add(signal)
                if is_blocking:
                    self.process.blocking.setdefault(signal, node)


def _is_outside(signal: Any) -> bool:
    """Is it a signal of a module, an interface or a package, and no variable of a block?"""
    return signal.kind in SIGNALS and not isinstance(signal.parentScope, LOCAL)


def targets(left: Any) -> Iterator[Any]:
    """The names that an assignment writes."""
    if left.kind in NAMES:
        yield left
    elif left.kind in (Kind.ElementSelect, Kind.RangeSelect, Kind.MemberAccess):
        yield from targets(left.value)
    elif left.kind in (Kind.Conversion, Kind.Streaming):
        parts = (
            [left.operand] if left.kind == Kind.Conversion else [s.operand for s in left.streams]
        )
        for each in parts:
            yield from targets(each)
    else:
        for each in getattr(left, "operands", None) or getattr(left, "elements", None) or ():
            yield from targets(each)


def _place(node: Any) -> tuple[Any, ...]:
    return tuple((at.buffer.id, at.offset) for at in (node.sourceRange.start, node.sourceRange.end))


def _named(expr: Any) -> set[Any]:
    """The signals in an expression."""
    found: set[Any] = set()

    def take(node: Any) -> None:
        if node.kind in NAMES:
            found.add(elaborated.signal_of(node.symbol))

    expr.visit(take)
    return found

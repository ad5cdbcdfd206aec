# SPDX-License-Identifier: Apache-2.0
"""RTL that Verilator takes though it is no legal design, or means another thing elsewhere.

- A variable with two drivers (IEEE 1800-2017 6.5, 9.2.2.2, 10.3.2), or two always blocks that
  assign the same bits of it by <=. An initial block may give an always_ff its start value.
- A wire with two drivers of which none can be z: it is x where they differ.
- force, release, and assign and deassign in a process (10.6): Verilator ignores some of them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pyslang import Diags, analysis, ast, syntax

from ..base.errors import Status, WlkError
from . import elaborated, processes, rtl

SEVERAL = {
    *(Diags.MultipleAlwaysAssigns, Diags.MultipleContAssigns, Diags.MixedVarAssigns),
    *(Diags.MultipleUWireDrivers, Diags.MultipleUDNTDrivers),
}
BEYOND = {Diags.IndexOOB, Diags.RangeOOB, Diags.RangeWidthOOB}  # such a driver drives nothing
OVERRIDES = {
    syntax.SyntaxKind.ProceduralForceStatement: "force",
    syntax.SyntaxKind.ProceduralReleaseStatement: "release",
    syntax.SyntaxKind.ProceduralAssignStatement: "assign in a process",
    syntax.SyntaxKind.ProceduralDeassignStatement: "deassign",
}
# A literal with z, and gates whose output can be z.
CAN_BE_Z = re.compile(
    rb"'\s*s?[bohd]?\s*[0-9a-fx_?]*z|\b(?:bufif[01]|notif[01]|r?[np]mos|r?cmos|r?tran|pull(?:up|down))",
    re.IGNORECASE,
)
Kind = ast.SymbolKind
Flags = analysis.DriverFlags
ASSIGNMENT = ast.ExpressionKind.Assignment
WIRED, IN_PROCESS, STARTS = "wired", "in a process", "at the start"  # how a signal is driven


def require(module: rtl.Module) -> None:
    """BAD_RTL for a module that is no legal design, or one inside it."""
    _require_no_override(module)
    _require_one_driver(module)


def _refuse(module: rtl.Module, location: Any, message: str, remedy: str) -> None:
    where = module.design.place(location)
    raise WlkError(Status.BAD_RTL, f"{where}: {message}; {remedy}")


def _require_no_override(module: rtl.Module) -> None:
    found: list[Any] = []
    for node in module.design.nodes_for(module):
        node.visit(lookup_table=dict.fromkeys(OVERRIDES, found.append))
    for node in found:
        message = f"{OVERRIDES[node.kind]} is no part of a design, and Verilator may ignore it"
        _refuse(module, node.sourceRange.start, message, "drive the signal by logic")


def _require_one_driver(module: rtl.Module) -> None:
    root = module.design.compilation(module.name).getRoot()
    if not any(map(_may_have_two, _bodies(root))):
        return
    compilation = module.design.compiled(module.name)  # of its own, as it is frozen
    found = compilation.getAllDiagnostics()
    if any(each.code == Diags.DivisionByZero for each in found):  # widths are not known then
        return
    beyond = [each.location for each in found if each.code in BEYOND]
    compilation.freeze()
    options = analysis.AnalysisOptions()
    options.flags = analysis.AnalysisFlags.AllowDupInitialDrivers
    manager = analysis.AnalysisManager(options)
    manager.analyze(compilation)
    for found in manager.getDiagnostics():
        if found.code in SEVERAL:
            others = [each.sourceRange for each in manager.getDrivers(found.symbol)]
            if not any(_holds(each, beyond) for each in others):
                _refuse_two(module, found.symbol, found.location, [r.start for r in others])
    files = (*module.design.files_for(module), *module.design.included)
    has_z = any(CAN_BE_Z.search(path.read_bytes()) for path in files)
    signals = itertools.chain.from_iterable(map(elaborated.members, _bodies(compilation.getRoot())))
    for symbol in (each for each in signals if each.kind in (Kind.Net, Kind.Variable)):
        own = [d for d in manager.getDrivers(symbol) if not _holds(d.sourceRange, beyond)]
        pair = _of_net(symbol, own, has_z) if symbol.kind == Kind.Net else _of_variable(symbol, own)
        if pair is not None:
            one, other = (each.sourceRange for each in pair)
            waits = (module.design.follows(each.end, "<=") for each in (one, other))
            if symbol.kind == Kind.Net or all(waits):
                _refuse_two(module, symbol, other.start, [one.start])


def _holds(extent: Any, places: Iterable[Any]) -> bool:
    """Does a piece of the source hold one of some places?"""
    start, end = extent.start, extent.end
    return any(p.buffer == start.buffer and start.offset <= p.offset <= end.offset for p in places)


def _refuse_two(module: rtl.Module, symbol: Any, location: Any, others: Iterable[Any]) -> None:
    other = next((each for each in others if each != location), location)
    first, last = sorted((location, other), key=lambda at: (at.buffer.id, at.offset))
    where = module.design.place(first)
    also = f", the other at {where}" if where != module.design.place(last) else ""
    message = f"{symbol.name} has two drivers{also}, and Verilator takes one"
    _refuse(module, last, message, "drive it in one place")


def _of_net(symbol: Any, drivers: Iterable[Any], has_z: bool) -> tuple[Any, Any] | None:
    """Two drivers of a wire that none can leave to the other."""
    plain = (each for each in drivers if each.flags in (Flags.None_, Flags.OutputPort))
    return _overlapping(plain, id) if symbol.netType.name == "wire" and not has_z else None


def _of_variable(symbol: Any, drivers: Iterable[Any]) -> tuple[Any, Any] | None:
    """Two always blocks. An array may have several ports, at addresses that differ."""
    plain = (each for each in drivers if each.source == analysis.DriverSource.Always)
    return None if symbol.type.isUnpackedArray else _overlapping(plain, _block)


def _bodies(scope: Any, done: set[tuple] | None = None) -> Iterator[Any]:
    """The bodies of the instances below a scope, of modules alike one."""
    done = set() if done is None else done
    for member in elaborated.members(scope):
        if member.kind == Kind.Instance and rtl.kind(member.body) not in done:
            done.add(rtl.kind(member.body))
            yield member.body
            yield from _bodies(member.body, done)


def _may_have_two(body: Any) -> bool:
    """Is a signal, whichever bits of it, assigned in two places, or one of another instance? The
    look of slang at each bit takes seconds for a process of thousands of lines."""
    known: dict[Any, tuple[int, str]] = {}
    for number, member in enumerate(elaborated.members(body)):
        how, names = _driven(member)
        for name in names:
            first, by = known.setdefault(name.symbol, (number, how))
            is_start = {how, by} in ({STARTS}, {STARTS, IN_PROCESS})
            if (
                name.kind == ast.ExpressionKind.HierarchicalValue
                or first != number
                and not is_start
            ):
                return True
    return False


def _driven(member: Any) -> tuple[str, list[Any]]:
    """How a member of a body drives signals, and their names."""
    if member.kind == Kind.ProceduralBlock:
        kinds = ast.ProceduralBlockKind
        starts = member.procedureKind == kinds.Initial
        return STARTS if starts else IN_PROCESS, _assigned(member.body, set())
    if member.kind in (Kind.Net, Kind.Variable) and member.initializer is not None:
        return WIRED if member.kind == Kind.Net else STARTS, [_Name(member)]
    expressions = []
    if member.kind == Kind.ContinuousAssign:
        expressions = [member.assignment]
    elif member.kind == Kind.Instance:
        expressions = [each.expression for each in member.portConnections]
    elif member.kind == Kind.PrimitiveInstance:
        expressions = member.portConnections
    outputs = [each for each in expressions if each is not None and each.kind == ASSIGNMENT]
    return WIRED, [name for each in outputs for name in _names(each.left)]


def _names(left: Any) -> Iterator[Any]:
    """The names that an assignment writes."""
    for target in processes.targets(left):
        *_, name = processes.inward(target)
        if name.kind in processes.NAMES:
            yield name


@dataclass(frozen=True)
class _Name:
    """What a declaration with a value drives, as an expression that names it."""

    symbol: Any
    kind: Any = ast.ExpressionKind.NamedValue


def _assigned(node: Any, called: set[Any]) -> list[Any]:
    """The names that a statement assigns to, with the subroutines that it calls."""
    found: list[Any] = []

    def call(each: Any) -> None:
        for argument in each.arguments:
            if argument.kind == ASSIGNMENT:
                found.extend(_names(argument.left))
        if not each.isSystemCall and each.subroutine not in called:
            called.add(each.subroutine)
            found.extend(_assigned(each.subroutine.body, called))

    def step(each: Any) -> None:
        if each.op.name in processes.STEPS:
            found.extend(_names(each.operand))

    table = {
        ASSIGNMENT: lambda each: found.extend(_names(each.left)),
        ast.ExpressionKind.Call: call,
        ast.ExpressionKind.UnaryOp: step,
    }
    node.visit(lookup_table=table)
    return found


def _overlapping(drivers: Iterable[Any], of: Callable[[Any], Any]) -> tuple[Any, Any] | None:
    """Two drivers, of which `of` says different things, that drive one bit."""
    open_: list[Any] = []
    for driver in sorted(drivers, key=lambda each: each.bounds[0]):
        open_ = [each for each in open_ if each.bounds[1] >= driver.bounds[0]]
        other = next((each for each in open_ if of(each) != of(driver)), None)
        if other is not None:
            return other, driver
        open_.append(driver)
    return None


def _block(driver: Any) -> tuple:
    """The process that it is in."""
    at = driver.containingSymbol.location
    return at.buffer.id, at.offset

# SPDX-License-Identifier: Apache-2.0
"""Where synthesis reads RTL otherwise than a simulator runs it, without a word.

A proof is of RTL as synthesis reads it, lockstep of RTL as a simulator runs it. Where the two
differ (sections of IEEE 1800-2017), what is proved does not hold in lockstep:

- a call of a C function (DPI), whose results synthesis has not got (35.5);
- a division by 0, which is x (11.4.3), and has a value in a circuit;
- a static variable of a subroutine or a block, which keeps its value (6.21);
- an event list without edges that lacks what the process reads, or names a part or an expression
  of it, also an implicit one, which knows nothing of what a subroutine reads (9.4.2);
- `=` in a process with an edge, of a variable that another such process sees: which of the two runs
  first is open (4.8), and synthesis takes it for `<=`;
- a variable that a process without an edge reads before it assigns it, as it does wherever it
  assigns it by `<=` (9.2.2.2);
- an assignment in an operand, or an item of a case, that need not be evaluated (11.4.7, 11.4.11);
- an assignment where an assertion holds or fails (16.3);
- a delay of a gate, a net or an assignment (10.3.3, 28.16);
- a comparison with x or z (11.4.5, 12.5);
- a clock that is passed on by a process (4.4), or read as data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pyslang import syntax

from ..base.errors import Status, WlkError
from . import elaborated, processes, rtl
from .processes import Process

Syntax = syntax.SyntaxKind


def require(module: rtl.Module) -> list[str]:
    """BAD_RTL where a module, or one inside it, is simulated otherwise than it would be proved. The
    places where it may be: an index that may be beyond what it selects from."""
    try:
        read = module.design.synthesized.find(module.name)
    except WlkError:  # it is refused with its reason where it is synthesised
        read = module
    _require_no_c(read)
    _require_no_static(read)
    found = list(processes.of(read.design.elaborate(read.name)))
    for check in CHECKS:
        check(read, found)
    nodes = [node for process in found for node in process.beyond]
    places = dict.fromkeys(_where(read, node) for node in nodes)
    return [f"{place}: an index may be beyond what it selects from" for place in places]


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

Check = Callable[[rtl.Module, Sequence[Process]], None]


def _none(kind: str, message: str, remedy: str) -> Check:
    """A check that no process has anything of a kind, which is the name of a field."""

    def check(module: rtl.Module, found: Sequence[Process]) -> None:
        for process in found:
            for node in getattr(process, kind):
                _refuse(_where(module, node), message, remedy)

    return check


def _require_lists(module: rtl.Module, found: Iterable[Process]) -> None:
    for process in found:
        lacking = set() if process.listed is None else process.reads - process.listed
        lacking -= process.writes
        if lacking:
            name = min(each.name for each in lacking)
            message = f"{name} is read here and is not in the event list as a whole: a simulator "
            message += "waits for the list alone, a circuit for all"
            _refuse(_where(module, process.node), message, "write always @* or always_comb")


def _require_no_hidden(module: rtl.Module, found: Iterable[Process]) -> None:
    for process in (each for each in found if each.is_implicit):
        for signal, node in process.hidden.items():
            if signal not in process.direct | process.writes:
                message = f"{signal.name} is read in a subroutine, for which "
                message += f"{_where(module, process.node)} does not wait: a circuit follows it"
                remedy = "give it as an argument, or write always_comb"
                _refuse(_where(module, node), message, remedy)


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


def _require_order(module: rtl.Module, found: Iterable[Process]) -> None:
    for process in (each for each in found if each.is_procedure and not each.is_clocked):
        for (signal, _), node in process.early:
            message = f"{signal.name} is read here before the process assigns it: a simulator has "
            message += "the value of the time before, a circuit the new one"
            _refuse(_where(module, node), message, "assign it first")


def _require_no_delays(module: rtl.Module, found: Iterable[Process]) -> None:
    for process in found:
        if process.delay is not None:
            message = "a delay: a circuit has none, and what takes longer than a cycle differs"
            _refuse(_where(module, process.node), message, "leave it out")


def _require_plain_clocks(module: rtl.Module, found: Sequence[Process]) -> None:
    clocks, used = _clocks(found), _used(module, found)
    for process in found:
        for clock in sorted(process.writes & clocks, key=lambda each: each.name):
            is_wire = not process.is_procedure or (
                process.listed is None and clock in process.blocking
            )
            if not (is_wire or process.is_clocked):
                message = f"the clock {clock.name} is passed on by a process: in a simulator its "
                message += "registers change after others, in a circuit with them"
                _refuse(_where(module, process.node), message, "pass it on by `assign`")
        read = process.reads & clocks
        if read and process.alias is None and process.writes & used:
            name = min(each.name for each in read)
            message = f"the clock {name} is read as data: it has two values in a cycle"
            _refuse(_where(module, process.node), message, "use a register that tells the phase")


def _used(module: rtl.Module, found: Iterable[Process]) -> set[Any]:
    """The signals that something reads, or that leave the module."""
    used = {signal for process in found for signal in process.reads}
    ports = module.design.elaborate(module.name).portList
    return used | {getattr(port, "internalSymbol", None) for port in ports}


def _clocks(found: Iterable[Process]) -> set[Any]:
    """The signals whose edges clock registers, and what is passed on to them as it is. Of several
    edges of a process those that it reads are resets."""
    clocks: set[Any] = set()
    for process in found:
        several = len(process.edges) > 1
        clocks |= {each for each in process.edges if not (several and each in process.reads)}
    aliases = [each.alias for each in found if each.alias is not None]
    while more := {source for source, to in aliases if to in clocks and source not in clocks}:
        clocks |= more
    return clocks


def _where(module: rtl.Module, node: Any) -> str:
    return module.design.place(elaborated.extent(node).start)


CHECKS: tuple[Check, ...] = (
    _require_no_delays,
    _none(
        "divisors",
        "it divides by what may be 0: the result is x, and in a circuit a number",
        "divide by a constant",
    ),
    _require_lists,
    _require_no_hidden,
    _require_no_race,
    _require_order,
    _none(
        "unsure",
        "it assigns in an operand of &&, ||, -> or ?:, or an item of a case, that a simulator "
        "evaluates only where it counts, a circuit always",
        "call it in a statement of its own",
    ),
    _none(
        "actions",
        "the assertion assigns where it holds or fails, of which a circuit knows nothing",
        "assign outside of the assertion",
    ),
    _none(
        "unknowns",
        "it compares with x or z: simulators answer as they have these values",
        "compare with 0 and 1, or keep it behind `ifndef SYNTHESIS",
    ),
    _require_plain_clocks,
)

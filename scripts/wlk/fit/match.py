# SPDX-License-Identifier: Apache-2.0
"""Match the ports of a module or of a waveform scope with a block's port table.

Parameters are inferred from what the ports show: every width, array index and optional port is a
constraint on the one or two parameters its expression names. Constraints that more ports support
are taken first; one that contradicts them is set aside, so that a single odd port shows up as the
difference and not the fifteen that agree. What related scopes show narrows the rest, where that
leaves a value, and so does what is illegal together.

Extra ports: an input the table does not know cannot be driven, and an output it does not know
would stay unchecked; both are conflicts. In a scope, where directions are unknown, signals the
table does not know are internal ones and are ignored.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..base import report
from ..base.errors import Status, WlkError, nearest
from ..tables import (
    MAX_COMBINATIONS,
    Config,
    Expr,
    Field,
    Param,
    Port,
    Table,
    element_name,
    label,
    most,
    opaque_stem,
    walk,
)

SAMPLER = "clock"  # what samples a block that has no clock, where there is one
PortShape = tuple[str, str | None, int]  # name, direction (None: unknown), width
Domains = dict[str, tuple[int, ...]]
MOST_NAMED = 4  # values that a message names one by one


@dataclass(frozen=True)
class Shared:
    """What a related scope leaves of a parameter."""

    name: str
    values: tuple[int, ...]
    scope: str
    weak: bool  # by ports that are not there


@dataclass(frozen=True)
class Difference:
    """A port that differs from the table."""

    port: str
    expected: str
    found: str


@dataclass(frozen=True)
class ParamValue:
    """A parameter as inferred."""

    name: str
    value: int
    possible: tuple[int, ...]  # by the ports alone
    how: str  # "given" | "ports" | "ports of SCOPE" | "default" | "largest"
    ambiguous: bool  # more than one possible, not given, and the block behaves differently
    evidence: str = ""  # a port that shows it
    shown: tuple[int, ...] = ()  # values that the ports that are there allow
    narrowed_by: str = ""  # the related scope that narrowed it


@dataclass
class Match:
    """How the ports found relate to the table."""

    table: Table
    config: Config
    params: dict[str, ParamValue]
    present: list[str] = field(default_factory=list)
    present_outputs: int = 0
    differences: list[Difference] = field(default_factory=list)
    missing_inputs: list[str] = field(default_factory=list)  # a rule reads them: refused
    missing_outputs: list[str] = field(default_factory=list)  # not compared
    tied_off: list[str] = field(default_factory=list)  # inputs no rule reads
    tied: dict[str, int] = field(default_factory=dict)  # --tie: missing inputs that are constant
    slices: dict[str, tuple[str, int]] = field(default_factory=dict)  # port -> vector, lowest bit
    notes: list[str] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """equal | subset | refused (an input is missing, or all outputs) | conflict."""
        if self.differences:
            return "conflict"
        if self.missing_inputs or not self.present_outputs:
            return "refused"
        less = self.missing_outputs or self.tied_off or self.tied
        return "subset" if less else "equal"

    @property
    def ok(self) -> bool:
        return self.kind in ("equal", "subset")

    def refusal_of(self, config: Config) -> str | None:
        """Why the RTL is not taken for one of this configuration; None: it may be one."""
        given = [name for name, item in self.params.items() if item.how == "given"]
        for each in self.table.lists.values():
            if not each.is_usual(config, given):
                shown = f"{each.name}={each.show(config)}"
                return f"{shown} is taken only where it is given: --config {each.name}=VALUE"
        return self.table.refusal(config)

    @property
    def unknown(self) -> set[str]:
        """Items of lists that nothing shows, and no rule reads: not to be named as if found."""
        return {
            name
            for name, item in self.params.items()
            if (each := self.table.list_of(name)) is not None
            and not name.endswith(f"_{each.key}")  # there is a port for each
            and not self.table.params[name].behavioural
            and item.how in ("default", "largest")
        }

    def shown(self, config: Config) -> dict[str, int | str]:
        """A configuration as one gives it, as far as it is known."""
        return self.table.show(config, self.unknown)

    def questions(self) -> list[str]:
        """What only the user can know, one line a parameter, with the option's name."""
        loose = {item.name: item for item in self.params.values() if item.ambiguous}
        lines = []
        for name, item in loose.items():
            param = self.table.params[name]
            if not param.list_of:
                values = _values(param, item.possible)
                given = f"give --config {name}=VALUE ({param.show(item.value)} is taken)"
                lines.append(f"{name}: the ports allow {values}; {given}")
        for name, each in self.table.lists.items():
            if items := each.items_of(loose):
                given = f"give --config {name}=VALUE ({each.show(self.config)} is taken)"
                lines.append(f"{name}: no port shows {' and '.join(items)}; {given}")
        return lines

    def require(self, what: str) -> None:
        """WlkError IFACE_CHANGED in one line when the ports cannot be used. `what`: whose."""
        if not self.ok:
            raise self.refusal(what)

    def refusal(self, what: str) -> WlkError:
        """Why the ports cannot be used."""
        more = len(self.differences or self.missing_inputs) - 1
        rest = f" (and {more} more)" if more > 0 else ""
        if self.kind == "conflict":
            first = self.differences[0]
            text = f"port {first.port}: expected {first.expected}, found {first.found}{rest}"
        elif self.missing_inputs:
            name = self.missing_inputs[0]
            text = f"input {name} is missing{rest}; the model reads it; if it is constant, and the "
            text += f"compiler dropped it, give it with --tie {name}=VALUE"
        else:
            text = "none of the block's outputs is there, so nothing could be compared"
        notes = "".join(f"; {note}" for note in self.notes[:1])
        where = f"block {self.table.name} ({label(self.table.path)})"
        return WlkError(Status.IFACE_CHANGED, f"{what} does not fit {where}: {text}{notes}")


def compared(table: Table, config: Config, missing: Sequence[str]) -> dict[str, Any]:
    """The keys of a JSON object: how many outputs are compared, and the names of those missing."""
    outputs = sum(port.direction == "out" for port in table.ports(config))
    return {"outputs": outputs - len(missing), "not_compared": [*missing]}


def _values(param: Param, values: Sequence[int]) -> str:
    """Possible values in words: `3 or 4`, `1..32`."""
    if len(values) <= MOST_NAMED:
        return " or ".join(map(param.show, values))
    return f"{param.show(values[0])}..{param.show(values[-1])}"


# ---- what each port name can be -----------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """One possible port: its field, and the position in each counted dimension."""

    item: Field
    dims: tuple[tuple[Expr, int], ...]


@functools.cache
def _places(table: Table) -> dict[str, list[Place]]:
    """Every port name that some configuration has -> what it is."""
    names: dict[str, list[Place]] = {}
    legal = {param.name: param.legal for param in table.params.values()}
    for item in table.fields:
        dims = [count for _, count in item.path if count is not None]
        has_lanes = item.lanes is not None and not item.opaque
        dims += [item.lanes] if has_lanes else []
        for position in itertools.product(*(range(most(e, legal)) for e in dims)):
            place = Place(item, tuple(zip(dims, position, strict=True)))
            here = [
                element_name(item, *((position[:-1], position[-1]) if has_lanes else (position,)))
            ]
            if item.opaque:
                here = [opaque_stem(item, position) + member.name for member in table.members]
            for name in here:
                names.setdefault(name, []).append(place)
    return names


def port_names(table: Table) -> list[str]:
    """Every port that some configuration has, and the vectors that may hold several."""
    names = [*filter(None, (table.clock, table.reset)), *_places(table), *_vectors(table)]
    return [*dict.fromkeys(names)]


@functools.cache
def opaque_stems(table: Table) -> list[str]:
    """What the names of the ports in opaque fields begin with, in any configuration."""
    largest = {p.name: max(p.legal) for p in table.params.values()}
    found = [opaque_stem(item, i) for item in table.opaque for _, i in walk([item], largest)]
    return [*dict.fromkeys(found)]


# ---- constraints --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Constraint:
    """What some ports show about an expression of the parameters."""

    expr: Expr
    test: Callable[[int], bool]
    port: str  # one that shows it
    support: int


def _shown_constraints(found: Sequence[tuple[str, Place, int]]) -> Iterator[Constraint]:
    """What the widths show, and the conditions of the ports that are there."""
    widths: dict[tuple[str, int], list[tuple[str, Expr]]] = {}
    whens: dict[str, list[tuple[str, Expr]]] = {}
    for name, place, width in found:
        item = place.item
        if item.width.names and not item.loose_width and not item.opaque:
            widths.setdefault((item.width.text, width), []).append((name, item.width))
        if item.when is not None:
            whens.setdefault(item.when.text, []).append((name, item.when))
    for (_, width), ports in widths.items():
        yield Constraint(ports[0][1], lambda v, w=width: v == w, ports[0][0], len(ports))
    for ports in whens.values():
        yield Constraint(ports[0][1], bool, ports[0][0], len(ports))


def _count_constraints(found: Sequence[tuple[str, Place, int]]) -> Iterator[Constraint]:
    """`count > index` for each index; only the largest index of each support adds something."""
    seen: dict[str, dict[int, list[tuple[str, Expr]]]] = {}
    for name, place, _ in found:
        for expr, index in place.dims:
            if expr.names:
                seen.setdefault(expr.text, {}).setdefault(index, []).append((name, expr))
    for indices in seen.values():
        top: dict[int, int] = {}
        for index, ports in indices.items():
            top[len(ports)] = max(index, top.get(len(ports), 0))
        for support, index in top.items():
            name, expr = indices[index][0]
            yield Constraint(expr, lambda v, i=index: v > i, name, support)


def _absences(table: Table, found: Sequence[tuple[str, Place, int]]) -> Iterator[Constraint]:
    """What is not there: weak evidence, since the compiler drops ports of inner modules.

    An index that no field shows, an array that may be empty, and an optional group of which no
    port is there.
    """
    tops: dict[str, tuple[int, str, Expr]] = {}
    whens = {p.item.when.text for _, p, _ in found if p.item.when is not None}
    for name, place, _ in found:
        for expr, index in place.dims:
            if expr.names and index >= tops.get(expr.text, (-1,))[0]:
                tops[expr.text] = (index, name, expr)
    for index, name, expr in tops.values():
        yield Constraint(expr, lambda v, i=index: v <= i + 1, name, 0)
    counts = {e.text: e for item in table.fields for _, e in item.path if e is not None}
    for text, expr in counts.items():
        may_be_none = text in table.params and 0 in table.params[text].legal
        if may_be_none and text not in tops:
            yield Constraint(expr, lambda v: v == 0, "", 0)
    for item in table.fields:
        if item.when is not None and item.when.text not in whens:
            whens.add(item.when.text)
            yield Constraint(item.when, lambda v: not v, "", 0)


class Solver:
    """Values left for each parameter under the constraints taken so far."""

    def __init__(self, table: Table) -> None:
        self.domains: Domains = {p.name: p.legal for p in table.params.values()}
        self.taken: list[Constraint] = []

    def add(self, constraint: Constraint) -> bool:
        """Take a constraint, unless nothing would be left."""
        domains = self._propagate(self.domains, [*self.taken, constraint], constraint)
        if domains is None:
            return False
        self.domains = domains
        self.taken.append(constraint)
        return True

    def fix(self, name: str, value: int) -> bool:
        """Set a parameter, unless it contradicts what was taken."""
        if value not in self.domains[name]:
            return False
        domains = {**self.domains, name: (value,)}
        for start in self.taken:
            if name in start.expr.names:
                narrowed = self._propagate(domains, self.taken, start)
                if narrowed is None:
                    return False
                domains = narrowed
        self.domains = domains
        return True

    def _propagate(
        self, domains: Domains, constraints: Sequence[Constraint], start: Constraint
    ) -> Domains | None:
        """Narrow until nothing changes; None when a parameter has no value left."""
        domains, todo = dict(domains), [start]
        while todo:
            current = todo.pop()
            for name, values in _allowed(current, domains).items():
                if not values:
                    return None
                if len(values) < len(domains[name]):
                    domains[name] = values
                    todo += [c for c in constraints if name in c.expr.names and c not in todo]
        return domains


def _allowed(constraint: Constraint, domains: Domains) -> Domains:
    """The values of each parameter of a constraint that some combination supports."""
    names = sorted(constraint.expr.names)
    lists = [domains[n] for n in names]
    if math.prod(map(len, lists)) > MAX_COMBINATIONS:
        return {}
    kept: dict[str, set[int]] = {n: set() for n in names}
    for values in itertools.product(*lists):
        if constraint.test(constraint.expr(dict(zip(names, values, strict=True)))):
            for name, value in zip(names, values, strict=True):
                kept[name].add(value)
    return {n: tuple(v for v in domains[n] if v in kept[n]) for n in names}


# ---- inference ----------------------------------------------------------------------------------


def _infer(
    table: Table,
    found: Sequence[tuple[str, Place, int]],
    given: Config,
    shared: Sequence[Shared],
    wide: Sequence[Constraint] = (),
) -> tuple[dict[str, ParamValue], list[str]]:
    """Every parameter, and a note for each given value that the ports contradict. `wide`: what else
    is known, by vectors and by the RTL's own parameters."""
    solver = Solver(table)
    strong = [*_shown_constraints(found), *_count_constraints(found), *wide]
    for constraint in sorted(strong, key=lambda c: -c.support):
        solver.add(constraint)
    shown = {name for c in solver.taken for name in c.expr.names}
    notes, by_ports = [], solver.domains
    for name, value in given.items():
        if not solver.fix(name, value):
            notes.append(_contradiction(table, solver, name, value))
    narrowed_by = _add_shared(solver, shared, weak=False)
    for constraint in _absences(table, found):
        if solver.add(constraint):
            shown |= constraint.expr.names
    narrowed_by = _add_shared(solver, shared, weak=True) | narrowed_by
    for each in table.constraints:
        solver.add(Constraint(each.when, lambda v: not v, "", 0))
    evidence = {n: c.port for c in reversed(solver.taken) for n in c.expr.names if c.port}
    possible = {**solver.domains, **{n: by_ports[n] for n in given}}
    result = {}
    chosen: Config = {}
    for param in table.params.values():
        value, how = _choose(table, param, solver, given, shown, chosen)
        solver.fix(param.name, value)
        chosen[param.name] = value
        several = len(possible[param.name]) > 1
        by = "" if how == "given" else narrowed_by.get(param.name, "")
        result[param.name] = ParamValue(
            name=param.name,
            value=value,
            possible=possible[param.name],
            how=how if several or not by else f"ports of {by}",
            ambiguous=several and param.behavioural and how != "given",
            evidence=evidence.get(param.name, ""),
            shown=by_ports[param.name],
            narrowed_by=by,
        )
    return result, notes


def _add_shared(solver: Solver, shared: Sequence[Shared], weak: bool) -> dict[str, str]:
    """Narrow by what related scopes show; parameter -> the scope, where it excluded a value."""
    narrowed_by = {}
    for each in shared:
        if each.weak == weak:
            before = len(solver.domains[each.name])
            expr = Expr(each.name, each.scope)
            solver.add(Constraint(expr, lambda v, e=each: v in e.values, "", 0))
            if len(solver.domains[each.name]) < before:
                narrowed_by[each.name] = each.scope
    return narrowed_by


def _choose(
    table: Table, param: Param, solver: Solver, given: Config, shown: set[str], chosen: Config
) -> tuple[int, str]:
    """The value of a parameter, and how it was found; `chosen`: of those before it."""
    values = solver.domains[param.name]
    if param.name in given:
        return given[param.name], "given"
    if len(values) == 1 and param.name in shown:
        return values[0], "ports"
    usual, each = param.default, table.list_of(param.name)
    if each is not None and (word := each.usual(param.name, chosen)) is not None:
        usual = word
    if usual in values:
        return usual, "default"
    return values[-1], "largest"


def _contradiction(table: Table, solver: Solver, name: str, value: int) -> str:
    """One line: the given value, what the ports show, and a port that shows it."""
    param, legal = table.params[name], {n: p.legal for n, p in table.params.items()}
    showing = [c for c in solver.taken if name in c.expr.names]
    against = [c for c in showing if value not in _allowed(c, legal).get(name, (value,))]
    port = next((c.port for c in against + showing), "")
    values = _values(param, solver.domains[name])
    return f"{name}={param.show(value)} was given, but port {port} shows {name}={values}"


def _given(table: Table, given: Mapping[str, str | int], base: Config) -> Config:
    """Given values as numbers; WlkError BAD_CONFIG. A named value may come as its position.
    `base`: the values, inferred from ports, that the words of a list depend on."""
    lists = {name: value for name, value in given.items() if name in table.lists}
    result: Config = {}
    for name, value in ((n, v) for n, v in given.items() if n not in table.lists):
        param = table.params.get(name)
        if param and param.names and isinstance(value, int) and value in param.legal:
            result[name] = value
        else:
            result[name] = table.config({name: value})[name]
    return table.values(lists, base | result, partial=True) | result


def _found(
    places: Mapping[str, Sequence[Place]], shapes: Mapping[str, PortShape]
) -> list[tuple[str, Place, int]]:
    """The ports that can only be one thing, with their widths."""
    return [
        (name, places[name][0], width)
        for name, (_, _, width) in shapes.items()
        if len(places.get(name, ())) == 1
    ]


# ---- vectors ------------------------------------------------------------------------------------


@functools.cache
def _vectors(table: Table) -> dict[str, Expr]:
    """The vectors that a block's fields can be in -> their width."""
    terms: dict[str, list[str]] = {}
    for item in table.fields:
        if (name := table.vector(item)) is not None:
            counts = [count for _, count in item.path if count is not None]
            factors = [*counts, item.width, *filter(None, (item.lanes, item.when))]
            terms.setdefault(name, []).append(" * ".join(f"({each.text})" for each in factors))
    return {name: Expr(" + ".join(each), label(table.path)) for name, each in terms.items()}


def _split(
    table: Table, shapes: Mapping[str, PortShape], given: Config, shared: Sequence[Shared]
) -> tuple[dict[str, PortShape], dict[str, tuple[str, int]]]:
    """Ports with vectors taken apart, and the vector and lowest bit of each part. A vector whose
    width is that of no configuration stays."""
    widths = {name: width for name, width in _vectors(table).items() if name in shapes}
    wide = [
        Constraint(expr, lambda v, w=shapes[name][2]: v == w, name, 1)
        for name, expr in widths.items()
    ]
    values, _ = _infer(table, _found(_places(table), shapes), given, shared, wide)
    config = {name: item.value for name, item in values.items()}
    inside: dict[str, list[tuple[int, Port]]] = {}
    for name, lsb, port in table.slices(config):
        if name in widths and widths[name](config) == shapes[name][2] and port.name not in shapes:
            inside.setdefault(name, []).append((lsb, port))
    split: dict[str, PortShape] = {}
    for name, shape in shapes.items():
        parts = inside.get(name, [])
        split |= {port.name: (port.name, shape[1], port.width) for _, port in parts}
        split |= {} if parts else {name: shape}
    return split, {port.name: (name, lsb) for name, each in inside.items() for lsb, port in each}


def configuration(
    table: Table,
    widths: Mapping[str, int],
    given: Mapping[str, str | int],
    vectors: Iterable[tuple[str, int, Sequence[str]]] = (),
) -> Config:
    """The likeliest configuration by ports and by vectors: (name, width, the ports side by side in
    it, of any configuration)."""
    places, wide = _places(table), []
    for name, width, ports in vectors:
        if (expr := _together(table, [places.get(port, ()) for port in ports])) is not None:
            wide.append(Constraint(expr, lambda v, w=width: v == w, name, 1))
    shapes = {name: (name, None, width) for name, width in widths.items()}
    known = _given(table, given, table.defaults())
    values, _ = _infer(table, _found(places, shapes), known, (), wide)
    return {name: item.value for name, item in values.items()}


def _together(table: Table, ports: Sequence[Sequence[Place]]) -> Expr | None:
    """Bits of ports side by side: of each field its width by the counts of the dimensions in which
    they differ."""
    fields: dict[str, list[Place]] = {}
    for places in ports:
        if len(places) != 1 or places[0].item.opaque:
            return None
        fields.setdefault(places[0].item.name, []).append(places[0])
    terms = []
    for group in fields.values():
        item, columns = group[0].item, zip(*(place.dims for place in group), strict=True)
        counts = [column[0][0] for column in columns if len({at for _, at in column}) > 1]
        terms.append(item.width.times([*counts, *filter(None, (item.when,))]).text)
    return Expr(" + ".join(terms), label(table.path))


def fixed_width(table: Table, name: str) -> int | None:
    """The width of a port, if it is that in every configuration."""
    if name == table.reset:
        return 1
    places = _places(table).get(name, ())
    fixed = len(places) == 1 and not (places[0].item.opaque or places[0].item.width.names)
    return places[0].item.width({}) if fixed else None


# ---- classification -----------------------------------------------------------------------------


def _bits(width: int) -> str:
    return "1 bit" if width == 1 else f"{width} bits"


def _shape(direction: str | None, width: int) -> str:
    words = {"in": "input ", "out": "output ", "inout": "inout "}
    return words.get(direction or "", "") + _bits(width)


def _compare(result: Match, port: Port, shape: PortShape) -> None:
    """Note one port that both sides have."""
    name, direction, width = shape
    loose = port.field.loose_width
    fits = 1 <= width <= port.field.max_width if loose else width == port.width
    if not fits or direction not in (None, port.direction):
        expected = _shape(port.direction if direction else None, port.width)
        expected += f" (up to {port.field.max_width})" if loose else ""
        result.differences.append(Difference(name, expected, _shape(direction, width)))
        return
    result.present.append(name)
    result.present_outputs += port.direction == "out"


def require_ties(ties: Iterable[str], found: Sequence[Match], what: str) -> None:
    """USAGE when a tie is of no input that one of the matches lacks. `what`: where they lack it."""
    for name in ties:
        if any(name in m.tied for m in found):
            continue
        if any(name in m.present for m in found):
            why = f"{what} has this port; only an input that it lacks can be tied"
        else:
            lacking = [port for m in found for port in m.missing_inputs]
            blocks = " or ".join(dict.fromkeys(m.table.name for m in found))
            why = f"no input of {blocks} has this name{nearest(name, lacking, 'it lacks')}"
        raise WlkError(Status.USAGE, f"--tie {name}: {why}")


def tie_places(found: Match) -> list[str]:
    """WORD:LSB:WIDTH:VALUE of each tied input in the record, as the programs in C take them."""
    ports = {port.name: port for port in found.table.ports(found.config)}
    return [
        f"{ports[name].word}:{ports[name].lsb}:{ports[name].width}:{value}"
        for name, value in found.tied.items()
    ]


def _note_extra(result: Match, port: PortShape, known: bool) -> None:
    """One that the block does not have; in a scope it may be an internal signal."""
    name, direction, width = port
    if direction is not None or known:
        expected = "no such port in this configuration" if known else "no such port"
        result.differences.append(Difference(name, expected, _shape(direction, width)))


def match(
    table: Table,
    ports: Iterable[PortShape],
    given: Mapping[str, str | int] | None = None,
    *,
    clock: bool = True,
    shared: Sequence[Shared] = (),
    ties: Mapping[str, int] | None = None,
    read: Iterable[tuple[Expr, int, str]] = (),
) -> Match:
    """Infer the parameters from `ports` and classify every port.

    The result's table has the ports that its opaque fields have here.
    `given`: parameters the user set. `clock`: the clock is among the ports (a CSV has none).
    `shared`: what other scopes show of parameters that are the same hardware. `ties`: inputs that
    may be missing, and their constant values. `read`: what the RTL says of expressions of the
    parameters, and where; ports say more.
    """
    shapes = {port[0]: port for port in ports}
    table = table.opened(shapes.values())
    places, given = _places(table), given or {}
    slices: dict[str, tuple[str, int]] = {}
    if table.vectors is not None:
        shapes, slices = _split(table, shapes, _given(table, given, table.defaults()), shared)
    found = _found(places, shapes)
    base = table.defaults()
    if given.keys() & table.lists.keys():
        base = {name: item.value for name, item in _infer(table, found, {}, shared)[0].items()}
    known = [Constraint(expr, lambda v, w=value: v == w, where, 0) for expr, value, where in read]
    values, notes = _infer(table, found, _given(table, given, base), shared, known)
    config = {name: item.value for name, item in values.items()}
    result = Match(table, config, values, notes=notes, slices=slices)
    lacking = {
        "not_compared": result.missing_outputs,
        "tied_off": result.tied_off,
        "needed": result.missing_inputs,
    }
    expected = {p.name: p for p in [*table.pins(clock), *table.ports(config)]}
    for name, port in expected.items():
        if name in shapes:
            _compare(result, port, shapes[name])
        elif ties and name in ties and port.direction == "in":
            if ties[name] >> port.width:
                limit = f"the port has {_bits(port.width)}; the most is {2**port.width - 1}"
                raise WlkError(Status.USAGE, f"--tie {name}={ties[name]}: {limit}")
            result.tied[name] = ties[name]
        else:
            lacking[port.lack].append(name)
    for name, shape in shapes.items():
        if name not in expected and name != table.clock:
            _note_extra(result, shape, name in places)
    return result


# ---- finding ------------------------------------------------------------------------------------


def may_fit(table: Table, names: Iterable[str], *, clock: bool = True) -> bool:
    """Quick look at names alone: clock, reset, and the inputs every configuration reads."""
    there = set(names)
    needed = {table.reset, table.clock if clock else None} - {None}
    return needed <= there and all(not options.isdisjoint(there) for options in _always_read(table))


@functools.cache
def _always_read(table: Table) -> list[set[str]]:
    """Inputs with a rule that no parameter takes away, those of the smallest configuration, each by
    its name and by that of its vector."""
    smallest = {p.name: min(p.legal) for p in table.params.values()}
    return [
        {p.name, table.vector(p.field) or p.name}
        for p in table.ports(smallest)
        if p.lack == "needed" and p.field.when is None and not p.field.opaque
    ]


def fits(
    table: Table,
    ports: Iterable[PortShape],
    *,
    clock: bool = True,
    ties: Mapping[str, int] | None = None,
) -> float:
    """Score of a scope or module as an instance of the block: the share of its ports that are
    there, 0 when it cannot be one.

    It needs the clock and reset the block has, every input a rule reads, one output, and no
    contradiction for the parameters inferred.
    """
    shapes = list(ports)
    if not may_fit(table, {name for name, _, _ in shapes} | set(ties or ()), clock=clock):
        return 0.0
    result = match(table, shapes, clock=clock, ties=ties)
    if not result.ok:
        return 0.0
    absent = len(result.missing_outputs) + len(result.tied_off)
    return len(result.present) / (len(result.present) + absent)


# ---- for a person -------------------------------------------------------------------------------


def _ranges(names: Sequence[str]) -> Iterator[str]:
    """Names with the runs of a last index joined: `data_0..15`."""
    position = 0
    while position < len(names):
        head, _, last = names[position].rpartition("_")
        end = position + 1
        if last.isdigit():
            while end < len(names) and names[end] == f"{head}_{int(last) + end - position}":
                end += 1
        run = end - position
        yield names[position] if run == 1 else f"{names[position]}..{int(last) + run - 1}"
        position = end


def render_differences(result: Match) -> str:
    """A table of what differs, and what is missing or left out; '' when all is equal."""
    lines = [*result.notes]
    if result.differences:
        table = report.Table("port", "expected", "found")
        table.rows = [(d.port, d.expected, d.found) for d in result.differences]
        lines.append(table.render())
    for what, names in (
        ("missing inputs that the model reads", result.missing_inputs),
        ("missing outputs, not compared", result.missing_outputs),
        ("missing inputs that no rule reads, tied off", result.tied_off),
    ):
        if names:
            lines.append(f"{what} ({len(names)}): {', '.join(_ranges(names))}")
    return "\n".join(lines)

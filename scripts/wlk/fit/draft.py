# SPDX-License-Identifier: Apache-2.0
"""A first port map for a module, as text: what likeness finds, with its doubts marked, in the
format that portmap.py reads."""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..base.errors import WlkError
from ..tables import Table
from ..tables.files import DOUBT
from . import likeness, mapped, match, portmap, rtl, shapes, slots, words
from .families import families
from .likeness import Guess
from .portmap import PortMap, Shape

CLOCK = re.compile(r"(?:^|_)(?:clk|clock|ck|aclk)(?:_?i)?(?:_|$)", re.IGNORECASE)
ACTIVE_LOW = re.compile(
    r"(?:_[nbl]|(?<![_i])n|_ni|_low|_bar|_x)(?:_?i|_in)?$|(?:^|_)n_?a?re?s", re.IGNORECASE
)


@dataclass
class Draft:
    """A map in the making."""

    table: Table
    module: rtl.Module
    clock: str | None = None
    reset: str | None = None
    active: str = "high"
    style: str = "sync"
    is_level_sure: bool = True
    rivals: Mapping[str, Sequence[str]] = field(default_factory=dict)  # for clock and reset
    free_running: list[str] = field(default_factory=list)  # clocks that the block does not have
    guesses: list[Guess] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)  # that nothing is found for
    outputs: list[str] = field(default_factory=list)
    open_ports: list[str] = field(default_factory=list)  # of the table, which a rule reads
    told: PortMap = field(default_factory=PortMap)
    config: dict[str, str] = field(default_factory=dict)  # that the ports leave open
    parameters: Mapping[str, str] = field(default_factory=dict)  # of the module, as given
    problem: str = ""  # why the map does not fit yet

    @property
    def doubts(self) -> list[str]:
        """Lines that a person must look at."""
        found = [key for guess in self.guesses if not guess.is_sure for key, _ in guess.lines]
        return [*found, *self.inputs, *self.open_ports, *self.config]


def of(module: rtl.Module, table: Table, told: PortMap | None = None) -> Draft:
    """The likely places of a block's ports, beside those that a map has already."""
    told = told or PortMap()
    free = shapes.of_ports(module)
    draft = Draft(table, module, parameters=told.parameters)
    _find_clock(draft, free, told)
    for name in (draft.clock, draft.reset, *draft.free_running, *_roots_of(told, table)):
        free.pop(name, None)
    draft.guesses = likeness.guesses(table, free)
    used = {name for guess in draft.guesses for name in guess.ports}
    for name, shape in free.items():
        if name not in used:
            (draft.outputs if shape.direction == "out" else draft.inputs).append(name)
    draft.told = told
    _judge(draft)
    return draft


def lines_for(module: rtl.Module, found: match.Match) -> tuple[list[str], str]:
    """Lines of a map for what does not fit: likely places of ports that a module lacks among those
    that the table lacks. And a question about the first difference, or nothing."""
    table = found.table
    unknown = [each.port for each in found.differences if each.expected.startswith("no such port")]
    own = shapes.of_ports(module)
    signals = {where: name for name in own for where, _ in shapes.signals(name, own[name])}
    free = {signals[where]: own[signals[where]] for where in unknown if where in signals}
    lacking = {*found.missing_inputs, *found.missing_outputs, *found.tied_off}
    draft = Draft(table, module)
    _find_clock(draft, free, PortMap())
    draft.clock = draft.clock if table.clock in lacking else None
    draft.reset = draft.reset if table.reset in lacking else None
    for name in (draft.clock, draft.reset):
        free.pop(name, None)
    draft.guesses = likeness.guesses(table, free, lacking)
    used = {name for guess in draft.guesses for name in guess.ports}
    rest = [name for name in free if name not in used]
    draft.inputs = [name for name in rest if free[name].direction == "in"]
    draft.outputs = [name for name in rest if free[name].direction == "out"]
    first = found.differences[0].port if found.differences else ""
    first = signals.get(first, first)
    means = {draft.clock: table.clock, draft.reset: table.reset}
    means |= {name: guess.family.key for guess in draft.guesses for name in guess.ports}
    question = f"did you mean {means[first]}?" if means.get(first) else ""
    return body(draft), question


def _roots_of(told: PortMap, table: Table) -> Iterator[str]:
    for entry in told.entries(table):
        yield entry.place.name


def _find_clock(draft: Draft, own: Mapping[str, Shape], told: PortMap) -> None:
    """Clock and reset, by their names."""
    bits = [n for n, s in own.items() if s.direction == "in" and s.width == 1]
    clocks = sorted((n for n in bits if CLOCK.search(n)), key=_plainness)
    resets = sorted((n for n in bits if mapped.RESET.search(n)), key=_plainness)
    if draft.table.clock is None:
        draft.free_running = [*clocks, *resets]
        return
    draft.clock = told.clock or next(iter(clocks), None)
    draft.reset = told.reset.port or next(iter(resets), None)
    if draft.reset is None:
        return
    use = mapped.reset_use(draft.module, draft.reset)
    named = "low" if ACTIVE_LOW.search(draft.reset) else "high"
    draft.active = told.reset.active or (use.active if use.is_sure and use.active else named)
    draft.style = told.reset.style or use.style
    draft.is_level_sure = told.reset.active is not None or use.active in (None, draft.active)
    draft.rivals = {"clock": clocks[1:], "reset": resets[1:]}


def _plainness(name: str) -> tuple[int, int]:
    """Of the clocks or resets of a module the block's is the one with the fewest words."""
    said = words.tokens(name)
    return len({*said} & words.APART), len(said)


def text(draft: Draft) -> str:
    """The map as a file."""
    table, module = draft.table, draft.module
    lines = [
        f"# Port map of module {module.name} for block {table.name}; format: docs/port-maps.md.",
        f"# Lines with {DOUBT} are guesses: look at them.",
    ]
    lines += [f"# It does not fit yet: {draft.problem}"] if draft.problem else []
    lines += ["version = 1", f'block = "{table.name}"', f"module = {_text(module.name)}"]
    return "\n".join([*lines, *body(draft)]) + "\n"


def body(draft: Draft) -> list[str]:
    """The lines behind the head."""
    lines: list[str] = []
    if draft.parameters:
        lines += ["", "[parameters]"]
        lines += [f"{_key(name)} = {_value(value)}" for name, value in draft.parameters.items()]
    if draft.config:
        lines += ["", "[config]"]
        lines += [
            f"{_key(key)} = {_value(value)}  {DOUBT} the ports leave it open"
            for key, value in draft.config.items()
        ]
    if draft.clock is not None:
        lines += ["", "[clock]", f"port = {_text(draft.clock)}{_or(draft.rivals.get('clock'))}"]
    if draft.reset is not None:
        lines += ["", "[reset]", f"port = {_text(draft.reset)}{_or(draft.rivals.get('reset'))}"]
        doubt = "" if draft.is_level_sure else f"  {DOUBT} its name and the RTL differ"
        lines += [f'active = "{draft.active}"{doubt}', f'style = "{draft.style}"']
    if draft.guesses or draft.open_ports:
        lines += ["", "[ports]", *(line for guess in draft.guesses for line in _lines(guess))]
        lines += [
            f'# {_key(name)} = ""  {DOUBT} no port is like it; a rule reads it'
            for name in draft.open_ports
        ]
    if draft.inputs or draft.free_running:
        lines += ["", "[inputs]"]
        lines += [f'{_key(name)} = "random"' for name in draft.free_running]
        lines += [
            f"{_key(name)} = 0  {DOUBT} no port of the block is like it" for name in draft.inputs
        ]
    if draft.outputs:
        names = ", ".join(map(_text, draft.outputs))
        lines += ["", "[outputs]", f"ignore = [{names}]"]
    return lines


def _or(others: Sequence[str] | None) -> str:
    return f"  {DOUBT} or {' or '.join(others[:2])}" if others else ""


def _lines(guess: Guess) -> Iterator[str]:
    tail = ""
    if not guess.is_sure:
        others = f" or {' or '.join(guess.others)}" if guess.others else ""
        tail = f"  {DOUBT}{others}" + (" which element is lowest?" if guess.is_open else "")
    for key, place in guess.lines:
        yield f"{_key(key)} = {_text(place)}{tail}"


def _value(text: str) -> str:
    """A number, or a string."""
    return text if re.fullmatch(r"0|[1-9][0-9]*", text) else _text(text)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else _text(name)


def _text(text: str) -> str:
    """A string of TOML; an escaped name of Verilog may have quotes in it."""
    return json.dumps(text)


def _judge(draft: Draft) -> None:
    """Read the map again, and note what it leaves open."""
    table, module = draft.table, draft.module
    try:
        told = portmap.parsed(tomllib.loads(text(draft)), "the map")
        ports = mapped.leaves(module, table, told)
        found = match.match(table, ports.shapes, told.config)
    except WlkError as error:
        draft.problem = error.message
        return
    draft.open_ports = list(found.missing_inputs)
    loose = [item.name for item in found.params.values() if item.ambiguous]
    shown = found.table.show(found.config, found.unknown)
    draft.config = {key: str(shown[key]) for key in found.table.settings_of(loose)}
    if found.differences:
        first = found.differences[0]
        draft.problem = f"{first.port}: expected {first.expected}, found {first.found}"
    draft.told = dataclasses.replace(told, where=draft.told.where)


def fitting(module: rtl.Module, tables: Sequence[Table]) -> list[tuple[float, Table]]:
    """How like a module is each of some blocks, the likest first: the share of the block's inputs
    that a rule reads, and of the module's ports, that have a place."""
    found = []
    own = shapes.of_ports(module)
    most = len({atom for slot in slots.of(own) for atom in slot.atoms})
    for table in tables:
        wanted = [f for f in families(table) if f.field.read and f.field.direction == "in"]
        if len(wanted) > 2 * most:  # mostly not there, and long to look for
            found.append((0.0, table))
            continue
        sure = sum(guess.score for guess in of(module, table).guesses)
        found.append((sure / max(len(wanted), len(own)), table))
    return sorted(found, key=lambda each: -each[0])

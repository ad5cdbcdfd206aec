# SPDX-License-Identifier: Apache-2.0
"""The files of a first block folder (docs/own-blocks.md): a table, a model that models nothing yet,
a port map where one is needed, and a page."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..tables import Expr
from ..tables.files import DOUBT, MODEL, PORT_MAP, TABLE

PAGE = "README.md"
LIST = "rtl.f"
INDEX = "ij"  # names of the first and the second index


@dataclass(frozen=True)
class Parameter:
    """A parameter of the block, which is one of the module."""

    name: str
    verilog: str
    default: int
    low: int
    high: int
    pow2: bool = False


@dataclass(frozen=True)
class Row:
    """A row of `field`."""

    path: tuple[tuple[str, str | None], ...]  # component and count
    direction: str
    width: str
    place: str = ""  # in the module, where its names are not the table's
    first: int = 0
    max_width: int | None = None
    read: bool = True
    valid_when: str = ""
    doc: str = ""

    @property
    def flat(self) -> str:
        return ".".join(part for part, _ in self.path)

    @property
    def name(self) -> str:
        """The path with its counts."""
        return ".".join(part + (f"[{n}]" if n is not None else "") for part, n in self.path)

    @property
    def counts(self) -> list[str]:
        return [count for _, count in self.path if count is not None]

    @property
    def key(self) -> str:
        """The name of its ports, with {i} and {j} for the indices."""
        names, free = [], iter(INDEX)
        for part, count in self.path:
            names += [part] if part != "_" else []
            names += [f"{{{next(free)}}}"] if count is not None else []
        return "_".join(names)

    @property
    def access(self) -> str:
        """What a model calls it."""
        free = iter(INDEX)
        return ".".join(
            part + (f"[{next(free)}]" if count is not None else "") for part, count in self.path
        )


@dataclass(frozen=True)
class Channel:
    """A row of `channel`."""

    name: str
    valid: str
    ready: str | None
    bits: tuple[str, ...]


@dataclass
class Block:
    """What a first folder says of a module."""

    name: str
    module: str
    rtl: list[str]  # as `block.rtl` has them
    clock: str | None = None
    reset: str | None = None  # as the table has it
    reset_port: str | None = None  # and the module
    is_low: bool = False
    is_async: bool = False
    parameters: Sequence[Parameter] = ()
    rows: Sequence[Row] = ()
    channels: Sequence[Channel] = ()
    constraints: Sequence[tuple[str, str]] = ()  # when, text
    fixed: Mapping[str, str] = field(default_factory=dict)  # parameters of the module, as given
    others: Mapping[str, int] = field(default_factory=dict)  # at their defaults
    notes: Sequence[str] = ()  # what a person should look at
    listed: Sequence[str] = ()  # lines of LIST, where it is needed

    @property
    def outputs(self) -> list[Row]:
        return [row for row in self.rows if row.direction == "out"]


def texts(block: Block) -> dict[str, str]:
    """Every file by its name."""
    found = {TABLE: table(block), MODEL: model(block), PAGE: page(block)}
    if (text := port_map(block)) is not None:
        found[PORT_MAP] = text
    if block.listed:
        found[LIST] = "\n".join(block.listed) + "\n"
    return found


# ---- the table ----------------------------------------------------------------------------------


def table(block: Block) -> str:
    """block.toml."""
    head: dict[str, object] = {"name": block.name, "module": block.module, "model_version": 1}
    head |= {"clock": block.clock} if block.clock else {}
    head |= {"reset": block.reset} if block.reset else {}
    head |= {"prefix": "", "spec": PAGE, "doc": f"module {block.module}", "rtl": block.rtl}
    lines = ["format = 1", *(f"block.{key} = {_toml(value)}" for key, value in head.items())]
    if block.parameters:
        lines.append(f"block.verilog = {_toml({p.verilog: p.name for p in block.parameters})}")
    if block.others:
        names = ", ".join(f"{key} = {value}" for key, value in block.others.items())
        lines += [f"# Parameters that stay at their defaults: {names}. A row of param and an entry"]
        lines += ["# of block.verilog make one of them a parameter of the block."]
    lines += ["", *_rows("param", [_parameter(each) for each in block.parameters])]
    doubts = [_doubt(each) for each in block.rows]
    lines += ["", *_rows("field", [_field(each) for each in block.rows], doubts)]
    if block.channels:
        lines += ["", *_rows("channel", [_channel(each) for each in block.channels])]
    if block.constraints:
        rows = [{"when": when, "text": text} for when, text in block.constraints]
        lines += ["", *_rows("constraint", rows)]
    return "\n".join([*lines, "", 'config.default = ""']) + "\n"


def _rows(
    name: str, rows: Sequence[Mapping[str, object]], doubts: Sequence[str] | None = None
) -> list[str]:
    if not rows:
        return [f"{name} = []"]
    marks = doubts or [""] * len(rows)
    lines = (f"  {_toml(row)},{mark}" for row, mark in zip(rows, marks, strict=True))
    return [f"{name} = [", *lines, "]"]


def _doubt(row: Row) -> str:
    """The mark of an output that is compared less than it might be, by its name alone."""
    if row.direction != "out" or not row.valid_when:
        return ""
    return f"  {DOUBT} compared only while {row.valid_when} is 1"


def _toml(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case Mapping():
            inside = ", ".join(f"{_key(key)} = {_toml(each)}" for key, each in value.items())
            return f"{{ {inside} }}" if value else "{}"
        case list() | tuple():
            return f"[{', '.join(map(_toml, value))}]"
        case int():
            return str(value)
    return json.dumps(str(value), ensure_ascii=False)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name) else json.dumps(name)


def _number(text: str) -> int | str:
    """An expression, as a number where it is one."""
    return int(text) if text.isdigit() else text


def _parameter(each: Parameter) -> dict[str, object]:
    row: dict[str, object] = {"name": each.name, "default": each.default}
    row |= {"min": each.low, "max": each.high} | ({"pow2": True} if each.pow2 else {})
    return row | {"doc": f"{each.verilog} of the module"}


def _field(row: Row) -> dict[str, object]:
    found: dict[str, object] = {"name": row.name, "dir": row.direction}
    found["width"] = _number(row.width)
    found |= {"max_width": row.max_width} if row.max_width else {}
    found |= {"first": row.first} if row.first else {}
    found |= {} if row.read else {"read": False}
    found |= {"valid_when": row.valid_when} if row.valid_when else {}
    return found | ({"doc": row.doc} if row.doc else {})


def _channel(each: Channel) -> dict[str, object]:
    row: dict[str, object] = {"name": each.name, "valid": each.valid}
    row |= {"ready": each.ready} if each.ready else {}
    return row | {"bits": list(each.bits)}


# ---- the port map -------------------------------------------------------------------------------


def port_map(block: Block) -> str | None:
    """map.toml; None where the module's ports are the table's."""
    lines: list[str] = []
    if block.fixed:
        lines += ["[parameters]", *(f"{k} = {_toml(v)}" for k, v in block.fixed.items())]
    if block.reset is not None and (block.is_low or block.is_async):
        lines += ["[reset]", f'port = "{block.reset_port}"']
        lines += ['active = "low"'] if block.is_low else []
        lines += ['style = "async"'] if block.is_async else []
    placed = [row for row in block.rows if row.place]
    if placed:
        lines += ["[ports]", *(f'{_key(row.key)} = "{row.place}"' for row in placed)]
    return "\n".join(["version = 1", f'block = "{block.name}"', *lines]) + "\n" if lines else None


# ---- the model ----------------------------------------------------------------------------------


def model(block: Block) -> str:
    """model.c."""
    shows = "\n".join(f"    // {line}" for line in _shows(block))
    return f"""\
// Model of module {block.module}. It models nothing yet: an output that `outputs` does not SHOW has
// care 0, so it is not compared. How to go on: {PAGE}.
#include "warplock/{block.name}_ports.h"

#define MODEL      {block.name}
#define MODEL_CAPS {block.name.upper()}
#include "frame/model.h"

// What the module remembers from one cycle to the next: its registers and memories.
struct wlk_{block.name}_state {{
    uint8_t none; // in place of the first one
}};

#include "frame/structs.h"

// The outputs of a cycle. One that a register drives follows from the state alone; one that is
// combinational may read `in`. SHOW says a value, and that each bit of the output must match it.
static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, out_t *out, out_t *care) {{
    (void)cfg, (void)st, (void)in, (void)out, (void)care;
{shows}
}}

// The clock edge: the next state, from the state and the inputs of the cycle that ends.
static void edge(const cfg_t *cfg, state_t *st, const in_t *in) {{
    (void)cfg, (void)st, (void)in;
}}

// What the reset sets. At an edge in reset, `edge` runs, then this. What neither sets is unknown.
static void clear(const cfg_t *cfg, state_t *st) {{
    (void)cfg, (void)st;
}}

WLK_STRUCTS_MODEL({".unknown_start = true" if block.clock else ""});
"""


def _shows(block: Block) -> Iterator[str]:
    """A line for each output."""
    for row in block.outputs:
        show = f"SHOW({row.access}, 0);"
        for index, count in reversed([*zip(INDEX, row.counts, strict=False)]):
            end = Expr(count, block.name).c()
            show = f"for (uint32_t {index} = 0; {index} < {end}; {index}++) {{ {show} }}"
        yield show


# ---- the page -----------------------------------------------------------------------------------


def page(block: Block) -> str:
    """README.md."""
    lines = [f"# {block.name}", "", f"Module `{block.module}`: {', '.join(block.rtl)}.", ""]
    lines += ["What it does, cycle by cycle, belongs here: the model is written from this page,"]
    lines += ["not from the RTL, or both have the same faults.", "", *_ports(block)]
    if block.parameters:
        lines += ["", "| parameter | of the module | values | default |", "|---|---|---|---|"]
        lines += [
            f"| `{p.name}` | `{p.verilog}` | {p.low}..{p.high}{', powers of two' * p.pow2} "
            f"| {p.default} |"
            for p in block.parameters
        ]
    if block.notes:
        lines += ["", "To look at:", "", *(f"- {note}" for note in block.notes)]
    return "\n".join([*lines, "", *_next(block)]) + "\n"


def _ports(block: Block) -> Iterator[str]:
    yield from ("| port | direction | bits | in the module |", "|---|---|---|---|")
    if block.clock:
        yield f"| `{block.clock}` | in | 1 | clock |"
    channels = {name: c.name for c in block.channels for name in (c.valid, c.ready, *c.bits)}
    for row in block.rows:
        where = f"`{row.place}`" if row.place else "the same"
        if row.flat == block.reset:
            low, style = "low" if block.is_low else "high", "a" * block.is_async + "synchronous"
            where = f"reset `{block.reset_port}`, active {low}, {style}"
        elif row.flat in channels:
            where += f", channel {channels[row.flat]}"
        yield f"| `{row.name}` | {row.direction} | {row.width} | {where} |"


def _next(block: Block) -> Iterator[str]:
    first = block.outputs[0].access
    yield from ("## Next", "")
    yield f"1. `warplock lockstep {block.name} --blocks FOLDER` is VACUOUS, and names every output"
    yield "   that nobody models."
    yield f"2. Give the model the registers that `{first}` needs (`struct wlk_{block.name}_state`,"
    yield "   `edge`, `clear`), and SHOW it in `outputs`. Run again: its bits are compared."
    yield "3. The next output, until all are modelled: PASS."
    yield f"4. In `{TABLE}`: a text (`doc`) for each port, coverage points with floors (`cover`),"
    yield "   named configurations (`config`), protocol rules (`rule`)."

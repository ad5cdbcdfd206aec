# SPDX-License-Identifier: Apache-2.0
"""A first block of a module that nobody has written a table for: its ports as rows, with widths by
its parameters where these explain them, its clock, reset and channels."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pyslang import ast

from ..base.errors import Status, WlkError
from ..gen import block_folder, c
from ..gen.block_folder import Block, Row
from ..tables import WORD, Table, parse
from ..tables.files import DOUBT, TABLE
from . import channels, folding, interfaces, mapped, match, names, parts, pins, portmap, rtl, widths
from .pins import Pins

# Limits of a block: frame/map.h and block.h.
MOST_ROWS, MOST_VALUES, MOST_NAME, MOST_PARAMETERS = 256, 64, 95, 32
REMEDY = "put a module around it that has arrays or structs of them, or take a module inside"


def draft(
    module: rtl.Module,
    name: str,
    words: Sequence[str],
    given: Mapping[str, str],
    clock: str | None = None,
    reset: tuple[str, str | None, str | None] | None = None,
) -> Block:
    """The block of a module. `words`: its RTL as the table names it; `given`: parameters. Fails
    with one line for a module that can be no block."""
    module.design.override(module, given)
    _refuse(module)
    pinned = pins.find(module, clock, reset)
    own = [name for name in (pinned.clock, pinned.reset) if name]

    def look() -> tuple[object, widths.Numbers]:
        found = parts.of(module, own)
        return tuple(p.structure for p in found), tuple(n for p in found for n in p.numbers)

    sampler = widths.Sampler(module, look, given)
    fitted = widths.fit(sampler)
    _take_most(fitted)
    rows = _spared([*_rows(parts.of(module, own), fitted.texts)], own)
    rows = _apart(folding.fold(rows))
    rows = [_unread(row, pinned) for row in rows]
    _require_few(module, rows)
    rows, constraints = _bounded(rows, fitted.parameters)
    rows, handshakes = channels.find(rows)
    block = Block(name, module.name, list(words), clock=pinned.clock, fixed=given)
    _take_reset(block, pinned, rows)
    block.parameters, block.others = fitted.parameters, fitted.others
    block.constraints = constraints
    block.channels = [*channels.names_once(handshakes)]
    block.notes = [*_notes(pinned, rows)]
    return block


def _take_most(fitted: widths.Fit) -> None:
    if len(fitted.parameters) > MOST_PARAMETERS:
        message = f"{len(fitted.parameters)} parameters show in the ports; a block has at most "
        raise WlkError(Status.IFACE_CHANGED, f"{message}{MOST_PARAMETERS}; give some with -G")


# ---- what can be no block -----------------------------------------------------------------------


def _refuse(module: rtl.Module) -> None:
    """IFACE_CHANGED for ports that no table can have, and for a module without outputs."""
    has_output = False
    for port in interfaces.ports(module):
        where = f"{module.where}: module {module.name}: port {port.name or '(without a name)'}"
        why = _why_not(port)
        if why:
            raise WlkError(Status.IFACE_CHANGED, f"{where}: {why}")
        has_output |= port.direction == ast.ArgumentDirection.Out
    if not has_output:
        message = f"module {module.name} has no output, so nothing could be compared"
        hint = "name another with --module, or one inside it"
        raise WlkError(Status.IFACE_CHANGED, f"{module.where}: {message}; {hint}")


def _why_not(port: object) -> str:
    """Why a table cannot have a port; empty when it can."""
    around = "put a module around it that"
    if port.kind == ast.SymbolKind.InterfacePort:
        return f"an interface; {around} has its members as ports, one for each direction"
    if port.kind != ast.SymbolKind.Port or port.isNullPort:
        return f"several signals in one, or none; {around} has each as a port"
    if port.direction not in rtl.DIRECTIONS:
        return f"inout; {around} has an input and an output in its place"
    if not names.PLAIN.fullmatch(port.name.replace("$", "_")):
        return f"a name with signs that no table can have; {around} calls it otherwise"
    kind = port.type
    has_bits = kind.isIntegral or (kind.bitstreamWidth and not kind.isFloating)
    if not kind.isError and not has_bits:
        return f"{kind}, which has no bits; {around} has bits in its place"
    return ""


def _require_few(module: rtl.Module, rows: Sequence[Row]) -> None:
    """IFACE_CHANGED for more than a block can have."""
    numbers = {text for row in rows for text in (*row.counts, row.width)}
    long = [row.key for row in rows if len(row.key) > MOST_NAME - 6]
    what = ""
    if len(rows) > MOST_ROWS:
        what = f"{len(rows)} kinds of ports; a block has at most {MOST_ROWS} rows, where ports "
        what += f"x_0, x_1, … of one width count once; {REMEDY}"
    elif len(numbers) > MOST_VALUES - 4:
        what = f"ports of {len(numbers)} different widths and counts; a block has at most "
        what += f"{MOST_VALUES - 4}; {REMEDY}"
    elif long:
        what = (
            f"port {long[0]}: a name of {len(long[0])} letters; at most {MOST_NAME - 6}; {REMEDY}"
        )
    if what:
        message = f"module {module.name}: {what}"
        raise WlkError(Status.IFACE_CHANGED, f"{module.where}: {message}")


def _notes(found: Pins, rows: Sequence[Row]) -> Iterator[str]:
    for name in found.other_clocks:
        means = "changes at most once a cycle, with the other inputs; the model must find its edges"
        yield f"{name} is a clock too, and here an input like any: it {means}"
    if found.clock and not found.reset:
        yield (
            "no reset was found: outputs are compared from the first cycle on, where they are "
            "known; if there is one, name it with --reset NAME[:low][:async]"
        )
    gated: dict[str, list[str]] = {}
    for row in rows:
        if row.direction == "out" and row.valid_when:
            gated.setdefault(row.valid_when, []).append(row.flat)
    for valid, outputs in gated.items():
        how = f"in {TABLE} remove the mark {DOUBT} where it is right, else valid_when"
        names_ = ", ".join(outputs)
        yield f"compared only while {valid} is 1, which is a guess by the names: {names_}; {how}"


# ---- rows ---------------------------------------------------------------------------------------


def _rows(found: Sequence[parts.Part], texts: Sequence[str]) -> Iterator[Row]:
    """Parts with their numbers as expressions."""
    left = iter(texts)
    for part in found:
        path = tuple((n, next(left) if count is not None else None) for n, count in part.path)
        row = Row(path, part.direction, next(left), part.place)
        yield replace(row, place="") if row.key == part.place else row


def _spared(rows: Sequence[Row], own: Sequence[str]) -> list[Row]:
    """Rows whose first parts are each called otherwise than the clock and reset."""
    return [_renamed(row, row.path[0][0] + "_") if row.path[0][0] in own else row for row in rows]


def _renamed(row: Row, first: str) -> Row:
    (_, count), *rest = row.path
    return replace(row, path=((first, count), *rest), place=row.place or row.key)


def _apart(rows: Sequence[Row]) -> list[Row]:
    """Rows of which no two have a port, or a name in C, in common."""
    patterns = Counter(row.flat.replace(".", "_") for row in rows)
    keys = [re.compile(re.sub(r"\\{[ij]\\}", r"\\d+", re.escape(row.key))) for row in rows]
    result = []
    for row in rows:
        ports = row.key.replace("{i}", "0").replace("{j}", "0")
        several = sum(key.fullmatch(ports) is not None for key in keys)
        is_shared = several > 1 or patterns[row.flat.replace(".", "_")] > 1
        is_own = not row.place and "{" not in row.key
        result.append(_renamed(row, row.path[0][0] + "_p") if is_shared and not is_own else row)
    return result


def _unread(row: Row, found: Pins) -> Row:
    """A clock or a reset of a module without registers, which no rule reads; another clock."""
    name = row.place or row.flat
    is_pin = pins.CLOCK.search(name) or pins.RESET.search(name)
    if found.clock is None and is_pin and row.direction == "in" and row.width == "1":
        return replace(row, read=False)
    return replace(row, doc="another clock") if name in found.other_clocks else row


def _bounded(
    rows: Sequence[Row], parameters: Sequence[widths.Parameter]
) -> tuple[list[Row], list[tuple[str, str]]]:
    """Rows with what their places need, and the configurations that would have too wide ports."""
    result, constraints = [], {}
    for row in rows:
        if widths.beyond(row.width, parameters):
            text = f"port {row.key} would have more than {WORD} bits"
            constraints.setdefault(
                f"{row.width} > {WORD}", text.replace("{", "{{").replace("}", "}}")
            )
            row = replace(row, max_width=WORD)
        elif folding.literal(row) * _most(row.width, parameters) > WORD and row.width != str(WORD):
            row = replace(row, max_width=WORD)  # elements at even distances
        result.append(row)
    return result, [*constraints.items()]


def _most(text: str, parameters: Sequence[widths.Parameter]) -> int:
    return next(n for n in range(1, WORD + 1) if not widths.beyond(text, parameters, n))


def _take_reset(block: Block, found: Pins, rows: Sequence[Row]) -> None:
    """The reset as a row, before all others; under its own name if it is what tables have."""
    block.rows = rows
    if found.reset is None:
        return
    name = names.c_name(found.reset)
    if found.is_low:
        name = "reset"
    taken = {row.flat.replace(".", "_") for row in rows} | {found.clock}
    while name in taken:
        name += "_"
    block.reset, block.reset_port = name, found.reset
    block.is_low, block.is_async = found.is_low, found.is_async
    block.rows = [Row(((name, None),), "in", "1", doc="reset"), *rows]


# ---- does it fit? -------------------------------------------------------------------------------


def check(block: Block, module: rtl.Module, folder: Path) -> Table:
    """The table as it will be read, when it fits the module; MODEL_ERROR says why it does not."""
    table = parse(tomllib.loads(block_folder.table(block)), folder / TABLE)
    text = block_folder.port_map(block)
    told = portmap.parsed(tomllib.loads(text), "map.toml") if text else portmap.PortMap()
    module.design.override(module, block.fixed)
    ports = mapped.leaves(module, table, told)
    match.match(table, ports.shapes, table.show(table.defaults())).require(module.where)
    c.CTable(table).source()
    return table

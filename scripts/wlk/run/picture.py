# SPDX-License-Identifier: Apache-2.0
"""A WaveDrom picture of a shrunk failure: the handshakes that are used, cell by cycle, and each
port that differs twice, as the RTL and as the model has it, with the wrong cell marked.

Values are written as in a report, without 0x; `x` is what the model does not know, and bits while
their valid is low. Both sides agree up to the first difference: what is shown before it is of both.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..tables import Config, Table
from ..tables.fields import Port

WRONG, RIGHT = "9", "7"  # WaveDrom's colours of a value: red, green
MOST_CYCLES, MOST_SIGNALS = 32, 48
WIDE = 5  # characters of a value that need a wider cell
LETTER, CELL = 8, 40  # width of a letter of the head and of a cell, in pixels
Record = Mapping[str, Any]  # a cycle as `vectors dump` prints it: in, out, care, hexadecimal


@dataclass(frozen=True)
class Difference:
    """A port of the first wrong cycle."""

    port: str
    got: int
    expected: int


def draw(
    table: Table, config: Config, records: Sequence[Record], at: int, wrong: Iterable[Difference]
) -> dict[str, Any]:
    """The picture as WaveDrom reads it; `at`: the number of the first wrong record."""
    wrong = {each.port: each for each in wrong}
    first = max(0, at + 1 - MOST_CYCLES)
    shown = [_cells(record) for record in records[first : at + 1]]
    groups: list[Any] = [["reset", *_plain(table.reset, table, config, shown)]]
    left = dict(wrong)
    for name, ports in channels(table, config):
        valid = ports[0]
        names = {port.name for port in ports}
        if not any(cells[valid.name] == "1" for cells in shown) and not names & wrong.keys():
            continue
        signals = [s for port in ports for s in _signals(port, valid, shown, wrong.get(port.name))]
        groups.append([name, *signals])
        left = {port: each for port, each in left.items() if port not in names}
    others = {port.name: port for port in table.ports(config)}
    rest = [s for n, each in left.items() for s in _signals(others[n], None, shown, each)]
    groups += [["", *rest]] if rest else []
    groups = [group for group in groups if len(group) > 1]
    text = f"{table.name}: first wrong output in cycle {at}"
    kept = _few(groups)
    longest = max(len(v) for group in kept for s in group[1:] for v in s.get("data", [""]))
    fitting = -(-(LETTER * len(text) - CELL) // (CELL * len(shown)))  # that the head is not cut
    scale = {"config": {"hscale": max(1 + longest // WIDE, fitting)}}
    head: dict[str, Any] = {"text": text}
    if len(shown) > 1:  # the package takes the two ends of one cycle for something else
        head["tick"] = first
    return {"signal": kept, "head": head} | scale


def svg(picture: Mapping[str, Any]) -> str:
    """The picture as SVG."""
    import wavedrom

    return wavedrom.render(json.dumps(picture)).tostring()


def _few(groups: list[list[Any]]) -> list[list[Any]]:
    """As many signals as can be looked at; those of a port that differs are all among them."""
    room = MOST_SIGNALS
    kept = []
    for group in groups:
        signals = [s for n, s in enumerate(group[1:]) if n < room or "(" in s["name"]]
        room = max(0, room - len(signals))
        kept += [[group[0], *signals]] if signals else []
    return kept


def _cells(record: Record) -> dict[str, str]:
    """Port -> value, "x" where the model does not care."""
    cells = dict(record["in"])
    for port, value in record["out"].items():
        cells[port] = value if int(record["care"][port], 16) else "x"
    return cells


def channels(table: Table, config: Config) -> Iterable[tuple[str, list[Port]]]:
    """Each handshake with its ports that mean something to a reader, valid first."""
    ports = table.ports(config)
    for channel in table.channels:
        bits = set(channel.get("bits", ()))
        for valid in (port for port in ports if port.field.flat == channel["valid"]):
            own = [p for p in ports if p.index[: len(valid.index)] == valid.index]
            ready = [p for p in own if p.field.flat == channel.get("ready")]
            rest = [
                p for p in own if p.field.valid_when == channel["valid"] or p.field.flat in bits
            ]
            rest = [p for p in rest if p.read and p.lane is None and not _is_opaque(p)]
            number = "".join(f"[{n}]" for n in valid.index)
            yield f"{channel['name']}{number}", [valid, *ready, *rest]


def _is_opaque(port: Port) -> bool:
    return port.field.notation == "opaque" or port.field.opaque


def _plain(
    name: str | None, table: Table, config: Config, shown: Sequence[Mapping[str, str]]
) -> list[dict[str, Any]]:
    """A port of that name outside the handshakes, where it is ever high."""
    found = [port for port in table.ports(config) if port.field.flat == name]
    used = [port for port in found if any(cells[port.name] != "0" for cells in shown)]
    return [signal for port in used for signal in _signals(port, None, shown, None)]


def _signals(
    port: Port, valid: Port | None, shown: Sequence[Mapping[str, str]], wrong: Difference | None
) -> list[dict[str, Any]]:
    """One line; of a port that differs two."""
    hidden = valid is not None and port.field.valid_when == valid.field.flat
    values = ["x" if hidden and cells[valid.name] == "0" else cells[port.name] for cells in shown]
    name = port.field.label or port.name
    if wrong is None:
        return [_signal(name, port, values)]
    return [
        _signal(f"{name} (RTL)", port, [*values[:-1], f"{wrong.got:x}"], WRONG),
        _signal(f"{name} (model)", port, [*values[:-1], f"{wrong.expected:x}"], RIGHT),
    ]


def _signal(name: str, port: Port, values: Sequence[str], mark: str = "") -> dict[str, Any]:
    """A line of WaveDrom; `mark`: the colour of its last cell."""
    wave, data = "", []
    single = port.width == 1
    if port.field.notation == "decimal":
        values = [value if value == "x" else str(int(value, 16)) for value in values]
    for number, value in enumerate(values):
        marked = mark and number == len(values) - 1
        if number and value == values[number - 1] and not marked:
            wave += "."
        elif marked or (value != "x" and not single):
            wave += mark if marked else "="
            data.append(value)
        else:
            wave += value
    return {"name": name, "wave": wave, **({"data": data} if data else {})}

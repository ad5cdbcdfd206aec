# SPDX-License-Identifier: Apache-2.0
"""The waveforms of docs/blocks are what the model does: each is played, each output compared.

A picture's `head` has the parameters that are not the default. It starts after one reset cycle at
unknown power-up; inputs that it does not draw are 0. In a lane a number is a value, `x` an input
without meaning (it is played as zeros and as ones) or an output that is not known. A word stands
for a value: the same wherever it is, on inputs and outputs.
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

import programs
import pytest
from wlk import tables

FENCE = re.compile(r"^```wavedrom\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = programs.ROOT / "docs" / "blocks"
BLOCKS = tables.names()
Shown = tuple[int, int]
"""Value and care"""


class Lane(NamedTuple):
    """What one line of a picture shows of its ports, cycle by cycle."""

    name: str
    direction: str
    ports: list[tables.Port]
    cells: list[str]
    """"x", a number, or a word"""


def pictures(block: str) -> list[dict]:
    text = (PAGES / f"{block}.md").read_text(encoding="utf-8")
    return [json.loads(body) for body in FENCE.findall(text)]


def config_of(picture: dict) -> dict[str, str]:
    return dict(word.split("=") for word in picture.get("head", {}).get("text", "").split())


def drawn_name(port: tables.Port) -> str:
    """The name of a port in pictures: `readReq.bits.regs[0].pReg`; lanes have one in common."""
    index = iter(port.index)
    parts = [p if count is None else f"{p}[{next(index)}]" for p, count in port.field.path]
    return ".".join(parts)


def ports_of(block: str, picture: dict) -> list[tables.Port]:
    table = tables.load(block)
    return table.ports(table.config(config_of(picture)))


def lanes_of(block: str, picture: dict) -> list[Lane]:
    by_name: dict[str, list[tables.Port]] = {}
    for port in ports_of(block, picture):
        by_name.setdefault(drawn_name(port), []).append(port)
    drawn = [lane for lane in picture["signal"] if lane and lane["name"] != "clock"]
    assert len({len(lane["wave"]) for lane in picture["signal"] if lane}) == 1
    found = [(lane, by_name[lane["name"]]) for lane in drawn]
    return [Lane(one["name"], p[0].direction, p, programs.cells_of(one, "01x")) for one, p in found]


def number(cell: str, words: list[str], width: int) -> int | None:
    """The value of a cell; a word is a number of its own, distinct where the width allows."""
    if cell == "x":
        return None
    if cell in words:
        return (0x55 + words.index(cell)) & ((1 << width) - 1)
    return int(cell, 0)


def mask(port: tables.Port) -> int:
    return (1 << port.width) - 1


def shown(cycle: dict, port: tables.Port) -> Shown:
    return int(cycle["out"][port.name], 16), int(cycle["care"][port.name], 16)


def rows_of(lanes: list[Lane], words: list[str], meaningless: int) -> list[dict[str, int]]:
    """The inputs of each cycle; `meaningless` is what an x is played as."""
    rows: list[dict[str, int]] = [{} for _ in lanes[0].cells]
    for lane in (one for one in lanes if one.direction == "in"):
        for row, cell in zip(rows, lane.cells, strict=True):
            for port in lane.ports:
                value = number(cell, words, port.width)
                row[port.name] = meaningless & mask(port) if value is None else value
    return rows


def played(block: str, picture: dict, rows: list[dict]) -> list[dict]:
    """Outputs and care of the model in each cycle, behind the reset."""
    inputs = [port for port in ports_of(block, picture) if port.direction == "in"]
    values = [[f"{row.get(p.name, 0):x}" for p in inputs] for row in [{"reset": 1}, *rows]]
    text = programs.csv({p.name: f"i{p.width}" for p in inputs}, values)
    table = tables.load(block)
    words = table.words(table.config(config_of(picture)))
    done = programs.run("dpi/wlk-vec", "model", block, "unknown", *words, stdin=text)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()][1:]


def drawn(lanes: list[Lane]) -> Iterator[tuple[int, Lane, tables.Port, str]]:
    """Cycle, lane, port and cell of each output drawn."""
    for lane in (one for one in lanes if one.direction == "out"):
        for cycle, cell in enumerate(lane.cells):
            for port in lane.ports:
                yield cycle, lane, port, cell


def differences(block: str, picture: dict) -> Iterator[str]:
    """What a picture draws and the model does not do."""
    lanes = lanes_of(block, picture)
    words = sorted({cell for lane in lanes for cell in lane.cells if not cell[0].isdigit()} - {"x"})
    given = {cell for lane in lanes if lane.direction == "in" for cell in lane.cells}
    for meaningless in (0, ~0):
        cycles = played(block, picture, rows_of(lanes, words, meaningless))
        assert len(cycles) == len(lanes[0].cells)
        stand_for: dict[str, Shown] = {"x": (0, 0)}
        for n, lane, port, cell in drawn(lanes):
            got = shown(cycles[n], port)
            if cell in words and cell not in given:
                stand_for.setdefault(cell, got)
            wanted = stand_for.get(cell) or (number(cell, words, port.width), mask(port))
            if got != wanted:
                yield f"cycle {n}: {lane.name} is {got[0]:#x} (care {got[1]:#x}), not {cell}"


@pytest.mark.parametrize("block", BLOCKS)
def test_waves_are_what_the_model_does(block):
    found = pictures(block)
    assert found
    for picture in found:
        assert list(differences(block, picture)) == []


@pytest.mark.parametrize("block", BLOCKS)
def test_waves_draw_outputs(block):
    """No picture of inputs alone; each has outputs that change."""
    for picture in pictures(block):
        moving = [
            one
            for one in lanes_of(block, picture)
            if one.direction == "out" and len(set(one.cells)) > 1
        ]
        assert len(moving) >= 3


@pytest.mark.parametrize("block", BLOCKS)
def test_waves_wrong_bit_is_reported(block):
    """Each 0 or 1 of an output, drawn the other way, is a difference."""
    picture = pictures(block)[0]
    outputs = {one.name for one in lanes_of(block, picture) if one.direction == "out"}
    lane = next(x for x in picture["signal"] if x and x["name"] in outputs and "1" in x["wave"])
    at = lane["wave"].index("1")
    lane["wave"] = lane["wave"][:at] + "0" + lane["wave"][at + 1 :]
    assert any(lane["name"] in differing for differing in differences(block, picture))

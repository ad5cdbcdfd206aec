# SPDX-License-Identifier: Apache-2.0
"""First port maps for ports in many styles: each line is right, or marked as a guess.

A file of styles/ has the ports of a module; behind `|` is the block's port that each is, as a line
of a map has it.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from wlk import tables
from wlk.fit import draft, mapped, match, portmap, rtl, shapes
from wlk.fit.families import families

STYLES = Path(__file__).parent / "styles"
# How many lines are wrong (and marked): names alone do not tell them apart.
WRONG = {"alike": 10, "misleading": 2}
pytestmark = pytest.mark.needs("rtl")


@dataclass
class Style:
    """The ports of a module, and what they are."""

    said: dict[str, str] = field(default_factory=dict)  # block, clock, reset
    package: list[str] = field(default_factory=list)
    ports: list[str] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, name: str) -> Style:
        style, part = cls(), ""
        for line in (STYLES / f"{name}.txt").read_text(encoding="utf-8").splitlines():
            if line in ("package:", "ports:"):
                part = line
            elif part == "package:":
                style.package.append(line)
            elif part == "ports:":
                port, _, means = line.partition("|")
                style.ports.append(port)
                pairs = (each.split(" = ") for each in means.split(";") if each.strip())
                style.places |= {key.strip(): place.strip() for key, place in pairs}
            elif not line.startswith("#"):
                key, _, value = line.partition(" = ")
                style.said[key] = value
        return style

    def module(self, folder: Path) -> rtl.Module:
        imports = [
            line.split()[1].rstrip(";") for line in self.package if line.split()[0] == "package"
        ]
        head = "".join(f" import {name}::*;" for name in imports)
        text = "\n".join([*self.package, f"module styled{head} (", ",\n".join(self.ports), ");"])
        path = folder / "styled.sv"
        path.write_text(f"{text}\nendmodule\n")
        return rtl.load([path]).find("styled")


def bits_of(
    told: portmap.PortMap, table: tables.Table, module: rtl.Module
) -> dict[str, tuple[str, portmap.Bits]]:
    """What each port of the block is, and the line that says it."""
    own = shapes.of_ports(module)
    lines: dict[str, list] = {}
    for entry in told.entries(table):
        try:
            bits = entry.place.bits(own[entry.place.name])
        except LookupError:  # a list may have fewer
            continue
        lines.setdefault(entry.by, []).append((entry, bits.where, bits.lsb, bits.width))
    found = {}
    for line in lines.values():
        for (entry, *bits), is_there in zip(line, portmap.within(line), strict=True):
            if is_there:
                found[entry.port] = (entry.by.removeprefix("[ports] "), bits)
    return found


@pytest.mark.parametrize("name", sorted(path.stem for path in STYLES.glob("*.txt")))
def test_styles_each_line_is_right_or_marked(tmp_path, name):
    style = Style.read(name)
    module, table = style.module(tmp_path), tables.load(style.said["block"])
    found = draft.of(module, table)
    text = draft.text(found)
    told = portmap.parsed(tomllib.loads(text), "the draft")
    wanted = bits_of(portmap.PortMap(ports=style.places), table, module)
    written = bits_of(told, table, module)
    doubted = {key for guess in found.guesses if not guess.is_sure for key, _ in guess.lines}
    doubted |= {"[clock]", "[reset]"}
    for port in (table.clock, table.reset):
        written.pop(port, None)
    wrong = {by for port, (by, bits) in written.items() if wanted.get(port, ("", None))[1] != bits}
    assert wrong <= doubted
    assert len(wrong) == WRONG.get(name, 0)
    needed = [family.pattern for family in families(table) if not family.is_spare]
    lacking = {*wanted} - {*written}
    assert not [port for port in lacking if any(each.fullmatch(port) for each in needed)]
    assert (told.clock or "") == style.said.get("clock", "")
    reset = style.said.get("reset", " ").split(" ")
    assert [told.reset.port or "", told.reset.active or ""] == reset[:2]
    for line in doubted & {*told.ports}:
        assert any(line in row and draft.DOUBT in row for row in text.splitlines())


@pytest.mark.parametrize("name", ["prefixed", "structs", "stream", "upper", "letters", "suffixed"])
def test_styles_map_fits_as_it_is_written(tmp_path, name):
    style = Style.read(name)
    module, table = style.module(tmp_path), tables.load("collector")
    found = draft.of(module, table)
    assert (found.problem, found.open_ports) == ("", [])
    assert len(found.doubts) <= 5
    told = portmap.parsed(tomllib.loads(draft.text(found)), "the draft")
    assert match.match(table, mapped.leaves(module, table, told).shapes).kind == "subset"

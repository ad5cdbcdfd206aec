# SPDX-License-Identifier: Apache-2.0
"""The stub RTL against the recordings of the real blocks: every output, every cycle.

A recording that powers up with zeros must match from the first cycle on. With power-up unknown,
each is compared from the first reset edge on. What no reset reaches is then of two kinds
(muon-issue §0). Contents that only show on ports, the RS output stage and unwritten words of the
register files, are found by a second design that starts with ones: bits on which the two differ are
masked. The arbiters' `last` steers, so every value is tried, and one must explain the whole
recording.
"""

from __future__ import annotations

import csv
import json
import lzma
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import programs
import pytest
from wlk import tables
from wlk.gen import composed, stubs
from wlk.run import verilate

LIMIT = 300  # of one recording [s]
MAIN = Path(__file__).with_name("stub_main.cpp")
HAZARD_LAST = "hazard.u_core.u_arbiter.g_last.last_q"
RS_LAST = "reservStation.u_core.u_arbiter.g_last.last_q"


class Recording(NamedTuple):
    """A recording, as its README tells it."""

    block: str
    letter: str
    params: dict[str, int]
    zero: bool  # powers up with zeros
    masked: int  # bits that the spec leaves unknown from the first reset edge on


RECORDINGS = [
    Recording("scoreboard", "A", {}, True, 0),
    Recording(
        "scoreboard", "B", {"num_warps": 1, "num_pregs": 32, "max_pending_reads": 1}, False, 0
    ),
    Recording(
        "scoreboard", "C", {"num_warps": 4, "num_pregs": 64, "max_pending_reads": 3}, False, 0
    ),
    Recording("hazard", "A", {}, False, 0),
    Recording("hazard", "B", {"num_warps": 1, "num_lanes": 2, "num_pregs": 32}, True, 0),
    Recording(
        "hazard", "C", {"num_warps": 3, "num_lanes": 4, "num_pregs": 64, "debug": 1}, False, 0
    ),
    Recording("reservation_station", "A", {}, True, 870),
    Recording(
        "reservation_station",
        "B",
        {"num_warps": 2, "num_lanes": 2, "num_pregs": 32, "rs_entries": 1, "coll_entries": 1},
        False,
        1_440,
    ),
    Recording(
        "reservation_station",
        "C",
        {"num_warps": 2, "num_lanes": 2, "num_pregs": 32, "rs_entries": 2, "coll_entries": 4}
        | {"in_order_per_warp": 1, "debug": 1},
        False,
        1_015,
    ),
    Recording(
        "reservation_station",
        "D",
        {"num_warps": 8, "num_lanes": 4, "num_pregs": 64, "rs_entries": 16}
        | {"in_order_per_warp": 1, "forward_coll_issue": 0},
        False,
        924,
    ),
    Recording(
        "reservation_station",
        "E",
        {"num_warps": 4, "num_lanes": 4, "num_pregs": 64, "rs_entries": 32, "coll_entries": 2},
        False,
        1_216,
    ),
    Recording("issue", "A", {}, False, 320_942),
    Recording(
        "issue",
        "B",
        {"num_warps": 4, "num_lanes": 2, "num_pregs": 32, "rs_entries": 4, "coll_entries": 1}
        | {"max_pending_reads": 3},
        False,
        6_502,
    ),
    Recording(
        "issue", "C", {"num_lanes": 4, "num_pregs": 128, "in_order_per_warp": 1}, False, 43_886
    ),
    Recording(
        "issue",
        "D",
        {"num_warps": 4, "num_lanes": 4, "rs_entries": 32, "coll_entries": 4, "reg_banks": 4}
        | {"forward_coll_issue": 0},
        True,
        82_617,
    ),
    Recording(
        "issue",
        "E",
        {"num_warps": 1, "num_lanes": 2, "num_pregs": 32, "rs_entries": 2, "max_pending_reads": 1},
        False,
        5_978,
    ),
]


def steering(one: Recording, config: tables.Config) -> list[str]:
    """The `last` of each arbiter that has one."""
    top = f"TOP.{tables.load(one.block).module}."
    hazard = {"hazard": HAZARD_LAST.removeprefix("hazard."), "issue": HAZARD_LAST}
    station = {"reservation_station": RS_LAST.removeprefix("reservStation."), "issue": RS_LAST}
    found = []
    if one.block in hazard and config["num_warps"] > 1:
        found.append(top + hazard[one.block])
    if one.block in station and config["rs_entries"] > 1:
        found.append(top + station[one.block])
    return found


def read(one: Recording) -> tuple[list[tuple[str, str, int]], str]:
    """(name, "i" or "o", width) of each port, and the rows as the program takes them."""
    path = programs.recording(f"muon/{one.block}_{one.letter}.csv.xz")
    with lzma.open(path, "rt", newline="") as text:
        lines = csv.reader(text)
        names, kinds = next(lines)[1:], next(lines)[1:]
        rows = "".join(" ".join(line[1:]) + "\n" for line in lines)
    return [(n, k[0], int(k[1:])) for n, k in zip(names, kinds, strict=True)], rows


def build(one: Recording, ports: list[tuple[str, str, int]], place: Path) -> Path:
    """The Verilated stub with stub_main.cpp around it."""
    table = tables.load(one.block)
    stub = stubs.write_stub(table, table.config(one.params))
    lines = [f"PORT({name}, {int(kind == 'i')}, {width})\n" for name, kind, width in ports]
    (place / "ports.inc").write_text("".join(lines), encoding="utf-8")
    visible = place / "visible.vlt"
    visible.write_text(
        '`verilator_config\npublic_flat_rw -module "rr_arbiter" -var "*last_q"\n',
        encoding="utf-8",
    )
    tool = verilate.find_tool("system")
    words = [tool.program, "--cc", "--exe", "--build", "-Mdir", place, "--prefix", "Vstub"]
    words += ["--top-module", table.module, "--x-initial", "unique", "-CFLAGS", f"-I{place}"]
    words += ["-MAKEFLAGS", "OPT_FAST=-O1 OPT_SLOW=-O0 OBJCACHE=ccache", visible, *stub, MAIN]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return place / "Vstub"


def scopes(path: Path) -> dict[str, list[str]]:
    """Signals of each scope of a waveform."""
    done = programs.run("dpi/wlk-check", "list", path)
    assert done.returncode == 0, done.stderr
    return {
        s["path"]: [name for name, *_ in s["signals"]] for s in json.loads(done.stdout)["scopes"]
    }


def test_inner_modules_have_the_recorded_ports() -> None:
    """Instances and the ports that are left to them, as in the recording of the whole stage."""
    seen = scopes(programs.recording("muon/issue_B.fst"))
    (one,) = [r for r in RECORDINGS if (r.block, r.letter) == ("issue", "B")]
    table = tables.load(one.block)
    texts = composed.module_texts(table, table.config(one.params))
    inside = {each["name"]: tables.load(each["block"]).module for each in table.instances}
    place = f"TOP.{table.module}"
    assert {p for p in seen if p.startswith(f"{place}.")} == {f"{place}.{name}" for name in inside}
    for name, module in inside.items():
        ports = re.findall(r"^    (?:in|out)put .*?(\w+),?$", texts[module], re.MULTILINE)
        assert sorted(ports) == sorted(seen[f"{place}.{name}"]), module


def play(program: Path, rows: str, *words: str) -> dict:
    """What the program says of a recording."""
    done = subprocess.run(
        [program, *words], input=rows, capture_output=True, text=True, timeout=LIMIT
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("one", RECORDINGS, ids=lambda one: f"{one.block}_{one.letter}")
def test_stub_matches_the_recording(one: Recording, tmp_path: Path) -> None:
    """With unknown power-up, and with the zeros it had."""
    ports, rows = read(one)
    program = build(one, ports, tmp_path)
    config = tables.load(one.block).config(one.params)
    said = play(program, rows, "unknown", *steering(one, config))
    print(said)
    assert said["mismatch"] == ""
    assert said["fitting"] >= 1
    assert said["masked"] == one.masked
    if one.zero:
        said = play(program, rows, "zero")
        assert said["mismatch"] == ""
        assert (said["cycles"], said["masked"]) == (rows.count("\n"), 0)

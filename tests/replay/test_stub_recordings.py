# SPDX-License-Identifier: Apache-2.0
"""The stub RTL against the recordings of the real blocks: every output, every cycle.

A recording that powers up with zeros must match from the first cycle on. With power-up unknown,
each is compared from the first reset edge on. What no reset reaches is then of two kinds
(muon-issue §0). Contents that only show on ports, the RS output stage and unwritten words of the
register files, are found by a second design that starts with ones: bits on which the two differ are
masked. The arbiters' `last` steers, so every value is tried, and one must explain the whole
recording.
"""

import json
import lzma
import re
import subprocess
from pathlib import Path

import programs
import pytest
from wlk import tables
from wlk.gen import composed, stubs
from wlk.run import verilate

LIMIT = 300  # of one recording [s]
MAIN = Path(__file__).with_name("stub_main.cpp")
# Those whose `last` no reset reaches: instance in the stage, block, what it chooses among.
ARBITERS = [
    ("hazard", "hazard", "num_warps"),
    ("reservStation", "reservation_station", "rs_entries"),
]
RECORDINGS = programs.recordings("scoreboard", "hazard", "reservation_station", "issue")


def steering(one: programs.Recording, config: tables.Config) -> list[str]:
    """The `last` of each arbiter that has one."""
    top = f"TOP.{tables.load(one.block).module}."
    found = []
    for scope, block, size in ARBITERS:
        if one.block in (block, "issue") and config[size] > 1:
            inside = f"{scope}." if one.block == "issue" else ""
            found.append(f"{top}{inside}u_core.u_arbiter.g_last.last_q")
    return found


def rows_of(one: programs.Recording) -> str:
    """The rows as the program takes them."""
    with lzma.open(one.path, "rt") as text:
        lines = [line.replace(",", " ").partition(" ")[2] for line in text]
    return "".join(lines[2:])


def build(one: programs.Recording, place: Path) -> Path:
    """The Verilated stub with stub_main.cpp around it."""
    table = tables.load(one.block)
    stub = stubs.write_stub(table, table.config(one.params))
    ports = programs.header(one.path)
    lines = [f"PORT({name}, {int(side == 'in')}, {width})\n" for name, side, width in ports]
    (place / "ports.inc").write_text("".join(lines), encoding="utf-8")
    visible = place / "visible.vlt"
    visible.write_text(
        '`verilator_config\npublic_flat_rw -module "rr_arbiter" -var "*last_q"\n', encoding="utf-8"
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
    done = programs.run("dpi/wlk-check", "session", path, stdin="")
    assert done.returncode == 0, done.stderr
    return {
        s["path"]: [name for name, *_ in s["signals"]] for s in json.loads(done.stdout)["scopes"]
    }


def test_inner_modules_have_the_recorded_ports() -> None:
    """Instances and the ports that are left to them, as in the recording of the whole stage."""
    seen = scopes(programs.recording("muon/issue_B.fst"))
    (one,) = [r for r in RECORDINGS if r.name == "issue_B"]
    table = tables.load(one.block)
    texts = composed.module_texts(table, table.config(one.params))
    inside = {each["name"]: tables.load(each["block"]).module for each in table.instances}
    place = f"TOP.{table.module}"
    assert {p for p in seen if p.startswith(f"{place}.")} == {f"{place}.{name}" for name in inside}
    for name, module in inside.items():
        ports = re.findall(r"^    (?:in|out)put .*?(\w+),?$", texts[module], re.MULTILINE)
        assert sorted(ports) == sorted(seen[f"{place}.{name}"]), module


def play(program: Path, rows: str, *words: str) -> dict:
    """What the program answers for a recording."""
    done = subprocess.run(
        [program, *words], input=rows, capture_output=True, text=True, timeout=LIMIT
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("one", RECORDINGS, ids=lambda one: one.name)
def test_stub_matches_the_recording(one: programs.Recording, tmp_path: Path) -> None:
    """With unknown power-up, and with the zeros it had."""
    rows, program = rows_of(one), build(one, tmp_path)
    config = tables.load(one.block).config(one.params)
    answer = play(program, rows, "unknown", *steering(one, config))
    print(answer)
    assert answer["mismatch"] == ""
    assert answer["fitting"] >= 1
    assert answer["masked"] == one.masked
    if one.zero:
        answer = play(program, rows, "zero")
        assert answer["mismatch"] == ""
        assert (answer["cycles"], answer["masked"]) == (rows.count("\n"), 0)

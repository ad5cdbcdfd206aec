# SPDX-License-Identifier: Apache-2.0
"""`warplock check --from-unknown`: recordings cut, with gaps, with a fault, and bad input."""

import functools
import subprocess
from collections.abc import Iterator
from pathlib import Path

import programs
import pytest
from wlk.base.errors import Status
from wlk.run import build

pytestmark = pytest.mark.needs("gtkwave")

AFTER_RESET = 2700  # the recordings are reset once more a little after the middle
PERIOD = 10  # a cycle, in the units of the recordings; the clock rises in its middle


@pytest.fixture
def check(monkeypatch):
    folder = programs.folder()
    monkeypatch.setattr(build, "meson_build", lambda: folder)
    return lambda *words, code=0: programs.warplock("check", "--json", *words, code=code)


@functools.cache
def as_vcd(name: str) -> tuple[str, list[str]]:
    """Head and body of a recording."""
    command = ["fst2vcd", programs.recording(f"muon/{name}.fst")]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    head, end, body = text.partition("$enddefinitions $end\n")
    return head + end, [line for line in body.splitlines() if not line.startswith("$")]


def symbol_of(line: str) -> str:
    return line.split()[1] if line[0] in "bBrR" else line[1:]


def unknown(line: str) -> str:
    """A change to X of the same signal."""
    return f"bx {symbol_of(line)}" if line[0] in "bB" else f"x{symbol_of(line)}"


def off(body: list[str], first: int, last: int) -> Iterator[str]:
    """The changes of a dump that is off in cycles first..last-1; from 0 on: that starts late."""
    values: dict[str, str] = {}
    state = "before"
    for line in body:
        is_time = line.startswith("#")
        if is_time and state == "before" and int(line[1:]) >= PERIOD * first:
            state = "off"
            yield from ([line, *map(unknown, values.values())] if first else ())
        if is_time and state == "off" and int(line[1:]) >= PERIOD * last:
            state = "on"
            yield from (line, *values.values())
            continue
        if not is_time:
            values[symbol_of(line)] = line
        if state != "off":
            yield line


def cut(path: Path, name: str, first: int, last: int, end: int | None = None) -> Path:
    head, body = as_vcd(name)
    lines = list(off(body, first, last))
    if end is not None:
        stop = [n for n, x in enumerate(lines) if x[0] == "#" and int(x[1:]) >= PERIOD * end]
        lines = lines[: stop[0]]
    path.write_text(head + "\n".join(lines) + "\n", encoding="ascii")
    return path


@pytest.mark.parametrize("name", ("scoreboard_B", "collector_B", "issue_E"))
def test_late_dump_is_compared(check, tmp_path, name):
    dump = cut(tmp_path / "late.vcd", name, 0, AFTER_RESET)
    assert "--from-unknown learns the state" in check(dump, code=Status.NO_RESET).err
    answer = check(dump, "--from-unknown", "--accept-inferred").json
    known = answer["from_unknown"]
    assert answer["verdict"] == "PASS"
    assert known["known_from"] < 100
    assert known["share"] > 0.9
    assert known["forgotten"] == 0


def test_gap_starts_anew(check, tmp_path):
    dump = cut(tmp_path / "gap.vcd", "scoreboard_B", 1000, 1500)
    whole = check(dump, code=None).json
    assert whole["verdict"] == "FUNCTIONAL_MISMATCH"  # as if nothing were missing
    answer = check(dump, "--from-unknown").json
    assert answer["from_unknown"]["forgotten"] == 1
    assert answer["from_unknown"]["share"] > 0.9


def test_fault_behind_a_late_start_is_reported(check, tmp_path):
    """The port shows another value in one cycle."""
    path = cut(tmp_path / "late.vcd", "collector_B", 0, AFTER_RESET)
    head, port = as_vcd("collector_B")[0], "io_readReq_ready"
    (symbol,) = {line.split()[3] for line in head.splitlines() if f" {port} " in line}
    fault, value, lines = PERIOD * (AFTER_RESET + 300), "1", []
    for line in path.read_text(encoding="ascii").splitlines():
        if line == f"#{fault + PERIOD // 2}":
            lines += [f"#{fault + 1}", f"{1 - int(value)}{symbol}"]
        if line[1:] == symbol:
            value = line[0]
        lines.append(line)
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    answer = check(path, "--from-unknown", code=Status.FUNCTIONAL_MISMATCH).json
    assert (answer["first"]["port"], answer["first"]["cycle"]) == (port, 300)


def test_dump_that_never_settles_is_vacuous(check, tmp_path):
    """No cycle in which no row is valid."""
    dump = cut(tmp_path / "late.vcd", "reservation_station_C", 0, 2657, 2900)
    done = check(dump, "--from-unknown", code=Status.VACUOUS)
    assert "known_from" not in done.json["from_unknown"]
    assert done.json["from_unknown"]["unknown"]["valid"] == 1
    assert "give more cycles, or some with a reset" in done.err
    assert "unknown at the end:" in done.err
    assert "    valid = unknown" in done.err


def test_power_up_zero_contradicts(check, tmp_path):
    done = check("none.fst", "--from-unknown", "--power-up", "zero", code=Status.USAGE)
    assert "--power-up zero knows the state that --from-unknown learns" in done.err


def test_folder_is_refused(check, tmp_path):
    done = check(tmp_path, "--from-unknown", code=Status.USAGE)
    assert "--from-unknown goes with one dump" in done.err

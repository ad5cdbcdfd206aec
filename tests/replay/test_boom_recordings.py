# SPDX-License-Identifier: Apache-2.0
"""Recordings of BOOM's real blocks, checked as `check` and the end of `lockstep` do it."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import programs
import pytest
from wlk import tables
from wlk.base.errors import Status, WlkError
from wlk.fit.scopes import Check
from wlk.run import build, recordings
from wlk.run import check as run_check

ROWS = 3000
# Name -> block, configuration, output bits of a row.
KNOWN = {
    "basic_n2": ("dispatch_basic", {"core_width": 2, "queues": "MEM:2,INT:2,FP:2"}, 632),
    "compacting_n3": ("dispatch_compacting", {"core_width": 3, "queues": "MEM:2,INT:1,FP:2"}, 528),
    "compacting_n4": ("dispatch_compacting", {"core_width": 4, "queues": "MEM:2,INT:4,FP:1"}, 739),
    "compactor_n4k2": ("compactor", {"n": 4, "k": 2}, 214),
}


@pytest.fixture
def built(monkeypatch) -> None:
    monkeypatch.setattr(recordings.setup, "BUILD", programs.folder().parent)
    monkeypatch.setattr(build, "meson_build", programs.folder)


def check_all(place: Path) -> list:
    return recordings.check_all(place, as_json=True, accept=True)


def check(dump: Path, blocks: list[str] | None = None, **options: Any) -> run_check.Checked:
    """The only answer; `options` as a command line has them."""
    names = blocks or tables.names()
    (only,) = run_check.check(Check(str(dump), **options), [tables.load(name) for name in names])
    return only


@pytest.mark.parametrize("name", KNOWN)
def test_csv_passes_as_its_own_block(built, tmp_path, capsys, name):
    shutil.copy(programs.recording(f"boom/{name}.csv.xz"), tmp_path)
    (result,) = check_all(tmp_path)
    block, config, bits = KNOWN[name]
    assert (result.block, result.verdict) == (block, Status.OK)
    assert config.items() <= result.config.items()
    assert (result.cycles, result.masked_bits) == (ROWS, 0)
    assert result.compared_bits == ROWS * bits


@pytest.mark.parametrize("name", KNOWN)
def test_fst_passes_as_its_own_block(built, name):
    checked = check(programs.recording(f"boom/{name}.fst"))
    block, config, bits = KNOWN[name]
    answer = checked.answer
    assert (answer["block"], answer["verdict"]) == (block, "PASS")
    assert config.items() <= answer["config"].items()
    assert answer["scope"] == f"TOP.{tables.load(block).module}"
    assert answer["cycles"] == ROWS
    assert answer["compared_bits"] == answer["cycles"] * bits
    assert (answer["masked_bits"], answer["not_compared"]) == (0, [])


def test_other_block_of_equal_ports_differs(built):
    checked = check(programs.recording("boom/basic_n2.fst"), ["dispatch_compacting"])
    assert checked.verdict == Status.FUNCTIONAL_MISMATCH
    assert checked.answer["first"]["port"].endswith("_ready")


def test_wrong_type_of_a_queue_is_a_mismatch(built):
    dump = programs.recording("boom/compacting_n3.fst")
    checked = check(dump, config={"queues": "MEM:2:1,INT:1:1,INT:2:2"})
    assert checked.verdict == Status.FUNCTIONAL_MISMATCH
    assert checked.answer["first"]["port"] == "io_dis_uops_2_0_valid"
    assert "io_dis_uops_2_0_bits_debug_pc" in checked.text
    assert "queues=MEM:2:1,INT:1:1,INT:2:2" in checked.text
    table = checked.text.partition("handshakes of the RTL in this cycle:\n")[2].splitlines()
    assert {"ren_uops[0]", "ren_uops[1]", "ren_uops[2]", "queue_1[0]"} <= set(table[0].split())
    assert table[2].split()[:6] == ["13*", "0x1", "0x1", "stalled", "0x1", "stalled"]
    assert "model state" not in checked.text


def test_types_are_found_by_the_behaviour(built):
    """As if the defaults were all wrong."""
    dump = programs.recording("boom/compacting_n3.fst")
    table = tables.load("dispatch_compacting")
    params = {
        name: replace(p, default=0 if name.endswith("_type") else p.default)
        for name, p in table.params.items()
    }
    whole = replace(table.whole, params=table.whole.params | params)
    (checked,) = run_check.check(Check(str(dump)), [whole.with_members([("x", 1)])])
    assert checked.verdict == Status.OK
    assert checked.answer["config"]["queues"] == "MEM:2,INT:1,FP:2"
    assert "behaviour" in checked.answer["inferred"]["queues"]


def test_width_that_the_ports_contradict_is_refused(built):
    with programs.error(Status.IFACE_CHANGED):
        check(programs.recording("boom/basic_n2.fst"), config={"queues": "MEM:2:1,INT:2:1"})


def test_import_of_other_fields_plays_clean(built, tmp_path):
    csv, out = programs.recording("boom/basic_n2.csv.xz"), tmp_path / "b.wlv"
    done = programs.typed("vectors", "import", "--csv", csv, out, "--block", "dispatch_basic")
    assert "  queues=MEM:2,INT:2,FP:2 (behaviour and ports)\n" in done.out
    assert "3,000      1,896,000            0  PASS" in programs.typed("vectors", "play", out).out


# ---- what samples ------------------------------------------------------------------------------
SIGNALS = {f"io_{side}_0_{name}": 4 if name == "bits_a" else 1
           for side in ("in", "out") for name in ("ready", "valid", "bits_a")}  # fmt: skip


def vcd(path: Path, *rows: str) -> Path:
    """A Compactor of one input; a row has a hexadecimal digit, or x, for each signal. One of seven
    signals begins with a clock.
    """
    clock = {"clock": 1} if len(rows[0]) > len(SIGNALS) else {}
    widths = {f"TOP.Compactor.{name}": width for name, width in (clock | SIGNALS).items()}
    values = [[letter if letter == "x" else int(letter, 16) for letter in row] for row in rows]
    steps = [(10 * n, dict(zip(widths, row, strict=True))) for n, row in enumerate(values)]
    path.write_text(programs.vcd(widths, [*steps, (10 * len(rows), {})]), encoding="utf-8")
    return path


CLOCK = "TOP.Compactor.clock"
FAILS = Status.FUNCTIONAL_MISMATCH
# Rows of a dump, options, the verdict, what the answer has of it. With seven digits the first is a
# clock: the ports settle between its edges, whatever they do at other times.
DUMPS = {
    "clock_beside_the_ports": (
        "0117117 1117117 0018117 0118118 1118118", {}, Status.OK, {"cycles": 2}
    ),
    "without_a_clock_each_change_is_a_sample": (
        "117117 117117 118118", {}, Status.OK, {"cycles": 2}
    ),
    # The block does not need it, so a bench may have tied it to a constant.
    "clock_that_never_rises": ("0117117 0118118 0118119", {}, FAILS, {"first.cycle": 2}),
    "clock_that_is_named_and_never_rises": (
        "0117117 0118118 0118119", {"clock": CLOCK}, Status.VACUOUS, {"cycles": 0}
    ),
    # Each vector is free again of an X in another.
    "unknown_control_is_skipped": (
        "117117 xx71xx 018018 119119", {}, Status.OK, {"cycles": 4, "skipped": 1}
    ),
    "unknown_payload_hides_the_payload": (
        "117117 11x11x 118118", {}, Status.OK, {"masked_bits": 4}
    ),
    "unknown_payload_hides_nothing_else": (
        "117117 11x10x 118118", {}, FAILS, {"first.port": "io_out_0_valid"}
    ),
    "unknown_output": ("117117 11811x", {}, FAILS, {"first.port": "io_out_0_bits_a"}),
    # The same transfers in the same order, one of them late: never one of timing.
    "late": ("117107 007117 118118 119119", {}, FAILS, {}),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "options", "verdict", "shown"), DUMPS.values(), ids=DUMPS)
def test_compactor_in_a_dump(built, tmp_path, rows, options, verdict, shown):
    checked = check(vcd(tmp_path / "a.vcd", *rows.split()), **options)
    assert checked.verdict == verdict
    answer = checked.answer
    answer |= {f"first.{key}": value for key, value in answer.get("first", {}).items()}
    assert {key: answer[key] for key in shown} == shown


def test_constant_input_that_is_not_in_the_dump_is_tied(built, tmp_path):
    dump = vcd(tmp_path / "a.vcd", "0117117", "1117117", "0118118", "1118118")
    lines = dump.read_text(encoding="utf-8").splitlines(keepends=True)
    code = next(line.split()[3] for line in lines if "io_out_0_ready" in line)
    dump.write_text("".join(line for line in lines if code not in line.split()))
    with pytest.raises(WlkError, match="--tie io_out_0_ready=VALUE"):
        check(dump)
    assert check(dump, tie={"io_out_0_ready": 1}).verdict == Status.OK
    assert check(dump, tie={"io_out_0_ready": 0}).verdict == FAILS


def test_clock_that_rises_seldom_does_not_pass(built, tmp_path):
    """Most vectors stand between its edges: they are left out, and so is what is wrong there."""
    work = [f"011{n:x}11{n:x}" for n in range(10)]
    checked = check(vcd(tmp_path / "a.vcd", *work[:5], "0118118", "1118118", *work[5:]))
    assert (checked.verdict, checked.answer["cycles"]) == (Status.VACUOUS, 1)
    assert f"{CLOCK} samples 1 vectors, the ports changed at 1" in checked.notes[0]
    assert "--clock PATH" in checked.notes[0]


def test_clock_of_the_harness_goes_before_the_port(built, tmp_path):
    """`lockstep` drives the port clock at random, and samples by a clock of its own."""
    dump = vcd(tmp_path / "a.vcd", "0117117", "1118118", "0119119", "0118118")
    scope = "$scope module Compactor"
    text = dump.read_text().replace(scope, f"$var wire 1 z wlk_clock $end\n{scope}")
    for time in range(4):
        text = text.replace(f"#{10 * time}\n", f"#{10 * time}\n0z\n", 1)
        text = text.replace(f"#{10 * time + 10}\n", f"#{10 * time + 5}\n1z\n#{10 * time + 10}\n", 1)
    dump.write_text(text)
    checked = check(dump)
    assert (checked.verdict, checked.answer["cycles"]) == (Status.OK, 4)

# SPDX-License-Identifier: Apache-2.0
"""Recordings of BOOM's real blocks, checked as `check` and the end of `lockstep` do it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import programs
import pytest
from wlk import tables
from wlk.base.errors import Status, WlkError
from wlk.fit.scopes import Check
from wlk.run import build, recordings
from wlk.run import check as run_check

pytestmark = pytest.mark.needs("vcd")

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
    return recordings.check_all(place, as_json=True)


def check(
    dump: Path,
    blocks: list[str] | None = None,
    clock: str | None = None,
    tie: dict[str, int] | None = None,
    **given: str,
) -> list[run_check.Checked]:
    wanted = Check(str(dump), clock=clock, tie=tie or {}, config=given)
    names = blocks or tables.names()
    return run_check.check(wanted, [tables.load(name) for name in names])


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
    (checked,) = check(programs.recording(f"boom/{name}.fst"))
    block, config, bits = KNOWN[name]
    answer = checked.answer
    assert (answer["block"], answer["verdict"]) == (block, "PASS")
    assert config.items() <= answer["config"].items()
    assert answer["scope"] == f"TOP.{tables.load(block).module}"
    assert answer["cycles"] == ROWS
    assert answer["compared_bits"] == answer["cycles"] * bits
    assert (answer["masked_bits"], answer["not_compared"]) == (0, [])


def test_other_block_of_equal_ports_differs(built):
    (checked,) = check(programs.recording("boom/basic_n2.fst"), ["dispatch_compacting"])
    assert checked.verdict == Status.FUNCTIONAL_MISMATCH
    assert checked.answer["first"]["port"].endswith("_ready")


def test_wrong_type_of_a_queue_is_a_mismatch(built):
    dump = programs.recording("boom/compacting_n3.fst")
    (checked,) = check(dump, queues="MEM:2:1,INT:1:1,INT:2:2")
    assert checked.verdict == Status.FUNCTIONAL_MISMATCH
    assert checked.answer["first"]["port"] == "io_dis_uops_2_0_valid"
    assert "io_dis_uops_2_0_bits_debug_pc" in checked.text
    assert "queues=MEM:2:1,INT:1:1,INT:2:2" in checked.text
    shown = "ren_uops[0] iq_type=0x1; ren_uops[1](stalled) iq_type=0x1; "
    shown += "ren_uops[2](stalled) iq_type=0x1; queue_1[0] iq_type=0x1;"
    assert f" 13: {shown}" in checked.text
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
        check(programs.recording("boom/basic_n2.fst"), queues="MEM:2:1,INT:2:1")


def vectors(*words) -> str:
    """What the command prints, which must go well."""
    command = [sys.executable, programs.ROOT / "scripts" / "warplock", "vectors", *words]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_of_other_fields_plays_clean(built, tmp_path):
    csv, out = programs.recording("boom/basic_n2.csv.xz"), tmp_path / "b.wlv"
    printed = vectors("import", "--csv", csv, out, "--block", "dispatch_basic")
    assert "  queues=MEM:2,INT:2,FP:2 (default and ports)\n" in printed
    assert "3,000      1,896,000            0  PASS" in vectors("play", out)


# ---- what samples ------------------------------------------------------------------------------
SIGNALS = {
    "io_in_0_ready": 1,
    "io_in_0_valid": 1,
    "io_in_0_bits_a": 4,
    "io_out_0_ready": 1,
    "io_out_0_valid": 1,
    "io_out_0_bits_a": 4,
}


def vcd(path: Path, *rows: str) -> Path:
    """A Compactor of one input; a row has a hexadecimal digit, or x, for each signal. One of seven
    signals begins with a clock.
    """
    clock = {"clock": 1} if len(rows[0]) > len(SIGNALS) else {}
    signals = clock | SIGNALS
    codes = dict(zip(signals, "abcdefg", strict=False))
    lines = ["$timescale 1ns $end", "$scope module TOP $end", "$scope module Compactor $end"]
    lines += [f"$var wire {w} {codes[name]} {name} $end" for name, w in signals.items()]
    lines += ["$upscope $end", "$upscope $end", "$enddefinitions $end"]
    for time, row in enumerate(rows):
        lines.append(f"#{10 * time}")
        for (name, width), letter in zip(signals.items(), row, strict=True):
            bits = letter if letter == "x" else f"{int(letter, 16):b}"
            lines.append(f"{bits}{codes[name]}" if width == 1 else f"b{bits} {codes[name]}")
    path.write_text("\n".join([*lines, f"#{10 * len(rows)}", ""]), encoding="utf-8")
    return path


def test_constant_input_that_is_not_in_the_dump_is_tied(built, tmp_path):
    rows = ["0117117", "1117117", "0118118", "1118118"]
    dump = vcd(tmp_path / "a.vcd", *rows)
    lines = dump.read_text(encoding="utf-8").splitlines(keepends=True)
    code = next(line.split()[3] for line in lines if "io_out_0_ready" in line)
    gone = [line for line in lines if line.rstrip() not in (f"1{code}", f"0{code}")]
    dump.write_text("".join(line for line in gone if "io_out_0_ready" not in line))
    with pytest.raises(WlkError) as error:
        check(dump)
    assert "--tie io_out_0_ready=VALUE" in error.value.message
    (checked,) = check(dump, tie={"io_out_0_ready": 1})
    assert checked.verdict == Status.OK
    (checked,) = check(dump, tie={"io_out_0_ready": 0})
    assert checked.verdict == Status.FUNCTIONAL_MISMATCH


def test_clock_beside_the_ports_samples(built, tmp_path):
    """Settled between its edges, whatever happens at other times."""
    dump = vcd(tmp_path / "a.vcd", "0117117", "1117117", "0018117", "0118118", "1118118")
    (checked,) = check(dump)
    assert (checked.verdict, checked.answer["cycles"]) == (Status.OK, 2)


def test_without_a_clock_each_change_is_a_sample(built, tmp_path):
    (checked,) = check(vcd(tmp_path / "a.vcd", "117117", "117117", "118118"))
    assert (checked.verdict, checked.answer["cycles"]) == (Status.OK, 2)


def test_clock_that_never_rises_samples_nothing(built, tmp_path):
    """The block does not need it, so a bench may have tied it to a constant."""
    rows = ("0117117", "0118118", "0118119")
    (checked,) = check(vcd(tmp_path / "a.vcd", *rows))
    assert checked.verdict == Status.FUNCTIONAL_MISMATCH
    assert checked.answer["first"]["cycle"] == 2
    (checked,) = check(vcd(tmp_path / "b.vcd", *rows), clock="TOP.Compactor.clock")
    assert (checked.verdict, checked.answer["cycles"]) == (Status.VACUOUS, 0)


def test_clock_that_rises_seldom_does_not_pass(built, tmp_path):
    """Most vectors stand between its edges: they are left out, and so is what is wrong there."""
    work = [f"011{n:x}11{n:x}" for n in range(10)]
    dump = vcd(tmp_path / "a.vcd", *work[:5], "0118118", "1118118", *work[5:])
    (checked,) = check(dump)
    assert (checked.verdict, checked.answer["cycles"]) == (Status.VACUOUS, 1)
    assert "TOP.Compactor.clock samples 1 vectors, the ports changed at 1" in checked.notes[0]
    assert "--clock PATH" in checked.notes[0]


def test_clock_of_the_harness_goes_before_the_port(built, tmp_path):
    """`lockstep` drives the port clock at random, and samples by a clock of its own."""
    dump = vcd(tmp_path / "a.vcd", "0117117", "1118118", "0119119", "0118118")
    text = dump.read_text().replace("$scope module Compactor", "$var wire 1 z wlk_clock $end\n"
                                    "$scope module Compactor")  # fmt: skip
    for time in range(4):
        text = text.replace(f"#{10 * time}\n", f"#{10 * time}\n0z\n", 1)
        text = text.replace(f"#{10 * time + 10}\n", f"#{10 * time + 5}\n1z\n#{10 * time + 10}\n", 1)
    dump.write_text(text)
    (checked,) = check(dump)
    assert (checked.verdict, checked.answer["cycles"]) == (Status.OK, 4)


# ---- X, of which each vector is free again ------------------------------------------------------


def test_vector_with_an_unknown_control_is_skipped(built, tmp_path):
    (checked,) = check(vcd(tmp_path / "a.vcd", "117117", "xx71xx", "018018", "119119"))
    assert checked.verdict == Status.OK
    assert (checked.answer["cycles"], checked.answer["skipped"]) == (4, 1)


def test_unknown_payload_hides_the_payload_alone(built, tmp_path):
    (checked,) = check(vcd(tmp_path / "a.vcd", "117117", "11x11x", "118118"))
    assert checked.verdict == Status.OK
    assert checked.answer["masked_bits"] == 4
    (checked,) = check(vcd(tmp_path / "b.vcd", "117117", "11x10x", "118118"))
    assert checked.verdict == Status.FUNCTIONAL_MISMATCH
    assert checked.answer["first"]["port"] == "io_out_0_valid"


def test_unknown_output_is_a_mismatch(built, tmp_path):
    (checked,) = check(vcd(tmp_path / "a.vcd", "117117", "11811x"))
    assert checked.verdict == Status.FUNCTIONAL_MISMATCH
    assert checked.answer["first"]["port"] == "io_out_0_bits_a"


def test_difference_is_never_one_of_timing(built, tmp_path):
    """The same transfers in the same order, one of them late."""
    rows = ("117107", "007117", "118118", "119119")
    (checked,) = check(vcd(tmp_path / "a.vcd", *rows))
    assert checked.verdict == Status.FUNCTIONAL_MISMATCH

# SPDX-License-Identifier: Apache-2.0
"""The monitor in cocotb, in Icarus and in the newest Verilator: Debian 12's is too old for it."""

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import programs
import pytest
from wlk import tables
from wlk.run import verilate

ROOT = programs.ROOT
HERE = Path(__file__).parent
EXAMPLE = ROOT / "docs/examples/cocotb"
SIMULATORS = {
    "icarus": pytest.mark.needs("cocotb", "iverilog"),
    "verilator": pytest.mark.needs("cocotb", "newest"),
}
BOTH = [pytest.param(name, marks=[mark, pytest.mark.slow]) for name, mark in SIMULATORS.items()]
FAULT = ("(alloc_valid_q != '1) || free_now;", "(alloc_valid_q != '1);")
FAILING = {
    "fails_where_the_model_has_another_depth": "FUNCTIONAL_MISMATCH in cycle ",
    "fails_without_a_reset": "NO_RESET",
    "fails_without_an_edge": "VACUOUS",
    "fails_where_the_test_ends_at_once": "VACUOUS",
}


def environment(simulator):
    """Of a simulation: this Python finds the package of this checkout and the library."""
    here = dict(os.environ) | {"PYTHONPATH": f"{ROOT / 'scripts/python'}", "OBJCACHE": "ccache"}
    del here["PYTEST_CURRENT_TEST"]  # with which cocotb's runner ends otherwise
    here["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{here['PATH']}"
    if simulator == "verilator":
        tool = verilate.find_tool("newest")
        here |= tool.environment() | {"PATH": f"{tool.root / 'bin'}{os.pathsep}{here['PATH']}"}
        here["PYTHONPATH"] = f"{ROOT / 'scripts/python'}"
        here["MAKEFLAGS"] = " ".join([*tool.make_args, "OPT_FAST=-O0", "OPT_SLOW=-O0"])
    return here


def simulate(simulator, place, top, module, *sources):
    """Each test of a module: whether it passed; and all that was printed."""
    words = [HERE / "simulate.py", simulator, place, top, module, *sources]
    done = subprocess.run(
        [sys.executable, *map(str, words)], capture_output=True, text=True, cwd=place,
        env=environment(simulator), timeout=500,
    )  # fmt: skip
    printed = done.stdout + done.stderr
    assert (place / "results.xml").is_file(), printed
    return outcomes(place / "results.xml"), printed


def outcomes(path):
    cases = ElementTree.parse(path).iter("testcase")
    return {case.get("name"): not [*case.iter("failure"), *case.iter("error")] for case in cases}


# ---- what is compared ---------------------------------------------------------------------------


@pytest.mark.parametrize("simulator", BOTH)
def test_monitor_compares_what_an_edge_sees(simulator, tmp_path):
    words = ("sampled", "cocotb_sampled", HERE / "sampled.sv")
    found, printed = simulate(simulator, tmp_path, *words)
    failing = dict(FAILING)
    if simulator == "icarus":
        failing["fails_at_an_input_that_is_x"] = "input push_valid_i is X where a rule reads it"
    wrong = {name for name, passed in found.items() if passed == (name in failing)}
    assert len(found) == 9 and not wrong, printed
    assert all(text in printed for text in failing.values()), printed
    assert "the monitor has not ended the test" not in printed


@pytest.mark.slow
@pytest.mark.needs("cocotb", "iverilog")
@pytest.mark.parametrize("fault", [False, True])
def test_block_without_a_clock(fault, tmp_path):
    table = tables.load("compactor")
    programs.warplock("stub", "compactor", "--config", table.small, "--out", tmp_path / "rtl")
    sources = sorted((tmp_path / "rtl").glob("*.sv"))
    if fault:
        spoil(tmp_path / "rtl", "valid_o[j] = 1'b1", "valid_o[j] = !valid_i[0]")
    found, printed = simulate("icarus", tmp_path, table.module, "cocotb_compactor", *sources)
    assert found == {"each_change_is_compared": not fault}, printed
    assert ("FUNCTIONAL_MISMATCH in cycle" in printed) == fault


def spoil(folder, right, wrong):
    """A fault in the one file that has the text."""
    (path,) = (each for each in folder.glob("*.sv") if right in each.read_text())
    path.write_text(path.read_text().replace(right, wrong))


# ---- the example --------------------------------------------------------------------------------


def run_example(simulator, place, rtl):
    words = [sys.executable, EXAMPLE / "run.py", simulator, rtl]
    done = subprocess.run(
        [*map(str, words)], capture_output=True, text=True, cwd=place, timeout=500,
        env=environment(simulator),
    )  # fmt: skip
    path = place / "sim_build" / simulator / "results.xml"
    assert path.is_file(), done.stdout + done.stderr
    return done.returncode, outcomes(path), done.stdout + done.stderr


@pytest.mark.parametrize("simulator", BOTH)
def test_example_passes_and_finds_a_fault(simulator, tmp_path):
    rtl = tmp_path / "my_rtl"
    programs.warplock("stub", "collector", "--config", "num_lanes=4", "--out", rtl)
    code, found, printed = run_example(simulator, tmp_path, rtl)
    assert code == 0 and len(found) == 2 and all(found.values()), printed
    assert "collector tb.u_collector: PASS, 300 cycles, 81434 bits compared" in printed
    spoil(rtl, *FAULT)
    code, found, printed = run_example(simulator, tmp_path, rtl)
    assert code == 1 and not found["collector_equals_its_model"], printed
    assert "collector tb.u_collector: FUNCTIONAL_MISMATCH in cycle 30" in printed
    assert re.search(r"  io_readReq_ready +0 +1 +0x1\n", printed)


@pytest.mark.slow
@pytest.mark.needs("cocotb", "iverilog")
@pytest.mark.parametrize("left_out", ["tests", "cycles"])
def test_example_that_compares_nothing_fails(left_out, tmp_path):
    """Without a test, and with a test that never waits, so that its monitor sees no cycle."""
    example, rtl = shutil.copytree(EXAMPLE, tmp_path / "copy"), tmp_path / "my_rtl"
    programs.warplock("stub", "collector", "--config", "num_lanes=4", "--out", rtl)
    text = (example / "test_collector.py").read_text()
    if left_out == "tests":
        text = text.replace("@cocotb.test()\n", "")
    else:
        text = text.replace("await FallingEdge(dut.clock)", "pass")
    (example / "test_collector.py").write_text(text)
    words = [sys.executable, example / "run.py", "icarus", rtl]
    done = subprocess.run(
        [*map(str, words)], capture_output=True, text=True, cwd=tmp_path, timeout=500,
        env=environment("icarus"),
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr

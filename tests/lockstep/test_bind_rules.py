# SPDX-License-Identifier: Apache-2.0
"""`bind --sva`: a block's protocol rules as assertions in a simulation of the user's own."""

import re
import subprocess

import programs
import pyslang
import pytest
import rtl_under_test as rut
import test_bind
from rtl_under_test import PINNED
from wlk.gen import rules
from wlk.gen.sv import Harness

ENTRIES = rut.SMALL | {"coll_entries": 3}  # a number of two bits can be out of range
BROKEN = "pair.u_a.u_collector.u_wlk_assertions.readData_unallocated"


def bind(out, rtl, *words):
    return test_bind.bind(out, rtl, "--sva", *words)


@pytest.fixture(scope="module")
def pair():
    """Two good collectors, with checkers and assertions."""
    rtl, out = rut.stub("pair_rules"), rut.folder("pair_rules_wlk")
    done = bind(out, rtl, *PINNED)
    assert "  assertions: readData_unallocated\n" in done.out
    return test_bind.simulate("pair_rules_sim", out, rtl)


def run(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("+LATE=20", "+STRAY=22")], ids=["legal", "before_reset"])
def test_assertions_are_silent(pair, words):
    """Before the first reset, and in it, anything may be on the ports."""
    code, printed = run(pair, *words)
    assert code == 0, printed
    assert printed.count(": PASS, ") == 2
    assert "Assertion" not in printed


@pytest.mark.slow
def test_assertion_fails_in_the_cycle_of_the_violation(pair):
    """It names rule and instance; the checker reports the same cycle."""
    code, printed = run(pair, "+STRAY=30", "+verilator+error+limit+1000")
    assert "pair.u_a.u_collector: PROTOCOL_VIOLATION in cycle 4\n" in printed
    checker, first = (
        re.search(rf"\[(\d+)\] %Error: .* Assertion failed in (?:TOP\.)?{where}", printed)
        for where in ("pair.u_a.u_collector.u_wlk_collector_checker", BROKEN)
    )
    assert first[1] == checker[1], printed


def assertions(config, **tied):
    """The assertions of a collector."""
    table = rut.TABLE
    made = table.config(config)
    present = [port.name for port in table.ports(made) if port.name not in tied]
    return rules.Assertions.of(Harness(table, made, present, table.module, tied=tied), "")


@pytest.mark.parametrize(("define", "kind"), [("WLK_ASSUME", "Assume"), ("", "Assert")])
def test_macro_makes_them_assumptions(define, kind):
    options = pyslang.parsing.PreprocessorOptions()
    options.predefines = [define] if define else []
    text = assertions(ENTRIES).text()
    tree = pyslang.syntax.SyntaxTree.fromText(
        text, pyslang.SourceManager(), options=pyslang.Bag([options])
    )
    kinds = []
    tree.root.visit(lambda node: kinds.append(node.kind.name) if hasattr(node, "kind") else None)
    found = [name for name in kinds if name.startswith("ImmediateAs")]
    assert found == [f"Immediate{kind}Statement"] * 2


def test_rule_of_a_missing_port_is_listed():
    """An output that the compiler dropped."""
    out = rut.folder("rules_subset_wlk")
    dropped = rut.stub("rules_subset", omit=["io_readData_resp_valid"])
    answer = bind(out, dropped, *PINNED, "--json").json
    assert answer["assertions"] == []
    assert answer["not_asserted"] == ["readData_unallocated"]
    assert not list(out.glob("*_assertions.sv"))


def test_constant_of_a_tied_port_stands_in_the_rule():
    tied = assertions(ENTRIES, io_readData_req_bits_collEntry=3)
    assert [rule.name for rule in tied.rules] == ["readData_unallocated", "readData_out_of_range"]
    assert "collEntry" not in tied.text()
    assert "2'd3 >= 2'd3" in tied.text()


def test_block_without_rules_has_no_assertions():
    out, rtl = (
        rut.folder("rules_none_wlk"),
        rut.stub("rules_none", {"num_warps": 2}, block="hazard"),
    )
    done = rut.warplock("bind", "hazard", "--rtl", rtl, "--out", out, "--sva")
    assert "  assertions: none; no input breaks a rule\n" in done.out
    assert not list(out.glob("*_assertions.sv"))


# A rule that remembers earlier cycles: what is written back must be in use.

WRITEBACK = """module tb;
  logic clk = 0, reset = 1, wb_valid = 0, ib_0_valid = 0;
  int cycle = 0, stray = 0;
  wire sb_valid;
  initial void'($value$plusargs("STRAY=%d", stray));
  always #5 clk = !clk;
  always_ff @(posedge clk) begin
    cycle <= cycle + 1;
    reset <= cycle < 2;
    ib_0_valid <= cycle == 4;
    wb_valid <= (cycle == 8) || (cycle == stray);
    if (cycle == 30) $finish;
  end
  VX_scoreboard u_dut (
      .clk, .reset, .ib_0_valid, .ib_0_data_wb(1'b1), .ib_0_data_rd(6'd5), .wb_valid,
      .wb_data_rd(6'd5), .wb_data_eop(1'b1), .sb_ready(1'b1), .sb_valid
  );
endmodule
"""
NOT_IN_USE = "tb.u_dut.u_wlk_assertions.writeback_not_in_use"


@pytest.fixture(scope="module")
def writeback():
    """A scoreboard with checker and assertions; its testbench drives few of its ports."""
    rtl = rut.stub("writeback", {"num_warps": 1, "num_threads": 1}, block="vortex_scoreboard")
    out, place = rut.folder("writeback_wlk"), rut.folder("writeback_sim")
    words = ("--config", "num_warps=1", "--config", "num_threads=1", "--sva")
    done = rut.warplock("bind", "vortex_scoreboard", "--rtl", rtl, "--out", out, *words)
    assert "  assertions: writeback_not_in_use, stalled_too_long\n" in done.out
    (place / "tb.sv").write_text(WRITEBACK)
    sources = ["-f", out / "warplock.f", *sorted(rtl.glob("*.sv")), place / "tb.sv"]
    return programs.simulation(place, "tb", *sources)


@pytest.mark.slow
def test_writeback_of_a_register_in_use_breaks_no_rule(writeback):
    code, printed = run(writeback)
    assert code == 0, printed
    assert "Assertion" not in printed


@pytest.mark.slow
@pytest.mark.parametrize("stray", [5, 12], ids=["not_yet", "no_longer"])
def test_writeback_of_a_register_not_in_use_is_reported(writeback, stray):
    _, printed = run(writeback, f"+STRAY={stray}", "+verilator+error+limit+1000")
    assert f"PROTOCOL_VIOLATION in cycle {stray + 1}\n" in printed
    assert f"Assertion failed in TOP.{NOT_IN_USE}" in printed, printed

# SPDX-License-Identifier: Apache-2.0
"""Assertions, $stop and $finish of the RTL: reported with place and message, shrunk, replayed."""

import pytest
import rtl_under_test as rut
from rtl_under_test import PINNED
from wlk.base.errors import Status

# Each fires in a seed, or must not, but nothing differs.
EVERY_KIND = """\
  reg [15:0] count;
  reg [7:0] junk;  // not reset: anything at the start
  always @(posedge clock) count <= reset ? '0 : count + 16'(count != '1);
  always @(posedge clock) if (!reset) begin
    A_forty: assert (count != 40) else $error("forty, %0d\\n    reached", count);
    if (count == 45) $fatal(1, "forty-five");
    if (count == 50) $stop;
    if (count == 55) $finish;
    if (count == 60) $error("sixty");
  end
  A_property: assert property (@(posedge clock) disable iff (reset) count != 65);
  always @(posedge clock) begin
    junk <= '0;
    A_junk: assert (junk == '0);
    $display("count %0d", count);
    $fwrite(32'h80000002, "to stderr %0d\\n", count);
  end
endmodule"""
# Holds for the inputs of each cycle, and not for the old ones beside the state after the edge.
COMBINATIONAL = (
    "  assign writeReq_ready_o",
    "  always_comb A_free: assert (rst_i || !free_now || alloc_valid_q != '0);\n"
    "  assign writeReq_ready_o",
)


class Run(rut.Failure):
    """The RTL with every kind, run once."""

    def __init__(self, folder):
        rtl = rut.stub("every_kind", edit={rut.CORE: COMBINATIONAL})
        self.shell = rtl / rut.SHELL
        rut.change(self.shell, "endmodule", EVERY_KIND)
        super().__init__(rtl, folder, *rut.QUICK, code=Status.RTL_ASSERTION)

    def line(self, part):
        """Its place in the RTL."""
        lines = self.shell.read_text().splitlines()
        (at,) = [n for n, line in enumerate(lines, 1) if part in line]
        return at


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return Run(tmp_path_factory.mktemp("every_kind"))


def test_verdict_and_first_assertion(run):
    assert run.json["verdict"] == "RTL_ASSERTION"
    assert "first" not in run.json
    first = run.json["assertion"]
    assert first["file"] == str(run.shell)
    assert first["line"] == run.line("A_forty")
    assert first["message"] == "TOP.DuplicatedCollector.A_forty: forty, 40 reached"
    assert first["kind"] == "assertion"
    assert first["cycle"] >= 44  # a reset of four cycles, and forty
    assert first["count"] == sum(each["count"] for each in run.json["assertions"])


def test_comparison_goes_on_to_the_end_of_the_seed(run):
    assert run.json["cycles"] >= 5000
    assert run.json["seed"] == 1


def test_every_kind_is_found(run):
    found = {each["line"]: (each["kind"], each["message"]) for each in run.json["assertions"]}
    scope = "TOP.DuplicatedCollector"
    assert found == {
        run.line("A_forty"): ("assertion", f"{scope}.A_forty: forty, 40 reached"),
        run.line("forty-five"): ("assertion", f"{scope}: forty-five"),
        run.line("$stop"): ("$stop", "a simulation would stop here"),
        run.line("$finish"): ("$finish", "a simulation would end here"),
        run.line("sixty"): ("assertion", f"{scope}: sixty"),
        run.line("A_property"): ("assertion", f"{scope}.A_property: 'assert' failed."),
    }


def test_combinational_code_between_edge_and_inputs_is_no_assertion(run):
    assert all(rut.CORE not in each["file"] for each in run.json["assertions"])


def test_before_the_first_reset_it_is_a_note(run):
    early = run.json["assertions_before_reset"]
    assert early["line"] == run.line("A_junk")
    assert early["cycle"] == 0
    assert "fired before the first reset was over" in run.done.err


def test_report_shows_handshakes_state_and_the_way_to_repeat_it(run):
    cycle = run.json["assertion"]["cycle"]
    assert f"collector TOP.DuplicatedCollector: RTL_ASSERTION in cycle {cycle}\n" in run.text
    place = f"assertion in {run.shell}:{run.line('A_forty')} in cycle {cycle}: "
    assert f"  {place}TOP.DuplicatedCollector.A_forty: forty, 40 reached" in run.text
    assert f"$finish in {run.shell}:{run.line('$finish')} in cycle" in run.text
    assert f"\n  {cycle:8}*" in run.text.partition("handshakes of the RTL")[2]
    assert f"\n  {cycle + 1:8}" not in run.text.partition("handshakes of the RTL")[2]
    assert "model state before the edge:\n    " in run.text
    assert "  repeat: scripts/warplock lockstep collector " in run.text
    assert run.text.rstrip() in run.done.err
    assert run.file("wave.fst").is_file()


def test_prints_around_it_are_in_the_report(run):
    printed = run.json["printed"]
    assert printed["lines"] > 2 * run.json["cycles"]
    cycle = run.json["assertion"]["cycle"]
    assert {"cycle": cycle, "text": "count 40"} in printed["last"]
    assert len(printed["last"]) == 20
    assert f"  {cycle:8}: to stderr 40" in run.text
    assert "count 41" not in run.text


def test_shrunk_stimulus_fires_it_again(run):
    info = rut.info(run.stimulus)
    assert 40 < info["cycles"] <= run.json["assertion"]["cycle"] + 1
    again = rut.play(run.stimulus, "--rtl", run.rtl, code=Status.RTL_ASSERTION)
    assert again["verdict"] == "RTL_ASSERTION"
    assert again["assertion"]["line"] == run.json["assertion"]["line"]
    assert again["assertion"]["cycle"] == info["cycles"] - 1


def test_final_block_is_judged_after_a_seed_that_passes(tmp_path):
    rtl = rut.stub("final_asserts")
    rut.change(rtl / rut.SHELL, "endmodule", '  final $error("work is left");\nendmodule')
    words = (*PINNED, "--reports", tmp_path)
    done = rut.run_rtl(rtl, *words, code=Status.RTL_ASSERTION)
    fired = done.json["assertion"]
    assert fired["message"] == "TOP.DuplicatedCollector: work is left"
    assert fired["cycle"] == done.json["cycles"]
    assert fired["count"] == 1
    assert "RTL_ASSERTION in cycle" in done.err
    assert not list(tmp_path.rglob("stimulus.wlv"))  # the end of a run cannot be shrunk

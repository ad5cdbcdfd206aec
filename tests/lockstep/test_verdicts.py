# SPDX-License-Identifier: Apache-2.0
"""Several bound checkers in one simulation: each prints its verdict, whatever the others found, and
the simulator exits non-zero unless all pass."""

import re
import subprocess

import programs
import pytest
import rtl_under_test as rut
import test_bind_folder
from wlk.run import verilate

pytestmark = pytest.mark.slow
# Three instances, in the order in which they are declared; plusargs say what becomes of them.
NAMES = ("idle", "wrong", "good")
FAULT = {
    rut.CORE: (
        "assign readReq_ready_o = read_ready;",
        "assign readReq_ready_o = read_ready || is_wrong;\n  bit is_wrong = 1'b0;",
    )
}
BENCH = """
module tb;
  bit clock, stops, reset = 1'b1;
  wire slow = clock && !stops;
  always #5 clock = ~clock;
  initial begin
    stops = $test$plusargs("IDLE");
    wrong.u_core.is_wrong = $test$plusargs("WRONG");
    if ($test$plusargs("AT_ONCE")) $finish;
  end
  initial #20 reset = 1'b0;
  initial #220 $finish;
{instances}
endmodule
"""
PASS, VACUOUS, DIFFERS = "PASS", "VACUOUS", "FUNCTIONAL_MISMATCH"
CASES = {  # plusargs: verdicts of the three
    (): (PASS, PASS, PASS),
    ("IDLE",): (VACUOUS, PASS, PASS),
    ("WRONG",): (PASS, DIFFERS, PASS),
    ("IDLE", "WRONG"): (VACUOUS, DIFFERS, PASS),
    ("AT_ONCE",): (VACUOUS, VACUOUS, VACUOUS),
}
KINDS = ("dpi", "hw", "both")
SIMULATORS = [(tool, kind) for tool in ("system", "newest") for kind in KINDS] + [("icarus", "hw")]
NEEDS = {"newest": [pytest.mark.needs("newest")], "icarus": [pytest.mark.needs("iverilog")]}


def bench(place):
    """The bench of test_bind_folder with three instances."""
    text = test_bind_folder.bench(place).read_text()
    (instance,) = re.findall(rf"^  {rut.TABLE.module} dut .*?;$", text, re.M | re.S)
    each = (instance.replace(" dut ", f" {name} ") for name in NAMES)
    lines = "\n".join(each).replace("(clock)", "(slow)", 1)
    (place / "tb.sv").write_text(BENCH.format(instances=lines))
    return place / "tb.sv"


def built(tool, kind):
    """The command of the simulation."""
    place = rut.folder(f"verdicts_{tool}_{kind}")
    rtl, out = rut.stub(f"verdicts_{tool}_{kind}_stub", rut.SMALL, edit=FAULT), place / "wlk"
    lists = []
    for each in ("dpi", "hw") if kind == "both" else (kind,):
        words = ("--synthesizable",) if each == "hw" else ()
        bind = ("bind", "collector", "--rtl", rtl, *rut.PINNED, *words)
        rut.warplock(*bind, "--out", out / each)
        lists += ["-F", out / each / "files.f"] if words else ["-f", out / each / "warplock.f"]
    files = [*sorted(rtl.glob("*.sv")), bench(place)]
    if tool != "icarus":
        tool = verilate.find_tool(tool)
        return [programs.simulation(place / "obj", "tb", *lists, *files, tool=tool)]
    instance = next((out / "hw").glob("*_instance.svh"))
    rut.change(rtl / rut.SHELL, "endmodule", f'`include "{instance}"\nendmodule')
    checker = [p for p in (out / "hw").glob("*.sv") if not p.name.endswith("_bind.sv")]
    words = ["iverilog", "-g2012", "-s", "tb", "-o", place / "tb.vvp"]
    subprocess.run([*words, *sorted(checker, reverse=True), *files], check=True)
    return ["vvp", "-n", place / "tb.vvp"]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(each, marks=NEEDS.get(each[0], []), id="_".join(each)) for each in SIMULATORS
    ],
)
def simulation(request):
    """Simulator, kind of checkers, and the command."""
    return *request.param, built(*request.param)


@pytest.mark.parametrize("words", CASES, ids=lambda words: "_".join(words) or "none")
def test_each_checker_prints_its_verdict(simulation, words):
    tool, kind, command = simulation
    command = [*command, *(f"+{word}" for word in words)]
    # A difference that DPI reports ends Verilator at once, unless it may ignore one $fatal.
    is_reported = kind != "hw" and "WRONG" in words
    command += ["+verilator+error+limit+2"] * is_reported
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    printed = done.stdout + done.stderr
    checkers = 2 if kind == "both" else 1
    wrong = checkers * sum(verdict != PASS for verdict in CASES[words])
    assert (done.returncode == 0) == (wrong == 0), printed
    if is_reported and tool == "newest":  # which aborts at each $fatal
        assert re.search(rf"tb\.wrong\S*: {DIFFERS} in cycle", printed), printed
        return
    for name, verdict in zip(NAMES, CASES[words], strict=True):
        found = re.findall(rf"warplock: collector \S*\btb\.{name}\b\S*: ([A-Z_]+)\b", printed)
        assert set(found) == {verdict} and len(found) >= checkers, printed
    summary = re.findall(r"warplock: (\d+) of (\d+) checkers did not pass", printed)
    assert summary == ([(str(wrong), str(3 * checkers))] if wrong else []), printed

# SPDX-License-Identifier: Apache-2.0
"""A testbench that changes inputs in the time step of the clock edge: the bound checker and `check`
of the same simulation's dump find the same difference, and both name the race.

By the standard, `<=` in an initial block after `@(posedge clock)` is no race; Verilator lets the
RTL take the new value at that edge.
"""

import subprocess
from pathlib import Path

import programs
import pytest
import rtl_under_test as rut
from wlk.base.errors import Status
from wlk.run import verilate

pytestmark = [pytest.mark.slow, pytest.mark.needs("verilate", "newest")]
CYCLES = 16
STEPS = """\
    reset {0} 0; @(posedge clock);
    io_readReq_valid {0} 1; @(posedge clock);
    io_readReq_valid {0} 0; repeat (2) @(posedge clock);
    io_readData_req_valid {0} 1; @(posedge clock);
    io_readData_req_valid {0} 0;"""
# How a testbench drives its inputs, and whether that is a race.
INITIAL = "  initial begin\n    repeat (3) @(posedge clock);\n{0}\n  end\n"
ALWAYS = """\
  int n = 0;
  always @(posedge clock) begin
    n <= n + 1;
    reset <= n < 3;
    io_readReq_valid <= n == 5;
    io_readData_req_valid <= n == 8;
  end
"""
BENCHES = {
    "nonblocking": (INITIAL.format(STEPS.format("<=")), True),
    "blocking": (INITIAL.format(STEPS.format("=")), True),
    "delayed": (INITIAL.format(STEPS.format("<= #1")), False),
    "other_edge": (INITIAL.format(STEPS.format("<=")).replace("posedge", "negedge"), False),
    "register": (ALWAYS, False),
}


def bench(name: str) -> str:
    """A module that drives the collector, and that one plusarg leaves to run alone."""
    ports = rut.TABLE.ports(rut.TABLE.config(rut.SMALL))
    lines = [f"  logic [{p.width - 1}:0] {p.name}" for p in ports]
    starts = {"reset": 1, "io_readReq_bits_regs_0_enable": 1, "io_readReq_bits_regs_0_pReg": 3}
    values = [f" = {starts.get(p.name, 0)}" if p.direction == "in" else "" for p in ports]
    declared = "".join(f"{line}{value};\n" for line, value in zip(lines, values, strict=True))
    return f"""module bench_{name};
  logic clock = 0, runs;
  initial runs = !$test$plusargs("only_") || $test$plusargs("only_{name}");
  always #5 clock = !clock && runs;
{declared}  {rut.TABLE.module} dut (.*);
{BENCHES[name][0]}endmodule
"""


def built(which: str) -> tuple[Path, Path]:
    """A program with two checkers of each module, with C and without, and the dump of one without
    checkers, which goes to its end."""
    rtl, out = rut.stub("race_stub"), rut.folder("race_wlk")
    bind = ("bind", "collector", "--rtl", rtl, *rut.PINNED, "--out")
    rut.warplock(*bind, out)
    rut.warplock(*bind, out / "hw", "--synthesizable")
    place, tool = rut.folder(f"race_{which}"), verilate.find_tool(which)
    benches = "".join(f"  bench_{name} {name} ();\n" for name in BENCHES)
    top = f"""module tb;
{benches}  initial begin
    $dumpfile("{place}/run.vcd");
    $dumpvars;
    #{10 * CYCLES} $finish;
  end
endmodule
"""
    (place / "tb.sv").write_text("".join(map(bench, BENCHES)) + top)
    files = [*sorted(rtl.glob("*.sv")), place / "tb.sv"]
    plain = programs.simulation(place / "plain", "tb", *files, "--trace", tool=tool)
    subprocess.run([plain], check=True, capture_output=True)
    lists = ["-f", out / "warplock.f", "-F", out / "hw" / "files.f"]
    program = programs.simulation(place / "bound", "tb", *lists, *files, tool=tool)
    return program, place / "run.vcd"


@pytest.fixture(scope="module", params=programs.part(("system", "newest"), 2))
def simulations(request) -> tuple[Path, Path]:
    return built(request.param)


@pytest.mark.parametrize("name", BENCHES)
def test_bound_checker_and_dump_agree_on_a_race(simulations, name):
    program, dump = simulations
    others_go_on, is_race = "+verilator+error+limit+100", BENCHES[name][1]
    command = [program, f"+only_{name}", others_go_on]
    done = subprocess.run(command, capture_output=True, text=True)
    printed = [line for line in (done.stdout + done.stderr).splitlines() if f".{name}." in line]
    top = "TOP." if "module TOP " in dump.read_text(encoding="utf-8")[:1000] else ""  # by version
    words = ("--scope", f"{top}tb.{name}.dut", *rut.PINNED, "--json")
    verdict = Status.TIMING_DIVERGENCE if is_race else Status.OK
    answer = programs.warplock("check", dump, *words, code=verdict)
    races = {line.partition(": race: ")[0] for line in printed if "race: inputs change" in line}
    assert len(races) == 2 * is_race, printed
    assert ("may race" in answer.err) == is_race, answer.err
    verdicts = [line for line in printed if f".{name}.dut: " in line]
    if is_race:
        cycle = answer.json["first"]["cycle"]
        assert verdicts[0].endswith(f"FUNCTIONAL_MISMATCH in cycle {cycle}"), verdicts
        assert f"\n  {answer.json['first']['port']} " in done.stderr
    else:
        assert f": PASS, {answer.json['cycles']} cycles" in verdicts[0], verdicts

# SPDX-License-Identifier: Apache-2.0
"""The checker without C is read by the tools that it is for: Verilator, slang, Yosys."""

import subprocess

import programs
import pytest
from wlk import tables
from wlk.gen import verdict_package
from wlk.gen.hardware_checker import HardwareChecker, Reference, initialised
from wlk.gen.sv import Harness
from wlk.model import netlist

BLOCKS = programs.part(tables.names(), 5)
MODELLED = [name for name in BLOCKS if netlist.is_modelled(tables.load(name))]


@pytest.fixture(
    params=[*((name, "stub") for name in BLOCKS), *((name, "model") for name in MODELLED)],
    ids="-".join,
)
def checker(request, tmp_path):
    """(file, module) in the block's small configuration, with the block's stub or, as for a user's
    block, the netlist of its model; the package stands in the same file."""
    name, kind = request.param
    table = tables.load(name)
    config = table.config(table.configs[table.small])
    names = table.clocked(port.name for port in table.ports(config))
    if kind == "model":
        shown = netlist.shown(table, config)
        reference = Reference([shown.text], shown.care, shown.lacking)
    else:
        reference = Reference.of_stub(table, config)
    made = HardwareChecker(Harness(table, config, names, table.module), reference)
    path = tmp_path / f"{made.module}.sv"
    path.write_text(verdict_package.TEXT + made.checker_sv(), encoding="utf-8")
    return path, made.module


def test_verilator_is_silent(checker):
    path, module = checker
    # A bench may ask for no output, and one file has all the modules.
    words = ["verilator", "--lint-only", "-Wall", "-Wno-DECLFILENAME", "--top-module", module]
    done = subprocess.run([*words, path], capture_output=True, text=True, check=False)
    assert [line for line in done.stderr.splitlines() if line.startswith("%")] == []


def test_slang_elaborates(checker):
    import pyslang

    compilation = pyslang.ast.Compilation()
    compilation.addSyntaxTree(pyslang.syntax.SyntaxTree.fromFile(str(checker[0])))
    assert [str(d) for d in compilation.getAllDiagnostics() if d.isError()] == []


@pytest.mark.slow
@pytest.mark.needs("yosys")
def test_yosys_synthesizes_what_compares(checker):
    """There is no latch, and `error` depends on comparisons: the checker is not optimised away."""
    path, module = checker
    # Deferred: with the parameters of the top, not first with a module's own, which may be large.
    script = f"read_verilog -sv -defer {path}; hierarchy -check -top {module}; proc; flatten; "
    script += "opt_clean; check -assert; select -assert-none t:$dlatch; "
    script += "select -assert-min 3 w:error %ci* t:$ne %i"
    words = ["yosys", "-q", "-e", "implicitly declared", "-p", script]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_memory_powers_up_as_0_however_it_is_declared():
    for rows, loop in (("4", "0; wlk_n < 4"), ("0:3", "0; wlk_n <= 3")):
        body = f"  reg [7:0] a [{rows}];\n  always @(posedge c) a[0] <= 8'h1;\n"
        text = f"module m (\n  input c\n);\n{body}"
        line = f"  initial for (int unsigned wlk_n = {loop}; wlk_n++) a[wlk_n] = '0;"
        assert line in initialised(text).splitlines()


def test_register_without_a_declaration_is_refused():
    text = "module m (\n  input logic clk_i\n);\n  always_ff @(posedge clk_i) a_q <= 1'b1;\n"
    with programs.error(programs.Status.MODEL_ERROR, "a_q", "declare them with `logic`"):
        initialised(text)


def test_registers_power_up_as_zero():
    text = """module m (
    input logic clk_i,
    output logic out_q
);
  logic a_d, a_q;  // both
  logic [3:0] mem[4];
  always_ff @(posedge clk_i) begin
    a_q   <= a_d;
    mem[0][1:0] <= '1;
    if (a_q) out_q <= a_q;
  end
endmodule
"""
    made = initialised(text)
    assert made.count("initial ") == 3
    assert "  logic a_d, a_q;  // both\n  initial a_q = '0;\n" in made
    assert "wlk_n < 4; wlk_n++) mem[wlk_n] = '0;" in made
    assert ");\n  initial out_q = '0;\n" in made
    assert "always_ff" not in made

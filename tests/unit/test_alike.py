# SPDX-License-Identifier: Apache-2.0
"""RTL that synthesis reads otherwise than a simulator runs it is not proved; other RTL is."""

import pytest
from wlk import tables
from wlk.base.errors import Status, WlkError
from wlk.fit import alike, rtl
from wlk.gen import stubs

HEAD = """\
module m(input logic clk, input logic en, input logic [7:0] a, output logic [7:0] y);
logic [7:0] t;
"""
IMPORT = 'import "DPI-C" function {};\n'

REFUSED = {
    "C, an output": (
        "always_comb g(a, y);",
        "g is a function of C",
        IMPORT.format("void g(input byte x, output byte o)"),
    ),
    "C, an inout": (
        "always_comb begin y = a; g(y); end",
        "g is a function of C",
        IMPORT.format("void g(inout byte o)"),
    ),
    "C, a result": (
        "assign y = g(a);",
        "g is a function of C",
        IMPORT.format("byte g(input byte x)"),
    ),
    "C, a task": (
        "always_comb g(y);",
        "g is a function of C",
        'import "DPI-C" context task g(output byte o);\n',
    ),
    "C that may call back": (
        'export "DPI-C" function f; function void f(); t = 1; endfunction\n'
        "always_ff @(posedge clk) begin g(); y <= t; end",
        "g is a function of C",
        IMPORT.format("void g()"),
    ),
    "static, in a function": (
        "function byte f(); static byte c = 0; c++; return c; endfunction\n"
        "always_ff @(posedge clk) y <= f();",
        "c is static",
        "",
    ),
    "static, in a process": (
        "always_ff @(posedge clk) begin static byte c = 0; c++; y <= c; end",
        "c is static",
        "",
    ),
    "a divisor": ("assign y = a / t;", "it divides by what may be 0", ""),
    "a divisor, at an edge": (
        "always_ff @(posedge clk) y <= a % t;",
        "it divides by what may be 0",
        "",
    ),
    "event list": ("always @(a) y = a & t;", "t is read here and is not in the event list", ""),
    "event list, a clock without an edge": (
        "always @(clk) y <= a;",
        "a is read here and is not in the event list",
        "",
    ),
    "event list, a function": (
        "function automatic logic [7:0] f(logic [7:0] x); return x + t; endfunction\n"
        "always @(a) y = f(a);",
        "t is read here",
        "",
    ),
    "blocking": (
        "always_ff @(posedge clk) t = a;\nalways_ff @(posedge clk) y <= t;",
        "m.sv:3: t is assigned by = at an edge, and read at an edge at m.sv:4",
        "",
    ),
    "blocking, through logic": (
        "wire [7:0] u = t, v;\nassign v = u;\n"
        "always_ff @(posedge clk) y <= v;\nalways_ff @(posedge clk) if (en) t = a;",
        "m.sv:6: t is assigned by = at an edge, and read at an edge at m.sv:5",
        "",
    ),
    "blocking, out of an instance": (
        "s s(clk, a, t);\nalways_ff @(posedge clk) y <= t;",
        "o is assigned by =",
        "module s(input logic clk, input logic [7:0] i, output logic [7:0] o);\n"
        "always_ff @(posedge clk) o = i;\nendmodule\n",
    ),
    "blocking, into an instance": (
        "always_ff @(posedge clk) t = a;\ns s(clk, t, y);",
        "t is assigned by =",
        "module s(input logic clk, input logic [7:0] i, output logic [7:0] o);\n"
        "always_ff @(posedge clk) o <= i;\nendmodule\n",
    ),
    "blocking, a memory": (
        "logic [7:0] w[4];\nalways_ff @(posedge clk) w[a[1:0]] = a;\n"
        "always_ff @(posedge clk) y <= w[a[3:2]];",
        "w is assigned by =",
        "",
    ),
    "blocking, by a task": (
        "task f(output logic [7:0] o); o = a; endtask\n"
        "always_ff @(posedge clk) f(t);\nalways_ff @(posedge clk) y <= t;",
        "t is assigned by =",
        "",
    ),
}

TAKEN = {
    "C that prints": (
        "always_ff @(posedge clk) begin g(a); y <= a; end",
        IMPORT.format("void g(input byte x)"),
    ),
    "C that is not called": ("assign y = a;", IMPORT.format("byte g(input byte x)")),
    "C, not to be synthesized": (
        "`ifdef SYNTHESIS\nassign y = a;\n`else\nassign y = g(a);\n`endif",
        IMPORT.format("byte g(input byte x)"),
    ),
    "automatic": (
        "function automatic byte f(byte x); byte c = x; return c; endfunction\nassign y = f(a);",
        "",
    ),
    "a function of before 2005": (
        "function [7:0] f; input [7:0] x; integer i; begin "
        "f = 0; for (i = 0; i < 8; i = i + 1) f = f + x[i]; end endfunction\n"
        "assign y = f(a);",
        "",
    ),
    "a register with a value": ("byte c = 3; always_ff @(posedge clk) c <= a; assign y = c;", ""),
    "divisors that are constants": (
        "parameter N = 4;\nlocalparam M = 9 / N;\nassign y = a / M;\n"
        "for (genvar g = 1; g < 4; g++) assign t[g] = a % g;",
        "",
    ),
    "whole event list": ("always @(a or t, en) begin y = a; if (en) y = y & t; end", ""),
    "event list, what it writes": ("always @(a) begin t = a; y = t; end", ""),
    "star": ("always @* y = a & t;", ""),
    "asynchronous reset": ("always @(posedge clk or negedge en) if (!en) y <= 0; else y <= a;", ""),
    "blocking, a value on the way": ("always_ff @(posedge clk) begin t = a; y <= t; end", ""),
    "blocking, to the ports": ("always_ff @(posedge clk) t = a;\nassign y = t;", ""),
    "blocking, a loop's variable": (
        "integer i;\n"
        "always @(posedge clk) for (i = 0; i < 4; i = i + 1) t[i] <= a[i];\n"
        "always @(posedge clk) for (i = 0; i < 8; i = i + 1) y[i] <= a[i];",
        "",
    ),
    "blocking, by its own": (
        "always_ff @(posedge clk) begin t = t + 1; if (t == 3) t = 0; end\nassign y = t;",
        "",
    ),
    "blocking, at no edge": ("always_comb t = a;\nalways_ff @(posedge clk) y <= t;", ""),
    "blocking, at the start": (
        "initial t = 0;\nalways_ff @(posedge clk) y <= t;\nalways_ff @(posedge clk) t <= a;",
        "",
    ),
}


def module(place, body: str, before: str) -> rtl.Module:
    """Module m; what stands before it is in a file of its own."""
    (place / "m.sv").write_text(f"{HEAD}{body}\nendmodule\n")
    (place / "before.sv").write_text(before)
    files = [place / "before.sv", place / "m.sv"] if before else [place / "m.sv"]
    return rtl.load(files).find("m")


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_simulator_runs_otherwise_is_refused(tmp_path, name):
    body, what, before = REFUSED[name]
    with pytest.raises(WlkError) as caught:
        alike.require(module(tmp_path, body, before))
    assert caught.value.status == Status.BAD_RTL
    assert what in caught.value.message.replace(f"{tmp_path}/", "")


@pytest.mark.parametrize("name", TAKEN)
def test_what_both_read_alike_is_taken(tmp_path, name):
    alike.require(module(tmp_path, *TAKEN[name]))


@pytest.mark.parametrize("block", tables.names())
def test_stubs_are_taken(block):
    table = tables.load(block)
    files = stubs.write_stub(table, table.defaults())
    alike.require(rtl.load(files).find(table.module))

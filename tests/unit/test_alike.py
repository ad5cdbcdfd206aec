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
    "event list, a part": (
        "always @(a[3:0]) y = a;",
        "a is read here and is not in the event list as a whole",
        "",
    ),
    "event list, an expression": (
        "always @(a & t) y = a ^ t;",
        "a is read here and is not in the event list as a whole",
        "",
    ),
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
    "a divisor, a call": (
        "function automatic byte f(); return t; endfunction\nalways_comb y = a / f();",
        "it divides by what may be 0",
        "",
    ),
    "a divisor, 0": ("assign y = a / 8'd0;", "it divides by what may be 0", ""),
    "a subroutine's reads, assign": (
        "function [7:0] f(input [7:0] p); f = p ^ t; endfunction\nassign y = f(a);",
        "t is read in a subroutine, for which m.sv:4 does not wait",
        "",
    ),
    "a subroutine's reads, star": (
        "function [7:0] f(input [7:0] p); f = p ^ t; endfunction\nalways @* y = f(a);",
        "t is read in a subroutine",
        "",
    ),
    "a subroutine's reads, a port": (
        "function [7:0] f(input [7:0] p); f = p ^ t; endfunction\ns s(f(a), y);",
        "t is read in a subroutine",
        "module s(input logic [7:0] i, output logic [7:0] o);\nassign o = i;\nendmodule\n",
    ),
    "read before it is written": (
        "always_comb begin y = t; t = a; end",
        "t is read here before the process assigns it",
        "",
    ),
    "read before it is written, a block's variable": (
        "always_comb begin logic [7:0] u; y = u; u = a; end",
        "u is read here before the process assigns it",
        "",
    ),
    "read before it is written, an element": (
        "logic [7:0] w[2];\nalways_comb begin y = w[1]; w[0] = a; w[1] = a; end",
        "w is read here before the process assigns it",
        "",
    ),
    "read before it is written, by <=": (
        "always_comb begin t <= a; y = t; end",
        "t is read here before the process assigns it",
        "",
    ),
    "in a case's item": (
        "function automatic logic [7:0] f(); t = t + 1; return a; endfunction\n"
        "always_ff @(posedge clk) case (a) 0: y <= t; f(): y <= 1; default: y <= 2; endcase",
        "or an item of a case",
        "",
    ),
    "in &&": (
        "function automatic logic f(); t = t + 1; return 1; endfunction\n"
        "always @(posedge clk) if (en && f()) y <= t;",
        "it assigns in an operand of &&",
        "",
    ),
    "in ?:": (
        "always_ff @(posedge clk) begin t = 0; y <= en ? t++ : a; end",
        "it assigns in an operand of &&",
        "",
    ),
    "an assertion's action": (
        "always_ff @(posedge clk) begin y <= a; assert (en) else y <= 0; end",
        "the assertion assigns",
        "",
    ),
    "an assertion's action, of a property": (
        "assert property (@(posedge clk) en) y <= a; else y <= 0;",
        "the assertion assigns",
        "",
    ),
    "a delay, of a gate": ("and #12 g(y[0], a[0], en);", "a delay", ""),
    "a delay, of a net": ("wire [7:0] #3 d;\nassign d = a;\nassign y = d;", "a delay", ""),
    "a delay, of an assignment": ("assign #3 y = a;", "a delay", ""),
    "x, in a comparison": ("assign y[0] = a === 8'bx;", "it compares with x or z", ""),
    "x, in ==": ("assign y[0] = a[0] == 1'bx;", "it compares with x or z", ""),
    "z, in a case": (
        "always_comb case (a[1:0]) 2'b1z: y = 1; default: y = 0; endcase",
        "it compares with x or z",
        "",
    ),
    "x, in casez": (
        "always_comb casez (a[1:0]) 2'b1x: y = 1; default: y = 0; endcase",
        "it compares with x or z",
        "",
    ),
    "a clock by <=": (
        "logic c;\nalways @(clk) c <= clk;\nalways @(posedge c) y <= a;",
        "the clock c is passed on by a process",
        "",
    ),
    "a clock by an event without an edge": (
        "logic c;\nalways @(clk) c = clk;\nalways @(posedge c) y <= a;",
        "the clock c is passed on by a process",
        "",
    ),
    "a clock by <= in always_comb": (
        "logic c;\nalways_comb c <= clk;\nalways @(posedge c) y <= a;",
        "the clock c is passed on by a process",
        "",
    ),
    "a clock as data": (
        "always_ff @(posedge clk) t <= a;\nassign y = clk ? t : a;",
        "the clock clk is read as data",
        "",
    ),
    "a clock as data, in an instance": (
        "s s(clk, a, y);",
        "the clock c is read as data",
        "module s(input logic c, input logic [7:0] i, output logic [7:0] o);\n"
        "always_ff @(posedge c) o <= c ? i : 0;\nendmodule\n",
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
    "event list, a concatenation": ("always @({a, t}) y = a & t;", ""),
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
    "a subroutine's reads, always_comb": (
        "function [7:0] f(input [7:0] p); f = p ^ t; endfunction\nalways_comb y = f(a);",
        "",
    ),
    "a subroutine's reads, read beside it too": (
        "function [7:0] f(input [7:0] p); f = p ^ t; endfunction\nassign y = f(a) & t;",
        "",
    ),
    "a subroutine's constants": (
        "localparam K = 3;\nfunction [7:0] f(input [7:0] p); f = p ^ K; endfunction\n"
        "assign y = f(a);",
        "",
    ),
    "written before it is read, by a loop": (
        "always_comb begin\nfor (int i = 0; i < 8; i++)\n"
        "if (i > 0) t[i] = t[i-1] ^ a[i]; else t[i] = a[0];\ny = t;\nend",
        "",
    ),
    "another element is read": (
        "logic [7:0] w[2];\nassign w[1] = a;\nalways_comb begin y = w[1]; w[0] = a; end",
        "",
    ),
    "another member is read": (
        "struct packed {logic [3:0] i, j;} s;\nassign s.j = a[3:0];\n"
        "always_comb begin y = s.j; s.i = a[7:4]; end",
        "",
    ),
    "a register is read first": (
        "always_ff @(posedge clk) begin y <= t; t = a; end",
        "",
    ),
    "written by <= and read elsewhere": ("always_comb t <= a;\nassign y = t;", ""),
    "a call that assigns, in the first item of a case": (
        "function automatic logic [7:0] f(); t = t + 1; return a; endfunction\n"
        "always_ff @(posedge clk) case (a) f(): y <= t; default: y <= 2; endcase",
        "",
    ),
    "an expression that slang does not take": (
        "logic [7:0] w[4];\nassign y = w.sum() with (8'(item));",
        "",
    ),
    "a call that assigns nothing, in &&": (
        "function automatic logic f(logic [7:0] x); f = ^x; endfunction\nassign y[0] = en && f(a);",
        "",
    ),
    "an assertion that prints": (
        'always_ff @(posedge clk) begin y <= a; assert (en) else $error("no"); end',
        "",
    ),
    "x, for anything": (
        "always_comb casez (a[1:0]) 2'b1?: y = 1; default: y = 'x; endcase\n"
        "assign t[0] = a ==? 8'b1xx0zz10;",
        "",
    ),
    "x, in an assertion": (
        "always_ff @(posedge clk) begin y <= a; assert (a !== 8'bx); end",
        "",
    ),
    "a clock by assign": (
        "wire c;\nassign c = clk;\nalways @(posedge c) y <= a;",
        "",
    ),
    "a clock by always_comb": (
        "logic c;\nalways_comb c = clk;\nalways @(posedge c) y <= a;",
        "",
    ),
    "a clock that nobody uses as data": (
        "always_ff @(posedge clk) y <= a;\nwire unused = ^{clk, en};",
        "",
    ),
    "a clock in what is printed": (
        'always_ff @(posedge clk) begin y <= a; $display("%b", clk); end',
        "",
    ),
    "a clock that is passed out": (
        "always_ff @(posedge clk) y <= a;\ns s(clk, t[0]);",
        "module s(input logic i, output logic o);\nassign o = i;\nendmodule\n",
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


SUSPECTS = {
    "a bit": ("always_ff @(posedge clk) y[a[2:0]-1] <= en;", 1),
    "a bit, read": ("assign y = {7'b0, t[a[3:0]]};", 1),
    "a signed index": (
        "logic signed [2:0] i;\nassign i = a[2:0];\nalways_comb begin y = 0; y[i] = en; end",
        1,
    ),
    "a part": ("always_ff @(posedge clk) y[a[2:0]+:4] <= 3;", 1),
    "a part, downwards": ("always_ff @(posedge clk) y[a[2:0]-:4] <= 3;", 1),
    "a row": ("logic [7:0] w[5];\nalways_ff @(posedge clk) w[a[2:0]] <= a;\nassign y = w[0];", 1),
    "a row, and a bit of it": (
        "logic [7:0] w[5];\nalways_ff @(posedge clk) w[a[2:0]][a[3:0]] <= en;\nassign y = w[0];",
        1,
    ),
    "a bit that is there": ("always_ff @(posedge clk) y[a[2:0]] <= en;", 0),
    "a part that is there": ("assign y = {4'b0, a[a[1:0]+:4]};", 0),
    "a row that is there": (
        "logic [7:0] w[8];\nalways_ff @(posedge clk) w[a[2:0]] <= a;\nassign y = w[1];",
        0,
    ),
    "a loop": ("always_comb for (int i = 0; i < 8; i++) y[i] = a[7-i];", 0),
    "another range": ("logic [8:1] w;\nassign w = a;\nassign y[0] = w[a[2:0] + 4'd1];", 0),
}


@pytest.mark.parametrize("name", SUSPECTS)
def test_index_that_may_be_beyond_is_named(tmp_path, name):
    body, count = SUSPECTS[name]
    found = alike.require(module(tmp_path, body, ""))
    assert len(found) == count
    assert all("an index may be beyond what it selects from" in each for each in found)


@pytest.mark.parametrize("block", tables.names())
def test_stubs_are_taken(block):
    table = tables.load(block)
    files = stubs.write_stub(table, table.defaults())
    alike.require(rtl.load(files).find(table.module))

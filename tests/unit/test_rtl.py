# SPDX-License-Identifier: Apache-2.0
"""Reading RTL with slang: modules, ports, hierarchy, the files a module needs, and bad input."""

import re
import time
from pathlib import Path

import chisel
import programs
import pytest
from wlk import tables
from wlk.base.errors import Status, WlkError
from wlk.base.setup import ROOT
from wlk.fit import rtl

HEADER = ROOT / "refmodel" / "include" / "warplock" / "error.h"

# As the Chisel compiler writes it: macros, an SRAM helper, names that share one declaration.
EMITTED = (
    chisel.PREAMBLE
    + """
module ram_4x8(
  input  [1:0] R0_addr,
  input        R0_en,
               R0_clk,
  output [7:0] R0_data
);
  reg [7:0] Memory[0:3];
  assign R0_data = R0_en ? Memory[R0_addr] : 8'bx;
  `ifdef ENABLE_INITIAL_MEM_
    initial begin end
  `endif
endmodule

module Inner(
  input         clock,
                reset,
  input  [7:0]  io_a,
                io_b,	// @[Inner.scala:7:14]
                io_c,
  output [7:0]  io_q,
  output        io_ok
);
  reg [1:0] at;
  always @(posedge clock) begin
    if (reset) at <= 2'h0; else at <= io_a[1:0];
  end
  `ifndef SYNTHESIS
    always @(posedge clock) begin
      if (~reset & io_b == io_c) begin
        if (`ASSERT_VERBOSE_COND_) $error("Assertion failed");
        if (`STOP_COND_) $fatal;
        $fwrite(32'h80000002, "%d", io_a);
      end
    end
  `endif
  `ifdef ENABLE_INITIAL_REG_
    initial begin
      `ifdef RANDOMIZE
        at = `RANDOM;
      `endif
    end
  `endif
  ram_4x8 ram(.R0_addr(at), .R0_en(1'h1), .R0_clk(clock), .R0_data(io_q));
  assign io_ok = io_b == io_c;
endmodule
"""
)


LFS_POINTER = f"""\
version https://git-lfs.github.com/spec/v1
oid sha256:{"0" * 64}
size 12345
"""


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.sv").write_text(text)
    return folder


def fails(status: Status, call, *parts: str) -> str:
    """The call's error has this status, is one line, and has the parts."""
    with programs.error(status, *parts) as caught:
        call()
    return str(caught.value)


def ports(module: rtl.Module) -> dict[str, tuple[str, int]]:
    return {p.name: (p.direction, p.width) for p in module.ports()}


def test_errors_numbers_equal_the_header() -> None:
    text = HEADER.read_text()
    found = {name: int(number) for name, number in re.findall(r"\bWLK_(\w+) = (\d+)", text)}
    assert found == {status.name: int(status) for status in Status}


def test_errors_message_is_one_line() -> None:
    assert str(WlkError(Status.USAGE, "a\n  b")) == "a b"


def test_ports_of_emitted_module(tmp_path: Path) -> None:
    write(tmp_path, Inner=EMITTED)
    module = rtl.load([tmp_path / "Inner.sv"]).find("Inner")
    inputs = [("clock", 1), ("reset", 1), ("io_a", 8), ("io_b", 8), ("io_c", 8)]
    assert module.ports() == [
        *((name, "in", width) for name, width in inputs),
        ("io_q", "out", 8),
        ("io_ok", "out", 1),
    ]
    assert module.port_names == {p.name for p in module.ports()}
    assert not module.missing()


def test_ports_follow_parameters(tmp_path: Path) -> None:
    text = """
    package p; typedef struct packed {logic [2:0] a; logic b;} s_t; endpackage
    module M #(parameter int W = 4, parameter N = W * 2, localparam L = 3)
      (input p::s_t s, input [W-1:0] a, inout [N-1:0] b, output logic u [2][W], input [L:0] c);
    endmodule
    module Old(x, y); parameter W = 5; input [W-1:0] x; output y; assign y = ^x; endmodule
    """
    design = rtl.load([write(tmp_path, M=text)])
    module = design.find("M")
    assert ports(module)["s"] == ("in", 4)
    assert ports(module)["b"] == ("inout", 8)
    assert ports(module)["u"] == ("out", 8)
    old = design.find("Old")
    assert ports(old) == {"x": ("in", 5), "y": ("out", 1)}
    assert old.port_names == {"x", "y"}


def test_load_names_file_line_and_count_of_errors(tmp_path: Path) -> None:
    write(tmp_path, A=EMITTED, B="module B;\n  wire a = ;\n  assign = 1;\nendmodule\n")
    text = fails(Status.BAD_RTL, lambda: rtl.load([tmp_path]), "B.sv:2", "expected expression")
    assert "more)" in text


def test_load_refuses_missing_and_empty_paths(tmp_path: Path) -> None:
    fails(Status.NO_FILE, lambda: rtl.load([tmp_path / "no.sv"]), "no.sv")
    fails(Status.NO_FILE, lambda: rtl.load([tmp_path]), "no .sv or .v file")
    fails(Status.NO_FILE, lambda: rtl.load([], include_dirs=["/nowhere"]), "/nowhere")


def test_unreadable_width_names_the_port(tmp_path: Path) -> None:
    design = rtl.load([write(tmp_path, A="module A(input [UNKNOWN-1:0] x);\nendmodule\n")])
    fails(Status.BAD_RTL, lambda: design.find("A").ports(), "A.sv:1", "port x")


def test_folder_headers_includes_and_defines(tmp_path: Path) -> None:
    sub = tmp_path / "deep" / "er"
    sub.mkdir(parents=True)
    (sub / "w.svh").write_text("`define WIDTH 7\n")
    (sub / "part.sv").write_text("wire [`WIDTH-1:0] q; Leaf leaf();\n")
    (tmp_path / "deep" / "A.v").write_text(
        '`include "er/w.svh"\nmodule A(input [`WIDTH*`TIMES-1:0] x);\n`include "er/part.sv"\n'
        "endmodule\nmodule Leaf; endmodule\n"
    )
    design = rtl.load([tmp_path], defines=["TIMES=2"])
    module = design.find("A")
    assert ports(module) == {"x": ("in", 14)}
    assert [p.name for p in design.files_for(module)] == ["A.v"]
    assert (tmp_path / "deep").resolve() in design.include_dirs
    fails(Status.BAD_RTL, lambda: rtl.load([tmp_path]), "A.v:2", "TIMES")


def test_macros_of_one_file_reach_the_next(tmp_path: Path) -> None:
    write(tmp_path, A="`define W 9\n", B="module B(input [`W-1:0] x); endmodule")
    design = rtl.load([tmp_path])
    assert ports(design.find("B")) == {"x": ("in", 9)}
    assert [p.name for p in design.files_for(design.find("B"))] == ["A.sv", "B.sv"]


def test_file_list_nested(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "sub").mkdir()
    (tmp_path / "inc" / "w.svh").write_text("`define W 3\n")
    (tmp_path / "sub" / "B.sv").write_text("module B(input [`Z-1:0] x); endmodule")
    (tmp_path / "A.sv").write_text('`include "w.svh"\nmodule A(input [`W-1:0] x); B b(); endmodule')
    (tmp_path / "sub" / "b.f").write_text("// the helper\nB.sv  // here\n")
    (tmp_path / "all.f").write_text(
        "# comment\n+incdir+inc\n+define+Z=4+Y\n-sv +libext+.v\nA.sv -f sub/b.f\n"
    )
    design = rtl.load([tmp_path / "all.f"])
    assert ports(design.find("A")) == {"x": ("in", 3)}
    assert ports(design.find("B")) == {"x": ("in", 4)}
    assert [p.name for p in design.files_for(design.find("A"))] == ["A.sv", "B.sv"]
    assert design.defines == ["Z=4", "Y"]
    assert (tmp_path / "inc").resolve() in design.include_dirs


IMPORTS = 'import "DPI-C" function int f(); module A(output int x); assign x = f(); endmodule'


def test_file_list_with_c(tmp_path: Path) -> None:
    """As that of a whole simulation: C is for the modules that import functions."""
    write(
        tmp_path, A=IMPORTS.replace('import "DPI-C" function int f();', ""), B="module B; endmodule"
    )
    (tmp_path / "c").mkdir()
    for name in ("f.c", "g.cpp", "h.h", "k.o", "notes.txt"):
        (tmp_path / "c" / name).write_text("")
    (tmp_path / "all.f").write_text("A.sv B.sv c/f.c\nc/g.cpp c/k.o\n")
    found = rtl.load([tmp_path / "all.f"])
    assert found.foreign_for(found.find("B")) == []
    (tmp_path / "A.sv").write_text(IMPORTS)
    found = rtl.load([tmp_path / "all.f"])
    names = [path.name for path in found.foreign_for(found.find("A"))]
    assert names == ["f.c", "g.cpp", "k.o", "h.h"]
    assert rtl.load([tmp_path]).foreign == []  # a folder may hold those of a testbench


@pytest.mark.parametrize(
    ("text", "status", "part"),
    [
        ("A.sv\nnone.sv\n", Status.NO_FILE, "all.f:2: none.sv"),
        ("-f all.f\n", Status.BAD_RTL, "names itself"),
        ("A.sv all.f\n", Status.BAD_RTL, "names itself"),
        (f"A.sv {'x' * 300}\n", Status.NO_FILE, "all.f:1: xxx"),
        ("--frobnicate\n", Status.BAD_RTL, "all.f:1: option --frobnicate"),
        ("-y A.sv\n", Status.NO_FILE, "all.f:1: -y A.sv: not a folder"),
        ("A.sv -f\n", Status.BAD_RTL, "-f without its argument"),
        ("// nothing\n", Status.NO_FILE, "no .sv or .v file"),
    ],
)
def test_file_list_bad(tmp_path: Path, text: str, status: Status, part: str) -> None:
    write(tmp_path, A="module A; endmodule")
    (tmp_path / "all.f").write_text(text)
    fails(status, lambda: rtl.load([tmp_path / "all.f"]), part)


@pytest.mark.parametrize("name", ["b\udcff.sv", "\udcff/b.sv", "\udcff/b.svh"])
def test_a_name_that_is_no_utf8_is_named(tmp_path: Path, name: str) -> None:
    write(tmp_path, A="module A; endmodule")
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("module B; endmodule")
    fails(Status.BAD_RTL, lambda: rtl.load([tmp_path]), "a name that is no UTF-8", "\ufffd")


def test_a_pointer_of_git_lfs_is_named(tmp_path: Path) -> None:
    write(tmp_path, A="module A; endmodule", B=LFS_POINTER)
    fails(Status.BAD_RTL, lambda: rtl.load([tmp_path]), "B.sv: a pointer of Git LFS", "lfs pull")


def test_duplicate_helpers_equal_are_one(tmp_path: Path) -> None:
    helper = "module H(input a);{}\nendmodule\n"
    write(
        tmp_path,
        A="module A; H h(); endmodule\n" + helper.format("  // @[A.scala:1]"),
        B="module B; H h(); endmodule\n" + helper.format(""),
    )
    design = rtl.load([tmp_path])
    assert [m.name for m in design.modules()] == ["A", "H", "B"]
    assert [p.name for p in design.files_for(design.find("A"))] == ["A.sv"]


def test_duplicate_helpers_that_differ_name_both(tmp_path: Path) -> None:
    write(
        tmp_path,
        A="module A; H h(); endmodule\nmodule H(input a); endmodule\n",
        B="module B; H h(); endmodule\n\nmodule H(input b); endmodule\n",
        C="module C; endmodule",
    )
    design = rtl.load([tmp_path])
    fails(Status.AMBIGUOUS, lambda: design.find("A"), "A.sv:2", "B.sv:3")
    assert design.find("C").name == "C"  # needs no H


def test_find_names_the_nearest(tmp_path: Path) -> None:
    write(tmp_path, A="module Scoreboard; endmodule module Hazard; endmodule")
    design = rtl.load([tmp_path])
    fails(Status.NO_MODULE, lambda: design.find("ScoreBoard"), "nearest names: Scoreboard;")
    fails(Status.NO_MODULE, lambda: design.find("Zzzzz"), "Scoreboard, Hazard", "--module")


def test_missing_module_matters_only_when_needed(tmp_path: Path) -> None:
    write(
        tmp_path,
        A="module A(input a);\n  B b();\n  if (0) begin : g Never n(); end\nendmodule",
        B="module B;\n  Gone gone();\nendmodule",
        C="module C; endmodule",
    )
    design = rtl.load([tmp_path])
    design.find("C").require_complete()
    assert ports(design.find("A")) == {"a": ("in", 1)}
    text = fails(Status.NO_MODULE, design.find("A").require_complete, "B.sv:2", "A.b.gone")
    assert "Never" not in text


def test_files_for_takes_what_is_needed_in_order(tmp_path: Path) -> None:
    (tmp_path / "list.f").write_text("T.sv\nI.sv\nX.sv\nP.sv\nK.sv\nM.sv\nD.sv\nU.sv\nZ.sv\n")
    write(
        tmp_path,
        T="module T import p::*; (output [W-1:0] y); M m(); I i(); U u(); endmodule",
        I="interface I; logic a; endinterface",
        X="module X; endmodule",
        P="package p; parameter W = 2; endpackage",
        K="bind T X x();",
        M="module M; if (1) begin : g D d(); end endmodule",
        D="module D; endmodule",
        U="primitive U(output o, input a); table 0 : 1; endtable endprimitive",
        Z="bind X T t();",
    )
    design = rtl.load([tmp_path / "list.f"])
    design.find("T").require_complete()
    names = [p.stem for p in design.files_for(design.find("T"))]
    assert names == ["T", "I", "X", "P", "K", "M", "D", "U", "Z"]
    assert [p.stem for p in design.files_for(design.find("D"))] == ["P", "D"]


def test_include_by_a_whole_path(tmp_path: Path) -> None:
    write(tmp_path, A=f'`include "{tmp_path}/i.svh"\nmodule A(output t y); endmodule')
    (tmp_path / "i.svh").write_text("typedef logic [2:0] t;\n")
    design = rtl.load([tmp_path / "A.sv"])
    assert ports(design.find("A")) == {"y": ("out", 3)}
    assert design.included == [tmp_path / "i.svh"]


LAYERS = {
    "bare": ("b.sv", "sub/b.sv"),
    "with_a_folder": ("sub/b.sv", "deep/sub/b.sv"),
}


@pytest.mark.parametrize("name", LAYERS)
def test_include_from_a_sister_folder_that_is_given(name, tmp_path: Path) -> None:
    written, place = LAYERS[name]
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "A.sv").write_text(f'`include "{written}"\nmodule A(output t y); endmodule')
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.write_text("typedef logic [2:0] t;\n")
    design = rtl.load([tmp_path])
    assert ports(design.find("A")) == {"y": ("out", 3)}
    assert path.parents[written.count("/")] in design.include_dirs


def test_include_that_two_folders_have_differently_is_refused(tmp_path: Path) -> None:
    for n, name in enumerate(("a", "b", "c")):
        (tmp_path / name).mkdir()
        text = f"typedef logic [{n}:0] t;\n" if n else '`include "t.sv"\nmodule A; endmodule\n'
        (tmp_path / name / ("t.sv" if n else "A.sv")).write_text(text)
    fails(Status.BAD_RTL, lambda: rtl.load([tmp_path]), "A.sv:1", "give its folder with --include")


def test_instances_of_lists_every_path(tmp_path: Path) -> None:
    text = """
    module Leaf; endmodule
    module Core; Leaf l[2](); endmodule
    module Top;
      Core a();
      for (genvar i = 0; i < 2; i++) begin : g Core c(); end
      if (0) begin : never Core d(); end
    endmodule
    """
    design = rtl.load([write(tmp_path, T=text)])
    top = design.find("Top")
    assert top.instances_of("Core") == ["Top.a", "Top.g[0].c", "Top.g[1].c"]
    assert len(top.instances_of("Leaf")) == 6
    assert "Top.g[1].c.l[0]" in top.instances_of("Leaf")
    assert top.instances_of("Top") == ["Top"]
    assert design.find("Leaf").instances_of("Core") == []


RECURSIVE = """
module Tree #(N = 5) (input [N-1:0] x, output y);
  if (N == 1) assign y = x;
  else begin : g
    Tree #(N / 2) low(.x(x[N/2-1:0]), .y());
    Tree #(N - N / 2) high(.x(x[N-1:N/2]), .y());
  end
endmodule
"""


def test_modules_inside_themselves(tmp_path: Path) -> None:
    found = rtl.load([write(tmp_path, T=RECURSIVE)]).find("Tree")
    assert len(found.instances_of("Tree")) == 9
    for inner in ("A a[2](.x(x));", "A #(N + 1) a(.x(x));", "B b(.x(x));"):
        texts = {"A": f"module A #(N = 1) (input x); {inner} endmodule"}
        texts["B"] = "module B(input x); A a(.x(x)); endmodule"
        write(tmp_path, **texts)
        design = rtl.load([tmp_path / "A.sv", tmp_path / "B.sv"])
        fails(Status.BAD_RTL, design.find("A").ports, "is inside itself without end")


def collector(name: str) -> str:
    ports = tables.load("collector").ports(tables.load("collector").defaults())
    lines = ["input clock", *(f"{p.direction}put [{p.width - 1}:0] {p.name}" for p in ports)]
    return f"module {name}(\n  " + ",\n  ".join(lines) + "\n);\nendmodule\n"


def test_find_takes_the_module_that_fits(tmp_path: Path) -> None:
    table = tables.load("collector")
    write(tmp_path, A=EMITTED, B=collector("RenamedCollector"))
    design = rtl.load([tmp_path])
    assert design.find(None, table).name == "RenamedCollector"
    write(tmp_path, C=collector("OtherCollector"))
    fails(
        Status.AMBIGUOUS,
        lambda: rtl.load([tmp_path]).find(None, table),
        "RenamedCollector",
        "OtherCollector",
        "use --module NAME",
    )
    write(tmp_path, D=collector(table.module))
    assert rtl.load([tmp_path]).find(None, table).name == table.module
    only = rtl.load([tmp_path / "A.sv"])
    fails(Status.NO_MODULE, lambda: only.find(None, table), table.module, "Inner")


def test_find_names_what_is_defined_twice_in_the_module_that_fits(tmp_path: Path) -> None:
    table = tables.load("collector")
    own = collector("RenamedCollector").replace("endmodule", "H h(); endmodule")
    write(tmp_path, A=own, B="module H; endmodule", C="module H; wire a; endmodule")
    design = rtl.load([tmp_path])
    fails(Status.AMBIGUOUS, lambda: design.find(None, table), "module H is defined twice")


def test_find_names_the_block_that_fits(tmp_path: Path) -> None:
    """Where the block is misnamed, the advice is its name and not a module's."""
    write(tmp_path, A=EMITTED, B=collector("Renamed"))
    design, wrong = rtl.load([tmp_path]), tables.load("vortex_scoreboard")
    text = fails(Status.NO_MODULE, lambda: design.find(None, wrong), "Renamed fit block collector")
    assert "--module" not in text


def big(lines: int) -> str:
    """A module of that many lines: scalar registers and one process, as a real scoreboard."""
    count = lines // 2
    ports = "  input clock,\n        reset,\n  input [7:0] io_a,\n  output [2:0] io_q\n"
    text = [f"module Big(\n{ports});"]
    text += [f"  reg [2:0] r_{i};\t// @[Scoreboard.scala:{i}:7]" for i in range(count)]
    text += ["  always @(posedge clock) begin"]
    for i in range(count):
        new = f"reset ? 3'h0 : io_a[2:0] + r_{(i + 1) % count}"
        text.append(f"    r_{i} <= {new};\t// @[Scb.scala:{i}:9]")
    return "\n".join([*text, "  end", "  assign io_q = r_0;", "endmodule", ""])


def test_file_of_60000_lines_is_quick(tmp_path: Path) -> None:
    write(tmp_path, Big=big(60000), A="module A(input [7:0] a); Big b(.io_a(a)); endmodule")
    start = time.process_time()
    design = rtl.load([tmp_path])
    top = design.find("A")
    top.require_complete()
    assert ports(design.find("Big"))["io_q"] == ("out", 3)
    assert top.instances_of("Big") == ["A.b"]
    assert len(design.files_for(top)) == 2
    assert time.process_time() - start < 2.0

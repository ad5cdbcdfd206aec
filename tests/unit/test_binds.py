# SPDX-License-Identifier: Apache-2.0
"""Bind statements: which are part of a module, refused, or named as left out."""

from pathlib import Path

import pytest
from wlk.base.errors import Status, WlkError
from wlk.fit import binds, identity, rtl

TOP = """
module sub(input clock, input [3:0] a, output logic [3:0] q);
  always_ff @(posedge clock) q <= a;
endmodule
module top(input clock, input [3:0] a, output [3:0] q, r);
  sub s0(.clock, .a, .q);
  if (1) begin : g
    sub s1(.clock, .a(q), .q(r));
  end
endmodule
module other(input clock, input [3:0] a); endmodule
module tb; top dut(.clock(), .a(), .q(), .r()); other o(.clock(), .a()); endmodule
"""
CHECKER = (
    "module chk(input clock, input [3:0] a); always @(posedge clock) assert (a != {}); endmodule"
)

# A file with a bind, and the instances that it adds below `top`.
TAKEN = {
    "module": ("bind sub chk c(.*);", ["s0.c", "g.s1.c"]),
    "top": ("bind top chk c(.*);", ["c"]),
    "two_in_one": ("bind sub chk c(.*), d(.*);", ["s0.c", "s0.d", "g.s1.c", "g.s1.d"]),
    "wrapper": ("module w; bind sub chk c(.*); endmodule", ["s0.c", "g.s1.c"]),
    "wrapper_with_a_block": (
        "module w; if (1) begin : x bind sub chk c(.*); end endmodule",
        ["s0.c", "g.s1.c"],
    ),
    "macro": ("`define B bind sub chk c(.*);\n`B", ["s0.c", "g.s1.c"]),
    "beside_another_module": (
        "module lone; endmodule bind sub chk c(.*);",
        ["s0.c", "g.s1.c"],
    ),
    "what_is_bound_has_its_own": (
        "module in(input clock); endmodule bind chk in i(.*); bind top chk c(.*);",
        ["c"],
    ),
}
ELSEWHERE = {
    "another_module": "bind other chk c(.*);",
    "a_module_that_is_not_given": "bind nowhere chk c(.*);",
    "an_instance_of_another_top": "bind other.x chk c(.*);",
    "instances_of_another_module": "bind other : tb.o chk c(.*);",
}
REFUSED = {
    "instance": "bind top.s0 chk c(.*);",
    "instance_from_the_root": "bind $root.top.g.s1 chk c(.*);",
    "instance_that_is_not_there": "bind top.s9 chk c(.*);",
    "listed": "bind sub : top.s0, top.g.s1 chk c(.*);",
    "listed_by_relative_names": "bind sub : s0 chk c(.*);",
}
LEFT_OUT = {
    "below_a_test_bench": ("bind tb.dut.s0 chk c(.*);", "no instance tb.dut.s0 is below top"),
    "below_an_unknown_top": ("bind chip.core.t chk c(.*);", "no instance chip.core.t is below top"),
    "in_a_test_bench": (
        "module bench; top dut(.*); bind sub chk c(.*); endmodule",
        "it stands in module bench, which is not part of top",
    ),
    "ours": ("bind top wlk_collector_checker u(.*);", "a run brings wlk_collector_checker"),
}


@pytest.fixture
def read(tmp_path):
    """The module top, and a file beside it."""

    def load(text: str, value: int = 3) -> rtl.Module:
        files = {"top": TOP, "chk": CHECKER.format(value), "more": text}
        for name, content in files.items():
            (tmp_path / f"{name}.sv").write_text(content)
        return rtl.load([tmp_path]).find("top")

    return load


def stems(module: rtl.Module) -> list[str]:
    return [path.stem for path in module.design.files_for(module)]


@pytest.mark.parametrize("name", TAKEN)
def test_bind_below_the_module_is_part_of_it(read, name):
    text, paths = TAKEN[name]
    module = read(text)
    module.require_complete()
    assert stems(module) == ["chk", "more", "top"]
    assert sorted(module.instances_of("chk")) == sorted(f"top.{path}" for path in paths)
    assert not list(binds.left_out(module))


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_bound_counts_for_the_digest(read, name):
    text, _ = TAKEN[name]
    assert identity.of(read(text, 3)) != identity.of(read(text, 4))
    assert identity.simulated_only(read(text)) is None  # it asserts: nothing is proved of it


@pytest.mark.parametrize("name", ELSEWHERE)
def test_bind_elsewhere_is_left_out(read, name):
    module = read(ELSEWHERE[name])
    module.require_complete()
    assert stems(module) == ["top"] and not list(binds.left_out(module))
    assert identity.of(read(ELSEWHERE[name], 3)) == identity.of(read(ELSEWHERE[name], 4))


@pytest.mark.parametrize("name", REFUSED)
def test_bind_to_an_instance_is_refused(read, name):
    with pytest.raises(WlkError, match=r"more\.sv:1: a bind to the instance .*") as caught:
        read(REFUSED[name]).require_complete()
    assert caught.value.status == Status.BAD_RTL


@pytest.mark.parametrize("name", LEFT_OUT)
def test_bind_that_may_be_meant_is_named(read, name):
    text, why = LEFT_OUT[name]
    module = read(text)
    module.require_complete()
    (line,) = binds.left_out(module)
    assert "more.sv:1" in line and why in line
    assert stems(module) == ["top"]


def test_missing_module_that_is_bound_is_named(read):
    with pytest.raises(WlkError, match=r"more\.sv:1: module gone is missing") as caught:
        read("bind sub gone c(.*);").require_complete()
    assert caught.value.status == Status.NO_MODULE


def test_interface_that_is_bound_is_taken(read):
    module = read("interface mon(input clock); endinterface bind sub mon m(.*);")
    assert stems(module) == ["more", "top"]
    assert len(module.instances_of("mon")) == 2


def test_bound_module_is_no_top(read):
    design = read("bind sub chk c(.*);").design
    assert [module.name for module in design.tops()] == ["tb"]


def test_bind_moves_with_the_name_of_its_target(read, tmp_path: Path):
    module = read("bind /* here */ top chk c(.*); bind sub chk d(.*);")
    texts = module.renamed("inner")
    assert {path.name for path in texts} == {"top.sv", "more.sv"}
    assert texts[tmp_path / "more.sv"] == "bind /* here */ inner chk c(.*); bind sub chk d(.*);"


def test_header_that_is_named_and_binds_is_a_source(read, tmp_path: Path):
    read("")
    (tmp_path / "b.svh").write_text("bind sub chk c(.*);\n")
    (tmp_path / "macros.svh").write_text("`define X 1\n")
    listed = [tmp_path / name for name in ("top.sv", "chk.sv", "b.svh", "macros.svh")]
    assert stems(rtl.load(listed).find("top")) == ["top", "chk", "b"]
    assert "b" not in stems(rtl.load([tmp_path]).find("top"))  # as headers of a folder
    (tmp_path / "top.sv").write_text(f'`include "b.svh"\n{TOP}')
    assert stems(rtl.load(listed).find("top")) == ["top", "chk"]  # it is included


def test_files_of_our_own_checkers_are_no_part_of_rtl(read, tmp_path: Path):
    head = "// SPDX-License-Identifier: Apache-2.0\n// Generated by scripts/wlk/gen/sv.py from x.\n"
    (tmp_path / "wlk_pkg.sv").write_text(head + "package wlk_pkg; endpackage\n")
    bound = "bind top wlk_collector_checker u_wlk_collector_checker (.*);\n"
    (tmp_path / "wlk_collector_checker_bind.sv").write_text(head + bound)
    assert stems(read("bind sub chk c(.*);")) == ["chk", "more", "top"]

# SPDX-License-Identifier: Apache-2.0
"""Bind statements are part of RTL for each command, whatever file they stand in."""

import programs
import pytest
import rtl_under_test as rut
from wlk.base.errors import Status

CHECKER = """module chk(input clock, reset, input io_readReq_valid, io_writeReq_valid);
  always @(posedge clock) if (!reset) assert (!(io_readReq_valid && io_writeReq_valid));
endmodule
"""
BIND = f"bind {rut.TABLE.module} chk c(.*);\n"
FIRES = Status.RTL_ASSERTION
# The files beside the stub.
FILES = {
    "own_file": {"chk.sv": CHECKER, "bind.sv": BIND},
    "with_the_checker": {"chk.sv": BIND + CHECKER},
    "wrapper": {"chk.sv": CHECKER, "bind.sv": f"module w; {BIND} endmodule\n"},
    "module_inside": {
        "chk.sv": "module chk(input clk_i); always @(posedge clk_i) assert (0); endmodule\n",
        "bind.sv": "bind prf_bank chk c(.*);\n",
    },
    "interface": {
        "chk.sv": CHECKER.replace("module", "interface"),
        "bind.sv": BIND,
    },
}


def rtl(name, files):
    """A stub, and more files beside it."""
    place = rut.stub(f"bound_{name}")
    for file, text in files.items():
        (place / file).write_text(text)
    return place


def run(place, *words, code=FIRES):
    words = (*rut.PINNED, "--seeds", "1..1", *words)
    return rut.run_rtl(place, *words, code=code)


@pytest.mark.parametrize("name", FILES)
def test_what_is_bound_is_judged(name):
    assert "chk.sv" in run(rtl(name, FILES[name])).json["assertion"]["file"]


def test_vectors_are_played_into_what_is_bound(tmp_path):
    place = rtl("play", FILES["own_file"])
    path = tmp_path / "s.wlv"
    words = ("--config", "num_lanes=2", "--config", "num_pregs=16", "--config", "coll_entries=2")
    programs.warplock("vectors", "gen", "collector", path, *words, "--cycles", "2000")
    assert rut.play(path, "--rtl", place, code=FIRES)["verdict"] == "RTL_ASSERTION"


def test_header_in_a_list_that_binds_is_judged():
    place = rtl("header", {"chk.sv": CHECKER, "bind.svh": BIND})
    names = [path.name for path in sorted(place.iterdir()) if path.suffix != ".f"]
    (place / "rtl.f").write_text("\n".join(names) + "\n")
    assert "chk.sv" in run(place / "rtl.f").json["assertion"]["file"]


def test_missing_module_that_is_bound_is_named():
    done = run(rtl("missing", {"bind.sv": BIND}), code=Status.NO_MODULE)
    assert "bind.sv:1: module chk is missing" in done.err


def test_bind_to_an_instance_is_refused():
    files = {"chk.sv": CHECKER, "bind.sv": f"bind {rut.TABLE.module}.x chk c(.*);\n"}
    done = run(rtl("instance", files), code=Status.BAD_RTL)
    assert (
        f"bind.sv:1: a bind to the instance {rut.TABLE.module}.x, which Verilator does" in done.err
    )


def test_bind_that_is_left_out_stands_in_the_verdict():
    files = {"chk.sv": CHECKER, "bind.sv": "bind chip.core.collector chk c(.*);\n"}
    place = rtl("left_out", files)
    done = run(place, code=0)
    (line,) = done.json["binds_left_out"]
    assert f"{place}/bind.sv:1: no instance chip.core.collector is below" in line
    words = ("lockstep", "collector", "--rtl", place, *rut.QUICK, *rut.PINNED)
    done = programs.warplock(*words, "--reports", rut.PLACE.parent / "reports")
    assert "PASS (1 bind left out)" in done.out


def test_checkers_of_our_own_do_not_collide(tmp_path):
    place = rtl("ours", {})
    words = ("bind", "collector", "--rtl", place, *rut.PINNED, "--out", place / "wlk", "--sva")
    programs.warplock(*words, "--force")
    done = run(place, "--via", "dpi", code=0)
    assert done.json["verdict"] == "PASS" and "binds_left_out" not in done.json


def test_block_of_ones_own_keeps_what_is_bound(tmp_path):
    place = rut.folder("bound_own")
    text = "module flop(input clk, d, output logic q); always_ff @(posedge clk) q <= d; endmodule\n"
    (place / "flop.sv").write_text(text)
    checker = "module chk(input clk, d); always @(posedge clk) assert (!d); endmodule\n"
    (place / "chk.sv").write_text(f"bind flop chk c(.*);\n{checker}")
    programs.warplock("new", "flop", "--rtl", place, "--out", tmp_path)
    words = ("--blocks", tmp_path / "flop", "--seeds", "1..1", "--reports", tmp_path / "reports")
    done = programs.typed("lockstep", "flop", *words, "--json", code=FIRES)
    assert done.json["assertion"]["kind"] == "assertion"


# ---- proofs --------------------------------------------------------------------------------------

VERSION = """module sub(input logic clock, input logic [3:0] a, output logic [3:0] q);
  logic flag{};
  always_ff @(posedge clock) q <= a ^ {{4{{flag}}}};
endmodule
module top(input logic clock, input logic [3:0] a, output logic [3:0] q);
  sub s0(.clock, .a, .q);
endmodule
"""
DRIVES = "module drv(output flag); assign flag = {}; endmodule\n"
BOUND = {
    "reads": ("; assign flag = 0", "bind sub drv c(.flag()); " + DRIVES, "0", Status.OK),
    "drives": ("", "bind sub drv c(.*); " + DRIVES, "0", Status.OK),
    "drives_wrong": ("", "bind sub drv c(.*); " + DRIVES, "1", Status.REFUTED),
    "wrapper": ("", "module w; bind sub drv c(.*); endmodule " + DRIVES, "0", Status.OK),
    "wrapper_wrong": ("", "module w; bind sub drv c(.*); endmodule " + DRIVES, "1", Status.REFUTED),
    "from_above": ("", "module drv; assign sub.flag = {}; endmodule bind sub drv c();", "1",
                   Status.REFUTED),
}  # fmt: skip


@pytest.mark.needs("prove")
@pytest.mark.parametrize("name", BOUND)
def test_proof_takes_what_is_bound(name, tmp_path):
    flag, bound, value, code = BOUND[name]
    old, new = rut.folder("bound_version_old"), rut.folder(f"bound_version_{name}")
    (old / "t.sv").write_text(VERSION.format("; assign flag = 0"))
    (new / "t.sv").write_text(VERSION.format(flag))
    (new / "b.sv").write_text(bound.format(value) + "\n")
    words = ("--rtl", new, "--against", old, "--module", "top", "--reports", tmp_path, "--json")
    done = programs.warplock("prove", *words, code=code)
    assert code == Status.OK or done.json["counterexample"]["confirmed"]

# SPDX-License-Identifier: Apache-2.0
"""Real RTL drops in: found, matched, its parameters inferred, run. Bad RTL: one clear line."""

import json
import os
import shutil
import signal
import time
from pathlib import Path

import pytest
import rtl_under_test as rut
from wlk.base import setup
from wlk.base.errors import Status

UNREAD = ["io_readReq_bits_rsEntryId", "io_writeReq_bits_rsEntryId"]
CONSTANT = ["io_writeReq_ready", "io_writeResp_bits_collEntry", "io_writeResp_bits_regs_0_enable"]
THIRD_OPERAND = rut.ports(rut.SMALL, "io_readData_resp_bits_2_")
DEBUG = ["debug_cycle", "debug_clusterId", "debug_coreId"]


def config(lanes, registers, entries, banks, debug=0, **more):
    return {
        "num_lanes": lanes,
        "num_pregs": registers,
        "coll_entries": entries,
        "reg_banks": banks,
        "debug": debug,
    } | more


# Each value of each parameter at least once; (configuration, ports removed).
CASES = {
    "one_entry": (config(1, 16, 1, 1), []),
    "debug": (config(2, 256, 2, 2, debug=1), []),
    "many_banks": (config(16, 1024, 3, 8), []),
    "wide": (config(32, 16, 4, 2), []),
    "eight_entries": (config(1, 1024, 8, 1, debug=1), []),
    "constant_ports_removed": (config(2, 16, 3, 8), [*UNREAD, *CONSTANT]),
    "outputs_removed": (config(2, 256, 4, 1), ["io_readReq_ready", *THIRD_OPERAND]),
    "debug_ports_removed": (config(2, 16, 2, 2, debug=1), [*DEBUG, "io_readReq_bits_pc"]),
    "lanes_removed": (config(2, 256, 1, 8), ["io_readData_resp_bits_0_data_0"]),
    "lane64": (config(2, 16, 8, 2, lane_bits=64, rs_entries=16), UNREAD[:1]),
}
SHOWN = ("num_lanes", "lane_bits", "num_pregs", "coll_entries", "debug")


# ---- parameters and ports ---------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_parameters_are_inferred_and_rtl_passes(name):
    given, omitted = CASES[name]
    done = rut.run_lockstep("--rtl", rut.stub(f"infer_{name}", given, omit=omitted), *rut.QUICK)
    answer = done.json
    assert done.code == 0, done.err
    assert answer["verdict"] == "PASS"
    wanted = rut.TABLE.show(rut.TABLE.config(given))
    assert {k: answer["config"][k] for k in SHOWN} == {k: wanted[k] for k in SHOWN}
    assert answer["match"] == ("subset" if omitted else "equal")
    outputs = {p.name for p in rut.TABLE.ports(rut.TABLE.config(given)) if p.direction == "out"}
    assert set(answer["not_compared"]) == set(omitted) & outputs
    assert set(answer["tied_off"]) == set(omitted) - outputs
    for port in omitted:
        assert port in done.err
    # Where a width leaves several values, behaviour decides, and that is reported.
    assert answer["inferred"]["coll_entries"].startswith(f"behaviour: {wanted['coll_entries']} of")
    assert "pin it with --config coll_entries=" in done.err
    assert answer["inferred"]["reg_banks"] == "default"
    assert "num_lanes" not in answer["inferred"]  # the ports show it
    assert answer["floors"] == answer["floors_met"] > 10
    assert answer["compared_bits"] > answer["cycles"] * 50


def test_cases_hold_every_value():
    tried = [given for given, _ in CASES.values()]
    wanted = {
        "num_lanes": {1, 2, 16, 32},
        "num_pregs": {16, 256, 1024},
        "coll_entries": {1, 2, 3, 4, 8},
        "reg_banks": {1, 2, 8},
        "debug": {0, 1},
    }
    for key, values in wanted.items():
        assert {given[key] for given in tried} == values


def test_given_parameters_are_taken():
    place = rut.stub("given", config(2, 16, 3, 2))
    words = ["--config", "coll_entries=3", "--config", "reg_banks=2"]
    done = rut.run_lockstep("--rtl", place, *rut.QUICK, *words)
    assert done.code == 0
    assert done.json["config"]["reg_banks"] == 2
    assert "coll_entries" not in done.json["inferred"]
    wrong = rut.run_lockstep("--rtl", place, *rut.QUICK, "--config", "coll_entries=4")
    assert wrong.code == Status.FUNCTIONAL_MISMATCH


def test_given_parameter_that_the_ports_deny():
    done = rut.run_lockstep("--rtl", rut.stub("given", rut.SMALL), "--config", "num_lanes=4")
    assert done.code == Status.IFACE_CHANGED
    assert "num_lanes=4 was given" in done.err


def test_faulty_rtl_is_not_blamed_on_a_parameter():
    """No candidate passes: the one that explains most is taken, as the default is not possible."""
    fault = (
        "alloc_valid_q   <= alloc_valid_d;",
        "alloc_valid_q <= (alloc_valid_d == '1) ? '0 : alloc_valid_d;",
    )
    place = rut.stub("faulty_three", config(2, 16, 3, 1), edit={rut.CORE: fault})
    done = rut.run_lockstep("--rtl", place, *rut.QUICK)
    assert done.code == Status.FUNCTIONAL_MISMATCH
    assert done.json["inferred"]["coll_entries"].startswith("closest, none passes: 3 of 3|4")
    assert done.json["config"]["coll_entries"] == 3


# ---- which module -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def renamed():
    edit = {rut.SHELL: ("module DuplicatedCollector", "module MyCollector")}
    return rut.stub("renamed", edit=edit)


@pytest.mark.parametrize("words", [[], ["--module", "MyCollector"]])
def test_module_of_another_name(renamed, words):
    done = rut.run_lockstep("--rtl", renamed, *rut.QUICK, *words)
    assert done.code == 0, done.err
    assert done.json["module"] == "MyCollector"


def test_no_such_module(renamed):
    done = rut.run_lockstep("--rtl", renamed, "--module", "YourCollector")
    assert done.code == Status.NO_MODULE
    assert "no module YourCollector; nearest names: MyCollector" in done.line
    assert "--module" in done.line


def test_two_modules_that_fit():
    place = rut.stub("two_fit")
    text = (place / rut.SHELL).read_text()
    both = "".join(text.replace("module Dup", f"module {who}Dup") for who in ("My", "Your"))
    (place / rut.SHELL).write_text(both)
    done = rut.run_lockstep("--rtl", place, *rut.QUICK)
    assert done.code == Status.AMBIGUOUS
    assert "MyDuplicatedCollector" in done.line
    assert "YourDuplicatedCollector" in done.line
    assert "--module" in done.line
    chosen = rut.run_lockstep(
        "--rtl", place, "--module", "YourDuplicatedCollector", "--config", "coll_entries=2",
        *rut.QUICK,
    )  # fmt: skip
    assert chosen.code == 0


# ---- ports that do not fit --------------------------------------------------------------------


def test_input_that_is_read_is_missing():
    place = rut.stub("no_valid")
    rut.redeclare(place / rut.SHELL, "io_readReq_valid", None)
    done = rut.run_lockstep("--rtl", place)
    assert done.code == Status.IFACE_CHANGED
    assert "input io_readReq_valid is missing" in done.err.splitlines()[-1]
    assert done.json["error"]["status"] == "IFACE_CHANGED"


def test_width_and_direction_differ():
    place = rut.stub("other_shape")
    rut.redeclare(place / rut.SHELL, "io_writeReq_bits_regs_0_pReg", "input [4:0]")
    rut.redeclare(place / rut.SHELL, "io_readReq_valid", "output")
    done = rut.run_lockstep("--rtl", place)
    lines = [" ".join(line.split()) for line in done.err.splitlines()]
    assert done.code == Status.IFACE_CHANGED
    assert lines[0] == "port expected found"
    assert "io_readReq_valid input 1 bit output 1 bit" in lines
    assert "io_writeReq_bits_regs_0_pReg input 4 bits input 5 bits" in lines
    assert "(and 1 more)" in lines[-1]


def test_unknown_port():
    place = rut.stub("more_ports")
    rut.change(place / rut.SHELL, "module DuplicatedCollector (", "module DuplicatedCollector (\n"
               "    input        io_flush,")  # fmt: skip
    done = rut.run_lockstep("--rtl", place)
    assert done.code == Status.IFACE_CHANGED
    assert "io_flush" in done.err


# ---- files ------------------------------------------------------------------------------------


def test_rtl_that_does_not_parse():
    edit = {rut.CORE: ("free_now = readData", "free_now = = readData")}
    done = rut.run_lockstep("--rtl", rut.stub("broken", edit=edit))
    assert done.code == Status.BAD_RTL
    assert f"{rut.CORE}:" in done.line


def test_rtl_that_verilator_does_not_take():
    """slang takes it, Verilator does not: BUILD_FAIL with its first error and the log."""
    edit = {
        rut.CORE: (
            "  assign writeReq_ready_o",
            "  covergroup c; endgroup\n  assign writeReq_ready_o",
        )
    }
    done = rut.run_lockstep("--rtl", rut.stub("unsupported", edit=edit), *rut.QUICK)
    assert done.code == Status.BUILD_FAIL, done.err
    assert done.json["verdict"] == "BUILD_FAIL"
    assert "build.log" in done.err


def test_helper_module_is_missing():
    place = rut.stub("no_bank")
    (place / rut.BANK).unlink()
    done = rut.run_lockstep("--rtl", place)
    assert done.code == Status.NO_MODULE
    assert "module prf_bank is missing" in done.line
    assert f"{rut.CORE}:" in done.line


def test_no_such_file():
    done = rut.run_lockstep("--rtl", "/nowhere/rtl")
    assert done.code == Status.NO_FILE
    assert "/nowhere/rtl" in done.line


def test_folder_with_unrelated_files():
    place = rut.stub("unrelated")
    (place / "notes.txt").write_text("module DuplicatedCollector; nonsense")
    (place / "other.sv").write_text("module other (input a); nowhere u (.a); endmodule\n")
    (place / "sub").mkdir()
    (place / "sub" / "more.v").write_text("module more; endmodule\n")
    done = rut.run_lockstep("--rtl", place, *rut.QUICK)
    assert done.code == 0, done.err


def test_same_helper_in_two_files():
    place = rut.stub("twice")
    shutil.copy(place / rut.BANK, place / "again.sv")
    done = rut.run_lockstep("--rtl", place, *rut.QUICK)
    assert done.code == 0, done.err
    rut.change(place / "again.sv", "if (read_en_i)", "if (!read_en_i)")
    other = rut.run_lockstep("--rtl", place, *rut.QUICK)
    assert other.code == Status.AMBIGUOUS
    assert "prf_bank is defined twice and differently" in other.line


def test_list_and_single_files():
    place = rut.stub("listed")
    files = [rut.SHELL, rut.CORE, rut.BANK]
    (place / "all.f").write_text("# the block\n" + "\n".join(files) + "  // core\n+define+X=1\n")
    listed = rut.run_lockstep("--rtl", place / "all.f", *rut.QUICK)
    assert listed.code == 0, listed.err
    words = [word for name in files for word in ("--rtl", place / name)]
    single = rut.run_lockstep(*words, *rut.QUICK)
    together = rut.run_lockstep("--rtl", *(place / name for name in files), *rut.QUICK)
    assert single.code == together.code == 0, single.err
    assert single.json["compared_bits"] == listed.json["compared_bits"]


def test_changed_include_is_built_again():
    """What a file includes belongs to the build's identity."""
    place = rut.stub(
        "included", edit={rut.CORE: ("= 1'b1;\n  assign writeResp_valid_o", "= `READY;\n"
        "  assign writeResp_valid_o")},
    )  # fmt: skip
    core = place / rut.CORE
    core.write_text('`include "ready.svh"\n' + core.read_text())
    (place / "ready.svh").write_text("`define READY 1'b1\n")
    assert rut.run_lockstep("--rtl", place, *rut.QUICK).code == 0
    (place / "ready.svh").write_text("`define READY !rst_i\n")
    done = rut.run_lockstep("--rtl", place, *rut.QUICK)
    assert done.code == Status.FUNCTIONAL_MISMATCH
    assert done.json["first"]["port"] == "io_writeReq_ready"


# ---- as the Chisel compiler emits it ------------------------------------------------------------

PREAMBLE = """\
// Generated by CIRCT firtool
`ifndef RANDOMIZE
  `ifdef RANDOMIZE_REG_INIT
    `define RANDOMIZE
  `endif
`endif
`ifndef RANDOM
  `define RANDOM $random
`endif
`ifndef INIT_RANDOM
  `define INIT_RANDOM
`endif
`ifndef RANDOMIZE_DELAY
  `define RANDOMIZE_DELAY 0.002
`endif
`ifndef INIT_RANDOM_PROLOG_
  `ifdef RANDOMIZE
    `ifdef VERILATOR
      `define INIT_RANDOM_PROLOG_ `INIT_RANDOM
    `else
      `define INIT_RANDOM_PROLOG_ `INIT_RANDOM #`RANDOMIZE_DELAY begin end
    `endif
  `else
    `define INIT_RANDOM_PROLOG_
  `endif
`endif
`ifndef SYNTHESIS
  `ifndef ENABLE_INITIAL_REG_
    `define ENABLE_INITIAL_REG_
  `endif
`endif
`ifndef PRINTF_COND_
  `ifdef PRINTF_COND
    `define PRINTF_COND_ (`PRINTF_COND)
  `else
    `define PRINTF_COND_ 1
  `endif
`endif
`ifndef ASSERT_VERBOSE_COND_
  `ifdef ASSERT_VERBOSE_COND
    `define ASSERT_VERBOSE_COND_ (`ASSERT_VERBOSE_COND)
  `else
    `define ASSERT_VERBOSE_COND_ 1
  `endif
`endif
`ifndef STOP_COND_
  `ifdef STOP_COND
    `define STOP_COND_ (`STOP_COND)
  `else
    `define STOP_COND_ 1
  `endif
`endif

"""
# Holds for every legal stimulus / fails soon.
HOLDS = "io_readData_req_valid & ~io_readData_resp_valid"
FAILS = "io_readReq_valid & ~io_readReq_ready"
ASSERTIONS = """\
  reg [3:0] requests;	// @[Collector.scala:61:27]
  always @(posedge clock) begin
    if (reset)
      requests <= 4'h0;
    else if (io_readReq_valid)
      requests <= requests + 4'h1;
  end // always @(posedge)
  `ifndef SYNTHESIS
    always @(posedge clock) begin
      if (~reset & (CONDITION)) begin
        if (`ASSERT_VERBOSE_COND_)
          $error("Assertion failed\\n    at Collector.scala:103 assert(legal)\\n");
        if (`STOP_COND_)
          $fatal;
      end
      if ((`PRINTF_COND_) & io_readReq_valid & ~reset)
        $fwrite(32'h80000002, "request %d\\n", requests);
      if ((`PRINTF_COND_) & io_readReq_valid)
        $display("{\\"verdict\\": \\"printed by the RTL\\"}");
    end // always @(posedge)
  `endif // not def SYNTHESIS
  `ifdef ENABLE_INITIAL_REG_
    `ifdef FIRRTL_BEFORE_INITIAL
      `FIRRTL_BEFORE_INITIAL
    `endif // FIRRTL_BEFORE_INITIAL
    initial begin
      automatic logic [31:0] _RANDOM[0:0];
      `ifdef INIT_RANDOM_PROLOG_
        `INIT_RANDOM_PROLOG_
      `endif // INIT_RANDOM_PROLOG_
      `ifdef RANDOMIZE_REG_INIT
        _RANDOM[1'h0] = `RANDOM;
        requests = _RANDOM[1'h0][3:0];
      `endif // RANDOMIZE_REG_INIT
    end // initial
    `ifdef FIRRTL_AFTER_INITIAL
      `FIRRTL_AFTER_INITIAL
    `endif // FIRRTL_AFTER_INITIAL
  `endif // ENABLE_INITIAL_REG_
endmodule"""


def emitted(name, condition):
    """The stub with the assertions and initial blocks of an elaboration."""
    place = rut.stub(name)
    path = place / rut.SHELL
    rut.change(path, "endmodule", ASSERTIONS.replace("CONDITION", condition))
    path.write_text(PREAMBLE + path.read_text())
    return place


PINNED = ("--config", "coll_entries=2")


def test_emitted_rtl_with_random_initial_blocks():
    words = ["--define", "RANDOMIZE_REG_INIT", "--define", "RANDOMIZE_MEM_INIT"]
    done = rut.run_lockstep("--rtl", emitted("holds", HOLDS), *rut.QUICK, *words, *PINNED)
    assert done.code == 0, done.err
    assert done.json["printed"].keys() == {"lines"}
    assert f"the RTL printed {done.json['printed']['lines']:,} lines" in done.err
    assert "request 1" not in done.err


def test_assertion_that_fires(tmp_path):
    words = [*rut.QUICK, *PINNED, "--reports", tmp_path]
    done = rut.run_lockstep("--rtl", emitted("fires", FAILS), *words)
    fired = done.json["assertion"]
    assert done.code == Status.RTL_ASSERTION
    assert done.json["verdict"] == "RTL_ASSERTION"
    text = "TOP.DuplicatedCollector: Assertion failed at Collector.scala:103 assert(legal)"
    assert fired["message"] == text
    assert fired["file"] == str(rut.PLACE / "fires" / rut.SHELL)
    assert fired["cycle"] < done.json["cycles"]
    (report,) = tmp_path.rglob("report.txt")
    assert f"in cycle {fired['cycle']}: {text}" in report.read_text()
    assert list(tmp_path.rglob("wave.fst"))
    assert not list(tmp_path.rglob("*.partial*"))


@pytest.mark.parametrize("words", [["SYNTHESIS"], ["STOP_COND=0", "ASSERT_VERBOSE_COND=0"]])
def test_assertions_switched_off_by_macro(words):
    defines = [word for text in words for word in ("--define", text)]
    done = rut.run_lockstep("--rtl", emitted("fires", FAILS), *rut.QUICK, *defines, *PINNED)
    assert done.code == 0, done.err


def test_assertion_in_rtl_that_is_wrong_too():
    """A mismatch is the verdict; the assertion is listed beside it."""
    place = emitted("fires_late", "io_writeReq_valid & (requests == 4'h9)")
    rut.change(place / rut.CORE, "assign readReq_ready_o = read_ready;",
               "assign readReq_ready_o = read_ready && !rst_i;")  # fmt: skip
    done = rut.run_lockstep("--rtl", place, *rut.QUICK, *PINNED)
    assert done.code == Status.FUNCTIONAL_MISMATCH
    assert done.json["first"]["port"] == "io_readReq_ready"
    assert "Collector.scala:103" in done.json["assertion"]["message"]
    assert "Collector.scala:103" in done.err


def filler(number):
    """A module of 60 lines."""
    regs = "".join(
        f"  reg [31:0] r{n};\t// @[Filler.scala:{n}:{number}]\n"
        f"  always @(posedge clock) r{n} <= reset ? 32'h{n:x} : r{n} + d;\n"
        for n in range(28)
    )
    total = " ^ ".join(f"r{n}" for n in range(28))
    ports = "  input clock, reset,\n  input [31:0] d,\n  output [31:0] q\n"
    return f"module Filler_{number}(\n{ports});\n{regs}  assign q = {total};\nendmodule\n"


@pytest.mark.slow
def test_large_file():
    """60,000 lines in one file, some of them part of the design."""
    place = rut.stub("large")
    used = "".join(
        f"  wire [31:0] q{n};\n"
        f"  Filler_{n} u_{n} (.clock, .reset, .d({{31'h0, io_readReq_valid}}), .q(q{n}));\n"
        for n in range(20)
    )
    rut.change(place / rut.SHELL, "endmodule", used + "endmodule")
    names = (rut.BANK, rut.CORE, rut.SHELL)
    text = "".join((place / name).read_text() for name in names)
    text += "".join(map(filler, range(970)))
    for name in names:
        (place / name).unlink()
    (place / "core.sv").write_text(text)
    assert text.count("\n") > 60_000
    start = time.monotonic()
    done = rut.run_lockstep("--rtl", place, *rut.QUICK)
    assert done.code == 0, done.err
    assert time.monotonic() - start < 120


# ---- options ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def plain():
    return rut.stub("plain")


@pytest.mark.parametrize(
    ("words", "status", "part"),
    [
        (["--seeds", "x"], Status.USAGE, "--seeds: 'x' is not a number"),
        (["--seeds", "5..2"], Status.USAGE, "the last seed is below the first"),
        (["--cycles", "0"], Status.USAGE, "--cycles: 0: must be 1 or more"),
        (["--cycles", "1.5"], Status.USAGE, "1.5 is not a whole number"),
        (["--jobs", "0"], Status.USAGE, "--jobs: 0: must be 1 or more"),
        (["--profile", "nope"], Status.USAGE, "no profile 'nope'; it has mix, mixed, "),
        (["--power-up", "one"], Status.USAGE, "choose from 'random', 'zero'"),
        (["--config", "num_lanes=99"], Status.BAD_CONFIG, "num_lanes=99 is not legal"),
        (["--config", "zork=1"], Status.BAD_CONFIG, "no parameter 'zork'"),
        (["--config", "nope"], Status.BAD_CONFIG, "no configuration 'nope'"),
        (["--include", "/nowhere"], Status.NO_FILE, "/nowhere: no such include folder"),
    ],
)
def test_bad_option(plain, words, status, part):
    done = rut.run_lockstep("--rtl", plain, *words)
    assert done.code == status
    assert part in done.line
    assert done.json["error"]["code"] == status


def test_power_up(plain):
    zero = rut.run_lockstep("--rtl", plain, *rut.QUICK, *PINNED, "--power-up", "zero")
    random = rut.run_lockstep("--rtl", plain, *rut.QUICK, *PINNED, "--power-up", "random")
    assert zero.code == random.code == 0
    assert zero.json["masked_bits"] == 0
    assert random.json["masked_bits"] > 0
    assert zero.json["compared_bits"] > random.json["compared_bits"]


def test_power_up_zero_needs_zero():
    """A register that powers up as 1 is seen under `--power-up zero`, and only then."""
    edit = {rut.CORE: ("  logic write_valid_d, write_valid_q;",
                       "  logic write_valid_d;\n  logic write_valid_q = 1'b1;")}  # fmt: skip
    place = rut.stub("powers_up", edit=edit)
    assert rut.run_lockstep("--rtl", place, *rut.QUICK, *PINNED).code == 0
    done = rut.run_lockstep("--rtl", place, *rut.QUICK, *PINNED, "--power-up", "zero")
    assert done.code == Status.FUNCTIONAL_MISMATCH
    assert done.json["first"]["port"] == "io_writeResp_valid"
    assert done.json["first"]["cycle"] == 0


def test_one_profile_has_no_floors(plain):
    words = ["--profile", "saturate", "--cycles", "3000", "--seeds", "1"]
    done = rut.run_lockstep("--rtl", plain, *PINNED, *words)
    assert done.code == 0, done.err
    assert done.json["floors"] == 0
    assert done.json["coverage"]["alloc_and_free"]["hits"] > 1000


def test_too_few_cycles_are_vacuous(plain):
    done = rut.run_lockstep("--rtl", plain, *PINNED, "--cycles", "50", "--seeds", "1")
    assert done.code == Status.VACUOUS
    assert done.json["verdict"] == "VACUOUS"
    assert "under their floors: " in done.err
    assert "run more cycles" in done.err


def test_same_seed_gives_the_same_run(plain):
    answers = [rut.run_lockstep("--rtl", plain, *rut.QUICK, *PINNED).json for _ in range(2)]
    for answer in answers:
        answer.pop("cycles_per_second")
    assert answers[0] == answers[1]
    other = rut.run_lockstep("--rtl", plain, "--seeds", "7..8", "--cycles", "5000", *PINNED).json
    assert other["coverage"] != answers[0]["coverage"]


# ---- surroundings ------------------------------------------------------------------------------


def wait_for(condition, seconds=30.0):
    """True as soon as the condition holds."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if condition():
            return True
        time.sleep(0.05)
    return False


def harnesses(key):
    """Processes whose command line holds `key`."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if any(key.encode() in word for word in words):
                found.append(words[0].decode())
    return found


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_leaves_nothing(plain, tmp_path, number):
    key = f"cycles={4_000_000_000 + os.getpid()}"  # in the harness's command line
    words = ["--rtl", plain, *PINNED, "--cycles", key.partition("=")[2], "--reports", tmp_path]
    running = rut.process("lockstep", "collector", *words)
    try:
        assert wait_for(lambda: harnesses(key)), "the harness does not start"
        time.sleep(0.3)
        running.send_signal(number)
        out, err = running.communicate(timeout=20)
    finally:
        running.kill()
    assert running.returncode == 128 + number
    assert "Traceback" not in err
    if number == signal.SIGINT:
        assert err.splitlines()[-1] == "warplock: interrupted"
    assert wait_for(lambda: not harnesses(key), 5)
    assert not list(tmp_path.rglob("*"))
    assert not out.startswith("{")


def test_missing_verilator(plain, tmp_path):
    """With set-up refused: exit code 26, and what to install."""
    for tool in (
        *setup.FEATURES["build"].tools,
        "make",
        "ccache",
        "apt-get",
        "env",
        "sh",
        "python3",
    ):
        if tool != "verilator" and (path := shutil.which(tool)):
            (tmp_path / tool).symlink_to(path)
    running = rut.process(
        "lockstep", "collector", "--rtl", plain, "--no-setup", env={"PATH": str(tmp_path)}
    )
    _, err = running.communicate(timeout=60)
    assert running.returncode == Status.NO_TOOL
    assert len(err.splitlines()) == 1
    assert "missing: verilator" in err
    assert "apt-get install" in err


def test_reports_folder_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    edit = {rut.CORE: ("writeReq_ready_o = 1'b1", "writeReq_ready_o = !rst_i")}
    place = rut.stub("ready_in_reset", edit=edit)
    words = [*rut.QUICK, *PINNED, "--reports", tmp_path / "file"]
    done = rut.run_lockstep("--rtl", place, *words)
    assert done.code == Status.NO_FILE
    assert "--reports" in done.line


def test_table_for_a_person(plain):
    done = rut.warplock("lockstep", "collector", "--rtl", plain, *rut.QUICK, *PINNED)
    last = done.out.splitlines()[-1]
    assert done.code == 0
    assert last.startswith("collector")
    assert last.endswith("PASS")
    assert "cycles/s" in done.out
    with pytest.raises(json.JSONDecodeError):
        json.loads(last)


# ---- what the behaviour alone shows -----------------------------------------------------------


def test_pass_names_what_it_infers_and_strict_refuses_it():
    place = rut.stub("infer_one_entry", CASES["one_entry"][0])
    done = rut.run_lockstep("--rtl", place, *rut.QUICK, "--strict")
    assert done.code == Status.AMBIGUOUS
    answer = json.loads(done.out.splitlines()[0])  # behind it the error
    assert answer["verdict"] == "PASS"
    assert answer["inferred_behaviour"] == {"coll_entries": 1}
    assert "--config coll_entries=1" in done.err.splitlines()[-1]
    assert "THE DEFAULT coll_entries=2 FAILS (FUNCTIONAL_MISMATCH in cycle" in done.err
    pinned = rut.run_lockstep("--rtl", place, *rut.QUICK, "--strict", "--config", "coll_entries=1")
    assert pinned.code == 0, pinned.err
    assert "inferred_behaviour" not in pinned.json


def test_default_is_reported_where_no_configuration_passes():
    """The right value is no worse for a fault that it does not explain: the report names it."""
    edit = {rut.CORE: ("read_ready = (alloc_valid_q != '1) || free_now;", "read_ready = 1'b1;")}
    done = rut.run_lockstep("--rtl", rut.stub("faulty_two", rut.SMALL, edit=edit), *rut.QUICK)
    assert done.code == Status.FUNCTIONAL_MISMATCH
    assert done.json["config"]["coll_entries"] == 2
    tried = done.json["candidates"]
    assert [each["config"] for each in tried] == [{"coll_entries": 2}, {"coll_entries": 1}]
    assert tried[0]["first"]["port"] == "io_readReq_ready"
    assert "none of 2 configurations passes; if the RTL has another, pin it" in done.err
    assert "--config coll_entries=2" in done.err.split("repeat: ")[1].splitlines()[0]

# SPDX-License-Identifier: Apache-2.0
"""Real RTL drops in: found, matched, its parameters inferred, run. Bad RTL: one clear line."""

import contextlib
import json
import os
import shutil
import signal
import time
from pathlib import Path

import chisel
import programs
import pytest
import rtl_under_test as rut
from rtl_under_test import FAILS, PINNED
from wlk.base import setup
from wlk.base.errors import Status

UNREAD = ["io_readReq_bits_rsEntryId", "io_writeReq_bits_rsEntryId"]
CONSTANT = ["io_writeReq_ready", "io_writeResp_bits_collEntry", "io_writeResp_bits_regs_0_enable"]
THIRD_OPERAND = rut.ports(rut.SMALL, "io_readData_resp_bits_2_")
DEBUG = ["debug_cycle", "debug_clusterId", "debug_coreId"]
VARIED = ("num_lanes", "num_pregs", "coll_entries", "reg_banks", "debug")


def config(*values, **more):
    """Values of what is varied, in its order."""
    return dict(zip(VARIED, (*values, 0), strict=False)) | more


# Each value of each parameter at least once; (configuration, ports removed).
CASES = {
    "one_entry": (config(1, 16, 1, 1), []),
    "debug": (config(2, 256, 2, 2, 1), []),
    "many_banks": (config(16, 1024, 3, 8), []),
    "wide": (config(32, 16, 4, 2), []),
    "eight_entries": (config(1, 1024, 8, 1, 1), []),
    "constant_ports_removed": (config(2, 16, 3, 8), [*UNREAD, *CONSTANT]),
    "outputs_removed": (config(2, 256, 4, 1), ["io_readReq_ready", *THIRD_OPERAND]),
    "debug_ports_removed": (config(2, 16, 2, 2, 1), [*DEBUG, "io_readReq_bits_pc"]),
    "lanes_removed": (config(2, 256, 1, 8), ["io_readData_resp_bits_0_data_0"]),
    "lane64": (config(2, 16, 8, 2, lane_bits=64, rs_entries=16), UNREAD[:1]),
}
ACCEPT = "--accept-inferred"
SHOWN = ("num_lanes", "lane_bits", "num_pregs", "coll_entries", "debug")
HELD = ({1, 2, 16, 32}, {16, 256, 1024}, {1, 2, 3, 4, 8}, {1, 2, 8}, {0, 1})


# ---- parameters and ports ---------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_parameters_are_inferred_and_rtl_passes(name):
    given, omitted = CASES[name]
    done = rut.run_rtl(rut.stub(f"infer_{name}", given, omit=omitted), ACCEPT)
    answer = done.json
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


@pytest.mark.parametrize(("key", "values"), list(zip(VARIED, HELD, strict=True)))
def test_cases_hold_every_value(key, values):
    assert {given[key] for given, _ in CASES.values()} == values


def test_given_parameters_are_taken():
    place = rut.stub("given", config(2, 16, 3, 2))
    done = rut.run_rtl(place, "--config", "coll_entries=3", "--config", "reg_banks=2")
    assert done.json["config"]["reg_banks"] == 2
    assert "coll_entries" not in done.json["inferred"]
    rut.run_rtl(place, "--config", "coll_entries=4", code=FAILS)


def test_faulty_rtl_is_not_blamed_on_a_parameter():
    """No candidate passes: the one that explains most is taken, as the default is not possible."""
    fault = (
        "alloc_valid_q   <= alloc_valid_d;",
        "alloc_valid_q <= (alloc_valid_d == '1) ? '0 : alloc_valid_d;",
    )
    place = rut.stub("faulty_three", config(2, 16, 3, 1), edit={rut.CORE: fault})
    done = rut.run_rtl(place, code=FAILS)
    assert done.json["inferred"]["coll_entries"].startswith("closest, none passes: 3 of 3|4")
    assert done.json["config"]["coll_entries"] == 3


# ---- which module, which files ----------------------------------------------------------------

RENAMED = ("module DuplicatedCollector", "module MyCollector")


@pytest.mark.parametrize("words", [[], ["--module", "MyCollector"]])
def test_module_of_another_name(words):
    done = rut.run_rtl(rut.stub("renamed", edit={rut.SHELL: RENAMED}), *words)
    assert done.json["module"] == "MyCollector"


def two_fit(place):
    text = (place / rut.SHELL).read_text()
    both = "".join(text.replace("module Dup", f"module {who}Dup") for who in ("My", "Your"))
    (place / rut.SHELL).write_text(both)


def test_one_of_two_modules_that_fit_is_chosen():
    place = rut.stub("two_fit")
    two_fit(place)
    rut.run_rtl(place, "--module", "YourDuplicatedCollector", *PINNED)


def test_folder_with_unrelated_files():
    place = rut.stub("unrelated")
    (place / "notes.txt").write_text("module DuplicatedCollector; nonsense")
    (place / "other.sv").write_text("module other (input a); nowhere u (.a); endmodule\n")
    (place / "sub").mkdir()
    (place / "sub" / "more.v").write_text("module more; endmodule\n")
    rut.run_rtl(place)


def test_same_helper_in_two_files():
    place = rut.stub("twice")
    shutil.copy(place / rut.BANK, place / "again.sv")
    rut.run_rtl(place)
    rut.change(place / "again.sv", "if (read_en_i)", "if (!read_en_i)")
    other = rut.run_rtl(place, code=Status.AMBIGUOUS)
    assert "prf_bank is defined twice and differently" in other.line


def test_list_and_single_files():
    place = rut.stub("listed")
    files = [rut.SHELL, rut.CORE, rut.BANK]
    (place / "all.f").write_text("# the block\n" + "\n".join(files) + "  // core\n+define+X=1\n")
    listed = rut.run_rtl(place / "all.f")
    words = [word for name in files for word in ("--rtl", place / name)]
    single = rut.run_lockstep(*words, *rut.QUICK)
    rut.run_lockstep("--rtl", *(place / name for name in files), *rut.QUICK)
    assert single.json["compared_bits"] == listed.json["compared_bits"]


def test_changed_include_is_built_again():
    """What a file includes belongs to the build's identity."""
    end = ";\n  assign writeResp_valid_o"
    place = rut.stub("included", edit={rut.CORE: (f"= 1'b1{end}", f"= `READY{end}")})
    core = place / rut.CORE
    core.write_text('`include "ready.svh"\n' + core.read_text())
    (place / "ready.svh").write_text("`define READY 1'b1\n")
    rut.run_rtl(place)
    (place / "ready.svh").write_text("`define READY !rst_i\n")
    assert rut.run_rtl(place, code=FAILS).port == "io_writeReq_ready"


# ---- RTL and options that are refused ---------------------------------------------------------


def unlinked(file):
    return lambda place: (place / file).unlink()


def edited(file, old, new):
    return lambda place: rut.change(place / file, old, new)


def redeclared(port):
    """It is no port any more."""
    return lambda place: rut.redeclare(place / rut.SHELL, port, None)


MODULE = "module DuplicatedCollector ("
FLUSH = f"{MODULE}\n    input        io_flush,"
# What is done to the stub, options, exit code, parts of the line.
REFUSED = [
    (edited(rut.SHELL, *RENAMED), "--module YourCollector", Status.NO_MODULE,
     "no module YourCollector; nearest names: MyCollector|--module"),
    (two_fit, "", Status.AMBIGUOUS,
     "MyDuplicatedCollector|YourDuplicatedCollector|--module"),
    (redeclared("io_readReq_valid"), "", Status.IFACE_CHANGED,
     "input io_readReq_valid is missing"),
    (edited(rut.SHELL, MODULE, FLUSH), "", Status.IFACE_CHANGED, "io_flush"),
    (edited(rut.CORE, "free_now = readData", "free_now = = readData"), "", Status.BAD_RTL,
     f"{rut.CORE}:"),
    (unlinked(rut.BANK), "", Status.NO_MODULE, f"module prf_bank is missing|{rut.CORE}:"),
    (None, "--config num_lanes=4", Status.IFACE_CHANGED, "num_lanes=4 was given"),
    (None, "--seeds x", Status.USAGE, "--seeds: 'x' is not a number"),
    (None, "--seeds 5..2", Status.USAGE, "the last seed is below the first"),
    (None, "--cycles 0", Status.USAGE, "--cycles: 0: must be 1 or more"),
    (None, "--cycles 1.5", Status.USAGE, "1.5 is not a whole number"),
    (None, "--jobs 0", Status.USAGE, "--jobs: 0: must be 1 or more"),
    (None, "--power-up one", Status.USAGE, "choose from unknown, zero"),
    (None, "--config num_lanes=99", Status.BAD_CONFIG, "num_lanes=99 is not legal"),
    (None, "--config zork=1", Status.BAD_CONFIG, "no parameter 'zork'"),
    (None, "--include /nowhere", Status.NO_FILE, "/nowhere: no such include folder"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "words", "status", "parts"), REFUSED)
def test_bad_rtl_and_bad_options_are_refused(change, words, status, parts):
    place = rut.stub("refused" if change else "plain")
    if change:
        change(place)
    done = rut.run_lockstep("--rtl", place, *words.split(), code=status)
    line = done.err.splitlines()[-1]  # a table of ports may stand above it
    assert line.startswith("warplock: ")
    assert [part for part in parts.split("|") if part not in line] == []
    assert done.json["error"]["code"] == status


def test_width_and_direction_differ():
    place = rut.stub("other_shape")
    rut.redeclare(place / rut.SHELL, "io_writeReq_bits_regs_0_pReg", "input [4:0]")
    rut.redeclare(place / rut.SHELL, "io_readReq_valid", "output")
    done = rut.run_lockstep("--rtl", place, code=Status.IFACE_CHANGED)
    lines = [" ".join(line.split()) for line in done.err.splitlines()]
    assert lines[0] == "port expected found"
    assert "io_readReq_valid input 1 bit output 1 bit" in lines
    assert "io_writeReq_bits_regs_0_pReg input 4 bits input 5 bits" in lines
    assert "(and 1 more)" in lines[-1]


def test_rtl_that_verilator_does_not_take():
    """slang takes it, Verilator does not: BUILD_FAIL with its first error and the log."""
    ready = "  assign writeReq_ready_o"
    edit = {rut.CORE: (ready, f"  covergroup c; endgroup\n{ready}")}
    done = rut.run_rtl(rut.stub("unsupported", edit=edit), code=Status.BUILD_FAIL)
    assert done.json["verdict"] == "BUILD_FAIL"
    assert "build.log" in done.err


IMPORT = """\
  import "DPI-C" function int licensed(input int seats);
  int seats;
  initial seats = licensed(1);
endmodule"""


def test_a_function_of_c_that_nothing_defines_is_named():
    place = rut.stub("imports")
    rut.change(place / rut.SHELL, "endmodule", IMPORT)
    done = rut.run_rtl(place, code=Status.BUILD_FAIL)
    assert "the RTL imports licensed by DPI, and nothing defines it; name its C by" in done.err
    assert "build.log" in done.err


C_SOURCES = {
    "licensed.c": '#include "seats.h"\nint licensed(int seats) { return seats + many(); }\n',
    "seats.h": "int many(void);\n",
    "many.cpp": 'extern "C" int many() { return SEATS; }\n',
    "bench.cpp": '#include "Vtop.h"\nint main() { return 1; }\n',
    "main.c": "int main(void) { return 1; }\n",
}


def test_functions_of_c_are_those_of_the_list():
    """Of a list of a whole simulation: a file that does not compile, or has a main, is not needed.
    A header that has changed is noticed."""
    place = rut.stub("imports_c")
    rut.change(place / rut.SHELL, "endmodule", IMPORT)
    for name, text in C_SOURCES.items():
        (place / name).write_text(text)
    rtl = " ".join([rut.SHELL, rut.CORE, rut.BANK])
    (place / "all.f").write_text(f"{rtl}\nbench.cpp main.c licensed.c many.cpp\n")
    done = rut.run_rtl(place / "all.f", code=Status.BUILD_FAIL)
    assert "many.cpp does not compile" in done.err
    assert "SEATS" in done.err
    (place / "seats.h").write_text("#define SEATS 3\nint many(void);\n")
    rut.change(place / "many.cpp", 'extern "C"', '#include "seats.h"\nextern "C"')
    rut.change(place / "seats.h", "int many", '#ifdef __cplusplus\nextern "C"\n#endif\nint many')
    done = rut.run_rtl(place / "all.f")
    assert done.json["verdict"] == "PASS"


ENDLESS = """\
  logic [1:0] turn;
  always_comb begin
    for (turn = 0; turn < 2; turn++) if (io_readReq_valid) turn = 0;
  end
endmodule"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_rtl_that_never_settles_is_refused(monkeypatch, jobs):
    """A loop without an end in one process; Verilator notices loops through signals alone."""
    place = rut.stub("endless")
    rut.change(place / rut.SHELL, "endmodule", ENDLESS)
    monkeypatch.setenv("WARPLOCK_SETTLE_SECONDS", "1")
    done = rut.run_rtl(place, "--jobs", jobs, code=Status.BAD_RTL)
    assert "the RTL does not settle: one evaluation of it takes more" in done.err
    assert "WARPLOCK_SETTLE_SECONDS" in done.last


@pytest.mark.parametrize(("name", "what"), [("a:b", ":"), ("$HOME", "$VARIABLE")])
def test_rtl_in_a_folder_that_verilator_or_make_does_not_take(tmp_path, name, what):
    done = rut.run_rtl(shutil.copytree(rut.stub("plain"), tmp_path / name), code=Status.BUILD_FAIL)
    assert f"{tmp_path / name}" in done.err
    assert f"take no '{what}' in a name; link the folder" in done.err


# ---- as the Chisel compiler emits it ------------------------------------------------------------

# Holds for every legal stimulus / fails soon.
HOLDS = "io_readData_req_valid & ~io_readData_resp_valid"
FIRES = "io_readReq_valid & ~io_readReq_ready"
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
    path.write_text(chisel.PREAMBLE + path.read_text())
    return place


def test_emitted_rtl_with_random_initial_blocks():
    words = ["--define", "RANDOMIZE_REG_INIT", "--define", "RANDOMIZE_MEM_INIT"]
    done = rut.run_rtl(emitted("holds", HOLDS), *words, *PINNED)
    assert done.json["printed"].keys() == {"lines"}
    assert f"the RTL printed {done.json['printed']['lines']:,} lines" in done.err
    assert "request 1" not in done.err


def test_assertion_that_fires(tmp_path):
    words = [*PINNED, "--reports", tmp_path]
    done = rut.run_rtl(emitted("fires", FIRES), *words, code=Status.RTL_ASSERTION)
    fired = done.json["assertion"]
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
    rut.run_rtl(emitted("fires", FIRES), *defines, *PINNED)


def test_assertion_in_rtl_that_is_wrong_too():
    """A mismatch is the verdict; the assertion is listed beside it."""
    place = emitted("fires_late", "io_writeReq_valid & (requests == 4'h9)")
    ready = "assign readReq_ready_o = read_ready"
    rut.change(place / rut.CORE, f"{ready};", f"{ready} && !rst_i;")
    done = rut.run_rtl(place, *PINNED, code=FAILS)
    assert done.port == "io_readReq_ready"
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
    rut.run_rtl(place)
    assert time.monotonic() - start < 120


# ---- options and surroundings -----------------------------------------------------------------


@pytest.fixture(scope="module")
def plain():
    return rut.stub("plain")


def test_power_up(plain):
    zero, unknown = (
        rut.run_rtl(plain, *PINNED, "--power-up", how).json for how in ("zero", "unknown")
    )
    assert zero["masked_bits"] == 0 < unknown["masked_bits"]
    assert zero["compared_bits"] > unknown["compared_bits"]


def test_power_up_zero_needs_zero():
    """A register that powers up as 1 is seen under `--power-up zero`, and only then."""
    old = "  logic write_valid_d, write_valid_q;"
    edit = {rut.CORE: (old, "  logic write_valid_d;\n  logic write_valid_q = 1'b1;")}
    place = rut.stub("powers_up", edit=edit)
    rut.run_rtl(place, *PINNED)
    done = rut.run_rtl(place, *PINNED, "--power-up", "zero", code=FAILS)
    assert (done.port, done.json["first"]["cycle"]) == ("io_writeResp_valid", 0)


def test_one_profile_has_no_floors(plain):
    words = ["--profile", "saturate", "--cycles", "3000", "--seeds", "1"]
    answer = rut.run_lockstep("--rtl", plain, *PINNED, *words).json
    assert answer["floors"] == 0
    assert answer["coverage"]["alloc_and_free"]["hits"] > 1000


def test_too_few_cycles_are_vacuous(plain):
    words = ["--cycles", "50", "--seeds", "1"]
    done = rut.run_lockstep("--rtl", plain, *PINNED, *words, code=Status.VACUOUS)
    assert done.json["verdict"] == "VACUOUS"
    assert "under their floors: " in done.err
    assert "run more cycles" in done.err


def test_same_seed_gives_the_same_run(plain):
    answers = [rut.run_rtl(plain, *PINNED).json for _ in range(2)]
    for answer in answers:
        answer.pop("cycles_per_second")
    assert answers[0] == answers[1]
    other = rut.run_lockstep("--rtl", plain, "--seeds", "7..8", "--cycles", "5000", *PINNED).json
    assert other["coverage"] != answers[0]["coverage"]


def is_running(key):
    """Does a process have `key` in its command line?"""
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if key.encode() in line.read_bytes():
                return True
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_leaves_nothing(plain, tmp_path, number):
    key = f"cycles={4_000_000_000 + os.getpid()}"  # in the harness's command line
    words = ["--rtl", plain, *PINNED, "--cycles", key.partition("=")[2], "--reports", tmp_path]
    running = programs.started("lockstep", "collector", *words, env={"WARPLOCK_NO_SETUP": 1})
    try:
        programs.wait_for(lambda: is_running(key), 30)
        time.sleep(0.3)
        running.send_signal(number)
        out, err = running.communicate(timeout=20)
    finally:
        running.kill()
    assert running.returncode == 128 + number
    assert "Traceback" not in err
    if number == signal.SIGINT:
        assert err.splitlines()[-1] == "warplock: interrupted"
    programs.wait_for(lambda: not is_running(key), 5)
    assert not list(tmp_path.rglob("*"))
    assert not out.startswith("{")


def test_missing_verilator(plain, tmp_path):
    """With set-up refused: exit code 26, and what to install."""
    others = ["make", "ccache", "apt-get", "env", "sh", "python3"]
    for tool in [*setup.FEATURES["build"].tools, *others]:
        if tool != "verilator" and (path := shutil.which(tool)):
            (tmp_path / tool).symlink_to(path)
    words = ["lockstep", "collector", "--rtl", plain, "--no-setup"]
    done = programs.typed(*words, PATH=tmp_path, code=Status.NO_TOOL)
    assert "missing: verilator" in done.line
    assert "apt-get install" in done.line


def test_reports_folder_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    place = rut.stub("ready_in_reset", edit=rut.READY)
    done = rut.run_rtl(place, *PINNED, "--reports", tmp_path / "file", code=Status.NO_FILE)
    assert "--reports" in done.line


def test_table_for_a_person(plain):
    done = programs.warplock("lockstep", "collector", "--rtl", plain, *rut.QUICK, *PINNED)
    last = done.out.splitlines()[-1]
    assert last.startswith("collector")
    assert last.endswith("PASS")
    assert "cycles/s" in done.out
    with pytest.raises(json.JSONDecodeError):
        json.loads(last)


# ---- what the behaviour alone shows -----------------------------------------------------------


def test_pass_of_a_value_given_infers_nothing():
    place = rut.stub("infer_one_entry", CASES["one_entry"][0])
    pinned = rut.run_rtl(place, "--strict", "--config", "coll_entries=1")
    assert "inferred_behaviour" not in pinned.json


def test_default_is_reported_where_no_configuration_passes():
    """The right value is no worse for a fault that it does not explain: the report names it."""
    edit = {rut.CORE: ("read_ready = (alloc_valid_q != '1) || free_now;", "read_ready = 1'b1;")}
    done = rut.run_rtl(rut.stub("faulty_two", edit=edit), code=FAILS)
    assert done.json["config"]["coll_entries"] == 2
    tried = done.json["candidates"]
    assert [each["config"] for each in tried] == [{"coll_entries": 2}, {"coll_entries": 1}]
    assert tried[0]["first"]["port"] == "io_readReq_ready"
    assert "none of 2 configurations passes; if the RTL has another, pin it" in done.err
    assert "--config coll_entries=2" in done.err.split("repeat: ")[1].splitlines()[0]

# SPDX-License-Identifier: Apache-2.0
"""RTL of other names and shapes, by a port map: mapped_collector.sv has an asynchronous reset that
is active low, packed arrays, and two ports that the block does not have."""

import subprocess
from pathlib import Path

import programs
import pytest
import rtl_under_test as rut
from wlk.base.errors import Status

HERE = Path(__file__).parent
OWN = HERE / "mapped_collector.sv"
MAP = HERE / "mapped_collector.toml"
DISPATCH = HERE / "mapped_dispatch.sv"
BENCH = HERE / "mapped_bench.sv"
SYNC = ("posedge clk or negedge rst_n", "posedge clk")  # the reset made synchronous
FAULT = ("assign got_en = get_valid ? get_en : 0;", "assign got_en = get_en;")
# An error in how a reset acts, which only a reset in the midst of work shows.
STALE = ("      resp_valid <= 0;\n", "")

pytestmark = pytest.mark.needs("verilate", "rtl")


def changed(tmp_path: Path, source: Path, *edits: tuple[str, str]) -> Path:
    text = source.read_text(encoding="utf-8")
    for old, new in edits:
        text = rut.changed(text, old, new, source)
    path = tmp_path / source.name
    path.write_text(text)
    return path


def lockstep(
    *words: object, rtl: Path = OWN, told: Path | None = MAP, code: int | None = 0
) -> dict:
    maps = ["--map", told] if told is not None else []
    return rut.run_lockstep("--rtl", rtl, *maps, *rut.QUICK, *words, code=code).json


def test_mapped_collector_runs_in_lockstep():
    answer = lockstep()
    assert (answer["verdict"], answer["match"]) == ("PASS", "subset")
    assert (answer["config"]["num_lanes"], answer["config"]["num_pregs"]) == (3, 16)
    assert answer["not_compared"] == [
        "io_writeResp_bits_collEntry",
        "io_writeResp_bits_regs_0_enable",
    ]
    assert answer["compared_bits"] > 1_000_000


def test_mapped_collector_from_zeros_is_compared_from_the_first_cycle():
    answer = lockstep("--power-up", "zero")
    assert answer["verdict"] == "PASS"


def test_mapped_fault_is_reported_by_the_table_s_name(tmp_path):
    answer = lockstep(rtl=changed(tmp_path, OWN, FAULT), code=rut.FAILS)
    assert answer["first"]["port"].startswith("io_readData_resp_bits_")


@pytest.mark.parametrize("name", ["rtl", "map"])
def test_mapped_reset_of_the_other_style_is_reported(tmp_path, name):
    rtl = changed(tmp_path, OWN, SYNC) if name == "rtl" else OWN
    told = changed(tmp_path, MAP, ('style = "async"', 'style = "sync"')) if name == "map" else MAP
    answer = lockstep(rtl=rtl, told=told, code=None)
    assert answer["verdict"] in ("FUNCTIONAL_MISMATCH", "TIMING_DIVERGENCE")


def test_mapped_reset_that_leaves_a_register_is_reported(tmp_path):
    answer = lockstep(rtl=changed(tmp_path, OWN, STALE), code=None)
    assert answer["verdict"] in ("FUNCTIONAL_MISMATCH", "TIMING_DIVERGENCE")
    assert answer["first"]["port"] == "io_readResp_valid"


# ---- structs, unpacked arrays, a payload that is one vector ------------------------------------


def dispatch(*words: object, rtl: Path = DISPATCH, code: int | None = 0) -> dict:
    told = DISPATCH.with_suffix(".toml")
    words = ("--rtl", rtl, "--map", told, *rut.QUICK, *words)
    return rut.run_lockstep(*words, block="dispatch_basic", code=code).json


def test_mapped_structs_and_unpacked_arrays_run_in_lockstep():
    answer = dispatch()
    assert answer["verdict"] == "PASS"
    assert answer["config"]["queues"] == "MEM:2,INT:2,FP:2"
    assert answer["compared_bits"] > 6 * 104 * 9000


def test_mapped_fault_in_a_struct_is_reported(tmp_path):
    fault = (".uop = uop[w];", ".uop = uop[w] ^ 100'(mode) << 99;")
    answer = dispatch(rtl=changed(tmp_path, DISPATCH, fault), code=rut.FAILS)
    assert answer["first"]["port"].endswith("_bits_all_1")


# ---- proofs and vector files --------------------------------------------------------------------


def prove(*words: object, rtl: Path = OWN, told: Path = MAP, code: int | None = 0) -> dict:
    place = ["--reports", rut.PLACE.parent / "reports"]
    words = ("prove", "collector", "--rtl", rtl, "--map", told, *words, "--json", *place)
    return programs.warplock(*words, code=code).json


@pytest.mark.needs("prove")
def test_mapped_collector_is_proved():
    answer = prove("-G", "LANES=1", told=MAP)
    assert (answer["verdict"], answer["outputs"]) == ("PROVED", 15)


@pytest.mark.needs("prove")
@pytest.mark.parametrize("edit", [SYNC, STALE], ids=["style", "register"])
def test_mapped_collector_that_differs_is_refuted(tmp_path, edit):
    answer = prove("-G", "LANES=1", rtl=changed(tmp_path, OWN, edit), code=None)
    assert (answer["verdict"], answer["counterexample"]["confirmed"]) == ("REFUTED", True)


@pytest.mark.needs("prove")
def test_mapped_structs_are_proved():
    told = DISPATCH.with_suffix(".toml")
    place = ["--reports", rut.PLACE.parent / "reports"]
    words = ("prove", "dispatch_basic", "--rtl", DISPATCH, "--map", told, "--json", *place)
    answer = programs.warplock(*words).json
    assert (answer["verdict"], answer["outputs"]) == ("PROVED", 26)


def test_mapped_failure_is_played_again(tmp_path):
    """What it leaves says that the reset is asynchronous."""
    bad, reports = changed(tmp_path, OWN, STALE), tmp_path / "reports"
    failure = rut.Failure(bad, reports, "--map", MAP, *rut.QUICK, code=None)
    assert f"--map {MAP}" in failure.text
    assert rut.info(failure.stimulus)["reset"] == "async"
    good = ("PASS", "VACUOUS")  # it is too short to mean more
    assert rut.play(failure.stimulus, code=None)["verdict"] in good
    assert rut.play(failure.stimulus, "--rtl", OWN, "--map", MAP, code=None)["verdict"] in good
    again = rut.play(failure.stimulus, "--rtl", bad, "--map", MAP, code=None)
    assert again["first"]["port"] == "io_readResp_valid"


# ---- what is refused ----------------------------------------------------------------------------


def test_mapped_refusal_prints_lines_for_a_map():
    words = ("lockstep", "collector", "--rtl", OWN, "--module", "opc")
    refused = programs.warplock(*words, code=Status.IFACE_CHANGED)
    assert "port clk: expected no such port" in refused.last
    assert "did you mean clock?" in refused.last
    for line in ('port = "rst_n"', 'active = "low"', 'style = "async"'):
        assert f"  {line}\n" in refused.err
    assert '  "io_readReq_bits_regs_{i}_pReg" = "rd_preg[{i}]"\n' in refused.err


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["--reset", "rst_n:high"], ("--reset says high", "says low")),
        (["--clock", "ck"], ("--clock says ck", "says clk")),
        (["--module", "other"], ("--module other", "opc")),
        (["-G", "LINES=3"], ("no parameter LINES", "did you mean LANES?")),
    ],
)
def test_mapped_flag_against_the_map_is_refused(words, parts):
    words = ("lockstep", "collector", "--rtl", OWN, "--map", MAP, *words)
    programs.refused(programs.warplock(*words, code=None), Status.USAGE, *parts)


def test_mapped_map_of_another_block_is_refused():
    words = ("bind", "scoreboard", "--rtl", OWN, "--map", MAP, "--out", "x")
    done = programs.warplock(*words, code=None)
    programs.refused(done, Status.USAGE, 'block = "collector"', "scoreboard")


def test_mapped_asynchronous_reset_is_not_for_a_checker_without_c(tmp_path):
    words = ("bind", "collector", "--rtl", OWN, "--map", MAP, "--synthesizable")
    done = programs.warplock(*words, "--out", tmp_path / "wlk", code=None)
    programs.refused(done, Status.USAGE, "opc: an asynchronous reset", "--synthesizable")
    assert not (tmp_path / "wlk").exists()


# ---- a simulation of the user's own -------------------------------------------------------------


@pytest.mark.slow
def test_mapped_collector_is_checked_in_a_simulation(tmp_path):
    """One build: good, with a fault, and with a reset that does not reach a register."""
    faults = '  bit fault, stale;\n  initial fault = $test$plusargs("FAULT") != 0;\n'
    faults += '  initial stale = $test$plusargs("STALE") != 0;\n'
    rtl = changed(
        tmp_path,
        OWN,
        (FAULT[0], f"{faults}  assign got_en = get_valid || fault ? get_en : 0;"),
        (STALE[0], "      if (!stale) resp_valid <= 0;\n"),
    )
    told, out = changed(tmp_path, MAP, ("LANES = 3", "LANES = 2")), rut.folder("mapped_wlk")
    done = programs.warplock(
        "bind", "collector", "--rtl", rtl, "--map", told, "--out", out, "--sva", "--json"
    )
    assert done.json["ignored"] == ["scan_en", "dbg_busy"]
    rules = (out / "wlk_collector_assertions_opc.sv").read_text()
    assert "    .clock(clk),\n    .reset(~rst_n),\n    .io_readData_req_valid(get_valid)," in rules
    program = programs.simulation(
        rut.folder("mapped_sim"), "bench", "-f", out / "warplock.f", rtl, BENCH
    )
    for words, verdict in (
        ((), "PASS"),
        (("+FAULT",), "FUNCTIONAL_MISMATCH"),
        (("+STALE",), "FUNCTIONAL_MISMATCH"),
    ):
        run = subprocess.run([program, *words], capture_output=True, text=True, timeout=60)
        assert f"u_opc: {verdict}" in run.stderr, run.stderr
        assert (run.returncode == 0) == (verdict == "PASS")


def test_mapped_bind_does_not_mind_extra_ports(tmp_path):
    """Of a module that has the table's names, without a map."""
    rtl = rut.stub("mapped_extra")
    shell = rtl / rut.SHELL
    text = shell.read_text().replace(
        "module DuplicatedCollector (\n",
        "module DuplicatedCollector (\n    input  scan_en,\n    output [3:0] dbg,\n",
    )
    (tmp_path / "own.sv").write_text(text.replace("endmodule", "  assign dbg = 0;\nendmodule"))
    files = [tmp_path / "own.sv", rtl / rut.CORE, rtl / rut.BANK]
    words = ("collector", "--rtl", *files, *rut.PINNED)
    done = programs.warplock("bind", *words, "--out", tmp_path / "wlk", "--json")
    assert (done.json["match"], done.json["ignored"]) == ("equal", ["scan_en", "dbg"])
    checker = (tmp_path / "wlk/wlk_collector_checker.sv").read_text()
    assert "scan_en" not in checker
    # The harness must drive an input: there they count.
    refused = programs.warplock("lockstep", *words, code=Status.IFACE_CHANGED)
    assert "port scan_en" in refused.err

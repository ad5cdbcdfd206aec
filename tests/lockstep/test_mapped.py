# SPDX-License-Identifier: Apache-2.0
"""RTL of other names and shapes, by a port map: mapped_collector.sv has an asynchronous reset that
is active low, packed arrays, and two ports that the block does not have."""

from pathlib import Path

import programs
import pytest
import rtl_under_test as rut

HERE = Path(__file__).parent
OWN = HERE / "mapped_collector.sv"
MAP = HERE / "mapped_collector.toml"
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
@pytest.mark.parametrize("edit", [SYNC, STALE, FAULT], ids=["style", "register", "output"])
def test_mapped_collector_that_differs_is_refuted(tmp_path, edit):
    answer = prove("-G", "LANES=1", rtl=changed(tmp_path, OWN, edit), code=None)
    assert (answer["verdict"], answer["counterexample"]["confirmed"]) == ("REFUTED", True)

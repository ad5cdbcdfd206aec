# SPDX-License-Identifier: Apache-2.0
"""Recordings of Vortex's real blocks: wide columns and signals are taken apart, nothing differs."""

import lzma
import shutil
from pathlib import Path

import programs
import pytest
from wlk import tables
from wlk.base.errors import Status
from wlk.fit.scopes import Check
from wlk.run import build, vectors
from wlk.run import check as run_check

ROWS = 4000
# Name -> block, parameters, output bits of a cycle.
KNOWN = {
    "sb_A": ("vortex_scoreboard", {"num_warps": 4, "num_threads": 4}, 466),
    "sb_C": ("vortex_scoreboard", {"num_warps": 8, "num_threads": 8}, 475),
    "opc_A": ("vortex_opc_unit", {"num_threads": 4, "simd_width": 4, "num_gpr_banks": 4}, 565),
    "opc_C": ("vortex_opc_unit", {"num_threads": 8, "num_opcs": 2, "num_gpr_banks": 2}, 373),
    "operands_C": ("vortex_operands", {"num_threads": 8, "num_opcs": 2, "num_gpr_banks": 2}, 373),
}


@pytest.fixture
def built(monkeypatch) -> None:
    place = programs.folder()
    monkeypatch.setattr(build, "meson_build", lambda **_: place)


def imported(csv: Path, out: Path, block: str, **config: str) -> vectors.Header:
    return (
        vectors.Import(csv, out, block, power_up="zero", config=config, accept_inferred=True)
        .make()
        .header
    )


@pytest.mark.parametrize("name", KNOWN)
def test_fst_passes_with_every_bit_compared(built, name):
    block, config, bits = KNOWN[name]
    dump = programs.recording(f"vortex/{name}.fst")
    (checked,) = run_check.check(
        Check(str(dump), power_up="zero", accept_inferred=True), [tables.load(block)]
    )
    answer = checked.answer
    assert (answer["verdict"], answer["cycles"], answer["masked_bits"]) == ("PASS", ROWS, 0)
    assert answer["compared_bits"] == ROWS * bits
    assert config.items() <= answer["config"].items()


@pytest.mark.parametrize("name", KNOWN)
def test_csv_passes_with_every_bit_compared(built, tmp_path, name):
    block, config, bits = KNOWN[name]
    header = imported(programs.recording(f"vortex/{name}.csv.xz"), tmp_path / "a.wlv", block)
    table = vectors.check_schema(header)
    played = vectors.play(header, table, vectors.check_config(header, table))
    assert played.verdict == Status.OK
    assert played.result["compared_bits"] == ROWS * bits
    assert config.items() <= table.show(vectors.check_config(header, table)).items()


def test_block_that_fits_is_found(built):
    """A collector alone and the operands stage have the same ports: the behaviour decides."""
    dump = programs.recording("vortex/operands_C.fst")
    blocks = [tables.load(name) for name in tables.names()]
    (checked,) = run_check.check(Check(str(dump)), blocks)
    assert checked.answer["block"] == "vortex_operands"
    assert checked.answer["masked_bits"] < checked.answer["compared_bits"] / 1000


def test_changed_bit_of_a_vector_is_named_by_its_element(built, tmp_path):
    head = 1000
    with lzma.open(programs.recording("vortex/sb_A.csv.xz"), "rt") as file:
        rows = [line.rstrip("\n").split(",") for line, _ in zip(file, range(head), strict=False)]
    at = rows[0].index("ib_ready")
    rows[-1][at] = f"{int(rows[-1][at], 16) ^ 4:x}"
    csv = tmp_path / "a.csv"
    csv.write_text("".join(",".join(row) + "\n" for row in rows))
    header = imported(csv, tmp_path / "a.wlv", "vortex_scoreboard")
    table = vectors.check_schema(header)
    played = vectors.play(header, table, vectors.check_config(header, table))
    assert played.verdict == Status.FUNCTIONAL_MISMATCH
    assert played.result["first"]["port"] == "ib_2_ready"
    assert played.result["first"]["cycle"] == head - 3


# A final write-back in a cycle that had none: outputs of the recording stay as they are.
@pytest.mark.parametrize(
    ("cycle", "eop", "verdict"),
    [(5, 1, Status.PROTOCOL_VIOLATION), (5, 0, Status.OK), (3, 1, Status.OK)],
    ids=["nothing in use", "not the last packet", "in reset"],
)
def test_final_writeback_of_a_register_not_in_use_is_reported(built, tmp_path, cycle, eop, verdict):
    with lzma.open(programs.recording("vortex/sb_A.csv.xz"), "rt") as file:
        rows = [line.rstrip("\n").split(",") for line, _ in zip(file, range(1000), strict=False)]
    row = rows[cycle + 2]
    for name, value in {"wb_valid": 1, "wb_wis": 0, "wb_rd": 0, "wb_eop": eop}.items():
        row[rows[0].index(name)] = str(value)
    csv = tmp_path / "a.csv"
    csv.write_text("".join(",".join(row) + "\n" for row in rows))
    header = imported(csv, tmp_path / "a.wlv", "vortex_scoreboard")
    table = vectors.check_schema(header)
    played = vectors.play(header, table, vectors.check_config(header, table))
    assert played.verdict == verdict
    if verdict != Status.OK:
        assert played.result["first"]["cycle"] == cycle
        assert "register that is in use" in played.result["first"]["rule"]
        assert "PROTOCOL_VIOLATION in cycle 5" in played.report


@pytest.mark.parametrize("bad", ["zz", "0,0"])
def test_bad_row_is_named(built, tmp_path, bad):
    with lzma.open(programs.recording("vortex/sb_A.csv.xz"), "rt") as file:
        rows = [line.rstrip("\n").split(",") for line, _ in zip(file, range(6), strict=False)]
    rows[4][rows[0].index("ib_PC")] = bad
    csv = tmp_path / "a.csv"
    csv.write_text("".join(",".join(row) + "\n" for row in rows))
    why = "'zz' is no hexadecimal number" if bad == "zz" else "columns; the first line has"
    with programs.error(Status.BAD_CSV, "a.csv:5: ", why):
        imported(csv, tmp_path / "a.wlv", "vortex_scoreboard")


@pytest.mark.parametrize(
    ("name", "block", "says"),
    [("muon/collector_A", "collector", True), ("vortex/opc_A", "vortex_opc_unit", False)],
)
def test_check_says_what_an_initial_state_of_zeros_compares(built, name, block, says):
    """Where more than a tenth is masked, and not where the dump differs then."""
    dump = programs.recording(f"{name}.fst")
    (checked,) = run_check.check(Check(str(dump), accept_inferred=True), [tables.load(block)])
    assert ("masked_bits_from_zero" in checked.answer) == says
    assert any("--power-up zero" in note for note in checked.notes) == says
    if says:
        assert checked.answer["masked_bits_from_zero"] == 0 < checked.answer["masked_bits"]


def test_check_of_a_folder_takes_power_up(tmp_path):
    shutil.copy(programs.recording("vortex/sb_A.fst"), tmp_path)
    shutil.copy(programs.recording("vortex/sb_A.csv.xz"), tmp_path)
    for power_up, masked in (("zero", {0}), ("unknown", {1331})):
        done = programs.warplock("check", tmp_path, "--power-up", power_up, "--json")
        assert {each["masked_bits"] for each in done.objects} == masked

# SPDX-License-Identifier: Apache-2.0
"""Files that RTL reads when it runs ($readmemh): one answer from every folder, or an error."""

import programs
import pytest
import rtl_under_test as rut
from wlk.base.errors import Status

NAME = "ready.hex"
READY = "assign writeReq_ready_o = 1'b1"
ROM = """logic rom_q[1];
  initial $readmemh({name}, rom_q);
  assign writeReq_ready_o = rom_q[0]"""


def rtl(folder: str, name: str = f'"{NAME}"', more: str = ""):
    """A stub whose output depends on a file."""
    edit = {rut.CORE: (READY, ROM.format(name=name) + more)}
    return rut.stub(folder, edit=edit)


def run(place, *words, code=0):
    """One short run: 1 in the file is right."""
    words = (*rut.PINNED, "--seeds", "1..1", *words)
    return rut.run_rtl(place, *words, code=code)


@pytest.fixture(scope="module")
def reads():
    """RTL that reads NAME, which is not there yet."""
    return rtl("data")


@pytest.fixture
def file(reads):
    """Writes a file beside the RTL, for one test."""
    path = reads / NAME

    def write(text):
        path.write_text(text)
        return path

    yield write
    path.unlink(missing_ok=True)


def test_file_beside_the_rtl_is_found_from_every_folder(reads, file, tmp_path, monkeypatch):
    file("1\n")
    (tmp_path / NAME).write_text("0\n")  # that of the current folder counts for nothing then
    for folder in (tmp_path, reads, reads.parent):
        monkeypatch.chdir(folder)
        assert run(reads).json["verdict"] == "PASS"
    file("0\n")
    for folder in (tmp_path, reads):
        monkeypatch.chdir(folder)
        run(reads, code=rut.FAILS)


def test_file_in_the_current_folder_is_found(reads, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / NAME).write_text("0\n")
    run(reads, code=rut.FAILS)
    (tmp_path / NAME).write_text("1\n")
    run(reads)


def test_file_that_is_nowhere_is_an_error(reads, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(reads, code=Status.BAD_RTL)
    assert f"{NAME}: the RTL reads it, and it is neither beside the RTL nor in" in done.err


def test_two_files_that_differ_are_an_error(reads, file):
    file("1\n")
    other = rut.folder("data_other")
    (other / "unused.sv").write_text("package unused; endpackage\n")
    (other / NAME).write_text("1\n")
    run(reads, "--rtl", other)
    (other / NAME).write_text("0\n")
    done = run(reads, "--rtl", other, code=Status.BAD_RTL)
    assert f"{NAME}: the RTL reads it, and" in done.err and f"{other / NAME}" in done.err


def test_proof_reads_the_same_file(reads, file):
    file("1\n")
    words = ("prove", "collector", "--rtl", reads, *rut.PINNED, "--json")
    assert programs.warplock(*words).json["verdict"] == "PROVED"
    file("0\n")
    done = programs.warplock(*words, code=Status.REFUTED)
    assert done.json["counterexample"]["confirmed"]


VERSION = """module m(input clk, output logic q);
  logic rom[1];
  initial $readmemh("value.hex", rom);
  always_ff @(posedge clk) q <= rom[0];
endmodule
"""


def version(name, value):
    """A folder with a module that shows what its file says."""
    place = rut.folder(name)
    (place / "m.sv").write_text(VERSION)
    (place / "value.hex").write_text(f"{value}\n")
    return place


def test_both_versions_of_a_counterexample_read_their_files(tmp_path):
    old, new = version("data_old", 0), version("data_new", 1)
    words = ("--rtl", new, "--against", old, "--module", "m", "--reports", tmp_path)
    done = programs.warplock("prove", *words, "--json", code=Status.REFUTED)
    assert done.json["counterexample"]["confirmed"]


def test_block_of_ones_own_takes_its_files_along(tmp_path):
    place = version("data_block", 1)
    programs.warplock("new", "rom_block", "--rtl", place, "--out", tmp_path)
    words = ("lockstep", "rom_block", "--blocks", tmp_path / "rom_block", "--seeds", "1..1")
    words += ("--reports", tmp_path / "reports", "--json")
    assert programs.typed(*words, code=Status.VACUOUS).json["never_compared"] == ["q"]
    (place / "value.hex").unlink()
    done = programs.typed(*words, code=Status.BAD_RTL)
    assert "value.hex: the RTL reads it" in done.err

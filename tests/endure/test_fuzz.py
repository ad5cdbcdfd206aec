# SPDX-License-Identifier: Apache-2.0
"""The short form of fuzz.py: each reader on the files that are kept, with a few mutations of them;
and that the fuzzer finds a defect."""

import os

import fuzz
import pytest
from wlk.base import setup

pytestmark = [pytest.mark.needs("clang", "fuzz", "python"), pytest.mark.slow]
RUNS = 200  # of a reader, the same ones each time
# That start programs, or take long.
SLOW = {"answers": 100, "dumps": 20, "harness": 100, "tables": 100, "vectors": 100, "versions": 60}


@pytest.fixture(scope="module", autouse=True)
def place(tmp_path_factory):
    """The fuzzers, and a folder that knows nothing of other runs."""
    fuzz.build.meson_build("fuzz", target="fuzz")
    fuzz.build.meson_build()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fuzz, "FOUND", tmp_path_factory.mktemp("found"))
        patch.setattr(fuzz, "SUMS", fuzz.FOUND / "fuzz.json")
        yield


@pytest.mark.parametrize("reader", fuzz.READERS)
def test_a_reader_takes_any_file(reader):
    assert any((fuzz.CORPUS / reader).iterdir())
    found, text = fuzz.fuzz(reader, ["-seed=1", f"-runs={SLOW.get(reader, RUNS)}"], 100)
    assert not found.crashes, text[-4000:]
    assert found.executions >= SLOW.get(reader, RUNS)
    assert found.cov > 10


@pytest.mark.parametrize("reader", ["records", "vcd", "waivers", "waves"])
def test_a_defect_is_found(reader, monkeypatch, capsys):
    monkeypatch.setenv("WARPLOCK_FUZZ_PLANT", reader)
    found, text = fuzz.fuzz(reader, ["-seed=1", "-runs=200000"], 100)
    assert found.crashes, text[-2000:]
    fuzz.add(reader, found)
    sums = fuzz.read_sums()
    assert sums[reader].crashes == found.crashes
    assert fuzz.show(sums, [reader]) == 1
    assert found.crashes[0] in capsys.readouterr().out  # in the command that repeats it
    assert fuzz.crashes(reader, [fuzz.Path(found.crashes[0])])
    monkeypatch.delenv("WARPLOCK_FUZZ_PLANT")
    fuzz.forget_mended([reader])
    assert not fuzz.read_sums()[reader].crashes


def test_corpora_are_small():
    files = [path for path in fuzz.CORPUS.rglob("*") if path.is_file()]
    assert max(path.stat().st_size for path in files) <= fuzz.LARGEST
    assert sum(path.stat().st_size for path in files if not path.is_symlink()) <= 80_000
    assert {path.name for path in fuzz.CORPUS.iterdir()} == set(fuzz.READERS)


def test_a_clone_has_no_sums(monkeypatch, tmp_path):
    monkeypatch.setattr(fuzz, "SUMS", tmp_path / "endure" / "fuzz.json")
    fuzz.forget_mended(["csv"])
    assert fuzz.read_sums() == dict.fromkeys(fuzz.READERS, fuzz.Sum())


@pytest.mark.parametrize("code", [72, -2, 1])
def test_what_is_interrupted_is_no_crash(monkeypatch, code):
    """And the readers behind it do not begin."""
    called = []

    def call(reader, *_):
        called.append(reader)
        text = "KeyboardInterrupt: stopping.\n" if code == 1 else "run interrupted"
        return code, text, 0.5

    before = fuzz.read_sums()
    monkeypatch.setattr(fuzz, "call", call)
    monkeypatch.setattr(fuzz, "stopping", fuzz.threading.Event())
    monkeypatch.setattr(fuzz.build, "meson_build", lambda *_, **__: None)
    monkeypatch.setattr(fuzz, "forget_mended", lambda _: None)
    monkeypatch.setattr("sys.argv", ["fuzz.py", "--jobs", "1"])
    with pytest.raises(KeyboardInterrupt):
        fuzz.main()
    assert len(called) == 1
    assert fuzz.read_sums() == before


def test_sums_are_of_all_runs():
    for _ in range(2):
        fuzz.add("csv", fuzz.Sum(100, 2.0, 1.5, 7, 9))
    sums = fuzz.read_sums()
    assert sums["csv"] == fuzz.Sum(200, 4.0, 3.0, 7, 9)
    assert not os.path.samefile(setup.BUILD, fuzz.SUMS.parent)

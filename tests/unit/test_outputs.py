# SPDX-License-Identifier: Apache-2.0
"""Files that appear whole, names that nobody loses, and --force; disks that are full."""

import errno
import os
import threading
from pathlib import Path

import programs
import pytest
from wlk.base import outputs
from wlk.base.errors import Status, WlkError
from wlk.run import bind_folder


def refused(path, *words):
    """What is there stays, and the line names the file and the way out."""
    programs.folder()
    before = path.read_text()
    programs.refused(programs.typed(*words, code=None), Status.USAGE, path, "--force")
    assert path.read_text() == before


def test_atomic_write_appears_whole(tmp_path):
    path = tmp_path / "x"
    with outputs.atomic_write(path) as file:
        file.write("ü")
        assert not path.exists()
    assert path.read_bytes() == "ü".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_atomic_write_keeps_the_old_file_on_error(tmp_path):
    path = tmp_path / "x"
    path.write_text("old")
    with pytest.raises(KeyError), outputs.atomic_write(path, "wb") as file:
        file.write(b"half")
        raise KeyError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_atomic_write_full_disk(tmp_path):
    with programs.error(Status.NO_SPACE), outputs.atomic_write("/dev/full") as file:
        file.write("x")
    assert Path("/dev/full").is_char_device()
    with programs.error(Status.NO_SPACE), outputs.atomic_write(tmp_path / "x"):
        raise OSError(errno.ENOSPC, "No space left on device")
    with programs.error(Status.NO_FILE), outputs.atomic_write(tmp_path / "no" / "x"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_atomic_write_leaves_a_device_a_device(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    got = []
    reader = threading.Thread(target=lambda: got.append(fifo.read_text()))
    reader.start()
    with outputs.atomic_write(fifo) as file:
        file.write("through")
    reader.join(5)
    assert got == ["through"]
    assert fifo.is_fifo()


def test_atomic_write_of_two_is_no_mixture(tmp_path):
    """Each has a name of its own; without `replace` the first one has the file."""
    path = tmp_path / "x"
    with outputs.atomic_write(path, replace=False) as first:
        first.write("first")
        with outputs.atomic_write(path, replace=False) as second:
            second.write("second, longer")
        with outputs.atomic_write(path) as third:
            third.write("third")
        with pytest.raises(WlkError, match="--force"):
            outputs.refuse(path, force=False)
        outputs.refuse(path, force=True)
        path.unlink()
    assert path.read_text() == "first"
    with programs.error(Status.USAGE), outputs.atomic_write(path, replace=False):
        pytest.fail("not before the name is free")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_atomic_write_loser_replaces_nothing(tmp_path, monkeypatch, links):
    path = tmp_path / "x"
    if not links:

        def link(*_):
            raise OSError(errno.EPERM, "no links here")

        monkeypatch.setattr(os, "link", link)
    with outputs.atomic_write(tmp_path / "y", replace=False) as file:
        file.write("y")
    with programs.error(Status.USAGE), outputs.atomic_write(path, replace=False) as file:
        file.write("loser")
        path.write_text("winner")
    assert path.read_text() == "winner"
    assert sorted(tmp_path.iterdir()) == [path, tmp_path / "y"]


def test_atomic_write_takes_the_longest_name(tmp_path):
    path = tmp_path / ("ü" * 127)
    with outputs.atomic_write(path) as file:
        file.write("x")
    assert path.read_text() == "x"


def test_save_refuses_before_it_writes(tmp_path):
    outputs.save(tmp_path, {"a": b"1", "b": b"2"}, force=False)
    outputs.save(tmp_path, {"a": b"1", "b": b"2", "c": b"3"}, force=False)
    with programs.error(Status.USAGE):
        outputs.save(tmp_path, {"d": b"4", "b": b"other"}, force=False)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b", "c"]
    outputs.save(tmp_path, {"b": b"other"}, force=True)
    assert (tmp_path / "b").read_bytes() == b"other"


# ---- commands -----------------------------------------------------------------------------------

GEN = ("vectors", "gen", "collector")
SMALL = ("--config", "num_lanes=2", "--cycles", "2000")


def test_gen_replaces_with_force_only(tmp_path):
    out = tmp_path / "c.wlv"
    out.write_text("mine")
    refused(out, *GEN, out, *SMALL)
    programs.typed(*GEN, out, *SMALL, "--force")
    programs.typed("vectors", "play", out)
    assert list(tmp_path.iterdir()) == [out]


def test_gen_of_two_at_once_damages_nothing(tmp_path):
    """One of them has the name, or with --force the last one; the file is whole each time."""
    out = tmp_path / "c.wlv"
    for force in ((), ("--force",)):
        words = (*GEN, out, *SMALL, *force, "--seed")
        runs = [programs.started(*words, seed) for seed in (1, 2)]
        errors = [run.communicate()[1] for run in runs]
        codes = sorted(run.returncode for run in runs)
        assert codes in ([0, 0], [0, int(Status.USAGE)]), errors
        assert not force or codes == [0, 0]
        programs.typed("vectors", "play", out)
        assert list(tmp_path.iterdir()) == [out]


def test_import_replaces_with_force_only(tmp_path):
    out, csv = tmp_path / "c.wlv", tmp_path / "c.csv"
    out.write_text("mine")
    csv.write_text("cycle\n")
    words = ("vectors", "import", "--csv", csv, out, "--block", "collector")
    refused(out, *words)
    programs.typed(*words, "--force", code=Status.BAD_CSV)
    assert out.read_text() == "mine"


def test_stub_replaces_what_differs_with_force_only(tmp_path):
    words = ("stub", "scoreboard", "--out", tmp_path / "rtl")
    for _ in range(2):  # the same files
        programs.typed(*words)
    core = tmp_path / "rtl" / "scoreboard_core.sv"
    before = core.read_text()
    core.write_text("mine")
    refused(core, *words)
    programs.typed(*words, "--force")
    assert core.read_text() == before


def test_bind_replaces_what_differs_with_force_only(tmp_path):
    rtl, out = tmp_path / "rtl", tmp_path / "wlk"
    programs.typed("stub", "scoreboard", "--out", rtl)
    words = ("bind", "scoreboard", "--rtl", rtl, "--out", out)
    for _ in range(2):
        programs.typed(*words)
    names = {path.name for path in out.iterdir()}
    assert {"warplock.f", *bind_folder.LIBRARY} <= names
    assert not [name for name in names if "partial" in name]
    package = out / "wlk_pkg.sv"
    package.write_text("mine")
    refused(package, *words)
    programs.typed(*words, "--force")
    assert package.read_text() != "mine"


def test_bind_takes_several_blocks_into_one_folder(tmp_path):
    out = tmp_path / "wlk"
    for block in ("scoreboard", "hazard"):
        programs.typed("stub", block, "--out", tmp_path / block)
        programs.typed("bind", block, "--rtl", tmp_path / block, "--out", out)
    listed = (out / "warplock.f").read_text()
    assert all(f"wlk_{block}_checker.sv" in listed for block in ("scoreboard", "hazard"))


def test_pipeline_refuses_before_it_runs(tmp_path):
    out = tmp_path / "p.kanata"
    out.write_text("mine")
    refused(out, "lockstep", "issue", "--pipeline", out)

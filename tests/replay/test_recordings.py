# SPDX-License-Identifier: Apache-2.0
"""Every recording of Muon's real blocks, as the last part of `warplock lockstep` checks it."""

import json
import lzma
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import programs
import pytest
from wlk import tables
from wlk.base.errors import Status
from wlk.base.report import Result
from wlk.run import recordings, runs

KNOWN = {one.name: one for one in programs.recordings()}
STAGE = ["rs_entries", "coll_entries", "max_pending_reads", "forward_coll_issue"]
INFERRED = {  # by a rule of the block; elsewhere they are only widths
    "collector": ["coll_entries"],
    "scoreboard": ["max_pending_reads"],
    "hazard": [],
    "reservation_station": ["rs_entries", "forward_coll_issue", "in_order_per_warp"],
    "issue": [*STAGE, "in_order_per_warp"],
}


@pytest.fixture
def check_all(monkeypatch, capsys) -> Callable[[Path], list[Result]]:
    """Checks the recordings of a folder."""
    folder = programs.folder()
    monkeypatch.setattr(recordings.setup, "BUILD", folder.parent)
    return lambda place: recordings.check_all(place, as_json=True, accept=True)


def folder_with(tmp_path: Path, name: str, suffix: str = ".csv.xz") -> Path:
    shutil.copy(programs.recording(f"muon/{name}{suffix}"), tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", KNOWN)
def test_recording_passes_in_its_own_configuration(check_all, tmp_path, name):
    (result,) = check_all(folder_with(tmp_path, name))
    known = KNOWN[name]
    assert result.verdict == Status.OK
    assert (result.block, result.masked_bits) == (known.block, known.unseen)
    answer = INFERRED[result.block]
    config = tables.load(known.block).config(known.params)
    assert {k: result.config[k] for k in answer} == {k: config[k] for k in answer}


def test_waveform_of_five_blocks_gives_five_results(check_all, tmp_path):
    results = check_all(folder_with(tmp_path, "issue_B", ".fst"))
    assert sorted(r.block for r in results) == sorted(INFERRED)
    assert {r.verdict for r in results} == {Status.OK}


@pytest.mark.parametrize("suffix", [".csv.xz", ".fst"])
def test_file_beside_a_recording_gives_parameters(check_all, tmp_path, suffix):
    place = folder_with(tmp_path, "issue_E", suffix)
    (place / "issue_E.toml").write_text("rs_entries = 3\n", encoding="utf-8")
    (result,) = check_all(place)
    assert (result.verdict, result.config["rs_entries"]) == (Status.FUNCTIONAL_MISMATCH, 3)
    (place / "issue_E.toml").write_text("rs_entries = 2\nmax_pending_reads = 1\n", "utf-8")
    (result,) = check_all(place)
    assert (result.verdict, result.masked_bits) == (Status.OK, KNOWN["issue_E"].unseen)


@pytest.mark.parametrize("text", ["rs_entries = ", "rows = 3\n"])
def test_bad_file_beside_a_recording_is_refused(check_all, tmp_path, text):
    place = folder_with(tmp_path, "issue_E")
    (place / "issue_E.toml").write_text(text, encoding="utf-8")
    with programs.error(Status.BAD_CONFIG):
        check_all(place)


def test_recording_of_no_block_is_counted_and_left_alone(check_all, tmp_path, capsys):
    (tmp_path / "other.csv").write_text("cycle,reset,a\n#dir,i1,o1\n0,1,0\n", encoding="ascii")
    assert check_all(tmp_path) == []
    assert "1 recordings are of designs without a table" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("suffix", "damage", "status"),
    [
        (".csv.xz", lambda data: data[: len(data) // 2], Status.TRUNCATED),
        (".csv.xz", lambda data: b"", Status.TRUNCATED),
        (".csv.xz", lambda data: b"no xz file at all", Status.CORRUPT),
        (".fst", lambda data: data[: len(data) // 2], Status.TRUNCATED),
    ],
)
def test_damaged_recording_is_a_row_and_the_others_are_checked(tmp_path, suffix, damage, status):
    place = folder_with(tmp_path, "scoreboard_B", suffix)
    names = [f"a_damaged{suffix}", f"scoreboard_B{suffix}"]
    (place / names[0]).write_bytes(damage((place / names[1]).read_bytes()))
    printed = programs.warplock("check", place, code=status).out
    rows = [line.split() for line in printed.splitlines() if line.startswith(("a_dam", "score"))]
    assert [(row[0], row[-1]) for row in rows[:2]] == [(names[0], status.name), (names[1], "PASS")]
    assert f"\n{names[0]}: " in printed  # and why
    damaged, passed = programs.warplock("check", "--json", place, code=status).objects
    assert (damaged["verdict"], damaged["error"]["code"]) == (status.name, status)
    assert (passed["block"], passed["verdict"]) == ("scoreboard", "PASS")


def test_damaged_replay_is_a_row_and_the_recordings_are_checked(check_all, tmp_path, capsys):
    place = replay_folder(folder_with(tmp_path, "scoreboard_B"))
    stimulus = place / "v42-qv100-core.stim.xz"
    stimulus.write_bytes(stimulus.read_bytes()[:1000])
    passed, damaged = check_all(place)
    assert (passed.verdict, damaged.verdict) == (Status.OK, Status.TRUNCATED)
    captured = capsys.readouterr()
    assert "v42-qv100-core.events.xz: " in captured.err
    assert json.loads(captured.out.splitlines()[1])["error"]["status"] == "TRUNCATED"


def replay_folder(tmp_path: Path) -> Path:
    for name in ("qv100.cfg", "v42-qv100-core.stim.xz", "v42-qv100-core.events.xz"):
        shutil.copy(programs.recording(f"gpgpusim/{name}"), tmp_path)
    return tmp_path


def test_recording_of_the_operand_collector_is_replayed(check_all, tmp_path, capsys):
    (result,) = check_all(replay_folder(tmp_path))
    assert (result.block, result.verdict, result.cycles) == ("opndcoll", Status.OK, 800)
    captured = capsys.readouterr()
    assert "designs without a table" not in captured.err
    answer = json.loads(captured.out)
    assert (answer["recording"], answer["revision"]) == ("v42-qv100-core.events.xz", "v42")
    assert (answer["options"], answer["lines"]) == ("qv100.cfg", 30337)


def test_changed_recording_of_the_operand_collector_is_named(check_all, tmp_path, capsys):
    place = replay_folder(tmp_path)
    packed = place / "v42-qv100-core.events.xz"
    lines = lzma.decompress(packed.read_bytes()).decode("ascii").splitlines(keepends=True)
    number = next(n for n, line in enumerate(lines) if line.startswith("G "))
    (place / "v42-qv100-core.events").write_text("".join(lines[:number] + lines[number + 1 :]))
    packed.unlink()
    stimulus = place / "v42-qv100-core.stim.xz"
    stimulus.with_suffix("").write_bytes(lzma.decompress(stimulus.read_bytes()))
    stimulus.unlink()
    (result,) = check_all(place)
    assert result.verdict == Status.FUNCTIONAL_MISMATCH
    assert f"v42-qv100-core.events:{number + 1}: the first line" in capsys.readouterr().err


def test_replay_without_options_beside_it_is_left_alone(check_all, tmp_path):
    place = replay_folder(tmp_path)
    (place / "qv100.cfg").unlink()
    assert check_all(place) == []


def test_check_of_a_folder_checks_its_recordings(tmp_path):
    place = folder_with(tmp_path, "scoreboard_B", ".fst")
    assert "scoreboard_B.fst" in programs.warplock("check", place).out


def test_brief_table_has_a_row_a_block_and_what_fails(tmp_path, capsys):
    place = folder_with(tmp_path, "scoreboard_B", ".fst")
    shutil.copy(place / "scoreboard_B.fst", place / "again.fst")
    (place / "damaged.fst").write_bytes(b"\0")
    results = recordings.check_all(place, as_json=False, jobs=2, brief=True, accept=True)
    printed = capsys.readouterr().out
    assert len(results) == 3
    assert re.search(r"^scoreboard +2 +8,000 .* PASS$", printed, re.MULTILINE)
    assert "again.fst" not in printed
    assert "damaged.fst: " in printed


def test_brief_check_takes_a_recording_once(check_all, tmp_path):
    """As CSV and as waveform; a CSV file of another recording is checked."""
    for name, suffix in (("scoreboard_B", ".csv.xz"), ("scoreboard_C", ".csv.xz")):
        folder_with(tmp_path, name, suffix)
    place = folder_with(tmp_path, "scoreboard_B", ".fst")
    (place / "other.csv").touch()  # beside no waveform of its name
    found = recordings._once(recordings._files(place))
    names = {path.name for path in found}
    assert names == {"scoreboard_B.fst", "scoreboard_C.csv.xz", "other.csv"}
    (place / "other.csv").unlink()
    results = recordings.check_all(place, as_json=True, accept=True, brief=True)
    assert sorted(r.extra["recording"] for r in results) == sorted(names - {"other.csv"})
    assert len(check_all(place)) == 3


def test_summary_counts_recordings_and_blocks_by_verdict():
    def result(block, verdict, **extra):
        return Result(block=block, verdict=verdict, extra=extra)

    fails, passes = Status.FUNCTIONAL_MISMATCH, Status.OK
    blocks = [result("a", passes, name="default"), result("b", passes, name="default")]
    assert runs._summary("block", blocks) == "2 blocks PASS"
    blocks.append(result("c", fails, name="default"))
    assert runs._summary("block", blocks) == "2 blocks PASS, 1 block FUNCTIONAL_MISMATCH"
    several = [result(b, v, recording="r.fst") for b, v in (("a", passes), ("b", fails))]
    assert runs._summary("recording", several) == "1 recording FUNCTIONAL_MISMATCH"
    assert runs._summary("recording", []) == ""


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        ((), Status.VACUOUS, "no recording"),
        (("--config", "num_lanes=4"), Status.USAGE, "--config goes with one dump"),
    ],
)
def test_check_of_a_folder_is_refused(tmp_path, words, code, part):
    assert part in programs.warplock("check", tmp_path, *words, code=code).err

# SPDX-License-Identifier: Apache-2.0
"""--html and --junit: what is at their places, whatever becomes of the run."""

import errno
import os
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import programs
import pytest
from wlk.base import guard, outputs, published
from wlk.base.entries import Entry
from wlk.base.errors import Status, WlkError
from wlk.base.published import Reported
from wlk.cli import parse

PASS = {"block": "hazard", "verdict": "PASS", "config": {"num_warps": 8}, "cycles": 100}
FAIL = PASS | {
    "verdict": "FUNCTIONAL_MISMATCH",
    "first": {"cycle": 7, "port": "io_x", "expected": "0x1", "got": "0x0", "care": "0x1"},
}


@dataclass
class Fake(Reported):
    """A command that compares, and then does something."""

    NAME = "fake"
    then: Any = lambda: 0

    def run(self):
        self.entries.append(Entry(FAIL, "small", "the report"))
        return self.then()


def runs(folder, then=lambda: 1):
    """Run it; the code."""
    paths = {"html": folder / "page.html", "junit": folder / "junit.xml"}
    asked = Fake(**paths, then=then, words=["fake", "--html", "page.html"])
    published.refuse(asked)
    return guard.guard(lambda: published.run(asked))


def page(folder):
    return (folder / "page.html").read_text()


def kinds(folder):
    """Of each case whether it is a failure or an error, and of which type."""
    root = ElementTree.parse(folder / "junit.xml").getroot()
    return [(each.tag, each.get("type")) for case in root.iter("testcase") for each in case]


MISMATCH = ("failure", "FUNCTIONAL_MISMATCH")


def test_reports_of_a_run_that_fails(tmp_path):
    assert runs(tmp_path) == 1
    assert kinds(tmp_path) == [MISMATCH]
    text = page(tmp_path)
    for part in ("scripts/warplock fake --html page.html", "io_x", "the report", ">1</dd>"):
        assert part in text, part


def test_reports_say_that_the_run_has_not_ended_while_it_works(tmp_path):
    def look():
        assert "NOT_FINISHED" in page(tmp_path)
        assert kinds(tmp_path) == [("error", "NOT_FINISHED")]
        return 1

    for _ in range(2):  # the reports of a former run are there the second time
        assert runs(tmp_path, look) == 1
        assert "NOT_FINISHED" not in page(tmp_path)


def raises(error):
    def then():
        raise error

    return then


@pytest.mark.parametrize(
    ("error", "code", "shown"),
    [
        (KeyboardInterrupt(), Status.INTERRUPTED, "interrupted"),
        (WlkError(Status.NO_CLOCK, "no <clock>"), Status.NO_CLOCK, "no &lt;clock&gt;"),
        (ZeroDivisionError("1/0"), Status.MODEL_ERROR, "ZeroDivisionError"),
    ],
    ids=["interrupted", "error", "unforeseen"],
)
def test_reports_of_a_run_that_is_cut_short(tmp_path, error, code, shown):
    assert runs(tmp_path) == 1
    assert runs(tmp_path, raises(error)) == code
    assert shown in page(tmp_path)
    assert code.name in page(tmp_path)
    assert "io_x" in page(tmp_path)  # what had ended before
    assert MISMATCH in kinds(tmp_path)


def test_reports_of_a_run_that_is_terminated(tmp_path):
    with pytest.raises(SystemExit):
        runs(tmp_path, raises(SystemExit(143)))
    assert published.TERMINATED in page(tmp_path)
    assert ">143</dd>" in page(tmp_path)


def test_failure_without_a_failing_run_is_an_error(tmp_path):
    asked = Fake(junit=tmp_path / "junit.xml", then=lambda: int(Status.AMBIGUOUS))
    asked.run = lambda: (asked.entries.append(Entry(PASS, "x")), int(Status.AMBIGUOUS))[1]
    assert published.run(asked) == Status.AMBIGUOUS
    assert kinds(tmp_path) == [("error", "AMBIGUOUS")]


# ---- places -------------------------------------------------------------------------------------


def full(monkeypatch, error=errno.ENOSPC, after=0):
    """From so many files on, none can be written."""
    fsync, calls = os.fsync, []

    def fails(handle):
        calls.append(handle)
        if len(calls) > after:
            raise OSError(error, os.strerror(error))
        fsync(handle)

    monkeypatch.setattr(outputs.os, "fsync", fails)


@pytest.mark.parametrize("verdict", [0, 1])
def test_full_disk_costs_no_verdict_and_leaves_nothing_that_looks_current(
    tmp_path, monkeypatch, capsys, verdict
):
    assert runs(tmp_path) == 1
    full(monkeypatch)
    assert runs(tmp_path, lambda: verdict) == (verdict or Status.NO_SPACE)
    assert list(tmp_path.iterdir()) == []
    said = capsys.readouterr().err
    assert f"no --html report: cannot write {tmp_path / 'page.html'}: No space left" in said
    assert "no --junit report: " in said


def test_disk_that_fills_up_leaves_a_page_that_says_so(tmp_path, monkeypatch, capsys):
    full(monkeypatch, after=2)
    assert runs(tmp_path) == 1
    assert "NOT_FINISHED" in page(tmp_path)
    assert "page.html says that the run has not ended" in capsys.readouterr().err


def test_place_that_cannot_be_written_to_ends_the_command(tmp_path, monkeypatch, capsys):
    assert runs(tmp_path) == 1

    opened = outputs.Path.open

    def closed(path, mode="r", **how):
        if "x" in mode:
            raise PermissionError(errno.EACCES, "Permission denied")
        return opened(path, mode, **how)

    monkeypatch.setattr(outputs.Path, "open", closed)
    asked = Fake(html=tmp_path / "page.html", then=lambda: pytest.fail("it has worked"))
    assert guard.guard(lambda: published.run(asked)) == Status.NO_FILE
    assert "page.html: Permission denied" in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("kind", ["html", "junit"])
def test_file_that_is_no_report_is_refused(tmp_path, kind):
    mine = tmp_path / "mine"
    mine.write_text("<!DOCTYPE html>\n<title>mine</title>\n")
    with programs.error(Status.USAGE, f"--{kind} {mine}", "choose another name"):
        published.refuse(Fake(**{kind: mine}))
    assert "mine" in mine.read_text()


def test_places_that_nothing_can_be_written_to_are_refused(tmp_path):
    with programs.error(Status.NO_FILE, "is a folder"):
        published.refuse(Fake(html=tmp_path))
    with programs.error(Status.NO_FILE, "is no folder"):
        published.refuse(Fake(junit=tmp_path / "none" / "junit.xml"))
    with programs.error(Status.USAGE, "name two files"):
        published.refuse(Fake(html=tmp_path / "x", junit=tmp_path / "x"))


# ---- commands -----------------------------------------------------------------------------------

COMMANDS = {
    "lockstep": ("lockstep",),
    "check": ("check", "x.fst"),
    "prove": ("prove", "hazard", "--rtl", "x"),
    "play": ("vectors", "play", "x.wlv"),
    "mutate": ("mutate",),
    "regress": ("regress",),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_that_compare_have_both(name):
    asked = parse([*COMMANDS[name], "--html", "a.html", "--junit", "b.xml"])
    assert (asked.html.name, asked.junit.name) == ("a.html", "b.xml")
    assert published.offers(asked) == ("page",)
    assert published.offers(parse([*COMMANDS[name], "--junit", "b.xml"])) == ()


def test_vectors_play_reports_each_file(tmp_path):
    golden = sorted((programs.ROOT / "vectors" / "golden").glob("*.wlv"))[:2]
    words = ("--html", tmp_path / "page.html", "--junit", tmp_path / "junit.xml")
    programs.warplock("vectors", "play", *golden, *words)
    text = page(tmp_path)
    assert [path for path in golden if str(path) not in text] == []
    root = ElementTree.parse(tmp_path / "junit.xml").getroot()
    names = {(case.get("classname"), case.get("name")) for case in root.iter("testcase")}
    assert len(names) == 2
    assert {classname.rpartition(".")[0] for classname, _ in names} == {"warplock.vectors.play"}
    assert root.get("tests") == "2"

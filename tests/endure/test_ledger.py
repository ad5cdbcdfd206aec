# SPDX-License-Identifier: Apache-2.0
"""What a campaign keeps: findings, crashes and interruptions of its draws."""

import json
import subprocess
import sys

import ledger
import programs
import pytest
from wlk.base.errors import Status

SCRIPT = """\
import os, signal, sys, time
sys.path[:0] = {path!r}
import ledger
from pathlib import Path
ledger.PLACE = Path({place!r})

def draw(number, dice):
    if number == 1:
        raise AssertionError("differs")
    if number == 2:
        os.kill(os.getpid(), signal.SIGSEGV)
    if number == 3:
        return {{"what": "a", "verdict": "UNDECIDED"}}
    return {{"what": "a", "cycles": 5 + dice.randrange(1)}}

sys.exit(ledger.campaign(__file__, "", draw))
"""


@pytest.fixture
def script(tmp_path, monkeypatch):
    monkeypatch.setattr(ledger, "PLACE", tmp_path)
    path = tmp_path / "sample.py"
    folders = [str(programs.ROOT / "scripts"), str(programs.ROOT / "tests/endure")]
    path.write_text(SCRIPT.format(path=folders, place=str(tmp_path)))
    return path


def campaign(script, draws):
    words = [sys.executable, script, "--draws", str(draws), "--jobs", "2"]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def verdicts():
    return {line["draw"]: line["verdict"] for line in ledger.Ledger("sample").lines}


def test_draws_go_on_behind_findings_and_the_next_run_goes_on(script):
    done = campaign(script, 3)
    assert done.returncode == 1
    assert verdicts() == {0: "PASS", 1: "FOUND", 2: "FOUND"}
    assert "FOUND in draw 1: differs\n" in done.stdout
    assert "--draw 1" in done.stdout
    done = campaign(script, 2)
    assert verdicts() == {0: "PASS", 1: "FOUND", 2: "FOUND", 3: "UNDECIDED", 4: "PASS"}
    assert done.returncode == 1  # what was found stays found
    assert "5 draws, 10 cycles" in done.stdout
    assert done.stdout.splitlines()[-1] == "3 passed, 2 failed"


def test_a_draw_that_was_cut_runs_again(script, tmp_path):
    campaign(script, 1)
    path = tmp_path / "sample.jsonl"
    whole = path.read_text()
    path.write_text(whole + whole[:-9].replace('"draw": 0', '"draw": 1'))
    assert verdicts() == {0: "PASS"}
    assert path.read_text() == whole
    campaign(script, 1)
    assert verdicts() == {0: "PASS", 1: "FOUND"}


def test_a_damaged_line_is_named(script, tmp_path):
    (tmp_path / "sample.jsonl").write_text('{"draw": 0\n' + json.dumps({"draw": 1}) + "\n")
    with programs.error(Status.NO_FILE, "sample.jsonl:1:", "remove that line"):
        ledger.Ledger("sample")


@pytest.mark.parametrize("words", ["--minutes 0", "--minutes nan", "--minutes inf", "--jobs 0"])
def test_a_number_that_is_none_is_refused(script, words):
    command = [sys.executable, script, *words.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == Status.USAGE
    assert f"{words.split()[1]}: must be" in done.stderr
    assert not verdicts()

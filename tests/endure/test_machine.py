# SPDX-License-Identifier: Apache-2.0
"""The short form of machine.py, and that it finds a command that does not stand a fault."""

import random
import shutil
import sys

import ledger
import machine
import programs
import pytest
from full_disk import Command
from wlk.base.errors import Status

pytestmark = pytest.mark.slow
NUMBERS = [3 * programs.SLICE % 3000 + k for k in range(3)]
# Writes a file in two parts, with a pause between them.
CARELESS = """\
import pathlib, sys, time
with open(pathlib.Path(sys.argv[1]) / "e.csv", "w") as file:
    file.write("first\\n")
    file.flush()
    time.sleep(1)
    file.write("second\\n")
"""


@pytest.mark.parametrize("number", NUMBERS)
def test_faults_of_the_machine_are_stood(number, capsys):
    assert ledger.run_one(machine.draw, number) == 0, capsys.readouterr().out


def careless(monkeypatch, tmp_path, code=CARELESS):
    """A draw of a command that is not ours."""
    monkeypatch.setattr(ledger, "PLACE", tmp_path)
    command = Command("careless", [])
    monkeypatch.setattr(machine.full_disk, "commands", lambda _: [command])
    trial = machine.Trial(0, random.Random(1))
    trial.line = [sys.executable, "-c", code, str(trial.disk)]
    return trial


def test_a_file_that_is_cut_is_found(monkeypatch, tmp_path):
    trial = careless(monkeypatch, tmp_path)
    assert trial.run().code == 0
    like, troubles = trial.damaged()
    assert not troubles
    trial.wiped()
    ended = trial.run(lambda process: (machine.time.sleep(0.6), machine.kill(process, 9)))
    assert ended.code == -9
    assert ["differs" in each for each in trial.damaged(like)[1]] == [True]


def test_a_lost_message_is_found(monkeypatch, tmp_path):
    trial = careless(monkeypatch, tmp_path, "import sys; sys.exit(25)")
    assert [*trial.run().troubles()] == ["no message"]
    trial.line[2] = "raise ValueError"
    assert "printed: Traceback" in [*trial.run().troubles()]


@pytest.mark.parametrize("kind", ["EIO", "ENOSPC", "EINTR", "SHORT"])
def test_the_library_makes_calls_fail(kind, monkeypatch, tmp_path):
    code = "import os; f = os.open(__import__('sys').argv[1] + '/a', os.O_CREAT | os.O_WRONLY); "
    trial = careless(monkeypatch, tmp_path, code + "print([os.write(f, b'x' * 9) for _ in '123'])")
    env = {"FAULT_PLACE": f"{trial.disk}/", "FAULT_ERROR": kind, "FAULT_FROM": "2"}
    said = trial.run(env=env | machine.preloaded()).text
    wanted = {"EIO": "Input/output error", "ENOSPC": "No space left", "EINTR": "[9, 9, 9]"}
    assert wanted.get(kind, "[") in said
    assert ("[9, 9, 9]" in said) == (kind == "EINTR")  # Python calls again by itself


def test_a_database_that_cannot_be_read_is_named(monkeypatch, tmp_path):
    trial = careless(monkeypatch, tmp_path)
    database = trial.disk / "small.cover"
    shutil.copy(machine.ROOT / "tests" / "endure" / "corpus" / "coverage" / "small.cover", database)
    trial.line = [sys.executable, str(programs.WARPLOCK), "coverage", str(database)]
    env = {"FAULT_PLACE": f"{trial.disk}/", "FAULT_ERROR": "EIO", "FAULT_READ": "1"}
    ended = trial.run(env=env | machine.preloaded())
    assert ended.code == Status.NO_FILE
    assert f"{database}: cannot read: disk I/O error; check" in ended.text
    assert trial.run().code == Status.VACUOUS


def test_a_cause_that_is_not_named_is_found(monkeypatch, tmp_path):
    code = "import sys; [open(sys.argv[1] + '/../in').read() for _ in range(12)]"
    trial = careless(monkeypatch, tmp_path, f"try:\n {code}\nexcept OSError: sys.exit(10)")
    (trial.work / "in").write_text("x")
    assert trial.unreadable(0)[1] == ["the cause is not named"]

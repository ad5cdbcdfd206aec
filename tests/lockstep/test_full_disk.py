# SPDX-License-Identifier: Apache-2.0
"""Disks that are full: the verdict comes, the exit code is right, no damaged file has a final name.

A few moments of some commands; `warplock test --full` runs 50 of each that writes.
"""

import os
import subprocess
import sys

import full_disk
import programs
import pytest
import rtl_under_test as rut
from rtl_under_test import PINNED
from wlk.base import setup
from wlk.base.errors import Status

SIZES = (2, 30)  # pages
COMMANDS = {
    "lockstep, fails",
    "lockstep, fails, /tmp full",
    "lockstep, passes",
    "vectors gen",
    "vectors import",
    "bind",
    "check, packed FST",
}
WHY = full_disk.can_mount()


@pytest.mark.slow
@pytest.mark.skipif(bool(WHY), reason=WHY)
def test_full_disk_costs_no_verdict_and_no_file(tmp_path):
    seen = []
    for command in full_disk.commands(tmp_path):
        if programs.FULL:
            seen += full_disk.moments(command, tmp_path / "disk")
        elif command.name in COMMANDS:
            sizes = [pages * full_disk.PAGE for pages in SIZES]
            seen += [full_disk.run(command, tmp_path / "disk", size) for size in sizes]
    assert [str(moment) for moment in seen if moment.troubles] == []
    assert sum(moment.speaks_of_space for moment in seen) >= len(COMMANDS)


@pytest.mark.skipif(bool(WHY), reason=WHY)
def test_full_build_folder_is_named(tmp_path):
    """Neither a bug nor BUILD_FAIL. That half a build is not taken for a whole one takes two
    builds; full_disk.py looks at it."""
    words = ["lockstep", "collector", "--rtl", rut.stub("plain"), *PINNED, "--reports", tmp_path]
    script = full_disk.SMALL_BUILD.partition("mount -o remount")[0] + "exit $code"
    place, size = setup.BUILD / "rtl", 8 * full_disk.PAGE
    line = full_disk.mounted(script, place, size, sys.executable, programs.WARPLOCK, *words)
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == Status.NO_SPACE, done.stderr
    assert f"no space left on the disk of {setup.BUILD / 'rtl'}" in done.stderr.splitlines()[-1]


# ---- full outputs, which need no root -----------------------------------------------------------


def to_full(*words, both=False):
    """The command with stdout on a device that is always full."""
    with open("/dev/full", "w") as full:
        error = full if both else subprocess.PIPE
        process = programs.started(*words, stdout=full, stderr=error)
        _, printed = process.communicate(timeout=600)
    return process.returncode, printed


@pytest.mark.parametrize(
    "words", [("lockstep", "--list"), ("lockstep", "--list", "--json"), ("--help",)]
)
def test_full_stdout_is_one_line(words):
    code, error = to_full(*words)
    assert code == Status.NO_SPACE
    (line,) = error.splitlines()
    assert line.startswith("warplock: cannot write the output: No space left on device; ")
    assert to_full(*words, both=True)[0] == Status.NO_SPACE


def test_full_stdout_does_not_hide_a_verdict(tmp_path):
    wrong = rut.stub("wrong_ready", edit=rut.READY)
    words = (*rut.QUICK, *PINNED, "--reports", tmp_path)
    code, error = to_full("lockstep", "collector", "--rtl", wrong, *words)
    assert code == Status.FUNCTIONAL_MISMATCH
    assert error.splitlines()[-1].endswith("the answer was FUNCTIONAL_MISMATCH")
    (wave,) = (tmp_path / "latest").resolve().rglob("wave.fst")  # the files are there
    code, error = to_full("check", wave, "--block", "collector", *PINNED)
    assert code == Status.FUNCTIONAL_MISMATCH
    assert error.splitlines()[-1].endswith("the answer was FUNCTIONAL_MISMATCH")


def test_closed_stdout_is_no_error():
    command = [sys.executable, str(programs.WARPLOCK), "lockstep", "--list"]
    done = subprocess.run(command, stderr=subprocess.PIPE, preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr) == (0, b"")

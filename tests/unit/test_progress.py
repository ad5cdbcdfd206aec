# SPDX-License-Identifier: Apache-2.0
"""Progress lines and child processes."""

import io
import os
import re
import signal
import subprocess
import sys
import threading
import time

import programs
import pytest
from wlk.base import progress
from wlk.base.errors import Status, WlkError


class Terminal(io.StringIO):
    """A stream that poses as a terminal."""

    def isatty(self):
        return True


def test_progress_terminal_rewrites_one_line_and_clears_it():
    stream = Terminal()
    with progress.Progress("seeds", 8, stream) as line:
        line.update(2, "mixed")
        line._last -= 1
        line.update(4)
    text = stream.getvalue()
    assert "\n" not in text
    assert text.startswith("\r\x1b[Kseeds ...  2 of 8 (25 %)  0 s  mixed")
    assert "4 of 8 (50 %)" in text
    assert text.endswith("\r\x1b[K")


def test_progress_terminal_draws_seldom():
    stream = Terminal()
    with progress.Progress("seeds", 1000, stream) as line:
        for i in range(1000):
            line.update(i)
    assert stream.getvalue().count("seeds") <= 2


def test_progress_elsewhere_is_a_line_each_10_s():
    stream = io.StringIO()
    with progress.Progress("seeds", None, stream) as line:
        line.update(1)
        assert stream.getvalue() == ""
        line._last -= 10
        line.start -= 10
        line.update(1234)
        line.update(1235)
    assert stream.getvalue() == "seeds ...  1,234  10 s\n"


def test_run_returns_code_and_output():
    done = progress.run(["sh", "-c", "echo out; echo err >&2; exit 3"])
    assert (done.code, done.output) == (3, "out\nerr\n")


def test_run_takes_more_output_than_a_pipe_holds():
    assert len(progress.run(["head", "-c", "1000000", "/dev/zero"]).output) == 1_000_000


def test_run_appends_to_log_and_tail_shows_its_end(tmp_path):
    log = tmp_path / "new" / "x.log"
    progress.run(["echo", "one"], log=log)
    progress.run(["sh", "-c", "echo; echo two"], log=log)
    assert log.read_text() == "one\n\ntwo\n"
    assert progress.tail(log, 1) == ["two"]
    assert progress.tail(tmp_path / "absent") == []


def test_run_program_missing():
    with programs.error(Status.NO_TOOL, "/no/such/program"):
        progress.run(["/no/such/program"])


def test_child_ends_with_the_block_even_if_it_ignores_sigterm(monkeypatch):
    monkeypatch.setattr(progress, "GRACE", 0.3)
    with progress.child(
        ["sh", "-c", "trap '' TERM; echo; sleep 60 & wait; sleep 60"], stdout=-1
    ) as c:
        c.stdout.readline()
    assert c.returncode == -9


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_child_that_is_being_started_ends_with_us(monkeypatch, number):
    """A signal may come when the child runs already, and nobody knows of it yet."""
    started = []

    def start(*words, **options):
        started.append(Popen(*words, **options))
        signal.raise_signal(number)
        return started[-1]

    def leave(*_):
        raise KeyboardInterrupt

    Popen = subprocess.Popen
    before = signal.signal(number, leave)
    monkeypatch.setattr(subprocess, "Popen", start)
    try:
        with pytest.raises(KeyboardInterrupt), progress.child(["sleep", "60"]):
            pytest.fail("not reached")
        progress.terminate_children()
        assert started[0].poll() is not None
    finally:
        signal.signal(number, before)
        started[0].kill()


def test_parallel_runs_all_and_at_most_so_many():
    running, most, lock = 0, 0, threading.Lock()

    def work(item):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.01)
        with lock:
            running -= 1
        return item * item

    answers = dict(progress.parallel(work, range(20), 3))
    assert answers == {i: i * i for i in range(20)}
    assert most == 3


def test_parallel_error_ends_the_others_and_leaves_no_trace():
    def work(item):
        if item == 0:
            time.sleep(0.2)
            raise WlkError(Status.HANG, "zero")
        return [progress.run(["sleep", "60"]) for _ in range(2)]  # the second must not start

    start = time.monotonic()
    with pytest.raises(WlkError, match="zero"):
        list(progress.parallel(work, range(6), 3))
    assert time.monotonic() - start < 10
    assert progress.run(["true"]).code == 0


def test_progress_of_a_block_of_code_shows_its_note(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    stage = ["compiling"]
    with progress.watched("playing x.wlv", lambda: stage[0]):
        time.sleep(2.5 * progress.TTY_PERIOD)
        stage[0] = "running"
        time.sleep(2.5 * progress.TTY_PERIOD)
    text = stream.getvalue()
    assert re.search(
        r"playing x.wlv \.\.\.  \d s  compiling.*playing x.wlv \.\.\.  \d s  running", text
    )
    assert text.endswith("\r\x1b[K")


MAKEFILE = """all: a b c d
a b c d:
\techo + >> {log}; sleep 0.1; echo - >> {log}
"""


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_parallel_bounds_the_jobs_of_its_makes(tmp_path, jobs):
    log = tmp_path / "log"
    (tmp_path / "Makefile").write_text(MAKEFILE.format(log=log))

    def work(number):
        command = ["make", "-C", tmp_path, "--always-make"]
        return progress.run(command, **progress.make_options(os.environ)).code

    assert dict(progress.parallel(work, range(2), jobs)) == {0: 0, 1: 0}
    running = most = 0
    for line in log.read_text().split():
        running += 1 if line == "+" else -1
        most = max(most, running)
    assert most == jobs

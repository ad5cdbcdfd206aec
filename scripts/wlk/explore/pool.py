# SPDX-License-Identifier: Apache-2.0
"""Processes of the runner `wlk-explore`, each fed with jobs and asked for answers, a line each.

A runner that dies is no end of the sweep: the job that it was at is tried once more, then it is an
answer with status ERROR, and another runner goes on.
"""

import collections
import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base import progress
from ..base.errors import Status, WlkError
from .sweep import Job, Sweep

AHEAD = 8  # jobs that a runner has been given and not answered; less than a pipe holds
TRIES = 2
WAIT = 0.5  # seconds between two looks at the progress line
Answer = tuple[Job, Mapping[str, Any]]


class Pool:
    """Runners at work on a list of jobs."""

    def __init__(self, command: Sequence[str | Path], sweep: Sweep, jobs: Sequence[Job]) -> None:
        self.command, self.sweep = command, sweep
        self._todo = collections.deque(jobs)
        self._count = len(jobs)
        self._answers: queue.SimpleQueue[Answer | BaseException] = queue.SimpleQueue()
        self._stop = threading.Event()

    def run(self, processes: int) -> Iterator[list[Answer]]:
        """The answers as they come, several at a time, none when nothing came for a while; the
        runners end with the loop that takes them."""
        threads = [
            threading.Thread(target=self._work, daemon=True)
            for _ in range(min(processes, self._count))
        ]
        for thread in threads:
            thread.start()
        try:
            left = self._count
            while left:
                found = self._arrived()
                left -= len(found)
                yield found
        finally:
            self._stop.set()
            if any(thread.is_alive() for thread in threads) and left:
                progress.terminate_children()
            for thread in threads:
                thread.join(progress.GRACE)

    def _arrived(self) -> list[Answer]:
        """What has come since; raises what ended a thread."""
        found = []
        with contextlib.suppress(queue.Empty):
            found.append(self._answers.get(timeout=WAIT))
            while True:
                found.append(self._answers.get_nowait())
        for each in found:
            if isinstance(each, BaseException):
                raise each
        return found

    def _work(self) -> None:
        """A thread: runners, one behind the other, until no job is left."""
        tries: collections.Counter[str] = collections.Counter()
        given: collections.deque[Job] = collections.deque()
        try:
            while not self._stop.is_set() and (given or self._todo):
                code, why = self._runner(given)
                if given and not self._stop.is_set():
                    self._died(given, tries, code, why)
        except BaseException as error:  # raised again where answers are taken
            self._answers.put(error)

    def _died(
        self,
        given: collections.deque[Job],
        tries: collections.Counter[str],
        code: int,
        why: str,
    ) -> None:
        """A runner has ended without an answer to the first job that it was given."""
        job = given[0]
        tries[job.id] += 1
        if tries[job.id] < TRIES:
            return
        given.popleft()
        how = f"by {signal.Signals(-code).name}" if code < 0 else f"with {code}"
        message = f"the runner ended {how}" + (f": {why}" if why else "")
        self._answers.put((job, {"status": "ERROR", "message": message}))

    def _runner(self, given: collections.deque[Job]) -> tuple[int, str]:
        """One runner, until it has answered all jobs or ends by itself; how it ended, and the last
        line on stderr. `given`: jobs that are not answered, those of an earlier runner first."""
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with progress.child([*map(str, self.command)], **pipes) as process:
            complaint = collections.deque(maxlen=1)
            listener = threading.Thread(
                target=lambda: complaint.extend(process.stderr), daemon=True
            )
            listener.start()
            self._converse(process, given)
            process.stdin.close()
            try:
                code = process.wait(progress.GRACE if given else None)
            except subprocess.TimeoutExpired:  # it has closed its stdout and lives
                code = -signal.SIGKILL
                process.kill()
            listener.join(progress.GRACE)
        why = complaint[0].decode(errors="replace").strip() if complaint else ""
        return code, why

    def _converse(self, process: subprocess.Popen[bytes], given: collections.deque[Job]) -> None:
        """Feed jobs and take answers until there are no more, or the runner ends."""
        for job in given:
            self._give(process, job)
        while not self._stop.is_set():
            with contextlib.suppress(IndexError):  # another thread was quicker
                while len(given) < AHEAD:
                    given.append(self._todo.popleft())
                    self._give(process, given[-1])
            if not given:
                return
            line = process.stdout.readline()
            if not line.endswith(b"\n"):
                return
            self._answers.put((given[0], _answer(line, given[0])))
            given.popleft()

    def _give(self, process: subprocess.Popen[bytes], job: Job) -> None:
        """Write a job, past the buffer of stdin, which could not be emptied when the runner ends.
        What it has answered before it ended is still there to be read."""
        with contextlib.suppress(BrokenPipeError):
            os.write(process.stdin.fileno(), self.sweep.line(job).encode())


def _answer(line: bytes, job: Job) -> Mapping[str, Any]:
    """A line of the runner; MODEL_ERROR when it does not belong to the job."""
    try:
        found = json.loads(line)
        if found["id"] == job.id and isinstance(found["status"], str):
            return found
    except (ValueError, KeyError, TypeError):
        pass
    shown = line[:80].decode(errors="replace").strip()
    raise WlkError(Status.MODEL_ERROR, f"wlk-explore answers job {job.id} with: {shown}")

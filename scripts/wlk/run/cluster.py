# SPDX-License-Identifier: Apache-2.0
"""Work on the machines of a Slurm cluster: one job array, whose tasks do a part each.

Checkout, build folder and the folder of the array are the same folders on every machine. A task
that is lost, with its machine or without an answer, is submitted again; an answer, whatever it is,
never. A task is a process `python -m MODULE FOLDER NUMBER`: it reads FOLDER/NUMBER.pickle and
leaves the answer of each of its parts as FOLDER/NAME.rows, JSON, with `error` [status, message]
where one ends the run.
"""

import json
import os
import pickle
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base import outputs, progress, setup
from ..base.errors import Status, WlkError

TOOLS = ("sbatch", "squeue", "scancel")
TASKS = 1000  # of an array; Slurm's own default limit is 1001
ATTEMPTS = 3
POLL = 0.5  # seconds, for answers
ASKS = 5.0  # seconds between two questions to Slurm
PATIENCE = 10.0  # seconds in which an answer of a task that has ended may still come to be seen
SILENCE = 12  # questions that Slurm may leave unanswered, one behind the other
GONE = "Invalid job id"
ROWS = ".rows"


def require() -> None:
    """NO_TOOL without Slurm's commands."""
    missing = [name for name in TOOLS if shutil.which(name) is None]
    if missing:
        message = f"--launcher slurm: {missing[0]} is missing"
        raise WlkError(Status.NO_TOOL, f"{message}; run on a machine of the cluster that submits")


def words(options: str) -> list[str]:
    """The words of --slurm-options; USAGE when a quote is open."""
    try:
        return shlex.split(options)
    except ValueError as error:
        raise WlkError(Status.USAGE, f"--slurm-options {options}: {error}") from error


def new_folder(place: Path) -> Path:
    """The folder of an array, below `place`; its name is that of the jobs."""
    folder = place / f"warplock-{os.getpid()}-{time.time_ns():x}"
    outputs.make_folder(folder)
    return folder


def end(folder: Path) -> list[Any]:
    """Cancel the tasks of a folder and remove it; the answers that were in it."""
    if shutil.which("scancel"):
        _ask("scancel", f"--name={folder.name}")
    found = [json.loads(path.read_bytes()) for path in folder.glob(f"*{ROWS}")]
    shutil.rmtree(folder, ignore_errors=True)
    return found


class Array:
    """The tasks of a run, in one job array or, when some were lost, in several."""

    def __init__(self, folder: Path, module: str, most: int | None, words: Sequence[str]) -> None:
        """`module`: what a task runs; `most`: tasks at a time; `words`: of sbatch."""
        self.folder, self.module, self.most, self.words = folder, module, most, words
        self.tasks = 0
        self._of: Mapping[str, int] = {}  # the task of each part
        self._job = ""
        self._attempts = 0
        self._lost_since = 0.0
        self._unanswered = 0
        self._asked = 0.0

    def write(self, tasks: Sequence[Any], of: Mapping[str, int]) -> None:
        """Write down what each task is to do; `of`: which has each part."""
        self.tasks, self._of = len(tasks), of
        for n, task in enumerate(tasks):
            (self.folder / f"{n}.pickle").write_bytes(pickle.dumps(task))

    def submit(self, tasks: Sequence[int]) -> None:
        """Give tasks to Slurm; NO_TOOL when it does not take them."""
        path = shlex.quote(str(setup.ROOT / "scripts"))
        program = shlex.join([str(setup.PYTHON), "-P", "-m", self.module, str(self.folder)])
        limit = f"%{self.most}" if self.most else ""
        command = ["sbatch", *self.words, "--parsable", f"--job-name={self.folder.name}"]
        command += [f"--array={','.join(map(str, tasks))}{limit}"]
        command += [f"--output={self.folder}/%a.log"]
        command += ["--wrap", f"PYTHONPATH={path} exec {program} $SLURM_ARRAY_TASK_ID"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            why = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise WlkError(Status.NO_TOOL, f"Slurm takes no job: {why}; look at --slurm-options")
        self._job = done.stdout.strip().partition(";")[0]
        self._attempts += 1

    def answers(self, names: Collection[str]) -> list[tuple[str, Any]]:
        """What has come of these since; raises the error of a task that had one."""
        found = []
        with os.scandir(self.folder) as entries:  # asks a shared folder anew
            there = {entry.name.removesuffix(ROWS) for entry in entries}
        for name in there & set(names):
            answer = json.loads((self.folder / f"{name}{ROWS}").read_bytes())
            if "error" in answer:
                status, message = answer["error"]
                raise WlkError(Status(status), message)
            found.append((name, answer))
        return found

    def retry(self, names: Collection[str]) -> None:
        """Submit lost tasks again when all others have ended; NO_TOOL when it is once too often."""
        if time.monotonic() - self._asked < ASKS:
            return
        self._asked = time.monotonic()
        if self._is_active():
            self._lost_since = 0.0
            return
        self._lost_since = self._lost_since or time.monotonic()
        if time.monotonic() - self._lost_since < PATIENCE:
            return
        self._lost_since = 0.0
        lost = sorted({self._of[name] for name in names})
        why = " / ".join(progress.tail(self.folder / f"{lost[0]}.log", 1)) or "it printed nothing"
        if self._attempts == ATTEMPTS:
            message = f"{len(lost)} of {self.tasks} tasks of Slurm ended {ATTEMPTS} times without"
            raise WlkError(Status.NO_TOOL, f"{message} an answer; task {lost[0]}: {why}")
        print(f"{len(lost)} tasks of Slurm were lost ({why}): submitted again", file=sys.stderr)
        self.submit(lost)

    def _is_active(self) -> bool:
        """Does Slurm know of a task that has not ended?"""
        done = _ask("squeue", "--noheader", "--array", f"--jobs={self._job}", "--format=%K")
        if done.returncode == 0 or GONE in done.stderr:
            self._unanswered = 0
            return bool(done.stdout.strip())
        self._unanswered += 1
        if self._unanswered == SILENCE:
            raise WlkError(Status.NO_TOOL, f"Slurm does not answer: {done.stderr.strip()}")
        return True


def _ask(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(words, capture_output=True, text=True, check=False)

# SPDX-License-Identifier: Apache-2.0
"""Settling on the machines of a Slurm cluster: one job array, whose tasks settle a part each.

Checkout, build folder and store are the same folders on every machine. A task that is lost, with
its machine or without an answer, is submitted again; an answer, whatever it is, never.
"""

import dataclasses
import json
import os
import pickle
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..base import outputs, progress, setup
from ..base.errors import Status, WlkError
from . import shard
from .judge import Group, Judge, version
from .store import Store

TOOLS = ("sbatch", "squeue", "scancel")
TASKS = 1000  # of an array; Slurm's own default limit is 1001
ATTEMPTS = 3
POLL = 0.5  # seconds, for answers
ASKS = 5.0  # seconds between two questions to Slurm
PATIENCE = 10.0  # seconds in which an answer of a task that has ended may still come to be seen
SILENCE = 12  # questions that Slurm may leave unanswered, one behind the other
GONE = "Invalid job id"


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


def recover(store: Store) -> None:
    """Take in what the tasks of a run that was killed have found, and end them."""
    for folder in sorted(_place(store).glob("*")):
        _end(store, folder)


def settle(
    judge: Judge,
    store: Store,
    groups: Sequence[Group],
    most: int | None,
    words: Sequence[str],
    tick: Callable[[], None],
) -> Iterator[None]:
    """Settle all groups; comes back whenever one is. `most`: tasks at a time; `words`: of
    sbatch."""
    folder = _place(store) / f"warplock-{os.getpid()}-{time.time_ns():x}"
    outputs.make_folder(folder)
    array = _Array(folder, most, words)
    named = {f"{n}": group for n, group in enumerate(groups)}
    try:
        for group in groups:  # the machines have no checkouts
            for each in (group, group.before):
                if each is not None:
                    judge.source(each)
        array.write(judge, store, named)
        array.submit(range(array.tasks))
        while named:
            done = array.answers(named)
            for name, answer in done:
                _take(store, answer)
                group = named.pop(name)
                group.result = judge.result(group)  # None: it is to be inherited
                yield
            tick()
            if not done:
                array.retry(named)
                time.sleep(POLL)
    finally:
        _end(store, folder)


def _end(store: Store, folder: Path) -> None:
    """Cancel the tasks of a run, whose jobs have the name of its folder, and take in what they have
    found."""
    if shutil.which("scancel"):
        _ask("scancel", f"--name={folder.name}")
    for path in folder.glob(f"*{shard.ROWS}"):
        _take(store, json.loads(path.read_bytes()))
    shutil.rmtree(folder, ignore_errors=True)


def _place(store: Store) -> Path:
    return store.folder.absolute() / "slurm"


def _take(store: Store, answer: Any) -> None:
    """Write the rows of a task's answer."""
    for table, rows in answer.get("rows", {}).items():
        for row in rows:
            store.add(table, **row)


class _Array:
    """The tasks of a run, in one job array or, when some were lost, in several."""

    def __init__(self, folder: Path, most: int | None, words: Sequence[str]) -> None:
        self.folder, self.most, self.words = folder, most, words
        self.tasks = 0
        self._of: dict[str, int] = {}  # the task of each group
        self._job = ""
        self._attempts = 0
        self._lost_since = 0.0
        self._unanswered = 0
        self._asked = 0.0

    def write(self, judge: Judge, store: Store, named: dict[str, Group]) -> None:
        """Write down what each task is to do."""
        self.tasks = min(len(named), TASKS)
        parts: list[list[shard.Part]] = [[] for _ in range(self.tasks)]
        for n, (name, group) in enumerate(named.items()):
            before = group.before and _bare(group.before)
            proof = judge.proof(group.before, group) if before else None
            group = dataclasses.replace(_bare(group), before=before)
            parts[n % self.tasks].append(shard.Part(name, group, proof and dict(proof)))
            self._of[name] = n % self.tasks
        for n, groups in enumerate(parts):
            task = shard.Task(Path.cwd(), store.folder, judge.settings, version(), groups)
            (self.folder / f"{n}.pickle").write_bytes(pickle.dumps(task))

    def submit(self, tasks: Sequence[int]) -> None:
        """Give tasks to Slurm; NO_TOOL when it does not take them."""
        path = shlex.quote(str(setup.ROOT / "scripts"))
        program = shlex.join([str(setup.PYTHON), "-m", shard.__name__, str(self.folder)])
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

    def answers(self, named: dict[str, Group]) -> list[tuple[str, Any]]:
        """What has come of these since; raises the error of a task that had one."""
        found = []
        with os.scandir(self.folder) as entries:  # asks a shared folder anew
            there = {entry.name.removesuffix(shard.ROWS) for entry in entries}
        for name in there & named.keys():
            answer = json.loads((self.folder / f"{name}{shard.ROWS}").read_bytes())
            if "error" in answer:
                status, message = answer["error"]
                raise WlkError(Status(status), message)
            found.append((name, answer))
        return found

    def retry(self, named: dict[str, Group]) -> None:
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
        lost = sorted({self._of[name] for name in named})
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


def _bare(group: Group) -> Group:
    """As a task needs it."""
    return dataclasses.replace(group, before=None, result=None, waiting=[])


def _ask(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(words, capture_output=True, text=True, check=False)

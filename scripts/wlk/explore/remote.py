# SPDX-License-Identifier: Apache-2.0
"""Runs on the machines of a Slurm cluster (run/cluster.py).

    python -m wlk.explore.remote FOLDER NUMBER

is a task: it runs the jobs of FOLDER/NUMBER.pickle and leaves the answers of each part. Only who
called writes the database: SQLite is not safe on a folder that several machines share.
"""

import json
import os
import pickle
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base import guard, outputs
from ..run import cluster
from .pool import Answer, Pool
from .sweep import Job, Sweep

PART = 200  # runs at least, so that a task is worth its start


@dataclass(frozen=True)
class Task:
    """What a task is to do."""

    program: Path
    sweep: Sweep
    parts: dict[str, Sequence[Job]]  # by the name of its answer


def run(
    path: Path,
    program: Path,
    sweep: Sweep,
    jobs: Sequence[Job],
    most: int | None,
    words: Sequence[str],
) -> Iterator[list[Answer]]:
    """The answers as they come, as of a pool. `path`: the database, beside which the folder of the
    tasks lies; what tasks of a run that was killed have found is taken in first."""
    place = path.absolute().with_name(f"{path.name}-slurm")
    known = {job.id: job for job in jobs}
    for folder in sorted(place.glob("*")):
        yield [answer for found in cluster.end(folder) for answer in _taken(found, known)]
    folder = cluster.new_folder(place)
    array = cluster.Array(folder, __name__, most, words)
    try:
        left = _write(array, program, sweep, list(known.values()))
        while left:
            found = array.answers(left)
            for name, answer in found:
                left.discard(name)
                yield list(_taken(answer, known))
            if not found:
                array.retry(left)
                time.sleep(cluster.POLL)
                yield []
    finally:
        cluster.end(folder)


def _taken(answer: dict[str, Any], known: dict[str, Job]) -> Iterator[Answer]:
    """The answers of jobs that are still wanted, which they then are no more."""
    for row in answer.get("rows", ()):
        if row["job"] in known:
            yield known.pop(row["job"]), row["answer"]


def _write(array: cluster.Array, program: Path, sweep: Sweep, jobs: Sequence[Job]) -> set[str]:
    """Write down what each task is to do; the names of the parts."""
    tasks = max(1, min(cluster.TASKS, len(jobs) // PART)) if jobs else 0
    if not tasks:
        return set()
    parts = {f"{n}": jobs[n::tasks] for n in range(tasks)}
    array.write(
        [Task(program.absolute(), sweep, {name: part}) for name, part in parts.items()],
        {name: n for n, name in enumerate(parts)},
    )
    array.submit(range(tasks))
    return set(parts)


def main(folder: Path, number: str) -> int:
    """Run the jobs of a task that have no answer yet."""
    task: Task = pickle.loads((folder / f"{number}.pickle").read_bytes())
    processes = int(os.environ.get("SLURM_CPUS_PER_TASK", "1"))
    for name, jobs in task.parts.items():
        path = folder / f"{name}{cluster.ROWS}"
        if path.is_file():
            continue
        rows = [
            {"job": job.id, "answer": answer}
            for answers in Pool([task.program], task.sweep, jobs).run(processes)
            for job, answer in answers
        ]
        with outputs.atomic_write(path) as file:
            json.dump({"rows": rows}, file)
    return 0


if __name__ == "__main__":
    sys.exit(guard.guard(lambda: main(Path(sys.argv[1]), sys.argv[2])))

# SPDX-License-Identifier: Apache-2.0
"""A part of the work of `regress --launcher slurm`, in a process of its own, on any machine.

    python -m wlk.regress.shard FOLDER NUMBER

It settles the groups of FOLDER/NUMBER.pickle, and leaves of each what it found as FOLDER/KEY.rows,
JSON: rows of the store by table, or the error that ended it. Only who called it writes the store:
SQLite is not safe on a folder that several machines share.
"""

import json
import os
import pickle
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..base import guard, outputs
from ..base.errors import Status, WlkError
from ..run.cluster import ROWS
from . import subjects
from .judge import Group, Judge, version
from .settings import Settings
from .store import TABLES, Row, plain


@dataclass(frozen=True)
class Part:
    """A group to settle."""

    name: str  # of its answer
    group: Group
    proof: Mapping[str, Any] | None  # that is known


@dataclass(frozen=True)
class Task:
    """What a shard is to do."""

    place: Path  # where the process that asks was called
    store: Path  # as it was given there: it stands in rows
    settings: Settings
    version: str  # of model and simulator, by the process that asks
    parts: Sequence[Part]


@dataclass
class Rows:
    """The rows that one group adds, in place of a store."""

    folder: Path
    added: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def get(self, table: str, **where: str) -> Row | None:
        """As of a store."""
        rows = self.added.get(table, [])
        return next((row for row in rows if where.items() <= row.items()), None)

    def add(self, table: str, **values: Any) -> None:
        """As of a store."""
        row = {name: plain(values[name]) for name in TABLES[table].split()}
        self.added.setdefault(table, []).append(row)


class Sources:
    """The RTL of modules, which is all in the store, in place of a finder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def source(self, *key: Any) -> Path:
        """The list of files of a module; its digest comes last."""
        return subjects.source(self.folder, key[-1])


def main(folder: Path, number: str) -> int:
    """Settle the groups of a task that have no answer yet."""
    task: Task = pickle.loads((folder / f"{number}.pickle").read_bytes())
    if not task.store.is_absolute():
        os.chdir(task.place)
    for part in task.parts:
        path = folder / f"{part.name}{ROWS}"
        if not path.is_file():
            answer = _settle(task, part)
            with outputs.atomic_write(path) as file:
                json.dump(answer, file)
    return 0


def _settle(task: Task, part: Part) -> Mapping[str, Any]:
    """The rows of a group, or an error that ends the run; raises INTERRUPTED when a process was
    killed, which is no answer."""
    rows = Rows(task.store, {"proof": [dict(part.proof)]} if part.proof else {})
    try:
        if version(task.settings.verilator) != task.version:
            host = os.uname().nodename
            message = f"{host} has another warplock or Verilator than the machine that asks"
            raise WlkError(
                Status.BAD_VERSION, f"{message}; share one checkout, install one version"
            )
        judge = Judge(rows, task.settings, Sources(task.store))
        judge.workers = int(os.environ.get("SLURM_CPUS_PER_TASK", "1"))
        judge.settle(part.group)
    except WlkError as error:
        if error.status == Status.INTERRUPTED:
            raise
        return {"error": [int(error.status), error.message]}
    return {"rows": rows.added}


if __name__ == "__main__":
    sys.exit(guard.guard(lambda: main(Path(sys.argv[1]), sys.argv[2])))

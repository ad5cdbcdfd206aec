# SPDX-License-Identifier: Apache-2.0
"""Settling on the machines of a Slurm cluster: the tasks of one job array settle a part each
(run/cluster.py). Checkout, build folder and store are the same folders on every machine.
"""

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..run import cluster
from . import shard
from .judge import Group, Judge
from .store import Store


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
    folder = cluster.new_folder(_place(store))
    array = cluster.Array(folder, shard.__name__, most, words)
    named = {f"{n}": group for n, group in enumerate(groups)}
    try:
        for group in groups:  # the machines have no checkouts
            for each in (group, group.before):
                if each is not None:
                    judge.source(each)
        _write(array, judge, store, named)
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
                time.sleep(cluster.POLL)
    finally:
        _end(store, folder)


def _end(store: Store, folder: Path) -> None:
    """End the tasks of a run, and take in what they have found."""
    for answer in cluster.end(folder):
        _take(store, answer)


def _place(store: Store) -> Path:
    return store.folder.absolute() / "slurm"


def _take(store: Store, answer: Any) -> None:
    """Write the rows of a task's answer."""
    for table, rows in answer.get("rows", {}).items():
        for row in rows:
            store.add(table, **row)


def _write(array: cluster.Array, judge: Judge, store: Store, named: dict[str, Group]) -> None:
    """Write down what each task is to do."""
    tasks = min(len(named), cluster.TASKS)
    parts: list[list[shard.Part]] = [[] for _ in range(tasks)]
    of = {}
    for n, (name, group) in enumerate(named.items()):
        before = group.before and _bare(group.before)
        proof = judge.proof(group.before, group) if before else None
        group = dataclasses.replace(_bare(group), before=before)
        parts[n % tasks].append(shard.Part(name, group, proof and dict(proof)))
        of[name] = n % tasks
    made = [
        shard.Task(Path.cwd(), store.folder, judge.settings, judge.version, groups)
        for groups in parts
    ]
    array.write(made, of)


def _bare(group: Group) -> Group:
    """As a task needs it."""
    return dataclasses.replace(group, before=None, result=None, waiting=[])

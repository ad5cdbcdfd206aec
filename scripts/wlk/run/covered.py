# SPDX-License-Identifier: Apache-2.0
"""What the commands that compare add to a coverage database (cover_store.py)."""

import dataclasses
import functools
import shlex
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..base import installed, keep, report
from ..base.errors import Status, WlkError
from ..tables import Config, Expr, Table
from . import cover_store
from .cover_store import Point, Run, Space
from .jobs import Job

PERIOD = 2.0  # seconds between two writes of one job


def points(table: Table, config: Config) -> tuple[Point, ...]:
    """The coverage points, with the floors that hold in a configuration."""
    found = []
    for each in table.covers:
        when = each.get("when")
        reachable = when is None or Expr(when, table.name)(config)
        found.append(Point(each["name"], each["floor"] if reachable else 0, each["doc"]))
    return tuple(found)


def space(table: Table, config: Config, shown: Mapping[str, Any], tied: Mapping[str, int]) -> Space:
    """What counts together. With inputs that are tied no floor is asked for."""
    found = points(table, config)
    found = tuple(Point(p.name, 0, p.doc) for p in found) if tied else found
    parts = [table.name, str(table.model_version), f"{table.schema_hash():016x}"]
    digest = keep.digest([*parts, *(f"{p.name} {p.rate}" for p in found)])
    return Space(table.name, report.config_text(shown), report.config_text(tied), digest, found)


def now() -> str:
    """The time, so fine that of two runs one is later."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def refuse(path: Path | None) -> None:
    """A database that cannot be added to. Before any work is done."""
    if path is not None:
        cover_store.refuse(path)


def file_digest(paths: Iterable[Path]) -> str:
    """A name for what is in files."""
    return keep.digest(path.read_bytes() for path in paths)


@dataclass
class Seeds:
    """The seeds of a job as they end: written some at a time, so that of a run that is killed what
    is complete is there. Where the parameters may still change they wait for the end."""

    job: Job
    waits: bool = False
    lost: WlkError | None = None  # why they could not be written; no verdict hangs on it
    _space: Space | None = None
    _runs: list[Run] = field(default_factory=list)
    _written: float = field(default_factory=time.monotonic)

    def words(self) -> dict[str, int]:
        """For the harness, so that it tells."""
        return {"cover": 1} if self.job.args.cover is not None else {}

    def take(self, words: list[str]) -> None:
        """A line of the harness: seed, cycles, verdict, hits."""
        hits = tuple(map(int, words[3].split(","))) if len(words) > 3 else ()
        ended = {"seed": int(words[0]), "cycles": int(words[1]), "verdict": words[2], "hits": hits}
        self._runs.append(dataclasses.replace(self._like, **ended, added=now()))
        if not self.waits and time.monotonic() - self._written > PERIOD:
            self.write()

    @functools.cached_property
    def _like(self) -> Run:
        """What all of them have in common."""
        args, stimulus, source = self.job.args, self.job.args.profile, self.job.args.as_options()
        if args.program is not None:
            stimulus = f"{cover_store.PROGRAM}{file_digest([args.program])}"
            source = [*source, "--program", str(args.program)]
        return Run(
            *("lockstep", stimulus, 0, args.cycles, args.power_up),
            module=self.job.rtl.top,
            rtl=file_digest(self.job.rtl.content),
            source=shlex.join(source),
            version=installed.version(),
        )

    def begin(self) -> None:
        """A run in the job's parameters begins; what came of other ones is forgotten."""
        job, self._runs = self.job, []
        if job.args.cover is not None:
            tied = job.matched.tied if job.matched is not None else {}
            self._space = space(job.table, job.config, job.shown, tied)

    def write(self) -> None:
        """Add what has come to the database."""
        runs, self._runs, self._written = self._runs, [], time.monotonic()
        if not runs or self.lost is not None:
            return
        try:
            cover_store.add(self.job.args.cover, {self._space: runs})
        except WlkError as error:
            self.lost = error


@dataclass
class Lost:
    """Adds what a checker answers of waveforms and vector files; no verdict hangs on that."""

    why: WlkError | None = None

    def add(
        self, path: Path, table: Table, config: Config, answer: Mapping[str, Any], run: Run
    ) -> None:
        """Add one of them, unless one could not be added."""
        hits = tuple(answer.get("coverage", {}).values())
        ended = {"cycles": answer["cycles"], "verdict": answer["verdict"], "hits": hits}
        run = dataclasses.replace(run, **ended, added=now(), version=installed.version())
        where = space(table, config, answer["config"], answer.get("tied", {}))
        try:
            if self.why is None:
                cover_store.add(path, {where: [run]})
        except WlkError as error:
            self.why = error

    def told(self) -> Status:
        """OK, or why something could not be added, which is said."""
        if self.why is None:
            return Status.OK
        print(f"no coverage: {self.why.message}", file=sys.stderr, flush=True)
        return self.why.status

# SPDX-License-Identifier: Apache-2.0
"""What a sweep has found: one SQLite database a sweep (docs/explore.md has its columns).

A row is written when its run has ended and never changed, so a sweep that is killed loses what it
was working at and nothing else, and goes on with what is missing.
"""

import contextlib
import hashlib
import json
import math
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base import database
from ..base.errors import Status, WlkError
from .sweep import Job, Sweep

VERSION = 1
MEASURED = {"DONE", "LIMIT"}  # statuses of runs whose IPC counts
COUNTERS = (
    *("prfReads", "prfConflicts", "laneConflicts", "noEntry", "lostReads", "forwards"),
    *("cacheLookups", "cacheHits", "wbStallsWAR", "wbStallsFwd"),
    *("accEntryOccupancy", "accRsOccupancy", "cyclesDispatched", "cyclesEligible"),
    *("stallsWAW", "stallsWAR", "stallsScoreboard", "stallsHold", "stallsRoom"),
)
_RUN = ("point", "workload", "seed", "status", "message", "cycles", "issued", "admitted", "ipc")
_COLUMNS = (*_RUN, *COUNTERS, "warps", "warning", "hang")
_SYNTH = "point block status message gates flops flop_area memory_bits memories seconds"
_SCHEMA = f"""
CREATE TABLE about (version INTEGER NOT NULL, digest TEXT, sweep TEXT, model TEXT, began TEXT);
CREATE TABLE point (title TEXT PRIMARY KEY, config TEXT, area REAL, flops INTEGER,
    crosspoints INTEGER);
CREATE TABLE run (point TEXT, workload TEXT, seed INTEGER, status TEXT, message TEXT,
    cycles INTEGER, issued INTEGER, admitted INTEGER, ipc REAL,
    {", ".join(f"{name} INTEGER" for name in COUNTERS)},
    warps TEXT, warning TEXT, hang TEXT, PRIMARY KEY (point, workload, seed)) WITHOUT ROWID;
CREATE TABLE synth (point TEXT, block TEXT, status TEXT, message TEXT, gates INTEGER,
    flops INTEGER, flop_area REAL, memory_bits INTEGER, memories TEXT, seconds REAL,
    PRIMARY KEY (point, block));
"""
_KIND = database.Kind(
    VERSION,
    _SCHEMA,
    "is no database of explore; move it away, or choose another file with --db",
    "choose another file with --db",
)
_JSON = {"warps": list, "warning": list, "hang": dict, "memories": list}
Row = Mapping[str, Any]
Key = tuple[str, str, int]


class Store:
    """The database of a sweep."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._base: sqlite3.Connection
        self._titles: Mapping[str, set[str]] = {}

    @contextlib.contextmanager
    def opened(self, sweep: Sweep, model: str, areas: Iterable[Sequence[Any]]) -> Iterator["Store"]:
        """For one sweep at a time; `areas`: rows of the table `point`. USAGE when another process
        has it or when it is of another sweep, BAD_VERSION when another model has filled it."""
        message = f"{self.path}: another explore works there; wait for it, or choose another file"
        try:
            alone = contextlib.ExitStack()
            alone.enter_context(database.alone(self.path, f"{message} with --db"))
        except OSError as error:
            message = f"cannot write {self.path}: {error.strerror}; choose another file with --db"
            raise WlkError(Status.NO_FILE, message) from error
        with alone:
            self._base = database.connect(self.path, _KIND)
            try:
                self._titles = {
                    "point": {point.title for point in sweep.points},
                    "workload": {each.title for each in sweep.workloads},
                }
                self._begin(sweep, model, areas)
                yield self
            finally:
                self._base.close()

    def _begin(self, sweep: Sweep, model: str, areas: Iterable[Sequence[Any]]) -> None:
        """Note what it is of, or compare with what stands there."""
        with database.reading(self.path, _KIND):
            row = next(database.typed(self._base, "about", null=True), None)
        if row is None:
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            about = (VERSION, sweep.digest, sweep.text, model, now)
            with self._writing():
                self._base.execute("INSERT INTO about VALUES (?, ?, ?, ?, ?)", about)
                self._base.executemany("INSERT INTO point VALUES (?, ?, ?, ?, ?)", areas)
            return
        if row["digest"] != sweep.digest:
            if hashlib.sha256((row["sweep"] or "").encode()).hexdigest() != row["digest"]:
                what = f"{_KIND.known} (the sweep that it is of is not whole)"
                raise WlkError(Status.CORRUPT, f"{self.path}: {what}")
            what = difference(json.loads(row["sweep"]), json.loads(sweep.text))
            message = f"{self.path}: is of another sweep, begun {row['began']}: {what}"
            raise WlkError(Status.USAGE, f"{message}; choose another file with --db")
        if row["model"] != model:
            message = f"{self.path}: was begun {row['began']} with another model"
            raise WlkError(
                Status.BAD_VERSION, f"{message}; choose another file with --db, or move it away"
            )

    def _writing(self) -> contextlib.AbstractContextManager[None]:
        return database.writing(self._base, self.path, _KIND)

    def done(self) -> set[Key]:
        """The runs that have ended; one whose runner died is tried again."""
        query = "SELECT point, workload, seed FROM run WHERE status != 'ERROR'"
        with database.reading(self.path, _KIND):
            return {tuple(row) for row in self._base.execute(query)}

    def add(self, answers: Iterable[tuple[Job, Row]]) -> None:
        """Write the answers of runs."""
        marks = ", ".join("?" for _ in _COLUMNS)
        query = f"INSERT OR REPLACE INTO run ({', '.join(_COLUMNS)}) VALUES ({marks})"
        with self._writing():
            self._base.executemany(query, [values(job, answer) for job, answer in answers])

    def add_synth(self, row: Row) -> None:
        """Write what a synthesis gave."""
        names = _SYNTH.split()
        query = f"INSERT OR REPLACE INTO synth VALUES ({', '.join('?' for _ in names)})"
        with self._writing():
            self._base.execute(query, [row.get(name) for name in names])

    def rows(self, table: str = "run") -> list[dict[str, Any]]:
        """All rows of a table, by its key."""
        order = {"run": "point, workload, seed", "synth": "point, block"}.get(table, "rowid")
        with database.reading(self.path, _KIND):
            found = map(dict, database.typed(self._base, table, order, null=True))
            return [self._sound(row) for row in found]

    def _sound(self, row: dict[str, Any]) -> dict[str, Any]:
        """A row; DatabaseError for one of no run of the sweep, and for what is no JSON."""
        for key, known in self._titles.items():
            if key in row and row[key] not in known:
                raise sqlite3.DatabaseError(f"{key} {row[key]!r:.40} is not in its sweep")
        if "status" in row and row["status"] is None:
            raise sqlite3.DatabaseError("a run has no status")
        for key, kind in _JSON.items():
            if row.get(key) and not isinstance(_decoded(row[key]), kind):
                raise sqlite3.DatabaseError(f"{key} is {row[key]!r:.40}")
        if "ipc" in row:
            _require_measured(row)
        return row


def _require_measured(row: Row) -> None:
    """DatabaseError for a run without what its status says that it has."""
    if row["status"] in MEASURED:
        for key in ("cycles", "issued", "ipc"):
            if row[key] is None or not 0 <= row[key] < math.inf:
                raise sqlite3.DatabaseError(f"{key} of a {row['status']} run is {row[key]!r}")
    elif row["message"] is None:
        raise sqlite3.DatabaseError(f"a {row['status']:.40} run has no message")


def _decoded(text: str) -> Any:
    """What is written as JSON; None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def values(job: Job, answer: Row) -> list[Any]:
    """A row of the table `run`, from what the runner has answered."""
    counters = answer.get("counters") or {}
    found = [*job.key, answer["status"], answer.get("message", "")]
    found += [answer.get(name) for name in ("cycles", "issued", "admitted", "ipc")]
    found += [counters.get(name) for name in COUNTERS]
    shown = (answer.get("warps"), job.point.warnings, answer.get("hang"))
    return found + [json.dumps(each) if each else None for each in shown]


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """The first thing in which two sweeps differ."""
    for key in new:
        if old.get(key) == new[key]:
            continue
        was, now = old.get(key), new[key]
        if key in ("points", "workloads"):
            was, now = (", ".join(each[0] for each in rows) for rows in (was, now))
        if was == now:
            return f"its {key} have other values"
        return f"its {key} are {_short(was)}, not {_short(now)}"
    return "it differs"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."

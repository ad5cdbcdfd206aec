# SPDX-License-Identifier: Apache-2.0
"""What runs have covered: an SQLite database (`--cover FILE`; docs/coverage.md has its tables).

A row of `run` is a seed, a waveform or a vector file with what it was, and rows of `hit` are its
coverage points. The same run again replaces its row. Points belong to a `space`: a block in a
configuration, with the points that it had; with other points it is another space, so that no sum
mixes them.
"""

import contextlib
import functools
import shlex
import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..base import database, outputs
from ..base.entries import legal
from ..base.errors import Status, WlkError

VERSION = 1
PROGRAM = "program "  # before the digest of one, in place of a profile
WAIT = 60_000  # milliseconds for another command that is writing
_SPACE = ("block", "config", "tied", "digest")
_POINT = ("name", "rate", "doc")
_KEY = ("kind", "stimulus", "seed", "asked", "power_up")
_RUN = (*_KEY, "verdict", "cycles", "module", "rtl", "source", "version", "added")
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS about (version INTEGER NOT NULL);
INSERT INTO about SELECT {VERSION} WHERE NOT EXISTS (SELECT 1 FROM about);
CREATE TABLE IF NOT EXISTS space (id INTEGER PRIMARY KEY, block TEXT, config TEXT, tied TEXT,
    digest TEXT, UNIQUE (block, config, tied, digest));
CREATE TABLE IF NOT EXISTS point (space INTEGER, number INTEGER, name TEXT, rate INTEGER, doc TEXT,
    PRIMARY KEY (space, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS run (id INTEGER PRIMARY KEY, space INTEGER, kind TEXT, stimulus TEXT,
    seed INTEGER, asked INTEGER, power_up TEXT, verdict TEXT, cycles INTEGER, module TEXT, rtl TEXT,
    source TEXT, version TEXT, added TEXT, UNIQUE (space, {", ".join(_KEY)}));
CREATE TABLE IF NOT EXISTS hit (run INTEGER, point INTEGER, hits INTEGER,
    PRIMARY KEY (run, point)) WITHOUT ROWID;
"""
KIND = database.Kind(
    VERSION,
    _SCHEMA,
    "is no coverage database; move it away, or choose another file with --cover",
    "choose another file with --cover, and run again what it holds",
)


@dataclass(frozen=True, order=True)
class Point:
    """A coverage point in a configuration."""

    name: str
    rate: int  # its floor: hits in a million cycles of the mix of all profiles; 0: none is asked
    doc: str


@dataclass(frozen=True, order=True)
class Space:
    """The points of a block in a configuration."""

    block: str
    config: str  # key=value of each parameter, as one gives it
    tied: str  # inputs that the RTL lacks
    digest: str  # of the points, their floors and the version of the model
    points: tuple[Point, ...] = field(compare=False)

    @property
    def place(self) -> tuple[str, str, str]:
        """All but which version of the points it is."""
        return self.block, self.config, self.tied


@dataclass(frozen=True, order=True)
class Run:
    """What was run, and what it covered."""

    kind: str  # lockstep, check, play
    stimulus: str  # the profile; digest of a program, waveform or vector file
    seed: int
    asked: int  # cycles that were asked for; 0: as many as there are
    power_up: str
    verdict: str = ""
    cycles: int = 0
    module: str = ""  # or scope
    rtl: str = ""  # digest of its source
    source: str = ""  # words of the command: where RTL, program or file are
    version: str = ""  # of the tool
    added: str = ""  # UTC
    hits: tuple[int, ...] = ()  # of the points in their order

    @property
    def key(self) -> tuple[Any, ...]:
        """The same for the same run."""
        return tuple(getattr(self, name) for name in _KEY)

    @property
    def program(self) -> bool:
        """Did it run a program?"""
        return self.stimulus.startswith(PROGRAM)

    @property
    def counts(self) -> bool:
        """Does its coverage count? That of a run that fails is no evidence."""
        return self.verdict == "PASS"


Runs = Mapping[Space, Sequence[Run]]
_lock = threading.Lock()  # SQLite keeps processes apart; threads of one take turns


def refuse(path: Path) -> None:
    """What cannot be added to. Before any work is done."""
    outputs.refuse(path, force=True)
    if path.exists() and not path.is_file():
        message = f"--cover {path}: is no regular file; name a file for the database"
        raise WlkError(Status.NO_FILE, message)
    if path.is_file() and path.stat().st_size:
        check(path)


def check(path: Path) -> None:
    """NO_FILE, CORRUPT or BAD_VERSION when it is no database that can be read."""
    database.connect(path, KIND, write=False).close()


def add(path: Path, found: Runs) -> None:
    """Add runs, all or none; a run that is there is replaced."""
    with _lock, contextlib.closing(database.connect(path, KIND)) as base:
        base.execute(f"PRAGMA busy_timeout = {WAIT}")
        with database.writing(base, path, KIND, "nothing counts twice"):
            for space, runs in found.items():
                number = _space(base, space)
                for run in runs:
                    _add(base, number, _legal(run))


def _space(base: sqlite3.Connection, space: Space) -> int:
    """Its number; it is added if need be."""
    values = [getattr(space, name) for name in _SPACE]
    where = " AND ".join(f"{name} = ?" for name in _SPACE)
    row = base.execute(f"SELECT id FROM space WHERE {where}", values).fetchone()
    if row is not None:
        return row["id"]
    names = ", ".join(_SPACE)
    number = base.execute(f"INSERT INTO space ({names}) VALUES (?, ?, ?, ?)", values).lastrowid
    rows = [(number, n, p.name, p.rate, p.doc) for n, p in enumerate(space.points)]
    base.executemany("INSERT INTO point VALUES (?, ?, ?, ?, ?)", rows)
    return number


def _legal(run: Run) -> Run:
    """Without what a database cannot hold: of names that are no UTF-8."""
    texts = {name: value for name, value in vars(run).items() if isinstance(value, str)}
    return replace(run, **{name: legal(text) for name, text in texts.items()})


def _add(base: sqlite3.Connection, space: int, run: Run) -> None:
    where = " AND ".join(f"{name} = ?" for name in ("space", *_KEY))
    old = base.execute(f"SELECT id FROM run WHERE {where}", (space, *run.key)).fetchone()
    if old is not None:
        base.execute("DELETE FROM hit WHERE run = ?", (old["id"],))
        base.execute("DELETE FROM run WHERE id = ?", (old["id"],))
    values = [getattr(run, name) for name in _RUN]
    marks = ", ".join("?" for _ in (space, *values))
    query = f"INSERT INTO run (space, {', '.join(_RUN)}) VALUES ({marks})"
    number = base.execute(query, (space, *values)).lastrowid
    rows = [(number, point, hits) for point, hits in enumerate(run.hits) if hits]
    base.executemany("INSERT INTO hit VALUES (?, ?, ?)", rows)


def read(path: Path) -> dict[Space, list[Run]]:
    """All that is in a database, in an order of its own; NO_FILE, CORRUPT, BAD_VERSION."""
    base = database.connect(path, KIND, write=False)
    with contextlib.closing(base), database.reading(path, KIND):
        base.execute(f"PRAGMA busy_timeout = {WAIT}")
        base.execute("BEGIN")  # all of one moment
        return dict(_read(base))


def _read(base: sqlite3.Connection) -> Iterable[tuple[Space, list[Run]]]:
    points: dict[int, list[Point]] = {}
    for row in database.typed(base, "point", "space, number"):
        points.setdefault(row["space"], []).append(Point(*(row[name] for name in _POINT)))
    hits: dict[int, dict[int, int]] = {}
    for row in database.typed(base, "hit", "run, point"):
        hits.setdefault(row["run"], {})[row["point"]] = row["hits"]
    runs: dict[int, list[Run]] = {}
    for row in database.typed(base, "run"):
        size, own = len(points.get(row["space"], ())), hits.get(row["id"], {})
        counts = tuple(own.get(point, 0) for point in range(size))
        values = {name: row[name] for name in _RUN}
        run = Run(**values, hits=counts)
        if run.kind == "lockstep" and not _has_words(run.source, run.program):
            raise sqlite3.DatabaseError(f"the words of a run are {run.source!r:.40}")
        runs.setdefault(row["space"], []).append(run)
    spaces = {}
    for row in database.typed(base, "space"):
        values = [row[name] for name in _SPACE]
        if not all("=" in word for word in f"{row['config']} {row['tied']}".split()):
            raise sqlite3.DatabaseError(f"a configuration is {row['config']!r:.40}")
        spaces[Space(*values, tuple(points.get(row["id"], ())))] = row["id"]
    for space in sorted(spaces):
        yield space, sorted(runs.get(spaces[space], ()))


@functools.lru_cache  # most runs have the same, and to split them takes long
def _has_words(source: str, program: bool) -> bool:
    """Are they those of a command, the program's name last?"""
    try:
        return bool(shlex.split(source)) or not program
    except ValueError:
        return False


def merged(parts: Iterable[Runs]) -> dict[Space, list[Run]]:
    """Several databases as one: of the same run the one that was added last, whichever part has
    it."""
    found: dict[Space, dict[tuple[Any, ...], Run]] = {}
    for space, runs in ((space, runs) for part in parts for space, runs in part.items()):
        known = found.setdefault(space, {})
        for run in runs:
            if run.key not in known or (known[run.key].added, known[run.key]) < (run.added, run):
                known[run.key] = run
    return {space: sorted(found[space].values()) for space in sorted(found)}


def write(path: Path, found: Runs) -> None:
    """A database of its own with these runs: there whole, or not at all."""
    with outputs.temporary(path) as partial:
        try:
            add(partial, found)
        except WlkError as error:
            message = error.message.replace(str(partial), str(path))
            raise WlkError(error.status, message) from error
        outputs.publish(partial, path, replace=True)

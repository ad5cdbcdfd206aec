# SPDX-License-Identifier: Apache-2.0
"""What is known of commits: one SQLite database, to which is only added.

    subject   what a block is at a commit: its module by content, or why there is none
    proof     two modules by content: equal or not, and how long it took
    result    a module by content, run in a configuration: verdict, the run's whole answer
    verdict   of a commit, block and configuration: the answer of `regress`

A row is written when it is known and never changed, so a run that is killed loses what it was
working at and nothing else. `asked` is a digest of all that a row rests on (settings, versions of
model and simulator); with other settings there are other rows. The RTL of each module that was
judged lies beside the database, below `sources`, by content.
"""

import contextlib
import json
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..base import database, outputs, shape
from ..base.errors import Status

STEPS = ("same", "proved", "simulated", "none")  # by which a verdict is settled
VERSION = 1
NAME = "regress.sqlite"
_SCHEMA = f"""
CREATE TABLE about (version INTEGER NOT NULL); INSERT INTO about VALUES ({VERSION});
CREATE TABLE run (began TEXT, command TEXT, range TEXT, settings TEXT);
CREATE TABLE subject (asked TEXT, tree TEXT, block TEXT, status TEXT, message TEXT, module TEXT,
    key TEXT, unproved TEXT, seconds REAL, PRIMARY KEY (asked, tree, block));
CREATE TABLE proof (asked TEXT, old TEXT, new TEXT, verdict TEXT, seconds REAL, answer TEXT,
    PRIMARY KEY (asked, old, new));
CREATE TABLE result (asked TEXT, key TEXT, block TEXT, config TEXT, commit_id TEXT, verdict TEXT,
    seconds REAL, answer TEXT, PRIMARY KEY (asked, key, block, config));
CREATE TABLE verdict (asked TEXT, commit_id TEXT, block TEXT, config TEXT, verdict TEXT,
    settled_by TEXT, seconds REAL, row TEXT, PRIMARY KEY (asked, commit_id, block, config));
"""
TABLES = {
    "subject": "asked tree block status message module key unproved seconds",
    "proof": "asked old new verdict seconds answer",
    "result": "asked key block config commit_id verdict seconds answer",
    "verdict": "asked commit_id block config verdict settled_by seconds row",
    "run": "began command range settings",
}
_KIND = database.Kind(
    VERSION,
    _SCHEMA,
    "is no database of regress; move it away, or choose another folder with --store",
    "choose another folder with --store",
)
_NUMBER = (int, float)
_FIRST = (
    {"cycle": int, "port": str, "expected": object, "got": object, "rule?": str},
    {"cycle": int, "rule": str, "port?": str},
    {"cycle": int, "port": str, "rule?": str, "got?": set()},
)
# Of what a run has answered; below what stands in all answers, and there only with the others.
_ANSWER = {
    "verdict": {"PASS", *Status.__members__},
    "settled_by": set(STEPS),
    "first?": _FIRST,
    "seed?": int,
    "cycles?": int,
    **{f"{key}?": str for key in ("message", "repro", "report", "module", "same_as")},
    **{f"{key}?": str for key in ("proved_equal_to", "profile")},
    "shrunk?": {"file": str, "cycles": int},
    "at_fault?": dict,
    "coverage?": int,
    "floors?": int,
    "points?": {"*": [int]},
    "outputs?": int,
    "not_compared?": [str],
    "binds_left_out?": [str],
}
_TOGETHER = ("coverage", "floors", "points")
_VERDICT = _ANSWER | {"commit": str, "block": str, "config": str, "seconds": _NUMBER}
_JSON = {"proof": ("answer", {}), "result": ("answer", _ANSWER), "verdict": ("row", _VERDICT)}
_NAMED = {"commit": "commit_id", "block": "block", "config": "config", "verdict": "verdict"}
Row = Mapping[str, Any]


class Store:
    """The database below a folder; several threads may ask it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / NAME
        self._lock = threading.Lock()
        self._base: sqlite3.Connection | None = None

    @contextlib.contextmanager
    def opened(self) -> Iterator["Store"]:
        """For one regression at a time; USAGE when another has it, BAD_VERSION when it was made by
        another version, CORRUPT when it is no database."""
        outputs.make_folder(self.folder)
        message = f"--store {self.folder}: another regress or bisect works there"
        message += "; wait for it, or choose another folder"
        with database.alone(self.folder / "lock", message):
            self._base = database.connect(self.path, _KIND)
            try:
                yield self
            finally:
                self._base.close()
                self._base = None

    def get(self, table: str, **where: str) -> Row | None:
        """The row with these values; None when there is none. CORRUPT for one that cannot be one
        of ours."""
        marks = " AND ".join(f"{name} = ?" for name in where)
        with self._lock, database.reading(self.path, _KIND):
            query = f"SELECT * FROM {table} WHERE {marks}"
            row = self._base.execute(query, [*where.values()]).fetchone()
            return _sound(database.typed_row(self._base, table, row), table) if row else None

    def add(self, table: str, **values: Any) -> None:
        """Write a row, unless it is there. NO_SPACE when it cannot be."""
        names = TABLES[table].split()
        marks = ", ".join("?" for _ in names)
        query = f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) VALUES ({marks})"
        shown = [plain(values[name]) for name in names]
        with self._lock, database.reading(self.path, _KIND):
            self._base.execute(query, shown)

    def failing(self) -> set[str]:
        """The modules, by content, that do not pass somewhere."""
        with self._lock, database.reading(self.path, _KIND):
            rows = self._base.execute("SELECT DISTINCT key FROM result WHERE verdict != 'PASS'")
            return {row["key"] for row in rows}

    def begin(self, command: str, span: str, settings: Mapping[str, Any]) -> None:
        """Note that a run has begun."""
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.add("run", began=now, command=command, range=span, settings=settings)


def _sound(row: sqlite3.Row, table: str) -> sqlite3.Row:
    """A row; DatabaseError when its JSON says something else than what was written there."""
    if table not in _JSON:
        return row
    column, wanted = _JSON[table]
    name = f"{table}.{column}"
    try:
        found = shape.decoded(row[column], wanted, name)
    except ValueError as error:
        raise sqlite3.DatabaseError(str(error)) from error
    lacking = [key for key in _TOGETHER if key not in found]
    if wanted and 0 < len(lacking) < len(_TOGETHER):
        raise sqlite3.DatabaseError(f"{name} has no {lacking[0]}")
    if wanted and any(len(point) != 2 for point in found.get("points", {}).values()):
        raise sqlite3.DatabaseError(f"{name}.points: hits and a floor are wanted of each")
    for key, other in _NAMED.items() if table == "verdict" else ():
        if found[key] != row[other]:
            raise sqlite3.DatabaseError(f"{name}.{key} is {found[key]!r:.40}")
    return row


def plain(value: Any) -> Any:
    """A value as a row has it: what is structured, as JSON."""
    return json.dumps(value) if isinstance(value, (dict, list)) else value

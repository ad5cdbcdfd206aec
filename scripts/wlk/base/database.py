# SPDX-License-Identifier: Apache-2.0
"""SQLite databases of a command: opened by one process at a time, of one version, errors in one
line."""

import contextlib
import fcntl
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .errors import Status, WlkError

GOES_ON = "it goes on where it stopped"
UNREAD = (266, 8458)  # SQLITE_IOERR_READ, and _CORRUPTFS for EIO, which is newer than some sqlite3
TYPES = {"TEXT": str, "INTEGER": int, "REAL": (int, float)}
Rows = Iterator[sqlite3.Row]


@dataclass(frozen=True)
class Kind:
    """What the databases of a command have in common. The table `about` has a column `version`."""

    version: int
    schema: str  # SQL that makes the tables
    known: str  # "is no database of NAME; REMEDY", for a file that is another one's
    elsewhere: str  # how to choose another place


@contextlib.contextmanager
def alone(path: Path, message: str) -> Iterator[None]:
    """Hold a file, which is made if need be; USAGE with the message when another process does."""
    with path.open("a+b") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise WlkError(Status.USAGE, message) from None
        yield


def connect(path: Path, kind: Kind, *, write: bool = True) -> sqlite3.Connection:
    """The database, its tables made if it is empty; BAD_VERSION when it was made by another
    version, CORRUPT when it is none of this kind, NO_SPACE when the disk is full. Without `write`
    it must be there, and is changed by nothing but what a writer that was killed has left; one that
    a writer has only just made has nothing in it."""
    if not write and not path.is_file():
        why = "is a folder" if path.is_dir() else "no such file"
        raise WlkError(Status.NO_FILE, f"{path}: {why}; check the name")
    place = f"{path.absolute().as_uri()}?mode={'rwc' if write else 'rw'}"
    with reading(path, kind), contextlib.ExitStack() as stack:
        base = sqlite3.connect(place, uri=True, check_same_thread=False, isolation_level=None)
        stack.callback(base.close)
        if not write and not base.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            base = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
            stack.callback(base.close)
            base.executescript(kind.schema)
        base.row_factory = sqlite3.Row
        base.text_factory = _text  # else bytes that are no UTF-8 are errors of several kinds
        version = _version(base, path, kind, write)
        if version != kind.version:
            message = f"{path}: version {version} of the database (about.version)"
            message += f", this is version {kind.version}; {kind.elsewhere}"
            raise WlkError(Status.BAD_VERSION, message)
        stack.pop_all()
        return base


@contextlib.contextmanager
def reading(path: Path, kind: Kind, again: str = GOES_ON) -> Iterator[None]:
    """What the system refuses, and CORRUPT for what is damaged: SQLite says so in many ways, also
    that memory is short and that a name is no UTF-8. `again`: as in `_failure`."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise _failure(path, kind, error, again) from error
    except (sqlite3.DatabaseError, MemoryError, UnicodeDecodeError) as error:
        why = error or type(error).__name__
        raise WlkError(Status.CORRUPT, f"{path}: {kind.known} ({why})") from error


@contextlib.contextmanager
def writing(
    base: sqlite3.Connection, path: Path, kind: Kind, again: str = GOES_ON
) -> Iterator[None]:
    """One transaction, all or nothing; errors as of `reading`."""
    with reading(path, kind, again):
        base.execute("BEGIN IMMEDIATE")
        try:
            yield
            base.execute("COMMIT")
        except sqlite3.Error:
            with contextlib.suppress(sqlite3.Error):
                base.execute("ROLLBACK")
            raise


def _version(base: sqlite3.Connection, path: Path, kind: Kind, write: bool) -> int:
    base.execute("PRAGMA synchronous = FULL")
    tables = {row["name"] for row in base.execute("SELECT name FROM sqlite_master")}
    if not tables and write:
        base.executescript(f"BEGIN;{kind.schema}COMMIT;")
        return kind.version
    if "about" not in tables or "version" not in _columns(base, "about"):
        raise WlkError(Status.CORRUPT, f"{path}: {kind.known}")
    row = base.execute("SELECT version FROM about").fetchone()
    version = row["version"] if row else kind.version
    if not isinstance(version, int):
        raise sqlite3.DatabaseError(f"about.version is {version!r:.40}")
    if version == kind.version:
        _require_columns(base, path, kind)
    return version


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")


def _columns(base: sqlite3.Connection, table: str) -> dict[str, str]:
    """Of a table each column and its type."""
    return {row[1]: row[2] for row in base.execute(f"PRAGMA table_info({table})")}


def _require_columns(base: sqlite3.Connection, path: Path, kind: Kind) -> None:
    """CORRUPT for a database that lacks a table or a column of its kind."""
    with contextlib.closing(sqlite3.connect(":memory:")) as whole:
        whole.executescript(kind.schema)
        query = "SELECT name FROM sqlite_master WHERE sql NOTNULL"
        for table in [row[0] for row in whole.execute(query)]:
            found = _columns(base, table)
            for column, kept in _columns(whole, table).items():
                if found.get(column) != kept:
                    what = f"{kind.known} (it has no {table}.{column} of type {kept})"
                    raise WlkError(Status.CORRUPT, f"{path}: {what}")


def typed(
    base: sqlite3.Connection, table: str, order: str = "rowid", *, null: bool = False
) -> Rows:
    """The rows of a table; DatabaseError for a value that is of another type than its column.
    `null`: nothing may stand in place of any."""
    columns = _columns(base, table)
    for row in base.execute(f"SELECT * FROM {table} ORDER BY {order}"):
        yield _typed(row, table, columns, null)


def typed_row(base: sqlite3.Connection, table: str, row: sqlite3.Row) -> sqlite3.Row:
    """One row of a table, in which nothing may stand in place of any value; DatabaseError as of
    `typed`."""
    return _typed(row, table, _columns(base, table), True)


def _typed(row: sqlite3.Row, table: str, columns: dict[str, str], null: bool) -> sqlite3.Row:
    for name, kind in columns.items():
        if not isinstance(row[name], TYPES[kind]) and not (null and row[name] is None):
            raise sqlite3.DatabaseError(f"{table}.{name} is {row[name]!r:.40}")
    return row


def _failure(path: Path, kind: Kind, error: sqlite3.OperationalError, again: str) -> WlkError:
    """What the system refuses: USAGE when another program has the database, NO_SPACE when the disk
    is full, CORRUPT for what SQLite cannot do with what is there, else NO_FILE, as when the disk
    cannot be read. `again`: what comes of the command when it is repeated."""
    why = str(error)
    if "locked" in why:
        message = f"{path}: another program has the database ({why})"
        return WlkError(Status.USAGE, f"{message}; wait for it, or close it")
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if code == sqlite3.SQLITE_ERROR:
        return WlkError(Status.CORRUPT, f"{path}: {kind.known} ({why})")
    if code in UNREAD:
        return WlkError(Status.NO_FILE, f"{path}: cannot read: {why}; check the file and its disk")
    if code == sqlite3.SQLITE_CANTOPEN:
        return WlkError(Status.NO_FILE, f"{path}: {why}; check who may use it, or {kind.elsewhere}")
    if not any(word in why for word in ("disk", "full")):
        return WlkError(Status.NO_FILE, f"cannot write {path}: {why}; {kind.elsewhere}")
    message = f"cannot write {path}: {why}; free some space, then repeat the command: {again}"
    return WlkError(Status.NO_SPACE, message)

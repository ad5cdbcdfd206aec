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
    it must be there, and is changed by nothing but what a writer that was killed has left."""
    base = None
    if not write and not path.is_file():
        raise WlkError(Status.NO_FILE, f"{path}: no such file")
    try:
        place = f"{path.absolute().as_uri()}?mode={'rwc' if write else 'rw'}"
        base = sqlite3.connect(place, uri=True, check_same_thread=False, isolation_level=None)
        base.row_factory = sqlite3.Row
        version = _version(base, path, kind, write)
        if version != kind.version:
            message = f"{path}: version {version} of the database, this is version {kind.version}"
            raise WlkError(Status.BAD_VERSION, f"{message}; {kind.elsewhere}")
    except sqlite3.DatabaseError as error:
        if base is not None:
            base.close()
        if isinstance(error, sqlite3.OperationalError):
            raise failure(path, error) from error
        raise WlkError(Status.CORRUPT, f"{path}: {kind.known} ({error})") from error
    except WlkError:
        base.close()
        raise
    return base


def _version(base: sqlite3.Connection, path: Path, kind: Kind, write: bool) -> int:
    base.execute("PRAGMA synchronous = FULL")
    tables = {row["name"] for row in base.execute("SELECT name FROM sqlite_master")}
    if not tables and write:
        base.executescript(f"BEGIN;{kind.schema}COMMIT;")
        return kind.version
    if "about" not in tables:
        raise WlkError(Status.CORRUPT, f"{path}: {kind.known}")
    row = base.execute("SELECT version FROM about").fetchone()
    return row["version"] if row else kind.version


def failure(path: Path, error: sqlite3.OperationalError, again: str = GOES_ON) -> WlkError:
    """What the system refuses: USAGE when another program has the database, NO_SPACE when the disk
    is full, else NO_FILE. `again`: what comes of the command when it is repeated."""
    why = str(error)
    if "locked" in why:
        message = f"{path}: another program has the database ({why})"
        return WlkError(Status.USAGE, f"{message}; wait for it, or close it")
    if not any(word in why for word in ("disk", "full")):
        return WlkError(Status.NO_FILE, f"cannot write {path}: {why}; choose another place")
    message = f"cannot write {path}: {why}; free some space, then repeat the command: {again}"
    return WlkError(Status.NO_SPACE, message)

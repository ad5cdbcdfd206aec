# SPDX-License-Identifier: Apache-2.0
"""Files that appear whole: the temporary name, the rename and the error line of every writer.

The C programs do the same with vectors/src/output.c.
"""

import contextlib
import errno
import fcntl
import os
import secrets
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, TextIO

from .errors import ROOT, Status, WlkError

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
NO_LINKS = {errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EMLINK}
LONGEST_NAME = 200  # bytes of a name in that of its temporary file
SPACE = "free some space or choose another place"


def refuse(path: Path, force: bool) -> None:
    """What a file that a user names cannot be written for: no folder, or it would be replaced
    without --force. Before any work is done."""
    if not path.parent.is_dir():
        raise WlkError(Status.NO_FILE, f"cannot write {path}: {path.parent} is no folder")
    if not force and (path.is_file() or path.is_symlink()):
        raise _exists(path)


def _exists(path: Path) -> WlkError:
    message = f"{path}: exists already; choose another name, or replace it with --force"
    return WlkError(Status.USAGE, message)


def failure(error: OSError, path: Path | str, remedy: str = "") -> WlkError:
    """What an output path answers when the system refuses it: NO_SPACE, or NO_FILE."""
    status = Status.NO_SPACE if error.errno in FULL else Status.NO_FILE
    remedy = remedy or (SPACE if status == Status.NO_SPACE else "choose another place")
    return WlkError(status, f"cannot write {path}: {error.strerror or error}; {remedy}")


def make_folder(path: Path, remedy: str = "") -> None:
    """The folder and those around it, if they are not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise failure(error, path, remedy) from error


@contextlib.contextmanager
def temporary(path: Path) -> Iterator[Path]:
    """A name beside `path` that nobody else uses; whatever is left of it is removed."""
    name = os.fsdecode(os.fsencode(path.name)[:LONGEST_NAME])
    partial = path.with_name(f"{name}.{os.getpid()}-{secrets.token_hex(8)}.partial")
    try:
        yield partial
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def publish(partial: Path, path: Path, *, replace: bool) -> None:
    """Give a whole file its name; USAGE when the name is taken and must not be replaced."""
    try:
        if not replace:
            try:
                os.link(partial, path)
                return
            except OSError as error:
                if error.errno not in NO_LINKS:
                    raise
            path.open("x").close()  # a file system without links: whoever makes the name has it
        partial.replace(path)
    except FileExistsError:
        raise _exists(path) from None
    except OSError as error:
        raise failure(error, path) from error


@contextlib.contextmanager
def atomic_write(
    path: Path | str, mode: str = "w", *, replace: bool = True, remedy: str = ""
) -> Iterator[IO[Any]]:
    """Write a file that is there whole or not at all: a name of its own, fsync, rename.

    The partial file is removed when the block raises. What is no regular file (/dev/stdout, a
    pipe) is written as it is. Fails with NO_FILE when the place cannot be opened, NO_SPACE when
    writing fails, USAGE when the name is taken and `replace` is not set.
    """
    path = Path(path)
    text = {} if "b" in mode else {"encoding": "utf-8"}
    if path.exists() and not path.is_file():
        with _written(path, path, mode, text, remedy) as file:
            yield file
        return
    if not replace and (path.is_file() or path.is_symlink()):
        raise _exists(path)
    with temporary(path) as partial:
        with _written(partial, path, mode.replace("w", "x"), text, remedy) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        publish(partial, path, replace=replace)


@contextlib.contextmanager
def _written(
    place: Path, path: Path, mode: str, text: Mapping[str, str], remedy: str
) -> Iterator[IO[Any]]:
    """The open file; what the system refuses is one line about `path`."""
    try:
        file = place.open(mode, **text)
    except OSError as error:
        raise failure(error, path, remedy) from error
    try:
        with file:
            yield file
    except BrokenPipeError:
        raise
    except OSError as error:
        message = f"cannot write {path}: {error.strerror}; {remedy or SPACE}"
        raise WlkError(Status.NO_SPACE, message) from error


class Stream:
    """stdout or stderr that outlives a full disk: what does not fit is dropped, and `error` set."""

    def __init__(self, stream: TextIO | None) -> None:
        # None: the process was started without one.
        self._stream = stream or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        self.error: OSError | None = None

    def write(self, text: str) -> int:
        """Write, or drop it when the disk was full once."""
        self._try(lambda: self._stream.write(text))
        return len(text)

    def flush(self) -> None:
        """Send what is buffered."""
        self._try(self._stream.flush)

    def _try(self, do: Callable[[], object]) -> None:
        if self.error is not None:
            return
        try:
            do()
        except BrokenPipeError:
            raise
        except OSError as error:
            self.error = error
            self.drop()

    def drop(self) -> None:
        """What is buffered still is not to fail again at the end of the process."""
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


ROOM = 1 << 20  # bytes; a disk with less is what a tool failed of
FULL_WORDS = (
    *("No space left on device", "Disk quota exceeded", "File too large", "Bus error"),
    "Out of diskspace",  # git
)


STARVED_WORDS = (
    *("Too many open files", "Cannot allocate memory", "virtual memory exhausted"),
    *("Killed signal", "std::bad_alloc"),
)


def starved(log: Path) -> str:
    """What the system did not give a tool, by its log; '' if there was no such thing."""
    text = log.read_text(encoding="utf-8", errors="replace")
    found = next((words for words in STARVED_WORDS if words in text), "")
    return (
        f"{found}; raise the limits (ulimit), or take fewer processes (--jobs 1)" if found else ""
    )


def no_room(log: Path, *places: Path) -> str:
    """The disk that a tool failed of, by its log or as it is now; '' if it was none."""
    temporary = Path(os.environ.get("TMPDIR") or tempfile.gettempdir())
    for place in (*places, temporary):
        with contextlib.suppress(OSError):
            room = os.statvfs(place)
            if room.f_bavail * room.f_frsize < ROOM or (room.f_files and not room.f_favail):
                return f"no space left on the disk of {place}; free some space"
    with contextlib.suppress(OSError):
        text = log.read_text(encoding="utf-8", errors="replace")
        if any(words in text for words in FULL_WORDS):
            names = " or ".join(map(str, (*places, temporary)))
            return f"no space left on the disk of {names}; free some space"
    return ""


def save(folder: Path, contents: Mapping[str, bytes], *, force: bool) -> None:
    """Write files into a folder that a user named; it is made if need be. One that is there and
    differs is refused before any is written, unless `force`; one that is the same stays."""
    make_folder(folder)
    changed = {name: data for name, data in contents.items() if not _holds(folder / name, data)}
    for name in changed:
        refuse(folder / name, force)
    for name, data in changed.items():
        with atomic_write(folder / name, "wb", replace=force) as file:
            file.write(data)


def update(wanted: Iterable[tuple[Path, str]], check: bool, failure: WlkError) -> int:
    """Write generated files that are not as wanted; `check`: print which they are instead, and
    fail."""
    found = [(path, text) for path, text in wanted if not _holds(path, text.encode())]
    for path, text in found:
        inside = path.is_relative_to(ROOT)
        name = path.relative_to(ROOT) if inside else Path(path.parent.name, path.name)
        print(f"{name}: {'stale' if check else 'written'}")
        if not check:
            with atomic_write(path) as file:
                file.write(text)
    if check and found:
        raise failure
    return 0


def _holds(path: Path, data: bytes) -> bool:
    try:
        return path.read_bytes() == data
    except OSError:
        return False


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep others who ask out of a folder, as far as its file system can."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)

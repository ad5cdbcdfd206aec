# SPDX-License-Identifier: Apache-2.0
"""--html and --junit: what a command that compares writes of its runs for others to read.

A report that was at a place before is replaced when the work begins, by one that says that it has
not ended: whatever becomes of the run, none is left that looks current and is not.
"""

import contextlib
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import ClassVar

from . import junit, options, outputs, page
from .entries import Entry, Whole
from .errors import Status, WlkError
from .installed import COMMAND
from .options import Command

GROUP = "reports for others"
HEAD = 4096  # bytes in which a report says that it is one of ours
MARKS = {
    "html": b'<meta name="generator" content="warplock',
    "junit": b'<testsuites name="warplock',
}
TERMINATED = "ended by SIGTERM"


@dataclass
class Reported(Command):
    """A command that compares."""

    TITLE: ClassVar[str] = ""  # of an action, with that of its command
    WORDS: ClassVar[Mapping[int, str]] = {}  # of exit codes that mean another thing here

    _: KW_ONLY
    html: Path | None = options.path(
        "write a page of all runs, in one file (docs/reports.md)", group=GROUP
    )
    junit: Path | None = options.path("write a JUnit XML report", group=GROUP)
    entries: list[Entry] = field(default_factory=list)  # the runs that have ended

    def page_of(self, whole: Whole) -> str:
        """The page."""
        return page.render(whole)

    def junit_of(self, whole: Whole) -> str:
        """The JUnit XML report."""
        return junit.of_runs(whole)


def _wanted(asked: Command) -> dict[str, Path]:
    """What is asked for, and where."""
    given = {kind: getattr(asked, kind) for kind in MARKS} if isinstance(asked, Reported) else {}
    return {kind: path for kind, path in given.items() if path is not None}


def offers(asked: Command) -> tuple[str, ...]:
    """The features that set-up provides for it if it can."""
    return ("page",) if "html" in _wanted(asked) else ()


def refuse(asked: Command) -> None:
    """Places that nothing can be written to, and files that are no reports. Before any work."""
    wanted = _wanted(asked)
    for kind, path in wanted.items():
        outputs.refuse(path, force=True)
        if path.is_dir():
            raise WlkError(Status.NO_FILE, f"--{kind} {path}: is a folder; name a file in it")
        if path.is_file() and not _is_report(path, MARKS[kind]):
            message = f"--{kind} {path}: is there and no report of warplock"
            raise WlkError(Status.USAGE, f"{message}; choose another name, or remove it")
    if len({path.absolute() for path in wanted.values()}) < len(wanted):
        raise WlkError(Status.USAGE, f"--html and --junit are both {asked.html}; name two files")


def _is_report(path: Path, mark: bytes) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError as error:
        raise outputs.failure(error, path) from error
    return not head or mark in head


def run(asked: Command) -> int:
    """Run a command, and write what it was asked for of its runs."""
    wanted = _wanted(asked)
    if not wanted:
        return asked.run()
    began, start = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), time.monotonic()
    line = shlex.join([COMMAND, *asked.words])

    def whole(code: int | None, message: str = "") -> Whole:
        seconds = time.monotonic() - start
        return Whole(
            asked.TITLE or asked.NAME,
            line,
            began,
            seconds,
            code,
            message,
            tuple(asked.entries),
            asked.WORDS,
        )

    _begin(asked, whole(None))
    with _ending(lambda code, message: _end(asked, whole(code, message))):
        code = asked.run()
    lost = _end(asked, whole(code))
    return code or lost


@contextlib.contextmanager
def _ending(end: Callable[[int, str], object]) -> Iterator[None]:
    """Call `end` with the exit code and the message of whatever ends the work before its time."""
    try:
        yield
    except WlkError as error:
        end(error.status, error.message)
        raise
    except KeyboardInterrupt:
        end(Status.INTERRUPTED, "interrupted")
        raise
    except SystemExit as stop:
        end(stop.code if isinstance(stop.code, int) else 1, TERMINATED)
        raise
    except Exception as error:
        end(Status.MODEL_ERROR, f"unexpected {type(error).__name__}: {error}")
        raise


def _write(asked: Reported, kind: str, whole: Whole) -> None:
    try:
        text = asked.page_of(whole) if kind == "html" else asked.junit_of(whole)
    except ImportError as error:  # Jinja2, which set-up could not bring and has said so
        raise WlkError(Status.NO_TOOL, f"Python's package {error.name} is missing") from error
    with outputs.atomic_write(getattr(asked, kind)) as file:
        file.write(text)


def _begin(asked: Reported, whole: Whole) -> None:
    """Say that it has not ended. A place that cannot be written to ends the command here; where
    only the room or a package is lacking, `_end` tries again. The report of a former run goes in
    any case."""
    for kind, path in _wanted(asked).items():
        if path.exists() and not path.is_file():
            continue  # a pipe takes one report
        try:
            _write(asked, kind, whole)
        except WlkError as error:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
            if error.status not in (Status.NO_SPACE, Status.NO_TOOL):
                raise


def _end(asked: Reported, whole: Whole) -> Status:
    """Write what came out; the worst of what could not be. A verdict does not hang on it."""
    lost = []
    for kind, path in _wanted(asked).items():
        try:
            _write(asked, kind, whole)
        except WlkError as error:
            left = f"; {path} says that the run has not ended" if path.is_file() else ""
            print(f"no --{kind} report: {error.message}{left}", file=sys.stderr, flush=True)
            lost.append(error.status)
    return min(lost, default=Status.OK)

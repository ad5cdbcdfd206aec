# SPDX-License-Identifier: Apache-2.0
"""Running our own C programs: progress lines, input through a pipe, errors with their exit code.

They print their answer on stdout; on stderr `progress DONE TOTAL`, what seeds cover where that is
asked for (dpi/harness/cover.c), reports for a person, and at most one line `NAME: message` behind a
failure.
"""

import contextlib
import hashlib
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ..base import progress
from ..base.errors import Status, WlkError, is_error
from . import build


@dataclass(frozen=True)
class Answer:
    """What a program printed and how it ended."""

    code: int
    output: str  # all of stdout
    report: str  # stderr without the progress lines


def run(
    program: str,
    words: Iterable[object],
    *,
    label: str | None,
    feed: Iterable[bytes] | None = None,
    capture: bool = True,
) -> Answer:
    """Run a program of the build folder, e.g. "dpi/wlk-vec".

    `label`: of its progress line; None: it is one of many, which have theirs. `feed` is written to
    its stdin; without `capture` its stdout is ours. Fails with the program's status when it answers
    none but an error.
    """
    path = build.brought_up() / program
    with progress.Progress(label or "") as line:

        def show(done: int, total: int) -> None:
            if label is not None:
                line.total = total
                line.update(done)

        answer = ask([path, *words], show, feed=feed, capture=capture)
    _check(path, answer, capture)
    return answer


def digest(program: str, words: Iterable[object]) -> str:
    """The SHA-256 of what a program prints, which may be long and no text."""
    path = build.brought_up() / program
    command = [path, *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        found = hashlib.file_digest(running.stdout, "sha256").hexdigest()
        complaint = running.stderr.read().decode(errors="replace")
    _check(path, Answer(running.returncode, "", complaint), capture=True)
    return found


def ask(
    command: Iterable[object],
    show: Callable[[int, int], None],
    *,
    feed: Iterable[bytes] | None = None,
    capture: bool = True,
    cover: Callable[[list[str]], None] | None = None,
) -> Answer:
    """The same of any program; `show` is called with how much is done, and of how much, `cover`
    with the words of each line on what a seed covers."""
    sys.stdout.flush()
    options: dict[str, Any] = {"stdin": subprocess.PIPE} if feed is not None else {}
    options |= {"stdout": subprocess.PIPE if capture else None, "stderr": subprocess.PIPE}
    with (
        ThreadPoolExecutor(2) as readers,  # they end when the child has ended
        progress.child(list(map(str, command)), **options) as process,
    ):
        report = readers.submit(_listen, process.stderr, show, cover)
        output = readers.submit(process.stdout.read if capture else bytes)
        # All of `feed`, or as much as the program takes: its exit code then shows why.
        try:
            for piece in feed or ():
                process.stdin.write(piece)
        except BrokenPipeError:
            pass
        finally:  # an error of `feed` itself is not hidden by what is still to be written
            if feed is not None:
                with contextlib.suppress(BrokenPipeError):
                    process.stdin.close()
        text = output.result().decode(errors="replace")
        return Answer(process.wait(), text, report.result())


def _listen(
    pipe: IO[bytes],
    show: Callable[[int, int], None],
    cover: Callable[[list[str]], None] | None = None,
) -> str:
    """Show progress, hand on what is covered; what else is on stderr."""
    report = ""
    for raw in pipe:
        text = raw.decode(errors="replace")
        words = text.split()
        if len(words) == 3 and words[0] == "progress":
            show(int(words[1]), int(words[2]))
        elif cover is not None and words[:1] == ["cover"]:
            cover(words[1:])
        else:
            report += text
    return report


def _check(path: Path, answer: Answer, capture: bool) -> None:
    """Raise unless the program ended well or with a verdict, which comes with output."""
    if answer.code == 0 or (capture and answer.output):
        return
    if answer.code == 128 + 13:
        raise BrokenPipeError
    prefix = f"{path.name}: "
    mistakes = [line for line in answer.report.splitlines() if line.startswith(prefix)]
    if not is_error(answer.code) or not mistakes:
        last = (answer.report.splitlines() or ["no message"])[-1]
        raise WlkError(Status.MODEL_ERROR, f"{path} ended with {answer.code}: {last}")
    raise WlkError(Status(answer.code), mistakes[-1].removeprefix(prefix))

# SPDX-License-Identifier: Apache-2.0
"""Runs of the lockstep bench: its words, its answer, and what the RTL printed meanwhile."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from . import progress
from .errors import Status, WlkError
from .jobs import Job

KEPT_LINES, SHOWN_LINES = 200, 10  # of what the RTL prints; kept: from both ends
FAILED = re.compile("%(?:Error|Fatal): ")


def words(job: Job, **more: object) -> list[str]:
    """The bench's words for a job; `more`: in place of its own, or beside them."""
    args = job.args
    said = {
        "first": args.seeds[0],
        "last": args.seeds[-1],
        "cycles": args.cycles,
        "profile": args.profile,
        "power_up": args.power_up,
    }
    said |= {"program": args.program} | more
    given = [f"{key}={value}" for key, value in said.items() if value is not None]
    return given + _overrides(job)


def _overrides(job: Job) -> list[str]:
    """Parameters that differ from those the bench was built with."""
    if job.matched is None:
        return []
    built = job.candidates[0]
    names = list(job.table.params)
    return [
        f"param={names.index(name)}:{value}"
        for name, value in job.config.items()
        if value != built[name]
    ]


def run(job: Job, program: Path, words: Sequence[str]) -> tuple[dict, list[str]]:
    """The bench's answer and what the RTL printed."""
    said: list[str] = []
    last: deque[str] = deque(maxlen=KEPT_LINES)
    with progress.child(
        [program, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as process:
        for line in process.stderr:
            word, _, rest = line.partition(" ")
            if word == "progress":
                job.done = int(rest.split()[0])
            else:
                (said if len(said) < KEPT_LINES else last).append(line.rstrip())
        text = process.stdout.read()
        code = process.wait()
    if code == Status.INTERRUPTED:
        raise KeyboardInterrupt
    said += last
    try:
        answer = json.loads(text)
    except json.JSONDecodeError:
        raise _no_answer(job, code, said) from None
    if "assertion" in answer:
        answer["assertion"] += f": {_assertion_text(said)}"
    return answer, said


def _no_answer(job: Job, code: int, said: Sequence[str]) -> WlkError:
    """The bench's own complaint, or that it broke down."""
    last = said[-1] if said else f"exit code {code}"
    if last.startswith("bench: ") and code in iter(Status):
        return WlkError(Status(code), f"{job.title}: {last.removeprefix('bench: ')}")
    return WlkError(Status.MODEL_ERROR, f"{job.title}: the bench ended without an answer: {last}")


def _assertion_text(said: Sequence[str]) -> str:
    """What Verilator prints at a failed assertion: a line so marked, and indented ones."""
    start = next((n for n, line in enumerate(said) if FAILED.search(line)), None)
    if start is None:
        return "assertion failed"
    more = itertools.takewhile(lambda line: line.startswith(" "), said[start + 1 :])
    # Behind the file and the line, which the bench tells whole.
    text = " ".join([FAILED.split(said[start])[1], *more])
    return " ".join(text.partition(": ")[2].split())


def printed(said: Sequence[str]) -> list[str]:
    """What the RTL printed, or the start of it."""
    lines = [f"  the RTL says: {line}" for line in said[:SHOWN_LINES]]
    return [*lines, "  ... and more"] if len(said) > SHOWN_LINES else lines

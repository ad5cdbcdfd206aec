# SPDX-License-Identifier: Apache-2.0
"""Runs of the lockstep harness: its words and its answer."""

import json
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base.errors import Status, WlkError, is_error
from ..base.seeds import Seeds
from ..fit import inside, match
from ..tables import Config
from . import tools, verilate
from .jobs import Job

Cover = Callable[[list[str]], None] | None
NO_ROOM = "the disk is full, or that of /tmp; free some space there"


def words(job: Job, seeds: Seeds | None = None, **more: object) -> list[str]:
    """The harness's words for a job; `seeds` and `more`: in place of its own, or beside them."""
    args = job.args
    keys = {"exact": 1} if args.via == "dpi" else {}
    keys |= {key: getattr(args, key) for key in ("cycles", "profile", "power_up", "program")}
    given = [f"seeds={each[0]}..{each[-1]}" for each in (seeds or args.seeds).ranges]
    given += [f"{key}={value}" for key, value in (keys | more).items() if value is not None]
    if job.matched is not None:
        if args.bind == "all":
            open_ports = inside.suspects(job.table, job.config, job.inside, job.modules)
            given += [f"suspect={each}" for each in open_ports]
        given += [f"tie={place}" for place in match.tie_places(job.matched)]
    given += args.waivers.words(job.checked())
    other = overrides(job, job.config)
    given += [f"+{name}={value}" for name, value in job.plusargs.items()]
    return given + ([f"param={other}"] if other else [])


def overrides(job: Job, config: Config) -> str:
    """Parameters that differ from those the harness was built with, as it takes them."""
    numbered = enumerate(job.table.params)
    changed = [(n, config[name]) for n, name in numbered if config[name] != job.built[name]]
    return ",".join(f"{number}:{value}" for number, value in changed)


def run(job: Job, program: Path, words: Sequence[str], cover: Cover = None) -> dict:
    """The harness's answer. `cover`: takes what each seed covers (dpi/harness/cover.c)."""
    return _run(job, program, words, cover)[0]


def write(job: Job, program: Path, words: Sequence[str]) -> None:
    """A run for the file that it writes; fails when that could not be written."""
    _, last, code = _run(job, program, words)
    if code == Status.NO_SPACE:
        raise _complaint(job, code, last)


def require_whole(waves: Path) -> None:
    """NO_SPACE when Verilator could not write all of a waveform, which it does not report."""
    try:
        with waves.open("rb") as file:
            hole = os.lseek(file.fileno(), 0, os.SEEK_HOLE)  # what was not written, in the middle
            whole = hole == os.fstat(file.fileno()).st_size
        tools.run("dpi/wlk-check", ["verify", waves], label=f"reading {waves}")
    except (OSError, WlkError):
        whole = False
    if not whole:
        raise WlkError(Status.NO_SPACE, f"it came out incomplete: {NO_ROOM}")


def _run(
    job: Job, program: Path, words: Sequence[str], cover: Cover = None
) -> tuple[dict, str, int]:
    """The answer, the last line on stderr, the exit code."""
    with verilate.in_use(program):
        show = lambda done, _: setattr(job, "done", done)  # noqa: E731
        answer = tools.ask([program, *words], show, cover=cover)
    code, last = answer.code, "".join(answer.report.splitlines()[-1:])
    if code == Status.INTERRUPTED:
        raise KeyboardInterrupt
    if code == -signal.SIGBUS:  # it writes into a mapped file that has no room
        raise WlkError(Status.NO_SPACE, f"{job.title}: the harness was ended by SIGBUS: {NO_ROOM}")
    try:
        return json.loads(answer.output), last, code
    except json.JSONDecodeError:
        raise _complaint(job, code, last) from None


def _complaint(job: Job, code: int, last: str) -> WlkError:
    """The harness's own complaint, or that it broke down."""
    if last.startswith("harness: ") and is_error(code):
        return WlkError(Status(code), f"{job.title}: {last.removeprefix('harness: ')}")
    why = last or f"exit code {code}"
    return WlkError(Status.MODEL_ERROR, f"{job.title}: the harness ended without an answer: {why}")


def findings(answer: Mapping[str, Any]) -> dict[str, Any]:
    """What the RTL itself printed and asserted, as the harness reports it."""
    keys = ("assertion", "assertions", "assertions_before_reset", "printed")
    return {key: answer[key] for key in keys if key in answer}


def notes(title: str, answer: Mapping[str, Any]) -> list[str]:
    """The notes on assertions and prints that go with the report of a failure."""
    found = []
    if "assertion" in answer:
        found.append(f"{title}: {_assertion(answer['assertion'])}")
    if "assertions_before_reset" in answer:
        early = answer["assertions_before_reset"]
        what = f"{early['count']:,} assertions fired before the first reset was over"
        meaning = "which means nothing with random power-up"
        found.append(f"{title}: {what}, {meaning}; the first: {_assertion(early)}")
    if "printed" in answer:
        lines = answer["printed"]["lines"]
        found.append(f"{title}: the RTL printed {lines:,} lines; shown only around a failure")
    return found


def _assertion(fired: dict) -> str:
    """As the harness's report has it."""
    place = f"{fired['file']}:{fired['line']}"
    return f"{fired['kind']} in {place} in cycle {fired['cycle']}: {fired['message']}"

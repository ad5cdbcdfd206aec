# SPDX-License-Identifier: Apache-2.0
"""What a failing run leaves: the report, the shrunk stimulus, the waveform, the command."""

import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import tables
from ..base import outputs, reports
from ..base.errors import Status, WlkError
from ..base.installed import COMMAND
from ..base.seeds import Seeds
from ..fit import readings
from . import behind, harness, jobs, picture, vectors, waves
from .jobs import Job


def command_line(job: Job, seed: int) -> str:
    """The command that repeats one seed."""
    args = job.args
    words = [COMMAND, "lockstep", job.table.name, *own_folder(job.table.name), *args.as_options()]
    words += [w for text in pinned(job) for w in ("--config", text)]
    words += ["--seeds", f"{seed}..{seed}"]
    words += ["--cycles", str(args.cycles)] if args.cycles else []
    words += ["--program", str(args.program)] if args.program is not None else []
    words += ["--bind", "stage"] if job.table.instances and args.bind == "stage" else []
    words += args.waive_again()
    words += ["--waves"]
    for name in ("profile", "power_up"):
        if getattr(args, name) != getattr(jobs.Run, name):
            words += [f"--{name.replace('_', '-')}", getattr(args, name)]
    return shlex.join(words)


def own_folder(name: str) -> list[str]:
    """The option that names the folder of a user's block, as seen from here."""
    folder = tables.own().get(name)
    if folder is None:
        return []
    near = folder.is_relative_to(Path.cwd())
    return ["--blocks", str(folder.relative_to(Path.cwd()) if near else folder)]


def pinned(job: Job) -> list[str]:
    """key=value of each parameter that is no default, or that the ports do not settle."""
    shown, usual = job.shown, job.table.show(job.table.defaults())
    loose = readings.pinned(job.matched, shown) if job.matched is not None else []
    texts = {key: f"{key}={value}" for key, value in shown.items()}
    return [text for key, text in texts.items() if shown[key] != usual[key] or text in loose]


def _header(job: Job, seed: int) -> str:
    table = job.table
    text = {"block": table.name, "schema": f"{table.schema_hash():016x}"}
    text |= {"model_version": table.model_version, "config": table.plain(job.config)}
    text |= {"members": table.members_text()} if table.members else {}
    text |= {"source": "shrink", "power_up": job.args.power_up, "seed": seed}
    text |= {"reset": "async"} if job.is_async else {}
    return json.dumps(text | {"profile": job.args.profile})


@dataclass
class Left:
    """What a run has left, and what it could not: a line each. A verdict hangs on none of it."""

    lines: list[str] = field(default_factory=list)
    lost: list[Status] = field(default_factory=list)
    rtl_lines: list[dict[str, Any]] = field(default_factory=list)
    quoted: list[str] = field(default_factory=list)  # of the lines, those that say the same
    opened: waves.Opened | None = None
    pipeline: Path | None = None
    failing: Path | None = None  # the file of seeds that fail

    def json(self) -> dict[str, Any]:
        """What the answer has of it."""
        found = {"rtl_lines": self.rtl_lines} if self.rtl_lines else {}
        found |= {"waves": self.opened.json()} if self.opened is not None else {}
        found |= {"failing_seeds": str(self.failing)} if self.failing is not None else {}
        return found | ({"pipeline": str(self.pipeline)} if self.pipeline is not None else {})

    def attempt(self, what: str, write: Callable[[], Path | None]) -> None:
        """Write a file; None: there is nothing to write."""
        try:
            path = write()
        except WlkError as error:
            if error.status == Status.INTERRUPTED:
                raise
            self.lose(what, error.status, error.message)
        except OSError as error:
            failed = outputs.failure(error, what, reports.REMEDY)
            self.lose(what, failed.status, failed.message)
        else:
            self.lines += [] if path is None else [f"  {what}: {path}"]

    def open(self, job: Job, answer: dict, wave: Path, first: int) -> None:
        """Write what opens a waveform, if it is there."""

        def write() -> None:
            if wave.is_file():
                self.opened = waves.write_views(job, answer, wave, self.registers(), first)
                self.lines += self.opened.lines()

        self.attempt("files that open the waveform", write)

    def registers(self) -> list[str]:
        """Those of the lines that are quoted, each once."""
        return list(dict.fromkeys(x["signal"] for x in self.rtl_lines if x["register"]))

    def lose(self, what: str, status: Status, why: str) -> None:
        """Note what could not be written."""
        self.lines.append(f"  no {what}: {why}")
        self.lost.append(status)


@dataclass
class Shrunk:
    """The shortest stimulus that fails the same way."""

    file: Path
    report: str  # empty: that of the whole run says it (an assertion)
    found: dict[str, Any]  # from, cycles, passes_with, guesses
    failure: dict[str, Any]  # what the checker says of it
    picture: Path | None = None

    def json(self) -> dict[str, Any]:
        """What the answer has of it."""
        drawn = {"picture": str(self.picture)} if self.picture is not None else {}
        return {"shrunk": {"file": str(self.file)} | self.found} | drawn


def play_line(job: Job, file: Path) -> str:
    """The command that plays a record file into the RTL."""
    source = job.args.as_options()
    if not job.args.rtl:  # the stub, as it was written for this run
        source = [word for path in job.rtl.files for word in ("--rtl", str(path))]
    words = (COMMAND, "vectors", "play", str(file), *own_folder(job.table.name), *source)
    return shlex.join([*words, *job.args.waive_again(), "--waves"])


def text(
    job: Job, answer: dict, shrunk: Shrunk | None = None, play: Path | None = None,
    said: Sequence[str] = (),
) -> str:  # fmt: skip
    """The report of a failure, of what is left of the stimulus where it was shrunk; `play`: the
    record file that was played; `said`: lines of others on it."""
    advice = "".join(f"  {line}\n" for line in job.advice)
    file = shrunk.file if shrunk is not None else play
    again = [f"  replay: {play_line(job, file)}"] if file is not None else []
    again += [f"  repeat: {command_line(job, _seed(job, answer))}"] if play is None else []
    report = shrunk.report if shrunk is not None and shrunk.report else answer["report"]
    report = job.table.name_lists(report, job.shown)
    return "\n".join([f"{report.rstrip()}\n{advice}".rstrip(), *said, *again])


def repeat(job: Job, answer: dict, file: Path | None = None) -> str:
    """The command that shows a failure again; `file`: its stimulus."""
    return play_line(job, file) if file is not None else command_line(job, _seed(job, answer))


def _seed(job: Job, answer: dict) -> int:
    return answer.get("seed", job.args.seeds.first)


def leave(job: Job, build: Callable[..., Path], answer: dict, report: str, left: Left) -> None:
    """Report and waveform of the first failing seed."""
    seed = _seed(job, answer)
    first = answer.get("failure", {}).get("first") or answer.get("assertion", {})
    left.attempt("report", lambda: job.args.folder.write(_place(job) / "report.txt", report + "\n"))
    if job.args.program is None:
        left.attempt("failing seeds, for --seeds from", lambda: _leave_seeds(job, answer, left))
    leave_waves(job, build, answer, seed, first.get("cycle"), left)


def _leave_seeds(job: Job, answer: dict, left: Left) -> Path:
    """Add those that fail to the file of all runs."""
    failing = {each["seed"]: each["verdict"] for each in answer.get("failures") or [answer]}
    left.failing = job.args.folder.add_failing(failing, job.title)
    return left.failing


def leave_waves(
    job: Job, build: Callable[..., Path], answer: dict, seed: int, at: int | None, left: Left
) -> None:
    """The waveform around a cycle, or of the whole seed; the RTL behind the difference."""
    wave, behind = _place(job) / waves.FILE, Left()
    left.attempt("waveform", lambda: waves.of_seed(job, build, wave, seed, at))
    quote(job, answer, wave, behind)
    left.rtl_lines, left.quoted = behind.rtl_lines, behind.quoted
    first = 0 if at is None else max(0, at - waves.BEFORE)
    left.open(job, answer, wave, first)
    left.lines += behind.lines


def quote(job: Job, answer: dict, wave: Path, left: Left) -> None:
    """The RTL behind the first difference."""
    found = behind.section(job, answer, wave if wave.is_file() else None)
    left.lines += found.text
    left.rtl_lines, left.quoted = found.found, found.text if found.found else []


def _place(job: Job) -> Path:
    return job.args.folder.of(job.table.name, job.name)


def shrink(job: Job, program: Path, answer: dict, left: Left) -> Shrunk | None:
    """The shortest stimulus that fails, if there is one that fails by itself."""
    found: list[Shrunk] = []

    def write() -> Path | None:
        file = _place(job) / "stimulus.wlv"
        seed = _seed(job, answer)
        words = harness.words(job, Seeds.one(seed), shrink=file)
        shorter = harness.run(job, program, [*words, f"header={_header(job, seed)}"])
        if not file.is_file() or "shrunk" not in shorter:
            return None
        texts = shorter.get("report", ""), shorter["shrunk"], shorter.get("failure", {})
        found.append(Shrunk(file, *texts))
        return file

    left.attempt("shrunk stimulus", write)
    if not found:
        return None
    if found[0].failure.get("block") == job.table.name:  # of one inside the inputs are not known
        left.attempt("picture", lambda: _draw(job, found[0]))
    return found[0]


def _draw(job: Job, shrunk: Shrunk) -> Path | None:
    """A picture of what was shrunk; None without the package that draws."""
    header = vectors.read_header(shrunk.file)
    records = list(vectors.records(header, job.table, job.config))
    wrong = [
        picture.Difference(d["port"], int(d["got"], 16), int(d["expected"], 16))
        for d in shrunk.failure["differences"]
    ]
    at = shrunk.failure["first"]["cycle"]
    drawn = picture.draw(job.table, job.config, records, at, wrong)
    job.args.folder.write(shrunk.file.with_name("picture.json"), json.dumps(drawn, indent=1))
    try:
        text = picture.svg(drawn)
    except ImportError:
        return None
    except Exception as error:  # of the package: no verdict hangs on a picture
        raise WlkError(Status.MODEL_ERROR, f"the package wavedrom failed: {error!r}") from error
    shrunk.picture = job.args.folder.write(shrunk.file.with_name("picture.svg"), text)
    return shrunk.picture

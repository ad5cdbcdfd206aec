# SPDX-License-Identifier: Apache-2.0
"""The runs of one `lockstep`: refused or run, shown as they come, kept in a folder."""

import sys
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import tables
from ..base import buckets, options, outputs, progress, report, reports
from ..base.errors import Status, WlkError
from ..base.installed import COMMAND, shipped
from ..base.options import option
from ..base.published import Reported
from ..fit import readings
from . import build, covered, estimate, jobs, lockstep, recordings, run_file
from .jobs import Job, Run
from .lockstep import Outcome

NEXT = f"""
next:
  {COMMAND} lockstep BLOCK --rtl PATH   your module against the model
  {COMMAND} check run.fst               a waveform of your own simulation
  {COMMAND} lockstep --all              every named configuration (minutes)
  {COMMAND} --help                      all commands"""


@dataclass
class Lockstep(Run, Reported):
    """Run RTL in lockstep with the model and compare every port in every cycle."""

    NAME = "lockstep"
    EXAMPLE = """warplock lockstep
warplock lockstep --all
warplock lockstep collector --config num_lanes=4 --seeds 1..20 --cycles 100000
warplock lockstep --run nightly --seeds random 20
warplock lockstep issue --program vectors/kernels/dot.prog --pipeline dot.kanata
warplock lockstep collector --rtl build/DuplicatedCollector.sv --config coll_entries=4"""

    run_name: str | None = option(
        None,
        "run what the table [run.NAME] of warplock.toml names (docs/regression.md); options go "
        "before it",
        "--run",
        metavar="NAME",
    )
    settings: Path | None = options.path(
        "the file of --run (default: warplock.toml here, or in the nearest folder above)"
    )
    parts: list[Run] = field(default_factory=list)  # with --run, one for each configuration

    def needs(self) -> tuple[str, ...]:
        if self.list:
            return ()
        rtl = ("rtl",) if self._has_rtl() else ()
        return ("build", *self.tools, *rtl)

    def offers(self) -> tuple[str, ...]:
        return ("page",) if self._has_rtl() else ()  # whose failures are drawn

    def _has_rtl(self) -> bool:
        return any(each.rtl for each in self.parts or [self])

    def refuse(self) -> None:
        """What does not go together, and names that nothing has."""
        if self.program is not None:
            self.program = shipped(self.program)
        self._read_run()
        for part in self.parts:
            _refuse_part(part)
        _refuse_recordings(self)
        if self.pipeline is not None:
            outputs.refuse(self.pipeline, self.force)
        reports.refuse(self.reports)
        covered.refuse(self.cover)

    def _read_run(self) -> None:
        """Read what the options name: the waivers, and what is to run."""
        if self.run_name is None and self.settings is not None:
            raise WlkError(Status.USAGE, "--settings goes with --run NAME")
        table = run_file.read(self.run_name, self.settings) if self.run_name is not None else None
        if table is not None:
            table.apply(self)
        self.read_waivers()  # which all parts share
        self.parts = table.parts(self) if table is not None else [self]

    def run(self) -> int:
        """Run every configuration asked for; the exit code is the worst verdict."""
        if self.list:
            return jobs.list_blocks(self.json)
        for part in self.parts:
            if part.cycles is None:
                part.cycles = 0 if self.program is not None else jobs.CYCLES
        plan = [job for part in self.parts for job in jobs.plan(part)]
        self.waivers.require(each for job in plan for each in job.checked())
        build.meson_build(jobs=self.jobs)
        results, lost = _run_all(plan, self)
        summary = [_summary("configuration" if self.all or self.run_name else "block", results)]
        if not self.json:
            print()
            _table(plan, results).print()
            _show_alike(self)
        try:
            if not self.blocks:
                checked = recordings.check_all(
                    self.recordings, self.json, accept=True, jobs=self.jobs, brief=True
                )
                results += checked
                self.entries += recordings.entries(checked)
                summary.append(_summary("recording", checked))
        except WlkError as error:
            if error.status != Status.NO_SPACE:
                raise
            print(f"recordings: {error.message}", file=sys.stderr)
            lost.append(error.status)
        code = self.judge_waivers(report.exit_code(results), self.entries, as_json=self.json)
        lost += _keep(self, self.folder, code or min(lost, default=Status.OK), results)
        if not self.blocks and not self.json:
            print(
                f"{'' if self.all or self.run_name else NEXT}\n{', '.join(filter(None, summary))}"
            )
        if self.strict and code == Status.OK:
            readings.require_pinned(map(_inference, results))
        return int(code or min(lost, default=Status.OK))


def _summary(noun: str, results: Sequence[report.Result]) -> str:
    """How many runs or recordings had which verdict; a recording of several blocks its worst."""
    own: dict[str, list[report.Result]] = {}
    for each in results:
        own.setdefault(
            each.extra.get("recording") or f"{each.block} {each.extra['name']}", []
        ).append(each)
    found = Counter(report.verdict_name(report.exit_code(each)) for each in own.values())
    return ", ".join(
        f"{n} {noun}{'s' if n > 1 else ''} {verdict}" for verdict, n in found.most_common()
    )


def _refuse_part(asked: Run) -> None:
    """What does not go together in a run, and names that nothing has."""
    _refuse_several(asked)
    if not asked.rtl:
        asked.refuse_ports("--rtl: the stub has the table's ports")
    for name, path in [("rtl", path) for path in asked.rtl] + [("program", asked.program)]:
        if path is not None and not path.exists():
            raise WlkError(Status.NO_FILE, f"--{name} {path}: no such file or folder")
    for table in map(tables.load, asked.blocks or tables.names()):
        table.require_profile(asked.profile)
        if not asked.rtl:
            jobs.given_config(table, asked.config)


def _refuse_several(asked: Run) -> None:
    """What goes with one block alone, or with several seeds alone."""
    for name in ("program", "pipeline", "rtl"):
        if getattr(asked, name) and len(asked.blocks) != 1:
            example = "BLOCK --rtl" if name == "rtl" else "issue"
            message = f"--{name} goes with one block: lockstep {example} ..."
            raise WlkError(Status.USAGE, message)
    if asked.keep_going and asked.program is not None:
        raise WlkError(Status.USAGE, "--keep-going goes with seeds, and --program runs once")


def _refuse_recordings(asked: Run) -> None:
    """A folder of recordings that is not there, or that a run of blocks would leave alone."""
    if asked.list:
        return
    if asked.recordings is not None or not asked.blocks:
        recordings.require(asked.recordings)
    if asked.recordings is not None and asked.blocks:
        message = "--recordings goes with all blocks"
        hint = f"warplock check {asked.recordings}"
        raise WlkError(Status.USAGE, f"{message}; leave the block out, or give: {hint}")


class Screen:
    """What is shown of the runs as they come; calls come from several threads."""

    def __init__(self, asked: Run, line: progress.Progress, several: bool) -> None:
        self.asked, self.line, self.several = asked, line, several
        self._lock = threading.Lock()

    def verdict(self, job: Job, outcome: Outcome) -> None:
        """The verdict with its report, before anything is written to a file."""
        with self._lock:
            self.line.close()
            if self.several and not self.asked.json:
                verdict = report.verdict_name(outcome.result.verdict)
                print(f"{job.title}: {report.with_gaps(verdict, outcome.result.extra)}", flush=True)
            self._print(outcome.messages)

    def answer(self, _: Job, outcome: Outcome) -> None:
        """The JSON object, which has what came of the files."""
        with self._lock:
            if self.asked.json:
                report.json_line(outcome.result.json())

    def left(self, lines: Sequence[str]) -> None:
        """What came of the files."""
        with self._lock:
            self.line.close()
            self._print(lines)

    def _print(self, lines: Sequence[str]) -> None:
        for text in lines:
            print(text, file=sys.stderr if self.asked.json else sys.stdout, flush=True)


def _inference(result: report.Result) -> tuple[str, bool, Mapping[str, Any]]:
    """What a run is, whether it passes, and what was inferred from its behaviour."""
    name = result.extra.get("name") or result.extra.get("recording", "")
    inferred = result.extra.get("inferred_behaviour", {})
    return f"{result.block} {name}", result.verdict == Status.OK, inferred


def _keep(
    asked: Run, folder: reports.Folder, code: int, results: Sequence[report.Result]
) -> list[Status]:
    """Write what came out; what could not be written and was asked for."""
    try:
        folder.finish(asked.words, int(code), [result.json() for result in results])
    except WlkError as error:
        print(f"no results file: {error.message}", file=sys.stderr)
        return [error.status] if asked.reports != reports.DEFAULT else []
    return []


def _run_all(plan: Sequence[Job], asked: Lockstep) -> tuple[list[report.Result], list[Status]]:
    """The results in the order in which they end, shown as they come; what could not be written."""
    results: list[report.Result] = []
    lost: list[Status] = []
    for job in plan:
        job.workers = max(1, asked.jobs // len(plan))
    left = estimate.Estimate(plan, asked.jobs)
    with progress.Progress("lockstep", len(plan)) as line:
        screen = Screen(asked, line, several=len(plan) > 1)
        tick = lambda: line.update(len(results), left.note())  # noqa: E731
        longest_first = sorted(plan, key=left.of, reverse=True)
        runs = progress.parallel(lambda job: _execute(job, screen), longest_first, asked.jobs, tick)
        for job, outcome in runs:
            if isinstance(outcome, WlkError):
                lost.append(outcome.status)
                asked.waivers.note(outcome.status, job.checked(), ())
                continue
            results.append(outcome.result)
            hits = outcome.result.extra.get("waived")
            asked.waivers.note(outcome.result.verdict, job.checked(), hits)
            asked.entries.append(outcome.entry())
            lost += outcome.left.lost
    left.keep()
    if not results:
        raise WlkError(Status.NO_SPACE, "no run had the space it needs; free some")
    return results, lost


def _table(plan: Sequence[Job], results: Sequence[report.Result]) -> report.Table:
    """A row a job, in the order of the plan."""
    columns = "block config cycles compares masked coverage cycles/s verdict"
    table = report.Table(*columns.split())
    order = {job.title: n for n, job in enumerate(plan)}
    for row in sorted(lockstep.rows(results), key=lambda row: order.get(row[0], 0)):
        table.add(*row[1:])
    return table


def _show_alike(asked: Lockstep) -> None:
    """Where several runs or seeds fail: those that are alike in one row, with the smallest."""
    found = [each for entry in asked.entries for each in buckets.failures(entry)]
    if len(found) > 1:
        print("\nfailures that are alike:")
        print(buckets.text(buckets.group(found)), flush=True)


def _execute(job: Job, screen: Screen) -> Outcome | WlkError:
    """One run. That there is no room for it does not take the verdicts of the others."""
    try:
        outcome = lockstep.execute(job, screen.verdict, screen.answer)
    except WlkError as error:
        if error.status != Status.NO_SPACE or not screen.several:
            raise
        screen.left([f"{job.title}: not run: {error.message}"])
        return error
    screen.left(outcome.left.lines)
    return outcome

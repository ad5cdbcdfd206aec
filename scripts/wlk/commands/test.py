# SPDX-License-Identifier: Apache-2.0
"""`warplock test`: the tests in C (Meson) and in Python (pytest), counted per folder."""

from __future__ import annotations

import argparse
import os
from typing import Any

from ..base import options
from ..run import tests

EXAMPLE = "warplock test\nwarplock test --quick -k collector"


def add(subparsers: Any) -> None:
    """Add the subcommand's parser."""
    parser = options.add_parser(subparsers, "test", "run all tests", EXAMPLE)
    amount = parser.add_mutually_exclusive_group()
    amount.add_argument("--quick", action="store_true", help="leave out what takes long")
    amount.add_argument(
        "--full",
        action="store_true",
        help="every fault, named configuration and long property (hours); without it a part of "
        "each, $WARPLOCK_SLICE chooses which: CI takes another one for each commit",
    )
    parser.add_argument(
        "--folder",
        action="append",
        choices=tests.FOLDERS,
        help="only tests of this folder; may be repeated (those in C are in unit)",
    )
    parser.add_argument("-k", metavar="PATTERN", help="only tests whose name matches, as in pytest")
    parser.add_argument(
        "--retry",
        action="store_true",
        help="run a Python test that failed once more, alone; one that passes then is listed as "
        "UNSTABLE and counts as passed",
    )
    parser.add_argument(
        "--jobs",
        type=options.number(1),
        default=len(os.sched_getaffinity(0)),
        metavar="N",
        help="this many folders at a time (default: one a processor)",
    )


def needs(args: argparse.Namespace) -> tuple[str, ...]:
    """What is to be there before it runs."""
    return ("build", "verilate", "rtl", "pytest")


def run(args: argparse.Namespace) -> int:
    """Run the tests; 0 only if at least one ran and none failed."""
    return tests.run(args)

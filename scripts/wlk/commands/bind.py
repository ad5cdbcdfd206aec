# SPDX-License-Identifier: Apache-2.0
"""`warplock bind`: the checker of a module, to be bound into a user's own simulation."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..base import options
from ..run import bind

EXAMPLE = """warplock bind collector --rtl rtl/ --out wlk
verilator --binary -f wlk/warplock.f rtl/*.sv tb.sv --top-module tb"""


def add(subparsers: Any) -> None:
    """Add the subcommand's parser."""
    summary = "write a bindable checker for a module, for a simulation of your own"
    parser = options.add_parser(subparsers, "bind", summary, EXAMPLE)
    parser.add_argument("block", metavar="BLOCK")
    options.add_rtl(parser, required=True)
    options.add_named_config(parser)
    parser.add_argument(
        "--clock",
        metavar="PATH",
        help="of a block without a clock: what samples it, as seen from its module (default: the "
        "module's port clock)",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write to")
    options.add_force(parser)


def needs(args: argparse.Namespace) -> tuple[str, ...]:
    """What is to be there before it runs."""
    return ("build", "rtl")


def run(args: argparse.Namespace) -> int:
    """Match the module's ports, generate the files, print how to use them."""
    return bind.write(args)

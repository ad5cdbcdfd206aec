# SPDX-License-Identifier: Apache-2.0
"""`warplock bind`: the checker of a module, to be bound into a user's own simulation."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..base import options

EXAMPLE = """warplock bind collector --rtl rtl/ --out wlk
verilator --binary -f wlk/warplock.f rtl/*.sv tb.sv --top-module tb"""


def add(subparsers: Any) -> None:
    """Add the subcommand's parser."""
    summary = "write a bindable checker for a module, for a simulation of your own"
    parser = options.add_parser(subparsers, "bind", summary, EXAMPLE)
    parser.add_argument("block", metavar="BLOCK")
    parser.add_argument(
        "--rtl", nargs="+", action="extend", type=Path, required=True, metavar="PATH"
    )
    parser.add_argument("--module", metavar="NAME", help="module to check, if its name differs")
    parser.add_argument("--define", action="append", default=[], metavar="NAME[=VALUE]")
    parser.add_argument("--include", action="append", type=Path, default=[], metavar="DIR")
    parser.add_argument("--config", action="append", default=[], metavar="NAME|KEY=VALUE")
    parser.add_argument(
        "--clock",
        metavar="PATH",
        help="of a block without a clock: what samples it, as seen from its module (default: the "
        "module's port clock)",
    )
    options.add_tie(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write to")
    options.add_force(parser)


def needs(args: argparse.Namespace) -> tuple[str, ...]:
    """What is to be there before it runs."""
    return ("build", "rtl")


def run(args: argparse.Namespace) -> int:
    """Match the module's ports, generate the files, say how to use them."""
    from ..run import bind

    return bind.write(args)

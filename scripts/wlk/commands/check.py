# SPDX-License-Identifier: Apache-2.0
"""`warplock check`: a waveform of any simulator's run against the model, no rebuild."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path
from typing import Any

from ..base import options
from ..base.errors import Status, WlkError
from ..fit.scopes import Check
from ..run import check, recordings

EXAMPLE = """warplock check run.fst
warplock check ../shared/traces
warplock check run.vcd --block collector --scope TOP.Core.collector --config coll_entries=2"""


def add(subparsers: Any) -> None:
    """Add the subcommand's parser."""
    summary = "check a VCD or FST of any simulator's run against the model"
    parser = options.add_parser(subparsers, "check", summary, EXAMPLE)
    parser.add_argument(
        "dump",
        metavar="DUMP",
        help="the waveform, VCD or FST; or a folder of recordings, CSV among them",
    )
    parser.add_argument(
        "--block", action="append", default=[], metavar="B", help="only this block; may be repeated"
    )
    parser.add_argument(
        "--scope",
        action="append",
        default=[],
        metavar="PATH",
        help="the scope that holds the ports; may be repeated (default: all that fit)",
    )
    parser.add_argument(
        "--clock", metavar="PATH", help="the clock (default: in the scope, else around it)"
    )
    options.add_settings(
        parser, "a parameter of the spec, for every block that has it; may be repeated"
    )
    text = "what no reset reaches: unknown (default), or zero, which needs no reset"
    options.add_power_up(parser, "unknown", text)
    options.add_tie(parser)
    options.add_strict(parser)


def refuse(args: argparse.Namespace) -> None:
    """Options of one dump with a folder of them."""
    for option in ("block", "scope", "clock", "config", "tie"):
        if getattr(args, option) and Path(args.dump).is_dir():
            message = f"--{option} goes with one dump, and {args.dump} is a folder"
            hint = "a file NAME.toml beside NAME.fst says parameters"
            raise WlkError(Status.USAGE, f"{message}; {hint}")


def needs(args: argparse.Namespace) -> tuple[str, ...]:
    """What is to be there before it runs."""
    vcd = any(Path(args.dump).rglob("*.vcd")) or _is_vcd(args.dump)
    return ("build", "vcd") if vcd else ("build",)


def run(args: argparse.Namespace) -> int:
    """Check; the exit code is that of the worst verdict."""
    if Path(args.dump).is_dir():
        return recordings.check_folder(Path(args.dump), args.json)
    return check.run(options.of(Check, args))


def _is_vcd(dump: str) -> bool:
    """A text that starts like a VCD, which a program of its own turns into FST."""
    with contextlib.suppress(OSError), open(dump, "rb") as file:
        start = file.read(1)
        return start == b"$" or start.isspace()
    return False

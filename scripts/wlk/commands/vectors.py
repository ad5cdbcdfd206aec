# SPDX-License-Identifier: Apache-2.0
"""`warplock vectors`: files of stimulus and expected values, made once and played anywhere."""

from __future__ import annotations

import argparse
import functools
from pathlib import Path
from typing import Any

from ..base import options
from ..run import vector_actions

EXAMPLE = """warplock vectors gen collector saturate.wlv --profile saturate --cycles 100000
warplock vectors play saturate.wlv"""
HIGHEST = 2**64 - 1
CYCLES = 10_000
POWER_UP = "what no reset reaches, at the start: unknown (not compared) or zero"
_action = functools.partial(options.add_action, "vectors")


def add(subparsers: Any) -> None:
    """Add the subcommand's parser, and those of its own subcommands."""
    summary = "make, play, print and import vector files (stimulus with expected values)"
    parser = options.add_parser(subparsers, "vectors", summary, EXAMPLE)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _add_gen(actions)
    _add_play(actions)
    _add_dump(actions)
    _add_import(actions)
    info = _action(actions, "info", "print what files say of themselves", "c.wlv")
    info.add_argument("files", metavar="FILE", nargs="+", type=Path)
    summary = "check the golden files of this checkout against the model, or write them"
    golden = _action(actions, "golden", summary, "--write")
    golden.add_argument("--write", action="store_true", help="write the files and their manifest")


def _add_gen(actions: Any) -> None:
    example = "collector c.wlv --config num_lanes=4 --seed 7 --cycles 1e5"
    parser = _action(actions, "gen", "generate a file from a seed", example)
    parser.add_argument("block", metavar="BLOCK")
    parser.add_argument("out", metavar="OUT", type=Path)
    parser.add_argument("--seed", type=options.number(0, HIGHEST), default=1, metavar="S")
    parser.add_argument(
        "--profile", default="mix", help="kind of stimulus (default: mix, phases of all)"
    )
    parser.add_argument("--cycles", type=options.number(1, HIGHEST), default=CYCLES, metavar="N")
    parser.add_argument(
        "--small", action="store_true", help="smallest file instead of fastest writing"
    )
    options.add_force(parser)
    options.add_power_up(parser, "unknown", POWER_UP)
    options.add_settings(parser, "a parameter; may be given several times")


def _add_play(actions: Any) -> None:
    parser = _action(actions, "play", "run the model on files and compare", "c.wlv")
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
    options.add_settings(parser, "refuse a file that was made with another value")
    rtl = parser.add_argument_group("drive RTL, too")
    options.add_rtl(rtl, several=False)


def _add_dump(actions: Any) -> None:
    summary = "print records as JSON lines; values in hexadecimal"
    parser = _action(actions, "dump", summary, "c.wlv --from 10 --to 12")
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument("--from", dest="first", type=options.number(), default=0, metavar="A")
    parser.add_argument(
        "--to", dest="last", type=options.number(), metavar="B", help="last cycle (default: all)"
    )


def _add_import(actions: Any) -> None:
    example = "--csv collector_A.csv.xz a.wlv --block collector"
    parser = _action(actions, "import", "make a file from a recording", example)
    parser.add_argument("--csv", metavar="FILE[.xz]", type=Path, required=True)
    parser.add_argument("out", metavar="OUT", type=Path)
    parser.add_argument("--block", required=True)
    options.add_force(parser)
    options.add_power_up(parser, "unknown", POWER_UP)
    options.add_settings(parser, "a parameter that the ports do not show")
    options.add_strict(parser)


def refuse(args: argparse.Namespace) -> None:
    """Names that nothing has."""
    vector_actions.refuse(args)


def needs(args: argparse.Namespace) -> tuple[str, ...]:
    """What is to be there before it runs."""
    return ("build", "verilate", "rtl") if getattr(args, "rtl", None) else ("build",)


def run(args: argparse.Namespace) -> int:
    """Do one action."""
    return vector_actions.ACTIONS[args.action](args)

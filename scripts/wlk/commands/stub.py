# SPDX-License-Identifier: Apache-2.0
"""`warplock stub`: write the stub RTL of a block for one configuration."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .. import tables
from ..base import options, outputs, report
from ..gen import composed, stubs
from ..run import jobs

EXAMPLE = """warplock stub collector --config num_lanes=4 --out my_rtl
warplock lockstep collector --rtl my_rtl"""


def add(subparsers: Any) -> None:
    """Add the subcommand's parser."""
    summary = "write the stub RTL of a block: modules with the emitted ports, and what is in them"
    parser = options.add_parser(subparsers, "stub", summary, EXAMPLE)
    parser.add_argument("block", metavar="BLOCK")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write to")
    options.add_named_config(parser)
    parser.add_argument(
        "--omit",
        action="append",
        default=[],
        metavar="PORT",
        help="leave a port out, as the Chisel compiler does in inner modules",
    )
    options.add_force(parser)


def needs(args: argparse.Namespace) -> tuple[str, ...]:
    """What is to be there before it runs."""
    return ()


def run(args: argparse.Namespace) -> int:
    """Write the files."""
    table = tables.load(args.block)
    config = table.config(jobs.given_config(table, args.config))
    texts = composed.module_texts(table, config, omit=args.omit)
    contents = {f"{module}.sv": text.encode() for module, text in texts.items()}
    contents |= {path.name: path.read_bytes() for path in stubs.stub_files(table)}
    outputs.save(args.out, contents, force=args.force)
    files = [args.out / name for name in contents]
    if args.json:
        report.json_line({"block": table.name, "files": [str(f) for f in files]})
    else:
        print("\n".join(str(f) for f in files))
    return 0

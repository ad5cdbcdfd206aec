# SPDX-License-Identifier: Apache-2.0
"""`warplock setup`: install what the other subcommands need, which each also does by itself."""

from __future__ import annotations

import argparse
from typing import Any

from ..base import options, setup


def add(subparsers: Any) -> None:
    """Add the subcommand's parser."""
    summary = "install what the other subcommands need (they do it by themselves, too)"
    parser = options.add_parser(subparsers, "setup", summary, "warplock setup test")
    help_text = "what for: run (default), or test, which adds what only the tests need"
    parser.add_argument("kind", nargs="?", choices=setup.KINDS, default="run", help=help_text)


def needs(args: argparse.Namespace) -> tuple[str, ...]:
    """What is to be there before it runs."""
    return setup.KINDS[args.kind]


def run(args: argparse.Namespace) -> int:
    """All is there: the command line has seen to it."""
    return 0

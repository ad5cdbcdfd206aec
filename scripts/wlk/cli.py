# SPDX-License-Identifier: Apache-2.0
"""The one command: `scripts/warplock SUBCOMMAND`.

commands.py has the subcommands. One refuses what no work can make good, then what it needs is set
up, then it runs.
"""

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from .base import installed, options, published, seeds, setup
from .base.guard import NAME, guard
from .commands import COMMANDS, find, prepare


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    return guard(lambda: _dispatch(words), as_json="--json" in words)


def parse(words: Sequence[str]) -> options.Command:
    """What the command line asks: its subcommand, or an action of one."""
    made = parser()
    args = made.parse_args(words, argparse.Namespace(words=list(words), parser=made))
    args.given = frozenset(vars(args))
    return options.of(args.asked, args)


def parser() -> options.Parser:
    """The parser of the whole command, from which completion and the manual page are made too."""
    made = options.Parser(
        prog=NAME,
        description="Bit- and cycle-exact reference models of GPU issue stages, run against RTL.",
        epilog=f"`{NAME} help SUBCOMMAND` shows its options and an example.",
    )
    made.add_argument("--version", action="version", version=f"{NAME} {installed.version()}")
    subparsers = made.add_subparsers(dest="command", metavar="SUBCOMMAND", required=True)
    for command in COMMANDS:
        command.add(subparsers)
    return made


def _dispatch(words: Sequence[str]) -> int:
    if installed.INSTALLED:
        installed.INSTALLED.check_files()
    if not words:
        parser().print_help()
        return 0
    asked = parse(words)
    more = find(asked)
    asked.refuse()
    seeds.settle(asked)
    published.refuse(asked)
    needed = (*asked.needs(), *more)
    offered = (*asked.offers(), *published.offers(asked))
    with setup.refused() if asked.no_setup else contextlib.nullcontext():
        setup.ensure(needed, offered)
        if setup.needs_venv(needed):
            _enter_venv(asked.words)
        if not setup.offer(offered) and setup.needs_venv(offered):
            _enter_venv(asked.words)
        for line in asked.deprecated:
            print(f"{NAME}: {line}", file=sys.stderr)
        prepare(asked)
        seeds.announce(asked)
        return published.run(asked)


def _enter_venv(words: Sequence[str]) -> None:
    """Start again with the Python of setup.VENV, unless this is it."""
    if Path(sys.prefix).resolve() == setup.VENV.resolve():
        return
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(setup.PYTHON, [str(setup.PYTHON), str(setup.ROOT / "scripts" / NAME), *words])


if __name__ == "__main__":  # of Meson, with packages that are there without set-up
    sys.exit(guard(lambda: parse(sys.argv[1:]).run()))

# SPDX-License-Identifier: Apache-2.0
"""The one command: `scripts/warplock SUBCOMMAND`.

Each subcommand is a module `commands/<name>.py` with

- `refuse(args)`, if it has one: raises for what no work can make good, before any is done,
- `needs(args)`: the features that set-up provides before it runs (setup.FEATURES),
- `add(subparsers)`: makes its parser with `options.add_parser`,
- `run(args) -> int`: does the work and returns the exit code.

They are imported to build the help, before set-up: what needs a package of build/venv is imported
inside `run`.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from . import commands
from .base import setup
from .base.guard import NAME, guard
from .base.options import Parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    return guard(lambda: _dispatch(words), as_json="--json" in words)


def parse(words: Sequence[str]) -> tuple[argparse.Namespace, ModuleType]:
    """The command line, and the module of its subcommand."""
    known = load_commands()
    parser = Parser(
        prog=NAME,
        description="Bit- and cycle-exact reference models of GPU issue stages, run against RTL.",
        epilog=f"`{NAME} SUBCOMMAND --help` shows its options and an example.",
    )
    subparsers = parser.add_subparsers(dest="command", metavar="SUBCOMMAND", required=True)
    for module in known.values():
        module.add(subparsers)
    args = parser.parse_args(words)
    return args, known[args.command]


def _dispatch(words: Sequence[str]) -> int:
    args, module = parse(words)
    args.words = list(words)
    if hasattr(module, "refuse"):
        module.refuse(args)
    needed = module.needs(args)
    setup.ensure(needed, allow=not args.no_setup)
    if setup.needs_venv(needed):
        _enter_venv(words)
    return int(module.run(args))


def load_commands() -> dict[str, ModuleType]:
    """The subcommands by name, in alphabetical order."""
    names = sorted(module.name for module in pkgutil.iter_modules(commands.__path__))
    return {name: importlib.import_module(f"{commands.__name__}.{name}") for name in names}


def _enter_venv(words: Sequence[str]) -> None:
    """Start again with the Python of build/venv, unless this is it."""
    if Path(sys.prefix).resolve() == setup.VENV.resolve():
        return
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(setup.PYTHON, [str(setup.PYTHON), str(setup.ROOT / "scripts" / NAME), *words])

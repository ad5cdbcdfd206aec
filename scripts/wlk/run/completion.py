# SPDX-License-Identifier: Apache-2.0
"""What is made from the options of the command: help, completion in shells, the manual page."""

import argparse
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .. import tables
from ..base import installed
from ..base.options import Command, operand

WIDTH = "1000"  # of a line of help: pagers and shells wrap it
TITLE = "User Commands"


@dataclass
class Completion(Command):
    """Print the completion of bash or zsh, or the manual page, made from the options."""

    NAME = "completion"
    NEEDS = ("completion",)
    EXAMPLE = """warplock completion bash > ~/.local/share/bash-completion/completions/warplock
warplock completion zsh > ~/.zfunc/_warplock
warplock completion man > warplock.1"""

    kind: str = operand("KIND", "bash, zsh or man", choices=("bash", "zsh", "man"))
    parser: argparse.ArgumentParser | None = None  # of the whole command

    def run(self) -> int:
        """Print it."""
        print(made(self.kind, self.parser), end="")
        return 0


@dataclass
class Help(Command):
    """Show the options of a subcommand, or of an action of one."""

    NAME = "help"
    NEEDS = ()
    EXAMPLE = """warplock help lockstep
warplock help vectors play"""

    topic: list[str] = operand("SUBCOMMAND", "the subcommand, and its action", [], nargs="*")
    parser: argparse.ArgumentParser | None = None  # of the whole command

    def run(self) -> int:
        """Print them, which ends the command with 0."""
        self.parser.parse_args([*self.topic, "--help"])
        raise AssertionError(self.topic)


def made(kind: str, parser: argparse.ArgumentParser) -> str:
    """The completion of a shell, or the manual page."""
    os.environ["COLUMNS"] = WIDTH
    return MAKERS[kind](parser)


def _completion(shell: str, parser: argparse.ArgumentParser) -> str:
    import shtab

    for action in _actions(parser):
        if action.metavar == "BLOCK":
            action.choices = tables.names()
        elif kind := re.match(r"FILE|PATH|DIR|DUMP", str(action.metavar)):
            action.complete = shtab.DIRECTORY if kind[0] == "DIR" else shtab.FILE
    return shtab.complete(parser, shell)


def _actions(parser: argparse.ArgumentParser) -> Iterator[Any]:
    """The actions of a parser and of those of its subcommands."""
    for action in parser._actions:  # noqa: SLF001, as shtab reads them
        yield action
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for each in action.choices.values():
                yield from _actions(each)


def _manual(parser: argparse.ArgumentParser) -> str:
    from argparse_manpage.manpage import Manpage

    about = {"version": installed.version(), "manual_title": TITLE}
    page = Manpage(parser, about | {"description": parser.description.rstrip(".")})
    page.date = ""  # that of the build would make each build another one
    # A line of text that begins as a macro is none.
    return re.sub(r"^(?=\.[^A-Z]|')", r"\\&", str(page), flags=re.MULTILINE)


MAKERS: Mapping[str, Callable[[argparse.ArgumentParser], str]] = {
    "bash": lambda parser: _completion("bash", parser),
    "zsh": lambda parser: _completion("zsh", parser),
    "man": _manual,
}

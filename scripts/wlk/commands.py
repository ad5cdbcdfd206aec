# SPDX-License-Identifier: Apache-2.0
"""The subcommands, each a class with its options; here those that call several others.

All are imported to build the help, before set-up: what needs a package of build/venv is imported
where it is used.
"""

from dataclasses import dataclass
from pathlib import Path

from .base import setup
from .base.errors import Status, WlkError
from .base.options import Command, operand
from .explore.explore import Explore
from .fit import scopes
from .regress.bisect import Bisect
from .regress.regress import Regress
from .run import check, covered, recordings
from .run.bind import Bind
from .run.completion import Completion, Help
from .run.coverage import Coverage
from .run.map import Map
from .run.model import Model
from .run.mutate import Mutate
from .run.new import New
from .run.opndcoll_summary import Opndcoll
from .run.own_blocks import find, prepare
from .run.prove import Prove
from .run.runs import Lockstep
from .run.stub import Stub
from .run.tests import Tests
from .run.vector_actions import Vectors

__all__ = ["COMMANDS", "find", "prepare"]


@dataclass
class Check(scopes.Check):
    """Check a VCD or FST of any simulator's run against the model."""

    NAME = "check"
    EXAMPLE = """warplock check run.fst
warplock check ../shared/traces
warplock check run.vcd --block collector --scope TOP.Core.collector --config coll_entries=2
warplock check own.fst --map collector.toml
warplock check late.fst --from-unknown"""

    def refuse(self) -> None:
        """Options of one dump with a folder of them."""
        if self.from_unknown and self.power_up != "unknown":
            message = f"--power-up {self.power_up} knows the state that --from-unknown learns"
            raise WlkError(Status.USAGE, f"{message}; leave out one of them")
        names = "block scope clock config tie map reset prefix cover waive from_unknown"
        for name in names.split():
            if getattr(self, name) and Path(self.dump).is_dir():
                flag = name.replace("_", "-")
                message = f"--{flag} goes with one dump, and {self.dump} is a folder"
                hint = "check them one at a time; NAME.toml beside NAME.fst gives parameters"
                raise WlkError(Status.USAGE, f"{message}; {hint}")
        covered.refuse(self.cover)
        self.read_waivers()

    def run(self) -> int:
        """The exit code is that of the worst verdict."""
        if Path(self.dump).is_dir():
            return recordings.check_folder(Path(self.dump), self)
        return check.run(self)


@dataclass
class Setup(Command):
    """Install what the other subcommands need (they do it by themselves, too)."""

    NAME = "setup"
    EXAMPLE = "warplock setup test"

    kind: str = operand(
        "KIND",
        "what for: run (default), or test, which adds what only the tests need",
        "run",
        nargs="?",
        choices=tuple(setup.KINDS),
    )

    def needs(self) -> tuple[str, ...]:
        return setup.KINDS[self.kind]

    def run(self) -> int:
        """All is there but what tests can do without: the command line has seen to it."""
        if self.kind == "test":
            setup.offer(setup.OPTIONAL)
        return 0


COMMANDS: tuple[type[Command], ...] = (
    *(Bind, Bisect, Check, Completion, Coverage, Explore, Help, Lockstep, Map, Model, Mutate, New),
    *(Opndcoll, Prove, Regress, Setup, Stub, Tests, Vectors),
)

# SPDX-License-Identifier: Apache-2.0
"""The question that a proof answers, and its answer, which is kept where it is PROVED."""

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..base import keep, outputs, progress, setup
from ..base.errors import Status, WlkError
from ..gen import rules
from ..prove import engines, miter, netlist
from ..prove.engines import Answer, Limits
from ..prove.miter import Compared
from ..prove.netlist import Netlist
from ..tables import Config, Table
from . import counterexample, crosscheck

PROOFS = setup.BUILD / "proofs"
REACH = 60.0  # seconds to find legal inputs


def rules_of(table: Table, config: Config) -> miter.Rules | None:
    """The block's rules as a module that judges the inputs; None where it has none."""
    masked = rules.offers(table, config)
    text = rules.module_sv(table, config, masked)
    if text is None:
        return None
    return miter.Rules(text, f"wlk_{table.name}_rules", table.reset or "", masked=masked)


def compared_ports(table: Table, config: Config, present: set[str]) -> list[Compared]:
    """The outputs of a block that the RTL has, and when each has a meaning (`valid_when`)."""
    meaning = table.meaning(config)
    return [
        Compared(netlist.Port(port.name, "out", port.width), meaning.get(port.name, ""))
        for port in table.ports(config)
        if port.direction == "out" and port.name in present
    ]


@dataclass
class Question:
    """What is to be proved of two netlists; the first is what is right."""

    gold: Netlist
    gate: Netlist
    compared: Sequence[Compared]
    ties: Mapping[str, int] = field(default_factory=dict)
    reset: Mapping[str, int] = field(default_factory=dict)
    starts: Sequence[Mapping[str, int]] = ()  # inputs of either side in the cycle of reset
    free: bool = False  # any value at power-up
    rules: miter.Rules | None = None

    def pair(self, verilator: str) -> crosscheck.Pair:
        """The same of the sources, in a simulator."""
        given = (self.gold, self.gate, self.compared, self.ties, self.reset)
        return crosscheck.Pair(*given, verilator=verilator)

    @property
    def excuse(self) -> str:
        """Why simulation need not show a difference."""
        return counterexample.excuse(self.gold.unknowns + self.gate.unknowns, self.free)

    @property
    def note(self) -> Path:
        """Where it is noted that it is proved, in a folder of its own."""
        sides = [side.path.read_bytes() for side in (self.gold, self.gate)]
        given = (self.ties, self.reset, self.starts, self.free, self.rules, self.gold.async_reset)
        shown = [str(each) for each in (*self.compared, *given)]
        return PROOFS / keep.digest([*sides, *shown]) / "proved.json"

    def builder(self, place: Path, *, cover: bool = False) -> Callable[[miter.Whole], miter.Miter]:
        """What builds the miter of it; `cover`: whether inputs can be legal at all."""
        return miter.Builder(
            self.gold,
            self.gate,
            self.compared,
            place,
            ties=self.ties,
            rules=self.rules,
            reset=self.reset,
            starts=self.starts,
            free=self.free,
            cover=cover,
        ).build


def decide(
    question: Question, limits: Limits, enough: Callable[[], bool] = lambda: False, *, fresh: bool
) -> tuple[Answer, bool]:
    """The answer, and whether it was known. Only what is proved is kept. VACUOUS when the rules
    that are assumed exclude each other."""
    note = question.note
    place = note.parent
    with setup.locked(f"proof-{place.name}"):
        if note.is_file() and not fresh:
            keep.touch(place, "proof")
            return Answer(Status.OK, json.loads(note.read_text(encoding="utf-8"))["depth"]), True
        if question.rules is not None:
            _require_reachable(question, place / "cover")
        said = ["reading"]
        with progress.watched(f"proving {question.gate.source.top}", lambda: said[0]):
            answer = engines.decide(
                question.builder(place), limits, lambda text: said.__setitem__(0, text), enough
            )
        if answer.verdict == Status.OK:
            with outputs.atomic_write(note) as file:
                file.write(json.dumps({"depth": answer.depth}))
        keep.touch(place, "proof")
    return answer, False


def _require_reachable(question: Question, place: Path) -> None:
    """VACUOUS when no inputs keep the rules, which names those that exclude each other."""
    given = question.rules

    def contradict(left_out: Sequence[str]) -> bool:
        rules = dataclasses.replace(given, left_out=left_out)
        covered = dataclasses.replace(question, rules=rules).builder(place, cover=True)
        return engines.decide(covered, Limits(REACH)).verdict == Status.OK

    if not contradict(()):
        return
    names = [port.name for port in given.read(place).ports if port.direction == "out"]
    left_out: list[str] = []
    for name in names:
        left_out += [name] if contradict([*left_out, name]) else []
    which = " and ".join(n.removeprefix(rules.OUTPUT) for n in names if n not in left_out)
    message = f"no inputs keep {which} outside of reset: nothing is proved"
    raise WlkError(Status.VACUOUS, f"{message}; mend the rules, or give --no-assume")

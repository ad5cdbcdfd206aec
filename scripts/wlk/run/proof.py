# SPDX-License-Identifier: Apache-2.0
"""The answer of a proof, and what it is about: as text, as JSON, as others see it."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..base import report
from ..base.entries import Entry
from ..base.errors import Status
from ..prove.engines import Answer
from . import counterexample

MOST = 4  # places that are listed for a person


@dataclass
class Proof:
    """An answer, and what it is about."""

    what: str  # in words
    module: str
    config: Mapping[str, Any]
    answer: Answer
    block: str | None = None
    assumptions: list[str] = field(default_factory=list)
    seconds: float = 0.0
    rules: Sequence[str] = ()  # that are assumed
    outputs: int = 0
    against: str = ""  # what RTL is compared with
    missing: Sequence[str] = ()  # outputs that the RTL lacks
    unshown: Sequence[str] = ()  # and those that the model never shows
    binds_left_out: Sequence[str] = ()
    notes: list[str] = field(default_factory=list)
    apart: Sequence[str] = ()  # places that a simulator reads otherwise than synthesis
    suspects: Sequence[str] = ()  # places that it may read otherwise
    example: counterexample.Example | None = None
    kept: bool = False
    simulated: int = 0  # cycles in which the sources agree
    # Simulation does not say what the netlist says, or it is PROVED of one of two readings.
    disputed: Status | None = None
    searched: Mapping[str, Any] = field(default_factory=dict)  # of parameters that no port shows
    readings: Sequence[str] = ()  # two of them, in words
    simulators: Sequence[str] = ()  # that were asked then
    began: float = field(default_factory=time.monotonic)

    @property
    def spent(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.began

    def close(self) -> None:
        """It is settled: how long it took, and what went wrong on the way."""
        self.notes += [self.answer.note] if self.answer.note else []
        self.seconds = self.spent

    @property
    def verdict(self) -> Status:
        if self.disputed is not None:
            return self.disputed
        if self.example is not None and not self.example.confirmed and not self.example.excuse:
            return Status.MODEL_ERROR
        return self.answer.verdict

    @property
    def word(self) -> str:
        return "PROVED" if self.verdict == Status.OK else self.verdict.name

    def json(self) -> dict[str, Any]:
        """The common object of commands that compare."""
        known = {"block": self.block, "module": self.module, "config": dict(self.config)}
        known |= {"verdict": self.word, "depth": self.answer.depth}
        known |= {"seconds": round(self.seconds, 3), "assumptions": self._assumed()}
        known |= {"against": self.against} if self.against else {}
        known |= {"outputs": self.outputs, "not_compared": [*self.missing, *self.unshown]}
        known |= {"kept": self.kept}
        known |= {"simulated": self.simulated}
        known |= {"binds_left_out": [*self.binds_left_out]} if self.binds_left_out else {}
        if self.example is not None:
            first = self.example.first
            known |= {"first": first.json()} if first is not None else {}
            known["counterexample"] = self.example.json()
        known |= {"read_apart": list(self.apart)} if self.apart else {}
        known |= self.searched
        return known | ({"notes": self.notes} if self.notes else {})

    def entry(self) -> Entry:
        """As others see it."""
        name = report.config_text(self.config) or self.module
        text = "" if self.verdict == Status.OK else self.text()
        return Entry(self.json(), name, text, notes=[self._meaning()], seconds=self.seconds)

    def text(self) -> str:
        """For a person."""
        word = report.with_gaps(self.word, self.json())
        lines = [f"{word}: {self.what}", f"  {self._meaning()}"]
        lines += [f"  assumed: {each}" for each in self._assumed()]
        if self.missing:
            lines.append("  not compared (not in the RTL): " + ", ".join(self.missing))
        if self.unshown:
            lines.append("  not compared (the model never shows it): " + ", ".join(self.unshown))
        lines += [f"  left out: {each}" for each in self.binds_left_out]
        lines += [f"  {note}" for note in [*self.notes, *self._places(), *self.readings]]
        return "\n".join(lines + (self.example.lines() if self.example is not None else []))

    def _places(self) -> list[str]:
        """Some of the places that are read otherwise, or may be where simulation disagrees."""
        found = [*self.apart, *(self.suspects if self.disputed == Status.BAD_RTL else ())]
        more = [f"and {len(found) - MOST} more such places"] if len(found) > MOST else []
        return [*found[:MOST], *more]

    def _assumed(self) -> list[str]:
        return [*self.assumptions, *(f"rule {name} is kept" for name in self.rules)]

    def _meaning(self) -> str:
        depth, outputs = self.answer.depth, f"{self.outputs} outputs"
        inputs = "all legal inputs" if self.rules else "all inputs"
        if self.verdict == Status.OK:
            when = "was proved before (--fresh proves again)" if self.kept else self._took()
            seen = f"simulated side by side for {self.simulated:,} cycles"
            return f"{outputs} are equal in every cycle, for {inputs}; {seen}; {when}"
        if self.verdict == Status.BOUNDED:
            known = f"{outputs} are equal for {depth} cycles, for {inputs}"
            return f"{known}; later ones are open; {self._took()}"
        if self.disputed is not None:
            return self._dispute()
        if self.verdict == Status.MODEL_ERROR:
            return "the counterexample does not show in simulation: stub, model or prover is wrong"
        return f"an output differs in cycle {depth - 1}; {self._took()}"

    def _dispute(self) -> str:
        """What simulation says, and what the netlist."""
        is_proved = self.answer.verdict == Status.OK
        if self.disputed == Status.AMBIGUOUS:
            return "the second of two readings of this RTL is proved; pin the one that is meant"
        netlist = "the netlist is proved equal" if is_proved else "the netlist differs"
        if self.disputed == Status.SIMULATOR:
            one, other = self.simulators
            return f"{one} simulates this RTL otherwise than {other}; {netlist}, as in {other}"
        seen = "a simulation of the sources differs" if is_proved else "no simulation shows it"
        return f"{netlist}, and {seen}: synthesis reads this RTL otherwise than a simulator"

    def _took(self) -> str:
        return f"{self.seconds:.1f} s"

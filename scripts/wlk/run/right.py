# SPDX-License-Identifier: Apache-2.0
"""What the RTL of a block is compared with in a proof: its model, where that is in model C, else
its stub."""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..base.errors import Status, WlkError
from ..gen import rules, stubs
from ..model import netlist as model
from ..prove import netlist
from ..prove.engines import Limits
from ..prove.miter import Compared
from ..prove.netlist import Source
from ..tables import Config, Table
from .proof import Proof
from .question import Question, decide, rules_of


class How(Protocol):
    """What of the command counts here."""

    fresh: bool
    no_assume: bool


@dataclass(frozen=True)
class Right:
    """What is right: the stub of a block."""

    table: Table
    config: Config
    files: Sequence[Path]
    name = kind = "stub"

    def compared(self, ports: Sequence[Compared]) -> Sequence[Compared]:
        """What of these outputs, and when."""
        return ports

    @property
    def unshown(self) -> Sequence[str]:
        """Outputs that it never shows."""
        return ()

    def require_total(
        self, proof: Proof, question: Question, limits: Callable[[], Limits], how: How
    ) -> None:
        """Nothing that it does may be undefined."""


@dataclass(frozen=True)
class _Model(Right):
    """Its model in C. That a compiler reads it as the netlist of it does is judged by lockstep."""

    made: model.Made
    name, kind = "C model", "model"

    def compared(self, ports: Sequence[Compared]) -> Sequence[Compared]:
        made = self.made
        shown = [each for each in ports if each.port.name not in made.lacking]
        return [dataclasses.replace(x, when=made.care.get(x.port.name, "")) for x in shown]

    @property
    def unshown(self) -> Sequence[str]:
        return self.made.lacking

    def require_total(
        self, proof: Proof, question: Question, limits: Callable[[], Limits], how: How
    ) -> None:
        """What is undefined in C must not happen, or what is proved is not what a compiler makes of
        the model: MODEL_ERROR names file, line, cycle and inputs."""
        faults = self.made.faults
        if proof.answer.verdict != Status.OK or not faults:
            return
        ports = [Compared(netlist.Port(self.made.fault(n), "out", 1)) for n in range(len(faults))]
        gate = netlist.read(Source([self.made.total], self.table.module))
        total = dataclasses.replace(question, gate=gate, compared=ports)
        answer, _ = decide(total, limits(), fresh=how.fresh)
        broken = answer.verdict == Status.REFUTED and total.rules is None and not how.no_assume
        if broken and (legal := rules_of(self.table, self.config)) is not None:
            proof.rules = [rule.name for rule in rules.rules_of(self.table, self.config)]
            total = dataclasses.replace(total, rules=legal)
            answer, _ = decide(total, limits(), fresh=how.fresh)
        if answer.verdict == Status.REFUTED:
            fault = faults[answer.output]
            inputs = " ".join(f"{name}={value:#x}" for name, value in answer.values[-1].items())
            message = f"{fault.where}: {fault.what}, which C leaves undefined"
            when = f"it happens in cycle {answer.depth - 1} with {inputs}"
            raise WlkError(Status.MODEL_ERROR, f"{message}; {when}")
        if answer.verdict != Status.OK:
            note = "whether what C leaves undefined happens in a later cycle is open"
            proof.answer = dataclasses.replace(answer, note=note)


def of(table: Table, config: Config) -> Right:
    """Of a block in a configuration."""
    if not model.is_modelled(table):
        return Right(table, config, stubs.write_stub(table, config))
    made = model.make(table, config)
    return _Model(table, config, [made.path], made)

# SPDX-License-Identifier: Apache-2.0
"""What the RTL of a block is compared with in a proof: its model, where that is in model C, else
its stub."""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..base import keep, outputs, setup
from ..base.errors import Status, WlkError
from ..gen import composed, rules, stubs
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

    def part(self, table: Table, config: Config) -> Source:
        """The same of a block inside."""
        return Source(stubs.write_stub(table, config), table.module)

    @property
    def of_parts(self) -> Source | None:
        """What it is equal to: such parts, and the wires of the table. None: it is that."""
        return None

    def require_total(
        self, proof: Proof, question: Question, limits: Callable[[], Limits], how: How
    ) -> None:
        """Nothing that it does may be undefined."""


@dataclass(frozen=True)
class _Model(Right):
    """Its model in C. That a compiler reads it as the netlist of it does is judged by lockstep."""

    made: model.Made
    parts: Sequence["_Model"] = ()  # of a composed model, which leaves their faults to them
    name, kind = "C model", "model"

    def compared(self, ports: Sequence[Compared]) -> Sequence[Compared]:
        made = self.made
        shown = [each for each in ports if each.port.name not in made.lacking]
        return [dataclasses.replace(x, when=made.care.get(x.port.name, "")) for x in shown]

    @property
    def unshown(self) -> Sequence[str]:
        return self.made.lacking

    def part(self, table: Table, config: Config) -> Source:
        (made,) = (each for each in self.parts if each.table.name == table.name)
        return Source(made.files, table.module)

    @property
    def of_parts(self) -> Source | None:
        module = self.table.module
        text = composed.module_texts(self.table, self.config)[module]
        place = setup.BUILD / "models" / keep.digest([text]) / f"{module}.sv"
        outputs.make_folder(place.parent)
        with setup.locked(f"model-{place.parent.name}"), outputs.atomic_write(place) as out:
            out.write(text)
        keep.touch(place.parent, "model")
        return Source([place, *(file for part in self.parts for file in part.files)], module)

    @property
    def netlist(self) -> netlist.Netlist:
        """The model as logic."""
        return netlist.read(Source(self.files, self.table.module))

    def require_total(
        self, proof: Proof, question: Question, limits: Callable[[], Limits], how: How
    ) -> None:
        """What is undefined in C must not happen, or what is proved is not what a compiler makes of
        the model: MODEL_ERROR names file, line, cycle and inputs."""
        for part in self.parts:
            reset = {part.table.reset: 1} if question.reset else {}
            own = Question(part.netlist, part.netlist, (), reset=reset, free=question.free)
            # That the wires keep the part's rules is not proved.
            part.require_total(proof, own, limits, dataclasses.replace(how, no_assume=True))
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
    return _model(table, config)


def _model(table: Table, config: Config) -> _Model:
    made = model.make(table, config)
    parts = [_model(part.table, part.cfg) for part in composed.inner_parts(table, config)]
    return _Model(table, config, [made.path], made, parts)

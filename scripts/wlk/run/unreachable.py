# SPDX-License-Identifier: Apache-2.0
"""Can a coverage point be reached? A proof that no legal inputs do, or inputs that do.

The point is an output of the model's netlist. What is asked holds for all inputs that keep the
block's rules, after a cycle of reset. Inputs are looked for from registers and memories that are 0
at power-up, and played on the compiled model, which must hit the point too. That there are none is
proved for any values at power-up, if the model says that they are unknown.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from ..base import outputs
from ..base.errors import Status, WlkError
from ..model import netlist as model
from ..prove import netlist
from ..prove.engines import Limits
from ..prove.miter import Compared
from ..prove.netlist import Source
from ..tables import Config, Table
from . import counterexample, vectors
from .question import Question, decide, rules_of


@dataclass(frozen=True)
class Reach:
    """What is known of a point."""

    text: str
    never: bool = False
    file: Path | None = None  # inputs that reach it


class Points:
    """The coverage points of a block in a configuration."""

    def __init__(self, table: Table, config: Config) -> None:
        """BUILD_FAIL names what of the model is not in model C."""
        self.table, self.config = table, config
        self.is_free = model.source_of(table, "unknown_start") == "true"
        if not model.is_modelled(table):
            raise WlkError(Status.BUILD_FAIL, f"the model of {table.name} is not in model C")
        made = model.points(table, config)
        self.sides = [
            netlist.read(Source([path], table.module)) for path in (made.path, made.never)
        ]

    def look(self, name: str, seconds: float, place: Path) -> Reach:
        """Can the point of this name be reached? Inputs that do are written to a folder."""
        table, config = self.table, self.config
        gold, gate = self.sides
        port = Compared(netlist.Port(model.Points.port(name), "out", 1))
        reset = {table.reset: 1} if table.reset else {}
        question = Question(gold, gate, [port], reset=reset, rules=rules_of(table, config))
        answer, _ = decide(question, Limits(seconds), fresh=False)
        if answer.verdict == Status.OK:
            if self.is_free:
                question = replace(question, free=True)
                answer, _ = decide(question, Limits(seconds), fresh=False)
            if answer.verdict == Status.OK:
                return Reach("unreachable: proved for all legal inputs after a reset", never=True)
            return Reach("unreachable where registers power up as 0; other values are open")
        if answer.verdict != Status.REFUTED:
            return Reach(f"not reached in {answer.depth} cycles by any legal inputs; later is open")
        outputs.make_folder(place)
        file = place / f"{table.name}_{name}.wlv"
        power_up = "reset" if reset else "zero"
        counterexample.write(table, config, answer.values, file, power_up)
        header = vectors.read_header(file)
        if not vectors.play(header, table, config).result["coverage"][name]:
            message = f"{file}: the netlist of the model hits {name}, the compiled model does not"
            raise WlkError(Status.MODEL_ERROR, f"{message}; please report it with this file")
        return Reach(f"inputs of {answer.depth} cycles reach it", file=file)

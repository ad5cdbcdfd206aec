# SPDX-License-Identifier: Apache-2.0
"""What an unknown input means to a checker without C, in a simulator with four states.

The rules are those of the checker in C (docs/quirks.md): an X on an input that a rule reads leaves
nothing to compare, unless another port says that the input means nothing in this cycle; and outputs
that show such an input all the same (`x_hides`) are not compared.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ..tables import Field, Port
from .sv import Harness

UNKNOWN = "`WLK_UNKNOWN"
MACRO = """\
`ifdef SYNTHESIS
`define WLK_UNKNOWN(VALUE) 1'b0
`elsif VERILATOR
`define WLK_UNKNOWN(VALUE) 1'b0
`else
`define WLK_UNKNOWN(VALUE) ((^(VALUE)) === 1'bx)
`endif"""


@dataclass(frozen=True)
class Unknowns:
    """The inputs of a module whose X matters."""

    harness: Harness

    def _inputs(self) -> list[Port]:
        return [port for port in self.harness.ports if port.direction == "in"]

    def _valid(self, port: Port) -> str | None:
        """What is 1 while an input means something; None: nothing ever is."""
        name = self.harness.table.valids(self.harness.cfg).get(port.name)
        if name is None:
            return "1'b1"
        if name in {each.name for each in self.harness.ports}:
            return name
        return "1'b1" if self.harness.tied.get(name, 0) else None

    def read(self) -> Iterator[tuple[Port, str]]:
        """Each input that must be known, and the condition under which it must."""
        for port in self._inputs():
            valid = self._valid(port)
            if port.read and port.field.lanes is None and valid is not None:
                always = valid == "1'b1"
                test = f"{UNKNOWN}({port.name})"
                yield port, test if always else f"{valid} && {test}"

    def cleared(self) -> list[Port]:
        """Inputs that are 0 to the stub where they are unknown, as to the model. An unknown bit of
        lane data stays so, wherever it is stored."""
        return [port for port in self._inputs() if port.field.lanes is None]

    def tests(self) -> list[str]:
        """Conditions of which one holds where such an input is unknown: inputs that go with one
        port are tested together."""
        groups: dict[str, list[str]] = {}
        for port, _ in self.read():
            groups.setdefault(self._valid(port) or "", []).append(port.name)
        tests = []
        for valid, names in groups.items():
            together = names[0] if len(names) == 1 else f"{{{', '.join(names)}}}"
            test = f"{UNKNOWN}({together})"
            tests.append(test if valid == "1'b1" else f"{valid} && {test}")
        return tests

    def hiding(self, output: Port) -> list[str]:
        """The inputs that hide an output while they are unknown."""
        return [
            port.name
            for port in self._inputs()
            if output.field.flat in port.field.x_hides
            and (_array(port.field) != _array(output.field) or port.index[0] == output.index[0])
        ]


def _array(item: Field) -> str:
    """The count of the array that a field is in, where it is a parameter; of no array the field's
    own name, which no other has."""
    counts = (count.text for _, count in item.path if count is not None and count.names)
    return next(counts, item.flat)

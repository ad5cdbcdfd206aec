# SPDX-License-Identifier: Apache-2.0
"""Two netlists side by side on the same inputs: one bit an output that says that it differs.

Where there is a reset, the start is what a cycle of it leaves in which all other inputs are 0: a
register may stand for its value in any code, but only from then on.

The bit of an output that has a meaning only while another one is 1 (`Compared.when`) counts only
then; that one is taken from the first netlist, which is what is right.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base import outputs
from ..base.errors import Status, WlkError
from . import netlist
from .aiger import FALSE, NEXT, TRUE, Bit, Circuit, inverted
from .netlist import Netlist, Port, Source


@dataclass(frozen=True)
class Compared:
    """An output of both sides; `when`: the port without whose 1 it means nothing."""

    port: Port
    when: str = ""


@dataclass(frozen=True)
class Rules:
    """A combinational module that says which inputs are legal. Its inputs have the names of ports
    of the first netlist, its outputs, of one bit each, are 1 where a rule is broken."""

    text: str
    module: str
    reset: str = ""  # an input
    left_out: Sequence[str] = ()  # outputs that do not count
    # Inputs of one bit that both netlists see as 0 in a cycle that breaks a rule. No answer depends
    # on it, for nothing counts then; but registers that only illegal inputs tell apart stay equal,
    # which is what the engines look for.
    masked: Sequence[str] = ()

    def read(self, place: Path) -> Netlist:
        """Its netlist."""
        path = place / f"{self.module}.sv"
        path.write_text(self.text, encoding="utf-8")
        return netlist.read(Source([path], self.module))


@dataclass(frozen=True)
class Miter:
    """The circuit, and what its outputs are, in their order."""

    aig: Path
    inputs: Mapping[int, Bit]  # by their number; the others are values that are unknown
    compared: Sequence[Compared]
    registers: int
    gates: int
    reset: Mapping[str, int]  # its inputs in the cycle before the start; empty: there is none


def build(
    gold: Netlist,
    gate: Netlist,
    compared: Sequence[Compared],
    place: Path,
    *,
    ties: Mapping[str, int] | None = None,
    rules: Rules | None = None,
    reset: Mapping[str, int] | None = None,
    chosen: Mapping[str, int] | None = None,
    cover: bool = False,
    step: bool = False,
) -> Miter:
    """Write the miter to a folder. `ties`: inputs of the first that are constant, since the second
    lacks them; `chosen`: those of the second. `reset`: the inputs that reset both. `cover`: of the
    first alone; in place of differences one output, which says that the inputs of two cycles
    without reset, one behind the other, were legal as all before them. `step`: both have the
    registers of the first, and what they take over is compared too; such a difference may be one
    that no output ever shows. VACUOUS without an output to compare."""
    if not compared:
        message = f"{gate.source.top}: no output to compare; nothing can be proved of it"
        raise WlkError(Status.VACUOUS, message)
    outputs.make_folder(place)
    circuit = Circuit()
    constant = _constant(gold, ties or {})
    names = rules.masked if rules is not None else ()
    masked = {(name, 0): circuit.later() for name in names if name not in (ties or {})}
    one = circuit.add(gold.part, constant | masked)
    state = [2 * variable for variable in circuit.registers] if step else []
    chosen_bits = _constant(gate, chosen or {})
    other = one if cover else circuit.add(gate.part, chosen_bits | masked, state)
    if reset:
        circuit.begin({(name, 0): value for name, value in reset.items()})
    counts = TRUE
    if rules is not None:
        judged = circuit.add(rules.read(place).part, constant | one)
        broken = circuit.any_of(
            literal for (name, _), literal in judged.items() if name not in rules.left_out
        )
        for bit, literal in masked.items():
            circuit.gates[literal >> 1] = circuit.input(bit), inverted(broken)
        counts = _legal(circuit, broken)
        counts = _lasts(circuit, counts, rules.reset) if cover else counts
    if not circuit.registers:
        counts = circuit.both(counts, inverted(_off(circuit)))
    if cover:
        circuit.outputs.append(counts)
    for each in () if cover else compared:
        bits = [(each.port.name, bit) for bit in range(each.port.width)]
        different = [circuit.differ(one[bit], other[bit]) for bit in bits]
        cares = counts
        if each.when:
            when = (each.when, 0)
            cares = circuit.both(counts, one[when] if when in one else circuit.input(when))
        circuit.outputs.append(circuit.both(circuit.any_of(different), cares))
    if state:
        pairs = ((circuit.registers[s >> 1], other[NEXT, n]) for n, s in enumerate(state))
        different = circuit.any_of([circuit.differ(*pair) for pair in pairs])
        circuit.outputs.append(circuit.both(different, counts))
    circuit.write(place / "miter.aig")
    numbers = {literal >> 1: bit for bit, literal in circuit.inputs.items()}
    named = {
        n: numbers[variable] for n, variable in enumerate(circuit.order) if variable in numbers
    }
    sizes = len(circuit.registers), len(circuit.gates)
    return Miter(place / "miter.aig", named, compared, *sizes, reset or {})


def _constant(side: Netlist, values: Mapping[str, int]) -> dict[Bit, int]:
    """The bits of inputs that are constant."""
    widths = {port.name: port.width for port in side.ports}
    return {
        (name, bit): TRUE if value >> bit & 1 else FALSE
        for name, value in values.items()
        for bit in range(widths[name])
    }


def _legal(circuit: Circuit, broken: int) -> int:
    """1 until an input breaks a rule: nothing counts from then on."""
    over = circuit.register()
    total = circuit.any_of([over, broken])
    circuit.registers[over >> 1] = total
    return inverted(total)


def _lasts(circuit: Circuit, legal: int, reset: str) -> int:
    """1 in a legal cycle without reset behind another one."""
    before = circuit.register()
    now = circuit.both(legal, inverted(circuit.input((reset, 0))) if reset else TRUE)
    circuit.registers[before >> 1] = now
    return circuit.both(before, now)


def _off(circuit: Circuit) -> int:
    """A register that ends the comparison at will: the engines take no circuit without one."""
    off = circuit.register()
    circuit.registers[off >> 1] = circuit.any_of([off, circuit.input()])
    return off

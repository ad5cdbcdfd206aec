# SPDX-License-Identifier: Apache-2.0
"""Two netlists side by side on the same inputs: one bit an output that says that it differs.

Where there is a reset, the start is what a cycle of it leaves in which all other inputs are 0: a
register may stand for its value in any code, but only from then on.

The bit of an output that has a meaning only while another one is 1 (`Compared.when`) counts only
then; that one is taken from the first netlist, which is what is right.
"""

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..base import outputs
from ..base.errors import Status, WlkError
from . import netlist, powerup
from .aiger import FALSE, TRUE, Bit, Circuit, LoopError, inverted
from .memories import Column, Joined, Member, Side, classes
from .netlist import Netlist, Port, Source

WORD = 12  # bits of a register for which there are hints


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
    # For an output the columns of memories that a difference there would rest on, as unknown
    # values: then it may be none.
    rests: Callable[[int], frozenset[Column]]


@dataclass(frozen=True)
class Whole:
    """Columns of memories that are made of registers; those of the first netlist count.
    `exact`: what rests on other columns is not compared."""

    columns: Collection[Column] = ()
    all: bool = False
    exact: bool = False


class _UnequalError(Exception):
    """Columns are written differently in the cycle of reset."""


@dataclass
class Builder:
    """Builds miters of two netlists in a folder.

    `ties`: inputs of the first that are constant, since the second lacks them; `chosen`: those of
    the second. `reset`: the inputs that reset both; `starts`: all inputs of either side in that
    cycle, where they are not 0. `free`: power-up leaves any value.
    `cover`: of the first alone; in place of differences one output, which says that the inputs of
    two cycles without reset, one behind the other, were legal as all before them.
    """

    gold: Netlist
    gate: Netlist
    compared: Sequence[Compared]
    place: Path
    ties: Mapping[str, int] = field(default_factory=dict)
    chosen: Mapping[str, int] = field(default_factory=dict)
    rules: Rules | None = None
    reset: Mapping[str, int] = field(default_factory=dict)
    starts: Sequence[Mapping[str, int]] = ()
    free: bool = False
    cover: bool = False

    def build(self, whole: Whole = Whole()) -> Miter:
        """Write the miter. VACUOUS without an output to compare; BAD_RTL when a memory reads what
        depends on it in the same cycle."""
        if not self.compared:
            message = f"{self.gate.source.top}: no output to compare; nothing can be proved of it"
            raise WlkError(Status.VACUOUS, message)
        outputs.make_folder(self.place)
        if self.rules is not None and self.rules.masked:
            with contextlib.suppress(LoopError):
                return self._split(whole)
            # A rule may read an output that depends on an input it would mask.
            self.rules = replace(self.rules, masked=())
        try:
            return self._split(whole)
        except LoopError:
            names = " or ".join(dict.fromkeys(side.source.top for side in (self.gold, self.gate)))
            message = f"module {names} has a combinational loop through a memory"
            raise WlkError(Status.BAD_RTL, f"{message}; break it with a register") from None

    def _split(self, whole: Whole) -> Miter:
        """With columns as unknown values; with whole memories where these cannot be."""
        with contextlib.suppress(LoopError, _UnequalError):
            return self._make(whole)
        return self._make(Whole(all=True))

    def _make(self, whole: Whole) -> Miter:
        """LoopError, _UnequalError where columns cannot be unknown values."""
        self.circuit = circuit = Circuit()
        names = self.rules.masked if self.rules is not None else ()
        masked = {(name, 0): circuit.later() for name in names if name not in self.ties}
        self.sides = list(self._sides())
        self.members: list[list[Member]] = []  # columns that hold the same
        owned: list[list[int]] = []  # registers of each side
        for side in self.sides:
            given, before = dict(side.given) | masked | side.read, len(circuit.registers)
            side.out = circuit.add(side.part, given)
            owned.append([*circuit.registers][before:])
        self.joined = Joined(circuit, self.sides, self._shared(whole))
        written = self.joined.connect()
        if self.free:
            others = powerup.OPEN if self.starts else 0
            inputs = [*masked.values()]
            powerup.begin(self.joined, owned, self.reset, others, inputs, self.members)
        elif self.reset:
            self._begin(owned, written)
        hints = self._hints(owned) if len(self.sides) == 2 else []
        counts = self._counts(masked)
        circuit.outputs = list(self._differences(counts)) if len(self.sides) == 2 else [counts]
        before = len(circuit.outputs)
        if whole.exact:
            guessed = circuit.behind(self.joined.reads())
            circuit.outputs = [FALSE if x >> 1 in guessed else x for x in circuit.outputs]
        else:
            circuit.outputs += [circuit.both(counts, literal) for literal in written]
        circuit.outputs += hints
        return self._written(_rests(self.joined, before))

    def _begin(self, owned: Sequence[Sequence[int]], written: Sequence[int]) -> None:
        """Each side begins with what its registers hold behind the cycle of reset."""
        for number, registers in enumerate(owned):
            given = {
                (name, bit): value >> bit & 1
                for name, value in (self.starts[number] if self.starts else self.reset).items()
                for bit in range(value.bit_length())
            }
            rows = (row for at, held in self.joined.held.items() if at[0] == number for row in held)
            values = self.circuit.begin(given, [*registers, *(row >> 1 for row in rows)])
            differs = any(values[literal >> 1] ^ literal & 1 for literal in written)
            if self.joined.is_written(number, values) if self.starts else differs:
                raise _UnequalError

    def _hints(self, owned: Sequence[Sequence[int]]) -> list[int]:
        """An output that is always 0 and holds nodes with which the engines may find registers of
        the second side equal to those of the first: numbers that count down for such that count up.
        """
        circuit, nodes = self.circuit, []
        for word in self.sides[1].part.words:
            if len(word) <= WORD:
                nodes += circuit.negated([2 * owned[1][number] for number in word])
        if not nodes:
            return []
        # These two registers are never both 1, which lcorr does not see: else the nodes were gone.
        one, other = circuit.register(), circuit.register()
        circuit.registers[one >> 1] = circuit.both(inverted(one), inverted(other))
        circuit.registers[other >> 1] = one
        return [circuit.both(circuit.both(one, other), circuit.any_of(nodes))]

    def _sides(self) -> Iterator[Side]:
        constants = (self.ties, self.chosen)
        netlists = (self.gold,) if self.cover else (self.gold, self.gate)
        for each, values in zip(netlists, constants, strict=False):
            memories = each.memories
            read = {bit: self.circuit.later() for ram in memories for bit in ram.read_bits}
            yield Side(each.part, memories, _constant(each, values), read)

    def _shared(self, whole: Whole) -> list[list[Member]]:
        """Columns that are no registers, those of both sides that hold the same."""
        if len(self.sides) < 2:
            return []
        self.members = classes(self.sides, self.reset)
        if whole.all:
            return []
        return [each for each in self.members if each[0].column not in whole.columns]

    def _counts(self, masked: Mapping[Bit, int]) -> int:
        """1 where a difference counts."""
        circuit, counts = self.circuit, TRUE
        if self.rules is not None:
            first = self.sides[0]
            judged = circuit.add(self.rules.read(self.place).part, dict(first.given) | first.out)
            broken = circuit.any_of(
                literal for (name, _), literal in judged.items() if name not in self.rules.left_out
            )
            for bit, literal in masked.items():
                circuit.gates[literal >> 1] = circuit.input(bit), inverted(broken)
            counts = _legal(circuit, broken)
            if len(self.sides) == 1:
                counts = _lasts(circuit, counts, self.rules.reset)
        if not circuit.registers:
            counts = circuit.both(counts, inverted(_off(circuit)))
        return counts

    def _differences(self, counts: int) -> Iterator[int]:
        """A literal an output that is compared."""
        circuit, (one, other) = self.circuit, (side.out for side in self.sides)
        for each in self.compared:
            bits = [(each.port.name, bit) for bit in range(each.port.width)]
            different = [circuit.differ(one[bit], other[bit]) for bit in bits]
            cares = counts
            if each.when:
                when = (each.when, 0)
                cares = circuit.both(counts, one[when] if when in one else circuit.input(when))
            yield circuit.both(circuit.any_of(different), cares)

    def _written(self, rests: Callable[[int], frozenset[Column]]) -> Miter:
        """The file of it."""
        circuit, path = self.circuit, self.place / "miter.aig"
        circuit.write(path)
        numbers = {literal >> 1: bit for bit, literal in circuit.inputs.items()}
        named = {n: numbers[v] for n, v in enumerate(circuit.order) if v in numbers}
        sizes = len(circuit.registers), len(circuit.gates)
        return Miter(path, named, self.compared, *sizes, self.reset, rests)


def _rests(joined: Joined, before: int) -> Callable[[int], frozenset[Column]]:
    """What `Miter.rests` is; `before`: outputs ahead of those of writes."""

    def columns(output: int) -> frozenset[Column]:
        if output >= before:
            found = joined.chunks[output - before]
        else:
            reached = joined.circuit.before([joined.circuit.outputs[output]])
            found = joined.rests(lambda literal: literal >> 1 in reached)
        return frozenset(members[0].column for members in found)

    return columns


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

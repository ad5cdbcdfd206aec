# SPDX-License-Identifier: Apache-2.0
"""Where a change inside a module ends: a proof that it never gets to an output.

Both modules are one netlist; constant inputs choose what is changed. A simulation of random inputs
shows which nodes ever differ (gates and registers: the spread). What reads one of them and never
differed is the edge. If no node of the edge can differ, then nothing behind it does, nor does an
output. To ask that takes the module once, beside it the spread alone, so ABC's pdr has few
registers to look at and often answers in a tenth of a second where merging two whole modules
takes minutes. What the simulation missed comes back as a node of the edge that differs; it
joins the spread, and the question is put again.

What the spread reaches of what counts is asked as well: a compared output may differ while it means
nothing (`Compared.when`). Memories that are left out of the bits (memories.py) are shared: what is
written may not differ, and what is read from another address is any value.
"""

import heapq
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from ..base import outputs
from . import engines
from .aiger import FALSE, TRUE, Bit, Circuit, inverted
from .memories import Memory
from .miter import Compared
from .netlist import Netlist

CYCLES, PATTERNS = 64, 256  # of the simulation: cycles, and sequences of inputs side by side
ONES = (1 << PATTERNS) - 1
RARE = 6  # a reset is active once in 2**RARE cycles
ROUNDS = 16  # how often the edge is moved outwards


@dataclass(frozen=True)
class Read:
    """A read port of a memory that is left out."""

    address: Sequence[int]  # literals
    data: Sequence[int]  # variables


@dataclass(frozen=True)
class Write:
    """A bit of a write port of one: literals."""

    enable: int
    data: int
    address: Sequence[int]


class Changed:
    """A netlist with changes, of which constant inputs choose one; `given`: those for none.

    Its variables are those of the part: 0, inputs, registers, gates."""

    def __init__(
        self, netlist: Netlist, given: Mapping[Bit, int], compared: Iterable[Compared]
    ) -> None:
        self.part, self.given, self.resets = netlist.part, given, netlist.resets
        part = self.part
        self.first_register = 1 + part.inputs
        self.first_gate = self.first_register + len(part.registers)
        self.bits = {bit: 1 + number for number, bit in part.input_bits.items()}
        self.outs = {bit: part.outputs[number] for bit, number in part.output_bits.items()}
        self.reads = [read for memory in netlist.memories for read in self._reads(memory)]
        self.writes = [write for memory in netlist.memories for write in self._writes(memory)]
        self.compared = [
            (self.outs[each.port.name, n], each.when)
            for each in compared
            for n in range(each.port.width)
        ]
        self.readers: dict[int, list[int]] = defaultdict(list)  # variable -> gates
        for variable, operands in enumerate(part.gates, self.first_gate):
            for literal in operands:
                self.readers[literal >> 1].append(variable)
        self.takers: dict[int, list[int]] = defaultdict(list)  # variable -> registers
        for variable, literal in enumerate(part.registers, self.first_register):
            self.takers[literal >> 1].append(variable)

    def _pins(self, memory: Memory, pin: str, port: int) -> list[int]:
        size = memory.address if pin.endswith("ADDR") else memory.width
        return [self.outs[memory.bit(pin, port, number)] for number in range(size)]

    def _reads(self, memory: Memory) -> Iterator[Read]:
        for port in range(memory.reads):
            data = (memory.bit("RD_DATA", port, number) for number in range(memory.width))
            data = [self.bits[bit] for bit in data if bit in self.bits]
            yield Read(self._pins(memory, "RD_ADDR", port), data)

    def _writes(self, memory: Memory) -> Iterator[Write]:
        for port in range(memory.writes):
            enable, data = (self._pins(memory, pin, port) for pin in ("WR_EN", "WR_DATA"))
            address = self._pins(memory, "WR_ADDR", port)
            yield from (Write(*pair, address) for pair in zip(enable, data, strict=True))

    def inputs(self, chosen: Mapping[Bit, int]) -> dict[int, int]:
        """The inputs that choose a change, as variables, and their values."""
        return {self.bits[b]: value for b, value in chosen.items() if value != self.given[b]}

    def spreads(self, chosen: Sequence[Mapping[Bit, int]]) -> list[set[int]]:
        """For each of `chosen` the variables that a simulation from zeros saw differ."""
        found: list[set[int]] = [set() for _ in chosen]
        begun = [{v: ONES * x for v, x in self.inputs(each).items()} for each in chosen]
        state = [0] * len(self.part.registers)
        states: list[dict[int, int]] = [{} for _ in chosen]
        for cycle in range(CYCLES):
            values = self._values(cycle, state)
            state = [_of(values, literal) for literal in self.part.registers]
            for number, spread in enumerate(found):
                other = begun[number] | states[number]
                self._propagate(values, other)
                self._misread(values, other, random.Random(cycle))
                spread.update(other)
                takers = (taker for variable in other for taker in self.takers[variable])
                states[number] = {taker: self._taken(other, taker) for taker in takers}
        return found

    def _taken(self, values: Mapping[int, int], register: int) -> int:
        return _of(values, self.part.registers[register - self.first_register])

    def _values(self, cycle: int, state: Sequence[int]) -> list[int]:
        """Of all variables in a cycle, without a change."""
        values = [0]
        for number in range(self.part.inputs):
            values.append(self._stimulus(self.part.input_bits.get(number), number, cycle))
        values += state
        append = values.append
        for one, other in self.part.gates:
            a, b = values[one >> 1], values[other >> 1]
            append((a ^ ONES if one & 1 else a) & (b ^ ONES if other & 1 else b))
        return values

    def _stimulus(self, bit: Bit | None, number: int, cycle: int) -> int:
        """An input in a cycle, in all patterns."""
        if bit in self.given:
            return ONES * self.given[bit]
        draw = random.Random(f"{bit or number} {cycle}")
        value = draw.getrandbits(PATTERNS)
        if bit is None or bit[0] not in self.resets:
            return value
        for _ in range(RARE - 1):
            value &= draw.getrandbits(PATTERNS)
        return value if self.resets[bit[0]] else value ^ ONES

    def _propagate(self, values: Sequence[int], other: dict[int, int]) -> None:
        """Add to `other`, variables whose value differs from `values`, what differs behind them."""
        gates, seen = self.part.gates, set()
        todo = [reader for variable in other for reader in self.readers[variable]]
        heapq.heapify(todo)
        while todo:
            variable = heapq.heappop(todo)
            if variable in seen:
                continue
            seen.add(variable)
            total = ONES
            for literal in gates[variable - self.first_gate]:
                value = other.get(literal >> 1, values[literal >> 1])
                total &= value ^ ONES if literal & 1 else value
            if total != values[variable]:
                other[variable] = total
                for reader in self.readers[variable]:
                    heapq.heappush(todo, reader)

    def _misread(self, values: Sequence[int], other: dict[int, int], draw: random.Random) -> None:
        """Add what differs since a memory is read at another address."""
        for read in self.reads:
            moved = 0
            for literal in read.address:
                moved |= other.get(literal >> 1, values[literal >> 1]) ^ values[literal >> 1]
            if moved:
                more = {v: values[v] ^ draw.getrandbits(PATTERNS) & moved for v in read.data}
                other.update(more)
                self._propagate(values, other)

    def is_masked(
        self, chosen: Mapping[Bit, int], spread: Set[int], place: Path, seconds: float
    ) -> bool:
        """Is it proved that from zeros no input makes an output differ? False: one may. `spread`:
        what is known to differ; files go to `place`, `seconds` are for each round."""
        outputs.make_folder(place)
        known = spread | self.inputs(chosen).keys()
        for _ in range(ROUNDS):
            known |= {v for read in self.reads if _any(read.address, known) for v in read.data}
            edge = _Edge(self, chosen, known)
            if not edge.nodes:
                return True
            path = place / "edge.aig"
            edge.circuit.write(path)
            words = "scleanup; pdr -nc" if edge.circuit.registers else "iprove"
            verdict, output = engines.judge(path, words, seconds)
            if verdict != engines.FOUND:
                return verdict == engines.PROVED
            if not (node := edge.nodes[output]):
                return False
            known.add(node)
        return False


def _of(values: Sequence[int] | Mapping[int, int], literal: int) -> int:
    return values[literal >> 1] ^ ONES if literal & 1 else values[literal >> 1]


def _any(literals: Iterable[int], variables: Set[int]) -> bool:
    return any(literal >> 1 in variables for literal in literals)


class _Edge:
    """The circuit that has an output for each node of the edge, 1 where it differs."""

    def __init__(self, changed: Changed, chosen: Mapping[Bit, int], spread: Set[int]) -> None:
        self.changed, self.spread, self.circuit = changed, spread, Circuit()
        self.nodes: list[int] = []  # the variable of each output; 0: what may not differ at all
        constants = {bit: TRUE if value else FALSE for bit, value in changed.given.items()}
        self.good = self.circuit.copied(changed.part, constants)
        self.bad = self._begin(chosen)
        self._add_spread()
        self._ask_what_counts()

    def _add_spread(self) -> None:
        """The spread, beside the module without a change, and the edge."""
        changed, spread, part = self.changed, self.spread, self.changed.part
        for variable, operands in enumerate(part.gates, changed.first_gate):
            if _any(operands, spread):
                value = self.circuit.both(*map(self._other, operands))
                self._reach(variable, value, self.good[variable])
        for variable, literal in enumerate(part.registers, changed.first_register):
            if variable in spread:
                self.circuit.registers[self.bad[variable] >> 1] = self._other(literal)
            elif literal >> 1 in spread:
                self._reach(variable, self._other(literal), self._first(literal))
        for read in changed.reads:
            if spread.issuperset(read.data):
                self._read(read)

    def _ask_what_counts(self) -> None:
        """Outputs, and what is written, as far as the spread reaches."""
        for literal, when in self.changed.compared:
            if literal >> 1 in self.spread:
                self._ask(self.circuit.both(self._differs(literal), self._when(when)))
        for write in self.changed.writes:
            if _any((write.enable, write.data, *write.address), self.spread):
                self._ask(self._miswritten(write))

    def _begin(self, chosen: Mapping[Bit, int]) -> dict[int, int]:
        """What the spread begins with: the inputs that choose, registers, and what is read."""
        changed, circuit = self.changed, self.circuit
        bad = {v: TRUE if value else FALSE for v, value in changed.inputs(chosen).items()}
        registers = range(changed.first_register, changed.first_gate)
        bad |= {v: circuit.register() for v in registers if v in self.spread}
        data = (v for read in changed.reads for v in read.data)
        return bad | {v: circuit.later() for v in data if v in self.spread}

    def _first(self, literal: int) -> int:
        return self.good[literal >> 1] ^ literal & 1

    def _other(self, literal: int) -> int:
        """Of the changed module."""
        return self.bad.get(literal >> 1, self.good[literal >> 1]) ^ literal & 1

    def _differs(self, literal: int) -> int:
        return self.circuit.differ(self._first(literal), self._other(literal))

    def _when(self, name: str) -> int:
        """1 where an output counts that means something only while this port is 1."""
        literal = self.changed.outs.get((name, 0))
        if literal is not None:
            return self._first(literal)
        return self.circuit.input((name, 0)) if name else TRUE

    def _miswritten(self, write: Write) -> int:
        other = self.circuit.any_of(map(self._differs, (write.data, *write.address)))
        written = self.circuit.both(self._first(write.enable), other)
        return self.circuit.any_of([self._differs(write.enable), written])

    def _ask(self, output: int, node: int = 0) -> None:
        if output != FALSE:
            self.nodes.append(node)
            self.circuit.outputs.append(output)

    def _reach(self, variable: int, value: int, good: int) -> None:
        """What reads the spread belongs to it, or to the edge."""
        if variable in self.spread:
            self.bad[variable] = value
        else:
            self._ask(self.circuit.differ(value, good), variable)

    def _read(self, read: Read) -> None:
        """What is read is the same at the same address, else anything."""
        circuit = self.circuit
        same = inverted(circuit.any_of(map(self._differs, read.address)))
        for variable in read.data:
            value = circuit.choose(same, self.good[variable], circuit.input())
            circuit.say(self.bad[variable], value)

# SPDX-License-Identifier: Apache-2.0
"""Memories of two circuits side by side: columns of bits that hold the same need no bits.

A column (one bit of every row) of one side and one of the other hold the same as long as both are
written the same, from a start at which they are equal. Then what they are read for is one unknown
value an address: two reads at equal addresses are equal, of whatever rows there are. That they are
written the same is compared like an output. Which columns could belong together, and which bits of
their addresses, is guessed by a short simulation: rows and bits may be in another order, or
inverted. A wrong guess shows as a difference of writes, never as an answer.

Columns without a partner, or on which a difference rests, become registers: `whole`.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from .aiger import FALSE, Bit, Circuit, Part, inverted

CYCLES, PATTERNS = 12, 256  # of the simulation: cycles, and sequences of inputs side by side
CHUNK = 16  # columns whose writes are compared by one output
Column = tuple[int, int]  # a memory, and which bit of its rows
Order = Sequence[tuple[int, int]]  # bits of an address, and 1 where inverted


@dataclass(frozen=True)
class Memory:
    """A memory that is left out of a circuit; its pins are ports, `name.PIN`, as Yosys has them.
    It is read at once and written at the clock; of writes to one row the last port's counts."""

    name: str
    rows: int
    width: int
    address: int  # bits
    reads: int  # ports
    writes: int

    def bit(self, pin: str, port: int, number: int) -> Bit:
        """A bit of a pin."""
        size = self.address if pin.endswith("ADDR") else self.width
        return f"{self.name}.{pin}", port * size + number

    @property
    def read_bits(self) -> list[Bit]:
        """All bits that are read."""
        return [(f"{self.name}.RD_DATA", n) for n in range(self.reads * self.width)]


@dataclass
class Side:
    """A circuit with the memories that it lacks, in a circuit of both."""

    part: Part
    memories: Sequence[Memory]
    given: Mapping[Bit, int]  # inputs that are constant
    read: dict[Bit, int] = field(default_factory=dict)  # what is read, as literals
    out: Mapping[Bit, int] = field(default_factory=dict)

    @property
    def columns(self) -> list[Column]:
        return [(m, bit) for m, memory in enumerate(self.memories) for bit in range(memory.width)]

    def pins(self, column: Column, pin: str, port: int) -> int:
        """The literal of a pin of a column."""
        memory = self.memories[column[0]]
        return self.out[memory.bit(pin, port, column[1])]

    def bus(self, number: int, pin: str, port: int) -> list[int]:
        """The literals of an address, the lowest first."""
        memory = self.memories[number]
        return [self.out[memory.bit(pin, port, bit)] for bit in range(self.bits[number])]

    @cached_property
    def bits(self) -> list[int]:
        """How many bits of the addresses of each memory count: the others are 0 at all ports."""
        return [self._bits(memory) for memory in self.memories]

    def _bits(self, memory: Memory) -> int:
        ports = [("RD_ADDR", port) for port in range(memory.reads)]
        ports += [("WR_ADDR", port) for port in range(memory.writes)]
        used = [
            bit + 1
            for bit in range(memory.address)
            if any(self.out[memory.bit(*port, bit)] != FALSE for port in ports)
        ]
        return max([(memory.rows - 1).bit_length(), *used])


@dataclass(frozen=True)
class Member:
    """A column of one side, and its address in the order that all of its class share."""

    side: int
    column: Column
    order: Order


# ---- which columns belong together --------------------------------------------------------------


def classes(sides: Sequence[Side], reset: Mapping[str, int]) -> list[list[Member]]:
    """Columns that may hold the same, of both sides in each class, or of one if the other remembers
    nothing at all."""
    found: dict[tuple, list[Member]] = {}
    for number, side in enumerate(sides):
        pins = {} if not side.memories else simulated(side, reset)[0]
        signs = {bit: ones for bit, (_, ones) in pins.items()}
        orders: dict[tuple, tuple[Order, tuple]] = {}
        for column in side.columns:
            memory, bits = side.memories[column[0]], side.bits[column[0]]
            on = tuple(
                signs[memory.bit("WR_EN", p, column[1])] & _below(memory, bits, signs, p)
                for p in range(memory.writes)
            )
            if not any(on):
                continue
            at = column[0], on
            if at not in orders:
                orders[at] = _order(memory, bits, signs, on)
            order, address = orders[at]
            data = tuple(
                sign & signs[memory.bit("WR_DATA", p, column[1])] for p, sign in enumerate(on)
            )
            key = (memory.rows, on, address, data)
            found.setdefault(key, []).append(Member(number, column, order))
    wanted = {number for number, side in enumerate(sides) if side.memories or side.part.registers}
    return [each for each in found.values() if {member.side for member in each} == wanted]


def _below(memory: Memory, bits: int, signs: Mapping[Bit, int], port: int) -> int:
    """When a write goes to a row that there is."""
    if memory.rows == 1 << bits:
        return -1
    less = 0
    for bit in range(bits):
        zero = ~signs[memory.bit("WR_ADDR", port, bit)]
        less = zero | less if memory.rows >> bit & 1 else zero & less
    return less


def _order(
    memory: Memory, bits: int, signs: Mapping[Bit, int], on: Sequence[int]
) -> tuple[Order, tuple]:
    """The bits of an address in an order that does not depend on how rows are numbered, and what
    they look like while something is written."""
    seen, full = [], memory.rows == 1 << bits
    for bit in range(bits):
        sign = tuple(each & signs[memory.bit("WR_ADDR", port, bit)] for port, each in enumerate(on))
        opposite = tuple(one ^ each for one, each in zip(sign, on, strict=True))
        seen.append((sign, bit, 0))
        if full:
            seen[-1] = min(seen[-1], (opposite, bit, 1))
    if full:
        seen.sort()
    return [(bit, inverse) for _, bit, inverse in seen], tuple(sign for sign, _, _ in seen)


Sign = tuple[int, int]  # where a bit is 0, and where it is 1: a place a cycle and pattern
ONES = (1 << PATTERNS) - 1


def simulated(
    side: Side, reset: Mapping[str, int], *, unknown: bool = False
) -> tuple[dict[Bit, Sign], list[Sign]]:
    """What the pins of the memories, and the registers, do in a simulation behind a reset, from
    zeros, or with neither 0 nor 1 in registers and memories."""
    part, start = side.part, (0, 0) if unknown else (ONES, 0)
    pins = {f"{memory.name}.{pin}" for memory in side.memories for pin in PINS}
    watched = {bit: part.outputs[n] for bit, n in part.output_bits.items() if bit[0] in pins}
    signs = dict.fromkeys(watched, (0, 0))
    state = [start] * len(part.registers)
    held = [(0, 0)] * len(part.registers)
    for cycle in range(-1, CYCLES):
        zero, one = [ONES], [0]
        for number in range(part.inputs):
            bit = part.input_bits.get(number)
            if bit is None or bit in side.read:
                pair = start
            else:
                value = _stimulus(bit, cycle, side, reset) & ONES
                pair = value ^ ONES, value
            zero.append(pair[0])
            one.append(pair[1])
        zero += [pair[0] for pair in state]
        one += [pair[1] for pair in state]
        both = zero, one
        for a, b in part.gates:
            zero.append(both[a & 1][a >> 1] | both[b & 1][b >> 1])
            one.append(both[1 - (a & 1)][a >> 1] & both[1 - (b & 1)][b >> 1])
        state = [(both[a & 1][a >> 1], both[1 - (a & 1)][a >> 1]) for a in part.registers]
        held = [_longer(sign, pair) for sign, pair in zip(held, state, strict=True)]
        for bit, a in watched.items() if cycle >= 0 else ():
            pair = both[a & 1][a >> 1], both[1 - (a & 1)][a >> 1]
            signs[bit] = _longer(signs[bit], pair)
    return signs, held


def _longer(sign: Sign, more: Sign) -> Sign:
    return sign[0] << PATTERNS | more[0], sign[1] << PATTERNS | more[1]


PINS = ("WR_EN", "WR_ADDR", "WR_DATA")


def _stimulus(bit: Bit, cycle: int, side: Side, reset: Mapping[str, int]) -> int:
    """An input in a cycle, in all patterns; cycle -1 is that of reset, in which others are 0."""
    if bit in side.given:
        return -side.given[bit]
    if bit[0] in reset:
        return -(reset[bit[0]] if cycle < 0 else 1 - reset[bit[0]])
    return random.Random(f"{bit} {cycle}").getrandbits(PATTERNS) if cycle >= 0 else 0


# ---- in the circuit -----------------------------------------------------------------------------


@dataclass
class Joined:
    """The memories of both sides in one circuit."""

    circuit: Circuit
    sides: Sequence[Side]
    shared: list[list[Member]]  # classes
    # Registers of whole columns, those of each row: (side, column) -> literals.
    held: dict[tuple[int, Column], list[int]] = field(default_factory=dict)

    @cached_property
    def chunks(self) -> list[list[list[Member]]]:
        """The classes, some at a time."""
        return [self.shared[at : at + CHUNK] for at in range(0, len(self.shared), CHUNK)]

    def connect(self) -> list[int]:
        """Say what is read; for each chunk of classes where it is written differently."""
        taken = {(m.side, m.column) for members in self.shared for m in members}
        for number, side in enumerate(self.sides):
            for m in range(len(side.memories)):
                columns = [c for c in side.columns if c[0] == m and (number, c) not in taken]
                self._store(number, m, columns)
        self._equal = _Addresses(self)
        for members in self.shared:
            self._share(members)
        return [
            self.circuit.any_of([self._written(members) for members in chunk])
            for chunk in self.chunks
        ]

    def rests(self, reached: Callable[[int], bool]) -> list[list[Member]]:
        """The classes that one of the literals reached is read of."""
        return [
            members
            for members in self.shared
            if any(reached(lit) for m in members for lit in self._reads(m))
        ]

    def is_written(self, number: int, values: Sequence[int]) -> bool:
        """Is a column of a class written by a side? `values`: of the variables."""
        members = [m for members in self.shared for m in members if m.side == number]
        ports = ((m, p) for m in members for p in range(self._memory(m).writes))
        ons = (self._write(*each)[0] for each in ports)
        return any(values[on >> 1] ^ on & 1 for on in ons)

    def _memory(self, member: Member) -> Memory:
        return self.sides[member.side].memories[member.column[0]]

    def reads(self) -> list[int]:
        """All that is read of classes."""
        return [lit for members in self.shared for m in members for lit in self._reads(m)]

    def _reads(self, member: Member) -> list[int]:
        side, memory = self.sides[member.side], self._memory(member)
        bits = (memory.bit("RD_DATA", port, member.column[1]) for port in range(memory.reads))
        return [side.read[bit] for bit in bits]

    def _share(self, members: Sequence[Member]) -> None:
        """A read is the first one at the same address, or a new unknown value."""
        before: list[tuple[Member, int, int]] = []
        for member in members:
            for port, literal in enumerate(self._reads(member)):
                value = self.circuit.input()
                for other, at, known in reversed(before):
                    same = self._equal.reads(member, port, other, at)
                    value = self.circuit.choose(same, known, value)
                self.circuit.say(literal, value)
                before.append((member, port, value))

    def _written(self, members: Sequence[Member]) -> int:
        """1 where one of a class is written differently from the first."""
        first, circuit = members[0], self.circuit
        wrong = []
        for member in members[1:]:
            for port in range(self._memory(member).writes):
                on, data = self._write(member, port)
                is_on, as_data = self._write(first, port)
                other = circuit.differ(data, as_data)
                moved = inverted(self._equal.writes(member, first, port))
                wrong.append(circuit.differ(on, is_on))
                wrong.append(circuit.both(on, circuit.any_of([other, moved])))
        return circuit.any_of(wrong)

    def _write(self, member: Member, port: int) -> tuple[int, int]:
        """Whether it is written, and with what."""
        side, column = self.sides[member.side], member.column
        exists = self.exists(member, "WR_ADDR", port)
        on = self.circuit.both(side.pins(column, "WR_EN", port), exists)
        return on, side.pins(column, "WR_DATA", port)

    def exists(self, member: Member, pin: str, port: int) -> int:
        """1 where there is the row of an address: what is read past the last one is any value, and
        what is written there is lost."""
        address = self.sides[member.side].bus(member.column[0], pin, port)
        return self.circuit.below(address, self._memory(member).rows)

    def _store(self, number: int, ram: int, columns: Sequence[Column]) -> None:
        """Columns of a memory as registers."""
        circuit, side = self.circuit, self.sides[number]
        memory = side.memories[ram]
        written = [
            circuit.decoded(side.bus(ram, "WR_ADDR", port), memory.rows)
            for port in range(memory.writes if columns else 0)
        ]
        for column in columns:
            held = [circuit.register() for _ in range(memory.rows)]
            self.held[number, column] = held
            for row, literal in enumerate(held):
                after = literal
                for port, rows in enumerate(written):
                    on = circuit.both(rows[row], side.pins(column, "WR_EN", port))
                    after = circuit.choose(on, side.pins(column, "WR_DATA", port), after)
                circuit.registers[literal >> 1] = after
            for port in range(memory.reads):
                value = circuit.selected(side.bus(ram, "RD_ADDR", port), held)
                circuit.say(side.read[memory.bit("RD_DATA", port, column[1])], value)


class _Addresses:
    """Comparisons of addresses, each made once."""

    def __init__(self, joined: Joined) -> None:
        self.joined = joined
        self.known: dict[tuple, int] = {}

    def reads(self, one: Member, port: int, other: Member, at: int) -> int:
        """1 where both read one row."""
        return self._equal((one, "RD_ADDR", port), (other, "RD_ADDR", at))

    def writes(self, one: Member, other: Member, port: int) -> int:
        """1 where both write one row."""
        return self._equal((one, "WR_ADDR", port), (other, "WR_ADDR", port))

    def _equal(self, *ends: tuple[Member, str, int]) -> int:
        key = tuple((m.side, m.column[0], tuple(m.order), pin, port) for m, pin, port in ends)
        if key not in self.known:
            circuit, (one, other) = self.joined.circuit, (self._bits(*end) for end in ends)
            total = circuit.any_of(circuit.differ(*pair) for pair in zip(one, other, strict=True))
            self.known[key] = circuit.both(inverted(total), self.joined.exists(*ends[0]))
        return self.known[key]

    def _bits(self, member: Member, pin: str, port: int) -> Iterable[int]:
        address = self.joined.sides[member.side].bus(member.column[0], pin, port)
        return (address[bit] ^ inverse for bit, inverse in member.order)

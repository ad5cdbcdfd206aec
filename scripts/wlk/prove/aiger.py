# SPDX-License-Identifier: Apache-2.0
"""Circuits of ANDs, inverters and registers: AIGER files, and putting several side by side.

A literal is twice a variable, plus 1 when it is inverted; variable 0 is constant 0. All registers
of a part start at 0: Yosys inverts those that do not.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..base.errors import Status, WlkError

FALSE, TRUE = 0, 1
Bit = tuple[str, int]  # name of a port, and which of its bits


def inverted(literal: int) -> int:
    """Its opposite."""
    return literal ^ 1


@dataclass(frozen=True)
class Part:
    """A circuit that was read, its variables numbered inputs, registers, gates."""

    inputs: int
    registers: list[int]  # the literal that each takes over
    outputs: list[int]
    gates: list[tuple[int, int]]
    input_bits: Mapping[int, Bit]  # by number; an input without a name is an unknown value
    output_bits: Mapping[Bit, int]  # number of each output
    words: Sequence[Sequence[int]] = ()  # registers of several bits, the lowest first, by number

    def at_zero(self, given: Mapping[Bit, int]) -> dict[Bit, int]:
        """The values of its outputs when registers are 0, and inputs that are not given."""
        bits = (self.input_bits.get(number) for number in range(self.inputs))
        values = [0, *(given.get(bit, 0) for bit in bits), *([0] * len(self.registers))]
        for one, other in self.gates:
            values.append((values[one >> 1] ^ one & 1) & (values[other >> 1] ^ other & 1))
        seen = ((bit, self.outputs[number]) for bit, number in self.output_bits.items())
        return {bit: values[literal >> 1] ^ literal & 1 for bit, literal in seen}

    def with_async_reset(self, reset: Bit) -> "Part":
        """The same with an asynchronous reset in place of a synchronous one: registers that an edge
        in reset sets to a constant have that value while it is asserted."""
        number = next((n for n, bit in self.input_bits.items() if bit == reset), None)
        if number is None:
            return self
        asserted = 2 * (1 + number)
        known = self._known({asserted >> 1: 1})
        first = 1 + self.inputs
        taken = [(first + n, known[x >> 1], x & 1) for n, x in enumerate(self.registers)]
        cleared = {at: value ^ sign for at, value, sign in taken if value is not None}
        base = first + len(self.registers)
        gates: list[tuple[int, int]] = []
        seen: dict[int, int] = {}
        for variable, value in cleared.items():
            seen[variable] = 2 * (base + len(gates)) ^ value
            gates.append((2 * variable ^ value, inverted(asserted)))
        shift = len(gates)

        def new(literal: int) -> int:
            variable = literal >> 1
            if variable >= base:
                return literal + 2 * shift
            return seen.get(variable, 2 * variable) ^ literal & 1

        return replace(
            self,
            registers=[new(literal) for literal in self.registers],
            outputs=[new(literal) for literal in self.outputs],
            gates=[*gates, *((new(one), new(other)) for one, other in self.gates)],
        )

    def _known(self, given: Mapping[int, int]) -> list[int | None]:
        """The value of each variable that follows from these; None: it depends on others."""
        values: list[int | None] = [None] * (1 + self.inputs + len(self.registers))
        values[0] = 0
        for variable, value in given.items():
            values[variable] = value
        for pair in self.gates:
            bits = [v if (v := values[x >> 1]) is None else v ^ x & 1 for x in pair]
            values.append(0 if 0 in bits else None if None in bits else 1)
        return values


def read(path: Path, names: Path, bits: Sequence[Bit], words: Sequence[Sequence[Bit]] = ()) -> Part:
    """A binary AIGER file, and the file in which Yosys names its inputs and outputs, but for those
    outputs that are constant. `bits`: all outputs, in the order of the module; `words`: registers
    of several bits."""
    data = path.read_bytes()
    head, _, rest = data.partition(b"\n")
    header = head.split()
    if header[:1] != [b"aig"] or len(header) != 6:
        raise WlkError(Status.MODEL_ERROR, f"{path}: is no binary AIGER file that Yosys writes")
    _, inputs, registers, outputs, gates = map(int, header[1:])
    lines = rest.split(b"\n", registers + outputs)
    body = lines.pop()
    first, at, found = 2 * (inputs + registers + 1), 0, []
    for lhs in range(first, first + 2 * gates, 2):
        one, at = _number(body, at)
        other, at = _number(body, at)
        found.append((lhs - one, lhs - one - other))
    named = [line.split() for line in names.read_text(encoding="utf-8").splitlines()]
    ins = {int(w[1]): (w[3], int(w[2])) for w in named if w[0] == "input"}
    outs = {bit: number for number, bit in enumerate(bits)}
    known = [(outs.get((w[3], int(w[2]))), int(w[1])) for w in named if w[0] == "output"]
    if len(outs) != outputs or any(one != other for one, other in known):
        raise WlkError(Status.MODEL_ERROR, f"{names}: outputs in another order than the module's")
    values = [int(line.split()[0]) for line in lines]
    latches = {(w[3], int(w[2])): int(w[1]) for w in named if w[0] == "latch"}
    held = [[latches.get(bit, -1) for bit in word] for word in words]
    held = [word for word in held if -1 not in word]
    return Part(inputs, values[:registers], values[registers:], found, ins, outs, held)


class LoopError(WlkError):
    """A gate depends on itself."""


def _reached(literals: Iterable[int], following: Callable[[int], Iterable[int]]) -> set[int]:
    """Variables that are reached from some."""
    stack = [literal >> 1 for literal in literals]
    found = set(stack)
    while stack:
        new = [variable for variable in following(stack.pop()) if variable not in found]
        found.update(new)
        stack += new
    return found


def _in(literals: Sequence[int], literal: int) -> int:
    """What stands for a literal where these stand for the variables."""
    return literals[literal >> 1] ^ literal & 1


def _number(body: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, the lowest first, and where the next one begins."""
    value = shift = 0
    while True:
        byte = body[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


class Circuit:
    """A circuit under construction. Its variables are numbered as they come; `write` sorts them."""

    def __init__(self) -> None:
        self.last = 0  # variable
        self.inputs: dict[Bit, int] = {}  # literals
        self.order: list[int] = []  # variables of all inputs, those without a name among them
        self.registers: dict[int, int] = {}  # variable -> the literal that it takes over
        self.gates: dict[int, tuple[int, int]] = {}  # variable -> its operands
        self.outputs: list[int] = []
        self.ones: set[int] = set()  # registers that start at 1

    def _new(self) -> int:
        self.last += 1
        return self.last

    def input(self, bit: Bit | None = None) -> int:
        """The input of that name; without one a new unknown value."""
        if bit in self.inputs:
            return self.inputs[bit]
        self.order.append(self._new())
        if bit is not None:
            self.inputs[bit] = 2 * self.last
        return 2 * self.last

    def register(self) -> int:
        """A register that starts at 0; what it takes over is set in `registers`."""
        self.registers[self._new()] = FALSE
        return 2 * self.last

    def both(self, one: int, other: int) -> int:
        """1 where both are."""
        if FALSE in (one, other) or one == inverted(other):
            return FALSE
        if TRUE in (one, other):
            return one if other == TRUE else other
        if one == other:
            return one
        self.gates[self._new()] = one, other
        return 2 * self.last

    def later(self) -> int:
        """What is said later."""
        return 2 * self._new()

    def say(self, literal: int, value: int) -> None:
        """What `later` gave is that value."""
        self.gates[literal >> 1] = value, TRUE

    def choose(self, which: int, one: int, other: int) -> int:
        """The one where `which` is 1, else the other."""
        if one == other:
            return one
        return self.any_of([self.both(which, one), self.both(inverted(which), other)])

    def negated(self, word: Sequence[int]) -> list[int]:
        """Minus a number, its bits the lowest first."""
        below, found = FALSE, []
        for bit in word:
            found.append(self.differ(bit, below))
            below = self.any_of([bit, below])
        return found

    def decoded(self, address: Sequence[int], rows: int) -> list[int]:
        """For each row whether it is addressed; bits of an address the lowest first."""
        low = (rows - 1).bit_length()
        found = [inverted(self.any_of(address[low:]))]
        for bit in reversed(address[:low]):
            found = [self.both(row, bit ^ inverse) for row in found for inverse in (1, 0)]
        return [*found, *[FALSE] * (rows - len(found))][:rows]

    def below(self, address: Sequence[int], rows: int) -> int:
        """1 where there is that row."""
        less = FALSE
        for number, bit in enumerate(address):
            if rows >> number & 1:
                less = self.any_of([inverted(bit), less])
            else:
                less = self.both(inverted(bit), less)
        return TRUE if rows >> len(address) else less

    def selected(self, address: Sequence[int], values: Sequence[int]) -> int:
        """The value of the row that is addressed; past the last one it is unknown."""
        low = (len(values) - 1).bit_length()
        beyond = self.any_of(address[low:])
        missing = (1 << low) - len(values)
        unknown = self.input() if missing or beyond != FALSE else FALSE
        values = [*values, *[unknown] * missing]
        for bit in address[:low]:
            pairs = zip(values[1::2], values[::2], strict=True)
            values = [self.choose(bit, one, other) for one, other in pairs]
        return self.choose(beyond, unknown, values[0])

    def behind(self, literals: Iterable[int]) -> set[int]:
        """Variables that depend on these, in this cycle or a later one."""
        readers: dict[int, list[int]] = {}
        for variable, operands in self.gates.items():
            for literal in operands:
                readers.setdefault(literal >> 1, []).append(variable)
        for variable, literal in self.registers.items():
            readers.setdefault(literal >> 1, []).append(variable)
        return _reached(literals, lambda variable: readers.get(variable, ()))

    def before(self, literals: Iterable[int]) -> set[int]:
        """Variables on which these depend, in this cycle or an earlier one."""

        def below(variable: int) -> Iterable[int]:
            if variable in self.gates:
                return [literal >> 1 for literal in self.gates[variable]]
            return [self.registers[variable] >> 1] if variable in self.registers else ()

        return _reached(literals, below)

    def ordered(self) -> Iterator[int]:
        """The gates, each behind its operands; MODEL_ERROR when one depends on itself."""
        begun: set[int] = set()
        done: set[int] = set()
        for first in self.gates:
            stack = [first]
            while stack:
                variable = stack[-1]
                below = [x >> 1 for x in self.gates[variable]]
                below = [x for x in below if x in self.gates and x not in done]
                if not below:
                    stack.pop()
                    if variable not in done:
                        done.add(variable)
                        yield variable
                elif begun.isdisjoint(below):
                    begun.add(variable)
                    stack += below
                else:
                    raise LoopError(Status.MODEL_ERROR, "a rule or a memory depends on itself")

    def any_of(self, literals: Iterable[int]) -> int:
        """1 where one of them is."""
        total = TRUE
        for literal in literals:
            total = self.both(total, inverted(literal))
        return inverted(total)

    def differ(self, one: int, other: int) -> int:
        """1 where they differ."""
        pairs = ((one, inverted(other)), (inverted(one), other))
        return self.any_of([self.both(*pair) for pair in pairs])

    def add(self, part: Part, given: Mapping[Bit, int]) -> dict[Bit, int]:
        """A copy of a part; the literals of its outputs. Its inputs are those `given`, else the
        circuit's of the same names."""
        new = self.copied(part, given)
        return {bit: _in(new, part.outputs[number]) for bit, number in part.output_bits.items()}

    def copied(self, part: Part, given: Mapping[Bit, int]) -> list[int]:
        """The same, for each variable of the part the literal that stands for it."""
        new = [FALSE]
        for number in range(part.inputs):
            bit = part.input_bits.get(number)
            new.append(given[bit] if bit in given else self.input(bit))
        new += [self.register() for _ in part.registers]
        for one, other in part.gates:
            new.append(self.both(_in(new, one), _in(new, other)))
        for number, literal in enumerate(part.registers, 1 + part.inputs):
            self.registers[new[number] >> 1] = _in(new, literal)
        return new

    def begin(self, given: Mapping[Bit, int], registers: Iterable[int]) -> list[int]:
        """Let registers start with what they take over when these inputs are given, the other ones
        and what is said later 0. The value of each variable then."""
        values = [0] * (self.last + 1)
        for bit, literal in self.inputs.items():
            values[literal >> 1] = given.get(bit, 0)
        for variable, (one, other) in self.gates.items():
            values[variable] = (values[one >> 1] ^ one & 1) & (values[other >> 1] ^ other & 1)
        after = {variable: self.registers[variable] for variable in registers}
        self.ones -= after.keys()
        self.ones |= {variable for variable, to in after.items() if values[to >> 1] ^ to & 1}
        return values

    def start(self, variable: int, begun: int, value: int) -> None:
        """Let a register hold a value of its own in the first cycle; `begun` is 0 in that alone."""
        held = self.register()
        self.registers[held >> 1] = self.registers.pop(variable)
        self.say(2 * variable, self.choose(begun, held, value))

    def write(self, path: Path) -> None:
        """A binary AIGER file."""
        gates = list(self.ordered())
        order = [*self.order, *self.registers, *gates]
        new = [0] * (self.last + 1)
        for number, variable in enumerate(order, 1):
            new[variable] = 2 * number
        sizes = len(self.order), len(self.registers), len(self.outputs), len(self.gates)
        head = f"aig {len(order)} {' '.join(map(str, sizes))}\n"
        for variable, literal in self.registers.items():
            head += f"{new[literal >> 1] ^ literal & 1}{' 1' if variable in self.ones else ''}\n"
        for literal in self.outputs:
            head += f"{new[literal >> 1] ^ literal & 1}\n"
        body = bytearray()
        for variable in gates:
            one, other = self.gates[variable]
            a, b = new[one >> 1] ^ one & 1, new[other >> 1] ^ other & 1
            high, low = (a, b) if a > b else (b, a)
            for value in (new[variable] - high, high - low):
                rest = value
                while rest > 127:
                    body.append(rest & 127 | 128)
                    rest >>= 7
                body.append(rest)
        path.write_bytes(head.encode() + bytes(body))

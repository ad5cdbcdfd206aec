# SPDX-License-Identifier: Apache-2.0
"""Any value at power-up: what a reset leaves open starts as an unknown value.

A register that a cycle of reset does not set starts free. One of each side that do the same in a
short simulation, or the opposite, correspond: they start alike. One without a partner is any value
by itself. The rows of memories that hold the same start alike; the others are any value.
"""

from collections.abc import Mapping, Sequence

from .aiger import TRUE, Bit, Circuit
from .memories import Joined, Member, Sign, simulated

OPEN = 2  # neither 0 nor 1


def begin(
    joined: Joined,
    owned: Sequence[Sequence[int]],
    reset: Mapping[str, int],
    others: int,
    masked: Sequence[int],
    members: Sequence[Sequence[Member]],
) -> None:
    """Let the registers of both sides (`owned`), and those of memories, start with what a cycle of
    reset leaves of any value; without reset, all are open. `others`: what other inputs are in that
    cycle, 0 or OPEN; `masked`: inputs that are said later; `members`: columns that hold the same.
    """
    circuit = joined.circuit
    known = dict.fromkeys(circuit.registers, OPEN)
    if reset:
        known = _after(circuit, reset, others, masked)
    circuit.ones |= {variable for variable, value in known.items() if value == 1}
    begun = circuit.register()
    circuit.registers[begun >> 1] = TRUE
    for group in _groups(joined, owned, reset, members):
        free = circuit.input()
        for variable, opposite in group:
            if known[variable] == OPEN:
                circuit.start(variable, begun, free ^ opposite)


def _after(
    circuit: Circuit, reset: Mapping[str, int], others: int, masked: Sequence[int]
) -> dict[int, int]:
    """What each register takes over when all hold any value: 0, 1 or OPEN."""
    values = [OPEN] * (circuit.last + 1)
    values[0] = 0
    for literal in masked:
        values[literal >> 1] = others
    for (name, _), literal in circuit.inputs.items():
        values[literal >> 1] = reset.get(name, others)

    def of(literal: int) -> int:
        value = values[literal >> 1]
        return value if value == OPEN else value ^ literal & 1

    for variable in circuit.ordered():
        one, other = map(of, circuit.gates[variable])
        values[variable] = 0 if 0 in (one, other) else OPEN if OPEN in (one, other) else 1
    return {variable: of(literal) for variable, literal in circuit.registers.items()}


Group = list[tuple[int, int]]  # registers that start alike, and 1 where opposite


def _groups(
    joined: Joined,
    owned: Sequence[Sequence[int]],
    reset: Mapping[str, int],
    members: Sequence[Sequence[Member]],
) -> list[Group]:
    alike: dict[Sign, list[Group]] = {}
    for number, (side, registers) in enumerate(zip(joined.sides, owned, strict=True)):
        _, signs = simulated(side, reset, unknown=True)
        for variable, sign in zip(registers, signs, strict=True):
            same = min(sign, sign[::-1])
            alike.setdefault(same, [[], []])[number].append((variable, int(sign != same)))
    groups: list[Group] = []
    for first, second in alike.values():
        last = len(first) - 1
        own: list[Group] = [[each] for each in first or second]
        for number, each in enumerate(second if first else ()):
            own[min(number, last)].append(each)
        groups += own
    return groups + _rows(joined, members)


def _rows(joined: Joined, members: Sequence[Sequence[Member]]) -> list[Group]:
    """Of columns that are registers."""
    groups: dict[tuple[Bit | int, ...], Group] = {}
    known = {(m.side, m.column): (n, m.order) for n, each in enumerate(members) for m in each}
    for at, held in joined.held.items():
        for row, literal in enumerate(held):
            if at in known:
                number, order = known[at]
                bits = enumerate(order)
                name = sum((row >> bit & 1 ^ inverse) << n for n, (bit, inverse) in bits)
                key = number, name
            else:
                key = *at, row
            groups.setdefault(key, []).append((literal >> 1, literal & 1))
    return list(groups.values())

# SPDX-License-Identifier: Apache-2.0
"""What the naive blocks of the issue stage share: instructions, readings."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable

from naive_arbiter import Arbiter
from naive_ports import Port

Row = dict[str, int]
"""The inputs of a cycle, by emitted port name."""
Known = dict[str, int | None]
"""Outputs by emitted port name; None is unknown."""
Outputs = dict[str, tuple[int, int]]
"""Outputs as (value, care)."""
Entry = dict[str, int]
"""An instruction: {field, as it ends a port's name: value}."""

OPERANDS = range(3)

# Instructions (§0)

RD, HAS_RD = "uop_inst_essentials_3", "uop_inst_essentials_22"
RS = [f"uop_inst_essentials_{4 + i}" for i in OPERANDS]
HAS_RS = [f"uop_inst_essentials_{23 + i}" for i in OPERANDS]
WID, PC = "uop_wid", "uop_pc"


def take_entry(x: Row, prefix: str, fields: Iterable[str]) -> Entry:
    """The instruction that the ports `prefix`_… carry."""
    return {field: x[f"{prefix}_{field}"] for field in fields}


# Readings

COUNTER_MASK = (1 << 64) - 1


class Reading:
    """One whole state that the facts allow; only its arbiters' `last` may still be a set."""

    def split(self, x: Row) -> list[Reading]:
        """The readings this one falls into, each of which does one thing only in this cycle."""
        return [self]

    def outputs(self, x: Row) -> Known:
        """The outputs of this cycle; changes nothing that the next cycle sees."""
        raise NotImplementedError

    def edge(self, x: Row) -> None:
        """The clock edge; comes after `outputs` of the same inputs."""
        raise NotImplementedError

    def violations(self, x: Row) -> set[str]:
        """The protocol rules that the inputs break, where the naive block judges them."""
        return set()

    def arbiters(self) -> list[Arbiter]:
        return [v for v in vars(self).values() if isinstance(v, Arbiter)]

    def facts(self) -> object:
        """All of the state but the arbiters."""
        return {k: v for k, v in vars(self).items() if not isinstance(v, Arbiter)}

    def with_arbiter(self, name: str, kinds: list[Arbiter]) -> list[Reading]:
        """This reading once for each of `kinds`, put at attribute `name`."""
        if len(kinds) == 1:
            return [self]
        found = []
        for arbiter in kinds:
            found.append(copy.deepcopy(self))
            setattr(found[-1], name, arbiter)
        return found


class ContradictionError(Exception):
    """No reading explains what was seen: the mismatch."""


class Readings:
    """A block: all the readings that are still possible, one `step` a clock cycle.

    `reset_seen` is whether a reset edge has been, `violations` are those of the last cycle.
    """

    def __init__(self, params: dict, listed: list[Port], first: Reading) -> None:
        self.params = params
        self.ports = listed
        self.width = {port.name: port.width for port in listed}
        self.readings = [first]
        self.reset_seen = False
        self.violations: set[str] = set()

    def step(self, inputs: Row, seen: Row | None = None) -> Outputs:
        """The outputs {port: (value, care)} of this cycle; then the clock edge.

        With `seen`, outputs that the RTL showed in this cycle, the readings they contradict are
        dropped first; ContradictionError when none is left. Bits on which the readings that
        stay differ, or that one of them does not know, have care 0.
        """
        for name, value in inputs.items():
            if not 0 <= value < 1 << self.width[name]:
                raise ValueError(f"{name} = {value:#x} needs more than {self.width[name]} bits")
        broken = (one.violations(inputs) for one in self.readings if self.reset_seen)
        self.violations = set().union(*broken)
        self.readings = [part for one in self.readings for part in one.split(inputs)]
        shown = [one.outputs(inputs) for one in self.readings]
        if seen is not None:
            shown = self._drop(shown, seen)
        outputs = {name: self._agreed(name, [out[name] for out in shown]) for name in shown[0]}
        for one in self.readings:
            one.edge(inputs)
        self._merge()
        self.reset_seen = self.reset_seen or bool(inputs["reset"])
        return outputs

    def _drop(self, shown: list[Known], seen: Row) -> list[Known]:
        wrong = [_contradicted(out, seen) for out in shown]
        if None not in wrong:
            raise ContradictionError("; ".join(str(one) for one in wrong))
        kept = [k for k, one in enumerate(wrong) if one is None]
        self.readings = [self.readings[k] for k in kept]
        return [shown[k] for k in kept]

    def _agreed(self, name: str, values: list[int | None]) -> tuple[int, int]:
        if None in values:
            return 0, 0
        care = (1 << self.width[name]) - 1
        for value in values:
            care &= ~(value ^ values[0])
        return values[0] & care, care

    def _merge(self) -> None:
        """Joins readings that differ in one arbiter's `last` only."""
        if len(self.readings) == 1:
            return
        kept: list[Reading] = []
        for one in self.readings:
            if not any(_joined(other, one) for other in kept):
                kept.append(one)
        self.readings = kept


def _contradicted(out: Known, seen: Row) -> str | None:
    for name, value in out.items():
        if value is not None and value != seen.get(name, value):
            return f"{name} shown {seen[name]:#x}, expected {value:#x}"
    return None


def _joined(into: Reading, other: Reading) -> bool:
    """Adds `other` to `into` if they differ only in the `last` of one arbiter."""
    pairs = list(zip(into.arbiters(), other.arbiters(), strict=True))
    apart = [(a, b) for a, b in pairs if a.lasts != b.lasts]
    if len(apart) > 1 or into.facts() != other.facts():
        return False
    for a, b in apart:
        a.lasts = a.lasts | b.lasts
    return True


def counted(counters: dict, clear: bool, added: Callable[[str], int]) -> dict:
    """64-bit counters after the edge; an unknown one (None) stays so until it is cleared."""
    if clear:
        return dict.fromkeys(counters, 0)
    return {
        name: None if value is None else (value + added(name)) & COUNTER_MASK
        for name, value in counters.items()
    }

# SPDX-License-Identifier: Apache-2.0
"""What the naive blocks of the issue stage share: parameters, ports, instructions, readings."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable

from naive_arbiter import Arbiter
from naive_collector import OPERANDS, Port, id_width

Row = dict[str, int]
"""The inputs of a cycle, by emitted port name."""
Known = dict[str, int | None]
"""Outputs by emitted port name; None is unknown."""
Outputs = dict[str, tuple[int, int]]
"""Outputs as (value, care)."""
Entry = dict[str, int]
"""An instruction: {field, as it ends a port's name: value}."""

# Instructions (§0)

RD, HAS_RD = "uop_inst_essentials_3", "uop_inst_essentials_22"
RS = [f"uop_inst_essentials_{4 + i}" for i in OPERANDS]
HAS_RS = [f"uop_inst_essentials_{23 + i}" for i in OPERANDS]
WID, PC = "uop_wid", "uop_pc"

_ESSENTIALS = {0: 9, 1: 3, 2: 7, 29: 8, 30: 24, 31: 8}


def entry_fields(p: dict) -> list[tuple[str, int]]:
    """(field, width) of an instruction, in the order of the ports."""
    warp = id_width(p["num_warps"])
    widths = {n: _ESSENTIALS.get(n, 1) for n in range(32)}
    for operand in range(3, 7):
        widths[operand] = id_width(p["num_pregs"])
    return [
        *((f"uop_inst_essentials_{n}", widths[n]) for n in reversed(range(32))),
        ("uop_tmask", p["num_lanes"]),
        ("uop_pc", p["lane_bits"]),
        ("uop_wid", warp),
        ("token_warpId", warp),
        ("token_addressSpace", 1),
        ("token_ldq", 1),
        ("token_index", 4),
    ]


def take_entry(x: Row, prefix: str, fields: Iterable[str]) -> Entry:
    """The instruction that the ports `prefix`_… carry."""
    return {field: x[f"{prefix}_{field}"] for field in fields}


# Ports

Listed = list[Port]


def group(prefix: str, *fields: tuple[str, str, int]) -> Listed:
    """The ports `prefix`_name."""
    return [Port(f"{prefix}_{name}", direction, width) for name, direction, width in fields]


def entry_ports(prefix: str, direction: str, p: dict) -> Listed:
    """The ports of an instruction."""
    return group(prefix, *((field, direction, width) for field, width in entry_fields(p)))


def control_ports(p: dict, soft_reset: bool = True) -> Listed:
    """What every block's list starts with."""
    debug = (("cycle", "i", 64), ("clusterId", "i", 1), ("coreId", "i", 1))
    soft = [Port("io_softReset", "i", 1)] if soft_reset else []
    return [Port("reset", "i", 1), *(group("debug", *debug) if p["debug"] else []), *soft]


def update_ports(prefix: str, direction: str, p: dict) -> Listed:
    """An update port of the scoreboard; `direction` is that of the request."""
    preg = id_width(p["num_pregs"])
    answer = "o" if direction == "i" else "i"
    one = (("pReg", direction, preg), ("incr", direction, 1), ("decr", direction, 1))
    listed = group(prefix, ("enable", direction, 1)) + group(f"{prefix}_write", *one)
    for i in OPERANDS:
        listed += group(f"{prefix}_reads_{i}", *one)
    return listed + group(prefix, ("success", answer, 1))


READ_PORTS = ("readRs1", "readRs2", "readRs3", "readRd")


def warp_read_ports(prefix: str, direction: str, p: dict) -> Listed:
    """The scoreboard's read ports of all warps; `direction` is that of the request."""
    answer = "o" if direction == "i" else "i"
    listed: Listed = []
    for warp in range(p["num_warps"]):
        for port in READ_PORTS:
            listed += group(
                f"{prefix}_{warp}_{port}",
                ("enable", direction, 1),
                ("pReg", direction, id_width(p["num_pregs"])),
                ("pendingReads", answer, p["max_pending_reads"].bit_length()),
                ("pendingWrites", answer, 1),
            )
    return listed


def writeback_ports(p: dict) -> Listed:
    """The write-back port of the RS and of the composed stage."""
    data = [(f"bits_data_{lane}", "i", p["lane_bits"]) for lane in range(p["num_lanes"])]
    rd = ("bits_rd", "i", id_width(p["num_pregs"]))
    return group("io_writeback", ("valid", "i", 1), rd, *data, ("bits_tmask", "i", p["num_lanes"]))


def rs_counters(p: dict) -> list[str]:
    """The RS's counters as its ports name them, in their order."""
    names = ["cyclesDispatched", "cyclesEligible"]
    for warp in range(p["num_warps"]):
        per_warp = ("cyclesDispatched", "cyclesEligible", "stallsRSFull")
        names += [f"perWarp_{warp}_{name}" for name in per_warp]
    return [*names, "accRsOccupancy"]


def hazard_counters(p: dict) -> list[str]:
    """Hazard's counters as its ports name them, in their order."""
    per_warp = ("stallsWAW", "stallsWAR", "stallsScoreboard")
    return [f"{warp}_{name}" for warp in range(p["num_warps"]) for name in per_warp]


def counter_ports(prefix: str, names: Iterable[str]) -> Listed:
    """Performance counters."""
    return group(prefix, *((name, "o", 64) for name in names))


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

    `reset_seen` is whether a reset edge has been.
    """

    def __init__(self, params: dict, listed: Listed, first: Reading) -> None:
        self.params = params
        self.ports = listed
        self.width = {port.name: port.width for port in listed}
        self.readings = [first]
        self.reset_seen = False

    def step(self, inputs: Row, seen: Row | None = None) -> Outputs:
        """The outputs {port: (value, care)} of this cycle; then the clock edge.

        With `seen`, the outputs that the RTL showed in this cycle, the readings they contradict
        are dropped first; ContradictionError when none is left. Bits on which the readings that
        stay differ, or that one of them does not know, have care 0.
        """
        for name, value in inputs.items():
            if not 0 <= value < 1 << self.width[name]:
                raise ValueError(f"{name} = {value:#x} needs more than {self.width[name]} bits")
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
        if value is not None and value != seen[name]:
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

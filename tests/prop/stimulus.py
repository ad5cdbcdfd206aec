# SPDX-License-Identifier: Apache-2.0
"""Seeded random stimulus for the collector, and what it has reached.

Every profile but 'illegal' keeps the protocol (§2): readData.req.valid names an allocated entry.
In reset cycles and before the first reset anything may be driven.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

from naive_collector import OPERANDS, NaiveCollector, ports

Row = dict[str, int]
Outputs = dict[str, tuple[int, int]]


@dataclass(frozen=True)
class Profile:
    """Probabilities a cycle, unless said otherwise."""

    read: float = 0.6  # readReq.valid
    write: float = 0.6  # writeReq.valid
    data: float = 0.5  # readData.req.valid, when an entry is allocated
    with_read: float = 0.0  # readReq and a freeing readData together, when an entry is allocated
    enable: float = 0.7  # each enable of readReq and of readData
    write_enable: float = 0.9
    zero_reg: float = 0.05  # a register number is 0
    repeat: float = 0.1  # operands 2 and 3 name the register of the first
    collide: float = 0.1  # the write names a register read in this cycle
    full_mask: float = 0.4  # tmask with all lanes; otherwise anything, none included
    hot: int = 6  # registers mostly used
    reset: float = 0.002
    legal: bool = True


PROFILES = {
    "mixed": Profile(),
    "saturate": Profile(read=1, write=1, data=1, enable=1, write_enable=1, full_mask=1, hot=12),
    "withheld": Profile(read=0.9, data=0.04),
    "alloc_free": Profile(with_read=0.85),
    "write_heavy": Profile(read=0.3, write=1, data=0.3, full_mask=0, hot=3),
    "zero_repeat": Profile(zero_reg=0.35, repeat=0.5),
    "sparse": Profile(read=0.1, write=0.15, data=0.1),
    "resets": Profile(read=0.9, data=0.3, reset=0.08),
    "read_write": Profile(read=0.9, write=0.9, data=0.8, collide=0.8, hot=3),
    "illegal": Profile(reset=0.01, legal=False),
}


class Stimulus:
    """Drives one naive collector: a function of (parameters, profile, seed)."""

    def __init__(self, params: dict, profile: str, seed: int | str) -> None:
        self.rng = random.Random(f"{seed}/{profile}")
        self.profile = PROFILES[profile]
        self.model = NaiveCollector(params)
        self.num_pregs = self.model.params["num_pregs"]
        self.inputs = [p for p in ports(params) if p.direction == "i"]
        self.hot = [self.rng.randrange(self.num_pregs) for _ in range(self.profile.hot)]

    def run(self, cycles: int) -> tuple[list[Row], list[Outputs], Counter]:
        """The inputs, the naive model's outputs and the coverage of a run from power-up on."""
        before = self.rng.randint(0, 8)
        start = range(before, before + self.rng.randint(1, 3))
        never = not self.profile.legal and self.rng.random() < 0.2
        rows, outputs, coverage = [], [], Coverage()
        for cycle in range(cycles):
            given = never or cycle < start.stop  # otherwise the profile resets when it likes
            row = self._row(int(cycle in start and not never) if given else None)
            was = coverage.before(self.model)
            rows.append(row)
            outputs.append(self.model.step(row))
            coverage.after(self.model, row, outputs[-1], was)
        return rows, outputs, coverage.count

    def _chance(self, probability: float) -> int:
        return int(self.rng.random() < probability)

    def _row(self, reset: int | None) -> Row:
        """The inputs of one cycle: anything, then over it what a legal profile asks for."""
        row = {port.name: self.rng.getrandbits(port.width) for port in self.inputs}
        row["reset"] = self._chance(self.profile.reset) if reset is None else reset
        if self.profile.legal:
            self._read_request(row)
            self._write_request(row)
            self._read_data(row)
        return row

    def _register(self) -> int:
        if self._chance(self.profile.zero_reg):
            return 0
        if self._chance(0.95):
            return self.rng.choice(self.hot)
        return self.rng.randrange(self.num_pregs)

    def _read_request(self, row: Row) -> None:
        row["io_readReq_valid"] = self._chance(self.profile.read)
        first = self._register()
        for i in OPERANDS:
            preg = first if self._chance(self.profile.repeat) else self._register()
            row[f"io_readReq_bits_regs_{i}_pReg"] = preg
            row[f"io_readReq_bits_regs_{i}_enable"] = self._chance(self.profile.enable)

    def _write_request(self, row: Row) -> None:
        row["io_writeReq_valid"] = self._chance(self.profile.write)
        row["io_writeReq_bits_regs_0_enable"] = self._chance(self.profile.write_enable)
        row["io_writeReq_bits_regs_0_pReg"] = self._register()
        if self._chance(self.profile.collide):
            read = row[f"io_readReq_bits_regs_{self.rng.choice(OPERANDS)}_pReg"]
            row["io_writeReq_bits_regs_0_pReg"] = read
        if self._chance(self.profile.full_mask):
            lanes = self.model.params["num_lanes"]
            row["io_writeReq_bits_regs_0_tmask"] = (1 << lanes) - 1

    def _read_data(self, row: Row) -> None:
        """Legal outside reset: a valid entry, or valid low and any entry."""
        row["io_readData_req_valid"] = self._chance(self.profile.data)
        for i in OPERANDS:
            enable = self._chance(self.profile.enable)
            row[f"io_readData_req_bits_regs_{i}_enable"] = enable
        if row["reset"] or not self.model.reset_seen:
            return
        allocated = [e for e in self.model.entries if self.model.alloc_valid[e]]
        if not allocated:
            row["io_readData_req_valid"] = 0
            return
        if self._chance(self.profile.with_read):
            row["io_readReq_valid"] = row["io_readData_req_valid"] = 1
            row[f"io_readData_req_bits_regs_{self.rng.choice(OPERANDS)}_enable"] = 1
        if row["io_readData_req_valid"]:
            row["io_readData_req_bits_collEntry"] = self.rng.choice(allocated)


COVERAGE_POINTS = (
    "alloc",
    "free",
    "alloc_and_free",
    "full_stall",
    "free_while_full",
    "read_x0",
    "read_repeated",
    "read_data_seen",
    "stale_bank",
    "read_without_enable",
    "write",
    "write_x0",
    "write_partial",
    "write_no_lane",
    "write_in_reset",
    "write_before_reset",
    "read_write",
    "read_write_partial",
    "reset_in_flight",
    "entry_out_of_range",
    "free_out_of_range",
    "free_unallocated",
    "masked_bits",
    "masked_lanes_beside_known",
    "ready_known_before_reset",
)


class Coverage:
    """Counts what one run has reached; every key of `count` is in COVERAGE_POINTS."""

    def __init__(self) -> None:
        self.count: Counter = Counter()
        self.enabled: dict[int, set[int]] = {}  # of each entry's present request

    def before(self, model: NaiveCollector) -> dict:
        """What has to be looked at before the edge."""
        return {
            "alloc_valid": list(model.alloc_valid),
            "known": model.control_known,
            "reset_seen": model.reset_seen,
            "in_flight": any(model.next_en),
        }

    def after(self, model: NaiveCollector, row: Row, out: Outputs, was: dict) -> None:
        """Counts the cycle that `model.step` has just made."""
        self._writes(model, row, was)
        self._masks(model, out, was)
        if row["reset"]:
            self.count["reset_in_flight"] += was["in_flight"]
            self.enabled = {}
        elif was["known"]:
            self._stale(row, out)
            self._requests(model, row, out, was)
        else:
            self.count["ready_known_before_reset"] += out["io_readReq_ready"][1]

    def _requests(self, model: NaiveCollector, row: Row, out: Outputs, was: dict) -> None:
        valid, ready = row["io_readReq_valid"], out["io_readReq_ready"][0]
        entry = row["io_readData_req_bits_collEntry"]
        in_range = entry in model.entries
        enables = [out[f"io_readData_resp_bits_{i}_enable"][0] for i in OPERANDS]
        free, fire = any(enables), bool(valid and ready)
        add = self.count.update
        add(alloc=fire, free=free, alloc_and_free=fire and free, full_stall=valid and not ready)
        add(entry_out_of_range=not in_range, free_out_of_range=free and not in_range)
        add(free_while_full=fire and free and all(was["alloc_valid"]))
        add(free_unallocated=free and in_range and not was["alloc_valid"][entry])
        add(read_data_seen=sum(enables) if in_range and was["alloc_valid"][entry] else 0)
        if fire:
            self._fired(model, row)

    def _fired(self, model: NaiveCollector, row: Row) -> None:
        pregs = {
            i: row[f"io_readReq_bits_regs_{i}_pReg"]
            for i in OPERANDS
            if row[f"io_readReq_bits_regs_{i}_enable"]
        }
        self.enabled[model.next_alloc_id] = set(pregs)
        written, lanes = _written(model, row)
        collides = written in pregs.values() and lanes != 0
        self.count.update(
            read_x0=list(pregs.values()).count(0),
            read_repeated=len(pregs) - len(set(pregs.values())),
            read_without_enable=not pregs,
            read_write=collides,
            read_write_partial=collides and lanes != _all_lanes(model),
        )

    def _stale(self, row: Row, out: Outputs) -> None:
        """Known data other than 0 shown for an operand the present request did not enable."""
        entry = row["io_readData_req_bits_collEntry"]
        if not out["io_readData_resp_valid"][0] or entry not in self.enabled:
            return
        for i in set(OPERANDS) - self.enabled[entry]:
            prefix = f"io_readData_resp_bits_{i}_data_"
            self.count["stale_bank"] += any(v for n, (v, _) in out.items() if n.startswith(prefix))

    def _writes(self, model: NaiveCollector, row: Row, was: dict) -> None:
        preg, lanes = _written(model, row)
        zero = row["io_writeReq_valid"] and row["io_writeReq_bits_regs_0_enable"] and not preg
        self.count.update(
            write=preg != 0,
            write_x0=bool(zero),
            write_partial=lanes not in (0, _all_lanes(model)),
            write_no_lane=preg != 0 and lanes == 0,
            write_in_reset=preg != 0 and row["reset"],
            write_before_reset=preg != 0 and not was["reset_seen"] and not row["reset"],
        )

    def _masks(self, model: NaiveCollector, out: Outputs, was: dict) -> None:
        if not was["reset_seen"]:
            return
        for i in OPERANDS:
            names = [f"io_readData_resp_bits_{i}_data_{n}" for n in model.lanes]
            unknown = sum(out[name][1] == 0 for name in names)
            self.count["masked_bits"] += unknown * model.params["lane_bits"]
            self.count["masked_lanes_beside_known"] += 0 < unknown < len(names)


def _all_lanes(model: NaiveCollector) -> int:
    return (1 << model.params["num_lanes"]) - 1


def _written(model: NaiveCollector, row: Row) -> tuple[int, int]:
    """(register, tmask) of the cycle's write, (0, 0) when none is done."""
    enabled = row["io_writeReq_valid"] and row["io_writeReq_bits_regs_0_enable"]
    preg = row["io_writeReq_bits_regs_0_pReg"]
    return (preg, row["io_writeReq_bits_regs_0_tmask"]) if enabled and preg else (0, 0)

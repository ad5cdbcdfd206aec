# SPDX-License-Identifier: Apache-2.0
"""Naive second implementation of the scoreboard (muon-issue §0, §3), for the property tests."""

from __future__ import annotations

from typing import NamedTuple

from naive_common import OPERANDS, Known, Reading, Row

READ_PORTS = ("readRs1", "readRs2", "readRs3", "readRd")


class Update(NamedTuple):
    """One register's change; incr and decr are sums after consolidation."""

    preg: int
    incr: int
    decr: int


Table = list[int | None]
"""The count of each register. None is unknown, as all are until the first reset."""


class ScoreboardState(Reading):
    """`reads` and `writes` are pendingReads and pendingWrites."""

    def __init__(self, params: dict) -> None:
        self.params = params
        known = 0 if self.params["power_up"] == "zero" else None
        self.reads: Table = [known] * self.params["num_pregs"]
        self.writes: Table = [known] * self.params["num_pregs"]

    def outputs(self, x: Row) -> Known:
        cycle = self._cycle(x)
        out: Known = {
            "io_updateColl_success": cycle.coll,
            "io_updateWB_success": cycle.wb,
            "io_hazard_updateRS_success": _all_of([x["io_hazard_updateRS_enable"], cycle.rs]),
        }
        for warp in range(self.params["num_warps"]):
            for port in READ_PORTS:
                prefix = f"io_hazard_warps_{warp}_{port}"
                enable, preg = x[f"{prefix}_enable"], x[f"{prefix}_pReg"]
                for name, table in (("pendingReads", cycle.reads), ("pendingWrites", cycle.writes)):
                    out[f"{prefix}_{name}"] = table[preg] if enable and preg else 0
        return out

    def edge(self, x: Row) -> None:
        if x["reset"]:
            self.reads = [0] * self.params["num_pregs"]
            self.writes = [0] * self.params["num_pregs"]
            return
        cycle = self._cycle(x)
        if x["io_hazard_updateRS_enable"]:
            whole, rolled_back = (cycle.rs_reads, cycle.rs_writes), (cycle.reads, cycle.writes)
            self.reads, self.writes = whole if cycle.rs else rolled_back
        elif x["io_updateWB_enable"] or x["io_updateColl_enable"]:
            self.reads, self.writes = cycle.reads, cycle.writes

    def _cycle(self, x: Row) -> Cycle:
        max_reads, max_writes = (self.params[f"max_pending_{what}"] for what in ("reads", "writes"))
        reads, coll = _apply(self.reads, _reads(x, "io_updateColl"), max_reads)
        writes, wb = _apply(self.writes, [_write(x, "io_updateWB")], max_writes)
        rs_updates = _reads(x, "io_hazard_updateRS"), [_write(x, "io_hazard_updateRS")]
        rs_reads, reads_success = _apply(reads, rs_updates[0], max_reads)
        rs_writes, write_success = _apply(writes, rs_updates[1], max_writes)
        rs = _all_of([reads_success, write_success])
        return Cycle(reads, writes, rs_reads, rs_writes, coll, wb, rs)


class Cycle(NamedTuple):
    """The tables after coll and WB, those with RS on top, and the three successes."""

    reads: Table
    writes: Table
    rs_reads: Table
    rs_writes: Table
    coll: int | None
    wb: int | None
    rs: int | None


def _write(x: Row, port: str) -> Update:
    return Update(*(x[f"{port}_write_{name}"] for name in ("pReg", "incr", "decr")))


def _reads(x: Row, port: str) -> list[Update]:
    """The consolidated reads of an update port (§3 step 1)."""
    given = [
        Update(*(x[f"{port}_reads_{i}_{name}"] for name in ("pReg", "incr", "decr")))
        for i in OPERANDS
    ]
    found = []
    for i, one in enumerate(given):
        if any(before.preg == one.preg for before in given[:i]):
            found.append(Update(0, 0, 0))
            continue
        same = [other for other in given if other.preg == one.preg]
        found.append(Update(one.preg, sum(u.incr for u in same), sum(u.decr for u in same)))
    return found


def _apply(table: Table, updates: list[Update], limit: int) -> tuple[Table, int | None]:
    """The table after the updates, each of which stands alone, and their common success."""
    after, successes = list(table), []
    for preg, incr, decr in updates:
        if preg == 0 or incr == decr:
            continue
        count, delta = table[preg], incr - decr
        if count is None:
            after[preg] = None
            successes.append(None)
        elif delta > limit - count or -delta > count:
            successes.append(0)
        else:
            after[preg] = count + delta
            successes.append(1)
    return after, _all_of(successes)


def _all_of(bits: list[int | None]) -> int | None:
    """AND; one known 0 is enough to know it."""
    if 0 in bits:
        return 0
    return None if None in bits else 1

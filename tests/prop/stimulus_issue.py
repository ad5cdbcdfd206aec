# SPDX-License-Identifier: Apache-2.0
"""Seeded random stimulus for the composed stage: heads that stay or change, any write-backs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from naive_collector import OPERANDS
from naive_common import HAS_RD, HAS_RS, RS, Row
from naive_issue import IssueState
from stimulus_common import COMMON_POINTS, SOURCES, HeadStimulus

WRITEBACK = "io_writeback"


@dataclass(frozen=True)
class Profile:
    """Probabilities a cycle, unless said otherwise."""

    valid: float = 0.8  # a warp has a head
    hold: float = 1.0  # a head that was not taken stays
    has_rd: float = 0.7
    has_rs: float = 0.6  # of each source
    repeat: float = 0.1
    some_operand: float = 1.0  # an instruction without one is given one
    ready: float = 0.7  # issue.ready
    writeback: float = 0.6
    aim: float = 0.8  # a write-back names a register whose write is pending, if there is one
    full_mask: float = 0.6
    zero: float = 0.05  # a register number is 0
    hot: int = 12
    soft_reset: float = 0.01
    reset: float = 0.004
    uniform: bool = False  # random bits on every port


PROFILES = {
    "mixed": Profile(),
    "streaming": Profile(valid=1, ready=1, writeback=0.9, has_rd=0.3, hot=16),
    "pressed": Profile(valid=1, ready=0.2, writeback=0.9),
    "dependent": Profile(valid=1, hot=4, writeback=0.5, ready=0.9),
    "changing": Profile(hold=0.3, some_operand=0.9, aim=0.5),
    "stuck": Profile(some_operand=0.7, repeat=0.6, reset=0.03),
    "zeros": Profile(zero=0.5, hot=3),
    "resets": Profile(reset=0.08, soft_reset=0.05, writeback=0.8),
    "uniform": Profile(uniform=True, hot=1, reset=0.02, soft_reset=0.02),
}

POINTS = (
    *COMMON_POINTS,
    "admitted",
    "issued",
    "issue_waits",
    "operand_read",
    "waw",
    "war",
    "rs_full",
    "collector_full",
    "freed_and_taken",
    "woken",
    "admitted_in_its_writeback",
    "never_admitted",
    "dispatch_in_order",
    "work_in_reset",
)


class IssueStimulus(HeadStimulus):
    """Drives one naive issue stage."""

    BLOCK = "issue"
    PROFILES = PROFILES

    def drive(self, row: Row, reading: IssueState) -> None:
        for warp in self.warps:
            if self.profile.uniform:
                self.warp_number(row, f"io_ibuf_{warp}_bits")
            else:
                self.head(row, warp)
        if not self.profile.uniform:
            row["io_issue_ready"] = self.chance(self.profile.ready)
            self._writeback(row, reading)

    def change_head(self, row: Row, warp: int) -> None:
        if not self._has_any(row, warp) and self.chance(self.profile.some_operand):
            row[f"io_ibuf_{warp}_bits_{self.rng.choice((HAS_RD, *HAS_RS))}"] = 1

    def _writeback(self, row: Row, reading: IssueState) -> None:
        row[f"{WRITEBACK}_valid"] = self.chance(self.profile.writeback)
        row[f"{WRITEBACK}_bits_rd"] = self.register()
        pending = [r for r, count in enumerate(reading.blocks["scoreboard"].writes) if count]
        if pending and self.chance(self.profile.aim):
            row[f"{WRITEBACK}_bits_rd"] = self.rng.choice(pending)
        if self.chance(self.profile.full_mask):
            row[f"{WRITEBACK}_bits_tmask"] = (1 << self.params["num_lanes"]) - 1

    def _has_any(self, row: Row, warp: int) -> bool:
        return any(row[f"io_ibuf_{warp}_bits_{name}"] for name in (HAS_RD, *HAS_RS))

    def _is_hopeless(self, row: Row, warp: int) -> bool:
        """A head that §4 says is never admitted."""
        bits = f"io_ibuf_{warp}_bits"
        sources = Counter(row[f"{bits}_{rs}"] for has, rs in SOURCES if row[f"{bits}_{has}"])
        del sources[0]
        too_often = max(sources.values(), default=0) > self.params["max_pending_reads"]
        return bool(row[f"io_ibuf_{warp}_valid"]) and (too_often or not self._has_any(row, warp))

    def before(self, row: Row, reading: IssueState) -> dict[str, int]:
        station = reading.blocks["reservation_station"]
        rows = [one for one in station.rows if one.valid]
        ordered = self.params["in_order_per_warp"]
        self.was_full = len(rows) == len(station.rows)
        self.allocated = list(reading.blocks["collector"].model.alloc_valid)
        rd = row[f"{WRITEBACK}_bits_rd"] if row[f"{WRITEBACK}_valid"] else 0
        woken = [
            one for one in rows for i in OPERANDS if one.busy[i] and one.entry[RS[i]] == rd != 0
        ]
        self.hazards_were = self._hazards(reading)
        return {
            "woken": len(woken),
            "work_in_reset": int(row["reset"] and bool(rows)),
            "never_admitted": sum(self._is_hopeless(row, warp) for warp in self.warps),
            "dispatch_in_order": sum(
                bool(ordered and all(one.op_ready) and station._older(one)) for one in rows
            ),
        }

    def _hazards(self, reading: IssueState) -> tuple[int, int]:
        counters = reading.blocks["hazard"].counters
        return tuple(
            sum(counters[f"{warp}_{name}"] for warp in self.warps)
            for name in ("stallsWAW", "stallsWAR")
        )

    def after(self, row: Row, reading: IssueState) -> dict[str, int]:
        wires, shown = reading.wires, self.shown
        asks = wires["reservation_station"]["io_collector_readReq_valid"]
        taken = wires["collector"]["io_readReq_ready"]
        admitted = [
            w for w in self.warps if row[f"io_ibuf_{w}_valid"] and shown[f"io_ibuf_{w}_ready"]
        ]
        rd = row[f"{WRITEBACK}_bits_rd"] if row[f"{WRITEBACK}_valid"] else 0
        waw, war = (
            now - was for was, now in zip(self.hazards_were, self._hazards(reading), strict=True)
        )
        fire = shown["io_issue_valid"] and row["io_issue_ready"]
        return {
            "admitted": len(admitted),
            "admitted_in_its_writeback": sum(
                bool(row[f"io_ibuf_{w}_bits_{has}"]) and row[f"io_ibuf_{w}_bits_{rs}"] == rd != 0
                for w in admitted
                for has, rs in SOURCES
            ),
            "issued": int(fire),
            "issue_waits": int(shown["io_issue_valid"] and not row["io_issue_ready"]),
            "operand_read": sum(shown[f"io_operands_{i}_0"] != 0 for i in OPERANDS) if fire else 0,
            "waw": max(waw, 0),
            "war": max(war, 0),
            "rs_full": int(self.was_full),
            "collector_full": int(asks and not taken),
            "freed_and_taken": int(asks and taken and all(self.allocated)),
        }

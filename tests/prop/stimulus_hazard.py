# SPDX-License-Identifier: Apache-2.0
"""Seeded random stimulus for Hazard: heads that stay or change, any answer of scoreboard and RS."""

from __future__ import annotations

from dataclasses import dataclass

import naive_common as common
from naive_collector import OPERANDS
from naive_common import HAS_RD, HAS_RS, Row
from naive_hazard import HazardState
from stimulus_common import COMMON_POINTS, HeadStimulus


@dataclass(frozen=True)
class Profile:
    """Probabilities a cycle, unless said otherwise."""

    valid: float = 0.7  # a warp has a head
    hold: float = 0.9  # a head that was not taken stays
    has_rd: float = 0.6
    has_rs: float = 0.5  # of each source
    repeat: float = 0.1
    pending: float = 0.3  # each answer of the scoreboard is other than 0
    ready: float = 0.7  # rsAdmit.ready
    success: float = 0.7  # of updateRS
    zero: float = 0.05  # a register number is 0
    hot: int = 6
    soft_reset: float = 0.01
    reset: float = 0.01
    uniform: bool = False  # random bits on every port


PROFILES = {
    "mixed": Profile(),
    "crowded": Profile(valid=1, pending=0.05, hold=1),
    "lonely": Profile(valid=0.15, pending=0.1),
    "stalled": Profile(success=0.15, pending=0.15),
    "no_room": Profile(ready=0.15, hold=1),
    "hazards": Profile(pending=0.7),
    "wild": Profile(hold=0),
    "resets": Profile(reset=0.15, soft_reset=0.1, pending=0.1),
    "uniform": Profile(uniform=True, soft_reset=0.05),
}

POINTS = (
    *COMMON_POINTS,
    "admitted",
    "admitted_in_reset",
    "wrapped",
    "idle",
    "refused",
    "admit_valid_without_ready",
    "waw",
    "war",
    "waw_and_war",
    "busy_operand",
    "operandless",
    "overtaken",
    "stayed_chosen",
    "stall_not_counted",
)


class HazardStimulus(HeadStimulus):
    """Drives one naive Hazard."""

    BLOCK = "hazard"
    PROFILES = PROFILES

    def __init__(self, params: dict, profile: str, seed: int | str) -> None:
        super().__init__(params, profile, seed)
        self.waiting: int | None = None  # the warp chosen and not admitted in the cycle before

    def drive(self, row: Row, reading: HazardState) -> None:
        if self.profile.uniform:
            return
        for warp in self.warps:
            self.head(row, warp)
            self._answers(row, warp)
        row["io_rsAdmit_ready"] = self.chance(self.profile.ready)
        row["io_scb_updateRS_success"] = self.chance(self.profile.success)

    def _answers(self, row: Row, warp: int) -> None:
        for port in common.READ_PORTS:
            for count in ("pendingReads", "pendingWrites"):
                if not self.chance(self.profile.pending):
                    row[f"io_scb_warps_{warp}_{port}_{count}"] = 0

    def before(self, row: Row, reading: HazardState) -> dict[str, int]:
        valid = [self._is_candidate(row, warp) for warp in self.warps]
        chosen = reading.arbiter.choice(valid)
        success, ready = row["io_scb_updateRS_success"], row["io_rsAdmit_ready"]
        fire = valid[chosen] and success and ready
        was = self.waiting
        still = was is not None and valid[was]
        self.waiting = chosen if valid[chosen] and not fire else None
        bits = f"io_ibuf_{chosen}_bits"
        has = [row[f"{bits}_{name}"] for name in (HAS_RD, *HAS_RS)]
        return {
            "admitted": int(fire),
            "admitted_in_reset": int(fire and row["reset"]),
            "wrapped": int(fire and chosen <= min(reading.arbiter.lasts)),
            "idle": int(not any(valid)),
            "refused": int(valid[chosen] and not success),
            "admit_valid_without_ready": int(valid[chosen] and success and not ready),
            "operandless": int(valid[chosen] and not any(has)),
            "overtaken": int(still and was != chosen),
            "stayed_chosen": int(still and was == chosen and sum(valid) > 1),
            "stall_not_counted": int(row["io_softReset"] and valid[chosen] and not success),
        }

    def after(self, row: Row, reading: HazardState) -> dict[str, int]:
        hazards = [(self._waw(row, w), self._war(row, w)) for w in self.warps]
        return {
            "waw": sum(waw for waw, _ in hazards),
            "war": sum(war for _, war in hazards),
            "waw_and_war": sum(waw and war for waw, war in hazards),
            "busy_operand": sum(self.shown[f"io_rsAdmit_bits_busy_{i}"] for i in OPERANDS),
        }

    def _waw(self, row: Row, warp: int) -> int:
        return self._hazard(row, warp, "pendingWrites")

    def _war(self, row: Row, warp: int) -> int:
        return self._hazard(row, warp, "pendingReads")

    def _hazard(self, row: Row, warp: int, count: str) -> int:
        head = row[f"io_ibuf_{warp}_valid"] and row[f"io_ibuf_{warp}_bits_{HAS_RD}"]
        return int(head and row[f"io_scb_warps_{warp}_readRd_{count}"] != 0)

    def _is_candidate(self, row: Row, warp: int) -> bool:
        hazard = self._waw(row, warp) or self._war(row, warp)
        return bool(row[f"io_ibuf_{warp}_valid"]) and not hazard

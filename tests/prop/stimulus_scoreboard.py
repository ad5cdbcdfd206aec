# SPDX-License-Identifier: Apache-2.0
"""Seeded random stimulus for the scoreboard: anything on any port, often on few registers."""

from __future__ import annotations

from dataclasses import dataclass

from naive_collector import OPERANDS
from naive_common import READ_PORTS, Row
from naive_scoreboard import ScoreboardState
from stimulus_common import COMMON_POINTS, Stimulus

COLL, WB, ADMIT = "io_updateColl", "io_updateWB", "io_hazard_updateRS"


@dataclass(frozen=True)
class Profile:
    """Probabilities a cycle, unless said otherwise."""

    enable: float = 0.6  # of each of the three ports
    up: float = 0.5  # incr of an update of RS
    down: float = 0.4  # decr of an update of coll and WB
    odd: float = 0.05  # incr of coll and WB, decr of RS
    repeat: float = 0.2  # an update names the register of the group's first
    read: float = 0.8  # enable of a read port
    zero: float = 0.08  # a register number is 0
    hot: int = 4  # registers mostly used
    reset: float = 0.005
    uniform: bool = False  # random bits on every port


PROFILES = {
    "mixed": Profile(),
    "filling": Profile(up=0.8, down=0.15, hot=3),
    "draining": Profile(up=0.3, down=0.8, hot=3),
    "both_ways": Profile(up=0.7, down=0.7, odd=0.6, hot=2),
    "disabled": Profile(enable=0.2),
    "repeated": Profile(repeat=0.8, up=0.8, hot=6),
    "resets": Profile(reset=0.08),
    "uniform": Profile(uniform=True, hot=1, reset=0.01),
}

POINTS = (
    *COMMON_POINTS[:1],
    "admitted",
    "admitted_three_times",
    "refused",
    "rolled_back_beside_updates",
    "coll_fails",
    "wb_fails",
    "fails_disabled",
    "partial_group",
    "saturated_both_ways",
    "uncommitted_bypass",
    "delta_without_enable",
    "bypassed_read",
    "no_bypass_of_admission",
    "register_0",
    "reset_pending",
)


class ScoreboardStimulus(Stimulus):
    """Drives one naive scoreboard."""

    BLOCK = "scoreboard"
    PROFILES = PROFILES

    def drive(self, row: Row, reading: ScoreboardState) -> None:
        if self.profile.uniform:
            return
        for port in (COLL, WB, ADMIT):
            row[f"{port}_enable"] = self.chance(self.profile.enable)
            first = self.register()
            for update in ("write", *(f"reads_{i}" for i in OPERANDS)):
                preg = first if self.chance(self.profile.repeat) else self.register()
                self._update(row, f"{port}_{update}", preg, port == ADMIT)
        for warp in range(self.params["num_warps"]):
            for port in READ_PORTS:
                prefix = f"io_hazard_warps_{warp}_{port}"
                row[f"{prefix}_enable"] = self.chance(self.profile.read)
                row[f"{prefix}_pReg"] = self.register()

    def _update(self, row: Row, prefix: str, preg: int, is_admission: bool) -> None:
        up, down = self.profile.odd, self.profile.down
        if is_admission:
            up, down = self.profile.up, self.profile.odd
        row[f"{prefix}_pReg"] = preg
        row[f"{prefix}_incr"] = self.chance(up)
        row[f"{prefix}_decr"] = self.chance(down)

    def before(self, row: Row, reading: ScoreboardState) -> dict[str, int]:
        self.was = list(reading.reads), list(reading.writes)
        updates = [f"{p}_reads_{i}" for p in (COLL, ADMIT) for i in OPERANDS]
        updates += [f"{WB}_write", f"{ADMIT}_write"]
        deltas = [(u, row[f"{u}_pReg"]) for u in updates if row[f"{u}_incr"] != row[f"{u}_decr"]]
        both = [u for u in updates if row[f"{u}_incr"] and row[f"{u}_decr"]]
        full = self.params["max_pending_reads"]
        return {
            "register_0": sum(preg == 0 for _, preg in deltas),
            "saturated_both_ways": sum(
                reading.reads[row[f"{u}_pReg"]] == full for u in both if "reads" in u
            ),
            "reset_pending": int(row["reset"] and any(reading.reads + reading.writes)),
        }

    def after(self, row: Row, reading: ScoreboardState) -> dict[str, int]:
        enables = {port: row[f"{port}_enable"] for port in (COLL, WB, ADMIT)}
        success = {port: self.shown[f"{port}_success"] for port in (COLL, WB, ADMIT)}
        reads_changed, writes_changed = (
            {preg for preg, (a, b) in enumerate(zip(was, now, strict=True)) if a != b}
            for was, now in zip(self.was, (reading.reads, reading.writes), strict=True)
        )
        if row["reset"]:
            reads_changed, writes_changed = set(), set()
        changed = bool(reads_changed or writes_changed)
        refused = enables[ADMIT] and not success[ADMIT]
        alone = not enables[ADMIT] or refused
        named = [row[f"{ADMIT}_reads_{i}_pReg"] for i in OPERANDS]
        up = all(row[f"{ADMIT}_reads_{i}_incr"] > row[f"{ADMIT}_reads_{i}_decr"] for i in OPERANDS)
        wb_moves = alone and row[f"{WB}_write_pReg"] in writes_changed
        bypassed = self._bypassed(row)
        admitted = success[ADMIT] and not row["reset"]
        grown = (reads_changed & set(named)) if admitted else set()
        return {
            "admitted": int(admitted and changed),
            "admitted_three_times": int(admitted and up and len(set(named)) == 1 and named[0] != 0),
            "refused": int(refused),
            "rolled_back_beside_updates": int(refused and changed),
            "coll_fails": int(not success[COLL]),
            "wb_fails": int(not success[WB]),
            "fails_disabled": sum(not success[p] and not enables[p] for p in (COLL, WB)),
            "partial_group": int(alone and not success[COLL] and bool(reads_changed)),
            "uncommitted_bypass": bypassed if not any(enables.values()) else 0,
            "delta_without_enable": int(wb_moves and not enables[WB]),
            "bypassed_read": bypassed,
            "no_bypass_of_admission": sum(preg in grown for preg in self._read_registers(row)),
        }

    def _read_registers(self, row: Row) -> list[int]:
        return [preg for _, preg in self._read_ports(row)]

    def _read_ports(self, row: Row) -> list[tuple[str, int]]:
        """(prefix, register) of the read ports that are enabled."""
        prefixes = [
            f"io_hazard_warps_{warp}_{port}"
            for warp in range(self.params["num_warps"])
            for port in READ_PORTS
        ]
        return [(p, row[f"{p}_pReg"]) for p in prefixes if row[f"{p}_enable"]]

    def _bypassed(self, row: Row) -> int:
        """Reads that show another count than the table holds."""
        reads, writes = self.was
        return sum(
            self.shown[f"{prefix}_pendingReads"] != reads[preg]
            or self.shown[f"{prefix}_pendingWrites"] != writes[preg]
            for prefix, preg in self._read_ports(row)
        )

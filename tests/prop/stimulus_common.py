# SPDX-License-Identifier: Apache-2.0
"""What the stimuli of the issue stage's blocks share: a run of a naive model, and what it reached.

Inputs start as random bits; a profile then makes some of them likelier. A stimulus looks at one
reading of the naive model, to name registers that matter, and so is a function of its seed.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, ClassVar

import naive
from naive_common import HAS_RD, HAS_RS, RD, RS, WID, Outputs, Reading, Row, entry_fields

SOURCES = list(zip(HAS_RS, RS, strict=True))

COMMON_POINTS = ("mid_run_reset", "open_choice", "told_choice", "masked_ports")


@dataclass
class Run:
    """What a run drove, what the naive model answered, and how often each point was reached."""

    rows: list[Row] = field(default_factory=list)
    seen: list[Row] = field(default_factory=list)
    """The outputs the naive model was told; empty when it was told nothing."""
    outputs: list[Outputs] = field(default_factory=list)
    coverage: Counter = field(default_factory=Counter)


class Stimulus:
    """Drives one naive model: a function of (parameters, profile, seed)."""

    BLOCK: ClassVar[str]
    PROFILES: ClassVar[dict[str, Any]]

    def __init__(self, params: dict, profile: str, seed: int | str) -> None:
        self.rng = random.Random(f"{seed}/{self.BLOCK}/{profile}")
        self.profile = self.PROFILES[profile]
        self.params = naive.complete(self.BLOCK, params)
        self.model = naive.model(self.BLOCK, params)
        listed = naive.ports(self.BLOCK, params)
        self.inputs = [port for port in listed if port.direction == "i"]
        self.shown: Row = {port.name: 0 for port in listed if port.direction == "o"}
        pregs = self.params["num_pregs"]
        self.hot = [self.rng.randrange(pregs) for _ in range(self.profile.hot)]

    # What a block fills in

    def drive(self, row: Row, reading: Any) -> None:
        """Bend the random inputs `row`; self.shown is what the cycle before showed."""
        raise NotImplementedError

    def before(self, row: Row, reading: Any) -> dict[str, int]:
        """Points that show in the state before the edge. Not asked before the first reset."""
        raise NotImplementedError

    def after(self, row: Row, reading: Any) -> dict[str, int]:
        """Points that show in self.shown and the state behind the edge."""
        raise NotImplementedError

    # A run

    def run(self, cycles: int, told: bool) -> Run:
        """A run from power-up on. `told`: the naive model sees outputs that one of its own
        readings, taken at random, could have shown."""
        first = self.rng.choice((0, 0, 1, 3, 7))
        start = range(first, first + self.rng.randint(1, 3))
        run = Run()
        for cycle in range(cycles):
            row = self._row(cycle, start)
            was_reset = self.model.reset_seen
            parts = self._parts(row)
            part = self.rng.choice(parts)
            points = self.before(row, part) if was_reset else {}
            if told and len(parts) > 1:
                self.shown = self._shown_by(part, row)
                outputs = self.model.step(row, self.shown)
            else:
                outputs = self.model.step(row)
                self.shown = self._filled(outputs)
            run.rows.append(row)
            run.seen += [self.shown] if told else []
            run.outputs.append(outputs)
            if was_reset:
                run.coverage.update(points)
                run.coverage.update(self.after(row, self.model.readings[0]))
                run.coverage.update(self._common(row, outputs, len(parts) > 1, told))
        return run

    def _row(self, cycle: int, start: range) -> Row:
        row = {port.name: self.rng.getrandbits(port.width) for port in self.inputs}
        if cycle < start.stop:
            row["reset"] = int(cycle in start)
        else:
            row["reset"] = self.chance(self.profile.reset)
        if "io_softReset" in row:
            row["io_softReset"] = self.chance(self.profile.soft_reset)
        self.drive(row, self.model.readings[0])
        return row

    def _parts(self, row: Row) -> list[Reading]:
        return [part for one in self.model.readings for part in one.split(row)]

    def _shown_by(self, part: Reading, row: Row) -> Row:
        """What this reading shows; where it does not know, anything."""
        width = self.model.width
        return {
            name: self.rng.getrandbits(width[name]) if value is None else value
            for name, value in part.outputs(row).items()
        }

    def _filled(self, outputs: Outputs) -> Row:
        """What is known; anything in the bits that are not."""
        width = self.model.width
        return {
            name: value | (self.rng.getrandbits(width[name]) & ~care)
            for name, (value, care) in outputs.items()
        }

    def _common(self, row: Row, outputs: Outputs, is_open: bool, told: bool) -> dict[str, int]:
        return {
            "mid_run_reset": row["reset"],
            "open_choice": int(is_open),
            "told_choice": int(is_open and told),
            "masked_ports": sum(care == 0 for _, care in outputs.values()),
        }

    # Dice

    def chance(self, probability: float) -> int:
        return int(self.rng.random() < probability)

    def register(self) -> int:
        """Register 0, one of the few that this run uses mostly, or any."""
        if self.chance(self.profile.zero):
            return 0
        if self.chance(0.95):
            return self.rng.choice(self.hot)
        return self.rng.randrange(self.params["num_pregs"])

    def instruction(self, row: Row, prefix: str) -> None:
        """Registers, operands and a warp number for the instruction on the ports `prefix`_…"""
        profile = self.profile
        row[f"{prefix}_{HAS_RD}"] = self.chance(profile.has_rd)
        row[f"{prefix}_{RD}"] = self.register()
        first = self.register()
        for has, rs in SOURCES:
            row[f"{prefix}_{has}"] = self.chance(profile.has_rs)
            row[f"{prefix}_{rs}"] = first if self.chance(profile.repeat) else self.register()
        self.warp_number(row, prefix)

    def warp_number(self, row: Row, prefix: str) -> None:
        """Where warps have sequence numbers, the spec gives one beyond the last no meaning."""
        if self.params.get("in_order_per_warp") or self.chance(0.9):
            row[f"{prefix}_{WID}"] = self.rng.randrange(self.params["num_warps"])


class HeadStimulus(Stimulus):
    """Of a block with instruction buffers: heads of warps, which mostly stay until taken."""

    def __init__(self, params: dict, profile: str, seed: int | str) -> None:
        super().__init__(params, profile, seed)
        self.warps = range(self.params["num_warps"])
        self.fields = [field for field, _ in entry_fields(self.params)]
        self.heads: dict[int, Row] = {}

    def head(self, row: Row, warp: int) -> None:
        """The head of `warp`: the one before, or another."""
        prefix = f"io_ibuf_{warp}"
        stays = warp in self.heads and not self.shown[f"{prefix}_ready"]
        if stays and self.chance(self.profile.hold):
            row.update(self.heads[warp])
            return
        row[f"{prefix}_valid"] = self.chance(self.profile.valid)
        self.instruction(row, f"{prefix}_bits")
        self.change_head(row, warp)
        self.heads.pop(warp, None)
        if row[f"{prefix}_valid"]:
            names = [f"{prefix}_valid", *(f"{prefix}_bits_{field}" for field in self.fields)]
            self.heads[warp] = {name: row[name] for name in names}

    def change_head(self, row: Row, warp: int) -> None:
        """Change a new head of `warp` to the block's taste."""
